/* patch_boundary.c: finds the discs among the nodes of a tree of faces, once and for all. */
#include "broad/patch_boundary.h"
#include "base/sort.h"

/* Edge from corner c of a face to the next corner, with the lower vertex first. */
typedef struct side {
    int32_t lo, hi, number; /* 3 leaf + c */
} side;

typedef struct boundary_builder {
    const mus_hierarchy *h;
    const mus_broad_scene *scene;
    mus_patch_boundaries *boundaries;
    side *sides;
    int32_t *partner; /* of a side: the same edge in the only other face, in the opposite direction; or -1 */
    int32_t *place;   /* of a leaf: its node */
    int32_t *size;    /* of a node: number of nodes under it, plus itself */
    /* Of a vertex: 1 + the last node that used it, 1 + the last node whose border left it, the next one on that. */
    int32_t *seen, *leaves_by, *next;
} boundary_builder;

static int by_ends(const void *pa, const void *pb) {
    const side *a = pa, *b = pb;
    if (a->lo != b->lo) return a->lo < b->lo ? -1 : 1;
    if (a->hi != b->hi) return a->hi < b->hi ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int32_t side_start(const boundary_builder *m, int32_t number) {
    return m->scene->leaves[number / 3].vertex[number % 3];
}
static int32_t side_end(const boundary_builder *m, int32_t number) {
    return m->scene->leaves[number / 3].vertex[(number + 1) % 3];
}

static void find_partners(boundary_builder *m) {
    int32_t count = 3 * m->scene->cloth_leaf_count;
    for (int32_t k = 0; k < count; k++) {
        int32_t a = side_start(m, k), b = side_end(m, k);
        m->sides[k] = (side){a < b ? a : b, a < b ? b : a, k};
    }
    mus_sort(m->sides, (size_t)count, sizeof *m->sides, by_ends);
    for (int32_t lo = 0, hi; lo < count; lo = hi) {
        const side *s = &m->sides[lo];
        for (hi = lo + 1; hi < count && m->sides[hi].lo == s->lo && m->sides[hi].hi == s->hi;) hi++;
        bool pair = hi == lo + 2 && side_start(m, s[0].number) == side_end(m, s[1].number);
        for (int32_t k = lo; k < hi; k++) m->partner[m->sides[k].number] = pair ? m->sides[2 * lo + 1 - k].number : -1;
    }
}

/* Finds the border of node k, whose subtree is `size` nodes from k on, and appends it to the others. */
static bool find_border(boundary_builder *m, int32_t k, int32_t size, mus_patch_boundary *boundary) {
    mus_patch_boundaries *c = m->boundaries;
    int64_t vertices = 0, faces = (size + 1) / 2;
    *boundary = (mus_patch_boundary){.first = c->ends.count / 2};
    for (int32_t node = k; node < k + size; node++) {
        if (!m->h->nodes[node].lowest) continue;
        int32_t leaf = m->h->items[m->h->nodes[node].first];
        for (int32_t number = 3 * leaf; number < 3 * leaf + 3; number++) {
            int32_t a = side_start(m, number), partner = m->partner[number];
            vertices += m->seen[a] != k + 1;
            m->seen[a] = k + 1;
            if (partner >= 0 && m->place[partner / 3] >= k && m->place[partner / 3] < k + size) continue;
            if (m->leaves_by[a] == k + 1) return false;
            m->leaves_by[a] = k + 1;
            m->next[a] = side_end(m, number);
            boundary->count++;
            c->ends.data[c->ends.count++] = a;
            c->ends.data[c->ends.count++] = m->next[a];
        }
    }
    int64_t edges = (3 * faces + boundary->count) / 2;
    if (boundary->count == 0 || vertices - edges + faces != 1) return false;
    int32_t start = c->ends.data[2 * boundary->first], at = start, length = 0;
    do at = m->next[at], length++;
    while (at != start && length <= boundary->count);
    return length == boundary->count;
}

static mus_status find_all(boundary_builder *m) {
    mus_patch_boundaries *c = m->boundaries;
    int32_t nodes = m->h->obstacle.count ? m->h->obstacle.data[0] : m->h->count; /* the cloth's nodes come first */
    for (int32_t k = nodes - 1; k >= 0; k--) {
        const mus_tree_node *n = &m->h->nodes[k];
        const int32_t *item = m->h->items + n->first;
        m->size[k] = n->lowest ? 1 : 1 + m->size[item[0]] + m->size[item[1]];
        if (n->lowest) m->place[item[0]] = k;
    }
    for (int32_t k = 0; k < nodes; k++) {
        int64_t before = c->ends.count;
        if (m->h->nodes[k].lowest) continue;
        if (!mus_array_reserve(&c->ends, before + 3 * (int64_t)(m->size[k] + 1))) return MUS_STATUS_NO_MEMORY;
        if (find_border(m, k, m->size[k], &c->of[k])) continue;
        c->of[k].count = 0;
        c->ends.count = before;
    }
    return MUS_STATUS_OK;
}

mus_status mus_patch_boundaries_make(mus_patch_boundaries *boundaries, const mus_hierarchy *h,
                                     const mus_broad_scene *scene) {
    size_t leaves = (size_t)scene->cloth_leaf_count + 1, vertices = (size_t)scene->vertex_count + 1;
    boundaries->of = mus_new(sizeof *boundaries->of * ((size_t)h->count + 1));
    boundary_builder m = {.h = h, .scene = scene, .boundaries = boundaries};
    m.sides = mus_new(sizeof *m.sides * 3 * leaves);
    m.partner = mus_new(sizeof *m.partner * 6 * leaves);
    m.seen = mus_new(sizeof *m.seen * 3 * vertices);
    mus_status status = boundaries->of && m.sides && m.partner && m.seen ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        m.place = m.partner + 3 * leaves, m.size = m.place + leaves;
        m.leaves_by = m.seen + vertices, m.next = m.leaves_by + vertices;
        find_partners(&m);
        status = find_all(&m);
    }
    mus_free(m.sides), mus_free(m.partner), mus_free(m.seen);
    return status;
}

void mus_patch_boundaries_free(mus_patch_boundaries *boundaries) {
    mus_free(boundaries->of);
    mus_array_free(&boundaries->ends);
    boundaries->of = NULL;
}
