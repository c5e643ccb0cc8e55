/* output_glb.c: a frame as binary glTF 2.0: a mesh for each part with its vertices in their order, as floats, and
 * smooth normals; seen from both sides, in the pictures' colors. */
#include "host.h"
#include "cli/json.h"
#include "render/render.h"

#include <stdlib.h>

enum { FLOAT = 5126, UNSIGNED = 5125, VERTEX_BUFFER = 34962, INDEX_BUFFER = 34963 };

typedef struct glb {
    json_t *views, *accessors, *meshes, *nodes, *materials, *members;
    unsigned char *bytes;
    size_t size, capacity;
    bool ok; /* no allocation has failed */
} glb;

static void append(glb *g, const void *data, size_t size) {
    if (g->size + size > g->capacity) {
        size_t wanted = 2 * g->capacity + size;
        unsigned char *grown = realloc(g->bytes, wanted);
        if (!grown) {
            g->ok = false;
            return;
        }
        g->bytes = grown;
        g->capacity = wanted;
    }
    memcpy(g->bytes + g->size, data, size);
    g->size += size;
}

/* glTF is little endian, as every machine that this is built for. */
static void append_u32(glb *g, uint32_t value) {
    append(g, &value, sizeof value);
}

static void add_item(glb *g, json_t *array, json_t *item) {
    if (json_array_append_new(array, item) != 0) g->ok = false;
}

/* Adds an accessor for the bytes appended since `from` and returns its number. `low` and `high`: of positions. */
static json_int_t accessor(glb *g, size_t from, int target, int component, int64_t count, const char *type,
                           const float *low, const float *high) {
    json_int_t number = (json_int_t)json_array_size(g->accessors);
    add_item(g, g->views,
             json_pack("{s:i, s:I, s:I, s:i}", "buffer", 0, "byteOffset", (json_int_t)from, "byteLength",
                       (json_int_t)(g->size - from), "target", target));
    json_t *a = json_pack("{s:I, s:i, s:I, s:s}", "bufferView", number, "componentType", component, "count",
                          (json_int_t)count, "type", type);
    if (low && json_object_update_new(a, json_pack("{s:[f,f,f], s:[f,f,f]}", "min", (double)low[0], (double)low[1],
                                                   (double)low[2], "max", (double)high[0], (double)high[1],
                                                   (double)high[2])) != 0)
        g->ok = false;
    add_item(g, g->accessors, a);
    return number;
}

static json_int_t positions(glb *g, const mus_part *part) {
    float low[3] = {0}, high[3] = {0};
    size_t from = g->size;
    for (int64_t v = 0; v < part->vertex_count; v++) {
        float p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (float)part->vertices[3 * v + k];
            if (v == 0 || p[k] < low[k]) low[k] = p[k];
            if (v == 0 || p[k] > high[k]) high[k] = p[k];
        }
        append(g, p, sizeof p);
    }
    return accessor(g, from, VERTEX_BUFFER, FLOAT, part->vertex_count, "VEC3", low, high);
}

/* Sums of the faces' normals weighted by area; up where the sum is zero. */
static json_int_t normals(glb *g, const mus_part *part) {
    size_t from = g->size, n = (size_t)part->vertex_count;
    double(*sum)[3] = calloc(n + 1, sizeof *sum);
    if (!sum) g->ok = false;
    for (int64_t f = 0; sum && f < part->face_count; f++) {
        const int32_t *c = part->faces + 3 * f;
        const double *a = part->vertices + 3 * (int64_t)c[0], *b = part->vertices + 3 * (int64_t)c[1],
                     *d = part->vertices + 3 * (int64_t)c[2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = d[k] - a[k];
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            for (int corner = 0; corner < 3; corner++) sum[c[corner]][k] += u[p] * v[q] - u[q] * v[p];
        }
    }
    for (size_t v = 0; sum && v < n; v++) {
        double length = sqrt(sum[v][0] * sum[v][0] + sum[v][1] * sum[v][1] + sum[v][2] * sum[v][2]);
        float normal[3] = {0, 1, 0};
        for (int k = 0; k < 3 && length > 0; k++) normal[k] = (float)(sum[v][k] / length);
        append(g, normal, sizeof normal);
    }
    free(sum);
    return accessor(g, from, VERTEX_BUFFER, FLOAT, part->vertex_count, "VEC3", NULL, NULL);
}

