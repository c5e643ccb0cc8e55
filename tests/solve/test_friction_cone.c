/* test_friction_cone.c: Coulomb friction of contact constraints: sticking within mu times the normal impulse, sliding
 * at exactly that limit, against the slip. */
#include "solve_kit.h"

static const kit_surface surface = {.thickness = 2e-3, .friction = 0.3};
static const double dt = 0.01, mass = 0.004;

/* Vertex 0 at the thickness above a plane, which it enters by `depth` in the step while it slips by `slip`. */
static mus_contact_constraint *begin_sliding(solve_kit *kit, double friction, double depth, v3 slip) {
    kit_add_face(kit, v3_make(0, 1e-3, 0), v3_make(0.1, 0.1, 0), v3_make(0, 0.1, 0.1), surface);
    kit_add_plane(kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    kit_begin(kit, kit_impulse_def());
    kit->a->objects[0].friction = kit->a->objects[1].friction = friction;
    kit_set_mass(kit, 0, mass);
    kit->a->x1[0] = v3_add(kit->a->x1[0], v3_make(slip.x, -depth, slip.z));
    mus_contact_constraint_list *constraints = kit_build_contacts(kit, dt, 0.5);
    assert_int_equal(constraints->count, 1);
    mus_contacts_sweep(kit->a, constraints, true);
    return constraints->data;
}

static void below_the_limit_the_contact_sticks(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double mu = 0.5, depth = 1e-3;
    v3 slip = v3_make(0.6 * 0.99 * mu * depth, 0, 0.8 * 0.99 * mu * depth);
    mus_contact_constraint *constraint = begin_sliding(&kit, mu, depth, slip);
    near_vector(constraint->friction_impulse, v3_scale(-mass, slip), 1e-18, "friction impulse");
    near_vector(kit.a->x1[0], kit.a->x0[0], 1e-15, "end of the vertex");
    kit_end(&kit);
}

static void above_the_limit_it_slides_at_mu_times_the_normal_impulse(void **state) {
    (void)state;
    const double mus[] = {0.1, 0.5, 1.2};
    for (int k = 0; k < 3; k++) {
        solve_kit kit = {0};
        const double depth = 1e-3, length = 1.5 * mus[k] * depth;
        v3 heading = v3_make(0.6, 0, -0.8);
        mus_contact_constraint *constraint = begin_sliding(&kit, mus[k], depth, v3_scale(length, heading));
        near(constraint->normal_impulse, mass * depth, 1e-18, "normal impulse");
        near_vector(constraint->friction_impulse, v3_scale(-mus[k] * mass * depth, heading), 1e-18, "friction impulse");
        v3 end = v3_axpy(length - mus[k] * depth, heading, kit.a->x0[0]);
        near_vector(kit.a->x1[0], end, 1e-15, "end of the vertex");
        kit_end(&kit);
    }
}

static void slip_at_the_limit_is_where_sticking_ends(void **state) {
    (void)state;
    const double mu = 0.4, depth = 1e-3;
    for (int k = -1; k <= 1; k += 2) {
        solve_kit kit = {0};
        double slip = mu * depth * (1 + 1e-6 * k);
        begin_sliding(&kit, mu, depth, v3_make(slip, 0, 0));
        double left = kit.a->x1[0].x;
        assert_true(k < 0 ? fabs(left) < 1e-15 : fabs(left - 1e-6 * mu * depth) < 1e-12 * depth);
        kit_end(&kit);
    }
}

static void without_a_coefficient_there_is_no_friction(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *constraint = begin_sliding(&kit, 0, 1e-3, v3_make(2e-3, 0, 1e-3));
    assert_true(v3_length(constraint->friction_impulse) == 0);
    near_vector(kit.a->x1[0], v3_make(2e-3, 1e-3, 1e-3), 1e-15, "end of the vertex");
    kit_end(&kit);
}

static void separating_contact_has_no_friction(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *constraint = begin_sliding(&kit, 0.9, -1e-3, v3_make(2e-3, 0, 0));
    assert_true(constraint->normal_impulse == 0 && v3_length(constraint->friction_impulse) == 0);
    near(kit.a->x1[0].x, 2e-3, 1e-18, "slip");
    kit_end(&kit);
}

static void pair_takes_the_geometric_mean_of_friction_and_the_larger_restitution(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 1e-3, 0), v3_make(0.1, 0.1, 0), v3_make(0, 0.1, 0.1), surface);
    kit_add_plane(&kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.7);
    kit_begin(&kit, kit_impulse_def());
    kit.a->objects[0].restitution = 0.2, kit.a->objects[1].restitution = 0.6;
    mus_contact_constraint *constraint = kit_build_contacts(&kit, dt, 0.5)->data;
    near(constraint->friction, sqrt(0.3 * 0.7), 1e-15, "friction");
    near(constraint->restitution, 0.6, 1e-15, "restitution");
    kit_end(&kit);
}

