/* coarse.h: the second level of a preconditioner: groups of neighboring vertices moved as one, for which a small dense
 * system is solved (Nicolaides 1987, deflation). It resolves the slow motions of a cloth as a whole, which blocks of
 * single vertices propagate only from neighbor to neighbor. */
#ifndef MUS_SOLVE_POTENTIAL_COARSE_H
#define MUS_SOLVE_POTENTIAL_COARSE_H

#include "base/archive.h"
#include "linear/block_matrix.h"
#include "model/assembly.h"

typedef struct mus_coarse {
    int32_t vertex_count, group_count;
    int32_t *group_of; /* of a cloth vertex */
    double *matrix;    /* 3 groups squared, row-major: sums of blocks, then the factor L below the diagonal */
    double *inverse;   /* 3 groups: 1 / L_kk */
    double *value;     /* 3 groups: right side and solution */
} mus_coarse;

/* Creates groups by the current positions of the cloths. */
mus_status mus_coarse_create(mus_coarse *coarse, const mus_assembly *a);
void mus_coarse_free(mus_coarse *coarse);
/* Archives the groups, for snapshots; to be read into one created for the same number of vertices. */
void mus_coarse_memory(mus_archive *archive, mus_coarse *coarse);

/* Add the sums of a matrix's blocks over pairs of groups; vertices with inverse mass 0 are in none. */
void mus_coarse_clear(mus_coarse *coarse);
void mus_coarse_add_matrix(mus_coarse *coarse, const mus_block_matrix *m, int32_t first, const double *inverse_mass);
/* Adds a block, times the product of both vertices' weights, for every pair of a contact's vertices. */
void mus_coarse_add_contact(mus_coarse *coarse, const int32_t *vertex, const double *weight, int count,
                            const mus_sym3 *block, const double *inverse_mass);
void mus_coarse_factor(mus_coarse *coarse);
/* z += Z E^-1 Z^T r, with Z the motions of the groups; returns the change of r.z. */
double mus_coarse_apply(mus_coarse *coarse, const double *inverse_mass, const v3 *r, v3 *z);

#endif
