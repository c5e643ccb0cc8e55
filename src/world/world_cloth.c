/* world_cloth.c: the cloths of a world: creation, arrays, pins, strain. */
#include "base/cookie.h"
#include "base/box.h"
#include "base/range.h"
#include "base/word.h"
#include "base/select.h"
#include "model/look.h"
#include "model/plastic_stretch.h"
#include "model/rest_shape.h"
#include "world/embed.h"
#include "world/overlap/overlap_exemption.h"
#include "world/pin.h"
#include "world/pinch.h"
#include "world/slots.h"
#include "world/snapshot.h"

#include <stdio.h>
#include <string.h>

mus_cloth_def mus_cloth_def_default(void) {
    return (mus_cloth_def){.cookie = MUS_COOKIE_CLOTH_DEF,
                           .material = mus_material_default(),
                           .thickness = 1e-3,
                           .friction = 0.3,
                           .self_collision = true};
}

static mus_status check_shared_faces(const mus_mesh *mesh, const mus_mesh *rest) {
    int32_t faces = mus_mesh_get_face_count(mesh);
    bool same = mus_mesh_get_vertex_count(mesh) == mus_mesh_get_vertex_count(rest) &&
                faces == mus_mesh_get_face_count(rest) &&
                memcmp(mus_mesh_get_faces(mesh), mus_mesh_get_faces(rest), sizeof(int32_t) * 3 * (size_t)faces) == 0;
    if (same) return MUS_STATUS_OK;
    return mus_fail(
        MUS_STATUS_INVALID,
        "cloth: field 'rest' must have the vertices and faces of 'mesh' (%d vertices, %d faces; got %d and %d)",
        mus_mesh_get_vertex_count(mesh), faces, mus_mesh_get_vertex_count(rest), mus_mesh_get_face_count(rest));
}

/* m: diagonal of the bounding box of a mesh. */
static double size_of(const mus_mesh *mesh) {
    mus_box box = mus_box_of_points(mus_mesh_get_vertices_const(mesh), mus_mesh_get_vertex_count(mesh));
    return v3_length(mus_box_size(&box));
}

/* Refuses a thickness above the size of the mesh, which is probably in millimeters; one above the edge length has
 * effects that are seen. */
static mus_status check_thickness(const mus_cloth_def *def) {
    double size = size_of(def->mesh);
    char subject[64] = "field 'thickness'";
    if (def->rest) size = fmax(size, size_of(def->rest));
    for (int32_t i = 0; i < (def->thicknesses ? mus_mesh_get_vertex_count(def->mesh) : 1); i++) {
        double thickness = def->thicknesses ? def->thicknesses[i] : def->thickness;
        if (thickness < size) continue;
        if (def->thicknesses) snprintf(subject, sizeof subject, "map of thickness at vertex %d", i + 1);
        return mus_fail(MUS_STATUS_INVALID,
                        "cloth: %s must be less than the size of 'mesh', which is %s m from corner to corner of the "
                        "box around it (got %s); both are in meters",
                        subject, mus_word_of_number(size).text, mus_word_of_number(thickness).text);
    }
    return MUS_STATUS_OK;
}

static mus_status check_map(const mus_cloth_def *def, const char *name, const double *map, double least,
                            double largest) {
    for (int32_t i = 0; map && i < mus_mesh_get_vertex_count(def->mesh); i++)
        if (!(map[i] >= least && map[i] <= largest))
            return mus_fail(MUS_STATUS_INVALID, "cloth: map of %s at vertex %d must be within %g..%g (got %s)", name,
                            i + 1, least, largest, mus_word_of_number(map[i]).text);
    return MUS_STATUS_OK;
}

