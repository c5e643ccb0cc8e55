/* implicit_euler.c: one linearized implicit Euler step, Baraff & Witkin 1998, "Large steps in cloth simulation", eq. 6:
 * (M - dt df/dv - dt^2 df/dx) dv = dt (f + dt df/dx v), prescribed vertices filtered. */
#include "base/parallel.h"
#include "dynamics/seam_group.h"
#include "model/acceleration_scale.h"
#include "model/spring_program.h"

#include <string.h>

/* The solver stops when the residual is this share of the impulses, those of the acceleration scale included: at rest,
 * where impulses cancel, a share of gravity remains. Not varied. */
static const double residual_share = 1e-3;
/* Of conjugate gradients. Not varied. */
enum { MAX_SOLVER_ITERATIONS = 100 };

enum { WORTH_THREADS = 2048, BLOCKS_PER_THREAD = 4 };

/* Input of the CPU threads that assemble a step's equations. */
typedef struct job {
    mus_dynamics *d;
    const mus_cloth *cloth;
    const mus_environment *environment;
    double half_steps, dt;
    const v3 *x0, *v0, *x1;
} job;

static void drag(void *context, const mus_element_range *range) {
    const job *j = context;
    mus_drag_range(j->cloth, j->environment, range, j->x0, j->v0, j->dt, j->d->force, &j->d->matrix);
}

/* Starts matrix rows with the external forces, as impulses. */
static void begin_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const job *j = context;
    mus_dynamics *d = j->d;
    const mus_cloth *cloth = j->cloth;
    double dt = j->dt;
    (void)block;
    mus_block_matrix_clear_rows(&d->matrix, (int32_t)begin, (int32_t)end);
    memset(d->force + begin, 0, sizeof(v3) * (size_t)(end - begin));
    mus_element_range range = {.lo = (int32_t)begin, .hi = (int32_t)end};
    mus_viscous_range(cloth, &range, j->x0, j->v0, dt, d->force, &d->matrix);
    if (j->environment->air_density > 0) mus_element_runs_visit(&d->faces, range.lo, range.hi, drag, context);
    v3 fall = v3_scale(j->half_steps, j->environment->gravity), scale = mus_acceleration_scale(j->environment->gravity);
    double force_time = mus_force_time(cloth, j->half_steps, dt);
    for (int64_t i = begin; i < end; i++) {
        double mass = cloth->mass[i];
        v3 given = v3_axpy(mass, fall, v3_scale(force_time, v3_load(cloth->f + 3 * i)));
        v3 load = d->has_contact_load ? v3_scale(j->half_steps, d->contact_load[i]) : v3_make(0, 0, 0);
        given = v3_add(given, load);
        d->force[i] = v3_axpy(dt, d->force[i], given); /* from here on an impulse, N s */
        mus_sym3_add(&d->matrix.diagonal[i], 0, fall, mass);
        d->free[i] = cloth->inverse_mass[i];
        d->change[i] =
            d->free[i] > 0 ? v3_make(0, 0, 0) : v3_sub(v3_scale(1 / dt, v3_sub(j->x1[i], j->x0[i])), j->v0[i]);
        /* exact for a cloth in free fall or at rest: no solver error distorts it */
        d->guess[i] = v3_axpy(cloth->inverse_mass[i], load, fall);
        d->residual_scale[i] = v3_scale(mass * dt, scale);
    }
}

static void springs(void *context, const mus_element_range *range) {
    const job *j = context;
    mus_spring_linearize_range(j->cloth, j->d->spring_pair, range, j->x0, j->v0, j->dt, j->d->force, &j->d->matrix);
}
static void membrane(void *context, const mus_element_range *range) {
    const job *j = context;
    mus_membrane_linearize_range(j->cloth, j->d->face_pair, range, j->x0, j->v0, j->dt, j->d->force, &j->d->matrix);
}
static void hinges(void *context, const mus_element_range *range) {
    const job *j = context;
    mus_hinge_linearize_range(j->cloth, j->d->hinge_pair, range, j->x0, j->v0, j->dt, j->d->force, &j->d->matrix);
}

static void stretch_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const job *j = context;
    (void)block;
    mus_element_runs_visit(&j->d->springs, (int32_t)begin, (int32_t)end, springs, context);
    if (j->cloth->sheet) mus_element_runs_visit(&j->d->faces, (int32_t)begin, (int32_t)end, membrane, context);
}

static void bend_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const job *j = context;
    (void)block;
    mus_element_runs_visit(&j->d->hinges, (int32_t)begin, (int32_t)end, hinges, context);
}

