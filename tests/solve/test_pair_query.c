/* test_pair_query.c: candidate pairs of a step against brute force over all features; the neighbor list against
 * detection without it; motion bounds and skin_radius radii; continuous detection of one pair. */
#include "solve_kit.h"

static const double thickness = 4e-3, dt = 0.01;

/* m: of 72 vertices, 0.2 to 1.1 times `thickness`. */
static const double *map_of_thickness(void) {
    static double map[72];
    mus_rng rng = mus_rng_make(4, 0);
    for (int i = 0; i < 72; i++) map[i] = mus_rng_between(&rng, 0.2 * thickness, 1.1 * thickness);
    return map;
}

/* m: of a pair of the two sheets: of each side the mean over its vertices. */
static double thickness_of(const mus_candidate_pair *c, bool varies) {
    const double *map = map_of_thickness();
    const int32_t *v = c->vertex;
    if (!varies) return thickness;
    if (c->edge_edge) return (map[v[0]] + map[v[1]] + map[v[2]] + map[v[3]]) / 4;
    return map[v[0]] / 2 + (map[v[1]] + map[v[2]] + map[v[3]]) / 6;
}

/* Two crumpled sheets with 6 x 6 vertices, 6 mm apart, and a ball beside them. */
static void begin_varied_sheets(solve_kit *kit, mus_solver_def def, bool varies) {
    mus_rng rng = mus_rng_make(5, 0);
    for (int k = 0; k < 2; k++) {
        const kit_surface surface = {.thickness = thickness,
                                     .thicknesses = varies ? map_of_thickness() + 36 * k : NULL};
        mus_mesh *mesh = grid_mesh(6, 6, 0.1, 0.1, "xz", v3_make(0.01 * k, 6e-3 * k, 0));
        double *x = mus_mesh_get_vertices(mesh);
        for (int i = 0; i < 3 * 36; i++) x[i] += mus_rng_between(&rng, -2e-3, 2e-3);
        kit_add_mesh(kit, mesh, NULL, surface);
    }
    kit_add_ball(kit, v3_make(0.08, 0.02, 0), 0.02, 0, v3_make(0, 0, 0));
    kit_begin(kit, def);
    must(mus_solver_ensure_broad_phase(&kit->solver));
}

static void begin_sheets(solve_kit *kit, mus_solver_def def) {
    begin_varied_sheets(kit, def, false);
}

/* Ends of all cloth vertices at random distances up to `size` along each axis. */
static void move_randomly(solve_kit *kit, mus_rng *rng, double size) {
    for (int32_t i = 0; i < kit->a->cloth_vertex_count; i++) {
        double x = mus_rng_between(rng, -size, size), y = mus_rng_between(rng, -size, size);
        kit->a->x1[i] = v3_add(kit->a->x0[i], v3_make(x, y, mus_rng_between(rng, -size, size)));
    }
}

/* Vertices in an order that does not depend on which side comes first, and where an edge or face begins. */
static void normalize_pair(const mus_candidate_pair *c, int32_t v[4]) {
    memcpy(v, c->vertex, sizeof c->vertex);
    for (int pass = 0; pass < 3; pass++)
        for (int k = 0; k < 3; k++) {
            bool swaps = c->edge_edge ? k != 1 : k > 0;
            if (swaps && v[k] > v[k + 1]) {
                int32_t low = v[k + 1];
                v[k + 1] = v[k], v[k] = low;
            }
        }
    if (!c->edge_edge || v[0] < v[2]) return;
    int32_t first[2] = {v[0], v[1]};
    v[0] = v[2], v[1] = v[3], v[2] = first[0], v[3] = first[1];
}

static int compare_pairs(const void *p, const void *q) {
    const mus_candidate_pair *a = p, *b = q;
    if (a->edge_edge != b->edge_edge) return a->edge_edge - b->edge_edge;
    int32_t v[4], w[4];
    normalize_pair(a, v), normalize_pair(b, w);
    for (int k = 0; k < 4; k++)
        if (v[k] != w[k]) return v[k] < w[k] ? -1 : 1;
    return 0;
}

static bool contains(const mus_candidate_pair_list *list, const mus_candidate_pair *c) {
    for (int64_t k = 0; k < list->count; k++)
        if (compare_pairs(&list->data[k], c) == 0) return true;
    return false;
}

