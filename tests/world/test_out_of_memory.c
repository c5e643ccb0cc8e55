/* test_out_of_memory.c: every allocation of a session failing once: NO_MEMORY, no crash, no leak, and a step that it
 * strikes leaves the state as it was. And a scene at rest allocates nothing. */
#include "../base/scarce.h"
#include "scene.h"

static mus_status rise(void *user, double t, mus_pose *pose) {
    (void)user;
    pose->position[0] = 0.1 * t;
    return MUS_STATUS_OK;
}
static mus_status pin_path(void *user, double t, int32_t vertex, double position[3]) {
    (void)user, (void)vertex;
    position[1] += 0.1 * t;
    return MUS_STATUS_OK;
}
static mus_status nothing(void *user, const mus_contact *contact, double impulse[2][3]) {
    (void)user, (void)contact;
    impulse[0][0] = impulse[0][1] = impulse[0][2] = 0;
    return MUS_STATUS_OK;
}
/* 300 (length - rest), N: made where memory never fails. */
static mus_program *law;
static void make_law(void) {
    mus_graph *g;
    must(mus_graph_create(&g));
    mus_node e = mus_graph_add_operation(g, MUS_OP_SUB, mus_graph_add_input(g, MUS_INPUT_LENGTH),
                                         mus_graph_add_input(g, MUS_INPUT_REST), -1);
    mus_node out = mus_graph_add_operation(g, MUS_OP_MUL, mus_graph_add_constant(g, 300), e, -1);
    must(mus_program_create(MUS_PROGRAM_SPRING, g, &out, 1, &law));
}

static mus_status even(void *user, const mus_contact *contact, const mus_contact_surface *surface, double *value) {
    (void)user, (void)contact;
    *value = 0.2 + surface->warp[0][0] * surface->warp[0][0];
    return MUS_STATUS_OK;
}
static mus_status look(mus_world *world, double t, void *user) {
    int64_t count;
    (void)t, (void)user;
    return mus_world_get_contacts(world, &count) ? MUS_STATUS_OK : mus_fail(MUS_STATUS_NO_MEMORY, "look: no memory");
}

#define try(call)                                                                                                      \
    if ((status = (call)) != MUS_STATUS_OK) goto end

