/* sandbox.c: a Lua state for scenes: its memory, limits and lifetime. It contains accidents (an endless loop, an
 * unbounded table) and makes runs repeatable; it is no protection against hostile code. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Header of each block. Addresses of tables and objects differ between runs, the order of their creation does not. */
typedef struct head {
    uint64_t birth;
    uint64_t check; /* marks a header */
} head;

static uint64_t check_word(const head *h) {
    return h->birth ^ (uint64_t)(uintptr_t)h ^ 0x6d75736c696e2121u;
}

static void *allocate(void *user, void *block, size_t old_size, size_t new_size) {
    mus_lua_box *box = user;
    head *old = block ? (head *)block - 1 : NULL;
    if (!block) old_size = 0; /* Lua passes the kind of object here */
    if (new_size == 0) {
        box->memory_used -= old_size;
        if (box->main && block == (char *)box->main - LUA_EXTRASPACE) box->running = NULL; /* the state itself ends */
        free(old);
        return NULL;
    }
    if (new_size > old_size && box->memory_limit &&
        (box->memory_used > box->memory_limit || new_size - old_size > box->memory_limit - box->memory_used)) {
        box->out_of_memory = true;
        return NULL;
    }
    if (!block && box->births == 1) mus_lua_fix_hash_seed(box->first_block, box->first_size, allocate, box);
    head *h = realloc(old, sizeof *h + new_size);
    if (!h) return NULL;
    if (!old) h->birth = ++box->births;
    if (!old && box->births == 1) box->first_block = h + 1, box->first_size = new_size;
    h->check = check_word(h);
    box->memory_used += new_size - old_size;
    return h + 1;
}

mus_lua_box *mus_lua_box_of(lua_State *L) {
    void *user;
    return lua_getallocf(L, &user) == allocate ? user : NULL;
}

uint64_t mus_lua_box_birth(lua_State *L, int index) {
    const char *object = lua_topointer(L, index);
    if (!object || !mus_lua_box_of(L)) return 0;
    size_t before = 0; /* bytes of the block before the address that Lua reports */
    switch (lua_type(L, index)) {
    case LUA_TTABLE:
        break;
    case LUA_TFUNCTION:
        /* A C function without upvalues is no object: its address is the code's. */
        if (lua_iscfunction(L, index)) {
            if (!lua_getupvalue(L, index, 1)) return 0;
            lua_pop(L, 1);
        }
        break;
    case LUA_TTHREAD:
        before = LUA_EXTRASPACE;
        break;
    case LUA_TUSERDATA: { /* its header ends with the user values, 16 bytes each */
        int values = 0;
        while (lua_getiuservalue(L, index, values + 1) != LUA_TNONE) {
            lua_pop(L, 1);
            values++;
        }
        lua_pop(L, 1);
        before = values ? 40 + 16 * (size_t)values : 32;
        break;
    }
    default:
        return 0;
    }
    const head *h = (const head *)(const void *)(object - before) - 1;
    return h->check == check_word(h) ? h->birth : 0;
}

/* ---- Stopping ------------------------------------------------------------------------------------------------------
 *
 * A permanent hook would double the interpreter's time, so it is set when needed: by a signal sent to the thread
 * that runs Lua, as Lua's own command does for Ctrl-C. A box is never freed but reused for the next state, since a
 * signal may be pending while the state closes. */

static pthread_mutex_t boxes_mutex = PTHREAD_MUTEX_INITIALIZER;
static mus_lua_box *unused_boxes;

/* The error is raised again during unwinding, where the script's line is no longer known, so the first one is kept. */
static void raise_stop(lua_State *L, mus_lua_box *box) {
    lua_Debug at;
    char text[64] = "interrupted";
    if (box->stop & STOP_TIME) snprintf(text, sizeof text, "time limit of %g s exceeded", box->time_limit);
    if (!box->stopped_at[0] && mus_lua_find_caller(L, &at))
        snprintf(box->stopped_at, sizeof box->stopped_at, "%s:%d", at.short_src, at.currentline);
    lua_pushfstring(L, "%s%s%s", box->stopped_at, box->stopped_at[0] ? ": " : "", text);
    lua_error(L);
}

static void on_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    mus_lua_box *box = mus_lua_box_of(L);
    if (box && mus_lua_box_stop(box)) {
        raise_stop(L, box);
    } else {
        lua_sethook(L, NULL, 0, 0); /* the interrupt was revoked */
    }
}

