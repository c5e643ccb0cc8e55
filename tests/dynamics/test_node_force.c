/* test_node_force.c: traced forces on vertices: what their derivatives hold, in every form and together, against the
 * program's own numbers made symmetric and positive; the same bits under every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "linear/psd.h"
#include "base/simd.h"
#include "dynamics/node_force.h"
#include "../base/checks.h"
#include "../trace/graphs.h"

#include <math.h>
#include <stdio.h>

enum { NODES = 13, COUNT = NODES * NODES, LAWS = 7 }; /* not a multiple of the SIMD width */

static const char *const levels[] = {"baseline", "avx2", "avx512"};

static mus_cloth *sheet(void) {
    mus_mesh *mesh;
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {NODES, NODES}, .size = {1, 1}};
    mus_cloth_def def = mus_cloth_def_default();
    mus_cloth *cloth;
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    def.mesh = mesh;
    assert_int_equal(mus_cloth_new(&def, "sheet", &cloth), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    for (int32_t i = 0; i < 3 * COUNT; i++)
        cloth->x[i] += 0.01 * (i % 5), cloth->v[i] = i % 11 == 0 ? 0 : 0.3 * sin(i) - (i % 3 == 1 ? 0.4 : 0);
    cloth->force_jacobian = mus_new(sizeof(double) * mus_cloth_force_jacobian_size(cloth));
    assert_int_equal(mus_cloth_compute_normals(cloth), MUS_STATUS_OK);
    assert_int_equal(mus_cloth_compute_areas(cloth), MUS_STATUS_OK);
    return cloth;
}

/* 0: constant; 1: uniform by place; 2: diagonal, of either sign; 3: |v| v; 4: along the normal alone: eigenvalues of
 * zero; 5: a turn and a saddle: no symmetry, either sign; 6: uniform by place and velocity. */
static mus_program *law(int which) {
    mus_graph *g;
    mus_program *p;
    mus_node x[3], v[3], n[3], f[3];
    assert_int_equal(mus_graph_create(&g), MUS_STATUS_OK);
    mus_node mass = mus_graph_add_input(g, MUS_INPUT_MASS), area = mus_graph_add_input(g, MUS_INPUT_AREA);
    for (int k = 0; k < 3; k++)
        x[k] = mus_graph_add_input(g, MUS_INPUT_POSITION + k), v[k] = mus_graph_add_input(g, MUS_INPUT_VELOCITY + k),
        n[k] = mus_graph_add_input(g, MUS_INPUT_NORMAL + k);
    mus_node speed = mus_graph_add_operation(g, MUS_OP_SQRT, dot(g, v, v), -1, -1);
    mus_node stiff = two(g, MUS_OP_MUL, mus_graph_add_constant(g, -30), mass);
    mus_node drag = two(g, MUS_OP_MUL, mus_graph_add_constant(g, -2), area), through = dot(g, n, v);
    for (int k = 0; k < 3; k++) {
        mus_node next = x[(k + 1) % 3], spring = two(g, MUS_OP_MUL, stiff, x[k]);
        f[k] = which == 0   ? two(g, MUS_OP_MUL, mass, mus_graph_add_constant(g, k))
               : which == 1 ? spring
               : which == 2 ? mus_graph_add_operation(g, MUS_OP_SIN,
                                                      two(g, MUS_OP_MUL, mus_graph_add_constant(g, 7), x[k]), -1, -1)
               : which == 3 ? two(g, MUS_OP_MUL, two(g, MUS_OP_MUL, drag, speed), v[k])
               : which == 4 ? two(g, MUS_OP_MUL, two(g, MUS_OP_MUL, drag, through), n[k])
               : which == 5 ? two(g, MUS_OP_SUB, two(g, MUS_OP_MUL, next, next), two(g, MUS_OP_MUL, x[k], v[k]))
                            : two(g, MUS_OP_ADD, spring, two(g, MUS_OP_MUL, drag, v[k]));
    }
    assert_int_equal(mus_program_create(MUS_PROGRAM_NODE_FORCE, g, f, 3, &p), MUS_STATUS_OK);
    return p;
}

static void add(const mus_program *p, mus_cloth *cloth) {
    int32_t vertex;
    v3 wrong;
    double *memory = mus_new(sizeof *memory * (size_t)mus_node_force_register_count(p));
    assert_true(mus_node_force_add(p, cloth, 0.5, 0.01, true, memory, &vertex, &wrong));
    mus_free(memory);
}

static void begin(mus_cloth *cloth) {
    memset(cloth->f, 0, sizeof(v3) * COUNT);
    memset(cloth->jacobian_form, MUS_JACOBIAN_NONE, sizeof cloth->jacobian_form);
    memset(cloth->force_jacobian, 0x7f,
           sizeof(double) * mus_cloth_force_jacobian_size(cloth)); /* what was there is not looked at */
}

