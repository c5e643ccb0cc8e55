/* error.c: the error record of a thread and the names of statuses. */
#include "muslin/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char record[1024];

const char *mus_get_error_message(void) {
    return record;
}

mus_status mus_fail(mus_status status, const char *format, ...) {
    char text[sizeof record]; /* a copy: an argument may be the record itself */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(record, sizeof record, "%s", text);
    return status;
}

const char *mus_status_get_name(mus_status status) {
    switch (status) {
    case MUS_STATUS_OK:
        return "ok";
    case MUS_STATUS_INVALID:
        return "invalid";
    case MUS_STATUS_NO_MEMORY:
        return "no memory";
    case MUS_STATUS_STALE:
        return "stale";
    case MUS_STATUS_LOCKED:
        return "locked";
    case MUS_STATUS_NOT_FOUND:
        return "not found";
    case MUS_STATUS_IO:
        return "io";
    case MUS_STATUS_FORMAT:
        return "format";
    case MUS_STATUS_TOPOLOGY:
        return "topology";
    case MUS_STATUS_OVERLAP:
        return "overlap";
    case MUS_STATUS_NO_SAFE_STEP:
        return "no safe step";
    case MUS_STATUS_CANCELLED:
        return "cancelled";
    case MUS_STATUS_HOOK:
        return "hook";
    }
    return "unknown";
}
