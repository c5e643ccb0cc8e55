/* test_cylinder.c: nearest points and times of edges and faces against a solid cylinder, compared with dense sampling
 * of its signed distance. */
#include "narrow/cylinder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t random_state = 7;

static double uniform(double low, double high) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static v3 random_v3(double size) {
    double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return v3_make(x, y, z);
}

/* Three cloth vertices and the two ends of a cylinder's axis. */
typedef struct scene {
    mus_assembly assembly;
    mus_object objects[2];
    mus_obstacle obstacle;
    v3 x0[5], x1[5];
    int32_t object_of[5];
} scene;

static void make_scene(scene *s, double radius) {
    *s = (scene){.object_of = {0, 0, 0, 1, 1}};
    s->obstacle.def.shape = MUS_SHAPE_CYLINDER;
    s->objects[0] = (mus_object){.count = 3};
    s->objects[1] = (mus_object){.obstacle = &s->obstacle, .first = 3, .count = 2, .radius = radius};
    s->assembly = (mus_assembly){.object_count = 2,
                                 .cloth_count = 1,
                                 .objects = s->objects,
                                 .vertex_count = 5,
                                 .cloth_vertex_count = 3,
                                 .x0 = s->x0,
                                 .x1 = s->x1,
                                 .object_of = s->object_of};
}

/* Independent of the code under test: how far a point lies outside (inside: minus the depth) at a share of the step. */
static double sample_gap(const scene *s, v3 p, double t) {
    v3 a = v3_lerp(s->x0[3], s->x1[3], t), b = v3_lerp(s->x0[4], s->x1[4], t), u = v3_normalized(v3_sub(b, a));
    double y = v3_dot(v3_sub(p, a), u), length = v3_length(v3_sub(b, a));
    double r = v3_length(v3_sub(v3_sub(p, a), v3_scale(y, u))), side = r - s->objects[1].radius;
    double cap = fmax(-y, y - length);
    return side > 0 && cap > 0 ? hypot(side, cap) : fmax(side, cap);
}

static v3 at(const scene *s, int k, double t) {
    return v3_lerp(s->x0[k], s->x1[k], t);
}

static double sample_edge(const scene *s, int i, int j, double t, int n) {
    double least = INFINITY;
    for (int k = 0; k <= n; k++)
        least = fmin(least, sample_gap(s, v3_lerp(at(s, i, t), at(s, j, t), (double)k / n), t));
    return least;
}

/* The distance is convex: a coarse look, then finer ones around its least. */
static double sample_face(const scene *s, double t) {
    double best = INFINITY, bu = 1.0 / 3, bv = 1.0 / 3, size = 0.5;
    for (int round = 0; round < 24; round++, size *= 0.55) {
        double cu = bu, cv = bv;
        for (int i = -6; i <= 6; i++)
            for (int j = -6; j <= 6; j++) {
                double u = fmin(1, fmax(0, cu + size * i / 6)), v = fmin(1 - u, fmax(0, cv + size * j / 6));
                v3 p = v3_axpy(u, at(s, 1, t), v3_axpy(v, at(s, 2, t), v3_scale(1 - u - v, at(s, 0, t))));
                double gap = sample_gap(s, p, t);
                if (gap < best) best = gap, bu = u, bv = v;
            }
    }
    return best;
}

static const mus_candidate_pair edges[3] = {{.vertex = {0, 1, 3, 4}, .edge_edge = 1},
                                            {.vertex = {1, 2, 3, 4}, .edge_edge = 1},
                                            {.vertex = {2, 0, 3, 4}, .edge_edge = 1}};
static const mus_candidate_pair faces[2] = {{.vertex = {3, 0, 1, 2}}, {.vertex = {4, 0, 1, 2}}};

/* The identity that contact constraints rely on. */
static void expect_weights(const scene *s, const mus_candidate_pair *c, const mus_cylinder_nearest *n) {
    v3 sum = v3_make(0, 0, 0);
    double side_a = 0, all = 0;
    for (int k = 0; k < 4; k++) {
        sum = v3_axpy(n->weight[k], s->x0[c->vertex[k]], sum);
        all += n->weight[k];
        if (c->edge_edge ? k >= 2 : k == 0) side_a += n->weight[k];
    }
    assert_true(fabs(v3_length(n->normal) - 1) < 1e-14);
    assert_true(fabs(all) < 1e-14 && fabs(side_a - 1) < 1e-14);
    if (fabs(v3_dot(n->normal, sum) - n->gap - n->radius) > 1e-11)
        fail_msg("normal . sum of weight x is %.17g, gap and radius %.17g", v3_dot(n->normal, sum), n->gap + n->radius);
}

static void random_axis(scene *s, double motion) {
    v3 middle = random_v3(0.5), along = v3_scale(uniform(0.05, 1), v3_normalized(random_v3(1)));
    if (uniform(0, 1) < 0.3) along = v3_make(0, uniform(0.1, 1), 0);
    s->x0[3] = v3_sub(middle, along), s->x0[4] = v3_add(middle, along);
    v3 shift = random_v3(motion), turn = random_v3(motion > 0 ? 0.2 * v3_length(along) : 0);
    s->x1[3] = v3_add(s->x0[3], v3_sub(shift, turn)), s->x1[4] = v3_add(s->x0[4], v3_add(shift, turn));
}

