/* incremental.c: springs and hinges as terms of the incremental potential (Martin et al. 2011). A spring of length l
 * that was s at the start of the step: k/2 (l - rest)^2 + k c/(2 dt) (l - s)^2 with c the damping; a hinge the energy
 * M (4 ln sec(angle/2) - rest angle) of the moment M (2 tan(angle/2) - rest), damped by the change of its angle. */
#include "dynamics/incremental.h"
#include "base/parallel.h"
#include "dynamics/energy.h"
#include "model/hinge_shape.h"
#include "model/spring_program.h"

#include <string.h>

/* Iterations of a step that take the moduli of their start; those after them keep these, so that they converge: the
 * moduli of a measured fabric may alternate for ever. */
enum { MODULI_UPDATES = 6 };
enum { WORTH_THREADS = 2048, BLOCKS_PER_THREAD = 4 }; /* as in implicit_euler.c */

typedef struct forces_job {
    const mus_dynamics *d;
    const mus_cloth *cloth;
    const mus_incremental_start *start;
    const v3 *x;
    double dt;
    v3 *force;
    mus_block_matrix *matrix;
} forces_job;

/* ---- springs ---- */

/* By the whole stiffness, of a user's law by that at the start, so that it is constant within a step. */
static double friction_of(const mus_cloth *cloth, int32_t k) {
    const mus_spring *s = &cloth->springs[k];
    mus_spring_law own;
    const mus_spring_law *law = mus_spring_law_of(cloth, s, &own);
    const mus_spring_value *law_value = mus_spring_value_of(cloth, k);
    if (law_value) return mus_spring_damping(cloth, s) * law_value->firm;
    return mus_spring_friction(cloth, s, law, mus_spring_stiffness(law, s->rest));
}

static double spring_energy(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt) {
    double sum = mus_spring_programs_work(cloth, start, x, dt);
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        double length = v3_length(v3_sub(x[s->a], x[s->b])), before = v3_length(v3_sub(start[s->a], start[s->b]));
        double change = length - before;
        mus_spring_law own;
        if (!mus_spring_value_of(cloth, k))
            sum += mus_spring_energy(mus_spring_law_of(cloth, s, &own), s->rest, length);
        sum += 0.5 * friction_of(cloth, k) / dt * change * change;
    }
    return sum;
}

static void spring_forces(void *context, const mus_element_range *range) {
    const forces_job *j = context;
    const mus_cloth *cloth = j->cloth;
    const v3 *x = j->x;
    v3 *force = j->force;
    double dt2 = j->dt * j->dt;
    for (int32_t k = range->first; k < range->last; k++) {
        const mus_spring *s = &cloth->springs[k];
        bool owns_a = mus_element_range_owns(range, s->a), owns_b = mus_element_range_owns(range, (int32_t)s->b);
        if (!owns_a && !owns_b) continue;
        v3 between = v3_sub(x[s->a], x[s->b]);
        double length = v3_length(between);
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, between);
        const mus_spring_value *law_value = mus_spring_value_of(cloth, k);
        double slope = law_value ? law_value->slope : 0, friction = j->start->damping[k] / j->dt;
        mus_spring_law own;
        double tension = law_value ? law_value->tension
                                   : mus_spring_tension(mus_spring_law_of(cloth, s, &own), s->rest, length, &slope);
        tension += friction * (length - j->start->length[k]);
        if (owns_a) force[s->a] = v3_axpy(-tension, u, force[s->a]);
        if (owns_b) force[s->b] = v3_axpy(tension, u, force[s->b]);
        if (!(s->a < (int32_t)s->b ? owns_a : owns_b)) continue;
        /* Across a compressed spring curvature is negative: its absolute value keeps a Newton step within the buckle
         * that it starts (Honglin Chen et al. 2024), where none let vertices of tests/scenes/mixed.lua jump at 10 m/s.
         */
        double along = dt2 * (slope + friction);
        double across = dt2 * fabs(tension) / length;
        along = fmax(along, across); /* as in spring.c */
        int32_t pair = mus_block_matrix_pair(j->matrix, s->a, (int32_t)s->b, j->d->spring_pair[k]);
        mus_pair_block_add(&j->matrix->pair[pair], along - across, u, across);
    }
}

