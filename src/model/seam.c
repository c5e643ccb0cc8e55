/* seam.c: seams as objects: length over time, and neighbors through them. */
#include "model/seam.h"
#include "model/order.h"

#include <string.h>

mus_status mus_seam_new(int32_t count, mus_seam **out) {
    *out = NULL;
    mus_seam *seam = mus_new(sizeof *seam);
    if (!seam) return MUS_STATUS_NO_MEMORY;
    seam->count = count;
    seam->stitches = mus_new(sizeof *seam->stitches * (size_t)count);
    seam->start = mus_new(sizeof *seam->start * (size_t)count);
    if (!seam->stitches || !seam->start) {
        mus_seam_free(seam);
        return MUS_STATUS_NO_MEMORY;
    }
    *out = seam;
    return MUS_STATUS_OK;
}

void mus_seam_free(mus_seam *seam) {
    if (!seam) return;
    mus_free(seam->stitches);
    mus_free(seam->start);
    mus_free(seam);
}

double mus_seam_length(const mus_seam *seam, int32_t k, double t) {
    double start = seam->start[k], since = fmax(0, t - seam->begin);
    if (!(start > seam->width)) return seam->width;
    if (seam->closing_time > 0)
        return since >= seam->closing_time ? seam->width : start + (seam->width - start) * (since / seam->closing_time);
    return fmax(seam->width, start - seam->speed * since);
}

double mus_stitch_distance(const mus_stitch *s, const v3 *a, const v3 *b) {
    int32_t onto[2];
    double weight[2];
    v3 d = a[s->vertex];
    for (int k = 0, count = mus_stitch_ends(s, onto, weight); k < count; k++) d = v3_axpy(weight[k], b[onto[k]], d);
    return v3_length(d);
}

/* Collects the edges of all cloths, and a path for each stitch to each vertex that it is sewn to. */
static void collect(mus_cloth *const *cloths, int32_t cloth_count, mus_seam *const *seams, int32_t seam_count,
                    mus_ways *ways) {
    int32_t first = 0, at = 0;
    for (int32_t c = 0; c < cloth_count; c++) {
        const mus_topology *t = &cloths[c]->topology;
        for (int32_t e = 0; e < t->edge_count; e++, at++) {
            ways->edges[2 * at] = first + t->edges[2 * e], ways->edges[2 * at + 1] = first + t->edges[2 * e + 1];
            ways->lengths[at] = cloths[c]->rest_lengths[e];
        }
        first += cloths[c]->vertex_count;
    }
    for (int32_t k = 0; k < seam_count; k++) {
        const mus_seam *seam = seams[k];
        int32_t of[2] = {0, 0};
        first = 0;
        for (int32_t c = 0; c < cloth_count; first += cloths[c++]->vertex_count)
            for (int side = 0; side < 2; side++)
                if (cloths[c] == mus_cloth_solved(seam->cloth[side])) of[side] = first;
        for (int32_t s = 0; s < seam->count; s++) {
            int32_t onto[2];
            double weight[2];
            for (int e = 0, count = mus_stitch_ends(&seam->stitches[s], onto, weight); e < count; e++, at++) {
                ways->edges[2 * at] = of[0] + mus_cloth_solved_vertex(seam->cloth[0], seam->stitches[s].vertex);
                ways->edges[2 * at + 1] = of[1] + mus_cloth_solved_vertex(seam->cloth[1], onto[e]);
                ways->lengths[at] = seam->width; /* to the edge, and so to both its ends */
            }
        }
    }
    ways->edge_count = at;
}

mus_status mus_seams_add_neighbors(mus_neighbors *neighbors, mus_cloth *const *cloths, int32_t cloth_count,
                                   mus_seam *const *seams, int32_t seam_count, double max_distance) {
    mus_ways ways = {0};
    int64_t edges = 0;
    for (int32_t c = 0; c < cloth_count; c++)
        edges += cloths[c]->topology.edge_count, ways.vertex_count += cloths[c]->vertex_count;
    for (int32_t k = 0; k < seam_count; k++) edges += 2 * (int64_t)seams[k]->count;
    ways.edges = mus_new(sizeof(int32_t) * 2 * ((size_t)edges + 1));
    ways.lengths = mus_new(sizeof(double) * ((size_t)edges + 1));
    mus_status status = ways.edges && ways.lengths ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        collect(cloths, cloth_count, seams, seam_count, &ways);
        status = mus_neighbors_add_ways(neighbors, &ways, cloths[0]->name, 0, max_distance);
    }
    mus_free(ways.edges);
    mus_free(ways.lengths);
    return status;
}