static void detect(solve_kit *kit, bool with_neighbor_list) {
    if (!with_neighbor_list) kit->solver.neighbor_list.rebuild_delay = 1000;
    must(mus_solver_detect(&kit->solver, &kit->solver.candidates));
}

static double distance_at(const solve_kit *kit, const mus_candidate_pair *c, double share) {
    v3 x[4], d;
    mus_candidate_pair local = {.vertex = {0, 1, 2, 3}, .edge_edge = c->edge_edge};
    double weight[4];
    for (int k = 0; k < 4; k++) x[k] = v3_lerp(kit->a->x0[c->vertex[k]], kit->a->x1[c->vertex[k]], share);
    return mus_candidate_pair_nearest(&local, x, &d, weight);
}

static void every_pair_that_may_touch_is_a_candidate(void **state) {
    (void)state;
    for (int n = 0; n < 4; n++) {
        bool family = n & 1, varies = n & 2;
        solve_kit kit = {0};
        mus_rng rng = mus_rng_make(6, (uint64_t)family);
        begin_varied_sheets(&kit, family ? kit_potential_def(&mus_minimizer_newton) : kit_impulse_def(), varies);
        kit_all_pairs(&kit, 0, 1);
        mus_candidate_pair_list *list = &kit.solver.candidates;
        int wanted = 0, passing = 0;
        for (int round = 0; round < 6; round++) {
            move_randomly(&kit, &rng, 8e-3);
            must(mus_solver_detect(&kit.solver, list));
            for (int64_t k = 0; k < kit.pairs.count; k++) {
                const mus_candidate_pair *c = &kit.pairs.data[k];
                double range = MUS_CONTACT_RANGE * thickness_of(c, varies), start = distance_at(&kit, c, 0);
                /* the sides may end this much nearer, each by the motion bound */
                bool near_end = distance_at(&kit, c, 1) <= range, touches = false;
                for (int t = 1; t < 8; t++)
                    touches |= distance_at(&kit, c, t / 8.0) <= 2 * t / 8.0 * kit.solver.motion_bound;
                if (!near_end && !touches && !(family && start <= range)) continue;
                wanted++, passing += !near_end;
                if (!contains(list, c))
                    fail_msg("%s pair %d %d %d %d is lost", c->edge_edge ? "edge-edge" : "vertex-face", c->vertex[0],
                             c->vertex[1], c->vertex[2], c->vertex[3]);
            }
        }
        print_message("# %d pairs, %d of them pass by\n", wanted, passing);
        assert_true(wanted > 500 && passing > 10);
        kit_end(&kit);
    }
}

/* Beyond the thin corner of a face, within range by its mean thickness but not by the corner's own. */
static void face_is_as_thick_at_a_thin_corner(void **state) {
    (void)state;
    for (int potential = 0; potential < 2; potential++) {
        solve_kit kit = {0};
        const double thick[3] = {0.1e-3, 8e-3, 8e-3}, thin[3] = {0.1e-3, 0.1e-3, 0.1e-3};
        kit_add_face(&kit, v3_make(0, 0, 0), v3_make(5e-3, 0, 3e-3), v3_make(5e-3, 0, -3e-3),
                     (kit_surface){.thicknesses = thick});
        kit_add_face(&kit, v3_make(-3e-3, 0, 0), v3_make(-9e-3, 0, 0), v3_make(-9e-3, 6e-3, 0),
                     (kit_surface){.thicknesses = thin});
        kit_begin(&kit, potential ? kit_potential_def(&mus_minimizer_newton) : kit_impulse_def());
        must(mus_solver_ensure_broad_phase(&kit.solver));
        near(kit.solver.motion_bound, 0.2 * (2 * sqrt(34) + 6) / 3 * 1e-3, 1e-6,
             "motion bound, less than the thickness");
        mus_candidate_pair c = kit_pair(&kit, 3, 0, 1, 2, false);
        detect(&kit, false);
        assert_true(contains(&kit.solver.candidates, &c));
        kit_end(&kit);
    }
}

