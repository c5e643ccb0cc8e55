/* world_obstacle.c: the obstacles of a world. */
#include "base/cookie.h"
#include "base/range.h"
#include "base/word.h"
#include "linear/psd.h"
#include "model/look.h"
#include "world/overlap/overlap_exemption.h"
#include "world/pin.h"
#include "world/pinch.h"
#include "world/slots.h"

#include <stdio.h>
#include <string.h>

mus_obstacle_def mus_obstacle_def_default(void) {
    return (mus_obstacle_def){
        .cookie = MUS_COOKIE_OBSTACLE_DEF, .normal = {0, 1, 0}, .pose = mus_pose_identity(), .friction = 0.3};
}

static mus_status check_size(const char *field, double value) {
    char subject[48];
    snprintf(subject, sizeof subject, "obstacle: field '%s'", field);
    return mus_check_range(subject, MUS_RANGE_SIZE, "m", value);
}

static mus_status check_shape(const mus_obstacle_def *def) {
    mus_status status = MUS_STATUS_OK;
    switch (def->shape) {
    case MUS_SHAPE_MESH:
        if (!def->mesh) return mus_fail(MUS_STATUS_INVALID, "obstacle: field 'mesh' is missing (or give a 'shape')");
        if (mus_mesh_get_face_count(def->mesh) < 1)
            return mus_fail(MUS_STATUS_INVALID, "obstacle: field 'mesh' has no faces");
        return mus_mesh_check(def->mesh, NULL);
    case MUS_SHAPE_PLANE:
        if (!v3_finite(v3_load(def->normal)) || !(v3_length(v3_load(def->normal)) > 1e-12))
            return mus_fail(MUS_STATUS_INVALID,
                            "obstacle: field 'normal' must be a finite vector that is not zero (got %s, %s, %s)",
                            mus_word_of_number(def->normal[0]).text, mus_word_of_number(def->normal[1]).text,
                            mus_word_of_number(def->normal[2]).text);
        return mus_check_range3("obstacle: field 'normal'", MUS_RANGE_ANY, "", def->normal);
    case MUS_SHAPE_SPHERE:
        return check_size("radius", def->radius);
    case MUS_SHAPE_CAPSULE:
    case MUS_SHAPE_CYLINDER:
        status = check_size("radius", def->radius);
        return status == MUS_STATUS_OK ? check_size("length", def->length) : status;
    case MUS_SHAPE_BOX:
        for (int k = 0; k < 3 && status == MUS_STATUS_OK; k++) status = check_size("size", def->size[k]);
        return status;
    }
    return mus_fail(MUS_STATUS_INVALID, "obstacle: field 'shape' must be one of mus_shape (got %d)", (int)def->shape);
}

/* Checks principal moments of a solid: the sum of any two is at least the third, as they are sums like x^2 + y^2. */
static mus_status check_inertia(const mus_obstacle_def *def) {
    double a[9], q[9], most = 0, trace;
    for (int k = 0; k < 9; k++) {
        a[k] = def->inertia[k / 3][k % 3];
        if (!isfinite(a[k])) return mus_fail(MUS_STATUS_INVALID, "obstacle: field 'inertia' must be finite, kg m^2");
        mus_status status = mus_check_range("obstacle: field 'inertia'", MUS_RANGE_ANY, "kg m^2", a[k]);
        if (status != MUS_STATUS_OK) return status;
        most = fmax(most, fabs(a[k]));
    }
    for (int k = 0; k < 3; k++)
        if (fabs(def->inertia[k][(k + 1) % 3] - def->inertia[(k + 1) % 3][k]) > 1e-9 * most)
            return mus_fail(MUS_STATUS_INVALID,
                            "obstacle: field 'inertia' must be symmetric (row %d has %g where row %d has %g)", k + 1,
                            def->inertia[k][(k + 1) % 3], (k + 1) % 3 + 1, def->inertia[(k + 1) % 3][k]);
    trace = a[0] + a[4] + a[8];
    mus_eigen_symmetric(a, q, 3);
    for (int k = 0; k < 3; k++)
        if (!(a[4 * k] > 1e-12 * most) || a[4 * k] > 0.5 * trace * (1 + 1e-6))
            return mus_fail(MUS_STATUS_INVALID,
                            "obstacle: field 'inertia' must have positive principal moments, none larger than the sum "
                            "of the other two, kg m^2 (got %g, %g, %g)",
                            a[0], a[4], a[8]);
    return MUS_STATUS_OK;
}

