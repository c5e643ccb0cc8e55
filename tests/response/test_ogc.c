/* test_ogc.c: the contact energy is twice continuously differentiable, its derivatives are those of differences, and
 * friction is the gradient of its energy. */
#include "../world/scene.h"

#include "base/simd.h"
#include "response/ogc_batch.h"

/* Value, slope and curvature agree from both sides of each seam. */
static void test_seams(void **state) {
    (void)state;
    const double r = 1e-3, k = 300, step = 1e-9 * r;
    for (int s = 0; s < 4; s++) {
        double least = s < 2 ? MUS_OGC_LEAST : 0.2;
        double at = s & 1 ? least * r : 0.5 * r;
        mus_ogc_value below = mus_ogc_law(at - step, r, k, least), above = mus_ogc_law(at + step, r, k, least);
        near(below.energy, above.energy, 2.1 * step * below.normal_force, "energy at a seam");
        near(below.normal_force, above.normal_force, 1e-6 * k * r, "normal force at a seam");
        near(below.curvature, above.curvature, 1e-6 * k / (least * least), "curvature at a seam");
        assert_true(above.normal_force > 0 && above.curvature > 0);
    }
    mus_ogc_value out = mus_ogc_law(r, r, k, MUS_OGC_LEAST), in = mus_ogc_law(r - step, r, k, MUS_OGC_LEAST);
    assert_true(out.energy == 0 && out.normal_force == 0 && out.curvature == 0);
    assert_true(in.energy > 0 && in.normal_force > 0 && in.normal_force < 1e-6 * k * r);
}

static void test_derivatives(void **state) {
    (void)state;
    const double r = 0.7e-3, k = 123, h = 1e-6 * r;
    mus_rng rng = mus_rng_make(3, 1);
    for (int n = 0; n < 2000; n++) {
        double d = mus_rng_between(&rng, -0.5 * r, 1.2 * r), seams[] = {0.05 * r, 0.5 * r, r};
        bool close = false;
        for (int s = 0; s < 3; s++) close |= fabs(d - seams[s]) < 2 * h;
        if (close) continue;
        mus_ogc_value up = mus_ogc_law(d + h, r, k, 0.05), at = mus_ogc_law(d, r, k, 0.05),
                      down = mus_ogc_law(d - h, r, k, 0.05);
        near(at.normal_force, -(up.energy - down.energy) / (2 * h), 1e-6 * (k * r + at.normal_force), "normal force");
        near(at.curvature, -(up.normal_force - down.normal_force) / (2 * h), 1e-5 * (k + at.curvature), "curvature");
        assert_true(at.normal_force >= 0 && at.curvature >= 0);
    }
}

static void test_friction(void **state) {
    (void)state;
    const double dt = 0.01, friction_limit = 0.3, e = MUS_OGC_STICK_SPEED * dt;
    for (double s = 0.05 * e; s < 4 * e; s += 0.1 * e) {
        double h = 1e-5 * e;
        double slope =
            (mus_ogc_friction_energy(friction_limit, s + h, dt) - mus_ogc_friction_energy(friction_limit, s - h, dt)) /
            (2 * h);
        near(mus_ogc_friction_force(friction_limit, s, dt), slope, 1e-5 * friction_limit, "friction");
    }
    near(mus_ogc_friction_force(friction_limit, 1.0001 * e, dt), friction_limit, 1e-12, "friction of what slides");

    /* the term's drag and its derivatives, against differences of its force */
    mus_ogc_term t = {.vertex = {0, 0, 0, 0},
                      .count = 1,
                      .weight = {1},
                      .normal = {0, 1, 0},
                      .radius = 1e-3,
                      .stiffness = 100,
                      .friction_limit = friction_limit};
    mus_rng rng = mus_rng_make(4, 1);
    for (int n = 0; n < 200; n++) {
        v3 x = v3_scale(mus_rng_between(&rng, 0.1, 3) * e, random_direction(&rng));
        x.y = mus_rng_between(&rng, 0.1, 0.45) * 1e-3;
        v3 by = v3_scale(1e-4 * e, random_direction(&rng)), ends[2] = {v3_add(x, by), v3_sub(x, by)}, force[2];
        double slip = sqrt(x.x * x.x + x.z * x.z);
        if (fabs(slip - e) < 2e-4 * e) continue;
        for (int k = 0; k < 2; k++) {
            mus_ogc_evaluate(&t, &ends[k], dt, MUS_OGC_LEAST);
            force[k] = mus_ogc_force(&t);
        }
        mus_ogc_evaluate(&t, &x, dt, MUS_OGC_LEAST);
        v3 wanted = v3_scale(-0.5, v3_sub(force[0], force[1]));
        double along = v3_dot(t.heading, by);
        v3 got = v3_axpy(t.value.curvature * by.y, t.normal, v3_scale(t.friction_stiffness, v3_make(by.x, 0, by.z)));
        got = v3_axpy((t.slip_stiffness - t.friction_stiffness) * along, t.heading, got);
        near(v3_length(v3_sub(got, wanted)), 0, 1e-3 * v3_length(by) * (t.friction_stiffness + t.value.curvature),
             "derivative");
    }
}

