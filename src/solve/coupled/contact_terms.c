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

void mus_coupled_make_term(const mus_solver *s, int64_t k, mus_coupled_constraint *t) {
    const mus_assembly *a = &s->assembly;
    const mus_contact_constraint *constraint = &s->constraints.data[k];
    v3 at = mus_contact_end_vector(a, constraint);
    *t = (mus_coupled_constraint){.constraint = k,
                                  .object = {constraint->object[0], constraint->object[1]},
                                  .energy = constraint->energy,
                                  .has_body = constraint->has_rigid_body,
                                  .normal = constraint->normal,
                                  .mass = constraint->mass,
                                  .missing = constraint->target + constraint->offset - v3_dot(constraint->normal, at),
                                  .slip = v3_sub(at, constraint->rest),
                                  .friction_multiplier = constraint->friction_impulse,
                                  .limit = constraint->friction * fmax(0, constraint->normal_impulse)};
    for (int corner = 0; corner < mus_contact_corner_count(constraint); corner++) {
        int32_t i = constraint->vertex[corner];
        if (i >= s->coupled.n || !(a->inverse_mass[i] > 0)) continue;
        t->weight[t->count] = constraint->weight[corner], t->row[t->count++] = i;
    }
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

/* ---- all of them: contacts, edges and soft pins, numbered so in `row_terms` ---- */

/* Contacts or edges in a loop of CPU threads. */
enum { TERMS = 256, MANY_TERMS = 1024 };

typedef struct term_loop {
    mus_solver *s;
    const v3 *p;
    double share; /* of p; of products their sign */
} term_loop;

static void each_term(const mus_solver *s, int64_t count, mus_parallel_body body, term_loop *loop) {
    mus_parallel_for(count < MANY_TERMS ? 1 : s->coupled.threads, count, TERMS, body, loop);
}

mus_status mus_coupled_list_rows(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    mus_row_terms *list = &c->row_terms;
    const double *inverse_mass = s->assembly.inverse_mass;
    mus_status status = MUS_STATUS_OK;
    int64_t count = c->constraints.count + c->edges.count + c->attachments.count;
    if (count > INT32_MAX) return MUS_STATUS_NO_MEMORY;
    mus_row_terms_begin(list);
    c->of_bodies.count = 0;
    for (int32_t k = 0; k < c->constraints.count && status == MUS_STATUS_OK; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        for (int32_t i = 0; i < t->count && status == MUS_STATUS_OK; i++)
            status = mus_row_terms_add(list, t->row[i], k, t->weight[i]);
        if (t->has_body && !mus_array_push(&c->of_bodies, k)) status = MUS_STATUS_NO_MEMORY;
    }
    int32_t term = (int32_t)c->constraints.count;
    for (int64_t k = 0; k < c->edges.count && status == MUS_STATUS_OK; k++, term++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        if (inverse_mass[t->a] > 0) status = mus_row_terms_add(list, t->a, term, 1);
        if (status == MUS_STATUS_OK && inverse_mass[t->b] > 0) status = mus_row_terms_add(list, t->b, term, -1);
    }
    for (int64_t k = 0; k < c->attachments.count && status == MUS_STATUS_OK; k++, term++)
        status = mus_row_terms_add(list, c->attachments.data[k].row, term, 1);
    if (status == MUS_STATUS_OK) status = mus_row_terms_end(list, count);
    return status == MUS_STATUS_OK ? mus_coupled_reserve_sums(c, count) : status;
}

static void begin_contact_line(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    mus_coupled_constraint *t = loop->s->coupled.constraints.data;
    (void)block;
    for (int64_t k = begin; k < end; k++) t[k].change = change_of(loop->s, &t[k], loop->p);
}

static void begin_edge_line(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    mus_coupled_edge *t = loop->s->coupled.edges.data;
    (void)block;
    for (int64_t k = begin; k < end; k++) t[k].change = difference_of(&t[k], loop->p);
}

void mus_coupled_begin_line(mus_solver *s, const v3 *p) {
    mus_coupled *c = &s->coupled;
    term_loop loop = {s, p, 0};
    each_term(s, c->constraints.count, begin_contact_line, &loop);
    each_term(s, c->edges.count, begin_edge_line, &loop);
    mus_coupled_begin_attachment_line(c, p);
}

static void end_contact_line(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        mus_coupled_constraint *t = &loop->s->coupled.constraints.data[k];
        t->slip = v3_axpy(loop->share, t->change, t->slip);
        t->missing -= loop->share * v3_dot(t->normal, t->change);
    }
}

static void end_edge_line(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    mus_coupled_edge *t = loop->s->coupled.edges.data;
    (void)block;
    for (int64_t k = begin; k < end; k++) t[k].vector = v3_axpy(loop->share, t[k].change, t[k].vector);
}

void mus_coupled_end_line(mus_solver *s, double share) {
    mus_coupled *c = &s->coupled;
    term_loop loop = {s, NULL, share};
    each_term(s, c->constraints.count, end_contact_line, &loop);
    each_term(s, c->edges.count, end_edge_line, &loop);
    mus_coupled_end_attachment_line(c, share);
}

void mus_coupled_move_terms(mus_solver *s, double share, const v3 *p) {
    mus_coupled_begin_line(s, p);
    mus_coupled_end_line(s, share);
}

static void evaluate_contacts(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    mus_coupled *c = &loop->s->coupled;
    double share = loop->share;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        double missing = share != 0 ? t->missing - share * v3_dot(t->normal, t->change) : t->missing;
        v3 slip = share != 0 ? v3_axpy(share, t->change, t->slip) : t->slip;
        evaluate_constraint(t, c->softness * t->gain, missing, slip);
        if (t->energy) mus_coupled_add_energy_impulse(loop->s, t, slip);
    }
}

