/* abc.c: writes the motion of parts as an Alembic file (Ogawa). Each part is a transform of the part's name, which is
 * the identity, around a PolyMesh of the same name: positions and bounds of every frame as floats, faces, texture
 * coordinates, and a FaceSet for each group. A part that does not exist in every frame is hidden in the others.
 *
 * The layout is that of the library's AbcCoreOgawa and AbcGeom 1.8. An object is a group: its properties, its children,
 * and a block of the children's headers. A compound property is a group: its properties and a block of their headers.
 * A simple property is a group of its samples; before the first and after the last sample that differs from the one
 * before it they are not repeated. An array has a second block after each sample, which may be empty for one dimension.
 */
#include "base/memory.h"
#include "io/ogawa.h"
#include "io/soup.h"
#include "muslin/build.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum property_kind { COMPOUND, SCALAR, ARRAY } property_kind;
typedef enum number_type { BOOLEAN = 0, INT8 = 2, UINT32 = 5, INT32 = 6, FLOAT32 = 10, FLOAT64 = 11 } number_type;

#define GEOMETRY ";schemaBaseType=AbcGeom_GeomBase_v1"
#define XFORM    "schema=AbcGeom_Xform_v3"
#define MESH     "schema=AbcGeom_PolyMesh_v1"
#define FACE_SET "schema=AbcGeom_FaceSet_v1"
#define UV       "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t"

/* A group under construction with the headers of what is in it. */
typedef struct branch {
    MUS_ARRAY(mus_ogawa_node) nodes;
    MUS_ARRAY(unsigned char) headers;
    bool failed; /* no memory */
} branch;

/* Numbers of samples, from 0: of all, and of the first and last that differ from the one before them; both 0: none. */
typedef struct samples {
    uint32_t count, first_changed, last_changed;
    bool timed; /* one for each frame */
} samples;

typedef struct property {
    const char *name, *metadata;
    property_kind kind;
    number_type type;
    uint32_t extent; /* numbers of a value */
    samples samples;
} property;

typedef struct output {
    mus_ogawa file;
    const mus_parts_animation *animation;
    float *positions; /* of the largest part */
    int32_t *corners; /* scratch: three for each face of the largest part */
    float *uvs;       /* scratch: of the most texture coordinates */
} output;

#define CONSTANT                                                                                                       \
    (samples) {                                                                                                        \
        .count = 1                                                                                                     \
    }

static void add_node(branch *b, mus_ogawa_node node) {
    if (!mus_array_push(&b->nodes, node)) b->failed = true;
}

static void add_bytes(branch *b, const void *bytes, size_t size) {
    if (!mus_array_reserve(&b->headers, b->headers.count + (int64_t)size)) {
        b->failed = true;
        return;
    }
    memcpy(b->headers.data + b->headers.count, bytes, size);
    b->headers.count += (int64_t)size;
}

static void add_number(branch *b, uint32_t number) {
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)(number >> 8 * k);
    add_bytes(b, bytes, sizeof bytes);
}

static void add_text(branch *b, const char *text) {
    add_number(b, (uint32_t)strlen(text));
    add_bytes(b, text, strlen(text));
}

/* Ends the branch: its group, whose last block is of the headers. */
static mus_ogawa_node write_branch(mus_ogawa *file, branch *b, mus_status *status) {
    mus_ogawa_node group = MUS_OGAWA_EMPTY_GROUP;
    if (b->headers.count > 0) add_node(b, mus_ogawa_block(file, b->headers.data, (size_t)b->headers.count));
    if (b->failed && *status == MUS_STATUS_OK) *status = MUS_STATUS_NO_MEMORY;
    if (*status == MUS_STATUS_OK) group = mus_ogawa_group(file, b->nodes.data, b->nodes.count);
    mus_array_free(&b->nodes);
    mus_array_free(&b->headers);
    return group;
}

/* ---- Properties ------------------------------------------------------------------------------------------------- */

