/* drag.c: air drag on faces, AAB eq. 4, and friction against the world, AAB eq. 3. */
#include "dynamics/dynamics.h"

void mus_drag_forces(const mus_cloth *cloth, const mus_environment *environment, const v3 *x, const v3 *v, double dt,
                     v3 *force, mus_block_matrix *matrix) {
    double viscous = cloth->material.viscous_damping;
    for (int32_t i = 0; viscous > 0 && i < cloth->vertex_count; i++) {
        double rate = viscous * cloth->mass[i];
        force[i] = v3_axpy(-rate, v[i], force[i]);
        if (matrix) mus_sym3_add(&matrix->diagonal[i], 0, v[i], dt * rate);
    }
    double strength = 0.5 * environment->air_density * cloth->material.drag;
    if (!(strength > 0)) return;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *corner = cloth->faces + 3 * f;
        v3 normal = v3_cross(v3_sub(x[corner[1]], x[corner[0]]), v3_sub(x[corner[2]], x[corner[0]]));
        double twice_area = v3_length(normal);
        if (!(twice_area > 0)) continue;
        normal = v3_scale(1 / twice_area, normal);
        v3 mean = v3_scale(1.0 / 3, v3_add(v3_add(v[corner[0]], v[corner[1]]), v[corner[2]]));
        v3 relative = v3_sub(environment->wind, mean);
        double share = strength * 0.5 * twice_area * fabs(v3_dot(relative, normal)) / 3;
        for (int k = 0; k < 3; k++) {
            force[corner[k]] = v3_axpy(share, relative, force[corner[k]]);
            if (matrix) mus_sym3_add(&matrix->diagonal[corner[k]], dt * share, normal, dt * share);
        }
    }
}
