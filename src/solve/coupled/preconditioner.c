/* preconditioner.c: of the coupled problem: where all contacts are solved so a multigrid of cloth, contacts, edges and
 * bodies; else the blocks of vertices and bodies. */
#include "linear/block6.h"
#include "solve/solver.h"

/* block += J^T G J with J = (1, turn -> turn x arm), G the derivative of the contact's impulse. */
static void add_rigid_block(double *block, const mus_coupled_constraint *t, v3 arm) {
    for (int k = 0; k < 6; k++) mus_block6_add(block, k, arm, mus_coupled_stiffened(t, mus_block6_motion(k, arm)));
}

/* The rows of cloth and of bodies that a contact couples. */
static mus_stiffness_term term_of(const mus_solver *s, const mus_coupled_constraint *t) {
    mus_stiffness_term of = {.count = t->count};
    for (int32_t k = 0; k < t->count; k++) of.row[k] = t->row[k], of.weight[k] = t->weight[k];
    for (int k = 0; k < 2 && t->has_body; k++) {
        const mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        const mus_rigid_step *r = s->assembly.objects[constraint->object[k]].rigid;
        if (!r) continue;
        double sign = k ? -1 : 1;
        int32_t at = mus_coupled_entry_of(&s->coupled, &s->assembly, r);
        of.weight[of.count] = sign, of.row[of.count++] = at;
        of.arm[of.count] = v3_scale(sign, constraint->arm[k]), of.row[of.count++] = at + 1;
    }
    return of;
}

static mus_status set_pattern(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    c->pattern_count = -1;
    mus_coupled_matrix_begin_pattern(&c->grid);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_stiffness_term of = term_of(s, &c->constraints.data[k]);
        mus_status status = mus_coupled_matrix_add_pattern(&c->grid, &of);
        if (status != MUS_STATUS_OK) return status;
    }
    for (int64_t k = 0; k < c->attachments.count; k++) {
        mus_stiffness_term of = mus_coupled_stiffness_of_attachment(&c->attachments.data[k]);
        mus_status status = mus_coupled_matrix_add_pattern(&c->grid, &of);
        if (status != MUS_STATUS_OK) return status;
    }
    mus_status status = mus_coupled_matrix_end_pattern(&c->grid);
    if (status == MUS_STATUS_OK) c->pattern_count = c->constraints.count;
    return status;
}

mus_status mus_coupled_begin_preconditioner(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    mus_status status = MUS_STATUS_OK;
    if (c->pattern_count != c->constraints.count) status = set_pattern(s); /* in an attempt they are only added */
    return status == MUS_STATUS_OK ? mus_coupled_matrix_reserve(&c->grid, c->edges.count, &c->row_terms) : status;
}

static mus_sym3 symmetric(const m3 *m) {
    return (mus_sym3){m->r[0].x, m->r[0].y, m->r[0].z, m->r[1].y, m->r[1].z, m->r[2].z};
}

static bool acts(const mus_coupled_constraint *t) {
    return t->stiff > 0 || t->friction_stiffness > 0;
}

static mus_sym3 stiffness_of(const mus_coupled_constraint *t) {
    mus_sym3 sum = {0};
    mus_sym3_add(&sum, t->stiff - t->friction_stiffness, t->normal, t->friction_stiffness);
    if (t->friction_stiffness != t->slip_stiffness)
        mus_sym3_add(&sum, t->slip_stiffness - t->friction_stiffness, t->heading, 0);
    return sum;
}

static void set_contacts(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_coupled *c = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        mus_weighted_term *of = &c->grid.weighted.data[k];
        of->count = 0;
        if (!acts(t) || t->has_body) continue;
        of->stiffness = stiffness_of(t);
        for (; of->count < t->count; of->count++)
            of->row[of->count] = t->row[of->count], of->weight[of->count] = t->weight[of->count];
        mus_coupled_matrix_set_order(&c->grid, of);
    }
}

typedef struct edge_loop {
    mus_coupled *coupled;
    const double *inverse_mass;
} edge_loop;

static void set_edges(void *context, int64_t begin, int64_t end, int64_t block) {
    const edge_loop *loop = context;
    mus_coupled *c = loop->coupled;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        mus_weighted_term *of = &c->grid.weighted.data[c->constraints.count + k];
        const int32_t ends[2] = {t->a, t->b};
        of->count = 0, of->stiffness = (mus_sym3){0};
        for (int e = 0; e < 2 && t->stiff > 0; e++)
            if (loop->inverse_mass[ends[e]] > 0) of->weight[of->count] = e ? -1 : 1, of->row[of->count++] = ends[e];
        mus_sym3_add(&of->stiffness, t->stiff - t->taut, t->along, t->taut);
        mus_coupled_matrix_set_order(&c->grid, of);
    }
}

