/* test_integrators.c: orders of convergence against a fine reference, the bounds of the explicit ones, viscous damping,
 * and how stiff the position-based one makes cloth. */
#include "../world/scene.h"

#include "dynamics/explicit.h"
#include "dynamics/position_based.h"

static const double g = 9.81;

static const mus_environment still = {.gravity = {0, -9.81, 0}, .threads = 1};

typedef struct model {
    mus_cloth *cloth;
    mus_dynamics *dynamics;
    v3 *x[2], *v[2];
    int at;
} model;

static model make_model(const mus_integrator *integrator, const mus_cloth_def *like, mus_mesh *mesh) {
    model m = {0};
    mus_cloth_def def = *like;
    def.mesh = mesh;
    must(mus_cloth_new(&def, "cloth", &m.cloth));
    mus_mesh_destroy(mesh);
    must(mus_dynamics_create(m.cloth, &m.dynamics));
    if (integrator->prepare) must(integrator->prepare(m.dynamics, m.cloth));
    size_t n = (size_t)m.cloth->vertex_count;
    for (int k = 0; k < 2; k++) m.x[k] = calloc(n, sizeof(v3)), m.v[k] = calloc(n, sizeof(v3));
    memcpy(m.x[0], m.cloth->x, sizeof(v3) * n);
    memcpy(m.v[0], m.cloth->v, sizeof(v3) * n);
    return m;
}

static void free_model(model *m) {
    for (int k = 0; k < 2; k++) free(m->x[k]), free(m->v[k]);
    mus_dynamics_free(m->dynamics);
    mus_cloth_free(m->cloth);
}

/* A pinned vertex: fixed, or moved at the prescribed `pin_velocity`. */
static void pin(model *m, int32_t vertex) {
    m->cloth->inverse_mass[vertex] = 0;
    m->cloth->pin_count++;
}

static mus_integrator_result run(model *m, const mus_integrator *integrator, const mus_environment *air, double dt,
                                 int steps, v3 pin_velocity) {
    mus_integrator_result result = {0};
    for (int k = 0; k < steps; k++) {
        const v3 *x0 = m->x[m->at], *v0 = m->v[m->at];
        m->at = !m->at;
        for (int32_t i = 0; i < m->cloth->vertex_count; i++)
            if (!(m->cloth->inverse_mass[i] > 0)) m->x[m->at][i] = v3_axpy(dt, pin_velocity, x0[i]);
        result = integrator->advance(m->dynamics, m->cloth, air, m->cloth->previous_dt, dt, x0, v0, m->x[m->at],
                                     m->v[m->at]);
        m->cloth->previous_dt = result.previous_dt;
    }
    return result;
}

/* A soft sheet that hangs by a corner of prescribed motion to the side, stretched and turning: all is smooth. */
static model swinging(const mus_integrator *integrator, double damping) {
    mus_cloth_def def = mus_cloth_def_default();
    def.material.stretch = 4, def.material.shear = 3, def.material.bend = 1, def.material.compression = 1;
    def.material.bending = 1e-4, def.material.drag = 0;
    def.material.damping = def.material.bending_damping = damping;
    model m = make_model(integrator, &def, grid_mesh(4, 3, 0.6, 0.4, "xy", v3_make(0.1, 0.2, 0.3)));
    mus_rng rng = mus_rng_make(41, 0);
    for (int32_t i = 0; i < m.cloth->vertex_count; i++) {
        m.x[0][i] = v3_axpy(5e-3, random_direction(&rng), v3_scale(1.1, m.x[0][i]));
        m.v[0][i] = v3_axpy(0.2, random_direction(&rng), v3_cross(v3_make(0.3, 1, 0.5), m.x[0][i]));
    }
    m.v[0][0] = v3_make(0.2, 0, -0.1);
    pin(&m, 0);
    return m;
}

/* Largest distance from the reference, after the same time in ever shorter steps; each must fit into one part. */
static void errors(const mus_integrator *integrator, double damping, double dt, int levels, double error[]) {
    const double time = 0.4;
    const v3 pin_velocity = v3_make(0.2, 0, -0.1);
    model fine = swinging(&mus_integrator_rk4, damping);
    run(&fine, &mus_integrator_rk4, &still, time / 4096, 4096, pin_velocity);
    for (int k = 0; k < levels; k++, dt /= 2) {
        model m = swinging(integrator, damping);
        int steps = (int)floor(time / dt + 0.5);
        mus_integrator_result result = run(&m, integrator, &still, time / steps, steps, pin_velocity);
        if (integrator != &mus_integrator_position_based) assert_int_equal(result.iterations, 1);
        error[k] = 0;
        for (int32_t i = 0; i < m.cloth->vertex_count; i++)
            error[k] = fmax(error[k], v3_length(v3_sub(m.x[m.at][i], fine.x[fine.at][i])));
        free_model(&m);
    }
    free_model(&fine);
}

