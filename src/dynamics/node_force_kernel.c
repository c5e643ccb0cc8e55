/* node_force_kernel.c: coordinates apart and together again, and matrices made positive, in vector lanes. Compiled once
 * for every instruction set, with the same bits. */
#include "dynamics/node_force_kernel.h"

#include "base/lanes.h"
#include "base/psd.h"

_Static_assert(MUS_TRACE_BLOCK % W == 0, "rows are whole groups of lanes");

void MUS_KERNEL(mus_node_force_split)(const double *points, int count, double *const row[3]) {
    int k = 0;
    for (; k + W <= count; k += W) {
        l3 a = l3_split(points + 3 * k);
        lanes_store(row[0] + k, a.x), lanes_store(row[1] + k, a.y), lanes_store(row[2] + k, a.z);
    }
    for (; k < count; k++)
        for (int c = 0; c < 3; c++) row[c][k] = points[3 * k + c];
}

void MUS_KERNEL(mus_node_force_divide)(const double *numbers, double by, int count, double *row) {
    int k = 0;
    for (; k + W <= count; k += W) lanes_store(row + k, lanes_div(lanes_load(numbers + k), lanes_all(by)));
    for (; k < count; k++) row[k] = numbers[k] / by;
}

bool MUS_KERNEL(mus_node_force_push)(const double *const row[3], int count, double *f) {
    const lanes zero = lanes_all(0);
    lanes bad = zero; /* 0 times what is not finite is no number */
    double rest = 0;
    int k = 0;
    for (; k + W <= count; k += W) {
        l3 by = {lanes_load(row[0] + k), lanes_load(row[1] + k), lanes_load(row[2] + k)}, had = l3_split(f + 3 * k);
        bad = lanes_add(bad, lanes_add(lanes_mul(zero, by.x), lanes_add(lanes_mul(zero, by.y), lanes_mul(zero, by.z))));
        l3_join(f + 3 * k, (l3){lanes_add(had.x, by.x), lanes_add(had.y, by.y), lanes_add(had.z, by.z)});
    }
    for (; k < count; k++)
        for (int c = 0; c < 3; c++) f[3 * k + c] += row[c][k], rest += 0 * row[c][k];
    return mask_bits(lanes_ordered(bad, bad)) == (1u << W) - 1 && rest == 0;
}

/* The first `left` lanes at least. */
LANES_FN void put(double *to, lanes a, int left, bool add) {
    if (left >= W) {
        lanes_store(to, add ? lanes_add(lanes_load(to), a) : a);
        return;
    }
    double number[W];
    lanes_store(number, a);
    for (int k = 0; k < left; k++) to[k] = add ? to[k] + number[k] : number[k];
}

LANES_FN lanes positive(lanes a) {
    return lanes_select(lanes_above(a, lanes_all(0)), a, lanes_all(0));
}

void MUS_KERNEL(mus_node_force_positive)(const double *row, int count, bool add, double *column) {
    for (int k = 0; k < count; k += W) put(column + k, positive(lanes_load(row + k)), count - k, add);
}

enum { XX, XY, XZ, YY, YZ, ZZ };

/* Eigenvalues one by one, of lane k. */
static void project(lanes *m, int k) {
    static const int place[9] = {XX, XY, XZ, XY, YY, YZ, XZ, YZ, ZZ};
    double number[6][W], a[9];
    for (int c = 0; c < 6; c++) lanes_store(number[c], m[c]);
    for (int c = 0; c < 9; c++) a[c] = number[place[c]][k];
    mus_project_psd(a, 3);
    for (int c = 0; c < 9; c++) number[place[c]][k] = a[c];
    for (int c = 0; c < 6; c++) m[c] = lanes_load(number[c]);
}

/* Sylvester's criterion: positive as it is. */
LANES_FN mask definite(const lanes *m) {
    const lanes zero = lanes_all(0);
    lanes xy2 = lanes_mul(m[XY], m[XY]), minor = lanes_sub(lanes_mul(m[XX], m[YY]), xy2);
    lanes by_y = lanes_sub(lanes_mul(m[XX], m[YZ]), lanes_mul(m[XY], m[XZ]));
    lanes by_x = lanes_sub(lanes_mul(m[XY], m[YZ]), lanes_mul(m[YY], m[XZ]));
    lanes whole = lanes_add(lanes_sub(lanes_mul(m[ZZ], minor), lanes_mul(m[YZ], by_y)), lanes_mul(m[XZ], by_x));
    return mask_and(lanes_above(m[XX], zero), mask_and(lanes_above(minor, zero), lanes_above(whole, zero)));
}

/* Laws along one direction leave eigenvalues of zero, on either side of it by rounding. A share of the trace beyond
 * rounding is put on the diagonal; if elimination then finds no pivot that is not positive, the matrix may stand. */
LANES_FN mask semidefinite(lanes *m) {
    const lanes zero = lanes_all(0);
    lanes more = lanes_mul(lanes_all(0x1p-45), lanes_add(lanes_add(m[XX], m[YY]), m[ZZ]));
    lanes xx = lanes_add(m[XX], more), yy = lanes_add(m[YY], more), zz = lanes_add(m[ZZ], more);
    lanes y = lanes_div(m[XY], xx), z = lanes_div(m[XZ], xx);
    lanes pivot = lanes_sub(yy, lanes_mul(m[XY], y)), yz = lanes_sub(m[YZ], lanes_mul(m[XY], z));
    lanes last = lanes_sub(lanes_sub(zz, lanes_mul(m[XZ], z)), lanes_div(lanes_mul(yz, yz), pivot));
    mask good = mask_and(lanes_above(xx, zero), mask_and(lanes_above(pivot, zero), lanes_above(last, zero)));
    m[XX] = lanes_select(good, xx, m[XX]), m[YY] = lanes_select(good, yy, m[YY]), m[ZZ] = lanes_select(good, zz, m[ZZ]);
    return good;
}

LANES_FN bool all_of(uint32_t bits) {
    return bits == (1u << W) - 1;
}

/* Every lane takes the first way that does, whatever the others take. */
static void make_positive(lanes *m) {
    const lanes zero = lanes_all(0);
    mask diagonal = mask_and(lanes_equal(m[XY], zero), mask_and(lanes_equal(m[XZ], zero), lanes_equal(m[YZ], zero)));
    for (int c = 0; c < 6; c += c == 0 ? 3 : 2) m[c] = lanes_select(diagonal, positive(m[c]), m[c]);
    mask good = mask_or(diagonal, definite(m));
    if (all_of(mask_bits(good))) return;
    lanes other[6];
    for (int c = 0; c < 6; c++) other[c] = m[c];
    mask near = semidefinite(other);
    for (int c = 0; c < 6; c++) m[c] = lanes_select(good, m[c], other[c]);
    uint32_t done = mask_bits(mask_or(good, near));
    for (int k = 0; k < W; k++)
        if (!(done >> k & 1)) project(m, k);
}

void MUS_KERNEL(mus_node_force_positive3)(const double *const row[6], int count, bool add, double *const column[6]) {
    static const int from[6] = {XX, YY, ZZ, XY, XZ, YZ};
    for (int k = 0; k < count; k += W) {
        lanes m[6];
        for (int c = 0; c < 6; c++) m[c] = lanes_load(row[c] + k);
        make_positive(m);
        for (int c = 0; c < 6; c++) put(column[c] + k, m[from[c]], count - k, add);
    }
}