static void build_grid(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    mus_coupled_matrix *m = &c->grid;
    mus_coupled_matrix_begin(m, c->threads);
    for (int32_t k = 0; k < a->rigid_count; k++) {
        mus_sym3 mass = {0}, inertia = symmetric(&c->rigid_bodies[k].inertia);
        mus_sym3_add(&mass, 0, v3_make(0, 0, 0), a->rigids[k].of->mass);
        mus_coupled_matrix_add_block(m, c->n + 2 * k, &mass);
        mus_coupled_matrix_add_block(m, c->n + 2 * k + 1, &inertia);
    }
    for (int64_t k = 0; k < c->of_bodies.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[c->of_bodies.data[k]];
        if (!acts(t)) continue;
        mus_stiffness_term of = term_of(s, t);
        of.stiffness = stiffness_of(t);
        mus_coupled_matrix_add_term(m, &of);
    }
    for (int64_t k = 0; k < c->attachments.count; k++) {
        mus_stiffness_term of = mus_coupled_stiffness_of_attachment(&c->attachments.data[k]);
        mus_coupled_matrix_add_term(m, &of);
    }
    mus_parallel_vertices(c->threads, c->constraints.count, set_contacts, c);
    mus_parallel_vertices(c->threads, c->edges.count, set_edges, &(edge_loop){c, a->inverse_mass});
    mus_coupled_matrix_end(m, a->inverse_mass, c->threads);
}

void mus_coupled_build_preconditioner(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    if (c->all) {
        build_grid(s);
        return;
    }
    for (int32_t k = 0; k < a->cloth_count; k++)
        for (int32_t i = 0; c->matrix[k] && i < c->matrix[k]->n; i++)
            c->inverse[a->objects[k].first + i] = mus_block_matrix_diagonal(c->matrix[k], i);
    for (int32_t k = 0; k < a->rigid_count; k++)
        mus_block6_begin(c->rigid_bodies[k].factor, a->rigids[k].of->mass, &c->rigid_bodies[k].inertia);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        const mus_contact_constraint *constraint = &s->constraints.data[t->constraint];
        if (!(t->stiff > 0) && !(t->friction_stiffness > 0)) continue;
        for (int32_t i = 0; i < t->count; i++) {
            double w2 = t->weight[i] * t->weight[i];
            mus_sym3 *d = &c->inverse[t->row[i]];
            mus_sym3_add(d, w2 * (t->stiff - t->friction_stiffness), t->normal, w2 * t->friction_stiffness);
            if (t->friction_stiffness != t->slip_stiffness)
                mus_sym3_add(d, w2 * (t->slip_stiffness - t->friction_stiffness), t->heading, 0);
        }
        for (int i = 0; i < 2 && t->has_body; i++) {
            const mus_rigid_step *r = a->objects[constraint->object[i]].rigid;
            if (r) add_rigid_block(c->rigid_bodies[r - a->rigids].factor, t, constraint->arm[i]);
        }
    }
    for (int64_t k = 0; k < c->edges.count; k++) {
        const mus_coupled_edge *t = &c->edges.data[k];
        if (!(t->stiff > 0)) continue;
        mus_sym3_add(&c->inverse[t->a], t->stiff - t->taut, t->along, t->taut);
        mus_sym3_add(&c->inverse[t->b], t->stiff - t->taut, t->along, t->taut);
    }
    for (int32_t i = 0; i < c->n; i++) c->inverse[i] = mus_sym3_inverse(&c->inverse[i]);
    for (int32_t k = 0; k < a->rigid_count; k++) mus_block6_factor(c->rigid_bodies[k].factor);
}

/* z = P r; returns r.z */
double mus_coupled_precondition(mus_coupled *c, const v3 *r, v3 *z) {
    if (c->all) {
        return mus_coupled_matrix_precondition(&c->grid, r, z, c->threads);
    }
    for (int32_t i = 0; i < c->n; i++) z[i] = mus_sym3_mul(&c->inverse[i], r[i]);
    for (int32_t i = c->n; i < c->size; i += 2) {
        z[i] = r[i], z[i + 1] = r[i + 1];
        mus_block6_solve(c->rigid_bodies[(i - c->n) / 2].factor, z + i);
    }
    return mus_coupled_dot(c, r, z);
}

double mus_coupled_bodies_norm2(const mus_coupled *c, const v3 *r) {
    double sum = 0;
    for (int32_t i = c->n; i < c->size && !c->all; i += 2) {
        v3 z[2] = {r[i], r[i + 1]};
        mus_block6_solve(c->rigid_bodies[(i - c->n) / 2].factor, z);
        for (int k = 0; k < 2; k++) sum += v3_dot(r[i + k], z[k]);
    }
    return sum;
}

typedef struct measuring {
    const mus_coupled *coupled;
    const v3 *r;
} measuring;

static double measure_rows(void *context, int64_t begin, int64_t end) {
    const measuring *of = context;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) sum += mus_coupled_row_norm2(of->coupled, i, of->r[i]);
    return sum;
}

double mus_coupled_diagonal_norm2(const mus_coupled *c, const v3 *r) {
    double sum = mus_parallel_sum(c->threads, c->size, measure_rows, &(measuring){c, r}, c->block_sum.data);
    return sum + mus_coupled_bodies_norm2(c, r);
}
