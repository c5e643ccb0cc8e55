/* validate.c: is a state one that a step may start from? And the auditor's view of a world. */
#include "base/parallel.h"
#include "base/range.h"
#include "base/word.h"
#include "world/overlap/overlap_exemption.h"
#include "world/slots.h"
#include "world/overlap/start.h"

#include <stdio.h>
#include <string.h>

void mus_world_view_free(mus_world_view *v) {
    mus_free(v->objects);
    mus_free(v->placed);
}

mus_status mus_world_view_make(const mus_world *world, mus_world_view *v) {
    *v = (mus_world_view){.cloth_count = (int32_t)world->cloth_order.count};
    int64_t count = world->cloth_order.count + world->obstacle_order.count, vertices = 0;
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        vertices += o->vertex_count;
    }
    v->objects = mus_new(sizeof *v->objects * (size_t)(count + 1));
    v->placed = mus_new(sizeof(double) * 3 * (size_t)(vertices + 1));
    if (!v->objects || !v->placed) {
        mus_world_view_free(v);
        *v = (mus_world_view){0};
        return MUS_STATUS_NO_MEMORY;
    }
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        v->objects[v->count++] = (mus_audit_object){.cloth = true,
                                                    .shape = MUS_SHAPE_MESH,
                                                    .vertices = cloth->x,
                                                    .faces = cloth->faces,
                                                    .vertex_count = cloth->vertex_count,
                                                    .face_count = cloth->face_count};
    }
    double *place = v->placed;
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        mus_audit_object *object = &v->objects[v->count++];
        *object = (mus_audit_object){.dynamic = mus_obstacle_is_dynamic(o),
                                     .shape = o->def.shape,
                                     .pose = o->pose,
                                     .radius = o->def.radius,
                                     .length = o->def.length};
        memcpy(object->size, o->def.size, sizeof object->size);
        memcpy(object->normal, o->def.normal, sizeof object->normal);
        if (!o->face_count) continue; /* a box has faces for other obstacles, and is exact for cloth */
        mus_obstacle_place(o, world->time, &o->pose, place);
        object->vertices = place, object->vertex_count = o->vertex_count;
        object->faces = o->faces, object->face_count = o->face_count;
        place += 3 * o->vertex_count;
    }
    return MUS_STATUS_OK;
}

const char *mus_world_object_name(const mus_world *world, int32_t k) {
    int32_t cloths = (int32_t)world->cloth_order.count;
    if (k < cloths) return ((mus_cloth *)world->cloths.data[world->cloth_order.data[k]].object)->name;
    return ((mus_obstacle *)world->obstacles.data[world->obstacle_order.data[k - cloths]].object)->name;
}

/* Pairs that do not collide are not judged. */
bool mus_world_view_ignored(const void *user, int32_t a, int32_t b) {
    const mus_world *world = user;
    const mus_assembly *assembly = &world->solver.assembly;
    return !assembly->collide[(size_t)a * (size_t)assembly->object_count + (size_t)b];
}

mus_status mus_world_audit(mus_world *world, double inside_tolerance, mus_audit_report *report) {
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
    if (!good) __atomic_store_n(&c->failed, true, __ATOMIC_RELAXED); /* several threads may say so */
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

mus_status mus_world_decide(mus_world *world, const mus_audit_report *report) {
    if (report->finding_count > 0)
        return mus_world_name_overlaps(world, report, "", "move them apart, or let them ignore each other");
    world->validated = true;
    return MUS_STATUS_OK;
}

/* The state as it is, without a change to it. */
static mus_status validate_state(mus_world *world) {
    mus_audit_report report;
    mus_status status = mus_world_audit(world, MUS_START_TOLERANCE, &report);
    if (status == MUS_STATUS_OK) status = mus_world_decide(world, &report);
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
