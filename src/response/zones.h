/* zones.h: rigid impact zones, the last resort (Provot 1997, section 4; Bridson et al. 2002): vertices joined by
 * collisions that nothing else resolved move as one rigid body over the step. */
#ifndef MUS_RESPONSE_ZONES_H
#define MUS_RESPONSE_ZONES_H

#include "model/assembly.h"

/* A fail-safe stage with impact zones. */
typedef struct mus_failsafe {
    bool mean_spin;  /* PRO's angular velocity, the mean of GM x (v - V)/|GM|^2 by mass; else from the inertia tensor */
    int projections; /* rounds that project contacts jointly before zones are made */
} mus_failsafe;

extern const mus_failsafe mus_failsafe_zones, mus_failsafe_provot, mus_failsafe_inelastic;

/* A vertex of an animated mesh that a zone follows, with others of that mesh; `next` makes a ring of them. */
typedef struct mus_zone_carrier {
    int32_t vertex, next;
} mus_zone_carrier;

typedef struct mus_zones {
    bool mean_spin;   /* as the stage's */
    int32_t *parent;  /* union–find over all vertices */
    int32_t *next;    /* members of a zone, in order of number, while it moves */
    uint8_t *inside;  /* vertex belongs to a zone */
    int32_t *carrier; /* of a root: a kinematic vertex the zone must follow, -1: none */
    int32_t *ring;    /* of a root with a carrier of an animated mesh: one of its carriers; else -1 */
    MUS_ARRAY(mus_zone_carrier) carriers;
    int32_t *rival;                   /* of a root: a kinematic vertex with a different motion, -1: none */
    int32_t zone_count, vertex_count; /* of the last call of mus_zones_move */
    int32_t stuck;                    /* root of the zone whose carriers disagreed in that call; -1: none */
} mus_zones;

mus_status mus_zones_create(mus_zones *zones, int32_t vertex_count);
void mus_zones_free(mus_zones *zones);
void mus_zones_clear(mus_zones *zones, int32_t vertex_count);

/* Joins the vertices of one collision. Kinematic ones become carriers. False: no memory. */
bool mus_zones_join(mus_zones *zones, const mus_assembly *a, const int32_t *vertices, int32_t count);

/* Moves every zone: x1 = x0 + V + omega x r with the linear and angular momentum of velocity_base (omega from the
 * inertia tensor, with 1e-9 of its trace on the diagonal for collinear zones; or PRO's mean, which conserves linear
 * momentum only), or with its carrier's motion. Linear in time, determinant > 0: nothing crosses inside a zone. The
 * carriers of an animated mesh move apart from each other: a zone follows their motion at best, rigidly, so pairs of
 * the zone and the mesh must be tested again. A free zone that would enter a plane is lifted out. False, with the
 * vertices in `conflict`, if two carriers disagree by more than 1e-9 m: no common motion exists. */
bool mus_zones_move(mus_zones *zones, mus_assembly *a, void (*moved)(void *context, int32_t vertex), void *context,
                    int32_t conflict[2]);

/* A kinematic vertex that vertex i's zone follows; -1: none. */
int32_t mus_zones_carrier(mus_zones *zones, int32_t i);

#endif
