/* descent.c: vertex block descent by colors (Chen, Liu, Yang & Yuksel 2024, eq. 5-9) with their Chebyshev acceleration
 * (eq. 18), except for vertices in contact. Elements of cloth enter by their second-order model at `place`, the rows of
 * the block matrix; contacts are evaluated at the current position of each vertex. Contacts are not colored: all
 * vertices of a color start from the positions before it, so neither their order nor threads affect the result. */
#include "solve/potential/descent.h"
#include "base/parallel.h"
#include "solve/potential/newton.h"

#include <string.h>

enum { BLOCK = 256, WORTH_THREADS = 512, MOST_COLORS = 64 };

/* Estimate of the sweeps' spectral radius, as in the source. 0.8 and 0.99: sweeps of vbd on
 * sphere the same to 3 %. */
static const double spectral_radius = 0.95;
enum { MAX_SEARCH_HALVINGS = 8 }; /* of the line search of a vertex: 4 and 16: the same */

/* ---- structure ---- */

/* Returns the lowest color that no neighbor has; if all 64 are taken the last is shared, and vertices that share it do
 * not include each other's moves within a sweep. */
static int32_t color_for(const mus_block_matrix *m, int32_t i, const int32_t *color) {
    uint64_t taken = 0;
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++) taken |= 1ull << color[m->lower[k].vertex];
    int32_t c = 0;
    while (c < MOST_COLORS - 1 && taken >> c & 1) c++;
    return c;
}

mus_status mus_descent_create(mus_descent *d, const mus_assembly *a, mus_block_matrix *const *matrix) {
    size_t n = (size_t)a->cloth_vertex_count;
    *d = (mus_descent){.n = a->cloth_vertex_count, .size = a->cloth_vertex_count + a->rigid_count};
    d->color_start = mus_new(sizeof(int32_t) * (MOST_COLORS + 1));
    d->order = mus_new(sizeof(int32_t) * (n + 1));
    d->cloth_of = mus_new(sizeof(int32_t) * (n + 1));
    d->touched = mus_new(sizeof(int32_t) * ((size_t)d->size + 2));
    d->moved = mus_new(sizeof(v3) * (n + 1));
    d->before = mus_new(sizeof(v3) * (n + 1));
    d->earlier = mus_new(sizeof(v3) * (n + 1));
    d->step = mus_new(sizeof(v3) * (2 * (size_t)a->rigid_count + 1));
    if (!d->color_start || !d->order || !d->cloth_of || !d->touched || !d->moved || !d->before || !d->earlier ||
        !d->step)
        return MUS_STATUS_NO_MEMORY;
    int32_t *color = d->touched, count[MOST_COLORS] = {0};
    for (int32_t k = 0; k < a->cloth_count; k++) {
        int32_t first = a->objects[k].first;
        for (int32_t i = 0; matrix[k] && i < matrix[k]->n; i++) {
            int32_t c = color_for(matrix[k], i, color + first);
            color[first + i] = c;
            d->cloth_of[first + i] = k;
            count[c]++;
            if (c >= d->color_count) d->color_count = c + 1;
        }
    }
    int32_t next[MOST_COLORS] = {0};
    for (int32_t c = 0; c < d->color_count; c++) {
        next[c] = d->color_start[c];
        d->color_start[c + 1] = d->color_start[c] + count[c];
    }
    for (int32_t i = 0; i < d->n; i++) d->order[next[color[i]]++] = i;
    return MUS_STATUS_OK;
}

void mus_descent_free(mus_descent *d) {
    void *blocks[] = {d->color_start, d->order, d->cloth_of, d->touched, d->moved, d->before, d->earlier, d->step};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    mus_array_free(&d->contacts);
    *d = (mus_descent){0};
}

/* Fills the unknowns of a term: at most four vertices or bodies. */
static int unknowns_of_term(const mus_descent *d, const mus_ogc_term *t, const mus_newton_rigid_bodies *rigid_bodies,
                            int32_t unknowns[4]) {
    int count = 0;
    for (int c = 0; c < t->count; c++)
        if (t->vertex[c] < d->n) unknowns[count++] = t->vertex[c];
    for (int k = 0; t->arms && k < 2; k++) {
        int32_t rigid_body = rigid_bodies->contact_arms.data[t->arms - 1].rigid_body[k];
        if (rigid_body >= 0) unknowns[count++] = d->n + rigid_body;
    }
    return count;
}

