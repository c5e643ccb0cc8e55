/* test_cones.c: which pairs normal cones rule out: those of the source lose intersecting pairs, and their number is
 * known; the sound ones lose none, however the cloth folds, curls, turns over during the step or deviates from its
 * predicted end positions. */
#include "soup.h"

#include "broad/patch_boundary.h"
#include "broad/partition.h"
#include "muslin/math.h"

/* A strip of N x W squares, by a function of its coordinates at rest. */
enum { STRIP_LONG = 60, STRIP_WIDE = 4 };
static void strip(soup *s, double height, v3 (*at)(double along, double across, double height)) {
    enum { NODES = STRIP_WIDE + 1 };
    for (int i = 0; i <= STRIP_LONG; i++)
        for (int j = 0; j <= STRIP_WIDE; j++) {
            double along = (double)i / STRIP_LONG, across = (double)j / STRIP_WIDE;
            s->x0[s->scene.vertex_count] = at(along, across, height);
            s->x1[s->scene.vertex_count++] = at(along, across, -height);
        }
    for (int k = 0; k < STRIP_LONG * STRIP_WIDE; k++) {
        int32_t a = k / STRIP_WIDE * NODES + k % STRIP_WIDE;
        soup_shared(s, 2 * k, 0, a, a + 1, a + NODES + 1);
        soup_shared(s, 2 * k + 1, 0, a, a + NODES + 1, a + NODES);
    }
}

/* Two turns of a stair: its normals hardly differ, and its turns lie over one another. */
static v3 stair(double along, double across, double height) {
    double angle = 4 * 3.14159265358979 * along, r = 0.5 + 0.3 * across;
    return v3_make(r * mus_cos(angle), height * along + 0.01 * across, r * mus_sin(angle));
}

/* Folded in the middle, one half over the other. */
static v3 folded(double along, double across, double height) {
    bool back = along > 0.5;
    return v3_make(back ? 1.013 - along : along, back ? height : 0, 0.1 * across);
}

/* Turned by half a turn in its plane: flat at both ends, and drawn through one line on the way. */
static v3 turned(double along, double across, double end) {
    return v3_make(end * (along - 0.5), 0, end * 0.2 * (across - 0.5));
}

/* A disc of sectors about a point, by a function of the distance from it and the share of the way round; closed, or
 * with a slit. */
enum { SECTORS = 48, RINGS = 11 };
static void fan(soup *s, bool closed, v3 (*at)(double r, double round, bool end)) {
    int32_t around = closed ? SECTORS : SECTORS + 1, leaf = 0;
    s->scene.vertex_count = 1; /* the middle is (0, 0, 0) */
    for (int ring = 1; ring <= RINGS; ring++)
        for (int k = 0; k < around; k++) {
            double r = (double)ring / RINGS, round = (double)k / SECTORS;
            s->x0[s->scene.vertex_count] = at(r, round, false);
            s->x1[s->scene.vertex_count++] = at(r, round, true);
        }
    for (int32_t k = 0; k < SECTORS; k++) {
        int32_t next = (k + 1) % around;
        soup_shared(s, leaf++, 0, 0, 1 + k, 1 + next);
        for (int32_t ring = 1; ring < RINGS; ring++) {
            int32_t a = 1 + (ring - 1) * around + k, b = a - k + next;
            soup_shared(s, leaf++, 0, a, a + around, b + around);
            soup_shared(s, leaf++, 0, a, b + around, b);
        }
    }
}

static v3 polar(double r, double angle, double height) {
    return v3_make(r * mus_cos(angle), height, -r * mus_sin(angle));
}

static const double round_angle = 2 * 3.14159265358979;

/* Two turns, closed by a crossing. */
static v3 two_turns(double r, double round, bool end) {
    return polar(r, 2 * round_angle * round, (end ? 0.04 : 0.05) * r * mus_sin(round_angle * round));
}

/* A wedge of a disc that is stretched around until one side lies over the other, and through it: its border crosses
 * itself only at the end. */
