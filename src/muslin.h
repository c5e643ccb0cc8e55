/* muslin.h: the one public header. A cloth runtime with robust collision handling.
 *
 * Units are SI (m, kg, s, N), y is up, positions are double. Vectors are `double[3]`, arrays of n vectors are n*3
 * contiguous doubles, faces are n*3 vertex indices from 0. Functions that can fail return a mus_status; the reason,
 * with field, value and remedy, is then in mus_get_error_message() of the calling thread. Nothing here exits, prints or
 * aborts.
 *
 * Objects of a world are handles {index, generation} by value: the world owns what they name, and calls with the handle
 * of a removed object return MUS_STATUS_STALE. Meshes are plain owned objects: create, use, destroy; a world copies
 * what it needs from them.
 *
 * A world may be used by one thread at a time; different worlds by different threads at once.
 *
 * Names are mus_NOUN_VERB_OBJECT:
 *   _create, _destroy        what the caller owns (mus_mesh_create, mus_mesh_destroy) and what a world owns
 *                            (mus_cloth_create and mus_cloth_destroy with the world); _create_KIND, _create_from_X,
 *                            _copy and _load create too; destroying NULL is allowed
 *   _release                 gives back one reference of what is counted (programs, parameters)
 *   _default                 the default value of a struct; definitions: mus_NOUN_def_default
 *   _get_X, _get_X_count     reads a property, the k-th X, the number of them; _set_X writes one
 *   _is_X, _has_X            a predicate
 *   _add_X                   appends to a graph, or to the forces of a step
 *   _find_X                  looks up by name
 *   _save, _load             to and from a file: the object first, then the path
 *   other verbs              actions: mus_world_step, mus_cloth_pin, mus_mesh_transform
 * Properties of the process or thread have no noun: mus_get_version, mus_get_error_message, mus_set_allocator. Pure
 * functions of numbers are named by their value: mus_distance_edge_edge. Types of callbacks end in _fn. */
#ifndef MUSLIN_H
#define MUSLIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define MUS_API
#else
#define MUS_API __attribute__((visibility("default")))
#endif

#define MUS_VERSION "0.2.0"

/* ---- Status and errors ------------------------------------------------------------------------------------------ */

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

/* The word of a NULL-terminated list nearest to `word` by edit distance; NULL if none is near. */
MUS_API const char *mus_find_nearest_word(const char *word, const char *const *words);

