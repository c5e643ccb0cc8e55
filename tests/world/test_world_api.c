/* test_world_api.c: what a world refuses and with which message; handles, pins, obstacles that move, objects that come,
 * go and ignore each other. */
#include "scene.h"

/* The call fails with this status and a message that holds all of these words (up to three, NULL ends). */
static void expect_error(mus_status wanted, mus_status got, const char *a, const char *b, const char *c) {
    const char *words[3] = {a, b, c}, *message = mus_get_error_message();
    if (got != wanted)
        fail_msg("got '%s' instead of '%s': %s", mus_status_get_name(got), mus_status_get_name(wanted), message);
    for (int k = 0; k < 3 && words[k]; k++)
        if (!strstr(message, words[k])) fail_msg("'%s' is not in: %s", words[k], message);
    assert_null(strchr(message, '\n'));
}

static mus_world *plain_world(void) {
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    def.dt = 1.0 / 120, def.threads = 1;
    must(mus_world_create(&def, &world));
    return world;
}

static mus_status no_impulse(void *user, const mus_contact *contact, double impulse[2][3]) {
    (void)user, (void)contact, (void)impulse;
    return MUS_STATUS_OK;
}

/* ---- refusals of definitions ---- */

#define REFUSED_WORLD(change, ...)                                                                                     \
    do {                                                                                                               \
        mus_world_def def = mus_world_def_default();                                                                   \
        mus_world *none = (mus_world *)&def;                                                                           \
        change;                                                                                                        \
        expect_error(MUS_STATUS_INVALID, mus_world_create(&def, &none), "world", __VA_ARGS__);                         \
        assert_null(none);                                                                                             \
    } while (0)

static void test_world_refusals(void **state) {
    (void)state;
    REFUSED_WORLD(def.cookie = 0, "_default()", NULL);
    REFUSED_WORLD(def.dt = -1, "'dt' must be > 0", "-1");
    REFUSED_WORLD(def.dt = NAN, "'dt'", "(got not a number)");
    REFUSED_WORLD(def.dt = 1e-12, "'dt' is too small", NULL);
    REFUSED_WORLD(def.fps = 0, "'fps'", NULL);
    REFUSED_WORLD(def.duration = INFINITY, "'duration'", NULL);
    REFUSED_WORLD(def.gravity[1] = -NAN, "'gravity'", ", not a number, ");
    REFUSED_WORLD(def.wind[2] = INFINITY, "'wind'", NULL);
    REFUSED_WORLD(def.air_density = -0.1, "'air_density'", "-0.1");
    REFUSED_WORLD(def.threads = -1, "'threads'", "-1");
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    def.pipeline.integrator = "implicit_oiler";
    expect_error(MUS_STATUS_INVALID, mus_world_create(&def, &world), "'integrator'", "'implicit_oiler'",
                 "'implicit_euler'");
    def = mus_world_def_default();
    def.pipeline.broad = "box_trea";
    expect_error(MUS_STATUS_INVALID, mus_world_create(&def, &world), "'broad'", "'box_tree'", NULL);
}

#define REFUSED_CLOTH(change, ...)                                                                                     \
    do {                                                                                                               \
        mus_cloth_def def = mus_cloth_def_default();                                                                   \
        mus_cloth_id id;                                                                                               \
        def.mesh = mesh;                                                                                               \
        change;                                                                                                        \
        expect_error(MUS_STATUS_INVALID, mus_cloth_create(world, &def, &id), __VA_ARGS__);                             \
        assert_false(mus_cloth_is_valid(world, id));                                                                   \
    } while (0)

