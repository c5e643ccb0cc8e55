/* start.c: the state before the first step: reports, untangles or exempts overlaps, and separates touching pairs. */
#include "world/overlap/start.h"
#include "world/overlap/layer.h"
#include "world/overlap/overlap_exemption.h"

#include <string.h>

static bool rigid_bodies_overlap(const mus_world *world, const mus_audit_report *report) {
    for (int64_t k = 0; k < report->finding_count; k++)
        if (report->findings[k].part[0] >= (int32_t)world->cloth_order.count) return true;
    return false;
}

/* Returns the setting for the objects of a finding; layers are untangled. */
static mus_overlap configured_overlap(const mus_world *world, const mus_audit_finding *f) {
    const mus_pair_overlap *pair = mus_world_pair_overlap(world, f->part[0], f->part[1]);
    if (pair) return pair->overlap;
    return mus_layer_order(world, f->part[0], f->part[1]) != 0 ? MUS_OVERLAP_UNTANGLE : world->def.overlap;
}

/* Selects the findings with the setting `what`. */
static mus_status select_findings(const mus_world *world, const mus_audit_report *found, mus_overlap what,
                                  mus_audit_report *some) {
    *some = (mus_audit_report){.findings = mus_new(sizeof *some->findings * ((size_t)found->finding_count + 1))};
    if (!some->findings) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < found->finding_count; k++)
        if (configured_overlap(world, &found->findings[k]) == what)
            some->findings[some->finding_count++] = found->findings[k];
    return MUS_STATUS_OK;
}

static mus_status apply_overlap_policy(mus_world *world, mus_start_pairs *pairs, const mus_audit_report *found) {
    mus_audit_report some[MUS_OVERLAP_COUNT] = {{0}};
    mus_status status = MUS_STATUS_OK;
    for (int k = 0; k < MUS_OVERLAP_COUNT && status == MUS_STATUS_OK; k++)
        status = select_findings(world, found, (mus_overlap)k, &some[k]);
    if (status == MUS_STATUS_OK && some[MUS_OVERLAP_REFUSE].finding_count)
        status =
            mus_world_name_overlaps(world, &some[MUS_OVERLAP_REFUSE], "",
                                    "move them apart, exclude the pair from collisions, or set overlap = \"untangle\" "
                                    "(separated before the run) or \"allow\" (exempt until they have moved "
                                    "apart), of the world or of the pair in world:between");
    if (status == MUS_STATUS_OK && some[MUS_OVERLAP_ALLOW].finding_count) {
        status = mus_exemptions_make(world, &some[MUS_OVERLAP_ALLOW]);
        world->start_report.allowed = mus_exemptions_count(world);
    }
    if (status == MUS_STATUS_OK && (some[MUS_OVERLAP_UNTANGLE].finding_count || pairs->misplaced))
        status = mus_world_untangle(world, pairs);
    for (int k = 0; k < MUS_OVERLAP_COUNT; k++) mus_audit_report_destroy(&some[k]);
    return status;
}

/* Returns whether a vertex has moved by more than its cloth's thickness. */
static bool has_gone_far(const mus_world *world, const v3 *before) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            double way = v3_length(v3_sub(v3_load(cloth->x + 3 * (size_t)i), *before++));
            if (way > mus_cloth_thickness_of(cloth, &i, 1)) return true;
        }
    }
    return false;
}

/* Overlaps caused by separating touching pairs are untangled, whatever the setting, if displacements of up to a
 * thickness suffice. If not, surfaces crossed at the start, exactly along their edges and vertices, and the setting
 * applies. */
static mus_status handle_own_overlaps(mus_world *world, mus_start_pairs *pairs, const mus_audit_report *found) {
    v3 *before = mus_new(sizeof *before * ((size_t)world->solver.assembly.cloth_vertex_count + 1));
    if (!before) return MUS_STATUS_NO_MEMORY;
    mus_start_save_positions(world, before);
    mus_status status = mus_world_untangle(world, pairs);
    if (status == MUS_STATUS_OVERLAP || (status == MUS_STATUS_OK && has_gone_far(world, before))) {
        mus_start_load_positions(world, before);
        status = apply_overlap_policy(world, pairs, found);
    }
    mus_free(before);
    return status;
}

/* `own`: the overlaps were caused by separating touching pairs. */
static mus_status handle_overlaps(mus_world *world, mus_start_pairs *pairs, const mus_audit_report *found, bool own) {
    if (found->finding_count == 0 && !pairs->misplaced) return MUS_STATUS_OK;
    if (rigid_bodies_overlap(world, found))
        return mus_world_name_overlaps(world, found, "", "move the body out before the run");
    return own ? handle_own_overlaps(world, pairs, found) : apply_overlap_policy(world, pairs, found);
}

