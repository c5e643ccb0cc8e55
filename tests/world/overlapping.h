/* overlapping.h: worlds that may start with overlaps, and the audit that judges them. */
#ifndef MUS_TESTS_OVERLAPPING_H
#define MUS_TESTS_OVERLAPPING_H

#include "scene.h"

static inline mus_world *make_overlapping(mus_overlap overlap, int32_t threads) {
    mus_world_def def = mus_world_def_default();
    def.overlap = overlap, def.threads = threads;
    mus_world *world = NULL;
    must(mus_world_create(&def, &world));
    return world;
}

static inline void must_be_clean(mus_world *world) {
    mus_audit_report report;
    must(mus_world_audit(world, 1e-4, &report));
    if (report.finding_count) fail_msg("%d crossings, %d inside", (int)report.intersections, (int)report.inside);
    mus_audit_report_destroy(&report);
}

/* Validation has failed with OVERLAP, its message contains `name`, and the state has the hash that it had before. */
static inline void must_be_refused(mus_world *world, mus_status status, const char *name, uint64_t before) {
    assert_int_equal(status, MUS_STATUS_OVERLAP);
    assert_non_null(strstr(mus_get_error_message(), name));
    assert_int_equal(before, mus_world_get_hash(world));
}

#endif
