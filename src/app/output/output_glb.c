/* output_glb.c: a frame, or all frames, as binary glTF 2.0: a mesh for each part with its vertices in their order, as
 * floats, and smooth normals; seen from both sides, in the pictures' colors. A part with groups of faces has a
 * primitive for each of them, whose material has its name. An animation has a morph target for every frame of a part
 * after its first, the only one with a weight at the time of the frame. */
#include "host.h"
#include "cli/json.h"
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FLOAT = 5126, UNSIGNED = 5125, VERTEX_BUFFER = 34962, INDEX_BUFFER = 34963 };

typedef struct glb {
    json_t *views, *accessors, *meshes, *nodes, *materials, *members, *samplers, *channels, *images, *textures;
    uint64_t *serials; /* of the images' pictures; owned */
    unsigned char *bytes;
    FILE *spool; /* receives the bytes instead; NULL: none */
    size_t size, capacity;
    bool ok; /* no allocation has failed */
} glb;

static void append(glb *g, const void *data, size_t size) {
    if (g->spool) {
        fwrite(data, 1, size, g->spool); /* errors are found at its end */
        g->size += size;
        return;
    }
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

/* Adds a view of the bytes appended since `from` and returns its number. `target` 0: not of vertices or faces. */
static json_int_t view_from(glb *g, size_t from, int target) {
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)from, "byteLength",
                             (json_int_t)(g->size - from));
    if (target && json_object_set_new(view, "target", json_integer(target)) != 0) g->ok = false;
    add_item(g, g->views, view);
    return (json_int_t)json_array_size(g->views) - 1;
}

/* Adds an accessor for the bytes appended since `from` and returns its number. `target` as in view_from.
 * `low` and `high`: of the values, `width` each; NULL: not stated. */
static json_int_t accessor(glb *g, size_t from, int target, int component, int64_t count, const char *type, int width,
                           const float *low, const float *high) {
    json_int_t number = (json_int_t)json_array_size(g->accessors);
    json_int_t view = view_from(g, from, target);
    json_t *a = json_pack("{s:I, s:i, s:I, s:s}", "bufferView", view, "componentType", component, "count",
                          (json_int_t)count, "type", type);
    for (int end = 0; low && end < 2; end++) {
        json_t *limit = json_array();
        for (int k = 0; k < width; k++) add_item(g, limit, json_real((double)(end ? high : low)[k]));
        if (json_object_set_new(a, end ? "max" : "min", limit) != 0) g->ok = false;
    }
    add_item(g, g->accessors, a);
    return number;
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

/* Adds an accessor of three values for each vertex of the file. `values`: of each vertex of the part. */
static json_int_t vectors(glb *g, const float *values, const mus_part *part, const corners *c, bool limits) {
    float low[3] = {0}, high[3] = {0};
    size_t from = g->size;
    int64_t count = c ? c->count : part->vertex_count;
    for (int64_t v = 0; v < count; v++) {
        const float *p = values + 3 * (c ? c->source[v] : v);
        for (int k = 0; k < 3; k++) {
            if (v == 0 || p[k] < low[k]) low[k] = p[k];
            if (v == 0 || p[k] > high[k]) high[k] = p[k];
        }
        append(g, p, 3 * sizeof *p);
    }
    return accessor(g, from, VERTEX_BUFFER, FLOAT, count, "VEC3", 3, limits ? low : NULL, high);
}

/* Sums of the faces' normals weighted by area; up where the sum is zero. `sums`: 3 for each vertex. */
static void find_normals(const mus_part *part, const float *x, double *sums, float *normals) {
    memset(sums, 0, 3 * (size_t)part->vertex_count * sizeof *sums);
    for (int64_t f = 0; f < part->face_count; f++) {
        const int32_t *face = part->faces + 3 * f;
        const float *a = x + 3 * (int64_t)face[0], *b = x + 3 * (int64_t)face[1], *d = x + 3 * (int64_t)face[2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) u[k] = (double)b[k] - (double)a[k], v[k] = (double)d[k] - (double)a[k];
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            for (int corner = 0; corner < 3; corner++) sums[3 * (int64_t)face[corner] + k] += u[p] * v[q] - u[q] * v[p];
        }
    }
    for (int64_t v = 0; v < part->vertex_count; v++) {
        const double *sum = sums + 3 * v;
        double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (int i = 0; i < 3; i++) normals[3 * v + i] = length > 0 ? (float)(sum[i] / length) : i == 1;
    }
}

