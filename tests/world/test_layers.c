/* test_layers.c: cloths in layers that start within one another, and untangling of random stacks with and without
 * them. The auditor decides whether surfaces cross; vertical lines decide which of two sheets is above. */
#include "../base/scarce.h"
#include "overlapping.h"

static mus_cloth_def layer_def(const char *name, int32_t layer) {
    mus_cloth_def def = mus_cloth_def_default();
    def.name = name, def.layer = layer;
    return def;
}

/* ---- random stacks ---- */

enum { STACKS = 200, SHEETS = 3 };
static const char *const sheet_names[SHEETS] = {"sheet1", "sheet2", "sheet3"};

/* A wavy, tilted sheet of 0.5 m, turned about the vertical. */
static mus_mesh *random_sheet(mus_rng *rng) {
    int nu = 7 + (int)mus_rng_below(rng, 8), nv = nu + 1;
    mus_mesh *mesh = grid_mesh(nu, nv, 0.5, 0.5, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_get_vertices(mesh), wave = mus_rng_between(rng, 0.002, 0.03);
    double pitch[2] = {mus_rng_between(rng, 5, 20), mus_rng_between(rng, 5, 20)}, phase[2], tilt[2];
    for (int k = 0; k < 2; k++) phase[k] = mus_rng_between(rng, 0, 6), tilt[k] = mus_rng_between(rng, -0.1, 0.1);
    double turn = mus_rng_between(rng, 0, 1.5), height = mus_rng_between(rng, -0.01, 0.01);
    double aside[2] = {mus_rng_between(rng, -0.05, 0.05), mus_rng_between(rng, -0.05, 0.05)};
    for (int32_t i = 0; i < nu * nv; i++) {
        double px = x[3 * i] + aside[0], pz = x[3 * i + 2] + aside[1];
        double u = mus_cos(turn) * px + mus_sin(turn) * pz, v = mus_cos(turn) * pz - mus_sin(turn) * px;
        double up = wave * mus_sin(pitch[0] * u + phase[0]) * mus_sin(pitch[1] * v + phase[1]);
        v3_store(x + 3 * i, v3_make(u, height + tilt[0] * u + tilt[1] * v + up, v));
    }
    return mesh;
}

static mus_world *random_stack(uint64_t number, bool layered, int32_t threads, mus_cloth_id id[SHEETS]) {
    mus_rng rng = mus_rng_make(11, number);
    mus_world *world = make_overlapping(layered ? MUS_OVERLAP_REFUSE : MUS_OVERLAP_UNTANGLE, threads);
    for (int k = 0; k < SHEETS; k++)
        id[k] = add_cloth(world, random_sheet(&rng), layer_def(sheet_names[k], layered ? k + 1 : 0));
    return world;
}

/* Height of the sheet over (x, z), if a face of it is there. */
static bool height_at(const double *vertices, const int32_t *faces, int32_t count, double x, double z, double *height) {
    for (int32_t f = 0; f < count; f++) {
        const double *a = vertices + 3 * faces[3 * f], *b = vertices + 3 * faces[3 * f + 1],
                     *c = vertices + 3 * faces[3 * f + 2];
        double d = (b[2] - c[2]) * (a[0] - c[0]) + (c[0] - b[0]) * (a[2] - c[2]);
        double u = ((b[2] - c[2]) * (x - c[0]) + (c[0] - b[0]) * (z - c[2])) / d,
               v = ((c[2] - a[2]) * (x - c[0]) + (a[0] - c[0]) * (z - c[2])) / d;
        if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
        *height = u * a[1] + v * b[1] + (1 - u - v) * c[1];
        return true;
    }
    return false;
}

/* Counts vertices of the upper cloth that are over the lower one, and those that are below it. */
static void count_below(mus_world *world, mus_cloth_id upper, mus_cloth_id lower, int *over, int *below) {
    const double *x = mus_cloth_get_positions(world, upper), *y = mus_cloth_get_positions(world, lower);
    const int32_t *faces = mus_cloth_get_faces(world, lower);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, upper); i++) {
        double height;
        if (!height_at(y, faces, mus_cloth_get_face_count(world, lower), x[3 * i], x[3 * i + 2], &height)) continue;
        ++*over, *below += x[3 * i + 1] <= height;
    }
}

