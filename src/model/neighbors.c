/* neighbors.c: shortest ways along edges up to a given length (label-correcting search from every vertex). */
#include "model/neighbors.h"

#include <math.h>
#include <string.h>

/* Edges around the vertices, and the state of a search. */
typedef struct search_state {
    int32_t *start, *edge; /* of vertex i: edge[start[i]] .. */
    double *distance;      /* INFINITY: not reached */
    int32_t *reached;      /* vertices in order of discovery; also the queue */
    uint8_t *waits;        /* in the queue */
    int32_t *queue;        /* ring of vertex_count + 1 */
} search_state;

static void search_free(search_state *w) {
    void *blocks[] = {w->start, w->edge, w->distance, w->reached, w->waits, w->queue};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
}

static mus_status search_make(const mus_ways *t, search_state *w) {
    size_t n = (size_t)t->vertex_count;
    *w = (search_state){.start = mus_new(sizeof(int32_t) * (n + 2)),
                        .edge = mus_new(sizeof(int32_t) * 2 * (size_t)t->edge_count),
                        .distance = mus_new(sizeof(double) * n),
                        .reached = mus_new(sizeof(int32_t) * n),
                        .waits = mus_new(n),
                        .queue = mus_new(sizeof(int32_t) * (n + 1))};
    if (!w->start || !w->edge || !w->distance || !w->reached || !w->waits || !w->queue) {
        search_free(w);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t k = 0; k < 2 * t->edge_count; k++) w->start[t->edges[k] + 2]++;
    for (size_t i = 2; i < n + 2; i++) w->start[i] += w->start[i - 1];
    for (int32_t k = 0; k < 2 * t->edge_count; k++) w->edge[w->start[t->edges[k] + 1]++] = k / 2;
    for (size_t i = 0; i < n; i++) w->distance[i] = INFINITY;
    return MUS_STATUS_OK;
}

/* Computes distances from `source` up to `max_distance`; returns the number of vertices reached, including the source.
 */
static int32_t search(const mus_ways *t, search_state *w, int32_t source, double max_distance) {
    int32_t count = 0, head = 0, tail = 0, size = t->vertex_count + 1;
    w->distance[source] = 0;
    w->reached[count++] = source;
    w->queue[tail++] = source;
    while (head != tail) {
        int32_t i = w->queue[head++];
        if (head == size) head = 0;
        w->waits[i] = 0;
        for (int32_t k = w->start[i]; k < w->start[i + 1]; k++) {
            int32_t e = w->edge[k], other = t->edges[2 * e] == i ? t->edges[2 * e + 1] : t->edges[2 * e];
            /* no negative length, no NaN: the search must end even with a damaged file */
            double length = w->distance[i] + fmax(t->lengths[e], 0);
            if (!(length <= max_distance) || !(length < w->distance[other])) continue;
            if (w->distance[other] == (double)INFINITY) w->reached[count++] = other;
            w->distance[other] = length;
            if (w->waits[other]) continue;
            w->waits[other] = 1;
            w->queue[tail++] = other;
            if (tail == size) tail = 0;
        }
    }
    return count;
}

/* Shell's sort: the C library's may allocate. */
static void sort_numbers(int32_t *x, int32_t count) {
    static const int32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (int32_t k = gaps[g]; k < count; k++) {
            int32_t at = k, value = x[k];
            for (; at >= gaps[g] && x[at - gaps[g]] > value; at -= gaps[g]) x[at] = x[at - gaps[g]];
            x[at] = value;
        }
}

mus_status mus_neighbors_add_ways(mus_neighbors *neighbors, const mus_ways *ways, const char *name, int32_t first,
                                  double max_distance) {
    search_state w;
    mus_status status = search_make(ways, &w);
    if (status != MUS_STATUS_OK) return status;
    for (int32_t i = 0; i < ways->vertex_count && status == MUS_STATUS_OK; i++) {
        double share = ways->max_thicknesses ? 0.5 * (1 + ways->max_thicknesses[i] / ways->thickest) : 1;
        int32_t count = search(ways, &w, i, share * max_distance);
        sort_numbers(w.reached, count);
        for (int32_t k = 0; k < count; k++) {
            int32_t other = w.reached[k];
            mus_neighbor one = {first + other, (float)w.distance[other]};
            if (other != i && !mus_array_push(&neighbors->list, one)) status = MUS_STATUS_NO_MEMORY;
            w.distance[other] = INFINITY;
        }
        if (neighbors->list.count > INT32_MAX)
            status = mus_fail(MUS_STATUS_INVALID, "cloth '%s': its thickness (%g m) is too large for so fine a mesh",
                              name, max_distance * MUS_NEIGHBOR_SHARE);
        neighbors->start[first + i + 1] = (int32_t)neighbors->list.count;
    }
    search_free(&w);
    return status;
}

mus_status mus_neighbors_add(mus_neighbors *neighbors, const mus_cloth *cloth, int32_t first, double max_distance) {
    const mus_topology *t = &cloth->topology;
    mus_ways ways = {cloth->vertex_count, t->edge_count,          t->edges,
                     cloth->rest_lengths, cloth->max_thicknesses, cloth->thickness};
    return mus_neighbors_add_ways(neighbors, &ways, cloth->name, first, max_distance);
}

void mus_neighbors_free(mus_neighbors *neighbors) {
    mus_free(neighbors->start);
    mus_array_free(&neighbors->list);
    *neighbors = (mus_neighbors){0};
}

double mus_neighbors_distance(const mus_neighbors *neighbors, int32_t a, int32_t b) {
    int32_t low = neighbors->start[a], high = neighbors->start[a + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (neighbors->list.data[middle].vertex == b) return (double)neighbors->list.data[middle].distance;
        if (neighbors->list.data[middle].vertex < b)
            low = middle + 1;
        else
            high = middle;
    }
    return INFINITY;
}
