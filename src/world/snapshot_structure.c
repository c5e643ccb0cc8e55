/* snapshot_structure.c: the structure of a world: settings, definitions of objects, which pairs collide. */
#include "model/network.h"
#include "model/plastic_stretch.h"
#include "base/cookie.h"
#include "model/sheet.h"
#include "model/spring_program.h"
#include "world/slots.h"
#include "world/snapshot.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(mus_material) == 256, "a field came or went: archive it here");
_Static_assert(sizeof(mus_spring) == 16 && sizeof(mus_hinge) == 56 && sizeof(mus_membrane_face) == 40 &&
                   sizeof(mus_fold) == 64 && sizeof(mus_plate) == 208,
               "a field came or went: archive it here");
_Static_assert(sizeof(mus_seam) == 104 && sizeof(mus_stitch) == 24, "a field came or went: archive it here");
_Static_assert(sizeof(mus_world_def) == 240, "a field came or went: archive it here");
#endif

static void material(mus_archive *a, mus_material *m) {
    char *name = mus_archive_is_reading(a) ? NULL : m->name;
    mus_archive_text(a, "the material's name", &name);
    if (mus_archive_is_reading(a)) {
        snprintf(m->name, sizeof m->name, "%s", name ? name : "");
        mus_free(name);
    }
    mus_archive_f64(a, "density", &m->density, 1);
    mus_archive_f64(a, "stretch", &m->stretch, 1);
    mus_archive_f64(a, "shear", &m->shear, 1);
    mus_archive_f64(a, "bend", &m->bend, 1);
    mus_archive_f64(a, "bending", &m->bending, 1);
    mus_archive_f64(a, "compression", &m->compression, 1);
    mus_archive_f64(a, "damping", &m->damping, 1);
    mus_archive_f64(a, "bending_damping", &m->bending_damping, 1);
    mus_archive_f64(a, "buckling", &m->buckling, 1);
    mus_archive_f64(a, "viscous_damping", &m->viscous_damping, 1);
    mus_archive_f64(a, "drag", &m->drag, 1);
    mus_archive_f64(a, "strain_limit", &m->strain_limit, 1);
    int32_t model = (int32_t)m->model;
    mus_archive_i32(a, "model", &model, 1);
    m->model = (mus_material_model)model;
    mus_archive_f64(a, "stretch_warp", &m->stretch_warp, 1);
    mus_archive_f64(a, "stretch_weft", &m->stretch_weft, 1);
    mus_archive_f64(a, "stretch_shear", &m->stretch_shear, 1);
    mus_archive_f64(a, "stretch_poisson", &m->stretch_poisson, 1);
    mus_archive_f64(a, "limit_stiffness", &m->limit_stiffness, 1);
    mus_archive_f64(a, "warp_angle", &m->warp_angle, 1);
    mus_archive_f64(a, "bending_warp", &m->bending_warp, 1);
    mus_archive_f64(a, "bending_weft", &m->bending_weft, 1);
    mus_archive_f64(a, "bending_bias", &m->bending_bias, 1);
    mus_archive_f64(a, "yield_curvature", &m->yield_curvature, 1);
    mus_archive_f64(a, "bending_hardening", &m->bending_hardening, 1);
    mus_archive_f64(a, "yield_strain", &m->yield_strain, 1);
    mus_archive_f64(a, "stretch_hardening", &m->stretch_hardening, 1);
    mus_archive_f64(a, "recovery_time", &m->recovery_time, 1);
    mus_archive_i32(a, "fabric", &m->fabric, 1);
    mus_archive_flag(a, "bending_quadratic", &m->bending_quadratic);
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) mus_archive_check(a, mus_material_check(m));
}

static const double largest = MUS_LARGEST_VALUE;
/* kg and m: masses and rest lengths are products of densities and sizes, each within its range. */
static const double least_mass = 1e-90, largest_mass = 1e60, least_rest = 1e-30;

/* Returns whether the indices are distinct, as an element requires of its vertices. */
static bool are_distinct(const int32_t *indices, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (indices[i] == indices[k]) return false;
    return true;
}

