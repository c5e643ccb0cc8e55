/* test_bodies.c: rigid bodies against closed forms: mass properties, free motion, planes; and against cloth. Tolerances
 * are stated beside their reasons; h is the step. */
#include "model/rigid.h"
#include "bodies.h"

static const double pi = 3.14159265358979323846;

static mus_obstacle_def body_def(mus_shape shape, double mass) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = shape, def.dynamic = true, def.mass = mass, def.radius = 0.1, def.length = 0.3;
    def.size[0] = 0.2, def.size[1] = 0.1, def.size[2] = 0.4;
    return def;
}

static v3 center_of(const mus_world *world, mus_obstacle_id id) {
    return v3_load(motion_of(world, id).center);
}

static double kinetic(const mus_rigid_body_motion *m) {
    double e = 0.5 * m->mass * v3_length2(v3_load(m->velocity));
    return e + 0.5 * v3_dot(v3_load(m->angular_velocity), v3_load(m->angular_momentum));
}

/* ---- mass ---- */

/* Shapes against their textbook tensors, and a mesh, turned, far away, with its faces either way, against its box. */
static void test_mass_properties(void **state) {
    (void)state;
    mus_world *world = bodies_world(0.01, 0, 1);
    mus_rigid_body_motion m = motion_of(world, add_body(world, body_def(MUS_SHAPE_SPHERE, 2)));
    for (int k = 0; k < 3; k++) near(m.inertia[k][k], 0.4 * 2 * 0.01, 1e-15, "ball");
    m = motion_of(world, add_body(world, body_def(MUS_SHAPE_BOX, 3)));
    near(m.inertia[0][0], 3.0 / 12 * (0.01 + 0.16), 1e-15, "box x");
    near(m.inertia[1][1], 3.0 / 12 * (0.04 + 0.16), 1e-15, "box y");
    near(m.inertia[2][2], 3.0 / 12 * (0.04 + 0.01), 1e-15, "box z");
    /* a capsule: tube of mass a, ball of mass b (both hemispheres) */
    m = motion_of(world, add_body(world, body_def(MUS_SHAPE_CAPSULE, 5)));
    double r = 0.1, l = 0.3, a = 5 * l / (l + 4 * r / 3), b = 5 - a;
    near(m.inertia[1][1], a * r * r / 2 + b * 0.4 * r * r, 1e-15, "capsule along");
    double across = a * (l * l / 12 + r * r / 4) + b * (0.4 * r * r + l * l / 4 + 0.375 * l * r);
    near(m.inertia[0][0], across, 1e-15, "capsule across");
    for (int inward = 0; inward < 2; inward++) {
        mus_mesh *mesh = NULL;
        must(mus_mesh_create_box((double[3]){0.2, 0.1, 0.4}, (double[3]){7, -3, 11}, &mesh));
        int32_t count = mus_mesh_get_face_count(mesh), *faces = malloc(sizeof *faces * 3 * (size_t)count);
        memcpy(faces, mus_mesh_get_faces(mesh), sizeof *faces * 3 * (size_t)count);
        for (int32_t f = 0; inward && f < count; f++) {
            int32_t swap = faces[3 * f];
            faces[3 * f] = faces[3 * f + 1], faces[3 * f + 1] = swap;
        }
        mus_mesh_def shape = {mus_mesh_def_default().cookie, .vertices = mus_mesh_get_vertices(mesh), .faces = faces,
                              .vertex_count = mus_mesh_get_vertex_count(mesh), .face_count = count};
        mus_mesh *turned = NULL;
        must(mus_mesh_create(&shape, &turned));
        mus_obstacle_def def = body_def(MUS_SHAPE_MESH, 3);
        def.mesh = turned;
        m = motion_of(world, add_body(world, def));
        near(m.center[0], 7, 1e-13, "center x"), near(m.center[1], -3, 1e-13, "y"), near(m.center[2], 11, 1e-13, "z");
        near(m.inertia[0][0], 3.0 / 12 * (0.01 + 0.16), 1e-12, "mesh x");
        near(m.inertia[2][2], 3.0 / 12 * (0.04 + 0.01), 1e-12, "mesh z");
        near(m.inertia[0][1], 0, 1e-12, "mesh xy");
        mus_mesh_destroy(turned);
        mus_mesh_destroy(mesh);
        free(faces);
    }
    mus_world_destroy(world);
}

/* Given values replace those of even density: a box with the tensor of another, its center moved; an open sheet. What
 * no solid has is refused. */
