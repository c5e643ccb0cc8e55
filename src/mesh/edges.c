/* edges.c: an open-addressing hash of vertex pairs; edge numbers follow the order of the faces, not the table. */
#include "mesh/edges.h"

#include "base/memory.h"

#include <string.h>

/* The finalizer of a 64-bit multiplicative mix: every bit of the pair affects the low bits that choose the slot. */
static uint64_t mix_hash(uint32_t lo, uint32_t hi) {
    uint64_t h = ((uint64_t)hi << 32 | lo) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

mus_status mus_edge_list_build(const int32_t *faces, int32_t face_count, mus_edge_list *list) {
    memset(list, 0, sizeof *list);
    if (face_count <= 0) return MUS_STATUS_OK;
    size_t corners = (size_t)face_count * 3;
    size_t slots = 16;
    while (slots < corners) slots *= 2; /* a closed mesh has corners / 2 edges, so the table is rarely over half full */
    if (slots < corners + corners / 4) slots *= 2;   /* and that of separate faces at most 4/5 */
    int32_t *table = mus_new(slots * sizeof *table); /* edge + 1; 0 is empty */
    list->edges = mus_new(corners * 2 * sizeof *list->edges);
    list->face_edges = mus_new(corners * sizeof *list->face_edges);
    if (!table || !list->edges || !list->face_edges) {
        mus_free(table);
        mus_edge_list_free(list);
        return MUS_STATUS_NO_MEMORY;
    }
    for (size_t h = 0; h < corners; h++) {
        int32_t a = faces[h], b = faces[h % 3 == 2 ? h - 2 : h + 1];
        int32_t lo = a < b ? a : b, hi = a < b ? b : a;
        size_t slot = (size_t)mix_hash((uint32_t)lo, (uint32_t)hi) & (slots - 1);
        int32_t edge;
        for (;; slot = (slot + 1) & (slots - 1)) {
            edge = table[slot] - 1;
            if (edge < 0) {
                edge = list->edge_count++;
                table[slot] = edge + 1;
                list->edges[2 * (size_t)edge] = lo;
                list->edges[2 * (size_t)edge + 1] = hi;
                break;
            }
            if (list->edges[2 * (size_t)edge] == lo && list->edges[2 * (size_t)edge + 1] == hi) break;
        }
        list->face_edges[h] = edge;
    }
    mus_free(table);
    /* Shrinking may fail under a strict allocator; the longer block serves as well. */
    int32_t *shorter = mus_resize(list->edges, (size_t)list->edge_count * 2 * sizeof *shorter);
    if (shorter) list->edges = shorter;
    return MUS_STATUS_OK;
}

void mus_edge_list_free(mus_edge_list *list) {
    mus_free(list->edges);
    mus_free(list->face_edges);
    memset(list, 0, sizeof *list);
}
