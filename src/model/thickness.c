/* thickness.c: bounds of a thickness that varies over a cloth. */
#include "model/thickness.h"

#include <math.h>

static void raise(mus_cloth *cloth, const int32_t *corner, int count) {
    double thickness = mus_element_thickness(cloth->thicknesses, corner, count, 0);
    for (int k = 0; k < count; k++)
        cloth->max_thicknesses[corner[k]] = fmax(cloth->max_thicknesses[corner[k]], thickness);
}

double mus_cloth_min_thickness(const mus_cloth *cloth) {
    double least = cloth->thickness;
    for (int32_t i = 0; cloth->thicknesses && i < cloth->vertex_count; i++) least = fmin(least, cloth->thicknesses[i]);
    return least;
}

mus_status mus_cloth_bound_thicknesses(mus_cloth *cloth) {
    if (!cloth->thicknesses) return MUS_STATUS_OK;
    cloth->max_thicknesses = mus_new(sizeof *cloth->max_thicknesses * (size_t)cloth->vertex_count);
    if (!cloth->max_thicknesses) return MUS_STATUS_NO_MEMORY;
    cloth->thickness = 0;
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        raise(cloth, &i, 1);
        cloth->thickness = fmax(cloth->thickness, cloth->thicknesses[i]);
    }
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *c = cloth->faces + 3 * (size_t)f;
        raise(cloth, c, 3);
        for (int k = 0; k < 3; k++) raise(cloth, (const int32_t[2]){c[k], c[(k + 1) % 3]}, 2);
    }
    return MUS_STATUS_OK;
}