static void warps(mus_archive *a, mus_cloth *c) {
    if (mus_model_is_membrane(c->material.model)) return;
    if (mus_archive_is_reading(a)) c->warps = mus_archive_new(a, sizeof *c->warps * (size_t)c->face_count);
    if (mus_archive_is_ok(a)) mus_archive_f32(a, "the warp of a face", c->warps, c->face_count);
    if (mus_archive_is_ok(a)) mus_archive_within_f32(a, "the warp of a face", c->warps, c->face_count, -1e30F, 1e30F);
}

static void vertex_map(mus_archive *a, const mus_cloth *c, const char *name, double **values, double least,
                       double most) {
    bool any = *values != NULL;
    char what[64];
    snprintf(what, sizeof what, "whether there is a map of %s", name);
    mus_archive_flag(a, what, &any);
    snprintf(what, sizeof what, "a vertex' %s", name);
    if (!any || !mus_archive_is_ok(a)) return;
    if (mus_archive_is_reading(a)) *values = mus_archive_new(a, sizeof **values * (size_t)c->vertex_count);
    if (mus_archive_is_ok(a)) mus_archive_f64(a, what, *values, c->vertex_count);
    if (mus_archive_is_ok(a)) mus_archive_within(a, what, *values, c->vertex_count, least, most);
}

static void springs(mus_archive *a, mus_cloth *c, bool functions[MUS_SPRING_KIND_COUNT]) {
    const mus_spring_programs *p = mus_archive_is_reading(a) ? NULL : c->spring_programs;
    for (int k = 0; k < MUS_SPRING_KIND_COUNT; k++) {
        bool function = p && (p->of[k] || p->missing[k]);
        mus_archive_flag(a, "whether springs follow a function", &function);
        functions[k] = function;
        mus_archive_f64(a, "a spring's stiffness", &c->spring_laws[k].stiffness, 1);
        mus_archive_f64(a, "a spring's compression", &c->spring_laws[k].compression, 1);
        mus_archive_f64(a, "a spring's bending", &c->spring_laws[k].bending, 1);
        mus_archive_flag(a, "whether a spring is an arc", &c->spring_laws[k].arc);
        mus_archive_within(a, "a spring's stiffness", &c->spring_laws[k].stiffness, 1, 0, largest);
        mus_archive_within(a, "a spring's compression", &c->spring_laws[k].compression, 1, -largest, largest);
        mus_archive_within(a, "a spring's bending", &c->spring_laws[k].bending, 1, -largest, largest);
    }
    mus_archive_i32(a, "the number of springs", &c->spring_count, 1);
    if (c->spring_count < 0 || c->spring_count > mus_cloth_spring_room(c))
        mus_archive_refuse(a, "more springs than the mesh has");
    for (int32_t k = 0; k < c->spring_count && mus_archive_is_ok(a); k++) {
        mus_spring *s = &c->springs[k];
        int32_t ends[2] = {s->a, (int32_t)s->b}, kind = s->kind;
        mus_archive_i32(a, "an end of a spring", ends, 2);
        mus_archive_i32(a, "a spring's kind", &kind, 1);
        double *rest = c->plastic_stretches ? c->plastic_stretches[k].made : &s->rest;
        mus_archive_f64(a, "a spring's length", rest, 1);
        if (!mus_archive_are_indices(ends, 2, c->vertex_count))
            mus_archive_refuse(a, "a spring refers to a vertex that does not exist");
        if (!are_distinct(ends, 2)) mus_archive_refuse(a, "a spring ends where it begins");
        mus_archive_within(a, "a spring's length", rest, 1, 0, largest);
        if (!mus_archive_are_indices(&kind, 1, MUS_SPRING_KIND_COUNT))
            mus_archive_refuse(a, "a spring has an unknown kind");
        if (mus_archive_is_reading(a) && mus_archive_is_ok(a))
            s->a = ends[0], s->b = (uint32_t)ends[1] & 0x3fffffff, s->kind = (uint32_t)kind & 3;
    }
    bool factors = c->spring_factors != NULL;
    mus_archive_flag(a, "whether springs have factors", &factors);
    if (!factors || !mus_archive_is_ok(a)) return;
    if (mus_archive_is_reading(a))
        c->spring_factors = mus_archive_new(a, sizeof *c->spring_factors * ((size_t)c->spring_count + 1));
    if (mus_archive_is_ok(a)) mus_archive_f32(a, "a spring's factor", c->spring_factors, c->spring_count);
    if (mus_archive_is_ok(a))
        mus_archive_within_f32(a, "a spring's factor", c->spring_factors, c->spring_count, 0, MUS_LARGEST_FACTOR);
}

