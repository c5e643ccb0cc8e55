/* io_kit.h: what the tests of files share: a folder of their own, files from text, comparing meshes. */
#ifndef MUS_TESTS_IO_KIT_H
#define MUS_TESTS_IO_KIT_H

#include "muslin.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static inline int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/muslin_io_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int files_in_folder(void) {
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) count++;
    if (dir) closedir(dir);
    return count;
}

static inline int remove_folder(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir) closedir(dir);
    return rmdir(folder);
}

/* The path of a file of this name; valid for four calls. */
static inline const char *path_of(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline const char *file_of_bytes(const char *name, const void *data, size_t size) {
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (size > 0) assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *file_of(const char *name, const char *text) {
    return file_of_bytes(name, text, strlen(text));
}

/* All bytes of a file, with a zero byte behind them. */
static inline char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    *size = 0;
    if (!file) fail_msg("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    if (!data || fread(data, 1, *size, file) != *size) abort();
    data[*size] = 0;
    fclose(file);
    return data;
}

static inline mus_mesh *load(const char *path) {
    mus_mesh *mesh;
    mus_status status = mus_mesh_load(path, NULL, &mesh);
    if (status != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    return mesh;
}

/* The message must be the path followed by `rest`. */
static inline void refuse_file(const char *path, mus_status wanted, const char *rest) {
    mus_mesh *mesh = (mus_mesh *)1;
    char message[1024];
    mus_status status = mus_mesh_load(path, NULL, &mesh);
    if (status == MUS_STATUS_OK) fail_msg("loaded, but should say '%s'", rest);
    snprintf(message, sizeof message, "%s%s", path, rest);
    assert_string_equal(mus_get_error_message(), message);
    assert_int_equal(status, wanted);
    assert_null(mesh);
}

static inline void refuse(const char *name, const char *text, const char *rest) {
    size_t before = mus_get_allocated_bytes();
    refuse_file(file_of(name, text), MUS_STATUS_FORMAT, rest);
    assert_int_equal(mus_get_allocated_bytes(), before);
}

static inline void expect_vertices(const mus_mesh *mesh, const double *vertices, int32_t count) {
    assert_int_equal(mus_mesh_get_vertex_count(mesh), count);
    assert_memory_equal(mus_mesh_get_vertices_const(mesh), vertices, (size_t)count * 3 * sizeof *vertices);
}

static inline void expect_faces(const mus_mesh *mesh, const int32_t *faces, int32_t count) {
    assert_int_equal(mus_mesh_get_face_count(mesh), count);
    assert_memory_equal(mus_mesh_get_faces(mesh), faces, (size_t)count * 3 * sizeof *faces);
}

static inline void expect_same(const mus_mesh *a, const mus_mesh *b) {
    expect_vertices(a, mus_mesh_get_vertices_const(b), mus_mesh_get_vertex_count(b));
    expect_faces(a, mus_mesh_get_faces(b), mus_mesh_get_face_count(b));
    assert_int_equal(mus_mesh_get_uv_count(a), mus_mesh_get_uv_count(b));
    if (!mus_mesh_get_uvs(b)) return;
    assert_memory_equal(mus_mesh_get_uvs(a), mus_mesh_get_uvs(b),
                        (size_t)mus_mesh_get_uv_count(b) * 2 * sizeof(double));
    assert_memory_equal(mus_mesh_get_uv_faces(a), mus_mesh_get_uv_faces(b),
                        (size_t)mus_mesh_get_face_count(b) * 3 * sizeof(int32_t));
}

/* A mesh with numbers of all sizes and signs: three triangles on seven vertices, two of them unused. */
static inline mus_mesh *awkward_mesh(bool textured) {
    static const double v[] = {0.1,
                               -0.0,
                               1e-310,
                               1.0 / 3,
                               999999999.99999988,
                               -2.2250738585072014e-308,
                               3.141592653589793,
                               5e-324,
                               -1e-5,
                               123456789.12345679,
                               0.3,
                               -987654321.98765433,
                               7,
                               8,
                               9,
                               1e-4,
                               2,
                               -3,
                               -1e9,
                               0.7,
                               123456789.12345679};
    static const double uv[] = {0, 0.1, 0.30000000000000004, -1e-9, 2.0 / 3, 5, 1e9, 1e-9};
    static const int32_t f[] = {0, 1, 2, 2, 1, 3, 6, 0, 2}, uf[] = {0, 1, 3, 3, 1, 2, 0, 1, 2};
    mus_mesh_def def = {
        mus_mesh_def_default().cookie,    .vertices = v,     .faces = f,      .uvs = textured ? uv : NULL,
        .uv_faces = textured ? uf : NULL, .vertex_count = 7, .face_count = 3, .uv_count = textured ? 4 : 0};
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create(&def, &mesh), MUS_STATUS_OK);
    return mesh;
}

#endif
