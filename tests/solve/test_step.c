/* test_step.c: a step around its stages: prediction, halving after failure, substeps, commit, coefficients and
 * responses of pairs, tolerance, seam groups. */
#include "solve_kit.h"

static const kit_surface surface = {.thickness = 1e-3, .friction = 0.3};
static const double dt = 0.01, g = 9.81;

static void begin_face(solve_kit *kit, double height, mus_solver_def def) {
    kit_add_face(kit, v3_make(0, height, 0), v3_make(0.1, height, 0), v3_make(0, height, 0.1), surface);
    kit_add_plane(kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    kit_begin(kit, def);
    kit->input.environment.gravity = v3_make(0, -g, 0);
}

static mus_status predict(solve_kit *kit) {
    mus_stopwatch watch = mus_stopwatch_start(&kit->stats);
    return mus_solver_predict(&kit->solver, &kit->input, 0, dt, &watch);
}

/* ---- prediction ---- */

/* Gravity acts from the middle of the last step to the middle of this one. */
static void free_cloth_falls_by_the_leapfrog_rule(void **state) {
    (void)state;
    const double previous[] = {0, 0.01, 0.03};
    for (int k = 0; k < 3; k++) {
        solve_kit kit = {0};
        begin_face(&kit, 1, kit_impulse_def());
        kit.a->objects[0].previous_dt = previous[k];
        v3 v0 = v3_make(1, 2, -3), v1 = v3_add(v0, v3_make(0, -g * 0.5 * (previous[k] + dt), 0));
        for (int i = 0; i < 3; i++) kit.a->v0[i] = v0;
        must(predict(&kit));
        for (int i = 0; i < 3; i++) {
            near_vector(kit.a->v1[i], v1, 1e-6, "velocity");
            near_vector(kit.a->x1[i], v3_axpy(dt, v1, kit.a->x0[i]), 1e-8, "predicted position");
        }
        near(kit.a->objects[0].current_dt, dt, 0, "length of the step");
        kit_end(&kit);
    }
}

static mus_status move_fixed_vertex(void *context, mus_assembly *a, double t) {
    const v3 *place = context;
    a->x1[1] = v3_axpy(t, *place, a->x0[1]); /* m/s */
    return MUS_STATUS_OK;
}

static void fixed_vertex_ends_where_it_is_placed(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 1, kit_impulse_def());
    v3 speed = v3_make(0.1, 0.2, -0.3);
    kit.cloths[0]->inverse_mass[1] = 0;
    kit_set_mass(&kit, 1, 0);
    kit.input.place_kinematic = move_fixed_vertex, kit.input.context = &speed;
    must(predict(&kit));
    near_vector(kit.a->x1[1], v3_axpy(dt, speed, kit.a->x0[1]), 1e-15, "end");
    kit.a->v1[1] = v3_make(9, 9, 9);
    v3 free_velocity = kit.a->v1[0];
    mus_solver_follow_pins(kit.a, dt);
    near_vector(kit.a->v1[1], speed, 1e-12, "mean velocity over the step");
    near_vector(kit.a->v1[0], free_velocity, 0, "velocity of a free vertex");
    kit_end(&kit);
}

static void prediction_out_of_bounds_has_no_safe_step(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 1, kit_impulse_def());
    kit.solver.dt = dt;
    double most = MUS_MOST_SUBSTEPS * kit.solver.travel;
    kit.a->x1[2].z += 0.99 * most;
    must(mus_solver_check_finite(&kit.solver));
    kit.a->x1[2].z += 0.02 * most;
    must_be(MUS_STATUS_NO_SAFE_STEP, mus_solver_check_finite(&kit.solver));
    assert_non_null(strstr(mus_get_error_message(), "vertex 3 of cloth 'cloth1'"));
    kit.a->x1[2].z = NAN;
    must_be(MUS_STATUS_NO_SAFE_STEP, mus_solver_check_finite(&kit.solver));
    assert_non_null(strstr(mus_get_error_message(), "vertex 3 of cloth 'cloth1'"));
    kit_end(&kit);
}

