/* allow.c: overlaps of the start that are let be. What of a cloth lies on the wrong side of another surface does not
 * collide with it, all the rest does: so the line in which they cross can only move within that part, and shrink. When
 * a part has come out it collides like everything else. */
#include "world/allow.h"
#include "mesh/distance.h"
#include "narrow/audit_inside.h"
#include "narrow/triangles.h"
#include "world/repair_crossing.h"
#include "world/start.h"

#include <string.h>

static int32_t code_of(const mus_world *world, int32_t object) {
    int32_t cloths = (int32_t)world->cloth_order.count;
    return object < cloths ? object : cloths - 1 - object;
}
static int32_t object_of(const mus_world *world, int32_t code) {
    return code >= 0 ? code : (int32_t)world->cloth_order.count - 1 - code;
}
static const mus_cloth *cloth_at(const mus_world *world, int32_t k) {
    return world->cloths.data[world->cloth_order.data[k]].object;
}

static void let_free(mus_let *let) {
    mus_free(let->part);
    mus_free(let->leaving);
}

void mus_allow_clear(mus_world *world) {
    for (int64_t k = 0; k < world->lets.count; k++) let_free(&world->lets.data[k]);
    mus_array_free(&world->lets);
}

/* ---- what is let ---- */

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Vertices marked in `part` (1) get the numbers of their connected parts, from 1. */
static mus_status number_parts(const mus_cloth *cloth, mus_let *let) {
    int32_t n = cloth->vertex_count, *parent = mus_new(sizeof *parent * ((size_t)n + 1));
    if (!parent) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < n; i++) parent[i] = i;
    for (int32_t e = 0; e < cloth->topology.edge_count; e++) {
        int32_t a = cloth->topology.edges[2 * e], b = cloth->topology.edges[2 * e + 1];
        if (!let->part[a] || !let->part[b]) continue;
        a = root_of(parent, a), b = root_of(parent, b);
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
    let->parts = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!let->part[i]) continue;
        int32_t r = root_of(parent, i);
        let->part[i] = r == i ? ++let->parts : let->part[r]; /* a root is the least of its part */
    }
    mus_free(parent);
    let->left = let->parts;
    let->leaving = mus_new((size_t)let->parts + 1);
    return let->leaving ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Takes the marks over. */
