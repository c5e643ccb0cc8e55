/* step.c: one step as a transaction: it ends in a new state, or in the old one, with the same bits. */
#include "base/parallel.h"
#include "base/range.h"
#include "base/word.h"
#include "dynamics/plastic_stretch.h"
#include "model/crease.h"
#include "model/order.h"
#include "world/overlap/overlap_exemption.h"
#include "world/pinch.h"
#include "world/sleep.h"
#include "world/slots.h"
#include "world/time_step.h"
#include "world/overlap/start.h"

#include <string.h>

static mus_cloth *cloth_of(const mus_assembly *a, int32_t k) {
    return mus_cloth_given(a->objects[k].cloth);
}

static bool all_zero(const mus_cloth *cloth) {
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++)
        if (cloth->f[i] != 0 || signbit(cloth->f[i])) return false;
    return true;
}

/* Most steps start without external forces, and most cloth has no pins: memory for these is allocated when needed. */
static mus_status reserve_backup(mus_world *world) {
    mus_backup *b = &world->backup;
    const mus_assembly *a = &world->solver.assembly;
    size_t n = (size_t)a->cloth_vertex_count;
    bool pins = false;
    b->forced = false;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        b->forced |= !all_zero(cloth_of(a, k));
        pins |= cloth_of(a, k)->pin_count > 0;
    }
    if (b->forced && !b->f && !(b->f = mus_new(sizeof(v3) * n))) return MUS_STATUS_NO_MEMORY;
    if (pins && !b->pins && !(b->pins = mus_new(sizeof(mus_pin) * n))) return MUS_STATUS_NO_MEMORY;
    return MUS_STATUS_OK;
}

static mus_status save(mus_world *world) {
    mus_backup *b = &world->backup;
    const mus_assembly *a = &world->solver.assembly;
    mus_status status = reserve_backup(world);
    if (status != MUS_STATUS_OK) return status;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        size_t first = (size_t)a->objects[k].first, n = (size_t)cloth->vertex_count;
        mus_parallel_copy(world->solver_def.threads, b->x + first, cloth->x, cloth->vertex_count, sizeof(v3));
        mus_parallel_copy(world->solver_def.threads, b->v + first, cloth->v, cloth->vertex_count, sizeof(v3));
        if (b->forced) memcpy(b->f + first, cloth->f, sizeof(v3) * n);
        if (cloth->pin_count) memcpy(b->pins + first, cloth->pins, sizeof(mus_pin) * n);
        b->pin_counts[k] = cloth->pin_count;
    }
    for (int32_t k = 0; k < a->rigid_count; k++) b->rigids[k] = *a->rigids[k].of;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        b->poses[k - a->cloth_count] = a->objects[k].obstacle->pose;
    b->time = world->time;
    b->rng = world->rng;
    memcpy(b->gravity, world->def.gravity, sizeof b->gravity);
    memcpy(b->wind, world->def.wind, sizeof b->wind);
    b->tolerance = world->def.tolerance;
    b->path_count = world->paths.count;
    b->sleep = world->sleep;
    b->solved = b->has_contacts = false;
    return MUS_STATUS_OK;
}

/* The inverse mass of a vertex follows from its pin. */
static void restore_pins(mus_cloth *cloth, const mus_pin *pins, int32_t count) {
    size_t n = (size_t)cloth->vertex_count;
    if (count)
        memcpy(cloth->pins, pins, sizeof(mus_pin) * n);
    else if (cloth->pins)
        memset(cloth->pins, 0, sizeof(mus_pin) * n);
    cloth->pin_count = count;
    for (size_t i = 0; i < n; i++)
        cloth->inverse_mass[i] = mus_vertex_is_pinned(cloth, (int32_t)i) ? 0 : 1 / cloth->mass[i];
}

/* Sets obstacles and time to the start of the step. */
static void show_start(mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        a->objects[k].obstacle->pose = world->backup.poses[k - a->cloth_count];
    world->time = world->backup.time;
}

static void swap_contacts(mus_world *world) {
    mus_backup *b = &world->backup;
    mus_contact *data = b->contacts.data;
    int64_t count = b->contacts.count, capacity = b->contacts.capacity;
    b->contacts.data = world->contacts.data, b->contacts.count = world->contacts.count;
    b->contacts.capacity = world->contacts.capacity;
    world->contacts.data = data, world->contacts.count = count, world->contacts.capacity = capacity;
}

