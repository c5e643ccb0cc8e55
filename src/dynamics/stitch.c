/* stitch.c: stitches between vertices and points of edges (Provot 1997, the garments of its section 5): while they are
 * taut they pull with stiffness (distance - length), and with friction by its rate, at most with their strength; they
 * exert no force in compression. The length decreases while a seam closes, which does work on the cloth. */
#include "dynamics/seam_group.h"

void mus_seam_group_begin(mus_seam_group *b, double t, double dt) {
    b->time = t;
    for (int32_t k = 0; k < b->stitch_count; k++) {
        mus_stitch_constraint *stitch = &b->stitches[k];
        stitch->length0 = mus_seam_length(stitch->seam, stitch->stitch_index, t);
        stitch->length1 = mus_seam_length(stitch->seam, stitch->stitch_index, t + dt);
        stitch->given = 0;
    }
}

static v3 stitch_vector(const mus_stitch_constraint *stitch, const v3 *x) {
    v3 d = x[stitch->vertex[0]];
    for (int k = 1; k < stitch->count; k++) d = v3_axpy(stitch->weight[k], x[stitch->vertex[k]], d);
    return d;
}

/* Energy and tension of a stitch that exceeds its length by `beyond`: a spring up to its strength, and constant beyond
 * it. `slope`: tension over `beyond`, no less than its derivative, so that a solver's steps descend. */
static double spring_energy_of_stitch(const mus_seam *seam, double beyond) {
    double elastic_limit = seam->strength / seam->stiffness; /* largest length excess of the spring */
    if (beyond <= 0) return 0;
    return beyond <= elastic_limit ? 0.5 * seam->stiffness * beyond * beyond
                                   : seam->strength * (beyond - 0.5 * elastic_limit);
}
static double stitch_tension(const mus_seam *seam, double beyond, double *slope) {
    double tension = fmin(seam->stiffness * fmax(0, beyond), seam->strength);
    *slope = tension > 0 ? tension / beyond : 0;
    return tension;
}

double mus_stitch_energy(const mus_stitch_constraint *stitch, const v3 *x) {
    return stitch->seam->cut
               ? 0
               : spring_energy_of_stitch(stitch->seam, v3_length(stitch_vector(stitch, x)) - stitch->length1);
}

/* Adds a force, distributed by weights. */
static void add_end_forces(const mus_stitch_constraint *stitch, v3 force, v3 *to) {
    for (int k = 0; k < stitch->count; k++)
        to[stitch->vertex[k]] = v3_axpy(stitch->weight[k], force, to[stitch->vertex[k]]);
}

/* Adds s u u^T + t I times the products of weights. */
static void add_stiffness(mus_seam_group *b, const mus_stitch_constraint *stitch, double s, v3 u, double t) {
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    mus_sym3 block = {0};
    mus_sym3_add(&block, s, u, t);
    for (int k = 0; k < (stitch->count == 3 ? 3 : 1); k++)
        mus_block_matrix_add_even(&b->matrix, stitch->pair[k], stitch->weight[ends[k][0]] * stitch->weight[ends[k][1]],
                                  &block);
}

void mus_stitches_linearize(mus_seam_group *b, const v3 *x, const v3 *v, double dt, v3 *right) {
    for (int32_t k = 0; k < b->stitch_count; k++) {
        const mus_stitch_constraint *stitch = &b->stitches[k];
        v3 d = stitch_vector(stitch, x), dv = stitch_vector(stitch, v);
        double length = v3_length(d);
        if (stitch->seam->cut || !(length > 0)) continue;
        double ahead = fmax(length, v3_length(v3_axpy(dt, dv, d)));
        if (ahead <= stitch->length1) continue; /* slack before and after the step */
        v3 u = v3_scale(1 / length, d);
        /* beyond its strength: a spring with that tension at its predicted length, so that the force ends where the
         * stitch is slack */
        double slope = fmin(stitch->seam->stiffness, stitch->seam->strength / (ahead - stitch->length1));
        double friction = slope * stitch->seam->damping, rate = v3_dot(u, dv);
        double tension = slope * (length - stitch->length1) - friction * (stitch->length1 - stitch->length0) / dt;
        double along = dt * (dt * slope + friction), across = tension > 0 ? dt * dt * tension / length : 0;
        v3 pull = v3_add(v3_scale(dt * tension + (along - across) * rate, u), v3_scale(across, dv));
        add_end_forces(stitch, v3_neg(pull), right);
        add_stiffness(b, stitch, along - across, u, across);
    }
}