/* Sets this thread's error record (printf style) and returns `status`: for callbacks that must report a failure. */
MUS_API mus_status mus_fail(mus_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* ---- Range ------------------------------------------------------------------------------------------------------
 *
 * Bounds of all input numbers: fields of definitions, files, arrays, snapshots, results of motions and hooks. A
 * number out of range is INVALID (FORMAT in a file); the message names the object, the field, the value and the
 * bound. */

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

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/* One function allocates (ptr NULL), resizes and frees (new_size 0, returns NULL), like Lua's. Blocks must be aligned
 * to 16 bytes. It must be set before the first allocation, and is process-wide. */
typedef void *(*mus_alloc_fn)(void *user, void *ptr, size_t old_size, size_t new_size);
MUS_API void mus_set_allocator(mus_alloc_fn alloc, void *user); /* NULL restores the C library's */
MUS_API size_t mus_get_allocated_bytes(void);                   /* live bytes handed out by the current allocator */
MUS_API uint64_t mus_get_allocation_count(void);                /* allocations and growing resizes since the start */

/* ---- Meshes ----------------------------------------------------------------------------------------------------- */

typedef struct mus_mesh mus_mesh;

/* A rigid placement: x -> rotation * x + position. `rotation` is a unit quaternion {w, x, y, z}. */
typedef struct mus_pose {
    double position[3];
    double rotation[4];
} mus_pose;
MUS_API mus_pose mus_pose_identity(void);

/* A vertex and the point that it is sewn to: (1 - along) x[onto[0]] + along x[onto[1]]. */
typedef struct mus_stitch {
    int32_t vertex;
    int32_t onto[2];
    double along; /* 0..1 */
} mus_stitch;

/* Triangle soup to copy into a mesh. Texture vertices are kept apart from vertices: uv_faces indexes uvs, as in OBJ. */
typedef struct mus_mesh_def {
    const double *vertices;  /* vertex_count x 3, m, finite */
    const int32_t *faces;    /* face_count x 3 */
    const double *uvs;       /* uv_count x 2 or NULL */
    const int32_t *uv_faces; /* face_count x 3 indices of uvs, NULL when uvs is NULL */
    int32_t vertex_count, face_count, uv_count;
    int32_t grid_nodes[2];      /* {nu, nv} when vertex i + j*nu is node (i, j) of a rectangular grid, else {0, 0} */
    const mus_stitch *stitches; /* stitch_count, or NULL: how panels of a pattern are sewn, for mus_seam_create */
    int32_t stitch_count;
} mus_mesh_def;

/* INVALID for indices out of range, non-finite vertices (the message names the vertex) and arrays of inconsistent
 * sizes. Topology is not checked here: see mus_mesh_check. */
MUS_API mus_status mus_mesh_create(const mus_mesh_def *def, mus_mesh **mesh);
MUS_API mus_status mus_mesh_copy(const mus_mesh *mesh, mus_mesh **copy);
MUS_API void mus_mesh_destroy(mus_mesh *mesh); /* NULL is allowed */

MUS_API int32_t mus_mesh_get_vertex_count(const mus_mesh *mesh);
MUS_API int32_t mus_mesh_get_face_count(const mus_mesh *mesh);
MUS_API int32_t mus_mesh_get_uv_count(const mus_mesh *mesh);
MUS_API double *mus_mesh_get_vertices(mus_mesh *mesh); /* writable; validated where they are used */
MUS_API const double *mus_mesh_get_vertices_const(const mus_mesh *mesh);
MUS_API const int32_t *mus_mesh_get_faces(const mus_mesh *mesh);
MUS_API const double *mus_mesh_get_uvs(const mus_mesh *mesh);         /* NULL without texture vertices */
MUS_API const int32_t *mus_mesh_get_uv_faces(const mus_mesh *mesh);   /* NULL without texture vertices */
MUS_API const int32_t *mus_mesh_get_grid_nodes(const mus_mesh *mesh); /* {nu, nv} or {0, 0} */
MUS_API const mus_stitch *mus_mesh_get_stitches(const mus_mesh *mesh, int32_t *count); /* NULL without any */

/* Counts of a mesh's topology. */
typedef struct mus_mesh_report {
    int32_t edges, boundary_edges, hinges, components, boundary_loops;
    int32_t unused_vertices;
    bool closed;     /* no boundary edge */
    bool orientable; /* adjacent faces traverse their common edge in opposite directions */
} mus_mesh_report;

/* Fills `report` (may be NULL). MUS_STATUS_TOPOLOGY, with the face's number (from 1) in the message, for a repeated
 * vertex in a face, a face of zero area, a repeated face, or an edge with more than two faces. */
MUS_API mus_status mus_mesh_check(const mus_mesh *mesh, mus_mesh_report *report);

/* Row-major 3x4: x -> A x + b. INVALID, with all vertices unchanged, if a vertex would be out of range. */
MUS_API mus_status mus_mesh_transform(mus_mesh *mesh, const double matrix[12]);
/* Each round splits every face into four at its edges' midpoints; old vertices keep their numbers, and stitches their
 * vertices (those between get none). rounds >= 0. */
MUS_API mus_status mus_mesh_subdivide(const mus_mesh *mesh, int32_t rounds, mus_mesh **out);
MUS_API double mus_mesh_get_area(const mus_mesh *mesh);

/* Generators. A plane or axis is one of "xy", "xz", "yz" / "x", "y", "z". */
typedef struct mus_grid_def {
    int32_t nodes[2];  /* nu, nv >= 2: nodes along the first and the second axis of the plane */
    double size[2];    /* m, > 0 */
    const char *plane; /* NULL is "xz" */
    double center[3];  /* m */
} mus_grid_def;
/* Vertex i + j*nu is node (i, j); quads are split along diagonals that alternate with i + j, the first from node (0,0)
 * to node (1,1). Carries the flat rest shape as uvs. */
MUS_API mus_status mus_mesh_create_grid(const mus_grid_def *def, mus_mesh **mesh);
MUS_API mus_status mus_mesh_create_disc(double radius, int32_t rings, const char *plane, const double center[3],
                                        mus_mesh **mesh);
MUS_API mus_status
mus_mesh_create_sphere(double radius, int32_t subdivisions, const double center[3],
                       mus_mesh **mesh); /* icosahedron, vertices projected: 20 * 4^subdivisions faces */
MUS_API mus_status mus_mesh_create_icosahedron(double radius, const double center[3], mus_mesh **mesh);
MUS_API mus_status mus_mesh_create_box(const double size[3], const double center[3],
                                       mus_mesh **mesh); /* 8 vertices, 12 faces */
/* Axis y, `length` between the cap centers, `segments` around, `rings` on each cap. */
MUS_API mus_status mus_mesh_create_capsule(double radius, double length, int32_t segments, int32_t rings,
                                           const double center[3], mus_mesh **mesh);
/* Surfaces of revolution. `edge_length` sets the number of segments of the widest circle, or `segments` the edge
 * length there; the number of vertices of every ring follows from its circumference and that length. Normals of
 * solids point outward. */
typedef struct mus_round_def {
    double radius;       /* m, > 0: of a cone its base, of a torus the circle in the middle of the tube */
    double length;       /* m, > 0: of cylinder, tube and cone, along the axis */
    double other_radius; /* m: cone: of the top, >= 0; torus: of the tube; annulus: of the hole; both > 0, < radius */
    int32_t segments;    /* 3 to 100000; unused where edge_length is given */
    double edge_length;  /* m, > 0; 0: by segments */
    const char *axis;    /* "x", "y" or "z", NULL is "y"; of an annulus its plane, NULL is "xz" */
    double center[3];    /* m: middle of the axis */
} mus_round_def;
MUS_API mus_status mus_mesh_create_cylinder(const mus_round_def *def, mus_mesh **mesh); /* closed, with flat caps */
/* Open, without caps; carries the flat rest shape as uvs: unrolled as seen from outside, cut at the first segment. */
MUS_API mus_status mus_mesh_create_tube(const mus_round_def *def, mus_mesh **mesh);
/* The base lies at the lower end of the axis; capped: closed by flat caps, else open (a skirt). */
MUS_API mus_status mus_mesh_create_cone(const mus_round_def *def, bool capped, mus_mesh **mesh);
MUS_API mus_status mus_mesh_create_torus(const mus_round_def *def, mus_mesh **mesh);
/* A flat sheet; carries the flat rest shape as uvs. */
MUS_API mus_status mus_mesh_create_annulus(const mus_round_def *def, mus_mesh **mesh);

/* A flat sheet of a simple polygon with holes, meshed by constrained Delaunay triangulation: outlines are divided into
 * edges of about edge_length, the interior has vertices of a hexagonal lattice. Outlines may run either way, and
 * neither cross nor touch themselves or each other. Vertices: the given points in their order, those that divide sides,
 * the interior. Carries the flat rest shape as uvs. */
typedef struct mus_polygon_def {
    const double *points;  /* m, outline after outline, 2 a point, in the plane's axes */
    const int32_t *counts; /* points of each outline, >= 3; the first is the outer one, others are holes */
    int32_t outline_count; /* >= 1 */
    double edge_length;    /* m, > 0 */
    const char *plane;     /* NULL is "xz" */
    double center[3];      /* m: where the outline's origin lies */
} mus_polygon_def;
MUS_API mus_status mus_mesh_create_polygon(const mus_polygon_def *def, mus_mesh **mesh);

/* ---- Files ------------------------------------------------------------------------------------------------------ */

typedef struct mus_load_options {
    double scale;   /* multiplies coordinates; 1 */
    const char *up; /* "y" (default) or "z": "z" maps (x, y, z) to (x, z, -y) */
} mus_load_options;

/* For hosts that check a path before use, so that a folder replaced by a link in between has no effect. The next
 * file that this thread reads under exactly this path is the open file `fd`; with `is_folder`, the next file that it
 * writes under this path is created in the open folder `fd`, under the last component of the path. `fd` is always
 * closed: after that use, at the next call, or at once on failure. A NULL path registers nothing. NO_MEMORY. */
MUS_API mus_status mus_file_set_descriptor(const char *path, int fd, bool is_folder);

/* OBJ, PLY (ascii, binary little and big endian) or STL (ascii, binary) by the file's extension. Vertex order is
 * kept; polygons are triangulated as fans from their first vertex; equal corners of an STL are merged and numbered
 * in order of first occurrence. Lines `stitch i j k r` of an OBJ (indices from 0) become the mesh's stitches: vertex
 * i to (1-r) j + r k. NOT_FOUND, IO or FORMAT with file, line (or byte) and reason. `options` may be NULL. */
MUS_API mus_status mus_mesh_load(const char *path, const mus_load_options *options, mus_mesh **mesh);
MUS_API mus_status mus_mesh_save(const mus_mesh *mesh, const char *path); /* temporary name, then renamed */

/* One named part of a frame file. `name` is "cloth:NAME" or "obstacle:NAME". */
typedef struct mus_part {
    const char *name;
    const double *vertices;
    const int32_t *faces;
    int32_t vertex_count, face_count;
} mus_part;
/* Writes parts to an .obj, .ply, .stl, .vtp or .usda (by extension; PLY and STL hold one joined mesh, VTP one with the
 * number of each face's part, from 0, as the cell array `part`, and the parts' names as the field array `names`), 17
 * significant digits in text, under a temporary name that is then renamed. */
MUS_API mus_status mus_parts_save(const mus_part *parts, int32_t count, const char *path);

typedef struct mus_parts mus_parts;                                     /* parts read from a file, with their storage */
MUS_API mus_status mus_parts_load(const char *path, mus_parts **parts); /* an OBJ's `o` groups; one part otherwise */
MUS_API const mus_part *mus_parts_get_all(const mus_parts *parts, int32_t *count);
MUS_API void mus_parts_destroy(mus_parts *parts);

/* An animated point cache (PC2: float32 positions, constant vertex count). */
typedef struct mus_point_cache {
    double *positions; /* frame_count x vertex_count x 3 */
    int32_t vertex_count, frame_count;
    double start_frame, sample_rate; /* as stored in the file */
} mus_point_cache;
MUS_API mus_status mus_point_cache_load(const char *path, mus_point_cache *cache);
/* Scales and rotates all frames as mus_mesh_load does for a mesh; `options` may be NULL. INVALID leaves them
 * unchanged, unless `scale` takes a coordinate out of range. */
MUS_API mus_status mus_point_cache_transform(mus_point_cache *cache, const mus_load_options *options);
MUS_API mus_status mus_point_cache_save(const mus_point_cache *cache, const char *path);
MUS_API void mus_point_cache_destroy(mus_point_cache *cache);

/* ---- Materials -------------------------------------------------------------------------------------------------- */

/* Models of stretching and bending. SPRINGS run along the edges of the mesh, with hinges between its faces;
 * MASS_SPRING and CHOI_KO are networks of springs alone. The others are membranes of triangles of constant strain,
 * with a warp direction: that of increasing u where the mesh has texture vertices, else the x axis of the rest shape
 * (z for a face perpendicular to x). */
typedef enum mus_material_model {
    MUS_MODEL_SPRINGS,
    MUS_MODEL_STVK,        /* orthotropic St. Venant-Kirchhoff */
    MUS_MODEL_NEO_HOOKEAN, /* stable neo-Hookean (Smith, de Goes & Kim 2018) and fibers along warp and weft */
    MUS_MODEL_MEASURED,    /* a mus_fabric: stiffness as a function of strain and curvature */
    MUS_MODEL_MASS_SPRING, /* Provot 1995: structural, shear and bend springs, and no hinges */
    MUS_MODEL_CHOI_KO,     /* Choi & Ko 2002, JUN eq. 4.5-4.9: springs in tension only, buckling spans */
    /* Bigliani & Eischen's network of square elements, of a grid mesh: stretch_warp, stretch_weft and stretch_shear
     * (N/m, modulus times thickness), bending_warp and bending_weft (N m, modulus times its cube by 12). No
     * resistance to twist, no Poisson effect between warp and weft. */
    MUS_MODEL_SQUARE_NETWORK,
    MUS_MODEL_COUNT
} mus_material_model;
MUS_API const char *mus_material_model_get_name(mus_material_model model); /* "springs", "stvk", … */

typedef struct mus_material {
    char name[32];
    double density; /* kg/m^2, > 0 */
    double stretch; /* N/m, structural springs */
    double shear;   /* N/m, diagonal springs */
    double bend; /* N/m, springs to every second node (across a hinge on a free mesh); 0: none, or with MASS_SPRING the
                    springs equivalent to `bending` */
    double bending;         /* N m, bending of hinges (Grinspun et al. 2003), of the spans of CHOI_KO; 0: none */
    double buckling;        /* N/m, ramp cb up to the buckling load of CHOI_KO; < 0: the same as `stretch` */
    double compression;     /* stretch and shear stiffness in compression, as a share of that in tension, 0..1 */
    double damping;         /* s, damping as a multiple of the stiffness, of the rate of length or of strain only */
    double bending_damping; /* s, the same for the rate of bending; rigid motion is not damped */
    double viscous_damping; /* 1/s, friction against the world at rest: force -viscous_damping m v; 0: none. Per step
                               of dt the share kd = viscous_damping dt of the velocity, AAB eq. 3 */
    double drag;            /* air drag coefficient c of AAB eq. 4 */
    double strain_limit; /* largest strain of an edge, 0.1 is 10 %; 0: no limit. Edges over 0.95 of it are projected to
                            0.95 of it, so that the error left by a sweep stays within the limit */
    mus_material_model model;
    /* Of membranes, N/m (tension of a strip per width and strain): tension in warp = stretch_warp e_warp +
     * stretch_poisson e_weft, in weft likewise, shear force = stretch_shear times the angle. Springs ignore them. */
    double stretch_warp, stretch_weft, stretch_poisson, stretch_shear;
    /* Of membranes, N/m: added stiffness above the strain limit, in place of the projection of edges; 0: projection. */
    double limit_stiffness;
    double warp_angle; /* rad, rotates the warp from its default direction toward the weft */
    /* Of membranes, N m: bending of strips along the warp, the weft and between them; < 0: the same as `bending`. */
    double bending_warp, bending_weft, bending_bias;
    int32_t fabric;         /* of the model MEASURED: index for mus_fabric_get */
    bool bending_quadratic; /* membranes: the quadratic model (Bergou et al. 2006), for flat rest shapes */
} mus_material;

/* A fabric as measured by Wang, O'Brien & Ramamoorthi 2011, "Data-driven elastic models for cloth". */
typedef struct mus_fabric {
    const char *name; /* also of the material preset */
    double density;   /* kg/m^2 */
    /* N/m: c11 (warp), c12, c22 (weft), c33 in tension = c times Green strain (c33: off-diagonal). First at rest,
     * then at strain 1/6 in directions 0, 22.5, 45, 67.5 and 90 degrees from the warp. */
    double stretch[6][4];
    /* N m: stiffness k of a hinge of energy k length^2 angle^2 / (8 area) whose crease lies 0, 45 and 90 degrees from
     * the warp, at curvatures 0, 10, 20, 30 and 40 1/m. A plate of rigidity k/4. */
    double bending[3][5];
} mus_fabric;
MUS_API int32_t mus_fabric_get_count(void);
MUS_API const mus_fabric *mus_fabric_get(int32_t index); /* NULL out of range */

MUS_API mus_material mus_material_default(void); /* "cotton" */
MUS_API int32_t mus_material_get_preset_count(void);
MUS_API const mus_material *mus_material_get_preset(int32_t index); /* NULL out of range */
/* NOT_FOUND names the nearest preset. */
MUS_API mus_status mus_material_find(const char *name, mus_material *material);
MUS_API mus_status mus_material_check(const mus_material *material);

/* ---- Stages and pipelines --------------------------------------------------------------------------------------- */

typedef enum mus_stage_kind {
    MUS_STAGE_INTEGRATOR,
    MUS_STAGE_BROAD,
    MUS_STAGE_NARROW,
    MUS_STAGE_RESPONSE,
    MUS_STAGE_FAILSAFE,
    MUS_STAGE_STRAIN,
    MUS_STAGE_INTERNAL, /* the model of every cloth whose material has the model SPRINGS; NULL: the material's own */
    MUS_STAGE_KIND_COUNT
} mus_stage_kind;

typedef struct mus_stage_info {
    mus_stage_kind kind;
    const char *name;
    const char *doc;      /* one line */
    const char *citation; /* paper and equation, or "" */
} mus_stage_info;

MUS_API const char *mus_stage_kind_get_name(mus_stage_kind kind); /* "integrator", "broad", … */
MUS_API int32_t mus_stage_get_count(void);
MUS_API const mus_stage_info *mus_stage_get(int32_t index); /* NULL out of range */

/* Names of stages; NULL: the stage of the default pipeline ("robust"). Stages of the impulse and of the potential
 * family cannot be combined: with response "ogc", integrator, failsafe and strain must be named too. */
typedef struct mus_pipeline {
    const char *integrator;
    const char *broad;
    const char *narrow;
    const char *response;
    const char *failsafe;
    const char *strain;
    const char *internal;
} mus_pipeline;
MUS_API mus_pipeline mus_pipeline_default(void);

/* ---- Worlds ----------------------------------------------------------------------------------------------------- */

typedef struct mus_world mus_world;
typedef struct mus_program mus_program; /* a traced function: below */

typedef struct mus_cloth_id {
    uint32_t index, generation;
} mus_cloth_id;
typedef struct mus_obstacle_id {
    uint32_t index, generation;
} mus_obstacle_id;
typedef struct mus_response_id {
    uint32_t index, generation;
} mus_response_id;
typedef struct mus_seam_id {
    uint32_t index, generation;
} mus_seam_id;

/* Treatment of cloth that overlaps itself, other cloth or obstacles before the first step. */
typedef enum mus_overlap {
    MUS_OVERLAP_REFUSE, /* the world does not start: OVERLAP names all pairs of objects and how many features */
    MUS_OVERLAP_REPAIR, /* cloth is moved apart and out until the auditor finds no overlap; OVERLAP when that fails */
    /* Overlap exemption: a feature on the wrong side of another surface, or inside, does not collide with it until
     * it has separated; all other features do. The auditor counts exempt overlaps separately. */
    MUS_OVERLAP_ALLOW,
    MUS_OVERLAP_COUNT
} mus_overlap;
MUS_API const char *mus_overlap_get_name(mus_overlap overlap); /* "refuse", "repair", "allow" */

struct mus_program; /* a traced function, see below */

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
    struct mus_program *place;
} mus_tolerance;

