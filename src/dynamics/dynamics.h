/* dynamics.h: one step of a free cloth: gravity, air drag, springs or membrane, hinges, external forces, prescribed
 * vertices. Contact is handled elsewhere.
 *
 * Velocities are staggered (leapfrog): the velocities at the end of a step have moved the positions over it,
 * x1 = x0 + h v1, and belong to its middle. Gravity and external forces therefore act from the middle of the previous
 * step to the middle of this one: from rest the first change of velocity is half a step's, a fall is g t^2/2 at every
 * step of whatever length, and cloth at rest has no velocity at all. A load that may balance gravity, such as a
 * pressure, must act over the same time (mus_leapfrog_half_steps); drag, which depends on velocities, acts over dt. */
#ifndef MUS_DYNAMICS_DYNAMICS_H
#define MUS_DYNAMICS_DYNAMICS_H

#include "linear/block_matrix.h"
#include "dynamics/energy.h"
#include "dynamics/network.h"
#include "dynamics/element_range.h"
#include "model/cloth.h"

struct mus_seam_group; /* seam_group.h */

typedef struct mus_environment {
    v3 gravity;         /* m/s^2 */
    v3 wind;            /* m/s */
    double air_density; /* kg/m^3 */
    int threads;
    bool (*cancelled)(
        void *context); /* called between the substeps of a step; once true, true until it ends. NULL: never */
    void *context;
} mus_environment;

/* The step will be undone: an integrator with many substeps may stop, its results are not used. */
static inline bool mus_environment_cancelled(const mus_environment *environment) {
    return environment->cancelled && environment->cancelled(environment->context);
}

/* Stored for a cloth by an integrator between steps: structure and scratch, no state. */
typedef struct mus_dynamics {
    mus_block_matrix matrix;
    uint8_t *spring_pair;   /* index of each spring's pair in the matrix */
    uint8_t *hinge_pair;    /* 6 per hinge: of corners 01 02 03 12 13 23 */
    uint8_t *face_pair;     /* 3 per face of a membrane: of its edges */
    uint8_t *plate_pair;    /* 15 per plate: of its vertices 01 02 .. 05 12 .. 45 */
    uint8_t *network_pair;  /* of a network: see mus_network_linearize */
    mus_bend bend;          /* of plates */
    mus_moduli *moduli;     /* of each face in an iteration of an incremental potential, if they depend on the strain */
    int32_t moduli_updates; /* in this step */
    mus_element_runs springs, hinges, faces;
    bool local; /* elements are local enough for assembly by several CPU threads */
    void *kept; /* memory that the integrator allocated in `prepare` */
    /* borrowed for the time of a step: */
    v3 *force;  /* n */
    v3 *change; /* n: change of velocity */
    v3 *guess;  /* n: start value of the linear solver */
    union {
        v3 *contact_load;   /* n: N, read before the linear solve begins, if `has_contact_load` */
        v3 *residual_scale; /* n: N s, written after that: reference magnitude of the solver's tolerance */
    };
    double *free;          /* n: 0 where prescribed */
    void *scratch;         /* memory of these arrays; NULL: owned elsewhere */
    bool has_contact_load; /* the implicit integrator adds contact_load, like an external force */
    bool in_seam_group;    /* of a seam group, which owns the matrix and the borrowed arrays: seam_group.h */
} mus_dynamics;

mus_status mus_dynamics_create(const mus_cloth *cloth, mus_dynamics **dynamics);
void mus_dynamics_free(mus_dynamics *dynamics);
/* From now on works in the lender's memory, which others may use between steps. */
void mus_dynamics_borrow(mus_dynamics *dynamics, mus_lender *lender);

/* For seam_group.c: the pairs of a cloth's elements (2 vertices each, from `first`), at most
 * mus_dynamics_max_pair_count of them, and their indices in its matrix after that was replaced. */
size_t mus_dynamics_max_pair_count(const mus_cloth *cloth);
int64_t mus_dynamics_collect(const mus_cloth *cloth, int32_t first, int32_t *pairs);
mus_status mus_dynamics_find(mus_dynamics *dynamics, const mus_cloth *cloth);

typedef struct mus_integrator_result {
    int32_t iterations;
    double residual;
    double previous_dt; /* s: the length of the substep at whose middle v1 is */
    /* Of an integrator with substeps, `iterations` is their number; if above MUS_MOST_SUBSTEPS, nothing was computed.
     */
} mus_integrator_result;

