/* potential_rigid.c: rigid bodies in the potential family: six unknowns each, beside the vertices of cloth. The inertia
 * of the rotation is that of the implicit midpoint rule by which bodies move freely (rigid.h): a body without contacts
 * conserves its angular momentum, and that of others changes by the impulses of contacts only. */
#include "narrow/cylinder.h"
#include "response/rigid_contact.h"
#include "solve/potential/potential.h"

#include <string.h>

mus_status mus_potential_rigid_bodies_create(mus_solver *s) {
    size_t n = (size_t)s->assembly.rigid_count;
    mus_potential *p = s->potential;
    if (!n) return MUS_STATUS_OK;
    p->rigid_bodies = mus_new(sizeof *p->rigid_bodies * n);
    p->loads = mus_new(sizeof *p->loads * 2 * ((size_t)s->assembly.cloth_vertex_count + n));
    return p->rigid_bodies && p->loads ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static bool same_vector(v3 p, v3 q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

/* Returns whether the motion is the predicted free one, with the same bits. */
static bool is_free(const mus_potential_rigid_body *b) {
    return same_vector(b->shift, b->free_shift) && same_vector(b->turn, b->free_turn);
}

static mus_object *object_of_rigid(mus_solver *s, int32_t k) {
    return &s->assembly.objects[s->potential->newton.rigid_bodies.list[k].object];
}

void mus_potential_begin_rigid_bodies(mus_solver *s, const mus_step_input *input, double dt) {
    mus_solver_predict_rigid_bodies(s, input, dt);
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_object *object = object_of_rigid(s, k);
        const mus_rigid_step *r = object->rigid;
        mus_newton_rigid_body *unknown = &s->potential->newton.rigid_bodies.list[k];
        mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
        *b = (mus_potential_rigid_body){.free_shift = v3_scale(dt, r->v1), .free_turn = r->turn, .free = object->pose1};
        b->shift = b->free_shift, b->turn = b->free_turn;
        unknown->mass = r->of->mass;
        unknown->center0 = r->center0;
        unknown->shift = b->shift, unknown->turn = b->turn;
        mus_pose middle;
        mus_newton_rigid_bodies_pose(&s->potential->newton.rigid_bodies, k, b->shift, v3_scale(0.5, b->turn), &middle);
        unknown->inertia = mus_rigid_inertia(r->of, middle.rotation);
    }
}

void mus_potential_continue_rigid_bodies(mus_solver *s) {
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_object *object = object_of_rigid(s, k);
        mus_newton_rigid_body *unknown = &s->potential->newton.rigid_bodies.list[k];
        mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
        b->shift0 = unknown->shift = b->shift, b->turn0 = unknown->turn = b->turn;
        object->rigid->center0 = v3_add(unknown->center0, b->shift);
        object->rigid->inverse_inertia = mus_rigid_inverse_inertia(object->rigid->of, object->pose1.rotation);
    }
}

void mus_potential_rigid_bodies_gradient(mus_solver *s, double dt) {
    mus_newton *newton = &s->potential->newton;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_newton_rigid_body *unknown = &newton->rigid_bodies.list[k];
        const mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
        v3 *right = newton->right + newton->n + 2 * k, *scale = newton->scale + newton->n + 2 * k;
        double unit = unknown->mass * dt * dt / sqrt(3);
        scale[0] = v3_make(unit, unit, unit), scale[1] = v3_make(0, 0, 0);
        right[0] = v3_scale(unknown->mass, v3_sub(b->free_shift, unknown->shift));
        v3 has = mus_newton_rigid_bodies_momentum(&newton->rigid_bodies, k, unknown->turn);
        right[1] = v3_sub(v3_scale(dt, object_of_rigid(s, k)->rigid->momentum0), has);
    }
}

/* ---- geometry ---- */

/* The contact of a round body on a face that rotates moves, and its gap grows by half the radius times the square of
 * the angle: under a heavy body more than what is left of the gap. The normal force acts along the normal at the middle
 * of the step: its work is then the change of the contact's energy up to third order, while along the normal at the
 * end, half that distance times the force would be gained. Contacts that have moved, or almost, to the other side are
 * not updated. */
void mus_potential_update_rigid_contacts(mus_solver *s) {
    static const double least_cosine = 0.5;
    mus_newton *newton = &s->potential->newton;
    for (int64_t k = 0; newton->rigid_bodies.contact_arms.count && k < s->constraints.count; k++) {
        mus_contact_constraint *constraint = &s->constraints.data[k];
        mus_ogc_term *t = &newton->terms.data[k];
        if (!t->arms || constraint->plane || mus_pair_has_cylinder(&s->assembly, constraint->vertex)) continue;
        mus_candidate_pair c = {.edge_edge = constraint->edge_edge};
        memcpy(c.vertex, constraint->vertex, sizeof c.vertex);
        v3 end, d, half[4];
        double weight[4], length = mus_candidate_pair_nearest(&c, newton->place, &end, weight);
        for (int v = 0; v < 4; v++) {
            half[v] = v3_lerp(s->potential->start[c.vertex[v]], newton->place[c.vertex[v]], 0.5);
            c.vertex[v] = v;
        }
        double middle = mus_candidate_pair_nearest(&c, half, &d, weight);
        if (!(length > MUS_CONTACT_TOUCHING_DISTANCE) || !(v3_dot(end, constraint->normal) > least_cosine * length))
            continue;
        if (!(middle > MUS_CONTACT_TOUCHING_DISTANCE) || !(v3_dot(d, constraint->normal) > least_cosine * middle))
            continue;
        v3 since = v3_sub(constraint->rest, mus_ogc_sum(t, s->potential->start)); /* rotation of scripted surfaces */
        memcpy(constraint->weight, weight, sizeof weight);
        memcpy(t->weight, weight, sizeof weight);
        constraint->normal = t->normal = v3_scale(1 / middle, d);
        t->offset = v3_dot(t->normal, mus_ogc_sum(t, newton->place)) - (length - constraint->offset);
        constraint->rest = v3_add(mus_ogc_sum(t, s->potential->start), since);
        newton->rigid_bodies.contact_arms.data[t->arms - 1].rest = t->rest = constraint->rest;
    }
}

