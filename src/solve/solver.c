/* solver.c: the impulse step: dynamics, contact rows, detection, impulses, zones; halved when no safe end is found. */
#include "solve/solver.h"
#include "base/range.h"
#include "base/parallel.h"
#include "model/order.h"
#include "model/spring_program.h"
#include "model/unfold.h"

#include <string.h>

enum { SWEEPS = 4, IMPACT_SWEEPS = 6, DEEPEST_HALVING = 6 };

/* ---- construction ---- */

static mus_status build_leaves(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_broad_scene *scene = &s->scene;
    int64_t leaves = 0;
    for (int32_t k = 0; k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        const mus_topology *t = object->cloth ? &object->cloth->topology : &object->obstacle->topology;
        if (t->face_count)
            leaves += t->face_count;
        else if (object->count)
            leaves++;
        if (object->cloth) scene->cloth_leaf_count = (int32_t)leaves;
    }
    scene->leaves = mus_new(sizeof(mus_leaf) * ((size_t)leaves + 1));
    uint8_t *owned = mus_new((size_t)a->vertex_count + 1);
    if (!scene->leaves || !owned) {
        mus_free(owned);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t k = 0; k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        const mus_topology *t = object->cloth ? &object->cloth->topology : &object->obstacle->topology;
        const int32_t *faces = object->cloth ? object->cloth->faces : object->obstacle->faces;
        const int32_t *next = t->edges, *end = t->edges + 2 * (size_t)t->edge_count;
        for (int32_t f = 0; f < t->face_count; f++) {
            mus_leaf leaf = {.object = (uint32_t)k, .face = 1};
            for (int c = 0; c < 3; c++) {
                int32_t p = faces[3 * f + c], q = faces[3 * f + (c + 1) % 3], v = object->first + p;
                leaf.vertex[c] = v;
                if (!owned[v]) leaf.own |= (unsigned)MUS_OWN_VERTEX << c, owned[v] = 1;
                /* edges are numbered as the faces show them first: this is where the next one does */
                if (next == end || next[0] != (p < q ? p : q) || next[1] != (p < q ? q : p)) continue;
                leaf.own |= (unsigned)MUS_OWN_EDGE << c, next += 2;
            }
            scene->leaves[scene->leaf_count++] = leaf;
        }
        if (t->face_count || !object->count) continue;
        int32_t p = object->first, q = object->first + object->count - 1; /* exact: one vertex, or one edge */
        mus_leaf leaf = {.vertex = {p, q, q}, .object = (uint32_t)k, .own = MUS_OWN_VERTEX};
        if (q > p) leaf.own |= MUS_OWN_VERTEX << 1 | MUS_OWN_EDGE;
        scene->leaves[scene->leaf_count++] = leaf;
    }
    mus_free(owned);
    scene->vertex_count = a->vertex_count;
    scene->collide = a->collide;
    scene->object_count = a->object_count;
    scene->threads = s->def.threads;
    return MUS_STATUS_OK;
}

/* What some broad phases build by. */
static mus_status build_rest(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_broad_scene *scene = &s->scene;
    scene->place = mus_new(sizeof *scene->place * (2 * (size_t)scene->cloth_leaf_count + 1));
    scene->grid = mus_new(sizeof *scene->grid * (2 * (size_t)a->object_count + 1));
    if (!scene->place || !scene->grid) return MUS_STATUS_NO_MEMORY;
    float *place = scene->place;
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < a->cloth_count && status == MUS_STATUS_OK; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        memcpy(scene->grid + 2 * (size_t)k, cloth->grid_nodes, sizeof cloth->grid_nodes);
        status = mus_cloth_unfold(cloth, place);
        place += 2 * (size_t)cloth->face_count;
    }
    return status;
}

/* Does dynamics take what contacts bear as a load? Not where rigid bodies are, whose share it does not know. */
static bool uses_contact_loads(const mus_solver *s) {
    return s->def.family == &mus_family_impulse && s->def.integrator->implicit && !s->assembly.rigid_count;
}

