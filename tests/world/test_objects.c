/* test_objects.c: objects by handle and by name: what is found, handles of removed objects, the sides of contacts,
 * findings, settings of pairs. */
#include "scene.h"

static void refused(mus_status wanted, mus_status got, const char *word) {
    assert_int_equal(got, wanted);
    if (!strstr(mus_get_error_message(), word)) fail_msg("'%s' is not in: %s", word, mus_get_error_message());
}

static mus_object_id add_sheet(mus_world *world, const char *name, int nodes, v3 at, double speed, bool pinned) {
    mus_cloth_def def = mus_cloth_def_default();
    def.name = name, def.thickness = 4e-3, def.velocity[1] = -speed;
    mus_cloth_id id = add_cloth(world, grid_mesh(nodes, nodes, 0.2, 0.2, "xz", at), def);
    int32_t corners[4] = {0, nodes - 1, nodes * (nodes - 1), nodes * nodes - 1};
    if (pinned) must(mus_cloth_pin(world, id, corners, 4));
    return mus_object_from_cloth(id);
}

/* Of a speed > 0: a rigid body, which falls. */
static mus_object_id add_solid(mus_world *world, const char *name, mus_shape shape, v3 at, double speed) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.name = name, def.shape = shape, def.radius = 0.1;
    if (shape == MUS_SHAPE_BOX) def.size[0] = def.size[1] = def.size[2] = 0.2;
    if (speed > 0) def.dynamic = true, def.mass = 0.1, def.velocity[1] = -speed, def.thickness = 4e-3;
    v3_store(def.pose.position, at);
    return mus_object_from_obstacle(add_body(world, def));
}

/* A pair of each kind at every meter of the x axis. With `gone`, others were there before: slots and order differ. */
static mus_world *pairs_world(mus_pipeline stages, bool gone) {
    mus_world_def def = still_air(1.0 / 240, 9.81);
    def.pipeline = stages;
    mus_world *world = world_of(def);
    mus_object_id sheet = {0}, solid = {0};
    if (gone) sheet = add_sheet(world, "gone", 3, v3_make(9, 1, 0), 0, false);
    if (gone) solid = add_solid(world, "gone too", MUS_SHAPE_BOX, v3_make(9, 0, 0), 0);
    add_sheet(world, "lower", 6, v3_make(0, 0, 0), 0, true);
    add_sheet(world, "upper", 5, v3_make(0.003, 0.006, 0.002), 1, false);
    add_sheet(world, "sheet", 7, v3_make(1, 0.108, 0), 1, false);
    add_solid(world, "ball", MUS_SHAPE_SPHERE, v3_make(1, 0, 0), 0);
    if (gone) must(mus_cloth_destroy(world, mus_object_to_cloth(sheet)));
    if (gone) must(mus_obstacle_destroy(world, mus_object_to_obstacle(solid)));
    add_sheet(world, "net", 8, v3_make(2, 0, 0), 0, true);
    add_solid(world, "stone", MUS_SHAPE_SPHERE, v3_make(2, 0.108, 0), 1);
    add_solid(world, "slab", MUS_SHAPE_BOX, v3_make(3, 0, 0), 0);
    add_solid(world, "die", MUS_SHAPE_BOX, v3_make(3, 0.206, 0), 1);
    add_sheet(world, "mat", 4, v3_make(4, -0.994, 0), 1, false);
    add_solid(world, "floor", MUS_SHAPE_PLANE, v3_make(0, -1, 0), 0);
    return world;
}

static const mus_pipeline robust = STAGES_ROBUST, offset = STAGES_OFFSET;

/* ---- handles and names ---- */