static mus_status check_maps(const mus_cloth_def *def) {
    const struct {
        const char *name;
        const double *map;
    } elastic[] = {{"shrinkage", def->shrinkage},
                   {"stiffness", def->stiffness},
                   {"bending", def->bending},
                   {"damping", def->dampings}};
    mus_status status = MUS_STATUS_OK;
    char subject[64];
    for (int32_t i = 0; def->density && status == MUS_STATUS_OK && i < mus_mesh_get_vertex_count(def->mesh); i++) {
        snprintf(subject, sizeof subject, "cloth: map of density at vertex %d", i + 1);
        status = mus_check_range(subject, MUS_RANGE_POSITIVE, "kg/m^2", def->density[i]);
    }
    for (int32_t i = 0; def->thicknesses && status == MUS_STATUS_OK && i < mus_mesh_get_vertex_count(def->mesh); i++) {
        snprintf(subject, sizeof subject, "cloth: map of thickness at vertex %d", i + 1);
        status = mus_check_range(subject, MUS_RANGE_SIZE, "m", def->thicknesses[i]);
    }
    for (int32_t i = 0; def->frictions && status == MUS_STATUS_OK && i < mus_mesh_get_vertex_count(def->mesh); i++) {
        snprintf(subject, sizeof subject, "cloth: map of friction at vertex %d", i + 1);
        status = mus_check_range(subject, MUS_RANGE_AMOUNT, "", def->frictions[i]);
    }
    if (status == MUS_STATUS_OK)
        status = check_map(def, "shrinkage", def->shrinkage, MUS_LEAST_SHRINKAGE, MUS_LARGEST_SHRINKAGE);
    if (status == MUS_STATUS_OK)
        status = check_map(def, "stiffness", def->stiffness, MUS_LEAST_FACTOR, MUS_LARGEST_FACTOR);
    if (status == MUS_STATUS_OK) status = check_map(def, "bending", def->bending, 0, MUS_LARGEST_FACTOR);
    if (status == MUS_STATUS_OK) status = check_map(def, "damping", def->dampings, 0, MUS_LARGEST_FACTOR);
    if (status == MUS_STATUS_OK)
        status = check_map(def, "strain_limit", def->strain_limits, MUS_LEAST_LIMIT, MUS_LARGEST_LIMIT);
    if (status == MUS_STATUS_OK && def->strain_limits && def->material.limit_stiffness > 0)
        status = mus_fail(MUS_STATUS_INVALID,
                          "cloth: a map of strain_limit does not fit a material with limit_stiffness (%g N/m), whose "
                          "energy has one limit; leave out one of both",
                          def->material.limit_stiffness);
    for (int k = 0; k < 4 && status == MUS_STATUS_OK && def->material.model == MUS_MODEL_SQUARE_NETWORK; k++)
        if (elastic[k].map)
            status = mus_fail(MUS_STATUS_INVALID,
                              "cloth: a map of %s needs another material model than \"square_network\", whose links "
                              "are those of a uniform grid",
                              elastic[k].name);
    return status;
}

static mus_status check_def(const mus_cloth_def *def) {
    mus_status made = mus_check_cookie(def->cookie, MUS_COOKIE_CLOTH_DEF, "cloth", "mus_cloth_def");
    if (made != MUS_STATUS_OK) return made;
    if (!def->mesh) return mus_fail(MUS_STATUS_INVALID, "cloth: field 'mesh' is missing");
    if (mus_mesh_get_face_count(def->mesh) < 1) return mus_fail(MUS_STATUS_INVALID, "cloth: field 'mesh' has no faces");
    mus_status status = MUS_STATUS_OK;
    if (!def->thicknesses) status = mus_check_range("cloth: field 'thickness'", MUS_RANGE_SIZE, "m", def->thickness);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("cloth: field 'friction'", MUS_RANGE_AMOUNT, "", def->friction);
    if (status == MUS_STATUS_OK)
        status = mus_check_range("cloth: field 'restitution'", MUS_RANGE_SHARE, "", def->restitution);
    if (status == MUS_STATUS_OK)
        status = mus_check_range3("cloth: field 'velocity'", MUS_RANGE_ANY, "m/s", def->velocity);
    if (status == MUS_STATUS_OK) status = check_maps(def);
    if (status != MUS_STATUS_OK) return status;
    if (def->layer < 0 || def->layer > MUS_LARGEST_LAYER)
        return mus_fail(MUS_STATUS_INVALID,
                        "cloth: field 'layer' must be within 0..%d; 1 is innermost, 0 none (got %d)", MUS_LARGEST_LAYER,
                        def->layer);
    if (def->rest_from_uv && !mus_mesh_get_uvs(def->rest ? def->rest : def->mesh))
        return mus_fail(MUS_STATUS_INVALID, "cloth: field 'rest' needs texture coordinates, and the mesh has none");
    status = mus_material_check(&def->material);
    if (status == MUS_STATUS_OK) status = mus_look_check("cloth", &def->look);
    if (status == MUS_STATUS_OK) status = mus_mesh_check(def->mesh, NULL);
    if (status == MUS_STATUS_OK && def->rest) status = mus_mesh_check(def->rest, NULL);
    if (status == MUS_STATUS_OK && def->rest) status = check_shared_faces(def->mesh, def->rest);
    return status == MUS_STATUS_OK ? check_thickness(def) : status;
}

