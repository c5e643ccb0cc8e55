/* node_force_kernel.c: splits and merges coordinates, and projects matrices to positive semidefinite, with SIMD.
 * Compiled once for every instruction set, with bit-identical results. */
#include "dynamics/node_force_kernel.h"

#include "base/simd_double.h"
#include "linear/psd.h"

_Static_assert(MUS_TRACE_BLOCK % SIMD_WIDTH == 0, "rows are whole groups of lanes");

void MUS_KERNEL(mus_node_force_split)(const double *points, int count, double *const row[3]) {
    int k = 0;
    for (; k + SIMD_WIDTH <= count; k += SIMD_WIDTH) {
        simd_v3 a = simd_v3_deinterleave(points + 3 * k);
        simd_store(row[0] + k, a.x), simd_store(row[1] + k, a.y), simd_store(row[2] + k, a.z);
    }
    for (; k < count; k++)
        for (int c = 0; c < 3; c++) row[c][k] = points[3 * k + c];
}

bool MUS_KERNEL(mus_node_force_accumulate)(const double *const row[3], int count, double *f) {
    const simd_double zero = simd_set1(0);
    simd_double bad = zero; /* 0 times a value that is not finite is NaN */
    double rest = 0;
    int k = 0;
    for (; k + SIMD_WIDTH <= count; k += SIMD_WIDTH) {
        simd_v3 by = {simd_load(row[0] + k), simd_load(row[1] + k), simd_load(row[2] + k)},
                had = simd_v3_deinterleave(f + 3 * k);
        bad = simd_add(bad, simd_add(simd_mul(zero, by.x), simd_add(simd_mul(zero, by.y), simd_mul(zero, by.z))));
        simd_v3_interleave(f + 3 * k, (simd_v3){simd_add(had.x, by.x), simd_add(had.y, by.y), simd_add(had.z, by.z)});
    }
    for (; k < count; k++)
        for (int c = 0; c < 3; c++) f[3 * k + c] += row[c][k], rest += 0 * row[c][k];
    return mask_bits(simd_ordered(bad, bad)) == (1u << SIMD_WIDTH) - 1 && rest == 0;
}

/* Writes or adds the first `left` lanes, at most all. */
SIMD_FN void put(double *to, simd_double a, int left, bool add) {
    if (left >= SIMD_WIDTH) {
        simd_store(to, add ? simd_add(simd_load(to), a) : a);
        return;
    }
    double number[SIMD_WIDTH];
    simd_store(number, a);
    for (int k = 0; k < left; k++) to[k] = add ? to[k] + number[k] : number[k];
}

SIMD_FN simd_double positive(simd_double a) {
    return simd_select(simd_greater(a, simd_set1(0)), a, simd_set1(0));
}

void MUS_KERNEL(mus_node_force_positive)(const double *row, int count, bool add, double *column) {
    for (int k = 0; k < count; k += SIMD_WIDTH) put(column + k, positive(simd_load(row + k)), count - k, add);
}

enum { XX, XY, XZ, YY, YZ, ZZ };

/* Projects the matrix of lane k by its eigenvalues. */
static void project_matrix(simd_double *m, int k) {
    static const int place[9] = {XX, XY, XZ, XY, YY, YZ, XZ, YZ, ZZ};
    double number[6][SIMD_WIDTH], a[9];
    for (int c = 0; c < 6; c++) simd_store(number[c], m[c]);
    for (int c = 0; c < 9; c++) a[c] = number[place[c]][k];
    mus_project_psd(a, 3);
    for (int c = 0; c < 9; c++) number[place[c]][k] = a[c];
    for (int c = 0; c < 6; c++) m[c] = simd_load(number[c]);
}

/* Sylvester's criterion: positive definite. */
SIMD_FN mask definite(const simd_double *m) {
    const simd_double zero = simd_set1(0);
    simd_double xy2 = simd_mul(m[XY], m[XY]), minor = simd_sub(simd_mul(m[XX], m[YY]), xy2);
    simd_double by_y = simd_sub(simd_mul(m[XX], m[YZ]), simd_mul(m[XY], m[XZ]));
    simd_double by_x = simd_sub(simd_mul(m[XY], m[YZ]), simd_mul(m[YY], m[XZ]));
    simd_double whole = simd_add(simd_sub(simd_mul(m[ZZ], minor), simd_mul(m[YZ], by_y)), simd_mul(m[XZ], by_x));
    return mask_and(simd_greater(m[XX], zero), mask_and(simd_greater(minor, zero), simd_greater(whole, zero)));
}

/* Laws along one direction leave eigenvalues that are zero within rounding. A share of the trace above rounding is
 * added to the diagonal; if elimination then finds only positive pivots, the matrix is accepted. */
SIMD_FN mask semidefinite(simd_double *m) {
    const simd_double zero = simd_set1(0);
    simd_double more = simd_mul(simd_set1(0x1p-45), simd_add(simd_add(m[XX], m[YY]), m[ZZ]));
    simd_double xx = simd_add(m[XX], more), yy = simd_add(m[YY], more), zz = simd_add(m[ZZ], more);
    simd_double y = simd_div(m[XY], xx), z = simd_div(m[XZ], xx);
    simd_double pivot = simd_sub(yy, simd_mul(m[XY], y)), yz = simd_sub(m[YZ], simd_mul(m[XY], z));
    simd_double last = simd_sub(simd_sub(zz, simd_mul(m[XZ], z)), simd_div(simd_mul(yz, yz), pivot));
    mask good = mask_and(simd_greater(xx, zero), mask_and(simd_greater(pivot, zero), simd_greater(last, zero)));
    m[XX] = simd_select(good, xx, m[XX]), m[YY] = simd_select(good, yy, m[YY]), m[ZZ] = simd_select(good, zz, m[ZZ]);
    return good;
}

SIMD_FN bool all_of(uint32_t bits) {
    return bits == (1u << SIMD_WIDTH) - 1;
}

/* Each lane uses the first method that works for it, independently of the others. */
static void make_positive(simd_double *m) {
    const simd_double zero = simd_set1(0);
    mask diagonal = mask_and(simd_equal(m[XY], zero), mask_and(simd_equal(m[XZ], zero), simd_equal(m[YZ], zero)));
    for (int c = 0; c < 6; c += c == 0 ? 3 : 2) m[c] = simd_select(diagonal, positive(m[c]), m[c]);
    mask good = mask_or(diagonal, definite(m));
    if (all_of(mask_bits(good))) return;
    simd_double other[6];
    for (int c = 0; c < 6; c++) other[c] = m[c];
    mask near = semidefinite(other);
    for (int c = 0; c < 6; c++) m[c] = simd_select(good, m[c], other[c]);
    uint32_t done = mask_bits(mask_or(good, near));
    for (int k = 0; k < SIMD_WIDTH; k++)
        if (!(done >> k & 1)) project_matrix(m, k);
}

void MUS_KERNEL(mus_node_force_positive3)(const double *const row[6], int count, bool add, double *const column[6]) {
    static const int from[6] = {XX, YY, ZZ, XY, XZ, YZ};
    for (int k = 0; k < count; k += SIMD_WIDTH) {
        simd_double m[6];
        for (int c = 0; c < 6; c++) m[c] = simd_load(row[c] + k);
        make_positive(m);
        for (int c = 0; c < 6; c++) put(column[c] + k, m[from[c]], count - k, add);
    }
}
