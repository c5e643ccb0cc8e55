/* spring.c: structural, shear and bend springs (Provot 1995), damped along their direction only, so that damping exerts
 * no force on rigid motion of the cloth; and the spans of Choi & Ko 2002, whose law is in model/spring_law.c. */
#include "dynamics/dynamics.h"
#include "model/spring_program.h"

double mus_spring_damping(const mus_cloth *cloth, const mus_spring *s) {
    return mus_cloth_damping(cloth, (const int32_t[2]){s->a, (int32_t)s->b}, 2);
}

double mus_spring_friction(const mus_cloth *cloth, const mus_spring *s, const mus_spring_law *law, double slope) {
    /* slope of an arc where it starts, 7.2 kb/r^3: the ramp's slope would give far too much damping */
    if (law->arc)
        return mus_cloth_bending_damping(cloth, (const int32_t[2]){s->a, (int32_t)s->b}, 2) * 1.8 * law->bending /
               (s->rest * s->rest);
    return mus_spring_damping(cloth, s) * slope;
}

void mus_spring_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force) {
    mus_spring_programs_at(cloth, x, v);
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        mus_spring_law own;
        const mus_spring_law *law = mus_spring_law_of(cloth, s, &own);
        v3 d = v3_sub(x[s->a], x[s->b]);
        double length = v3_length(d);
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        const mus_spring_value *law_value = mus_spring_value_of(cloth, k);
        double slope = 0, pull = law_value ? law_value->tension : mus_spring_tension(law, s->rest, length, &slope);
        if (law_value)
            pull += mus_spring_damping(cloth, s) * law_value->slope * v3_dot(u, v3_sub(v[s->a], v[s->b]));
        else if (length < s->rest || !law->arc)
            pull += mus_spring_friction(cloth, s, law, slope) * v3_dot(u, v3_sub(v[s->a], v[s->b]));
        force[s->a] = v3_axpy(-pull, u, force[s->a]);
        force[s->b] = v3_axpy(pull, u, force[s->b]);
    }
}

void mus_spring_linearize_range(const mus_cloth *cloth, const uint8_t *spring_pair, const mus_element_range *range,
                                const v3 *x, const v3 *v, double dt, v3 *right, mus_block_matrix *matrix) {
    for (int32_t k = range->first; k < range->last; k++) {
        const mus_spring *s = &cloth->springs[k];
        bool owns_a = mus_element_range_owns(range, s->a), owns_b = mus_element_range_owns(range, (int32_t)s->b);
        if (!owns_a && !owns_b) continue;
        mus_spring_law own;
        const mus_spring_law *law = mus_spring_law_of(cloth, s, &own);
        v3 d = v3_sub(x[s->a], x[s->b]);
        double length = v3_length(d);
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d), dv = v3_sub(v[s->a], v[s->b]);
        const mus_spring_value *law_value = mus_spring_value_of(cloth, k);
        if (!law_value && law->arc && length >= s->rest) continue;
        double slope, friction, tension, rate = v3_dot(u, dv);
        if (law_value) {
            slope = law_value->slope, friction = mus_spring_damping(cloth, s) * slope + law_value->damping;
            tension = law_value->tension - law_value->damping * rate; /* which includes the rate's share already */
        } else {
            tension = mus_spring_tension(law, s->rest, length, &slope);
            friction = mus_spring_friction(cloth, s, law, slope);
        }
        double along = dt * (dt * slope + friction), across = tension > 0 ? dt * dt * tension / length : 0;
        along = fmax(along, across); /* only a user's law can be softer along than a taut string is across */
        v3 pull = v3_add(v3_scale(dt * tension + (along - across) * rate, u), v3_scale(across, dv));
        if (owns_a) right[s->a] = v3_sub(right[s->a], pull);
        if (owns_b) right[s->b] = v3_add(right[s->b], pull);
        if (!(s->a < (int32_t)s->b ? owns_a : owns_b)) continue;
        int32_t pair = mus_block_matrix_pair(matrix, s->a, (int32_t)s->b, spring_pair[k]);
        mus_pair_block_add(&matrix->pair[pair], along - across, u, across);
    }
}

void mus_spring_bound(const mus_cloth *cloth, const v3 *x, v3 *sum) {
    mus_spring_programs_steepest(cloth, x);
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        const int32_t ends[2] = {s->a, (int32_t)s->b};
        mus_spring_law own;
        const mus_spring_law *law = mus_spring_law_of(cloth, s, &own);
        const mus_spring_value *law_value = mus_spring_value_of(cloth, k);
        double stiffness = law_value ? law_value->slope : mus_spring_stiffest(law, s->rest);
        double friction = law_value ? mus_spring_damping(cloth, s) * stiffness + law_value->damping
                                    : mus_spring_friction(cloth, s, law, stiffness);
        for (int e = 0; e < 2; e++) {
            sum[ends[e]].x += 2 * stiffness;
            sum[ends[e]].y += 2 * friction;
        }
    }
}
