/* step_pairs.h: one recorded step of a cloth (.ccdm) and the elementary pairs whose swept boxes overlap, by a plain
 * sweep along one axis. */
#ifndef MUS_TESTS_STEP_PAIRS_H
#define MUS_TESTS_STEP_PAIRS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

typedef struct recorded_step {
    uint32_t vertex_count, edge_count, face_count;
    double *x0, *x1;
    uint32_t *edges, *faces;
} recorded_step;

static inline void step_free(recorded_step *s) {
    free(s->x0), free(s->x1), free(s->edges), free(s->faces);
    memset(s, 0, sizeof *s);
}

/* "CCDM0001", u32 nV nE nF, nV x 3 f64 at each end, nE x 2 u32, nF x 3 u32. False when absent or malformed. */
static inline bool step_read(const char *path, recorded_step *s) {
    memset(s, 0, sizeof *s);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char magic[8];
    uint32_t n[3];
    bool good = fread(magic, 1, 8, file) == 8 && memcmp(magic, "CCDM0001", 8) == 0 && fread(n, 4, 3, file) == 3;
    if (good) {
        s->vertex_count = n[0], s->edge_count = n[1], s->face_count = n[2];
        s->x0 = malloc(n[0] * 24ul), s->x1 = malloc(n[0] * 24ul);
        s->edges = malloc(n[1] * 8ul), s->faces = malloc(n[2] * 12ul);
        good = s->x0 && s->x1 && s->edges && s->faces && fread(s->x0, 24, n[0], file) == n[0] &&
               fread(s->x1, 24, n[0], file) == n[0] && fread(s->edges, 8, n[1], file) == n[1] &&
               fread(s->faces, 12, n[2], file) == n[2];
    }
    fclose(file);
    if (!good) step_free(s);
    return good;
}

typedef struct swept_box {
    float low[3], high[3];
    uint32_t item;
} swept_box;

/* Box of some vertices at both ends, each coordinate rounded to float and moved one step outward. */
static inline swept_box step_box(const recorded_step *s, uint32_t item, const uint32_t *vertices, int n) {
    swept_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, item};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            for (int end = 0; end < 2; end++) {
                float x = (float)(end ? s->x1 : s->x0)[3 * (size_t)vertices[i] + (size_t)k];
                box.low[k] = fminf(box.low[k], nextafterf(x, -INFINITY));
                box.high[k] = fmaxf(box.high[k], nextafterf(x, INFINITY));
            }
    return box;
}

static inline int step_compare(const void *a, const void *b) {
    const swept_box *p = a, *q = b;
    if (p->low[0] != q->low[0]) return p->low[0] < q->low[0] ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

typedef struct pair_list {
    uint32_t (*pairs)[2];
    int64_t count, capacity;
} pair_list;

static inline void add_pair(pair_list *list, uint32_t a, uint32_t b) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1 << 20;
        list->pairs = realloc(list->pairs, (size_t)list->capacity * sizeof *list->pairs);
        if (!list->pairs) abort();
    }
    list->pairs[list->count][0] = a, list->pairs[list->count++][1] = b;
}

static inline bool boxes_overlap(const swept_box *a, const swept_box *b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
           a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* Vertex–face pairs (vertex, face) and edge–edge pairs (lower number first) that share no vertex. */
static inline void step_find_pairs(const recorded_step *s, pair_list *vf, pair_list *ee) {
    swept_box *edges = malloc(s->edge_count * sizeof *edges), *faces = malloc(s->face_count * sizeof *faces);
    swept_box *vertices = malloc(s->vertex_count * sizeof *vertices);
    if (!edges || !faces || !vertices) abort();
    float widest = 0; /* of a face */
    for (uint32_t i = 0; i < s->vertex_count; i++) vertices[i] = step_box(s, i, &i, 1);
    for (uint32_t i = 0; i < s->edge_count; i++) edges[i] = step_box(s, i, s->edges + 2 * i, 2);
    for (uint32_t i = 0; i < s->face_count; i++) {
        faces[i] = step_box(s, i, s->faces + 3 * i, 3);
        widest = fmaxf(widest, faces[i].high[0] - faces[i].low[0]);
    }
    qsort(vertices, s->vertex_count, sizeof *vertices, step_compare);
    qsort(edges, s->edge_count, sizeof *edges, step_compare);
    qsort(faces, s->face_count, sizeof *faces, step_compare);

    uint32_t first = 0;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        const swept_box *v = &vertices[i];
        while (first < s->face_count && faces[first].low[0] + 2 * widest < v->low[0]) first++;
        for (uint32_t j = first; j < s->face_count && faces[j].low[0] <= v->high[0]; j++) {
            const uint32_t *f = s->faces + 3 * faces[j].item;
            if (boxes_overlap(v, &faces[j]) && f[0] != v->item && f[1] != v->item && f[2] != v->item)
                add_pair(vf, v->item, faces[j].item);
        }
    }
    for (uint32_t i = 0; i < s->edge_count; i++)
        for (uint32_t j = i + 1; j < s->edge_count && edges[j].low[0] <= edges[i].high[0]; j++) {
            if (!boxes_overlap(&edges[i], &edges[j])) continue;
            uint32_t a = edges[i].item, b = edges[j].item;
            const uint32_t *p = s->edges + 2 * a, *q = s->edges + 2 * b;
            if (p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1])
                add_pair(ee, a < b ? a : b, a < b ? b : a);
        }
    free(vertices), free(edges), free(faces);
}

/* The vertices of a pair in the order of the queries. */
static inline void step_vertices_vf(const recorded_step *s, const uint32_t pair[2], int32_t v[4]) {
    const uint32_t *f = s->faces + 3 * pair[1];
    v[0] = (int32_t)pair[0], v[1] = (int32_t)f[0], v[2] = (int32_t)f[1], v[3] = (int32_t)f[2];
}

static inline void step_vertices_ee(const recorded_step *s, const uint32_t pair[2], int32_t v[4]) {
    const uint32_t *a = s->edges + 2 * pair[0], *b = s->edges + 2 * pair[1];
    v[0] = (int32_t)a[0], v[1] = (int32_t)a[1], v[2] = (int32_t)b[0], v[3] = (int32_t)b[1];
}

static inline void step_gather(const recorded_step *s, const int32_t v[4], v3 x0[4], v3 x1[4]) {
    for (int k = 0; k < 4; k++) x0[k] = v3_load(s->x0 + 3 * v[k]), x1[k] = v3_load(s->x1 + 3 * v[k]);
}

static inline void step_gather_vf(const recorded_step *s, const uint32_t pair[2], v3 x0[4], v3 x1[4]) {
    int32_t v[4];
    step_vertices_vf(s, pair, v);
    step_gather(s, v, x0, x1);
}

static inline void step_gather_ee(const recorded_step *s, const uint32_t pair[2], v3 x0[4], v3 x1[4]) {
    int32_t v[4];
    step_vertices_ee(s, pair, v);
    step_gather(s, v, x0, x1);
}

#endif
