/* thickness.h: contact thickness that varies over a cloth. */
#ifndef MUS_MODEL_THICKNESS_H
#define MUS_MODEL_THICKNESS_H

#include "model/cloth.h"

/* m: of a vertex (count 1), edge (2) or face (3): the mean of its vertices', exactly theirs where these are equal.
 * `corner` counts from `first`. */
static inline double mus_element_thickness(const double *thicknesses, const int32_t *corner, int count, int32_t first) {
    double one = thicknesses[corner[0] - first], more = 0;
    for (int k = 1; k < count; k++) more += thicknesses[corner[k] - first] - one;
    return one + more / count;
}

/* m: the same of a cloth with a map or without; numbers are the cloth's own. */
static inline double mus_cloth_thickness_of(const mus_cloth *cloth, const int32_t *corner, int count) {
    return cloth->thicknesses ? mus_element_thickness(cloth->thicknesses, corner, count, 0) : cloth->thickness;
}

/* m */
double mus_cloth_min_thickness(const mus_cloth *cloth);
/* Sets `thickness` of a cloth with a map to the largest of it, and `max_thicknesses`. */
mus_status mus_cloth_bound_thicknesses(mus_cloth *cloth);

#endif
