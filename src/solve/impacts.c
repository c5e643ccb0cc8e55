/* impacts.c: continuous detection of the motion x0 -> x1, an inelastic impulse for every hit, again until nothing
 * touches; then rigid zones. Every pair keeps a share of the gap it had, so that a resting stack does not creep
 * together and no step starts touching. */
#include "base/parallel.h"
#include "narrow/ccd_batch.h"
#include "response/levers.h"
#include "solve/solver.h"

#include <stdio.h>
#include <string.h>

enum { PASSES = 30, STRAIN_PASSES = 6, ZONE_ROUNDS = 100 };

/* The gap a pair is held to during the step, and the least it is brought back to after a hit, as shares of its
 * thickness. */
static const double held = 0.1, restored = 0.05, largest = 0.25;

static double held_gap(const mus_candidate *c, double thickness) {
    /* a pair may start in touch, or inside by rounding */
    return fmax(0, fmin(held * thickness, 0.8 * (double)c->gap0));
}

/* Share of the gap up to which contact is looked for; where there is none, down to what rounding leaves of a scene. */
static double finest(double share, double gap) {
    return fmax(share * gap, 1e-13);
}

bool mus_solver_needs_test(const mus_solver *s, const mus_candidate *c) {
    if (!c->checked) return true;
    const int32_t *v = c->vertex;
    const uint32_t *stamp = s->stamp;
    uint32_t ab = stamp[v[0]] > stamp[v[1]] ? stamp[v[0]] : stamp[v[1]];
    uint32_t cd = stamp[v[2]] > stamp[v[3]] ? stamp[v[2]] : stamp[v[3]];
    return (ab > cd ? ab : cd) >= c->checked;
}

static double distance_to_keep(const mus_assembly *a, const mus_candidate *c, double share, double gap) {
    return mus_candidate_radius(a, c) + share * gap;
}

/* A walk over a list, in order, that asks some pairs ahead, together, whether the axis that settled each last still
 * does, and where it does not, whether the query's first one would. */
typedef struct walk {
    mus_candidate_list *list;
    double share; /* of the held gap: the distance to keep */
    int64_t next; /* not looked at yet */
    int ahead;    /* how many pairs the next look is for */
    int count, at;
    mus_candidate *pair[MUS_CCD_BATCH];
    double held[MUS_CCD_BATCH];      /* m */
    uint64_t suspect, unsettled;     /* bit k: neither does the axis of pair k hold; nor does the first */
    float axis[MUS_CCD_BATCH][3];    /* of a suspect that is settled */
    mus_ccd_batch batch[2];          /* suspects: vertex–face, edge–edge */
    uint8_t place[2][MUS_CCD_BATCH]; /* theirs in `pair` */
    uint64_t left[2];                /* bit k: k of the batch is not settled */
} walk;

static walk walk_of(mus_candidate_list *list, double share) {
    return (walk){.list = list, .share = share, .ahead = MUS_CCD_BATCH};
}

/* Those of a batch whose bits are set move up. */
static void keep_only(mus_ccd_batch *b, uint8_t *place, uint64_t bits) {
    b->count = 0;
    for (; bits; bits &= bits - 1) {
        int k = __builtin_ctzll(bits), to = b->count++;
        memmove(b->vertex[to], b->vertex[k], sizeof b->vertex[to]);
        b->gap[to] = b->gap[k], place[to] = place[k];
    }
}

static void ask(const mus_assembly *a, walk *w, int kind) {
    mus_ccd_batch *b = &w->batch[kind];
    uint8_t *place = w->place[kind];
    keep_only(b, place, (kind ? mus_ccd_batch_axes_fail_ee : mus_ccd_batch_axes_fail_vf)(a->x0, a->x1, b));
    w->left[kind] = b->count ? (kind ? mus_ccd_batch_settle_ee : mus_ccd_batch_settle_vf)(a->x0, a->x1, b) : 0;
    for (int k = 0; k < b->count; k++) {
        uint64_t bit = (uint64_t)1 << place[k];
        w->suspect |= bit;
        if (w->left[kind] >> k & 1) w->unsettled |= bit;
        for (int i = 0; i < 3; i++) w->axis[place[k]][i] = (float)b->axis[i][k];
    }
}

