/* node_force.h: a traced force on every vertex of a cloth or a spring at one, and derivatives, the force Jacobians. */
#ifndef MUS_DYNAMICS_NODE_FORCE_H
#define MUS_DYNAMICS_NODE_FORCE_H

#include "model/cloth.h"
#include "trace/program.h"

/* Numbers of working memory. */
int64_t mus_node_force_register_count(const mus_program *program);
/* Adds the program's force (N) at the cloth's present positions and velocities to cloth->f, and K = -df/dx and
 * D = -df/dv, each made symmetric and without negative eigenvalues, to cloth->force_jacobian, which must be allocated
 * with all its columns. Normals must be up to date if the program reads them. Without `with_jacobian`: the force alone.
 * False returns the first vertex whose force is not finite, and the force. */
bool mus_node_force_add(const mus_program *program, mus_cloth *cloth, double time, double dt, bool with_jacobian,
                        double *memory, int32_t *vertex, v3 *wrong);
/* A spring of rest length 0 between a vertex and a place that moves. */
typedef struct mus_vertex_spring {
    v3 at, velocity;           /* m, m/s: of the place */
    double stiffness, damping; /* N/m, N s/m */
} mus_vertex_spring;
/* Adds its force, stiffness (at - x) - damping (v - velocity), to cloth->f and, `with_jacobian`, its derivatives to
 * cloth->force_jacobian. Without them, in explicit steps of dt (s), stiffness and damping are at most a quarter of
 * m/dt^2 and m/dt for a vertex of mass m. */
void mus_vertex_spring_add(mus_cloth *cloth, int32_t vertex, const mus_vertex_spring *spring, double dt,
                           bool with_jacobian);

#endif
