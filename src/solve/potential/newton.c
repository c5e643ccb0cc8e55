/* newton.c: Newton rounds with conjugate gradients over the cloths' block matrices and the contacts, preconditioned by
 * the blocks of the diagonal. */
#include "solve/potential/newton.h"

#include <string.h>

enum { MAX_SEARCH_HALVINGS = 8 }; /* of the line search: a share of 1/256 is as good as none */
/* Share of a contact's radius below which its energy is a parabola in the first round, while the active set is being
 * found; less than 1/2. Not varied. */
static const double first_barrier_share = 0.4;

mus_status mus_newton_create(mus_newton *s, const mus_assembly *a, mus_block_matrix **matrices, bool descent,
                             int threads) {
    int32_t size = a->cloth_vertex_count + 2 * a->rigid_count;
    size_t n = (size_t)size + 1;
    *s = (mus_newton){.n = a->cloth_vertex_count, .size = size, .assembly = a, .matrix = matrices, .threads = threads};
    v3 **vectors[] = {&s->right,          &s->u,       &s->own_product, &s->change, &s->residual, &s->direction,
                      &s->preconditioned, &s->product, &s->scale};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = mus_new(sizeof(v3) * n))) return MUS_STATUS_NO_MEMORY;
    s->place = mus_new(sizeof(v3) * ((size_t)a->vertex_count + 1));
    s->trial = mus_new(sizeof(v3) * ((size_t)a->vertex_count + 1));
    s->inverse = mus_new(sizeof(mus_sym3) * n);
    if (!s->trial || !s->place || !s->inverse) return MUS_STATUS_NO_MEMORY;
    if (descent) {
        s->descent = mus_new(sizeof *s->descent);
        if (!s->descent) return MUS_STATUS_NO_MEMORY;
        mus_status status = mus_descent_create(s->descent, a, matrices);
        if (status != MUS_STATUS_OK) return status;
    }
    mus_status status = mus_newton_rigid_bodies_create(&s->rigid_bodies, a);
    return status == MUS_STATUS_OK ? mus_coarse_create(&s->coarse, a) : status;
}

void mus_newton_free(mus_newton *s) {
    void *blocks[] = {s->right,          s->u,       s->own_product, s->change, s->residual, s->direction,
                      s->preconditioned, s->product, s->scale,       s->place,  s->trial,    s->inverse};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    mus_array_free(&s->terms), mus_array_free(&s->attachments);
    mus_ogc_batch_free(&s->batch);
    if (s->descent) mus_descent_free(s->descent);
    mus_free(s->descent);
    mus_newton_rigid_bodies_free(&s->rigid_bodies);
    mus_coarse_free(&s->coarse);
    *s = (mus_newton){0};
}

/* ---- sums and products; sums are sequential, so they do not depend on threads ---- */

static double dot_product(const v3 *p, const v3 *q, int32_t n) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += v3_dot(p[i], q[i]);
    return sum;
}

static void multiply_without_contacts(const mus_newton *s, const v3 *p, v3 *out) {
    const mus_assembly *a = s->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++)
        if (s->matrix[k])
            mus_block_matrix_multiply(s->matrix[k], p + a->objects[k].first, out + a->objects[k].first, s->threads);
    mus_newton_rigid_bodies_multiply(&s->rigid_bodies, p + s->n, out + s->n);
}

static v3 change_of(const mus_newton *s, const mus_ogc_term *t, const v3 *p) {
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < t->count; k++)
        if (t->vertex[k] < s->n) sum = v3_axpy(t->weight[k], p[t->vertex[k]], sum);
    return t->arms ? v3_add(sum, mus_newton_rigid_bodies_relative_motion(&s->rigid_bodies, t, p + s->n)) : sum;
}

static void scatter_force(const mus_newton *s, const mus_ogc_term *t, double by, v3 f, v3 *out) {
    for (int k = 0; k < t->count; k++)
        if (t->vertex[k] < s->n) out[t->vertex[k]] = v3_axpy(by * t->weight[k], f, out[t->vertex[k]]);
    if (t->arms) mus_newton_rigid_bodies_scatter(&s->rigid_bodies, t, by, f, out + s->n);
}

static void zero_fixed(const mus_newton *s, v3 *p) {
    for (int32_t i = 0; i < s->n; i++)
        if (!(s->assembly->inverse_mass[i] > 0)) p[i] = v3_make(0, 0, 0);
    for (int32_t k = 0; k < s->rigid_bodies.count; k++)
        if (!s->rigid_bodies.list[k].in_contact) p[s->n + 2 * k] = p[s->n + 2 * k + 1] = v3_make(0, 0, 0);
}

