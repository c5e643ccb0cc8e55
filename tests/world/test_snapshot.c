/* test_snapshot.c: a world that is saved and goes on, in the same world, in a twin or in one made from the file, makes
 * the steps of one that was never interrupted, bit for bit; what does not fit or is damaged is refused and changes
 * nothing. */
#include "../base/scarce.h"
#include "scene.h"
#include "muslin/host.h"

#include <unistd.h>

/* ---- A scene with everything in it ------------------------------------------------------------------------------- */

static mus_status swing(void *user, double t, mus_pose *pose) {
    (void)user;
    pose->position[0] += 0.05 * mus_sin(4 * t);
    turn(pose->rotation, v3_make(0, 0, 1), 0.3 * t);
    return MUS_STATUS_OK;
}
static mus_status lift(void *user, double t, int32_t vertex, double position[3]) {
    (void)user, (void)vertex;
    position[1] += 0.2 * t;
    return MUS_STATUS_OK;
}
static mus_status half(void *user, const mus_contact *c, double impulse[2][3]) {
    (void)user;
    double approach = 0;
    for (int k = 0; k < 3; k++) approach += c->normal[k] * c->velocity[k];
    for (int k = 0; k < 3; k++) impulse[0][k] = approach < 0 ? -0.5 * approach * c->mass * c->normal[k] : 0;
    return MUS_STATUS_OK;
}
static mus_status gust(mus_world *world, double t, void *user) {
    (void)t, (void)user;
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    double load = 1e-4 * mus_world_next_random(world);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        mus_cloth_get_forces(world, id)[3 * i + 2] += load;
    return MUS_STATUS_OK;
}
static void set_callbacks(mus_world *world) {
    mus_callbacks callbacks = mus_callbacks_default();
    callbacks.forces = gust;
    must(mus_world_set_callbacks(world, &callbacks));
}

typedef struct options {
    const char *integrator, *broad;
    int32_t threads, nodes;
    double stretch;
    bool functions, more, membrane;
} options;
static const options plain = {"implicit_euler", "box_tree", 1, 12, 500, true, false, false};

static mus_world *make(const options *o) {
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 120, def.threads = o->threads, def.seed = 5;
    def.pipeline.integrator = o->integrator, def.pipeline.broad = o->broad;
    must(mus_world_create(&def, &world));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.thickness = 4e-3, cloth.material.stretch = o->stretch;
    if (o->membrane) cloth.material.model = MUS_MODEL_STVK, cloth.material.warp_angle = 0.3;
    cloth.name = "low";
    mus_cloth_id low = add_cloth(world, grid_mesh(o->nodes, 12, 0.4, 0.4, "xz", v3_make(0, 0.12, 0)), cloth);
    cloth.name = "high", cloth.velocity[1] = -1;
    mus_cloth_id high = add_cloth(world, grid_mesh(9, 9, 0.2, 0.2, "xz", v3_make(0.01, 0.14, 0.02)), cloth);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
    mus_obstacle_id ball = add_sphere(world, 0.08, v3_make(0, 0.02, 0), 0.2);
    mus_obstacle_def box = mus_obstacle_def_default();
    mus_obstacle_id rock, gone;
    box.shape = MUS_SHAPE_BOX, box.name = "rock", box.pose.position[0] = 0.15, box.pose.position[1] = 0.03;
    box.size[0] = box.size[1] = box.size[2] = 0.05;
    box.name = "gone", box.pose.position[0] = 3;
    must(mus_obstacle_create(world, &box, &gone));
    must(mus_obstacle_destroy(world, gone)); /* slots and order differ from here on */
    box.name = "rock", box.pose.position[0] = 0.15;
    must(mus_obstacle_create(world, &box, &rock));
    if (o->more) add_sphere(world, 0.01, v3_make(0, 5, 0), 0);
    must(mus_world_ignore_pair(world, named(world, "high"), named(world, "rock")));
    const int32_t corner[] = {0, 11}, other[] = {12 * 11}, tip[] = {4};
    must(mus_cloth_pin(world, low, corner, 1));
    mus_response_def response = mus_response_def_default();
    response.name = "slippery", response.friction = 0.01;
    response.between[0] = mus_object_from_cloth(low), response.between[1] = mus_object_from_obstacle(ball);
    mus_response_id id;
    must(mus_response_create(world, &response, &id));
    if (!o->functions) return world;
    response = mus_response_def_default();
    response.name = "half", response.callback = half, response.between[0] = mus_object_from_cloth(high);
    must(mus_response_create(world, &response, &id));
    must(mus_obstacle_set_motion(world, ball, swing, NULL));
    must(mus_cloth_pin_to_obstacle(world, low, other, 1, rock));
    must(mus_cloth_pin_to_path(world, high, tip, 1, lift, NULL));
    set_callbacks(world);
    return world;
}