void mus_lua_box_arm(lua_State *L) {
    lua_sethook(L, on_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

void mus_lua_box_rethrow(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (!box || !mus_lua_box_stop(box)) return;
    mus_lua_box_arm(L); /* for variables that are closed during unwinding */
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (strstr(message, "time limit of ") || strstr(message, "interrupted")) lua_error(L);
    raise_stop(L, box);
}

static int stop_signal(void) {
    return SIGRTMIN + 3;
}

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    mus_lua_box *box = info->si_value.sival_ptr;
    if (info->si_code != SI_QUEUE || !box) return;
    if (__atomic_load_n(&box->open, __ATOMIC_SEQ_CST) && mus_lua_box_stop(box) && box->running)
        mus_lua_box_arm(box->running);
}

static void install_handler(void) {
    struct sigaction action = {0};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(stop_signal(), &action, NULL);
}

static void stop_state(mus_lua_box *box, int reason) {
    __atomic_fetch_or(&box->stop, reason, __ATOMIC_SEQ_CST);
    if (pthread_equal(pthread_self(), box->thread)) {
        mus_lua_box_arm(box->running);
    } else {
        union sigval value = {.sival_ptr = box};
        pthread_sigqueue(box->thread, stop_signal(), value);
    }
}

static const double most_seconds = 1e9; /* 31 years: larger limits mean no limit, and the sum fits any clock */

static void *run_watch(void *user) {
    mus_lua_box *box = user;
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    double limit = fmin(box->time_limit, most_seconds), seconds = floor(limit);
    deadline.tv_sec += (time_t)seconds;
    deadline.tv_nsec += (long)((limit - seconds) * 1e9);
    if (deadline.tv_nsec >= 1000000000) deadline.tv_sec++, deadline.tv_nsec -= 1000000000;
    pthread_mutex_lock(&box->mutex);
    int status = 0;
    while (!box->closing && status != ETIMEDOUT) status = pthread_cond_timedwait(&box->wake, &box->mutex, &deadline);
    if (!box->closing) stop_state(box, STOP_TIME);
    pthread_mutex_unlock(&box->mutex);
    return NULL;
}

/* False if no thread could be created. */
static bool start_watchdog(mus_lua_box *box) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&box->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&box->mutex, NULL);
    /* Signals are delivered to the existing threads only. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    box->watching = pthread_create(&box->watchdog, NULL, run_watch, box) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return box->watching;
}

static void end_watchdog(mus_lua_box *box) {
    if (!box->watching) return;
    pthread_mutex_lock(&box->mutex);
    box->closing = true;
    pthread_cond_signal(&box->wake);
    pthread_mutex_unlock(&box->mutex);
    pthread_join(box->watchdog, NULL);
    pthread_cond_destroy(&box->wake);
    pthread_mutex_destroy(&box->mutex);
    box->watching = false;
}

bool mus_lua_sandbox_limit(lua_State *L, double time_limit, size_t memory_limit) {
    mus_lua_box *box = mus_lua_box_of(L);
    end_watchdog(box);
    box->closing = false;
    box->time_limit = time_limit > 0 ? time_limit : 0;
    box->memory_limit = memory_limit;
    return box->time_limit <= 0 || start_watchdog(box);
}

void mus_lua_sandbox_abandon(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (box) end_watchdog(box);
}

void mus_lua_sandbox_interrupt(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (box) stop_state(box, STOP_INTERRUPTED);
}

void mus_lua_sandbox_resume(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (!box) return;
    __atomic_fetch_and(&box->stop, ~STOP_INTERRUPTED, __ATOMIC_SEQ_CST);
    box->stopped_at[0] = '\0';
    if (!mus_lua_box_stop(box)) lua_sethook(L, NULL, 0, 0);
}

bool mus_lua_sandbox_timed_out(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    return box && (mus_lua_box_stop(box) & STOP_TIME);
}

bool mus_lua_sandbox_interrupted(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    return box && (mus_lua_box_stop(box) & STOP_INTERRUPTED);
}

const char *mus_lua_sandbox_stopped_at(lua_State *L) {
    const mus_lua_box *box = mus_lua_box_of(L);
    return box ? box->stopped_at : "";
}

const char *mus_lua_sandbox_idle_world(lua_State *L) {
    const mus_lua_box *box = mus_lua_box_of(L);
    return box && !box->world_used ? box->idle_world : "";
}

bool mus_lua_sandbox_cancelled(void *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    return box && mus_lua_box_stop(box);
}

void mus_lua_sandbox_check(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (box && mus_lua_box_stop(box)) raise_stop(L, box);
}

bool mus_lua_sandbox_hash_is_fixed(lua_State *L) {
    const mus_lua_box *box = mus_lua_box_of(L);
    return box && box->hash_is_fixed;
}

bool mus_lua_sandbox_out_of_memory(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    return box && box->out_of_memory;
}

/* ---- Life -------------------------------------------------------------------------------------------------------- */

static mus_lua_box *take_box(void) {
    pthread_mutex_lock(&boxes_mutex);
    mus_lua_box *box = unused_boxes;
    if (box) unused_boxes = box->next;
    pthread_mutex_unlock(&boxes_mutex);
    if (!box) return calloc(1, sizeof *box);
    memset(box, 0, sizeof *box);
    return box;
}