/* xx yy zz xy xz yz of vertex i. */
static void stored_jacobian(const mus_cloth *cloth, int by, int i, double out[6]) {
    for (int k = 0; k < 6; k++) {
        const double *column = mus_cloth_force_jacobian(cloth, by, k);
        mus_jacobian_form form = cloth->jacobian_form[by];
        out[k] = form == MUS_JACOBIAN_FULL || (form == MUS_JACOBIAN_DIAGONAL && k < 3) ? column[i]
                 : form == MUS_JACOBIAN_UNIFORM && k < 3 ? mus_cloth_force_jacobian(cloth, by, 0)[i]
                                                         : 0;
    }
}

/* Adds the law's force and what it should hold, from the numbers that users get. */
static void expect(const mus_program *p, const mus_cloth *cloth, double force[COUNT][3], double jacobian[2][COUNT][6]) {
    static const int slot[3] = {MUS_INPUT_POSITION, MUS_INPUT_VELOCITY, MUS_INPUT_NORMAL};
    static double in[MUS_INPUT_COUNT][COUNT], out[21][COUNT];
    const double *inputs[MUS_INPUT_COUNT], *of[3] = {cloth->x, cloth->v, cloth->normals};
    double *outputs[21];
    for (int k = 0; k < MUS_INPUT_COUNT; k++) inputs[k] = in[k];
    for (int k = 0; k < 21; k++) outputs[k] = out[k];
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 9; k++) in[slot[k / 3] + k % 3][i] = of[k / 3][3 * i + k % 3];
        in[MUS_INPUT_MASS][i] = cloth->mass[i], in[MUS_INPUT_AREA][i] = cloth->areas[i];
    }
    assert_int_equal(mus_program_evaluate(p, inputs, COUNT, outputs), MUS_STATUS_OK);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) force[i][k] += out[k][i];
        for (int by = 0; by < 2; by++) {
            double m[9], values[9], vectors[9];
            for (int k = 0; k < 9; k++)
                m[k] = values[k] = -0.5 * (out[3 + 9 * by + k][i] + out[3 + 9 * by + 3 * (k % 3) + k / 3][i]);
            mus_eigen_symmetric(values, vectors, 3);
            memset(m, 0, sizeof m);
            for (int e = 0; e < 3; e++)
                for (int k = 0; k < 9; k++)
                    m[k] += fmax(0, values[4 * e]) * vectors[3 * (k / 3) + e] * vectors[3 * (k % 3) + e];
            static const int place[6] = {0, 4, 8, 1, 2, 5};
            for (int k = 0; k < 6; k++) jacobian[by][i][k] += m[place[k]];
        }
    }
}

static void check(const mus_cloth *cloth, double force[COUNT][3], double jacobian[2][COUNT][6], const char *what) {
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++)
            if (cloth->f[3 * i + k] != force[i][k]) fail_msg("%s: force %d of vertex %d", what, k, i);
        for (int by = 0; by < 2; by++) {
            double m[6], size = 0;
            stored_jacobian(cloth, by, i, m);
            for (int k = 0; k < 6; k++) size = fmax(size, fabs(jacobian[by][i][k]));
            for (int k = 0; k < 6; k++)
                if (!(fabs(m[k] - jacobian[by][i][k]) <= 1e-12 * size))
                    fail_msg("%s: entry %d of %c of vertex %d: %a, not %a", what, k, "KD"[by], i, m[k],
                             jacobian[by][i][k]);
            double whole[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]}, vectors[9];
            mus_eigen_symmetric(whole, vectors, 3);
            for (int e = 0; e < 9; e += 4) assert_true(whole[e] >= -1e-15 * size);
        }
    }
}

static uint64_t bits_of(const mus_cloth *cloth) {
    uint64_t sum = 0;
    for (int by = 0; by < 2; by++)
        for (int i = 0; i < COUNT; i++) {
            double m[6];
            uint64_t word[6];
            stored_jacobian(cloth, by, i, m);
            memcpy(word, m, sizeof word);
            for (int k = 0; k < 6; k++) sum = 31 * sum + word[k];
        }
    return sum;
}

