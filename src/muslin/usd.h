/* usd.h: reading Universal Scene Description in text (.usda): meshes, and cloths and seams by the names of the proposal
 * for deformable bodies in UsdPhysics (AOUSD). Without composition: sublayers, references, payloads, inherits and
 * variants are errors. */
#ifndef MUSLIN_USD_H
#define MUSLIN_USD_H

#include "file.h"
#include "mesh.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* A stage as it was read. */
typedef struct mus_usd mus_usd;

/* A number of muslin's own, `muslin:material:NAME` of a material. */
typedef struct mus_usd_constant {
    const char *name; /* without the namespaces */
    const char *text; /* of a text; NULL: a number */
    double number;    /* of a number */
} mus_usd_constant;

/* A mesh of a stage, in m, y up, in the place that its prims give it. NaN: not given. */
typedef struct mus_usd_mesh {
    const char *name;     /* muslin:name of the mesh without "cloth:" and "obstacle:", else that of its prim */
    const char *path;     /* of its prim */
    const mus_mesh *mesh; /* triangles; polygons are split into fans */
    bool is_cloth;        /* PhysicsSurfaceDeformableSimAPI */
    bool is_collider;     /* PhysicsCollisionAPI, on it or a prim around it */
    bool moves;           /* its points or its place have time samples: mus_point_cache_sample with its path */
    /* Rest shape, of cloths: points and the corners of faces among them; NULL: the mesh. */
    const double *rest_points; /* rest_point_count x 3, m */
    const int32_t *rest_faces; /* three per face of the mesh */
    int32_t rest_point_count;
    bool is_bent; /* the angles of that shape are those at rest (restShapeDefault); else it is flat but for `folds` */
    const int32_t *folds; /* fold_count x 2 faces: neighbors that are bent at rest */
    const double *angles; /* rad, positive toward the side of the normals */
    int32_t fold_count;
    const double *masses;              /* kg, one per vertex: muslin:masses; NULL: by the density */
    double thickness;                  /* m: surfaceThickness */
    double density;                    /* kg/m^2: density times the thickness */
    double stretch_stiffness;          /* N/m, also by youngsModulus, as the following: E h/(1 - nu^2) */
    double shear_stiffness;            /* N/m */
    double bend_stiffness;             /* N m */
    double poissons_ratio;             /* 1 */
    double friction;                   /* dynamicFriction */
    double restitution;                /* 0..1 */
    const mus_usd_constant *constants; /* constant_count */
    int32_t constant_count;
} mus_usd_mesh;

/* Vertices of two meshes that are attached to each other. */
typedef struct mus_usd_seam {
    int32_t mesh[2];      /* indices of meshes */
    const int32_t *pairs; /* pair_count x 2: a vertex of the first mesh, one of the second */
    int32_t pair_count;   /* number of pairs */
    double stiffness;     /* N/m; NaN: not given */
} mus_usd_seam;

/* Reads a .usda. `options` may be NULL; the stage's own units and axis apply before them. NOT_FOUND, IO, FORMAT with
 * line and reason. */
MUS_API mus_status mus_usd_load(const char *path, const mus_load_options *options, mus_usd **usd);
/* Time codes per second. */
MUS_API double mus_usd_get_fps(const mus_usd *usd);
/* Its meshes and seams, and their numbers. Valid as long as the stage. */
MUS_API const mus_usd_mesh *mus_usd_get_meshes(const mus_usd *usd, int32_t *count);
MUS_API const mus_usd_seam *mus_usd_get_seams(const mus_usd *usd, int32_t *count);
MUS_API void mus_usd_destroy(mus_usd *usd); /* NULL is allowed */

#endif