/* ---- attempts ---- */

enum { MOST_ATTEMPTS = 256 };

static struct attempt_log {
    double t[MOST_ATTEMPTS], dt[MOST_ATTEMPTS], longest;
    int count;
    mus_status failure;
} log_of;

/* Succeeds where the step is short enough. */
static mus_status logged_attempt(mus_solver *s, const mus_step_input *input, double t, double length) {
    (void)s, (void)input;
    assert_true(log_of.count < MOST_ATTEMPTS);
    log_of.t[log_of.count] = t, log_of.dt[log_of.count++] = length;
    return length > log_of.longest ? log_of.failure : MUS_STATUS_OK;
}

static const mus_family logged_family = {.attempt = logged_attempt};

static mus_status step_logged(solve_kit *kit, double longest, mus_status failure) {
    mus_solver_def def = kit_impulse_def();
    def.family = &logged_family;
    begin_face(kit, 1, def);
    log_of = (struct attempt_log){.longest = longest, .failure = failure};
    kit->input.time = 3;
    return mus_solver_step(&kit->solver, &kit->input, &kit->stats);
}

static void failed_step_is_halved_until_it_is_safe(void **state) {
    (void)state;
    solve_kit kit = {0};
    must(step_logged(&kit, dt / 3, MUS_STATUS_NO_SAFE_STEP));
    const double t[] = {0, 0, 0, 0.25, 0.5, 0.5, 0.75}, length[] = {1, 0.5, 0.25, 0.25, 0.5, 0.25, 0.25};
    assert_int_equal(log_of.count, 7);
    for (int k = 0; k < 7; k++) {
        near(log_of.t[k], 3 + t[k] * dt, 1e-15, "start of an attempt");
        near(log_of.dt[k], length[k] * dt, 1e-15, "length of an attempt");
    }
    assert_int_equal(kit.stats.substeps, 4);
    kit_end(&kit);
}

static void step_without_a_safe_sixty_fourth_fails(void **state) {
    (void)state;
    solve_kit kit = {0};
    must_be(MUS_STATUS_NO_SAFE_STEP, step_logged(&kit, dt / 65, MUS_STATUS_NO_SAFE_STEP));
    assert_int_equal(log_of.count, 7);
    near(log_of.dt[6], dt / 64, 1e-15, "shortest attempt");
    assert_int_equal(kit.stats.substeps, 0);
    kit_end(&kit);
}

static void other_failures_are_not_tried_again(void **state) {
    (void)state;
    const mus_status failures[] = {MUS_STATUS_CANCELLED, MUS_STATUS_NO_MEMORY, MUS_STATUS_INVALID};
    for (int k = 0; k < 3; k++) {
        solve_kit kit = {0};
        must_be(failures[k], step_logged(&kit, dt / 2, failures[k]));
        assert_int_equal(log_of.count, 1);
        kit_end(&kit);
    }
}

static double ball_motion;

static mus_status keep_pose(void *user, double t, mus_pose *pose) {
    (void)user, (void)t, (void)pose;
    return MUS_STATUS_OK;
}

static mus_status move_ball(void *context, mus_assembly *a, double t) {
    (void)context;
    a->x1[3] = v3_axpy(ball_motion * t / dt, v3_make(0, 0, 1), a->x0[3]);
    return MUS_STATUS_OK;
}