/* A later sweep that needs a smaller normal impulse reduces the friction impulse to its limit too. */
static void friction_impulse_follows_the_normal_impulse_down(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double mu = 0.5, depth = 1e-3;
    mus_contact_constraint *constraint = begin_sliding(&kit, mu, depth, v3_make(3e-3, 0, 0));
    near(v3_length(constraint->friction_impulse), mu * mass * depth, 1e-18, "limit at first");
    kit.a->x1[0].y += 0.75 * depth; /* as another contact would */
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(constraint->normal_impulse, 0.25 * mass * depth, 1e-18, "normal impulse");
    near(v3_length(constraint->friction_impulse), mu * 0.25 * mass * depth, 1e-18, "limit then");
    near(kit.a->x1[0].x, 3e-3 - 0.25 * mu * depth, 1e-15, "slip");
    kit_end(&kit);
}

/* Slip is relative to the surface: a vertex that moves along with a plane has none, a vertex at rest is moved along by
 * friction. */
static void slip_is_relative_to_a_moving_plane(void **state) {
    (void)state;
    for (int along = 0; along < 2; along++) {
        solve_kit kit = {0};
        kit_add_face(&kit, v3_make(0, 1e-3, 0), v3_make(0.1, 0.1, 0), v3_make(0, 0.1, 0.1), surface);
        kit_add_plane(&kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
        kit_begin(&kit, kit_impulse_def());
        const double drive = 5e-3, depth = 1e-3, mu = 0.3;
        mus_object *plane = &kit.a->objects[1];
        plane->pose1.position[0] = drive;
        mus_obstacle_plane(plane->obstacle, &plane->pose1, &plane->normal1, &plane->point1);
        kit_set_mass(&kit, 0, mass);
        kit.a->x1[0] = v3_add(kit.a->x0[0], v3_make(along ? drive : 0, -depth, 0));
        mus_contact_constraint *constraint = kit_build_contacts(&kit, dt, 0.5)->data;
        mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
        near(kit.a->x1[0].x, along ? drive : mu * depth, 1e-15, "end of the vertex");
        near(constraint->friction_impulse.x, along ? 0 : mu * mass * depth, 1e-18, "friction impulse");
        kit_end(&kit);
    }
}

/* The fail-safe of planes moves a vertex that is below the least gap, with friction by the way up. */
static void vertex_below_a_plane_is_moved_up_with_friction(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double mu = 0.3, thickness = 1e-3, start = 1e-3;
    kit_add_face(&kit, v3_make(0, start, 0), v3_make(0.1, 0.1, 0), v3_make(0, 0.1, 0.1), surface);
    kit_add_plane(&kit, v3_make(0, 1, 0), v3_make(0, 0, 0), mu);
    kit_begin(&kit, kit_impulse_def());
    kit.a->x1[0] = v3_make(2e-3, -3e-4, 0);
    kit.solver.dt = dt;
    must(mus_solver_ensure_broad_phase(&kit.solver));
    must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
    bool is_collision_free = false;
    must(mus_solver_impacts(&kit.solver, &kit.input, &kit.solver.candidates, &is_collision_free));
    double up = 0.25 * thickness + 3e-4; /* to a quarter of the thickness */
    assert_true(is_collision_free);
    near_vector(kit.a->x1[0], v3_make(2e-3 - mu * up, 0.25 * thickness, 0), 1e-15, "end of the vertex");
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_the_limit_the_contact_sticks),
        cmocka_unit_test(above_the_limit_it_slides_at_mu_times_the_normal_impulse),
        cmocka_unit_test(slip_at_the_limit_is_where_sticking_ends),
        cmocka_unit_test(without_a_coefficient_there_is_no_friction),
        cmocka_unit_test(separating_contact_has_no_friction),
        cmocka_unit_test(pair_takes_the_geometric_mean_of_friction_and_the_larger_restitution),
        cmocka_unit_test(friction_impulse_follows_the_normal_impulse_down),
        cmocka_unit_test(slip_is_relative_to_a_moving_plane),
        cmocka_unit_test(vertex_below_a_plane_is_moved_up_with_friction),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
