/* options_value.c: values of options on the command line; an error names the expected form. */
#include "cli/options.h"

#include "host.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool app_bad_value(const char *option, const char *wanted, const char *text) {
    app_error("option '--%s' must be %s (got '%s')", option, wanted, text);
    return false;
}

bool app_read_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value) {
    char *end, wanted[80];
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end != text && !*end && !isspace((unsigned char)*text) && errno == 0 && v >= least && v <= most) {
        *value = v;
        return true;
    }
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)least, (long long)most);
    return app_bad_value(option, wanted, text);
}

bool app_read_number(const char *option, const char *text, bool zero, const char *unit, double *value) {
    char *end, wanted[80];
    errno = 0;
    double v = strtod(text, &end);
    if (end != text && !*end && !isspace((unsigned char)*text) && isfinite(v) && (zero ? v >= 0 : v > 0)) {
        *value = v;
        return true;
    }
    snprintf(wanted, sizeof wanted, "a number %s 0 %s", zero ? ">=" : ">", unit);
    return app_bad_value(option, wanted, text);
}

bool app_read_seed(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 0);
    if (isdigit((unsigned char)*text) && !*end && errno == 0) {
        *value = v;
        return true;
    }
    return app_bad_value("seed", "a whole number from 0 to 2^64-1", text);
}

bool app_read_size(const char *text, int *width, int *height) {
    char rest;
    int w = 0, h = 0;
    if (isdigit((unsigned char)*text) && sscanf(text, "%6dx%6d%c", &w, &h, &rest) == 2 && w >= 16 && h >= 16 &&
        w <= 16384 && h <= 16384) {
        *width = w;
        *height = h;
        return true;
    }
    return app_bad_value("size", "WIDTHxHEIGHT with 16 to 16384 pixels each, such as 1280x720", text);
}

bool app_read_heat(const char *text, app_heat *heat) {
    for (int k = APP_HEAT_NONE + 1; k < APP_HEAT_COUNT; k++)
        if (strcmp(text, app_heat_name((app_heat)k)) == 0) {
            *heat = (app_heat)k;
            return true;
        }
    return app_bad_value("show", "stretch, speed, force, pressure, curvature or distance", text);
}

bool app_read_up(const char *text, bool *z_up) {
    *z_up = strcmp(text, "z") == 0;
    return *z_up || strcmp(text, "y") == 0 || app_bad_value("up", "y or z", text);
}

bool app_read_frames(const char *text, app_frames *frames) {
    enum { MOST_FRAMES = 100000000 }; /* as --frames */
    long long numbers[3] = {0, 0, 1};
    int count = 0;
    const char *at = text;
    while (count < 3 && isdigit((unsigned char)*at)) {
        char *end;
        errno = 0;
        numbers[count] = strtoll(at, &end, 10);
        if (errno != 0 || numbers[count] > MOST_FRAMES) break;
        count++;
        at = end;
        if (*at != ':') break;
        if (count < 3 && isdigit((unsigned char)at[1])) at++;
    }
    if (count == 1) numbers[1] = numbers[0];
    if (count > 0 && !*at && numbers[1] >= numbers[0] && numbers[2] >= 1) {
        *frames = (app_frames){numbers[0], numbers[1], numbers[2]};
        return true;
    }
    return app_bad_value("frames-only", "a frame, FIRST:LAST or FIRST:LAST:STEP, such as 90 or 0:90:30", text);
}

int app_check_file(const char *what, const char *kind, const char *path) {
    struct stat s;
    if (stat(path, &s) != 0)
        app_error("%s '%s': %s", what, path, errno == ENOENT ? "not found" : strerror(errno));
    else if (S_ISDIR(s.st_mode))
        app_error("%s '%s' is a folder; give a %s in it", what, path, kind);
    else if (access(path, R_OK) != 0)
        app_error("%s '%s': %s", what, path, strerror(errno));
    else
        return -1;
    return APP_USAGE;
}
