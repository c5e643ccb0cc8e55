/* world_crease.c: the angle across an edge of a cloth, and its angle at rest. */
#include "base/word.h"
#include "model/crease.h"
#include "model/order.h"
#include "muslin/math.h"
#include "world/slots.h"

#include <math.h>

static mus_status find_fold(const mus_cloth *cloth, int32_t a, int32_t b, int32_t *fold) {
    for (int k = 0; k < 2; k++) {
        int32_t v = k == 0 ? a : b;
        if (v < 0 || v >= cloth->vertex_count)
            return mus_fail(MUS_STATUS_INVALID, "cloth '%s': vertex %d does not exist; it has %d", cloth->name, v + 1,
                            cloth->vertex_count);
    }
    *fold = mus_cloth_find_fold(cloth, a, b);
    if (*fold >= 0) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_NOT_FOUND,
                    "cloth '%s': nothing bends between vertices %d and %d: it must be an edge of two faces, of a "
                    "material with bending > 0 and a model with hinges or plates (it is '%s')",
                    cloth->name, a + 1, b + 1, mus_material_model_get_name(cloth->material.model));
}

mus_status mus_cloth_get_fold_angle(const mus_world *world, mus_cloth_id id, int32_t a, int32_t b, double *angle,
                                    double *rest) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    int32_t fold = -1;
    mus_status status = find_fold(cloth, a, b, &fold);
    if (status != MUS_STATUS_OK) return status;
    int side = mus_fold_side(cloth, fold);
    if (rest) *rest = side * mus_fold_rest_angle(cloth, fold);
    if (angle && !mus_fold_angle_at(cloth, fold, cloth->x, angle))
        return mus_fail(MUS_STATUS_INVALID, "cloth '%s': a face between vertices %d and %d has no area", cloth->name,
                        a + 1, b + 1);
    if (angle) *angle *= side;
    return MUS_STATUS_OK;
}

mus_status mus_cloth_set_rest_angle(mus_world *world, mus_cloth_id id, int32_t a, int32_t b, double rest) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "cloth:crease");
    if (status != MUS_STATUS_OK) return status;
    if (cloth->material.bending_quadratic)
        return mus_fail(MUS_STATUS_INVALID,
                        "cloth '%s': the quadratic bending model needs a flat rest shape; leave bending_model at "
                        "\"hinge\"",
                        cloth->name);
    const double pi = 3.14159265358979323846, largest = cloth->sheet ? pi : 2 * mus_atan2(2, 1);
    if (!(fabs(rest) <= largest))
        return mus_fail(MUS_STATUS_INVALID, "cloth '%s': the angle of a crease must lie within +-%.4g rad (got %s)",
                        cloth->name, largest, mus_word_of_number(rest).text);
    int32_t fold = -1, solved;
    status = find_fold(cloth, a, b, &fold);
    if (status != MUS_STATUS_OK) return status;
    mus_cloth *twin = mus_cloth_solved(cloth);
    solved = twin == cloth
                 ? fold
                 : mus_cloth_find_fold(twin, mus_cloth_solved_vertex(cloth, a), mus_cloth_solved_vertex(cloth, b));
    mus_fold_set_rest_angle(cloth, fold, mus_fold_side(cloth, fold) * rest);
    if (twin != cloth) mus_fold_set_rest_angle(twin, solved, mus_fold_side(twin, solved) * rest);
    return mus_cloth_mark_positions_changed(world, id);
}
