/* attachments.c: soft pins to rigid bodies as terms of the coupled problem: springs of rest length 0, whose force on
 * the body is the opposite of that on the vertex, in the step of implicit Euler (Baraff & Witkin 1998). The arm of the
 * force is the mean of those at the start and at the present placement, by which a finite rotation moves the point as
 * far as in the linear problem, but for its cube: with that at the start a weight on an arm of 0.2 m that swings from
 * a sheet lost a sixth of the energy that it should. */
#include "solve/solver.h"

/* Error of a force, in weights of its body, from which on a step is halved. Of the scenes in step.c, with 10, 1 and 0.3
 * and 2, 4 and 3 halvings, 12, 3 and 1 gain energy. */
static const double max_force_error = 0.3;

static v3 change_of(const mus_coupled_attachment *t, const v3 *p) {
    return v3_sub(p[t->row], v3_add(p[t->entry], v3_cross(p[t->entry + 1], t->arm)));
}

static v3 added_impulse(const mus_coupled_attachment *t) {
    return v3_sub(t->impulse, t->start_impulse);
}

/* The term at the ends of cloth and the poses of bodies, where u is 0. */
static mus_coupled_attachment term_of(const mus_solver *s, const mus_attachment *of) {
    const mus_assembly *a = &s->assembly;
    const mus_object *object = &a->objects[of->object];
    const mus_rigid_step *r = object->rigid;
    v3 start = mus_pose_apply(&object->pose0, of->place), point = mus_pose_apply(&object->pose1, of->place);
    v3 center1 = mus_rigid_center(r->of, &object->pose1);
    mus_coupled_attachment t = {.row = of->vertex,
                                .entry = mus_coupled_entry_of(&s->coupled, a, r),
                                .arm = v3_lerp(v3_sub(start, r->center0), v3_sub(point, center1), 0.5),
                                .stiffness = s->dt * (s->dt * of->stiffness + of->damping)};
    v3 moved = v3_add(r->shift, v3_cross(r->turned, t.arm));
    t.vector = v3_sub(a->x1[of->vertex], v3_add(point, moved));
    t.vector = v3_axpy(-s->dt * of->damping / t.stiffness, v3_sub(a->x0[of->vertex], start), t.vector);
    return t;
}

mus_status mus_coupled_begin_attachments(mus_solver *s, bool applied) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    if (!mus_array_reserve(&c->attachments, a->attachments.count)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < a->attachments.count; k++) {
        mus_coupled_attachment t = term_of(s, &a->attachments.data[k]);
        if (applied) t.start_impulse = c->attachments.data[k].impulse;
        c->attachments.data[k] = t;
    }
    c->attachments.count = a->attachments.count;
    return MUS_STATUS_OK;
}

bool mus_coupled_attachments_are_off(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    double acceleration = s->dt * s->dt * a->acceleration_scale;
    for (int64_t k = 0; k < s->coupled.attachments.count; k++) {
        const mus_attachment *of = &a->attachments.data[k];
        mus_coupled_attachment t = term_of(s, of);
        v3 error = v3_axpy(t.stiffness, t.vector, s->coupled.attachments.data[k].impulse);
        if (v3_length(error) > max_force_error * a->objects[of->object].rigid->of->mass * acceleration) return true;
    }
    return false;
}

void mus_coupled_begin_attachment_line(mus_coupled *c, const v3 *p) {
    for (int64_t k = 0; k < c->attachments.count; k++)
        c->attachments.data[k].change = change_of(&c->attachments.data[k], p);
}

void mus_coupled_end_attachment_line(mus_coupled *c, double share) {
    for (int64_t k = 0; k < c->attachments.count; k++) {
        mus_coupled_attachment *t = &c->attachments.data[k];
        t->vector = v3_axpy(share, t->change, t->vector);
    }
}

void mus_coupled_evaluate_attachments(mus_coupled *c, double share) {
    for (int64_t k = 0; k < c->attachments.count; k++) {
        mus_coupled_attachment *t = &c->attachments.data[k];
        t->impulse = v3_scale(-t->stiffness, share != 0 ? v3_axpy(share, t->change, t->vector) : t->vector);
    }
}

double mus_coupled_attachment_work(const mus_coupled *c) {
    double sum = 0;
    for (int64_t k = 0; k < c->attachments.count; k++)
        sum += v3_dot(added_impulse(&c->attachments.data[k]), c->attachments.data[k].change);
    return sum;
}

void mus_coupled_set_attachment_impulses(const mus_coupled *c, v3 *out) {
    for (int64_t k = 0; k < c->attachments.count; k++) out[k] = added_impulse(&c->attachments.data[k]);
}

void mus_coupled_set_attachment_products(const mus_coupled *c, double sign, const v3 *p, v3 *out) {
    for (int64_t k = 0; k < c->attachments.count; k++) {
        const mus_coupled_attachment *t = &c->attachments.data[k];
        out[k] = v3_scale(sign * t->stiffness, change_of(t, p));
    }
}

double mus_coupled_attachment_objective(const mus_coupled *c) {
    double sum = 0;
    for (int64_t k = 0; k < c->attachments.count; k++) {
        const mus_coupled_attachment *t = &c->attachments.data[k];
        sum += 0.5 * v3_length2(t->impulse) / t->stiffness + v3_dot(t->start_impulse, change_of(t, c->u));
    }
    return sum;
}

void mus_coupled_apply_attachments(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->attachments.count; k++)
        mus_coupled_scatter_to_body(&c->attachments.data[k], added_impulse(&c->attachments.data[k]),
                                    c->body_residual - c->n);
}

mus_stiffness_term mus_coupled_stiffness_of_attachment(const mus_coupled_attachment *t) {
    mus_stiffness_term of = {.count = 3, .row = {t->row, t->entry, t->entry + 1}, .weight = {1, -1, 0}};
    of.arm[2] = v3_neg(t->arm);
    mus_sym3_add(&of.stiffness, 0, v3_make(0, 0, 0), t->stiffness);
    return of;
}
