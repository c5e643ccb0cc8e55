/* untangle_solid.c: displacements for cloth inside a solid: along the shortest way out, or, where those diverge, as in
 * the middle of a ball, each connected part along its own normal, so that it stays a surface. */
#include "base/union_find.h"
#include "narrow/audit_inside.h"
#include "model/order.h"
#include "world/overlap/nearest.h"
#include "world/overlap/start.h"

#include <float.h>

typedef struct solid {
    const mus_audit_object *object;
    mus_audit_solid exact;
    mus_audit_tree tree;
    mus_solidity solidity;
    double size;   /* m: bound of a way out */
    double margin; /* m: distance outside after separation */
} solid;

/* ---- ways out ---- */

static v3 from_frame(const mus_audit_solid *s, v3 d) {
    const m3 *m = &s->axes; /* transposed */
    return v3_make(m->r[0].x * d.x + m->r[1].x * d.y + m->r[2].x * d.z,
                   m->r[0].y * d.x + m->r[1].y * d.y + m->r[2].y * d.z,
                   m->r[0].z * d.x + m->r[1].z * d.y + m->r[2].z * d.z);
}

/* Unit vector from the point to the nearest point of an exact shape, outward. */
static v3 outward_normal(const mus_audit_solid *s, v3 p) {
    v3 q = m3_mul_v3(&s->axes, v3_sub(p, s->place)), n;
    if (s->shape == MUS_SHAPE_PLANE) return s->normal;
    if (s->shape == MUS_SHAPE_BOX) {
        double x = s->half.x - fabs(q.x), y = s->half.y - fabs(q.y), z = s->half.z - fabs(q.z);
        n = x <= y && x <= z ? v3_make(q.x < 0 ? -1 : 1, 0, 0)
            : y <= z         ? v3_make(0, q.y < 0 ? -1 : 1, 0)
                             : v3_make(0, 0, q.z < 0 ? -1 : 1);
    } else if (s->shape == MUS_SHAPE_CYLINDER) {
        double across = sqrt(q.x * q.x + q.z * q.z);
        n = s->radius - across > s->half_length - fabs(q.y) ? v3_make(0, q.y < 0 ? -1 : 1, 0)
            : across > 0                                    ? v3_make(q.x / across, 0, q.z / across)
                                                            : v3_make(1, 0, 0);
    } else {
        double along = s->shape == MUS_SHAPE_CAPSULE ? fmax(-s->half_length, fmin(q.y, s->half_length)) : 0;
        n = v3_normalized(v3_make(q.x, q.y - along, q.z));
        if (!(v3_length2(n) > 0)) n = s->shape == MUS_SHAPE_CAPSULE ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
    }
    return from_frame(s, n);
}

/* Returns the shortest way out of a point inside. */
static v3 nearest_way(const solid *s, v3 p) {
    if (s->object->shape != MUS_SHAPE_MESH) {
        double at[3];
        v3_store(at, p);
        return v3_scale(mus_audit_depth_of_point(&s->exact, at) + s->margin, outward_normal(&s->exact, p));
    }
    v3 way = v3_neg(mus_nearest_on_mesh(s->object, &s->tree, p, DBL_MAX).from);
    return v3_axpy(s->margin, v3_normalized(way), way);
}

static bool is_outside(const solid *s, v3 p) {
    double at[3];
    v3_store(at, p);
    if (s->object->shape != MUS_SHAPE_MESH) return mus_audit_depth_of_point(&s->exact, at) <= -s->margin;
    return !mus_audit_inside_mesh(s->object, &s->tree, s->solidity, at);
}

