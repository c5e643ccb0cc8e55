/* sleep.c: when a world falls asleep, and what wakes it. The solver's memory (contacts, warm starts, forces of the step
 * before) stays as the last solved step left it, so that a woken world continues from there. */
#include "world/sleep.h"
#include "base/box.h"
#include "base/hash.h"
#include "model/crease.h"
#include "model/plastic_stretch.h"
#include "model/order.h"
#include "model/seam.h"
#include "model/spring_program.h"
#include "world/pin.h"
#include "world/slots.h"

#include <string.h>

/* A world falls asleep when no vertex of cloth and no point of a body has moved further than sleep_distance within
 * sleep_time, and nothing from outside moves it. What starts from rest then has an acceleration of at most 8e-4 m/s^2,
 * what turns back of 4.7e-3; the solver leaves up to 1e-2 at rest (coupled_newton.c). A distance, no speed: cloth under
 * tension keeps vibrating at 0.6 mm/s with an amplitude of micrometers. */
static const double sleep_time = 0.5, sleep_distance = 1e-4; /* s, m */

static const mus_cloth *cloth_of(const mus_assembly *a, int32_t k) {
    return mus_cloth_given(a->objects[k].cloth);
}

/* ---- what would move the world ---- */

static bool has_changing_functions(const mus_cloth *cloth) {
    const mus_spring_programs *p = cloth->spring_programs;
    bool any = cloth->windy;
    for (int k = 0; p && k < MUS_SPRING_KIND_COUNT; k++) any |= p->of[k] != NULL;
    for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count && !any; i++)
        any = cloth->pins[i].kind == MUS_PIN_PATH && mus_vertex_is_pulled(cloth, i);
    return any;
}

/* Whether the world has functions whose results may change at any time and are not kept, to compare them with: hooks on
 * predicted positions and contacts, rules, laws of coefficients and springs, tolerances, fields of wind, and paths of
 * pulling pins. */
static bool has_functions(const mus_world *world) {
    const mus_solver *s = &world->solver;
    const mus_assembly *a = &s->assembly;
    bool programs, any = world->callbacks.candidate || world->callbacks.contacts || s->coefficients.laws ||
                         world->def.tolerance.place || mus_solver_has_rules(s, &programs) || mus_solver_has_energies(s);
    for (int32_t k = 0; k < a->cloth_count && !any; k++) any = has_changing_functions(cloth_of(a, k));
    return any;
}

/* Whether external forces differ from those of the step before. Those of soft pins change with the last motion of their
 * vertices before the world sleeps, and by their damping in the first step asleep; then with their places only. */
static bool forces_changed(const mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    const mus_backup *b = &world->backup;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        const double *before = b->forced ? &b->f[a->objects[k].first].x : NULL;
        for (int32_t i = 0; i < 3 * cloth->vertex_count; i++) {
            bool settles = !world->sleep.settled && mus_vertex_is_pulled(cloth, i / 3);
            double allowed = settles ? cloth->pins[i / 3].stiffness * sleep_distance : 0;
            if (!(fabs(cloth->f[i] - (before ? before[i] : 0)) <= allowed)) return true;
        }
    }
    return false;
}

/* Of all velocities: those that a hook or a script writes have another one. */
static uint64_t hash_velocities(const mus_assembly *a) {
    uint64_t hash = 0;
    for (int32_t k = 0; k < a->cloth_count; k++)
        hash = mus_hash_chain(hash, cloth_of(a, k)->v, sizeof(v3) * (size_t)cloth_of(a, k)->vertex_count);
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        if (!a->objects[k].rigid) continue;
        const mus_rigid *rigid = &a->objects[k].obstacle->rigid;
        hash = mus_hash_chain(hash, &rigid->v, sizeof(v3));
        hash = mus_hash_chain(hash, &rigid->momentum, sizeof(v3));
    }
    return hash;
}

static bool seams_close(const mus_world *world, double dt) {
    for (int64_t k = 0; k < world->seam_order.count; k++) {
        const mus_seam *seam = world->seams.data[world->seam_order.data[k]].object;
        for (int32_t i = 0; !seam->cut && i < seam->count; i++)
            if (mus_seam_length(seam, i, world->time) != mus_seam_length(seam, i, world->time + dt)) return true;
    }
    return false;
}

static bool pins_move(const mus_assembly *a) {
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            int32_t at = a->objects[k].first + mus_cloth_solved_vertex(cloth, i);
            if (mus_vertex_is_pinned(cloth, i) && memcmp(&a->x0[at], &a->x1[at], sizeof(v3)) != 0) return true;
        }
    }
    return false;
}

static bool has_pins(const mus_world *world, const mus_obstacle *obstacle) {
    const mus_assembly *a = &world->solver.assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++)
            if ((mus_pin_is_to_obstacle(&cloth->pins[i]) || cloth->pins[i].kind == MUS_PIN_PINCHED) &&
                world->obstacles.data[cloth->pins[i].target].object == obstacle)
                return true;
    }
    return false;
}

/* The box around all cloth and bodies, as far as obstacles touch them. */
static mus_box box_of_movable(const mus_assembly *a) {
    mus_box box = mus_box_empty();
    double largest = 0;
    for (int32_t k = 0; k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        largest = fmax(largest, object->contact_thickness);
        if (!object->cloth && !object->rigid) continue;
        for (int32_t i = object->first; i < object->first + object->count; i++)
            mus_box_grow(&box, a->x0[i], object->radius);
    }
    mus_box_expand(&box, 2 * largest);
    return box;
}

