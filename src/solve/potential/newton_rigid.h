/* newton_rigid.h: rigid bodies among the unknowns of newton.h: two entries each, a translation of the center of mass,
 * m, and a rotation about it, rad. The iterate is stored in the same way, as shift and turn since the start of the
 * step. */
#ifndef MUS_SOLVE_POTENTIAL_NEWTON_RIGID_H
#define MUS_SOLVE_POTENTIAL_NEWTON_RIGID_H

#include "model/assembly.h"
#include "response/ogc.h"
#include "linear/block6.h"

typedef struct mus_newton_rigid_body {
    int32_t object;    /* in the assembly */
    bool in_contact;   /* in one of the terms, or of the soft pins; else it does not move */
    double mass;       /* kg */
    m3 inertia;        /* kg m^2, in the world's frame */
    v3 center0;        /* center of mass at the start of the step */
    v3 shift, turn;    /* at the iterate, since the start of the step */
    double factor[36]; /* Cholesky factor of the preconditioner's block */
} mus_newton_rigid_body;

/* The bodies of a term, on side A and side B. */
typedef struct mus_contact_arms {
    int32_t rigid_body[2]; /* in the set; -1: that side is not a rigid body */
    v3 arm[2];             /* m: from the center to the contact, at the iterate */
    double radius[2];      /* m: of a round side, whose surface slips by rotation */
    v3 rest;               /* of the term, without that rotation */
} mus_contact_arms;

typedef struct mus_newton_rigid_bodies {
    const mus_assembly *assembly;
    int32_t count;
    mus_newton_rigid_body *list;
    MUS_ARRAY(mus_contact_arms) contact_arms;
} mus_newton_rigid_bodies;

mus_status mus_newton_rigid_bodies_create(mus_newton_rigid_bodies *set, const mus_assembly *a);
void mus_newton_rigid_bodies_free(mus_newton_rigid_bodies *set);

/* Adds the contact arms of a contact's bodies to its term. */
mus_status mus_newton_rigid_bodies_add_contact(mus_newton_rigid_bodies *set, const mus_contact_constraint *constraint,
                                               mus_ogc_term *term);
/* Pose and, in x, vertices of body k, for a motion since the start of the step. */
void mus_newton_rigid_bodies_pose(const mus_newton_rigid_bodies *set, int32_t k, v3 shift, v3 turn, mus_pose *pose);
void mus_newton_rigid_bodies_place(const mus_newton_rigid_bodies *set, int32_t k, v3 shift, v3 turn, v3 *x);
/* kg m^2/s times dt: the angular momentum of body k over a step with the rotation `turn` (mus_rigid_advance). */
v3 mus_newton_rigid_bodies_momentum(const mus_newton_rigid_bodies *set, int32_t k, v3 turn);

/* Updates the arms of all terms for the bodies at `place` (all vertices), and which bodies are in contact. */
void mus_newton_rigid_bodies_update_arms(mus_newton_rigid_bodies *set, const mus_ogc_list *terms, const v3 *place);
/* Moves the vertices of body k in `trial` (all vertices) from `place` by u (the set's entries), to first order. */
void mus_newton_rigid_bodies_move_vertices(const mus_newton_rigid_bodies *set, int32_t k, const v3 *u, const v3 *place,
                                           v3 *trial);
/* Sets the origin of the term's slip for bodies turned by `share` u; NULL: at the iterate. */
void mus_newton_rigid_bodies_update_slip_origin(const mus_newton_rigid_bodies *set, mus_ogc_term *t, double share,
                                                const v3 *u);

/* Multiplies mass and inertia by p. p, out: the set's entries. */
void mus_newton_rigid_bodies_multiply(const mus_newton_rigid_bodies *set, const v3 *p, v3 *out);
/* Returns the relative motion of the term's sides for p; mus_newton_rigid_bodies_scatter adds a force f on its vector,
 * times `by`, to the bodies in out. */
v3 mus_newton_rigid_bodies_relative_motion(const mus_newton_rigid_bodies *set, const mus_ogc_term *t, const v3 *p);
void mus_newton_rigid_bodies_scatter(const mus_newton_rigid_bodies *set, const mus_ogc_term *t, double by, v3 f,
                                     v3 *out);
/* The same for body k alone. */
void mus_newton_rigid_bodies_add_force(const mus_newton_rigid_bodies *set, int32_t k, const mus_ogc_term *t, double by,
                                       v3 f, v3 out[2]);
/* block (of body k) += by times the term's Hessian. */
void mus_newton_rigid_bodies_add_stiffness(const mus_newton_rigid_bodies *set, int32_t k, const mus_ogc_term *t,
                                           double by, double block[36]);
/* Builds the blocks of all bodies, which are not factored yet. */
void mus_newton_rigid_bodies_add_blocks(mus_newton_rigid_bodies *set, const mus_ogc_list *terms, double dt2);

#endif
