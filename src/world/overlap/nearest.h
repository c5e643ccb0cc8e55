/* nearest.h: the point of a mesh nearest to another point. */
#ifndef MUS_WORLD_OVERLAP_NEAREST_H
#define MUS_WORLD_OVERLAP_NEAREST_H

#include "base/vec.h"
#include "narrow/audit.h"
#include "narrow/audit_tree.h"

typedef struct mus_nearest_point {
    int32_t face; /* -1: none within the bound */
    double weight[3];
    v3 from;          /* m: from the nearest point to p */
    double distance2; /* m^2: its square, or the bound */
} mus_nearest_point;

/* Finds the point of a mesh that is nearest to p, closer than the square root of bound2 (m^2); of equally near faces
 * any fixed one. `tree` is that of the mesh. */
mus_nearest_point mus_nearest_on_mesh(const mus_audit_object *mesh, const mus_audit_tree *tree, v3 p, double bound2);

#endif
