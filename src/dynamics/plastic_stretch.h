/* plastic_stretch.h: the law of plastic stretching. */
#ifndef MUS_DYNAMICS_PLASTIC_STRETCH_H
#define MUS_DYNAMICS_PLASTIC_STRETCH_H

#include "model/plastic_stretch.h"

/* After a step of dt (s), for the positions of the given cloth: plastic stretches recover, then springs or faces beyond
 * their elastic range get longer at rest (docs/algorithms.md 4.10). */
void mus_plastic_stretch_update(mus_cloth *cloth, double dt);

#endif
