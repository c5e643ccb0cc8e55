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
    for (int32_t k = 0; k < a->body_count; k++) {
        const mus_body *body = &a->bodies[k];
        const mus_topology *t = body->cloth ? &body->cloth->topology : &body->obstacle->topology;
        if (t->face_count)
            leaves += t->face_count;
        else if (body->count)
            leaves++;
        if (body->cloth) scene->cloth_leaf_count = (int32_t)leaves;
    }
    scene->leaves = mus_new(sizeof(mus_leaf) * ((size_t)leaves + 1));
    uint8_t *owned = mus_new((size_t)a->vertex_count + 1);
    if (!scene->leaves || !owned) {
        mus_free(owned);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t k = 0; k < a->body_count; k++) {
        const mus_body *body = &a->bodies[k];
        const mus_topology *t = body->cloth ? &body->cloth->topology : &body->obstacle->topology;
        const int32_t *faces = body->cloth ? body->cloth->faces : body->obstacle->faces;
        const int32_t *next = t->edges, *end = t->edges + 2 * (size_t)t->edge_count;
        for (int32_t f = 0; f < t->face_count; f++) {
            mus_leaf leaf = {.object = (uint32_t)k, .face = 1};
            for (int c = 0; c < 3; c++) {
                int32_t p = faces[3 * f + c], q = faces[3 * f + (c + 1) % 3], v = body->first + p;
                leaf.vertex[c] = v;
                if (!owned[v]) leaf.own |= (unsigned)MUS_OWN_VERTEX << c, owned[v] = 1;
                /* edges are numbered as the faces show them first: this is where the next one does */
                if (next == end || next[0] != (p < q ? p : q) || next[1] != (p < q ? q : p)) continue;
                leaf.own |= (unsigned)MUS_OWN_EDGE << c, next += 2;
            }
            scene->leaves[scene->leaf_count++] = leaf;
        }
        if (t->face_count || !body->count) continue;
        int32_t p = body->first, q = body->first + body->count - 1; /* exact: one vertex, or one edge */
        mus_leaf leaf = {.vertex = {p, q, q}, .object = (uint32_t)k, .own = MUS_OWN_VERTEX};
        if (q > p) leaf.own |= MUS_OWN_VERTEX << 1 | MUS_OWN_EDGE;
        scene->leaves[scene->leaf_count++] = leaf;
    }
    mus_free(owned);
    scene->vertex_count = a->vertex_count;
    scene->collide = a->collide;
    scene->object_count = a->body_count;
    scene->threads = s->def.threads;
    return MUS_STATUS_OK;
}

/* What some broad phases build by. */
static mus_status build_rest(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_broad_scene *scene = &s->scene;
    scene->place = mus_new(sizeof *scene->place * (2 * (size_t)scene->cloth_leaf_count + 1));
    scene->grid = mus_new(sizeof *scene->grid * (2 * (size_t)a->body_count + 1));
    if (!scene->place || !scene->grid) return MUS_STATUS_NO_MEMORY;
    float *place = scene->place;
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < a->cloth_count && status == MUS_STATUS_OK; k++) {
        const mus_cloth *cloth = a->bodies[k].cloth;
        memcpy(scene->grid + 2 * (size_t)k, cloth->grid_nodes, sizeof cloth->grid_nodes);
        status = mus_cloth_unfold(cloth, place);
        place += 2 * (size_t)cloth->face_count;
    }
    return status;
}

/* Does dynamics take what contacts bear as a load? Not where rigid bodies are, whose share it does not know. */
static bool leans(const mus_solver *s) {
    return s->def.family == &mus_family_impulse && s->def.integrator->implicit && !s->assembly.rigid_count;
}

/* Are cloth and bodies solved as one beside dynamics (coupling.h)? */
static bool couples(const mus_solver *s) {
    return s->assembly.rigid_count && !s->def.family->apart && !s->def.family->joint;
}

