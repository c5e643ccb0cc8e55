/* test_audit.c: the auditor against hand-made scenes, brute force over all pairs, and sampled depths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../base/scarce.h"
#include "base/rng.h"
#include "base/vec.h"
#include "narrow/audit.h"
#include "narrow/audit_inside.h"
#include "narrow/triangles.h"
#include "muslin.h"

static mus_rng rng;

static double between(double a, double b) {
    return mus_rng_between(&rng, a, b);
}
static v3 random_v3(double s) {
    double x = between(-s, s), y = between(-s, s), z = between(-s, s);
    return v3_make(x, y, z);
}

static mus_audit_object of_mesh(bool cloth, mus_mesh *mesh) {
    return (mus_audit_object){.cloth = cloth,
                              .vertices = mus_mesh_get_vertices(mesh),
                              .faces = mus_mesh_get_faces(mesh),
                              .vertex_count = mus_mesh_get_vertex_count(mesh),
                              .face_count = mus_mesh_get_face_count(mesh)};
}

static mus_audit_report audit(const mus_audit_object *objects, int count, double tolerance) {
    mus_audit_report report;
    assert_int_equal(mus_audit_scene(objects, count, NULL, NULL, tolerance, 1, &report), MUS_STATUS_OK);
    assert_int_equal(report.finding_count, report.intersections + report.inside);
    return report;
}

/* One cloth object from plain arrays; `want` as {intersections, touches}. */
static void expect_faces(const double *x, int nv, const int32_t *faces, int nf, int intersections, int touches,
                         mus_audit_kind kind) {
    mus_audit_object o = {.cloth = true, .vertices = x, .faces = faces, .vertex_count = nv, .face_count = nf};
    mus_audit_report r = audit(&o, 1, 1e-4);
    assert_int_equal(r.intersections, intersections);
    assert_int_equal(r.touches, touches);
    for (int64_t i = 0; i < r.finding_count; i++) {
        assert_int_equal(r.findings[i].kind, kind);
        assert_int_equal(r.findings[i].part[0], 0);
        assert_int_equal(r.findings[i].part[1], 0);
        assert_true(r.findings[i].face[0] < r.findings[i].face[1]);
    }
    mus_audit_report_destroy(&r);
    assert_null(r.findings);
}

static void test_hand_made(void **state) {
    (void)state;
    const int32_t two[6] = {0, 1, 2, 3, 4, 5}, fan[6] = {0, 1, 2, 0, 3, 4}, hinge[6] = {0, 1, 2, 1, 0, 3};
    /* an edge through a face */
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, -1, 0.5, 0.5, 1, 3, 3, 0}, 6, two, 2, 1, 0,
                 MUS_AUDIT_CROSSING);
    /* a corner resting on a face; an edge lying in a face; side by side in a plane; apart */
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, 0, 0.5, 0.5, 1, 3, 3, 1}, 6, two, 2, 0, 1, 0);
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, 0, 0.6, 0.5, 0, 3, 3, 1}, 6, two, 2, 0, 1, 0);
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, 0, 3, 0.5, 0, 3, 3, 0}, 6, two, 2, 0, 1, 0);
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, 1e-9, 3, 0.5, 1, 3, 3, 1}, 6, two, 2, 0, 0, 0);
    /* one common vertex: flat fan, the opposite edge through, the opposite edge resting on the face */
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 2, 1, 0, -2, 0, 0, -2, 1, 0}, 5, fan, 2, 0, 0, 0);
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 2, 2, 0, 1, 0.5, -1, 1, 0.5, 1}, 5, fan, 2, 1, 0, MUS_AUDIT_VERTEX_PAIR);
    expect_faces((double[]){0, 0, 0, 2, 0, 0, 2, 2, 0, 1, 0.5, 0, 1, 0.5, 1}, 5, fan, 2, 0, 1, 0);
    /* a common edge: flat, folded onto each other, folded nearly */
    expect_faces((double[]){0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0}, 4, hinge, 2, 0, 0, 0);
    expect_faces((double[]){0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.3, 0.5, 0}, 4, hinge, 2, 1, 0, MUS_AUDIT_EDGE_PAIR);
    expect_faces((double[]){0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.3, 0.5, 1e-12}, 4, hinge, 2, 0, 0, 0);
    /* the same face twice */
    const int32_t same[6] = {0, 1, 2, 1, 2, 0};
    expect_faces((double[]){0, 0, 0, 1, 0, 0, 0.5, 1, 0}, 3, same, 2, 1, 0, MUS_AUDIT_EDGE_PAIR);
}

