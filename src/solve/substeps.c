/* substeps.c: number of substeps of a step: for obstacles that move fast, and for the collision step of the pipeline.
 */
#include "base/range.h"
#include "broad/median_split.h"
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

/* ---- patches of cloth ---- */

/* Patches have at most a 256th of all faces, or 32; so many of them, which are near each other, make a group. */
enum { MANY_PATCHES = 256, MIN_PATCH_FACES = 32, GROUP = 16 };

/* Splits the faces leaf[lo..hi) of a cloth in halves by their centers, down to patches of `most` faces; false: no
 * memory. */
static bool split_into_patches(mus_solver *s, const v3 *center, int32_t lo, int32_t hi, int32_t most) {
    if (hi - lo <= most) return mus_array_push(&s->patches, ((mus_cloth_patch){.begin = lo, .end = hi}));
    int32_t middle = mus_median_split(s->patch_leaves.data, center, lo, hi);
    return split_into_patches(s, center, lo, middle, most) && split_into_patches(s, center, middle, hi, most);
}

static bool split_cloths(mus_solver *s, const v3 *center) {
    const mus_leaf *leaf = s->scene.leaves;
    int32_t count = s->scene.cloth_leaf_count, most = count / MANY_PATCHES + 1;
    if (most < MIN_PATCH_FACES) most = MIN_PATCH_FACES;
    bool made = true;
    for (int32_t lo = 0, hi; made && lo < count; lo = hi) {
        for (hi = lo + 1; hi < count && leaf[hi].object == leaf[lo].object;) hi++;
        made = split_into_patches(s, center, lo, hi, most);
    }
    return made;
}

/* Splits all cloth where that is not done yet. Patches follow the positions that the broad phase was created for: these
 * are in snapshots, so that a resumed run has the same patches. */
static mus_status make_patches(mus_solver *s) {
    mus_status status = mus_solver_ensure_broad_phase(s);
    if (status != MUS_STATUS_OK || s->patches.count > 0) return status;
    int32_t count = s->scene.cloth_leaf_count;
    v3 *center = mus_new(sizeof *center * ((size_t)count + 1));
    bool made = center && mus_array_reserve(&s->patch_leaves, count);
    for (int32_t k = 0; made && k < count; k++) {
        const int32_t *v = s->scene.leaves[k].vertex;
        center[k] = v3_scale(1.0 / 3, v3_add(v3_add(s->built[v[0]], s->built[v[1]]), s->built[v[2]]));
        s->patch_leaves.data[k] = k;
    }
    made = made && split_cloths(s, center) && mus_array_reserve(&s->patch_groups, s->patches.count / GROUP + 1);
    mus_free(center);
    if (!made) s->patches.count = 0;
    return made ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static int32_t corner_of_patch(const mus_solver *s, const mus_cloth_patch *p, int32_t k) {
    return s->scene.leaves[s->patch_leaves.data[p->begin + k / 3]].vertex[k % 3];
}

static void measure_patch(const mus_solver *s, double dt, mus_cloth_patch *p) {
    const mus_assembly *a = &s->assembly;
    int32_t count = 3 * (p->end - p->begin);
    p->box = mus_box_empty();
    p->motion = v3_make(0, 0, 0);
    for (int32_t k = 0; k < count; k++) {
        int32_t i = corner_of_patch(s, p, k);
        mus_box_grow(&p->box, a->x0[i], 0);
        mus_box_grow(&p->box, v3_axpy(dt, a->v0[i], a->x0[i]), 0);
        p->motion = v3_add(p->motion, a->v0[i]);
    }
    p->motion = v3_scale(dt / count, p->motion);
    double sum = 0;
    for (int32_t k = 0; k < count; k++)
        sum += v3_length2(v3_sub(v3_scale(dt, a->v0[corner_of_patch(s, p, k)]), p->motion));
    p->spread = sqrt(sum / count);
}

static void measure_patches(mus_solver *s, double dt) {
    for (int64_t k = 0; k < s->patches.count; k++) {
        mus_cloth_patch *p = &s->patches.data[k];
        mus_box *group = &s->patch_groups.data[k / GROUP];
        measure_patch(s, dt, p);
        if (k % GROUP == 0) *group = mus_box_empty();
        mus_box_join(group, &p->box);
    }
}

/* ---- motion of obstacles past them ---- */

/* Boxes that contain the motion of an obstacle's vertex within the step, and what may be near it. */
static void grow_by_motion(const mus_solver *s, const mus_object *object, int32_t i, mus_box *box) {
    const mus_assembly *a = &s->assembly;
    mus_box_grow(box, a->x0[i], object->radius + 2 * s->travel);
    mus_box_grow(box, a->x1[i], object->radius + 2 * s->travel);
}

/* m: how far a vertex that moves by `motion` moves over the step, or past a patch, whichever is less: cloth that lies
 * on a moving body is not moved past its neighbors. Past some of the patch's vertices it moves by more than past their
 * mean: by the spread, without which the swing of a sheet after a blow is off by 11 % (tests/accuracy/swing_test,
 * `lively` at 1/120 s; with one spread 9 %, with two 6 %, where a shirt on a body in fast motion takes 2.3 substeps
 * for 2.1). */
static double motion_past(v3 motion, const mus_cloth_patch *patch) {
    return fmin(v3_length(motion), v3_length(v3_sub(motion, patch->motion)) + patch->spread);
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
        if (p % GROUP == 0 && mus_box_apart(&s->patch_groups.data[p / GROUP], &swept)) {
            p += GROUP - 1;
            continue;
        }
        if (mus_box_apart(&s->patches.data[p].box, &swept)) continue;
        for (int k = 0; k < count; k++) {
            v3 motion = v3_sub(a->x1[object->first + corner[k]], a->x0[object->first + corner[k]]);
            furthest = fmax(furthest, motion_past(motion, &s->patches.data[p]) + more);
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
    if ((status = make_patches(s)) != MUS_STATUS_OK) return status;
    measure_patches(s, input->dt);
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
