/* wind.h: traced wind on the faces of a cloth. */
#ifndef MUS_DYNAMICS_WIND_H
#define MUS_DYNAMICS_WIND_H

#include "model/cloth.h"
#include "trace/program.h"

/* Numbers of working memory. */
int64_t mus_wind_register_count(const mus_program *program);
/* Adds the program's wind (m/s) at the middles of the cloth's faces to cloth->wind, which must be allocated, or
 * overwrites it if the cloth has none yet in this step. False returns the first face where it is not finite, and its
 * value there. */
bool mus_wind_add(const mus_program *program, mus_cloth *cloth, double time, double *memory, int32_t *face, v3 *wrong);

#endif
