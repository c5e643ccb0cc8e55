/* coupled.c: contacts, friction, strain limits, cloth and rigid bodies as one convex problem: minimize x H x / 2 - r x
 * over the displacements x that satisfy contacts and limits. Violations are penalized, with multipliers (augmented
 * Lagrangian, Hestenes 1969, Powell 1969, Rockafellar 1974); friction limits are those of the previous solution's
 * normal impulses. */
#include "response/rigid_contact.h"
#include "solve/solver.h"

#include <string.h>

/* Penalty stiffness, in masses of the heaviest body or cloth in contact: of an edge, and of all contacts between cloth
 * and bodies together. A body sinks in under its weight by the fall of one step divided by this. With a hundred
 * contacts each as stiff as an edge, the problem would be worse conditioned by as much, and its residual would throw up
 * a heavy box on loose cloth. */
static const double edge_hardness = 10, contact_hardness = 25;
/* Share of those that contacts and edges have at first where all contacts are solved so, unless the next is more: the
 * whole only from the linearization on that finds a gap missing or an edge too long. Stiff penalties converge slowly,
 * and what the solve leaves of them slows bodies: with all of it and 2 Newton steps a ball of 20 kg thrown through a
 * hanging sheet of 0.2 kg at 3 m/s turns back (it should lose 0.8 % of its energy). With 0.3, 0.1, 0.03 and 0.01 it
 * takes 2.2, 1.8, 1.3 and 1.2 s, and a box of 100 kg dropped on two loose sheets ends with 2.9, 0, 0.1 and 7 mm/s. */
static const double first_hardness = 0.1;
/* Share of the stiffness of its cloth along the normal that a contact's penalty has at least. Within its plane cloth is
 * a thousand times as stiff as its mass: an upright strip that is pressed on a floor used up nine tenths of its gap,
 * and slipped at once (tests/accuracy/stick_slip_test.lua). With 0, 0.3 and 1: iterations of pile 30, 26 and 36, of
 * sphere 21, 16 and 17, of table 15, 16 and 17. With 0 and 0.3, worst of eight runs that differ by 1e-5 of friction: in
 * tests/scenes/funnel.lua 67 and 0 vertices in zones, stretch 23 and 14 %, in mixed.lua 4.0 and 1.6 m/s. */
static const double stiffness_share = 0.3;
/* Where all contacts are solved so: penalty stiffness in effective masses of a contact, and of an edge. With 37 and 150
 * of a contact: iterations 41 and 51 for 45 of sphere, 53 and 64 for 55 of pile; with 1000 and 4000 of an edge: within
 * 2 of them. No energy of the three scenes rises. */
static const double contact_gain = 75, edge_gain = 2000;
/* Factor of the former for contacts that are short of their gap by this share of their thickness, where many do not
 * keep their pairs apart. With 20 or 0.3 tests/scenes/twist.lua is as well; with 0.05 sphere takes 1.13 times the
 * iterations. In every solve: iterations as before, but the energy of pile rises by 7e-3. */
static const double stiffening = 5, stiffened_gap_error = 0.1;
/* Violations that are tolerated: slip of sticking contacts and gaps, in thicknesses of the contact; stretch, in longest
 * lengths of the edge; change of a friction limit, relative. */
static const double max_slip = 1e-3, max_gap_error = 0.05, max_stretch = 2e-3, max_limit_change = 0.05;
/* Change of the sum of friction limits by a solution, relative, up to which they are not old. What slides over faces at
 * 1.01 of the angle of friction has 1.05 of its acceleration so; with 1e-3 1.3 times, and all calm steps take 0.95 of
 * the time (240 frames of sphere). */
static const double max_limit_error = 1e-4;
/* Residual from which on a linearization has ended too far from its solution for its penalties to be multipliers, in
 * multiples of the tolerance and of the world's scale of accelerations: the next one goes on with those it had.
 * Without, vertices of tests/scenes/stack.lua get 7 m/s, and its energy rises in single steps by what it has lost; with
 * 15 and 20 of the latter 2.2 m/s at most in four runs each, with 40 7 m/s. Lower ones are worse for twist.lua, where
 * nothing converges: with 10 of the tolerance alone stretch is 70 %. */