enum { WIDE = 2 << 2, TIMED = 1 << 8, CHANGES = 1 << 9, SAME_SIZE = 1 << 10, STILL = 1 << 11 };
static const uint32_t INLINE_METADATA = 0xffu << 20;

static void add_property(branch *parent, const property *p, mus_ogawa_node node) {
    const samples *s = &p->samples;
    bool still = s->last_changed == 0;
    uint32_t info = (uint32_t)p->kind | WIDE | INLINE_METADATA;
    if (p->kind != COMPOUND)
        info |=
            (uint32_t)p->type << 4 | p->extent << 12 | SAME_SIZE | (s->timed ? TIMED : 0) | (still ? STILL : CHANGES);
    add_number(parent, info);
    if (p->kind != COMPOUND) {
        add_number(parent, s->count);
        if (!still) add_number(parent, s->first_changed), add_number(parent, s->last_changed);
        if (s->timed) add_number(parent, 1);
    }
    add_text(parent, p->name);
    add_text(parent, p->metadata);
    add_node(parent, node);
}

static void add_compound(mus_ogawa *file, branch *parent, const char *name, const char *metadata, branch *content,
                         mus_status *status) {
    mus_ogawa_node group = write_branch(file, content, status);
    add_property(parent, &(property){.name = name, .metadata = metadata, .kind = COMPOUND}, group);
}

/* A property that does not change; `count`: its values. */
static void add_constant(mus_ogawa *file, branch *parent, property p, const void *values, size_t count) {
    size_t width = p.type == FLOAT64 ? 8 : p.type < UINT32 ? 1 : 4;
    mus_ogawa_node nodes[] = {mus_ogawa_sample(file, values, width, count * p.extent), MUS_OGAWA_EMPTY_BLOCK};
    p.samples = CONSTANT;
    add_property(parent, &p, mus_ogawa_group(file, nodes, p.kind == ARRAY ? 2 : 1));
}

/* Whole numbers, one a value. */
static void add_numbers(mus_ogawa *file, branch *parent, const char *name, const int32_t *numbers, size_t count) {
    add_constant(file, parent, (property){name, "", ARRAY, INT32, 1, CONSTANT}, numbers, count);
}

/* ---- Objects ---------------------------------------------------------------------------------------------------- */

/* The object's group: a branch whose first node is the group of its properties. */
static mus_ogawa_node write_object(mus_ogawa *file, branch *properties, branch *object, mus_status *status) {
    mus_ogawa_node own = write_branch(file, properties, status);
    if (object->nodes.count > 0)
        object->nodes.data[0] = own;
    else
        add_node(object, own);
    for (int k = 0; k < 4; k++) { /* keys of the properties and of the children, 16 bytes each */
        add_number(object, (uint32_t)file->hash);
        add_number(object, (uint32_t)(file->hash >> 32));
    }
    return write_branch(file, object, status);
}

/* A name without slashes, then the number of its sibling, if it has one. */
static void add_name(branch *b, const char *name, int32_t number) {
    char suffix[16] = "";
    size_t length = strlen(name);
    if (number > 0) snprintf(suffix, sizeof suffix, ".%d", number);
    add_number(b, (uint32_t)(length + strlen(suffix)));
    for (size_t k = 0; k < length; k++) add_bytes(b, name[k] == '/' ? "_" : name + k, 1);
    add_bytes(b, suffix, strlen(suffix));
}

static void add_object(branch *parent, const char *name, int32_t number, const char *metadata, mus_ogawa_node node) {
    const unsigned char metadata_follows = 0xff;
    if (parent->nodes.count == 0) add_node(parent, MUS_OGAWA_EMPTY_GROUP); /* for the parent's properties */
    add_name(parent, name, number);
    add_bytes(parent, &metadata_follows, 1);
    add_text(parent, metadata);
    add_node(parent, node);
}

static bool same_name(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a == '/' ? '_' : *a) != (*b == '/' ? '_' : *b)) return false;
    return *a == *b;
}

