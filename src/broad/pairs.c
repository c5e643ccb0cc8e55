/* pairs.c: boxes of features and the elementary pairs of two leaves. */
#include "base/parallel.h"
#include "broad/broad.h"

#include <float.h>

/* Rounds to float so that the result is not above (below) the value. */
static float round_down(double a) {
    float f = (float)a;
    return (double)f > a ? nextafterf(f, -FLT_MAX) : f;
}
static float round_up(double a) {
    float f = (float)a;
    return (double)f < a ? nextafterf(f, FLT_MAX) : f;
}

mus_box mus_box_of_point(v3 x0, v3 x1, double r0, double r1) {
    return (mus_box){_mm_setr_ps(round_down(x0.x - r0), round_down(x0.y - r0), round_down(x0.z - r0), 0),
                     _mm_setr_ps(round_up(x0.x + r0), round_up(x0.y + r0), round_up(x0.z + r0), 0),
                     _mm_setr_ps(round_down(x1.x - r1), round_down(x1.y - r1), round_down(x1.z - r1), 0),
                     _mm_setr_ps(round_up(x1.x + r1), round_up(x1.y + r1), round_up(x1.z + r1), 0)};
}

static void edge_boxes(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_broad_scene *scene = context;
    (void)block;
    for (int64_t e = begin; e < end; e++)
        scene->edge_box[e] =
            mus_box_join(&scene->vertex_box[scene->edges[2 * e]], &scene->vertex_box[scene->edges[2 * e + 1]]);
}

static void leaf_boxes(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_broad_scene *scene = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const int32_t *v = scene->leaves[k].vertex;
        mus_box two = mus_box_join(&scene->vertex_box[v[0]], &scene->vertex_box[v[1]]);
        scene->leaf_box[k] = mus_box_join(&two, &scene->vertex_box[v[2]]);
    }
}

void mus_broad_boxes(mus_broad_scene *scene) {
    enum { BLOCK = 4096, WORTH_THREADS = 8 * BLOCK };
    int edge_threads = scene->edge_count < WORTH_THREADS ? 1 : scene->threads;
    int leaf_threads = scene->leaf_count < WORTH_THREADS ? 1 : scene->threads;
    mus_parallel_for(edge_threads, scene->edge_count, BLOCK, edge_boxes, scene);
    mus_parallel_for(leaf_threads, scene->leaf_count, BLOCK, leaf_boxes, scene);
}

static bool has_vertex(const mus_leaf *leaf, int32_t v) {
    return leaf->vertex[0] == v || leaf->vertex[1] == v || leaf->vertex[2] == v;
}

static bool vertices_against_face(const mus_broad_scene *scene, int32_t from, int32_t to, mus_pair_list *pairs) {
    const mus_leaf *a = &scene->leaves[from], *b = &scene->leaves[to];
    if (!b->face) return true;
    for (int k = 0; k < 3; k++) {
        int32_t v = a->vertex[k];
        if (!(a->own & (MUS_OWN_VERTEX << k)) || has_vertex(b, v)) continue;
        if (!mus_box_overlap(&scene->vertex_box[v], &scene->leaf_box[to])) continue;
        if (!mus_array_push(pairs, ((mus_pair){{v, b->vertex[0], b->vertex[1], b->vertex[2]}, 0}))) return false;
    }
    return true;
}

bool mus_broad_leaf_pair(const mus_broad_scene *scene, int32_t first, int32_t second, mus_pair_list *pairs) {
    const mus_leaf *a = &scene->leaves[first], *b = &scene->leaves[second];
    if (!mus_broad_may_collide(scene, first, second)) return true;
    if (!vertices_against_face(scene, first, second, pairs)) return false;
    if (!vertices_against_face(scene, second, first, pairs)) return false;
    if (!(b->own >> 3)) return true;
    for (int i = 0; i < 3; i++) {
        if (!(a->own & (MUS_OWN_EDGE << i))) continue;
        int32_t e = a->edge[i];
        if (!mus_box_overlap(&scene->edge_box[e], &scene->leaf_box[second])) continue;
        const int32_t *p = scene->edges + 2 * e;
        for (int j = 0; j < 3; j++) {
            if (!(b->own & (MUS_OWN_EDGE << j))) continue;
            int32_t f = b->edge[j];
            const int32_t *q = scene->edges + 2 * f;
            if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
            if (!mus_box_overlap(&scene->edge_box[e], &scene->edge_box[f])) continue;
            if (!mus_array_push(pairs, ((mus_pair){{p[0], p[1], q[0], q[1]}, 1}))) return false;
        }
    }
    return true;
}
