/* slope.h: forces of the incremental potential against differences of it. */
#ifndef TESTS_DYNAMICS_SLOPE_H
#define TESTS_DYNAMICS_SLOPE_H

#include "../world/scene.h"

#include "dynamics/dynamics.h"
#include "dynamics/incremental.h"

/* A step from places up to 2 mm off the cloth's: its forces (into `force`, zeros before) are minus the slope of the
 * energy to `share` of the largest, by differences of h (m). Leaves the step's `start` and the matrix behind. */
static inline void near_slope(mus_cloth *cloth, mus_dynamics *d, mus_rng *rng, double dt, double h, double share,
                              v3 *start, v3 *force) {
    int32_t n = cloth->vertex_count;
    v3 *x = (v3 *)cloth->x;
    for (int32_t i = 0; i < n; i++) start[i] = v3_axpy(2e-3, random_direction(rng), x[i]);
    mus_incremental_start from;
    must(mus_incremental_start_create(cloth, &from));
    mus_incremental_start_at(&from, d, cloth, start);
    mus_block_matrix_clear(&d->matrix, 1);
    mus_incremental_forces(d, cloth, &from, x, dt, 1, force, &d->matrix);
    mus_incremental_start_free(&from);
    double largest = 0;
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, v3_length(force[i]));
    for (int32_t k = 0; k < 3 * n; k++) {
        double keep = cloth->x[k];
        cloth->x[k] = keep + h;
        double up = mus_incremental_energy(d, cloth, start, x, dt);
        cloth->x[k] = keep - h;
        double down = mus_incremental_energy(d, cloth, start, x, dt);
        cloth->x[k] = keep;
        near(((double *)force)[k], -(up - down) / (2 * h), share * largest, "force");
    }
}

#endif
