/* audit_rigid.h: how far rigid bodies lie in other obstacles, for the auditor. */
#ifndef MUS_NARROW_AUDIT_RIGID_H
#define MUS_NARROW_AUDIT_RIGID_H

#include "narrow/audit.h"
#include "narrow/audit_tree.h"

/* Of two obstacles. */
typedef struct mus_audit_overlap {
    double depth;            /* m: of the deepest point that is looked at; 0: none lies inside */
    int64_t crossings;       /* pairs of faces */
    int32_t face[2];         /* of the first such pair */
    int64_t touches, tested; /* of faces too */
} mus_audit_overlap;

/* Meshes, and boxes that come with their faces, by these: faces that cross, corners inside what is closed. Round shapes
 * against faces and each other exactly; a round one that a closed mesh swallows by its middle. A plane by the lowest
 * point of the other. Trees are those of objects with faces. */
mus_status mus_audit_rigid_bodies(const mus_audit_object *a, const mus_audit_tree *tree_a, const mus_audit_object *b,
                                  const mus_audit_tree *tree_b, mus_audit_overlap *overlap);

#endif