static void test_cloth_refusals(void **state) {
    (void)state;
    mus_world *world = plain_world();
    mus_mesh *mesh = grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 0, 0)),
             *other = grid_mesh(4, 3, 1, 1, "xz", v3_make(0, 0, 0));
    REFUSED_CLOTH(def.cookie = 1, "cloth", "_default()", NULL);
    REFUSED_CLOTH(def.mesh = NULL, "cloth", "'mesh' is missing", NULL);
    REFUSED_CLOTH(def.thickness = 0, "cloth", "'thickness' must be > 0", NULL);
    REFUSED_CLOTH(def.thickness = 100, "cloth", "'thickness' must be less than the size of 'mesh'", NULL);
    REFUSED_CLOTH(def.friction = -1, "cloth", "'friction'", "-1");
    REFUSED_CLOTH(def.restitution = 1.5, "cloth", "'restitution'", "1.5");
    REFUSED_CLOTH(def.velocity[0] = NAN, "cloth", "'velocity'", NULL);
    REFUSED_CLOTH(def.rest = other, "cloth", "'rest'", "12");
    REFUSED_CLOTH(def.name = "", "cloth", "'name'", NULL);
    REFUSED_CLOTH(def.name = "a\nb", "cloth", "'name'", NULL);
    REFUSED_CLOTH(def.material.density = 0, "material", "'density'", NULL);
    REFUSED_CLOTH(def.material.stretch = -5, "material", "'stretch'", "-5");
    REFUSED_CLOTH(def.material.bending = NAN, "material", "'bending'", NULL);
    REFUSED_CLOTH(def.material.compression = 2, "material", "'compression'", "2");
    mus_material material;
    expect_error(MUS_STATUS_NOT_FOUND, mus_material_find("coton", &material), "'coton'", "'cotton'", NULL);

    mus_cloth_def def = mus_cloth_def_default();
    def.name = "sheet";
    mus_cloth_id id = add_cloth(world, grid_mesh(2, 2, 1, 1, "xz", v3_make(0, 1, 0)), def);
    def.mesh = mesh;
    mus_cloth_id twin;
    expect_error(MUS_STATUS_INVALID, mus_cloth_create(world, &def, &twin), "cloth", "taken", "'sheet'");
    assert_int_equal(mus_world_get_cloth_count(world), 1);
    assert_string_equal(mus_cloth_get_name(world, id), "sheet");

    double tent[15] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0, 0.5, 0, 1}; /* three faces on one edge */
    mus_mesh_def fan = {mus_mesh_def_default().cookie, .vertices = tent,
                        .faces = (int32_t[]){0, 1, 2, 1, 0, 3, 0, 1, 4}, .vertex_count = 5, .face_count = 3};
    mus_mesh *bad;
    must(mus_mesh_create(&fan, &bad));
    def.mesh = bad, def.name = NULL;
    expect_error(MUS_STATUS_TOPOLOGY, mus_cloth_create(world, &def, &id), "edge", "3", NULL);
    mus_mesh_destroy(bad);
    fan.vertex_count = 4, fan.face_count = 2, tent[8] = 0, tent[6] = 0.25, tent[7] = 0; /* no area */
    must(mus_mesh_create(&fan, &bad));
    def.mesh = bad;
    expect_error(MUS_STATUS_TOPOLOGY, mus_cloth_create(world, &def, &id), "face 1", "area", NULL);
    mus_mesh_destroy(bad);
    mus_mesh_destroy(mesh), mus_mesh_destroy(other);
    mus_world_destroy(world);
}

#define REFUSED_OBSTACLE(change, ...)                                                                                  \
    do {                                                                                                               \
        mus_obstacle_def def = mus_obstacle_def_default();                                                             \
        mus_obstacle_id id;                                                                                            \
        def.shape = MUS_SHAPE_SPHERE, def.radius = 1;                                                                  \
        change;                                                                                                        \
        expect_error(MUS_STATUS_INVALID, mus_obstacle_create(world, &def, &id), "obstacle", __VA_ARGS__);              \
        assert_false(mus_obstacle_is_valid(world, id));                                                                \
    } while (0)

