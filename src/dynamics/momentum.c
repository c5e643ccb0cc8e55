/* momentum.c: linear and angular momentum of cloth without pins. Internal forces cannot change either, but the solver
 * stops before they cancel to the last digit, and the forces of springs linearized in a rotation are not along the line
 * of their ends (a spinning disc would lose half its spin in a fifth of a second). The difference is a rigid motion,
 * which is removed.
 * With x1 = x0 + dt v1 the angular momentum at the end is sum x0 x m v1: it is the torque about x0 that must balance.
 */
#include "dynamics/momentum.h"
#include "base/parallel.h"

/* All vertices of the parts: i in the arrays, k in the cloth. */
#define EACH_VERTEX(parts, count)                                                                                      \
    for (const mus_momentum_part *part = (parts), *last = (parts) + (count); part < last; part++)                      \
        for (int32_t k = 0, i = part->first; k < part->cloth->vertex_count; k++, i++)

/* Sums of a pass over all vertices. Each is computed in vertex order by one CPU thread, and threads share the sums:
 * results do not depend on the number of threads. */
typedef struct sums {
    const mus_momentum *m;
    const mus_momentum_part *parts;
    int32_t count;
    const v3 *x0, *v0, *impulse, *change;
    const mus_sym3 *own;
    v3 shift, spin;
    v3 linear, angular;
    mus_sym3 inertia;
    double energy, first, second;
} sums;

static v3 arm_of(const sums *s, int32_t i) {
    return v3_sub(s->x0[i], s->m->center);
}

static void add_impulses(sums *s) {
    v3 linear = v3_make(0, 0, 0), angular = v3_make(0, 0, 0);
    EACH_VERTEX(s->parts, s->count) {
        linear = v3_add(linear, s->impulse[i]);
        angular = v3_add(angular, v3_cross(arm_of(s, i), s->impulse[i]));
    }
    s->linear = linear, s->angular = angular;
}

static void add_energy_before(sums *s) {
    double energy = 0;
    EACH_VERTEX(s->parts, s->count)
    energy += 0.5 * part->cloth->mass[k] * v3_length2(v3_axpy(part->cloth->inverse_mass[k], s->impulse[i], s->v0[i]));
    s->energy = energy;
}

static void take_changes(sums *s) {
    v3 linear = s->m->linear, angular = s->m->angular;
    EACH_VERTEX(s->parts, s->count) {
        v3 taken = mus_sym3_mul(&s->own[i], s->change[i]);
        linear = v3_sub(linear, taken);
        angular = v3_sub(angular, v3_cross(arm_of(s, i), taken));
    }
    s->linear = linear, s->angular = angular;
}

static void add_inertia(sums *s) {
    mus_sym3 j = {0};
    EACH_VERTEX(s->parts, s->count) {
        mus_inertia_add(&j, part->cloth->mass[k], arm_of(s, i));
    }
    s->inertia = j;
}

static v3 shifted_velocity(const sums *s, int32_t i) {
    return v3_add(s->v0[i], v3_add(s->change[i], s->shift));
}

static void add_energy_after(sums *s) {
    double energy = 0;
    EACH_VERTEX(s->parts, s->count) energy += 0.5 * part->cloth->mass[k] * v3_length2(shifted_velocity(s, i));
    s->energy = energy;
}

static void add_turning(sums *s) {
    double first = 0, second = 0;
    EACH_VERTEX(s->parts, s->count) {
        v3 turn = v3_cross(s->spin, arm_of(s, i));
        first += part->cloth->mass[k] * v3_dot(shifted_velocity(s, i), turn);
        second += 0.5 * part->cloth->mass[k] * v3_length2(turn);
    }
    s->first = first, s->second = second;
}

typedef struct pass {
    sums *s;
    void (*add[2])(sums *s); /* each to sums of its own */
} pass;

static void add_one(void *context, int64_t begin, int64_t end, int64_t block) {
    const pass *p = context;
    (void)end, (void)block;
    p->add[begin](p->s);
}

