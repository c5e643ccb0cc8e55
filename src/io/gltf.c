/* gltf.c: the document of a glTF file: container, buffers and accessors. */
#include "io/gltf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Places and fields --------------------------------------------------------------------------------------------
 */

mus_gltf_place mus_gltf_place_of(const char *format, ...) {
    mus_gltf_place place;
    va_list args;
    va_start(args, format);
    vsnprintf(place.text, sizeof place.text, format, args);
    va_end(args);
    return place;
}

mus_status mus_gltf_fail(const mus_gltf *g, const char *place, const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mus_fail(MUS_STATUS_FORMAT, "%s: %s: %s", g->file->path, place, text);
}

int32_t mus_gltf_count(const mus_gltf *g, const char *list) {
    size_t count = json_array_size(json_object_get(g->root, list)); /* 0 for what is no list */
    return count < INT32_MAX / 16 ? (int32_t)count : INT32_MAX / 16;
}

json_t *mus_gltf_item(const mus_gltf *g, const char *list, int32_t k) {
    json_t *item = json_array_get(json_object_get(g->root, list), (size_t)k);
    return json_is_object(item) ? item : NULL;
}

mus_status mus_gltf_list(const mus_gltf *g, const char *place, json_t *object, const char *key, json_t **list) {
    *list = json_object_get(object, key);
    return !*list || json_is_array(*list) ? MUS_STATUS_OK : mus_gltf_fail(g, place, "field '%s' must be a list", key);
}

mus_status mus_gltf_index(const mus_gltf *g, const char *place, json_t *object, const char *key, int32_t limit,
                          int32_t otherwise, int32_t *index) {
    json_t *field = json_object_get(object, key);
    *index = otherwise;
    if (!field && otherwise != -2) return MUS_STATUS_OK;
    if (!json_is_integer(field))
        return mus_gltf_fail(g, place, "field '%s' must be an integer (it is %s)", key, field ? "not one" : "missing");
    json_int_t value = json_integer_value(field);
    if (value < 0 || value >= limit)
        return mus_gltf_fail(g, place, "field '%s' must be from 0 to %d (got %lld)", key, limit - 1, (long long)value);
    *index = (int32_t)value;
    return MUS_STATUS_OK;
}

mus_status mus_gltf_numbers(const mus_gltf *g, const char *place, json_t *object, const char *key, int32_t count,
                            double *numbers, bool *there) {
    json_t *field = json_object_get(object, key);
    if (there) *there = field != NULL;
    if (!field) return MUS_STATUS_OK;
    if (!json_is_array(field) || json_array_size(field) != (size_t)count)
        return mus_gltf_fail(g, place, "field '%s' must be a list of %d numbers", key, count);
    for (int32_t k = 0; k < count; k++) {
        json_t *number = json_array_get(field, (size_t)k);
        if (!json_is_number(number)) return mus_gltf_fail(g, place, "field '%s': item %d is no number", key, k);
        numbers[k] = json_number_value(number);
    }
    return MUS_STATUS_OK;
}

mus_gltf_name mus_gltf_name_of(json_t *object) {
    mus_gltf_name name = {""};
    const char *text = json_string_value(json_object_get(object, "name"));
    if (!text) return name;
    text += strspn(text, " ");
    size_t length = strlen(text), most = sizeof name.text - 1;
    if (length > most) {
        length = most;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--; /* whole UTF-8 characters */
    }
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\\')) length--;
    memcpy(name.text, text, length);
    for (char *c = name.text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '_';
    return name;
}

/* ---- Buffers ------------------------------------------------------------------------------------------------------
 */

static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Into a new buffer (RFC 4648); FORMAT for other characters. */
static mus_status decode_base64(const mus_gltf *g, const char *place, const char *text, mus_gltf_buffer *buffer) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=') length--;
    buffer->owned = mus_resize(NULL, length / 4 * 3 + 4);
    if (!buffer->owned) return MUS_STATUS_NO_MEMORY;
    uint32_t bits = 0;
    int count = 0;
    for (size_t k = 0; k < length; k++) {
        int value = base64_value(text[k]);
        if (value < 0) return mus_gltf_fail(g, place, "field 'uri': character %zu is not base64", k + 1);
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        buffer->owned[buffer->size++] = (char)(bits >> count & 255);
    }
    buffer->data = buffer->owned;
    return MUS_STATUS_OK;
}

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Undoes %20 and the like. */
static void decode_percent(const char *from, char *to) {
    for (; *from; from++) {
        if (*from == '%' && hex_value(from[1]) >= 0 && hex_value(from[2]) >= 0) {
            *to++ = (char)(16 * hex_value(from[1]) + hex_value(from[2]));
            from += 2;
        } else
            *to++ = *from;
    }
    *to = 0;
}

