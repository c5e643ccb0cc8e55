/* test_contact_coloring.c: blocks of one color share nothing that moves; sweeps have the same bits on any number of
 * threads and at any SIMD width, those of the constraints one after the other in that order, and converge to the same
 * result as one constraint after the other. */
#include "../world/scene.h"

#include "response/contact_coloring.h"

enum { NU = 110, NV = 90, N = 2 * NU * NV, PINNED = 40, UNUSED = NU * NV - 1 }; /* the latter: by no constraint */

/* Two sheets of points on top of each other, nearer than the targets of their constraints; constraints in large blocks
 * (many), or in small ones. */
typedef struct field {
    mus_assembly a;
    mus_contact_constraint_list constraints;
    v3 x0[N], x1[N];
    double inverse_mass[N];
    int32_t contact_scratch[N];
} field;

static field *field_make(bool many) {
    field *f = calloc(1, sizeof *f);
    mus_rng rng = mus_rng_make(81, 0);
    f->a = (mus_assembly){.vertex_count = N, .cloth_vertex_count = N, .x0 = f->x0, .x1 = f->x1};
    f->a.inverse_mass = f->inverse_mass, f->a.contact_scratch = f->contact_scratch;
    for (int32_t i = 0; i < N; i++) {
        int32_t k = i % (NU * NV);
        f->x0[i] = v3_make(0.01 * (k % NU), i < NU * NV ? 0 : 0.002, 0.01 * (k / NU));
        f->x1[i] = v3_axpy(1e-3, random_direction(&rng), f->x0[i]);
        f->inverse_mass[i] = i < PINNED ? 0 : mus_rng_between(&rng, 500, 2000);
        f->contact_scratch[i] = -1;
    }
    for (int32_t k = 0; k < NU * NV; k++) {
        if (k % NU == NU - 1 || k / NU == NV - 1) continue;
        for (int c = 0; c < 2; c++) {
            double u = mus_rng_double(&rng), v = (1 - u) * mus_rng_double(&rng);
            mus_contact_constraint constraint = {.vertex = {NU * NV + k, k, k + 1, k + NU},
                                                 .weight = {1, -(1 - u - v), -u, -v},
                                                 .normal = {0, 1, 0},
                                                 .target = 0.002,
                                                 .thickness = 0.002,
                                                 .friction = 0.4,
                                                 .response = -1};
            double sum = 0;
            for (int i = 0; i < 4; i++) {
                constraint.rest = v3_axpy(constraint.weight[i], f->x0[constraint.vertex[i]], constraint.rest);
                sum += constraint.weight[i] * constraint.weight[i] * f->inverse_mass[constraint.vertex[i]];
            }
            constraint.mass = constraint.tangent_mass = 1 / sum;
            assert_true(mus_array_push(&f->constraints, constraint));
        }
    }
    assert_true(f->constraints.count > MUS_CONTACT_LARGE_BLOCK_MIN_COUNT);
    if (!many) f->constraints.count = MUS_CONTACT_LARGE_BLOCK_MIN_COUNT / 2;
    return f;
}

static void field_free(field *f) {
    mus_array_free(&f->constraints);
    free(f);
}

/* Every third constraint is a point over a plane, every seventh is left to another response; some are marked idle. */
static void mix(field *f) {
    for (int64_t k = 0; k < f->constraints.count; k++) {
        mus_contact_constraint *constraint = &f->constraints.data[k];
        if (k % 3 == 0) {
            int32_t i = constraint->vertex[0];
            *constraint = (mus_contact_constraint){.vertex = {i, i, i, i},
                                                   .weight = {1},
                                                   .normal = {0, 1, 0},
                                                   .target = 0.003,
                                                   .thickness = 0.002,
                                                   .friction = 0.3,
                                                   .plane = true,
                                                   .rest = f->x0[i],
                                                   .mass = 1 / f->inverse_mass[i],
                                                   .tangent_mass = 1 / f->inverse_mass[i],
                                                   .response = -1};
        }
        if (k % 7 == 0) constraint->response = 0;
        constraint->idle = k % 5 == 0;
    }
}

