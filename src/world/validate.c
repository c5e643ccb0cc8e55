/* validate.c: validation of a state from which a step may start, and the auditor's view of a world. */
#include "base/parallel.h"
#include "base/range.h"
#include "world/overlap/start.h"

typedef struct finite_check {
    const mus_cloth *cloth;
    bool failed;
} finite_check;

static void check_vertices(void *context, int64_t begin, int64_t end, int64_t block) {
    finite_check *c = context;
    bool good = true;
    (void)block;
    for (int64_t i = 3 * begin; i < 3 * end; i++) {
        good &= mus_is_length(c->cloth->x[i]);
        good &= mus_is_value(c->cloth->v[i]);
    }
    if (!good) __atomic_store_n(&c->failed, true, __ATOMIC_RELAXED); /* several threads may set it */
}

static mus_status check_finite(const mus_cloth *cloth, int threads) {
    finite_check c = {cloth, false};
    mus_parallel_vertices(threads, cloth->vertex_count, check_vertices, &c);
    for (int32_t i = 0; c.failed && i < cloth->vertex_count; i++) {
        v3 x = v3_load(cloth->x + 3 * i), v = v3_load(cloth->v + 3 * i);
        bool place = !mus_are_lengths(x);
        if (!place && mus_are_values(v)) continue;
        if (!v3_finite(place ? x : v))
            return mus_fail(MUS_STATUS_INVALID, "cloth '%s': the %s of vertex %d is not finite; write numbers only",
                            cloth->name, place ? "position" : "velocity", i + 1);
        return mus_fail(MUS_STATUS_INVALID, "cloth '%s': the %s of vertex %d must lie within +-%g %s (got %g, %g, %g)",
                        cloth->name, place ? "position" : "velocity", i + 1,
                        place ? MUS_LARGEST_LENGTH : MUS_LARGEST_VALUE, place ? "m" : "m/s", place ? x.x : v.x,
                        place ? x.y : v.y, place ? x.z : v.z);
    }
    return MUS_STATUS_OK;
}

static mus_status check_rigid_body_finite(const mus_obstacle *o) {
    if (v3_finite(o->rigid.v) && v3_finite(o->rigid.momentum) && mus_are_values(o->rigid.v)) return MUS_STATUS_OK;
    if (v3_finite(o->rigid.v) && v3_finite(o->rigid.momentum))
        return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': its velocity is beyond +-%g m/s; lower its impulses",
                        o->name, MUS_LARGEST_VALUE);
    return mus_fail(MUS_STATUS_INVALID, "obstacle '%s': its velocity is not finite; lower its impulses", o->name);
}

mus_status mus_world_check_finite(const mus_world *world) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        mus_status status =
            check_finite(world->cloths.data[world->cloth_order.data[k]].object, world->solver_def.threads);
        if (status != MUS_STATUS_OK) return status;
    }
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        mus_status status = check_rigid_body_finite(world->obstacles.data[world->obstacle_order.data[k]].object);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

/* Validates a state after the start: nothing may overlap. What was added or written so that it touches is separated, as
 * at the start: no step can move a pair without a gap. */
static mus_status validate_state(mus_world *world) {
    mus_audit_report report;
    mus_status status = mus_world_find_overlaps(world, MUS_START_TOLERANCE, &report);
    if (status == MUS_STATUS_OK && report.finding_count == 0) {
        int64_t touches = report.touches;
        mus_audit_report_destroy(&report);
        return mus_world_separate_later(world, touches);
    }
    if (status == MUS_STATUS_OK) status = mus_world_accept_if_clear(world, &report);
    mus_audit_report_destroy(&report);
    return status;
}

mus_status mus_world_validate(mus_world *world) {
    mus_status status = mus_world_assemble(world);
    if (status == MUS_STATUS_OK) status = mus_world_check_finite(world);
    if (status != MUS_STATUS_OK) return status;
    if (world->step_index > 0 || world->locked) return validate_state(world);
    return world->validated ? MUS_STATUS_OK : mus_world_begin(world);
}
