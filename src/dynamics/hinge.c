/* hinge.c: bending of hinges. The moment about the common edge grows with the bend 2 tan(angle/2) (Grinspun et al.
 * 2003, "Discrete shells"; the tangent as in Tamstorf & Grinspun 2013): unlike the quadratic model's, which decreases
 * past a right angle and vanishes in a sharp crease, it always opens the fold. Damping is by the rate of the angle, so
 * that it exerts no force on rigid motion.
 *
 * The implicit matrix uses (g_i . g_j) I for the moment's rate of change, g g^T for the gradients g of the angle: as
 * stiff in all directions, and where flat the quadratic model's (Bergou et al. 2006). (sum g.v)^2 is at most the rank
 * of the g times |sum g v^T|^2: 1 where flat, 2 where bent, `rank` between. It bounds the stiffness along bending;
 * motions that separate two nearly equal normals, which springs resist, and the change of g itself are not covered.
 * With the flat model's weights instead of g, sharp folds oscillated at rest by a tenth of a meter per second. */
#include "dynamics/dynamics.h"
#include "model/hinge_shape.h"

bool mus_hinge_gradient(const mus_hinge *h, const v3 *x, double *bend, double *turn, v3 gradient[4]) {
    v3 x0 = x[h->vertex[0]], x1 = x[h->vertex[1]], x2 = x[h->vertex[2]], x3 = x[h->vertex[3]];
    mus_hinge_shape shape;
    if (!mus_hinge_measure(x0, x1, x2, x3, &shape)) return false;
    mus_hinge_shape_gradient(&shape, x0, x2, x3, (double)h->low, gradient);
    *bend = shape.bend, *turn = shape.cosine;
    return true;
}

static double rate_of(const mus_hinge *h, const v3 gradient[4], const v3 *v) {
    double rate = 0; /* differences: the gradients sum to zero, so a common velocity contributes no rounding error */
    for (int k = 1; k < 4; k++) rate += v3_dot(gradient[k], v3_sub(v[h->vertex[k]], v[h->vertex[0]]));
    return rate;
}

void mus_hinge_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force) {
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        double damping = mus_cloth_bending_damping(cloth, h->vertex, 4);
        v3 gradient[4];
        double bend, turn;
        if (!mus_hinge_gradient(h, x, &bend, &turn, gradient)) continue;
        double moment = h->moment * (bend - h->rest + damping * rate_of(h, gradient, v));
        for (int c = 0; c < 4; c++) force[h->vertex[c]] = v3_axpy(-moment, gradient[c], force[h->vertex[c]]);
    }
}

void mus_hinge_linearize_range(const mus_cloth *cloth, const uint8_t *hinge_pair, const mus_element_range *range,
                               const v3 *x, const v3 *v, double dt, v3 *right, mus_block_matrix *matrix) {
    static const int pair_of[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int32_t k = range->first; k < range->last; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        double damping = mus_cloth_bending_damping(cloth, h->vertex, 4);
        bool owns[4];
        for (int c = 0; c < 4; c++) owns[c] = mus_element_range_owns(range, h->vertex[c]);
        if (!owns[0] && !owns[1] && !owns[2] && !owns[3]) continue;
        v3 gradient[4];
        double bend, turn;
        if (!mus_hinge_gradient(h, x, &bend, &turn, gradient)) continue;
        double steep = 1 + 0.25 * bend * bend; /* d bend / d angle */
        double impulse = dt * h->moment * (bend - h->rest + (dt * steep + damping) * rate_of(h, gradient, v));
        for (int c = 0; c < 4; c++)
            if (owns[c]) right[h->vertex[c]] = v3_axpy(-impulse, gradient[c], right[h->vertex[c]]);
        double rank = 2 - turn * turn; /* 1 where flat */
        double stiffness = h->moment * (dt * dt * steep + dt * damping) * rank;
        for (int p = 0; p < 6; p++) { /* gradients sum to zero: the diagonal's share is minus that of the pairs */
            int i = pair_of[p][0], j = pair_of[p][1];
            if (!owns[h->vertex[i] < h->vertex[j] ? i : j]) continue;
            int32_t pair = mus_block_matrix_pair(matrix, h->vertex[i], h->vertex[j], hinge_pair[6 * k + p]);
            matrix->pair[pair].t -= (float)(stiffness * v3_dot(gradient[i], gradient[j]));
        }
    }
}

void mus_hinge_bound(const mus_cloth *cloth, v3 *sum) {
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        double weights = 0;
        for (int c = 0; c < 4; c++) weights += fabs((double)h->weight[c]);
        for (int c = 0; c < 4; c++) {
            double row = h->stiffness * fabs((double)h->weight[c]) * weights;
            sum[h->vertex[c]].x += row;
            sum[h->vertex[c]].y += row * mus_cloth_bending_damping(cloth, h->vertex, 4);
        }
    }
}