/* No obstacle near cloth moves further than 0.4 of the mean edge in a substep. */
static void fast_obstacle_divides_the_step(void **state) {
    (void)state;
    const double motions[] = {0.5, 0.99, 1.01, 7.5};
    for (int k = 0; k < 5; k++) {
        solve_kit kit = {0};
        kit_add_face(&kit, v3_make(0, 0, 0), v3_make(0.1, 0, 0), v3_make(0, 0, 0.1), surface);
        kit_add_ball(&kit, v3_make(0, k < 4 ? 0.1 : 2, 0), 0.05, 0, v3_make(0, 0, 0));
        kit.obstacles[0]->motion = mus_law_of_motion(keep_pose, NULL);
        kit_begin(&kit, kit_impulse_def());
        double travel = 0.4 * (0.2 + 0.1 * sqrt(2)) / 3;
        near(kit.solver.travel, travel, 1e-12, "largest motion in a substep");
        kit.input.place_kinematic = move_ball;
        ball_motion = motions[k % 4 + (k == 4) * 3] * travel;
        int32_t count = 0;
        must(mus_solver_count_substeps(&kit.solver, &kit.input, &count));
        assert_int_equal(count, k < 4 ? (int)floor(motions[k]) + 1 : 1); /* far from cloth it does not matter */
        kit_end(&kit);
    }
}

static void obstacle_that_is_too_fast_has_no_safe_step(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 0, 0), v3_make(0.1, 0, 0), v3_make(0, 0, 0.1), surface);
    kit_add_ball(&kit, v3_make(0, 0.1, 0), 0.05, 0, v3_make(0, 0, 0));
    kit.obstacles[0]->motion = mus_law_of_motion(keep_pose, NULL);
    kit_begin(&kit, kit_impulse_def());
    kit.input.place_kinematic = move_ball;
    ball_motion = 1.01 * MUS_MOST_SUBSTEPS * kit.solver.travel;
    int32_t count = 0;
    must_be(MUS_STATUS_NO_SAFE_STEP, mus_solver_count_substeps(&kit.solver, &kit.input, &count));
    assert_non_null(strstr(mus_get_error_message(), "obstacle 'obstacle1'"));
    kit_end(&kit);
}

/* ---- commit ---- */

static void commit_makes_the_end_the_next_start(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 1.1e-3, kit_impulse_def());
    must(predict(&kit));
    mus_solver *s = &kit.solver;
    must(mus_solver_detect(s, &s->candidates));
    mus_object *plane = &kit.a->objects[1];
    plane->pose1.position[0] = 0.25, plane->normal1 = v3_make(0.6, 0.8, 0), plane->point1 = v3_make(1, 2, 3);
    v3 x1[3], v1[3];
    memcpy(x1, kit.a->x1, sizeof x1), memcpy(v1, kit.a->v1, sizeof v1);
    must(mus_solver_accept_attempt(s, NULL));
    assert_memory_equal(kit.a->x0, x1, sizeof x1);
    assert_memory_equal(kit.a->v0, v1, sizeof v1);
    near(kit.a->objects[0].previous_dt, dt, 0, "length of the last step");
    near(plane->pose0.position[0], 0.25, 0, "pose of the plane");
    near_vector(plane->normal0, v3_make(0.6, 0.8, 0), 0, "normal of the plane");
    near_vector(plane->point0, v3_make(1, 2, 3), 0, "point of the plane");
    assert_int_equal(s->committed, -1); /* the step may still be undone */
    assert_true(s->current >= 0);
    mus_solver_commit(s);
    assert_int_equal(s->committed, s->current);
    kit_end(&kit);
}

/* Attempts of a step write to lists other than that of the last committed step. */
static void attempts_leave_the_committed_lists(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 0.6e-3, kit_impulse_def());
    must(mus_solver_step(&kit.solver, &kit.input, &kit.stats));
    mus_solver_commit(&kit.solver);
    int committed = kit.solver.committed;
    mus_warm_start before = kit.solver.warm_starts[committed].data[0];
    int64_t count = kit.solver.warm_starts[committed].count;
    assert_true(count == 3 && before.plane);
    for (int attempt = 0; attempt < 5; attempt++) {
        must(mus_solver_step(&kit.solver, &kit.input, &kit.stats));
        for (int substep = 0; substep < 2; substep++) { /* as further substeps of the step */
            kit.solver.stats = &kit.stats;
            must(kit.solver.def.family->attempt(&kit.solver, &kit.input, 0, dt));
            assert_true(kit.solver.current != committed && kit.solver.committed == committed);
        }
        assert_int_equal(kit.solver.warm_starts[committed].count, count);
        assert_memory_equal(&kit.solver.warm_starts[committed].data[0], &before, sizeof before);
    }
    kit_end(&kit);
}

