/* test_rigid_coupling.c: contacts of rigid bodies: contact arms and effective masses in closed form, momentum of cloth
 * and body together, pairs of bodies, free motion, and the cloth-rigid solve. */
#include "solve_kit.h"

#include "response/rigid_contact.h"

static const kit_surface surface = {.thickness = 1e-3};
static const double dt = 0.01, radius = 0.05, body_mass = 0.3, vertex_mass = 2e-3;

/* A ball of vertex 3 over the face 0 1 2, above the point of the given weights. */
static mus_contact_constraint *begin_ball_on_face(solve_kit *kit, const double weight[3], double gap) {
    v3 x[3] = {v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1)}, at = v3_make(0, radius + gap, 0);
    for (int k = 0; k < 3; k++) at = v3_axpy(weight[k], x[k], at);
    kit_add_face(kit, x[0], x[1], x[2], surface);
    kit_add_ball(kit, at, radius, body_mass, v3_make(0, 0, 0));
    kit_begin(kit, kit_impulse_def());
    kit_set_all_masses(kit, vertex_mass);
    kit_add_pair(kit, 3, 0, 1, 2, false);
    mus_contact_constraint_list *constraints = kit_build_contacts(kit, dt, 0.5);
    assert_int_equal(constraints->count, 1);
    return constraints->data;
}

static const double even[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0}, uneven[3] = {0.2, 0.5, 0.3};

static double sum_of_squares(const double w[3]) {
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
}

static void contact_arm_of_a_ball_is_its_radius_along_the_normal(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *c = begin_ball_on_face(&kit, uneven, 5e-4);
    near_vector(c->normal, v3_make(0, 1, 0), 1e-12, "normal");
    near_vector(c->arm[0], v3_make(0, -radius, 0), 1e-12, "contact arm");
    near(c->gap0, 5e-4, 1e-12, "gap");
    assert_true(c->has_rigid_body);
    kit_end(&kit);
}

/* Along the normal a ball does not turn: 1/M + sum w^2/m; along the tangent it rolls: 1/M + R^2/I, I = 2/5 M R^2. */
static void effective_masses_of_a_ball_on_a_face(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *c = begin_ball_on_face(&kit, uneven, 5e-4);
    double cloth = sum_of_squares(uneven) / vertex_mass;
    near(c->mass * (1 / body_mass + cloth), 1, 1e-9, "effective mass");
    near(c->tangent_mass * (3.5 / body_mass + cloth), 1, 1e-9, "tangential effective mass");
    kit_end(&kit);
}

enum { BOX_X = 10, BOX_Y = 6, BOX_Z = 4 }; /* cm */

/* Vertex 0 over the top face of a box, off its center by dx and dz. */
static mus_contact_constraint *begin_vertex_on_box(solve_kit *kit, double dx, double dz, double gap) {
    v3 x = v3_make(dx, 0.5e-2 * BOX_Y + gap, dz), up = v3_make(0, 0.1, 0);
    kit_add_face(kit, x, v3_add(x, v3_add(up, v3_make(0.1, 0, 0))), v3_add(x, v3_add(up, v3_make(0, 0, 0.1))), surface);
    kit_add_box(kit, v3_make(0, 0, 0), v3_make(1e-2 * BOX_X, 1e-2 * BOX_Y, 1e-2 * BOX_Z), body_mass);
    kit_begin(kit, kit_impulse_def());
    kit_set_all_masses(kit, vertex_mass);
    kit_all_pairs(kit, 0, 1);
    mus_contact_constraint_list *constraints = kit_build_contacts(kit, dt, 0.5);
    assert_int_equal(constraints->count, 1);
    assert_int_equal(constraints->data[0].vertex[0], 0);
    return constraints->data;
}

static void effective_mass_off_the_center_of_a_box_includes_its_rotation(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double dx = 0.02, dz = -0.013, cm2 = 1e-4;
    mus_contact_constraint *c = begin_vertex_on_box(&kit, dx, dz, 5e-4);
    double about_x = body_mass * cm2 * (BOX_Y * BOX_Y + BOX_Z * BOX_Z) / 12;
    double about_z = body_mass * cm2 * (BOX_X * BOX_X + BOX_Y * BOX_Y) / 12;
    near_vector(c->arm[1], v3_make(dx, 0.5e-2 * BOX_Y, dz), 1e-12, "contact arm");
    double inverse = 1 / vertex_mass + 1 / body_mass + dz * dz / about_x + dx * dx / about_z;
    near(c->mass * inverse, 1, 1e-9, "effective mass");
    kit_end(&kit);
}