/* Solves the step. The contacts of a world that was asleep are kept for its failure. */
static mus_status solve(mus_world *world, const mus_step_input *input, mus_stats *stats) {
    mus_backup *b = &world->backup;
    if (b->sleep.asleep) {
        int64_t count;
        if (!mus_world_get_contacts(world, &count)) return MUS_STATUS_NO_MEMORY;
        swap_contacts(world);
        b->has_contacts = true;
    }
    b->solved = true, world->contacts_fresh = false;
    return mus_solver_step(&world->solver, input, stats);
}

static void restore(mus_world *world) {
    const mus_backup *b = &world->backup;
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = cloth_of(a, k);
        size_t first = (size_t)a->objects[k].first, n = (size_t)cloth->vertex_count;
        memcpy(cloth->x, b->x + first, sizeof(v3) * n);
        memcpy(cloth->v, b->v + first, sizeof(v3) * n);
        if (b->forced)
            memcpy(cloth->f, b->f + first, sizeof(v3) * n);
        else
            memset(cloth->f, 0, sizeof(v3) * n);
        restore_pins(cloth, b->pin_counts[k] ? b->pins + first : NULL, b->pin_counts[k]);
    }
    for (int32_t k = a->cloth_count, next = 0; k < a->object_count; k++)
        if (a->objects[k].rigid) a->objects[k].obstacle->rigid = b->rigids[next++];
    show_start(world);
    mus_solver *s = &world->solver;
    if (b->solved || !b->sleep.asleep) { /* contacts of the failed step */
        s->constraints.count = s->rigid_contacts.constraints.count = s->hits.count = 0;
        world->contacts_fresh = false;
    }
    if (b->has_contacts) swap_contacts(world), world->contacts_fresh = true;
    world->rng = b->rng;
    memcpy(world->def.gravity, b->gravity, sizeof b->gravity);
    memcpy(world->def.wind, b->wind, sizeof b->wind);
    world->def.tolerance = b->tolerance;
    world->paths.count = b->path_count;
    world->sleep = b->sleep;
}

/* Copies the solver's end state, at time t, into the cloths' arrays, the obstacles' poses and the bodies' velocities,
 * so that hooks and the audit read a consistent state. */
static void show_end(mus_world *world, double t) {
    const mus_assembly *a = &world->solver.assembly;
    world->time = t;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) a->objects[k].obstacle->pose = a->objects[k].pose1;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_object *object = &a->objects[k];
        mus_cloth_receive(cloth_of(a, k), a->x1 + object->first, a->v1 + object->first, world->solver_def.threads);
    }
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        if (a->objects[k].rigid) {
            a->objects[k].obstacle->rigid.v = a->objects[k].rigid->v1;
            a->objects[k].obstacle->rigid.momentum = a->objects[k].rigid->momentum1;
        }
}

/* Saves the cloths' arrays and the bodies' velocities, or restores them. */
static void swap_hidden(mus_world *world, bool back) {
    const mus_assembly *a = &world->solver.assembly;
    v3 *x = world->backup.hidden, *v = x + a->cloth_vertex_count, *rigid_state = v + a->cloth_vertex_count;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        if (!a->objects[k].rigid) continue;
        mus_rigid *rigid = &a->objects[k].obstacle->rigid;
        v3 *velocity = rigid_state++, *momentum = rigid_state++;
        if (back)
            rigid->v = *velocity, rigid->momentum = *momentum;
        else
            *velocity = rigid->v, *momentum = rigid->momentum;
    }
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = cloth_of(a, k);
        size_t first = (size_t)a->objects[k].first, size = sizeof(v3) * (size_t)cloth->vertex_count;
        if (back) {
            memcpy(cloth->x, x + first, size);
            memcpy(cloth->v, v + first, size);
        } else {
            memcpy(x + first, cloth->x, size);
            memcpy(v + first, cloth->v, size);
        }
    }
}

/* The hook reads the predicted state; what runs after it (motions, rules, the hook on contacts) reads the start of the
 * step, as without such a hook. */
