/* step.c: an attempt of the coupled family: a step of implicit Euler in which cloth, contacts, friction, strain limits
 * and rigid bodies are one problem, linearized at its own solutions: a few times for contacts that are near at the
 * start, which shows what else would collide; then with those pairs, while more than a few others collide. Detection,
 * single impulses and impact zones follow as in the impulse family. */
#include "solve/solver.h"

/* Linearizations before detection and after it, at most. Before: 1 and 3 are as fast as 2 within the spread; 1 leaves
 * twice the collisions to single impulses. After, with 1, 2, 3 and 5: potential energy of pile at 0.25 s 0.185, 0.178,
 * 0.174 and 0.174 J, of the solution to 1e-6 0.173 J; iterations a step 24, 26, 29 and 31. */
enum { LINEARIZATIONS_BEFORE = 2, LINEARIZATIONS_AFTER = 2, MAX_LINEARIZATIONS = 6 };
/* Rounds of detection with such a solve, at most, and the number of new collisions from which on another follows. A
 * stack of fifty sheets, most vertices in impact zones: one round 1,221, four 0. Another after 1, 4 and 16 collisions:
 * sphere takes 1.4, 1.1 and 1.0 times as long as with one round, pile and table as long; 4 and 16 leave to single
 * impulses in pile 0.6 of 5.4 collisions a step; with 16 tests/scenes/wring.lua has vertices in zones. */
enum { IMPACT_ROUNDS = 4, MANY_IMPACTS = 4 };
/* Number of pairs with a constraint that collide nevertheless from which on another round follows, with stiffer
 * penalties: this, and one of so many vertices. tests/scenes/twist.lua, vertices in zones and largest stretch: without
 * such rounds 500 and 32 %; after 64 113 and 31 %; 32 none and 11 %; 16 none and 12 %, with 1.15 times the iterations
 * of sphere. */
enum { MANY_SHORT = 32, VERTICES_PER_SHORT = 50 };

/* The next three keep what does not converge within bounds. Scenes of tests/scenes, each in eight runs that differ by
 * 1e-5 of friction, before `stiffness_share` in coupled.c: mixed.lua (edges from 1 mm to 0.1 m), funnel.lua (a sheet
 * drawn through a pipe), twist.lua. */
/* Change of an edge by a linearization, in rest lengths, from which on the linear model must not be left unchecked:
 * another linearization follows, which shortens the step if it overshot. Highest speed in mixed.lua 4.0 m/s, without
 * 7.2; with 0.1 twist.lua takes 1.7 times as long. No edge of sphere, pile and table changes so in a last one. */
static const double large_change = 0.3;
/* Halvings of a step whose last linearization makes such a change, or whose single impulses do and add energy. */
enum { HALVINGS_OF_LARGE_CHANGES = 2 };
/* Halvings of a step at whose end a body, placed by a finite rotation, has the points of its soft pins elsewhere than
 * the linear problem had them. Of 150 random scenes of sheets with soft pins of 10 to 1e6 N/m to turning bodies of 1 g
 * to 3 kg, 20 gained more than 1e-3 of their energy without, with 2 and 3 halvings 5 and 1. */
enum { HALVINGS_OF_TURNS = 3 };
/* Residual of the last linearization, in tolerances, from which on another follows: in a blow single vertices are left
 * so far from their solution that they are thrown up or use up their gaps, which later steps restore. Without, with 30,
 * 20 and 10: highest vertex of two sheets that begin too near (tests/scenes/cases_test.lua, fourteen stiffnesses of
 * bending) 2.15, 1.76, 1.65 and 1.65 mm (of 1.5); largest rise of the energy of three sheets that fall on each other
 * (tests/world/test_energy, 32 starts) 2e-3, 4e-4, 4e-5 and 1e-4 of what they lost. Iterations of pile, sphere and
 * table with 30 1.03, 1.04 and 1.03 of those without, with 20 1.1, 1.2 and 1.02 of those with 30. */