/* Friction coefficient of a taut stitch; whether it is taut is decided at the start, so that a step has one energy. */
static double stitch_friction(const mus_stitch_constraint *stitch, double before, double dt) {
    double tension = stitch->seam->stiffness * (before - stitch->length0);
    return tension > 0 && tension < stitch->seam->strength ? stitch->seam->stiffness * stitch->seam->damping / dt : 0;
}

double mus_stitches_energy(const mus_seam_group *b, const v3 *start, const v3 *x, double dt) {
    double sum = 0;
    for (int32_t k = 0; k < b->stitch_count; k++) {
        const mus_stitch_constraint *stitch = &b->stitches[k];
        if (stitch->seam->cut) continue;
        double length = v3_length(stitch_vector(stitch, x)), before = v3_length(stitch_vector(stitch, start));
        double change = (length - before) - (stitch->length1 - stitch->length0);
        sum += spring_energy_of_stitch(stitch->seam, length - stitch->length1) +
               0.5 * stitch_friction(stitch, before, dt) * change * change;
    }
    return sum;
}

double mus_seams_energy(const mus_seam_group *b, const v3 *x) {
    double sum = 0;
    for (int32_t k = 0; k < b->stitch_count; k++) sum += mus_stitch_energy(&b->stitches[k], x);
    return sum;
}

void mus_stitches_forces(mus_seam_group *b, const v3 *start, const v3 *x, double dt, v3 *force) {
    for (int32_t k = 0; k < b->stitch_count; k++) {
        const mus_stitch_constraint *stitch = &b->stitches[k];
        v3 d = stitch_vector(stitch, x);
        double length = v3_length(d), before = v3_length(stitch_vector(stitch, start));
        if (stitch->seam->cut || !(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        double slope, friction = stitch_friction(stitch, before, dt);
        double tension = stitch_tension(stitch->seam, length - stitch->length1, &slope) +
                         friction * ((length - before) - (stitch->length1 - stitch->length0));
        double along = dt * dt * (slope + friction), across = dt * dt * fmax(0, tension) / length;
        add_end_forces(stitch, v3_scale(-tension, u), force);
        add_stiffness(b, stitch, along - across, u, across);
    }
}

/* One compliant projection of a stitch; its accumulated impulse is never compressive. */
static void project_stitch(mus_stitch_constraint *stitch, const double *inverse_mass, double dt, v3 *x) {
    v3 d = stitch_vector(stitch, x);
    double length = v3_length(d), w = 0;
    for (int k = 0; k < stitch->count; k++)
        w += stitch->weight[k] * stitch->weight[k] * inverse_mass[stitch->vertex[k]];
    if (stitch->seam->cut || !(length > 0) || !(w > 0)) return;
    double compliance = 1 / (dt * dt * stitch->seam->stiffness);
    double given = fmax(0, stitch->given + (length - stitch->length1 - compliance * stitch->given) / (w + compliance));
    given = fmin(given, dt * dt * stitch->seam->strength);
    v3 by = v3_scale((stitch->given - given) / length, d);
    stitch->given = given;
    for (int k = 0; k < stitch->count; k++) {
        int32_t i = stitch->vertex[k];
        x[i] = v3_axpy(stitch->weight[k] * inverse_mass[i], by, x[i]);
    }
}

void mus_stitches_warm_start(mus_seam_group *b, double dt, const v3 *x1) {
    for (int32_t k = 0; k < b->stitch_count; k++) {
        mus_stitch_constraint *stitch = &b->stitches[k];
        double slope;
        stitch->given =
            dt * dt * stitch_tension(stitch->seam, v3_length(stitch_vector(stitch, x1)) - stitch->length1, &slope);
    }
}

void mus_stitches_project(mus_seam_group *b, const double *inverse_mass, double dt, bool odd, v3 *x1) {
    for (int32_t k = 0; k < b->stitch_count; k++)
        project_stitch(&b->stitches[odd ? b->stitch_count - 1 - k : k], inverse_mass, dt, x1);
}

void mus_stitches_mark_moved(const mus_seam_group *b, mus_strain_limit *limit) {
    for (int32_t k = 0; k < b->stitch_count; k++)
        for (int c = 0; c < b->stitches[k].count; c++)
            mus_strain_limit_mark_moved(limit, b->first + b->stitches[k].vertex[c]);
}
