/* test_row_order.c: blocks of one colour share nothing that moves, sweeps have the same bits on any number of threads
 * and in lanes of any width, those of the rows one after the other in that order, and come to the same end as one row
 * after the other. */
#include "../world/scene.h"

#include "response/row_order.h"

enum { NU = 110, NV = 90, N = 2 * NU * NV, PINNED = 40, UNUSED = NU * NV - 1 }; /* the latter: by no row */

/* Two sheets of points on top of each other, nearer than their rows want them; rows that go by large blocks, or by
 * small ones. */
typedef struct field {
    mus_assembly a;
    mus_row_list rows;
    v3 x0[N], x1[N];
    double inverse_mass[N];
    int32_t first_row[N];
} field;

static field *field_make(bool many) {
    field *f = calloc(1, sizeof *f);
    mus_rng rng = mus_rng_make(81, 0);
    f->a = (mus_assembly){.vertex_count = N, .cloth_vertex_count = N, .x0 = f->x0, .x1 = f->x1};
    f->a.inverse_mass = f->inverse_mass, f->a.first_row = f->first_row;
    for (int32_t i = 0; i < N; i++) {
        int32_t k = i % (NU * NV);
        f->x0[i] = v3_make(0.01 * (k % NU), i < NU * NV ? 0 : 0.002, 0.01 * (k / NU));
        f->x1[i] = v3_axpy(1e-3, random_direction(&rng), f->x0[i]);
        f->inverse_mass[i] = i < PINNED ? 0 : mus_rng_between(&rng, 500, 2000);
        f->first_row[i] = -1;
    }
    for (int32_t k = 0; k < NU * NV; k++) {
        if (k % NU == NU - 1 || k / NU == NV - 1) continue;
        for (int c = 0; c < 2; c++) {
            double u = mus_rng_double(&rng), v = (1 - u) * mus_rng_double(&rng);
            mus_row row = {.vertex = {NU * NV + k, k, k + 1, k + NU},
                           .weight = {1, -(1 - u - v), -u, -v},
                           .normal = {0, 1, 0},
                           .target = 0.002,
                           .thickness = 0.002,
                           .friction = 0.4,
                           .response = -1};
            double sum = 0;
            for (int i = 0; i < 4; i++) {
                row.rest = v3_axpy(row.weight[i], f->x0[row.vertex[i]], row.rest);
                sum += row.weight[i] * row.weight[i] * f->inverse_mass[row.vertex[i]];
            }
            row.mass = row.drag_mass = 1 / sum;
            assert_true(mus_array_push(&f->rows, row));
        }
    }
    assert_true(f->rows.count > MUS_ROW_MANY);
    if (!many) f->rows.count = MUS_ROW_MANY / 2;
    return f;
}

static void field_free(field *f) {
    mus_array_free(&f->rows);
    free(f);
}

/* Every third row is a point over a plane, every seventh somebody else's; some do not push yet, and know it. */
static void mix(field *f) {
    for (int64_t k = 0; k < f->rows.count; k++) {
        mus_row *row = &f->rows.data[k];
        if (k % 3 == 0) {
            int32_t i = row->vertex[0];
            *row = (mus_row){.vertex = {i, i, i, i},
                             .weight = {1},
                             .normal = {0, 1, 0},
                             .target = 0.003,
                             .thickness = 0.002,
                             .friction = 0.3,
                             .plane = true,
                             .rest = f->x0[i],
                             .mass = 1 / f->inverse_mass[i],
                             .drag_mass = 1 / f->inverse_mass[i],
                             .response = -1};
        }
        if (k % 7 == 0) row->response = 0;
        row->idle = k % 5 == 0;
    }
}

