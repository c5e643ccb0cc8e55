/* assembly.h: all objects of a world in one numbering, for detection and response: cloth vertices first, then those of
 * the obstacles; positions at both ends of a step. */
#ifndef MUS_MODEL_ASSEMBLY_H
#define MUS_MODEL_ASSEMBLY_H

#include "model/cloth.h"
#include "model/min_gap.h"
#include "model/neighbors.h"
#include "model/obstacle.h"
#include "model/seam.h"
#include "model/thickness.h"

typedef struct mus_object {
    mus_cloth *cloth; /* one of the two; in the order of the solver: order.h */
    mus_obstacle *obstacle;
    mus_object_id id;         /* in its world; none without one */
    int32_t first, count;     /* vertices */
    double contact_thickness; /* m: its part of a pair's thickness: half the cloth's largest, all of an obstacle's */
    const double *thicknesses, *max_thicknesses; /* m: of a cloth's vertices, as in mus_cloth; NULL: uniform */
    double radius;                               /* m: of an exact shape */
    double friction, restitution;
    const double *frictions;             /* of a cloth's vertices, instead of `friction`; NULL: none */
    double previous_dt, current_dt;      /* s: cloth, rigid body: of v0 and of v1 */
    mus_pose pose0, pose1;               /* obstacle: at both ends of the step */
    mus_pose placed;                     /* rigid body: pose1 before the last placement */
    v3 normal0, point0, normal1, point1; /* plane */
    mus_rigid_step *rigid;               /* of a rigid body; else NULL */
} mus_object;

/* An overlap exemption: vertices of a cloth that do not collide with another object while they overlap it. A
 * feature with only such vertices does not collide either. */
typedef struct mus_overlap_exemption {
    int32_t object, other;         /* cloths by their number, obstacles as -1 less theirs, in order of creation */
    int32_t vertex_count;          /* of `object` */
    int32_t component_count, left; /* connected components: number assigned, and how many still overlap */
    int32_t *component;            /* of each vertex in the given order, from 1; 0: it collides */
    uint8_t *leaving;              /* of each component: separated in the step in progress */
} mus_overlap_exemption;
typedef MUS_ARRAY(mus_overlap_exemption) mus_overlap_exemption_list;

/* A spring of rest length 0 between a cloth vertex and a point of a rigid body: a soft pin, for the step in progress.
 */
typedef struct mus_attachment {
    int32_t vertex;   /* in the assembly's numbering */
    int32_t object;   /* of the body */
    v3 place;         /* m: the point, in the frame of the body's pose */
    double stiffness; /* N/m */
    double damping;   /* N s/m: of the velocity of the vertex relative to the point */
} mus_attachment;

typedef struct mus_assembly {
    int32_t object_count, cloth_count; /* cloths first */
    mus_object *objects;
    mus_rigid_step *rigids; /* of rigid bodies, in order */
    int32_t rigid_count;
    int32_t vertex_count, cloth_vertex_count;
    v3 *x0, *x1; /* start and end of the step */
    v3 *v0;      /* cloth vertices: velocity at the start */
    v3 *v1;      /* cloth vertices: at the end */
    /* Cloth vertices: end positions to which v1 belongs, borrowed from the solver, as is the next. A stage that moves
     * x1 stores x1 here first, then changes v1 by (x1 - velocity_base) / dt. In turn: predicted positions before the
     * hook `candidate`, predicted positions, those after the contact solve, those before a projection. Rigid zones take
     * the momentum of the motion x0 -> velocity_base. */
    v3 *velocity_base;
    v3 *scratch;              /* cloth vertices */
    double *inverse_mass;     /* 0: kinematic */
    int32_t *object_of;       /* of a vertex */
    int32_t *contact_scratch; /* of a vertex: scratch of the contact constraints */
    uint8_t *collide;         /* object_count x object_count */
    mus_neighbors neighbors;
    const mus_overlap_exemption_list *exemptions; /* the world's; NULL: there are none */
    /* Of a cloth vertex: the object that it is pinched by, whose features do not collide with the vertex nor with the
     * edges and faces at it; -1: none. NULL until the first. */
    int32_t *pinched_by;
    bool any_pinched;
    MUS_ARRAY(mus_attachment) attachments;
    bool joined;               /* neighbors may be of different cloths */
    double acceleration_scale; /* m/s^2: length of mus_acceleration_scale in the step under way */
} mus_assembly;

