/* cloth.h: cloth: its arrays, pins and springs. */
#ifndef MUSLIN_CLOTH_H
#define MUSLIN_CLOTH_H

#include "look.h"
#include "material.h"
#include "mesh.h"
#include "object.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#define MUS_LARGEST_LAYER     1000
#define MUS_LEAST_SHRINKAGE   (-1)
#define MUS_LARGEST_SHRINKAGE 0.9
#define MUS_LEAST_FACTOR      0.001
#define MUS_LARGEST_FACTOR    1000
#define MUS_LEAST_LIMIT       0.001
#define MUS_LARGEST_LIMIT     10
/* A cloth to create: start from mus_cloth_def_default. */
typedef struct mus_cloth_def {
    uint32_t cookie;  /* set by the _default() function */
    const char *name; /* unique in the world; NULL: "cloth1", "cloth2", … */
    /* Start shape; must pass mus_mesh_check. A mesh of 1000 vertices or more whose numbering puts neighbors far
     * apart in memory is solved in another order, at the cost of memory; the API and all messages keep the mesh's
     * numbers. */
    const mus_mesh *mesh;
    const mus_mesh *rest;  /* rest shape with the same faces; NULL: the start shape */
    bool rest_from_uv;     /* rest lengths from the mesh's texture vertices (m) instead */
    mus_material material; /* cotton */
    /* Maps over the cloth, one number for each vertex; NULL: none. */
    const double *density;   /* kg/m^2, > 0, instead of the material's */
    const double *shrinkage; /* MUS_LEAST_SHRINKAGE..MUS_LARGEST_SHRINKAGE: lengths at rest are less by this share, the
                                mass is the same; not of SQUARE_NETWORK */
    /* Factors of the material's resistance to stretching and shearing (from MUS_LEAST_FACTOR) and to bending (from 0),
     * up to MUS_LARGEST_FACTOR; damping follows. An element takes the mean of its vertices. Not of SQUARE_NETWORK, and
     * not of springs that follow a function. */
    const double *stiffness, *bending;
    /* Factors of the material's damping and bending_damping, 0..MUS_LARGEST_FACTOR, in the same way; not of
     * SQUARE_NETWORK */
    const double *dampings;
    /* m, instead of `thickness`, which is not read then; an edge or face has the mean of its vertices */
    const double *thicknesses;
    const double *frictions; /* >= 0, instead of `friction`; at a contact's point the mean of the corners' by weight */
    /* MUS_LEAST_LIMIT..MUS_LARGEST_LIMIT, instead of the material's strain_limit, of an edge the mean of its ends; not
     * with a limit_stiffness */
    const double *strain_limits;
    double thickness;    /* m, > 0, less than the diagonal of the box around the mesh or `rest`: least distance of
                            mid-surfaces; 1e-3. Of neighbors: 0.6 of their distance at rest, if less */
    double friction;     /* Coulomb coefficient, >= 0; 0.3 */
    double restitution;  /* 0..1; 0 */
    double velocity[3];  /* m/s, of every vertex at the start */
    bool self_collision; /* true */
    /* 0..MUS_LARGEST_LAYER; 0: none. Before the first step, cloth of a higher layer is moved to the outer side of cloth
     * of a lower one, that of its normals (corners counter-clockwise), where it lies within or near it. */
    int32_t layer;
    mus_look look; /* in pictures; mus_look_default() */
    /* A mesh that follows the cloth, and is shown and written instead: bound at the start to the nearest points of
     * faces and interpolated normals; no vertex farther than a quarter of the diagonal of the box around `mesh`. It is
     * not simulated and may intersect. NULL: none. */
    const mus_mesh *surface;
    bool equal_masses; /* all vertices have the same mass, the cloth's over their number, so that the rim is heavier,
                          as by seams (BRI 2.1); false: of each face a third at every corner */
} mus_cloth_def;

/* Cotton, with the values that the fields name; `mesh` must be set. */
MUS_API mus_cloth_def mus_cloth_def_default(void);
/* Adds a cloth to the world, which copies all that `def` refers to. LOCKED within a step. */
MUS_API mus_status mus_cloth_create(mus_world *world, const mus_cloth_def *def, mus_cloth_id *id);
/* Removes the cloth and its seams; its handle becomes stale. LOCKED within a step. */
MUS_API mus_status mus_cloth_destroy(mus_world *world, mus_cloth_id id);
/* False for the handle of a removed cloth. */
MUS_API bool mus_cloth_is_valid(const mus_world *world, mus_cloth_id id);
/* Number of cloths that the world has now. */
MUS_API int32_t mus_world_get_cloth_count(const mus_world *world);
MUS_API mus_cloth_id mus_world_get_cloth(const mus_world *world,
                                         int32_t k); /* k-th living cloth, in order of creation */

