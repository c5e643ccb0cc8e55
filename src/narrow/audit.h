/* audit.h: the auditor's entry for the world: judges positions, cloth against itself, other cloth and obstacles. Its
 * own code path: nothing of the broad phases or the continuous detection is used. */
#ifndef MUS_NARROW_AUDIT_H
#define MUS_NARROW_AUDIT_H

#include "muslin.h"

/* One object as it stands. Cloth is always a mesh. */
typedef struct mus_audit_object {
    const char *name;       /* for messages; NULL: its number, from 1 */
    bool cloth;             /* else an obstacle */
    bool dynamic;           /* an obstacle that is a rigid body, and must not be in other obstacles either */
    mus_shape shape;        /* MESH: the arrays; otherwise the exact shape below */
    const double *vertices; /* MESH, BOX beside a dynamic body: at their present place in the world */
    const int32_t *faces;
    int32_t vertex_count, face_count;
    mus_pose pose;    /* exact shapes only, as are the sizes: meanings as in mus_obstacle_def */
    double radius;    /* SPHERE, CAPSULE, CYLINDER */
    double length;    /* CAPSULE: between cap centres, CYLINDER: between its ends; axis y of the pose */
    double size[3];   /* BOX: edge lengths, centred at the pose */
    double normal[3]; /* PLANE: out of the solid, in the pose's frame, any length > 0 */
} mus_audit_object;

/* Whether objects a and b (indices; a == b: the object with itself) are not to be judged against each other. */
typedef bool (*mus_audit_ignored)(const void *user, int32_t a, int32_t b);

/* Fills `report` (findings from muslin's allocator, freed by mus_audit_report_destroy). `ignored` may be NULL.
 * Findings name objects by their index in `objects`. What counts:
 *
 *   crossing   the insides of two faces cross: on the line common to their planes they share more than a point, and
 * each has corners strictly on both sides of the other. Faces that share one vertex likewise, apart from it. overlap
 * faces that share an edge, are folded onto each other, and lie in one plane exactly. touch      any other common point
 * (an edge lying in a face, edges that meet, an overlap in a plane of faces that do not share an edge): counted in
 * `touches`, no finding. inside     a cloth vertex deeper than the tolerance inside an obstacle that is a closed mesh
 * (by winding number, or parity where its faces are not consistently oriented) or an exact shape; or a face none of
 * whose vertices is that deep, but some other point, inside an exact shape. An open mesh has no inside.
 * A dynamic body likewise, by its lowest point, inside a plane; and against every other obstacle: faces that cross,
 * vertices and faces inside, round shapes whose axes are nearer than their radii. Where vertices are inside by no more
 * than the tolerance, but 1e-9 m at most, faces that cross there are passed over too. Obstacles of which none is
 * dynamic are not judged.
 *
 * On up to `threads` threads, with the same report on any number. Fails with NO_MEMORY, or INVALID naming the object
 * for a non-finite vertex or an index out of range; the report is then empty. */
mus_status mus_audit_scene(const mus_audit_object *objects, int32_t count, mus_audit_ignored ignored, const void *user,
                           double inside_tolerance, int threads, mus_audit_report *report);

#endif
