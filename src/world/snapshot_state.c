/* snapshot_state.c: the state of a world. What is not listed here is not in a snapshot. */
#include "model/crease.h"
#include "model/plastic_stretch.h"
#include "model/order.h"
#include "model/sheet.h"
#include "world/overlap/overlap_exemption.h"
#include "world/pin.h"
#include "world/slots.h"
#include "world/snapshot.h"

#include <float.h>

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(mus_pin) == 80 && sizeof(mus_pin_anchor) == 144 && sizeof(mus_pose) == 56,
               "a field came or went: archive it here");
_Static_assert(sizeof(mus_start_report) == 48, "a field came or went: archive it here");
_Static_assert(sizeof(mus_time_step) == 24 && sizeof(mus_stats) == 208 && sizeof(mus_contact) == 272,
               "a field came or went: archive it here");
_Static_assert(sizeof(mus_cloth) == 912 && sizeof(mus_obstacle) == 968, "a field came or went: is it state?");
_Static_assert(sizeof(struct mus_world) - sizeof(mus_solver) - sizeof(mus_backup) == 1248,
               "a field came or went: is it state?");
#endif

static const double largest = MUS_LARGEST_VALUE, far_off = MUS_LARGEST_LENGTH;

static void stats(mus_archive *a, mus_stats *s) {
    mus_archive_f64(a, NULL, s->phase_ms, MUS_PHASE_COUNT);
    mus_archive_f64(a, NULL, &s->step_ms, 1);
    mus_archive_f64(a, NULL, &s->dt, 1);
    mus_archive_i64(a, NULL, &s->candidates, 1);
    mus_archive_i64(a, NULL, &s->contacts, 1);
    mus_archive_i64(a, NULL, &s->ccd_tests, 1);
    mus_archive_i64(a, NULL, &s->ccd_hits, 1);
    mus_archive_i32(a, NULL, &s->ccd_passes, 1);
    mus_archive_i32(a, NULL, &s->zones, 1);
    mus_archive_i32(a, NULL, &s->zone_vertices, 1);
    mus_archive_i32(a, NULL, &s->substeps, 1);
    mus_archive_i32(a, NULL, &s->iterations, 1);
    mus_archive_i32(a, NULL, &s->allowed, 1);
    mus_archive_i32(a, NULL, &s->pinched, 1);
    mus_archive_f64(a, NULL, &s->residual, 1);
    mus_archive_f64(a, NULL, &s->max_strain, 1);
    mus_archive_f64(a, NULL, &s->kinetic_energy, 1);
    mus_archive_f64(a, NULL, &s->contact_energy, 1);
    mus_archive_i64(a, NULL, &s->unresolved, 1);
    mus_archive_i64(a, NULL, &s->culled, 1);
    mus_archive_i64(a, NULL, &s->box_tests, 1);
    const int64_t counts[] = {s->candidates, s->contacts,   s->ccd_tests,     s->ccd_hits, s->ccd_passes,
                              s->zones,      s->substeps,   s->zone_vertices, s->allowed,  s->pinched,
                              s->iterations, s->unresolved, s->culled,        s->box_tests};
    mus_archive_within(a, "a time of a phase", s->phase_ms, MUS_PHASE_COUNT, 0, largest);
    mus_archive_within(a, "the last step's dt", &s->dt, 1, 0, largest);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        mus_archive_within_i64(a, "a count of the last step", counts[k], 0, INT64_MAX);
}

static void start_report(mus_archive *a, mus_start_report *r) {
    mus_archive_i64(a, NULL, &r->crossings, 1);
    mus_archive_i64(a, NULL, &r->inside, 1);
    mus_archive_i64(a, NULL, &r->touches, 1);
    mus_archive_i32(a, NULL, &r->moved, 1);
    mus_archive_i32(a, NULL, &r->rounds, 1);
    mus_archive_f64(a, NULL, &r->largest, 1);
    mus_archive_i32(a, NULL, &r->allowed, 1);
    mus_archive_i32(a, NULL, &r->misplaced, 1);
    const int64_t counts[] = {r->crossings, r->inside, r->touches, r->moved, r->rounds, r->allowed, r->misplaced};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        mus_archive_within_i64(a, "a count of the start", counts[k], 0, INT64_MAX);
    mus_archive_within(a, "the longest way of the start", &r->largest, 1, 0, largest);
}

