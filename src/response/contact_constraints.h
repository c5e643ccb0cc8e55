/* contact_constraints.h: contact constraints for pairs that are near at the start of a step, solved by projected
 * Gauss–Seidel on end positions: repulsion to the thickness, inelastic impact, Coulomb friction. */
#ifndef MUS_RESPONSE_CONTACT_CONSTRAINTS_H
#define MUS_RESPONSE_CONTACT_CONSTRAINTS_H

#include "model/assembly.h"
#include "narrow/candidate_pairs.h"

typedef struct mus_contact_constraint {
    /* Read and written by sweeps, kept together. */
    int32_t vertex[4]; /* a plane: all four the cloth vertex, weights 1 0 0 0 */
    int32_t response;  /* -1: the pipeline's rule */
    bool edge_edge, plane;
    bool idle;             /* no normal impulse and well beyond its target when last visited */
    bool has_rigid_body;   /* a side is a rigid body: rigid_contact.h */
    double change;         /* of normal_impulse by the last sweep */
    double normal_impulse; /* accumulated displacement impulse along the normal, kg m >= 0 */
    v3 friction_impulse;   /* accumulated tangential impulse, kg m */
    double weight[4];      /* sum of weight x = vector from side B to side A: table in candidate_pairs.h */
    v3 normal;             /* unit, from side B to side A */
    v3 rest; /* sum of weight x0, plus the motion of a plane or a turning round surface; slip is relative to this */
    double offset; /* plane: n . point at the end of the step; exact shape: its radius, of a cylinder that along the
                      normal */
    double target; /* m: gap required at the end of the step */
    double thickness;
    double mass;         /* kg: 1 / sum w^2 / m */
    double tangent_mass; /* kg: as `mass`, along the tangent of the least effective mass */
    double friction;
    double conjugate_change; /* conjugate direction of normal_impulse, for mus_contacts_conjugate_step */

    double restitution;
    double gap0;               /* m: gap at the start */
    double warm_start_impulse; /* normal impulse at the start of the step: warm_start.h */
    double contact_load;       /* N: part of it that the dynamics applied as a load */
    double normal_velocity;    /* m/s along the normal, of the predicted positions; negative: approaching */
    int32_t object[2];         /* of side A and side B */
    int32_t pair_index;        /* of proximity constraints: index of the candidate pair */
    int32_t energy;            /* 1 + index of a user's energy in the coupled family's list; 0: none */
    int32_t next;              /* while constraints are built: the next vertex-face one of the same vertex, -1: none */
    bool bounces;              /* restitution applies */
    bool is_impact;            /* from a hit within the step; else of a pair near at its start */
    bool is_exact;             /* of an exact shape other than a plane: no faces give a normal */
    double bounce;             /* N s along the normal, applied by restitution */
    double toi;                /* share of the step at which the geometry was taken */
    /* Sides that are rigid bodies. */
    v3 arm[2];        /* m: from a side's center of mass to the contact */
    double radius[2]; /* m: of a round side: distance of its surface from its vertex or axis */
} mus_contact_constraint;
typedef MUS_ARRAY(mus_contact_constraint) mus_contact_constraint_list;

/* The coefficient by the sides: the geometric mean of theirs at the contact's points. */
double mus_contact_friction(const mus_assembly *a, const mus_contact_constraint *constraint);

/* Side of a corner (0 to 3): 0 is side A, 1 side B. */
static inline int mus_contact_side(const mus_contact_constraint *constraint, int corner) {
    return constraint->plane || (constraint->edge_edge ? corner >= 2 : corner == 0) ? 0 : 1;
}
static inline int mus_contact_corner_count(const mus_contact_constraint *constraint) {
    return constraint->plane ? 1 : 4;
}

typedef struct mus_contact_options {
    double dt;
    double relax; /* share of a missing gap that one step restores */
    int threads;  /* CPU threads for many candidate pairs; 0: one */
} mus_contact_options;

/* Builds constraints for the candidate pairs within their contact range at the start, then for cloth vertices near
 * planes. Reads x0, x1. */
mus_status mus_contacts_build(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                              const mus_contact_options *options, mus_contact_constraint_list *constraints);
/* Builds constraints for the candidate pairs within their contact range at the start, each contact once. Reads x0,
 * x1. */
mus_status mus_contacts_from_pairs(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                                   const mus_contact_options *options, mus_contact_constraint_list *constraints);
/* Appends constraints for rigid bodies near planes; and for pairs of obstacles, at least one of them a rigid body.
 * Missing gaps are restored when bodies are placed (solve/rigid/rigid_bodies.c): as a speed they would throw up resting
 * bodies. */
