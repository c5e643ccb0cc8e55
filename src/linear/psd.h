/* psd.h: eigenvalues of small symmetric matrices by cyclic Jacobi rotations, and what they are needed for: the nearest
 * matrix without negative ones. */
#ifndef MUS_BASE_PSD_H
#define MUS_BASE_PSD_H

enum { MUS_PSD_LARGEST = 18 };

/* a: n x n, symmetric, row-major, n <= MUS_PSD_LARGEST. On return a is diagonal up to rounding, values on it, and the
 * columns of q (n x n) are the eigenvectors. The order of rotations is fixed. */
void mus_eigen_symmetric(double *a, double *q, int n);
/* Replaces a by the symmetric matrix without negative eigenvalues that is nearest to it. Untouched where there are
 * none. */
void mus_project_psd(double *a, int n);

#endif
