/* overlap_query.c: pairs of leaves that overlap, and the order of their elementary pairs. */
#include "broad/overlap_query.h"

enum { BATCH = 4096 };

static void hand_on(mus_overlap_query *m) {
    if (m->list->count && m->status == MUS_STATUS_OK)
        m->status = m->sink->take(m->sink->context, 0, m->list->data, m->list->count);
    m->list->count = 0;
}

void mus_overlap_query_leaves(mus_overlap_query *m, int32_t a, int32_t b) {
    if (m->status != MUS_STATUS_OK) return;
    int32_t first = a < b ? a : b, second = a < b ? b : a;
    if (first >= m->scene->cloth_leaf_count) return;
    if (m->marked && !m->marked[first] && !m->marked[second]) return;
    mus_broad_count(m->scene, 1);
    mus_swept_box box = mus_broad_leaf_box(m->scene, first), other = mus_broad_leaf_box(m->scene, second);
    if (!mus_swept_box_overlap(&box, &other)) return;
    int64_t start = m->list->count;
    if (!mus_broad_leaf_pair(m->scene, first, second, m->list)) {
        m->status = MUS_STATUS_NO_MEMORY;
        return;
    }
    /* two leaves yield at most 15 pairs; there are fewer than 2^30 leaves */
    for (int64_t k = start; k < m->list->count; k++)
        m->list->data[k].order = (uint64_t)first << 34 | (uint64_t)second << 4 | (uint64_t)(k - start);
    if (m->sink && m->list->count >= BATCH) hand_on(m);
}

void mus_overlap_query_vertex_face(mus_overlap_query *m, int32_t a, int32_t corner, int32_t b) {
    const mus_leaf *face = &m->scene->leaves[b];
    int32_t v = m->scene->leaves[a].vertex[corner];
    if (m->status != MUS_STATUS_OK || (m->marked && !m->marked[a] && !m->marked[b])) return;
    if (!mus_broad_may_collide(m->scene, a, b)) return;
    mus_swept_box point = mus_swept_box_unpack(&m->scene->vertex_box[v]), box = mus_broad_leaf_box(m->scene, b);
    if (!mus_swept_box_overlap(&point, &box)) return;
    mus_pair pair = {{v, face->vertex[0], face->vertex[1], face->vertex[2]},
                     0,
                     (uint64_t)a << 34 | (uint64_t)b << 4 | (uint64_t)corner};
    if (!mus_array_push(m->list, pair))
        m->status = MUS_STATUS_NO_MEMORY;
    else if (m->sink && m->list->count >= BATCH)
        hand_on(m);
}

/* Heap sort: in place, without memory. */
static void sift(mus_pair *pair, int64_t at, int64_t count) {
    mus_pair moved = pair[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && pair[child + 1].order > pair[child].order) child++;
        if (pair[child].order <= moved.order) break;
        pair[at] = pair[child];
    }
    pair[at] = moved;
}

static void sort(mus_pair *pair, int64_t count) {
    for (int64_t k = count / 2; k-- > 0;) sift(pair, k, count);
    while (count-- > 1) {
        mus_pair last = pair[count];
        pair[count] = pair[0], pair[0] = last;
        sift(pair, 0, count);
    }
}

mus_status mus_overlap_query_finish(mus_overlap_query *m) {
    if (!m->sink) {
        if (m->status == MUS_STATUS_OK) sort(m->list->data, m->list->count);
        return m->status;
    }
    hand_on(m);
    if (m->status == MUS_STATUS_OK) m->status = m->sink->full(m->sink->context, 0);
    if (m->status == MUS_STATUS_OK) m->status = m->sink->gather(m->sink->context, 1);
    return m->status;
}

mus_status mus_overlap_query_pairs(void *state, mus_overlap_traversal *traverse, const mus_broad_scene *scene,
                                   const mus_pair_sink *sink, mus_pair_list *list) {
    mus_overlap_query m = {.scene = scene, .sink = sink, .list = list};
    list->count = 0;
    traverse(state, &m);
    return mus_overlap_query_finish(&m);
}

mus_status mus_overlap_query_pairs_of(void *state, mus_overlap_traversal *traverse, const mus_broad_scene *scene,
                                      const uint8_t *marked, mus_pair_list *pairs) {
    mus_overlap_query m = {.scene = scene, .marked = marked, .list = pairs};
    traverse(state, &m);
    return mus_overlap_query_finish(&m);
}