static const double far_from_solution = 20;
/* Where edges end longer than this multiple of their longest length, so light that the residual does not show it, they
 * are shortened to it in sweeps. Largest stretch in mixed.lua 17 %, without 325. */
static const double limit_excess = 1.03;
enum { MAX_STRAIN_SWEEPS = 4 };
/* Halvings of the step before impact zones, which stretch what they hold and stop it. With 0, 1 and 2: largest stretch
 * in funnel.lua 189, 49 and 23 %, most vertices in zones 337, 154 and 67; in twist.lua 23, 13 and 13 %, 236, 0 and 0,
 * at 1.02 times the time. */
enum { HALVINGS_BEFORE_ZONES = 2 };

/* Returns whether a motion of vertices changes an edge by much. */
static bool is_large(const mus_solver *s, const v3 *motion) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        const v3 *u = motion + a->objects[k].first;
        for (int32_t e = 0; e < cloth->topology.edge_count; e++) {
            const int32_t *ends = cloth->topology.edges + 2 * e;
            double change = large_change * cloth->rest_lengths[e];
            if (v3_length2(v3_sub(u[ends[0]], u[ends[1]])) > change * change) return true;
        }
    }
    return false;
}

static double kinetic_energy(const mus_solver *s, const v3 *v) {
    const mus_assembly *a = &s->assembly;
    double sum = 0;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (a->inverse_mass[i] > 0) sum += 0.5 / a->inverse_mass[i] * v3_length2(v[i]);
    return sum;
}

static double elastic_energy(mus_solver *s, const v3 *x) {
    const mus_assembly *a = &s->assembly;
    double sum = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        int32_t at = a->objects[k].first;
        sum += mus_incremental_energy(s->dynamics[k], a->objects[k].cloth, a->x0 + at, x + at, s->dt);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        const mus_seam_group *b = &s->seam_groups[k];
        sum += mus_stitches_energy(b, a->x0 + b->first, x + b->first, s->dt);
    }
    return sum;
}

/* Returns whether pins or obstacles that are moved from outside may do work. */
static bool is_moved_from_outside(const mus_assembly *a) {
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (!(a->inverse_mass[i] > 0) && v3_length2(v3_sub(a->x1[i], a->x0[i])) > 0) return true;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *o = &a->objects[k];
        if (o->rigid) continue;
        if (v3_length2(v3_sub(o->point1, o->point0)) > 0) return true;
        for (int32_t i = o->first; i < o->first + o->count; i++)
            if (v3_length2(v3_sub(a->x1[i], a->x0[i])) > 0) return true;
    }
    return false;
}

/* Returns whether single impulses since the mark, which stop what collides and know nothing of what they stretch,
 * changed an edge by much, and the step ends with more energy, which nothing from outside gave. */
static bool added_energy(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    if (!mus_coupled_get_motion(s) || !is_large(s, c->change) || is_moved_from_outside(a)) return false;
    double start = elastic_energy(s, a->x0) + kinetic_energy(s, a->v0), end = elastic_energy(s, a->x1);
    for (int32_t i = 0; i < c->n; i++) c->change[i] = v3_scale(1 / s->dt, v3_sub(a->x1[i], a->x0[i]));
    return end + kinetic_energy(s, c->change) > start;
}

/* Moves ends of edges along these, in proportion to their inverse masses. Only of those far over their limit: passes of
 * the strain stage, which move all that are over it, let cloth under a stiff force diverge (tests/lua/node_force_test).
 */
