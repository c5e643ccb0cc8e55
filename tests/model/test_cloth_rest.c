/* test_cloth_rest.c: the rest state of cloth from its mesh: lumped masses, edges, springs, hinges, membranes, warp, of
 * panels small enough to be computed by hand. */
#include "../base/checks.h"

#include <stdlib.h>
#include <string.h>

#include "model/hinge_shape.h"
#include "model/rest.h"
#include "model/sheet.h"

/* A panel of 0.3 m x 0.2 m in two faces. */
static const double panel[12] = {0, 0, 0, 0.3, 0, 0, 0.3, 0.2, 0, 0, 0.2, 0};
static const int32_t panel_faces[6] = {0, 1, 2, 0, 2, 3};

static mus_cloth_def def_of(const double *x, int32_t vertex_count, const int32_t *faces, int32_t face_count) {
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh_def mesh_def = {mus_mesh_def_default().cookie, .vertices = x, .faces = faces, .vertex_count = vertex_count,
                             .face_count = face_count};
    mus_mesh *mesh;
    must(mus_mesh_create(&mesh_def, &mesh));
    def.mesh = mesh;
    return def;
}

/* The mesh of the definition is destroyed. */
static mus_cloth *cloth_from(mus_cloth_def def) {
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy((mus_mesh *)(uintptr_t)def.mesh);
    return cloth;
}

static mus_cloth *panel_of(mus_material_model model) {
    mus_cloth_def def = def_of(panel, 4, panel_faces, 2);
    def.material.model = model;
    return cloth_from(def);
}

static int32_t edge_between(const mus_cloth *cloth, int32_t p, int32_t q) {
    for (int32_t e = 0; e < cloth->topology.edge_count; e++)
        if (cloth->topology.edges[2 * e] == p && cloth->topology.edges[2 * e + 1] == q) return e;
    fail_msg("no edge %d %d", p, q);
    return -1;
}

static void vertex_has_a_third_of_the_mass_of_its_faces(void **state) {
    (void)state;
    mus_cloth *cloth = panel_of(MUS_MODEL_SPRINGS);
    double face = cloth->material.density * 0.03, sum = 0;
    const double share[4] = {2, 1, 2, 1};
    for (int i = 0; i < 4; i++) {
        near(cloth->mass[i], share[i] * face / 3, 1e-15, "mass of a vertex");
        near(cloth->inverse_mass[i] * cloth->mass[i], 1, 1e-15, "inverse mass");
        sum += cloth->mass[i];
    }
    near(sum, cloth->material.density * 0.06, 1e-15, "mass of the panel");
    mus_cloth_free(cloth);
}

static void edges_have_their_lengths_at_rest(void **state) {
    (void)state;
    mus_cloth *cloth = panel_of(MUS_MODEL_SPRINGS);
    double diagonal = sqrt(0.13);
    assert_int_equal(cloth->topology.edge_count, 5);
    near(cloth->rest_lengths[edge_between(cloth, 0, 1)], 0.3, 1e-15, "warp edge");
    near(cloth->rest_lengths[edge_between(cloth, 1, 2)], 0.2, 1e-15, "weft edge");
    near(cloth->rest_lengths[edge_between(cloth, 0, 2)], diagonal, 1e-15, "diagonal");
    near(cloth->mean_edge, (2 * 0.3 + 2 * 0.2 + diagonal) / 5, 1e-15, "mean edge");
    mus_cloth_free(cloth);
}

static void rest_mesh_decides_over_the_start_shape(void **state) {
    (void)state;
    double stretched[12];
    for (int k = 0; k < 12; k++) stretched[k] = 2 * panel[k];
    mus_cloth_def rest = def_of(panel, 4, panel_faces, 2), def = def_of(stretched, 4, panel_faces, 2);
    def.rest = rest.mesh;
    mus_cloth *cloth = cloth_from(def);
    near(cloth->x[3], 0.6, 1e-15, "start position");
    near(cloth->rest_lengths[edge_between(cloth, 0, 1)], 0.3, 1e-15, "length at rest");
    near(cloth->mass[1], cloth->material.density * 0.01, 1e-15, "mass");
    mus_mesh_destroy((mus_mesh *)(uintptr_t)rest.mesh);
    mus_cloth_free(cloth);
}

