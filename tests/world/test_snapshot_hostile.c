/* test_snapshot_hostile.c: a snapshot is untrusted input: numbers, indices and counts that no world would have saved
 * are refused by section and field before anything is built, and whatever is taken can be stepped without harm. */
#include "scene.h"

static mus_world *make(const char *integrator, bool potential) {
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    def.threads = 1;
    if (potential) def.pipeline = (mus_pipeline)STAGES_NEWTON;
    if (integrator) def.pipeline.integrator = integrator;
    must(mus_world_create(&def, &world));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "sheet", cloth.thickness = 4e-3;
    mus_cloth_id sheet = add_cloth(world, grid_mesh(5, 5, 0.3, 0.3, "xz", v3_make(0, 0.107, 0)), cloth);
    cloth.name = "other";
    mus_cloth_id other = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 0.115, 0)), cloth);
    add_sphere(world, 0.0987, v3_make(0, 0, 0), 0.3);
    must(mus_cloth_pin(world, other, (const int32_t[]){0}, 1));
    mus_stitch stitch = {24, {8, 7}, 0.5};
    mus_seam_def seam = mus_seam_def_default();
    mus_seam_id id;
    seam.a = sheet, seam.b = other, seam.stitches = &stitch, seam.count = 1;
    must(mus_seam_create(world, &seam, &id));
    for (int k = 0; k < 4; k++) must(mus_world_step(world));
    return world;
}

/* A copy of the snapshot with some bytes of a section changed. */
static mus_snapshot *changed(mus_world *world, const char *section, size_t at, const void *bytes, size_t size) {
    mus_snapshot *snapshot;
    size_t whole;
    must(mus_snapshot_create(world, &snapshot));
    const uint8_t *data = mus_snapshot_get_attachment(snapshot, section, &whole);
    uint8_t *copy = malloc(whole);
    memcpy(copy, data, whole);
    if (at + size > whole) size = whole - at;
    memcpy(copy + at, bytes, size);
    must(mus_snapshot_set_attachment(snapshot, section, copy, whole));
    free(copy);
    return snapshot;
}

/* Where `bytes` stand in a section. */
static size_t place_of(mus_world *world, const char *section, const void *bytes, size_t size) {
    mus_snapshot *snapshot;
    size_t whole, at = 0;
    must(mus_snapshot_create(world, &snapshot));
    const uint8_t *data = mus_snapshot_get_attachment(snapshot, section, &whole);
    while (at + size <= whole && memcmp(data + at, bytes, size) != 0) at++;
    assert_true(at + size <= whole);
    mus_snapshot_destroy(snapshot);
    return at;
}

static void refused(mus_world *world, const char *section, size_t at, const void *bytes, size_t size,
                    const char *message) {
    mus_snapshot *snapshot = changed(world, section, at, bytes, size);
    mus_world *made;
    uint64_t before = mus_world_get_hash(world);
    must_be(MUS_STATUS_FORMAT, mus_world_create_from_snapshot(snapshot, &made));
    if (!strstr(mus_get_error_message(), message)) fail_msg("'%s' is not in: %s", message, mus_get_error_message());
    assert_null(made);
    if (strcmp(section, "structure") != 0) {
        must_be(MUS_STATUS_FORMAT, mus_snapshot_restore(snapshot, world));
        if (!strstr(mus_get_error_message(), message)) fail_msg("'%s' is not in: %s", message, mus_get_error_message());
    }
    assert_true(mus_world_get_hash(world) == before);
    mus_snapshot_destroy(snapshot);
}

/* The coarse solver sorts positions: a NaN made it write beyond its arrays. */
static void test_numbers(void **state) {
    (void)state;
    const double nan = NAN, far = 1e300, negative = -1;
    mus_world *world = make(NULL, true);
    mus_cloth_id sheet = mus_world_get_cloth(world, 0);
    size_t x = place_of(world, "state", mus_cloth_get_positions(world, sheet), 24);
    refused(world, "state", x + 8, &nan, 8,
            "snapshot: section 'state': cloth 'sheet': a position (number 2) must be from -1e+09 to 1e+09 (got not a "
            "number)");
    refused(world, "state", x + 16, &far, 8, "a position (number 3) must be from -1e+09 to 1e+09 (got 1e+300)");
    refused(world, "state", 0, &negative, 8, "section 'state': world: the time must be from 0 to 1e+30 (got -1)");
    size_t v = place_of(world, "state", mus_cloth_get_velocities(world, sheet), 24);
    refused(world, "state", v, &far, 8, "a velocity (number 1) must be from");
    size_t mass = place_of(world, "structure", mus_cloth_get_masses(world, sheet), 8);
    refused(world, "structure", mass, &negative, 8,
            "snapshot: section 'structure': cloth 'sheet': a vertex' mass (number 1) must be from");
    size_t rest = place_of(world, "structure", mus_cloth_get_rest_lengths(world, sheet), 8);
    refused(world, "structure", rest, &nan, 8, "an edge's length at rest (number 1) must be from");
    size_t weight = place_of(world, "state", mus_cloth_get_inverse_masses(world, sheet), 8);
    refused(world, "state", weight, &far, 8, "an inverse mass is neither that of the vertex nor that of its pin");
    mus_obstacle_def def;
    must(mus_obstacle_get_def(world, mus_world_get_obstacle(world, 0), &def));
    size_t radius = place_of(world, "structure", &def.radius, 8);
    refused(world, "structure", radius, &far, 8,
            "snapshot: section 'structure': obstacle 'obstacle1': obstacle: field 'radius' must be from");
    mus_world_destroy(world);
}

