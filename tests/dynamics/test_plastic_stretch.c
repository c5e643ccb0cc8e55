/* test_plastic_stretch.c: return mapping of random faces: the stretches end at the elastic range, energy falls. */
#include "../world/scene.h"

#include "dynamics/energy.h"
#include "dynamics/plastic_stretch.h"

static mus_rng rng;

static mus_material material_of(mus_material_model model, double yield_strain, double hardening) {
    mus_material m = mus_material_default();
    m.model = model;
    m.stretch_warp = 900, m.stretch_weft = 400, m.stretch_poisson = 270, m.stretch_shear = 60;
    m.warp_angle = 0.4, m.bending = 0, m.yield_strain = yield_strain, m.stretch_hardening = hardening;
    return m;
}

static mus_cloth *cloth_of(const mus_material *material) {
    mus_mesh *mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *material;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static void deform(mus_cloth *cloth, const double *rest, double least, double most, double noise) {
    double stretch[2] = {mus_rng_between(&rng, least, most), mus_rng_between(&rng, least, most)};
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        const double *from = rest + 3 * i;
        double *x = cloth->x + 3 * i;
        x[0] = stretch[0] * from[0] + mus_rng_between(&rng, -noise, noise);
        x[1] = 2 * from[0] * from[0] + mus_rng_between(&rng, -noise, noise);
        x[2] = stretch[1] * from[2] + mus_rng_between(&rng, -noise, noise);
    }
}

/* Logarithms of the principal stretches of a face, the larger one first. */
static void strains(const mus_cloth *cloth, int32_t f, double strain[2]) {
    v3 fu, fv;
    mus_membrane_gradient(cloth, f, (v3 *)cloth->x, &fu, &fv);
    double half = 0.5 * (v3_length2(fu) - v3_length2(fv)), root = sqrt(half * half + v3_dot(fu, fv) * v3_dot(fu, fv));
    strain[0] = 0.5 * log(0.5 * (v3_length2(fu) + v3_length2(fv)) + root);
    strain[1] = 0.5 * log(v3_length2(v3_cross(fu, fv))) - strain[0];
}

static double energy_of(const mus_cloth *cloth, int32_t f) {
    mus_moduli moduli = mus_membrane_moduli(cloth, f, (v3 *)cloth->x);
    return mus_membrane_energy(cloth, f, &moduli, (v3 *)cloth->x, NULL, NULL, false);
}

static const mus_material_model models[] = {MUS_MODEL_STVK, MUS_MODEL_NEO_HOOKEAN};

static void faces_end_at_their_elastic_range(void **state) {
    (void)state;
    rng = mus_rng_make(52, 0);
    int once = 0, both = 0, free_of_stress = 0;
    for (int round = 0; round < 60; round++) {
        double yield_strain = 0.03, hardening = round % 3 ? 0.4 : 0;
        mus_material m = material_of(models[round % 2], yield_strain, hardening);
        mus_cloth *cloth = cloth_of(&m);
        size_t bytes = sizeof(double) * 3 * (size_t)cloth->vertex_count;
        double *rest = malloc(bytes), before[40][2], energy[40], plastic[40];
        assert_non_null(rest);
        assert_true(cloth->face_count == 40);
        memcpy(rest, cloth->x, bytes);
        for (int pull = 0; pull < 3; pull++) {
            deform(cloth, rest, 0.6, 1.3, 0.004);
            for (int32_t f = 0; f < 40; f++) {
                strains(cloth, f, before[f]);
                energy[f] = energy_of(cloth, f), plastic[f] = cloth->plastic_stretches[f].strain;
            }
            mus_plastic_stretch_update(cloth, 0.01);
            for (int32_t f = 0; f < 40; f++) {
                double after[2], change = cloth->plastic_stretches[f].strain - plastic[f];
                double range = log(1 + yield_strain) + hardening * cloth->plastic_stretches[f].strain;
                strains(cloth, f, after);
                bool elastic = before[f][0] <= log(1 + yield_strain) + hardening * plastic[f];
                if (change == 0) {
                    assert_true(energy_of(cloth, f) == energy[f]); /* untouched */
                    free_of_stress += !elastic;
                    assert_true(elastic || before[f][1] < 0);
                    continue;
                }
                assert_false(elastic);
                assert_true(energy_of(cloth, f) < energy[f]);
                assert_true(fabs(after[0] - range) < 1e-9);
                assert_true(fabs(before[f][0] + before[f][1] - after[0] - after[1] - change) < 1e-9);
                if (before[f][1] - after[1] > 1e-9) {
                    assert_true(fabs(after[1] - range) < 1e-9);
                    both++;
                } else {
                    assert_true(fabs(before[f][1] - after[1]) < 1e-9 && after[1] < range + 1e-9);
                    once++;
                }
            }
        }
        free(rest);
        mus_cloth_free(cloth);
    }
    assert_true(once > 200 && both > 200 && free_of_stress > 5);
}

