/* zones.c: union–find of colliding vertices and their rigid motion. */
#include "response/zones.h"
#include "base/union_find.h"

#include <string.h>

const mus_failsafe mus_failsafe_zones = {.mean_spin = false}, mus_failsafe_provot = {.mean_spin = true};
const mus_failsafe mus_failsafe_inelastic = {.projections = 20};

mus_status mus_zones_create(mus_zones *zones, int32_t n) {
    size_t bytes = sizeof(int32_t) * ((size_t)n + 1);
    zones->parent = mus_new(bytes);
    zones->next = mus_new(bytes);
    zones->carrier = mus_new(bytes);
    zones->rival = mus_new(bytes);
    zones->inside = mus_new((size_t)n + 1);
    return zones->parent && zones->next && zones->carrier && zones->rival && zones->inside ? MUS_STATUS_OK
                                                                                           : MUS_STATUS_NO_MEMORY;
}

void mus_zones_free(mus_zones *zones) {
    void *blocks[] = {zones->parent, zones->next, zones->carrier, zones->rival, zones->inside};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *zones = (mus_zones){0};
}

void mus_zones_clear(mus_zones *zones, int32_t n) {
    mus_union_find_reset(zones->parent, n);
    for (int32_t i = 0; i < n; i++) zones->carrier[i] = zones->rival[i] = -1;
    memset(zones->inside, 0, (size_t)n);
    zones->zone_count = zones->vertex_count = 0;
}

/* The motion a kinematic vertex imposes on a point at x0: its obstacle's, or its own shift when it is a pin. */
static v3 carried_motion(const mus_assembly *a, int32_t carrier, v3 x0) {
    if (carrier >= a->cloth_vertex_count) return mus_object_transform_point(&a->objects[a->object_of[carrier]], x0);
    return v3_add(x0, v3_sub(a->x1[carrier], a->x0[carrier]));
}

static void add_carrier(mus_zones *zones, const mus_assembly *a, int32_t root, int32_t vertex) {
    if (vertex < 0) return;
    if (zones->carrier[root] < 0) {
        zones->carrier[root] = vertex;
    } else {
        v3 off = v3_sub(carried_motion(a, zones->carrier[root], a->x0[vertex]), a->x1[vertex]);
        if (v3_max_abs(off) > 1e-9 && zones->rival[root] < 0) zones->rival[root] = vertex;
    }
}

void mus_zones_join(mus_zones *zones, const mus_assembly *a, const int32_t *vertices, int32_t count) {
    int32_t root = -1;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = vertices[k];
        if (a->inverse_mass[i] <= 0) continue;
        zones->inside[i] = 1;
        int32_t other = mus_union_find_root(zones->parent, i);
        if (root < 0 || root == other) {
            root = other;
            continue;
        }
        int32_t keep = mus_union_find_join(zones->parent, root, other), drop = keep == root ? other : root;
        add_carrier(zones, a, keep, zones->carrier[drop]);
        if (zones->rival[keep] < 0) zones->rival[keep] = zones->rival[drop];
        root = keep;
    }
    for (int32_t k = 0; k < count && root >= 0; k++)
        if (a->inverse_mass[vertices[k]] <= 0) add_carrier(zones, a, root, vertices[k]);
}

int32_t mus_zones_carrier(mus_zones *zones, int32_t i) {
    return zones->inside[i] ? zones->carrier[mus_union_find_root(zones->parent, i)] : -1;
}

typedef struct rigid {
    v3 center, shift, spin; /* over the whole step */
} rigid;

/* PRO 4.3: angular velocity as the mean of those of the members about the center. */
static v3 mean_spin(const mus_zones *zones, const mus_assembly *a, int32_t first, double mass, v3 center, v3 shift) {
    v3 spin = v3_make(0, 0, 0);
    for (int32_t i = first; i >= 0; i = zones->next[i]) {
        v3 r = v3_sub(a->x0[i], center), v = v3_sub(v3_sub(a->velocity_base[i], a->x0[i]), shift);
        double r2 = v3_length2(r);
        if (r2 > 0) spin = v3_axpy(1 / (mass * a->inverse_mass[i] * r2), v3_cross(r, v), spin);
    }
    return spin;
}

