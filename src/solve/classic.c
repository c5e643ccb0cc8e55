/* classic.c: the classic family of pipelines: the systems of the literature, stage by stage. Dynamics, then rounds of
 * detection, contacts and response, then the fail-safe. What still meets in the end is committed and counted; but where
 * the elementary test misses nothing and has the last word, such a step fails, and is tried again in halves.
 *
 * Where the sources know only triangles: planes meet cloth by its vertices, round shapes by certified intervals at
 * their radius; boxes are triangles. */
#include "narrow/cylinder.h"
#include "solve/solver.h"

#include <string.h>

enum {
    BODY_ROUNDS = 6,
    ZONE_ROUNDS = 100,
    STRAIN_SWEEPS = 60,
    STRAIN_BETWEEN = 2,
    STRAIN_TURNS = 120,
    PROJECTION_SWEEPS = 200
};

/* The gap a test that holds keeps, as a share of the thickness and of the gap at the start; in zones half of it. */
static const double held_thickness = 0.1, held_gap = 0.8;

static const char still_meet[] = "still meet after all fail-safes";

/* One look at all pairs that moved since they were found clear, and at all planes. */
typedef struct look {
    mus_row_list *rows; /* contacts are appended; NULL: they are not */
    bool joins;         /* vertices are joined to zones */
    bool presses;       /* a zone that follows a rigid body is in a plane: `pinched` tells of which */
    double share;       /* of the held gap */
    int64_t found;
    int32_t last[2]; /* vertices of the last one found */
} look;

static double held_of(const mus_solver *s, const mus_candidate *c) {
    if (!s->def.elementary->holds) return 0;
    return fmax(0, fmin(held_thickness * mus_candidate_thickness(&s->assembly, c), held_gap * (double)c->gap0));
}

/* What a test has found of the capsule around a cylinder, asked of the cylinder itself, in the way of that test. */
static bool meets_cylinder(const mus_assembly *a, const mus_candidate *c, const mus_elementary *test,
                           const mus_elementary_query *q, mus_elementary_hit *hit) {
    mus_cylinder_nearest nearest;
    hit->toi = test->at_start ? 0 : 1;
    mus_cylinder_find_nearest(a, c, hit->toi, &nearest);
    bool near = (test->at_start || test->clears) && nearest.gap < (test->at_start ? 1 : 1 - 1e-6) * q->thickness;
    if (!near) {
        if (test->at_start || !mus_cylinder_meets(a, c, q->held, q->tolerance, &hit->toi)) return false;
        mus_cylinder_find_nearest(a, c, hit->toi, &nearest);
    }
    memcpy(hit->weight, nearest.weight, sizeof hit->weight);
    hit->normal = nearest.normal, hit->other = false;
    return true;
}

static bool meets(mus_solver *s, const mus_candidate *c, double share, v3 *axis, mus_elementary_hit *hit) {
    const mus_assembly *a = &s->assembly;
    const mus_elementary *test = s->def.elementary;
    mus_elementary_query q = {.radius = mus_candidate_radius(a, c),
                              .thickness = mus_tolerances_distance(&s->tolerance, a, c),
                              .axis = *axis,
                              .cloth_count = a->cloth_vertex_count,
                              .all0 = a->x0,
                              .all1 = a->x1,
                              .around = &s->around};
    memcpy(q.vertex, c->vertex, sizeof q.vertex);
    for (int k = 0; k < 4; k++) q.x0[k] = a->x0[c->vertex[k]], q.x1[k] = a->x1[c->vertex[k]];
    double held = held_of(s, c), start = (double)c->gap0;
    q.tolerance = fmax(0.05 * held, 1e-13);
    /* what starts on a round shape's surface, or inside by rounding, is asked not to go deeper */
    q.held = fmin(share * held, start - 1e-6 * fabs(start) - 1e-12);
    s->stats->ccd_tests++;
    *hit = (mus_elementary_hit){0};
    bool met = (c->edge_edge ? test->edge_edge : test->vertex_face)(&q, hit);
    *axis = q.axis;
    if (met && q.radius > 0 && mus_pair_has_cylinder(a, c->vertex)) return meets_cylinder(a, c, test, &q, hit);
    return met;
}