static void check_colors(bool many) {
    field *f = field_make(many);
    mix(f);
    mus_contact_coloring coloring = {0};
    must(mus_contact_coloring_make(&f->a, &f->constraints, 1, &coloring));
    int32_t *last = malloc(sizeof(int32_t) * N), side = 0;
    uint8_t *seen = calloc((size_t)f->constraints.count, 1);
    assert_int_equal(coloring.color_start[MUS_CONTACT_COLOR_COUNT], coloring.groups.count);
    assert_int_equal(coloring.color_start[MUS_CONTACT_COLOR_COUNT - 1],
                     coloring.groups.count); /* none was left without a color */
    for (int c = 0; c < MUS_CONTACT_COLOR_COUNT - 1; c++) {
        for (int32_t i = 0; i < N; i++) last[i] = -1;
        for (int32_t g = coloring.color_start[c]; g < coloring.color_start[c + 1]; g++) {
            const mus_contact_block_group *group = &coloring.groups.data[g];
            for (int32_t k = 0; k < group->wide_count; k++)
                for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++) {
                    int32_t r = coloring.wide_contacts[group->first_wide + k].constraint[lane],
                            b = g * MUS_CONTACT_SIMD_WIDTH + lane;
                    if (r < 0) continue;
                    side += lane > 0;
                    assert_int_equal(seen[r]++, 0);
                    for (int i = 0; i < 4; i++) {
                        int32_t v = f->constraints.data[r].vertex[i];
                        if (!(f->inverse_mass[v] > 0)) continue;
                        assert_true(last[v] < 0 || last[v] == b);
                        last[v] = b;
                    }
                }
        }
    }
    for (int64_t k = 0; k < f->constraints.count; k++) assert_int_equal(seen[k], f->constraints.data[k].response < 0);
    assert_true(side > f->constraints.count / 2); /* most have others at their side */
    free(seen), free(last);
    mus_contact_coloring_free(&coloring);
    field_free(f);
}
static void test_colors(void **state) {
    (void)state;
    check_colors(false), check_colors(true);
}

/* Sweeps with conjugate steps, as a step has them; returns what the last one changed. */
static double sweep(field *f, mus_contact_coloring *coloring, int count) {
    double before = 0;
    mus_contact_sweep_result swept = {0};
    for (int k = 0; k < count; k++) {
        swept =
            mus_contact_coloring_sweep(&f->a, &f->constraints, coloring, k % 4 == 0, k < count - 1 ? &before : NULL);
        before = swept.change;
    }
    mus_contact_coloring_store_impulses(&f->constraints, coloring);
    return swept.change;
}

/* The fields of constraints that sweeps change. */
static void assert_same_constraints(const mus_contact_constraint *p, const mus_contact_constraint *q) {
    assert_memory_equal(&p->normal_impulse, &q->normal_impulse, sizeof p->normal_impulse);
    assert_memory_equal(&p->friction_impulse, &q->friction_impulse, sizeof p->friction_impulse);
    assert_memory_equal(&p->change, &q->change, sizeof p->change);
    assert_memory_equal(&p->conjugate_change, &q->conjugate_change, sizeof p->conjugate_change);
    assert_int_equal(p->idle, q->idle);
}

static void check_same_bits(bool many) {
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    field *one = NULL;
    for (int level = 0; level < 3; level++) {
        if (mus_set_simd_level(levels[level]) != MUS_STATUS_OK) continue;
        for (int threads = 1; threads < 5; threads++) {
            field *f = field_make(many);
            mix(f);
            mus_contact_coloring coloring = {0};
            must(mus_contact_coloring_make(&f->a, &f->constraints, threads, &coloring));
            sweep(f, &coloring, 20);
            for (int64_t k = 0; k < f->constraints.count; k++) f->constraints.data[k].target *= 1.5;
            mus_contact_coloring_update_targets(&f->constraints, &coloring);
            sweep(f, &coloring, 3);
            if (one) {
                assert_memory_equal(one->x1, f->x1, sizeof f->x1);
                for (int64_t k = 0; k < f->constraints.count; k++)
                    assert_same_constraints(&one->constraints.data[k], &f->constraints.data[k]);
                field_free(f);
            } else {
                one = f;
            }
            mus_contact_coloring_free(&coloring);
        }
    }
    mus_set_simd_level(NULL);
    field_free(one);
}
static void test_same_bits(void **state) {
    (void)state;
    check_same_bits(false), check_same_bits(true);
}

