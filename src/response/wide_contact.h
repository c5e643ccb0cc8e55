/* wide_contact.h: contact constraints side by side in SIMD lanes, and their kernels by instruction set. The lanes of a
 * wide block share no vertex that moves, so their order makes no difference: results are bit-identical to
 * mus_contacts_sweep and mus_contacts_conjugate_step over the constraints one after the other. */
#ifndef MUS_RESPONSE_WIDE_CONTACT_H
#define MUS_RESPONSE_WIDE_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

enum { MUS_CONTACT_SIMD_WIDTH = 8 };

/* Position and inverse mass (1/kg) of a vertex: loaded and stored as one. */
typedef struct mus_contact_vertex {
    double x, y, z, inverse_mass;
} mus_contact_vertex;
enum { MUS_CONTACT_VERTEX_DOUBLES = sizeof(mus_contact_vertex) / sizeof(double) };

/* Fields of mus_contact_constraint, by SIMD lane; vertices are in an array of their own. A lane without a constraint
 * has weights 0, no vertex that moves and a target that is always met. */
typedef struct mus_wide_contact {
    /* Offsets in doubles into the array. Vertices without weight are the spare one, which stays at zero. */
    uint32_t vertex[4][MUS_CONTACT_SIMD_WIDTH];
    int32_t constraint[MUS_CONTACT_SIMD_WIDTH]; /* index among the constraints of the wide blocks; -1: none */
    uint8_t moves[4];                           /* bit k: an impulse moves the vertex of lane k */
    uint8_t idle;                               /* bit k: the constraint of lane k is */
    bool has_fixed_vertex;                      /* some vertex cannot move, and others may read it at the same time */
    /* Whole vectors, none of which crosses a cache line. */
    _Alignas(64) double weight[4][MUS_CONTACT_SIMD_WIDTH];
    double normal[3][MUS_CONTACT_SIMD_WIDTH], rest[3][MUS_CONTACT_SIMD_WIDTH], offset[MUS_CONTACT_SIMD_WIDTH],
        target[MUS_CONTACT_SIMD_WIDTH];
    double thickness[MUS_CONTACT_SIMD_WIDTH], friction[MUS_CONTACT_SIMD_WIDTH];
    double mass[MUS_CONTACT_SIMD_WIDTH]; /* along tangents too: worlds with rigid bodies have no wide blocks */
    double normal_impulse[MUS_CONTACT_SIMD_WIDTH], friction_impulse[3][MUS_CONTACT_SIMD_WIDTH],
        change[MUS_CONTACT_SIMD_WIDTH], conjugate_change[MUS_CONTACT_SIMD_WIDTH];
} mus_wide_contact;

/* Accumulates mus_contact_sweep_result. */
typedef struct mus_contact_sweep_tally {
    int64_t missed, moved;
    double change[MUS_CONTACT_SIMD_WIDTH]; /* of each lane */
} mus_contact_sweep_tally;

/* spare: index of an entry that belongs to no vertex, for what does not move. */
typedef void mus_wide_contact_sweep(mus_contact_vertex *places, int64_t spare, mus_wide_contact *wide_contacts,
                                    int64_t count, bool all, mus_contact_sweep_tally *tally);
typedef void mus_wide_contact_conjugate_step(mus_contact_vertex *places, int64_t spare, mus_wide_contact *wide_contacts,
                                             int64_t count, double ratio);

mus_wide_contact_sweep mus_wide_contact_sweep_baseline, mus_wide_contact_sweep_avx2, mus_wide_contact_sweep_avx512;
mus_wide_contact_conjugate_step mus_wide_contact_conjugate_step_baseline, mus_wide_contact_conjugate_step_avx2,
    mus_wide_contact_conjugate_step_avx512;

#endif
