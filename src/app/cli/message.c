/* message.c: output of the host: errors, the end of standard output, and the folder of its own Lua files. */
#include "repl/repl.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void app_error(const char *format, ...) {
    va_list args;
    app_progress_clear_any();
    repl_lines_make_way();
    flockfile(stderr);
    fputs("muslin: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    funlockfile(stderr);
}

/* Whether the reader of standard output has gone: a write before the last flush failed, whose error is lost. */
static bool is_output_closed(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

int app_output_end(int code) {
    errno = 0;
    bool failed = fflush(stdout) != 0;
    int reason = errno;
    if (!failed && !ferror(stdout)) return code;
    if (!reason && is_output_closed()) reason = EPIPE;
    if (reason != EPIPE) app_error("standard output: %s", reason ? strerror(reason) : "could not be written");
    return code == APP_OK && reason != EPIPE ? APP_ERROR : code;
}

double app_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool app_is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

char *app_format(const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    return n < 0 ? NULL : text;
}

bool app_in_path(const char *program) {
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : "/usr/bin:/bin"), *rest = copy, *folder;
    bool found = false;
    while (!found && copy && (folder = strsep(&rest, ":"))) {
        char *file = app_format("%s/%s", *folder ? folder : ".", program);
        found = file && access(file, X_OK) == 0 && !app_is_folder(file);
        free(file);
    }
    free(copy);
    return found;
}

const char *app_scripts_path(void) {
    static char path[PATH_MAX + 32];
    const char *given = getenv("MUSLIN_SCRIPTS");
    if (given && *given) return app_is_folder(given) ? given : NULL;
    if (path[0]) return path;

    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0) return NULL;
    exe[n] = '\0';
    char *slash = strrchr(exe, '/');
    if (!slash) return NULL;
    *slash = '\0';
    static const char *const places[] = {"../scripts", "../share/muslin/scripts"}; /* of build/ and of PREFIX/bin */
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(path, sizeof path, "%s/%s", exe, places[k]);
        if (app_is_folder(path)) {
            char whole[PATH_MAX];
            if (realpath(path, whole)) snprintf(path, sizeof path, "%s", whole);
            return path;
        }
    }
    path[0] = '\0';
    return NULL;
}

char *app_script_text(const char *name) {
    const char *folder = app_scripts_path();
    char *path = app_format("%s/%s", folder ? folder : "scripts", name), *text = NULL;
    FILE *file = path ? fopen(path, "rb") : NULL;
    size_t size = 0;
    FILE *copy = file ? open_memstream(&text, &size) : NULL;
    bool ok = copy != NULL;
    for (int c; copy && (c = getc(file)) != EOF;) fputc(c, copy);
    if (file && ferror(file)) ok = false;
    if (copy && fclose(copy) != 0) ok = false;
    if (!ok) {
        mus_fail(MUS_STATUS_IO, "'%s', a file of muslin's own, cannot be read: %s; install muslin again",
                 path ? path : name, strerror(errno));
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    free(path);
    return text;
}
