/* test_coupled.c: steps of the coupled family: a face that lands on a plane, slides, sticks, and hits another face; a
 * rigid body that hits one. */
#include "solve_kit.h"

static const double dt = 0.01, g = 9.81, thickness = 1e-3, friction = 0.3;
static const kit_surface surface = {.thickness = 1e-3, .friction = 0.3};

static mus_solver_def coupled_def(void) {
    mus_solver_def def = kit_impulse_def();
    def.family = &mus_family_coupled;
    return def;
}

static void must_step(solve_kit *kit) {
    must(mus_solver_step(&kit->solver, &kit->input, &kit->stats));
    mus_solver_commit(&kit->solver);
}

static void begin_over_plane(solve_kit *kit, double gap, v3 velocity) {
    kit_add_face(kit, v3_make(0, gap, 0), v3_make(0.1, gap, 0), v3_make(0, gap, 0.1), surface);
    kit_add_plane(kit, v3_make(0, 1, 0), v3_make(0, 0, 0), friction);
    kit_begin(kit, coupled_def());
    kit->input.environment.gravity = v3_make(0, -g, 0);
    kit->a->objects[0].previous_dt = dt;
    for (int i = 0; i < 3; i++) kit->a->v0[i] = velocity;
}

static double target_of(const solve_kit *kit) {
    return kit->a->objects[0].contact_thickness + kit->a->objects[1].contact_thickness;
}

/* Of the face: what its contacts gave it, kg m. */
static v3 contact_impulse(const solve_kit *kit) {
    v3 sum = v3_make(0, 0, 0);
    for (int64_t k = 0; k < kit->solver.constraints.count; k++) {
        const mus_contact_constraint *c = &kit->solver.constraints.data[k];
        sum = v3_add(sum, v3_axpy(c->normal_impulse, c->normal, c->friction_impulse));
    }
    return sum;
}

static void falling_face_stops_at_the_thickness(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_over_plane(&kit, 0.9 * thickness, v3_make(0, -0.5, 0));
    double mass = 0, before = kit.a->x0[0].y, target = target_of(&kit);
    for (int i = 0; i < 3; i++) mass += kit.cloths[0]->mass[i];
    must_step(&kit);
    for (int i = 0; i < 3; i++) near(kit.a->x0[i].y, target, 0.05 * thickness, "height of a vertex");
    double end = (kit.a->x0[0].y + kit.a->x0[1].y + kit.a->x0[2].y) / 3;
    double wanted = mass * (end - before + 0.5 * dt + g * dt * dt);
    near(contact_impulse(&kit).y / wanted, 1, 1e-3, "sum of the normal impulses");
    kit_end(&kit);
}

static void sliding_face_is_slowed_by_coulombs_law(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_over_plane(&kit, thickness, v3_make(0.5, 0, 0));
    for (int i = 0; i < 3; i++) kit.a->x0[i].y = target_of(&kit);
    for (int k = 0; k < 5; k++) must_step(&kit);
    for (int i = 0; i < 3; i++)
        near(kit.a->v0[i].x, 0.5 - 5 * friction * g * dt, 0.05 * 5 * friction * g * dt, "speed, m/s");
    kit_end(&kit);
}

static void face_sticks_below_its_friction_limit(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_over_plane(&kit, thickness, v3_make(0, 0, 0));
    kit.input.environment.gravity.x = 0.5 * friction * g;
    for (int i = 0; i < 3; i++) kit.a->x0[i].y = target_of(&kit);
    must_step(&kit);
    double after_one = kit.a->x0[0].x;
    for (int k = 0; k < 20; k++) must_step(&kit);
    near(kit.a->x0[0].x - after_one, 0, 2e-3 * thickness, "way in 20 steps, m");
    kit_end(&kit);
}