/* Where there is a hit the next is not far, and what was asked beyond it is lost: from there on looks widen. */
static void look_ahead(const mus_solver *s, walk *w) {
    const mus_assembly *a = &s->assembly;
    w->at = w->count = w->batch[0].count = w->batch[1].count = 0;
    for (; w->next < w->list->count && w->count < w->ahead; w->next++) {
        mus_candidate *c = &w->list->data[w->next];
        if (!mus_solver_needs_test(s, c)) continue;
        mus_ccd_batch *b = &w->batch[c->edge_edge];
        int to = b->count++;
        double gap = held_gap(c, mus_candidate_thickness(a, c));
        memcpy(b->vertex[to], c->vertex, sizeof c->vertex);
        b->gap[to] = distance_to_keep(a, c, w->share, gap);
        for (int i = 0; i < 3; i++) b->axis[i][to] = (double)c->axis[i];
        w->place[c->edge_edge][to] = (uint8_t)w->count;
        w->held[w->count] = gap, w->pair[w->count++] = c;
    }
    w->ahead = 2 * w->ahead < MUS_CCD_BATCH ? 2 * w->ahead : MUS_CCD_BATCH;
    w->suspect = w->unsettled = 0;
    for (int kind = 0; kind < 2; kind++)
        if (w->batch[kind].count) ask(a, w, kind);
}

/* Pair k of the last look is clear. */
static void settle(const walk *w, int k) {
    if (w->suspect >> k & 1) memcpy(w->pair[k]->axis, w->axis[k], sizeof w->axis[k]);
}

/* The next pair that needs the whole query; all before it are clear. NULL: the end. */
static mus_candidate *next_suspect(const mus_solver *s, walk *w) {
    for (;;) {
        while (w->at < w->count) {
            int k = w->at++;
            w->pair[k]->checked = s->clock;
            if (w->unsettled >> k & 1) return w->pair[k];
            s->stats->ccd_tests += w->suspect >> k & 1;
            settle(w, k);
        }
        if (w->next >= w->list->count) return NULL;
        look_ahead(s, w);
    }
}

/* Vertices have moved: what was asked ahead of c is asked again. */
static void look_again(walk *w, const mus_candidate *c) {
    enum { FEW = 8 };
    w->next = c - w->list->data + 1;
    w->ahead = FEW, w->at = w->count = 0;
}

static bool comes_near(const mus_assembly *a, mus_candidate *c, double distance, double tolerance, double *toi) {
    v3 x0[4], x1[4];
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c->vertex[k]], x1[k] = a->x1[c->vertex[k]];
    mus_ccd_result result;
    bool hit = c->edge_edge ? mus_ccd_ee(x0, x1, distance, tolerance, &result)
                            : mus_ccd_vf(x0, x1, distance, tolerance, &result);
    if (!hit && v3_length2(result.axis) > 0)
        c->axis[0] = (float)result.axis.x, c->axis[1] = (float)result.axis.y, c->axis[2] = (float)result.axis.z;
    *toi = result.toi;
    return hit;
}

/* Does the pair come within `distance`? */
bool mus_solver_comes_near(mus_solver *s, mus_candidate *c, double distance, double tolerance, double *toi) {
    s->stats->ccd_tests++;
    return comes_near(&s->assembly, c, distance, tolerance, toi);
}