static mus_status run_candidate_hook(void *context, double end) {
    mus_world *world = context;
    mus_backup *b = &world->backup;
    mus_assembly *a = &world->solver.assembly;
    size_t n = (size_t)a->cloth_vertex_count + (size_t)a->rigid_count + 1;
    if (!b->hidden && !(b->hidden = mus_new(sizeof(v3) * 2 * n))) return MUS_STATUS_NO_MEMORY;
    swap_hidden(world, false);
    show_end(world, end);
    mus_status status = world->callbacks.candidate(world, end, world->callbacks.user);
    if (status != MUS_STATUS_OK) return status; /* restore() follows */
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        v3 *x1 = a->x1 + a->objects[k].first;
        for (int32_t i = 0; i < cloth->vertex_count; i++)
            if (cloth->inverse_mass[i] > 0) x1[mus_cloth_solved_vertex(cloth, i)] = v3_load(cloth->x + 3 * i);
    }
    swap_hidden(world, true);
    show_start(world);
    return MUS_STATUS_OK;
}

static mus_status run_contacts(void *context) {
    mus_world *world = context;
    world->contacts_fresh = false;
    return world->callbacks.contacts(world, world->time, world->callbacks.user);
}

static bool run_cancelled(void *context) {
    mus_world *world = context;
    world->cancelled = world->cancelled || world->callbacks.cancelled(world->callbacks.user);
    return world->cancelled;
}

static mus_status forces(mus_world *world, double dt) {
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        memset(cloth_of(a, k)->f, 0, sizeof(v3) * (size_t)a->objects[k].count);
        cloth_of(a, k)->windy = false;
        memset(cloth_of(a, k)->jacobian_form, MUS_JACOBIAN_NONE, sizeof cloth_of(a, k)->jacobian_form);
    }
    mus_status status = MUS_STATUS_OK;
    if (world->callbacks.forces) {
        world->forcing = true;
        status = world->callbacks.forces(world, world->time, world->callbacks.user);
        world->forcing = false;
    }
    if (status == MUS_STATUS_OK) status = mus_world_add_pulls(world, dt);
    if (status != MUS_STATUS_OK) return status;
    for (int32_t k = 0; k < a->cloth_count; k++)
        for (int32_t i = 0; i < a->objects[k].count; i++)
            if (!mus_are_values(v3_load(cloth_of(a, k)->f + 3 * i)))
                return mus_fail(MUS_STATUS_INVALID, "forces: the force on vertex %d of cloth '%s' is %s", i + 1,
                                cloth_of(a, k)->name,
                                v3_finite(v3_load(cloth_of(a, k)->f + 3 * i)) ? "beyond +-1e30 N" : "not finite");
    return MUS_STATUS_OK;
}

enum { EDGE_PARTS = 32 };

typedef struct measuring {
    const mus_cloth *cloth;
    double worst[EDGE_PARTS]; /* square of the largest ratio of lengths, of each block of edges */
} measuring;

static void measure_edges(void *context, int64_t begin, int64_t end, int64_t block) {
    measuring *m = context;
    const mus_cloth *cloth = m->cloth;
    const int32_t *edges = cloth->topology.edges;
    double worst = 0;
    for (int64_t e = begin; e < end; e++) {
        v3 d = v3_sub(v3_load(cloth->x + 3 * edges[2 * e]), v3_load(cloth->x + 3 * edges[2 * e + 1]));
        double ratio2 = v3_length2(d) / (cloth->rest_lengths[e] * cloth->rest_lengths[e]);
        if (ratio2 > worst) worst = ratio2;
    }
    m->worst[block] = worst;
}

static void measure(mus_world *world, mus_stats *stats) {
    const mus_assembly *a = &world->solver.assembly;
    double worst = 0, energy = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        measuring m = {.cloth = cloth};
        int32_t count = cloth->topology.edge_count, size = (count - 1) / EDGE_PARTS + 1;
        int threads = cloth->vertex_count < MUS_PARALLEL_MANY_VERTICES ? 1 : world->solver_def.threads;
        mus_parallel_for(threads, count, size, measure_edges, &m);
        for (int part = 0; part < EDGE_PARTS; part++) worst = fmax(worst, m.worst[part]);
        for (int32_t i = 0; i < cloth->vertex_count; i++)
            energy += 0.5 * cloth->mass[i] * v3_length2(v3_load(cloth->v + 3 * i));
    }
    stats->max_strain = fmax(0, sqrt(worst) - 1);
    stats->kinetic_energy = energy;
}

