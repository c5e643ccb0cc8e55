/* untangle_crossing.c: displacements for surfaces that cross. Where a crossing cuts a cloth in two, the smaller part is
 * on the wrong side and moves back, ring by ring, by its depth (in the spirit of Baraff, Witkin & Kass 2003,
 * "Untangling cloth"). Where it cuts neither of two objects through, one of them is taken as the upper layer; where
 * there are no layers, in one cloth or at a solid, the line in which surfaces cross is shortened (Volino &
 * Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization"). */
#include "world/overlap/untangle_crossing.h"
#include "base/rng.h"
#include "narrow/audit_inside.h"

#include <string.h>

/* Constants of no derivation. In brackets: rounds of test_start with half and twice the value. With these, its 18
 * tangled random scenes take 990 rounds in all, two sheets 10 to 107, a cloth pierced by itself 7 to 11, a sheet in a
 * mesh 14 and 45. */
/* Two components are equal within this share of their masses: one of them is chosen by its number. [Random scenes 1018
 * and 989, tubes 4 and 5 for 4; all else same.] */
static const double equal_mass_share = 0.1;
/* Cosine of face to face below which an edge of the lower layer decides no side. [Half: a pierced cloth takes 29 rounds
 * for 8, random scenes 1309. Twice: random scenes 1189, two sheets at 1.5 rad 76 for 107.] */
static const double least_side_cosine = 0.2;
/* The distance after separation, in contact thicknesses of both. [Half: random scenes 1158, two sheets 122 for 107.
 * Twice: a pierced cloth 29 for 8, random scenes 1532.] */
static const double margin_per_thickness = 0.25;
/* Shortening of a crossing, in lengths of its edge. [Sheet in a mesh 47 and 41 for 45, 19 and 17 for 14; random scenes
 * 992 and 989.] */
static const double shift_per_edge = 0.25;
/* Sine of edge to face that a shift along the face is divided by, at least. [41 and 45 for 45; random scenes 991 and
 * 994.] */
static const double least_edge_sine = 0.05;
/* Shift, in units of the shortening, below which it has no direction to add the margin in. [Same.] */
static const double least_direction = 1e-3;
/* Weight of an end of the edge, at least, in the mean of its displacements. [44 and 48 for 45, 16 and 18 for 14; random
 * scenes 991 both.] */
static const double least_vertex_weight = 0.1;
/* Largest perturbation of faces that meet at edges or vertices, in mean edges; its weight. [Same, but tubes 5 rounds
 * for 4 with twice the perturbation.] */
static const double perturbation_per_edge = 1e-3, perturbation_weight = 0.2;

typedef struct pair {
    const mus_world_view *view;
    const mus_tangle *tangle;
    const mus_assembly *assembly;
    const mus_cut *cut[2]; /* of the object of the edge and of that of the face; NULL: an obstacle */
    mus_displacements *displacements;
    double margin; /* m: distance after separation */
} pair;

static bool is_fixed(const mus_assembly *a, int32_t object, int32_t i) {
    const mus_cloth *cloth = mus_crossing_cloth(a, object);
    return !cloth || !(cloth->inverse_mass[i] > 0);
}

/* Returns the smallest component at the face; -1 if there is only one, or sides do not alternate. */
static int32_t smallest_component(const pair *p, const mus_piercing *x) {
    if (!p->cut[1]) return -1;
    const int32_t *c = mus_crossing_face(&p->view->objects[x->other], x->face), *component = p->cut[1]->component;
    if (component[c[0]] == component[c[1]] && component[c[0]] == component[c[2]]) return -1;
    const double *w = p->cut[1]->weight;
    int32_t least = component[c[0]];
    for (int k = 1; k < 3; k++)
        if (w[component[c[k]]] < w[least] || (!(w[component[c[k]]] > w[least]) && component[c[k]] < least))
            least = component[c[k]];
    return w[least] < INFINITY ? least : -1;
}

/* Returns the end of the edge on the wrong side, 0 or 1; -1: piercings of the other part decide; -2: undecided. */
static int wrong_end(const pair *p, const mus_piercing *x) {
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
    if (fabs(here - there) > equal_mass_share * (here + there)) return here < there ? end : -1;
    return x->object < x->other || (x->object == x->other && own <= other) ? end : -1;
}

typedef struct through {
    v3 normal, along; /* of the face; of the edge */
    double depth[2];  /* m: heights of the edge's ends above the face */
    double length;
    double share; /* of the edge, at the point of piercing */
    double weight[3];
} through;

