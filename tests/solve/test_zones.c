/* test_zones.c: impact zones: rigid motion with the momentum of its vertices, joined zones, zones that follow a carrier
 * or are lifted out of a plane; and the fail-safe of a step, after which nothing collides. */
#include "solve_kit.h"

enum { N = 6 };

static const kit_surface surface = {.thickness = 1e-3};
static const double dt = 0.01;

static int moved_count;

static void count_moved(void *context, int32_t vertex) {
    (void)context, (void)vertex;
    moved_count++;
}

/* Two faces in the air with random masses and ends; the ends by dynamics are those. */
static void begin_faces(solve_kit *kit, bool with_plane) {
    kit_add_face(kit, v3_make(0, 0.02, 0), v3_make(0.1, 0.03, 0), v3_make(0, 0.05, 0.1), surface);
    kit_add_face(kit, v3_make(-0.1, 0.07, -0.1), v3_make(0, 0.04, 0.2), v3_make(0.1, 0.06, -0.1), surface);
    if (with_plane) kit_add_plane(kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    kit_begin(kit, kit_impulse_def());
    mus_rng rng = mus_rng_make(2, 0);
    for (int i = 0; i < N; i++) {
        kit_set_mass(kit, i, mus_rng_between(&rng, 1e-3, 5e-3));
        kit->a->x1[i] = v3_axpy(0.01, random_direction(&rng), kit->a->x0[i]);
    }
    mus_solver_save_velocity_base(&kit->solver);
    mus_zones_clear(&kit->solver.zones, kit->a->vertex_count);
    moved_count = 0;
}

static bool move_zones(solve_kit *kit, int32_t conflict[2]) {
    return mus_zones_move(&kit->solver.zones, kit->a, count_moved, NULL, conflict);
}

static void join_all(solve_kit *kit) {
    mus_zones_join(&kit->solver.zones, kit->a, (const int32_t[N]){0, 1, 2, 3, 4, 5}, N);
}

/* To first order: the distance of no two vertices changes at the beginning of the motion. */
static void zone_moves_rigidly(void **state) {
    (void)state;
    solve_kit kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, false);
    join_all(&kit);
    assert_true(move_zones(&kit, conflict));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++) {
            v3 apart = v3_sub(kit.a->x0[i], kit.a->x0[k]);
            v3 by = v3_sub(v3_sub(kit.a->x1[i], kit.a->x0[i]), v3_sub(kit.a->x1[k], kit.a->x0[k]));
            near(v3_dot(apart, by) / v3_dot(apart, apart), 0, 1e-12, "strain rate");
        }
    assert_int_equal(kit.solver.zones.zone_count, 1);
    assert_int_equal(kit.solver.zones.vertex_count, N);
    assert_int_equal(moved_count, N);
    kit_end(&kit);
}

static void zone_keeps_linear_and_angular_momentum(void **state) {
    (void)state;
    solve_kit kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, false);
    v3 about = v3_make(1, 2, -3), *x0 = kit.a->x0;
    v3 linear = kit_momentum(&kit, x0), angular = kit_angular_momentum(&kit, x0, about);
    join_all(&kit);
    assert_true(move_zones(&kit, conflict));
    near_vector(kit_momentum(&kit, x0), linear, 1e-12 * v3_length(linear), "linear momentum");
    near_vector(kit_angular_momentum(&kit, x0, about), angular, 1e-7 * v3_length(angular), "angular momentum");
    kit_end(&kit);
}

/* Provot's mean of the vertices' angular velocities: by mass, of each about the center. */
static void mean_spin_is_provots_average(void **state) {
    (void)state;
    solve_kit kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, false);
    kit.solver.zones.mean_spin = true;
    v3 linear = kit_momentum(&kit, kit.a->x0), center = v3_make(0, 0, 0), spin = center;
    double mass = 0;
    for (int i = 0; i < N; i++) {
        center = v3_axpy(1 / kit.a->inverse_mass[i], kit.a->x0[i], center);
        mass += 1 / kit.a->inverse_mass[i];
    }
    center = v3_scale(1 / mass, center);
    for (int i = 0; i < N; i++) {
        v3 r = v3_sub(kit.a->x0[i], center);
        v3 v = v3_sub(v3_sub(kit.a->x1[i], kit.a->x0[i]), v3_scale(1 / mass, linear));
        spin = v3_axpy(1 / (mass * kit.a->inverse_mass[i] * v3_dot(r, r)), v3_cross(r, v), spin);
    }
    join_all(&kit);
    assert_true(move_zones(&kit, conflict));
    near_vector(kit_momentum(&kit, kit.a->x0), linear, 1e-12 * v3_length(linear), "linear momentum");
    for (int i = 0; i < N; i++) {
        v3 by = v3_axpy(1 / mass, linear, v3_cross(spin, v3_sub(kit.a->x0[i], center)));
        near_vector(kit.a->x1[i], v3_add(kit.a->x0[i], by), 1e-15, "end");
    }
    kit_end(&kit);
}

