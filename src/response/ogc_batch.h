/* ogc_batch.h: users' contact energies for many terms at once, bit-identical to one by one. */
#ifndef MUS_RESPONSE_OGC_BATCH_H
#define MUS_RESPONSE_OGC_BATCH_H

#include "response/ogc.h"

/* One entry per term, of any law; only those with a user's law are read. */
typedef struct mus_ogc_batch {
    MUS_ARRAY(double) distance, slip;
    MUS_ARRAY(mus_ogc_value) value;
    MUS_ARRAY(const mus_program *) laws; /* in use; empty: nothing to evaluate */
    MUS_ARRAY(double) room;              /* registers of one of them */
} mus_ogc_batch;

void mus_ogc_batch_free(mus_ogc_batch *batch);
/* Adds a law for terms to use. */
mus_status mus_ogc_batch_admit(mus_ogc_batch *batch, const mus_program *law);
mus_status mus_ogc_batch_reserve(mus_ogc_batch *batch, int64_t count);
/* Computes distance and slip of the terms that have laws, at positions x. */
void mus_ogc_batch_place(const mus_ogc_batch *batch, const mus_ogc_term *terms, int64_t count, const v3 *x);
/* Computes the values as mus_ogc_value_of does, at the stored distance and slip. */
void mus_ogc_batch_run(const mus_ogc_batch *batch, const mus_ogc_term *terms, int64_t first, int64_t end, double least);
/* Checks terms that have just got a law, and sets the friction limit by its normal force at the start of the step
 * (`dt`: s). INVALID if the law is not finite, pulls too hard, falls with slip or has a slope at slip 0. */
mus_status mus_ogc_batch_check(mus_ogc_batch *batch, mus_ogc_term *terms, int64_t first, int64_t end, double dt);

#endif
