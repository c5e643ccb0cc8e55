/* audit_rigid.c: the auditor's test of two obstacles; independent of the code that keeps them apart. */
#include "narrow/audit_rigid.h"

#include "base/memory.h"
#include "mesh/distance.h"
#include "narrow/audit_inside.h"
#include "narrow/triangles.h"

/* Depth (m) of the lowest point of an object below a plane. */
static double depth_in_plane(const mus_audit_object *o, const mus_audit_object *plane) {
    m3 turn = m3_from_quaternion(plane->pose.rotation), own = m3_from_quaternion(o->pose.rotation);
    v3 n = v3_normalized(m3_mul_v3(&turn, v3_load(plane->normal)));
    double height = v3_dot(n, v3_sub(v3_load(o->pose.position), v3_load(plane->pose.position)));
    double extent = o->radius; /* below the center */
    if (o->shape == MUS_SHAPE_MESH) {
        extent = -INFINITY;
        height = 0;
        for (int32_t v = 0; v < o->vertex_count; v++) {
            v3 p = v3_sub(v3_load(o->vertices + 3 * (size_t)v), v3_load(plane->pose.position));
            extent = fmax(extent, -v3_dot(n, p));
        }
    } else if (o->shape == MUS_SHAPE_BOX) {
        v3 along = m3_mul_v3(&(m3){{{own.r[0].x, own.r[1].x, own.r[2].x},
                                    {own.r[0].y, own.r[1].y, own.r[2].y},
                                    {own.r[0].z, own.r[1].z, own.r[2].z}}},
                             n); /* the normal in the box's frame */
        extent = 0.5 * (fabs(along.x) * o->size[0] + fabs(along.y) * o->size[1] + fabs(along.z) * o->size[2]);
    } else if (o->shape == MUS_SHAPE_CAPSULE) {
        v3 axis = v3_make(own.r[0].y, own.r[1].y, own.r[2].y);
        extent += 0.5 * o->length * fabs(v3_dot(axis, n));
    }
    return extent - height;
}

typedef struct both {
    const mus_audit_object *a, *b;
    mus_audit_overlap *overlap;
} both;

static const double *corner(const mus_audit_object *object, int32_t face, int k) {
    return object->vertices + 3 * (size_t)object->faces[3 * (size_t)face + (size_t)k];
}

static mus_status visit(void *context, int32_t face_a, int32_t face_b) {
    const both *o = context;
    const double *const t[3] = {corner(o->a, face_a, 0), corner(o->a, face_a, 1), corner(o->a, face_a, 2)};
    const double *const s[3] = {corner(o->b, face_b, 0), corner(o->b, face_b, 1), corner(o->b, face_b, 2)};
    mus_triangle_intersection intersection = mus_triangles_intersect(t, s);
    o->overlap->tested++;
    o->overlap->touches += intersection == MUS_INTERSECTION_TOUCH;
    if (intersection != MUS_INTERSECTION_CROSSING) return MUS_STATUS_OK;
    if (!o->overlap->crossings++) o->overlap->face[0] = face_a, o->overlap->face[1] = face_b;
    return MUS_STATUS_OK;
}

static void deepen_overlap(mus_audit_overlap *overlap, double depth) {
    if (depth > overlap->depth) overlap->depth = depth;
}

/* Deepens the overlap by the depth in a mesh of a ball about a point, if the point is inside. */
static void point_in_mesh(v3 point, double radius, const mus_audit_object *mesh, const mus_audit_tree *tree,
                          mus_solidity solidity, mus_audit_overlap *overlap) {
    double p[3];
    v3_store(p, point);
    if (mus_audit_inside_mesh(mesh, tree, solidity, p))
        deepen_overlap(overlap, radius + mus_audit_depth_in_mesh(mesh, tree, p));
}

/* Tests vertices and face centroids: the vertices of aligned objects may all lie on the other's surface, and faces in
 * its faces. */
static mus_status points_in_mesh(const mus_audit_object *o, const mus_audit_object *mesh, const mus_audit_tree *tree,
                                 mus_audit_overlap *overlap) {
    mus_solidity solidity;
    mus_status status = mus_audit_solidity(mesh, &solidity);
    if (status != MUS_STATUS_OK || solidity == MUS_SOLIDITY_OPEN) return status;
    for (int32_t v = 0; v < o->vertex_count; v++)
        point_in_mesh(v3_load(o->vertices + 3 * (size_t)v), 0, mesh, tree, solidity, overlap);
    for (int32_t f = 0; f < o->face_count; f++) {
        v3 sum = v3_add(v3_load(corner(o, f, 0)), v3_add(v3_load(corner(o, f, 1)), v3_load(corner(o, f, 2))));
        point_in_mesh(v3_scale(1.0 / 3, sum), 0, mesh, tree, solidity, overlap);
    }
    return MUS_STATUS_OK;
}