static void distances(void **state) {
    (void)state;
    for (int round = 0; round < 900; round++) {
        scene s;
        make_scene(&s, uniform(0.05, 0.6));
        random_axis(&s, 0);
        for (int k = 0; k < 3; k++) s.x0[k] = s.x1[k] = random_v3(round % 2 ? 1 : 3);
        if (round % 5 == 0) /* flat over an end, or along the side */
            for (int k = 0; k < 3; k++) s.x0[k].y = s.x1[k].y = 1.3;
        double least = INFINITY;
        for (int k = 0; k < 5; k++) {
            const mus_candidate_pair *c = k < 3 ? &edges[k] : &faces[k - 3];
            mus_cylinder_nearest n;
            mus_cylinder_find_nearest(&s.assembly, c, 0, &n);
            least = fmin(least, n.gap);
            if (k < 3) expect_weights(&s, c, &n);
            if (k >= 3 && !n.on_rim && n.gap > 0) expect_weights(&s, c, &n);
            if (k >= 3) continue;
            double wanted = sample_edge(&s, c->vertex[0], c->vertex[1], 0, 4000);
            if (!(n.gap <= wanted + 1e-12 && n.gap > wanted - 2e-3)) fail_msg("edge: %.17g, %.17g", n.gap, wanted);
        }
        double wanted = sample_face(&s, 0);
        if (wanted > 1e-9 && !(fabs(least - wanted) < 1e-5)) fail_msg("face: %.17g, sampled %.17g", least, wanted);
    }
}

/* A motion that is not found to meet keeps its gap throughout, and a time is no later than the first sample within. */
static void times(void **state) {
    enum { SAMPLES = 100 };
    (void)state;
    int hits = 0, missed = 0, early = 0;
    for (int round = 0; round < 900; round++) {
        scene s;
        make_scene(&s, uniform(0.05, 0.6));
        double motion = round % 3 == 0   ? 2
                        : round % 3 == 1 ? 0.3
                                         : 0.02,
               gap = uniform(1e-4, 0.02), tolerance = 0.05 * gap;
        random_axis(&s, motion);
        for (int k = 0; k < 3; k++)
            s.x0[k] = v3_add(random_v3(1.2), v3_make(0, 0, 0.4)), s.x1[k] = v3_add(s.x0[k], random_v3(motion));
        if (sample_face(&s, 0) < 1.5 * gap) continue;
        double first = INFINITY, toi = INFINITY;
        for (int k = 0; k <= SAMPLES && !(first <= 1); k++)
            if (sample_face(&s, (double)k / SAMPLES) < gap) first = (double)k / SAMPLES;
        for (int k = 0; k < 5; k++) {
            double t;
            if (mus_cylinder_ccd(&s.assembly, k < 3 ? &edges[k] : &faces[k - 3], gap, tolerance, &t))
                toi = fmin(toi, t);
        }
        if (!(toi <= first)) fail_msg("round %d: within the gap at %g, met at %g", round, first, toi);
        hits += first <= 1, missed += !(toi <= 1);
        if (toi <= 1) { /* nor far too early */
            double there = sample_face(&s, toi);
            early += there > gap + tolerance;
            if (there > gap + 10 * tolerance) fail_msg("round %d: met at a gap of %g, not %g", round, there, gap);
        }
    }
    if (hits < 60 || missed < 100) fail_msg("only %d met, %d did not", hits, missed);
    assert_true(early <= 3);
}

/* Closed forms: a ball of no size, so to say, from above, from the side, over the rim. */
static void closed_forms(void **state) {
    (void)state;
    scene s;
    make_scene(&s, 0.25);
    s.x0[3] = s.x1[3] = v3_make(0, -0.5, 0), s.x0[4] = s.x1[4] = v3_make(0, 0.5, 0);
    const struct {
        v3 from, to;
        double gap;
        v3 normal; /* from the cloth to the cylinder */
    } cases[] = {
        {{-1, 0.6, 0.1}, {1, 0.6, 0.1}, 0.1, {0, -1, 0}},  /* flat over the end */
        {{0.35, -1, 0}, {0.35, 1, 0}, 0.1, {-1, 0, 0}},    /* along the side */
        {{0.55, 0.9, 0}, {2, 3, 0}, 0.5, {-0.6, -0.8, 0}}, /* an end off the rim */
        {{0.4, 0.65, -1}, {0.4, 0.65, 1}, 0.21213203435596423, {-0.70710678118654757, -0.70710678118654757, 0}},
        {{0.1, 0.45, 0}, {0.1, 0.45, 0}, -0.05, {0, -1, 0}}, /* inside, the end is nearer */
        {{0.2, 0, 0}, {0.2, 0, 0.001}, -0.05, {-1, 0, 0}},   /* inside, the side is */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        s.x0[0] = s.x1[0] = cases[k].from, s.x0[1] = s.x1[1] = cases[k].to;
        mus_cylinder_nearest n;
        mus_cylinder_find_nearest(&s.assembly, &edges[0], 0, &n);
        if (fabs(n.gap - cases[k].gap) > 1e-6 || v3_length(v3_sub(n.normal, cases[k].normal)) > 2e-3)
            fail_msg("case %d: gap %.17g, normal %g %g %g", (int)k, n.gap, n.normal.x, n.normal.y, n.normal.z);
    }
    /* A large face over the whole end, and one that only the rim touches. */
    s.x0[0] = v3_make(-5, 0.52, -5), s.x0[1] = v3_make(5, 0.52, -5), s.x0[2] = v3_make(0, 0.52, 8);
    mus_cylinder_nearest n;
    mus_cylinder_find_nearest(&s.assembly, &faces[1], 0, &n);
    assert_true(!n.on_rim && fabs(n.gap - 0.02) < 1e-15);
    for (int k = 0; k < 3; k++) s.x0[k].y = 0.6 - 0.1 * s.x0[k].x;
    mus_cylinder_find_nearest(&s.assembly, &faces[1], 0, &n);
    assert_true(!n.on_rim && fabs(n.gap - (0.1 - 0.025) / sqrt(1.01)) < 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(distances),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests_name("cylinder", tests, NULL, NULL);
}