/* Are cloth and bodies solved as one beside dynamics (coupling.h)? */
static bool solves_cloth_rigid(const mus_solver *s) {
    return s->assembly.rigid_count && !s->def.family->separate_rigid_contacts && !s->def.family->solves_rigid_bodies;
}

/* Dynamics and detection take turns, unless the family mixes them: what either needs only for its own time lies in the
 * same memory. Returns the size. */
static size_t assign_scratch(mus_solver *s, char *base) {
    mus_assembly *a = &s->assembly;
    mus_lender dynamics = {base, 0};
    size_t cloth = sizeof(v3) * (size_t)a->cloth_vertex_count;
    for (int32_t k = 0; k < a->cloth_count; k++)
        if (!s->dynamics[k]->in_seam_group) mus_dynamics_borrow(s->dynamics[k], &dynamics);
    for (int32_t k = 0; k < s->seam_group_count; k++) mus_seam_group_borrow(&s->seam_groups[k], &dynamics);
    size_t apart = s->def.family->interleaves_detection || solves_cloth_rigid(s) ? dynamics.used : 0;
    mus_lender detection = {base ? base + apart : NULL, 0};
    mus_lend(&detection, &a->free_x1, cloth);
    mus_lend(&detection, &a->scratch, cloth);
    mus_lend(&detection, &s->bound_center, sizeof(v3) * (size_t)a->vertex_count);
    mus_lend(&detection, &s->scene.vertex_box, sizeof *s->scene.vertex_box * (size_t)a->vertex_count);
    if (s->broad_state) s->def.broad->borrow(s->broad_state, &detection);
    detection.used += apart;
    return dynamics.used > detection.used ? dynamics.used : detection.used;
}

mus_status mus_solver_acquire_scratch(mus_solver *s) {
    char *scratch = mus_resize(s->scratch, assign_scratch(s, NULL) + 1);
    if (!scratch) return MUS_STATUS_NO_MEMORY;
    s->scratch = scratch;
    assign_scratch(s, scratch);
    return MUS_STATUS_OK;
}

void mus_solver_release_scratch(mus_solver *s) {
    mus_free(s->scratch);
    s->scratch = NULL;
}

mus_status mus_solver_make_broad(mus_solver *s) {
    mus_status status = s->def.broad->create(&s->scene, s->built, &s->broad_state);
    if (status == MUS_STATUS_OK) status = mus_solver_acquire_scratch(s);
    if (status == MUS_STATUS_OK || !s->broad_state) return status;
    s->def.broad->destroy(s->broad_state);
    s->broad_state = NULL;
    return status;
}

/* Seams join consecutive cloths: those between two that are sewn come along. */
static mus_status make_seam_groups(mus_solver *s, mus_cloth *const *cloths, int32_t cloth_count, mus_seam *const *seams,
                                   int32_t seam_count) {
    if (!seam_count) return MUS_STATUS_OK;
    int32_t *last = mus_new(sizeof *last * (size_t)cloth_count); /* the last cloth that each is sewn to */
    s->seam_groups = mus_new(sizeof *s->seam_groups * (size_t)cloth_count);
    mus_status status = last && s->seam_groups ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < cloth_count && status == MUS_STATUS_OK; k++) last[k] = -1;
    for (int32_t k = 0; k < seam_count && status == MUS_STATUS_OK; k++) {
        int32_t of[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            while (cloths[of[side]] != mus_cloth_solved(seams[k]->cloth[side])) of[side]++;
        int32_t low = of[0] < of[1] ? of[0] : of[1], high = of[0] < of[1] ? of[1] : of[0];
        if (high > last[low]) last[low] = high;
    }
    for (int32_t k = 0; k < cloth_count && status == MUS_STATUS_OK; k++) {
        int32_t first = k, end = last[k];
        if (end < 0) continue;
        for (; k < end; k++) end = last[k + 1] > end ? last[k + 1] : end;
        status = mus_seam_group_create(s->dynamics, cloths, first, end - first + 1, seams, seam_count,
                                       &s->seam_groups[s->seam_group_count++]);
    }
    mus_free(last);
    return status;
}

