/* test_sweeps.c: sweeps over a stack of sheets: its contact forces are the weights above, however many sweeps; the
 * joint solve of a step and the solve for velocities; warm starts and what they save. */
#include "solve_kit.h"

enum { LAYERS = 6, N = 3 * LAYERS };

static const kit_surface surface = {.thickness = 1e-3};
static const double dt = 0.005, thickness = 1e-3, mass = 2e-3, g = 9.81;

/* Faces exactly above each other on a plane, each vertex over the corner of the face below; they have fallen from rest
 * for a step. */
static void begin_stack(solve_kit *kit, double gap) {
    for (int k = 0; k < LAYERS; k++) {
        double y = 0.5 * thickness + k * gap;
        kit_add_face(kit, v3_make(-0.1, y, -0.1), v3_make(0, y, 0.2), v3_make(0.1, y, -0.1), surface);
    }
    kit_add_plane(kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    kit_begin(kit, kit_impulse_def());
    kit_set_all_masses(kit, mass);
    for (int32_t i = 3; i < N; i++) {
        int32_t below = 3 * (i / 3 - 1);
        kit_add_pair(kit, i, below, below + 1, below + 2, false);
    }
    for (int32_t i = 0; i < N; i++) {
        kit->a->v1[i] = v3_make(0, -g * dt, 0);
        kit->a->x1[i] = v3_axpy(dt, kit->a->v1[i], kit->a->x0[i]);
    }
    for (int k = 0; k < LAYERS; k++) kit->a->objects[k].previous_dt = dt;
}

/* Largest missing gap of all constraints, in falls of a step. */
static double missing_gap(const solve_kit *kit) {
    double worst = 0;
    for (int64_t k = 0; k < kit->solver.constraints.count; k++) {
        const mus_contact_constraint *c = &kit->solver.constraints.data[k];
        double gap = v3_dot(c->normal, mus_contact_end_vector(kit->a, c)) - c->offset;
        worst = fmax(worst, c->target - gap);
    }
    return worst / (g * dt * dt);
}

static int layer_of(const mus_contact_constraint *c) {
    return c->vertex[0] / 3;
}

static void sweep_stack(solve_kit *kit, int sweeps) {
    for (int k = 0; k < sweeps; k++) mus_contacts_sweep(kit->a, &kit->solver.constraints, true);
}

static void contact_forces_of_a_stack_are_the_weights_above(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    assert_int_equal(constraints->count, N);
    sweep_stack(&kit, 2000);
    for (int64_t k = 0; k < constraints->count; k++) {
        const mus_contact_constraint *c = &constraints->data[k];
        double carried = (LAYERS - layer_of(c)) * mass * g;
        near(c->normal_impulse / (dt * dt) / carried, 1, 1e-6, "normal force by the weight above");
    }
    for (int32_t i = 0; i < N; i++) near(kit.a->x1[i].y, kit.a->x0[i].y, 1e-9, "height");
    kit_end(&kit);
}

static void sweeps_converge_monotonically(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    kit_build_contacts(&kit, dt, 0.5);
    double before = 2, change = INFINITY;
    for (int k = 0; k < 8; k++) {
        for (int sweep = 0; sweep < 20; sweep++) {
            mus_contact_sweep_result swept = mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
            assert_true(k + sweep == 0 || swept.change < change);
            change = swept.change;
        }
        double now = missing_gap(&kit);
        assert_true(now < 0.7 * before);
        before = now;
    }
    assert_true(before < 1e-2);
    kit_end(&kit);
}

/* The problem is convex: sweeps end at the same solution from any start, and in any order of the constraints. */
static void solution_depends_on_neither_order_nor_start(void **state) {
    (void)state;
    v3 end[2][N];
    for (int other = 0; other < 2; other++) {
        solve_kit kit = {0};
        begin_stack(&kit, thickness);
        mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
        for (int64_t k = 0; other && k < constraints->count / 2; k++) {
            mus_contact_constraint c = constraints->data[k];
            constraints->data[k] = constraints->data[constraints->count - 1 - k];
            constraints->data[constraints->count - 1 - k] = c;
        }
        for (int64_t k = 0; other && k < constraints->count; k++)
            mus_contact_apply_impulse(kit.a, &constraints->data[k], (double)(k % 5) * 2 * mass * g * dt * dt,
                                      v3_make(0, 0, 0));
        sweep_stack(&kit, 2000);
        memcpy(end[other], kit.a->x1, sizeof end[other]);
        kit_end(&kit);
    }
    for (int i = 0; i < N; i++) near_vector(end[1][i], end[0][i], 1e-8, "end of a vertex");
}

static void idle_constraints_are_skipped_until_a_full_sweep(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, 1.15 * thickness); /* within the contact range, and apart by more than the margin of idleness */
    for (int32_t i = 0; i < N; i++) kit.a->x1[i] = kit.a->x0[i];
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    mus_contacts_sweep(kit.a, constraints, true);
    mus_contact_constraint *top = NULL;
    for (int64_t k = 0; k < constraints->count; k++) {
        if (layer_of(&constraints->data[k])) assert_true(constraints->data[k].idle);
        if (constraints->data[k].vertex[0] == N - 1) top = &constraints->data[k];
    }
    assert_non_null(top);
    kit.a->x1[N - 1].y -= thickness;
    mus_contacts_sweep(kit.a, constraints, false);
    assert_true(top->normal_impulse == 0);
    mus_contacts_sweep(kit.a, constraints, true);
    assert_true(top->normal_impulse > 0 && !top->idle);
    kit_end(&kit);
}

