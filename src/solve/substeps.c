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

enum { MANY_PATCHES = 256, MIN_PATCH_FACES = 32 }; /* a cloth begins another patch */

static mus_status list_patches(mus_solver *s, double dt) {
    const mus_assembly *a = &s->assembly;
    int64_t faces = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) faces += a->objects[k].cloth->face_count;
    int64_t size = (faces + MANY_PATCHES - 1) / MANY_PATCHES;
    if (size < MIN_PATCH_FACES) size = MIN_PATCH_FACES;
    if (!mus_array_reserve(&s->patches, faces / size + a->cloth_count)) return MUS_STATUS_NO_MEMORY;
    s->patches.count = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_object *object = &a->objects[k];
        for (int64_t begin = 0; begin < object->cloth->face_count; begin += size) {
            int64_t end = begin + size < object->cloth->face_count ? begin + size : object->cloth->face_count;
            mus_cloth_patch *p = &s->patches.data[s->patches.count++];
            *p = (mus_cloth_patch){.box = mus_box_empty()};
            for (int64_t c = 3 * begin; c < 3 * end; c++) {
                int32_t i = object->first + object->cloth->faces[c];
                mus_box_grow(&p->box, a->x0[i], 0);
                mus_box_grow(&p->box, v3_axpy(dt, a->v0[i], a->x0[i]), 0);
                p->motion = v3_add(p->motion, a->v0[i]);
            }
            p->motion = v3_scale(dt / (double)(3 * (end - begin)), p->motion);
        }
    }
    return MUS_STATUS_OK;
}

/* Boxes that contain the motion of an obstacle's vertex within the step, and what may be near it. */
static void grow_by_motion(const mus_solver *s, const mus_object *object, int32_t i, mus_box *box) {
    const mus_assembly *a = &s->assembly;
    mus_box_grow(box, a->x0[i], object->radius + 2 * s->travel);
    mus_box_grow(box, a->x1[i], object->radius + 2 * s->travel);
}

/* m: how far a vertex that moves by `motion` moves over the step, or past cloth that moves by `cloth`, whichever is
 * less: cloth that lies on a moving body is not moved past its neighbors. */
static double motion_past(v3 motion, v3 cloth) {
    return sqrt(fmin(v3_length2(motion), v3_length2(v3_sub(motion, cloth))));
}

/* m: the largest such motion of the corners of a face (count 3) or a round shape's vertex (1), past the patches that it
 * comes near, and `more`; `least` if none is larger. */
static double furthest_motion_of(const mus_solver *s, const mus_object *object, const int32_t *corner, int count,
                                 double more, double least) {
    const mus_assembly *a = &s->assembly;
    mus_box swept = mus_box_empty();
    double furthest = least, fastest = 0;
    for (int k = 0; k < count; k++) {
        int32_t i = object->first + corner[k];
        fastest = fmax(fastest, v3_length2(v3_sub(a->x1[i], a->x0[i])));
    }
    if (sqrt(fastest) + more <= least) return least;
    for (int k = 0; k < count; k++) grow_by_motion(s, object, object->first + corner[k], &swept);
    for (int64_t p = 0; p < s->patches.count; p++) {
        if (mus_box_apart(&s->patches.data[p].box, &swept)) continue;
        for (int k = 0; k < count; k++) {
            v3 motion = v3_sub(a->x1[object->first + corner[k]], a->x0[object->first + corner[k]]);
            furthest = fmax(furthest, motion_past(motion, s->patches.data[p].motion) + more);
        }
    }
    return furthest;
}

/* m: the same of a whole obstacle, at least half of what it may move in a substep. */
static double furthest_motion(const mus_solver *s, const mus_object *object) {
    const mus_obstacle *obstacle = object->obstacle;
    double furthest = 0.5 * s->travel;
    double rim = mus_object_is_cylinder(object) ? mus_cylinder_rim_motion(&s->assembly, object) : 0;
    for (int32_t i = 0; !obstacle->face_count && i < object->count; i++)
        furthest = furthest_motion_of(s, object, &i, 1, rim, furthest);
    for (int32_t f = 0; f < obstacle->face_count; f++)
        furthest = furthest_motion_of(s, object, obstacle->faces + 3 * (size_t)f, 3, 0, furthest);
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
    if ((status = list_patches(s, input->dt)) != MUS_STATUS_OK) return status;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        if (!mus_obstacle_moves(object->obstacle) && !object->rigid) continue;
        double furthest = furthest_motion(s, object);
        double wanted = floor(furthest / s->travel) + 1;
        if (!(wanted <= MUS_MOST_SUBSTEPS))
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "obstacle '%s' moves %g m within one step of %g s, near cloth; slow it down",
                            object->obstacle->name, furthest, input->dt);
        *substep_count = mus_index_of(wanted, *substep_count, MUS_MOST_SUBSTEPS);
    }
    return MUS_STATUS_OK;
}
