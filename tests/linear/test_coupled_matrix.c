/* test_coupled_matrix.c: two sheets and a rigid body with couplings: values are those of the sum, and the
 * preconditioner is symmetric, positive, and good enough for few iterations, also after a change of the pattern. */
#include "../world/scene.h"

#include "linear/coupled_matrix.h"

enum { SIDE = 18, SHEET = SIDE * SIDE, N = 2 * SHEET + 2, TERMS = 90 };

typedef struct problem {
    mus_rng rng;
    mus_block_matrix sheets[2];
    double free_rows[N];
    mus_stiffness_term terms[TERMS];
    mus_sym3 body[2];
    mus_row_terms rows;
    mus_coupled_matrix m;
} problem;

static void fill_sheet(mus_block_matrix *m, mus_rng *rng) {
    mus_block_matrix_clear(m, 1);
    for (int32_t i = 0; i < SHEET; i++) {
        mus_sym3_add(&m->diagonal[i], 0, v3_make(0, 0, 0), 1);
        for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++)
            mus_pair_block_add(&m->pair[k], 500, random_direction(rng), 5);
    }
}

/* Its energy is half the square of the sum of pull[c] . x[c]. */
static void add_face(mus_block_matrix *m, mus_rng *rng, const int32_t c[3]) {
    v3 pull[3] = {v3_scale(9, random_direction(rng)), v3_scale(9, random_direction(rng))};
    pull[2] = v3_neg(v3_add(pull[0], pull[1]));
    for (int k = 0; k < 3; k++) {
        int32_t a = c[k], b = c[(k + 1) % 3];
        v3 p = pull[k], q = pull[(k + 1) % 3];
        m3 block = {{v3_scale(p.x, q), v3_scale(p.y, q), v3_scale(p.z, q)}};
        int32_t low = a < b ? a : b, pair = m->upper_start[low] + mus_block_matrix_place(m, a, b);
        mus_block_matrix_add_pair(m, pair, a < b, &block);
    }
}

/* `patches`: squares of four vertices, without blocks between them. */
static void make_sheet(mus_block_matrix *m, mus_rng *rng, bool general, bool patches) {
    int32_t pairs[6 * SHEET], count = 0;
    for (int32_t j = 0; j < SIDE; j++)
        for (int32_t i = 0; i < SIDE; i++) {
            int32_t a = i + j * SIDE, next[3] = {a + 1, a + SIDE, a + SIDE + 1};
            for (int e = 0; e < 3; e++)
                if ((e == 1 || (i + 1 < SIDE && !(patches && i % 2))) &&
                    (e == 0 || (j + 1 < SIDE && !(patches && j % 2))))
                    pairs[2 * count] = a, pairs[2 * count + 1] = next[e], count++;
        }
    must(mus_block_matrix_create(m, SHEET, pairs, count));
    if (general) must(mus_block_matrix_make_general(m));
    fill_sheet(m, rng);
    for (int32_t a = 0; general && a + SIDE + 1 < SHEET; a++)
        if (a % SIDE + 1 < SIDE) add_face(m, rng, (int32_t[3]){a, a + 1, a + SIDE + 1});
}

/* A vertex of one sheet against three of the other; each fifth against the body, with a contact arm. */
static void make_terms(problem *p) {
    for (int k = 0; k < TERMS; k++) {
        mus_stiffness_term *c = &p->terms[k];
        *c = (mus_stiffness_term){0};
        int32_t at = (int32_t)mus_rng_below(&p->rng, SHEET - SIDE - 1);
        c->row[c->count] = at, c->weight[c->count++] = 1;
        if (k % 5) {
            const int32_t corner[3] = {at, at + 1, at + SIDE};
            for (int i = 0; i < 3; i++) c->row[c->count] = SHEET + corner[i], c->weight[c->count++] = -1.0 / 3;
        } else {
            c->row[c->count] = 2 * SHEET, c->weight[c->count++] = -1;
            c->arm[c->count] = v3_scale(-0.3, random_direction(&p->rng)), c->row[c->count++] = 2 * SHEET + 1;
        }
        mus_sym3_add(&c->stiffness, 900, random_direction(&p->rng), 300);
        int32_t kept = 0; /* fixed rows do not take part */
        for (int32_t i = 0; i < c->count; i++)
            if (p->free_rows[c->row[i]] > 0)
                c->row[kept] = c->row[i], c->weight[kept] = c->weight[i], c->arm[kept++] = c->arm[i];
        c->count = kept;
    }
}

