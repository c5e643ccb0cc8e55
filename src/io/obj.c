/* obj.c: Wavefront OBJ: v, vt, f, o, g and the stitches of patterns; all other lines are skipped. Texture vertices are
 * separate from vertices. */
#include "io/soup.h"

#include "io/number.h"
#include "io/text.h"

#include <string.h>

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Indices may precede the vertices that they name; the largest is stored with its line and checked at the end. */
typedef struct highest {
    int64_t index, line;
} highest;

typedef struct reader {
    mus_soup *soup;
    const char *path;
    int64_t line;
    MUS_ARRAY(int32_t) corners;
    MUS_ARRAY(int32_t) uvs;
    highest vertex, uv, sewn;
    int64_t grouped_faces; /* before the present group */
    bool some_without_uv;
} reader;

static mus_status read_numbers(reader *r, char *at, const char *what, int least, int most, double *numbers) {
    mus_excerpt rest = mus_excerpt_of(at);
    for (int k = 0; k < most; k++) {
        const char *word = mus_line_word(&at);
        if ((!word || *word == '#') && k >= least) break;
        if (!word || !mus_number_parse(&word, &numbers[k]))
            return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: %s needs %d finite decimal numbers (got '%s')", r->path,
                            (long long)r->line, what, least, rest.text);
    }
    return MUS_STATUS_OK;
}

/* Digits with a sign at *at up to a slash or the end: the index from 0 of one of `count` items so far. */
static bool read_index(char **at, int64_t count, int64_t line, highest *most, int32_t *index) {
    char *end = *at;
    while (*end && *end != '/') end++;
    char kept = *end;
    int64_t value;
    *end = 0;
    bool good = mus_word_integer(*at, -INT32_MAX, INT32_MAX, &value) && value != 0;
    *end = kept;
    *at = end;
    if (!good) return false;
    if (value < 0) value += count + 1; /* -1 is the last one so far */
    if (value < 1) return false;
    if (value > most->index) *most = (highest){value, line};
    *index = (int32_t)(value - 1);
    return true;
}

/* v, v/vt, v//vn or v/vt/vn. *has_uv: whether a texture vertex was given. */
static bool read_corner(reader *r, char *word, int32_t *corner, int32_t *uv, bool *has_uv) {
    *has_uv = false;
    if (!read_index(&word, r->soup->vertices.count / 3, r->line, &r->vertex, corner)) return false;
    if (!*word) return true;
    word++;
    if (*word != '/') {
        if (!read_index(&word, r->soup->uvs.count / 2, r->line, &r->uv, uv)) return false;
        *has_uv = true;
        if (!*word) return true;
    }
    int64_t normal;
    return mus_word_integer(word + 1, -INT32_MAX, INT32_MAX, &normal); /* not stored: normals follow from the faces */
}

static mus_status read_face(reader *r, char *at) {
    mus_excerpt rest = mus_excerpt_of(at);
    r->corners.count = r->uvs.count = 0;
    for (char *word; (word = mus_line_word(&at)) && word[0] != '#';) {
        int32_t corner, uv = 0;
        bool has_uv;
        mus_excerpt quoted = mus_excerpt_of(word);
        if (!read_corner(r, word, &corner, &uv, &has_uv))
            return mus_fail(MUS_STATUS_FORMAT,
                            "%s:%lld: a corner of a face must be v, v/vt, v//vn or v/vt/vn with numbers from 1, or "
                            "backwards from -1 (got '%s' after %lld vertices and %lld texture vertices)",
                            r->path, (long long)r->line, quoted.text, (long long)(r->soup->vertices.count / 3),
                            (long long)(r->soup->uvs.count / 2));
        if (!mus_array_push(&r->corners, corner)) return MUS_STATUS_NO_MEMORY;
        if (has_uv && !mus_array_push(&r->uvs, uv)) return MUS_STATUS_NO_MEMORY;
    }
    if (r->corners.count < 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: a face needs at least three corners (got '%s')", r->path,
                        (long long)r->line, rest.text);
    if (r->uvs.count != 0 && r->uvs.count != r->corners.count)
        return mus_fail(MUS_STATUS_FORMAT,
                        "%s:%lld: either all or none of a face's corners may name a texture vertex "
                        "(got '%s')",
                        r->path, (long long)r->line, rest.text);
    if (r->uvs.count == 0) r->some_without_uv = true;
    return mus_soup_polygon(r->soup, r->path, r->corners.data, r->some_without_uv ? NULL : r->uvs.data,
                            r->corners.count);
}

static char *trim(char *at) {
    while (*at == ' ' || *at == '\t') at++;
    size_t length = strlen(at);
    while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) at[--length] = 0;
    return at;
}

