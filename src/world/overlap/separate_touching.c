/* separate_touching.c: displaces cloth that starts without a gap, which no motion can be certified to leave, by the
 * least distance that counts. */
#include "model/order.h"
#include "narrow/audit_inside.h"
#include "narrow/cylinder.h"
#include "world/overlap/overlap_exemption.h"
#include "world/overlap/start.h"

#include <string.h>

/* Displacements start at a share of the thickness and grow by a factor per round, 304 times in all: small first, so
 * that what lies close together is not thrown apart. */
enum { MAX_ROUNDS = 60 };
static const double first_share = 1e-3, share_growth_per_round = 1.1;

/* m: gaps up to zero_gap count as none: the rounding error of a scene is of that size. A pair without a gap gets
 * separation_gap, at most a share of its thickness. */
static const double zero_gap = 1e-12, separation_gap = 1e-6, separation_gap_share = 0.01;

/* ---- check ---- */

/* Exact shapes have no touching faces in the audit: returns whether cloth touches one, or is inside by less than an
 * overlap. */
static bool touches_shape(const mus_world_view *view, int32_t cloth, int32_t object) {
    const mus_audit_object *c = &view->objects[cloth], *o = &view->objects[object];
    if (o->shape == MUS_SHAPE_MESH || o->shape == MUS_SHAPE_PLANE) return false;
    mus_audit_solid solid = mus_audit_solid_make(o);
    for (int32_t f = 0; f < c->face_count; f++) {
        const int32_t *t = c->faces + 3 * (size_t)f;
        const double *a = c->vertices + 3 * (size_t)t[0], *b = c->vertices + 3 * (size_t)t[1],
                     *d = c->vertices + 3 * (size_t)t[2];
        if (mus_audit_depth_of_face(&solid, a, b, d) >= -zero_gap) return true;
    }
    return false;
}

static bool any_touches_shape(const mus_world *world, const mus_world_view *view) {
    bool any = false;
    for (int32_t i = 0; i < view->cloth_count && !any; i++)
        for (int32_t j = view->cloth_count; j < view->count && !any; j++)
            any = !mus_world_view_ignored(world, i, j) && touches_shape(view, i, j);
    return any;
}

/* ---- direction ---- */

static v3 face_normal(const v3 *x, const int32_t f[3]) {
    return v3_cross(v3_sub(x[f[1]], x[f[0]]), v3_sub(x[f[2]], x[f[0]]));
}

/* Sum of the positions of the neighbors of each vertex, and their number. */
typedef struct neighbor_sum {
    v3 sum;
    double count;
} neighbor_sum;

static void sum_neighbors(const mus_assembly *a, neighbor_sum *all) {
    memset(all, 0, sizeof *all * (size_t)a->vertex_count);
    for (int32_t b = 0; b < a->object_count; b++) {
        const mus_object *object = &a->objects[b];
        const mus_topology *t = object->cloth ? &object->cloth->topology : &object->obstacle->topology;
        for (int32_t e = 0; e < t->edge_count; e++)
            for (int end = 0; end < 2; end++) {
                neighbor_sum *r = &all[object->first + t->edges[2 * e + end]];
                r->sum = v3_add(r->sum, a->x0[object->first + t->edges[2 * e + 1 - end]]), r->count += 1;
            }
    }
}

/* m: mean height of the neighbors of some vertices above a point, along n. */
static double rise_of(const neighbor_sum *all, const int32_t *v, int count, v3 from, v3 n) {
    neighbor_sum r = {v3_make(0, 0, 0), 0};
    for (int k = 0; k < count; k++) r.sum = v3_add(r.sum, all[v[k]].sum), r.count += all[v[k]].count;
    return r.count > 0 ? v3_dot(n, v3_axpy(-r.count, from, r.sum)) / r.count : 0;
}

/* Returns the unit vector along which the first side of a pair without a gap separates from the second: across the
 * touching features, to the side of the first side's neighbors; for surfaces that coincide, up, and of two cloths, the
 * one created later goes up. */
