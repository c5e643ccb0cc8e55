/* untangle_crossing.h: displacements for surfaces that cross, in a repair of the start. */
#ifndef MUS_WORLD_OVERLAP_UNTANGLE_CROSSING_H
#define MUS_WORLD_OVERLAP_UNTANGLE_CROSSING_H

#include "world/overlap/crossing.h"

/* Adds displacements for the crossings of the report; `round` seeds perturbations. */
mus_status mus_untangle_crossings(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                                  int round, mus_tangle *tangle, mus_displacements *displacements);

/* Marks with 1 the vertices of object i (a cloth) on the wrong side of object j (a cloth, i itself, or an obstacle
 * without an inside), which it crosses. others: the same for j, if it is another cloth. `whole`: set if that is
 * undecided for some. */
mus_status mus_untangle_components(const mus_world *world, const mus_world_view *view, mus_tangle *tangle,
                                   const mus_audit_report *report, int32_t i, int32_t j, int32_t *marks,
                                   int32_t *others, bool *whole);
/* Returns whether an object has an inside: exact shapes, and closed meshes that are not cloth. */
bool mus_untangle_is_solid(const mus_world_view *view, int32_t object);

#endif
