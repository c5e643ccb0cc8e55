/* audit.h: the auditor. */
#ifndef MUSLIN_AUDIT_H
#define MUSLIN_AUDIT_H

#include "file.h"
#include "object.h"
#include "status.h"

#include <stdint.h>

/* What two features do that they must not. */
typedef enum mus_audit_kind {
    MUS_AUDIT_CROSSING,    /* two faces that share no vertex cross */
    MUS_AUDIT_VERTEX_PAIR, /* two faces that share one vertex: an edge opposite it meets the other face */
    MUS_AUDIT_EDGE_PAIR,   /* two faces that share an edge overlap in a plane */
    MUS_AUDIT_INSIDE       /* a cloth vertex or face is inside a closed obstacle or an exact shape */
} mus_audit_kind;

/* One pair of features. */
typedef struct mus_audit_finding {
    mus_audit_kind kind;     /* what was found */
    mus_object_id object[2]; /* mus_world_audit: the objects; mus_parts_audit: none */
    int32_t part[2];         /* mus_parts_audit: index of the parts, which have no handles; mus_world_audit: -1 */
    int32_t face[2]; /* faces of the two; INSIDE: [0] is a vertex and [1] is -1, or [0] is a face and [1] is -2 */
    double depth;    /* INSIDE: m */
} mus_audit_finding;

/* Counts and findings of an audit; mus_audit_report_destroy frees the findings. */
typedef struct mus_audit_report {
    int64_t intersections; /* proper crossings: findings of the first three kinds */
    int64_t inside;        /* features deeper inside an obstacle than the tolerance */
    int64_t touches;       /* touching pairs; no failure */
    int64_t allowed;       /* crossings and features inside with an overlap exemption from the start; no failure */
    int64_t pairs_tested;  /* pairs of features compared with exact predicates */
    double max_depth;      /* m, of any cloth feature or rigid body inside an obstacle, 0 if none */
    mus_audit_finding *findings; /* finding_count, or NULL */
    int64_t finding_count;       /* number of findings */
} mus_audit_report;

/* Audits the present state with exact predicates, independent of the collision detection. Obstacles are not tested
 * against themselves, nor against each other, unless one of the two is dynamic: then as INSIDE (no feature named) or
 * CROSSING (one pair of faces, not all), the rigid body first. `inside_tolerance` in m (1e-4). A
 * finding names a cloth before an obstacle, and of two cloths the one created first. */
MUS_API mus_status mus_world_audit(mus_world *world, double inside_tolerance, mus_audit_report *report);
/* The same for parts of a file; a part named "obstacle:…" is an obstacle, all others are cloth. */
MUS_API mus_status mus_parts_audit(const mus_part *parts, int32_t count, double inside_tolerance,
                                   mus_audit_report *report);
/* Frees the findings; the report itself is the caller's. NULL is allowed. */
MUS_API void mus_audit_report_destroy(mus_audit_report *report);

#endif