static mus_status check_rigid_body(const mus_obstacle_def *def) {
    v3 v = v3_load(def->velocity), w = v3_load(def->angular_velocity);
    if (!def->dynamic) {
        if (def->mass != 0 || v3_max_abs(v) != 0 || v3_max_abs(w) != 0)
            return mus_fail(MUS_STATUS_INVALID, "obstacle: fields 'mass', 'velocity' and 'angular_velocity' are those "
                                                "of a rigid body; give motion = 'dynamic' too");
        if (def->has_inertia || def->has_center_of_mass)
            return mus_fail(MUS_STATUS_INVALID,
                            "obstacle: fields 'inertia' and 'center_of_mass' are those of a rigid body; "
                            "give motion = 'dynamic' too");
        return MUS_STATUS_OK;
    }
    if (def->shape == MUS_SHAPE_PLANE)
        return mus_fail(MUS_STATUS_INVALID, "obstacle: a plane is infinite and cannot be dynamic; give a box instead");
    if (def->shape == MUS_SHAPE_CYLINDER)
        return mus_fail(MUS_STATUS_INVALID, "obstacle: shape 'cylinder' cannot be dynamic; give "
                                            "mesh = muslin.mesh.cylinder {...}, or shape = 'capsule'");
    if (!(def->mass > 0) || !isfinite(def->mass))
        return mus_fail(MUS_STATUS_INVALID, "obstacle: field 'mass' must be > 0 kg for motion = 'dynamic' (got %s)",
                        mus_word_of_number(def->mass).text);
    mus_status status = mus_check_range("obstacle: field 'mass'", MUS_RANGE_POSITIVE, "kg", def->mass);
    if (status == MUS_STATUS_OK)
        status = mus_check_range3("obstacle: field 'velocity'", MUS_RANGE_ANY, "m/s", def->velocity);
    if (status == MUS_STATUS_OK)
        status = mus_check_range3("obstacle: field 'angular_velocity'", MUS_RANGE_ANY, "rad/s", def->angular_velocity);
    if (status == MUS_STATUS_OK && def->has_center_of_mass)
        status = mus_check_range3("obstacle: field 'center_of_mass'", MUS_RANGE_COORDINATE, "m", def->center_of_mass);
    if (status != MUS_STATUS_OK) return status;
    return def->has_inertia ? check_inertia(def) : MUS_STATUS_OK;
}

static mus_status check_look(const mus_look *look, bool has_uvs) {
    mus_status status = mus_look_check("obstacle", look);
    if (status == MUS_STATUS_OK && look->texture != MUS_TEXTURE_NONE && !has_uvs)
        status = mus_fail(MUS_STATUS_INVALID,
                          "obstacle: field 'texture' needs a 'mesh' with texture coordinates; exact shapes have none");
    return status;
}

mus_status mus_obstacle_check(const mus_obstacle_def *def) {
    mus_status made = mus_check_cookie(def->cookie, MUS_COOKIE_OBSTACLE_DEF, "obstacle", "mus_obstacle_def");
    if (made != MUS_STATUS_OK) return made;
    mus_status status = mus_check_range("obstacle: field 'thickness'", MUS_RANGE_LENGTH, "m", def->thickness);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("obstacle: field 'friction'", MUS_RANGE_AMOUNT, "", def->friction);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("obstacle: field 'restitution'", MUS_RANGE_SHARE, "", def->restitution);
    if (status == MUS_STATUS_OK)
        status = mus_check_range3("obstacle: field 'at'", MUS_RANGE_COORDINATE, "m", def->pose.position);
    if (status != MUS_STATUS_OK) return status;
    double norm2 = 0;
    for (int k = 0; k < 4; k++) norm2 += def->pose.rotation[k] * def->pose.rotation[k];
    if (!(fabs(norm2 - 1) < 1e-6))
        return mus_fail(MUS_STATUS_INVALID,
                        "obstacle: field 'rotation' must be a unit quaternion {w, x, y, z} (its length is %g)",
                        sqrt(norm2));
    status = check_shape(def);
    bool has_uvs = status == MUS_STATUS_OK && def->shape == MUS_SHAPE_MESH && mus_mesh_get_uvs(def->mesh);
    if (status == MUS_STATUS_OK) status = check_look(&def->look, has_uvs);
    return status == MUS_STATUS_OK ? check_rigid_body(def) : status;
}

