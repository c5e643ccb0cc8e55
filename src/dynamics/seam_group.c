/* seam_group.c: cloths that are solved together: their common structure, and steps of integrators that advance one
 * cloth at a time. */
#include "dynamics/seam_group.h"
#include "base/union_find.h"
#include "model/order.h"

/* Index of the member with a given cloth, -1: none. */
static int32_t member_of(const mus_seam_group *b, mus_cloth *cloth) {
    for (int32_t k = 0; k < b->member_count; k++)
        if (b->members[k].cloth == mus_cloth_solved(cloth)) return k;
    return -1;
}

static mus_stitch_constraint make_stitch(const mus_seam_group *b, const mus_seam *seam, int32_t k, int32_t one,
                                         int32_t other) {
    mus_stitch_constraint stitch = {.seam = seam, .stitch_index = k, .joined = one, .weight = {1, 0, 0}};
    int32_t onto[2];
    stitch.vertex[0] = b->members[one].first + mus_cloth_solved_vertex(seam->cloth[0], seam->stitches[k].vertex);
    stitch.count = 1 + mus_stitch_ends(&seam->stitches[k], onto, stitch.weight + 1);
    for (int e = 1; e < stitch.count; e++)
        stitch.vertex[e] = b->members[other].first + mus_cloth_solved_vertex(seam->cloth[1], onto[e - 1]);
    return stitch;
}

