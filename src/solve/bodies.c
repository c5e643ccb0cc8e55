/* bodies.c: rigid bodies in a step: free motion, then what contact rows give them, then at rest against planes; from
 * there on they are placed, cloth gives way, and what it is given for that changes their velocity at the end. */
#include "base/range.h"
#include "dynamics/dynamics.h"
#include "solve/solver.h"

#include <string.h>

void mus_solver_place_body(const mus_assembly *a, mus_body *body) {
    mus_obstacle_place(body->obstacle, 0, &body->pose1, (double *)(a->x1 + body->first));
}

/* From the velocities at the end of the step. */
static void move(const mus_assembly *a, mus_body *body, double dt) {
    mus_rigid_step *r = body->rigid;
    mus_rigid_advance(r->of, &body->pose0, r->v1, r->momentum1, dt, &body->pose1, &r->turn);
    mus_solver_place_body(a, body);
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

/* Out of planes, and, unless that is done, a little of the way to the thickness that is kept above them: a shift, which
 * leaves velocities as they are. One that planes pinch stays in some of them: not a step. */
static mus_status lift(mus_solver *s, int32_t k, bool relieved, double dt) {
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
            if (!relieved && round == 0 && start < thickness && gap < thickness)
                up = fmin(0.2 * (thickness - gap), mus_recovery_speed(thickness) * dt);
            double least = fmin(0.1 * thickness, 0.5 * start);
            if (gap + up < least) in = plane, up = 1.01 * least - gap;
            if (!(up > 0)) continue;
            v3_store(body->pose1.position, v3_axpy(up, plane->normal1, v3_load(body->pose1.position)));
            mus_solver_place_body(a, body);
        }
        if (!in) return MUS_STATUS_OK;
    }
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: obstacle '%s' has no room above obstacle '%s'",
                    body->obstacle->name, in->obstacle->name);
}

/* Contacts of obstacles that are nearer than their thickness part by a little of what is missing: bodies are moved, and
 * velocities stay as they are, or what rests would be thrown up. */
static mus_status relieve(mus_solver *s, double dt, bool *relieved) {
    enum { SWEEPS = 40 };
    static const double share = 0.2;
    mus_assembly *a = &s->assembly;
    mus_row_list *rows = &s->meetings.relief;
    const mus_row_list *all = mus_solver_rows_of_bodies(s);
    rows->count = 0;
    *relieved = false;
    for (int64_t k = 0; s->meetings.any && k < all->count; k++) {
        mus_row row = all->data[k];
        if (row.body[0] < a->cloth_count || row.body[1] < a->cloth_count) continue;
        v3 end = v3_scale(row.weight[0], a->x1[row.vertex[0]]);
        for (int c = 1; c < 4 && !row.plane; c++) end = v3_axpy(row.weight[c], a->x1[row.vertex[c]], end);
        double gap = v3_dot(row.normal, end) - row.offset, most = mus_recovery_speed(row.thickness) * dt;
        double wanted = row.thickness;
        if (row.gap0 < wanted) wanted = row.gap0 + fmin(share * (wanted - row.gap0), most);
        row.target = fmin(wanted, gap + most);
        row.push = row.change = row.friction = row.lead = 0, row.drag = v3_make(0, 0, 0), row.idle = false;
        *relieved |= !row.plane && gap < row.target;
        if (!mus_array_push(rows, row)) return MUS_STATUS_NO_MEMORY;
    }
    for (int k = 0; k < SWEEPS && *relieved; k++)
        if (!mus_rows_sweep(a, rows, true).moved) break;
    for (int32_t k = a->cloth_count; k < a->body_count && *relieved; k++) {
        mus_body *body = &a->bodies[k];
        mus_rigid_step *r = body->rigid;
        if (!r || (v3_max_abs(r->linear) == 0 && v3_max_abs(r->angular) == 0)) continue;
        mus_pose_move(&body->pose1, mus_rigid_centre(r->of, &body->pose1), r->shift, r->turned, &body->pose1);
        r->linear = r->angular = r->shift = r->turned = r->seen_shift = r->seen_turned = v3_make(0, 0, 0);
        mus_solver_place_body(a, body);
    }
    return MUS_STATUS_OK;
}