static v3 wedge(double r, double round, bool end) {
    double angle = round_angle * (end ? 1.1 : 0.7) * (round - 0.5);
    return polar(r, angle, (end ? -0.01 : 0.09) * r * (round - 0.5));
}

/* The border stands still, and inside a flat disc is turned, more the nearer to its middle, to half a turn, and is
 * pressed flat along one axis there: all faces lie the right way up at both ends, and not between them. */
static v3 perturbed_disc(double r, double round, bool end) {
    v3 at = polar(r, round_angle * round, 0);
    if (!end) return at;
    double turn = round_angle / 2 * (1 - (r - 1.0 / RINGS) / (1 - 1.0 / RINGS)), flat = 0.5 + 0.5 * r;
    at.z *= flat;
    double c = mus_cos(turn), sn = mus_sin(turn);
    return v3_make(c * at.x + sn * at.z, 0, c * at.z - sn * at.x);
}

/* Two sheets of one cloth that pass through each other: each is flat, both together are no disc. */
static void apart(soup *s) {
    for (int sheet = 0; sheet < 2; sheet++) {
        int32_t first = s->scene.vertex_count;
        for (int k = 0; k < 25; k++) {
            v3 at = v3_make(k % 5, 0, k / 5), up = v3_make(0.37 * sheet, 0.3 * sheet, 0.41 * sheet);
            s->x0[s->scene.vertex_count] = v3_add(at, up);
            s->x1[s->scene.vertex_count++] = v3_add(at, v3_make(up.x, -up.y, up.z));
        }
        for (int32_t k = 0; k < 16; k++) {
            int32_t a = first + k / 4 * 5 + k % 4;
            soup_shared(s, 32 * sheet + 2 * k, 0, a, a + 6, a + 1);
            soup_shared(s, 32 * sheet + 2 * k + 1, 0, a, a + 5, a + 6);
        }
    }
}

/* Intersecting pairs of a soup, which is freed, that the source's cones, the sound ones and those of the quad-tree
 * find, and how many pairs each rules out. The sound ones must find all. */
typedef struct outcome {
    int64_t all, source, sound, quads, culled_source, culled_sound, culled_quads;
} outcome;

static outcome try_both(soup *s) {
    outcome o = {0};
    o.source = found_by(&mus_broad_partition_tree_cones, s, &o.all, &o.culled_source);
    o.sound = found_by(&mus_broad_partition_tree_sound, s, &o.all, &o.culled_sound);
    o.quads = found_by(&mus_broad_quad_tree_cones, s, &o.all, &o.culled_quads);
    return o;
}

static outcome try_strip(double height, v3 (*at)(double along, double across, double height)) {
    soup s = soup_make(2 * STRIP_LONG * STRIP_WIDE, 0, 1);
    strip(&s, height, at);
    outcome o = try_both(&s);
    soup_free(&s);
    return o;
}

static const int64_t all_with_all = 480 * 479 / 2;

/* The figures of the source's that the phase's description gives; the sound cones find the rest. */
static void test_losses(void **state) {
    (void)state;
    outcome o = try_strip(0.1, stair);
    assert_true(o.source == 0 && o.all == 1790 && o.culled_source == all_with_all);
    assert_true(o.sound == o.all && o.culled_sound > 0);
    /* the groups of the third level from the top are tested with each other: four of 119 to 121 faces */
    print_message("stair: the quad-tree finds %d, and rules out %d\n", (int)o.quads, (int)o.culled_quads);
    o = try_strip(0.02, folded);
    assert_true(o.source == 2168 && o.all == 2174 && o.culled_source > 0);
    assert_true(o.quads == o.all && o.culled_quads > 0);
    assert_true(o.sound == o.all && o.culled_sound > 0);
    o = try_strip(1, turned);
    assert_true(o.source == 0 && o.all > 1000 && o.culled_source == all_with_all);
    assert_true(o.sound == o.all);
    v3 (*const fans[])(double, double, bool) = {two_turns, wedge, perturbed_disc};
    for (int k = 0; k < 3; k++) {
        soup s = soup_make(SECTORS * (2 * RINGS - 1), 0, 1);
        fan(&s, k != 1, fans[k]);
        o = try_both(&s);
        assert_true(o.source == 0 && o.all > 10 && o.sound == o.all && o.culled_sound > 0);
        soup_free(&s);
    }
    soup s = soup_make(64, 0, 1);
    apart(&s);
    o = try_both(&s);
    assert_true(o.source == 0 && o.all > 10 && o.sound == o.all);
    soup_free(&s);
}