static void constraints_with_a_user_rule_are_left_to_it(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    for (int64_t k = 0; k < constraints->count; k++) constraints->data[k].response = 0;
    v3 before[N];
    memcpy(before, kit.a->x1, sizeof before);
    assert_int_equal(mus_contacts_sweep(kit.a, constraints, true).missed, 0);
    assert_memory_equal(before, kit.a->x1, sizeof before);
    kit_end(&kit);
}

/* Momentum of a stack in the air does not change; on the plane it changes by the plane's impulses. */
static void only_the_plane_changes_the_momentum_of_a_stack(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    v3 before[N];
    memcpy(before, kit.a->x1, sizeof before);
    sweep_stack(&kit, 37);
    double given = 0;
    for (int64_t k = 0; k < constraints->count; k++)
        if (constraints->data[k].plane) given += constraints->data[k].normal_impulse;
    near(kit_momentum(&kit, before).y / given, 1, 1e-12, "momentum by the plane's impulse");
    kit_end(&kit);
}

/* ---- the joint solve of a step ---- */

static void joint_solve_leaves_few_constraints_short_of_their_target(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    must(mus_solver_sweep(&kit.solver, 4));
    int64_t short_of_it = 0;
    for (int64_t k = 0; k < constraints->count; k++) {
        const mus_contact_constraint *c = &constraints->data[k];
        double gap = v3_dot(c->normal, mus_contact_end_vector(kit.a, c)) - c->offset;
        short_of_it += c->target - gap > MUS_CONTACT_GAP_TOLERANCE * c->thickness;
        assert_true(c->normal_impulse >= 0);
    }
    assert_int_equal(short_of_it, 0);
    kit_end(&kit);
}

static void joint_solve_includes_the_strain_limit(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(-0.1, 0.5e-3, -0.1), v3_make(0, 0.5e-3, 0.2), v3_make(0.1, 0.5e-3, -0.1), surface);
    kit_add_plane(&kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    mus_solver_def def = kit_impulse_def();
    def.strain = &mus_strain_sweep;
    kit_begin(&kit, def);
    kit_set_all_masses(&kit, mass);
    for (int i = 0; i < 3; i++) kit.a->x1[i] = v3_make(1.3 * kit.a->x0[i].x, -1e-3, 1.3 * kit.a->x0[i].z);
    kit_build_contacts(&kit, dt, 0.5);
    must(mus_solver_sweep(&kit.solver, 4));
    double limit = 1 + kit.cloths[0]->material.strain_limit;
    for (int e = 0; e < 3; e++) {
        const int32_t *v = kit.cloths[0]->topology.edges + 2 * e;
        double length = v3_length(v3_sub(kit.a->x1[v[0]], kit.a->x1[v[1]]));
        assert_true(length < 1.003 * limit * kit.cloths[0]->rest_lengths[e]);
        near(kit.a->x1[e].y, 0.5e-3, 1e-4, "height");
    }
    kit_end(&kit);
}

