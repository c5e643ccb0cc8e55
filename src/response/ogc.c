/* ogc.c: the two-stage contact energy of Chen et al. 2025, and friction lagged on its normal force (Li et al. 2020,
 * eq. 14). */
#include "response/ogc.h"

#include <string.h>

mus_ogc_value mus_ogc_law(double d, double r, double k, double least) {
    if (d >= r) return (mus_ogc_value){0};
    double tau = 0.5 * r;
    if (d >= tau)
        return (mus_ogc_value){.energy = 0.5 * k * (r - d) * (r - d), .normal_force = k * (r - d), .curvature = k};
    double kl = k * tau * (r - tau), b = 0.5 * k * (r - tau) * (r - tau) + kl * mus_log(tau);
    double at = fmax(d, least * r), below = at - d;
    mus_ogc_value v = {.energy = b - kl * mus_log(at), .normal_force = kl / at, .curvature = kl / (at * at)};
    v.energy += below * (v.normal_force + 0.5 * below * v.curvature);
    v.normal_force += below * v.curvature;
    return v;
}

void mus_ogc_inputs(const mus_ogc_term *t, double d, double slip, double inputs[MUS_INPUT_COUNT]) {
    inputs[MUS_INPUT_GAP] = d - t->radius, inputs[MUS_INPUT_DISTANCE] = d, inputs[MUS_INPUT_SLIP] = slip;
    inputs[MUS_INPUT_MASS] = t->of_mass, inputs[MUS_INPUT_FRICTION] = t->of_friction;
    inputs[MUS_INPUT_DT] = t->of_dt, inputs[MUS_INPUT_TIME] = t->of_time, inputs[MUS_INPUT_KIND] = t->of_kind;
    inputs[MUS_INPUT_START_GAP] = t->of_start;
}

mus_ogc_value mus_ogc_extend(const mus_ogc_term *t, mus_ogc_value v, double d, double least) {
    double below = fmax(d, least * t->radius) - d;
    v.curvature = fmax(0, v.curvature), v.slip_gradient = fmax(0, v.slip_gradient),
    v.slip_stiffness = fmax(0, v.slip_stiffness);
    v.energy += below * (v.normal_force + 0.5 * below * v.curvature);
    v.normal_force += below * v.curvature;
    return v;
}

mus_ogc_value mus_ogc_value_of(const mus_ogc_term *t, double d, double slip, double least) {
    if (!t->law) return mus_ogc_law(d, t->radius, t->stiffness, mus_ogc_least_of(t, least));
    if (d >= t->radius) return (mus_ogc_value){0};
    double inputs[MUS_INPUT_COUNT] = {0}, out[5] = {0};
    mus_ogc_inputs(t, fmax(d, least * t->radius), slip, inputs);
    mus_program_one(t->law, inputs, out);
    return mus_ogc_extend(t, (mus_ogc_value){out[0], out[1], out[2], out[3], out[4]}, d, least);
}

void mus_ogc_take_law(mus_ogc_term *t, const mus_program *law, const mus_contact_constraint *constraint, double dt,
                      double time) {
    t->law = law;
    t->of_mass = constraint->mass, t->of_friction = constraint->friction, t->of_dt = dt, t->of_time = time;
    t->of_kind = constraint->plane       ? MUS_PAIR_VERTEX_PLANE
                 : constraint->edge_edge ? MUS_PAIR_EDGE_EDGE
                                         : MUS_PAIR_VERTEX_FACE;
    t->of_start = constraint->gap0 - constraint->thickness;
}

/* With a share of 0.1, iterations of sphere are 42 for 36, with 0.4 as many. Half and twice the least: same bits. The
 * rates were not varied: bench has no scene with rigid bodies. */
static const double stiffness_share = 0.2, least_stiffness = 1; /* of the materials; N/m */
static const double carried_rate = 300, shared_rate = 60;       /* 1/s */

