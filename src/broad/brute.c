/* brute.c: every leaf against every other. The reference for all broad phases. */
#include "broad/broad.h"

static mus_status brute_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    (void)scene, (void)x;
    *state = mus_new(sizeof(mus_pair_list));
    return *state ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void brute_destroy(void *state) {
    mus_pair_list *found = state;
    if (found) mus_array_free(found);
    mus_free(found);
}

static void brute_refit(void *state, const mus_broad_scene *scene) {
    (void)state, (void)scene;
}

static void brute_borrow(void *state, mus_lender *lender) {
    (void)state, (void)lender;
}

static bool search_row(const mus_broad_scene *scene, int32_t a, const uint8_t *marked, mus_pair_list *pairs) {
    mus_swept_box box = mus_broad_leaf_box(scene, a);
    int64_t compared = 0;
    for (int32_t b = a + 1; b < scene->leaf_count; b++) {
        if (marked && !marked[a] && !marked[b]) continue;
        compared++;
        mus_swept_box other = mus_broad_leaf_box(scene, b);
        if (mus_swept_box_overlap(&box, &other) && !mus_broad_leaf_pair(scene, a, b, pairs)) return false;
    }
    mus_broad_count(scene, compared);
    return true;
}

static mus_status brute_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    mus_pair_list *found = state;
    for (int32_t a = 0; a < scene->cloth_leaf_count; a++) {
        found->count = 0;
        if (!search_row(scene, a, NULL, found)) return MUS_STATUS_NO_MEMORY;
        for (int64_t k = 0; k < found->count; k++) found->data[k].order = (uint64_t)k;
        mus_status status = found->count ? sink->take(sink->context, 0, found->data, found->count) : MUS_STATUS_OK;
        if (status == MUS_STATUS_OK) status = sink->full(sink->context, 0);
        if (status == MUS_STATUS_OK) status = sink->gather(sink->context, 1);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static mus_status brute_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                 mus_pair_list *pairs) {
    (void)state;
    for (int32_t a = 0; a < scene->cloth_leaf_count; a++)
        if (!search_row(scene, a, marked, pairs)) return MUS_STATUS_NO_MEMORY;
    return MUS_STATUS_OK;
}

const mus_broad_phase mus_broad_brute = {.name = "brute",
                                         .create = brute_create,
                                         .destroy = brute_destroy,
                                         .refit = brute_refit,
                                         .borrow = brute_borrow,
                                         .pairs = brute_pairs,
                                         .pairs_of = brute_pairs_of};
