/* rigid_contact.h: contacts of rigid bodies: the motion by an impulse at a contact arm (BRI 2.2), on either side of a
 * contact constraint.
 *
 * While constraints are solved, x1 has a body where it was placed last; the motion by the impulses since is stored
 * separately, as a shift and a turn, until the body is placed again. */
#ifndef MUS_RESPONSE_RIGID_CONTACT_H
#define MUS_RESPONSE_RIGID_CONTACT_H

#include "response/contact_constraints.h"

/* Sets the contact arms of a constraint whose normal, weights, sides and mass of cloth are set, and adds the bodies to
 * its effective masses. */
void mus_contact_set_arms(const mus_assembly *a, mus_contact_constraint *constraint);
/* Inverse effective mass of a contact, 1/kg: along the normal, and along the tangent where it is largest. */
typedef struct mus_contact_inverse_mass {
    double normal, tangent;
} mus_contact_inverse_mass;
/* Of the constraint's rigid bodies (0 without), plus `cloth`, that of the cloth there. */
mus_contact_inverse_mass mus_contact_rigid_inverse_mass(const mus_assembly *a, const mus_contact_constraint *constraint,
                                                        double cloth);
/* Motion of side A relative to side B over the step beyond that of x1: by the impulses on the bodies and, for round
 * ones, the turn of their surface. */
v3 mus_contact_rigid_motion(const mus_assembly *a, const mus_contact_constraint *constraint);
/* Applies impulses (times dt, kg m) on side A and on side B. */
void mus_contact_apply_rigid_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, v3 on_a, v3 on_b);
/* The same once the bodies are placed for this step: deferred, it changes their velocity at the end only. */
void mus_contact_defer_rigid_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, v3 on_a, v3 on_b);
/* On velocities at the end of the step: speed of side A relative to side B along the normal; and an impulse (N s)
 * along it. */
double mus_contact_rigid_speed(const mus_assembly *a, const mus_contact_constraint *constraint);
void mus_contact_change_rigid_velocity(const mus_assembly *a, const mus_contact_constraint *constraint, double impulse);
/* A copy of the constraint for cloth alone, with bodies fixed where they are placed. */
mus_contact_constraint mus_contact_with_fixed_bodies(const mus_assembly *a, const mus_contact_constraint *constraint);

#endif
