/* repair_crossing.c: displacements for surfaces that cross. Where a crossing cuts a cloth in two, the smaller part is
 * on the wrong side and moves back, ring by ring, by its depth (in the spirit of Baraff, Witkin & Kass 2003,
 * "Untangling cloth"). Where it cuts neither of two objects through, one of them is taken as the upper layer; where
 * there are no layers, in one cloth or at a solid, the line in which surfaces cross is shortened (Volino &
 * Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization"). */
#include "world/overlap/repair_crossing.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "mesh/distance.h"
#include "mesh/predicates.h"
#include "model/order.h"
#include "narrow/audit_inside.h"

#include <string.h>

/* An edge that pierces a face. Within one cloth also an edge `beside` a face, nearer than the edge's length, that
 * crosses its plane: where a ribbon crosses itself border at border, this cuts parts that a few edges would still
 * connect. */
typedef struct piercing {
    int32_t object, edge[2]; /* lower vertex first */
    int32_t other, face, beside;
    v3 own; /* sum of the normals of the faces at the edge */
    v3 run; /* sum of unit vectors from the point of piercing, along the crossing into the faces at the edge */
} piercing;
_Static_assert(sizeof(piercing) <= MUS_SORT_ITEM, "too large to be sorted");
typedef MUS_ARRAY(piercing) piercing_list;

/* The component of each vertex when the mesh is cut where another crosses it. */
typedef struct cut {
    int32_t *component; /* of each vertex */
    double *weight;     /* kg: mass of the component with this root; INFINITY where sides do not alternate */
} cut;

