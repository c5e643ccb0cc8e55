/* sandbox.h: what the files of the Lua state for scenes share. */
#ifndef MUS_LUA_SANDBOX_H
#define MUS_LUA_SANDBOX_H

#include "api.h"

#include <pthread.h>
#include <signal.h>

enum { STOP_INTERRUPTED = 1, STOP_TIME = 2 };

/* Everything about one state. It is the user data of the state's allocator, by which each of its threads finds it. */
typedef struct mus_lua_box {
    bool open, trusted;
    char *folder;       /* of the script as the user wrote it, with a slash at its end; "" for the current one */
    char *script_name;  /* the script's file in it; "": none */
    bool update_golden; /* golden states may be written */
    char *real_folder;  /* the same as an absolute path without links, with a slash at its end; NULL: none */
    char *scripts_path; /* muslin's own Lua; NULL: nowhere */
    char *output;       /* where scripts may write; NULL: the current folder */
    char *const *arguments;
    int argument_count;

    size_t memory_limit, memory_used; /* bytes; limit 0: none */
    uint64_t births;                  /* blocks allocated so far: objects are ordered by it */
    void *first_block;                /* of the state: seed.c */
    size_t first_size;
    bool hash_is_fixed; /* strings hash the same in every process */
    bool out_of_memory;

    double time_limit;                /* s; 0: none */
    int stop;                         /* STOP_ bits, atomic */
    char stopped_at[LUA_IDSIZE + 16]; /* "scene.lua:12", where the script was when it was stopped; "": nowhere yet */
    lua_State *main;
    lua_State *volatile running; /* the coroutine that the interpreter is in; read by a signal handler */
    pthread_t thread;            /* the thread that the state runs on */
    pthread_t watchdog;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool watching, closing;

    int close_depth;        /* coroutines that are being closed, one within the other */
    uintptr_t lowest_frame; /* address of the C stack below which nothing more may be nested */

    bool world_used;                  /* a world was stepped, saved, audited, ... by the script */
    char idle_world[LUA_IDSIZE + 16]; /* "scene.lua:5", where a world first got an object; "": nowhere yet */

    uint64_t seed, random[4], stream_seed; /* of math.random; of the streams with names */
    double clock;                          /* s, the time of the world that was stepped last */

    struct mus_lua_box *next; /* in the list of boxes that are not in use */
} mus_lua_box;

mus_lua_box *mus_lua_box_of(lua_State *L); /* NULL: a state that the sandbox did not open */

static inline int mus_lua_box_stop(mus_lua_box *box) {
    return __atomic_load_n(&box->stop, __ATOMIC_SEQ_CST);
}

/* Makes code that runs in L (a coroutine of the box, on the calling thread) raise at its next instruction. */
void mus_lua_box_arm(lua_State *L);
/* After an error was caught (it is on top): raises again when the state is to stop, else returns. */
void mus_lua_box_rethrow(lua_State *L);
/* control.c: lua_resume of `co` from L with `arguments` values on top of L, so that a stop reaches it, also in a state
 * that is no sandbox. Returns how many results were moved to L, or -1 with the error there. */
int mus_lua_resume(lua_State *L, lua_State *co, int arguments);
/* Whether half of the thread's C stack is used up: what nests by its own means must raise then. */
bool mus_lua_is_stack_low(lua_State *L);
/* Pushes a list of all keys of the table at `table` (absolute), in the order of pairs. */
void mus_lua_push_keys(lua_State *L, int table);
/* Gives the C functions in the table at `index`, in tables in it and in their metatables their place in that order,
 * behind those that have one. */
void mus_lua_register_functions(lua_State *L, int index);
/* The same of what the module muslin holds (at `module`), and of the metatables of its objects. */
void mus_lua_register_module(lua_State *L, int module);
/* seed.c: writes the seed of strings' hashes into the first block of a state, before there is a string. False: it was
 * not found. */
bool mus_lua_fix_hash_seed(void *block, size_t size, lua_Alloc allocate, void *user);
bool mus_lua_hash_is_fixed(lua_State *L); /* as the state does hash; may raise for want of memory */
/* When an object's memory was allocated, as a number that grows; 0 when it is unknown. */
uint64_t mus_lua_box_birth(lua_State *L, int index);

/* paths.c: opens the file for reading if it is below the folder (an absolute path without links) once links are
 * followed; -1: errno, EXDEV for one that is elsewhere. */
int mus_lua_open_beneath(const char *path, const char *folder);

/* Each adds its functions to the globals of the state (libraries are open by then). */
void mus_lua_open_control(lua_State *L); /* control.c: pcall, xpcall, coroutine */
void mus_lua_open_order(lua_State *L);   /* order.c: pairs, next, tostring, print, table.sort */
void mus_lua_open_math(lua_State *L);    /* math.c */
int mus_lua_math_random(lua_State *L);   /* random.c: math.random, math.randomseed */
int mus_lua_math_randomseed(lua_State *L);
void mus_lua_open_bounded(lua_State *L); /* bounded.c: what untrusted scripts get changed or taken away */
void mus_lua_open_require(lua_State *L); /* require.c */
void mus_lua_open_clock(lua_State *L);   /* clock.c: os.time, os.clock */
void mus_lua_freeze(lua_State *L);       /* freeze.c, the last: libraries, strict globals */
void mus_lua_note_file(lua_State *L, const char *path); /* for mus_lua_sandbox_push_files */
/* Makes a stock state's require find muslin.NAME in the folder. */
void mus_lua_add_own_scripts(lua_State *L, const char *folder);
void mus_lua_add_golden(lua_State *L); /* golden.c: its functions to the table on top */
int mus_lua_read_json(lua_State *L);   /* json.c */
int mus_lua_read_usd(lua_State *L);    /* usd.c */
/* Adds expect, scenario, property, before and skip to the table on top, and what is no global when it is the module's;
 * they load the kit when first called. */
void mus_lua_add_kit_functions(lua_State *L, bool module);

#endif