static void test_obstacle_refusals(void **state) {
    (void)state;
    mus_world *world = plain_world();
    REFUSED_OBSTACLE(def.cookie = 0, "_default()", NULL);
    REFUSED_OBSTACLE(def.radius = 0, "'radius'", NULL);
    REFUSED_OBSTACLE(def.radius = INFINITY, "'radius'", NULL);
    REFUSED_OBSTACLE((def.shape = MUS_SHAPE_CAPSULE, def.length = -1), "'length'", "-1");
    REFUSED_OBSTACLE(def.shape = MUS_SHAPE_BOX, "'size'", NULL);
    REFUSED_OBSTACLE((def.shape = MUS_SHAPE_PLANE, def.normal[1] = 0), "'normal'", NULL);
    REFUSED_OBSTACLE(def.shape = MUS_SHAPE_MESH, "'mesh' is missing", NULL);
    REFUSED_OBSTACLE(def.shape = (mus_shape)77, "'shape'", "77");
    REFUSED_OBSTACLE(def.thickness = -1, "'thickness'", NULL);
    REFUSED_OBSTACLE(def.friction = -NAN, "'friction'", "(got not a number)");
    REFUSED_OBSTACLE(def.restitution = -0.5, "'restitution'", NULL);
    REFUSED_OBSTACLE(def.pose.position[0] = -NAN, "'at'", "(got not a number, ");
    REFUSED_OBSTACLE(def.pose.rotation[0] = 2, "'rotation'", "2");
    REFUSED_OBSTACLE(def.name = "", "'name'", NULL);
    mus_object_id ball = mus_object_from_obstacle(add_sphere(world, 0.1, v3_make(0, 0, 0), 0)),
                  none = mus_object_none();
    expect_error(MUS_STATUS_INVALID, mus_world_ignore_pair(world, ball, none), "ignore: give a cloth", NULL, NULL);
    expect_error(MUS_STATUS_INVALID, mus_world_set_overlap(world, none, ball, MUS_OVERLAP_ALLOW), "between: give a",
                 NULL, NULL);
    mus_response_def def = mus_response_def_default();
    mus_response_id id;
    def.rule = "coupled", def.callback = no_impulse;
    expect_error(MUS_STATUS_INVALID, mus_response_create(world, &def, &id), "'rule'", "not both", NULL);
    def.rule = "bridson", def.callback = NULL;
    expect_error(MUS_STATUS_INVALID, mus_response_create(world, &def, &id), "'bridson'", "'coupled'", "leave the rule");
    def.rule = "bridsen";
    expect_error(MUS_STATUS_INVALID, mus_response_create(world, &def, &id), "'bridsen'", "'bridson'", NULL);
    def.rule = NULL, def.friction = NAN;
    expect_error(MUS_STATUS_INVALID, mus_response_create(world, &def, &id), "'friction'", NULL, NULL);
    def = mus_response_def_default(), def.between[1] = ball;
    expect_error(MUS_STATUS_INVALID, mus_response_create(world, &def, &id), "'between'", NULL, NULL);
    def = mus_response_def_default(), def.cookie = 3;
    expect_error(MUS_STATUS_INVALID, mus_response_create(world, &def, &id), "_default()", NULL, NULL);
    mus_world_destroy(world);
}

/* ---- handles and locks ---- */

static void test_stale(void **state) {
    (void)state;
    mus_world *world = plain_world();
    mus_cloth_id cloth = add_cloth(world, grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 2, 0)), mus_cloth_def_default());
    mus_obstacle_id ball = add_sphere(world, 0.5, v3_make(0, 0, 0), 0.3);
    must(mus_world_step(world));
    must(mus_cloth_destroy(world, cloth));
    must(mus_obstacle_destroy(world, ball));
    const mus_cloth_id zero = {0, 0}, far = {1000, 1};
    const mus_cloth_id ids[] = {cloth, zero, far};
    for (int k = 0; k < 3; k++) {
        mus_cloth_id id = ids[k];
        mus_material material;
        mus_strain strain;
        assert_false(mus_cloth_is_valid(world, id));
        assert_null(mus_cloth_get_positions(world, id));
        assert_null(mus_cloth_get_name(world, id));
        assert_non_null(strstr(mus_get_error_message(), "removed"));
        assert_int_equal(mus_cloth_get_vertex_count(world, id), 0);
        assert_false(mus_cloth_is_pinned(world, id, 0));
        expect_error(MUS_STATUS_STALE, mus_cloth_destroy(world, id), "cloth", "removed", NULL);
        expect_error(MUS_STATUS_STALE, mus_cloth_pin(world, id, (int32_t[]){0}, 1), "cloth", NULL, NULL);
        expect_error(MUS_STATUS_STALE, mus_cloth_unpin(world, id, NULL, 0), "cloth", NULL, NULL);
        expect_error(MUS_STATUS_STALE, mus_cloth_get_strain(world, id, &strain), "cloth", NULL, NULL);
        expect_error(MUS_STATUS_STALE, mus_cloth_get_material(world, id, &material), "cloth", NULL, NULL);
        expect_error(MUS_STATUS_STALE, mus_cloth_mark_positions_changed(world, id), "cloth", NULL, NULL);
    }
    mus_pose pose;
    expect_error(MUS_STATUS_STALE, mus_obstacle_get_pose(world, ball, &pose), "obstacle", "removed", NULL);
    expect_error(MUS_STATUS_STALE, mus_obstacle_destroy(world, ball), "obstacle", NULL, NULL);
    expect_error(MUS_STATUS_STALE, mus_obstacle_set_motion(world, ball, NULL, NULL), "obstacle", NULL, NULL);
    assert_null(mus_obstacle_get_surface_mesh(world, ball));
    /* the slot is used again, the old handle stays stale */
    mus_cloth_id again = add_cloth(world, grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 2, 0)), mus_cloth_def_default());
    assert_int_equal(again.index, cloth.index);
    assert_true(mus_cloth_is_valid(world, again) && !mus_cloth_is_valid(world, cloth));
    must(mus_world_step(world));
    mus_world_destroy(world);
}

