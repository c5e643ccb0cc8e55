/* test_assembly.c: all objects in one numbering, thickness between neighbors, exemptions, planes; seams: their length
 * over time and the neighbors through them; ranges of materials. */
#include "../base/checks.h"

#include <string.h>

#include "model/assembly.h"
#include "narrow/candidate_pairs.h"

static mus_cloth *strip(int nodes, double edge, double thickness, v3 center) {
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid_mesh(nodes, 2, edge * (nodes - 1), edge, "xz", center);
    def.mesh = mesh, def.thickness = thickness;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "strip", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static mus_obstacle *ball(double radius, double mass) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_SPHERE, def.radius = radius, def.thickness = 2e-3, def.dynamic = mass > 0, def.mass = mass;
    mus_obstacle *obstacle;
    must(mus_obstacle_new(&def, "ball", &obstacle));
    return obstacle;
}

static void vertices_of_all_objects_are_numbered_in_order(void **state) {
    (void)state;
    mus_cloth *cloths[2] = {strip(3, 0.1, 1e-3, v3_make(0, 0, 0)), strip(4, 0.1, 3e-3, v3_make(0, 1, 0))};
    mus_obstacle *obstacles[3] = {ball(0.1, 0), ball(0.2, 1), ball(0.3, 2)};
    mus_assembly a;
    must(mus_assembly_create(cloths, 2, obstacles, 3, &a));
    assert_true(a.vertex_count == 6 + 8 + 3 && a.cloth_vertex_count == 14 && a.object_count == 5);
    const int32_t first[] = {0, 6, 14, 15, 16}, count[] = {6, 8, 1, 1, 1};
    const double contact_thickness[] = {0.5e-3, 1.5e-3, 2e-3, 2e-3, 2e-3}, radius[] = {0, 0, 0.1, 0.2, 0.3};
    for (int32_t k = 0; k < 5; k++) {
        assert_true(a.objects[k].first == first[k] && a.objects[k].count == count[k]);
        for (int32_t i = first[k]; i < first[k] + count[k]; i++) {
            assert_int_equal(a.object_of[i], k);
            near(mus_assembly_contact_thickness(&a, i), contact_thickness[k], 1e-18, "half thickness");
            near(mus_assembly_radius(&a, i), radius[k], 0, "radius");
        }
    }
    assert_int_equal(a.rigid_count, 2);
    assert_true(!a.objects[2].rigid && a.objects[3].rigid == &a.rigids[0] && a.objects[4].rigid == &a.rigids[1]);
    near(a.rigids[1].of->mass, 2, 0, "mass of the second body");
    mus_assembly_free(&a);
    for (int k = 0; k < 2; k++) mus_cloth_free(cloths[k]);
    for (int k = 0; k < 3; k++) mus_obstacle_free(obstacles[k]);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* Neighbors in one cloth keep at most 0.6 of their distance along it, all others the sum of the half thicknesses. */
static void thickness_between_neighbors_is_a_share_of_their_distance(void **state) {
    (void)state;
    const double edge = 0.01, thickness = 0.03;
    mus_cloth *cloths[2] = {strip(9, edge, thickness, v3_make(0, 0, 0)), strip(9, edge, thickness, v3_make(0, 1, 0))};
    mus_assembly a;
    must(mus_assembly_create(cloths, 2, NULL, 0, &a));
    for (int distance = 1; distance < 8; distance++) {
        mus_candidate_pair c = {.vertex = {0, distance, distance, distance}};
        double wanted = fmin(thickness, 0.6 * edge * distance);
        near(mus_candidate_pair_thickness(&a, &c), wanted, 1e-8, "thickness within a cloth");
        double range = wanted < thickness ? wanted : MUS_CONTACT_RANGE * thickness;
        near(mus_candidate_pair_range(&a, &c, mus_candidate_pair_thickness(&a, &c)), range, 1e-8, "contact range");
        for (int k = 1; k < 4; k++) c.vertex[k] += 18;
        near(mus_candidate_pair_thickness(&a, &c), thickness, 0, "thickness between cloths");
    }
    mus_candidate_pair edges = {.vertex = {0, 1, 3, 4}, .edge_edge = 1};
    near(mus_candidate_pair_thickness(&a, &edges), 0.6 * 2 * edge, 1e-8, "of edges: by their nearest vertices");
    mus_assembly_free(&a);
    for (int k = 0; k < 2; k++) mus_cloth_free(cloths[k]);
}

static void point_moves_with_its_obstacle(void **state) {
    (void)state;
    mus_object object = {.pose0 = {.position = {1, 0, 0}, .rotation = {1, 0, 0, 0}},
                         .pose1 = {.position = {1, 2, 0}, .rotation = {1, 0, 0, 0}}};
    turn(object.pose1.rotation, v3_make(0, 0, 1), 3.14159265358979 / 2);
    v3 end = mus_object_transform_point(&object, v3_make(1.5, 0, 0.25));
    near(v3_length(v3_sub(end, v3_make(1, 2.5, 0.25))), 0, 1e-12, "end of a point");
}

static void least_gap_above_a_plane(void **state) {
    (void)state;
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_PLANE, def.thickness = 1e-3, def.normal[1] = 1;
    mus_cloth *cloth = strip(3, 0.1, 2e-3, v3_make(0, 0, 0));
    mus_obstacle *obstacle;
    must(mus_obstacle_new(&def, "plane", &obstacle));
    mus_assembly a;
    must(mus_assembly_create(&cloth, 1, &obstacle, 1, &a));
    mus_object *plane = &a.objects[1];
    mus_obstacle_plane(obstacle, &obstacle->pose, &plane->normal0, &plane->point0);
    a.x0[0] = v3_make(0, 0.1, 0), a.x0[1] = v3_make(0, 1e-4, 0);
    near(mus_plane_floor(&a, plane, 0), 0.1 * 2e-3, 1e-18, "a tenth of the thickness");
    near(mus_plane_floor(&a, plane, 1), 0.5e-4, 1e-18, "half of the gap at the start");
    mus_assembly_free(&a);
    mus_cloth_free(cloth), mus_obstacle_free(obstacle);
}

/* A side is exempt if all of its vertices are; either side suffices, for that one object only. */
static void exemption_is_of_whole_features(void **state) {
    (void)state;
    mus_cloth *cloths[2] = {strip(3, 0.1, 1e-3, v3_make(0, 0, 0)), strip(3, 0.1, 1e-3, v3_make(0, 1, 0))};
    mus_obstacle *obstacle = ball(0.1, 0);
    mus_assembly a;
    must(mus_assembly_create(cloths, 2, &obstacle, 1, &a));
    int32_t component[6] = {1, 1, 0, 1, 0, 0};
    mus_overlap_exemption items[2] = {{.object = 0, .other = 1, .vertex_count = 6, .component = component},
                                      {.object = 0, .other = -1, .vertex_count = 6, .component = component}};
    mus_overlap_exemption_list list = {.data = items, .count = 1, .capacity = 2};
    a.exemptions = &list;
    assert_true(mus_assembly_is_exempt(&a, (const int32_t[4]){0, 6, 7, 9}, 1, 4));
    assert_false(mus_assembly_is_exempt(&a, (const int32_t[4]){2, 6, 7, 9}, 1, 4));
    assert_true(mus_assembly_is_exempt(&a, (const int32_t[4]){8, 0, 1, 3}, 1, 4));
    assert_false(mus_assembly_is_exempt(&a, (const int32_t[4]){8, 0, 1, 2}, 1, 4));
    assert_true(mus_assembly_is_exempt(&a, (const int32_t[4]){0, 1, 6, 7}, 2, 4));
    assert_false(mus_assembly_is_exempt(&a, (const int32_t[4]){1, 2, 6, 7}, 2, 4));
    assert_false(mus_assembly_is_exempt(&a, (const int32_t[4]){12, 0, 1, 3}, 1, 4));
    list.count = 2; /* for the obstacle too */
    assert_true(mus_assembly_is_exempt(&a, (const int32_t[4]){12, 0, 1, 3}, 1, 4));
    mus_assembly_free(&a);
    for (int k = 0; k < 2; k++) mus_cloth_free(cloths[k]);
    mus_obstacle_free(obstacle);
}

/* ---- seams ---- */

static void seam_closes_in_its_time_or_at_its_speed(void **state) {
    (void)state;
    mus_seam *seam;
    must(mus_seam_new(2, &seam));
    seam->start[0] = 0.5, seam->start[1] = 0.01;
    seam->width = 0.1, seam->begin = 2, seam->closing_time = 4;
    near(mus_seam_length(seam, 0, 1), 0.5, 1e-15, "before it begins");
    near(mus_seam_length(seam, 0, 3), 0.4, 1e-15, "after a quarter of the time");
    near(mus_seam_length(seam, 0, 6), 0.1, 1e-15, "at the end");
    near(mus_seam_length(seam, 0, 100), 0.1, 0, "later");
    near(mus_seam_length(seam, 1, 0), 0.1, 0, "of a stitch that is short enough");
    seam->closing_time = 0, seam->speed = 0.05;
    near(mus_seam_length(seam, 0, 4), 0.4, 1e-15, "after two seconds at its speed");
    near(mus_seam_length(seam, 0, 50), 0.1, 0, "at the end at its speed");
    mus_seam_free(seam);
}

static void stitch_distance_is_that_of_its_point_of_the_edge(void **state) {
    (void)state;
    const v3 a[1] = {{0.25, 0.3, 0}}, b[2] = {{0, 0, 0}, {1, 0, 0}};
    const double along[] = {0, 0.25, 1}, wanted[] = {0.39051248379533, 0.3, 0.80777472107018};
    for (int k = 0; k < 3; k++) {
        mus_stitch s = {.vertex = 0, .onto = {0, 1}, .along = along[k]};
        int32_t onto[2];
        double weight[2], sum = 1;
        int count = mus_stitch_ends(&s, onto, weight);
        assert_int_equal(count, along[k] > 0 && along[k] < 1 ? 2 : 1);
        for (int e = 0; e < count; e++) sum += weight[e];
        near(sum, 0, 1e-15, "sum of the weights");
        near(mus_stitch_distance(&s, a, b), wanted[k], 1e-12, "distance");
    }
}

static void sewn_cloths_are_neighbors_through_their_seam(void **state) {
    (void)state;
    const double edge = 0.01, thickness = 0.04, width = 0.002;
    mus_cloth *cloths[2] = {strip(9, edge, thickness, v3_make(0, 0, 0)),
                            strip(9, edge, thickness, v3_make(0.09, 0, 0))};
    mus_seam *seam;
    must(mus_seam_new(1, &seam));
    seam->cloth[0] = cloths[0], seam->cloth[1] = cloths[1], seam->width = width;
    seam->stitches[0] = (mus_stitch){.vertex = 8, .onto = {0, 0}}; /* the last of one, the first of the other */
    mus_assembly a;
    must(mus_assembly_create(cloths, 2, NULL, 0, &a));
    assert_true(isinf(mus_neighbors_distance(&a.neighbors, 7, 18 + 1)));
    must(mus_assembly_join(&a, &seam, 1));
    near(mus_neighbors_distance(&a.neighbors, 7, 18 + 1), 2 * edge + width, 1e-8, "way through the seam");
    mus_candidate_pair c = {.vertex = {7, 18 + 1, 18 + 1, 18 + 1}};
    near(mus_candidate_pair_thickness(&a, &c), 0.6 * (2 * edge + width), 1e-8, "thickness across the seam");
    mus_assembly_free(&a);
    mus_seam_free(seam);
    for (int k = 0; k < 2; k++) mus_cloth_free(cloths[k]);
}

/* ---- materials ---- */

static void material_out_of_range_is_refused_by_field(void **state) {
    (void)state;
    const mus_material cotton = mus_material_default();
    must(mus_material_check(&cotton));
    struct {
        size_t offset;
        double value;
        const char *field;
    } wrong[] = {{offsetof(mus_material, density), 0, "'density'"},
                 {offsetof(mus_material, density), NAN, "'density'"},
                 {offsetof(mus_material, stretch), -1, "'stretch'"},
                 {offsetof(mus_material, bending), INFINITY, "'bending'"},
                 {offsetof(mus_material, damping), -1e-9, "'damping'"},
                 {offsetof(mus_material, compression), 1.01, "'compression'"},
                 {offsetof(mus_material, strain_limit), -0.1, "'strain_limit'"},
                 {offsetof(mus_material, warp_angle), NAN, "'warp_angle'"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        mus_material m = cotton;
        memcpy((char *)&m + wrong[k].offset, &wrong[k].value, sizeof(double));
        must_be(MUS_STATUS_INVALID, mus_material_check(&m));
        assert_non_null(strstr(mus_get_error_message(), wrong[k].field));
    }
}

/* A membrane must not gain energy by being stretched: |poisson| <= sqrt(warp weft). */
static void membrane_moduli_must_be_positive_definite(void **state) {
    (void)state;
    mus_material m = mus_material_default();
    m.model = MUS_MODEL_STVK, m.stretch_warp = 400, m.stretch_weft = 100;
    m.stretch_poisson = 199;
    must(mus_material_check(&m));
    m.stretch_poisson = -199;
    must(mus_material_check(&m));
    m.stretch_poisson = 201;
    must_be(MUS_STATUS_INVALID, mus_material_check(&m));
    m.model = MUS_MODEL_SPRINGS; /* which does not read it */
    must(mus_material_check(&m));
}

/* As membranes, presets have the moduli of their network on a square grid, N/m. */
static void presets_have_the_moduli_of_their_network(void **state) {
    (void)state;
    int networks = 0;
    for (int32_t k = 0; k < mus_material_get_preset_count(); k++) {
        const mus_material *m = mus_material_get_preset(k);
        must(mus_material_check(m));
        assert_true(m->density > 0.05 && m->density < 1); /* kg/m^2 */
        near(m->stretch_warp, m->stretch + 0.5 * m->shear, 1e-12, "along the warp");
        near(m->stretch_weft, m->stretch + 0.5 * m->shear, 1e-12, "along the weft");
        near(m->stretch_shear, 0.5 * m->shear, 1e-12, "in shear");
        networks += m->model == MUS_MODEL_SPRINGS;
        mus_material found;
        must(mus_material_find(m->name, &found));
        assert_memory_equal(&found, m, sizeof found);
    }
    assert_true(networks >= 7);
    mus_material found;
    must_be(MUS_STATUS_NOT_FOUND, mus_material_find("cottn", &found));
    assert_non_null(strstr(mus_get_error_message(), "cotton")); /* the nearest name */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_of_all_objects_are_numbered_in_order),
        cmocka_unit_test(thickness_between_neighbors_is_a_share_of_their_distance),
        cmocka_unit_test(point_moves_with_its_obstacle),
        cmocka_unit_test(least_gap_above_a_plane),
        cmocka_unit_test(exemption_is_of_whole_features),
        cmocka_unit_test(seam_closes_in_its_time_or_at_its_speed),
        cmocka_unit_test(stitch_distance_is_that_of_its_point_of_the_edge),
        cmocka_unit_test(sewn_cloths_are_neighbors_through_their_seam),
        cmocka_unit_test(material_out_of_range_is_refused_by_field),
        cmocka_unit_test(membrane_moduli_must_be_positive_definite),
        cmocka_unit_test(presets_have_the_moduli_of_their_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
