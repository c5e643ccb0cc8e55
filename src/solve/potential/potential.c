/* potential.c: a step of implicit Euler as the minimum of the incremental potential (Martin et al. 2011)
 * 1/(2 dt^2) |x - y|^2_M + cloth + contacts, y = x0 + dt v0 + dt^2 (g + f/m). Every iteration makes the cloth's part
 * quadratic where it stands, solves it together with the contacts' energies along their normals, and moves as far as
 * is certified to be safe. Friction lags behind the pushes by one such solve, not by a step. */
#include "solve/potential/potential.h"
#include "dynamics/incremental.h"

#include <string.h>

enum { MIN_RIGID_INSISTED = 8, MIN_RIGID_ROUNDS = 32 };

const mus_minimizer mus_minimizer_incremental = {
    .iterations = 1, .relinearized = 2, .insisted = 4, .hard = 30, .rounds = 4, .limit = 60, .tolerance = 0.05};
const mus_minimizer mus_minimizer_newton = {
    .iterations = 10, .relinearized = 12, .rounds = 8, .limit = 400, .tolerance = 1e-3};
const mus_minimizer mus_minimizer_vbd = {
    .iterations = 1, .relinearized = 3, .rounds = 4, .limit = 8, .tolerance = 0.05, .descent = true};

/* ---- construction ---- */

/* kg m^2: dt^2 times the incremental potential's part that is not contact. */
static double energy_of_cloths(void *context, const v3 *x) {
    const mus_solver *s = context;
    const mus_potential *p = s->potential;
    const mus_assembly *a = &s->assembly;
    double sum = 0, dt = s->dt;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        int32_t first = a->objects[k].first, n = cloth->vertex_count;
        for (int32_t i = first; i < first + n; i++) {
            v3 off = v3_sub(x[i], p->target[i]);
            sum += 0.5 * v3_dot(off, mus_sym3_mul(&p->inertia[i], off)) - v3_dot(p->impulse[i], off);
        }
        sum += dt * dt * mus_incremental_energy(s->dynamics[k], cloth, p->start + first, x + first, dt);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        const mus_seam_group *b = &s->seam_groups[k];
        sum += dt * dt * mus_stitches_energy(b, p->start + b->first, x + b->first, dt);
    }
    return sum;
}

static mus_status create(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    size_t n = (size_t)a->vertex_count + 1, cloth = (size_t)a->cloth_vertex_count + 1;
    mus_potential *p = s->potential = mus_new(sizeof *p);
    if (!p) return MUS_STATUS_NO_MEMORY;
    p->matrices = mus_new(sizeof *p->matrices * ((size_t)a->cloth_count + 1));
    p->start = mus_new(sizeof(v3) * n);
    p->predicted = mus_new(sizeof(v3) * n);
    p->fall = mus_new(sizeof(v3) * (cloth + 2 * (size_t)a->rigid_count));
    p->target = mus_new(sizeof(v3) * cloth);
    p->impulse = mus_new(sizeof(v3) * cloth);
    p->inertia = mus_new(sizeof(mus_sym3) * cloth);
    p->momentum_correction =
        mus_new(sizeof *p->momentum_correction * ((size_t)a->cloth_count + (size_t)a->rigid_count + 1));
    p->planes = mus_new(sizeof(v3) * (2 * (size_t)a->object_count + 1));
    if (!p->matrices || !p->start || !p->predicted || !p->fall || !p->target || !p->impulse || !p->inertia ||
        !p->momentum_correction || !p->planes)
        return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < a->cloth_count; k++) p->matrices[k] = mus_solver_matrix(s, k);
    for (int32_t k = 0; k < a->cloth_count; k++) p->momentum_correction[k].joined = k;
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        const mus_seam_group *b = &s->seam_groups[k];
        for (int32_t m = 0; m < b->member_count; m++)
            p->momentum_correction[b->first_cloth + m].joined = b->first_cloth + b->members[m].joined;
    }
    for (int32_t k = a->cloth_count; k < a->cloth_count + a->rigid_count; k++) p->momentum_correction[k].joined = k;
    mus_status status = mus_potential_rigid_bodies_create(s);
    if (status != MUS_STATUS_OK) return status;
    status = mus_newton_create(&p->newton, a, p->matrices, s->def.minimizer->descent, s->def.threads);
    p->newton.energy = energy_of_cloths;
    return status;
}

