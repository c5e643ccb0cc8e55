/* contact_terms.c: contacts and edges with a strain limit as terms of the coupled problem: their impulses at an
 * iterate, the derivatives of these, and products with them. Coulomb's cone as in Alart & Curnier 1991. */
#include "solve/solver.h"

/* ---- a contact ---- */

static const mus_contact_constraint *constraint_of(const mus_solver *s, const mus_coupled_constraint *t) {
    return &s->constraints.data[t->constraint];
}

static v3 body_change_of(const mus_solver *s, const mus_coupled_constraint *t, const v3 *p) {
    const mus_assembly *a = &s->assembly;
    const mus_contact_constraint *constraint = constraint_of(s, t);
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = a->objects[constraint->object[k]].rigid;
        if (!r) continue;
        const v3 *q = p + mus_coupled_entry_of(&s->coupled, a, r);
        sum = v3_axpy(k ? -1 : 1, v3_add(q[0], v3_cross(q[1], constraint->arm[k])), sum);
    }
    return sum;
}

/* Returns the change by p of the vector from side B to side A. */
static inline v3 change_of(const mus_solver *s, const mus_coupled_constraint *t, const v3 *p) {
    v3 sum = v3_make(0, 0, 0);
    for (int32_t k = 0; k < t->count; k++) sum = v3_axpy(t->weight[k], p[t->row[k]], sum);
    return t->has_body ? v3_add(sum, body_change_of(s, t, p)) : sum;
}

void mus_coupled_scatter_to_bodies(const mus_solver *s, const mus_coupled_constraint *t, v3 f, v3 *out) {
    const mus_assembly *a = &s->assembly;
    const mus_contact_constraint *constraint = constraint_of(s, t);
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = a->objects[constraint->object[k]].rigid;
        if (!r) continue;
        v3 *q = out + mus_coupled_entry_of(&s->coupled, a, r), on = v3_scale(k ? -1 : 1, f);
        q[0] = v3_add(q[0], on), q[1] = v3_add(q[1], v3_cross(constraint->arm[k], on));
    }
}

static inline void scatter_to_cloth(const mus_coupled_constraint *t, v3 f, v3 *out) {
    for (int32_t k = 0; k < t->count; k++) out[t->row[k]] = v3_axpy(t->weight[k], f, out[t->row[k]]);
}

static inline void scatter_impulse(const mus_solver *s, const mus_coupled_constraint *t, v3 f, v3 *out) {
    scatter_to_cloth(t, f, out);
    if (t->has_body) mus_coupled_scatter_to_bodies(s, t, f, out);
}

mus_coupled_constraint mus_coupled_term_of(const mus_solver *s, int64_t k) {
    const mus_assembly *a = &s->assembly;
    const mus_contact_constraint *constraint = &s->constraints.data[k];
    v3 at = mus_contact_end_vector(a, constraint);
    mus_coupled_constraint t = {.constraint = k,
                                .energy = constraint->energy,
                                .has_body = constraint->has_rigid_body,
                                .normal = constraint->normal,
                                .missing = constraint->target + constraint->offset - v3_dot(constraint->normal, at),
                                .slip = v3_sub(at, constraint->rest),
                                .friction_multiplier = constraint->friction_impulse,
                                .limit = constraint->friction * fmax(0, constraint->normal_impulse)};
    for (int corner = 0; corner < mus_contact_corner_count(constraint); corner++) {
        int32_t i = constraint->vertex[corner];
        if (i >= s->coupled.n || !(a->inverse_mass[i] > 0)) continue;
        t.weight[t.count] = constraint->weight[corner], t.row[t.count++] = i;
    }
    return t;
}

