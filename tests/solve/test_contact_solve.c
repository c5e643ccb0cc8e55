/* test_contact_solve.c: contact constraints of single pairs against closed forms: normal impulse, effective mass,
 * restitution, and the momentum of cloth. */
#include "solve_kit.h"

enum { VERTEX = 0, FACE = 3 }; /* the vertex of the first cloth that is in contact; first vertex of the second cloth */

static const kit_surface surface = {.thickness = 2e-3};
static const double thickness = 2e-3, dt = 0.01;

static mus_contact_constraint *only_constraint(solve_kit *kit) {
    assert_int_equal(kit->solver.constraints.count, 1);
    return &kit->solver.constraints.data[0];
}

/* A vertex of a face, `gap` above a plane; its other vertices are out of range. */
static void begin_above_plane(solve_kit *kit, double gap, double mass) {
    kit_add_face(kit, v3_make(0, gap, 0), v3_make(0.1, 0.1 + gap, 0), v3_make(0, 0.1 + gap, 0.1), surface);
    kit_add_plane(kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    kit_begin(kit, kit_impulse_def());
    kit->a->objects[1].contact_thickness = thickness / 2; /* of both sides: 2 mm */
    kit_set_mass(kit, VERTEX, mass);
}

/* A vertex above a face, off its middle, with unequal masses. */
static void begin_above_face(solve_kit *kit, v3 at, double gap) {
    v3 x = v3_make(at.x, at.y + gap, at.z), up = v3_make(0, 0.1, 0);
    kit_add_face(kit, x, v3_add(x, v3_add(up, v3_make(0.1, 0, 0))), v3_add(x, v3_add(up, v3_make(0, 0, 0.1))), surface);
    kit_add_face(kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
    kit_begin(kit, kit_impulse_def());
    const double mass[4] = {2e-3, 1e-3, 4e-3, 3e-3};
    kit_set_mass(kit, VERTEX, mass[0]);
    for (int k = 0; k < 3; k++) kit_set_mass(kit, FACE + k, mass[k + 1]);
    kit_add_pair(kit, VERTEX, FACE, FACE + 1, FACE + 2, false);
}

/* Two edges that cross at right angles, `gap` apart: of the first cloth along x, of the second along z and above. */
static void begin_crossed_edges(solve_kit *kit, double along_a, double along_b, double gap) {
    kit_add_face(kit, v3_make(-along_a, 0, 0), v3_make(1 - along_a, 0, 0), v3_make(0.5, -1, 0), surface);
    kit_add_face(kit, v3_make(0, gap, -along_b), v3_make(0, gap, 1 - along_b), v3_make(0, 1, 0.5), surface);
    kit_begin(kit, kit_impulse_def());
    const double mass[4] = {2e-3, 5e-3, 1e-3, 3e-3};
    for (int k = 0; k < 2; k++) kit_set_mass(kit, k, mass[k]), kit_set_mass(kit, FACE + k, mass[k + 2]);
    kit_add_pair(kit, 0, 1, FACE, FACE + 1, true);
}

static void approaching_vertex_stops_at_the_thickness(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double mass = 0.004, gap = 2.2e-3, end = -1e-3; /* m */
    begin_above_plane(&kit, gap, mass);
    kit.a->x1[VERTEX].y = end;
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    near(constraint->normal_velocity, (end - gap) / dt, 1e-12, "approach speed");
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(constraint->normal_impulse, mass * (thickness - end), 1e-18, "normal impulse");
    near(kit.a->x1[VERTEX].y, thickness, 1e-18, "end of the vertex");
    kit_end(&kit);
}

static void separating_vertex_gets_no_impulse(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_above_plane(&kit, 2.2e-3, 0.004);
    v3 end = kit.a->x1[VERTEX] = v3_make(1e-4, 4e-3, 0);
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    mus_contact_sweep_result swept = mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    assert_true(constraint->normal_impulse == 0 && constraint->idle && swept.moved == 0 && swept.missed == 0);
    assert_memory_equal(&kit.a->x1[VERTEX], &end, sizeof end);
    kit_end(&kit);
}

static void resting_vertex_gets_its_weight(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double mass = 0.003, g = 9.81;
    begin_above_plane(&kit, thickness, mass);
    kit.a->x1[VERTEX].y -= g * dt * dt;
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(constraint->normal_impulse / (dt * dt), mass * g, 1e-12, "normal force, N");
    kit_end(&kit);
}

static void missing_gap_is_restored_by_its_share(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double gap = 0.5e-3, relax = 0.25;
    begin_above_plane(&kit, gap, 0.003);
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, relax), only_constraint(&kit));
    near(constraint->target, gap + relax * (thickness - gap), 1e-15, "target");
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(kit.a->x1[VERTEX].y, constraint->target, 1e-15, "end of the vertex");
    kit_end(&kit);
}