typedef struct locked_try {
    mus_cloth_id cloth;
    mus_obstacle_id ball;
    mus_response_id response;
    int tries;
} locked_try;

static mus_status within(mus_world *world, double t, void *user) {
    locked_try *l = user;
    (void)t;
    l->tries++;
    assert_true(mus_world_is_locked(world));
    mus_mesh *mesh = grid_mesh(2, 2, 1, 1, "xz", v3_make(0, 5, 0));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh;
    mus_obstacle_def obstacle = mus_obstacle_def_default();
    obstacle.shape = MUS_SHAPE_SPHERE, obstacle.radius = 1;
    mus_response_def response = mus_response_def_default();
    mus_cloth_id c;
    mus_obstacle_id o;
    mus_response_id r;
    expect_error(MUS_STATUS_LOCKED, mus_world_step(world), "world:step", "within a step", NULL);
    expect_error(MUS_STATUS_LOCKED, mus_world_advance(world, 1), "step", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_cloth_create(world, &cloth, &c), "world:cloth", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_obstacle_create(world, &obstacle, &o), "world:obstacle", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_response_create(world, &response, &r), "world:respond", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_cloth_destroy(world, l->cloth), "world:remove", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_obstacle_destroy(world, l->ball), "world:remove", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_response_destroy(world, l->response), "world:remove", NULL, NULL);
    mus_object_id sheet = named(world, "sheet");
    expect_error(MUS_STATUS_LOCKED, mus_world_ignore_pair(world, sheet, sheet), "world:ignore", NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_world_set_overlap(world, sheet, sheet, MUS_OVERLAP_ALLOW), "world:between",
                 NULL, NULL);
    expect_error(MUS_STATUS_LOCKED, mus_obstacle_set_motion(world, l->ball, NULL, NULL), "obstacle:move", NULL, NULL);
    mus_mesh_destroy(mesh);
    return MUS_STATUS_OK;
}

static void test_locked(void **state) {
    (void)state;
    mus_world *world = plain_world();
    locked_try l = {0};
    mus_cloth_def def = mus_cloth_def_default();
    def.name = "sheet";
    l.cloth = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 0.5005, 0)), def);
    l.ball = add_sphere(world, 0.5, v3_make(0, 0, 0), 0.3);
    mus_response_def response = mus_response_def_default();
    must(mus_response_create(world, &response, &l.response));
    mus_callbacks hooks = {mus_callbacks_default().cookie, &l, within, within, within, within, within, NULL};
    mus_world_set_callbacks(world, &hooks);
    must(mus_world_step(world));
    assert_int_equal(l.tries, 5);
    assert_false(mus_world_is_locked(world));
    mus_world_destroy(world);
}

/* ---- states that cannot be stepped from ---- */

