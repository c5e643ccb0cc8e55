/* pinch_place.c: where pinched vertices of cloth are, and what they do not collide with. */
#include "model/order.h"
#include "response/rigid_fit.h"
#include "world/pinch.h"

static const mus_cloth *cloth_at(const mus_world *world, int64_t k) {
    return world->cloths.data[world->cloth_order.data[k]].object;
}

bool mus_pinch_is_pinned(const mus_cloth *cloth, int32_t i) {
    return cloth->pin_count && cloth->pins[i].kind == MUS_PIN_PINCHED;
}

mus_pin_anchor *mus_pinch_anchor(const mus_assembly *a, int32_t vertex) {
    const mus_object *object = &a->objects[a->object_of[vertex]];
    const mus_cloth *cloth = mus_cloth_given(object->cloth);
    int32_t i = mus_cloth_given_vertex(object->cloth, vertex - object->first);
    return mus_pinch_is_pinned(cloth, i) ? &cloth->anchors[i] : NULL;
}

v3 mus_pinch_point(const mus_object *mesh, const mus_pin_anchor *anchor, int side, const v3 *x) {
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        int32_t corner = mesh->obstacle->faces[3 * (size_t)anchor->face[side] + (size_t)k];
        sum = v3_axpy(anchor->weight[side][k], x[mesh->first + corner], sum);
    }
    return sum;
}

bool mus_pinch_is_group(const mus_assembly *a, int32_t group) {
    for (int32_t v = 0; v < a->cloth_vertex_count; v++) {
        const mus_pin_anchor *one = mus_pinch_anchor(a, v);
        if (one && one->group == group) return true;
    }
    return false;
}

/* The middle of the anchor's points, as the mesh is at x. */
static v3 middle(const mus_world *world, int32_t vertex, const v3 *x) {
    const mus_assembly *a = &world->solver.assembly;
    const mus_object *mesh = &a->objects[a->pinched_by[vertex]];
    const mus_pin_anchor *anchor = mus_pinch_anchor(a, vertex);
    return v3_scale(0.5, v3_add(mus_pinch_point(mesh, anchor, 0, x), mus_pinch_point(mesh, anchor, 1, x)));
}

static bool is_in(const mus_assembly *a, int32_t vertex, int32_t group) {
    const mus_pin_anchor *anchor = mus_pinch_anchor(a, vertex);
    return anchor && anchor->group == group;
}

static void place_group(mus_world *world, int32_t group) {
    mus_assembly *a = &world->solver.assembly;
    mus_fit_moments m = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t v = 0; v < a->cloth_vertex_count; v++) {
            if (!is_in(a, v, group)) continue;
            v3 from = middle(world, v, a->x0), motion = v3_sub(middle(world, v, a->x1), from);
            if (pass == 0)
                mus_rigid_fit_add(&m, 1, from, motion);
            else
                mus_rigid_fit_add_arm(&m, 1, from, motion);
        }
        if (pass == 0) mus_rigid_fit_center(&m);
    }
    mus_rigid_fit fit = mus_rigid_fit_solve(&m);
    for (int32_t v = 0; v < a->cloth_vertex_count; v++)
        if (is_in(a, v, group)) a->x1[v] = mus_rigid_fit_end(&fit, a->x0[v]);
}

/* The least group above `group`; 0: none. */
static int32_t next_group(const mus_assembly *a, int32_t group) {
    int32_t next = 0;
    for (int32_t v = 0; v < a->cloth_vertex_count; v++) {
        const mus_pin_anchor *one = mus_pinch_anchor(a, v);
        if (one && one->group > group && (next == 0 || one->group < next)) next = one->group;
    }
    return next;
}

void mus_pinch_place(mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t group = next_group(a, 0); group > 0; group = next_group(a, group)) place_group(world, group);
}

int32_t mus_pinch_count(const mus_world *world) {
    int32_t count = 0;
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = cloth_at(world, k);
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) count += mus_pinch_is_pinned(cloth, i);
    }
    return count;
}

bool mus_pinch_covers(const mus_world *world, const mus_audit_finding *f) {
    int32_t cloths = (int32_t)world->cloth_order.count;
    if (f->part[0] >= cloths || f->part[1] < cloths) return false;
    const mus_cloth *cloth = cloth_at(world, f->part[0]);
    if (!cloth->pin_count) return false;
    int32_t slot = (int32_t)world->obstacle_order.data[f->part[1] - cloths];
    bool vertex = f->kind == MUS_AUDIT_INSIDE && f->face[1] == -1;
    for (int k = 0; k < (vertex ? 1 : 3); k++) {
        int32_t i = vertex ? f->face[0] : cloth->faces[3 * (size_t)f->face[0] + (size_t)k];
        if (mus_pinch_is_pinned(cloth, i) && cloth->pins[i].target == slot) return true;
    }
    return false;
}