static void objects_are_found_by_name(void **state) {
    (void)state;
    mus_world *world = pairs_world(robust, true);
    static const char *const names[] = {"lower", "upper", "sheet", "net", "mat",
                                        "ball",  "stone", "slab",  "die", "floor"};
    for (int k = 0; k < 10; k++) {
        mus_object_id id = named(world, names[k]);
        assert_int_equal(id.kind, k < 5 ? MUS_OBJECT_CLOTH : MUS_OBJECT_OBSTACLE);
        assert_true(mus_object_is_valid(world, id));
        assert_string_equal(mus_object_get_name(world, id), names[k]);
        assert_int_equal(mus_object_get_order(world, id), k % 5);
        mus_cloth_id cloth = mus_object_to_cloth(id);
        mus_obstacle_id obstacle = mus_object_to_obstacle(id);
        assert_int_equal(mus_cloth_is_valid(world, cloth), k < 5);
        assert_int_equal(mus_obstacle_is_valid(world, obstacle), k >= 5);
        assert_string_equal(k < 5 ? mus_cloth_get_name(world, cloth) : mus_obstacle_get_name(world, obstacle),
                            names[k]);
        for (int j = 0; j < 10; j++) assert_int_equal(mus_object_is_same(id, named(world, names[j])), j == k);
    }
    mus_world_destroy(world);
}

static void unknown_names_are_refused_with_the_nearest(void **state) {
    (void)state;
    mus_world *world = pairs_world(robust, true);
    mus_object_id id = named(world, "net");
    refused(MUS_STATUS_NOT_FOUND, mus_world_find_object(world, "stoen", &id),
            "no cloth or obstacle is named 'stoen' (did you mean 'stone'?)");
    assert_true(mus_object_is_same(id, mus_object_none()));
    refused(MUS_STATUS_NOT_FOUND, mus_world_find_object(world, "gone", &id), "'gone'"); /* it was removed */
    refused(MUS_STATUS_NOT_FOUND, mus_world_find_object(world, NULL, &id), "'(none)'");
    mus_world_destroy(world);
}

/* The slot of a removed object is used again: a handle of before must not name the new one. */
static void handles_of_removed_objects_are_stale(void **state) {
    (void)state;
    mus_world *world = pairs_world(robust, false);
    mus_object_id net = named(world, "net"), die = named(world, "die"), mat = named(world, "mat");
    assert_int_equal(mus_object_get_order(world, mat), 4);
    must(mus_cloth_destroy(world, mus_object_to_cloth(net)));
    must(mus_obstacle_destroy(world, mus_object_to_obstacle(die)));
    assert_int_equal(mus_object_get_order(world, mat), 3);
    mus_object_id again[2] = {add_sheet(world, "net", 8, v3_make(2, 0, 0), 0, true),
                              add_solid(world, "die", MUS_SHAPE_BOX, v3_make(3, 0.206, 0), 1)},
                  before[2] = {net, die};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(again[k].index, before[k].index);
        assert_false(mus_object_is_same(again[k], before[k]));
        assert_true(mus_object_is_valid(world, again[k]));
        assert_int_equal(mus_object_get_order(world, again[k]), 4);
        assert_false(mus_object_is_valid(world, before[k]));
        assert_int_equal(mus_object_get_order(world, before[k]), -1);
        assert_null(mus_object_get_name(world, before[k]));
        assert_non_null(strstr(mus_get_error_message(), "was removed"));
    }
    mus_object_id none = mus_object_none();
    assert_false(mus_object_is_valid(world, none));
    assert_int_equal(mus_object_get_order(world, none), -1);
    assert_null(mus_object_get_name(world, none));
    assert_non_null(strstr(mus_get_error_message(), "of none"));
    mus_world_destroy(world);
}

/* ---- contacts ---- */

/* The objects of a pair by place; the first is above the second, and side 1 where only it is cloth. */
static const char *const pair[5][2] = {
    {"upper", "lower"}, {"sheet", "ball"}, {"net", "stone"}, {"die", "slab"}, {"mat", "floor"}};

static void check_sides(const mus_world *world, int64_t seen[5]) {
    int64_t count;
    const mus_contact *all = mus_world_get_contacts(world, &count);
    for (const mus_contact *c = all; c < all + count; c++) {
        int at = (int)lround(c->point[0][0]);
        assert_in_range(at, 0, 4);
        /* normals are from side 2 to side 1: up where that is the upper of two alike */
        bool alike = at == 0 || at == 3;
        int upper = alike && c->normal[1] < 0;
        assert_string_equal(mus_object_get_name(world, c->object[upper]), pair[at][0]);
        assert_string_equal(mus_object_get_name(world, c->object[!upper]), pair[at][1]);
        assert_int_equal(c->object[0].kind, at == 3 ? MUS_OBJECT_OBSTACLE : MUS_OBJECT_CLOTH);
        assert_int_equal(c->object[1].kind, at == 0 ? MUS_OBJECT_CLOTH : MUS_OBJECT_OBSTACLE);
        seen[at]++;
    }
}

