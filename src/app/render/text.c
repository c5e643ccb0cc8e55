/* text.c: text over a picture. Glyphs of DejaVu Sans Mono where the font is installed, else a built-in stroke font;
 * both are kept as an atlas for each size in use. */
#include "render/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epoxy/gl.h>

#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_truetype.h>
#include <stb/stb_easy_font.h>
#pragma GCC diagnostic pop

#define ATLAS_WIDTH 512
#define ATLAS_LIMIT 4096
#define ATLAS_COUNT 4
#define LINE_STEP   1.0f  /* of the size */
#define EASY_LINE   12.0f /* pixels of a line in the built-in font */

typedef struct glyph_range {
    int first, count;
} glyph_range;

/* Latin, Greek, dashes, quotes and dots, superscripts, arrows and the signs of formulas. */
static const glyph_range RANGES[] = {{32, 95},     {160, 96},   {0x391, 57},   {0x2010, 24},
                                     {0x2070, 16}, {0x2190, 4}, {0x2200, 104}, {0x25a0, 96}};
#define RANGE_COUNT ((int)(sizeof RANGES / sizeof RANGES[0]))
#define GLYPH_COUNT (95 + 96 + 57 + 24 + 16 + 4 + 104 + 96)

typedef struct atlas {
    int pixels; /* size it was made for, 0: free */
    int width, height;
    uint64_t used;
    unsigned texture;
    float ascent;
    stbtt_packedchar *glyphs; /* GLYPH_COUNT */
} atlas;

typedef struct text_vertex {
    float x, y, u, v;
} text_vertex;

struct app_text {
    unsigned char *font; /* NULL: the built-in one */
    stbtt_fontinfo info;
    atlas atlases[ATLAS_COUNT];
    uint64_t clock;
    unsigned program, vao, vbo, white;
    int scale_at, ink_at;
    text_vertex *vertices;
    int64_t count, capacity;
};

static unsigned char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    unsigned char *data = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > 0 && size < (64 << 20) && fseek(file, 0, SEEK_SET) == 0 && (data = malloc((size_t)size)) &&
        fread(data, 1, (size_t)size, file) != (size_t)size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static void find_font(app_text *text) {
    static const char *const places[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
                                         "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
                                         "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
                                         "/usr/share/fonts/dejavu/DejaVuSansMono.ttf",
                                         "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf",
                                         NULL};
    for (int i = 0; places[i] && !text->font; i++) {
        text->font = read_file(places[i]);
        if (text->font && !stbtt_InitFont(&text->info, text->font, stbtt_GetFontOffsetForIndex(text->font, 0))) {
            free(text->font);
            text->font = NULL;
        }
    }
}

static unsigned make_texture(const unsigned char *pixels, int width, int height) {
    unsigned texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

app_text *app_text_create(void) {
    app_text *text = calloc(1, sizeof *text);
    if (!text) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the overlay's text");
        return NULL;
    }
    text->program = app_shader_program(APP_PROGRAM_TEXT);
    if (!text->program) {
        free(text);
        return NULL;
    }
    text->scale_at = glGetUniformLocation(text->program, "scale");
    text->ink_at = glGetUniformLocation(text->program, "ink");
    glGenVertexArrays(1, &text->vao);
    glGenBuffers(1, &text->vbo);
    glBindVertexArray(text->vao);
    glBindBuffer(GL_ARRAY_BUFFER, text->vbo);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(text_vertex), (void *)offsetof(text_vertex, x));
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, sizeof(text_vertex), (void *)offsetof(text_vertex, u));
    glBindVertexArray(0);
    text->white = make_texture((const unsigned char[]){255}, 1, 1);
    find_font(text);
    return text;
}

static void atlas_free(atlas *a) {
    if (a->texture) glDeleteTextures(1, &a->texture);
    free(a->glyphs);
    memset(a, 0, sizeof *a);
}

void app_text_destroy(app_text *text) {
    if (!text) return;
    for (int i = 0; i < ATLAS_COUNT; i++) atlas_free(&text->atlases[i]);
    glDeleteTextures(1, &text->white);
    glDeleteBuffers(1, &text->vbo);
    glDeleteVertexArrays(1, &text->vao);
    glDeleteProgram(text->program);
    free(text->font);
    free(text->vertices);
    free(text);
}