/* A gap is restored by moving positions; the velocity that remains is that which keeps the gap as it was. */
static void restored_gap_leaves_no_velocity(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, 0.8 * thickness);
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    mus_solver_save_velocity_base(&kit.solver);
    must(mus_solver_sweep(&kit.solver, 200));
    kit.solver.dt = dt;
    mus_solver_update_velocities(&kit.solver);
    assert_true(kit.a->v1[N - 1].y > 0.05); /* m/s: of the motion that restores the gaps */
    mus_solver_solve_velocities(&kit.solver, dt);
    for (int32_t i = 0; i < N; i++) near(kit.a->v1[i].y, 0, 0.1 * g * dt, "velocity");
    for (int64_t k = 0; k < constraints->count; k++)
        near(constraints->data[k].target, fmin(constraints->data[k].gap0, thickness), 1e-15,
             "target of the velocities");
    kit_end(&kit);
}

static void velocities_follow_positions(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    kit.solver.dt = dt;
    mus_solver_save_velocity_base(&kit.solver);
    v3 v = kit.a->v1[4], by = v3_make(1e-4, -2e-4, 3e-4);
    kit.a->x1[4] = v3_add(kit.a->x1[4], by);
    mus_solver_update_velocities(&kit.solver);
    near_vector(kit.a->v1[4], v3_axpy(1 / dt, by, v), 1e-12, "velocity of the vertex that moved");
    near_vector(kit.a->v1[5], v, 0, "velocity of another");
    kit_end(&kit);
}

/* ---- warm starts ---- */

static mus_contact_constraint_list *begin_warm_started(solve_kit *kit, double impulse, double previous) {
    begin_stack(kit, thickness);
    mus_contact_constraint_list *constraints = kit_build_contacts(kit, dt, 0.5);
    for (int64_t k = 0; k < constraints->count; k++) {
        constraints->data[k].normal_impulse = impulse * constraints->data[k].mass * g * dt * dt;
        constraints->data[k].warm_start_impulse = previous * constraints->data[k].mass * g * dt * dt;
    }
    must(mus_warm_starts_store(kit->a, constraints, dt, MUS_WARM_STARTS_ONLY, &kit->solver.warm_starts[0]));
    assert_int_equal(kit->solver.warm_starts[0].count, constraints->count);
    return kit_build_contacts(kit, dt, 0.5);
}

static void apply_warm_starts(solve_kit *kit) {
    must(mus_warm_starts_apply(kit->a, &kit->solver.warm_starts[0], dt, &kit->solver.warm_start_table,
                               &kit->solver.constraints));
}

static void warm_start_is_nine_tenths_of_the_stored_impulse(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint_list *constraints = begin_warm_started(&kit, 4, 10);
    v3 before[N];
    memcpy(before, kit.a->x1, sizeof before);
    apply_warm_starts(&kit);
    double given = 0;
    for (int64_t k = 0; k < constraints->count; k++) {
        const mus_contact_constraint *c = &constraints->data[k];
        near(c->warm_start_impulse / (0.9 * 4 * c->mass * g * dt * dt), 1, 1e-6, "warm start");
        near(c->normal_impulse, c->warm_start_impulse, 1e-9 * c->warm_start_impulse, "normal impulse");
        if (c->plane) given += c->normal_impulse;
    }
    near(kit_momentum(&kit, before).y / given, 1, 1e-9, "momentum by the plane's impulse");
    kit_end(&kit);
}

static void stored_force_at_most_doubles_in_a_step(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint_list *constraints = begin_warm_started(&kit, 50, 3);
    for (int64_t k = 0; k < constraints->count; k++) {
        double force = (double)kit.solver.warm_starts[0].data[k].normal_force;
        near(force / (constraints->data[k].mass * g), 2 * 3 + 1, 1e-5, "stored force in weights");
    }
    kit_end(&kit);
}

