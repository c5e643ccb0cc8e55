/* neighborhood.c: lists the faces around vertices and the vertices sewn to them, by counting. */
#include "narrow/neighborhood.h"

static mus_status list_faces(const mus_broad_scene *scene, mus_neighborhood *neighborhood) {
    size_t n = (size_t)scene->vertex_count;
    neighborhood->leaves = scene->leaves;
    neighborhood->first = mus_new(sizeof(int32_t) * (n + 2)); /* zero */
    neighborhood->face = mus_new(sizeof(int32_t) * 3 * ((size_t)scene->leaf_count + 1));
    if (!neighborhood->first || !neighborhood->face) return MUS_STATUS_NO_MEMORY;
    int32_t *next = neighborhood->first + 1; /* end of each vertex's list so far */
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; scene->leaves[k].face && c < 3; c++) next[scene->leaves[k].vertex[c] + 1]++;
    for (size_t i = 1; i <= n; i++) next[i] += next[i - 1];
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; scene->leaves[k].face && c < 3; c++) neighborhood->face[next[scene->leaves[k].vertex[c]]++] = k;
    return MUS_STATUS_OK;
}

/* Lists every stitch from both of its ends. */
static mus_status list_sewn(const mus_broad_scene *scene, const mus_seam_group *seam_groups, int32_t seam_group_count,
                            mus_neighborhood *neighborhood) {
    size_t n = (size_t)scene->vertex_count, count = 0;
    for (int32_t b = 0; b < seam_group_count; b++) count += 4 * (size_t)seam_groups[b].stitch_count;
    if (!count) return MUS_STATUS_OK;
    neighborhood->first_sewn = mus_new(sizeof(int32_t) * (n + 2)); /* zero */
    neighborhood->sewn = mus_new(sizeof *neighborhood->sewn * count);
    if (!neighborhood->first_sewn || !neighborhood->sewn) return MUS_STATUS_NO_MEMORY;
    int32_t *next = neighborhood->first_sewn + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (int32_t b = 0; b < seam_group_count; b++)
            for (int32_t k = 0; k < seam_groups[b].stitch_count; k++) {
                const mus_stitch_constraint *stitch = &seam_groups[b].stitches[k];
                for (int end = 1; end < stitch->count; end++)
                    for (int side = 0; side < 2; side++) {
                        int32_t here = seam_groups[b].first + stitch->vertex[side ? end : 0];
                        int32_t there = seam_groups[b].first + stitch->vertex[side ? 0 : end];
                        if (fill)
                            neighborhood->sewn[next[here]++] = (mus_sewn_vertex){there, stitch->seam};
                        else
                            next[here + 1]++;
                    }
            }
        for (size_t i = 1; !fill && i <= n; i++) next[i] += next[i - 1];
    }
    return MUS_STATUS_OK;
}

mus_status mus_neighborhood_create(const mus_broad_scene *scene, const mus_seam_group *seam_groups,
                                   int32_t seam_group_count, mus_neighborhood *neighborhood) {
    *neighborhood = (mus_neighborhood){0};
    mus_status status = list_faces(scene, neighborhood);
    return status == MUS_STATUS_OK ? list_sewn(scene, seam_groups, seam_group_count, neighborhood) : status;
}

void mus_neighborhood_free(mus_neighborhood *neighborhood) {
    mus_free(neighborhood->first);
    mus_free(neighborhood->face);
    mus_free(neighborhood->first_sewn);
    mus_free(neighborhood->sewn);
    *neighborhood = (mus_neighborhood){0};
}

bool mus_neighborhood_sewn(const mus_neighborhood *neighborhood, int32_t a, int32_t b) {
    if (!neighborhood->first_sewn) return false;
    for (int32_t k = neighborhood->first_sewn[a]; k < neighborhood->first_sewn[a + 1]; k++)
        if (neighborhood->sewn[k].vertex == b && !neighborhood->sewn[k].seam->cut) return true;
    return false;
}
