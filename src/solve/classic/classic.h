/* classic.h: declarations shared by the files of the classic family. */
#ifndef MUS_SOLVE_CLASSIC_CLASSIC_H
#define MUS_SOLVE_CLASSIC_CLASSIC_H

#include "solve/solver.h"

enum { MUS_CLASSIC_PLACEMENT_ROUNDS = 6 }; /* of response, after which rigid bodies are placed again */

/* One pass of the elementary test over all pairs that moved since they were found clear, and over all planes. */
typedef struct mus_classic_search {
    mus_contact_constraint_list *constraints; /* contacts are appended; NULL: they are not */
    bool joins;                               /* vertices are joined to impact zones */
    bool presses; /* out: a zone that follows a rigid body is below a plane; solver.pinched names both */
    double share; /* of the minimum gap: the distance that counts as a collision */
    int64_t found;
    int32_t last[2]; /* vertices of the last one found */
} mus_classic_search;

/* m: the gap that a conservative test keeps; 0 under the others. */
double mus_classic_min_gap(const mus_solver *s, const mus_candidate_pair *c);
/* The elementary test of one pair. axis: the direction that separated it last, updated. */
bool mus_classic_pair_collides(mus_solver *s, const mus_candidate_pair *c, double share, v3 *axis,
                               mus_elementary_hit *hit);
mus_status mus_classic_search_pairs(mus_solver *s, mus_candidate_pair_list *list, mus_classic_search *l);
/* Adds to v1 the change of x1 since `before`, for stages that change positions only. */
void mus_classic_update_velocities(mus_solver *s, const v3 *before);
/* A copy of the ends of cloth in the assembly's scratch, valid until the next call. */
v3 *mus_classic_save_positions(mus_solver *s);
/* Strain limiting in at most `most` sweeps, until every edge is within its limit. */
mus_status mus_classic_limit_strain(mus_solver *s, int most, bool *is_within_limit);
/* Returns whether strain limits and stitches alternate with the response to contacts. One after the other, each would
 * undo the first: an edge over a point that is shortened penetrates, and the response lengthens it again. */
bool mus_classic_alternates_strain(const mus_solver *s);
/* One sweep of strain limiting, then of stitches, which are projected onto their equilibrium for the corrected ends. */
mus_status mus_classic_sweep_strain(mus_solver *s, int turn, bool *is_within_limit);
/* Response to the contacts that are near at the start of the step, among the pairs near at the end of the last step (in
 * the first step: among those of a detection). */
mus_status mus_classic_repel(mus_solver *s, const mus_step_input *input);
/* Rounds of detection and response from `first` on. Rigid bodies move in the first MUS_CLASSIC_PLACEMENT_ROUNDS; after
 * those only cloth does. is_collision_free: set where a round finds nothing. */
mus_status mus_classic_rounds(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, int first,
                              bool *is_collision_free);
/* Impact zones. Rigid bodies that pinch cloth move as one, and the response to them is computed again. Without that
 * fail-safe, unresolved contacts are counted. */
mus_status mus_classic_failsafe(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                                int64_t *unresolved);

#endif
