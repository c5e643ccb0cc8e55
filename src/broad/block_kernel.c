/* block_kernel.c: finds the vertices and faces, and the edges, of two blocks whose boxes overlap, one box against a row
 * at a time. Computes comparisons only. Compiled once for every instruction set. */
#include "base/simd_double.h"
#include "broad/block.h"

/* ---- rows ---- */

/* The bounds of a single box are `stride` apart, and so are the rows of many boxes, by `apart`. Returns a mask: bit k
 * is set if box k of the rows overlaps the single box: neither is below the other at both ends along any axis. */
#if MUS_SIMD_TARGET == 2
SIMD_FN __mmask16 apart16(const float *p, int stride, const float *q, int apart) { /* along one axis */
    __mmask16 below = _mm512_cmp_ps_mask(_mm512_set1_ps(p[3 * stride]), _mm512_loadu_ps(q), _CMP_LT_OQ);
    below = _mm512_mask_cmp_ps_mask(below, _mm512_set1_ps(p[9 * stride]), _mm512_loadu_ps(q + 6 * apart), _CMP_LT_OQ);
    __mmask16 above = _mm512_cmp_ps_mask(_mm512_loadu_ps(q + 3 * apart), _mm512_set1_ps(p[0]), _CMP_LT_OQ);
    above = _mm512_mask_cmp_ps_mask(above, _mm512_loadu_ps(q + 9 * apart), _mm512_set1_ps(p[6 * stride]), _CMP_LT_OQ);
    return _kor_mask16(below, above);
}
SIMD_FN uint32_t sixteen(const float *one, int stride, const float *many, int apart) {
    __mmask16 x = apart16(one, stride, many, apart), y = apart16(one + stride, stride, many + apart, apart);
    __mmask16 z = apart16(one + 2 * stride, stride, many + 2 * apart, apart);
    return ~(uint32_t)_kor_mask16(_kor_mask16(x, y), z) & 0xffff;
}
#endif

#if MUS_SIMD_TARGET >= 1
enum { FLOAT_WIDTH = 8 };
typedef __m256 floats;
SIMD_FN floats lesser(floats a, floats b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
SIMD_FN floats all_of(float a) {
    return _mm256_set1_ps(a);
}
SIMD_FN floats load(const float *p) {
    return _mm256_loadu_ps(p);
}
SIMD_FN floats both(floats a, floats b) {
    return _mm256_and_ps(a, b);
}
SIMD_FN floats either(floats a, floats b) {
    return _mm256_or_ps(a, b);
}
SIMD_FN uint32_t clear_bits(floats a) {
    return ~(uint32_t)_mm256_movemask_ps(a) & 0xff;
}
SIMD_FN uint32_t group_equal(const int32_t *many, int32_t one) {
    __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)many), _mm256_set1_epi32(one));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}
#else
enum { FLOAT_WIDTH = 4 };
typedef __m128 floats;
SIMD_FN floats lesser(floats a, floats b) {
    return _mm_cmplt_ps(a, b);
}
SIMD_FN floats all_of(float a) {
    return _mm_set1_ps(a);
}
SIMD_FN floats load(const float *p) {
    return _mm_loadu_ps(p);
}
SIMD_FN floats both(floats a, floats b) {
    return _mm_and_ps(a, b);
}
SIMD_FN floats either(floats a, floats b) {
    return _mm_or_ps(a, b);
}
SIMD_FN uint32_t clear_bits(floats a) {
    return ~(uint32_t)_mm_movemask_ps(a) & 0xf;
}
SIMD_FN uint32_t group_equal(const int32_t *many, int32_t one) {
    __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)many), _mm_set1_epi32(one));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same));
}
#endif

SIMD_FN floats apart_along(const float *p, int stride, const float *q, int apart) {
    floats below = both(lesser(all_of(p[3 * stride]), load(q)), lesser(all_of(p[9 * stride]), load(q + 6 * apart)));
    floats above = both(lesser(load(q + 3 * apart), all_of(p[0])), lesser(load(q + 9 * apart), all_of(p[6 * stride])));
    return either(below, above);
}
SIMD_FN uint32_t group(const float *one, int stride, const float *many, int apart) {
    floats x = apart_along(one, stride, many, apart), y = apart_along(one + stride, stride, many + apart, apart);
    return clear_bits(either(either(x, y), apart_along(one + 2 * stride, stride, many + 2 * apart, apart)));
}
_Static_assert(MUS_BLOCK_LEAVES % FLOAT_WIDTH == 0 && MUS_BLOCK_OWNED == 32 && 3 * MUS_BLOCK_LEAVES < 32,
               "rows are multiples of the SIMD width, with one bit per box");

SIMD_FN uint32_t overlaps(const float *one, int stride, const float *many, int apart, int count) {
    uint32_t bits = 0;
#if MUS_SIMD_TARGET == 2
    if (apart == MUS_BLOCK_OWNED && count > 8) {
        bits = sixteen(one, stride, many, apart);
        if (count > 16) bits |= sixteen(one, stride, many + 16, apart) << 16;
        return bits & ((1u << count) - 1);
    }
#endif
    if (apart == FLOAT_WIDTH) return group(one, stride, many, apart) & ((1u << count) - 1);
    for (int from = 0; from < count; from += FLOAT_WIDTH) bits |= group(one, stride, many + from, apart) << from;
    return bits & ((1u << count) - 1);
}

/* Returns the bits of boxes with number `one`, among the first `count` and possibly beyond. */
SIMD_FN uint32_t equal(const int32_t *many, int32_t one, int count) {
    uint32_t bits = 0;
    for (int from = 0; from < count; from += FLOAT_WIDTH) bits |= group_equal(many + from, one) << from;
    return bits;
}

