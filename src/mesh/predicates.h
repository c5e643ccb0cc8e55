/* predicates.h: exact signs of orientation determinants, for every finite input (Shewchuk 1997, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates", and an integer sum where his arithmetic would
 * underflow or overflow; predicates.c derives the range). 0 for input that is not finite. */
#ifndef MUS_MESH_PREDICATES_H
#define MUS_MESH_PREDICATES_H

/* Sign of |a-c  b-c|: 1 when a, b, c turn left, 0 when they lie on a line, -1 when they turn right. */
int mus_orient2d(const double a[2], const double b[2], const double c[2]);

/* Sign of |a-d  b-d  c-d|: 1 when d lies below the plane through a, b, c (they turn left seen from above), 0 when the
 * four lie in a plane, -1 when above. */
int mus_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
