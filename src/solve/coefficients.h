/* coefficients.h: friction and restitution of pairs by numbers and functions, in place of those by the materials of
 * both sides. */
#ifndef MUS_SOLVE_COEFFICIENTS_H
#define MUS_SOLVE_COEFFICIENTS_H

#include "response/contact_constraints.h"
#include "muslin/contact.h"
#include "trace/law.h"

typedef struct mus_pair_coefficient {
    mus_coefficient which;
    mus_law law;               /* CONSTANT, or a function */
    const char *a, *b, *place; /* for messages: b NULL: any object; place NULL: unknown */
} mus_pair_coefficient;

typedef struct mus_coefficients {
    const mus_pair_coefficient *all; /* the world's */
    int32_t count;
    /* Index into `all` for each of MUS_COEFFICIENT_COUNT x object_count x object_count, -1: by the materials. NULL: all
     * pairs are by the materials. */
    int16_t *of;
    bool laws; /* some are functions; what these read: */
    bool reads_load, reads_warp;
    bool listed, warps_computed; /* in this attempt: the warm-start table is filled; `warp` is computed for its start */
    v3 *warp;                    /* of cloth vertices: direction of the warp */
    MUS_ARRAY(double) registers;
} mus_coefficients;

typedef struct mus_solver mus_solver;

/* To call when `all` and `of` (owned from then on) are set: finds what functions read. */
void mus_coefficients_ready(mus_coefficients *coefficients, int32_t object_count);
void mus_coefficients_free(mus_coefficients *coefficients);
/* Called at the start of an attempt at a step. */
void mus_coefficients_begin(mus_coefficients *coefficients);
/* Sets the coefficients of a contact constraint that are numbers. */
void mus_coefficients_choose(const mus_coefficients *coefficients, const mus_assembly *assembly,
                             mus_contact_constraint *constraint);
/* Evaluates the functions for contact constraints whose numbers and responses are set, where the response has no
 * coefficients of its own. INVALID names the value that is out of range. */
mus_status mus_coefficients_evaluate(mus_solver *solver, mus_contact_constraint *constraints, int64_t count);

#endif
