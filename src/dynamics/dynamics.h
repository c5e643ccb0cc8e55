/* dynamics.h: one step of a free cloth: gravity, air drag, springs or membrane, hinges, external forces, prescribed
 * vertices. Contact is not its business.
 *
 * Velocities are staggered (leapfrog): those that a step leaves behind moved the positions over it, x1 = x0 + h v1, and
 * belong to its middle. Gravity and external forces therefore act from the middle of the last stride to the middle of
 * this one: from rest the first kick is half a step's, a fall is g t^2/2 at every step of whatever length, and what
 * lies still has no velocity at all. */
#ifndef MUS_DYNAMICS_DYNAMICS_H
#define MUS_DYNAMICS_DYNAMICS_H

#include "linear/block_matrix.h"
#include "dynamics/energy.h"
#include "dynamics/network.h"
#include "dynamics/element_range.h"
#include "model/cloth.h"

struct mus_seam_group; /* bundle.h */

typedef struct mus_environment {
    v3 gravity;         /* m/s^2 */
    v3 wind;            /* m/s */
    double air_density; /* kg/m^3 */
    int threads;
    bool (*cancelled)(
        void *context); /* asked between the parts of a step; once true, true until it ends. NULL: never */
    void *context;
} mus_environment;

/* The step will be undone: an integrator in many parts may leave off, its results are not looked at. */
static inline bool mus_environment_cancelled(const mus_environment *environment) {
    return environment->cancelled && environment->cancelled(environment->context);
}

/* What an integrator keeps for a cloth between steps: structure and scratch, no state. */
typedef struct mus_dynamics {
    mus_block_matrix matrix;
    uint8_t *spring_pair;  /* place of each spring's pair in the matrix */
    uint8_t *hinge_pair;   /* 6 a hinge: of corners 01 02 03 12 13 23 */
    uint8_t *face_pair;    /* 3 a face of a membrane: of its edges */
    uint8_t *plate_pair;   /* 15 a plate: of its vertices 01 02 .. 05 12 .. 45 */
    uint8_t *network_pair; /* of a network: see mus_network_linearize */
    mus_bend bend;         /* of plates */
    mus_element_runs springs, hinges, faces;
    bool local; /* parts pay for all of them */
    void *kept; /* memory that the integrator asked for in `prepare` */
    /* lent, for the time of a step: */
    v3 *force;          /* n */
    v3 *change;         /* n: change of velocity */
    v3 *guess, *scale;  /* n: of the solver; `scale` comes with a load, N, where there is one */
    double *free;       /* n: 0 where prescribed */
    void *scratch;      /* where they are; NULL: somebody else's */
    bool loaded;        /* the implicit integrator takes the load, which acts as external forces do */
    bool in_seam_group; /* of a bundle, which owns the matrix and what is lent: bundle.h */
} mus_dynamics;

mus_status mus_dynamics_create(const mus_cloth *cloth, mus_dynamics **dynamics);
void mus_dynamics_free(mus_dynamics *dynamics);
/* From now on to work in memory of the lender's, which others may use between steps. */
void mus_dynamics_borrow(mus_dynamics *dynamics, mus_lender *lender);

/* For bundle.c: the pairs of a cloth's elements (2 vertices each, from `first`), mus_dynamics_pair_room of them at the
 * most, and their places in its matrix, which has become another. */
size_t mus_dynamics_pair_room(const mus_cloth *cloth);
int64_t mus_dynamics_collect(const mus_cloth *cloth, int32_t first, int32_t *pairs);
mus_status mus_dynamics_find(mus_dynamics *dynamics, const mus_cloth *cloth);

typedef struct mus_integrator_result {
    int32_t iterations;
    double residual;
    double previous_dt; /* s: the part of the step that the velocities v1 belong to the middle of */
    /* Of an integrator with `parts`, `iterations` counts these; more than MUS_MOST_SUBSTEPS: it has done nothing. */
} mus_integrator_result;

/* Over which time gravity and external forces change velocities that belong to the middle of `last` (0: to its end),
 * until they belong to the middle of `now`. */
static inline double mus_leapfrog_half_steps(double last, double now) {
    return 0.5 * (last + now);
}

/* From x0, v0 over dt to x1, v1, where v0 comes from a step with this stride. Vertices with inverse mass 0 come with
 * their x1 given and keep it. */
typedef struct mus_integrator {
    const char *name;
    /* Once, before the first step: what it needs besides (`kept`); INVALID for a cloth that it cannot serve. NULL:
     * none. */
    mus_status (*prepare)(mus_dynamics *dynamics, const mus_cloth *cloth);
    mus_integrator_result (*advance)(mus_dynamics *dynamics, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1);
    /* The cloths of a bundle and its seams as one system, arrays those of the bundle. NULL: see the next. */
    mus_integrator_result (*advance_group)(struct mus_seam_group *group, const mus_environment *environment, double dt,
                                           const v3 *x0, const v3 *v0, v3 *x1, v3 *v1);
    /* Into how many equal parts `advance` splits a step: those of a bundle advance by such parts, and its seams are
     * projected after each. */
    int32_t (*substep_count)(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *x, double dt);
    bool implicit; /* leaves behind the matrix by which impulses of the step move cloth */
} mus_integrator;

