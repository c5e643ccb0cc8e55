/* options_help.c: output of `--help` and `--version`. */
#include "host.h"
#include "cli/options.h"

#include <SDL.h>

/* Options with a different meaning in one command. */
static const struct {
    int id, command;
    const char *help;
} meanings[] = {
    {'o', VIEW, "folder for screenshots and what the script writes"},
    {'o', REPL, "folder for what the script writes"},
    {'o', COMPARE, "folder for tables, pictures and what the script writes"},
    {'o', TEST, "folder for the report, and states and pictures of scenarios that fail (out/failed)"},
    {'o', SWEEP, "folder for the cases and their runs"},
    {'o', COLLECT, "folder for the table"},
    {'o', DOC, "folder for the pages"},
    {OPT_SIZE, VIEW, "pixels of the window (1280x720)"},
    {OPT_SIZE, COMPARE, "pixels of each picture (640x480)"},
    {OPT_REPORT, COMPARE, "write table, plots and pictures as HTML, and the table as Markdown (with --out)"},
    {'j', SWEEP, "cases at a time; 0: one per processor (0)"},
    {OPT_TIME_LIMIT, TEST, "largest time of each scenario, s (300)"},
    {OPT_TIME_LIMIT, COMPARE, "largest time of each row, s"},
    {OPT_MEMORY_LIMIT, TEST, "largest memory of Lua, in megabytes (1000); 0: no limit"},
};

static const char *help_of(const option_row *row, int bit) {
    for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++)
        if (meanings[k].id == row->id && meanings[k].command == bit) return meanings[k].help;
    return row->help;
}

static void print_options(const option_row *rows, int count, int bit) {
    puts("\noptions:");
    for (int k = 0; k < count; k++) {
        if (!(rows[k].commands & bit)) continue;
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", rows[k].id < 256 ? "-" : " ", rows[k].id < 256 ? rows[k].id : ' ',
                 rows[k].id < 256 ? ", " : "  ", rows[k].name, rows[k].argument ? " " : "",
                 rows[k].argument ? rows[k].argument : "");
        printf("  %-27s %s\n", left, help_of(&rows[k], bit));
    }
}

void options_print_command_help(const command *c, const option_row *rows, int count) {
    printf("usage: muslin %s %s\n\n%s.\n%s", c->name, c->operands, c->summary, c->details);
    print_options(rows, count, c->bit);
    if (c->bit & SCENES)
        puts("\nOptions may be given before or after SCENE; everything after -- is passed to the script.");
}

void options_print_help(FILE *out, const command *commands, int count) {
    fputs("muslin: cloth simulation scripted in Lua, with guaranteed collision handling\n\n"
          "usage: muslin COMMAND [OPTIONS] ...\n"
          "       muslin SCENE.lua           view with a display, run without\n\ncommands:\n",
          out);
    for (int k = 0; k < count; k++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", commands[k].name, commands[k].operands);
        fprintf(out, "  %-30s %s\n", left, commands[k].summary);
    }
    fputs("\n  muslin COMMAND --help          options of a command\n"
          "  muslin --version               version and build\n\n"
          "exit codes: 0 ok, 1 a test, check or audit failed, 2 wrong command line, 3 an error of a script, the\n"
          "simulation or writing, 124 time limit, 130 interrupted\n",
          out);
}

/* Deviations from the reference with this build of Lua. */
static void print_lua_caveat(void) {
    mus_lua_sandbox options = {0};
    lua_State *L = mus_lua_sandbox_open(&options);
    if (L && !mus_lua_sandbox_hash_is_fixed(L))
        puts("Lua's string hash has a new seed in every process (lua_api/sandbox/seed.c does not support this build): "
             "the "
             "length of a list with holes may differ between runs");
    if (L) mus_lua_sandbox_close(L);
}

void options_print_version(void) {
    mus_build build = mus_get_build();
    printf("muslin %s\ncompiler %s\ncpu %s\nsimd %s\n%s\n", build.version, build.compiler, build.cpu, build.simd,
           LUA_RELEASE);
    SDL_version sdl;
    SDL_GetVersion(&sdl);
    printf("SDL %d.%d.%d\n", sdl.major, sdl.minor, sdl.patch);
    print_lua_caveat();
}