static void check_order(const mus_integrator *integrator, double damping, double dt, double order, double slack) {
    double error[4];
    errors(integrator, damping, dt, 4, error);
    for (int k = 1; k < 4; k++) {
        double seen = mus_log(error[k - 1] / error[k]) / mus_log(2);
        print_message("%s: error %.3g at %.3g s, order %.3f\n", integrator->name, error[k], 0.4 / (0.4 / dt * (1 << k)),
                      seen);
        if (k > 1) assert_true(fabs(seen - order) < slack);
    }
}

static void test_orders(void **state) {
    (void)state;
    check_order(&mus_integrator_rk4, 0, 0.005, 4, 0.2);
    check_order(&mus_integrator_rk4, 0.02, 0.0025, 4, 0.2);
    check_order(&mus_integrator_verlet, 0, 0.004, 2, 0.05);
    check_order(&mus_integrator_verlet, 0.02, 0.00125, 1, 0.1); /* friction sees velocities half a step old */
    check_order(&mus_integrator_semi_implicit_euler, 0, 0.002, 1, 0.15);
    check_order(&mus_integrator_explicit_euler, 0.02, 0.00125, 1, 0.1);
}

/* Steps of changing length: Verlet stays of second order where the whole of a force acts over the mean of dt and the
 * previous dt. */
static void test_uneven_steps(void **state) {
    (void)state;
    const double time = 0.4;
    const v3 pin_velocity = v3_make(0.2, 0, -0.1);
    double error[3];
    model fine = swinging(&mus_integrator_rk4, 0);
    run(&fine, &mus_integrator_rk4, &still, time / 4096, 4096, pin_velocity);
    for (int k = 0; k < 3; k++) {
        int pairs = 80 << k;
        double dt = time / pairs;
        model m = swinging(&mus_integrator_verlet, 0);
        for (int p = 0; p < pairs; p++) {
            double share = 0.5 + 0.15 * mus_sin(9.0 * p / pairs);
            run(&m, &mus_integrator_verlet, &still, share * dt, 1, pin_velocity);
            run(&m, &mus_integrator_verlet, &still, (1 - share) * dt, 1, pin_velocity);
        }
        error[k] = 0;
        for (int32_t i = 0; i < m.cloth->vertex_count; i++)
            error[k] = fmax(error[k], v3_length(v3_sub(m.x[m.at][i], fine.x[fine.at][i])));
        free_model(&m);
    }
    free_model(&fine);
    print_message("verlet, uneven steps: %.3g %.3g %.3g\n", error[0], error[1], error[2]);
    assert_true(error[1] < error[0] / 3.5 && error[2] < error[1] / 3.5);
}

/* A stiff sheet that hangs: split into substeps, every method is stable. */
static void test_bounds(void **state) {
    (void)state;
    const mus_integrator *all[] = {&mus_integrator_semi_implicit_euler, &mus_integrator_verlet, &mus_integrator_rk4,
                                   &mus_integrator_explicit_euler};
    for (int k = 0; k < 4; k++) {
        mus_cloth_def def = mus_cloth_def_default();
        def.material.stretch = def.material.shear = 200, def.material.bend = 20;
        if (k == 3) def.material.viscous_damping = 5;
        model m = make_model(all[k], &def, grid_mesh(6, 5, 0.3, 0.2, "xy", v3_make(0, 0, 0)));
        mus_rng rng = mus_rng_make(42, 0);
        for (int32_t i = 0; i < m.cloth->vertex_count; i++)
            m.x[0][i] = v3_axpy(2e-3, random_direction(&rng), m.x[0][i]);
        pin(&m, 24), pin(&m, 29);
        mus_integrator_result result = run(&m, all[k], &still, 1.0 / 120, 120, v3_make(0, 0, 0));
        double fastest = 0;
        for (int32_t i = 0; i < m.cloth->vertex_count; i++) fastest = fmax(fastest, v3_length(m.v[m.at][i]));
        print_message("%s: %d parts, %.3g m/s after a second\n", all[k]->name, result.iterations, fastest);
        assert_true(result.iterations > 1);
        assert_true(fastest < 2);
        free_model(&m);
    }
}

static void test_undamped_euler(void **state) {
    (void)state;
    mus_cloth_def def = mus_cloth_def_default();
    def.material.damping = 0;
    mus_mesh *mesh = grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 0, 0));
    def.mesh = mesh;
    mus_cloth *cloth;
    mus_dynamics *d;
    must(mus_cloth_new(&def, "sail", &cloth));
    must(mus_dynamics_create(cloth, &d));
    must_be(MUS_STATUS_INVALID, mus_integrator_explicit_euler.prepare(d, cloth));
    assert_non_null(strstr(mus_get_error_message(), "sail"));
    assert_non_null(strstr(mus_get_error_message(), "explicit_euler"));
    cloth->material.viscous_damping = 0.1;
    must(mus_integrator_explicit_euler.prepare(d, cloth));
    cloth->material.viscous_damping = 0, cloth->material.damping = 1e-3;
    must(mus_integrator_explicit_euler.prepare(d, cloth));
    cloth->material.bending_damping = 0; /* hinges are there */
    must_be(MUS_STATUS_INVALID, mus_integrator_explicit_euler.prepare(d, cloth));
    mus_dynamics_free(d);
    mus_cloth_free(cloth);
    mus_mesh_destroy(mesh);
}

