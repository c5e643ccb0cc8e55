/* options.h: how values of options are read. Each returns false when the text is none, which has been told. */
#ifndef MUS_APP_OPTIONS_H
#define MUS_APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

bool app_bad_value(const char *option, const char *wanted, const char *text); /* tells; false */
bool app_read_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value);
bool app_read_number(const char *option, const char *text, bool zero, const char *unit,
                     double *value); /* zero: allowed */
bool app_read_seed(const char *text, uint64_t *value);
bool app_read_size(const char *text, int *width, int *height); /* 1280x720 */

/* -1, or an exit code where no such file of Lua can be read, which has been told; `what` it is: a scene or a rule. */
int app_check_script(const char *what, const char *path);

#endif