mus_seam_group *mus_solver_seam_group_at(const mus_solver *s, int32_t cloth) {
    for (int32_t k = 0; k < s->seam_group_count; k++)
        if (s->seam_groups[k].first_cloth == cloth) return &s->seam_groups[k];
    return NULL;
}

mus_block_matrix *mus_solver_matrix(const mus_solver *s, int32_t cloth) {
    mus_seam_group *group = mus_solver_seam_group_at(s, cloth);
    return group ? &group->matrix : s->dynamics[cloth]->in_seam_group ? NULL : &s->dynamics[cloth]->matrix;
}

static mus_status build_solver(mus_solver *s, mus_cloth *const *cloths, mus_seam *const *seams, int32_t seam_count) {
    mus_assembly *a = &s->assembly;
    size_t n = (size_t)a->vertex_count + 1;
    s->dynamics = mus_new(sizeof *s->dynamics * ((size_t)a->cloth_count + 1));
    s->built = mus_new(sizeof(v3) * n);
    s->stamp = mus_new(sizeof(uint32_t) * n);
    s->left_bound = mus_new(n);
    s->response_of = mus_new(sizeof(int16_t) * ((size_t)a->object_count * (size_t)a->object_count + 1));
    if (!s->dynamics || !s->built || !s->stamp || !s->left_bound || !s->response_of) return MUS_STATUS_NO_MEMORY;
    double edge = INFINITY;
    s->limit.stage = s->def.strain;
    s->limit.threads = s->def.threads;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        mus_status status = mus_dynamics_create(cloth, &s->dynamics[k]);
        if (status == MUS_STATUS_OK && s->def.integrator && s->def.integrator->prepare)
            status = s->def.integrator->prepare(s->dynamics[k], cloth);
        if (status == MUS_STATUS_OK) status = mus_strain_limit_add(&s->limit, cloth, a->objects[k].first);
        if (status != MUS_STATUS_OK) return status;
        s->motion_bound = fmax(s->motion_bound, fmin(0.6 * cloth->thickness, 0.2 * cloth->mean_edge));
        edge = fmin(edge, cloth->mean_edge);
    }
    s->travel = 0.4 * edge;
    mus_status status = make_seam_groups(s, cloths, a->cloth_count, seams, seam_count);
    if (status == MUS_STATUS_OK) status = mus_strain_limit_ready(&s->limit, a->cloth_vertex_count);
    if (status == MUS_STATUS_OK) status = mus_zones_create(&s->zones, a->vertex_count);
    s->zones.mean_spin = s->def.failsafe && s->def.failsafe->mean_spin;
    if (status == MUS_STATUS_OK) status = build_leaves(s);
    if (status == MUS_STATUS_OK) status = mus_solver_rigid_contacts_create(s);
    if (status == MUS_STATUS_OK && solves_cloth_rigid(s)) status = mus_cloth_rigid_create(s);
    if (status == MUS_STATUS_OK && s->def.broad->wants_rest) status = build_rest(s);
    if (status != MUS_STATUS_OK) return status;
    s->marked = mus_new((size_t)s->scene.leaf_count + 1);
    return s->marked ? mus_solver_acquire_scratch(s) : MUS_STATUS_NO_MEMORY;
}

mus_status mus_solver_create(mus_solver *s, const mus_solver_def *def, mus_cloth *const *cloths, int32_t cloth_count,
                             mus_obstacle *const *obstacles, int32_t obstacle_count, mus_seam *const *seams,
                             int32_t seam_count) {
    *s = (mus_solver){.def = *def, .committed = -1, .current = -1};
    mus_status status = mus_assembly_create(cloths, cloth_count, obstacles, obstacle_count, &s->assembly);
    if (status == MUS_STATUS_OK) status = mus_assembly_join(&s->assembly, seams, seam_count);
    if (status == MUS_STATUS_OK) status = build_solver(s, cloths, seams, seam_count);
    if (status == MUS_STATUS_OK && def->family->create) status = def->family->create(s);
    if (status != MUS_STATUS_OK) mus_solver_free(s);
    return status;
}