/* dv/dt = g - c v from rest: v = g/c (1 - exp(-c t)). Nothing within the sheet is moved. */
static void test_viscous_damping(void **state) {
    (void)state;
    const mus_integrator *all[] = {&mus_integrator_implicit_euler, &mus_integrator_semi_implicit_euler,
                                   &mus_integrator_verlet,         &mus_integrator_rk4,
                                   &mus_integrator_explicit_euler, &mus_integrator_position_based};
    for (int k = 0; k < 6; k++) {
        mus_cloth_def def = mus_cloth_def_default();
        def.material.viscous_damping = 4, def.material.drag = 0;
        model m = make_model(all[k], &def, grid_mesh(4, 4, 0.2, 0.2, "xy", v3_make(0, 0, 0)));
        run(&m, all[k], &still, 1.0 / 480, 240, v3_make(0, 0, 0));
        double wanted = -g / 4 * (1 - mus_exp(-4 * 0.5));
        for (int32_t i = 0; i < m.cloth->vertex_count; i++) {
            v3 v = m.v[m.at][i];
            assert_true(fabs(v.y - wanted) < (all[k] == &mus_integrator_rk4 ? 1e-9 : 0.01 * g / 4));
            assert_true(fabs(v.x) < 1e-9 && fabs(v.z) < 1e-9);
        }
        free_model(&m);
    }
    /* AAB eq. 3 to the letter: a free vertex loses the share kd of its velocity in a step */
    mus_cloth_def def = mus_cloth_def_default();
    def.material.viscous_damping = 24, def.material.drag = 0;
    def.material.stretch = def.material.shear = def.material.bending = 0; /* or the step would be split */
    def.velocity[0] = 1;
    model m = make_model(&mus_integrator_verlet, &def, grid_mesh(3, 3, 0.2, 0.2, "xy", v3_make(0, 0, 0)));
    const mus_environment nothing = {.threads = 1};
    run(&m, &mus_integrator_verlet, &nothing, 1.0 / 480, 1, v3_make(0, 0, 0)); /* from the instant: half a step */
    assert_true(fabs(m.v[m.at][4].x - (1 - 0.025)) < 1e-15);
    run(&m, &mus_integrator_verlet, &nothing, 1.0 / 480, 2, v3_make(0, 0, 0));
    assert_true(fabs(m.v[m.at][4].x - (1 - 0.025) * 0.95 * 0.95) < 1e-15);
    free_model(&m);
}

/* ---- position-based: what a number of iterations leaves of the stiffness ---- */

/* Extension at rest of a strip of 1 m under its own weight, by that of its springs in equilibrium. */
static double softness(double dt, int iterations) {
    mus_cloth_def def = mus_cloth_def_default();
    def.material.compression = 1, def.material.bending = 0, def.material.viscous_damping = 20, def.material.drag = 0;
    def.material.damping = 0;
    const int nodes = 21;
    model m =
        make_model(&mus_integrator_position_based, &def, grid_mesh(2, nodes, 0.05, 1, "xy", v3_make(0.025, -0.5, 0)));
    pin(&m, 2 * nodes - 1), pin(&m, 2 * nodes - 2);
    for (int k = 0; k < (int)(2 / dt); k++) {
        const v3 *x0 = m.x[m.at], *v0 = m.v[m.at];
        m.at = !m.at;
        m.x[m.at][2 * nodes - 1] = x0[2 * nodes - 1], m.x[m.at][2 * nodes - 2] = x0[2 * nodes - 2];
        m.cloth->previous_dt = mus_position_based_advance(m.dynamics, m.cloth, &still, m.cloth->previous_dt, dt,
                                                          iterations, x0, v0, m.x[m.at], m.v[m.at])
                                   .previous_dt;
    }
    double extension = -m.x[m.at][0].y - 1;
    free_model(&m);
    return extension;
}

static void test_softness(void **state) {
    (void)state;
    const int iterations[] = {1, 5, 10, 20, 40, 80};
    const double steps[] = {1.0 / 60, 1.0 / 240, 1.0 / 960};
    double exact = softness(1.0 / 960, 100);
    print_message("extension of the strip in equilibrium: %.4g\n", exact);
    for (int s = 0; s < 3; s++) {
        double last = INFINITY;
        for (int k = 0; k < 6; k++) {
            double ratio = softness(steps[s], iterations[k]) / exact;
            print_message("dt 1/%.0f s, %2d iterations: %.3f times the extension\n", 1 / steps[s], iterations[k],
                          ratio);
            assert_true(ratio < last * 1.001); /* the more, the stiffer */
            last = ratio;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),         cmocka_unit_test(test_uneven_steps),    cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_undamped_euler), cmocka_unit_test(test_viscous_damping), cmocka_unit_test(test_softness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
