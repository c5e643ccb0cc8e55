/* raycast.c: where segments first meet a mesh: a box tree, and exact signs that leave no gap along the edges of faces.
 */
#include "base/range.h"
#include "base/vec.h"
#include "mesh/predicates.h"
#include "muslin/query.h"
#include "narrow/audit_tree.h"

#include <stdio.h>

typedef struct raycast {
    const double *x;
    const int32_t *faces;
    const mus_audit_tree *tree;
    const double *from, *to;
    v3 middle, half, extent; /* of the segment: center, half of its vector, absolute values of that */
    double fraction;         /* of the nearest face so far; INFINITY: none */
    int32_t face;
} raycast;

/* Separating axes of a segment and a box. Rounding may call two apart that touch only within this part of their size.
 */
#define SLACK 1e-12

static bool apart(const raycast *r, const mus_box *box) {
    v3 lo = v3_load(box->lo), hi = v3_load(box->hi), size = v3_scale(0.5, v3_sub(hi, lo));
    v3 m = v3_sub(r->middle, v3_add(lo, size)), e = r->extent, d = r->half;
    double slack = SLACK * (v3_max_abs(lo) + v3_max_abs(hi) + v3_max_abs(r->middle) + v3_max_abs(e));
    if (fabs(m.x) > size.x + e.x + slack || fabs(m.y) > size.y + e.y + slack || fabs(m.z) > size.z + e.z + slack)
        return true;
    double twice = 2 * slack * (v3_max_abs(e) + v3_max_abs(m));
    return fabs(m.y * d.z - m.z * d.y) > size.y * e.z + size.z * e.y + twice ||
           fabs(m.z * d.x - m.x * d.z) > size.z * e.x + size.x * e.z + twice ||
           fabs(m.x * d.y - m.y * d.x) > size.x * e.y + size.y * e.x + twice;
}

/* The closed segment meets the closed face unless both lie in one plane. */
static bool meets(const double *p, const double *q, const double *a, const double *b, const double *c, int *at_from,
                  int *at_to) {
    *at_from = mus_orient3d(a, b, c, p), *at_to = mus_orient3d(a, b, c, q);
    if (*at_from == *at_to) return false; /* on one side, or in the plane */
    int u = mus_orient3d(p, q, a, b), v = mus_orient3d(p, q, b, c), w = mus_orient3d(p, q, c, a);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

static void try_face(raycast *r, int32_t f) {
    const int32_t *corner = r->faces + 3 * (size_t)f;
    const double *a = r->x + 3 * (size_t)corner[0], *b = r->x + 3 * (size_t)corner[1],
                 *c = r->x + 3 * (size_t)corner[2];
    int at_from, at_to;
    if (!meets(r->from, r->to, a, b, c, &at_from, &at_to)) return;
    v3 o = v3_load(a), normal = v3_cross(v3_sub(v3_load(b), o), v3_sub(v3_load(c), o));
    double start = v3_dot(normal, v3_sub(v3_load(r->from), o)), end = v3_dot(normal, v3_sub(v3_load(r->to), o));
    double t = start / (start - end);
    if (at_from == 0 || !(t >= 0)) t = 0; /* also where rounding leaves nothing of the distances */
    if (at_to == 0 || t > 1) t = 1;
    if (t < r->fraction || (t == r->fraction && f < r->face)) r->fraction = t, r->face = f;
}

static void search(raycast *r, int32_t index) {
    const mus_audit_node *node = &r->tree->nodes[index];
    if (apart(r, &node->box)) return;
    if (node->child >= 0) {
        search(r, node->child);
        search(r, node->child + 1);
        return;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) try_face(r, r->tree->order[i]);
}

static mus_status check_ends(const char *field, const double *x, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        if (mus_are_lengths(v3_load(x + 3 * k))) continue;
        char subject[64];
        snprintf(subject, sizeof subject, "mesh:raycast: %s [%lld]", field, (long long)k + 1);
        return mus_check_range3(subject, MUS_RANGE_COORDINATE, "m", x + 3 * k);
    }
    return MUS_STATUS_OK;
}

mus_status mus_mesh_raycast(const mus_mesh *mesh, int64_t count, const double *from, const double *to,
                            double *fractions, int32_t *faces) {
    const double *x = mus_mesh_get_vertices_const(mesh);
    const int32_t *corners = mus_mesh_get_faces(mesh);
    mus_status status = mus_check_places("mesh:raycast: mesh", x, mus_mesh_get_vertex_count(mesh));
    if (status == MUS_STATUS_OK) status = check_ends("from", from, count);
    if (status == MUS_STATUS_OK) status = check_ends("to", to, count);
    mus_audit_tree tree = {0};
    if (status == MUS_STATUS_OK) status = mus_audit_tree_build(x, corners, mus_mesh_get_face_count(mesh), &tree);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < count; k++) {
        raycast r = {.x = x, .faces = corners, .tree = &tree, .from = from + 3 * k, .to = to + 3 * k};
        r.fraction = INFINITY, r.face = -1;
        v3 p = v3_load(r.from), q = v3_load(r.to);
        r.middle = v3_lerp(p, q, 0.5), r.half = v3_scale(0.5, v3_sub(q, p));
        r.extent = v3_make(fabs(r.half.x), fabs(r.half.y), fabs(r.half.z));
        search(&r, 0);
        fractions[k] = r.fraction;
        if (faces) faces[k] = r.face;
    }
    mus_audit_tree_free(&tree);
    return MUS_STATUS_OK;
}
