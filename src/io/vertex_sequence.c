/* vertex_sequence.c: positions of vertices over time in the formats of other programs: NumPy's .npy (an array of the
 * shape (frames, vertices, 3), C order, little-endian float32 or float64; NEP 1) and Lightwave's .mdd (big-endian
 * float32). */
#include "io/vertex_sequence.h"

#include "base/memory.h"
#include "base/word.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

/* ---- Positions --------------------------------------------------------------------------------------------------- */

static double number_at(const char *bytes, const mus_sequence_layout *l) {
    uint64_t bits = 0;
    for (int k = 0; k < l->size; k++)
        bits |= (uint64_t)(unsigned char)bytes[l->big_endian ? l->size - 1 - k : k] << 8 * k;
    if (l->size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return value;
}

mus_status mus_sequence_read(const mus_file *file, const mus_sequence_layout *l, mus_point_cache *cache) {
    if (l->frames < 1 || l->vertices < 1 || l->frames > INT32_MAX || l->vertices > INT32_MAX / 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s: must have at least one frame and one vertex (got %lld and %lld)",
                        file->path, (long long)l->frames, (long long)l->vertices);
    int64_t points = l->frames * l->vertices, bytes = file->size - l->offset; /* below 2^61 */
    if (bytes % (3 * l->size) != 0 || bytes / (3 * l->size) != points)
        return mus_fail(
            MUS_STATUS_FORMAT,
            "%s: %lld frames of %lld vertices need %d bytes for each vertex, but %lld bytes follow the header: "
            "the file is truncated, or has more than one array",
            file->path, (long long)l->frames, (long long)l->vertices, 3 * l->size, (long long)bytes);
    double *positions = mus_resize(NULL, (size_t)points * 3 * sizeof *positions);
    if (!positions) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < 3 * points; k++) {
        positions[k] = number_at(file->data + l->offset + l->size * k, l);
        if (isfinite(positions[k])) continue;
        mus_status status =
            mus_fail(MUS_STATUS_FORMAT, "%s: byte %lld: vertex %lld of frame %lld must be finite (got %s)", file->path,
                     (long long)(l->offset + l->size * k) + 1, (long long)(k / 3 % l->vertices) + 1,
                     (long long)(k / 3 / l->vertices) + 1, mus_word_of_number(positions[k]).text);
        mus_free(positions);
        return status;
    }
    *cache = (mus_point_cache){.positions = positions,
                               .vertex_count = (int32_t)l->vertices,
                               .frame_count = (int32_t)l->frames,
                               .start_frame = 0,
                               .sample_rate = 1};
    return MUS_STATUS_OK;
}

/* ---- NumPy ------------------------------------------------------------------------------------------------------- */

/* The text behind 'KEY': in the header's dictionary; NULL if there is none. */
static const char *value_of(const char *header, const char *key) {
    size_t length = strlen(key);
    for (const char *at = header; (at = strstr(at, key)); at++) {
        if (at == header || (at[-1] != '\'' && at[-1] != '"') || at[length] != at[-1]) continue;
        at += length + 1;
        at += strspn(at, " ");
        if (*at != ':') return NULL;
        return at + 1 + strspn(at + 1, " ");
    }
    return NULL;
}

static mus_status read_type(const char *path, const char *at, mus_sequence_layout *l) {
    mus_excerpt type = mus_excerpt_of(at ? at : "");
    size_t length = at && (*at == '\'' || *at == '"') ? strcspn(at + 1, "'\"") : 0;
    if (length == 3 && (strncmp(at + 1, "<f4", 3) == 0 || strncmp(at + 1, "<f8", 3) == 0)) {
        l->size = at[3] - '0';
        return MUS_STATUS_OK;
    }
    bool swapped = length == 3 && (strncmp(at + 1, ">f4", 3) == 0 || strncmp(at + 1, ">f8", 3) == 0);
    return mus_fail(MUS_STATUS_FORMAT,
                    "%s: its numbers must be float32 or float64, little endian (%sthe header has %s); in Python: "
                    "numpy.save(path, a.astype('<f4'))",
                    path, swapped ? "they are big endian: " : "", type.text);
}

