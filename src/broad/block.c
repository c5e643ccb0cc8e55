/* block.c: a block's boxes from those of its vertices. */
#include "broad/block.h"

/* Transposes boxes to columns, four at a time; up to three columns beyond the last box repeat it. */
static void transpose_boxes(mus_swept_box *boxes, int count, float *rows, int stride) {
    for (int n = count; n > 0 && n & 3; n++) boxes[n] = boxes[count - 1];
    for (int from = 0; from < count; from += 4) {
        const mus_swept_box *b = boxes + from;
        float *row = rows + from;
#define PUT(bound)                                                                                                     \
    do {                                                                                                               \
        __m128 x = b[0].bound, y = b[1].bound, z = b[2].bound, last = b[3].bound;                                      \
        _MM_TRANSPOSE4_PS(x, y, z, last);                                                                              \
        _mm_storeu_ps(row, x), _mm_storeu_ps(row + stride, y), _mm_storeu_ps(row + 2 * stride, z);                     \
        row += 3 * stride;                                                                                             \
    } while (0)
        PUT(lo0);
        PUT(hi0);
        PUT(lo1);
        PUT(hi1);
#undef PUT
    }
}

static uint64_t spread_bits(uint32_t bits) {
    uint64_t x = bits;
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

void mus_block_fill(const mus_broad_scene *scene, int32_t first, const int32_t *leaves, const uint32_t *ways, int skip,
                    int count, mus_block *block) {
    mus_swept_box vertex[MUS_BLOCK_OWNED], edge[MUS_BLOCK_OWNED], face[MUS_BLOCK_LEAVES], all;
    int vertices = 0, edges = 0, faces = 0;
    block->object = (int32_t)scene->leaves[first + leaves[0]].object;
    for (int n = 0; n < count; n++) {
        const mus_leaf *leaf = &scene->leaves[first + leaves[n]];
        const int32_t *v = leaf->vertex, object = (int32_t)leaf->object;
        mus_swept_box corner[3], side[3];
        for (int k = 0; k < 3; k++) corner[k] = mus_swept_box_unpack(&scene->vertex_box[v[k]]);
        for (int k = 0; k < 3; k++) side[k] = mus_swept_box_join(&corner[k], &corner[(k + 1) % 3]);
        mus_swept_box whole = mus_swept_box_join(&side[0], &corner[2]);
        all = n ? mus_swept_box_join(&all, &whole) : whole;
        if (object != block->object) block->object = -1;
        block->leaf_object[n] = object;
        block->way[n] = ways[n] << skip & 0x3fffffff;
        block->spread[n] = spread_bits(block->way[n]);
        for (int k = 0; k < 3; k++) {
            if (leaf->own & (unsigned)MUS_OWN_VERTEX << k) {
                block->vertex_id[vertices] = v[k];
                block->vertex_of[vertices][0] = (uint8_t)n, block->vertex_of[vertices][1] = (uint8_t)k;
                vertex[vertices++] = corner[k];
            }
            if (leaf->own & (unsigned)MUS_OWN_EDGE << k) {
                int32_t p = v[k], q = v[(k + 1) % 3];
                block->edge_id[0][edges] = p < q ? p : q, block->edge_id[1][edges] = p < q ? q : p;
                block->edge_of[edges][0] = (uint8_t)n, block->edge_of[edges][1] = (uint8_t)k;
                edge[edges++] = side[k];
            }
        }
        if (!leaf->face) continue;
        for (int k = 0; k < 3; k++) block->face_id[k][faces] = v[k];
        block->face_of[faces] = (uint8_t)n;
        face[faces++] = whole;
    }
    block->vertices = vertices, block->edges = edges, block->faces = faces;
    transpose_boxes(vertex, vertices, block->vertex[0], MUS_BLOCK_OWNED);
    transpose_boxes(edge, edges, block->edge[0], MUS_BLOCK_OWNED);
    transpose_boxes(face, faces, block->face[0], MUS_BLOCK_LEAVES);
    float *bound = block->all;
    _mm_storeu_ps(bound, all.lo0), _mm_storeu_ps(bound + 3, all.hi0), _mm_storeu_ps(bound + 6, all.lo1);
    for (int k = 0; k < 3; k++) bound[9 + k] = ((const float *)&all.hi1)[k];
}
