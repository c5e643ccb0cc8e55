/* potential_bodies.c: rigid bodies in the potential family: six unknowns each, beside the cloths' vertices. The inertia
 * of the turn is that of the implicit midpoint rule by which bodies move freely (rigid.h): what contacts do not touch
 * keeps its angular momentum, and a body that they do has just what they gave it more. */
#include "narrow/cylinder.h"
#include "response/levers.h"
#include "solve/potential.h"

#include <string.h>

mus_status mus_potential_bodies_create(mus_solver *s) {
    size_t n = (size_t)s->assembly.rigid_count;
    mus_potential *p = s->potential;
    if (!n) return MUS_STATUS_OK;
    p->bodies = mus_new(sizeof *p->bodies * n);
    p->loads = mus_new(sizeof *p->loads * 2 * ((size_t)s->assembly.cloth_vertex_count + n));
    return p->bodies && p->loads ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static bool same(v3 p, v3 q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

/* Where inertia alone leads: to the last digit as predicted. */
static bool is_free(const mus_potential_body *b) {
    return same(b->shift, b->free_shift) && same(b->turn, b->free_turn);
}

static mus_body *body_of(mus_solver *s, int32_t k) {
    return &s->assembly.bodies[s->potential->newton.bodies.list[k].body];
}

void mus_potential_begin_bodies(mus_solver *s, const mus_step_input *input, double dt) {
    mus_solver_predict_bodies(s, input, dt);
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_body *body = body_of(s, k);
        const mus_rigid_step *r = body->rigid;
        mus_newton_body *unknown = &s->potential->newton.bodies.list[k];
        mus_potential_body *b = &s->potential->bodies[k];
        *b = (mus_potential_body){.free_shift = v3_scale(dt, r->v1), .free_turn = r->turn, .free = body->pose1};
        b->shift = b->free_shift, b->turn = b->free_turn;
        unknown->mass = r->of->mass;
        unknown->centre0 = r->centre0;
        unknown->shift = b->shift, unknown->turn = b->turn;
        mus_pose middle;
        mus_newton_bodies_pose(&s->potential->newton.bodies, k, b->shift, v3_scale(0.5, b->turn), &middle);
        unknown->inertia = mus_rigid_inertia(r->of, middle.rotation);
    }
}

void mus_potential_go_on_bodies(mus_solver *s) {
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_body *body = body_of(s, k);
        mus_newton_body *unknown = &s->potential->newton.bodies.list[k];
        mus_potential_body *b = &s->potential->bodies[k];
        b->shift0 = unknown->shift = b->shift, b->turn0 = unknown->turn = b->turn;
        body->rigid->centre0 = v3_add(unknown->centre0, b->shift);
        body->rigid->inverse_inertia = mus_rigid_inverse_inertia(body->rigid->of, body->pose1.rotation);
    }
}

void mus_potential_model_bodies(mus_solver *s, double dt) {
    mus_newton *newton = &s->potential->newton;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_newton_body *unknown = &newton->bodies.list[k];
        const mus_potential_body *b = &s->potential->bodies[k];
        v3 *right = newton->right + newton->n + 2 * k, *scale = newton->scale + newton->n + 2 * k;
        double unit = unknown->mass * dt * dt / sqrt(3);
        scale[0] = v3_make(unit, unit, unit), scale[1] = v3_make(0, 0, 0);
        right[0] = v3_scale(unknown->mass, v3_sub(b->free_shift, unknown->shift));
        v3 has = mus_newton_bodies_momentum(&newton->bodies, k, unknown->turn);
        right[1] = v3_sub(v3_scale(dt, body_of(s, k)->rigid->momentum0), has);
    }
}

/* ---- loads ---- */

/* Places in the list of loads that a row has a part in: at most five. */
static int places_of(const mus_assembly *a, const mus_row *row, int32_t place[6]) {
    int count = 0;
    for (int c = 0; c < (row->plane ? 1 : 4); c++)
        if (row->vertex[c] < a->cloth_vertex_count) place[count++] = row->vertex[c];
    for (int side = 0; side < 2; side++) {
        const mus_rigid_step *r = a->bodies[row->body[side]].rigid;
        if (r) place[count++] = a->cloth_vertex_count + (int32_t)(r - a->rigids);
    }
    return count;
}