/* Dynamics and detection take turns, unless the family mixes them: what either needs only for its own time lies in the
 * same memory. Returns the size. */
static size_t deal(mus_solver *s, char *base) {
    mus_assembly *a = &s->assembly;
    mus_lender dynamics = {base, 0};
    size_t cloth = sizeof(v3) * (size_t)a->cloth_vertex_count;
    for (int32_t k = 0; k < a->cloth_count; k++)
        if (!s->dynamics[k]->member) mus_dynamics_borrow(s->dynamics[k], &dynamics);
    for (int32_t k = 0; k < s->bundle_count; k++) mus_bundle_borrow(&s->bundles[k], &dynamics);
    size_t apart = s->def.family->mixes || couples(s) ? dynamics.used : 0;
    mus_lender detection = {base ? base + apart : NULL, 0};
    mus_lend(&detection, &a->free_x1, cloth);
    mus_lend(&detection, &a->scratch, cloth);
    mus_lend(&detection, &s->envelope, sizeof(v3) * (size_t)a->vertex_count);
    mus_lend(&detection, &s->scene.vertex_box, sizeof *s->scene.vertex_box * (size_t)a->vertex_count);
    if (s->broad_state) s->def.broad->borrow(s->broad_state, &detection);
    detection.used += apart;
    return dynamics.used > detection.used ? dynamics.used : detection.used;
}

mus_status mus_solver_take_up(mus_solver *s) {
    char *scratch = mus_resize(s->scratch, deal(s, NULL) + 1);
    if (!scratch) return MUS_STATUS_NO_MEMORY;
    s->scratch = scratch;
    deal(s, scratch);
    return MUS_STATUS_OK;
}

void mus_solver_lay_down(mus_solver *s) {
    mus_free(s->scratch);
    s->scratch = NULL;
}

mus_status mus_solver_make_broad(mus_solver *s) {
    mus_status status = s->def.broad->create(&s->scene, s->built, &s->broad_state);
    if (status == MUS_STATUS_OK) status = mus_solver_take_up(s);
    if (status == MUS_STATUS_OK || !s->broad_state) return status;
    s->def.broad->destroy(s->broad_state);
    s->broad_state = NULL;
    return status;
}

/* Seams join consecutive cloths: those between two that are sewn come along. */
static mus_status make_bundles(mus_solver *s, mus_cloth *const *cloths, int32_t cloth_count, mus_seam *const *seams,
                               int32_t seam_count) {
    if (!seam_count) return MUS_STATUS_OK;
    int32_t *last = mus_new(sizeof *last * (size_t)cloth_count); /* the last cloth that each is sewn to */
    s->bundles = mus_new(sizeof *s->bundles * (size_t)cloth_count);
    mus_status status = last && s->bundles ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
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
        status = mus_bundle_create(s->dynamics, cloths, first, end - first + 1, seams, seam_count,
                                   &s->bundles[s->bundle_count++]);
    }
    mus_free(last);
    return status;
}

mus_bundle *mus_solver_bundle_at(const mus_solver *s, int32_t cloth) {
    for (int32_t k = 0; k < s->bundle_count; k++)
        if (s->bundles[k].first_cloth == cloth) return &s->bundles[k];
    return NULL;
}

mus_block_matrix *mus_solver_matrix(const mus_solver *s, int32_t cloth) {
    mus_bundle *bundle = mus_solver_bundle_at(s, cloth);
    return bundle ? &bundle->matrix : s->dynamics[cloth]->member ? NULL : &s->dynamics[cloth]->matrix;
}

