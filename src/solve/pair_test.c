/* pair_test.c: continuous detection of one candidate pair over the step. */
#include "narrow/ccd.h"
#include "narrow/cylinder.h"
#include "solve/solver.h"

/* For a pair that comes within `distance` of vertices: tests cylinders exactly, which are treated as capsules until
 * here. */
bool mus_solver_certified_with_cylinder(const mus_assembly *a, const mus_candidate_pair *c, double distance,
                                        double tolerance, double *toi) {
    if (!mus_pair_has_cylinder(a, c->vertex)) return true;
    return mus_cylinder_ccd(a, c, distance - mus_candidate_pair_radius(a, c), tolerance, toi);
}

/* Returns whether the pair comes within `distance`. */
bool mus_solver_comes_near(mus_solver *s, mus_candidate_pair *c, double distance, double tolerance, double *toi) {
    const mus_assembly *a = &s->assembly;
    v3 x0[4], x1[4];
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c->vertex[k]], x1[k] = a->x1[c->vertex[k]];
    mus_ccd_result result;
    bool hit = c->edge_edge ? mus_ccd_ee(x0, x1, distance, tolerance, &result)
                            : mus_ccd_vf(x0, x1, distance, tolerance, &result);
    if (!hit && v3_length2(result.axis) > 0)
        c->axis[0] = (float)result.axis.x, c->axis[1] = (float)result.axis.y, c->axis[2] = (float)result.axis.z;
    *toi = result.toi;
    s->stats->ccd_tests++;
    return hit && mus_solver_certified_with_cylinder(a, c, distance, tolerance, toi);
}

bool mus_solver_comes_within(mus_solver *s, mus_candidate_pair *c, double distance, double tolerance, double *toi) {
    const mus_assembly *a = &s->assembly;
    v3 x0[4], x1[4], axis = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c->vertex[k]], x1[k] = a->x1[c->vertex[k]];
    if (c->edge_edge ? mus_ccd_axis_clear_ee(x0, x1, axis, distance) : mus_ccd_axis_clear_vf(x0, x1, axis, distance))
        return false;
    return mus_solver_comes_near(s, c, distance, tolerance, toi);
}
