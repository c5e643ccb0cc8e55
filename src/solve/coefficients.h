/* coefficients.h: friction and restitution of pairs by numbers and functions of their own, in place of what the
 * materials of both sides say. */
#ifndef MUS_SOLVE_COEFFICIENTS_H
#define MUS_SOLVE_COEFFICIENTS_H

#include "response/contact_constraints.h"

typedef struct mus_pair_coefficient {
    mus_coefficient which;
    double value;        /* where there is no function */
    mus_contact_law law; /* NULL: none; mus_program_coefficient: `user` is a program */
    void *user;
    const char *a, *b, *place; /* for messages: b NULL: anything; place NULL: unknown */
} mus_pair_coefficient;

typedef struct mus_coefficients {
    const mus_pair_coefficient *all; /* the world's: */
    int32_t count;
    /* Of `all`, a number each of MUS_COEFFICIENT_COUNT x object_count x object_count, -1: what the materials say. NULL:
     * so of every pair. */
    int16_t *of;
    bool laws; /* some are functions; of these */
    bool reads_load, reads_warp;
    bool listed, warps_computed; /* in this attempt: what contacts bore is in its table; `warp` is of its start */
    v3 *warp;                    /* of cloth vertices */
    MUS_ARRAY(double) registers;
} mus_coefficients;

typedef struct mus_solver mus_solver;

/* `all` and `of` (taken over) are set: what functions read. */
void mus_coefficients_ready(mus_coefficients *coefficients, int32_t object_count);
void mus_coefficients_free(mus_coefficients *coefficients);
/* An attempt at a step begins. */
void mus_coefficients_begin(mus_coefficients *coefficients);
/* The numbers among them, into a row. */
void mus_coefficients_choose(const mus_coefficients *coefficients, const mus_assembly *assembly,
                             mus_contact_constraint *constraint);
/* The functions, into rows that have had their numbers and their responses chosen, where no response has coefficients
 * of its own. INVALID names what is out of range. */
mus_status mus_coefficients_ask(mus_solver *solver, mus_contact_constraint *constraints, int64_t count);

#endif
