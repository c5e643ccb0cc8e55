/* output_materials.c: the colors and pictures of a run's objects as materials of OBJ files, one file beside all frames.
 * It keeps the materials of objects that are no more, which earlier frames name, also those of an interrupted run. */
#include "host.h"
#include "muslin/host.h"

#include <stdlib.h>
#include <string.h>

static const char file_name[] = "frames.mtl";

struct app_material {
    char *name, *text; /* the text from "newmtl" on */
};

/* A word: with %XX for bytes that end one. */
static char *encode(const char *name) {
    char *word = malloc(3 * strlen(name) + 1), *to = word;
    for (const char *c = name; word && *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte <= ' ' || byte == 127 || byte == '%')
            to += sprintf(to, "%%%02X", byte);
        else
            *to++ = *c;
    }
    if (word) *to = '\0';
    return word;
}

static char *describe(const char *name, const mus_part *part) {
    const double *at = part->picture_place;
    if (part->picture_file)
        return app_format("newmtl %s\nKd 1 1 1\nKs 0 0 0\nillum 1\nmap_Kd -o %.9g %.9g 0 -s %.9g %.9g 1 %s\n", name,
                          -at[0] / at[2], -at[1] / at[3], 1 / at[2], 1 / at[3], part->picture_file);
    return app_format("newmtl %s\nKd %.6g %.6g %.6g\nKs 0 0 0\nillum 1\n", name, (double)part->color[0],
                      (double)part->color[1], (double)part->color[2]);
}

/* Takes over both strings; the latest text of a name is the one that counts. */
static bool set_material(app_materials *m, char *name, char *text, const char **stored) {
    int k = 0;
    while (name && text && k < m->count && strcmp(m->list[k].name, name) != 0) k++;
    struct app_material *grown = NULL;
    if (name && text && k == m->count) grown = realloc(m->list, (size_t)(k + 1) * sizeof *grown);
    if (grown) {
        m->list = grown;
        m->list[m->count++] = (struct app_material){name, text};
        m->changed = true;
    } else if (name && text && k < m->count) {
        if (strcmp(m->list[k].text, text) != 0) m->changed = true;
        free(m->list[k].text);
        free(name);
        m->list[k].text = text;
    } else {
        free(name);
        free(text);
        return false;
    }
    *stored = m->list[k].name;
    return true;
}

/* The materials of the process that this one continues: a run from the start has removed the file. */
static bool read_file(app_materials *m, const char *path) {
    char *text;
    size_t size;
    const char *stored;
    if (mus_read_text(path, &text, &size) != MUS_STATUS_OK) return true;
    bool ok = true;
    for (char *at = strstr(text, "newmtl "), *next; ok && at; at = next) {
        next = strstr(at + 1, "\nnewmtl ");
        if (next) next++;
        size_t length = next ? (size_t)(next - at) : strlen(at), word = strcspn(at + 7, "\r\n");
        ok = set_material(m, strndup(at + 7, word), strndup(at, length), &stored);
    }
    mus_free_text(text);
    return ok;
}

static mus_status write_file(const app_materials *m, const char *path) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream) fputs("# Materials of frame_*.obj. Colors are sRGB.\n", stream);
    for (int k = 0; stream && k < m->count; k++) fputs(m->list[k].text, stream);
    bool ok = stream && fclose(stream) == 0 && text;
    mus_status status =
        ok ? app_write_file(path, text, size) : mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    free(text);
    return status;
}

mus_status app_materials_write(app_materials *m, const char *folder, mus_part *parts, int32_t count) {
    char *path = app_format("%s/%s", folder, file_name);
    bool ok = path && (m->count > 0 || read_file(m, path));
    for (int32_t k = 0; ok && k < count; k++) {
        char *name = encode(parts[k].name);
        ok = set_material(m, name, name ? describe(name, &parts[k]) : NULL, &parts[k].material);
        parts[k].material_file = file_name;
    }
    mus_status status = MUS_STATUS_OK;
    if (!ok)
        status = mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the materials of %d objects", count);
    else if (m->changed)
        status = write_file(m, path);
    if (status == MUS_STATUS_OK) m->changed = false;
    free(path);
    return status;
}

void app_materials_free(app_materials *m) {
    for (int k = 0; k < m->count; k++) {
        free(m->list[k].name);
        free(m->list[k].text);
    }
    free(m->list);
    *m = (app_materials){0};
}
