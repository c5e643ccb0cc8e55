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

/* glTF has one texture coordinate a vertex: where a vertex has several, it becomes several, those after the first
 * behind all others. `source` receives the vertex of the part that each is of. */
typedef struct corners {
    int32_t *faces, *source, *uv; /* owned; vertices of the faces; of each vertex */
    int32_t count;
} corners;

static bool split_corners(const mus_part *part, corners *c) {
    size_t n = (size_t)part->vertex_count, m = 3 * (size_t)part->face_count;
    int32_t *next = malloc((n + m) * sizeof *next); /* the next copy of the same vertex, -1: none */
    *c = (corners){malloc(m * sizeof *c->faces), malloc((n + m) * sizeof *c->source), malloc((n + m) * sizeof *c->uv),
                   part->vertex_count};
    bool ok = next && c->faces && c->source && c->uv;
    for (size_t v = 0; ok && v < n; v++) c->source[v] = (int32_t)v, c->uv[v] = next[v] = -1;
    for (size_t k = 0; ok && k < m; k++) {
        int32_t v = part->faces[k], uv = part->uv_faces[k];
        while (c->uv[v] != uv && c->uv[v] >= 0 && next[v] >= 0) v = next[v];
        if (c->uv[v] >= 0 && c->uv[v] != uv) {
            next[v] = c->count;
            v = c->count++;
            next[v] = -1, c->uv[v] = -1, c->source[v] = part->faces[k];
        }
        c->uv[v] = uv;
        c->faces[k] = v;
    }
    free(next);
    return ok;
}

/* Sums of the faces' normals weighted by area; up where the sum is zero. */
static json_int_t normals(glb *g, const mus_part *part, const corners *c) {
    size_t from = g->size, n = (size_t)part->vertex_count;
    double(*sum)[3] = calloc(n + 1, sizeof *sum);
    if (!sum) g->ok = false;
    for (int64_t f = 0; sum && f < part->face_count; f++) {
        const int32_t *face = part->faces + 3 * f;
        const double *a = part->vertices + 3 * (int64_t)face[0], *b = part->vertices + 3 * (int64_t)face[1],
                     *d = part->vertices + 3 * (int64_t)face[2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = d[k] - a[k];
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            for (int corner = 0; corner < 3; corner++) sum[face[corner]][k] += u[p] * v[q] - u[q] * v[p];
        }
    }
    size_t count = c ? (size_t)c->count : n;
    for (size_t k = 0; sum && k < count; k++) {
        size_t v = c ? (size_t)c->source[k] : k;
        double length = sqrt(sum[v][0] * sum[v][0] + sum[v][1] * sum[v][1] + sum[v][2] * sum[v][2]);
        float normal[3] = {0, 1, 0};
        for (int i = 0; i < 3 && length > 0; i++) normal[i] = (float)(sum[v][i] / length);
        append(g, normal, sizeof normal);
    }
    free(sum);
    return accessor(g, from, VERTEX_BUFFER, FLOAT, (int64_t)count, "VEC3", NULL, NULL);
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

static void material(glb *g, const float front[3]) {
    add_item(g, g->materials,
             json_pack("{s:b, s:{s:[f,f,f,f], s:f, s:f}}", "doubleSided", 1, "pbrMetallicRoughness", "baseColorFactor",
                       linear(front[0]), linear(front[1]), linear(front[2]), 1.0, "metallicFactor", 0.0,
                       "roughnessFactor", 0.9));
}

/* glTF's second coordinate points down. */
static json_int_t coordinates(glb *g, const double *uvs, const corners *c) {
    size_t from = g->size;
    for (int32_t v = 0; v < c->count; v++) {
        float uv[2] = {0, 0};
        if (c->uv[v] >= 0) uv[0] = (float)uvs[2 * (size_t)c->uv[v]], uv[1] = (float)(1 - uvs[2 * (size_t)c->uv[v] + 1]);
        append(g, uv, sizeof uv);
    }
    return accessor(g, from, VERTEX_BUFFER, FLOAT, c->count, "VEC2", NULL, NULL);
}

static void add_mesh(glb *g, const mus_part *part, const mus_part *whole, const corners *c) {
    material(g, part->color);
    json_int_t number = (json_int_t)json_array_size(g->meshes), position = positions(g, whole);
    json_int_t normal = normals(g, part, c), index = indices(g, whole);
    json_t *attributes = json_pack("{s:I, s:I}", "POSITION", position, "NORMAL", normal);
    if (c && json_object_set_new(attributes, "TEXCOORD_0", json_integer(coordinates(g, part->uvs, c))) != 0)
        g->ok = false;
    add_item(g, g->meshes,
             json_pack("{s:o, s:[{s:o, s:I, s:I}]}", "name", text_or_null(part->name), "primitives", "attributes",
                       attributes, "indices", index, "material", number));
    add_item(g, g->nodes, json_pack("{s:o, s:I}", "name", text_or_null(part->name), "mesh", number));
    add_item(g, g->members, json_integer(number));
}

static void add_part(glb *g, const mus_part *part) {
    if (part->vertex_count == 0 || part->face_count == 0) return; /* glTF has no empty meshes */
    if (!part->uvs) {
        add_mesh(g, part, part, NULL);
        return;
    }
    corners c;
    mus_part whole = *part;
    double *vertices = NULL;
    if (!split_corners(part, &c) || !(vertices = malloc(3 * (size_t)c.count * sizeof *vertices))) {
        g->ok = false;
    } else {
        for (int32_t v = 0; v < c.count; v++)
            memcpy(vertices + 3 * (size_t)v, part->vertices + 3 * (size_t)c.source[v], 3 * sizeof *vertices);
        whole.vertices = vertices, whole.faces = c.faces, whole.vertex_count = c.count;
        add_mesh(g, part, &whole, &c);
    }
    free(vertices);
    free(c.faces);
    free(c.source);
    free(c.uv);
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
    for (int32_t k = 0; ok && k < count; k++) add_part(&g, &parts[k]);
    mus_status status =
        ok ? put_together(&g, path) : mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    for (int k = 0; k < 6; k++) json_decref(lists[k]);
    free(g.bytes);
    return status;
}
