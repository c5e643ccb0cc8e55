/* cloth_rigid.c: the convex problem of a step in which cloth touches rigid bodies: minimize x H x / 2 over the
 * displacements x that satisfy contacts and strain limits, with H the matrix of linearized implicit Euler and the mass
 * and inertia of the bodies. Violations are penalized, with multipliers (augmented Lagrangian, Rockafellar 1974) where
 * an impact leaves too much; friction limits are those of the previous solution's normal impulses. */
#include "response/rigid_contact.h"
#include "solve/solver.h"

#include <string.h>

/* Updates of multipliers; and levels of a restart with softer penalties, each softer_factor of the next. */
enum { MAX_MULTIPLIER_UPDATES = 8, SOFTER_LEVELS = 6 };
static const double softer_factor = 0.25;

/* Penalty stiffness, in masses of the heaviest body or cloth in contact: of an edge, and of all contacts between cloth
 * and bodies together. A body sinks in under its weight by the fall of one step divided by this. With a hundred
 * contacts each as stiff as an edge, the problem would be worse conditioned by as much, and its residual would throw up
 * a heavy box on loose cloth. */
static const double edge_hardness = 10, contact_hardness = 25;
/* Violations that are tolerated: slip of sticking contacts and gaps, in thicknesses of the contact; stretch, in longest
 * lengths of the edge; change of a friction limit, relative. */
static const double max_slip = 1e-3, max_gap_error = 0.05, max_stretch = 2e-3, max_limit_change = 0.05;
/* Residuals, in multiples of the tolerance `enough`: above the first the solve is restarted, above the second it has
 * failed. None of these was varied: bench has no scene with rigid bodies. */
static const double restart_residual = 10, failed_residual = 100;

mus_status mus_cloth_rigid_create(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_cloth_rigid *c = &s->cloth_rigid;
    if (!a->rigid_count || !a->cloth_vertex_count) return MUS_STATUS_OK;
    c->n = a->cloth_vertex_count, c->size = c->n + 2 * a->rigid_count;
    v3 **vectors[] = {&c->u,         &c->matrix_product, &c->change, &c->residual,
                      &c->direction, &c->preconditioned, &c->product};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = mus_new(sizeof(v3) * (size_t)c->size))) return MUS_STATUS_NO_MEMORY;
    c->matrix = mus_new(sizeof *c->matrix * (size_t)a->cloth_count);
    c->mass = mus_new(sizeof *c->mass * (size_t)a->cloth_count);
    c->inverse = mus_new(sizeof *c->inverse * (size_t)c->n);
    c->rigid_bodies = mus_new(sizeof *c->rigid_bodies * (size_t)a->rigid_count);
    c->edges = mus_new(sizeof *c->edges * ((size_t)s->limit.count + 1));
    return c->matrix && c->mass && c->inverse && c->rigid_bodies && c->edges ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_cloth_rigid_free(mus_cloth_rigid *c) {
    void *blocks[] = {c->u,       c->matrix_product, c->change, c->residual, c->direction,    c->preconditioned,
                      c->product, c->matrix,         c->mass,   c->inverse,  c->rigid_bodies, c->edges};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    mus_array_free(&c->constraints);
    *c = (mus_cloth_rigid){0};
}

void mus_cloth_rigid_begin(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_cloth_rigid *c = &s->cloth_rigid;
    if (!c->n) return;
    memset(c->edges, 0, sizeof *c->edges * (size_t)s->limit.count);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        c->mass[k] = 0;
        for (int32_t i = 0; i < cloth->vertex_count; i++) c->mass[k] += cloth->mass[i];
        c->matrix[k] = mus_solver_matrix(s, k);
        if (s->def.integrator->implicit || !c->matrix[k]) continue;
        /* explicit integrators take the forces at the start: impulses are resisted by inertia only */
        mus_block_matrix_clear(c->matrix[k]);
        for (int32_t i = 0; i < c->matrix[k]->n; i++) {
            double w = a->inverse_mass[a->objects[k].first + i];
            mus_sym3_add(&c->matrix[k]->diagonal[i], 0, v3_make(0, 0, 0), w > 0 ? 1 / w : 1);
        }
    }
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_rigid_step *r = a->objects[k].rigid;
        if (r) c->rigid_bodies[r - a->rigids].inertia = mus_rigid_inertia(r->of, a->objects[k].pose0.rotation);
    }
}

static bool is_cloth_rigid_contact(const mus_assembly *a, const mus_contact_constraint *constraint) {
    return constraint->has_rigid_body && constraint->response < 0 &&
           (a->objects[constraint->object[0]].cloth || a->objects[constraint->object[1]].cloth);
}

bool mus_cloth_rigid_is_needed(const mus_solver *s) {
    if (!s->cloth_rigid.n) return false;
    for (int64_t k = 0; k < s->constraints.count; k++)
        if (is_cloth_rigid_contact(&s->assembly, &s->constraints.data[k])) return true;
    return false;
}

/* ---- the solve ---- */

