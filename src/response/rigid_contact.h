/* rigid_contact.h: contacts with rigid bodies: what an impulse at a lever moves (BRI 2.2), on both sides of a row.
 *
 * While rows are solved a body stands where it was placed last, in x1; what they move it by is kept beside that, as a
 * shift and a turn, until it is placed anew. */
#ifndef MUS_RESPONSE_RIGID_CONTACT_H
#define MUS_RESPONSE_RIGID_CONTACT_H

#include "response/contact_constraints.h"

/* Fills the levers of a row whose normal, weights, sides and mass of cloth are set, and adds to its masses. */
void mus_contact_set_arms(const mus_assembly *a, mus_contact_constraint *constraint);
/* What a unit impulse at the contact gives way by, 1/kg: along the normal, and along the tangent that gives way most.
 */
typedef struct mus_contact_inverse_mass {
    double normal, tangent;
} mus_contact_inverse_mass;
/* Of the row's bodies, none: 0; beside `cloth` of the cloth there. */
mus_contact_inverse_mass mus_contact_rigid_inverse_mass(const mus_assembly *a, const mus_contact_constraint *constraint,
                                                        double cloth);
/* How far its bodies move side A from side B over the step beyond what x1 says: what rows have given them, and for
 * round ones the turn of their surface. */
v3 mus_contact_rigid_motion(const mus_assembly *a, const mus_contact_constraint *constraint);
/* Impulses (times dt, kg m) on side A and on side B. */
void mus_contact_apply_rigid_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, v3 on_a, v3 on_b);
/* The same when the bodies' places for this step are settled: it changes their velocity at the end only. */
void mus_contact_defer_rigid_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, v3 on_a, v3 on_b);
/* On velocities at the end of the step: of side A from side B along the normal; and an impulse (N s) along it. */
double mus_contact_rigid_speed(const mus_assembly *a, const mus_contact_constraint *constraint);
void mus_contact_change_rigid_velocity(const mus_assembly *a, const mus_contact_constraint *constraint, double impulse);
/* The row as cloth alone answers it, bodies held where they are placed. */
mus_contact_constraint mus_contact_with_fixed_bodies(const mus_assembly *a, const mus_contact_constraint *constraint);

#endif