static json_int_t indices(glb *g, const mus_part *part, const corners *c, int64_t first, int64_t count) {
    size_t from = g->size;
    const int32_t *faces = c ? c->faces : part->faces;
    for (int64_t k = 3 * first; k < 3 * (first + count); k++) append_u32(g, (uint32_t)faces[k]);
    return accessor(g, from, INDEX_BUFFER, UNSIGNED, 3 * count, "SCALAR", 1, NULL, NULL);
}

double app_linear_color(double srgb) {
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

/* Adds the picture's file as an image with its texture, unless it is there, and returns the texture's number. */
static json_int_t texture(glb *g, const mus_picture *picture) {
    size_t count = json_array_size(g->images), size, from = g->size;
    uint64_t serial = mus_picture_get_serial(picture);
    for (size_t k = 0; k < count; k++)
        if (g->serials[k] == serial) return (json_int_t)k;
    uint64_t *grown = realloc(g->serials, (count + 1) * sizeof *grown);
    if (!grown) {
        g->ok = false;
        return 0;
    }
    g->serials = grown, g->serials[count] = serial;
    const void *bytes = mus_picture_get_file(picture, &size);
    append(g, bytes, size);
    json_int_t view = view_from(g, from, 0);
    append(g, "\0\0\0", (4 - size % 4) % 4); /* numbers follow at multiples of four bytes */
    add_item(g, g->images, json_pack("{s:I, s:s}", "bufferView", view, "mimeType", mus_picture_get_type(picture)));
    add_item(g, g->textures, json_pack("{s:I}", "source", (json_int_t)count));
    return (json_int_t)count;
}

/* The second coordinates of the file are 1 - v, and those of glTF's pictures begin above. */
static json_t *placed_texture(glb *g, const mus_part *part) {
    const double *at = part->picture_place;
    return json_pack("{s:I, s:{s:{s:[f,f], s:[f,f]}}}", "index", texture(g, part->picture), "extensions",
                     "KHR_texture_transform", "offset", -at[0] / at[2], 1 - (1 - at[1]) / at[3], "scale", 1 / at[2],
                     1 / at[3]);
}

/* Adds a material and returns its number; `name` may be NULL. */
static json_int_t material(glb *g, const mus_part *part, const char *name) {
    static const float white[3] = {1, 1, 1};
    const float *front = part->picture ? white : part->color;
    json_int_t number = (json_int_t)json_array_size(g->materials);
    json_t *m = json_pack("{s:b, s:{s:[f,f,f,f], s:f, s:f}}", "doubleSided", 1, "pbrMetallicRoughness",
                          "baseColorFactor", app_linear_color((double)front[0]), app_linear_color((double)front[1]),
                          app_linear_color((double)front[2]), 1.0, "metallicFactor", 0.0, "roughnessFactor", 0.9);
    if (name && json_object_set_new(m, "name", text_or_null(name)) != 0) g->ok = false;
    if (part->picture && json_object_set_new(json_object_get(m, "pbrMetallicRoughness"), "baseColorTexture",
                                             placed_texture(g, part)) != 0)
        g->ok = false;
    add_item(g, g->materials, m);
    return number;
}

/* glTF's second coordinate points down. */
static json_int_t coordinates(glb *g, const double *uvs, const corners *c) {
    size_t from = g->size;
    for (int32_t v = 0; v < c->count; v++) {
        float uv[2] = {0, 0};
        if (c->uv[v] >= 0) uv[0] = (float)uvs[2 * (size_t)c->uv[v]], uv[1] = (float)(1 - uvs[2 * (size_t)c->uv[v] + 1]);
        append(g, uv, sizeof uv);
    }
    return accessor(g, from, VERTEX_BUFFER, FLOAT, c->count, "VEC2", 2, NULL, NULL);
}

/* Scratch memory of a part; `first`: of its first frame. */
typedef struct scratch {
    float *x, *first, *normals, *first_normals; /* 3 for each vertex */
    double *sums;
} scratch;

static bool scratch_create(scratch *s, int32_t vertices) {
    size_t count = 3 * (size_t)vertices;
    float *floats = malloc(4 * count * sizeof *floats);
    *s = (scratch){.sums = malloc(count * sizeof *s->sums)};
    if (!floats || !s->sums) {
        free(floats);
        free(s->sums);
        return false;
    }
    s->x = floats, s->first = floats + count, s->normals = floats + 2 * count, s->first_normals = floats + 3 * count;
    return true;
}

static void scratch_free(scratch *s) {
    free(s->x);
    free(s->sums);
}

/* Adds a primitive of `count` faces from `first` on. `attributes`: of the vertices, shared. */
static void add_primitive(glb *g, const mus_part *part, const corners *c, json_t *primitives, json_t *attributes,
                          const char *name, int64_t first, int64_t count) {
    json_int_t index = indices(g, part, c, first, count), number = material(g, part, name);
    add_item(g, primitives,
             json_pack("{s:O, s:I, s:I}", "attributes", attributes, "indices", index, "material", number));
}

/* Adds the mesh of s->first and returns its primitives, the array's. */
static json_t *add_mesh(glb *g, const mus_part *part, const corners *c, scratch *s) {
    find_normals(part, s->first, s->sums, s->first_normals);
    json_int_t number = (json_int_t)json_array_size(g->meshes), position = vectors(g, s->first, part, c, true);
    json_int_t normal = vectors(g, s->first_normals, part, c, false);
    json_t *attributes = json_pack("{s:I, s:I}", "POSITION", position, "NORMAL", normal), *primitives = json_array();
    if (c && json_object_set_new(attributes, "TEXCOORD_0", json_integer(coordinates(g, part->uvs, c))) != 0)
        g->ok = false;
    if (!part->groups) add_primitive(g, part, c, primitives, attributes, NULL, 0, part->face_count);
    int64_t first = 0;
    for (int32_t k = 0; part->groups && k < part->group_count; first += part->groups[k++].face_count)
        if (part->groups[k].face_count > 0)
            add_primitive(g, part, c, primitives, attributes, part->groups[k].name, first, part->groups[k].face_count);
    json_decref(attributes);
    add_item(g, g->meshes, json_pack("{s:o, s:o}", "name", text_or_null(part->name), "primitives", primitives));
    add_item(g, g->nodes, json_pack("{s:o, s:I}", "name", text_or_null(part->name), "mesh", number));
    add_item(g, g->members, json_integer(number));
    return primitives;
}

/* What a part has in an animation; NULL: only one frame. */
typedef struct motion {
    const mus_parts_animation *animation;
    int32_t part;
    json_int_t times; /* accessor of the frames' times */
} motion;

static void add_channel(glb *g, json_int_t times, json_int_t values, const char *path, const char *interpolation) {
    json_int_t sampler = (json_int_t)json_array_size(g->samplers), node = (json_int_t)json_array_size(g->nodes) - 1;
    add_item(g, g->samplers,
             json_pack("{s:I, s:I, s:s}", "input", times, "output", values, "interpolation", interpolation));
    add_item(g, g->channels,
             json_pack("{s:I, s:{s:I, s:s}}", "sampler", sampler, "target", "node", node, "path", path));
}

static void add_visibility(glb *g, const motion *m) {
    const mus_part_frames *f = &m->animation->frames[m->part];
    int64_t frames = m->animation->frame_count;
    if (f->frame_count == frames) return;
    size_t from = g->size;
    for (int64_t k = 0; k < frames; k++) {
        bool there = k >= f->first_frame && k < f->first_frame + f->frame_count;
        const float scale[3] = {there, there, there};
        append(g, scale, sizeof scale);
    }
    add_channel(g, m->times, accessor(g, from, 0, FLOAT, frames, "VEC3", 3, NULL, NULL), "scale", "STEP");
}

static mus_status add_targets(glb *g, const mus_part *part, const corners *c, scratch *s, const motion *m,
                              json_t *primitives) {
    const mus_part_frames *f = &m->animation->frames[m->part];
    int64_t targets = f->frame_count - 1, frames = m->animation->frame_count;
    json_t *list = json_array();
    size_t numbers = 3 * (size_t)part->vertex_count;
    for (int64_t t = 1; t <= targets; t++) {
        mus_status status = m->animation->read(m->animation->user, m->part, f->first_frame + t, s->x);
        if (status != MUS_STATUS_OK) {
            json_decref(list);
            return status;
        }
        find_normals(part, s->x, s->sums, s->normals);
        for (size_t k = 0; k < numbers; k++) s->x[k] -= s->first[k], s->normals[k] -= s->first_normals[k];
        json_int_t position = vectors(g, s->x, part, c, true);
        add_item(g, list,
                 json_pack("{s:I, s:I}", "POSITION", position, "NORMAL", vectors(g, s->normals, part, c, false)));
    }
    for (size_t k = 0; k < json_array_size(primitives); k++)
        if (json_object_set(json_array_get(primitives, k), "targets", list) != 0) g->ok = false;
    json_decref(list);
    size_t from = g->size;
    for (int64_t k = 0; k < frames; k++)
        for (int64_t t = 1; t <= targets; t++) {
            const float weight = k - f->first_frame == t || (t == targets && k - f->first_frame > t);
            append(g, &weight, sizeof weight);
        }
    add_channel(g, m->times, accessor(g, from, 0, FLOAT, frames * targets, "SCALAR", 1, NULL, NULL), "weights",
                "LINEAR");
    return MUS_STATUS_OK;
}

static mus_status add_part(glb *g, const mus_part *part, const motion *m) {
    if (part->vertex_count == 0 || part->face_count == 0) return MUS_STATUS_OK; /* glTF has no empty meshes */
    corners c = {0};
    scratch s = {0};
    mus_status status = MUS_STATUS_OK;
    if ((part->uvs && !split_corners(part, &c)) || !scratch_create(&s, part->vertex_count)) {
        g->ok = false;
    } else {
        const corners *split = part->uvs ? &c : NULL;
        const mus_part_frames *f = m ? &m->animation->frames[m->part] : NULL;
        if (m)
            status = m->animation->read(m->animation->user, m->part, f->first_frame, s.first);
        else
            for (size_t k = 0; k < 3 * (size_t)part->vertex_count; k++) s.first[k] = (float)part->vertices[k];
        json_t *primitives = status == MUS_STATUS_OK ? add_mesh(g, part, split, &s) : NULL;
        if (primitives && m && f->moves && f->frame_count > 1) status = add_targets(g, part, split, &s, m, primitives);
        if (primitives && m && status == MUS_STATUS_OK) add_visibility(g, m);
        scratch_free(&s);
    }
    free(c.faces);
    free(c.source);
    free(c.uv);
    return status;
}

/* The JSON of everything; NULL: no memory. Owned by the caller. */
static char *dump_json(glb *g) {
    bool empty = json_array_size(g->members) == 0; /* empty lists are no glTF */
    json_t *root = json_pack("{s:{s:s, s:s}, s:i, s:[{s:O*}]}", "asset", "version", "2.0", "generator",
                             "muslin " MUS_VERSION, "scene", 0, "scenes", "nodes", empty ? NULL : g->members);
    struct {
        const char *name;
        json_t *list;
    } lists[] = {{"nodes", g->nodes},       {"meshes", g->meshes}, {"materials", g->materials},
                 {"textures", g->textures}, {"images", g->images}, {"accessors", g->accessors},
                 {"bufferViews", g->views}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (json_array_size(lists[k].list) > 0 && json_object_set(root, lists[k].name, lists[k].list) != 0)
            g->ok = false;
    if (json_array_size(g->channels) > 0 &&
        json_object_set_new(
            root, "animations",
            json_pack("[{s:s, s:O, s:O}]", "name", "motion", "samplers", g->samplers, "channels", g->channels)) != 0)
        g->ok = false;
    if (g->size > 0 &&
        json_object_set_new(root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->size)) != 0)
        g->ok = false;
    if (json_array_size(g->images) > 0 &&
        json_object_set_new(root, "extensionsUsed", json_pack("[s]", "KHR_texture_transform")) != 0)
        g->ok = false;
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(root);
    return text;
}

/* Copies the spool after the start of the file, under a temporary name in the folder, then renames it. */
static mus_status write_with_spool(const glb *start, FILE *spool, const char *path, const char *folder) {
    char *temporary = app_format("%s/.muslin-%ld.glb", folder, (long)getpid());
    FILE *file = temporary ? fopen(temporary, "wb") : NULL;
    bool ok = file && fwrite(start->bytes, 1, start->size, file) == start->size && fflush(spool) == 0;
    char block[1 << 16];
    rewind(spool);
    for (size_t n; ok && (n = fread(block, 1, sizeof block, spool)) > 0;) ok = fwrite(block, 1, n, file) == n;
    ok = ok && !ferror(spool);
    int reason = errno;
    if (file && fclose(file) != 0 && ok) ok = false, reason = errno;
    if (ok && rename(temporary, path) != 0) ok = false, reason = errno;
    mus_status status = ok ? MUS_STATUS_OK : mus_fail(MUS_STATUS_IO, "'%s': %s", path, strerror(reason));
    if (!ok && file) unlink(temporary);
    free(temporary);
    return status;
}

/* The header, the JSON padded with spaces, and the numbers, which are aligned already. */
static mus_status put_together(glb *g, const char *path, const char *folder) {
    char *text = dump_json(g);
    size_t length = text ? strlen(text) : 0, padded = (length + 3) / 4 * 4;
    uint64_t total = 12 + 8 + padded + (g->size ? 8 + g->size : 0);
    mus_status status = MUS_STATUS_OK;
    if (total > UINT32_MAX)
        status = mus_fail(MUS_STATUS_INVALID, "%s: glTF files end at 4 GB; take %s", path,
                          g->spool ? "pc2, blender, animation.abc or animation.usda" : "ply or vtp");
    glb file = {.ok = text && g->ok};
    append_u32(&file, 0x46546C67u), append_u32(&file, 2), append_u32(&file, (uint32_t)total);
    append_u32(&file, (uint32_t)padded), append_u32(&file, 0x4E4F534Au);
    if (text) append(&file, text, length);
    append(&file, "   ", padded - length);
    if (g->size) append_u32(&file, (uint32_t)g->size), append_u32(&file, 0x004E4942u);
    if (g->size && !g->spool) append(&file, g->bytes, g->size);
    free(text);
    if (status == MUS_STATUS_OK && !file.ok)
        status = mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    if (status == MUS_STATUS_OK)
        status = g->spool ? write_with_spool(&file, g->spool, path, folder)
                          : app_write_file(path, (const char *)file.bytes, file.size);
    free(file.bytes);
    return status;
}

static bool glb_create(glb *g) {
    json_t **lists[] = {&g->views,   &g->accessors, &g->meshes,   &g->nodes,  &g->materials,
                        &g->members, &g->samplers,  &g->channels, &g->images, &g->textures};
    *g = (glb){.ok = true};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) g->ok = (*lists[k] = json_array()) && g->ok;
    return g->ok;
}

