/* ply.c: PLY in text and in binary of either byte order: any order of elements and properties, unknown ones skipped. */
#include "io/soup.h"

#include "io/number.h"
#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Header ----------------------------------------------------------------------------------------------------- */

typedef enum scalar { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, SCALAR_COUNT } scalar;

static const struct {
    const char *names[2];
    int size;
} scalars[SCALAR_COUNT] = {{{"char", "int8"}, 1},     {{"uchar", "uint8"}, 1},   {{"short", "int16"}, 2},
                           {{"ushort", "uint16"}, 2}, {{"int", "int32"}, 4},     {{"uint", "uint32"}, 4},
                           {{"float", "float32"}, 4}, {{"double", "float64"}, 8}};

typedef enum role { ROLE_X, ROLE_Y, ROLE_Z, ROLE_U, ROLE_V, ROLE_CORNERS, ROLE_COUNT, ROLE_NONE = ROLE_COUNT } role;

typedef struct property {
    bool list;
    scalar count_type, type;
    role role;
} property;

typedef enum element_kind { ELEMENT_VERTEX, ELEMENT_FACE, ELEMENT_OTHER } element_kind;

typedef struct element {
    element_kind kind;
    int64_t count;
    int64_t first, properties; /* in the list of all properties */
    bool has[ROLE_COUNT];
} element;

typedef enum encoding { ASCII, LITTLE_ENDIAN_BYTES, BIG_ENDIAN_BYTES, UNKNOWN_ENCODING } encoding;

typedef struct reader {
    mus_soup *soup;
    const char *path;
    mus_text text;                /* the header, and the body of an ASCII file */
    const char *at, *end, *begin; /* the body of a binary file; `begin` is the file's first byte */
    int64_t line;                 /* line of the text read last */
    const char *word;             /* and its last word */
    encoding encoding;
    MUS_ARRAY(element) elements;
    MUS_ARRAY(property) properties;
    MUS_ARRAY(int32_t) corners;
    int64_t highest, highest_face; /* largest index of a corner, and the face (from 1) it stands in */
} reader;

static mus_status header_error(const reader *r, const char *what, const char *word) {
    return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: %s (got '%s')", r->path, (long long)r->line, what,
                    mus_excerpt_of(word ? word : "").text);
}

static bool find_scalar(const char *word, scalar *type) {
    for (int i = 0; word && i < SCALAR_COUNT; i++)
        if (strcmp(word, scalars[i].names[0]) == 0 || strcmp(word, scalars[i].names[1]) == 0) {
            *type = (scalar)i;
            return true;
        }
    return false;
}

static bool is_real(scalar type) {
    return type == FLOAT32 || type == FLOAT64;
}

static role find_role(element_kind kind, const property *p, const char *name) {
    static const struct {
        const char *name;
        role role;
    } vertex_roles[] = {{"x", ROLE_X}, {"y", ROLE_Y},         {"z", ROLE_Z},         {"s", ROLE_U},
                        {"u", ROLE_U}, {"texture_u", ROLE_U}, {"texture_s", ROLE_U}, {"t", ROLE_V},
                        {"v", ROLE_V}, {"texture_v", ROLE_V}, {"texture_t", ROLE_V}};
    if (kind == ELEMENT_FACE && p->list && !is_real(p->type) &&
        (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0))
        return ROLE_CORNERS;
    if (kind == ELEMENT_VERTEX && !p->list)
        for (size_t i = 0; i < sizeof vertex_roles / sizeof *vertex_roles; i++)
            if (strcmp(name, vertex_roles[i].name) == 0) return vertex_roles[i].role;
    return ROLE_NONE;
}