static rigid rigid_motion(const mus_zones *zones, const mus_assembly *a, int32_t first) {
    double mass = 0;
    v3 center = v3_make(0, 0, 0), shift = center, angular = center;
    for (int32_t i = first; i >= 0; i = zones->next[i]) {
        double m = 1 / a->inverse_mass[i];
        mass += m;
        center = v3_axpy(m, a->x0[i], center);
        shift = v3_axpy(m, v3_sub(a->velocity_base[i], a->x0[i]), shift);
    }
    center = v3_scale(1 / mass, center);
    shift = v3_scale(1 / mass, shift);
    if (zones->mean_spin) return (rigid){center, shift, mean_spin(zones, a, first, mass, center, shift)};
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (int32_t i = first; i >= 0; i = zones->next[i]) {
        double m = 1 / a->inverse_mass[i];
        v3 r = v3_sub(a->x0[i], center);
        angular = v3_axpy(m, v3_cross(r, v3_sub(a->velocity_base[i], a->x0[i])), angular);
        xx += m * (r.y * r.y + r.z * r.z), yy += m * (r.x * r.x + r.z * r.z), zz += m * (r.x * r.x + r.y * r.y);
        xy -= m * r.x * r.y, xz -= m * r.x * r.z, yz -= m * r.y * r.z;
    }
    /* a billionth of the trace on the diagonal: about the axis of a collinear zone angular momentum is zero, and the
     * spin stays zero */
    double lift = 1e-9 * (xx + yy + zz);
    xx += lift, yy += lift, zz += lift;
    double p = yy * zz - yz * yz, q = xz * yz - xy * zz, s = xy * yz - xz * yy;
    double det = xx * p + xy * q + xz * s;
    v3 spin = v3_make(0, 0, 0);
    if (det > 0) {
        spin = v3_make(p * angular.x + q * angular.y + s * angular.z,
                       q * angular.x + (xx * zz - xz * xz) * angular.y + (xy * xz - xx * yz) * angular.z,
                       s * angular.x + (xy * xz - xx * yz) * angular.y + (xx * yy - xy * xy) * angular.z);
        spin = v3_scale(1 / det, spin);
    }
    return (rigid){center, shift, spin};
}

static v3 rigid_end(const rigid *motion, v3 x0) {
    return v3_add(v3_add(x0, motion->shift), v3_cross(motion->spin, v3_sub(x0, motion->center)));
}

/* Moves a zone out of the planes: the whole zone is shifted by its deepest vertex, to a tenth of the thickness or
 * half its initial gap. */
static void lift_out(const mus_zones *zones, const mus_assembly *a, int32_t first, rigid *motion) {
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        double lift = 0;
        for (int32_t i = first; i >= 0; i = zones->next[i]) {
            int32_t cloth = a->object_of[i];
            if (!mus_assembly_collides(a, cloth, k)) continue;
            if (mus_assembly_is_exempt_below(a, i, k)) continue;
            double least = mus_plane_floor(a, plane, i) * 1.001;
            double gap = v3_dot(plane->normal1, v3_sub(rigid_end(motion, a->x0[i]), plane->point1));
            if (least - gap > lift) lift = least - gap;
        }
        motion->shift = v3_axpy(lift, plane->normal1, motion->shift);
    }
}

bool mus_zones_move(mus_zones *zones, mus_assembly *a, void (*moved)(void *context, int32_t vertex), void *context,
                    int32_t conflict[2]) {
    int32_t n = a->cloth_vertex_count;
    zones->zone_count = zones->vertex_count = 0;
    for (int32_t i = n - 1; i >= 0; i--) zones->next[i] = -1;
    /* a root is the least member of its zone: members are linked behind it, in order of number */
    for (int32_t i = n - 1; i >= 0; i--) {
        if (!zones->inside[i]) continue;
        int32_t root = mus_union_find_root(zones->parent, i);
        if (root == i) continue;
        zones->next[i] = zones->next[root];
        zones->next[root] = i;
    }
    for (int32_t root = 0; root < n; root++) {
        if (!zones->inside[root] || mus_union_find_root(zones->parent, root) != root) continue;
        if (zones->rival[root] >= 0) {
            conflict[0] = zones->carrier[root], conflict[1] = zones->rival[root];
            return false;
        }
        zones->zone_count++;
        rigid motion = {a->x0[root], v3_make(0, 0, 0), v3_make(0, 0, 0)};
        int32_t carrier = zones->carrier[root];
        if (carrier < 0) {
            motion = rigid_motion(zones, a, root);
            lift_out(zones, a, root, &motion);
        }
        for (int32_t i = root; i >= 0; i = zones->next[i]) {
            zones->vertex_count++;
            v3 end = carrier < 0 ? rigid_end(&motion, a->x0[i]) : carried_motion(a, carrier, a->x0[i]);
            if (end.x == a->x1[i].x && end.y == a->x1[i].y && end.z == a->x1[i].z) continue;
            a->x1[i] = end;
            moved(context, i);
        }
    }
    return true;
}