static v3 separation_direction(const mus_world *world, const neighbor_sum *all, const mus_candidate_pair *c, v3 d) {
    const mus_assembly *a = &world->solver.assembly;
    const int32_t *v = c->vertex;
    double radius = mus_candidate_pair_radius(a, c);
    if (radius > 0 && v3_length(d) > 0.5 * radius) return v3_normalized(d);
    int first = c->edge_edge ? 2 : 1; /* number of vertices of the pair's first side */
    v3 n = c->edge_edge ? v3_cross(v3_sub(a->x0[v[1]], a->x0[v[0]]), v3_sub(a->x0[v[3]], a->x0[v[2]]))
                        : face_normal(a->x0, v + 1);
    double scale = v3_length(v3_sub(a->x0[v[1]], a->x0[v[0]])) * v3_length(v3_sub(a->x0[v[3]], a->x0[v[2]]));
    if (v3_length(n) < 1e-9 * scale) { /* parallel edges */
        v3 e = v3_normalized(v3_sub(a->x0[v[1]], a->x0[v[0]]));
        n = v3_axpy(-e.y, e, v3_make(0, 1, 0));
        if (v3_length(n) < 1e-3) n = v3_axpy(-e.x, e, v3_make(1, 0, 0));
    }
    n = v3_normalized(n);
    double rise = rise_of(all, v, first, a->x0[v[0]], n) - rise_of(all, v + first, 4 - first, a->x0[v[0]], n);
    if (fabs(rise) < 1e-6 * sqrt(scale)) {
        v3 up = v3_neg(v3_load(world->def.gravity));
        rise = v3_dot(n, up);
        if (fabs(rise) < 1e-6 * v3_length(up)) rise = n.x + n.y + n.z;
        if (a->object_of[v[0]] < a->object_of[v[first]] && a->object_of[v[first]] < a->cloth_count) rise = -rise;
        /* obstacles do not move: the cloth goes up */
        if (v[0] >= a->cloth_vertex_count) rise = -rise;
    }
    v3 out = rise < 0 ? v3_neg(n) : n;
    /* d of a pair points from side B to side A: to the vertex, or the second edge */
    return c->edge_edge ? v3_neg(out) : out;
}

/* ---- rounds ---- */

static double target_gap_of(const mus_assembly *a, const mus_candidate_pair *c) {
    return fmin(separation_gap, separation_gap_share * mus_candidate_pair_thickness(a, c));
}

/* Index of a cloth vertex among those of all cloths in the given order. */
static int32_t given_vertex(const mus_assembly *a, int32_t vertex) {
    const mus_object *object = &a->objects[a->object_of[vertex]];
    return object->first + mus_cloth_given_vertex(object->cloth, vertex - object->first);
}

/* m: between the surfaces of a pair; its weights, and the vector from side B to side A. */
static double gap_of(const mus_assembly *a, const mus_candidate_pair *c, bool cylinder, double weight[4], v3 *d) {
    double distance = mus_candidate_pair_nearest(c, a->x0, d, weight);
    if (!cylinder) return distance - mus_candidate_pair_radius(a, c);
    mus_cylinder_nearest nearest;
    mus_cylinder_find_nearest(a, c, 0, &nearest);
    memcpy(weight, nearest.weight, sizeof nearest.weight);
    *d = nearest.normal;
    return nearest.gap;
}

/* Adds displacements for pairs without a gap; returns their number. */
static int64_t separate_pairs(const mus_world *world, const neighbor_sum *all, const mus_candidate_pair_list *list,
                              double least, mus_displacements *displacements) {
    const mus_assembly *a = &world->solver.assembly;
    int64_t count = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const mus_candidate_pair *c = &list->data[k];
        double weight[4], wanted = target_gap_of(a, c);
        v3 d;
        bool cylinder = mus_pair_has_cylinder(a, c->vertex);
        double gap = gap_of(a, c, cylinder, weight, &d);
        if (gap > fmax(zero_gap, least * wanted)) continue;
        double mobile = 0;
        for (int i = 0; i < 4; i++)
            if (a->inverse_mass[c->vertex[i]] > 0) mobile += weight[i] * weight[i];
        if (!(mobile > 0)) continue;
        count++;
        v3 way = cylinder                                    ? d
                 : gap > zero_gap && v3_length(d) > zero_gap ? v3_normalized(d)
                                                             : separation_direction(world, all, c, d);
        for (int i = 0; i < 4; i++)
            if (a->inverse_mass[c->vertex[i]] > 0 && weight[i] != 0)
                mus_displacement_add(displacements, given_vertex(a, c->vertex[i]),
                                     v3_scale((wanted - gap) * weight[i] / mobile, way), fabs(weight[i]));
    }
    return count;
}

static void apply_displacements(mus_assembly *a, mus_displacements *p) {
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        if (!(p->weight[i] > 0)) continue;
        const mus_object *object = &a->objects[a->object_of[i]];
        double *x = mus_cloth_given(object->cloth)->x + 3 * (size_t)(i - object->first);
        v3_store(x, v3_axpy(1 / p->weight[i], p->sum[i], v3_load(x)));
    }
    memset(p->sum, 0, sizeof(v3) * (size_t)a->cloth_vertex_count);
    memset(p->weight, 0, sizeof(double) * (size_t)a->cloth_vertex_count);
}