static double longest_strain(mus_world *world, mus_cloth_id id) {
    const double *x = mus_cloth_get_positions(world, id), *rest = mus_cloth_get_rest_lengths(world, id);
    const int32_t *edges = mus_cloth_get_edges(world, id);
    double most = 0;
    for (int32_t e = 0; e < mus_cloth_get_edge_count(world, id); e++) {
        v3 d = v3_sub(v3_load(x + 3 * edges[2 * e]), v3_load(x + 3 * edges[2 * e + 1]));
        most = fmax(most, v3_length(d) / rest[e] - 1);
    }
    return most;
}

static void test_stacks(void **state) {
    (void)state;
    int resolved = 0, over = 0, below = 0;
    double largest = 0, strain = 0;
    for (uint64_t k = 0; k < STACKS; k++) {
        mus_cloth_id id[SHEETS];
        mus_world *world = random_stack(k, true, 0, id);
        uint64_t before = mus_world_get_hash(world);
        mus_status status = mus_world_validate(world);
        if (status == MUS_STATUS_OK) {
            mus_start_report report;
            mus_world_get_start_report(world, &report);
            must_be_clean(world);
            for (int i = 0; i < SHEETS; i++)
                for (int j = 0; j < i; j++) count_below(world, id[i], id[j], &over, &below);
            resolved++, largest = fmax(largest, report.largest);
            for (int i = 0; i < SHEETS; i++) strain = fmax(strain, longest_strain(world, id[i]));
            must(mus_world_step(world));
            must_be_clean(world);
        } else {
            print_message("# stack %d: %s\n", (int)k, mus_get_error_message());
            must_be_refused(world, status, "'sheet", before);
        }
        mus_world_destroy(world);
    }
    print_message("# %d of %d stacks in layers resolved; %d of %d vertices below an inner layer; moved by %.3g m and "
                  "stretched by %.3g at most\n",
                  resolved, STACKS, below, over, largest, strain);
    assert_int_equal(below, 0);
    assert_true(resolved == STACKS && over > 10000 && largest < 0.15 && strain < 0.2);
}

static void test_stacks_without_layers(void **state) {
    (void)state;
    int resolved = 0, tangled = 0;
    for (uint64_t k = 0; k < STACKS; k++) {
        mus_cloth_id id[SHEETS];
        mus_world *world = random_stack(k, false, 0, id);
        uint64_t before = mus_world_get_hash(world);
        mus_status status = mus_world_validate(world);
        if (status == MUS_STATUS_OK) {
            mus_start_report report;
            mus_world_get_start_report(world, &report);
            must_be_clean(world);
            resolved++, tangled += report.crossings > 0;
            assert_true(report.largest < 0.15 && report.misplaced == 0);
        } else {
            must_be_refused(world, status, "'sheet", before);
        }
        mus_world_destroy(world);
    }
    print_message("# %d of %d stacks without layers resolved, %d of them tangled\n", resolved, STACKS, tangled);
    assert_true(resolved >= STACKS * 9 / 10 && tangled > STACKS / 2);
}

/* ---- tubes ---- */

static mus_mesh *tube(double radius, int32_t segments) {
    mus_round_def def = mus_round_def_default();
    def.radius = radius, def.length = 0.3, def.segments = segments;
    mus_mesh *mesh = NULL;
    must(mus_mesh_create_tube(&def, &mesh));
    return mesh;
}