static through crossing_geometry(const pair *p, const mus_piercing *x) {
    const mus_audit_object *o = &p->view->objects[x->object], *q = &p->view->objects[x->other];
    const int32_t *c = mus_crossing_face(q, x->face);
    v3 a = mus_crossing_place(o, x->edge[0]), b = mus_crossing_place(o, x->edge[1]), corner[3];
    for (int k = 0; k < 3; k++) corner[k] = mus_crossing_place(q, c[k]);
    through t = {.normal = mus_crossing_normal(p->view, p->tangle, x->other, x->face), .along = v3_sub(b, a)};
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

static void displace_face(const pair *p, const mus_piercing *x, const through *t, v3 by) {
    const int32_t *c = mus_crossing_face(&p->view->objects[x->other], x->face);
    for (int k = 0; k < 3; k++)
        if (!is_fixed(p->assembly, x->other, c[k]))
            mus_displacement_add(p->displacements, p->assembly->objects[x->other].first + c[k], by, t->weight[k]);
}

static bool face_is_fixed(const pair *p, const mus_piercing *x) {
    const int32_t *c = mus_crossing_face(&p->view->objects[x->other], x->face);
    return is_fixed(p->assembly, x->other, c[0]) && is_fixed(p->assembly, x->other, c[1]) &&
           is_fixed(p->assembly, x->other, c[2]);
}

/* Moves the end back through the face. */
static void displace_back(const pair *p, const mus_piercing *x, int end) {
    through t = crossing_geometry(p, x);
    int32_t i = x->edge[end], first = p->assembly->objects[x->object].first;
    bool fixed = is_fixed(p->assembly, x->object, i), wall = face_is_fixed(p, x);
    double way = t.depth[end] > 0 ? -1 : 1, far = fabs(t.depth[end]) + p->margin;
    v3 by = v3_scale(way * far * (fixed || wall ? 1 : 0.5), t.normal);
    if (!fixed) mus_displacement_add(p->displacements, first + i, by, 1);
    if (!wall) displace_face(p, x, &t, v3_neg(by));
}

/* Moves edge and face such that the line in which their surfaces cross gets shorter. */
static void shorten_crossing(const pair *p, const mus_piercing *x) {
    through t = crossing_geometry(p, x);
    bool fixed = is_fixed(p->assembly, x->object, x->edge[0]) && is_fixed(p->assembly, x->object, x->edge[1]);
    bool wall = face_is_fixed(p, x);
    double own_share = wall ? 1 : fixed ? 0 : 0.5, across = v3_dot(t.along, t.normal);
    if (fabs(across) < least_edge_sine) across = across < 0 ? -least_edge_sine : least_edge_sine;
    v3 by = v3_axpy(-v3_dot(t.along, x->run) / across, t.normal, v3_scale(own_share, x->run));
    double size = v3_length(by);
    by = v3_scale(shift_per_edge * t.length / fmax(1, size), by);
    if (size > least_direction) by = v3_axpy(p->margin, v3_normalized(by), by);
    const double share[2] = {1 - t.share, t.share};
    for (int k = 0; k < 2; k++)
        if (!is_fixed(p->assembly, x->object, x->edge[k]))
            mus_displacement_add(p->displacements, p->assembly->objects[x->object].first + x->edge[k],
                                 v3_scale(own_share, by), fmax(share[k], least_vertex_weight));
    displace_face(p, x, &t, v3_scale(own_share - 1, by));
}

/* Returns the side of the second object on which the larger part of the first lies: by the components into which it is
 * cut, or, where it is not, by the plane in which they cross. */
static int choose_side(const pair *p, const mus_piercing *run, int64_t count) {
    double vote = 0;
    for (int64_t k = 0; k < count && p->cut[0]; k++) {
        int32_t a = p->cut[0]->component[run[k].edge[0]], b = p->cut[0]->component[run[k].edge[1]];
        double more = p->cut[0]->weight[b] - p->cut[0]->weight[a];
        if (a == b || !isfinite(more)) continue;
        const mus_audit_object *o = &p->view->objects[run[k].object];
        v3 rise = v3_sub(mus_crossing_place(o, run[k].edge[1]), mus_crossing_place(o, run[k].edge[0]));
        vote += v3_dot(rise, mus_crossing_normal(p->view, p->tangle, run[k].other, run[k].face)) > 0 ? more : -more;
    }
    if (vote > 0 || vote < 0) return vote > 0 ? 1 : -1;
    v3 middle = v3_make(0, 0, 0), normal = middle;
    for (int64_t k = 0; k < count; k++) {
        const mus_audit_object *o = &p->view->objects[run[k].object];
        middle = v3_axpy(0.5 / (double)count,
                         v3_add(mus_crossing_place(o, run[k].edge[0]), mus_crossing_place(o, run[k].edge[1])), middle);
        normal = v3_add(normal, mus_crossing_normal(p->view, p->tangle, run[k].other, run[k].face));
    }
    const mus_audit_object *o = &p->view->objects[run->object];
    double above = 0;
    for (int32_t i = 0; i < o->vertex_count; i++) above += v3_dot(normal, v3_sub(mus_crossing_place(o, i), middle));
    return above < 0 ? -1 : 1;
}

/* Returns the end of an edge that is not on the side chosen for its object; -2: edge and face are too oblique to
 * decide. */
static int end_off_side(const pair *p, const mus_piercing *x, int32_t i, int side) {
    v3 normal = mus_crossing_normal(p->view, p->tangle, x->other, x->face);
    const mus_audit_object *o = &p->view->objects[x->object];
    if (x->object != i) { /* an edge of the second object, with the side as seen from the first */
        double alike = v3_dot(v3_normalized(x->own), normal);
        if (fabs(alike) < least_side_cosine) return -2;
        side = alike > 0 ? -side : side;
    }
    double rise = v3_dot(normal, v3_sub(mus_crossing_place(o, x->edge[1]), mus_crossing_place(o, x->edge[0])));
    return rise * side > 0 ? 0 : 1;
}

bool mus_untangle_is_solid(const mus_world_view *view, int32_t object) {
    mus_solidity solidity = MUS_SOLIDITY_OPEN;
    if (view->objects[object].cloth) return false;
    if (view->objects[object].shape != MUS_SHAPE_MESH) return true;
    return mus_audit_solidity(&view->objects[object], &solidity) == MUS_STATUS_OK && solidity != MUS_SOLIDITY_OPEN;
}

static void take_sides(pair *p, const mus_crossing_runs *m, int k) {
    int other = m->sides == 1 ? 0 : 1 - k;
    p->cut[0] = m->cuts[k].component ? &m->cuts[k] : NULL,
    p->cut[1] = m->cuts[other].component ? &m->cuts[other] : NULL;
}

/* Of two cloths that are layers of each other, a component is on the wrong side where most of its edges that are cut
 * are, and not where it is the smaller one: weighs the components of the first accordingly. side: of the second, on
 * which the first belongs. */
static mus_status weigh_by_side(const mus_world_view *view, const mus_tangle *tangle, const mus_crossing_runs *m, int k,
                                int side) {
    const mus_cut *cut = &m->cuts[k];
    if (!cut->component || m->count[k] == 0) return MUS_STATUS_OK;
    const mus_audit_object *o = &view->objects[m->run[k]->object];
    size_t roots = 2 * (size_t)o->vertex_count;
    int32_t *votes = mus_new(sizeof *votes * (roots + 1));
    if (!votes) return MUS_STATUS_NO_MEMORY;
    for (const mus_piercing *x = m->run[k]; x < m->run[k] + m->count[k]; x++) {
        int32_t a = cut->component[x->edge[0]], b = cut->component[x->edge[1]];
        if (x->beside || a == b) continue;
        v3 rise = v3_sub(mus_crossing_place(o, x->edge[1]), mus_crossing_place(o, x->edge[0]));
        int vote = v3_dot(rise, mus_crossing_normal(view, tangle, x->other, x->face)) * side > 0 ? 1 : -1;
        votes[b] += vote, votes[a] -= vote;
    }
    for (size_t r = 0; r < roots; r++)
        if (votes[r] != 0 && cut->weight[r] < INFINITY) cut->weight[r] = votes[r] > 0;
    mus_free(votes);
    return MUS_STATUS_OK;
}

/* Finds where two objects cross. Components of layers are weighed by their sides. */
static mus_status find_runs(const mus_world_view *view, const mus_tangle *tangle, const mus_assembly *a, int32_t i,
                            int32_t j, const mus_piercing_list *list, mus_crossing_runs *m) {
    mus_status status = mus_crossing_runs_make(a, list, i, j, m);
    if (status != MUS_STATUS_OK) return status;
    const size_t n = (size_t)tangle->count, index[2] = {(size_t)i * n + (size_t)j, (size_t)j * n + (size_t)i};
    for (int k = 0; k < m->sides && status == MUS_STATUS_OK; k++)
        if (tangle->given[index[k]]) status = weigh_by_side(view, tangle, m, k, tangle->side[index[k]]);
    if (status != MUS_STATUS_OK) mus_crossing_runs_free(m);
    return status;
}

static mus_status resolve_crossing(const mus_world_view *view, mus_tangle *tangle, const mus_assembly *a, int32_t i,
                                   int32_t j, const mus_piercing_list *list, mus_displacements *displacements) {
    mus_crossing_runs m;
    mus_status status = find_runs(view, tangle, a, i, j, list, &m);
    if (status == MUS_STATUS_OK) {
        status = mus_displacements_begin_pair(displacements, i, j);
        if (status != MUS_STATUS_OK) mus_crossing_runs_free(&m);
    }
    if (status != MUS_STATUS_OK) return status;
    pair p = {view,
              tangle,
              a,
              {NULL, NULL},
              displacements,
              margin_per_thickness * (a->objects[i].contact_thickness + a->objects[j].contact_thickness)};
    bool layers = i != j && !mus_untangle_is_solid(view, j); /* each object has a side */
    int8_t *side = &tangle->side[(size_t)i * (size_t)tangle->count + (size_t)j];
    bool sided = layers && tangle->layered;
    for (int k = 0; k < m.sides; k++) {
        take_sides(&p, &m, k);
        if (sided && !*side && k == 0 && m.count[0]) *side = (int8_t)choose_side(&p, m.run[0], m.count[0]);
        for (const mus_piercing *x = m.run[k]; x < m.run[k] + m.count[k]; x++) {
            if (x->beside) continue;
            int end = sided && *side ? -2 : wrong_end(&p, x);
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
    mus_crossing_runs_free(&m);
    return MUS_STATUS_OK;
}

static void mark_side(const pair *p, const mus_crossing_runs *m, const mus_audit_report *report, int k, int32_t object,
                      int32_t *marks, bool *whole) {
    const mus_cloth *cloth = mus_crossing_cloth(p->assembly, object);
    bool any = false;
    if (!cloth) return;
    for (const mus_piercing *x = m->run[k]; x < m->run[k] + m->count[k]; x++) {
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

mus_status mus_untangle_components(const mus_world *world, const mus_world_view *view, mus_tangle *tangle,
                                   const mus_audit_report *report, int32_t i, int32_t j, int32_t *marks,
                                   int32_t *others, bool *whole) {
    const mus_assembly *a = &world->solver.assembly;
    mus_piercing_list list = {0};
    mus_crossing_runs m = {.sides = 0};
    bool even = false;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < report->finding_count && status == MUS_STATUS_OK; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (f->kind == MUS_AUDIT_INSIDE || f->part[0] != i || f->part[1] != j) continue;
        for (int side = 0; side < 2 && status == MUS_STATUS_OK; side++)
            status = mus_piercings_add(view, tangle, f->part[side], f->face[side], f->part[1 - side], f->face[1 - side],
                                       &list, &even);
    }
    mus_piercings_merge(&list);
    if (status == MUS_STATUS_OK) status = mus_crossing_runs_make(a, &list, i, j, &m);
    pair p = {.view = view, .tangle = tangle, .assembly = a};
    for (int k = 0; k < m.sides && status == MUS_STATUS_OK; k++) {
        take_sides(&p, &m, k);
        mark_side(&p, &m, report, k, k ? j : i, k ? others : marks, whole);
    }
    *whole |= list.count == 0;
    if (status == MUS_STATUS_OK) mus_crossing_runs_free(&m);
    mus_array_free(&list);
    return status;
}

/* For faces that meet at edges and vertices, as those of equal grids do: the side is undecided, and a small
 * perturbation makes it decidable. */
static void perturb_faces(const mus_world_view *view, const mus_assembly *a, const mus_audit_finding *f, mus_rng *rng,
                          mus_displacements *displacements) {
    for (int side = 0; side < 2; side++) {
        int32_t object = f->part[side];
        const mus_cloth *cloth = mus_crossing_cloth(a, object);
        if (!cloth) continue;
        const int32_t *c = mus_crossing_face(&view->objects[object], f->face[side]);
        for (int k = 0; k < 3; k++) {
            double size = perturbation_per_edge * cloth->mean_edge, by[3];
            for (int m = 0; m < 3; m++) by[m] = mus_rng_between(rng, -size, size);
            if (!is_fixed(a, object, c[k]))
                mus_displacement_add(displacements, a->objects[object].first + c[k], v3_load(by), perturbation_weight);
        }
    }
}

mus_status mus_untangle_crossings(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                                  int round, mus_tangle *tangle, mus_displacements *displacements) {
    const mus_assembly *a = &world->solver.assembly;
    mus_piercing_list list = {0};
    mus_rng rng = mus_rng_make(1, (uint64_t)round);
    bool any_even = false;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < report->finding_count && status == MUS_STATUS_OK; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (f->kind == MUS_AUDIT_INSIDE) continue;
        bool even = f->kind == MUS_AUDIT_EDGE_PAIR;
        for (int side = 0; side < 2 && status == MUS_STATUS_OK; side++)
            status = mus_piercings_add(view, tangle, f->part[side], f->face[side], f->part[1 - side], f->face[1 - side],
                                       &list, &even);
        any_even |= even;
        if (even && status == MUS_STATUS_OK) {
            status = mus_displacements_begin_pair(displacements, f->part[0], f->part[1]);
            if (status == MUS_STATUS_OK) perturb_faces(view, a, f, &rng, displacements);
        }
    }
    if (any_even && round == 0) list.count = 0; /* audits the perturbed positions before any displacement */
    mus_piercings_merge(&list);
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
