/* create.c: creates a solver for an assembly: leaves of the broad phase, dynamics of the cloths, seam groups. */
#include "model/unfold.h"
#include "solve/solver.h"

#include <string.h>

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
            mus_leaf leaf = {.object = (uint32_t)k & 0x1ffffff, .face = 1};
            for (int c = 0; c < 3; c++) {
                int32_t p = faces[3 * f + c], q = faces[3 * f + (c + 1) % 3], v = object->first + p;
                leaf.vertex[c] = v;
                if (!owned[v]) leaf.own = (leaf.own | (unsigned)MUS_OWN_VERTEX << c) & 0x3f, owned[v] = 1;
                /* edges are numbered in the order in which faces first contain them: is this the next one? */
                if (next == end || next[0] != (p < q ? p : q) || next[1] != (p < q ? q : p)) continue;
                leaf.own = (leaf.own | (unsigned)MUS_OWN_EDGE << c) & 0x3f, next += 2;
            }
            scene->leaves[scene->leaf_count++] = leaf;
        }
        if (t->face_count || !object->count) continue;
        int32_t p = object->first, q = object->first + object->count - 1; /* exact shape: one vertex, or one edge */
        mus_leaf leaf = {.vertex = {p, q, q}, .object = (uint32_t)k & 0x1ffffff, .own = MUS_OWN_VERTEX};
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

/* Data from rest shapes that some broad phases use. */
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

/* m per m: the motion bound, within which vertices may still move after detection. Larger bounds find more pairs,
 * smaller ones are left more often, and pairs detected again. With 0.3 and 1.2 thicknesses: within the
 * spread, in as much time; with 0.1 and 0.4 edges: same bits, thickness decides. */
static const double motion_bound_per_thickness = 0.6, motion_bound_per_edge = 0.2;
/* Largest motion of an obstacle past cloth in a substep, in mean edges: further, and a vertex could be moved past its
 * neighbors. 0.2 splits steps of hit50 in 19 for 10, with hits 33 for 137; 0.8 in 5, with 232. Under `robust` a ball
 * strikes a hanging sheet (31 x 31 vertices, edges of 20 mm, steps of 1/120 s) with 2, 5 and 15 m/s; root mean square
 * of the distances 0.1 s later from where the sheet is with steps of 1/2400 s: with 0.4 14, 27 and 39 mm, with 0.8 17,
 * 20 and 65, with 1.6 17, 20 and 109; the time of a shirt on a body in fast motion with 0.8 0.7 of that with 0.4, and a
 * curtain of edges of 47 mm slides off the foot that carries it (tests/cli/animation.sh). */
static const double obstacle_travel_per_edge = 0.4;

static mus_status build_solver(mus_solver *s, mus_cloth *const *cloths, mus_seam *const *seams, int32_t seam_count) {
    mus_assembly *a = &s->assembly;
    size_t n = (size_t)a->vertex_count + 1;
    s->dynamics = mus_new(sizeof *s->dynamics * ((size_t)a->cloth_count + 1));
    s->built = mus_new(sizeof(v3) * n);
    s->last_move = mus_new(sizeof(uint32_t) * n);
    s->left_bound = mus_new(n);
    s->response_of = mus_new(sizeof(int16_t) * ((size_t)a->object_count * (size_t)a->object_count + 1));
    if (!s->dynamics || !s->built || !s->last_move || !s->left_bound || !s->response_of) return MUS_STATUS_NO_MEMORY;
    s->mean_edge = INFINITY;
    s->limit.stage = s->def.strain;
    s->limit.threads = s->def.threads;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        mus_status status = mus_dynamics_create(cloth, &s->dynamics[k]);
        if (status == MUS_STATUS_OK && s->def.integrator && s->def.integrator->prepare)
            status = s->def.integrator->prepare(s->dynamics[k], cloth);
        if (status == MUS_STATUS_OK) status = mus_strain_limit_add(&s->limit, cloth, a->objects[k].first);
        if (status != MUS_STATUS_OK) return status;
        s->motion_bound = fmax(s->motion_bound, fmin(motion_bound_per_thickness * cloth->thickness,
                                                     motion_bound_per_edge * cloth->mean_edge));
        s->mean_edge = fmin(s->mean_edge, cloth->mean_edge);
    }
    s->travel = obstacle_travel_per_edge * s->mean_edge;
    mus_status status = mus_solver_make_seam_groups(s, cloths, a->cloth_count, seams, seam_count);
    if (status == MUS_STATUS_OK) status = mus_strain_limit_ready(&s->limit, a->cloth_vertex_count);
    if (status == MUS_STATUS_OK) status = mus_zones_create(&s->zones, a->vertex_count);
    s->zones.mean_spin = s->def.failsafe && s->def.failsafe->mean_spin;
    if (status == MUS_STATUS_OK) status = build_leaves(s);
    if (status == MUS_STATUS_OK) status = mus_solver_rigid_contacts_create(s);
    if (status == MUS_STATUS_OK && mus_solver_solves_coupled(s)) status = mus_coupled_create(s);
    if (status == MUS_STATUS_OK && s->coupled.all && s->coupled.size) status = mus_coupled_create_model(s);
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
    mus_array_free(&s->patches);
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
    mus_coupled_free(&s->coupled);
    mus_rule_batch_free(s->batch);
    mus_coefficients_free(&s->coefficients);
    void *blocks[] = {s->dynamics, s->scene.leaves, s->last_move,   s->left_bound, s->marked,     s->response_of,
                      s->built,    s->scratch,      s->scene.place, s->scene.grid, s->seam_groups};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *s = (mus_solver){0};
}