void mus_solver_free(mus_solver *s) {
    if (s->def.family && s->def.family->destroy) s->def.family->destroy(s);
    if (s->broad_state) s->def.broad->destroy(s->broad_state);
    for (int32_t k = 0; s->dynamics && k < s->assembly.cloth_count; k++) mus_dynamics_free(s->dynamics[k]);
    for (int32_t k = 0; k < s->seam_group_count; k++) mus_seam_group_free(&s->seam_groups[k]);
    mus_assembly_free(&s->assembly);
    mus_tolerances_free(&s->tolerance);
    mus_strain_limit_free(&s->limit);
    mus_zones_free(&s->zones);
    mus_array_free(&s->pairs);
    mus_array_free(&s->candidates);
    mus_array_free(&s->times);
    mus_neighbor_list_free(&s->neighbor_list);
    for (int k = 0; k < MUS_BROAD_SLOTS; k++) mus_found_free(&s->found[k]);
    for (int k = 0; k < 3; k++) {
        mus_array_free(&s->lists[k]);
        mus_array_free(&s->warm_starts[k]);
    }
    mus_array_free(&s->warm_start_table);
    mus_solver_rigid_contacts_free(s);
    mus_array_free(&s->constraints);
    mus_array_free(&s->hits);
    mus_contact_coloring_free(&s->contact_coloring);
    mus_cloth_rigid_free(&s->cloth_rigid);
    mus_rule_batch_free(s->batch);
    mus_coefficients_free(&s->coefficients);
    void *blocks[] = {s->dynamics, s->scene.leaves, s->stamp,       s->left_bound, s->marked,     s->response_of,
                      s->built,    s->scratch,      s->scene.place, s->scene.grid, s->seam_groups};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *s = (mus_solver){0};
}

/* ---- the step ---- */

static void record_linear_solve(mus_solver *s, const mus_integrator_result *result) {
    if (result->iterations > s->stats->iterations) s->stats->iterations = result->iterations;
    if (result->residual > s->stats->residual) s->stats->residual = result->residual;
}

/* All members of a bundle. */
static mus_status advance_seam_group(mus_solver *s, mus_seam_group *b, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < b->member_count; k++)
        b->members[k].previous_dt = a->objects[b->first_cloth + k].previous_dt;
    mus_integrator_result result =
        mus_seam_group_advance(b, s->def.integrator, &input->environment, dt, a->x0 + b->first, a->v0 + b->first,
                               a->x1 + b->first, a->v1 + b->first);
    for (int32_t k = 0; k < b->member_count; k++) a->objects[b->first_cloth + k].current_dt = result.previous_dt;
    record_linear_solve(s, &result);
    return mus_solver_check_substeps(s, result.iterations, b->members[0].cloth, dt);
}

static mus_status advance_cloths(mus_solver *s, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    if (uses_contact_loads(s))
        mus_warm_starts_set_contact_loads(a, s->current < 0 ? NULL : &s->warm_starts[s->current], s->dynamics);
    for (int32_t b = 0; b < s->seam_group_count; b++) mus_seam_group_begin(&s->seam_groups[b], s->time, dt);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_seam_group *group = mus_solver_seam_group_at(s, k);
        if (group) {
            mus_status status = advance_seam_group(s, group, input, dt);
            if (status != MUS_STATUS_OK) return status;
            k += group->member_count - 1;
            continue;
        }
        mus_object *object = &a->objects[k];
        int32_t first = object->first;
        mus_integrator_result result =
            s->def.integrator->advance(s->dynamics[k], object->cloth, &input->environment, object->previous_dt, dt,
                                       a->x0 + first, a->v0 + first, a->x1 + first, a->v1 + first);
        object->current_dt = result.previous_dt;
        record_linear_solve(s, &result);
        mus_status status = mus_solver_check_substeps(s, result.iterations, object->cloth, dt);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static void save_free_ends(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_parallel_copy(s->def.threads, a->free_x1, a->x1, a->cloth_vertex_count, sizeof(v3));
}

static void update_velocity_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_solver *s = context;
    const mus_assembly *a = &s->assembly;
    (void)block;
    for (int64_t i = begin; i < end; i++) a->v1[i] = v3_axpy(1 / s->dt, v3_sub(a->x1[i], a->free_x1[i]), a->v1[i]);
}

