/* hash_grid_source.c: the grid as in Bigliani & Eischen (section 3.3): nodes are put into the cells in which they end
 * the step, and the faces around two nodes in one cell are compared. A contact without two of its nodes in one cell is
 * missed. A cell is larger than the largest motion of a step (eq. 21) and than a mean face of the cloth that moves.
 * Shapes that the source tests nodes against individually are tested against all cloth: exact ones, and faces larger
 * than a cell of obstacles or of pinned cloth. Runs on one thread. */
#include "broad/cells.h"
#include "broad/overlap_query.h"

typedef struct grid {
    int32_t leaf_count, vertex_count;
    int32_t *start, *around; /* leaves around each vertex */
    uint64_t *key;           /* of each vertex's cell; scratch from the lender */
    uint8_t *alone;          /* whether a leaf is tested against all cloth; scratch from the lender */
    mus_cells cells;
    mus_pair_list batch;
} grid;

static void grid_destroy(void *state) {
    grid *g = state;
    if (!g) return;
    mus_free(g->start);
    mus_free(g->around);
    mus_cells_free(&g->cells);
    mus_array_free(&g->batch);
    mus_free(g);
}

static void list_leaves(grid *g, const mus_broad_scene *scene) {
    int32_t *next = g->start + 1; /* where the next leaf of each vertex goes; finally, where the next vertex begins */
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; c < 3; c++) next[scene->leaves[k].vertex[c] + 1] += scene->leaves[k].face;
    for (int32_t i = 0; i < scene->vertex_count; i++) next[i + 1] += next[i];
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; c < 3 && scene->leaves[k].face; c++) g->around[next[scene->leaves[k].vertex[c]]++] = k;
}

static mus_status grid_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    grid *g = mus_new(sizeof *g);
    (void)x;
    *state = NULL;
    if (!g) return MUS_STATUS_NO_MEMORY;
    g->leaf_count = scene->leaf_count, g->vertex_count = scene->vertex_count;
    g->start = mus_new(sizeof *g->start * ((size_t)scene->vertex_count + 2));
    g->around = mus_new(sizeof *g->around * (3 * (size_t)scene->leaf_count + 1));
    if (!g->start || !g->around) {
        grid_destroy(g);
        return MUS_STATUS_NO_MEMORY;
    }
    list_leaves(g, scene);
    *state = g;
    return MUS_STATUS_OK;
}

static void grid_borrow(void *state, mus_lender *lender) {
    grid *g = state;
    mus_lend(lender, &g->key, sizeof *g->key * (size_t)g->vertex_count);
    mus_lend(lender, &g->alone, (size_t)g->leaf_count);
}

static void grid_refit(void *state, const mus_broad_scene *scene) {
    (void)state, (void)scene;
}

static double extent(const mus_broad_scene *scene, int32_t leaf) {
    const int32_t *v = scene->leaves[leaf].vertex;
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, v3_max_abs(v3_sub(scene->x1[v[(k + 1) % 3]], scene->x1[v[k]])));
    return most;
}

/* Returns whether a leaf is a surface that cannot move: an obstacle's, or all of it pinned. */
static bool is_fixed(const mus_broad_scene *scene, int32_t leaf) {
    if (leaf >= scene->cloth_leaf_count) return true;
    if (!scene->inverse_mass) return false;
    const int32_t *v = scene->leaves[leaf].vertex;
    return scene->inverse_mass[v[0]] == 0 && scene->inverse_mass[v[1]] == 0 && scene->inverse_mass[v[2]] == 0;
}

/* Sums in a fixed order, so that the result is the same everywhere. */
static double edge_of_cells(const mus_broad_scene *scene) {
    double motion = 0, sum = 0;
    int32_t count = 0;
    for (int32_t k = 0; k < scene->cloth_leaf_count; k++) {
        if (is_fixed(scene, k)) continue;
        sum += extent(scene, k), count++;
        for (int c = 0; c < 3; c++) {
            int32_t v = scene->leaves[k].vertex[c];
            motion = fmax(motion, v3_max_abs(v3_sub(scene->x1[v], scene->x0[v])));
        }
    }
    return fmax(1.01 * motion, count ? sum / count : 1); /* without moving cloth any edge will do */
}