/* Builds, steps, audits, changes and tears down. The first failure ends it. */
static mus_status session(const char *integrator, const char *rule, bool *stepping) {
    mus_world *world = NULL;
    mus_mesh *mesh = NULL, *ball = NULL;
    mus_status status;
    mus_world_def def = mus_world_def_default();
    def.threads = 1, def.dt = 1.0 / 120, def.sleep = true, def.pipeline.integrator = integrator;
    def.pipeline.response = rule;
    *stepping = false;
    try(mus_world_create(&def, &world));
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {5, 4}, .size = {0.2, 0.15}, .center = {0, 0.06, 0}};
    try(mus_mesh_create_grid(&grid, &mesh));
    mus_cloth_def cloth = mus_cloth_def_default();
    mus_cloth_id low, high;
    cloth.mesh = mesh;
    try(mus_cloth_create(world, &cloth, &low));
    for (int32_t i = 0; i < 20; i++) mus_mesh_get_vertices(mesh)[3 * i + 1] += 0.004;
    v3_store(cloth.velocity, v3_make(0, -2, 0));
    cloth.rest_from_uv = true, cloth.material.bend = 1;
    try(mus_cloth_create(world, &cloth, &high));
    try(mus_mesh_create_sphere(0.05, 1, (double[3]){0, 0, 0}, &ball));
    mus_obstacle_def obstacle = mus_obstacle_def_default();
    mus_obstacle_id ids[5];
    obstacle.mesh = ball, obstacle.name = "ball";
    try(mus_obstacle_create(world, &obstacle, &ids[0]));
    try(mus_obstacle_set_motion(world, ids[0], rise, NULL));
    mus_obstacle_def shape = mus_obstacle_def_default();
    shape.shape = MUS_SHAPE_PLANE;
    try(mus_obstacle_create(world, &shape, &ids[1]));
    shape.shape = MUS_SHAPE_CAPSULE, shape.radius = 0.01, shape.length = 0.1, shape.pose.position[0] = 1;
    try(mus_obstacle_create(world, &shape, &ids[2]));
    shape.shape = MUS_SHAPE_BOX, shape.size[0] = shape.size[1] = shape.size[2] = 0.1;
    shape.pose.position[0] = 2;
    try(mus_obstacle_create(world, &shape, &ids[3]));
    shape.shape = MUS_SHAPE_SPHERE, shape.radius = 0.02, shape.dynamic = true, shape.mass = 1;
    shape.pose.position[1] = 0.0701;
    try(mus_obstacle_create(world, &shape, &ids[4]));
    obstacle.name = "second", obstacle.pose.position[0] = 3;
    try(mus_obstacle_create(world, &obstacle, &ids[4]));
    double still[42 * 3];
    memcpy(still, mus_mesh_get_vertices(ball), sizeof still);
    mus_point_cache cache = {.positions = still, .vertex_count = 42, .frame_count = 1};
    mus_animation animation = {mus_animation_default().cookie, .cache = &cache, .interval = 0.1};
    try(mus_cloth_pin_to_obstacle(world, low, (int32_t[]){5}, 1, ids[4])); /* fastened to faces by the animation */
    try(mus_obstacle_set_animation(world, ids[4], &animation));
    try(mus_cloth_pin_to_obstacle(world, low, (int32_t[]){6}, 1, ids[4]));
    try(mus_cloth_pin_to_path(world, low, (int32_t[]){0}, 1, pin_path, NULL));
    try(mus_cloth_pin_to_obstacle(world, low, (int32_t[]){4}, 1, ids[0]));
    if (strcmp(integrator, "position_based") == 0)
        try(mus_cloth_pull(world, high, (int32_t[]){0, 1}, 2,
                           &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = 0.1}));
    const mus_object_id under = named(world, "cloth1"), over = named(world, "cloth2"), first = named(world, "ball"),
                        second = named(world, "second");
    try(mus_world_ignore_pair(world, under, second));
    try(mus_world_set_overlap(world, under, under, MUS_OVERLAP_UNTANGLE));
    mus_seam_def sewn = mus_seam_def_default();
    mus_seam_id seam;
    mus_stitch stitches[2] = {{3, {3, 4}, 0.5}, {2, {2, 2}, 0}};
    sewn.a = high, sewn.b = low, sewn.stitches = stitches, sewn.count = 2;
    try(mus_seam_create(world, &sewn, &seam));
    try(mus_cloth_set_spring_law(world, low, MUS_SPRING_STRUCTURAL, law, "here"));
    mus_response_def response = mus_response_def_default();
    mus_response_id rid;
    response.callback = nothing, response.between[0] = under, response.between[1] = over;
    try(mus_response_create(world, &response, &rid));
    try(mus_world_set_coefficient(world, under, second, MUS_COEFFICIENT_RESTITUTION, 0.1));
    try(mus_world_set_contact_law(world, over, mus_object_none(), MUS_COEFFICIENT_FRICTION, even, NULL, "here"));
    try(mus_world_set_contact_law(world, first, under, MUS_COEFFICIENT_FRICTION, even, NULL, NULL));
    try(mus_world_set_contact_law(world, over, mus_object_none(), MUS_COEFFICIENT_FRICTION, even, NULL, "there"));
    mus_callbacks hooks = {mus_callbacks_default().cookie, .contacts = look};
    mus_world_set_callbacks(world, &hooks);
    for (int k = 0; k < 4; k++) {
        uint64_t before = mus_world_get_hash(world);
        *stepping = true;
        status = mus_world_step(world);
        if (status != MUS_STATUS_OK) assert_true(mus_world_get_hash(world) == before && !mus_world_is_locked(world));
        if (status != MUS_STATUS_OK) goto end;
        *stepping = false;
    }
    mus_audit_report report;
    try(mus_world_audit(world, 1e-4, &report));
    assert_int_equal(report.finding_count, 0);
    mus_audit_report_destroy(&report);
    mus_strain strain;
    try(mus_cloth_get_strain(world, high, &strain));
    for (int k = 0; k < 3; k++)
        if (!mus_obstacle_get_surface_mesh(world, ids[k])) {
            status = MUS_STATUS_NO_MEMORY;
            goto end;
        }
    try(mus_response_destroy(world, rid));
    try(mus_cloth_destroy(world, high));
    try(mus_cloth_unpin(world, low, (int32_t[]){5, 6}, 2));
    try(mus_obstacle_destroy(world, ids[4]));
    try(mus_world_step(world));
end:
    mus_mesh_destroy(mesh);
    mus_mesh_destroy(ball);
    mus_world_destroy(world);
    return status;
}