static mus_status read_element(reader *r, char *at) {
    char *name = mus_line_word(&at), *count = mus_line_word(&at);
    element e = {.kind = ELEMENT_OTHER, .first = r->properties.count};
    if (!name || !count || !mus_word_integer(count, 0, INT64_MAX / 2, &e.count))
        return header_error(r, "an element needs a name and a number of items", count);
    if (strcmp(name, "vertex") == 0) e.kind = ELEMENT_VERTEX;
    if (strcmp(name, "face") == 0) e.kind = ELEMENT_FACE;
    for (int64_t i = 0; i < r->elements.count; i++)
        if (e.kind != ELEMENT_OTHER && r->elements.data[i].kind == e.kind)
            return header_error(r, "an element is declared twice", name);
    return mus_array_push(&r->elements, e) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status read_property(reader *r, char *at) {
    property p = {.role = ROLE_NONE};
    char *word = mus_line_word(&at);
    if (r->elements.count == 0) return header_error(r, "a property before the first element", word);
    element *e = &r->elements.data[r->elements.count - 1];
    if (word && strcmp(word, "list") == 0) {
        p.list = true;
        word = mus_line_word(&at);
        if (!find_scalar(word, &p.count_type) || is_real(p.count_type))
            return header_error(r, "a list's length must be of an integer type", word);
        word = mus_line_word(&at);
    }
    if (!find_scalar(word, &p.type)) return header_error(r, "unknown type of a property", word);
    word = mus_line_word(&at);
    if (!word) return header_error(r, "a property without a name", word);
    p.role = find_role(e->kind, &p, word);
    if (p.role != ROLE_NONE) {
        if (e->has[p.role])
            p.role = ROLE_NONE; /* such as u and s: the first counts */
        else
            e->has[p.role] = true;
    }
    e->properties++;
    return mus_array_push(&r->properties, p) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status read_format(reader *r, char *at) {
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char *word = mus_line_word(&at);
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, names[i]) == 0) r->encoding = (encoding)i;
    if (r->encoding == UNKNOWN_ENCODING)
        return header_error(r, "the format must be ascii, binary_little_endian or binary_big_endian", word);
    word = mus_line_word(&at);
    if (!word || strcmp(word, "1.0") != 0) return header_error(r, "the format's version must be 1.0", word);
    return MUS_STATUS_OK;
}

static mus_status read_header(reader *r) {
    char *line = mus_text_line(&r->text, false, &r->line);
    if (!line || strcmp(line, "ply") != 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not a PLY file (the first line must be 'ply')", r->path);
    mus_status status = MUS_STATUS_OK;
    while (status == MUS_STATUS_OK) {
        line = mus_text_line(&r->text, false, &r->line);
        if (!line) return mus_fail(MUS_STATUS_FORMAT, "%s: ends within its header; the file is truncated", r->path);
        char *key = mus_line_word(&line);
        if (!key || strcmp(key, "comment") == 0 || strcmp(key, "obj_info") == 0) continue;
        if (strcmp(key, "end_header") == 0) break;
        if (strcmp(key, "format") == 0)
            status = read_format(r, line);
        else if (strcmp(key, "element") == 0)
            status = read_element(r, line);
        else if (strcmp(key, "property") == 0)
            status = read_property(r, line);
        else
            status = header_error(r, "unknown word in the header", key);
    }
    if (status == MUS_STATUS_OK && r->encoding == UNKNOWN_ENCODING)
        status = mus_fail(MUS_STATUS_FORMAT, "%s: the header has no format line", r->path);
    return status;
}

/* Least size of an item, which bounds the counts of the header by the size of the file: in text a digit and a blank
 * for each value, in binary the sizes with empty lists. */
static mus_status check_sizes(const reader *r) {
    int64_t left = r->encoding == ASCII ? r->text.end - r->text.at + 1 : r->end - r->at;
    bool vertices = false, faces = false;
    for (int64_t i = 0; i < r->elements.count; i++) {
        const element *e = &r->elements.data[i];
        static const char *const names[] = {"vertices", "faces", "items of another element"};
        int64_t size = 0;
        for (int64_t k = e->first; k < e->first + e->properties; k++) {
            const property *p = &r->properties.data[k];
            size += r->encoding == ASCII ? 2 : scalars[p->list ? p->count_type : p->type].size;
        }
        if (size > 0 && e->count > left / size)
            return mus_fail(MUS_STATUS_FORMAT,
                            "%s: the header promises %lld %s of at least %lld bytes, but only %lld bytes are left; the "
                            "file is truncated",
                            r->path, (long long)e->count, names[e->kind], (long long)size, (long long)left);
        left -= size * (size > 0 ? e->count : 0);
        if (e->kind == ELEMENT_VERTEX) vertices = e->has[ROLE_X] && e->has[ROLE_Y] && e->has[ROLE_Z];
        if (e->kind == ELEMENT_FACE) faces = e->has[ROLE_CORNERS];
    }
    if (!vertices)
        return mus_fail(MUS_STATUS_FORMAT, "%s: the header has no element vertex with properties x, y and z", r->path);
    if (!faces)
        return mus_fail(MUS_STATUS_FORMAT,
                        "%s: the header has no element face with an integer list vertex_indices; a mesh needs faces",
                        r->path);
    return MUS_STATUS_OK;
}

/* ---- Body ------------------------------------------------------------------------------------------------------- */

static mus_status value_error(const reader *r, const char *what) {
    if (r->encoding == ASCII)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: %s (got '%s')", r->path, (long long)r->line, what,
                        mus_excerpt_of(r->word).text);
    return mus_fail(MUS_STATUS_FORMAT, "%s: byte %lld: %s", r->path, (long long)(r->at - r->begin), what);
}

