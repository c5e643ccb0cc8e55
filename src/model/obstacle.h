/* obstacle.h: objects that cloth collides with: an exact shape or a mesh, fixed, moved by a function, animated, or a
 * rigid body. */
#ifndef MUS_MODEL_OBSTACLE_H
#define MUS_MODEL_OBSTACLE_H

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/topology.h"
#include "model/animation.h"
#include "model/rigid.h"
#include "trace/law.h"

/* Collision geometry in the obstacle's frame. A sphere is one vertex with a radius, a capsule and a cylinder
 * (narrow/cylinder.h) one edge with a radius, a box and a mesh are faces (radius 0), a plane has no vertices. */
typedef struct mus_obstacle {
    char *name;
    mus_obstacle_def def; /* without its pointers */
    double radius;        /* m, of the vertices */
    int32_t vertex_count, face_count;
    double *local; /* vertex_count x 3, in the frame of the pose */
    int32_t *faces;
    mus_topology topology; /* of the faces; empty for exact shapes */

    mus_pose pose; /* now */
    mus_rigid rigid;
    mus_law motion; /* NONE, or a function */
    mus_keyframes keyframes;

    mus_mesh *surface; /* for drawing and writing; made on demand, of a mesh with texture coordinates at the start */
} mus_obstacle;

mus_status mus_obstacle_new(const mus_obstacle_def *def, const char *name, mus_obstacle **obstacle);
void mus_obstacle_free(mus_obstacle *obstacle);

/* The pose at time t. Fails if the motion does, or returns values that are not finite. */
mus_status mus_obstacle_pose_at(const mus_obstacle *obstacle, double t, mus_pose *pose);
/* The error of a motion that is a function of a saved world. */
mus_status mus_obstacle_motion_missing(const mus_obstacle *obstacle);
bool mus_obstacle_moves(const mus_obstacle *obstacle); /* scripted or animated */
static inline bool mus_obstacle_is_dynamic(const mus_obstacle *obstacle) {
    return obstacle->rigid.mass > 0;
}
/* Computes vertices in the world at time t with the given pose; x has vertex_count x 3 numbers. */
void mus_obstacle_place(const mus_obstacle *obstacle, double t, const mus_pose *pose, double *x);
/* The plane's unit normal (out of the solid) and a point on it. */
void mus_obstacle_plane(const mus_obstacle *obstacle, const mus_pose *pose, v3 *normal, v3 *point);
/* The present surface as triangles (see mus_obstacle_get_surface_mesh of muslin.h). */
mus_status mus_obstacle_make_surface(mus_obstacle *obstacle, double t);

v3 mus_pose_apply(const mus_pose *pose, v3 local);
v3 mus_pose_unapply(const mus_pose *pose, v3 world);

#endif