static mus_status build(mus_solver *s, mus_cloth *const *cloths, mus_seam *const *seams, int32_t seam_count) {
    mus_assembly *a = &s->assembly;
    size_t n = (size_t)a->vertex_count + 1;
    s->dynamics = mus_new(sizeof *s->dynamics * ((size_t)a->cloth_count + 1));
    s->built = mus_new(sizeof(v3) * n);
    s->stamp = mus_new(sizeof(uint32_t) * n);
    s->escaped = mus_new(n);
    s->response_of = mus_new(sizeof(int16_t) * ((size_t)a->body_count * (size_t)a->body_count + 1));
    if (!s->dynamics || !s->built || !s->stamp || !s->escaped || !s->response_of) return MUS_STATUS_NO_MEMORY;
    double edge = INFINITY;
    s->limit.stage = s->def.strain;
    s->limit.threads = s->def.threads;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->bodies[k].cloth;
        mus_status status = mus_dynamics_create(cloth, &s->dynamics[k]);
        if (status == MUS_STATUS_OK && s->def.integrator && s->def.integrator->prepare)
            status = s->def.integrator->prepare(s->dynamics[k], cloth);
        if (status == MUS_STATUS_OK) status = mus_strain_limit_add(&s->limit, cloth, a->bodies[k].first);
        if (status != MUS_STATUS_OK) return status;
        s->wander = fmax(s->wander, fmin(0.6 * cloth->thickness, 0.2 * cloth->mean_edge));
        edge = fmin(edge, cloth->mean_edge);
    }
    s->travel = 0.4 * edge;
    mus_status status = make_bundles(s, cloths, a->cloth_count, seams, seam_count);
    if (status == MUS_STATUS_OK) status = mus_strain_limit_ready(&s->limit, a->cloth_vertex_count);
    if (status == MUS_STATUS_OK) status = mus_zones_create(&s->zones, a->vertex_count);
    s->zones.mean_spin = s->def.failsafe && s->def.failsafe->mean_spin;
    if (status == MUS_STATUS_OK) status = build_leaves(s);
    if (status == MUS_STATUS_OK) status = mus_solver_body_meetings_create(s);
    if (status == MUS_STATUS_OK && couples(s)) status = mus_coupling_create(s);
    if (status == MUS_STATUS_OK && s->def.broad->wants_rest) status = build_rest(s);
    if (status != MUS_STATUS_OK) return status;
    s->marked = mus_new((size_t)s->scene.leaf_count + 1);
    return s->marked ? mus_solver_take_up(s) : MUS_STATUS_NO_MEMORY;
}

mus_status mus_solver_create(mus_solver *s, const mus_solver_def *def, mus_cloth *const *cloths, int32_t cloth_count,
                             mus_obstacle *const *obstacles, int32_t obstacle_count, mus_seam *const *seams,
                             int32_t seam_count) {
    *s = (mus_solver){.def = *def, .committed = -1, .current = -1};
    mus_status status = mus_assembly_create(cloths, cloth_count, obstacles, obstacle_count, &s->assembly);
    if (status == MUS_STATUS_OK) status = mus_assembly_join(&s->assembly, seams, seam_count);
    if (status == MUS_STATUS_OK) status = build(s, cloths, seams, seam_count);
    if (status == MUS_STATUS_OK && def->family->create) status = def->family->create(s);
    if (status != MUS_STATUS_OK) mus_solver_free(s);
    return status;
}

