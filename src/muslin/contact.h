/* contact.h: contacts, responses, and coefficients of pairs. */
#ifndef MUSLIN_CONTACT_H
#define MUSLIN_CONTACT_H

#include "object.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* The features of a contact. */
typedef enum mus_pair_kind {
    MUS_PAIR_VERTEX_FACE, /* a vertex of side 1 and a face of side 2, or the other way round: see `weights` */
    MUS_PAIR_EDGE_EDGE,
    MUS_PAIR_VERTEX_PLANE
} mus_pair_kind;

/* One elementary contact. Side 1 is cloth; side 2 cloth or obstacle. */
typedef struct mus_contact {
    mus_pair_kind kind;      /* the features */
    mus_object_id object[2]; /* of the sides; side 1 is cloth if any is */
    int32_t vertices[4];     /* of their objects, vertex–face: v f0 f1 f2; edge–edge: a0 a1 b0 b1; -1: unused */
    int8_t side[4];          /* 0: side 1, 1: side 2 */
    double weights[4];       /* barycentric, > 0 on side 1, < 0 on side 2; each side sums to 1 in magnitude */
    double point[2][3];      /* m, nearest points on the sides */
    double normal[3];        /* unit, from side 2 to side 1 */
    double velocity[3];      /* m/s, v1 - v2 at the points */
    double distance;         /* m, of the nearest points */
    double gap;              /* m: distance - thickness */
    double start_gap;        /* m: gap at the start of the step */
    double mass;             /* kg, 1/sum(w^2/m) over both sides; obstacles that are not dynamic have infinite mass */
    double friction;         /* coefficient of the pair */
    double restitution;      /* coefficient of the pair */
    double dt;               /* s: of the step or substep */
    double toi;              /* s: time of impact within the step, 0 for proximity */
    double time;             /* s: of the world */
    double impulse[3];       /* N s, total impulse of the step on side 1 */
} mus_contact;

/* The contacts of the present step (within callbacks) or the last one; none after a step that failed. Owned by the
 * world, valid until the next step. NULL (with a count of 0) before the first step, or when memory ran out. */
MUS_API const mus_contact *mus_world_get_contacts(const mus_world *world, int64_t *count);

/* A response rule: writes impulse[0] (N s on side 1, at its nearest point) and may write impulse[1] (on side 2,
 * preset to NAN, which stands for minus the first). */
typedef mus_status (*mus_rule_fn)(void *user, const mus_contact *contact, double impulse[2][3]);

/* A response to add: start from mus_response_def_default. */
typedef struct mus_response_def {
    uint32_t cookie;  /* set by the _default() function */
    const char *name; /* for statistics and messages; NULL: the rule's */
    const char *rule; /* the pipeline's response stage by name; NULL: the same, or `callback` */
    mus_rule_fn
        callback; /* NULL with `rule`; mus_program_evaluate_rule with a program as `user`, which the world references */
    void *user;   /* passed to the callback */
    /* The callback is called for each cloth vertex of a contact that can move: `velocity` of the contact is then
     * that of the vertex, in the frame of Provot 1997, eq. 4 (of the center of mass of the vertices involved; of an
     * obstacle's surface; a rigid body is one of the vertices, with its effective mass there), `mass` its mass and
     * `normal` that of the face, or across both edges, at the start of the step. It writes the new velocity of the
     * vertex in that frame, m/s, to impulse[0]. Of a program the kind decides. */
    bool per_node;
    double friction;          /* < 0: the pair's own */
    double restitution;       /* < 0: the pair's own */
    mus_object_id between[2]; /* the pair; {a, none}: a against anything; both none: any pair */
    const char *failsafe;     /* NULL: the pipeline's */
} mus_response_def;

/* The pipeline's response, any pair, the coefficients of the pair. */
MUS_API mus_response_def mus_response_def_default(void);
/* The last response added that matches a pair applies to it; the pipeline's own rule where none matches. The
 * fail-safe runs after every rule, so no rule can cause an intersection (in a pipeline with the guarantee). The pair is
 * kept by names, as settings of pairs are (mus_world_ignore_pair). STALE for a removed object in `between`. */