/* Displacement momentum of a body: shift times mass, turned times inertia. */
static void impulses_between_cloth_and_body_conserve_momentum(void **state) {
    (void)state;
    for (int box = 0; box < 2; box++) {
        solve_kit kit = {0};
        if (box)
            begin_vertex_on_box(&kit, 0.02, -0.013, 9e-4);
        else
            begin_ball_on_face(&kit, uneven, 9e-4);
        for (int i = 0; i < 3; i++) kit.a->x1[i].y += box ? -2e-3 : 2e-3;
        v3 before[3];
        memcpy(before, kit.a->x1, sizeof before);
        mus_contact_constraint *c = kit_build_contacts(&kit, dt, 0.5)->data;
        mus_contacts_sweep(kit.a, &kit.solver.constraints, true);
        const mus_rigid_step *r = &kit.a->rigids[0];
        assert_true(c->normal_impulse > 1e-7);
        v3 about = v3_make(0.3, -0.2, 0.1);
        v3 linear = v3_add(kit_momentum(&kit, before), v3_scale(body_mass, r->shift));
        m3 inertia = mus_rigid_inertia(r->of, kit.a->objects[1].pose0.rotation);
        v3 angular = v3_add(kit_angular_momentum(&kit, before, about), m3_mul_v3(&inertia, r->turned));
        angular = v3_add(angular, v3_cross(v3_sub(r->center0, about), v3_scale(body_mass, r->shift)));
        near(v3_length(linear) / c->normal_impulse, 0, 1e-10, "linear momentum");
        near(v3_length(angular) / c->normal_impulse, 0, 1e-10, "angular momentum");
        v3 end = mus_contact_end_vector(kit.a, c);
        near(v3_dot(c->normal, end) - c->offset, c->target, 1e-12, "gap at the end");
        kit_end(&kit);
    }
}

/* At the contact a body moves by its shift and its turn about the center; a round one also rolls off by its turn. */
static void motion_at_a_contact_is_shift_plus_turn_times_arm(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *c = begin_vertex_on_box(&kit, 0.02, -0.013, 5e-4);
    mus_rigid_step *r = &kit.a->rigids[0];
    v3 at = mus_contact_end_vector(kit.a, c), turned = v3_make(1e-3, -2e-3, 3e-3);
    r->shift = v3_make(1e-4, 2e-4, -3e-4), r->turned = turned;
    v3 by = v3_add(r->shift, v3_cross(turned, v3_make(0.02, 0.03, -0.013)));
    near_vector(v3_sub(mus_contact_end_vector(kit.a, c), at), v3_neg(by), 1e-12, "motion of side B");
    kit_end(&kit);
    c = begin_ball_on_face(&kit, uneven, 5e-4);
    kit.a->rigids[0].turn = turned;
    near_vector(mus_contact_rigid_motion(kit.a, c), v3_cross(turned, v3_make(0, -radius, 0)), 1e-15,
                "surface of a ball");
    kit_end(&kit);
}

static void fixed_bodies_leave_the_mass_of_cloth(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *c = begin_ball_on_face(&kit, uneven, 5e-4);
    kit.a->rigids[0].shift = v3_make(1e-4, -2e-4, 0);
    mus_contact_constraint with_fixed_bodies = mus_contact_with_fixed_bodies(kit.a, c);
    near(with_fixed_bodies.mass * sum_of_squares(uneven) / vertex_mass, 1, 1e-9, "effective mass");
    assert_false(with_fixed_bodies.has_rigid_body);
    /* the slip is that relative to where the body is placed */
    near_vector(v3_sub(mus_contact_end_vector(kit.a, &with_fixed_bodies), with_fixed_bodies.rest),
                v3_sub(mus_contact_end_vector(kit.a, c), c->rest), 1e-15, "slip");
    kit_end(&kit);
}

