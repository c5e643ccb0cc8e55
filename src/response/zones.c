/* zones.c: union–find of colliding vertices and their mus_rigid_fit motion. */
#include "response/zones.h"
#include "base/union_find.h"
#include "response/rigid_fit.h"

#include <string.h>

const mus_failsafe mus_failsafe_zones = {.mean_spin = false}, mus_failsafe_provot = {.mean_spin = true};
const mus_failsafe mus_failsafe_inelastic = {.projections = 20};

mus_status mus_zones_create(mus_zones *zones, int32_t n) {
    size_t bytes = sizeof(int32_t) * ((size_t)n + 1);
    zones->parent = mus_new(bytes);
    zones->next = mus_new(bytes);
    zones->carrier = mus_new(bytes);
    zones->rival = mus_new(bytes);
    zones->ring = mus_new(bytes);
    memset(&zones->carriers, 0, sizeof zones->carriers);
    zones->inside = mus_new((size_t)n + 1);
    bool all = zones->parent && zones->next && zones->carrier && zones->rival && zones->ring && zones->inside;
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_zones_free(mus_zones *zones) {
    void *blocks[] = {zones->parent, zones->next, zones->carrier, zones->rival, zones->ring, zones->inside};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    mus_array_free(&zones->carriers);
    *zones = (mus_zones){0};
}

void mus_zones_clear(mus_zones *zones, int32_t n) {
    mus_union_find_reset(zones->parent, n);
    for (int32_t i = 0; i < n; i++) zones->carrier[i] = zones->rival[i] = zones->ring[i] = -1;
    zones->carriers.count = 0;
    zones->stuck = -1;
    memset(zones->inside, 0, (size_t)n);
    zones->zone_count = zones->vertex_count = 0;
}

/* The motion a kinematic vertex imposes on a point at x0: its obstacle's, or its own shift when it is a pin. */
static v3 carried_motion(const mus_assembly *a, int32_t carrier, v3 x0) {
    if (carrier >= a->cloth_vertex_count) return mus_object_transform_point(&a->objects[a->object_of[carrier]], x0);
    return v3_add(x0, v3_sub(a->x1[carrier], a->x0[carrier]));
}

static bool is_of_animated_mesh(const mus_assembly *a, int32_t vertex) {
    return vertex >= a->cloth_vertex_count && a->objects[a->object_of[vertex]].obstacle->keyframes.positions;
}

static bool add_to_ring(mus_zones *zones, int32_t root, int32_t vertex) {
    int32_t made = (int32_t)zones->carriers.count, at = zones->ring[root];
    if (!mus_array_push(&zones->carriers, ((mus_zone_carrier){vertex, made}))) return false;
    if (at >= 0) zones->carriers.data[made].next = zones->carriers.data[at].next;
    if (at >= 0) zones->carriers.data[at].next = made;
    zones->ring[root] = made;
    return true;
}

/* False: no memory. */
static bool add_carrier(mus_zones *zones, const mus_assembly *a, int32_t root, int32_t vertex) {
    if (vertex < 0) return true;
    int32_t carrier = zones->carrier[root];
    bool animated = is_of_animated_mesh(a, vertex);
    if (carrier < 0) zones->carrier[root] = vertex;
    if (animated && (carrier < 0 || a->object_of[carrier] == a->object_of[vertex]))
        return add_to_ring(zones, root, vertex);
    if (carrier < 0) return true;
    v3 off = v3_sub(carried_motion(a, carrier, a->x0[vertex]), a->x1[vertex]);
    if (v3_max_abs(off) > 1e-9 && zones->rival[root] < 0) zones->rival[root] = vertex;
    return true;
}

static bool merge_carriers(mus_zones *zones, const mus_assembly *a, int32_t keep, int32_t drop) {
    int32_t p = zones->carrier[keep], q = zones->carrier[drop], at = zones->ring[keep], other = zones->ring[drop];
    if (zones->rival[keep] < 0) zones->rival[keep] = zones->rival[drop];
    if (p >= 0 && q >= 0 && at >= 0 && other >= 0 && a->object_of[p] == a->object_of[q]) {
        mus_zone_carrier *c = zones->carriers.data;
        int32_t next = c[at].next;
        c[at].next = c[other].next, c[other].next = next;
        return true;
    }
    if (p >= 0) return add_carrier(zones, a, keep, q);
    zones->carrier[keep] = q, zones->ring[keep] = other;
    return true;
}

bool mus_zones_join(mus_zones *zones, const mus_assembly *a, const int32_t *vertices, int32_t count) {
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
        if (!merge_carriers(zones, a, keep, drop)) return false;
        root = keep;
    }
    for (int32_t k = 0; k < count && root >= 0; k++)
        if (a->inverse_mass[vertices[k]] <= 0 && !add_carrier(zones, a, root, vertices[k])) return false;
    return true;
}