/* Returns the index of an obstacle in order of creation, as slots may differ in another world. -1: it was removed. */
static int32_t order_of(const mus_world *world, int32_t slot) {
    return world->obstacles.data[slot].object ? world->obstacles.data[slot].order : -1;
}

static bool can_be_to(const mus_world *world, const mus_pin *p) {
    return !mus_pin_is_to_body(world, p) || (p->stiffness > 0 && mus_world_attaches(world));
}

static void pin(mus_archive *a, mus_world *world, const mus_cloth *cloth, int32_t i, mus_pin *p) {
    bool of_obstacle = mus_pin_is_to_obstacle(p) || p->kind == MUS_PIN_PINCHED;
    int32_t target = of_obstacle && !mus_archive_is_reading(a) ? order_of(world, p->target) : p->target;
    mus_archive_u8(a, NULL, &p->kind, 1);
    mus_archive_i32(a, NULL, &target, 1);
    mus_archive_f64(a, NULL, p->place, 3);
    mus_archive_f64(a, NULL, &p->stiffness, 1);
    mus_archive_f64(a, NULL, &p->damping, 1);
    if (!mus_archive_is_reading(a) || !mus_archive_is_ok(a)) return;
    mus_archive_within(a, "a pin's place", p->place, 3, -4 * far_off, 4 * far_off); /* also in an obstacle's frame */
    mus_archive_within(a, "a pin's stiffness", &p->stiffness, 1, 0, MUS_LARGEST_PULL);
    mus_archive_within(a, "a pin's damping", &p->damping, 1, 0, MUS_LARGEST_PULL);
    if (!mus_archive_is_ok(a)) return;
    if (p->damping > 0 && mus_world_projects_pulls(world))
        return mus_archive_refuse(a, "a pull has a damping, which the integrator 'position_based' does not support");
    p->target = target;
    switch (p->kind) {
    case MUS_PIN_PLACE:
        return;
    case MUS_PIN_OBSTACLE:
    case MUS_PIN_FACE:
    case MUS_PIN_PINCHED:
        if (target < 0 || target >= world->obstacle_order.count)
            mus_archive_refuse(a, "a pin refers to an obstacle that does not exist");
        else
            p->target = world->obstacle_order.data[target];
        if (mus_archive_is_ok(a) && p->kind == MUS_PIN_OBSTACLE && !can_be_to(world, p))
            mus_archive_refuse(a,
                               "a pin is to a rigid body, which only soft pins may be, in pipelines that solve them");
        return;
    case MUS_PIN_PATH:
        if (world->incomplete)
            p->target = MUS_MISSING_PATH;
        else if (target < 0 || target >= world->paths.count)
            a->status =
                mus_fail(MUS_STATUS_INVALID,
                         "cloth '%s': vertex %d follows a path in the snapshot that the world has not been given; pin "
                         "it to the path first",
                         cloth->name, i + 1);
        return;
    default:
        mus_archive_refuse(a, "a pin has an unknown kind");
    }
}

/* The point of a face that a pin is fastened to. */
static void face_of_pin(mus_archive *a, const mus_world *world, mus_pin *p) {
    mus_archive_i32(a, NULL, &p->face, 1);
    mus_archive_f64(a, NULL, p->weight, 3);
    mus_archive_within(a, "a weight of a pin on a face", p->weight, 3, 0, 1);
    if (!mus_archive_is_reading(a) || !mus_archive_is_ok(a)) return;
    const mus_obstacle *o = world->obstacles.data[p->target].object;
    if (!mus_archive_are_indices(&p->face, 1, o->face_count))
        mus_archive_refuse(a, "a pin is on a face that does not exist");
}

