/* crease.h: plastic bending: angles at rest that change where cloth is bent beyond its elastic range. */
#ifndef MUS_MODEL_CREASE_H
#define MUS_MODEL_CREASE_H

#include "model/cloth.h"

/* Of a hinge or fold, in a cloth whose material has a yield curvature. */
typedef struct mus_crease {
    double flat;     /* rad: the angle at rest of cloth without creases */
    double hardened; /* 1/m: sum of the plastic changes of curvature, without sign */
} mus_crease;

/* Number of hinges or folds of the cloth. */
int32_t mus_cloth_fold_count(const mus_cloth *cloth);
const int32_t *mus_cloth_fold_vertices(const mus_cloth *cloth, int32_t fold); /* four */
/* The hinge or fold of the edge between vertices a and b; -1: there is none. */
int32_t mus_cloth_find_fold(const mus_cloth *cloth, int32_t a, int32_t b);
/* 1 where the normals of its faces are on the side of (x1 - x0) x (x2 - x0) of its vertices, else -1. */
int mus_fold_side(const mus_cloth *cloth, int32_t fold);
/* rad: its angle at rest, and for the cloth at `x` (vertices of the given order), as mus_fold_angle of sheet.h: times
 * mus_fold_side they are positive where the faces turn toward the side of their normals. mus_fold_angle_at returns
 * false for faces without area. */
double mus_fold_rest_angle(const mus_cloth *cloth, int32_t fold);
bool mus_fold_angle_at(const mus_cloth *cloth, int32_t fold, const double *x, double *angle);
/* Sets the angle at rest of a hinge or fold as if it had been made so. Hinges are limited to 126.8 degrees. */
void mus_fold_set_rest_angle(mus_cloth *cloth, int32_t fold, double angle);

/* Allocates the creases of a cloth whose material has a yield curvature; none otherwise. */
mus_status mus_creases_create(mus_cloth *cloth);
/* After a step of dt (s), for the positions of the given cloth: creases recover, then folds beyond their elastic range
 * yield (docs/algorithms.md 4.10). */
void mus_creases_update(mus_cloth *cloth, double dt);
/* Whether a crease has still to recover. */
bool mus_creases_recover(const mus_cloth *cloth);

#endif
