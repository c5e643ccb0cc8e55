/* overlap_exemption.h: overlap exemptions, until the parts have separated. */
#ifndef MUS_WORLD_OVERLAP_OVERLAP_EXEMPTION_H
#define MUS_WORLD_OVERLAP_OVERLAP_EXEMPTION_H

#include "base/archive.h"
#include "world/world_state.h"
#include "muslin/audit.h"

/* Replaces the exemptions by those of the overlaps in a report. */
mus_status mus_exemptions_make(mus_world *world, const mus_audit_report *report);
void mus_exemptions_clear(mus_world *world);
bool mus_exemptions_cover(const mus_world *world, const mus_audit_finding *finding);
/* Number of parts that still overlap. */
int32_t mus_exemptions_count(const mus_world *world);
/* Removes exempt findings from a report, and counts them there. */
void mus_exemptions_filter_report(const mus_world *world, mus_audit_report *report);
/* After a step: parts that have separated collide from now on. If memory is short, they do after a later step. */
void mus_exemptions_release(mus_world *world);
/* Which vertices of a cloth have separated from another object, with the faces at them: `clear` (count + 1) by the
 * numbers that `number` gives to vertices, from 1; 0: not of interest. */
mus_status mus_exemptions_find_clear(mus_world *world, int32_t cloth, int32_t other, int32_t *number, int32_t count,
                                     uint8_t *clear);
/* To call before the cloth or obstacle of a slot is removed. */
void mus_exemptions_slot_removed(mus_world *world, bool obstacle, uint32_t slot);
void mus_exemptions_archive(mus_archive *archive, mus_world *world);

#endif