MUS_API mus_status mus_response_create(mus_world *world, const mus_response_def *def, mus_response_id *id);
/* Removes a response; its handle becomes stale. LOCKED within a step. */
MUS_API mus_status mus_response_destroy(mus_world *world, mus_response_id id);
/* False for the handle of a removed response. */
MUS_API bool mus_response_is_valid(const mus_world *world, mus_response_id id);
/* Number of responses that the world has now. */
MUS_API int32_t mus_world_get_response_count(const mus_world *world);
MUS_API mus_response_id mus_world_get_response(const mus_world *world, int32_t k); /* in the order they were added */
/* Whether the response has a callback in place of a named rule. */
MUS_API bool mus_response_has_callback(const mus_world *world, mus_response_id id);
/* Replaces a response's callback, as needed in a loaded world. INVALID for a response without one. */
MUS_API mus_status mus_response_set_callback(mus_world *world, mus_response_id id, mus_rule_fn callback, void *user);
/* The same for a callback for each vertex, as with mus_response_def.per_node. */
MUS_API mus_status mus_response_set_node_callback(mus_world *world, mus_response_id id, mus_rule_fn callback,
                                                  void *user);

/* ---- Friction and restitution of pairs --------------------------------------------------------------------------
 *
 * Coefficients of a pair of objects in place of those that follow from the two sides: a number, or a function of the
 * contact. A function is evaluated when a contact is found: at the start of a step or an iteration of "newton", and for
 * each hit. The value is kept for that step, iteration or hit: it is lagged, as friction is in all implicit schemes. */

/* A coefficient of a pair of objects. */
typedef enum mus_coefficient {
    MUS_COEFFICIENT_FRICTION,    /* Coulomb's, finite and >= 0 */
    MUS_COEFFICIENT_RESTITUTION, /* 0..1 */
    MUS_COEFFICIENT_COUNT
} mus_coefficient;
MUS_API const char *mus_coefficient_get_name(mus_coefficient which); /* "friction", "restitution" */

/* Input of such a function beside the contact. */
typedef struct mus_contact_surface {
    /* N along the normal, the contact load at the end of the last step; in potential pipelines the force of the
     * contact energy at the start of the step. 0 where unknown: pairs that were not near, contacts with a response
     * rule, and cloth in classic pipelines or in a world with rigid bodies. */
    double load;
    /* Unit, of either side: along the warp of the cloth at the start of the step, in the plane of the contact. The
     * warp is that of membranes (mus_material_model), with every model. 0 of an obstacle. */
    double warp[2][3];
} mus_contact_surface;

/* Writes `value`. The contact is as for a mus_rule_fn, except that `velocity` is that at the start of the step: from
 * the last step, and of scripted obstacles and pins from this one; `impulse` is 0, and `friction` and `restitution`
 * are the values without functions. `user` must live as long as the world. */
typedef mus_status (*mus_contact_law_fn)(void *user, const mus_contact *contact, const mus_contact_surface *surface,
                                         double *value);

/* Sets a coefficient of a and b in place of those of their definitions (the same twice: a cloth on itself; b none: a
 * on anything). The last setting for a pair counts; a response's (mus_response_def.friction) has precedence. Kept by
 * names, as mus_world_ignore_pair states. STALE for a removed object, INVALID for none as a and for a value out of
 * range, LOCKED within a step. */
MUS_API mus_status mus_world_set_coefficient(mus_world *world, mus_object_id a, mus_object_id b, mus_coefficient which,
                                             double value);
/* The same by a function, or by a program: mus_program_evaluate_coefficient with it as `user`, which the world
 * references. `place` is for messages, "scene.lua:12" (copied; NULL: none). A step fails if the function returns a
 * value out of range. INVALID where the pipeline's response has neither friction nor restitution ("aabb", "aabb_ray").
 */
MUS_API mus_status mus_world_set_contact_law(mus_world *world, mus_object_id a, mus_object_id b, mus_coefficient which,
                                             mus_contact_law_fn law, void *user, const char *place);

#endif
