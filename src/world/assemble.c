/* assemble.c: creates the solver for the objects of a world, and copies state between the two. */
#include "base/box.h"
#include "base/parallel.h"
#include "model/order.h"
#include "world/pin.h"
#include "world/pinch.h"
#include "world/slots.h"

#include <string.h>

static mus_cloth *cloth_at(const mus_world *world, int64_t k) {
    return world->cloths.data[world->cloth_order.data[k]].object;
}

static mus_obstacle *obstacle_at(const mus_world *world, int64_t k) {
    return world->obstacles.data[world->obstacle_order.data[k]].object;
}

static const char *object_name(const mus_object *object) {
    return object->cloth ? object->cloth->name : object->obstacle->name;
}

static bool response_fits(const mus_world_response *r, const char *p, const char *q) {
    const char *a = r->between[0], *b = r->between[1];
    if (!a) return true;
    if (!b) return strcmp(a, p) == 0 || strcmp(a, q) == 0;
    return mus_pair_is_of(a, b, p, q);
}

/* Returns the index of the last setting for a pair; -1: none. */
static int16_t coefficient_of(const mus_world *world, mus_coefficient which, const char *p, const char *q) {
    int64_t k = world->coefficients.count;
    while (k-- > 0) {
        const mus_pair_setting *c = &world->coefficients.data[k];
        bool fits = c->b ? mus_pair_is_of(c->a, c->b, p, q) : strcmp(c->a, p) == 0 || strcmp(c->a, q) == 0;
        if (c->one.which == which && fits) break;
    }
    return (int16_t)k;
}

static mus_status fill_coefficients(const mus_world *world, mus_solver *s) {
    size_t n = (size_t)s->assembly.object_count, pairs = n * n;
    mus_coefficients *c = &s->coefficients;
    if (!world->coefficients.count) return MUS_STATUS_OK;
    c->all = world->solver_coefficients.data, c->count = (int32_t)world->solver_coefficients.count;
    if (!(c->of = mus_new(sizeof *c->of * (MUS_COEFFICIENT_COUNT * pairs + 1)))) return MUS_STATUS_NO_MEMORY;
    for (size_t k = 0; k < MUS_COEFFICIENT_COUNT * pairs; k++)
        c->of[k] = coefficient_of(world, (mus_coefficient)(k / pairs), object_name(&s->assembly.objects[k % pairs / n]),
                                  object_name(&s->assembly.objects[k % n]));
    mus_coefficients_ready(c, (int32_t)n);
    return MUS_STATUS_OK;
}

static void fill_pair_tables(const mus_world *world, mus_solver *s) {
    int32_t n = s->assembly.object_count;
    for (int32_t p = 0; p < n; p++)
        for (int32_t q = 0; q < n; q++) {
            const mus_object *a = &s->assembly.objects[p], *b = &s->assembly.objects[q];
            const char *first = object_name(a), *second = object_name(b);
            bool collide = a->cloth || b->cloth || a->rigid || b->rigid;
            if (p == q) collide = a->cloth && a->cloth->self_collision;
            for (int64_t k = 0; collide && k < world->ignored.count; k++)
                if (mus_pair_is_of(world->ignored.data[k].a, world->ignored.data[k].b, first, second)) collide = false;
            s->assembly.collide[(size_t)p * (size_t)n + (size_t)q] = collide;
            int16_t response = -1;
            for (int64_t k = 0; k < world->response_order.count; k++) {
                const mus_world_response *r = world->responses.data[world->response_order.data[k]].object;
                if (response_fits(r, first, second)) response = (int16_t)k;
            }
            s->response_of[p * n + q] = response;
        }
}

void mus_world_free_backup(mus_world *world) {
    mus_backup *b = &world->backup;
    void *blocks[] = {b->x, b->v, b->f, b->pins, b->pin_counts, b->rigids, b->poses, b->hidden};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    mus_array_free(&b->contacts);
    *b = (mus_backup){0};
}

