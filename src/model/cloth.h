/* cloth.h: the state of one cloth and its elements. */
#ifndef MUS_MODEL_CLOTH_H
#define MUS_MODEL_CLOTH_H

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/topology.h"
#include "model/spring_law.h"
#include "muslin/cloth.h"

/* A spring between two vertices, of which a world has less than 2^29. */
typedef struct mus_spring {
    int32_t a;
    uint32_t b : 30, kind : 2;
    double rest; /* m */
} mus_spring;

/* A hinge: two faces on a common edge (vertices 0 and 1; 2 and 3 opposite). `weight` makes the curvature vector
 * sum weight[k] x[vertex[k]] of the quadratic bending model (Bergou et al. 2006), whose stiffness bounds the step of
 * explicit integrators. Measured stiffnesses are less precise than a float. */
typedef struct mus_hinge {
    int32_t vertex[4];
    float weight[4];
    float stiffness; /* N/m: bending * 3 / (area of the two faces) */
    float moment;    /* N m: stiffness * (edge length)^2, moment per bend */
    float low;       /* m: for lower heights of a face over the edge, gradients are scaled down */
    double rest;     /* bend 2 tan(angle / 2) at rest, 0 where flat; double, or a bent cloth would not be at rest */
} mus_hinge;

typedef enum mus_pin_kind {
    MUS_PIN_NONE,
    MUS_PIN_PLACE,
    MUS_PIN_OBSTACLE,
    MUS_PIN_PATH,
    MUS_PIN_PINCHED, /* made by world/pinch.c, not by users */
    MUS_PIN_FACE     /* of an animated mesh: world/pin.c */
} mus_pin_kind;

typedef struct mus_pin {
    uint8_t kind;
    int32_t target; /* OBSTACLE, PINCHED, FACE: slot of the obstacle; PATH: slot of the world's paths */
    double
        place[3]; /* PLACE, PATH: m in the world; OBSTACLE: in its frame; FACE: from its point, in the face's frame */
    double stiffness; /* N/m: of the force toward that place; 0: the vertex is fixed there */
    double damping;   /* N s/m: of the velocity relative to that place */
    int32_t face;     /* FACE: of the obstacle */
    double weight[3]; /* FACE: of its corners, at its point */
} mus_pin;

/* Points of two faces of an obstacle, on both sides of a pinched vertex. Those of a group move as one, as the middles
 * of their points do at best. */
typedef struct mus_pin_anchor {
    int32_t face[2];
    int32_t group;       /* from 1 */
    int32_t facing;      /* 1: the second point is in front of the first face; -1: behind it */
    double weight[2][3]; /* of the faces' corners */
    mus_pin before;      /* the soft pin that the vertex has again once it is released; kind NONE: it had none */
} mus_pin_anchor;

/* A vertex pulled to a place by a pin, for the step in progress. */
typedef struct mus_pull {
    int32_t vertex;
    double stiffness; /* N/m */
    v3 goal;          /* m: at the end of the step */
    v3 given;         /* kg m: accumulated impulse of its projections */
} mus_pull;

/* Stored columns of a symmetric 3x3 matrix: the others are zero, or equal to the first. Each form begins with the
 * columns of the earlier ones. */
typedef enum mus_jacobian_form {
    MUS_JACOBIAN_NONE,
    MUS_JACOBIAN_UNIFORM,  /* xx, equal to yy and zz */
    MUS_JACOBIAN_DIAGONAL, /* xx yy zz */
    MUS_JACOBIAN_FULL
} mus_jacobian_form;

typedef struct mus_spring_programs mus_spring_programs; /* spring_program.h */
typedef struct mus_sheet mus_sheet;                     /* sheet.h */
typedef struct mus_network mus_network;                 /* network.h */
typedef struct mus_crease mus_crease;                   /* crease.h */
typedef struct mus_plastic_stretch mus_plastic_stretch; /* plastic_stretch.h */
typedef struct mus_cloth_order mus_cloth_order;         /* order.h */
typedef struct mus_embedding mus_embedding;             /* embedding.h */

