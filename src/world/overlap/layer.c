/* layer.c: cloths in layers. The side of a point on another cloth is that of the nearest point's normal; at vertices
 * and edges the normal weighted by angles is the one whose sign is right (Bærentzen & Aanæs 2005, "Signed distance
 * computation using the angle weighted pseudonormal"). Vertices of an outer layer on the wrong side, or nearer than the
 * thickness, move along that normal. What crosses after that is left to untangling, which then knows the sides. */
#include "world/overlap/layer.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "mesh/topology.h"
#include "muslin/math.h"
#include "model/order.h"
#include "world/overlap/crossing.h"
#include "world/overlap/nearest.h"

#include <float.h>

/* Number of rounds; in the first STRAIN_LIMITED_ROUNDS of them the strain of displaced cloth is limited. */
enum { MAX_ROUNDS = 120, STRAIN_LIMITED_ROUNDS = 80 };
/* A vertex moves if it is nearer than least_gap, and then to target_gap, both in thicknesses of it and the face. */
static const double least_gap = 0.5, target_gap = 1;
/* A connected part on the wrong side is out of place if it comes nearer than this, in mean edges of the coarser
 * cloth; what is farther belongs somewhere else. */
static const double near_per_edge = 2;

int mus_layer_order(const mus_world *world, int32_t a, int32_t b) {
    int32_t cloths = (int32_t)world->cloth_order.count;
    if (a >= cloths || b >= cloths) return 0;
    const mus_cloth *p = world->cloths.data[world->cloth_order.data[a]].object,
                    *q = world->cloths.data[world->cloth_order.data[b]].object;
    if (!p->layer || !q->layer || p->layer == q->layer) return 0;
    if (mus_world_view_ignored(world, a, b) || mus_world_pair_overlap(world, a, b)) return 0;
    return p->layer > q->layer ? 1 : -1;
}

/* ---- side of a surface ---- */

/* The outer side is that of the normals; of cloth that lies flat, the upper one: where the vertical component of its
 * vector area is more than half of its area. */
static int8_t outward_of(const mus_world *world, const mus_world_view *view, const mus_tangle *tangle, int32_t k) {
    const mus_audit_object *o = &view->objects[k];
    v3 sum = v3_make(0, 0, 0), gravity = v3_normalized(v3_load(world->def.gravity));
    double area = 0;
    for (int32_t f = 0; f < o->face_count; f++) {
        const int32_t *c = mus_crossing_face(o, f);
        v3 a = mus_crossing_place(o, c[0]);
        double twice =
            v3_length(v3_cross(v3_sub(mus_crossing_place(o, c[1]), a), v3_sub(mus_crossing_place(o, c[2]), a)));
        sum = v3_axpy(twice, mus_crossing_normal(view, tangle, k, f), sum), area += twice;
    }
    return v3_dot(sum, gravity) > 0.5 * area ? -1 : 1;
}

static mus_status find_outward(const mus_world *world, const mus_world_view *view, const mus_tangle *tangle,
                               mus_start_pairs *pairs) {
    pairs->outward = mus_new((size_t)view->cloth_count + 1);
    if (!pairs->outward) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < view->cloth_count; k++) pairs->outward[k] = outward_of(world, view, tangle, k);
    return MUS_STATUS_OK;
}

typedef struct surface {
    const mus_audit_object *object;
    mus_topology topology;
    mus_audit_tree tree;
    v3 *face_normals, *vertex_normals; /* the latter a sum weighted by angles */
    uint8_t *border;                   /* for each vertex */
} surface;

static void surface_free(surface *s) {
    mus_topology_free(&s->topology);
    mus_audit_tree_free(&s->tree);
    mus_free(s->face_normals);
    mus_free(s->vertex_normals);
    mus_free(s->border);
    *s = (surface){0};
}

static double corner_angle(v3 at, v3 p, v3 q) {
    v3 a = v3_sub(p, at), b = v3_sub(q, at);
    return mus_atan2(v3_length(v3_cross(a, b)), v3_dot(a, b));
}

