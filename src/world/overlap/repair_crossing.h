/* repair_crossing.h: pushes for surfaces that cross, for a repair of the start. */
#ifndef MUS_WORLD_OVERLAP_REPAIR_CROSSING_H
#define MUS_WORLD_OVERLAP_REPAIR_CROSSING_H

#include "world/overlap/start.h"

/* What is the same in all rounds of a repair. */
typedef struct mus_tangle {
    int8_t **turned; /* of an object that is a mesh: 1 or -1 a face: neighbours times it turn the same way round */
    int8_t *side;    /* count x count: on which side of the second object the first is to end, as its faces turn; 0:
                        that has not come up */
    int32_t count;
    bool layered; /* all that cross each other are layers: sides are chosen once, for whole objects */
} mus_tangle;
mus_status mus_tangle_make(const mus_world_view *view, mus_tangle *tangle);
void mus_tangle_free(mus_tangle *tangle);

/* Of the report's crossings; `round` seeds what disorder it takes. */
mus_status mus_repair_crossings(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                                int round, mus_tangle *tangle, mus_displacements *displacements);

/* What of objects i and j, which cross (i a cloth; j a cloth, i itself, or an obstacle without an inside), is on the
 * wrong side of the other: marks vertices with 1. `whole`: that cannot be told of all. others: of j, when it is another
 * cloth. */
mus_status mus_repair_components(const mus_world *world, const mus_world_view *view, mus_tangle *tangle,
                                 const mus_audit_report *report, int32_t i, int32_t j, int32_t *marks, int32_t *others,
                                 bool *whole);
/* Whether an object has an inside: exact shapes, closed meshes that are no cloth. */
bool mus_repair_is_solid(const mus_world_view *view, int32_t object);

#endif