static void missing_gap_is_restored_no_faster_than_the_recovery_speed(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double gap = 0.5e-3, short_dt = 1e-3;
    begin_above_plane(&kit, gap, 0.003);
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, short_dt, 1), only_constraint(&kit));
    near(constraint->target, gap + 120 * thickness * short_dt, 1e-15, "target");
    kit_end(&kit);
}

static void fixed_vertex_has_no_constraint(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_above_plane(&kit, 1e-3, 0);
    kit.a->x1[VERTEX].y = -1e-3;
    kit_build_contacts(&kit, dt, 0.5);
    assert_int_equal(kit.solver.constraints.count, 0);
    kit_end(&kit);
}

static void pulling_impulse_is_clamped_to_zero(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double mass = 0.004;
    begin_above_plane(&kit, 2.2e-3, mass);
    kit.a->x1[VERTEX].y = 1e-3;
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(constraint->normal_impulse, mass * 1e-3, 1e-18, "normal impulse");
    kit.a->x1[VERTEX].y += 0.4e-3; /* as another constraint would */
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(constraint->normal_impulse, mass * 0.6e-3, 1e-18, "reduced normal impulse");
    near(kit.a->x1[VERTEX].y, thickness, 1e-18, "end with a reduced impulse");
    kit.a->x1[VERTEX].y += 2e-3;
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    assert_true(constraint->normal_impulse == 0);
    near(kit.a->x1[VERTEX].y, thickness + 2e-3 - 0.6e-3, 1e-18, "end without an impulse");
    kit_end(&kit);
}

static void vertex_face_has_the_effective_mass_of_its_weights(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double gap = 1.5e-3;
    begin_above_face(&kit, v3_make(0.02, 0, -0.01), gap);
    /* barycentric weights of (0.02, -0.01): z gives that of the second corner, x the difference of the others */
    double second = 0.3, first = 0.5 * (0.7 - 0.2), third = 0.5 * (0.7 + 0.2);
    double inverse = 1 / 2e-3 + first * first / 1e-3 + second * second / 4e-3 + third * third / 3e-3;
    kit.a->x1[VERTEX].y -= 1e-3;
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    near(constraint->mass * inverse, 1, 1e-9, "effective mass");
    near_vector(constraint->normal, v3_make(0, 1, 0), 1e-12, "normal");
    double target = gap + 0.5 * (thickness - gap), impulse = (target - 0.5e-3) / inverse;
    near(constraint->target, target, 1e-12, "target");
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    near(constraint->normal_impulse, impulse, 1e-9 * impulse, "normal impulse");
    near(kit.a->x1[VERTEX].y - 0.5e-3, impulse / 2e-3, 1e-12, "motion of the vertex");
    near(kit.a->x1[FACE].y, -first * impulse / 1e-3, 1e-12, "motion of the first corner");
    near(kit.a->x1[FACE + 1].y, -second * impulse / 4e-3, 1e-12, "motion of the second corner");
    near(kit.a->x1[FACE + 2].y, -third * impulse / 3e-3, 1e-12, "motion of the third corner");
    kit_end(&kit);
}

static void crossed_edges_have_the_effective_mass_of_their_weights(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double p = 0.3, q = 0.8, gap = 1.8e-3;
    begin_crossed_edges(&kit, p, q, gap);
    double inverse = (1 - p) * (1 - p) / 2e-3 + p * p / 5e-3 + (1 - q) * (1 - q) / 1e-3 + q * q / 3e-3;
    kit.a->x1[FACE].y -= 2e-3, kit.a->x1[FACE + 1].y -= 2e-3;
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    near(constraint->mass * inverse, 1, 1e-9, "effective mass");
    near_vector(constraint->normal, v3_make(0, 1, 0), 1e-12, "normal, from side B to side A");
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    v3 first = v3_lerp(kit.a->x1[0], kit.a->x1[1], p), second = v3_lerp(kit.a->x1[FACE], kit.a->x1[FACE + 1], q);
    near(second.y - first.y, constraint->target, 1e-12, "gap at the end");
    near(kit.a->x1[0].y, -constraint->normal_impulse * (1 - p) / 2e-3, 1e-15, "motion of an end of the lower edge");
    near(kit.a->x1[FACE + 1].y - (gap - 2e-3), constraint->normal_impulse * q / 3e-3, 1e-15,
         "motion of an end of the upper edge");
    kit_end(&kit);
}