mus_status mus_contacts_add_rigid_planes(const mus_assembly *a, const mus_contact_options *options,
                                         mus_contact_constraint_list *constraints);
mus_status mus_contacts_add_rigid_bodies(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                                         const mus_contact_options *options, mus_contact_constraint_list *constraints);
/* m: points nearer than this give no direction. */
#define MUS_CONTACT_TOUCHING_DISTANCE 1e-9
/* A cloth vertex over a plane (objects `cloth` and `plane`). */
mus_contact_constraint mus_contact_from_plane(const mus_assembly *a, int32_t cloth, int32_t plane, int32_t vertex,
                                              const mus_contact_options *options);
/* Constraint from a hit at time toi (a share of the step); false if the geometry there gives no normal. */
bool mus_contact_from_hit(const mus_assembly *a, const mus_candidate_pair *c, double toi, double dt,
                          mus_contact_constraint *constraint);
/* The same with known weights and normal (unit, from side B to side A); false if nothing there can move. */
bool mus_contact_from_geometry(const mus_assembly *a, const mus_candidate_pair *c, const double weight[4], v3 normal,
                               double toi, double dt, mus_contact_constraint *constraint);

/* Sets the effective masses of a constraint, contact arms included, from the present inverse masses. */
void mus_contact_set_masses(const mus_assembly *a, mus_contact_constraint *constraint);

/* One sweep over the constraints that the pipeline's own rule applies to: moves x1. Unless `all`, it skips constraints
 * that had no normal impulse and were further than MUS_CONTACT_IDLE_MARGIN of their thickness beyond their target when
 * last visited. */
#define MUS_CONTACT_GAP_TOLERANCE    0.1  /* 0.05, 0.2: within the spread */
#define MUS_CONTACT_MOTION_TOLERANCE 0.01 /* 0.005: same bits on sphere and pile; 0.02: spread */
#define MUS_CONTACT_IDLE_MARGIN      0.1  /* 0.05, 0.2: within the spread */
typedef struct mus_contact_sweep_result {
    int64_t missed; /* constraints short of their target by more than MUS_CONTACT_GAP_TOLERANCE of their thickness */
    int64_t moved;  /* constraints that moved their sides by more than MUS_CONTACT_MOTION_TOLERANCE of it */
    double change;  /* sum of change^2 / mass, kg m^2 */
} mus_contact_sweep_result;
mus_contact_sweep_result mus_contacts_sweep(const mus_assembly *a, mus_contact_constraint_list *constraints, bool all);
/* After a sweep: steps along the conjugate direction. `ratio`: this sweep's change over that of the one before. A
 * normal impulse may become negative: a sweep must follow. */
void mus_contacts_conjugate_step(const mus_assembly *a, mus_contact_constraint_list *constraints, double ratio);
/* Vector from side B to side A at the end of the step, as far as it is known. */
v3 mus_contact_end_vector(const mus_assembly *a, const mus_contact_constraint *constraint);
/* Adds to the normal and friction impulses of a constraint (kg m): moves x1. */
void mus_contact_apply_impulse(const mus_assembly *a, mus_contact_constraint *constraint, double normal_impulse,
                               v3 friction_impulse);

/* Number of constraints with a normal impulse. */
int64_t mus_contacts_count_active(const mus_contact_constraint_list *constraints);

/* Sets approach speeds from the velocities at the end, of constraints without a rule and without rigid bodies. */
void mus_contacts_set_approach(const mus_assembly *assembly, mus_contact_constraint_list *constraints, double dt);
/* Makes pairs approach at least as fast as at the start of the step: where other contacts were solved before a pair was
 * found to collide, they have slowed it, and it would bounce less (a stiff sheet that falls flat on a box left it with
 * 0.49 of 0.59 m/s). Rigid bodies keep their present velocities. */
void mus_contacts_use_start_velocities(const mus_assembly *assembly, mus_contact_constraint_list *constraints,
                                       double dt);

/* After the step, on v1: a contact that approached fast enough separates with its restitution's share of that speed;
 * one separated by a position correction keeps at most the recovery speed. */
void mus_contacts_apply_restitution(const mus_assembly *a, mus_contact_constraint_list *constraints, double dt);

/* Smallest approach speed (m/s) that bounces: twice what the acceleration scale adds in a step. Slower contacts rest.
 */
double mus_bounce_threshold(const mus_assembly *a, double dt);
/* Fastest speed, m/s, at which a missing gap is restored: a thickness in 1/120 s, whatever the step. */
double mus_recovery_speed(double thickness);

#endif