/* Time over which gravity and external forces change velocities from the middle of `last` (0: from its end) to the
 * middle of `now`. */
static inline double mus_leapfrog_half_steps(double last, double now) {
    return 0.5 * (last + now);
}
/* The same for a cloth's external forces. With Jacobians at most the length `now` of the step, that of their implicit
 * part: over a longer time, after a step that was longer, a stiff force would pull beyond where it is zero. */
static inline double mus_force_time(const mus_cloth *cloth, double half_steps, double now) {
    return cloth->jacobian_form[0] || cloth->jacobian_form[1] ? fmin(half_steps, now) : half_steps;
}

/* Advances x0, v0 over dt to x1, v1; v0 is from a step of length previous_dt. x1 of vertices with inverse mass 0 is an
 * input and is not changed. */
typedef struct mus_integrator {
    const char *name;
    /* Called once, before the first step: allocates what else the integrator needs (`kept`); INVALID for a cloth that
     * it does not support. NULL: nothing. */
    mus_status (*prepare)(mus_dynamics *dynamics, const mus_cloth *cloth);
    mus_integrator_result (*advance)(mus_dynamics *dynamics, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1);
    /* Advances the cloths of a seam group and its seams as one system; arrays are those of the group. NULL: see the
     * next. */
    mus_integrator_result (*advance_group)(struct mus_seam_group *group, const mus_environment *environment, double dt,
                                           const v3 *x0, const v3 *v0, v3 *x1, v3 *v1);
    /* Number of equal substeps that `advance` splits a step into: the cloths of a seam group advance by such substeps,
     * and its seams are projected after each. */
    int32_t (*substep_count)(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *x, double dt);
    bool implicit; /* afterwards, the matrix maps impulses of the step to the motion of cloth */
    /* Of an implicit one whose steps are solved together with contacts: half of the elastic force of a step is that of
     * the end, half the elastic force of the step before. */
    bool has_force_memory;
} mus_integrator;

extern const mus_integrator mus_integrator_implicit_euler;
extern const mus_integrator mus_integrator_generalized_alpha;
extern const mus_integrator mus_integrator_semi_implicit_euler;
extern const mus_integrator mus_integrator_explicit_euler;
extern const mus_integrator mus_integrator_verlet;
extern const mus_integrator mus_integrator_rk4;
extern const mus_integrator mus_integrator_position_based;

/* ---- forces, one file each: added to `force` (N); with `matrix`, H = -dt df/dv - dt^2 df/dx is added to it. Those
 * of an element range are added to the vertices that it owns, element_range.h. ---- */

/* Springs; in tension with their geometric stiffness, the indefinite part in compression dropped (Choi & Ko 2002). */
void mus_spring_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force);
/* Bounds of the eigenvalues of the stiffness, added to sum[i].x for each vertex, and times damping to sum[i].y; for
 * users' spring laws at x. */
void mus_spring_bound(const mus_cloth *cloth, const v3 *x, v3 *sum);
/* N s/m, damping coefficient by the rate of length: of a spring with this slope, of an arc where it is buckled. */
double mus_spring_friction(const mus_cloth *cloth, const mus_spring *spring, const mus_spring_law *law, double slope);
/* s: the damping of a spring. */
double mus_spring_damping(const mus_cloth *cloth, const mus_spring *spring);
/* Implicit form: adds dt f - H v to `right` (N s) and H to the matrix. Users' spring laws must have been evaluated
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
/* AAB eq. 4 with the absolute value that keeps it dissipative: F = 1/2 rho c A |v_rel . n| v_rel, a third per corner;
 * and the friction of viscous_damping, F = -m k v, Provot 1995's and AAB eq. 3's.
 * `matrix` may be NULL; else the lumped derivative is added to its diagonal. */
void mus_drag_forces(const mus_cloth *cloth, const mus_environment *environment, const v3 *x, const v3 *v, double dt,
                     v3 *force, mus_block_matrix *matrix);
/* The two terms for an element range: air drag of faces, and viscous damping of single vertices. */
void mus_drag_range(const mus_cloth *cloth, const mus_environment *environment, const mus_element_range *range,
                    const v3 *x, const v3 *v, double dt, v3 *force, mus_block_matrix *matrix);
/* With `matrix`, adds the derivatives of traced forces, too, and their change from the start of the step to x and v. */
void mus_viscous_range(const mus_cloth *cloth, const mus_element_range *range, const v3 *x, const v3 *v, double dt,
                       v3 *force, mus_block_matrix *matrix);

#endif
