/* crossing.h: where surfaces cross: the edges that pierce faces, and the components into which they cut each mesh. */
#ifndef MUS_WORLD_OVERLAP_CROSSING_H
#define MUS_WORLD_OVERLAP_CROSSING_H

#include "base/sort.h"
#include "model/order.h"
#include "world/overlap/start.h"

/* Data that all rounds of untangling share. */
typedef struct mus_tangle {
    int8_t **turned; /* of an object that is a mesh: 1 or -1 for each face: times this, all faces have the same
                        orientation */
    int8_t *side;   /* count x count: the side of the second object, by the orientation of its faces, on which the first
                       is to end; 0: not chosen yet */
    uint8_t *given; /* likewise: the side is that of layers */
    int32_t count;
    bool layered; /* all objects that cross are treated as layers: sides are chosen once, for whole objects */
} mus_tangle;
mus_status mus_tangle_make(const mus_world_view *view, mus_tangle *tangle);
void mus_tangle_free(mus_tangle *tangle);

/* An edge that pierces a face. Within one cloth also an edge `beside` a face, nearer than the edge's length, that
 * crosses its plane: where a ribbon crosses itself border at border, this cuts parts that a few edges would still
 * connect. */
typedef struct mus_piercing {
    int32_t object, edge[2]; /* lower vertex first */
    int32_t other, face, beside;
    v3 own; /* sum of the normals of the faces at the edge */
    v3 run; /* sum of unit vectors from the point of piercing, along the crossing into the faces at the edge */
} mus_piercing;
_Static_assert(sizeof(mus_piercing) <= MUS_SORT_ITEM, "too large to be sorted");
typedef MUS_ARRAY(mus_piercing) mus_piercing_list;

/* The component of each vertex when the mesh is cut where another crosses it. */
typedef struct mus_cut {
    int32_t *component; /* of each vertex */
    double *weight;     /* kg: mass of the component with this root; INFINITY where sides do not alternate */
} mus_cut;

/* Two objects that cross, or one that crosses itself. */
typedef struct mus_crossing_runs {
    const mus_piercing *run[2]; /* edges of the first through the second, and the other way round */
    int64_t count[2];
    mus_cut cuts[2];
    int sides; /* 1: one object */
} mus_crossing_runs;

static inline const double *mus_crossing_vertex(const mus_audit_object *o, int32_t i) {
    return o->vertices + 3 * (size_t)i;
}
static inline v3 mus_crossing_place(const mus_audit_object *o, int32_t i) {
    return v3_load(mus_crossing_vertex(o, i));
}
static inline const int32_t *mus_crossing_face(const mus_audit_object *o, int32_t f) {
    return o->faces + 3 * (size_t)f;
}
static inline const mus_cloth *mus_crossing_cloth(const mus_assembly *a, int32_t object) {
    const mus_cloth *solved = a->objects[object].cloth;
    return solved ? mus_cloth_given(solved) : NULL;
}
/* Unit normal; of one mesh, all to the same side. */
v3 mus_crossing_normal(const mus_world_view *view, const mus_tangle *tangle, int32_t object, int32_t f);

/* Adds the edges of face f of object x that go through face g of object y. `even`: set in degenerate cases: an edge
 * that only touches the face's border, or lies in its plane, does not pierce it. */
mus_status mus_piercings_add(const mus_world_view *view, const mus_tangle *tangle, int32_t x, int32_t f, int32_t y,
                             int32_t g, mus_piercing_list *list, bool *even);
/* Sorts the list, and joins what its two faces found of one edge. */
void mus_piercings_merge(mus_piercing_list *list);

/* Selects from a merged list the piercings between two objects, or of one with itself, and finds the components of
 * each cloth. The list must outlive them. */
mus_status mus_crossing_runs_make(const mus_assembly *a, const mus_piercing_list *list, int32_t i, int32_t j,
                                  mus_crossing_runs *m);
void mus_crossing_runs_free(mus_crossing_runs *m);

#endif
