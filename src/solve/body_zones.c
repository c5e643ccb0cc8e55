/* body_zones.c: rigid bodies that still meet when impulses have had their say move as one over the step: the last
 * resort that cloth has too (Provot 1997, section 4), for bodies. */
#include "solve/solver.h"

#include <string.h>

static int32_t root_of(const mus_body_meetings *m, int32_t k) {
    while (m->group[k] != k) k = m->group[k];
    return k;
}

/* A group's least member is its root; one of the others, with the least number, may be what carries it. */
static bool join(mus_body_meetings *m, int32_t p, int32_t q) {
    int32_t one = root_of(m, p), other = root_of(m, q);
    if (one == other) return false;
    m->group[one > other ? one : other] = one < other ? one : other;
    return true;
}

/* By a kinematic motion, whatever stands included. */
static void carry(mus_body *body, const mus_body *carrier, double dt) {
    mus_rigid_step *r = body->rigid;
    const double *p = carrier->pose0.rotation, *q = carrier->pose1.rotation;
    /* q p^-1, whose angle over one step is small: twice its vector part */
    v3 pv = v3_make(p[1], p[2], p[3]), qv = v3_make(q[1], q[2], q[3]);
    double w = q[0] * p[0] + v3_dot(qv, pv);
    v3 turn = v3_sub(v3_sub(v3_scale(p[0], qv), v3_scale(q[0], pv)), v3_cross(qv, pv));
    turn = v3_scale(w < 0 ? -2 : 2, turn);
    v3 centre1 = mus_body_carry(carrier, r->centre0);
    mus_pose_move(&body->pose0, r->centre0, v3_sub(centre1, r->centre0), turn, &body->pose1);
    m3 inertia = mus_rigid_inertia(r->of, body->pose0.rotation);
    r->turn = turn;
    r->v1 = v3_scale(1 / dt, v3_sub(centre1, r->centre0));
    r->momentum1 = v3_scale(1 / dt, m3_mul_v3(&inertia, turn));
}

static void add_offset(m3 *inertia, double mass, v3 d) {
    double d2 = mass * v3_length2(d);
    for (int k = 0; k < 3; k++) inertia->r[k] = v3_axpy(-mass * v3_get(d, k), d, inertia->r[k]);
    inertia->r[0].x += d2, inertia->r[1].y += d2, inertia->r[2].z += d2;
}

static v3 solve(const m3 *m, v3 b) {
    v3 x = v3_cross(m->r[1], m->r[2]), y = v3_cross(m->r[2], m->r[0]), z = v3_cross(m->r[0], m->r[1]);
    v3 sum = v3_axpy(b.x, x, v3_axpy(b.y, y, v3_scale(b.z, z)));
    return v3_scale(1 / v3_dot(m->r[0], x), sum);
}

/* With the momentum and angular momentum that its members had. */
static void move_freely(mus_solver *s, int32_t root, double dt) {
    mus_assembly *a = &s->assembly;
    double mass = 0;
    v3 centre = v3_make(0, 0, 0), linear = centre, angular = centre;
    m3 inertia = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int32_t k = root; k < a->body_count; k++) {
        if (root_of(&s->meetings, k) != root) continue;
        const mus_rigid_step *r = a->bodies[k].rigid;
        mass += r->of->mass;
        centre = v3_axpy(r->of->mass, r->centre0, centre);
        linear = v3_axpy(r->of->mass, r->zone_v, linear);
    }
    centre = v3_scale(1 / mass, centre);
    for (int32_t k = root; k < a->body_count; k++) {
        if (root_of(&s->meetings, k) != root) continue;
        const mus_rigid_step *r = a->bodies[k].rigid;
        v3 d = v3_sub(r->centre0, centre);
        m3 own = mus_rigid_inertia(r->of, a->bodies[k].pose0.rotation);
        for (int i = 0; i < 3; i++) inertia.r[i] = v3_add(inertia.r[i], own.r[i]);
        add_offset(&inertia, r->of->mass, d);
        angular = v3_add(angular, v3_axpy(r->of->mass, v3_cross(d, r->zone_v), r->zone_momentum));
    }
    v3 shift = v3_scale(dt / mass, linear), spin = solve(&inertia, angular), turn = v3_scale(dt, spin);
    for (int32_t k = root; k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        mus_rigid_step *r = body->rigid;
        if (root_of(&s->meetings, k) != root) continue;
        mus_pose_move(&body->pose0, centre, shift, turn, &body->pose1);
        m3 own = mus_rigid_inertia(r->of, body->pose0.rotation);
        r->turn = turn;
        r->v1 = v3_scale(1 / dt, v3_sub(mus_rigid_centre(r->of, &body->pose1), r->centre0));
        r->momentum1 = m3_mul_v3(&own, spin);
    }
}

