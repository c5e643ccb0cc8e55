/* audit.c: the audit of a world's state. */
#include "base/word.h"
#include "world/overlap/overlap_exemption.h"
#include "world/overlap/start.h"

mus_status mus_world_find_overlaps(mus_world *world, double inside_tolerance, mus_audit_report *report) {
    *report = (mus_audit_report){0};
    if (!(inside_tolerance >= 0) || !isfinite(inside_tolerance))
        return mus_fail(MUS_STATUS_INVALID, "audit: the tolerance must be >= 0 m (got %s)",
                        mus_word_of_number(inside_tolerance).text);
    mus_world_view v;
    mus_status status = mus_world_assemble(world);
    if (status == MUS_STATUS_OK) status = mus_world_view_make(world, &v);
    if (status != MUS_STATUS_OK) return status;
    status = mus_audit_scene(v.objects, v.count, mus_world_view_ignored, world, inside_tolerance,
                             world->solver_def.threads, report);
    if (status == MUS_STATUS_OK) mus_exemptions_filter_report(world, report);
    mus_world_view_free(&v);
    return status;
}

mus_status mus_world_audit(mus_world *world, double inside_tolerance, mus_audit_report *report) {
    mus_status status = mus_world_find_overlaps(world, inside_tolerance, report);
    for (int64_t k = 0; status == MUS_STATUS_OK && k < report->finding_count; k++)
        for (int side = 0; side < 2; side++) {
            mus_audit_finding *f = &report->findings[k];
            f->object[side] = mus_world_object_at(world, f->part[side]);
            f->part[side] = -1;
        }
    return status;
}
