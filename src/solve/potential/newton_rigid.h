/* newton_rigid.h: rigid bodies among the unknowns of newton.h: two entries each, a shift of the centre of mass, m, and
 * a turn about it, rad. Where they have been taken to is kept the same way, as shift and turn since the step began. */
#ifndef MUS_SOLVE_POTENTIAL_NEWTON_RIGID_H
#define MUS_SOLVE_POTENTIAL_NEWTON_RIGID_H

#include "model/assembly.h"
#include "response/ogc.h"
#include "linear/block6.h"

typedef struct mus_newton_rigid_body {
    int32_t object;    /* in the assembly */
    bool in_contact;   /* terms have a part in it; else it stays where it is */
    double mass;       /* kg */
    m3 inertia;        /* kg m^2, in the world's frame */
    v3 center0;        /* of mass, where the step began */
    v3 shift, turn;    /* at the iterate, since then */
    double factor[36]; /* of the preconditioner's block */
} mus_newton_rigid_body;

/* What a term has to do with bodies, on side A and side B. */
typedef struct mus_contact_arms {
    int32_t rigid_body[2]; /* in the set; -1: the side is none */
    v3 arm[2];             /* m: from the centre to the contact, at the iterate */
    double radius[2];      /* m: of a round side, whose surface slips as it turns */
    v3 rest;               /* of the term, before such turns */
} mus_contact_arms;

typedef struct mus_newton_rigid_bodies {
    const mus_assembly *assembly;
    int32_t count;
    mus_newton_rigid_body *list;
    MUS_ARRAY(mus_contact_arms) contact_arms;
} mus_newton_rigid_bodies;

mus_status mus_newton_rigid_bodies_create(mus_newton_rigid_bodies *set, const mus_assembly *a);
void mus_newton_rigid_bodies_free(mus_newton_rigid_bodies *set);

/* The term of a row takes hold of the bodies on its sides. */
mus_status mus_newton_rigid_bodies_add_contact(mus_newton_rigid_bodies *set, const mus_contact_constraint *constraint,
                                               mus_ogc_term *term);
/* Pose and, in x, vertices of body k, so far from where the step began. */
void mus_newton_rigid_bodies_pose(const mus_newton_rigid_bodies *set, int32_t k, v3 shift, v3 turn, mus_pose *pose);
void mus_newton_rigid_bodies_place(const mus_newton_rigid_bodies *set, int32_t k, v3 shift, v3 turn, v3 *x);
/* kg m^2/s times dt: the angular momentum of body k over a step in which it turns by that (mus_rigid_advance). */
v3 mus_newton_rigid_bodies_momentum(const mus_newton_rigid_bodies *set, int32_t k, v3 turn);

/* Arms of all terms where `place` (all vertices) has the bodies, and which of these are met. */
void mus_newton_rigid_bodies_update_arms(mus_newton_rigid_bodies *set, const mus_ogc_list *terms, const v3 *place);
/* `trial` (all vertices) follows body k from `place` by u (the set's entries), to first order. */
void mus_newton_rigid_bodies_move_vertices(const mus_newton_rigid_bodies *set, int32_t k, const v3 *u, const v3 *place,
                                           v3 *trial);
/* Slip of the term is measured where the bodies have turned by `share` u; NULL: where they are. */
void mus_newton_rigid_bodies_update_slip_origin(const mus_newton_rigid_bodies *set, mus_ogc_term *t, double share,
                                                const v3 *u);

/* p, out: the set's entries. Mass and inertia times p. */
void mus_newton_rigid_bodies_multiply(const mus_newton_rigid_bodies *set, const v3 *p, v3 *out);
/* What the term's sides move apart by p; and out += by what a force f on its vector is to the bodies. */
v3 mus_newton_rigid_bodies_relative_motion(const mus_newton_rigid_bodies *set, const mus_ogc_term *t, const v3 *p);
void mus_newton_rigid_bodies_scatter(const mus_newton_rigid_bodies *set, const mus_ogc_term *t, double by, v3 f,
                                     v3 *out);
/* The same to body k alone. */
void mus_newton_rigid_bodies_add_force(const mus_newton_rigid_bodies *set, int32_t k, const mus_ogc_term *t, double by,
                                       v3 f, v3 out[2]);
/* block (of body k) += by times the term's second derivative. */
void mus_newton_rigid_bodies_add_stiffness(const mus_newton_rigid_bodies *set, int32_t k, const mus_ogc_term *t,
                                           double by, double block[36]);
/* The blocks of all bodies, factored. */
void mus_newton_rigid_bodies_build_preconditioner(mus_newton_rigid_bodies *set, const mus_ogc_list *terms, double dt2);

#endif
