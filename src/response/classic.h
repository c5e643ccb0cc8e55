/* classic.h: responses of the classic pipelines: what a contact does to positions and velocities of its vertices. One
 * object a stage, named in stages.inc. */
#ifndef MUS_RESPONSE_CLASSIC_H
#define MUS_RESPONSE_CLASSIC_H

#include "dynamics/strain_limit.h"
#include "response/contact_constraints.h"

/* What answers work on. */
typedef struct mus_response_context {
    mus_assembly *assembly; /* x1, and of cloth v1 */
    double dt;              /* s */
    int round;              /* of this step, from 0 */
    int again;              /* so often more the rows of this round are gone over */
    bool settled;           /* rigid bodies are placed: cloth gives way to them, and they owe it their part */
    /* Of cloth vertices: unit, away from what bears them and cannot give way; 0: nothing. NULL: of all. */
    const v3 *support;
    double min_gap;  /* m: gap that the elementary test keeps to for this contact; 0: it keeps none */
    mus_moved moved; /* told of every vertex whose x1 has changed */
    void *moved_context;
} mus_response_context;

typedef void mus_response_rule(const mus_response_context *context, mus_contact_constraint *constraint);

typedef struct mus_classic_response {
    const char *name;
    int rounds;       /* of detection and response, at most; then the fail-safe */
    bool strain_last; /* edges are drawn back after the rounds, which is not detected again; else before, and between */
    int strain_rounds; /* else: rounds that start with it */
    bool asks_again;   /* before each answer, whether those before it in the round have parted the pair */
    /* Answers put pairs apart: in the end those leave with their restitution's share of the approach, or no faster than
     * a gap recovers (mus_contacts_apply_restitution). */
    bool recovers;
    bool bare;                      /* knows neither friction nor restitution */
    mus_response_rule *repel;       /* what is near at the start of the step; NULL: nothing */
    int repel_again;                /* so often more: else what lies on something sinks into it as it is stopped */
    mus_response_rule *resolve_hit; /* what the elementary test has found */
} mus_classic_response;

/* provot.c: PRO eq. 4. One round. */
extern const mus_classic_response mus_response_provot;
/* bridson.c: BRI 2.2-2.4 as written, and in an order in which detection has the last word. */
extern const mus_classic_response mus_response_bridson_source, mus_response_bridson_tested;

/* bigliani.c: BIG 11-17, with Coulomb's or a viscous friction, back to the start of the step or to Q. One round. */
extern const mus_classic_response mus_response_bigliani, mus_response_bigliani_viscous, mus_response_bigliani_at_q;
/* aabb.c: AAB 6, out along the normal or along the ray. One round. */
extern const mus_classic_response mus_response_aabb, mus_response_aabb_ray;
/* jung.c: JUN 3.3: a round of penalty, then up to 19 of geometry. */
extern const mus_classic_response mus_response_jung;

/* Answers a row. */
void mus_response_apply(const mus_response_context *context, mus_contact_constraint *constraint,
                        mus_response_rule *rule);

/* ---- for answers ---- */

/* Displacement of side A against side B over the step at the contact, m: what velocities are read from. */
v3 mus_response_slip(const mus_response_context *context, const mus_contact_constraint *constraint);
/* Motion over the step, m, of the obstacle's surface at a contact of cloth with an obstacle. */
v3 mus_response_surface_motion(const mus_response_context *context, const mus_contact_constraint *constraint);
/* Motion over the step, m, of the frame that PRO eq. 4 is written in: of the centre of mass of the vertices involved,
 * to which a rigid body adds its effective mass, in a contact with another obstacle of its surface; and the normal
 * there, of either sign, at the start of the step. */
v3 mus_response_frame(const mus_response_context *context, const mus_contact_constraint *constraint);
v3 mus_response_normal(const mus_assembly *a, const mus_contact_constraint *constraint);
/* Changes a cloth vertex' displacement by `by` (m), and its velocity by that over dt; and books what it gave to its
 * side, the opposite of which a rigid body takes that is the other. */
void mus_response_move_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner,
                              v3 by);
/* A cloth vertex' place at the end of the step (m) and its velocity (m/s), by themselves; the change of velocity is
 * booked as what its side was given. */
void mus_response_set_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner, v3 x,
                             v3 v);
/* The same as mus_response_move_vertex for all four by an impulse times dt (kg m) on side A along the weights, and its
 * opposite on side B. */
void mus_response_apply_impulse(const mus_response_context *context, mus_contact_constraint *constraint, v3 impulse);
/* The same that parts the sides by `change` (m) over the step, with Coulomb's friction. */
void mus_response_separate(const mus_response_context *context, mus_contact_constraint *constraint, double change);
/* An impulse times dt on a corner that is pinned: a rigid body on the other side takes the opposite. */
void mus_response_apply_pin_reaction(const mus_response_context *context, mus_contact_constraint *constraint,
                                     int corner, v3 impulse);
/* So answers what a rule of vertices has left of a rigid body's approach to a contact with pinned ones. */
void mus_response_stop_rigid_body(const mus_response_context *context, mus_contact_constraint *constraint);

#endif