static const double unconverged_residual = 50, unconverged_scales = 20;
/* Share of an edge's allowed stretch from which on it is in a solve. Not varied. */
static const double near_limit = 0.5;
/* Share of the excess of an edge over its limit that a step corrects, but at least twice `max_stretch`: all at once
 * would be a blow. Stretch of one edge of 1 mm between two steps in tests/scenes/mixed.lua, most of any step: 0.61
 * without, 0.35 with the half. */
static const double corrected_excess = 0.5;

mus_status mus_coupled_create(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    c->all = s->def.family->couples_contacts;
    if (!c->all && (!a->rigid_count || !a->cloth_vertex_count)) return MUS_STATUS_OK;
    c->n = a->cloth_vertex_count, c->size = c->n + 2 * a->rigid_count, c->threads = s->def.threads;
    if (!c->size) return MUS_STATUS_OK;
    mus_status status = mus_row_terms_create(&c->row_terms, c->n);
    if (status != MUS_STATUS_OK) return status;
    size_t cloths = (size_t)a->cloth_count + 1, vertices = (size_t)c->n + 1;
    v3 **vectors[] = {&c->u,         &c->matrix_product, &c->change, &c->residual,
                      &c->direction, &c->preconditioned, &c->product};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = mus_new(sizeof(v3) * (size_t)c->size))) return MUS_STATUS_NO_MEMORY;
    c->matrix = mus_new(sizeof *c->matrix * cloths);
    c->mass = mus_new(sizeof *c->mass * cloths);
    c->inverse = c->all ? NULL : mus_new(sizeof *c->inverse * vertices);
    c->rigid_bodies = mus_new(sizeof *c->rigid_bodies * ((size_t)a->rigid_count + 1));
    c->tension = mus_new(sizeof *c->tension * ((size_t)s->limit.count + 1));
    c->is_long = mus_new(sizeof *c->is_long * ((size_t)s->limit.count + 1));
    if (!c->matrix || !c->mass || (!c->inverse && !c->all) || !c->rigid_bodies || !c->tension || !c->is_long)
        return MUS_STATUS_NO_MEMORY;
    return MUS_STATUS_OK;
}

void mus_coupled_free(mus_coupled *c) {
    void *blocks[] = {c->u,       c->matrix_product, c->change, c->residual, c->direction,    c->preconditioned,
                      c->product, c->matrix,         c->mass,   c->inverse,  c->rigid_bodies, c->tension,
                      c->is_long};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    mus_free(c->first), mus_free(c->groups), mus_free(c->group_parent), mus_free(c->right), mus_free(c->marked),
        mus_free(c->outside), mus_free(c->body_residual);
    for (int k = 0; k < 3; k++) mus_free(c->elastic_force[k]);
    mus_incremental_model_free(&c->model);
    mus_coupled_matrix_free(&c->grid);
    mus_array_free(&c->constraints), mus_array_free(&c->edges), mus_array_free(&c->attachments);
    mus_array_free(&c->former), mus_array_free(&c->is_listed);
    mus_row_terms_free(&c->row_terms), mus_array_free(&c->of_bodies), mus_array_free(&c->block_sum);
    mus_contact_energies_free(&c->energies);
    *c = (mus_coupled){0};
}

void mus_coupled_mark_ends(mus_solver *s) {
    if (s->coupled.n) memcpy(s->coupled.marked, s->assembly.x1, sizeof(v3) * (size_t)s->coupled.n);
}

