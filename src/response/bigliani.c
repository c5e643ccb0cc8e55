/* bigliani.c: Bigliani & Eischen, 3.2: the colliding vertex takes all of the response, the face none (M much larger
 * than m).
 *
 *   normal       vn' = -e vn + (1 + e) vQn                                       eq. 11; e is the pair's restitution
 *   vQ           vA + W x (Q - A), W the angular velocity of the frame on A B C   eq. 13-15
 *   tangential   kept, less friction: Coulomb's takes friction * |vn' - vn| off its size; or a viscous force, with the
 *                friction read in N s/m: over 1 + friction dt / m                 eq. 17, relative to Q
 *   position     that of the start of the step ("before the collision"), or Q
 *
 * The velocity before the collision is that of the same instant as the position: where the vertex returns to the start
 * of the step, so does its velocity, and the forces of the step have no effect on it. With the velocity of the end, a
 * vertex that collides in every step keeps its position while springs accelerate it along the surface: in JUN-2 to
 * 1,000 m/s within a second, and the cloth is torn.
 *
 * On regular surfaces (planes, and exact shapes, but not of rigid bodies) the source compares coordinates: there only
 * the coordinate along the normal returns to the start of the step, and the vertex slides. As there, they act on
 * vertices without a collision with a face, and a vertex responds to its first collision alone.
 *
 * The source has vertices and faces. Here, if the vertex is an obstacle's, the response moves the corners of the face
 * instead, against it; of two edges it moves both ends, against the other edge's point. A vertex that is put back does
 * not move with the other side. Momentum is not conserved. The source has no rigid bodies: here each vertex takes its
 * share by effective mass, and the body the opposite impulse, so that momentum is conserved; the position that a vertex
 * is put back to is one on the body and moves with it. */
#include "response/classic.h"
#include "response/rigid_contact.h"

typedef struct law {
    bool viscous, at_q;
} law;

/* Where and how fast a vertex was before the collision. */
typedef struct vertex_state {
    v3 x, v;
} vertex_state;

static v3 velocity_over_step(const mus_response_context *context, int32_t i) {
    return v3_scale(1 / context->dt, v3_sub(context->assembly->x1[i], context->assembly->x0[i]));
}

/* Velocity before the collision: of the instant whose position the colliding vertex takes. */
static v3 velocity(const mus_response_context *context, int32_t i, law l) {
    const mus_assembly *a = context->assembly;
    return i >= a->cloth_vertex_count ? velocity_over_step(context, i) : l.at_q ? a->v1[i] : a->v0[i];
}

/* Eq. 13-15, with positions of the start of the step. */
static v3 face_velocity(const mus_response_context *context, const int32_t *face, v3 q, law l) {
    const v3 *x = context->assembly->x0;
    v3 va = velocity(context, face[0], l), e = v3_sub(x[face[1]], x[face[0]]), g = v3_sub(x[face[2]], x[face[0]]);
    double le = v3_length(e), lg = v3_length(g);
    if (!(le > 0 && lg > 0)) return va;
    v3 i = v3_scale(1 / le, e), w = v3_scale(1 / lg, g);
    v3 vi = v3_scale(1 / le, v3_sub(velocity(context, face[1], l), va));
    v3 vw = v3_scale(1 / lg, v3_sub(velocity(context, face[2], l), va));
    v3 across = v3_cross(i, w);
    double sine = v3_length(across);
    if (!(sine > 0)) return va;
    v3 k = v3_scale(1 / sine, across), j = v3_cross(k, i);
    v3 vk = v3_scale(1 / sine, v3_add(v3_cross(vi, w), v3_cross(i, vw)));
    v3 vj = v3_add(v3_cross(vk, i), v3_cross(k, vi));
    v3 spin = v3_scale(v3_dot(vj, k), i);
    spin = v3_axpy(v3_dot(vk, i), j, v3_axpy(v3_dot(vi, j), k, spin));
    return v3_add(va, v3_cross(spin, v3_sub(q, x[face[0]])));
}

static void respond_at_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner,
                              v3 of_q, vertex_state before, law l) {
    const mus_assembly *a = context->assembly;
    int32_t i = constraint->vertex[corner];
    double w = i < a->cloth_vertex_count ? a->inverse_mass[i] : 0;
    if (i >= a->cloth_vertex_count || !(w > 0 || constraint->has_rigid_body)) return;
    if (context->responded && context->responded[i] && !constraint->has_rigid_body) return;
    if (!(w > 0)) before.v = velocity_over_step(context, i);
    if (context->responded) context->responded[i] = 1;
    v3 v = v3_sub(before.v, of_q);
    mus_contact_inverse_mass inverse_effective_mass =
        mus_contact_rigid_inverse_mass(a, constraint, w); /* of both sides */
    double vn = v3_dot(v, constraint->normal),
           normal_impulse = -(1 + constraint->restitution) * vn / inverse_effective_mass.normal;
    bool parts = (mus_contact_side(constraint, corner) == 0) == (vn > 0);
    if (constraint->has_rigid_body && parts) return; /* the body's impulse was applied at other vertices already */
    v3 vt = v3_axpy(-vn, constraint->normal, v);
    double slip = v3_length(vt), kept = 1;
    if (l.viscous)
        kept = 1 / (1 + constraint->friction * context->dt * inverse_effective_mass.tangent);
    else if (slip > 0)
        kept = fmax(0, 1 - constraint->friction * fabs(normal_impulse) * inverse_effective_mass.tangent / slip);
    v3 impulse = v3_axpy((kept - 1) / inverse_effective_mass.tangent, vt, v3_scale(normal_impulse, constraint->normal));
    if (w > 0)
        mus_response_set_vertex(context, constraint, corner, before.x, v3_axpy(w, impulse, before.v));
    else
        mus_response_apply_pin_reaction(context, constraint, corner, v3_scale(context->dt, impulse));
}

