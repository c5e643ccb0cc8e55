/* impacts.c: continuous detection of the motion x0 -> x1 and an inelastic impulse for every hit, repeated until no pair
 * collides. Every pair keeps a share of its initial gap, so that a resting stack does not creep together and no step
 * starts in contact. */
#include "narrow/ccd.h"
#include "base/parallel.h"
#include "narrow/ccd_batch.h"
#include "response/rigid_contact.h"
#include "solve/solver.h"

#include <string.h>

/* Passes of detection and impulses; the first of these limit strain as well, and hits have friction. 15 and 60 passes:
 * same bits. 3 passes with strain: hits of hit50 113 for 137; 12: 252. */
enum { MAX_IMPACT_PASSES = 30, STRAIN_PASSES = 6, STRAIN_LIMITS_PER_PASS = 2 };
/* Tolerance of detection in minimum gaps, and its floor, m: rounding of coordinates of some 100 m. 0.025 and 0.1:
 * within the spread. */
static const double detection_tolerance_per_gap = 0.05, min_detection_tolerance = 1e-13;
/* Least correction of a hit, in minimum gaps: progress where a pair meets on its way and ends apart. 0.15 and 0.6: same
 * bits. */
static const double min_correction_per_gap = 0.3;

/* Tolerance of detection: a share of the gap, but at least the rounding error of a scene. */
static double detection_tolerance(double tolerance_share, double gap) {
    return fmax(tolerance_share * gap, min_detection_tolerance);
}

static double distance_to_keep(const mus_assembly *a, const mus_candidate_pair *c, double gap_share, double gap) {
    return mus_candidate_pair_radius(a, c) + gap_share * gap;
}

/* ---- tests of all pairs at once ---- */

typedef struct search {
    mus_solver *solver;
    mus_candidate_pair_list *list;
    double gap_share, tolerance_share; /* of the minimum gap: the distance to keep, and the tolerance */
    int64_t found;
} search;

enum { SEARCHED = 256 }; /* pairs per block, all of which may be added to a pool */
_Static_assert((int)SEARCHED <= (int)MUS_CCD_POOL, "a pool has room for all that is searched at a time");

/* A batch of pairs, tested with the axis that last separated each, then with the first axis of the full test. */
typedef struct test_batch {
    int count;
    mus_candidate_pair *pair[MUS_CCD_BATCH];
    double min_gap[MUS_CCD_BATCH];   /* m */
    mus_ccd_batch batch[2];          /* vertex–face, edge–edge */
    uint8_t place[2][MUS_CCD_BATCH]; /* index in `pair` */
} test_batch;

/* Keeps the pairs of a batch whose bits are set. */
static void keep_only(mus_ccd_batch *b, uint8_t *place, uint64_t bits) {
    b->count = 0;
    for (; bits; bits &= bits - 1) {
        int k = __builtin_ctzll(bits), to = b->count++;
        memmove(b->vertex[to], b->vertex[k], sizeof b->vertex[to]);
        b->gap[to] = b->gap[k], place[to] = place[k];
    }
}

/* Adds the pairs that neither axis separates to the pool. Returns the number of pairs that the last axis did not
 * separate. */
static int batch_pair_tests(const search *j, test_batch *l, int kind, mus_ccd_pool *pool) {
    const mus_assembly *a = &j->solver->assembly;
    mus_ccd_batch *b = &l->batch[kind];
    uint8_t *place = l->place[kind];
    if (!b->count) return 0;
    keep_only(b, place, (kind ? mus_ccd_batch_axes_fail_ee : mus_ccd_batch_axes_fail_vf)(a->x0, a->x1, b));
    uint64_t left = b->count ? (kind ? mus_ccd_batch_settle_ee : mus_ccd_batch_settle_vf)(a->x0, a->x1, b) : 0;
    for (int k = 0; k < b->count; k++) {
        mus_candidate_pair *c = l->pair[place[k]];
        if (left >> k & 1)
            mus_ccd_pool_add(pool, b, k, detection_tolerance(j->tolerance_share, l->min_gap[place[k]]),
                             c - j->list->data);
        else
            for (int i = 0; i < 3; i++) c->axis[i] = (float)b->axis[i][k];
    }
    return b->count;
}

