/* file.h: files of meshes, frames and point caches. */
#ifndef MUSLIN_FILE_H
#define MUSLIN_FILE_H

#include "cloth.h"
#include "mesh.h"
#include "picture.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* How coordinates of a file become those of a mesh. */
typedef struct mus_load_options {
    uint32_t cookie; /* set by the _default() function */
    double scale;    /* multiplies coordinates; 1 */
    const char *up;  /* "y" (default) or "z": "z" maps (x, y, z) to (x, z, -y) */
} mus_load_options;
/* Coordinates as they are. */
MUS_API mus_load_options mus_load_options_default(void);

/* OBJ, PLY (ascii, binary little and big endian) or STL (ascii, binary) by the file's extension. Vertex order is
 * kept; polygons are triangulated as fans from their first vertex; equal corners of an STL are merged and numbered
 * in order of first occurrence. Lines `stitch i j k r` of an OBJ (indices from 0) become the mesh's stitches: vertex
 * i to (1-r) j + r k. NOT_FOUND, IO or FORMAT with file, line (or byte) and reason. `options` may be NULL. */
MUS_API mus_status mus_mesh_load(const char *path, const mus_load_options *options, mus_mesh **mesh);
MUS_API mus_status mus_mesh_save(const mus_mesh *mesh, const char *path); /* temporary name, then renamed */

/* Values at the vertices of a part, for VTP. */
typedef struct mus_part_field {
    const char *name;     /* letters, digits and underscores */
    int32_t components;   /* 1, or 3 for a vector; the same in all parts that have the field */
    const double *values; /* vertex_count x components */
} mus_part_field;

/* A cloth, for USD: by the names of the proposal for deformable bodies in UsdPhysics (AOUSD): `muslin doc
 * muslin.usd.load`. */
typedef struct mus_part_cloth {
    const mus_material *material;
    const mus_rest_shape *rest;
    double mass;           /* kg; the density written is that of the rest shape with this mass; 0: the material's */
    const double *masses;  /* kg, of each vertex, to be written as they are; NULL: as the density gives them */
    double thickness;      /* m, > 0 */
    double friction;       /* coefficient */
    double restitution;    /* 0..1 */
    int32_t grid_nodes[2]; /* as of mus_mesh_def; {0, 0}: no grid */
} mus_part_cloth;
/* A seam of a part's vertices, for USD. Stitches onto points within an edge are left out. */
typedef struct mus_part_seam {
    const mus_stitch *stitches; /* `vertex` is of the part, `onto` of the other */
    int32_t count;              /* number of stitches */
    int32_t other;              /* index of the other part; may be the same */
    double stiffness;           /* N/m */
} mus_part_seam;

/* One named part of a frame file. `name` is "cloth:NAME" or "obstacle:NAME". */
typedef struct mus_part {
    const char *name;       /* "cloth:NAME" or "obstacle:NAME" */
    const double *vertices; /* vertex_count x 3, m */
    const int32_t *faces;   /* face_count x 3, indices of this part's vertices from 0 */
    int32_t vertex_count;   /* number of vertices */
    int32_t face_count;     /* number of faces */
    /* Texture coordinates for OBJ (`vt`) and USD (`primvars:st`); NULL: none. */
    const double *uvs;       /* uv_count x 2 */
    const int32_t *uv_faces; /* face_count x 3, indices of this part's texture coordinates from 0 */
    int32_t uv_count;        /* number of texture coordinates */
    /* Named groups of all faces, in order, for OBJ (`g`), USD (GeomSubset) and VTP; NULL: none. */
    const mus_mesh_group *groups; /* group_count */
    int32_t group_count;          /* number of groups */
    bool has_color;               /* for USD */
    float color[3];               /* sRGB, 0..1 */
    /* Shown on the texture coordinates instead of the color; NULL: none. For glTF, and for USD by the path of a file,
     * from that of the parts. */
    const mus_picture *picture;
    const char *picture_file;
    double picture_place[4]; /* its lower left corner and its size, in texture coordinates; it is repeated beyond */
    /* For OBJ: the part's material (`usemtl`) and the file that describes it (`mtllib`), by its path from that of the
     * parts; NULL: none. */
    const char *material, *material_file;
    /* For VTP: point arrays, with NaN for the vertices of parts that do not have the field. */
    const mus_part_field *fields;
    int32_t field_count;         /* number of fields */
    const mus_part_cloth *cloth; /* for USD; NULL: no cloth */
    bool is_obstacle;            /* for USD: a collider */
    bool is_plane;               /* a square of an endless plane */
    bool has_surface;            /* for USD, of an obstacle: it has the next two */
    double friction;             /* coefficient */
    double restitution;          /* 0..1 */
    const mus_part_seam *seams;  /* seam_count, for USD */
    int32_t seam_count;          /* number of seams */
} mus_part;
/* Writes parts to an .obj, .ply, .stl, .vtp or .usda (by extension; PLY and STL hold one joined mesh, VTP one with the
 * number of each face's part, from 0, as the cell array `part`, and the parts' names as the field array `names`; where
 * a part has groups also `group`, -1: none, and `group_names`), 17 significant digits in text, under a temporary name
 * that is then renamed. */
