/* rows.c: repulsion and friction after Bridson, Fedkiw & Anderson 2002 (BRI 2.2, 2.3), solved as constraints on end
 * positions instead of one-shot impulses, so that stacked contacts agree with each other. Normal impulses act along the
 * line of the two nearest points and weights sum to zero: linear and angular momentum are kept. */
#include "response/rows.h"
#include "base/parallel.h"
#include "narrow/cylinder.h"
#include "response/levers.h"

#include <string.h>

static void set_surface(const mus_assembly *a, mus_row *row) {
    const mus_body *p = &a->bodies[row->body[0]], *q = &a->bodies[row->body[1]];
    row->friction = sqrt(p->friction * q->friction);
    row->restitution = fmax(p->restitution, q->restitution);
    row->response = -1;
}

void mus_row_weigh(const mus_assembly *a, mus_row *row) {
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += row->weight[k] * row->weight[k] * a->inverse_mass[row->vertex[k]];
    row->mass = row->drag_mass = sum > 0 ? 1 / sum : 0;
    if (a->rigid_count) mus_row_take_levers(a, row);
}

static v3 weighted(const mus_row *row, const v3 *x) {
    v3 sum = v3_scale(row->weight[0], x[row->vertex[0]]);
    if (row->plane) return sum;
    for (int k = 1; k < 4; k++) sum = v3_axpy(row->weight[k], x[row->vertex[k]], sum);
    return sum;
}

v3 mus_row_end(const mus_assembly *a, const mus_row *row) {
    v3 sum = weighted(row, a->x1);
    return row->levered ? v3_add(sum, mus_row_lever_motion(a, row)) : sum;
}

/* What the surfaces of exact shapes that are led do beyond their vertices or axes when they turn: the nearest point
 * lies a radius towards the other side. */
static v3 surface_turn(const mus_assembly *a, const mus_row *row) {
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 2 && !row->plane; k++) {
        const mus_body *body = &a->bodies[row->body[k]];
        if (!(body->radius > 0) || body->rigid) continue;
        v3 arm = v3_scale(k == 0 ? -body->radius : body->radius, row->normal), centre = a->x0[body->first];
        if (mus_body_is_cylinder(body)) { /* from the side's place on the axis to the surface */
            arm = v3_axpy(-row->gap0, row->normal, weighted(row, a->x0));
            if (k == 0) arm = v3_neg(arm);
        }
        v3 turned = v3_sub(mus_body_carry(body, v3_add(centre, arm)), mus_body_carry(body, centre));
        sum = v3_axpy(k == 0 ? 1 : -1, v3_sub(turned, arm), sum);
    }
    return sum;
}

static void set_motion(const mus_assembly *a, mus_row *row, double dt) {
    v3 slip = v3_sub(mus_row_end(a, row), row->rest);
    row->approach = v3_dot(row->normal, slip) / dt;
}

static void finish(const mus_assembly *a, mus_row *row, double relax, double dt) {
    double missing = row->thickness - row->gap0;
    row->target = row->thickness;
    if (missing > 0) row->target = row->gap0 + fmin(relax * missing, mus_recovery_speed(row->thickness) * dt);
    mus_row_weigh(a, row);
    set_surface(a, row);
    set_motion(a, row, dt);
}

static void from_candidate(const mus_assembly *a, const mus_candidate *c, mus_row *row) {
    *row = (mus_row){
        .edge_edge = c->edge_edge, .offset = mus_candidate_radius(a, c), .thickness = mus_candidate_thickness(a, c)};
    row->is_exact = row->offset > 0;
    memcpy(row->vertex, c->vertex, sizeof row->vertex);
    row->body[0] = a->body_of[c->vertex[c->edge_edge ? 2 : 0]];
    row->body[1] = a->body_of[c->vertex[c->edge_edge ? 0 : 1]];
}