static mus_status move_through(void *context, mus_assembly *a, double t) {
    (void)context;
    a->x1[0] = v3_axpy(-t / dt, v3_make(0, 0.02, 0), v3_make(0, 0.01, 0)); /* fixed vertex, through a fixed face */
    return MUS_STATUS_OK;
}

static void failed_step_leaves_its_start(void **state) {
    (void)state;
    for (int family = 0; family < 2; family++) {
        solve_kit kit = {0};
        kit_add_face(&kit, v3_make(0, 0.01, 0), v3_make(0.1, 0.2, 0), v3_make(0, 0.2, 0.1), surface);
        kit_add_face(&kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
        kit_begin(&kit, family ? kit_potential_def(&mus_minimizer_newton) : kit_impulse_def());
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3; i++)
                if (k || i == 0) kit.cloths[k]->inverse_mass[i] = 0, kit_set_mass(&kit, 3 * k + i, 0);
        kit.input.place_kinematic = move_through;
        for (int i = 0; i < 6; i++) kit.a->v0[i] = v3_make(0, 0.01 * i, 0);
        kit.a->objects[0].previous_dt = 0.02;
        v3 x0[6], v0[6];
        memcpy(x0, kit.a->x0, sizeof x0), memcpy(v0, kit.a->v0, sizeof v0);
        /* half of the step is safe, the second is not: x0 is then that of the middle, as the caller restores it */
        mus_family one_attempt = *kit.solver.def.family;
        kit.solver.stats = &kit.stats;
        must_be(MUS_STATUS_NO_SAFE_STEP, one_attempt.attempt(&kit.solver, &kit.input, 0, dt));
        assert_memory_equal(kit.a->x0, x0, sizeof x0);
        assert_memory_equal(kit.a->v0, v0, sizeof v0);
        near(kit.a->objects[0].previous_dt, 0.02, 0, "length of the last step");
        assert_int_equal(kit.solver.current, -1);
        kit_end(&kit);
    }
}

static bool always(void *context) {
    (void)context;
    return true;
}

static void cancelled_step_reports_it(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 1, kit_impulse_def());
    kit.input.cancelled = always;
    must_be(MUS_STATUS_CANCELLED, mus_solver_step(&kit.solver, &kit.input, &kit.stats));
    kit_end(&kit);
}

/* A face on a plane under its weight, over many steps: it comes to rest in every family, and the plane carries it. */
static void face_comes_to_rest_on_a_plane(void **state) {
    (void)state;
    for (int family = 0; family < 2; family++) {
        solve_kit kit = {0};
        begin_face(&kit, 0.5e-3, family ? kit_potential_def(&mus_minimizer_newton) : kit_impulse_def());
        kit.a->objects[0].previous_dt = dt;
        double force = 0, weight = 0;
        for (int i = 0; i < 3; i++) weight += g / kit.a->inverse_mass[i];
        for (int step = 0; step < 60; step++) {
            must(mus_solver_step(&kit.solver, &kit.input, &kit.stats));
            mus_solver_commit(&kit.solver);
        }
        for (int64_t k = 0; k < kit.solver.constraints.count; k++)
            force += kit.solver.constraints.data[k].normal_impulse / (dt * dt);
        near(force / weight, 1, 2e-3, "force of the plane by the weight");
        for (int i = 0; i < 3; i++) {
            assert_true(kit.a->x0[i].y > 0.05e-3 && kit.a->x0[i].y < 0.51e-3);
            near(v3_length(kit.a->v0[i]), 0, 1e-3, "velocity");
        }
        kit_end(&kit);
    }
}