mus_status mus_cloth_create(mus_world *world, const mus_cloth_def *given, mus_cloth_id *id) {
    mus_cloth_def chosen = *given, *def = &chosen;
    const mus_material_model *internal = world->solver_def.internal;
    if (internal && chosen.material.model == MUS_MODEL_SPRINGS) chosen.material.model = *internal;
    char buffer[32];
    const char *name;
    mus_cloth *cloth;
    *id = (mus_cloth_id){0, 0};
    mus_status status = mus_world_check_unlocked(world, "world:cloth");
    if (status == MUS_STATUS_OK) status = check_def(def);
    if (status == MUS_STATUS_OK)
        status = mus_world_choose_name(world, def->name, "cloth", buffer, sizeof buffer, &name);
    if (status == MUS_STATUS_OK) status = mus_cloth_new(def, name, &cloth);
    if (status != MUS_STATUS_OK) return status;
    if (def->surface) status = mus_cloth_embed(cloth, def->surface);
    if (status != MUS_STATUS_OK) {
        mus_cloth_free(cloth);
        return status;
    }
    if (!mus_slots_add(&world->cloths, &world->cloth_order, cloth, &id->index, &id->generation)) {
        mus_cloth_free(cloth);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

mus_status mus_cloth_destroy(mus_world *world, mus_cloth_id id) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "world:remove");
    if (status != MUS_STATUS_OK) return status;
    mus_world_remove_seams(world, cloth);
    mus_exemptions_slot_removed(world, false, id.index);
    mus_slots_remove(&world->cloths, &world->cloth_order, id.index);
    mus_cloth_free(cloth);
    mus_solver_free(&world->solver); /* it has pointers to the cloth */
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

bool mus_cloth_is_valid(const mus_world *world, mus_cloth_id id) {
    return mus_slots_has(&world->cloths, id.index, id.generation);
}

int32_t mus_world_get_cloth_count(const mus_world *world) {
    return (int32_t)world->cloth_order.count;
}

mus_cloth_id mus_world_get_cloth(const mus_world *world, int32_t k) {
    if (k < 0 || k >= world->cloth_order.count) return (mus_cloth_id){0, 0};
    int32_t slot = world->cloth_order.data[k];
    return (mus_cloth_id){(uint32_t)slot, world->cloths.data[slot].generation};
}

#define CLOTH_GETTER(type, function, world_type, value)                                                                \
    type function(world_type *world, mus_cloth_id id) {                                                                \
        mus_cloth *cloth = mus_world_find_cloth(world, id);                                                            \
        return cloth ? (value) : 0;                                                                                    \
    }
CLOTH_GETTER(const char *, mus_cloth_get_name, const mus_world, cloth->name)
CLOTH_GETTER(int32_t, mus_cloth_get_vertex_count, const mus_world, cloth->vertex_count)
CLOTH_GETTER(int32_t, mus_cloth_get_face_count, const mus_world, cloth->face_count)
CLOTH_GETTER(int32_t, mus_cloth_get_edge_count, const mus_world, cloth->topology.edge_count)
CLOTH_GETTER(const int32_t *, mus_cloth_get_faces, const mus_world, cloth->faces)
CLOTH_GETTER(const int32_t *, mus_cloth_get_grid_nodes, const mus_world, cloth->grid_nodes)
CLOTH_GETTER(const int32_t *, mus_cloth_get_edges, const mus_world, cloth->topology.edges)
CLOTH_GETTER(const double *, mus_cloth_get_rest_lengths, const mus_world, cloth->rest_lengths)

mus_status mus_cloth_get_rest_shape(const mus_world *world, mus_cloth_id id, mus_rest_shape *shape) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    *shape = (mus_rest_shape){0};
    return cloth ? mus_cloth_make_rest_shape(cloth, shape) : MUS_STATUS_STALE;
}