/* The same, pair by pair without a tree. */
static void brute(const double *x, const int32_t *faces, int nf, int64_t *crossings, int64_t *touches) {
    *crossings = *touches = 0;
    for (int i = 0; i < nf; i++)
        for (int j = i + 1; j < nf; j++) {
            const int32_t *f = faces + 3 * i, *g = faces + 3 * j;
            int only_f[3], only_g[3], nof = 0, nog = 0, common[3], n = 0;
            for (int k = 0; k < 3; k++) {
                if (f[k] == g[0] || f[k] == g[1] || f[k] == g[2])
                    common[n++] = f[k];
                else
                    only_f[nof++] = f[k];
                if (!(g[k] == f[0] || g[k] == f[1] || g[k] == f[2])) only_g[nog++] = g[k];
            }
            int intersection;
            if (n == 0) {
                const double *const a[3] = {x + 3 * f[0], x + 3 * f[1], x + 3 * f[2]};
                const double *const b[3] = {x + 3 * g[0], x + 3 * g[1], x + 3 * g[2]};
                intersection = (int)mus_triangles_intersect(a, b);
            } else if (n == 1) {
                intersection = (int)mus_triangles_intersect_at_vertex(
                    x + 3 * common[0], x + 3 * only_f[0], x + 3 * only_f[1], x + 3 * only_g[0], x + 3 * only_g[1]);
            } else {
                intersection = n == 3 || mus_triangles_overlap_at_edge(x + 3 * common[0], x + 3 * common[1],
                                                                       x + 3 * only_f[0], x + 3 * only_g[0]);
            }
            *crossings += intersection == 1;
            *touches += intersection == 2;
        }
}

/* Crumpled grids and soups: the tree loses nothing, and each pair comes once. */
static void test_tree_against_brute(void **state) {
    (void)state;
    rng = mus_rng_make(41, 0);
    int64_t found = 0, touched = 0;
    for (int round = 0; round < 40; round++) {
        mus_mesh *mesh;
        mus_grid_def def = {mus_grid_def_default().cookie,
                            .nodes = {2 + (int32_t)mus_rng_below(&rng, 17), 2 + (int32_t)mus_rng_below(&rng, 17)},
                            .size = {1, 1}};
        assert_int_equal(mus_mesh_create_grid(&def, &mesh), MUS_STATUS_OK);
        double *x = mus_mesh_get_vertices(mesh);
        int nv = mus_mesh_get_vertex_count(mesh), nf = mus_mesh_get_face_count(mesh);
        for (int i = 0; i < 3 * nv; i++) {
            if (round % 4 == 0) x[i] += between(-0.05, 0.05);
            if (round % 4 == 1) x[i] = between(0, 1);
            if (round % 4 == 2) x[i] = (double)mus_rng_below(&rng, 4); /* many touches, shapes without area */
        }
        int64_t crossings, touches;
        brute(x, mus_mesh_get_faces(mesh), nf, &crossings, &touches);
        mus_audit_object o = of_mesh(true, mesh);
        mus_audit_report r = audit(&o, 1, 1e-4);
        assert_int_equal(r.intersections, crossings);
        assert_int_equal(r.touches, touches);
        assert_true(r.pairs_tested <= (int64_t)nf * (nf - 1) / 2);
        found += crossings, touched += touches;
        mus_audit_report_destroy(&r);
        mus_mesh_destroy(mesh);
    }
    assert_true(found > 1000 && touched > 1000);
}

static bool ignore_all(const void *user, int32_t a, int32_t b) {
    const int32_t *pair = user;
    return a == pair[0] && b == pair[1];
}