/* Lengths and masses of a crumpled sheet come from its texture. */
static void texture_is_the_rest_shape_where_wanted(void **state) {
    (void)state;
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid_mesh(3, 3, 0.4, 0.2, "xz", v3_make(0, 0, 0));
    mus_rng rng = mus_rng_make(1, 0);
    for (int k = 0; k < 27; k++) mus_mesh_get_vertices(mesh)[k] += mus_rng_between(&rng, -0.03, 0.03);
    def.mesh = mesh, def.rest_from_uv = true;
    mus_cloth *cloth = cloth_from(def);
    near(cloth->rest_lengths[edge_between(cloth, 0, 1)], 0.2, 1e-12, "warp edge");
    near(cloth->rest_lengths[edge_between(cloth, 0, 3)], 0.1, 1e-12, "weft edge");
    near(cloth->mass[4], cloth->material.density * 8 * 0.01 / 3, 1e-12, "mass of the middle, of eight faces");
    mus_cloth_free(cloth);
}

static void mass_of_a_disc_is_its_density_times_its_area(void **state) {
    (void)state;
    mus_mesh *mesh;
    must(mus_mesh_create_disc(0.3, 8, "xz", (double[3]){0, 0, 0}, &mesh));
    double area = 0, sum = 0;
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
        const int32_t *v = mus_mesh_get_faces(mesh) + 3 * f;
        v3 p[3];
        for (int k = 0; k < 3; k++) p[k] = v3_load(mus_mesh_get_vertices(mesh) + 3 * v[k]);
        area += 0.5 * v3_length(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
    }
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh;
    mus_cloth *cloth = cloth_from(def);
    for (int32_t i = 0; i < cloth->vertex_count; i++) sum += cloth->mass[i];
    near(sum / (cloth->material.density * area), 1, 1e-12, "mass");
    assert_true(area < 0.09 * 3.1415927 && area > 0.09 * 3.05); /* m^2: of an inscribed polygon */
    mus_cloth_free(cloth);
}

/* ---- springs ---- */

static void grid_has_provots_network(void **state) {
    (void)state;
    enum { NU = 5, NV = 4 };
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = grid_mesh(NU, NV, 0.4, 0.6, "xz", v3_make(0, 0, 0)); /* squares of 0.1 m x 0.2 m */
    def.material.model = MUS_MODEL_MASS_SPRING;
    mus_cloth *cloth = cloth_from(def);
    int count[MUS_SPRING_KIND_COUNT] = {0};
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        count[s->kind]++;
        int32_t a = s->a, b = (int32_t)s->b, du = abs(b % NU - a % NU), dv = abs(b / NU - a / NU);
        bool right = s->kind == MUS_SPRING_STRUCTURAL ? du + dv == 1
                     : s->kind == MUS_SPRING_SHEAR    ? du == 1 && dv == 1
                                                      : (du == 2 && dv == 0) || (du == 0 && dv == 2);
        assert_true(right);
        near(s->rest, sqrt(0.01 * du * du + 0.04 * dv * dv), 1e-12, "length at rest");
    }
    assert_int_equal(count[MUS_SPRING_STRUCTURAL], (NU - 1) * NV + NU * (NV - 1));
    assert_int_equal(count[MUS_SPRING_SHEAR], 2 * (NU - 1) * (NV - 1));
    assert_int_equal(count[MUS_SPRING_BEND], (NU - 2) * NV + NU * (NV - 2));
    mus_cloth_free(cloth);
}

