/* partition_tree.c: boxes over both ends of the step in a tree that follows the cloth's plane at rest (Provot 1997,
 * section 2.1): its topology never changes, and it is refitted bottom-up. Runs on one thread. */
#include "broad/partition.h"

static void partition_tree_destroy(void *state) {
    mus_hierarchy *h = state;
    if (h) mus_hierarchy_free(h);
    mus_free(h);
}

static mus_status partition_tree_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    mus_hierarchy *h = mus_new(sizeof *h);
    *state = NULL;
    if (!h) return MUS_STATUS_NO_MEMORY;
    mus_status status = mus_partition_build(h, scene, x);
    if (status == MUS_STATUS_OK)
        *state = h;
    else
        partition_tree_destroy(h);
    return status;
}

static void partition_tree_borrow(void *state, mus_lender *lender) {
    mus_hierarchy_borrow(state, lender);
}

static void partition_tree_refit(void *state, const mus_broad_scene *scene) {
    mus_hierarchy_refit(state, scene);
}

static mus_status partition_tree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    return mus_hierarchy_pairs(state, scene, sink);
}

static mus_status partition_tree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                          mus_pair_list *pairs) {
    return mus_hierarchy_pairs_of(state, scene, marked, pairs);
}

const mus_broad_phase mus_broad_partition_tree = {.name = "partition_tree",
                                                  .wants_rest = true,
                                                  .create = partition_tree_create,
                                                  .destroy = partition_tree_destroy,
                                                  .refit = partition_tree_refit,
                                                  .borrow = partition_tree_borrow,
                                                  .pairs = partition_tree_pairs,
                                                  .pairs_of = partition_tree_pairs_of};