static mus_status truncated(const reader *r) {
    return mus_fail(MUS_STATUS_FORMAT, "%s: ends before the values that its header promises; the file is truncated",
                    r->path);
}

static double real_of(scalar type, uint64_t bits) {
    if (type == FLOAT32) {
        uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t integer_of(scalar type, uint64_t bits) {
    switch (type) {
    case INT8:
        return (int8_t)bits;
    case INT16:
        return (int16_t)bits;
    case INT32:
        return (int32_t)bits;
    default:
        return (int64_t)bits; /* unsigned and at most 32 bits */
    }
}

/* One value as a number; reals are not checked here, as skipped properties may be NaN. */
static mus_status read_value(reader *r, scalar type, double *value) {
    if (r->encoding == ASCII) {
        const char *word = mus_text_word(&r->text, &r->line), *rest = word;
        if (!word) return truncated(r);
        r->word = word;
        if (mus_number_parse(&rest, value)) {
            if (is_real(type) || *value == floor(*value)) return MUS_STATUS_OK;
            return value_error(r, "a whole number was declared for this property");
        }
        *value = NAN;
        if (is_real(type) && *word) return MUS_STATUS_OK;
        return value_error(r, "not a number");
    }
    int size = scalars[type].size;
    if (r->end - r->at < size) return truncated(r);
    const unsigned char *byte = (const unsigned char *)r->at;
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) bits = bits << 8 | byte[r->encoding == BIG_ENDIAN_BYTES ? i : size - 1 - i];
    r->at += size;
    *value = is_real(type) ? real_of(type, bits) : (double)integer_of(type, bits);
    return MUS_STATUS_OK;
}

static mus_status read_list(reader *r, const property *p, int64_t face) {
    double length;
    mus_status status = read_value(r, p->count_type, &length);
    if (status != MUS_STATUS_OK) return status;
    if (!(length >= 0 && length <= UINT32_MAX)) return value_error(r, "a list's length must be at least 0");
    bool corners = p->role == ROLE_CORNERS;
    if (corners && length < 3) return value_error(r, "a face needs at least three corners");
    r->corners.count = 0;
    for (double i = 0; status == MUS_STATUS_OK && i < length; i++) {
        double value;
        status = read_value(r, p->type, &value);
        if (status != MUS_STATUS_OK || !corners) continue;
        if (!(value >= 0 && value < INT32_MAX)) return value_error(r, "a corner's number must be 0 or more");
        if (value > (double)r->highest) r->highest = (int64_t)value, r->highest_face = face;
        if (!mus_array_push(&r->corners, (int32_t)value)) return MUS_STATUS_NO_MEMORY;
    }
    if (status == MUS_STATUS_OK && corners)
        status = mus_soup_polygon(r->soup, r->path, r->corners.data, NULL, r->corners.count);
    return status;
}

static mus_status read_item(reader *r, const element *e, int64_t number) {
    double values[ROLE_COUNT + 1];
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = e->first; status == MUS_STATUS_OK && k < e->first + e->properties; k++) {
        const property *p = &r->properties.data[k];
        if (p->list)
            status = read_list(r, p, number);
        else
            status = read_value(r, p->type, &values[p->role]);
        if (status == MUS_STATUS_OK && p->role < ROLE_CORNERS && !isfinite(values[p->role]))
            return value_error(r, "a coordinate must be a finite number");
    }
    if (status == MUS_STATUS_OK && e->kind == ELEMENT_VERTEX) {
        status = mus_soup_vertex(r->soup, r->path, values + ROLE_X);
        if (status == MUS_STATUS_OK && e->has[ROLE_U] && e->has[ROLE_V])
            status = mus_soup_uv(r->soup, r->path, values + ROLE_U);
    }
    return status;
}

