/* detect.c: candidate pairs for a step, valid while end positions stay within a motion bound. */
#include "solve/solver.h"
#include "base/parallel.h"

#include <string.h>

static mus_packed_swept_box swept_box_of(const mus_solver *s, int32_t i) {
    const mus_assembly *a = &s->assembly;
    const mus_object *object = &a->objects[a->object_of[i]];
    double range = MUS_CONTACT_RANGE * mus_assembly_max_thickness(a, i),
           before = s->def.family->keeps_near_at_start ? range : 0;
    if (i < a->cloth_vertex_count)
        return mus_swept_box_of_point(a->x0[i], s->bound_center[i], before, fmax(range, s->motion_bound));
    if (s->def.family->solves_rigid_bodies && object->rigid)
        return mus_swept_box_of_point(a->x0[i], s->bound_center[i], object->radius + before,
                                      object->radius + fmax(range, s->motion_bound));
    return mus_swept_box_of_point(a->x0[i], a->x1[i], object->radius + before, object->radius + range);
}

static void update_vertex_boxes(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        s->bound_center[i] = s->assembly.x1[i];
        s->left_bound[i] = 0;
        s->scene.vertex_box[i] = swept_box_of(s, (int32_t)i);
    }
}

void mus_solver_box_obstacles(mus_solver *s) {
    for (int32_t i = s->assembly.cloth_vertex_count; i < s->assembly.vertex_count; i++)
        s->scene.vertex_box[i] = swept_box_of(s, i);
}

static mus_motion_bounds make_motion_bounds(const mus_solver *s) {
    const mus_family *family = s->def.family;
    return (mus_motion_bounds){.end = s->bound_center,
                               .motion_bound = s->motion_bound,
                               .near = family->keeps_near_at_start,
                               .rigid_bodies = family->solves_rigid_bodies};
}

typedef struct detection_job {
    mus_solver *solver;
    mus_candidate_pair_list *list;
} detection_job;

static mus_status filter_found_pairs(void *context, int slot, const mus_pair *pairs, int64_t count) {
    const detection_job *k = context;
    mus_solver *s = k->solver;
    mus_motion_bounds bounds = make_motion_bounds(s);
    return mus_found_filter(&s->assembly, pairs, count, &bounds, &s->found[slot]);
}

static mus_status sort_found_pairs(void *context, int slot) {
    const detection_job *k = context;
    mus_found_sort(&k->solver->found[slot]);
    return MUS_STATUS_OK;
}

static mus_status gather_candidates(void *context, int count) {
    const detection_job *k = context;
    mus_status status = MUS_STATUS_OK;
    for (int slot = 0; slot < count && status == MUS_STATUS_OK; slot++)
        status = mus_found_move(&k->solver->found[slot], k->list);
    return status;
}

mus_status mus_solver_detect(mus_solver *s, mus_candidate_pair_list *list) {
    list->count = 0;
    s->any_left_bound = false;
    bool has_neighbor_list;
    mus_status status = mus_solver_update_neighbor_list(s, &has_neighbor_list);
    if (status != MUS_STATUS_OK) return status;
    mus_parallel_vertices(s->def.threads, s->assembly.vertex_count, update_vertex_boxes, s);
    s->scene.inverse_mass = s->assembly.inverse_mass;
    s->scene.x0 = s->assembly.x0, s->scene.x1 = s->bound_center, s->scene.motion_bound = s->motion_bound;
    s->scene.compared = &s->stats->box_tests;
    mus_motion_bounds bounds = make_motion_bounds(s);
    if (has_neighbor_list) return mus_solver_detect_from_neighbor_list(s, &bounds, list);
    s->def.broad->refit(s->broad_state, &s->scene);
    if (s->def.broad->culled) s->stats->culled = s->def.broad->culled(s->broad_state);
    for (int slot = 0; slot < MUS_BROAD_SLOTS; slot++)
        s->found[slot].candidates.count = s->found[slot].places.count = 0;
    mus_pair_sink sink = {filter_found_pairs, sort_found_pairs, gather_candidates, &(detection_job){s, list}};
    return s->def.broad->pairs(s->broad_state, &s->scene, &sink);
}

