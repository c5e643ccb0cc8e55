/* fuzz.h: what the fuzz targets share. Each is a file fuzz_*.c with LLVMFuzzerTestOneInput, in the form that libFuzzer
 * and OSS-Fuzz take; build.sh builds all of them, run.sh runs them. A target that needs the Lua binding has a line
 * "fuzz-links: lua". */
#ifndef MUS_TESTS_FUZZ_H
#define MUS_TESTS_FUZZ_H

#include "muslin.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); /* libFuzzer's, or driver.c's */

/* An input that breaks what the library promises. */
static inline void fuzz_require(bool condition) {
    if (!condition) {
        fprintf(stderr, "the last error was: %s\n", mus_get_error_message());
        abort();
    }
}

/* A failure must say why. */
static inline bool fuzz_succeeded(mus_status status) {
    fuzz_require(status == MUS_STATUS_OK || mus_get_error_message()[0] || status == MUS_STATUS_NO_MEMORY);
    return status == MUS_STATUS_OK;
}

/* For what reads whole files itself. `path` holds 64 characters. */
static inline void fuzz_write_file(const uint8_t *data, size_t size, const char *extension, char path[64]) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, 64, "%s/muslin_fuzz_%ld.%s", folder, (long)getpid(), extension);
    FILE *file = fopen(path, "wb");
    fuzz_require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Steps of a hostile scene may take as long as they like: they are cancelled after this. */
typedef struct fuzz_deadline {
    struct timespec until;
} fuzz_deadline;

static inline fuzz_deadline fuzz_deadline_in(double seconds) {
    fuzz_deadline d;
    clock_gettime(CLOCK_MONOTONIC, &d.until);
    double nanoseconds = (double)d.until.tv_nsec + 1e9 * seconds;
    d.until.tv_sec += (time_t)(nanoseconds / 1e9);
    d.until.tv_nsec = (long)(nanoseconds - 1e9 * floor(nanoseconds / 1e9));
    return d;
}

static inline bool fuzz_deadline_passed(void *user) {
    const fuzz_deadline *d = user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > d->until.tv_sec || (now.tv_sec == d->until.tv_sec && now.tv_nsec > d->until.tv_nsec);
}

/* Some steps and an audit: whatever the input, an error with a message, or a state of finite numbers within range. */
static inline void fuzz_play(mus_world *world, int steps, double seconds) {
    fuzz_deadline deadline = fuzz_deadline_in(seconds);
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .user = &deadline, .cancelled = fuzz_deadline_passed};
    mus_world_set_callbacks(world, &callbacks);
    for (int k = 0; k < steps && fuzz_succeeded(mus_world_step(world)); k++)
        for (int32_t c = 0; c < mus_world_get_cloth_count(world); c++) {
            mus_cloth_id id = mus_world_get_cloth(world, c);
            const double *x = mus_cloth_get_positions(world, id);
            for (int32_t i = 0; i < 3 * mus_cloth_get_vertex_count(world, id); i++)
                fuzz_require(fabs(x[i]) <= MUS_LARGEST_LENGTH);
        }
    mus_audit_report report;
    if (!fuzz_deadline_passed(&deadline) && fuzz_succeeded(mus_world_audit(world, 1e-4, &report)))
        mus_audit_report_destroy(&report);
}

/* Numbers from an input: raw bytes, or one of those that break things. Nothing is left: zeros. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

static inline uint8_t fuzz_byte(fuzz_input *in) {
    if (!in->left) return 0;
    in->left--;
    return *in->at++;
}

static const double fuzz_extremes[] = {
    0,    -0.0,   5e-324, -2.2e-308, 1e-300,      1e-160,     1e-31,        -1e-16,        1e-15,  1e-9,
    1,    -1,     1e9,    -1e9,      1.0000001e9, 2147483647, 2147483648.0, -2147483649.0, 0x1p53, 0x1p63,
    1e30, 1.1e30, 1e105,  1e154,     -1e300,      1.7e308,    INFINITY,     -INFINITY,     NAN};

/* Mostly small numbers, so that a scene is made and the others meet something. */
static inline double fuzz_number(fuzz_input *in) {
    uint8_t kind = fuzz_byte(in);
    if (kind < 160) return (double)(int8_t)fuzz_byte(in) / 16;
    if (kind < 200) return (double)(int8_t)fuzz_byte(in) * pow(10, (int8_t)fuzz_byte(in) / 8);
    if (kind < 236) return fuzz_extremes[fuzz_byte(in) % (sizeof fuzz_extremes / sizeof *fuzz_extremes)];
    double number = 0;
    uint8_t bytes[sizeof number];
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = fuzz_byte(in);
    memcpy(&number, bytes, sizeof number);
    return number;
}

#endif
