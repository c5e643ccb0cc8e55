/* obstacle.c: obstacles, their motion and their surface. */
#include "model/obstacle.h"
#include "base/cookie.h"
#include "base/box.h"
#include "base/range.h"

#include <string.h>

v3 mus_pose_apply(const mus_pose *pose, v3 local) {
    m3 rotation = m3_from_quaternion(pose->rotation);
    return v3_add(m3_mul_v3(&rotation, local), v3_load(pose->position));
}

v3 mus_pose_unapply(const mus_pose *pose, v3 world) {
    const double *q = pose->rotation;
    m3 back = m3_from_quaternion((double[4]){q[0], -q[1], -q[2], -q[3]});
    return m3_mul_v3(&back, v3_sub(world, v3_load(pose->position)));
}

static mus_status copy_mesh(mus_obstacle *obstacle, const mus_mesh *mesh) {
    obstacle->vertex_count = mus_mesh_get_vertex_count(mesh);
    obstacle->face_count = mus_mesh_get_face_count(mesh);
    size_t vector = sizeof(double) * 3 * (size_t)obstacle->vertex_count;
    size_t faces = sizeof(int32_t) * 3 * (size_t)obstacle->face_count;
    obstacle->local = mus_new(vector);
    obstacle->faces = mus_new(faces);
    if (!obstacle->local || !obstacle->faces) return MUS_STATUS_NO_MEMORY;
    memcpy(obstacle->local, mus_mesh_get_vertices_const(mesh), vector);
    memcpy(obstacle->faces, mus_mesh_get_faces(mesh), faces);
    mus_status status = mus_mesh_get_uvs(mesh) ? mus_mesh_copy(mesh, &obstacle->surface) : MUS_STATUS_OK;
    if (status == MUS_STATUS_OK)
        status = mus_topology_build(obstacle->faces, obstacle->face_count, obstacle->vertex_count, &obstacle->topology);
    if (status == MUS_STATUS_OK) mus_topology_keep_edges(&obstacle->topology);
    return status;
}

static mus_status exact_points(mus_obstacle *obstacle, int32_t count, double half_length) {
    obstacle->radius = obstacle->def.radius;
    obstacle->vertex_count = count;
    obstacle->local = mus_new(sizeof(double) * 3 * (size_t)count);
    if (!obstacle->local) return MUS_STATUS_NO_MEMORY;
    if (count == 2) obstacle->local[1] = -half_length, obstacle->local[4] = half_length;
    return MUS_STATUS_OK;
}

static mus_status make_geometry(mus_obstacle *obstacle, const mus_obstacle_def *def) {
    switch (def->shape) {
    case MUS_SHAPE_PLANE:
        return MUS_STATUS_OK;
    case MUS_SHAPE_SPHERE:
        return exact_points(obstacle, 1, 0);
    case MUS_SHAPE_CAPSULE:
    case MUS_SHAPE_CYLINDER:
        return exact_points(obstacle, 2, def->length / 2);
    case MUS_SHAPE_MESH:
        return copy_mesh(obstacle, def->mesh);
    case MUS_SHAPE_BOX:
        break;
    }
    mus_mesh *box = NULL;
    mus_status status = mus_mesh_create_box(def->size, (double[3]){0, 0, 0}, &box);
    if (status == MUS_STATUS_OK) status = copy_mesh(obstacle, box);
    mus_mesh_destroy(box);
    return status;
}

/* m: the longest side of the box around its unrotated shape. */
static double size_of(const mus_obstacle *obstacle) {
    mus_box box = mus_box_of_points(obstacle->local, obstacle->vertex_count);
    return v3_max_abs(mus_box_size(&box)) + 2 * obstacle->radius;
}

