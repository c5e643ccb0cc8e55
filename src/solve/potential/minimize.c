/* minimize.c: the minimum of an iteration: rounds of the linear solver with the geometry of contacts fixed, which is
 * updated between them, and the momentum correction. */
#include "solve/potential/potential.h"

/* With rigid bodies: forces on a body are stiff, and it keeps the residual as velocity. Rounds stop early where fewer
 * suffice. */
enum { MIN_RIGID_INSISTED = 8, MIN_RIGID_ROUNDS = 32 };
static const double rigid_hard_residual = 1; /* m/s^2: a tenth of gravity */
/* Of gravity; of the usual tolerance. Half and twice the first: same bits on sphere. */
static const double max_gravity_share = 0.01, min_tolerance_share = 1e-3;

const mus_minimizer mus_minimizer_incremental = {
    .iterations = 1, .relinearized = 2, .insisted = 4, .hard = 30, .rounds = 4, .limit = 60, .tolerance = 0.05};
const mus_minimizer mus_minimizer_newton = {
    .iterations = 10, .relinearized = 12, .rounds = 8, .limit = 400, .tolerance = 1e-3};
const mus_minimizer mus_minimizer_vbd = {
    .iterations = 1, .relinearized = 3, .rounds = 4, .limit = 8, .tolerance = 0.05, .descent = true};

mus_status mus_potential_check_ends(const mus_solver *s) {
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

/* m/s^2: the minimizer's tolerance, but at most a share of gravity: with the usual one, nothing would fall in a
 * hundredth of Earth's gravity. Below a thousandth of the usual one only rounding is left. */
static double tolerance_in(const mus_minimizer *minimizer, v3 gravity) {
    double usual = minimizer->tolerance, g = v3_length(gravity);
    return g > 0 ? fmin(usual, fmax(max_gravity_share * g, min_tolerance_share * usual)) : usual;
}

/* Rounds of the solver with the geometry of contacts fixed, except for pairs that are found to collide. */
mus_status mus_potential_minimize(mus_solver *s, const mus_step_input *input, bool first, mus_candidate_pair_list *list,
                                  const mus_contact_options *options, mus_stopwatch *watch, mus_newton_result *result) {
    mus_newton *newton = &s->potential->newton;
    const mus_minimizer *minimizer = s->def.minimizer;
    mus_status status = MUS_STATUS_OK;
    int32_t insisted = minimizer->insisted, rounds = minimizer->rounds;
    double hard = minimizer->hard, tolerance = tolerance_in(minimizer, input->environment.gravity);
    if (newton->rigid_bodies.contact_arms.count || newton->attachments.count) {
        insisted = MIN_RIGID_INSISTED > insisted ? MIN_RIGID_INSISTED : insisted;
        rounds = MIN_RIGID_ROUNDS > rounds ? MIN_RIGID_ROUNDS : rounds;
        hard = rigid_hard_residual;
    }
    for (int32_t k = 0; k < minimizer->relinearized || (k < insisted && result->residual > hard); k++) {
        int32_t before = result->rounds;
        if (k > 0 || !first) mus_potential_update_rigid_contacts(s);
        if (k > 0) mus_newton_load_friction(newton, s->constraints.data);
        /* the residual that sweeps leave of a body's weight is solved by conjugate gradients */
        newton->use_conjugate_gradients = newton->descent && k >= minimizer->relinearized;
        int32_t limit = newton->use_conjugate_gradients ? mus_minimizer_incremental.limit : minimizer->limit;
        mus_potential_model_cloths(s, options->dt);
        mus_newton_begin(newton);
        for (int32_t round = 0; round < rounds; round++) {
            const v3 *guess = first && k == 0 && round == 0 ? s->potential->model.fall : NULL;
            if (newton->descent && (status = mus_descent_contacts(newton->descent, &newton->terms,
                                                                  &newton->rigid_bodies)) != MUS_STATUS_OK)
                return status;
            if (mus_newton_round(newton, guess, tolerance, limit, result)) break;
            take_solution(s);
            mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
            if ((status = mus_potential_check_ends(s)) != MUS_STATUS_OK) return status;
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
        mus_momentum_correction_cloths cloths = {p->model.inertia, p->model.target, p->model.impulse, newton->trial};
        mus_potential_rigid_bodies_gradient(s, options->dt);
        mus_momentum_correction_apply(&s->assembly, &newton->terms, &cloths, &newton->rigid_bodies,
                                      newton->right + newton->n, p->momentum_correction);
        take_solution(s);
    }
    mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
    return mus_solver_check_springs(s);
}