/* Wide blocks give what mus_contacts_sweep and mus_contacts_conjugate_step give for their constraints one by one. */
static void check_same_as_one_by_one(bool many) {
    field *f = field_make(many), *plain = field_make(many);
    mix(f), mix(plain);
    mus_contact_coloring coloring = {0};
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    mus_contact_constraint_list list = {0};
    for (int64_t g = 0; g < coloring.groups.count; g++)
        for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++)
            for (int32_t k = 0; k < coloring.groups.data[g].wide_count; k++) {
                int32_t r = coloring.wide_contacts[coloring.groups.data[g].first_wide + k].constraint[lane];
                if (r >= 0) assert_true(mus_array_push(&list, plain->constraints.data[r]));
            }
    double before = 0;
    for (int k = 0; k < 12; k++) {
        bool all = k % 4 == 0, is_conjugate = k > 2;
        mus_contact_sweep_result swept =
            mus_contact_coloring_sweep(&f->a, &f->constraints, &coloring, all, is_conjugate ? &before : NULL);
        mus_contact_sweep_result wanted = mus_contacts_sweep(&plain->a, &list, all);
        if (is_conjugate) mus_contacts_conjugate_step(&plain->a, &list, before > 0 ? swept.change / before : 0);
        assert_int_equal(swept.missed, wanted.missed);
        assert_int_equal(swept.moved, wanted.moved);
        assert_true(fabs(swept.change - wanted.change) <= 1e-12 * wanted.change);
        assert_true(wanted.moved > 0);
        assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
        before = swept.change;
    }
    mus_contact_coloring_store_impulses(&f->constraints, &coloring);
    int64_t at = 0;
    for (int64_t g = 0; g < coloring.groups.count; g++)
        for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++)
            for (int32_t k = 0; k < coloring.groups.data[g].wide_count; k++) {
                int32_t r = coloring.wide_contacts[coloring.groups.data[g].first_wide + k].constraint[lane];
                if (r >= 0) assert_same_constraints(&f->constraints.data[r], &list.data[at++]);
            }
    mus_array_free(&list);
    mus_contact_coloring_free(&coloring);
    field_free(f), field_free(plain);
}
static void test_same_as_one_by_one(void **state) {
    (void)state;
    check_same_as_one_by_one(false), check_same_as_one_by_one(true);
}

static void check_same_end(bool many) {
    field *f = field_make(many), *plain = field_make(many);
    mus_contact_coloring coloring = {0}, none = {0};
    for (int64_t k = 0; k < f->constraints.count; k++)
        f->constraints.data[k].friction = plain->constraints.data[k].friction = 0;
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    double first = sweep(plain, &none, 1), left = sweep(f, &coloring, 600), left_plain = sweep(plain, &none, 600);
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
    assert_true(worst < 2e-6); /* of displacements of about 1 mm */
    assert_true(v3_length(v3_sub(sum, sum0)) < 1e-9 * v3_length(sum0));
    mus_contact_coloring_free(&coloring);
    field_free(f), field_free(plain), field_free(start);
}
static void test_same_end(void **state) {
    (void)state;
    check_same_end(false), check_same_end(true);
}

/* Few constraints are swept one after the other, with the bits of mus_contacts_sweep. */
static void test_few(void **state) {
    (void)state;
    field *f = field_make(false), *plain = field_make(false);
    f->constraints.count = plain->constraints.count = MUS_CONTACT_COLORING_MIN_COUNT - 1;
    mus_contact_coloring coloring = {0};
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    assert_int_equal(coloring.groups.count, 0);
    sweep(f, &coloring, 1);
    mus_contacts_sweep(&plain->a, &plain->constraints, true);
    assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
    f->constraints.count = MUS_CONTACT_COLORING_MIN_COUNT;
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    assert_int_equal(coloring.blocks.count, MUS_CONTACT_COLORING_MIN_COUNT / MUS_CONTACT_BLOCK_SIZE);
    assert_true(coloring.groups.count > 0);
    mus_contact_coloring_free(&coloring);
    field_free(f), field_free(plain);
}

/* All constraints at one vertex: each block follows the one before. */
static void share_vertex(field *f, int corner, int32_t vertex) {
    for (int64_t k = 0; k < f->constraints.count; k++) f->constraints.data[k].vertex[corner] = vertex;
}