/* Which objects are compared: cloth with itself, other cloth and obstacles; never obstacles with each other. */
static void test_objects(void **state) {
    (void)state;
    const double x[18] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, -1, 0.5, 0.5, 1, 3, 3, 0};
    const int32_t both[6] = {0, 1, 2, 3, 4, 5}, one[3] = {0, 1, 2};
    mus_audit_object whole = {.cloth = true, .vertices = x, .faces = both, .vertex_count = 6, .face_count = 2};
    mus_audit_object first = {.cloth = true, .vertices = x, .faces = one, .vertex_count = 3, .face_count = 1};
    mus_audit_object second = {.cloth = true, .vertices = x + 9, .faces = one, .vertex_count = 3, .face_count = 1};
    mus_audit_report r;

    mus_audit_object pair[2] = {first, second};
    for (int kinds = 0; kinds < 4; kinds++) {
        pair[0].cloth = kinds & 1, pair[1].cloth = kinds & 2;
        r = audit(pair, 2, 1e-4);
        assert_int_equal(r.intersections, kinds == 0 ? 0 : 1);
        if (kinds) {
            assert_int_equal(r.findings[0].kind, MUS_AUDIT_CROSSING);
            assert_int_equal(r.findings[0].part[0], 0);
            assert_int_equal(r.findings[0].part[1], 1);
        }
        mus_audit_report_destroy(&r);
    }
    pair[0].cloth = pair[1].cloth = true;
    int32_t ignored[2] = {0, 1};
    assert_int_equal(mus_audit_scene(pair, 2, ignore_all, ignored, 1e-4, 1, &r), MUS_STATUS_OK);
    assert_int_equal(r.intersections, 0);
    ignored[0] = ignored[1] = 0;
    assert_int_equal(mus_audit_scene(&whole, 1, ignore_all, ignored, 1e-4, 1, &r), MUS_STATUS_OK);
    assert_int_equal(r.intersections, 0);
    ignored[0] = 5;
    assert_int_equal(mus_audit_scene(&whole, 1, ignore_all, ignored, 1e-4, 1, &r), MUS_STATUS_OK);
    assert_int_equal(r.intersections, 1);
    mus_audit_report_destroy(&r);
    whole.cloth = false;
    r = audit(&whole, 1, 1e-4);
    assert_int_equal(r.intersections, 0);
}

/* Points against a closed mesh whose inside is known, with rays through vertices and along edges on purpose. */
static void test_inside_box_mesh(void **state) {
    (void)state;
    rng = mus_rng_make(42, 0);
    mus_mesh *box, *fine;
    assert_int_equal(mus_mesh_create_box((double[]){2, 2, 2}, (double[]){0, 0, 0}, &box), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_subdivide(box, 2, &fine), MUS_STATUS_OK);
    int32_t flipped[3 * 192], nf = mus_mesh_get_face_count(fine);
    assert_int_equal(nf, 192);
    for (int32_t i = 0; i < nf; i++) { /* 0: as built, 1: inside out, 2: at random, so that only parity holds */
        flipped[3 * i] = mus_mesh_get_faces(fine)[3 * i];
        flipped[3 * i + 1] = mus_mesh_get_faces(fine)[3 * i + 2];
        flipped[3 * i + 2] = mus_mesh_get_faces(fine)[3 * i + 1];
    }
    int inside = 0;
    for (int i = 0; i < 30000; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) /* on grid lines of the surface's edges half the time */
            p[k] = i % 2 ? 0.25 * ((double)mus_rng_below(&rng, 13) - 6) : between(-1.5, 1.5);
        double depth = fmin(1 - fabs(p[0]), fmin(1 - fabs(p[1]), 1 - fabs(p[2])));
        int32_t mixed[3 * 192];
        mus_audit_object o[2] = {{.cloth = true, .vertices = p, .vertex_count = 1}, of_mesh(false, fine)};
        if (i % 3 == 1) o[1].faces = flipped;
        if (i % 3 == 2) {
            for (int f = 0; f < 192; f++)
                memcpy(mixed + 3 * f, (f % 5 ? flipped : mus_mesh_get_faces(fine)) + 3 * f, 3 * sizeof(int32_t));
            o[1].faces = mixed;
        }
        mus_audit_report r = audit(o, 2, 1e-4);
        assert_int_equal(r.inside, depth > 1e-4);
        if (depth > 1e-4) {
            assert_true(fabs(r.max_depth - depth) < 1e-12);
            assert_int_equal(r.findings[0].kind, MUS_AUDIT_INSIDE);
            assert_int_equal(r.findings[0].face[0], 0);
            assert_int_equal(r.findings[0].face[1], -1);
            inside++;
        } else {
            assert_true(r.max_depth <= 1e-4);
        }
        mus_audit_report_destroy(&r);
    }
    assert_true(inside > 5000);
    mus_mesh_destroy(box);
    mus_mesh_destroy(fine);
}