/* Packs all glyphs at a size; the atlas grows until they fit. */
static bool atlas_make(app_text *text, atlas *a, int pixels) {
    a->glyphs = calloc(GLYPH_COUNT, sizeof *a->glyphs);
    for (int height = 256; a->glyphs && height <= ATLAS_LIMIT; height *= 2) {
        int width = height < 1024 ? ATLAS_WIDTH : height;
        unsigned char *bitmap = calloc((size_t)width, (size_t)height);
        stbtt_pack_context pack;
        if (!bitmap) break;
        if (!stbtt_PackBegin(&pack, bitmap, width, height, 0, 1, NULL)) {
            free(bitmap);
            break;
        }
        stbtt_pack_range ranges[RANGE_COUNT];
        memset(ranges, 0, sizeof ranges);
        for (int i = 0, base = 0; i < RANGE_COUNT; base += RANGES[i++].count) {
            ranges[i].font_size = (float)pixels;
            ranges[i].first_unicode_codepoint_in_range = RANGES[i].first;
            ranges[i].num_chars = RANGES[i].count;
            ranges[i].chardata_for_range = a->glyphs + base;
        }
        stbtt_PackSetSkipMissingCodepoints(&pack, 1);
        int packed = stbtt_PackFontRanges(&pack, text->font, 0, ranges, RANGE_COUNT);
        stbtt_PackEnd(&pack);
        if (packed || 2 * height > ATLAS_LIMIT) {
            int ascent, descent, gap;
            stbtt_GetFontVMetrics(&text->info, &ascent, &descent, &gap);
            a->ascent = (float)ascent * stbtt_ScaleForPixelHeight(&text->info, (float)pixels);
            a->width = width, a->height = height, a->pixels = pixels;
            a->texture = make_texture(bitmap, width, height);
            free(bitmap);
            return true;
        }
        free(bitmap);
        memset(a->glyphs, 0, GLYPH_COUNT * sizeof *a->glyphs);
    }
    atlas_free(a);
    return false;
}

static atlas *atlas_of(app_text *text, float size) {
    int pixels = (int)lroundf(fminf(fmaxf(size, 6), 160));
    if (!text->font) return NULL;
    atlas *oldest = &text->atlases[0];
    for (int i = 0; i < ATLAS_COUNT; i++) {
        atlas *a = &text->atlases[i];
        if (a->pixels == pixels) {
            a->used = ++text->clock;
            return a;
        }
        if (a->used < oldest->used) oldest = a;
    }
    atlas_free(oldest);
    if (!atlas_make(text, oldest, pixels)) return NULL;
    oldest->used = ++text->clock;
    return oldest;
}

/* Reads one character of UTF-8; a malformed byte is U+FFFD. */
static int next_character(const char **at) {
    const unsigned char *s = (const unsigned char *)*at;
    int more = s[0] < 0x80                   ? 0
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 2
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 3
                                             : -1;
    if (more <= 0) {
        (*at)++;
        return more ? 0xfffd : s[0];
    }
    int code = s[0] & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            (*at)++;
            return 0xfffd;
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    *at += more + 1;
    return code;
}

static const stbtt_packedchar *glyph_of(const atlas *a, int code) {
    for (int i = 0, base = 0; i < RANGE_COUNT; base += RANGES[i++].count)
        if (code >= RANGES[i].first && code < RANGES[i].first + RANGES[i].count) {
            const stbtt_packedchar *g = &a->glyphs[base + code - RANGES[i].first];
            if (g->xadvance > 0) return g;
        }
    return &a->glyphs['?' - 32];
}

static bool push(app_text *text, const text_vertex corners[4]) {
    if (text->count + 6 > text->capacity) {
        int64_t capacity = 2 * text->capacity + 1536;
        text_vertex *grown = realloc(text->vertices, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        text->vertices = grown, text->capacity = capacity;
    }
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; i++) text->vertices[text->count++] = corners[order[i]];
    return true;
}

static bool push_box(app_text *text, float x0, float y0, float x1, float y1, float u0, float v0, float u1, float v1) {
    const text_vertex corners[4] = {{x0, y0, u0, v0}, {x1, y0, u1, v0}, {x1, y1, u1, v1}, {x0, y1, u0, v1}};
    return push(text, corners);
}