static void zones_that_share_a_vertex_are_joined(void **state) {
    (void)state;
    solve_kit kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, false);
    mus_zones *zones = &kit.solver.zones;
    mus_zones_join(zones, kit.a, (const int32_t[2]){0, 3}, 2);
    mus_zones_join(zones, kit.a, (const int32_t[2]){1, 4}, 2);
    v3 alone = kit.a->x1[5];
    assert_true(move_zones(&kit, conflict));
    assert_int_equal(zones->zone_count, 2);
    assert_int_equal(zones->vertex_count, 4);
    near_vector(kit.a->x1[5], alone, 0, "a vertex outside of zones");
    v3 linear = kit_momentum(&kit, kit.a->x0);
    mus_zones_join(zones, kit.a, (const int32_t[2]){4, 0}, 2);
    assert_true(move_zones(&kit, conflict));
    assert_int_equal(zones->zone_count, 1);
    assert_int_equal(zones->vertex_count, 4);
    near_vector(kit_momentum(&kit, kit.a->x0), linear, 1e-12 * v3_length(linear), "linear momentum");
    kit_end(&kit);
}

/* Two vertices have no moment of inertia about their line: the zone turns across it, and not about it. */
static void collinear_zone_does_not_spin_about_its_line(void **state) {
    (void)state;
    solve_kit kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, false);
    v3 about = v3_make(0, 0, 0);
    for (int i = 2; i < N; i++) kit.a->x1[i] = kit.a->x0[i]; /* of the other vertices: none */
    mus_solver_save_velocity_base(&kit.solver);
    v3 angular = kit_angular_momentum(&kit, kit.a->x0, about);
    mus_zones_join(&kit.solver.zones, kit.a, (const int32_t[2]){0, 1}, 2);
    assert_true(move_zones(&kit, conflict));
    assert_true(v3_finite(kit.a->x1[0]) && v3_finite(kit.a->x1[1]));
    near_vector(kit_angular_momentum(&kit, kit.a->x0, about), angular, 1e-7 * v3_length(angular), "angular momentum");
    assert_true(v3_length(v3_sub(kit.a->x1[0], kit.a->x0[0])) < 0.02);
    kit_end(&kit);
}

static void zone_follows_its_carrier(void **state) {
    (void)state;
    solve_kit kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, false);
    kit_set_mass(&kit, 4, 0);
    v3 by = kit.a->x1[4] = v3_add(kit.a->x0[4], v3_make(3e-3, -2e-3, 1e-3));
    by = v3_sub(by, kit.a->x0[4]);
    assert_int_equal(mus_zones_carrier(&kit.solver.zones, 0), -1);
    mus_zones_join(&kit.solver.zones, kit.a, (const int32_t[3]){0, 4, 5}, 3);
    assert_int_equal(mus_zones_carrier(&kit.solver.zones, 0), 4);
    assert_true(move_zones(&kit, conflict));
    near_vector(kit.a->x1[0], v3_add(kit.a->x0[0], by), 1e-15, "end of a vertex of the zone");
    near_vector(kit.a->x1[5], v3_add(kit.a->x0[5], by), 1e-15, "end of another");
    kit_end(&kit);
}

static void carriers_with_different_motions_conflict(void **state) {
    (void)state;
    for (int same = 0; same < 2; same++) {
        solve_kit kit = {0};
        int32_t conflict[2] = {-1, -1};
        begin_faces(&kit, false);
        kit_set_mass(&kit, 1, 0), kit_set_mass(&kit, 4, 0);
        kit.a->x1[1] = v3_add(kit.a->x0[1], v3_make(1e-3, 0, 0));
        kit.a->x1[4] = v3_add(kit.a->x0[4], v3_make(1e-3, same ? 0 : 1e-6, 0));
        mus_zones_join(&kit.solver.zones, kit.a, (const int32_t[3]){0, 1, 2}, 3);
        mus_zones_join(&kit.solver.zones, kit.a, (const int32_t[3]){3, 4, 5}, 3);
        assert_true(move_zones(&kit, conflict)); /* each follows its own */
        mus_zones_join(&kit.solver.zones, kit.a, (const int32_t[2]){2, 3}, 2);
        assert_int_equal(move_zones(&kit, conflict), same);
        if (!same) assert_true(conflict[0] + conflict[1] == 5 && conflict[0] != conflict[1]);
        kit_end(&kit);
    }
}