mus_row mus_row_from_plane(const mus_assembly *a, int32_t cloth, int32_t plane, int32_t i,
                           const mus_row_options *options) {
    const mus_body *body = &a->bodies[plane];
    mus_row row = {.vertex = {i, i, i, i},
                   .weight = {1, 0, 0, 0},
                   .normal = body->normal1,
                   .offset = v3_dot(body->normal1, body->point1) + a->bodies[cloth].radius,
                   .gap0 =
                       v3_dot(body->normal0, a->x0[i]) - v3_dot(body->normal0, body->point0) - a->bodies[cloth].radius,
                   .thickness = a->bodies[cloth].reach + body->reach,
                   .body = {cloth, plane},
                   .plane = true};
    row.rest = v3_add(a->x0[i], v3_sub(mus_body_carry(body, a->x0[i]), a->x0[i]));
    finish(a, &row, options->relax, options->dt);
    return row;
}

static mus_status plane_rows(const mus_assembly *a, int32_t plane, const mus_row_options *options, mus_row_list *rows) {
    const mus_body *body = &a->bodies[plane];
    double offset0 = v3_dot(body->normal0, body->point0), offset1 = v3_dot(body->normal1, body->point1);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        if (!a->collide[(size_t)k * (size_t)a->body_count + (size_t)plane]) continue;
        const mus_body *cloth = &a->bodies[k];
        double thickness = cloth->reach + body->reach;
        for (int32_t i = cloth->first; i < cloth->first + cloth->count; i++) {
            double gap0 = v3_dot(body->normal0, a->x0[i]) - offset0, gap1 = v3_dot(body->normal1, a->x1[i]) - offset1;
            if (gap0 > MUS_CONTACT_RANGE * thickness && gap1 > thickness) continue;
            if (mus_assembly_lets_below(a, i, plane)) continue;
            mus_row row = mus_row_from_plane(a, k, plane, i, options);
            if (row.mass > 0 && !mus_array_push(rows, row)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

static mus_status rigid_plane_rows(const mus_assembly *a, int32_t plane, const mus_row_options *options,
                                   mus_row_list *rows) {
    const mus_body *body = &a->bodies[plane];
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *b = &a->bodies[k];
        if (!b->rigid || !a->collide[(size_t)k * (size_t)a->body_count + (size_t)plane]) continue;
        double thickness = b->reach + body->reach;
        for (int32_t i = b->first; i < b->first + b->count; i++) {
            double gap0 = v3_dot(body->normal0, v3_sub(a->x0[i], body->point0)) - b->radius;
            double gap1 = v3_dot(body->normal1, v3_sub(a->x1[i], body->point1)) - b->radius;
            if (gap0 > 2 * MUS_CONTACT_RANGE * thickness && gap1 > thickness) continue;
            mus_row row = mus_row_from_plane(a, k, plane, i, options);
            row.target = fmin(row.gap0, thickness);
            if (!mus_array_push(rows, row)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

/* Two edges whose nearest points include an end: told by that end and a face. Round shapes have no faces. */
static bool told_by_an_end(const mus_candidate *c, const double w[4], double radius) {
    return c->edge_edge && !(radius > 0) && (w[0] == 0 || w[1] == 0 || w[2] == 0 || w[3] == 0);
}

/* A vertex whose nearest point lies on the rim of a face: a contact with that edge or corner, unless the vertex is
 * nearer to another face there, beyond the rim; then the seam of the two would be an obstacle of its own to what slides
 * over it. Each feature is told once, by the first of its faces. (The offset blocks of Chen et al. 2025, by distance.)
 */
static bool told_by_another_face(const mus_row_list *rows, const int32_t *first, int64_t k) {
    const mus_row *row = &rows->data[k];
    if (row->edge_edge || row->is_exact) return false;
    if (row->weight[1] != 0 && row->weight[2] != 0 && row->weight[3] != 0) return false;
    double tie = 1e-9 * (row->gap0 + row->offset);
    for (int32_t other = first[row->vertex[0]]; other >= 0; other = rows->data[other].next) {
        const mus_row *r = &rows->data[other];
        if (other == k || r->gap0 > row->gap0 + tie || (r->gap0 > row->gap0 - tie && other > k)) continue;
        bool shared = true;
        for (int c = 1; c < 4; c++)
            if (row->weight[c] != 0)
                shared &=
                    row->vertex[c] == r->vertex[1] || row->vertex[c] == r->vertex[2] || row->vertex[c] == r->vertex[3];
        if (shared) return true;
    }
    return false;
}

/* To an earlier place, or its own. By the library's function: compilers copy what is as large as this word by word. */
static void move_row(mus_row *to, const mus_row *from) {
    memmove(to, from, sizeof *to);
}

/* Of the rows from `start` on. */
static void tell_once(const mus_assembly *a, mus_row_list *rows, int64_t start) {
    int32_t *first = a->first_row;
    memset(first, -1, sizeof *first * (size_t)a->vertex_count);
    for (int64_t k = rows->count; k-- > start;) {
        mus_row *row = &rows->data[k];
        if (row->edge_edge) continue;
        row->next = first[row->vertex[0]];
        first[row->vertex[0]] = (int32_t)k;
    }
    for (int64_t k = start; k < rows->count; k++)
        if (told_by_another_face(rows, first, k)) rows->data[k].mass = 0; /* in place: the lists run through it */
    int64_t kept = start;
    for (int64_t k = start; k < rows->count; k++)
        if (rows->data[k].mass > 0) move_row(&rows->data[kept++], &rows->data[k]);
    rows->count = kept;
}

/* How far a body reaches against a direction from a point, m. */
static double reaches(const mus_assembly *a, const mus_body *body, v3 from, v3 direction) {
    double most = -INFINITY;
    for (int32_t i = body->first; i < body->first + body->count; i++)
        most = fmax(most, v3_dot(direction, v3_sub(from, a->x0[i])));
    return most;
}

/* Of solids that start in touch the features say where the normal points, and a middle in which sense. Features that
 * touch at a rim may be sides by which the two pass: theirs must be a plane between the two. */
static bool normal_of_touching(const mus_assembly *a, const mus_candidate *c, mus_row *row) {
    const mus_body *p = &a->bodies[row->body[0]], *q = &a->bodies[row->body[1]];
    const int32_t *v = c->vertex;
    if (p->cloth || q->cloth) return false;
    v3 first = v3_sub(a->x0[v[c->edge_edge ? 1 : 2]], a->x0[v[c->edge_edge ? 0 : 1]]);
    v3 second = v3_sub(a->x0[v[3]], a->x0[v[c->edge_edge ? 2 : 1]]), n = v3_cross(first, second);
    if (!(v3_length2(n) > 1e-12 * v3_length2(first) * v3_length2(second))) return false;
    n = v3_normalized(n);
    double side = p->rigid ? v3_dot(n, v3_sub(p->rigid->centre0, a->x0[v[0]]))
                           : v3_dot(n, v3_sub(a->x0[v[0]], q->rigid->centre0));
    if (side < 0) n = v3_neg(n);
    row->normal = n;
    for (int k = 0; k < 4; k++)
        if (fabs(row->weight[k]) < 1e-9)
            return reaches(a, p, a->x0[v[0]], n) < MUS_ROW_TOUCHING &&
                   reaches(a, q, a->x0[v[0]], v3_neg(n)) < MUS_ROW_TOUCHING;
    return true;
}

static bool from_near_cylinder(const mus_assembly *a, const mus_candidate *c, const mus_row_options *options,
                               mus_row *row) {
    mus_cylinder_nearest nearest;
    mus_cylinder_find_nearest(a, c, 0, &nearest);
    if (nearest.on_rim || nearest.gap > mus_candidate_range(a, c, mus_candidate_thickness(a, c))) return false;
    from_candidate(a, c, row);
    memcpy(row->weight, nearest.weight, sizeof row->weight);
    row->normal = nearest.normal;
    row->offset = mus_cylinder_radius_along(a, c, nearest.normal, 1); /* for gaps at the end of the step */
    row->gap0 = nearest.gap;
    row->rest = v3_sub(weighted(row, a->x0), surface_turn(a, row));
    finish(a, row, options->relax, options->dt);
    return row->mass > 0;
}

static bool from_near(const mus_assembly *a, const mus_candidate *c, const mus_nearest *nearest,
                      const mus_row_options *options, mus_row *row) {
    double radius = mus_candidate_radius(a, c), gap0 = nearest->length - radius;
    /* Most candidates are too far: no row is laid out for them. */
    if (gap0 > mus_candidate_range(a, c, mus_candidate_thickness(a, c))) return false;
    if (radius > 0 && mus_pair_has_cylinder(a, c->vertex)) return from_near_cylinder(a, c, options, row);
    if (told_by_an_end(c, nearest->weight, radius)) return false;
    from_candidate(a, c, row);
    memcpy(row->weight, nearest->weight, sizeof row->weight);
    row->gap0 = gap0;
    if (nearest->length > MUS_ROW_TOUCHING)
        row->normal = v3_scale(1 / nearest->length, nearest->d);
    else if (!normal_of_touching(a, c, row))
        return false;
    row->rest = v3_sub(weighted(row, a->x0), surface_turn(a, row));
    finish(a, row, options->relax, options->dt);
    return row->mass > 0;
}

enum { BLOCK = 128 }; /* candidates */

typedef struct building {
    const mus_assembly *a;
    const mus_candidate *candidates;
    const mus_row_options *options;
    mus_row *out; /* one slot a candidate; no mass: none */
} building;

static void rows_of_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const building *b = context;
    mus_nearest nearest[BLOCK];
    (void)block;
    mus_candidates_nearest(b->candidates + begin, end - begin, b->a->x0, nearest);
    for (int64_t k = begin; k < end; k++)
        if (!from_near(b->a, &b->candidates[k], &nearest[k - begin], b->options, &b->out[k])) b->out[k].mass = 0;
}

mus_status mus_rows_near(const mus_assembly *a, const mus_candidate_list *candidates, const mus_row_options *options,
                         mus_row_list *rows) {
    enum { CHUNK = 2048 }; /* bounds the scratch */
    rows->count = 0;
    for (int64_t from = 0; from < candidates->count; from += CHUNK) {
        int64_t size = candidates->count - from < CHUNK ? candidates->count - from : CHUNK, kept = rows->count;
        if (!mus_array_reserve(rows, kept + size)) return MUS_STATUS_NO_MEMORY;
        building b = {a, candidates->data + from, options, rows->data + kept};
        mus_parallel_for(options->threads, size, BLOCK, rows_of_block, &b);
        for (int64_t k = 0; k < size; k++) {
            if (!(b.out[k].mass > 0)) continue;
            b.out[k].source = (int32_t)(from + k);
            move_row(&rows->data[kept++], &b.out[k]);
        }
        rows->count = kept;
    }
    tell_once(a, rows, 0);
    return MUS_STATUS_OK;
}

mus_status mus_rows_add_bodies(const mus_assembly *a, const mus_candidate_list *candidates,
                               const mus_row_options *options, mus_row_list *rows) {
    int64_t start = rows->count;
    for (int64_t k = 0; k < candidates->count; k++) {
        mus_row row;
        mus_nearest nearest;
        nearest.length = mus_candidate_nearest(&candidates->data[k], a->x0, &nearest.d, nearest.weight);
        if (!from_near(a, &candidates->data[k], &nearest, options, &row)) continue;
        row.source = (int32_t)k;
        row.target = fmin(row.gap0, row.thickness);
        if (!mus_array_push(rows, row)) return MUS_STATUS_NO_MEMORY;
    }
    tell_once(a, rows, start);
    return MUS_STATUS_OK;
}

mus_status mus_rows_build(const mus_assembly *a, const mus_candidate_list *candidates, const mus_row_options *options,
                          mus_row_list *rows) {
    mus_status status = mus_rows_near(a, candidates, options, rows);
    for (int32_t k = a->cloth_count; k < a->body_count && status == MUS_STATUS_OK; k++)
        if (mus_body_is_plane(&a->bodies[k])) status = plane_rows(a, k, options, rows);
    return status;
}

mus_status mus_rows_add_planes(const mus_assembly *a, const mus_row_options *options, mus_row_list *rows) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->body_count && status == MUS_STATUS_OK; k++)
        if (mus_body_is_plane(&a->bodies[k])) status = rigid_plane_rows(a, k, options, rows);
    return status;
}

bool mus_row_from_meeting(const mus_assembly *a, const mus_candidate *c, const double weight[4], v3 normal, double toi,
                          double dt, mus_row *row) {
    from_candidate(a, c, row);
    memcpy(row->weight, weight, sizeof row->weight);
    row->normal = normal;
    row->gap0 = c->gap0;
    if (row->is_exact && mus_pair_has_cylinder(a, c->vertex)) row->offset = mus_cylinder_radius_along(a, c, normal, 1);
    row->rest = v3_sub(weighted(row, a->x0), surface_turn(a, row));
    row->toi = toi;
    mus_row_weigh(a, row);
    set_surface(a, row);
    set_motion(a, row, dt);
    return row->mass > 0;
}

bool mus_row_from_hit(const mus_assembly *a, const mus_candidate *c, double toi, double dt, mus_row *row) {
    if (mus_pair_has_cylinder(a, c->vertex)) {
        mus_cylinder_nearest nearest;
        mus_cylinder_find_nearest(a, c, toi, &nearest);
        return mus_row_from_meeting(a, c, nearest.weight, nearest.normal, toi, dt, row);
    }
    v3 at[4], d;
    mus_candidate local = *c;
    for (int k = 0; k < 4; k++) {
        at[k] = v3_lerp(a->x0[c->vertex[k]], a->x1[c->vertex[k]], toi);
        local.vertex[k] = k;
    }
    double weight[4], length = mus_candidate_nearest(&local, at, &d, weight);
    if (!(length > 1e-12)) return false;
    return mus_row_from_meeting(a, c, weight, v3_scale(1 / length, d), toi, dt, row);
}

static inline void move(const mus_assembly *a, const mus_row *row, v3 impulse) {
    int count = row->plane ? 1 : 4;
    for (int k = 0; k < count; k++) {
        int32_t i = row->vertex[k];
        double s = row->weight[k] * a->inverse_mass[i];
        if (s != 0) a->x1[i] = v3_axpy(s, impulse, a->x1[i]);
    }
    if (row->levered) mus_row_lever_give(a, row, impulse, v3_neg(impulse));
}

void mus_row_push(const mus_assembly *a, mus_row *row, double push, v3 drag) {
    row->push += push, row->drag = v3_add(row->drag, drag);
    move(a, row, v3_axpy(push, row->normal, drag));
}

mus_rows_swept mus_rows_sweep(const mus_assembly *a, mus_row_list *rows, bool all) {
    mus_rows_swept swept = {0};
    for (int64_t k = 0; k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        if (row->change != 0) row->change = 0;
        if (row->response >= 0 || (row->idle && !all)) continue;
        v3 now = mus_row_end(a, row);
        double gap = v3_dot(row->normal, now) - row->offset, missing = row->target - gap;
        swept.missed += missing > MUS_ROW_MISSED * row->thickness;
        double push = row->push + missing * row->mass;
        if (push < 0) push = 0;
        double change = push - row->push;
        row->idle = push == 0 && missing < -MUS_ROW_IDLE * row->thickness;
        if (change == 0 && push == 0) continue;
        row->push = push, row->change = change;
        swept.moved += fabs(change) > MUS_ROW_MOVED * row->thickness * row->mass;
        swept.change += change * change / row->mass;
        /* Coulomb's cone on the accumulated impulse, so that a later sweep may take back what an earlier one gave */
        v3 slip = v3_sub(now, row->rest);
        slip = v3_axpy(-v3_dot(row->normal, slip), row->normal, slip);
        v3 drag = v3_axpy(-row->drag_mass, slip, row->drag);
        double limit = row->friction * push, length2 = v3_length2(drag);
        if (length2 > limit * limit) drag = v3_scale(limit / sqrt(length2), drag);
        v3 impulse = v3_axpy(change, row->normal, v3_sub(drag, row->drag));
        row->drag = drag;
        move(a, row, impulse);
    }
    return swept;
}

/* Silcowitz-Hansen, Niebe & Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for interactive contact
 * force problems": a sweep's change stands for the gradient, Fletcher & Reeves choose the way. Changes that grow start
 * anew. */
void mus_rows_lead(const mus_assembly *a, mus_row_list *rows, double ratio) {
    if (!(ratio <= 1)) ratio = 0;
    for (int64_t k = 0; k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        double further = ratio * row->lead;
        row->lead = row->change + further;
        if (further == 0) continue;
        row->push += further;
        row->idle = false;
        move(a, row, v3_scale(further, row->normal));
    }
}

double mus_bounce_threshold(double dt) {
    return 2 * 9.81 * dt;
}

double mus_recovery_speed(double thickness) {
    return 120 * thickness;
}

static double relative_speed(const mus_assembly *a, const mus_row *row, double dt) {
    double speed = row->levered ? mus_row_lever_speed(a, row) : 0;
    for (int c = 0; c < (row->plane ? 1 : 4); c++) {
        int32_t i = row->vertex[c];
        if (row->levered && a->bodies[a->body_of[i]].rigid) continue;
        v3 v = i < a->cloth_vertex_count ? a->v1[i] : v3_scale(1 / dt, v3_sub(a->x1[i], a->x0[i]));
        speed += row->weight[c] * v3_dot(row->normal, v);
    }
    if (row->plane) speed -= v3_dot(row->normal, v3_sub(row->rest, a->x0[row->vertex[0]])) / dt;
    return speed;
}

static void kick(const mus_assembly *a, const mus_row *row, double impulse) {
    for (int c = 0; c < (row->plane ? 1 : 4); c++) {
        int32_t i = row->vertex[c];
        double s = row->weight[c] * a->inverse_mass[i];
        if (s != 0) a->v1[i] = v3_axpy(s * impulse, row->normal, a->v1[i]);
    }
    if (row->levered) mus_row_lever_kick(a, row, impulse);
}

int64_t mus_rows_bearing(const mus_row_list *rows) {
    int64_t count = 0;
    for (int64_t k = 0; k < rows->count; k++) count += rows->data[k].push > 0;
    return count;
}

void mus_rows_restitution(const mus_assembly *a, mus_row_list *rows, double dt) {
    enum { SWEEPS = 10 }; /* rows that share vertices must agree, or the last word would add energy */
    bool any = false;
    for (int64_t k = 0; k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        if (!(row->push > 0) || row->response >= 0) continue;
        row->bounces = row->restitution > 0 && row->approach < -mus_bounce_threshold(dt);
        any |= row->bounces;
        if (row->bounces || row->toi == 0) continue; /* a row's own target has bounded its speed */
        double speed = relative_speed(a, row, dt);
        double most = fmax(0, row->approach) + mus_recovery_speed(row->thickness);
        if (speed > most) kick(a, row, row->bounce = (most - speed) * row->mass);
    }
    for (int sweep = 0; any && sweep < SWEEPS; sweep++)
        for (int64_t k = 0; k < rows->count; k++) {
            mus_row *row = &rows->data[k];
            if (!row->bounces) continue;
            double wanted = -row->restitution * row->approach;
            double total = fmax(0, row->bounce + (wanted - relative_speed(a, row, dt)) * row->mass);
            kick(a, row, total - row->bounce);
            row->bounce = total;
        }
}
