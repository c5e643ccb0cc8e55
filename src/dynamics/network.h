/* network.h: forces of a particle network (model/network.h). */
#ifndef MUS_DYNAMICS_NETWORK_H
#define MUS_DYNAMICS_NETWORK_H

#include "linear/block_matrix.h"
#include "model/network.h"

/* Cosine of the angle between an element's mean yarn directions, the sine of its shear, and its gradient (1/m) by the
 * four nodes. False if a yarn has no length. */
bool mus_cell_shear(const mus_cell *cell, const v3 *x, double *sine, v3 gradient[4]);
/* The bend and its gradient (1/m) by the three nodes, zero where it is straight. False if a link has no length. */
bool mus_joint_bend(const mus_joint *joint, const v3 *x, double *bend, v3 gradient[3]);
/* N, of a link; `slope`: its derivative, N/m. */
double mus_link_tension(const mus_cloth *cloth, const mus_link *link, double length, double *slope);

/* Nothing for a cloth without a network. */
double mus_network_energy(const mus_cloth *cloth, const v3 *x); /* J */
/* J, with friction as an energy of the change of the measures since `start`, dt ago; its forces, N, are added to
 * `force` (may be NULL). */
double mus_network_increment(const mus_cloth *cloth, const v3 *start, double dt, const v3 *x, v3 *force);
void mus_network_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force);
/* `pairs`: of links, then 6 per element, 01 02 03 12 13 23, then 3 per joint, 01 12 02. */
void mus_network_linearize(const mus_cloth *cloth, const uint8_t *pairs, const v3 *x, const v3 *v, double dt, v3 *right,
                           mus_block_matrix *matrix);
/* As mus_spring_bound, at these positions. */
void mus_network_bound(const mus_cloth *cloth, const v3 *x, v3 *sum);

#endif