static bool has_moved(const mus_world *world, const v3 *before) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        size_t n = (size_t)cloth->vertex_count;
        if (memcmp(cloth->x, before, sizeof(v3) * n) != 0) return true;
        before += n;
    }
    return false;
}

/* Releases the solver's scratch memory, which is large, during the audit. */
static mus_status audit(mus_world *world, mus_audit_report *found) {
    mus_solver_release_scratch(&world->solver);
    mus_status status = mus_world_find_overlaps(world, MUS_START_TOLERANCE, found);
    mus_status up = mus_solver_acquire_scratch(&world->solver);
    if (up == MUS_STATUS_OK) return status;
    world->assembled = false;
    if (status == MUS_STATUS_OK) mus_audit_report_destroy(found);
    return status == MUS_STATUS_OK ? up : status;
}

mus_status mus_world_accept_if_clear(mus_world *world, const mus_audit_report *report) {
    if (report->finding_count > 0)
        return mus_world_name_overlaps(world, report, "", "move them apart, or exclude the pair from collisions");
    world->validated = true;
    return MUS_STATUS_OK;
}

/* Handles what an audit found; positions may have been changed on failure. */
static mus_status begin(mus_world *world, mus_start_pairs *pairs, const v3 *before, mus_audit_report *found) {
    enum { CYCLES = 4 };
    mus_status status = mus_start_pairs_count(pairs, found);
    if (status == MUS_STATUS_OK) status = mus_layers_find(world, pairs);
    /* separating touching pairs may cause other crossings where there is little space */
    for (int cycle = 0; cycle < CYCLES && status == MUS_STATUS_OK; cycle++) {
        bool clear = found->finding_count == 0;
        status = handle_overlaps(world, pairs, found, cycle > 0);
        if (status == MUS_STATUS_OK) status = mus_world_separate_touching(world);
        if (status != MUS_STATUS_OK || (clear && !has_moved(world, before))) break; /* already audited */
        mus_audit_report_destroy(found);
        status = audit(world, found);
        if (found->finding_count == 0) break;
    }
    return status == MUS_STATUS_OK ? mus_world_accept_if_clear(world, found) : status;
}

mus_status mus_world_begin(mus_world *world) {
    size_t n = (size_t)world->solver.assembly.cloth_vertex_count;
    world->start_report = (mus_start_report){0};
    mus_exemptions_clear(world);
    mus_start_pair_list_free(&world->start_pairs);
    mus_audit_report found;
    mus_start_pairs pairs = {0};
    mus_status status = audit(world, &found);
    if (status != MUS_STATUS_OK) return status;
    world->start_report.crossings = found.intersections, world->start_report.inside = found.inside;
    world->start_report.touches = found.touches;
    v3 *before = mus_new(sizeof(v3) * (n + 1));
    if (!before) status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        mus_start_save_positions(world, before);
        status = begin(world, &pairs, before, &found);
    }
    mus_audit_report_destroy(&found);
    if (status == MUS_STATUS_OK) status = mus_start_report_moves(world, &pairs, before);
    if (status != MUS_STATUS_OK) {
        mus_exemptions_clear(world);
        if (before) mus_start_load_positions(world, before);
        world->validated = false;
    }
    mus_start_pairs_free(&pairs);
    mus_free(before);
    return status;
}

mus_status mus_world_separate_later(mus_world *world, int64_t touches) {
    v3 *before = mus_new(sizeof *before * ((size_t)world->solver.assembly.cloth_vertex_count + 1));
    if (!before) return MUS_STATUS_NO_MEMORY;
    mus_start_save_positions(world, before);
    mus_start_report kept = world->start_report;
    world->start_report.touches = touches;
    mus_status status = mus_world_separate_touching(world);
    world->start_report = kept;
    mus_audit_report found = {0};
    bool moved = has_moved(world, before);
    if (status == MUS_STATUS_OK && moved) status = mus_world_find_overlaps(world, MUS_START_TOLERANCE, &found);
    if (status == MUS_STATUS_OK) status = mus_world_accept_if_clear(world, &found);
    mus_audit_report_destroy(&found);
    if (status != MUS_STATUS_OK) mus_start_load_positions(world, before);
    mus_free(before);
    return status;
}

const char *mus_overlap_get_name(mus_overlap overlap) {
    static const char *const names[MUS_OVERLAP_COUNT] = {"refuse", "untangle", "allow"};
    return (int)overlap >= 0 && overlap < MUS_OVERLAP_COUNT ? names[overlap] : "unknown";
}