static void hinges(mus_archive *a, mus_cloth *c) {
    mus_archive_i32(a, "the number of hinges", &c->hinge_count, 1);
    if (c->hinge_count < 0 || c->hinge_count > c->topology.hinge_count)
        mus_archive_refuse(a, "more hinges than the mesh has");
    for (int32_t k = 0; k < c->hinge_count && mus_archive_is_ok(a); k++) {
        mus_hinge *h = &c->hinges[k];
        mus_archive_i32(a, "a vertex of a hinge", h->vertex, 4);
        mus_archive_f32(a, "a weight of a hinge", h->weight, 4);
        mus_archive_f32(a, "a hinge's stiffness", &h->stiffness, 1);
        mus_archive_f32(a, "a hinge's moment", &h->moment, 1);
        mus_archive_f32(a, "a hinge's least height", &h->low, 1);
        if (!mus_archive_are_indices(h->vertex, 4, c->vertex_count))
            mus_archive_refuse(a, "a hinge refers to a vertex that does not exist");
        if (!are_distinct(h->vertex, 4)) mus_archive_refuse(a, "a hinge has a vertex twice");
        mus_archive_within_f32(a, "a weight of a hinge", h->weight, 4, -FLT_MAX, FLT_MAX);
        mus_archive_within_f32(a, "a hinge's stiffness", &h->stiffness, 1, 0, FLT_MAX);
        mus_archive_within_f32(a, "a hinge's moment", &h->moment, 1, 0, FLT_MAX);
        mus_archive_within_f32(a, "a hinge's least height", &h->low, 1, 0, FLT_MAX);
    }
}

static void membrane(mus_archive *a, mus_cloth *c) {
    if (!mus_model_is_membrane(c->material.model) || !mus_archive_is_ok(a)) return;
    if (mus_archive_is_reading(a)) mus_archive_check(a, mus_sheet_blank(c, &c->sheet));
    for (int32_t f = 0; f < c->face_count && mus_archive_is_ok(a); f++) {
        double *n = c->plastic_stretches ? c->plastic_stretches[f].made : &c->sheet->faces[f].n[0][0];
        mus_archive_f64(a, "a gradient of a face", n, 4);
        mus_archive_f64(a, "a face's weight", &c->sheet->faces[f].weight, 1);
        mus_archive_within(a, "a gradient of a face", n, 4, -1 / least_rest, 1 / least_rest);
        mus_archive_within(a, "a face's weight", &c->sheet->faces[f].weight, 1, 0, largest);
    }
    for (int32_t h = 0; mus_archive_is_ok(a) && h < c->sheet->fold_count; h++) {
        mus_fold *fold = &c->sheet->folds[h];
        mus_archive_f64(a, "a slope of a fold", fold->lift, 4);
        mus_archive_f64(a, "a fold's least height", &fold->low, 1);
        mus_archive_within(a, "a slope of a fold", fold->lift, 4, -1 / least_rest, 1 / least_rest);
        mus_archive_within(a, "a fold's least height", &fold->low, 1, 0, largest);
    }
    for (int32_t k = 0; mus_archive_is_ok(a) && k < c->sheet->plate_count; k++) {
        mus_plate *plate = &c->sheet->plates[k];
        mus_archive_f64(a, "a share of a fold", plate->share, 3);
        mus_archive_f64(a, "a curvature of a face", &plate->curvature[0][0], 9);
        mus_archive_f64(a, "a face's weight", &plate->weight, 1);
        mus_archive_within(a, "a share of a fold", plate->share, 3, -largest, largest);
        mus_archive_within(a, "a curvature of a face", &plate->curvature[0][0], 9, -1 / least_mass, 1 / least_mass);
        mus_archive_within(a, "a face's weight", &plate->weight, 1, 0, largest);
    }
}

