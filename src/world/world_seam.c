/* world_seam.c: the seams of a world: creating and cutting, and the matching of two lines. */
#include "base/cookie.h"
#include "base/range.h"
#include "base/word.h"
#include "world/slots.h"
#include "muslin/seam.h"

#include <stdio.h>
#include <string.h>

mus_seam_def mus_seam_def_default(void) {
    return (mus_seam_def){.cookie = MUS_COOKIE_SEAM_DEF,
                          .closing_time = 0.5,
                          .stiffness = -1,
                          .strength = INFINITY,
                          .damping = -1,
                          .width = -1};
}

static mus_status check_number(const char *field, double value, bool positive, const char *unit) {
    char subject[48];
    snprintf(subject, sizeof subject, "stitch: field '%s'", field);
    return mus_check_range(subject, positive ? MUS_RANGE_POSITIVE : MUS_RANGE_AMOUNT, unit, value);
}

static mus_status check_vertex(const mus_cloth *cloth, int32_t vertex, const char *what, int32_t stitch) {
    if (vertex >= 0 && vertex < cloth->vertex_count) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "stitch: stitch %d %s vertex %lld of cloth '%s', which has vertices 1 to %d",
                    stitch + 1, what, (long long)vertex + 1, cloth->name, cloth->vertex_count);
}

static mus_status check_stitches(const mus_seam_def *def, const mus_cloth *a, const mus_cloth *b) {
    for (int32_t k = 0; k < def->count; k++) {
        const mus_stitch *s = &def->stitches[k];
        if (!(s->along >= 0 && s->along <= 1))
            return mus_fail(MUS_STATUS_INVALID, "stitch: stitch %d lies at %g of its edge; it must be within 0..1",
                            k + 1, s->along);
        mus_status status = check_vertex(a, s->vertex, "begins at", k);
        for (int e = 0; e < 2 && status == MUS_STATUS_OK; e++) status = check_vertex(b, s->onto[e], "ends at", k);
        if (status != MUS_STATUS_OK) return status;
        int32_t onto[2];
        double weight[2];
        for (int e = 0, ends = mus_stitch_ends(s, onto, weight); e < ends; e++)
            if (a == b && onto[e] == s->vertex)
                return mus_fail(MUS_STATUS_INVALID, "stitch: stitch %d sews vertex %d of cloth '%s' to itself", k + 1,
                                s->vertex + 1, a->name);
    }
    return MUS_STATUS_OK;
}

static mus_status check_def(const mus_seam_def *def, const mus_cloth *a, const mus_cloth *b) {
    if (def->count < 1 || !def->stitches)
        return mus_fail(MUS_STATUS_INVALID, "stitch: there must be at least one stitch (got %d)", def->count);
    mus_status status = check_number("closing_time", def->closing_time, false, "s");
    if (status == MUS_STATUS_OK) status = check_number("speed", def->speed, def->closing_time == 0, "m/s");
    if (status == MUS_STATUS_OK && def->closing_time > 0 && def->speed > 0)
        status = mus_fail(MUS_STATUS_INVALID, "stitch: give 'closing_time' or 'speed', not both (got %g s and %g m/s)",
                          def->closing_time, def->speed);
    if (status == MUS_STATUS_OK && !(def->stiffness < 0))
        status = check_number("stiffness", def->stiffness, true, "N/m");
    if (status == MUS_STATUS_OK && !(def->strength > 0))
        status = mus_fail(MUS_STATUS_INVALID, "stitch: field 'strength' must be > 0 N (got %s)",
                          mus_word_of_number(def->strength).text);
    if (status == MUS_STATUS_OK && !(def->damping < 0)) status = check_number("damping", def->damping, false, "s");
    if (status == MUS_STATUS_OK && !(def->width < 0))
        status = mus_check_range("stitch: field 'width'", MUS_RANGE_SIZE, "m", def->width);
    return status == MUS_STATUS_OK ? check_stitches(def, a, b) : status;
}

/* m: rest length of the edge between two vertices; < 0: there is none. */
static double edge_length(const mus_cloth *cloth, int32_t p, int32_t q) {
    const int32_t *edges = cloth->topology.edges;
    for (int32_t e = 0; e < cloth->topology.edge_count; e++)
        if ((edges[2 * e] == p && edges[2 * e + 1] == q) || (edges[2 * e] == q && edges[2 * e + 1] == p))
            return cloth->rest_lengths[e];
    return -1;
}

