/* cells.c: the table of cells (Bigliani & Eischen, 3.3). */
#include "broad/cells.h"

mus_cell_frame mus_cell_frame_of(const mus_box *box, double edge) {
    mus_cell_frame f = {.edge = edge};
    uint64_t n[3];
    bool empty = box->lo[0] > box->hi[0];
    for (int k = 0; k < 3; k++) {
        f.low[k] = empty ? 0 : box->lo[k];
        f.edge = fmax(f.edge, empty ? 0 : (box->hi[k] - box->lo[k]) / (1 << 20));
    }
    if (!(f.edge > 0)) f.edge = 1; /* all in a single point */
    for (int k = 0; k < 3; k++) n[k] = (uint64_t)mus_cell_along(&f, k, empty ? 0 : box->hi[k]) + 1;
    f.across[0] = n[0], f.across[1] = n[0] * n[2];
    return f;
}

/* Each about twice the one before; the least is more than a small scene needs. */
static int64_t prime_from(int64_t least) {
    static const int64_t primes[] = {53,        97,        193,       389,       769,       1543,     3079,
                                     6151,      12289,     24593,     49157,     98317,     196613,   393241,
                                     786433,    1572869,   3145739,   6291469,   12582917,  25165843, 50331653,
                                     100663319, 201326611, 402653189, 805306457, 1610612741};
    for (size_t k = 0; k < sizeof primes / sizeof primes[0]; k++)
        if (primes[k] >= least) return primes[k];
    return 0;
}

bool mus_cells_clear(mus_cells *c, int64_t items) {
    int64_t size = prime_from(2 * items);
    if (!size) {
        mus_fail(MUS_STATUS_NO_MEMORY, "out of memory: a table of %lld cells was requested", 2 * (long long)items);
        return false;
    }
    if (!mus_array_reserve(&c->items, items)) return false;
    if (size > c->capacity) {
        mus_cell *slots = mus_resize(c->slots, sizeof *slots * (size_t)size);
        if (!slots) return false;
        c->slots = slots, c->capacity = size;
    }
    c->size = size;
    c->items.count = 0;
    for (int64_t k = 0; k < size; k++) c->slots[k].first = -1;
    return true;
}

void mus_cells_free(mus_cells *c) {
    mus_free(c->slots);
    mus_array_free(&c->items);
    *c = (mus_cells){0};
}

mus_cell *mus_cells_find(const mus_cells *c, uint64_t key) {
    int64_t at = (int64_t)(key % (uint64_t)c->size);
    for (int64_t step = 1; c->slots[at].first >= 0 && c->slots[at].key != key; step += 2)
        at = (at + step) % c->size; /* h, h + 1, h + 4, h + 9, ... */
    return &c->slots[at];
}

void mus_cells_add(mus_cells *c, mus_cell *slot, uint64_t key, int32_t item) {
    mus_cell_item entry = {item, slot->first};
    slot->key = key;
    slot->first = c->items.count;
    c->items.data[c->items.count++] = entry;
}