mus_status mus_obstacle_new(const mus_obstacle_def *def, const char *name, mus_obstacle **out) {
    *out = NULL;
    mus_obstacle *obstacle = mus_new(sizeof *obstacle);
    if (!obstacle) return MUS_STATUS_NO_MEMORY;
    obstacle->def = *def;
    obstacle->def.mesh = NULL;
    obstacle->def.name = NULL;
    obstacle->pose = def->pose;
    obstacle->name = mus_copy_string(name);
    mus_status status = obstacle->name ? make_geometry(obstacle, def) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK)
        status = mus_rigid_make(def, name, obstacle->local, obstacle->vertex_count, obstacle->faces,
                                obstacle->face_count, &obstacle->rigid);
    if (status == MUS_STATUS_OK && def->dynamic && obstacle->def.thickness == 0)
        obstacle->def.thickness = 1e-3 * size_of(obstacle);
    if (status == MUS_STATUS_OK)
        *out = obstacle;
    else
        mus_obstacle_free(obstacle);
    return status;
}

void mus_obstacle_free(mus_obstacle *obstacle) {
    if (!obstacle) return;
    mus_topology_free(&obstacle->topology);
    mus_mesh_destroy(obstacle->surface);
    mus_free(obstacle->name);
    mus_free(obstacle->local);
    mus_free(obstacle->faces);
    mus_free(obstacle->keyframes.positions);
    mus_free(obstacle);
}

bool mus_obstacle_moves(const mus_obstacle *obstacle) {
    return mus_law_is_function(&obstacle->motion) || obstacle->keyframes.positions;
}

mus_status mus_obstacle_motion_missing(const mus_obstacle *obstacle) {
    return mus_fail(MUS_STATUS_INVALID,
                    "obstacle '%s': a function moved it in the saved world; hand it in again with obstacle:move(f), or "
                    "keep it fixed with obstacle:move(nil)",
                    obstacle->name);
}

mus_status mus_obstacle_pose_at(const mus_obstacle *obstacle, double t, mus_pose *pose) {
    const mus_law *motion = &obstacle->motion;
    mus_status status = MUS_STATUS_OK;
    *pose = mus_law_is_function(motion) ? obstacle->def.pose : obstacle->pose;
    switch (motion->kind) {
    case MUS_LAW_NONE:
    case MUS_LAW_CONSTANT:
        return MUS_STATUS_OK;
    case MUS_LAW_PROGRAM:
        status = mus_program_move(motion->program, obstacle->name, t, pose);
        break;
    case MUS_LAW_CALLBACK:
        status = motion->callback.motion(motion->user, t, pose);
        break;
    case MUS_LAW_MISSING:
        return mus_obstacle_motion_missing(obstacle);
    }
    if (status != MUS_STATUS_OK) return status;
    double norm2 = 0;
    for (int k = 0; k < 4; k++) norm2 += pose->rotation[k] * pose->rotation[k];
    if (!v3_finite(v3_load(pose->position)) || !isfinite(norm2))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': its motion gives a place that is not finite at t = %g s",
                        obstacle->name, t);
    if (!mus_are_lengths(v3_load(pose->position)))
        return mus_fail(MUS_STATUS_INVALID,
                        "obstacle '%s': its motion gives a place beyond +-%g m at t = %g s (%g, %g, %g); lengths are "
                        "in meters",
                        obstacle->name, MUS_LARGEST_LENGTH, t, pose->position[0], pose->position[1], pose->position[2]);
    if (!(norm2 > 1e-12))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': its motion gives a zero quaternion at t = %g s",
                        obstacle->name, t);
    double scale = 1 / sqrt(norm2);
    for (int k = 0; k < 4; k++) pose->rotation[k] *= scale;
    return MUS_STATUS_OK;
}

void mus_obstacle_place(const mus_obstacle *obstacle, double t, const mus_pose *pose, double *x) {
    m3 rotation = m3_from_quaternion(pose->rotation);
    v3 position = v3_load(pose->position);
    mus_keyframe_blend blend = {.from = {obstacle->local}, .count = 1};
    if (obstacle->keyframes.positions) mus_keyframes_blend_at(&obstacle->keyframes, obstacle->local, t, &blend);
    for (int32_t i = 0; i < obstacle->vertex_count; i++) {
        v3 local = mus_keyframe_blend_vertex(&blend, i);
        v3_store(x + 3 * i, v3_add(m3_mul_v3(&rotation, local), position));
    }
}