static void deferred_impulses_change_velocities_only(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_contact_constraint *c = begin_vertex_on_box(&kit, 0.02, -0.013, 5e-4);
    mus_rigid_step *r = &kit.a->rigids[0];
    v3 impulse = v3_make(1e-4, -3e-4, 2e-4), arm = v3_make(0.02, 0.03, -0.013);
    mus_contact_defer_rigid_impulse(kit.a, c, v3_neg(impulse), impulse);
    near_vector(r->shift, v3_make(0, 0, 0), 0, "shift");
    near_vector(r->turned, v3_make(0, 0, 0), 0, "turn");
    mus_solver_apply_deferred_impulses(&kit.solver, dt);
    near_vector(r->v1, v3_scale(1 / (body_mass * dt), impulse), 1e-12, "velocity");
    near_vector(r->momentum1, v3_scale(1 / dt, v3_cross(arm, impulse)), 1e-12, "angular momentum");
    near_vector(r->linear, v3_make(0, 0, 0), 0, "impulse that is left");
    kit_end(&kit);
}

static void restitution_between_cloth_and_body(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double e = 0.6, speed = 2;
    mus_contact_constraint *c = begin_vertex_on_box(&kit, 0.02, -0.013, 1e-3);
    c->normal_velocity = -speed, c->restitution = e, c->normal_impulse = 1;
    for (int i = 0; i < 3; i++) kit.a->v1[i] = v3_make(0, 0, 0);
    mus_contacts_apply_restitution(kit.a, &kit.solver.constraints, dt); /* the impact has stopped them */
    const mus_rigid_step *r = &kit.a->rigids[0];
    v3 spin = m3_mul_v3(&r->inverse_inertia, r->momentum1);
    v3 at = v3_add(r->v1, v3_cross(spin, v3_make(0.02, 0.03, -0.013)));
    near(kit.a->v1[0].y - at.y, e * speed, 1e-9, "separating speed");
    near(vertex_mass * kit.a->v1[0].y + body_mass * r->v1.y, 0, 1e-12, "momentum");
    near(c->bounce, e * speed * c->mass, 1e-9, "impulse");
    kit_end(&kit);
}

/* ---- two bodies ---- */

static void begin_two_balls(solve_kit *kit, double gap) {
    kit_add_ball(kit, v3_make(0, 0, 0), radius, body_mass, v3_make(0, 0, 0));
    kit_add_ball(kit, v3_make(2 * radius + gap, 0, 0), radius, 2 * body_mass, v3_make(0, 0, 0));
    kit_begin(kit, kit_impulse_def());
    must(mus_solver_ensure_broad_phase(&kit->solver));
    kit->solver.dt = dt;
}

static void two_balls_collide_when_their_gap_is_used_up(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double gap = 0.01, motion = 0.03;
    begin_two_balls(&kit, gap);
    kit.a->x1[0].x += motion;
    must(mus_solver_detect_rigid_pairs(&kit.solver));
    assert_int_equal(kit.solver.rigid_contacts.list.count, 1);
    mus_candidate_pair *c = &kit.solver.rigid_contacts.list.data[0];
    near((double)c->gap0, gap, 1e-8, "gap");
    double toi = -1, kept = 0.1 * 2e-3; /* a tenth of both thicknesses */
    assert_true(mus_solver_rigid_pair_collides(&kit.solver, c, &toi));
    near(toi, (gap - kept) / motion, 0.06 * kept / motion, "time of impact");
    mus_contact_constraint constraint;
    assert_true(mus_solver_rigid_constraint_from_hit(&kit.solver, c, toi, &constraint));
    near(constraint.mass * (1 / body_mass + 0.5 / body_mass), 1, 1e-9, "effective mass");
    near(fabs(constraint.normal.x), 1, 1e-12, "normal");
    kit.a->x1[0].x = 0.9 * gap;
    assert_false(mus_solver_rigid_pair_collides(&kit.solver, c, &toi));
    kit_end(&kit);
}

/* Whatever the order of a pair's sides and edges. */
static bool same_features(const mus_candidate_pair *p, const mus_candidate_pair *q) {
    int32_t sum[2] = {0, 0}, product[2] = {1, 1};
    const mus_candidate_pair *of[2] = {p, q};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) sum[k] += of[k]->vertex[i], product[k] *= of[k]->vertex[i] + 3;
    return p->edge_edge == q->edge_edge && sum[0] == sum[1] && product[0] == product[1];
}