static job make_job(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment, double previous_dt,
                    double dt, const v3 *x0, const v3 *v0, const v3 *x1) {
    return (job){d, cloth, environment, mus_leapfrog_half_steps(previous_dt, dt), dt, x0, v0, x1};
}

/* Over all matrix rows; the number of parts does not affect the sums. */
static void over_rows(job *j, void (*rows)(void *context, int64_t begin, int64_t end, int64_t block)) {
    int32_t n = j->cloth->vertex_count, threads = j->d->local && n >= WORTH_THREADS ? j->environment->threads : 1;
    int32_t blocks = threads > 1 ? BLOCKS_PER_THREAD * threads : 1;
    mus_parallel_for(threads, n, (n - 1) / blocks + 1, rows, j);
}

static void linearize(job *j) {
    mus_dynamics *d = j->d;
    mus_spring_programs_at(j->cloth, j->x0, j->v0);
    over_rows(j, stretch_rows);
    mus_plate_linearize(j->cloth, d->plate_pair, j->x0, j->v0, j->dt, &d->bend, d->force, &d->matrix);
    mus_network_linearize(j->cloth, d->network_pair, j->x0, j->v0, j->dt, d->force, &d->matrix);
    over_rows(j, bend_rows);
}

typedef struct ending {
    const double *free;
    const v3 *change, *x0, *v0;
    double dt;
    v3 *x1, *v1;
} ending;

static void finish_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const ending *e = context;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        e->v1[i] = v3_add(e->v0[i], e->change[i]);
        if (e->free[i] > 0) e->x1[i] = v3_axpy(e->dt, e->v1[i], e->x0[i]);
    }
}

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    mus_block_matrix *m = &d->matrix;
    job j = make_job(d, cloth, environment, previous_dt, dt, x0, v0, x1);
    over_rows(&j, begin_rows);
    bool at_large = cloth->pin_count == 0;
    mus_momentum momentum = {0};
    mus_momentum_part all = {cloth, 0};
    if (at_large) momentum = mus_momentum_begin(&all, 1, x0, v0, d->force, environment->threads);
    linearize(&j);
    mus_pcg_result solved = mus_block_matrix_solve(m, d->free, d->force, d->guess, d->residual_scale, d->change,
                                                   residual_share, MAX_SOLVER_ITERATIONS, environment->threads);
    if (at_large) mus_momentum_end(&momentum, &all, 1, x0, v0, m->diagonal, d->change, environment->threads);
    ending e = {d->free, d->change, x0, v0, dt, x1, v1};
    mus_parallel_vertices(environment->threads, cloth->vertex_count, finish_block, &e);
    return (mus_integrator_result){solved.iterations, solved.residual, dt};
}

static mus_integrator_result advance_group(mus_seam_group *b, const mus_environment *environment, double dt,
                                           const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    for (int phase = 0; phase < 2; phase++) {
        for (int32_t k = 0; k < b->member_count; k++) {
            mus_seam_group_member *m = &b->members[k];
            job j = make_job(m->dynamics, m->cloth, environment, m->previous_dt, dt, x0 + m->first, v0 + m->first,
                             x1 + m->first);
            if (phase == 0)
                over_rows(&j, begin_rows); /* which clears the member's matrix rows, those of seams included */
            else
                linearize(&j);
        }
        if (phase == 0) mus_seam_group_begin_momentum(b, x0, v0, environment->threads);
    }
    mus_stitches_linearize(b, x0, v0, dt, b->force);
    mus_pcg_result solved =
        mus_block_matrix_solve(&b->matrix, b->free, b->force, b->guess, b->residual_scale, b->change, residual_share,
                               MAX_SOLVER_ITERATIONS, environment->threads);
    mus_seam_group_end_momentum(b, x0, v0, environment->threads);
    ending e = {b->free, b->change, x0, v0, dt, x1, v1};
    mus_parallel_vertices(environment->threads, b->n, finish_block, &e);
    return (mus_integrator_result){solved.iterations, solved.residual, dt};
}

/* For users' functions that read the ends before contacts are solved. */
const mus_integrator mus_integrator_generalized_alpha = {.name = "generalized_alpha",
                                                         .advance = advance,
                                                         .advance_group = advance_group,
                                                         .implicit = true,
                                                         .has_force_memory = true};

const mus_integrator mus_integrator_implicit_euler = {
    .name = "implicit_euler", .advance = advance, .advance_group = advance_group, .implicit = true};
