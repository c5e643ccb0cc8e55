/* gltf.h: glTF 2.0 files (.glb and .gltf; Khronos Group, "glTF 2.0 Specification", ISO/IEC 12113:2022): the document
 * and its numbers, and the vertices of its scene in a pose. */
#ifndef MUS_IO_GLTF_H
#define MUS_IO_GLTF_H

#include "base/memory.h"
#include "io/file.h"

#include <jansson.h>

/* ---- gltf.c: the document -----------------------------------------------------------------------------------------
 */

typedef struct mus_gltf_buffer {
    const char *data;
    int64_t size;
    char *owned; /* data that is not part of the file; freed with the document */
} mus_gltf_buffer;

typedef struct mus_gltf {
    const mus_file *file;
    json_t *root;
    MUS_ARRAY(mus_gltf_buffer) buffers;
} mus_gltf;

/* Reads the document and its buffers; the bytes of `file` must live as long. FORMAT with the place and the reason. */
mus_status mus_gltf_open(const mus_file *file, mus_gltf *g);
void mus_gltf_close(mus_gltf *g);

/* A place within the document, for messages: "nodes[3].mesh". */
typedef struct mus_gltf_place {
    char text[96];
} mus_gltf_place;
__attribute__((format(printf, 1, 2))) mus_gltf_place mus_gltf_place_of(const char *format, ...);
/* FORMAT: "FILE: PLACE: ...". */
__attribute__((format(printf, 3, 4))) mus_status mus_gltf_fail(const mus_gltf *g, const char *place, const char *format,
                                                               ...);

/* The number of items of a list of the document; 0 without one. */
int32_t mus_gltf_count(const mus_gltf *g, const char *list);
/* Item `k` of a list of the document, an object. */
json_t *mus_gltf_item(const mus_gltf *g, const char *list, int32_t k);
/* Field `key` of the object at `place`, which is a list where it is there; else NULL. */
mus_status mus_gltf_list(const mus_gltf *g, const char *place, json_t *object, const char *key, json_t **list);
/* Field `key` of the object at `place` as an index below `limit`; `otherwise` where it is missing (-2: it must be
 * there). */
mus_status mus_gltf_index(const mus_gltf *g, const char *place, json_t *object, const char *key, int32_t limit,
                          int32_t otherwise, int32_t *index);
/* Field `key` as `count` numbers; unchanged where it is missing, when *there (may be NULL) is false. */
mus_status mus_gltf_numbers(const mus_gltf *g, const char *place, json_t *object, const char *key, int32_t count,
                            double *numbers, bool *there);
/* Names that messages can print, and names of groups: of the object, cleaned; "" without one. */
typedef struct mus_gltf_name {
    char text[128];
} mus_gltf_name;
mus_gltf_name mus_gltf_name_of(json_t *object);

/* The numbers of an accessor, `components` for each of `count` items. */
typedef struct mus_gltf_array {
    double *data; /* owned */
    int32_t count, components;
} mus_gltf_array;
/* Reads accessor number `accessor`, which must have the type ("VEC3"; "SCALAR", "VEC4", "MAT4" ...) and finite numbers.
 * `place` is the field that has its number. */
mus_status mus_gltf_read_accessor(const mus_gltf *g, const char *place, int32_t accessor, const char *type,
                                  mus_gltf_array *array);

/* ---- gltf_scene.c: the vertices of the scene ------------------------------------------------------------------------
 */

typedef struct mus_gltf_node {
    int32_t parent, mesh, skin;         /* -1: none */
    int32_t first_weight, weight_count; /* of its morph targets */
    bool in_scene, has_matrix;
    double translation[3], rotation[4], scale[3]; /* rotation: x y z w */
    double matrix[12];                            /* rows of the local transform, where has_matrix */
    double world[12];                             /* rows */
} mus_gltf_node;

typedef struct mus_gltf_skin {
    int32_t *joints;  /* nodes; owned */
    double *inverse;  /* rows of each joint's inverse bind matrix, 12; owned */
    double *matrices; /* of each joint in the present pose, 12; owned */
    int32_t count;
} mus_gltf_skin;

/* The vertices of a primitive as the file has them, and its faces. */
typedef struct mus_gltf_primitive {
    int32_t node, material; /* material -1: none */
    int32_t first, count;   /* of all vertices of the scene */
    int32_t first_face, face_count;
    int32_t influences, targets; /* joints of each vertex; morph targets */
    double *joints, *weights;    /* owned */
    double **deltas;             /* of each target; NULL where it moves nothing; owned */
} mus_gltf_primitive;

/* Triangles of the default scene, in the order of its nodes. Vertices that always coincide, as those of texture seams,
 * are one vertex of the mesh; triangles that have one twice are left out. */
typedef struct mus_gltf_scene {
    const mus_gltf *document;
    MUS_ARRAY(mus_gltf_node) nodes;
    MUS_ARRAY(int32_t) order;  /* of the nodes: parents first */
    MUS_ARRAY(double) weights; /* of morph targets, of each node that has some */
    MUS_ARRAY(mus_gltf_skin) skins;
    MUS_ARRAY(mus_gltf_primitive) primitives;
    MUS_ARRAY(double) positions; /* of the file's vertices */
    MUS_ARRAY(double) uvs;       /* of them, v upward; none unless all have some */
    MUS_ARRAY(int32_t) owner;    /* the primitive of each of them */
    MUS_ARRAY(int32_t) number;   /* of each of them: the vertex of the mesh that it is */
    MUS_ARRAY(int32_t) source;   /* of each vertex of the mesh: the first of them that it is */
    MUS_ARRAY(int32_t) faces;    /* three of the file's vertices each */
} mus_gltf_scene;

mus_status mus_gltf_scene_open(const mus_gltf *g, mus_gltf_scene *scene);
void mus_gltf_scene_close(mus_gltf_scene *scene);
/* Positions of the mesh's vertices (3 for each of source.count) in the pose of the nodes. */
void mus_gltf_scene_pose(mus_gltf_scene *scene, double *positions);

#endif