/* Whether a moved obstacle may touch what is in the box, or takes pins along. */
static bool obstacle_disturbs(const mus_world *world, const mus_object *object, const mus_box *movable) {
    const mus_assembly *a = &world->solver.assembly;
    const v3 *x0 = a->x0 + object->first, *x1 = a->x1 + object->first;
    bool moved = memcmp(&object->pose0, &object->pose1, sizeof object->pose0) != 0 ||
                 memcmp(x0, x1, sizeof(v3) * (size_t)object->count) != 0;
    if (!moved) return false;
    if (mus_object_is_plane(object) || has_pins(world, object->obstacle)) return true;
    mus_box swept = mus_box_empty();
    for (int32_t i = 0; i < object->count; i++) {
        mus_box_grow(&swept, x0[i], object->radius);
        mus_box_grow(&swept, x1[i], object->radius);
    }
    return !mus_box_apart(&swept, movable);
}

static bool obstacles_disturb(const mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    mus_box movable = box_of_movable(a);
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        if (!a->objects[k].rigid && obstacle_disturbs(world, &a->objects[k], &movable)) return true;
    return false;
}

static bool rest_states_recover(const mus_assembly *a) {
    bool any = false;
    for (int32_t k = 0; k < a->cloth_count && !any; k++)
        any = mus_creases_recover(a->objects[k].cloth) || mus_plastic_stretch_recovers(a->objects[k].cloth);
    return any;
}

mus_status mus_sleep_begin_step(mus_world *world, double dt, bool *sleeps) {
    mus_sleep *s = &world->sleep;
    mus_assembly *a = &world->solver.assembly;
    *sleeps = false;
    if (!world->def.sleep || s->still < sleep_time) return MUS_STATUS_OK;
    bool disturbed = rest_states_recover(a) || has_functions(world) || forces_changed(world) ||
                     seams_close(world, dt) || s->velocities != hash_velocities(a);
    if (!disturbed) {
        mus_status status = mus_world_place_kinematic(world, a, world->time + dt);
        if (status != MUS_STATUS_OK) return status;
        disturbed = pins_move(a) || obstacles_disturb(world);
    }
    if (disturbed) mus_world_wake(world);
    *sleeps = !disturbed;
    return MUS_STATUS_OK;
}

void mus_sleep_keep_still(mus_world *world, mus_stats *stats) {
    mus_assembly *a = &world->solver.assembly;
    memcpy(a->x1, a->x0, sizeof(v3) * (size_t)a->cloth_vertex_count);
    memset(a->v1, 0, sizeof(v3) * (size_t)a->cloth_vertex_count);
    for (int32_t k = 0; k < a->rigid_count; k++) a->rigids[k].v1 = a->rigids[k].momentum1 = v3_make(0, 0, 0);
    stats->contacts = world->stats.contacts, stats->unresolved = world->stats.unresolved;
    stats->contact_energy = world->stats.contact_energy;
    if (!world->sleep.asleep) world->contacts_fresh = false; /* their velocities are 0 from now on */
}

void mus_sleep_record_still(mus_world *world) {
    world->sleep.settled = world->sleep.asleep;
    world->sleep.asleep = true;
    world->sleep.velocities = hash_velocities(&world->solver.assembly);
}

/* ---- time at rest ---- */

static bool cloth_moved(const mus_cloth *cloth) {
    if (!cloth->reference) return true;
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        v3 moved = v3_sub(v3_load(cloth->x + 3 * i), cloth->reference[i]);
        if (!(v3_length2(moved) <= sleep_distance * sleep_distance)) return true;
    }
    return false;
}

/* The furthest that a point of the body may have moved: of its frame's origin, and by its rotation. */
static bool body_moved(const mus_obstacle *o) {
    const mus_pose *from = &o->rigid.reference, *to = &o->pose;
    double reach = o->radius, cosine = 0;
    for (int32_t i = 0; i < o->vertex_count; i++) reach = fmax(reach, o->radius + v3_length(v3_load(o->local + 3 * i)));
    for (int k = 0; k < 4; k++) cosine += from->rotation[k] * to->rotation[k];
    double chord = 2 * sqrt(fmax(0, 1 - cosine * cosine)) * reach;
    double shift = v3_length(v3_sub(v3_load(to->position), v3_load(from->position)));
    return !(shift + chord <= sleep_distance);
}

static mus_status make_references(const mus_assembly *a) {
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = mus_cloth_given(a->objects[k].cloth);
        if (!cloth->reference && !(cloth->reference = mus_new(sizeof(v3) * (size_t)cloth->vertex_count)))
            return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

mus_status mus_sleep_record(mus_world *world, double dt) {
    const mus_assembly *a = &world->solver.assembly;
    mus_sleep *s = &world->sleep;
    if (!world->def.sleep) return MUS_STATUS_OK;
    s->moved = !(s->still > 0);
    for (int32_t k = 0; k < a->cloth_count && !s->moved; k++) s->moved = cloth_moved(cloth_of(a, k));
    for (int32_t k = a->cloth_count; k < a->object_count && !s->moved; k++)
        s->moved = a->objects[k].rigid && body_moved(a->objects[k].obstacle);
    if (s->moved && make_references(a) != MUS_STATUS_OK) return MUS_STATUS_NO_MEMORY;
    s->still = s->moved ? dt : s->still + dt;
    s->velocities = s->still < sleep_time ? 0 : hash_velocities(a);
    return MUS_STATUS_OK;
}

void mus_sleep_commit(mus_world *world) {
    const mus_assembly *a = &world->solver.assembly;
    if (!world->sleep.moved) return;
    world->sleep.moved = false;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = cloth_of(a, k);
        memcpy(cloth->reference, cloth->x, sizeof(v3) * (size_t)cloth->vertex_count);
    }
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        if (a->objects[k].rigid) a->objects[k].obstacle->rigid.reference = a->objects[k].obstacle->pose;
}
