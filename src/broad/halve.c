/* halve.c: medians of centres along their longest axis. */
#include "broad/halve.h"

static bool before(const v3 *centre, int32_t p, int32_t q, int axis) {
    double cp = v3_get(centre[p], axis), cq = v3_get(centre[q], axis);
    return cp != cq ? cp < cq : p < q; /* a total order: the tree is the same everywhere */
}

static void swap(int32_t *a, int32_t *b) {
    int32_t t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect: afterwards order[middle] splits [lo, hi) along the axis. */
static void select_middle(int32_t *order, const v3 *centre, int32_t lo, int32_t hi, int32_t middle, int axis) {
    while (hi - lo > 1) {
        int32_t last = hi - 1, m = lo + (last - lo) / 2; /* never the last: each round gets shorter */
        if (before(centre, order[m], order[lo], axis)) swap(&order[m], &order[lo]);
        if (before(centre, order[last], order[lo], axis)) swap(&order[last], &order[lo]);
        if (before(centre, order[last], order[m], axis)) swap(&order[last], &order[m]);
        int32_t pivot = order[m], i = lo - 1, j = hi;
        for (;;) {
            do i++;
            while (before(centre, order[i], pivot, axis));
            do j--;
            while (before(centre, pivot, order[j], axis));
            if (i >= j) break;
            swap(&order[i], &order[j]);
        }
        if (middle <= j)
            hi = j + 1;
        else
            lo = j + 1;
    }
}

static int longest_axis(const int32_t *order, const v3 *centre, int32_t lo, int32_t hi) {
    v3 least = centre[order[lo]], most = least;
    for (int32_t k = lo + 1; k < hi; k++) {
        v3 c = centre[order[k]];
        least = v3_make(fmin(least.x, c.x), fmin(least.y, c.y), fmin(least.z, c.z));
        most = v3_make(fmax(most.x, c.x), fmax(most.y, c.y), fmax(most.z, c.z));
    }
    v3 size = v3_sub(most, least);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

int32_t mus_halve(int32_t *order, const v3 *centre, int32_t lo, int32_t hi) {
    int32_t middle = lo + (hi - lo) / 2;
    if (hi - lo > 1) select_middle(order, centre, lo, hi, middle, longest_axis(order, centre, lo, hi));
    return middle;
}
