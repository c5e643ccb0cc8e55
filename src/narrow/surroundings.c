/* surroundings.c: lists of faces around vertices and of what is sewn to them, by counting. */
#include "narrow/surroundings.h"

static mus_status list_faces(const mus_broad_scene *scene, mus_surroundings *around) {
    size_t n = (size_t)scene->vertex_count;
    around->leaves = scene->leaves;
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

/* From both ends of every thread. */
static mus_status list_sewn(const mus_broad_scene *scene, const mus_bundle *bundles, int32_t bundle_count,
                            mus_surroundings *around) {
    size_t n = (size_t)scene->vertex_count, count = 0;
    for (int32_t b = 0; b < bundle_count; b++) count += 4 * (size_t)bundles[b].tie_count;
    if (!count) return MUS_STATUS_OK;
    around->first_sewn = mus_new(sizeof(int32_t) * (n + 2)); /* zero */
    around->sewn = mus_new(sizeof *around->sewn * count);
    if (!around->first_sewn || !around->sewn) return MUS_STATUS_NO_MEMORY;
    int32_t *next = around->first_sewn + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (int32_t b = 0; b < bundle_count; b++)
            for (int32_t k = 0; k < bundles[b].tie_count; k++) {
                const mus_tie *tie = &bundles[b].ties[k];
                for (int end = 1; end < tie->count; end++)
                    for (int side = 0; side < 2; side++) {
                        int32_t here = bundles[b].first + tie->vertex[side ? end : 0];
                        int32_t there = bundles[b].first + tie->vertex[side ? 0 : end];
                        if (fill)
                            around->sewn[next[here]++] = (mus_sewn){there, tie->seam};
                        else
                            next[here + 1]++;
                    }
            }
        for (size_t i = 1; !fill && i <= n; i++) next[i] += next[i - 1];
    }
    return MUS_STATUS_OK;
}

mus_status mus_surroundings_create(const mus_broad_scene *scene, const mus_bundle *bundles, int32_t bundle_count,
                                   mus_surroundings *around) {
    *around = (mus_surroundings){0};
    mus_status status = list_faces(scene, around);
    return status == MUS_STATUS_OK ? list_sewn(scene, bundles, bundle_count, around) : status;
}

void mus_surroundings_free(mus_surroundings *around) {
    mus_free(around->first);
    mus_free(around->face);
    mus_free(around->first_sewn);
    mus_free(around->sewn);
    *around = (mus_surroundings){0};
}

bool mus_surroundings_sewn(const mus_surroundings *around, int32_t a, int32_t b) {
    if (!around->first_sewn) return false;
    for (int32_t k = around->first_sewn[a]; k < around->first_sewn[a + 1]; k++)
        if (around->sewn[k].vertex == b && !around->sewn[k].seam->cut) return true;
    return false;
}
