/* stages.h: looks up stages by name. */
#ifndef MUS_WORLD_STAGES_H
#define MUS_WORLD_STAGES_H

#include "solve/solver.h"

/* Fills the stages with these names; NULL names take the default. INVALID names the stage and the nearest known one. */
mus_status mus_stages_resolve(const mus_pipeline *pipeline, mus_solver_def *def);
/* The pipeline with every NULL replaced by the default's name; names point into the stage list. */
mus_pipeline mus_stages_names(const mus_pipeline *pipeline);

#endif
