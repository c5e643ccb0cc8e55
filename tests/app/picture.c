/* picture.c: a small tool of the window's test: cuts, compares and judges pictures. Reads PNG and X window dumps.
 *
 *   picture size FILE                          width and height
 *   picture cut FILE X Y WIDTH HEIGHT OUT.png  a part of it
 *   picture diff A B                           share of pixels that differ by more than 24 of 255, in percent
 *   picture hue FILE FROM TO                   share of pixels of a hue in degrees and of clear color, in percent
 *   picture range FILE FROM TO                 how much light and dark those pixels span: 95th minus 5th percentile
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

typedef struct picture {
    int width, height;
    unsigned char *rgb;
} picture;

static void die(const char *what, const char *path) {
    fprintf(stderr, "picture: %s: %s\n", path, what);
    exit(2);
}

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* X window dump: a header of big-endian words, a color map, rows of 32-bit pixels. Words: 0 header size, 4 width, 5
 * height, 7 byte order (0: least first), 11 bits per pixel, 12 bytes per row, 19 number of colors of 12 bytes each. */
static picture read_dump(const char *path, const unsigned char *data, size_t size) {
    uint32_t w[20];
    if (size < sizeof w) die("too short", path);
    for (int i = 0; i < 20; i++) w[i] = big_endian(data + 4 * i);
    size_t start = w[0] + (size_t)w[19] * 12;
    if (w[11] != 32 || size < start + (size_t)w[12] * w[5]) die("not a dump with 32 bits a pixel", path);
    picture p = {(int)w[4], (int)w[5], malloc((size_t)w[4] * w[5] * 3)};
    if (!p.rgb) die("no memory", path);
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++) {
            const unsigned char *from = data + start + (size_t)w[12] * (size_t)y + 4 * (size_t)x;
            unsigned char *to = p.rgb + 3 * ((size_t)y * (size_t)p.width + (size_t)x);
            for (int k = 0; k < 3; k++) to[k] = w[7] == 0 ? from[2 - k] : from[1 + k];
        }
    return p;
}

static picture read_picture(const char *path) {
    FILE *file = fopen(path, "rb");
    static unsigned char data[64 << 20];
    if (!file) die("cannot be read", path);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    if (size > 8 && memcmp(data, "\x89PNG", 4) != 0) return read_dump(path, data, size);
    int channels;
    picture p = {0};
    p.rgb = stbi_load_from_memory(data, (int)size, &p.width, &p.height, &channels, 3);
    if (!p.rgb) die(stbi_failure_reason(), path);
    return p;
}

static void cut(const picture *p, int x0, int y0, int width, int height, const char *out) {
    if (x0 < 0 || y0 < 0 || width < 1 || height < 1 || x0 + width > p->width || y0 + height > p->height)
        die("the part lies outside the picture", out);
    const unsigned char *from = p->rgb + 3 * ((size_t)y0 * (size_t)p->width + (size_t)x0);
    if (!stbi_write_png(out, width, height, 3, from, 3 * p->width)) die("cannot be written", out);
}

static double diff(const picture *a, const picture *b) {
    if (a->width != b->width || a->height != b->height) return 100;
    size_t count = (size_t)a->width * (size_t)a->height, differ = 0;
    for (size_t i = 0; i < count; i++) {
        int worst = 0;
        for (int k = 0; k < 3; k++) {
            int d = abs(a->rgb[3 * i + (size_t)k] - b->rgb[3 * i + (size_t)k]);
            worst = d > worst ? d : worst;
        }
        differ += worst > 24;
    }
    return 100.0 * (double)differ / (double)count;
}

/* Hue in degrees, or -1 for a color that is nearly gray. */
static double hue(const unsigned char *c) {
    int high = c[0] > c[1] ? c[0] : c[1], low = c[0] < c[1] ? c[0] : c[1];
    high = high > c[2] ? high : c[2], low = low < c[2] ? low : c[2];
    double span = high - low;
    if (span < 0.15 * high || high < 20) return -1;
    double h = high == c[0] ? (c[1] - c[2]) / span : high == c[1] ? 2 + (c[2] - c[0]) / span : 4 + (c[0] - c[1]) / span;
    return h < 0 ? 60 * h + 360 : 60 * h;
}

static void judge(const picture *p, double from, double to, bool range) {
    size_t count = (size_t)p->width * (size_t)p->height, found = 0, levels[256] = {0};
    for (size_t i = 0; i < count; i++) {
        double h = hue(p->rgb + 3 * i);
        if (h < from || h > to) continue;
        found++;
        levels[(p->rgb[3 * i] + 2 * p->rgb[3 * i + 1] + p->rgb[3 * i + 2]) / 4]++;
    }
    if (!range) {
        printf("%.3f\n", 100.0 * (double)found / (double)count);
        return;
    }
    size_t sum = 0;
    int low = 0, high = 0;
    for (int i = 0; i < 256; i++) {
        if (20 * sum < found) low = i;
        if (20 * sum < 19 * found) high = i;
        sum += levels[i];
    }
    printf("%d\n", high - low);
}

int main(int argc, char **argv) {
    const char *command = argc > 2 ? argv[1] : "";
    if (!*command) die("usage: picture size|cut|diff|hue|range FILE ...", "");
    picture p = read_picture(argv[2]);
    if (strcmp(command, "size") == 0) {
        printf("%d %d\n", p.width, p.height);
    } else if (strcmp(command, "cut") == 0 && argc == 8) {
        cut(&p, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atoi(argv[6]), argv[7]);
    } else if (strcmp(command, "diff") == 0 && argc == 4) {
        picture q = read_picture(argv[3]);
        printf("%.3f\n", diff(&p, &q));
    } else if ((strcmp(command, "hue") == 0 || strcmp(command, "range") == 0) && argc == 5) {
        judge(&p, atof(argv[3]), atof(argv[4]), command[0] == 'r');
    } else {
        die("unknown command or wrong number of arguments", command);
    }
    return 0;
}