static void network(mus_archive *a, mus_cloth *c) {
    if (c->material.model != MUS_MODEL_SQUARE_NETWORK || !mus_archive_is_ok(a)) return;
    if (mus_archive_is_reading(a)) mus_archive_check(a, mus_network_blank(c, &c->network));
    for (int32_t k = 0; mus_archive_is_ok(a) && k < c->network->link_count; k++) {
        mus_archive_f64(a, "a link's length", &c->network->links[k].rest, 1);
        mus_archive_f64(a, "a link's stiffness", &c->network->links[k].stiffness, 1);
        mus_archive_within(a, "a link's length", &c->network->links[k].rest, 1, least_rest, largest);
        mus_archive_within(a, "a link's stiffness", &c->network->links[k].stiffness, 1, 0, largest_mass);
    }
    for (int32_t k = 0; mus_archive_is_ok(a) && k < c->network->cell_count; k++) {
        mus_archive_f64(a, "an element's shear at rest", &c->network->cells[k].rest, 1);
        mus_archive_f64(a, "an element's stiffness", &c->network->cells[k].stiffness, 1);
        mus_archive_within(a, "an element's shear at rest", &c->network->cells[k].rest, 1, -largest, largest);
        mus_archive_within(a, "an element's stiffness", &c->network->cells[k].stiffness, 1, 0, largest_mass);
    }
    for (int32_t k = 0; mus_archive_is_ok(a) && k < c->network->joint_count; k++) {
        mus_archive_f64(a, "a joint's bend at rest", &c->network->joints[k].rest, 1);
        mus_archive_f64(a, "a joint's stiffness", &c->network->joints[k].stiffness, 1);
        mus_archive_within(a, "a joint's bend at rest", &c->network->joints[k].rest, 1, -largest, largest);
        mus_archive_within(a, "a joint's stiffness", &c->network->joints[k].stiffness, 1, 0, largest_mass);
    }
}

/* The same condition as in mus_mesh_create. */
static bool is_a_grid(const mus_cloth *c) {
    const int32_t *n = c->grid_nodes;
    return (n[0] == 0 && n[1] == 0) || (n[0] >= 2 && n[1] >= 2 && (int64_t)n[0] * n[1] == c->vertex_count);
}

static void check_cloth(mus_archive *a, const mus_world *world, const mus_cloth *like) {
    mus_archive_within(a, "field 'thickness'", &like->thickness, 1, MUS_SMALLEST_LENGTH, MUS_LARGEST_LENGTH);
    mus_archive_within(a, "field 'friction'", &like->friction, 1, 0, largest);
    mus_archive_within(a, "field 'restitution'", &like->restitution, 1, 0, 1);
    mus_archive_within_i32(a, "field 'layer'", &like->layer, 1, 0, MUS_LARGEST_LAYER);
    if (mus_archive_is_ok(a) && (!like->name || !like->name[0] || mus_world_has_name(world, like->name)))
        mus_archive_refuse(a, "a cloth has no name, or that of another object");
    if (mus_archive_is_ok(a) && !is_a_grid(like)) mus_archive_refuse(a, "the grid's nodes are not those of the mesh");
}

