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
    RIGID_PLACEMENT_ROUNDS = 6,
    ZONE_ROUNDS = 100,
    STRAIN_SWEEPS = 60,
    STRAIN_SWEEPS_BETWEEN = 2,
    MAX_STRAIN_SWEEPS = 120,
    PROJECTION_SWEEPS = 200
};

/* The gap a test that holds keeps, as a share of the thickness and of the gap at the start; in zones half of it. */
static const double min_gap_per_thickness = 0.1, min_gap_per_start_gap = 0.8;

static const char unresolved_reason[] = "still meet after all fail-safes";

/* One look at all pairs that moved since they were found clear, and at all planes. */
typedef struct look {
    mus_contact_constraint_list *constraints; /* contacts are appended; NULL: they are not */
    bool joins;                               /* vertices are joined to zones */
    bool presses; /* a zone that follows a rigid body is in a plane: `pinched` tells of which */
    double share; /* of the held gap */
    int64_t found;
    int32_t last[2]; /* vertices of the last one found */
} look;

static double min_gap_of(const mus_solver *s, const mus_candidate_pair *c) {
    if (!s->def.elementary->is_conservative) return 0;
    return fmax(0, fmin(min_gap_per_thickness * mus_candidate_pair_thickness(&s->assembly, c),
                        min_gap_per_start_gap * (double)c->gap0));
}

/* What a test has found of the capsule around a cylinder, asked of the cylinder itself, in the way of that test. */
static bool cylinder_pair_collides(const mus_assembly *a, const mus_candidate_pair *c, const mus_elementary *test,
                                   const mus_elementary_query *q, mus_elementary_hit *hit) {
    mus_cylinder_nearest nearest;
    hit->toi = test->at_start ? 0 : 1;
    mus_cylinder_find_nearest(a, c, hit->toi, &nearest);
    bool near = (test->at_start || test->clears) && nearest.gap < (test->at_start ? 1 : 1 - 1e-6) * q->thickness;
    if (!near) {
        if (test->at_start || !mus_cylinder_ccd(a, c, q->min_gap, q->tolerance, &hit->toi)) return false;
        mus_cylinder_find_nearest(a, c, hit->toi, &nearest);
    }
    memcpy(hit->weight, nearest.weight, sizeof hit->weight);
    hit->normal = nearest.normal, hit->other = false;
    return true;
}

static bool pair_collides(mus_solver *s, const mus_candidate_pair *c, double share, v3 *axis, mus_elementary_hit *hit) {
    const mus_assembly *a = &s->assembly;
    const mus_elementary *test = s->def.elementary;
    mus_elementary_query q = {.radius = mus_candidate_pair_radius(a, c),
                              .thickness = mus_tolerances_distance(&s->tolerance, a, c),
                              .axis = *axis,
                              .cloth_count = a->cloth_vertex_count,
                              .all0 = a->x0,
                              .all1 = a->x1,
                              .neighborhood = &s->neighborhood};
    memcpy(q.vertex, c->vertex, sizeof q.vertex);
    for (int k = 0; k < 4; k++) q.x0[k] = a->x0[c->vertex[k]], q.x1[k] = a->x1[c->vertex[k]];
    double min_gap = min_gap_of(s, c), start = (double)c->gap0;
    q.tolerance = fmax(0.05 * min_gap, 1e-13);
    /* what starts on a round shape's surface, or inside by rounding, is asked not to go deeper */
    q.min_gap = fmin(share * min_gap, start - 1e-6 * fabs(start) - 1e-12);
    s->stats->ccd_tests++;
    *hit = (mus_elementary_hit){0};
    bool detected = (c->edge_edge ? test->edge_edge : test->vertex_face)(&q, hit);
    *axis = q.axis;
    if (detected && q.radius > 0 && mus_pair_has_cylinder(a, c->vertex))
        return cylinder_pair_collides(a, c, test, &q, hit);
    return detected;
}

