/* sweeps.c: joint solve of the contact constraints of a step: projected Gauss–Seidel, with conjugate directions between
 * sweeps if a few sweeps do not suffice; on end positions, then once more on velocities. */
#include "base/parallel.h"
#include "solve/solver.h"

/* Sweeps over positions beyond the least number: while contacts miss their targets, and while an edge exceeds its
 * limit. 30 and 120 for contacts: within the spread. 60 for strain: hits of hit50 313 for 137; 240: 73, in 1.4 times
 * the time. */
enum { EXTRA_SWEEPS = 60, EXTRA_STRAIN_SWEEPS = 120 };
/* One sweep in so many visits all contacts, the others only those that are not idle. 2 and 8: within the spread. */
enum { FULL_SWEEP_INTERVAL = 4 };
/* Sweeps over velocities. Half and twice either: within the spread. */
enum { MIN_VELOCITY_SWEEPS = 2, MAX_VELOCITY_SWEEPS = 24 };
/* Sweeps over contacts of rigid bodies alone, and until bodies do not move any more. Not varied: bench has no rigid
 * bodies. */
enum { MIN_BODY_SWEEPS = 4, MAX_BODY_SWEEPS = 400 };
/* Contacts per one that may miss its target, or still move, at the end of sweeps. 50 and 200: within the spread. */
enum { CONTACTS_PER_MISSED = 100 };

/* State of the sweeps over one vector of positions. The first sweeps are without conjugate directions: these cost half
 * a sweep, and most contacts, which are warm-started, converge before that pays. */
typedef struct sweep_state {
    mus_contact_constraint_list *constraints;
    int sweeps, plain_sweeps;
    double last; /* change of the last sweep */
    bool has_conjugate_steps;
} sweep_state;

static mus_contact_sweep_result run_sweep(sweep_state *c, const mus_assembly *a, mus_solver *s) {
    bool is_conjugate = c->sweeps >= c->plain_sweeps;
    mus_contact_sweep_result swept =
        mus_contact_coloring_sweep(a, c->constraints, &s->contact_coloring, c->sweeps++ % FULL_SWEEP_INTERVAL == 0,
                                   is_conjugate ? &c->last : NULL);
    if (is_conjugate) c->last = swept.change, c->has_conjugate_steps = true;
    return swept;
}

static void reset_conjugate_changes(mus_contact_constraint_list *constraints) {
    for (int64_t k = 0; k < constraints->count; k++) constraints->data[k].conjugate_change = 0;
}

static mus_status begin_sweeps(mus_solver *s, mus_contact_constraint_list *constraints) {
    reset_conjugate_changes(constraints);
    return mus_contact_coloring_make(&s->assembly, constraints, s->def.threads, &s->contact_coloring);
}

/* Contact constraints and stitches move only their own vertices. */
static void watch_strain_limit(mus_solver *s) {
    mus_strain_limit_watch(&s->limit);
    for (int64_t k = 0; s->limit.count && k < s->constraints.count; k++)
        for (int c = 0; c < 4; c++) mus_strain_limit_mark_moved(&s->limit, s->constraints.data[k].vertex[c]);
    for (int32_t k = 0; s->limit.count && k < s->seam_group_count; k++)
        mus_stitches_mark_moved(&s->seam_groups[k], &s->limit);
}

/* Projects stitches onto their equilibrium given the contact-corrected positions, so that stitches of the next step do
 * not undo what contacts and friction corrected. Then limits strain; returns the largest ratio of an edge's length to
 * its limit. */
static double project_stitches_and_strain(mus_solver *s, int turn) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        mus_seam_group *b = &s->seam_groups[k];
        mus_stitches_project(b, a->inverse_mass + b->first, s->dt, turn & 1, a->x1 + b->first);
    }
    return mus_strain_limit_pass(&s->limit, a->inverse_mass, a->x0, a->x1, NULL, NULL);
}

/* Sweeps over contacts, stitches and strain limit in turn; continued while an edge is far over its limit, which happens
 * where cloth is caught on a pointed object, or while more than one contact in a hundred is far from its target.
 * Contacts come first, or the limit would act on their initial violations, and last. Then sweeps until rigid bodies
 * converge: a body on a few points creeps by the residual, and a heavy one beside cloth stretches it. */
