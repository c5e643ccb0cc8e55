/* psd.c: cyclic Jacobi (Golub & Van Loan, Matrix Computations, 8.5), for matrices of a few rows. */
#include "linear/psd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS = 30 };

static void rotate(double *a, double *q, int n, int p, int r) {
    double off = a[p * n + r];
    if (off == 0) return;
    double theta = (a[r * n + r] - a[p * n + p]) / (2 * off);
    double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    if (theta < 0) t = -t;
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + r];
        a[k * n + p] = c * x - s * y, a[k * n + r] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[r * n + k];
        a[p * n + k] = c * x - s * y, a[r * n + k] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = q[k * n + p], y = q[k * n + r];
        q[k * n + p] = c * x - s * y, q[k * n + r] = s * x + c * y;
    }
}

void mus_eigen_symmetric(double *a, double *q, int n) {
    double size = 0;
    for (int k = 0; k < n * n; k++) q[k] = k % (n + 1) == 0, size += a[k] * a[k];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double rest = 0;
        for (int p = 0; p < n; p++)
            for (int r = p + 1; r < n; r++) rest += a[p * n + r] * a[p * n + r];
        if (!(rest > 1e-30 * size)) return;
        for (int p = 0; p < n; p++)
            for (int r = p + 1; r < n; r++) rotate(a, q, n, p, r);
    }
}

/* Returns whether elimination without pivoting finds only pivots > 0. */
static bool positive(const double *a, int n) {
    double l[MUS_PSD_LARGEST * MUS_PSD_LARGEST];
    memcpy(l, a, sizeof *l * (size_t)(n * n));
    for (int p = 0; p < n; p++) {
        if (!(l[p * n + p] > 0)) return false;
        for (int r = p + 1; r < n; r++) {
            double f = l[r * n + p] / l[p * n + p];
            for (int k = p; k < n; k++) l[r * n + k] -= f * l[p * n + k];
        }
    }
    return true;
}

void mus_project_psd(double *a, int n) {
    if (positive(a, n)) return;
    double d[MUS_PSD_LARGEST * MUS_PSD_LARGEST], q[MUS_PSD_LARGEST * MUS_PSD_LARGEST];
    memcpy(d, a, sizeof *d * (size_t)(n * n));
    mus_eigen_symmetric(d, q, n);
    memset(a, 0, sizeof *a * (size_t)(n * n));
    for (int e = 0; e < n; e++) {
        double value = d[e * n + e];
        if (!(value > 0)) continue;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) a[i * n + j] += value * q[i * n + e] * q[j * n + e];
    }
}
