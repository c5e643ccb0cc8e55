/* obstacle.h: obstacles and rigid bodies. */
#ifndef MUSLIN_OBSTACLE_H
#define MUSLIN_OBSTACLE_H

#include "file.h"
#include "look.h"
#include "mesh.h"
#include "object.h"
#include "pose.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* The shape of an obstacle. */
typedef enum mus_shape {
    MUS_SHAPE_MESH,
    MUS_SHAPE_PLANE,  /* half space below a plane through the pose's position */
    MUS_SHAPE_SPHERE, /* exact */
    MUS_SHAPE_BOX,
    MUS_SHAPE_CAPSULE, /* axis y of the pose, exact */
    MUS_SHAPE_CYLINDER /* axis y of the pose, flat ends, exact; not dynamic */
} mus_shape;

/* An obstacle to create: start from mus_obstacle_def_default. */
typedef struct mus_obstacle_def {
    uint32_t cookie;      /* set by the _default() function */
    const char *name;     /* NULL: "obstacle1", … */
    mus_shape shape;      /* decides which of the sizes apply */
    const mus_mesh *mesh; /* MESH: in the pose's frame */
    double radius;        /* SPHERE, CAPSULE, CYLINDER: m, > 0 */
    double length;        /* CAPSULE: m between cap centers, CYLINDER: between its flat ends, > 0 */
    double size[3];       /* BOX: m, > 0 */
    double normal[3];     /* PLANE: out of the solid, in the pose's frame, not zero */
    mus_pose pose;        /* in the world; the identity */
    mus_look look;        /* in pictures; mus_look_default() */
    double thickness;     /* m, >= 0; 0 */
    /* Coefficients of a pair, unless set by mus_world_set_coefficient: */
    double friction;    /* >= 0; 0.3; the geometric mean of its sides' */
    double restitution; /* 0..1; 0; the larger of its sides' */
    /* A rigid body, moved by gravity and contacts. Not a PLANE; a MESH must be closed. Center of mass and inertia
     * are those of uniform density. `thickness` 0: a thousandth of its size. In all pipelines except those with the
     * fail-safe "inelastic_zones". */
    bool dynamic;
    double mass;                /* kg: > 0 when dynamic, else 0 */
    double velocity[3];         /* dynamic: m/s, of the center of mass */
    double angular_velocity[3]; /* dynamic: rad/s, along the world's axes */
    /* Dynamic, in the pose's frame, in place of those of uniform density: the inertia tensor about the center of
     * mass (kg m^2, symmetric, with positive principal moments, none larger than the sum of the others), and the
     * center of mass (m). With both a MESH may be open. */
    bool has_inertia;
    bool has_center_of_mass;  /* whether center_of_mass is given */
    double inertia[3][3];     /* kg m^2, with has_inertia */
    double center_of_mass[3]; /* m, with has_center_of_mass */
} mus_obstacle_def;

/* At rest at the origin, with the values that the fields name; shape and sizes must be set. */
MUS_API mus_obstacle_def mus_obstacle_def_default(void);
/* Adds an obstacle to the world, which copies all that `def` refers to. LOCKED within a step. */
MUS_API mus_status mus_obstacle_create(mus_world *world, const mus_obstacle_def *def, mus_obstacle_id *id);
/* Removes the obstacle; its handle becomes stale. INVALID while cloth is pinned to it, LOCKED within a step. */
MUS_API mus_status mus_obstacle_destroy(mus_world *world, mus_obstacle_id id);
/* False for the handle of a removed obstacle. */
MUS_API bool mus_obstacle_is_valid(const mus_world *world, mus_obstacle_id id);
/* Number of obstacles that the world has now. */
MUS_API int32_t mus_world_get_obstacle_count(const mus_world *world);
/* k-th living obstacle, in order of creation. */
MUS_API mus_obstacle_id mus_world_get_obstacle(const mus_world *world, int32_t k);
/* NULL for a stale handle. */
MUS_API const char *mus_obstacle_get_name(const mus_world *world, mus_obstacle_id id);
MUS_API mus_status mus_obstacle_get_look(const mus_world *world, mus_obstacle_id id, mus_look *look);
MUS_API mus_status mus_obstacle_set_look(mus_world *world, mus_obstacle_id id, const mus_look *look);
/* The present pose. */
MUS_API mus_status mus_obstacle_get_pose(const mus_world *world, mus_obstacle_id id, mus_pose *pose);
/* The definition without its pointers: shape, sizes, surface. */
MUS_API mus_status mus_obstacle_get_def(const mus_world *world, mus_obstacle_id id, mus_obstacle_def *def);