static void add_both(sums *s, int threads, void (*one)(sums *s), void (*other)(sums *s)) {
    int64_t vertices = 0;
    for (int32_t k = 0; k < s->count; k++) vertices += s->parts[k].cloth->vertex_count;
    pass p = {s, {one, other}};
    mus_parallel_for(vertices < MUS_PARALLEL_MANY_VERTICES ? 1 : threads, 2, 1, add_one, &p);
}

mus_momentum mus_momentum_begin(const mus_momentum_part *parts, int32_t count, const v3 *x0, const v3 *v0,
                                const v3 *impulse, int threads) {
    mus_momentum m = {0};
    EACH_VERTEX(parts, count) {
        m.mass += part->cloth->mass[k];
        m.center = v3_axpy(part->cloth->mass[k], x0[i], m.center);
    }
    m.center = v3_scale(1 / m.mass, m.center);
    sums s = {.m = &m, .parts = parts, .count = count, .x0 = x0, .v0 = v0, .impulse = impulse};
    add_both(&s, threads, add_impulses, add_energy_before);
    m.linear = s.linear, m.angular = s.angular, m.energy = s.energy;
    return m;
}

void mus_inertia_add(mus_sym3 *j, double mass, v3 r) {
    j->xx += mass * (r.y * r.y + r.z * r.z), j->yy += mass * (r.x * r.x + r.z * r.z);
    j->zz += mass * (r.x * r.x + r.y * r.y);
    j->xy -= mass * r.x * r.y, j->xz -= mass * r.x * r.z, j->yz -= mass * r.y * r.z;
}

v3 mus_inertia_spin(const mus_sym3 *inertia, v3 angular) {
    double xx = inertia->xx, xy = inertia->xy, xz = inertia->xz, yy = inertia->yy, yz = inertia->yz, zz = inertia->zz;
    double p = yy * zz - yz * yz, q = xz * yz - xy * zz, s = xy * yz - xz * yy, trace = xx + yy + zz;
    double det = xx * p + xy * q + xz * s;
    if (!(det > 1e-9 * trace * trace * trace)) return v3_make(0, 0, 0); /* collinear: no spin along the line */
    v3 spin = v3_make(p * angular.x + q * angular.y + s * angular.z,
                      q * angular.x + (xx * zz - xz * xz) * angular.y + (xy * xz - xx * yz) * angular.z,
                      s * angular.x + (xy * xz - xx * yz) * angular.y + (xx * yy - xy * xy) * angular.z);
    return v3_scale(1 / det, spin);
}

double mus_spin_share(double first, double second, double room) {
    if (!(second > 0)) return 0;
    if (first + second <= room) return 1;
    return fmin(1, fmax(0, (sqrt(first * first + 4 * second * room) - first) / (2 * second)));
}

typedef struct correction {
    v3 *change; /* from the part's first vertex on */
    const v3 *x0;
    v3 shift, spin, center;
    double share;
} correction;

static void correct_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const correction *c = context;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        v3 turn = v3_cross(c->spin, v3_sub(c->x0[i], c->center));
        c->change[i] = v3_axpy(c->share, turn, v3_add(c->change[i], c->shift));
    }
}

void mus_momentum_end(const mus_momentum *m, const mus_momentum_part *parts, int32_t count, const v3 *x0, const v3 *v0,
                      const mus_sym3 *own, v3 *change, int threads) {
    sums s = {.m = m, .parts = parts, .count = count, .x0 = x0, .v0 = v0, .own = own, .change = change};
    add_both(&s, threads, take_changes, add_inertia);
    s.shift = v3_scale(1 / m->mass, s.linear), s.spin = mus_inertia_spin(&s.inertia, s.angular);
    add_both(&s, threads, add_energy_after, add_turning);
    double share = mus_spin_share(s.first, s.second, fmax(0, m->energy * (1 + 1e-9) - s.energy));
    for (int32_t k = 0; k < count; k++) {
        int32_t first = parts[k].first;
        correction c = {change + first, x0 + first, s.shift, s.spin, m->center, share};
        mus_parallel_vertices(threads, parts[k].cloth->vertex_count, correct_block, &c);
    }
}