/* Terms of sheets alone are weighted ones, but for every seventh, which is as those of the body. */
static bool is_weighted(int k) {
    return k % 5 != 0 && k % 7 != 3;
}

static void set_weighted(problem *p, int k) {
    const mus_stiffness_term *c = &p->terms[k];
    mus_weighted_term *of = &p->m.weighted.data[k];
    *of = (mus_weighted_term){.count = c->count, .stiffness = c->stiffness};
    for (int32_t i = 0; i < c->count; i++) of->row[i] = c->row[i], of->weight[i] = c->weight[i];
    mus_coupled_matrix_set_order(&p->m, of);
}

static void set_terms(problem *p) {
    mus_coupled_matrix_begin(&p->m, 1);
    for (int k = 0; k < 2; k++) mus_coupled_matrix_add_block(&p->m, 2 * SHEET + k, &p->body[k]);
    for (int k = 0; k < TERMS; k++) {
        if (is_weighted(k))
            set_weighted(p, k);
        else
            mus_coupled_matrix_add_term(&p->m, &p->terms[k]);
    }
    mus_coupled_matrix_end(&p->m, p->free_rows, 1);
}

static void list_rows(problem *p) {
    mus_row_terms_begin(&p->rows);
    for (int k = 0; k < TERMS; k++)
        for (int32_t i = 0; i < p->terms[k].count && is_weighted(k); i++)
            must(mus_row_terms_add(&p->rows, p->terms[k].row[i], k, p->terms[k].weight[i]));
    must(mus_row_terms_end(&p->rows, TERMS));
}

static void set_values(problem *p) {
    mus_coupled_matrix_begin_pattern(&p->m);
    for (int k = 0; k < TERMS; k++) must(mus_coupled_matrix_add_pattern(&p->m, &p->terms[k]));
    must(mus_coupled_matrix_end_pattern(&p->m));
    list_rows(p);
    must(mus_coupled_matrix_reserve(&p->m, 0, &p->rows));
    mus_coupled_matrix_read(&p->m, false, 1);
    set_terms(p);
}

/* `patches`: the first sheet is of patches. */
static problem *begin(uint64_t seed, bool general, bool patches) {
    problem *p = calloc(1, sizeof *p);
    static const int32_t first[2] = {0, SHEET};
    mus_block_matrix *sheets[2] = {&p->sheets[0], &p->sheets[1]};
    p->rng = mus_rng_make(seed, 0);
    for (int k = 0; k < 2; k++) make_sheet(&p->sheets[k], &p->rng, general, patches && k == 0);
    for (int32_t i = 0; i < N; i++) p->free_rows[i] = i % 37 != 5 || i >= 2 * SHEET;
    mus_sym3_add(&p->body[0], 0, v3_make(0, 0, 0), 200);
    mus_sym3_add(&p->body[1], 3, v3_make(0, 1, 0), 8);
    make_terms(p);
    must(mus_row_terms_create(&p->rows, 2 * SHEET));
    must(mus_coupled_matrix_create(&p->m, N, 2, sheets, first, 2, NULL, 0));
    set_values(p);
    return p;
}

static void end(problem *p) {
    mus_coupled_matrix_free(&p->m), mus_row_terms_free(&p->rows);
    for (int k = 0; k < 2; k++) mus_block_matrix_free(&p->sheets[k]);
    free(p);
}

static v3 relative_motion(const mus_stiffness_term *c, int32_t i, v3 x) {
    return v3_add(v3_scale(c->weight[i], x), v3_cross(x, c->arm[i]));
}

/* The sum, term by term. */
static void multiply(problem *p, const v3 *x, v3 *out) {
    for (int k = 0; k < 2; k++) mus_block_matrix_multiply(&p->sheets[k], x + k * SHEET, out + k * SHEET, 1);
    for (int k = 0; k < 2; k++) out[2 * SHEET + k] = mus_sym3_mul(&p->body[k], x[2 * SHEET + k]);
    for (int k = 0; k < TERMS; k++) {
        const mus_stiffness_term *c = &p->terms[k];
        v3 sum = v3_make(0, 0, 0);
        for (int32_t i = 0; i < c->count; i++) sum = v3_add(sum, relative_motion(c, i, x[c->row[i]]));
        v3 f = mus_sym3_mul(&c->stiffness, sum);
        for (int32_t i = 0; i < c->count; i++) /* the transpose of x cross arm is arm cross f */
            out[c->row[i]] = v3_add(out[c->row[i]], v3_add(v3_scale(c->weight[i], f), v3_cross(c->arm[i], f)));
    }
    for (int32_t i = 0; i < N; i++)
        if (!(p->free_rows[i] > 0)) out[i] = v3_make(0, 0, 0);
}