static double mass_of(const mus_cloth_rigid *c, const mus_assembly *a, int32_t object) {
    const mus_rigid_step *r = a->objects[object].rigid;
    return r ? r->of->mass : object < a->cloth_count ? c->mass[object] : 0;
}

static mus_status begin_solve(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_cloth_rigid *c = &s->cloth_rigid;
    double heaviest = 0;
    int64_t contact_count = 0;
    c->constraints.count = 0;
    for (int64_t k = 0; k < s->constraints.count; k++) {
        const mus_contact_constraint *constraint = &s->constraints.data[k];
        if (constraint->response >= 0) continue;
        mus_cloth_rigid_constraint t = {
            .constraint = k,
            .at = mus_contact_end_vector(a, constraint),
            .start_impulse = v3_axpy(constraint->normal_impulse, constraint->normal, constraint->friction_impulse),
            .friction_multiplier = constraint->friction_impulse,
            .limit = constraint->friction * constraint->normal_impulse};
        if (!mus_array_push(&c->constraints, t)) return MUS_STATUS_NO_MEMORY;
        if (!is_cloth_rigid_contact(a, constraint)) continue;
        contact_count++;
        heaviest = fmax(heaviest, fmax(mass_of(c, a, constraint->object[0]), mass_of(c, a, constraint->object[1])));
    }
    c->edge_gain = edge_hardness * heaviest;
    c->gain = fmin(edge_hardness, contact_hardness / (double)contact_count) * heaviest;
    c->enough = 0;
    for (int32_t k = 0; k < s->limit.count; k++) {
        mus_cloth_rigid_edge *t = &c->edges[k];
        const mus_limit_edge *e = &s->limit.edges[k];
        v3 d = v3_sub(a->x1[e->a], a->x1[e->b]);
        double length = v3_length(d), before = v3_length(v3_sub(a->x0[e->a], a->x0[e->b]));
        t->longest = fmax((double)e->longest, before - 2 * max_stretch * (double)e->longest);
        t->multiplier = 0;
        t->start_impulse = length > 0 ? v3_scale(t->tension / length, d) : v3_make(0, 0, 0);
    }
    return MUS_STATUS_OK;
}

/* Starts from the state with unchanged velocities, or from the current one, whichever has the lower objective. For
 * objects at rest the contacts and taut edges are active in the former already. */
static void choose_start(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_cloth_rigid *c = &s->cloth_rigid;
    for (int32_t i = 0; i < c->n; i++) {
        bool free = a->inverse_mass[i] > 0;
        c->u[i] = free ? v3_sub(v3_axpy(s->dt, a->v0[i], a->x0[i]), a->x1[i]) : v3_make(0, 0, 0);
    }
    for (int32_t k = 0; k < a->rigid_count; k++) {
        const mus_rigid_step *r = &a->rigids[k];
        v3 *u = c->u + c->n + 2 * k, spin = m3_mul_v3(&r->inverse_inertia, v3_sub(r->momentum0, r->momentum1));
        u[0] = v3_sub(v3_scale(s->dt, v3_sub(r->v0, r->v1)), r->shift);
        u[1] = v3_sub(v3_scale(s->dt, spin), r->turned);
    }
    mus_cloth_rigid_multiply_inertia(s, c->u, c->matrix_product);
    mus_cloth_rigid_evaluate(s, 0, NULL);
    double there = mus_cloth_rigid_objective(s);
    memcpy(c->change, c->u, sizeof(v3) * (size_t)c->size);
    memcpy(c->product, c->matrix_product, sizeof(v3) * (size_t)c->size);
    memset(c->u, 0, sizeof(v3) * (size_t)c->size);
    memset(c->matrix_product, 0, sizeof(v3) * (size_t)c->size);
    mus_cloth_rigid_evaluate(s, 0, NULL);
    if (mus_cloth_rigid_objective(s) < there) return;
    memcpy(c->u, c->change, sizeof(v3) * (size_t)c->size);
    memcpy(c->matrix_product, c->product, sizeof(v3) * (size_t)c->size);
    mus_cloth_rigid_evaluate(s, 0, NULL);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_cloth_rigid_constraint *t = &c->constraints.data[k];
        t->limit = s->constraints.data[t->constraint].friction * t->normal_impulse;
    }
}

/* Sets multipliers to the impulses of the iterate where violations are too large. Returns whether there were none. */
static bool update_multipliers(mus_solver *s) {
    mus_cloth_rigid *c = &s->cloth_rigid;
    bool is_converged = true;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_cloth_rigid_constraint *t = &c->constraints.data[k];
        const mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        double unit = constraint->thickness * c->gain, limit = constraint->friction * t->normal_impulse;
        bool sticks = t->normal_impulse > 0 && t->slip_stiffness > 0;
        bool slips = sticks && v3_length(v3_sub(t->friction_impulse, t->friction_multiplier)) > max_slip * unit;
        bool sinks = fabs(t->normal_impulse - t->multiplier) > max_gap_error * unit;
        slips |= fabs(limit - t->limit) > max_limit_change * fmax(limit, t->limit) &&
                 fabs(limit - t->limit) > max_slip * unit;
        if (slips || sinks) t->friction_multiplier = t->friction_impulse;
        if (sinks) t->multiplier = t->normal_impulse;
        t->limit = limit;
        is_converged &= !slips && !sinks;
    }
    for (int32_t k = 0; k < s->limit.count; k++) {
        mus_cloth_rigid_edge *t = &c->edges[k];
        if (fabs(t->pull - t->multiplier) <= max_stretch * (double)s->limit.edges[k].longest * c->edge_gain) continue;
        t->multiplier = t->pull;
        is_converged = false;
    }
    return is_converged;
}

