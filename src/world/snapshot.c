/* snapshot.c: writes a world to a snapshot, and reads it: into a new world, or into one of the same structure. */
#include "world/snapshot.h"
#include "base/sections.h"
#include "world/overlap/start.h"
#include "world/slots.h"

#include <math.h>

static const char STRUCTURE[] = "structure", STATE[] = "state", MEMORY[] = "solver";

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

static mus_status add_section(mus_snapshot *snapshot, const char *name, mus_archive *a) {
    if (a->status != MUS_STATUS_OK) {
        mus_archive_free(a);
        return a->status;
    }
    return mus_snapshot_take_over(snapshot, name, a->written, a->size);
}

/* The solver's memory and its contacts; neither exists before the first step of these objects. */
static void write_memory(mus_archive *a, mus_world *world) {
    bool assembled = world->assembled;
    mus_start_pairs_archive(a, &world->start_pairs);
    mus_archive_flag(a, NULL, &assembled);
    if (!assembled) return;
    mus_solver_memory(a, &world->solver);
    int64_t count;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    mus_contact_list list = {(mus_contact *)(uintptr_t)contacts, count, count};
    if (!contacts) a->status = MUS_STATUS_NO_MEMORY;
    mus_world_contact_state(a, world, &list);
}

mus_status mus_snapshot_create(mus_world *world, mus_snapshot **out) {
    *out = NULL;
    mus_status status = mus_world_check_unlocked(world, "world:save");
    if (status != MUS_STATUS_OK) return status;
    mus_snapshot *snapshot = mus_new(sizeof *snapshot);
    if (!snapshot) return MUS_STATUS_NO_MEMORY;
    mus_archive structure = mus_archive_writer(), state = structure, memory = structure;
    mus_world_structure(&structure, &world);
    status = add_section(snapshot, STRUCTURE, &structure);
    if (status == MUS_STATUS_OK) {
        mus_world_state(&state, world);
        status = add_section(snapshot, STATE, &state);
    }
    if (status == MUS_STATUS_OK) {
        write_memory(&memory, world);
        status = add_section(snapshot, MEMORY, &memory);
    }
    if (status == MUS_STATUS_OK)
        *out = snapshot;
    else
        mus_snapshot_destroy(snapshot);
    return status;
}

/* ---- Restoring --------------------------------------------------------------------------------------------------- */

static mus_status open_section(const mus_snapshot *snapshot, const char *name, mus_archive_mode mode, mus_archive *a) {
    size_t size;
    const void *bytes = mus_snapshot_get_attachment(snapshot, name, &size);
    if (!bytes) return mus_fail(MUS_STATUS_FORMAT, "snapshot: it contains no world (section '%s' is missing)", name);
    *a = mus_archive_reader(bytes, size, mode);
    a->section = name;
    return MUS_STATUS_OK;
}

/* Read separately, so that the world is unchanged when it fails. */
typedef struct memory {
    bool assembled;
    mus_solver solver;
    mus_contact_list contacts;
    mus_start_pair_list start_pairs;
} memory;

static mus_status read_memory(const mus_snapshot *snapshot, mus_world *world, memory *m) {
    mus_archive a;
    mus_status status = open_section(snapshot, MEMORY, MUS_ARCHIVE_READ, &a);
    if (status != MUS_STATUS_OK) return status;
    mus_start_pairs_archive(&a, &m->start_pairs);
    mus_archive_flag(&a, NULL, &m->assembled);
    if (a.status == MUS_STATUS_OK && m->assembled) {
        a.status = mus_world_make_solver(world, &m->solver);
        if (a.status == MUS_STATUS_OK) mus_solver_memory(&a, &m->solver);
        mus_world_contact_state(&a, world, &m->contacts);
    }
    return mus_archive_end(&a);
}

static void put_memory(mus_world *world, memory *m) {
    mus_solver_free(&world->solver);
    world->solver = m->solver;
    world->assembled = m->assembled;
    mus_array_free(&world->contacts);
    world->contacts.data = m->contacts.data;
    world->contacts.count = m->contacts.count, world->contacts.capacity = m->contacts.capacity;
    world->contacts_fresh = m->assembled;
    mus_start_pair_list_free(&world->start_pairs);
    world->start_pairs = m->start_pairs;
}