static mus_status respond(mus_solver *s, const mus_candidate *c, double toi, double gap, double thickness, int pass) {
    mus_assembly *a = &s->assembly;
    mus_row row;
    if (!mus_row_from_hit(a, c, toi, s->dt, &row)) return MUS_STATUS_OK;
    mus_solver_choose_response(s, &row);
    mus_status status = mus_coefficients_ask(s, &row, 1);
    if (status != MUS_STATUS_OK) return status;
    row.response =
        -1; /* a user's rule has had the first word (mus_solver_impact_rows); here the built-in one has the last */
    mus_row whole = row; /* bodies are placed: cloth gives way, and they owe it their part */
    if (row.levered) row = mus_row_held(a, &row);
    v3 now = v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) now = v3_axpy(row.weight[k], a->x1[row.vertex[k]], now);
    double end = v3_dot(row.normal, now) - row.offset;
    double target = fmin(largest * thickness, fmax(restored * thickness, fmax(2 * gap, 0.9 * row.gap0)));
    if (pass > 3) target += fmin(0.02 * pass, 1) * 2 * gap; /* a stubborn stack is spread a little */
    double push = fmax(target - end, 0.3 * gap);
    row.push = push * row.mass;
    v3 impulse = v3_scale(row.push, row.normal);
    v3 slip = v3_sub(now, row.rest);
    slip = v3_axpy(-v3_dot(row.normal, slip), row.normal, slip);
    double length = v3_length(slip);
    if (length > 1e-12 && pass < STRAIN_PASSES)
        impulse = v3_axpy(-fmin(row.friction * push, length) / length * row.mass, slip, impulse);
    for (int k = 0; k < 4; k++) {
        double share = row.weight[k] * a->inverse_mass[row.vertex[k]];
        if (share != 0) mus_solver_move(s, row.vertex[k], v3_scale(share, impulse));
    }
    whole.push = row.push, whole.drag = v3_axpy(-row.push, row.normal, impulse);
    if (whole.levered) mus_row_lever_owe(a, &whole, impulse, v3_neg(impulse));
    return mus_array_push(&s->hits, whole) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static bool would_meet(const mus_assembly *a, mus_candidate *c, double share, double *toi) {
    double gap = held_gap(c, mus_candidate_thickness(a, c));
    return comes_near(a, c, distance_to_keep(a, c, share, gap), finest(0.05, gap), toi);
}

typedef struct search {
    mus_solver *solver;
    mus_candidate_list *list;
} search;

enum { SEARCHED = MUS_CCD_POOL }; /* pairs at a time, all of which a pool may have to hold */

/* Pairs that would meet are left unchecked. */
static void search_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const search *j = context;
    mus_solver *s = j->solver;
    const mus_assembly *a = &s->assembly;
    mus_candidate_list part = {j->list->data + begin, end - begin, end - begin};
    walk w = walk_of(&part, 1);
    mus_ccd_pool pool[2]; /* large: only what is filled is looked at */
    int64_t tests = 0;
    (void)block;
    pool[0].count = pool[1].count = 0;
    while (w.next < part.count) {
        look_ahead(s, &w);
        tests += __builtin_popcountll(w.suspect);
        for (int k = 0; k < w.count; k++) {
            w.pair[k]->checked = s->clock;
            if (!(w.unsettled >> k & 1)) settle(&w, k);
        }
        for (int kind = 0; kind < 2; kind++)
            for (uint64_t left = w.batch[kind].count ? w.left[kind] : 0; left; left &= left - 1) {
                int k = __builtin_ctzll(left), of = w.place[kind][k];
                mus_ccd_pool_add(&pool[kind], &w.batch[kind], k, finest(0.05, w.held[of]), w.pair[of] - part.data);
            }
    }
    mus_ccd_pool_solve_vf(a->x0, a->x1, &pool[0]);
    mus_ccd_pool_solve_ee(a->x0, a->x1, &pool[1]);
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < pool[kind].count; k++)
            if (pool[kind].pair[k].hit) part.data[pool[kind].pair[k].tag].checked = 0;
    __atomic_fetch_add(&s->stats->ccd_tests, tests, __ATOMIC_RELAXED); /* several threads count */
}