/* Definitions carry a cookie: start from the _default() function, else they are INVALID as uninitialized. */
typedef struct mus_world_def {
    uint32_t cookie;
    double dt;             /* s, longest step, > 0; 1/240 */
    double dt_min, dt_max; /* s; 0, or bounds of the adaptive time step, see mus_world_get_step_size */
    double fps;            /* frames a second, > 0; 60 */
    double duration;       /* s, what a host plays by default, >= 0; 5 */
    double gravity[3];     /* m/s^2; {0, -9.81, 0} */
    double air_density;    /* kg/m^3, >= 0; 1.2 */
    double wind[3];        /* m/s */
    mus_pipeline pipeline;
    mus_tolerance tolerance; /* 0 */
    int32_t threads;         /* 0: as many as the machine has; results are independent of it */
    mus_overlap overlap;     /* of overlaps before the first step; REFUSE */
    uint64_t seed;           /* of the world's random stream; 1 */
} mus_world_def;

MUS_API mus_world_def mus_world_def_default(void);
MUS_API mus_status mus_world_create(const mus_world_def *def, mus_world **world);
MUS_API void mus_world_destroy(mus_world *world); /* NULL is allowed */
MUS_API const mus_world_def *mus_world_get_def(const mus_world *world);
MUS_API mus_status mus_world_set_gravity(mus_world *world, const double gravity[3]);
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
MUS_API int32_t mus_world_get_steps_per_frame(const mus_world *world);
MUS_API bool mus_world_is_locked(const mus_world *world);
MUS_API double mus_world_next_random(mus_world *world); /* [0, 1), from the world's seeded stream */

/* A callback fails by returning a status other than OK (and sets the message with mus_fail); the step is then
 * undone. */
typedef struct mus_callbacks {
    void *user;
    mus_status (*before_step)(mus_world *world, double t, void *user); /* t: start of the step */
    mus_status (*forces)(mus_world *world, double t, void *user); /* add to mus_cloth_get_forces (N), zeroed before */
    /* Predicted positions, before collisions are handled; writable. t: the time of these positions. */
    mus_status (*candidate)(mus_world *world, double t, void *user);
    mus_status (*contacts)(mus_world *world, double t, void *user);   /* mus_world_get_contacts is filled */
    mus_status (*after_step)(mus_world *world, double t, void *user); /* t: end of the step; not yet committed */
    bool (*cancelled)(void *user);                                    /* polled within a step; true undoes it */
} mus_callbacks;
MUS_API void mus_world_set_callbacks(mus_world *world, const mus_callbacks *callbacks); /* NULL clears */

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
 * is less (cloth that is inside an obstacle by less than 1e-4 m is moved out). */
typedef struct mus_start_report {
    int64_t crossings; /* pairs of faces that crossed */
    int64_t inside;    /* cloth vertices and faces inside obstacles */
    int64_t touches;   /* pairs without a gap */
    int32_t moved;     /* vertices that were moved */
    int32_t rounds;    /* of the separation; 0: none was needed */
    double largest;    /* m: largest displacement of a vertex */
    int32_t allowed;   /* connected regions of cloth with an overlap exemption; see mus_stats.allowed */
} mus_start_report;
MUS_API void mus_world_get_start_report(const mus_world *world, mus_start_report *report);
/* A hash of time, positions and velocities of every cloth: equal states, equal hashes on every machine. */
MUS_API uint64_t mus_world_get_hash(const mus_world *world);

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
MUS_API const char *mus_phase_get_name(mus_phase phase);

