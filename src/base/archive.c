/* archive.c: writes, reads and compares fields byte by byte in little endian, whatever the machine's byte order. */
#include "base/archive.h"
#include "base/memory.h"
#include "base/word.h"

#include <stdio.h>
#include <string.h>

mus_archive mus_archive_writer(void) {
    return (mus_archive){.mode = MUS_ARCHIVE_WRITE};
}

mus_archive mus_archive_reader(const void *bytes, size_t size, mus_archive_mode mode) {
    return (mus_archive){.mode = mode, .bytes = bytes, .size = size};
}

void mus_archive_free(mus_archive *a) {
    mus_free(a->written);
    a->written = NULL;
    a->bytes = NULL;
    a->size = a->capacity = 0;
}

void mus_archive_refuse(mus_archive *a, const char *why) {
    if (a->status != MUS_STATUS_OK) return;
    if (a->section)
        a->status = mus_fail(MUS_STATUS_FORMAT, "snapshot: section '%s': %s%s", a->section, a->owner, why);
    else
        a->status = mus_fail(MUS_STATUS_FORMAT, "snapshot: %s%s", a->owner, why);
}

void mus_archive_check(mus_archive *a, mus_status status) {
    char why[512];
    if (a->status != MUS_STATUS_OK || status == MUS_STATUS_OK) return;
    if (status == MUS_STATUS_NO_MEMORY) {
        a->status = status;
        return;
    }
    snprintf(why, sizeof why, "%s", mus_get_error_message());
    mus_archive_refuse(a, why);
}

/* ---- Ranges of values read ---- */

static bool is_checking(const mus_archive *a) {
    return a->mode == MUS_ARCHIVE_READ && a->status == MUS_STATUS_OK && !a->trusted;
}

static void refuse_value(mus_archive *a, const char *field, int64_t k, int64_t count, const char *value,
                         const char *least, const char *most) {
    char why[256], at[32] = "";
    if (count > 1) snprintf(at, sizeof at, " (number %lld)", (long long)k + 1);
    snprintf(why, sizeof why, "%s%s must be from %s to %s (got %s)", field, at, least, most, value);
    mus_archive_refuse(a, why);
}

void mus_archive_within(mus_archive *a, const char *field, const double *items, int64_t count, double least,
                        double most) {
    for (int64_t k = 0; k < count && is_checking(a); k++)
        if (!(items[k] >= least && items[k] <= most))
            refuse_value(a, field, k, count, mus_word_of_number(items[k]).text, mus_word_of_number(least).text,
                         mus_word_of_number(most).text);
}

void mus_archive_within_f32(mus_archive *a, const char *field, const float *items, int64_t count, float least,
                            float most) {
    for (int64_t k = 0; k < count && is_checking(a); k++) {
        double item = (double)items[k];
        mus_archive_within(a, field, &item, 1, (double)least, (double)most);
    }
}

void mus_archive_within_i64(mus_archive *a, const char *field, int64_t value, int64_t least, int64_t most) {
    if (!is_checking(a) || (value >= least && value <= most)) return;
    char text[3][32];
    const int64_t numbers[3] = {value, least, most};
    for (int k = 0; k < 3; k++) snprintf(text[k], sizeof text[k], "%lld", (long long)numbers[k]);
    refuse_value(a, field, 0, 1, text[0], text[1], text[2]);
}

void mus_archive_within_i32(mus_archive *a, const char *field, const int32_t *items, int64_t count, int64_t least,
                            int64_t most) {
    for (int64_t k = 0; k < count && is_checking(a); k++) mus_archive_within_i64(a, field, items[k], least, most);
}

mus_status mus_archive_end(mus_archive *a) {
    if (a->mode != MUS_ARCHIVE_WRITE && a->at != a->size) mus_archive_refuse(a, "there are more data than expected");
    return a->status;
}

void mus_archive_owner(mus_archive *a, const char *kind, const char *name) {
    if (name)
        snprintf(a->owner, sizeof a->owner, "%s '%s': ", kind, name);
    else
        snprintf(a->owner, sizeof a->owner, "%s: ", kind);
}