static void note(mus_solver *s, look *l, const int32_t *vertex, int count) {
    l->found++;
    l->last[0] = vertex[0], l->last[1] = vertex[count - 1];
    if (l->joins) mus_zones_join(&s->zones, &s->assembly, vertex, count);
}

static mus_status look_at_planes(mus_solver *s, look *l) {
    const mus_assembly *a = &s->assembly;
    const mus_elementary *test = s->def.elementary;
    mus_row_options options = {.dt = s->dt, .relax = 1};
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *plane = &a->bodies[k];
        if (!mus_body_is_plane(plane)) continue;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            int32_t cloth = a->body_of[i];
            if (!(a->inverse_mass[i] > 0) || !a->collide[(size_t)cloth * (size_t)a->body_count + (size_t)k]) continue;
            if (mus_assembly_lets_below(a, i, k)) continue;
            double gap = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)), least = mus_plane_floor(a, plane, i);
            double thickness = a->bodies[cloth].reach + plane->reach;
            least = test->holds ? least : test->clears ? (1 - 1e-6) * thickness : fmin(2 * least, 0);
            if (gap >= least) continue;
            note(s, l, &i, 1);
            if (l->joins && !l->presses) l->presses = mus_solver_presses(s, i, k);
            if (!l->rows) continue;
            mus_row row = mus_row_from_plane(a, cloth, k, i, &options);
            if (!mus_array_push(l->rows, row)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

static mus_status look_at_all(mus_solver *s, mus_candidate_list *list, look *l) {
    const mus_assembly *a = &s->assembly;
    l->found = 0;
    l->presses = false;
    if (s->any_escaped) {
        mus_status status = mus_solver_detect_escaped(s, list);
        if (status != MUS_STATUS_OK) return status;
    }
    s->clock++;
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate *c = &list->data[k];
        if (!mus_solver_needs_test(s, c)) continue;
        v3 axis = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
        mus_elementary_hit hit;
        bool met = meets(s, c, l->share, &axis, &hit);
        c->axis[0] = (float)axis.x, c->axis[1] = (float)axis.y, c->axis[2] = (float)axis.z;
        c->checked = met ? 0 : s->clock;
        if (!met) continue;
        mus_candidate which = *c;
        if (hit.other) {
            memcpy(which.vertex, hit.vertex, sizeof which.vertex);
            which.edge_edge = 0;
        }
        note(s, l, which.vertex, 4);
        mus_row row;
        if (!l->rows || !(v3_length2(hit.normal) > 0)) continue;
        if (!mus_row_from_meeting(a, &which, hit.weight, hit.normal, hit.toi, s->dt, &row)) continue;
        row.thickness = mus_tolerances_distance(&s->tolerance, a, &which);
        row.source = (int32_t)k;
        if (!mus_array_push(l->rows, row)) return MUS_STATUS_NO_MEMORY;
    }
    s->stats->ccd_hits += l->found;
    return look_at_planes(s, l);
}

/* Velocities follow what a stage that knows positions only has changed since `before`. */
static void follow(mus_solver *s, const v3 *before) {
    mus_assembly *a = &s->assembly;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0)
            a->v1[i] = v3_axpy(1 / s->dt, v3_sub(a->x1[i], before[i]), a->v1[i]);
}

