/* coupled_newton.c: the convex problem of coupled.c with fixed multipliers and friction limits: a semismooth Newton
 * method (Qi & Sun 1993) with preconditioned conjugate gradients. */
#include "solve/solver.h"

#include <string.h>

/* Halvings of a line search, to the rounding of a share. */
enum { MAX_SEARCH_HALVINGS = 40 };

typedef struct newton_limits {
    int steps;
    double resting_residual;      /* m/s^2: tolerance at rest, as an acceleration of every vertex and body */
    double impact_residual_share; /* in an impact: share of the initial residual; where all contacts are solved so, of
                                     the mean acceleration, at least the world's scale. The former has the penalties of
                                     what the predicted motion penetrates, fifty times the deceleration: 2 % of it was
                                     more than friction, which an impact lost (1.33 for 0.87 m/s along the floor). */
} newton_limits;
/* For cloth and bodies, solved once in a step; and for linearizations, of which the next corrects what is left. Of the
 * latter, with at most 2 and 4 linearizations in a step: 1 step lets the sheet of example 02 hang on the ball; 3 and 4
 * are as accurate as 2. Shares of 0.02, 0.05, 0.1, 0.2 and 0.4: iterations of pile 58, 52, 46, 39 and 32, and with 0.4
 * friction is lost at 1/60 s. At rest, 0.5 and 0.02 m/s^2: the taut strip moves by 0.06 and 0.006 mm/s, a cantilever is
 * off by 2.1 and 0.3 %; the latter costs 3 % in sphere, and less in table. 0.02, 0.01, 0.005 and 0.002: the free
 * corners of example 02 move by 1, 0.006, 0.002 and 0.011 mm within two seconds at rest, in 3.3, 2.9, 3.0 and 2.2
 * iterations a step; sphere takes 34.5, 32.3, 32.4 and 38.3, pile 73.1, 73.6, 74.3 and 74.2. Of 18 runs of
 * tests/scenes/funnel.lua, pinch.lua and twist.lua with the friction varied by 1e-5, whose gaps end near half the
 * thickness, 4, 2 and 2 (0.005) leave their bounds. With bodies 30 steps, of which few are taken: with 2 the penalties
 * of a box that falls on loose cloth leave so much that it is thrown up (110 J for 6). */
static const newton_limits once = {30, 0.05, 1e-3}, repeated = {2, 0.01, 5e-2}, with_bodies = {30, 0.02, 5e-2};
/* Reduction of the residual by a linear solve, which need not go below half of the tolerance, by the blocks of the
 * diagonal; and that of the slope by the line search: Newton's next step corrects the rest. With 0.1, 0.12, 0.15, 0.2
 * and 0.3 iterations of pile are 52, 49, 44, 36 and 28; with 0.15 the energy of table rose by 2.7e-3 of what it had
 * lost in one of five runs, with 0.2 that of a pile by 3.6e-4, with 0.3 by 0.1. */
static const double residual_reduction = 0.12, solver_share = 0.25, slope_reduction = 0.3;
/* World's scales of acceleration that a residual may leave to a body with soft pins: stiff ones make little of it in
 * the norm of the preconditioner, while the body's own mass turns it into motion. Bodies of 1, 10 and 100 g on springs
 * of 1e3 and 1e5 N/m, 3 to 50 cm off their centers, 0.5 s: without this up to 3e16 J were gained, with 0.05 5e-3 J,
 * with 0.005 7e-6 J, of 3e-4 to 0.5 J. */
static const double max_body_residual = 0.005;
/* Multiple of the tolerance below which the last residual makes it worth while to measure the next one with the
 * preconditioner of the last solve, before another is built. */
static const double near_enough = 3;
/* m/s^2: initial residual up to which a step is calm. */
static const double calm_residual = 0.1;
/* World's scales of acceleration: initial residual from which on a linearization has an impact in it. Cloth that begins
 * to rest on what is below it has one of gravity. */
static const double impact_scales = 2;

/* Initial residual from which on elastic forces of the step before are not remembered: as a displacement in a step, in
 * displacements of obstacles in a substep (0.4 edges). With 0.3, 1, 3 and 10 the swing of a sheet that was hit
 * (tests/accuracy/swing_test.lua) is off by 11, 4, 6 and 6 % with steps of 1/120 s, by 4, 7, 4 and 4 with 1/240; the
 * energy of pile rises by 1e-14, 1e-14, 1e-14 and 1e-3 of what is present. */