static void play(mus_world *world, int steps) {
    for (int k = 0; k < steps; k++) must(mus_world_step(world));
}

static uint64_t hash_contacts(const mus_world *world) {
    int64_t count;
    const mus_contact *c = mus_world_get_contacts(world, &count);
    double sum[4] = {(double)count, 0, 0, 0};
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < 3; i++) sum[1 + i] += (double)(k + 1) * (c[k].impulse[i] + c[k].point[0][i] + c[k].gap);
    return mus_hash_bytes(sum, sizeof sum);
}

/* Everything that a snapshot holds, times of the clock aside. */
static uint64_t everything(mus_world *world) {
    mus_stats stats;
    uint64_t parts[4] = {mus_world_get_hash(world), hash_contacts(world), (uint64_t)mus_world_get_step_index(world), 0};
    mus_world_get_stats(world, &stats);
    for (int k = 0; k < MUS_PHASE_COUNT; k++) stats.phase_ms[k] = 0;
    stats.step_ms = 0;
    double kept[] = {stats.max_strain,         stats.kinetic_energy,    stats.residual,        (double)stats.contacts,
                     (double)stats.candidates, (double)stats.ccd_tests, (double)stats.substeps};
    parts[3] = mus_hash_bytes(kept, sizeof kept);
    return mus_hash_bytes(parts, sizeof parts);
}

enum { BEFORE = 25, AFTER = 25 };

static void record(mus_world *world, uint64_t hashes[AFTER]) {
    for (int k = 0; k < AFTER; k++) {
        must(mus_world_step(world));
        hashes[k] = everything(world);
    }
}

static void hand_in(mus_world *world) {
    const int32_t tip[] = {4};
    mus_obstacle_id ball = mus_world_get_obstacle(world, 1);
    set_callbacks(world);
    must(mus_obstacle_set_motion(world, ball, swing, NULL));
    (void)tip;
    for (int32_t k = 0; k < mus_world_get_response_count(world); k++)
        if (mus_response_has_callback(world, mus_world_get_response(world, k)))
            must(mus_response_set_callback(world, mus_world_get_response(world, k), half, NULL));
}

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

static void goes_on_the_same(const options *o, int before) {
    uint64_t whole[AFTER], again[AFTER];
    mus_world *world = make(o);
    play(world, before);
    uint64_t at = everything(world);
    mus_snapshot *snapshot;
    must(mus_snapshot_create(world, &snapshot));
    assert_int_equal(everything(world), at);
    record(world, whole);
    int64_t contacts;
    mus_world_get_contacts(world, &contacts);
    assert_true(contacts > 10);

    must(mus_snapshot_restore(snapshot, world)); /* back in the same world */
    assert_int_equal(everything(world), at);
    record(world, again);
    assert_memory_equal(whole, again, sizeof whole);

    options other = *o; /* a twin, with another number of threads */
    other.threads = 3;
    mus_world *twin = make(&other);
    play(twin, 7);
    must(mus_snapshot_restore(snapshot, twin));
    assert_int_equal(everything(twin), at);
    record(twin, again);
    assert_memory_equal(whole, again, sizeof whole);

    mus_snapshot_destroy(snapshot);
    mus_world_destroy(world);
    mus_world_destroy(twin);
}

static void test_goes_on(void **state) {
    (void)state;
    goes_on_the_same(&plain, BEFORE);
    goes_on_the_same(&plain, 0);
    options o = plain;
    o.integrator = "semi_implicit_euler", o.broad = "brute";
    goes_on_the_same(&o, 12);
}