static void destroy(mus_solver *s) {
    mus_potential *p = s->potential;
    if (!p) return;
    mus_newton_free(&p->newton);
    mus_array_free(&p->table);
    void *blocks[] = {p->matrices, p->start,        p->predicted, p->fall,
                      p->target,   p->impulse,      p->inertia,   p->momentum_correction,
                      p->planes,   p->rigid_bodies, p->loads,     p};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    s->potential = NULL;
}

/* ---- the cloths' part ---- */

/* Inertia and external impulses, which stay for the step. */
static void model_inertia(mus_solver *s, const mus_step_input *input, double dt) {
    mus_potential *p = s->potential;
    const mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_object *object = &a->objects[k];
        const mus_cloth *cloth = object->cloth;
        mus_dynamics *d = s->dynamics[k];
        int32_t at = object->first, n = cloth->vertex_count;
        double half_steps_dt = dt * mus_leapfrog_half_steps(object->previous_dt, dt);
        v3 fall = v3_scale(half_steps_dt, input->environment.gravity);
        object->current_dt = dt;
        const v3 *start = p->start + at, *v0 = a->v0 + at;
        mus_incremental_begin(d, cloth, start);
        mus_block_matrix_clear(&d->matrix);
        memset(d->force, 0, sizeof(v3) * (size_t)n);
        mus_drag_forces(cloth, &input->environment, start, v0, dt, d->force, &d->matrix);
        for (int32_t i = 0; i < n; i++) {
            double mass = cloth->mass[i], unit = mass * dt * dt / sqrt(3);
            mus_sym3_add(&d->matrix.diagonal[i], 0, fall, mass);
            v3 given = v3_axpy(mass, fall, v3_scale(half_steps_dt, v3_load(cloth->f + 3 * i)));
            p->inertia[at + i] = d->matrix.diagonal[i];
            p->target[at + i] = v3_axpy(dt, v0[i], start[i]);
            p->impulse[at + i] = v3_axpy(dt * dt, d->force[i], given);
            p->fall[at + i] = fall;
            p->newton.scale[at + i] = v3_make(unit, unit, unit);
        }
    }
}

/* Matrix and gradient where the iterate is. */
static void model_cloths(mus_solver *s, double dt) {
    mus_potential *p = s->potential;
    mus_newton *newton = &p->newton;
    const mus_assembly *a = &s->assembly;
    mus_potential_rigid_bodies_gradient(s, dt);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        mus_dynamics *d = s->dynamics[k];
        int32_t at = a->objects[k].first;
        if (p->matrices[k]) mus_block_matrix_clear(p->matrices[k]);
        memset(d->force, 0, sizeof(v3) * (size_t)cloth->vertex_count);
        mus_incremental_forces(d, cloth, p->start + at, newton->place + at, dt, d->force, &d->matrix);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        mus_seam_group *b = &s->seam_groups[k];
        mus_stitches_forces(b, p->start + b->first, newton->place + b->first, dt, b->force);
    }
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_dynamics *d = s->dynamics[k];
        int32_t at = a->objects[k].first, n = a->objects[k].count;
        for (int32_t i = 0; i < n; i++) {
            const mus_sym3 *inertia = &p->inertia[at + i];
            mus_sym3 *own = &d->matrix.diagonal[i];
            own->xx += inertia->xx, own->xy += inertia->xy, own->xz += inertia->xz;
            own->yy += inertia->yy, own->yz += inertia->yz, own->zz += inertia->zz;
            v3 off = v3_sub(p->target[at + i], newton->place[at + i]);
            newton->right[at + i] =
                v3_axpy(dt * dt, d->force[i], v3_add(mus_sym3_mul(inertia, off), p->impulse[at + i]));
        }
    }
}

