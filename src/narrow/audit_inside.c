/* audit_inside.c: winding numbers of closed meshes along an exactly traced ray, and depths inside exact shapes. */
#include "narrow/audit_inside.h"

#include "base/memory.h"
#include "mesh/distance.h"
#include "mesh/predicates.h"

#include <float.h>

/* ---- Closed meshes ----------------------------------------------------------------------------------------------- */

mus_status mus_audit_solidity(const mus_audit_object *mesh, mus_solidity *solidity) {
    *solidity = MUS_SOLIDITY_OPEN;
    if (mesh->face_count <= 0) return MUS_STATUS_OK;
    /* Edges sorted by their lower vertex: the upper vertex, and +1 or -1 for the direction in which the face uses the
     * edge. */
    size_t edges = 3 * (size_t)mesh->face_count, vertices = (size_t)mesh->vertex_count;
    int32_t *start = mus_new((vertices + 2) * sizeof *start);
    int32_t *upper = mus_new(edges * sizeof *upper);
    int8_t *way = mus_new(edges);
    mus_status status = MUS_STATUS_NO_MEMORY;
    if (!start || !upper || !way) goto done;
    status = MUS_STATUS_OK;

    for (size_t e = 0; e < edges; e++) {
        int32_t a = mesh->faces[e], b = mesh->faces[e % 3 == 2 ? e - 2 : e + 1];
        start[(a < b ? a : b) + 2]++;
    }
    for (size_t v = 2; v < vertices + 2; v++) start[v] += start[v - 1];
    for (size_t e = 0; e < edges; e++) {
        int32_t a = mesh->faces[e], b = mesh->faces[e % 3 == 2 ? e - 2 : e + 1];
        int32_t at = start[(a < b ? a : b) + 1]++;
        upper[at] = a < b ? b : a;
        way[at] = a < b ? 1 : -1;
    }
    bool balanced = true;
    for (size_t v = 0; v < vertices; v++)
        for (int32_t i = start[v]; i < start[v + 1]; i++) {
            int32_t uses = 0, sum = 0;
            for (int32_t j = start[v]; j < start[v + 1]; j++)
                if (upper[j] == upper[i]) uses++, sum += way[j];
            if (uses % 2 != 0) goto done;
            if (sum != 0) balanced = false;
        }
    *solidity = balanced ? MUS_SOLIDITY_WINDING : MUS_SOLIDITY_PARITY;
done:
    mus_free(start);
    mus_free(upper);
    mus_free(way);
    return status;
}

/* Symbolic perturbation: in projection along x, in the plane (y, z), the point is treated as displaced by (e, e^2) with
 * an infinitesimal e > 0. It then lies on no edge, and the line through it crosses a closed mesh an even number of
 * times. */
static int side_of_edge(const double u[2], const double v[2], const double p[2]) {
    int s = mus_orient2d(u, v, p);
    if (s != 0) return s;
    if (u[1] != v[1]) return u[1] > v[1] ? 1 : -1;
    return v[0] > u[0] ? 1 : -1;
}

typedef struct ray_count {
    int32_t winding, crossings;
    bool on_surface;
} ray_count;

static void cross_face(const double *a, const double *b, const double *c, const double *p, ray_count *count) {
    int o = mus_orient2d(a + 1, b + 1, c + 1);
    if (o == 0) return; /* seen edge-on */
    if (side_of_edge(a + 1, b + 1, p + 1) != o || side_of_edge(b + 1, c + 1, p + 1) != o ||
        side_of_edge(c + 1, a + 1, p + 1) != o)
        return;
    int s = mus_orient3d(a, b, c, p);
    if (s == 0) count->on_surface = true;
    if (s == o) count->winding += o, count->crossings++; /* the face lies toward +x */
}

