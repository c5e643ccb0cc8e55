/* triangles.h: do two faces meet? Exact answers from orientation signs alone, for the auditor. */
#ifndef MUS_NARROW_TRIANGLES_H
#define MUS_NARROW_TRIANGLES_H

#include <stdbool.h>

typedef enum mus_triangle_intersection {
    MUS_INTERSECTION_NONE,
    MUS_INTERSECTION_CROSSING,
    MUS_INTERSECTION_TOUCH
} mus_triangle_intersection;

/* Faces without a common vertex. CROSSING: their insides cross (planes not parallel, more than a point in common, each
 * strictly on both sides of the other). TOUCH: any other common point. A face of zero area counts as its edges; two
 * such are never found to meet. */
mus_triangle_intersection mus_triangles_intersect(const double *const a[3], const double *const b[3]);

/* Faces v a0 a1 and v b0 b1 with a common vertex: what they share apart from v. */
mus_triangle_intersection mus_triangles_intersect_at_vertex(const double *v, const double *a0, const double *a1,
                                                            const double *b0, const double *b1);

/* Faces v w a and v w b with a common edge: whether they lie folded onto each other in one plane. */
bool mus_triangles_overlap_at_edge(const double *v, const double *w, const double *a, const double *b);

#endif