/* m: the mean of both sides' thicknesses where they are sewn. */
static double mean_thickness(const mus_seam_def *def, const mus_cloth *a, const mus_cloth *b) {
    double sum = 0;
    if (!a->thicknesses && !b->thicknesses) return 0.5 * (a->thickness + b->thickness);
    for (int32_t k = 0; k < def->count; k++) {
        const mus_stitch *stitch = &def->stitches[k];
        double ends[2];
        for (int e = 0; e < 2; e++) ends[e] = mus_cloth_thickness_of(b, &stitch->onto[e], 1);
        sum += mus_cloth_thickness_of(a, &stitch->vertex, 1) + (1 - stitch->along) * ends[0] + stitch->along * ends[1];
    }
    return 0.5 * sum / def->count;
}

static mus_seam *make_seam(const mus_world *world, const mus_seam_def *def, mus_cloth *a, mus_cloth *b) {
    mus_seam *seam;
    if (mus_seam_new(def->count, &seam) != MUS_STATUS_OK) return NULL;
    seam->cloth[0] = a, seam->cloth[1] = b;
    seam->stiffness = def->stiffness < 0 ? 4 * fmax(a->material.stretch, b->material.stretch) : def->stiffness;
    if (!(seam->stiffness > 0)) seam->stiffness = 1;
    seam->strength = def->strength;
    seam->damping = def->damping < 0 ? fmax(a->material.damping, b->material.damping) : def->damping;
    seam->width = def->width < 0 ? mean_thickness(def, a, b) : def->width;
    seam->begin = world->time, seam->closing_time = def->closing_time, seam->speed = def->speed;
    memcpy(seam->stitches, def->stitches, sizeof *seam->stitches * (size_t)def->count);
    for (int32_t k = 0; k < def->count; k++)
        seam->start[k] = mus_stitch_distance(&def->stitches[k], (const v3 *)a->x, (const v3 *)b->x);
    return seam;
}

mus_status mus_seam_create(mus_world *world, const mus_seam_def *def, mus_seam_id *id) {
    *id = (mus_seam_id){0, 0};
    mus_status status = mus_world_check_unlocked(world, "world:stitch");
    if (status == MUS_STATUS_OK)
        status = mus_check_cookie(def->cookie, MUS_COOKIE_SEAM_DEF, "world:stitch", "mus_seam_def");
    if (status != MUS_STATUS_OK) return status;
    mus_cloth *a = mus_world_find_cloth(world, def->a), *b = a ? mus_world_find_cloth(world, def->b) : NULL;
    if (!a || !b) return MUS_STATUS_STALE;
    if ((status = check_def(def, a, b)) != MUS_STATUS_OK) return status;
    mus_seam *seam = make_seam(world, def, a, b);
    if (!seam) return MUS_STATUS_NO_MEMORY;
    if (!mus_slots_add(&world->seams, &world->seam_order, seam, &id->index, &id->generation)) {
        mus_seam_free(seam);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

static mus_seam *find_seam(const mus_world *world, mus_seam_id id) {
    mus_seam *seam = mus_slots_find(&world->seams, id.index, id.generation, "seam");
    if (seam && seam->cut) mus_fail(MUS_STATUS_STALE, "seam: it was removed from its world");
    return seam && !seam->cut ? seam : NULL;
}

mus_status mus_seam_destroy(mus_world *world, mus_seam_id id) {
    mus_seam *seam = find_seam(world, id);
    if (!seam) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "world:remove");
    if (status != MUS_STATUS_OK) return status;
    seam->cut = true;
    mus_world_wake(world);
    return MUS_STATUS_OK;
}

bool mus_seam_is_valid(const mus_world *world, mus_seam_id id) {
    return mus_slots_has(&world->seams, id.index, id.generation) &&
           !((const mus_seam *)world->seams.data[id.index].object)->cut;
}

void mus_world_remove_seams(mus_world *world, const mus_cloth *cloth) {
    for (int64_t k = world->seam_order.count; k-- > 0;) {
        int32_t slot = world->seam_order.data[k];
        mus_seam *seam = world->seams.data[slot].object;
        if (seam->cloth[0] != cloth && seam->cloth[1] != cloth) continue;
        mus_slots_remove(&world->seams, &world->seam_order, (uint32_t)slot);
        mus_seam_free(seam);
    }
}

/* Returns the slot of the k-th seam that is not cut; -1: there are fewer. With k beyond, *count is their number. */
static int32_t find_uncut(const mus_world *world, int32_t k, int32_t *count) {
    *count = 0;
    for (int64_t j = 0; j < world->seam_order.count; j++) {
        int32_t slot = world->seam_order.data[j];
        if (((const mus_seam *)world->seams.data[slot].object)->cut) continue;
        if ((*count)++ == k) return slot;
    }
    return -1;
}

int32_t mus_world_get_seam_count(const mus_world *world) {
    int32_t count;
    find_uncut(world, INT32_MAX, &count);
    return count;
}

mus_seam_id mus_world_get_seam(const mus_world *world, int32_t k) {
    int32_t count, slot = find_uncut(world, k, &count);
    return slot < 0 ? (mus_seam_id){0, 0} : (mus_seam_id){(uint32_t)slot, world->seams.data[slot].generation};
}

static mus_cloth_id id_of(const mus_world *world, const mus_cloth *cloth) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        int32_t slot = world->cloth_order.data[k];
        if (world->cloths.data[slot].object == cloth)
            return (mus_cloth_id){(uint32_t)slot, world->cloths.data[slot].generation};
    }
    return (mus_cloth_id){0, 0};
}

