/* world.c: creation, settings and simple queries of a world. */
#include "base/cookie.h"
#include "base/rng.h"
#include "trace/program.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/range.h"
#include "world/overlap/overlap_exemption.h"
#include "world/overlap/start.h"
#include "world/slots.h"
#include "world/time_step.h"

#include <string.h>

mus_world_def mus_world_def_default(void) {
    return (mus_world_def){.cookie = MUS_COOKIE_WORLD_DEF,
                           .dt = 1.0 / 240,
                           .fps = 60,
                           .duration = 5,
                           .gravity = {0, -9.81, 0},
                           .air_density = 1.2,
                           .seed = 1,
                           .pipeline = mus_pipeline_default()};
}

static mus_status check_def(const mus_world_def *def) {
    mus_status made = mus_check_cookie(def->cookie, MUS_COOKIE_WORLD_DEF, "world", "mus_world_def");
    if (made != MUS_STATUS_OK) return made;
    mus_status status = mus_check_range("world: field 'dt'", MUS_RANGE_POSITIVE, "s", def->dt);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("world: field 'fps'", MUS_RANGE_POSITIVE, "frames a second", def->fps);
    if (status == MUS_STATUS_OK) status = mus_time_step_check(def);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("world: field 'duration'", MUS_RANGE_AMOUNT, "s", def->duration);
    if (status == MUS_STATUS_OK)
        status = mus_check_range3("world: field 'gravity'", MUS_RANGE_ANY, "m/s^2", def->gravity);
    if (status == MUS_STATUS_OK) status = mus_check_range3("world: field 'wind'", MUS_RANGE_ANY, "m/s", def->wind);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("world: field 'air_density'", MUS_RANGE_AMOUNT, "kg/m^3", def->air_density);
    if (status != MUS_STATUS_OK) return status;
    if (def->threads < 0 || def->threads > 1024)
        return mus_fail(MUS_STATUS_INVALID,
                        "world: field 'threads' must be 0 (as many as the machine has) to 1024 (got %d)", def->threads);
    if ((int)def->overlap < 0 || def->overlap >= MUS_OVERLAP_COUNT)
        return mus_fail(MUS_STATUS_INVALID, "world: field 'overlap' must be one of mus_overlap (got %d)",
                        (int)def->overlap);
    return MUS_STATUS_OK;
}

mus_status mus_world_create(const mus_world_def *def, mus_world **out) {
    *out = NULL;
    mus_solver_def solver_def;
    mus_status status = check_def(def);
    if (status == MUS_STATUS_OK) status = mus_stages_resolve(&def->pipeline, &solver_def);
    if (status == MUS_STATUS_OK) status = mus_world_check_tolerance(&def->tolerance, &solver_def);
    if (status != MUS_STATUS_OK) return status;
    mus_world *world = mus_new(sizeof *world);
    if (!world) return MUS_STATUS_NO_MEMORY;
    world->def = *def;
    world->def.pipeline = mus_stages_names(&def->pipeline);
    world->solver_def = solver_def;
    world->solver_def.threads = mus_parallel_threads(def->threads);
    world->rng = mus_rng_make(def->seed, 0);
    world->time_step = mus_time_step_start(&world->def);
    mus_world_keep_tolerance(world, &def->tolerance);
    *out = world;
    return MUS_STATUS_OK;
}

