/* crossing.c: edges that pierce faces, the components into which they cut a mesh, and the orientation of its faces. */
#include "world/overlap/crossing.h"
#include "base/union_find.h"
#include "mesh/distance.h"
#include "mesh/predicates.h"

v3 mus_crossing_normal(const mus_world_view *view, const mus_tangle *tangle, int32_t object, int32_t f) {
    const mus_audit_object *o = &view->objects[object];
    const int32_t *c = mus_crossing_face(o, f);
    v3 a = mus_crossing_place(o, c[0]),
       n = v3_cross(v3_sub(mus_crossing_place(o, c[1]), a), v3_sub(mus_crossing_place(o, c[2]), a));
    return v3_scale(tangle->turned[object][f], v3_normalized(n));
}

static bool passes_beside(const double *p, const double *q, const double *const t[3]) {
    v3 a = v3_load(p), along = v3_sub(v3_load(q), a), corner = v3_load(t[0]);
    v3 n = v3_cross(v3_sub(v3_load(t[1]), corner), v3_sub(v3_load(t[2]), corner));
    double from = v3_dot(n, v3_sub(a, corner)), to = v3_dot(n, v3_sub(v3_load(q), corner)), w[3];
    if (!((from > 0 && to < 0) || (from < 0 && to > 0))) return false;
    v3 at = v3_axpy(from / (from - to), along, a);
    v3 off = mus_nearest_vertex_face(at, corner, v3_load(t[1]), v3_load(t[2]), w);
    return v3_length2(off) < v3_length2(along);
}

/* `even`: set in degenerate cases: an edge that only touches the face's border, or lies in its plane, does not pierce
 * it. */
static bool edge_pierces_face(const double *p, const double *q, const double *const t[3], bool *even) {
    int s = mus_orient3d(t[0], t[1], t[2], p), r = mus_orient3d(t[0], t[1], t[2], q);
    if (s == 0 || r == 0) *even = true;
    if (s * r >= 0) return false;
    bool border = false;
    for (int k = 0; k < 3; k++) {
        int o = mus_orient3d(p, q, t[k], t[(k + 1) % 3]);
        if (o == s) return false;
        border |= o == 0;
    }
    *even |= border;
    return !border;
}