static void cloth(mus_archive *a, mus_world *world, int64_t index) {
    mus_cloth *present = mus_archive_is_reading(a) ? NULL : world->cloths.data[world->cloth_order.data[index]].object;
    mus_cloth like = present ? *present : (mus_cloth){0};
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "a cloth's name", &like.name);
    mus_archive_owner(a, "cloth", like.name ? like.name : "");
    material(a, &like.material);
    mus_archive_f64(a, "thickness", &like.thickness, 1);
    mus_archive_f64(a, "friction", &like.friction, 1);
    mus_archive_f64(a, "restitution", &like.restitution, 1);
    mus_archive_flag(a, "self_collision", &like.self_collision);
    mus_archive_i32(a, "layer", &like.layer, 1);
    mus_archive_i32(a, "the grid's nodes", like.grid_nodes, 2);
    int32_t *read = mus_world_faces(a, &like.vertex_count, &like.face_count, like.faces);
    mus_cloth *made = NULL;
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) check_cloth(a, world, &like);
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) {
        mus_archive_check(a, mus_cloth_shell(like.name, like.vertex_count, read, like.face_count, &made));
        if (made) {
            made->material = like.material, made->thickness = like.thickness, made->friction = like.friction;
            made->restitution = like.restitution, made->self_collision = like.self_collision;
            made->layer = like.layer;
            memcpy(made->grid_nodes, like.grid_nodes, sizeof like.grid_nodes);
        }
    }
    mus_cloth *c = mus_archive_is_reading(a) ? made : present;
    if (c) {
        mus_archive_f64(a, "an edge's length at rest", c->rest_lengths, c->topology.edge_count);
        mus_archive_f64(a, "the mean edge", &c->mean_edge, 1);
        mus_archive_f64(a, "a vertex' mass", c->mass, c->vertex_count);
        mus_archive_within(a, "an edge's length at rest", c->rest_lengths, c->topology.edge_count, least_rest, largest);
        mus_archive_within(a, "the mean edge", &c->mean_edge, 1, least_rest, largest);
        mus_archive_within(a, "a vertex' mass", c->mass, c->vertex_count, least_mass, largest_mass);
        vertex_map(a, c, "thickness", &c->thicknesses, MUS_SMALLEST_LENGTH, MUS_LARGEST_LENGTH);
        vertex_map(a, c, "friction", &c->frictions, 0, largest);
        vertex_map(a, c, "strain limit", &c->strain_limits, MUS_LEAST_LIMIT, MUS_LARGEST_LIMIT);
        vertex_map(a, c, "damping", &c->dampings, 0, MUS_LARGEST_FACTOR);
        warps(a, c);
        bool functions[MUS_SPRING_KIND_COUNT] = {false};
        springs(a, c, functions);
        hinges(a, c);
        membrane(a, c);
        network(a, c);
        for (int k = 0; made && mus_archive_is_ok(a) && k < MUS_SPRING_KIND_COUNT; k++) {
            if (functions[k]) a->status = mus_spring_programs_miss(made, (mus_spring_kind)k);
            world->incomplete |= functions[k];
        }
    }
    if (made && mus_archive_is_ok(a)) a->status = mus_cloth_complete(made);
    uint32_t slot, generation;
    if (made &&
        (!mus_archive_is_ok(a) || !mus_slots_add(&world->cloths, &world->cloth_order, made, &slot, &generation))) {
        if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
        mus_cloth_free(made);
    }
    if (mus_archive_is_reading(a)) mus_free(like.name);
    mus_free(read);
}

static void response(mus_archive *a, mus_world *world, int64_t index) {
    mus_world_response *present =
        mus_archive_is_reading(a) ? NULL : world->responses.data[world->response_order.data[index]].object;
    mus_world_response *made = mus_archive_is_reading(a) ? mus_archive_new(a, sizeof *made) : NULL,
                       *r = present ? present : made;
    if (!r) return;
    bool function = mus_law_is_function(&r->response.rule);
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "a response's name", &r->name);
    mus_archive_owner(a, "response", r->name ? r->name : "");
    mus_archive_text(a, "the first of 'between'", &r->between[0]);
    mus_archive_text(a, "the second of 'between'", &r->between[1]);
    mus_archive_f64(a, "friction", &r->response.friction, 1);
    mus_archive_f64(a, "restitution", &r->response.restitution, 1);
    mus_archive_flag(a, "whether its rule is a function", &function);
    if (!made) return;
    if (function) r->response.rule = mus_law_missing(), world->incomplete = true;
    if (!r->name) mus_archive_refuse(a, "a response has no name");
    if (!r->between[0] && r->between[1]) mus_archive_refuse(a, "a response has a second object without a first");
    mus_archive_within(a, "friction", &r->response.friction, 1, -largest, 1e6);
    mus_archive_within(a, "restitution", &r->response.restitution, 1, -largest, 1);
    uint32_t slot, generation;
    if (mus_archive_is_ok(a) && mus_slots_add(&world->responses, &world->response_order, made, &slot, &generation))
        return;
    if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
    mus_world_response_free(made);
}

