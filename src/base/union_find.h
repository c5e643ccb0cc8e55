/* union_find.h: disjoint sets of the numbers 0 to n - 1 with path halving. The least number of a set is its root. */
#ifndef MUS_BASE_UNION_FIND_H
#define MUS_BASE_UNION_FIND_H

#include <stdint.h>

/* Makes each of the n numbers a set of its own. */
static inline void mus_union_find_reset(int32_t *parent, int32_t n) {
    for (int32_t i = 0; i < n; i++) parent[i] = i;
}
static inline int32_t mus_union_find_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}
/* Joins the sets of a and b; returns their root. */
static inline int32_t mus_union_find_join(int32_t *parent, int32_t a, int32_t b) {
    int32_t p = mus_union_find_root(parent, a), q = mus_union_find_root(parent, b);
    int32_t root = p < q ? p : q;
    parent[p] = parent[q] = root;
    return root;
}

#endif