void mus_coupled_begin(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    if (!c->u) return;
    memset(c->tension, 0, sizeof *c->tension * (size_t)s->limit.count);
    memset(c->is_long, 0, sizeof *c->is_long * (size_t)s->limit.count);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        c->mass[k] = 0;
        for (int32_t i = 0; i < cloth->vertex_count; i++) c->mass[k] += cloth->mass[i];
        c->matrix[k] = mus_solver_matrix(s, k);
        if (s->def.integrator->implicit || !c->matrix[k]) continue;
        /* explicit integrators take the forces at the start: impulses are resisted by inertia only */
        mus_block_matrix_clear(c->matrix[k], c->threads);
        for (int32_t i = 0; i < c->matrix[k]->n; i++) {
            double w = a->inverse_mass[a->objects[k].first + i];
            mus_sym3_add(&c->matrix[k]->diagonal[i], 0, v3_make(0, 0, 0), w > 0 ? 1 / w : 1);
        }
    }
    if (c->all) {
        memset(c->outside, 0, sizeof(v3) * (size_t)c->n), mus_coupled_mark_ends(s);
        memset(c->body_residual, 0, sizeof(v3) * 2 * (size_t)a->rigid_count);
    }
    c->newton_steps = c->iterations = 0, c->is_linearized = c->stiffens = c->is_calm = c->has_old_limits = false,
    c->enough = c->step_curvature = 0;
    c->pattern_count = -1;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_rigid_step *r = a->objects[k].rigid;
        if (r) c->rigid_bodies[r - a->rigids].inertia = mus_rigid_inertia(r->of, a->objects[k].pose0.rotation);
    }
}

bool mus_coupled_is_cloth_rigid(const mus_assembly *a, const mus_contact_constraint *constraint) {
    return constraint->has_rigid_body && constraint->response < 0 &&
           (a->objects[constraint->object[0]].cloth || a->objects[constraint->object[1]].cloth);
}

/* ---- rigid bodies that touch cloth, and free ones: free_bodies.c ---- */

static bool joins_touched_body(const mus_solver *s, const mus_contact_constraint *constraint, int k) {
    const mus_object *other = &s->assembly.objects[constraint->object[1 - k]];
    return other->cloth || (other->rigid && s->coupled.rigid_bodies[other->rigid - s->assembly.rigids].touches_cloth);
}

void mus_coupled_mark_bodies(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    bool any = true;
    for (int32_t k = 0; k < a->rigid_count; k++) c->rigid_bodies[k].touches_cloth = false;
    for (int64_t k = 0; k < a->attachments.count; k++)
        c->rigid_bodies[a->objects[a->attachments.data[k].object].rigid - a->rigids].touches_cloth = true;
    while (any && a->rigid_count) {
        any = false;
        for (int64_t k = 0; k < s->constraints.count; k++) {
            const mus_contact_constraint *constraint = &s->constraints.data[k];
            for (int i = 0; i < 2 && constraint->has_rigid_body && constraint->response < 0; i++) {
                const mus_rigid_step *r = a->objects[constraint->object[i]].rigid;
                if (!r || c->rigid_bodies[r - a->rigids].touches_cloth || !joins_touched_body(s, constraint, i))
                    continue;
                c->rigid_bodies[r - a->rigids].touches_cloth = any = true;
            }
        }
    }
}

bool mus_coupled_is_of_free_bodies(const mus_solver *s, const mus_contact_constraint *constraint) {
    const mus_assembly *a = &s->assembly;
    for (int i = 0; i < 2 && constraint->has_rigid_body; i++) {
        const mus_object *object = &a->objects[constraint->object[i]];
        if (object->cloth || (object->rigid && s->coupled.rigid_bodies[object->rigid - a->rigids].touches_cloth))
            return false;
    }
    return constraint->has_rigid_body;
}

/* ---- the solve ---- */

static double mass_of(const mus_coupled *c, const mus_assembly *a, int32_t object) {
    const mus_rigid_step *r = a->objects[object].rigid;
    return r ? r->of->mass : object < a->cloth_count ? c->mass[object] : 0;
}

/* Effective stiffness of a contact's cloth along its normal, kg: as an effective mass, with the diagonal of the matrix
 * in place of masses. */