double mus_potential_load_on(const mus_solver *s, const mus_row *row) {
    const double *loads = s->potential->loads;
    int32_t place[6];
    double load = 0;
    for (int k = loads ? places_of(&s->assembly, row, place) : 0; k-- > 0;) load = fmax(load, loads[place[k]]);
    return load;
}

void mus_potential_pass_loads_on(mus_solver *s) {
    enum { LAYERS = 6 };
    const mus_assembly *a = &s->assembly;
    double *loads = s->potential->loads;
    if (!loads) return;
    size_t n = (size_t)a->cloth_vertex_count + (size_t)a->rigid_count;
    double *next = loads + n;
    memset(loads, 0, sizeof *loads * n);
    for (int32_t k = 0; k < a->rigid_count; k++) loads[a->cloth_vertex_count + k] = a->rigids[k].of->mass;
    for (int layer = 0; layer < LAYERS; layer++) {
        memcpy(next, loads, sizeof *loads * n);
        for (int64_t k = 0; k < s->rows.count; k++) {
            int32_t place[6];
            double load = mus_potential_load_on(s, &s->rows.data[k]);
            for (int c = places_of(a, &s->rows.data[k], place); c-- > 0;) next[place[c]] = fmax(next[place[c]], load);
        }
        if (memcmp(next, loads, sizeof *loads * n) == 0) break;
        memcpy(loads, next, sizeof *loads * n);
    }
}

/* ---- geometry ---- */

/* A face that turns under a round body is touched elsewhere, further off by half the radius times the square of the
 * angle: more, for a body that weighs something, than what is left of the gap. The push works along the normal of the
 * middle of the step: what it does there is the change of its energy up to the third order, while along the normal of
 * the end half that much times the push would come from nothing. What lies on the other side by now, or almost, stays
 * as it was. */
void mus_potential_turn_rows(mus_solver *s) {
    static const double least_cosine = 0.5;
    mus_newton *newton = &s->potential->newton;
    for (int64_t k = 0; newton->bodies.levers.count && k < s->rows.count; k++) {
        mus_row *row = &s->rows.data[k];
        mus_ogc_term *t = &newton->terms.data[k];
        if (!t->lever || row->plane || mus_pair_has_cylinder(&s->assembly, row->vertex)) continue;
        mus_candidate c = {.edge_edge = row->edge_edge};
        memcpy(c.vertex, row->vertex, sizeof c.vertex);
        v3 end, d, half[4];
        double weight[4], length = mus_candidate_nearest(&c, newton->place, &end, weight);
        for (int v = 0; v < 4; v++) {
            half[v] = v3_lerp(s->potential->start[c.vertex[v]], newton->place[c.vertex[v]], 0.5);
            c.vertex[v] = v;
        }
        double middle = mus_candidate_nearest(&c, half, &d, weight);
        if (!(length > MUS_ROW_TOUCHING) || !(v3_dot(end, row->normal) > least_cosine * length)) continue;
        if (!(middle > MUS_ROW_TOUCHING) || !(v3_dot(d, row->normal) > least_cosine * middle)) continue;
        v3 since = v3_sub(row->rest, mus_ogc_sum(t, s->potential->start)); /* what surfaces that are led turn by */
        memcpy(row->weight, weight, sizeof weight);
        memcpy(t->weight, weight, sizeof weight);
        row->normal = t->normal = v3_scale(1 / middle, d);
        t->offset = v3_dot(t->normal, mus_ogc_sum(t, newton->place)) - (length - row->offset);
        row->rest = v3_add(mus_ogc_sum(t, s->potential->start), since);
        newton->bodies.levers.data[t->lever - 1].rest = t->rest = row->rest;
    }
}

/* ---- where an iteration ends ---- */

static void go(mus_solver *s, int32_t k, v3 shift, v3 turn) {
    mus_potential_body *b = &s->potential->bodies[k];
    mus_body *body = body_of(s, k);
    if (same(shift, b->shift) && same(turn, b->turn)) return;
    b->shift = shift, b->turn = turn;
    body->rigid->turn = turn;
    if (is_free(b))
        body->pose1 = b->free;
    else
        mus_newton_bodies_pose(&s->potential->newton.bodies, k, shift, turn, &body->pose1);
    mus_solver_place_body(&s->assembly, body);
    for (int32_t i = body->first; i < body->first + body->count; i++) mus_solver_moved(s, i);
}

