/* sleep.h: a world at rest is not advanced until something changes (mus_world_def.sleep): all cloth and rigid bodies
 * sleep and wake together. */
#ifndef MUS_WORLD_SLEEP_H
#define MUS_WORLD_SLEEP_H

#include "world/world_state.h"

/* At the start of a step of dt, after its hooks have run and the state was gathered: whether the world sleeps through
 * it; else it wakes. Places obstacles and pins at the end of the step. */
mus_status mus_sleep_begin_step(mus_world *world, double dt, bool *sleeps);
/* Makes the end of a step that the world sleeps through: cloth and bodies where they are, at velocity 0. */
void mus_sleep_keep_still(mus_world *world, mus_stats *stats);
/* At the end of such a step: the world is asleep. */
void mus_sleep_record_still(mus_world *world);
/* At the end of a step of dt that was solved: measures for how long nothing has moved. Only memory can be lacking. */
mus_status mus_sleep_record(mus_world *world, double dt);
/* When the step is committed: sets the references of motion where something has moved. */
void mus_sleep_commit(mus_world *world);

#endif
