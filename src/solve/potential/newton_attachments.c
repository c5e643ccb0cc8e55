/* newton_attachments.c: soft pins to rigid bodies in Newton's method: springs of rest length 0 between vertices of
 * cloth and points of bodies, with the energy stiffness distance^2 / 2. */
#include "solve/potential/newton.h"

static int32_t body_of(const mus_assembly *a, const mus_attachment *of) {
    return (int32_t)(a->objects[of->object].rigid - a->rigids);
}

mus_status mus_newton_begin_attachments(mus_newton *s) {
    const mus_assembly *a = s->assembly;
    s->attachments.count = 0;
    for (int64_t k = 0; k < a->attachments.count; k++) {
        const mus_attachment *of = &a->attachments.data[k];
        v3 start = mus_pose_apply(&a->objects[of->object].pose0, of->place);
        mus_newton_attachment t = {.vertex = of->vertex,
                                   .rigid_body = body_of(a, of),
                                   .place = of->place,
                                   .stiffness = s->dt * (s->dt * of->stiffness + of->damping)};
        t.damped = v3_scale(s->dt * of->damping / t.stiffness, v3_sub(a->x0[of->vertex], start));
        if (!mus_array_push(&s->attachments, t)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

/* The attachment's point of a body that has moved so since the start of the step. */
static v3 point_of(const mus_newton *s, const mus_newton_attachment *t, v3 shift, v3 turn) {
    mus_pose pose;
    mus_newton_rigid_bodies_pose(&s->rigid_bodies, t->rigid_body, shift, turn, &pose);
    return mus_pose_apply(&pose, t->place);
}

void mus_newton_place_attachments(mus_newton *s) {
    for (int64_t k = 0; k < s->attachments.count; k++) {
        mus_newton_attachment *t = &s->attachments.data[k];
        const mus_newton_rigid_body *b = &s->rigid_bodies.list[t->rigid_body];
        v3 point = point_of(s, t, b->shift, b->turn);
        t->arm = v3_sub(point, v3_add(b->center0, b->shift));
        t->vector = v3_sub(v3_sub(s->place[t->vertex], point), t->damped);
    }
}

static v3 change_of(const mus_newton *s, const mus_newton_attachment *t, const v3 *p) {
    const v3 *q = p + s->n + 2 * t->rigid_body;
    return v3_sub(p[t->vertex], v3_add(q[0], v3_cross(q[1], t->arm)));
}

static void scatter(const mus_newton *s, const mus_newton_attachment *t, v3 f, v3 *out) {
    v3 *q = out + s->n + 2 * t->rigid_body;
    out[t->vertex] = v3_add(out[t->vertex], f);
    q[0] = v3_sub(q[0], f), q[1] = v3_sub(q[1], v3_cross(t->arm, f));
}

void mus_newton_add_attachment_forces(const mus_newton *s, v3 *out) {
    for (int64_t k = 0; k < s->attachments.count; k++) {
        const mus_newton_attachment *t = &s->attachments.data[k];
        scatter(s, t, v3_scale(-t->stiffness, v3_add(t->vector, change_of(s, t, s->u))), out);
    }
}

void mus_newton_add_attachment_product(const mus_newton *s, const v3 *p, v3 *out) {
    for (int64_t k = 0; k < s->attachments.count; k++) {
        const mus_newton_attachment *t = &s->attachments.data[k];
        scatter(s, t, v3_scale(t->stiffness, change_of(s, t, p)), out);
    }
}

void mus_newton_add_attachment_blocks(mus_newton *s) {
    for (int64_t k = 0; k < s->attachments.count; k++) {
        const mus_newton_attachment *t = &s->attachments.data[k];
        double *block = s->rigid_bodies.list[t->rigid_body].factor;
        mus_sym3_add(&s->inverse[t->vertex], 0, v3_make(0, 0, 0), t->stiffness);
        for (int i = 0; i < 6; i++)
            mus_block6_add(block, i, t->arm, v3_scale(t->stiffness, mus_block6_motion(i, t->arm)));
    }
}

void mus_newton_attachments_along_change(const mus_newton *s, double *linear, double *quadratic) {
    for (int64_t k = 0; k < s->attachments.count; k++) {
        const mus_newton_attachment *t = &s->attachments.data[k];
        v3 change = change_of(s, t, s->change);
        *linear += t->stiffness * v3_dot(v3_add(t->vector, change_of(s, t, s->u)), change);
        *quadratic += t->stiffness * v3_length2(change);
    }
}

double mus_newton_attachment_energy(const mus_newton *s, const v3 *x, double share) {
    double sum = 0;
    for (int64_t k = 0; k < s->attachments.count; k++) {
        const mus_newton_attachment *t = &s->attachments.data[k];
        const mus_newton_rigid_body *b = &s->rigid_bodies.list[t->rigid_body];
        const v3 *u = s->u + s->n + 2 * t->rigid_body;
        v3 point = point_of(s, t, v3_axpy(share, u[0], b->shift), v3_axpy(share, u[1], b->turn));
        sum += 0.5 * t->stiffness * v3_length2(v3_sub(v3_sub(x[t->vertex], point), t->damped));
    }
    return sum;
}