mus_status mus_piercings_add(const mus_world_view *view, const mus_tangle *tangle, int32_t x, int32_t f, int32_t y,
                             int32_t g, mus_piercing_list *list, bool *even) {
    const mus_audit_object *o = &view->objects[x], *p = &view->objects[y];
    const int32_t *c = mus_crossing_face(o, f), *d = mus_crossing_face(p, g);
    const double *const t[3] = {mus_crossing_vertex(p, d[0]), mus_crossing_vertex(p, d[1]),
                                mus_crossing_vertex(p, d[2])};
    for (int k = 0; k < 3; k++) {
        int32_t a = c[k], b = c[(k + 1) % 3], third = c[(k + 2) % 3];
        bool common = x == y && (a == d[0] || a == d[1] || a == d[2] || b == d[0] || b == d[1] || b == d[2]);
        if (common) continue;
        bool beside = !edge_pierces_face(mus_crossing_vertex(o, a), mus_crossing_vertex(o, b), t, even);
        if (beside && x != y) continue;
        if (beside && !passes_beside(mus_crossing_vertex(o, a), mus_crossing_vertex(o, b), t)) continue;
        v3 start = mus_crossing_place(o, a), along = v3_normalized(v3_sub(mus_crossing_place(o, b), start));
        v3 inward = v3_sub(mus_crossing_place(o, third), start);
        inward = v3_axpy(-v3_dot(along, inward), along, inward);
        v3 own = mus_crossing_normal(view, tangle, x, f),
           run = v3_normalized(v3_cross(own, mus_crossing_normal(view, tangle, y, g)));
        if (v3_dot(run, inward) < 0) run = v3_neg(run);
        mus_piercing one = {x, {a < b ? a : b, a < b ? b : a}, y, g, beside, own, run};
        if (!mus_array_push(list, one)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

static int compare_piercings(const void *a, const void *b) {
    const mus_piercing *p = a, *q = b;
    const int32_t l[] = {p->object, p->other, p->edge[0], p->edge[1], p->face, p->beside};
    const int32_t r[] = {q->object, q->other, q->edge[0], q->edge[1], q->face, q->beside};
    for (int k = 0; k < 6; k++)
        if (l[k] != r[k]) return l[k] < r[k] ? -1 : 1;
    /* the same edge from its two faces: any fixed order of the sum */
    const double u[] = {p->run.x, p->run.y, p->run.z}, v[] = {q->run.x, q->run.y, q->run.z};
    for (int k = 0; k < 3; k++)
        if (u[k] < v[k] || u[k] > v[k]) return u[k] < v[k] ? -1 : 1;
    return 0;
}

static bool is_same_piercing(const mus_piercing *p, const mus_piercing *q) {
    return p->object == q->object && p->other == q->other && p->edge[0] == q->edge[0] && p->edge[1] == q->edge[1] &&
           p->face == q->face && p->beside == q->beside;
}

void mus_piercings_merge(mus_piercing_list *list) {
    mus_sort(list->data, (size_t)list->count, sizeof *list->data, compare_piercings);
    int64_t kept = 0;
    for (int64_t k = 0; k < list->count; k++) {
        mus_piercing *p = &list->data[k];
        if (kept > 0 && is_same_piercing(&list->data[kept - 1], p))
            list->data[kept - 1].run = v3_add(list->data[kept - 1].run, p->run),
                              list->data[kept - 1].own = v3_add(list->data[kept - 1].own, p->own);
        else
            list->data[kept++] = *p;
    }
    list->count = kept;
}

/* ---- components ---- */

/* Returns whether the ends of an edge lie on different sides, by the piercings of its object and another. */
static bool is_cut(const mus_piercing *from, int64_t count, int32_t a, int32_t b) {
    int64_t lo = 0, hi = count;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        const int32_t *e = from[mid].edge;
        if (e[0] < a || (e[0] == a && e[1] < b))
            lo = mid + 1;
        else
            hi = mid;
    }
    int64_t through = 0, beside = 0;
    for (; lo < count && from[lo].edge[0] == a && from[lo].edge[1] == b; lo++)
        *(from[lo].beside ? &beside : &through) += 1;
    return through ? through % 2 != 0 : beside > 0;
}

static void cut_free(mus_cut *c) {
    mus_free(c->component);
    mus_free(c->weight);
    *c = (mus_cut){0};
}

/* Finds the components of a mesh that another object cuts. `sides`: sides alternate from component to component across
 * the cut, and components of one side count as one; within one object each component counts alone. */
static mus_status cut_make(const mus_cloth *cloth, const mus_piercing *from, int64_t count, bool sides, mus_cut *c) {
    int32_t n = cloth->vertex_count;
    *c = (mus_cut){mus_new(sizeof(int32_t) * ((size_t)n + 1)), mus_new(sizeof(double) * (2 * (size_t)n + 1))};
    int32_t *plain = mus_new(sizeof(int32_t) * (3 * (size_t)n + 1)), *parent = plain + n;
    if (!c->component || !c->weight || !plain) {
        mus_free(plain);
        cut_free(c);
        return MUS_STATUS_NO_MEMORY;
    }
    const mus_topology *t = &cloth->topology;
    for (int32_t i = 0; i < n; i++) plain[i] = i;
    for (int32_t e = 0; e < t->edge_count; e++) {
        int32_t a = t->edges[2 * e], b = t->edges[2 * e + 1];
        if (!is_cut(from, count, a, b)) mus_union_find_join(plain, a, b);
    }
    /* 2 i and 2 i + 1: component i on one side, or on the other */
    mus_union_find_reset(parent, 2 * n);
    for (int64_t k = 0; sides && k < count; k++) {
        int32_t a = from[k].edge[0], b = from[k].edge[1], p = mus_union_find_root(plain, a),
                q = mus_union_find_root(plain, b);
        if (p == q || !is_cut(from, count, a, b)) continue;
        mus_union_find_join(parent, 2 * p, 2 * q + 1);
        mus_union_find_join(parent, 2 * p + 1, 2 * q);
    }
    for (int32_t i = 0; i < n; i++)
        c->weight[mus_union_find_root(parent, 2 * mus_union_find_root(plain, i))] += cloth->mass[i];
    for (int32_t i = 0; i < n; i++) {
        int32_t one = mus_union_find_root(parent, 2 * i), two = mus_union_find_root(parent, 2 * i + 1);
        if (one == two) c->weight[one] = INFINITY;
    }
    for (int32_t i = 0; i < n; i++) c->component[i] = mus_union_find_root(parent, 2 * mus_union_find_root(plain, i));
    mus_free(plain);
    return MUS_STATUS_OK;
}

void mus_crossing_runs_free(mus_crossing_runs *m) {
    for (int k = 0; k < 2; k++) cut_free(&m->cuts[k]);
}

mus_status mus_crossing_runs_make(const mus_assembly *a, const mus_piercing_list *list, int32_t i, int32_t j,
                                  mus_crossing_runs *m) {
    *m = (mus_crossing_runs){.sides = i == j ? 1 : 2};
    for (int64_t k = 0; k < list->count; k++) {
        const mus_piercing *x = &list->data[k];
        int side = x->object == i && x->other == j ? 0 : x->object == j && x->other == i ? 1 : -1;
        if (side < 0) continue;
        if (!m->count[side]++) m->run[side] = x;
    }
    const int32_t object[2] = {i, j};
    mus_status status = MUS_STATUS_OK;
    for (int k = 0; k < m->sides && status == MUS_STATUS_OK; k++)
        if (mus_crossing_cloth(a, object[k]))
            status = cut_make(mus_crossing_cloth(a, object[k]), m->run[k], m->count[k], i != j, &m->cuts[k]);
    if (status != MUS_STATUS_OK) mus_crossing_runs_free(m);
    return status;
}

/* ---- orientation ---- */

typedef struct half_edge {
    int32_t low, high, face;
    int8_t way;
} half_edge;

static int compare_half_edges(const void *a, const void *b) {
    const half_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

/* Joins faces 2 f (as given) and 2 f + 1 (reversed) with the consistent orientation of their neighbors. */
static mus_status turn_faces(const mus_audit_object *o, int8_t **turned) {
    size_t n = (size_t)o->face_count;
    half_edge *edges = mus_new(sizeof *edges * (3 * n + 1));
    int32_t *parent = mus_new(sizeof *parent * (2 * n + 1));
    *turned = mus_new(n + 1);
    if (!edges || !parent || !*turned) {
        mus_free(edges);
        mus_free(parent);
        return MUS_STATUS_NO_MEMORY;
    }
    for (size_t f = 0; f < n; f++)
        for (size_t k = 0; k < 3; k++) {
            int32_t a = o->faces[3 * f + k], b = o->faces[3 * f + (k + 1) % 3];
            edges[3 * f + k] = (half_edge){a < b ? a : b, a < b ? b : a, (int32_t)f, a < b ? 1 : -1};
        }
    mus_sort(edges, 3 * n, sizeof *edges, compare_half_edges);
    mus_union_find_reset(parent, 2 * o->face_count);
    for (size_t k = 1; k < 3 * n; k++) {
        const half_edge *p = &edges[k - 1], *q = &edges[k];
        if (p->low != q->low || p->high != q->high) continue;
        int32_t odd = p->way == q->way;
        if (mus_union_find_root(parent, 2 * p->face) == mus_union_find_root(parent, 2 * q->face + 1 - odd))
            continue; /* a surface with one side only */
        mus_union_find_join(parent, 2 * p->face, 2 * q->face + odd);
        mus_union_find_join(parent, 2 * p->face + 1, 2 * q->face + 1 - odd);
    }
    for (int32_t f = 0; f < o->face_count; f++)
        (*turned)[f] = mus_union_find_root(parent, 2 * f) <= mus_union_find_root(parent, 2 * f + 1) ? 1 : -1;
    mus_free(edges);
    mus_free(parent);
    return MUS_STATUS_OK;
}

mus_status mus_tangle_make(const mus_world_view *view, mus_tangle *tangle) {
    size_t n = (size_t)view->count;
    *tangle = (mus_tangle){.turned = mus_new(sizeof *tangle->turned * (n + 1)),
                           .side = mus_new(n * n + 1),
                           .given = mus_new(n * n + 1),
                           .count = view->count};
    mus_status status = tangle->turned && tangle->side && tangle->given ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    for (size_t k = 0; k < n && status == MUS_STATUS_OK; k++)
        if (view->objects[k].shape == MUS_SHAPE_MESH) status = turn_faces(&view->objects[k], &tangle->turned[k]);
    if (status != MUS_STATUS_OK) mus_tangle_free(tangle);
    return status;
}

void mus_tangle_free(mus_tangle *tangle) {
    for (int32_t k = 0; tangle->turned && k < tangle->count; k++) mus_free(tangle->turned[k]);
    mus_free(tangle->turned);
    mus_free(tangle->side);
    mus_free(tangle->given);
    *tangle = (mus_tangle){0};
}
