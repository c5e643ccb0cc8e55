/* output_pictures.c: copies of the pictures on cloth beside the frames, for formats that refer to them by name. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

const char *app_picture_files_name(app_picture_files *files, const char *folder, const mus_picture *picture) {
    uint64_t serial = mus_picture_get_serial(picture);
    for (int k = 0; k < files->count; k++)
        if (files->list[k].serial == serial) return files->list[k].name;
    app_picture_file *grown = realloc(files->list, (size_t)(files->count + 1) * sizeof *grown);
    if (grown) files->list = grown;
    bool jpeg = strcmp(mus_picture_get_type(picture), "image/jpeg") == 0;
    char *name = app_format("picture_%d.%s", files->count + 1, jpeg ? "jpg" : "png");
    char *path = name ? app_format("%s/%s", folder, name) : NULL;
    bool ok = false;
    if (!grown || !path) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the names of pictures");
    } else {
        size_t size;
        const void *bytes = mus_picture_get_file(picture, &size);
        ok = app_write_file(path, bytes, size) == MUS_STATUS_OK;
    }
    free(path);
    if (!ok) {
        free(name);
        return NULL;
    }
    files->list[files->count++] = (app_picture_file){serial, name};
    return name;
}

mus_status app_picture_files_write(app_picture_files *files, const char *folder, mus_part *parts, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (parts[k].picture && !(parts[k].picture_file = app_picture_files_name(files, folder, parts[k].picture)))
            return MUS_STATUS_IO;
    return MUS_STATUS_OK;
}

void app_picture_files_free(app_picture_files *files) {
    for (int k = 0; k < files->count; k++) free(files->list[k].name);
    free(files->list);
    *files = (app_picture_files){0};
}