static double stiffness_of(const mus_coupled *c, const mus_coupled_constraint *t) {
    double inverse = 0;
    for (int32_t k = 0; k < t->count; k++) {
        double along = v3_dot(t->normal, mus_sym3_mul(&c->grid.diagonal[t->row[k]], t->normal));
        inverse += t->weight[k] * t->weight[k] / along;
    }
    return inverse > 0 ? 1 / inverse : 0;
}

typedef struct gains {
    mus_coupled *coupled;
    double shared;
} gains;

static void set_contact_gains(void *context, int64_t begin, int64_t end, int64_t block) {
    const gains *of = context;
    mus_coupled *c = of->coupled;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        t->gain = of->shared;
        if (c->all) t->gain = fmax(contact_gain * t->mass, stiffness_share * stiffness_of(c, t));
        if (t->is_stiffened) t->gain *= stiffening;
        if (c->all) t->gain = fmax(t->gain, (t->is_short ? 1 : first_hardness) * of->shared);
    }
}

void mus_coupled_set_gains(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    double heaviest = c->heaviest, shared = 0;
    if (c->body_contact_count)
        shared = fmin(edge_hardness, contact_hardness / (double)c->body_contact_count) * heaviest;
    c->softness = 1;
    mus_parallel_vertices(c->threads, c->constraints.count, set_contact_gains, &(gains){c, shared});
    for (int64_t k = 0; k < c->edges.count; k++) {
        mus_coupled_edge *t = &c->edges.data[k];
        double w = a->inverse_mass[t->a] + a->inverse_mass[t->b];
        t->gain = edge_hardness * heaviest;
        if (c->all) t->gain = fmax(w > 0 ? edge_gain / w : 0, (c->is_long[t->edge] ? 1 : first_hardness) * t->gain);
    }
}

typedef struct terms {
    mus_solver *s;
    bool applied, keeps; /* impulses are in x1; multipliers are those of the solve before */
} terms;

/* Marks edges that may reach their limit. Where a solve is followed by others, those that are far from it are left to
 * the next one. */
static void mark_edges(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_solver *s = context;
    const mus_coupled *c = &s->coupled;
    const v3 *x = s->assembly.x1;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_limit_edge *e = &s->limit.edges[k];
        double limit = (double)e->share, near = (double)e->longest * (1 + near_limit * limit) / (1 + limit);
        c->is_listed.data[k] = !c->all || c->tension[k] > 0 || v3_length2(v3_sub(x[e->a], x[e->b])) >= near * near;
    }
}