static v3 *remember(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    memcpy(a->scratch, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    return a->scratch;
}

/* Edges are drawn back, in sweeps until they are (`drawn`), or until `most`. */
static mus_status limit_strain(mus_solver *s, int most, bool *drawn) {
    v3 *before = remember(s);
    *drawn = false;
    for (int k = 0; k < most && !*drawn; k++) /* without memory it returns 1 */
        *drawn = mus_strain_limit_pass(&s->limit, s->assembly.inverse_mass, s->assembly.x0, s->assembly.x1,
                                       mus_solver_moved, s) < 1.003;
    follow(s, before);
    return s->limit.status;
}

/* Are edges and threads drawn in turn with what is near and what is hit? Where one of them is done with before the
 * other, it is undone: over a point an edge that is drawn back goes deep, and is put where it was. */
static bool takes_turns(const mus_solver *s) {
    return s->def.response->repel && !s->def.response->strain_last;
}

/* One sweep over edges and threads: these come to where their forces hold against what has moved their ends. */
static mus_status draw(mus_solver *s, int turn, bool *drawn) {
    mus_assembly *a = &s->assembly;
    mus_status status = limit_strain(s, 1, drawn);
    if (!s->bundle_count) return status;
    v3 *before = remember(s);
    for (int32_t k = 0; k < s->bundle_count; k++) {
        mus_bundle *b = &s->bundles[k];
        mus_ties_project(b, a->inverse_mass + b->first, s->dt, turn & 1, a->x1 + b->first);
        for (int32_t i = b->first; i < b->first + b->n; i++)
            if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, i);
    }
    follow(s, before);
    return status;
}

/* Contacts that wait for an answer. */
typedef struct turn {
    mus_row_list *rows;
    int64_t first; /* of these */
    int round;
    bool hook;    /* this step's hook has not been called yet */
    bool settled; /* rigid bodies stay where they are */
    bool met;     /* the elementary test found them; else they are near at the start of the step */
    mus_answer_rule *rule;
} turn;

/* Geometry of a contact that would still be met as things are now; false: it would not. */
static bool ask_again(mus_solver *s, const mus_candidate *c, mus_row *row) {
    mus_elementary_hit hit;
    v3 axis = row->normal;
    if (!meets(s, c, 1, &axis, &hit)) return false;
    if (!(v3_length2(hit.normal) > 0)) return true;
    mus_row fresh;
    if (!mus_row_from_meeting(&s->assembly, c, hit.weight, hit.normal, hit.toi, s->dt, &fresh)) return false;
    fresh.friction = row->friction, fresh.restitution = row->restitution;
    fresh.thickness = row->thickness, fresh.source = row->source;
    v3 given = v3_axpy(row->push, row->normal, row->drag); /* by answers before */
    if (row->push > 0) fresh.approach = row->approach;
    fresh.push = v3_dot(given, fresh.normal), fresh.drag = v3_axpy(-fresh.push, fresh.normal, given);
    *row = fresh;
    return true;
}

static void answer_one(mus_solver *s, const turn *t, mus_answer *answer, mus_row *row) {
    mus_candidate c = {.edge_edge = row->edge_edge, .gap0 = (float)row->gap0};
    memcpy(c.vertex, row->vertex, sizeof c.vertex);
    bool met = t->met && !row->plane;
    /* answers to others may have parted them, or turned them */
    if (met && s->def.response->asks_again && !ask_again(s, &c, row)) return;
    answer->held = met ? held_of(s, &c) : 0;
    mus_answer_by(answer, row, t->rule);
}

static void go_over(mus_solver *s, const turn *t, mus_answer *answer) {
    for (int last = 0; last < (s->assembly.rigid_count ? 2 : 1); last++)
        for (int64_t k = t->first; k < t->rows->count; k++) {
            mus_row *row = &t->rows->data[k];
            if (row->response < 0 && row->levered == last) answer_one(s, t, answer, row);
        }
}

static mus_answer answer_of(mus_solver *s, const turn *t) {
    mus_solver_find_support(s);
    return (mus_answer){.assembly = &s->assembly,
                        .dt = s->dt,
                        .round = t->round,
                        .again = t->rule == s->def.response->repel ? s->def.response->repel_again : 0,
                        .settled = t->settled,
                        .support = s->meetings.support,
                        .moved = mus_solver_moved,
                        .context = s};
}

/* The hook, users' rules, and for the rest the pipeline's answer, where rigid bodies come last: what bears cloth comes
 * before what lies on it. Rules have the first word: what still meets after that is the pipeline's. */