/* Gravity, wind and pins that changed after the start are state, too. */
static void test_changes_on_the_way(void **state) {
    (void)state;
    uint64_t whole[AFTER], again[AFTER];
    mus_world *world = make(&plain), *twin = make(&plain);
    play(world, 10);
    mus_cloth_id low = mus_world_get_cloth(world, 0);
    const int32_t few[] = {30, 31};
    must(mus_cloth_pin(world, low, few, 2));
    must(mus_cloth_unpin(world, low, (const int32_t[]){0}, 1));
    must(mus_world_set_gravity(world, (const double[]){1, -5, 0}));
    must(mus_world_set_wind(world, (const double[]){0, 0, 3}));
    mus_snapshot *snapshot;
    must(mus_snapshot_create(world, &snapshot));
    record(world, whole);
    must(mus_snapshot_restore(snapshot, twin));
    assert_true(mus_cloth_is_pinned(twin, mus_world_get_cloth(twin, 0), 30));
    assert_false(mus_cloth_is_pinned(twin, mus_world_get_cloth(twin, 0), 0));
    record(twin, again);
    assert_memory_equal(whole, again, sizeof whole);
    mus_snapshot_destroy(snapshot);
    mus_world_destroy(world);
    mus_world_destroy(twin);
}

/* ---- A file alone ------------------------------------------------------------------------------------------------ */

static char path[64];

static void test_new_world(void **state) { /* *state: of membranes */
    uint64_t whole[AFTER], again[AFTER];
    options o = plain;
    o.functions = false, o.membrane = *state != NULL;
    mus_world *world = make(&o), *made;
    play(world, BEFORE);
    must(mus_world_save(world, path));
    uint64_t at = everything(world);
    record(world, whole);
    must(mus_world_load(path, &made));
    assert_int_equal(everything(made), at);
    assert_string_equal(mus_cloth_get_name(made, mus_world_get_cloth(made, 1)), "high");
    assert_int_equal(mus_cloth_get_grid_nodes(made, mus_world_get_cloth(made, 1))[0], 9);
    record(made, again);
    assert_memory_equal(whole, again, sizeof whole);
    must(mus_world_restore(made, path)); /* and it is a world like any other */
    assert_int_equal(everything(made), at);
    mus_world_destroy(world);
    mus_world_destroy(made);
}

