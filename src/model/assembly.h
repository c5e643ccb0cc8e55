/* assembly.h: all objects of a world in one numbering, for detection and response: cloth vertices first, then those of
 * the obstacles; positions at both ends of a step. */
#ifndef MUS_MODEL_ASSEMBLY_H
#define MUS_MODEL_ASSEMBLY_H

#include "model/cloth.h"
#include "model/neighbors.h"
#include "model/obstacle.h"
#include "model/seam.h"

typedef struct mus_object {
    mus_cloth *cloth; /* one of the two; as it is solved: order.h */
    mus_obstacle *obstacle;
    int32_t first, count;  /* vertices */
    double half_thickness; /* m: half the cloth's thickness, or the obstacle's own thickness */
    double radius;         /* m: of an exact shape */
    double friction, restitution;
    double previous_dt, current_dt;      /* s: cloth, dynamic obstacle: of v0 and of v1 */
    mus_pose pose0, pose1;               /* obstacle: at both ends of the step */
    mus_pose placed;                     /* dynamic obstacle: pose1 before the last look at it */
    v3 normal0, point0, normal1, point1; /* plane */
    mus_rigid_step *rigid;               /* of a dynamic obstacle; else NULL */
} mus_object;

/* An overlap that is let be: vertices of a cloth that do not collide with another object while they overlap it. A
 * feature all of whose vertices are such does not either. */
typedef struct mus_overlap_exemption {
    int32_t object, other;         /* cloths by their number, obstacles as -1 less theirs, in order of creation */
    int32_t vertex_count;          /* of `object` */
    int32_t component_count, left; /* that hang together: numbers given, and how many of them are still there */
    int32_t *component;            /* of a vertex as given, from 1; 0: it collides */
    uint8_t *leaving;              /* of a part: the step under way has brought it out */
} mus_overlap_exemption;
typedef MUS_ARRAY(mus_overlap_exemption) mus_overlap_exemption_list;

typedef struct mus_assembly {
    int32_t object_count, cloth_count; /* cloths first */
    mus_object *objects;
    mus_rigid_step *rigids; /* of dynamic obstacles, in order */
    int32_t rigid_count;
    int32_t vertex_count, cloth_vertex_count;
    v3 *x0, *x1;              /* start and end of the step */
    v3 *v0;                   /* cloth vertices: velocity at the start */
    v3 *v1;                   /* cloth vertices: at the end */
    v3 *free_x1;              /* cloth vertices: end as dynamics left it; lent by the solver, as is the next */
    v3 *scratch;              /* cloth vertices */
    double *inverse_mass;     /* 0: kinematic */
    int32_t *object_of;       /* of a vertex */
    int32_t *contact_scratch; /* of a vertex: scratch of the contact rows */
    uint8_t *collide;         /* object_count x object_count */
    mus_neighbors neighbors;
    const mus_overlap_exemption_list *exemptions; /* the world's; NULL: there are none */
    bool joined;                                  /* neighbours may be of different cloths */
} mus_assembly;

/* `cloths` and `obstacles` in order of creation. */
mus_status mus_assembly_create(mus_cloth *const *cloths, int32_t cloth_count, mus_obstacle *const *obstacles,
                               int32_t obstacle_count, mus_assembly *assembly);
/* Sewn cloths are neighbours through their seams. */
mus_status mus_assembly_join(mus_assembly *assembly, mus_seam *const *seams, int32_t seam_count);
void mus_assembly_free(mus_assembly *assembly);

static inline double mus_assembly_half_thickness(const mus_assembly *a, int32_t vertex) {
    return a->objects[a->object_of[vertex]].half_thickness;
}
static inline double mus_assembly_radius(const mus_assembly *a, int32_t vertex) {
    return vertex < a->cloth_vertex_count ? 0 : a->objects[a->object_of[vertex]].radius;
}
/* Whether the vertices, of one body each side (the first `side` are one), are let overlap. */
bool mus_assembly_is_exempt(const mus_assembly *a, const int32_t *v, int side, int count);
bool mus_assembly_is_exempt_below(const mus_assembly *a, int32_t vertex, int32_t plane);
static inline bool mus_assembly_has_exemptions(const mus_assembly *a) {
    return a->exemptions && a->exemptions->count > 0;
}
static inline bool mus_object_is_plane(const mus_object *object) {
    return object->obstacle && object->obstacle->def.shape == MUS_SHAPE_PLANE;
}
/* Least gap, m, at which a vertex, or its round surface, may end above a plane: a tenth of the contact's thickness, or
 * half the gap it started with. */
static inline double mus_plane_floor(const mus_assembly *a, const mus_object *plane, int32_t vertex) {
    double thickness = mus_assembly_half_thickness(a, vertex) + plane->half_thickness;
    double start = v3_dot(plane->normal0, v3_sub(a->x0[vertex], plane->point0)) - mus_assembly_radius(a, vertex);
    return fmin(0.1 * thickness, 0.5 * start);
}
/* Where the motion of a rigid obstacle over the step takes a point that rides on it. */
v3 mus_object_transform_point(const mus_object *object, v3 x0);

#endif