static mus_status answer_all(mus_solver *s, const mus_step_input *input, const turn *t) {
    mus_row_list *rows = t->rows;
    for (int64_t k = t->first; k < rows->count; k++) {
        mus_solver_choose_response(s, &rows->data[k]);
        if (t->round > 0) rows->data[k].response = -1;
    }
    mus_status status = mus_coefficients_ask(s, rows->data + t->first, rows->count - t->first);
    if (status != MUS_STATUS_OK) return status;
    if (input->contacts && (t->hook || rows->count > t->first)) status = input->contacts(input->context);
    if (status != MUS_STATUS_OK) return status;
    v3 *before = remember(s);
    if ((status = mus_solver_apply_rules(s, rows, t->first)) != MUS_STATUS_OK) return status;
    follow(s, before);
    mus_answer answer = answer_of(s, t);
    bool draws = t->rule == s->def.response->repel && takes_turns(s), drawn = !draws;
    for (int sweep = 0; sweep <= answer.again || (!drawn && sweep < STRAIN_TURNS); sweep++) {
        if (sweep > 0 && draws && (status = draw(s, sweep, &drawn)) != MUS_STATUS_OK) return status;
        go_over(s, t, &answer);
    }
    return MUS_STATUS_OK;
}

/* Edges are drawn back between rounds; contacts so far are answered again where that brings them together. */
static mus_status draw_back(mus_solver *s, mus_candidate_list *list) {
    const mus_classic_response *response = s->def.response;
    bool drawn = false;
    if (!takes_turns(s)) return limit_strain(s, STRAIN_BETWEEN, &drawn);
    turn near = {.rows = &s->rows, .rule = response->repel};
    turn met = {.rows = &s->hits, .met = true, .rule = response->meet};
    mus_answer to_near = answer_of(s, &near), to_met = answer_of(s, &met);
    for (int k = 0; k < STRAIN_TURNS; k++) {
        mus_status status = draw(s, k, &drawn);
        if (status != MUS_STATUS_OK) return status;
        if (drawn) break;
        go_over(s, &near, &to_near);
        go_over(s, &met, &to_met);
    }
    return mus_solver_follow_bodies(s, list);
}

/* What is near at the start of the step, among the pairs that the last one left near, or that a first look finds. */
static mus_status repulsion(mus_solver *s, const mus_step_input *input) {
    mus_answer_rule *rule = s->def.response->repel;
    if (!rule && s->def.elementary->at_start) rule = s->def.response->meet;
    if (!rule) return MUS_STATUS_OK;
    const mus_candidate_list *near = s->current < 0 ? &s->candidates : &s->lists[s->current];
    mus_status status = s->current < 0 ? mus_solver_detect(s, &s->candidates) : MUS_STATUS_OK;
    mus_row_options options = {.dt = s->dt, .relax = 1, .threads = s->def.threads};
    if (status == MUS_STATUS_OK) status = mus_rows_build(&s->assembly, near, &options, &s->rows);
    if (status != MUS_STATUS_OK) return status;
    int64_t kept = 0;
    for (int64_t k = 0; k < s->rows.count; k++)
        if (s->rows.data[k].gap0 < s->rows.data[k].thickness || s->rows.data[k].levered)
            s->rows.data[kept++] = s->rows.data[k];
    s->rows.count = kept;
    return answer_all(s, input, &(turn){.rows = &s->rows, .hook = true, .rule = rule});
}

/* From round `first` on. Rigid bodies are placed anew after each of the first rounds; then they stay, and cloth gives
 * way. */
static mus_status rounds(mus_solver *s, const mus_step_input *input, mus_candidate_list *list, int first, bool *clean) {
    const mus_classic_response *response = s->def.response;
    for (int round = first; round < response->rounds; round++) {
        mus_status status = MUS_STATUS_OK;
        if (round > 0 && round < response->strain_rounds) status = draw_back(s, list);
        if (status != MUS_STATUS_OK) return status;
        turn now = {.rows = &s->hits,
                    .first = s->hits.count,
                    .round = round,
                    .settled = round >= BODY_ROUNDS,
                    .hook = round == 0 && !response->repel,
                    .met = true,
                    .rule = response->meet};
        look l = {.rows = &s->hits, .share = 1};
        status = look_at_all(s, list, &l);
        s->stats->ccd_passes = round + 1 > s->stats->ccd_passes ? round + 1 : s->stats->ccd_passes;
        if (status == MUS_STATUS_OK) status = answer_all(s, input, &now);
        if (status == MUS_STATUS_OK && !now.settled) status = mus_solver_follow_bodies(s, list);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
        if (l.found == 0) {
            *clean = true;
            return MUS_STATUS_OK;
        }
    }
    return MUS_STATUS_OK;
}

