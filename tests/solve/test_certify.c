/* test_certify.c: truncation of moves against closed forms, and certified steps: no pair comes nearer than its share of
 * the gap at the start, at any time. */
#include "solve_kit.h"

static const kit_surface surface = {.thickness = 1e-3};
static const double dt = 0.01, thickness = 1e-3;

/* Vertex 0 of the first cloth at `height` above the face 3 4 5 of the second. */
static mus_candidate_pair begin_vertex_face(solve_kit *kit, double height) {
    kit_add_face(kit, v3_make(0, height, 0), v3_make(0.1, 0.2, 0), v3_make(0, 0.2, 0.1), surface);
    kit_add_face(kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
    kit_begin(kit, kit_potential_def(&mus_minimizer_newton));
    return kit_pair(kit, 0, 3, 4, 5, false);
}

static void lift_face(solve_kit *kit, double by) {
    for (int i = 3; i < 6; i++) kit->a->x1[i].y += by;
}

/* Moves end at 85 % of the way to a plane, which divides the gap by the moves of both sides. */
static void planar_cut_divides_the_gap_by_the_moves(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double height = 0.02, gap = 1e-3;
    mus_candidate_pair c = begin_vertex_face(&kit, height);
    v3 end[4];
    kit.a->x1[0].y -= 0.03;
    lift_face(&kit, 0.01);
    assert_true(mus_truncation_planar.cut(kit.a, &c, gap, end));
    double plane = gap / 2 + 0.25 * (height - gap); /* the face makes a quarter of the motion */
    near(end[0].y, height - 0.85 * (height - plane - gap / 2), 1e-15, "end of the vertex");
    for (int k = 1; k < 4; k++) near(end[k].y, 0.85 * (plane - gap / 2), 1e-15, "end of a corner");
    kit_end(&kit);
}

static void planar_cut_of_one_moving_side_gives_it_most_of_the_gap(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double height = 0.02, gap = 1e-3;
    mus_candidate_pair c = begin_vertex_face(&kit, height);
    v3 end[4];
    kit.a->x1[0] = v3_make(0.01, -0.03, 0.02);
    assert_true(mus_truncation_planar.cut(kit.a, &c, gap, end));
    double plane = gap / 2 + 0.05 * (height - gap), share = 0.85 * (height - plane - gap / 2) / 0.05;
    near_vector(end[0], v3_lerp(kit.a->x0[0], kit.a->x1[0], share), 1e-15, "end on the vertex' own line");
    for (int k = 1; k < 4; k++) near_vector(end[k], kit.a->x1[2 + k], 0, "a corner that stands");
    kit_end(&kit);
}

static void short_moves_are_not_cut(void **state) {
    (void)state;
    const mus_truncation *all[] = {&mus_truncation_planar, &mus_truncation_isotropic};
    for (int t = 0; t < 2; t++) {
        solve_kit kit = {0};
        mus_candidate_pair c = begin_vertex_face(&kit, 0.02);
        v3 end[4];
        kit.a->x1[0] = v3_make(2e-3, 0.015, -1e-3);
        lift_face(&kit, 4e-3);
        assert_true(all[t]->cut(kit.a, &c, 1e-3, end));
        for (int k = 0; k < 4; k++) near_vector(end[k], kit.a->x1[c.vertex[k]], 0, "end");
        kit_end(&kit);
    }
}

static void isotropic_cut_ends_within_a_ball_of_its_bound(void **state) {
    (void)state;
    solve_kit kit = {0};
    const double height = 0.02, gap = 1e-3, bound = 0.45 * (height - gap);
    mus_candidate_pair c = begin_vertex_face(&kit, height);
    v3 end[4];
    kit.a->x1[0] = v3_make(0.03, height, 0.04); /* along the face: the ball is the same in all directions */
    lift_face(&kit, 0.5 * bound);
    assert_true(mus_truncation_isotropic.cut(kit.a, &c, gap, end));
    near_vector(end[0], v3_make(0.6 * bound, height, 0.8 * bound), 1e-15, "end of the vertex");
    for (int k = 1; k < 4; k++) near_vector(end[k], kit.a->x1[2 + k], 0, "a corner within its ball");
    kit_end(&kit);
}

/* Each side keeps to its half space, so that shorter moves, each by its own share, are safe too; cut moves are
 * certified, the moves before were not. */
static void cut_moves_keep_the_gap_however_much_shorter(void **state) {
    (void)state;
    const mus_truncation *all[] = {&mus_truncation_planar, &mus_truncation_isotropic};
    mus_rng rng = mus_rng_make(4, 0);
    int crossing = 0;
    for (int round = 0; round < 200; round++) {
        solve_kit kit = {0};
        mus_candidate_pair c = begin_vertex_face(&kit, 0.02);
        if (round % 2) /* an edge of each */
            c = kit_pair(&kit, 0, 1, 3, 4, true);
        const double gap = 0.05 * (double)c.gap0;
        v3 cut[4];
        for (int k = 0; k < 4; k++)
            kit.a->x1[c.vertex[k]] = v3_axpy(0.05, random_direction(&rng), kit.a->x0[c.vertex[k]]);
        bool before = mus_truncation_certified(kit.a, &c, 0);
        crossing += !before;
        assert_true(all[round / 2 % 2]->cut(kit.a, &c, gap, cut));
        for (int shorter = 0; shorter < 4; shorter++) {
            for (int k = 0; k < 4; k++) {
                double share = shorter ? mus_rng_between(&rng, 0, 1) : 1;
                kit.a->x1[c.vertex[k]] = v3_lerp(kit.a->x0[c.vertex[k]], cut[k], share);
            }
            assert_true(mus_truncation_certified(kit.a, &c, gap));
            for (int t = 0; t <= 10; t++) assert_true(kit_distance_at(&kit, &c, t / 10.0) > gap);
        }
        kit_end(&kit);
    }
    assert_true(crossing > 50);
}

static void fixed_side_that_comes_too_near_cannot_be_cut(void **state) {
    (void)state;
    const mus_truncation *all[] = {&mus_truncation_planar, &mus_truncation_isotropic};
    for (int t = 0; t < 2; t++) {
        solve_kit kit = {0};
        const double height = 0.02, gap = 1e-3;
        mus_candidate_pair c = begin_vertex_face(&kit, height);
        v3 end[4];
        for (int i = 3; i < 6; i++) kit_set_mass(&kit, i, 0);
        lift_face(&kit, height - 0.9 * gap);
        assert_false(all[t]->cut(kit.a, &c, gap, end));
        lift_face(&kit, -0.2 * gap); /* a tenth of it is left to the vertex */
        kit.a->x1[0].y -= 0.01;
        assert_true(all[t]->cut(kit.a, &c, gap, end));
        for (int k = 1; k < 4; k++) near_vector(end[k], kit.a->x1[2 + k], 0, "a prescribed corner");
        assert_true(end[0].y > height - 0.1 * gap && end[0].y < height);
        kit_end(&kit);
    }
}

static void certified_gap_is_a_tenth_of_the_thickness_or_half_of_the_gap(void **state) {
    (void)state;
    mus_candidate_pair c = {.gap0 = 1.0F};
    near(mus_certified_gap(&c, 2e-3), 2e-4, 1e-15, "of a far pair");
    c.gap0 = 2e-4F;
    near(mus_certified_gap(&c, 2e-3), 0.5 * (double)c.gap0, 1e-15, "of a near pair");
    c.gap0 = -1e-5F;
    near(mus_certified_gap(&c, 2e-3), 0, 0, "of a pair that starts in contact");
}

/* ---- a whole step ---- */

static void begin_sheets(solve_kit *kit, const mus_truncation *truncation, int layers, double apart) {
    mus_rng rng = mus_rng_make(5, 0);
    for (int k = 0; k < layers; k++) {
        mus_mesh *mesh = grid_mesh(5, 5, 0.1, 0.1, "xz", v3_make(0.01 * k, apart * k, 0));
        double *x = mus_mesh_get_vertices(mesh);
        for (int i = 0; i < 3 * 25; i++) x[i] += mus_rng_between(&rng, -5e-4, 5e-4);
        kit_add_mesh(kit, mesh, NULL, surface);
    }
    mus_solver_def def = kit_potential_def(&mus_minimizer_newton);
    def.truncation = truncation;
    kit_begin(kit, def);
    for (int k = 1; k < layers; k++)
        for (int below = 0; below < k; below++) kit_all_pairs(kit, below, k);
    must(mus_solver_ensure_broad_phase(&kit->solver));
    kit->solver.dt = dt;
}

/* Sheets that would pass through each other: the lower half moves up, the upper half down. */
static mus_status certify_crossing(solve_kit *kit, mus_rng *rng, double speed) {
    for (int32_t i = 0; i < kit->a->cloth_vertex_count; i++) {
        v3 by = v3_axpy(speed / 4, random_direction(rng),
                        v3_make(0, i < kit->a->cloth_vertex_count / 2 ? speed : -speed, 0));
        kit->a->x1[i] = v3_add(kit->a->x0[i], by);
    }
    must(mus_solver_detect(&kit->solver, &kit->solver.candidates));
    return mus_solver_certify(&kit->solver, &kit->input, &kit->solver.candidates);
}

static void certified_step_keeps_every_gap_at_all_times(void **state) {
    (void)state;
    const mus_truncation *all[] = {&mus_truncation_planar, &mus_truncation_isotropic};
    for (int t = 0; t < 2; t++) {
        solve_kit kit = {0};
        mus_rng rng = mus_rng_make(6, (uint64_t)t);
        begin_sheets(&kit, all[t], 4, 2e-3);
        must(certify_crossing(&kit, &rng, 12e-3));
        assert_true(kit.stats.ccd_hits > 20);
        for (int64_t k = 0; k < kit.pairs.count; k++) {
            double toi, gap = mus_certified_gap(&kit.pairs.data[k], thickness);
            assert_false(mus_solver_comes_near(&kit.solver, &kit.pairs.data[k], 0.99 * gap, 1e-3 * gap, &toi));
        }
        kit_end(&kit);
    }
}

static void first_passes_conserve_momentum(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_rng rng = mus_rng_make(7, 0);
    begin_sheets(&kit, &mus_truncation_planar, 2, 2e-3);
    v3 before[50];
    for (int32_t i = 0; i < 50; i++) before[i] = kit.a->x0[i];
    kit.a->x1[12].y += 2.5e-3; /* one vertex through the other sheet: impulses alone resolve it */
    for (int32_t i = 0; i < 50; i++) before[i] = kit.a->x1[i];
    must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
    must(mus_solver_certify(&kit.solver, &kit.input, &kit.solver.candidates));
    (void)rng;
    assert_true(kit.stats.ccd_hits > 0 && kit.stats.ccd_passes < 12);
    v3 moved = v3_sub(kit.a->x1[12], before[12]);
    assert_true(v3_length(moved) > 1e-4);
    near(v3_length(kit_momentum(&kit, before)) * kit.a->inverse_mass[12] / v3_length(moved), 0, 1e-12, "momentum");
    kit_end(&kit);
}

static void vertices_below_a_plane_are_moved_above_it(void **state) {
    (void)state;
    solve_kit kit = {0};
    kit_add_face(&kit, v3_make(0, 2e-3, 0), v3_make(0.1, 8e-5, 0), v3_make(0, 0.1, 0.1), surface);
    kit_add_plane(&kit, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    kit_begin(&kit, kit_potential_def(&mus_minimizer_newton));
    must(mus_solver_ensure_broad_phase(&kit.solver));
    kit.a->x1[0].y = -1e-3, kit.a->x1[1].y = -1e-3;
    must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
    must(mus_solver_certify(&kit.solver, &kit.input, &kit.solver.candidates));
    near(kit.a->x1[0].y, 1.01 * 0.1 * 0.5e-3, 1e-15, "a tenth of the thickness");
    near(kit.a->x1[1].y, 1.01 * 0.5 * 8e-5, 1e-15, "half of the gap at the start");
    near(kit.a->x1[2].y, 0.1, 0, "a vertex above the plane");
    kit_end(&kit);
}

static void pinched_vertex_has_no_safe_step(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_vertex_face(&kit, 0.02);
    must(mus_solver_ensure_broad_phase(&kit.solver));
    for (int i = 0; i < 6; i++) kit_set_mass(&kit, i, 0);
    kit.a->x1[0].y = -0.02;
    must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
    kit.solver.dt = dt;
    must_be(MUS_STATUS_NO_SAFE_STEP, mus_solver_certify(&kit.solver, &kit.input, &kit.solver.candidates));
    assert_true(kit.stats.ccd_passes < 20); /* the first cut that is impossible ends the step */
    assert_non_null(strstr(mus_get_error_message(), "vertex 1 of cloth 'cloth1'"));
    assert_non_null(strstr(mus_get_error_message(), "of cloth 'cloth2'"));
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_cut_divides_the_gap_by_the_moves),
        cmocka_unit_test(planar_cut_of_one_moving_side_gives_it_most_of_the_gap),
        cmocka_unit_test(short_moves_are_not_cut),
        cmocka_unit_test(isotropic_cut_ends_within_a_ball_of_its_bound),
        cmocka_unit_test(cut_moves_keep_the_gap_however_much_shorter),
        cmocka_unit_test(fixed_side_that_comes_too_near_cannot_be_cut),
        cmocka_unit_test(certified_gap_is_a_tenth_of_the_thickness_or_half_of_the_gap),
        cmocka_unit_test(certified_step_keeps_every_gap_at_all_times),
        cmocka_unit_test(first_passes_conserve_momentum),
        cmocka_unit_test(vertices_below_a_plane_are_moved_above_it),
        cmocka_unit_test(pinched_vertex_has_no_safe_step),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