void mus_potential_take_bodies(mus_solver *s) {
    const mus_newton *newton = &s->potential->newton;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_newton_body *unknown = &newton->bodies.list[k];
        const v3 *u = newton->u + newton->n + 2 * k;
        go(s, k, v3_add(unknown->shift, u[0]), v3_add(unknown->turn, u[1]));
    }
}

void mus_potential_push_bodies(mus_solver *s, const mus_row *row, v3 impulse) {
    const mus_assembly *a = &s->assembly;
    if (!row->levered) return;
    mus_row_lever_owe(a, row, impulse, v3_neg(impulse));
    for (int side = 0; side < 2; side++) {
        mus_rigid_step *r = a->bodies[row->body[side]].rigid;
        if (!r) continue;
        int32_t k = (int32_t)(r - a->rigids);
        const mus_potential_body *b = &s->potential->bodies[k];
        v3 shift = v3_axpy(1 / r->of->mass, r->linear, b->shift);
        v3 turn = v3_add(b->turn, m3_mul_v3(&r->inverse_inertia, r->angular));
        r->linear = r->angular = v3_make(0, 0, 0);
        go(s, k, shift, turn);
    }
}

void mus_potential_cut_body(mus_solver *s, int32_t body, double share) {
    int32_t k = (int32_t)(s->assembly.bodies[body].rigid - s->assembly.rigids);
    const mus_potential_body *b = &s->potential->bodies[k];
    go(s, k, v3_lerp(b->shift0, b->shift, share), v3_lerp(b->turn0, b->turn, share));
}

/* Body k above a plane: by impulses at its vertices, or as a whole. */
static int64_t above_plane(mus_solver *s, int32_t k, int32_t plane, bool gently) {
    const mus_assembly *a = &s->assembly;
    const mus_body *body = body_of(s, k), *p = &a->bodies[plane];
    double offset = v3_dot(p->normal1, p->point1) + body->radius;
    mus_row_options options = {.dt = s->dt, .relax = 1};
    int64_t below = 0;
    for (int32_t i = body->first; i < body->first + body->count; i++) {
        double gap = v3_dot(p->normal1, a->x1[i]) - offset, least = mus_plane_floor(a, p, i);
        if (gap >= least) continue;
        below++;
        double missing = 1.01 * least - gap;
        if (gently) {
            mus_row row = mus_row_from_plane(a, a->body_of[i], plane, i, &options);
            mus_potential_push_bodies(s, &row, v3_scale(missing * row.mass, row.normal));
        } else {
            const mus_potential_body *b = &s->potential->bodies[k];
            go(s, k, v3_axpy(missing, p->normal1, b->shift), b->turn);
        }
    }
    return below;
}

int64_t mus_potential_bodies_above_planes(mus_solver *s, bool gently) {
    const mus_assembly *a = &s->assembly;
    int64_t below = 0;
    for (int32_t k = 0; k < a->rigid_count; k++) {
        int32_t body = s->potential->newton.bodies.list[k].body;
        for (int32_t p = a->cloth_count; p < a->body_count; p++)
            if (mus_body_is_plane(&a->bodies[p]) && a->collide[(size_t)body * (size_t)a->body_count + (size_t)p])
                below += above_plane(s, k, p, gently);
    }
    return below;
}

/* What contacts with bodies bear is told where the step has ended. */
static void settle_contacts(mus_solver *s, double dt) {
    mus_newton *newton = &s->potential->newton;
    for (int64_t k = 0; newton->bodies.levers.count && k < newton->terms.count; k++) {
        mus_ogc_term *t = &newton->terms.data[k];
        if (!t->lever) continue;
        mus_newton_bodies_roll(&newton->bodies, t, 0, NULL);
        mus_ogc_evaluate(t, s->assembly.x1, dt, MUS_OGC_LEAST);
    }
}

void mus_potential_finish_bodies(mus_solver *s, double dt) {
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_potential_body *b = &s->potential->bodies[k];
        mus_rigid_step *r = body_of(s, k)->rigid;
        s->potential->newton.bodies.list[k].turn = b->turn;
        if (is_free(b)) continue;
        r->v1 = v3_scale(1 / dt, b->shift);
        r->momentum1 = v3_scale(1 / dt, mus_newton_bodies_momentum(&s->potential->newton.bodies, k, b->turn));
    }
    settle_contacts(s, dt);
}