static void pairs_of_bodies_contain_all_that_come_near(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(12, 0);
    int wanted = 0;
    for (int round = 0; round < 20; round++) {
        solve_kit kit = {0};
        kit_add_box(&kit, v3_make(0, 0, 0), v3_make(0.1, 0.1, 0.1), body_mass);
        kit_add_box(&kit, v3_make(0.105, 0.02, 0.03), v3_make(0.1, 0.1, 0.1), body_mass);
        for (int k = 0; k < 2; k++) turn(kit.obstacles[k]->pose.rotation, random_direction(&rng), 0.05);
        kit_begin(&kit, kit_impulse_def());
        must(mus_solver_ensure_broad_phase(&kit.solver));
        for (int32_t i = 0; i < 8; i++) kit.a->x1[i].x += mus_rng_between(&rng, 0, 0.02);
        must(mus_solver_detect_rigid_pairs(&kit.solver));
        kit_all_pairs(&kit, 0, 1);
        const mus_candidate_pair_list *list = &kit.solver.rigid_contacts.list;
        for (int64_t k = 0; k < kit.pairs.count; k++) {
            bool near_by = false, listed = false;
            for (int t = 1; t <= 8; t++) near_by |= kit_distance_at(&kit, &kit.pairs.data[k], t / 8.0) < 0.5e-3;
            if (!near_by) continue;
            wanted++;
            for (int64_t c = 0; c < list->count; c++) listed |= same_features(&list->data[c], &kit.pairs.data[k]);
            assert_true(listed);
        }
        kit_end(&kit);
    }
    assert_true(wanted > 50);
}

/* Two balls that would overlap: the pair is solved by one inelastic impulse, with the velocity of both that of their
 * common center of mass, and they end apart. */
static void head_on_balls_end_with_their_common_velocity(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double gap = 5e-3, v = 2;
    begin_two_balls(&kit, gap);
    kit.a->rigids[0].v0 = v3_make(v, 0, 0);
    mus_solver_predict_rigid_bodies(&kit.solver, &kit.input, dt);
    bool moved = false;
    must(mus_solver_place_rigid_bodies(&kit.solver, dt, false, &moved));
    const mus_rigid_step *r = kit.a->rigids;
    near(body_mass * r[0].v1.x + 2 * body_mass * r[1].v1.x, body_mass * v, 1e-12, "momentum");
    double end = kit.a->x1[1].x - kit.a->x1[0].x - 2 * radius;
    assert_true(moved && end > 0.1 * 2e-3 && end < gap);
    /* positions meet the target at the end of the step: velocities are those of that motion */
    near(r[1].v1.x - r[0].v1.x, (end - gap) / dt, 1e-6, "relative speed");
    kit_end(&kit);
}

/* ---- free motion ---- */

static void free_body_falls_and_spins(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double g = 9.81, previous_dt = 0.02;
    begin_ball_on_face(&kit, even, 0.5e-3);
    mus_object *ball = &kit.a->objects[1];
    mus_rigid_step *r = ball->rigid;
    v3 spin = v3_make(3, -1, 2), v0 = v3_make(1, 2, 3);
    double inertia = 0.4 * body_mass * radius * radius;
    r->v0 = v0, r->momentum0 = v3_scale(inertia, spin), ball->previous_dt = previous_dt;
    kit.input.environment.gravity = v3_make(0, -g, 0);
    mus_solver_predict_rigid_bodies(&kit.solver, &kit.input, dt);
    v3 v1 = v3_add(v0, v3_make(0, -g * 0.5 * (previous_dt + dt), 0)); /* leapfrog: between the steps' middles */
    near_vector(r->v1, v1, 1e-12, "velocity");
    near_vector(kit.a->x1[3], v3_axpy(dt, v1, kit.a->x0[3]), 1e-12, "center");
    near_vector(r->turn, v3_scale(dt, spin), 1e-12, "turn");
    near_vector(r->momentum1, r->momentum0, 0, "angular momentum");
    kit_end(&kit);
}