/* ---- laws of users ---- */

static mus_program *law_of(bool slips) {
    mus_graph *g;
    mus_program *p;
    assert_int_equal(mus_graph_create(&g), MUS_STATUS_OK);
    mus_node gap = mus_graph_add_input(g, MUS_INPUT_GAP), slip = mus_graph_add_input(g, MUS_INPUT_SLIP);
    mus_node e = mus_graph_add_operation(g, MUS_OP_MUL, mus_graph_add_operation(g, MUS_OP_MUL, gap, gap, -1),
                                         mus_graph_add_input(g, MUS_INPUT_FRICTION), -1);
    if (slips)
        e = mus_graph_add_operation(g, MUS_OP_ADD, e,
                                    mus_graph_add_operation(g, MUS_OP_MUL,
                                                            mus_graph_add_operation(g, MUS_OP_MUL, slip, slip, -1),
                                                            mus_graph_add_operation(g, MUS_OP_EXP, gap, -1, -1), -1),
                                    -1);
    assert_int_equal(mus_program_create(MUS_PROGRAM_POTENTIAL, g, &e, 1, &p), MUS_STATUS_OK);
    assert_int_equal(mus_program_get_output_count(p), slips ? 5 : 3);
    return p;
}

/* Terms of two laws and of none, mixed: together they have the bits of one by one, under every instruction set. */
static void test_batch(void **state) {
    (void)state;
    enum { COUNT = 501 };
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    static mus_ogc_term terms[COUNT];
    mus_program *laws[2] = {law_of(false), law_of(true)};
    mus_ogc_batch batch = {0};
    mus_rng rng = mus_rng_make(8, 1);
    for (int k = 0; k < 2; k++) assert_int_equal(mus_ogc_batch_admit(&batch, laws[k]), MUS_STATUS_OK);
    assert_int_equal(mus_ogc_batch_admit(&batch, laws[0]), MUS_STATUS_OK);
    assert_int_equal(batch.laws.count, 2);
    assert_int_equal(mus_ogc_batch_reserve(&batch, COUNT), MUS_STATUS_OK);
    for (int k = 0; k < COUNT; k++) {
        mus_contact_constraint constraint = {
            .mass = 1e-4, .thickness = 1e-3, .gap0 = 5e-4, .friction = mus_rng_between(&rng, 0, 1)};
        uint64_t which = mus_rng_below(&rng, 3);
        terms[k] = (mus_ogc_term){.radius = 1e-3, .stiffness = 100};
        if (which < 2) mus_ogc_take_law(&terms[k], laws[which], &constraint, 0.01, 0);
        batch.distance.data[k] = mus_rng_between(&rng, -5e-4, 1.5e-3);
        batch.slip.data[k] = mus_rng_below(&rng, 4) ? mus_rng_between(&rng, 0, 1e-3) : 0;
    }
    for (int level = 0; level < 3; level++) {
        if (mus_set_simd_level(levels[level]) != MUS_STATUS_OK) continue;
        mus_ogc_batch_run(&batch, terms, 0, COUNT, 0.2);
        for (int k = 0; k < COUNT; k++) {
            if (!terms[k].law) continue;
            mus_ogc_value one = mus_ogc_value_of(&terms[k], batch.distance.data[k], batch.slip.data[k], 0.2);
            assert_memory_equal(&one, &batch.value.data[k], sizeof one);
        }
    }
    mus_set_simd_level(NULL);
    mus_ogc_batch_free(&batch);
    for (int k = 0; k < 2; k++) mus_program_release(laws[k]);
}