static void find_alone(grid *g, const mus_broad_scene *scene, double edge) {
    for (int32_t k = 0; k < scene->leaf_count; k++)
        g->alone[k] = is_fixed(scene, k) && (!scene->leaves[k].face || extent(scene, k) > edge);
}

static bool is_node(const grid *g, int32_t i) {
    return g->start[i + 1] > g->start[i];
}

static bool fill(grid *g, const mus_broad_scene *scene, double edge) {
    mus_box box = mus_box_empty();
    int64_t nodes = 0;
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        if (!is_node(g, i)) continue;
        mus_box_grow(&box, scene->x1[i], 0);
        nodes++;
    }
    if (!mus_cells_clear(&g->cells, nodes)) return false;
    mus_cell_frame frame = mus_cell_frame_of(&box, edge);
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        int32_t cell[3];
        if (!is_node(g, i)) continue;
        for (int k = 0; k < 3; k++) cell[k] = mus_cell_along(&frame, k, v3_get(scene->x1[i], k));
        g->key[i] = mus_cell_key(&frame, cell);
        mus_cells_add(&g->cells, mus_cells_find(&g->cells, g->key[i]), g->key[i], i);
    }
    return true;
}

/* Returns whether p, a corner of one leaf, and q, one of the other, are their first corners that share a cell. */
static bool first_shared(const grid *g, const mus_leaf *a, const mus_leaf *b, int32_t p, int32_t q) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int32_t v = a->vertex[i], w = b->vertex[j];
            if (v != w && g->key[v] == g->key[w]) return v == p && w == q;
        }
    return false;
}

static void query_node_pair(const grid *g, mus_overlap_query *m, int32_t p, int32_t q) {
    for (int32_t i = g->start[p]; i < g->start[p + 1]; i++)
        for (int32_t j = g->start[q]; j < g->start[q + 1]; j++) {
            int32_t a = g->around[i], b = g->around[j];
            if (a == b || g->alone[a] || g->alone[b]) continue;
            bool swapped = a > b;
            const mus_leaf *first = &m->scene->leaves[swapped ? b : a], *second = &m->scene->leaves[swapped ? a : b];
            if (first_shared(g, first, second, swapped ? q : p, swapped ? p : q)) mus_overlap_query_leaves(m, a, b);
        }
}

static void query_to_step(void *state, mus_overlap_query *m) {
    grid *g = state;
    const mus_broad_scene *scene = m->scene;
    double edge = edge_of_cells(scene);
    find_alone(g, scene, edge);
    if (!fill(g, scene, edge)) {
        m->status = MUS_STATUS_NO_MEMORY;
        return;
    }
    const mus_cell_item *items = g->cells.items.data;
    for (int64_t k = 0; k < g->cells.size && m->status == MUS_STATUS_OK; k++)
        for (int64_t i = g->cells.slots[k].first; i >= 0; i = items[i].next)
            for (int64_t j = items[i].next; j >= 0; j = items[j].next)
                query_node_pair(g, m, items[i].item, items[j].item);
    for (int32_t b = 0; b < scene->leaf_count; b++)
        for (int32_t a = 0; g->alone[b] && a < scene->cloth_leaf_count; a++)
            if (!g->alone[a]) mus_overlap_query_leaves(m, a < b ? a : b, a < b ? b : a);
}

static mus_status grid_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    grid *g = state;
    return mus_overlap_query_pairs(g, query_to_step, scene, sink, &g->batch);
}

static mus_status grid_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                mus_pair_list *pairs) {
    return mus_overlap_query_pairs_of(state, query_to_step, scene, marked, pairs);
}

const mus_broad_phase mus_broad_hash_grid_source = {.name = "hash_grid_source",
                                                    .create = grid_create,
                                                    .destroy = grid_destroy,
                                                    .refit = grid_refit,
                                                    .borrow = grid_borrow,
                                                    .pairs = grid_pairs,
                                                    .pairs_of = grid_pairs_of};
