/* skin.c: pairs kept from step to step, as long as no vertex leaves the skin around where it was (Verlet 1967,
 * "Computer experiments on classical fluids"). What a walk over the broad phase would find in a step, in boxes that lie
 * within those of the skin, is among them, and in the same order; what was left out for staying apart would be left out
 * again. So candidates are those of a walk, and a list may be made, or not, whenever it pays. */
#include "solve/solver.h"

#include <string.h>

/* A vertex has as much skin as it takes for so many steps like the last one; but at least and at most these shares of
 * how far it may wander in one. Steps in which one goes further than a share of the most have no list. The least grows
 * while lists last less: what lies in a pile jumps now and then, and one vertex voids the list. */
enum { STEPS = 16 };
static const double least = 1.2, largest_least = 4, growth = 1.5, most = 5, calm = 0.25;
/* Of its skin, what a vertex may use: rounding has the rest. */
static const double used = 0.999;
static const double rounding = 2e-6; /* m: what the motion test gives to it, and as much again */
static const double far = 1e6;       /* m: beyond, rounding takes more */
/* A list that has served fewer detections has cost more than it saved: the next has to wait. */
enum { WORTH = 3, WAIT = 8 };

void mus_solver_skin_free(mus_skin *skin) {
    mus_array_free(&skin->pairs);
    mus_free(skin->middle);
    mus_free(skin->width);
    mus_free(skin->off);
    *skin = (mus_skin){0};
}

/* From x0 to x1, m^2. */
static double motion2(const mus_assembly *a, int32_t i) {
    return v3_length2(v3_sub(a->x1[i], a->x0[i]));
}

static bool holds(const mus_assembly *a, mus_skin *skin) {
    if (!skin->whole) return false;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        double off = (v3_length(v3_sub(a->x0[i], skin->middle[i])) + sqrt(motion2(a, i))) / used;
        if (!(off <= (double)skin->width[i])) return false;
        skin->off[i] = (float)off;
    }
    return true;
}

/* m: so much that vertices next to each other in a mesh are no pairs yet. */
static double widest(const mus_solver *s) {
    return fmin(most * s->wander, s->travel - 0.5 * MUS_WANDER_MOST * s->wander);
}

static bool is_calm(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    double largest = calm * widest(s);
    if (widest(s) < least * s->wander) return false;
    for (int32_t i = 0; i < a->vertex_count; i++)
        if (!(motion2(a, i) <= largest * largest && v3_max_abs(a->x1[i]) < far)) return false;
    return a->cloth_vertex_count > 0;
}

static mus_status take(void *context, int slot, const mus_pair *pairs, int64_t count) {
    mus_solver *s = context;
    mus_envelope around = {
        .end = s->skin.middle, .wander = s->wander, .bodies = s->def.family->joint, .skin = s->skin.width};
    return mus_found_filter(&s->assembly, pairs, count, &around, &s->found[slot]);
}

static mus_status sort(void *context, int slot) {
    mus_solver *s = context;
    mus_found_sort(&s->found[slot]);
    return MUS_STATUS_OK;
}

/* m: how far the sides of a pair are apart for certain, along the axis between their nearest points. */
static double separation(const v3 *x, const mus_candidate *c) {
    v3 d = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
    double p[4], length = v3_length(d);
    for (int k = 0; k < 4; k++) p[k] = v3_dot(d, x[c->vertex[k]]);
    if (!(length > 0)) return 0;
    if (c->edge_edge) return (fmin(p[2], p[3]) - fmax(p[0], p[1])) / length;
    return (p[0] - fmax(p[1], fmax(p[2], p[3]))) / length;
}

static mus_kept_pair kept_pair(const mus_solver *s, const mus_candidate *c) {
    const mus_assembly *a = &s->assembly;
    int32_t other = c->vertex[c->edge_edge ? 2 : 1];
    double reach = MUS_CONTACT_RANGE * (mus_assembly_reach(a, c->vertex[0]) + mus_assembly_reach(a, other));
    double matters = mus_candidate_radius(a, c) + fmax(reach, MUS_WANDER_MOST * s->wander) + rounding;
    mus_kept_pair pair = {.slack = (float)(separation(s->skin.middle, c) - matters), .edge_edge = c->edge_edge};
    memcpy(pair.vertex, c->vertex, sizeof pair.vertex);
    return pair;
}

static mus_status gather(void *context, int count) {
    mus_solver *s = context;
    for (int slot = 0; slot < count; slot++) {
        mus_found *found = &s->found[slot];
        if (!mus_array_reserve(&s->skin.pairs, s->skin.pairs.count + found->places.count)) return MUS_STATUS_NO_MEMORY;
        for (int64_t k = 0; k < found->places.count; k++)
            s->skin.pairs.data[s->skin.pairs.count++] =
                kept_pair(s, &found->candidates.data[found->places.data[k].index]);
        found->candidates.count = found->places.count = 0;
    }
    return MUS_STATUS_OK;
}

