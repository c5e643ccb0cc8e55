/* untangle_flatten.c: displacements for cloth that keeps crossing itself: where displacements for crossings have folded
 * it into a knot, each shortens one crossing and makes another. Moving the corners of these faces to the mean of their
 * neighbors (the umbrella operator; Taubin 1995) unfolds it, whatever its shape. */
#include "world/overlap/crossing.h"

/* Marks the corners of faces of cloth k that cross it; returns whether there are any. */
static bool mark_knots(const mus_audit_report *found, int32_t k, const int32_t *faces, uint8_t *knots) {
    bool any = false;
    for (int64_t n = 0; n < found->finding_count; n++) {
        const mus_audit_finding *f = &found->findings[n];
        if (f->kind == MUS_AUDIT_INSIDE || f->part[0] != k || f->part[1] != k) continue;
        for (int side = 0; side < 2; side++)
            for (int c = 0; c < 3; c++) knots[faces[3 * (size_t)f->face[side] + (size_t)c]] = 1;
        any = true;
    }
    return any;
}

static void flatten(const mus_cloth *cloth, int32_t first, const uint8_t *knots, v3 *sum, double *count,
                    mus_displacements *displacements) {
    const mus_topology *t = &cloth->topology;
    for (int32_t e = 0; e < t->edge_count; e++)
        for (int end = 0; end < 2; end++) {
            int32_t p = t->edges[2 * e + end], q = t->edges[2 * e + 1 - end];
            if (knots[p]) sum[p] = v3_add(sum[p], v3_load(cloth->x + 3 * (size_t)q)), count[p] += 1;
        }
    for (int32_t i = 0; i < cloth->vertex_count; i++)
        if (count[i] > 0 && cloth->inverse_mass[i] > 0)
            mus_displacement_add(displacements, first + i,
                                 v3_sub(v3_scale(1 / count[i], sum[i]), v3_load(cloth->x + 3 * (size_t)i)), 1);
}

mus_status mus_untangle_flatten(const mus_audit_report *found, mus_displacements *displacements) {
    const mus_assembly *a = displacements->assembly;
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < a->cloth_count && status == MUS_STATUS_OK; k++) {
        const mus_cloth *cloth = mus_cloth_given(a->objects[k].cloth);
        size_t n = (size_t)cloth->vertex_count + 1;
        uint8_t *knots = mus_new(n);
        v3 *sum = mus_new(sizeof *sum * n);
        double *count = mus_new(sizeof *count * n);
        if (!knots || !sum || !count) status = MUS_STATUS_NO_MEMORY;
        if (status == MUS_STATUS_OK && mark_knots(found, k, cloth->faces, knots)) {
            status = mus_displacements_begin_pair(displacements, k, k);
            if (status == MUS_STATUS_OK) flatten(cloth, a->objects[k].first, knots, sum, count, displacements);
        }
        mus_free(knots);
        mus_free(sum);
        mus_free(count);
    }
    return status;
}
