/* archive.h: one description of data that writes it, reads it back and compares it: little endian, no padding. */
#ifndef MUS_BASE_ARCHIVE_H
#define MUS_BASE_ARCHIVE_H

#include "muslin.h"

typedef enum mus_archive_mode { MUS_ARCHIVE_WRITE, MUS_ARCHIVE_READ, MUS_ARCHIVE_COMPARE } mus_archive_mode;

/* A function that names its fields one after another does all three: WRITE appends what the pointers point to, READ
 * fills it, COMPARE leaves it alone and fails for the first field that is not the same, bit for bit. The first failure
 * is kept, after it nothing is read or written, and its message is in the error record. */
typedef struct mus_archive {
    mus_archive_mode mode;
    uint8_t *written; /* WRITE: owned until it is taken */
    const uint8_t *bytes;
    size_t size, capacity, at;
    char owner[80];      /* whose fields these are, for messages: "cloth 'sheet': " */
    const char *section; /* of a snapshot, for messages; NULL: none */
    bool trusted;        /* READ: what this process wrote a moment ago; ranges are not checked */
    mus_status status;
} mus_archive;

mus_archive mus_archive_writer(void);
mus_archive mus_archive_reader(const void *bytes, size_t size, mus_archive_mode mode);
void mus_archive_free(mus_archive *archive);
/* Status; after READ and COMPARE also whether everything was used up. */
mus_status mus_archive_end(mus_archive *archive);
void mus_archive_owner(mus_archive *archive, const char *kind, const char *name);
/* FORMAT, for what a file may not hold: "snapshot: section 'state': cloth 'sheet': WHY". */
void mus_archive_refuse(mus_archive *archive, const char *why);

/* What a check of the rest of the library has said about what was read: but for NO_MEMORY its message comes behind the
 * section and the owner. */
void mus_archive_check(mus_archive *archive, mus_status status);

/* After READ, the only check of what was read: FORMAT names the field, its number if there are several, the value and
 * its range, for the first that lies outside [least, most] or is NaN. The other modes look at nothing, nor does a
 * trusted reader. */
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
/* READ frees what was there and allocates; NULL is kept apart from "". */
void mus_archive_text(mus_archive *archive, const char *what, char **text);
/* A count of what follows, each of `each` bytes at the least: READ refuses more than there is room for. COMPARE gives
 * the present one back. */
void mus_archive_count(mus_archive *archive, const char *what, int64_t *count, size_t each);

#endif