/* ---- hinges ---- */

static bool measure(const mus_hinge *h, const v3 *x, mus_hinge_shape *f) {
    return mus_hinge_measure(x[h->vertex[0]], x[h->vertex[1]], x[h->vertex[2]], x[h->vertex[3]], f);
}

/* 4 ln sec(angle/2) = 2 ln(1 + (bend/2)^2); continued linearly where the bend stops. */
static double fold_energy(const mus_hinge *h, const mus_hinge_shape *f) {
    double sum = 2 * mus_log(1 + 0.25 * f->bend * f->bend);
    bool over = fabs(f->bend) >= MUS_LARGEST_BEND;
    if (!over && h->rest == 0) return sum;
    double angle = mus_atan2(f->sine, f->cosine);
    if (over) sum += MUS_LARGEST_BEND * fmax(0, fabs(angle) - 2 * mus_atan2(0.5 * MUS_LARGEST_BEND, 1));
    return sum - h->rest * angle;
}

static double hinge_energy_at_rest(const mus_cloth *cloth) {
    double sum = 0;
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        if (h->rest == 0) continue;
        double angle = 2 * mus_atan2(0.5 * h->rest, 1);
        mus_hinge_shape rest = {.bend = h->rest, .sine = mus_sin(angle), .cosine = mus_cos(angle)};
        sum += h->moment * fold_energy(h, &rest);
    }
    return sum;
}

/* Damping is by 2 (1 - cos d) of the change d of the angle: its square while a step changes it little, and
 * computed without the angle. */
static double change_sine(const mus_hinge_shape *now, const struct mus_start_angle *before) {
    return now->sine * before->cosine - now->cosine * before->sine;
}
static double change_cosine(const mus_hinge_shape *now, const mus_hinge_shape *before) {
    return now->cosine * before->cosine + now->sine * before->sine;
}

static double hinge_energy(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt) {
    double sum = 0;
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        double damping = mus_cloth_bending_damping(cloth, h->vertex, 4) / dt;
        mus_hinge_shape now, before;
        if (!measure(h, x, &now)) continue;
        double change = measure(h, start, &before) ? 1 - change_cosine(&now, &before) : 0;
        sum += h->moment * (fold_energy(h, &now) + damping * change);
    }
    return sum;
}

/* The relevant second derivative, that of the angle's square, in the form of the quadratic model (Bergou et al.
 * 2006) along the middle normal, which has no stiffness against rotation of a bent cloth. A little of it in the other
 * directions covers what the form leaves out. */