/* Makes room for `size` more bytes; false when out of memory. */
static bool reserve(mus_archive *a, size_t size) {
    if (a->status != MUS_STATUS_OK) return false;
    if (a->capacity - a->size >= size) return true;
    size_t capacity = 2 * a->capacity + size + 1024;
    uint8_t *larger = mus_resize(a->written, capacity);
    if (!larger) {
        a->status = MUS_STATUS_NO_MEMORY;
        return false;
    }
    a->written = larger, a->capacity = capacity;
    a->bytes = larger;
    return true;
}

/* Returns the next `count` items of `width` bytes; NULL if there are fewer. */
static const uint8_t *take_bytes(mus_archive *a, int64_t count, size_t width) {
    if (a->status != MUS_STATUS_OK) return NULL;
    if (count < 0 || (uint64_t)count > (a->size - a->at) / width) {
        mus_archive_refuse(a, "it ends too early");
        return NULL;
    }
    const uint8_t *from = a->bytes + a->at;
    a->at += (size_t)count * width;
    return from;
}

static uint64_t load(const uint8_t *from, size_t width) {
    uint64_t bits = 0;
    for (size_t k = 0; k < width; k++) bits |= (uint64_t)from[k] << 8 * k;
    return bits;
}

static uint64_t bits_of(const void *item, size_t width) {
    uint8_t b8;
    uint32_t b32;
    uint64_t b64;
    switch (width) {
    case 1:
        memcpy(&b8, item, 1);
        return b8;
    case 4:
        memcpy(&b32, item, 4);
        return b32;
    default:
        memcpy(&b64, item, 8);
        return b64;
    }
}

static void set_bits(void *item, size_t width, uint64_t bits) {
    uint8_t b8 = (uint8_t)bits;
    uint32_t b32 = (uint32_t)bits;
    if (width == 1)
        memcpy(item, &b8, 1);
    else if (width == 4)
        memcpy(item, &b32, 4);
    else
        memcpy(item, &bits, 8);
}

typedef enum number { REAL, SINGLE, SIGNED, UNSIGNED } number;

static void print(char text[32], number kind, size_t width, uint64_t bits) {
    double real;
    float single;
    uint32_t low = (uint32_t)bits;
    switch (kind) {
    case REAL:
        memcpy(&real, &bits, 8);
        snprintf(text, 32, "%.9g", real);
        break;
    case SINGLE:
        memcpy(&single, &low, 4);
        snprintf(text, 32, "%.9g", (double)single);
        break;
    case SIGNED:
        snprintf(text, 32, "%lld", width == 4 ? (long long)(int32_t)low : (long long)bits);
        break;
    case UNSIGNED:
        snprintf(text, 32, "%llu", (unsigned long long)bits);
    }
}

static void differs(mus_archive *a, const char *what, int64_t k, int64_t count, const char *saved, const char *here) {
    char at[32] = "";
    if (count > 1) snprintf(at, sizeof at, " (number %lld)", (long long)k + 1);
    a->status =
        mus_fail(MUS_STATUS_INVALID, "%s%s%s is %s in the snapshot and %s here", a->owner, what, at, saved, here);
}

static void compare(mus_archive *a, const char *what, const uint8_t *from, const uint8_t *items, int64_t count,
                    size_t width, number kind) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t saved = load(from + (size_t)k * width, width), here = bits_of(items + (size_t)k * width, width);
        if (saved == here) continue;
        char there[32], present[32];
        print(there, kind, width, saved);
        print(present, kind, width, here);
        differs(a, what, k, count, there, present);
        return;
    }
}