int32_t mus_zones_carrier(mus_zones *zones, int32_t i) {
    return zones->inside[i] ? zones->carrier[mus_union_find_root(zones->parent, i)] : -1;
}

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

static mus_rigid_fit rigid_motion(const mus_zones *zones, const mus_assembly *a, int32_t first) {
    mus_fit_moments m = {0};
    for (int32_t i = first; i >= 0; i = zones->next[i])
        mus_rigid_fit_add(&m, 1 / a->inverse_mass[i], a->x0[i], v3_sub(a->velocity_base[i], a->x0[i]));
    mus_rigid_fit_center(&m);
    if (zones->mean_spin)
        return (mus_rigid_fit){m.center, m.shift, mean_spin(zones, a, first, m.mass, m.center, m.shift)};
    for (int32_t i = first; i >= 0; i = zones->next[i])
        mus_rigid_fit_add_arm(&m, 1 / a->inverse_mass[i], a->x0[i], v3_sub(a->velocity_base[i], a->x0[i]));
    return mus_rigid_fit_solve(&m);
}

/* The motion of carriers of an animated mesh, which have equal weights each time that they collide. */
static mus_rigid_fit motion_of_carriers(const mus_zones *zones, const mus_assembly *a, int32_t ring) {
    const mus_zone_carrier *c = zones->carriers.data;
    mus_fit_moments m = {0};
    int32_t at = ring;
    do mus_rigid_fit_add(&m, 1, a->x0[c[at].vertex], v3_sub(a->x1[c[at].vertex], a->x0[c[at].vertex]));
    while ((at = c[at].next) != ring);
    mus_rigid_fit_center(&m);
    do mus_rigid_fit_add_arm(&m, 1, a->x0[c[at].vertex], v3_sub(a->x1[c[at].vertex], a->x0[c[at].vertex]));
    while ((at = c[at].next) != ring);
    return mus_rigid_fit_solve(&m);
}

/* Moves a zone out of the planes: the whole zone is shifted by its deepest vertex, to a tenth of the thickness or
 * half its initial gap. */
static void lift_out(const mus_zones *zones, const mus_assembly *a, int32_t first, mus_rigid_fit *motion) {
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        double lift = 0;
        for (int32_t i = first; i >= 0; i = zones->next[i]) {
            int32_t cloth = a->object_of[i];
            if (!mus_assembly_collides(a, cloth, k)) continue;
            if (mus_assembly_is_exempt_below(a, i, k)) continue;
            double least = mus_plane_floor(a, plane, i) * 1.001;
            double gap = v3_dot(plane->normal1, v3_sub(mus_rigid_fit_end(motion, a->x0[i]), plane->point1));
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
            zones->stuck = root;
            return false;
        }
        zones->zone_count++;
        mus_rigid_fit motion = {a->x0[root], v3_make(0, 0, 0), v3_make(0, 0, 0)};
        int32_t carrier = zones->carrier[root], ring = zones->ring[root];
        if (carrier < 0) {
            motion = rigid_motion(zones, a, root);
            lift_out(zones, a, root, &motion);
        } else if (ring >= 0) {
            motion = motion_of_carriers(zones, a, ring);
        }
        bool is_rigid = carrier < 0 || ring >= 0;
        for (int32_t i = root; i >= 0; i = zones->next[i]) {
            zones->vertex_count++;
            v3 end = is_rigid ? mus_rigid_fit_end(&motion, a->x0[i]) : carried_motion(a, carrier, a->x0[i]);
            if (end.x == a->x1[i].x && end.y == a->x1[i].y && end.z == a->x1[i].z) continue;
            a->x1[i] = end;
            moved(context, i);
        }
    }
    return true;
}