static void hinge_forces(void *context, const mus_element_range *range) {
    const forces_job *j = context;
    const mus_cloth *cloth = j->cloth;
    const v3 *x = j->x;
    v3 *force = j->force;
    static const int pair_of[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    double dt2 = j->dt * j->dt;
    for (int32_t k = range->first; k < range->last; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        bool owns[4];
        for (int c = 0; c < 4; c++) owns[c] = mus_element_range_owns(range, h->vertex[c]);
        mus_hinge_shape now;
        if ((!owns[0] && !owns[1] && !owns[2] && !owns[3]) || !measure(h, x, &now)) continue;
        v3 gradient[4];
        mus_hinge_shape_gradient(&now, x[h->vertex[0]], x[h->vertex[2]], x[h->vertex[3]], (double)h->low, gradient);
        double change = change_sine(&now, &j->start->angle[k]);
        double damping = mus_cloth_bending_damping(cloth, h->vertex, 4) / j->dt;
        double moment = h->moment * (now.bend - h->rest + damping * change);
        double squeezed = 0, flat = 0;
        for (int c = 0; c < 4; c++) {
            if (owns[c]) force[h->vertex[c]] = v3_axpy(-moment, gradient[c], force[h->vertex[c]]);
            squeezed += v3_length2(gradient[c]), flat += h->weight[c] * h->weight[c];
        }
        double steep = 1 + 0.25 * now.bend * now.bend; /* d bend / d angle */
        double stiffness = dt2 * fmax(h->stiffness, h->moment * squeezed / flat) * (steep + damping);
        for (int p = 0; p < 6; p++) { /* weights sum to zero: the diagonal's share is minus that of the pairs */
            int a = pair_of[p][0], b = pair_of[p][1];
            if (!owns[h->vertex[a] < h->vertex[b] ? a : b]) continue;
            int32_t pair = mus_block_matrix_pair(j->matrix, h->vertex[a], h->vertex[b], j->d->hinge_pair[6 * k + p]);
            j->matrix->pair[pair].t -= (float)((double)h->weight[a] * (double)h->weight[b] * stiffness);
        }
    }
}

/* ---- membranes and their plates ---- */

/* Moduli of measured fabrics in an iteration: where it begins. Those at the start of the step lag behind the strain,
 * and what is stretched while it is soft springs back when it is stiff: a sheet of navy-sparkle-sweat that turned at 20
 * rad/s gained up to 4,000 times its energy with steps of 1/60 s. */
static void set_moduli(mus_dynamics *d, const mus_cloth *cloth, const v3 *x) {
    for (int32_t f = 0; d->moduli && f < cloth->face_count; f++) d->moduli[f] = mus_membrane_moduli(cloth, f, x);
}

static double membrane_increment(const mus_dynamics *d, const mus_cloth *cloth, int32_t f, const v3 *start, double dt,
                                 const v3 *x, v3 gradient[3]) {
    mus_moduli moduli = d->moduli ? d->moduli[f] : mus_membrane_moduli(cloth, f, x);
    return mus_membrane_increment(cloth, f, &moduli, start, dt, x, gradient, NULL);
}

static double plate_energy(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt) {
    double sum = 0;
    if (!cloth->sheet->plate_count) return sum;
    mus_bend_relax(cloth, x, &d->bend);
    for (int32_t k = 0; k < cloth->sheet->plate_count; k++)
        sum += mus_plate_increment(cloth, k, &d->bend, dt, x, NULL, NULL);
    return sum;
}

static double sheet_energy(mus_dynamics *d, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt) {
    double sum = 0;
    for (int32_t f = 0; f < cloth->face_count; f++) sum += membrane_increment(d, cloth, f, start, dt, x, NULL);
    return sum + plate_energy(d, cloth, x, dt);
}

static void sheet_forces(mus_dynamics *d, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt, v3 *force,
                         mus_block_matrix *matrix) {
    if (d->moduli && d->moduli_updates < MODULI_UPDATES) set_moduli(d, cloth, x), d->moduli_updates++;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        v3 gradient[3];
        membrane_increment(d, cloth, f, start, dt, x, gradient);
        for (int k = 0; k < 3; k++) {
            v3 *of = &force[cloth->faces[3 * f + k]];
            *of = v3_sub(*of, gradient[k]);
        }
    }
    mus_plate_increment_forces(cloth, dt, x, &d->bend, force);
    v3 *rate = d->guess, *unused = d->change;
    for (int32_t i = 0; i < cloth->vertex_count; i++) rate[i] = v3_scale(1 / dt, v3_sub(x[i], start[i]));
    mus_membrane_linearize(cloth, d->face_pair, x, rate, dt, unused, matrix);
    mus_plate_linearize(cloth, d->plate_pair, x, rate, dt, &d->bend, unused, matrix);
}

static void network_forces(mus_dynamics *d, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt, v3 *force,
                           mus_block_matrix *matrix) {
    mus_network_increment(cloth, start, dt, x, force);
    v3 *rate = d->guess, *unused = d->change;
    for (int32_t i = 0; i < cloth->vertex_count; i++) rate[i] = v3_scale(1 / dt, v3_sub(x[i], start[i]));
    mus_network_linearize(cloth, d->network_pair, x, rate, dt, unused, matrix);
}