/* Present motion of a rigid body. Velocities are those of the middle of the last step, as for cloth. */
typedef struct mus_rigid_body_motion {
    double mass;                /* kg */
    double center[3];           /* m: center of mass, in the world */
    double velocity[3];         /* m/s, of the center of mass */
    double angular_velocity[3]; /* rad/s */
    double angular_momentum[3]; /* kg m^2/s about the center of mass */
    double inertia[3][3];       /* kg m^2 about the center of mass, along the world's axes, in its present rotation */
} mus_rigid_body_motion;
/* INVALID unless dynamic, as for the next two functions; hooks may call these too, and a step that fails undoes
 * their effect. */
MUS_API mus_status mus_obstacle_get_rigid_body(const mus_world *world, mus_obstacle_id id,
                                               mus_rigid_body_motion *motion);
/* NULL: unchanged. */
MUS_API mus_status mus_obstacle_set_velocity(mus_world *world, mus_obstacle_id id, const double velocity[3],
                                             const double angular_velocity[3]);
/* N s, at a point of the world (m; NULL: at the center of mass). */
MUS_API mus_status mus_obstacle_apply_impulse(mus_world *world, mus_obstacle_id id, const double impulse[3],
                                              const double at[3]);

/* Scripted motion: writes the pose at time t to `pose` (on entry the pose at rest). Its value at the world's present
 * time must be the present pose within 1e-9 m, else INVALID. motion NULL: fixed again, at its present pose. Not for
 * rigid bodies. */
typedef mus_status (*mus_motion_fn)(void *user, double t, mus_pose *pose);
/* Moves the obstacle by a function of time; `user` must live as long as the world. */
MUS_API mus_status mus_obstacle_set_motion(mus_world *world, mus_obstacle_id id, mus_motion_fn motion, void *user);
/* Positions of a vertex between two frames. */
typedef enum mus_interpolation {
    MUS_INTERPOLATION_LINEAR, /* velocities jump at the frames */
    MUS_INTERPOLATION_SMOOTH, /* Catmull-Rom splines: velocities are continuous, and zero where the motion begins and
                               * ends; may overshoot frames by a share of their distance */
    MUS_INTERPOLATION_COUNT
} mus_interpolation;
/* Vertices that follow the frames of a cache. Each step moves them on a straight line from its start to its end. */
typedef struct mus_animation {
    uint32_t cookie;              /* set by the _default() function */
    const mus_point_cache *cache; /* in the pose's frame; copied */
    double interval;              /* s between frames, > 0 */
    double start; /* s, world time of the first frame, which is shown before it too. May be in the past */
    /* s before `start`, >= 0, in which the vertices move from those of the mesh, which are shown before, to the first
     * frame, beginning and ending without velocity; 0: none */
    double lead_in;
    mus_interpolation interpolation;
    bool loop; /* repeats: the first frame again `interval` after the last; false: stays at the last frame */
} mus_animation;
/* From time 0, without repetition; cache and interval must be set. */
MUS_API mus_animation mus_animation_default(void);
/* MESH only, with as many vertices as the cache. Scripted: contacts do not affect it, and continuous collision
 * detection uses the motion of every vertex. Replaces an earlier animation; the mesh takes the positions of the
 * present time at once. */
MUS_API mus_status mus_obstacle_set_animation(mus_world *world, mus_obstacle_id id, const mus_animation *animation);
/* The obstacle as triangles at its present place: a PLANE as a quad, SPHERE and CAPSULE as fine inscribed meshes. Valid
 * until its removal; the next call for it moves the vertices to the place of that time. NULL for a stale handle, or
 * without memory. */
MUS_API const mus_mesh *mus_obstacle_get_surface_mesh(mus_world *world, mus_obstacle_id id);

#endif
