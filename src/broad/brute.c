/* brute.c: every leaf against every other. The oracle of all broad phases. */
#include "broad/broad.h"

static mus_status brute_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    (void)scene, (void)x;
    *state = NULL;
    return MUS_STATUS_OK;
}

static void brute_destroy(void *state) {
    (void)state;
}

static void brute_refit(void *state, const mus_broad_scene *scene) {
    (void)state, (void)scene;
}

static mus_status all_pairs(const mus_broad_scene *scene, const uint8_t *marked, mus_pair_list *pairs) {
    for (int32_t a = 0; a < scene->cloth_leaf_count; a++)
        for (int32_t b = a + 1; b < scene->leaf_count; b++) {
            if (marked && !marked[a] && !marked[b]) continue;
            if (mus_box_overlap(&scene->leaf_box[a], &scene->leaf_box[b]) && !mus_broad_leaf_pair(scene, a, b, pairs))
                return MUS_STATUS_NO_MEMORY;
        }
    return MUS_STATUS_OK;
}

static mus_status brute_pairs(void *state, const mus_broad_scene *scene, mus_pair_list *pairs) {
    (void)state;
    return all_pairs(scene, NULL, pairs);
}

static mus_status brute_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                 mus_pair_list *pairs) {
    (void)state;
    return all_pairs(scene, marked, pairs);
}

const mus_broad_phase mus_broad_brute = {"brute",     brute_create, brute_destroy,
                                         brute_refit, brute_pairs,  brute_pairs_of};