static mus_status collect_stitches(mus_seam_group *b, mus_seam *const *seams, int32_t seam_count) {
    int32_t count = 0;
    for (int32_t k = 0; k < seam_count; k++) count += member_of(b, seams[k]->cloth[0]) < 0 ? 0 : seams[k]->count;
    b->stitches = mus_new(sizeof *b->stitches * ((size_t)count + 1));
    int32_t *parent = mus_new(sizeof *parent * ((size_t)b->member_count + 1));
    if (!b->stitches || !parent) {
        mus_free(parent);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_union_find_reset(parent, b->member_count);
    for (int32_t k = 0; k < seam_count; k++) {
        int32_t one = member_of(b, seams[k]->cloth[0]), other = member_of(b, seams[k]->cloth[1]);
        if (one < 0 || other < 0) continue;
        mus_union_find_join(parent, one, other);
        for (int32_t s = 0; s < seams[k]->count; s++)
            b->stitches[b->stitch_count++] = make_stitch(b, seams[k], s, one, other);
    }
    for (int32_t k = 0; k < b->member_count; k++) b->members[k].joined = mus_union_find_root(parent, k);
    mus_free(parent);
    for (int32_t k = 0; k < b->stitch_count; k++) b->stitches[k].joined = b->members[b->stitches[k].joined].joined;
    return MUS_STATUS_OK;
}

static mus_status make_matrix(mus_seam_group *b) {
    size_t room = 3 * (size_t)b->stitch_count;
    for (int32_t k = 0; k < b->member_count; k++) room += mus_dynamics_max_pair_count(b->members[k].cloth);
    int32_t *pairs = mus_new(sizeof(int32_t) * 2 * (room + 1));
    if (!pairs) return MUS_STATUS_NO_MEMORY;
    int64_t count = 0;
    for (int32_t k = 0; k < b->member_count; k++)
        count += mus_dynamics_collect(b->members[k].cloth, b->members[k].first, pairs + 2 * count);
    for (int32_t k = 0; k < b->stitch_count; k++) {
        const mus_stitch_constraint *t = &b->stitches[k];
        for (int i = 0; i < t->count; i++)
            for (int j = i + 1; j < t->count; j++, count++)
                pairs[2 * count] = t->vertex[i], pairs[2 * count + 1] = t->vertex[j];
    }
    mus_status status = mus_block_matrix_create(&b->matrix, b->n, pairs, count);
    mus_free(pairs);
    return status == MUS_STATUS_OK ? mus_block_matrix_make_general(&b->matrix) : status;
}

static int32_t pair_of(const mus_block_matrix *m, int32_t i, int32_t j) {
    return mus_block_matrix_far_pair(m, i < j ? i : j, i < j ? j : i);
}

/* Sets the members' views of the matrix rows and of the borrowed arrays. */
static void set_member_views(mus_seam_group *b) {
    for (int32_t k = 0; k < b->member_count; k++) {
        mus_seam_group_member *member = &b->members[k];
        mus_dynamics *d = member->dynamics;
        d->matrix = mus_block_matrix_view(&b->matrix, member->first, member->cloth->vertex_count);
        if (!b->force) continue;
        d->force = b->force + member->first, d->change = b->change + member->first;
        d->guess = b->guess + member->first, d->residual_scale = b->residual_scale + member->first,
        d->free = b->free + member->first;
    }
}

void mus_seam_group_borrow(mus_seam_group *b, mus_lender *lender) {
    size_t n = (size_t)b->n;
    mus_free(b->scratch);
    b->scratch = NULL;
    mus_block_matrix_borrow(&b->matrix, lender);
    mus_lend(lender, &b->force, sizeof(v3) * n);
    mus_lend(lender, &b->change, sizeof(v3) * n);
    mus_lend(lender, &b->guess, sizeof(v3) * n);
    mus_lend(lender, &b->residual_scale, sizeof(v3) * n);
    mus_lend(lender, &b->from_x, sizeof(v3) * n);
    mus_lend(lender, &b->from_v, sizeof(v3) * n);
    mus_lend(lender, &b->to, sizeof(v3) * n);
    mus_lend(lender, &b->free, sizeof(double) * n);
    mus_lend(lender, &b->inverse_mass, sizeof(double) * n);
    if (lender->base) set_member_views(b);
}

mus_status mus_seam_group_create(mus_dynamics *const *dynamics, mus_cloth *const *cloths, int32_t first, int32_t count,
                                 mus_seam *const *seams, int32_t seam_count, mus_seam_group *b) {
    *b = (mus_seam_group){.first_cloth = first, .member_count = count};
    b->members = mus_new(sizeof *b->members * (size_t)count);
    b->parts = mus_new(sizeof *b->parts * (size_t)count);
    if (!b->members || !b->parts) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < first; k++) b->first += cloths[k]->vertex_count;
    for (int32_t k = 0; k < count; k++) {
        b->members[k] = (mus_seam_group_member){
            .dynamics = dynamics[first + k], .cloth = cloths[first + k], .first = b->n, .joined = k};
        b->n += cloths[first + k]->vertex_count;
    }
    mus_status status = collect_stitches(b, seams, seam_count);
    if (status == MUS_STATUS_OK) status = make_matrix(b);
    if (status != MUS_STATUS_OK) return status;
    for (int32_t k = 0; k < b->stitch_count; k++) {
        mus_stitch_constraint *t = &b->stitches[k];
        t->pair[0] = pair_of(&b->matrix, t->vertex[0], t->vertex[1]);
        if (t->count < 3) continue;
        t->pair[1] = pair_of(&b->matrix, t->vertex[0], t->vertex[2]);
        t->pair[2] = pair_of(&b->matrix, t->vertex[1], t->vertex[2]);
    }
    for (int32_t k = 0; k < count; k++) {
        mus_dynamics *d = b->members[k].dynamics;
        mus_block_matrix_free(&d->matrix);
        mus_free(d->scratch);
        d->scratch = NULL;
        d->in_seam_group = true;
    }
    set_member_views(b);
    for (int32_t k = 0; k < count && status == MUS_STATUS_OK; k++)
        status = mus_dynamics_find(b->members[k].dynamics, b->members[k].cloth);
    mus_lender lender = {0};
    mus_seam_group_borrow(b, &lender);
    lender = (mus_lender){status == MUS_STATUS_OK ? mus_new(lender.used) : NULL, 0};
    if (!lender.base) return MUS_STATUS_NO_MEMORY;
    mus_seam_group_borrow(b, &lender);
    b->scratch = lender.base;
    return MUS_STATUS_OK;
}

void mus_seam_group_free(mus_seam_group *b) {
    mus_block_matrix_free(&b->matrix);
    mus_free(b->members);
    mus_free(b->parts);
    mus_free(b->stitches);
    mus_free(b->scratch);
    *b = (mus_seam_group){0};
}

/* ---- momentum ---- */