static mus_status look(mus_world *world, double t, void *user) {
    (void)t;
    check_sides(world, user);
    return MUS_STATUS_OK;
}

static mus_status no_impulse(void *user, const mus_contact *c, double impulse[2][3]) {
    int64_t *called = user;
    impulse[0][0] = impulse[0][1] = impulse[0][2] = 0;
    called[lround(c->point[0][0])] += c->object[0].generation > 0 && c->object[1].generation > 0;
    return MUS_STATUS_OK;
}

static void contacts_name_the_objects_of_their_sides(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        mus_world *world = pairs_world(k < 2 ? robust : offset, k % 2);
        int64_t after[5] = {0}, within[5] = {0};
        mus_callbacks hooks = {mus_callbacks_default().cookie, .user = within, .contacts = look};
        must(mus_world_set_callbacks(world, &hooks));
        for (int step = 0; step < 8; step++) {
            must(mus_world_step(world));
            check_sides(world, after);
        }
        for (int at = 0; at < 5; at++)
            if (!after[at] || !within[at]) fail_msg("%s and %s do not meet", pair[at][0], pair[at][1]);
        mus_world_destroy(world);
    }
}

static void rules_are_given_the_objects(void **state) {
    (void)state;
    mus_world *world = pairs_world(robust, true);
    int64_t called[5] = {0};
    mus_response_def rule = mus_response_def_default();
    mus_response_id id;
    rule.callback = no_impulse, rule.user = called;
    must(mus_response_create(world, &rule, &id));
    steps(world, 8);
    assert_true(called[0] && called[1] && called[2] && called[4]);
    mus_world_destroy(world);
}

/* Contacts of a snapshot name the objects of the world that it is restored to, in whatever slots these are. */
static void restored_contacts_name_objects_of_their_world(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mus_world *world = pairs_world(robust, k == 0), *other = pairs_world(robust, k == 1), *loaded;
        mus_snapshot *snapshot;
        steps(world, 8);
        must(mus_snapshot_create(world, &snapshot));
        must(mus_snapshot_restore(snapshot, other));
        must(mus_world_create_from_snapshot(snapshot, &loaded));
        int64_t count[3][5] = {{0}};
        check_sides(world, count[0]);
        check_sides(other, count[1]);
        check_sides(loaded, count[2]);
        for (int at = 0; at < 5; at++) {
            assert_true(count[0][at] > 0);
            assert_int_equal(count[0][at], count[1][at]);
            assert_int_equal(count[0][at], count[2][at]);
        }
        mus_snapshot_destroy(snapshot);
        mus_world_destroy(world), mus_world_destroy(other), mus_world_destroy(loaded);
    }
}

/* ---- findings ---- */

/* Puts every cloth across or into its partner, and a rigid body into the slab. */
static void overlap_pairs(mus_world *world) {
    static const struct {
        const char *name;
        double y;
    } to[] = {{"sheet", 0.05}, {"net", 0.05}, {"mat", -1.01}};
    for (int k = 0; k < 3; k++) {
        mus_cloth_id id = mus_object_to_cloth(named(world, to[k].name));
        for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
            mus_cloth_get_positions(world, id)[3 * i + 1] = to[k].y;
    }
    mus_cloth_id upper = mus_object_to_cloth(named(world, "upper"));
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, upper); i++) {
        double *x = mus_cloth_get_positions(world, upper) + 3 * i;
        x[1] = x[0] > 0 ? 0.02 : -0.02;
    }
    add_solid(world, "pebble", MUS_SHAPE_SPHERE, v3_make(3, 0, 0.15), 1);
}