static bool has_left_bound(const mus_solver *s, const int32_t *v) {
    return s->left_bound[v[0]] | s->left_bound[v[1]] | s->left_bound[v[2]] | s->left_bound[v[3]];
}

/* Marks cloth leaves near a rigid body that has left its motion bound. */
static void mark_leaves_near(mus_solver *s, const mus_object *object) {
    const mus_packed_swept_box *box = s->scene.vertex_box;
    mus_box around = mus_box_empty();
    bool left_bound = false;
    for (int32_t i = object->first; i < object->first + object->count; i++)
        left_bound |= s->left_bound[i] != 0, mus_swept_box_join_to(&around, &box[i]);
    for (int32_t k = 0; left_bound && k < s->scene.cloth_leaf_count; k++) {
        mus_box leaf = mus_box_empty();
        for (int c = 0; c < 3; c++) mus_swept_box_join_to(&leaf, &box[s->scene.leaves[k].vertex[c]]);
        s->marked[k] |= !mus_box_apart(&leaf, &around);
    }
}

static void rebuild_left_bounds(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        if (s->left_bound[i]) {
            s->bound_center[i] = s->assembly.x1[i];
            s->scene.vertex_box[i] = swept_box_of(s, (int32_t)i);
        }
}

static void mark_leaves_left_bound(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const int32_t *v = s->scene.leaves[k].vertex;
        s->marked[k] = s->left_bound[v[0]] | s->left_bound[v[1]] | s->left_bound[v[2]];
    }
}

/* A pair's place in the list depends on its own four vertices only: pairs with a vertex that left its motion bound are
 * removed and detected again. */
mus_status mus_solver_redetect_left_bound(mus_solver *s, mus_candidate_pair_list *list) {
    mus_broad_scene *scene = &s->scene;
    mus_parallel_vertices(s->def.threads, s->assembly.vertex_count, rebuild_left_bounds, s);
    mus_parallel_vertices(s->def.threads, scene->cloth_leaf_count, mark_leaves_left_bound, s);
    for (int32_t k = s->assembly.cloth_count; s->def.family->solves_rigid_bodies && k < s->assembly.object_count; k++)
        if (s->assembly.objects[k].rigid) mark_leaves_near(s, &s->assembly.objects[k]);
    s->def.broad->refit(s->broad_state, scene);
    s->pairs.count = 0;
    mus_status status = s->def.broad->pairs_of(s->broad_state, scene, s->marked, &s->pairs);
    if (status != MUS_STATUS_OK) return status;
    int64_t kept = 0;
    for (int64_t k = 0; k < s->pairs.count; k++)
        if (has_left_bound(s, s->pairs.data[k].vertex)) s->pairs.data[kept++] = s->pairs.data[k];
    s->pairs.count = kept;
    kept = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (!has_left_bound(s, list->data[k].vertex)) list->data[kept++] = list->data[k];
    list->count = kept;
    memset(s->left_bound, 0, (size_t)s->assembly.vertex_count);
    s->any_left_bound = false;
    mus_motion_bounds bounds = make_motion_bounds(s);
    return mus_candidate_pairs_filter(&s->assembly, s->pairs.data, s->pairs.count, &bounds, s->def.threads, list);
}

void mus_solver_moved(void *context, int32_t i) {
    mus_solver *s = context;
    s->last_move[i] = s->clock;
    v3 off = v3_sub(s->assembly.x1[i], s->bound_center[i]);
    if (!(v3_max_abs(off) > s->motion_bound)) return;
    s->left_bound[i] = 1;
    __atomic_store_n(&s->any_left_bound, true, __ATOMIC_RELAXED); /* several threads may set it */
}

void mus_solver_move(mus_solver *s, int32_t i, v3 by) {
    s->assembly.x1[i] = v3_add(s->assembly.x1[i], by);
    mus_solver_moved(s, i);
}