/* ---- coefficients and responses of pairs ---- */

static void set_coefficients(solve_kit *kit, const mus_pair_coefficient *all, int32_t count) {
    mus_coefficients *c = &kit->solver.coefficients;
    size_t n = (size_t)kit->a->object_count, entries = MUS_COEFFICIENT_COUNT * n * n;
    c->all = all, c->count = count;
    c->of = mus_new(sizeof *c->of * entries);
    for (size_t k = 0; k < entries; k++) c->of[k] = -1;
    for (int32_t k = 0; k < count; k++) {
        size_t table = (size_t)all[k].which * n * n;
        c->of[table + 1] = c->of[table + n] = (int16_t)k; /* the face and the plane */
    }
    mus_coefficients_ready(c, (int32_t)n);
}

static mus_contact_constraint *plane_contact(solve_kit *kit) {
    kit->solver.dt = dt;
    mus_contact_constraint *constraint = kit_build_contacts(kit, dt, 0.5)->data;
    mus_solver_choose_response(&kit->solver, constraint);
    return constraint;
}

static void number_for_a_pair_replaces_that_of_its_materials(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 0.5e-3, kit_impulse_def());
    const mus_pair_coefficient all[2] = {
        {.which = MUS_COEFFICIENT_FRICTION, .law = mus_law_of_value(0.77), .a = "cloth1"},
        {.which = MUS_COEFFICIENT_RESTITUTION, .law = mus_law_of_value(0.2), .a = "cloth1"}};
    set_coefficients(&kit, all, 2);
    mus_contact_constraint *constraint = plane_contact(&kit);
    near(constraint->friction, 0.77, 0, "friction");
    near(constraint->restitution, 0.2, 0, "restitution");
    kit.solver.coefficients.of[1] = -1; /* of the pair: by the materials again */
    near(plane_contact(&kit)->friction, 0.3, 1e-15, "friction by materials");
    kit_end(&kit);
}

static double law_value;

static mus_status speed_law(void *user, const mus_contact *contact, const mus_contact_surface *cloth, double *value) {
    (void)user, (void)cloth;
    *value = isnan(law_value) ? fabs(contact->velocity[0]) : law_value;
    return MUS_STATUS_OK;
}

static void function_for_a_pair_reads_the_velocity_at_the_start(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 0.5e-3, kit_impulse_def());
    const mus_pair_coefficient all[1] = {{.which = MUS_COEFFICIENT_FRICTION,
                                          .law = mus_law_of_coefficient(speed_law, NULL),
                                          .a = "cloth1",
                                          .b = "obstacle1"}};
    set_coefficients(&kit, all, 1);
    for (int i = 0; i < 3; i++) {
        kit.a->v0[i] = v3_make(0.6, 0, 0);
        kit.a->x1[i] = v3_axpy(dt, v3_make(5, 0, 0), kit.a->x0[i]); /* dynamics has changed it since */
    }
    law_value = NAN;
    mus_contact_constraint *constraint = plane_contact(&kit);
    must(mus_coefficients_evaluate(&kit.solver, constraint, 1));
    near(constraint->friction, 0.6, 1e-9, "friction");
    law_value = -0.1;
    must_be(MUS_STATUS_INVALID, mus_coefficients_evaluate(&kit.solver, constraint, 1));
    assert_non_null(strstr(mus_get_error_message(), "'cloth1' and 'obstacle1'"));
    kit_end(&kit);
}