static void findings_name_their_objects(void **state) {
    (void)state;
    static const char *const first[5] = {"lower", "sheet", "net", "pebble", "mat"}, *const second[5] = {"upper", "ball",
                                                                                                        "stone", "slab",
                                                                                                        "floor"};
    for (int gone = 0; gone < 2; gone++) {
        mus_world *world = pairs_world(robust, gone);
        overlap_pairs(world);
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        int64_t seen[5] = {0};
        for (const mus_audit_finding *f = report.findings; f < report.findings + report.finding_count; f++) {
            int at = 3;
            mus_cloth_id cloth = mus_object_to_cloth(f->object[0]);
            if (mus_cloth_is_valid(world, cloth)) {
                bool vertex = f->kind == MUS_AUDIT_INSIDE && f->face[1] == -1;
                int32_t i = vertex ? f->face[0] : mus_cloth_get_faces(world, cloth)[3 * f->face[0]];
                at = (int)lround(mus_cloth_get_positions(world, cloth)[3 * i]);
            }
            assert_string_equal(mus_object_get_name(world, f->object[0]), first[at]);
            assert_string_equal(mus_object_get_name(world, f->object[1]), second[at]);
            assert_true(f->part[0] == -1 && f->part[1] == -1);
            seen[at]++;
        }
        for (int at = 0; at < 5; at++)
            if (!seen[at]) fail_msg("%s and %s do not overlap", first[at], second[at]);
        mus_audit_report_destroy(&report);
        mus_world_destroy(world);
    }
}

/* ---- settings of pairs ---- */

static mus_status one(void *user, const mus_contact *c, const mus_contact_surface *surface, double *value) {
    (void)user, (void)c, (void)surface;
    *value = 1;
    return MUS_STATUS_OK;
}

static mus_status respond(mus_world *world, mus_object_id a, mus_object_id b, double friction) {
    mus_response_def def = mus_response_def_default();
    mus_response_id id;
    def.friction = friction, def.between[0] = a, def.between[1] = b;
    return mus_response_create(world, &def, &id);
}

/* Every setting of this pair is refused, and nothing is stored. */
static void refuse_pair(mus_world *world, mus_object_id a, mus_object_id b, mus_status status, const char *why) {
    const mus_coefficient friction = MUS_COEFFICIENT_FRICTION;
    char text[96];
    mus_snapshot *snapshot;
    must(mus_snapshot_create(world, &snapshot));
    snprintf(text, sizeof text, "ignore: %s", why);
    refused(status, mus_world_ignore_pair(world, a, b), text);
    snprintf(text, sizeof text, "between: %s", why);
    refused(status, mus_world_set_overlap(world, a, b, MUS_OVERLAP_ALLOW), text);
    if (b.kind != MUS_OBJECT_NONE) { /* that is any object */
        refused(status, mus_world_set_coefficient(world, a, b, friction, 0.1), text);
        refused(status, mus_world_set_contact_law(world, a, b, friction, one, NULL, NULL), text);
        refused(status, respond(world, a, b, 0.1), "response: field 'between'");
    }
    must(mus_snapshot_compare(snapshot, world));
    mus_snapshot_destroy(snapshot);
}

static void settings_of_removed_objects_are_refused(void **state) {
    (void)state;
    mus_world *world = pairs_world(robust, false);
    mus_object_id mat = named(world, "mat"), none = mus_object_none();
    mus_object_id before[2] = {named(world, "net"), named(world, "die")};
    must(mus_cloth_destroy(world, mus_object_to_cloth(before[0])));
    must(mus_obstacle_destroy(world, mus_object_to_obstacle(before[1])));
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < 2; k++) {
            refuse_pair(world, before[k], mat, MUS_STATUS_STALE, "the object was removed from its world");
            refuse_pair(world, mat, before[k], MUS_STATUS_STALE, "the object was removed from its world");
        }
        if (again) break;
        add_sheet(world, "net", 8, v3_make(2, 0, 0), 0, true); /* in the same slots */
        add_solid(world, "die", MUS_SHAPE_BOX, v3_make(3, 0.206, 0), 1);
    }
    refuse_pair(world, none, mat, MUS_STATUS_INVALID, "give a cloth or an obstacle");
    refuse_pair(world, mat, none, MUS_STATUS_INVALID, "give a cloth or an obstacle");
    mus_object_id odd = {(mus_object_kind)7, mat.index, mat.generation};
    refuse_pair(world, mat, odd, MUS_STATUS_INVALID, "give a cloth or an obstacle");
    mus_world_destroy(world);
}

