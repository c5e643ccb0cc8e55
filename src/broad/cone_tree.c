/* cone_tree.c: the common parts of the broad phases with normal cones. */
#include "broad/cone_tree.h"

void mus_cone_tree_destroy(void *state) {
    mus_cone_tree *t = state;
    if (!t) return;
    mus_hierarchy_free(&t->tree);
    mus_patch_boundaries_free(&t->boundaries);
    mus_free(t);
}

mus_status mus_cone_tree_create(mus_hierarchy_builder *build, const mus_broad_scene *scene, const v3 *x, void **state) {
    mus_cone_tree *t = mus_new(sizeof *t);
    *state = NULL;
    if (!t) return MUS_STATUS_NO_MEMORY;
    mus_status status = build(&t->tree, scene, x);
    if (status == MUS_STATUS_OK)
        *state = t;
    else
        mus_cone_tree_destroy(t);
    return status;
}

void mus_cone_tree_borrow(void *state, mus_lender *lender) {
    mus_cone_tree *t = state;
    size_t nodes = (size_t)t->tree.capacity;
    mus_hierarchy_borrow(&t->tree, lender);
    mus_lend(lender, &t->cones, sizeof *t->cones * nodes);
    mus_lend(lender, &t->leaves, sizeof *t->leaves * nodes);
    mus_lend(lender, &t->skip, nodes);
}

static void choose(mus_cone_tree *t, const mus_broad_scene *scene, const mus_cone_law *law, int32_t k) {
    const mus_tree_node *n = &t->tree.nodes[k];
    t->skip[k] = t->leaves[k] > 1 && law->may_skip(t, scene, k);
    if (t->skip[k]) t->culled += (int64_t)t->leaves[k] * (t->leaves[k] - 1) / 2;
    for (int32_t i = 0; !n->lowest && !t->skip[k] && i < n->count; i++)
        choose(t, scene, law, t->tree.items[n->first + i]);
}

void mus_cone_tree_refit(mus_cone_tree *t, const mus_broad_scene *scene, const mus_cone_law *law) {
    const mus_hierarchy *h = &t->tree;
    int32_t cloth = h->obstacle.count ? h->obstacle.data[0] : h->count;
    mus_hierarchy_refit(&t->tree, scene);
    for (int32_t k = cloth - 1; k >= 0; k--) {
        const mus_tree_node *n = &h->nodes[k];
        const int32_t *item = h->items + n->first;
        t->leaves[k] = 0;
        for (int32_t i = 0; i < n->count; i++) {
            mus_cone cone = n->lowest ? law->of_face(scene, item[i]) : t->cones[item[i]];
            t->cones[k] = i == 0 ? cone : law->join(&t->cones[k], &cone);
            t->leaves[k] += n->lowest ? 1 : t->leaves[item[i]];
        }
    }
    t->culled = 0;
    for (int64_t k = 0; k < h->cloth.count; k++) choose(t, scene, law, h->cloth.data[k]);
    t->tree.skip = t->skip;
}

mus_status mus_cone_tree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    mus_cone_tree *t = state;
    return mus_hierarchy_pairs(&t->tree, scene, sink);
}

mus_status mus_cone_tree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs) {
    mus_cone_tree *t = state;
    return mus_hierarchy_pairs_of(&t->tree, scene, marked, pairs);
}

int64_t mus_cone_tree_culled(const void *state) {
    const mus_cone_tree *t = state;
    return t->culled;
}