static void check_colours(bool many) {
    field *f = field_make(many);
    mix(f);
    mus_row_order order = {0};
    must(mus_row_order_make(&f->a, &f->rows, 1, &order));
    int32_t *last = malloc(sizeof(int32_t) * N), side = 0;
    uint8_t *seen = calloc((size_t)f->rows.count, 1);
    assert_int_equal(order.colour_start[MUS_ROW_COLOURS], order.groups.count);
    assert_int_equal(order.colour_start[MUS_ROW_COLOURS - 1], order.groups.count); /* none was left without a colour */
    for (int c = 0; c < MUS_ROW_COLOURS - 1; c++) {
        for (int32_t i = 0; i < N; i++) last[i] = -1;
        for (int32_t g = order.colour_start[c]; g < order.colour_start[c + 1]; g++) {
            const mus_row_group *group = &order.groups.data[g];
            for (int32_t k = 0; k < group->pack_count; k++)
                for (int lane = 0; lane < MUS_ROW_LANES; lane++) {
                    int32_t r = order.packs[group->first_pack + k].row[lane], b = g * MUS_ROW_LANES + lane;
                    if (r < 0) continue;
                    side += lane > 0;
                    assert_int_equal(seen[r]++, 0);
                    for (int i = 0; i < 4; i++) {
                        int32_t v = f->rows.data[r].vertex[i];
                        if (!(f->inverse_mass[v] > 0)) continue;
                        assert_true(last[v] < 0 || last[v] == b);
                        last[v] = b;
                    }
                }
        }
    }
    for (int64_t k = 0; k < f->rows.count; k++) assert_int_equal(seen[k], f->rows.data[k].response < 0);
    assert_true(side > f->rows.count / 2); /* most have others at their side */
    free(seen), free(last);
    mus_row_order_free(&order);
    field_free(f);
}
static void test_colours(void **state) {
    (void)state;
    check_colours(false), check_colours(true);
}

/* Sweeps with conjugate steps, as a step has them; returns what the last one changed. */
static double sweep(field *f, mus_row_order *order, int count) {
    double before = 0;
    mus_rows_swept swept = {0};
    for (int k = 0; k < count; k++) {
        swept = mus_row_order_sweep(&f->a, &f->rows, order, k % 4 == 0, k < count - 1 ? &before : NULL);
        before = swept.change;
    }
    mus_row_order_end(&f->rows, order);
    return swept.change;
}

/* The fields of rows that sweeps change. */
static void same_rows(const mus_row *p, const mus_row *q) {
    assert_memory_equal(&p->push, &q->push, sizeof p->push);
    assert_memory_equal(&p->drag, &q->drag, sizeof p->drag);
    assert_memory_equal(&p->change, &q->change, sizeof p->change);
    assert_memory_equal(&p->lead, &q->lead, sizeof p->lead);
    assert_int_equal(p->idle, q->idle);
}

static void check_same_bits(bool many) {
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    field *one = NULL;
    for (int level = 0; level < 3; level++) {
        if (mus_simd_choose(levels[level]) != MUS_STATUS_OK) continue;
        for (int threads = 1; threads < 5; threads++) {
            field *f = field_make(many);
            mix(f);
            mus_row_order order = {0};
            must(mus_row_order_make(&f->a, &f->rows, threads, &order));
            sweep(f, &order, 20);
            for (int64_t k = 0; k < f->rows.count; k++) f->rows.data[k].target *= 1.5;
            mus_row_order_aim(&f->rows, &order);
            sweep(f, &order, 3);
            if (one) {
                assert_memory_equal(one->x1, f->x1, sizeof f->x1);
                for (int64_t k = 0; k < f->rows.count; k++) same_rows(&one->rows.data[k], &f->rows.data[k]);
                field_free(f);
            } else {
                one = f;
            }
            mus_row_order_free(&order);
        }
    }
    mus_simd_choose(NULL);
    field_free(one);
}
static void test_same_bits(void **state) {
    (void)state;
    check_same_bits(false), check_same_bits(true);
}

