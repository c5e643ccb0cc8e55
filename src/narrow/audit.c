/* audit.c: the auditor: finds faces that cross, and cloth inside obstacles, at given positions. */
#include "narrow/audit.h"
#include "base/range.h"
#include "base/word.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "narrow/audit_rigid.h"
#include "narrow/audit_inside.h"
#include "narrow/audit_tree.h"
#include "narrow/triangles.h"

#include <stdio.h>
#include <string.h>

typedef MUS_ARRAY(mus_audit_finding) finding_list;

typedef struct audit {
    const mus_audit_object *objects;
    mus_audit_tree *trees;
    double tolerance;
    int threads;
    mus_audit_report *report;
    finding_list findings;
    mus_audit_part_list parts; /* scratch: parts of the two trees being compared */
} audit;

static mus_status add_finding(audit *a, mus_audit_kind kind, int32_t object0, int32_t object1, int32_t face0,
                              int32_t face1, double depth) {
    mus_audit_finding finding = {.kind = kind, .part = {object0, object1}, .face = {face0, face1}, .depth = depth};
    return mus_array_push(&a->findings, finding) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static const double *corner(const mus_audit_object *object, int32_t face, int k) {
    return object->vertices + 3 * (size_t)object->faces[3 * (size_t)face + (size_t)k];
}

/* Findings for one part of the face pairs of two objects, or of one object with itself. */
typedef struct verdict {
    const audit *audit;
    int32_t pair[2]; /* the objects */
    mus_status status;
    int64_t tested, touches;
    finding_list crossings;
} verdict;

static mus_status count_finding(verdict *v, mus_audit_kind kind, mus_triangle_intersection intersection, int32_t face0,
                                int32_t face1) {
    v->tested++;
    if (intersection == MUS_INTERSECTION_TOUCH) v->touches++;
    if (intersection != MUS_INTERSECTION_CROSSING) return MUS_STATUS_OK;
    mus_audit_finding finding = {.kind = kind, .part = {v->pair[0], v->pair[1]}, .face = {face0, face1}};
    return mus_array_push(&v->crossings, finding) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Faces of different objects. */
static mus_status visit_apart(void *context, int32_t face0, int32_t face1) {
    verdict *v = context;
    const mus_audit_object *o = &v->audit->objects[v->pair[0]], *p = &v->audit->objects[v->pair[1]];
    const double *const t[3] = {corner(o, face0, 0), corner(o, face0, 1), corner(o, face0, 2)};
    const double *const s[3] = {corner(p, face1, 0), corner(p, face1, 1), corner(p, face1, 2)};
    return count_finding(v, MUS_AUDIT_CROSSING, mus_triangles_intersect(t, s), face0, face1);
}

/* A face read from a file may name a vertex twice. It has no area, so it cannot cross a face that it shares a vertex
 * with. */
static bool names_twice(const int32_t *face) {
    return face[0] == face[1] || face[1] == face[2] || face[2] == face[0];
}

/* Faces of one object, which may share vertices. */
static mus_status visit_self(void *context, int32_t face0, int32_t face1) {
    verdict *v = context;
    if (face1 < face0) {
        int32_t swap = face0;
        face0 = face1, face1 = swap;
    }
    const mus_audit_object *o = &v->audit->objects[v->pair[0]];
    const int32_t *f = o->faces + 3 * (size_t)face0, *g = o->faces + 3 * (size_t)face1;
    int shared = 0, f_shared = 0, g_shared = 0; /* bits */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (f[i] == g[j]) shared++, f_shared |= 1 << i, g_shared |= 1 << j;
    if (shared == 0) return visit_apart(context, face0, face1);
    if (names_twice(f) || names_twice(g)) return MUS_STATUS_OK;

    const double *t[3], *s[3];
    for (int k = 0; k < 3; k++) t[k] = corner(o, face0, k), s[k] = corner(o, face1, k);
    if (shared == 1) {
        int i = f_shared >> 1, j = g_shared >> 1; /* 1 2 4 -> 0 1 2 */
        mus_triangle_intersection intersection =
            mus_triangles_intersect_at_vertex(t[i], t[(i + 1) % 3], t[(i + 2) % 3], s[(j + 1) % 3], s[(j + 2) % 3]);
        return count_finding(v, MUS_AUDIT_VERTEX_PAIR, intersection, face0, face1);
    }
    bool overlap = true; /* the same three vertices */
    if (shared == 2) {
        int i = (7 - f_shared) >> 1, j = (7 - g_shared) >> 1; /* the corners that are not shared */
        overlap = mus_triangles_overlap_at_edge(t[(i + 1) % 3], t[(i + 2) % 3], t[i], s[j]);
    }
    return count_finding(v, MUS_AUDIT_EDGE_PAIR, overlap ? MUS_INTERSECTION_CROSSING : MUS_INTERSECTION_NONE, face0,
                         face1);
}

typedef struct comparison {
    const audit *audit;
    int32_t pair[2];
    verdict *verdicts; /* one per part */
} comparison;

static void compare_parts(void *context, int64_t begin, int64_t end, int64_t block) {
    const comparison *c = context;
    const audit *a = c->audit;
    bool self = c->pair[0] == c->pair[1];
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        verdict v = {.audit = a, .pair = {c->pair[0], c->pair[1]}};
        v.status = mus_audit_part_pairs(&a->trees[c->pair[0]], &a->trees[c->pair[1]], &a->parts.data[k],
                                        self ? visit_self : visit_apart, &v);
        c->verdicts[k] = v;
    }
}

/* Tests the faces of two objects, or of one object with itself. Findings come in the order of the tree traversal. */
static mus_status compare_faces(audit *a, int32_t i, int32_t j) {
    a->parts.count = 0;
    mus_status status = mus_audit_tree_parts(&a->trees[i], &a->trees[j], &a->parts);
    if (status != MUS_STATUS_OK || !a->parts.count) return status;
    comparison c = {a, {i, j}, mus_new(sizeof *c.verdicts * (size_t)a->parts.count)};
    if (!c.verdicts) return MUS_STATUS_NO_MEMORY;
    mus_parallel_for(a->threads, a->parts.count, 1, compare_parts, &c);
    for (int64_t k = 0; k < a->parts.count; k++) {
        verdict *v = &c.verdicts[k];
        if (status == MUS_STATUS_OK) status = v->status;
        a->report->pairs_tested += v->tested, a->report->touches += v->touches;
        a->report->intersections += v->crossings.count;
        for (int64_t f = 0; f < v->crossings.count && status == MUS_STATUS_OK; f++)
            if (!mus_array_push(&a->findings, v->crossings.data[f])) status = MUS_STATUS_NO_MEMORY;
        mus_array_free(&v->crossings);
    }
    mus_free(c.verdicts);
    return status;
}

static mus_status add_inside(audit *a, int32_t cloth, int32_t obstacle, int32_t feature, bool vertex, double depth) {
    if (depth > a->report->max_depth) a->report->max_depth = depth;
    if (!(depth > a->tolerance)) return MUS_STATUS_OK;
    a->report->inside++;
    return add_finding(a, MUS_AUDIT_INSIDE, cloth, obstacle, feature, vertex ? -1 : -2, depth);
}

/* Depths (m) of a cloth's vertices or faces inside an obstacle; `none` where they are not inside. */
typedef struct sounding {
    const audit *audit;
    const mus_audit_object *cloth, *obstacle;
    const mus_audit_tree *tree;
    mus_solidity solidity;
    mus_audit_solid solid;
    const double *of_vertices; /* for sound_faces: depths of the vertices; else NULL */
    double *depth;
} sounding;

static const double none = -1;
enum { SOUNDED = 1024 };

static void sound_mesh(void *context, int64_t begin, int64_t end, int64_t block) {
    const sounding *s = context;
    (void)block;
    for (int64_t v = begin; v < end; v++) {
        const double *p = s->cloth->vertices + 3 * v;
        bool inside = mus_audit_inside_mesh(s->obstacle, s->tree, s->solidity, p);
        s->depth[v] = inside ? mus_audit_depth_in_mesh(s->obstacle, s->tree, p) : none;
    }
}

static void sound_vertices(void *context, int64_t begin, int64_t end, int64_t block) {
    const sounding *s = context;
    (void)block;
    for (int64_t v = begin; v < end; v++) s->depth[v] = mus_audit_depth_of_point(&s->solid, s->cloth->vertices + 3 * v);
}

/* Depths of faces; `none` for a face with a corner deeper than the tolerance, which is reported as a vertex already. */
static void sound_faces(void *context, int64_t begin, int64_t end, int64_t block) {
    const sounding *s = context;
    const double *at = s->of_vertices, most = s->audit->tolerance;
    (void)block;
    for (int32_t f = (int32_t)begin; f < end; f++) {
        const int32_t *t = s->cloth->faces + 3 * (size_t)f;
        bool is_known = at[t[0]] > most || at[t[1]] > most || at[t[2]] > most;
        s->depth[f] = is_known ? none
                               : mus_audit_depth_of_face(&s->solid, corner(s->cloth, f, 0), corner(s->cloth, f, 1),
                                                         corner(s->cloth, f, 2));
    }
}

static mus_status inside_mesh(audit *a, int32_t cloth, int32_t obstacle) {
    const mus_audit_object *c = &a->objects[cloth], *o = &a->objects[obstacle];
    sounding s = {.audit = a, .cloth = c, .obstacle = o, .tree = &a->trees[obstacle]};
    mus_status status = mus_audit_solidity(o, &s.solidity);
    if (s.solidity == MUS_SOLIDITY_OPEN || !c->vertex_count) return status;
    s.depth = mus_new((size_t)c->vertex_count * sizeof *s.depth);
    if (!s.depth) return MUS_STATUS_NO_MEMORY;
    mus_parallel_for(a->threads, c->vertex_count, SOUNDED, sound_mesh, &s);
    for (int32_t v = 0; v < c->vertex_count && status == MUS_STATUS_OK; v++)
        if (s.depth[v] != none) status = add_inside(a, cloth, obstacle, v, true, s.depth[v]);
    mus_free(s.depth);
    return status;
}

static mus_status inside_shape(audit *a, int32_t cloth, int32_t obstacle) {
    const mus_audit_object *c = &a->objects[cloth];
    size_t vertices = (size_t)c->vertex_count, faces = (size_t)c->face_count;
    double *depth = mus_new((vertices + faces + 1) * sizeof *depth);
    if (!depth) return MUS_STATUS_NO_MEMORY;
    sounding s = {.audit = a, .cloth = c, .solid = mus_audit_solid_make(&a->objects[obstacle]), .depth = depth};
    mus_status status = MUS_STATUS_OK;
    mus_parallel_for(a->threads, c->vertex_count, SOUNDED, sound_vertices, &s);
    for (int32_t v = 0; v < c->vertex_count && status == MUS_STATUS_OK; v++)
        if (depth[v] > 0) status = add_inside(a, cloth, obstacle, v, true, depth[v]);
    s.of_vertices = depth, s.depth = depth + vertices;
    /* Depth below a plane is greatest at a corner; in other shapes a face may be deepest between its corners. */
    bool checks_faces = s.solid.shape != MUS_SHAPE_PLANE && status == MUS_STATUS_OK;
    if (checks_faces) mus_parallel_for(a->threads, c->face_count, SOUNDED, sound_faces, &s);
    for (int32_t f = 0; checks_faces && f < c->face_count && status == MUS_STATUS_OK; f++)
        if (s.depth[f] > 0) status = add_inside(a, cloth, obstacle, f, false, s.depth[f]);
    mus_free(depth);
    return status;
}

/* A rigid body and another obstacle: at most one finding per pair. */
static mus_status judge_rigid_bodies(audit *a, int32_t i, int32_t j) {
    const mus_audit_object *o = &a->objects[i], *p = &a->objects[j];
    if (i == j || !(o->dynamic || p->dynamic)) return MUS_STATUS_OK;
    mus_audit_overlap overlap;
    mus_status status = mus_audit_rigid_bodies(o, &a->trees[i], p, &a->trees[j], &overlap);
    if (status != MUS_STATUS_OK) return status;
    /* Below a plane the full tolerance applies, as the body is lifted out; elsewhere only rounding is tolerated. */
    bool plane = o->shape == MUS_SHAPE_PLANE || p->shape == MUS_SHAPE_PLANE;
    double tolerance = plane ? a->tolerance : fmin(a->tolerance, 1e-9);
    int32_t first = o->dynamic ? i : j, second = o->dynamic ? j : i;
    a->report->pairs_tested += overlap.tested, a->report->touches += overlap.touches;
    if (overlap.depth > a->report->max_depth) a->report->max_depth = overlap.depth;
    if (overlap.depth > tolerance) {
        a->report->inside++;
        return add_finding(a, MUS_AUDIT_INSIDE, first, second, -1, -2, overlap.depth);
    }
    if (!overlap.crossings || overlap.depth > 0) return MUS_STATUS_OK;
    a->report->intersections += overlap.crossings;
    return add_finding(a, MUS_AUDIT_CROSSING, first, second, overlap.face[first == j], overlap.face[first == i], 0);
}

static mus_status check_object(const mus_audit_object *o, int32_t number) {
    char name[96];
    if (o->name)
        snprintf(name, sizeof name, "'%s'", o->name);
    else
        snprintf(name, sizeof name, "object %d", number);
    if (o->shape != MUS_SHAPE_MESH) {
        if (!o->cloth) return MUS_STATUS_OK;
        return mus_fail(MUS_STATUS_INVALID, "audit: %s is cloth and must be a mesh, not an exact shape", name);
    }
    for (size_t i = 0; i < 3 * (size_t)o->face_count; i++)
        if (o->faces[i] < 0 || o->faces[i] >= o->vertex_count)
            return mus_fail(MUS_STATUS_INVALID, "audit: %s: face %d must name vertices from 0 to %d (got %d)", name,
                            (int)(i / 3) + 1, o->vertex_count - 1, o->faces[i]);
    for (size_t i = 0; i < 3 * (size_t)o->vertex_count; i++)
        if (!isfinite(o->vertices[i]))
            return mus_fail(MUS_STATUS_INVALID, "audit: %s: coordinate %c of vertex %d must be finite (got %s)", name,
                            "xyz"[i % 3], (int)(i / 3) + 1, mus_word_of_number(o->vertices[i]).text);
    return MUS_STATUS_OK;
}

static mus_status run_audit(audit *a, int32_t count, mus_audit_ignored ignored, const void *user) {
    for (int32_t i = 0; i < count; i++) {
        const mus_audit_object *o = &a->objects[i];
        mus_status status = check_object(o, i + 1);
        if (status == MUS_STATUS_OK && o->face_count > 0)
            status = mus_audit_tree_build(o->vertices, o->faces, o->face_count, &a->trees[i]);
        if (status != MUS_STATUS_OK) return status;
    }
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = i; j < count; j++) {
            const mus_audit_object *o = &a->objects[i], *p = &a->objects[j];
            if (ignored && ignored(user, i, j)) continue;
            mus_status status = MUS_STATUS_OK;
            if (!o->cloth && !p->cloth) {
                if ((status = judge_rigid_bodies(a, i, j)) != MUS_STATUS_OK) return status;
                continue;
            }
            if (i == j || (o->shape == MUS_SHAPE_MESH && p->shape == MUS_SHAPE_MESH)) status = compare_faces(a, i, j);
            if (status == MUS_STATUS_OK && o->cloth != p->cloth) {
                int32_t cloth = o->cloth ? i : j, obstacle = o->cloth ? j : i;
                bool mesh = a->objects[obstacle].shape == MUS_SHAPE_MESH;
                status = mesh ? inside_mesh(a, cloth, obstacle) : inside_shape(a, cloth, obstacle);
            }
            if (status != MUS_STATUS_OK) return status;
        }
    return MUS_STATUS_OK;
}