static const double *vertex_at(const mus_audit_object *o, int32_t i) {
    return o->vertices + 3 * (size_t)i;
}
static v3 place_of(const mus_audit_object *o, int32_t i) {
    return v3_load(vertex_at(o, i));
}
static const int32_t *face_of(const mus_audit_object *o, int32_t f) {
    return o->faces + 3 * (size_t)f;
}
/* Unit normal; of one mesh, all to the same side. */
static v3 normal_of(const mus_world_view *view, const mus_tangle *tangle, int32_t object, int32_t f) {
    const mus_audit_object *o = &view->objects[object];
    const int32_t *c = face_of(o, f);
    v3 a = place_of(o, c[0]), n = v3_cross(v3_sub(place_of(o, c[1]), a), v3_sub(place_of(o, c[2]), a));
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

/* Edges of face f of x that go through face g of y. */
static mus_status add_piercings(const mus_world_view *view, const mus_tangle *tangle, int32_t x, int32_t f, int32_t y,
                                int32_t g, piercing_list *list, bool *even) {
    const mus_audit_object *o = &view->objects[x], *p = &view->objects[y];
    const int32_t *c = face_of(o, f), *d = face_of(p, g);
    const double *const t[3] = {vertex_at(p, d[0]), vertex_at(p, d[1]), vertex_at(p, d[2])};
    for (int k = 0; k < 3; k++) {
        int32_t a = c[k], b = c[(k + 1) % 3], third = c[(k + 2) % 3];
        bool common = x == y && (a == d[0] || a == d[1] || a == d[2] || b == d[0] || b == d[1] || b == d[2]);
        if (common) continue;
        bool beside = !edge_pierces_face(vertex_at(o, a), vertex_at(o, b), t, even);
        if (beside && x != y) continue;
        if (beside && !passes_beside(vertex_at(o, a), vertex_at(o, b), t)) continue;
        v3 start = place_of(o, a), along = v3_normalized(v3_sub(place_of(o, b), start));
        v3 inward = v3_sub(place_of(o, third), start);
        inward = v3_axpy(-v3_dot(along, inward), along, inward);
        v3 own = normal_of(view, tangle, x, f), run = v3_normalized(v3_cross(own, normal_of(view, tangle, y, g)));
        if (v3_dot(run, inward) < 0) run = v3_neg(run);
        piercing one = {x, {a < b ? a : b, a < b ? b : a}, y, g, beside, own, run};
        if (!mus_array_push(list, one)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

static int compare_piercings(const void *a, const void *b) {
    const piercing *p = a, *q = b;
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

static bool is_same_piercing(const piercing *p, const piercing *q) {
    return p->object == q->object && p->other == q->other && p->edge[0] == q->edge[0] && p->edge[1] == q->edge[1] &&
           p->face == q->face && p->beside == q->beside;
}

static void merge_piercings(piercing_list *list) {
    mus_sort(list->data, (size_t)list->count, sizeof *list->data, compare_piercings);
    int64_t kept = 0;
    for (int64_t k = 0; k < list->count; k++) {
        piercing *p = &list->data[k];
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
static bool is_cut(const piercing *from, int64_t count, int32_t a, int32_t b) {
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

static void cut_free(cut *c) {
    mus_free(c->component);
    mus_free(c->weight);
    *c = (cut){0};
}

/* Finds the components of a mesh that another object cuts. `sides`: sides alternate from component to component across
 * the cut, and components of one side count as one; within one object each component counts alone. */
static mus_status cut_make(const mus_cloth *cloth, const piercing *from, int64_t count, bool sides, cut *c) {
    int32_t n = cloth->vertex_count;
    *c = (cut){mus_new(sizeof(int32_t) * ((size_t)n + 1)), mus_new(sizeof(double) * (2 * (size_t)n + 1))};
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

/* ---- displacements ---- */

typedef struct pair {
    const mus_world_view *view;
    const mus_tangle *tangle;
    const mus_assembly *assembly;
    const cut *cut[2]; /* of the object of the edge and of that of the face; NULL: an obstacle */
    mus_displacements *displacements;
    double margin; /* m: distance after separation */
} pair;

static const mus_cloth *cloth_of(const mus_assembly *a, int32_t object) {
    const mus_cloth *solved = a->objects[object].cloth;
    return solved ? mus_cloth_given(solved) : NULL;
}
static bool is_fixed(const mus_assembly *a, int32_t object, int32_t i) {
    const mus_cloth *cloth = cloth_of(a, object);
    return !cloth || !(cloth->inverse_mass[i] > 0);
}

/* Returns the smallest component at the face; -1 if there is only one, or sides do not alternate. */
static int32_t smallest_component(const pair *p, const piercing *x) {
    if (!p->cut[1]) return -1;
    const int32_t *c = face_of(&p->view->objects[x->other], x->face), *component = p->cut[1]->component;
    if (component[c[0]] == component[c[1]] && component[c[0]] == component[c[2]]) return -1;
    const double *w = p->cut[1]->weight;
    int32_t least = component[c[0]];
    for (int k = 1; k < 3; k++)
        if (w[component[c[k]]] < w[least] || (!(w[component[c[k]]] > w[least]) && component[c[k]] < least))
            least = component[c[k]];
    return w[least] < INFINITY ? least : -1;
}

/* Returns the end of the edge on the wrong side, 0 or 1; -1: piercings of the other part decide; -2: undecided. */
static int wrong_end(const pair *p, const piercing *x) {
    int32_t other = smallest_component(p, x), own = -1;
    int end = -2;
    if (p->cut[0]) {
        const int32_t *component = p->cut[0]->component, a = component[x->edge[0]], b = component[x->edge[1]];
        const double *w = p->cut[0]->weight;
        end = w[a] < w[b] || (!(w[b] < w[a]) && a < b) ? 0 : 1;
        if (a != b) own = end ? b : a;
        if (own >= 0 && !(w[own] < INFINITY)) own = -1;
    }
    if (own < 0) return other < 0 ? -2 : -1;
    if (other < 0) return end;
    /* of nearly equal components, as the two ends of a loop, always the same one */
    double here = p->cut[0]->weight[own], there = p->cut[1]->weight[other];
    if (fabs(here - there) > 0.1 * (here + there)) return here < there ? end : -1;
    return x->object < x->other || (x->object == x->other && own <= other) ? end : -1;
}

typedef struct through {
    v3 normal, along; /* of the face; of the edge */
    double depth[2];  /* m: heights of the edge's ends above the face */
    double length;
    double share; /* of the edge, at the point of piercing */
    double weight[3];
} through;

static through crossing_geometry(const pair *p, const piercing *x) {
    const mus_audit_object *o = &p->view->objects[x->object], *q = &p->view->objects[x->other];
    const int32_t *c = face_of(q, x->face);
    v3 a = place_of(o, x->edge[0]), b = place_of(o, x->edge[1]), corner[3];
    for (int k = 0; k < 3; k++) corner[k] = place_of(q, c[k]);
    through t = {.normal = normal_of(p->view, p->tangle, x->other, x->face), .along = v3_sub(b, a)};
    t.length = v3_length(t.along);
    t.depth[0] = v3_dot(t.normal, v3_sub(a, corner[0])), t.depth[1] = v3_dot(t.normal, v3_sub(b, corner[0]));
    double span = t.depth[0] - t.depth[1];
    t.share = span != 0 ? fmax(0, fmin(1, t.depth[0] / span)) : 0.5;
    v3 at = v3_axpy(t.share, t.along, a);
    t.along = v3_normalized(t.along);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        v3 one = v3_sub(corner[(k + 1) % 3], at), two = v3_sub(corner[(k + 2) % 3], at);
        sum += t.weight[k] = fmax(0, v3_dot(t.normal, v3_cross(one, two)));
    }
    for (int k = 0; k < 3; k++) t.weight[k] = sum > 0 ? t.weight[k] / sum : 1.0 / 3;
    return t;
}

static void displace_face(const pair *p, const piercing *x, const through *t, v3 by) {
    const int32_t *c = face_of(&p->view->objects[x->other], x->face);
    for (int k = 0; k < 3; k++)
        if (!is_fixed(p->assembly, x->other, c[k]))
            mus_displacement_add(p->displacements, p->assembly->objects[x->other].first + c[k], by, t->weight[k]);
}

static bool face_is_fixed(const pair *p, const piercing *x) {
    const int32_t *c = face_of(&p->view->objects[x->other], x->face);
    return is_fixed(p->assembly, x->other, c[0]) && is_fixed(p->assembly, x->other, c[1]) &&
           is_fixed(p->assembly, x->other, c[2]);
}

/* Moves the end back through the face. */
static void displace_back(const pair *p, const piercing *x, int end) {
    through t = crossing_geometry(p, x);
    int32_t i = x->edge[end], first = p->assembly->objects[x->object].first;
    bool fixed = is_fixed(p->assembly, x->object, i), wall = face_is_fixed(p, x);
    double way = t.depth[end] > 0 ? -1 : 1, far = fabs(t.depth[end]) + p->margin;
    v3 by = v3_scale(way * far * (fixed || wall ? 1 : 0.5), t.normal);
    if (!fixed) mus_displacement_add(p->displacements, first + i, by, 1);
    if (!wall) displace_face(p, x, &t, v3_neg(by));
}

/* Moves edge and face such that the line in which their surfaces cross gets shorter. */
static void shorten_crossing(const pair *p, const piercing *x) {
    through t = crossing_geometry(p, x);
    bool fixed = is_fixed(p->assembly, x->object, x->edge[0]) && is_fixed(p->assembly, x->object, x->edge[1]);
    bool wall = face_is_fixed(p, x);
    double own_share = wall ? 1 : fixed ? 0 : 0.5, across = v3_dot(t.along, t.normal);
    if (fabs(across) < 0.05) across = across < 0 ? -0.05 : 0.05;
    v3 by = v3_axpy(-v3_dot(t.along, x->run) / across, t.normal, v3_scale(own_share, x->run));
    double size = v3_length(by);
    by = v3_scale(0.25 * t.length / fmax(1, size), by);
    if (size > 1e-3) by = v3_axpy(p->margin, v3_normalized(by), by);
    const double share[2] = {1 - t.share, t.share};
    for (int k = 0; k < 2; k++)
        if (!is_fixed(p->assembly, x->object, x->edge[k]))
            mus_displacement_add(p->displacements, p->assembly->objects[x->object].first + x->edge[k],
                                 v3_scale(own_share, by), fmax(share[k], 0.1));
    displace_face(p, x, &t, v3_scale(own_share - 1, by));
}

/* Returns the side of the second object on which the larger part of the first lies: by the components into which it is
 * cut, or, where it is not, by the plane in which they cross. */
static int choose_side(const pair *p, const piercing *run, int64_t count) {
    double vote = 0;
    for (int64_t k = 0; k < count && p->cut[0]; k++) {
        int32_t a = p->cut[0]->component[run[k].edge[0]], b = p->cut[0]->component[run[k].edge[1]];
        double more = p->cut[0]->weight[b] - p->cut[0]->weight[a];
        if (a == b || !isfinite(more)) continue;
        const mus_audit_object *o = &p->view->objects[run[k].object];
        v3 rise = v3_sub(place_of(o, run[k].edge[1]), place_of(o, run[k].edge[0]));
        vote += v3_dot(rise, normal_of(p->view, p->tangle, run[k].other, run[k].face)) > 0 ? more : -more;
    }
    if (vote > 0 || vote < 0) return vote > 0 ? 1 : -1;
    v3 middle = v3_make(0, 0, 0), normal = middle;
    for (int64_t k = 0; k < count; k++) {
        const mus_audit_object *o = &p->view->objects[run[k].object];
        middle = v3_axpy(0.5 / (double)count, v3_add(place_of(o, run[k].edge[0]), place_of(o, run[k].edge[1])), middle);
        normal = v3_add(normal, normal_of(p->view, p->tangle, run[k].other, run[k].face));
    }
    const mus_audit_object *o = &p->view->objects[run->object];
    double above = 0;
    for (int32_t i = 0; i < o->vertex_count; i++) above += v3_dot(normal, v3_sub(place_of(o, i), middle));
    return above < 0 ? -1 : 1;
}

/* Returns the end of an edge that is not on the side chosen for its object; -2: edge and face are too oblique to
 * decide. */
static int end_off_side(const pair *p, const piercing *x, int32_t i, int side) {
    v3 normal = normal_of(p->view, p->tangle, x->other, x->face);
    const mus_audit_object *o = &p->view->objects[x->object];
    if (x->object != i) { /* an edge of the second object, with the side as seen from the first */
        double alike = v3_dot(v3_normalized(x->own), normal);
        if (fabs(alike) < 0.2) return -2;
        side = alike > 0 ? -side : side;
    }
    double rise = v3_dot(normal, v3_sub(place_of(o, x->edge[1]), place_of(o, x->edge[0])));
    return rise * side > 0 ? 0 : 1;
}

bool mus_repair_is_solid(const mus_world_view *view, int32_t object) {
    mus_solidity solidity = MUS_SOLIDITY_OPEN;
    if (view->objects[object].cloth) return false;
    if (view->objects[object].shape != MUS_SHAPE_MESH) return true;
    return mus_audit_solidity(&view->objects[object], &solidity) == MUS_STATUS_OK && solidity != MUS_SOLIDITY_OPEN;
}

/* Two objects that cross, or one that crosses itself. */
typedef struct crossing_runs {
    const piercing *run[2]; /* edges of the first through the second, and the other way round */
    int64_t count[2];
    cut cuts[2];
    int sides; /* 1: one object */
} crossing_runs;

static void crossing_runs_free(crossing_runs *m) {
    for (int k = 0; k < 2; k++) cut_free(&m->cuts[k]);
}

static mus_status crossing_runs_make(const mus_assembly *a, const piercing_list *list, int32_t i, int32_t j,
                                     crossing_runs *m) {
    *m = (crossing_runs){.sides = i == j ? 1 : 2};
    for (int64_t k = 0; k < list->count; k++) {
        const piercing *x = &list->data[k];
        int side = x->object == i && x->other == j ? 0 : x->object == j && x->other == i ? 1 : -1;
        if (side < 0) continue;
        if (!m->count[side]++) m->run[side] = x;
    }
    const int32_t object[2] = {i, j};
    mus_status status = MUS_STATUS_OK;
    for (int k = 0; k < m->sides && status == MUS_STATUS_OK; k++)
        if (cloth_of(a, object[k]))
            status = cut_make(cloth_of(a, object[k]), m->run[k], m->count[k], i != j, &m->cuts[k]);
    if (status != MUS_STATUS_OK) crossing_runs_free(m);
    return status;
}

static void take_sides(pair *p, const crossing_runs *m, int k) {
    int other = m->sides == 1 ? 0 : 1 - k;
    p->cut[0] = m->cuts[k].component ? &m->cuts[k] : NULL,
    p->cut[1] = m->cuts[other].component ? &m->cuts[other] : NULL;
}

static mus_status resolve_crossing(const mus_world_view *view, mus_tangle *tangle, const mus_assembly *a, int32_t i,
                                   int32_t j, const piercing_list *list, mus_displacements *displacements) {
    crossing_runs m;
    mus_status status = crossing_runs_make(a, list, i, j, &m);
    if (status != MUS_STATUS_OK) return status;
    pair p = {view,         tangle,        a,
              {NULL, NULL}, displacements, 0.25 * (a->objects[i].contact_thickness + a->objects[j].contact_thickness)};
    bool layers = i != j && !mus_repair_is_solid(view, j); /* each object has a side */
    int8_t *side = &tangle->side[(size_t)i * (size_t)tangle->count + (size_t)j];
    for (int k = 0; k < m.sides; k++) {
        take_sides(&p, &m, k);
        if (layers && !*side && k == 0 && m.count[0] && tangle->layered)
            *side = (int8_t)choose_side(&p, m.run[0], m.count[0]);
        for (const piercing *x = m.run[k]; x < m.run[k] + m.count[k]; x++) {
            if (x->beside) continue;
            int end = layers && tangle->layered && *side ? -2 : wrong_end(&p, x);
            if (end >= 0) displace_back(&p, x, end);
            if (end != -2) continue;
            if (layers && !*side && k == 0) *side = (int8_t)choose_side(&p, m.run[0], m.count[0]);
            if (layers && *side) end = end_off_side(&p, x, i, *side);
            if (end >= 0)
                displace_back(&p, x, end);
            else if (!layers)
                shorten_crossing(&p, x);
        }
    }
    crossing_runs_free(&m);
    return MUS_STATUS_OK;
}

static void mark_side(const pair *p, const crossing_runs *m, const mus_audit_report *report, int k, int32_t object,
                      int32_t *marks, bool *whole) {
    const mus_cloth *cloth = cloth_of(p->assembly, object);
    bool any = false;
    if (!cloth) return;
    for (const piercing *x = m->run[k]; x < m->run[k] + m->count[k]; x++) {
        int end = x->beside ? -1 : wrong_end(p, x);
        if (end == -2) *whole = true;
        if (end < 0) continue;
        any = true;
        int32_t component = p->cut[0]->component[x->edge[end]];
        for (int32_t v = 0; v < cloth->vertex_count && !marks[x->edge[end]]; v++)
            if (v != x->edge[end] && p->cut[0]->component[v] == component) marks[v] = 1;
        marks[x->edge[end]] = 1;
    }
    for (int64_t n = 0; n < report->finding_count && any; n++)
        for (int side = 0; side < 2; side++) {
            const mus_audit_finding *f = &report->findings[n];
            if (f->kind == MUS_AUDIT_INSIDE || f->part[side] != object) continue;
            const int32_t *c = cloth->faces + 3 * (size_t)f->face[side];
            marks[c[0]] = marks[c[1]] = marks[c[2]] = 1;
        }
}

mus_status mus_repair_components(const mus_world *world, const mus_world_view *view, mus_tangle *tangle,
                                 const mus_audit_report *report, int32_t i, int32_t j, int32_t *marks, int32_t *others,
                                 bool *whole) {
    const mus_assembly *a = &world->solver.assembly;
    piercing_list list = {0};
    crossing_runs m = {.sides = 0};
    bool even = false;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < report->finding_count && status == MUS_STATUS_OK; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (f->kind == MUS_AUDIT_INSIDE || f->part[0] != i || f->part[1] != j) continue;
        for (int side = 0; side < 2 && status == MUS_STATUS_OK; side++)
            status = add_piercings(view, tangle, f->part[side], f->face[side], f->part[1 - side], f->face[1 - side],
                                   &list, &even);
    }
    merge_piercings(&list);
    if (status == MUS_STATUS_OK) status = crossing_runs_make(a, &list, i, j, &m);
    pair p = {.view = view, .tangle = tangle, .assembly = a};
    for (int k = 0; k < m.sides && status == MUS_STATUS_OK; k++) {
        take_sides(&p, &m, k);
        mark_side(&p, &m, report, k, k ? j : i, k ? others : marks, whole);
    }
    *whole |= list.count == 0;
    if (status == MUS_STATUS_OK) crossing_runs_free(&m);
    mus_array_free(&list);
    return status;
}

/* For faces that meet at edges and vertices, as those of equal grids do: the side is undecided, and a small
 * perturbation makes it decidable. */
static void perturb_faces(const mus_world_view *view, const mus_assembly *a, const mus_audit_finding *f, mus_rng *rng,
                          mus_displacements *displacements) {
    for (int side = 0; side < 2; side++) {
        int32_t object = f->part[side];
        const mus_cloth *cloth = cloth_of(a, object);
        if (!cloth) continue;
        const int32_t *c = face_of(&view->objects[object], f->face[side]);
        for (int k = 0; k < 3; k++) {
            double size = 1e-3 * cloth->mean_edge, by[3];
            for (int m = 0; m < 3; m++) by[m] = mus_rng_between(rng, -size, size);
            if (!is_fixed(a, object, c[k]))
                mus_displacement_add(displacements, a->objects[object].first + c[k], v3_load(by), 0.2);
        }
    }
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
    *tangle = (mus_tangle){
        .turned = mus_new(sizeof *tangle->turned * (n + 1)), .side = mus_new(n * n + 1), .count = view->count};
    mus_status status = tangle->turned && tangle->side ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    for (size_t k = 0; k < n && status == MUS_STATUS_OK; k++)
        if (view->objects[k].shape == MUS_SHAPE_MESH) status = turn_faces(&view->objects[k], &tangle->turned[k]);
    if (status != MUS_STATUS_OK) mus_tangle_free(tangle);
    return status;
}

void mus_tangle_free(mus_tangle *tangle) {
    for (int32_t k = 0; tangle->turned && k < tangle->count; k++) mus_free(tangle->turned[k]);
    mus_free(tangle->turned);
    mus_free(tangle->side);
    *tangle = (mus_tangle){0};
}

/* ---- */

mus_status mus_repair_crossings(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                                int round, mus_tangle *tangle, mus_displacements *displacements) {
    const mus_assembly *a = &world->solver.assembly;
    piercing_list list = {0};
    mus_rng rng = mus_rng_make(1, (uint64_t)round);
    bool any_even = false;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < report->finding_count && status == MUS_STATUS_OK; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (f->kind == MUS_AUDIT_INSIDE) continue;
        bool even = f->kind == MUS_AUDIT_EDGE_PAIR;
        for (int side = 0; side < 2 && status == MUS_STATUS_OK; side++)
            status = add_piercings(view, tangle, f->part[side], f->face[side], f->part[1 - side], f->face[1 - side],
                                   &list, &even);
        any_even |= even;
        if (even) perturb_faces(view, a, f, &rng, displacements);
    }
    if (any_even && round == 0) list.count = 0; /* audits the perturbed positions before any displacement */
    merge_piercings(&list);
    for (int32_t i = 0; i < view->count && status == MUS_STATUS_OK; i++)
        for (int32_t j = i; j < view->count && status == MUS_STATUS_OK; j++) {
            bool any = false;
            for (int64_t k = 0; k < list.count && !any; k++)
                any = (list.data[k].object == i && list.data[k].other == j) ||
                      (list.data[k].object == j && list.data[k].other == i);
            if (any) status = resolve_crossing(view, tangle, a, i, j, &list, displacements);
        }
    mus_array_free(&list);
    return status;
}