/* The least change of the ends, by mass, after which no contact from `first` on has come nearer along its normal:
 * projected Gauss-Seidel on G M^-1 G^T, from the ends that free_x1 remembers. */
static void project(mus_solver *s, int64_t first) {
    mus_assembly *a = &s->assembly;
    mus_row_list *rows = &s->hits;
    for (int64_t k = first; k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        row->push = 0;
        for (int c = 0; c < 4; c++)
            if (row->vertex[c] < a->cloth_vertex_count) a->x1[row->vertex[c]] = a->free_x1[row->vertex[c]];
    }
    mus_answer answer = {.assembly = a, .dt = s->dt};
    for (int sweep = 0; sweep < PROJECTION_SWEEPS; sweep++) {
        double most = 0; /* how far any is from done, of its thickness */
        for (int64_t k = first; k < rows->count; k++) {
            mus_row *row = &rows->data[k];
            double missing = -v3_dot(row->normal, mus_answer_slip(&answer, row));
            double push = fmax(0, row->push + missing * row->mass), change = push - row->push;
            if (change == 0) continue;
            row->push = push;
            most = fmax(most, fabs(change / row->mass) / fmax(row->thickness, 1e-9));
            for (int c = 0; c < (row->plane ? 1 : 4); c++) {
                int32_t i = row->vertex[c];
                double share = row->weight[c] * a->inverse_mass[i];
                if (share != 0) a->x1[i] = v3_axpy(share * change, row->normal, a->x1[i]);
            }
        }
        if (most < 1e-6) break;
    }
    for (int64_t k = first; k < rows->count; k++)
        for (int c = 0; c < 4; c++)
            if (a->inverse_mass[rows->data[k].vertex[c]] > 0) mus_solver_moved(s, rows->data[k].vertex[c]);
}

mus_status mus_solver_project(mus_solver *s, const mus_step_input *input, mus_candidate_list *list, bool *clean) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->hits.count;
    memcpy(a->free_x1, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    for (int round = 0; round < s->def.failsafe->projections && !*clean; round++) {
        look l = {.rows = &s->hits, .share = 0.5};
        mus_status status = look_at_all(s, list, &l);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
        *clean = l.found == 0;
        s->clock++;
        if (!*clean) project(s, first);
    }
    follow(s, a->free_x1);
    return MUS_STATUS_OK;
}