static void return_box(mus_lua_box *box) {
    free(box->folder);
    free(box->script_name);
    free(box->real_folder);
    free(box->scripts_path);
    free(box->output);
    box->folder = box->script_name = box->real_folder = box->scripts_path = box->output = NULL;
    pthread_mutex_lock(&boxes_mutex);
    box->next = unused_boxes;
    unused_boxes = box;
    pthread_mutex_unlock(&boxes_mutex);
}

/* The folder of the script, as given and without links. False when memory ran out. */
static bool set_folders(mus_lua_box *box, const mus_lua_sandbox *options) {
    if (options->scripts_path && !(box->scripts_path = strdup(options->scripts_path))) return false;
    if (options->output && !(box->output = strdup(options->output))) return false;
    const char *path = options->script_path ? options->script_path : "";
    const char *slash = strrchr(path, '/');
    box->folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
    box->script_name = strdup(slash ? slash + 1 : path);
    if (!box->folder || !box->script_name) return false;
    char *real = realpath(box->folder[0] ? box->folder : ".", NULL);
    if (!real) return errno != ENOMEM; /* no such folder: nothing can be required from it */
    size_t size = strlen(real);
    box->real_folder = malloc(size + 2);
    if (box->real_folder) {
        memcpy(box->real_folder, real, size + 1);
        if (size == 0 || real[size - 1] != '/') memcpy(box->real_folder + size, "/", 2);
    }
    free(real);
    return box->real_folder != NULL;
}

bool mus_lua_is_stack_low(lua_State *L) {
    const mus_lua_box *box = mus_lua_box_of(L);
    return box && (uintptr_t)__builtin_frame_address(0) < box->lowest_frame;
}

/* The middle of the calling thread's stack; 0 if unknown. */
static uintptr_t stack_middle(void) {
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    if (pthread_attr_getstack(&attributes, &low, &size) != 0) low = NULL;
    pthread_attr_destroy(&attributes);
    return low ? (uintptr_t)low + size / 2 : 0;
}

static int open_libraries(lua_State *L) {
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},
                                         {LUA_COLIBNAME, luaopen_coroutine},
                                         {LUA_TABLIBNAME, luaopen_table},
                                         {LUA_STRLIBNAME, luaopen_string},
                                         {LUA_MATHLIBNAME, luaopen_math},
                                         {LUA_UTF8LIBNAME, luaopen_utf8},
                                         {NULL, NULL}};
    mus_lua_box *box = mus_lua_box_of(L);
    box->hash_is_fixed = mus_lua_hash_is_fixed(L);
    if (box->trusted) {
        luaL_openlibs(L);
    } else {
        for (const luaL_Reg *library = libraries; library->name; library++) {
            luaL_requiref(L, library->name, library->func, 1);
            lua_pop(L, 1);
        }
        mus_lua_open_bounded(L);
    }
    mus_lua_open_control(L);
    mus_lua_open_order(L);
    mus_lua_open_math(L);
    mus_lua_open_require(L);
    if (!box->trusted) mus_lua_open_clock(L);
    lua_pushglobaltable(L);
    mus_lua_register_functions(L, -1);
    lua_pop(L, 1);
    if (!box->trusted) mus_lua_freeze(L);
    return 0;
}

lua_State *mus_lua_sandbox_open(const mus_lua_sandbox *options) {
    mus_lua_box *box = take_box();
    if (!box) return NULL;
    box->trusted = options->trusted;
    box->memory_limit = options->memory_limit;
    box->update_golden = options->update_golden;
    box->time_limit = options->time_limit > 0 ? options->time_limit : 0;
    box->thread = pthread_self();
    box->lowest_frame = stack_middle();
    box->arguments = options->arguments;
    box->argument_count = options->argument_count;
    if (!set_folders(box, options) || !(box->main = lua_newstate(allocate, box))) {
        return_box(box);
        return NULL;
    }
    lua_State *L = box->running = box->main;
    box->seed = options->seed;
    mus_lua_seed(L, options->seed);
    __atomic_store_n(&box->open, true, __ATOMIC_SEQ_CST);
    install_handler();
    lua_pushcfunction(L, open_libraries);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK || (box->time_limit > 0 && !start_watchdog(box))) {
        mus_lua_sandbox_close(L);
        return NULL;
    }
    return L;
}

void mus_lua_sandbox_close(lua_State *L) {
    mus_lua_box *box = mus_lua_box_of(L);
    box->running = box->main;
    lua_close(box->main); /* the watchdog is still active, as a trusted script's finalizers may loop */
    end_watchdog(box);
    __atomic_store_n(&box->open, false, __ATOMIC_SEQ_CST);
    return_box(box);
}

int mus_lua_sandbox_load(lua_State *L, const char *path) {
    int status = luaL_loadfilex(L, path, "t");
    if (status == LUA_OK && mus_lua_box_of(L)) mus_lua_note_file(L, path);
    return status;
}
