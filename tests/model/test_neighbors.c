/* test_neighbors.c: ways along the edges of a cloth against all shortest paths (Floyd–Warshall). */
#include "../world/scene.h"

#include "model/neighbors.h"

enum { NU = 6, NV = 5, N = NU * NV };

static mus_cloth *uneven_sheet(mus_rng *rng) {
    mus_mesh *mesh = grid_mesh(NU, NV, 0.1, 0.08, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_get_vertices(mesh);
    for (int32_t i = 0; i < 3 * N; i++) x[i] += mus_rng_between(rng, -4e-3, 4e-3);
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "sheet", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static void test_all_ways(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(3, 1);
    mus_cloth *cloths[2] = {uneven_sheet(&rng), uneven_sheet(&rng)};
    const double max_distance = 0.045;
    mus_neighbors found = {.start = mus_new(sizeof(int32_t) * (2 * N + 1))};
    for (int k = 0; k < 2; k++) must(mus_neighbors_add(&found, cloths[k], k * N, max_distance));
    int near = 0, far = 0;
    for (int k = 0; k < 2; k++) {
        double way[N][N];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) way[i][j] = i == j ? 0 : INFINITY;
        const mus_topology *t = &cloths[k]->topology;
        for (int32_t e = 0; e < t->edge_count; e++) {
            int32_t a = t->edges[2 * e], b = t->edges[2 * e + 1];
            way[a][b] = way[b][a] = cloths[k]->rest_lengths[e];
        }
        for (int m = 0; m < N; m++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) way[i][j] = fmin(way[i][j], way[i][m] + way[m][j]);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double distance = mus_neighbors_distance(&found, k * N + i, k * N + j);
                assert_true(isinf(mus_neighbors_distance(&found, i, N + j)));
                if (i == j || way[i][j] > max_distance) {
                    assert_true(isinf(distance));
                    far++;
                } else {
                    assert_true(fabs(distance - way[i][j]) < 1e-8);
                    near++;
                }
            }
    }
    assert_true(near > 400 && far > 400);
    mus_neighbors_free(&found);
    for (int k = 0; k < 2; k++) mus_cloth_free(cloths[k]);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