/* Where a pinched vertex is attached. */
static void anchor(mus_archive *a, mus_world *world, mus_cloth *cloth, int32_t i) {
    if (mus_archive_is_reading(a) && !cloth->anchors)
        cloth->anchors = mus_archive_new(a, sizeof *cloth->anchors * (size_t)cloth->vertex_count);
    if (!mus_archive_is_ok(a)) return;
    mus_pin_anchor *at = &cloth->anchors[i];
    mus_archive_i32(a, NULL, at->face, 2);
    mus_archive_i32(a, NULL, &at->group, 1);
    mus_archive_i32(a, NULL, &at->facing, 1);
    mus_archive_f64(a, NULL, at->weight[0], 6);
    mus_archive_within_i64(a, "the group of a pinched vertex", at->group, 1, cloth->vertex_count);
    mus_archive_within_i64(a, "the facing of a pinched vertex", at->facing, -1, 1);
    mus_archive_within(a, "a weight of a pinched vertex", at->weight[0], 6, 0, 1);
    bool waits = at->before.kind != MUS_PIN_NONE;
    mus_archive_flag(a, "whether a pinched vertex has a soft pin", &waits);
    if (mus_archive_is_reading(a)) at->before = (mus_pin){0};
    if (waits && mus_archive_is_ok(a)) {
        pin(a, world, cloth, i, &at->before);
        if (at->before.kind == MUS_PIN_FACE && mus_archive_is_ok(a)) face_of_pin(a, world, &at->before);
        if (mus_archive_is_ok(a) && (!(at->before.stiffness > 0) || at->before.kind == MUS_PIN_PINCHED))
            mus_archive_refuse(a, "the soft pin of a pinched vertex is none");
    }
    if (!mus_archive_is_reading(a) || !mus_archive_is_ok(a)) return;
    const mus_obstacle *o = world->obstacles.data[cloth->pins[i].target].object;
    if (cloth->pins[i].stiffness > 0 || !mus_archive_are_indices(at->face, 2, o->face_count))
        mus_archive_refuse(a, "a pinched vertex refers to a face that does not exist");
}

static void pins(mus_archive *a, mus_world *world, mus_cloth *cloth) {
    enum { BYTES = 4 + 1 + 4 + 24 + 8 };
    int64_t count = cloth->pin_count;
    mus_archive_count(a, NULL, &count, BYTES);
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) {
        size_t bytes = sizeof *cloth->pins * (size_t)cloth->vertex_count;
        if (cloth->pins) memset(cloth->pins, 0, bytes);
        cloth->pin_count = 0;
        if (count && !cloth->pins && !(cloth->pins = mus_new(bytes))) a->status = MUS_STATUS_NO_MEMORY;
    }
    int32_t i = -1;
    for (int64_t k = 0; k < count && mus_archive_is_ok(a); k++) {
        int32_t last = i;
        if (!mus_archive_is_reading(a)) do
                i++;
            while (cloth->pins[i].kind == MUS_PIN_NONE);
        mus_archive_i32(a, NULL, &i, 1);
        if (mus_archive_is_reading(a) && (i <= last || i >= cloth->vertex_count))
            mus_archive_refuse(a, "pins are out of order");
        if (!mus_archive_is_ok(a)) return;
        pin(a, world, cloth, i, &cloth->pins[i]);
        if (cloth->pins[i].kind == MUS_PIN_FACE && mus_archive_is_ok(a)) face_of_pin(a, world, &cloth->pins[i]);
        if (cloth->pins[i].kind == MUS_PIN_PINCHED && mus_archive_is_ok(a)) anchor(a, world, cloth, i);
        if (mus_archive_is_reading(a)) cloth->pin_count++;
    }
}

static void reference(mus_archive *a, mus_cloth *cloth) {
    int64_t n = cloth->vertex_count;
    bool exists = cloth->reference != NULL;
    mus_archive_flag(a, NULL, &exists);
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a) && exists && !cloth->reference &&
        !(cloth->reference = mus_new(sizeof(v3) * (size_t)n)))
        a->status = MUS_STATUS_NO_MEMORY;
    if (!exists || !mus_archive_is_ok(a)) return;
    mus_archive_f64(a, NULL, &cloth->reference->x, 3 * n);
    mus_archive_within(a, "a position at rest", &cloth->reference->x, 3 * n, -far_off, far_off);
}