static mus_status surface_make(const mus_world_view *view, const mus_tangle *tangle, int32_t object, double outward,
                               surface *s) {
    const mus_audit_object *o = &view->objects[object];
    *s = (surface){.object = o};
    size_t n = (size_t)o->vertex_count, faces = (size_t)o->face_count;
    s->face_normals = mus_new(sizeof(v3) * (faces + 1));
    s->vertex_normals = mus_new(sizeof(v3) * (n + 1));
    s->border = mus_new(n + 1);
    if (!s->face_normals || !s->vertex_normals || !s->border) return MUS_STATUS_NO_MEMORY;
    mus_status status = mus_topology_build(o->faces, o->face_count, o->vertex_count, &s->topology);
    if (status == MUS_STATUS_OK) status = mus_audit_tree_build(o->vertices, o->faces, o->face_count, &s->tree);
    if (status != MUS_STATUS_OK) return status;
    for (size_t f = 0; f < faces; f++) {
        const int32_t *c = mus_crossing_face(o, (int32_t)f);
        v3 x[3];
        for (int k = 0; k < 3; k++) x[k] = mus_crossing_place(o, c[k]);
        s->face_normals[f] = v3_scale(outward, mus_crossing_normal(view, tangle, object, (int32_t)f));
        for (int k = 0; k < 3; k++) {
            v3 *sum = &s->vertex_normals[c[k]];
            *sum = v3_axpy(corner_angle(x[k], x[(k + 1) % 3], x[(k + 2) % 3]), s->face_normals[f], *sum);
        }
    }
    for (int32_t e = 0; e < s->topology.edge_count; e++)
        if (s->topology.edge_faces[2 * e + 1] < 0)
            s->border[s->topology.edges[2 * e]] = s->border[s->topology.edges[2 * e + 1]] = 1;
    return MUS_STATUS_OK;
}

/* Returns the normal at the nearest point. On the border it is that of the face, for points within 45 degrees of it;
 * zero for others, which are over no part of the surface. */
static v3 normal_at(const surface *s, const mus_nearest_point *nearest) {
    const int32_t *c = mus_crossing_face(s->object, nearest->face);
    int zeros = 0, corner = 0, opposite = 0;
    for (int k = 0; k < 3; k++)
        if (nearest->weight[k] > 0)
            corner = k;
        else
            zeros++, opposite = k;
    v3 normal = s->face_normals[nearest->face];
    bool border = false;
    if (zeros == 2) {
        border = s->border[c[corner]];
        if (!border) normal = v3_normalized(s->vertex_normals[c[corner]]);
    } else if (zeros == 1) {
        int32_t edge = s->topology.face_edges[3 * (size_t)nearest->face + (size_t)((opposite + 1) % 3)];
        const int32_t *faces = s->topology.edge_faces + 2 * (size_t)edge;
        border = faces[1] < 0;
        if (!border) normal = v3_normalized(v3_add(s->face_normals[faces[0]], s->face_normals[faces[1]]));
    }
    double across = v3_dot(normal, nearest->from);
    return border && across * across < 0.5 * nearest->distance2 ? v3_make(0, 0, 0) : normal;
}

/* ---- one pair ---- */

typedef struct pair {
    int32_t outer, inner, layer[2];
    double near; /* m */
} pair;

typedef struct placement {
    v3 normal;            /* unit, to the side on which the vertex belongs; zero: it is over no part of the surface */
    double height;        /* m: over the surface, along the normal */
    mus_nearest_point at; /* of the surface */
} placement;

/* Vertices that are on the wrong side and farther than `near`, as all that are connected with them, lose their
 * normal. `parent`: count + 1; `least`: likewise. */
static void keep_near(double near, const mus_topology *topology, int32_t count, placement *places, int32_t *parent,
                      double *least) {
    mus_union_find_reset(parent, count);
    for (int32_t e = 0; e < topology->edge_count; e++) {
        int32_t a = topology->edges[2 * e], b = topology->edges[2 * e + 1];
        if (places[a].height < 0 && places[b].height < 0) mus_union_find_join(parent, a, b);
    }
    for (int32_t i = 0; i < count; i++) least[i] = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        int32_t root = mus_union_find_root(parent, i);
        if (places[i].height < 0) least[root] = fmin(least[root], -places[i].height);
    }
    for (int32_t i = 0; i < count; i++)
        if (places[i].height < 0 && least[mus_union_find_root(parent, i)] > near)
            places[i].normal = v3_make(0, 0, 0), places[i].height = 0;
}

static bool is_free(const mus_cloth *cloth, int32_t i) {
    return cloth->inverse_mass[i] > 0;
}

/* Adds displacements of vertex i of `own` and the nearest face of `other`: of these the one of the outer cloth moves,
 * the other where that is pinned. Returns whether any does. */