/* The following return NULL or 0 for a stale handle (with the error record set). Arrays stay valid until the cloth is
 * removed; lengths never change. */
MUS_API const char *mus_cloth_get_name(const mus_world *world, mus_cloth_id id);
/* Number of vertices. */
MUS_API int32_t mus_cloth_get_vertex_count(const mus_world *world, mus_cloth_id id);
/* Number of faces. */
MUS_API int32_t mus_cloth_get_face_count(const mus_world *world, mus_cloth_id id);
/* Number of edges of the mesh. */
MUS_API int32_t mus_cloth_get_edge_count(const mus_world *world, mus_cloth_id id);
/* Vertex indices from 0, face_count x 3. */
MUS_API const int32_t *mus_cloth_get_faces(const mus_world *world, mus_cloth_id id);
MUS_API const int32_t *mus_cloth_get_grid_nodes(const mus_world *world,
                                                mus_cloth_id id);                    /* {nu, nv} of a grid or {0, 0} */
MUS_API const int32_t *mus_cloth_get_edges(const mus_world *world, mus_cloth_id id); /* edge_count x 2 */
/* Texture coordinates, which pictures and files take: those of the mesh (or of `rest`; of a grid m along warp and
 * weft), else the rest shape projected onto its mean plane. Pairs of numbers and, as every face may have its own,
 * face_count x 3 indices of them. NULL and 0 for a cloth read from a snapshot's file. */
MUS_API const double *mus_cloth_get_uvs(const mus_world *world, mus_cloth_id id);
MUS_API int32_t mus_cloth_get_uv_count(const mus_world *world, mus_cloth_id id);
MUS_API const int32_t *mus_cloth_get_uv_faces(const mus_world *world, mus_cloth_id id);
/* Named groups of faces of the mesh, as mus_mesh_get_groups, which files take; NULL and 0 without any, and for a cloth
 * read from a snapshot's file. Valid as long as the cloth. */
MUS_API const mus_mesh_group *mus_cloth_get_groups(const mus_world *world, mus_cloth_id id, int32_t *count);
/* `surface` of the definition where the cloth is now, for reading; NULL without one, and for a cloth read from a
 * snapshot's file. Valid until the next call or step. */
MUS_API const mus_mesh *mus_cloth_get_surface_mesh(mus_world *world, mus_cloth_id id);
/* Interpolates values at the cloth's vertices, `components` for each, to the vertices of that mesh. INVALID without
 * one. */
MUS_API mus_status mus_cloth_spread_to_surface(const mus_world *world, mus_cloth_id id, int components,
                                               const double *values, double *spread);
MUS_API mus_status mus_cloth_get_look(const mus_world *world, mus_cloth_id id, mus_look *look);
MUS_API mus_status mus_cloth_set_look(mus_world *world, mus_cloth_id id, const mus_look *look);
MUS_API const double *mus_cloth_get_rest_lengths(const mus_world *world, mus_cloth_id id); /* m, one an edge */
/* A cloth at rest as points, plastic stretch included. */
typedef struct mus_rest_shape {
    double *points;      /* point_count x 3, m: in the plane z = 0, the warp (without warp_angle) along x */
    int32_t *faces;      /* face_count x 3: the points of the cloth's faces, corner by corner */
    int32_t point_count; /* one per vertex, in their order, where cloth at rest is flat; else more */
    int32_t face_count;
    int32_t *folds; /* fold_count x 2: neighboring faces, from 0, that are bent at rest */
    double *angles; /* rad, fold_count: as of mus_cloth_get_fold_angle */
    int32_t fold_count;
} mus_rest_shape;
/* Fills `shape`, which the caller frees with mus_rest_shape_free, also after a failure. NO_MEMORY, STALE. */
MUS_API mus_status mus_cloth_get_rest_shape(const mus_world *world, mus_cloth_id id, mus_rest_shape *shape);
MUS_API void mus_rest_shape_free(mus_rest_shape *shape);
/* m, one per edge: rest lengths with plastic stretch (mus_material.yield_strain); of membranes the mean of the edge's
 * faces. NO_MEMORY, STALE. */
