/* substeps.c: into how many parts a step is split, for obstacles that move fast and by explicit integrators. */
#include "base/range.h"
#include "narrow/cylinder.h"
#include "solve/solver.h"

mus_status mus_solver_check_parts(const mus_solver *s, int32_t parts, const mus_cloth *cloth, double dt) {
    if (!s->def.integrator->parts || parts <= MUS_MOST_SUBSTEPS) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID,
                    "cloth '%s': the integrator '%s' would split a step of %g s into %s%d parts (at most %d), so stiff "
                    "or damped is it for its mass; raise 'density', lower stiffness or damping, or choose the "
                    "integrator 'implicit_euler'",
                    cloth->name, s->def.integrator->name, dt, parts == INT32_MAX ? "more than " : "", parts,
                    MUS_MOST_SUBSTEPS);
}

typedef struct bounds {
    v3 lo, hi;
} bounds;

static void grow(bounds *b, v3 p, double r) {
    b->lo = v3_make(fmin(b->lo.x, p.x - r), fmin(b->lo.y, p.y - r), fmin(b->lo.z, p.z - r));
    b->hi = v3_make(fmax(b->hi.x, p.x + r), fmax(b->hi.y, p.y + r), fmax(b->hi.z, p.z + r));
}

static bool apart(const bounds *a, const bounds *b) {
    return a->hi.x < b->lo.x || b->hi.x < a->lo.x || a->hi.y < b->lo.y || b->hi.y < a->lo.y || a->hi.z < b->lo.z ||
           b->hi.z < a->lo.z;
}

mus_status mus_solver_parts_needed(mus_solver *s, const mus_step_input *input, int32_t *parts) {
    mus_assembly *a = &s->assembly;
    *parts = 1;
    bool any = false;
    for (int32_t k = a->cloth_count; k < a->body_count; k++)
        any |= mus_obstacle_moves(a->bodies[k].obstacle) || a->bodies[k].rigid;
    if (!any || !a->cloth_vertex_count) return MUS_STATUS_OK;
    mus_status status = input->place_kinematic(input->context, a, input->time + input->dt);
    if (status != MUS_STATUS_OK) return status;
    mus_solver_predict_bodies(s, input, input->dt);
    if ((status = mus_solver_check_bodies(s)) != MUS_STATUS_OK) return status;
    bounds cloth = {v3_make(INFINITY, INFINITY, INFINITY), v3_make(-INFINITY, -INFINITY, -INFINITY)};
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        grow(&cloth, a->x0[i], 0);
        grow(&cloth, v3_axpy(input->dt, a->v0[i], a->x0[i]), 0);
    }
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *body = &a->bodies[k];
        if (!mus_obstacle_moves(body->obstacle) && !body->rigid) continue;
        bounds swept = {v3_make(INFINITY, INFINITY, INFINITY), v3_make(-INFINITY, -INFINITY, -INFINITY)};
        double furthest2 = 0;
        for (int32_t i = body->first; i < body->first + body->count; i++) {
            grow(&swept, a->x0[i], body->radius + 2 * s->travel);
            grow(&swept, a->x1[i], body->radius + 2 * s->travel);
            furthest2 = fmax(furthest2, v3_length2(v3_sub(a->x1[i], a->x0[i])));
        }
        if (apart(&cloth, &swept)) continue;
        double furthest = sqrt(furthest2);
        if (mus_body_is_cylinder(body)) furthest += mus_cylinder_rim_motion(a, body);
        double wanted = floor(furthest / s->travel) + 1;
        if (!(wanted <= MUS_MOST_SUBSTEPS))
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "obstacle '%s' moves %g m within one step of %g s, near cloth; slow it down",
                            body->obstacle->name, furthest, input->dt);
        *parts = mus_index_of(wanted, *parts, MUS_MOST_SUBSTEPS);
    }
    return MUS_STATUS_OK;
}
