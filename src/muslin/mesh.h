/* mesh.h: triangle meshes and their generators. */
#ifndef MUSLIN_MESH_H
#define MUSLIN_MESH_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* A triangle mesh: vertices, faces, and texture vertices where it has them. */
typedef struct mus_mesh mus_mesh;

/* A vertex and the point that it is sewn to: (1 - along) x[onto[0]] + along x[onto[1]]. */
typedef struct mus_stitch {
    int32_t vertex;  /* index from 0 */
    int32_t onto[2]; /* both the same: sewn to a vertex */
    double along;    /* 0..1 */
} mus_stitch;

/* Consecutive faces with a name: a panel of a garment, say; `g` in OBJ. The groups of a mesh cover all faces, in order.
 */
typedef struct mus_mesh_group {
    const char *
        name; /* as the names of parts in file.h: no control characters, blanks at its ends or a backslash at its end */
    int32_t face_count; /* >= 0 */
} mus_mesh_group;

/* Triangle soup to copy into a mesh. Texture vertices are kept apart from vertices: uv_faces indexes uvs, as in OBJ. */
typedef struct mus_mesh_def {
    uint32_t cookie;              /* set by the _default() function */
    const double *vertices;       /* vertex_count x 3, m, finite */
    const int32_t *faces;         /* face_count x 3 */
    const double *uvs;            /* uv_count x 2 or NULL */
    const int32_t *uv_faces;      /* face_count x 3 indices of uvs, NULL when uvs is NULL */
    int32_t vertex_count;         /* >= 1 */
    int32_t face_count;           /* >= 1 */
    int32_t uv_count;             /* 0 without uvs */
    int32_t grid_nodes[2];        /* {nu, nv} when vertex i + j*nu is node (i, j) of a rectangular grid, else {0, 0} */
    const mus_stitch *stitches;   /* stitch_count, or NULL: how panels of a pattern are sewn, for mus_seam_create */
    int32_t stitch_count;         /* 0 without stitches */
    const mus_mesh_group *groups; /* group_count, or NULL; copied, names included */
    int32_t group_count;          /* 0 without groups */
} mus_mesh_def;

/* Without arrays: vertices and faces must be set. */
MUS_API mus_mesh_def mus_mesh_def_default(void);

/* INVALID for indices out of range, non-finite vertices (the message names the vertex) and arrays of inconsistent
 * sizes. Topology is not checked here: see mus_mesh_check. */
MUS_API mus_status mus_mesh_create(const mus_mesh_def *def, mus_mesh **mesh);
/* A second mesh with the same contents. */
MUS_API mus_status mus_mesh_copy(const mus_mesh *mesh, mus_mesh **copy);
MUS_API void mus_mesh_destroy(mus_mesh *mesh); /* NULL is allowed */

/* Number of vertices. */
MUS_API int32_t mus_mesh_get_vertex_count(const mus_mesh *mesh);
/* Number of faces. */
MUS_API int32_t mus_mesh_get_face_count(const mus_mesh *mesh);
/* Number of texture vertices. */
MUS_API int32_t mus_mesh_get_uv_count(const mus_mesh *mesh);
MUS_API double *mus_mesh_get_vertices(mus_mesh *mesh); /* writable; validated where they are used */
/* vertex_count x 3, m. */
MUS_API const double *mus_mesh_get_vertices_const(const mus_mesh *mesh);
/* Vertex indices from 0, face_count x 3. */
MUS_API const int32_t *mus_mesh_get_faces(const mus_mesh *mesh);
MUS_API const double *mus_mesh_get_uvs(const mus_mesh *mesh);         /* NULL without texture vertices */
MUS_API const int32_t *mus_mesh_get_uv_faces(const mus_mesh *mesh);   /* NULL without texture vertices */
MUS_API const int32_t *mus_mesh_get_grid_nodes(const mus_mesh *mesh); /* {nu, nv} or {0, 0} */
MUS_API const mus_stitch *mus_mesh_get_stitches(const mus_mesh *mesh, int32_t *count); /* NULL without any */
/* NULL without any. Valid as long as the mesh. */
MUS_API const mus_mesh_group *mus_mesh_get_groups(const mus_mesh *mesh, int32_t *count);

/* Counts of a mesh's topology. */
typedef struct mus_mesh_report {
    int32_t edges;           /* all edges */
    int32_t boundary_edges;  /* edges of one face */
    int32_t hinges;          /* edges of two faces */
    int32_t components;      /* connected parts */
    int32_t boundary_loops;  /* closed chains of boundary edges */
    int32_t unused_vertices; /* vertices of no face */
    bool closed;             /* no boundary edge */
    bool orientable;         /* adjacent faces traverse their common edge in opposite directions */
} mus_mesh_report;

/* Fills `report` (may be NULL). MUS_STATUS_TOPOLOGY, with the face's number (from 1) in the message, for a repeated
 * vertex in a face, a face of zero area, a repeated face, or an edge with more than two faces. */
MUS_API mus_status mus_mesh_check(const mus_mesh *mesh, mus_mesh_report *report);

/* Row-major 3x4: x -> A x + b. INVALID, with all vertices unchanged, if a vertex would be out of range. */
MUS_API mus_status mus_mesh_transform(mus_mesh *mesh, const double matrix[12]);
/* Each round splits every face into four at its edges' midpoints; old vertices keep their numbers, and stitches their
 * vertices (those between get none). rounds >= 0. */