/* Of the last committed step; times are wall-clock. */
typedef struct mus_stats {
    double phase_ms[MUS_PHASE_COUNT];
    double step_ms;
    double dt;          /* s: its length */
    int64_t candidates; /* elementary pairs kept by the broad phase */
    int64_t contacts;   /* pairs closer than their thickness, or that would have crossed */
    int64_t ccd_tests;  /* continuous tests beyond the cached-axis filter */
    int64_t ccd_hits;
    int32_t ccd_passes;
    int32_t zones, zone_vertices;
    int32_t substeps;      /* 1, or more where the step was split */
    int32_t iterations;    /* of the linear solver */
    int32_t allowed;       /* connected regions of cloth that still have an overlap exemption */
    double residual;       /* of the linear solver, relative; of potential pipelines: residual acceleration, m/s^2 */
    double max_strain;     /* of an edge, at the step's end */
    double kinetic_energy; /* J */
    double contact_energy; /* J, at the middle of the step, of the contact energies of potential pipelines, else 0 */
    int64_t unresolved;    /* colliding pairs left in the committed step: classic pipelines only */
    int64_t culled;        /* pairs of faces ruled out by normal cones: of the two broad phases with them only */
    int64_t box_tests; /* pairs of boxes compared by the broad phase; 0 of box_tree, which compares several at once */
} mus_stats;
MUS_API void mus_world_get_stats(const mus_world *world, mus_stats *stats);

/* J, of all cloths and rigid bodies together after the last step. Velocities belong to the middle of the step, so
 * the other energies are evaluated there as well, at the midpoint of each vertex's displacement: the total energy of
 * a free fall is constant, and so is that of an object at rest or bouncing. `total` is the sum of the others; in a
 * world without wind, hooks, friction, moved obstacles, moved pins and pulls it changes only by the error of the
 * method. */
typedef struct mus_energy {
    double kinetic;       /* sum of m v^2/2, and `rotational` */
    double rotational;    /* part of it: w.I w/2 of rigid bodies about their centers of mass */
    double elastic;       /* of springs or membranes, hinges or plates, seams */
    double gravitational; /* -sum of m g.x, 0 at the origin */
    double contact;       /* mus_stats.contact_energy */
    double total;
} mus_energy;
/* LOCKED within a step, whose energies are not known yet. */
MUS_API mus_status mus_world_get_energy(mus_world *world, mus_energy *energy);

/* ---- Cloth ------------------------------------------------------------------------------------------------------ */

typedef struct mus_cloth_def {
    uint32_t cookie;
    const char *name; /* unique in the world; NULL: "cloth1", "cloth2", … */
    /* Start shape; must pass mus_mesh_check. A mesh of 1000 vertices or more whose numbering puts neighbors far
     * apart in memory is solved in another order, at the cost of memory; the API and all messages keep the mesh's
     * numbers. */
    const mus_mesh *mesh;
    const mus_mesh *rest; /* rest shape with the same faces; NULL: the start shape */
    bool rest_from_uv;    /* rest lengths from the mesh's texture vertices (m) instead */
    mus_material material;
    double thickness;    /* m, > 0, less than the diagonal of the box around the mesh or `rest`: least distance of
                            mid-surfaces; 1e-3. Of neighbors: 0.6 of their distance at rest, if less */
    double friction;     /* Coulomb coefficient, >= 0; 0.3 */
    double restitution;  /* 0..1; 0 */
    double velocity[3];  /* m/s, of every vertex at the start */
    bool self_collision; /* true */
} mus_cloth_def;

MUS_API mus_cloth_def mus_cloth_def_default(void);
MUS_API mus_status mus_cloth_create(mus_world *world, const mus_cloth_def *def, mus_cloth_id *id);
MUS_API mus_status mus_cloth_destroy(mus_world *world, mus_cloth_id id);
MUS_API bool mus_cloth_is_valid(const mus_world *world, mus_cloth_id id);
MUS_API int32_t mus_world_get_cloth_count(const mus_world *world);
MUS_API mus_cloth_id mus_world_get_cloth(const mus_world *world,
                                         int32_t k); /* k-th living cloth, in order of creation */

/* The following return NULL or 0 for a stale handle (with the error record set). Arrays stay valid until the cloth is
 * removed; lengths never change. */
MUS_API const char *mus_cloth_get_name(const mus_world *world, mus_cloth_id id);
MUS_API int32_t mus_cloth_get_vertex_count(const mus_world *world, mus_cloth_id id);
MUS_API int32_t mus_cloth_get_face_count(const mus_world *world, mus_cloth_id id);
MUS_API int32_t mus_cloth_get_edge_count(const mus_world *world, mus_cloth_id id);
MUS_API const int32_t *mus_cloth_get_faces(const mus_world *world, mus_cloth_id id);
MUS_API const int32_t *mus_cloth_get_grid_nodes(const mus_world *world,
                                                mus_cloth_id id);                    /* {nu, nv} of a grid or {0, 0} */
MUS_API const int32_t *mus_cloth_get_edges(const mus_world *world, mus_cloth_id id); /* edge_count x 2 */
MUS_API const double *mus_cloth_get_rest_lengths(const mus_world *world, mus_cloth_id id); /* m, one an edge */
MUS_API double *mus_cloth_get_positions(mus_world *world, mus_cloth_id id);                /* m */
/* m/s, staggered: after a step they are its mean velocities (x1 = x0 + h v) and belong to its middle; before the
 * first step, and with the integrator "rk4", they belong to the present time. */
MUS_API double *mus_cloth_get_velocities(mus_world *world, mus_cloth_id id);
MUS_API double *mus_cloth_get_forces(mus_world *world, mus_cloth_id id);             /* N, external */
MUS_API const double *mus_cloth_get_masses(const mus_world *world, mus_cloth_id id); /* kg, of the free vertex */
MUS_API const double *mus_cloth_get_inverse_masses(const mus_world *world, mus_cloth_id id); /* 1/kg, 0 where pinned */
/* Area-weighted unit vertex normals of the current positions, computed at the call; also NULL when memory ran out. */
MUS_API const double *mus_cloth_get_normals(mus_world *world, mus_cloth_id id);
MUS_API mus_status mus_cloth_get_material(const mus_world *world, mus_cloth_id id, mus_material *material);
MUS_API mus_status mus_cloth_get_surface(const mus_world *world, mus_cloth_id id, double *thickness, double *friction,
                                         double *restitution);
/* Must be called after positions were written from outside a step (the views of Lua do): the next step validates. */
MUS_API mus_status mus_cloth_mark_positions_changed(mus_world *world, mus_cloth_id id);

/* Pins fix vertices (indices from 0) at their present places, to an obstacle (at their present places in its frame),
 * or to a path. */
MUS_API mus_status mus_cloth_pin(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count);
MUS_API mus_status mus_cloth_pin_to_obstacle(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                             mus_obstacle_id obstacle);
/* Writes the place at time t to `position` (on entry the vertex's place when it was pinned). `user` must live as
 * long as the world. */
typedef mus_status (*mus_pin_path_fn)(void *user, double t, int32_t vertex, double position[3]);
MUS_API mus_status mus_cloth_pin_to_path(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                         mus_pin_path_fn path, void *user);
/* The pulling constraint of the integrator "position_based" (Kusupati & Singh 2019, 2.1; INVALID under any other):
 * vertices stay free and are pulled to the place where a pin would fix them, by a spring of rest length 0 that is
 * projected with the stretch and bend constraints. The first projection of a step moves a vertex of mass m without
 * other constraints by the fraction s/(1 + s) of its distance, s = stiffness dt^2/m, the weight of plain
 * position-based dynamics. */
typedef struct mus_pull_def {
    double stiffness;          /* N/m, > 0 */
    const mus_obstacle_id *to; /* the place is fixed to it; NULL */
    mus_pin_path_fn path;      /* or the place at time t, with `user`; NULL. Both NULL: the vertices' present places */
    void *user;
} mus_pull_def;
MUS_API mus_status mus_cloth_pull(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                  const mus_pull_def *def);
/* N/m; 0: it is not pulled. A pulled vertex is not pinned. */
MUS_API double mus_cloth_get_pull_stiffness(const mus_world *world, mus_cloth_id id, int32_t vertex);
/* Removes pins and pulls; vertices NULL: all. Vertices without either are skipped. */
MUS_API mus_status mus_cloth_unpin(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count);
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
    double max, mean, median;
    int32_t max_edge;
} mus_strain;
MUS_API mus_status mus_cloth_get_strain(const mus_world *world, mus_cloth_id id, mus_strain *strain);

/* ---- Seams ------------------------------------------------------------------------------------------------------ */

/* Stitches that close and then stay closed. A stitch joins a vertex to a vertex or to a point of an edge: its
 * tension is the stiffness times the elongation beyond its length, at most its strength, and never negative. Its
 * length decreases linearly from the distance at which it was made to `width`, over closing_time or at `speed`, and
 * then stays constant. Forces are equal and opposite. Sewn partners are neighbors: contacts keep them apart by 0.6
 * of their distance through the seam, not by the whole thickness; the guarantee against intersections applies as for
 * all cloth. */