mus_status mus_descent_contacts(mus_descent *d, const mus_ogc_list *terms,
                                const mus_newton_rigid_bodies *rigid_bodies) {
    int32_t *start = d->touched, unknowns[4];
    memset(start, 0, sizeof(int32_t) * ((size_t)d->size + 2));
    for (int64_t k = 0; k < terms->count; k++)
        for (int c = unknowns_of_term(d, &terms->data[k], rigid_bodies, unknowns); c-- > 0;) start[unknowns[c] + 2]++;
    for (int32_t i = 2; i < d->size + 2; i++) start[i] += start[i - 1];
    if (!mus_array_reserve(&d->contacts, start[d->size + 1])) return MUS_STATUS_NO_MEMORY;
    d->contacts.count = start[d->size + 1];
    for (int64_t k = 0; k < terms->count; k++)
        for (int c = unknowns_of_term(d, &terms->data[k], rigid_bodies, unknowns); c-- > 0;)
            d->contacts.data[start[unknowns[c] + 1]++] = (int32_t)k;
    return MUS_STATUS_OK;
}

/* ---- a sweep ---- */

typedef struct sweep {
    mus_descent *descent;
    const mus_descent_problem *problem;
    const v3 *u, *trial;
    const int32_t *vertices;
} sweep;

static double weight_of(const mus_ogc_term *t, int32_t i) {
    double weight = 0;
    for (int c = 0; c < t->count; c++)
        if (t->vertex[c] == i) weight = t->weight[c];
    return weight;
}

/* Slope of the energy of vertex i, kg m^2, at a share of its step: `own_force` and `block` are those of the cloth
 * alone. */
static double slope_at(const sweep *s, int32_t i, v3 own_force, const mus_sym3 *block, v3 step, double share) {
    const mus_descent *d = s->descent;
    const mus_descent_problem *p = s->problem;
    double slope = share * v3_dot(step, mus_sym3_mul(block, step)) - v3_dot(own_force, step);
    for (int32_t k = d->touched[i]; k < d->touched[i + 1]; k++) {
        mus_ogc_term t = p->terms->data[d->contacts.data[k]];
        double weight = weight_of(&t, i), along = share * weight * v3_dot(t.normal, step);
        v3 slip;
        double distance = mus_ogc_distance(&t, s->trial, &slip) + along;
        slip = v3_add(slip, v3_axpy(-along, t.normal, v3_scale(share * weight, step)));
        mus_ogc_value value = mus_ogc_value_of(&t, distance, v3_length(slip), p->least);
        mus_ogc_settle(&t, distance, slip, &value, p->dt);
        slope -= p->dt * p->dt * weight * v3_dot(mus_ogc_force(&t), step);
    }
    return slope;
}

/* A line search along the step of one vertex or body, with the slope of its energy at a share of the step. */
typedef struct line {
    const sweep *sweep;
    double (*slope)(const struct line *line, double share);
    int32_t i; /* cloth vertex, or body */
    v3 own_force[2], step[2];
    mus_sym3 block;
    double curvature; /* of a body's inertia */
} line;

static double slope_of_vertex(const line *l, double share) {
    return slope_at(l->sweep, l->i, l->own_force[0], &l->block, l->step[0], share);
}

/* Newton's step of a vertex ignores contacts that begin or end within it: returns the share of the step at which the
 * energy is near its minimum, or sweeps would oscillate. */
static double share_of(const line *l, double start) {
    double lo = 0, hi = 1, at = 1;
    for (int k = 0; k < MAX_SEARCH_HALVINGS; k++) {
        double slope = l->slope(l, at);
        if (slope <= 0 && at == 1) break;
        if (fabs(slope) <= MUS_SEARCH_SLOPE_SHARE * fabs(start)) break;
        if (slope > 0)
            hi = at;
        else
            lo = at;
        at = 0.5 * (lo + hi);
    }
    return at;
}

