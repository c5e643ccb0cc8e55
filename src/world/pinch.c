/* pinch.c: cloth between two surfaces of an animated mesh that leave no gap: bodies intersect themselves at armpits and
 * in the bend of a knee. Its vertices follow the surfaces on both sides, halfway between them, and the features they
 * belong to do not collide with the mesh until it opens (Baraff, Witkin & Kass 2003, "flypapering"). */
#include "world/pinch.h"

#include "mesh/distance.h"
#include "model/order.h"
#include "response/rigid_fit.h"
#include "solve/solver.h"
#include "world/overlap/overlap_exemption.h"

#include <float.h>
#include <string.h>

static mus_cloth *cloth_at(const mus_world *world, int64_t k) {
    return world->cloths.data[world->cloth_order.data[k]].object;
}

/* ---- Attaching --------------------------------------------------------------------------------------------------- */

/* Points of an obstacle's faces: the nearest of a vertex, and the nearest on its other side. */
typedef struct sides {
    mus_pin_anchor anchor;
    v3 point[2];
} sides;

/* The nearest point among those on the side against `away`; of all if `away` is zero. Within `limit`. */
static bool find_nearest(const mus_object *object, const v3 *x, v3 from, v3 away, double limit, sides *s, int side) {
    const int32_t *faces = object->obstacle->faces;
    double best2 = limit * limit, length = v3_length(away);
    bool found = false;
    for (int32_t f = 0; f < object->obstacle->face_count; f++) {
        double w[3];
        v3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = x[object->first + faces[3 * (size_t)f + (size_t)k]];
        v3 to = v3_scale(-1, mus_nearest_vertex_face(from, corner[0], corner[1], corner[2], w));
        double d2 = v3_length2(to);
        if (d2 >= best2 || (length > 0 && v3_dot(to, away) > -0.2 * length * sqrt(d2))) continue;
        best2 = d2, found = true;
        s->anchor.face[side] = f;
        s->point[side] = v3_add(from, to);
        memcpy(s->anchor.weight[side], w, sizeof w);
    }
    return found;
}

/* limit: m, how far the surface on the other side may be; else the vertex follows the nearest one. */
static void find_sides(const mus_object *object, const v3 *x, v3 from, double limit, sides *s) {
    find_nearest(object, x, from, v3_make(0, 0, 0), DBL_MAX, s, 0);
    v3 away = v3_sub(s->point[0], from);
    if (v3_length2(away) > 0 && find_nearest(object, x, from, away, limit, s, 1)) return;
    s->anchor.face[1] = s->anchor.face[0], s->point[1] = s->point[0];
    memcpy(s->anchor.weight[1], s->anchor.weight[0], sizeof s->anchor.weight[0]);
}

bool mus_pinch_may_release(const mus_world *world, const char *cloth, const char *obstacle) {
    bool may = false;
    for (int64_t k = 0; k < world->pinches.count; k++) {
        const mus_pair_pinch *p = &world->pinches.data[k];
        if (mus_pair_is_of(p->a, p->b, cloth, obstacle)) may = p->release;
    }
    return may;
}

/* The animated mesh nearest to x that may release the cloth, as an object of the assembly; NULL if there is none. */
static const mus_object *find_mesh(const mus_world *world, const mus_cloth *cloth, v3 x, sides *nearest) {
    const mus_assembly *a = &world->solver.assembly;
    const mus_object *found = NULL;
    double best = DBL_MAX;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        if (!object->obstacle->keyframes.positions ||
            !mus_pinch_may_release(world, cloth->name, object->obstacle->name))
            continue;
        sides s;
        find_sides(object, a->x0, x, cloth->mean_edge + 2 * object->contact_thickness, &s);
        double distance = v3_length2(v3_sub(s.point[0], x));
        if (distance < best) best = distance, found = object, *nearest = s;
    }
    return found;
}

static uint32_t slot_of(const mus_world *world, const mus_obstacle *obstacle) {
    uint32_t slot = 0;
    while (world->obstacles.data[slot].object != obstacle) slot++;
    return slot;
}