static void limit_strain(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    bool is_over = true;
    for (int k = 0; k < MAX_STRAIN_SWEEPS && is_over; k++) {
        is_over = false;
        for (int32_t e = 0; e < s->limit.count; e++) {
            const mus_limit_edge *edge = &s->limit.edges[e];
            double most = limit_excess * (double)edge->longest;
            double length = v3_length(v3_sub(a->x1[edge->a], a->x1[edge->b]));
            if (!(length > most) || a->inverse_mass[edge->a] + a->inverse_mass[edge->b] <= 0) continue;
            mus_limit_edge_set(edge, a->inverse_mass, length, most, a->x1, mus_solver_moved, s);
            is_over = true;
        }
    }
}

/* Returns whether the last of the planned linearizations must not be left as it is. */
static bool is_far_off(const mus_solver *s) {
    return s->coupled.residual_left > far_from_solution * s->coupled.enough || is_large(s, s->coupled.u);
}

/* Returns whether contacts or edges carry a body that they did not hold when the last linearization began. */
static bool is_overloaded(const mus_solver *s) {
    return s->coupled.has_bodies && (s->coupled.has_deep_contact || s->coupled.has_long_edge);
}

/* Solves until a linearization finds nothing to move, at most `most` times. `until_calm`: at most once in a calm step.
 */
static mus_status solve(mus_solver *s, const mus_step_input *input, int most, bool until_calm, bool *moved) {
    if (!s->coupled.size) return MUS_STATUS_OK;
    for (int k = 0; k < most && *moved && !(k && until_calm && s->coupled.is_calm); k++) {
        mus_status status = mus_coupled_solve_linearized(s, &input->environment, moved);
        bool is_unfinished = s->coupled.shortened || s->coupled.keeps_multipliers || is_overloaded(s) ||
                             (k + 1 == most && is_far_off(s));
        if (is_unfinished && most < MAX_LINEARIZATIONS) most++;
        if (status == MUS_STATUS_OK) status = mus_solver_check_springs(s);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
    }
    if (s->halvings < HALVINGS_OF_LARGE_CHANGES && is_large(s, s->coupled.u)) return MUS_STATUS_NO_SAFE_STEP;
    mus_coupled_correct_momentum(s);
    return MUS_STATUS_OK;
}

static mus_status solve_near_contacts(mus_solver *s, const mus_step_input *input, const mus_candidate_pair_list *near,
                                      double dt, bool *moved) {
    mus_status status = mus_solver_build_constraints(s, input, near, dt);
    if (status == MUS_STATUS_OK) status = mus_coupled_add_energies(s, 0);
    if (status != MUS_STATUS_OK) return status;
    mus_coupled_add_outside_motion(s);
    mus_coupled_mark_ends(s);
    if ((status = mus_solver_apply_rules(s, &s->constraints, 0)) != MUS_STATUS_OK) return status;
    mus_coupled_add_rule_impulses(s);
    if (s->current >= 0)
        status =
            mus_warm_starts_guess(&s->assembly, &s->warm_starts[s->current], dt, &s->warm_start_table, &s->constraints);
    *moved = true;
    return status == MUS_STATUS_OK ? solve(s, input, LINEARIZATIONS_BEFORE, true, moved) : status;
}

/* Adds constraints for pairs that were not near and would collide, and goes on. `moved`: by the last linearization.
 * After the first round a few are left to single impulses, and those of pairs with a user's rule, which was applied,
 * get the built-in response; and where constraints did not keep their pairs apart, penalties are stiffer. `many`: there
 * were more than a few. */
