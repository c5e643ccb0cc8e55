/* momentum.c: linear and angular momentum of cloth that nothing holds. Forces within it cannot change either, but the
 * solver stops before they cancel to the last digit, and springs linearised in a turn pull beside their own ends (a
 * spinning disc would lose half its spin in a fifth of a second). The difference is one rigid motion, and is taken out.
 * With x1 = x0 + dt v1 the angular momentum at the end is sum x0 x m v1: it is the torque about x0 that must balance.
 */
#include "dynamics/momentum.h"

/* All vertices of the parts: i in the arrays, k in the cloth. */
#define EACH_VERTEX(parts, count)                                                                                      \
    for (const mus_momentum_part *part = (parts), *last = (parts) + (count); part < last; part++)                      \
        for (int32_t k = 0, i = part->first; k < part->cloth->vertex_count; k++, i++)

mus_momentum mus_momentum_begin(const mus_momentum_part *parts, int32_t count, const v3 *x0, const v3 *v0,
                                const v3 *impulse) {
    mus_momentum m = {0};
    EACH_VERTEX(parts, count) {
        m.mass += part->cloth->mass[k];
        m.centre = v3_axpy(part->cloth->mass[k], x0[i], m.centre);
    }
    m.centre = v3_scale(1 / m.mass, m.centre);
    EACH_VERTEX(parts, count) {
        m.linear = v3_add(m.linear, impulse[i]);
        m.angular = v3_add(m.angular, v3_cross(v3_sub(x0[i], m.centre), impulse[i]));
        m.energy += 0.5 * part->cloth->mass[k] * v3_length2(v3_axpy(part->cloth->inverse_mass[k], impulse[i], v0[i]));
    }
    return m;
}

/* Spin that gives the masses this angular momentum about the centre. */
static v3 spin_of(const mus_momentum *m, const mus_momentum_part *parts, int32_t count, const v3 *x0, v3 angular) {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    EACH_VERTEX(parts, count) {
        double w = part->cloth->mass[k];
        v3 r = v3_sub(x0[i], m->centre);
        xx += w * (r.y * r.y + r.z * r.z), yy += w * (r.x * r.x + r.z * r.z), zz += w * (r.x * r.x + r.y * r.y);
        xy -= w * r.x * r.y, xz -= w * r.x * r.z, yz -= w * r.y * r.z;
    }
    double p = yy * zz - yz * yz, q = xz * yz - xy * zz, s = xy * yz - xz * yy, trace = xx + yy + zz;
    double det = xx * p + xy * q + xz * s;
    if (!(det > 1e-9 * trace * trace * trace)) return v3_make(0, 0, 0); /* drawn out to a line: no spin along it */
    v3 spin = v3_make(p * angular.x + q * angular.y + s * angular.z,
                      q * angular.x + (xx * zz - xz * xz) * angular.y + (xy * xz - xx * yz) * angular.z,
                      s * angular.x + (xy * xz - xx * yz) * angular.y + (xx * yy - xy * xy) * angular.z);
    return v3_scale(1 / det, spin);
}

void mus_momentum_end(const mus_momentum *m, const mus_momentum_part *parts, int32_t count, const v3 *x0, const v3 *v0,
                      const mus_sym3 *own, v3 *change) {
    v3 linear = m->linear, angular = m->angular;
    EACH_VERTEX(parts, count) {
        v3 taken = mus_sym3_mul(&own[i], change[i]);
        linear = v3_sub(linear, taken);
        angular = v3_sub(angular, v3_cross(v3_sub(x0[i], m->centre), taken));
    }
    v3 shift = v3_scale(1 / m->mass, linear), spin = spin_of(m, parts, count, x0, angular);
    double energy = 0, first = 0, second = 0; /* with a share s of the spin: energy + s first + s^2 second */
    EACH_VERTEX(parts, count) {
        change[i] = v3_add(change[i], shift);
        v3 v1 = v3_add(v0[i], change[i]), turn = v3_cross(spin, v3_sub(x0[i], m->centre));
        energy += 0.5 * part->cloth->mass[k] * v3_length2(v1);
        first += part->cloth->mass[k] * v3_dot(v1, turn);
        second += 0.5 * part->cloth->mass[k] * v3_length2(turn);
    }
    double room = fmax(0, m->energy * (1 + 1e-9) - energy);
    if (!(second > 0)) return;
    double share = 1;
    if (first + second > room) share = (sqrt(first * first + 4 * second * room) - first) / (2 * second);
    share = fmin(1, fmax(0, share));
    EACH_VERTEX(parts, count)
    change[i] = v3_axpy(share, v3_cross(spin, v3_sub(x0[i], m->centre)), change[i]);
}