/* A file beside the document. Nothing else is opened, so that a document cannot choose what is read: names with a
 * folder and links are refused. */
static mus_status read_beside(const mus_gltf *g, const char *place, const char *uri, mus_gltf_buffer *buffer) {
    const char *document = g->file->path, *slash = strrchr(document, '/');
    size_t folder = slash ? (size_t)(slash - document) + 1 : 0, length = strlen(uri);
    char *path = mus_new(folder + length + 1);
    if (!path) return MUS_STATUS_NO_MEMORY;
    memcpy(path, document, folder);
    decode_percent(uri, path + folder);
    mus_status status = MUS_STATUS_OK;
    mus_file file = {.path = path};
    const char *name = path + folder;
    if (!*name || strchr(name, '/') || strchr(name, ':') || strcmp(name, "..") == 0)
        status = mus_gltf_fail(g, place,
                               "field 'uri' must be the name of a file in the folder of the document (got '%.80s'); "
                               "export as .glb, which has its buffers within",
                               uri);
    else
        status = mus_file_read_no_link(path, &file);
    if (status == MUS_STATUS_NOT_FOUND || status == MUS_STATUS_IO)
        status = mus_fail(status, "%s: %s: %s", document, place, mus_get_error_message());
    if (status == MUS_STATUS_OK) {
        buffer->data = buffer->owned = file.data;
        buffer->size = file.size;
    }
    mus_free(path);
    return status;
}

/* binary: the second chunk of a .glb, or empty. */
static mus_status read_buffers(mus_gltf *g, mus_gltf_buffer binary) {
    int32_t count = mus_gltf_count(g, "buffers");
    for (int32_t k = 0; k < count; k++) {
        mus_gltf_place place = mus_gltf_place_of("buffers[%d]", k);
        json_t *item = mus_gltf_item(g, "buffers", k);
        const char *uri = json_string_value(json_object_get(item, "uri"));
        mus_gltf_buffer empty = {.data = ""};
        if (!mus_array_push(&g->buffers, empty)) return MUS_STATUS_NO_MEMORY;
        mus_gltf_buffer *buffer = &g->buffers.data[k];
        int32_t length;
        mus_status status = mus_gltf_index(g, place.text, item, "byteLength", INT32_MAX, -2, &length);
        if (status != MUS_STATUS_OK) return status;
        const char *comma = uri && strncmp(uri, "data:", 5) == 0 ? strchr(uri, ',') : NULL;
        if (comma && comma - uri >= 7 && strncmp(comma - 7, ";base64", 7) == 0)
            status = decode_base64(g, place.text, comma + 1, buffer);
        else if (uri && strncmp(uri, "data:", 5) == 0)
            status = mus_gltf_fail(g, place.text, "field 'uri': data must be in base64");
        else if (uri)
            status = read_beside(g, place.text, uri, buffer);
        else if (k == 0 && binary.data)
            *buffer = binary;
        else
            status = mus_gltf_fail(g, place.text, "has no 'uri', and the file no binary chunk for it");
        if (status != MUS_STATUS_OK) return status;
        if (buffer->size < length)
            return mus_gltf_fail(g, place.text, "has %lld bytes instead of %d: truncated", (long long)buffer->size,
                                 length);
        buffer->size = length;
    }
    return MUS_STATUS_OK;
}

/* ---- Container ----------------------------------------------------------------------------------------------------
 */

