/* json.c: text that is not UTF-8 in JSON, which allows only UTF-8. Other bytes are written as \xHH; for a path,
 * which must be exact, its bytes are added in hexadecimal. */
#include "cli/json.h"

#include "host.h"

#include <stdlib.h>

/* Length in bytes of the UTF-8 character at `text`; 0: none. */
static size_t character_size(const char *text) {
    size_t left = strlen(text);
    for (size_t size = 1; size <= 4 && size <= left; size++) {
        json_t *one = json_stringn(text, size);
        if (!one) continue;
        json_decref(one);
        return size;
    }
    return 0;
}

json_t *app_json_text(const char *text) {
    json_t *value = json_string(text);
    if (value) return value;
    char *shown = malloc(4 * strlen(text) + 1), *at = shown;
    if (!shown) return json_null();
    while (*text) {
        size_t size = character_size(text);
        if (size == 0) {
            at += sprintf(at, "\\x%02X", (unsigned char)*text++);
            continue;
        }
        memcpy(at, text, size);
        at += size, text += size;
    }
    *at = '\0';
    value = json_string(shown);
    free(shown);
    return value ? value : json_null();
}

void app_json_set_path(json_t *object, const char *key, const char *path) {
    json_t *value = json_string(path);
    json_object_set_new(object, key, value ? value : app_json_text(path));
    char *bytes_key = value ? NULL : app_format("%s_bytes", key),
         *hex = bytes_key ? malloc(2 * strlen(path) + 1) : NULL;
    for (size_t k = 0; hex && path[k]; k++) sprintf(hex + 2 * k, "%02x", (unsigned char)path[k]);
    if (hex) json_object_set_new(object, bytes_key, json_string(hex));
    free(bytes_key);
    free(hex);
}

char *app_json_path(const json_t *object, const char *key) {
    char *bytes_key = app_format("%s_bytes", key), *path = NULL;
    const char *hex = bytes_key ? json_string_value(json_object_get(object, bytes_key)) : NULL;
    const char *text = json_string_value(json_object_get(object, key));
    size_t size = hex ? strlen(hex) / 2 : 0;
    if (!hex) {
        path = text ? strdup(text) : NULL;
    } else if ((path = malloc(size + 1))) {
        for (size_t k = 0; k < size; k++) {
            unsigned int byte = 0;
            sscanf(hex + 2 * k, "%2x", &byte);
            path[k] = (char)byte;
        }
        path[size] = '\0';
    }
    free(bytes_key);
    return path;
}
