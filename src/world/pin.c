/* pin.c: where pins are at a time, and how they are fastened to faces. */
#include "world/pin.h"

#include "base/range.h"
#include "solve/potential/potential.h"
#include "world/overlap/nearest.h"

#include <math.h>
#include <string.h>

bool mus_world_attaches(const mus_world *world) {
    const mus_solver_def *def = &world->solver_def;
    return def->family->couples_contacts || (def->family->solves_rigid_bodies && !def->minimizer->descent);
}

void mus_pin_target_make(const mus_obstacle *obstacle, const mus_pose *pose, double t, mus_pin_target *target) {
    target->obstacle = obstacle;
    target->pose = *pose;
    target->shape = (mus_keyframe_blend){.from = {obstacle->local}, .weight = {1}, .count = 1};
    if (obstacle->keyframes.positions) mus_keyframes_blend_at(&obstacle->keyframes, obstacle->local, t, &target->shape);
}

/* Unit vectors along the first edge of a face, across it, and along the normal. A face that has collapsed to a line has
 * none; then those of the obstacle. */
static void face_frame(const v3 corner[3], v3 frame[3]) {
    v3 along = v3_sub(corner[1], corner[0]), normal = v3_cross(along, v3_sub(corner[2], corner[0]));
    frame[0] = v3_normalized(along), frame[2] = v3_normalized(normal);
    frame[1] = v3_cross(frame[2], frame[0]);
    if (v3_length2(frame[1]) > 0.5) return;
    frame[0] = v3_make(1, 0, 0), frame[1] = v3_make(0, 1, 0), frame[2] = v3_make(0, 0, 1);
}

static void find_corners(const mus_pin_target *target, int32_t face, v3 corner[3]) {
    for (int k = 0; k < 3; k++)
        corner[k] = mus_keyframe_blend_vertex(&target->shape, target->obstacle->faces[3 * (size_t)face + (size_t)k]);
}

static v3 place_on_face(const mus_pin_target *target, const mus_pin *pin) {
    v3 corner[3], frame[3];
    find_corners(target, pin->face, corner);
    face_frame(corner, frame);
    v3 place = v3_scale(pin->weight[0], corner[0]);
    for (int k = 1; k < 3; k++) place = v3_axpy(pin->weight[k], corner[k], place);
    for (int k = 0; k < 3; k++) place = v3_axpy(pin->place[k], frame[k], place);
    return place;
}

static mus_status follow_path(const mus_world *world, const mus_cloth *cloth, int32_t i, double t, v3 *place) {
    const mus_pin *pin = &cloth->pins[i];
    double position[3] = {pin->place[0], pin->place[1], pin->place[2]};
    const mus_pin_path_slot *path = &world->paths.data[pin->target];
    mus_status status = path->path(path->user, t, i, position);
    if (status != MUS_STATUS_OK) return status;
    *place = v3_load(position);
    if (!v3_finite(*place))
        return mus_fail(MUS_STATUS_INVALID,
                        "pin: the path of vertex %d of cloth '%s' gives a place that is not finite at t = %g s", i + 1,
                        cloth->name, t);
    if (!mus_are_lengths(*place))
        return mus_fail(MUS_STATUS_INVALID,
                        "pin: the path of vertex %d of cloth '%s' gives a place beyond +-%g m at t = %g s (%g, %g, "
                        "%g); lengths are in meters",
                        i + 1, cloth->name, MUS_LARGEST_LENGTH, t, place->x, place->y, place->z);
    return MUS_STATUS_OK;
}

mus_status mus_pin_place(const mus_world *world, const mus_cloth *cloth, int32_t i, double t,
                         const mus_pin_target *target, v3 *place) {
    const mus_pin *pin = &cloth->pins[i];
    if (pin->kind == MUS_PIN_PATH) return follow_path(world, cloth, i, t, place);
    v3 local = pin->kind == MUS_PIN_FACE ? place_on_face(target, pin) : v3_load(pin->place);
    *place = mus_pin_is_to_obstacle(pin) ? mus_pose_apply(&target->pose, local) : local;
    return MUS_STATUS_OK;
}

static void fasten(const mus_pin_target *target, const mus_nearest_point *near, mus_pin *pin) {
    v3 corner[3], frame[3];
    find_corners(target, near->face, corner);
    face_frame(corner, frame);
    pin->kind = MUS_PIN_FACE;
    pin->face = near->face;
    memcpy(pin->weight, near->weight, sizeof pin->weight);
    for (int k = 0; k < 3; k++) pin->place[k] = v3_dot(near->from, frame[k]);
}

mus_status mus_pins_fasten_to_faces(const mus_pin_target *target, mus_pin *pins, int32_t count) {
    const mus_obstacle *o = target->obstacle;
    double *x = mus_new(sizeof(double) * 3 * (size_t)o->vertex_count);
    mus_audit_tree tree = {0};
    if (!x) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < o->vertex_count; i++)
        v3_store(x + 3 * (size_t)i, mus_keyframe_blend_vertex(&target->shape, i));
    mus_status status = mus_audit_tree_build(x, o->faces, o->face_count, &tree);
    mus_audit_object mesh = {.vertices = x,
                             .faces = o->faces,
                             .vertex_count = o->vertex_count,
                             .face_count = o->face_count,
                             .shape = MUS_SHAPE_MESH};
    for (int32_t k = 0; status == MUS_STATUS_OK && k < count; k++) {
        mus_nearest_point near = mus_nearest_on_mesh(&mesh, &tree, v3_load(pins[k].place), INFINITY);
        fasten(target, &near, &pins[k]);
    }
    mus_audit_tree_free(&tree);
    mus_free(x);
    return status;
}

/* Copies the pins in the frame of the obstacle of this slot to `pins`, or back. Returns their number. */
static int32_t copy_pins(const mus_world *world, int32_t slot, mus_pin *pins, bool back) {
    int32_t count = 0;
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            mus_pin *pin = mus_cloth_soft_pin(cloth, i);
            if (!pin) pin = &cloth->pins[i];
            if (pin->kind != MUS_PIN_OBSTACLE || pin->target != slot) continue;
            if (pins && back) *pin = pins[count];
            if (pins && !back) pins[count] = *pin;
            count++;
        }
    }
    return count;
}

mus_status mus_world_fasten_pins(mus_world *world, int32_t slot) {
    const mus_obstacle *obstacle = world->obstacles.data[slot].object;
    int32_t count = copy_pins(world, slot, NULL, false);
    if (!count) return MUS_STATUS_OK;
    mus_pin *pins = mus_new(sizeof *pins * (size_t)count);
    if (!pins) return MUS_STATUS_NO_MEMORY;
    copy_pins(world, slot, pins, false);
    mus_pin_target target;
    mus_pin_target_make(obstacle, &obstacle->pose, world->time, &target);
    mus_status status = mus_pins_fasten_to_faces(&target, pins, count);
    if (status == MUS_STATUS_OK) copy_pins(world, slot, pins, true);
    mus_free(pins);
    return status;
}
