/* fuzz_api.h: plays api.lua in a Lua state of its own, which draws its choices from an input: for fuzz_reentry.c and
 * fuzz_values.c. Once the input is used up, choices come from a generator that its bytes seed. */
#ifndef MUS_TESTS_FUZZ_API_H
#define MUS_TESTS_FUZZ_API_H

#include "api.h"
#include "fuzz.h"
#include "muslin/host.h"

#include <fcntl.h>
#include <sys/stat.h>

/* api.lua is part of the program: a fuzzer may be run in any folder. */
__asm__(".pushsection .rodata\n"
        "fuzz_api_text: .incbin \"tests/fuzz/api.lua\"\n"
        "fuzz_api_end: .byte 0\n"
        ".popsection\n");
extern const char fuzz_api_text[] __asm__("fuzz_api_text"), fuzz_api_end[] __asm__("fuzz_api_end");

/* A mesh of 2^31 vertices is no finding: memory that is not to be had is an error like others. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=512";
}

typedef struct fuzz_choices {
    fuzz_input in;
    uint64_t state;
} fuzz_choices;

static int fuzz_next(lua_State *L) {
    fuzz_choices *choices = lua_touserdata(L, lua_upvalueindex(1));
    if (choices->in.left) {
        lua_pushinteger(L, fuzz_byte(&choices->in));
        return 1;
    }
    choices->state = choices->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    lua_pushinteger(L, (lua_Integer)(choices->state >> 56));
    return 1;
}

/* (chunk, mode, choices) */
static int fuzz_body(lua_State *L) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_pushcclosure(L, fuzz_next, 1);
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    lua_call(L, 3, 0);
    return 0;
}

/* Files that calls write go to a folder of the process, where it is while an input is played; the fuzzer's own files
 * are where it was before. */
static const char *fuzz_enter_folder(int *before) {
    static char scripts[4096], folder[64];
    *before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fuzz_require(*before >= 0);
    if (!scripts[0]) {
        fuzz_require(getcwd(scripts, sizeof scripts - 16) != NULL);
        strcat(scripts, "/scripts");
        const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(folder, sizeof folder, "%s/muslin_fuzz_%ld", memory, (long)getpid());
        mkdir(folder, 0700);
    }
    fuzz_require(chdir(folder) == 0);
    return scripts;
}

static int fuzz_api(const char *mode, const uint8_t *data, size_t size) {
    int before;
    mus_lua_sandbox options = {.trusted = true,
                               .scripts_path = fuzz_enter_folder(&before),
                               .memory_limit = (size_t)256 << 20,
                               .time_limit = 10,
                               .seed = 1};
    fuzz_choices choices = {{data, size}, mus_hash_bytes(data, size)};
    lua_State *L = mus_lua_sandbox_open(&options);
    fuzz_require(L != NULL);
    fuzz_require(luaL_loadbufferx(L, fuzz_api_text, (size_t)(fuzz_api_end - fuzz_api_text), "@api.lua", "t") == LUA_OK);
    lua_pushcfunction(L, fuzz_body);
    lua_insert(L, 1);
    lua_pushstring(L, mode);
    lua_pushlightuserdata(L, &choices);
    if (lua_pcall(L, 3, 0, 0) != LUA_OK && !mus_lua_sandbox_timed_out(L) && !mus_lua_sandbox_out_of_memory(L)) {
        const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error that is no string";
        /* Only api.lua's own assertions are findings: a finalizer or a fixture may raise. */
        if (strstr(message, "a failure without a word") || strstr(message, "is broken")) {
            fprintf(stderr, "%s\n", message);
            abort();
        }
    }
    /* What finalizers make while a state closes is never finalized itself (lgc.c, luaC_checkfinalizer): let them run
     * before, and those that they leave behind. */
    lua_settop(L, 0);
    for (int k = 0; k < 6; k++) lua_gc(L, LUA_GCCOLLECT);
    mus_lua_sandbox_close(L);
    fuzz_require(fchdir(before) == 0);
    close(before);
    return 0;
}

#endif