/* Momentum correction of cloth without pins: its change of momentum must equal the impulses of its contacts. The error
 * of the solve is distributed over its contacts with obstacles, in proportion to their normal impulses. `cloth`: the
 * first of those that share a matrix. */
static void conserve_momentum(mus_solver *s, int32_t cloth) {
    const mus_assembly *a = &s->assembly;
    mus_cloth_rigid *c = &s->cloth_rigid;
    const mus_block_matrix *m = c->matrix[cloth];
    int32_t first = a->objects[cloth].first, last = cloth;
    if (!m) return;
    while (last + 1 < a->cloth_count && a->objects[last + 1].first < first + m->n) last++;
    v3 off = v3_make(0, 0, 0);
    for (int32_t i = 0; i < m->n; i++) {
        if (!(a->inverse_mass[first + i] > 0)) return;
        off = v3_sub(off, mus_sym3_mul(&m->diagonal[i], c->u[first + i]));
    }
    double normal_impulse_sum = 0;
    for (int k = 0; k < 2; k++) /* the first pass computes the error */
        for (int64_t r = 0; r < c->constraints.count; r++) {
            mus_cloth_rigid_constraint *t = &c->constraints.data[r];
            const mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
            bool of[2] = {constraint->object[0] >= cloth && constraint->object[0] <= last,
                          constraint->object[1] >= cloth && constraint->object[1] <= last};
            if (of[0] == of[1]) continue;
            if (k == 0) off = v3_axpy(of[0] ? 1 : -1, mus_cloth_rigid_impulse(t, constraint), off);
            if (constraint->object[of[0] ? 1 : 0] < a->cloth_count) continue;
            if (k == 0)
                normal_impulse_sum += t->normal_impulse;
            else if (t->normal_impulse > 0)
                t->friction_impulse =
                    v3_axpy((of[0] ? -1 : 1) * t->normal_impulse / normal_impulse_sum, off, t->friction_impulse);
        }
}

static void apply_solution(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_cloth_rigid *c = &s->cloth_rigid;
    for (int32_t k = 0; k < a->cloth_count; k++) conserve_momentum(s, k);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        const mus_cloth_rigid_constraint *t = &c->constraints.data[k];
        mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        v3 f = mus_cloth_rigid_impulse(t, constraint);
        constraint->normal_impulse = t->normal_impulse, constraint->friction_impulse = t->friction_impulse,
        constraint->idle = false;
        if (constraint->has_rigid_body) mus_contact_apply_rigid_impulse(a, constraint, f, v3_neg(f));
    }
    for (int32_t k = 0; k < s->limit.count; k++) c->edges[k].tension = c->edges[k].pull;
    for (int32_t i = 0; i < c->n; i++)
        if (a->inverse_mass[i] > 0) a->x1[i] = v3_add(a->x1[i], c->u[i]);
}

/* Restarts from zero displacement, with penalties that increase to the final ones: in an impact, contacts and edges
 * become active one by one. */
static double restart_with_continuation(mus_solver *s) {
    mus_cloth_rigid *c = &s->cloth_rigid;
    double gain = c->gain, edge_gain = c->edge_gain, left = 0;
    memset(c->u, 0, sizeof(v3) * (size_t)c->size);
    memset(c->matrix_product, 0, sizeof(v3) * (size_t)c->size);
    for (int k = SOFTER_LEVELS; k >= 0; k--) {
        c->gain = gain, c->edge_gain = edge_gain;
        for (int i = 0; i < k; i++) c->gain *= softer_factor, c->edge_gain *= softer_factor;
        left = mus_cloth_rigid_newton(s);
    }
    return left;
}

mus_status mus_cloth_rigid_solve(mus_solver *s, bool *solved) {
    mus_cloth_rigid *c = &s->cloth_rigid;
    mus_status status = begin_solve(s);
    *solved = false;
    if (status != MUS_STATUS_OK) return status;
    choose_start(s);
    for (int k = 0; k < MAX_MULTIPLIER_UPDATES; k++) {
        double left = mus_cloth_rigid_newton(s);
        if (left > restart_residual * c->enough && k == 0) left = restart_with_continuation(s);
        *solved = left <= failed_residual * c->enough;
        if (!*solved || update_multipliers(s)) break;
    }
    if (*solved) apply_solution(s);
    return MUS_STATUS_OK;
}