static void test_given_inertia(void **state) {
    (void)state;
    mus_world *world = bodies_world(0.01, 0, 1);
    mus_obstacle_def def = body_def(MUS_SHAPE_BOX, 3);
    def.has_center_of_mass = true, def.center_of_mass[0] = 0.05;
    mus_rigid_body_motion even = motion_of(world, add_body(world, body_def(MUS_SHAPE_BOX, 3)));
    mus_rigid_body_motion m = motion_of(world, add_body(world, def));
    near(m.center[0], 0.05, 0, "center");
    near(m.inertia[1][1], even.inertia[1][1], 0, "that of even density");
    def.has_inertia = true;
    double tensor[3][3] = {{0.02, 0.001, 0}, {0.001, 0.03, -0.002}, {0, -0.002, 0.04}};
    memcpy(def.inertia, tensor, sizeof tensor);
    v3_store(def.angular_velocity, v3_make(1, 2, 3));
    mus_obstacle_id id = add_body(world, def);
    m = motion_of(world, id);
    for (int k = 0; k < 9; k++) near(m.inertia[k / 3][k % 3], tensor[k / 3][k % 3], 1e-17, "tensor");
    near(m.angular_momentum[0], 0.02 + 0.001 * 2, 1e-16, "momentum x");
    near(m.angular_momentum[1], 0.001 + 0.03 * 2 - 0.002 * 3, 1e-16, "momentum y");
    /* an impulse at the box's middle turns it about the center given */
    must(mus_obstacle_apply_impulse(world, id, (double[3]){0, 1, 0}, (double[3]){0, 0, 0}));
    near(motion_of(world, id).angular_momentum[2] - m.angular_momentum[2], -0.05, 1e-15, "moment of the impulse");
    mus_world_destroy(world);

    world = bodies_world(0.01, 0, 1);
    def = body_def(MUS_SHAPE_MESH, 1);
    mus_mesh *sheet = grid_mesh(3, 3, 1, 1, "xz", v3_make(0, 0, 0));
    def.mesh = sheet, def.has_inertia = true;
    for (int k = 0; k < 3; k++) def.inertia[k][k] = k == 1 ? 2.0 / 12 : 1.0 / 12;
    mus_obstacle_id refused;
    must_be(MUS_STATUS_INVALID, mus_obstacle_create(world, &def, &refused));
    assert_non_null(strstr(mus_get_error_message(), "give 'inertia' and 'center_of_mass'"));
    def.has_center_of_mass = true;
    add_body(world, def);
    mus_mesh_destroy(sheet);
    static const double bad[4][3] = {{1, 1, 2.1}, {1, 1, 0}, {1, 1, -1}, {NAN, 1, 1}};
    for (int k = 0; k < 4; k++) {
        def = body_def(MUS_SHAPE_SPHERE, 1), def.has_inertia = true;
        for (int i = 0; i < 3; i++) def.inertia[i][i] = bad[k][i];
        must_be(MUS_STATUS_INVALID, mus_obstacle_create(world, &def, &refused));
        assert_non_null(strstr(mus_get_error_message(), "'inertia'"));
    }
    def.inertia[0][0] = 1, def.inertia[0][1] = 0.1;
    must_be(MUS_STATUS_INVALID, mus_obstacle_create(world, &def, &refused));
    assert_non_null(strstr(mus_get_error_message(), "symmetric"));
    def.dynamic = false, def.mass = 0;
    must_be(MUS_STATUS_INVALID, mus_obstacle_create(world, &def, &refused));
    mus_world_destroy(world);
}

/* ---- free motion ---- */

/* A thrown body that turns has the energy that it was given, at every step: the fall exactly, the turning of a ball
 * too.
 */
static void test_energy(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 120, g, 1);
    mus_obstacle_def def = body_def(MUS_SHAPE_SPHERE, 2);
    v3_store(def.pose.position, v3_make(0, 5, 0));
    v3_store(def.velocity, v3_make(1, 2, 0));
    v3_store(def.angular_velocity, v3_make(3, 0, 4));
    add_body(world, def);
    double turning = 0.5 * 0.4 * 2 * 0.01 * 25, wanted = 0.5 * 2 * 5 + turning + 2 * g * 5;
    double below = 2 * g * g / (8 * 120 * 120); /* the middle of a chord is g h^2/8 below its arc */
    for (int k = 0; k < 60; k++) {
        mus_energy e;
        must(mus_world_get_energy(world, &e));
        near(e.total, wanted - (k ? below : 0), 1e-11, "total"), near(e.rotational, turning, 1e-14, "rotational");
        near(e.kinetic + e.gravitational, e.total, 1e-11, "sum");
        steps(world, 1);
    }
    mus_world_destroy(world);
}

