/* seam.h: stitches between vertices and points of edges: threads that are shortened, and then hold. */
#ifndef MUS_MODEL_SEAM_H
#define MUS_MODEL_SEAM_H

#include "model/cloth.h"
#include "model/neighbors.h"

typedef struct mus_seam {
    mus_cloth *cloth[2];        /* of the vertices, and of what they are sewn to */
    double stiffness;           /* N/m a stitch */
    double strength;            /* N */
    double damping;             /* s */
    double width;               /* m: length in the end */
    double begin;               /* s: when shortening began */
    double closing_time, speed; /* s or, where that is 0, m/s */
    bool cut;
    mus_stitch *stitches;
    double *start; /* m, one a stitch: length at `begin` */
    int32_t count;
} mus_seam;

/* Room for so many stitches. */
mus_status mus_seam_new(int32_t count, mus_seam **seam);
void mus_seam_free(mus_seam *seam); /* NULL is allowed */

/* m: length of a stitch's thread at time t. */
double mus_seam_length(const mus_seam *seam, int32_t stitch, double t);

/* The vertices of a stitch that count, with weights whose sum is 0: two, or three. */
static inline int mus_stitch_ends(const mus_stitch *s, int32_t onto[2], double weight[2]) {
    int count = 0;
    if (s->along < 1) onto[count] = s->onto[0], weight[count++] = -(1 - s->along);
    if (s->along > 0) onto[count] = s->onto[1], weight[count++] = -s->along;
    return count;
}
/* m: how far its ends are apart, places of their cloths given. */
double mus_stitch_distance(const mus_stitch *stitch, const v3 *a, const v3 *b);

/* Neighbours of all cloths, one after the other in the numbering, within `reach`: through seams as along cloth. Seams
 * that are cut count still: what the next step finds must not depend on when the solver was made. */
mus_status mus_seams_add_neighbors(mus_neighbors *neighbors, mus_cloth *const *cloths, int32_t cloth_count,
                                   mus_seam *const *seams, int32_t seam_count, double max_distance);

#endif
