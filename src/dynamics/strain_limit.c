/* strain_limit.c: the edges with a limit, in the order of a greedy coloring, since a sweep along a chain of neighbors
 * would propagate a correction from one end of the cloth to the other; and Provot's sweep over them. */
#include "dynamics/strain_limit.h"
#include "base/parallel.h"

#include <string.h>

enum { COLORS = 64, MOST_BLOCKS = 64, LEAST_BLOCK = 256, BLOCKS_PER_THREAD = 4 };

/* A sweep leaves a small error: it aims below the limit, so that the result stays within it. */
#define TARGET_SHARE 0.95

static double limit_of_edge(const mus_cloth *cloth, int32_t e) {
    const int32_t *ends = cloth->topology.edges + 2 * (size_t)e;
    if (!cloth->strain_limits) return cloth->material.strain_limit;
    return 0.5 * (cloth->strain_limits[ends[0]] + cloth->strain_limits[ends[1]]);
}

mus_status mus_strain_limit_add(mus_strain_limit *limit, const mus_cloth *cloth, int32_t first) {
    if (!limit->stage || !(cloth->material.strain_limit > 0 || cloth->strain_limits)) return MUS_STATUS_OK;
    if (cloth->sheet && cloth->material.limit_stiffness > 0) return MUS_STATUS_OK; /* limited by its energy instead */
    const mus_topology *t = &cloth->topology;
    int32_t start[COLORS + 1] = {0};
    uint8_t *color = mus_new((size_t)t->edge_count);
    uint64_t *used = mus_new(sizeof(uint64_t) * (size_t)cloth->vertex_count);
    mus_limit_edge *edges = mus_resize(limit->edges, sizeof *edges * ((size_t)limit->count + (size_t)t->edge_count));
    if (edges) limit->edges = edges;
    mus_limit_run *runs = mus_resize(limit->runs, sizeof *runs * ((size_t)limit->run_count + COLORS));
    if (runs) limit->runs = runs;
    if (!color || !used || !edges || !runs) {
        mus_free(color);
        mus_free(used);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t e = 0; e < t->edge_count; e++) {
        uint64_t *a = &used[t->edges[2 * e]], *b = &used[t->edges[2 * e + 1]];
        uint64_t taken = *a | *b;
        int c = 0;
        while (c < COLORS - 1 && (taken >> c & 1))
            c++; /* a vertex of very many edges: edges of the last color may share vertices, and are swept in order */
        *a |= (uint64_t)1 << c, *b |= (uint64_t)1 << c;
        color[e] = (uint8_t)c;
        start[c + 1]++;
    }
    for (int c = 0; c < COLORS; c++) {
        if (start[c + 1])
            runs[limit->run_count++] =
                (mus_limit_run){limit->count + start[c], start[c + 1], .shared = c == COLORS - 1};
        start[c + 1] += start[c];
    }
    for (int32_t e = 0; e < t->edge_count; e++) {
        double most = limit_of_edge(cloth, e);
        edges[limit->count + start[color[e]]++] =
            (mus_limit_edge){first + t->edges[2 * e], first + t->edges[2 * e + 1],
                             (float)(cloth->rest_lengths[e] * (1 + TARGET_SHARE * most)), (float)most};
    }
    limit->count += t->edge_count;
    mus_free(color);
    mus_free(used);
    return MUS_STATUS_OK;
}

mus_status mus_strain_limit_ready(mus_strain_limit *limit, int32_t vertex_count) {
    if (!limit->count) return MUS_STATUS_OK;
    limit->has_moved = mus_new((size_t)vertex_count);
    if (!limit->has_moved) return MUS_STATUS_NO_MEMORY;
    limit->vertex_count = vertex_count;
    return limit->stage->ready ? limit->stage->ready(limit, vertex_count) : MUS_STATUS_OK;
}

void mus_strain_limit_watch(mus_strain_limit *limit) {
    if (limit->vertex_count) memset(limit->has_moved, 0, (size_t)limit->vertex_count);
    limit->watch = MUS_WATCH_BEGINS;
    limit->status = MUS_STATUS_OK;
}

