/* output_film.c: films of the png frames, by ffmpeg, when the run has ended: film.mp4 (H.264) and film.webm (VP9). */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const struct {
    const char *kind;
    const char *codec[8];
} films[] = {{"mp4", {"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", NULL}},
             {"webm", {"-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", NULL}}};

bool app_film_possible(const char *kind) {
    if (app_in_path("ffmpeg")) return true;
    app_error("option '--format': %s needs the program ffmpeg, which is not in PATH (Debian package: ffmpeg); png "
              "frames need no other program",
              kind);
    return false;
}

/* Starts it in its own process group, which can be killed with all its children, and with default signal handlers. */
static int start_ffmpeg(const char *folder, char *const *arguments, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t ignored;
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0) return reason;
    if ((reason = posix_spawnattr_init(&attributes)) == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigdefault(&attributes, &ignored);
        reason = posix_spawn_file_actions_addchdir_np(&actions, folder);
        if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
        if (reason == 0) reason = posix_spawnp(pid, "ffmpeg", &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* Waits for its exit status; kills it when the run is to stop. False: no such process. */
static bool wait_ffmpeg(pid_t pid, int *status, bool *stopped) {
    static const struct timespec pause = {0, 20000000}; /* 20 ms: short beside a film, short for a stop */
    *stopped = false;
    for (;;) {
        pid_t ended = waitpid(pid, status, *stopped ? 0 : WNOHANG);
        if (ended == pid) return true;
        if (ended < 0 && errno != EINTR) return false;
        *stopped = *stopped || app_guard_stopped() != APP_STOP_NONE;
        if (*stopped)
            kill(-pid, SIGKILL);
        else if (ended == 0)
            nanosleep(&pause, NULL);
    }
}

/* Runs ffmpeg in the folder, so that the folder's name is not taken for a pattern; its errors go to our standard
 * error. */
static mus_status run_ffmpeg(const char *folder, char *const *arguments) {
    pid_t pid;
    int status = 0, reason = start_ffmpeg(folder, arguments, &pid);
    bool stopped;
    if (reason != 0) return mus_fail(MUS_STATUS_IO, "ffmpeg cannot be started: %s", strerror(reason));
    app_guard_child(pid);
    bool ended = wait_ffmpeg(pid, &status, &stopped);
    app_guard_child(0);
    if (stopped) return mus_fail(MUS_STATUS_CANCELLED, "ffmpeg was stopped; the png frames are complete");
    if (!ended) return mus_fail(MUS_STATUS_IO, "ffmpeg: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_IO, "ffmpeg ended with code %d; the png frames are complete",
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

mus_status app_film_save(const char *folder, const char *kind, double fps, int64_t frames) {
    char rate[32], count[32], temporary[64];
    const char *arguments[32];
    int n = 0;
    size_t film = 0;
    while (strcmp(films[film].kind, kind) != 0) film++;
    snprintf(rate, sizeof rate, "%.9g", fps);
    snprintf(count, sizeof count, "%lld", (long long)frames);
    snprintf(temporary, sizeof temporary, ".muslin-%ld.%s", (long)getpid(), kind);
    const char *const start[] = {"ffmpeg",        "-nostdin", "-v", "error",          "-y",        "-framerate", rate,
                                 "-start_number", "0",        "-i", "frame_%06d.png", "-frames:v", count};
    for (size_t k = 0; k < sizeof start / sizeof *start; k++) arguments[n++] = start[k];
    for (int k = 0; films[film].codec[k]; k++) arguments[n++] = films[film].codec[k];
    /* players need even sides, and chroma subsampled in both directions */
    const char *const end[] = {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p", temporary};
    for (size_t k = 0; k < sizeof end / sizeof *end; k++) arguments[n++] = end[k];
    arguments[n] = NULL;
    char *from = app_format("%s/%s", folder, temporary), *to = app_format("%s/film.%s", folder, kind);
    mus_status status = from && to ? run_ffmpeg(folder, (char *const *)arguments)
                                   : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the film's name");
    if (status == MUS_STATUS_OK && rename(from, to) != 0)
        status = mus_fail(MUS_STATUS_IO, "'%s': %s", to, strerror(errno));
    if (status != MUS_STATUS_OK && from) unlink(from);
    free(from);
    free(to);
    return status;
}