static void multiply_hessian(const mus_newton *s, const v3 *p, v3 *out) {
    multiply_without_contacts(s, p, out);
    double dt2 = s->dt * s->dt;
    for (int64_t k = 0; k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        if (mus_ogc_acts(t)) scatter_force(s, t, dt2, mus_ogc_stiffened(t, change_of(s, t, p)), out);
    }
    mus_newton_add_attachment_product(s, p, out);
    zero_fixed(s, out);
}

static void build_preconditioner(mus_newton *s) {
    const mus_assembly *a = s->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++)
        for (int32_t i = 0; s->matrix[k] && i < s->matrix[k]->n; i++)
            s->inverse[a->objects[k].first + i] = mus_block_matrix_diagonal(s->matrix[k], i);
    double dt2 = s->dt * s->dt;
    for (int64_t k = 0; k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        if (!mus_ogc_acts(t)) continue;
        for (int c = 0; c < t->count; c++) {
            if (t->vertex[c] >= s->n) continue;
            double w2 = dt2 * t->weight[c] * t->weight[c];
            mus_sym3 *d = &s->inverse[t->vertex[c]];
            mus_sym3_add(d, w2 * (t->value.curvature - t->friction_stiffness), t->normal, w2 * t->friction_stiffness);
            if (t->friction_stiffness > 0)
                mus_sym3_add(d, w2 * (t->slip_stiffness - t->friction_stiffness), t->heading, 0);
        }
    }
    mus_newton_rigid_bodies_add_blocks(&s->rigid_bodies, &s->terms, dt2);
    mus_newton_add_attachment_blocks(s);
    for (int32_t i = 0; i < s->n; i++) s->inverse[i] = mus_sym3_inverse(&s->inverse[i]);
    for (int32_t k = 0; k < s->rigid_bodies.count; k++) mus_block6_factor(s->rigid_bodies.list[k].factor);
    if (s->factored) return; /* later changes of contacts need no update: any such matrix is a preconditioner */
    mus_coarse_clear(&s->coarse);
    for (int32_t k = 0; k < a->cloth_count; k++)
        if (s->matrix[k]) mus_coarse_add_matrix(&s->coarse, s->matrix[k], a->objects[k].first, a->inverse_mass);
    for (int64_t k = 0; k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        if (!mus_ogc_acts(t)) continue;
        mus_sym3 block = {0};
        mus_sym3_add(&block, dt2 * (t->value.curvature - t->friction_stiffness), t->normal,
                     dt2 * t->friction_stiffness);
        if (t->friction_stiffness > 0)
            mus_sym3_add(&block, dt2 * (t->slip_stiffness - t->friction_stiffness), t->heading, 0);
        mus_coarse_add_contact(&s->coarse, t->vertex, t->weight, t->count, &block, a->inverse_mass);
    }
    mus_coarse_factor(&s->coarse);
    s->factored = true;
}

/* z = P r; returns r.z */
static double apply_preconditioner(mus_newton *s, const v3 *r, v3 *z) {
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        z[i] = mus_sym3_mul(&s->inverse[i], r[i]);
        sum += v3_dot(r[i], z[i]);
    }
    for (int32_t k = 0, i = s->n; k < s->rigid_bodies.count; k++, i += 2) {
        z[i] = r[i], z[i + 1] = r[i + 1];
        mus_block6_solve(s->rigid_bodies.list[k].factor, z + i);
        sum += v3_dot(r[i], z[i]) + v3_dot(r[i + 1], z[i + 1]);
    }
    return sum + mus_coarse_apply(&s->coarse, s->assembly->inverse_mass, r, z);
}

/* ---- a round ---- */

/* Value of term k: users' laws were evaluated, all at once, at the current slip and distance. */
static mus_ogc_value value_at(const mus_newton *s, int64_t k, double distance) {
    const mus_ogc_term *t = &s->terms.data[k];
    return t->law ? s->batch.value.data[k]
                  : mus_ogc_law(distance, t->radius, t->stiffness, mus_ogc_least_of(t, s->least));
}

static void evaluate_laws_at(const mus_newton *s, const v3 *x) {
    if (!s->batch.laws.count) return;
    mus_ogc_batch_place(&s->batch, s->terms.data, s->terms.count, x);
    mus_ogc_batch_run(&s->batch, s->terms.data, 0, s->terms.count, s->least);
}