static mus_status add_let(mus_world *world, int32_t object, int32_t other, int32_t *marks) {
    const mus_cloth *cloth = cloth_at(world, object);
    mus_let let = {
        .object = object, .other = code_of(world, other), .vertex_count = cloth->vertex_count, .part = marks};
    mus_status status = number_parts(cloth, &let);
    if (status == MUS_STATUS_OK && let.parts > 0 && mus_array_push(&world->lets, let)) return MUS_STATUS_OK;
    bool none = status == MUS_STATUS_OK && let.parts == 0;
    let_free(&let);
    return none ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void mark_face(const mus_cloth *cloth, int32_t face, int32_t *marks) {
    for (int k = 0; k < 3; k++) marks[cloth->faces[3 * (size_t)face + (size_t)k]] = 1;
}

/* Faces with a vertex inside, and those that the report names. */
static void mark_inside(const mus_world *world, const mus_audit_report *report, int32_t i, int32_t j, uint8_t *inside,
                        int32_t *marks) {
    const mus_cloth *cloth = cloth_at(world, i);
    for (int64_t k = 0; k < report->finding_count; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (f->object[0] != i || f->object[1] != j) continue;
        if (f->kind != MUS_AUDIT_INSIDE || f->face[1] == -2)
            mark_face(cloth, f->face[0], marks);
        else
            inside[f->face[0]] = 1, marks[f->face[0]] = 1;
    }
    const mus_obstacle *o = world->solver.assembly.bodies[j].obstacle;
    for (int32_t f = 0; f < cloth->face_count && o && o->def.shape != MUS_SHAPE_PLANE; f++) {
        const int32_t *c = cloth->faces + 3 * (size_t)f;
        if (inside[c[0]] || inside[c[1]] || inside[c[2]]) mark_face(cloth, f, marks);
    }
}

static mus_status let_pair(mus_world *world, const mus_world_view *view, mus_tangle *tangle,
                           const mus_audit_report *report, int32_t i, int32_t j) {
    bool two = j < view->cloth_count && j != i, any = false;
    for (int64_t k = 0; k < report->finding_count && !any; k++)
        any = report->findings[k].object[0] == i && report->findings[k].object[1] == j;
    if (!any) return MUS_STATUS_OK;
    size_t n = (size_t)cloth_at(world, i)->vertex_count, m = two ? (size_t)cloth_at(world, j)->vertex_count : 0;
    int32_t *marks = mus_new(sizeof *marks * (n + 1)), *others = mus_new(sizeof *others * (m + 1));
    uint8_t *inside = mus_new(n + 1);
    mus_status status = marks && others && inside ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    bool whole = false;
    if (status == MUS_STATUS_OK && (j < view->cloth_count || !mus_repair_is_solid(view, j)))
        status = mus_repair_parts(world, view, tangle, report, i, j, marks, others, &whole);
    else if (status == MUS_STATUS_OK)
        mark_inside(world, report, i, j, inside, marks);
    for (size_t k = 0; status == MUS_STATUS_OK && whole && k < n; k++) marks[k] = 1;
    mus_free(inside);
    if (status != MUS_STATUS_OK) {
        mus_free(marks);
        mus_free(others);
        return status;
    }
    status = add_let(world, i, j, marks);
    if (two && status == MUS_STATUS_OK) return add_let(world, j, i, others);
    mus_free(others);
    return status;
}

mus_status mus_allow_overlaps(mus_world *world, const mus_audit_report *report) {
    mus_world_view view;
    mus_tangle tangle;
    mus_allow_clear(world);
    mus_status status = mus_world_view_make(world, &view);
    if (status != MUS_STATUS_OK) return status;
    status = mus_tangle_make(&view, &tangle);
    for (int32_t i = 0; i < view.cloth_count && status == MUS_STATUS_OK; i++)
        for (int32_t j = i; j < view.count && status == MUS_STATUS_OK; j++)
            status = let_pair(world, &view, &tangle, report, i, j);
    mus_tangle_free(&tangle);
    mus_world_view_free(&view);
    if (status != MUS_STATUS_OK) mus_allow_clear(world);
    return status;
}

static bool lets_face(const mus_world *world, int32_t object, int32_t other, int32_t face) {
    for (int64_t k = 0; k < world->lets.count; k++) {
        const mus_let *let = &world->lets.data[k];
        if (let->object != object || let->other != code_of(world, other)) continue;
        const int32_t *c = cloth_at(world, object)->faces + 3 * (size_t)face;
        if (let->part[c[0]] && let->part[c[1]] && let->part[c[2]]) return true;
    }
    return false;
}

bool mus_allow_has(const mus_world *world, const mus_audit_finding *f) {
    int32_t i = f->object[0], j = f->object[1], cloths = (int32_t)world->cloth_order.count;
    if (!world->lets.count || i >= cloths) return false;
    if (f->kind == MUS_AUDIT_INSIDE && f->face[1] == -1) {
        for (int64_t k = 0; k < world->lets.count; k++) {
            const mus_let *let = &world->lets.data[k];
            if (let->object == i && let->other == code_of(world, j) && let->part[f->face[0]]) return true;
        }
        return false;
    }
    if (lets_face(world, i, j, f->face[0])) return true;
    return f->kind != MUS_AUDIT_INSIDE && j < cloths && lets_face(world, j, i, f->face[1]);
}

void mus_allow_set_apart(const mus_world *world, mus_audit_report *report) {
    int64_t kept = 0;
    for (int64_t k = 0; k < report->finding_count; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (!mus_allow_has(world, f)) {
            report->findings[kept++] = *f;
            continue;
        }
        report->allowed++;
        *(f->kind == MUS_AUDIT_INSIDE ? &report->inside : &report->intersections) -= 1;
    }
    report->finding_count = kept;
}

int32_t mus_allow_count(const mus_world *world) {
    int32_t count = 0;
    for (int64_t k = 0; k < world->lets.count; k++) count += world->lets.data[k].left;
    return count;
}

/* ---- coming apart ---- */

typedef struct look {
    const mus_audit_object *one, *two;
    mus_let *let;
    bool self;
    double margin; /* m: nearer than this is not apart */
} look;

static void stay(look *l, int32_t face) {
    const int32_t *c = l->one->faces + 3 * (size_t)face;
    for (int k = 0; k < 3; k++)
        if (l->let->part[c[k]]) l->let->leaving[l->let->part[c[k]]] = 0;
}

static bool near(const look *l, const double *const t[3], const double *const s[3]) {
    double w[3], margin2 = l->margin * l->margin;
    v3 a[3], b[3];
    for (int k = 0; k < 3; k++) a[k] = v3_load(t[k]), b[k] = v3_load(s[k]);
    for (int i = 0; i < 3; i++) {
        if (v3_length2(mus_nearest_vertex_face(a[i], b[0], b[1], b[2], w)) <= margin2) return true;
        if (v3_length2(mus_nearest_vertex_face(b[i], a[0], a[1], a[2], w)) <= margin2) return true;
        for (int k = 0; k < 3; k++)
            if (v3_length2(mus_nearest_edge_edge(a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3], w)) <= margin2)
                return true;
    }
    return false;
}