static const char *name_of_part(const mus_part *part) {
    return part->name && *part->name ? part->name : "part";
}

static const char *name_of_group(const mus_mesh_group *group) {
    return group->name && *group->name ? group->name : "group";
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

/* The samples of the part's frames. `change`: false for what is the same in all of them. */
static samples samples_of(const output *o, int32_t part, bool change) {
    const mus_part_frames *f = &o->animation->frames[part];
    if (!change || f->frame_count < 2) return CONSTANT;
    return (samples){.count = (uint32_t)o->animation->frame_count,
                     .first_changed = (uint32_t)f->first_frame + 1,
                     .last_changed = (uint32_t)(f->first_frame + f->frame_count) - 1,
                     .timed = true};
}

static void bounds_of(const float *positions, int32_t count, double bounds[6]) {
    for (int axis = 0; axis < 3; axis++) {
        bounds[axis] = INFINITY, bounds[3 + axis] = -INFINITY;
        for (int64_t k = 0; k < count; k++) {
            double x = (double)positions[3 * k + axis];
            bounds[axis] = fmin(bounds[axis], x), bounds[3 + axis] = fmax(bounds[3 + axis], x);
        }
    }
}

/* Positions and bounds, frame by frame. */
static mus_status add_motion(output *o, int32_t part, branch *geometry) {
    const mus_parts_animation *a = o->animation;
    const mus_part_frames *f = &a->frames[part];
    int32_t vertices = a->parts[part].vertex_count;
    samples s = samples_of(o, part, f->moves);
    branch positions = {.failed = false}, boxes = {.failed = false};
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < (s.timed ? f->frame_count : 1) && status == MUS_STATUS_OK; k++) {
        double bounds[6];
        status = a->read(a->user, part, f->first_frame + k, o->positions);
        if (status != MUS_STATUS_OK) break;
        bounds_of(o->positions, vertices, bounds);
        add_node(&positions, mus_ogawa_sample(&o->file, o->positions, 4, 3 * (size_t)vertices));
        add_node(&positions, MUS_OGAWA_EMPTY_BLOCK);
        add_node(&boxes, mus_ogawa_sample(&o->file, bounds, 8, 6));
    }
    property p = {"P", "geoScope=vtx;interpretation=point", ARRAY, FLOAT32, 3, s};
    property b = {".selfBnds", "interpretation=box", SCALAR, FLOAT64, 6, s};
    add_property(geometry, &p, write_branch(&o->file, &positions, &status));
    add_property(geometry, &b, write_branch(&o->file, &boxes, &status));
    return status;
}

/* Corners of faces in Alembic's order, which is clockwise seen from outside. */
static const int32_t *turned(output *o, const int32_t *faces, int32_t count) {
    for (int64_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) o->corners[3 * k + c] = faces[3 * k + 2 - c];
    return o->corners;
}

static void add_uvs(output *o, const mus_part *part, branch *geometry, mus_status *status) {
    branch uv = {.failed = false};
    for (int64_t k = 0; k < 2 * (int64_t)part->uv_count; k++) o->uvs[k] = (float)part->uvs[k];
    property values = {".vals", "interpretation=vector", ARRAY, FLOAT32, 2, CONSTANT};
    property corners = {".indices", "", ARRAY, UINT32, 1, CONSTANT};
    add_constant(&o->file, &uv, values, o->uvs, (size_t)part->uv_count);
    add_constant(&o->file, &uv, corners, turned(o, part->uv_faces, part->face_count), 3 * (size_t)part->face_count);
    add_compound(&o->file, geometry, "uv", UV, &uv, status);
}