static void body_that_ends_in_a_plane_is_lifted(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_plane(&kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    kit_add_ball(&kit, v3_make(0, radius + 5e-3, 0), radius, body_mass, v3_make(0, -1, 0));
    kit_begin(&kit, kit_impulse_def());
    must(mus_solver_ensure_broad_phase(&kit.solver));
    kit.solver.dt = dt;
    mus_solver_predict_rigid_bodies(&kit.solver, &kit.input, dt);
    near(kit.a->x1[0].y, radius - 5e-3, 1e-12, "free end");
    bool moved = false;
    must(mus_solver_place_rigid_bodies(&kit.solver, dt, false, &moved));
    assert_true(moved);
    near(kit.a->x1[0].y - radius, 1.01 * 0.1 * 1e-3, 1e-12, "gap at the end");
    near(kit.a->rigids[0].v1.y, -1, 1e-12, "velocity, which a translation out of a plane leaves");
    kit_end(&kit);
}

/* ---- cloth and body as one system ---- */

/* A ball that falls on the middle of a loose face: both go on with their common momentum. The face moves without
 * deformation, so that its stiffness has no share. */
static void cloth_rigid_solve_of_a_central_impact(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double v = 0.5;
    mus_contact_constraint *c = begin_ball_on_face(&kit, even, 5e-4);
    mus_object *ball = &kit.a->objects[1];
    double mass = kit.cloths[0]->mass[0];
    for (int i = 0; i < 3; i++) kit_set_mass(&kit, i, mass); /* of equal areas around the middle */
    ball->rigid->v0 = v3_make(0, -v, 0);
    mus_stopwatch watch = mus_stopwatch_start(&kit.stats);
    must(mus_solver_predict(&kit.solver, &kit.input, 0, dt, &watch));
    c = kit_build_contacts(&kit, dt, 0.5)->data;
    assert_true(mus_coupled_is_needed(&kit.solver));
    bool solved = false;
    must(mus_coupled_solve_cloth_rigid(&kit.solver, &solved));
    assert_true(solved);
    const mus_rigid_step *r = ball->rigid;
    double effective = 1 / (1 / body_mass + 1 / (3 * mass)), wanted = (c->target - 5e-4 + v * dt) * effective;
    near(c->normal_impulse / wanted, 1, 0.02, "normal impulse");
    near(v3_dot(c->normal, mus_contact_end_vector(kit.a, c)) - c->offset, c->target, 0.06 * 1e-3, "gap at the end");
    v3 cloth = kit_momentum(&kit, kit.a->x0);
    near(cloth.y + r->linear.y, 0, 1e-6 * c->normal_impulse, "momentum");
    for (int i = 0; i < 3; i++) near(kit.a->x1[i].y, cloth.y / (3 * mass), 1e-6, "motion of the face");
    kit_end(&kit);
}

/* Off the middle the face tilts, and the sum of momenta remains. */
static void cloth_rigid_solve_conserves_momentum(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_ball_on_face(&kit, uneven, 5e-4);
    mus_object *ball = &kit.a->objects[1];
    memcpy(kit.a->inverse_mass, kit.cloths[0]->inverse_mass, 3 * sizeof(double));
    kit.a->objects[0].friction = ball->friction = 0.5;
    ball->rigid->v0 = v3_make(0.3, -0.5, 0.1);
    mus_stopwatch watch = mus_stopwatch_start(&kit.stats);
    must(mus_solver_predict(&kit.solver, &kit.input, 0, dt, &watch));
    mus_contact_constraint *c = kit_build_contacts(&kit, dt, 0.5)->data;
    bool solved = false;
    must(mus_coupled_solve_cloth_rigid(&kit.solver, &solved));
    assert_true(solved && c->normal_impulse > 0);
    v3 sum = v3_add(kit_momentum(&kit, kit.a->x0), ball->rigid->linear);
    near(v3_length(sum) / c->normal_impulse, 0, 1e-9, "momentum");
    assert_true(v3_length(c->friction_impulse) <= 0.55 * c->normal_impulse); /* limits lag behind by 5 % at most */
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_arm_of_a_ball_is_its_radius_along_the_normal),
        cmocka_unit_test(effective_masses_of_a_ball_on_a_face),
        cmocka_unit_test(effective_mass_off_the_center_of_a_box_includes_its_rotation),
        cmocka_unit_test(impulses_between_cloth_and_body_conserve_momentum),
        cmocka_unit_test(motion_at_a_contact_is_shift_plus_turn_times_arm),
        cmocka_unit_test(fixed_bodies_leave_the_mass_of_cloth),
        cmocka_unit_test(deferred_impulses_change_velocities_only),
        cmocka_unit_test(restitution_between_cloth_and_body),
        cmocka_unit_test(two_balls_collide_when_their_gap_is_used_up),
        cmocka_unit_test(pairs_of_bodies_contain_all_that_come_near),
        cmocka_unit_test(head_on_balls_end_with_their_common_velocity),
        cmocka_unit_test(free_body_falls_and_spins),
        cmocka_unit_test(body_that_ends_in_a_plane_is_lifted),
        cmocka_unit_test(cloth_rigid_solve_of_a_central_impact),
        cmocka_unit_test(cloth_rigid_solve_conserves_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