static void test_bad_states(void **state) {
    (void)state;
    mus_world *world = plain_world();
    mus_cloth_def def = mus_cloth_def_default();
    def.name = "first";
    mus_cloth_id a = add_cloth(world, grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 1, 0)), def);
    must(mus_world_step(world));
    double keep = mus_cloth_get_positions(world, a)[7];
    mus_cloth_get_positions(world, a)[7] = NAN;
    must(mus_cloth_mark_positions_changed(world, a));
    expect_error(MUS_STATUS_INVALID, mus_world_step(world), "'first'", "position of vertex 3", NULL);
    mus_cloth_get_positions(world, a)[7] = keep;
    mus_cloth_get_velocities(world, a)[12] = -INFINITY;
    must(mus_cloth_mark_positions_changed(world, a));
    expect_error(MUS_STATUS_INVALID, mus_world_step(world), "'first'", "velocity of vertex 5", NULL);
    mus_cloth_get_velocities(world, a)[12] = 0;
    must(mus_world_step(world));

    def.name = "second"; /* across the first */
    mus_cloth_id b = add_cloth(world, grid_mesh(2, 2, 1, 1, "xy", v3_make(0.02, 1, 0.13)), def);
    expect_error(MUS_STATUS_OVERLAP, mus_world_step(world), "face", "'first'", "'second'");
    expect_error(MUS_STATUS_OVERLAP, mus_world_validate(world), "intersects face", NULL, NULL);
    must(mus_world_ignore_pair(world, named(world, "first"), named(world, "second")));
    must(mus_world_step(world));
    must(mus_cloth_destroy(world, b));
    mus_obstacle_def ball = mus_obstacle_def_default();
    mus_obstacle_id id;
    ball.shape = MUS_SHAPE_SPHERE, ball.radius = 0.3, ball.name = "ball", ball.pose.position[1] = 0.9;
    must(mus_obstacle_create(world, &ball, &id));
    expect_error(MUS_STATUS_OVERLAP, mus_world_step(world), "inside obstacle 'ball'", "'first'", NULL);
    must(mus_obstacle_destroy(world, id));
    must(mus_world_step(world));
    mus_world_destroy(world);

    world = plain_world(); /* self-intersection: named, unless the cloth does not collide with itself */
    mus_mesh *mesh = grid_mesh(5, 2, 1, 0.2, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_get_vertices(mesh);
    x[3 * 3] = x[3 * 8] = 0, x[3 * 3 + 1] = x[3 * 8 + 1] = 0.3;
    x[3 * 4] = x[3 * 9] = -0.3, x[3 * 4 + 1] = x[3 * 9 + 1] = -0.2;
    x[3 * 9 + 2] += 0.03;
    def.name = "loop", def.self_collision = true;
    mus_mesh *same;
    must(mus_mesh_copy(mesh, &same));
    a = add_cloth(world, same, def);
    expect_error(MUS_STATUS_OVERLAP, mus_world_step(world), "'loop'", "face", NULL);
    must(mus_cloth_destroy(world, a));
    def.self_collision = false;
    add_cloth(world, mesh, def);
    must(mus_world_step(world));
    mus_world_destroy(world);
}

/* ---- pins ---- */

static mus_status circle(void *user, double t, int32_t vertex, double position[3]) {
    (void)vertex;
    position[0] += *(double *)user * t;
    return MUS_STATUS_OK;
}
static mus_status orbit(void *user, double t, mus_pose *pose) {
    const double *from = user;
    v3_store(pose->position, v3_make(from[0], from[1] + 0.2 * t, from[2]));
    turn(pose->rotation, v3_make(0, 0, 1), 2 * t);
    return MUS_STATUS_OK;
}