typedef struct mus_cloth {
    char *name;
    mus_material material;
    double thickness, friction, restitution;
    double *thicknesses;     /* m: one per vertex, `thickness` is the largest; NULL: uniform */
    double *max_thicknesses; /* m: likewise, the largest of the edges and faces at a vertex (thickness.h) */
    double *frictions;       /* one per vertex, instead of `friction`; NULL: none */
    double *strain_limits;   /* the same, instead of the material's */
    double *dampings;        /* the same, factors of damping and bending_damping */
    bool self_collision;
    int32_t layer; /* 0: none */
    mus_look look;
    double *uvs;            /* texture coordinates, uv_count x 2; NULL: read from a snapshot's file */
    int32_t *uv_faces;      /* face_count x 3; NULL: `faces` */
    mus_mesh_group *groups; /* of the mesh's faces, group_count; NULL: none, or read from a snapshot's file */
    int32_t uv_count, group_count;
    mus_embedding *embedding; /* the mesh that pictures and files take instead; NULL: none, or as uvs */

    int32_t vertex_count, face_count;
    int32_t grid_nodes[2]; /* of the mesh, {0, 0} if it is no grid */
    int32_t *faces;
    mus_topology topology; /* its edges and counts */
    double *rest_lengths;  /* one per edge */
    double mean_edge;      /* m, at rest */

    double *x, *v, *f;  /* positions, velocities, external forces: vertex_count x 3 */
    double previous_dt; /* s: v belongs to the middle of a step of this length that ends now; 0 before the first step */
    double *mass, *inverse_mass;
    double *normals; /* NULL: not requested yet */
    double *areas;   /* likewise */
    v3 *reference;   /* m: positions from which motion is measured (world/sleep.c). NULL: never measured */
    /* Sum of traced forces' Jacobians in this step (dynamics/node_force.h): K in N/m and D in N s/m, each with columns
     * xx yy zz xy xz yz of one number per vertex, of which its form stores some: mus_cloth_force_jacobian. NULL: never
     * any. */
    double *force_jacobian;
    uint8_t jacobian_form[2];  /* mus_jacobian_form of K, of D */
    bool windy;                /* `wind` is of this step */
    v3 *wind;                  /* m/s, added to the world's: one per face (dynamics/wind.h). NULL: never any */
    mus_pin *pins;             /* one per vertex; NULL until the first */
    mus_pin_anchor *anchors;   /* one per vertex, of PINCHED pins; NULL until the first */
    int32_t pin_count;         /* including pulling ones */
    MUS_ARRAY(mus_pull) pulls; /* pulling pins, in the order of the given vertices; made for every step */

    mus_spring_law spring_laws[MUS_SPRING_KIND_COUNT];
    mus_spring *springs;
    float *spring_factors; /* of the law's stiffness, one per spring; NULL: all 1 */
    int32_t spring_count;
    mus_spring_programs *spring_programs; /* replace some of the laws; NULL: none */
    mus_hinge *hinges;
    int32_t hinge_count;
    mus_sheet *sheet;                       /* of membranes, which have no springs; else NULL */
    float *warps;                           /* of other cloths: mus_cloth_find_warps; else NULL */
    mus_network *network;                   /* of square elements, which have no springs either; else NULL */
    mus_crease *creases;                    /* one per hinge or fold, of plastic materials; else NULL */
    mus_plastic_stretch *plastic_stretches; /* likewise one per spring or face; else NULL */
    mus_cloth_order *order;                 /* order of the solver, if it differs from the given one; else NULL */
} mus_cloth;

/* Damping of an element, s: of its resistance to stretching and shearing, and to bending. */
static inline double mus_cloth_damping_factor(const mus_cloth *cloth, const int32_t *corner, int count) {
    double sum = 0;
    if (!cloth->dampings) return 1;
    for (int k = 0; k < count; k++) sum += cloth->dampings[corner[k]];
    return sum / count;
}
static inline double mus_cloth_damping(const mus_cloth *cloth, const int32_t *corner, int count) {
    return cloth->material.damping * mus_cloth_damping_factor(cloth, corner, count);
}
static inline double mus_cloth_bending_damping(const mus_cloth *cloth, const int32_t *corner, int count) {
    return cloth->material.bending_damping * mus_cloth_damping_factor(cloth, corner, count);
}

