/* fuzz_readers.c: the readers of files, and the auditor with what they have read. The first byte chooses the format,
 * the rest is the file. */
#include "fuzz.h"
#include "io/soup.h"

static void judge(mus_status status, const mus_soup *soup) {
    if (status != MUS_STATUS_OK) {
        fuzz_require(status == MUS_STATUS_FORMAT && strncmp(mus_get_error_message(), "file", 4) == 0);
        return;
    }
    int64_t vertices = soup->vertices.count / 3, uvs = soup->uvs.count / 2;
    fuzz_require(soup->uv_faces.count == 0 || soup->uv_faces.count == soup->faces.count);
    for (int64_t i = 0; i < soup->vertices.count; i++) fuzz_require(isfinite(soup->vertices.data[i]));
    for (int64_t i = 0; i < soup->uvs.count; i++) fuzz_require(isfinite(soup->uvs.data[i]));
    for (int64_t i = 0; i < soup->faces.count; i++)
        fuzz_require(soup->faces.data[i] >= 0 && soup->faces.data[i] < vertices);
    for (int64_t i = 0; i < soup->uv_faces.count; i++)
        fuzz_require(soup->uv_faces.data[i] >= 0 && soup->uv_faces.data[i] < uvs);
    if (soup->faces.count == 0) return;
    bool textured = soup->uv_faces.count > 0;
    mus_mesh_def def = {mus_mesh_def_default().cookie,
                        .vertices = soup->vertices.data,
                        .faces = soup->faces.data,
                        .uvs = textured ? soup->uvs.data : NULL,
                        .uv_faces = textured ? soup->uv_faces.data : NULL,
                        .vertex_count = (int32_t)vertices,
                        .face_count = (int32_t)(soup->faces.count / 3),
                        .uv_count = textured ? (int32_t)uvs : 0};
    mus_mesh *mesh, *fine;
    mus_mesh_report report;
    if (!fuzz_succeeded(mus_mesh_create(&def, &mesh))) { /* a number beyond the bound is all that may be wrong */
        fuzz_require(strstr(mus_get_error_message(), "must lie within"));
        return;
    }
    if (mus_mesh_check(mesh, &report) == MUS_STATUS_OK)
        fuzz_require(report.edges == report.boundary_edges + report.hinges && report.components > 0 &&
                     report.closed == (report.boundary_loops == 0));
    fuzz_require(mus_mesh_subdivide(mesh, 1, &fine) == MUS_STATUS_OK);
    mus_mesh_destroy(fine);
    mus_mesh_destroy(mesh);
}

static void audit(const mus_part *parts, int32_t count) {
    mus_audit_report report;
    fuzz_succeeded(mus_parts_audit(parts, count, 1e-4, &report));
    mus_audit_report_destroy(&report);
}

static void read_picture(const uint8_t *data, size_t size) {
    char path[64];
    fuzz_write_file(data, size, "png", path);
    mus_picture *picture;
    mus_status status = mus_picture_load(path, &picture);
    fuzz_require(status == MUS_STATUS_OK ? picture != NULL : status == MUS_STATUS_FORMAT && !picture);
    for (int k = 0; picture && k < 9; k++) {
        double value = mus_picture_sample(picture, (k % 3 - 0.5) * 1.3, (k / 3.0 - 0.5) * 1.3);
        fuzz_require(value >= 0 && value <= 1);
    }
    mus_picture_destroy(picture);
    unlink(path);
}

/* By way of the file system, for these read whole files themselves. */
static void read_from_disk(const uint8_t *data, size_t size, const char *extension) {
    char path[64];
    fuzz_write_file(data, size, extension, path);
    mus_point_cache cache;
    mus_parts *parts;
    if (strcmp(extension, "obj") != 0) {
        fuzz_succeeded(mus_point_cache_load(path, NULL, &cache));
        mus_point_cache_destroy(&cache);
    } else if (mus_parts_load(path, &parts) == MUS_STATUS_OK) {
        int32_t count;
        const mus_part *part = mus_parts_get_all(parts, &count);
        for (int32_t i = 0; i < count; i++)
            for (int64_t k = 0; k < 3 * (int64_t)part[i].face_count; k++)
                fuzz_require(part[i].faces[k] >= 0 && part[i].faces[k] < part[i].vertex_count);
        audit(part, count);
        mus_parts_destroy(parts);
    }
    unlink(path);
}

static void read_stage(const uint8_t *data, size_t size) {
    char path[64];
    mus_usd *usd = NULL;
    int32_t count;
    fuzz_write_file(data, size, "usda", path);
    if (fuzz_succeeded(mus_usd_load(path, NULL, &usd))) {
        const mus_usd_mesh *mesh = mus_usd_get_meshes(usd, &count);
        for (int32_t k = 0; k < count; k++) {
            for (int64_t c = 0; mesh[k].rest_faces && c < 3 * (int64_t)mus_mesh_get_face_count(mesh[k].mesh); c++)
                fuzz_require(mesh[k].rest_faces[c] >= 0 && mesh[k].rest_faces[c] < mesh[k].rest_point_count);
            for (int32_t f = 0; f < 2 * mesh[k].fold_count; f++)
                fuzz_require(mesh[k].folds[f] < mus_mesh_get_face_count(mesh[k].mesh));
        }
    }
    mus_usd_destroy(usd);
    mus_point_cache cache;
    if (fuzz_succeeded(mus_point_cache_sample(path, NULL, 24, &cache)))
        for (int64_t k = 0; k < 3 * (int64_t)cache.frame_count * cache.vertex_count; k++)
            fuzz_require(isfinite(cache.positions[k]));
    mus_point_cache_destroy(&cache);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    int format = data[0] % 9;
    data++, size--;
    if (format == 7) {
        read_picture(data, size);
        fuzz_require(mus_get_allocated_bytes() == 0);
        return 0;
    }
    if (format == 8) read_stage(data, size);
    if (format >= 3 && format <= 5) {
        read_from_disk(data, size, format == 3 ? "obj" : format == 4 ? "pc2" : "npz");
        return 0;
    }
    mus_soup soup = {.vertices = {0}};
    mus_file file = {.path = "file", .data = malloc(size + 1), .size = (int64_t)size};
    fuzz_require(file.data);
    memcpy(file.data, data, size);
    file.data[size] = 0;
    if (format == 0)
        judge(mus_obj_read(&file, &soup), &soup);
    else if (format == 1)
        judge(mus_ply_read(&file, &soup), &soup);
    else if (format == 2)
        judge(mus_stl_read(&file, &soup), &soup);
    else if (format == 6)
        judge(mus_gltf_read(&file, &soup), &soup);
    else
        judge(mus_usd_read(&file, &soup), &soup);
    free(file.data);
    mus_soup_free(&soup);
    fuzz_require(mus_get_allocated_bytes() == 0);
    return 0;
}