mus_status mus_cloth_get_unloaded_lengths(const mus_world *world, mus_cloth_id id, double *lengths) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    return cloth ? mus_plastic_stretch_lengths(cloth, lengths) : MUS_STATUS_STALE;
}
CLOTH_GETTER(const double *, mus_cloth_get_uvs, const mus_world, cloth->uvs)
CLOTH_GETTER(int32_t, mus_cloth_get_uv_count, const mus_world, cloth->uv_count)
CLOTH_GETTER(const int32_t *, mus_cloth_get_uv_faces, const mus_world,
             !cloth->uvs       ? NULL
             : cloth->uv_faces ? cloth->uv_faces
                               : cloth->faces)
CLOTH_GETTER(double *, mus_cloth_get_positions, mus_world, cloth->x)
CLOTH_GETTER(double *, mus_cloth_get_velocities, mus_world, cloth->v)
CLOTH_GETTER(double *, mus_cloth_get_forces, mus_world, cloth->f)
CLOTH_GETTER(const double *, mus_cloth_get_masses, const mus_world, cloth->mass)
CLOTH_GETTER(const double *, mus_cloth_get_inverse_masses, const mus_world, cloth->inverse_mass)
CLOTH_GETTER(int32_t, mus_cloth_get_layer, const mus_world, cloth->layer)
CLOTH_GETTER(const double *, mus_cloth_get_areas, mus_world,
             mus_cloth_compute_areas(cloth) == MUS_STATUS_OK ? cloth->areas : NULL)
CLOTH_GETTER(const double *, mus_cloth_get_normals, mus_world,
             mus_cloth_compute_normals(cloth) == MUS_STATUS_OK ? cloth->normals : NULL)

mus_status mus_cloth_set_masses(mus_world *world, mus_cloth_id id, const double *masses) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "cloth.m");
    for (int32_t i = 0; i < cloth->vertex_count && status == MUS_STATUS_OK; i++) {
        char subject[80];
        if (masses[i] >= 1 / MUS_LARGEST_VALUE && masses[i] <= MUS_LARGEST_VALUE) continue;
        snprintf(subject, sizeof subject, "cloth.m[%d]", i + 1);
        status = mus_check_range(subject, MUS_RANGE_POSITIVE, "kg", masses[i]);
    }
    if (status != MUS_STATUS_OK) return status;
    memcpy(cloth->mass, masses, sizeof *masses * (size_t)cloth->vertex_count);
    for (int32_t i = 0; i < cloth->vertex_count; i++)
        cloth->inverse_mass[i] = mus_vertex_is_pinned(cloth, i) ? 0 : 1 / cloth->mass[i];
    mus_world_changed(world);
    return MUS_STATUS_OK;
}

mus_status mus_cloth_get_material(const mus_world *world, mus_cloth_id id, mus_material *material) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    *material = cloth->material;
    return MUS_STATUS_OK;
}

const mus_mesh_group *mus_cloth_get_groups(const mus_world *world, mus_cloth_id id, int32_t *count) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    *count = cloth ? cloth->group_count : 0;
    return cloth ? cloth->groups : NULL;
}

mus_status mus_cloth_get_look(const mus_world *world, mus_cloth_id id, mus_look *look) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    *look = cloth->look;
    return MUS_STATUS_OK;
}

mus_status mus_cloth_set_look(mus_world *world, mus_cloth_id id, const mus_look *look) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = mus_look_check("cloth", look);
    if (status == MUS_STATUS_OK) cloth->look = *look;
    return status;
}

