/* wake.c: whether a world sleeps, and waking it: apart from sleep.c, which calls what calls this. */
#include "world/world_state.h"

bool mus_world_is_asleep(const mus_world *world) {
    return world->sleep.asleep;
}

void mus_world_wake(mus_world *world) {
    world->sleep = (mus_sleep){0};
}
