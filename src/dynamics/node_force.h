/* node_force.h: a traced force on every vertex of a cloth, with what it holds against: its derivatives. */
#ifndef MUS_DYNAMICS_NODE_FORCE_H
#define MUS_DYNAMICS_NODE_FORCE_H

#include "model/cloth.h"
#include "trace/program.h"

/* Numbers of working memory. */
int64_t mus_node_force_room(const mus_program *program);
/* Adds the program's force (N) at the cloth's present positions and velocities to cloth->f; to cloth->hold, which must
 * be there with all its columns, K = -df/dx and D = -df/dv, each made symmetric and without negative eigenvalues;
 * normals must be fresh where the program reads them. `held` false: the force alone. False names the first vertex whose
 * force is not finite, and the force. */
bool mus_node_force_add(const mus_program *program, mus_cloth *cloth, double time, double dt, bool with_jacobian,
                        double *room, int32_t *vertex, v3 *wrong);

#endif