typedef struct mus_seam_def {
    uint32_t cookie;
    mus_cloth_id a, b;          /* a has the vertices, b what they are sewn to; may be the same */
    const mus_stitch *stitches; /* count >= 1; copied */
    int32_t count;
    double closing_time; /* s, >= 0; 0.5. 0: `speed` applies */
    double speed;        /* m/s, >= 0; 0 */
    double stiffness;    /* N/m a stitch, > 0; < 0: four times the `stretch` of the stiffer material */
    double strength;     /* N, > 0: largest tension of a stitch; INFINITY */
    double damping; /* s, as a multiple of the stiffness, while a stitch is taut; < 0: the larger of the materials' */
    double width;   /* m, > 0: final length; < 0: the mean of both thicknesses */
} mus_seam_def;

MUS_API mus_seam_def mus_seam_def_default(void);
/* INVALID for a vertex that does not exist, one that is sewn to itself, and values out of range; LOCKED within a
 * step. */
MUS_API mus_status mus_seam_create(mus_world *world, const mus_seam_def *def, mus_seam_id *id);
/* Removes a seam; its handle becomes stale (until a snapshot that contains it is restored). LOCKED within a step.
 * Removing either of its cloths removes a seam too. */
MUS_API mus_status mus_seam_destroy(mus_world *world, mus_seam_id id);
MUS_API bool mus_seam_is_valid(const mus_world *world, mus_seam_id id);
MUS_API int32_t mus_world_get_seam_count(const mus_world *world); /* without removed ones */
MUS_API mus_seam_id mus_world_get_seam(const mus_world *world, int32_t k);

typedef struct mus_seam_state {
    int32_t count;  /* of stitches */
    double largest; /* m: the widest distance of a stitch's ends */
    double mean;    /* m */
    double pull;    /* N: the largest tension */
    double width;   /* m, final length of the stitches */
    bool closing;   /* some stitches are still being shortened */
    mus_cloth_id a, b;
} mus_seam_state;
MUS_API mus_status mus_seam_get_state(const mus_world *world, mus_seam_id id, mus_seam_state *state);

/* Stitches (count_a of them) from the vertices of line a to the points of line b at the same fraction of the line's
 * length at rest. Lines run along edges, both in the same direction of the seam; INVALID names two vertices that no
 * edge joins. */
MUS_API mus_status mus_seam_match_lines(const mus_world *world, mus_cloth_id a, const int32_t *line_a, int32_t count_a,
                                        mus_cloth_id b, const int32_t *line_b, int32_t count_b, mus_stitch *stitches);

/* ---- Obstacles -------------------------------------------------------------------------------------------------- */

typedef enum mus_shape {
    MUS_SHAPE_MESH,
    MUS_SHAPE_PLANE,  /* half space below a plane through the pose's position */
    MUS_SHAPE_SPHERE, /* exact */
    MUS_SHAPE_BOX,
    MUS_SHAPE_CAPSULE, /* axis y of the pose, exact */
    MUS_SHAPE_CYLINDER /* axis y of the pose, flat ends, exact; not dynamic */
} mus_shape;

typedef struct mus_obstacle_def {
    uint32_t cookie;
    const char *name; /* NULL: "obstacle1", … */
    mus_shape shape;
    const mus_mesh *mesh; /* MESH: in the pose's frame */
    double radius;        /* SPHERE, CAPSULE, CYLINDER: m, > 0 */
    double length;        /* CAPSULE: m between cap centers, CYLINDER: between its flat ends, > 0 */
    double size[3];       /* BOX: m, > 0 */
    double normal[3];     /* PLANE: out of the solid, in the pose's frame, not zero */
    mus_pose pose;
    double thickness; /* m, >= 0; 0 */
    /* Coefficients of a pair, unless set by mus_world_set_coefficient: */
    double friction;    /* >= 0; 0.3; the geometric mean of its sides' */
    double restitution; /* 0..1; 0; the larger of its sides' */
    /* A rigid body, moved by gravity and contacts. Not a PLANE; a MESH must be closed. Center of mass and inertia
     * are those of uniform density. `thickness` 0: a thousandth of its size. In all pipelines except those with the
     * fail-safe "inelastic_zones". */
    bool dynamic;
    double mass;                /* kg: > 0 when dynamic, else 0 */
    double velocity[3];         /* dynamic: m/s, of the center of mass */
    double angular_velocity[3]; /* dynamic: rad/s, along the world's axes */
    /* Dynamic, in the pose's frame, in place of those of uniform density: the inertia tensor about the center of
     * mass (kg m^2, symmetric, with positive principal moments, none larger than the sum of the others), and the
     * center of mass (m). With both a MESH may be open. */
    bool has_inertia, has_center_of_mass;
    double inertia[3][3], center_of_mass[3];
} mus_obstacle_def;

MUS_API mus_obstacle_def mus_obstacle_def_default(void);
MUS_API mus_status mus_obstacle_create(mus_world *world, const mus_obstacle_def *def, mus_obstacle_id *id);
MUS_API mus_status mus_obstacle_destroy(mus_world *world, mus_obstacle_id id);
MUS_API bool mus_obstacle_is_valid(const mus_world *world, mus_obstacle_id id);
MUS_API int32_t mus_world_get_obstacle_count(const mus_world *world);
MUS_API mus_obstacle_id mus_world_get_obstacle(const mus_world *world, int32_t k);
MUS_API const char *mus_obstacle_get_name(const mus_world *world, mus_obstacle_id id);
MUS_API mus_status mus_obstacle_get_pose(const mus_world *world, mus_obstacle_id id, mus_pose *pose);
/* The definition without its pointers: shape, sizes, surface. */
MUS_API mus_status mus_obstacle_get_def(const mus_world *world, mus_obstacle_id id, mus_obstacle_def *def);

/* Present motion of a rigid body. Velocities are those of the middle of the last step, as for cloth. */
typedef struct mus_rigid_body_motion {
    double mass;                /* kg */
    double center[3];           /* m: center of mass, in the world */
    double velocity[3];         /* m/s, of the center of mass */
    double angular_velocity[3]; /* rad/s */
    double angular_momentum[3]; /* kg m^2/s about the center of mass */
    double inertia[3][3];       /* kg m^2 about the center of mass, along the world's axes, in its present rotation */
} mus_rigid_body_motion;
/* INVALID unless dynamic, as for the next two functions; hooks may call these too, and a step that fails undoes
 * their effect. */
MUS_API mus_status mus_obstacle_get_rigid_body(const mus_world *world, mus_obstacle_id id,
                                               mus_rigid_body_motion *motion);
/* NULL: unchanged. */
MUS_API mus_status mus_obstacle_set_velocity(mus_world *world, mus_obstacle_id id, const double velocity[3],
                                             const double angular_velocity[3]);
/* N s, at a point of the world (m; NULL: at the center of mass). */
MUS_API mus_status mus_obstacle_apply_impulse(mus_world *world, mus_obstacle_id id, const double impulse[3],
                                              const double at[3]);

/* Scripted motion: writes the pose at time t to `pose` (on entry the pose at rest). Its value at the world's present
 * time must be the present pose within 1e-9 m, else INVALID. motion NULL: fixed again, at its present pose. Not for
 * rigid bodies. */
typedef mus_status (*mus_motion_fn)(void *user, double t, mus_pose *pose);
MUS_API mus_status mus_obstacle_set_motion(mus_world *world, mus_obstacle_id id, mus_motion_fn motion, void *user);
/* Vertices that follow the frames of a cache. Positions between frames are interpolated linearly; a step that
 * contains a frame time moves on a straight line from its start to its end. */
typedef struct mus_animation {
    const mus_point_cache *cache; /* in the pose's frame; copied */
    double interval;              /* s between frames, > 0 */
    double start; /* s, world time of the first frame, which is shown before it too. May be in the past */
    bool loop;    /* repeats: the first frame again `interval` after the last; false: stays at the last frame */
} mus_animation;
/* MESH only, with as many vertices as the cache. Scripted: contacts do not affect it, and continuous collision
 * detection uses the motion of every vertex. Replaces an earlier animation; the mesh takes the positions of the
 * present time at once. */
MUS_API mus_status mus_obstacle_set_animation(mus_world *world, mus_obstacle_id id, const mus_animation *animation);
/* The same from the world's present time on, without repetition. */
MUS_API mus_status mus_obstacle_set_frames(mus_world *world, mus_obstacle_id id, const mus_point_cache *cache,
                                           double interval);
/* The obstacle as triangles at its present place: a PLANE as a quad, SPHERE and CAPSULE as fine inscribed meshes. Valid
 * until the next call for it, the next step, or its removal. NULL for a stale handle. */
MUS_API const mus_mesh *mus_obstacle_get_surface_mesh(mus_world *world, mus_obstacle_id id);

/* Objects (cloth or obstacle, by name) that do not collide with each other. The same name twice: no self-collision. */
MUS_API mus_status mus_world_ignore_pair(mus_world *world, const char *a, const char *b);
/* Treatment of overlaps of these two before the first step, in place of that of mus_world_def; the same name twice:
 * self-overlap of the cloth. The last setting for a pair counts. NOT_FOUND for a name that no object has, INVALID
 * for a value that is no mus_overlap or a world that has made its first step. */
