/* json.h: values as the host's files hold them. */
#ifndef MUS_APP_JSON_H
#define MUS_APP_JSON_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static inline json_t *real(double x) {
    return isfinite(x) ? json_real(x) : json_null(); /* JSON has no NaN */
}

static inline json_t *text_or_null(const char *text) {
    json_t *value = text ? json_string(text) : NULL; /* NULL when it is no UTF-8 */
    if (!value && text) value = json_stringn_nocheck("(not UTF-8)", 11);
    return value ? value : json_null();
}

static inline json_t *hash_text(uint64_t hash) {
    return json_sprintf("%016llx", (unsigned long long)hash);
}

static inline json_t *unsigned_integer(uint64_t x) {
    return x <= INT64_MAX ? json_integer((json_int_t)x) : json_sprintf("%llu", (unsigned long long)x);
}

/* One field of a CSV file, quoted where it must be. */
static inline void app_csv_text(FILE *out, const char *text) {
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quoted) fputc('"', out);
}

#endif
