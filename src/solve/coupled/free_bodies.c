/* free_bodies.c: rigid bodies that touch no cloth, not through other bodies either: no part of the coupled problem.
 * Their contacts are solved by sweeps until the bodies do not move any more: multipliers of a penalty method approach
 * the impulse of a blow by a factor of each update, and what is left of it is a velocity. With them a ball of 8.9 J
 * that falls on another left with 14 J, and a stack of three boxes moved at 1.7 m/s. */
#include "solve/solver.h"

mus_status mus_coupled_sweep_free_bodies(mus_solver *s, bool applied) {
    const mus_assembly *a = &s->assembly;
    mus_contact_constraint_list *swept = &s->rigid_contacts.constraints;
    swept->count = 0;
    for (int64_t k = 0; a->rigid_count && k < s->constraints.count; k++) {
        mus_contact_constraint constraint = s->constraints.data[k];
        if (constraint.response >= 0 || !mus_coupled_is_of_free_bodies(s, &constraint)) continue;
        if (!applied) {
            double normal_impulse = constraint.normal_impulse;
            v3 friction_impulse = constraint.friction_impulse;
            constraint.normal_impulse = 0, constraint.friction_impulse = v3_make(0, 0, 0);
            mus_contact_apply_impulse(a, &constraint, normal_impulse, friction_impulse);
        }
        constraint.idle = false;
        if (!mus_array_push(swept, constraint)) return MUS_STATUS_NO_MEMORY;
    }
    mus_status status = mus_solver_sweep_rigid_contacts(s);
    for (int64_t k = 0, next = 0; next < swept->count; k++) {
        mus_contact_constraint *constraint = &s->constraints.data[k];
        if (constraint->response < 0 && mus_coupled_is_of_free_bodies(s, constraint)) *constraint = swept->data[next++];
    }
    swept->count = 0; /* the list is read with that of the solver's contacts */
    return status;
}
