/* neighbor_list.c: pairs kept over steps, valid while no vertex leaves its skin radius around its position at the build
 * (Verlet 1967, "Computer experiments on classical fluids"). The pairs that the broad phase would find in a step, in
 * boxes within those of the skin radius, are in the list, in the same order; pairs that were left out as separated
 * would be left out again. So candidate pairs equal those of the broad phase, and whether a list is built is a matter
 * of cost only.
 * */
#include "solve/solver.h"

#include <string.h>

/* None of these changes a result, only its cost. The skin radius of a vertex covers so many steps like the last one,
 * between a least and a largest multiple of the motion bound. Steps in which a vertex moves further than a share of the
 * largest have no list. The least multiple grows when lists last short: vertices in a pile jump now and then, and one
 * vertex invalidates the list. Half and twice SKIN_STEPS,
 * max_skin_ratio, max_motion_share and MIN_LIST_USES: the same bits and, to the noise of a loaded machine, times. */
enum { SKIN_STEPS = 16 };
static const double min_skin_ratio = 1.2, max_min_skin_ratio = 4, min_skin_growth_per_list = 1.5, max_skin_ratio = 5,
                    max_motion_share = 0.25;
/* Share of the skin radius that a vertex may use: the rest is for rounding, of float radii (6e-8 of them). */
static const double used_skin_share = 0.999;
static const double rounding_slack = 2e-6; /* m: twice the tolerance of the motion test */
static const double max_coordinate = 1e6;  /* m: beyond, rounding is larger */
/* A list that served fewer detections cost more than it saved: the next is delayed by so many detections. */
enum { MIN_LIST_USES = 3, REBUILD_DELAY = 8 };

void mus_neighbor_list_free(mus_neighbor_list *neighbor_list) {
    mus_array_free(&neighbor_list->pairs);
    mus_free(neighbor_list->build_position);
    mus_free(neighbor_list->skin_radius);
    mus_free(neighbor_list->motion);
    *neighbor_list = (mus_neighbor_list){0};
}

/* Squared motion from x0 to x1, m^2. */
static double motion2(const mus_assembly *a, int32_t i) {
    return v3_length2(v3_sub(a->x1[i], a->x0[i]));
}

static bool list_is_valid(const mus_assembly *a, mus_neighbor_list *neighbor_list) {
    if (!neighbor_list->is_valid) return false;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        double motion =
            (v3_length(v3_sub(a->x0[i], neighbor_list->build_position[i])) + sqrt(motion2(a, i))) / used_skin_share;
        if (!(motion <= (double)neighbor_list->skin_radius[i])) return false;
        neighbor_list->motion[i] = (float)motion;
    }
    return true;
}

/* m: limited so that adjacent vertices of a mesh are not pairs yet. */
static double max_skin_radius(const mus_solver *s) {
    return fmin(max_skin_ratio * s->motion_bound, s->travel - 0.5 * MUS_MOTION_BOUND_APPROACH * s->motion_bound);
}

static bool is_motion_small(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    double largest = max_motion_share * max_skin_radius(s);
    if (max_skin_radius(s) < min_skin_ratio * s->motion_bound) return false;
    for (int32_t i = 0; i < a->vertex_count; i++)
        if (!(motion2(a, i) <= largest * largest && v3_max_abs(a->x1[i]) < max_coordinate)) return false;
    return a->cloth_vertex_count > 0;
}

static mus_status filter_pairs(void *context, int slot, const mus_pair *pairs, int64_t count) {
    mus_solver *s = context;
    mus_motion_bounds bounds = {.end = s->neighbor_list.build_position,
                                .motion_bound = s->motion_bound,
                                .rigid_bodies = s->def.family->solves_rigid_bodies,
                                .skin_radii = s->neighbor_list.skin_radius};
    return mus_found_filter(&s->assembly, pairs, count, &bounds, &s->found[slot]);
}

static mus_status sort_found_pairs(void *context, int slot) {
    mus_solver *s = context;
    mus_found_sort(&s->found[slot]);
    return MUS_STATUS_OK;
}