MUS_API mus_status mus_parts_save(const mus_part *parts, int32_t count, const char *path);

/* The frames in which a part of an animation exists. */
typedef struct mus_part_frames {
    int64_t first_frame; /* counted from 0 */
    int64_t frame_count; /* at least 1 */
    bool moves;          /* false: the positions of the first frame are those of all */
} mus_part_frames;
/* The motion of parts, read frame by frame, so that it need not be in memory. */
typedef struct mus_parts_animation {
    uint32_t cookie;               /* set by the _default() function */
    double fps;                    /* frames per second */
    int64_t frame_count;           /* frames 0 to frame_count - 1 */
    const mus_part *parts;         /* their vertices are not used and may be NULL */
    int32_t part_count;            /* number of parts */
    const mus_part_frames *frames; /* of each part */
    /* Writes the positions of one frame (vertex_count x 3, m), or fails with the error record set. */
    mus_status (*read)(void *user, int32_t part, int64_t frame, float *positions);
    void *user; /* first argument of `read` */
} mus_parts_animation;
/* No parts, 30 frames per second. */
MUS_API mus_parts_animation mus_parts_animation_default(void);
/* Writes an animation as one .usda or .abc (Alembic, Ogawa), by the extension: positions and bounds of every frame
 * (floats; nine digits in text) of the parts that move; parts are invisible in frames in which they do not exist. An
 * .abc has the parts' names, faces, texture coordinates and groups (FaceSet), and no colors. INVALID for wrong fields;
 * a failure of `read` is returned, and nothing is written then. */
MUS_API mus_status mus_parts_save_animation(const mus_parts_animation *animation, const char *path);

typedef struct mus_parts mus_parts;                                     /* parts read from a file, with their storage */
MUS_API mus_status mus_parts_load(const char *path, mus_parts **parts); /* an OBJ's `o` groups; one part otherwise */
/* The parts and their number. Valid as long as `parts`. */
MUS_API const mus_part *mus_parts_get_all(const mus_parts *parts, int32_t *count);
/* NULL is allowed. */
MUS_API void mus_parts_destroy(mus_parts *parts);

/* An animated point cache: positions of a constant number of vertices. */
typedef struct mus_point_cache {
    double *positions;    /* frame_count x vertex_count x 3 */
    int32_t vertex_count; /* of every frame */
    int32_t frame_count;  /* number of frames */
    double start_frame;   /* as stored in a PC2 file; 0 */
    double sample_rate;   /* as stored in a PC2 file, or of mus_point_cache_sample; 1 */
} mus_point_cache;
/* Reads a file by its extension: .npy (NumPy: shape (frames, vertices, 3), C order, little-endian float32 or float64),
 * .npz (the array of that name; NULL: the only one of that shape), .mdd (Lightwave; its times are not used), else PC2
 * (float32). NOT_FOUND, IO, FORMAT, or INVALID for a name that the file does not have, with the reason. */
MUS_API mus_status mus_point_cache_load(const char *path, const char *array, mus_point_cache *cache);
/* Samples an animation of a glTF file (.glb, .gltf) or the time samples of a .usda `fps` times a second, from its time
 * 0 to its last key, with frames at equal steps, which may differ from 1/fps so that the last is the last key:
 * sample_rate is that step in 1/fps. The vertices are those of mus_mesh_load, moved by the nodes, by morph targets and
 * by linear blend skinning. `animation` NULL: the only one. Of a .usda the motion begins at its first time code,
 * positions are linear between samples, and `animation` is the path or name of a mesh, NULL: of all, joined. NOT_FOUND,
 * IO, FORMAT, or INVALID for a name that the file does not have, with the reason. */
MUS_API mus_status mus_point_cache_sample(const char *path, const char *animation, double fps, mus_point_cache *cache);
/* Scales and rotates all frames as mus_mesh_load does for a mesh; `options` may be NULL. INVALID leaves them
 * unchanged, unless `scale` takes a coordinate out of range. */
MUS_API mus_status mus_point_cache_transform(mus_point_cache *cache, const mus_load_options *options);
/* Writes a PC2 file under a temporary name that is then renamed. INVALID for positions that floats cannot hold. */
MUS_API mus_status mus_point_cache_save(const mus_point_cache *cache, const char *path);
/* Frees the positions; the struct itself is the caller's. NULL is allowed. */
MUS_API void mus_point_cache_destroy(mus_point_cache *cache);

#endif
