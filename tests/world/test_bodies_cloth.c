/* test_bodies_cloth.c: contacts of rigid bodies and cloth: momentum that is accounted for, bodies at rest on cloth,
 * cloth between bodies and planes; the state of bodies in transactions, snapshots and threads; what is refused. */
#include "bodies.h"

/* A free sheet flies at a ball that rests, off its middle: what the sheet loses the ball gains, in every step. */
static void test_momentum(void **state) {
    (void)state;
    for (int box = 0; box < 2; box++) {
        mus_world *world = bodies_world(1.0 / 240, 0, 1);
        mus_cloth_def cloth = mus_cloth_def_default();
        cloth.velocity[1] = -3;
        mus_cloth_id sheet = add_cloth(world, grid_mesh(15, 15, 0.5, 0.5, "xz", v3_make(0.05, 0.2, 0.02)), cloth);
        mus_obstacle_def def =
            box ? box_def(v3_make(0.2, 0.1, 0.3), 0.3, v3_make(0, 0, 0)) : ball_def(0.1, 0.3, v3_make(0, 0, 0));
        turn(def.pose.rotation, v3_normalized(v3_make(1, 0, 2)), 0.3);
        mus_obstacle_id body = add_body(world, def);
        momenta first = total(world, sheet, body);
        double p = v3_length(first.linear);
        for (int k = 0; k < 60; k++) {
            must(mus_world_step(world));
            momenta now = total(world, sheet, body);
            near(v3_length(v3_sub(now.linear, first.linear)) / p, 0, 1e-9, "linear momentum");
            assert_true(now.energy <= first.energy * (1 + 1e-9));
            audited(world, 0);
        }
        mus_rigid_body_motion m = motion_of(world, body);
        assert_true(m.velocity[1] < -0.1);
        momenta now = total(world, sheet, body);
        printf("# angular momentum off by %.3g of %.3g, energy %.3g of %.3g J\n",
               v3_length(v3_sub(now.angular, first.angular)), v3_length(first.angular), now.energy, first.energy);
        mus_world_destroy(world);
    }
}

static void test_ball_on_sheet(void **state) {
    (void)state;
    settles(0.2, 10, -0.02, 0.02);
}

/* A box that is dropped on two loose sheets on a floor, 60 and 3000 times as heavy as a sheet, lies where it fell: it
 * is not thrown up, and gains no energy. */
static void test_dropped_on_loose_cloth(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double mass = k % 2 ? 100 : 2;
        mus_world *world = bodies_world(1.0 / 240, g, 1);
        add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
        mus_cloth_def def = stiff_cloth();
        for (int i = 0; i < 2; i++)
            add_cloth(world, grid_mesh(8, 8, 0.4, 0.4, "xz", v3_make(0, i ? 0.006 : 0.002, 0)), def);
        mus_obstacle_id body =
            add_body(world, box_def(v3_make(0.15, 0.1, 0.12), mass, v3_make(k < 2 ? 1e-7 : 0.03, 0.1, 0)));
        double high = 0, least = 1e30, risen = 0;
        for (int n = 0; n < 160; n++) {
            must(mus_world_step(world));
            double y = motion_of(world, body).center[1];
            mus_energy now;
            must(mus_world_get_energy(world, &now));
            risen = fmax(risen, now.total - least), least = fmin(least, now.total);
            if (n > 48) high = fmax(high, y);
            if (n % 8 == 0) audited(world, 0);
        }
        mus_rigid_body_motion m = motion_of(world, body);
        printf(
            "# %g kg on two loose sheets: at most %.5g m after the blow, at %.5g m, %.3g m/s, energy rises by %.3g J\n",
            mass, high, m.center[1], v3_length(v3_load(m.velocity)), risen);
        near(m.center[1], 0.052, 2e-4, "height over two sheets");
        assert_true(high < 0.053 && v3_length(v3_load(m.velocity)) < 2e-3);
        assert_true(risen < 2.5e-5 * mass * g); /* lifted back into its gaps, which the blow used up by 1 % */
        mus_world_destroy(world);
    }
}

/* Cloth on the floor, a box on the cloth: neither sinks into the other, and all comes to rest. */
static void test_cloth_under_body(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
    mus_cloth_def def = mus_cloth_def_default();
    mus_cloth_id sheet = add_cloth(world, grid_mesh(15, 15, 0.4, 0.4, "xz", v3_make(0, 0.002, 0)), def);
    mus_obstacle_id body = add_body(world, box_def(v3_make(0.15, 0.1, 0.12), 2, v3_make(0.02, 0.1, 0.01)));
    for (int k = 0; k < 480; k++) {
        must(mus_world_step(world));
        if (k % 4 == 0) audited(world, 0);
    }
    mus_rigid_body_motion m = motion_of(world, body);
    near(v3_length(v3_load(m.velocity)), 0, 2e-3, "rest");
    double least = 1, most = 0;
    const double *x = mus_cloth_get_positions(world, sheet);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, sheet); i++)
        least = fmin(least, x[3 * i + 1]), most = fmax(most, x[3 * i + 1]);
    printf("# box at %.5g m over cloth from %.3g to %.3g m, speed %.3g m/s\n", m.center[1], least, most,
           v3_length(v3_load(m.velocity)));
    near(m.center[1], 0.05 + 1e-3, 6e-4, "the cloth's thickness over the floor");
    mus_world_destroy(world);
}