static mus_status make_backup(mus_world *world) {
    size_t n = (size_t)world->solver.assembly.cloth_vertex_count + 1;
    mus_backup *b = &world->backup;
    mus_world_free_backup(world);
    b->x = mus_new(sizeof(v3) * n);
    b->v = mus_new(sizeof(v3) * n);
    b->pin_counts = mus_new(sizeof(int32_t) * ((size_t)world->cloth_order.count + 1));
    b->rigids = mus_new(sizeof *b->rigids * ((size_t)world->solver.assembly.rigid_count + 1));
    b->poses = mus_new(sizeof *b->poses * ((size_t)world->obstacle_order.count + 1));
    return b->x && b->v && b->pin_counts && b->rigids && b->poses ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

mus_status mus_world_make_solver(mus_world *world, mus_solver *solver) {
    int64_t cloths = world->cloth_order.count, obstacles = world->obstacle_order.count;
    int64_t seams = world->seam_order.count, all = cloths + obstacles;
    void **objects = mus_new(sizeof(void *) * (size_t)(all + seams + 1));
    if (!objects) return MUS_STATUS_NO_MEMORY;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < cloths && status == MUS_STATUS_OK; k++) {
        objects[k] = mus_cloth_solved(cloth_at(world, k));
        status = mus_cloth_send(cloth_at(world, k));
    }
    for (int64_t k = 0; k < obstacles; k++) objects[cloths + k] = obstacle_at(world, k);
    for (int64_t k = 0; k < seams; k++) objects[all + k] = world->seams.data[world->seam_order.data[k]].object;
    if (status == MUS_STATUS_OK)
        status = mus_solver_create(solver, &world->solver_def, (mus_cloth *const *)objects, (int32_t)cloths,
                                   (mus_obstacle *const *)(objects + cloths), (int32_t)obstacles,
                                   (mus_seam *const *)(objects + all), (int32_t)seams);
    mus_free(objects);
    if (status != MUS_STATUS_OK) return status;
    for (int32_t k = 0; k < solver->assembly.object_count; k++)
        solver->assembly.objects[k].id = mus_world_object_at(world, k);
    solver->responses = world->solver_responses.data;
    solver->assembly.exemptions = &world->exemptions;
    fill_pair_tables(world, solver);
    mus_solver_rigid_contacts_enable(solver);
    status = fill_coefficients(world, solver);
    if (status != MUS_STATUS_OK) mus_solver_free(solver);
    return status;
}

/* m: diagonal of the bounding box of the cloth that is largest now. */
static double largest_cloth(const mus_world *world) {
    double largest = 0;
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = cloth_at(world, k);
        mus_box box = mus_box_of_points(cloth->x, cloth->vertex_count);
        largest = fmax(largest, v3_length(mus_box_size(&box)));
    }
    return largest;
}

/* If an obstacle is thicker than a cloth is large, every vertex of the cloth is near all of it: that is no surface, and
 * finding its contacts takes minutes per step. */
static mus_status check_thickness(const mus_world *world) {
    double largest = 0;
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = obstacle_at(world, k);
        if (o->def.thickness == 0 || !world->cloth_order.count) continue;
        if (largest == 0) largest = largest_cloth(world);
        if (o->def.thickness < largest) continue;
        return mus_fail(MUS_STATUS_INVALID,
                        "obstacle '%s': field 'thickness' must be less than the size of the largest cloth, which is %g "
                        "m from corner to corner of the box around it (got %g); both are in meters",
                        o->name, largest, o->def.thickness);
    }
    return MUS_STATUS_OK;
}

mus_status mus_world_assemble(mus_world *world) {
    if (world->assembled) return MUS_STATUS_OK;
    mus_status thin = check_thickness(world);
    if (thin != MUS_STATUS_OK) return thin;
    mus_solver_free(&world->solver);
    world->contacts_fresh = false;
    world->solver_responses.count = world->solver_coefficients.count = 0;
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < world->response_order.count && status == MUS_STATUS_OK; k++) {
        const mus_world_response *r = world->responses.data[world->response_order.data[k]].object;
        if (!mus_array_push(&world->solver_responses, r->response)) status = MUS_STATUS_NO_MEMORY;
    }
    for (int64_t k = 0; k < world->coefficients.count && status == MUS_STATUS_OK; k++) {
        mus_pair_coefficient one = mus_pair_setting_of(&world->coefficients.data[k]);
        if (!mus_array_push(&world->solver_coefficients, one)) status = MUS_STATUS_NO_MEMORY;
    }
    if (status == MUS_STATUS_OK) status = mus_world_make_solver(world, &world->solver);
    if (status == MUS_STATUS_OK) status = make_backup(world);
    if (status != MUS_STATUS_OK) return status;
    world->assembled = true;
    return MUS_STATUS_OK;
}

