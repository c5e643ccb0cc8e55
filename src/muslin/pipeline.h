/* pipeline.h: the stages of a step and their choice. */
#ifndef MUSLIN_PIPELINE_H
#define MUSLIN_PIPELINE_H

#include "status.h"

#include <stdint.h>

/* The kinds of stages; a pipeline has one of each. */
typedef enum mus_stage_kind {
    MUS_STAGE_INTEGRATOR,
    MUS_STAGE_BROAD,
    MUS_STAGE_NARROW,
    MUS_STAGE_RESPONSE,
    MUS_STAGE_FAILSAFE,
    MUS_STAGE_STRAIN,
    MUS_STAGE_INTERNAL, /* the model of every cloth whose material has the model SPRINGS; NULL: the material's own */
    MUS_STAGE_KIND_COUNT
} mus_stage_kind;

/* A stage by name. Strings are constants. */
typedef struct mus_stage_info {
    mus_stage_kind kind;  /* where it stands in a pipeline */
    const char *name;     /* unique among its kind */
    const char *doc;      /* one line */
    const char *citation; /* paper and equation, or "" */
} mus_stage_info;

MUS_API const char *mus_stage_kind_get_name(mus_stage_kind kind); /* "integrator", "broad", … */
/* Number of stages of all kinds. */
MUS_API int32_t mus_stage_get_count(void);
MUS_API const mus_stage_info *mus_stage_get(int32_t index); /* NULL out of range */

/* Names of stages; NULL: the stage of the default pipeline ("robust"). Stages of the impulse and of the potential
 * family cannot be combined: with response "ogc", integrator, failsafe and strain must be named too. Without a name
 * the response follows from the integrator: "coupled" with implicit ones, "bridson" with others. */
typedef struct mus_pipeline {
    const char *integrator; /* advances cloth without contacts */
    const char *broad;      /* finds pairs whose boxes overlap */
    const char *narrow;     /* tests pairs for impacts */
    const char *response;   /* what happens at contacts */
    const char *failsafe;   /* what follows when responses leave hits */
    const char *strain;     /* limits the strain of edges */
    const char *internal;   /* forces of cloth: see MUS_STAGE_INTERNAL */
    /* s: the longest time between two collision detections: a step is split into equal parts that are no longer, each
     * of them a step of its own with detection and response. 0: the step; or MUS_COLLISION_STEP_STABLE. */
    double collision_step;
} mus_pipeline;

/* Collisions are detected in each stable substep of an explicit integrator; others have none, their step is whole. */
#define MUS_COLLISION_STEP_STABLE (-1.0)

/* The names of the stages of "robust", with a response of NULL. */
MUS_API mus_pipeline mus_pipeline_default(void);

#endif