/* Cloth is removed, and created again in another slot: settings apply to it under its old name, not under another. */
static void settings_outlive_their_objects(void **state) {
    (void)state;
    for (int other = 0; other < 2; other++) {
        mus_world *world = pairs_world(robust, false);
        mus_object_id upper = named(world, "upper"), sheet = named(world, "sheet"), mat = named(world, "mat"),
                      net = named(world, "net"), none = mus_object_none();
        must(mus_world_ignore_pair(world, upper, named(world, "lower")));
        must(mus_world_set_coefficient(world, sheet, named(world, "ball"), MUS_COEFFICIENT_FRICTION, 0.77));
        must(mus_world_set_contact_law(world, net, none, MUS_COEFFICIENT_FRICTION, one, NULL, NULL));
        must(respond(world, mat, none, 0.66));
        mus_object_id all[4] = {sheet, upper, mat, net};
        for (int k = 0; k < 4; k++) must(mus_cloth_destroy(world, mus_object_to_cloth(all[k])));
        add_sheet(world, "in its slot", 3, v3_make(9, 0, 0), 0, false);
        add_sheet(world, other ? "sheet 2" : "sheet", 7, v3_make(1, 0.108, 0), 1, false);
        add_sheet(world, other ? "upper 2" : "upper", 5, v3_make(0.003, 0.006, 0.002), 1, false);
        add_sheet(world, other ? "mat 2" : "mat", 4, v3_make(4, -0.994, 0), 1, false);
        add_sheet(world, other ? "net 2" : "net", 8, v3_make(2, 0, 0), 0, true);
        const double friction[5] = {0.3, 0.77, 1, 0.3, 0.66};
        int64_t count, seen[5] = {0};
        for (int step = 0; step < 8; step++) {
            must(mus_world_step(world));
            const mus_contact *c = mus_world_get_contacts(world, &count);
            for (int64_t k = 0; k < count; k++, c++) {
                int at = (int)lround(c->point[0][0]);
                near(c->friction, other ? 0.3 : friction[at], 1e-15, pair[at][0]);
                seen[at]++;
            }
        }
        for (int at = 1; at < 5; at++) assert_true(seen[at] > 0);
        assert_int_equal(seen[0] > 0, other); /* else it does not collide */
        mus_world_destroy(world);
    }
}

static void overlap_settings_outlive_their_objects(void **state) {
    (void)state;
    for (int other = 0; other < 2; other++) {
        mus_world *world = pairs_world(robust, false);
        mus_object_id sheet = named(world, "sheet");
        must(mus_world_set_overlap(world, sheet, named(world, "ball"), MUS_OVERLAP_ALLOW));
        must(mus_cloth_destroy(world, mus_object_to_cloth(sheet)));
        add_sheet(world, other ? "sheet 2" : "sheet", 7, v3_make(1, 0.05, 0), 0, false);
        must_be(other ? MUS_STATUS_OVERLAP : MUS_STATUS_OK, mus_world_step(world));
        mus_start_report report;
        mus_world_get_start_report(world, &report);
        assert_int_equal(report.allowed, !other);
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_found_by_name),
        cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
        cmocka_unit_test(handles_of_removed_objects_are_stale),
        cmocka_unit_test(contacts_name_the_objects_of_their_sides),
        cmocka_unit_test(rules_are_given_the_objects),
        cmocka_unit_test(restored_contacts_name_objects_of_their_world),
        cmocka_unit_test(findings_name_their_objects),
        cmocka_unit_test(settings_of_removed_objects_are_refused),
        cmocka_unit_test(settings_outlive_their_objects),
        cmocka_unit_test(overlap_settings_outlive_their_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
