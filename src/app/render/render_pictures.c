/* render_pictures.c: pictures on cloth as textures of the card, each made once and kept while it is drawn. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include <epoxy/gl.h>

typedef struct entry {
    uint64_t serial; /* of the picture: another one may have its address later */
    unsigned texture;
    bool used;
} entry;

struct app_pictures {
    entry *list;
    int count, capacity;
};

/* A picture of the card's size, four bytes a pixel, rows from below: larger ones lose every second row or column until
 * they fit. NULL: no memory. */
static unsigned char *convert(const mus_picture *picture, int *columns, int *rows) {
    int most = 0, width = mus_picture_get_width(picture), height = mus_picture_get_height(picture), step[2] = {1, 1};
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    while (width / step[0] > most) step[0] *= 2;
    while (height / step[1] > most) step[1] *= 2;
    *columns = width / step[0], *rows = height / step[1];
    unsigned char *colors = malloc(3 * (size_t)width * (size_t)height);
    unsigned char *made = colors ? malloc(4 * (size_t)*columns * (size_t)*rows) : NULL, *next = made;
    if (made) mus_picture_copy_colors(picture, colors);
    for (int y = 0; made && y < *rows; y++)
        for (int x = 0; x < *columns; x++, next += 4) {
            size_t row = (size_t)height - 1 - (size_t)y * (size_t)step[1], column = (size_t)x * (size_t)step[0];
            memcpy(next, colors + 3 * (row * (size_t)width + column), 3);
            next[3] = 255;
        }
    free(colors);
    return made;
}

static void upload(const mus_picture *picture) {
    static const unsigned char plain[4] = {188, 188, 188, 255};
    int columns = 1, rows = 1;
    unsigned char *pixels = convert(picture, &columns, &rows);
    if (!pixels) columns = rows = 1;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, columns, rows, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels ? pixels : plain);
    free(pixels);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
}

app_pictures *app_pictures_create(void) {
    app_pictures *made = calloc(1, sizeof *made);
    if (!made) mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the renderer");
    return made;
}

void app_pictures_destroy(app_pictures *pictures) {
    if (!pictures) return;
    app_pictures_begin(pictures);
    app_pictures_end(pictures);
    free(pictures->list);
    free(pictures);
}

void app_pictures_begin(app_pictures *pictures) {
    for (int k = 0; k < pictures->count; k++) pictures->list[k].used = false;
}

void app_pictures_end(app_pictures *pictures) {
    int count = 0;
    for (int k = 0; k < pictures->count; k++) {
        if (pictures->list[k].used)
            pictures->list[count++] = pictures->list[k];
        else
            glDeleteTextures(1, &pictures->list[k].texture);
    }
    pictures->count = count;
}

static void bind(app_pictures *pictures, const mus_picture *picture) {
    uint64_t serial = mus_picture_get_serial(picture);
    for (int k = 0; k < pictures->count; k++)
        if (pictures->list[k].serial == serial) {
            pictures->list[k].used = true;
            glBindTexture(GL_TEXTURE_2D, pictures->list[k].texture);
            return;
        }
    glBindTexture(GL_TEXTURE_2D, 0);
    if (pictures->count == pictures->capacity) {
        int capacity = 2 * pictures->capacity + 4;
        entry *grown = realloc(pictures->list, (size_t)capacity * sizeof *grown);
        if (!grown) return;
        pictures->list = grown, pictures->capacity = capacity;
    }
    entry *made = &pictures->list[pictures->count++];
    *made = (entry){.serial = serial, .used = true};
    glGenTextures(1, &made->texture);
    glBindTexture(GL_TEXTURE_2D, made->texture);
    upload(picture);
}

void app_pictures_bind(app_pictures *pictures, const mus_picture *picture, unsigned unit) {
    glActiveTexture(unit);
    bind(pictures, picture);
    glActiveTexture(GL_TEXTURE0);
}
