/* solver.c: a step: attempts of the pipeline's family; where none is safe, attempts over halves of the step. */
#include "model/acceleration_scale.h"
#include "solve/solver.h"

/* A step is split into 64 parts at most: a scene that is not safe in these rarely is in smaller ones, and each level
 * doubles the cost of failing. */
enum { MAX_HALVINGS = 6 };
/* Halvings after which a conflict of cloth that is released from a mesh ends the step, if more of it may be released. A
 * shirt on a body that bends and turns: its longest step took 12.9 s (80 parts) without this and 2.3 s with it, when
 * patches were compact (docs/algorithms.md 3.10). */
enum { HALVINGS_BEFORE_RELEASE = 2 };

static bool is_stuck_at_released(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    for (int k = 0; k < 2; k++) {
        int32_t v = s->conflict[k];
        if (v >= 0 && v < a->cloth_vertex_count && a->pinched_by && a->pinched_by[v] >= 0) return true;
    }
    return false;
}

/* Attempts the step, and if there is no safe step, each of its halves, recursively. x0, v0 and the poses are unchanged
 * by attempts that fail. */
static mus_status step_with_halving(mus_solver *s, const mus_step_input *input, double t, double dt, int depth) {
    s->halvings = depth;
    for (int k = 0; k < 4; k++) s->unsafe[k] = -1;
    for (int k = 0; k < 2; k++) s->conflict[k] = -1;
    mus_status status = s->def.family->attempt(s, input, t, dt);
    if (status != MUS_STATUS_NO_SAFE_STEP || depth == MAX_HALVINGS) {
        if (status == MUS_STATUS_OK) s->stats->substeps++;
        return status;
    }
    if (input->may_release && depth >= HALVINGS_BEFORE_RELEASE && is_stuck_at_released(s)) return status;
    if ((status = step_with_halving(s, input, t, dt / 2, depth + 1)) != MUS_STATUS_OK) return status;
    return step_with_halving(s, input, t + dt / 2, dt / 2, depth + 1);
}

mus_status mus_solver_step(mus_solver *s, const mus_step_input *input, mus_stats *stats) {
    s->stats = stats;
    s->assembly.acceleration_scale = v3_length(mus_acceleration_scale(input->environment.gravity));
    s->current = s->committed;
    s->coupled.forgets_force = input->positions_changed;
    int32_t substep_count;
    mus_status status = mus_solver_count_substeps(s, input, &substep_count);
    for (int32_t k = 0; k < substep_count && status == MUS_STATUS_OK; k++) {
        double from = input->dt * k / substep_count, to = input->dt * (k + 1) / substep_count;
        status = step_with_halving(s, input, input->time + from, to - from, 0);
    }
    s->stats = NULL;
    return status;
}

void mus_solver_commit(mus_solver *s) {
    s->committed = s->current;
}
