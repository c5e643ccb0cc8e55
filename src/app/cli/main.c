/* main.c: the command line host's entry. */
#include "host.h"

#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const char *level = getenv("MUSLIN_SIMD");
    if (level && *level && mus_set_simd_level(level) != MUS_STATUS_OK) {
        app_error("MUSLIN_SIMD: %s", mus_get_error_message());
        return 2;
    }
    /* A closed pipe fails the write, which every writer checks, instead of killing the process between two files. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* the same for a file that reaches the limit of ulimit -f */
    app_options options;
    app_memory_limit(0);
    int code = app_options_parse(argc, argv, &options);
    app_memory_limit(options.world_memory);
    if (code < 0) code = app_command_find(options.command)(&options);
    app_options_free(&options);
    return app_output_end(code);
}
