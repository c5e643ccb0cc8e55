/* classic.h: responses of the classic pipelines: how a contact changes positions and velocities of its vertices. One
 * constant per stage, named in stages.inc. */
#ifndef MUS_RESPONSE_CLASSIC_H
#define MUS_RESPONSE_CLASSIC_H

#include "dynamics/strain_limit.h"
#include "response/contact_constraints.h"

/* Inputs of a response. */
typedef struct mus_response_context {
    mus_assembly *assembly; /* x1, and of cloth v1 */
    double dt;              /* s */
    int round;              /* detection and response round of this step, from 0 */
    int again;              /* additional passes over the constraints of this round */
    bool settled;           /* rigid bodies are placed: only cloth moves, and their impulses are deferred */
    /* Of cloth vertices: unit, away from an immovable support; 0: no support. NULL: for all vertices. */
    const v3 *support;
    int32_t *responded; /* with first_hit_only: of a vertex, whether it has responded in this pass; else NULL */
    double min_gap;     /* m: minimum gap of this contact in the elementary test; 0: none */
    mus_moved moved;    /* called for every vertex whose x1 has changed */
    void *moved_context;
} mus_response_context;

typedef void mus_response_rule(const mus_response_context *context, mus_contact_constraint *constraint);

typedef struct mus_classic_response {
    const char *name;
    int rounds;        /* of detection and response, at most; then the fail-safe */
    bool strain_last;  /* limit strain after the rounds, without detection afterwards; else before and between them */
    int strain_rounds; /* unless strain_last: number of rounds that start with strain limiting */
    bool retests;      /* before each response, test whether earlier responses of the round have separated the pair */
    /* Responses displace pairs: at the end of the step, their separating speed is limited to the restitution's share of
     * the approach or to the recovery speed (mus_contacts_apply_restitution). */
    bool recovers;
    bool first_hit_only;      /* a cloth vertex responds once per round, to hits with planes and exact shapes last */
    bool bare;                /* no friction, no restitution */
    mus_response_rule *repel; /* for pairs that are near at the start of the step; NULL: none */
    int repel_again;          /* additional passes of `repel`: cloth on a support would sink into it with one */
    mus_response_rule *resolve_hit; /* for hits of the elementary test */
} mus_classic_response;

/* provot.c: PRO eq. 4. One round. */
extern const mus_classic_response mus_response_provot;
/* bridson.c: BRI 2.2-2.4 as written; and in an order that ends with detection. */
extern const mus_classic_response mus_response_bridson_source, mus_response_bridson_tested;

/* bigliani.c: BIG 11-17, with Coulomb's or a viscous friction, back to the start of the step or to Q. One round. */
extern const mus_classic_response mus_response_bigliani, mus_response_bigliani_viscous, mus_response_bigliani_at_q;
/* aabb.c: AAB 6, out along the normal or along the ray. One round. */
extern const mus_classic_response mus_response_aabb, mus_response_aabb_ray;
/* jung.c: JUN 3.3: one round of penalty forces, then up to 19 of geometric correction. */
extern const mus_classic_response mus_response_jung;

/* Applies the response to a contact constraint. */
void mus_response_apply(const mus_response_context *context, mus_contact_constraint *constraint,
                        mus_response_rule *rule);

/* ---- for responses ---- */

/* Displacement (m) of side A relative to side B over the step at the contact; velocities are computed from it. */
v3 mus_response_slip(const mus_response_context *context, const mus_contact_constraint *constraint);
/* Motion (m) over the step of the obstacle's surface at a contact of cloth with an obstacle. */
v3 mus_response_surface_motion(const mus_response_context *context, const mus_contact_constraint *constraint);
/* Motion (m) over the step of the frame of PRO eq. 4: of the center of mass of the vertices involved, to which a
 * rigid body adds its effective mass; in a contact with any other obstacle, of its surface. And the normal there, of
 * either sign, at the start of the step. */
v3 mus_response_frame(const mus_response_context *context, const mus_contact_constraint *constraint);
v3 mus_response_normal(const mus_assembly *a, const mus_contact_constraint *constraint);
/* Changes the displacement of a cloth vertex by `by` (m) and its velocity by `by` / dt. Records the impulse; a rigid
 * body on the other side receives the opposite. */
void mus_response_move_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner,
                              v3 by);
/* Sets position (m) and velocity (m/s) of a cloth vertex at the end of the step independently. The change of velocity
 * is recorded as the impulse on its side. */
void mus_response_set_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner, v3 x,
                             v3 v);
/* As mus_response_move_vertex, for all four vertices, by an impulse times dt (kg m) on side A distributed by the
 * weights, and its opposite on side B. */
void mus_response_apply_impulse(const mus_response_context *context, mus_contact_constraint *constraint, v3 impulse);
/* As mus_response_apply_impulse, by an impulse that separates the sides by `change` (m) over the step, with Coulomb
 * friction. */
void mus_response_separate(const mus_response_context *context, mus_contact_constraint *constraint, double change);
/* Applies the opposite of an impulse times dt on a pinned corner to a rigid body on the other side. */
void mus_response_apply_pin_reaction(const mus_response_context *context, mus_contact_constraint *constraint,
                                     int corner, v3 impulse);
/* In contacts with pinned vertices: stops the approach of a rigid body that a per-vertex rule has left. */
void mus_response_stop_rigid_body(const mus_response_context *context, mus_contact_constraint *constraint);

#endif