static void trace_ray(const mus_audit_object *mesh, const mus_audit_tree *tree, int32_t index, const double *p,
                      ray_count *count) {
    const mus_audit_node *node = &tree->nodes[index];
    const mus_box *box = &node->box;
    if (p[0] > box->hi[0] || p[1] < box->lo[1] || p[1] > box->hi[1] || p[2] < box->lo[2] || p[2] > box->hi[2]) return;
    if (node->child >= 0) {
        trace_ray(mesh, tree, node->child, p, count);
        trace_ray(mesh, tree, node->child + 1, p, count);
        return;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        const int32_t *f = mesh->faces + 3 * (size_t)tree->order[i];
        const double *x = mesh->vertices;
        cross_face(x + 3 * (size_t)f[0], x + 3 * (size_t)f[1], x + 3 * (size_t)f[2], p, count);
    }
}

bool mus_audit_inside_mesh(const mus_audit_object *mesh, const mus_audit_tree *tree, mus_solidity solidity,
                           const double p[3]) {
    if (solidity == MUS_SOLIDITY_OPEN || tree->node_count == 0) return false;
    const mus_box *box = &tree->nodes[0].box;
    if (p[0] < box->lo[0]) return false;
    ray_count count = {0};
    trace_ray(mesh, tree, 0, p, &count);
    if (count.on_surface) return false;
    return solidity == MUS_SOLIDITY_WINDING ? count.winding != 0 : count.crossings % 2 != 0;
}

static void search_nearest(const mus_audit_object *mesh, const mus_audit_tree *tree, int32_t index, const double *p,
                           double *least2) {
    const mus_audit_node *node = &tree->nodes[index];
    if (node->child >= 0) {
        double d0 = mus_box_distance2(&tree->nodes[node->child].box, v3_load(p));
        double d1 = mus_box_distance2(&tree->nodes[node->child + 1].box, v3_load(p));
        int32_t near = d1 < d0;
        if ((near ? d1 : d0) < *least2) search_nearest(mesh, tree, node->child + near, p, least2);
        if ((near ? d0 : d1) < *least2) search_nearest(mesh, tree, node->child + 1 - near, p, least2);
        return;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        const int32_t *f = mesh->faces + 3 * (size_t)tree->order[i];
        double w[3];
        v3 d = mus_nearest_vertex_face(v3_load(p), v3_load(mesh->vertices + 3 * (size_t)f[0]),
                                       v3_load(mesh->vertices + 3 * (size_t)f[1]),
                                       v3_load(mesh->vertices + 3 * (size_t)f[2]), w);
        if (v3_length2(d) < *least2) *least2 = v3_length2(d);
    }
}

double mus_audit_depth_in_mesh(const mus_audit_object *mesh, const mus_audit_tree *tree, const double p[3]) {
    double least2 = DBL_MAX;
    if (tree->node_count > 0) search_nearest(mesh, tree, 0, p, &least2);
    return sqrt(least2);
}

/* ---- Exact shapes ------------------------------------------------------------------------------------------------ */

mus_audit_solid mus_audit_solid_make(const mus_audit_object *object) {
    const double *q = object->pose.rotation;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double unit[4] = {1, 0, 0, 0};
    for (int k = 0; length > 0 && k < 4; k++) unit[k] = q[k] / length;
    m3 turn = m3_from_quaternion(unit);
    mus_audit_solid solid = {.shape = object->shape, .place = v3_load(object->pose.position)};
    for (int k = 0; k < 3; k++) /* transposed: columns of the rotation are the axes */
        solid.axes.r[k] = v3_make(v3_get(turn.r[0], k), v3_get(turn.r[1], k), v3_get(turn.r[2], k));
    solid.half = v3_scale(0.5, v3_load(object->size));
    solid.normal = v3_normalized(m3_mul_v3(&turn, v3_load(object->normal)));
    solid.radius = object->radius;
    bool has_axis = object->shape == MUS_SHAPE_CAPSULE || object->shape == MUS_SHAPE_CYLINDER;
    solid.half_length = has_axis ? 0.5 * object->length : 0;
    return solid;
}