void mus_solver_free(mus_solver *s) {
    if (s->def.family && s->def.family->destroy) s->def.family->destroy(s);
    if (s->broad_state) s->def.broad->destroy(s->broad_state);
    for (int32_t k = 0; s->dynamics && k < s->assembly.cloth_count; k++) mus_dynamics_free(s->dynamics[k]);
    for (int32_t k = 0; k < s->bundle_count; k++) mus_bundle_free(&s->bundles[k]);
    mus_assembly_free(&s->assembly);
    mus_tolerances_free(&s->tolerance);
    mus_strain_limit_free(&s->limit);
    mus_zones_free(&s->zones);
    mus_array_free(&s->pairs);
    mus_array_free(&s->candidates);
    mus_array_free(&s->times);
    mus_solver_skin_free(&s->skin);
    for (int k = 0; k < MUS_BROAD_SLOTS; k++) mus_found_free(&s->found[k]);
    for (int k = 0; k < 3; k++) {
        mus_array_free(&s->lists[k]);
        mus_array_free(&s->holds[k]);
    }
    mus_array_free(&s->hold_table);
    mus_solver_body_meetings_free(s);
    mus_array_free(&s->rows);
    mus_array_free(&s->hits);
    mus_row_order_free(&s->order);
    mus_coupling_free(&s->coupling);
    mus_rule_batch_free(s->batch);
    mus_coefficients_free(&s->coefficients);
    void *blocks[] = {s->dynamics, s->scene.leaves, s->stamp,       s->escaped,    s->marked, s->response_of,
                      s->built,    s->scratch,      s->scene.place, s->scene.grid, s->bundles};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *s = (mus_solver){0};
}

/* ---- the step ---- */

static void book_linear(mus_solver *s, const mus_integrator_result *result) {
    if (result->iterations > s->stats->iterations) s->stats->iterations = result->iterations;
    if (result->residual > s->stats->residual) s->stats->residual = result->residual;
}

/* All members of a bundle. */
static mus_status advance_together(mus_solver *s, mus_bundle *b, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < b->member_count; k++) b->members[k].stride = a->bodies[b->first_cloth + k].stride0;
    mus_integrator_result result = mus_bundle_advance(b, s->def.integrator, &input->environment, dt, a->x0 + b->first,
                                                      a->v0 + b->first, a->x1 + b->first, a->v1 + b->first);
    for (int32_t k = 0; k < b->member_count; k++) a->bodies[b->first_cloth + k].stride1 = result.stride;
    book_linear(s, &result);
    return mus_solver_check_parts(s, result.iterations, b->members[0].cloth, dt);
}

static mus_status advance_cloths(mus_solver *s, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    if (leans(s)) mus_holds_lean(a, s->current < 0 ? NULL : &s->holds[s->current], s->dynamics);
    for (int32_t b = 0; b < s->bundle_count; b++) mus_bundle_begin(&s->bundles[b], s->time, dt);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_bundle *bundle = mus_solver_bundle_at(s, k);
        if (bundle) {
            mus_status status = advance_together(s, bundle, input, dt);
            if (status != MUS_STATUS_OK) return status;
            k += bundle->member_count - 1;
            continue;
        }
        mus_body *body = &a->bodies[k];
        int32_t first = body->first;
        mus_integrator_result result =
            s->def.integrator->advance(s->dynamics[k], body->cloth, &input->environment, body->stride0, dt,
                                       a->x0 + first, a->v0 + first, a->x1 + first, a->v1 + first);
        body->stride1 = result.stride;
        book_linear(s, &result);
        mus_status status = mus_solver_check_parts(s, result.iterations, body->cloth, dt);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static void remember_free_ends(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_parallel_copy(s->def.threads, a->free_x1, a->x1, a->cloth_vertex_count, sizeof(v3));
}

static void follow_vertices(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_solver *s = context;
    const mus_assembly *a = &s->assembly;
    (void)block;
    for (int64_t i = begin; i < end; i++) a->v1[i] = v3_axpy(1 / s->dt, v3_sub(a->x1[i], a->free_x1[i]), a->v1[i]);
}

/* v1 follows a change of x1 since free ends were remembered. */
static void follow(mus_solver *s) {
    mus_parallel_vertices(s->def.threads, s->assembly.cloth_vertex_count, follow_vertices, s);
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
        mus_status one = mus_spring_programs_check(s->assembly.bodies[k].cloth); /* each forgets what it has told */
        if (status == MUS_STATUS_OK) status = one;
    }
    return status;
}