static mus_status read_body(reader *r) {
    mus_status status = MUS_STATUS_OK;
    for (int64_t i = 0; i < r->elements.count; i++) {
        const element *e = &r->elements.data[i];
        if (e->properties == 0) continue; /* takes no bytes of the file, for any count */
        for (int64_t k = 0; status == MUS_STATUS_OK && k < e->count; k++) status = read_item(r, e, k + 1);
    }
    if (status != MUS_STATUS_OK) return status;
    mus_soup *soup = r->soup;
    if (soup->faces.count > 0 && r->highest >= soup->vertices.count / 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s: face %lld names vertex %lld, but the vertices are 0 to %lld", r->path,
                        (long long)r->highest_face, (long long)r->highest, (long long)(soup->vertices.count / 3) - 1);
    if (soup->uvs.count > 0) { /* one for each vertex, so that faces use the same indices */
        if (!mus_array_reserve(&soup->uv_faces, soup->faces.count)) return MUS_STATUS_NO_MEMORY;
        if (soup->faces.count > 0)
            memcpy(soup->uv_faces.data, soup->faces.data, (size_t)soup->faces.count * sizeof(int32_t));
        soup->uv_faces.count = soup->faces.count;
    }
    return MUS_STATUS_OK;
}

mus_status mus_ply_read(mus_file *file, mus_soup *soup) {
    reader r = {.soup = soup,
                .path = file->path,
                .text = mus_text_begin(file),
                .encoding = UNKNOWN_ENCODING,
                .begin = file->data,
                .end = file->data + file->size,
                .highest = -1};
    bool lone_cr = file->size > 4 && file->data[3] == '\r' && file->data[4] != '\n';
    mus_status status = read_header(&r);
    r.at = r.text.at;
    /* Where lines end in CR alone, an LF after the header's end is the first byte of a binary body. */
    if (lone_cr && r.encoding != ASCII && r.at[-1] == '\n') r.at--;
    if (status == MUS_STATUS_OK) status = check_sizes(&r);
    if (status == MUS_STATUS_OK) status = read_body(&r);
    mus_array_free(&r.elements);
    mus_array_free(&r.properties);
    mus_array_free(&r.corners);
    return status;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static void write_real(mus_writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mus_writer_le64(w, bits);
}

/* A PLY file can store texture vertices if the faces index them like vertices. */
static const double *uvs_by_vertex(const mus_mesh *mesh) {
    if (!mesh || !mus_mesh_get_uvs(mesh) || mus_mesh_get_uv_count(mesh) != mus_mesh_get_vertex_count(mesh)) return NULL;
    size_t size = (size_t)mus_mesh_get_face_count(mesh) * 3 * sizeof(int32_t);
    return memcmp(mus_mesh_get_uv_faces(mesh), mus_mesh_get_faces(mesh), size) == 0 ? mus_mesh_get_uvs(mesh) : NULL;
}

void mus_ply_write(mus_writer *w, const mus_part *parts, int32_t count, const mus_mesh *mesh) {
    const double *uvs = uvs_by_vertex(mesh);
    int64_t vertices = 0, faces = 0, base = 0;
    for (int32_t i = 0; i < count; i++) vertices += parts[i].vertex_count, faces += parts[i].face_count;
    mus_writer_text(w, "ply\nformat binary_little_endian 1.0\nelement vertex ");
    mus_writer_integer(w, vertices);
    mus_writer_text(w, "\nproperty double x\nproperty double y\nproperty double z\n");
    if (uvs) mus_writer_text(w, "property double s\nproperty double t\n");
    mus_writer_text(w, "element face ");
    mus_writer_integer(w, faces);
    mus_writer_text(w, "\nproperty list uchar int vertex_indices\nend_header\n");
    for (int32_t i = 0; i < count; i++)
        for (int32_t v = 0; v < parts[i].vertex_count; v++) {
            for (int k = 0; k < 3; k++) write_real(w, parts[i].vertices[3 * (size_t)v + k]);
            for (int k = 0; uvs && k < 2; k++) write_real(w, uvs[2 * (size_t)v + k]);
        }
    for (int32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < (size_t)parts[i].face_count * 3; k++) {
            if (k % 3 == 0) mus_writer_bytes(w, "\3", 1);
            mus_writer_le32(w, (uint32_t)(base + parts[i].faces[k]));
        }
        base += parts[i].vertex_count;
    }
}
