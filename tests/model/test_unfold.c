/* test_unfold.c: cloths laid out in their planes at rest keep the distances that their textures have. */
#include "../world/scene.h"

#include "model/unfold.h"

/* Middles of faces in the texture. */
static double (*middles(const mus_mesh *mesh))[2] {
    const int32_t *faces = mus_mesh_get_uv_faces(mesh);
    const double *uv = mus_mesh_get_uvs(mesh);
    int32_t count = mus_mesh_get_face_count(mesh);
    double(*at)[2] = calloc((size_t)count, sizeof *at);
    for (int32_t f = 0; f < count; f++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 2; c++) at[f][c] += uv[2 * faces[3 * f + k] + c] / 3;
    return at;
}

static double between(const float *place, int32_t a, int32_t b) {
    double x = (double)place[2 * a] - (double)place[2 * b], y = (double)place[2 * a + 1] - (double)place[2 * b + 1];
    return sqrt(x * x + y * y);
}

/* Crumpled by hand; the rest shape is given by the texture vertices only. */
static void keeps_distances(mus_mesh *mesh) {
    mus_rng rng = mus_rng_make(8, 0);
    double(*at)[2] = middles(mesh);
    for (int32_t i = 0; i < 3 * mus_mesh_get_vertex_count(mesh); i++)
        mus_mesh_get_vertices(mesh)[i] += mus_rng_between(&rng, -0.05, 0.05);
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.rest_from_uv = true;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    int32_t count = cloth->face_count;
    float *place = calloc(2 * (size_t)count, sizeof *place);
    must(mus_cloth_unfold(cloth, place));
    double worst = 0;
    for (int32_t a = 0; a < count; a++)
        for (int32_t b = 0; b < a; b++) {
            double x = at[a][0] - at[b][0], y = at[a][1] - at[b][1];
            worst = fmax(worst, fabs(between(place, a, b) - sqrt(x * x + y * y)));
        }
    assert_true(worst < 1e-5);
    free(place);
    free(at);
    mus_cloth_free(cloth);
    mus_mesh_destroy(mesh);
}

static void test_flat(void **state) {
    (void)state;
    keeps_distances(grid_mesh(9, 14, 0.3, 0.7, "xz", v3_make(0, 0, 0)));
    mus_mesh *disc;
    must(mus_mesh_create_disc(0.3, 6, "xz", (double[3]){0, 0, 0}, &disc));
    keeps_distances(disc);
}

/* Two pieces lie side by side, and a ball, which no plane can represent, keeps neighbors near. */
static void test_others(void **state) {
    (void)state;
    const double vertices[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t faces[6] = {0, 1, 2, 3, 4, 5};
    mus_mesh_def two = {mus_mesh_def_default().cookie, .vertex_count = 6, .face_count = 2, .vertices = vertices,
                        .faces = faces};
    mus_mesh *mesh[2];
    must(mus_mesh_create(&two, &mesh[0]));
    must(mus_mesh_create_sphere(0.1, 2, (double[3]){0, 0, 0}, &mesh[1]));
    for (int k = 0; k < 2; k++) {
        mus_cloth_def def = mus_cloth_def_default();
        def.mesh = mesh[k];
        mus_cloth *cloth;
        must(mus_cloth_new(&def, "cloth", &cloth));
        float *place = calloc(2 * (size_t)cloth->face_count, sizeof *place);
        must(mus_cloth_unfold(cloth, place));
        for (int32_t f = 0; f < 2 * cloth->face_count; f++) assert_true(isfinite((double)place[f]));
        if (k == 0) assert_true(between(place, 0, 1) > 1);
        free(place);
        mus_cloth_free(cloth);
        mus_mesh_destroy(mesh[k]);
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flat), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