static void fields(mus_archive *a, const char *what, void *items, int64_t count, size_t width, number kind) {
    uint8_t *item = items;
    if (a->mode == MUS_ARCHIVE_WRITE) {
        if (!reserve(a, (size_t)count * width)) return;
        for (int64_t k = 0; k < count; k++) {
            uint64_t bits = bits_of(item + (size_t)k * width, width);
            for (size_t b = 0; b < width; b++) a->written[a->size++] = (uint8_t)(bits >> 8 * b);
        }
        return;
    }
    const uint8_t *from = take_bytes(a, count, width);
    if (!from) return;
    if (a->mode == MUS_ARCHIVE_COMPARE) {
        if (what) compare(a, what, from, item, count, width, kind);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        set_bits(item + (size_t)k * width, width, load(from + (size_t)k * width, width));
}

void mus_archive_f64(mus_archive *a, const char *what, double *items, int64_t count) {
    fields(a, what, items, count, 8, REAL);
}
void mus_archive_f32(mus_archive *a, const char *what, float *items, int64_t count) {
    fields(a, what, items, count, 4, SINGLE);
}
void mus_archive_i32(mus_archive *a, const char *what, int32_t *items, int64_t count) {
    fields(a, what, items, count, 4, SIGNED);
}
void mus_archive_u32(mus_archive *a, const char *what, uint32_t *items, int64_t count) {
    fields(a, what, items, count, 4, UNSIGNED);
}
void mus_archive_i64(mus_archive *a, const char *what, int64_t *items, int64_t count) {
    fields(a, what, items, count, 8, SIGNED);
}
void mus_archive_u64(mus_archive *a, const char *what, uint64_t *items, int64_t count) {
    fields(a, what, items, count, 8, UNSIGNED);
}
void mus_archive_u8(mus_archive *a, const char *what, uint8_t *items, int64_t count) {
    fields(a, what, items, count, 1, UNSIGNED);
}

void mus_archive_flag(mus_archive *a, const char *what, bool *flag) {
    uint8_t byte = *flag;
    mus_archive_u8(a, what, &byte, 1);
    if (a->mode != MUS_ARCHIVE_READ || a->status != MUS_STATUS_OK) return;
    if (byte > 1) mus_archive_refuse(a, "a flag is neither 0 nor 1");
    *flag = byte == 1;
}

void mus_archive_count(mus_archive *a, const char *what, int64_t *count, size_t each) {
    mus_archive_i64(a, what, count, 1);
    if (a->mode != MUS_ARCHIVE_READ || a->status != MUS_STATUS_OK) return;
    if (*count < 0 || (uint64_t)*count > (a->size - a->at) / (each ? each : 1)) {
        mus_archive_refuse(a, "a count is larger than the data that follow");
        *count = 0;
    }
}

void mus_archive_text(mus_archive *a, const char *what, char **text) {
    enum { NONE = 0xffffffffu };
    uint32_t length = *text ? (uint32_t)strlen(*text) : NONE;
    if (a->mode == MUS_ARCHIVE_WRITE) {
        fields(a, NULL, &length, 1, 4, UNSIGNED);
        if (*text) fields(a, NULL, *text, length, 1, UNSIGNED);
        return;
    }
    const uint8_t *head = take_bytes(a, 1, 4);
    if (!head) return;
    uint32_t saved = (uint32_t)load(head, 4);
    const uint8_t *from = saved == NONE ? NULL : take_bytes(a, saved, 1);
    if (a->status != MUS_STATUS_OK) return;
    if (a->mode == MUS_ARCHIVE_COMPARE) {
        bool same = saved == length && (!from || memcmp(from, *text, saved) == 0);
        if (same || !what) return;
        char there[72] = "nothing", here[72] = "nothing";
        if (from) snprintf(there, sizeof there, "'%.*s'", saved < 60 ? (int)saved : 60, (const char *)from);
        if (*text) snprintf(here, sizeof here, "'%.60s'", *text);
        differs(a, what, 0, 1, there, here);
        return;
    }
    char *copy = NULL;
    if (from) {
        if (memchr(from, 0, saved)) {
            mus_archive_refuse(a, "a name contains a zero byte");
            return;
        }
        if (!(copy = mus_new((size_t)saved + 1))) {
            a->status = MUS_STATUS_NO_MEMORY;
            return;
        }
        memcpy(copy, from, saved);
    }
    mus_free(*text);
    *text = copy;
}

void *mus_archive_new(mus_archive *a, size_t bytes) {
    void *block = mus_archive_is_ok(a) ? mus_new(bytes + 1) : NULL;
    if (mus_archive_is_ok(a) && !block) a->status = MUS_STATUS_NO_MEMORY;
    return block;
}

bool mus_archive_are_indices(const int32_t *indices, int64_t count, int64_t limit) {
    for (int64_t k = 0; k < count; k++)
        if (indices[k] < 0 || indices[k] >= limit) return false;
    return true;
}
