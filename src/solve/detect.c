/* detect.c: candidate pairs for a step, in an envelope within which the end positions may still wander. */
#include "solve/solver.h"
#include "base/parallel.h"

#include <string.h>

static mus_packed_box box_of(const mus_solver *s, int32_t i) {
    const mus_assembly *a = &s->assembly;
    const mus_body *body = &a->bodies[a->body_of[i]];
    double range = MUS_CONTACT_RANGE * body->reach, before = s->def.family->starts ? range : 0;
    if (i < a->cloth_vertex_count) return mus_box_of_point(a->x0[i], s->envelope[i], before, fmax(range, s->wander));
    if (s->def.family->joint && body->rigid)
        return mus_box_of_point(a->x0[i], s->envelope[i], body->radius + before, body->radius + fmax(range, s->wander));
    return mus_box_of_point(a->x0[i], a->x1[i], body->radius + before, body->radius + range);
}

static void vertex_boxes(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        s->envelope[i] = s->assembly.x1[i];
        s->escaped[i] = 0;
        s->scene.vertex_box[i] = box_of(s, (int32_t)i);
    }
}

void mus_solver_box_obstacles(mus_solver *s) {
    for (int32_t i = s->assembly.cloth_vertex_count; i < s->assembly.vertex_count; i++)
        s->scene.vertex_box[i] = box_of(s, i);
}

static mus_envelope envelope_of(const mus_solver *s) {
    const mus_family *family = s->def.family;
    return (mus_envelope){.end = s->envelope, .wander = s->wander, .near = family->starts, .bodies = family->joint};
}

typedef struct keep {
    mus_solver *solver;
    mus_candidate_list *list;
} keep;

static mus_status keep_near(void *context, int slot, const mus_pair *pairs, int64_t count) {
    const keep *k = context;
    mus_solver *s = k->solver;
    mus_envelope envelope = envelope_of(s);
    return mus_found_filter(&s->assembly, pairs, count, &envelope, &s->found[slot]);
}

static mus_status sort(void *context, int slot) {
    const keep *k = context;
    mus_found_sort(&k->solver->found[slot]);
    return MUS_STATUS_OK;
}

static mus_status gather(void *context, int count) {
    const keep *k = context;
    mus_status status = MUS_STATUS_OK;
    for (int slot = 0; slot < count && status == MUS_STATUS_OK; slot++)
        status = mus_found_move(&k->solver->found[slot], k->list);
    return status;
}

mus_status mus_solver_detect(mus_solver *s, mus_candidate_list *list) {
    list->count = 0;
    s->any_escaped = false;
    bool kept;
    mus_status status = mus_solver_keep_pairs(s, &kept);
    if (status != MUS_STATUS_OK) return status;
    mus_parallel_vertices(s->def.threads, s->assembly.vertex_count, vertex_boxes, s);
    s->scene.x0 = s->assembly.x0, s->scene.x1 = s->envelope, s->scene.wander = s->wander;
    s->scene.compared = &s->stats->box_tests;
    mus_envelope envelope = envelope_of(s);
    if (kept) return mus_solver_detect_kept(s, &envelope, list);
    s->def.broad->refit(s->broad_state, &s->scene);
    if (s->def.broad->culled) s->stats->culled = s->def.broad->culled(s->broad_state);
    for (int slot = 0; slot < MUS_BROAD_SLOTS; slot++)
        s->found[slot].candidates.count = s->found[slot].places.count = 0;
    mus_pair_sink sink = {keep_near, sort, gather, &(keep){s, list}};
    return s->def.broad->pairs(s->broad_state, &s->scene, &sink);
}

static bool has_escaped(const mus_solver *s, const int32_t *v) {
    return s->escaped[v[0]] | s->escaped[v[1]] | s->escaped[v[2]] | s->escaped[v[3]];
}

static void grow(float lo[3], float hi[3], const mus_packed_box *b) {
    for (int k = 0; k < 3; k++) {
        lo[k] = fminf(lo[k], fminf(b->lo0[k], b->lo1[k]));
        hi[k] = fmaxf(hi[k], fmaxf(b->hi0[k], b->hi1[k]));
    }
}

/* Cloth where a rigid body is that has left its envelope. */
static void mark_near(mus_solver *s, const mus_body *body) {
    const mus_packed_box *box = s->scene.vertex_box;
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool escaped = false;
    for (int32_t i = body->first; i < body->first + body->count; i++)
        escaped |= s->escaped[i] != 0, grow(lo, hi, &box[i]);
    for (int32_t k = 0; escaped && k < s->scene.cloth_leaf_count; k++) {
        float from[3] = {INFINITY, INFINITY, INFINITY}, to[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int c = 0; c < 3; c++) grow(from, to, &box[s->scene.leaves[k].vertex[c]]);
        bool apart = false;
        for (int c = 0; c < 3; c++) apart |= to[c] < lo[c] || hi[c] < from[c];
        s->marked[k] |= !apart;
    }
}

static void box_escaped(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        if (s->escaped[i]) {
            s->envelope[i] = s->assembly.x1[i];
            s->scene.vertex_box[i] = box_of(s, (int32_t)i);
        }
}

static void mark_escaped(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const int32_t *v = s->scene.leaves[k].vertex;
        s->marked[k] = s->escaped[v[0]] | s->escaped[v[1]] | s->escaped[v[2]];
    }
}

/* A pair's place in the list depends on its own four vertices only: those with an escaped vertex are dropped and looked
 * for anew. */
mus_status mus_solver_detect_escaped(mus_solver *s, mus_candidate_list *list) {
    mus_broad_scene *scene = &s->scene;
    mus_parallel_vertices(s->def.threads, s->assembly.vertex_count, box_escaped, s);
    mus_parallel_vertices(s->def.threads, scene->cloth_leaf_count, mark_escaped, s);
    for (int32_t k = s->assembly.cloth_count; s->def.family->joint && k < s->assembly.body_count; k++)
        if (s->assembly.bodies[k].rigid) mark_near(s, &s->assembly.bodies[k]);
    s->def.broad->refit(s->broad_state, scene);
    s->pairs.count = 0;
    mus_status status = s->def.broad->pairs_of(s->broad_state, scene, s->marked, &s->pairs);
    if (status != MUS_STATUS_OK) return status;
    int64_t kept = 0;
    for (int64_t k = 0; k < s->pairs.count; k++)
        if (has_escaped(s, s->pairs.data[k].vertex)) s->pairs.data[kept++] = s->pairs.data[k];
    s->pairs.count = kept;
    kept = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (!has_escaped(s, list->data[k].vertex)) list->data[kept++] = list->data[k];
    list->count = kept;
    memset(s->escaped, 0, (size_t)s->assembly.vertex_count);
    s->any_escaped = false;
    mus_envelope envelope = envelope_of(s);
    return mus_candidates_filter(&s->assembly, s->pairs.data, s->pairs.count, &envelope, s->def.threads, list);
}

void mus_solver_moved(void *context, int32_t i) {
    mus_solver *s = context;
    s->stamp[i] = s->clock;
    v3 off = v3_sub(s->assembly.x1[i], s->envelope[i]);
    if (!(v3_max_abs(off) > s->wander)) return;
    s->escaped[i] = 1;
    __atomic_store_n(&s->any_escaped, true, __ATOMIC_RELAXED); /* several threads may say so */
}

void mus_solver_move(mus_solver *s, int32_t i, v3 by) {
    s->assembly.x1[i] = v3_add(s->assembly.x1[i], by);
    mus_solver_moved(s, i);
}