/* Impulses of contacts between cloth vertices conserve linear momentum, and without friction angular momentum: they
 * act along the line of the nearest points. */
static void impulses_between_cloth_conserve_momentum(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        solve_kit kit = {0};
        if (kind == 0)
            begin_above_face(&kit, v3_make(0.02, 0, -0.01), 1.5e-3);
        else
            begin_crossed_edges(&kit, 0.3, 0.8, 1.8e-3);
        mus_rng rng = mus_rng_make(3, (uint64_t)kind);
        v3 before[6];
        for (int i = 0; i < 6; i++) {
            v3 fall = v3_make(0, (i < FACE) == (kind == 0) ? -2e-3 : 1e-3, 0);
            before[i] = kit.a->x1[i] = v3_axpy(5e-4, random_direction(&rng), v3_add(kit.a->x0[i], fall));
        }
        mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
        mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
        assert_true(constraint->normal_impulse > 1e-7);
        near(v3_length(kit_momentum(&kit, before)) / constraint->normal_impulse, 0, 1e-12, "linear momentum");
        v3 about = v3_make(3, -2, 1);
        near(v3_length(kit_angular_momentum(&kit, before, about)) / constraint->normal_impulse, 0, 1e-11,
             "angular momentum");
        kit_end(&kit);
    }
}

/* Friction acts at the two nearest points, a gap apart: its moment is that of the pair of forces. */
static void friction_conserves_linear_momentum_and_has_the_moment_of_its_gap(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double gap = 1.5e-3;
    begin_above_face(&kit, v3_make(0.02, 0, -0.01), gap);
    kit.a->objects[0].friction = kit.a->objects[1].friction = 0.4;
    kit.a->x1[VERTEX] = v3_add(kit.a->x1[VERTEX], v3_make(1e-3, -2e-3, 0));
    v3 before[6];
    memcpy(before, kit.a->x1, sizeof before);
    mus_contact_constraint *constraint = (kit_build_contacts(&kit, dt, 0.5), only_constraint(&kit));
    mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
    assert_true(v3_length(constraint->friction_impulse) > 1e-7);
    near(v3_length(kit_momentum(&kit, before)) / constraint->normal_impulse, 0, 1e-12, "linear momentum");
    v3 moment = v3_cross(v3_scale(gap, constraint->normal), constraint->friction_impulse);
    near(v3_length(v3_sub(kit_angular_momentum(&kit, before, v3_make(0, 0, 0)), moment)) / v3_length(moment), 0, 1e-9,
         "angular momentum");
    kit_end(&kit);
}

/* Ends of a step at the velocity v1 from x0, one sweep, and restitution. */
static double speed_after(solve_kit *kit, double restitution, double speed) {
    kit->a->objects[0].restitution = restitution;
    kit->a->v1[VERTEX] = v3_make(0, -speed, 0);
    kit->a->x1[VERTEX] = v3_axpy(dt, kit->a->v1[VERTEX], kit->a->x0[VERTEX]);
    kit_build_contacts(kit, dt, 0.5);
    v3 before[6];
    memcpy(before, kit->a->x1, sizeof(v3) * (size_t)kit->a->cloth_vertex_count);
    mus_contacts_sweep(kit->a, &kit->solver.constraints, true);
    for (int32_t i = 0; i < kit->a->cloth_vertex_count; i++)
        kit->a->v1[i] = v3_axpy(1 / dt, v3_sub(kit->a->x1[i], before[i]), kit->a->v1[i]);
    mus_contacts_apply_restitution(kit->a, &kit->solver.constraints, dt);
    return kit->a->v1[VERTEX].y;
}

static void restitution_returns_its_share_of_the_approach(void **state) {
    (void)state;
    const double shares[] = {0.25, 0.7, 1};
    for (int k = 0; k < 3; k++) {
        solve_kit kit = {0};
        begin_above_plane(&kit, thickness, 0.004);
        near(speed_after(&kit, shares[k], 2), shares[k] * 2, 1e-12, "speed after the bounce");
        kit_end(&kit);
    }
}