static void commit_step(mus_world *world, double dt, bool slept) {
    mus_assembly *a = &world->solver.assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) cloth_of(a, k)->previous_dt = a->objects[k].previous_dt;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        if (a->objects[k].rigid) a->objects[k].obstacle->rigid.previous_dt = a->objects[k].previous_dt;
    world->step_index++;
    if (slept) return;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = cloth_of(a, k), *twin = a->objects[k].cloth;
        mus_creases_update(cloth, dt);
        if (twin != cloth) mus_creases_update(twin, dt);
        mus_plastic_stretch_update(cloth, dt);
    }
    mus_solver_commit(&world->solver);
    mus_sleep_commit(world);
    world->contacts_fresh = false;
}

static mus_status begin_step(mus_world *world) {
    mus_status status = mus_world_check_finite(world);
    return status == MUS_STATUS_OK ? mus_world_begin(world) : status;
}

static mus_step_input input_of(mus_world *world, double dt, bool positions_changed) {
    const mus_callbacks *hooks = &world->callbacks;
    return (mus_step_input){.environment = {.gravity = v3_load(world->def.gravity),
                                            .wind = v3_load(world->def.wind),
                                            .air_density = world->def.air_density,
                                            .threads = world->solver_def.threads,
                                            .cancelled = hooks->cancelled ? run_cancelled : NULL,
                                            .context = world},
                            .tolerance = world->def.tolerance,
                            .time = world->time,
                            .dt = dt,
                            .positions_changed = positions_changed,
                            .context = world,
                            .place_kinematic = mus_world_place_kinematic,
                            .candidate = hooks->candidate ? run_candidate_hook : NULL,
                            .contacts = hooks->contacts ? run_contacts : NULL,
                            .cancelled = hooks->cancelled ? run_cancelled : NULL};
}

/* Times that a step is attempted again with more cloth released from what pinches it. Not varied: each releases at
 * least a vertex, and a pinch has few. */
enum { RELEASES = 50 };

/* The stages of a step; everything before `commit` can be undone. */
static mus_status try_step(mus_world *world, double dt, mus_stats *stats) {
    const mus_callbacks *hooks = &world->callbacks;
    mus_stopwatch watch = mus_stopwatch_start(stats);
    /* overlaps at the start are handled before hooks read positions */
    mus_status status = world->step_index == 0 && !world->validated ? begin_step(world) : MUS_STATUS_OK;
    mus_stopwatch_lap(&watch, MUS_PHASE_VALIDATE);
    if (status == MUS_STATUS_OK && hooks->before_step) status = hooks->before_step(world, world->time, hooks->user);
    if (status == MUS_STATUS_OK) status = forces(world, dt);
    mus_stopwatch_lap(&watch, MUS_PHASE_HOOKS);
    if (status != MUS_STATUS_OK) return status;
    /* Scripts may write velocities in any step, and one that is not finite would spread to all vertices. */
    bool positions_changed = !world->validated;
    status = world->validated ? mus_world_check_finite(world) : mus_world_validate(world);
    mus_stopwatch_lap(&watch, MUS_PHASE_VALIDATE);
    if (status != MUS_STATUS_OK) return status;
    status = mus_world_gather(world);
    if (status != MUS_STATUS_OK) return status;
    world->cancelled = false;
    bool sleeps;
    status = mus_sleep_begin_step(world, dt, &sleeps);
    mus_stopwatch_lap(&watch, MUS_PHASE_OBSTACLES);
    if (status != MUS_STATUS_OK) return status;
    if (sleeps) {
        mus_sleep_keep_still(world, stats);
    } else {
        mus_step_input input = input_of(world, dt, positions_changed);
        input.may_release = mus_pinch_count(world) > 0;
        status = solve(world, &input, stats);
        for (int round = 0; status == MUS_STATUS_NO_SAFE_STEP && round < RELEASES; round++) {
            bool released = mus_pinch_release(world, dt);
            if (!released && !input.may_release) break;
            input.may_release = released;
            status = mus_world_gather(world);
            stats->substeps = 0;
            if (status == MUS_STATUS_OK) status = mus_solver_step(&world->solver, &input, stats);
        }
        if (status == MUS_STATUS_NO_SAFE_STEP) return mus_world_explain_no_safe_step(world, &world->solver);
        if (status != MUS_STATUS_OK) return status;
    }
    watch.last = mus_timer_ms(); /* the solver has recorded its own phases */
    show_end(world, world->backup.time + dt);
    if (sleeps) {
        mus_sleep_record_still(world);
    } else {
        world->contacts_fresh = false;
        if ((status = mus_sleep_record(world, dt)) != MUS_STATUS_OK) return status;
    }
    if (hooks->after_step) status = hooks->after_step(world, world->time, hooks->user);
    mus_stopwatch_lap(&watch, MUS_PHASE_HOOKS);
    if (status != MUS_STATUS_OK) return status;
    commit_step(world, dt, sleeps);
    mus_exemptions_release(world);
    stats->allowed = mus_exemptions_count(world);
    mus_pinch_end(world);
    stats->pinched = mus_pinch_count(world);
    measure(world, stats);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return MUS_STATUS_OK;
}