/* v1 follows a change of x1 since free ends were remembered. */
static void update_velocities(mus_solver *s) {
    mus_parallel_vertices(s->def.threads, s->assembly.cloth_vertex_count, update_velocity_block, s);
}

typedef struct finite_check {
    const mus_assembly *a;
    double furthest; /* m: that a vertex may move along an axis */
    bool failed;
} finite_check;

/* Cloth that flies apart would be near all other cloth, and a search among all pairs takes minutes. */
static bool is_in_bounds(const finite_check *c, int64_t i) {
    v3 x = c->a->x1[i];
    return mus_are_lengths(x) && v3_max_abs(v3_sub(x, c->a->x0[i])) <= c->furthest;
}

static void check_vertices(void *context, int64_t begin, int64_t end, int64_t block) {
    finite_check *c = context;
    bool failed = false;
    (void)block;
    for (int64_t i = begin; i < end; i++) failed |= !is_in_bounds(c, i);
    if (failed) __atomic_store_n(&c->failed, true, __ATOMIC_RELAXED); /* several threads may say so */
}

mus_status mus_solver_check_finite(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    finite_check c = {a, MUS_MOST_SUBSTEPS * s->travel, false};
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, check_vertices, &c);
    for (int32_t i = 0; c.failed && i < a->cloth_vertex_count; i++)
        if (!is_in_bounds(&c, i)) {
            char where[160];
            mus_solver_name_feature(s, i, where, sizeof where);
            if (mus_are_lengths(a->x1[i]))
                return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                                "world: %s would move %g m in one step of %g s, at most %g m (%d times 0.4 of the mean "
                                "edge); lower the forces, stiffness, damping or dt",
                                where, v3_length(v3_sub(a->x1[i], a->x0[i])), s->dt, c.furthest, MUS_MOST_SUBSTEPS);
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "world: %s would leave all bounds (%g m) in one step; lower the forces or dt", where,
                            MUS_LARGEST_LENGTH);
        }
    return MUS_STATUS_OK;
}

mus_status mus_solver_check_springs(const mus_solver *s) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < s->assembly.cloth_count; k++) {
        mus_status one = mus_spring_programs_check(s->assembly.objects[k].cloth); /* each forgets what it has told */
        if (status == MUS_STATUS_OK) status = one;
    }
    return status;
}

static mus_status build_contact_constraints(mus_solver *s, const mus_step_input *input,
                                            const mus_candidate_pair_list *near, double dt) {
    mus_assembly *a = &s->assembly;
    mus_contact_options options = {.dt = dt, .relax = 0.5, .threads = s->def.threads};
    mus_status status = mus_contacts_build(a, near, &options, &s->constraints);
    if (status != MUS_STATUS_OK) return status;
    if (!s->def.repulsion) s->constraints.count = 0;
    if ((status = mus_solver_add_rigid_constraints(s, dt)) != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < s->constraints.count; k++) mus_solver_choose_response(s, &s->constraints.data[k]);
    if ((status = mus_coefficients_ask(s, s->constraints.data, s->constraints.count)) != MUS_STATUS_OK) return status;
    if (input->contacts && (status = input->contacts(input->context)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_apply_rules(s, &s->constraints, 0)) != MUS_STATUS_OK) return status;
    if (s->current >= 0)
        status = mus_warm_starts_apply(a, &s->warm_starts[s->current], dt, &s->warm_start_table, &s->constraints);
    return status == MUS_STATUS_OK ? mus_solver_sweep(s, SWEEPS) : status;
}

static void stamp_moved(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    const mus_assembly *a = &s->assembly;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        if (memcmp(&a->scratch[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, (int32_t)i);
}

/* Pairs that were not near and would meet: solved together with the contacts, before single impulses. */
static mus_status add_impact_constraints(mus_solver *s, mus_candidate_pair_list *list) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->constraints.count;
    mus_status status = mus_solver_add_impact_constraints(s, list);
    if (status != MUS_STATUS_OK || s->constraints.count == first) return status;
    if ((status = mus_coefficients_ask(s, s->constraints.data + first, s->constraints.count - first)) != MUS_STATUS_OK)
        return status;
    mus_parallel_copy(s->def.threads, a->scratch, a->x1, a->cloth_vertex_count, sizeof(v3));
    if ((status = mus_solver_apply_rules(s, &s->constraints, first)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_sweep(s, IMPACT_SWEEPS)) != MUS_STATUS_OK) return status;
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, stamp_moved, s);
    return MUS_STATUS_OK;
}

