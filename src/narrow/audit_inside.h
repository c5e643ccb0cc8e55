/* audit_inside.h: the depth of cloth inside obstacles, for the auditor. */
#ifndef MUS_NARROW_AUDIT_INSIDE_H
#define MUS_NARROW_AUDIT_INSIDE_H

#include "base/vec.h"
#include "narrow/audit.h"
#include "narrow/audit_tree.h"

typedef enum mus_solidity {
    MUS_SOLIDITY_OPEN,    /* some edge has an odd number of faces: no inside */
    MUS_SOLIDITY_PARITY,  /* closed, faces not consistently oriented */
    MUS_SOLIDITY_WINDING, /* closed and oriented: every edge is used equally often in both directions */
} mus_solidity;

/* Classifies a mesh by its edges. */
mus_status mus_audit_solidity(const mus_audit_object *mesh, mus_solidity *solidity);

/* Returns whether p lies inside a closed mesh; its surface counts as outside. Exact. */
bool mus_audit_inside_mesh(const mus_audit_object *mesh, const mus_audit_tree *tree, mus_solidity solidity,
                           const double p[3]);
/* Distance from p to the nearest face (m). */
double mus_audit_depth_in_mesh(const mus_audit_object *mesh, const mus_audit_tree *tree, const double p[3]);

/* An exact shape, prepared for depth queries. */
typedef struct mus_audit_solid {
    mus_shape shape;
    v3 place;
    m3 axes; /* rows: the shape's axes in the world */
    v3 half; /* BOX: half sizes */
    v3 normal;
    double radius, half_length; /* m; half_length: of the axis of a capsule or cylinder */
} mus_audit_solid;

mus_audit_solid mus_audit_solid_make(const mus_audit_object *object);
/* Depth of a point, or of the deepest point of a face (m): positive inside. Where the deepest point lies outside, any
 * negative number. */
double mus_audit_depth_of_point(const mus_audit_solid *solid, const double p[3]);
double mus_audit_depth_of_face(const mus_audit_solid *solid, const double a[3], const double b[3], const double c[3]);

#endif