/* m: returns the length of the way out of p along the unit vector n. */
static double way_along(const solid *s, v3 p, v3 n) {
    enum { LOOKS = 64, HALVINGS = 30 };
    double before = 0, t = 0;
    for (int k = 1; k <= LOOKS && !is_outside(s, v3_axpy(t, n, p)); k++) before = t, t = s->size * k / LOOKS;
    for (int k = 0; k < HALVINGS && t > before; k++) {
        double middle = 0.5 * (before + t);
        if (is_outside(s, v3_axpy(middle, n, p)))
            t = middle;
        else
            before = middle;
    }
    return s->object->shape == MUS_SHAPE_MESH ? t + s->margin : t;
}

/* ---- connected parts of a cloth inside ---- */

typedef struct component {
    v3 normal, ways; /* sums: of face normals by area; of unit vectors along the nearest ways out */
    double area, count;
    double up, down; /* m: the longest way along the normal and against it */
    v3 along;        /* unit; zero: each vertex moves along its own nearest way */
} component;

static v3 vertex_of(const mus_cloth *cloth, int32_t i) {
    return v3_load(cloth->x + 3 * (size_t)i);
}

/* inside[i]: vertex i is inside. `parent` and `components`: scratch memory, one entry for each vertex. */
static void displace_vertices(const solid *s, const mus_cloth *cloth, int32_t first, const uint8_t *inside,
                              int32_t *parent, component *components, mus_displacements *displacements) {
    const mus_topology *t = &cloth->topology;
    int32_t n = cloth->vertex_count;
    mus_union_find_reset(parent, n);
    for (int32_t i = 0; i < n; i++) components[i] = (component){.area = 0};
    for (int32_t e = 0; e < t->edge_count; e++) {
        int32_t a = t->edges[2 * e], b = t->edges[2 * e + 1];
        if (!inside[a] || !inside[b]) continue;
        mus_union_find_join(parent, a, b);
    }
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *c = cloth->faces + 3 * (size_t)f;
        v3 a = vertex_of(cloth, c[0]);
        v3 normal = v3_cross(v3_sub(vertex_of(cloth, c[1]), a), v3_sub(vertex_of(cloth, c[2]), a));
        for (int k = 0; k < 3; k++) {
            if (!inside[c[k]]) continue;
            component *p = &components[mus_union_find_root(parent, c[k])];
            p->normal = v3_add(p->normal, normal), p->area += v3_length(normal);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (!inside[i]) continue;
        component *p = &components[mus_union_find_root(parent, i)];
        p->ways = v3_add(p->ways, v3_normalized(nearest_way(s, vertex_of(cloth, i)))), p->count += 1;
    }
    for (int32_t i = 0; i < n; i++) {
        if (!inside[i]) continue;
        component *p = &components[mus_union_find_root(parent, i)];
        if (v3_length(p->normal) < 0.5 * p->area || v3_length(p->ways) > 0.7 * p->count) continue;
        v3 normal = v3_normalized(p->normal), x = vertex_of(cloth, i);
        p->up = fmax(p->up, way_along(s, x, normal)), p->down = fmax(p->down, way_along(s, x, v3_neg(normal)));
        p->along = normal;
    }
    for (int32_t i = 0; i < n; i++) {
        if (!inside[i]) continue;
        const component *p = &components[mus_union_find_root(parent, i)];
        v3 x = vertex_of(cloth, i), by = nearest_way(s, x);
        if (v3_length2(p->along) > 0) {
            v3 along = p->down < p->up ? v3_neg(p->along) : p->along;
            by = v3_scale(way_along(s, x, along), along);
        }
        if (cloth->inverse_mass[i] > 0) mus_displacement_add(displacements, first + i, by, 1);
    }
}

/* For a face that is inside an exact shape between its vertices: moves the whole face out by the depth, in the
 * direction of the deepest of some points on it. */