/* Detects the candidate pairs of zero motion: all pairs that are near. */
static mus_status detect_near_pairs(mus_world *world, mus_candidate_pair_list *list) {
    mus_solver *s = &world->solver;
    mus_assembly *a = &s->assembly;
    mus_stats stats = {0};
    mus_status status = mus_world_gather(world);
    if (status != MUS_STATUS_OK) return status;
    memcpy(a->x1, a->x0, sizeof(v3) * (size_t)a->vertex_count);
    s->stats = &stats;
    status = mus_solver_ensure_broad_phase(s);
    int32_t delay = s->neighbor_list.rebuild_delay;
    s->neighbor_list.rebuild_delay = 2; /* a list made for a state without motion would serve few steps */
    if (status == MUS_STATUS_OK) status = mus_solver_detect(s, list);
    s->neighbor_list.rebuild_delay = delay;
    s->stats = NULL;
    return status;
}

/* Adds displacements for cloth inside solids by less than an overlap. Planes need none. */
static mus_status separate_solids(const mus_world *world, const mus_world_view *view, double share,
                                  mus_displacements *displacements, int64_t *count) {
    mus_audit_report found;
    mus_status status = mus_audit_scene(view->objects, view->count, mus_world_view_ignored, world, 0,
                                        world->solver_def.threads, &found);
    if (status != MUS_STATUS_OK) return status;
    mus_exemptions_filter_report(world, &found);
    int64_t kept = 0;
    for (int64_t k = 0; k < found.finding_count; k++) {
        const mus_audit_finding *f = &found.findings[k];
        if (f->kind == MUS_AUDIT_INSIDE && f->part[0] < view->cloth_count &&
            view->objects[f->part[1]].shape != MUS_SHAPE_PLANE)
            found.findings[kept++] = *f;
    }
    found.finding_count = kept;
    *count += kept;
    if (kept) status = mus_untangle_solids(world, view, &found, share, displacements);
    mus_audit_report_destroy(&found);
    return status;
}

/* Finds whether a pair has no gap but for rounding, which the exact audit does not count as touching. */
static mus_status find_any_touching(mus_world *world, bool *any) {
    const mus_assembly *a = &world->solver.assembly;
    mus_candidate_pair_list list = {0};
    mus_status status = detect_near_pairs(world, &list);
    *any = false;
    for (int64_t k = 0; status == MUS_STATUS_OK && k < list.count && !*any; k++) {
        double weight[4];
        v3 d;
        const mus_candidate_pair *c = &list.data[k];
        *any = gap_of(a, c, mus_pair_has_cylinder(a, c->vertex), weight, &d) <= zero_gap;
    }
    mus_array_free(&list);
    return status;
}

static mus_status run_rounds(mus_world *world, const mus_world_view *view, neighbor_sum *all,
                             mus_displacements *displacements) {
    mus_assembly *a = &world->solver.assembly;
    mus_candidate_pair_list list = {0};
    double share = first_share; /* of the thickness; increases until all are separated */
    mus_status status = MUS_STATUS_OK;
    for (int round = 0; round < MAX_ROUNDS && status == MUS_STATUS_OK; round++, share *= share_growth_per_round) {
        int64_t count = 0;
        status = detect_near_pairs(world, &list);
        if (status == MUS_STATUS_OK) status = separate_solids(world, view, share, displacements, &count);
        if (status != MUS_STATUS_OK) break;
        sum_neighbors(a, all);
        count += separate_pairs(world, all, &list, round ? 0.5 : 0, displacements);
        if (round == 0) world->start_report.touches = count;
        if (count == 0) break;
        apply_displacements(a, displacements);
    }
    mus_array_free(&list);
    return status;
}

/* Destroys the broad phase: it was built for positions that are not those of the next step. */
static void discard_broad_phase(mus_solver *s) {
    if (s->broad_state) s->def.broad->destroy(s->broad_state);
    s->broad_state = NULL;
}

mus_status mus_world_separate_touching(mus_world *world) {
    mus_world_view view;
    bool had_broad_phase = world->solver.broad_state != NULL;
    mus_status status = mus_world_view_make(world, &view);
    if (status != MUS_STATUS_OK) return status;
    bool any = world->start_report.touches > 0 || any_touches_shape(world, &view);
    if (!any) status = find_any_touching(world, &any);
    if (status == MUS_STATUS_OK && any) {
        mus_displacements displacements = {0};
        neighbor_sum *all = mus_new(sizeof *all * ((size_t)world->solver.assembly.vertex_count + 1));
        status = all ? mus_displacements_make(&world->solver.assembly, NULL, &displacements) : MUS_STATUS_NO_MEMORY;
        if (status == MUS_STATUS_OK) status = run_rounds(world, &view, all, &displacements);
        mus_free(all);
        mus_displacements_free(&displacements);
    }
    if (any || !had_broad_phase) discard_broad_phase(&world->solver);
    mus_world_view_free(&view);
    return status;
}