static void evaluate_edges(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    mus_coupled *c = &loop->s->coupled;
    double share = loop->share;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        mus_coupled_edge *t = &c->edges.data[k];
        evaluate_edge(t, c->softness * t->gain, share != 0 ? v3_axpy(share, t->change, t->vector) : t->vector);
    }
}

void mus_coupled_evaluate(mus_solver *s, double share) {
    mus_coupled *c = &s->coupled;
    term_loop loop = {s, NULL, share};
    mus_coupled_evaluate_energies(s, share);
    each_term(s, c->constraints.count, evaluate_contacts, &loop);
    each_term(s, c->edges.count, evaluate_edges, &loop);
    mus_coupled_evaluate_attachments(c, share);
}

static double contact_work(void *context, int64_t begin, int64_t end) {
    const mus_coupled_constraint *t = ((const mus_coupled *)context)->constraints.data;
    double sum = 0;
    for (int64_t k = begin; k < end; k++) sum += v3_dot(mus_coupled_impulse(&t[k]), t[k].change);
    return sum;
}

static double edge_work(void *context, int64_t begin, int64_t end) {
    const mus_coupled *c = context;
    double sum = 0;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        if (!same_as_at_start(c, t)) sum -= v3_dot(pull_of(t), t->change);
    }
    return sum;
}

double mus_coupled_line_work(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    double sum = mus_parallel_sum(c->threads, c->constraints.count, contact_work, c, c->block_sum.data);
    sum += mus_parallel_sum(c->threads, c->edges.count, edge_work, c, c->block_sum.data);
    return sum + mus_coupled_attachment_work(c);
}

/* ---- sums over the terms of each row ---- */

static void set_contact_impulses(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_coupled *c = &((const term_loop *)context)->s->coupled;
    (void)block;
    for (int64_t k = begin; k < end; k++) c->row_terms.vector.data[k] = mus_coupled_impulse(&c->constraints.data[k]);
}

static void set_edge_impulses(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_coupled *c = &((const term_loop *)context)->s->coupled;
    v3 *vector = c->row_terms.vector.data + c->constraints.count;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        vector[k] = same_as_at_start(c, t) ? v3_make(0, 0, 0) : v3_neg(pull_of(t));
    }
}

void mus_coupled_set_impulses(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    term_loop loop = {s, NULL, 0};
    each_term(s, c->constraints.count, set_contact_impulses, &loop);
    each_term(s, c->edges.count, set_edge_impulses, &loop);
    mus_coupled_set_attachment_impulses(c, c->row_terms.vector.data + c->constraints.count + c->edges.count);
}

static void set_contact_products(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    const mus_coupled *c = &loop->s->coupled;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        bool acts = t->stiff > 0 || t->friction_stiffness > 0;
        c->row_terms.vector.data[k] =
            acts ? v3_scale(loop->share, mus_coupled_stiffened(t, change_of(loop->s, t, loop->p))) : v3_make(0, 0, 0);
    }
}

static void set_edge_products(void *context, int64_t begin, int64_t end, int64_t block) {
    const term_loop *loop = context;
    const mus_coupled *c = &loop->s->coupled;
    v3 *vector = c->row_terms.vector.data + c->constraints.count;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        vector[k] = v3_make(0, 0, 0);
        if (!(t->stiff > 0)) continue;
        v3 change = difference_of(t, loop->p);
        v3 f = v3_axpy((t->stiff - t->taut) * v3_dot(t->along, change), t->along, v3_scale(t->taut, change));
        vector[k] = v3_scale(loop->share, f);
    }
}

void mus_coupled_set_products(mus_solver *s, double sign, const v3 *p) {
    mus_coupled *c = &s->coupled;
    term_loop loop = {s, p, sign};
    each_term(s, c->constraints.count, set_contact_products, &loop);
    each_term(s, c->edges.count, set_edge_products, &loop);
    mus_coupled_set_attachment_products(c, sign, p, c->row_terms.vector.data + c->constraints.count + c->edges.count);
}

void mus_coupled_add_to_bodies(const mus_solver *s, v3 *out) {
    const mus_coupled *c = &s->coupled;
    const v3 *vector = c->row_terms.vector.data;
    for (int64_t k = 0; k < c->of_bodies.count; k++) {
        int32_t term = c->of_bodies.data[k];
        mus_coupled_scatter_to_bodies(s, &c->constraints.data[term], vector[term], out);
    }
    vector += c->constraints.count + c->edges.count;
    for (int64_t k = 0; k < c->attachments.count; k++)
        mus_coupled_scatter_to_body(&c->attachments.data[k], vector[k], out);
}

static void set_start_impulses(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_coupled *c = &((const term_loop *)context)->s->coupled;
    (void)block;
    for (int64_t k = begin; k < end; k++) c->row_terms.vector.data[k] = c->constraints.data[k].start_impulse;
}

static void set_start_tensions(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_coupled *c = &((const term_loop *)context)->s->coupled;
    v3 *vector = c->row_terms.vector.data + c->constraints.count;
    (void)block;
    for (int64_t k = begin; k < end; k++) vector[k] = v3_neg(c->edges.data[k].start_impulse);
}

void mus_coupled_set_start_impulses(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    term_loop loop = {s, NULL, 0};
    each_term(s, c->constraints.count, set_start_impulses, &loop);
    each_term(s, c->edges.count, set_start_tensions, &loop);
    v3 *vector = c->row_terms.vector.data + c->constraints.count + c->edges.count;
    for (int64_t k = 0; k < c->attachments.count; k++) vector[k] = c->attachments.data[k].start_impulse;
}

double mus_coupled_objective(mus_solver *s) {
    mus_coupled *c = &s->coupled;
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
