/* audit.h: the auditor's interface for the world: tests positions of cloth against itself, other cloth and obstacles.
 * It shares no code with the broad phases or continuous collision detection. */
#ifndef MUS_NARROW_AUDIT_H
#define MUS_NARROW_AUDIT_H

#include "muslin/audit.h"
#include "muslin/obstacle.h"

/* One object at its current position. Cloth is always a mesh. */
typedef struct mus_audit_object {
    const char *name;       /* for messages; NULL: the object's number, from 1 */
    bool cloth;             /* else an obstacle */
    bool dynamic;           /* an obstacle that is a rigid body: tested against other obstacles too */
    mus_shape shape;        /* MESH: the arrays; otherwise the exact shape below */
    const double *vertices; /* MESH, and BOX that a rigid body may touch: positions in the world */
    const int32_t *faces;
    int32_t vertex_count, face_count;
    mus_pose pose;    /* exact shapes only, like the sizes below: meanings as in mus_obstacle_def */
    double radius;    /* SPHERE, CAPSULE, CYLINDER */
    double length;    /* CAPSULE: between cap centers, CYLINDER: between its ends; along y of the pose */
    double size[3];   /* BOX: edge lengths, centered at the pose */
    double normal[3]; /* PLANE: out of the solid, in the pose's frame, any length > 0 */
} mus_audit_object;

/* Returns true if objects a and b (indices; a == b: one object with itself) must not be tested against each other. */
typedef bool (*mus_audit_ignored)(const void *user, int32_t a, int32_t b);

/* Fills `report` (findings from muslin's allocator, freed by mus_audit_report_destroy). `ignored` may be NULL.
 * Findings name objects by `part`, their index in `objects`.
 *
 * - Crossing: the interiors of two faces cross: on the line common to their planes they share more than a point, and
 *   each has corners strictly on both sides of the other. Faces that share one vertex likewise, apart from it.
 * - Overlap: two faces share an edge, are folded onto each other, and are exactly coplanar.
 * - Touch: any other common point (an edge lying in a face, edges that meet, an overlap in a plane of faces that do not
 *   share an edge). Counted in `touches`; no finding.
 * - Inside: a cloth vertex is deeper than the tolerance inside an obstacle that is an exact shape or a closed mesh (by
 *   winding number, or by parity where its faces are not consistently oriented); or some point of a face, none of whose
 *   vertices is that deep, is that deep inside an exact shape. An open mesh has no inside.
 * - Rigid bodies are tested against planes by their lowest point, and against every other obstacle: faces that cross,
 *   vertices and faces inside, round shapes whose axes are nearer than their radii. Where vertices are inside by at
 *   most the tolerance and 1e-9 m, faces that cross there are ignored too. Two obstacles of which none is a rigid
 *   body are not tested.
 *
 * Runs on up to `threads` threads; the report is the same for any number. Fails with NO_MEMORY, or with INVALID, naming
 * the object, for a vertex that is not finite or an index out of range; the report is then empty. */
mus_status mus_audit_scene(const mus_audit_object *objects, int32_t count, mus_audit_ignored ignored, const void *user,
                           double inside_tolerance, int threads, mus_audit_report *report);

#endif