static mus_status read_shape(const char *path, const char *at, mus_sequence_layout *l) {
    mus_excerpt shape = mus_excerpt_of(at ? at : "");
    int64_t sizes[3] = {0};
    int count = 0;
    bool good = at && *at == '(';
    if (good) at++;
    for (; good && *at && *at != ')'; at += strspn(at, ", ")) {
        int64_t size = 0;
        size_t digits = strspn(at, "0123456789");
        good = digits > 0 && digits < 18 && count < 3;
        for (size_t k = 0; good && k < digits; k++) size = 10 * size + (at[k] - '0');
        if (good) sizes[count++] = size;
        at += digits;
    }
    if (!good || !at || *at != ')' || count != 3 || sizes[2] != 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s: its shape must be (frames, vertices, 3) (the header has %s)", path,
                        shape.text);
    l->frames = sizes[0], l->vertices = sizes[1];
    return MUS_STATUS_OK;
}

/* Where the array of an .npy is, by its header. */
static mus_status read_header(const mus_file *file, mus_sequence_layout *l) {
    static const char magic[] = "\x93NUMPY";
    const unsigned char *b = (const unsigned char *)file->data;
    if (file->size < 12 || memcmp(b, magic, 6) != 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not an .npy file (it must begin with \\x93NUMPY)", file->path);
    int version = b[6];
    if (version < 1 || version > 3)
        return mus_fail(MUS_STATUS_FORMAT, "%s: byte 7: the version must be 1, 2 or 3 (got %d)", file->path, version);
    int64_t start = version == 1 ? 10 : 12;
    int64_t length = version == 1 ? b[8] + 256 * b[9] : (int64_t)mus_read_le32(file->data + 8);
    enum { LONGEST = 65536 };
    if (length > file->size - start || length > LONGEST)
        return mus_fail(MUS_STATUS_FORMAT, "%s: the header should have %lld bytes: the file is truncated", file->path,
                        (long long)length);
    char *header = mus_new((size_t)length + 1); /* ends with a zero byte */
    if (!header) return MUS_STATUS_NO_MEMORY;
    memcpy(header, file->data + start, (size_t)length);
    *l = (mus_sequence_layout){.offset = start + length};
    const char *order = value_of(header, "fortran_order");
    mus_status status = read_type(file->path, value_of(header, "descr"), l);
    if (status == MUS_STATUS_OK && (!order || strncmp(order, "False", 5) != 0))
        status = mus_fail(MUS_STATUS_FORMAT,
                          "%s: the array must be in C order%s; in Python: numpy.save(path, numpy.ascontiguousarray(a))",
                          file->path, order ? " (it is in Fortran order)" : "");
    if (status == MUS_STATUS_OK) status = read_shape(file->path, value_of(header, "shape"), l);
    mus_free(header);
    return status;
}

mus_status mus_npy_read(const mus_file *file, mus_point_cache *cache) {
    mus_sequence_layout l;
    mus_status status = read_header(file, &l);
    return status == MUS_STATUS_OK ? mus_sequence_read(file, &l, cache) : status;
}

bool mus_npy_is_sequence(const mus_file *file) {
    mus_sequence_layout l;
    return read_header(file, &l) == MUS_STATUS_OK;
}

/* ---- MDD --------------------------------------------------------------------------------------------------------- */

mus_status mus_mdd_read(const mus_file *file, mus_point_cache *cache) {
    const unsigned char *b = (const unsigned char *)file->data;
    if (file->size < 8) return mus_fail(MUS_STATUS_FORMAT, "%s: is not an .mdd file (it needs 8 bytes)", file->path);
    mus_sequence_layout l = {.size = 4, .big_endian = true};
    for (int k = 0; k < 4; k++) l.frames = 256 * l.frames + b[k], l.vertices = 256 * l.vertices + b[4 + k];
    l.offset = 8 + 4 * l.frames; /* the time of each frame, s */
    if (l.offset > file->size)
        return mus_fail(MUS_STATUS_FORMAT, "%s: has %lld frames by its header, and ends before their times", file->path,
                        (long long)l.frames);
    return mus_sequence_read(file, &l, cache);
}
