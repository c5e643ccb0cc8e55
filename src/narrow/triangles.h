/* triangles.h: exact intersection tests of two faces by orientation signs alone, for the auditor. */
#ifndef MUS_NARROW_TRIANGLES_H
#define MUS_NARROW_TRIANGLES_H

#include <stdbool.h>

typedef enum mus_triangle_intersection {
    MUS_INTERSECTION_NONE,
    MUS_INTERSECTION_CROSSING,
    MUS_INTERSECTION_TOUCH
} mus_triangle_intersection;

/* Faces without a common vertex. CROSSING: their interiors cross (planes not parallel, more than a point in common,
 * each strictly on both sides of the other). TOUCH: any other common point. A face of zero area counts as its edges;
 * two such faces never intersect. */
mus_triangle_intersection mus_triangles_intersect(const double *const a[3], const double *const b[3]);

/* Intersection, apart from v, of faces v a0 a1 and v b0 b1 with a common vertex. */
mus_triangle_intersection mus_triangles_intersect_at_vertex(const double *v, const double *a0, const double *a1,
                                                            const double *b0, const double *b1);

/* Returns whether faces v w a and v w b with a common edge are folded onto each other in one plane. */
bool mus_triangles_overlap_at_edge(const double *v, const double *w, const double *a, const double *b);

#endif