void mus_obstacle_plane(const mus_obstacle *obstacle, const mus_pose *pose, v3 *normal, v3 *point) {
    m3 rotation = m3_from_quaternion(pose->rotation);
    *normal = v3_normalized(m3_mul_v3(&rotation, v3_load(obstacle->def.normal)));
    *point = v3_load(pose->position);
}

static mus_status plane_quad(const mus_obstacle *obstacle, mus_mesh **mesh) {
    const double half = 5; /* m: large compared with usual scenes */
    v3 n = v3_normalized(v3_load(obstacle->def.normal));
    v3 other = fabs(n.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 0, 1);
    v3 u = v3_normalized(v3_cross(other, n)), w = v3_cross(n, u); /* u x w = n */
    double vertices[12];
    for (int k = 0; k < 4; k++) {
        double su = k == 1 || k == 2 ? half : -half, sw = k >= 2 ? half : -half;
        v3_store(vertices + 3 * k, v3_add(v3_scale(su, u), v3_scale(sw, w)));
    }
    static const int32_t faces[6] = {0, 1, 2, 0, 2, 3};
    mus_mesh_def def = {
        .cookie = MUS_COOKIE_MESH_DEF, .vertices = vertices, .faces = faces, .vertex_count = 4, .face_count = 2};
    return mus_mesh_create(&def, mesh);
}

static mus_status local_surface(const mus_obstacle *obstacle, mus_mesh **mesh) {
    static const double origin[3] = {0, 0, 0};
    switch (obstacle->def.shape) {
    case MUS_SHAPE_PLANE:
        return plane_quad(obstacle, mesh);
    case MUS_SHAPE_SPHERE:
        return mus_mesh_create_sphere(obstacle->def.radius, 4, origin, mesh);
    case MUS_SHAPE_CAPSULE:
        return mus_mesh_create_capsule(obstacle->def.radius, obstacle->def.length, 48, 12, origin, mesh);
    case MUS_SHAPE_CYLINDER: {
        mus_round_def round = {.cookie = MUS_COOKIE_ROUND_DEF,
                               .radius = obstacle->def.radius,
                               .length = obstacle->def.length,
                               .segments = 64};
        return mus_mesh_create_cylinder(&round, mesh);
    }
    case MUS_SHAPE_BOX:
    case MUS_SHAPE_MESH:
        break;
    }
    mus_mesh_def def = {.cookie = MUS_COOKIE_MESH_DEF,
                        .vertices = obstacle->local,
                        .faces = obstacle->faces,
                        .vertex_count = obstacle->vertex_count,
                        .face_count = obstacle->face_count};
    return mus_mesh_create(&def, mesh);
}

mus_status mus_obstacle_make_surface(mus_obstacle *obstacle, double t) {
    mus_mesh *local = NULL;
    mus_status status = MUS_STATUS_OK;
    if (!obstacle->surface) status = local_surface(obstacle, &obstacle->surface);
    if (status == MUS_STATUS_OK && !obstacle->face_count) status = local_surface(obstacle, &local);
    if (status != MUS_STATUS_OK) return status;
    double *x = mus_mesh_get_vertices(obstacle->surface);
    if (!local) mus_obstacle_place(obstacle, t, &obstacle->pose, x);
    for (int32_t i = 0; local && i < mus_mesh_get_vertex_count(local); i++)
        v3_store(x + 3 * i, mus_pose_apply(&obstacle->pose, v3_load(mus_mesh_get_vertices_const(local) + 3 * i)));
    mus_mesh_destroy(local);
    return MUS_STATUS_OK;
}