mus_status mus_incremental_start_create(const mus_cloth *cloth, mus_incremental_start *start) {
    *start = (mus_incremental_start){0};
    start->length = mus_new(sizeof *start->length * ((size_t)cloth->spring_count + 1));
    start->damping = mus_new(sizeof *start->damping * ((size_t)cloth->spring_count + 1));
    start->angle = mus_new(sizeof *start->angle * ((size_t)cloth->hinge_count + 1));
    return start->length && start->damping && start->angle ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_incremental_start_free(mus_incremental_start *start) {
    mus_free(start->length), mus_free(start->damping), mus_free(start->angle);
    *start = (mus_incremental_start){0};
}

void mus_incremental_start_at(mus_incremental_start *start, mus_dynamics *d, const mus_cloth *cloth, const v3 *x) {
    mus_incremental_begin(d, cloth, x);
    start->x = x;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        start->length[k] = v3_length(v3_sub(x[cloth->springs[k].a], x[cloth->springs[k].b]));
        start->damping[k] = friction_of(cloth, k);
    }
    memset(start->angle, 0, sizeof *start->angle * (size_t)cloth->hinge_count);
    for (int32_t k = 0; cloth->material.bending_damping > 0 && k < cloth->hinge_count; k++) {
        mus_hinge_shape f;
        if (!measure(&cloth->hinges[k], x, &f)) continue;
        start->angle[k].sine = f.sine, start->angle[k].cosine = f.cosine;
    }
}

void mus_incremental_begin(mus_dynamics *d, const mus_cloth *cloth, const v3 *start) {
    mus_spring_programs_begin(cloth, start);
    mus_bend_begin(cloth, start, &d->bend);
    set_moduli(d, cloth, start);
    d->moduli_updates = 0;
}

double mus_incremental_energy(mus_dynamics *d, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt) {
    double sum = spring_energy(cloth, start, x, dt) + hinge_energy(cloth, start, x, dt);
    if (cloth->network) sum += mus_network_increment(cloth, start, dt, x, NULL);
    return cloth->sheet ? sum + sheet_energy(d, cloth, start, x, dt) : sum;
}

double mus_incremental_elastic_energy(mus_dynamics *d, const mus_cloth *cloth, const v3 *x) {
    mus_incremental_begin(d, cloth, x);
    double sum = spring_energy(cloth, x, x, 1) + hinge_energy(cloth, x, x, 1) - hinge_energy_at_rest(cloth);
    if (cloth->network) sum += mus_network_increment(cloth, x, 1, x, NULL);
    for (int32_t f = 0; cloth->sheet && f < cloth->face_count; f++) sum += mus_membrane_work(cloth, f, x);
    return cloth->sheet ? sum + plate_energy(d, cloth, x, 1) : sum;
}

/* Rows of springs and hinges. */
static void force_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const forces_job *j = context;
    (void)block;
    mus_element_runs_visit(&j->d->springs, (int32_t)begin, (int32_t)end, spring_forces, context);
    mus_element_runs_visit(&j->d->hinges, (int32_t)begin, (int32_t)end, hinge_forces, context);
}

void mus_incremental_forces(mus_dynamics *d, const mus_cloth *cloth, const mus_incremental_start *start, const v3 *x,
                            double dt, int threads, v3 *force, mus_block_matrix *matrix) {
    forces_job job = {d, cloth, start, x, dt, force, matrix};
    int32_t n = cloth->vertex_count;
    int32_t blocks = d->local && n >= WORTH_THREADS && threads > 1 ? BLOCKS_PER_THREAD * threads : 1;
    mus_spring_programs_within(cloth, start->x, x, dt);
    mus_parallel_for(blocks > 1 ? threads : 1, n, (n - 1) / blocks + 1, force_rows, &job);
    if (cloth->network) network_forces(d, cloth, start->x, x, dt, force, matrix);
    if (cloth->sheet) sheet_forces(d, cloth, start->x, x, dt, force, matrix);
}