MUS_API mus_status mus_cloth_get_unloaded_lengths(const mus_world *world, mus_cloth_id id, double *lengths);
MUS_API double *mus_cloth_get_positions(mus_world *world, mus_cloth_id id); /* m */
/* m/s, staggered: after a step they are its mean velocities (x1 = x0 + h v) and belong to its middle; before the
 * first step, and with the integrator "rk4", they belong to the present time. */
MUS_API double *mus_cloth_get_velocities(mus_world *world, mus_cloth_id id);
MUS_API double *mus_cloth_get_forces(mus_world *world, mus_cloth_id id);             /* N, external */
MUS_API const double *mus_cloth_get_masses(const mus_world *world, mus_cloth_id id); /* kg, of the free vertex */
/* Sets the masses of all vertices, 1e-30 to 1e30 kg each, and with them the inverse masses of those that are not
 * pinned. The material's density is unchanged. INVALID: names the first vertex out of range, and changes nothing;
 * LOCKED within a step; STALE. */
MUS_API mus_status mus_cloth_set_masses(mus_world *world, mus_cloth_id id, const double *masses);
MUS_API const double *mus_cloth_get_inverse_masses(const mus_world *world, mus_cloth_id id); /* 1/kg, 0 where pinned */
/* m^2: of each vertex a third of the faces around it, computed at the call; also NULL when memory ran out. */
MUS_API const double *mus_cloth_get_areas(mus_world *world, mus_cloth_id id);
/* Area-weighted unit vertex normals of the current positions, computed at the call; also NULL when memory ran out. */
MUS_API const double *mus_cloth_get_normals(mus_world *world, mus_cloth_id id);
/* Its layer; 0: none. */
MUS_API int32_t mus_cloth_get_layer(const mus_world *world, mus_cloth_id id);
/* Copies the material of the cloth. */
MUS_API mus_status mus_cloth_get_material(const mus_world *world, mus_cloth_id id, mus_material *material);
/* Thickness (m), friction and restitution; each may be NULL. */
MUS_API mus_status mus_cloth_get_surface(const mus_world *world, mus_cloth_id id, double *thickness, double *friction,
                                         double *restitution);
/* Must be called after positions were written from outside a step (the views of Lua do): the next step validates. */
MUS_API mus_status mus_cloth_mark_positions_changed(mus_world *world, mus_cloth_id id);

/* Angles (rad) across the edge between vertices a and b (from 0), positive where its two faces turn toward the side of
 * their normals: now, and at rest; each may be NULL. NOT_FOUND if no hinge bends there: a border, no edge, a model
 * without hinges or a material without bending. INVALID if the faces have no area. */
MUS_API mus_status mus_cloth_get_fold_angle(const mus_world *world, mus_cloth_id id, int32_t a, int32_t b,
                                            double *angle, double *rest);
/* Sets the angle at rest, within +-pi; of SPRINGS within +-2 atan 2 (126.8 degrees). Not for the quadratic model of
 * bending (INVALID); LOCKED within a step. The cloth does not move until the next step. */
MUS_API mus_status mus_cloth_set_rest_angle(mus_world *world, mus_cloth_id id, int32_t a, int32_t b, double rest);

/* From within mus_callbacks.forces: a spring of rest length 0 between a vertex and a place (m), which adds the force
 * stiffness (at - x) - damping v to the vertex (N/m and N s/m, each 0..1e15). Its derivatives enter the implicit step
 * and potential pipelines, which are stable with any stiffness. Explicit integrators keep the force constant over the
 * step, and use at most a quarter of m/dt^2 and m/dt, with which a vertex of mass m is stable. */
MUS_API mus_status mus_cloth_add_vertex_spring(mus_world *world, mus_cloth_id id, int32_t vertex, const double at[3],
                                               double stiffness, double damping);

/* Pins fix vertices (indices from 0) at their present places, to an obstacle (at their present places in its frame),
 * or to a path. */
MUS_API mus_status mus_cloth_pin(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count);
/* Pins vertices to an obstacle, at their present places in its frame. To an animated mesh: to the nearest points of its
 * faces, each with its offset in the frame of the face (along its first edge, across, and along the normal). Pins to a
 * mesh that is animated later are fastened so then. Soft pins (mus_cloth_pull) suit bodies better: where a body bends,
 * faces turn into the places beside them. */
MUS_API mus_status mus_cloth_pin_to_obstacle(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                             mus_obstacle_id obstacle);
/* Writes the place at time t to `position` (on entry the vertex's place when it was pinned). `user` must live as
 * long as the world. */
