/* contact_constraints.h: contacts near at the start of a step, as rows of a projected Gauss–Seidel solve on end
 * positions: repulsion to the thickness, inelastic impact, Coulomb friction. */
#ifndef MUS_RESPONSE_CONTACT_CONSTRAINTS_H
#define MUS_RESPONSE_CONTACT_CONSTRAINTS_H

#include "model/assembly.h"
#include "narrow/candidate_pairs.h"

typedef struct mus_contact_constraint {
    /* What sweeps read and write, together. */
    int32_t vertex[4]; /* a plane: all four the cloth vertex, weights 1 0 0 0 */
    int32_t response;  /* -1: the pipeline's rule */
    bool edge_edge, plane;
    bool idle;             /* far from pushing when last looked at */
    bool has_rigid_body;   /* a side is a rigid body: levers.h */
    double change;         /* of push by the last sweep */
    double normal_impulse; /* accumulated displacement impulse along the normal, kg m >= 0 */
    v3 friction_impulse;   /* accumulated tangential impulse, kg m */
    double weight[4];      /* sum of weight x = vector from side B to side A */
    v3 normal;             /* unit, from side B to side A */
    v3 rest;       /* sum weight x0, and what a plane or a turning round surface moves by: slip is measured from here */
    double offset; /* plane: n . point at the end of the step; exact shape: its radius, of a
                      cylinder that along the normal */
    double target; /* m: gap asked for at the end */
    double thickness;
    double mass;         /* kg: 1 / sum w^2 / m */
    double tangent_mass; /* kg: as `mass`, for the tangent along which the sides give way most easily */
    double friction;
    double conjugate_change; /* what the last sweeps have changed push by, for mus_contacts_conjugate_step */

    double restitution;
    double gap0;               /* m: gap at the start */
    double warm_start_impulse; /* push that the step started with: holds.h */
    double contact_load;       /* N: of that, what dynamics had as a load */
    double approach;           /* m/s along the normal, as dynamics had it; negative: approaching */
    int32_t object[2];         /* of side A and side B */
    int32_t source;            /* of rows for what is near: the candidate */
    int32_t next;              /* while rows are built: the next one of the same vertex and a face, -1: none */
    bool bounces;              /* restitution applies */
    bool is_exact;             /* of an exact shape other than a plane: it has no faces to take a normal from */
    double bounce;             /* N s along the normal that it has given */
    double toi;                /* share of the step; 0: proximity */
    /* Sides that are rigid bodies. */
    v3 arm[2];        /* m: from a side's centre of mass to the contact */
    double radius[2]; /* m: of a round side, whose surface lies so far from its vertex or axis */
} mus_contact_constraint;
typedef MUS_ARRAY(mus_contact_constraint) mus_contact_constraint_list;

/* Of a corner, 0 to 3: 0 side A, 1 side B. */
static inline int mus_contact_side(const mus_contact_constraint *constraint, int corner) {
    return constraint->plane || (constraint->edge_edge ? corner >= 2 : corner == 0) ? 0 : 1;
}
static inline int mus_contact_corner_count(const mus_contact_constraint *constraint) {
    return constraint->plane ? 1 : 4;
}

typedef struct mus_contact_options {
    double dt;
    double relax; /* share of a missing gap that one step restores */
    int threads;  /* for many candidates; 0: one */
} mus_contact_options;

/* Rows for the candidates that start within their contact range, then for cloth vertices near planes. Reads x0, x1. */
mus_status mus_contacts_build(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                              const mus_contact_options *options, mus_contact_constraint_list *constraints);
/* Rows for the candidates that start within their contact range, each contact once. Reads x0, x1. */
mus_status mus_contacts_from_pairs(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                                   const mus_contact_options *options, mus_contact_constraint_list *constraints);
/* Appends rows for rigid bodies near planes; and for pairs of other obstacles, of which one is a rigid body. What is
 * missing of a gap is left to their placing (solve/bodies.c): as a speed it would throw up what rests. */
mus_status mus_contacts_add_rigid_planes(const mus_assembly *a, const mus_contact_options *options,
                                         mus_contact_constraint_list *constraints);
mus_status mus_contacts_add_rigid_bodies(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                                         const mus_contact_options *options, mus_contact_constraint_list *constraints);
/* m: nearest points that are nearer give no direction. */
#define MUS_CONTACT_TOUCHING_DISTANCE 1e-9
/* A cloth vertex over a plane (bodies `cloth` and `plane`). */
mus_contact_constraint mus_contact_from_plane(const mus_assembly *a, int32_t cloth, int32_t plane, int32_t vertex,
                                              const mus_contact_options *options);
/* A row from a hit at time toi (a share of the step); false when the geometry there gives no normal. */
bool mus_contact_from_hit(const mus_assembly *a, const mus_candidate_pair *c, double toi, double dt,
                          mus_contact_constraint *constraint);
/* The same where weights and normal (unit, from side B to side A) are known; false when nothing there can move. */
bool mus_contact_from_geometry(const mus_assembly *a, const mus_candidate_pair *c, const double weight[4], v3 normal,
                               double toi, double dt, mus_contact_constraint *constraint);

/* Masses of a row, its levers included, by the inverse masses as they are. */
void mus_contact_set_masses(const mus_assembly *a, mus_contact_constraint *constraint);

/* One sweep over the rows that the pipeline's own rule decides about: moves x1. Unless `all`, those are passed over
 * that pushed nothing and were further than MUS_CONTACT_IDLE_MARGIN of their thickness beyond their target when last
 * looked at. */
#define MUS_CONTACT_GAP_TOLERANCE    0.1
#define MUS_CONTACT_MOTION_TOLERANCE 0.01
#define MUS_CONTACT_IDLE_MARGIN      0.1
typedef struct mus_contact_sweep_result {
    int64_t missed; /* rows found short of their target by more than MUS_CONTACT_GAP_TOLERANCE of their thickness */
    int64_t moved;  /* rows that have moved their sides by more than MUS_CONTACT_MOTION_TOLERANCE of it */
    double change;  /* sum of change^2 / mass, kg m^2 */
} mus_contact_sweep_result;
mus_contact_sweep_result mus_contacts_sweep(const mus_assembly *a, mus_contact_constraint_list *constraints, bool all);
/* After a sweep: further along the way of the last ones, whose changes this one's came to `ratio` of. A push may be
 * left negative: a sweep must follow. */
void mus_contacts_conjugate_step(const mus_assembly *a, mus_contact_constraint_list *constraints, double ratio);
/* From side B to side A at the end of the step, as far as it is known. */
v3 mus_contact_end_vector(const mus_assembly *a, const mus_contact_constraint *constraint);
/* Adds to the row's push and drag, kg m: moves x1. */
void mus_contact_apply_impulse(const mus_assembly *a, mus_contact_constraint *constraint, double normal_impulse,
                               v3 friction_impulse);

/* How many rows push. */
int64_t mus_contacts_count_active(const mus_contact_constraint_list *constraints);

/* After the step, on v1: a contact that approached fast enough leaves with its restitution's share of that speed; one
 * that was pushed apart by a position's correction keeps no more than the speed of recovery. */
void mus_contacts_apply_restitution(const mus_assembly *a, mus_contact_constraint_list *constraints, double dt);

/* Smallest approach speed that bounces: below it contacts rest. */
double mus_bounce_threshold(double dt);
/* Fastest speed, m/s, at which a missing gap is restored: a thickness in 1/120 s, whatever the step. */
double mus_recovery_speed(double thickness);

#endif
