/* stl.c: STL in text and in binary. Its triangles have corners of their own; equal ones become one vertex. */
#include "base/word.h"
#include "io/soup.h"

#include "io/number.h"
#include "io/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 80, RECORD = 50 }; /* bytes of a binary file's title, and of a triangle */

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* The soup's vertices are three a triangle: keeps the first at each position and numbers them in order of
 * occurrence. */
static mus_status merge_corners(mus_soup *soup) {
    int64_t corners = soup->vertices.count / 3;
    if (!mus_array_reserve(&soup->faces, corners)) return MUS_STATUS_NO_MEMORY;
    int32_t count = mus_merge_positions(soup->vertices.data, corners, NULL, soup->faces.data);
    if (count < 0) return MUS_STATUS_NO_MEMORY;
    soup->faces.count = corners;
    double *all = soup->vertices.data;
    int32_t next = 0;
    for (int64_t i = 0; i < corners; i++)
        if (soup->faces.data[i] == next) memmove(all + 3 * (size_t)next++, all + 3 * i, 3 * sizeof *all);
    soup->vertices.count = 3 * (int64_t)count;
    return MUS_STATUS_OK;
}

static mus_status read_binary(const mus_file *file, mus_soup *soup) {
    int64_t faces = mus_read_le32(file->data + HEADER);
    for (int64_t f = 0; f < faces; f++)
        for (int k = 0; k < 3; k++) {
            const char *at = file->data + HEADER + 4 + RECORD * f + 12 * (k + 1); /* after the normal */
            double vertex[3];
            for (int c = 0; c < 3; c++) {
                uint32_t bits = mus_read_le32(at + 4 * c);
                float value;
                memcpy(&value, &bits, sizeof value);
                vertex[c] = value;
            }
            if (!isfinite(vertex[0]) || !isfinite(vertex[1]) || !isfinite(vertex[2]))
                return mus_fail(MUS_STATUS_FORMAT,
                                "%s: byte %lld: corner %d of face %lld must be finite (got {%s, %s, %s})", file->path,
                                (long long)(at - file->data) + 1, k + 1, (long long)f + 1,
                                mus_word_of_number(vertex[0]).text, mus_word_of_number(vertex[1]).text,
                                mus_word_of_number(vertex[2]).text);
            mus_status status = mus_soup_vertex(soup, file->path, vertex);
            if (status != MUS_STATUS_OK) return status;
        }
    return MUS_STATUS_OK;
}

static mus_status expect(mus_text *text, const char *wanted) {
    int64_t line;
    const char *word = mus_text_word(text, &line);
    if (!word)
        return mus_fail(MUS_STATUS_FORMAT, "%s: ends where '%s' should follow; the file is truncated", text->path,
                        wanted);
    if (strcasecmp(word, wanted) == 0) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: '%s' expected (got '%s')", text->path, (long long)line, wanted,
                    mus_excerpt_of(word).text);
}

/* After the word "facet". */
static mus_status read_facet(mus_text *text, mus_soup *soup) {
    int64_t line;
    mus_status status = expect(text, "normal");
    for (int k = 0; k < 3; k++)
        mus_text_word(text, &line); /* normals follow from the corners; some files contain nan */
    if (status == MUS_STATUS_OK) status = expect(text, "outer");
    if (status == MUS_STATUS_OK) status = expect(text, "loop");
    for (int k = 0; status == MUS_STATUS_OK && k < 3; k++) {
        double vertex[3];
        status = expect(text, "vertex");
        for (int c = 0; status == MUS_STATUS_OK && c < 3; c++) {
            const char *word = mus_text_word(text, &line), *rest = word;
            if (!word)
                status = mus_fail(MUS_STATUS_FORMAT, "%s: ends within a vertex; the file is truncated", text->path);
            else if (!mus_number_parse(&rest, &vertex[c]))
                status = mus_fail(MUS_STATUS_FORMAT, "%s:%lld: a vertex needs three finite decimal numbers (got '%s')",
                                  text->path, (long long)line, mus_excerpt_of(word).text);
        }
        if (status == MUS_STATUS_OK) status = mus_soup_vertex(soup, text->path, vertex);
    }
    if (status == MUS_STATUS_OK) status = expect(text, "endloop");
    if (status == MUS_STATUS_OK) status = expect(text, "endfacet");
    return status;
}

