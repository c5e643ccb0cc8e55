/* truncation.h: moves truncated so that a pair cannot touch: at a plane between its sides (Divide and Truncate, 2026),
 * or within a ball (Chen et al. 2025). Based on the positions at the start of the move: each free side stays in its
 * half space (or balls), even if its moves are shortened further. */
#ifndef MUS_RESPONSE_TRUNCATION_H
#define MUS_RESPONSE_TRUNCATION_H

#include "model/assembly.h"
#include "narrow/candidate_pairs.h"

struct mus_truncation {
    /* Truncates the moves x0 -> x1 of the pair's free vertices, each on its own line, so that the pair keeps at least
     * `min_gap` m beyond the radius of exact shapes; end[4] receives the new ends. False: no truncation separates them,
     * since something prescribed comes too near to where the other side started. */
    bool (*cut)(const mus_assembly *a, const mus_candidate_pair *c, double min_gap, v3 end[4]);
};
typedef struct mus_truncation mus_truncation;

/* Returns whether a plane across the pair's nearest points at x0, moving if necessary, certifies that the moves
 * x0 -> x1 stay further than `distance` apart, rounding included. Moves truncated at a plane pass. */
bool mus_truncation_certified(const mus_assembly *a, const mus_candidate_pair *c, double distance);

extern const mus_truncation mus_truncation_planar;
extern const mus_truncation mus_truncation_isotropic;

#endif