static void slow_contacts_do_not_bounce(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        solve_kit kit = {0};
        begin_above_plane(&kit, thickness, 0.004);
        kit.a->acceleration_scale = k < 2 ? 9.81 : 1.62; /* m/s^2: of the world's gravity */
        bool fast = k & 1;
        double threshold = 2 * kit.a->acceleration_scale * dt, speed = fast ? 1.01 * threshold : 0.99 * threshold;
        near(mus_bounce_threshold(kit.a, dt), threshold, 1e-15, "threshold");
        near(speed_after(&kit, 1, speed), fast ? speed : 0, 1e-12, "speed after the contact");
        kit_end(&kit);
    }
}

/* A vertex on a face, all free: with e = 1 the relative normal velocity is reversed, and energy and momentum are those
 * before. */
static void elastic_contact_conserves_energy(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_above_face(&kit, v3_make(0.02, 0, -0.01), thickness);
    double energy = 0.5 * 2e-3 * 2 * 2, after = speed_after(&kit, 1, 2);
    mus_contact_constraint *constraint = only_constraint(&kit);
    double sum = 0, relative = 0;
    for (int k = 0; k < 4; k++) {
        int32_t i = constraint->vertex[k];
        sum += 0.5 / kit.a->inverse_mass[i] * v3_length2(kit.a->v1[i]);
        relative += constraint->weight[k] * kit.a->v1[i].y;
    }
    near(relative, 2, 1e-9, "relative speed after the bounce");
    near(sum / energy, 1, 1e-9, "energy");
    near(after, -2 + 4 * constraint->mass / 2e-3, 1e-9, "speed of the vertex");
    kit_end(&kit);
}

/* A vertex that would pass through a face in the step: the normal is that at the time of impact, and a correction of
 * position leaves at most the recovery speed. */
static void hit_takes_its_normal_at_the_time_of_impact(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_above_face(&kit, v3_make(0.02, 0, -0.01), 0.01);
    mus_assembly *a = kit.a;
    /* the face turns by a small angle about z: heights at the end in proportion to x */
    for (int k = 0; k < 3; k++) a->x1[FACE + k].y = 0.2 * a->x0[FACE + k].x;
    a->x1[VERTEX].y = -0.01;
    mus_contact_constraint constraint;
    double toi = 0.25, height = 0.005, slope = 0.05;
    assert_true(mus_contact_from_hit(a, &kit.pairs.data[0], toi, dt, &constraint));
    near_vector(constraint.normal, v3_normalized(v3_make(-slope, 1, 0)), 1e-9, "normal");
    assert_true(height > slope * 0.02 && constraint.toi == toi);
    constraint.thickness = thickness, constraint.normal_impulse = 1;
    for (int i = 0; i < 6; i++) a->v1[i] = v3_make(0, 0, 0);
    a->v1[VERTEX] = v3_scale(3, constraint.normal);
    mus_contact_constraint_list list = {.data = &constraint, .count = 1, .capacity = 1};
    mus_contacts_apply_restitution(a, &list, dt);
    double relative = 0;
    for (int k = 0; k < 4; k++)
        relative += constraint.weight[k] * v3_dot(constraint.normal, a->v1[constraint.vertex[k]]);
    near(relative, 120 * thickness, 1e-9, "separating speed");
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approaching_vertex_stops_at_the_thickness),
        cmocka_unit_test(separating_vertex_gets_no_impulse),
        cmocka_unit_test(resting_vertex_gets_its_weight),
        cmocka_unit_test(missing_gap_is_restored_by_its_share),
        cmocka_unit_test(missing_gap_is_restored_no_faster_than_the_recovery_speed),
        cmocka_unit_test(fixed_vertex_has_no_constraint),
        cmocka_unit_test(pulling_impulse_is_clamped_to_zero),
        cmocka_unit_test(vertex_face_has_the_effective_mass_of_its_weights),
        cmocka_unit_test(crossed_edges_have_the_effective_mass_of_their_weights),
        cmocka_unit_test(impulses_between_cloth_conserve_momentum),
        cmocka_unit_test(friction_conserves_linear_momentum_and_has_the_moment_of_its_gap),
        cmocka_unit_test(restitution_returns_its_share_of_the_approach),
        cmocka_unit_test(slow_contacts_do_not_bounce),
        cmocka_unit_test(elastic_contact_conserves_energy),
        cmocka_unit_test(hit_takes_its_normal_at_the_time_of_impact),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