static json_int_t indices(glb *g, const mus_part *part) {
    size_t from = g->size;
    for (int64_t k = 0; k < 3 * (int64_t)part->face_count; k++) append_u32(g, (uint32_t)part->faces[k]);
    return accessor(g, from, INDEX_BUFFER, UNSIGNED, 3 * (int64_t)part->face_count, "SCALAR", NULL, NULL);
}

static double linear(float srgb) {
    double c = (double)srgb;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void material(glb *g, app_part_kind kind, int color) {
    float front[3], back[3];
    app_part_colors(kind, color, front, back);
    add_item(g, g->materials,
             json_pack("{s:b, s:{s:[f,f,f,f], s:f, s:f}}", "doubleSided", 1, "pbrMetallicRoughness", "baseColorFactor",
                       linear(front[0]), linear(front[1]), linear(front[2]), 1.0, "metallicFactor", 0.0,
                       "roughnessFactor", 0.9));
}

static void add_part(glb *g, const mus_part *part, int colors[2]) {
    if (part->vertex_count == 0 || part->face_count == 0) return; /* glTF has no empty meshes */
    app_part_kind kind = strncmp(part->name, "cloth:", 6) == 0 ? APP_PART_CLOTH : APP_PART_OBSTACLE;
    material(g, kind, colors[kind]++);
    json_int_t number = (json_int_t)json_array_size(g->meshes), position = positions(g, part);
    json_int_t normal = normals(g, part), index = indices(g, part);
    add_item(g, g->meshes,
             json_pack("{s:o, s:[{s:{s:I, s:I}, s:I, s:I}]}", "name", text_or_null(part->name), "primitives",
                       "attributes", "POSITION", position, "NORMAL", normal, "indices", index, "material", number));
    add_item(g, g->nodes, json_pack("{s:o, s:I}", "name", text_or_null(part->name), "mesh", number));
    add_item(g, g->members, json_integer(number));
}

/* The header, the JSON padded with spaces, and the numbers, which are aligned already. */
static mus_status put_together(glb *g, const char *path) {
    json_t *root = json_pack("{s:{s:s, s:s}, s:i, s:[{s:O}]}", "asset", "version", "2.0", "generator",
                             "muslin " MUS_VERSION, "scene", 0, "scenes", "nodes", g->members);
    struct {
        const char *name;
        json_t *list;
    } lists[] = {{"nodes", g->nodes},
                 {"meshes", g->meshes},
                 {"materials", g->materials},
                 {"accessors", g->accessors},
                 {"bufferViews", g->views}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (json_array_size(lists[k].list) > 0 && json_object_set(root, lists[k].name, lists[k].list) != 0)
            g->ok = false;
    if (g->size > 0 &&
        json_object_set_new(root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->size)) != 0)
        g->ok = false;
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(root);
    size_t length = text ? strlen(text) : 0, padded = (length + 3) / 4 * 4;
    uint64_t total = 12 + 8 + padded + (g->size ? 8 + g->size : 0);
    mus_status status = MUS_STATUS_OK;
    if (total > UINT32_MAX) status = mus_fail(MUS_STATUS_INVALID, "%s: glTF files end at 4 GB; take ply or vtp", path);
    glb file = {.ok = text && g->ok};
    append_u32(&file, 0x46546C67u), append_u32(&file, 2), append_u32(&file, (uint32_t)total);
    append_u32(&file, (uint32_t)padded), append_u32(&file, 0x4E4F534Au);
    if (text) append(&file, text, length);
    append(&file, "   ", padded - length);
    if (g->size) {
        append_u32(&file, (uint32_t)g->size), append_u32(&file, 0x004E4942u);
        append(&file, g->bytes, g->size);
    }
    free(text);
    if (status == MUS_STATUS_OK)
        status = file.ok ? app_write_file(path, (const char *)file.bytes, file.size)
                         : mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    free(file.bytes);
    return status;
}

mus_status app_glb_save(const char *path, const mus_part *parts, int32_t count) {
    json_t *lists[6];
    bool ok = true;
    for (int k = 0; k < 6; k++) ok = (lists[k] = json_array()) && ok;
    glb g = {lists[0], lists[1], lists[2], lists[3], lists[4], lists[5], NULL, 0, 0, ok};
    int colors[2] = {0, 0};
    for (int32_t k = 0; ok && k < count; k++) add_part(&g, &parts[k], colors);
    mus_status status =
        ok ? put_together(&g, path) : mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    for (int k = 0; k < 6; k++) json_decref(lists[k]);
    free(g.bytes);
    return status;
}
