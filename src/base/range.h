/* range.h: checks numbers against the limits of muslin.h (MUS_LARGEST_LENGTH and others), and converts numbers to
 * indices and counts. */
#ifndef MUS_BASE_RANGE_H
#define MUS_BASE_RANGE_H

#include <stdint.h>

#include "base/vec.h"
#include "muslin/status.h"

static inline bool mus_is_length(double x) {
    return fabs(x) <= MUS_LARGEST_LENGTH; /* false for NaN */
}
static inline bool mus_is_value(double x) {
    return fabs(x) <= MUS_LARGEST_VALUE;
}
static inline bool mus_are_lengths(v3 x) {
    return mus_is_length(x.x) && mus_is_length(x.y) && mus_is_length(x.z);
}
static inline bool mus_are_values(v3 x) {
    return mus_is_value(x.x) && mus_is_value(x.y) && mus_is_value(x.z);
}

/* The kind of a number, which determines its range. */
typedef enum mus_range {
    MUS_RANGE_COORDINATE, /* m, within +-MUS_LARGEST_LENGTH */
    MUS_RANGE_LENGTH,     /* m, 0 or MUS_SMALLEST_LENGTH to MUS_LARGEST_LENGTH */
    MUS_RANGE_SIZE,       /* m, MUS_SMALLEST_LENGTH to MUS_LARGEST_LENGTH */
    MUS_RANGE_ANY,        /* within +-MUS_LARGEST_VALUE */
    MUS_RANGE_AMOUNT,     /* 0 to MUS_LARGEST_VALUE */
    MUS_RANGE_POSITIVE,   /* 1/MUS_LARGEST_VALUE to MUS_LARGEST_VALUE */
    MUS_RANGE_SHARE       /* 0 to 1 */
} mus_range;

/* INVALID unless `value` is in range: "SUBJECT must be > 0 m (got 0)", or with the bounds if the value is beyond them.
 * `subject` names the object and the field, "cloth: field 'thickness'"; `unit` may be "". */
mus_status mus_check_range(const char *subject, mus_range range, const char *unit, double value);
/* The same for three numbers, all of which the message shows. */
mus_status mus_check_range3(const char *subject, mus_range range, const char *unit, const double value[3]);

/* INVALID for the first of `count` x 3 coordinates that is not finite or beyond MUS_LARGEST_LENGTH: "mesh: vertex 3
 * must be finite (got {..})". */
mus_status mus_check_places(const char *subject, const double *vertices, int64_t count);

/* floor(value) as an index or a count, clamped to `least` and `most`; `least` for NaN. The only conversion from a
 * double to an integer that indexes, counts or allocates: a cast of a value that does not fit is undefined. */
static inline int64_t mus_count_of(double value, int64_t least, int64_t most) {
    double whole = floor(value);
    if (!(whole > (double)least)) return least;
    return whole < (double)most ? (int64_t)whole : most;
}
static inline int32_t mus_index_of(double value, int32_t least, int32_t most) {
    return (int32_t)mus_count_of(value, least, most);
}

#endif