static void test_functions_are_requested(void **state) {
    (void)state;
    uint64_t whole[AFTER], again[AFTER];
    mus_world *world = make(&plain), *made;
    const int32_t tip[] = {4};
    play(world, BEFORE);
    must(mus_cloth_unpin(world, mus_world_get_cloth(world, 1), tip, 1));
    must(mus_world_save(world, path));
    uint64_t at = everything(world);
    record(world, whole);
    must(mus_world_load(path, &made));
    assert_int_equal(everything(made), at);
    must_be(MUS_STATUS_INVALID, mus_world_step(made));
    assert_non_null(strstr(mus_get_error_message(), "callbacks"));
    set_callbacks(made);
    must_be(MUS_STATUS_INVALID, mus_world_step(made));
    assert_non_null(strstr(mus_get_error_message(), "a function moved it"));
    must(mus_obstacle_set_motion(made, mus_world_get_obstacle(made, 1), swing, NULL));
    must_be(MUS_STATUS_INVALID, mus_world_step(made));
    assert_non_null(strstr(mus_get_error_message(), "response 'half'"));
    hand_in(made);
    assert_int_equal(everything(made), at);
    record(made, again);
    assert_memory_equal(whole, again, sizeof whole);
    mus_world_destroy(made);
    mus_world_destroy(world);

    world = make(&plain);
    play(world, 3);
    must(mus_world_save(world, path));
    must(mus_world_load(path, &made));
    hand_in(made);
    must_be(MUS_STATUS_INVALID, mus_world_step(made));
    assert_non_null(strstr(mus_get_error_message(), "cloth 'high': vertex 5 followed a path"));
    must(mus_cloth_pin_to_path(made, mus_world_get_cloth(made, 1), tip, 1, lift, NULL));
    must(mus_world_step(made));
    mus_world_destroy(world);
    mus_world_destroy(made);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void refused(const mus_snapshot *snapshot, const options *o, const char *word) {
    mus_world *other = make(o);
    play(other, 4);
    uint64_t before = everything(other), next[2][3];
    must_be(MUS_STATUS_INVALID, mus_snapshot_restore(snapshot, other));
    if (!strstr(mus_get_error_message(), word)) fail_msg("'%s' is not in: %s", word, mus_get_error_message());
    assert_int_equal(everything(other), before);
    mus_world *twin = make(o);
    play(twin, 4);
    for (int k = 0; k < 3; k++) {
        play(other, 1);
        play(twin, 1);
        next[0][k] = everything(other), next[1][k] = everything(twin);
    }
    assert_memory_equal(next[0], next[1], sizeof next[0]);
    mus_world_destroy(other);
    mus_world_destroy(twin);
}

static void test_other_scenes(void **state) {
    (void)state;
    mus_world *world = make(&plain);
    mus_snapshot *snapshot;
    play(world, BEFORE);
    must(mus_snapshot_create(world, &snapshot));
    options o = plain;
    o.nodes = 13;
    refused(snapshot, &o, "cloth 'low': the grid's nodes (number 1) is 12 in the snapshot and 13 here");
    o = plain, o.stretch = 501;
    refused(snapshot, &o, "cloth 'low': stretch is 500 in the snapshot and 501 here");
    o = plain, o.more = true;
    refused(snapshot, &o, "the number of obstacles is 3 in the snapshot and 4 here");
    o = plain, o.broad = "brute";
    refused(snapshot, &o, "the pipeline's 'broad' is 'box_tree' in the snapshot and 'brute' here");
    o = plain, o.functions = false;
    refused(snapshot, &o, "whether a function moves it");
    mus_snapshot_destroy(snapshot);

    /* What is found only after the state was read is undone as well. */
    mus_world *other = make(&plain);
    must(mus_obstacle_set_motion(other, mus_world_get_obstacle(other, 1), NULL, NULL));
    must(mus_world_save(world, path));
    mus_world_destroy(other);
    other = make(&plain);
    play(other, 2);
    const int32_t late[] = {7};
    must(mus_cloth_pin_to_path(world, mus_world_get_cloth(world, 1), late, 1, lift, NULL));
    must(mus_world_save(world, path));
    uint64_t before = everything(other);
    must_be(MUS_STATUS_INVALID, mus_world_restore(other, path));
    assert_non_null(strstr(mus_get_error_message(), "vertex 8 follows a path"));
    assert_int_equal(everything(other), before);
    assert_true(mus_cloth_is_pinned(other, mus_world_get_cloth(other, 1), 4));
    mus_world_destroy(other);
    mus_world_destroy(world);
}

static mus_status save_within(mus_world *world, double t, void *user) {
    (void)t, (void)user;
    return mus_world_save(world, path);
}

static void test_within_a_step(void **state) {
    (void)state;
    options o = plain;
    o.functions = false;
    mus_world *world = make(&o);
    mus_world_set_callbacks(world, &(mus_callbacks){mus_callbacks_default().cookie, .after_step = save_within});
    must_be(MUS_STATUS_LOCKED, mus_world_step(world));
    mus_world_destroy(world);
}

static uint8_t *slurp(size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void spill(const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void must_refuse(mus_world *world, const char *word) {
    uint64_t before = everything(world);
    mus_world *made = NULL;
    must_be(MUS_STATUS_FORMAT, mus_world_restore(world, path));
    if (!strstr(mus_get_error_message(), word)) fail_msg("'%s' is not in: %s", word, mus_get_error_message());
    must_be(MUS_STATUS_FORMAT, mus_world_load(path, &made));
    assert_null(made);
    assert_int_equal(everything(world), before);
}

static void test_damage(void **state) {
    (void)state;
    size_t size;
    mus_rng rng = mus_rng_make(11, 0);
    options o = plain;
    o.functions = false;
    mus_world *world = make(&o), *made;
    play(world, 6);
    must(mus_world_save(world, path));
    uint8_t *bytes = slurp(&size);
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 1 + mus_rng_below(&rng, size / 16)) {
        spill(bytes, cut);
        must_refuse(world, cut < 8 ? "is not a muslin snapshot" : "truncated");
    }
    for (int k = 0; k < 300; k++) {
        size_t at = k < 40 ? (size_t)k : (size_t)mus_rng_below(&rng, size);
        uint8_t bit = (uint8_t)(1u << mus_rng_below(&rng, 8));
        bytes[at] ^= bit;
        spill(bytes, size);
        must_refuse(world, "snapshot");
        bytes[at] ^= bit;
    }
    spill((const uint8_t *)"v 0 0 0\nv 1 0 0\n", 16);
    must_refuse(world, "is not a muslin snapshot");
    uint8_t version = bytes[8];
    bytes[8] = (uint8_t)(version + 70);
    spill(bytes, size);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "of version %d;", version + 70);
    must_refuse(world, wanted);
    bytes[8] = version;

    /* A checksum that fits what was damaged before it: refused or read, but nothing breaks. */
    int read = 0;
    for (int k = 0; k < 300; k++) {
        size_t at = 24 + (size_t)mus_rng_below(&rng, k % 2 ? 4000 : size - 32);
        uint8_t old = bytes[at], sum[8];
        bytes[at] = (uint8_t)mus_rng_below(&rng, 256);
        uint64_t hash = mus_hash_bytes(bytes, size - 8);
        for (int b = 0; b < 8; b++) sum[b] = (uint8_t)(hash >> 8 * b);
        memcpy(bytes + size - 8, sum, 8);
        spill(bytes, size);
        if (mus_world_load(path, &made) == MUS_STATUS_OK) {
            read += mus_world_validate(made) != MUS_STATUS_NO_MEMORY;
        }
        mus_world_destroy(made);
        bytes[at] = old;
    }
    assert_true(read > 100);
    must_be(MUS_STATUS_NOT_FOUND, mus_world_load("/nowhere/at/all", &made));
    must_be(MUS_STATUS_NOT_FOUND, mus_world_save(world, "/nowhere/at/all"));
    free(bytes);
    mus_world_destroy(world);
}

/* ---- Memory runs out --------------------------------------------------------------------------------------------- */

static void test_no_memory(void **state) {
    (void)state;
    scarce memory = {0};
    mus_set_allocator(scarce_alloc, &memory);
    options o = plain;
    o.functions = false, o.nodes = 12;
    mus_world *world = make(&o), *twin = make(&o), *made;
    play(world, BEFORE);
    play(twin, 3);
    uint64_t at = everything(world), other = everything(twin);
    must(mus_world_save(world, path));
    for (int what = 0; what < 3; what++) {
        int failures = 0;
        for (int64_t n = 1;; n++) {
            int64_t before = memory.bytes;
            made = NULL;
            memory.count = 0, memory.fail_at = n;
            mus_status status = what == 0   ? mus_world_save(world, path)
                                : what == 1 ? mus_world_load(path, &made)
                                            : mus_world_restore(twin, path);
            memory.fail_at = 0;
            if (status == MUS_STATUS_OK) break;
            assert_int_equal(status, MUS_STATUS_NO_MEMORY);
            assert_null(made);
            assert_int_equal(memory.bytes, before);
            assert_int_equal(everything(world), at);
            assert_int_equal(everything(twin), other);
            failures++;
        }
        assert_true(failures > 5);
        mus_world_destroy(made);
    }
    assert_int_equal(everything(twin), at);
    mus_world_destroy(world);
    mus_world_destroy(twin);
    assert_int_equal(memory.bytes, 0);
    mus_set_allocator(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_changes_on_the_way),
        cmocka_unit_test(test_new_world),
        cmocka_unit_test_prestate(test_new_world, path),
        cmocka_unit_test(test_functions_are_requested),
        cmocka_unit_test(test_other_scenes),
        cmocka_unit_test(test_within_a_step),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_no_memory),
    };
    snprintf(path, sizeof path, "/tmp/muslin-snapshot-%ld", (long)getpid());
    int failed = cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
    remove(path);
    return failed;
}
