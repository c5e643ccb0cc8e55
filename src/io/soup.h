/* soup.h: output of the readers: vertices, triangles, texture vertices and named groups, limited only by the range
 * of the indices. */
#ifndef MUS_IO_SOUP_H
#define MUS_IO_SOUP_H

#include "base/memory.h"
#include "io/file.h"
#include "muslin/file.h"

/* Vertices and triangles from these numbers on, up to the next object. */
typedef struct mus_soup_object {
    char *name;
    int32_t first_vertex, first_face;
} mus_soup_object;

typedef struct mus_soup {
    MUS_ARRAY(double) vertices; /* x y z */
    MUS_ARRAY(double) uvs;      /* u v */
    MUS_ARRAY(int32_t) faces;   /* three for each triangle, all below the number of vertices after a reader's success */
    MUS_ARRAY(int32_t) uv_faces; /* as many as faces, or none */
    MUS_ARRAY(mus_soup_object) objects;
    MUS_ARRAY(mus_mesh_group) groups; /* none, or of all faces */
    MUS_ARRAY(mus_stitch) stitches;   /* of existing vertices after a reader's success */
} mus_soup;

void mus_soup_free(mus_soup *soup);

/* Each appends one item; NO_MEMORY, or FORMAT where the count would leave int32_t. `path` is for the message. */
mus_status mus_soup_vertex(mus_soup *soup, const char *path, const double vertex[3]);
mus_status mus_soup_uv(mus_soup *soup, const char *path, const double uv[2]);
/* A polygon's triangles, fanned from its first corner; uvs NULL: none. */
mus_status mus_soup_polygon(mus_soup *soup, const char *path, const int32_t *corners, const int32_t *uvs,
                            int64_t count);

/* Whether two vertices at the same position, the first of them the earlier one, are one vertex; and a hash that is
 * equal for those that are. */
typedef struct mus_vertex_identity {
    bool (*same)(const void *user, int32_t a, int32_t b);
    uint64_t (*hash)(const void *user, int32_t vertex);
    const void *user;
} mus_vertex_identity;
uint64_t mus_hash_number(uint64_t hash, double value); /* -0 as 0 */
/* Numbers vertices so that those at the same position (-0 equals 0) have one number, if `identity` (NULL: always)
 * agrees; numbers follow the order of first occurrence. Returns how many; -1: no memory. */
int32_t mus_merge_positions(const double *positions, int64_t count, const mus_vertex_identity *identity,
                            int32_t *number);

/* The readers. Each fails with FORMAT, file, line (or byte) and reason; the caller then frees the soup. They may
 * write into the file's bytes. */
mus_status mus_obj_read(mus_file *file, mus_soup *soup);
mus_status mus_ply_read(mus_file *file, mus_soup *soup);
mus_status mus_stl_read(mus_file *file, mus_soup *soup);
mus_status mus_gltf_read(mus_file *file, mus_soup *soup); /* in the pose of the file's nodes */
mus_status mus_usd_read(mus_file *file, mus_soup *soup);  /* in the places of its prims */

/* The writers. `mesh` (may be NULL) is the mesh of the only part, for its stitches or texture vertices; a part without
 * a name is written without one. */
void mus_obj_write(mus_writer *writer, const mus_part *parts, int32_t count, const mus_mesh *mesh);
void mus_ply_write(mus_writer *writer, const mus_part *parts, int32_t count, const mus_mesh *mesh);
void mus_stl_write(mus_writer *writer, const mus_part *parts, int32_t count);
void mus_vtp_write(mus_writer *writer, const mus_part *parts, int32_t count);
void mus_usd_write(mus_writer *writer, const mus_part *parts, int32_t count);
/* Motion, of fields that mus_parts_save_animation has checked. */
mus_status mus_usd_write_animation(mus_writer *writer, const mus_parts_animation *animation);
mus_status mus_abc_write_animation(mus_writer *writer, const mus_parts_animation *animation);

/* The kind of a file by its extension. */
typedef enum mus_file_kind {
    MUS_FILE_OBJ,
    MUS_FILE_PLY,
    MUS_FILE_STL,
    MUS_FILE_GLTF,
    MUS_FILE_VTP,
    MUS_FILE_USD
} mus_file_kind;
/* INVALID, naming the known ones. VTP is only written, glTF is only read. */
mus_status mus_file_kind_of(const char *path, bool writing, mus_file_kind *kind);
/* Reads a file of any kind; on failure nothing is left to free. */
mus_status mus_soup_read(const char *path, mus_soup *soup);
/* Scales and rotates vertices; `path` and the vertex, from 1, are for the message. `options` may be NULL. */
mus_status mus_load_options_apply(const char *path, const mus_load_options *options, double *vertices, int64_t count);
/* Writes a file of any kind. */
mus_status mus_parts_write(const char *path, const mus_part *parts, int32_t count, const mus_mesh *mesh);

#endif