static double distance_to_axis(mus_world *world, mus_cloth_id id, bool least) {
    const double *x = mus_cloth_get_positions(world, id);
    double found = least ? INFINITY : 0;
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++) {
        double r = sqrt(x[3 * i] * x[3 * i] + x[3 * i + 2] * x[3 * i + 2]);
        found = least ? fmin(found, r) : fmax(found, r);
    }
    return found;
}

/* An outer tube within an inner one, which crosses nothing, ends around it; only the outer moves, unless it is pinned.
 */
static void test_tubes(void **state) {
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        mus_world *world = make_overlapping(MUS_OVERLAP_REFUSE, 0);
        mus_cloth_id inner = add_cloth(world, tube(0.1, 32), layer_def("inner", 1)),
                     outer = add_cloth(world, tube(0.09, 30), layer_def("outer", 2));
        int32_t all[4096], count = mus_cloth_get_vertex_count(world, outer);
        for (int32_t i = 0; i < count; i++) all[i] = i;
        if (pinned) must(mus_cloth_pin(world, outer, all, count));
        must(mus_world_validate(world));
        must_be_clean(world);
        double in = distance_to_axis(world, inner, false), out = distance_to_axis(world, outer, true);
        mus_start_report report;
        mus_world_get_start_report(world, &report);
        print_message("# %s: the inner tube within %.4f m, the outer one from %.4f m, in %d rounds\n",
                      pinned ? "the outer one pinned" : "free", in, out, (int)report.rounds);
        assert_true(in < out && report.crossings == 0 && report.misplaced == 0);
        if (pinned)
            assert_true(out > 0.0895 && distance_to_axis(world, outer, false) < 0.0905);
        else
            assert_true(in < 0.1000001 && distance_to_axis(world, inner, true) > 0.0999);
        mus_start_pair pair;
        assert_int_equal(mus_world_get_start_pair_count(world), 1);
        mus_world_get_start_pair(world, 0, &pair);
        assert_string_equal(pair.a, "inner");
        assert_string_equal(pair.b, "outer");
        assert_true(pair.moved == report.moved && pair.moved > 0 && pair.crossings == 0 && pair.inside == 0);
        assert_true(pair.largest == report.largest && pair.largest > 0.009 && pair.largest < 0.03);
        mus_world_destroy(world);
    }
}

/* Layers that are where they belong, or far away, do not move, nor do those of other settings. */
static void test_left_alone(void **state) {
    (void)state;
    static const double radius[] = {0.11, 0.03, 0.09, 0.09};
    for (int k = 0; k < 4; k++) { /* around it; far within it; the same layer; set for the pair */
        mus_world *world = make_overlapping(MUS_OVERLAP_REFUSE, 0);
        mus_cloth_id inner = add_cloth(world, tube(0.1, 32), layer_def("inner", 1)),
                     outer = add_cloth(world, tube(radius[k], 30), layer_def("outer", k == 2 ? 1 : 2));
        mus_object_id a = {MUS_OBJECT_CLOTH, inner.index, inner.generation},
                      b = {MUS_OBJECT_CLOTH, outer.index, outer.generation};
        if (k == 3) must(mus_world_set_overlap(world, a, b, MUS_OVERLAP_REFUSE));
        uint64_t before = mus_world_get_hash(world);
        must(mus_world_validate(world));
        assert_int_equal(before, mus_world_get_hash(world));
        assert_int_equal(mus_world_get_start_pair_count(world), 0);
        mus_start_pair pair;
        mus_world_get_start_pair(world, 0, &pair);
        assert_true(pair.a[0] == 0 && pair.b[0] == 0 && pair.moved == 0);
        mus_world_destroy(world);
    }
}