static void ignored(mus_archive *a, mus_world *world, int64_t index) {
    mus_ignored pair = mus_archive_is_reading(a) ? (mus_ignored){NULL, NULL} : world->ignored.data[index];
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "the first of a pair that does not collide", &pair.a);
    mus_archive_text(a, "the second of a pair that does not collide", &pair.b);
    if (!mus_archive_is_reading(a)) return;
    if (!pair.a || !pair.b) mus_archive_refuse(a, "a pair that does not collide has no name");
    if (mus_archive_is_ok(a) && mus_array_push(&world->ignored, pair)) return;
    if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
    mus_free(pair.a);
    mus_free(pair.b);
}

static void overlap(mus_archive *a, mus_world *world, int64_t index) {
    mus_pair_overlap pair = mus_archive_is_reading(a) ? (mus_pair_overlap){0} : world->overlaps.data[index];
    int32_t word = (int32_t)pair.overlap;
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "the first of a pair that may overlap", &pair.a);
    mus_archive_text(a, "the second of a pair that may overlap", &pair.b);
    mus_archive_i32(a, "the overlap setting of a pair", &word, 1);
    if (!mus_archive_is_reading(a)) return;
    pair.overlap = (mus_overlap)word;
    if (!pair.a || !pair.b) mus_archive_refuse(a, "a pair that may overlap has no name");
    if (word < 0 || word >= MUS_OVERLAP_COUNT) mus_archive_refuse(a, "the overlap setting of a pair is unknown");
    if (mus_archive_is_ok(a) && mus_array_push(&world->overlaps, pair)) return;
    if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
    mus_free(pair.a);
    mus_free(pair.b);
}

static void pinch(mus_archive *a, mus_world *world, int64_t index) {
    mus_pair_pinch pair = mus_archive_is_reading(a) ? (mus_pair_pinch){0} : world->pinches.data[index];
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "the first of a pair that pinches", &pair.a);
    mus_archive_text(a, "the second of a pair that pinches", &pair.b);
    mus_archive_flag(a, "whether a pair that pinches releases", &pair.release);
    if (!mus_archive_is_reading(a)) return;
    if (!pair.a || !pair.b) mus_archive_refuse(a, "a pair that pinches has no name");
    if (mus_archive_is_ok(a) && mus_array_push(&world->pinches, pair)) return;
    if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
    mus_free(pair.a);
    mus_free(pair.b);
}

static void coefficient(mus_archive *a, mus_world *world, int64_t index) {
    mus_pair_setting pair = mus_archive_is_reading(a) ? (mus_pair_setting){0} : world->coefficients.data[index];
    int32_t which = (int32_t)pair.one.which;
    bool function = mus_law_is_function(&pair.one.law);
    double value = pair.one.law.kind == MUS_LAW_CONSTANT ? pair.one.law.value : 0;
    mus_archive_owner(a, "world", NULL);
    mus_archive_text(a, "the first of a pair with coefficients of its own", &pair.a);
    mus_archive_text(a, "the second of a pair with coefficients of its own", &pair.b);
    mus_archive_i32(a, "which coefficient a pair has of its own", &which, 1);
    mus_archive_flag(a, "whether a pair's coefficient is a function", &function);
    mus_archive_f64(a, "a pair's coefficient", &value, 1);
    if (!mus_archive_is_reading(a)) return;
    pair.one.which = (mus_coefficient)which;
    pair.one.law = function ? mus_law_missing() : mus_law_of_value(value);
    if (function) world->incomplete = true;
    if (!pair.a) mus_archive_refuse(a, "a pair with coefficients of its own has no name");
    if (!mus_archive_are_indices(&which, 1, MUS_COEFFICIENT_COUNT))
        mus_archive_refuse(a, "a pair's coefficient is unknown");
    mus_archive_within(a, "a pair's coefficient", &value, 1, 0, which == MUS_COEFFICIENT_FRICTION ? largest : 1);
    if (mus_archive_is_ok(a) && mus_array_push(&world->coefficients, pair)) return;
    if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
    mus_pair_setting_free(&pair);
}