mus_status mus_obstacle_create(mus_world *world, const mus_obstacle_def *def, mus_obstacle_id *id) {
    char buffer[32];
    const char *name;
    mus_obstacle *obstacle;
    *id = (mus_obstacle_id){0, 0};
    mus_status status = mus_world_check_unlocked(world, "world:obstacle");
    if (status == MUS_STATUS_OK) status = mus_obstacle_check(def);
    if (status == MUS_STATUS_OK && def->dynamic && world->solver_def.failsafe &&
        world->solver_def.failsafe->projections > 0)
        status = mus_fail(
            MUS_STATUS_INVALID,
            "obstacle: motion = 'dynamic' is not supported by the fail-safe '%s', which applies no reaction to "
            "rigid bodies; use 'zones'",
            world->def.pipeline.failsafe);
    if (status == MUS_STATUS_OK)
        status = mus_world_choose_name(world, def->name, "obstacle", buffer, sizeof buffer, &name);
    if (status == MUS_STATUS_OK) status = mus_obstacle_new(def, name, &obstacle);
    if (status != MUS_STATUS_OK) return status;
    if (!mus_slots_add(&world->obstacles, &world->obstacle_order, obstacle, &id->index, &id->generation)) {
        mus_obstacle_free(obstacle);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

mus_obstacle *mus_world_find_obstacle(const mus_world *world, mus_obstacle_id id) {
    return mus_slots_find(&world->obstacles, id.index, id.generation, "obstacle");
}

mus_status mus_obstacle_destroy(mus_world *world, mus_obstacle_id id) {
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "world:remove");
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++)
            if (mus_pins_are_to_slot(cloth, i, (int32_t)id.index))
                return mus_fail(MUS_STATUS_INVALID,
                                "world:remove: cloth '%s' is pinned to obstacle '%s'; unpin it first", cloth->name,
                                obstacle->name);
    }
    mus_exemptions_slot_removed(world, true, id.index);
    mus_pinch_slot_removed(world, id.index);
    mus_slots_remove(&world->obstacles, &world->obstacle_order, id.index);
    mus_obstacle_free(obstacle);
    mus_solver_free(&world->solver);
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

bool mus_obstacle_is_valid(const mus_world *world, mus_obstacle_id id) {
    return mus_slots_has(&world->obstacles, id.index, id.generation);
}

int32_t mus_world_get_obstacle_count(const mus_world *world) {
    return (int32_t)world->obstacle_order.count;
}

mus_obstacle_id mus_world_get_obstacle(const mus_world *world, int32_t k) {
    if (k < 0 || k >= world->obstacle_order.count) return (mus_obstacle_id){0, 0};
    int32_t slot = world->obstacle_order.data[k];
    return (mus_obstacle_id){(uint32_t)slot, world->obstacles.data[slot].generation};
}

const char *mus_obstacle_get_name(const mus_world *world, mus_obstacle_id id) {
    const mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    return obstacle ? obstacle->name : NULL;
}

mus_status mus_obstacle_get_pose(const mus_world *world, mus_obstacle_id id, mus_pose *pose) {
    const mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    *pose = obstacle->pose;
    return MUS_STATUS_OK;
}

mus_status mus_obstacle_get_look(const mus_world *world, mus_obstacle_id id, mus_look *look) {
    const mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    *look = obstacle->def.look;
    return MUS_STATUS_OK;
}

mus_status mus_obstacle_set_look(mus_world *world, mus_obstacle_id id, const mus_look *look) {
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = check_look(look, obstacle->surface && mus_mesh_get_uvs(obstacle->surface));
    if (status == MUS_STATUS_OK) obstacle->def.look = *look;
    return status;
}

mus_status mus_obstacle_get_def(const mus_world *world, mus_obstacle_id id, mus_obstacle_def *def) {
    const mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    *def = obstacle->def;
    return MUS_STATUS_OK;
}

static mus_status require_rigid_body(const mus_obstacle *obstacle, const char *what) {
    if (mus_obstacle_is_dynamic(obstacle)) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': %s is for rigid bodies; create it with motion = 'dynamic'",
                    obstacle->name, what);
}

static mus_status refuse_rigid_body(const mus_obstacle *obstacle, const char *what) {
    if (!mus_obstacle_is_dynamic(obstacle)) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID,
                    "obstacle '%s' is dynamic and moves by itself: %s is for others; leave out one of the two",
                    obstacle->name, what);
}

