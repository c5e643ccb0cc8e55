/* world.h: worlds: settings, callbacks, steps, statistics. */
#ifndef MUSLIN_WORLD_H
#define MUSLIN_WORLD_H

#include "object.h"
#include "pipeline.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Treatment of cloth that overlaps itself, other cloth or obstacles before the first step. */
typedef enum mus_overlap {
    MUS_OVERLAP_REFUSE,   /* the world does not start: OVERLAP names all pairs of objects and how many features */
    MUS_OVERLAP_UNTANGLE, /* cloth is moved apart and out until the auditor finds no overlap; OVERLAP when that fails */
    /* Overlap exemption: a feature on the wrong side of another surface, or inside, does not collide with it until
     * it has separated; all other features do. The auditor counts exempt overlaps separately. */
    MUS_OVERLAP_ALLOW,
    MUS_OVERLAP_COUNT
} mus_overlap;
MUS_API const char *mus_overlap_get_name(mus_overlap overlap); /* "refuse", "untangle", "allow" */

/* Least distance of contacts and resolution of the spherical test, where less than the pair's thickness (narrow
 * "spherical"; Jung 2005, 3.1-3.2): `least` m; or max(least, pixel d) with the distance d from the eye, so that
 * contacts near the viewer are close and distant ones cost less; or the value of `place`, evaluated at every vertex
 * at the start of each step or substep; a pair uses the least value of its vertices. All 0 and NULL: the thickness.
 * Planes always use the thickness. Other narrow phases have no tolerance; it must be 0 with them. */
typedef struct mus_tolerance {
    double least;  /* m, >= 0 */
    double eye[3]; /* m */
    double pixel;  /* rad, >= 0: angle of the smallest visible detail, as a pixel's; 0: no view */
    /* A program of the kind TOLERANCE, or NULL; the world keeps a reference to it. `least` and `pixel` must be 0
     * with it. A step fails with INVALID where its value is not > 0 and finite. */
    mus_program *place;
} mus_tolerance;

/* The settings of a world: start from mus_world_def_default. */
typedef struct mus_world_def {
    uint32_t cookie;         /* set by the _default() function */
    double dt;               /* s, longest step, > 0; 1/240 */
    double dt_min;           /* s; 0, or the lower bound of the adaptive time step, see mus_world_get_step_size */
    double dt_max;           /* s; 0, or the upper bound */
    double fps;              /* frames a second, > 0; 60 */
    double duration;         /* s, what a host plays by default, >= 0; 5 */
    double gravity[3];       /* m/s^2; {0, -9.81, 0} */
    double air_density;      /* kg/m^3, >= 0; 1.2 */
    double wind[3];          /* m/s */
    mus_pipeline pipeline;   /* the default pipeline */
    mus_tolerance tolerance; /* 0 */
    int32_t threads;         /* 0: as many as the machine has; results are independent of it */
    mus_overlap overlap;     /* of overlaps before the first step; REFUSE */
    uint64_t seed;           /* of the world's random stream; 1 */
    bool sleep;              /* a world at rest is not advanced: mus_world_is_asleep; false */
} mus_world_def;

/* The values that the fields name. */
MUS_API mus_world_def mus_world_def_default(void);
/* A world without objects. */
MUS_API mus_status mus_world_create(const mus_world_def *def, mus_world **world);
MUS_API void mus_world_destroy(mus_world *world); /* NULL is allowed */
/* The definition with the changes of the setters. Valid as long as the world. */
MUS_API const mus_world_def *mus_world_get_def(const mus_world *world);
/* m/s^2. INVALID for a vector that is not finite. */
MUS_API mus_status mus_world_set_gravity(mus_world *world, const double gravity[3]);
/* m/s. INVALID for a vector that is not finite. */
MUS_API mus_status mus_world_set_wind(mus_world *world, const double wind[3]);
/* LOCKED within a step for a program that the world has not referenced before. */
MUS_API mus_status mus_world_set_tolerance(mus_world *world, const mus_tolerance *tolerance);
MUS_API double mus_world_get_time(const mus_world *world);        /* s since the start */
MUS_API int64_t mus_world_get_step_index(const mus_world *world); /* steps committed */
/* 1/fps split into ceil(1/(fps dt)) equal steps. With dt_min and dt_max (adaptive time step): of the present frame.
 * At its end the length for the next frame is chosen within those bounds, so that the ends of no edge move relative
 * to each other by more than a tenth of its length in a step (stretching, rotation, folding; a common translation
 * has no effect), and shorter where steps were split or impact zones formed; at most 4 times shorter and 1.5 times
 * longer than before. The first frame uses dt. The choice is deterministic and part of a snapshot. */
MUS_API double mus_world_get_step_size(const mus_world *world);
/* Steps of the present frame. */
MUS_API int32_t mus_world_get_steps_per_frame(const mus_world *world);
/* Whether the world is inside a step: objects cannot come or go. */
MUS_API bool mus_world_is_locked(const mus_world *world);
MUS_API double mus_world_next_random(mus_world *world); /* [0, 1), from the world's seeded stream */