/* Angles at rest: creases and scripts change them. */
static void folds(mus_archive *a, mus_cloth *cloth) {
    for (int32_t k = 0; mus_archive_is_ok(a) && k < mus_cloth_fold_count(cloth); k++) {
        double *rest = cloth->sheet ? &cloth->sheet->folds[k].rest : &cloth->hinges[k].rest;
        mus_archive_f64(a, NULL, rest, 1);
        mus_archive_within(a, "the bend of a fold at rest", rest, 1, -4, 4);
        if (!cloth->creases) continue;
        mus_archive_f64(a, NULL, &cloth->creases[k].flat, 1);
        mus_archive_f64(a, NULL, &cloth->creases[k].hardened, 1);
        mus_archive_within(a, "the bend of a fold without its crease", &cloth->creases[k].flat, 1, -4, 4);
        mus_archive_within(a, "the hardening of a fold", &cloth->creases[k].hardened, 1, 0, largest);
    }
}

/* Rest states of springs or faces, which change where they are stretched beyond their elastic range. */
static void plastic_stretches(mus_archive *a, mus_cloth *cloth) {
    if (!cloth->plastic_stretches) return;
    int numbers = mus_plastic_stretch_numbers(cloth);
    double low = cloth->sheet ? -largest : 0;
    for (int32_t k = 0; mus_archive_is_ok(a) && k < mus_plastic_stretch_count(cloth); k++) {
        double *rest = mus_plastic_stretch_rest(cloth, k), *made = cloth->plastic_stretches[k].made;
        mus_archive_f64(a, NULL, rest, numbers);
        mus_archive_f64(a, NULL, made, numbers);
        mus_archive_f64(a, NULL, &cloth->plastic_stretches[k].strain, 1);
        mus_archive_within(a, "a rest state", rest, numbers, low, largest);
        mus_archive_within(a, "a rest state without plastic stretch", made, numbers, low, largest);
        mus_archive_within(a, "a plastic strain", &cloth->plastic_stretches[k].strain, 1, 0, largest);
    }
}

static void cloth_state(mus_archive *a, mus_world *world, mus_cloth *cloth) {
    int64_t n = cloth->vertex_count;
    mus_archive_f64(a, NULL, cloth->x, 3 * n);
    mus_archive_f64(a, NULL, cloth->v, 3 * n);
    mus_archive_f64(a, NULL, cloth->f, 3 * n);
    mus_archive_f64(a, NULL, &cloth->previous_dt, 1);
    mus_archive_f64(a, NULL, cloth->inverse_mass, n);
    mus_archive_within(a, "a position", cloth->x, 3 * n, -far_off, far_off);
    mus_archive_within(a, "a velocity", cloth->v, 3 * n, -largest, largest);
    mus_archive_within(a, "a force", cloth->f, 3 * n, -largest, largest);
    mus_archive_within(a, "how long the last step was", &cloth->previous_dt, 1, 0, largest);
    folds(a, cloth);
    plastic_stretches(a, cloth);
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) mus_archive_check(a, mus_cloth_send_rest(cloth));
    reference(a, cloth);
    pins(a, world, cloth);
    if (!mus_archive_is_reading(a)) return;
    for (int32_t i = 0; mus_archive_is_ok(a) && !a->trusted && i < cloth->vertex_count; i++)
        if (cloth->inverse_mass[i] != (mus_vertex_is_pinned(cloth, i) ? 0 : 1 / cloth->mass[i]))
            mus_archive_refuse(a, "an inverse mass is neither that of the vertex nor that of its pin");
}

static void pose(mus_archive *a, mus_pose *pose) {
    double *q = pose->rotation;
    mus_archive_f64(a, NULL, pose->position, 3);
    mus_archive_f64(a, NULL, q, 4);
    mus_archive_within(a, "its place", pose->position, 3, -far_off, far_off);
    double norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    mus_archive_within(a, "the square of its quaternion", &norm2, 1, 1 - 1e-6, 1 + 1e-6);
}

static void obstacle_state(mus_archive *a, mus_obstacle *o, bool at_rest) {
    pose(a, &o->pose);
    if (!mus_obstacle_is_dynamic(o)) return;
    mus_archive_f64(a, NULL, &o->rigid.v.x, 3);
    mus_archive_f64(a, NULL, &o->rigid.momentum.x, 3);
    mus_archive_f64(a, NULL, &o->rigid.previous_dt, 1);
    if (at_rest) pose(a, &o->rigid.reference);
    mus_archive_within(a, "its velocity", &o->rigid.v.x, 3, -largest, largest);
    mus_archive_within(a, "its angular momentum", &o->rigid.momentum.x, 3, -1e90, 1e90);
    mus_archive_within(a, "how long its last step was", &o->rigid.previous_dt, 1, 0, largest);
}

