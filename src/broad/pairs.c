/* pairs.c: boxes of moving points, and the elementary pairs of two leaves. */
#include "broad/broad.h"

/* The next float away from zero or, for a sign of -1, toward it. A zero has the sign of the number that was rounded to
 * it, and only ever moves away. */
static float step_by(float f, int32_t sign) {
    int32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits += sign;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Rounds to float so that the result is not above (below) the value. Without branches: both directions are equally
 * likely. */
static float round_down(double a) {
    float f = (float)a;
    return step_by(f, (double)f > a ? (signbit(f) ? 1 : -1) : 0);
}
static float round_up(double a) {
    float f = (float)a;
    return step_by(f, (double)f < a ? (signbit(f) ? -1 : 1) : 0);
}

mus_packed_swept_box mus_swept_box_of_point(v3 x0, v3 x1, double r0, double r1) {
    return (mus_packed_swept_box){.lo0 = {round_down(x0.x - r0), round_down(x0.y - r0), round_down(x0.z - r0)},
                                  .hi0 = {round_up(x0.x + r0), round_up(x0.y + r0), round_up(x0.z + r0)},
                                  .lo1 = {round_down(x1.x - r1), round_down(x1.y - r1), round_down(x1.z - r1)},
                                  .hi1 = {round_up(x1.x + r1), round_up(x1.y + r1), round_up(x1.z + r1)}};
}

/* A leaf with the boxes of its corners and of the whole. */
typedef struct boxed {
    const mus_leaf *leaf;
    mus_swept_box corner[3], all;
} boxed;

static void unpack(const mus_broad_scene *scene, int32_t k, boxed *b) {
    b->leaf = &scene->leaves[k];
    for (int c = 0; c < 3; c++) b->corner[c] = mus_swept_box_unpack(&scene->vertex_box[b->leaf->vertex[c]]);
    mus_swept_box two = mus_swept_box_join(&b->corner[0], &b->corner[1]);
    b->all = mus_swept_box_join(&two, &b->corner[2]);
}

static bool has_vertex(const mus_leaf *leaf, int32_t v) {
    return leaf->vertex[0] == v || leaf->vertex[1] == v || leaf->vertex[2] == v;
}

static bool vertices_against_face(const boxed *a, const boxed *b, mus_pair_list *pairs) {
    if (!b->leaf->face) return true;
    const int32_t *f = b->leaf->vertex;
    for (int k = 0; k < 3; k++) {
        int32_t v = a->leaf->vertex[k];
        if (!(a->leaf->own & (unsigned)MUS_OWN_VERTEX << k) || has_vertex(b->leaf, v)) continue;
        if (!mus_swept_box_overlap(&a->corner[k], &b->all)) continue;
        if (!mus_array_push(pairs, ((mus_pair){{v, f[0], f[1], f[2]}, 0, 0}))) return false;
    }
    return true;
}

static bool edges_against_edges(const boxed *a, const boxed *b, mus_pair_list *pairs) {
    mus_swept_box other[3];
    bool joined = false;
    for (int i = 0; i < 3; i++) {
        if (!(a->leaf->own & (unsigned)MUS_OWN_EDGE << i)) continue;
        mus_swept_box edge = mus_swept_box_join(&a->corner[i], &a->corner[(i + 1) % 3]);
        if (!mus_swept_box_overlap(&edge, &b->all)) continue;
        int32_t p = a->leaf->vertex[i], q = a->leaf->vertex[(i + 1) % 3];
        for (int j = 0; j < 3 && !joined; j++) other[j] = mus_swept_box_join(&b->corner[j], &b->corner[(j + 1) % 3]);
        joined = true;
        for (int j = 0; j < 3; j++) {
            if (!(b->leaf->own & (unsigned)MUS_OWN_EDGE << j)) continue;
            int32_t r = b->leaf->vertex[j], s = b->leaf->vertex[(j + 1) % 3];
            if (p == r || p == s || q == r || q == s || !mus_swept_box_overlap(&edge, &other[j])) continue;
            mus_pair pair = {{p < q ? p : q, p < q ? q : p, r < s ? r : s, r < s ? s : r}, 1, 0};
            if (!mus_array_push(pairs, pair)) return false;
        }
    }
    return true;
}

bool mus_broad_leaf_pair(const mus_broad_scene *scene, int32_t first, int32_t second, mus_pair_list *pairs) {
    if (!mus_broad_may_collide(scene, first, second)) return true;
    boxed a, b;
    unpack(scene, first, &a);
    unpack(scene, second, &b);
    if (!vertices_against_face(&a, &b, pairs) || !vertices_against_face(&b, &a, pairs)) return false;
    return !(b.leaf->own >> 3) || edges_against_edges(&a, &b, pairs);
}
