/* time_step.h: the time step, which an adaptive world chooses. */
#ifndef MUS_WORLD_TIME_STEP_H
#define MUS_WORLD_TIME_STEP_H

#include "world/world_state.h"

bool mus_world_is_adaptive(const mus_world *world);
mus_time_step mus_time_step_start(const mus_world_def *def);
mus_status mus_time_step_check(const mus_world_def *def);
/* To call after a committed step of dt; and at the end of a frame, or of a call to mus_world_advance. */
void mus_time_step_record(mus_world *world, const mus_stats *stats, double dt);
void mus_time_step_adapt(mus_world *world);

#endif
