/* bench_broad.c: milliseconds of the broad phase on a recorded step of a cloth on a ball (../shared/data/ccd, 92 230
 * faces): building, refitting, and finding every vertex-face and edge-edge pair whose boxes overlap. The swept boxes'
 * pairs are counted against the figures stated with the data. Beside it, where Debian's libembree-dev is installed,
 * Embree's rtcCollide, which finds pairs of faces, on boxes of faces that are the same.
 *   bench_broad [FILE.ccdm [RUNS]]
 *   bench_broad --broad NAME [RUNS]
 * The second measures one phase, by its stage's name, on draped sheets of growing size with folds and a step's motion,
 * beside brute force where that ends within seconds: ms a search with its refit, pairs of faces culled by curvature,
 * and the exponent of the faces that the time grows by (0: nothing to compare with).
 */
#include "../narrow/step_pairs.h"

#include <time.h>

#include "broad/broad.h"
#include "mesh/topology.h"
#include "muslin/math.h"
#ifdef MUSLIN_EMBREE
#include <embree3/rtcore.h>
#endif

enum { MOST_RUNS = 101 };
static const int64_t stated[2] = {1655541, 5197332};

static void check(mus_status status) {
    if (status == MUS_STATUS_OK) return;
    fprintf(stderr, "bench_broad: %s\n", mus_get_error_message());
    exit(3);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

/* ---- ours ---- */

static void make_leaves(const recorded_step *step, mus_broad_scene *scene) {
    mus_topology topology;
    const int32_t *faces = (const int32_t *)step->faces;
    check(mus_topology_build(faces, (int32_t)step->face_count, (int32_t)step->vertex_count, &topology));
    scene->leaf_count = scene->cloth_leaf_count = (int32_t)step->face_count;
    scene->vertex_count = (int32_t)step->vertex_count;
    scene->leaves = calloc(step->face_count, sizeof *scene->leaves);
    scene->vertex_box = calloc(step->vertex_count, sizeof *scene->vertex_box);
    uint8_t *vertex_owned = calloc(step->vertex_count, 1), *edge_owned = calloc(step->edge_count + 1, 1);
    static const uint8_t collide = 1;
    scene->collide = &collide, scene->object_count = 1;
    for (uint32_t f = 0; f < step->face_count; f++) {
        mus_leaf leaf = {.face = 1};
        for (int c = 0; c < 3; c++) {
            int32_t v = faces[3 * f + (uint32_t)c], e = topology.face_edges[3 * f + (uint32_t)c];
            leaf.vertex[c] = v;
            if (!vertex_owned[v]) leaf.own |= (unsigned)MUS_OWN_VERTEX << c, vertex_owned[v] = 1;
            if (!edge_owned[e]) leaf.own |= (unsigned)MUS_OWN_EDGE << c, edge_owned[e] = 1;
        }
        scene->leaves[f] = leaf;
    }
    free(vertex_owned), free(edge_owned);
    mus_topology_free(&topology);
}

/* Of both ends; swept: one box around them. */
static void make_boxes(const recorded_step *step, bool swept, mus_broad_scene *scene) {
    for (uint32_t i = 0; i < step->vertex_count; i++) {
        swept_box box = step_box(step, i, &i, 1);
        mus_packed_swept_box *b = &scene->vertex_box[i];
        *b = mus_swept_box_of_point(v3_load(step->x0 + 3 * (size_t)i), v3_load(step->x1 + 3 * (size_t)i), 0, 0);
        if (!swept) continue;
        memcpy(b->lo0, box.low, sizeof box.low), memcpy(b->lo1, box.low, sizeof box.low);
        memcpy(b->hi0, box.high, sizeof box.high), memcpy(b->hi1, box.high, sizeof box.high);
    }
}

typedef struct counter {
    int64_t of[MUS_BROAD_SLOTS][2], total[2];
} counter;

static mus_status count_pairs(void *context, int slot, const mus_pair *pairs, int64_t count) {
    int64_t counts[2] = {0}, *of = ((counter *)context)->of[slot];
    for (int64_t k = 0; k < count; k++) counts[pairs[k].edge_edge]++;
    of[0] += counts[0], of[1] += counts[1];
    return MUS_STATUS_OK;
}

static mus_status full(void *context, int slot) {
    (void)context, (void)slot;
    return MUS_STATUS_OK;
}

static mus_status sum_up(void *context, int count) {
    counter *c = context;
    for (int slot = 0; slot < count; slot++)
        for (int k = 0; k < 2; k++) c->total[k] += c->of[slot][k], c->of[slot][k] = 0;
    return MUS_STATUS_OK;
}

static void ours(const recorded_step *step, int runs) {
    mus_broad_scene scene = {0};
    make_leaves(step, &scene);
    const mus_broad_phase *phase = &mus_broad_box_tree;
    for (int threads = 1; threads <= 2; threads++)
        for (int swept = 0; swept < 2; swept++) {
            scene.threads = threads;
            make_boxes(step, swept, &scene);
            double build[MOST_RUNS], refit[MOST_RUNS], find[MOST_RUNS];
            counter counts;
            for (int r = 0; r < runs; r++) {
                void *state;
                double start = now_ms();
                check(phase->create(&scene, (const v3 *)step->x0, &state));
                build[r] = now_ms() - start;
                mus_lender lender = {0};
                phase->borrow(state, &lender);
                char *memory = malloc(lender.used + 1);
                lender = (mus_lender){memory, 0};
                phase->borrow(state, &lender);
                start = now_ms();
                phase->refit(state, &scene);
                refit[r] = now_ms() - start;
                counts = (counter){0};
                start = now_ms();
                check(phase->pairs(state, &scene, &(mus_pair_sink){count_pairs, full, sum_up, &counts}));
                find[r] = now_ms() - start;
                phase->destroy(state);
                free(memory);
            }
            printf(
                "muslin, %d thread%s, boxes %s: build %.1f, refit %.2f, all pairs %.1f ms; %lld vertex-face and %lld "
                "edge-edge pairs%s\n",
                threads, threads > 1 ? "s" : "", swept ? "swept       " : "at both ends", median(build, runs),
                median(refit, runs), median(find, runs), (long long)counts.total[0], (long long)counts.total[1],
                !swept                                                                 ? ""
                : counts.total[0] == stated[0] && counts.total[1] == stated[1]         ? " (as stated)"
                : (counts.total[0] == stated[0]) + (counts.total[1] == stated[1]) == 1 ? " (ONE NOT AS STATED)"
                                                                                       : " (NOT AS STATED)");
        }
    free(scene.leaves), free(scene.vertex_box);
}

/* ---- Embree ---- */

#ifdef MUSLIN_EMBREE
static const recorded_step *boxed;

static void bounds(const struct RTCBoundsFunctionArguments *args) {
    swept_box box = step_box(boxed, args->primID, boxed->faces + 3 * (size_t)args->primID, 3);
    *args->bounds_o = (struct RTCBounds){.lower_x = box.low[0],
                                         .lower_y = box.low[1],
                                         .lower_z = box.low[2],
                                         .upper_x = box.high[0],
                                         .upper_y = box.high[1],
                                         .upper_z = box.high[2]};
}

static _Atomic int64_t found; /* by Embree's own threads */
static void collided(void *context, struct RTCCollision *pairs, unsigned count) {
    (void)context, (void)pairs;
    found += count;
}

static void embree(const recorded_step *step, int runs, int threads) {
    char config[64];
    snprintf(config, sizeof config, "threads=%d,set_affinity=0", threads);
    RTCDevice device = rtcNewDevice(config);
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
    RTCGeometry faces = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(faces, step->face_count);
    rtcSetGeometryBuildQuality(faces, RTC_BUILD_QUALITY_LOW);
    boxed = step;
    rtcSetGeometryBoundsFunction(faces, bounds, NULL);
    rtcCommitGeometry(faces);
    rtcAttachGeometry(scene, faces);
    double build[MOST_RUNS], find[MOST_RUNS];
    int64_t pairs = 0;
    for (int r = 0; r < runs; r++) {
        double start = now_ms();
        rtcCommitGeometry(faces);
        rtcCommitScene(scene);
        build[r] = now_ms() - start;
        found = 0;
        start = now_ms();
        rtcCollide(scene, scene, collided, NULL);
        find[r] = now_ms() - start;
        pairs = found;
    }
    printf("Embree, %d thread%s: build %.1f, rtcCollide %.1f ms; %lld pairs of faces\n", threads,
           threads > 1 ? "s" : "", median(build, runs), median(find, runs), (long long)pairs);
    rtcReleaseGeometry(faces);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
}
#endif

/* ---- drapes of growing size ---- */

static const mus_broad_phase *const phases[] = {&mus_broad_box_tree,
                                                &mus_broad_brute,
                                                &mus_broad_hash_grid,
                                                &mus_broad_hash_grid_source,
                                                &mus_broad_octree,
                                                &mus_broad_octree_source,
                                                &mus_broad_partition_tree,
                                                &mus_broad_partition_tree_cones,
                                                &mus_broad_partition_tree_sound,
                                                &mus_broad_quad_tree};
enum { PHASES = sizeof phases / sizeof phases[0] };

typedef struct drape {
    recorded_step step; /* faces and counts */
    mus_broad_scene scene;
    v3 *x0, *x1;
} drape;

/* A sheet of n x n nodes, 1 m wide, over a ball: radial folds that grow to its border, 5 mm of motion. */
static void drape_make(uint32_t n, drape *d) {
    *d = (drape){.step = {.vertex_count = n * n, .edge_count = 3 * n * n, .face_count = 2 * (n - 1) * (n - 1)}};
    d->x0 = calloc((size_t)n * n, sizeof *d->x0);
    d->x1 = calloc((size_t)n * n, sizeof *d->x1);
    d->step.faces = calloc(6 * (size_t)(n - 1) * (n - 1), sizeof *d->step.faces);
    float *place = calloc(4 * (size_t)(n - 1) * (n - 1), sizeof *place);
    int32_t *grid = calloc(2, sizeof *grid);
    grid[0] = grid[1] = (int32_t)n;
    for (uint32_t k = 0; k < n * n; k++) {
        uint32_t column = k % n, line = k / n;
        double u = (double)column / (n - 1) - 0.5, v = (double)line / (n - 1) - 0.5, r = sqrt(u * u + v * v);
        double angle = mus_atan2(v, u), fold = 1 + 0.7 * r * mus_sin(16 * angle), down = 0.9 * r * r;
        double wide = 0.3 * mus_tan(mus_atan2(r, 0.5)) * fold;
        d->x0[k] = v3_make(wide * mus_cos(angle), -down, wide * mus_sin(angle));
        d->x1[k] = v3_add(d->x0[k], v3_make(0, -5e-3, 1e-3 * mus_sin(40 * u)));
    }
    for (uint32_t q = 0; q < (n - 1) * (n - 1); q++) {
        uint32_t a = q / (n - 1) * n + q % (n - 1), face[6] = {a, a + 1, a + n + 1, a, a + n + 1, a + n};
        memcpy(d->step.faces + 6 * (size_t)q, face, sizeof face);
        for (int k = 0; k < 4; k++) place[4 * (size_t)q + (size_t)k] = (float)(k % 2 ? q / (n - 1) : q % (n - 1));
    }
    make_leaves(&d->step, &d->scene);
    for (uint32_t i = 0; i < n * n; i++) d->scene.vertex_box[i] = mus_swept_box_of_point(d->x0[i], d->x1[i], 0, 1e-3);
    d->scene.place = place, d->scene.grid = grid, d->scene.x0 = d->x0, d->scene.x1 = d->x1, d->scene.threads = 1;
}

static void drape_free(drape *d) {
    free(d->x0), free(d->x1), free(d->step.faces), free(d->scene.place), free(d->scene.grid);
    free(d->scene.leaves), free(d->scene.vertex_box);
}

/* Milliseconds; pairs are counted. */
static double search(const mus_broad_phase *phase, const drape *d, int runs, int64_t *pairs, int64_t *culled) {
    void *state;
    double ms[MOST_RUNS];
    check(phase->create(&d->scene, d->x0, &state));
    mus_lender lender = {0};
    phase->borrow(state, &lender);
    void *memory = aligned_alloc(16, lender.used + 16);
    lender = (mus_lender){memory, 0};
    phase->borrow(state, &lender);
    for (int r = 0; r < runs; r++) {
        counter counts = {0};
        double start = now_ms();
        phase->refit(state, &d->scene);
        check(phase->pairs(state, &d->scene, &(mus_pair_sink){count_pairs, full, sum_up, &counts}));
        ms[r] = now_ms() - start;
        *pairs = counts.total[0] + counts.total[1];
    }
    *culled = phase->culled ? phase->culled(state) : 0;
    phase->destroy(state);
    free(memory);
    return median(ms, runs);
}

static int growing(const char *name, int runs) {
    enum { BRUTE_MOST = 20000 };
    const mus_broad_phase *phase = NULL;
    for (int p = 0; p < PHASES; p++)
        if (strcmp(phases[p]->name, name) == 0) phase = phases[p];
    if (!phase) {
        fprintf(stderr, "bench_broad: --broad names no phase '%s'; the phases are:", name);
        for (int p = 0; p < PHASES; p++) fprintf(stderr, " %s", phases[p]->name);
        fprintf(stderr, "\n");
        return 2;
    }
    printf("%8s %12s %12s %8s %12s %8s %14s\n", "faces", "pairs", name, "exponent", "brute", "exponent", "culled");
    double before[2] = {0};
    uint32_t faces_before = 0;
    for (uint32_t n = 17; n <= 257; n = 2 * n - 1) {
        drape d;
        int64_t pairs, all, culled, none;
        drape_make(n, &d);
        uint32_t faces = (uint32_t)d.step.face_count;
        double ratio = faces_before ? mus_log((double)faces / faces_before) : 1;
        double ms = search(phase, &d, runs, &pairs, &culled);
        printf("%8u %12lld %9.2f ms %8.2f", faces, (long long)pairs, ms,
               before[0] > 0 ? mus_log(ms / before[0]) / ratio : 0);
        before[0] = ms;
        if (faces <= BRUTE_MOST) {
            double brute = search(&mus_broad_brute, &d, 1, &all, &none);
            printf(" %9.2f ms %8.2f %14lld%s\n", brute, before[1] > 0 ? mus_log(brute / before[1]) / ratio : 0,
                   (long long)culled, all == pairs ? "" : " (fewer pairs than brute)");
            before[1] = brute;
        } else {
            printf(" %12s %8s %14lld\n", "-", "-", (long long)culled);
        }
        faces_before = faces;
        drape_free(&d);
    }
    return 0;
}

static int runs_of(const char *text) {
    int runs = text ? atoi(text) : 5;
    return runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "--broad") == 0) return growing(argv[2], runs_of(argv[3]));
    const char *path = argc > 1 ? argv[1] : "../shared/data/ccd/cloth-ball.ccdm";
    int runs = runs_of(argc > 2 ? argv[2] : NULL);
    recorded_step step;
    if (!step_read(path, &step)) {
        printf("bench_broad: %s is not there or not a .ccdm file; nothing measured\n", path);
        return 0;
    }
    ours(&step, runs);
#ifdef MUSLIN_EMBREE
    for (int threads = 1; threads <= 2; threads++) embree(&step, runs, threads);
#else
    printf("Embree: skipped, built without it (apt-get install libembree-dev)\n");
#endif
    step_free(&step);
    return 0;
}
