/* json.h: JSON values of the host's files. */
#ifndef MUS_APP_JSON_H
#define MUS_APP_JSON_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline json_t *real(double x) {
    return isfinite(x) ? json_real(x) : json_null(); /* JSON has no NaN */
}

/* json.c. A text; bytes that are not UTF-8 as \xHH. */
json_t *app_json_text(const char *text);
/* Sets KEY to the path as a text, and KEY_bytes to its bytes in hexadecimal if it is not UTF-8. */
void app_json_set_path(json_t *object, const char *key, const char *path);
char *app_json_path(const json_t *object, const char *key); /* the same path; owned; NULL: there is none */

static inline json_t *text_or_null(const char *text) {
    return text ? app_json_text(text) : json_null();
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