static void test_pins(void **state) {
    (void)state;
    const char *integrators[] = {"implicit_euler", "semi_implicit_euler", "verlet", "rk4",
                                 "explicit_euler", "position_based"};
    for (int k = 0; k < 6; k++) {
        mus_world_def wd = mus_world_def_default();
        wd.dt = 1.0 / 120, wd.threads = 1, wd.air_density = 0, wd.pipeline.integrator = integrators[k];
        mus_world *world;
        must(mus_world_create(&wd, &world));
        double speed = 0.1, from[3] = {1, 0.5, 0};
        mus_cloth_id id = add_cloth(world, grid_mesh(6, 6, 0.5, 0.5, "xz", v3_make(0, 1, 0)), mus_cloth_def_default());
        mus_obstacle_id ball = add_sphere(world, 0.1, v3_load(from), 0.3);
        must(mus_obstacle_set_motion(world, ball, orbit, from));
        expect_error(MUS_STATUS_INVALID, mus_cloth_pin(world, id, (int32_t[]){0, 36}, 2), "pin", "1 to 36", "37");
        assert_false(mus_cloth_is_pinned(world, id, 0)); /* all or none */
        expect_error(MUS_STATUS_INVALID, mus_cloth_pin_to_path(world, id, (int32_t[]){0}, 1, NULL, NULL), "pin", "path",
                     NULL);
        must(mus_cloth_pin(world, id, (int32_t[]){0}, 1));
        must(mus_cloth_pin_to_obstacle(world, id, (int32_t[]){5}, 1, ball));
        must(mus_cloth_pin_to_path(world, id, (int32_t[]){30}, 1, circle, &speed));
        v3 start[3] = {vertex_of(world, id, 0), vertex_of(world, id, 5), vertex_of(world, id, 30)};
        assert_true(mus_cloth_get_inverse_masses(world, id)[5] == 0 && mus_cloth_get_masses(world, id)[5] > 0);
        for (int step = 0; step < 24; step++) must(mus_world_step(world));
        double t = mus_world_get_time(world), c = mus_cos(2 * t), s = mus_sin(2 * t);
        assert_true(memcmp(&start[0], mus_cloth_get_positions(world, id), sizeof(v3)) == 0); /* to the bit */
        assert_true(v3_length(velocity_of(world, id, 0)) == 0);
        v3 r = v3_sub(start[1], v3_load(from));
        v3 wanted = v3_make(from[0] + c * r.x - s * r.y, from[1] + 0.2 * t + s * r.x + c * r.y, from[2] + r.z);
        assert_true(v3_length(v3_sub(vertex_of(world, id, 5), wanted)) < 1e-12);
        wanted = v3_axpy(speed * t, v3_make(1, 0, 0), start[2]);
        assert_true(v3_length(v3_sub(vertex_of(world, id, 30), wanted)) < 1e-12);
        assert_true(fabs(velocity_of(world, id, 30).x - speed) < 1e-9);
        expect_error(MUS_STATUS_INVALID, mus_obstacle_destroy(world, ball), "pinned to obstacle", "unpin", NULL);
        must(mus_cloth_unpin(world, id, (int32_t[]){5}, 1));
        assert_true(mus_cloth_get_inverse_masses(world, id)[5] == 1 / mus_cloth_get_masses(world, id)[5]);
        must(mus_obstacle_destroy(world, ball));
        must(mus_cloth_unpin(world, id, NULL, 0));
        must(mus_world_set_gravity(world, (double[3]){0, -5, 0}));
        must(mus_world_step(world));
        double before = momentum_of(world, id).y, mass = mass_of(world, id);
        must(mus_world_step(world));
        double fallen = (momentum_of(world, id).y - before) / (mass * mus_world_get_step_size(world));
        assert_true(fabs(fallen + 5) < 1e-9); /* free again: nothing but gravity acts on the whole */
        mus_world_destroy(world);
    }
}

/* Nothing can stop a pin: one whose prescribed motion enters a solid is a named failure, not cloth within it. */
static mus_status sink(void *user, double t, int32_t vertex, double position[3]) {
    (void)user, (void)vertex;
    position[1] -= t;
    return MUS_STATUS_OK;
}

static void test_pin_into_obstacle(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        mus_world *world = plain_world();
        mus_obstacle_def def = mus_obstacle_def_default();
        mus_obstacle_id id;
        mus_mesh *ball;
        must(mus_mesh_create_sphere(0.5, 2, (double[3]){0, 0, 0}, &ball));
        static const mus_shape shapes[] = {MUS_SHAPE_PLANE, MUS_SHAPE_SPHERE, MUS_SHAPE_BOX, MUS_SHAPE_MESH};
        def.name = "solid", def.shape = shapes[kind], def.mesh = ball;
        def.radius = 0.5, def.size[0] = def.size[1] = def.size[2] = 1;
        def.pose.position[1] = kind == 0 ? 0.5 : 0;
        must(mus_obstacle_create(world, &def, &id));
        mus_mesh_destroy(ball);
        mus_cloth_def cloth = mus_cloth_def_default();
        cloth.name = "sheet";
        mus_cloth_id sheet = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0.01, 0.55, 0.02)), cloth);
        must(mus_cloth_pin_to_path(world, sheet, (int32_t[]){4}, 1, sink, NULL));
        mus_status status = MUS_STATUS_OK;
        int k = 0;
        for (; k < 12 && status == MUS_STATUS_OK; k++) status = mus_world_step(world);
        expect_error(MUS_STATUS_NO_SAFE_STEP, status, "'sheet'", "solid", NULL);
        if (kind == 0) expect_error(MUS_STATUS_NO_SAFE_STEP, status, "vertex 5", "pin", "into");
        assert_true(k > 4); /* 50 mm at 1 m/s */
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        assert_int_equal(report.finding_count, 0);
        mus_audit_report_destroy(&report);
        mus_world_destroy(world);
    }
}

/* ---- obstacles that move ---- */