/* A sheet that falls on a light ball on the floor drapes over it; one that falls on its side moves it away. */
static void test_cloth_over_body(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
    add_cloth(world, grid_mesh(21, 21, 0.6, 0.6, "xz", v3_make(0.12, 0.4, 0)), mus_cloth_def_default());
    mus_obstacle_id body = add_body(world, ball_def(0.08, 0.02, v3_make(0, 0.081, 0)));
    double fastest = 0;
    for (int k = 0; k < 300; k++) {
        must(mus_world_step(world));
        fastest = fmax(fastest, v3_length(v3_load(motion_of(world, body).velocity)));
        if (k % 4 == 0) audited(world, 0);
    }
    printf("# ball struck to %.3g m/s, now at x = %.3g\n", fastest, motion_of(world, body).center[0]);
    assert_true(fastest > 0.05);
    mus_world_destroy(world);
}

/* ---- state ---- */

/* A ball and a box in a sheet, the box over a floor: all that bodies do. */
static mus_world *mixed(int threads, mus_obstacle_id body[2]) {
    mus_world *world = bodies_world(1.0 / 120, g, threads);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, -0.3, 0), 0.4);
    hammock(world, 13, false);
    body[0] = add_body(world, ball_def(0.1, 0.3, v3_make(0.02, 0.12, 0.03)));
    body[1] = add_body(world, box_def(v3_make(0.1, 0.1, 0.1), 0.5, v3_make(0.6, -0.2, 0.1)));
    must(mus_world_ignore_pair(world, mus_object_from_obstacle(body[0]), mus_object_from_obstacle(body[1])));
    must(mus_obstacle_set_velocity(world, body[1], (double[3]){0.3, 0, -1}, (double[3]){5, 2, 9}));
    return world;
}

static void test_state(void **state) {
    (void)state;
    mus_obstacle_id body[2];
    mus_world *world = mixed(1, body), *other = mixed(3, body);
    same_trajectory(world, other, 40, 30);
    uint64_t then = mus_world_get_hash(world);
    /* of one ball the velocity only */
    must(mus_obstacle_set_velocity(world, body[0], (double[3]){0, 0, 1e-9}, NULL));
    assert_true(then != mus_world_get_hash(world));
    mus_world_destroy(world);
    mus_world_destroy(other);
}

static mus_obstacle_id struck;
static mus_status strike_body(mus_world *world, double t, void *user) {
    (void)t, (void)user;
    return mus_obstacle_apply_impulse(world, struck, (double[3]){0, 0.5, 0}, (double[3]){0.1, 0, 0});
}
static mus_status refuse(mus_world *world, double t, void *user) {
    (void)world, (void)t, (void)user;
    return MUS_STATUS_CANCELLED;
}

/* A step that fails undoes what hooks and the step itself did to bodies. */
static void test_transaction(void **state) {
    (void)state;
    mus_obstacle_id body[2];
    mus_world *world = mixed(1, body);
    struck = body[1];
    for (int k = 0; k < 30; k++) must(mus_world_step(world));
    uint64_t then = mus_world_get_hash(world);
    mus_callbacks hooks = {mus_callbacks_default().cookie, .before_step = strike_body, .after_step = refuse};
    mus_world_set_callbacks(world, &hooks);
    must_be(MUS_STATUS_CANCELLED, mus_world_step(world));
    assert_true(then == mus_world_get_hash(world));
    hooks.after_step = NULL;
    mus_world_set_callbacks(world, &hooks);
    double before = motion_of(world, body[1]).velocity[1];
    must(mus_world_step(world));
    assert_true(motion_of(world, body[1]).velocity[1] > before + 0.5);
    mus_world_destroy(world);
}

static void refused(mus_world *world, mus_obstacle_def def, const char *word) {
    mus_obstacle_id id;
    must_be(MUS_STATUS_INVALID, mus_obstacle_create(world, &def, &id));
    if (!strstr(mus_get_error_message(), word)) fail_msg("no '%s' in: %s", word, mus_get_error_message());
}

static mus_status stand(void *user, double t, mus_pose *pose) {
    (void)user, (void)t, (void)pose;
    return MUS_STATUS_OK;
}