static int32_t cloth_order_of(const mus_world *world, const mus_cloth *cloth) {
    int32_t k = 0;
    while (k < world->cloth_order.count && world->cloths.data[world->cloth_order.data[k]].object != cloth) k++;
    return k;
}

static void stitch(mus_archive *a, mus_seam *seam, int32_t k) {
    mus_stitch *s = &seam->stitches[k];
    mus_archive_i32(a, "a stitch's vertex", &s->vertex, 1);
    mus_archive_i32(a, "the edge of a stitch", s->onto, 2);
    mus_archive_f64(a, "a stitch's place on its edge", &s->along, 1);
    mus_archive_f64(a, "a stitch's length at the start", &seam->start[k], 1);
    mus_archive_within(a, "a stitch's length at the start", &seam->start[k], 1, 0, largest);
    bool sound = mus_archive_are_indices(&s->vertex, 1, seam->cloth[0]->vertex_count) &&
                 mus_archive_are_indices(s->onto, 2, seam->cloth[1]->vertex_count) && s->along >= 0 && s->along <= 1;
    int32_t onto[2];
    double weight[2];
    for (int e = 0, count = sound ? mus_stitch_ends(s, onto, weight) : 0; e < count; e++)
        sound &= seam->cloth[0] != seam->cloth[1] || onto[e] != s->vertex;
    if (mus_archive_is_ok(a) && !sound) mus_archive_refuse(a, "a stitch refers to a vertex that does not exist");
}

static void seam(mus_archive *a, mus_world *world, int64_t index) {
    enum { STITCH_BYTES = 3 * 4 + 2 * 8 };
    mus_seam *present = mus_archive_is_reading(a) ? NULL : world->seams.data[world->seam_order.data[index]].object;
    mus_seam like = present ? *present : (mus_seam){0};
    mus_archive_owner(a, "world", NULL);
    int32_t of[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        if (present) of[side] = cloth_order_of(world, present->cloth[side]);
        mus_archive_i32(a, "a cloth of a seam", &of[side], 1);
    }
    if (!mus_archive_are_indices(of, 2, world->cloth_order.count))
        mus_archive_refuse(a, "a seam refers to a cloth that does not exist");
    mus_archive_f64(a, "a seam's stiffness", &like.stiffness, 1);
    mus_archive_f64(a, "a seam's strength", &like.strength, 1);
    mus_archive_f64(a, "a seam's damping", &like.damping, 1);
    mus_archive_f64(a, "a seam's width", &like.width, 1);
    mus_archive_f64(a, "when a seam began to close", &like.begin, 1);
    mus_archive_f64(a, "a seam's closing_time", &like.closing_time, 1);
    mus_archive_f64(a, "a seam's speed", &like.speed, 1);
    mus_archive_within(a, "a seam's stiffness", &like.stiffness, 1, 1 / largest, 4 * largest);
    mus_archive_within(a, "a seam's strength", &like.strength, 1, DBL_MIN, INFINITY);
    mus_archive_within(a, "a seam's damping", &like.damping, 1, 0, largest);
    mus_archive_within(a, "a seam's width", &like.width, 1, MUS_SMALLEST_LENGTH, MUS_LARGEST_LENGTH);
    mus_archive_within(a, "when a seam began to close", &like.begin, 1, -largest, largest);
    mus_archive_within(a, "a seam's closing_time", &like.closing_time, 1, 0, largest);
    mus_archive_within(a, "a seam's speed", &like.speed, 1, 0, largest);
    int64_t count = like.count;
    mus_archive_count(a, "the number of a seam's stitches", &count, STITCH_BYTES);
    if (count < 1 || count > INT32_MAX) mus_archive_refuse(a, "a seam has no stitches");
    mus_seam *made = NULL;
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) a->status = mus_seam_new((int32_t)count, &made);
    if (made) {
        like.count = made->count, like.stitches = made->stitches, like.start = made->start;
        *made = like;
        for (int side = 0; side < 2; side++)
            made->cloth[side] = world->cloths.data[world->cloth_order.data[of[side]]].object;
    }
    mus_seam *s = made ? made : present;
    for (int32_t k = 0; s && k < s->count && mus_archive_is_ok(a); k++) stitch(a, s, k);
    uint32_t slot, generation;
    if (!made || (mus_archive_is_ok(a) && mus_slots_add(&world->seams, &world->seam_order, made, &slot, &generation)))
        return;
    if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
    mus_seam_free(made);
}