/* Flat at rest, moved and stretched as a whole: nothing needs testing, and nothing is. */
static v3 flat(double along, double across, double end) {
    return v3_make(along * (end > 0 ? 1 : 1.3), 0.2 * along * end, 0.1 * across + 0.3 * end);
}

static void test_flat(void **state) {
    (void)state;
    outcome o = try_strip(1, flat);
    print_message("flat: %.3f\n", (double)o.culled_sound / (double)all_with_all);
    assert_true(o.all == 0 && o.culled_source == all_with_all && o.culled_sound > all_with_all / 2);
}

/* A sheet of N x N vertices, waved, whose ends are moved by waves and at random. */
enum { N = 14, FACES = 2 * (N - 1) * (N - 1) };

typedef struct wave {
    v3 by;
    double u, v, phase;
} wave;

static v3 waved(const wave *waves, int count, double u, double v) {
    v3 sum = {0};
    for (int k = 0; k < count; k++)
        sum = v3_axpy(mus_sin(waves[k].u * u + waves[k].v * v + waves[k].phase), waves[k].by, sum);
    return sum;
}

static soup random_sheet(void) {
    soup s = soup_make(FACES, 0, 1);
    wave waves[6];
    double start = between(0, 0.1), move = mus_rng_below(&rng, 3) ? between(0, 0.1) : between(0, 0.5);
    for (int k = 0; k < 6; k++)
        waves[k] = (wave){point(k < 3 ? start : move), between(-8, 8), between(-8, 8), between(0, 6)};
    double noise = mus_rng_below(&rng, 2) ? 0 : between(0, 0.02);
    for (int k = 0; k < N * N; k++) {
        double u = (double)(k % N) / (N - 1), v = (double)(k / N) / (N - 1);
        v3 at = v3_add(v3_make(u, 0, v), waved(waves, 3, u, v));
        s.x0[s.scene.vertex_count] = at;
        s.x1[s.scene.vertex_count++] = v3_add(v3_add(at, waved(waves + 3, 3, u, v)), point(noise));
    }
    for (int32_t k = 0; k < FACES / 2; k++) {
        int32_t a = k / (N - 1) * N + k % (N - 1);
        bool other = mus_rng_below(&rng, 2); /* diagonal */
        soup_shared(&s, 2 * k, 0, a, other ? a + N : a + N + 1, other ? a + 1 : a + 1);
        soup_shared(&s, 2 * k + 1, 0, other ? a + 1 : a, other ? a + N : a + N, a + N + 1);
    }
    return s;
}

static void test_random_sheets(void **state) {
    (void)state;
    rng = mus_rng_make(7, 0);
    int64_t hits = 0, lost = 0, lost_by_quads = 0, culled = 0, culled_at_hits = 0;
    for (int round = 0; round < 400; round++) {
        soup s = random_sheet();
        outcome o = try_both(&s);
        assert_int_equal(o.sound, o.all);
        hits += o.all, lost += o.all - o.source, lost_by_quads += o.all - o.quads, culled += o.culled_sound;
        if (o.all) culled_at_hits += o.culled_sound;
        soup_free(&s);
    }
    print_message("random sheets: %d contacts, %d lost by the source's cones, %d by those of the quad-tree; sound ones "
                  "rule out %.3f, %.3f where some touch\n",
                  (int)hits, (int)lost, (int)lost_by_quads, (double)culled / 400 / (FACES * (FACES - 1) / 2.0),
                  (double)culled_at_hits / 400 / (FACES * (FACES - 1) / 2.0));
    assert_true(hits > 10000 && lost > 500 && lost_by_quads == 157 && culled > 0 && culled_at_hits > 0);
}

