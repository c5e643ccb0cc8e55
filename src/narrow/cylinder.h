/* cylinder.h: pairs with a solid cylinder. Its collision geometry is its axis, an edge, swept by a disc perpendicular
 * to it (Minkowski sum): along a unit direction n it extends radius |n - (n.u)u| beyond its axis, u the axis'
 * direction. The capsule of the same axis and radius contains it, so what clears the capsule clears the cylinder. */
#ifndef MUS_NARROW_CYLINDER_H
#define MUS_NARROW_CYLINDER_H

#include "narrow/candidate_pairs.h"

/* Whether an object, or a side of a pair, is a cylinder. */
static inline bool mus_object_is_cylinder(const mus_object *object) {
    return object->obstacle && object->obstacle->def.shape == MUS_SHAPE_CYLINDER;
}
static inline bool mus_pair_has_cylinder(const mus_assembly *a, const int32_t vertex[4]) {
    return (vertex[0] >= a->cloth_vertex_count && mus_object_is_cylinder(&a->objects[a->object_of[vertex[0]]])) ||
           (vertex[2] >= a->cloth_vertex_count && mus_object_is_cylinder(&a->objects[a->object_of[vertex[2]]]));
}

/* Nearest points: of an edge and the whole solid, or of a face and the disc at one end of the axis. */
typedef struct mus_cylinder_nearest {
    v3 normal;        /* unit, from side B to side A */
    double weight[4]; /* normal . sum of weight x = gap + radius */
    double gap;       /* m, negative inside */
    double radius;    /* m: extent of the sides beyond their vertices along the normal */
    bool on_rim;      /* the nearest point of the face is on an edge: the pair with that edge has it too */
} mus_cylinder_nearest;
/* The nearest points at the fraction t of the step. The pair must have a cylinder. */
void mus_cylinder_find_nearest(const mus_assembly *a, const mus_candidate_pair *c, double t,
                               mus_cylinder_nearest *nearest);

/* As mus_ccd_vf and _ee: returns whether the pair comes within `gap` (m) of the surface during the step. Positions are
 * linear in time, and the axis' direction follows from its ends. No miss, no late time: clearance is certified by
 * directions along which the sides stay apart over an interval. */
bool mus_cylinder_ccd(const mus_assembly *a, const mus_candidate_pair *c, double gap, double tolerance, double *toi);

/* Returns whether the direction of the nearest points at the start certifies that the pair stays further than gap
 * apart. */
bool mus_cylinder_stays_clear(const mus_assembly *a, const mus_candidate_pair *c, double gap);

/* Extent (m) of the sides along a unit normal, at the fraction t of the step. */
double mus_cylinder_radius_along(const mus_assembly *a, const mus_candidate_pair *c, v3 normal, double t);
/* Motion (m) of a cylinder's rims in the step beyond that of its axis' ends. */
double mus_cylinder_rim_motion(const mus_assembly *a, const mus_object *object);

#endif