static v3 times_columns(const mus_float4 b[3], v3 x) {
    v3 sum = v3_make(0, 0, 0);
    const double of[3] = {x.x, x.y, x.z};
    for (int c = 0; c < 3; c++)
        sum = v3_axpy(of[c], v3_make((double)b[c].lane[0], (double)b[c].lane[1], (double)b[c].lane[2]), sum);
    return sum;
}

static v3 times_rows(const mus_float4 b[3], v3 x) {
    double of[3];
    for (int c = 0; c < 3; c++)
        of[c] = v3_dot(v3_make((double)b[c].lane[0], (double)b[c].lane[1], (double)b[c].lane[2]), x);
    return v3_make(of[0], of[1], of[2]);
}

static void random_vector(problem *p, v3 *x) {
    for (int32_t i = 0; i < N; i++) x[i] = p->free_rows[i] > 0 ? random_direction(&p->rng) : v3_make(0, 0, 0);
}

/* Row i of a level's matrix, times x. */
static v3 row_of(const mus_grid_level *l, int32_t i, const v3 *x) {
    v3 sum = mus_sym3_mul(&l->own[i], x[i]);
    if (l->part_of && l->part_of[i] >= 0) {
        const mus_grid_part *part = &l->parts[l->part_of[i]];
        sum = v3_add(sum, mus_block_matrix_row(part->matrix, i - part->first, x + part->first));
    }
    for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) {
        v3 own = v3_scale(0.5, v3_add(times_columns(l->block[k], x[i]), times_rows(l->block[k], x[i])));
        sum = v3_add(sum, v3_sub(own, times_columns(l->block[k], x[l->column[k]])));
    }
    return sum;
}

static void first_level_has_the_values_of_the_sum(void **state) {
    (void)state;
    for (int round = 0; round < 4; round++) {
        problem *p = begin(11 + (uint64_t)round, round & 1, round == 2);
        if (round >= 2) make_terms(p), set_values(p); /* another pattern */
        static v3 x[N], wanted[N];
        random_vector(p, x);
        multiply(p, x, wanted);
        for (int32_t i = 0; i < N; i++) {
            if (!(p->free_rows[i] > 0)) continue;
            v3 sum = row_of(&p->m.grid.levels[0], i, x);
            near(v3_length(v3_sub(sum, wanted[i])), 0, 2e-3, "row of the sum"); /* float; terms of some 1000 */
        }
        end(p);
    }
}

/* x = P y: rows of a level move as the rows of the next that they have shares in, fixed ones and those without do not.
 */
static void prolong(const problem *p, int32_t k, const v3 *y, v3 *x) {
    const mus_grid_level *l = &p->m.grid.levels[k];
    for (int32_t i = 0; i < l->n; i++) {
        x[i] = v3_make(0, 0, 0);
        for (int32_t t = l->to_start[i]; t < l->to_start[i + 1] && (k || p->free_rows[i] > 0); t++)
            x[i] = v3_axpy((double)l->to[t].weight, y[l->to[t].row], x[i]);
    }
}

static void coarse_levels_have_the_galerkin_product(void **state) {
    (void)state;
    for (int round = 0; round < 4; round++) {
        problem *p = begin(31 + (uint64_t)round, round == 1, round >= 2);
        for (int k = 0; k < TERMS && round & 1; k++) p->terms[k].stiffness = p->body[0];
        if (round & 1) set_terms(p); /* the matrices stay */
        if (round == 3) {            /* they do not */
            fill_sheet(&p->sheets[1], &p->rng);
            mus_coupled_matrix_read(&p->m, false, 1);
            set_terms(p);
        }
        for (int32_t k = 0; k + 1 < p->m.grid.level_count; k++) {
            const mus_grid_level *l = &p->m.grid.levels[k], *next = l + 1;
            static v3 y[N], x[N];
            for (int32_t a = 0; a < next->n; a++) y[a] = random_direction(&p->rng);
            prolong(p, k, y, x);
            for (int32_t a = 0; a < next->n; a++) {
                v3 wanted = v3_make(0, 0, 0);
                for (int32_t f = l->from_start[a]; f < l->from_start[a + 1]; f++) {
                    int32_t i = l->from[f].row;
                    if (k || p->free_rows[i] > 0) wanted = v3_axpy((double)l->from[f].weight, row_of(l, i, x), wanted);
                }
                near(v3_length(v3_sub(row_of(next, a, y), wanted)), 0, 0.02, "coarse row"); /* float; some 10,000 */
            }
        }
        end(p);
    }
}

