/* snapshot_mesh.c: the faces of cloths and obstacles in the structure of a world. */
#include "world/snapshot.h"

int32_t *mus_world_faces(mus_archive *a, int32_t *vertex_count, int32_t *face_count, int32_t *present) {
    int64_t vertices = *vertex_count, count = *face_count;
    mus_archive_count(a, "the number of vertices", &vertices, 24);
    mus_archive_count(a, "the number of faces", &count, 12);
    if (!mus_archive_is_reading(a)) {
        mus_archive_i32(a, "a corner of the faces", present, 3 * count);
        return NULL;
    }
    if (vertices < 1 || count < 1) mus_archive_refuse(a, "a mesh has no vertices or no faces");
    if (vertices > INT32_MAX / 4 || count > INT32_MAX / 12) mus_archive_refuse(a, "a mesh is too large");
    int32_t *read = mus_archive_new(a, sizeof *read * 3 * (size_t)count);
    if (!read) return NULL;
    mus_archive_i32(a, NULL, read, 3 * count);
    if (!mus_archive_are_indices(read, 3 * count, vertices))
        mus_archive_refuse(a, "a face refers to a vertex that does not exist");
    *vertex_count = (int32_t)vertices, *face_count = (int32_t)count;
    return read;
}