static v3 into_frame(const mus_audit_solid *solid, const double *p) {
    return m3_mul_v3(&solid->axes, v3_sub(v3_load(p), solid->place));
}

static double box_depth(const mus_audit_solid *solid, v3 p) {
    return fmin(solid->half.x - fabs(p.x), fmin(solid->half.y - fabs(p.y), solid->half.z - fabs(p.z)));
}

/* Depth below the nearer of the side and the ends, each extended to infinity. */
static double cylinder_depth(const mus_audit_solid *solid, v3 p) {
    return fmin(solid->radius - sqrt(p.x * p.x + p.z * p.z), solid->half_length - fabs(p.y));
}

double mus_audit_depth_of_point(const mus_audit_solid *solid, const double p[3]) {
    v3 q = into_frame(solid, p);
    double along;
    switch (solid->shape) {
    case MUS_SHAPE_PLANE:
        return -v3_dot(solid->normal, v3_sub(v3_load(p), solid->place));
    case MUS_SHAPE_SPHERE:
        return solid->radius - v3_length(q);
    case MUS_SHAPE_CAPSULE:
        along = fmax(-solid->half_length, fmin(q.y, solid->half_length));
        return solid->radius - v3_length(v3_make(q.x, q.y - along, q.z));
    case MUS_SHAPE_CYLINDER:
        return cylinder_depth(solid, q);
    case MUS_SHAPE_BOX:
        return box_depth(solid, q);
    default:
        return -DBL_MAX;
    }
}

/* Distance of a capsule's axis from a face, both in the capsule's frame. */
static double axis_distance(double half_length, const v3 t[3]) {
    double w[3], ends[2][3] = {{0, -half_length, 0}, {0, half_length, 0}}, corner[3][3];
    v3 low = v3_load(ends[0]), high = v3_load(ends[1]);
    for (int k = 0; k < 3; k++) v3_store(corner[k], t[k]);
    int s0 = mus_orient3d(corner[0], corner[1], corner[2], ends[0]);
    int s1 = mus_orient3d(corner[0], corner[1], corner[2], ends[1]);
    if (s0 * s1 < 0) {
        bool through = true;
        for (int k = 0; k < 3; k++)
            through = through && mus_orient3d(ends[0], ends[1], corner[k], corner[(k + 1) % 3]) == -s0;
        if (through) return 0;
    }
    double least = fmin(v3_length(mus_nearest_vertex_face(low, t[0], t[1], t[2], w)),
                        v3_length(mus_nearest_vertex_face(high, t[0], t[1], t[2], w)));
    for (int k = 0; k < 3; k++)
        least = fmin(least, v3_length(mus_nearest_edge_edge(low, high, t[k], t[(k + 1) % 3], w)));
    return least;
}

/* Returns whether the face has a point at least `depth` deep inside the box: clips it by the six planes. */
static bool reaches_depth(const mus_audit_solid *solid, const v3 t[3], double depth) {
    v3 polygon[9], next[9];
    int n = 3;
    for (int k = 0; k < 3; k++) polygon[k] = t[k];
    for (int plane = 0; plane < 6; plane++) {
        int axis = plane >> 1, m = 0;
        double sign = plane & 1 ? 1 : -1, limit = v3_get(solid->half, axis) - depth;
        for (int i = 0; i < n; i++) {
            v3 p = polygon[i], q = polygon[(i + 1) % n];
            double dp = limit - sign * v3_get(p, axis), dq = limit - sign * v3_get(q, axis);
            if (dp >= 0) next[m++] = p;
            if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) next[m++] = v3_lerp(p, q, dp / (dp - dq));
        }
        if (m == 0) return false;
        for (int i = 0; i < m; i++) polygon[i] = next[i];
        n = m;
    }
    return true;
}

