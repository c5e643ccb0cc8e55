/* hinge.c: quadratic bending of hinges (Bergou et al. 2006, "A quadratic bending model for inextensible surfaces").
 * With C = sum w_k x_k the energy is k/2 |C|^2 where the rest shape is flat, and k/2 (|C| - L)^2 where it is curved:
 * both free of force under rigid motions. Damping acts on the rate of C (flat) or of |C| (curved). */
#include "dynamics/dynamics.h"

typedef struct curvature {
    v3 c, rate;
    double length;
} curvature;

static curvature curvature_of(const mus_hinge *h, const v3 *x, const v3 *v) {
    /* differences from the first corner: the weights sum to zero, and a place far from the origin costs nothing */
    v3 c = v3_make(0, 0, 0), rate = c;
    for (int k = 1; k < 4; k++) {
        c = v3_axpy(h->weight[k], v3_sub(x[h->vertex[k]], x[h->vertex[0]]), c);
        rate = v3_axpy(h->weight[k], v3_sub(v[h->vertex[k]], v[h->vertex[0]]), rate);
    }
    return (curvature){c, rate, v3_length(c)};
}

void mus_hinge_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force) {
    double damping = cloth->material.bending_damping;
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        curvature now = curvature_of(h, x, v);
        v3 f;
        if (h->rest > 0) {
            v3 u = now.length > 0 ? v3_scale(1 / now.length, now.c) : v3_make(0, 0, 0);
            f = v3_scale(h->stiffness * (now.length - h->rest + damping * v3_dot(u, now.rate)), u);
        } else {
            f = v3_scale(h->stiffness, v3_axpy(damping, now.rate, now.c));
        }
        for (int c = 0; c < 4; c++) force[h->vertex[c]] = v3_axpy(-h->weight[c], f, force[h->vertex[c]]);
    }
}

void mus_hinge_linearise(const mus_cloth *cloth, const int32_t *hinge_pair, const v3 *x, const v3 *v, double dt,
                         v3 *right, mus_block_matrix *matrix) {
    static const int pair_of[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    double damping = cloth->material.bending_damping;
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        curvature now = curvature_of(h, x, v);
        double along = h->stiffness * (dt * dt + dt * damping); /* along u, and in all directions where flat */
        double across = along;
        v3 u = v3_make(0, 0, 0), f;
        if (h->rest > 0) {
            if (!(now.length > 0)) continue;
            u = v3_scale(1 / now.length, now.c);
            double bent = 1 - h->rest / now.length; /* negative: the indefinite part, dropped */
            across = bent > 0 ? h->stiffness * dt * dt * bent : 0;
            f = v3_add(v3_scale(dt * h->stiffness * (now.length - h->rest) + (along - across) * v3_dot(u, now.rate), u),
                       v3_scale(across, now.rate));
        } else {
            f = v3_add(v3_scale(dt * h->stiffness, now.c), v3_scale(along, now.rate));
        }
        for (int c = 0; c < 4; c++) {
            double w = h->weight[c];
            right[h->vertex[c]] = v3_axpy(-w, f, right[h->vertex[c]]);
            mus_sym3_add(&matrix->diagonal[h->vertex[c]], w * w * (along - across), u, w * w * across);
        }
        for (int p = 0; p < 6; p++) {
            double w = h->weight[pair_of[p][0]] * h->weight[pair_of[p][1]];
            mus_sym3_add(&matrix->value[hinge_pair[6 * k + p]], w * (along - across), u, w * across);
        }
    }
}
