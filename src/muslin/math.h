/* math.h: elementary functions with the same bits on every machine.
 *
 * Not part of muslin.h. For callbacks and laws whose results must not depend on the C library. */
#ifndef MUSLIN_MATH_H
#define MUSLIN_MATH_H

#include "status.h"

/* sin, cos, exp, log, pow, acos, atan2 with fixed operations: the same bits on every machine. */
MUS_API double mus_sin(double x);
/* Cosine. */
MUS_API double mus_cos(double x);
/* Tangent. */
MUS_API double mus_tan(double x);
/* e to the power of x. */
MUS_API double mus_exp(double x);
/* Natural logarithm. */
MUS_API double mus_log(double x);
/* x to the power of y. */
MUS_API double mus_pow(double x, double y);
/* Arc cosine, 0..pi. */
MUS_API double mus_acos(double x);
/* Arc sine, -pi/2..pi/2. */
MUS_API double mus_asin(double x);
/* Angle of (x, y), -pi..pi. */
MUS_API double mus_atan2(double y, double x);

/* In [-1, 1): the random number of the integer point (x, y, z) for an integer `seed`, as MUS_OP_LATTICE. */
MUS_API double mus_lattice(double x, double y, double z, double seed);

#endif