/* Newton's step of one vertex, with all others fixed. */
static v3 step_of(const sweep *s, int32_t i) {
    const mus_descent *d = s->descent;
    const mus_descent_problem *p = s->problem;
    int32_t cloth = d->cloth_of[i], first = p->assembly->objects[cloth].first;
    const mus_block_matrix *m = p->matrix[cloth];
    v3 own = v3_sub(p->right[i], mus_block_matrix_row(m, i - first, s->u + first)), force = own;
    mus_sym3 stiffness = mus_block_matrix_diagonal(m, i - first), block = stiffness;
    for (int32_t k = d->touched[i]; k < d->touched[i + 1]; k++) {
        mus_ogc_term t = p->terms->data[d->contacts.data[k]];
        mus_ogc_evaluate(&t, s->trial, p->dt, p->least);
        double weight = weight_of(&t, i), w2 = p->dt * p->dt * weight * weight;
        force = v3_axpy(p->dt * p->dt * weight, mus_ogc_force(&t), force);
        mus_sym3_add(&block, w2 * (t.value.curvature - t.friction_stiffness), t.normal, w2 * t.friction_stiffness);
        if (t.friction_stiffness > 0)
            mus_sym3_add(&block, w2 * (t.slip_stiffness - t.friction_stiffness), t.heading, 0);
    }
    mus_sym3 inverse = mus_sym3_inverse(&block);
    v3 step = mus_sym3_mul(&inverse, force);
    if (d->touched[i] == d->touched[i + 1]) return step;
    line l = {s, slope_of_vertex, i, {own}, {step}, stiffness, 0};
    return v3_scale(share_of(&l, v3_dot(force, step)), step);
}

static void sweep_vertices(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = s->vertices[k];
        bool free = s->problem->assembly->inverse_mass[i] > 0;
        s->descent->moved[i] = free ? v3_add(s->u[i], step_of(s, i)) : s->u[i];
    }
}

static void set_unknown(const mus_descent_problem *p, int32_t i, v3 to, v3 *u, v3 *trial) {
    u[i] = to;
    trial[i] = v3_add(p->place[i], to);
}

/* ---- rigid bodies ---- */

static double rigid_body_slope(const line *l, double share) {
    const mus_descent *d = l->sweep->descent;
    const mus_descent_problem *p = l->sweep->problem;
    double slope = share * l->curvature - v3_dot(l->own_force[0], l->step[0]) - v3_dot(l->own_force[1], l->step[1]);
    for (int32_t k = d->touched[d->n + l->i]; k < d->touched[d->n + l->i + 1]; k++) {
        mus_ogc_term t = p->terms->data[d->contacts.data[k]];
        v3 change = mus_newton_rigid_bodies_relative_motion(p->rigid_bodies, &t, d->step), slip;
        double along = share * v3_dot(t.normal, change),
               distance = mus_ogc_distance(&t, l->sweep->trial, &slip) + along;
        slip = v3_add(slip, v3_axpy(-along, t.normal, v3_scale(share, change)));
        mus_ogc_value value = mus_ogc_value_of(&t, distance, v3_length(slip), p->least);
        mus_ogc_settle(&t, distance, slip, &value, p->dt);
        slope -= p->dt * p->dt * v3_dot(mus_ogc_force(&t), change);
    }
    return slope;
}