/* Open meshes have no inside; where two closed parts of one mesh overlap, it is inside still. */
static void test_inside_parts(void **state) {
    (void)state;
    mus_mesh *grid, *a, *b;
    double p[3] = {0, -0.1, 0};
    mus_grid_def def = {mus_grid_def_default().cookie, .nodes = {5, 5}, .size = {1, 1}};
    assert_int_equal(mus_mesh_create_grid(&def, &grid), MUS_STATUS_OK);
    mus_audit_object o[2] = {{.cloth = true, .vertices = p, .vertex_count = 1}, of_mesh(false, grid)};
    mus_audit_report r = audit(o, 2, 1e-4);
    assert_int_equal(r.inside, 0);

    assert_int_equal(mus_mesh_create_sphere(1, 2, (double[]){0.3, 0, 0}, &a), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_create_sphere(1, 2, (double[]){-0.3, 0, 0}, &b), MUS_STATUS_OK);
    int na = mus_mesh_get_vertex_count(a), fa = mus_mesh_get_face_count(a);
    double *x = malloc((size_t)na * 6 * sizeof *x);
    int32_t *f = malloc((size_t)fa * 6 * sizeof *f);
    assert_true(x && f);
    memcpy(x, mus_mesh_get_vertices(a), (size_t)na * 3 * sizeof *x);
    memcpy(x + 3 * na, mus_mesh_get_vertices(b), (size_t)na * 3 * sizeof *x);
    for (int i = 0; i < 3 * fa; i++) f[i] = mus_mesh_get_faces(a)[i], f[3 * fa + i] = mus_mesh_get_faces(b)[i] + na;
    o[1] = (mus_audit_object){.vertices = x, .faces = f, .vertex_count = 2 * na, .face_count = 2 * fa};
    r = audit(o, 2, 1e-4); /* in both */
    assert_int_equal(r.inside, 1);
    mus_audit_report_destroy(&r);
    p[0] = 1.1; /* in one */
    r = audit(o, 2, 1e-4);
    assert_int_equal(r.inside, 1);
    mus_audit_report_destroy(&r);
    p[0] = 1.4;
    r = audit(o, 2, 1e-4);
    assert_int_equal(r.inside, 0);

    /* two parts side by side, the second with every third face turned over: parity decides between them */
    for (int i = 0; i < na; i++) x[3 * i] += -2.3, x[3 * na + 3 * i] += 2.3;
    for (int i = fa; i < 2 * fa; i += 3) {
        int32_t swap = f[3 * i + 1];
        f[3 * i + 1] = f[3 * i + 2], f[3 * i + 2] = swap;
    }
    for (int i = 0; i < 400; i++) {
        p[0] = i % 2 ? 0 : i % 4 ? 2 : -2, p[1] = 0.03 * (i % 20 - 10), p[2] = 0.03 * (i / 20 - 10);
        r = audit(o, 2, 1e-4);
        assert_int_equal(r.inside, i % 2 == 0);
        mus_audit_report_destroy(&r);
    }
    free(x);
    free(f);
    mus_mesh_destroy(grid);
    mus_mesh_destroy(a);
    mus_mesh_destroy(b);
}

static double point_depth(const mus_audit_object *o, v3 p) {
    m3 turn = m3_from_quaternion(o->pose.rotation);
    v3 d = v3_sub(p, v3_load(o->pose.position)), n = m3_mul_v3(&turn, v3_load(o->normal));
    double q[3]; /* in the frame */
    for (int k = 0; k < 3; k++)
        q[k] = v3_get(turn.r[0], k) * d.x + v3_get(turn.r[1], k) * d.y + v3_get(turn.r[2], k) * d.z;
    switch (o->shape) {
    case MUS_SHAPE_PLANE:
        return -v3_dot(n, d) / v3_length(n);
    case MUS_SHAPE_SPHERE:
        return o->radius - v3_length(d);
    case MUS_SHAPE_CAPSULE: {
        double y = fmax(-o->length / 2, fmin(o->length / 2, q[1]));
        return o->radius - sqrt(q[0] * q[0] + (q[1] - y) * (q[1] - y) + q[2] * q[2]);
    }
    default: {
        double depth = INFINITY;
        for (int k = 0; k < 3; k++) depth = fmin(depth, o->size[k] / 2 - fabs(q[k]));
        return depth;
    }
    }
}