mus_status mus_solver_sweep(mus_solver *s, int min_sweeps) {
    mus_assembly *a = &s->assembly;
    sweep_state c = {.constraints = &s->constraints, .plain_sweeps = min_sweeps};
    int64_t missed = 0;
    bool solved = false;
    mus_status status = MUS_STATUS_OK;
    if (mus_coupled_is_needed(s)) status = mus_coupled_solve_cloth_rigid(s, &solved);
    if (status == MUS_STATUS_OK && !solved) status = begin_sweeps(s, &s->constraints);
    if (status != MUS_STATUS_OK || solved) return status;
    watch_strain_limit(s);
    for (int k = 0; k < min_sweeps + EXTRA_STRAIN_SWEEPS && s->limit.status == MUS_STATUS_OK; k++) {
        double longest = k ? project_stitches_and_strain(s, k) : INFINITY;
        if (k >= min_sweeps && longest < MUS_STRAIN_LIMIT_ENOUGH &&
            (missed * CONTACTS_PER_MISSED <= s->constraints.count || k >= min_sweeps + EXTRA_SWEEPS))
            break;
        missed = run_sweep(&c, a, s).missed;
    }
    mus_contact_coloring_sweep(a, &s->constraints, &s->contact_coloring, true, NULL);
    mus_contact_coloring_store_impulses(&s->constraints, &s->contact_coloring);
    for (int k = 0; k < MAX_BODY_SWEEPS && s->limit.status == MUS_STATUS_OK && mus_solver_rigid_bodies_changed(s);
         k++) {
        project_stitches_and_strain(s, k);
        mus_contacts_sweep(a, &s->constraints, k % FULL_SWEEP_INTERVAL == FULL_SWEEP_INTERVAL - 1);
    }
    mus_strain_limit_unwatch(&s->limit);
    return s->limit.status;
}

mus_status mus_solver_sweep_rigid_contacts(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_contact_constraint_list *constraints = &s->rigid_contacts.constraints;
    sweep_state c = {.constraints = constraints, .plain_sweeps = MIN_BODY_SWEEPS};
    if (!constraints->count) return MUS_STATUS_OK;
    mus_status status = begin_sweeps(s, constraints);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0, missed = 0; k < MIN_BODY_SWEEPS + EXTRA_SWEEPS &&
                                    (k < MIN_BODY_SWEEPS || missed * CONTACTS_PER_MISSED > constraints->count);
         k++)
        missed = run_sweep(&c, a, s).missed;
    mus_contact_coloring_sweep(a, constraints, &s->contact_coloring, true, NULL);
    mus_contact_coloring_store_impulses(constraints, &s->contact_coloring);
    for (int k = 0; k < MAX_BODY_SWEEPS && mus_solver_rigid_bodies_changed(s); k++)
        mus_contacts_sweep(a, constraints, k % FULL_SWEEP_INTERVAL == FULL_SWEEP_INTERVAL - 1);
    return MUS_STATUS_OK;
}

typedef struct velocity_solve {
    const mus_assembly *a;
    double dt;
    v3 *x1; /* positions after motion with v1 from x0 */
} velocity_solve;

static v3 position_from_velocity(const velocity_solve *s, int64_t i) {
    return v3_axpy(s->dt, s->a->v1[i], s->a->x0[i]);
}

static void predict_by_velocity(void *context, int64_t begin, int64_t end, int64_t block) {
    const velocity_solve *s = context;
    const mus_assembly *a = s->a;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        bool free = i < a->cloth_vertex_count && a->inverse_mass[i] > 0;
        s->x1[i] = free ? position_from_velocity(s, i) : a->x1[i];
    }
}

static void update_velocities(void *context, int64_t begin, int64_t end, int64_t block) {
    const velocity_solve *s = context;
    const mus_assembly *a = s->a;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        if (a->inverse_mass[i] <= 0) continue;
        v3 by = v3_sub(s->x1[i], position_from_velocity(s, i));
        a->v1[i] = v3_axpy(1 / s->dt, by, a->v1[i]); /* the same bits if nothing has moved */
    }
}

/* Gaps are restored by moving positions, and the velocity of that motion would throw resting objects apart: contacts
 * are solved again for velocities that keep the gaps as they were, starting from the impulses (as Box2D's relaxation;
 * the resulting impulses are the contact forces). Not with rigid bodies, which would have to be solved along. */
void mus_solver_solve_velocities(mus_solver *s, double dt) {
    mus_assembly moved = s->assembly;
    const mus_assembly *a = &s->assembly;
    moved.x1 = s->bound_center; /* detection of this attempt is over: its array holds the end positions by v1 */
    velocity_solve job = {a, dt, moved.x1};
    if (!s->constraints.count || a->rigid_count) return;
    mus_parallel_vertices(s->def.threads, a->vertex_count, predict_by_velocity, &job);
    for (int64_t k = 0; k < s->constraints.count; k++) {
        mus_contact_constraint *constraint = &s->constraints.data[k];
        constraint->target = fmin(constraint->gap0, constraint->thickness);
    }
    sweep_state c = {.constraints = &s->constraints, .plain_sweeps = MIN_VELOCITY_SWEEPS};
    mus_contact_sweep_result swept = {0};
    reset_conjugate_changes(&s->constraints);
    mus_contact_coloring_update_targets(&s->constraints,
                                        &s->contact_coloring); /* the constraints are the same as in mus_solver_sweep */
    for (int k = 0; k < MAX_VELOCITY_SWEEPS &&
                    (k < MIN_VELOCITY_SWEEPS || swept.moved * CONTACTS_PER_MISSED > s->constraints.count);
         k++)
        swept = run_sweep(&c, &moved, s);
    if (c.has_conjugate_steps) mus_contact_coloring_sweep(&moved, &s->constraints, &s->contact_coloring, true, NULL);
    mus_contact_coloring_store_impulses(&s->constraints, &s->contact_coloring);
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, update_velocities, &job);
}