static int free_list(const mus_solver *s) {
    for (int k = 0; k < 3; k++)
        if (k != s->committed && k != s->current) return k;
    return 0;
}

mus_status mus_solver_commit_attempt(mus_solver *s, const mus_contact_constraint_list *constraints) {
    static const mus_contact_constraint_list none = {0};
    mus_assembly *a = &s->assembly;
    int list = free_list(s);
    mus_status status = mus_warm_starts_store(a, constraints ? constraints : &none, s->dt, uses_contact_loads(s),
                                              &s->warm_starts[list]);
    if (status == MUS_STATUS_OK)
        status = mus_candidate_pairs_keep_near(a, &s->candidates, s->def.threads, &s->lists[list]);
    if (status != MUS_STATUS_OK) return status;
    mus_parallel_copy(s->def.threads, a->x0, a->x1, a->vertex_count, sizeof(v3));
    mus_parallel_copy(s->def.threads, a->v0, a->v1, a->cloth_vertex_count, sizeof(v3));
    for (int32_t k = 0; k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        object->previous_dt = object->current_dt;
        object->pose0 = object->pose1, object->normal0 = object->normal1, object->point0 = object->point1;
    }
    mus_solver_commit_rigid_bodies(s);
    s->current = list;
    return MUS_STATUS_OK;
}

mus_status mus_solver_first_detection(mus_solver *s) {
    if (s->broad_state) return MUS_STATUS_OK;
    memcpy(s->built, s->assembly.x0, sizeof(v3) * (size_t)s->assembly.vertex_count);
    return mus_solver_make_broad(s);
}