/* Several solids may follow each other; the rest of the lines of "solid" and "endsolid" is a title. */
static mus_status read_ascii(mus_file *file, mus_soup *soup) {
    mus_text text = mus_text_begin(file);
    bool inside = false;
    for (;;) {
        int64_t line;
        const char *word = mus_text_word(&text, &line);
        if (!word && !inside) return MUS_STATUS_OK;
        if (!word) return mus_fail(MUS_STATUS_FORMAT, "%s: ends before 'endsolid'; the file is truncated", file->path);
        mus_status status = MUS_STATUS_OK;
        if (inside && strcasecmp(word, "facet") == 0)
            status = read_facet(&text, soup);
        else if (strcasecmp(word, inside ? "endsolid" : "solid") == 0) {
            inside = !inside;
            if (text.line == line) mus_text_line(&text, false, &line); /* the title, unless the word ended its line */
        } else
            status = mus_fail(MUS_STATUS_FORMAT, "%s:%lld: %s expected (got '%s')", file->path, (long long)line,
                              inside ? "'facet' or 'endsolid'" : "'solid'", mus_excerpt_of(word).text);
        if (status != MUS_STATUS_OK) return status;
    }
}

mus_status mus_stl_read(mus_file *file, mus_soup *soup) {
    /* Binary files may begin with "solid" too, but only they have the size that follows from their count. */
    int64_t promised =
        file->size >= HEADER + 4 ? HEADER + 4 + RECORD * (int64_t)mus_read_le32(file->data + HEADER) : -1;
    mus_status status;
    if (file->size == promised)
        status = read_binary(file, soup);
    else if (file->size >= 5 && strncasecmp(file->data, "solid", 5) == 0)
        status = read_ascii(file, soup);
    else if (promised < 0)
        status = mus_fail(MUS_STATUS_FORMAT, "%s: is not an STL file (%lld bytes, and no 'solid' at its beginning)",
                          file->path, (long long)file->size);
    else
        status =
            mus_fail(MUS_STATUS_FORMAT,
                     "%s: byte %d: the number of faces of a binary STL here implies %lld bytes, but the file has %lld; "
                     "it is truncated or not an STL file",
                     file->path, HEADER + 1, (long long)promised, (long long)file->size);
    return status == MUS_STATUS_OK ? merge_corners(soup) : status;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static void write_vector(mus_writer *w, const char *key, const double *vector) {
    mus_writer_text(w, key);
    for (int k = 0; k < 3; k++) {
        mus_writer_bytes(w, " ", 1);
        mus_writer_number(w, vector[k]);
    }
    mus_writer_bytes(w, "\n", 1);
}

static void face_normal(const double *a, const double *b, const double *c, double normal[3]) {
    double e[3], f[3];
    for (int k = 0; k < 3; k++) e[k] = b[k] - a[k], f[k] = c[k] - a[k];
    for (int k = 0; k < 3; k++) normal[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    bool known = isfinite(length) && length > 0;
    for (int k = 0; k < 3; k++) normal[k] = known ? normal[k] / length : 0;
}

/* As text, since binary STL has no doubles. */
void mus_stl_write(mus_writer *w, const mus_part *parts, int32_t count) {
    mus_writer_text(w, "solid muslin\n");
    for (int32_t i = 0; i < count; i++)
        for (int32_t f = 0; f < parts[i].face_count; f++) {
            const int32_t *face = parts[i].faces + 3 * (size_t)f;
            const double *corner[3];
            double normal[3];
            for (int k = 0; k < 3; k++) corner[k] = parts[i].vertices + 3 * (size_t)face[k];
            face_normal(corner[0], corner[1], corner[2], normal);
            write_vector(w, "facet normal", normal);
            mus_writer_text(w, "outer loop\n");
            for (int k = 0; k < 3; k++) write_vector(w, "vertex", corner[k]);
            mus_writer_text(w, "endloop\nendfacet\n");
        }
    mus_writer_text(w, "endsolid muslin\n");
}