static mus_status visit(void *context, int32_t f, int32_t g) {
    look *l = context;
    const int32_t *c = l->one->faces + 3 * (size_t)f, *d = l->two->faces + 3 * (size_t)g;
    bool here = l->let->part[c[0]] || l->let->part[c[1]] || l->let->part[c[2]];
    bool there = l->self && (l->let->part[d[0]] || l->let->part[d[1]] || l->let->part[d[2]]);
    if (!here && !there) return MUS_STATUS_OK;
    const double *t[3], *s[3];
    int shared = 0, at = 0, bt = 0;
    for (int i = 0; i < 3; i++) {
        t[i] = l->one->vertices + 3 * (size_t)c[i], s[i] = l->two->vertices + 3 * (size_t)d[i];
        for (int k = 0; l->self && k < 3; k++)
            if (c[i] == d[k]) shared++, at = i, bt = k;
    }
    bool together;
    if (shared == 0)
        together = mus_meet_apart(t, s) == MUS_MEETING_CROSSING || near(l, t, s);
    else if (shared == 1)
        together = mus_meet_at_vertex(t[at], t[(at + 1) % 3], t[(at + 2) % 3], s[(bt + 1) % 3], s[(bt + 2) % 3]) ==
                   MUS_MEETING_CROSSING;
    else
        together = false;
    if (!together) return MUS_STATUS_OK;
    stay(l, f);
    if (l->self) stay(l, g);
    return MUS_STATUS_OK;
}

static void inflate(mus_audit_tree *tree, double by) {
    for (int32_t k = 0; k < tree->node_count; k++)
        for (int i = 0; i < 3; i++) tree->nodes[k].box.low[i] -= by, tree->nodes[k].box.high[i] += by;
    for (int32_t k = 0; k < tree->face_count; k++)
        for (int i = 0; i < 3; i++) tree->boxes[k].low[i] -= by, tree->boxes[k].high[i] += by;
}

static mus_status look_at_mesh(look *l) {
    mus_audit_tree one = {0}, two = {0};
    mus_status status = mus_audit_tree_build(l->one->vertices, l->one->faces, l->one->face_count, &one);
    if (status == MUS_STATUS_OK && !l->self)
        status = mus_audit_tree_build(l->two->vertices, l->two->faces, l->two->face_count, &two);
    mus_solidity solidity = MUS_SOLIDITY_OPEN;
    if (status == MUS_STATUS_OK && !l->two->cloth) status = mus_audit_solidity(l->two, &solidity);
    for (int32_t i = 0; status == MUS_STATUS_OK && solidity != MUS_SOLIDITY_OPEN && i < l->one->vertex_count; i++)
        if (l->let->part[i] && mus_audit_inside_mesh(l->two, &two, solidity, l->one->vertices + 3 * (size_t)i))
            l->let->leaving[l->let->part[i]] = 0;
    if (status == MUS_STATUS_OK) {
        inflate(&one, l->margin);
        status = mus_audit_tree_pairs(&one, l->self ? &one : &two, visit, l);
    }
    mus_audit_tree_free(&one);
    mus_audit_tree_free(&two);
    return status;
}

static void look_at_shape(look *l) {
    mus_audit_solid solid = mus_audit_solid_make(l->two);
    bool plane = l->two->shape == MUS_SHAPE_PLANE;
    const double *x = l->one->vertices;
    for (int32_t i = 0; i < l->one->vertex_count; i++)
        if (l->let->part[i] && mus_audit_depth_of_point(&solid, x + 3 * (size_t)i) > (plane ? 0 : -l->margin))
            l->let->leaving[l->let->part[i]] = 0;
    for (int32_t f = 0; f < l->one->face_count && !plane; f++) {
        const int32_t *c = l->one->faces + 3 * (size_t)f;
        if (!l->let->part[c[0]] && !l->let->part[c[1]] && !l->let->part[c[2]]) continue;
        if (mus_audit_depth_of_face(&solid, x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], x + 3 * (size_t)c[2]) >
            -l->margin)
            stay(l, f);
    }
}

static mus_status look_at_all(mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    mus_world_view view;
    mus_status status = mus_world_view_make(world, &view);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < world->lets.count && status == MUS_STATUS_OK; k++) {
        mus_let *let = &world->lets.data[k];
        int32_t other = object_of(world, let->other);
        look l = {&view.objects[let->object], &view.objects[other], let, let->object == other,
                  0.01 * (a->bodies[let->object].reach + a->bodies[other].reach)};
        memset(let->leaving, 0, (size_t)let->parts + 1);
        for (int32_t i = 0; i < let->vertex_count; i++)
            if (let->part[i]) let->leaving[let->part[i]] = 1;
        if (l.two->shape == MUS_SHAPE_MESH)
            status = look_at_mesh(&l);
        else
            look_at_shape(&l);
    }
    mus_world_view_free(&view);
    return status;
}