/* Extensions that change no vertex. */
static bool is_harmless(const char *extension) {
    static const char *const prefixes[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", NULL};
    for (int k = 0; prefixes[k]; k++)
        if (strncmp(extension, prefixes[k], strlen(prefixes[k])) == 0) return true;
    return strcmp(extension, "KHR_mesh_quantization") == 0; /* integers as positions, which are read */
}

static mus_status check_lists(const mus_gltf *g) {
    static const char *const lists[] = {"scenes",    "nodes",       "meshes",  "skins",    "animations",
                                        "accessors", "bufferViews", "buffers", "materials"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        json_t *list;
        mus_status status = mus_gltf_list(g, "document", g->root, lists[k], &list);
        if (status != MUS_STATUS_OK) return status;
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!json_is_object(json_array_get(list, i)))
                return mus_gltf_fail(g, mus_gltf_place_of("%s[%zu]", lists[k], i).text, "must be an object");
    }
    return MUS_STATUS_OK;
}

static mus_status check_asset(const mus_gltf *g) {
    const char *version = json_string_value(json_object_get(json_object_get(g->root, "asset"), "version"));
    if (!version || strncmp(version, "2.", 2) != 0)
        return mus_gltf_fail(g, "asset", "field 'version' must be 2.0 (%s%.20s)", version ? "got " : "it is missing",
                             version ? version : "");
    json_t *required = json_object_get(g->root, "extensionsRequired");
    for (size_t k = 0; k < json_array_size(required); k++) {
        const char *name = json_string_value(json_array_get(required, k));
        if (name && !is_harmless(name))
            return mus_gltf_fail(g, "extensionsRequired", "'%.60s' is not supported; export without it%s", name,
                                 strstr(name, "compression") ? ", that is, without compression" : "");
    }
    return MUS_STATUS_OK;
}

static mus_status parse(mus_gltf *g, const char *text, int64_t length) {
    json_error_t error;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, length -= 3; /* a byte order mark */
    g->root = json_loadb(text, (size_t)length, 0, &error);
    if (!g->root && json_error_code(&error) == json_error_out_of_memory)
        return mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the document", g->file->path);
    if (!g->root) return mus_fail(MUS_STATUS_FORMAT, "%s:%d: is not JSON: %s", g->file->path, error.line, error.text);
    if (!json_is_object(g->root))
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not a glTF document (an object in JSON)", g->file->path);
    mus_status status = check_asset(g);
    return status == MUS_STATUS_OK ? check_lists(g) : status;
}

enum { GLB_HEADER = 12, CHUNK_HEADER = 8, CHUNK_JSON = 0x4e4f534a, CHUNK_BINARY = 0x004e4942 };

/* The chunk at byte `at` of a .glb; FORMAT where it does not fit. */
static mus_status chunk_at(const mus_file *file, int64_t at, uint32_t *type, mus_gltf_buffer *chunk) {
    int64_t left = file->size - at - CHUNK_HEADER;
    int64_t size = left >= 0 ? (int64_t)mus_read_le32(file->data + at) : 0;
    if (left < size)
        return mus_fail(MUS_STATUS_FORMAT, "%s: byte %lld: a chunk does not fit: the file is truncated", file->path,
                        (long long)at + 1);
    *type = mus_read_le32(file->data + at + 4);
    *chunk = (mus_gltf_buffer){.data = file->data + at + CHUNK_HEADER, .size = size};
    return MUS_STATUS_OK;
}

static mus_status open_glb(mus_gltf *g) {
    const mus_file *file = g->file;
    uint32_t version = file->size >= GLB_HEADER ? mus_read_le32(file->data + 4) : 0, type;
    if (version != 2)
        return mus_fail(MUS_STATUS_FORMAT, "%s: byte 5: the version must be 2 (got %u)", file->path, version);
    mus_gltf_buffer chunk, binary = {.data = NULL};
    mus_status status = chunk_at(file, GLB_HEADER, &type, &chunk);
    if (status == MUS_STATUS_OK && type != CHUNK_JSON)
        status = mus_fail(MUS_STATUS_FORMAT, "%s: byte %d: the first chunk must be JSON", file->path, GLB_HEADER + 5);
    if (status == MUS_STATUS_OK) status = parse(g, chunk.data, chunk.size);
    if (status != MUS_STATUS_OK) return status;
    int64_t next = GLB_HEADER + CHUNK_HEADER + chunk.size;
    if (next < file->size) {
        status = chunk_at(file, next, &type, &binary);
        if (type != CHUNK_BINARY) binary.data = NULL;
    }
    return status == MUS_STATUS_OK ? read_buffers(g, binary) : status;
}