/* Attaches a free vertex, whose soft pin waits. False, without a change, without memory. */
static bool attach(mus_world *world, const mus_object *mesh, int32_t vertex, const mus_pin_anchor *anchor) {
    const mus_assembly *a = &world->solver.assembly;
    const mus_object *object = &a->objects[a->object_of[vertex]];
    mus_cloth *cloth = mus_cloth_given(object->cloth);
    int32_t i = mus_cloth_given_vertex(object->cloth, vertex - object->first);
    size_t n = (size_t)cloth->vertex_count;
    if (!cloth->pins && !(cloth->pins = mus_new(sizeof *cloth->pins * n))) return false;
    if (!cloth->anchors && !(cloth->anchors = mus_new(sizeof *cloth->anchors * n))) return false;
    if (cloth->pins[i].kind == MUS_PIN_NONE) cloth->pin_count++;
    cloth->anchors[i] = *anchor;
    cloth->anchors[i].before = cloth->pins[i];
    cloth->pins[i] = (mus_pin){.kind = MUS_PIN_PINCHED, .target = (int32_t)slot_of(world, mesh->obstacle)};
    cloth->inverse_mass[i] = 0;
    return true;
}

/* m: how far the second point is in front of the first face, as the mesh is at x. */
static double height(const mus_object *mesh, const mus_pin_anchor *anchor, const v3 *x) {
    const int32_t *c = mesh->obstacle->faces + 3 * (size_t)anchor->face[0];
    v3 p = x[mesh->first + c[0]], q = x[mesh->first + c[1]], r = x[mesh->first + c[2]];
    v3 normal = v3_normalized(v3_cross(v3_sub(q, p), v3_sub(r, p)));
    return v3_dot(normal, v3_sub(mus_pinch_point(mesh, anchor, 1, x), mus_pinch_point(mesh, anchor, 0, x)));
}

/* Whether the surfaces on both sides leave less than the contact thickness between them at the end of the step. */
static bool is_closing(const mus_assembly *a, const mus_object *mesh, int32_t vertex, const sides *s) {
    v3 across = v3_sub(s->point[1], s->point[0]);
    double length = v3_length(across);
    if (!(length > 0)) return false;
    v3 apart = v3_sub(mus_pinch_point(mesh, &s->anchor, 1, a->x1), mus_pinch_point(mesh, &s->anchor, 0, a->x1));
    double thickness = mus_assembly_contact_thickness(a, vertex) + mesh->contact_thickness;
    return v3_dot(apart, across) < thickness * length;
}

/* Makes one group of all groups with a member that is unsafe. Returns whether there was more than one. */
static bool join_groups(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    int32_t to = 0;
    bool any = false;
    for (int32_t v = 0; v < a->cloth_vertex_count; v++) {
        const mus_pin_anchor *one = mus_solver_is_unsafe(s, v) ? mus_pinch_anchor(a, v) : NULL;
        if (!one || one->group == to) continue;
        int32_t from = one->group;
        any |= to > 0;
        for (int32_t w = 0; to > 0 && w < a->cloth_vertex_count; w++) {
            mus_pin_anchor *other = mus_pinch_anchor(a, w);
            if (other && other->group == from) other->group = to;
        }
        if (to == 0) to = from;
    }
    return any;
}

typedef MUS_ARRAY(int32_t) vertex_list;

/* Attaches the free vertices of `found` and, going on from these, neighbors between surfaces that are closing. Returns
 * whether there are any. */
static bool attach_all(mus_world *world, vertex_list *found, int32_t group) {
    const mus_assembly *a = &world->solver.assembly;
    int64_t unsafe = found->count;
    bool any = false;
    for (int64_t k = 0; k < found->count; k++) {
        int32_t v = found->data[k];
        const mus_object *object = &a->objects[a->object_of[v]];
        const mus_cloth *cloth = object->cloth, *given = mus_cloth_given(cloth);
        sides s;
        int32_t i = mus_cloth_given_vertex(cloth, v - object->first);
        const mus_object *mesh = given->inverse_mass[i] > 0 ? find_mesh(world, given, a->x0[v], &s) : NULL;
        if (!mesh || (k >= unsafe && !is_closing(a, mesh, v, &s))) continue;
        s.anchor.group = group;
        s.anchor.facing = height(mesh, &s.anchor, a->x0) < 0 ? -1 : 1;
        if (!attach(world, mesh, v, &s.anchor)) return any;
        any = true;
        for (int32_t e = 0; e < given->topology.edge_count; e++) {
            const int32_t *ends = &given->topology.edges[2 * (size_t)e];
            if (ends[0] != i && ends[1] != i) continue;
            int32_t other = object->first + mus_cloth_solved_vertex(given, ends[ends[0] == i]);
            if (!mus_array_push(found, other)) return any;
        }
    }
    return any;
}

