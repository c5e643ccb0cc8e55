/* levers.h: contacts with rigid bodies: what an impulse at a lever moves (BRI 2.2), on both sides of a row.
 *
 * While rows are solved a body stands where it was placed last, in x1; what they move it by is kept beside that, as a
 * shift and a turn, until it is placed anew. */
#ifndef MUS_RESPONSE_LEVERS_H
#define MUS_RESPONSE_LEVERS_H

#include "response/rows.h"

/* Fills the levers of a row whose normal, weights, sides and mass of cloth are set, and adds to its masses. */
void mus_row_take_levers(const mus_assembly *a, mus_row *row);
/* What a unit impulse at the contact gives way by, 1/kg: along the normal, and along the tangent that gives way most.
 */
typedef struct mus_row_yield {
    double normal, drag;
} mus_row_yield;
/* Of the row's bodies, none: 0; beside `cloth` of the cloth there. */
mus_row_yield mus_row_lever_yield(const mus_assembly *a, const mus_row *row, double cloth);
/* How far its bodies move side A from side B over the step beyond what x1 says: what rows have given them, and for
 * round ones the turn of their surface. */
v3 mus_row_lever_motion(const mus_assembly *a, const mus_row *row);
/* Impulses (times dt, kg m) on side A and on side B. */
void mus_row_lever_give(const mus_assembly *a, const mus_row *row, v3 on_a, v3 on_b);
/* The same when the bodies' places for this step are settled: it changes their velocity at the end only. */
void mus_row_lever_owe(const mus_assembly *a, const mus_row *row, v3 on_a, v3 on_b);
/* On velocities at the end of the step: of side A from side B along the normal; and an impulse (N s) along it. */
double mus_row_lever_speed(const mus_assembly *a, const mus_row *row);
void mus_row_lever_kick(const mus_assembly *a, const mus_row *row, double impulse);
/* The row as cloth alone answers it, bodies held where they are placed. */
mus_row mus_row_held(const mus_assembly *a, const mus_row *row);

#endif
