/* status.h: statuses, error messages and the bounds of input numbers. */
#ifndef MUSLIN_STATUS_H
#define MUSLIN_STATUS_H

/* Symbols with it are exported from the shared library. */
#if defined(_WIN32)
#define MUS_VISIBLE
#else
#define MUS_VISIBLE __attribute__((visibility("default")))
#endif

/* Before every declaration of a function: exported, with C linkage in C++ too. */
#ifdef __cplusplus
#define MUS_API extern "C" MUS_VISIBLE
#else
#define MUS_API MUS_VISIBLE
#endif

/* What functions that can fail return. */
typedef enum mus_status {
    MUS_STATUS_OK = 0,
    MUS_STATUS_INVALID,      /* an argument is out of range, of the wrong kind or not finite */
    MUS_STATUS_NO_MEMORY,    /* the allocator returned NULL */
    MUS_STATUS_STALE,        /* the handle names an object that was removed */
    MUS_STATUS_LOCKED,       /* the world is inside a step; the call must wait until it ends */
    MUS_STATUS_NOT_FOUND,    /* no object, stage, preset or material of that name; no such file */
    MUS_STATUS_IO,           /* the operating system refused to read or write */
    MUS_STATUS_FORMAT,       /* a file is truncated, foreign or malformed */
    MUS_STATUS_TOPOLOGY,     /* non-manifold edge, zero-area or repeated-vertex face */
    MUS_STATUS_OVERLAP,      /* faces intersect where they must not (both are named) */
    MUS_STATUS_NO_SAFE_STEP, /* no intersection-free step was found; the state is the one before the step */
    MUS_STATUS_CANCELLED,    /* mus_callbacks.cancelled returned true; the state is the one before the step */
    MUS_STATUS_HOOK          /* a callback returned this or another failure */
} mus_status;

/* A status' short name, "invalid" for MUS_STATUS_INVALID; never NULL. */
MUS_API const char *mus_status_get_name(mus_status status);

/* Message of this thread's last failed call, one line without a trailing newline; "" if no call failed. Valid until
 * this thread's next failing call. */
MUS_API const char *mus_get_error_message(void);

/* Sets this thread's error record (printf style) and returns `status`: for callbacks that must report a failure. */
MUS_API mus_status mus_fail(mus_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* ---- Range -------------------------------------------------------------------------------------------------------
 *
 * Bounds of all input numbers: fields of definitions, files, arrays, snapshots, results of motions and hooks. A number
 * out of range is INVALID (FORMAT in a file); the message names the object, the field, the value and the bound. */

/* m: of coordinates, sizes, thicknesses and distances, in magnitude. A double resolves 1e-7 m at the bound, the
 * coarsest resolution that contacts can use; products of 30 lengths do not overflow. */
#define MUS_LARGEST_LENGTH 1e9
/* m: of sizes, thicknesses and edges, which must be > 0. Products of 20 lengths stay normal doubles. Coordinates may
 * be arbitrarily close to 0. */
#define MUS_SMALLEST_LENGTH 1e-15
/* Of all other quantities in their SI units, in magnitude, and 1/MUS_LARGEST_VALUE of those that must be > 0: no
 * physical mass, speed, stiffness or time exceeds it, and an energy (a mass times the square of a speed) stays a
 * factor of 1e200 below overflow. */
#define MUS_LARGEST_VALUE 1e30

/* Most substeps of one step: an explicit integrator splits steps for stiff or strongly damped cloth, and fast
 * obstacles beside thin cloth split them too. A step that needs more fails with the reason. Ten thousand substeps of
 * a cloth of a thousand vertices take about a second. */
#define MUS_MOST_SUBSTEPS 10000

#endif