static double box_depth_of_face(const mus_audit_solid *solid, const v3 t[3]) {
    double deepest = fmax(box_depth(solid, t[0]), fmax(box_depth(solid, t[1]), box_depth(solid, t[2])));
    for (int axis = 0; axis < 3; axis++) { /* entirely beyond one face of the box */
        double h = v3_get(solid->half, axis), a = v3_get(t[0], axis), b = v3_get(t[1], axis), c = v3_get(t[2], axis);
        if (fmin(a, fmin(b, c)) >= h || fmax(a, fmax(b, c)) <= -h) return deepest;
    }
    double low = fmax(deepest, 0), high = fmin(solid->half.x, fmin(solid->half.y, solid->half.z));
    if (!reaches_depth(solid, t, low)) return deepest;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        if (reaches_depth(solid, t, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Distance (m) of the axis from the triangle clipped to -limit <= y <= limit; infinite if nothing is left of it. */
static double axis_gap_between(const v3 t[3], double limit) {
    v3 polygon[5], next[5];
    int n = 3;
    for (int k = 0; k < 3; k++) polygon[k] = t[k];
    for (int side = -1; side <= 1; side += 2) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            v3 p = polygon[i], q = polygon[(i + 1) % n];
            double dp = limit - side * p.y, dq = limit - side * q.y;
            if (dp >= 0) next[m++] = p;
            if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) next[m++] = v3_lerp(p, q, dp / (dp - dq));
        }
        if (m == 0) return INFINITY;
        for (int i = 0; i < m; i++) polygon[i] = next[i];
        n = m;
    }
    /* In the plane perpendicular to the axis: 0 if the polygon contains the origin, else the distance of its nearest
     * edge. */
    double least = INFINITY;
    bool left = true, right = true;
    for (int i = 0; i < n; i++) {
        v3 p = polygon[i], q = polygon[(i + 1) % n];
        double ex = q.x - p.x, ez = q.z - p.z, length2 = ex * ex + ez * ez;
        double s = length2 > 0 ? fmax(0, fmin(1, -(p.x * ex + p.z * ez) / length2)) : 0;
        double x = p.x + s * ex, z = p.z + s * ez, cross = p.x * q.z - p.z * q.x;
        least = fmin(least, sqrt(x * x + z * z));
        left = left && cross > 0, right = right && cross < 0;
    }
    return n > 2 && (left || right) ? 0 : least;
}

static double cylinder_depth_of_face(const mus_audit_solid *solid, const v3 t[3]) {
    double deepest = -INFINITY;
    for (int k = 0; k < 3; k++) deepest = fmax(deepest, cylinder_depth(solid, t[k]));
    double low = fmax(deepest, 0), high = fmin(solid->radius, solid->half_length);
    if (!(axis_gap_between(t, solid->half_length - low) <= solid->radius - low)) return deepest;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        if (axis_gap_between(t, solid->half_length - middle) <= solid->radius - middle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double mus_audit_depth_of_face(const mus_audit_solid *solid, const double a[3], const double b[3], const double c[3]) {
    double w[3];
    v3 t[3] = {into_frame(solid, a), into_frame(solid, b), into_frame(solid, c)};
    switch (solid->shape) {
    case MUS_SHAPE_SPHERE:
        return solid->radius - v3_length(mus_nearest_vertex_face(v3_make(0, 0, 0), t[0], t[1], t[2], w));
    case MUS_SHAPE_CAPSULE:
        return solid->radius - axis_distance(solid->half_length, t);
    case MUS_SHAPE_BOX:
        return box_depth_of_face(solid, t);
    case MUS_SHAPE_CYLINDER:
        return cylinder_depth_of_face(solid, t);
    default: /* depth below a plane is greatest at a corner */
        return fmax(mus_audit_depth_of_point(solid, a),
                    fmax(mus_audit_depth_of_point(solid, b), mus_audit_depth_of_point(solid, c)));
    }
}
