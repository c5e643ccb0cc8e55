/* untangle.c: separates overlaps at the start, a little in each round, until the auditor finds none. */
#include "world/overlap/layer.h"
#include "world/overlap/overlap_exemption.h"
#include "world/overlap/untangle_crossing.h"
#include "world/overlap/start.h"

/* Number of rounds; in the first STRAIN_LIMITED_ROUNDS of them the strain of displaced cloth is limited, later only
 * gaps count; cloth that still crosses itself after FLATTEN_AFTER is flattened there. In test_start, of whose 24 random
 * scenes 18 are tangled and separated in 990 rounds: half the rounds leave 4 of them and sheets in solids tangled,
 * twice is the same; limited in 80 rounds, they take 745, in 239, 3 of them and sheets in solids are not separated.
 * Without flattening, draped shirts over each other stay tangled (docs/algorithms.md 18). */
enum { MAX_ROUNDS = 240, STRAIN_LIMITED_ROUNDS = 160, FLATTEN_AFTER = 20 };
/* Share of all vertices that may seem misplaced: in tight folds the side of a layer is ambiguous. */
static const double tolerated_share = 0.005;

static mus_status one_round(const mus_world *world, const mus_world_view *view, const mus_audit_report *found,
                            int round, const v3 *start, mus_tangle *tangle, mus_displacements *displacements) {
    mus_status status = mus_untangle_crossings(world, view, found, round, tangle, displacements);
    if (status == MUS_STATUS_OK) status = mus_untangle_solids(world, view, found, 0.5, displacements);
    if (status == MUS_STATUS_OK && round >= FLATTEN_AFTER) status = mus_untangle_flatten(found, displacements);
    if (status != MUS_STATUS_OK) return status;
    mus_displacements_apply(displacements);
    if (round < STRAIN_LIMITED_ROUNDS) mus_displacements_limit_strain(displacements, start);
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
        if (status != MUS_STATUS_OK || found->finding_count == 0 || round == MAX_ROUNDS) return status;
        world->start_report.rounds++;
        status = one_round(world, view, found, round, start, tangle, displacements);
        mus_audit_report_destroy(found);
    }
    return status;
}

/* How an attempt treats what crosses. */
typedef struct attempt {
    bool placed;  /* layers are placed first */
    bool layered; /* objects that cross have one side each, instead of components of which the wrong ones go back */
} attempt;

typedef struct untangling {
    mus_world *world;
    mus_world_view view;
    mus_tangle tangle;
    mus_displacements displacements;
    v3 *start, *clear; /* positions; `clear`: without overlaps, and the fewest vertices out of place */
    bool is_clear;
    int64_t misplaced; /* vertices of layers in that state */
} untangling;

static mus_status untangling_make(mus_world *world, mus_start_pairs *pairs, untangling *u) {
    size_t n = (size_t)world->solver.assembly.cloth_vertex_count + 1;
    *u = (untangling){.world = world, .start = mus_new(sizeof(v3) * n), .clear = mus_new(sizeof(v3) * n)};
    mus_status status = u->start && u->clear ? mus_world_view_make(world, &u->view) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = mus_displacements_make(&world->solver.assembly, pairs, &u->displacements);
    if (status == MUS_STATUS_OK) status = mus_tangle_make(&u->view, &u->tangle);
    if (status == MUS_STATUS_OK) mus_layers_choose_sides(world, pairs, &u->tangle);
    if (status == MUS_STATUS_OK) mus_start_save_positions(world, u->start);
    return status;
}

static void untangling_free(untangling *u) {
    mus_displacements_free(&u->displacements);
    mus_tangle_free(&u->tangle);
    mus_world_view_free(&u->view);
    mus_free(u->start);
    mus_free(u->clear);
}

/* `done`: set if there are no overlaps, and layers are in place. */
static mus_status run_attempt(untangling *u, const attempt *how, mus_audit_report *found, bool *done) {
    int64_t misplaced = 0;
    mus_status status = MUS_STATUS_OK;
    mus_start_load_positions(u->world, u->start);
    u->tangle.layered = how->layered;
    if (how->placed) status = mus_layers_place(u->world, &u->view, &u->tangle, u->start, &u->displacements);
    if (status == MUS_STATUS_OK)
        status = run_rounds(u->world, &u->view, u->start, &u->tangle, &u->displacements, found);
    if (status != MUS_STATUS_OK || found->finding_count > 0) return status;
    status = mus_layers_count_misplaced(u->world, &u->view, &u->tangle, u->displacements.pairs, &misplaced);
    *done =
        status == MUS_STATUS_OK && (double)misplaced <= tolerated_share * u->displacements.assembly->cloth_vertex_count;
    if (status != MUS_STATUS_OK || (u->is_clear && misplaced >= u->misplaced)) return status;
    mus_start_save_positions(u->world, u->clear);
    u->is_clear = true, u->misplaced = misplaced;
    return MUS_STATUS_OK;
}

mus_status mus_world_untangle(mus_world *world, mus_start_pairs *pairs) {
    static const attempt plain[] = {{false, false}, {false, true}}, layers[] = {{false, false}, {true, false}};
    const attempt *attempts = pairs->outward ? layers : plain;
    int count = pairs->outward ? sizeof layers / sizeof *layers : sizeof plain / sizeof *plain;
    untangling u;
    pairs->misplaced = 0;
    mus_audit_report found = {0};
    bool done = false;
    mus_status status = untangling_make(world, pairs, &u);
    for (int k = 0; k < count && !done && status == MUS_STATUS_OK; k++) {
        mus_audit_report_destroy(&found);
        status = run_attempt(&u, &attempts[k], &found, &done);
    }
    if (status == MUS_STATUS_OK && u.is_clear) {
        mus_start_load_positions(world, u.clear);
        world->start_report.misplaced = (int32_t)u.misplaced;
    } else if (status == MUS_STATUS_OK) {
        status = mus_world_name_overlaps(world, &found, "overlaps at the start could not be untangled: ",
                                         "move it apart in the scene, or free the pins that hold it");
    }
    mus_audit_report_destroy(&found);
    untangling_free(&u);
    return status;
}
