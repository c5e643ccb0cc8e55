/* spring.c: structural, shear and bend springs (Provot 1995), damped along their direction only, so that a rigid motion
 * of the cloth meets no force; and the spans of Choi & Ko 2002, whose law is in model/spring_law.c. */
#include "dynamics/dynamics.h"

double mus_spring_friction(const mus_cloth *cloth, const mus_spring_law *law, double rest, double slope) {
    /* an arc's own rate where it starts, 7.2 kb/r^3: the ramp before would be an anchor */
    if (law->arc) return cloth->material.bending_damping * 1.8 * law->bending / (rest * rest);
    return cloth->material.damping * slope;
}

void mus_spring_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force) {
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        const mus_spring_law *law = mus_spring_law_of(cloth, s);
        v3 d = v3_sub(x[s->a], x[s->b]);
        double length = v3_length(d);
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        double slope, pull = mus_spring_tension(law, s->rest, length, &slope);
        if (length < s->rest || !law->arc)
            pull += mus_spring_friction(cloth, law, s->rest, slope) * v3_dot(u, v3_sub(v[s->a], v[s->b]));
        force[s->a] = v3_axpy(-pull, u, force[s->a]);
        force[s->b] = v3_axpy(pull, u, force[s->b]);
    }
}

void mus_spring_linearise_part(const mus_cloth *cloth, const uint8_t *spring_pair, const mus_portion *part, const v3 *x,
                               const v3 *v, double dt, v3 *right, mus_block_matrix *matrix) {
    for (int32_t k = part->first; k < part->last; k++) {
        const mus_spring *s = &cloth->springs[k];
        bool owns_a = mus_portion_owns(part, s->a), owns_b = mus_portion_owns(part, (int32_t)s->b);
        if (!owns_a && !owns_b) continue;
        const mus_spring_law *law = mus_spring_law_of(cloth, s);
        v3 d = v3_sub(x[s->a], x[s->b]);
        double length = v3_length(d);
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d), dv = v3_sub(v[s->a], v[s->b]);
        if (law->arc && length >= s->rest) continue;
        double slope, tension = mus_spring_tension(law, s->rest, length, &slope);
        double along = dt * (dt * slope + mus_spring_friction(cloth, law, s->rest, slope));
        double across = tension > 0 ? dt * dt * tension / length : 0;
        double rate = v3_dot(u, dv);
        v3 pull = v3_add(v3_scale(dt * tension + (along - across) * rate, u), v3_scale(across, dv));
        if (owns_a) right[s->a] = v3_sub(right[s->a], pull);
        if (owns_b) right[s->b] = v3_add(right[s->b], pull);
        if (!(s->a < (int32_t)s->b ? owns_a : owns_b)) continue;
        int32_t pair = mus_block_matrix_pair(matrix, s->a, (int32_t)s->b, spring_pair[k]);
        mus_pair_block_add(&matrix->pair[pair], along - across, u, across);
    }
}

void mus_spring_bound(const mus_cloth *cloth, v3 *sum) {
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        const int32_t ends[2] = {s->a, (int32_t)s->b};
        const mus_spring_law *law = mus_spring_law_of(cloth, s);
        double stiffness = mus_spring_stiffest(law, s->rest);
        for (int e = 0; e < 2; e++) {
            sum[ends[e]].x += 2 * stiffness;
            sum[ends[e]].y += 2 * mus_spring_friction(cloth, law, s->rest, stiffness);
        }
    }
}