static void far_pairs_are_no_candidates(void **state) {
    (void)state;
    solve_kit kit = {0};
    for (int varies = 0; varies < 2; varies++) {
        begin_varied_sheets(&kit, kit_impulse_def(), varies);
        must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
        assert_true(kit.solver.candidates.count > 20);
        for (int64_t k = 0; k < kit.solver.candidates.count; k++) {
            const mus_candidate_pair *c = &kit.solver.candidates.data[k];
            bool sheets = c->vertex[0] < 72 && c->vertex[3] < 72;
            /* both sides may come this much nearer */
            double range = fmax(MUS_CONTACT_RANGE * (sheets ? thickness_of(c, varies) : (varies ? 1.1 : 1) * thickness),
                                MUS_MOTION_BOUND_APPROACH * kit.solver.motion_bound);
            double distance = distance_at(&kit, c, 1) - mus_candidate_pair_radius(kit.a, c);
            assert_true(distance <= range + 1e-6);
            near((double)c->gap0, fmax(0, distance), 1e-7, "gap at the start");
        }
        kit_end(&kit);
    }
}

static void sort_pairs(mus_candidate_pair_list *list) {
    if (list->count) qsort(list->data, (size_t)list->count, sizeof *list->data, compare_pairs);
}

static void require_same_pairs(const mus_candidate_pair_list *p, const mus_candidate_pair_list *q) {
    assert_int_equal(p->count, q->count);
    for (int64_t k = 0; k < p->count; k++) assert_int_equal(compare_pairs(&p->data[k], &q->data[k]), 0);
}

static void broad_phases_give_the_same_candidates(void **state) {
    (void)state;
    const mus_broad_phase *phases[] = {&mus_broad_box_tree, &mus_broad_hash_grid, &mus_broad_octree,
                                       &mus_broad_partition_tree, &mus_broad_quad_tree};
    for (int p = 0; p < 10; p++) {
        solve_kit brute = {0}, kit = {0};
        mus_solver_def def = kit_impulse_def();
        def.broad = phases[p % 5];
        begin_varied_sheets(&kit, def, p >= 5);
        def.broad = &mus_broad_brute;
        begin_varied_sheets(&brute, def, p >= 5);
        for (int round = 0; round < 3; round++) {
            mus_rng rng = mus_rng_make(7, (uint64_t)round), same = rng;
            move_randomly(&kit, &rng, 6e-3), move_randomly(&brute, &same, 6e-3);
            must(mus_solver_detect(&kit.solver, &kit.solver.candidates));
            must(mus_solver_detect(&brute.solver, &brute.solver.candidates));
            assert_true(brute.solver.candidates.count > 100);
            sort_pairs(&kit.solver.candidates), sort_pairs(&brute.solver.candidates);
            require_same_pairs(&kit.solver.candidates, &brute.solver.candidates);
        }
        kit_end(&kit), kit_end(&brute);
    }
}

/* ---- the neighbor list ---- */

static void require_list_like_broad_phase(bool varies) {
    solve_kit with = {0}, without = {0};
    begin_varied_sheets(&with, kit_impulse_def(), varies), begin_varied_sheets(&without, kit_impulse_def(), varies);
    mus_rng rng = mus_rng_make(8, 0);
    int served = 0, built = 0;
    for (int step = 0; step < 80; step++) {
        mus_rng same = rng;
        move_randomly(&with, &rng, 1e-4), move_randomly(&without, &same, 1e-4);
        for (int32_t i = 0; i < 36; i++) with.a->x1[i].y += 5e-5, without.a->x1[i].y += 5e-5;
        detect(&with, true), detect(&without, false);
        served += with.solver.neighbor_list.use_count > 0, built += with.solver.neighbor_list.use_count == 0;
        require_same_pairs(&with.solver.candidates, &without.solver.candidates);
        assert_false(without.solver.neighbor_list.is_valid);
        memcpy(with.a->x0, with.a->x1, sizeof(v3) * (size_t)with.a->vertex_count);
        memcpy(without.a->x0, without.a->x1, sizeof(v3) * (size_t)without.a->vertex_count);
    }
    print_message("# %d detections from %d lists, %lld candidate pairs\n", served, built,
                  (long long)with.solver.candidates.count);
    assert_true(served > 50 && built > 1 && with.solver.candidates.count > 50);
    kit_end(&with), kit_end(&without);
}

static void neighbor_list_gives_the_candidates_of_the_broad_phase(void **state) {
    (void)state;
    for (int varies = 0; varies < 2; varies++) require_list_like_broad_phase(varies);
}

/* Builds a list after a step in which vertex i has moved by `motion` along x. */
static void begin_with_list(solve_kit *kit, int32_t i, double motion) {
    begin_sheets(kit, kit_impulse_def());
    kit->a->x1[i].x += motion;
    detect(kit, true);
    assert_true(kit->solver.neighbor_list.is_valid && kit->solver.neighbor_list.use_count == 0);
    kit->a->x0[i] = kit->a->x1[i];
}

