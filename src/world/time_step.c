/* time_step.c: the length of steps. Frames are split into equal steps; in an adaptive world their number is chosen at
 * the end of a frame, from the results of its steps: never by the clock, so that every run chooses the same. */
#include "world/time_step.h"
#include "base/range.h"
#include "base/word.h"

/* Limits: steps per frame; motion of an edge's ends relative to each other in a step, as a share of its length;
 * increase and decrease of the time step from one frame to the next; its decrease after an impact zone. */
enum { max_steps_per_frame = 1000000 }; /* with 1e6, a frame takes hours at least */
static const double max_edge_motion_share = 0.1, max_step_growth = 1.5, max_step_reduction = 4,
                    reduction_by_zones = 0.5;

int32_t mus_world_get_steps_per_frame(const mus_world *world) {
    double steps = 1 / (world->def.fps * world->time_step.dt);
    double whole = floor(steps + 0.5);
    if (fabs(steps - whole) < 1e-9 * steps && whole >= 1)
        return mus_index_of(whole, 1, max_steps_per_frame); /* 1/240 s at 60 frames/s is four steps, not five */
    return mus_index_of(steps + 1, 1, max_steps_per_frame);
}

double mus_world_get_step_size(const mus_world *world) {
    return 1 / (world->def.fps * mus_world_get_steps_per_frame(world));
}

bool mus_world_is_adaptive(const mus_world *world) {
    return world->def.dt_max > 0;
}

mus_time_step mus_time_step_start(const mus_world_def *def) {
    double dt = def->dt;
    if (def->dt_max > 0) dt = fmin(fmax(dt, def->dt_min), def->dt_max);
    return (mus_time_step){.dt = dt};
}

mus_status mus_time_step_check(const mus_world_def *def) {
    double dt = def->dt_max > 0 ? def->dt_min : def->dt;
    if (!(def->dt_max >= 0) || !isfinite(def->dt_max) || !(def->dt_min >= 0) || !isfinite(def->dt_min))
        return mus_fail(
            MUS_STATUS_INVALID,
            "world: fields 'dt_min' and 'dt_max' must be > 0 s, or both 0: steps of one size (got %s and %s)",
            mus_word_of_number(def->dt_min).text, mus_word_of_number(def->dt_max).text);
    if (def->dt_max > MUS_LARGEST_VALUE || (def->dt_min > 0 && def->dt_min < 1 / MUS_LARGEST_VALUE))
        return mus_fail(MUS_STATUS_INVALID,
                        "world: fields 'dt_min' and 'dt_max' must be from %g to %g s (got %g and %g)",
                        1 / MUS_LARGEST_VALUE, MUS_LARGEST_VALUE, def->dt_min, def->dt_max);
    if ((def->dt_max > 0) != (def->dt_min > 0) || def->dt_min > def->dt_max)
        return mus_fail(
            MUS_STATUS_INVALID,
            "world: fields 'dt_min' and 'dt_max' must be given together, the first no greater (got %s and %s)",
            mus_word_of_number(def->dt_min).text, mus_word_of_number(def->dt_max).text);
    if (1 / (def->fps * dt) > max_steps_per_frame)
        return mus_fail(
            MUS_STATUS_INVALID, "world: field '%s' is too small for fps = %g: more than %g steps a frame (got %s)",
            def->dt_max > 0 ? "dt_min" : "dt", def->fps, (double)max_steps_per_frame, mus_word_of_number(dt).text);
    return MUS_STATUS_OK;
}

/* Largest relative velocity of an edge's ends, in lengths of the edge per second: stretching, rotation and bending
 * alike; a fall of the whole cloth adds nothing. */
static double fastest_edge(const mus_world *world) {
    double worst2 = 0;
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        const mus_topology *t = &cloth->topology;
        for (int32_t e = 0; e < t->edge_count; e++) {
            v3 d = v3_sub(v3_load(cloth->v + 3 * (size_t)t->edges[2 * e]),
                          v3_load(cloth->v + 3 * (size_t)t->edges[2 * e + 1]));
            double rate2 = v3_length2(d) / (cloth->rest_lengths[e] * cloth->rest_lengths[e]);
            if (rate2 > worst2) worst2 = rate2;
        }
    }
    return sqrt(worst2);
}

void mus_time_step_record(mus_world *world, const mus_stats *stats, double dt) {
    mus_time_step *p = &world->time_step;
    if (!mus_world_is_adaptive(world)) return;
    double wanted = max_edge_motion_share / fmax(fastest_edge(world), 1e-12);
    if (stats->substeps > 1 && world->def.pipeline.collision_step == 0)
        wanted = fmin(wanted, dt / stats->substeps); /* the step was split, not by choice */
    if (stats->zones > 0) wanted = fmin(wanted, reduction_by_zones * dt);
    p->wanted = p->recorded ? fmin(p->wanted, wanted) : wanted;
    p->recorded = true;
}

void mus_time_step_adapt(mus_world *world) {
    mus_time_step *p = &world->time_step;
    p->step = 0;
    if (!mus_world_is_adaptive(world) || !p->recorded) return;
    double dt = fmin(fmax(p->wanted, p->dt / max_step_reduction), p->dt * max_step_growth);
    p->dt = fmin(fmax(dt, world->def.dt_min), world->def.dt_max);
    p->recorded = false, p->wanted = 0;
}
