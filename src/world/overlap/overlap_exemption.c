/* overlap_exemption.c: overlap exemptions. The part of a cloth on the wrong side of another surface does not collide
 * with it, and the rest does: so the line in which they cross can only move within that part, and shrink. A part that
 * has separated collides again. */
#include "world/overlap/overlap_exemption.h"
#include "base/union_find.h"
#include "mesh/distance.h"
#include "narrow/audit_inside.h"
#include "narrow/triangles.h"
#include "world/overlap/untangle_crossing.h"
#include "world/overlap/start.h"
#include "world/pinch.h"

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

static void free_exemption(mus_overlap_exemption *exemption) {
    mus_free(exemption->component);
    mus_free(exemption->leaving);
}

void mus_exemptions_clear(mus_world *world) {
    for (int64_t k = 0; k < world->exemptions.count; k++) free_exemption(&world->exemptions.data[k]);
    mus_array_free(&world->exemptions);
}

/* ---- exemptions ---- */

/* Numbers the connected components of the marked vertices (1) in `component`, from 1. */
static mus_status label_components(const mus_cloth *cloth, mus_overlap_exemption *exemption) {
    int32_t n = cloth->vertex_count, *parent = mus_new(sizeof *parent * ((size_t)n + 1));
    if (!parent) return MUS_STATUS_NO_MEMORY;
    mus_union_find_reset(parent, n);
    for (int32_t e = 0; e < cloth->topology.edge_count; e++) {
        int32_t a = cloth->topology.edges[2 * e], b = cloth->topology.edges[2 * e + 1];
        if (!exemption->component[a] || !exemption->component[b]) continue;
        mus_union_find_join(parent, a, b);
    }
    exemption->component_count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!exemption->component[i]) continue;
        int32_t r = mus_union_find_root(parent, i);
        exemption->component[i] = r == i ? ++exemption->component_count
                                         : exemption->component[r]; /* a root is the least vertex of its component */
    }
    mus_free(parent);
    exemption->left = exemption->component_count;
    exemption->leaving = mus_new((size_t)exemption->component_count + 1);
    return exemption->leaving ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Takes ownership of `marks`. */