/* `cloths` and `obstacles` in order of creation. */
mus_status mus_assembly_create(mus_cloth *const *cloths, int32_t cloth_count, mus_obstacle *const *obstacles,
                               int32_t obstacle_count, mus_assembly *assembly);
/* Makes sewn cloths neighbors through their seams. */
mus_status mus_assembly_join(mus_assembly *assembly, mus_seam *const *seams, int32_t seam_count);
void mus_assembly_free(mus_assembly *assembly);

static inline double mus_assembly_contact_thickness(const mus_assembly *a, int32_t vertex) {
    const mus_object *object = &a->objects[a->object_of[vertex]];
    return object->thicknesses ? object->thicknesses[vertex - object->first] / 2 : object->contact_thickness;
}
/* m: the same of a vertex, edge or face. */
static inline double mus_assembly_side_thickness(const mus_assembly *a, const int32_t *corner, int count) {
    const mus_object *object = &a->objects[a->object_of[corner[0]]];
    if (!object->thicknesses) return object->contact_thickness;
    return mus_element_thickness(object->thicknesses, corner, count, object->first) / 2;
}
/* m: thickness of a pair, by the vertices of both sides. */
static inline double mus_assembly_pair_thickness(const mus_assembly *a, const int32_t v[4], bool edge_edge) {
    int sides = edge_edge ? 2 : 1;
    return mus_assembly_side_thickness(a, v, sides) + mus_assembly_side_thickness(a, v + sides, 4 - sides);
}
/* m: the largest of the vertex, and the edges and faces at it. */
static inline double mus_assembly_max_thickness(const mus_assembly *a, int32_t vertex) {
    const mus_object *object = &a->objects[a->object_of[vertex]];
    return object->max_thicknesses ? object->max_thicknesses[vertex - object->first] / 2 : object->contact_thickness;
}
/* Do these two objects collide? */
static inline bool mus_assembly_collides(const mus_assembly *a, int32_t object, int32_t other) {
    return a->collide[(size_t)object * (size_t)a->object_count + (size_t)other];
}
static inline double mus_assembly_radius(const mus_assembly *a, int32_t vertex) {
    return vertex < a->cloth_vertex_count ? 0 : a->objects[a->object_of[vertex]].radius;
}
/* Returns whether the vertices, of one object on each side (the first `side` are on one), are exempt, or one is
 * pinched by the other side's object. */
bool mus_assembly_is_exempt(const mus_assembly *a, const int32_t *v, int side, int count);
bool mus_assembly_is_exempt_below(const mus_assembly *a, int32_t vertex, int32_t plane);
static inline bool mus_assembly_has_exemptions(const mus_assembly *a) {
    return a->any_pinched || (a->exemptions && a->exemptions->count > 0);
}
static inline bool mus_object_is_plane(const mus_object *object) {
    return object->obstacle && object->obstacle->def.shape == MUS_SHAPE_PLANE;
}
/* m: least gap of a vertex, or its round surface, above a plane at the end of a step. */
static inline double mus_plane_floor(const mus_assembly *a, const mus_object *plane, int32_t vertex) {
    double thickness = mus_assembly_contact_thickness(a, vertex) + plane->contact_thickness;
    double start = v3_dot(plane->normal0, v3_sub(a->x0[vertex], plane->point0)) - mus_assembly_radius(a, vertex);
    return mus_min_end_gap(thickness, start);
}
/* Position at the end of the step of a point x0 that moves with a rigid obstacle. */
v3 mus_object_transform_point(const mus_object *object, v3 x0);

#endif