/* ---- pairs ---- */

SIMD_FN bool may_collide(const mus_broad_scene *scene, int32_t a, int32_t b) {
    return scene->collide[(size_t)a * (size_t)scene->object_count + (size_t)b];
}

/* The order of leaf i of a with leaf j of b; self: i comes before j, and their paths differ somewhere. */
SIMD_FN uint64_t place(const mus_block *a, int i, const mus_block *b, int j, bool self) {
    uint64_t both = a->spread[i] << 1 | b->spread[j];
    if (self) {
        uint64_t part = (uint64_t)1 << 2 * (31 - __builtin_clz(a->way[i] ^ b->way[j]));
        both = (both & (part - 1)) | 2 * part | (b->spread[j] & ~(2 * part - 1));
    }
    return both;
}
/* Pairs of the vertices of v and the faces of f; back: v is the second of the two blocks. */
SIMD_FN mus_pair *find_vertex_face_pairs(const mus_broad_scene *scene, const mus_block *v, const mus_block *f,
                                         bool back, bool self, mus_pair *out) {
    if (!f->faces) return out;
    bool mixed = v->object < 0 || f->object < 0;
    uint32_t near = overlaps(f->all, 1, v->vertex[0], MUS_BLOCK_OWNED, v->vertices);
    for (; near; near &= near - 1) {
        int k = __builtin_ctz(near), i = v->vertex_of[k][0], corner = v->vertex_of[k][1];
        int32_t id = v->vertex_id[k];
        uint32_t hits = overlaps(&v->vertex[0][k], MUS_BLOCK_OWNED, f->face[0], MUS_BLOCK_LEAVES, f->faces);
        if (!hits) continue;
        hits &= ~(equal(f->face_id[0], id, f->faces) | equal(f->face_id[1], id, f->faces) |
                  equal(f->face_id[2], id, f->faces));
        for (; hits; hits &= hits - 1) {
            int face = __builtin_ctz(hits), j = f->face_of[face];
            if (mixed && !may_collide(scene, v->leaf_object[i], f->leaf_object[j])) continue;
            bool second = back || (v == f && i > j);
            uint64_t order = second ? place(f, j, v, i, self) : place(v, i, f, j, self);
            order = order << 4 | (uint64_t)(second ? 3 + corner : corner);
            *out++ = (mus_pair){{id, f->face_id[0][face], f->face_id[1][face], f->face_id[2][face]}, 0, order};
        }
    }
    return out;
}

/* Pairs of the edges `near` of one block and all edges of the other; back: the other is the first of the two blocks. */
SIMD_FN mus_pair *find_edge_edge_pairs(const mus_broad_scene *scene, const mus_block *one, uint32_t near,
                                       const mus_block *other, bool back, bool self, mus_pair *out) {
    bool mixed = one->object < 0 || other->object < 0;
    for (; near; near &= near - 1) {
        int k = __builtin_ctz(near), i = one->edge_of[k][0];
        int32_t p = one->edge_id[0][k], q = one->edge_id[1][k];
        uint32_t hits = overlaps(&one->edge[0][k], MUS_BLOCK_OWNED, other->edge[0], MUS_BLOCK_OWNED, other->edges);
        if (one == other) hits &= ~((2u << k) - 1); /* each pair once, the first leaf's edge first */
        if (!hits) continue;
        hits &= ~(equal(other->edge_id[0], p, other->edges) | equal(other->edge_id[0], q, other->edges) |
                  equal(other->edge_id[1], p, other->edges) | equal(other->edge_id[1], q, other->edges));
        for (; hits; hits &= hits - 1) {
            int e = __builtin_ctz(hits), j = other->edge_of[e][0];
            if (mixed && !may_collide(scene, one->leaf_object[i], other->leaf_object[j])) continue;
            int32_t r = other->edge_id[0][e], t = other->edge_id[1][e];
            if (back)
                *out++ = (mus_pair){{r, t, p, q},
                                    1,
                                    place(other, j, one, i, self) << 4 |
                                        (uint64_t)(6 + 3 * other->edge_of[e][1] + one->edge_of[k][1])};
            else
                *out++ = (mus_pair){{p, q, r, t},
                                    1,
                                    place(one, i, other, j, self) << 4 |
                                        (uint64_t)(6 + 3 * one->edge_of[k][1] + other->edge_of[e][1])};
        }
    }
    return out;
}

int MUS_KERNEL(mus_block_pairs)(const mus_broad_scene *scene, const mus_block *a, const mus_block *b, bool self,
                                mus_pair *out) {
    if (a->object >= 0 && b->object >= 0 && !may_collide(scene, a->object, b->object)) return 0;
    mus_pair *end = find_vertex_face_pairs(scene, a, b, false, self, out);
    if (a == b) return (int)(find_edge_edge_pairs(scene, a, (1u << a->edges) - 1, a, false, self, end) - out);
    end = find_vertex_face_pairs(scene, b, a, true, self, end);
    uint32_t near_a = overlaps(b->all, 1, a->edge[0], MUS_BLOCK_OWNED, a->edges);
    uint32_t near_b = near_a ? overlaps(a->all, 1, b->edge[0], MUS_BLOCK_OWNED, b->edges) : 0;
    if (__builtin_popcount(near_a) <= __builtin_popcount(near_b))
        end = find_edge_edge_pairs(scene, a, near_a, b, false, self, end);
    else
        end = find_edge_edge_pairs(scene, b, near_b, a, true, self, end);
    return (int)(end - out);
}