static mus_status step(mus_world *world, double dt) {
    mus_status status = mus_world_check_unlocked(world, "world:step");
    if (status == MUS_STATUS_OK) status = mus_world_check_complete(world);
    if (status == MUS_STATUS_OK) status = mus_world_assemble(world);
    if (status != MUS_STATUS_OK) return status;
    double start = mus_timer_ms();
    mus_stats stats = {0};
    bool validated = world->validated;
    mus_start_report found = world->start_report;
    status = save(world);
    if (status != MUS_STATUS_OK) return status;
    world->locked = true;
    status = try_step(world, dt, &stats);
    if (status == MUS_STATUS_OK) {
        stats.step_ms = mus_timer_ms() - start;
        stats.dt = dt;
        world->stats = stats;
        mus_time_step_record(world, &stats, dt);
    } else {
        restore(world);
        if (!validated && world->step_index == 0) { /* the start is validated again */
            mus_exemptions_clear(world);
            world->start_report = found;
            mus_start_pair_list_free(&world->start_pairs);
        }
        world->validated = validated;
    }
    world->locked = false;
    return status;
}

mus_status mus_world_step(mus_world *world) {
    mus_status status = step(world, mus_world_get_step_size(world));
    if (status == MUS_STATUS_OK && ++world->time_step.step >= mus_world_get_steps_per_frame(world))
        mus_time_step_adapt(world);
    return status;
}

static const int64_t most_steps_ahead = 1000000000000; /* of one call: they would take years */

static mus_status equal_steps(mus_world *world, double seconds) {
    int64_t count = mus_count_of(seconds / mus_world_get_step_size(world) * (1 - 1e-9), 0, most_steps_ahead) + 1;
    for (int64_t k = 0; k < count; k++) {
        mus_status status = step(world, seconds / (double)count);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

mus_status mus_world_advance(mus_world *world, double seconds) {
    if (!(seconds >= 0) || !isfinite(seconds))
        return mus_fail(MUS_STATUS_INVALID, "world:advance: the time must be >= 0 s (got %s)",
                        mus_word_of_number(seconds).text);
    if (seconds == 0) return MUS_STATUS_OK;
    double shortest = mus_world_is_adaptive(world) ? world->def.dt_min : mus_world_get_step_size(world);
    if (seconds / shortest > (double)most_steps_ahead || seconds * world->def.fps > (double)most_steps_ahead)
        return mus_fail(MUS_STATUS_INVALID, "world:advance: %g s are more than 1e12 steps", seconds);
    if (!mus_world_is_adaptive(world)) return equal_steps(world, seconds);
    /* spans no longer than frames */
    int64_t spans = mus_count_of(seconds * world->def.fps * (1 - 1e-9), 0, most_steps_ahead) + 1;
    for (int64_t k = 0; k < spans; k++) {
        mus_status status = equal_steps(world, seconds / (double)spans);
        if (status != MUS_STATUS_OK) return status;
        mus_time_step_adapt(world);
    }
    return MUS_STATUS_OK;
}
