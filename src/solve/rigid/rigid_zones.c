/* rigid_zones.c: rigid bodies that still collide after all impulses move as one over the step: the fail-safe that cloth
 * has too (Provot 1997, section 4). */
#include "base/union_find.h"
#include "solve/solver.h"

#include <string.h>

/* Joins two groups. The root of a group is its least member. */
static bool join_groups(mus_rigid_contacts *m, int32_t p, int32_t q) {
    if (mus_union_find_root(m->group, p) == mus_union_find_root(m->group, q)) return false;
    mus_union_find_join(m->group, p, q);
    return true;
}

/* Moves a body with its carrier, an obstacle with a given motion or at rest. */
static void carry_body(mus_object *object, const mus_object *carrier, double dt) {
    mus_rigid_step *r = object->rigid;
    const double *p = carrier->pose0.rotation, *q = carrier->pose1.rotation;
    /* q p^-1, whose angle is small over one step: twice its vector part */
    v3 pv = v3_make(p[1], p[2], p[3]), qv = v3_make(q[1], q[2], q[3]);
    double w = q[0] * p[0] + v3_dot(qv, pv);
    v3 turn = v3_sub(v3_sub(v3_scale(p[0], qv), v3_scale(q[0], pv)), v3_cross(qv, pv));
    turn = v3_scale(w < 0 ? -2 : 2, turn);
    v3 center1 = mus_object_transform_point(carrier, r->center0);
    mus_pose_move(&object->pose0, r->center0, v3_sub(center1, r->center0), turn, &object->pose1);
    m3 inertia = mus_rigid_inertia(r->of, object->pose0.rotation);
    r->turn = turn;
    r->v1 = v3_scale(1 / dt, v3_sub(center1, r->center0));
    r->momentum1 = v3_scale(1 / dt, m3_mul_v3(&inertia, turn));
}

static void add_offset(m3 *inertia, double mass, v3 d) {
    double d2 = mass * v3_length2(d);
    for (int k = 0; k < 3; k++) inertia->r[k] = v3_axpy(-mass * v3_get(d, k), d, inertia->r[k]);
    inertia->r[0].x += d2, inertia->r[1].y += d2, inertia->r[2].z += d2;
}

static v3 solve_3x3(const m3 *m, v3 b) {
    v3 x = v3_cross(m->r[1], m->r[2]), y = v3_cross(m->r[2], m->r[0]), z = v3_cross(m->r[0], m->r[1]);
    v3 sum = v3_axpy(b.x, x, v3_axpy(b.y, y, v3_scale(b.z, z)));
    return v3_scale(1 / v3_dot(m->r[0], x), sum);
}

/* Moves a group as one rigid body with the total momentum and angular momentum of its members. */
static void move_freely(mus_solver *s, int32_t root, double dt) {
    mus_assembly *a = &s->assembly;
    double mass = 0;
    v3 center = v3_make(0, 0, 0), linear = center, angular = center;
    m3 inertia = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int32_t k = root; k < a->object_count; k++) {
        if (mus_union_find_root(s->rigid_contacts.group, k) != root) continue;
        const mus_rigid_step *r = a->objects[k].rigid;
        mass += r->of->mass;
        center = v3_axpy(r->of->mass, r->center0, center);
        linear = v3_axpy(r->of->mass, r->zone_v, linear);
    }
    center = v3_scale(1 / mass, center);
    for (int32_t k = root; k < a->object_count; k++) {
        if (mus_union_find_root(s->rigid_contacts.group, k) != root) continue;
        const mus_rigid_step *r = a->objects[k].rigid;
        v3 d = v3_sub(r->center0, center);
        m3 own = mus_rigid_inertia(r->of, a->objects[k].pose0.rotation);
        for (int i = 0; i < 3; i++) inertia.r[i] = v3_add(inertia.r[i], own.r[i]);
        add_offset(&inertia, r->of->mass, d);
        angular = v3_add(angular, v3_axpy(r->of->mass, v3_cross(d, r->zone_v), r->zone_momentum));
    }
    v3 shift = v3_scale(dt / mass, linear), spin = solve_3x3(&inertia, angular), turn = v3_scale(dt, spin);
    for (int32_t k = root; k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        mus_rigid_step *r = object->rigid;
        if (mus_union_find_root(s->rigid_contacts.group, k) != root) continue;
        mus_pose_move(&object->pose0, center, shift, turn, &object->pose1);
        m3 own = mus_rigid_inertia(r->of, object->pose0.rotation);
        r->turn = turn;
        r->v1 = v3_scale(1 / dt, v3_sub(mus_rigid_center(r->of, &object->pose1), r->center0));
        r->momentum1 = m3_mul_v3(&own, spin);
    }
}

