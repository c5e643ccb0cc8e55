/* wide_contact.h: contact rows side by side, in lanes, and their kernels by instruction set. The lanes of a pack share
 * no vertex that moves, so it makes no difference in which order they are taken: the bits are those of
 * mus_contacts_sweep and mus_contacts_conjugate_step over the rows one after the other. */
#ifndef MUS_RESPONSE_WIDE_CONTACT_H
#define MUS_RESPONSE_WIDE_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

enum { MUS_CONTACT_SIMD_WIDTH = 8 };

/* Where a vertex is, and its 1/kg: what one store writes and one load reads. */
typedef struct mus_contact_vertex {
    double x, y, z, inverse_mass;
} mus_contact_vertex;
enum { MUS_CONTACT_VERTEX_DOUBLES = sizeof(mus_contact_vertex) / sizeof(double) };

/* Fields of mus_contact_constraint, by lanes; vertices are in a list of places of its own. A lane without a row has no
 * weights, nothing that moves and a target out of reach. */
typedef struct mus_wide_contact {
    /* In doubles from the first place. What has no weight is the spare one, which stays at zero. */
    uint32_t vertex[4][MUS_CONTACT_SIMD_WIDTH];
    int32_t constraint[MUS_CONTACT_SIMD_WIDTH]; /* among those that the packs were made of; -1: none */
    uint8_t moves[4];                           /* bit k: an impulse moves the vertex of lane k */
    uint8_t idle;                               /* bit k: the row of lane k is */
    bool has_fixed_vertex;                      /* some vertex cannot move, and others may read it at the same time */
    /* Whole vectors, none of which lies across two lines of the cache. */
    _Alignas(64) double weight[4][MUS_CONTACT_SIMD_WIDTH];
    double normal[3][MUS_CONTACT_SIMD_WIDTH], rest[3][MUS_CONTACT_SIMD_WIDTH], offset[MUS_CONTACT_SIMD_WIDTH],
        target[MUS_CONTACT_SIMD_WIDTH];
    double thickness[MUS_CONTACT_SIMD_WIDTH], friction[MUS_CONTACT_SIMD_WIDTH];
    double mass[MUS_CONTACT_SIMD_WIDTH]; /* along tangents too: levers are of worlds that have no packs */
    double normal_impulse[MUS_CONTACT_SIMD_WIDTH], friction_impulse[3][MUS_CONTACT_SIMD_WIDTH],
        change[MUS_CONTACT_SIMD_WIDTH], conjugate_change[MUS_CONTACT_SIMD_WIDTH];
} mus_wide_contact;

/* mus_contact_sweep_result, added to. */
typedef struct mus_contact_sweep_tally {
    int64_t missed, moved;
    double change[MUS_CONTACT_SIMD_WIDTH]; /* of each lane */
} mus_contact_sweep_tally;

/* spare: number of a place that is nobody's, for what does not move. */
typedef void mus_wide_contact_sweep(mus_contact_vertex *places, int64_t spare, mus_wide_contact *packs, int64_t count,
                                    bool all, mus_contact_sweep_tally *tally);
typedef void mus_wide_contact_conjugate_step(mus_contact_vertex *places, int64_t spare, mus_wide_contact *packs,
                                             int64_t count, double ratio);

mus_wide_contact_sweep mus_wide_contact_sweep_baseline, mus_wide_contact_sweep_avx2, mus_wide_contact_sweep_avx512;
mus_wide_contact_conjugate_step mus_wide_contact_conjugate_step_baseline, mus_wide_contact_conjugate_step_avx2,
    mus_wide_contact_conjugate_step_avx512;

#endif
