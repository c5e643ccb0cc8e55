/* substeps.c: number of substeps of a step: for obstacles that move fast, and for the collision step of the pipeline.
 */
#include "base/range.h"
#include "narrow/cylinder.h"
#include "solve/solver.h"

mus_status mus_solver_check_substeps(const mus_solver *s, int32_t substep_count, const mus_cloth *cloth, double dt) {
    if (!s->def.integrator->substep_count || substep_count <= MUS_MOST_SUBSTEPS) return MUS_STATUS_OK;
    return mus_fail(
        MUS_STATUS_INVALID,
        "cloth '%s': the integrator '%s' would need %s%d substeps for a step of %g s (at most %d), because "
        "its stiffness or damping is high for its mass; raise 'density', lower stiffness or damping, or choose the "
        "integrator 'implicit_euler'",
        cloth->name, s->def.integrator->name, substep_count == INT32_MAX ? "more than " : "", substep_count, dt,
        MUS_MOST_SUBSTEPS);
}

/* Number of substeps between which collisions are detected. The stable substep is that of the state at the start of the
 * step: where the bound falls within the step, the integrator splits a substep once more. */
static mus_status count_collision_steps(mus_solver *s, const mus_step_input *input, int32_t *substep_count) {
    mus_assembly *a = &s->assembly;
    double dt = input->dt;
    if (s->def.collision_step > 0) {
        double detections = ceil(dt / s->def.collision_step * (1 - 1e-9)); /* 1/120 s by 1/480 s is four */
        if (!(detections <= MUS_MOST_SUBSTEPS))
            return mus_fail(
                MUS_STATUS_INVALID,
                "pipeline: field 'collision_step' splits a step of %g s into %.0f substeps, at most %d (got "
                "%g s); make it longer, or dt smaller",
                dt, detections, MUS_MOST_SUBSTEPS, s->def.collision_step);
        *substep_count = mus_index_of(detections, 1, MUS_MOST_SUBSTEPS);
        return MUS_STATUS_OK;
    }
    *substep_count = 1;
    if (s->def.collision_step != MUS_COLLISION_STEP_STABLE || !s->def.integrator || !s->def.integrator->substep_count)
        return MUS_STATUS_OK;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_object *object = &a->objects[k];
        int32_t wanted = s->def.integrator->substep_count(s->dynamics[k], object->cloth, a->x0 + object->first, dt);
        mus_status status = mus_solver_check_substeps(s, wanted, object->cloth, dt);
        if (status != MUS_STATUS_OK) return status;
        if (wanted > *substep_count) *substep_count = wanted;
    }
    return MUS_STATUS_OK;
}

mus_status mus_solver_count_substeps(mus_solver *s, const mus_step_input *input, int32_t *substep_count) {
    mus_assembly *a = &s->assembly;
    mus_status status = count_collision_steps(s, input, substep_count);
    if (status != MUS_STATUS_OK) return status;
    bool any = false;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        any |= mus_obstacle_moves(a->objects[k].obstacle) || a->objects[k].rigid;
    if (!any || !a->cloth_vertex_count) return MUS_STATUS_OK;
    if ((status = input->place_kinematic(input->context, a, input->time + input->dt)) != MUS_STATUS_OK) return status;
    mus_solver_predict_rigid_bodies(s, input, input->dt);
    if ((status = mus_solver_check_rigid_bodies(s)) != MUS_STATUS_OK) return status;
    mus_box cloth = mus_box_empty();
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        mus_box_grow(&cloth, a->x0[i], 0);
        mus_box_grow(&cloth, v3_axpy(input->dt, a->v0[i], a->x0[i]), 0);
    }
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        if (!mus_obstacle_moves(object->obstacle) && !object->rigid) continue;
        mus_box swept = mus_box_empty();
        double furthest2 = 0;
        for (int32_t i = object->first; i < object->first + object->count; i++) {
            mus_box_grow(&swept, a->x0[i], object->radius + 2 * s->travel);
            mus_box_grow(&swept, a->x1[i], object->radius + 2 * s->travel);
            furthest2 = fmax(furthest2, v3_length2(v3_sub(a->x1[i], a->x0[i])));
        }
        if (mus_box_apart(&cloth, &swept)) continue;
        double furthest = sqrt(furthest2);
        if (mus_object_is_cylinder(object)) furthest += mus_cylinder_rim_motion(a, object);
        double wanted = floor(furthest / s->travel) + 1;
        if (!(wanted <= MUS_MOST_SUBSTEPS))
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "obstacle '%s' moves %g m within one step of %g s, near cloth; slow it down",
                            object->obstacle->name, furthest, input->dt);
        *substep_count = mus_index_of(wanted, *substep_count, MUS_MOST_SUBSTEPS);
    }
    return MUS_STATUS_OK;
}