static void coefficient_of_a_response_precedes_that_of_the_pair(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_face(&kit, 0.5e-3, kit_impulse_def());
    const mus_pair_coefficient all[1] = {
        {.which = MUS_COEFFICIENT_FRICTION, .law = mus_law_of_value(0.77), .a = "cloth1"}};
    set_coefficients(&kit, all, 1);
    const mus_solver_response response = {.friction = 0.11, .restitution = -1};
    kit.solver.responses = &response;
    kit.solver.response_of[1] = kit.solver.response_of[2] = 0;
    mus_contact_constraint *constraint = plane_contact(&kit);
    near(constraint->friction, 0.11, 0, "friction");
    near(constraint->restitution, 0, 0, "restitution");
    assert_int_equal(constraint->response, -1); /* without a rule of its own, the pipeline's applies */
    kit_end(&kit);
}

static mus_status separate_pair(void *user, const mus_contact *contact, double impulse[2][3]) {
    for (int k = 0; k < 3; k++) impulse[0][k] = *(const double *)user * contact->normal[k];
    return MUS_STATUS_OK;
}

/* An impulse on side 1 (N s) moves it, and its opposite side 2, over the step. */
static void rule_moves_both_sides_by_its_impulse(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 0.8e-3, 0), v3_make(0.1, 0.2, 0), v3_make(0, 0.2, 0.1), surface);
    kit_add_face(&kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
    kit_begin(&kit, kit_impulse_def());
    kit_set_all_masses(&kit, 2e-3);
    kit_add_pair(&kit, 0, 3, 4, 5, false);
    double impulse = 3e-4;
    const mus_solver_response response = {
        .rule = mus_law_of_rule(separate_pair, &impulse), .friction = -1, .restitution = -1};
    kit.solver.responses = &response;
    for (int k = 0; k < 4; k++) kit.solver.response_of[k] = 0;
    v3 before[6];
    memcpy(before, kit.a->x1, sizeof before);
    mus_contact_constraint *constraint = plane_contact(&kit);
    assert_int_equal(constraint->response, 0);
    must(mus_solver_apply_rules(&kit.solver, &kit.solver.constraints, 0));
    near(fabs(kit.a->x1[0].y - before[0].y), impulse * dt / 2e-3, 1e-15, "motion of the vertex");
    near(v3_length(kit_momentum(&kit, before)) / (impulse * dt), 0, 1e-12, "momentum");
    impulse = NAN;
    must_be(MUS_STATUS_INVALID, mus_solver_apply_rules(&kit.solver, &kit.solver.constraints, 0));
    kit_end(&kit);
}

/* ---- tolerance ---- */

static void tolerance_is_the_least_or_that_of_a_pixel_up_to_the_thickness(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 0.02, 0), v3_make(0.1, 0.2, 0), v3_make(0, 0.2, 0.1), surface);
    kit_add_face(&kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
    kit_begin(&kit, kit_impulse_def());
    mus_candidate_pair c = kit_pair(&kit, 0, 3, 4, 5, false);
    mus_tolerances *t = &kit.solver.tolerance;
    const mus_tolerance given[] = {{0},
                                   {.least = 2e-4},
                                   {.least = 5e-3},
                                   {.least = 2e-4, .eye = {0, 0.02, 2}, .pixel = 3e-4},
                                   {.least = 2e-4, .eye = {0, 0.02, 0.1}, .pixel = 3e-4}};
    const double wanted[] = {1e-3, 2e-4, 1e-3, 6e-4, 2e-4};
    for (int k = 0; k < 5; k++) {
        must(mus_tolerances_begin(t, &given[k], kit.a, 0));
        near(mus_tolerances_distance(t, kit.a, &c), wanted[k], 1e-15, "distance that counts as a collision");
    }
    kit_end(&kit);
}

/* ---- seam groups ---- */

static void add_seam(solve_kit *kit, int one, int other) {
    mus_seam *seam;
    must(mus_seam_new(1, &seam));
    seam->cloth[0] = kit->cloths[one], seam->cloth[1] = kit->cloths[other];
    seam->stiffness = 100, seam->strength = 1e6;
    seam->stitches[0] = (mus_stitch){.vertex = 0, .onto = {1, 1}};
    kit->seams[kit->seam_count++] = seam;
}