static void check_settings(mus_archive *a, const mus_world *world) {
    mus_archive_within(a, "the time", &world->time, 1, 0, largest);
    mus_archive_within_i64(a, "the number of steps", world->step_index, 0, INT64_MAX / 2);
    mus_archive_within(a, "gravity", world->def.gravity, 3, -largest, largest);
    mus_archive_within(a, "wind", world->def.wind, 3, -largest, largest);
    mus_archive_within_i64(a, "the number of names", world->names_made, 0, INT32_MAX / 2);
    mus_archive_within(a, "the length of a step", &world->time_step.dt, 1, 1 / largest, largest);
    mus_archive_within(a, "the requested length of a step", &world->time_step.wanted, 1, 0, largest);
    mus_archive_within(a, "the time at rest", &world->sleep.still, 1, 0, largest);
    mus_archive_within_i64(a, "the step of its frame", world->time_step.step, 0, INT32_MAX / 2);
    const uint64_t *s = world->rng.s;
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a) && !(s[0] | s[1] | s[2] | s[3]))
        mus_archive_refuse(a, "the random stream is all zero");
}

void mus_world_state(mus_archive *a, mus_world *world) {
    mus_archive_f64(a, NULL, &world->time, 1);
    mus_archive_i64(a, NULL, &world->step_index, 1);
    mus_archive_f64(a, NULL, world->def.gravity, 3);
    mus_archive_f64(a, NULL, world->def.wind, 3);
    mus_world_tolerance_state(a, world);
    mus_archive_i32(a, NULL, &world->names_made, 1);
    mus_archive_f64(a, NULL, &world->time_step.dt, 1);
    mus_archive_f64(a, NULL, &world->time_step.wanted, 1);
    mus_archive_i32(a, NULL, &world->time_step.step, 1);
    mus_archive_flag(a, NULL, &world->time_step.recorded);
    mus_archive_u64(a, NULL, world->rng.s, 4);
    mus_archive_flag(a, NULL, &world->sleep.asleep);
    mus_archive_flag(a, NULL, &world->sleep.settled);
    mus_archive_f64(a, NULL, &world->sleep.still, 1);
    mus_archive_u64(a, NULL, &world->sleep.velocities, 1);
    mus_archive_owner(a, "world", NULL);
    check_settings(a, world);
    mus_archive_flag(a, NULL, &world->validated);
    stats(a, &world->stats);
    start_report(a, &world->start_report);
    for (int64_t k = 0; k < world->cloth_order.count && mus_archive_is_ok(a); k++) {
        mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        mus_archive_owner(a, "cloth", cloth->name);
        cloth_state(a, world, cloth);
    }
    for (int64_t k = 0; k < world->obstacle_order.count && mus_archive_is_ok(a); k++) {
        mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        mus_archive_owner(a, "obstacle", o->name);
        obstacle_state(a, o, world->sleep.still > 0);
    }
    mus_archive_owner(a, "world", NULL);
    if (!world->def.sleep) mus_world_wake(world);
    for (int64_t k = 0; k < world->seam_order.count && mus_archive_is_ok(a); k++) {
        mus_seam *seam = world->seams.data[world->seam_order.data[k]].object;
        mus_archive_flag(a, NULL, &seam->cut);
    }
    mus_exemptions_archive(a, world); /* last: a failure before leaves it as it was */
}

/* ---- contacts ---- */

/* In a snapshot objects are numbers, as slots may differ in another world: a cloth by its place in the order of
 * creation, an obstacle by -1 less its own. */
static int32_t code_of(const mus_world *world, mus_object_id id) {
    int32_t order = mus_object_get_order(world, id);
    return id.kind == MUS_OBJECT_CLOTH ? order : -1 - order;
}

static mus_object_id object_of(const mus_world *world, int32_t code) {
    return code >= 0 ? mus_object_from_cloth(mus_world_get_cloth(world, code))
                     : mus_object_from_obstacle(mus_world_get_obstacle(world, -1 - code));
}