/* Where what has been given leads. */
static mus_status go(mus_solver *s, double dt, bool *moved) {
    mus_assembly *a = &s->assembly;
    bool relieved;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        if (!body->rigid) continue;
        v3 given = body->rigid->linear, turned = body->rigid->angular;
        body->placed = body->pose1;
        if (!(v3_max_abs(given) > 0 || v3_max_abs(turned) > 0)) continue;
        take(body->rigid, dt);
        move(a, body, dt);
    }
    mus_status status = relieve(s, dt, &relieved);
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        if (!body->rigid) continue;
        if (status == MUS_STATUS_OK) status = lift(s, k, relieved, dt);
        if (status != MUS_STATUS_OK) return status;
        *moved |= memcmp(&body->placed, &body->pose1, sizeof body->placed) != 0;
    }
    return status;
}

/* Rows for what meets on the way. */
static mus_status hits(mus_solver *s, int64_t *count) {
    *count = 0;
    mus_status status = mus_solver_detect_bodies(s);
    for (int64_t k = 0; k < s->meetings.list.count && status == MUS_STATUS_OK; k++) {
        mus_candidate *c = &s->meetings.list.data[k];
        mus_row row;
        double toi;
        if (!mus_solver_bodies_meet(s, c, &toi)) continue;
        ++*count;
        if (!mus_solver_body_row(s, c, toi, &row)) continue;
        status = mus_coefficients_ask(s, &row, 1);
        if (status == MUS_STATUS_OK && !mus_array_push(mus_solver_rows_of_bodies(s), row))
            status = MUS_STATUS_NO_MEMORY;
    }
    return status;
}

mus_status mus_solver_place_bodies(mus_solver *s, double dt, bool detected, bool *moved) {
    enum { PASSES = 8, SWEEPS = 6 };
    mus_assembly *a = &s->assembly;
    *moved = false;
    mus_status status = go(s, dt, moved);
    for (int pass = 0; pass < PASSES && s->meetings.any && status == MUS_STATUS_OK; pass++) {
        int64_t count;
        if ((status = hits(s, &count)) != MUS_STATUS_OK || count == 0) return status;
        v3 *before = a->scratch;
        memcpy(before, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
        status = s->def.family->apart ? mus_solver_sweep_bodies(s) : mus_solver_sweep(s, SWEEPS);
        if (status != MUS_STATUS_OK) return status;
        for (int32_t i = 0; detected && i < a->cloth_vertex_count; i++)
            if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, i);
        status = go(s, dt, moved);
    }
    if (!s->meetings.any || status != MUS_STATUS_OK) return status;
    *moved = true;
    return mus_solver_body_zones(s, dt);
}

void mus_solver_repay_bodies(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->rigid_count; k++) take(&a->rigids[k], dt);
}

/* Vertex i of a zone has changed its velocity by that: whoever carries the zone has pushed it. */
static void pay_for_zone(mus_solver *s, int32_t i, v3 change) {
    mus_assembly *a = &s->assembly;
    int32_t carrier = a->rigid_count ? mus_zones_carrier(&s->zones, i) : -1;
    mus_rigid_step *r = carrier < 0 ? NULL : a->bodies[a->body_of[carrier]].rigid;
    if (!r) return;
    v3 impulse = v3_scale(-1 / a->inverse_mass[i], change);
    r->v1 = v3_axpy(1 / r->of->mass, impulse, r->v1);
    r->momentum1 = v3_add(r->momentum1, v3_cross(v3_sub(a->x0[i], r->centre0), impulse));
}

void mus_solver_move_zones_as_one(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        if (!s->zones.inside[i]) continue;
        v3 v = v3_scale(1 / s->dt, v3_sub(a->x1[i], a->x0[i]));
        pay_for_zone(s, i, v3_sub(v, a->v1[i]));
        a->v1[i] = v;
    }
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
        if (!mus_are_lengths(p) || !isfinite(body->pose1.rotation[0]))
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "world: obstacle '%s' would leave all bounds in one step; lower its velocity or dt",
                            body->obstacle->name);
    }
    return MUS_STATUS_OK;
}