static void settings(mus_archive *a, mus_world **world) {
    mus_world_def def = mus_archive_is_reading(a) ? mus_world_def_default() : (*world)->def;
    mus_pipeline *p = &def.pipeline;
    const char **stages[] = {&p->integrator, &p->broad,  &p->narrow,  &p->response,
                             &p->failsafe,   &p->strain, &p->internal};
    enum { STAGES = sizeof stages / sizeof stages[0] };
    char *names[STAGES] = {0};
    bool callbacks = false;
    mus_archive_owner(a, "world", NULL);
    mus_archive_f64(a, "dt", &def.dt, 1);
    mus_archive_f64(a, "dt_min", &def.dt_min, 1);
    mus_archive_f64(a, "dt_max", &def.dt_max, 1);
    mus_archive_f64(a, "fps", &def.fps, 1);
    mus_archive_f64(a, NULL, &def.duration, 1);
    mus_archive_f64(a, "air_density", &def.air_density, 1);
    mus_archive_i32(a, NULL, &def.threads, 1);
    mus_archive_flag(a, NULL, &def.sleep);
    int32_t overlap = (int32_t)def.overlap;
    mus_archive_i32(a, "overlap", &overlap, 1);
    def.overlap = (mus_overlap)overlap;
    mus_archive_u64(a, "seed", &def.seed, 1);
    for (int k = 0; k < STAGES; k++) {
        char label[48];
        snprintf(label, sizeof label, "the pipeline's '%s'", mus_stage_kind_get_name((mus_stage_kind)k));
        if (!mus_archive_is_reading(a)) names[k] = (char *)(uintptr_t)*stages[k];
        mus_archive_text(a, label, &names[k]);
        *stages[k] = names[k];
    }
    mus_archive_f64(a, "the pipeline's 'collision_step'", &p->collision_step, 1);
    const mus_callbacks *c = mus_archive_is_reading(a) ? NULL : &(*world)->callbacks;
    if (c) callbacks = c->before_step || c->forces || c->candidate || c->contacts || c->after_step;
    mus_archive_flag(a, NULL, &callbacks);
    if (!mus_archive_is_reading(a)) return;
    if (mus_archive_is_ok(a)) mus_archive_check(a, mus_world_create(&def, world));
    for (int k = 0; k < STAGES; k++) mus_free(names[k]);
    if (mus_archive_is_ok(a) && callbacks) (*world)->incomplete = (*world)->callbacks_missing = true;
}

void mus_world_structure(mus_archive *a, mus_world **world) {
    settings(a, world);
    static const struct {
        const char *count;
        void (*one)(mus_archive *archive, mus_world *world, int64_t index);
    } lists[] = {{"the number of cloths", cloth},
                 {"the number of obstacles", mus_world_obstacle},
                 {"the number of responses", response},
                 {"the number of pairs that do not collide", ignored},
                 {"the number of pairs that may overlap", overlap},
                 {"the number of pairs that pinch", pinch},
                 {"the number of pairs with coefficients of their own", coefficient},
                 {"the number of seams", seam}};
    for (int list = 0; list < 8 && mus_archive_is_ok(a); list++) {
        int64_t count = 0;
        if (!mus_archive_is_reading(a)) {
            const mus_world *w = *world;
            const int64_t counts[] = {w->cloth_order.count,  w->obstacle_order.count, w->response_order.count,
                                      w->ignored.count,      w->overlaps.count,       w->pinches.count,
                                      w->coefficients.count, w->seam_order.count};
            count = counts[list];
        }
        mus_archive_owner(a, "world", NULL);
        mus_archive_count(a, lists[list].count, &count, 8);
        mus_archive_within_i64(a, lists[list].count, count, 0, INT16_MAX); /* pair tables store indices as int16_t */
        for (int64_t k = 0; k < count && mus_archive_is_ok(a); k++) lists[list].one(a, *world, k);
    }
}