/* The force of a law that depends on slip, and its derivative, against differences of its energy. */
static void test_slip(void **state) {
    (void)state;
    mus_program *law = law_of(true);
    mus_contact_constraint constraint = {.mass = 1e-4, .thickness = 1e-3, .gap0 = 5e-4, .friction = 0.5};
    mus_ogc_term t = {.count = 1, .weight = {1}, .normal = {0, 1, 0}, .radius = 1e-3};
    mus_ogc_take_law(&t, law, &constraint, 0.01, 0);
    mus_rng rng = mus_rng_make(6, 1);
    const double h = 1e-7;
    for (int n = 0; n < 200; n++) {
        double d = mus_rng_between(&rng, 2e-4, 9e-4), s = mus_rng_between(&rng, 1e-5, 1e-3);
        v3 x = {0.6 * s, d, -0.8 * s};
        mus_ogc_evaluate(&t, &x, 0.01, MUS_OGC_LEAST);
        double up = mus_ogc_value_of(&t, d, s + h, MUS_OGC_LEAST).energy;
        double down = mus_ogc_value_of(&t, d, s - h, MUS_OGC_LEAST).energy;
        v3 f = mus_ogc_force(&t);
        near(f.x, -0.6 * (up - down) / (2 * h), 1e-6 * s + 1e-9, "force against slip");
        near(f.z, 0.8 * (up - down) / (2 * h), 1e-6 * s + 1e-9, "force against slip");
        near(t.slip_stiffness,
             (mus_ogc_value_of(&t, d, s + h, MUS_OGC_LEAST).slip_gradient - t.value.slip_gradient) / h, 1e-5,
             "its derivative");
    }
    v3 still = {0, 5e-4, 0};
    mus_ogc_evaluate(&t, &still, 0.01, MUS_OGC_LEAST);
    assert_true(t.friction_stiffness > 1.9 && t.friction_stiffness == t.slip_stiffness &&
                v3_length(mus_ogc_force(&t)) == t.value.normal_force);
    mus_program_release(law);
}

/* Pressed by any force, a contact that is solved for again and again from half the gap settles at a gap above 0: its
 * parabola begins nearer as the gap shrinks. With MUS_OGC_LEAST throughout, 1 N and more went on halving it. */
static void test_strong_load(void **state) {
    (void)state;
    static mus_object objects[2];
    static const mus_assembly a = {.objects = objects, .object_count = 2};
    for (double load = 0.01; load <= 20; load *= 2) {
        double gap = 2e-4, distance = 0;
        for (int iteration = 0; iteration < 40; iteration++) {
            mus_contact_constraint constraint = {
                .thickness = 5e-4, .gap0 = gap, .normal = {0, 1, 0}, .object = {0, 1}, .plane = true};
            mus_ogc_term t = mus_ogc_term_of(&a, &constraint, 200 / (300.0 * 300));
            assert_true(t.least <= MUS_OGC_LEAST && t.least <= fmax(1e-4, 0.5 * gap / 5e-4));
            double low = -1, high = t.radius;
            for (int k = 0; k < 200; k++) {
                double middle = 0.5 * (low + high);
                if (mus_ogc_value_of(&t, middle, 0, MUS_OGC_LEAST).normal_force > load)
                    low = middle;
                else
                    high = middle;
            }
            distance = low;
            gap = fmax(distance, 0.5 * gap); /* what a certified step leaves of it */
        }
        double closed = 0.25 * 200 * 5e-4 * 5e-4 / load; /* k tau (r - tau) / F, where the logarithm acts */
        if (closed < 2.5e-4) near(distance, closed, 1e-6 * closed, "distance under a load");
        assert_true(distance > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strong_load), cmocka_unit_test(test_seams),
                                       cmocka_unit_test(test_derivatives), cmocka_unit_test(test_friction),
                                       cmocka_unit_test(test_batch),       cmocka_unit_test(test_slip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
