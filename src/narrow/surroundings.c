/* surroundings.c: lists of faces around vertices, by counting. */
#include "narrow/surroundings.h"

mus_status mus_surroundings_create(const mus_broad_scene *scene, mus_surroundings *around) {
    size_t n = (size_t)scene->vertex_count;
    *around = (mus_surroundings){.leaves = scene->leaves};
    around->first = mus_new(sizeof(int32_t) * (n + 2)); /* zero */
    around->face = mus_new(sizeof(int32_t) * 3 * ((size_t)scene->leaf_count + 1));
    if (!around->first || !around->face) return MUS_STATUS_NO_MEMORY;
    int32_t *next = around->first + 1; /* of a vertex: where its list ends so far; in the end, where it ends */
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; scene->leaves[k].face && c < 3; c++) next[scene->leaves[k].vertex[c] + 1]++;
    for (size_t i = 1; i <= n; i++) next[i] += next[i - 1];
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; scene->leaves[k].face && c < 3; c++) around->face[next[scene->leaves[k].vertex[c]]++] = k;
    return MUS_STATUS_OK;
}

void mus_surroundings_free(mus_surroundings *around) {
    mus_free(around->first);
    mus_free(around->face);
    *around = (mus_surroundings){0};
}