/* Position and velocity of one side of a contact, by its weights. */
static void side_point(const mus_response_context *context, const mus_contact_constraint *constraint, int from, int to,
                       law l, v3 *x, v3 *v) {
    *x = *v = v3_make(0, 0, 0);
    for (int k = from; k < to; k++) {
        double w = fabs(constraint->weight[k]);
        *x = v3_axpy(w, context->assembly->x0[constraint->vertex[k]], *x);
        *v = v3_axpy(w, velocity(context, constraint->vertex[k], l), *v);
    }
}

/* A surface that is a plane, of an exact shape or of a rigid body: every cloth vertex of the contact. */
static void resolve_surface_hit(const mus_response_context *context, mus_contact_constraint *constraint, bool to_face,
                                law l) {
    const mus_assembly *a = context->assembly;
    v3 q = v3_make(0, 0, 0), vq;
    if (to_face) side_point(context, constraint, 1, 4, l, &q, &vq);
    for (int k = 0; k < (constraint->plane ? 1 : 4); k++) {
        int32_t i = constraint->vertex[k];
        if (constraint->weight[k] == 0 || i >= a->cloth_vertex_count) continue;
        /* includes the body's response to the previous vertex */
        v3 by = mus_response_surface_motion(context, constraint);
        vertex_state before = {l.at_q && to_face ? q : a->x0[i], a->v1[i]};
        if ((constraint->plane || constraint->is_exact) && !constraint->has_rigid_body)
            before.x = v3_axpy(-v3_dot(v3_sub(v3_sub(a->x1[i], a->x0[i]), by), constraint->normal), constraint->normal,
                               a->x1[i]);
        else if (constraint->has_rigid_body)
            before.x = v3_add(before.x, by);
        respond_at_vertex(context, constraint, k, v3_scale(1 / context->dt, by), before, l);
    }
}

static void resolve_hit(const mus_response_context *context, mus_contact_constraint *constraint, law l) {
    const mus_assembly *a = context->assembly;
    int32_t cloth = a->cloth_vertex_count, *vertex = constraint->vertex;
    v3 q, vq;
    bool to_face = !constraint->plane && !constraint->edge_edge && vertex[0] < cloth && !constraint->is_exact;
    if (constraint->plane || constraint->is_exact || constraint->has_rigid_body) {
        resolve_surface_hit(context, constraint, to_face, l);
    } else if (to_face) {
        side_point(context, constraint, 1, 4, l, &q, &vq);
        vq = face_velocity(context, vertex + 1, q, l);
        vertex_state before = {l.at_q ? q : a->x0[vertex[0]], velocity(context, vertex[0], l)};
        respond_at_vertex(context, constraint, 0, vq, before, l);
    } else {
        int split = constraint->edge_edge ? 2 : 1;
        v3 of_side[2]; /* before either side moves */
        law start = {l.viscous, false};
        side_point(context, constraint, 0, split, start, &q, &of_side[0]);
        side_point(context, constraint, split, 4, start, &q, &of_side[1]);
        for (int k = 0; k < 4; k++)
            respond_at_vertex(context, constraint, k, of_side[k < split],
                              (vertex_state){a->x0[vertex[k]], velocity(context, vertex[k], start)}, start);
    }
}

static void coulomb(const mus_response_context *context, mus_contact_constraint *constraint) {
    resolve_hit(context, constraint, (law){false, false});
}
static void viscous(const mus_response_context *context, mus_contact_constraint *constraint) {
    resolve_hit(context, constraint, (law){true, false});
}
static void at_q(const mus_response_context *context, mus_contact_constraint *constraint) {
    resolve_hit(context, constraint, (law){false, true});
}
const mus_classic_response mus_response_bigliani = {
    .name = "bigliani", .rounds = 1, .first_hit_only = true, .resolve_hit = coulomb};
const mus_classic_response mus_response_bigliani_viscous = {
    .name = "bigliani_viscous", .rounds = 1, .first_hit_only = true, .resolve_hit = viscous};
const mus_classic_response mus_response_bigliani_at_q = {
    .name = "bigliani_at_q", .rounds = 1, .first_hit_only = true, .resolve_hit = at_q};