mus_status mus_cloth_get_surface(const mus_world *world, mus_cloth_id id, double *thickness, double *friction,
                                 double *restitution) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    if (thickness) *thickness = cloth->thickness;
    if (friction) *friction = cloth->friction;
    if (restitution) *restitution = cloth->restitution;
    return MUS_STATUS_OK;
}

mus_status mus_cloth_mark_positions_changed(mus_world *world, mus_cloth_id id) {
    if (!mus_world_find_cloth(world, id)) return MUS_STATUS_STALE;
    world->validated = false;
    mus_world_wake(world);
    return MUS_STATUS_OK;
}

/* ---- pins ---- */

/* Memory for pins is allocated when the first is set: most cloth has none. */
static mus_status make_pins(mus_cloth *cloth) {
    if (!cloth->pins) cloth->pins = mus_new(sizeof(mus_pin) * (size_t)cloth->vertex_count);
    return cloth->pins ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status check_vertices(const mus_cloth *cloth, const int32_t *vertices, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (vertices[k] < 0 || vertices[k] >= cloth->vertex_count)
            return mus_fail(MUS_STATUS_INVALID, "pin: cloth '%s' has vertices 1 to %d (got %lld)", cloth->name,
                            cloth->vertex_count, (long long)vertices[k] + 1);
    return MUS_STATUS_OK;
}

/* Hard pins (stiffness 0) of pinched vertices would move them through the mesh, and these would collide with it. */
static mus_status check_pins(const mus_world *world, const mus_cloth *cloth, const int32_t *vertices, int32_t count,
                             double stiffness) {
    mus_status status = check_vertices(cloth, vertices, count);
    for (int32_t k = 0; status == MUS_STATUS_OK && !(stiffness > 0) && k < count; k++) {
        if (!mus_pinch_is_pinned(cloth, vertices[k])) continue;
        const mus_obstacle *mesh = world->obstacles.data[cloth->pins[vertices[k]].target].object;
        status =
            mus_fail(MUS_STATUS_INVALID,
                     "pin: vertex %d of cloth '%s' is pinched by obstacle '%s'; pin it after that has opened, or set a "
                     "soft pin (cloth:pull), which waits until then",
                     vertices[k] + 1, cloth->name, mesh->name);
    }
    return status;
}

/* A soft pin of a pinched vertex waits until it is released. */
static void set_pin(mus_cloth *cloth, int32_t i, const mus_pin *pin) {
    if (cloth->pins[i].kind == MUS_PIN_PINCHED && pin->stiffness > 0) {
        cloth->anchors[i].before = *pin;
        return;
    }
    if (cloth->pins[i].kind == MUS_PIN_NONE) cloth->pin_count++;
    cloth->pins[i] = *pin;
    cloth->inverse_mass[i] = pin->stiffness > 0 ? 1 / cloth->mass[i] : 0;
    if (pin->kind == MUS_PIN_PLACE && !(pin->stiffness > 0)) memset(cloth->v + 3 * i, 0, sizeof(double) * 3);
}

/* Sets pins at the present places of vertices, in the frame of the obstacle if there is one; like: their other fields.
 */
static mus_status set_pins(mus_world *world, mus_cloth *cloth, const int32_t *vertices, int32_t count,
                           const mus_pin *like, const mus_obstacle *obstacle) {
    mus_status status = make_pins(cloth);
    mus_pin *pins = mus_new(sizeof *pins * ((size_t)count + 1));
    if (status == MUS_STATUS_OK && !pins) status = MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; status == MUS_STATUS_OK && k < count; k++) {
        v3 place = v3_load(cloth->x + 3 * vertices[k]);
        pins[k] = *like;
        v3_store(pins[k].place, obstacle ? mus_pose_unapply(&obstacle->pose, place) : place);
    }
    if (status == MUS_STATUS_OK && obstacle && obstacle->keyframes.positions) {
        mus_pin_target target;
        mus_pin_target_make(obstacle, &obstacle->pose, world->time, &target);
        status = mus_pins_fasten_to_faces(&target, pins, count);
    }
    for (int32_t k = 0; status == MUS_STATUS_OK && k < count; k++) {
        const mus_pin *had = mus_cloth_soft_pin(cloth, vertices[k]); /* a path is set again in a loaded world */
        if (!had) had = &cloth->pins[vertices[k]];
        if (like->kind != MUS_PIN_PATH || had->kind != like->kind || had->target != MUS_MISSING_PATH)
            mus_world_wake(world);
        set_pin(cloth, vertices[k], &pins[k]);
    }
    mus_free(pins);
    return status;
}