/* Where to begin: x0, or on the way to where velocities alone lead, whichever costs the cloths least. */
static void choose_start(mus_solver *s) {
    mus_newton *newton = &s->potential->newton;
    const mus_assembly *a = &s->assembly;
    double best = INFINITY;
    for (int k = 0; k < 4; k++) {
        double tried = k < 3 ? 1.0 / (1 << k) : 0;
        for (int32_t i = 0; i < a->vertex_count; i++)
            newton->trial[i] = i < a->cloth_vertex_count && a->inverse_mass[i] > 0
                                   ? v3_lerp(a->x0[i], s->potential->predicted[i], tried)
                                   : a->x1[i];
        double energy = energy_of_cloths(s, newton->trial);
        if (!(energy < best)) continue;
        best = energy;
        memcpy(newton->place, newton->trial, sizeof(v3) * (size_t)a->vertex_count);
    }
}

/* ---- the step ---- */

static mus_status check_ends(const mus_solver *s) {
    mus_status status = mus_solver_check_finite(s);
    return status == MUS_STATUS_OK ? mus_solver_check_rigid_bodies(s) : status;
}

static void take_solution(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    const mus_newton *newton = &s->potential->newton;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        if (!(a->inverse_mass[i] > 0)) continue;
        a->x1[i] = newton->trial[i];
        mus_solver_moved(s, i);
    }
    mus_potential_place_rigid_bodies(s);
}

/* m/s^2: as the minimiser has it, and small beside the gravity there is: in a hundredth of ours nothing would fall. Of
 * a thousandth of it rounding is left. */
static double tolerance_in(const mus_minimizer *minimizer, v3 gravity) {
    static const double share = 0.01, least = 1e-3;
    double usual = minimizer->tolerance, g = v3_length(gravity);
    return g > 0 ? fmin(usual, fmax(share * g, least * usual)) : usual;
}

/* Rounds of the solver with the contacts' geometry as it is, but for pairs that turn up to meet. */
static mus_status solve(mus_solver *s, const mus_step_input *input, bool first, mus_candidate_pair_list *list,
                        const mus_contact_options *options, mus_stopwatch *watch, mus_newton_result *result) {
    mus_newton *newton = &s->potential->newton;
    const mus_minimizer *minimizer = s->def.minimizer;
    mus_status status = MUS_STATUS_OK;
    int32_t insisted = minimizer->insisted, rounds = minimizer->rounds;
    double hard = minimizer->hard, tolerance = tolerance_in(minimizer, input->environment.gravity);
    if (newton->rigid_bodies.contact_arms.count) { /* what holds a body is stiff, and what it is left with it keeps */
        static const double enough = 1;
        insisted = MIN_RIGID_INSISTED > insisted ? MIN_RIGID_INSISTED : insisted;
        rounds = MIN_RIGID_ROUNDS > rounds ? MIN_RIGID_ROUNDS : rounds;
        hard = enough;
    }
    for (int32_t k = 0; k < minimizer->relinearized || (k < insisted && result->residual > hard); k++) {
        int32_t before = result->rounds;
        if (k > 0 || !first) mus_potential_update_rigid_contacts(s);
        if (k > 0) mus_newton_load_friction(newton, s->constraints.data);
        /* what sweeps have left of a body's weight is solved for all together */
        newton->use_conjugate_gradients = newton->descent && k >= minimizer->relinearized;
        int32_t limit = newton->use_conjugate_gradients ? mus_minimizer_incremental.limit : minimizer->limit;
        model_cloths(s, options->dt);
        mus_newton_begin(newton);
        for (int32_t round = 0; round < rounds; round++) {
            const v3 *guess = first && k == 0 && round == 0 ? s->potential->fall : NULL;
            if (newton->descent && (status = mus_descent_contacts(newton->descent, &newton->terms,
                                                                  &newton->rigid_bodies)) != MUS_STATUS_OK)
                return status;
            if (mus_newton_round(newton, guess, tolerance, limit, result)) break;
            take_solution(s);
            mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
            if ((status = check_ends(s)) != MUS_STATUS_OK) return status;
            if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
            if ((status = mus_potential_redetect_left_bound(s, list)) != MUS_STATUS_OK) return status;
            mus_stopwatch_lap(watch, MUS_PHASE_BROAD);
            if ((status = mus_potential_coming_contacts(s, list, options)) != MUS_STATUS_OK) return status;
            mus_stopwatch_lap(watch, MUS_PHASE_NARROW);
        }
        if (result->rounds == before) break;
        mus_newton_end(newton);
        take_solution(s);
    }
    if (result->rounds) {
        mus_potential *p = s->potential;
        mus_momentum_correction_cloths cloths = {p->inertia, p->target, p->impulse, newton->trial};
        mus_potential_rigid_bodies_gradient(s, options->dt);
        mus_momentum_correction_apply(&s->assembly, &newton->terms, &cloths, &newton->rigid_bodies,
                                      newton->right + newton->n, p->momentum_correction);
        take_solution(s);
    }
    mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
    return mus_solver_check_springs(s);
}

