/* quad_tree.c: boxes in groups of four, built bottom-up (Jung 2005, section 4.3). On a grid: two faces per square, then
 * two by two squares, level upon level. On other meshes, and obstacles: pairs of faces that share an edge, then pairs
 * of groups that do, two rounds per level; a group without a partner joins a neighbor's pair. The search starts at the
 * third level from the top, whose boxes are all tested against each other: those above nearly always overlap. The
 * tree's topology never changes; it is refitted bottom-up. Runs on one thread. */
#include "broad/cells.h"
#include "broad/quad_tree.h"

enum { LEVELS = 128, UNUSED = 2 };

/* The groups of one level, each in one group of the level above; those of level -1 are the leaves. */
typedef struct level {
    int32_t count;
    int32_t *parent; /* for the groups one level below: their groups */
} level;

typedef struct builder {
    const mus_broad_scene *scene;
    int32_t *leaves; /* of the current tree */
    int32_t leaf_count;
    level levels[LEVELS];
    int count;
    int32_t *nodes; /* of the groups of one level */
} builder;

static void drop_levels(builder *b) {
    for (int k = 0; k < b->count; k++) mus_free(b->levels[k].parent);
    b->count = 0;
}

static int32_t *add_level(builder *b, int32_t below) {
    level *l = &b->levels[b->count];
    *l = (level){0, mus_new(sizeof *l->parent * ((size_t)below + 1))};
    b->count += l->parent != NULL;
    return l->parent;
}

/* ---- grids ---- */

static bool grid_levels(builder *b, int32_t nu, int32_t nv) {
    int32_t *parent = add_level(b, b->leaf_count), wide = nu - 1, high = nv - 1;
    if (!parent) return false;
    for (int32_t k = 0; k < b->leaf_count; k++) parent[k] = k / 2;
    b->levels[0].count = wide * high;
    while (wide * high > 1) {
        if (!(parent = add_level(b, wide * high))) return false;
        int32_t half = (wide + 1) / 2;
        for (int32_t k = 0; k < wide * high; k++) parent[k] = k / wide / 2 * half + k % wide / 2;
        wide = half, high = (high + 1) / 2;
        b->levels[b->count - 1].count = wide * high;
    }
    return true;
}

/* ---- meshes ---- */

typedef struct link {
    int32_t a, b; /* groups that share an edge */
} link;
typedef MUS_ARRAY(link) link_list;

static bool find_links(const builder *b, mus_cells *edges, link_list *links) {
    if (!mus_cells_clear(edges, 3 * (int64_t)b->leaf_count)) return false;
    for (int32_t k = 0; k < b->leaf_count; k++) {
        const int32_t *v = b->scene->leaves[b->leaves[k]].vertex;
        for (int c = 0; c < 3; c++) {
            int32_t p = v[c], q = v[(c + 1) % 3];
            if (p == q) continue;
            uint64_t key = (uint64_t)(p < q ? p : q) << 32 | (uint64_t)(p < q ? q : p);
            mus_cell *slot = mus_cells_find(edges, key);
            if (slot->first >= 0 && !mus_array_push(links, ((link){edges->items.data[slot->first].item, k})))
                return false;
            mus_cells_add(edges, slot, key, k);
        }
    }
    return true;
}

/* One round: pairs groups that share an edge, in the order of the links; a group left over then joins a pair. Sets
 * `group` to the new group of each and returns the number of new groups. */