static void contact(mus_archive *a, const mus_world *world, mus_contact *c) {
    int32_t kind = (int32_t)c->kind;
    uint8_t side[4];
    int32_t object[2] = {0};
    for (int k = 0; k < 2 && !mus_archive_is_reading(a); k++) object[k] = code_of(world, c->object[k]);
    for (int k = 0; k < 4; k++) side[k] = (uint8_t)c->side[k];
    mus_archive_i32(a, NULL, &kind, 1);
    mus_archive_i32(a, NULL, object, 2);
    mus_archive_i32(a, NULL, c->vertices, 4);
    mus_archive_u8(a, NULL, side, 4);
    mus_archive_f64(a, NULL, c->weights, 4);
    mus_archive_f64(a, NULL, c->point[0], 3);
    mus_archive_f64(a, NULL, c->point[1], 3);
    mus_archive_f64(a, NULL, c->normal, 3);
    mus_archive_f64(a, NULL, c->velocity, 3);
    mus_archive_f64(a, NULL, &c->distance, 1);
    mus_archive_f64(a, NULL, &c->gap, 1);
    mus_archive_f64(a, NULL, &c->start_gap, 1);
    mus_archive_f64(a, NULL, &c->mass, 1);
    mus_archive_f64(a, NULL, &c->friction, 1);
    mus_archive_f64(a, NULL, &c->restitution, 1);
    mus_archive_f64(a, NULL, &c->dt, 1);
    mus_archive_f64(a, NULL, &c->toi, 1);
    mus_archive_f64(a, NULL, &c->time, 1);
    mus_archive_f64(a, NULL, c->impulse, 3);
    for (int k = 0; k < 4; k++) c->side[k] = (int8_t)side[k];
    c->kind = (mus_pair_kind)kind;
    for (int k = 0; k < 2 && mus_archive_is_reading(a); k++) c->object[k] = object_of(world, object[k]);
}

static int32_t vertices_of(const mus_world *world, mus_object_id id) {
    if (id.kind == MUS_OBJECT_CLOTH) return ((const mus_cloth *)world->cloths.data[id.index].object)->vertex_count;
    return ((const mus_obstacle *)world->obstacles.data[id.index].object)->vertex_count;
}

static void check_contact(mus_archive *a, const mus_world *world, const mus_contact *c) {
    mus_archive_within_i64(a, "the kind of a contact", (int64_t)c->kind, MUS_PAIR_VERTEX_FACE, MUS_PAIR_VERTEX_PLANE);
    for (int k = 0; k < 4 && mus_archive_is_ok(a); k++) {
        mus_archive_within_i64(a, "the side of a contact", c->side[k], 0, 1);
        if (mus_archive_is_ok(a))
            mus_archive_within_i64(a, "a vertex of a contact", c->vertices[k], -1,
                                   (int64_t)vertices_of(world, c->object[c->side[k]]) - 1);
    }
    const double *numbers[] = {c->weights, c->point[0], c->point[1], c->normal, c->velocity, c->impulse};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        mus_archive_within(a, "a number of a contact", numbers[k], k == 0 ? 4 : 3, -DBL_MAX, DBL_MAX);
    const double others[] = {c->distance, c->gap, c->start_gap, c->friction, c->restitution, c->dt, c->toi, c->time};
    mus_archive_within(a, "a number of a contact", others, sizeof others / sizeof others[0], -DBL_MAX, DBL_MAX);
}

void mus_world_contact_state(mus_archive *a, const mus_world *world, mus_contact_list *list) {
    enum { BYTES = 7 * 4 + 4 + 27 * 8 };
    int64_t count = list->count;
    mus_archive_count(a, NULL, &count, BYTES);
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a) && !mus_array_reserve(list, count + 1))
        a->status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count && mus_archive_is_ok(a); k++) {
        mus_contact *c = &list->data[k];
        contact(a, world, c);
        if (!mus_object_is_valid(world, c->object[0]) || !mus_object_is_valid(world, c->object[1]))
            mus_archive_refuse(a, "a contact refers to an object that does not exist");
        if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) check_contact(a, world, c);
    }
    if (mus_archive_is_reading(a) && mus_archive_is_ok(a)) list->count = count;
}
