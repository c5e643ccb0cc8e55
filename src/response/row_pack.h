/* row_pack.h: contact rows side by side, in lanes, and their kernels by instruction set. The lanes of a pack share no
 * vertex that moves, so it makes no difference in which order they are taken: the bits are those of mus_rows_sweep and
 * mus_rows_lead over the rows one after the other. */
#ifndef MUS_RESPONSE_ROW_PACK_H
#define MUS_RESPONSE_ROW_PACK_H

#include <stdbool.h>
#include <stdint.h>

enum { MUS_ROW_LANES = 8 };

/* Where a vertex is, and its 1/kg: what one store writes and one load reads. */
typedef struct mus_row_place {
    double x, y, z, inverse_mass;
} mus_row_place;
enum { MUS_ROW_PLACE = sizeof(mus_row_place) / sizeof(double) };

/* Fields of mus_row, by lanes; vertices are in a list of places of its own. A lane without a row has no weights,
 * nothing that moves and a target out of reach. */
typedef struct mus_row_pack {
    /* In doubles from the first place. What has no weight is the spare one, which stays at zero. */
    uint32_t vertex[4][MUS_ROW_LANES];
    int32_t row[MUS_ROW_LANES]; /* among those that the packs were made of; -1: none */
    uint8_t moves[4];           /* bit k: an impulse moves the vertex of lane k */
    uint8_t idle;               /* bit k: the row of lane k is */
    bool holds;                 /* some vertex cannot move, and others may read it at the same time */
    /* Whole vectors, none of which lies across two lines of the cache. */
    _Alignas(64) double weight[4][MUS_ROW_LANES];
    double normal[3][MUS_ROW_LANES], rest[3][MUS_ROW_LANES], offset[MUS_ROW_LANES], target[MUS_ROW_LANES];
    double thickness[MUS_ROW_LANES], friction[MUS_ROW_LANES];
    double mass[MUS_ROW_LANES]; /* along tangents too: levers are of worlds that have no packs */
    double push[MUS_ROW_LANES], drag[3][MUS_ROW_LANES], change[MUS_ROW_LANES], lead[MUS_ROW_LANES];
} mus_row_pack;

/* mus_rows_swept, added to. */
typedef struct mus_row_tally {
    int64_t missed, moved;
    double change[MUS_ROW_LANES]; /* of each lane */
} mus_row_tally;

/* spare: number of a place that is nobody's, for what does not move. */
typedef void mus_row_pack_sweep(mus_row_place *places, int64_t spare, mus_row_pack *packs, int64_t count, bool all,
                                mus_row_tally *tally);
typedef void mus_row_pack_lead(mus_row_place *places, int64_t spare, mus_row_pack *packs, int64_t count, double ratio);

mus_row_pack_sweep mus_row_pack_sweep_baseline, mus_row_pack_sweep_avx2, mus_row_pack_sweep_avx512;
mus_row_pack_lead mus_row_pack_lead_baseline, mus_row_pack_lead_avx2, mus_row_pack_lead_avx512;

#endif