void mus_world_destroy(mus_world *world) {
    if (!world) return;
    mus_solver_free(&world->solver);
    mus_world_free_backup(world);
    for (int64_t k = 0; k < world->cloths.count; k++) mus_cloth_free(world->cloths.data[k].object);
    for (int64_t k = 0; k < world->obstacles.count; k++) mus_obstacle_free(world->obstacles.data[k].object);
    for (int64_t k = 0; k < world->responses.count; k++) mus_world_response_free(world->responses.data[k].object);
    for (int64_t k = 0; k < world->seams.count; k++) mus_seam_free(world->seams.data[k].object);
    for (int64_t k = 0; k < world->ignored.count; k++) {
        mus_free(world->ignored.data[k].a);
        mus_free(world->ignored.data[k].b);
    }
    mus_array_free(&world->cloths);
    mus_array_free(&world->obstacles);
    mus_array_free(&world->responses);
    mus_array_free(&world->cloth_order);
    mus_array_free(&world->obstacle_order);
    mus_array_free(&world->response_order);
    mus_array_free(&world->seams);
    mus_array_free(&world->seam_order);
    mus_array_free(&world->ignored);
    for (int64_t k = 0; k < world->overlaps.count; k++) {
        mus_free(world->overlaps.data[k].a);
        mus_free(world->overlaps.data[k].b);
    }
    mus_array_free(&world->overlaps);
    for (int64_t k = 0; k < world->pinches.count; k++) {
        mus_free(world->pinches.data[k].a);
        mus_free(world->pinches.data[k].b);
    }
    mus_array_free(&world->pinches);
    mus_array_free(&world->paths);
    for (int64_t k = 0; k < world->coefficients.count; k++) mus_pair_setting_free(&world->coefficients.data[k]);
    mus_array_free(&world->coefficients);
    mus_array_free(&world->solver_responses);
    mus_array_free(&world->solver_coefficients);
    mus_array_free(&world->force_registers);
    mus_array_free(&world->contacts);
    mus_program_release(world->tolerance_place);
    mus_exemptions_clear(world);
    mus_start_pair_list_free(&world->start_pairs);
    mus_free(world);
}

const mus_world_def *mus_world_get_def(const mus_world *world) {
    return &world->def;
}

static mus_status set_vector(mus_world *world, double to[3], const double from[3], const char *subject,
                             const char *unit) {
    mus_status status = mus_check_range3(subject, MUS_RANGE_ANY, unit, from);
    if (status != MUS_STATUS_OK) return status;
    if (memcmp(to, from, sizeof(double) * 3) != 0) mus_world_wake(world);
    memcpy(to, from, sizeof(double) * 3);
    return MUS_STATUS_OK;
}

mus_status mus_world_set_gravity(mus_world *world, const double gravity[3]) {
    return set_vector(world, world->def.gravity, gravity, "world: field 'gravity'", "m/s^2");
}

mus_status mus_world_set_wind(mus_world *world, const double wind[3]) {
    return set_vector(world, world->def.wind, wind, "world: field 'wind'", "m/s");
}

double mus_world_get_time(const mus_world *world) {
    return world->time;
}
int64_t mus_world_get_step_index(const mus_world *world) {
    return world->step_index;
}
bool mus_world_is_locked(const mus_world *world) {
    return world->locked;
}
double mus_world_next_random(mus_world *world) {
    return mus_rng_double(&world->rng);
}

mus_callbacks mus_callbacks_default(void) {
    return (mus_callbacks){.cookie = MUS_COOKIE_CALLBACKS};
}

mus_status mus_world_set_callbacks(mus_world *world, const mus_callbacks *callbacks) {
    if (callbacks) {
        mus_status made =
            mus_check_cookie(callbacks->cookie, MUS_COOKIE_CALLBACKS, "world: callbacks", "mus_callbacks");
        if (made != MUS_STATUS_OK) return made;
    }
    world->callbacks = callbacks ? *callbacks : mus_callbacks_default();
    world->callbacks_missing = false;
    return MUS_STATUS_OK;
}

void mus_world_get_stats(const mus_world *world, mus_stats *stats) {
    *stats = world->stats;
}

const char *mus_phase_get_name(mus_phase phase) {
    static const char *const names[MUS_PHASE_COUNT] = {"validate", "obstacles", "hooks",    "dynamics", "contacts",
                                                       "broad",    "narrow",    "failsafe", "commit"};
    return (int)phase >= 0 && phase < MUS_PHASE_COUNT ? names[phase] : "unknown";
}

