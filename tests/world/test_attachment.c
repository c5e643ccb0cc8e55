/* test_attachment.c: soft pins to rigid bodies, which are pulled back: momentum, and the weight that a pin carries. */
#include "bodies.h"

enum { PULLED = 1 };

/* A sheet of 9 vertices, and a ball below the second one, or beside that, fastened to it. */
static mus_world *fastened(double gravity, double beside, mus_cloth_id *id, mus_obstacle_id *ball) {
    mus_world *world = bodies_world(1.0 / 240, gravity, 1);
    mus_cloth_def def = mus_cloth_def_default();
    def.material.strain_limit = def.material.drag = 0;
    def.material.viscous_damping = gravity > 0 ? 20 : 0;
    *id = add_cloth(world, grid_mesh(3, 3, 0.1, 0.1, "xy", v3_make(0, 1, 0)), def);
    *ball = add_body(world, ball_def(0.02, 0.03, v3_make(beside, 0.9, 0)));
    must(mus_cloth_pull(world, *id, (int32_t[]){PULLED}, 1,
                        &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = 100, .damping = 0.05, .to = ball}));
    return world;
}

/* The sheet flies off, and takes the ball along. */
static void test_momentum(void **state) {
    (void)state;
    mus_cloth_id id;
    mus_obstacle_id ball;
    mus_world *world = fastened(0, 0.01, &id, &ball);
    for (int32_t i = 0; i < 9; i++) v3_store(mus_cloth_get_velocities(world, id) + 3 * i, v3_make(0.2, 0.5, 0.1));
    momenta start = total(world, id, ball);
    steps(world, 60);
    momenta end = total(world, id, ball);
    assert_true(v3_length(v3_sub(end.linear, start.linear)) < 1e-12);
    assert_true(v3_length(v3_sub(end.angular, start.angular)) < 0.02 * v3_length(start.angular));
    assert_true(motion_of(world, ball).velocity[1] > 1e-3);
    assert_true(v3_length(v3_load(motion_of(world, ball).angular_momentum)) > 1e-8);
    mus_world_destroy(world);
}

/* At rest the stretch of the spring is the weight of the ball over its stiffness, along the vertical. */
static void test_weight(void **state) {
    (void)state;
    mus_cloth_id id;
    mus_obstacle_id ball;
    mus_world *world = fastened(g, 0, &id, &ball);
    double rest = vertex_of(world, id, PULLED).y - motion_of(world, ball).center[1], stretch = 0;
    must(mus_cloth_pin(world, id, (int32_t[]){6, 7, 8}, 3));
    steps(world, 480);
    for (int k = 0; k < 480; k++) {
        steps(world, 1);
        stretch += (vertex_of(world, id, PULLED).y - motion_of(world, ball).center[1] - rest) / 480;
    }
    near(stretch, 0.03 * g / 100, 3e-5, "stretch");
    mus_world_destroy(world);
}

/* A world whose response does not solve such pins refuses them. */
static void test_refused(void **state) {
    (void)state;
    mus_cloth_id id;
    mus_obstacle_id ball;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    id = add_cloth(world, grid_mesh(3, 3, 0.1, 0.1, "xy", v3_make(0, 1, 0)), mus_cloth_def_default());
    ball = add_body(world, ball_def(0.02, 0.03, v3_make(0, 0.9, 0)));
    mus_pull_def pull = {mus_pull_def_default().cookie, .stiffness = 100, .to = &ball};
    assert_int_equal(mus_cloth_pull(world, id, (int32_t[]){PULLED}, 1, &pull), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "is dynamic"));
    assert_int_equal(mus_cloth_pin_to_obstacle(world, id, (int32_t[]){PULLED}, 1, ball), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "give a stiffness"));
    assert_true(mus_cloth_get_pull_stiffness(world, id, PULLED) == 0);
    assert_false(mus_cloth_is_pinned(world, id, PULLED));
    steps(world, 1);
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_momentum), UNDER_OFFSET(test_momentum),
                                       cmocka_unit_test(test_weight), UNDER_OFFSET(test_weight),
                                       UNDER_SEQUENTIAL(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