mus_status mus_gltf_open(const mus_file *file, mus_gltf *g) {
    *g = (mus_gltf){.file = file};
    if (file->size >= 4 && memcmp(file->data, "glTF", 4) == 0) return open_glb(g);
    mus_gltf_buffer none = {.data = NULL};
    mus_status status = parse(g, file->data, file->size);
    return status == MUS_STATUS_OK ? read_buffers(g, none) : status;
}

void mus_gltf_close(mus_gltf *g) {
    for (int64_t k = 0; k < g->buffers.count; k++) mus_free(g->buffers.data[k].owned);
    mus_array_free(&g->buffers);
    json_decref(g->root);
    g->root = NULL;
}

/* ---- Accessors ----------------------------------------------------------------------------------------------------
 */

enum component_type { INT8 = 5120, UINT8, INT16, UINT16, UINT32 = 5125, FLOAT32 };

static int component_size(int32_t type) {
    switch (type) {
    case INT8:
    case UINT8:
        return 1;
    case INT16:
    case UINT16:
        return 2;
    case UINT32:
    case FLOAT32:
        return 4;
    default:
        return 0;
    }
}

static double component_at(const char *at, int32_t type, bool normalized) {
    const unsigned char *b = (const unsigned char *)at;
    int wide = b[0];
    switch (type) {
    case INT8:
        wide = b[0] < 128 ? b[0] : b[0] - 256;
        return normalized ? fmax(wide / 127.0, -1) : wide;
    case UINT8:
        return normalized ? wide / 255.0 : wide;
    case INT16:
        wide = b[0] | (b[1] < 128 ? b[1] : b[1] - 256) * 256;
        return normalized ? fmax(wide / 32767.0, -1) : wide;
    case UINT16:
        wide = b[0] | b[1] << 8;
        return normalized ? wide / 65535.0 : wide;
    case UINT32:
        return mus_read_le32(at);
    default:
        break;
    }
    uint32_t bits = mus_read_le32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* `count` items of `size` bytes in a view, from byte `offset` of it on. */
typedef struct item_span {
    const char *data;
    int64_t stride;
} item_span;

static mus_status find_span(const mus_gltf *g, const char *place, int32_t view, int64_t offset, int64_t count,
                            int64_t size, item_span *out) {
    json_t *item = mus_gltf_item(g, "bufferViews", view);
    mus_gltf_place where = mus_gltf_place_of("bufferViews[%d]", view);
    int32_t buffer, start, length, stride;
    mus_status status = mus_gltf_index(g, where.text, item, "buffer", (int32_t)g->buffers.count, -2, &buffer);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, where.text, item, "byteOffset", INT32_MAX, 0, &start);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, where.text, item, "byteLength", INT32_MAX, -2, &length);
    if (status == MUS_STATUS_OK)
        status = mus_gltf_index(g, where.text, item, "byteStride", 253, (int32_t)size, &stride);
    if (status == MUS_STATUS_OK && stride < size)
        status =
            mus_gltf_fail(g, where.text, "field 'byteStride' must be from %lld, the size of an item, to 252 (got %d)",
                          (long long)size, stride);
    if (status != MUS_STATUS_OK) return status;
    if (g->buffers.data[buffer].size - start < length)
        return mus_gltf_fail(g, where.text, "ends at byte %lld of a buffer of %lld", (long long)start + length,
                             (long long)g->buffers.data[buffer].size);
    if (count > 0 && offset + stride * (count - 1) + size > length)
        return mus_gltf_fail(g, place, "does not fit into bufferViews[%d] of %d bytes", view, length);
    *out = (item_span){g->buffers.data[buffer].data + start + offset, stride};
    return MUS_STATUS_OK;
}

static int32_t components_of(const char *type) {
    static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};
    static const int32_t counts[] = {1, 2, 3, 4, 16};
    for (int k = 0; k < 5; k++)
        if (strcmp(type, names[k]) == 0) return counts[k];
    return 0;
}