static mus_status elsewhere(void *user, double t, mus_pose *pose) {
    (void)user, (void)t;
    pose->position[0] += 1e-6;
    return MUS_STATUS_OK;
}
static mus_status turned(void *user, double t, mus_pose *pose) {
    (void)user, (void)t;
    turn(pose->rotation, v3_make(1, 0, 0), 0.1);
    return MUS_STATUS_OK;
}
static mus_status lost(void *user, double t, mus_pose *pose) {
    (void)user;
    if (t > 0.05) pose->rotation[0] = 0;
    return MUS_STATUS_OK;
}
static mus_status refusing(void *user, double t, mus_pose *pose) {
    (void)user, (void)t, (void)pose;
    return mus_fail(MUS_STATUS_HOOK, "the motion refuses");
}

static void test_motions(void **state) {
    (void)state;
    mus_world *world = plain_world();
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id ball, cube;
    def.name = "ball", def.shape = MUS_SHAPE_SPHERE, def.radius = 0.1;
    must(mus_obstacle_create(world, &def, &ball));
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_motion(world, ball, elsewhere, NULL), "'ball'", "begins at",
                 "f(0)");
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_motion(world, ball, turned, NULL), "'ball'",
                 "rotation that differs", NULL);
    expect_error(MUS_STATUS_HOOK, mus_obstacle_set_motion(world, ball, refusing, NULL), "refuses", NULL, NULL);
    must(mus_world_step(world)); /* none of them has stuck */
    mus_pose pose;
    must(mus_obstacle_get_pose(world, ball, &pose));
    assert_true(pose.position[0] == 0 && pose.rotation[0] == 1);
    must(mus_obstacle_set_motion(world, ball, lost, NULL));
    mus_status status = MUS_STATUS_OK;
    for (int k = 0; k < 12 && status == MUS_STATUS_OK; k++) status = mus_world_step(world);
    expect_error(MUS_STATUS_INVALID, status, "'ball'", "zero quaternion", NULL);

    /* animated vertices: linear between frames, constant after the last */
    mus_mesh *mesh;
    must(mus_mesh_create_box((double[3]){0.2, 0.2, 0.2}, (double[3]){0, 0, 0}, &mesh));
    double frames[3 * 24];
    for (int f = 0; f < 3; f++)
        for (int i = 0; i < 24; i++) frames[24 * f + i] = mus_mesh_get_vertices(mesh)[i] * (1 + 0.1 * f);
    must(mus_obstacle_set_motion(world, ball, NULL, NULL));
    def = mus_obstacle_def_default();
    def.name = "cube", def.mesh = mesh, def.pose.position[0] = 3;
    must(mus_obstacle_create(world, &def, &cube));
    mus_mesh_destroy(mesh);
    mus_point_cache cache = {.positions = frames, .vertex_count = 8, .frame_count = 3};
    mus_animation grows = {mus_animation_default().cookie, .cache = &cache, .interval = 0.1};
    grows.start = mus_world_get_time(world);
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_animation(world, ball, &grows), "'ball'", "only a mesh", NULL);
    mus_animation wrong = grows;
    wrong.interval = 0;
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_animation(world, cube, &wrong), "'cube'", "> 0 s", NULL);
    wrong = grows, wrong.start = INFINITY;
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_animation(world, cube, &wrong), "'cube'", "finite time", NULL);
    cache.vertex_count = 7;
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_animation(world, cube, &grows), "'cube'", "7 vertices", "8");
    cache.vertex_count = 8, cache.frame_count = 0;
    expect_error(MUS_STATUS_INVALID, mus_obstacle_set_animation(world, cube, &grows), "'cube'", "no frames", NULL);
    cache.frame_count = 3;
    must(mus_obstacle_set_animation(world, cube, &grows));
    mus_cloth_id id = add_cloth(world, grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 3, 0)), mus_cloth_def_default());
    must(mus_cloth_pin_to_obstacle(world, id, (int32_t[]){0}, 1, cube)); /* moves with the nearest corner */
    double start = mus_world_get_time(world);
    memset(frames, 0, sizeof frames); /* they were copied */
    while (mus_world_get_time(world) < start + 0.3) {
        must(mus_world_step(world));
        double grown = 1 + 0.1 * fmin(2, (mus_world_get_time(world) - start) / 0.1);
        const double *x = mus_mesh_get_vertices_const(mus_obstacle_get_surface_mesh(world, cube));
        assert_ptr_equal(mus_mesh_get_vertices_const(mus_obstacle_get_surface_mesh(world, cube)), x);
        for (int i = 0; i < 8; i++) assert_true(fabs(fabs(x[3 * i + 1]) - 0.1 * grown) < 1e-12);
        v3 pinned = v3_load(mus_cloth_get_positions(world, id)), by = v3_scale(0.1 * (grown - 1), v3_make(-1, 1, -1));
        assert_true(v3_length(v3_sub(pinned, v3_add(v3_make(-0.5, 3, -0.5), by))) < 1e-12);
    }
    mus_world_destroy(world);
}