static int64_t fill_test_batch(const search *j, int64_t next, int64_t end, test_batch *l) {
    const mus_solver *s = j->solver;
    const mus_assembly *a = &s->assembly;
    l->count = l->batch[0].count = l->batch[1].count = 0;
    for (; next < end && l->count < MUS_CCD_BATCH; next++) {
        mus_candidate_pair *c = &j->list->data[next];
        if (mus_solver_is_clear(s, c)) continue;
        c->clear_since = s->clock;
        mus_ccd_batch *b = &l->batch[c->edge_edge];
        int to = b->count++;
        double gap = mus_min_gap(mus_candidate_pair_thickness(a, c), (double)c->gap0);
        memcpy(b->vertex[to], c->vertex, sizeof c->vertex);
        b->gap[to] = distance_to_keep(a, c, j->gap_share, gap);
        for (int i = 0; i < 3; i++) b->axis[i][to] = (double)c->axis[i];
        l->place[c->edge_edge][to] = (uint8_t)l->count;
        l->min_gap[l->count] = gap, l->pair[l->count++] = c;
    }
    return next;
}

static void search_block(void *context, int64_t begin, int64_t end, int64_t block) {
    search *j = context;
    mus_solver *s = j->solver;
    const mus_assembly *a = &s->assembly;
    test_batch l;
    mus_ccd_pool pool[2]; /* large: only the filled part is used */
    int64_t tests = 0, found = 0;
    (void)block;
    pool[0].count = pool[1].count = 0;
    while (begin < end) {
        begin = fill_test_batch(j, begin, end, &l);
        for (int kind = 0; kind < 2; kind++) tests += batch_pair_tests(j, &l, kind, &pool[kind]);
    }
    mus_ccd_pool_solve_vf(a->x0, a->x1, &pool[0]);
    mus_ccd_pool_solve_ee(a->x0, a->x1, &pool[1]);
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < pool[kind].count; k++) {
            const mus_ccd_open *open = &pool[kind].pair[k];
            mus_candidate_pair *c = &j->list->data[open->tag];
            double toi = open->result.toi;
            if (!open->hit || !mus_solver_certified_with_cylinder(a, c, open->gap, open->tolerance, &toi)) continue;
            c->clear_since = 0, s->times.data[open->tag] = toi, found++;
        }
    __atomic_fetch_add(&s->stats->ccd_tests, tests, __ATOMIC_RELAXED); /* several threads add */
    __atomic_fetch_add(&j->found, found, __ATOMIC_RELAXED);
}

mus_status mus_solver_test_all_pairs(mus_solver *s, mus_candidate_pair_list *list, double gap_share,
                                     double tolerance_share, int64_t *found) {
    search j = {s, list, gap_share, tolerance_share, 0};
    if (!mus_array_reserve(&s->times, list->count)) return MUS_STATUS_NO_MEMORY;
    s->clock++;
    mus_parallel_for(s->def.threads, list->count, SEARCHED, search_block, &j);
    *found = j.found;
    return MUS_STATUS_OK;
}

/* ---- one pair ---- */

static bool axis_separates(const mus_assembly *a, const mus_candidate_pair *c, double distance) {
    v3 x0[4], x1[4], axis = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c->vertex[k]], x1[k] = a->x1[c->vertex[k]];
    return (c->edge_edge ? mus_ccd_axis_clear_ee : mus_ccd_axis_clear_vf)(x0, x1, axis, distance);
}

static mus_status apply_hit_impulse(mus_solver *s, const mus_candidate_pair *c, double toi, double gap,
                                    double thickness, int pass) {
    mus_assembly *a = &s->assembly;
    mus_contact_constraint constraint;
    if (!mus_contact_from_hit(a, c, toi, s->dt, &constraint)) return MUS_STATUS_OK;
    mus_solver_choose_response(s, &constraint);
    mus_status status = mus_coefficients_evaluate(s, &constraint, 1);
    if (status != MUS_STATUS_OK) return status;
    constraint.response = -1; /* users' rules were applied to the contact constraints of the pairs near at the start and
                                 of new impacts (impulse/step.c); hits that remain get the built-in response */
    mus_contact_constraint whole = constraint; /* bodies are placed: only cloth moves, the body's impulse is deferred */
    if (constraint.has_rigid_body) constraint = mus_contact_with_fixed_bodies(a, &constraint);
    v3 now = v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) now = v3_axpy(constraint.weight[k], a->x1[constraint.vertex[k]], now);
    double end = v3_dot(constraint.normal, now) - constraint.offset;
    double target = mus_restored_gap(thickness, constraint.gap0, gap, pass);
    double correction = fmax(target - end, min_correction_per_gap * gap);
    constraint.normal_impulse = correction * constraint.mass;
    v3 impulse = v3_scale(constraint.normal_impulse, constraint.normal);
    v3 slip = v3_sub(now, constraint.rest);
    slip = v3_axpy(-v3_dot(constraint.normal, slip), constraint.normal, slip);
    double length = v3_length(slip);
    if (length > 1e-12 && pass < STRAIN_PASSES)
        impulse = v3_axpy(-fmin(constraint.friction * correction, length) / length * constraint.mass, slip, impulse);
    for (int k = 0; k < 4; k++) {
        double share = constraint.weight[k] * a->inverse_mass[constraint.vertex[k]];
        if (share != 0) mus_solver_move(s, constraint.vertex[k], v3_scale(share, impulse));
    }
    whole.normal_impulse = constraint.normal_impulse,
    whole.friction_impulse = v3_axpy(-constraint.normal_impulse, constraint.normal, impulse);
    if (whole.has_rigid_body) mus_contact_defer_rigid_impulse(a, &whole, impulse, v3_neg(impulse));
    return mus_array_push(&s->hits, whole) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