/* Whether the world slept through the last step. With mus_world_def.sleep, a world in which no vertex of cloth and no
 * point of a rigid body has moved by more than 0.1 mm within 0.5 s, and which nothing from outside moves, falls asleep:
 * all velocities become 0, and its steps call hooks, move obstacles and pins, and count, but solve nothing until
 * something wakes it: a position, velocity, pin, setting or object that changes, external forces that differ from those
 * of the step before, pins and seams that move, an obstacle that moves within the box around cloth and bodies or has
 * pins, a plane that moves. Worlds with fields of wind (mus_cloth_add_wind), rules, callbacks on predicted positions or
 * contacts, paths that pull, and functions as coefficients, spring laws or tolerance do not sleep. */
MUS_API bool mus_world_is_asleep(const mus_world *world);
/* Wakes it, for a change that the world does not see, such as the parameter of a program. */
MUS_API void mus_world_wake(mus_world *world);

/* A callback fails by returning a status other than OK (and sets the message with mus_fail); the step is then
 * undone. */
typedef struct mus_callbacks {
    uint32_t cookie;                                                   /* set by the _default() function */
    void *user;                                                        /* passed to every callback */
    mus_status (*before_step)(mus_world *world, double t, void *user); /* t: start of the step */
    mus_status (*forces)(mus_world *world, double t, void *user); /* add to mus_cloth_get_forces (N), zeroed before */
    /* Predicted positions, before collisions are handled; writable. t: the time of these positions. */
    mus_status (*candidate)(mus_world *world, double t, void *user);
    /* mus_world_get_contacts is filled. t: start of the whole step. A step that is split calls `candidate` and
     * `contacts` in each substep, and again in the halves of one that fails. */
    mus_status (*contacts)(mus_world *world, double t, void *user);
    mus_status (*after_step)(mus_world *world, double t, void *user); /* t: end of the step; not yet committed */
    bool (*cancelled)(void *user);                                    /* polled within a step; true undoes it */
} mus_callbacks;
/* No callbacks. */
MUS_API mus_callbacks mus_callbacks_default(void);
/* Replaces all callbacks; NULL clears them. */
MUS_API mus_status mus_world_set_callbacks(mus_world *world, const mus_callbacks *callbacks);

/* Advances one step, or fails with the reason and leaves the state bitwise unchanged. The first step, and the first
 * after an object was added or positions were written, validates the state: non-finite values, and pairs of faces
 * that intersect (OVERLAP). Before the first step overlaps are treated as mus_overlap sets. */
MUS_API mus_status mus_world_step(mus_world *world);
MUS_API mus_status mus_world_advance(mus_world *world,
                                     double seconds); /* in equal steps no longer than dt; adaptive: frame by frame */
/* Validates the state as the next step would, including mus_overlap before the first step; the message names the
 * fault. */
MUS_API mus_status mus_world_validate(mus_world *world);

/* Overlaps found before the first step and their treatment, as of the last validation by the first step or
 * mus_world_validate. Rest shapes and velocities are unchanged; pinned vertices do not move. Pairs that touch
 * without any gap are separated with every mus_overlap: by a micrometer, or a hundredth of their thickness if that
 * is less (cloth that is inside an obstacle by less than 1e-4 m is moved out). So are pairs that touch after objects
 * were added or positions written later, which the report does not count. */
typedef struct mus_start_report {
    int64_t crossings; /* pairs of faces that crossed */
    int64_t inside;    /* cloth vertices and faces inside obstacles */
    int64_t touches;   /* pairs without a gap */
    int32_t moved;     /* vertices that were moved */
    int32_t rounds;    /* of the separation; 0: none was needed */
    double largest;    /* m: largest displacement of a vertex */
    int32_t allowed;   /* connected regions of cloth with an overlap exemption; see mus_stats.allowed */
    int32_t misplaced; /* vertices of layers (mus_cloth_def) that are still on the wrong side */
} mus_start_report;
/* Fills `report`. */
MUS_API void mus_world_get_start_report(const mus_world *world, mus_start_report *report);
/* The part of it that is due to two objects, or to one with itself, by name. A vertex displaced because of several
 * pairs counts with each. */
typedef struct mus_start_pair {
    const char *a, *b; /* valid until the next validation */
    int64_t crossings; /* pairs of faces that crossed; 0: moved because of layers, or by what other pairs displaced */
    int64_t inside;    /* vertices and faces of a inside b */
    int32_t moved;     /* vertices that were moved because of this pair, and are not where they were */
    double largest;    /* m: their largest displacement */
} mus_start_pair;
MUS_API int32_t mus_world_get_start_pair_count(const mus_world *world);
/* Fills `pair` with the k-th of them, from 0; with empty names and zeros for a number out of range. */
MUS_API void mus_world_get_start_pair(const mus_world *world, int32_t k, mus_start_pair *pair);
/* A hash of time, positions and velocities of every cloth: equal states, equal hashes on every machine. */
MUS_API uint64_t mus_world_get_hash(const mus_world *world);

