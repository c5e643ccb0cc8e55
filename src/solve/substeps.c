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

/* Boxes that contain the motion of an obstacle's vertex within the step, and what may be near it. */
static void grow_by_motion(const mus_solver *s, const mus_object *object, int32_t i, mus_box *box) {
    const mus_assembly *a = &s->assembly;
    mus_box_grow(box, a->x0[i], object->radius + 2 * s->travel);
    mus_box_grow(box, a->x1[i], object->radius + 2 * s->travel);
}

/* m: the mean motion of the cloth vertices in the box over a step of length dt, as fast as they are now. */
static v3 mean_cloth_motion(const mus_assembly *a, const mus_box *box, double dt) {
    v3 sum = v3_make(0, 0, 0);
    int32_t count = 0;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        mus_box at = mus_box_empty();
        mus_box_grow(&at, a->x0[i], 0);
        if (mus_box_apart(&at, box)) continue;
        sum = v3_add(sum, a->v0[i]);
        count++;
    }
    return count ? v3_scale(dt / count, sum) : sum;
}

/* m: how far the vertex moves over the step, or past cloth that moves by `cloth`, whichever is less: cloth that lies on
 * a moving body is not moved past its neighbors. */
static double motion_past(const mus_assembly *a, int32_t i, v3 cloth) {
    v3 motion = v3_sub(a->x1[i], a->x0[i]);
    return sqrt(fmin(v3_length2(motion), v3_length2(v3_sub(motion, cloth))));
}

/* m: the largest such motion of the object's vertices, if it has faces of those that come near the cloth's box. */
static double furthest_motion(const mus_solver *s, const mus_object *object, const mus_box *cloth, v3 cloth_motion) {
    const mus_assembly *a = &s->assembly;
    const mus_obstacle *obstacle = object->obstacle;
    double furthest = 0;
    for (int32_t i = 0; !obstacle->face_count && i < object->count; i++)
        furthest = fmax(furthest, motion_past(a, object->first + i, cloth_motion));
    for (int32_t f = 0; f < obstacle->face_count; f++) {
        const int32_t *corner = obstacle->faces + 3 * (size_t)f;
        mus_box swept = mus_box_empty();
        for (int k = 0; k < 3; k++) grow_by_motion(s, object, object->first + corner[k], &swept);
        if (mus_box_apart(cloth, &swept)) continue;
        for (int k = 0; k < 3; k++) furthest = fmax(furthest, motion_past(a, object->first + corner[k], cloth_motion));
    }
    return furthest;
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
        for (int32_t i = object->first; i < object->first + object->count; i++) grow_by_motion(s, object, i, &swept);
        if (mus_box_apart(&cloth, &swept)) continue;
        double furthest = furthest_motion(s, object, &cloth, mean_cloth_motion(a, &swept, input->dt));
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
