/* bodies.c: rigid bodies in a step: free motion, then what contact rows give them, then at rest against planes; from
 * there on they are placed, cloth gives way, and what it is given for that changes their velocity at the end. */
#include "dynamics/dynamics.h"
#include "solve/solver.h"

#include <string.h>

static void place(const mus_assembly *a, mus_body *body) {
    mus_obstacle_place(body->obstacle, 0, &body->pose1, (double *)(a->x1 + body->first));
}

/* From the velocities at the end of the step. */
static void move(const mus_assembly *a, mus_body *body, double dt) {
    mus_rigid_step *r = body->rigid;
    mus_rigid_advance(r->of, &body->pose0, r->v1, r->momentum1, dt, &body->pose1, &r->turn);
    place(a, body);
}

/* What has been given, into the velocities. */
static void take(mus_rigid_step *r, double dt) {
    r->v1 = v3_axpy(1 / (r->of->mass * dt), r->linear, r->v1);
    r->momentum1 = v3_axpy(1 / dt, r->angular, r->momentum1);
    r->linear = r->angular = r->shift = r->turned = r->seen_shift = r->seen_turned = v3_make(0, 0, 0);
}

void mus_solver_predict_bodies(mus_solver *s, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        mus_rigid_step *r = body->rigid;
        if (!r) continue;
        const mus_rigid *of = r->of;
        double kick = mus_kick(body->stride0, dt);
        *r = (mus_rigid_step){.of = of,
                              .v0 = r->v0,
                              .v1 = v3_axpy(kick, input->environment.gravity, r->v0),
                              .momentum0 = r->momentum0,
                              .momentum1 = r->momentum0,
                              .centre0 = mus_rigid_centre(of, &body->pose0),
                              .inverse_inertia = mus_rigid_inverse_inertia(of, body->pose0.rotation)};
        body->stride1 = dt;
        move(a, body, dt);
    }
}

bool mus_solver_bodies_change(mus_solver *s) {
    static const double share = 1e-6; /* of its thickness */
    const mus_assembly *a = &s->assembly;
    bool any = false;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count; k++) {
        const mus_body *body = &a->bodies[k];
        mus_rigid_step *r = body->rigid;
        if (!r) continue;
        /* a turn counts by what it does at the radius of gyration */
        v3 moved = v3_sub(r->shift, r->seen_shift), turned = v3_sub(r->turned, r->seen_turned);
        const v3 *inertia = r->of->inertia.r;
        double gyration2 = (inertia[0].x + inertia[1].y + inertia[2].z) / r->of->mass;
        any |= v3_length2(moved) + gyration2 * v3_length2(turned) > share * share * body->reach * body->reach;
        r->seen_shift = r->shift, r->seen_turned = r->turned;
    }
    return any;
}

/* A body's least gap above a plane at the end of the step, m. */
static double least_gap(const mus_assembly *a, const mus_body *body, const mus_body *plane) {
    double least = INFINITY;
    for (int32_t i = body->first; i < body->first + body->count; i++)
        least = fmin(least, v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)));
    return least - body->radius;
}

/* Out of planes, and a little of the way to the thickness that is kept above them: a shift, which leaves velocities as
 * they are. One that planes pinch stays in some of them: not a step. */
static mus_status lift(mus_solver *s, int32_t k, double dt) {
    enum { ROUNDS = 20 };
    mus_assembly *a = &s->assembly;
    mus_body *body = &a->bodies[k];
    const mus_body *in = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        in = NULL;
        for (int32_t p = a->cloth_count; p < a->body_count; p++) {
            const mus_body *plane = &a->bodies[p];
            if (!mus_body_is_plane(plane) || !a->collide[(size_t)k * (size_t)a->body_count + (size_t)p]) continue;
            double thickness = body->reach + plane->reach, gap = least_gap(a, body, plane), up = 0;
            double start = INFINITY; /* the gap it came from, if that was too small already */
            for (int32_t i = body->first; i < body->first + body->count; i++)
                start = fmin(start, v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0)) - body->radius);
            if (round == 0 && start < thickness && gap < thickness)
                up = fmin(0.2 * (thickness - gap), mus_recovery_speed(thickness) * dt);
            double least = fmin(0.1 * thickness, 0.5 * start);
            if (gap + up < least) in = plane, up = 1.01 * least - gap;
            if (!(up > 0)) continue;
            v3_store(body->pose1.position, v3_axpy(up, plane->normal1, v3_load(body->pose1.position)));
            place(a, body);
        }
        if (!in) return MUS_STATUS_OK;
    }
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: obstacle '%s' has no room above obstacle '%s'",
                    body->obstacle->name, in->obstacle->name);
}

mus_status mus_solver_place_bodies(mus_solver *s, double dt, bool *moved) {
    mus_assembly *a = &s->assembly;
    *moved = false;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        if (!body->rigid) continue;
        v3 given = body->rigid->linear, turned = body->rigid->angular;
        bool any = v3_max_abs(given) > 0 || v3_max_abs(turned) > 0;
        mus_pose before = body->pose1;
        if (any) {
            take(body->rigid, dt);
            move(a, body, dt);
        }
        mus_status status = lift(s, k, dt);
        if (status != MUS_STATUS_OK) return status;
        *moved |= memcmp(&before, &body->pose1, sizeof before) != 0;
    }
    return MUS_STATUS_OK;
}

void mus_solver_repay_bodies(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->rigid_count; k++) take(&a->rigids[k], dt);
}

void mus_solver_pay_for_zone(mus_solver *s, int32_t i, v3 change) {
    mus_assembly *a = &s->assembly;
    int32_t carrier = a->rigid_count ? mus_zones_carrier(&s->zones, i) : -1;
    mus_rigid_step *r = carrier < 0 ? NULL : a->bodies[a->body_of[carrier]].rigid;
    if (!r) return;
    v3 impulse = v3_scale(-1 / a->inverse_mass[i], change);
    r->v1 = v3_axpy(1 / r->of->mass, impulse, r->v1);
    r->momentum1 = v3_add(r->momentum1, v3_cross(v3_sub(a->x0[i], r->centre0), impulse));
}

void mus_solver_commit_bodies(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->rigid_count; k++)
        a->rigids[k].v0 = a->rigids[k].v1, a->rigids[k].momentum0 = a->rigids[k].momentum1;
}

mus_status mus_solver_check_bodies(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count; k++) {
        const mus_body *body = &a->bodies[k];
        if (!body->rigid) continue;
        v3 p = v3_load(body->pose1.position);
        if (!v3_finite(p) || v3_max_abs(p) > 1e12 || !isfinite(body->pose1.rotation[0]))
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "world: obstacle '%s' would leave all bounds in one step; lower its velocity or dt",
                            body->obstacle->name);
    }
    return MUS_STATUS_OK;
}