mus_status mus_seam_get_state(const mus_world *world, mus_seam_id id, mus_seam_state *state) {
    const mus_seam *seam = find_seam(world, id);
    if (!seam) return MUS_STATUS_STALE;
    *state = (mus_seam_state){.count = seam->count,
                              .width = seam->width,
                              .stiffness = seam->stiffness,
                              .a = id_of(world, seam->cloth[0]),
                              .b = id_of(world, seam->cloth[1])};
    const v3 *a = (const v3 *)seam->cloth[0]->x, *b = (const v3 *)seam->cloth[1]->x;
    for (int32_t k = 0; k < seam->count; k++) {
        double distance = mus_stitch_distance(&seam->stitches[k], a, b);
        double length = mus_seam_length(seam, k, world->time);
        state->largest = fmax(state->largest, distance);
        state->mean += distance / seam->count;
        state->pull = fmax(state->pull, fmin(seam->strength, seam->stiffness * (distance - length)));
        state->closing |= length > seam->width;
    }
    return MUS_STATUS_OK;
}

int32_t mus_seam_get_stitches(const mus_world *world, mus_seam_id id, const mus_stitch **stitches) {
    const mus_seam *seam = find_seam(world, id);
    *stitches = seam ? seam->stitches : NULL;
    return seam ? seam->count : 0;
}

/* For each vertex of a line, the share of the line's rest length before it. */
static mus_status measure_line(const mus_cloth *cloth, const int32_t *line, int32_t count, double *share) {
    share[0] = 0;
    for (int32_t k = 0; k < count; k++) {
        mus_status status = check_vertex(cloth, line[k], "names", k);
        if (status != MUS_STATUS_OK) return status;
        if (k == 0) continue;
        double length = edge_length(cloth, line[k - 1], line[k]);
        if (length < 0)
            return mus_fail(MUS_STATUS_INVALID,
                            "stitch: no edge of cloth '%s' joins vertices %d and %d, one after the other in a line",
                            cloth->name, line[k - 1] + 1, line[k] + 1);
        share[k] = share[k - 1] + length;
    }
    if (!(share[count - 1] > 0)) return mus_fail(MUS_STATUS_INVALID, "stitch: a line has no length");
    for (int32_t k = 0; k < count; k++) share[k] /= share[count - 1];
    return MUS_STATUS_OK;
}

mus_status mus_seam_match_lines(const mus_world *world, mus_cloth_id a, const int32_t *line_a, int32_t count_a,
                                mus_cloth_id b, const int32_t *line_b, int32_t count_b, mus_stitch *stitches) {
    const mus_cloth *one = mus_world_find_cloth(world, a), *other = one ? mus_world_find_cloth(world, b) : NULL;
    if (!one || !other) return MUS_STATUS_STALE;
    if (count_a < 2 || count_b < 2)
        return mus_fail(MUS_STATUS_INVALID, "stitch: a line needs two vertices at the least (got %d and %d)", count_a,
                        count_b);
    double *share_a = mus_new(sizeof(double) * (size_t)count_a), *share_b = mus_new(sizeof(double) * (size_t)count_b);
    mus_status status = share_a && share_b ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = measure_line(one, line_a, count_a, share_a);
    if (status == MUS_STATUS_OK) status = measure_line(other, line_b, count_b, share_b);
    for (int32_t k = 0, e = 0; k < count_a && status == MUS_STATUS_OK; k++) {
        while (e + 2 < count_b && share_b[e + 1] < share_a[k]) e++;
        double along = (share_a[k] - share_b[e]) / (share_b[e + 1] - share_b[e]);
        stitches[k] = (mus_stitch){line_a[k], {line_b[e], line_b[e + 1]}, fmin(1, fmax(0, along))};
        /* a place that differs from a vertex by rounding is the vertex */
        if (stitches[k].along < 1e-9) stitches[k].along = 0;
        if (stitches[k].along > 1 - 1e-9) stitches[k].along = 1;
    }
    mus_free(share_a);
    mus_free(share_b);
    return status;
}