static bool same_motion(const mus_body *p, const mus_body *q) {
    static const double far = 1; /* m: from the origin, in each direction */
    for (int k = 0; k < 4; k++) {
        v3 x = v3_make(k == 1 ? far : 0, k == 2 ? far : 0, k == 3 ? far : 0);
        if (v3_max_abs(v3_sub(mus_body_carry(p, x), mus_body_carry(q, x))) > 1e-9) return false;
    }
    return true;
}

static mus_status conflict(const mus_body *p, const mus_body *q, const char *why) {
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: obstacle '%s' and obstacle '%s' %s", p->obstacle->name,
                    q->obstacle->name, why);
}

static mus_status move_groups(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    const mus_body_meetings *m = &s->meetings;
    for (int32_t root = a->cloth_count; root < a->body_count; root++) {
        if (root_of(m, root) != root) continue;
        int32_t members = 0;
        const mus_body *carrier = NULL;
        for (int32_t k = root; k < a->body_count; k++) {
            if (root_of(m, k) != root) continue;
            members++;
            if (a->bodies[k].rigid) continue;
            if (carrier && !same_motion(carrier, &a->bodies[k]))
                return conflict(carrier, &a->bodies[k], "pinch a body between them and move differently");
            carrier = &a->bodies[k];
        }
        if (members < 2) continue;
        if (!carrier) move_freely(s, root, dt);
        for (int32_t k = root; k < a->body_count; k++) {
            mus_body *body = &a->bodies[k];
            if (!body->rigid || root_of(m, k) != root) continue;
            if (carrier) carry(body, carrier, dt);
            mus_solver_place_body(a, body);
        }
    }
    return MUS_STATUS_OK;
}

/* Bodies that groups have taken below planes join these. */
static bool join_planes(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    bool any = false;
    for (int32_t k = a->cloth_count; k < a->body_count; k++)
        for (int32_t p = a->cloth_count; a->bodies[k].rigid && p < a->body_count; p++) {
            const mus_body *body = &a->bodies[k], *plane = &a->bodies[p];
            if (!mus_body_is_plane(plane) || !a->collide[(size_t)k * (size_t)a->body_count + (size_t)p]) continue;
            for (int32_t i = body->first; i < body->first + body->count; i++) {
                double gap = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)) - body->radius;
                double start = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0)) - body->radius;
                if (gap < fmin(0.1 * (body->reach + plane->reach), 0.5 * start)) any |= join(&s->meetings, k, p);
            }
        }
    return any;
}

static void alone(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->body_count; k++) s->meetings.group[k] = k;
    for (int32_t k = 0; k < a->rigid_count; k++)
        a->rigids[k].zone_v = a->rigids[k].v1, a->rigids[k].zone_momentum = a->rigids[k].momentum1;
}

static mus_status join_what_meets(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    mus_body_meetings *m = &s->meetings;
    for (;;) { /* each round joins two groups at least */
        mus_status status = mus_solver_detect_bodies(s);
        if (status != MUS_STATUS_OK) return status;
        const mus_body *last[2] = {NULL, NULL};
        bool joined = join_planes(s);
        for (int64_t k = 0; k < m->list.count; k++) {
            double toi;
            mus_candidate *c = &m->list.data[k];
            if (!mus_solver_bodies_meet(s, c, &toi)) continue;
            int32_t p = a->body_of[c->vertex[0]], q = a->body_of[c->vertex[3]];
            last[0] = &a->bodies[p], last[1] = &a->bodies[q];
            joined |= join(m, p, q);
        }
        if (!joined && !last[0]) return MUS_STATUS_OK;
        if (!joined) return conflict(last[0], last[1], "still meet after all fail-safes");
        if ((status = move_groups(s, dt)) != MUS_STATUS_OK) return status;
    }
}

mus_status mus_solver_body_zones(mus_solver *s, double dt) {
    alone(s);
    return join_what_meets(s, dt);
}

mus_status mus_solver_hold_pinching(mus_solver *s, double dt, bool first, bool *held) {
    const mus_assembly *a = &s->assembly;
    int32_t p = s->pinched[0], q = s->pinched[1];
    *held = p >= a->cloth_count && q >= a->cloth_count && (a->bodies[p].rigid || a->bodies[q].rigid);
    if (!*held) return MUS_STATUS_OK;
    if (first) alone(s);
    *held = join(&s->meetings, p, q);
    if (!*held) return MUS_STATUS_OK;
    mus_status status = move_groups(s, dt);
    return status == MUS_STATUS_OK ? join_what_meets(s, dt) : status;
}