static void place_obstacle(mus_object *object, double t, v3 *x, v3 *normal, v3 *point, const mus_pose *pose) {
    if (mus_object_is_plane(object))
        mus_obstacle_plane(object->obstacle, pose, normal, point);
    else
        mus_obstacle_place(object->obstacle, t, pose, (double *)(x + object->first));
}

/* Stores which vertices are pinched, and by what. */
static mus_status gather_pinched(mus_world *world) {
    mus_assembly *a = &world->solver.assembly;
    a->any_pinched = mus_pinch_count(world) > 0;
    if (!a->any_pinched) return MUS_STATUS_OK;
    size_t bytes = sizeof *a->pinched_by * ((size_t)a->cloth_vertex_count + 1);
    if (!a->pinched_by && !(a->pinched_by = mus_new(bytes))) return MUS_STATUS_NO_MEMORY;
    for (int32_t v = 0; v < a->cloth_vertex_count; v++) {
        const mus_object *object = &a->objects[a->object_of[v]];
        const mus_cloth *given = mus_cloth_given(object->cloth);
        const mus_pin *pin =
            given->pin_count ? &given->pins[mus_cloth_given_vertex(object->cloth, v - object->first)] : NULL;
        bool pinched = pin && pin->kind == MUS_PIN_PINCHED;
        a->pinched_by[v] = pinched ? a->cloth_count + world->obstacles.data[pin->target].order : -1;
    }
    return MUS_STATUS_OK;
}

mus_status mus_world_gather(mus_world *world) {
    mus_assembly *a = &world->solver.assembly;
    mus_status gathered = gather_pinched(world);
    if (gathered != MUS_STATUS_OK) return gathered;
    for (int32_t k = 0; k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        if (object->cloth) {
            mus_status status = mus_cloth_send(mus_cloth_given(object->cloth));
            if (status != MUS_STATUS_OK) return status;
            object->previous_dt = object->cloth->previous_dt;
            int threads = world->solver_def.threads;
            mus_parallel_copy(threads, a->x0 + object->first, object->cloth->x, object->count, sizeof(v3));
            mus_parallel_copy(threads, a->v0 + object->first, object->cloth->v, object->count, sizeof(v3));
            mus_parallel_copy(threads, a->inverse_mass + object->first, object->cloth->inverse_mass, object->count,
                              sizeof(double));
        } else {
            object->pose0 = object->pose1 = object->obstacle->pose;
            place_obstacle(object, world->time, a->x0, &object->normal0, &object->point0, &object->pose0);
            memcpy(a->x1 + object->first, a->x0 + object->first, sizeof(v3) * (size_t)object->count);
            object->normal1 = object->normal0, object->point1 = object->point0;
            if (!object->rigid) continue;
            const mus_rigid *rigid = &object->obstacle->rigid;
            object->previous_dt = rigid->previous_dt;
            object->rigid->v0 = object->rigid->v1 = rigid->v;
            object->rigid->momentum0 = object->rigid->momentum1 = rigid->momentum;
        }
    }
    return MUS_STATUS_OK;
}

static const mus_object *object_of_obstacle(const mus_world *world, int32_t slot) {
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        if (a->objects[k].obstacle == world->obstacles.data[slot].object) return &a->objects[k];
    return NULL;
}

/* Nothing stops a pin, or a mesh that pinches a vertex: one that moves into a plane would take its cloth along. (Other
 * obstacles have faces or edges, with which the cloth around the vertex collides.) */