static mus_status contact_rows(mus_solver *s, const mus_step_input *input, const mus_candidate_list *near, double dt) {
    mus_assembly *a = &s->assembly;
    mus_row_options options = {.dt = dt, .relax = 0.5, .threads = s->def.threads};
    mus_status status = mus_rows_build(a, near, &options, &s->rows);
    if (status != MUS_STATUS_OK) return status;
    if (!s->def.repulsion) s->rows.count = 0;
    if ((status = mus_solver_body_rows(s, dt)) != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < s->rows.count; k++) mus_solver_choose_response(s, &s->rows.data[k]);
    if ((status = mus_coefficients_ask(s, s->rows.data, s->rows.count)) != MUS_STATUS_OK) return status;
    if (input->contacts && (status = input->contacts(input->context)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_apply_rules(s, &s->rows, 0)) != MUS_STATUS_OK) return status;
    if (s->current >= 0) status = mus_holds_apply(a, &s->holds[s->current], dt, &s->hold_table, &s->rows);
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
static mus_status impact_rows(mus_solver *s, mus_candidate_list *list) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->rows.count;
    mus_status status = mus_solver_impact_rows(s, list);
    if (status != MUS_STATUS_OK || s->rows.count == first) return status;
    if ((status = mus_coefficients_ask(s, s->rows.data + first, s->rows.count - first)) != MUS_STATUS_OK) return status;
    mus_parallel_copy(s->def.threads, a->scratch, a->x1, a->cloth_vertex_count, sizeof(v3));
    if ((status = mus_solver_apply_rules(s, &s->rows, first)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_sweep(s, IMPACT_SWEEPS)) != MUS_STATUS_OK) return status;
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, stamp_moved, s);
    return MUS_STATUS_OK;
}

static int free_list(const mus_solver *s) {
    for (int k = 0; k < 3; k++)
        if (k != s->committed && k != s->current) return k;
    return 0;
}