/* Collects the members connected with k, from k on; none if k is not the first of them or any has pins. */
static int32_t collect_free_component(const mus_seam_group *b, int32_t k) {
    int32_t count = 0;
    for (int32_t j = k; j < b->member_count && b->members[k].joined == k; j++) {
        if (b->members[j].joined != k) continue;
        if (b->members[j].cloth->pin_count) return 0;
        b->parts[count++] = (mus_momentum_part){b->members[j].cloth, b->members[j].first};
    }
    return count;
}

void mus_seam_group_begin_momentum(mus_seam_group *b, const v3 *x0, const v3 *v0, int threads) {
    for (int32_t k = 0; k < b->member_count; k++) {
        int32_t count = collect_free_component(b, k);
        if (count) b->members[k].momentum = mus_momentum_begin(b->parts, count, x0, v0, b->force, threads);
    }
    for (int32_t k = 0; k < b->stitch_count; k++)
        b->members[b->stitches[k].joined].momentum.energy += mus_stitch_energy(&b->stitches[k], x0);
}

void mus_seam_group_end_momentum(mus_seam_group *b, const v3 *x0, const v3 *v0, int threads) {
    for (int32_t k = 0; k < b->member_count; k++) {
        int32_t count = collect_free_component(b, k);
        if (count)
            mus_momentum_end(&b->members[k].momentum, b->parts, count, x0, v0, b->matrix.diagonal, b->change, threads);
    }
}

/* ---- substeps ---- */

static void project_stitches(mus_seam_group *b, double h, v3 *x1, v3 *v1) {
    enum { SWEEPS = 6 }; /* a substep is short */
    memcpy(b->change, x1, sizeof(v3) * (size_t)b->n);
    for (int sweep = 0; sweep < SWEEPS; sweep++) mus_stitches_project(b, b->inverse_mass, h, sweep & 1, x1);
    for (int32_t i = 0; i < b->n; i++)
        if (b->inverse_mass[i] > 0) v1[i] = v3_axpy(1 / h, v3_sub(x1[i], b->change[i]), v1[i]);
}

mus_integrator_result mus_seam_group_advance(mus_seam_group *b, const mus_integrator *integrator,
                                             const mus_environment *environment, double dt, const v3 *x0, const v3 *v0,
                                             v3 *x1, v3 *v1) {
    size_t bytes = sizeof(v3) * (size_t)b->n;
    for (int32_t k = 0; k < b->member_count; k++)
        memcpy(b->inverse_mass + b->members[k].first, b->members[k].cloth->inverse_mass,
               sizeof(double) * (size_t)b->members[k].cloth->vertex_count);
    if (integrator->advance_group) return integrator->advance_group(b, environment, dt, x0, v0, x1, v1);
    int32_t substep_count = 1;
    for (int32_t k = 0; k < b->member_count; k++) {
        const mus_seam_group_member *m = &b->members[k];
        int32_t wanted = integrator->substep_count(m->dynamics, m->cloth, x0 + m->first, dt);
        if (wanted > substep_count) substep_count = wanted;
    }
    double h = dt / substep_count, begin = b->time;
    mus_integrator_result result = {substep_count, 0, h};
    if (substep_count > MUS_MOST_SUBSTEPS) return result;
    memcpy(b->to, x1, bytes);
    memcpy(x1, x0, bytes), memcpy(v1, v0, bytes);
    for (int32_t p = 0; p < substep_count && !mus_environment_cancelled(environment); p++) {
        mus_seam_group_begin(b, begin + p * h, h);
        memcpy(b->from_x, x1, bytes), memcpy(b->from_v, v1, bytes);
        for (int32_t i = 0; i < b->n; i++)
            if (!(b->inverse_mass[i] > 0))
                x1[i] = p + 1 == substep_count ? b->to[i] : v3_lerp(x0[i], b->to[i], (p + 1) * h / dt);
        for (int32_t k = 0; k < b->member_count; k++) {
            mus_seam_group_member *m = &b->members[k];
            result = integrator->advance(m->dynamics, m->cloth, environment, m->previous_dt, h, b->from_x + m->first,
                                         b->from_v + m->first, x1 + m->first, v1 + m->first);
            m->previous_dt = result.previous_dt;
        }
        project_stitches(b, h, x1, v1);
    }
    result.iterations = substep_count;
    return result;
}
