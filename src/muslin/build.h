/* build.h: version and build of the library. */
#ifndef MUSLIN_BUILD_H
#define MUSLIN_BUILD_H

#include "status.h"

/* Of the header; the library that runs may have another: mus_get_version. */
#define MUS_VERSION "0.2.0"

/* How the library was compiled, and what it runs on. Strings are constants. */
typedef struct mus_build {
    const char *version;  /* MUS_VERSION */
    const char *compiler; /* name and version */
    const char *cpu;      /* level of the processor, "x86-64-v3" */
    const char *simd;     /* level used by the kernels: "baseline", "avx2" or "avx512"; results have the same bits */
} mus_build;
/* The build of the library that runs. */
MUS_API mus_build mus_get_build(void);
/* MUS_VERSION of the library that runs, which may be another than the one compiled against. */
MUS_API const char *mus_get_version(void);
/* Sets the SIMD level of all kernels of the process, for tests and measurements; NULL: the widest available
 * (default). INVALID for an unknown level and for one that the processor lacks. Any thread, at any time. */
MUS_API mus_status mus_set_simd_level(const char *level);

#endif