/* m: a lower bound on the distance of a pair, along the axis between its nearest points. */
static double separation_along_axis(const v3 *x, const mus_candidate_pair *c) {
    v3 d = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
    double p[4], length = v3_length(d);
    for (int k = 0; k < 4; k++) p[k] = v3_dot(d, x[c->vertex[k]]);
    if (!(length > 0)) return 0;
    if (c->edge_edge) return (fmin(p[2], p[3]) - fmax(p[0], p[1])) / length;
    return (p[0] - fmax(p[1], fmax(p[2], p[3]))) / length;
}

static mus_neighbor_pair make_neighbor_pair(const mus_solver *s, const mus_candidate_pair *c) {
    const mus_assembly *a = &s->assembly;
    double contact_range = MUS_CONTACT_RANGE * mus_assembly_pair_thickness(a, c->vertex, c->edge_edge);
    double matters = mus_candidate_pair_radius(a, c) +
                     fmax(contact_range, MUS_MOTION_BOUND_APPROACH * s->motion_bound) + rounding_slack;
    mus_neighbor_pair pair = {.slack = (float)(separation_along_axis(s->neighbor_list.build_position, c) - matters),
                              .edge_edge = c->edge_edge};
    memcpy(pair.vertex, c->vertex, sizeof pair.vertex);
    return pair;
}

static mus_status gather_neighbor_pairs(void *context, int count) {
    mus_solver *s = context;
    for (int slot = 0; slot < count; slot++) {
        mus_found *found = &s->found[slot];
        if (!mus_array_reserve(&s->neighbor_list.pairs, s->neighbor_list.pairs.count + found->places.count))
            return MUS_STATUS_NO_MEMORY;
        for (int64_t k = 0; k < found->places.count; k++)
            s->neighbor_list.pairs.data[s->neighbor_list.pairs.count++] =
                make_neighbor_pair(s, &found->candidates.data[found->places.data[k].index]);
        found->candidates.count = found->places.count = 0;
    }
    return MUS_STATUS_OK;
}

static mus_status build_neighbor_list(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_neighbor_list *neighbor_list = &s->neighbor_list;
    size_t n = (size_t)a->vertex_count;
    double min_skin_radius = fmax(neighbor_list->min_skin_ratio, min_skin_ratio) * s->motion_bound;
    if (!neighbor_list->build_position)
        neighbor_list->build_position = mus_new(sizeof *neighbor_list->build_position * n);
    if (!neighbor_list->skin_radius) neighbor_list->skin_radius = mus_new(sizeof *neighbor_list->skin_radius * n);
    if (!neighbor_list->motion) neighbor_list->motion = mus_new(sizeof *neighbor_list->motion * n);
    if (!neighbor_list->build_position || !neighbor_list->skin_radius || !neighbor_list->motion)
        return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        const mus_object *object = &a->objects[a->object_of[i]];
        double motion = sqrt(motion2(a, i)),
               skin_radius = fmin(fmax(SKIN_STEPS * motion, min_skin_radius), max_skin_radius(s));
        if (!(a->inverse_mass[i] > 0) && motion == 0) skin_radius = 0;
        neighbor_list->build_position[i] = a->x1[i], neighbor_list->skin_radius[i] = (float)skin_radius;
        double r = object->radius + fmax(MUS_CONTACT_RANGE * mus_assembly_max_thickness(a, i), s->motion_bound) +
                   (double)neighbor_list->skin_radius[i];
        s->scene.vertex_box[i] = mus_swept_box_of_point(a->x1[i], a->x1[i], r, r);
    }
    neighbor_list->pairs.count = 0;
    for (int slot = 0; slot < MUS_BROAD_SLOTS; slot++)
        s->found[slot].candidates.count = s->found[slot].places.count = 0;
    s->def.broad->refit(s->broad_state, &s->scene);
    mus_pair_sink sink = {filter_pairs, sort_found_pairs, gather_neighbor_pairs, s};
    return s->def.broad->pairs(s->broad_state, &s->scene, &sink);
}

static void adapt_min_skin(mus_neighbor_list *neighbor_list) {
    double now = fmax(neighbor_list->min_skin_ratio, min_skin_ratio);
    neighbor_list->min_skin_ratio =
        neighbor_list->use_count < SKIN_STEPS ? fmin(min_skin_growth_per_list * now, max_min_skin_ratio) : now;
    if (neighbor_list->use_count > 2 * SKIN_STEPS) neighbor_list->min_skin_ratio = now / min_skin_growth_per_list;
}