static mus_status solve_with_impacts(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                                     bool is_first, bool moved, bool *many) {
    int64_t first = s->constraints.count, near_count;
    mus_status status = mus_solver_build_impact_constraints(s, list, first, &near_count);
    if (status != MUS_STATUS_OK) return status;
    bool many_new = s->constraints.count - first >= MANY_IMPACTS;
    bool many_near = near_count >= MANY_SHORT && near_count >= s->assembly.cloth_vertex_count / VERTICES_PER_SHORT;
    *many = many_new || many_near;
    if (!is_first && !many_new) s->constraints.count = first;
    if ((status = mus_coupled_add_energies(s, first)) != MUS_STATUS_OK) return status;
    if (!is_first && many_near) s->coupled.stiffens = moved = true;
    for (int64_t k = first; k < s->constraints.count && !is_first; k++) s->constraints.data[k].response = -1;
    if (s->constraints.count > first) {
        mus_coupled_mark_ends(s);
        if ((status = mus_solver_apply_rules(s, &s->constraints, first)) != MUS_STATUS_OK) return status;
        mus_coupled_add_rule_impulses(s);
        moved = true;
    }
    if (!moved) return MUS_STATUS_OK;
    if ((status = solve(s, input, LINEARIZATIONS_AFTER, false, &moved)) != MUS_STATUS_OK) return status;
    for (int32_t i = 0; i < s->assembly.cloth_vertex_count; i++) mus_solver_moved(s, i);
    return mus_solver_check_finite(s);
}

static mus_status coupled_attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_candidate_pair_list *list = &s->candidates;
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    if (s->current < 0) { /* no pairs of an earlier step: contacts from a detection of this step's motion */
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    }
    mus_solver_save_velocity_base(s);
    bool moved, placed, is_collision_free;
    status = solve_near_contacts(s, input, s->current < 0 ? list : &s->lists[s->current], dt, &moved);
    if (status == MUS_STATUS_OK) status = mus_solver_check_finite(s);
    if (status != MUS_STATUS_OK) return status;
    if ((status = mus_solver_place_rigid_bodies(s, dt, false, &placed)) != MUS_STATUS_OK) return status;
    mus_solver_update_velocities(s);
    mus_solver_save_velocity_base(s);
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    /* What a calm step has left is for the next one: that of sphere at rest takes 0.7 of the time, and moves as little.
     */
    bool many = true, goes_on = moved && (!s->coupled.is_calm || s->coupled.has_old_limits);
    for (int k = 0; k < IMPACT_ROUNDS && many; k++)
        if ((status = solve_with_impacts(s, input, list, k == 0, goes_on && k == 0, &many)) != MUS_STATUS_OK)
            return status;
    if ((status = mus_solver_place_rigid_bodies(s, dt, true, &placed)) != MUS_STATUS_OK) return status;
    if (placed && (status = mus_solver_detect(s, list)) != MUS_STATUS_OK)
        return status; /* pairs that the motion bounds did not cover */
    limit_strain(s);
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    mus_coupled_mark_ends(s);
    status = mus_solver_remove_collisions(s, input, list, dt, &watch, &is_collision_free);
    if (status != MUS_STATUS_OK) return status;
    if (s->halvings < HALVINGS_OF_LARGE_CHANGES && added_energy(s)) return MUS_STATUS_NO_SAFE_STEP;
    if (s->halvings < HALVINGS_OF_TURNS && mus_coupled_attachments_are_off(s)) return MUS_STATUS_NO_SAFE_STEP;
    mus_coupled_apply_body_residuals(s);
    mus_solver_apply_deferred_impulses(s, dt);
    mus_contacts_use_start_velocities(a, &s->constraints, dt);
    mus_contacts_use_start_velocities(a, &s->hits, dt);
    mus_contacts_apply_restitution(a, &s->constraints, dt);
    mus_contacts_apply_restitution(a, &s->hits, dt);
    if (!is_collision_free) mus_solver_set_zone_velocities(s);
    mus_solver_follow_pins(a, dt);
    s->stats->contacts = s->hits.count + mus_contacts_count_active(&s->constraints);
    s->stats->iterations += s->coupled.iterations;
    s->stats->contact_energy = mus_coupled_contact_energy(s);
    if (s->coupled.residual_left > s->stats->residual) s->stats->residual = s->coupled.residual_left;
    status = mus_solver_accept_attempt(s, &s->constraints);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_coupled = {
    .attempt = coupled_attempt, .couples_contacts = true, .halvings_before_zones = HALVINGS_BEFORE_ZONES};
