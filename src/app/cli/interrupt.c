/* interrupt.c: signals, the time limit, and the watchdog that ends a process that does not stop by itself.
 *
 * The signal handler only writes a byte into a pipe. A thread waits on the pipe and for the deadline, and so may
 * take locks, interrupt Lua and write files. Lua's own limit is a hook between instructions; it cannot stop a
 * pattern match or another C function that never returns, so the thread saves and exits then, after a time limit, a
 * SIGTERM, or a second SIGINT. */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double GRACE = 2.0;       /* s, for Lua and a step to stop by themselves at the time limit */
static const double TERM_GRACE = 1.0;  /* s, the same after a SIGTERM, which a SIGKILL may follow soon */
static const double LOCK_LIMIT = 30.0; /* s to wait for a file that is being written */

static struct {
    pthread_t thread;
    pthread_mutex_t state, files;
    int pipe[2];
    double deadline; /* of app_clock; infinite: none */
    app_last_words last_words;
    void *user;
    lua_State *L; /* under `state` */
    bool patient; /* under `state`: the first interrupt is only recorded */
    bool noted;   /* under `state` */
    bool running;
    atomic_bool idle; /* signals are dropped, by their handler too: the watchdog may read its pipe later */
    atomic_int stop;
    atomic_int child; /* leader of a process group that ends with this process; 0: none */
    struct sigaction old_int, old_term;
} guard = {.state = PTHREAD_MUTEX_INITIALIZER, .files = PTHREAD_MUTEX_INITIALIZER, .pipe = {-1, -1}};

int app_stop_exit_code(app_stop stop) {
    switch (stop) {
    case APP_STOP_NONE:
        return APP_OK;
    case APP_STOP_TIME_LIMIT:
        return APP_TIME_LIMIT;
    case APP_STOP_INTERRUPT:
    case APP_STOP_TERMINATE:
        return APP_INTERRUPTED;
    }
    return APP_ERROR;
}

static void on_signal(int signal) {
    if (atomic_load(&guard.idle)) return;
    int saved = errno;
    char byte = signal == SIGTERM ? 't' : 'i';
    ssize_t n = write(guard.pipe[1], &byte, 1); /* a full pipe contains a signal already */
    (void)n;
    errno = saved;
}

static _Noreturn void end_process(app_stop why) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)LOCK_LIMIT;
    int child = atomic_load(&guard.child);
    if (child > 0 && kill(-child, SIGKILL) == 0) waitpid(child, NULL, 0);
    if (pthread_mutex_timedlock(&guard.files, &until) != 0)
        app_error("stopped while a file was being written, which took longer than %g s", LOCK_LIMIT);
    else if (guard.last_words)
        guard.last_words(guard.user, why);
    pthread_mutex_lock(&guard.state); /* the main thread takes it before it closes the state */
    if (guard.L) mus_lua_sandbox_abandon(guard.L);
    _exit(app_stop_exit_code(why));
}

/* Time of the forced end of the process, s of app_clock. It is postponed while files are written, up to `last`,
 * since writing ends and the code after it may take the grace again. */
typedef struct ending {
    double at, last;
} ending;

static const ending no_ending = {INFINITY, INFINITY};

static ending end_after(double grace) {
    double now = app_clock();
    return (ending){now + grace, now + grace + LOCK_LIMIT};
}

static ending end_or_wait(ending e, app_stop why, double grace) {
    double now = app_clock();
    bool writing = pthread_mutex_trylock(&guard.files) != 0;
    if (!writing) pthread_mutex_unlock(&guard.files);
    if (!writing || now >= e.last) end_process(why);
    e.at = now + grace;
    return e;
}

/* Whether it is a SIGTERM, which starts the grace. */
static bool take_signal(char byte) {
    app_stop why = byte == 't' ? APP_STOP_TERMINATE : APP_STOP_INTERRUPT;
    if (atomic_load(&guard.idle)) return false;
    pthread_mutex_lock(&guard.state);
    if (guard.patient && !guard.noted && why == APP_STOP_INTERRUPT) {
        guard.noted = true;
        pthread_mutex_unlock(&guard.state);
        return false;
    }
    app_stop before = (app_stop)atomic_exchange(&guard.stop, why);
    if (before == APP_STOP_NONE && guard.L) mus_lua_sandbox_interrupt(guard.L);
    pthread_mutex_unlock(&guard.state);
    if (before != APP_STOP_NONE) end_process(why);
    return why == APP_STOP_TERMINATE;
}

