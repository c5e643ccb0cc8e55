/* select.c: quickselect (Hoare, Algorithm 65: Find, 1961) with the middle of three as pivot. */
#include "base/select.h"

static void order(double *a, double *b) {
    if (*b < *a) {
        double t = *a;
        *a = *b, *b = t;
    }
}

double mus_select(double *values, int64_t count, int64_t k) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double *middle = &values[low + (high - low) / 2];
        order(&values[low], middle);
        order(&values[low], &values[high]);
        order(middle, &values[high]);
        double pivot = *middle;
        int64_t i = low, j = high; /* elements left of i are <= pivot, those right of j are >= pivot */
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i > j) break;
            double t = values[i];
            values[i++] = values[j], values[j--] = t;
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            break; /* the pivot is between them */
        }
    }
    return values[k];
}