static int32_t pair_up(link_list *links, int32_t count, int32_t *group) {
    int32_t next = 0;
    for (int32_t k = 0; k < count; k++) group[k] = -1;
    for (int64_t k = 0; k < links->count; k++) {
        link l = links->data[k];
        if (group[l.a] < 0 && group[l.b] < 0) group[l.a] = group[l.b] = next++;
    }
    int32_t paired = next;
    for (int64_t k = 0; k < links->count; k++) { /* of two linked groups at least one is in a pair by now */
        link l = links->data[k];
        if (group[l.a] < 0 && group[l.b] < paired) group[l.a] = group[l.b];
        if (group[l.b] < 0 && group[l.a] < paired) group[l.b] = group[l.a];
    }
    for (int32_t k = 0; k < count; k++)
        if (group[k] < 0) group[k] = next++;
    int64_t kept = 0;
    for (int64_t k = 0; k < links->count; k++) {
        link l = {group[links->data[k].a], group[links->data[k].b]};
        if (l.a != l.b) links->data[kept++] = l;
    }
    links->count = kept;
    return next;
}

/* Groups without links: four at a time, in order. */
static int32_t in_fours(int32_t count, int32_t *group) {
    for (int32_t k = 0; k < count; k++) group[k] = k / 4;
    return (count + 3) / 4;
}

static bool join_levels(builder *b, link_list *links, int32_t *second) {
    int32_t count = b->leaf_count;
    do {
        int32_t *parent = add_level(b, count), below = count;
        if (!parent) return false;
        if (!links->count) {
            count = in_fours(count, parent);
        } else {
            count = pair_up(links, count, parent);
            if (b->count > 1 && links->count) { /* the lowest level consists of pairs */
                count = pair_up(links, count, second);
                for (int32_t k = 0; k < below; k++) parent[k] = second[parent[k]];
            }
        }
        b->levels[b->count - 1].count = count;
    } while (count > 1);
    return true;
}

static bool mesh_levels(builder *b) {
    mus_cells edges = {0};
    link_list links = {0};
    int32_t *second = mus_new(sizeof *second * ((size_t)b->leaf_count + 1));
    bool made = second && find_links(b, &edges, &links);
    mus_cells_free(&edges);
    made = made && join_levels(b, &links, second);
    mus_array_free(&links);
    mus_free(second);
    return made;
}

/* ---- the tree ---- */

/* Adds the nodes of a level; the groups one level below become their items. */
static void emit_level(builder *b, mus_hierarchy *h, int at, int32_t below) {
    const level *l = &b->levels[at];
    int32_t base = h->count, first = h->item_count;
    for (int32_t k = 0; k < l->count; k++) mus_hierarchy_add(h, 0, 0, at == 0);
    for (int32_t k = 0; k < below; k++) h->nodes[base + l->parent[k]].count++;
    for (int32_t k = 0; k < l->count; k++) {
        h->nodes[base + k].first = first;
        first += h->nodes[base + k].count;
        h->nodes[base + k].count = 0;
    }
    h->item_count = first;
    for (int32_t k = 0; k < below; k++) {
        mus_tree_node *n = &h->nodes[base + l->parent[k]];
        /* the level below follows this one */
        h->items[n->first + n->count++] = at == 0 ? b->leaves[k] : base + l->count + k;
    }
}

static int64_t size_of(const builder *b, int top) {
    int64_t nodes = 0;
    for (int k = 0; k <= top; k++) nodes += b->levels[k].count;
    return nodes;
}

/* Adds the levels from the third from the top on to the tree, or only counts their nodes. */
static bool emit_levels(builder *b, mus_hierarchy *h, bool obstacle, int64_t *nodes) {
    int top = b->count - 1 < UNUSED ? 0 : b->count - 1 - UNUSED;
    *nodes += size_of(b, top);
    if (!h) return true;
    int32_t base = h->count;
    for (int at = top; at >= 0; at--) emit_level(b, h, at, at ? b->levels[at - 1].count : b->leaf_count);
    for (int32_t k = 0; k < b->levels[top].count; k++)
        if (obstacle ? !mus_array_push(&h->obstacle, base + k) : !mus_array_push(&h->cloth, base + k)) return false;
    return true;
}

static const int32_t *grid_of(const mus_broad_scene *scene, int32_t object) {
    static const int32_t none[2] = {0, 0};
    return scene->grid ? scene->grid + 2 * (size_t)object : none;
}