/* Depth inside exact shapes against a dense sampling of the face. */
static void test_exact_shapes(void **state) {
    (void)state;
    rng = mus_rng_make(43, 0);
    const int32_t face[3] = {0, 1, 2};
    int by_vertex = 0, by_face = 0, none = 0;
    for (int i = 0; i < 4000; i++) {
        mus_audit_object o = {.shape = (mus_shape)(1 + i % 4), .radius = 0.25, .length = 0.6};
        v3_store(o.pose.position, random_v3(1));
        double q[4], l = 0;
        for (int k = 0; k < 4; k++) q[k] = between(-1, 1), l += q[k] * q[k];
        for (int k = 0; k < 4; k++) o.pose.rotation[k] = q[k] / sqrt(l);
        v3_store(o.normal, random_v3(2));
        for (int k = 0; k < 3; k++) o.size[k] = between(0.2, 0.8);
        v3 c = v3_add(v3_load(o.pose.position), random_v3(0.5)), t[3];
        double x[9];
        for (int k = 0; k < 3; k++) t[k] = v3_add(c, random_v3(0.3)), v3_store(x + 3 * k, t[k]);
        mus_audit_object scene[2] = {{.cloth = true, .vertices = x, .faces = face, .vertex_count = 3, .face_count = 1},
                                     o};
        mus_audit_report r = audit(scene, 2, 1e-4);
        enum { N = 60 };
        double sampled = -INFINITY;
        for (int a = 0; a <= N; a++)
            for (int b = 0; a + b <= N; b++) {
                v3 p = v3_add(v3_add(v3_scale((double)a / N, t[0]), v3_scale((double)b / N, t[1])),
                              v3_scale((double)(N - a - b) / N, t[2]));
                sampled = fmax(sampled, point_depth(&o, p));
            }
        double vertices = fmax(point_depth(&o, t[0]), fmax(point_depth(&o, t[1]), point_depth(&o, t[2])));
        if (vertices > 1e-4) { /* vertices speak for their faces */
            by_vertex++;
            assert_true(fabs(r.max_depth - vertices) < 1e-12);
            assert_true(r.inside >= 1 && r.findings[0].face[1] == -1);
        } else {
            /* a sample is at most one spacing (0.3 * 2 * sqrt 3 / 60) away from the deepest point */
            assert_true(r.max_depth >= sampled - 1e-9);
            assert_true(r.max_depth <= fmax(sampled, 0) + 0.018);
            assert_int_equal(r.inside, r.max_depth > 1e-4);
            if (r.inside) {
                by_face++;
                assert_int_equal(r.findings[0].face[0], 0);
                assert_int_equal(r.findings[0].face[1], -2);
            } else {
                none++;
            }
        }
        mus_audit_report_destroy(&r);
    }
    assert_true(by_vertex > 500 && by_face > 100 && none > 500);
}

/* An edge of 36 mm with both ends on the sphere sags 0.65 mm into it. */
static void test_sagging_edge(void **state) {
    (void)state;
    double x[9] = {-0.018, 0, 0, 0.018, 0, 0, 0, 0.02, 0.5};
    x[1] = x[4] = sqrt(0.25 * 0.25 - 0.018 * 0.018);
    x[7] = x[1] + 0.02;
    const int32_t face[3] = {0, 1, 2};
    mus_audit_object o[2] = {{.cloth = true, .vertices = x, .faces = face, .vertex_count = 3, .face_count = 1},
                             {.shape = MUS_SHAPE_SPHERE, .radius = 0.25, .pose = {{0, 0, 0}, {1, 0, 0, 0}}}};
    mus_audit_report r = audit(o, 2, 1e-4);
    assert_int_equal(r.inside, 1);
    assert_true(r.max_depth > 6.4e-4 && r.max_depth < 6.6e-4);
    assert_int_equal(r.findings[0].face[1], -2);
    mus_audit_report_destroy(&r);
}