static void record_found(mus_solver *s, look *l, const int32_t *vertex, int count) {
    l->found++;
    l->last[0] = vertex[0], l->last[1] = vertex[count - 1];
    if (l->joins) mus_zones_join(&s->zones, &s->assembly, vertex, count);
}

static mus_status look_at_planes(mus_solver *s, look *l) {
    const mus_assembly *a = &s->assembly;
    const mus_elementary *test = s->def.elementary;
    mus_contact_options options = {.dt = s->dt, .relax = 1};
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            int32_t cloth = a->object_of[i];
            if (!(a->inverse_mass[i] > 0) || !a->collide[(size_t)cloth * (size_t)a->object_count + (size_t)k]) continue;
            if (mus_assembly_is_exempt_below(a, i, k)) continue;
            double gap = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)), least = mus_plane_floor(a, plane, i);
            double thickness = a->objects[cloth].half_thickness + plane->half_thickness;
            least = test->is_conservative ? least : test->clears ? (1 - 1e-6) * thickness : fmin(2 * least, 0);
            if (gap >= least) continue;
            record_found(s, l, &i, 1);
            if (l->joins && !l->presses) l->presses = mus_solver_presses(s, i, k);
            if (!l->constraints) continue;
            mus_contact_constraint constraint = mus_contact_from_plane(a, cloth, k, i, &options);
            if (!mus_array_push(l->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

static mus_status look_at_all(mus_solver *s, mus_candidate_pair_list *list, look *l) {
    const mus_assembly *a = &s->assembly;
    l->found = 0;
    l->presses = false;
    if (s->any_left_bound) {
        mus_status status = mus_solver_redetect_left_bound(s, list);
        if (status != MUS_STATUS_OK) return status;
    }
    s->clock++;
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate_pair *c = &list->data[k];
        if (!mus_solver_needs_test(s, c)) continue;
        v3 axis = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
        mus_elementary_hit hit;
        bool detected = pair_collides(s, c, l->share, &axis, &hit);
        c->axis[0] = (float)axis.x, c->axis[1] = (float)axis.y, c->axis[2] = (float)axis.z;
        c->checked = detected ? 0 : s->clock;
        if (!detected) continue;
        mus_candidate_pair which = *c;
        if (hit.other) {
            memcpy(which.vertex, hit.vertex, sizeof which.vertex);
            which.edge_edge = 0;
        }
        record_found(s, l, which.vertex, 4);
        mus_contact_constraint constraint;
        if (!l->constraints || !(v3_length2(hit.normal) > 0)) continue;
        if (!mus_contact_from_geometry(a, &which, hit.weight, hit.normal, hit.toi, s->dt, &constraint)) continue;
        constraint.thickness = mus_tolerances_distance(&s->tolerance, a, &which);
        constraint.source = (int32_t)k;
        if (!mus_array_push(l->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
    }
    s->stats->ccd_hits += l->found;
    return look_at_planes(s, l);
}

/* Velocities follow what a stage that knows positions only has changed since `before`. */
static void update_velocities(mus_solver *s, const v3 *before) {
    mus_assembly *a = &s->assembly;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0)
            a->v1[i] = v3_axpy(1 / s->dt, v3_sub(a->x1[i], before[i]), a->v1[i]);
}

static v3 *save_positions(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    memcpy(a->scratch, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    return a->scratch;
}

/* Edges are drawn back, in sweeps until they are (`drawn`), or until `most`. */
static mus_status limit_strain(mus_solver *s, int most, bool *is_within_limit) {
    v3 *before = save_positions(s);
    *is_within_limit = false;
    for (int k = 0; k < most && !*is_within_limit; k++) /* without memory it returns 1 */
        *is_within_limit = mus_strain_limit_pass(&s->limit, s->assembly.inverse_mass, s->assembly.x0, s->assembly.x1,
                                                 mus_solver_moved, s) < 1.003;
    update_velocities(s, before);
    return s->limit.status;
}

/* Are edges and threads drawn in turn with what is near and what is hit? Where one of them is done with before the
 * other, it is undone: over a point an edge that is drawn back goes deep, and is put where it was. */
static bool alternates_strain(const mus_solver *s) {
    return s->def.response->repel && !s->def.response->strain_last;
}

/* One sweep over edges and threads: these come to where their forces hold against what has moved their ends. */
static mus_status sweep_strain_and_stitches(mus_solver *s, int turn, bool *is_within_limit) {
    mus_assembly *a = &s->assembly;
    mus_status status = limit_strain(s, 1, is_within_limit);
    if (!s->seam_group_count) return status;
    v3 *before = save_positions(s);
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        mus_seam_group *b = &s->seam_groups[k];
        mus_stitches_project(b, a->inverse_mass + b->first, s->dt, turn & 1, a->x1 + b->first);
        for (int32_t i = b->first; i < b->first + b->n; i++)
            if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, i);
    }
    update_velocities(s, before);
    return status;
}

/* Contacts that wait for an answer. */
typedef struct turn {
    mus_contact_constraint_list *constraints;
    int64_t first; /* of these */
    int round;
    bool hook;     /* this step's hook has not been called yet */
    bool settled;  /* rigid bodies stay where they are */
    bool detected; /* the elementary test found them; else they are near at the start of the step */
    mus_response_rule *rule;
} turn;

/* Geometry of a contact that would still be met as things are now; false: it would not. */
static bool ask_again(mus_solver *s, const mus_candidate_pair *c, mus_contact_constraint *constraint) {
    mus_elementary_hit hit;
    v3 axis = constraint->normal;
    if (!pair_collides(s, c, 1, &axis, &hit)) return false;
    if (!(v3_length2(hit.normal) > 0)) return true;
    mus_contact_constraint fresh;
    if (!mus_contact_from_geometry(&s->assembly, c, hit.weight, hit.normal, hit.toi, s->dt, &fresh)) return false;
    fresh.friction = constraint->friction, fresh.restitution = constraint->restitution;
    fresh.thickness = constraint->thickness, fresh.source = constraint->source;
    v3 applied_impulse =
        v3_axpy(constraint->normal_impulse, constraint->normal, constraint->friction_impulse); /* by answers before */
    if (constraint->normal_impulse > 0) fresh.approach = constraint->approach;
    fresh.normal_impulse = v3_dot(applied_impulse, fresh.normal),
    fresh.friction_impulse = v3_axpy(-fresh.normal_impulse, fresh.normal, applied_impulse);
    *constraint = fresh;
    return true;
}

static void respond_to_contact(mus_solver *s, const turn *t, mus_response_context *context,
                               mus_contact_constraint *constraint) {
    mus_candidate_pair c = {.edge_edge = constraint->edge_edge, .gap0 = (float)constraint->gap0};
    memcpy(c.vertex, constraint->vertex, sizeof c.vertex);
    bool detected = t->detected && !constraint->plane;
    /* answers to others may have parted them, or turned them */
    if (detected && s->def.response->asks_again && !ask_again(s, &c, constraint)) return;
    context->min_gap = detected ? min_gap_of(s, &c) : 0;
    mus_response_apply(context, constraint, t->rule);
}

static void go_over(mus_solver *s, const turn *t, mus_response_context *context) {
    for (int last = 0; last < (s->assembly.rigid_count ? 2 : 1); last++)
        for (int64_t k = t->first; k < t->constraints->count; k++) {
            mus_contact_constraint *constraint = &t->constraints->data[k];
            if (constraint->response < 0 && constraint->has_rigid_body == last)
                respond_to_contact(s, t, context, constraint);
        }
}

static mus_response_context make_response_context(mus_solver *s, const turn *t) {
    mus_solver_find_support(s);
    return (mus_response_context){.assembly = &s->assembly,
                                  .dt = s->dt,
                                  .round = t->round,
                                  .again = t->rule == s->def.response->repel ? s->def.response->repel_again : 0,
                                  .settled = t->settled,
                                  .support = s->rigid_contacts.support,
                                  .moved = mus_solver_moved,
                                  .moved_context = s};
}

/* The hook, users' rules, and for the rest the pipeline's answer, where rigid bodies come last: what bears cloth comes
 * before what lies on it. Rules have the first word: what still meets after that is the pipeline's. */
static mus_status respond_to_contacts(mus_solver *s, const mus_step_input *input, const turn *t) {
    mus_contact_constraint_list *constraints = t->constraints;
    for (int64_t k = t->first; k < constraints->count; k++) {
        mus_solver_choose_response(s, &constraints->data[k]);
        if (t->round > 0) constraints->data[k].response = -1;
    }
    mus_status status = mus_coefficients_ask(s, constraints->data + t->first, constraints->count - t->first);
    if (status != MUS_STATUS_OK) return status;
    if (input->contacts && (t->hook || constraints->count > t->first)) status = input->contacts(input->context);
    if (status != MUS_STATUS_OK) return status;
    v3 *before = save_positions(s);
    if ((status = mus_solver_apply_rules(s, constraints, t->first)) != MUS_STATUS_OK) return status;
    update_velocities(s, before);
    mus_response_context context = make_response_context(s, t);
    bool alternates = t->rule == s->def.response->repel && alternates_strain(s), is_within_limit = !alternates;
    for (int sweep = 0; sweep <= context.again || (!is_within_limit && sweep < MAX_STRAIN_SWEEPS); sweep++) {
        if (sweep > 0 && alternates &&
            (status = sweep_strain_and_stitches(s, sweep, &is_within_limit)) != MUS_STATUS_OK)
            return status;
        go_over(s, t, &context);
    }
    return MUS_STATUS_OK;
}

/* Edges are drawn back between rounds; contacts so far are answered again where that brings them together. */
static mus_status limit_strain_between_rounds(mus_solver *s, mus_candidate_pair_list *list) {
    const mus_classic_response *response = s->def.response;
    bool is_within_limit = false;
    if (!alternates_strain(s)) return limit_strain(s, STRAIN_SWEEPS_BETWEEN, &is_within_limit);
    turn near = {.constraints = &s->constraints, .rule = response->repel};
    turn detected = {.constraints = &s->hits, .detected = true, .rule = response->resolve_hit};
    mus_response_context to_near = make_response_context(s, &near), to_detected = make_response_context(s, &detected);
    for (int k = 0; k < MAX_STRAIN_SWEEPS; k++) {
        mus_status status = sweep_strain_and_stitches(s, k, &is_within_limit);
        if (status != MUS_STATUS_OK) return status;
        if (is_within_limit) break;
        go_over(s, &near, &to_near);
        go_over(s, &detected, &to_detected);
    }
    return mus_solver_update_rigid_bodies(s, list);
}

/* What is near at the start of the step, among the pairs that the last one left near, or that a first look finds. */
static mus_status repulsion(mus_solver *s, const mus_step_input *input) {
    mus_response_rule *rule = s->def.response->repel;
    if (!rule && s->def.elementary->at_start) rule = s->def.response->resolve_hit;
    if (!rule) return MUS_STATUS_OK;
    const mus_candidate_pair_list *near = s->current < 0 ? &s->candidates : &s->lists[s->current];
    mus_status status = s->current < 0 ? mus_solver_detect(s, &s->candidates) : MUS_STATUS_OK;
    mus_contact_options options = {.dt = s->dt, .relax = 1, .threads = s->def.threads};
    if (status == MUS_STATUS_OK) status = mus_contacts_build(&s->assembly, near, &options, &s->constraints);
    if (status != MUS_STATUS_OK) return status;
    int64_t kept = 0;
    for (int64_t k = 0; k < s->constraints.count; k++)
        if (s->constraints.data[k].gap0 < s->constraints.data[k].thickness || s->constraints.data[k].has_rigid_body)
            s->constraints.data[kept++] = s->constraints.data[k];
    s->constraints.count = kept;
    return respond_to_contacts(s, input, &(turn){.constraints = &s->constraints, .hook = true, .rule = rule});
}

/* From round `first` on. Rigid bodies are placed anew after each of the first rounds; then they stay, and cloth gives
 * way. */
static mus_status rounds(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, int first,
                         bool *clean) {
    const mus_classic_response *response = s->def.response;
    for (int round = first; round < response->rounds; round++) {
        mus_status status = MUS_STATUS_OK;
        if (round > 0 && round < response->strain_rounds) status = limit_strain_between_rounds(s, list);
        if (status != MUS_STATUS_OK) return status;
        turn now = {.constraints = &s->hits,
                    .first = s->hits.count,
                    .round = round,
                    .settled = round >= RIGID_PLACEMENT_ROUNDS,
                    .hook = round == 0 && !response->repel,
                    .detected = true,
                    .rule = response->resolve_hit};
        look l = {.constraints = &s->hits, .share = 1};
        status = look_at_all(s, list, &l);
        s->stats->ccd_passes = round + 1 > s->stats->ccd_passes ? round + 1 : s->stats->ccd_passes;
        if (status == MUS_STATUS_OK) status = respond_to_contacts(s, input, &now);
        if (status == MUS_STATUS_OK && !now.settled) status = mus_solver_update_rigid_bodies(s, list);
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
    mus_contact_constraint_list *constraints = &s->hits;
    for (int64_t k = first; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        constraint->normal_impulse = 0;
        for (int c = 0; c < 4; c++)
            if (constraint->vertex[c] < a->cloth_vertex_count)
                a->x1[constraint->vertex[c]] = a->free_x1[constraint->vertex[c]];
    }
    mus_response_context context = {.assembly = a, .dt = s->dt};
    for (int sweep = 0; sweep < PROJECTION_SWEEPS; sweep++) {
        double most = 0; /* how far any is from done, of its thickness */
        for (int64_t k = first; k < constraints->count; k++) {
            mus_contact_constraint *constraint = &constraints->data[k];
            double missing = -v3_dot(constraint->normal, mus_response_slip(&context, constraint));
            double normal_impulse = fmax(0, constraint->normal_impulse + missing * constraint->mass),
                   change = normal_impulse - constraint->normal_impulse;
            if (change == 0) continue;
            constraint->normal_impulse = normal_impulse;
            most = fmax(most, fabs(change / constraint->mass) / fmax(constraint->thickness, 1e-9));
            for (int c = 0; c < (constraint->plane ? 1 : 4); c++) {
                int32_t i = constraint->vertex[c];
                double share = constraint->weight[c] * a->inverse_mass[i];
                if (share != 0) a->x1[i] = v3_axpy(share * change, constraint->normal, a->x1[i]);
            }
        }
        if (most < 1e-6) break;
    }
    for (int64_t k = first; k < constraints->count; k++)
        for (int c = 0; c < 4; c++)
            if (a->inverse_mass[constraints->data[k].vertex[c]] > 0)
                mus_solver_moved(s, constraints->data[k].vertex[c]);
}

mus_status mus_solver_project(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, bool *clean) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->hits.count;
    memcpy(a->free_x1, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    for (int round = 0; round < s->def.failsafe->projections && !*clean; round++) {
        look l = {.constraints = &s->hits, .share = 0.5};
        mus_status status = look_at_all(s, list, &l);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
        *clean = l.found == 0;
        s->clock++;
        if (!*clean) project(s, first);
    }
    update_velocities(s, a->free_x1);
    return MUS_STATUS_OK;
}

/* Zones until nothing meets, or until they cannot move. `stuck`: why, else NULL; `pinched` tells of which bodies. */
static mus_status move_zones(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, look *l,
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
            for (int k = 0; k < 2; k++) s->pinched[k] = a->object_of[l->last[k]];
            *stuck = "pinch cloth between them and move differently";
            return MUS_STATUS_OK;
        }
        if (round > 0 && l->presses) *stuck = unresolved_reason;
        s->stats->zones = s->zones.zone_count, s->stats->zone_vertices = s->zones.vertex_count;
    }
    return MUS_STATUS_OK;
}