static const double large_start = 3;

/* Returns r.z of the residual of 1 m/s^2 on all masses. Where all contacts are solved so, on those of cloth, if any
 * may move: a heavy body would hide what is left on the cloth that carries it (100 kg on two loose sheets rested 0.2 mm
 * too high). */
static double unit_of(mus_solver *s, v3 *r, v3 *z) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    double dt2 = s->dt * s->dt;
    memset(r, 0, sizeof(v3) * (size_t)c->size);
    bool any = false;
    for (int32_t i = 0; i < c->n; i++)
        if (a->inverse_mass[i] > 0) r[i].y = dt2 / a->inverse_mass[i], any = true;
    for (int32_t k = 0; k < a->rigid_count && !(c->all && any); k++) r[c->n + 2 * k].y = dt2 * a->rigids[k].of->mass;
    return mus_coupled_precondition(c, r, z);
}

/* ---- Newton's method ---- */

typedef struct rows {
    mus_coupled *coupled;
    v3 *product;
    double share;
} rows;

static void unload_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_coupled *c = ((const rows *)context)->coupled;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        c->residual[i] = c->right ? v3_sub(c->right[i], c->matrix_product[i]) : v3_neg(c->matrix_product[i]);
}

/* Residual at u, where forces were evaluated last. */
static void evaluate_residual(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    mus_parallel_vertices(c->threads, c->size, unload_rows, &(rows){.coupled = c});
    mus_coupled_set_impulses(s);
    mus_coupled_add_terms(s, NULL, c->residual);
}

static void subtract_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const rows *of = context;
    mus_coupled *c = of->coupled;
    (void)block;
    for (int64_t i = begin; i < end; i++) of->product[i] = v3_sub(c->residual[i], c->preconditioned[i]);
}

/* The matrices times the change, from what the solve for it took from the residual at u: a product less. Returns the
 * change times it. */
static double recover_product(mus_solver *s, v3 *hp) {
    mus_coupled *c = &s->coupled;
    mus_parallel_copy(c->threads, c->preconditioned, c->residual, c->size, sizeof(v3));
    evaluate_residual(s);
    mus_parallel_vertices(c->threads, c->size, subtract_rows, &(rows){.coupled = c, .product = hp});
    mus_coupled_set_products(s, -1, c->change);
    return mus_coupled_add_terms(s, c->change, hp);
}

static void move_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const rows *of = context;
    mus_coupled *c = of->coupled;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        c->u[i] = v3_axpy(of->share, c->change[i], c->u[i]);
        c->matrix_product[i] = v3_axpy(of->share, of->product[i], c->matrix_product[i]);
    }
}

/* Moves u along the change to where the objective has fallen enough. */
static void line_search(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    v3 *p = c->change, *hp = c->product;
    double curvature = recover_product(s, hp);
    mus_coupled_begin_line(s, p);
    double constant = mus_coupled_dot(c, p, c->matrix_product);
    if (c->right) constant -= mus_coupled_dot(c, p, c->right);
    double start = constant - mus_coupled_line_work(s), share = 1, lo = 0, hi = 1;
    for (int k = 0; k < MAX_SEARCH_HALVINGS; k++) {
        mus_coupled_evaluate(s, share);
        double here = constant + share * curvature - mus_coupled_line_work(s);
        if (fabs(here) <= slope_reduction * fabs(start) || (here < 0 && share == 1)) break;
        if (here > 0)
            hi = share;
        else
            lo = share;
        share = 0.5 * (lo + hi);
    }
    mus_parallel_vertices(c->threads, c->size, move_rows, &(rows){c, hp, share});
    mus_coupled_end_line(s, share);
}

/* Coulomb's law with the normal impulses of the iterate, for contacts that had none before. For all, the energy of a
 * pile (tests/world/test_energy) rises by 1.7 % of what it has lost where it lands: iterates overshoot in an impact,
 * where this is left to the next linearization (in a stack of fifty sheets vertices got 4.4 m/s, else 2.5). */
static void set_new_friction_limits(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        if (!(t->limit > 0)) t->limit = s->constraints.data[t->constraint].friction * fmax(0, t->normal_impulse);
    }
}

