/* range.c: messages about numbers that are out of range. */
#include "base/range.h"
#include "base/word.h"

#include <stdio.h>
#include <string.h>

static bool is_a_length(mus_range range) {
    return range == MUS_RANGE_COORDINATE || range == MUS_RANGE_LENGTH || range == MUS_RANGE_SIZE;
}

/* Returns whether the value is finite and has the sign required. */
static bool has_sign(mus_range range, double value) {
    if (!isfinite(value)) return false;
    if (range == MUS_RANGE_SIZE || range == MUS_RANGE_POSITIVE) return value > 0;
    return value >= 0 || range == MUS_RANGE_COORDINATE || range == MUS_RANGE_ANY;
}

static bool is_in_range(mus_range range, double value) {
    if (!has_sign(range, value)) return false;
    switch (range) {
    case MUS_RANGE_COORDINATE:
        return mus_is_length(value);
    case MUS_RANGE_LENGTH:
        return mus_is_length(value) && (value == 0 || value >= MUS_SMALLEST_LENGTH);
    case MUS_RANGE_SIZE:
        return mus_is_length(value) && value >= MUS_SMALLEST_LENGTH;
    case MUS_RANGE_ANY:
    case MUS_RANGE_AMOUNT:
        return mus_is_value(value);
    case MUS_RANGE_POSITIVE:
        return mus_is_value(value) && value >= 1 / MUS_LARGEST_VALUE;
    case MUS_RANGE_SHARE:
        return value <= 1;
    }
    return false;
}

typedef struct bounds_text {
    char text[64];
} bounds_text;

/* "> 0", or "from 1e-15 to 1e+09" if the sign is right. */
static bounds_text bounds_of(mus_range range, bool sign) {
    bounds_text t;
    double most = is_a_length(range) ? MUS_LARGEST_LENGTH : MUS_LARGEST_VALUE;
    double least = is_a_length(range) ? MUS_SMALLEST_LENGTH : 1 / MUS_LARGEST_VALUE;
    if (range == MUS_RANGE_SHARE)
        snprintf(t.text, sizeof t.text, "within 0..1");
    else if (range == MUS_RANGE_COORDINATE || range == MUS_RANGE_ANY)
        snprintf(t.text, sizeof t.text, "%swithin +-%g", sign ? "" : "finite, and ", most);
    else if (!sign)
        snprintf(t.text, sizeof t.text, range == MUS_RANGE_SIZE || range == MUS_RANGE_POSITIVE ? "> 0" : ">= 0");
    else if (range == MUS_RANGE_LENGTH)
        snprintf(t.text, sizeof t.text, "0, or from %g to %g", least, most);
    else
        snprintf(t.text, sizeof t.text, "from %g to %g", range == MUS_RANGE_AMOUNT ? 0.0 : least, most);
    return t;
}

mus_status mus_check_range(const char *subject, mus_range range, const char *unit, double value) {
    if (is_in_range(range, value)) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "%s must be %s%s%s (got %s)", subject,
                    bounds_of(range, has_sign(range, value)).text, unit[0] ? " " : "", unit,
                    mus_word_of_number(value).text);
}

mus_status mus_check_range3(const char *subject, mus_range range, const char *unit, const double value[3]) {
    bool finite = true, all = true;
    for (int k = 0; k < 3; k++) finite &= has_sign(range, value[k]), all &= is_in_range(range, value[k]);
    if (all) return MUS_STATUS_OK;
    bounds_text bounds = {""};
    if (finite) {
        bounds = bounds_of(range, true);
        snprintf(bounds.text + strlen(bounds.text), sizeof bounds.text - strlen(bounds.text), " %s", unit);
    } else {
        snprintf(bounds.text, sizeof bounds.text, ", %s", unit);
    }
    return mus_fail(MUS_STATUS_INVALID, "%s must be three %s%s (got %s, %s, %s)", subject,
                    finite ? "numbers " : "finite numbers", bounds.text, mus_word_of_number(value[0]).text,
                    mus_word_of_number(value[1]).text, mus_word_of_number(value[2]).text);
}

mus_status mus_check_places(const char *subject, const double *vertices, int64_t count) {
    for (int64_t v = 0; v < count; v++) {
        const double *p = vertices + 3 * v;
        if (mus_are_lengths(v3_load(p))) continue;
        mus_number_word word[3];
        for (int k = 0; k < 3; k++) word[k] = mus_word_of_number(p[k]);
        if (!v3_finite(v3_load(p)))
            return mus_fail(MUS_STATUS_INVALID, "%s: vertex %lld must be finite (got {%s, %s, %s})", subject,
                            (long long)v + 1, word[0].text, word[1].text, word[2].text);
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: vertex %lld must lie within +-%g m (got {%s, %s, %s}); scale or move the mesh", subject,
                        (long long)v + 1, MUS_LARGEST_LENGTH, word[0].text, word[1].text, word[2].text);
    }
    return MUS_STATUS_OK;
}