mus_status mus_obstacle_get_rigid_body(const mus_world *world, mus_obstacle_id id, mus_rigid_body_motion *motion) {
    const mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = require_rigid_body(obstacle, "its motion");
    if (status != MUS_STATUS_OK) return status;
    const mus_rigid *r = &obstacle->rigid;
    m3 inertia = mus_rigid_inertia(r, obstacle->pose.rotation);
    m3 inverse = mus_rigid_inverse_inertia(r, obstacle->pose.rotation);
    *motion = (mus_rigid_body_motion){.mass = r->mass};
    v3_store(motion->center, mus_rigid_center(r, &obstacle->pose));
    v3_store(motion->velocity, r->v);
    v3_store(motion->angular_velocity, m3_mul_v3(&inverse, r->momentum));
    v3_store(motion->angular_momentum, r->momentum);
    for (int k = 0; k < 3; k++) v3_store(motion->inertia[k], inertia.r[k]);
    return MUS_STATUS_OK;
}

mus_status mus_obstacle_set_velocity(mus_world *world, mus_obstacle_id id, const double velocity[3],
                                     const double angular_velocity[3]) {
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = require_rigid_body(obstacle, "a velocity");
    if (status != MUS_STATUS_OK) return status;
    if ((velocity && !v3_finite(v3_load(velocity))) || (angular_velocity && !v3_finite(v3_load(angular_velocity))))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': a velocity must be three finite numbers", obstacle->name);
    if ((velocity && !mus_are_values(v3_load(velocity))) ||
        (angular_velocity && !mus_are_values(v3_load(angular_velocity))))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': a velocity must lie within +-%g m/s or rad/s",
                        obstacle->name, MUS_LARGEST_VALUE);
    mus_world_wake(world);
    if (velocity) obstacle->rigid.v = v3_load(velocity);
    if (!angular_velocity) return MUS_STATUS_OK;
    m3 inertia = mus_rigid_inertia(&obstacle->rigid, obstacle->pose.rotation);
    obstacle->rigid.momentum = m3_mul_v3(&inertia, v3_load(angular_velocity));
    return MUS_STATUS_OK;
}

mus_status mus_obstacle_apply_impulse(mus_world *world, mus_obstacle_id id, const double impulse[3],
                                      const double at[3]) {
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = require_rigid_body(obstacle, "an impulse");
    if (status != MUS_STATUS_OK) return status;
    v3 j = v3_load(impulse);
    if (!v3_finite(j) || (at && !v3_finite(v3_load(at))))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': an impulse and its place must be finite numbers",
                        obstacle->name);
    if (!mus_are_values(j) || (at && !mus_are_lengths(v3_load(at))))
        return mus_fail(MUS_STATUS_INVALID,
                        "obstacle '%s': an impulse must lie within +-%g N s, and its place within +-%g m",
                        obstacle->name, MUS_LARGEST_VALUE, MUS_LARGEST_LENGTH);
    mus_world_wake(world);
    mus_rigid *r = &obstacle->rigid;
    r->v = v3_axpy(1 / r->mass, j, r->v);
    if (at) r->momentum = v3_add(r->momentum, v3_cross(v3_sub(v3_load(at), mus_rigid_center(r, &obstacle->pose)), j));
    return MUS_STATUS_OK;
}

mus_status mus_obstacle_set_motion(mus_world *world, mus_obstacle_id id, mus_motion_fn motion, void *user) {
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "obstacle:move");
    if (status == MUS_STATUS_OK && motion) status = refuse_rigid_body(obstacle, "a motion by a function");
    if (status != MUS_STATUS_OK) return status;
    mus_law before = obstacle->motion;
    if (before.kind != MUS_LAW_MISSING) mus_world_wake(world); /* else set again, in a loaded world */
    obstacle->motion = mus_law_of_motion(motion, user);
    if (!motion) return MUS_STATUS_OK;
    mus_pose now;
    status = mus_obstacle_pose_at(obstacle, world->time, &now);
    if (status == MUS_STATUS_OK) {
        v3 off = v3_sub(v3_load(now.position), v3_load(obstacle->pose.position));
        double turn = 0;
        for (int k = 0; k < 4; k++) turn += now.rotation[k] * obstacle->pose.rotation[k];
        if (v3_length(off) > 1e-9)
            status = mus_fail(MUS_STATUS_INVALID,
                              "obstacle '%s': its motion begins at (%g, %g, %g), %g m from its position (%g, %g, "
                              "%g); f(%g) must return that position",
                              obstacle->name, now.position[0], now.position[1], now.position[2], v3_length(off),
                              obstacle->pose.position[0], obstacle->pose.position[1], obstacle->pose.position[2],
                              world->time);
        else if (fabs(turn) < 1 - 1e-12)
            status =
                mus_fail(MUS_STATUS_INVALID,
                         "obstacle '%s': its motion begins with a rotation that differs from its own", obstacle->name);
    }
    if (status != MUS_STATUS_OK) obstacle->motion = before;
    return status;
}