/* End positions that vary by up to the motion bound: no pair that was ruled out intersects then either. */
static void test_motion_bound(void **state) {
    (void)state;
    rng = mus_rng_make(8, 0);
    int64_t culled = 0, hits = 0;
    for (int round = 0; round < 150; round++) {
        soup s = random_sheet();
        double motion_bound = s.scene.motion_bound = between(0.001, 0.03);
        mus_pair_list got = {0}, wanted = {0};
        int64_t ruled_out = 0;
        search_both(&mus_broad_partition_tree_sound, &s, motion_bound, &got, &wanted, &ruled_out);
        culled += ruled_out;
        for (int try = 0; try < 4; try++) {
            for (int32_t i = 0; i < s.scene.vertex_count; i++) {
                v3 by = point(motion_bound);
                if (try % 2)
                    by = v3_make(copysign(motion_bound, by.x), copysign(motion_bound, by.y),
                                 copysign(motion_bound, by.z));
                s.x1[i] = v3_add(s.x1[i], by);
                s.x0[s.scene.vertex_count + i] = by; /* to take it back: there is room */
            }
            int64_t all = count_intersecting(&s, &wanted);
            assert_int_equal(count_intersecting(&s, &got), all);
            hits += all;
            for (int32_t i = 0; i < s.scene.vertex_count; i++)
                s.x1[i] = v3_sub(s.x1[i], s.x0[s.scene.vertex_count + i]);
        }
        mus_array_free(&got), mus_array_free(&wanted);
        soup_free(&s);
    }
    print_message("random walk: %.3f ruled out, %d contacts\n", (double)culled / 150 / (FACES * (FACES - 1) / 2.0),
                  (int)hits);
    assert_true(culled > 0 && hits > 10000);
}

/* Are the faces of a mesh a disc, and of how many edges is its border? */
static int32_t border_of(int32_t faces, const int32_t *corners) {
    soup s = soup_make(faces, 0, 1);
    for (int32_t k = 0; k < faces; k++) {
        soup_shared(&s, k, 0, corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]);
        for (int c = 0; c < 3; c++)
            if (corners[3 * k + c] >= s.scene.vertex_count) s.scene.vertex_count = corners[3 * k + c] + 1;
    }
    mus_hierarchy h = {0};
    mus_patch_boundaries boundaries = {0};
    assert_int_equal(mus_partition_build(&h, &s.scene, s.x0), MUS_STATUS_OK);
    assert_int_equal(mus_patch_boundaries_make(&boundaries, &h, &s.scene), MUS_STATUS_OK);
    int32_t count = boundaries.of[h.cloth.data[0]].count;
    mus_patch_boundaries_free(&boundaries);
    mus_hierarchy_free(&h);
    soup_free(&s);
    return count;
}

static void test_discs(void **state) {
    (void)state;
    assert_int_equal(border_of(2, (int32_t[]){0, 1, 2, 0, 2, 3}), 4);
    assert_int_equal(border_of(4, (int32_t[]){0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1}), 4); /* about a vertex */
    assert_int_equal(border_of(2, (int32_t[]){0, 1, 2, 0, 3, 2}), 0);                   /* turned the other way */
    assert_int_equal(border_of(2, (int32_t[]){0, 1, 2, 3, 4, 5}), 0);                   /* two */
    assert_int_equal(border_of(2, (int32_t[]){0, 1, 2, 0, 3, 4}), 0);                   /* by one vertex */
    assert_int_equal(border_of(3, (int32_t[]){0, 1, 2, 1, 0, 3, 0, 1, 4}), 0);          /* three at an edge */
    assert_int_equal(border_of(6, (int32_t[]){0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4, 2, 0, 5, 0, 3, 5}), 0); /* a ring */
    assert_int_equal(border_of(4, (int32_t[]){0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2}), 0);                   /* closed */
    /* a fan about vertex 0, which is vertex of its border too */
    assert_int_equal(border_of(6, (int32_t[]){0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 2, 1, 5, 5, 1, 0}), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_losses), cmocka_unit_test(test_flat),
                                       cmocka_unit_test(test_random_sheets), cmocka_unit_test(test_motion_bound),
                                       cmocka_unit_test(test_discs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