void mus_strain_limit_free(mus_strain_limit *limit) {
    mus_free(limit->edges);
    mus_free(limit->runs);
    mus_free(limit->has_moved);
    mus_free(limit->kept);
    *limit = (mus_strain_limit){0};
}

void mus_limit_edge_set(const mus_limit_edge *e, const double *inverse_mass, double length, double wanted, v3 *x,
                        mus_moved moved, void *context) {
    double wa = inverse_mass[e->a], wb = inverse_mass[e->b];
    v3 pull = v3_scale((length - wanted) / ((wa + wb) * length), v3_sub(x[e->a], x[e->b]));
    x[e->a] = v3_axpy(-wa, pull, x[e->a]);
    x[e->b] = v3_axpy(wb, pull, x[e->b]);
    if (!moved) return;
    if (wa > 0) moved(context, e->a);
    if (wb > 0) moved(context, e->b);
}

typedef struct job {
    const mus_strain_limit *limit;
    const double *inverse_mass;
    v3 *x;
    mus_moved moved;
    void *context;
    int32_t first;
    double worst2[MOST_BLOCKS];
} job;

static double sweep_edges(const job *j, int64_t begin, int64_t end) {
    const mus_strain_limit *limit = j->limit;
    const uint8_t *has_moved = limit->has_moved;
    bool watched = limit->watch == MUS_WATCHED;
    double worst2 = 1;
    v3 *x = j->x;
    for (int64_t k = begin; k < end; k++) {
        const mus_limit_edge *e = &limit->edges[k];
        if (watched && !(has_moved[e->a] | has_moved[e->b])) continue;
        double length2 = v3_length2(v3_sub(x[e->a], x[e->b])), longest = e->longest;
        if (length2 <= longest * longest || j->inverse_mass[e->a] + j->inverse_mass[e->b] <= 0) continue;
        double ratio2 = length2 / (longest * longest);
        if (ratio2 > worst2) worst2 = ratio2;
        mus_limit_edge_set(e, j->inverse_mass, sqrt(length2), longest, x, j->moved, j->context);
        if (limit->watch != MUS_UNWATCHED) limit->has_moved[e->a] = limit->has_moved[e->b] = 1;
    }
    return worst2;
}

static void sweep_block(void *context, int64_t begin, int64_t end, int64_t block) {
    job *j = context;
    j->worst2[block] = sweep_edges(j, j->first + begin, j->first + end);
}

static double sweep_strain_limits(mus_strain_limit *limit, const double *inverse_mass, const v3 *x0, v3 *x,
                                  mus_moved moved, void *context) {
    job j = {limit, inverse_mass, x, moved, context, .first = 0};
    double worst2 = limit->runs ? 1 : sweep_edges(&j, 0, limit->count);
    (void)x0;
    for (int32_t r = 0; r < limit->run_count; r++) {
        const mus_limit_run *run = &limit->runs[r];
        int blocks =
            limit->threads < MOST_BLOCKS / BLOCKS_PER_THREAD ? BLOCKS_PER_THREAD * limit->threads : MOST_BLOCKS;
        int64_t size = limit->threads > 1 ? (run->count - 1) / blocks + 1 : run->count;
        if (size < LEAST_BLOCK) size = LEAST_BLOCK;
        j.first = run->first;
        if (run->shared) {
            worst2 = fmax(worst2, sweep_edges(&j, run->first, run->first + run->count));
            continue;
        }
        mus_parallel_for(limit->threads, run->count, size, sweep_block, &j);
        for (int64_t k = mus_parallel_blocks(run->count, size); k-- > 0;) worst2 = fmax(worst2, j.worst2[k]);
    }
    if (limit->watch == MUS_WATCH_BEGINS) limit->watch = MUS_WATCHED;
    return sqrt(worst2);
}

const mus_strain_stage mus_strain_sweep = {"sweep", NULL, sweep_strain_limits};
