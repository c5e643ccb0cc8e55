/* fuzz_readers.c: a libFuzzer target for the readers of files, built and run by tests/fuzz/run.sh. The first byte
 * chooses the format, the rest is the file. */
#include "io/soup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

static void judge(mus_status status, const mus_soup *soup) {
    if (status != MUS_STATUS_OK) {
        require(status == MUS_STATUS_FORMAT && strncmp(mus_error_message(), "file", 4) == 0);
        return;
    }
    int64_t vertices = soup->vertices.count / 3, uvs = soup->uvs.count / 2;
    require(soup->uv_faces.count == 0 || soup->uv_faces.count == soup->faces.count);
    for (int64_t i = 0; i < soup->vertices.count; i++) require(isfinite(soup->vertices.data[i]));
    for (int64_t i = 0; i < soup->uvs.count; i++) require(isfinite(soup->uvs.data[i]));
    for (int64_t i = 0; i < soup->faces.count; i++) require(soup->faces.data[i] >= 0 && soup->faces.data[i] < vertices);
    for (int64_t i = 0; i < soup->uv_faces.count; i++)
        require(soup->uv_faces.data[i] >= 0 && soup->uv_faces.data[i] < uvs);
    if (soup->faces.count == 0) return;
    bool textured = soup->uv_faces.count > 0;
    mus_mesh_def def = {.vertices = soup->vertices.data,
                        .faces = soup->faces.data,
                        .uvs = textured ? soup->uvs.data : NULL,
                        .uv_faces = textured ? soup->uv_faces.data : NULL,
                        .vertex_count = (int32_t)vertices,
                        .face_count = (int32_t)(soup->faces.count / 3),
                        .uv_count = textured ? (int32_t)uvs : 0};
    mus_mesh *mesh, *fine;
    mus_mesh_report report;
    require(mus_mesh_create(&def, &mesh) == MUS_STATUS_OK);
    if (mus_mesh_check(mesh, &report) == MUS_STATUS_OK)
        require(report.edges == report.boundary_edges + report.hinges && report.components > 0 &&
                report.closed == (report.boundary_loops == 0));
    require(mus_mesh_subdivide(mesh, 1, &fine) == MUS_STATUS_OK);
    mus_mesh_destroy(fine);
    mus_mesh_destroy(mesh);
}

/* By way of the file system, for these read whole files themselves. */
static void read_from_disk(const uint8_t *data, size_t size, const char *extension) {
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/muslin_fuzz_%ld.%s", (long)getpid(), extension);
    FILE *file = fopen(path, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    mus_point_cache cache;
    mus_parts *parts;
    if (strcmp(extension, "pc2") == 0) {
        mus_point_cache_load(path, &cache);
        mus_point_cache_destroy(&cache);
    } else if (mus_parts_load(path, &parts) == MUS_STATUS_OK) {
        int32_t count;
        const mus_part *part = mus_parts_get(parts, &count);
        for (int32_t i = 0; i < count; i++)
            for (int64_t k = 0; k < 3 * (int64_t)part[i].face_count; k++)
                require(part[i].faces[k] >= 0 && part[i].faces[k] < part[i].vertex_count);
        mus_parts_destroy(parts);
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    int format = data[0] % 5;
    data++, size--;
    if (format >= 3) {
        read_from_disk(data, size, format == 3 ? "obj" : "pc2");
        return 0;
    }
    mus_soup soup = {.vertices = {0}};
    mus_file file = {.path = "file", .data = malloc(size + 1), .size = (int64_t)size};
    require(file.data);
    memcpy(file.data, data, size);
    file.data[size] = 0;
    if (format == 0)
        judge(mus_obj_read(&file, &soup), &soup);
    else if (format == 1)
        judge(mus_ply_read(&file, &soup), &soup);
    else
        judge(mus_stl_read(&file, &soup), &soup);
    free(file.data);
    mus_soup_free(&soup);
    require(mus_allocated_bytes() == 0);
    return 0;
}