/* Draws the pushed quads. */
static void flush(app_text *text, unsigned texture, const float color[4], int width, int height) {
    if (text->count == 0) return;
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(text->program);
    glUniform2f(text->scale_at, 2 / (float)width, 2 / (float)height);
    glUniform4fv(text->ink_at, 1, color);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glBindVertexArray(text->vao);
    glBindBuffer(GL_ARRAY_BUFFER, text->vbo);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(text->count * (int64_t)sizeof *text->vertices), text->vertices,
                 GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)text->count);
    glBindVertexArray(0);
    glDisable(GL_BLEND);
    text->count = 0;
}

/* The built-in font knows printable ASCII and newlines; each line is laid out by itself. */
static void push_easy(app_text *text, float x, float y, float size, const char *string) {
    float scale = size / EASY_LINE;
    char line[256];
    struct {
        float x, y, z;
        unsigned char color[4];
    } quads[4 * 512];
    while (*string) {
        size_t n = 0;
        while (*string && *string != '\n') {
            int code = next_character(&string);
            for (int k = 0; code == '\t' && k < 3 && n + 1 < sizeof line; k++) line[n++] = ' ';
            if (code == '\t') code = ' ';
            if (n + 1 < sizeof line) line[n++] = code >= 32 && code < 127 ? (char)code : '?';
        }
        line[n] = 0;
        int count = stb_easy_font_print(0, 0, line, NULL, quads, sizeof quads);
        for (int i = 0; i < count; i++) {
            float x0 = roundf(x + quads[4 * i].x * scale), y0 = roundf(y + (quads[4 * i].y + 1) * scale);
            float x1 = roundf(x + quads[4 * i + 2].x * scale), y1 = roundf(y + (quads[4 * i + 2].y + 1) * scale);
            push_box(text, x0, y0, fmaxf(x1, x0 + 1), fmaxf(y1, y0 + 1), 0.5f, 0.5f, 0.5f, 0.5f);
        }
        if (*string == '\n') string++;
        y += size * LINE_STEP;
    }
}

void app_text_draw(app_text *text, float x, float y, float size, const float color[4], const char *string, int width,
                   int height) {
    atlas *a = atlas_of(text, size);
    text->count = 0;
    if (!a) {
        push_easy(text, x, y, size, string);
        flush(text, text->white, color, width, height);
        return;
    }
    float step = roundf((float)a->pixels * LINE_STEP), pen = x, baseline = roundf(y + a->ascent);
    for (const char *at = string; *at;) {
        int code = next_character(&at);
        if (code == '\n') {
            pen = x, baseline += step;
            continue;
        }
        if (code == '\t') {
            pen += 4 * a->glyphs[0].xadvance;
            continue;
        }
        const stbtt_packedchar *g = glyph_of(a, code);
        float left = floorf(pen + g->xoff + 0.5f), top = floorf(baseline + g->yoff + 0.5f);
        float w = (float)a->width, h = (float)a->height;
        push_box(text, left, top, left + (float)(g->x1 - g->x0), top + (float)(g->y1 - g->y0), g->x0 / w, g->y0 / h,
                 g->x1 / w, g->y1 / h);
        pen += g->xadvance;
    }
    flush(text, a->texture, color, width, height);
}

void app_text_measure(app_text *text, float size, const char *string, float *width, float *height) {
    atlas *a = atlas_of(text, size);
    float line = 0, widest = 0, lines = 1;
    for (const char *at = string; *at;) {
        int code = next_character(&at);
        if (code == '\n') {
            lines++, line = 0;
            continue;
        }
        if (a)
            line += code == '\t' ? 4 * a->glyphs[0].xadvance : glyph_of(a, code)->xadvance;
        else {
            char one[2] = {code >= 32 && code < 127 ? (char)code : '?', 0};
            line += (float)stb_easy_font_width(one) * size / EASY_LINE;
        }
        widest = fmaxf(widest, line);
    }
    *width = widest;
    *height = lines * (a ? roundf((float)a->pixels * LINE_STEP) : size * LINE_STEP);
}

void app_text_panel(app_text *text, float x, float y, float w, float h, const float color[4], int width, int height) {
    text->count = 0;
    push_box(text, x, y, x + w, y + h, 0.5f, 0.5f, 0.5f, 0.5f);
    flush(text, text->white, color, width, height);
}
