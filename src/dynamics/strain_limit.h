/* strain_limit.h: keeps edges from growing longer than (1 + limit) of their rest length by moving positions at the end
 * of a step: impulses along the edges, where velocities follow. One constant for each method. */
#ifndef MUS_DYNAMICS_STRAIN_LIMIT_H
#define MUS_DYNAMICS_STRAIN_LIMIT_H

#include "base/vec.h"
#include "model/cloth.h"

typedef struct mus_limit_edge {
    int32_t a, b;
    float longest; /* m */
    float share;   /* the limit: 0.1 is 10 % */
} mus_limit_edge;

typedef struct mus_strain_stage mus_strain_stage;

/* Edges of one color. */
typedef struct mus_limit_run {
    int32_t first, count;
    bool shared; /* the last color, of edges that no other was left for: they may share vertices */
} mus_limit_run;

typedef struct mus_strain_limit {
    const mus_strain_stage *stage; /* NULL: no limit */
    mus_limit_edge *edges;         /* run by run */
    int32_t count, run_count, vertex_count;
    mus_limit_run *runs; /* NULL: the edges are swept one by one */
    int threads;         /* CPU threads, for runs that are large enough */
    /* For mus_strain_limit_watch: has the vertex moved since all its edges were last checked? */
    uint8_t *has_moved; /* vertex_count */
    enum { MUS_UNWATCHED, MUS_WATCH_BEGINS, MUS_WATCHED } watch;
    void *kept;        /* memory of the stage */
    mus_status status; /* of the last pass: NO_MEMORY, and nothing has moved */
} mus_strain_limit;

/* The edges of a cloth, numbered from `first`, appended to a list. A cloth without a limit adds none. */
mus_status mus_strain_limit_add(mus_strain_limit *limit, const mus_cloth *cloth, int32_t first);
/* Allocates what else the stage needs, after the last cloth; vertex_count is that of all cloths. */
mus_status mus_strain_limit_ready(mus_strain_limit *limit, int32_t vertex_count);
void mus_strain_limit_free(mus_strain_limit *limit);

/* Until the watch ends, only passes (which need not report it) and reported vertices move: a stage may skip edges that
 * cannot have changed. Results are the same. */
void mus_strain_limit_watch(mus_strain_limit *limit);
static inline void mus_strain_limit_mark_moved(mus_strain_limit *limit, int32_t vertex) {
    if (vertex < limit->vertex_count) limit->has_moved[vertex] = 1;
}
static inline void mus_strain_limit_unwatch(mus_strain_limit *limit) {
    limit->watch = MUS_UNWATCHED;
}

/* May be called by several CPU threads at once, never for the same vertex. */
typedef void (*mus_moved)(void *context, int32_t vertex);

struct mus_strain_stage {
    const char *name;
    mus_status (*ready)(mus_strain_limit *limit, int32_t vertex_count); /* NULL: nothing */
    /* One pass over all edges, from x0 at the start of the step, on the ends x: they move along edges in proportion to
     * their inverse masses, so that momentum is conserved and pinned vertices stay. Vertices that moved are reported
     * (`moved` may be NULL). Returns the largest length found, as a multiple of the longest that the stage allows (1:
     * none was over). */
    double (*pass)(mus_strain_limit *limit, const double *inverse_mass, const v3 *x0, v3 *x, mus_moved moved,
                   void *context);
};

extern const mus_strain_stage mus_strain_sweep; /* Provot 1995 */
/* A pass that leaves no edge longer than this, in its longest length, is enough. 1.0015 and 1.006: within the spread.
 */
#define MUS_STRAIN_LIMIT_ENOUGH 1.003

extern const mus_strain_stage mus_strain_bridson;     /* Bridson et al. 2002, 6; BRI 2.5 */
extern const mus_strain_stage mus_strain_jung;        /* JUN 4.2.3, by conjugate gradients */
extern const mus_strain_stage mus_strain_jung_direct; /* the same by factorization */

/* limit->status is NO_MEMORY after a failure. */
static inline double mus_strain_limit_pass(mus_strain_limit *limit, const double *inverse_mass, const v3 *x0, v3 *x,
                                           mus_moved moved, void *context) {
    limit->status = MUS_STATUS_OK;
    return limit->count ? limit->stage->pass(limit, inverse_mass, x0, x, moved, context) : 1;
}

/* Moves the ends of an edge along it so that the length > 0 of x[a] - x[b] becomes `wanted`. */
void mus_limit_edge_set(const mus_limit_edge *edge, const double *inverse_mass, double length, double wanted, v3 *x,
                        mus_moved moved, void *context);

#endif