/* Moves body k by its Newton step, with all else fixed, and updates its contacts. u: entries of bodies. */
static void sweep_rigid_body(const sweep *s, int32_t k, v3 *u, v3 *trial) {
    mus_descent *d = s->descent;
    const mus_descent_problem *p = s->problem;
    const mus_newton_rigid_body *b = &p->rigid_bodies->list[k];
    const v3 *right = p->right + d->n + 2 * k;
    double block[36], dt2 = p->dt * p->dt;
    v3 *at = u + 2 * k, *step = d->step + 2 * k, inertia = m3_mul_v3(&b->inertia, at[1]);
    line l = {.sweep = s, .slope = rigid_body_slope, .i = k};
    l.own_force[0] = step[0] = v3_axpy(-b->mass, at[0], right[0]), l.own_force[1] = step[1] = v3_sub(right[1], inertia);
    mus_block6_begin(block, b->mass, &b->inertia);
    for (int32_t i = d->touched[d->n + k]; i < d->touched[d->n + k + 1]; i++) {
        mus_ogc_term t = p->terms->data[d->contacts.data[i]];
        mus_ogc_evaluate(&t, trial, p->dt, p->least);
        mus_newton_rigid_bodies_add_force(p->rigid_bodies, k, &t, dt2, mus_ogc_force(&t), step);
        mus_newton_rigid_bodies_add_stiffness(p->rigid_bodies, k, &t, dt2, block);
    }
    v3 force[2] = {step[0], step[1]};
    mus_block6_factor(block);
    mus_block6_solve(block, step);
    l.step[0] = step[0], l.step[1] = step[1];
    l.curvature = b->mass * v3_length2(step[0]) + v3_dot(step[1], m3_mul_v3(&b->inertia, step[1]));
    double share = share_of(&l, v3_dot(force[0], step[0]) + v3_dot(force[1], step[1]));
    at[0] = v3_axpy(share, step[0], at[0]), at[1] = v3_axpy(share, step[1], at[1]);
    step[0] = step[1] = v3_make(0, 0, 0);
    mus_newton_rigid_bodies_move_vertices(p->rigid_bodies, k, u, p->place, trial);
    for (int32_t i = d->touched[d->n + k]; i < d->touched[d->n + k + 1]; i++)
        mus_newton_rigid_bodies_update_slip_origin(p->rigid_bodies, &p->terms->data[d->contacts.data[i]], 1, u);
}

/* omega (u - u two sweeps ago) + u two sweeps ago, for vertices without contacts. */
static void apply_chebyshev(mus_descent *d, const mus_descent_problem *p, double omega, v3 *u, v3 *trial) {
    for (int32_t i = 0; i < d->n; i++) {
        if (d->touched[i] < d->touched[i + 1] || !(p->assembly->inverse_mass[i] > 0)) continue;
        set_unknown(p, i, v3_lerp(d->earlier[i], u[i], omega), u, trial);
    }
}

void mus_descent_sweeps(mus_descent *d, const mus_descent_problem *p, int32_t sweeps, v3 *u, v3 *trial) {
    size_t bytes = sizeof(v3) * (size_t)d->n;
    double omega = 1;
    for (int32_t b = 0; b < p->rigid_bodies->count; b++)
        mus_newton_rigid_bodies_move_vertices(p->rigid_bodies, b, u + d->n, p->place, trial);
    for (int64_t k = 0; p->rigid_bodies->count && k < p->terms->count; k++)
        mus_newton_rigid_bodies_update_slip_origin(p->rigid_bodies, &p->terms->data[k], 1, u + d->n);
    for (int32_t k = 0; k < sweeps; k++) {
        memcpy(d->earlier, d->before, bytes);
        memcpy(d->before, u, bytes);
        for (int32_t c = 0; c < d->color_count; c++) {
            int32_t first = d->color_start[c], count = d->color_start[c + 1] - first;
            sweep s = {d, p, u, trial, d->order + first};
            mus_parallel_for(count < WORTH_THREADS ? 1 : p->threads, count, BLOCK, sweep_vertices, &s);
            for (int32_t j = 0; j < count; j++) set_unknown(p, s.vertices[j], d->moved[s.vertices[j]], u, trial);
        }
        sweep s = {d, p, u, trial, NULL};
        for (int32_t b = 0; b < p->rigid_bodies->count; b++)
            if (p->rigid_bodies->list[b].in_contact) sweep_rigid_body(&s, b, u + d->n, trial);
        omega = k == 0   ? 1
                : k == 1 ? 2 / (2 - spectral_radius * spectral_radius)
                         : 4 / (4 - spectral_radius * spectral_radius * omega);
        if (k > 0) apply_chebyshev(d, p, omega, u, trial);
    }
}