static void test_falls(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 120, g, 1);
    mus_obstacle_def def = body_def(MUS_SHAPE_BOX, 2);
    v3_store(def.pose.position, v3_make(0.3, 5, 0.1));
    v3_store(def.velocity, v3_make(1, 2, -0.5));
    v3_store(def.angular_velocity, v3_make(3, -2, 1));
    mus_obstacle_id id = add_body(world, def);
    for (int k = 1; k <= 40; k++) {
        steps(world, 1);
        double t = mus_world_get_time(world);
        v3 c = center_of(world, id);
        near(c.y, 5 + 2 * t - g * t * t / 2, 1e-12, "height");
        near(c.x, 0.3 + t, 1e-12, "x"), near(c.z, 0.1 - 0.5 * t, 1e-12, "z");
    }
    /* an impulse at the center changes the velocity; beside it, the angular momentum by r x j too */
    mus_rigid_body_motion before = motion_of(world, id);
    v3 at = v3_add(v3_load(before.center), v3_make(0.1, 0, 0.2)), j = v3_make(0.5, 1, 0);
    must(mus_obstacle_apply_impulse(world, id, (double[3]){j.x, j.y, j.z}, (double[3]){at.x, at.y, at.z}));
    mus_rigid_body_motion after = motion_of(world, id);
    v3 turn = v3_cross(v3_make(0.1, 0, 0.2), j);
    for (int k = 0; k < 3; k++) {
        near(after.velocity[k] - before.velocity[k], v3_get(j, k) / 2, 1e-14, "impulse");
        near(after.angular_momentum[k] - before.angular_momentum[k], v3_get(turn, k), 1e-14, "its moment");
    }
    mus_world_destroy(world);
}

/* A box spun about its middle axis, which is unstable: it tumbles. Angular momentum stays as it is, bit for bit; the
 * energy wavers with h^2 (measured below) and does not drift: after 20 turns no further off than in the first. */
static double tumble(double dt, double *late) {
    mus_world *world = bodies_world(dt, 0, 1);
    mus_obstacle_def def = body_def(MUS_SHAPE_BOX, 2);
    v3_store(def.angular_velocity, v3_make(6, 0.01, 0.02));
    def.size[0] = 0.2, def.size[1] = 0.1, def.size[2] = 0.3;
    mus_obstacle_id id = add_body(world, def);
    mus_rigid_body_motion first = motion_of(world, id);
    double e = kinetic(&first), worst = 0, turned = 1;
    int count = (int)floor(20 / dt + 0.5);
    *late = 0;
    for (int k = 0; k < count; k++) {
        steps(world, 1);
        mus_rigid_body_motion m = motion_of(world, id);
        assert_memory_equal(m.angular_momentum, first.angular_momentum, sizeof m.angular_momentum);
        double off = fabs(kinetic(&m) / e - 1);
        if (k < count / 2) worst = fmax(worst, off);
        if (k >= count / 2) *late = fmax(*late, off);
        mus_pose pose;
        must(mus_obstacle_get_pose(world, id, &pose));
        turned = fmin(turned, m3_from_quaternion(pose.rotation).r[0].x);
    }
    assert_true(turned < -0.5); /* it did tumble: its middle axis came to look back */
    mus_world_destroy(world);
    return fmax(worst, 1e-15);
}

static void test_spins(void **state) {
    (void)state;
    double late, late_half, wide = tumble(0.01, &late), fine = tumble(0.005, &late_half);
    assert_true(wide < 4e-3);
    assert_true(late < 1.2 * wide && late_half < 1.2 * fine);
    assert_in_range((int)(10 * wide / fine), 35, 45); /* second order */
}

/* ---- planes ---- */

/* A ball from rest on an incline, which does not slip: 5/7 g sin. The first steps close the gap that is kept, so the
 * way is measured from a later moment on. */
static void test_rolls(void **state) {
    (void)state;
    double angle = 20 * pi / 180, dt = 1.0 / 240;
    mus_world *world = bodies_world(dt, g, 1);
    v3 n = v3_make(mus_sin(angle), mus_cos(angle), 0), down = v3_make(mus_cos(angle), -mus_sin(angle), 0);
    add_plane(world, n, v3_make(0, 0, 0), 0.5);
    mus_obstacle_def def = body_def(MUS_SHAPE_SPHERE, 1.5);
    def.friction = 0.5;
    v3_store(def.pose.position, v3_scale(0.1 + 2e-4, n));
    mus_obstacle_id id = add_body(world, def);
    steps(world, 60);
    double v0 = v3_dot(down, v3_load(motion_of(world, id).velocity)), t = 120 * dt;
    steps(world, 120);
    mus_rigid_body_motion m = motion_of(world, id);
    double v1 = v3_dot(down, v3_load(m.velocity)), wanted = 5.0 / 7 * g * mus_sin(angle);
    near((v1 - v0) / t, wanted, 1e-3 * wanted, "acceleration");
    near(v1, -m.angular_velocity[2] * 0.1, 1e-3 * v1, "rolling");
    audited(world, 0);
    mus_world_destroy(world);
}

