/* acceleration_scale.h: the acceleration that loads, speeds and errors of a step are compared with: that of the world's
 * gravity. */
#ifndef MUS_MODEL_ACCELERATION_SCALE_H
#define MUS_MODEL_ACCELERATION_SCALE_H

#include "base/vec.h"

/* m/s^2: where gravity is weaker, or absent. A hundredth of Earth's: scales above 0 let solvers stop at rest, and a
 * contact that approaches slower than this in a step does not bounce. */
#define MUS_LEAST_ACCELERATION_SCALE 0.0981

/* Along gravity; along y where it is weaker than the least. */
static inline v3 mus_acceleration_scale(v3 gravity) {
    return v3_length(gravity) > MUS_LEAST_ACCELERATION_SCALE ? gravity : v3_make(0, -MUS_LEAST_ACCELERATION_SCALE, 0);
}

#endif
