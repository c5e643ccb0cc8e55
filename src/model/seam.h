/* seam.h: stitches between vertices and points of edges, which are shortened to their width. */
#ifndef MUS_MODEL_SEAM_H
#define MUS_MODEL_SEAM_H

#include "model/cloth.h"
#include "model/neighbors.h"

typedef struct mus_seam {
    mus_cloth *cloth[2];        /* of the vertices, and of what they are sewn to */
    double stiffness;           /* N/m per stitch */
    double strength;            /* N */
    double damping;             /* s */
    double width;               /* m: final length */
    double begin;               /* s: start of the shortening */
    double closing_time, speed; /* s or, where that is 0, m/s */
    bool cut;
    mus_stitch *stitches;
    double *start; /* m, one per stitch: length at `begin` */
    int32_t count;
} mus_seam;

/* Allocates a seam of `count` stitches. */
mus_status mus_seam_new(int32_t count, mus_seam **seam);
void mus_seam_free(mus_seam *seam); /* NULL is allowed */

/* m: length of a stitch at time t. */
double mus_seam_length(const mus_seam *seam, int32_t stitch, double t);

/* The vertices of a stitch's other end and their weights, which with 1 of its vertex sum to 0: one, or two. */
static inline int mus_stitch_ends(const mus_stitch *s, int32_t onto[2], double weight[2]) {
    int count = 0;
    if (s->along < 1) onto[count] = s->onto[0], weight[count++] = -(1 - s->along);
    if (s->along > 0) onto[count] = s->onto[1], weight[count++] = -s->along;
    return count;
}
/* m: distance of its ends, by the positions of their cloths. */
double mus_stitch_distance(const mus_stitch *stitch, const v3 *a, const v3 *b);

/* Neighbors of all cloths, in the order of their numbering, within max_distance: through seams as along cloth. Seams
 * that are cut still count: the results of a step must not depend on when the solver was made. */
mus_status mus_seams_add_neighbors(mus_neighbors *neighbors, mus_cloth *const *cloths, int32_t cloth_count,
                                   mus_seam *const *seams, int32_t seam_count, double max_distance);

#endif