MUS_API mus_status mus_world_set_overlap(mus_world *world, const char *a, const char *b, mus_overlap overlap);

/* ---- Contacts and response -------------------------------------------------------------------------------------- */

typedef enum mus_pair_kind {
    MUS_PAIR_VERTEX_FACE, /* a vertex of side 1 and a face of side 2, or the other way round: see `weights` */
    MUS_PAIR_EDGE_EDGE,
    MUS_PAIR_VERTEX_PLANE
} mus_pair_kind;

/* One elementary contact. Side 1 is cloth; side 2 cloth or obstacle. */
typedef struct mus_contact {
    mus_pair_kind kind;
    int32_t
        object[2]; /* index in mus_world_get_cloth, or -1-k for mus_world_get_obstacle k; side 1 is cloth if any is */
    int32_t vertices[4];  /* of their objects, vertex–face: v f0 f1 f2; edge–edge: a0 a1 b0 b1; -1: unused */
    int8_t side[4];       /* 0: side 1, 1: side 2 */
    double weights[4];    /* barycentric, > 0 on side 1, < 0 on side 2; each side sums to 1 in magnitude */
    double point[2][3];   /* m, nearest points on the sides */
    double normal[3];     /* unit, from side 2 to side 1 */
    double velocity[3];   /* m/s, v1 - v2 at the points */
    double distance, gap; /* m; gap = distance - thickness */
    double start_gap;     /* m: gap at the start of the step */
    double mass;          /* kg, 1/sum(w^2/m) over both sides; obstacles that are not dynamic have infinite mass */
    double friction, restitution;
    double dt, toi, time; /* s; toi: within the step, 0 for proximity */
    double impulse[3];    /* N s, total impulse of the step on side 1 */
} mus_contact;

/* The contacts of the present step (within callbacks) or the last one; none after a step that failed. Owned by the
 * world, valid until the next step. NULL (with a count of 0) before the first step, or when memory ran out. */
MUS_API const mus_contact *mus_world_get_contacts(const mus_world *world, int64_t *count);

/* A response rule: writes impulse[0] (N s on side 1, at its nearest point) and may write impulse[1] (on side 2,
 * preset to NAN, which stands for minus the first). */
typedef mus_status (*mus_rule_fn)(void *user, const mus_contact *contact, double impulse[2][3]);

typedef struct mus_response_def {
    uint32_t cookie;
    const char *name; /* for statistics and messages; NULL: the rule's */
    const char *rule; /* a response stage's name; NULL with `callback` */
    mus_rule_fn
        callback; /* NULL with `rule`; mus_program_evaluate_rule with a program as `user`, which the world references */
    void *user;
    /* The callback is called for each cloth vertex of a contact that can move: `velocity` of the contact is then
     * that of the vertex, in the frame of Provot 1997, eq. 4 (of the center of mass of the vertices involved; of an
     * obstacle's surface; a rigid body is one of the vertices, with its effective mass there), `mass` its mass and
     * `normal` that of the face, or across both edges, at the start of the step. It writes the new velocity of the
     * vertex in that frame, m/s, to impulse[0]. Of a program the kind decides. */
    bool per_node;
    double friction;        /* < 0: the pair's own */
    double restitution;     /* < 0: the pair's own */
    const char *between[2]; /* object names; NULL: any. {"a", NULL}: a against anything */
    const char *failsafe;   /* NULL: the pipeline's */
} mus_response_def;

MUS_API mus_response_def mus_response_def_default(void);
/* The last response added that matches a pair applies to it; the pipeline's own rule where none matches. The
 * fail-safe runs after every rule, so no rule can cause an intersection (in a pipeline with the guarantee).
 * NOT_FOUND for a name in `between` that no object has. */
MUS_API mus_status mus_response_create(mus_world *world, const mus_response_def *def, mus_response_id *id);
MUS_API mus_status mus_response_destroy(mus_world *world, mus_response_id id);
MUS_API bool mus_response_is_valid(const mus_world *world, mus_response_id id);
MUS_API int32_t mus_world_get_response_count(const mus_world *world);
MUS_API mus_response_id mus_world_get_response(const mus_world *world, int32_t k); /* in the order they were added */
MUS_API bool mus_response_has_callback(const mus_world *world, mus_response_id id);
/* Replaces a response's callback, as needed in a loaded world. INVALID for a response with a named rule. */
MUS_API mus_status mus_response_set_callback(mus_world *world, mus_response_id id, mus_rule_fn callback, void *user);
/* The same for a callback for each vertex, as with mus_response_def.per_node. */
MUS_API mus_status mus_response_set_node_callback(mus_world *world, mus_response_id id, mus_rule_fn callback,
                                                  void *user);

/* ---- Friction and restitution of pairs --------------------------------------------------------------------------
 *
 * Coefficients of a pair of objects in place of those that follow from the two sides: a number, or a function of the
 * contact. A function is evaluated when a contact is found: at the start of a step or an iteration of "newton", and
 * for each hit. The value is kept for that step, iteration or hit: it is lagged, as friction is in all implicit
 * schemes. */

typedef enum mus_coefficient {
    MUS_COEFFICIENT_FRICTION,    /* Coulomb's, finite and >= 0 */
    MUS_COEFFICIENT_RESTITUTION, /* 0..1 */
    MUS_COEFFICIENT_COUNT
} mus_coefficient;
MUS_API const char *mus_coefficient_get_name(mus_coefficient which); /* "friction", "restitution" */

/* Input of such a function beside the contact. */
typedef struct mus_contact_surface {
    /* N along the normal, the contact load at the end of the last step; in potential pipelines the force of the
     * contact energy at the start of the step. 0 where unknown: pairs that were not near, contacts with a response
     * rule, and cloth in classic pipelines or in a world with rigid bodies. */
    double load;
    /* Unit, of either side: along the warp of the cloth at the start of the step, in the plane of the contact. The
     * warp is that of membranes (mus_material_model), with every model. 0 of an obstacle. */
    double warp[2][3];
} mus_contact_surface;

/* Writes `value`. The contact is as for a mus_rule_fn, except that `velocity` is that at the start of the step: from
 * the last step, and of scripted obstacles and pins from this one; `impulse` is 0, and `friction` and `restitution`
 * are the values without functions. `user` must live as long as the world. */
typedef mus_status (*mus_contact_law_fn)(void *user, const mus_contact *contact, const mus_contact_surface *surface,
                                         double *value);

/* Sets a coefficient of a and b in place of those of their definitions (names of cloths or obstacles, the same
 * twice: a cloth on itself; b NULL: a on anything). The last setting for a pair counts; a response's
 * (mus_response_def.friction) has precedence. NOT_FOUND for a name that no object has, INVALID for a value out of
 * range, LOCKED within a step. */
MUS_API mus_status mus_world_set_coefficient(mus_world *world, const char *a, const char *b, mus_coefficient which,
                                             double value);
/* The same by a function, or by a program: mus_program_evaluate_coefficient with it as `user`, which the world
 * references. `place` is for messages, "scene.lua:12" (copied; NULL: none). A step fails if the function returns a
 * value out of range. INVALID where the pipeline's response has neither friction nor restitution ("aabb", "aabb_ray").
 */
MUS_API mus_status mus_world_set_contact_law(mus_world *world, const char *a, const char *b, mus_coefficient which,
                                             mus_contact_law_fn law, void *user, const char *place);

/* ---- Traced functions -------------------------------------------------------------------------------------------
 *
 * A law written as a graph of operations on numbers, which runs over all contacts or vertices in batches. Lua's
 * muslin.rule, muslin.potential and muslin.node_force compile to it; C programs may build graphs too. Results have
 * the same bits as the operations one by one, on every processor. */

/* A named number that programs share and that may change between steps. One thread at a time. */
typedef struct mus_parameter mus_parameter;
/* `value` must be finite. Release it when done; programs that use it reference it too. */
MUS_API mus_status mus_parameter_create(const char *name, double value, mus_parameter **parameter);
MUS_API void mus_parameter_release(mus_parameter *parameter); /* NULL is allowed */
MUS_API const char *mus_parameter_get_name(const mus_parameter *parameter);
MUS_API double mus_parameter_get_value(const mus_parameter *parameter);
MUS_API mus_status mus_parameter_set_value(mus_parameter *parameter, double value); /* INVALID unless finite */