/* Normal and friction impulse and their derivatives. */
static inline void evaluate_constraint(mus_coupled_constraint *t, double gain, double missing, v3 slip) {
    double normal_impulse = t->multiplier + gain * missing;
    t->normal_impulse = normal_impulse > 0 ? normal_impulse : 0;
    t->stiff = normal_impulse > 0 ? gain : 0;
    slip = v3_axpy(-v3_dot(t->normal, slip), t->normal, slip);
    t->friction_impulse = v3_axpy(-gain, slip, t->friction_multiplier);
    t->friction_stiffness = t->slip_stiffness = t->limit > 0 ? gain : 0;
    double length = v3_length(t->friction_impulse);
    if (length <= t->limit) return;
    t->heading = v3_scale(1 / length, t->friction_impulse);
    t->friction_impulse = v3_scale(t->limit / length, t->friction_impulse);
    t->friction_stiffness *= t->limit / length, t->slip_stiffness = 0;
}

v3 mus_coupled_impulse(const mus_coupled_constraint *t) {
    return v3_sub(v3_axpy(t->normal_impulse, t->normal, t->friction_impulse), t->start_impulse);
}

v3 mus_coupled_stiffened(const mus_coupled_constraint *t, v3 change) {
    double along = v3_dot(t->normal, change);
    v3 f = v3_axpy((t->stiff - t->friction_stiffness) * along, t->normal, v3_scale(t->friction_stiffness, change));
    return t->friction_stiffness != t->slip_stiffness
               ? v3_axpy((t->slip_stiffness - t->friction_stiffness) * v3_dot(t->heading, change), t->heading, f)
               : f;
}

/* ---- an edge ---- */

static void evaluate_edge(mus_coupled_edge *t, double gain, v3 vector) {
    double length = v3_length(vector);
    t->pull = length > 0 ? fmax(0, t->multiplier + gain * (length - t->longest)) : 0;
    t->stiff = t->taut = 0;
    if (!(t->pull > 0)) return;
    t->along = v3_scale(1 / length, vector);
    t->stiff = gain, t->taut = t->pull / length;
}

static v3 difference_of(const mus_coupled_edge *t, const v3 *p) {
    return v3_sub(p[t->a], p[t->b]);
}

/* Tension vector on b; on a it is the negative. */
static v3 pull_of(const mus_coupled_edge *t) {
    return t->pull > 0 ? v3_sub(v3_scale(t->pull, t->along), t->start_impulse) : v3_neg(t->start_impulse);
}

static bool same_as_at_start(const mus_coupled *c, const mus_coupled_edge *t) {
    return !(t->pull > 0) && !(c->tension[t->edge] > 0);
}

/* ---- all of them ---- */

void mus_coupled_move_terms(mus_solver *s, double share, const v3 *p) {
    mus_coupled_begin_line(s, p);
    mus_coupled_end_line(s, share);
}

void mus_coupled_begin_line(mus_solver *s, const v3 *p) {
    mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->constraints.count; k++)
        c->constraints.data[k].change = change_of(s, &c->constraints.data[k], p);
    for (int64_t k = 0; k < c->edges.count; k++) c->edges.data[k].change = difference_of(&c->edges.data[k], p);
    mus_coupled_begin_attachment_line(c, p);
}

void mus_coupled_end_line(mus_solver *s, double share) {
    mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        t->slip = v3_axpy(share, t->change, t->slip);
        t->missing -= share * v3_dot(t->normal, t->change);
    }
    for (int64_t k = 0; k < c->edges.count; k++) {
        mus_coupled_edge *t = &c->edges.data[k];
        t->vector = v3_axpy(share, t->change, t->vector);
    }
    mus_coupled_end_attachment_line(c, share);
}

void mus_coupled_evaluate(mus_solver *s, double share) {
    mus_coupled *c = &s->coupled;
    mus_coupled_evaluate_energies(s, share);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        double gain = c->softness * t->gain;
        if (share != 0)
            evaluate_constraint(t, gain, t->missing - share * v3_dot(t->normal, t->change),
                                v3_axpy(share, t->change, t->slip));
        else
            evaluate_constraint(t, gain, t->missing, t->slip);
        if (t->energy) mus_coupled_add_energy_impulse(s, t, share != 0 ? v3_axpy(share, t->change, t->slip) : t->slip);
    }
    for (int64_t k = 0; k < c->edges.count; k++) {
        mus_coupled_edge *t = &c->edges.data[k];
        evaluate_edge(t, c->softness * t->gain, share != 0 ? v3_axpy(share, t->change, t->vector) : t->vector);
    }
    mus_coupled_evaluate_attachments(c, share);
}

