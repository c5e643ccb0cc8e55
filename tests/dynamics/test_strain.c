/* test_strain.c: each stage of strain limiting enforces its limit, conserves momentum, keeps pins fixed, and changes
 * nothing else. */
#include "../world/scene.h"

#include "base/memory.h"
#include "dynamics/strain_limit.h"

static const mus_strain_stage *const stages[] = {&mus_strain_sweep, &mus_strain_bridson, &mus_strain_jung,
                                                 &mus_strain_jung_direct};
enum { STAGES = 4 };

static bool is_jung(const mus_strain_stage *stage) {
    return stage == &mus_strain_jung || stage == &mus_strain_jung_direct;
}

static mus_strain_limit limit_of(const mus_strain_stage *stage, const mus_cloth *cloth) {
    mus_strain_limit limit = {.stage = stage};
    must(mus_strain_limit_add(&limit, cloth, 0));
    must(mus_strain_limit_ready(&limit, cloth->vertex_count));
    return limit;
}

/* Of edges listed by hand: pairs of ends, rest length 1, limit 0.1 without the margin of cloth. */
static mus_strain_limit limit_by_hand(const mus_strain_stage *stage, int vertices, int count, const int32_t *ends) {
    mus_strain_limit limit = {.stage = stage, .count = count};
    limit.edges = mus_new(sizeof *limit.edges * (size_t)count);
    for (int k = 0; k < count; k++) limit.edges[k] = (mus_limit_edge){ends[2 * k], ends[2 * k + 1], 1.1f, 0.1f};
    must(mus_strain_limit_ready(&limit, vertices));
    return limit;
}