typedef enum mus_op {
    MUS_OP_CONSTANT,
    MUS_OP_PARAMETER,
    MUS_OP_INPUT,
    MUS_OP_ADD,
    MUS_OP_SUB,
    MUS_OP_MUL,
    MUS_OP_DIV,
    MUS_OP_NEG,
    MUS_OP_MIN, /* b < a or b is NaN: b, else a */
    MUS_OP_MAX,
    MUS_OP_ABS,
    MUS_OP_SQRT,
    MUS_OP_FLOOR,
    MUS_OP_LT, /* 1 or 0 */
    MUS_OP_LE,
    MUS_OP_EQ,
    MUS_OP_SELECT, /* a is not 0: b, else c */
    MUS_OP_EXP,
    MUS_OP_LOG,
    MUS_OP_SIN,
    MUS_OP_COS,
    MUS_OP_TAN,
    MUS_OP_ASIN,
    MUS_OP_ACOS,
    MUS_OP_ATAN2, /* of y and x */
    MUS_OP_POW,
    MUS_OP_LATTICE, /* mus_graph_add_lattice */
    MUS_OP_COUNT
} mus_op;
MUS_API const char *mus_op_get_name(mus_op op);
/* The result of a traced operation for these numbers, bit for bit; operands that it does not take are ignored.
 * LATTICE takes its seed from `value`; CONSTANT, PARAMETER and INPUT return `value`. */
MUS_API double mus_op_evaluate(mus_op op, double a, double b, double c, double value);

/* Inputs of programs. Vectors take three slots, x first. */
typedef enum mus_input {
    MUS_INPUT_NORMAL = 0,   /* of a contact: from side 2 to side 1; of a vertex of cloth: the cloth's */
    MUS_INPUT_VELOCITY = 3, /* m/s: v1 - v2; of a vertex: its own */
    MUS_INPUT_MASS = 6,     /* kg */
    MUS_INPUT_GAP = 7,      /* m: distance - thickness */
    MUS_INPUT_DISTANCE = 8, /* m */
    MUS_INPUT_FRICTION = 9, /* the pair's coefficient */
    MUS_INPUT_RESTITUTION = 10,
    MUS_INPUT_DT = 11, /* s */
    MUS_INPUT_TOI = 12,
    MUS_INPUT_TIME = 13,
    MUS_INPUT_KIND = 14,      /* mus_pair_kind as a number */
    MUS_INPUT_POSITION = 15,  /* m: of a contact the point on side 1, of a vertex its place */
    MUS_INPUT_POSITION2 = 18, /* m: the point on side 2 */
    MUS_INPUT_START_GAP = 21, /* m: the gap at the start of the step */
    MUS_INPUT_AREA = 22,      /* m^2: a vertex' share of the faces around it, at rest */
    MUS_INPUT_SLIP = 23,      /* m, of a potential: tangential displacement of the sides in this step */
    MUS_INPUT_WARP = 24,      /* of a coefficient: mus_contact_surface.warp of side 1, */
    MUS_INPUT_WARP2 = 27,     /* of side 2, */
    MUS_INPUT_LOAD = 30,      /* N: and its load */
    MUS_INPUT_LENGTH = 31,    /* m: of a spring; */
    MUS_INPUT_REST = 32,      /* m: at rest; */
    MUS_INPUT_RATE = 33,      /* m/s: the rate of its length */
    MUS_INPUT_COUNT = 34
} mus_input;

enum { MUS_GRAPH_LARGEST = 20000 }; /* nodes */
typedef struct mus_graph mus_graph;
typedef int32_t mus_node; /* from 0; negative: failed, and no program can be made of the graph */
MUS_API mus_status mus_graph_create(mus_graph **graph);
MUS_API void mus_graph_destroy(mus_graph *graph); /* NULL is allowed */
MUS_API int32_t mus_graph_get_node_count(const mus_graph *graph);
/* Equal nodes are merged; operations on constants are evaluated at once. */
MUS_API mus_node mus_graph_add_constant(mus_graph *graph, double value);
MUS_API mus_node mus_graph_add_parameter(mus_graph *graph, mus_parameter *parameter);
MUS_API mus_node mus_graph_add_input(mus_graph *graph, int32_t slot);
/* Arguments beyond those that the operation takes are ignored. */
MUS_API mus_node mus_graph_add_operation(mus_graph *graph, mus_op op, mus_node a, mus_node b, mus_node c);
/* In [-1, 1): the random number of the integer point (x, y, z) for an integer `seed`. */
MUS_API mus_node mus_graph_add_lattice(mus_graph *graph, mus_node x, mus_node y, mus_node z, double seed);
MUS_API double mus_lattice(double x, double y, double z, double seed); /* the same in C */
/* d node / d input, in the same graph. The derivatives of |x| and sqrt x at 0, of comparisons and of floor are 0. */
MUS_API mus_node mus_graph_add_derivative(mus_graph *graph, mus_node node, int32_t slot);

typedef enum mus_program_kind {
    MUS_PROGRAM_RULE,       /* of a contact: the impulse on side 1, N s, and if given that on side 2: 3 or 6 numbers */
    MUS_PROGRAM_NODE_RULE,  /* of a contact's vertex: its new velocity, m/s, see mus_response_def.per_node: 3 */
    MUS_PROGRAM_POTENTIAL,  /* of a contact: an energy, J, that depends on GAP, DISTANCE and SLIP: 1 */
    MUS_PROGRAM_NODE_FORCE, /* of a vertex of cloth: the force on it, N: 3 */
    MUS_PROGRAM_MOTION,     /* of TIME: an obstacle's position, m, and if given its rotation, w x y z: 3 or 7 numbers */
    MUS_PROGRAM_WIND,       /* of POSITION and TIME: the velocity of the air, m/s: 3 */
    /* of a contact, its LOAD and WARP: a coefficient of friction or restitution: 1 */
    MUS_PROGRAM_COEFFICIENT,
    MUS_PROGRAM_SPRING,    /* of LENGTH, REST and RATE: the tension of a spring, N, negative in compression: 1 */
    MUS_PROGRAM_TOLERANCE, /* of POSITION and TIME: a distance, m, see mus_tolerance: 1 */
    MUS_PROGRAM_KIND_COUNT
} mus_program_kind;
/* Takes ownership of the graph on success. Adds the derivatives that the kind needs: of a POTENTIAL first and second
 * ones by the gap and by the slip; of a NODE_FORCE by position and velocity; of a SPRING by length and rate. INVALID
 * for another number of outputs, and for an input that the kind does not have. Release it when done; a world that
 * uses it references it too. */
MUS_API mus_status mus_program_create(mus_program_kind kind, mus_graph *graph, const mus_node *outputs, int32_t count,
                                      mus_program **program);
MUS_API void mus_program_release(mus_program *program); /* NULL is allowed */
/* Location of its function in the source, "scene.lua:12" (copied; NULL: none): messages about its results begin with
 * it. */
MUS_API mus_status mus_program_set_place(mus_program *program, const char *place);
MUS_API mus_program_kind mus_program_get_kind(const mus_program *program);
/* Number of outputs of mus_program_evaluate: of a POTENTIAL energy, -dE/dgap, d2E/dgap2 and, if it changes with
 * SLIP, dE/dslip and d2E/dslip2; of a NODE_FORCE the force and then its derivatives, df.x/dx, df.x/dy .. df.z/dz by
 * position, and the nine by velocity; of a SPRING tension, N, its derivative by length, N/m, and by rate, N s/m;
 * else the outputs that it was made with. */
MUS_API int32_t mus_program_get_output_count(const mus_program *program);
/* Evaluates the program for inputs[slot][k], k < count (a pointer for every slot that is used), into outputs[j][k]. */
MUS_API mus_status mus_program_evaluate(const mus_program *program, const double *const *inputs, int64_t count,
                                        double *const *outputs);
/* The parameter of that name, or NULL. Owned by the program: valid as long as it. */
MUS_API mus_parameter *mus_program_find_parameter(const mus_program *program, const char *name);
MUS_API mus_parameter *mus_program_get_parameter(const mus_program *program, int32_t k); /* NULL out of range */
/* A listing of the program, with the operations counted by kind; writes at most `size` bytes with a final zero and
 * returns the length of the whole text. */
MUS_API size_t mus_program_explain(const mus_program *program, char *text, size_t size);
/* From within mus_callbacks.forces: adds a NODE_FORCE at the cloth's present positions and velocities to its forces;
 * and its derivatives, without the destabilizing parts (negative eigenvalues), to the implicit step and to potential
 * pipelines, which are then stable with a stiff force at any dt. Explicit integrators keep the force constant over
 * the step. */
MUS_API mus_status mus_cloth_add_node_force(mus_world *world, mus_cloth_id id, const mus_program *program);
/* From within mus_callbacks.forces: adds the velocity of a WIND, evaluated at the center of every face, to the
 * world's wind and other added winds for this step. Its force follows from air_density and the material's drag. */
MUS_API mus_status mus_cloth_add_wind(mus_world *world, mus_cloth_id id, const mus_program *program);
/* A MOTION as a mus_motion_fn with `user` = program. INVALID for a position that is not finite, and for a rotation that
 * is no unit quaternion within 1e-3; the rotation is normalized. */
