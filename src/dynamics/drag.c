/* drag.c: forces on single vertices: air drag on faces, AAB eq. 4, friction against the world, AAB eq. 3, and, in the
 * implicit step, the derivatives of traced forces. muslin compare repeats drag and friction from the public interface,
 * as an independent check of the momentum (app/compare/compare_measure.c): a new external force goes there too. */
#include "dynamics/dynamics.h"

static void drag_face(v3 wind, double strength, const int32_t *corner, const mus_element_range *range, const v3 *x,
                      const v3 *v, double dt, v3 *force, mus_block_matrix *matrix) {
    v3 normal = v3_cross(v3_sub(x[corner[1]], x[corner[0]]), v3_sub(x[corner[2]], x[corner[0]]));
    double twice_area = v3_length(normal);
    if (!(twice_area > 0)) return;
    normal = v3_scale(1 / twice_area, normal);
    v3 mean = v3_scale(1.0 / 3, v3_add(v3_add(v[corner[0]], v[corner[1]]), v[corner[2]]));
    v3 relative = v3_sub(wind, mean);
    double share = strength * 0.5 * twice_area * fabs(v3_dot(relative, normal)) / 3;
    for (int k = 0; k < 3; k++) {
        if (!mus_element_range_owns(range, corner[k])) continue;
        force[corner[k]] = v3_axpy(share, relative, force[corner[k]]);
        if (matrix) mus_sym3_add(&matrix->diagonal[corner[k]], dt * share, normal, dt * share);
    }
}

void mus_drag_range(const mus_cloth *cloth, const mus_environment *environment, const mus_element_range *range,
                    const v3 *x, const v3 *v, double dt, v3 *force, mus_block_matrix *matrix) {
    double strength = 0.5 * environment->air_density * cloth->material.drag;
    for (int32_t f = range->first; strength > 0 && f < range->last; f++) {
        const int32_t *corner = cloth->faces + 3 * f;
        if (mus_element_range_owns(range, corner[0]) || mus_element_range_owns(range, corner[1]) ||
            mus_element_range_owns(range, corner[2]))
            drag_face(cloth->windy ? v3_add(environment->wind, cloth->wind[f]) : environment->wind, strength, corner,
                      range, x, v, dt, force, matrix);
    }
}

/* K (0) or D (1) of a vertex. */
static mus_sym3 force_jacobian_of(const mus_cloth *cloth, int by, int32_t i) {
    const double *k = mus_cloth_force_jacobian(cloth, by, 0) + i;
    ptrdiff_t n = mus_cloth_force_jacobian(cloth, by, 1) - mus_cloth_force_jacobian(cloth, by, 0);
    switch (cloth->jacobian_form[by]) {
    case MUS_JACOBIAN_UNIFORM:
        return (mus_sym3){.xx = k[0], .yy = k[0], .zz = k[0]};
    case MUS_JACOBIAN_DIAGONAL:
        return (mus_sym3){.xx = k[0], .yy = k[n], .zz = k[2 * n]};
    case MUS_JACOBIAN_FULL:
        return (mus_sym3){.xx = k[0], .yy = k[n], .zz = k[2 * n], .xy = k[3 * n], .xz = k[4 * n], .yz = k[5 * n]};
    default:
        return (mus_sym3){0};
    }
}

static void add_scaled(mus_sym3 *m, double s, const mus_sym3 *by) {
    m->xx += s * by->xx, m->xy += s * by->xy, m->xz += s * by->xz;
    m->yy += s * by->yy, m->yz += s * by->yz, m->zz += s * by->zz;
}

/* cloth->f has the force itself, at the start of the whole step, where the cloth's own x and v are. Adds its change to
 * x and v, where a substep starts, H = dt D + dt^2 K on the diagonal and the force -dt K v; that at v includes D's
 * contribution already. */
static void add_force_jacobian(const mus_cloth *cloth, int32_t first, int32_t end, const v3 *x, const v3 *v, double dt,
                               v3 *force, mus_block_matrix *matrix) {
    for (int32_t i = first; i < end; i++) {
        mus_sym3 stiff = {0}, k = force_jacobian_of(cloth, 0, i), d = force_jacobian_of(cloth, 1, i);
        add_scaled(&stiff, dt, &k);
        v3 moved = v3_sub(x[i], v3_load(cloth->x + 3 * i)), sped = v3_sub(v[i], v3_load(cloth->v + 3 * i));
        v3 change = v3_add(mus_sym3_mul(&k, moved), mus_sym3_mul(&d, sped));
        force[i] = v3_sub(v3_sub(force[i], change), mus_sym3_mul(&stiff, v[i]));
        add_scaled(&matrix->diagonal[i], dt * dt, &k);
        add_scaled(&matrix->diagonal[i], dt, &d);
    }
}

void mus_viscous_range(const mus_cloth *cloth, const mus_element_range *range, const v3 *x, const v3 *v, double dt,
                       v3 *force, mus_block_matrix *matrix) {
    double viscous = cloth->material.viscous_damping;
    int32_t end = range->hi < cloth->vertex_count ? range->hi : cloth->vertex_count;
    if (matrix && (cloth->jacobian_form[0] || cloth->jacobian_form[1]))
        add_force_jacobian(cloth, range->lo, end, x, v, dt, force, matrix);
    for (int32_t i = range->lo; viscous > 0 && i < end; i++) {
        double rate = viscous * cloth->mass[i];
        force[i] = v3_axpy(-rate, v[i], force[i]);
        if (matrix) mus_sym3_add(&matrix->diagonal[i], 0, v[i], dt * rate);
    }
}

void mus_drag_forces(const mus_cloth *cloth, const mus_environment *environment, const v3 *x, const v3 *v, double dt,
                     v3 *force, mus_block_matrix *matrix) {
    mus_element_range all = mus_element_range_all(cloth->face_count);
    mus_viscous_range(cloth, &all, x, v, dt, force, matrix);
    mus_drag_range(cloth, environment, &all, x, v, dt, force, matrix);
}
