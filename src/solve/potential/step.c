/* step.c: a step of implicit Euler as the minimum of the incremental potential (Martin et al. 2011) 1/(2 dt^2) |x -
 * y|^2_M + cloth + contacts, y = x0 + dt v0 + dt^2 (g + f/m). Every iteration uses a quadratic model of the cloth at
 * the iterate, solves it together with the energies of contacts along their normals, and moves as far as is certified
 * safe. Friction lags behind the normal forces by one such solve, not by a step. */
#include "solve/potential/potential.h"

#include <string.h>

/* One iteration: from a safe x0 to a safe x1. `done`: x0 was the minimum already. */
static mus_status iterate(mus_solver *s, const mus_step_input *input, double t, double dt, bool first,
                          mus_candidate_pair_list *list, mus_stopwatch *watch, bool *done) {
    mus_assembly *a = &s->assembly;
    mus_newton *newton = &s->potential->newton;
    mus_contact_options options = {.dt = dt, .relax = 1, .threads = s->def.threads};
    mus_newton_result result = {0};
    mus_status status = mus_solver_detect(s, list);
    if (status != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(watch, MUS_PHASE_BROAD);
    if ((status = mus_potential_near_contacts(s, list, &options)) != MUS_STATUS_OK) return status;
    if ((status = mus_potential_coming_contacts(s, list, &options)) != MUS_STATUS_OK) return status;
    if (first && input->contacts && (status = input->contacts(input->context)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(watch, MUS_PHASE_CONTACTS);
    if (first) {
        mus_potential_model_inertia(s, input, dt);
        mus_potential_choose_start(s);
    } else {
        memcpy(newton->place, a->x0, sizeof(v3) * (size_t)a->vertex_count);
    }
    if ((status = mus_potential_minimize(s, input, first, list, &options, watch, &result)) != MUS_STATUS_OK)
        return status;
    *done = !first && result.rounds == 0;
    s->stats->iterations += result.iterations;
    s->stats->residual = result.residual;
    s->stats->candidates = list->count;
    if (first && input->candidate) {
        if ((status = input->candidate(input->context, t + dt)) != MUS_STATUS_OK) return status;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) mus_solver_moved(s, i);
        if ((status = mus_solver_check_finite(s)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(watch, MUS_PHASE_HOOKS);
    }
    status = mus_solver_certify(s, input, list);
    mus_stopwatch_lap(watch, MUS_PHASE_FAILSAFE);
    return status;
}

static mus_status iterations(mus_solver *s, const mus_step_input *input, double t, double dt,
                             mus_candidate_pair_list *list, mus_stopwatch *watch) {
    mus_assembly *a = &s->assembly;
    bool done = false;
    for (int32_t k = 0; k < s->def.minimizer->iterations && !done; k++) {
        if (k > 0) { /* continues from the last end; prescribed motions are complete */
            memcpy(a->x0, a->x1, sizeof(v3) * (size_t)a->vertex_count);
            for (int32_t b = 0; b < a->object_count; b++)
                a->objects[b].normal0 = a->objects[b].normal1, a->objects[b].point0 = a->objects[b].point1;
            mus_potential_continue_rigid_bodies(s);
        }
        mus_status status = iterate(s, input, t, dt, k == 0, list, watch, &done);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static void predict(mus_solver *s, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    mus_potential_begin_rigid_bodies(s, input, dt);
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (a->inverse_mass[i] > 0) a->x1[i] = v3_axpy(dt, a->v0[i], a->x0[i]);
    memcpy(s->potential->predicted, a->x1, sizeof(v3) * (size_t)a->vertex_count);
}

static void finish(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    mus_potential *p = s->potential;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) a->v1[i] = v3_scale(1 / dt, v3_sub(a->x1[i], p->start[i]));
    mus_potential_finish_rigid_bodies(s, dt);
    v3 *middle = p->predicted; /* the time of the velocities: mus_energy */
    for (int32_t i = 0; i < a->vertex_count; i++) middle[i] = v3_lerp(p->start[i], a->x1[i], 0.5);
    s->stats->contact_energy = 0;
    for (int64_t k = 0; k < s->constraints.count; k++) {
        mus_ogc_term *t = &p->newton.terms.data[k];
        v3 slip;
        /* a pair that was found to collide in the last round */
        if (isnan(t->distance)) mus_ogc_evaluate(t, p->newton.trial, dt, MUS_OGC_LEAST);
        double distance = mus_ogc_distance(t, middle, &slip);
        s->stats->contact_energy += mus_ogc_value_of(t, distance, v3_length(slip), MUS_OGC_LEAST).energy;
        mus_ogc_book(&p->newton.terms.data[k], dt, &s->constraints.data[k]);
        s->stats->contacts += s->constraints.data[k].normal_impulse > 0;
    }
    mus_contacts_apply_restitution(a, &s->constraints, dt);
}

static mus_status attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_potential *p = s->potential;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_status status = mus_solver_ensure_broad_phase(s);
    if (status != MUS_STATUS_OK) return status;
    s->time = t, s->dt = dt;
    mus_coefficients_begin(&s->coefficients);
    for (int32_t b = 0; b < s->seam_group_count; b++) mus_seam_group_begin(&s->seam_groups[b], t, dt);
    p->newton.assembly = p->newton.rigid_bodies.assembly = a,
    p->newton.context = s; /* a solver may be moved between steps */
    memset(s->last_move, 0, sizeof *s->last_move * (size_t)a->vertex_count);
    s->clock = 1;
    if ((status = input->place_kinematic(input->context, a, t + dt)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_OBSTACLES);
    memcpy(p->start, a->x0, sizeof(v3) * (size_t)a->vertex_count);
    for (int32_t b = 0; b < a->object_count; b++)
        p->planes[2 * b] = a->objects[b].normal0, p->planes[2 * b + 1] = a->objects[b].point0;
    predict(s, input, dt);
    p->newton.dt = dt;
    if ((status = mus_newton_begin_attachments(&p->newton)) != MUS_STATUS_OK) return status;
    if ((status = mus_potential_check_ends(s)) != MUS_STATUS_OK) return status;
    status = iterations(s, input, t, dt, &s->candidates, &watch);
    memcpy(a->x0, p->start, sizeof(v3) * (size_t)a->vertex_count);
    for (int32_t b = 0; b < a->object_count; b++)
        a->objects[b].normal0 = p->planes[2 * b], a->objects[b].point0 = p->planes[2 * b + 1];
    if (status != MUS_STATUS_OK) return status;
    finish(s, dt);
    status = mus_solver_accept_attempt(s, NULL);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_potential = {.create = mus_potential_create,
                                         .destroy = mus_potential_destroy,
                                         .attempt = attempt,
                                         .solves_rigid_bodies = true,
                                         .interleaves_detection = true,
                                         .keeps_near_at_start = true};