static mus_status begin_edges(mus_solver *s, bool applied) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    c->edges.count = 0;
    if (!mus_array_reserve(&c->is_listed, s->limit.count)) return MUS_STATUS_NO_MEMORY;
    mus_parallel_vertices(c->threads, s->limit.count, mark_edges, s);
    for (int32_t k = 0; k < s->limit.count; k++) {
        const mus_limit_edge *e = &s->limit.edges[k];
        if (!c->is_listed.data[k]) continue;
        v3 d = v3_sub(a->x1[e->a], a->x1[e->b]);
        double length = v3_length(d), longest = (double)e->longest;
        double before = v3_length(v3_sub(a->x0[e->a], a->x0[e->b]));
        double correction = fmax(2 * max_stretch * longest, corrected_excess * (before - longest));
        mus_coupled_edge edge = {.edge = k,
                                 .a = e->a,
                                 .b = e->b,
                                 .vector = d,
                                 .longest = fmax(longest, before - correction),
                                 .multiplier = c->all ? c->tension[k] : 0,
                                 .start_impulse =
                                     applied && length > 0 ? v3_scale(c->tension[k] / length, d) : v3_make(0, 0, 0)};
        if (applied && length > longest * (1 + max_stretch)) c->has_long_edge = c->is_long[k] = true;
        if (!mus_array_push(&c->edges, edge)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

/* Before the first solve the friction impulse is a guess, and the energy gives the normal impulse. */
static void set_multipliers_beside_energy(const mus_coupled *c, mus_coupled_constraint *t, bool applied) {
    const mus_energy_free_impulse *own = &c->energies.own.data[t->energy - 1];
    t->multiplier = applied ? own->normal : 0;
    if (applied) t->friction_multiplier = own->friction;
}

static void mark_contacts(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_solver *s = context;
    const mus_coupled *c = &s->coupled;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_contact_constraint *constraint = &s->constraints.data[k];
        c->is_listed.data[k] = constraint->response < 0 && !(c->all && mus_coupled_is_of_free_bodies(s, constraint));
    }
}

/* Numbers the terms. Those of the solve before are in the same order, and the new ones take their place. */
static mus_status list_contacts(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    int64_t former_count = c->constraints.count, count = 0, at = 0;
    if (!mus_array_reserve(&c->is_listed, s->constraints.count) ||
        !mus_array_reserve(&c->former, s->constraints.count) ||
        !mus_array_reserve(&c->constraints, s->constraints.count))
        return MUS_STATUS_NO_MEMORY;
    const mus_coupled_constraint *of = c->constraints.data;
    mus_parallel_vertices(c->threads, s->constraints.count, mark_contacts, s);
    for (int64_t k = 0; k < s->constraints.count; k++) {
        if (!c->is_listed.data[k]) continue;
        while (at < former_count && of[at].constraint < k) at++;
        mus_coupled_former *former = &c->former.data[count++];
        *former = (mus_coupled_former){.is_known = at < former_count && of[at].constraint == k};
        if (former->is_known)
            former->is_short = of[at].is_short, former->multiplier = of[at].multiplier,
            former->friction_multiplier = of[at].friction_multiplier;
    }
    c->constraints.count = 0;
    for (int64_t k = 0; k < s->constraints.count; k++)
        if (c->is_listed.data[k]) c->constraints.data[c->constraints.count++].constraint = k;
    return MUS_STATUS_OK;
}

/* Returns the number of contacts that are short of their gap. */
static double make_contacts(void *context, int64_t begin, int64_t end) {
    const terms *of = context;
    mus_solver *s = of->s;
    mus_coupled *c = &s->coupled;
    double deep = 0;
    for (int64_t k = begin; k < end; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        const mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        const mus_coupled_former *former = &c->former.data[k];
        mus_coupled_make_term(s, t->constraint, t);
        if (c->all) t->multiplier = constraint->normal_impulse;
        if (t->energy) set_multipliers_beside_energy(c, t, of->applied);
        bool is_deep = of->applied && t->missing > max_gap_error * constraint->thickness;
        t->is_short = of->applied && former->is_known && (is_deep || former->is_short);
        if (of->keeps && former->is_known)
            t->multiplier = former->multiplier, t->friction_multiplier = former->friction_multiplier;
        if (of->applied)
            t->start_impulse = v3_axpy(constraint->normal_impulse, constraint->normal, constraint->friction_impulse);
        t->is_stiffened = of->applied && c->stiffens && t->missing > stiffened_gap_error * constraint->thickness;
        deep += is_deep;
    }
    return deep;
}

static void measure_bodies(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    c->body_contact_count = 0, c->heaviest = 0;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        if (!t->has_body || !mus_coupled_is_cloth_rigid(a, &s->constraints.data[t->constraint])) continue;
        c->body_contact_count++;
        for (int side = 0; side < 2; side++) c->heaviest = fmax(c->heaviest, mass_of(c, a, t->object[side]));
    }
    c->has_bodies = c->body_contact_count > 0 || a->attachments.count > 0;
    for (int64_t k = 0; k < a->attachments.count; k++) {
        const mus_attachment *of = &a->attachments.data[k];
        c->heaviest = fmax(c->heaviest, fmax(mass_of(c, a, a->object_of[of->vertex]), mass_of(c, a, of->object)));
    }
}

/* `applied`: impulses of constraints and tensions of edges are in x1; else, if all contacts are solved here, they are
 * those of the step before, and multipliers to begin with. */