/* Sets the origin of slip on round bodies, which have turned by that share of u. */
static void update_rolling(mus_newton *s, double share) {
    for (int64_t k = 0; s->rigid_bodies.contact_arms.count && k < s->terms.count; k++)
        mus_newton_rigid_bodies_update_slip_origin(&s->rigid_bodies, &s->terms.data[k], share, s->u + s->n);
}

static void try_step(mus_newton *s) {
    for (int32_t i = 0; i < s->n; i++) s->trial[i] = v3_add(s->place[i], s->u[i]);
    for (int32_t k = 0; k < s->rigid_bodies.count; k++)
        mus_newton_rigid_bodies_move_vertices(&s->rigid_bodies, k, s->u + s->n, s->place, s->trial);
}

void mus_newton_load_friction(mus_newton *s, const mus_contact_constraint *constraints) {
    s->least = MUS_OGC_LEAST;
    update_rolling(s, 0);
    evaluate_laws_at(s, s->place);
    for (int64_t k = 0; k < s->terms.count; k++) {
        v3 slip;
        double normal_force = value_at(s, k, mus_ogc_distance(&s->terms.data[k], s->place, &slip)).normal_force;
        s->terms.data[k].friction_limit = constraints[k].friction * fmax(0, normal_force);
    }
}

static void evaluate_residual(mus_newton *s) {
    double dt2 = s->dt * s->dt;
    mus_newton_rigid_bodies_update_arms(&s->rigid_bodies, &s->terms, s->place);
    try_step(s);
    update_rolling(s, 1);
    for (int32_t i = 0; i < s->size; i++) s->residual[i] = v3_sub(s->right[i], s->own_product[i]);
    mus_newton_add_attachment_forces(s, s->residual);
    evaluate_laws_at(s, s->trial);
    for (int64_t k = 0; k < s->terms.count; k++) {
        mus_ogc_term *t = &s->terms.data[k];
        v3 slip;
        double distance = mus_ogc_distance(t, s->trial, &slip);
        mus_ogc_value value = value_at(s, k, distance);
        mus_ogc_settle(t, distance, slip, &value, s->dt);
        if (mus_ogc_acts(t)) scatter_force(s, t, dt2, mus_ogc_force(t), s->residual);
    }
    zero_fixed(s, s->residual);
}

/* One step of descent along p: change += step p, residual -= step A p. Returns r.z after it. */
static double descent_step(mus_newton *s, const v3 *p, double slope) {
    multiply_hessian(s, p, s->product);
    double curvature = dot_product(p, s->product, s->size);
    if (!(curvature > 0)) return -1;
    double step = slope / curvature;
    for (int32_t i = 0; i < s->size; i++) {
        s->change[i] = v3_axpy(step, p[i], s->change[i]);
        s->residual[i] = v3_axpy(-step, s->product[i], s->residual[i]);
    }
    return apply_preconditioner(s, s->residual, s->preconditioned);
}

/* Starts the change from 0, with a step along the guess, if there is one. Returns r.z after it. */
static double begin_change(mus_newton *s, const v3 *guess, double rz) {
    size_t bytes = sizeof(v3) * (size_t)s->size;
    memset(s->change, 0, bytes);
    if (!guess) return rz;
    memcpy(s->direction, guess, bytes);
    zero_fixed(s, s->direction);
    double next = descent_step(s, s->direction, dot_product(s->direction, s->residual, s->size));
    return next >= 0 ? next : rz;
}

static void conjugate_gradients(mus_newton *s, double small, double rz, int32_t limit, int32_t *iterations) {
    memcpy(s->direction, s->preconditioned, sizeof(v3) * (size_t)s->size);
    while (*iterations < limit && rz > small) {
        double next = descent_step(s, s->direction, rz);
        if (next < 0) break;
        double ratio = next / rz;
        rz = next;
        for (int32_t i = 0; i < s->size; i++) s->direction[i] = v3_axpy(ratio, s->direction[i], s->preconditioned[i]);
        ++*iterations;
    }
}

/* Descent sweeps, after one step along the preconditioned residual: sweeps alone propagate from neighbor to neighbor,
 * and take many to cross a cloth. */