static void displace_face(const solid *s, const mus_cloth *cloth, int32_t first, int32_t face, double depth,
                          mus_displacements *displacements) {
    enum { SIDES = 6 };
    const int32_t *c = cloth->faces + 3 * (size_t)face;
    v3 a = vertex_of(cloth, c[0]), b = vertex_of(cloth, c[1]), d = vertex_of(cloth, c[2]), deepest = a;
    double most = -DBL_MAX;
    for (int i = 0; i <= SIDES; i++)
        for (int k = 0; i + k <= SIDES; k++) {
            double u = (double)i / SIDES, v = (double)k / SIDES, at[3];
            v3 p = v3_axpy(u, v3_sub(b, a), v3_axpy(v, v3_sub(d, a), a));
            v3_store(at, p);
            double here = mus_audit_depth_of_point(&s->exact, at);
            if (here > most) most = here, deepest = p;
        }
    v3 by = v3_scale(depth + s->margin, outward_normal(&s->exact, deepest));
    for (int k = 0; k < 3; k++)
        if (cloth->inverse_mass[c[k]] > 0) mus_displacement_add(displacements, first + c[k], by, 0.5);
}

/* ---- */

static double bounding_extent(const mus_audit_object *o) {
    if (o->shape == MUS_SHAPE_MESH) {
        mus_box box = mus_box_of_points(o->vertices, o->vertex_count);
        return 1.1 * v3_length(mus_box_size(&box));
    }
    return 1.1 * (o->size[0] + o->size[1] + o->size[2] + 2 * o->radius + o->length);
}

static mus_status displace_pair(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                                int32_t cloth_index, int32_t object, double share, mus_displacements *displacements) {
    const mus_assembly *a = &world->solver.assembly;
    const mus_cloth *cloth = mus_cloth_given(a->objects[cloth_index].cloth);
    const mus_audit_object *o = &view->objects[object];
    double thickness = a->objects[cloth_index].contact_thickness + a->objects[object].contact_thickness;
    solid s = {.object = o, .size = bounding_extent(o), .margin = share * thickness + 1e-6 * cloth->mean_edge};
    size_t n = (size_t)cloth->vertex_count;
    uint8_t *inside = mus_new(n + 1);
    int32_t *parent = mus_new(sizeof *parent * (n + 1));
    component *components = mus_new(sizeof *components * (n + 1));
    mus_status status = inside && parent && components
                            ? mus_displacements_begin_pair(displacements, cloth_index, object)
                            : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK && o->shape == MUS_SHAPE_MESH) {
        status = mus_audit_tree_build(o->vertices, o->faces, o->face_count, &s.tree);
        if (status == MUS_STATUS_OK) status = mus_audit_solidity(o, &s.solidity);
    } else {
        s.exact = mus_audit_solid_make(o);
    }
    if (status == MUS_STATUS_OK) {
        for (int64_t k = 0; k < report->finding_count; k++) {
            const mus_audit_finding *f = &report->findings[k];
            if (f->kind != MUS_AUDIT_INSIDE || f->part[0] != cloth_index || f->part[1] != object) continue;
            if (f->face[1] == -1)
                inside[f->face[0]] = 1;
            else
                displace_face(&s, cloth, a->objects[cloth_index].first, f->face[0], f->depth, displacements);
        }
        displace_vertices(&s, cloth, a->objects[cloth_index].first, inside, parent, components, displacements);
    }
    mus_audit_tree_free(&s.tree);
    mus_free(inside);
    mus_free(parent);
    mus_free(components);
    return status;
}

mus_status mus_untangle_solids(const mus_world *world, const mus_world_view *view, const mus_audit_report *report,
                               double share, mus_displacements *displacements) {
    for (int32_t i = 0; i < view->cloth_count; i++)
        for (int32_t j = view->cloth_count; j < view->count; j++) {
            bool any = false;
            for (int64_t k = 0; k < report->finding_count && !any; k++) {
                const mus_audit_finding *f = &report->findings[k];
                any = f->kind == MUS_AUDIT_INSIDE && f->part[0] == i && f->part[1] == j;
            }
            mus_status status = any ? displace_pair(world, view, report, i, j, share, displacements) : MUS_STATUS_OK;
            if (status != MUS_STATUS_OK) return status;
        }
    return MUS_STATUS_OK;
}