mus_status mus_coupled_begin_solve(mus_solver *s, bool applied) {
    mus_coupled *c = &s->coupled;
    terms of = {s, applied, false};
    c->keeps_multipliers = of.keeps =
        applied && c->all && c->is_linearized &&
        c->residual_left > fmax(unconverged_residual * c->enough, unconverged_scales * s->assembly.acceleration_scale);
    c->has_long_edge = false;
    if (c->all) mus_coupled_mark_bodies(s);
    /* Memory first: what is listed is then made, and the next list may read it. */
    mus_status status = mus_coupled_reserve_sums(c, s->constraints.count);
    if (status == MUS_STATUS_OK) status = list_contacts(s);
    if (status != MUS_STATUS_OK) return status;
    c->has_deep_contact = mus_parallel_sum(c->threads, c->constraints.count, make_contacts, &of, c->block_sum.data) > 0;
    measure_bodies(s);
    status = begin_edges(s, applied);
    if (status == MUS_STATUS_OK) status = mus_coupled_begin_attachments(s, applied);
    if (status == MUS_STATUS_OK) status = mus_coupled_list_rows(s);
    if (status != MUS_STATUS_OK) return status;
    return c->all ? mus_coupled_begin_preconditioner(s) : MUS_STATUS_OK;
}

/* Sets multipliers to the impulses of the iterate where violations are too large. Returns whether there were none. */
bool mus_coupled_update_multipliers(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    bool is_converged = true;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        const mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        double unit = constraint->thickness * t->gain, limit = constraint->friction * t->normal_impulse;
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
    for (int64_t k = 0; k < c->edges.count; k++) {
        mus_coupled_edge *t = &c->edges.data[k];
        double longest = (double)s->limit.edges[t->edge].longest;
        if (fabs(t->pull - t->multiplier) <= max_stretch * longest * t->gain) continue;
        t->multiplier = t->pull;
        is_converged = false;
    }
    return is_converged;
}

void mus_coupled_keep_body_velocities(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    for (int32_t k = 0; k < a->rigid_count; k++) {
        const mus_rigid_step *r = &a->rigids[k];
        if (c->all && !c->rigid_bodies[k].touches_cloth) continue;
        v3 *u = c->u + c->n + 2 * k, spin = m3_mul_v3(&r->inverse_inertia, v3_sub(r->momentum0, r->momentum1));
        u[0] = v3_sub(v3_scale(s->dt, v3_sub(r->v0, r->v1)), r->shift);
        u[1] = v3_sub(v3_scale(s->dt, spin), r->turned);
    }
}

/* Momentum correction of cloth without pins: its change of momentum must equal the impulses of its contacts. The error
 * of the solve is distributed over its contacts with obstacles, in proportion to their normal impulses. `cloth`: the
 * first of those that share a matrix. */
static void conserve_momentum(mus_solver *s, int32_t cloth) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    const mus_block_matrix *m = c->matrix[cloth];
    int32_t first = a->objects[cloth].first, last = cloth;
    if (!m) return;
    while (last + 1 < a->cloth_count && a->objects[last + 1].first < first + m->n) last++;
    v3 off = v3_make(0, 0, 0);
    for (int32_t i = 0; i < m->n && c->right; i++) off = v3_add(off, c->right[first + i]);
    for (int32_t i = 0; i < m->n; i++) {
        if (!(a->inverse_mass[first + i] > 0)) return;
        off = v3_sub(off, mus_sym3_mul(&m->diagonal[i], c->u[first + i]));
    }
    for (int64_t k = 0; k < c->attachments.count; k++) {
        const mus_coupled_attachment *t = &c->attachments.data[k];
        if (t->row < first || t->row >= first + m->n) continue;
        off = v3_add(off, v3_sub(t->impulse, t->start_impulse));
    }
    double normal_impulse_sum = 0;
    for (int k = 0; k < 2; k++) /* the first pass computes the error */
        for (int64_t r = 0; r < c->constraints.count; r++) {
            mus_coupled_constraint *t = &c->constraints.data[r];
            bool of[2] = {t->object[0] >= cloth && t->object[0] <= last, t->object[1] >= cloth && t->object[1] <= last};
            if (of[0] == of[1]) continue;
            if (k == 0) off = v3_axpy(of[0] ? 1 : -1, mus_coupled_impulse(t), off);
            if (t->object[of[0] ? 1 : 0] < a->cloth_count) continue;
            if (k == 0) {
                normal_impulse_sum += fmax(0, t->normal_impulse); /* those of energies may attract */
            } else if (t->normal_impulse > 0) {
                v3 share = v3_scale((of[0] ? -1 : 1) * t->normal_impulse / normal_impulse_sum, off);
                double along = c->all ? v3_dot(share, t->normal) : 0;
                t->normal_impulse = fmax(0, t->normal_impulse + along);
                t->friction_impulse = v3_add(t->friction_impulse, v3_axpy(-along, t->normal, share));
            }
        }
}