static bool displace(const mus_assembly *a, int32_t own, int32_t i, int32_t other, const placement *place, v3 by,
                     bool outer, mus_displacements *displacements) {
    const mus_cloth *cloth = mus_cloth_given(a->objects[own].cloth), *facing = mus_cloth_given(a->objects[other].cloth);
    const int32_t *c = facing->faces + 3 * (size_t)place->at.face;
    bool face_moves = false;
    for (int k = 0; k < 3; k++) face_moves |= place->at.weight[k] > 0 && is_free(facing, c[k]);
    if (is_free(cloth, i) && (outer || !face_moves)) {
        mus_displacement_add(displacements, a->objects[own].first + i, by, 1);
        return true;
    }
    for (int k = 0; k < 3; k++)
        if (place->at.weight[k] > 0 && is_free(facing, c[k]))
            mus_displacement_add(displacements, a->objects[other].first + c[k], v3_neg(by), place->at.weight[k]);
    return face_moves;
}

/* Places of the vertices of one cloth of a pair relative to the surface of the other. `outer`: the vertices are those
 * of the outer cloth. */
static mus_status find_places(const mus_assembly *a, const mus_world_view *view, const mus_tangle *tangle,
                              const pair *p, bool outer, const int8_t *outward, placement *places) {
    int32_t own = outer ? p->outer : p->inner, other = outer ? p->inner : p->outer;
    const mus_audit_object *o = &view->objects[own];
    size_t n = (size_t)o->vertex_count + 1;
    surface s = {0};
    int32_t *parent = mus_new(sizeof *parent * n);
    double *least = mus_new(sizeof *least * n), sign = (outer ? 1 : -1) * outward[other];
    mus_status status = parent && least ? surface_make(view, tangle, other, sign, &s) : MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < o->vertex_count && status == MUS_STATUS_OK; i++) {
        placement *place = &places[i];
        place->at = mus_nearest_on_mesh(s.object, &s.tree, mus_crossing_place(o, i), DBL_MAX);
        place->normal = place->at.face < 0 ? v3_make(0, 0, 0) : normal_at(&s, &place->at);
        place->height = v3_dot(place->normal, place->at.from);
    }
    if (status == MUS_STATUS_OK)
        keep_near(p->near, &mus_cloth_given(a->objects[own].cloth)->topology, o->vertex_count, places, parent, least);
    surface_free(&s);
    mus_free(parent);
    mus_free(least);
    return status;
}

/* m: thickness of a vertex of one cloth and a face of another. */
static double thickness_of(const mus_assembly *a, int32_t own, int32_t vertex, int32_t other, int32_t face) {
    const mus_cloth *cloth = mus_cloth_given(a->objects[own].cloth), *facing = mus_cloth_given(a->objects[other].cloth);
    return mus_cloth_thickness_of(cloth, &vertex, 1) / 2 +
           mus_cloth_thickness_of(facing, facing->faces + 3 * (size_t)face, 3) / 2;
}

/* Adds displacements for the places found; returns their number. */
static int64_t displace_vertices(const mus_assembly *a, const pair *p, bool outer, const placement *places,
                                 mus_displacements *displacements) {
    int32_t own = outer ? p->outer : p->inner, other = outer ? p->inner : p->outer;
    int64_t count = 0;
    for (int32_t i = 0; i < a->objects[own].count; i++) {
        const placement *place = &places[i];
        if (!(v3_length2(place->normal) > 0)) continue;
        double thickness = thickness_of(a, own, i, other, place->at.face);
        if (place->height >= least_gap * thickness) continue;
        v3 by = v3_scale(target_gap * thickness - place->height, place->normal);
        count += displace(a, own, i, other, place, by, outer, displacements);
    }
    return count;
}

static mus_status place_pair(const mus_assembly *a, const mus_world_view *view, const mus_tangle *tangle, const pair *p,
                             placement *places, mus_displacements *displacements, int64_t *count) {
    mus_status status = mus_displacements_begin_pair(displacements, p->outer, p->inner);
    for (int k = 0; k < 2 && status == MUS_STATUS_OK; k++) {
        status = find_places(a, view, tangle, p, k == 0, displacements->pairs->outward, places);
        if (status == MUS_STATUS_OK) *count += displace_vertices(a, p, k == 0, places, displacements);
        mus_displacements_apply(displacements);
    }
    return status;
}

/* ---- all pairs ---- */

typedef MUS_ARRAY(pair) pair_list;

/* From the inside outwards, so that a layer is placed over those that are in their place. */
static int compare_pairs(const void *a, const void *b) {
    const pair *p = a, *q = b;
    const int32_t l[] = {p->layer[0], p->layer[1], p->outer, p->inner},
                  r[] = {q->layer[0], q->layer[1], q->outer, q->inner};
    for (int k = 0; k < 4; k++)
        if (l[k] != r[k]) return l[k] < r[k] ? -1 : 1;
    return 0;
}

