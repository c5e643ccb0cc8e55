/* repair.c: separates overlaps at the start, a little in each round, until the auditor finds none. */
#include "model/order.h"
#include "world/overlap/overlap_exemption.h"
#include "world/overlap/repair_crossing.h"
#include "world/overlap/start.h"

#include <string.h>

/* Number of rounds; in the first STRAIN_LIMITED_ROUNDS of them the strain of displaced cloth is limited, later only
 * gaps count. In test_start, of whose 24 random scenes 18 are tangled and repaired in 990 rounds: half the rounds leave
 * 4 of them and sheets in solids unrepaired, twice is the same; limited in 80 rounds, they take 745, in 239, 3 of them
 * and sheets in solids are not repaired; 1 sweep takes 1229 rounds, 6 take 1039. */
enum { MAX_REPAIR_ROUNDS = 240, STRAIN_LIMITED_ROUNDS = 160, STRAIN_SWEEPS = 3 };

/* Largest displacement of a vertex in a round, as a share of the cloth's mean edge; strain allowed to an edge.
 * Half and twice the displacement: 1279 and 1001 rounds, a cloth pierced by itself 260 and 17 for 10. Twice the strain:
 * 1271, 259 for 10; half 1306, another 31 for 8. */
static const double max_displacement_per_edge = 0.4, max_strain = 0.1;

static mus_status make_displacements(const mus_assembly *a, mus_displacements *p) {
    size_t n = (size_t)a->cloth_vertex_count + 1;
    *p = (mus_displacements){a, mus_new(sizeof(v3) * n), mus_new(sizeof(double) * n)};
    return p->sum && p->weight ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void free_displacements(mus_displacements *p) {
    mus_free(p->sum);
    mus_free(p->weight);
}

static void apply_displacements(const mus_assembly *a, mus_displacements *p) {
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

/* Limits the strain of edges by moving their neighborhood. Edges that were longer at the start may stay so. */
static void limit_strain(const mus_assembly *a, const v3 *start) {
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

static mus_status one_round(const mus_world *world, const mus_world_view *view, const mus_audit_report *found,
                            int round, const v3 *start, mus_tangle *tangle, mus_displacements *displacements) {
    mus_status status = mus_repair_crossings(world, view, found, round, tangle, displacements);
    if (status == MUS_STATUS_OK) status = mus_repair_solids(world, view, found, 0.5, displacements);
    if (status != MUS_STATUS_OK) return status;
    apply_displacements(displacements->assembly, displacements);
    if (round < STRAIN_LIMITED_ROUNDS) limit_strain(displacements->assembly, start);
    return MUS_STATUS_OK;
}

/* Runs rounds until nothing is found, or up to the limit. `found` then has the findings of the last one. */
static mus_status run_rounds(mus_world *world, const mus_world_view *view, const v3 *start, mus_tangle *tangle,
                             mus_displacements *displacements, mus_audit_report *found) {
    mus_status status = MUS_STATUS_OK;
    for (int round = 0; status == MUS_STATUS_OK; round++) {
        status = mus_audit_scene(view->objects, view->count, mus_world_view_ignored, world, 0,
                                 world->solver_def.threads, found);
        if (status == MUS_STATUS_OK) mus_exemptions_filter_report(world, found);
        if (status != MUS_STATUS_OK || found->finding_count == 0 || round == MAX_REPAIR_ROUNDS) return status;
        world->start_report.rounds++;
        status = one_round(world, view, found, round, start, tangle, displacements);
        mus_audit_report_destroy(found);
    }
    return status;
}

static void copy_positions(const mus_assembly *a, v3 *to, const v3 *from) {
    for (int32_t k = 0; k < a->cloth_count; k++) {
        size_t first = (size_t)a->objects[k].first, bytes = sizeof(v3) * (size_t)a->objects[k].count;
        double *x = mus_cloth_given(a->objects[k].cloth)->x;
        if (to)
            memcpy(to + first, x, bytes);
        else
            memcpy(x, from + first, bytes);
    }
}

mus_status mus_world_untangle(mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    mus_world_view view = {0};
    mus_tangle tangle = {0};
    mus_displacements displacements = {0};
    mus_audit_report found = {0};
    v3 *start = mus_new(sizeof *start * ((size_t)a->cloth_vertex_count + 1));
    mus_status status = start ? mus_world_view_make(world, &view) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = make_displacements(a, &displacements);
    if (status == MUS_STATUS_OK) status = mus_tangle_make(&view, &tangle);
    if (status == MUS_STATUS_OK) copy_positions(a, start, NULL);
    for (int attempt = 0; attempt < 2 && status == MUS_STATUS_OK; attempt++) {
        mus_audit_report_destroy(&found);
        if (attempt > 0) copy_positions(a, NULL, start);
        tangle.layered = attempt > 0;
        status = run_rounds(world, &view, start, &tangle, &displacements, &found);
        if (found.finding_count == 0) break;
    }
    if (status == MUS_STATUS_OK && found.finding_count > 0)
        status = mus_world_name_overlaps(world, &found, "overlaps at the start could not be repaired: ",
                                         "move it apart in the scene, or free the pins that hold it");
    mus_audit_report_destroy(&found);
    free_displacements(&displacements);
    mus_tangle_free(&tangle);
    mus_world_view_free(&view);
    mus_free(start);
    return status;
}