static mus_status read_object(reader *r, char *at) {
    mus_soup_object object = {.name = mus_copy_string(trim(at)),
                              .first_vertex = (int32_t)(r->soup->vertices.count / 3),
                              .first_face = (int32_t)(r->soup->faces.count / 3)};
    if (object.name && mus_array_push(&r->soup->objects, object)) return MUS_STATUS_OK;
    mus_free(object.name);
    return MUS_STATUS_NO_MEMORY;
}

/* The name of the following faces; without one, "default". A group that gets no face leaves none. What a name of a
 * group cannot have becomes blanks. */
static mus_status read_group(reader *r, char *at) {
    for (char *c = at; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    for (size_t n = strlen(at); n > 0 && (at[n - 1] == ' ' || at[n - 1] == '\\');) at[--n] = 0;
    const char *name = trim(at);
    int64_t faces = r->soup->faces.count / 3, count = r->soup->groups.count;
    mus_mesh_group group = {mus_copy_string(*name ? name : "default"), 0};
    if (!group.name) return MUS_STATUS_NO_MEMORY;
    if (count > 0) {
        mus_mesh_group *last = &r->soup->groups.data[count - 1];
        last->face_count = (int32_t)(faces - r->grouped_faces);
        if (last->face_count == 0) {
            mus_free((char *)last->name); /* made here, so writable */
            *last = group;
            return MUS_STATUS_OK;
        }
    } else if (faces > 0) { /* faces before the first group */
        mus_mesh_group others = {mus_copy_string("default"), (int32_t)faces};
        if (!others.name || !mus_array_push(&r->soup->groups, others)) {
            mus_free((char *)others.name);
            mus_free((char *)group.name);
            return MUS_STATUS_NO_MEMORY;
        }
    }
    r->grouped_faces = faces;
    if (mus_array_push(&r->soup->groups, group)) return MUS_STATUS_OK;
    mus_free((char *)group.name);
    return MUS_STATUS_NO_MEMORY;
}

static void end_groups(reader *r) {
    int64_t faces = r->soup->faces.count / 3, count = r->soup->groups.count;
    if (count > 0) r->soup->groups.data[count - 1].face_count = (int32_t)(faces - r->grouped_faces);
}

/* i j k r, from 0: vertex i is sewn to (1-r) j + r k. */
static mus_status read_stitch(reader *r, char *at) {
    mus_excerpt rest = mus_excerpt_of(at);
    int64_t named[3];
    double along = 0;
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        const char *word = mus_line_word(&at);
        good = word && mus_word_integer(word, 0, INT32_MAX - 1, &named[k]);
        if (good && named[k] + 1 > r->sewn.index) r->sewn = (highest){named[k] + 1, r->line};
    }
    const char *word = good ? mus_line_word(&at) : NULL;
    good = word && mus_number_parse(&word, &along) && along >= 0 && along <= 1;
    if (!good)
        return mus_fail(MUS_STATUS_FORMAT,
                        "%s:%lld: a stitch needs three vertices, from 0, and a share of the way from the second to the "
                        "third, 0..1 (got '%s')",
                        r->path, (long long)r->line, rest.text);
    mus_stitch stitch = {(int32_t)named[0], {(int32_t)named[1], (int32_t)named[2]}, along};
    if (r->soup->stitches.count >= INT32_MAX / 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s: has more stitches than can be numbered (%d)", r->path, INT32_MAX / 3);
    return mus_array_push(&r->soup->stitches, stitch) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status read_line(reader *r, char *line) {
    char *at = line;
    char *key = mus_line_word(&at);
    if (!key) return MUS_STATUS_OK;
    if (strcmp(key, "v") == 0) {
        double vertex[3];
        mus_status status = read_numbers(r, at, "a vertex", 3, 3, vertex); /* more may follow: a weight, a color */
        return status == MUS_STATUS_OK ? mus_soup_vertex(r->soup, r->path, vertex) : status;
    }
    if (strcmp(key, "vt") == 0) {
        double uv[2] = {0, 0};
        mus_status status = read_numbers(r, at, "a texture vertex", 1, 2, uv);
        return status == MUS_STATUS_OK ? mus_soup_uv(r->soup, r->path, uv) : status;
    }
    if (strcmp(key, "f") == 0) return read_face(r, at);
    if (strcmp(key, "o") == 0) return read_object(r, at);
    if (strcmp(key, "g") == 0) return read_group(r, at);
    if (strcmp(key, "stitch") == 0) return read_stitch(r, at);
    return MUS_STATUS_OK;
}

mus_status mus_obj_read(mus_file *file, mus_soup *soup) {
    reader r = {.soup = soup, .path = file->path};
    mus_text text = mus_text_begin(file);
    const char *zero = memchr(file->data, 0, (size_t)file->size);
    if (zero)
        return mus_fail(MUS_STATUS_FORMAT, "%s: byte %lld is zero; this is no OBJ text", file->path,
                        (long long)(zero - file->data) + 1);
    mus_status status = MUS_STATUS_OK;
    for (char *line; status == MUS_STATUS_OK && (line = mus_text_line(&text, true, &r.line));)
        status = read_line(&r, line);
    mus_array_free(&r.corners);
    mus_array_free(&r.uvs);
    if (status != MUS_STATUS_OK) return status;
    if (r.vertex.index > soup->vertices.count / 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: a face names vertex %lld, but the file has only %lld", r.path,
                        (long long)r.vertex.line, (long long)r.vertex.index, (long long)(soup->vertices.count / 3));
    if (r.uv.index > soup->uvs.count / 2)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: a face names texture vertex %lld, but the file has only %lld",
                        r.path, (long long)r.uv.line, (long long)r.uv.index, (long long)(soup->uvs.count / 2));
    if (r.sewn.index > soup->vertices.count / 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: a stitch names vertex %lld, from 0, but the file has only %lld",
                        r.path, (long long)r.sewn.line, (long long)r.sewn.index - 1,
                        (long long)(soup->vertices.count / 3));
    end_groups(&r);
    if (r.some_without_uv) soup->uv_faces.count = 0; /* a flat pattern must cover all faces */
    return MUS_STATUS_OK;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static void write_row(mus_writer *w, const char *key, const double *numbers, int count) {
    mus_writer_text(w, key);
    for (int k = 0; k < count; k++) {
        mus_writer_bytes(w, " ", 1);
        mus_writer_number(w, numbers[k]);
    }
    mus_writer_bytes(w, "\n", 1);
}

static void write_name(mus_writer *w, const char *key, const char *name) {
    mus_writer_text(w, key);
    mus_writer_text(w, name);
    mus_writer_bytes(w, "\n", 1);
}

void mus_obj_write(mus_writer *w, const mus_part *parts, int32_t count, const mus_mesh *mesh) {
    int64_t base = 1, uv_base = 1;  /* numbering continues over all parts */
    bool grouped = false;           /* the last face is in a group, which goes on until another begins */
    const char *material_file = ""; /* named last */
    for (int32_t i = 0; i < count; i++) {
        const mus_part *part = &parts[i];
        if (part->material && strcmp(part->material_file, material_file) != 0)
            write_name(w, "mtllib ", material_file = part->material_file);
        if (part->name) write_name(w, "o ", part->name);
        if (part->material) write_name(w, "usemtl ", part->material);
        for (int32_t v = 0; v < part->vertex_count; v++) write_row(w, "v", part->vertices + 3 * (size_t)v, 3);
        for (int32_t v = 0; part->uvs && v < part->uv_count; v++) write_row(w, "vt", part->uvs + 2 * (size_t)v, 2);
        if (grouped && !part->groups && part->face_count > 0) write_name(w, "g ", "default");
        grouped = part->groups != NULL;
        int32_t next = 0, at = 0; /* the next group and its first face */
        for (int32_t f = 0; f < part->face_count; f++) {
            for (; next < part->group_count && f == at; at += part->groups[next++].face_count)
                write_name(w, "g ", part->groups[next].name);
            mus_writer_bytes(w, "f", 1);
            for (int k = 0; k < 3; k++) {
                mus_writer_bytes(w, " ", 1);
                mus_writer_integer(w, base + part->faces[3 * (size_t)f + k]);
                if (!part->uvs) continue;
                mus_writer_bytes(w, "/", 1);
                mus_writer_integer(w, uv_base + part->uv_faces[3 * (size_t)f + k]);
            }
            mus_writer_bytes(w, "\n", 1);
        }
        base += part->vertex_count;
        if (part->uvs) uv_base += part->uv_count;
    }
    int32_t stitches = 0;
    const mus_stitch *stitch = mesh ? mus_mesh_get_stitches(mesh, &stitches) : NULL;
    for (int32_t k = 0; k < stitches; k++) {
        const int32_t named[3] = {stitch[k].vertex, stitch[k].onto[0], stitch[k].onto[1]};
        mus_writer_bytes(w, "stitch", 6);
        for (int i = 0; i < 3; i++) {
            mus_writer_bytes(w, " ", 1);
            mus_writer_integer(w, named[i]);
        }
        write_row(w, "", &stitch[k].along, 1);
    }
}