mus_status mus_solver_add_impact_constraints(mus_solver *s, mus_candidate_pair_list *list, int64_t *near_count) {
    const mus_assembly *a = &s->assembly;
    int64_t found;
    *near_count = 0;
    mus_status status = mus_solver_test_all_pairs(s, list, 1, detection_tolerance_per_gap, &found);
    for (int64_t k = 0; status == MUS_STATUS_OK && found && k < list->count; k++) {
        mus_candidate_pair *c = &list->data[k];
        if (mus_candidate_pair_was_clear(c)) continue;
        double thickness = mus_candidate_pair_thickness(a, c);
        mus_contact_constraint constraint;
        if (c->gap0 <= mus_candidate_pair_range(a, c, thickness)) {
            ++*near_count;
            continue;
        }
        if (!mus_contact_from_hit(a, c, s->times.data[k], s->dt, &constraint)) continue;
        constraint.target = thickness;
        mus_solver_choose_response(s, &constraint);
        if (!mus_array_push(&s->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
    }
    return status;
}

/* Returns the friction coefficient of a cloth vertex and a plane. */
static mus_status friction_of(mus_solver *s, int32_t cloth, int32_t plane, int32_t vertex, double *friction) {
    mus_contact_options options = {.dt = s->dt, .relax = 1};
    mus_contact_constraint constraint = mus_contact_from_plane(&s->assembly, cloth, plane, vertex, &options);
    mus_solver_choose_response(s, &constraint);
    mus_status status = mus_coefficients_evaluate(s, &constraint, 1);
    *friction = constraint.friction;
    return status;
}

typedef struct plane_test {
    const mus_assembly *a;
    const mus_object *cloth, *plane;
    bool any;
} plane_test;

static bool is_near_plane(const plane_test *l, int64_t i) {
    double gap = v3_dot(l->plane->normal1, l->a->x1[i]) - v3_dot(l->plane->normal1, l->plane->point1);
    double thickness = mus_assembly_contact_thickness(l->a, (int32_t)i) + l->plane->contact_thickness;
    return l->a->inverse_mass[i] > 0 && !(gap >= MUS_MIN_GAP_PER_THICKNESS * thickness);
}

static void test_below_block(void *context, int64_t begin, int64_t end, int64_t block) {
    plane_test *l = context;
    bool any = false;
    (void)block;
    for (int64_t i = l->cloth->first + begin; i < l->cloth->first + end; i++) any |= is_near_plane(l, i);
    if (any) __atomic_store_n(&l->any, true, __ATOMIC_RELAXED); /* several threads may set it */
}

/* Moves cloth vertices above planes, if `move`. below: number of those that were below. */
static mus_status above_planes(mus_solver *s, bool move, int64_t *below) {
    mus_assembly *a = &s->assembly;
    *below = 0;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        double offset = v3_dot(plane->normal1, plane->point1);
        for (int32_t b = 0; b < a->cloth_count; b++) {
            if (!mus_assembly_collides(a, b, k)) continue;
            const mus_object *cloth = &a->objects[b];
            plane_test l = {a, cloth, plane, false};
            mus_parallel_vertices(s->def.threads, cloth->count, test_below_block, &l);
            for (int32_t i = cloth->first; l.any && i < cloth->first + cloth->count; i++) {
                if (!is_near_plane(&l, i)) continue;
                double gap = v3_dot(plane->normal1, a->x1[i]) - offset;
                double least = mus_plane_floor(a, plane, i), friction;
                if (gap >= least || mus_assembly_is_exempt_below(a, i, k)) continue;
                ++*below;
                if (!move) continue;
                mus_status status = friction_of(s, b, k, i, &friction);
                if (status != MUS_STATUS_OK) return status;
                double start = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0));
                double thickness = mus_assembly_contact_thickness(a, i) + plane->contact_thickness;
                double up = fmax(1.2 * least,
                                 fmin(MUS_MAX_RESTORED_PER_THICKNESS * thickness, MUS_RESTORED_PER_START_GAP * start)) -
                            gap;
                v3 slip = v3_sub(a->x1[i], mus_object_transform_point(plane, a->x0[i]));
                slip = v3_axpy(-v3_dot(plane->normal1, slip), plane->normal1, slip);
                double length = v3_length(slip);
                v3 by = v3_scale(up, plane->normal1);
                if (length > 1e-12) by = v3_axpy(-fmin(friction * up, length) / length, slip, by);
                mus_solver_move(s, i, by);
            }
        }
    }
    return MUS_STATUS_OK;
}