static void run_descent_sweeps(mus_newton *s, double rz, int32_t count) {
    v3 *u = s->direction;
    memcpy(u, s->preconditioned, sizeof(v3) * (size_t)s->size);
    descent_step(s, u, rz);
    for (int32_t i = 0; i < s->size; i++) u[i] = v3_add(s->u[i], s->change[i]);
    for (int32_t i = 0; i < s->n; i++) s->trial[i] = v3_add(s->place[i], u[i]);
    mus_descent_problem problem = {s->assembly,      s->matrix, s->right, s->place,  &s->terms,
                                   &s->rigid_bodies, s->dt,     s->least, s->threads};
    mus_descent_sweeps(s->descent, &problem, count, u, s->trial);
    for (int32_t i = 0; i < s->size; i++) s->change[i] = v3_sub(u[i], s->u[i]);
}

/* Returns the objective of the iteration's convex problem at a share of the change, up to a constant, and its slope.
 * Friction uses the present friction limits. */
static double along_change(const mus_newton *s, double share, double linear, double quadratic, double *slope) {
    double sum = share * (linear + 0.5 * share * quadratic), dt2 = s->dt * s->dt;
    *slope = linear + share * quadratic;
    bool has_laws = s->batch.laws.count > 0;
    for (int64_t k = 0; has_laws && k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        v3 change = change_of(s, t, s->change);
        double along = v3_dot(t->normal, change);
        s->batch.distance.data[k] = t->distance + share * along;
        s->batch.slip.data[k] = v3_length(v3_axpy(share, v3_axpy(-along, t->normal, change), t->slip));
    }
    if (has_laws) mus_ogc_batch_run(&s->batch, s->terms.data, 0, s->terms.count, s->least);
    for (int64_t k = 0; k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        v3 change = change_of(s, t, s->change);
        double along = v3_dot(t->normal, change);
        mus_ogc_value value = value_at(s, k, t->distance + share * along);
        sum += dt2 * value.energy;
        *slope -= dt2 * value.normal_force * along;
        if (!(t->friction_limit > 0) && !(value.slip_gradient > 0)) continue;
        v3 tangent = v3_axpy(-along, t->normal, change), slip = v3_axpy(share, tangent, t->slip);
        double length = v3_length(slip);
        sum += dt2 * mus_ogc_friction_energy(t->friction_limit, length, s->dt);
        double force = mus_ogc_friction_force(t->friction_limit, length, s->dt) + value.slip_gradient;
        if (length > 0) *slope += dt2 * force * v3_dot(slip, tangent) / length;
    }
    return sum;
}

/* Returns 1, or if the full change would increase the objective, a share near the minimum. */
static double convex_search(const mus_newton *s, double linear, double quadratic) {
    if (!s->terms.count) return 1;
    double start, slope, lo = 0, hi = 1;
    double before = along_change(s, 0, linear, quadratic, &start);
    if (along_change(s, 1, linear, quadratic, &slope) <= before) return 1;
    for (int k = 0; k < MAX_SEARCH_HALVINGS; k++) {
        double middle = 0.5 * (lo + hi);
        along_change(s, middle, linear, quadratic, &slope);
        if (fabs(slope) <= MUS_SEARCH_SLOPE_SHARE * fabs(start)) return middle;
        if (slope > 0)
            hi = middle;
        else
            lo = middle;
    }
    return lo > 0 ? lo : hi;
}

void mus_newton_begin(mus_newton *s) {
    size_t bytes = sizeof(v3) * (size_t)s->size;
    memcpy(s->trial, s->place, sizeof(v3) * (size_t)s->assembly->vertex_count);
    memset(s->u, 0, bytes);
    memset(s->own_product, 0, bytes);
    mus_newton_place_attachments(s);
    s->factored = false;
    s->least = first_barrier_share;
}

/* For worlds without free cloth. Otherwise the unit is that of cloth: the share of a heavy body would hide its
 * residual. */
static double rigid_body_residual_unit(const mus_newton *s) {
    double sum = 0;
    for (int32_t k = 0; k < s->rigid_bodies.count; k++) {
        v3 z[2] = {s->scale[s->n + 2 * k], s->scale[s->n + 2 * k + 1]};
        mus_block6_solve(s->rigid_bodies.list[k].factor, z);
        sum += v3_dot(s->scale[s->n + 2 * k], z[0]);
    }
    return sum;
}