static void free_mesh_has_a_structural_spring_per_edge(void **state) {
    (void)state;
    mus_cloth *cloth = panel_of(MUS_MODEL_SPRINGS);
    assert_int_equal(cloth->spring_count, 5); /* cotton has no bend springs: hinges resist bending */
    for (int k = 0; k < 5; k++) {
        assert_int_equal(cloth->springs[k].kind, MUS_SPRING_STRUCTURAL);
        near(cloth->springs[k].rest, cloth->rest_lengths[k], 0, "length at rest");
    }
    near(cloth->spring_laws[MUS_SPRING_STRUCTURAL].stiffness, cloth->material.stretch, 0, "stiffness, N/m");
    mus_cloth_free(cloth);
}

/* ---- hinges ---- */

static void flat_hinge_has_its_constants(void **state) {
    (void)state;
    mus_cloth *cloth = panel_of(MUS_MODEL_SPRINGS);
    assert_int_equal(cloth->hinge_count, 1); /* of the diagonal; the boundary has none */
    const mus_hinge *h = &cloth->hinges[0];
    assert_true(h->vertex[0] == 0 && h->vertex[1] == 2 && h->vertex[2] == 1 && h->vertex[3] == 3);
    near(h->rest, 0, 0, "bend at rest");
    double stiffness = cloth->material.bending / 0.06;
    near((double)h->stiffness / stiffness, 1, 1e-6, "stiffness, N/m");
    near((double)h->moment / (stiffness * 0.13), 1, 1e-6, "moment, N m");
    /* right angles at vertices 1 and 3: cotangents of the others are 0.3/0.2 and 0.2/0.3 */
    near((double)h->weight[0], 1.5 + 2 / 3.0, 1e-6, "weight of an end");
    near((double)h->weight[2], -(1.5 + 2 / 3.0), 1e-6, "weight of an opposite corner");
    double sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
        sum[3] += (double)h->weight[k];
        for (int c = 0; c < 3; c++) sum[c] += (double)h->weight[k] * panel[3 * h->vertex[k] + c];
    }
    for (int c = 0; c < 4; c++) near(sum[c], 0, 1e-6, "curvature of a flat panel");
    mus_cloth_free(cloth);
}

/* Two faces on the edge from (0, 0, 0) to (0, 0, 1), the second turned up by `angle`. */
static void fold_faces(double angle, double x[12]) {
    const double flat[12] = {0, 0, 0, 0, 0, 1, 1, 0, 0.5, -mus_cos(angle), mus_sin(angle), 0.5};
    memcpy(x, flat, sizeof flat);
}

static bool measure(const double x[12], mus_hinge_shape *shape) {
    return mus_hinge_measure(v3_load(x), v3_load(x + 3), v3_load(x + 6), v3_load(x + 9), shape);
}

static void bend_is_twice_the_tangent_of_half_the_angle(void **state) {
    (void)state;
    const double angles[] = {-2, -1.2, -0.3, 0, 0.1, 1, 2};
    for (int k = 0; k < 7; k++) {
        double x[12];
        mus_hinge_shape shape = {0}, other = {0};
        fold_faces(angles[k], x);
        assert_true(measure(x, &shape));
        double half = angles[k] / 2;
        near(fabs(shape.bend), 2 * mus_sin(fabs(half)) / mus_cos(half), 1e-12, "size of the bend");
        near(fabs(shape.sine), mus_sin(fabs(angles[k])), 1e-12, "sine");
        near(shape.cosine, mus_cos(angles[k]), 1e-12, "cosine");
        near(shape.height[0], 1, 1e-12, "height of the first face");
        near(shape.height[1], 1, 1e-12, "height of the second face");
        if (k > 3) { /* the sign is that of the side */
            fold_faces(-angles[k], x);
            assert_true(measure(x, &other));
            near(shape.bend + other.bend, 0, 1e-12, "sign of the bend");
        }
    }
}

static void bend_is_bounded_where_faces_fold_over(void **state) {
    (void)state;
    double x[12];
    mus_hinge_shape shape = {0};
    fold_faces(3.1, x);
    assert_true(measure(x, &shape));
    near(fabs(shape.bend), MUS_LARGEST_BEND, 0, "bend");
    assert_false(mus_hinge_measure(v3_load(x), v3_load(x), v3_load(x + 6), v3_load(x + 9), &shape));
    x[6] = 0; /* a corner on the edge: no area */
    assert_false(measure(x, &shape));
}