MUS_API mus_status mus_mesh_subdivide(const mus_mesh *mesh, int32_t rounds, mus_mesh **out);
/* m^2, of all faces. */
MUS_API double mus_mesh_get_area(const mus_mesh *mesh);

/* Generators. A plane or axis is one of "xy", "xz", "yz" / "x", "y", "z". */
typedef struct mus_grid_def {
    uint32_t cookie;   /* set by the _default() function */
    int32_t nodes[2];  /* nu, nv >= 2: nodes along the first and the second axis of the plane */
    double size[2];    /* m, > 0 */
    const char *plane; /* NULL is "xz" */
    double center[3];  /* m */
} mus_grid_def;
/* Around the origin; nodes and size must be set. */
MUS_API mus_grid_def mus_grid_def_default(void);
/* Vertex i + j*nu is node (i, j); quads are split along diagonals that alternate with i + j, the first from node (0,0)
 * to node (1,1). Carries the flat rest shape as uvs. */
MUS_API mus_status mus_mesh_create_grid(const mus_grid_def *def, mus_mesh **mesh);
/* A flat disc of `rings` rings of triangles. Carries the flat rest shape as uvs. */
MUS_API mus_status mus_mesh_create_disc(double radius, int32_t rings, const char *plane, const double center[3],
                                        mus_mesh **mesh);
MUS_API mus_status
mus_mesh_create_sphere(double radius, int32_t subdivisions, const double center[3],
                       mus_mesh **mesh); /* icosahedron, vertices projected: 20 * 4^subdivisions faces */
/* 12 vertices, 20 faces; `radius` of the sphere through the vertices. */
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
    uint32_t cookie;     /* set by the _default() function */
    double radius;       /* m, > 0: of a cone its base, of a torus the circle in the middle of the tube */
    double length;       /* m, > 0: of cylinder, tube and cone, along the axis */
    double other_radius; /* m: cone: of the top, >= 0; torus: of the tube; annulus: of the hole; both > 0, < radius */
    int32_t segments;    /* 3 to 100000; unused where edge_length is given */
    double edge_length;  /* m, > 0; 0: by segments */
    const char *axis;    /* "x", "y" or "z", NULL is "y"; of an annulus its plane, NULL is "xz" */
    double center[3];    /* m: middle of the axis */
} mus_round_def;
/* Around the origin; sizes and segments or edge_length must be set. */
MUS_API mus_round_def mus_round_def_default(void);
MUS_API mus_status mus_mesh_create_cylinder(const mus_round_def *def, mus_mesh **mesh); /* closed, with flat caps */
/* Open, without caps; carries the flat rest shape as uvs: unrolled as seen from outside, cut at the first segment. */
MUS_API mus_status mus_mesh_create_tube(const mus_round_def *def, mus_mesh **mesh);
/* The base lies at the lower end of the axis; capped: closed by flat caps, else open (a skirt). */
MUS_API mus_status mus_mesh_create_cone(const mus_round_def *def, bool capped, mus_mesh **mesh);
/* Closed; `radius` of the circle in the middle of the tube, `other_radius` of the tube. */
MUS_API mus_status mus_mesh_create_torus(const mus_round_def *def, mus_mesh **mesh);
/* A flat sheet; carries the flat rest shape as uvs. */
MUS_API mus_status mus_mesh_create_annulus(const mus_round_def *def, mus_mesh **mesh);

/* A flat sheet of a simple polygon with holes, meshed by constrained Delaunay triangulation: outlines are divided into
 * edges of about edge_length, the interior has vertices of a hexagonal lattice. Outlines may run either way, and
 * neither cross nor touch themselves or each other. Vertices: the given points in their order, those that divide sides,
 * those of lines, the interior. Carries the flat rest shape as uvs. */
typedef struct mus_polygon_def {
    uint32_t cookie;       /* set by the _default() function */
    const double *points;  /* m, outline after outline, 2 a point, in the plane's axes */
    const int32_t *counts; /* points of each outline, >= 3; the first is the outer one, others are holes */
    int32_t outline_count; /* >= 1 */
    double edge_length;    /* m, > 0 */
    const char *plane;     /* NULL is "xz" */
    double center[3];      /* m: where the outline's origin lies */
    /* Lines within the sheet that edges run along, such as fold lines: points, line after line, each of which is a
     * point of an outline or inside. Lines neither cross nor touch outlines or each other elsewhere than at points
     * that both have. They are divided into edges of about edge_length, or less where another line is near. */
    const double *line_points;
    const int32_t *line_counts; /* points of each line, >= 2 */
    int32_t line_count;         /* 0 */
} mus_polygon_def;
/* Without outlines: points, counts and edge_length must be set. */
MUS_API mus_polygon_def mus_polygon_def_default(void);
/* A sheet within outlines. */
MUS_API mus_status mus_mesh_create_polygon(const mus_polygon_def *def, mus_mesh **mesh);
/* Finds the vertices within `tolerance` (m, >= 0) of a polyline (count >= 2 points, 3 numbers each), in its order, each
 * once: such as those of a line of a polygon. `vertices` has room for all of the mesh. */
MUS_API mus_status mus_mesh_find_polyline(const mus_mesh *mesh, const double *points, int32_t count, double tolerance,
                                          int32_t *vertices, int32_t *found);

#endif