/* Lanes do what mus_rows_sweep and mus_rows_lead do to the rows one after the other, block by block. */
static void check_same_as_one_by_one(bool many) {
    field *f = field_make(many), *plain = field_make(many);
    mix(f), mix(plain);
    mus_row_order order = {0};
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    mus_row_list list = {0};
    for (int64_t g = 0; g < order.groups.count; g++)
        for (int lane = 0; lane < MUS_ROW_LANES; lane++)
            for (int32_t k = 0; k < order.groups.data[g].pack_count; k++) {
                int32_t r = order.packs[order.groups.data[g].first_pack + k].row[lane];
                if (r >= 0) assert_true(mus_array_push(&list, plain->rows.data[r]));
            }
    double before = 0;
    for (int k = 0; k < 12; k++) {
        bool all = k % 4 == 0, leads = k > 2;
        mus_rows_swept swept = mus_row_order_sweep(&f->a, &f->rows, &order, all, leads ? &before : NULL);
        mus_rows_swept wanted = mus_rows_sweep(&plain->a, &list, all);
        if (leads) mus_rows_lead(&plain->a, &list, before > 0 ? swept.change / before : 0);
        assert_int_equal(swept.missed, wanted.missed);
        assert_int_equal(swept.moved, wanted.moved);
        assert_true(fabs(swept.change - wanted.change) <= 1e-12 * wanted.change);
        assert_true(wanted.moved > 0);
        assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
        before = swept.change;
    }
    mus_row_order_end(&f->rows, &order);
    int64_t at = 0;
    for (int64_t g = 0; g < order.groups.count; g++)
        for (int lane = 0; lane < MUS_ROW_LANES; lane++)
            for (int32_t k = 0; k < order.groups.data[g].pack_count; k++) {
                int32_t r = order.packs[order.groups.data[g].first_pack + k].row[lane];
                if (r >= 0) same_rows(&f->rows.data[r], &list.data[at++]);
            }
    mus_array_free(&list);
    mus_row_order_free(&order);
    field_free(f), field_free(plain);
}
static void test_same_as_one_by_one(void **state) {
    (void)state;
    check_same_as_one_by_one(false), check_same_as_one_by_one(true);
}

static void check_same_end(bool many) {
    field *f = field_make(many), *plain = field_make(many);
    mus_row_order order = {0}, none = {0};
    for (int64_t k = 0; k < f->rows.count; k++) f->rows.data[k].friction = plain->rows.data[k].friction = 0;
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    double first = sweep(plain, &none, 1), left = sweep(f, &order, 600), left_plain = sweep(plain, &none, 600);
    print_message("first sweep %.3g, last of 600 %.3g, one after the other %.3g\n", first, left, left_plain);
    assert_true(left < 1e-9 * first && left_plain < 1e-9 * first);
    double worst = 0;
    v3 sum = v3_make(0, 0, 0), sum0 = sum;
    field *start = field_make(many);
    for (int32_t i = 0; i < N; i++) {
        worst = fmax(worst, v3_length(v3_sub(f->x1[i], plain->x1[i])));
        if (i < PINNED) assert_memory_equal(&f->x1[i], &start->x1[i], sizeof(v3));
        if (i < PINNED) continue;
        sum = v3_axpy(1 / f->inverse_mass[i], f->x1[i], sum);
        sum0 = v3_axpy(1 / f->inverse_mass[i], plain->x1[i], sum0);
    }
    print_message("ends differ by at most %.3g m\n", worst);
    assert_true(worst < 2e-6); /* of about a millimetre */
    assert_true(v3_length(v3_sub(sum, sum0)) < 1e-9 * v3_length(sum0));
    mus_row_order_free(&order);
    field_free(f), field_free(plain), field_free(start);
}
static void test_same_end(void **state) {
    (void)state;
    check_same_end(false), check_same_end(true);
}

/* Few rows go one after the other, with the bits of that. */
static void test_few(void **state) {
    (void)state;
    field *f = field_make(false), *plain = field_make(false);
    f->rows.count = plain->rows.count = MUS_ROW_ORDER_LEAST - 1;
    mus_row_order order = {0};
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    assert_int_equal(order.groups.count, 0);
    sweep(f, &order, 1);
    mus_rows_sweep(&plain->a, &plain->rows, true);
    assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
    f->rows.count = MUS_ROW_ORDER_LEAST;
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    assert_int_equal(order.blocks.count, MUS_ROW_ORDER_LEAST / MUS_ROW_BLOCK);
    assert_true(order.groups.count > 0);
    mus_row_order_free(&order);
    field_free(f), field_free(plain);
}

/* All rows at one vertex: each block follows the one before. */
static void share_vertex(field *f, int corner, int32_t vertex) {
    for (int64_t k = 0; k < f->rows.count; k++) f->rows.data[k].vertex[corner] = vertex;
}