static mus_cloth *flat_sheet(void) {
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    def.mesh = mesh, def.material.strain_limit = 0.1;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static double longest(const mus_cloth *cloth, const v3 *x, double *shortest) {
    double most = 0;
    if (shortest) *shortest = INFINITY;
    for (int32_t e = 0; e < cloth->topology.edge_count; e++) {
        const int32_t *ends = cloth->topology.edges + 2 * e;
        double ratio = v3_length(v3_sub(x[ends[0]], x[ends[1]])) / cloth->rest_lengths[e];
        most = fmax(most, ratio);
        if (shortest) *shortest = fmin(*shortest, ratio);
    }
    return most;
}

/* The same by what edges reach along their directions at the start, which is what Jung's linear constraint sees. */
static double longest_along(const mus_cloth *cloth, const v3 *x0, const v3 *x) {
    double most = 0;
    for (int32_t e = 0; e < cloth->topology.edge_count; e++) {
        const int32_t *ends = cloth->topology.edges + 2 * e;
        v3 u = v3_normalized(v3_sub(x0[ends[0]], x0[ends[1]]));
        most = fmax(most, v3_dot(u, v3_sub(x[ends[0]], x[ends[1]])) / cloth->rest_lengths[e]);
    }
    return most;
}

/* A sheet that a step would stretch to 1.3, with random noise; without and with a pinned vertex. */
static void test_enforces_limit(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(61, 0);
    for (int k = 0; k < STAGES; k++)
        for (int pinned = 0; pinned < 2; pinned++) {
            mus_cloth *cloth = flat_sheet();
            mus_strain_limit limit = limit_of(stages[k], cloth);
            assert_int_equal(limit.count, cloth->topology.edge_count);
            int32_t n = cloth->vertex_count;
            if (pinned) cloth->inverse_mass[7] = 0;
            v3 *x0 = (v3 *)cloth->x, *x = malloc(sizeof *x * (size_t)n), before = {0}, after = {0}, turn0 = {0},
               turn1 = {0};
            for (int32_t i = 0; i < n; i++) x[i] = v3_scale(1.02, x0[i]);
            assert_true(mus_strain_limit_pass(&limit, cloth->inverse_mass, x0, x, NULL, NULL) == 1);
            for (int32_t i = 0; i < n; i++)
                assert_true(v3_length(v3_sub(x[i], v3_scale(1.02, x0[i]))) == 0); /* 2 % are allowed, to the bit */
            for (int32_t i = 0; i < n; i++) {
                x[i] = v3_axpy(1e-3, random_direction(&rng), v3_scale(1.3, x0[i]));
                if (pinned && i == 7) x[i] = x0[i];
                before = v3_axpy(cloth->mass[i], x[i], before);
                turn0 = v3_axpy(cloth->mass[i], v3_cross(x0[i], x[i]), turn0);
            }
            assert_true(mus_strain_limit_pass(&limit, cloth->inverse_mass, x0, x, NULL, NULL) > 1.1);
            double worst = 2;
            int passes = 1;
            for (; passes < 400 && worst > 1.0005; passes++)
                worst = mus_strain_limit_pass(&limit, cloth->inverse_mass, x0, x, NULL, NULL);
            double strain = (is_jung(stages[k]) ? longest_along(cloth, x0, x) : longest(cloth, x, NULL)) - 1;
            print_message("%s: strain %.4f after %d passes\n", stages[k]->name, strain, passes);
            assert_true(strain < 0.1 && passes < 400);
            for (int32_t i = 0; i < n; i++) {
                after = v3_axpy(cloth->mass[i], x[i], after);
                turn1 = v3_axpy(cloth->mass[i], v3_cross(x0[i], x[i]), turn1);
            }
            if (pinned)
                assert_true(memcmp(&x[7], &x0[7], sizeof(v3)) == 0);
            else
                assert_true(v3_length(v3_sub(after, before)) < 1e-14);
            /* impulses along the directions at the start turn nothing either */
            if (!pinned && is_jung(stages[k])) assert_true(v3_length(v3_sub(turn1, turn0)) < 1e-15);
            free(x);
            mus_strain_limit_free(&limit);
            mus_cloth_free(cloth);
        }
}

/* Bridson's limit of the rate: no edge changes by more than a tenth within a step; one that is far too long comes back
 * by a tenth a step. */
static void test_rate(void **state) {
    (void)state;
    mus_cloth *cloth = flat_sheet();
    mus_strain_limit limit = limit_of(&mus_strain_bridson, cloth);
    int32_t n = cloth->vertex_count;
    v3 *x0 = malloc(sizeof *x0 * (size_t)n), *x = malloc(sizeof *x * (size_t)n), *rest = (v3 *)cloth->x;
    for (int32_t i = 0; i < n; i++) x[i] = v3_scale(0.7, rest[i]);
    for (int k = 0; k < 400; k++) mus_strain_limit_pass(&limit, cloth->inverse_mass, rest, x, NULL, NULL);
    double least, most = longest(cloth, x, &least);
    near(least, 0.9, 2e-3, "shortest edge of a sheet pressed together");
    assert_true(most < 1.1);
    for (int32_t i = 0; i < n; i++) x0[i] = v3_scale(1.4, rest[i]), x[i] = v3_scale(1.45, rest[i]);
    for (int k = 0; k < 400; k++) mus_strain_limit_pass(&limit, cloth->inverse_mass, x0, x, NULL, NULL);
    most = longest(cloth, x, &least);
    near(most, 1.4 * 0.9, 2e-3, "longest edge of a sheet that was too long");
    near(least, 1.4 * 0.9, 2e-3, "its shortest");
    free(x0), free(x);
    mus_strain_limit_free(&limit);
    mus_cloth_free(cloth);
}

/* An edge by hand, masses 1 and 3, of 1.3: it is shortened to 1.1 by moves in the ratio 3 : 1. */
static void test_by_hand(void **state) {
    (void)state;
    const double inverse_mass[] = {1, 1.0 / 3};
    for (int k = 0; k < STAGES; k++) {
        mus_strain_limit limit = limit_by_hand(stages[k], 2, 1, (int32_t[]){0, 1});
        v3 x0[] = {{0, 0, 0}, {1.05, 0, 0}}, x[] = {{0, 0, 0}, {1.3, 0, 0}};
        near(mus_strain_limit_pass(&limit, inverse_mass, x0, x, NULL, NULL), 1.3 / 1.1, 1e-6, "ratio");
        near(x[0].x, 0.15, 1e-6, "the lighter end");
        near(x[1].x, 1.25, 1e-6, "the heavier end");
        mus_strain_limit_free(&limit);
    }
}

/* Jung's limit holds to O(dt^2): an edge whose free end flies across is too long by what it turns. */
static void order(const mus_strain_stage *stage) {
    const double inverse_mass[] = {0, 1};
    double last = 0;
    for (double dt = 0.08; dt > 0.004; dt /= 2) {
        mus_strain_limit limit = limit_by_hand(stage, 2, 1, (int32_t[]){0, 1});
        v3 x0[] = {{0, 0, 0}, {1.1, 0, 0}}, x[] = {{0, 0, 0}, {1.1 + 2 * dt, 3 * dt, 0}};
        mus_strain_limit_pass(&limit, inverse_mass, x0, x, NULL, NULL);
        near(x[1].x, 1.1, 1e-7, "place along the edge");
        double over = v3_length(x[1]) - 1.1f;
        near(over, 9 * dt * dt / 2.2, 0.05 * over, "overlength");
        if (last > 0) near(last / over, 4, 0.1, "ratio of overlengths at half the step");
        last = over;
        mus_strain_limit_free(&limit);
    }
}

/* Connected edges are solved together in one pass; an edge whose multiplier would be compressive becomes inactive. */
static void multipliers(const mus_strain_stage *stage) {
    const double w[] = {1, 1, 1, 1};
    /* a chain in a line: 2 a - b = 0.3, 2 b - a - c = 0.2, 2 c - b = 0.1: a = 0.35, b = 0.4, c = 0.25 */
    mus_strain_limit limit = limit_by_hand(stage, 4, 3, (int32_t[]){0, 1, 1, 2, 2, 3});
    v3 x0[] = {{0, 0, 0}, {1.1, 0, 0}, {2.2, 0, 0}, {3.3, 0, 0}};
    v3 x[] = {{0, 0, 0}, {1.4, 0, 0}, {2.7, 0, 0}, {3.9, 0, 0}};
    mus_strain_limit_pass(&limit, w, x0, x, NULL, NULL);
    near(x[0].x, 0.35, 1e-5, "first of the chain");
    near(x[1].x, 1.4 - 0.35 + 0.4, 1e-5, "second");
    near(x[3].x, 3.9 - 0.25, 1e-5, "last");
    for (int k = 0; k < 3; k++) near(x[k + 1].x - x[k].x, 1.1, 1e-5, "length in the chain");
    mus_strain_limit_free(&limit);
    /* two edges side by side from one vertex, over by 0.4 and 0.05: solved together, the second would be compressed */
    limit = limit_by_hand(stage, 3, 2, (int32_t[]){0, 1, 0, 2});
    v3 y0[] = {{0, 0, 0}, {1.1, 0, 0}, {1.1, 1e-3, 0}}, y[] = {{0, 0, 0}, {1.5, 0, 0}, {1.15, 1e-3, 0}};
    mus_strain_limit_pass(&limit, w, y0, y, NULL, NULL);
    near(y[0].x, 0.2, 1e-6, "the common vertex");
    assert_true(y[2].x == 1.15 && y[2].y == 1e-3);
    mus_strain_limit_free(&limit);
    /* the same edge twice: the matrix is singular, the system is consistent */
    limit = limit_by_hand(stage, 2, 2, (int32_t[]){0, 1, 1, 0});
    v3 z0[] = {{0, 0, 0}, {1.1, 0, 0}}, z[] = {{0, 0, 0}, {1.3, 0, 0}};
    mus_strain_limit_pass(&limit, w, z0, z, NULL, NULL);
    near(z[1].x - z[0].x, 1.1, 1e-6, "length of an edge listed twice");
    mus_strain_limit_free(&limit);
}

/* Constraints that contradict each other, which a factorization alone resolves in one pass: a flat triangle's long edge
 * is the tightest, and the other two become inactive; a vertex between two pins that are too far apart stays where both
 * are over by the same. */
static void test_contradictions(void **state) {
    (void)state;
    const double w[] = {1, 1, 1};
    mus_strain_limit limit = limit_by_hand(&mus_strain_jung_direct, 3, 3, (int32_t[]){0, 1, 1, 2, 0, 2});
    limit.edges[2].longest = 1.6f;
    v3 x0[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, x[] = {{0, 0, 0}, {1.2, 0, 0}, {2.4, 0, 0}};
    mus_strain_limit_pass(&limit, w, x0, x, NULL, NULL);
    near(x[0].x, 0.4, 1e-6, "one end of the long edge");
    near(x[2].x, 2, 1e-6, "the other end");
    assert_true(x[1].x == 1.2);
    mus_strain_limit_free(&limit);
    const double pinned_ends[] = {0, 1, 0};
    limit = limit_by_hand(&mus_strain_jung_direct, 3, 2, (int32_t[]){0, 1, 1, 2});
    v3 y0[] = {{0, 0, 0}, {1.1, 0, 0}, {3, 0, 0}}, y[] = {{0, 0, 0}, {1.2, 0, 0}, {3, 0, 0}};
    mus_strain_limit_pass(&limit, pinned_ends, y0, y, NULL, NULL);
    near(y[1].x, 1.5, 1e-5, "the vertex between pins");
    mus_strain_limit_free(&limit);
}

static void test_jung(void **state) {
    (void)state;
    for (int k = 0; k < STAGES; k++)
        if (is_jung(stages[k])) order(stages[k]), multipliers(stages[k]);
}

/* Positions after one pass over a net of edges that exceed their limit at random; the largest remaining excess of an
 * edge, along its direction at the start. */
typedef struct edge_net {
    int32_t vertices, count, *ends;
    double *w;
    v3 *x0, *x;
} edge_net;

static double after(const edge_net *net, const mus_strain_stage *stage, v3 *x) {
    mus_strain_limit limit = limit_by_hand(stage, net->vertices, net->count, net->ends);
    memcpy(x, net->x, sizeof *x * (size_t)net->vertices);
    mus_strain_limit_pass(&limit, net->w, net->x0, x, NULL, NULL);
    assert_int_equal(limit.status, MUS_STATUS_OK);
    double worst = 0;
    for (int32_t k = 0; k < net->count; k++) {
        const int32_t *e = net->ends + 2 * k;
        v3 u = v3_normalized(v3_sub(net->x0[e[0]], net->x0[e[1]]));
        worst = fmax(worst, v3_dot(u, v3_sub(x[e[0]], x[e[1]])) - (double)1.1f);
    }
    mus_strain_limit_free(&limit);
    return worst;
}

/* A rope of 400 edges in random directions, masses over three decades, stretched to 1.1 to 1.4: factorization and
 * conjugate gradients give the same positions, to the tolerance of the latter, and the factorization meets every limit
 * to 1e-6. */
static void test_jung_agree(void **state) {
    (void)state;
    enum { N = 401 };
    static int32_t ends[2 * N];
    static double w[N];
    static v3 x0[N], x[N], y[N], z[N];
    mus_rng rng = mus_rng_make(63, 0);
    for (int i = 0; i < N; i++) {
        v3 to = random_direction(&rng);
        to.x = 1 + fabs(to.x);
        w[i] = i % 50 ? exp(7 * mus_rng_double(&rng)) : 0;
        if (i > 0) {
            x0[i] = v3_axpy(1.05, v3_normalized(to), x0[i - 1]);
            x[i] = v3_axpy(1.1 + 0.3 * mus_rng_double(&rng), v3_normalized(to), x[i - 1]);
            ends[2 * i - 2] = i - 1, ends[2 * i - 1] = i;
        }
    }
    edge_net net = {N, N - 1, ends, w, x0, x};
    double direct = after(&net, &mus_strain_jung_direct, y), gradients = after(&net, &mus_strain_jung, z), apart = 0;
    for (int i = 0; i < N; i++) apart = fmax(apart, v3_length(v3_sub(y[i], z[i])));
    print_message("a rope of 400: over by %.1e (factors), %.1e (conjugate gradients), %.1e apart\n", direct, gradients,
                  apart);
    assert_true(direct < 1e-6 && gradients < 1e-2 && apart < 1e-2);
}

static void count(void *context, int32_t vertex) {
    int *moves = context;
    moves[vertex]++;
}

static void test_reports(void **state) {
    (void)state;
    for (int k = 0; k < STAGES; k++) {
        const double w[] = {1, 0, 1, 1};
        mus_strain_limit limit = limit_by_hand(stages[k], 4, 2, (int32_t[]){0, 1, 2, 3});
        v3 x0[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, x[] = {{0, 0, 0}, {1.3, 0, 0}, {0, 1, 0}, {1.05, 1, 0}};
        int moves[4] = {0};
        mus_strain_limit_pass(&limit, w, x0, x, count, moves);
        assert_true(moves[0] == 1 && moves[1] == 0 && moves[2] == 0 && moves[3] == 0);
        mus_strain_limit_free(&limit);
    }
}

static void nothing(void *context, int32_t vertex) {
    (void)context, (void)vertex;
}

/* Twelve passes over a sheet of which a part is too long, some vertices moved by hand between them. */
static void pass_and_pull(mus_strain_limit *limit, const mus_cloth *cloth, bool watched, double *worst, v3 *x) {
    mus_rng rng = mus_rng_make(62, 0);
    const v3 *x0 = (const v3 *)cloth->x;
    for (int32_t i = 0; i < cloth->vertex_count; i++) x[i] = v3_scale(x0[i].x > 0.3 ? 1.15 : 1.08, x0[i]);
    int32_t pulled[20];
    if (watched) mus_strain_limit_watch(limit);
    for (int k = 0; k < 20; k++) {
        pulled[k] = (int32_t)(mus_rng_double(&rng) * cloth->vertex_count);
        if (watched) mus_strain_limit_mark_moved(limit, pulled[k]);
    }
    for (int pass = 0; pass < 12; pass++) {
        worst[pass] = mus_strain_limit_pass(limit, cloth->inverse_mass, x0, x, pass % 2 ? nothing : NULL, NULL);
        for (int k = 0; k < 20; k++) x[pulled[k]] = v3_axpy(2e-3, random_direction(&rng), x[pulled[k]]);
    }
    mus_strain_limit_unwatch(limit);
}

/* A sheet large enough for threads: the same bits as edge by edge, also where a watch passes over what stands still. */
static void test_same_bits(void **state) {
    (void)state;
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid_mesh(120, 110, 1.2, 1.1, "xz", v3_make(0, 0, 0));
    def.mesh = mesh, def.material.strain_limit = 0.1;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    size_t bytes = sizeof(v3) * (size_t)cloth->vertex_count;
    v3 *plain = malloc(bytes), *x = malloc(bytes);
    double worst_plain[12], worst[12];
    for (int k = 0; k < STAGES; k++) {
        mus_strain_limit limit = limit_of(stages[k], cloth);
        mus_limit_run *runs = limit.runs;
        limit.runs = NULL; /* edge by edge */
        int32_t run_count = limit.run_count;
        limit.run_count = 0;
        pass_and_pull(&limit, cloth, false, worst_plain, plain);
        assert_true(worst_plain[0] > 1.01 && worst_plain[11] > 1);
        limit.runs = runs, limit.run_count = run_count;
        for (limit.threads = 1; limit.threads < 4; limit.threads++)
            for (int watched = 0; watched < 2; watched++) {
                pass_and_pull(&limit, cloth, watched, worst, x);
                assert_memory_equal(worst, worst_plain, sizeof worst);
                assert_memory_equal(x, plain, bytes);
            }
        mus_strain_limit_free(&limit);
    }
    free(plain), free(x);
    mus_cloth_free(cloth);
}

/* ---- in worlds ---- */

/* A soft sheet that hangs by two corners and is jerked by a ball: its largest strain over two seconds. */
static double hanging(const char *strain, double *late) {
    mus_world_def wd = mus_world_def_default();
    wd.dt = 1.0 / 120, wd.threads = 1, wd.pipeline.strain = strain;
    mus_world *world;
    must(mus_world_create(&wd, &world));
    mus_cloth_def def = mus_cloth_def_default();
    def.material.stretch = 8, def.material.shear = 8, def.material.strain_limit = 0.1;
    mus_cloth_id id = add_cloth(world, grid_mesh(13, 13, 0.4, 0.4, "xz", v3_make(0, 0, 0)), def);
    must(mus_cloth_pin(world, id, (int32_t[]){0, 12}, 2));
    add_sphere(world, 0.08, v3_make(0, -0.15, 0.05), 0.3);
    double worst = 0;
    for (int k = 0; k < 240; k++) {
        must(mus_world_step(world));
        mus_stats stats;
        mus_world_get_stats(world, &stats);
        worst = fmax(worst, stats.max_strain);
        *late = stats.max_strain;
    }
    mus_audit_report report;
    must(mus_world_audit(world, 1e-4, &report));
    assert_int_equal(report.intersections + report.inside, 0);
    mus_audit_report_destroy(&report);
    mus_world_destroy(world);
    return worst;
}

static void test_worlds(void **state) {
    (void)state;
    const char *names[] = {"none", "sweep", "bridson", "jung", "jung_direct"};
    for (int k = 0; k < 5; k++) {
        double late, worst = hanging(names[k], &late);
        print_message("%s: strain at most %.4f, in the end %.4f\n", names[k], worst, late);
        if (k == 0)
            assert_true(worst > 0.3);
        else
            assert_true(worst < 0.12 && late < 0.105);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enforces_limit), cmocka_unit_test(test_rate),           cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_jung),           cmocka_unit_test(test_contradictions), cmocka_unit_test(test_jung_agree),
        cmocka_unit_test(test_reports),        cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