/* ---- the end of an iteration ---- */

static void advance_body(mus_solver *s, int32_t k, v3 shift, v3 turn) {
    mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
    mus_object *object = object_of_rigid(s, k);
    if (same_vector(shift, b->shift) && same_vector(turn, b->turn)) return;
    b->shift = shift, b->turn = turn;
    object->rigid->turn = turn;
    if (is_free(b))
        object->pose1 = b->free;
    else
        mus_newton_rigid_bodies_pose(&s->potential->newton.rigid_bodies, k, shift, turn, &object->pose1);
    mus_solver_place_rigid_body(&s->assembly, object);
    for (int32_t i = object->first; i < object->first + object->count; i++) mus_solver_moved(s, i);
}

void mus_potential_place_rigid_bodies(mus_solver *s) {
    const mus_newton *newton = &s->potential->newton;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_newton_rigid_body *unknown = &newton->rigid_bodies.list[k];
        const v3 *u = newton->u + newton->n + 2 * k;
        advance_body(s, k, v3_add(unknown->shift, u[0]), v3_add(unknown->turn, u[1]));
    }
}

void mus_potential_apply_rigid_impulse(mus_solver *s, const mus_contact_constraint *constraint, v3 impulse) {
    const mus_assembly *a = &s->assembly;
    if (!constraint->has_rigid_body) return;
    mus_contact_defer_rigid_impulse(a, constraint, impulse, v3_neg(impulse));
    for (int side = 0; side < 2; side++) {
        mus_rigid_step *r = a->objects[constraint->object[side]].rigid;
        if (!r) continue;
        int32_t k = (int32_t)(r - a->rigids);
        const mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
        v3 shift = v3_axpy(1 / r->of->mass, r->linear, b->shift);
        v3 turn = v3_add(b->turn, m3_mul_v3(&r->inverse_inertia, r->angular));
        r->linear = r->angular = v3_make(0, 0, 0);
        advance_body(s, k, shift, turn);
    }
}

void mus_potential_truncate_rigid_motion(mus_solver *s, int32_t object, double share) {
    int32_t k = (int32_t)(s->assembly.objects[object].rigid - s->assembly.rigids);
    const mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
    advance_body(s, k, v3_lerp(b->shift0, b->shift, share), v3_lerp(b->turn0, b->turn, share));
}

/* Moves body k above a plane: by impulses at its vertices, or as a whole. Returns how many vertices were below. */
static int64_t above_plane(mus_solver *s, int32_t k, int32_t plane, bool gently) {
    const mus_assembly *a = &s->assembly;
    const mus_object *object = object_of_rigid(s, k), *p = &a->objects[plane];
    double offset = v3_dot(p->normal1, p->point1) + object->radius;
    mus_contact_options options = {.dt = s->dt, .relax = 1};
    int64_t below = 0;
    for (int32_t i = object->first; i < object->first + object->count; i++) {
        double gap = v3_dot(p->normal1, a->x1[i]) - offset, least = mus_plane_floor(a, p, i);
        if (gap >= least) continue;
        below++;
        double missing = 1.01 * least - gap;
        if (gently) {
            mus_contact_constraint constraint = mus_contact_from_plane(a, a->object_of[i], plane, i, &options);
            mus_potential_apply_rigid_impulse(s, &constraint, v3_scale(missing * constraint.mass, constraint.normal));
        } else {
            const mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
            advance_body(s, k, v3_axpy(missing, p->normal1, b->shift), b->turn);
        }
    }
    return below;
}

int64_t mus_potential_lift_rigid_bodies(mus_solver *s, bool gently) {
    const mus_assembly *a = &s->assembly;
    int64_t below = 0;
    for (int32_t k = 0; k < a->rigid_count; k++) {
        int32_t object = s->potential->newton.rigid_bodies.list[k].object;
        for (int32_t p = a->cloth_count; p < a->object_count; p++)
            if (mus_object_is_plane(&a->objects[p]) && mus_assembly_collides(a, object, p))
                below += above_plane(s, k, p, gently);
    }
    return below;
}

/* Evaluates contacts of rigid bodies at the end of the step. */
static void settle_contacts(mus_solver *s, double dt) {
    mus_newton *newton = &s->potential->newton;
    for (int64_t k = 0; newton->rigid_bodies.contact_arms.count && k < newton->terms.count; k++) {
        mus_ogc_term *t = &newton->terms.data[k];
        if (!t->arms) continue;
        mus_newton_rigid_bodies_update_slip_origin(&newton->rigid_bodies, t, 0, NULL);
        mus_ogc_evaluate(t, s->assembly.x1, dt, MUS_OGC_LEAST);
    }
}

void mus_potential_finish_rigid_bodies(mus_solver *s, double dt) {
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_potential_rigid_body *b = &s->potential->rigid_bodies[k];
        mus_rigid_step *r = object_of_rigid(s, k)->rigid;
        s->potential->newton.rigid_bodies.list[k].turn = b->turn;
        if (is_free(b)) continue;
        r->v1 = v3_scale(1 / dt, b->shift);
        r->momentum1 =
            v3_scale(1 / dt, mus_newton_rigid_bodies_momentum(&s->potential->newton.rigid_bodies, k, b->turn));
    }
    settle_contacts(s, dt);
}