MUS_API mus_status mus_program_evaluate_motion(void *program, double t, mus_pose *pose);
/* A rule as a mus_rule_fn with `user` = program (RULE or NODE_RULE): the world recognizes programs by this function,
 * and runs them over all contacts at once, with the results of one after the other. */
MUS_API mus_status mus_program_evaluate_rule(void *program, const mus_contact *contact, double impulse[2][3]);

/* A COEFFICIENT as a mus_contact_law_fn with `user` = program: the world recognizes programs by this function, and runs
 * them over all contacts at once, with the same results. */
MUS_API mus_status mus_program_evaluate_coefficient(void *program, const mus_contact *contact,
                                                    const mus_contact_surface *surface, double *value);

/* ---- Snapshots --------------------------------------------------------------------------------------------------
 *
 * The whole state of a world, so that further steps are the same bit for bit: positions, velocities, pins, poses,
 * time, random stream, statistics, the last contacts, and the solver's state. Functions are not included. */

typedef struct mus_snapshot mus_snapshot;

/* LOCKED within a step. */
MUS_API mus_status mus_snapshot_create(mus_world *world, mus_snapshot **snapshot);
MUS_API void mus_snapshot_destroy(mus_snapshot *snapshot); /* NULL is allowed */
/* Attaches a block of the caller's data under a name, copied; the world's are "structure", "state" and "solver". */
MUS_API mus_status mus_snapshot_set_attachment(mus_snapshot *snapshot, const char *name, const void *data, size_t size);
/* NULL if there is none. Valid as long as the snapshot. */
MUS_API const void *mus_snapshot_get_attachment(const mus_snapshot *snapshot, const char *name, size_t *size);

/* Writes a file, little endian, with a version and an XXH3 checksum: under a temporary name, flushed to the disk,
 * then renamed. IO or NOT_FOUND with the system's reason; an earlier file is then unchanged. */
MUS_API mus_status mus_snapshot_save(const mus_snapshot *snapshot, const char *path);
/* FORMAT for a file that is no snapshot, truncated, damaged, or of a later version. */
MUS_API mus_status mus_snapshot_load(const char *path, mus_snapshot **snapshot);

/* Compares all but the state of the world with the snapshot. INVALID names the first difference: number, names,
 * shapes and materials of its objects, settings, pipeline, responses, whether obstacles are moved by functions. */
MUS_API mus_status mus_snapshot_compare(const mus_snapshot *snapshot, mus_world *world);
/* Restores the state into a world for which mus_snapshot_compare succeeds; the world keeps its functions. A failure
 * leaves everything unchanged. INVALID also when a motion does not give its obstacle's saved pose, or when the path
 * of a pin or the tolerance is a function that the world does not have. Handles stay valid. */
MUS_API mus_status mus_snapshot_restore(const mus_snapshot *snapshot, mus_world *world);
/* Restores by name, into a world that may differ: time; positions, velocities and fixed pins of each cloth of the
 * same name and number of vertices; pose and motion of each rigid body. Scripted obstacles take their pose at that
 * time; all else is unchanged. *restored: number of cloths; 0 is INVALID. The result is validated; a failure leaves
 * everything unchanged. Further steps are not those of the saved run. */
MUS_API mus_status mus_snapshot_restore_by_name(const mus_snapshot *snapshot, mus_world *world, int32_t *restored);
/* Size in bytes. */
MUS_API size_t mus_snapshot_get_size(const mus_snapshot *snapshot);
/* A new world from the snapshot alone. It steps only when all functions that the saved world had are set again:
 * callbacks (mus_world_set_callbacks), motions (mus_obstacle_set_motion), paths of pins (mus_cloth_pin_to_path), rules
 * (mus_response_set_callback), coefficients (mus_world_set_contact_law), spring laws (mus_cloth_set_spring_law) and
 * a tolerance by place (mus_world_set_tolerance); mus_world_step names the first that is missing. */
MUS_API mus_status mus_world_create_from_snapshot(const mus_snapshot *snapshot, mus_world **world);

/* The same by a file's name. */
MUS_API mus_status mus_world_save(mus_world *world, const char *path);
MUS_API mus_status mus_world_restore(mus_world *world, const char *path);
MUS_API mus_status mus_world_load(const char *path, mus_world **world);

/* ---- Elementary queries ----------------------------------------------------------------------------------------- */

/* Continuous collision detection on linear motions. t0, t1: 4 points x 3, vertex–face v f0 f1 f2, edge–edge a0 a1 b0
 * b1. Returns true and the earliest time in [0, 1] (never later than the true one; it may be early by the tolerance)
 * at which the distance falls to `thickness` (m, >= 0), false if it stays above. Numbers beyond MUS_LARGEST_LENGTH
 * and NaN give true at time 0, as no collision can be ruled out. Certified intervals: docs/algorithms.md, 10.1. */
MUS_API bool mus_ccd_vertex_face(const double t0[12], const double t1[12], double thickness, double *toi);
MUS_API bool mus_ccd_edge_edge(const double t0[12], const double t1[12], double thickness, double *toi);

/* Distances (m); weights of the nearest points may be NULL. */
MUS_API double mus_distance_vertex_face(const double points[12], double face_weights[3]);
MUS_API double mus_distance_edge_edge(const double points[12], double edge_weights[2]); /* along a, along b, 0..1 */
/* Two triangles (9 numbers each) with exact predicates: 0 disjoint, 1 proper crossing, 2 touching or overlapping in
 * a plane. */
MUS_API int mus_intersect_triangles(const double a[9], const double b[9]);

/* ---- The auditor ------------------------------------------------------------------------------------------------ */

typedef enum mus_audit_kind {
    MUS_AUDIT_CROSSING,    /* two faces that share no vertex cross */
    MUS_AUDIT_VERTEX_PAIR, /* two faces that share one vertex: an edge opposite it meets the other face */
    MUS_AUDIT_EDGE_PAIR,   /* two faces that share an edge overlap in a plane */
    MUS_AUDIT_INSIDE       /* a cloth vertex or face is inside a closed obstacle or an exact shape */
} mus_audit_kind;

typedef struct mus_audit_finding {
    mus_audit_kind kind;
    int32_t object[2]; /* index of the part */
    int32_t face[2];   /* faces of the parts; INSIDE: [0] is a vertex and [1] is -1, or [0] is a face and [1] is -2 */
    double depth;      /* INSIDE: m */
} mus_audit_finding;

typedef struct mus_audit_report {
    int64_t intersections; /* proper crossings: findings of the first three kinds */
    int64_t inside;        /* features deeper inside an obstacle than the tolerance */
    int64_t touches;       /* touching pairs; no failure */
    int64_t allowed;       /* crossings and features inside with an overlap exemption from the start; no failure */
    int64_t pairs_tested;
    double max_depth; /* m, of any cloth feature or rigid body inside an obstacle, 0 if none */
    mus_audit_finding *findings;
    int64_t finding_count;
} mus_audit_report;

/* Audits the present state with exact predicates, independent of the collision detection. Obstacles are not tested
 * against themselves, nor against each other, unless one of the two is dynamic: then as INSIDE (no feature named) or
 * CROSSING (one pair of faces, not all), the rigid body first. `inside_tolerance` in m (1e-4). Objects of findings:
 * cloths first, then obstacles, in order of creation. */
MUS_API mus_status mus_world_audit(mus_world *world, double inside_tolerance, mus_audit_report *report);
/* The same for parts of a file; a part named "obstacle:…" is an obstacle, all others are cloth. */
MUS_API mus_status mus_parts_audit(const mus_part *parts, int32_t count, double inside_tolerance,
                                   mus_audit_report *report);
MUS_API void mus_audit_report_destroy(mus_audit_report *report);

/* ---- Build ------------------------------------------------------------------------------------------------------ */

typedef struct mus_build {
    const char *version, *compiler;
    const char *cpu;  /* level of the processor, "x86-64-v3" */
    const char *simd; /* level used by the kernels: "baseline", "avx2" or "avx512"; results have the same bits */
} mus_build;
MUS_API mus_build mus_get_build(void);
/* MUS_VERSION of the library that runs, which may be another than the one compiled against. */
MUS_API const char *mus_get_version(void);
/* Sets the SIMD level of all kernels of the process, for tests and measurements; NULL: the widest available
 * (default). INVALID for an unknown level and for one that the processor lacks. Any thread, at any time. */
MUS_API mus_status mus_set_simd_level(const char *level);

/* XXH3 of a block of bytes, for manifests. */
MUS_API uint64_t mus_hash_bytes(const void *data, size_t size);

/* sin, cos, exp, log, pow, acos, atan2 with fixed operations: the same bits on every machine. */
MUS_API double mus_sin(double x);
MUS_API double mus_cos(double x);
MUS_API double mus_tan(double x);
MUS_API double mus_exp(double x);
MUS_API double mus_log(double x);
MUS_API double mus_pow(double x, double y);
MUS_API double mus_acos(double x);
MUS_API double mus_asin(double x);
MUS_API double mus_atan2(double y, double x);

#ifdef __cplusplus
}
#endif
#endif