/* A box that slides: g (sin - mu cos). One that does not: stays. */
static void test_slides(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        double angle = 25 * pi / 180, mu = rough ? 0.6 : 0.3, dt = 1.0 / 240;
        mus_world *world = bodies_world(dt, g, 1);
        v3 n = v3_make(mus_sin(angle), mus_cos(angle), 0), down = v3_make(mus_cos(angle), -mus_sin(angle), 0);
        add_plane(world, n, v3_make(0, 0, 0), mu);
        mus_obstacle_def def = body_def(MUS_SHAPE_BOX, 1.5);
        def.friction = mu;
        v3_store(def.pose.position, v3_scale(0.05 + 4e-4, n));
        def.pose.rotation[0] = mus_cos(-angle / 2), def.pose.rotation[3] = mus_sin(-angle / 2);
        mus_obstacle_id id = add_body(world, def);
        steps(world, 60);
        double v0 = v3_dot(down, v3_load(motion_of(world, id).velocity)), t = 120 * dt;
        v3 from = center_of(world, id);
        steps(world, 120);
        mus_rigid_body_motion m = motion_of(world, id);
        double v1 = v3_dot(down, v3_load(m.velocity));
        double wanted = g * (mus_sin(angle) - mu * mus_cos(angle));
        if (rough)
            near(v3_length(v3_sub(center_of(world, id), from)), 0, 1e-5, "stays");
        else
            near((v1 - v0) / t, wanted, 0.01 * wanted, "acceleration");
        audited(world, 0);
        mus_world_destroy(world);
    }
}

/* A ball that bounces: speeds after each bounce fall by the restitution, within what a step of gravity is. Then rest.
 */
static void test_bounces(void **state) {
    (void)state;
    double dt = 1.0 / 240, e = 0.7;
    mus_world *world = bodies_world(dt, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    mus_obstacle_def def = body_def(MUS_SHAPE_SPHERE, 1.5);
    def.restitution = e;
    def.pose.position[1] = 1.1;
    mus_obstacle_id id = add_body(world, def);
    double speed = sqrt(2 * g * 1), last = 0;
    int bounces = 0;
    for (int k = 0; k < 1200; k++) {
        steps(world, 1);
        double v = motion_of(world, id).velocity[1];
        if (last < 0 && v > 0 && bounces < 5) {
            near(v, e * -last, 2.1 * g * dt, "bounce");
            near(v, e * speed, 0.05 * e * speed + g * dt, "speed");
            speed = v, bounces++;
        }
        last = v;
        audited(world, 0);
    }
    assert_int_equal(bounces, 5);
    mus_rigid_body_motion m = motion_of(world, id);
    near(v3_length(v3_load(m.velocity)), 0, 1e-9, "rest");
    near(m.center[1], 0.1 + 1e-4, 1e-4, "height at rest");
    mus_world_destroy(world);
}

/* A box dropped on a corner tumbles, and comes to rest on a face: no jitter, nothing below the plane in any step. */
static void test_comes_to_rest(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.6);
    mus_obstacle_def def = body_def(MUS_SHAPE_BOX, 1.5);
    def.friction = 0.6, def.restitution = 0.2;
    def.pose.position[1] = 0.6;
    turn(def.pose.rotation, v3_normalized(v3_make(1, 2, 3)), 0.8);
    v3_store(def.angular_velocity, v3_make(4, 1, -3));
    mus_obstacle_id id = add_body(world, def);
    for (int k = 0; k < 1000; k++) {
        steps(world, 1);
        if (k % 10 == 0) audited(world, 0);
    }
    mus_rigid_body_motion m = motion_of(world, id);
    near(v3_length(v3_load(m.velocity)), 0, 1e-6, "speed at rest");
    near(v3_length(v3_load(m.angular_velocity)), 0, 1e-5, "turning at rest");
    near(m.center[1], 0.05, 1e-3, "flat");
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_properties),
        cmocka_unit_test(test_given_inertia),
        UNDER_BOTH(test_energy),
        UNDER_BOTH(test_falls),
        UNDER_BOTH(test_spins),
        UNDER_BOTH(test_rolls),
        UNDER_BOTH(test_slides),
        UNDER_BOTH(test_bounces),
        UNDER_BOTH(test_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