static mus_status add_geometry(output *o, int32_t part, branch *properties) {
    const mus_part *p = &o->animation->parts[part];
    branch geometry = {.failed = false};
    mus_status status = add_motion(o, part, &geometry);
    add_numbers(&o->file, &geometry, ".faceIndices", turned(o, p->faces, p->face_count), 3 * (size_t)p->face_count);
    for (int32_t k = 0; k < p->face_count; k++) o->corners[k] = 3;
    add_numbers(&o->file, &geometry, ".faceCounts", o->corners, (size_t)p->face_count);
    if (p->uvs && p->uv_faces) add_uvs(o, p, &geometry, &status);
    add_compound(&o->file, properties, ".geom", MESH GEOMETRY, &geometry, &status);
    return status;
}

/* The faces of each group; its bounds are empty, for readers to find. */
static mus_status add_groups(output *o, const mus_part *part, branch *mesh) {
    static const double nowhere[6] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    const property bounds = {".selfBnds", "interpretation=box", SCALAR, FLOAT64, 6, CONSTANT};
    mus_status status = MUS_STATUS_OK;
    int32_t first = 0;
    for (int32_t k = 0; k < part->group_count && status == MUS_STATUS_OK; k++) {
        const mus_mesh_group *group = &part->groups[k];
        branch content = {.failed = false}, properties = {.failed = false}, object = {.failed = false};
        int32_t same = 0;
        for (int32_t j = 0; j < k; j++) same |= same_name(name_of_group(&part->groups[j]), name_of_group(group));
        for (int32_t j = 0; j < group->face_count; j++) o->corners[j] = first++;
        add_constant(&o->file, &content, bounds, nowhere, 1);
        add_numbers(&o->file, &content, ".faces", o->corners, (size_t)group->face_count);
        add_compound(&o->file, &properties, ".faceset", FACE_SET GEOMETRY, &content, &status);
        add_object(mesh, name_of_group(group), same ? k + 1 : 0,
                   FACE_SET GEOMETRY ";schemaObjTitle=AbcGeom_FaceSet_v1:.faceset",
                   write_object(&o->file, &properties, &object, &status));
    }
    return status;
}

/* 1 in the frames in which the part exists, 0 in the others. */
static mus_status add_visibility(output *o, int32_t part, branch *properties) {
    const mus_part_frames *f = &o->animation->frames[part];
    int64_t frames = o->animation->frame_count;
    branch values = {.failed = false};
    mus_status status = MUS_STATUS_OK;
    if (f->frame_count == frames) return status;
    for (int64_t k = 0; k < frames; k++) {
        const signed char visible = k >= f->first_frame && k < f->first_frame + f->frame_count;
        add_node(&values, mus_ogawa_sample(&o->file, &visible, 1, 1));
    }
    samples s = {.count = (uint32_t)frames, .first_changed = 1, .last_changed = (uint32_t)frames - 1, .timed = true};
    property p = {"visible", "", SCALAR, INT8, 1, s};
    add_property(properties, &p, write_branch(&o->file, &values, &status));
    return status;
}

static mus_status add_part(output *o, int32_t part, branch *root) {
    const mus_part *p = &o->animation->parts[part];
    const char *name = name_of_part(p);
    branch mesh = {.failed = false}, mesh_properties = {.failed = false};
    branch xform = {.failed = false}, xform_properties = {.failed = false}, own = {.failed = false};
    const signed char yes = 1;
    int32_t number = 0;
    for (int32_t k = 0; k < part; k++)
        if (same_name(name_of_part(&o->animation->parts[k]), name)) number = part + 1;
    mus_status status = add_groups(o, p, &mesh);
    if (status == MUS_STATUS_OK) status = add_geometry(o, part, &mesh_properties);
    mus_ogawa_node node = write_object(&o->file, &mesh_properties, &mesh, &status);
    add_object(&xform, name, number, MESH GEOMETRY ";schemaObjTitle=AbcGeom_PolyMesh_v1:.geom", node);
    add_constant(&o->file, &own, (property){".inherits", "", SCALAR, BOOLEAN, 1, CONSTANT}, &yes, 1);
    add_compound(&o->file, &xform_properties, ".xform", XFORM, &own, &status);
    if (status == MUS_STATUS_OK) status = add_visibility(o, part, &xform_properties);
    node = write_object(&o->file, &xform_properties, &xform, &status);
    add_object(root, name, number, XFORM ";schemaObjTitle=AbcGeom_Xform_v3:.xform", node);
    return status;
}

