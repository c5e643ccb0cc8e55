/* snapshot_obstacle.c: the structure of an obstacle: its definition, its mesh and the frames that move it. */
#include "base/cookie.h"
#include "world/slots.h"
#include "world/snapshot.h"

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(mus_obstacle_def) == 440 && sizeof(mus_keyframes) == 48, "a field came or went: archive it here");
#endif

static const double largest = MUS_LARGEST_VALUE;

static void obstacle_def(mus_archive *a, mus_obstacle_def *d) {
    int32_t shape = (int32_t)d->shape;
    mus_archive_i32(a, "the shape", &shape, 1);
    if (shape < MUS_SHAPE_MESH || shape > MUS_SHAPE_CYLINDER) mus_archive_refuse(a, "an obstacle has an unknown shape");
    d->shape = (mus_shape)shape;
    mus_archive_f64(a, "radius", &d->radius, 1);
    mus_archive_f64(a, "length", &d->length, 1);
    mus_archive_f64(a, "size", d->size, 3);
    mus_archive_f64(a, "normal", d->normal, 3);
    mus_archive_f64(a, "the position at the start", d->pose.position, 3);
    mus_archive_f64(a, "the rotation at the start", d->pose.rotation, 4);
    mus_archive_f64(a, "thickness", &d->thickness, 1);
    mus_archive_f64(a, "friction", &d->friction, 1);
    mus_archive_f64(a, "restitution", &d->restitution, 1);
    mus_archive_flag(a, "whether it is dynamic", &d->dynamic);
    mus_archive_f64(a, "mass", &d->mass, 1);
    mus_archive_f64(a, "the velocity at the start", d->velocity, 3);
    mus_archive_f64(a, "the angular velocity at the start", d->angular_velocity, 3);
    mus_archive_flag(a, "whether its inertia is given", &d->has_inertia);
    mus_archive_f64(a, "its inertia", d->inertia[0], 9);
    mus_archive_flag(a, "whether its center of mass is given", &d->has_center_of_mass);
    mus_archive_f64(a, "its center of mass", d->center_of_mass, 3);
}

/* Animated vertices: frames of vertex_count x 3. */
static void keyframes(mus_archive *a, mus_obstacle *o) {
    mus_keyframes *k = &o->keyframes;
    int64_t count = k->positions ? k->count : 0, each = 3 * (int64_t)o->vertex_count;
    mus_archive_count(a, "the number of animated frames", &count, 8 * (size_t)each);
    if (count == 0 || !mus_archive_is_ok(a)) return;
    if (count > INT32_MAX) mus_archive_refuse(a, "too many animated frames");
    if (o->def.shape != MUS_SHAPE_MESH || mus_obstacle_is_dynamic(o))
        mus_archive_refuse(a, "an animated obstacle is not a mesh, or is a rigid body");
    if (mus_archive_is_reading(a)) k->positions = mus_archive_new(a, sizeof(double) * (size_t)(count * each));
    if (!mus_archive_is_ok(a)) return;
    k->count = (int32_t)count, k->vertex_count = o->vertex_count;
    int32_t interpolation = (int32_t)k->interpolation;
    mus_archive_f64(a, "a position of the animated frames", k->positions, count * each);
    mus_archive_f64(a, "the time between animated frames", &k->interval, 1);
    mus_archive_f64(a, "the start of the animation", &k->start, 1);
    mus_archive_f64(a, "the lead-in of the animation", &k->lead_in, 1);
    mus_archive_i32(a, "the interpolation between animated frames", &interpolation, 1);
    mus_archive_flag(a, "whether the animation repeats", &k->loop);
    mus_archive_within(a, "a position of the animated frames", k->positions, count * each, -MUS_LARGEST_LENGTH,
                       MUS_LARGEST_LENGTH);
    mus_archive_within(a, "the time between animated frames", &k->interval, 1, 1 / largest, largest);
    mus_archive_within(a, "the start of the animation", &k->start, 1, -largest, largest);
    mus_archive_within(a, "the lead-in of the animation", &k->lead_in, 1, 0, largest);
    if (interpolation < 0 || interpolation >= MUS_INTERPOLATION_COUNT)
        mus_archive_refuse(a, "the interpolation between animated frames does not exist");
    k->interpolation = (mus_interpolation)interpolation;
}

static mus_obstacle *make_obstacle(mus_archive *a, const mus_world *world, const mus_obstacle *like,
                                   const int32_t *corners, double *local) {
    mus_obstacle_def def = like->def;
    mus_mesh *mesh = NULL;
    mus_obstacle *made = NULL;
    def.cookie = MUS_COOKIE_OBSTACLE_DEF;
    if (def.shape == MUS_SHAPE_MESH) {
        mus_mesh_def shape = mus_mesh_def_default();
        shape.vertices = local, shape.faces = corners;
        shape.vertex_count = like->vertex_count, shape.face_count = like->face_count;
        mus_archive_check(a, mus_mesh_create(&shape, &mesh));
        def.mesh = mesh;
    }
    if (mus_archive_is_ok(a) && (!like->name || !like->name[0] || mus_world_has_name(world, like->name)))
        mus_archive_refuse(a, "an obstacle has no name, or that of another object");
    if (mus_archive_is_ok(a)) mus_archive_check(a, mus_obstacle_check(&def));
    if (mus_archive_is_ok(a)) mus_archive_check(a, mus_obstacle_new(&def, like->name, &made));
    mus_mesh_destroy(mesh);
    return made;
}

void mus_world_obstacle(mus_archive *a, mus_world *world, int64_t index) {
    mus_obstacle *present =
        mus_archive_is_reading(a) ? NULL : world->obstacles.data[world->obstacle_order.data[index]].object;
    mus_obstacle like = present ? *present : (mus_obstacle){0};
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "an obstacle's name", &like.name);
    mus_archive_owner(a, "obstacle", like.name ? like.name : "");
    obstacle_def(a, &like.def);
    bool mesh = like.def.shape == MUS_SHAPE_MESH, moves = mus_law_is_function(&like.motion);
    int32_t *corners = NULL;
    double *local = NULL;
    if (mesh && mus_archive_is_ok(a)) {
        corners = mus_world_faces(a, &like.vertex_count, &like.face_count, like.faces);
        local = mus_archive_is_reading(a) ? mus_archive_new(a, sizeof(double) * 3 * (size_t)like.vertex_count) : NULL;
        if (mus_archive_is_ok(a))
            mus_archive_f64(a, "a vertex", mus_archive_is_reading(a) ? local : like.local,
                            3 * (int64_t)like.vertex_count);
    }
    mus_archive_flag(a, "whether a function moves it", &moves);
    mus_obstacle *made =
        mus_archive_is_reading(a) && mus_archive_is_ok(a) ? make_obstacle(a, world, &like, corners, local) : NULL;
    if (made && moves && mus_obstacle_is_dynamic(made)) mus_archive_refuse(a, "a rigid body is moved by a function");
    if (made && moves) made->motion = mus_law_missing(), world->incomplete = true;
    if (made || present) keyframes(a, made ? made : present);
    uint32_t slot, generation;
    if (made && (!mus_archive_is_ok(a) ||
                 !mus_slots_add(&world->obstacles, &world->obstacle_order, made, &slot, &generation))) {
        if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
        mus_obstacle_free(made);
    }
    if (mus_archive_is_reading(a)) mus_free(like.name);
    mus_free(corners);
    mus_free(local);
}