/* A capsule's axis through the middle of a face whose corners and edges are all far outside. */
static void test_pierced_face(void **state) {
    (void)state;
    const double x[9] = {-9, 0.1, -9, 9, 0.2, -9, 0, 0, 9};
    const int32_t face[3] = {0, 1, 2};
    mus_audit_object o[2] = {
        {.cloth = true, .vertices = x, .faces = face, .vertex_count = 3, .face_count = 1},
        {.shape = MUS_SHAPE_CAPSULE, .radius = 0.25, .length = 1, .pose = {{0, 0, 0}, {1, 0, 0, 0}}}};
    mus_audit_report r = audit(o, 2, 1e-4);
    assert_int_equal(r.inside, 1);
    assert_true(r.max_depth == 0.25);
    mus_audit_report_destroy(&r);
    o[1].shape = MUS_SHAPE_BOX, o[1].size[0] = 1, o[1].size[1] = 0.5, o[1].size[2] = 3;
    r = audit(o, 2, 1e-4);
    assert_int_equal(r.inside, 1);
    assert_true(r.max_depth > 0.18 && r.max_depth < 0.19);
    mus_audit_report_destroy(&r);
}

/* A point on the surface is not inside, wherever on a face, an edge or a corner it lies. */
static void test_on_surface(void **state) {
    (void)state;
    mus_mesh *box;
    assert_int_equal(mus_mesh_create_box((double[]){2, 2, 2}, (double[]){0, 0, 0}, &box), MUS_STATUS_OK);
    mus_audit_object o = of_mesh(false, box);
    mus_audit_tree tree;
    mus_solidity solidity;
    assert_int_equal(mus_audit_tree_build(o.vertices, o.faces, o.face_count, &tree), MUS_STATUS_OK);
    assert_int_equal(mus_audit_solidity(&o, &solidity), MUS_STATUS_OK);
    assert_int_equal(solidity, MUS_SOLIDITY_WINDING);
    int inside = 0;
    for (int i = 0; i < 9 * 9 * 9; i++) {
        double p[3] = {0.25 * (i % 9) - 1, 0.25 * (i / 9 % 9) - 1, 0.25 * (i / 81) - 1};
        bool surface = fabs(p[0]) == 1;
        bool in = mus_audit_inside_mesh(&o, &tree, solidity, p);
        if (fabs(p[1]) < 1 && fabs(p[2]) < 1) assert_int_equal(in, !surface);
        inside += in;
    }
    assert_true(inside >= 7 * 7 * 7);
    mus_audit_tree_free(&tree);
    mus_mesh_destroy(box);
}