static void free_memory(memory *m) {
    mus_solver_free(&m->solver);
    mus_array_free(&m->contacts);
    mus_start_pair_list_free(&m->start_pairs);
}

/* A motion that is a function of time alone returns the saved pose at the saved time. One that is not is found by this
 * check at the latest, unless the two poses are close by chance. */
static mus_status check_motions(const mus_world *world) {
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        if (!mus_law_is_function(&o->motion) || o->motion.kind == MUS_LAW_MISSING) continue;
        mus_pose pose;
        mus_status status = mus_obstacle_pose_at(o, world->time, &pose);
        if (status != MUS_STATUS_OK) return status;
        double off = v3_length(v3_sub(v3_load(pose.position), v3_load(o->pose.position))), turn = 0;
        for (int i = 0; i < 4; i++) turn += pose.rotation[i] * o->pose.rotation[i];
        if (off > 1e-6 * (1 + v3_length(v3_load(pose.position))) || !(fabs(turn) > 1 - 1e-9))
            return mus_fail(MUS_STATUS_INVALID,
                            "obstacle '%s': at t = %g s its motion differs by %g m from the saved world's; it must "
                            "depend on the time alone",
                            o->name, world->time, off);
    }
    return MUS_STATUS_OK;
}

static mus_status read_state(const mus_snapshot *snapshot, mus_world *world) {
    mus_archive a;
    mus_status status = open_section(snapshot, STATE, MUS_ARCHIVE_READ, &a);
    if (status != MUS_STATUS_OK) return status;
    mus_world_state(&a, world);
    return mus_archive_end(&a);
}

mus_status mus_snapshot_compare(const mus_snapshot *snapshot, mus_world *world) {
    mus_archive a;
    mus_status status = open_section(snapshot, STRUCTURE, MUS_ARCHIVE_COMPARE, &a);
    if (status != MUS_STATUS_OK) return status;
    mus_world_structure(&a, &world);
    return mus_archive_end(&a);
}

mus_status mus_snapshot_restore(const mus_snapshot *snapshot, mus_world *world) {
    mus_status status = mus_world_check_unlocked(world, "world:restore");
    if (status == MUS_STATUS_OK) status = mus_world_check_complete(world);
    if (status == MUS_STATUS_OK) status = mus_snapshot_compare(snapshot, world);
    if (status == MUS_STATUS_OK) status = mus_world_assemble(world);
    if (status != MUS_STATUS_OK) return status;
    memory m = {0};
    mus_archive before = mus_archive_writer();
    mus_world_state(&before, world);
    status = before.status;
    if (status == MUS_STATUS_OK) status = read_memory(snapshot, world, &m);
    if (status == MUS_STATUS_OK) {
        status = read_state(snapshot, world);
        if (status == MUS_STATUS_OK) status = check_motions(world);
        if (status != MUS_STATUS_OK) { /* restores the state just written, which can be read without an allocation */
            mus_archive back = mus_archive_reader(before.written, before.size, MUS_ARCHIVE_READ);
            back.trusted = true;
            mus_world_state(&back, world);
        }
    }
    if (status == MUS_STATUS_OK)
        put_memory(world, &m);
    else
        free_memory(&m);
    mus_archive_free(&before);
    return status;
}

/* ---- A new world ------------------------------------------------------------------------------------------------- */

mus_status mus_world_create_from_snapshot(const mus_snapshot *snapshot, mus_world **out) {
    *out = NULL;
    mus_world *world = NULL;
    memory m = {0};
    mus_archive a;
    mus_status status = open_section(snapshot, STRUCTURE, MUS_ARCHIVE_READ, &a);
    if (status != MUS_STATUS_OK) return status;
    mus_world_structure(&a, &world);
    status = mus_archive_end(&a);
    if (status == MUS_STATUS_OK) {
        world->incomplete = true;
        status = read_state(snapshot, world);
    }
    if (status == MUS_STATUS_OK) status = mus_world_assemble(world);
    if (status == MUS_STATUS_OK) status = read_memory(snapshot, world, &m);
    if (status == MUS_STATUS_OK) {
        put_memory(world, &m);
        *out = world;
    } else {
        free_memory(&m);
        mus_world_destroy(world);
    }
    return status;
}
