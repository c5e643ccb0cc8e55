/* progress.c: progress of a long run, on standard error. */
#include "host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 28 };
static const double REDRAW = 0.1; /* s between two drawings on a terminal */
static const double REPORT = 5.0; /* s between two lines elsewhere */

/* The progress whose bar may be on the terminal. The watchdog may clear it while its owner draws, so the terminal
 * and `drawn` are under the mutex. */
static app_progress *current;
static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;

void app_progress_start(app_progress *progress, const char *what, bool quiet) {
    const char *term = getenv("TERM");
    memset(progress, 0, sizeof *progress);
    progress->shown = !quiet;
    progress->terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
    progress->start = progress->last = app_clock();
    progress->what = what;
    pthread_mutex_lock(&drawing);
    current = progress;
    pthread_mutex_unlock(&drawing);
}

static void draw_bar(const app_progress *progress, int64_t done, int64_t total, const char *unit, const char *left) {
    const char *no_color = getenv("NO_COLOR");
    bool color = !(no_color && *no_color);
    int filled = total > 0 ? (int)(BAR_WIDTH * done / total) : 0;
    fprintf(stderr, "\r%s [%s", progress->what, color ? "\033[36m" : "");
    for (int k = 0; k < BAR_WIDTH; k++) fputc(k < filled ? '#' : '.', stderr);
    fprintf(stderr, "%s] %lld/%lld %s%s\033[K", color ? "\033[0m" : "", (long long)done, (long long)total, unit, left);
    fflush(stderr);
}

void app_progress_update(app_progress *progress, int64_t done, int64_t total, const char *unit) {
    if (!progress->shown) return;
    double now = app_clock();
    double elapsed = now - progress->start;
    double wait = progress->terminal ? REDRAW : elapsed > 10 * REPORT ? elapsed / 10 : REPORT; /* logs stay short */
    if (now - progress->last < wait) return;
    progress->last = now;
    char left[48] = "";
    if (done > 0) snprintf(left, sizeof left, ", %.0f s left", elapsed / (double)done * (double)(total - done));
    pthread_mutex_lock(&drawing);
    if (progress->terminal) {
        draw_bar(progress, done, total, unit, left);
        progress->drawn = true;
    } else {
        fprintf(stderr, "%s: %lld of %lld %s%s\n", progress->what, (long long)done, (long long)total, unit, left);
    }
    pthread_mutex_unlock(&drawing);
}

/* Under the mutex. */
static void clear_bar(app_progress *progress) {
    if (progress->drawn) fputs("\r\033[K", stderr);
    progress->drawn = false;
}

void app_progress_clear(app_progress *progress) {
    pthread_mutex_lock(&drawing);
    clear_bar(progress);
    pthread_mutex_unlock(&drawing);
}

void app_progress_end(app_progress *progress) {
    pthread_mutex_lock(&drawing);
    clear_bar(progress);
    if (current == progress) current = NULL;
    pthread_mutex_unlock(&drawing);
}

void app_progress_clear_any(void) {
    pthread_mutex_lock(&drawing);
    if (current) clear_bar(current);
    pthread_mutex_unlock(&drawing);
}
