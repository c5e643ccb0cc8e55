/* hash_grid.c: a uniform grid, hashed (Bigliani & Eischen, section 3.3; cells.h). The source puts nodes into cells and
 * compares the triangles of those that share one. Here the swept boxes of triangles are put into every cell that they
 * touch, and two of them are compared in the lowest cell that they share: nothing is missed, and nothing is found
 * twice.
 *
 * The edge of a cell is about that of a swept triangle, so it grows with the motion as the source requires (eq. 21:
 * more than a step's motion). Leaves much larger than the others are in no cell, and are tested against all. The grid
 * is rebuilt for each search. Runs on one thread. */
#include "broad/cells.h"
#include "broad/overlap_query.h"

/* Cells that a leaf may be in: a leaf in more is tested against all. */
enum { MOST_CELLS = 64 };

typedef struct hash_grid {
    int32_t leaf_count;
    mus_cells cells;
    mus_pair_list batch;
    struct placed {
        int32_t low[3]; /* its lowest cell; -1: in none */
    } * placed;         /* one per leaf; scratch from the lender */
    mus_cell_frame frame;
} hash_grid;

/* The box around all of a leaf's motion. */
static mus_box box_around(const mus_broad_scene *scene, int32_t leaf) {
    mus_box box = mus_box_empty();
    for (int k = 0; k < 3; k++) mus_swept_box_join_to(&box, &scene->vertex_box[scene->leaves[leaf].vertex[k]]);
    return box;
}

/* A power of two, more than one and at most two times the median extent of the cloth's leaves, so that one outlier does
 * not change it. */
