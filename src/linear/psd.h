/* psd.h: eigenvalues of small symmetric matrices by cyclic Jacobi rotations, and projection to the nearest positive
 * semidefinite matrix. */
#ifndef MUS_LINEAR_PSD_H
#define MUS_LINEAR_PSD_H

enum { MUS_PSD_LARGEST = 18 };

/* a: n x n, symmetric, row-major, n <= MUS_PSD_LARGEST. On return a is diagonal up to rounding, with the eigenvalues,
 * and the columns of q (n x n) are the eigenvectors. The order of rotations is fixed. */
void mus_eigen_symmetric(double *a, double *q, int n);
/* Replaces a by the nearest symmetric matrix without negative eigenvalues. Leaves a unchanged if it has none. */
void mus_project_psd(double *a, int n);

#endif