/* More blocks than colours, no two of which may go at once: the rest is swept in order, on any number of threads. */
static void check_without_colour(bool many) {
    enum { OTHERS = MUS_ROW_COLOURS - 1 };
    for (int corner = 0; corner < 4; corner++) {
        field *plain = field_make(many);
        int threads = corner + 1;
        share_vertex(plain, corner, UNUSED);
        for (int k = 0; k < 10; k++) mus_rows_sweep(&plain->a, &plain->rows, true);
        field *f = field_make(many);
        share_vertex(f, corner, UNUSED);
        mus_row_order order = {0};
        must(mus_row_order_make(&f->a, &f->rows, threads, &order));
        assert_true(order.blocks.count > MUS_ROW_COLOURS + 20);
        for (int32_t b = 0; b < order.blocks.count; b++) assert_int_equal(order.blocks.data[b], b);
        for (int c = 0; c <= OTHERS; c++) assert_int_equal(order.colour_start[c], c);
        for (int k = 0; k < 10; k++) mus_row_order_sweep(&f->a, &f->rows, &order, true, NULL);
        assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
        mus_row_order_free(&order);
        field_free(f), field_free(plain);
    }
}
static void test_without_colour(void **state) {
    (void)state;
    check_without_colour(false), check_without_colour(true);
}

/* Vertices that cannot move keep nothing apart; a rigid body is on too many sides. */
static void check_what_binds(bool many) {
    field *f = field_make(many);
    mus_row_order order = {0};
    share_vertex(f, 1, PINNED - 1);
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    int64_t blocks = order.blocks.count, first = order.colour_start[1];
    assert_true(first > 1 && first < order.groups.count);
    assert_int_equal(order.colour_start[MUS_ROW_COLOURS - 1], order.groups.count);
    for (int32_t i = 0; i < N; i++) f->inverse_mass[i] = 0;
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    assert_int_equal(order.blocks.count, blocks);
    assert_int_equal(order.groups.count, (blocks + MUS_ROW_LANES - 1) / MUS_ROW_LANES);
    assert_int_equal(order.colour_start[1], order.groups.count); /* side by side, all of them */
    assert_int_equal(order.colour_start[MUS_ROW_COLOURS], order.groups.count);
    f->a.rigid_count = 1;
    must(mus_row_order_make(&f->a, &f->rows, 2, &order));
    assert_int_equal(order.groups.count, 0);
    mus_row_order_free(&order);
    field_free(f);
}
static void test_what_binds(void **state) {
    (void)state;
    check_what_binds(false), check_what_binds(true);
}

/* What a sweep tells is that of all its blocks, and rows that are idle are passed over unless all are asked for. */
static void check_told(bool many) {
    for (int all = 0; all < 2; all++) {
        field *f = field_make(many), *plain = field_make(many);
        mus_row_order order = {0};
        share_vertex(f, 1, UNUSED), share_vertex(plain, 1, UNUSED); /* the order is that of the list */
        for (int64_t k = 0; k < f->rows.count; k += 3) f->rows.data[k].idle = plain->rows.data[k].idle = true;
        must(mus_row_order_make(&f->a, &f->rows, 2, &order));
        for (int k = 0; k < 3; k++) { /* the first alone, the second leads, the third goes on along that */
            mus_rows_swept wanted = mus_rows_sweep(&plain->a, &plain->rows, all);
            double last = 2 * wanted.change;
            mus_rows_swept told = mus_row_order_sweep(&f->a, &f->rows, &order, all, k ? &last : NULL);
            if (k) mus_rows_lead(&plain->a, &plain->rows, told.change / last);
            if (!k) assert_true(wanted.missed > 100 && wanted.moved > 100);
            assert_int_equal(told.missed, wanted.missed);
            assert_int_equal(told.moved, wanted.moved);
            near(told.change, wanted.change, 1e-12 * wanted.change, "change");
            assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
        }
        mus_row_order_free(&order);
        field_free(f), field_free(plain);
    }
}
static void test_told(void **state) {
    (void)state;
    check_told(false), check_told(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_colours),    cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_same_end),   cmocka_unit_test(test_same_as_one_by_one),
                                       cmocka_unit_test(test_few),        cmocka_unit_test(test_without_colour),
                                       cmocka_unit_test(test_what_binds), cmocka_unit_test(test_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