/* Tests all pairs, then applies an impulse to each hit, in the order of pairs. An impulse moves vertices, after which
 * the joint test no longer holds for the other pairs of these vertices, whatever it found: they are tested again when
 * their turn comes. The clock goes on by one with each impulse, so that last_move >= `tested` means: moved by an
 * impulse of this pass. */
static mus_status resolve_hits(mus_solver *s, mus_candidate_pair_list *list, int pass, int64_t *hits) {
    const mus_assembly *a = &s->assembly;
    int64_t found;
    mus_status status = mus_solver_test_all_pairs(s, list, 1, detection_tolerance_per_gap, &found);
    uint32_t tested = s->clock;
    for (int64_t k = 0; status == MUS_STATUS_OK && found && k < list->count; k++) {
        mus_candidate_pair *c = &list->data[k];
        if (mus_candidate_pair_was_clear(c) && !*hits) continue; /* nothing has moved since the joint test */
        if (mus_solver_is_clear(s, c)) continue;
        double thickness = mus_candidate_pair_thickness(a, c), gap = mus_min_gap(thickness, (double)c->gap0);
        double distance = distance_to_keep(a, c, 1, gap), toi = s->times.data[k];
        if (mus_solver_last_move(s, c) >= tested) {
            c->clear_since = s->clock;
            if (axis_separates(a, c, distance)) continue;
            if (!mus_solver_comes_near(s, c, distance, detection_tolerance(detection_tolerance_per_gap, gap), &toi))
                continue;
            c->clear_since = 0;
        }
        ++*hits;
        status = apply_hit_impulse(s, c, toi, gap, thickness, pass);
        s->clock++; /* pairs found clear from here on are clear after this impulse */
    }
    return status;
}

mus_status mus_solver_impacts(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *is_collision_free) {
    mus_assembly *a = &s->assembly;
    *is_collision_free = false;
    for (int pass = 0; pass < MAX_IMPACT_PASSES; pass++) {
        s->clock++;
        s->stats->ccd_passes = pass + 1 > s->stats->ccd_passes ? pass + 1 : s->stats->ccd_passes;
        int64_t below;
        mus_status status = above_planes(s, true, &below);
        if (status != MUS_STATUS_OK) return status;
        if (pass > 0 && pass < STRAIN_PASSES)
            for (int k = 0; k < STRAIN_LIMITS_PER_PASS; k++) {
                mus_strain_limit_pass(&s->limit, a->inverse_mass, a->x0, a->x1, mus_solver_moved, s);
                if (s->limit.status != MUS_STATUS_OK) return s->limit.status;
            }
        if (s->any_left_bound && (status = mus_solver_redetect_left_bound(s, list)) != MUS_STATUS_OK) return status;
        int64_t hits = 0;
        if ((status = resolve_hits(s, list, pass, &hits)) != MUS_STATUS_OK) return status;
        s->stats->ccd_hits += hits;
        if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
        above_planes(s, false, &below); /* cannot fail without `move` */
        if (hits == 0 && !s->any_left_bound && below == 0) {
            *is_collision_free = true;
            return MUS_STATUS_OK;
        }
    }
    return MUS_STATUS_OK;
}