mus_status mus_solver_update_neighbor_list(mus_solver *s, bool *is_valid) {
    mus_neighbor_list *neighbor_list = &s->neighbor_list;
    *is_valid = list_is_valid(&s->assembly, neighbor_list);
    if (*is_valid) {
        neighbor_list->use_count++;
        return MUS_STATUS_OK;
    }
    if (neighbor_list->is_valid && neighbor_list->use_count < MIN_LIST_USES)
        neighbor_list->rebuild_delay = REBUILD_DELAY;
    if (neighbor_list->is_valid) adapt_min_skin(neighbor_list);
    neighbor_list->is_valid = false;
    if (neighbor_list->rebuild_delay > 0) neighbor_list->rebuild_delay--;
    if (!s->def.broad->nested || neighbor_list->rebuild_delay > 0 || !is_motion_small(s)) return MUS_STATUS_OK;
    mus_status status = build_neighbor_list(s);
    neighbor_list->use_count = 0, neighbor_list->is_valid = status == MUS_STATUS_OK;
    *is_valid = list_is_valid(&s->assembly, neighbor_list);
    return status;
}

/* Returns whether the boxes of the pair overlap in this step, as the broad phase requires of leaves. */
static bool pair_boxes_overlap(const mus_packed_swept_box *box, const mus_candidate_pair *c) {
    mus_swept_box b[4];
    for (int k = 0; k < 4; k++) b[k] = mus_swept_box_unpack(&box[c->vertex[k]]);
    mus_swept_box other = mus_swept_box_join(&b[2], &b[3]), first = b[0];
    if (c->edge_edge)
        first = mus_swept_box_join(&b[0], &b[1]);
    else
        other = mus_swept_box_join(&other, &b[1]);
    return mus_swept_box_overlap(&first, &other);
}

static float max_float(float a, float b) {
    return a > b ? a : b;
}

/* Selects the pairs that may matter in this step, and returns their number. Without branches, as the outcome is
 * unpredictable. */
static int64_t select_active_pairs(const mus_neighbor_pair *neighbors, int64_t count, const float *motion,
                                   mus_pair *pairs) {
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) {
        const mus_neighbor_pair *p = &neighbors[k];
        mus_pair *pair = &pairs[found]; /* overwritten by the next if it does not matter */
        float second = motion[p->vertex[1]],
              with[2] = {0, second}; /* the side that vertex 1 belongs to; motions are >= 0 */
        float one = max_float(motion[p->vertex[0]], with[p->edge_edge]);
        float other = max_float(max_float(motion[p->vertex[2]], motion[p->vertex[3]]), with[!p->edge_edge]);
        memcpy(pair->vertex, p->vertex, sizeof pair->vertex);
        pair->edge_edge = p->edge_edge;
        found += p->slack <= one + other;
    }
    return found;
}

mus_status mus_solver_detect_from_neighbor_list(mus_solver *s, const mus_motion_bounds *bounds,
                                                mus_candidate_pair_list *list) {
    enum { CHUNK = 8192 };
    const mus_neighbor_list *neighbor_list = &s->neighbor_list;
    if (!mus_array_reserve(&s->pairs, CHUNK)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < neighbor_list->pairs.count; k += CHUNK) {
        int64_t first = list->count, kept = first, left = neighbor_list->pairs.count - k;
        s->pairs.count = select_active_pairs(&neighbor_list->pairs.data[k], left < CHUNK ? left : CHUNK,
                                             neighbor_list->motion, s->pairs.data);
        mus_status status =
            mus_candidate_pairs_filter(&s->assembly, s->pairs.data, s->pairs.count, bounds, s->def.threads, list);
        if (status != MUS_STATUS_OK) return status;
        for (int64_t c = first; c < list->count; c++)
            if (pair_boxes_overlap(s->scene.vertex_box, &list->data[c])) list->data[kept++] = list->data[c];
        list->count = kept;
    }
    return MUS_STATUS_OK;
}