static void glb_free(glb *g) {
    json_t *lists[] = {g->views,   g->accessors, g->meshes,   g->nodes,  g->materials,
                       g->members, g->samplers,  g->channels, g->images, g->textures};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) json_decref(lists[k]);
    free(g->serials);
    free(g->bytes);
    if (g->spool) fclose(g->spool);
}

mus_status app_glb_save(const char *path, const mus_part *parts, int32_t count) {
    glb g;
    mus_status status = MUS_STATUS_OK;
    bool ok = glb_create(&g);
    for (int32_t k = 0; ok && k < count && status == MUS_STATUS_OK; k++) status = add_part(&g, &parts[k], NULL);
    if (!ok) status = mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    if (status == MUS_STATUS_OK) status = put_together(&g, path, NULL);
    glb_free(&g);
    return status;
}

static FILE *open_spool(const char *folder) {
    char *path = app_format("%s/.muslin-%ld", folder, (long)getpid());
    FILE *spool = path ? fopen(path, "w+b") : NULL;
    int reason = path ? errno : ENOMEM;
    if (spool)
        unlink(path);
    else
        mus_fail(MUS_STATUS_IO, "output folder '%s': %s", folder, strerror(reason));
    free(path);
    return spool;
}

mus_status app_glb_save_animation(const char *path, const char *folder, const mus_parts_animation *a) {
    glb g;
    mus_status status = MUS_STATUS_OK;
    if (!glb_create(&g)) status = mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    if (status == MUS_STATUS_OK && !(g.spool = open_spool(folder))) status = MUS_STATUS_IO;
    if (status == MUS_STATUS_OK) {
        float first = 0, last = (float)((double)(a->frame_count - 1) / a->fps);
        for (int64_t k = 0; k < a->frame_count; k++) {
            float time = (float)((double)k / a->fps);
            append(&g, &time, sizeof time);
        }
        motion m = {a, 0, accessor(&g, 0, 0, FLOAT, a->frame_count, "SCALAR", 1, &first, &last)};
        for (; m.part < a->part_count && status == MUS_STATUS_OK; m.part++)
            status = add_part(&g, &a->parts[m.part], &m);
    }
    if (status == MUS_STATUS_OK && fflush(g.spool) != 0)
        status = mus_fail(MUS_STATUS_IO, "'%s': %s", path, strerror(errno));
    if (status == MUS_STATUS_OK) status = put_together(&g, path, folder);
    glb_free(&g);
    return status;
}