static bool build_grid_tree(builder *b, mus_hierarchy *h, bool obstacle, const int32_t *grid, int64_t *nodes) {
    if (!b->leaf_count) return true;
    bool made = grid ? grid_levels(b, grid[0], grid[1]) : mesh_levels(b);
    made = made && emit_levels(b, h, obstacle, nodes);
    drop_levels(b);
    return made;
}

/* Builds a tree for each grid, one for all other cloth, and one for the obstacles. */
static bool build_trees(builder *b, mus_hierarchy *h, int64_t *nodes) {
    const mus_broad_scene *scene = b->scene;
    int32_t cloth = scene->cloth_leaf_count, *leaves = b->leaves, other = 0;
    for (int32_t lo = 0, hi; lo < cloth; lo = hi) {
        const int32_t *grid = grid_of(scene, (int32_t)scene->leaves[lo].object);
        for (hi = lo; hi < cloth && scene->leaves[hi].object == scene->leaves[lo].object; hi++)
            leaves[other + hi - lo] = hi;
        if (grid[0] < 2 || grid[1] < 2 || hi - lo != 2 * ((int64_t)grid[0] - 1) * ((int64_t)grid[1] - 1)) {
            other += hi - lo;
            continue;
        }
        b->leaves = leaves + other, b->leaf_count = hi - lo;
        bool made = build_grid_tree(b, h, false, grid, nodes);
        b->leaves = leaves;
        if (!made) return false;
    }
    b->leaf_count = other;
    if (!build_grid_tree(b, h, false, NULL, nodes)) return false;
    for (int32_t k = cloth; k < scene->leaf_count; k++) leaves[k - cloth] = k;
    b->leaf_count = scene->leaf_count - cloth;
    return build_grid_tree(b, h, true, NULL, nodes);
}

mus_status mus_quad_tree_build(mus_hierarchy *h, const mus_broad_scene *scene, const v3 *x) {
    (void)x; /* the tree depends on the meshes alone */
    int32_t *leaves = mus_new(sizeof *leaves * ((size_t)scene->leaf_count + 1));
    builder b = {.scene = scene, .leaves = leaves};
    int64_t nodes = 0, again = 0;
    bool made = leaves && build_trees(&b, NULL, &nodes);
    made = made && mus_hierarchy_reserve(h, nodes, nodes + scene->leaf_count) == MUS_STATUS_OK;
    made = made && build_trees(&b, h, &again);
    mus_free(leaves);
    return made ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void quad_tree_destroy(void *state) {
    mus_hierarchy *h = state;
    if (h) mus_hierarchy_free(h);
    mus_free(h);
}

static mus_status quad_tree_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    mus_hierarchy *h = mus_new(sizeof *h);
    *state = NULL;
    if (!h) return MUS_STATUS_NO_MEMORY;
    mus_status status = mus_quad_tree_build(h, scene, x);
    if (status == MUS_STATUS_OK)
        *state = h;
    else
        quad_tree_destroy(h);
    return status;
}

static void quad_tree_borrow(void *state, mus_lender *lender) {
    mus_hierarchy_borrow(state, lender);
}

static void quad_tree_refit(void *state, const mus_broad_scene *scene) {
    mus_hierarchy_refit(state, scene);
}

static mus_status quad_tree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    return mus_hierarchy_pairs(state, scene, sink);
}

static mus_status quad_tree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                     mus_pair_list *pairs) {
    return mus_hierarchy_pairs_of(state, scene, marked, pairs);
}

const mus_broad_phase mus_broad_quad_tree = {.name = "quad_tree",
                                             .wants_rest = true,
                                             .create = quad_tree_create,
                                             .destroy = quad_tree_destroy,
                                             .refit = quad_tree_refit,
                                             .borrow = quad_tree_borrow,
                                             .pairs = quad_tree_pairs,
                                             .pairs_of = quad_tree_pairs_of};