static mus_status check_pin(const mus_assembly *a, int32_t cloth, int32_t i) {
    static const double tolerance = 1e-4; /* m, as at validation */
    v3 x = a->x1[a->objects[cloth].first + mus_cloth_solved_vertex(a->objects[cloth].cloth, i)];
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane) || !mus_assembly_collides(a, cloth, k)) continue;
        double gap = v3_dot(plane->normal1, v3_sub(x, plane->point1));
        if (gap >= -tolerance) continue;
        const mus_cloth *given = mus_cloth_given(a->objects[cloth].cloth);
        return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                        "no safe step: %s vertex %d of cloth '%s' would move %.3g m into obstacle '%s'",
                        mus_pinch_is_pinned(given, i) ? "the mesh that pinches" : "the pin of", i + 1, given->name,
                        -gap, plane->obstacle->name);
    }
    return MUS_STATUS_OK;
}

static mus_status attach(mus_assembly *a, int32_t vertex, const mus_object *body, const mus_pin *pin) {
    mus_attachment attachment = {.vertex = vertex,
                                 .object = (int32_t)(body - a->objects),
                                 .place = v3_load(pin->place),
                                 .stiffness = pin->stiffness,
                                 .damping = pin->damping};
    return mus_array_push(&a->attachments, attachment) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Places a pinned vertex, or adds its pulling constraint, or its attachment to a rigid body. */
static mus_status apply_pin(const mus_world *world, mus_assembly *a, int32_t cloth, int32_t i, double t) {
    const mus_object *object = &a->objects[cloth];
    const mus_cloth *given = mus_cloth_given(object->cloth);
    int32_t at = mus_cloth_solved_vertex(given, i);
    v3 place;
    const mus_pin *pin = &given->pins[i];
    const mus_object *obstacle = mus_pin_is_to_obstacle(pin) ? object_of_obstacle(world, pin->target) : NULL;
    if (obstacle && obstacle->rigid) return attach(a, object->first + at, obstacle, pin);
    if (pin->stiffness > 0 && !mus_world_projects_pulls(world)) return MUS_STATUS_OK; /* a force: pull.c */
    mus_pin_target target = {0};
    if (obstacle) {
        mus_pin_target_make(obstacle->obstacle, &obstacle->pose1, t, &target);
    }
    mus_status status = mus_pin_place(world, given, i, t, &target, &place);
    if (status != MUS_STATUS_OK) return status;
    double stiffness = pin->stiffness;
    if (stiffness > 0)
        return mus_array_push(&object->cloth->pulls, ((mus_pull){at, stiffness, place, {0, 0, 0}}))
                   ? MUS_STATUS_OK
                   : MUS_STATUS_NO_MEMORY;
    a->x1[object->first + at] = place;
    return check_pin(a, cloth, i);
}

static mus_status place_pinched(mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    mus_pinch_place(world);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = mus_cloth_given(a->objects[k].cloth);
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            mus_status status = mus_pinch_is_pinned(cloth, i) ? check_pin(a, k, i) : MUS_STATUS_OK;
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_world_place_kinematic(void *context, mus_assembly *a, double t) {
    mus_world *world = context;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        if (!mus_obstacle_moves(object->obstacle)) {
            memcpy(a->x1 + object->first, a->x0 + object->first, sizeof(v3) * (size_t)object->count);
            continue;
        }
        mus_status status = mus_obstacle_pose_at(object->obstacle, t, &object->pose1);
        if (status != MUS_STATUS_OK) return status;
        place_obstacle(object, t, a->x1, &object->normal1, &object->point1, &object->pose1);
    }
    a->attachments.count = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_object *object = &a->objects[k];
        object->cloth->pulls.count = 0;
        if (!object->cloth->pin_count) continue;
        for (int32_t i = 0; i < object->count; i++) {
            uint8_t kind = mus_cloth_given(object->cloth)->pins[i].kind;
            if (kind == MUS_PIN_NONE || kind == MUS_PIN_PINCHED) continue; /* the latter by mus_pinch_place */
            mus_status status = apply_pin(world, a, k, i, t);
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return a->any_pinched ? place_pinched(world) : MUS_STATUS_OK;
}