static void folded_cloth_is_at_rest_as_it_is(void **state) {
    (void)state;
    double x[12];
    const int32_t faces[6] = {0, 1, 2, 1, 0, 3};
    fold_faces(0.8, x);
    mus_cloth *cloth = cloth_from(def_of(x, 4, faces, 2));
    near(fabs(cloth->hinges[0].rest), 2 * mus_sin(0.4) / mus_cos(0.4), 1e-12, "bend at rest");
    mus_cloth_free(cloth);
    mus_cloth_def def = def_of(x, 4, faces, 2);
    def.material.model = MUS_MODEL_STVK;
    cloth = cloth_from(def);
    near(fabs(cloth->sheet->folds[0].rest), 0.8, 1e-12, "angle at rest");
    mus_cloth_free(cloth);
}

static void hinges_are_the_edges_within(void **state) {
    (void)state;
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = grid_mesh(6, 5, 0.5, 0.4, "xz", v3_make(0, 0, 0));
    mus_cloth *cloth = cloth_from(def);
    int32_t boundary = 2 * 5 + 2 * 4;
    assert_int_equal(cloth->topology.edge_count, 6 * 4 + 5 * 5 + 5 * 4);
    assert_int_equal(cloth->topology.boundary_edge_count, boundary);
    assert_int_equal(cloth->hinge_count, cloth->topology.edge_count - boundary);
    mus_cloth_free(cloth);
}

/* ---- membranes ---- */

/* Columns of the deformation gradient: f_a = sum over k of n[k][a] (x[k + 1] - x[0]). */
static v3 gradient_column(const mus_cloth *cloth, int32_t f, int a, const v3 *x) {
    const mus_membrane_face *face = &cloth->sheet->faces[f];
    const int32_t *v = cloth->faces + 3 * f;
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) sum = v3_axpy(face->n[k][a], v3_sub(x[v[k + 1]], x[v[0]]), sum);
    return sum;
}

static void membrane_reproduces_linear_deformations(void **state) {
    (void)state;
    mus_cloth *cloth = panel_of(MUS_MODEL_STVK);
    v3 warp = v3_make(1.1, 0.2, -0.3), weft = v3_make(0.1, 0.9, 0.4), x[4];
    for (int i = 0; i < 4; i++) x[i] = v3_axpy(panel[3 * i], warp, v3_scale(panel[3 * i + 1], weft));
    for (int32_t f = 0; f < 2; f++) {
        near(cloth->sheet->faces[f].weight, 0.03, 1e-15, "area");
        near(v3_length(v3_sub(gradient_column(cloth, f, 0, x), warp)), 0, 1e-12, "warp column");
        near(v3_length(v3_sub(gradient_column(cloth, f, 1, x), weft)), 0, 1e-12, "weft column");
    }
    mus_cloth_free(cloth);
}

static void warp_angle_turns_the_warp(void **state) {
    (void)state;
    const mus_material_model models[] = {MUS_MODEL_STVK, MUS_MODEL_SPRINGS};
    for (int k = 0; k < 2; k++) {
        mus_cloth_def def = def_of(panel, 4, panel_faces, 2);
        def.material.model = models[k], def.material.warp_angle = 0.5;
        mus_cloth *cloth = cloth_from(def);
        v3 warp[4];
        mus_cloth_compute_warps(cloth, (const v3 *)cloth->x, warp);
        for (int i = 0; i < 4; i++) {
            v3 wanted = v3_make(mus_cos(0.5), mus_sin(0.5), 0);
            near(v3_length(v3_sub(v3_normalized(warp[i]), wanted)), 0, 1e-6, "direction of the warp");
        }
        mus_cloth_free(cloth);
    }
}

