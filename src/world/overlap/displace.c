/* displace.c: displacements of cloth before the first step. */
#include "world/overlap/displace.h"
#include "model/order.h"

#include <string.h>

/* Largest displacement of a vertex in a round, as a share of the cloth's mean edge; strain allowed to an edge.
 * In test_start half and twice the displacement: 1279 and 1001 rounds for 990, a cloth pierced by itself 260 and 17 for
 * 10. Twice the strain: 1271, 259 for 10; half 1306, another 31 for 8. 1 sweep over the edges takes 1229 rounds, 6 take
 * 1039. */
static const double max_displacement_per_edge = 0.4, max_strain = 0.1;
enum { STRAIN_SWEEPS = 3 };

mus_displaced_pair *mus_start_pairs_find(mus_start_pairs *pairs, int32_t a, int32_t b) {
    if (a > b) return mus_start_pairs_find(pairs, b, a);
    for (int64_t k = 0; k < pairs->list.count; k++) {
        mus_displaced_pair *pair = &pairs->list.data[k];
        if (pair->object[0] == a && pair->object[1] == b) return pair;
    }
    mus_displaced_pair made = {.object = {a, b}};
    return mus_array_push(&pairs->list, made) ? &pairs->list.data[pairs->list.count - 1] : NULL;
}

void mus_start_pairs_free(mus_start_pairs *pairs) {
    for (int64_t k = 0; k < pairs->list.count; k++) mus_free(pairs->list.data[k].marks);
    mus_array_free(&pairs->list);
    mus_free(pairs->outward);
}

mus_status mus_displacements_make(const mus_assembly *a, mus_start_pairs *pairs, mus_displacements *p) {
    size_t n = (size_t)a->cloth_vertex_count + 1;
    *p = (mus_displacements){a, mus_new(sizeof(v3) * n), mus_new(sizeof(double) * n), pairs, NULL};
    return p->sum && p->weight ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_displacements_free(mus_displacements *p) {
    mus_free(p->sum);
    mus_free(p->weight);
}

mus_status mus_displacements_begin_pair(mus_displacements *p, int32_t a, int32_t b) {
    p->marks = NULL;
    if (!p->pairs) return MUS_STATUS_OK;
    mus_displaced_pair *pair = mus_start_pairs_find(p->pairs, a, b);
    if (!pair) return MUS_STATUS_NO_MEMORY;
    if (!pair->marks) pair->marks = mus_new((size_t)p->assembly->cloth_vertex_count + 1);
    p->marks = pair->marks;
    return p->marks ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_displacements_apply(mus_displacements *p) {
    const mus_assembly *a = p->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = mus_cloth_given(a->objects[k].cloth);
        double most = max_displacement_per_edge * cloth->mean_edge;
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            int32_t at = a->objects[k].first + i;
            if (!(p->weight[at] > 0)) continue;
            v3 by = v3_scale(1 / p->weight[at], p->sum[at]);
            double size = v3_length(by);
            if (size > most) by = v3_scale(most / size, by);
            v3_store(cloth->x + 3 * (size_t)i, v3_add(v3_load(cloth->x + 3 * (size_t)i), by));
        }
    }
    memset(p->sum, 0, sizeof(v3) * (size_t)a->cloth_vertex_count);
    memset(p->weight, 0, sizeof(double) * (size_t)a->cloth_vertex_count);
}

void mus_displacements_limit_strain(const mus_displacements *displacements, const v3 *start) {
    const mus_assembly *a = displacements->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = mus_cloth_given(a->objects[k].cloth);
        const mus_topology *t = &cloth->topology;
        const v3 *from = start + a->objects[k].first;
        for (int sweep = 0; sweep < STRAIN_SWEEPS; sweep++)
            for (int32_t e = 0; e < t->edge_count; e++) {
                int32_t p = t->edges[2 * e], q = t->edges[2 * e + 1];
                double wp = cloth->inverse_mass[p] > 0, wq = cloth->inverse_mass[q] > 0;
                v3 x = v3_load(cloth->x + 3 * (size_t)p), y = v3_load(cloth->x + 3 * (size_t)q), d = v3_sub(y, x);
                double longest = fmax(cloth->rest_lengths[e], v3_length(v3_sub(from[q], from[p]))) * (1 + max_strain);
                double length = v3_length(d);
                if (!(length > longest) || wp + wq == 0) continue;
                d = v3_scale((length - longest) / (length * (wp + wq)), d);
                v3_store(cloth->x + 3 * (size_t)p, v3_axpy(wp, d, x));
                v3_store(cloth->x + 3 * (size_t)q, v3_axpy(-wq, d, y));
            }
    }
}

void mus_start_save_positions(const mus_world *world, v3 *to) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        memcpy(to, cloth->x, sizeof(v3) * (size_t)cloth->vertex_count);
        to += cloth->vertex_count;
    }
}

void mus_start_load_positions(const mus_world *world, const v3 *from) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        memcpy(cloth->x, from, sizeof(v3) * (size_t)cloth->vertex_count);
        from += cloth->vertex_count;
    }
}