static mus_status add_exemption(mus_world *world, int32_t object, int32_t other, int32_t *marks) {
    const mus_cloth *cloth = cloth_at(world, object);
    mus_overlap_exemption exemption = {
        .object = object, .other = code_of(world, other), .vertex_count = cloth->vertex_count, .component = marks};
    mus_status status = label_components(cloth, &exemption);
    if (status == MUS_STATUS_OK && exemption.component_count > 0 && mus_array_push(&world->exemptions, exemption))
        return MUS_STATUS_OK;
    bool none = status == MUS_STATUS_OK && exemption.component_count == 0;
    free_exemption(&exemption);
    return none ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void mark_face(const mus_cloth *cloth, int32_t face, int32_t *marks) {
    for (int k = 0; k < 3; k++) marks[cloth->faces[3 * (size_t)face + (size_t)k]] = 1;
}

/* Marks faces with a vertex inside, and those of the report. */
static void mark_inside(const mus_world *world, const mus_audit_report *report, int32_t i, int32_t j, uint8_t *inside,
                        int32_t *marks) {
    const mus_cloth *cloth = cloth_at(world, i);
    for (int64_t k = 0; k < report->finding_count; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (f->part[0] != i || f->part[1] != j) continue;
        if (f->kind != MUS_AUDIT_INSIDE || f->face[1] == -2)
            mark_face(cloth, f->face[0], marks);
        else
            inside[f->face[0]] = 1, marks[f->face[0]] = 1;
    }
    const mus_obstacle *o = world->solver.assembly.objects[j].obstacle;
    for (int32_t f = 0; f < cloth->face_count && o && o->def.shape != MUS_SHAPE_PLANE; f++) {
        const int32_t *c = cloth->faces + 3 * (size_t)f;
        if (inside[c[0]] || inside[c[1]] || inside[c[2]]) mark_face(cloth, f, marks);
    }
}

static mus_status exempt_pair(mus_world *world, const mus_world_view *view, mus_tangle *tangle,
                              const mus_audit_report *report, int32_t i, int32_t j) {
    bool two = j < view->cloth_count && j != i, any = false;
    for (int64_t k = 0; k < report->finding_count && !any; k++)
        any = report->findings[k].part[0] == i && report->findings[k].part[1] == j;
    if (!any) return MUS_STATUS_OK;
    size_t n = (size_t)cloth_at(world, i)->vertex_count, m = two ? (size_t)cloth_at(world, j)->vertex_count : 0;
    int32_t *marks = mus_new(sizeof *marks * (n + 1)), *others = mus_new(sizeof *others * (m + 1));
    uint8_t *inside = mus_new(n + 1);
    mus_status status = marks && others && inside ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    bool whole = false;
    if (status == MUS_STATUS_OK && (j < view->cloth_count || !mus_untangle_is_solid(view, j)))
        status = mus_untangle_components(world, view, tangle, report, i, j, marks, others, &whole);
    else if (status == MUS_STATUS_OK)
        mark_inside(world, report, i, j, inside, marks);
    for (size_t k = 0; status == MUS_STATUS_OK && whole && k < n; k++) marks[k] = 1;
    mus_free(inside);
    if (status != MUS_STATUS_OK) {
        mus_free(marks);
        mus_free(others);
        return status;
    }
    status = add_exemption(world, i, j, marks);
    if (two && status == MUS_STATUS_OK) return add_exemption(world, j, i, others);
    mus_free(others);
    return status;
}

mus_status mus_exemptions_make(mus_world *world, const mus_audit_report *report) {
    mus_world_view view;
    mus_tangle tangle;
    mus_exemptions_clear(world);
    mus_status status = mus_world_view_make(world, &view);
    if (status != MUS_STATUS_OK) return status;
    status = mus_tangle_make(&view, &tangle);
    for (int32_t i = 0; i < view.cloth_count && status == MUS_STATUS_OK; i++)
        for (int32_t j = i; j < view.count && status == MUS_STATUS_OK; j++)
            status = exempt_pair(world, &view, &tangle, report, i, j);
    mus_tangle_free(&tangle);
    mus_world_view_free(&view);
    if (status != MUS_STATUS_OK) mus_exemptions_clear(world);
    return status;
}

static bool is_face_exempt(const mus_world *world, int32_t object, int32_t other, int32_t face) {
    for (int64_t k = 0; k < world->exemptions.count; k++) {
        const mus_overlap_exemption *exemption = &world->exemptions.data[k];
        if (exemption->object != object || exemption->other != code_of(world, other)) continue;
        const int32_t *c = cloth_at(world, object)->faces + 3 * (size_t)face;
        if (exemption->component[c[0]] && exemption->component[c[1]] && exemption->component[c[2]]) return true;
    }
    return false;
}

bool mus_exemptions_cover(const mus_world *world, const mus_audit_finding *f) {
    int32_t i = f->part[0], j = f->part[1], cloths = (int32_t)world->cloth_order.count;
    if (mus_pinch_covers(world, f)) return true;
    if (!world->exemptions.count || i >= cloths) return false;
    if (f->kind == MUS_AUDIT_INSIDE && f->face[1] == -1) {
        for (int64_t k = 0; k < world->exemptions.count; k++) {
            const mus_overlap_exemption *exemption = &world->exemptions.data[k];
            if (exemption->object == i && exemption->other == code_of(world, j) && exemption->component[f->face[0]])
                return true;
        }
        return false;
    }
    if (is_face_exempt(world, i, j, f->face[0])) return true;
    return f->kind != MUS_AUDIT_INSIDE && j < cloths && is_face_exempt(world, j, i, f->face[1]);
}

void mus_exemptions_filter_report(const mus_world *world, mus_audit_report *report) {
    int64_t kept = 0;
    for (int64_t k = 0; k < report->finding_count; k++) {
        const mus_audit_finding *f = &report->findings[k];
        if (!mus_exemptions_cover(world, f)) {
            report->findings[kept++] = *f;
            continue;
        }
        report->allowed++;
        *(f->kind == MUS_AUDIT_INSIDE ? &report->inside : &report->intersections) -= 1;
    }
    report->finding_count = kept;
}

int32_t mus_exemptions_count(const mus_world *world) {
    int32_t count = 0;
    for (int64_t k = 0; k < world->exemptions.count; k++) count += world->exemptions.data[k].left;
    return count;
}

/* ---- separation ---- */

typedef struct look {
    const mus_audit_object *one, *two;
    mus_overlap_exemption *exemption;
    bool self;
    double margin; /* m: a part nearer than this has not separated */
} look;

static void keep_component(look *l, int32_t face) {
    const int32_t *c = l->one->faces + 3 * (size_t)face;
    for (int k = 0; k < 3; k++)
        if (l->exemption->component[c[k]]) l->exemption->leaving[l->exemption->component[c[k]]] = 0;
}

static bool faces_are_near(const look *l, const double *const t[3], const double *const s[3]) {
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

static mus_status visit_faces(void *context, int32_t f, int32_t g) {
    look *l = context;
    const int32_t *c = l->one->faces + 3 * (size_t)f, *d = l->two->faces + 3 * (size_t)g;
    bool here = l->exemption->component[c[0]] || l->exemption->component[c[1]] || l->exemption->component[c[2]];
    bool there =
        l->self && (l->exemption->component[d[0]] || l->exemption->component[d[1]] || l->exemption->component[d[2]]);
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
        together = mus_triangles_intersect(t, s) == MUS_INTERSECTION_CROSSING || faces_are_near(l, t, s);
    else if (shared == 1)
        together = mus_triangles_intersect_at_vertex(t[at], t[(at + 1) % 3], t[(at + 2) % 3], s[(bt + 1) % 3],
                                                     s[(bt + 2) % 3]) == MUS_INTERSECTION_CROSSING;
    else
        together = false;
    if (!together) return MUS_STATUS_OK;
    keep_component(l, f);
    if (l->self) keep_component(l, g);
    return MUS_STATUS_OK;
}

static void inflate_tree(mus_audit_tree *tree, double by) {
    for (int32_t k = 0; k < tree->node_count; k++) mus_box_expand(&tree->nodes[k].box, by);
    for (int32_t k = 0; k < tree->face_count; k++) mus_box_expand(&tree->boxes[k], by);
}

static mus_status look_at_mesh(look *l) {
    mus_audit_tree one = {0}, two = {0};
    mus_status status = mus_audit_tree_build(l->one->vertices, l->one->faces, l->one->face_count, &one);
    if (status == MUS_STATUS_OK && !l->self)
        status = mus_audit_tree_build(l->two->vertices, l->two->faces, l->two->face_count, &two);
    mus_solidity solidity = MUS_SOLIDITY_OPEN;
    if (status == MUS_STATUS_OK && !l->two->cloth) status = mus_audit_solidity(l->two, &solidity);
    for (int32_t i = 0; status == MUS_STATUS_OK && solidity != MUS_SOLIDITY_OPEN && i < l->one->vertex_count; i++)
        if (l->exemption->component[i] &&
            mus_audit_inside_mesh(l->two, &two, solidity, l->one->vertices + 3 * (size_t)i))
            l->exemption->leaving[l->exemption->component[i]] = 0;
    if (status == MUS_STATUS_OK) {
        inflate_tree(&one, l->margin);
        status = mus_audit_tree_pairs(&one, l->self ? &one : &two, visit_faces, l);
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
        if (l->exemption->component[i] &&
            mus_audit_depth_of_point(&solid, x + 3 * (size_t)i) > (plane ? 0 : -l->margin))
            l->exemption->leaving[l->exemption->component[i]] = 0;
    for (int32_t f = 0; f < l->one->face_count && !plane; f++) {
        const int32_t *c = l->one->faces + 3 * (size_t)f;
        if (!l->exemption->component[c[0]] && !l->exemption->component[c[1]] && !l->exemption->component[c[2]])
            continue;
        if (mus_audit_depth_of_face(&solid, x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], x + 3 * (size_t)c[2]) >
            -l->margin)
            keep_component(l, f);
    }
}

static double least_thickness(const mus_object *object) {
    return object->thicknesses ? mus_cloth_min_thickness(object->cloth) / 2 : object->contact_thickness;
}

/* Sets `leaving` of the components that have separated by more than a share of the least contact thickness. */
static mus_status look_at_exemption(const mus_world *world, const mus_world_view *view,
                                    mus_overlap_exemption *exemption, double margin) {
    const mus_assembly *a = &world->solver.assembly;
    int32_t other = object_of(world, exemption->other);
    look l = {&view->objects[exemption->object], &view->objects[other], exemption, exemption->object == other,
              margin * (least_thickness(&a->objects[exemption->object]) + least_thickness(&a->objects[other]))};
    memset(exemption->leaving, 0, (size_t)exemption->component_count + 1);
    for (int32_t i = 0; i < exemption->vertex_count; i++)
        if (exemption->component[i]) exemption->leaving[exemption->component[i]] = 1;
    if (l.two->shape == MUS_SHAPE_MESH) return look_at_mesh(&l);
    look_at_shape(&l);
    return MUS_STATUS_OK;
}

static mus_status look_at_all(mus_world *world) {
    mus_world_view view;
    mus_status status = mus_world_view_make(world, &view);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < world->exemptions.count && status == MUS_STATUS_OK; k++)
        status = look_at_exemption(world, &view, &world->exemptions.data[k], 0.01);
    mus_world_view_free(&view);
    return status;
}

mus_status mus_exemptions_find_clear(mus_world *world, int32_t cloth, int32_t other, int32_t *number, int32_t count,
                                     uint8_t *clear) {
    mus_world_view view;
    mus_status status = mus_world_view_make(world, &view);
    if (status != MUS_STATUS_OK) return status;
    mus_overlap_exemption exemption = {.object = cloth,
                                       .other = code_of(world, other),
                                       .vertex_count = cloth_at(world, cloth)->vertex_count,
                                       .component_count = count,
                                       .component = number,
                                       .leaving = clear};
    status = look_at_exemption(world, &view, &exemption, 1e-3);
    mus_world_view_free(&view);
    return status;
}

void mus_exemptions_release(mus_world *world) {
    if (!world->exemptions.count) return;
    bool known = look_at_all(world) == MUS_STATUS_OK;
    int64_t kept = 0;
    for (int64_t k = 0; k < world->exemptions.count; k++) {
        mus_overlap_exemption *exemption = &world->exemptions.data[k];
        if (!known) memset(exemption->leaving, 0, (size_t)exemption->component_count + 1);
        for (int32_t p = 1; p <= exemption->component_count; p++) exemption->left -= exemption->leaving[p];
        for (int32_t i = 0; i < exemption->vertex_count; i++)
            if (exemption->leaving[exemption->component[i]]) exemption->component[i] = 0;
        memset(exemption->leaving, 0, (size_t)exemption->component_count + 1);
        if (exemption->left > 0)
            world->exemptions.data[kept++] = *exemption;
        else
            free_exemption(exemption);
    }
    world->exemptions.count = kept;
}

/* ---- removed objects, snapshots ---- */

void mus_exemptions_slot_removed(mus_world *world, bool obstacle, uint32_t slot) {
    int64_t kept = 0;
    int32_t order = (obstacle ? &world->obstacles : &world->cloths)->data[slot].order;
    int32_t code = obstacle ? -1 - order : order;
    for (int64_t k = 0; k < world->exemptions.count; k++) {
        mus_overlap_exemption exemption = world->exemptions.data[k];
        if (exemption.object == code || exemption.other == code) {
            free_exemption(&exemption);
            continue;
        }
        if (!obstacle) exemption.object -= exemption.object > order, exemption.other -= exemption.other > order;
        if (obstacle) exemption.other += exemption.other < code;
        world->exemptions.data[kept++] = exemption;
    }
    world->exemptions.count = kept;
}

void mus_exemptions_archive(mus_archive *a, mus_world *world) {
    bool reading = a->mode == MUS_ARCHIVE_READ;
    int64_t count = world->exemptions.count;
    mus_archive_count(a, NULL, &count, 16);
    mus_overlap_exemption_list exemptions = {0};
    for (int64_t k = 0; k < count && a->status == MUS_STATUS_OK; k++) {
        mus_overlap_exemption exemption = reading ? (mus_overlap_exemption){0} : world->exemptions.data[k];
        mus_archive_i32(a, NULL, &exemption.object, 1);
        mus_archive_i32(a, NULL, &exemption.other, 1);
        mus_archive_i32(a, NULL, &exemption.component_count, 1);
        mus_archive_i32(a, NULL, &exemption.left, 1);
        if (!reading) {
            mus_archive_i32(a, NULL, exemption.component, exemption.vertex_count);
            continue;
        }
        int32_t all = (int32_t)(world->cloth_order.count + world->obstacle_order.count);
        mus_archive_within_i32(a, "an object of an overlap exemption", &exemption.other, 1,
                               -world->obstacle_order.count, world->cloth_order.count - 1);
        if (a->status != MUS_STATUS_OK) break;
        int32_t other = object_of(world, exemption.other);
        if (exemption.object < 0 || exemption.object >= (int32_t)world->cloth_order.count || other < 0 ||
            other >= all || exemption.component_count < 1)
            mus_archive_refuse(a, "an overlap exemption refers to objects that do not exist");
        if (a->status != MUS_STATUS_OK) break;
        exemption.vertex_count = cloth_at(world, exemption.object)->vertex_count;
        if (exemption.component_count > exemption.vertex_count || exemption.left < 1 ||
            exemption.left > exemption.component_count)
            mus_archive_refuse(a, "an overlap exemption has more parts than vertices");
        if (a->status != MUS_STATUS_OK) break;
        exemption.component = mus_new(sizeof *exemption.component * ((size_t)exemption.vertex_count + 1));
        exemption.leaving = mus_new((size_t)exemption.component_count + 1);
        if (!exemption.component || !exemption.leaving || !mus_array_push(&exemptions, exemption)) {
            free_exemption(&exemption);
            a->status = MUS_STATUS_NO_MEMORY;
            break;
        }
        mus_archive_i32(a, NULL, exemption.component, exemption.vertex_count);
        for (int32_t i = 0; i < exemption.vertex_count; i++)
            if (exemption.component[i] < 0 || exemption.component[i] > exemption.component_count)
                mus_archive_refuse(a, "an overlap exemption has a part without a number");
    }
    if (!reading) return;
    if (a->status == MUS_STATUS_OK) {
        mus_exemptions_clear(world);
        world->exemptions = exemptions;
        return;
    }
    for (int64_t k = 0; k < exemptions.count; k++) free_exemption(&exemptions.data[k]);
    mus_array_free(&exemptions);
}