static void test_every_allocation(void **state) {
    (void)state;
    const char *integrators[] = {"implicit_euler", "implicit_euler", "semi_implicit_euler",
                                 "position_based", "implicit_euler", "generalized_alpha"};
    const char *responses[] = {"coupled", "bridson", "bridson", "bridson", "bridson_tested", "coupled"};
    scarce m = {0};
    bool stepping;
    make_law();
    mus_set_allocator(scarce_alloc, &m);
    for (int k = 0; k < 6; k++) {
        m = (scarce){0};
        must(session(integrators[k], responses[k], &stepping));
        int64_t count = m.count, in_steps = 0;
        assert_int_equal(m.bytes, 0);
        assert_true(count > 200);
        for (int64_t fail = 1; fail <= count; fail++) {
            m = (scarce){.fail_at = fail};
            mus_status status = session(integrators[k], responses[k], &stepping);
            if (status != MUS_STATUS_NO_MEMORY)
                fail_msg("allocation %lld of %lld failing gives '%s'", (long long)fail, (long long)count,
                         mus_status_get_name(status));
            if (m.bytes != 0) fail_msg("allocation %lld failing leaks %lld bytes", (long long)fail, (long long)m.bytes);
            assert_non_null(strstr(mus_get_error_message(), "memory"));
            in_steps += stepping;
        }
        print_message("%s, %s: %lld allocations, %lld of them in steps\n", integrators[k], responses[k],
                      (long long)count, (long long)in_steps);
        assert_true(in_steps > 20);
    }
    mus_set_allocator(NULL, NULL);
    mus_program_release(law);
}

/* A step that lacked memory goes well when there is some again, and the run is the one that never lacked any. */
static void test_again(void **state) {
    (void)state;
    scarce m = {0};
    uint64_t wanted = 0;
    mus_set_allocator(scarce_alloc, &m);
    int64_t used = 0;
    for (int64_t fail = 0; fail == 0 || fail <= used; fail++) {
        mus_world_def def = mus_world_def_default();
        mus_world *world;
        m.fail_at = 0;
        must(mus_world_create(&def, &world));
        mus_cloth_id id =
            add_cloth(world, grid_mesh(6, 6, 0.2, 0.2, "xz", v3_make(0, 0.05, 0)), mus_cloth_def_default());
        add_sphere(world, 0.05, v3_make(0, -0.0005, 0), 0.3);
        must(mus_cloth_pin(world, id, (int32_t[]){0}, 1));
        m.count = 0;
        int64_t struck = 0;
        for (int k = 0; k < 8; k++) {
            if (fail > 0 && m.count < fail) m.fail_at = fail;
            mus_status status = mus_world_step(world);
            if (status == MUS_STATUS_NO_MEMORY) {
                m.fail_at = 0, struck++;
                status = mus_world_step(world);
            }
            must(status);
        }
        if (fail == 0)
            wanted = mus_world_get_hash(world), used = m.count;
        else {
            assert_int_equal(struck, 1);
            assert_true(mus_world_get_hash(world) == wanted);
        }
        mus_world_destroy(world);
    }
    assert_true(used > 20);
    mus_set_allocator(NULL, NULL);
    assert_int_equal(m.bytes, 0);
}

/* Hanging, and lying on a ball and a floor: after a while no step allocates memory. */
static void test_steady(void **state) {
    (void)state;
    static const struct {
        const char *response;
        bool hanging;
    } kinds[] = {
        {"coupled", true}, {"coupled", false}, {"bridson", true}, {"bridson", false}, {"bridson_tested", false}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        mus_world_def def = mus_world_def_default();
        def.dt = 1.0 / 120, def.threads = 1, def.pipeline.response = kinds[kind].response;
        mus_world *world;
        must(mus_world_create(&def, &world));
        mus_cloth_id id =
            add_cloth(world, grid_mesh(12, 12, 0.3, 0.3, "xz", v3_make(0.02, 0.101, 0.01)), mus_cloth_def_default());
        if (kinds[kind].hanging) {
            must(mus_cloth_pin(world, id, (int32_t[]){0, 11}, 2));
        } else {
            add_sphere(world, 0.08, v3_make(0, 0, 0), 0.5);
            add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.5);
        }
        for (int k = 0; k < 360; k++) must(mus_world_step(world));
        uint64_t before = mus_get_allocation_count();
        for (int k = 0; k < 60; k++) must(mus_world_step(world));
        print_message("%s, %s: %llu allocations in 60 steps at rest\n", kinds[kind].hanging ? "hanging" : "lying",
                      kinds[kind].response, (unsigned long long)(mus_get_allocation_count() - before));
        assert_true(mus_get_allocation_count() - before == 0);
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation), cmocka_unit_test(test_steady),
                                       cmocka_unit_test(test_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