/* Faces in any orientation: that of the first face counts for its connected part. */
static void test_orientation(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int mixed = 0; mixed < 2; mixed++) {
        mus_world *world = make_overlapping(MUS_OVERLAP_REFUSE, 0);
        mus_mesh *mesh = tube(0.1, 32);
        if (mixed) {
            mus_mesh_def def = mus_mesh_def_default();
            int32_t count = mus_mesh_get_face_count(mesh);
            int32_t *faces = malloc(sizeof *faces * 3 * (size_t)count);
            memcpy(faces, mus_mesh_get_faces(mesh), sizeof *faces * 3 * (size_t)count);
            for (int32_t f = 2; f < count; f += 3) {
                int32_t c = faces[3 * f + 1];
                faces[3 * f + 1] = faces[3 * f + 2], faces[3 * f + 2] = c;
            }
            def.vertices = mus_mesh_get_vertices_const(mesh), def.faces = faces;
            def.vertex_count = mus_mesh_get_vertex_count(mesh), def.face_count = count;
            mus_mesh *turned = NULL;
            must(mus_mesh_create(&def, &turned));
            free(faces);
            mus_mesh_destroy(mesh);
            mesh = turned;
        }
        add_cloth(world, mesh, layer_def("inner", 1));
        mus_cloth_id outer = add_cloth(world, tube(0.09, 30), layer_def("outer", 2));
        must(mus_world_validate(world));
        must_be_clean(world);
        assert_true(distance_to_axis(world, outer, true) > 0.1);
        hash[mixed] = mus_world_get_hash(world);
        mus_world_destroy(world);
    }
    assert_int_equal(hash[0], hash[1]);
}

/* ---- bodies, snapshots, threads, bad input ---- */

/* Layers around a body, which start within it and in reverse order: the innermost ends outside of it. */
static void test_body(void **state) {
    (void)state;
    mus_world *world = make_overlapping(MUS_OVERLAP_UNTANGLE, 0);
    mus_obstacle_def body = mus_obstacle_def_default();
    mus_obstacle_id id;
    body.name = "body", body.shape = MUS_SHAPE_CAPSULE, body.radius = 0.098, body.length = 0.5;
    must(mus_obstacle_create(world, &body, &id));
    mus_cloth_id inner = add_cloth(world, tube(0.097, 40), layer_def("inner", 1)),
                 outer = add_cloth(world, tube(0.096, 36), layer_def("outer", 2));
    must(mus_world_validate(world));
    must_be_clean(world);
    assert_true(distance_to_axis(world, inner, true) > 0.098);
    assert_true(distance_to_axis(world, outer, true) > distance_to_axis(world, inner, true));
    int64_t inside = 0;
    for (int32_t k = 0; k < mus_world_get_start_pair_count(world); k++) {
        mus_start_pair pair;
        mus_world_get_start_pair(world, k, &pair);
        print_message("# '%s' and '%s': %d crossings, %d inside; %d moved, %.3g m at most\n", pair.a, pair.b,
                      (int)pair.crossings, (int)pair.inside, (int)pair.moved, pair.largest);
        inside += pair.inside;
    }
    mus_start_report report;
    mus_world_get_start_report(world, &report);
    assert_true(inside > 0 && inside == report.inside);
    mus_world_destroy(world);
}

static void test_snapshot(void **state) {
    (void)state;
    mus_cloth_id id[SHEETS];
    mus_world *world = random_stack(1, true, 0, id), *copy = NULL;
    mus_snapshot *both[2] = {NULL, NULL};
    must(mus_snapshot_create(world, &both[0]));
    must(mus_world_validate(world));
    must(mus_snapshot_create(world, &both[1]));
    uint64_t hash = mus_world_get_hash(world);
    int32_t count = mus_world_get_start_pair_count(world);
    assert_true(count >= 3);
    for (int k = 0; k < 2; k++) {
        must(mus_world_create_from_snapshot(both[k], &copy));
        assert_int_equal(mus_cloth_get_layer(copy, mus_world_get_cloth(copy, 2)), 3);
        assert_int_equal(mus_world_get_start_pair_count(copy), k ? count : 0);
        must(mus_world_validate(copy));
        assert_int_equal(mus_world_get_hash(copy), hash);
        for (int32_t p = 0; p < count; p++) {
            mus_start_pair one, two;
            mus_world_get_start_pair(world, p, &one);
            mus_world_get_start_pair(copy, p, &two);
            assert_string_equal(one.a, two.a);
            assert_string_equal(one.b, two.b);
            assert_true(one.crossings == two.crossings && one.inside == two.inside && one.moved == two.moved &&
                        one.largest == two.largest);
        }
        mus_world_destroy(copy);
    }
    must(mus_snapshot_restore(both[0], world));
    assert_int_equal(mus_world_get_start_pair_count(world), 0);
    must(mus_snapshot_restore(both[1], world));
    assert_int_equal(mus_world_get_start_pair_count(world), count);
    for (int k = 0; k < 2; k++) mus_snapshot_destroy(both[k]);
    mus_world_destroy(world);
}

