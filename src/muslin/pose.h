/* pose.h: a rigid placement. */
#ifndef MUSLIN_POSE_H
#define MUSLIN_POSE_H

#include "status.h"

/* A rigid placement: x -> rotation * x + position. `rotation` is a unit quaternion {w, x, y, z}. */
typedef struct mus_pose {
    double position[3]; /* m */
    double rotation[4]; /* w, x, y, z */
} mus_pose;
/* At the origin, without rotation. */
MUS_API mus_pose mus_pose_identity(void);

#endif