/* Zones; where rigid bodies pinch cloth, these move as one, and cloth gives way anew to where they are. Or, without
 * that fail-safe, what meets is counted. */
static mus_status failsafe(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                           int64_t *unresolved) {
    mus_assembly *a = &s->assembly;
    bool strict = s->def.elementary->is_conservative && !s->def.response->strain_last && s->def.failsafe;
    look l = {.joins = s->def.failsafe != NULL, .share = 0.5};
    const char *stuck = NULL;
    bool clean = false, bodies_joined = true;
    if (l.joins && s->def.failsafe->projections > 0) {
        mus_status status = mus_solver_project(s, input, list, &clean);
        if (status != MUS_STATUS_OK || clean) return status;
    }
    for (int round = 0; bodies_joined; round++) {
        mus_status status = move_zones(s, input, list, &l, &stuck);
        bodies_joined = stuck && a->rigid_count;
        if (status == MUS_STATUS_OK && bodies_joined)
            status = mus_solver_join_pinching_bodies(s, s->dt, round == 0, &bodies_joined);
        if (status != MUS_STATUS_OK) return status;
        if (!bodies_joined) break;
        memcpy(a->x1, a->free_x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        if ((status = rounds(s, input, list, RIGID_PLACEMENT_ROUNDS, &clean)) != MUS_STATUS_OK || clean) return status;
    }
    if (l.found > 0 && strict)
        return mus_solver_no_safe_step(s, l.last[0], l.last[1], stuck ? stuck : unresolved_reason);
    *unresolved = l.found;
    mus_solver_move_zones_as_one(s);
    return MUS_STATUS_OK;
}

static mus_status attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_candidate_pair_list *list = &s->candidates;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    s->constraints.count = s->rigid_contacts.constraints.count = s->hits.count = 0;
    if ((status = mus_tolerances_begin(&s->tolerance, &input->tolerance, a, t)) != MUS_STATUS_OK) return status;
    int64_t unresolved = 0;
    bool last = s->def.response->strain_last, clean = false, is_within_limit;
    if (!last && !alternates_strain(s) && (status = limit_strain(s, STRAIN_SWEEPS, &is_within_limit)) != MUS_STATUS_OK)
        return status;
    if ((status = mus_solver_solve_initial_rigid_contacts(s)) != MUS_STATUS_OK) return status;
    if ((status = repulsion(s, input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_update_rigid_bodies(s, NULL)) != MUS_STATUS_OK) return status;
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
            if ((status = limit_strain(s, STRAIN_SWEEPS, &is_within_limit)) != MUS_STATUS_OK) return status;
            look l = {.share = 0.5};
            if ((status = look_at_all(s, list, &l)) != MUS_STATUS_OK) return status;
            unresolved = l.found;
        }
    } else if (last && (status = limit_strain(s, STRAIN_SWEEPS, &is_within_limit)) != MUS_STATUS_OK) {
        return status;
    }
    mus_solver_apply_deferred_impulses(s, dt);
    mus_contacts_apply_restitution(a, &s->rigid_contacts.constraints, dt);
    if (s->def.response->recovers) {
        mus_contacts_apply_restitution(a, &s->constraints, dt);
        mus_contacts_apply_restitution(a, &s->hits, dt);
    }
    mus_solver_follow_pins(a, dt);
    if ((status = mus_solver_check_finite(s)) != MUS_STATUS_OK) return status;
    s->stats->contacts =
        s->hits.count + s->constraints.count + mus_contacts_count_active(&s->rigid_contacts.constraints);
    s->stats->unresolved += unresolved; /* of all parts of the step */
    status = mus_solver_commit_attempt(s, &s->rigid_contacts.constraints);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

static mus_status create(mus_solver *s) {
    if (!s->def.elementary->looks_around) return MUS_STATUS_OK;
    return mus_neighborhood_create(&s->scene, s->seam_groups, s->seam_group_count, &s->neighborhood);
}

static void destroy(mus_solver *s) {
    mus_neighborhood_free(&s->neighborhood);
}

const mus_family mus_family_classic = {
    .create = create, .destroy = destroy, .attempt = attempt, .separate_rigid_contacts = true};
