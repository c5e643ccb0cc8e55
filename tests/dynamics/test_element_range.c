/* test_element_range.c: an assembly by several threads has the bits of one thread's, whichever way the vertices are
 * numbered, and is only tried where they are numbered by place. */
#include "../world/scene.h"

#include "dynamics/dynamics.h"

enum { NU = 100, NV = 85 }; /* enough for threads */

/* A crumpled sheet, its vertices numbered by rows or at random. */
static mus_cloth *sheet(const mus_material *material, bool shuffled) {
    mus_rng rng = mus_rng_make(71, 0);
    mus_mesh *mesh = grid_mesh(NU, NV, 1, 0.85, "xz", v3_make(0, 0, 0));
    int32_t n = mus_mesh_get_vertex_count(mesh), *number = malloc(sizeof *number * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        int32_t j = shuffled ? (int32_t)(mus_rng_double(&rng) * (i + 1)) : i;
        number[i] = number[j], number[j] = i;
    }
    mus_mesh_def other = {mus_mesh_def_default().cookie, .vertex_count = n,
                          .face_count = mus_mesh_get_face_count(mesh)};
    double *x = malloc(sizeof(v3) * (size_t)n);
    int32_t *faces = malloc(3 * sizeof *faces * (size_t)other.face_count);
    for (int32_t i = 0; i < n; i++) memcpy(x + 3 * number[i], mus_mesh_get_vertices(mesh) + 3 * i, sizeof(v3));
    for (int32_t k = 0; k < 3 * other.face_count; k++) faces[k] = number[mus_mesh_get_faces(mesh)[k]];
    other.vertices = x, other.faces = faces;
    mus_mesh_destroy(mesh);
    must(mus_mesh_create(&other, &mesh));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *material;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    free(x), free(faces), free(number);
    for (int32_t i = 0; i < 3 * n; i++) cloth->x[i] += mus_rng_between(&rng, -2e-3, 2e-3);
    return cloth;
}

typedef struct outcome {
    v3 x[NU * NV], v[NU * NV];
} outcome;

static void advance(mus_dynamics *d, mus_cloth *cloth, int threads, outcome *o) {
    mus_environment air = {.gravity = {0, -9.81, 0}, .air_density = 1.2, .wind = {1, 2, 3}, .threads = threads};
    v3 *x0 = (v3 *)cloth->x, v0[NU * NV];
    mus_rng rng = mus_rng_make(72, 0);
    for (int32_t i = 0; i < cloth->vertex_count; i++) v0[i] = v3_scale(0.1, random_direction(&rng));
    memcpy(o->x, x0, sizeof o->x);
    mus_integrator_result r = mus_integrator_implicit_euler.advance(d, cloth, &air, 0.01, 0.01, x0, v0, o->x, o->v);
    assert_true(r.iterations > 2);
}

static void test_same_bits(void **state) {
    (void)state;
    outcome *one = malloc(sizeof *one), *more = malloc(sizeof *more);
    for (int model = 0; model < 2; model++)
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            mus_material material = mus_material_default();
            material.viscous_damping = 0.3;
            if (model) {
                material.model = MUS_MODEL_NEO_HOOKEAN;
                material.stretch_warp = 900, material.stretch_weft = 400, material.stretch_shear = 60;
            }
            mus_cloth *cloth = sheet(&material, shuffled);
            mus_dynamics *d;
            must(mus_dynamics_create(cloth, &d));
            assert_int_equal(d->local, !shuffled);
            d->local = true;
            advance(d, cloth, 1, one);
            for (int threads = 2; threads < 4; threads++) {
                advance(d, cloth, threads, more);
                assert_memory_equal(one, more, sizeof *one);
            }
            mus_dynamics_free(d);
            mus_cloth_free(cloth);
        }
    free(one), free(more);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