static void skin_radius_covers_steps_like_the_last(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_with_list(&kit, 3, 1.9e-4);
    const mus_neighbor_list *list = &kit.solver.neighbor_list;
    double bound = kit.solver.motion_bound;
    near(bound, 0.6 * thickness, 1e-12, "motion bound");
    assert_true(16 * 1.9e-4 > 1.2 * bound);
    near((double)list->skin_radius[3], 16 * 1.9e-4, 1e-9, "skin_radius radius of a vertex that moves");
    near((double)list->skin_radius[4], 1.2 * bound, 1e-9, "least skin_radius radius");
    near((double)list->skin_radius[72], 0, 0, "skin_radius radius of an obstacle that stands");
    kit_end(&kit);
}

static void list_is_valid_within_the_skin_radius_only(void **state) {
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        solve_kit kit = {0};
        begin_with_list(&kit, 3, 0);
        double skin_radius = (double)kit.solver.neighbor_list.skin_radius[40];
        bool is_valid = false;
        kit.a->x0[40].y += 0.6 * skin_radius; /* the way so far and that of the step add up */
        kit.a->x1[40] = kit.a->x0[40];
        kit.a->x1[40].z += (beyond ? 0.4005 : 0.3985) * skin_radius;
        must(mus_solver_update_neighbor_list(&kit.solver, &is_valid));
        assert_int_equal(kit.solver.neighbor_list.use_count, beyond ? 0 : 1);
        v3 built = kit.solver.neighbor_list.build_position[40];
        assert_int_equal(v3_length(v3_sub(built, kit.a->x1[40])) < 1e-12 || !is_valid, beyond);
        kit_end(&kit);
    }
}

/* A list is not built for a step in which a vertex moves further than a quarter of the largest skin_radius radius. */
static void fast_motion_has_no_list(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        solve_kit kit = {0};
        begin_sheets(&kit, kit_impulse_def());
        double bound = kit.solver.motion_bound;
        double largest = fmin(5 * bound, kit.solver.travel - 0.5 * MUS_MOTION_BOUND_APPROACH * bound);
        kit.a->x1[7].y += (fast ? 0.2505 : 0.2495) * largest;
        bool is_valid = false;
        must(mus_solver_update_neighbor_list(&kit.solver, &is_valid));
        assert_int_equal(is_valid, !fast);
        kit_end(&kit);
    }
}

/* ---- motion bounds ---- */

static void vertex_beyond_its_motion_bound_is_detected_again(void **state) {
    (void)state;
    solve_kit kit = {0}, fresh = {0};
    begin_sheets(&kit, kit_impulse_def()), begin_sheets(&fresh, kit_impulse_def());
    detect(&kit, false);
    int64_t before = kit.solver.candidates.count;
    double bound = kit.solver.motion_bound;
    mus_solver_move(&kit.solver, 14, v3_make(0.99 * bound, -0.99 * bound, 0.99 * bound));
    assert_false(kit.solver.any_left_bound);
    v3 by = v3_make(0, 12e-3, 0);
    mus_solver_move(&kit.solver, 15, by);
    assert_true(kit.solver.any_left_bound && kit.solver.left_bound[15] && !kit.solver.left_bound[14]);
    must(mus_solver_redetect_left_bound(&kit.solver, &kit.solver.candidates));
    assert_false(kit.solver.any_left_bound);
    fresh.a->x1[15] = v3_add(fresh.a->x1[15], by);
    detect(&fresh, false);
    assert_true(kit.solver.candidates.count > before);
    sort_pairs(&kit.solver.candidates), sort_pairs(&fresh.solver.candidates);
    require_same_pairs(&kit.solver.candidates, &fresh.solver.candidates);
    kit_end(&kit), kit_end(&fresh);
}

static void pair_is_tested_again_after_a_vertex_has_moved(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_sheets(&kit, kit_impulse_def());
    detect(&kit, false);
    mus_solver *s = &kit.solver;
    mus_candidate_pair c = {.vertex = {2, 40, 41, 46}};
    assert_false(mus_solver_is_clear(s, &c));
    s->clock = 5, c.clear_since = 5;
    assert_true(mus_solver_is_clear(s, &c));
    s->clock = 7;
    mus_solver_move(s, 46, v3_make(0, 1e-6, 0));
    assert_int_equal(mus_solver_last_move(s, &c), 7);
    assert_false(mus_solver_is_clear(s, &c));
    c.clear_since = 8;
    assert_true(mus_solver_is_clear(s, &c));
    kit_end(&kit);
}