/* ---- The archive ------------------------------------------------------------------------------------------------ */

/* Time samplings: that of what is not timed, one sample a second from 0, and that of the frames. */
static mus_ogawa_node write_times(output *o, mus_status *status) {
    branch times = {.failed = false};
    const uint32_t counts[] = {1, (uint32_t)o->animation->frame_count};
    const double steps[] = {1, 1 / o->animation->fps};
    for (int k = 0; k < 2; k++) {
        uint64_t bits;
        memcpy(&bits, &steps[k], sizeof bits);
        add_number(&times, counts[k]);
        add_number(&times, (uint32_t)bits), add_number(&times, (uint32_t)(bits >> 32));
        add_number(&times, 1);                        /* samples of a step */
        add_number(&times, 0), add_number(&times, 0); /* the first one's time, s */
    }
    if (times.failed) *status = MUS_STATUS_NO_MEMORY;
    mus_ogawa_node node = mus_ogawa_block(&o->file, times.headers.data, (size_t)times.headers.count);
    mus_array_free(&times.headers);
    return node;
}

static mus_status write_archive(output *o, mus_writer *writer) {
    static const char version[4] = {0}, library[4] = {0x39, 0x2a}; /* 0 and 10809: the layout of release 1.8.9 */
    static const char application[] = "_ai_Application=muslin " MUS_VERSION;
    branch root = {.failed = false}, nothing = {.failed = false};
    mus_status status = MUS_STATUS_OK;
    mus_ogawa_start(&o->file, writer);
    for (int32_t k = 0; k < o->animation->part_count && status == MUS_STATUS_OK; k++)
        if (o->animation->parts[k].face_count > 0) status = add_part(o, k, &root);
    mus_ogawa_node nodes[6] = {[2] = write_object(&o->file, &nothing, &root, &status)};
    nodes[0] = mus_ogawa_block(&o->file, version, sizeof version);
    nodes[1] = mus_ogawa_block(&o->file, library, sizeof library);
    nodes[3] = mus_ogawa_block(&o->file, application, sizeof application - 1);
    nodes[4] = write_times(o, &status);
    nodes[5] = MUS_OGAWA_EMPTY_BLOCK; /* metadata that headers refer to by number: none, it is in the headers */
    mus_ogawa_end(&o->file, mus_ogawa_group(&o->file, nodes, 6));
    return status;
}

mus_status mus_abc_write_animation(mus_writer *writer, const mus_parts_animation *a) {
    size_t vertices = 0, faces = 0, uvs = 0;
    if (a->frame_count > UINT32_MAX)
        return mus_fail(MUS_STATUS_INVALID, "%s: Alembic files have at most %u frames (got %lld)", writer->path,
                        UINT32_MAX, (long long)a->frame_count);
    for (int32_t k = 0; k < a->part_count; k++) {
        const mus_part *p = &a->parts[k];
        if ((size_t)p->vertex_count > vertices) vertices = (size_t)p->vertex_count;
        if ((size_t)p->face_count > faces) faces = (size_t)p->face_count;
        if ((size_t)p->uv_count > uvs) uvs = (size_t)p->uv_count;
    }
    output o = {.animation = a,
                .positions = mus_new((3 * vertices + 1) * sizeof *o.positions),
                .corners = mus_new((3 * faces + 1) * sizeof *o.corners),
                .uvs = mus_new((2 * uvs + 1) * sizeof *o.uvs)};
    mus_status status = o.positions && o.corners && o.uvs ? write_archive(&o, writer) : MUS_STATUS_NO_MEMORY;
    mus_free(o.positions);
    mus_free(o.corners);
    mus_free(o.uvs);
    return status;
}