static void colliding_faces_keep_their_momentum(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 0, 0), v3_make(0.1, 0, 0), v3_make(0, 0, 0.1), surface);
    kit_add_face(&kit, v3_make(0.02, 4e-3, 0.02), v3_make(0.12, 5e-3, 0.02), v3_make(0.02, 5e-3, 0.12), surface);
    kit_begin(&kit, coupled_def());
    for (int i = 0; i < 6; i++) kit.a->v0[i] = v3_make(0, i < 3 ? 0.4 : -0.6, i < 3 ? 0.2 : 0);
    double mass[6], total = 0;
    v3 before = v3_make(0, 0, 0), after = before;
    for (int i = 0; i < 6; i++) {
        mass[i] = kit.cloths[i / 3]->mass[i % 3], total += mass[i];
        before = v3_axpy(mass[i], kit.a->v0[i], before);
    }
    must_step(&kit);
    assert_true(mus_contacts_count_active(&kit.solver.constraints) > 0);
    for (int i = 0; i < 6; i++) after = v3_axpy(mass[i], kit.a->v0[i], after);
    near(v3_length(v3_sub(after, before)) / total, 0, 1e-9, "change of the mean velocity, m/s");
    for (int i = 0; i < 6; i++) assert_true(fabs(kit.a->v0[i].y) < 0.6);
    kit_end(&kit);
}

/* A ball a hundred times as heavy as the face that it hits moves on, and takes the face along. */
static void ball_gives_a_face_its_momentum(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(-0.05, 0, -0.05), v3_make(0.1, 0, 0), v3_make(0, 0, 0.1), surface);
    double cloth = 0;
    for (int i = 0; i < 3; i++) cloth += kit.cloths[0]->mass[i];
    double mass = 100 * cloth, speed = 0.5;
    kit_add_ball(&kit, v3_make(0.02, -0.051, 0.02), 0.05, mass, v3_make(0, speed, 0));
    kit_begin(&kit, coupled_def());
    mus_rigid_step *ball = kit.a->objects[1].rigid;
    must_step(&kit);
    assert_true(mus_contacts_count_active(&kit.solver.constraints) > 0);
    v3 after = v3_scale(mass, ball->v0);
    double face = 0;
    for (int i = 0; i < 3; i++) {
        after = v3_axpy(kit.cloths[0]->mass[i], kit.a->v0[i], after);
        face += kit.cloths[0]->mass[i] * kit.a->v0[i].y;
    }
    near(after.y / (mass * speed), 1, 1e-9, "momentum");
    near(ball->v0.y / speed, 1 - face / (mass * speed), 1e-9, "speed of the ball");
    assert_true(face > 0 && ball->v0.y > 0.97 * speed && ball->v0.y < speed);
    kit_end(&kit);
}

/* A face pulled away from a pinned corner: the edges to it are at their limits, and act on their other ends alone. */
static void edges_to_a_pin_are_of_their_free_ends(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 0, 0), v3_make(0.1, 0, 0), v3_make(0, 0, 0.1), surface);
    mus_solver_def def = coupled_def();
    def.strain = &mus_strain_sweep;
    kit.cloths[0]->material.strain_limit = 1e-3;
    kit_begin(&kit, def);
    kit_set_mass(&kit, 0, 0);
    for (int i = 1; i < 3; i++) kit.a->v0[i] = v3_make(3, 0, 3);
    must_step(&kit);
    const mus_row_terms *rows = &kit.solver.coupled.row_terms;
    assert_true(kit.solver.coupled.edges.count >= 2);
    assert_int_equal(rows->start[1] - rows->start[0], 0);
    assert_true(rows->start[2] > rows->start[1] && rows->start[3] > rows->start[2]);
    assert_true(v3_length(kit.a->x0[0]) <= 0);
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_face_stops_at_the_thickness),
        cmocka_unit_test(sliding_face_is_slowed_by_coulombs_law),
        cmocka_unit_test(edges_to_a_pin_are_of_their_free_ends),
        cmocka_unit_test(face_sticks_below_its_friction_limit),
        cmocka_unit_test(colliding_faces_keep_their_momentum),
        cmocka_unit_test(ball_gives_a_face_its_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
