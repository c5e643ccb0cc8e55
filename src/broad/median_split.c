/* median_split.c: medians of centers along their longest axis. */
#include "broad/median_split.h"

#include "base/box.h"

static bool is_before(const v3 *center, int32_t p, int32_t q, int axis) {
    double cp = v3_get(center[p], axis), cq = v3_get(center[q], axis);
    return cp != cq ? cp < cq : p < q; /* a total order: the tree is the same everywhere */
}

static void swap_items(int32_t *a, int32_t *b) {
    int32_t t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect: afterwards order[middle] splits [lo, hi) along the axis. */
static void select_middle(int32_t *order, const v3 *center, int32_t lo, int32_t hi, int32_t middle, int axis) {
    while (hi - lo > 1) {
        int32_t last = hi - 1, m = lo + (last - lo) / 2; /* never the last one: the range gets shorter each time */
        if (is_before(center, order[m], order[lo], axis)) swap_items(&order[m], &order[lo]);
        if (is_before(center, order[last], order[lo], axis)) swap_items(&order[last], &order[lo]);
        if (is_before(center, order[last], order[m], axis)) swap_items(&order[last], &order[m]);
        int32_t pivot = order[m], i = lo - 1, j = hi;
        for (;;) {
            do i++;
            while (is_before(center, order[i], pivot, axis));
            do j--;
            while (is_before(center, pivot, order[j], axis));
            if (i >= j) break;
            swap_items(&order[i], &order[j]);
        }
        if (middle <= j)
            hi = j + 1;
        else
            lo = j + 1;
    }
}

static int longest_axis(const int32_t *order, const v3 *center, int32_t lo, int32_t hi) {
    mus_box box = mus_box_empty();
    for (int32_t k = lo; k < hi; k++) mus_box_grow(&box, center[order[k]], 0);
    return mus_box_longest_axis(&box);
}

int32_t mus_median_split(int32_t *order, const v3 *center, int32_t lo, int32_t hi) {
    int32_t middle = lo + (hi - lo) / 2;
    if (hi - lo > 1) select_middle(order, center, lo, hi, middle, longest_axis(order, center, lo, hi));
    return middle;
}
