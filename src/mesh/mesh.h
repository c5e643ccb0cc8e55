/* mesh.h: the contents of a mus_mesh, for the folders of the core, and the checks that its generators share. */
#ifndef MUS_MESH_MESH_H
#define MUS_MESH_MESH_H

#include "muslin/mesh.h"

/* Edges (at most three per face) and corners of all faces can then be counted in int32_t. */
#define MUS_MESH_MAX_FACES (INT32_MAX / 3)

struct mus_mesh {
    double *vertices;  /* vertex_count x 3 */
    int32_t *faces;    /* face_count x 3 */
    double *uvs;       /* uv_count x 2 or NULL */
    int32_t *uv_faces; /* face_count x 3 or NULL */
    int32_t vertex_count, face_count, uv_count;
    int32_t grid_nodes[2]; /* {0, 0}: no grid */
    mus_stitch *stitches;  /* stitch_count or NULL */
    int32_t stitch_count;
    mus_mesh_group *groups; /* group_count or NULL; the names are the mesh's */
    int32_t group_count;
};

/* Returns a mesh with room for so many of each, zero-filled; uv_count 0: none. NULL when out of memory. */
mus_mesh *mus_mesh_new(int32_t vertex_count, int32_t face_count, int32_t uv_count);

/* Copies stitches into a mesh that has none, without checks. */
mus_status mus_mesh_take_stitches(mus_mesh *mesh, const mus_stitch *stitches, int32_t count);

/* A copy of groups, of `scale` times as many faces, without checks; NULL when out of memory. count > 0. */
mus_mesh_group *mus_mesh_groups_copy(const mus_mesh_group *groups, int32_t count, int32_t scale);
void mus_mesh_groups_free(mus_mesh_group *groups, int32_t count); /* NULL is allowed */
/* Copies groups into a mesh that has none. */
mus_status mus_mesh_take_groups(mus_mesh *mesh, const mus_mesh_group *groups, int32_t count, int32_t scale);

/* INVALID, naming `what` ("mesh.grid") and the field, unless the value is finite (and > 0). */
mus_status mus_mesh_check_positive(const char *what, const char *field, double value);
mus_status mus_mesh_check_center(const char *what, const double center[3]);
/* Ends a generator: returns `made` in `mesh`, or destroys it and fails if center and size together take a vertex out of
 * range. */
mus_status mus_mesh_hand_over(const char *what, mus_mesh *made, mus_mesh **mesh);

#endif
