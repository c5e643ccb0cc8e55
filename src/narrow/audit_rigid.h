/* audit_rigid.h: penetration of rigid bodies and other obstacles, for the auditor. */
#ifndef MUS_NARROW_AUDIT_RIGID_H
#define MUS_NARROW_AUDIT_RIGID_H

#include "narrow/audit.h"
#include "narrow/audit_tree.h"

/* Result for two obstacles. */
typedef struct mus_audit_overlap {
    double depth;            /* m, of the deepest point tested; 0: none lies inside */
    int64_t crossings;       /* pairs of faces */
    int32_t face[2];         /* of the first such pair */
    int64_t touches, tested; /* pairs of faces */
} mus_audit_overlap;

/* Objects with faces (meshes, and boxes that come with faces) are tested by faces that cross, and by vertices and face
 * centroids inside the other if that is closed. Round shapes are tested exactly against faces and each other; a round
 * shape inside a closed mesh is found by its center. A plane is tested against the lowest point of the other object.
 * The trees are those of objects with faces. */
mus_status mus_audit_rigid_bodies(const mus_audit_object *a, const mus_audit_tree *tree_a, const mus_audit_object *b,
                                  const mus_audit_tree *tree_b, mus_audit_overlap *overlap);

#endif
