/* main.c: the command line host's entry. */
#include "host.h"

#include <signal.h>

int main(int argc, char **argv) {
    /* A closed pipe shows as a failed write, which every writer checks, and not as sudden death between two files. */
    signal(SIGPIPE, SIG_IGN);
    app_options options;
    int code = app_options_parse(argc, argv, &options);
    if (code < 0) code = app_command_find(options.command)(&options);
    app_options_free(&options);
    return app_output_end(code);
}
