/* ogc_batch.h: contact energies of users for many terms at once, with the bits of one by one. */
#ifndef MUS_RESPONSE_OGC_BATCH_H
#define MUS_RESPONSE_OGC_BATCH_H

#include "response/ogc.h"

/* One entry a term, of any law; only those with a user's are looked at. */
typedef struct mus_ogc_batch {
    MUS_ARRAY(double) distance, slip;
    MUS_ARRAY(mus_ogc_value) value;
    MUS_ARRAY(const mus_program *) laws; /* those that there are; none: nobody needs to ask */
    MUS_ARRAY(double) room;              /* registers of one of them */
} mus_ogc_batch;

void mus_ogc_batch_free(mus_ogc_batch *batch);
/* A law that terms have from now on. */
mus_status mus_ogc_batch_admit(mus_ogc_batch *batch, const mus_program *law);
mus_status mus_ogc_batch_reserve(mus_ogc_batch *batch, int64_t count);
/* Distance and slip of the terms that have laws, at positions x. */
void mus_ogc_batch_place(const mus_ogc_batch *batch, const mus_ogc_term *terms, int64_t count, const v3 *x);
/* The values, as mus_ogc_value_of gives them, where distance and slip are. */
void mus_ogc_batch_run(const mus_ogc_batch *batch, const mus_ogc_term *terms, int64_t first, int64_t end, double least);
/* Terms that have just taken a law: it is asked, and friction goes by its push at the start of the step (`dt`: s).
 * INVALID where it is not finite, pulls too hard, falls with slip or has a kink where there is none. `rows`: the
 * terms'.
 */
mus_status mus_ogc_batch_check(mus_ogc_batch *batch, mus_ogc_term *terms, const mus_contact_constraint *constraints,
                               int64_t first, int64_t end, double dt);

#endif
