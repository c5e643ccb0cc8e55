/* time_step.h: the length of steps, where a world may choose it. */
#ifndef MUS_WORLD_TIME_STEP_H
#define MUS_WORLD_TIME_STEP_H

#include "world/world_state.h"

bool mus_world_is_adaptive(const mus_world *world);
mus_time_step mus_time_step_start(const mus_world_def *def);
mus_status mus_time_step_check(const mus_world_def *def);
/* After a step of dt that is committed; and when a frame, or what was asked for in its place, is over. */
void mus_time_step_record(mus_world *world, const mus_stats *stats, double dt);
void mus_time_step_adapt(mus_world *world);

#endif