extern const mus_integrator mus_integrator_implicit_euler;
extern const mus_integrator mus_integrator_semi_implicit_euler;
extern const mus_integrator mus_integrator_explicit_euler;
extern const mus_integrator mus_integrator_verlet;
extern const mus_integrator mus_integrator_rk4;
extern const mus_integrator mus_integrator_position_based;

/* ---- forces, one file each: added to `force` (N); with `matrix`, H = -dt df/dv - dt^2 df/dx is added to it. Those of
 * a part are added where it owns them, parts.h. ---- */

/* Springs; in tension with their geometric stiffness, the indefinite part in compression dropped (Choi & Ko 2002). */
void mus_spring_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force);
/* Bounds of the eigenvalues of the stiffness, added to sum[i].x for each vertex, and times damping to sum[i].y; of laws
 * of the user's at x. */
void mus_spring_bound(const mus_cloth *cloth, const v3 *x, v3 *sum);
/* N s/m, by the rate of length: of a spring with this slope, of an arc where it is buckled. */
double mus_spring_friction(const mus_cloth *cloth, const mus_spring_law *law, double rest, double slope);
/* Implicit form: adds dt f - H v to `right` (N s) and H to the matrix. Laws of the user's have been asked
 * (mus_spring_programs_at). */
void mus_spring_linearize_range(const mus_cloth *cloth, const uint8_t *spring_pair, const mus_element_range *range,
                                const v3 *x, const v3 *v, double dt, v3 *right, mus_block_matrix *matrix);
static inline void mus_spring_linearize(const mus_cloth *cloth, const uint8_t *spring_pair, const v3 *x, const v3 *v,
                                        double dt, v3 *right, mus_block_matrix *matrix) {
    mus_element_range all = mus_element_range_all(cloth->spring_count);
    mus_spring_linearize_range(cloth, spring_pair, &all, x, v, dt, right, matrix);
}
/* Membranes, energy.h; nothing for a cloth of springs. */
void mus_membrane_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force);
void mus_membrane_linearize_range(const mus_cloth *cloth, const uint8_t *face_pair, const mus_element_range *range,
                                  const v3 *x, const v3 *v, double dt, v3 *right, mus_block_matrix *matrix);
static inline void mus_membrane_linearize(const mus_cloth *cloth, const uint8_t *face_pair, const v3 *x, const v3 *v,
                                          double dt, v3 *right, mus_block_matrix *matrix) {
    mus_element_range all = mus_element_range_all(cloth->face_count);
    mus_membrane_linearize_range(cloth, face_pair, &all, x, v, dt, right, matrix);
}
void mus_membrane_bound(const mus_cloth *cloth, const v3 *x, v3 *sum);
/* Bending of its plates, energy.h; `bend` is overwritten. */
void mus_plate_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, mus_bend *bend, v3 *force);
void mus_plate_linearize(const mus_cloth *cloth, const uint8_t *plate_pair, const v3 *x, const v3 *v, double dt,
                         mus_bend *bend, v3 *right, mus_block_matrix *matrix);
void mus_plate_bound(const mus_cloth *cloth, v3 *sum);
/* Bending of hinges about their rest angle (Grinspun et al. 2003), with the quadratic model's stiffness (Bergou et al.
 * 2006). */
void mus_hinge_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force);
void mus_hinge_bound(const mus_cloth *cloth, v3 *sum);
/* Gradient of the angle with respect to the four corners, 1/m: along each face's normal, by its height over the edge;
 * cosine of the angle in `turn`. False for faces without area. */
bool mus_hinge_gradient(const mus_hinge *hinge, const v3 *x, double *bend, double *turn, v3 gradient[4]);
void mus_hinge_linearize_range(const mus_cloth *cloth, const uint8_t *hinge_pair, const mus_element_range *range,
                               const v3 *x, const v3 *v, double dt, v3 *right, mus_block_matrix *matrix);
static inline void mus_hinge_linearize(const mus_cloth *cloth, const uint8_t *hinge_pair, const v3 *x, const v3 *v,
                                       double dt, v3 *right, mus_block_matrix *matrix) {
    mus_element_range all = mus_element_range_all(cloth->hinge_count);
    mus_hinge_linearize_range(cloth, hinge_pair, &all, x, v, dt, right, matrix);
}
/* AAB eq. 4 with the absolute value that keeps it dissipative: F = 1/2 rho c A |v_rel . n| v_rel, a third a corner; and
 * the friction of viscous_damping, F = -m k v, Provot 1995's and AAB eq. 3's.
 * `matrix` may be NULL; else the lumped derivative is added to its diagonal. */
void mus_drag_forces(const mus_cloth *cloth, const mus_environment *environment, const v3 *x, const v3 *v, double dt,
                     v3 *force, mus_block_matrix *matrix);
/* Its two parts: of faces, and of the part's vertices alone. */
void mus_drag_range(const mus_cloth *cloth, const mus_environment *environment, const mus_element_range *range,
                    const v3 *x, const v3 *v, double dt, v3 *force, mus_block_matrix *matrix);
/* Also the derivatives of traced forces, with `matrix`. */
void mus_viscous_range(const mus_cloth *cloth, const mus_element_range *range, const v3 *v, double dt, v3 *force,
                       mus_block_matrix *matrix);

#endif