/* N/m: a fifth of the stretch stiffness of the sides' materials, far above what carries a cloth's own weight: contact
 * is then no harder to solve than the cloth itself. Contacts that carry a rigid body are compressed by g over the
 * square of a rate (1/s); with cloth the rate is smaller, since many contacts share the load. */
static double stiffness_of(const mus_assembly *a, const mus_contact_constraint *constraint, double load) {
    double sum = 0;
    int count = 0;
    for (int side = 0; side < 2; side++) {
        const mus_cloth *cloth = a->objects[constraint->object[side]].cloth;
        if (cloth) sum += cloth->material.stretch, count++;
    }
    double load_stiffness = load * (count ? shared_rate * shared_rate : carried_rate * carried_rate);
    return fmax(fmax(count ? stiffness_share * sum / count : 0, load_stiffness), least_stiffness);
}

mus_ogc_term mus_ogc_term_of(const mus_assembly *a, const mus_contact_constraint *constraint, double load) {
    /* Sets the largest force, 2,500 times the stiffness times the radius, for sides that touch at the start. Newton's
     * method converges with any value from 1e-6 on. */
    static const double smallest_share = 1e-4;
    mus_ogc_term t = {.count = constraint->plane ? 1 : 4,
                      .normal = constraint->normal,
                      .offset = constraint->offset,
                      .radius = constraint->thickness,
                      .stiffness = stiffness_of(a, constraint, load),
                      .rest = constraint->rest};
    t.least = fmin(MUS_OGC_LEAST, fmax(smallest_share, 0.5 * constraint->gap0 / t.radius));
    t.friction_limit =
        constraint->friction * mus_ogc_law(fmax(constraint->gap0, 0), t.radius, t.stiffness, t.least).normal_force;
    memcpy(t.vertex, constraint->vertex, sizeof t.vertex);
    memcpy(t.weight, constraint->weight, sizeof t.weight);
    return t;
}

void mus_ogc_settle(mus_ogc_term *t, double distance, v3 slip, const mus_ogc_value *value, double dt) {
    t->distance = distance, t->slip = slip;
    t->value = *value;
    t->friction_stiffness = t->slip_stiffness = 0;
    if (!(t->friction_limit > 0) && !(value->slip_gradient > 0) && !(value->slip_stiffness > 0)) return;
    double length = v3_length(slip), eps = MUS_OGC_STICK_SPEED * dt;
    t->heading = length > 0 ? v3_scale(1 / length, slip) : v3_make(0, 0, 0);
    t->friction_stiffness = t->friction_limit * (length > eps ? 1 / length : (2 - length / eps) / eps);
    t->slip_stiffness = length > eps ? 0 : t->friction_limit * 2 * (1 - length / eps) / eps;
    t->friction_stiffness += length > 0 ? value->slip_gradient / length : value->slip_stiffness;
    t->slip_stiffness += value->slip_stiffness;
}

void mus_ogc_evaluate(mus_ogc_term *t, const v3 *x, double dt, double least) {
    v3 slip;
    double distance = mus_ogc_distance(t, x, &slip);
    mus_ogc_value value = mus_ogc_value_of(t, distance, v3_length(slip), least);
    mus_ogc_settle(t, distance, slip, &value, dt);
}

double mus_ogc_friction_energy(double friction_limit, double slip, double dt) {
    double e = MUS_OGC_STICK_SPEED * dt;
    return slip > e ? friction_limit * (slip - e / 3) : friction_limit * slip * slip * (1 - slip / (3 * e)) / e;
}

double mus_ogc_friction_force(double friction_limit, double slip, double dt) {
    double e = MUS_OGC_STICK_SPEED * dt;
    return slip > e ? friction_limit : friction_limit * slip * (2 - slip / e) / e;
}

void mus_ogc_book(const mus_ogc_term *t, double dt, mus_contact_constraint *constraint) {
    constraint->normal_impulse = t->value.normal_force * dt * dt;
    constraint->friction_impulse =
        t->friction_stiffness > 0 ? v3_scale(-t->friction_stiffness * dt * dt, t->slip) : v3_make(0, 0, 0);
}