static void test_forms(void **state) {
    (void)state;
    static const mus_jacobian_form forms[LAWS][2] = {
        {MUS_JACOBIAN_NONE, MUS_JACOBIAN_NONE},      {MUS_JACOBIAN_UNIFORM, MUS_JACOBIAN_NONE},
        {MUS_JACOBIAN_DIAGONAL, MUS_JACOBIAN_NONE},  {MUS_JACOBIAN_NONE, MUS_JACOBIAN_FULL},
        {MUS_JACOBIAN_NONE, MUS_JACOBIAN_FULL},      {MUS_JACOBIAN_FULL, MUS_JACOBIAN_DIAGONAL},
        {MUS_JACOBIAN_UNIFORM, MUS_JACOBIAN_UNIFORM}};
    static double force[COUNT][3], jacobian[2][COUNT][6];
    mus_cloth *cloth = sheet();
    for (int which = 0; which < LAWS; which++) {
        mus_program *p = law(which);
        uint64_t bits = 0;
        for (int level = 0; level < 3; level++) {
            if (mus_set_simd_level(levels[level]) != MUS_STATUS_OK) continue;
            char what[40];
            snprintf(what, sizeof what, "law %d under %s", which, levels[level]);
            memset(force, 0, sizeof force), memset(jacobian, 0, sizeof jacobian);
            begin(cloth);
            add(p, cloth);
            expect(p, cloth, force, jacobian);
            check(cloth, force, jacobian, what);
            for (int by = 0; by < 2; by++) assert_int_equal(cloth->jacobian_form[by], forms[which][by]);
            if (level == 0) bits = bits_of(cloth);
            assert_true(bits_of(cloth) == bits);
        }
        mus_program_release(p);
    }
    mus_set_simd_level(NULL);
    mus_cloth_free(cloth);
}

/* One after the other onto the same cloth, in every order of two. */
static void test_together(void **state) {
    (void)state;
    static double force[COUNT][3], jacobian[2][COUNT][6];
    mus_cloth *cloth = sheet();
    for (int a = 0; a < LAWS; a++)
        for (int b = 0; b < LAWS; b++) {
            mus_program *p[2] = {law(a), law(b)};
            char what[40];
            snprintf(what, sizeof what, "laws %d and %d", a, b);
            memset(force, 0, sizeof force), memset(jacobian, 0, sizeof jacobian);
            begin(cloth);
            for (int k = 0; k < 2; k++) {
                add(p[k], cloth);
                expect(p[k], cloth, force, jacobian);
                mus_program_release(p[k]);
            }
            check(cloth, force, jacobian, what);
        }
    mus_cloth_free(cloth);
}

/* The first vertex whose force is not finite is named, wherever in a block it is. */
static void test_not_finite(void **state) {
    (void)state;
    mus_cloth *cloth = sheet();
    mus_program *p = law(1);
    double *memory = mus_new(sizeof *memory * (size_t)mus_node_force_register_count(p));
    for (int level = 0; level < 3; level++) {
        if (mus_set_simd_level(levels[level]) != MUS_STATUS_OK) continue;
        for (int i = 0; i < COUNT; i += 7) {
            double had = cloth->x[3 * i + i % 3];
            int32_t vertex = -1;
            v3 wrong = v3_make(0, 0, 0);
            cloth->x[3 * i + i % 3] = i % 2 ? INFINITY : NAN;
            assert_false(mus_node_force_add(p, cloth, 0, 0.01, i % 2, memory, &vertex, &wrong));
            assert_int_equal(vertex, i);
            assert_false(v3_finite(wrong));
            cloth->x[3 * i + i % 3] = had;
        }
    }
    mus_set_simd_level(NULL);
    mus_free(memory);
    mus_program_release(p);
    mus_cloth_free(cloth);
}

/* A third of each face at its corners, of a flat sheet whose faces are all alike. */
static void test_areas(void **state) {
    (void)state;
    mus_cloth *cloth = sheet();
    const double face = 4 * 0.5 / ((NODES - 1) * (NODES - 1));
    int32_t faces[COUNT] = {0};
    for (int32_t i = 0; i < COUNT; i++) { /* stretched to twice its sides */
        cloth->x[3 * i] = 2.0 * (i % NODES) / (NODES - 1), cloth->x[3 * i + 1] = 0;
        cloth->x[3 * i + 2] = 2.0 * (double)(i / NODES) / (NODES - 1);
        cloth->mass[i] = 1 + i; /* does not matter */
    }
    for (int32_t k = 0; k < 3 * cloth->face_count; k++) faces[cloth->faces[k]]++;
    assert_int_equal(mus_cloth_compute_areas(cloth), MUS_STATUS_OK);
    for (int32_t i = 0; i < COUNT; i++) near(cloth->areas[i], faces[i] * face / 3, 1e-12, "area of a vertex");
    mus_cloth_free(cloth);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_not_finite), cmocka_unit_test(test_areas)};
    return cmocka_run_group_tests_name("node_force", tests, NULL, NULL);
}
