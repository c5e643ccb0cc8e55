/* bench_broad.c: milliseconds of the broad phase on a recorded step of a cloth on a ball (../shared/data/ccd, 92 230
 * faces): building, refitting, and finding every vertex-face and edge-edge pair whose boxes overlap. The swept boxes'
 * pairs are counted against the figures stated with the data. Beside it, where Debian's libembree-dev is installed,
 * Embree's rtcCollide, which finds pairs of faces, on boxes of faces that are the same.
 *   bench_broad [FILE.ccdm [RUNS]]
 */
#include "../narrow/step_pairs.h"

#include <time.h>

#include "broad/broad.h"
#include "mesh/topology.h"
#ifdef MUSLIN_EMBREE
#include <embree3/rtcore.h>
#include <omp.h>
#endif

enum { MOST_RUNS = 101 };
static const int64_t stated[2] = {1655541, 5197332};

static void check(mus_status status) {
    if (status == MUS_STATUS_OK) return;
    fprintf(stderr, "bench_broad: %s\n", mus_error_message());
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
        mus_packed_box *b = &scene->vertex_box[i];
        *b = mus_box_of_point(v3_load(step->x0 + 3 * (size_t)i), v3_load(step->x1 + 3 * (size_t)i), 0, 0);
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

static int64_t found[64];
static void collided(void *context, struct RTCCollision *pairs, unsigned count) {
    (void)context, (void)pairs;
    found[omp_get_thread_num() & 63] += count; /* one of Embree's threads: good enough for a figure */
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
        memset(found, 0, sizeof found);
        start = now_ms();
        rtcCollide(scene, scene, collided, NULL);
        find[r] = now_ms() - start;
        pairs = 0;
        for (int k = 0; k < 64; k++) pairs += found[k];
    }
    printf("Embree, %d thread%s: build %.1f, rtcCollide %.1f ms; %lld pairs of faces\n", threads,
           threads > 1 ? "s" : "", median(build, runs), median(find, runs), (long long)pairs);
    rtcReleaseGeometry(faces);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
}
#endif

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "../shared/data/ccd/cloth-ball.ccdm";
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    runs = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
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
