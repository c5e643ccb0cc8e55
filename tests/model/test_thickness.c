/* test_thickness.c: thickness that varies over a cloth: means of elements, bounds at vertices, and neighbors. */
#include "../world/scene.h"

#include "model/assembly.h"

enum { NU = 9, NV = 4, N = NU * NV };

static double map[N];

/* A strip of 9 x 4 vertices, 10 mm apart, with a map: 1 mm, and from the middle on up to 25. */
static mus_cloth *strip(bool varies) {
    for (int i = 0; i < N; i++) {
        int row = i / NU, beyond = i % NU - NU / 2;
        map[i] = beyond < 0 ? 1e-3 : 3e-3 * (beyond + 1) + 2e-3 * row;
    }
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid_mesh(NU, NV, 0.01 * (NU - 1), 0.01 * (NV - 1), "xz", v3_make(0, 0, 0));
    def.mesh = mesh, def.thickness = 5e-3, def.thicknesses = varies ? map : NULL;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "strip", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static void element_has_the_mean_of_its_vertices(void **state) {
    (void)state;
    const double of[5] = {9, 1e-3, 2e-3, 6e-3, 0.7e-3};
    assert_true(mus_element_thickness(of, (const int32_t[]){11}, 1, 10) == 1e-3);
    near(mus_element_thickness(of, (const int32_t[]){3, 1}, 2, 0), 3.5e-3, 1e-15, "edge");
    near(mus_element_thickness(of, (const int32_t[]){12, 13, 11}, 3, 10), 3e-3, 1e-15, "face");
    const double same[3] = {0.7e-3, 0.7e-3, 0.7e-3}; /* where 3 t / 3 is not t in every rounding */
    assert_true(mus_element_thickness(same, (const int32_t[]){0, 1, 2}, 3, 0) == same[0]);
}

static void vertex_bounds_the_elements_at_it(void **state) {
    (void)state;
    mus_cloth *cloth = strip(true);
    double expected[N], largest = 0;
    memcpy(expected, map, sizeof expected);
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *c = cloth->faces + 3 * f;
        double mean = (map[c[0]] + map[c[1]] + map[c[2]]) / 3;
        for (int k = 0; k < 3; k++) {
            double edge = (map[c[k]] + map[c[(k + 1) % 3]]) / 2;
            expected[c[k]] = fmax(expected[c[k]], fmax(mean, edge));
            expected[c[(k + 1) % 3]] = fmax(expected[c[(k + 1) % 3]], edge);
        }
    }
    int raised = 0;
    for (int i = 0; i < N; i++) {
        near(cloth->max_thicknesses[i], expected[i], 1e-15, "bound");
        raised += expected[i] > map[i] + 1e-6;
        largest = fmax(largest, map[i]);
    }
    assert_true(raised > 10 && cloth->thickness == largest && mus_cloth_min_thickness(cloth) == 1e-3);
    mus_cloth_free(cloth);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

static void face_is_bounded_where_its_edges_are_thinner(void **state) {
    (void)state;
    const v3 x[3] = {v3_make(0, 0, 0), v3_make(0.1, 0, 0), v3_make(0, 0, 0.1)};
    const double thicknesses[3] = {1e-3, 4e-3, 4e-3};
    mus_mesh_def mesh_def = {mus_mesh_def_default().cookie, .vertices = (const double *)x,
                             .faces = (const int32_t[]){0, 1, 2}, .vertex_count = 3, .face_count = 1};
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh;
    mus_cloth *cloth;
    must(mus_mesh_create(&mesh_def, &mesh));
    def.mesh = mesh, def.thicknesses = thicknesses;
    must(mus_cloth_new(&def, "face", &cloth));
    mus_mesh_destroy(mesh);
    near(cloth->max_thicknesses[0], 3e-3, 1e-15, "the face's");
    mus_cloth_free(cloth);
}

/* The thickness of neighbors is a share of their distance, wherever it is less than that of the map. */
static void neighbors_are_found_as_far_as_they_are_thick(void **state) {
    (void)state;
    mus_cloth *cloth = strip(true);
    mus_assembly a;
    must(mus_assembly_create(&cloth, 1, NULL, 0, &a));
    mus_neighbors all = {.start = mus_new(sizeof(int32_t) * (N + 1))};
    mus_ways ways = {.vertex_count = N, .edge_count = cloth->topology.edge_count};
    ways.edges = cloth->topology.edges, ways.lengths = cloth->rest_lengths;
    must(mus_neighbors_add_ways(&all, &ways, "strip", 0, 1));
    assert_int_equal(all.list.count, N * (N - 1));
    int near_pairs = 0;
    for (int32_t i = 0; i < N; i++)
        for (int32_t k = 0; k < N; k++) {
            double most = (cloth->max_thicknesses[i] + cloth->max_thicknesses[k]) / 2;
            double distance = mus_neighbors_distance(&all, i, k);
            if (i == k || MUS_NEIGHBOR_SHARE * distance >= most) continue;
            near_pairs++;
            assert_true(mus_neighbors_distance(&a.neighbors, i, k) == distance);
        }
    assert_true(near_pairs > 50 && a.neighbors.list.count < all.list.count / 2);
    mus_neighbors_free(&all);
    mus_assembly_free(&a);
    mus_cloth_free(cloth);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

static void without_a_map_thickness_is_uniform(void **state) {
    (void)state;
    mus_cloth *cloth = strip(false);
    mus_assembly a;
    must(mus_assembly_create(&cloth, 1, NULL, 0, &a));
    const int32_t v[4] = {0, 20, 21, 30};
    assert_true(!cloth->max_thicknesses && mus_cloth_min_thickness(cloth) == 5e-3);
    assert_true(mus_assembly_pair_thickness(&a, v, false) == 5e-3 && mus_assembly_max_thickness(&a, 7) == 2.5e-3);
    mus_assembly_free(&a);
    mus_cloth_free(cloth);
}

static void pair_has_half_of_each_side(void **state) {
    (void)state;
    mus_cloth *cloth = strip(true);
    mus_assembly a;
    must(mus_assembly_create(&cloth, 1, NULL, 0, &a));
    const int32_t v[4] = {0, 8, 17, 26};
    near(mus_assembly_pair_thickness(&a, v, false), map[0] / 2 + (map[8] + map[17] + map[26]) / 6, 1e-15,
         "vertex-face");
    near(mus_assembly_pair_thickness(&a, v, true), (map[0] + map[8]) / 4 + (map[17] + map[26]) / 4, 1e-15, "edge-edge");
    near(mus_assembly_contact_thickness(&a, 26), map[26] / 2, 1e-15, "vertex");
    near(mus_assembly_max_thickness(&a, 4), cloth->max_thicknesses[4] / 2, 0, "bound");
    mus_assembly_free(&a);
    mus_cloth_free(cloth);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(element_has_the_mean_of_its_vertices),
                                       cmocka_unit_test(vertex_bounds_the_elements_at_it),
                                       cmocka_unit_test(face_is_bounded_where_its_edges_are_thinner),
                                       cmocka_unit_test(neighbors_are_found_as_far_as_they_are_thick),
                                       cmocka_unit_test(without_a_map_thickness_is_uniform),
                                       cmocka_unit_test(pair_has_half_of_each_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