static void warm_start_matches_features(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint_list *constraints = begin_warm_started(&kit, 4, 10);
    mus_warm_start_list *stored = &kit.solver.warm_starts[0];
    stored->data[0].edge_edge = !stored->data[0].edge_edge;
    stored->data[1].vertex[2] += 1;
    mus_warm_start swapped = stored->data[2]; /* the order of the list does not matter */
    stored->data[2] = stored->data[stored->count - 1], stored->data[stored->count - 1] = swapped;
    apply_warm_starts(&kit);
    for (int64_t k = 0; k < constraints->count; k++)
        assert_int_equal(constraints->data[k].warm_start_impulse > 0, k > 1);
    kit_end(&kit);
}

/* 1 - 4 d, where the normal or a weight has changed by d. */
static void warm_start_is_reduced_where_the_contact_has_changed(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint_list *constraints = begin_warm_started(&kit, 4, 10);
    mus_warm_start_list *stored = &kit.solver.warm_starts[0];
    stored->data[0].weight[1] += 0.1F;
    stored->data[1].normal[0] += 0.05F;
    stored->data[2].weight[1] += 0.3F;
    apply_warm_starts(&kit);
    const double left[] = {0.6, 0.8, 0, 1};
    for (int k = 0; k < 4; k++) {
        const mus_contact_constraint *c = &constraints->data[k];
        near(c->warm_start_impulse / (0.9 * 4 * c->mass * g * dt * dt), left[k], 1e-6, "share of the warm start");
    }
    kit_end(&kit);
}

static int sweeps_until(solve_kit *kit, double tolerance) {
    for (int k = 1; k < 2000; k++) {
        mus_contacts_sweep(kit->a, &kit->solver.constraints, true);
        if (missing_gap(kit) < tolerance) return k;
    }
    return 2000;
}

static void warm_start_reaches_the_same_solution_in_fewer_sweeps(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_stack(&kit, thickness);
    v3 predicted[N], cold[N];
    memcpy(predicted, kit.a->x1, sizeof predicted);
    mus_contact_constraint_list *constraints = kit_build_contacts(&kit, dt, 0.5);
    int without = sweeps_until(&kit, 1e-3);
    sweep_stack(&kit, 1000);
    memcpy(cold, kit.a->x1, sizeof cold);
    for (int64_t k = 0; k < constraints->count; k++)
        constraints->data[k].warm_start_impulse = constraints->data[k].normal_impulse; /* a lasting load */
    must(mus_warm_starts_store(kit.a, constraints, dt, MUS_WARM_STARTS_ONLY, &kit.solver.warm_starts[0]));
    memcpy(kit.a->x1, predicted, sizeof predicted);
    kit_build_contacts(&kit, dt, 0.5);
    apply_warm_starts(&kit);
    int with = sweeps_until(&kit, 1e-3);
    print_message("# %d sweeps without warm starts, %d with\n", without, with);
    assert_true(with < 0.75 * without);
    sweep_stack(&kit, 1000);
    for (int i = 0; i < N; i++) near_vector(kit.a->x1[i], cold[i], 1e-8, "end of a vertex");
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_forces_of_a_stack_are_the_weights_above),
        cmocka_unit_test(sweeps_converge_monotonically),
        cmocka_unit_test(solution_depends_on_neither_order_nor_start),
        cmocka_unit_test(idle_constraints_are_skipped_until_a_full_sweep),
        cmocka_unit_test(constraints_with_a_user_rule_are_left_to_it),
        cmocka_unit_test(only_the_plane_changes_the_momentum_of_a_stack),
        cmocka_unit_test(joint_solve_leaves_few_constraints_short_of_their_target),
        cmocka_unit_test(joint_solve_includes_the_strain_limit),
        cmocka_unit_test(restored_gap_leaves_no_velocity),
        cmocka_unit_test(velocities_follow_positions),
        cmocka_unit_test(warm_start_is_nine_tenths_of_the_stored_impulse),
        cmocka_unit_test(stored_force_at_most_doubles_in_a_step),
        cmocka_unit_test(warm_start_matches_features),
        cmocka_unit_test(warm_start_is_reduced_where_the_contact_has_changed),
        cmocka_unit_test(warm_start_reaches_the_same_solution_in_fewer_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
