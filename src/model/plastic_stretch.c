/* plastic_stretch.c: the state of plastic stretching. dynamics/plastic_stretch.c has the law. */
#include "model/plastic_stretch.h"

#include "model/sheet.h"
#include "muslin/math.h"

#include <string.h>

static const double recovered = 1e-5; /* share of the rest state: from here on a stretch has recovered */

int32_t mus_plastic_stretch_count(const mus_cloth *cloth) {
    return cloth->sheet ? cloth->face_count : cloth->spring_count;
}

double *mus_plastic_stretch_rest(mus_cloth *cloth, int32_t element) {
    return cloth->sheet ? &cloth->sheet->faces[element].n[0][0] : &cloth->springs[element].rest;
}

mus_status mus_plastic_stretch_create(mus_cloth *cloth) {
    if (!(cloth->material.yield_strain > 0)) return MUS_STATUS_OK;
    int32_t count = mus_plastic_stretch_count(cloth);
    size_t bytes = sizeof(double) * (size_t)mus_plastic_stretch_numbers(cloth);
    cloth->plastic_stretches = mus_new(sizeof *cloth->plastic_stretches * ((size_t)count + 1));
    if (!cloth->plastic_stretches) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < count; k++)
        memcpy(cloth->plastic_stretches[k].made, mus_plastic_stretch_rest(cloth, k), bytes);
    return MUS_STATUS_OK;
}

/* Of a 2 x 2 matrix, row by row. */
static void invert(const double *n, double inverse[4]) {
    double det = n[0] * n[3] - n[1] * n[2];
    inverse[0] = n[3] / det, inverse[1] = -n[1] / det, inverse[2] = -n[2] / det, inverse[3] = n[0] / det;
}

void mus_plastic_stretch_recover(mus_cloth *cloth, double dt) {
    if (!cloth->plastic_stretches || !(cloth->material.recovery_time > 0)) return;
    double remaining = mus_exp(-dt / cloth->material.recovery_time);
    for (int32_t k = 0; k < mus_plastic_stretch_count(cloth); k++) {
        const double *made = cloth->plastic_stretches[k].made;
        double *rest = mus_plastic_stretch_rest(cloth, k);
        if (!cloth->sheet) {
            rest[0] = made[0] + remaining * (rest[0] - made[0]);
            continue;
        }
        if (memcmp(rest, made, sizeof(double) * 4) == 0) continue; /* which inversions would round */
        double from[4], edges[4];                                  /* edges at rest, in which lengths are linear */
        invert(made, from);
        invert(rest, edges);
        for (int j = 0; j < 4; j++) edges[j] = from[j] + remaining * (edges[j] - from[j]);
        invert(edges, rest);
    }
}

bool mus_plastic_stretch_recovers(const mus_cloth *cloth) {
    if (!cloth->plastic_stretches || !(cloth->material.recovery_time > 0)) return false;
    int numbers = mus_plastic_stretch_numbers(cloth);
    for (int32_t k = 0; k < mus_plastic_stretch_count(cloth); k++) {
        const double *made = cloth->plastic_stretches[k].made;
        const double *rest = mus_plastic_stretch_rest((mus_cloth *)(uintptr_t)cloth, k);
        double size = 0, change = 0;
        for (int j = 0; j < numbers; j++) size += fabs(made[j]), change += fabs(rest[j] - made[j]);
        if (change > recovered * size) return true;
    }
    return false;
}

/* The rest lengths of the edges of face f, from corner k to the next: with the columns of N = n the inverse of the
 * edges at rest, corners 1 and 2 are at N^-1. */
static void lengths_of_face(const mus_cloth *cloth, int32_t f, double length[3]) {
    double edges[4];
    invert(&cloth->sheet->faces[f].n[0][0], edges);
    double p[3][2] = {{0, 0}, {edges[0], edges[2]}, {edges[1], edges[3]}};
    for (int k = 0; k < 3; k++) {
        const double *from = p[k], *to = p[(k + 1) % 3];
        length[k] = sqrt((to[0] - from[0]) * (to[0] - from[0]) + (to[1] - from[1]) * (to[1] - from[1]));
    }
}

static mus_status lengths_of_faces(const mus_cloth *cloth, double *lengths) {
    mus_topology t; /* numbers the edges as the cloth's did */
    mus_status status = mus_topology_build(cloth->faces, cloth->face_count, cloth->vertex_count, &t);
    if (status != MUS_STATUS_OK) return status;
    memset(lengths, 0, sizeof *lengths * (size_t)t.edge_count);
    for (int32_t f = 0; f < cloth->face_count; f++) {
        double length[3];
        lengths_of_face(cloth, f, length);
        for (int k = 0; k < 3; k++) {
            int32_t edge = t.face_edges[3 * (size_t)f + (size_t)k];
            lengths[edge] += t.edge_faces[2 * (size_t)edge + 1] < 0 ? length[k] : 0.5 * length[k];
        }
    }
    mus_topology_free(&t);
    return MUS_STATUS_OK;
}

static mus_status lengths_of_springs(const mus_cloth *cloth, double *lengths) {
    const mus_topology *t = &cloth->topology;
    size_t n = (size_t)cloth->vertex_count;
    int32_t *start = mus_new(sizeof *start * (n + 1)), *list = mus_new(sizeof *list * ((size_t)t->edge_count + 1));
    if (!start || !list) {
        mus_free(start);
        mus_free(list);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t e = 0; e < t->edge_count; e++) start[t->edges[2 * e]]++; /* edges by their lower vertex */
    for (size_t i = 1; i <= n; i++) start[i] += start[i - 1];
    for (int32_t e = t->edge_count - 1; e >= 0; e--) list[--start[t->edges[2 * e]]] = e;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        if (s->kind == MUS_SPRING_BEND) continue;
        int32_t low = s->a, high = (int32_t)s->b;
        if (low > high) low = high, high = s->a;
        for (int32_t j = start[low]; j < start[low + 1]; j++)
            if (t->edges[2 * list[j] + 1] == high) lengths[list[j]] = s->rest;
    }
    mus_free(start);
    mus_free(list);
    return MUS_STATUS_OK;
}

mus_status mus_plastic_stretch_lengths(const mus_cloth *cloth, double *lengths) {
    memcpy(lengths, cloth->rest_lengths, sizeof *lengths * (size_t)cloth->topology.edge_count);
    if (!cloth->plastic_stretches) return MUS_STATUS_OK;
    return cloth->sheet ? lengths_of_faces(cloth, lengths) : lengths_of_springs(cloth, lengths);
}
