/* plastic_stretch.h: plastic stretching: the rest lengths of springs and the rest frames of membrane faces change where
 * they are stretched beyond their elastic range. */
#ifndef MUS_MODEL_PLASTIC_STRETCH_H
#define MUS_MODEL_PLASTIC_STRETCH_H

#include "model/cloth.h"

/* Of a spring, or of a face of a membrane, in a cloth whose material has a yield strain. */
typedef struct mus_plastic_stretch {
    double made[4]; /* of a spring the rest length without plastic stretch (the first); of a face its n[2][2] */
    double strain;  /* sum of the plastic changes of the logarithmic principal strains */
} mus_plastic_stretch;

/* Number of springs, or of faces of a membrane. */
int32_t mus_plastic_stretch_count(const mus_cloth *cloth);
/* The numbers of its rest state that change, `mus_plastic_stretch_numbers` of them. */
double *mus_plastic_stretch_rest(mus_cloth *cloth, int32_t element);
static inline int mus_plastic_stretch_numbers(const mus_cloth *cloth) {
    return cloth->sheet ? 4 : 1;
}

/* Allocates the plastic stretches of a cloth whose material has a yield strain; none otherwise. */
mus_status mus_plastic_stretch_create(mus_cloth *cloth);
/* After a step of dt (s): plastic stretches recover. */
void mus_plastic_stretch_recover(mus_cloth *cloth, double dt);
/* Whether one has still to recover. */
bool mus_plastic_stretch_recovers(const mus_cloth *cloth);
/* m, one per edge: its length at rest, plastic stretches included: that of its spring, or the mean of its faces'. */
mus_status mus_plastic_stretch_lengths(const mus_cloth *cloth, double *lengths);

#endif
