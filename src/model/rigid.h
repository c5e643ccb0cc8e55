/* rigid.h: rigid bodies: mass, center and inertia of a solid of uniform density, and its free motion over a step. */
#ifndef MUS_MODEL_RIGID_H
#define MUS_MODEL_RIGID_H

#include "base/vec.h"
#include "muslin/obstacle.h"

typedef struct mus_rigid {
    double mass;                 /* kg; 0: not a rigid body */
    v3 center;                   /* m: of mass, in the frame of the pose */
    m3 inertia, inverse_inertia; /* kg m^2 about the center, in that frame; and its inverse */
    /* State. Momenta, since free motion conserves these. */
    v3 v;               /* m/s, of the center */
    v3 momentum;        /* kg m^2/s: angular momentum about the center */
    double previous_dt; /* s: of the step at whose middle v is, see dynamics.h; 0: v is of the present time */
    mus_pose reference; /* from which motion is measured: world/sleep.c */
} mus_rigid;

/* Volume, first and second moments (int x, int x x^T) of a solid: shapes exactly, meshes as sums over the tetrahedra
 * from one point to the faces (Mirtich 1996, Eberly 2002; the formula for a tetrahedron is elementary). */
typedef struct mus_moments {
    double volume; /* m^3 */
    v3 first;      /* m^4 */
    m3 second;     /* m^5 */
} mus_moments;
mus_moments mus_moments_of_mesh(const double *vertices, const int32_t *faces, int32_t face_count);

/* Mass properties of the definition of a rigid body (else all zero), and its state at the start. `local` and `faces`:
 * of a mesh or box. INVALID reports the defect of a mesh: open, faces of both orientations, no volume. */
mus_status mus_rigid_make(const mus_obstacle_def *def, const char *name, const double *local, int32_t vertex_count,
                          const int32_t *faces, int32_t face_count, mus_rigid *rigid);

v3 mus_rigid_center(const mus_rigid *rigid, const mus_pose *pose);      /* in the world */
m3 mus_rigid_inertia(const mus_rigid *rigid, const double rotation[4]); /* in the world, as are the next */
m3 mus_rigid_inverse_inertia(const mus_rigid *rigid, const double rotation[4]);

/* Free motion over dt at velocity v with angular momentum L: the pose at the end, and the turn (rad, axis times angle).
 * The angular velocity is that of the middle of the turn (the implicit midpoint rule; Krysl & Endres 2005): L is
 * conserved exactly, the rotational energy to second order without drift. */
void mus_rigid_advance(const mus_rigid *rigid, const mus_pose *from, v3 v, v3 momentum, double dt, mus_pose *to,
                       v3 *turn);

/* A pose turned about a point, and shifted: turn is rad, axis times angle. from == to is allowed. */
void mus_pose_move(const mus_pose *from, v3 about, v3 shift, v3 turn, mus_pose *to);

/* A rigid body during one attempt at a step. */
typedef struct mus_rigid_step {
    const mus_rigid *of;
    v3 v0, v1, momentum0, momentum1;
    v3 center0; /* at the start, in the world, as is the next */
    m3 inverse_inertia;
    v3 turn;                    /* rad: of its placement over the step */
    v3 linear, angular;         /* impulses since its placement, times dt, kg m and kg m^2 */
    v3 shift, turned;           /* m, rad: motion by these impulses, relative to its placement */
    v3 seen_shift, seen_turned; /* their values at the last check for changes */
    v3 zone_v, zone_momentum;   /* at the end, before a rigid zone moves it with others */
} mus_rigid_step;

#endif