static mus_status make(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_skin *skin = &s->skin;
    size_t n = (size_t)a->vertex_count;
    double narrowest = fmax(skin->least, least) * s->wander;
    if (!skin->middle) skin->middle = mus_new(sizeof *skin->middle * n);
    if (!skin->width) skin->width = mus_new(sizeof *skin->width * n);
    if (!skin->off) skin->off = mus_new(sizeof *skin->off * n);
    if (!skin->middle || !skin->width || !skin->off) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        const mus_body *body = &a->bodies[a->body_of[i]];
        double motion = sqrt(motion2(a, i)), width = fmin(fmax(STEPS * motion, narrowest), widest(s));
        if (!(a->inverse_mass[i] > 0) && motion == 0) width = 0;
        skin->middle[i] = a->x1[i], skin->width[i] = (float)width;
        double r = body->radius + fmax(MUS_CONTACT_RANGE * body->reach, s->wander) + (double)skin->width[i];
        s->scene.vertex_box[i] = mus_box_of_point(a->x1[i], a->x1[i], r, r);
    }
    skin->pairs.count = 0;
    for (int slot = 0; slot < MUS_BROAD_SLOTS; slot++)
        s->found[slot].candidates.count = s->found[slot].places.count = 0;
    s->def.broad->refit(s->broad_state, &s->scene);
    mus_pair_sink sink = {take, sort, gather, s};
    return s->def.broad->pairs(s->broad_state, &s->scene, &sink);
}

static void adapt(mus_skin *skin) {
    double now = fmax(skin->least, least);
    skin->least = skin->served < STEPS ? fmin(growth * now, largest_least) : now;
    if (skin->served > 2 * STEPS) skin->least = now / growth;
}

mus_status mus_solver_keep_pairs(mus_solver *s, bool *kept) {
    mus_skin *skin = &s->skin;
    *kept = holds(&s->assembly, skin);
    if (*kept) {
        skin->served++;
        return MUS_STATUS_OK;
    }
    if (skin->whole && skin->served < WORTH) skin->wait = WAIT;
    if (skin->whole) adapt(skin);
    skin->whole = false;
    if (skin->wait > 0) skin->wait--;
    if (!s->def.broad->nested || skin->wait > 0 || !is_calm(s)) return MUS_STATUS_OK;
    mus_status status = make(s);
    skin->served = 0, skin->whole = status == MUS_STATUS_OK;
    *kept = holds(&s->assembly, skin);
    return status;
}

/* Do the boxes of this step overlap, as those of leaves would have to? */
static bool boxes_meet(const mus_packed_box *box, const mus_candidate *c) {
    mus_box b[4];
    for (int k = 0; k < 4; k++) b[k] = mus_box_unpack(&box[c->vertex[k]]);
    mus_box other = mus_box_join(&b[2], &b[3]), first = b[0];
    if (c->edge_edge)
        first = mus_box_join(&b[0], &b[1]);
    else
        other = mus_box_join(&other, &b[1]);
    return mus_box_overlap(&first, &other);
}

static float larger(float a, float b) {
    return a > b ? a : b;
}

/* Those of so many kept pairs that may matter in this step, and how many. Without branches: which ones do is chance to
 * a processor. */
static int64_t pick(const mus_kept_pair *kept, int64_t count, const float *off, mus_pair *pairs) {
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) {
        const mus_kept_pair *p = &kept[k];
        mus_pair *pair = &pairs[found];                          /* what does not matter is written over by the next */
        float second = off[p->vertex[1]], with[2] = {0, second}; /* to which side it belongs; nothing is off by less */
        float one = larger(off[p->vertex[0]], with[p->edge_edge]);
        float other = larger(larger(off[p->vertex[2]], off[p->vertex[3]]), with[!p->edge_edge]);
        memcpy(pair->vertex, p->vertex, sizeof pair->vertex);
        pair->edge_edge = p->edge_edge;
        found += p->slack <= one + other;
    }
    return found;
}

mus_status mus_solver_detect_kept(mus_solver *s, const mus_envelope *envelope, mus_candidate_list *list) {
    enum { CHUNK = 8192 };
    const mus_skin *skin = &s->skin;
    if (!mus_array_reserve(&s->pairs, CHUNK)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < skin->pairs.count; k += CHUNK) {
        int64_t first = list->count, kept = first, left = skin->pairs.count - k;
        s->pairs.count = pick(&skin->pairs.data[k], left < CHUNK ? left : CHUNK, skin->off, s->pairs.data);
        mus_status status =
            mus_candidates_filter(&s->assembly, s->pairs.data, s->pairs.count, envelope, s->def.threads, list);
        if (status != MUS_STATUS_OK) return status;
        for (int64_t c = first; c < list->count; c++)
            if (boxes_meet(s->scene.vertex_box, &list->data[c])) list->data[kept++] = list->data[c];
        list->count = kept;
    }
    return MUS_STATUS_OK;
}