/* More blocks than colors, no two of which may be swept at once: the rest is in order, on any number of threads. */
static void check_without_color(bool many) {
    enum { OTHERS = MUS_CONTACT_COLOR_COUNT - 1 };
    for (int corner = 0; corner < 4; corner++) {
        field *plain = field_make(many);
        int threads = corner + 1;
        share_vertex(plain, corner, UNUSED);
        for (int k = 0; k < 10; k++) mus_contacts_sweep(&plain->a, &plain->constraints, true);
        field *f = field_make(many);
        share_vertex(f, corner, UNUSED);
        mus_contact_coloring coloring = {0};
        must(mus_contact_coloring_make(&f->a, &f->constraints, threads, &coloring));
        assert_true(coloring.blocks.count > MUS_CONTACT_COLOR_COUNT + 20);
        for (int32_t b = 0; b < coloring.blocks.count; b++) assert_int_equal(coloring.blocks.data[b], b);
        for (int c = 0; c <= OTHERS; c++) assert_int_equal(coloring.color_start[c], c);
        for (int k = 0; k < 10; k++) mus_contact_coloring_sweep(&f->a, &f->constraints, &coloring, true, NULL);
        assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
        mus_contact_coloring_free(&coloring);
        field_free(f), field_free(plain);
    }
}
static void test_without_color(void **state) {
    (void)state;
    check_without_color(false), check_without_color(true);
}

/* Vertices that cannot move keep nothing apart; a rigid body is on too many sides. */
static void check_what_binds(bool many) {
    field *f = field_make(many);
    mus_contact_coloring coloring = {0};
    share_vertex(f, 1, PINNED - 1);
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    int64_t blocks = coloring.blocks.count, first = coloring.color_start[1];
    assert_true(first > 1 && first < coloring.groups.count);
    assert_int_equal(coloring.color_start[MUS_CONTACT_COLOR_COUNT - 1], coloring.groups.count);
    for (int32_t i = 0; i < N; i++) f->inverse_mass[i] = 0;
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    assert_int_equal(coloring.blocks.count, blocks);
    assert_int_equal(coloring.groups.count, (blocks + MUS_CONTACT_SIMD_WIDTH - 1) / MUS_CONTACT_SIMD_WIDTH);
    assert_int_equal(coloring.color_start[1], coloring.groups.count); /* side by side, all of them */
    assert_int_equal(coloring.color_start[MUS_CONTACT_COLOR_COUNT], coloring.groups.count);
    f->a.rigid_count = 1;
    must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
    assert_int_equal(coloring.groups.count, 0);
    mus_contact_coloring_free(&coloring);
    field_free(f);
}
static void test_what_binds(void **state) {
    (void)state;
    check_what_binds(false), check_what_binds(true);
}

/* The result of a sweep is that of all its blocks, and idle constraints are skipped unless `all` includes them. */
static void check_sweep_result(bool many) {
    for (int all = 0; all < 2; all++) {
        field *f = field_make(many), *plain = field_make(many);
        mus_contact_coloring coloring = {0};
        share_vertex(f, 1, UNUSED), share_vertex(plain, 1, UNUSED); /* the order is that of the list */
        for (int64_t k = 0; k < f->constraints.count; k += 3)
            f->constraints.data[k].idle = plain->constraints.data[k].idle = true;
        must(mus_contact_coloring_make(&f->a, &f->constraints, 2, &coloring));
        for (int k = 0; k < 3; k++) { /* 1: alone, 2: begins a conjugate direction, 3: continues it */
            mus_contact_sweep_result wanted = mus_contacts_sweep(&plain->a, &plain->constraints, all);
            double last = 2 * wanted.change;
            mus_contact_sweep_result result =
                mus_contact_coloring_sweep(&f->a, &f->constraints, &coloring, all, k ? &last : NULL);
            if (k) mus_contacts_conjugate_step(&plain->a, &plain->constraints, result.change / last);
            if (!k) assert_true(wanted.missed > 100 && wanted.moved > 100);
            assert_int_equal(result.missed, wanted.missed);
            assert_int_equal(result.moved, wanted.moved);
            near(result.change, wanted.change, 1e-12 * wanted.change, "change");
            assert_memory_equal(plain->x1, f->x1, sizeof f->x1);
        }
        mus_contact_coloring_free(&coloring);
        field_free(f), field_free(plain);
    }
}
static void test_sweep_result(void **state) {
    (void)state;
    check_sweep_result(false), check_sweep_result(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_colors),     cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_same_end),   cmocka_unit_test(test_same_as_one_by_one),
                                       cmocka_unit_test(test_few),        cmocka_unit_test(test_without_color),
                                       cmocka_unit_test(test_what_binds), cmocka_unit_test(test_sweep_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