static mus_status pin_place(mus_world *world, mus_cloth *cloth, const int32_t *vertices, int32_t count,
                            double stiffness, double damping) {
    mus_status status = check_pins(world, cloth, vertices, count, stiffness);
    if (status != MUS_STATUS_OK) return status;
    return set_pins(world, cloth, vertices, count,
                    &(mus_pin){.kind = MUS_PIN_PLACE, .stiffness = stiffness, .damping = damping}, NULL);
}

static mus_status check_body(const mus_world *world, const mus_obstacle *body, double stiffness) {
    if (!(stiffness > 0))
        return mus_fail(MUS_STATUS_INVALID,
                        "pin: obstacle '%s' is dynamic: only soft pins pull it back; give a stiffness (cloth:pull, "
                        "mus_cloth_pull), for example 1e4 N/m",
                        body->name);
    if (!mus_world_attaches(world))
        return mus_fail(MUS_STATUS_INVALID,
                        "pull: obstacle '%s' is dynamic, and pipelines with integrator '%s' and response '%s' do not "
                        "solve pins to it together with the cloth; choose the preset 'robust', 'lively', 'offset' or "
                        "'newton'",
                        body->name, world->def.pipeline.integrator, world->def.pipeline.response);
    return MUS_STATUS_OK;
}

static mus_status pin_obstacle(mus_world *world, mus_cloth *cloth, const int32_t *vertices, int32_t count,
                               mus_obstacle_id to, double stiffness, double damping) {
    const mus_obstacle *obstacle = mus_world_find_obstacle(world, to);
    if (!obstacle) return MUS_STATUS_STALE;
    mus_status status = check_pins(world, cloth, vertices, count, stiffness);
    if (status != MUS_STATUS_OK) return status;
    if (mus_obstacle_is_dynamic(obstacle) && (status = check_body(world, obstacle, stiffness)) != MUS_STATUS_OK)
        return status;
    mus_pin like = {.kind = MUS_PIN_OBSTACLE, .target = (int32_t)to.index, .stiffness = stiffness, .damping = damping};
    return set_pins(world, cloth, vertices, count, &like, obstacle);
}

static mus_status pin_path(mus_world *world, mus_cloth *cloth, const int32_t *vertices, int32_t count,
                           mus_pin_path_fn path, void *user, double stiffness, double damping) {
    mus_status status = check_pins(world, cloth, vertices, count, stiffness);
    if (status != MUS_STATUS_OK) return status;
    if (!path) return mus_fail(MUS_STATUS_INVALID, "pin: a path function is needed");
    status = make_pins(cloth);
    if (status != MUS_STATUS_OK) return status;
    if (!mus_array_push(&world->paths, ((mus_pin_path_slot){path, user}))) return MUS_STATUS_NO_MEMORY;
    mus_pin like = {
        .kind = MUS_PIN_PATH, .target = (int32_t)world->paths.count - 1, .stiffness = stiffness, .damping = damping};
    return set_pins(world, cloth, vertices, count, &like, NULL);
}

mus_status mus_cloth_pin(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    return cloth ? pin_place(world, cloth, vertices, count, 0, 0) : MUS_STATUS_STALE;
}

mus_status mus_cloth_pin_to_obstacle(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                     mus_obstacle_id to) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    return cloth ? pin_obstacle(world, cloth, vertices, count, to, 0, 0) : MUS_STATUS_STALE;
}

mus_status mus_cloth_pin_to_path(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                                 mus_pin_path_fn path, void *user) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    return cloth ? pin_path(world, cloth, vertices, count, path, user, 0, 0) : MUS_STATUS_STALE;
}

mus_pull_def mus_pull_def_default(void) {
    return (mus_pull_def){.cookie = MUS_COOKIE_PULL_DEF};
}