/* Parts of a file, by their names. */
static void test_parts(void **state) {
    (void)state;
    mus_mesh *ball, *sheet;
    assert_int_equal(mus_mesh_create_sphere(0.25, 3, (double[]){0, 0, 0}, &ball), MUS_STATUS_OK);
    mus_grid_def def = {mus_grid_def_default().cookie, .nodes = {21, 21}, .size = {1, 1}, .center = {0, 0.26, 0}};
    assert_int_equal(mus_mesh_create_grid(&def, &sheet), MUS_STATUS_OK);
    mus_part parts[2] = {{.name = "cloth:sheet",
                          .vertices = mus_mesh_get_vertices(sheet),
                          .faces = mus_mesh_get_faces(sheet),
                          .vertex_count = mus_mesh_get_vertex_count(sheet),
                          .face_count = mus_mesh_get_face_count(sheet)},
                         {.name = "obstacle:ball",
                          .vertices = mus_mesh_get_vertices(ball),
                          .faces = mus_mesh_get_faces(ball),
                          .vertex_count = mus_mesh_get_vertex_count(ball),
                          .face_count = mus_mesh_get_face_count(ball)}};
    mus_audit_report r;
    assert_int_equal(mus_parts_audit(parts, 2, 1e-4, &r), MUS_STATUS_OK);
    assert_true(r.intersections == 0 && r.touches == 0 && r.inside == 0 && r.max_depth == 0 && !r.findings);
    for (int i = 0; i < parts[0].vertex_count; i++) mus_mesh_get_vertices(sheet)[3 * i + 1] = 0.2;
    assert_int_equal(mus_parts_audit(parts, 2, 1e-4, &r), MUS_STATUS_OK);
    assert_true(r.intersections > 10 && r.inside > 10 && r.max_depth > 0.04 && r.max_depth <= 0.05);
    for (int64_t k = 0; k < r.finding_count; k++)
        for (int side = 0; side < 2; side++) {
            assert_int_equal(r.findings[k].part[side], side);
            assert_true(mus_object_is_same(r.findings[k].object[side], mus_object_none()));
        }
    mus_audit_report_destroy(&r);
    parts[0].name = "obstacle:sheet"; /* obstacles are passed over */
    assert_int_equal(mus_parts_audit(parts, 2, 1e-4, &r), MUS_STATUS_OK);
    assert_true(r.intersections == 0 && r.inside == 0 && r.pairs_tested == 0);

    /* Faces that name a vertex twice: two in common looked like three, and a fourth corner was read. */
    const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t twice[] = {0, 1, 2, 0, 0, 1, 1, 0, 0, 3, 3, 3, 2, 2, 0, 0, 1, 2};
    mus_part odd = {.name = "cloth:odd", .vertices = corners, .faces = twice, .vertex_count = 4, .face_count = 6};
    assert_int_equal(mus_parts_audit(&odd, 1, 1e-4, &r), MUS_STATUS_OK);
    assert_int_equal(r.intersections, 1); /* the two that are the same */
    mus_audit_report_destroy(&r);
    parts[0].name = NULL;
    mus_mesh_get_vertices(sheet)[3 * 7 + 2] = NAN;
    assert_int_equal(mus_parts_audit(parts, 2, 1e-4, &r), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "vertex 8"));
    assert_non_null(strstr(mus_get_error_message(), "object 1"));
    assert_null(r.findings);
    /* Products of such coordinates overflow, which wrote beyond the stack in the predicates. */
    parts[0].name = "cloth:sheet";
    for (int i = 0; i < 3 * parts[0].vertex_count; i++) mus_mesh_get_vertices(sheet)[i] *= 1e154;
    assert_int_equal(mus_parts_audit(parts, 2, 1e-4, &r), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "audit: 'cloth:sheet': vertex 1 must lie within +-1e+09 m (got {"));
    for (int i = 0; i < 3 * parts[0].vertex_count; i++) mus_mesh_get_vertices(sheet)[i] *= 1e-154;
    mus_mesh_get_vertices(sheet)[3 * 7 + 2] = 0;
    parts[0].vertex_count = 5;
    parts[0].name = "cloth:sheet";
    assert_int_equal(mus_parts_audit(parts, 2, 1e-4, &r), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "'cloth:sheet'"));
    parts[0].vertex_count = 441;
    assert_int_equal(mus_parts_audit(parts, 2, -1, &r), MUS_STATUS_INVALID);
    assert_int_equal(mus_parts_audit(parts, 0, 1e-4, &r), MUS_STATUS_OK);
    mus_mesh_destroy(ball);
    mus_mesh_destroy(sheet);
}

/* Two crumpled sheets across each other, around a ball and a mesh of one, of more faces than one part takes:
 * nothing is lost, and the report is the same, in the same order. */