/* From the k-th allocation on, none succeeds, for every k: the world stays as it was, its report included. */
static void restore_without_memory(mus_world *world, const mus_snapshot *snapshot) {
    uint64_t before = mus_world_get_hash(world);
    int32_t pairs = mus_world_get_start_pair_count(world);
    scarce books = {.lasting = true};
    int failures = 0;
    mus_status status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 1; k < 10000; k++) {
        books.count = 0, books.fail_at = k;
        mus_set_allocator(scarce_alloc, &books);
        status = mus_snapshot_restore(snapshot, world);
        mus_set_allocator(NULL, NULL);
        if (status == MUS_STATUS_OK) break;
        failures++;
        assert_int_equal(status, MUS_STATUS_NO_MEMORY);
        assert_int_equal(mus_world_get_hash(world), before);
        assert_int_equal(mus_world_get_start_pair_count(world), pairs);
    }
    print_message("# %d allocations of a restore refused\n", failures);
    assert_true(status == MUS_STATUS_OK && failures > 0);
}

static void test_restore_without_memory(void **state) {
    (void)state;
    mus_cloth_id id[SHEETS];
    mus_world *world = random_stack(1, true, 1, id);
    mus_snapshot *raw = NULL, *placed = NULL;
    must(mus_snapshot_create(world, &raw));
    must(mus_world_validate(world));
    must(mus_snapshot_create(world, &placed));
    int32_t pairs = mus_world_get_start_pair_count(world);
    restore_without_memory(world, raw);
    assert_int_equal(mus_world_get_start_pair_count(world), 0);
    restore_without_memory(world, placed);
    assert_true(mus_world_get_start_pair_count(world) == pairs && pairs >= 3);
    mus_snapshot_destroy(raw);
    mus_snapshot_destroy(placed);
    mus_world_destroy(world);
}

static void test_threads(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        mus_cloth_id id[SHEETS];
        mus_world *world = random_stack(5, true, k ? 4 : 1, id);
        must(mus_world_validate(world));
        hash[k] = mus_world_get_hash(world);
        mus_world_destroy(world);
    }
    assert_int_equal(hash[0], hash[1]);
}

static void test_bad(void **state) {
    (void)state;
    static const int32_t bad[] = {-1, MUS_LARGEST_LAYER + 1};
    for (int k = 0; k < 2; k++) {
        mus_world *world = make_overlapping(MUS_OVERLAP_REFUSE, 0);
        mus_cloth_def def = layer_def("sheet", bad[k]);
        mus_mesh *mesh = tube(0.1, 8);
        mus_cloth_id id;
        def.mesh = mesh;
        must_be(MUS_STATUS_INVALID, mus_cloth_create(world, &def, &id));
        assert_non_null(strstr(mus_get_error_message(), "field 'layer' must be within 0..1000"));
        assert_int_equal(mus_world_get_cloth_count(world), 0);
        mus_mesh_destroy(mesh);
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacks),      cmocka_unit_test(test_stacks_without_layers),
        cmocka_unit_test(test_tubes),       cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_orientation), cmocka_unit_test(test_body),
        cmocka_unit_test(test_snapshot),    cmocka_unit_test(test_restore_without_memory),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