mus_status mus_solver_predict(mus_solver *s, const mus_step_input *input, double t, double dt, mus_stopwatch *watch) {
    mus_assembly *a = &s->assembly;
    mus_status status = mus_solver_first_detection(s);
    if (status != MUS_STATUS_OK) return status;
    s->time = t, s->dt = dt;
    mus_coefficients_begin(&s->coefficients);
    memset(s->stamp, 0, sizeof *s->stamp * (size_t)a->vertex_count);
    s->clock = 1;
    if ((status = input->place_kinematic(input->context, a, t + dt)) != MUS_STATUS_OK) return status;
    mus_solver_predict_rigid_bodies(s, input, dt);
    mus_stopwatch_lap(watch, MUS_PHASE_OBSTACLES);
    if ((status = advance_cloths(s, input, dt)) != MUS_STATUS_OK) return status;
    mus_cloth_rigid_begin(s);
    mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
    if ((status = mus_solver_check_springs(s)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status; /* positions may be unfinished */
    if (input->candidate) {
        save_free_ends(s);
        if ((status = input->candidate(input->context, t + dt)) != MUS_STATUS_OK) return status;
        update_velocities(s);
        mus_stopwatch_lap(watch, MUS_PHASE_HOOKS);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++)
        mus_stitches_warm_start(&s->seam_groups[k], dt, a->x1 + s->seam_groups[k].first);
    status = mus_solver_check_finite(s);
    return status == MUS_STATUS_OK ? mus_solver_check_rigid_bodies(s) : status;
}

/* Zones; where bodies pinch cloth between them, these move as one, and cloth gives way anew to where they are. */
static mus_status zones(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, double dt,
                        bool *clean) {
    mus_assembly *a = &s->assembly;
    size_t bytes = sizeof(v3) * (size_t)a->cloth_vertex_count;
    for (int round = 0;; round++) {
        memcpy(a->scratch, a->x1, bytes);
        mus_status status = mus_solver_zones(s, input, list);
        if (status != MUS_STATUS_NO_SAFE_STEP || !a->rigid_count) return status;
        bool bodies_joined;
        mus_status joined = mus_solver_join_pinching_bodies(s, dt, round == 0, &bodies_joined);
        if (joined != MUS_STATUS_OK || !bodies_joined) return joined != MUS_STATUS_OK ? joined : status;
        memcpy(a->x1, a->scratch, bytes);
        save_free_ends(s);
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        if ((status = mus_solver_impacts(s, input, list, clean)) != MUS_STATUS_OK) return status;
        update_velocities(s);
        if (*clean) return MUS_STATUS_OK;
    }
}

void mus_solver_follow_pins(mus_assembly *a, double dt) {
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (a->inverse_mass[i] <= 0) a->v1[i] = v3_scale(1 / dt, v3_sub(a->x1[i], a->x0[i]));
}

/* One attempt over [t, t + dt] from x0, v0. */
static mus_status impulse_attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    mus_candidate_pair_list *list = &s->candidates;
    if (s->current < 0) { /* nothing known yet: contacts from a first look at this step's motion */
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    }
    save_free_ends(s);
    status = build_contact_constraints(s, input, s->current < 0 ? list : &s->lists[s->current], dt);
    if (status != MUS_STATUS_OK) return status;
    bool moved;
    if ((status = mus_solver_place_rigid_bodies(s, dt, false, &moved)) != MUS_STATUS_OK) return status;
    update_velocities(s);
    save_free_ends(s);
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    bool clean = false;
    s->hits.count = 0;
    if ((status = add_impact_constraints(s, list)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_place_rigid_bodies(s, dt, true, &moved)) != MUS_STATUS_OK) return status;
    if (moved && (status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status; /* pairs that nobody expected */
    if ((status = mus_solver_impacts(s, input, list, &clean)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_NARROW);
    update_velocities(s);
    if (!clean && s->def.failsafe && s->def.failsafe->projections > 0 &&
        (status = mus_solver_project(s, input, list, &clean)) != MUS_STATUS_OK)
        return status;
    if (!clean) {
        if ((status = zones(s, input, list, dt, &clean)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_FAILSAFE);
    }
    mus_solver_apply_deferred_impulses(s, dt);
    mus_solver_solve_velocities(s, dt);
    mus_contacts_apply_restitution(a, &s->constraints, dt);
    mus_contacts_apply_restitution(a, &s->hits, dt);
    if (!clean) mus_solver_move_zones_as_one(s);
    mus_solver_follow_pins(a, dt);
    s->stats->contacts = s->hits.count + mus_contacts_count_active(&s->constraints);
    status = mus_solver_commit_attempt(s, &s->constraints);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_impulse = {.attempt = impulse_attempt};

/* The ladder's last rungs: the step in two halves, and so on. x0, v0 and the poses are as an earlier rung left them: an
 * attempt changes them only when it succeeds. */
static mus_status step_with_halving(mus_solver *s, const mus_step_input *input, double t, double dt, int depth) {
    mus_status status = s->def.family->attempt(s, input, t, dt);
    if (status != MUS_STATUS_NO_SAFE_STEP || depth == DEEPEST_HALVING) {
        if (status == MUS_STATUS_OK) s->stats->substeps++;
        return status;
    }
    if ((status = step_with_halving(s, input, t, dt / 2, depth + 1)) != MUS_STATUS_OK) return status;
    return step_with_halving(s, input, t + dt / 2, dt / 2, depth + 1);
}

mus_status mus_solver_step(mus_solver *s, const mus_step_input *input, mus_stats *stats) {
    s->stats = stats;
    s->current = s->committed;
    int32_t substep_count;
    mus_status status = mus_solver_count_substeps(s, input, &substep_count);
    for (int32_t k = 0; k < substep_count && status == MUS_STATUS_OK; k++) {
        double from = input->dt * k / substep_count, to = input->dt * (k + 1) / substep_count;
        status = step_with_halving(s, input, input->time + from, to - from, 0);
    }
    s->stats = NULL;
    return status;
}

void mus_solver_commit(mus_solver *s) {
    s->committed = s->current;
}