/* Moves bodies by u, as cloth, not by the impulses: those of stiff penalties need many more iterations. The next
 * linearization has their residual on its right side. */
static void move_bodies(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    for (int32_t k = 0; k < a->rigid_count; k++) {
        if (!c->rigid_bodies[k].touches_cloth) continue;
        for (int32_t i = 2 * k; i < 2 * k + 2; i++)
            c->body_residual[i] = v3_sub(c->right[c->n + i], c->matrix_product[c->n + i]);
        mus_coupled_move_body(s, k, 1);
    }
}

void mus_coupled_apply_body_residuals(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        mus_rigid_step *r = &s->assembly.rigids[k];
        r->linear = v3_add(r->linear, c->body_residual[2 * k]),
        r->angular = v3_add(r->angular, c->body_residual[2 * k + 1]);
    }
}

void mus_coupled_move_body(mus_solver *s, int32_t k, double share) {
    mus_rigid_step *r = &s->assembly.rigids[k];
    const mus_coupled *c = &s->coupled;
    const v3 *u = c->u + c->n + 2 * k;
    r->shift = v3_axpy(share, u[0], r->shift), r->turned = v3_axpy(share, u[1], r->turned);
    r->linear = v3_axpy(share * r->of->mass, u[0], r->linear);
    r->angular = v3_axpy(share, m3_mul_v3(&c->rigid_bodies[k].inertia, u[1]), r->angular);
}

/* Returns by how much the sum of friction limits has changed more than is tolerated, kg m. */
static double apply_contacts(void *context, int64_t begin, int64_t end) {
    mus_solver *s = context;
    double excess = 0;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_constraint *t = &s->coupled.constraints.data[k];
        mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        double limit = constraint->friction * fmax(0, t->normal_impulse);
        excess += fabs(limit - t->limit) - max_limit_error * limit;
        constraint->normal_impulse = t->normal_impulse, constraint->friction_impulse = t->friction_impulse,
        constraint->idle = false;
    }
    return excess;
}

static void apply_motion(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_assembly *a = &((mus_solver *)context)->assembly;
    const v3 *u = ((const mus_solver *)context)->coupled.u;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        if (a->inverse_mass[i] > 0) a->x1[i] = v3_add(a->x1[i], u[i]);
}

void mus_coupled_apply_solution(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    for (int32_t k = 0; k < a->cloth_count; k++) conserve_momentum(s, k);
    if (c->all) move_bodies(s);
    double excess = mus_parallel_sum(c->threads, c->constraints.count, apply_contacts, s, c->block_sum.data);
    c->has_old_limits = excess > 0;
    for (int64_t k = 0; k < c->of_bodies.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[c->of_bodies.data[k]];
        v3 f = mus_coupled_impulse(t);
        if (c->all)
            mus_coupled_scatter_to_bodies(s, t, f, c->body_residual - c->n);
        else
            mus_contact_apply_rigid_impulse(a, &s->constraints.data[t->constraint], f, v3_neg(f));
    }
    mus_coupled_apply_attachments(s);
    for (int64_t k = 0; k < c->edges.count; k++) c->tension[c->edges.data[k].edge] = c->edges.data[k].pull;
    mus_parallel_vertices(c->threads, c->n, apply_motion, s);
}
