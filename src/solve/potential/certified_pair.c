/* certified_pair.c: the gap that a candidate pair is certified to keep, and its test. */
#include "solve/potential/potential.h"

double mus_certified_gap(const mus_candidate_pair *c, double thickness) {
    return fmax(0, mus_min_end_gap(thickness, (double)c->gap0)); /* a pair may start in contact */
}

bool mus_solver_violates_certified_gap(mus_solver *s, mus_candidate_pair *c, double *toi) {
    const mus_assembly *a = &s->assembly;
    if (mus_is_obstacle_pair(a, c) && (double)c->gap0 <= MUS_CONTACT_TOUCHING_DISTANCE)
        return mus_solver_rigid_pair_collides(s, c, toi);
    double gap = mus_certified_gap(c, mus_candidate_pair_thickness(a, c));
    return mus_solver_comes_within(s, c, mus_candidate_pair_radius(a, c) + gap, fmax(0.05 * gap, 1e-13), toi);
}