mus_status mus_cloth_pull(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count,
                          const mus_pull_def *def) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_PULL_DEF, "pull", "mus_pull_def");
    if (status != MUS_STATUS_OK) return status;
    if (!(def->stiffness > 0) || !isfinite(def->stiffness))
        return mus_fail(MUS_STATUS_INVALID, "pull: field 'stiffness' must be > 0 N/m, and finite (got %s)",
                        mus_word_of_number(def->stiffness).text);
    if (def->stiffness > MUS_LARGEST_PULL || !(def->damping >= 0 && def->damping <= MUS_LARGEST_PULL))
        return mus_fail(
            MUS_STATUS_INVALID, "pull: stiffness (N/m) and damping (N s/m, >= 0) must be at most %g (got %s and %s)",
            MUS_LARGEST_PULL, mus_word_of_number(def->stiffness).text, mus_word_of_number(def->damping).text);
    if (def->damping > 0 && mus_world_projects_pulls(world))
        return mus_fail(
            MUS_STATUS_INVALID,
            "pull: cloth '%s': the integrator 'position_based' projects pulls without damping; leave it out "
            "or choose another integrator",
            cloth->name);
    if (def->to && def->path) return mus_fail(MUS_STATUS_INVALID, "pull: give 'to' or 'path', not both");
    if (def->to) return pin_obstacle(world, cloth, vertices, count, *def->to, def->stiffness, def->damping);
    if (def->path) return pin_path(world, cloth, vertices, count, def->path, def->user, def->stiffness, def->damping);
    return pin_place(world, cloth, vertices, count, def->stiffness, def->damping);
}

mus_status mus_cloth_unpin(mus_world *world, mus_cloth_id id, const int32_t *vertices, int32_t count) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = vertices ? check_vertices(cloth, vertices, count) : MUS_STATUS_OK;
    if (status != MUS_STATUS_OK) return status;
    if (!vertices) count = cloth->vertex_count;
    mus_world_wake(world);
    for (int32_t k = 0; k < count; k++) {
        int32_t i = vertices ? vertices[k] : k;
        if (!cloth->pins || cloth->pins[i].kind == MUS_PIN_NONE) continue;
        if (cloth->pins[i].kind == MUS_PIN_PINCHED) { /* the mesh around it stays where it is */
            cloth->anchors[i].before = (mus_pin){0};
            continue;
        }
        cloth->pins[i] = (mus_pin){0};
        cloth->pin_count--;
        cloth->inverse_mass[i] = 1 / cloth->mass[i];
    }
    return MUS_STATUS_OK;
}

bool mus_cloth_is_pinned(const mus_world *world, mus_cloth_id id, int32_t vertex) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    return cloth && vertex >= 0 && vertex < cloth->vertex_count && mus_vertex_is_pinned(cloth, vertex);
}

double mus_cloth_get_pull_stiffness(const mus_world *world, mus_cloth_id id, int32_t vertex) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    const mus_pin *pin =
        cloth && vertex >= 0 && vertex < cloth->vertex_count ? mus_cloth_soft_pin(cloth, vertex) : NULL;
    return pin ? pin->stiffness : 0;
}

/* ---- strain ---- */

mus_status mus_cloth_get_strain(const mus_world *world, mus_cloth_id id, mus_strain *strain) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    const mus_topology *t = &cloth->topology;
    double *each = mus_new(sizeof(double) * (size_t)t->edge_count);
    if (!each) return MUS_STATUS_NO_MEMORY;
    *strain = (mus_strain){0};
    for (int32_t e = 0; e < t->edge_count; e++) {
        v3 d = v3_sub(v3_load(cloth->x + 3 * t->edges[2 * e]), v3_load(cloth->x + 3 * t->edges[2 * e + 1]));
        each[e] = fmax(0, v3_length(d) / cloth->rest_lengths[e] - 1);
        strain->mean += each[e];
        if (each[e] > strain->max) strain->max = each[e], strain->max_edge = e;
    }
    strain->mean /= t->edge_count;
    strain->median = mus_select(each, t->edge_count, t->edge_count / 2);
    mus_free(each);
    return MUS_STATUS_OK;
}