static double dot(const v3 *p, const v3 *q) {
    double sum = 0;
    for (int32_t i = 0; i < N; i++) sum += v3_dot(p[i], q[i]);
    return sum;
}

static void preconditioner_is_symmetric_and_positive(void **state) {
    (void)state;
    problem *p = begin(5, true, false);
    static v3 r[2][N], z[2][N];
    for (int round = 0; round < 12; round++) {
        if (round == 6) end(p), p = begin(6, false, true);
        for (int k = 0; k < 2; k++) {
            random_vector(p, r[k]);
            for (int32_t i = 0; i < N && round % 6 >= 3; i++)
                if (p->free_rows[i] > 0) r[k][i] = v3_add(v3_make(k, 1, 1 - k), v3_scale(0.01, r[k][i]));
            mus_coupled_matrix_precondition(&p->m, r[k], z[k], 1 + k);
            assert_true(dot(r[k], z[k]) > 0);
            for (int32_t i = 0; i < N; i++)
                if (!(p->free_rows[i] > 0)) assert_true(v3_length(z[k][i]) == 0);
        }
        double scale = sqrt(dot(r[0], z[0]) * dot(r[1], z[1]));
        near((dot(r[0], z[1]) - dot(r[1], z[0])) / scale, 0, 2e-5, "asymmetry");
    }
    end(p);
}

/* Returns the iterations of conjugate gradients to 1e-8 of the residual. */
static int iterations_of(problem *p, bool grid) {
    static v3 x[N], r[N], z[N], d[N], q[N];
    memset(x, 0, sizeof x);
    for (int32_t i = 0; i < N; i++) r[i] = p->free_rows[i] > 0 ? v3_make(0.1, -1, 0.2) : v3_make(0, 0, 0);
    double start = sqrt(dot(r, r)), rz = 1;
    for (int k = 0; k < 2000; k++) {
        if (grid)
            mus_coupled_matrix_precondition(&p->m, r, z, 2);
        else
            memcpy(z, r, sizeof z);
        double next = dot(r, z), ratio = k ? next / rz : 0;
        rz = next;
        for (int32_t i = 0; i < N; i++) d[i] = v3_axpy(ratio, d[i], z[i]);
        multiply(p, d, q);
        double step = rz / dot(d, q);
        for (int32_t i = 0; i < N; i++) x[i] = v3_axpy(step, d[i], x[i]), r[i] = v3_axpy(-step, q[i], r[i]);
        if (sqrt(dot(r, r)) <= 1e-8 * start) return k + 1;
    }
    return 2000;
}

/* The dot product that the preconditioner returns. */
static void product_is_returned(void **state) {
    (void)state;
    problem *p = begin(9, false, false);
    static v3 r[N], z[N];
    random_vector(p, r);
    double returned = mus_coupled_matrix_precondition(&p->m, r, z, 2), wanted = dot(r, z);
    near(returned / wanted, 1, 1e-12, "product");
    end(p);
}

/* Contacts in the air do not act, also where their rows were those of others before. */
static void idle_terms_do_not_act(void **state) {
    (void)state;
    problem *p = begin(10, false, false);
    mus_coupled_matrix_begin(&p->m, 1);
    for (int k = 0; k < TERMS; k++) p->m.weighted.data[k].count = 0, p->terms[k].count = 0;
    for (int k = 0; k < 2; k++) mus_coupled_matrix_add_block(&p->m, 2 * SHEET + k, &p->body[k]);
    mus_coupled_matrix_end(&p->m, p->free_rows, 2);
    static v3 x[N], wanted[N];
    random_vector(p, x);
    multiply(p, x, wanted);
    for (int32_t i = 0; i < N; i++)
        if (p->free_rows[i] > 0)
            near(v3_length(v3_sub(row_of(&p->m.grid.levels[0], i, x), wanted[i])), 0, 2e-3, "row without terms");
    end(p);
}

static void terms_between_matrices_cost_few_iterations(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        problem *p = begin(seed, false, false);
        int with = iterations_of(p, true), without = iterations_of(p, false);
        if (with > 60 || without < 4 * with) fail_msg("%d iterations, %d without the grid", with, without);
        end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_level_has_the_values_of_the_sum),
        cmocka_unit_test(coarse_levels_have_the_galerkin_product),
        cmocka_unit_test(preconditioner_is_symmetric_and_positive),
        cmocka_unit_test(product_is_returned),
        cmocka_unit_test(idle_terms_do_not_act),
        cmocka_unit_test(terms_between_matrices_cost_few_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
