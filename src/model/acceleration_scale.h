/* acceleration_scale.h: the acceleration that loads, speeds and errors of a step are compared with: that of the world's
 * gravity. */
#ifndef MUS_MODEL_ACCELERATION_SCALE_H
#define MUS_MODEL_ACCELERATION_SCALE_H

#include "base/vec.h"

/* m/s^2: where gravity is weaker, or absent: cloth that is pulled, twisted or hit there has loads of this order. With a
 * hundredth of it, warm starts build up too slowly: tests/scenes/twist.lua (no gravity) ends with a 1st percentile of
 * gaps of 0.31 thicknesses instead of more than 0.5, and a seam that is hit opens by 3.9 instead of less than 3 mm. */
#define MUS_LEAST_ACCELERATION_SCALE 9.81

/* Along gravity; along y where it is weaker than the least. */
static inline v3 mus_acceleration_scale(v3 gravity) {
    return v3_length(gravity) > MUS_LEAST_ACCELERATION_SCALE ? gravity : v3_make(0, -MUS_LEAST_ACCELERATION_SCALE, 0);
}

#endif
