/* ogc.h: contact as an energy of distance in two stages, with friction lagged on its normal force (Chen et al. 2025,
 * offset geometric contact; friction after Li et al. 2020). */
#ifndef MUS_RESPONSE_OGC_H
#define MUS_RESPONSE_OGC_H

#include "response/contact_constraints.h"
#include "trace/program.h"

/* E(d) for the radius r and the stiffness k, tau = r/2: 0 from r on; k/2 (r - d)^2 from tau to r; below tau
 * b - k' ln d with k' = k tau (r - tau) and b = k/2 (r - tau)^2 + k' ln tau, which has the same value, slope and
 * curvature at tau. Below `least` r (< 1/2) it continues as a parabola, again C2, so that a solver's iterates may
 * cross: `least` is MUS_OGC_LEAST (for a nearer contact less, mus_ogc_least_of) once they converge, and larger while
 * the active set is still being found. */
#define MUS_OGC_LEAST 0.05 /* 0.025: iterations of sphere 39 for 36; 0.1: 36 */
typedef struct mus_ogc_value {
    double energy;       /* J */
    double normal_force; /* N, -dE/dd >= 0 */
    double curvature;    /* N/m, d2E/dd2 >= 0 */
    /* of a user's potential that depends on slip, else 0: */
    double slip_gradient;  /* N, dE/ds >= 0 */
    double slip_stiffness; /* N/m, d2E/ds2 >= 0 */
} mus_ogc_value;
mus_ogc_value mus_ogc_law(double d, double radius, double stiffness, double least);

/* m/s: a slip below this speed times dt is sticking: friction falls off to 0 with it. */
#define MUS_OGC_STICK_SPEED 1e-3 /* half and twice: iterations of sphere 37 for 36 */

/* A contact in the solver: its weighted vertices sum up to a vector p(x) = sum w x; its energy depends on
 * n.p - offset, its friction on p - rest. */
typedef struct mus_ogc_term {
    int32_t vertex[4]; /* a plane: only the first */
    int32_t count;     /* number of vertices: 4, or 1 */
    int32_t arms; /* contact arms of sides that are rigid bodies: solve/potential/newton_rigid.h, from 1; 0: none */
    double weight[4];
    v3 normal;
    double offset, radius, stiffness;
    v3 rest;
    /* A user's potential in place of the law, and its inputs from the contact besides gap, distance and slip; NULL: the
     * law. */
    const mus_program *law;
    /* share of the radius below which the law is a parabola once iterates converge. At most MUS_OGC_LEAST, and at most
     * half the distance at the start of the iteration: the force at a parabola's vertex is finite, and a load above
     * it would halve the gap in every iteration. */
    double least;
    double of_mass, of_friction, of_dt, of_time, of_kind, of_start;
    double friction_limit; /* N: friction times the normal force at the start of the step, then at the last solution */

    /* at the end positions of the last evaluation */
    double distance;
    mus_ogc_value value;
    v3 slip;                   /* m, tangential */
    v3 heading;                /* unit, of the slip */
    double friction_stiffness; /* N/m: the friction force is -friction_stiffness slip; also its derivative across the
                                  heading */
    double slip_stiffness;     /* N/m: its derivative along the heading; 0 where friction slides */
} mus_ogc_term;
typedef MUS_ARRAY(mus_ogc_term) mus_ogc_list;

/* load: kg, of the rigid body that the contact helps to carry; 0: none. */
mus_ogc_term mus_ogc_term_of(const mus_assembly *a, const mus_contact_constraint *constraint, double load);
static inline v3 mus_ogc_sum(const mus_ogc_term *t, const v3 *x) {
    v3 sum = v3_scale(t->weight[0], x[t->vertex[0]]);
    for (int k = 1; k < t->count; k++) sum = v3_axpy(t->weight[k], x[t->vertex[k]], sum);
    return sum;
}
/* The distance at positions x; `slip` receives the tangential slip (m) since the start of the step. */
static inline double mus_ogc_distance(const mus_ogc_term *t, const v3 *x, v3 *slip) {
    v3 p = mus_ogc_sum(t, x), since = v3_sub(p, t->rest);
    *slip = v3_axpy(-v3_dot(t->normal, since), t->normal, since);
    return v3_dot(t->normal, p) - t->offset;
}
/* As mus_ogc_law for the term, at a distance d and a slip of this length, by its own law if it has one. A law applies
 * below the radius only, continues as a parabola below `least` of it, too, and its second derivatives are clamped to be
 * non-negative. For one term; ogc_batch.h evaluates many. */
mus_ogc_value mus_ogc_value_of(const mus_ogc_term *t, double d, double slip, double least);
/* Share of the radius below which a contact's own law is a parabola in a round with that `least`. A user's law uses
 * `least`: it is checked for distances down to MUS_OGC_LEAST only. */
static inline double mus_ogc_least_of(const mus_ogc_term *t, double least) {
    return least > MUS_OGC_LEAST ? least : t->least;
}
/* The same from the output `v` of the law at fmax(d, least r). */
mus_ogc_value mus_ogc_extend(const mus_ogc_term *t, mus_ogc_value v, double d, double least);
/* Gives the term a user's law for a constraint; mus_ogc_batch_check must follow. */
void mus_ogc_take_law(mus_ogc_term *t, const mus_program *law, const mus_contact_constraint *constraint, double dt,
                      double time);
/* Inputs of the law, by slot, at a distance and a slip. */
void mus_ogc_inputs(const mus_ogc_term *t, double d, double slip, double inputs[MUS_INPUT_COUNT]);
/* Evaluates energy, normal force and friction at positions x, the end of a step of dt; and the same with the value
 * known. */
void mus_ogc_evaluate(mus_ogc_term *t, const v3 *x, double dt, double least);
void mus_ogc_settle(mus_ogc_term *t, double distance, v3 slip, const mus_ogc_value *value, double dt);
/* Energy of friction, J, for a slip of this length: limit (s^2/e - s^3/(3 e^2)), e the length at MUS_OGC_STICK_SPEED,
 * and limit (s - e/3) beyond e. */
double mus_ogc_friction_energy(double friction_limit, double slip, double dt);
double mus_ogc_friction_force(double friction_limit, double slip, double dt);
/* Force on the vector p(x), N: normal force and friction. */
static inline v3 mus_ogc_force(const mus_ogc_term *t) {
    return v3_axpy(t->value.normal_force, t->normal, v3_scale(-t->friction_stiffness, t->slip));
}
static inline bool mus_ogc_acts(const mus_ogc_term *t) {
    return t->value.curvature > 0 || t->friction_stiffness > 0 || t->value.normal_force != 0;
}
/* Second derivative of the energy times a change of the vector p(x), N. */
static inline v3 mus_ogc_stiffened(const mus_ogc_term *t, v3 change) {
    double along = v3_dot(t->normal, change);
    v3 f = v3_axpy((t->value.curvature - t->friction_stiffness) * along, t->normal,
                   v3_scale(t->friction_stiffness, change));
    return t->friction_stiffness > 0
               ? v3_axpy((t->slip_stiffness - t->friction_stiffness) * v3_dot(t->heading, change), t->heading, f)
               : f;
}
/* Stores the displacement impulses in the constraint, for the step's contact lists. */
void mus_ogc_book(const mus_ogc_term *t, double dt, mus_contact_constraint *constraint);

#endif