/* Groups are of consecutive cloths: one between two that are sewn is solved with them. */
static void sewn_cloths_and_those_between_form_a_group(void **state) {
    (void)state;
    solve_kit kit = {0};
    for (int k = 0; k < 7; k++)
        kit_add_face(&kit, v3_make(k, 0, 0), v3_make(k + 0.1, 0, 0), v3_make(k, 0, 0.1), surface);
    add_seam(&kit, 3, 1), add_seam(&kit, 5, 6);
    kit_begin(&kit, kit_impulse_def());
    mus_solver *s = &kit.solver;
    const int32_t first[] = {-1, 1, -1, -1, -1, 5, -1}, count[] = {0, 3, 0, 0, 0, 2, 0};
    assert_int_equal(s->seam_group_count, 2);
    for (int32_t k = 0; k < 7; k++) {
        const mus_seam_group *group = mus_solver_seam_group_at(s, k);
        assert_int_equal(group ? group->first_cloth : -1, first[k]);
        if (group) assert_int_equal(group->member_count, count[k]);
        bool alone = k == 0 || k == 4;
        const mus_block_matrix *own = &s->dynamics[k]->matrix, *m = mus_solver_matrix(s, k);
        assert_ptr_equal(m, alone ? own : group ? &group->matrix : NULL);
        if (m) assert_int_equal(m->n, alone ? 3 : 3 * count[k]);
    }
    const mus_seam_group *group = mus_solver_seam_group_at(s, 1);
    assert_int_equal(group->members[0].joined, group->members[2].joined);
    assert_true(group->members[1].joined != group->members[0].joined);
    kit_end(&kit);
}

static void contact_loads_are_of_implicit_steps_without_bodies(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        solve_kit kit = {0};
        mus_solver_def def = kit_impulse_def();
        if (k == 1) def.integrator = &mus_integrator_verlet;
        if (k == 2) kit_add_ball(&kit, v3_make(0, 1, 0), 0.1, 1, v3_make(0, 0, 0));
        begin_face(&kit, 1, k == 3 ? kit_potential_def(&mus_minimizer_newton) : def);
        assert_int_equal(mus_solver_uses_contact_loads(&kit.solver), k == 0);
        kit_end(&kit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_cloth_falls_by_the_leapfrog_rule),
        cmocka_unit_test(fixed_vertex_ends_where_it_is_placed),
        cmocka_unit_test(prediction_out_of_bounds_has_no_safe_step),
        cmocka_unit_test(failed_step_is_halved_until_it_is_safe),
        cmocka_unit_test(step_without_a_safe_sixty_fourth_fails),
        cmocka_unit_test(other_failures_are_not_tried_again),
        cmocka_unit_test(fast_obstacle_divides_the_step),
        cmocka_unit_test(obstacle_that_is_too_fast_has_no_safe_step),
        cmocka_unit_test(commit_makes_the_end_the_next_start),
        cmocka_unit_test(attempts_leave_the_committed_lists),
        cmocka_unit_test(failed_step_leaves_its_start),
        cmocka_unit_test(cancelled_step_reports_it),
        cmocka_unit_test(face_comes_to_rest_on_a_plane),
        cmocka_unit_test(number_for_a_pair_replaces_that_of_its_materials),
        cmocka_unit_test(function_for_a_pair_reads_the_velocity_at_the_start),
        cmocka_unit_test(coefficient_of_a_response_precedes_that_of_the_pair),
        cmocka_unit_test(rule_moves_both_sides_by_its_impulse),
        cmocka_unit_test(tolerance_is_the_least_or_that_of_a_pixel_up_to_the_thickness),
        cmocka_unit_test(sewn_cloths_and_those_between_form_a_group),
        cmocka_unit_test(contact_loads_are_of_implicit_steps_without_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
