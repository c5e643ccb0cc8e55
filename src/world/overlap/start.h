/* start.h: handling of a world that starts with overlaps: declarations shared by the files of this folder. */
#ifndef MUS_WORLD_OVERLAP_START_H
#define MUS_WORLD_OVERLAP_START_H

#include "base/archive.h"
#include "narrow/audit.h"
#include "world/overlap/displace.h"

/* The auditor's view of a world: cloths, then obstacles, in order of creation. Cloth vertices are the world's own. */
typedef struct mus_world_view {
    mus_audit_object *objects;
    int32_t count, cloth_count;
    double *placed; /* vertices of obstacles in the world */
} mus_world_view;

mus_status mus_world_view_make(const mus_world *world, mus_world_view *view);
void mus_world_view_free(mus_world_view *view);
/* For the assembled world (`user`): returns whether a pair does not collide, and is ignored. */
bool mus_world_view_ignored(const void *user, int32_t a, int32_t b);
const char *mus_world_object_name(const mus_world *world, int32_t k);
/* The overlap setting of two objects; NULL: they have none of their own. */
const mus_pair_overlap *mus_world_pair_overlap(const mus_world *world, int32_t a, int32_t b);

/* audit.c: mus_world_audit with findings by `part`, the place of an object in the view. */
mus_status mus_world_find_overlaps(mus_world *world, double inside_tolerance, mus_audit_report *report);

/* m: depth inside an obstacle that cloth may start with; rounding of scenes is less. */
#define MUS_START_TOLERANCE 1e-4

/* Prepares the state before the first step: refuses, untangles or exempts overlaps, and separates touching pairs.
 * Positions may change; they do not on failure. The world must be assembled. */
mus_status mus_world_begin(mus_world *world);
/* Separates touching pairs of a state after the start, in which nothing overlaps and an audit found `touches` pairs;
 * the start report stays. Positions do not change on failure: OVERLAP where separating them causes overlaps. */
mus_status mus_world_separate_later(mus_world *world, int64_t touches);
/* Sets `validated` if an audit of the present state found no overlap; else OVERLAP, naming the overlaps. */
mus_status mus_world_accept_if_clear(mus_world *world, const mus_audit_report *report);
/* name_overlaps.c: OVERLAP, naming every pair of objects in the report with its count and first features. */
mus_status mus_world_name_overlaps(const mus_world *world, const mus_audit_report *report, const char *before,
                                   const char *remedy);

/* untangle.c: moves cloth vertices until the auditor finds nothing; adds to the world's start report. OVERLAP when it
 * cannot; positions are then undefined. */
mus_status mus_world_untangle(mus_world *world, mus_start_pairs *pairs);

/* untangle_solid.c: adds displacements out of solids for the findings of the kind INSIDE, to a share of the thickness
 * beyond. */
mus_status mus_untangle_solids(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                               double share, mus_displacements *displacements);

/* start_report.c: counts what was found, by pair. */
mus_status mus_start_pairs_count(mus_start_pairs *pairs, const mus_audit_report *found);
/* Completes the world's start report with what is not where it was `before`. */
mus_status mus_start_report_moves(mus_world *world, const mus_start_pairs *pairs, const v3 *before);
void mus_start_pair_list_free(mus_start_pair_list *list);
/* READ appends to an empty list. */
void mus_start_pairs_archive(mus_archive *archive, mus_start_pair_list *list);

/* untangle_flatten.c: adds displacements for cloth that crosses itself. */
mus_status mus_untangle_flatten(const mus_audit_report *found, mus_displacements *displacements);

/* separate_touching.c: separates pairs without a gap by a tiny displacement; adds to the world's start report. */
mus_status mus_world_separate_touching(mus_world *world);

#endif