/* Items that differ from those of the accessor's view: some indices, and the items there. */
static mus_status read_sparse(const mus_gltf *g, const char *place, json_t *accessor, int32_t type, bool normalized,
                              mus_gltf_array *array) {
    json_t *sparse = json_object_get(accessor, "sparse");
    if (!sparse) return MUS_STATUS_OK;
    json_t *indices = json_object_get(sparse, "indices"), *values = json_object_get(sparse, "values");
    int32_t count, views = mus_gltf_count(g, "bufferViews"), at[2], offset[2], kind;
    mus_status status = mus_gltf_index(g, place, sparse, "count", array->count + 1, -2, &count);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place, indices, "bufferView", views, -2, &at[0]);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place, values, "bufferView", views, -2, &at[1]);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place, indices, "byteOffset", INT32_MAX, 0, &offset[0]);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place, values, "byteOffset", INT32_MAX, 0, &offset[1]);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place, indices, "componentType", FLOAT32, -2, &kind);
    if (status != MUS_STATUS_OK) return status;
    int32_t index_size = component_size(kind), n = array->components, size = component_size(type);
    item_span from = {0}, to = {0};
    if (index_size == 0) return mus_gltf_fail(g, place, "sparse indices have the unknown type %d", kind);
    status = find_span(g, place, at[0], offset[0], count, index_size, &from);
    if (status == MUS_STATUS_OK) status = find_span(g, place, at[1], offset[1], count, (int64_t)n * size, &to);
    for (int32_t k = 0; status == MUS_STATUS_OK && k < count; k++) {
        double item = component_at(from.data + k * from.stride, kind, false);
        if (!(item >= 0 && item < array->count))
            return mus_gltf_fail(g, place, "sparse index %d must be below %d (got %g)", k, array->count, item);
        for (int32_t c = 0; c < n; c++)
            array->data[(int64_t)item * n + c] = component_at(to.data + k * to.stride + c * size, type, normalized);
    }
    return status;
}

mus_status mus_gltf_read_accessor(const mus_gltf *g, const char *from, int32_t accessor, const char *type,
                                  mus_gltf_array *array) {
    *array = (mus_gltf_array){.components = components_of(type)};
    mus_gltf_place place = mus_gltf_place_of("accessors[%d] (%s)", accessor, from);
    json_t *item = mus_gltf_item(g, "accessors", accessor);
    const char *kind = json_string_value(json_object_get(item, "type"));
    int32_t component, view, offset;
    mus_status status = mus_gltf_index(g, place.text, item, "count", INT32_MAX / 16, -2, &array->count);
    if (status == MUS_STATUS_OK)
        status = mus_gltf_index(g, place.text, item, "componentType", FLOAT32 + 1, -2, &component);
    if (status == MUS_STATUS_OK)
        status = mus_gltf_index(g, place.text, item, "bufferView", mus_gltf_count(g, "bufferViews"), -1, &view);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place.text, item, "byteOffset", INT32_MAX, 0, &offset);
    if (status != MUS_STATUS_OK) return status;
    int32_t size = component_size(component), n = array->components;
    if (!kind || strcmp(kind, type) != 0)
        return mus_gltf_fail(g, place.text, "must be of type %s (got %.20s)", type, kind ? kind : "none");
    if (size == 0) return mus_gltf_fail(g, place.text, "has the unknown componentType %d", component);
    bool normalized = json_is_true(json_object_get(item, "normalized"));
    item_span span = {0};
    if (view >= 0) status = find_span(g, place.text, view, offset, array->count, (int64_t)n * size, &span);
    if (status != MUS_STATUS_OK) return status;
    int64_t bytes = g->file->size;
    for (int64_t k = 0; k < g->buffers.count; k++) bytes += g->buffers.data[k].size;
    if (view < 0 && array->count > bytes) /* zeros; a small file must not take all memory */
        return mus_gltf_fail(g, place.text, "has %d items and no bufferView", array->count);
    array->data = mus_new((size_t)array->count * (size_t)n * sizeof *array->data + 1);
    if (!array->data) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; view >= 0 && k < array->count; k++)
        for (int32_t c = 0; c < n; c++)
            array->data[k * n + c] = component_at(span.data + k * span.stride + c * size, component, normalized);
    status = read_sparse(g, place.text, item, component, normalized, array);
    for (int64_t k = 0; status == MUS_STATUS_OK && k < (int64_t)array->count * n; k++)
        if (!isfinite(array->data[k]))
            status = mus_gltf_fail(g, place.text, "item %lld is not finite", (long long)(k / n));
    if (status != MUS_STATUS_OK) {
        mus_free(array->data);
        array->data = NULL;
    }
    return status;
}