uint64_t mus_world_get_hash(const mus_world *world) {
    uint64_t hash = mus_hash_chain(0, &world->time, sizeof world->time);
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        size_t bytes = sizeof(double) * 3 * (size_t)cloth->vertex_count;
        hash = mus_hash_chain(hash, cloth->x, bytes);
        hash = mus_hash_chain(hash, cloth->v, bytes);
    }
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        if (!mus_obstacle_is_dynamic(o)) continue;
        hash = mus_hash_chain(hash, &o->pose, sizeof o->pose);
        hash = mus_hash_chain(hash, &o->rigid.v, sizeof(v3));
        hash = mus_hash_chain(hash, &o->rigid.momentum, sizeof(v3));
    }
    return hash;
}

void mus_world_changed(mus_world *world) {
    world->assembled = world->validated = false;
    mus_world_wake(world);
}

mus_status mus_world_ignore_pair(mus_world *world, mus_object_id a, mus_object_id b) {
    const char *names[2];
    mus_status status = mus_world_check_unlocked(world, "world:ignore");
    if (status == MUS_STATUS_OK) status = mus_world_check_pair(world, "ignore", a, b, names);
    if (status != MUS_STATUS_OK) return status;
    mus_ignored pair = {mus_copy_string(names[0]), mus_copy_string(names[1])};
    if (!pair.a || !pair.b || !mus_array_push(&world->ignored, pair)) {
        mus_free(pair.a);
        mus_free(pair.b);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

mus_status mus_world_set_overlap(mus_world *world, mus_object_id a, mus_object_id b, mus_overlap overlap) {
    const char *names[2];
    mus_status status = mus_world_check_unlocked(world, "world:between");
    if (status == MUS_STATUS_OK) status = mus_world_check_pair(world, "between", a, b, names);
    if (status != MUS_STATUS_OK) return status;
    if ((int)overlap < 0 || overlap >= MUS_OVERLAP_COUNT)
        return mus_fail(MUS_STATUS_INVALID, "between: overlap must be a mus_overlap (got %d)", (int)overlap);
    if (world->step_index > 0)
        return mus_fail(
            MUS_STATUS_INVALID,
            "between: field 'overlap' has an effect before the first step only (%lld were made); set it earlier",
            (long long)world->step_index);
    mus_pair_overlap pair = {mus_copy_string(names[0]), mus_copy_string(names[1]), overlap};
    if (!pair.a || !pair.b || !mus_array_push(&world->overlaps, pair)) {
        mus_free(pair.a);
        mus_free(pair.b);
        return MUS_STATUS_NO_MEMORY;
    }
    world->validated = false;
    return MUS_STATUS_OK;
}

mus_status mus_world_release_pinched(mus_world *world, mus_object_id a, mus_object_id b, bool release) {
    const char *names[2];
    mus_status status = mus_world_check_unlocked(world, "world:between");
    if (status == MUS_STATUS_OK) status = mus_world_check_pair(world, "between", a, b, names);
    if (status != MUS_STATUS_OK) return status;
    bool cloth[2] = {a.kind == MUS_OBJECT_CLOTH, b.kind == MUS_OBJECT_CLOTH};
    const mus_obstacle *obstacle = NULL;
    if (cloth[0] != cloth[1]) {
        mus_object_id other = cloth[0] ? b : a;
        obstacle = mus_slots_find(&world->obstacles, other.index, other.generation, "obstacle");
    }
    if (!obstacle || obstacle->def.shape != MUS_SHAPE_MESH)
        return mus_fail(MUS_STATUS_INVALID,
                        "between: field 'pinch' is for a cloth and an obstacle that is a mesh (got '%s' and '%s')",
                        names[0], names[1]);
    mus_pair_pinch pair = {mus_copy_string(names[0]), mus_copy_string(names[1]), release};
    if (!pair.a || !pair.b || !mus_array_push(&world->pinches, pair)) {
        mus_free(pair.a);
        mus_free(pair.b);
        return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}