static mus_status find_pairs(const mus_world *world, pair_list *list) {
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t i = 0; i < a->cloth_count; i++)
        for (int32_t j = 0; j < a->cloth_count; j++) {
            if (mus_layer_order(world, i, j) <= 0) continue;
            const mus_object *outer = &a->objects[i], *inner = &a->objects[j];
            pair one = {.outer = i,
                        .inner = j,
                        .layer = {outer->cloth->layer, inner->cloth->layer},
                        .near = near_per_edge * fmax(outer->cloth->mean_edge, inner->cloth->mean_edge)};
            if (!mus_array_push(list, one)) return MUS_STATUS_NO_MEMORY;
        }
    mus_sort(list->data, (size_t)list->count, sizeof *list->data, compare_pairs);
    return MUS_STATUS_OK;
}

/* Memory for the places of any cloth's vertices. */
static placement *new_places(const mus_assembly *a) {
    return mus_new(sizeof(placement) * ((size_t)a->cloth_vertex_count + 1));
}

mus_status mus_layers_count_misplaced(const mus_world *world, const mus_world_view *view, const mus_tangle *tangle,
                                      const mus_start_pairs *pairs, int64_t *count) {
    const mus_assembly *a = &world->solver.assembly;
    pair_list list = {0};
    *count = 0;
    if (!pairs->outward) return MUS_STATUS_OK;
    mus_status status = find_pairs(world, &list);
    placement *places = new_places(a);
    if (status == MUS_STATUS_OK && !places) status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < 2 * list.count && status == MUS_STATUS_OK; k++) {
        const pair *p = &list.data[k / 2];
        bool outer = k % 2 == 0;
        status = find_places(a, view, tangle, p, outer, pairs->outward, places);
        for (int32_t i = 0; i < a->objects[outer ? p->outer : p->inner].count && status == MUS_STATUS_OK; i++)
            *count += places[i].height < 0;
    }
    mus_array_free(&list);
    mus_free(places);
    return status;
}

mus_status mus_layers_place(mus_world *world, const mus_world_view *view, const mus_tangle *tangle, const v3 *start,
                            mus_displacements *displacements) {
    const mus_assembly *a = &world->solver.assembly;
    pair_list list = {0};
    mus_status status = find_pairs(world, &list);
    placement *places = new_places(a);
    if (status == MUS_STATUS_OK && !places) status = MUS_STATUS_NO_MEMORY;
    for (int round = 0; round < MAX_ROUNDS && status == MUS_STATUS_OK; round++) {
        int64_t count = 0;
        for (int64_t k = 0; k < list.count && status == MUS_STATUS_OK; k++)
            status = place_pair(a, view, tangle, &list.data[k], places, displacements, &count);
        if (status != MUS_STATUS_OK || count == 0) break;
        world->start_report.rounds++;
        if (round < STRAIN_LIMITED_ROUNDS) mus_displacements_limit_strain(displacements, start);
    }
    mus_array_free(&list);
    mus_free(places);
    return status;
}

void mus_layers_choose_sides(const mus_world *world, const mus_start_pairs *pairs, mus_tangle *tangle) {
    const int8_t *outward = pairs->outward;
    for (int32_t i = 0; outward && i < tangle->count; i++)
        for (int32_t j = i + 1; j < tangle->count; j++) {
            int order = mus_layer_order(world, i, j);
            if (order == 0) continue;
            size_t index = (size_t)i * (size_t)tangle->count + (size_t)j;
            size_t back = (size_t)j * (size_t)tangle->count + (size_t)i;
            tangle->side[index] = (int8_t)(order * outward[j]), tangle->given[index] = 1;
            tangle->side[back] = (int8_t)(-order * outward[i]), tangle->given[back] = 1;
        }
}

mus_status mus_layers_find(const mus_world *world, mus_start_pairs *pairs) {
    mus_world_view view = {0};
    mus_tangle tangle = {0};
    pair_list list = {0};
    mus_status status = find_pairs(world, &list);
    if (status == MUS_STATUS_OK && list.count > 0) {
        status = mus_world_view_make(world, &view);
        if (status == MUS_STATUS_OK) status = mus_tangle_make(&view, &tangle);
        if (status == MUS_STATUS_OK) status = find_outward(world, &view, &tangle, pairs);
        if (status == MUS_STATUS_OK)
            status = mus_layers_count_misplaced(world, &view, &tangle, pairs, &pairs->misplaced);
    }
    mus_tangle_free(&tangle);
    mus_world_view_free(&view);
    mus_array_free(&list);
    return status;
}