bool mus_newton_round(mus_newton *s, const v3 *guess, double tolerance, int32_t limit, mus_newton_result *result) {
    evaluate_residual(s);
    build_preconditioner(s);
    double rz = apply_preconditioner(s, s->residual, s->preconditioned);
    double unit = 0;
    for (int32_t i = 0; i < s->n; i++)
        if (s->assembly->inverse_mass[i] > 0) unit += v3_dot(s->scale[i], mus_sym3_mul(&s->inverse[i], s->scale[i]));
    if (!(unit > 0)) unit = rigid_body_residual_unit(s);
    if (!(unit > 0)) unit = 1;
    double accepted = tolerance * tolerance * unit;
    result->residual = sqrt(rz / unit);
    if (rz <= accepted && s->least <= MUS_OGC_LEAST) return true;
    if (rz <= accepted) {
        s->least = fmax(MUS_OGC_LEAST, 0.5 * s->least);
        return false;
    }
    double small = fmax(0.5 * accepted, 0.01 * rz);
    rz = begin_change(s, guess, rz);
    int32_t iterations = 0;
    if (s->descent && !s->use_conjugate_gradients)
        run_descent_sweeps(s, rz, iterations = limit);
    else
        conjugate_gradients(s, small, rz, limit, &iterations);
    result->iterations += iterations;
    result->rounds++;
    multiply_without_contacts(s, s->change, s->product);
    double linear = dot_product(s->change, s->own_product, s->size) - dot_product(s->change, s->right, s->size);
    double quadratic = dot_product(s->change, s->product, s->size);
    mus_newton_attachments_along_change(s, &linear, &quadratic);
    double share = convex_search(s, linear, quadratic);
    for (int32_t i = 0; i < s->size; i++) {
        s->u[i] = v3_axpy(share, s->change[i], s->u[i]);
        s->own_product[i] = v3_axpy(share, s->product[i], s->own_product[i]);
    }
    try_step(s);
    s->least = fmax(MUS_OGC_LEAST, 0.5 * s->least);
    return false;
}

/* The exact energy at x, with bodies at that share of u: cloths, contacts along their normals, friction with its
 * present limits; for bodies, the change of their inertial energy. */
static double total_energy(mus_newton *s, const v3 *x, double share) {
    double contacts = 0, rigid_energy = 0;
    update_rolling(s, share);
    evaluate_laws_at(s, x);
    for (int64_t k = 0; k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        v3 slip;
        double distance = mus_ogc_distance(t, x, &slip);
        contacts += value_at(s, k, distance).energy;
        if (t->friction_limit > 0) contacts += mus_ogc_friction_energy(t->friction_limit, v3_length(slip), s->dt);
    }
    for (int32_t i = s->n; i < s->size; i++)
        rigid_energy += share * v3_dot(s->u[i], v3_axpy(0.5 * share, s->own_product[i], v3_neg(s->right[i])));
    return s->energy(s->context, x) + rigid_energy + s->dt * s->dt * contacts +
           mus_newton_attachment_energy(s, x, share);
}

static void place_bodies(const mus_newton *s, double share, v3 *x) {
    for (int32_t k = 0; k < s->rigid_bodies.count; k++) {
        const mus_newton_rigid_body *b = &s->rigid_bodies.list[k];
        const v3 *u = s->u + s->n + 2 * k;
        if (b->in_contact)
            mus_newton_rigid_bodies_place(&s->rigid_bodies, k, v3_axpy(share, u[0], b->shift),
                                          v3_axpy(share, u[1], b->turn), x);
    }
}

void mus_newton_end(mus_newton *s) {
    double start = total_energy(s, s->place, 0), share = 1;
    place_bodies(s, share, s->trial);
    for (int k = 0; k < 10; k++) {
        double now = total_energy(s, s->trial, share);
        if (now <= start) break;
        share *= 0.5;
        for (int32_t i = 0; i < s->n; i++) s->trial[i] = v3_axpy(share, s->u[i], s->place[i]);
        place_bodies(s, share, s->trial);
    }
    for (int32_t k = 0; k < s->rigid_bodies.count; k++) {
        mus_newton_rigid_body *b = &s->rigid_bodies.list[k];
        b->shift = v3_axpy(share, s->u[s->n + 2 * k], b->shift);
        b->turn = v3_axpy(share, s->u[s->n + 2 * k + 1], b->turn);
    }
    memset(s->u + s->n, 0, sizeof(v3) * 2 * (size_t)s->rigid_bodies.count);
    memcpy(s->place, s->trial, sizeof(v3) * (size_t)s->assembly->vertex_count);
}