/* ---- who collides with whom ---- */

/* How far a small sheet has fallen onto a larger one and a plane after 0.43 s. */
static double lowest(bool ignore_cloth, bool ignore_plane) {
    mus_world *world = plain_world();
    mus_cloth_def def = mus_cloth_def_default();
    def.name = "large";
    mus_cloth_id large = add_cloth(world, grid_mesh(7, 7, 0.6, 0.6, "xz", v3_make(0, 0.2, 0)), def);
    int32_t all[49];
    for (int32_t i = 0; i < 49; i++) all[i] = i;
    must(mus_cloth_pin(world, large, all, 49));
    def.name = "small";
    mus_cloth_id small = add_cloth(world, grid_mesh(4, 4, 0.2, 0.2, "xz", v3_make(0.01, 0.3, 0.02)), def);
    mus_obstacle_def plane = mus_obstacle_def_default();
    mus_obstacle_id id;
    plane.name = "floor", plane.shape = MUS_SHAPE_PLANE;
    must(mus_obstacle_create(world, &plane, &id));
    if (ignore_cloth) must(mus_world_ignore_pair(world, named(world, "small"), named(world, "large")));
    if (ignore_plane) must(mus_world_ignore_pair(world, named(world, "floor"), named(world, "small")));
    for (int k = 0; k < 52; k++) must(mus_world_step(world));
    double y = centroid_of(world, small).y;
    mus_world_destroy(world);
    return y;
}

static void test_ignore(void **state) {
    (void)state;
    assert_true(fabs(lowest(false, false) - 0.201) < 2e-3); /* lies on the sheet, a thickness above it */
    assert_true(fabs(lowest(true, false) - 0.0005) < 2e-4); /* through it, onto the floor */
    assert_true(lowest(true, true) < -0.2);
}

/* ---- time ---- */

static void test_time(void **state) {
    (void)state;
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    def.dt = 1.0 / 100, def.fps = 60;
    must(mus_world_create(&def, &world));
    assert_int_equal(mus_world_get_steps_per_frame(world), 2); /* ceil(100/60) */
    assert_true(fabs(mus_world_get_step_size(world) - 1.0 / 120) < 1e-15);
    add_cloth(world, grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 0, 0)), mus_cloth_def_default());
    must(mus_world_advance(world, 0.1));
    assert_true(fabs(mus_world_get_time(world) - 0.1) < 1e-12);
    assert_int_equal(mus_world_get_step_index(world), 12);
    must(mus_world_advance(world, 1e-5)); /* shorter than a step */
    assert_int_equal(mus_world_get_step_index(world), 13);
    must(mus_world_advance(world, 0));
    assert_int_equal(mus_world_get_step_index(world), 13);
    expect_error(MUS_STATUS_INVALID, mus_world_advance(world, -1), "world:advance", "-1", NULL);
    expect_error(MUS_STATUS_INVALID, mus_world_advance(world, NAN), "world:advance", NULL, NULL);
    mus_world_destroy(world);
    for (int k = 1; k <= 16; k++) { /* a dt that divides the frame is kept */
        def.dt = 1.0 / (60 * k);
        must(mus_world_create(&def, &world));
        assert_int_equal(mus_world_get_steps_per_frame(world), k);
        mus_world_destroy(world);
    }
}

static void test_no_leak(void **state) {
    (void)state;
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_world_refusals),
                                       cmocka_unit_test(test_cloth_refusals),
                                       cmocka_unit_test(test_obstacle_refusals),
                                       cmocka_unit_test(test_stale),
                                       cmocka_unit_test(test_locked),
                                       cmocka_unit_test(test_bad_states),
                                       cmocka_unit_test(test_pins),
                                       cmocka_unit_test(test_pin_into_obstacle),
                                       cmocka_unit_test(test_motions),
                                       cmocka_unit_test(test_ignore),
                                       cmocka_unit_test(test_time),
                                       cmocka_unit_test(test_no_leak)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
