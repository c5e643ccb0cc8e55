/* contour.c: discs among the nodes of a tree of faces, once and for all. */
#include "broad/contour.h"
#include "base/sort.h"

/* Corner c of a face and the next, from the lower vertex to the higher. */
typedef struct side {
    int32_t lo, hi, number; /* 3 leaf + c */
} side;

typedef struct maker {
    const mus_hierarchy *h;
    const mus_broad_scene *scene;
    mus_contours *contours;
    side *sides;
    int32_t *partner;                 /* of a side: the same edge in one other face, the other way; or -1 */
    int32_t *place;                   /* of a leaf: its node */
    int32_t *size;                    /* of a node: nodes under it, and itself */
    int32_t *seen, *leaves_by, *next; /* of a vertex: in which node it was met last and, on that one's border, left */
} maker;

static int by_ends(const void *pa, const void *pb) {
    const side *a = pa, *b = pb;
    if (a->lo != b->lo) return a->lo < b->lo ? -1 : 1;
    if (a->hi != b->hi) return a->hi < b->hi ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int32_t tail(const maker *m, int32_t number) {
    return m->scene->leaves[number / 3].vertex[number % 3];
}
static int32_t head(const maker *m, int32_t number) {
    return m->scene->leaves[number / 3].vertex[(number + 1) % 3];
}

static void find_partners(maker *m) {
    int32_t count = 3 * m->scene->cloth_leaf_count;
    for (int32_t k = 0; k < count; k++) {
        int32_t a = tail(m, k), b = head(m, k);
        m->sides[k] = (side){a < b ? a : b, a < b ? b : a, k};
    }
    mus_sort(m->sides, (size_t)count, sizeof *m->sides, by_ends);
    for (int32_t lo = 0, hi; lo < count; lo = hi) {
        const side *s = &m->sides[lo];
        for (hi = lo + 1; hi < count && m->sides[hi].lo == s->lo && m->sides[hi].hi == s->hi;) hi++;
        bool pair = hi == lo + 2 && tail(m, s[0].number) == head(m, s[1].number);
        for (int32_t k = lo; k < hi; k++) m->partner[m->sides[k].number] = pair ? m->sides[2 * lo + 1 - k].number : -1;
    }
}

/* Node k, the next `size` nodes with it. Its border goes behind the others. */
static bool find_border(maker *m, int32_t k, int32_t size, mus_contour *contour) {
    mus_contours *c = m->contours;
    int64_t vertices = 0, faces = (size + 1) / 2;
    *contour = (mus_contour){.first = c->ends.count / 2};
    for (int32_t node = k; node < k + size; node++) {
        if (!m->h->nodes[node].lowest) continue;
        int32_t leaf = m->h->items[m->h->nodes[node].first];
        for (int32_t number = 3 * leaf; number < 3 * leaf + 3; number++) {
            int32_t a = tail(m, number), partner = m->partner[number];
            vertices += m->seen[a] != k + 1;
            m->seen[a] = k + 1;
            if (partner >= 0 && m->place[partner / 3] >= k && m->place[partner / 3] < k + size) continue;
            if (m->leaves_by[a] == k + 1) return false;
            m->leaves_by[a] = k + 1;
            m->next[a] = head(m, number);
            contour->count++;
            c->ends.data[c->ends.count++] = a;
            c->ends.data[c->ends.count++] = m->next[a];
        }
    }
    int64_t edges = (3 * faces + contour->count) / 2;
    if (contour->count == 0 || vertices - edges + faces != 1) return false;
    int32_t start = c->ends.data[2 * contour->first], at = start, length = 0;
    do at = m->next[at], length++;
    while (at != start && length <= contour->count);
    return length == contour->count;
}

static mus_status find_all(maker *m) {
    mus_contours *c = m->contours;
    int32_t nodes = m->h->obstacle.count ? m->h->obstacle.data[0] : m->h->count; /* cloth's come first */
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

mus_status mus_contours_make(mus_contours *contours, const mus_hierarchy *h, const mus_broad_scene *scene) {
    size_t leaves = (size_t)scene->cloth_leaf_count + 1, vertices = (size_t)scene->vertex_count + 1;
    contours->of = mus_new(sizeof *contours->of * ((size_t)h->count + 1));
    maker m = {.h = h, .scene = scene, .contours = contours};
    m.sides = mus_new(sizeof *m.sides * 3 * leaves);
    m.partner = mus_new(sizeof *m.partner * 6 * leaves);
    m.seen = mus_new(sizeof *m.seen * 3 * vertices);
    mus_status status = contours->of && m.sides && m.partner && m.seen ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        m.place = m.partner + 3 * leaves, m.size = m.place + leaves;
        m.leaves_by = m.seen + vertices, m.next = m.leaves_by + vertices;
        find_partners(&m);
        status = find_all(&m);
    }
    mus_free(m.sides), mus_free(m.partner), mus_free(m.seen);
    return status;
}

void mus_contours_free(mus_contours *contours) {
    mus_free(contours->of);
    mus_array_free(&contours->ends);
    contours->of = NULL;
}
