/* strain_bridson.c: impulses along edges so that at the end of a step none is strained beyond the limit, nor has
 * changed its length by more than that share within the step (Bridson, Fedkiw & Anderson 2002, 6; BRI 2.5). An edge
 * that was over the limit before is shortened by that share per step. */
#include "dynamics/strain_limit.h"

static double pass(mus_strain_limit *limit, const double *inverse_mass, const v3 *x0, v3 *x, mus_moved moved,
                   void *context) {
    double worst = 1;
    for (int32_t k = 0; k < limit->count; k++) {
        const mus_limit_edge *e = &limit->edges[k];
        double before = v3_length(v3_sub(x0[e->a], x0[e->b])), length = v3_length(v3_sub(x[e->a], x[e->b]));
        double least = before * (1 - e->share), most = fmax(least, fmin(e->longest, before * (1 + e->share)));
        double wanted = fmin(most, fmax(least, length));
        if (wanted == length || !(length > 0) || inverse_mass[e->a] + inverse_mass[e->b] <= 0) continue;
        worst = fmax(worst, fmax(length / wanted, wanted / length));
        mus_limit_edge_set(e, inverse_mass, length, wanted, x, moved, context);
    }
    return worst;
}

const mus_strain_stage mus_strain_bridson = {"bridson", NULL, pass};
