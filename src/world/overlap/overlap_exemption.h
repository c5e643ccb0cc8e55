/* overlap_exemption.h: overlaps of the start that are let be until they have come apart. */
#ifndef MUS_WORLD_OVERLAP_OVERLAP_EXEMPTION_H
#define MUS_WORLD_OVERLAP_OVERLAP_EXEMPTION_H

#include "base/archive.h"
#include "world/world_state.h"

/* Lets the overlaps of a report be: instead of those there were. */
mus_status mus_exemptions_make(mus_world *world, const mus_audit_report *report);
void mus_exemptions_clear(mus_world *world);
bool mus_exemptions_cover(const mus_world *world, const mus_audit_finding *finding);
/* Parts that overlap still. */
int32_t mus_exemptions_count(const mus_world *world);
/* Takes out of a report what is let, and counts it there. */
void mus_exemptions_filter_report(const mus_world *world, mus_audit_report *report);
/* After a step: parts that have come out collide from now on. Where memory is short they do after a later step. */
void mus_exemptions_release(mus_world *world);
/* The cloth or obstacle of a slot is about to leave the world. */
void mus_exemptions_slot_removed(mus_world *world, bool obstacle, uint32_t slot);
void mus_exemptions_archive(mus_archive *archive, mus_world *world);

#endif