bool mus_pinch_release(mus_world *world, double dt) {
    mus_solver *s = &world->solver;
    mus_assembly *a = &s->assembly;
    if (!world->pinches.count || mus_world_gather(world) != MUS_STATUS_OK ||
        mus_world_place_kinematic(world, a, world->time + dt) != MUS_STATUS_OK)
        return false;
    int32_t group = 1;
    while (mus_pinch_is_group(a, group)) group++;
    vertex_list found = {0};
    bool whole = true;
    for (int32_t v = 0; v < a->cloth_vertex_count && whole; v++)
        if (mus_solver_is_unsafe(s, v)) whole = mus_array_push(&found, v);
    bool any = whole && attach_all(world, &found, group);
    mus_array_free(&found);
    return join_groups(s) || any;
}

/* ---- Release ----------------------------------------------------------------------------------------------------- */

static void detach(mus_cloth *cloth, int32_t i) {
    cloth->pins[i] = cloth->anchors[i].before;
    if (cloth->pins[i].kind == MUS_PIN_NONE) cloth->pin_count--;
    cloth->inverse_mass[i] = 1 / cloth->mass[i];
}

/* Numbers the vertices of the cloth that are attached to the obstacle of that slot, from 1; 0: others. */
static int32_t number_attached(const mus_cloth *cloth, uint32_t slot, int32_t *number) {
    int32_t count = 0;
    for (int32_t i = 0; i < cloth->vertex_count; i++)
        number[i] = mus_pinch_is_pinned(cloth, i) && cloth->pins[i].target == (int32_t)slot ? ++count : 0;
    return count;
}

/* Whether the surfaces on both sides leave the contact thickness between them; true if there is one only. */
static bool is_open(const mus_object *mesh, const mus_pin_anchor *anchor, const v3 *x, double thickness) {
    return anchor->face[0] == anchor->face[1] || anchor->facing * height(mesh, anchor, x) >= thickness;
}

static void end_pair(mus_world *world, int32_t k, int32_t obstacle) {
    mus_cloth *cloth = cloth_at(world, k);
    uint32_t slot = (uint32_t)world->obstacle_order.data[obstacle];
    size_t n = (size_t)cloth->vertex_count;
    int32_t *number = mus_new(sizeof *number * n);
    uint8_t *leaving = mus_new(n + 1);
    int32_t count = number && leaving ? number_attached(cloth, slot, number) : 0;
    const mus_assembly *a = &world->solver.assembly;
    const mus_object *mesh = &a->objects[a->cloth_count + obstacle];
    if (count > 0 && mus_exemptions_find_clear(world, k, (int32_t)world->cloth_order.count + obstacle, number, count,
                                               leaving) == MUS_STATUS_OK)
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            if (!number[i] || !leaving[number[i]]) continue;
            int32_t vertex = a->objects[k].first + mus_cloth_solved_vertex(cloth, i);
            double thickness = mus_assembly_contact_thickness(a, vertex) + mesh->contact_thickness;
            if (is_open(mesh, &cloth->anchors[i], a->x1, thickness)) detach(cloth, i);
        }
    mus_free(number);
    mus_free(leaving);
}

void mus_pinch_end(mus_world *world) {
    if (!mus_pinch_count(world)) return;
    for (int32_t k = 0; k < world->cloth_order.count; k++)
        for (int32_t j = 0; j < world->obstacle_order.count; j++) end_pair(world, k, j);
}

void mus_pinch_slot_removed(mus_world *world, uint32_t slot) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        mus_cloth *cloth = cloth_at(world, k);
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++)
            if (mus_pinch_is_pinned(cloth, i) && cloth->pins[i].target == (int32_t)slot) detach(cloth, i);
    }
}