mus_animation mus_animation_default(void) {
    return (mus_animation){.cookie = MUS_COOKIE_ANIMATION, .interpolation = MUS_INTERPOLATION_SMOOTH};
}

mus_status mus_obstacle_set_animation(mus_world *world, mus_obstacle_id id, const mus_animation *animation) {
    const mus_point_cache *cache = animation->cache;
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = mus_check_cookie(animation->cookie, MUS_COOKIE_ANIMATION, "obstacle:animate", "mus_animation");
    if (status == MUS_STATUS_OK) status = mus_world_check_unlocked(world, "obstacle:animate");
    if (status == MUS_STATUS_OK) status = refuse_rigid_body(obstacle, "an animation");
    if (status != MUS_STATUS_OK) return status;
    if (obstacle->def.shape != MUS_SHAPE_MESH)
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': only a mesh can be animated by a point cache",
                        obstacle->name);
    if (cache->vertex_count != obstacle->vertex_count)
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': the point cache has %d vertices, the mesh %d",
                        obstacle->name, cache->vertex_count, obstacle->vertex_count);
    if (!(animation->interval > 0) || !isfinite(animation->interval))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': the time between frames must be > 0 s (got %s)",
                        obstacle->name, mus_word_of_number(animation->interval).text);
    if (!isfinite(animation->start))
        return mus_fail(MUS_STATUS_INVALID,
                        "obstacle '%s': the start of its animation must be a finite time (got %s s)", obstacle->name,
                        mus_word_of_number(animation->start).text);
    if (cache->frame_count < 1)
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': the point cache has no frames", obstacle->name);
    char subject[96];
    snprintf(subject, sizeof subject, "obstacle '%.48s': the time between frames", obstacle->name);
    status = mus_check_range(subject, MUS_RANGE_POSITIVE, "s", animation->interval);
    snprintf(subject, sizeof subject, "obstacle '%.48s': the start of its animation", obstacle->name);
    if (status == MUS_STATUS_OK) status = mus_check_range(subject, MUS_RANGE_ANY, "s", animation->start);
    snprintf(subject, sizeof subject, "obstacle '%.48s': the lead-in of its animation", obstacle->name);
    if (status == MUS_STATUS_OK) status = mus_check_range(subject, MUS_RANGE_AMOUNT, "s", animation->lead_in);
    if (status == MUS_STATUS_OK && animation->interpolation != MUS_INTERPOLATION_SMOOTH &&
        animation->interpolation != MUS_INTERPOLATION_LINEAR)
        status = mus_fail(MUS_STATUS_INVALID, "obstacle '%s': interpolation %d does not exist", obstacle->name,
                          (int)animation->interpolation);
    for (int32_t k = 0; status == MUS_STATUS_OK && k < cache->frame_count; k++) {
        snprintf(subject, sizeof subject, "obstacle '%.48s': frame %d", obstacle->name, k + 1);
        status = mus_check_places(subject, cache->positions + 3 * (size_t)k * (size_t)cache->vertex_count,
                                  cache->vertex_count);
    }
    if (status != MUS_STATUS_OK) return status;
    size_t bytes = sizeof(double) * 3 * (size_t)cache->vertex_count * (size_t)cache->frame_count;
    double *frames = mus_new(bytes);
    status = frames ? mus_world_fasten_pins(world, (int32_t)id.index) : MUS_STATUS_NO_MEMORY;
    if (status != MUS_STATUS_OK) {
        mus_free(frames);
        return status;
    }
    memcpy(frames, cache->positions, bytes);
    mus_world_wake(world);
    mus_free(obstacle->keyframes.positions);
    obstacle->keyframes = (mus_keyframes){.positions = frames,
                                          .count = cache->frame_count,
                                          .vertex_count = cache->vertex_count,
                                          .interval = animation->interval,
                                          .start = animation->start,
                                          .lead_in = animation->lead_in,
                                          .interpolation = animation->interpolation,
                                          .loop = animation->loop};
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

const mus_mesh *mus_obstacle_get_surface_mesh(mus_world *world, mus_obstacle_id id) {
    mus_obstacle *obstacle = mus_world_find_obstacle(world, id);
    if (!obstacle || mus_obstacle_make_surface(obstacle, world->time) != MUS_STATUS_OK) return NULL;
    return obstacle->surface;
}
