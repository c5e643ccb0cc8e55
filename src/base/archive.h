/* archive.h: one description of data that writes it, reads it back and compares it: little endian, no padding. */
#ifndef MUS_BASE_ARCHIVE_H
#define MUS_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "muslin/status.h"

typedef enum mus_archive_mode { MUS_ARCHIVE_WRITE, MUS_ARCHIVE_READ, MUS_ARCHIVE_COMPARE } mus_archive_mode;

/* A function that passes its fields one after another works in all three modes: WRITE appends the values pointed to,
 * READ fills them, COMPARE leaves them unchanged and fails for the first field that is not bit-identical. The first
 * failure is kept: after it nothing is read or written, and its message is in the error record. */
typedef struct mus_archive {
    mus_archive_mode mode;
    uint8_t *written; /* WRITE: owned until taken over */
    const uint8_t *bytes;
    size_t size, capacity, at;
    char owner[80];      /* owner of the fields, for messages: "cloth 'sheet': " */
    const char *section; /* of a snapshot, for messages; NULL: none */
    bool trusted;        /* READ: written by this process just before; ranges are not checked */
    mus_status status;
} mus_archive;

mus_archive mus_archive_writer(void);
mus_archive mus_archive_reader(const void *bytes, size_t size, mus_archive_mode mode);
void mus_archive_free(mus_archive *archive);
/* Returns the status; after READ and COMPARE fails unless all bytes were used. */
mus_status mus_archive_end(mus_archive *archive);
void mus_archive_owner(mus_archive *archive, const char *kind, const char *name);
/* Fails with FORMAT, for content that a file must not have: "snapshot: section 'state': cloth 'sheet': WHY". */
void mus_archive_refuse(mus_archive *archive, const char *why);

static inline bool mus_archive_is_ok(const mus_archive *archive) {
    return archive->status == MUS_STATUS_OK;
}
static inline bool mus_archive_is_reading(const mus_archive *archive) {
    return archive->mode == MUS_ARCHIVE_READ;
}
/* Zeroed memory for data to read, which the caller frees; NULL after a failure, or with NO_MEMORY. */
void *mus_archive_new(mus_archive *archive, size_t bytes);
/* Whether all are from 0 to limit - 1. */
bool mus_archive_are_indices(const int32_t *indices, int64_t count, int64_t limit);

/* Records the status of another part's check of the values read: except for NO_MEMORY its message follows the section
 * and the owner. */
void mus_archive_check(mus_archive *archive, mus_status status);

/* After READ, the only check of the values: fails with FORMAT for the first that lies outside [least, most] or is NaN,
 * naming the field, its number if there are several, the value and its range. Does nothing in the other modes, nor for
 * a trusted reader. */
void mus_archive_within(mus_archive *archive, const char *field, const double *items, int64_t count, double least,
                        double most);
void mus_archive_within_f32(mus_archive *archive, const char *field, const float *items, int64_t count, float least,
                            float most);
void mus_archive_within_i64(mus_archive *archive, const char *field, int64_t value, int64_t least, int64_t most);
void mus_archive_within_i32(mus_archive *archive, const char *field, const int32_t *items, int64_t count, int64_t least,
                            int64_t most);

/* `count` items. `what` names the field for COMPARE; NULL: it may differ. */
void mus_archive_f64(mus_archive *archive, const char *what, double *items, int64_t count);
void mus_archive_f32(mus_archive *archive, const char *what, float *items, int64_t count);
void mus_archive_i32(mus_archive *archive, const char *what, int32_t *items, int64_t count);
void mus_archive_u32(mus_archive *archive, const char *what, uint32_t *items, int64_t count);
void mus_archive_i64(mus_archive *archive, const char *what, int64_t *items, int64_t count);
void mus_archive_u64(mus_archive *archive, const char *what, uint64_t *items, int64_t count);
void mus_archive_u8(mus_archive *archive, const char *what, uint8_t *items, int64_t count);
void mus_archive_flag(mus_archive *archive, const char *what, bool *flag);
/* READ frees the old text and allocates; NULL is distinguished from "". */
void mus_archive_text(mus_archive *archive, const char *what, char **text);
/* The number of items that follow, of at least `each` bytes each: READ rejects more than there are bytes for. COMPARE
 * leaves the current number. */
void mus_archive_count(mus_archive *archive, const char *what, int64_t *count, size_t each);

#endif