/* Zones until nothing meets, or until they cannot move. `stuck`: why, else NULL; `pinched` tells of which bodies. */
static mus_status glue(mus_solver *s, const mus_step_input *input, mus_candidate_list *list, look *l,
                       const char **stuck) {
    mus_assembly *a = &s->assembly;
    memcpy(a->free_x1, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    mus_zones_clear(&s->zones, a->vertex_count);
    *stuck = NULL;
    for (int round = 0; round < ZONE_ROUNDS && !*stuck; round++) {
        mus_status status = mus_solver_check_cancelled(input);
        if (status == MUS_STATUS_OK) status = look_at_all(s, list, l);
        if (status != MUS_STATUS_OK) return status;
        if (l->found == 0 || !l->joins) return MUS_STATUS_OK;
        s->clock++;
        if (!mus_zones_move(&s->zones, a, mus_solver_moved, s, l->last)) {
            for (int k = 0; k < 2; k++) s->pinched[k] = a->body_of[l->last[k]];
            *stuck = "pinch cloth between them and move differently";
            return MUS_STATUS_OK;
        }
        if (round > 0 && l->presses) *stuck = still_meet;
        s->stats->zones = s->zones.zone_count, s->stats->zone_vertices = s->zones.vertex_count;
    }
    return MUS_STATUS_OK;
}

/* Zones; where rigid bodies pinch cloth, these move as one, and cloth gives way anew to where they are. Or, without
 * that fail-safe, what meets is counted. */
static mus_status failsafe(mus_solver *s, const mus_step_input *input, mus_candidate_list *list, int64_t *unresolved) {
    mus_assembly *a = &s->assembly;
    bool strict = s->def.elementary->holds && !s->def.response->strain_last && s->def.failsafe;
    look l = {.joins = s->def.failsafe != NULL, .share = 0.5};
    const char *stuck = NULL;
    bool clean = false, held = true;
    if (l.joins && s->def.failsafe->projections > 0) {
        mus_status status = mus_solver_project(s, input, list, &clean);
        if (status != MUS_STATUS_OK || clean) return status;
    }
    for (int round = 0; held; round++) {
        mus_status status = glue(s, input, list, &l, &stuck);
        held = stuck && a->rigid_count;
        if (status == MUS_STATUS_OK && held) status = mus_solver_hold_pinching(s, s->dt, round == 0, &held);
        if (status != MUS_STATUS_OK) return status;
        if (!held) break;
        memcpy(a->x1, a->free_x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        if ((status = rounds(s, input, list, BODY_ROUNDS, &clean)) != MUS_STATUS_OK || clean) return status;
    }
    if (l.found > 0 && strict) return mus_solver_no_safe_step(s, l.last[0], l.last[1], stuck ? stuck : still_meet);
    *unresolved = l.found;
    mus_solver_move_zones_as_one(s);
    return MUS_STATUS_OK;
}

static mus_status attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_candidate_list *list = &s->candidates;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    s->rows.count = s->meetings.rows.count = s->hits.count = 0;
    if ((status = mus_tolerances_begin(&s->tolerance, &input->tolerance, a, t)) != MUS_STATUS_OK) return status;
    int64_t unresolved = 0;
    bool last = s->def.response->strain_last, clean = false, drawn;
    if (!last && !takes_turns(s) && (status = limit_strain(s, STRAIN_SWEEPS, &drawn)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_meet_bodies(s)) != MUS_STATUS_OK) return status;
    if ((status = repulsion(s, input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_follow_bodies(s, NULL)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    if (!s->def.elementary->at_start) {
        if ((status = rounds(s, input, list, 0, &clean)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_NARROW);
        if (!clean && (status = failsafe(s, input, list, &unresolved)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_FAILSAFE);
        if (last && s->limit.count) { /* nobody answers what this brings together; but it is told */
            if ((status = limit_strain(s, STRAIN_SWEEPS, &drawn)) != MUS_STATUS_OK) return status;
            look l = {.share = 0.5};
            if ((status = look_at_all(s, list, &l)) != MUS_STATUS_OK) return status;
            unresolved = l.found;
        }
    } else if (last && (status = limit_strain(s, STRAIN_SWEEPS, &drawn)) != MUS_STATUS_OK) {
        return status;
    }
    mus_solver_repay_bodies(s, dt);
    mus_rows_restitution(a, &s->meetings.rows, dt);
    if (s->def.response->recovers) {
        mus_rows_restitution(a, &s->rows, dt);
        mus_rows_restitution(a, &s->hits, dt);
    }
    mus_solver_follow_pins(a, dt);
    if ((status = mus_solver_check_finite(s)) != MUS_STATUS_OK) return status;
    s->stats->contacts = s->hits.count + s->rows.count + mus_rows_bearing(&s->meetings.rows);
    s->stats->unresolved += unresolved; /* of all parts of the step */
    status = mus_solver_commit_attempt(s, &s->meetings.rows);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

static mus_status create(mus_solver *s) {
    if (!s->def.elementary->looks_around) return MUS_STATUS_OK;
    return mus_surroundings_create(&s->scene, s->bundles, s->bundle_count, &s->around);
}

static void destroy(mus_solver *s) {
    mus_surroundings_free(&s->around);
}

const mus_family mus_family_classic = {.create = create, .destroy = destroy, .attempt = attempt, .apart = true};