/* The force on a face that has changed is that of its elastic stretch: F_e = F F_p^-1 with a symmetric F_p^-1, so a
 * face pulled along its warp by 20 % is at rest when it is 1.2/1.03 as long along the warp and as wide as before. */
static void a_face_pulled_along_its_warp_changes_along_it_only(void **state) {
    (void)state;
    mus_material m = material_of(MUS_MODEL_STVK, 0.03, 0);
    m.warp_angle = 0;
    mus_cloth *cloth = cloth_of(&m);
    for (int32_t i = 0; i < cloth->vertex_count; i++) cloth->x[3 * i] *= 1.2;
    mus_plastic_stretch_update(cloth, 0.01);
    for (int32_t i = 0; i < cloth->vertex_count; i++) cloth->x[3 * i] /= 1.03;
    for (int32_t f = 0; f < cloth->face_count; f++) assert_true(energy_of(cloth, f) < 1e-20);
    double *lengths = malloc(sizeof *lengths * (size_t)cloth->topology.edge_count);
    assert_non_null(lengths);
    must(mus_plastic_stretch_lengths(cloth, lengths));
    for (int32_t e = 0; e < cloth->topology.edge_count; e++) {
        const int32_t *end = cloth->topology.edges + 2 * e;
        double now = v3_length(v3_sub(v3_load(cloth->x + 3 * end[0]), v3_load(cloth->x + 3 * end[1])));
        assert_true(fabs(lengths[e] - now) < 1e-9);
    }
    free(lengths);
    mus_cloth_free(cloth);
}

static void springs_follow_the_law_in_any_number_of_pulls(void **state) {
    (void)state;
    mus_material m = material_of(MUS_MODEL_MASS_SPRING, 0.05, 0.25);
    m.bend = 0;
    mus_cloth *cloth = cloth_of(&m);
    double made = cloth->springs[0].rest;
    for (int pull = 0; pull <= 40; pull++) {
        double stretch = 1 + 0.2 * pull / 40.0, start = pull ? 1 + 0.2 * (pull - 1) / 40.0 : 1;
        for (int32_t i = 0; i < cloth->vertex_count; i++) cloth->x[3 * i] *= stretch / start;
        mus_plastic_stretch_update(cloth, 0.01);
    }
    assert_true(fabs(cloth->springs[0].rest / made - pow(1.2 / 1.05, 1 / 1.25)) < 1e-9);
    for (int32_t i = 0; i < cloth->vertex_count; i++) cloth->x[3 * i] *= 0.5; /* compression leaves it as it is */
    double rest = cloth->springs[0].rest;
    mus_plastic_stretch_update(cloth, 0.01);
    assert_true(cloth->springs[0].rest == rest);
    mus_cloth_free(cloth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_end_at_their_elastic_range),
        cmocka_unit_test(a_face_pulled_along_its_warp_changes_along_it_only),
        cmocka_unit_test(springs_follow_the_law_in_any_number_of_pulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