mus_status mus_solver_commit_attempt(mus_solver *s, const mus_row_list *rows) {
    static const mus_row_list none = {0};
    mus_assembly *a = &s->assembly;
    int list = free_list(s);
    mus_status status = mus_holds_keep(a, rows ? rows : &none, s->dt, leans(s), &s->holds[list]);
    if (status == MUS_STATUS_OK) status = mus_candidates_keep_near(a, &s->candidates, s->def.threads, &s->lists[list]);
    if (status != MUS_STATUS_OK) return status;
    mus_parallel_copy(s->def.threads, a->x0, a->x1, a->vertex_count, sizeof(v3));
    mus_parallel_copy(s->def.threads, a->v0, a->v1, a->cloth_vertex_count, sizeof(v3));
    for (int32_t k = 0; k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        body->stride0 = body->stride1;
        body->pose0 = body->pose1, body->normal0 = body->normal1, body->point0 = body->point1;
    }
    mus_solver_commit_bodies(s);
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
    mus_solver_predict_bodies(s, input, dt);
    mus_stopwatch_lap(watch, MUS_PHASE_OBSTACLES);
    if ((status = advance_cloths(s, input, dt)) != MUS_STATUS_OK) return status;
    mus_coupling_begin(s);
    mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
    if ((status = mus_solver_check_springs(s)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status; /* positions may be unfinished */
    if (input->candidate) {
        remember_free_ends(s);
        if ((status = input->candidate(input->context, t + dt)) != MUS_STATUS_OK) return status;
        follow(s);
        mus_stopwatch_lap(watch, MUS_PHASE_HOOKS);
    }
    for (int32_t k = 0; k < s->bundle_count; k++) mus_ties_take_up(&s->bundles[k], dt, a->x1 + s->bundles[k].first);
    status = mus_solver_check_finite(s);
    return status == MUS_STATUS_OK ? mus_solver_check_bodies(s) : status;
}

/* Zones; where bodies pinch cloth between them, these move as one, and cloth gives way anew to where they are. */
static mus_status zones(mus_solver *s, const mus_step_input *input, mus_candidate_list *list, double dt, bool *clean) {
    mus_assembly *a = &s->assembly;
    size_t bytes = sizeof(v3) * (size_t)a->cloth_vertex_count;
    for (int round = 0;; round++) {
        memcpy(a->scratch, a->x1, bytes);
        mus_status status = mus_solver_zones(s, input, list);
        if (status != MUS_STATUS_NO_SAFE_STEP || !a->rigid_count) return status;
        bool held;
        mus_status joined = mus_solver_hold_pinching(s, dt, round == 0, &held);
        if (joined != MUS_STATUS_OK || !held) return joined != MUS_STATUS_OK ? joined : status;
        memcpy(a->x1, a->scratch, bytes);
        remember_free_ends(s);
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        if ((status = mus_solver_impacts(s, input, list, clean)) != MUS_STATUS_OK) return status;
        follow(s);
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
    mus_candidate_list *list = &s->candidates;
    if (s->current < 0) { /* nothing known yet: contacts from a first look at this step's motion */
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    }
    remember_free_ends(s);
    status = contact_rows(s, input, s->current < 0 ? list : &s->lists[s->current], dt);
    if (status != MUS_STATUS_OK) return status;
    bool moved;
    if ((status = mus_solver_place_bodies(s, dt, false, &moved)) != MUS_STATUS_OK) return status;
    follow(s);
    remember_free_ends(s);
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    bool clean = false;
    s->hits.count = 0;
    if ((status = impact_rows(s, list)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_place_bodies(s, dt, true, &moved)) != MUS_STATUS_OK) return status;
    if (moved && (status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status; /* pairs that nobody expected */
    if ((status = mus_solver_impacts(s, input, list, &clean)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_NARROW);
    follow(s);
    if (!clean && s->def.failsafe && s->def.failsafe->projections > 0 &&
        (status = mus_solver_project(s, input, list, &clean)) != MUS_STATUS_OK)
        return status;
    if (!clean) {
        if ((status = zones(s, input, list, dt, &clean)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_FAILSAFE);
    }
    mus_solver_repay_bodies(s, dt);
    mus_solver_settle(s, dt);
    mus_rows_restitution(a, &s->rows, dt);
    mus_rows_restitution(a, &s->hits, dt);
    if (!clean) mus_solver_move_zones_as_one(s);
    mus_solver_follow_pins(a, dt);
    s->stats->contacts = s->hits.count + mus_rows_bearing(&s->rows);
    status = mus_solver_commit_attempt(s, &s->rows);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_impulse = {.attempt = impulse_attempt};

/* The ladder's last rungs: the step in two halves, and so on. x0, v0 and the poses are as an earlier rung left them: an
 * attempt changes them only when it succeeds. */
static mus_status halving(mus_solver *s, const mus_step_input *input, double t, double dt, int depth) {
    mus_status status = s->def.family->attempt(s, input, t, dt);
    if (status != MUS_STATUS_NO_SAFE_STEP || depth == DEEPEST_HALVING) {
        if (status == MUS_STATUS_OK) s->stats->substeps++;
        return status;
    }
    if ((status = halving(s, input, t, dt / 2, depth + 1)) != MUS_STATUS_OK) return status;
    return halving(s, input, t + dt / 2, dt / 2, depth + 1);
}

mus_status mus_solver_step(mus_solver *s, const mus_step_input *input, mus_stats *stats) {
    s->stats = stats;
    s->current = s->committed;
    int32_t parts;
    mus_status status = mus_solver_parts_needed(s, input, &parts);
    for (int32_t k = 0; k < parts && status == MUS_STATUS_OK; k++) {
        double from = input->dt * k / parts, to = input->dt * (k + 1) / parts;
        status = halving(s, input, input->time + from, to - from, 0);
    }
    s->stats = NULL;
    return status;
}

void mus_solver_commit(mus_solver *s) {
    s->committed = s->current;
}
