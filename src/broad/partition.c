/* partition.c: recursive partition in the plane at rest (Provot 1997, 2.1). */
#include "broad/partition.h"
#include "broad/median_split.h"

typedef struct builder {
    mus_hierarchy *h;
    int32_t *order;
    const v3 *center;
} builder;

static int32_t build(const builder *b, int32_t lo, int32_t hi) {
    mus_hierarchy *h = b->h;
    int32_t me = mus_hierarchy_add(h, h->item_count, hi - lo == 1 ? 1 : 2, hi - lo == 1);
    int32_t *item = h->items + h->item_count;
    h->item_count += h->nodes[me].count;
    if (hi - lo == 1) {
        item[0] = b->order[lo];
        return me;
    }
    int32_t middle = mus_median_split(b->order, b->center, lo, hi);
    item[0] = build(b, lo, middle);
    item[1] = build(b, middle, hi);
    return me;
}

static v3 center_of(const mus_broad_scene *scene, const v3 *x, int32_t leaf) {
    const int32_t *v = scene->leaves[leaf].vertex;
    if (scene->place && leaf < scene->cloth_leaf_count)
        return v3_make((double)scene->place[2 * (size_t)leaf], (double)scene->place[2 * (size_t)leaf + 1], 0);
    return v3_scale(1.0 / 3, v3_add(v3_add(x[v[0]], x[v[1]]), x[v[2]]));
}

/* The leaves of each cloth are contiguous, one cloth after the other. */
static bool build_all(const builder *b, const mus_broad_scene *scene) {
    int32_t cloth = scene->cloth_leaf_count;
    for (int32_t lo = 0, hi; lo < cloth; lo = hi) {
        for (hi = lo + 1; hi < cloth && scene->leaves[hi].object == scene->leaves[lo].object;) hi++;
        if (!mus_array_push(&b->h->cloth, build(b, lo, hi))) return false;
    }
    return cloth == scene->leaf_count || mus_array_push(&b->h->obstacle, build(b, cloth, scene->leaf_count));
}

mus_status mus_partition_build(mus_hierarchy *h, const mus_broad_scene *scene, const v3 *x) {
    int64_t leaves = scene->leaf_count;
    mus_status status = mus_hierarchy_reserve(h, 2 * leaves, 3 * leaves);
    if (status != MUS_STATUS_OK) return status;
    v3 *center = mus_new(sizeof *center * ((size_t)leaves + 1));
    int32_t *order = mus_new(sizeof *order * ((size_t)leaves + 1));
    bool made = center && order;
    for (int32_t k = 0; made && k < leaves; k++) center[k] = center_of(scene, x, k), order[k] = k;
    made = made && build_all(&(builder){h, order, center}, scene);
    mus_free(center);
    mus_free(order);
    return made ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}
