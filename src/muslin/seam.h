/* seam.h: seams between cloths. */
#ifndef MUSLIN_SEAM_H
#define MUSLIN_SEAM_H

#include "mesh.h"
#include "object.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Stitches that close and then stay closed. A stitch joins a vertex to a vertex or to a point of an edge: its
 * tension is the stiffness times the elongation beyond its length, at most its strength, and never negative. Its
 * length decreases linearly from the distance at which it was made to `width`, over closing_time or at `speed`, and
 * then stays constant. Forces are equal and opposite. Sewn partners are neighbors: contacts keep them apart by 0.6
 * of their distance through the seam, not by the whole thickness; the guarantee against intersections applies as for
 * all cloth. */
typedef struct mus_seam_def {
    uint32_t cookie;            /* set by the _default() function */
    mus_cloth_id a;             /* has the vertices */
    mus_cloth_id b;             /* has what they are sewn to; may be the same */
    const mus_stitch *stitches; /* count >= 1; copied */
    int32_t count;              /* number of stitches */
    double closing_time;        /* s, >= 0; 0.5. 0: `speed` applies */
    double speed;               /* m/s, >= 0; 0 */
    double stiffness;           /* N/m a stitch, > 0; < 0: four times the `stretch` of the stiffer material */
    double strength;            /* N, > 0: largest tension of a stitch; INFINITY */
    double damping; /* s, as a multiple of the stiffness, while a stitch is taut; < 0: the larger of the materials' */
    double width;   /* m, > 0: final length; < 0: the mean of both thicknesses where they are sewn */
} mus_seam_def;

/* The values that the fields name; cloths and stitches must be set. */
MUS_API mus_seam_def mus_seam_def_default(void);
/* INVALID for a vertex that does not exist, one that is sewn to itself, and values out of range; LOCKED within a
 * step. */
MUS_API mus_status mus_seam_create(mus_world *world, const mus_seam_def *def, mus_seam_id *id);
/* Removes a seam; its handle becomes stale (until a snapshot that contains it is restored). LOCKED within a step.
 * Removing either of its cloths removes a seam too. */
MUS_API mus_status mus_seam_destroy(mus_world *world, mus_seam_id id);
/* False for the handle of a removed seam. */
MUS_API bool mus_seam_is_valid(const mus_world *world, mus_seam_id id);
MUS_API int32_t mus_world_get_seam_count(const mus_world *world); /* without removed ones */
/* k-th living seam, in order of creation. */
MUS_API mus_seam_id mus_world_get_seam(const mus_world *world, int32_t k);

/* How far a seam has closed. */
typedef struct mus_seam_state {
    int32_t count;    /* of stitches */
    double largest;   /* m: the widest distance of a stitch's ends */
    double mean;      /* m */
    double pull;      /* N: the largest tension */
    double width;     /* m, final length of the stitches */
    double stiffness; /* N/m a stitch */
    bool closing;     /* some stitches are still being shortened */
    mus_cloth_id a;   /* has the vertices */
    mus_cloth_id b;   /* has what they are sewn to */
} mus_seam_state;
/* The present state of a seam. */
MUS_API mus_status mus_seam_get_state(const mus_world *world, mus_seam_id id, mus_seam_state *state);

/* The stitches and their number; valid until the seam is removed. 0 for a stale handle. */
MUS_API int32_t mus_seam_get_stitches(const mus_world *world, mus_seam_id id, const mus_stitch **stitches);

/* Stitches (count_a of them) from the vertices of line a to the points of line b at the same fraction of the line's
 * length at rest. Lines run along edges, both in the same direction of the seam; INVALID names two vertices that no
 * edge joins. */
MUS_API mus_status mus_seam_match_lines(const mus_world *world, mus_cloth_id a, const int32_t *line_a, int32_t count_a,
                                        mus_cloth_id b, const int32_t *line_b, int32_t count_b, mus_stitch *stitches);

#endif