/* Timed sections of a step. */
typedef enum mus_phase {
    MUS_PHASE_VALIDATE,
    MUS_PHASE_OBSTACLES,
    MUS_PHASE_HOOKS,
    MUS_PHASE_DYNAMICS, /* forces and the linear solve */
    MUS_PHASE_CONTACTS, /* repulsion, friction, strain limiting */
    MUS_PHASE_BROAD,    /* boxes, refit, traversal, pair filters */
    MUS_PHASE_NARROW,   /* continuous detection and impulses */
    MUS_PHASE_FAILSAFE, /* zones */
    MUS_PHASE_COMMIT,
    MUS_PHASE_COUNT
} mus_phase;
/* "validate", "broad", … */
MUS_API const char *mus_phase_get_name(mus_phase phase);

/* Of the last committed step; times are wall-clock. */
typedef struct mus_stats {
    double phase_ms[MUS_PHASE_COUNT]; /* ms, by mus_phase */
    double step_ms;                   /* ms, of the whole step */
    double dt;                        /* s: its length */
    int64_t candidates;               /* elementary pairs kept by the broad phase */
    int64_t contacts;                 /* pairs closer than their thickness, or that would have crossed */
    int64_t ccd_tests;                /* continuous tests beyond the cached-axis filter */
    int64_t ccd_hits;                 /* tests that found an impact */
    int32_t ccd_passes;               /* rounds of detection and response */
    int32_t zones;                    /* impact zones */
    int32_t zone_vertices;            /* vertices in impact zones */
    int32_t substeps;                 /* 1, or more where the step was split; 0: the world was asleep */
    int32_t iterations;               /* of the linear solver */
    int32_t allowed;                  /* connected regions of cloth that still have an overlap exemption */
    int32_t pinched;                  /* cloth vertices that follow two surfaces of a mesh: mus_world_release_pinched */
    double residual;       /* of the linear solver, relative; of potential pipelines: residual acceleration, m/s^2 */
    double max_strain;     /* of an edge, at the step's end */
    double kinetic_energy; /* J */
    double contact_energy; /* J, for the middle of the step: of potential pipelines and of users' contact energies */
    int64_t unresolved;    /* colliding pairs left in the committed step: classic pipelines only */
    int64_t culled;        /* pairs of faces ruled out by normal cones: of the two broad phases with them only */
    int64_t box_tests; /* pairs of boxes compared by the broad phase; 0 of box_tree, which compares several at once */
} mus_stats;
/* Fills `stats`. */
MUS_API void mus_world_get_stats(const mus_world *world, mus_stats *stats);

/* J, of all cloths and rigid bodies together after the last step. Velocities belong to the middle of the step, so
 * gravity is evaluated there as well, at the midpoint of each vertex's displacement; elastic energy, and that of users'
 * contact energies under coupled pipelines, is the mean of those at both ends of the step. The total energy of a free
 * fall is constant, and so is that of an object at rest or bouncing. `total` is the sum of the others; in a world
 * without wind, hooks, friction, moved obstacles, moved pins and pulls it changes only by the error of the method. */
typedef struct mus_energy {
    double kinetic;       /* sum of m v^2/2, and `rotational` */
    double rotational;    /* part of it: w.I w/2 of rigid bodies about their centers of mass */
    double elastic;       /* of springs or membranes, hinges or plates, seams */
    double gravitational; /* -sum of m g.x, 0 at the origin */
    double contact;       /* mus_stats.contact_energy */
    double total;         /* of all but `rotational`, which is part of `kinetic` */
} mus_energy;
/* LOCKED within a step, whose energies are not known yet. */
MUS_API mus_status mus_world_get_energy(mus_world *world, mus_energy *energy);

/* Two objects do not collide with each other from now on. The same twice: no self-collision.
 *
 * The world keeps a setting of a pair by the names of its objects: it outlives them, and applies to an object that is
 * created under the name of one that was removed. So do those of the next function, of mus_world_set_coefficient,
 * mus_world_set_contact_law and mus_response_def.between. STALE for a removed object, INVALID for none, LOCKED within a
 * step. */
MUS_API mus_status mus_world_ignore_pair(mus_world *world, mus_object_id a, mus_object_id b);
/* Treatment of overlaps of these two before the first step, in place of that of mus_world_def; the same twice:
 * self-overlap of the cloth. The last setting for a pair counts. STALE for a removed object, INVALID for none, for a
 * value that is no mus_overlap or a world that has made its first step, LOCKED within a step. */
MUS_API mus_status mus_world_set_overlap(mus_world *world, mus_object_id a, mus_object_id b, mus_overlap overlap);
/* Cloth that an animated mesh pinches between two of its surfaces, as at a body's armpits, where no gap is left. false
 * (default): the step fails, NO_SAFE_STEP. true: the vertices that no response can place follow the surfaces on both
 * sides, halfway between them, and neither they nor the edges and faces at them collide with the mesh, until it opens.
 * The auditor counts what they intersect as `allowed`, and mus_stats.pinched their number. Their soft pins act again
 * afterwards; vertices with hard pins are not released. The last setting for a pair counts. STALE for a removed object,
 * INVALID unless one is a cloth and one a mesh, LOCKED within a step. */
MUS_API mus_status mus_world_release_pinched(mus_world *world, mus_object_id a, mus_object_id b, bool release);

#endif