/* ---- one pair ---- */

/* A vertex falls through a face: time of impact in closed form, less the tolerance at most. */
static void time_of_impact_of_a_falling_vertex(void **state) {
    (void)state;
    solve_kit kit = {0};
    const kit_surface surface = {.thickness = 1e-3};
    kit_add_face(&kit, v3_make(0, 0.03, 0), v3_make(0.1, 0.2, 0), v3_make(0, 0.2, 0.1), surface);
    kit_add_face(&kit, v3_make(-0.1, 0, -0.1), v3_make(0, 0, 0.2), v3_make(0.1, 0, -0.1), surface);
    kit_begin(&kit, kit_impulse_def());
    mus_candidate_pair c = kit_pair(&kit, 0, 3, 4, 5, false);
    const double distance = 2e-3, tolerance = 1e-6;
    double toi = -1;
    kit.a->x1[0].y = -0.01;
    assert_true(mus_solver_comes_within(&kit.solver, &c, distance, tolerance, &toi));
    assert_true(toi <= 0.028 / 0.04 && toi > (0.028 - 2 * tolerance) / 0.04);
    assert_int_equal(kit.stats.ccd_tests, 1);
    kit.a->x1[0].y = 2.01e-3;
    assert_false(mus_solver_comes_within(&kit.solver, &c, distance, tolerance, &toi));
    assert_int_equal(kit.stats.ccd_tests, 2);
    /* the axis that separated them last decides now, without the full test */
    near_vector(v3_normalized(v3_make((double)c.axis[0], (double)c.axis[1], (double)c.axis[2])), v3_make(0, 1, 0), 1e-3,
                "separating axis");
    assert_false(mus_solver_comes_within(&kit.solver, &c, distance, tolerance, &toi));
    assert_int_equal(kit.stats.ccd_tests, 2);
    kit_end(&kit);
}

/* Continuous detection with impulses leaves no pair that collides at any time of the step, and conserves momentum. */
static void impulses_leave_no_pair_that_collides(void **state) {
    (void)state;
    solve_kit kit = {0};
    begin_sheets(&kit, kit_impulse_def());
    kit_all_pairs(&kit, 0, 1);
    mus_rng rng = mus_rng_make(9, 0);
    move_randomly(&kit, &rng, 2e-3);
    for (int32_t i = 0; i < 36; i++) kit.a->x1[i].y += 6e-3;
    v3 before[72];
    memcpy(before, kit.a->x1, sizeof before);
    kit.solver.dt = dt;
    detect(&kit, false);
    bool is_collision_free = false;
    must(mus_solver_impacts(&kit.solver, &kit.input, &kit.solver.candidates, &is_collision_free));
    assert_true(is_collision_free && kit.solver.hits.count > 10);
    for (int64_t k = 0; k < kit.pairs.count; k++) {
        double toi, gap = fmin(0.1 * thickness, 0.8 * (double)kit.pairs.data[k].gap0);
        assert_false(mus_solver_comes_near(&kit.solver, &kit.pairs.data[k], 0.94 * gap, 1e-3 * gap, &toi));
    }
    double given = 0;
    for (int64_t k = 0; k < kit.solver.hits.count; k++) given += kit.solver.hits.data[k].normal_impulse;
    near(v3_length(kit_momentum(&kit, before)) / given, 0, 1e-12, "momentum");
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_that_may_touch_is_a_candidate),
        cmocka_unit_test(face_is_as_thick_at_a_thin_corner),
        cmocka_unit_test(far_pairs_are_no_candidates),
        cmocka_unit_test(broad_phases_give_the_same_candidates),
        cmocka_unit_test(neighbor_list_gives_the_candidates_of_the_broad_phase),
        cmocka_unit_test(skin_radius_covers_steps_like_the_last),
        cmocka_unit_test(list_is_valid_within_the_skin_radius_only),
        cmocka_unit_test(fast_motion_has_no_list),
        cmocka_unit_test(vertex_beyond_its_motion_bound_is_detected_again),
        cmocka_unit_test(pair_is_tested_again_after_a_vertex_has_moved),
        cmocka_unit_test(time_of_impact_of_a_falling_vertex),
        cmocka_unit_test(impulses_leave_no_pair_that_collides),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