static void test_threads(void **state) {
    (void)state;
    mus_mesh *sheet[2], *ball;
    mus_grid_def def = {mus_grid_def_default().cookie, .nodes = {40, 40}, .size = {1, 1}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(mus_mesh_create_grid(&def, &sheet[k]), MUS_STATUS_OK);
        double *x = mus_mesh_get_vertices(sheet[k]);
        for (int i = 0; i < mus_mesh_get_vertex_count(sheet[k]); i++)
            v3_store(x + 3 * i, v3_add(v3_load(x + 3 * i), random_v3(0.015)));
    }
    assert_int_equal(mus_mesh_create_sphere(0.2, 3, (double[]){0.1, 0, 0}, &ball), MUS_STATUS_OK);
    mus_audit_object o[5] = {of_mesh(true, sheet[0]),
                             of_mesh(true, sheet[1]),
                             of_mesh(false, ball),
                             {.shape = MUS_SHAPE_SPHERE, .radius = 0.2, .pose = {{-0.1, 0, 0}, {1, 0, 0, 0}}},
                             {.shape = MUS_SHAPE_SPHERE, .radius = 0.004, .pose = {{0, 0, 0}, {1, 0, 0, 0}}}};
    for (int k = 0; k < 9; k++) /* amid the corners of the last face */
        o[4].pose.position[k % 3] += o[0].vertices[3 * o[0].faces[3 * o[0].face_count - 3 + k / 3] + k % 3] / 3;
    int64_t crossings, touches;
    brute(o[0].vertices, o[0].faces, o[0].face_count, &crossings, &touches);
    mus_audit_report one = audit(o, 1, 1e-4);
    assert_true(crossings > 0 && one.intersections == crossings && one.touches == touches);
    mus_audit_report_destroy(&one);
    one = audit(o, 5, 1e-4);
    bool with[5] = {false}, between_corners = false;
    for (int64_t k = 0; k < one.finding_count; k++) {
        with[one.findings[k].part[1]] = true;
        between_corners |= one.findings[k].kind == MUS_AUDIT_INSIDE && one.findings[k].face[1] == -2;
    }
    assert_true(with[0] && with[1] && with[2] && with[3] && with[4] && between_corners);
    for (int threads = 2; threads <= 8; threads += threads == 3 ? 5 : 1) {
        mus_audit_report many;
        assert_int_equal(mus_audit_scene(o, 5, NULL, NULL, 1e-4, threads, &many), MUS_STATUS_OK);
        assert_int_equal(many.finding_count, one.finding_count);
        assert_int_equal(many.pairs_tested, one.pairs_tested);
        assert_int_equal(many.touches, one.touches);
        assert_int_equal(many.intersections, one.intersections);
        assert_int_equal(many.inside, one.inside);
        assert_true(many.max_depth == one.max_depth);
        for (int64_t k = 0; k < one.finding_count; k++) {
            const mus_audit_finding *p = &one.findings[k], *q = &many.findings[k];
            assert_true(p->kind == q->kind && p->depth == q->depth);
            assert_memory_equal(p->object, q->object, sizeof p->object);
            assert_memory_equal(p->face, q->face, sizeof p->face);
        }
        mus_audit_report_destroy(&many);
    }
    mus_audit_report_destroy(&one);
    for (int k = 0; k < 2; k++) mus_mesh_destroy(sheet[k]);
    mus_mesh_destroy(ball);
}

static void test_no_memory(void **state) {
    (void)state;
    mus_mesh *ball, *sheet;
    assert_int_equal(mus_mesh_create_sphere(0.25, 2, (double[]){0, 0, 0}, &ball), MUS_STATUS_OK);
    mus_grid_def def = {mus_grid_def_default().cookie, .nodes = {15, 15}, .size = {1, 1}, .center = {0, 0.2, 0}};
    assert_int_equal(mus_mesh_create_grid(&def, &sheet), MUS_STATUS_OK);
    mus_audit_object o[3] = {of_mesh(true, sheet),
                             of_mesh(false, ball),
                             {.shape = MUS_SHAPE_SPHERE, .radius = 0.25, .pose = {{0, 0, 0}, {1, 0, 0, 0}}}};
    mus_audit_report r;
    int failures = 0;
    size_t before = mus_get_allocated_bytes();
    scarce memory = {.lasting = true};
    mus_set_allocator(scarce_alloc, &memory);
    for (int64_t n = 0;; n++) {
        memory = (scarce){.lasting = true, .fail_at = n + 1};
        mus_status status = mus_audit_scene(o, 3, NULL, NULL, 1e-4, 1, &r);
        if (status == MUS_STATUS_OK) break;
        assert_int_equal(status, MUS_STATUS_NO_MEMORY);
        assert_null(r.findings);
        assert_true(mus_get_allocated_bytes() == before);
        failures++;
    }
    assert_true(failures > 8 && r.inside > 0 && r.intersections > 0);
    mus_audit_report_destroy(&r);
    assert_true(mus_get_allocated_bytes() == before);
    mus_set_allocator(NULL, NULL);
    mus_mesh_destroy(ball);
    mus_mesh_destroy(sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hand_made),    cmocka_unit_test(test_tree_against_brute),
                                       cmocka_unit_test(test_objects),      cmocka_unit_test(test_inside_box_mesh),
                                       cmocka_unit_test(test_inside_parts), cmocka_unit_test(test_exact_shapes),
                                       cmocka_unit_test(test_sagging_edge), cmocka_unit_test(test_pierced_face),
                                       cmocka_unit_test(test_on_surface),   cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_threads),      cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