static bool same_motion(const mus_object *p, const mus_object *q) {
    static const double far = 1; /* m: from the origin, in each direction */
    for (int k = 0; k < 4; k++) {
        v3 x = v3_make(k == 1 ? far : 0, k == 2 ? far : 0, k == 3 ? far : 0);
        if (v3_max_abs(v3_sub(mus_object_transform_point(p, x), mus_object_transform_point(q, x))) > 1e-9) return false;
    }
    return true;
}

static mus_status report_conflict(const mus_object *p, const mus_object *q, const char *why) {
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: obstacle '%s' and obstacle '%s' %s", p->obstacle->name,
                    q->obstacle->name, why);
}

static mus_status move_groups(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    const mus_rigid_contacts *m = &s->rigid_contacts;
    for (int32_t root = a->cloth_count; root < a->object_count; root++) {
        if (mus_union_find_root(m->group, root) != root) continue;
        int32_t members = 0;
        const mus_object *carrier = NULL;
        for (int32_t k = root; k < a->object_count; k++) {
            if (mus_union_find_root(m->group, k) != root) continue;
            members++;
            if (a->objects[k].rigid) continue;
            if (carrier && !same_motion(carrier, &a->objects[k]))
                return report_conflict(carrier, &a->objects[k], "pinch a rigid body and have conflicting motions");
            carrier = &a->objects[k];
        }
        if (members < 2) continue;
        if (!carrier) move_freely(s, root, dt);
        for (int32_t k = root; k < a->object_count; k++) {
            mus_object *object = &a->objects[k];
            if (!object->rigid || mus_union_find_root(m->group, k) != root) continue;
            if (carrier) carry_body(object, carrier, dt);
            mus_solver_place_rigid_body(a, object);
        }
    }
    return MUS_STATUS_OK;
}

/* Joins bodies that are below planes after the motion of groups with these planes. */
static bool join_planes(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    bool any = false;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        for (int32_t p = a->cloth_count; a->objects[k].rigid && p < a->object_count; p++) {
            const mus_object *object = &a->objects[k], *plane = &a->objects[p];
            if (!mus_object_is_plane(plane) || !mus_assembly_collides(a, k, p)) continue;
            for (int32_t i = object->first; i < object->first + object->count; i++) {
                double gap = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)) - object->radius;
                double start = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0)) - object->radius;
                if (gap < mus_min_end_gap(object->contact_thickness + plane->contact_thickness, start))
                    any |= join_groups(&s->rigid_contacts, k, p);
            }
        }
    return any;
}

static void reset_groups(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->object_count; k++) s->rigid_contacts.group[k] = k;
    for (int32_t k = 0; k < a->rigid_count; k++)
        a->rigids[k].zone_v = a->rigids[k].v1, a->rigids[k].zone_momentum = a->rigids[k].momentum1;
}

static mus_status join_colliding_groups(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    mus_rigid_contacts *m = &s->rigid_contacts;
    for (;;) { /* each round joins at least two groups */
        mus_status status = mus_solver_detect_rigid_pairs(s);
        if (status != MUS_STATUS_OK) return status;
        const mus_object *last[2] = {NULL, NULL};
        bool joined = join_planes(s);
        for (int64_t k = 0; k < m->list.count; k++) {
            double toi;
            mus_candidate_pair *c = &m->list.data[k];
            if (!mus_solver_rigid_pair_collides(s, c, &toi)) continue;
            int32_t p = a->object_of[c->vertex[0]], q = a->object_of[c->vertex[3]];
            last[0] = &a->objects[p], last[1] = &a->objects[q];
            joined |= join_groups(m, p, q);
        }
        if (!joined && !last[0]) return MUS_STATUS_OK;
        if (!joined) return report_conflict(last[0], last[1], "still collide after all fail-safes");
        if ((status = move_groups(s, dt)) != MUS_STATUS_OK) return status;
    }
}

mus_status mus_solver_rigid_body_zones(mus_solver *s, double dt) {
    reset_groups(s);
    return join_colliding_groups(s, dt);
}

mus_status mus_solver_join_pinching_bodies(mus_solver *s, double dt, bool first, bool *bodies_joined) {
    const mus_assembly *a = &s->assembly;
    int32_t p = s->pinched[0], q = s->pinched[1];
    *bodies_joined = p >= a->cloth_count && q >= a->cloth_count && (a->objects[p].rigid || a->objects[q].rigid);
    if (!*bodies_joined) return MUS_STATUS_OK;
    if (first) reset_groups(s);
    *bodies_joined = join_groups(&s->rigid_contacts, p, q);
    if (!*bodies_joined) return MUS_STATUS_OK;
    mus_status status = move_groups(s, dt);
    return status == MUS_STATUS_OK ? join_colliding_groups(s, dt) : status;
}
