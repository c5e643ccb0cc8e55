/* drag.c: what holds vertices one by one: air drag on faces, AAB eq. 4, friction against the world, AAB eq. 3, and in
 * the implicit step the derivatives of traced forces. */
#include "dynamics/dynamics.h"

static void drag_face(const mus_environment *environment, double strength, const int32_t *corner,
                      const mus_portion *part, const v3 *x, const v3 *v, double dt, v3 *force,
                      mus_block_matrix *matrix) {
    v3 normal = v3_cross(v3_sub(x[corner[1]], x[corner[0]]), v3_sub(x[corner[2]], x[corner[0]]));
    double twice_area = v3_length(normal);
    if (!(twice_area > 0)) return;
    normal = v3_scale(1 / twice_area, normal);
    v3 mean = v3_scale(1.0 / 3, v3_add(v3_add(v[corner[0]], v[corner[1]]), v[corner[2]]));
    v3 relative = v3_sub(environment->wind, mean);
    double share = strength * 0.5 * twice_area * fabs(v3_dot(relative, normal)) / 3;
    for (int k = 0; k < 3; k++) {
        if (!mus_portion_owns(part, corner[k])) continue;
        force[corner[k]] = v3_axpy(share, relative, force[corner[k]]);
        if (matrix) mus_sym3_add(&matrix->diagonal[corner[k]], dt * share, normal, dt * share);
    }
}

void mus_drag_part(const mus_cloth *cloth, const mus_environment *environment, const mus_portion *part, const v3 *x,
                   const v3 *v, double dt, v3 *force, mus_block_matrix *matrix) {
    double strength = 0.5 * environment->air_density * cloth->material.drag;
    for (int32_t f = part->first; strength > 0 && f < part->last; f++) {
        const int32_t *corner = cloth->faces + 3 * f;
        if (mus_portion_owns(part, corner[0]) || mus_portion_owns(part, corner[1]) || mus_portion_owns(part, corner[2]))
            drag_face(environment, strength, corner, part, x, v, dt, force, matrix);
    }
}

static void add(mus_sym3 *m, double s, const double *by) {
    m->xx += s * by[0], m->xy += s * by[1], m->xz += s * by[2];
    m->yy += s * by[3], m->yz += s * by[4], m->zz += s * by[5];
}

/* The force itself is in cloth->f, at the start of the step: H = dt D + dt^2 K on the diagonal, and -dt K v, of which
 * D has its share at v already. */
static void hold(const mus_cloth *cloth, int32_t first, int32_t end, const v3 *v, double dt, v3 *force,
                 mus_block_matrix *matrix) {
    for (int32_t i = first; i < end; i++) {
        const double *k = cloth->hold + 12 * (size_t)i;
        mus_sym3 stiff = {0};
        add(&stiff, dt, k);
        force[i] = v3_sub(force[i], mus_sym3_mul(&stiff, v[i]));
        add(&matrix->diagonal[i], dt * dt, k);
        add(&matrix->diagonal[i], dt, k + 6);
    }
}

void mus_viscous_part(const mus_cloth *cloth, const mus_portion *part, const v3 *v, double dt, v3 *force,
                      mus_block_matrix *matrix) {
    double viscous = cloth->material.viscous_damping;
    int32_t end = part->hi < cloth->vertex_count ? part->hi : cloth->vertex_count;
    if (matrix && cloth->held) hold(cloth, part->lo, end, v, dt, force, matrix);
    for (int32_t i = part->lo; viscous > 0 && i < end; i++) {
        double rate = viscous * cloth->mass[i];
        force[i] = v3_axpy(-rate, v[i], force[i]);
        if (matrix) mus_sym3_add(&matrix->diagonal[i], 0, v[i], dt * rate);
    }
}

void mus_drag_forces(const mus_cloth *cloth, const mus_environment *environment, const v3 *x, const v3 *v, double dt,
                     v3 *force, mus_block_matrix *matrix) {
    mus_portion all = mus_portion_all(cloth->face_count);
    mus_viscous_part(cloth, &all, v, dt, force, matrix);
    mus_drag_part(cloth, environment, &all, x, v, dt, force, matrix);
}