mus_status mus_audit_scene(const mus_audit_object *objects, int32_t count, mus_audit_ignored ignored, const void *user,
                           double inside_tolerance, int threads, mus_audit_report *report) {
    *report = (mus_audit_report){0};
    if (!(inside_tolerance >= 0))
        return mus_fail(MUS_STATUS_INVALID, "audit: the tolerance must be >= 0 m (got %s)",
                        mus_word_of_number(inside_tolerance).text);
    if (count <= 0) return MUS_STATUS_OK;
    audit a = {.objects = objects, .tolerance = inside_tolerance, .threads = threads, .report = report};
    a.trees = mus_new((size_t)count * sizeof *a.trees);
    mus_status status = a.trees ? run_audit(&a, count, ignored, user) : MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; a.trees && i < count; i++) mus_audit_tree_free(&a.trees[i]);
    mus_free(a.trees);
    mus_array_free(&a.parts);
    if (status != MUS_STATUS_OK) {
        mus_array_free(&a.findings);
        *report = (mus_audit_report){0};
        return status;
    }
    report->findings = a.findings.data;
    report->finding_count = a.findings.count;
    return MUS_STATUS_OK;
}

mus_status mus_parts_audit(const mus_part *parts, int32_t count, double inside_tolerance, mus_audit_report *report) {
    *report = (mus_audit_report){0};
    if (count <= 0) return MUS_STATUS_OK;
    mus_audit_object *objects = mus_new((size_t)count * sizeof *objects);
    if (!objects) return MUS_STATUS_NO_MEMORY;
    mus_status status = MUS_STATUS_OK;
    for (int32_t i = 0; i < count && status == MUS_STATUS_OK; i++) {
        const mus_part *part = &parts[i];
        char subject[112];
        if (part->name)
            snprintf(subject, sizeof subject, "audit: '%.96s'", part->name);
        else
            snprintf(subject, sizeof subject, "audit: object %d", i + 1);
        status = mus_check_places(subject, part->vertices, part->vertex_count);
        objects[i] = (mus_audit_object){.name = part->name,
                                        .cloth = !part->name || strncmp(part->name, "obstacle:", 9) != 0,
                                        .shape = MUS_SHAPE_MESH,
                                        .vertices = part->vertices,
                                        .faces = part->faces,
                                        .vertex_count = part->vertex_count,
                                        .face_count = part->face_count};
    }
    if (status == MUS_STATUS_OK) status = mus_audit_scene(objects, count, NULL, NULL, inside_tolerance, 1, report);
    mus_free(objects);
    return status;
}

void mus_audit_report_destroy(mus_audit_report *report) {
    if (!report) return;
    mus_free(report->findings);
    *report = (mus_audit_report){0};
}