typedef mus_status (*mus_pin_path_fn)(void *user, double t, int32_t vertex, double position[3]);
/* Pins vertices to a path, which is called for each of them. */
MUS_API mus_status mus_cloth_pin_to_path(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                         mus_pin_path_fn path, void *user);
/* Soft pins: vertices stay free and are pulled to the place where a pin would fix them, by a spring of rest length 0,
 * with derivatives in the implicit step and in potential pipelines; explicit integrators use at most a quarter of
 * m/dt^2 and m/dt, as mus_cloth_add_vertex_spring. A rigid body that vertices are pulled to is pulled back, with the
 * opposite force at its point: in pipelines with response "coupled" and in "newton" and "incremental" ones, in which
 * cloth and bodies are solved together; refused in others, as are pins to rigid bodies. Under the integrator
 * "position_based" it is the pulling constraint (Kusupati & Singh 2019, 2.1), projected with those of stretch and bend.
 * The first projection of a step moves a vertex of mass m without other constraints by the fraction s/(1 + s) of its
 * distance, s = stiffness dt^2/m, the weight of plain position-based dynamics. */
#define MUS_LARGEST_PULL 1e15
typedef struct mus_pull_def {
    uint32_t cookie;           /* set by the _default() function */
    double stiffness;          /* N/m, > 0, at most MUS_LARGEST_PULL */
    double damping;            /* N s/m, >= 0: of the velocity relative to the place; 0. Not of "position_based" */
    const mus_obstacle_id *to; /* the place is fixed to it, also to a rigid body; NULL */
    mus_pin_path_fn path;      /* or the place at time t, with `user`; NULL. Both NULL: the vertices' present places */
    void *user;                /* for `path` */
} mus_pull_def;
/* To the present places; the stiffness must be set. */
MUS_API mus_pull_def mus_pull_def_default(void);
/* Pulls vertices as `def` states. */
MUS_API mus_status mus_cloth_pull(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                  const mus_pull_def *def);
/* N/m; 0: it is not pulled. A pulled vertex is not pinned. */
MUS_API double mus_cloth_get_pull_stiffness(const mus_world *world, mus_cloth_id id, int32_t vertex);
/* m: where a vertex is pulled to at the present time. False, and `place` as it was: it is not pulled, or along a path,
 * whose function is not called. */
MUS_API bool mus_cloth_get_pull_place(const mus_world *world, mus_cloth_id id, int32_t vertex, double place[3]);
/* Removes pins and pulls; vertices NULL: all. Vertices without either are skipped. */
MUS_API mus_status mus_cloth_unpin(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count);
/* Whether the vertex is pinned. */
MUS_API bool mus_cloth_is_pinned(const mus_world *world, mus_cloth_id id, int32_t vertex);

/* The springs of a cloth whose material is of the models SPRINGS, MASS_SPRING or CHOI_KO. */
typedef enum mus_spring_kind {
    MUS_SPRING_STRUCTURAL, /* along warp and weft of a grid, along edges of another mesh */
    MUS_SPRING_SHEAR,      /* both diagonals of a grid's quads */
    MUS_SPRING_BEND,       /* to every second node, across the edges of another mesh */
    MUS_SPRING_KIND_COUNT
} mus_spring_kind;
MUS_API const char *mus_spring_kind_get_name(mus_spring_kind kind); /* "structural", "shear", "bend" */
/* Sets the tension of all springs of a kind to a program of the kind SPRING, referenced by the world, in place of
 * the material's constants; NULL restores them. The material's damping acts in addition, as a multiple of the
 * program's derivative by length. Implicit steps and potential pipelines use its derivatives without the
 * destabilizing parts; explicit integrators choose their substeps by the steepest derivative at lengths within a
 * tenth of the present one. `place` is for messages, "scene.lua:12" (copied; NULL: none): a step fails where the
 * tension is not finite, and the message names the spring. INVALID for a cloth that has no springs of the kind,
 * LOCKED within a step. */
MUS_API mus_status mus_cloth_set_spring_law(mus_world *world, mus_cloth_id id, mus_spring_kind kind,
                                            mus_program *program, const char *place);

/* Strain of edges, |length/rest - 1| where longer, 0 where shorter. */
typedef struct mus_strain {
    double max;       /* largest strain */
    double mean;      /* mean over all edges */
    double median;    /* median over all edges */
    int32_t max_edge; /* index of the edge of the largest strain */
} mus_strain;
/* Strain of the edges at the present positions. */
MUS_API mus_status mus_cloth_get_strain(const mus_world *world, mus_cloth_id id, mus_strain *strain);

#endif