static double edge_of_cells(const mus_broad_scene *scene) {
    enum { EXPONENTS = 2048 };
    int32_t with[EXPONENTS] = {0}, below = 0;
    for (int32_t k = 0; k < scene->cloth_leaf_count; k++) {
        mus_box box = box_around(scene, k);
        double size = v3_max_abs(mus_box_size(&box));
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        with[bits >> 52]++; /* not negative */
    }
    uint64_t exponent = 0;
    for (below = with[0]; below < scene->cloth_leaf_count - below; below += with[exponent]) exponent++;
    uint64_t bits = (exponent + 1) << 52;
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

static bool is_large(const mus_box *box, double edge) {
    double cells = 1;
    for (int k = 0; k < 3; k++) cells *= floor((box->hi[k] - box->lo[k]) / edge) + 2;
    return cells > MOST_CELLS;
}

static void measure(hash_grid *g, const mus_broad_scene *scene) {
    double edge = edge_of_cells(scene);
    mus_box all = mus_box_empty();
    for (int32_t leaf = 0; leaf < scene->leaf_count; leaf++) {
        mus_box box = box_around(scene, leaf);
        if (!is_large(&box, edge)) mus_box_join(&all, &box);
    }
    g->frame = mus_cell_frame_of(&all, edge);
    for (int32_t leaf = 0; leaf < scene->leaf_count; leaf++) {
        mus_box box = box_around(scene, leaf);
        struct placed *p = &g->placed[leaf];
        p->low[0] = -1;
        if (is_large(&box, edge)) continue;
        for (int k = 0; k < 3; k++) p->low[k] = mus_cell_along(&g->frame, k, box.lo[k]);
    }
}

typedef struct cell_range {
    int32_t low[3], high[3];
} cell_range;

static cell_range cell_range_of(const hash_grid *g, const mus_broad_scene *scene, int32_t leaf) {
    mus_box box = box_around(scene, leaf);
    cell_range r;
    for (int k = 0; k < 3; k++) {
        r.low[k] = g->placed[leaf].low[k];
        r.high[k] = mus_cell_along(&g->frame, k, box.hi[k]);
    }
    return r;
}

static int64_t cells_of(const hash_grid *g, const mus_broad_scene *scene, int32_t leaf) {
    cell_range r = cell_range_of(g, scene, leaf);
    int64_t count = 1;
    for (int k = 0; k < 3; k++) count *= r.high[k] - r.low[k] + 1;
    return count;
}

/* Puts the leaf into its cells; `only`: only into cells that are occupied already. */
static void place(hash_grid *g, const mus_broad_scene *scene, int32_t leaf, bool only) {
    cell_range r = cell_range_of(g, scene, leaf);
    int32_t c[3];
    for (c[1] = r.low[1]; c[1] <= r.high[1]; c[1]++)
        for (c[2] = r.low[2]; c[2] <= r.high[2]; c[2]++)
            for (c[0] = r.low[0]; c[0] <= r.high[0]; c[0]++) {
                uint64_t key = mus_cell_key(&g->frame, c);
                mus_cell *slot = mus_cells_find(&g->cells, key);
                if (!only || slot->first >= 0) mus_cells_add(&g->cells, slot, key, leaf);
            }
}

/* Returns whether this is the lowest of the cells that both are in. */
static bool first_shared(const hash_grid *g, int32_t a, int32_t b, uint64_t key) {
    const int32_t *p = g->placed[a].low, *q = g->placed[b].low;
    int32_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = p[k] > q[k] ? p[k] : q[k];
    return mus_cell_key(&g->frame, cell) == key;
}

static void query_cells(const hash_grid *g, mus_overlap_query *m) {
    for (int64_t k = 0; k < g->cells.size && m->status == MUS_STATUS_OK; k++) {
        const mus_cell *cell = &g->cells.slots[k];
        for (int64_t i = cell->first; i >= 0; i = g->cells.items.data[i].next) {
            int32_t a = g->cells.items.data[i].item;
            for (int64_t j = g->cells.items.data[i].next; j >= 0; j = g->cells.items.data[j].next) {
                int32_t b = g->cells.items.data[j].item;
                if (first_shared(g, a, b, cell->key)) mus_overlap_query_leaves(m, a, b);
            }
        }
    }
}

static void hash_grid_query_to_step(void *state, mus_overlap_query *m) {
    hash_grid *g = state;
    const mus_broad_scene *scene = m->scene;
    measure(g, scene);
    int64_t items = 0;
    for (int32_t leaf = 0; leaf < scene->leaf_count; leaf++)
        if (g->placed[leaf].low[0] >= 0) items += cells_of(g, scene, leaf);
    if (!mus_cells_clear(&g->cells, items)) {
        m->status = MUS_STATUS_NO_MEMORY;
        return;
    }
    for (int pass = m->marked ? 0 : 1; pass < 2; pass++) /* marked leaves first: cells without any are not needed */
        for (int32_t leaf = 0; leaf < scene->leaf_count; leaf++) {
            if (g->placed[leaf].low[0] < 0) continue;
            if (!m->marked || (pass == 0) == (m->marked[leaf] != 0)) place(g, scene, leaf, m->marked && pass == 1);
        }
    query_cells(g, m);
    for (int32_t a = 0; a < scene->leaf_count && m->status == MUS_STATUS_OK; a++) {
        if (g->placed[a].low[0] >= 0) continue;
        for (int32_t b = 0; b < scene->leaf_count; b++)
            if (b > a || (b < a && g->placed[b].low[0] >= 0)) mus_overlap_query_leaves(m, a, b);
    }
}

static mus_status hash_grid_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    hash_grid *g = mus_new(sizeof *g);
    (void)x;
    *state = g;
    if (!g) return MUS_STATUS_NO_MEMORY;
    g->leaf_count = scene->leaf_count;
    return MUS_STATUS_OK;
}

static void hash_grid_destroy(void *state) {
    hash_grid *g = state;
    if (!g) return;
    mus_cells_free(&g->cells);
    mus_array_free(&g->batch);
    mus_free(g);
}

static void hash_grid_refit(void *state, const mus_broad_scene *scene) {
    (void)state, (void)scene;
}

static void hash_grid_borrow(void *state, mus_lender *lender) {
    hash_grid *g = state;
    mus_lend(lender, &g->placed, sizeof *g->placed * (size_t)g->leaf_count);
}

static mus_status hash_grid_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    hash_grid *g = state;
    return mus_overlap_query_pairs(g, hash_grid_query_to_step, scene, sink, &g->batch);
}

static mus_status hash_grid_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                     mus_pair_list *pairs) {
    return mus_overlap_query_pairs_of(state, hash_grid_query_to_step, scene, marked, pairs);
}

const mus_broad_phase mus_broad_hash_grid = {.name = "hash_grid",
                                             .create = hash_grid_create,
                                             .destroy = hash_grid_destroy,
                                             .refit = hash_grid_refit,
                                             .borrow = hash_grid_borrow,
                                             .pairs = hash_grid_pairs,
                                             .pairs_of = hash_grid_pairs_of};