static void test_refused(void **state) {
    (void)state;
    mus_world *world = bodies_world(0.01, g, 1);
    mus_obstacle_def ball = ball_def(0.1, 1, v3_make(0, 1, 0)), def = ball;
    def.mass = 0, refused(world, def, "mass");
    def.mass = NAN, refused(world, def, "mass");
    def = ball, def.shape = MUS_SHAPE_PLANE, refused(world, def, "plane");
    def = ball, def.dynamic = false, refused(world, def, "motion = 'dynamic'");
    def = ball, def.velocity[1] = INFINITY, refused(world, def, "velocity");
    def = ball, def.shape = MUS_SHAPE_MESH;
    mus_mesh *open = grid_mesh(4, 4, 1, 1, "xz", v3_make(0, 0, 0));
    def.mesh = open, refused(world, def, "closed mesh");
    mus_mesh_destroy(open);
    /* two faces back to back: closed, without a volume; and a box with one face turned */
    static const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int32_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    mus_mesh_def shape = {mus_mesh_def_default().cookie, .vertices = flat, .faces = tetrahedron, .vertex_count = 4,
                          .face_count = 4};
    mus_mesh *mesh = NULL;
    must(mus_mesh_create(&shape, &mesh));
    def.mesh = mesh, refused(world, def, "volume");
    mus_mesh_destroy(mesh);
    static const double solid[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t mixed_faces[12] = {0, 2, 1, 0, 1, 3, 1, 3, 2, 2, 0, 3};
    shape = (mus_mesh_def){mus_mesh_def_default().cookie, .vertices = solid, .faces = mixed_faces, .vertex_count = 4,
                           .face_count = 4};
    must(mus_mesh_create(&shape, &mesh));
    def.mesh = mesh, refused(world, def, "the opposite orientation");
    mus_mesh_destroy(mesh);
    mus_obstacle_id body = add_body(world, ball);
    must_be(MUS_STATUS_INVALID, mus_obstacle_set_motion(world, body, stand, NULL));
    must_be(MUS_STATUS_INVALID, mus_obstacle_apply_impulse(world, body, (double[3]){NAN, 0, 0}, NULL));
    mus_cloth_id sheet = add_cloth(world, grid_mesh(4, 4, 1, 1, "xz", v3_make(0, 3, 0)), mus_cloth_def_default());
    must_be(MUS_STATUS_INVALID, mus_cloth_pin_to_obstacle(world, sheet, (int32_t[1]){0}, 1, body));
    /* one that starts in another obstacle is refused until the pair is ignored */
    mus_obstacle_id still = add_sphere(world, 0.1, v3_make(0.15, 1, 0), 0.3);
    must_be(MUS_STATUS_INVALID, mus_obstacle_apply_impulse(world, still, (double[3]){0, 1, 0}, NULL));
    must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
    assert_non_null(strstr(mus_get_error_message(), "move the body out"));
    must(mus_world_ignore_pair(world, mus_object_from_obstacle(body), mus_object_from_obstacle(still)));
    must(mus_world_step(world));
    mus_world_destroy(world);

    mus_world_def other = mus_world_def_default();
    other.pipeline.failsafe = "inelastic_zones";
    must(mus_world_create(&other, &world));
    refused(world, ball, "inelastic_zones");
    mus_world_destroy(world);
}

/* The auditor sees a body in a plane: each shape by its lowest point. */
static void test_audit(void **state) {
    (void)state;
    for (int shape = 0; shape < 4; shape++) {
        mus_world *world = bodies_world(0.01, g, 1);
        add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
        mus_obstacle_def def = ball_def(0.2, 1, v3_make(0.3, 0, 0));
        static const mus_shape shapes[4] = {MUS_SHAPE_SPHERE, MUS_SHAPE_BOX, MUS_SHAPE_CAPSULE, MUS_SHAPE_MESH};
        double up[4] = {0.2, 0.5 * 0.3 * 1.4142135623730951, 0.1 * 1.4142135623730951 + 0.2,
                        0.5 * 0.3 * 1.4142135623730951};
        mus_mesh *mesh = NULL;
        must(mus_mesh_create_box((double[3]){0.3, 0.3, 0.3}, (double[3]){0, 0, 0}, &mesh));
        def.shape = shapes[shape], def.mesh = mesh, def.length = 0.4;
        for (int k = 0; k < 3; k++) def.size[k] = 0.3;
        turn(def.pose.rotation, v3_make(0, 0, 1), 0.78539816339744831);
        def.pose.position[1] = up[shape] - 0.01;
        add_body(world, def);
        mus_mesh_destroy(mesh);
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        assert_int_equal(report.inside, 1);
        near(report.max_depth, 0.01, 1e-12, "depth");
        mus_audit_report_destroy(&report);
        must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_ball_on_sheet),
        cmocka_unit_test(test_dropped_on_loose_cloth),
        cmocka_unit_test(test_cloth_under_body),
        cmocka_unit_test(test_cloth_over_body),
        UNDER_SEQUENTIAL(test_momentum),
        UNDER_SEQUENTIAL(test_ball_on_sheet),
        UNDER_SEQUENTIAL(test_dropped_on_loose_cloth),
        UNDER_SEQUENTIAL(test_state),
        UNDER_SEQUENTIAL(test_transaction),
        UNDER_BOTH(test_state),
        UNDER_BOTH(test_transaction),
        UNDER_OFFSET(test_cloth_over_body),
        UNDER_OFFSET(test_state),
        UNDER_OFFSET(test_transaction),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