double mus_coupled_line_work(const mus_solver *s) {
    const mus_coupled *c = &s->coupled;
    double sum = 0;
    for (int64_t k = 0; k < c->constraints.count; k++)
        sum += v3_dot(mus_coupled_impulse(&c->constraints.data[k]), c->constraints.data[k].change);
    for (int64_t k = 0; k < c->edges.count; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        if (!same_as_at_start(c, t)) sum -= v3_dot(pull_of(t), t->change);
    }
    return sum + mus_coupled_attachment_work(c);
}

void mus_coupled_add_impulses(const mus_solver *s, v3 *out) {
    const mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->constraints.count; k++)
        scatter_impulse(s, &c->constraints.data[k], mus_coupled_impulse(&c->constraints.data[k]), out);
    for (int64_t k = 0; k < c->edges.count; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        if (same_as_at_start(c, t)) continue;
        v3 f = pull_of(t);
        out[t->a] = v3_sub(out[t->a], f), out[t->b] = v3_add(out[t->b], f);
    }
    mus_coupled_add_attachment_impulses(c, out);
}

void mus_coupled_add_stiffness_product(const mus_solver *s, double sign, const v3 *p, v3 *out) {
    const mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        if (!(t->stiff > 0 || t->friction_stiffness > 0)) continue;
        scatter_impulse(s, t, v3_scale(sign, mus_coupled_stiffened(t, change_of(s, t, p))), out);
    }
    for (int64_t k = 0; k < c->edges.count; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        if (!(t->stiff > 0)) continue;
        v3 change = difference_of(t, p);
        v3 f = v3_axpy((t->stiff - t->taut) * v3_dot(t->along, change), t->along, v3_scale(t->taut, change));
        out[t->a] = v3_axpy(sign, f, out[t->a]), out[t->b] = v3_axpy(-sign, f, out[t->b]);
    }
    mus_coupled_add_attachment_product(c, sign, p, out);
}

void mus_coupled_add_start_impulses(const mus_solver *s, v3 *out) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->constraints.count; k++)
        scatter_to_cloth(&c->constraints.data[k], c->constraints.data[k].start_impulse, out);
    for (int64_t k = 0; k < c->edges.count; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        out[t->a] = v3_sub(out[t->a], t->start_impulse), out[t->b] = v3_add(out[t->b], t->start_impulse);
    }
    mus_coupled_add_start_attachments(c, out);
    for (int32_t i = 0; i < c->n; i++)
        if (!(a->inverse_mass[i] > 0)) out[i] = v3_make(0, 0, 0);
}

double mus_coupled_objective(const mus_solver *s) {
    const mus_coupled *c = &s->coupled;
    double sum = 0.5 * mus_coupled_dot(c, c->u, c->matrix_product);
    if (c->right) sum -= mus_coupled_dot(c, c->u, c->right);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        double gain = c->softness * t->gain;
        sum += 0.5 * t->normal_impulse * t->normal_impulse / gain + v3_dot(t->start_impulse, change_of(s, t, c->u));
        double whole = t->slip_stiffness < t->friction_stiffness ? t->limit * gain / t->friction_stiffness
                                                                 : v3_length(t->friction_impulse);
        sum += (whole <= t->limit ? 0.5 * whole * whole : t->limit * (whole - 0.5 * t->limit)) / gain;
    }
    for (int64_t k = 0; k < c->edges.count; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        sum += 0.5 * t->pull * t->pull / (c->softness * t->gain);
        sum -= v3_dot(t->start_impulse, difference_of(t, c->u));
    }
    return sum + mus_coupled_attachment_objective(c);
}