mus_status mus_solver_impact_rows(mus_solver *s, mus_candidate_list *list) {
    const mus_assembly *a = &s->assembly;
    s->clock++;
    mus_parallel_for(s->def.threads, list->count, SEARCHED, search_block, &(search){s, list});
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate *c = &list->data[k];
        if (c->checked) continue;
        double thickness = mus_candidate_thickness(a, c), toi;
        mus_row row;
        if (c->gap0 <= mus_candidate_range(a, c, thickness)) continue;
        if (!would_meet(a, c, 1, &toi) || !mus_row_from_hit(a, c, toi, s->dt, &row)) continue;
        row.target = thickness;
        mus_solver_choose_response(s, &row);
        if (!mus_array_push(&s->rows, row)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

/* The friction of a cloth's vertex with a plane. */
static mus_status friction_of(mus_solver *s, int32_t cloth, int32_t plane, int32_t vertex, double *friction) {
    mus_row_options options = {.dt = s->dt, .relax = 1};
    mus_row row = mus_row_from_plane(&s->assembly, cloth, plane, vertex, &options);
    mus_solver_choose_response(s, &row);
    mus_status status = mus_coefficients_ask(s, &row, 1);
    *friction = row.friction;
    return status;
}

/* Cloth vertices back above planes. below: how many were not. */
static mus_status above_planes(mus_solver *s, bool move, int64_t *below) {
    mus_assembly *a = &s->assembly;
    *below = 0;
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *plane = &a->bodies[k];
        if (!mus_body_is_plane(plane)) continue;
        double offset = v3_dot(plane->normal1, plane->point1);
        for (int32_t b = 0; b < a->cloth_count; b++) {
            if (!a->collide[(size_t)b * (size_t)a->body_count + (size_t)k]) continue;
            const mus_body *cloth = &a->bodies[b];
            double thickness = cloth->reach + plane->reach;
            for (int32_t i = cloth->first; i < cloth->first + cloth->count; i++) {
                if (a->inverse_mass[i] <= 0) continue;
                double gap = v3_dot(plane->normal1, a->x1[i]) - offset;
                if (gap >= held * thickness) continue;
                double least = mus_plane_floor(a, plane, i), friction;
                if (gap >= least || mus_assembly_lets_below(a, i, k)) continue;
                ++*below;
                if (!move) continue;
                mus_status status = friction_of(s, b, k, i, &friction);
                if (status != MUS_STATUS_OK) return status;
                double start = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0));
                double up = fmax(1.2 * least, fmin(largest * thickness, 0.9 * start)) - gap;
                v3 slip = v3_sub(a->x1[i], mus_body_carry(plane, a->x0[i]));
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

mus_status mus_solver_check_cancelled(const mus_step_input *input) {
    if (input->cancelled && input->cancelled(input->context)) return mus_fail(MUS_STATUS_CANCELLED, "step cancelled");
    return MUS_STATUS_OK;
}

mus_status mus_solver_impacts(mus_solver *s, const mus_step_input *input, mus_candidate_list *list, bool *clean) {
    mus_assembly *a = &s->assembly;
    *clean = false;
    for (int pass = 0; pass < PASSES; pass++) {
        s->clock++;
        s->stats->ccd_passes = pass + 1 > s->stats->ccd_passes ? pass + 1 : s->stats->ccd_passes;
        int64_t below;
        mus_status status = above_planes(s, true, &below);
        if (status != MUS_STATUS_OK) return status;
        if (pass > 0 && pass < STRAIN_PASSES)
            for (int k = 0; k < 2; k++) {
                mus_strain_limit_pass(&s->limit, a->inverse_mass, a->x0, a->x1, mus_solver_moved, s);
                if (s->limit.status != MUS_STATUS_OK) return s->limit.status;
            }
        if (s->any_escaped && (status = mus_solver_detect_escaped(s, list)) != MUS_STATUS_OK) return status;
        int64_t hits = 0;
        walk w = walk_of(list, 1);
        for (mus_candidate *c; (c = next_suspect(s, &w));) {
            double thickness = mus_candidate_thickness(a, c), gap = held_gap(c, thickness), toi;
            if (!mus_solver_comes_near(s, c, distance_to_keep(a, c, w.share, gap), finest(0.05, gap), &toi)) continue;
            c->checked = 0;
            hits++;
            look_again(&w, c);
            if ((status = respond(s, c, toi, gap, thickness, pass)) != MUS_STATUS_OK) return status;
        }
        s->stats->ccd_hits += hits;
        if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
        above_planes(s, false, &below); /* which asks for nothing */
        if (hits == 0 && !s->any_escaped && below == 0) {
            *clean = true;
            return MUS_STATUS_OK;
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_solver_no_safe_step(const mus_solver *s, int32_t p, int32_t q, const char *why) {
    char first[160], second[160];
    mus_solver_name_feature(s, p, first, sizeof first);
    mus_solver_name_feature(s, q, second, sizeof second);
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: %s and %s %s", first, second, why);
}

mus_status mus_solver_zones(mus_solver *s, const mus_step_input *input, mus_candidate_list *list) {
    mus_assembly *a = &s->assembly;
    int32_t last[2] = {0, 0};
    s->pinched[0] = s->pinched[1] = -1;
    mus_zones_clear(&s->zones, a->vertex_count);
    for (int round = 0; round < ZONE_ROUNDS; round++) {
        mus_status status = mus_solver_check_cancelled(input);
        if (status == MUS_STATUS_OK && s->any_escaped) status = mus_solver_detect_escaped(s, list);
        if (status != MUS_STATUS_OK) return status;
        s->clock++;
        bool any = false;
        walk w = walk_of(list, 0.5);
        for (mus_candidate *c; (c = next_suspect(s, &w));) {
            double gap = held_gap(c, mus_candidate_thickness(a, c)), toi;
            if (!mus_solver_comes_near(s, c, distance_to_keep(a, c, w.share, gap), finest(0.02, gap), &toi)) continue;
            any = true;
            c->checked = 0;
            last[0] = c->vertex[0], last[1] = c->vertex[3];
            if (!s->def.failsafe)
                return mus_solver_no_safe_step(s, last[0], last[1], "still meet, and the pipeline has no fail-safe");
            mus_zones_join(&s->zones, a, c->vertex, 4);
        }
        for (int32_t k = a->cloth_count; k < a->body_count; k++) {
            if (!mus_body_is_plane(&a->bodies[k])) continue;
            for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
                if (a->inverse_mass[i] <= 0 || !a->collide[(size_t)a->body_of[i] * (size_t)a->body_count + (size_t)k])
                    continue;
                double gap = v3_dot(a->bodies[k].normal1, v3_sub(a->x1[i], a->bodies[k].point1));
                if (gap >= mus_plane_floor(a, &a->bodies[k], i) || mus_assembly_lets_below(a, i, k)) continue;
                any = true;
                last[0] = last[1] = i;
                mus_zones_join(&s->zones, a, &i, 1);
            }
        }
        if (!any) return MUS_STATUS_OK;
        int32_t conflict[2];
        s->clock++;
        if (!mus_zones_move(&s->zones, a, mus_solver_moved, s, conflict)) {
            for (int k = 0; k < 2; k++) s->pinched[k] = a->body_of[conflict[k]];
            return mus_solver_no_safe_step(s, conflict[0], conflict[1],
                                           "pinch cloth between them and move differently");
        }
        s->stats->zones = s->zones.zone_count, s->stats->zone_vertices = s->zones.vertex_count;
    }
    return mus_solver_no_safe_step(s, last[0], last[1], "still meet after all fail-safes");
}
