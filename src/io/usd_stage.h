/* usd_stage.h: meshes of a layer, in the places of their prims. */
#ifndef MUS_IO_USD_STAGE_H
#define MUS_IO_USD_STAGE_H

#include "io/soup.h"
#include "io/usda.h"
#include "base/vec.h"
#include "muslin/usd.h"

#include <math.h>

/* Whether a prim and all around it are there: no class, over, inactive prim or prototype of an instancer. */
bool mus_usd_is_present(const mus_usda *layer, int32_t prim);
/* muslin:name without the kind of the object, or the prim's own name. */
const char *mus_usd_name_of(const mus_usda_prim *prim);
/* The place of a prim: a 3 x 4 matrix for column vectors that takes its coordinates to m, y up. FORMAT for an xformOp
 * that is not known, or without its value. `time`: time code, NaN: without animation. */
mus_status mus_usd_place_of(const char *path, const mus_usda *layer, int32_t prim, double time, double m[12]);
/* Whether a prim's points, or its place, have time samples; *first and *last take in their times. */
bool mus_usd_moves(const mus_usda *layer, int32_t prim, double *first, double *last);

/* A whole number from 0 to count - 1. */
bool mus_usd_index(double value, int64_t count, int32_t *index);
/* Whether the corners of its faces are clockwise, seen from the side of their normals. */
/* Whether its faces are turned around: left-handed, or mirrored by its place, and not both. */
bool mus_usd_is_turned(const mus_usda_prim *mesh, const double place[12]);
bool mus_usd_is_left_handed(const mus_usda_prim *mesh);
/* Appends the triangles of a mesh to `soup`, its points moved by `place`; texture coordinates where it has some.
 * `corners` (NULL: not wanted) receives whether the faces were triangles before. */
mus_status mus_usd_read_mesh(const char *path, const mus_usda_prim *prim, const double place[12], mus_soup *soup,
                             bool *triangles);

#endif