static void test_indices(void **state) {
    (void)state;
    const int32_t wild[2] = {INT32_MIN, INT32_MAX};
    mus_world *world = make(NULL, false);
    mus_cloth_id sheet = mus_world_get_cloth(world, 0);
    size_t faces = place_of(world, "structure", mus_cloth_get_faces(world, sheet), 24);
    for (int k = 0; k < 2; k++)
        refused(world, "structure", faces + 4, &wild[k], 4, "a face refers to a vertex that does not exist");
    const int32_t nodes[2] = {5, 5}, grids[3][2] = {{5, 6}, {INT32_MAX, 2}, {-5, -5}};
    size_t grid = place_of(world, "structure", nodes, 8);
    for (int k = 0; k < 3; k++)
        refused(world, "structure", grid, grids[k], 8, "the grid's nodes are not those of the mesh");
    const int32_t stitch[3] = {24, 8, 7};
    size_t at = place_of(world, "structure", stitch, 12);
    refused(world, "structure", at, &wild[1], 4, "a stitch refers to a vertex that does not exist");
    mus_world_destroy(world);
}

static const double numbers[] = {0, NAN, INFINITY, -1e300, 1e154, 1e9, 5e-324};
static const int64_t wholes[] = {-1, 1, 2, 255, INT32_MAX, INT32_MIN, INT64_MAX};

static void play(const mus_snapshot *snapshot, int *taken) {
    mus_world *made;
    mus_status status = mus_world_create_from_snapshot(snapshot, &made);
    if (status != MUS_STATUS_OK) {
        assert_true(status == MUS_STATUS_FORMAT || status == MUS_STATUS_INVALID || status == MUS_STATUS_NO_MEMORY);
        assert_true(mus_get_error_message()[0]);
        assert_null(made);
        return;
    }
    ++*taken;
    if (mus_world_step(made) == MUS_STATUS_OK) {
        mus_cloth_id id = mus_world_get_cloth(made, 0);
        for (int32_t i = 0; i < 3 * mus_cloth_get_vertex_count(made, id); i++)
            assert_true(fabs(mus_cloth_get_positions(made, id)[i]) <= MUS_LARGEST_LENGTH);
    }
    mus_world_destroy(made);
}

/* Anywhere in any section: numbers and counts that break things. Under the sanitizers this saw reads out of range,
 * before every field was looked at. */
static void test_anywhere(void **state) {
    (void)state;
    static const char *const sections[] = {"structure", "state", "solver"};
    mus_rng rng = mus_rng_make(7, 0);
    int taken = 0, count = 0;
    for (int potential = 0; potential < 2; potential++) {
        mus_world *world = make(NULL, potential != 0);
        for (int n = 0; n < 1500; n++, count++) {
            const char *section = sections[n % 3];
            mus_snapshot *snapshot;
            size_t whole;
            must(mus_snapshot_create(world, &snapshot));
            mus_snapshot_get_attachment(snapshot, section, &whole);
            mus_snapshot_destroy(snapshot);
            size_t at = mus_rng_below(&rng, (uint32_t)whole);
            uint32_t which = mus_rng_below(&rng, 7), width = 1U << mus_rng_below(&rng, 4);
            bool real = mus_rng_below(&rng, 2);
            snapshot = changed(world, section, at, real ? (const void *)&numbers[which] : (const void *)&wholes[which],
                               real ? 8 : width);
            play(snapshot, &taken);
            mus_snapshot_destroy(snapshot);
        }
        mus_world_destroy(world);
    }
    print_message("# %d of %d changed snapshots were taken\n", taken, count);
    assert_true(taken > 100 && taken < count);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* What was written a moment ago is put back as it was, even where it would not be taken from a file. */
static void test_back(void **state) {
    (void)state;
    const double negative = -1;
    mus_world *world = make(NULL, false);
    mus_snapshot *bad = changed(world, "state", 0, &negative, 8);
    mus_cloth_id sheet = mus_world_get_cloth(world, 0);
    mus_cloth_get_velocities(world, sheet)[4] = 1e200;
    uint64_t before = mus_world_get_hash(world);
    must_be(MUS_STATUS_FORMAT, mus_snapshot_restore(bad, world));
    assert_true(mus_world_get_hash(world) == before);
    mus_snapshot_destroy(bad);
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_indices),
                                       cmocka_unit_test(test_anywhere), cmocka_unit_test(test_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