static void *run_watchdog(void *unused) {
    (void)unused;
    bool late = false;
    ending timed = {guard.deadline, INFINITY}, terminated = no_ending;
    for (;;) {
        double left = fmin(timed.at, terminated.at) - app_clock();
        int wait = isfinite(left) ? (left > 0 ? (int)fmin(left * 1000 + 1, 1e9) : 0) : -1;
        struct pollfd fd = {guard.pipe[0], POLLIN, 0};
        int n = poll(&fd, 1, wait);
        if (n > 0) {
            char byte;
            if (read(guard.pipe[0], &byte, 1) != 1 || byte == 'q') return NULL;
            if (take_signal(byte)) terminated = end_after(TERM_GRACE);
        } else if (n == 0 && app_clock() >= terminated.at) {
            bool still = app_guard_stopped() == APP_STOP_TERMINATE; /* it may have been revoked */
            terminated = still ? end_or_wait(terminated, APP_STOP_TERMINATE, TERM_GRACE) : no_ending;
        } else if (n == 0 && app_clock() >= timed.at) {
            int none = APP_STOP_NONE;
            if (late) {
                timed = end_or_wait(timed, APP_STOP_TIME_LIMIT, GRACE);
            } else {
                atomic_compare_exchange_strong(&guard.stop, &none, APP_STOP_TIME_LIMIT);
                timed = end_after(GRACE);
            }
            late = true;
        }
    }
}

bool app_guard_start(double time_limit, app_last_words last_words, void *user) {
    if (pipe2(guard.pipe, O_CLOEXEC) != 0) {
        mus_fail(MUS_STATUS_IO, "the pipe for signals cannot be created: %s", strerror(errno));
        return false;
    }
    fcntl(guard.pipe[1], F_SETFL, O_NONBLOCK);
    guard.deadline = time_limit > 0 ? app_clock() + time_limit : INFINITY;
    guard.last_words = last_words;
    guard.user = user;
    guard.L = NULL;
    guard.idle = guard.patient = guard.noted = false;
    atomic_store(&guard.stop, APP_STOP_NONE);

    /* The watchdog blocks signals, so that they reach the main thread's blocking reads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&guard.thread, NULL, run_watchdog, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        close(guard.pipe[0]);
        close(guard.pipe[1]);
        mus_fail(MUS_STATUS_IO, "the thread for signals cannot be created: %s", strerror(failed));
        return false;
    }
    guard.running = true;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &guard.old_int);
    sigaction(SIGTERM, &action, &guard.old_term);
    return true;
}

void app_guard_watch(lua_State *L) {
    pthread_mutex_lock(&guard.state);
    guard.L = L;
    int stop = atomic_load(&guard.stop);
    if (L && (stop == APP_STOP_INTERRUPT || stop == APP_STOP_TERMINATE)) mus_lua_sandbox_interrupt(L);
    pthread_mutex_unlock(&guard.state);
}

void app_guard_end(void) {
    if (!guard.running) return;
    sigaction(SIGINT, &guard.old_int, NULL);
    sigaction(SIGTERM, &guard.old_term, NULL);
    char quit = 'q';
    while (write(guard.pipe[1], &quit, 1) < 0 && errno == EAGAIN) sched_yield();
    pthread_join(guard.thread, NULL);
    close(guard.pipe[0]);
    close(guard.pipe[1]);
    guard.running = false;
}

app_stop app_guard_stopped(void) {
    return (app_stop)atomic_load(&guard.stop);
}

/* Under `state`. */
static void take_interrupt_back(void) {
    int interrupt = APP_STOP_INTERRUPT;
    if (atomic_compare_exchange_strong(&guard.stop, &interrupt, APP_STOP_NONE) && guard.L)
        mus_lua_sandbox_resume(guard.L);
}

void app_guard_idle(bool idle) {
    pthread_mutex_lock(&guard.state);
    atomic_store(&guard.idle, idle);
    atomic_store(&guard.stop, APP_STOP_NONE);
    if (guard.L) mus_lua_sandbox_resume(guard.L);
    pthread_mutex_unlock(&guard.state);
}

void app_guard_patient(bool patient) {
    pthread_mutex_lock(&guard.state);
    guard.patient = patient;
    guard.noted = false;
    take_interrupt_back();
    pthread_mutex_unlock(&guard.state);
}

bool app_guard_take_note(void) {
    pthread_mutex_lock(&guard.state);
    bool noted = guard.noted;
    guard.noted = false;
    pthread_mutex_unlock(&guard.state);
    return noted;
}

void app_guard_child(pid_t leader) {
    atomic_store(&guard.child, (int)leader);
}

void app_guard_lock(void) {
    pthread_mutex_lock(&guard.files);
}

void app_guard_unlock(void) {
    pthread_mutex_unlock(&guard.files);
}