void mus_allow_release(mus_world *world) {
    if (!world->lets.count) return;
    bool known = look_at_all(world) == MUS_STATUS_OK;
    int64_t kept = 0;
    for (int64_t k = 0; k < world->lets.count; k++) {
        mus_let *let = &world->lets.data[k];
        if (!known) memset(let->leaving, 0, (size_t)let->parts + 1);
        for (int32_t p = 1; p <= let->parts; p++) let->left -= let->leaving[p];
        for (int32_t i = 0; i < let->vertex_count; i++)
            if (let->leaving[let->part[i]]) let->part[i] = 0;
        memset(let->leaving, 0, (size_t)let->parts + 1);
        if (let->left > 0)
            world->lets.data[kept++] = *let;
        else
            let_free(let);
    }
    world->lets.count = kept;
}

/* ---- objects that leave, snapshots ---- */

void mus_allow_slot_removed(mus_world *world, bool obstacle, uint32_t slot) {
    const int32_t *slots = obstacle ? world->obstacle_order.data : world->cloth_order.data;
    int64_t kept = 0, count = obstacle ? world->obstacle_order.count : world->cloth_order.count;
    int32_t order = 0;
    while (order < count && slots[order] != (int32_t)slot) order++;
    int32_t code = obstacle ? -1 - order : order;
    for (int64_t k = 0; k < world->lets.count; k++) {
        mus_let let = world->lets.data[k];
        if (let.object == code || let.other == code) {
            let_free(&let);
            continue;
        }
        if (!obstacle) let.object -= let.object > order, let.other -= let.other > order;
        if (obstacle) let.other += let.other < code;
        world->lets.data[kept++] = let;
    }
    world->lets.count = kept;
}

void mus_allow_archive(mus_archive *a, mus_world *world) {
    bool reading = a->mode == MUS_ARCHIVE_READ;
    int64_t count = world->lets.count;
    mus_archive_count(a, NULL, &count, 16);
    mus_let_list lets = {0};
    for (int64_t k = 0; k < count && a->status == MUS_STATUS_OK; k++) {
        mus_let let = reading ? (mus_let){0} : world->lets.data[k];
        mus_archive_i32(a, NULL, &let.object, 1);
        mus_archive_i32(a, NULL, &let.other, 1);
        mus_archive_i32(a, NULL, &let.parts, 1);
        mus_archive_i32(a, NULL, &let.left, 1);
        if (!reading) {
            mus_archive_i32(a, NULL, let.part, let.vertex_count);
            continue;
        }
        int32_t all = (int32_t)(world->cloth_order.count + world->obstacle_order.count);
        mus_archive_within_i32(a, "an object of an overlap", &let.other, 1, -world->obstacle_order.count,
                               world->cloth_order.count - 1);
        if (a->status != MUS_STATUS_OK) break;
        int32_t other = object_of(world, let.other);
        if (let.object < 0 || let.object >= (int32_t)world->cloth_order.count || other < 0 || other >= all ||
            let.parts < 1)
            mus_archive_refuse(a, "an overlap is of objects that are not there");
        if (a->status != MUS_STATUS_OK) break;
        let.vertex_count = cloth_at(world, let.object)->vertex_count;
        if (let.parts > let.vertex_count || let.left < 1 || let.left > let.parts)
            mus_archive_refuse(a, "an overlap has more parts than vertices");
        if (a->status != MUS_STATUS_OK) break;
        let.part = mus_new(sizeof *let.part * ((size_t)let.vertex_count + 1));
        let.leaving = mus_new((size_t)let.parts + 1);
        if (!let.part || !let.leaving || !mus_array_push(&lets, let)) {
            let_free(&let);
            a->status = MUS_STATUS_NO_MEMORY;
            break;
        }
        mus_archive_i32(a, NULL, let.part, let.vertex_count);
        for (int32_t i = 0; i < let.vertex_count; i++)
            if (let.part[i] < 0 || let.part[i] > let.parts)
                mus_archive_refuse(a, "an overlap has a part without a number");
    }
    if (!reading) return;
    if (a->status == MUS_STATUS_OK) {
        mus_allow_clear(world);
        world->lets = lets;
        return;
    }
    for (int64_t k = 0; k < lets.count; k++) let_free(&lets.data[k]);
    mus_array_free(&lets);
}