/* Count of numbers in `force_jacobian`, and column k of K (0) or D (1), aligned to a cache line for SIMD. */
static inline size_t mus_cloth_force_jacobian_size(const mus_cloth *cloth) {
    return 12 * (((size_t)cloth->vertex_count + 7) & ~(size_t)7) + 7;
}
static inline double *mus_cloth_force_jacobian(const mus_cloth *cloth, int by, int k) {
    size_t stride = ((size_t)cloth->vertex_count + 7) & ~(size_t)7;
    return (double *)(((uintptr_t)cloth->force_jacobian + 63) & ~(uintptr_t)63) + (size_t)(6 * by + k) * stride;
}

/* Builds a cloth from a checked definition; `name` is copied. On failure `*cloth` is NULL. */
mus_status mus_cloth_new(const mus_cloth_def *def, const char *name, mus_cloth **cloth);
void mus_cloth_free(mus_cloth *cloth);
/* Memory for the arrays of a cloth whose counts are set, its name and a copy of its faces, with their topology. */
mus_status mus_cloth_allocate(mus_cloth *cloth, const int32_t *faces, const char *name);
/* A cloth of these faces with topology and memory for its elements (springs: mus_cloth_spring_room, hinges: one per
 * hinge of the topology), all zero. */
mus_status mus_cloth_shell(const char *name, int32_t vertex_count, const int32_t *faces, int32_t face_count,
                           mus_cloth **cloth);
int64_t mus_cloth_spring_room(const mus_cloth *cloth);
/* Call once its elements are complete: finds the order in which it is solved, and frees unused memory. */
mus_status mus_cloth_complete(mus_cloth *cloth);
void mus_cloth_trim(mus_cloth *cloth); /* only frees unused memory */

/* Fills `normals`; NO_MEMORY the first time. */
mus_status mus_cloth_compute_normals(mus_cloth *cloth);
/* Fills `areas`, m^2: of each vertex a third of the faces around it, as they are now; NO_MEMORY the first time. */
mus_status mus_cloth_compute_areas(mus_cloth *cloth);

/* Membranes of triangles; the other models are networks of springs. */
static inline bool mus_model_is_membrane(mus_material_model model) {
    return model == MUS_MODEL_STVK || model == MUS_MODEL_NEO_HOOKEAN || model == MUS_MODEL_MEASURED;
}
/* The law of one spring: that of its kind, or `own`, which receives it with the spring's factor. */
static inline const mus_spring_law *mus_spring_law_of(const mus_cloth *cloth, const mus_spring *spring,
                                                      mus_spring_law *own) {
    const mus_spring_law *law = &cloth->spring_laws[spring->kind];
    if (!cloth->spring_factors) return law;
    *own = *law;
    double factor = (double)cloth->spring_factors[spring - cloth->springs];
    own->stiffness *= factor, own->bending *= factor;
    return own;
}
/* Fixed: pulled vertices move by their forces. */
static inline bool mus_vertex_is_pinned(const mus_cloth *cloth, int32_t vertex) {
    return cloth->pins && cloth->pins[vertex].kind != MUS_PIN_NONE && cloth->pins[vertex].stiffness == 0;
}
static inline bool mus_vertex_is_pulled(const mus_cloth *cloth, int32_t vertex) {
    return cloth->pins && cloth->pins[vertex].kind != MUS_PIN_NONE && cloth->pins[vertex].stiffness > 0;
}
/* The soft pin of a vertex, also one that waits until the vertex is no longer pinched; NULL: it has none. */
static inline mus_pin *mus_cloth_soft_pin(const mus_cloth *cloth, int32_t vertex) {
    if (!cloth->pins) return NULL;
    mus_pin *pin = &cloth->pins[vertex];
    if (pin->kind == MUS_PIN_PINCHED) pin = &cloth->anchors[vertex].before;
    return pin->kind != MUS_PIN_NONE && pin->stiffness > 0 ? pin : NULL;
}

#endif