/* Mean acceleration of the change, m/s^2. */
static double acceleration_of_change(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    double sum = 0, mass = 0;
    for (int32_t i = 0; i < c->n; i++) {
        if (!(a->inverse_mass[i] > 0)) continue;
        sum += v3_length2(c->change[i]) / a->inverse_mass[i], mass += 1 / a->inverse_mass[i];
    }
    for (int32_t k = 0; k < a->rigid_count; k++) {
        sum += a->rigids[k].of->mass * v3_length2(c->change[c->n + 2 * k]), mass += a->rigids[k].of->mass;
    }
    return mass > 0 ? sqrt(sum / mass) / (s->dt * s->dt) : 0;
}

/* Returns whether the residual would accelerate a body with soft pins, whose velocity it changes at the end, by more
 * than is tolerated; rotation counts at the radius of gyration. */
static bool bodies_are_off(const mus_solver *s) {
    const mus_coupled *c = &s->coupled;
    double most = max_body_residual * s->assembly.acceleration_scale * s->dt * s->dt;
    for (int64_t k = 0; k < c->attachments.count; k++) {
        int32_t entry = c->attachments.data[k].entry;
        const mus_rigid_step *r = &s->assembly.rigids[(entry - c->n) / 2];
        const v3 *inertia = r->of->inertia.r;
        double gyration = sqrt((inertia[0].x + inertia[1].y + inertia[2].z) / r->of->mass);
        if (v3_length(c->residual[entry]) > most * r->of->mass) return true;
        if (gyration * v3_length(m3_mul_v3(&r->inverse_inertia, c->residual[entry + 1])) > most) return true;
    }
    return false;
}

/* Minimizes the convex problem with fixed friction limits. */
double mus_coupled_newton(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    const newton_limits *limits = !c->all ? &once : c->has_bodies ? &with_bodies : &repeated;
    double left = 0;
    bool is_impact = false, is_first = !(c->enough > 0);
    for (int k = 0;; k++) {
        if (k == 1) is_impact = left > impact_scales * s->assembly.acceleration_scale;
        if (k && c->all && !is_impact) set_new_friction_limits(s);
        mus_coupled_evaluate(s, 0);
        evaluate_residual(s);
        /* a stiff contact short of its gap is little of a residual */
        bool corrects = c->all && k == 0 && c->has_deep_contact;
        /* near the end, first by the preconditioner at hand, which need not be built again if this is enough */
        if (c->all && c->grid.has_values && !corrects && c->residual_left < near_enough * c->enough) {
            left = sqrt(mus_coupled_precondition(c, c->residual, c->preconditioned) / c->unit);
            if (left <= c->enough && !bodies_are_off(s)) return c->residual_left = left;
        }
        mus_coupled_build_preconditioner(s);
        if (!c->all || !(c->enough > 0)) {
            c->unit = unit_of(s, c->residual, c->preconditioned);
            evaluate_residual(s);
        }
        double rz = mus_coupled_precondition(c, c->residual, c->preconditioned);
        c->residual_left = left = sqrt(rz / c->unit);
        if (!(c->enough > 0)) {
            c->enough = c->all ? limits->resting_residual
                               : fmax(limits->resting_residual, limits->impact_residual_share * left);
            c->is_calm = left <= calm_residual;
            c->begins_with_impact = is_first && left * s->dt * s->dt > large_start * s->travel;
            if (c->begins_with_impact && c->model.former_force) { /* the caller starts again without */
                c->enough = 0;
                return left;
            }
        }
        corrects &= left > limits->resting_residual;
        corrects |= bodies_are_off(s);
        if ((left <= c->enough && !corrects) || k == limits->steps) return left;
        double enough = left > c->enough ? solver_share * c->enough * c->enough * c->unit / rz : 0;
        c->newton_steps++;
        mus_coupled_solve(s, fmax(enough, residual_reduction * residual_reduction), rz);
        if (is_first && k == 0 && c->all && left > impact_scales * s->assembly.acceleration_scale)
            c->enough = fmax(c->enough, limits->impact_residual_share *
                                            fmax(acceleration_of_change(s), s->assembly.acceleration_scale));
        line_search(s);
        if (c->all && k + 1 == limits->steps) break; /* the next linearization finds what is left */
    }
    mus_coupled_evaluate(s, 0);
    return left;
}