/* One iteration: x0, safe, to a safe x1. `done`: x0 was the minimum already. */
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
    newton->dt = dt;
    if (first) {
        model_inertia(s, input, dt);
        choose_start(s);
    } else {
        memcpy(newton->place, a->x0, sizeof(v3) * (size_t)a->vertex_count);
    }
    if ((status = solve(s, input, first, list, &options, watch, &result)) != MUS_STATUS_OK) return status;
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
        if (k > 0) { /* on from where it got to; what is prescribed has arrived */
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
    v3 *middle = p->predicted; /* where velocities belong: mus_energy */
    for (int32_t i = 0; i < a->vertex_count; i++) middle[i] = v3_lerp(p->start[i], a->x1[i], 0.5);
    s->stats->contact_energy = 0;
    for (int64_t k = 0; k < s->constraints.count; k++) {
        mus_ogc_term *t = &p->newton.terms.data[k];
        v3 slip;
        /* of a pair that the last round was found to bring together */
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
    mus_status status = mus_solver_first_detection(s);
    if (status != MUS_STATUS_OK) return status;
    s->time = t, s->dt = dt;
    mus_coefficients_begin(&s->coefficients);
    for (int32_t b = 0; b < s->seam_group_count; b++) mus_seam_group_begin(&s->seam_groups[b], t, dt);
    p->newton.assembly = p->newton.rigid_bodies.assembly = a,
    p->newton.context = s; /* a solver may be moved between steps */
    memset(s->stamp, 0, sizeof *s->stamp * (size_t)a->vertex_count);
    s->clock = 1;
    if ((status = input->place_kinematic(input->context, a, t + dt)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_OBSTACLES);
    memcpy(p->start, a->x0, sizeof(v3) * (size_t)a->vertex_count);
    for (int32_t b = 0; b < a->object_count; b++)
        p->planes[2 * b] = a->objects[b].normal0, p->planes[2 * b + 1] = a->objects[b].point0;
    predict(s, input, dt);
    if ((status = check_ends(s)) != MUS_STATUS_OK) return status;
    status = iterations(s, input, t, dt, &s->candidates, &watch);
    memcpy(a->x0, p->start, sizeof(v3) * (size_t)a->vertex_count);
    for (int32_t b = 0; b < a->object_count; b++)
        a->objects[b].normal0 = p->planes[2 * b], a->objects[b].point0 = p->planes[2 * b + 1];
    if (status != MUS_STATUS_OK) return status;
    finish(s, dt);
    status = mus_solver_commit_attempt(s, NULL);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_potential = {.create = create,
                                         .destroy = destroy,
                                         .attempt = attempt,
                                         .solves_rigid_bodies = true,
                                         .interleaves_detection = true,
                                         .keeps_near_at_start = true};