static void zone_is_lifted_out_of_a_plane_as_a_whole(void **state) {
    (void)state;
    solve_kit kit = {0}, free_kit = {0};
    int32_t conflict[2];
    begin_faces(&kit, true), begin_faces(&free_kit, false);
    for (int i = 0; i < N; i++) kit.a->x1[i].y -= 0.04, free_kit.a->x1[i].y -= 0.04;
    mus_solver_save_velocity_base(&kit.solver), mus_solver_save_velocity_base(&free_kit.solver);
    join_all(&kit), join_all(&free_kit);
    assert_true(move_zones(&kit, conflict) && move_zones(&free_kit, conflict));
    double lowest = INFINITY, lift = kit.a->x1[0].y - free_kit.a->x1[0].y;
    for (int i = 0; i < N; i++) {
        lowest = fmin(lowest, kit.a->x1[i].y);
        near_vector(kit.a->x1[i], v3_add(free_kit.a->x1[i], v3_make(0, lift, 0)), 1e-15, "lifted end");
    }
    near(lowest, 1.001 * 0.1 * 0.5e-3, 1e-12, "height of the lowest vertex");
    kit_end(&kit), kit_end(&free_kit);
}

/* Two sheets that pass through each other: after the fail-safe no pair collides, momentum is that before, and vertices
 * of a zone have its velocity. */
static void fail_safe_removes_all_collisions(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_rng rng = mus_rng_make(3, 0);
    for (int k = 0; k < 2; k++)
        kit_add_mesh(&kit, grid_mesh(4, 4, 0.05, 0.05, "xz", v3_make(3e-3 * k, 4e-3 * k, 2e-3 * k)), NULL, surface);
    kit_begin(&kit, kit_impulse_def());
    mus_solver *s = &kit.solver;
    must(mus_solver_ensure_broad_phase(s));
    kit_all_pairs(&kit, 0, 1);
    for (int32_t i = 0; i < 32; i++) {
        v3 by = v3_axpy(1e-3, random_direction(&rng), v3_make(0, i < 16 ? 6e-3 : -6e-3, 0));
        kit.a->x1[i] = v3_add(kit.a->x0[i], by);
    }
    s->dt = dt;
    mus_solver_save_velocity_base(s);
    v3 linear = kit_momentum(&kit, kit.a->x0), angular = kit_angular_momentum(&kit, kit.a->x0, v3_make(0, 0, 0));
    must(mus_solver_detect(s, &s->candidates));
    must(mus_solver_resolve_by_zones(s, &kit.input, &s->candidates));
    assert_true(kit.stats.zones >= 1 && kit.stats.zone_vertices >= 16);
    near_vector(kit_momentum(&kit, kit.a->x0), linear, 1e-12, "linear momentum");
    near_vector(kit_angular_momentum(&kit, kit.a->x0, v3_make(0, 0, 0)), angular, 1e-12, "angular momentum");
    for (int64_t k = 0; k < kit.pairs.count; k++) {
        double toi, gap = fmin(0.1 * 1e-3, 0.8 * (double)kit.pairs.data[k].gap0);
        assert_false(mus_solver_comes_near(s, &kit.pairs.data[k], 0.5 * gap, 0.02 * gap, &toi));
    }
    kit_end(&kit);
}

static void collision_without_a_fail_safe_has_no_safe_step(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 0.02, 0), v3_make(0.1, 0.2, 0), v3_make(0, 0.2, 0.1), surface);
    kit_add_face(&kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
    mus_solver_def def = kit_impulse_def();
    def.failsafe = NULL;
    kit_begin(&kit, def);
    must(mus_solver_ensure_broad_phase(&kit.solver));
    kit.a->x1[0].y = -0.02;
    must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
    must_be(MUS_STATUS_NO_SAFE_STEP, mus_solver_resolve_by_zones(&kit.solver, &kit.input, &kit.solver.candidates));
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zone_moves_rigidly),
        cmocka_unit_test(zone_keeps_linear_and_angular_momentum),
        cmocka_unit_test(mean_spin_is_provots_average),
        cmocka_unit_test(zones_that_share_a_vertex_are_joined),
        cmocka_unit_test(collinear_zone_does_not_spin_about_its_line),
        cmocka_unit_test(zone_follows_its_carrier),
        cmocka_unit_test(carriers_with_different_motions_conflict),
        cmocka_unit_test(zone_is_lifted_out_of_a_plane_as_a_whole),
        cmocka_unit_test(fail_safe_removes_all_collisions),
        cmocka_unit_test(collision_without_a_fail_safe_has_no_safe_step),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