static mus_status round_in_mesh(const mus_audit_object *o, const mus_audit_object *mesh, const mus_audit_tree *tree,
                                mus_audit_overlap *overlap) {
    mus_audit_solid solid = mus_audit_solid_make(o);
    for (int32_t f = 0; f < mesh->face_count; f++)
        deepen_overlap(overlap,
                       mus_audit_depth_of_face(&solid, corner(mesh, f, 0), corner(mesh, f, 1), corner(mesh, f, 2)));
    mus_solidity solidity;
    mus_status status = mus_audit_solidity(mesh, &solidity);
    if (status == MUS_STATUS_OK) point_in_mesh(v3_load(o->pose.position), o->radius, mesh, tree, solidity, overlap);
    return status;
}

static void axis_of(const mus_audit_object *o, v3 end[2]) {
    mus_audit_solid solid = mus_audit_solid_make(o);
    for (int k = 0; k < 2; k++)
        end[k] = v3_axpy(k ? solid.half_length : -solid.half_length, solid.axes.r[1], solid.place);
}

/* Greatest depth (m) of a round object's axis in a cylinder, or minus its distance. Along the axis this rises, then
 * falls. */
static double axis_in_cylinder(const mus_audit_object *cylinder, const v3 axis[2]) {
    enum { THIRDS = 100 };
    mus_audit_solid solid = mus_audit_solid_make(cylinder);
    double low = 0, high = 1, depth[2];
    for (int k = 0; k < THIRDS; k++) {
        for (int i = 0; i < 2; i++) {
            v3 q = v3_sub(v3_lerp(axis[0], axis[1], (i ? low + 2 * high : 2 * low + high) / 3), solid.place);
            double y = fabs(v3_dot(solid.axes.r[1], q)) - solid.half_length;
            double x = sqrt(fmax(0, v3_length2(q) - (y + solid.half_length) * (y + solid.half_length))) - solid.radius;
            depth[i] = x > 0 && y > 0 ? -sqrt(x * x + y * y) : -fmax(x, y);
        }
        if (depth[0] < depth[1])
            low = (2 * low + high) / 3;
        else
            high = (low + 2 * high) / 3;
    }
    return fmax(depth[0], depth[1]);
}

mus_status mus_audit_rigid_bodies(const mus_audit_object *a, const mus_audit_tree *tree_a, const mus_audit_object *b,
                                  const mus_audit_tree *tree_b, mus_audit_overlap *overlap) {
    *overlap = (mus_audit_overlap){0};
    if (a->shape == MUS_SHAPE_PLANE || b->shape == MUS_SHAPE_PLANE) {
        bool first = a->shape == MUS_SHAPE_PLANE;
        if (a->shape != b->shape) deepen_overlap(overlap, depth_in_plane(first ? b : a, first ? a : b));
        return MUS_STATUS_OK;
    }
    bool faces_a = a->face_count > 0, faces_b = b->face_count > 0;
    if (faces_a && faces_b) {
        mus_status status = mus_audit_tree_pairs(tree_a, tree_b, visit, &(both){a, b, overlap});
        if (status == MUS_STATUS_OK) status = points_in_mesh(a, b, tree_b, overlap);
        return status == MUS_STATUS_OK ? points_in_mesh(b, a, tree_a, overlap) : status;
    }
    if (faces_b) return round_in_mesh(a, b, tree_b, overlap);
    if (faces_a) return round_in_mesh(b, a, tree_a, overlap);
    v3 p[2], q[2];
    double w[2];
    axis_of(a, p), axis_of(b, q);
    if (a->shape == MUS_SHAPE_CYLINDER || b->shape == MUS_SHAPE_CYLINDER) {
        bool first = a->shape == MUS_SHAPE_CYLINDER;
        deepen_overlap(overlap, axis_in_cylinder(first ? a : b, first ? q : p) + (first ? b->radius : a->radius));
        return MUS_STATUS_OK;
    }
    deepen_overlap(overlap, a->radius + b->radius - v3_length(mus_nearest_edge_edge(p[0], p[1], q[0], q[1], w)));
    return MUS_STATUS_OK;
}
