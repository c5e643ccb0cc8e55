/* strain_limit.c: the edges with a limit, in the order of a greedy colouring: a sweep along a chain of neighbours would
 * carry a correction from one end of the cloth to the other; and Provot's sweep over them. */
#include "dynamics/strain_limit.h"

#include <string.h>

enum { COLOURS = 64 };

/* A sweep leaves a little behind: it aims below the limit, so that what is left stays within it. */
#define AIM 0.95

mus_status mus_strain_limit_add(mus_strain_limit *limit, const mus_cloth *cloth, int32_t first) {
    if (!limit->stage || !(cloth->material.strain_limit > 0)) return MUS_STATUS_OK;
    if (cloth->sheet && cloth->material.limit_stiffness > 0) return MUS_STATUS_OK; /* its energy does it */
    const mus_topology *t = &cloth->topology;
    int32_t start[COLOURS + 1] = {0};
    uint8_t *colour = mus_new((size_t)t->edge_count);
    uint64_t *used = mus_new(sizeof(uint64_t) * (size_t)cloth->vertex_count);
    mus_limit_edge *edges = mus_resize(limit->edges, sizeof *edges * ((size_t)limit->count + (size_t)t->edge_count));
    if (edges) limit->edges = edges;
    if (!colour || !used || !edges) {
        mus_free(colour);
        mus_free(used);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t e = 0; e < t->edge_count; e++) {
        uint64_t *a = &used[t->edges[2 * e]], *b = &used[t->edges[2 * e + 1]];
        uint64_t taken = *a | *b;
        int c = 0;
        while (c < COLOURS - 1 && (taken >> c & 1))
            c++; /* a vertex of very many edges: the last colour is shared, in order */
        *a |= (uint64_t)1 << c, *b |= (uint64_t)1 << c;
        colour[e] = (uint8_t)c;
        start[c + 1]++;
    }
    for (int c = 0; c < COLOURS; c++) start[c + 1] += start[c];
    for (int32_t e = 0; e < t->edge_count; e++)
        edges[limit->count + start[colour[e]]++] =
            (mus_limit_edge){first + t->edges[2 * e], first + t->edges[2 * e + 1],
                             (float)(cloth->rest_lengths[e] * (1 + AIM * cloth->material.strain_limit)),
                             (float)cloth->material.strain_limit};
    limit->count += t->edge_count;
    mus_free(colour);
    mus_free(used);
    return MUS_STATUS_OK;
}

mus_status mus_strain_limit_ready(mus_strain_limit *limit, int32_t vertex_count) {
    return limit->count && limit->stage->ready ? limit->stage->ready(limit, vertex_count) : MUS_STATUS_OK;
}

void mus_strain_limit_free(mus_strain_limit *limit) {
    mus_free(limit->edges);
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

static double sweep(mus_strain_limit *limit, const double *inverse_mass, const v3 *x0, v3 *x, mus_moved moved,
                    void *context) {
    (void)x0;
    double worst2 = 1;
    for (int32_t k = 0; k < limit->count; k++) {
        const mus_limit_edge *e = &limit->edges[k];
        double length2 = v3_length2(v3_sub(x[e->a], x[e->b])), longest = e->longest;
        double ratio2 = length2 / (longest * longest);
        if (ratio2 <= 1 || inverse_mass[e->a] + inverse_mass[e->b] <= 0) continue;
        if (ratio2 > worst2) worst2 = ratio2;
        mus_limit_edge_set(e, inverse_mass, sqrt(length2), longest, x, moved, context);
    }
    return sqrt(worst2);
}

const mus_strain_stage mus_strain_sweep = {"sweep", NULL, sweep};