static void twist_follows_from_the_bias_strip(void **state) {
    (void)state;
    const double warp = 3e-5, weft = 1e-5, bias = 2e-5;
    mus_rigidity d = mus_rigidity_of(warp, weft, bias);
    near(4 / bias, 1 / d.warp + 1 / d.weft + 1 / d.twist, 1e-6, "4/bias = 1/warp + 1/weft + 1/twist");
    near(mus_largest_bias(warp, weft), 4 / (1 / warp + 1 / weft), 1e-18, "largest bias, of a rigid twist");
    d = mus_rigidity_of(warp, weft, 1); /* more than any twist gives */
    near(4 / (1 / d.warp + 1 / d.weft + 1 / d.twist), 0.95 * mus_largest_bias(warp, weft), 1e-12, "bias that is left");
    near(mus_rigidity_of(warp, weft, 0).twist, 0, 0, "twist without a bias");
}

/* ---- others ---- */

static void normals_are_the_mean_by_area(void **state) {
    (void)state;
    double x[12];
    const int32_t faces[6] = {0, 1, 2, 1, 0, 3};
    fold_faces(1, x);
    x[9] *= 3, x[10] *= 3; /* the second face has three times the area */
    mus_cloth *cloth = cloth_from(def_of(x, 4, faces, 2));
    must(mus_cloth_compute_normals(cloth));
    v3 first = v3_make(0, 1, 0), second = v3_make(mus_sin(1), mus_cos(1), 0);
    near(v3_length(v3_sub(v3_load(cloth->normals + 6), first)), 0, 1e-12, "normal of the first face");
    near(v3_length(v3_sub(v3_load(cloth->normals + 9), second)), 0, 1e-12, "normal of the second face");
    v3 mean = v3_normalized(v3_axpy(3, second, first));
    near(v3_length(v3_sub(v3_load(cloth->normals), mean)), 0, 1e-12, "normal on the edge");
    mus_cloth_free(cloth);
}

static void mesh_without_area_or_length_is_refused(void **state) {
    (void)state;
    double x[15] = {0, 0, 0, 0.3, 0, 0, 0.3, 0.2, 0, 0, 0.2, 0, 1, 1, 1};
    const char *const reasons[] = {"face 1 has no area at rest", "has no length at rest",
                                   "vertex 5 belongs to no face"};
    for (int k = 0; k < 3; k++) {
        memcpy(x, panel, sizeof panel);
        if (k == 0) x[3] = 0.15, x[4] = 0.1; /* on the diagonal */
        if (k == 1) x[3] = x[4] = 0;         /* on vertex 0 */
        mus_cloth_def def = def_of(x, k == 2 ? 5 : 4, panel_faces, 2);
        mus_cloth *cloth;
        must_be(MUS_STATUS_TOPOLOGY, mus_cloth_new(&def, "cloth", &cloth));
        assert_non_null(strstr(mus_get_error_message(), reasons[k]));
        assert_null(cloth);
        mus_mesh_destroy((mus_mesh *)(uintptr_t)def.mesh);
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_has_a_third_of_the_mass_of_its_faces),
        cmocka_unit_test(edges_have_their_lengths_at_rest),
        cmocka_unit_test(rest_mesh_decides_over_the_start_shape),
        cmocka_unit_test(texture_is_the_rest_shape_where_wanted),
        cmocka_unit_test(mass_of_a_disc_is_its_density_times_its_area),
        cmocka_unit_test(grid_has_provots_network),
        cmocka_unit_test(free_mesh_has_a_structural_spring_per_edge),
        cmocka_unit_test(flat_hinge_has_its_constants),
        cmocka_unit_test(bend_is_twice_the_tangent_of_half_the_angle),
        cmocka_unit_test(bend_is_bounded_where_faces_fold_over),
        cmocka_unit_test(folded_cloth_is_at_rest_as_it_is),
        cmocka_unit_test(hinges_are_the_edges_within),
        cmocka_unit_test(membrane_reproduces_linear_deformations),
        cmocka_unit_test(warp_angle_turns_the_warp),
        cmocka_unit_test(twist_follows_from_the_bias_strip),
        cmocka_unit_test(normals_are_the_mean_by_area),
        cmocka_unit_test(mesh_without_area_or_length_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
