/* test_bodies_contact.c: rigid bodies against each other and against fixed and scripted obstacles: closed forms of
 * impact and friction, audits of every pair of shapes, stacks that rest. h is the step. */
#include "bodies.h"

static const double pi = 3.14159265358979323846;

/* ---- impact ---- */

/* Two balls head on: speeds after are those of Newton's law of impact, to rounding; with restitution 1 they keep their
 * energy. They are clear of each other throughout. */
static void test_head_on(void **state) {
    (void)state;
    static const double mass[2] = {1, 3}, e[3] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        mus_world *world = bodies_world(1.0 / 240, 0, 1);
        mus_obstacle_id id[2];
        for (int i = 0; i < 2; i++) {
            mus_obstacle_def def = mus_obstacle_def_default();
            def.shape = MUS_SHAPE_SPHERE, def.radius = 0.1, def.dynamic = true, def.mass = mass[i];
            def.restitution = e[k], def.pose.position[0] = i ? 0.4 : -0.4, def.velocity[0] = i ? -1 : 2;
            must(mus_obstacle_create(world, &def, &id[i]));
        }
        for (int n = 0; n < 100; n++) {
            must(mus_world_step(world));
            audited(world, 0);
        }
        double common = (1 * 2 - 3 * 1) / 4.0;
        near(motion_of(world, id[0]).velocity[0], common - e[k] * 3.0 / 4 * 3, 1e-12, "first");
        near(motion_of(world, id[1]).velocity[0], common + e[k] * 1.0 / 4 * 3, 1e-12, "second");
        mus_world_destroy(world);
    }
}

/* Every shape flies at every other, both free, off their middles and spinning: momentum is kept to rounding, angular
 * momentum to the way that the two fly in the step of their impact, h v of 1.7 cm, which is an arm for friction.
 * Nothing adds energy. */
static void test_all_pairs_fly(void **state) {
    (void)state;
    double worst = 0;
    for (int p = 0; p < SHAPES; p++)
        for (int q = p; q < SHAPES; q++) {
            mus_world *world = bodies_world(1.0 / 240, 0, 1);
            mus_obstacle_id id[2];
            id[0] = add_shape(world, p, 0.1, 1, v3_make(-0.3, 0.02, 0.01), 0.3, v3_make(2, 0, 0), v3_make(1, 4, -3));
            id[1] = add_shape(world, q, 0.1, 0.5, v3_make(0.3, 0, -0.02), 1.1, v3_make(-2, 0, 0), v3_make(0, -2, 5));
            momenta first = total_of(world, id, 2), now = first;
            for (int k = 0; k < 120; k++) {
                must(mus_world_step(world));
                audited(world, 0);
                now = total_of(world, id, 2);
                near(v3_length(v3_sub(now.linear, first.linear)), 0, 1e-13, shape_names[p]);
                assert_true(now.energy <= first.energy * (1 + 2e-3)); /* spinning wavers by h^2, test_bodies.c */
            }
            if (now.energy > 0.9 * first.energy) fail_msg("%s and %s never met", shape_names[p], shape_names[q]);
            worst = fmax(worst, v3_length(v3_sub(now.angular, first.angular)) / v3_length(first.angular));
            mus_world_destroy(world);
        }
    printf("# angular momentum off by %.3g of itself at worst\n", worst);
    assert_true(worst < 0.05);
}

/* Every shape falls on every shape that stands, over a floor: clear of both in every step, and none the faster. */
static void test_all_pairs_fall(void **state) {
    (void)state;
    for (int p = 0; p < SHAPES; p++)
        for (int q = 0; q < SHAPES; q++) {
            mus_world *world = bodies_world(1.0 / 240, g, 1);
            add_plane(world, v3_make(0, 1, 0), v3_make(0, -0.2, 0), 0.4);
            add_shape(world, q, 0.15, 0, v3_make(0, 0, 0), 0.7, v3_make(0, 0, 0), v3_make(0, 0, 0));
            mus_obstacle_id id =
                add_shape(world, p, 0.1, 2, v3_make(0.02, 0.45, 0.03), 0.2, v3_make(0, 0, 0), v3_make(2, 1, 3));
            double top = 0.5 * 2 * 0.02 + total_of(world, &id, 1).energy + 2 * g * motion_of(world, id).center[1];
            for (int k = 0; k < 360; k++) {
                must(mus_world_step(world));
                if (k % 3 == 0) audited(world, 0);
                mus_rigid_body_motion m = motion_of(world, id);
                double energy = total_of(world, &id, 1).energy + m.mass * g * m.center[1];
                if (energy > top) fail_msg("%s on %s: energy %g of %g J", shape_names[p], shape_names[q], energy, top);
            }
            mus_world_destroy(world);
        }
}

/* ---- rest ---- */

/* Boxes set down flush, as scripts write them: they part by their thickness and rest in a stack. */
static void test_stack(void **state) {
    (void)state;
    enum { BOXES = 6 };
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.5);
    mus_obstacle_id id[BOXES];
    for (int k = 0; k < BOXES; k++)
        id[k] = add_box(world, v3_make(0.2, 0.2, 0.2), 1, v3_make(0, 0.1 + 0.2 * k, 0), 0.5);
    for (int k = 0; k < 480; k++) {
        must(mus_world_step(world));
        if (k % 4 == 0) audited(world, 0);
    }
    for (int k = 0; k < BOXES; k++) {
        mus_rigid_body_motion m = motion_of(world, id[k]);
        /* h = thickness 2e-4, twice that between two boxes */
        near(m.center[1], 0.1 + 2e-4 + k * (0.2 + 4e-4), 1e-4, "height");
        near(m.center[0], 0, 4e-4, "sideways");
        near(v3_length(v3_load(m.velocity)), 0, 1e-3, "speed at rest");
        near(v3_length(v3_load(m.angular_velocity)), 0, 1e-3, "turning at rest");
    }
    mus_world_destroy(world);
}

/* Many shapes fall into a box that stands open: all stay in it, clear of each other, and the heap comes to rest. */
static void test_heap(void **state) {
    (void)state;
    enum { BODIES = 10 };
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_box(world, v3_make(0.8, 0.1, 0.8), 0, v3_make(0, -0.05, 0), 0.5);
    for (int k = 0; k < 4; k++) {
        double x = k < 2 ? (k ? 0.4 : -0.4) : 0, z = k < 2 ? 0 : (k == 2 ? 0.4 : -0.4);
        add_box(world, v3_make(k < 2 ? 0.1 : 0.7, 2, k < 2 ? 0.9 : 0.7 / 7), 0, v3_make(x, 1.001, z), 0.5);
    }
    mus_obstacle_id id[BODIES];
    for (int k = 0; k < BODIES; k++)
        id[k] =
            add_shape(world, k % SHAPES, 0.08, 0.5 + 0.2 * k, v3_make(0.03 * (k % 3), 0.2 + 0.25 * k, 0.02 * (k % 2)),
                      0.4 * k, v3_make(0, 0, 0), v3_make(k, 0, 1));
    for (int k = 0; k < 840; k++) {
        must(mus_world_step(world));
        if (k % 5 == 0) audited(world, 0);
    }
    double fastest = 0;
    for (int k = 0; k < BODIES; k++) {
        mus_rigid_body_motion m = motion_of(world, id[k]);
        assert_true(m.center[1] > 0 && fabs(m.center[0]) < 0.35 && fabs(m.center[2]) < 0.35);
        fastest = fmax(fastest, v3_length(v3_load(m.velocity)));
    }
    printf("# heap: fastest %.3g m/s\n", fastest);
    assert_true(fastest < 0.05);
    mus_world_destroy(world);
}

/* ---- friction and motion ---- */

/* A box on a box that stands askew: slides with g (sin - mu cos), or stays. */
static void test_slides(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        double angle = 25 * pi / 180, mu = rough ? 0.6 : 0.3;
        mus_world *world = bodies_world(1.0 / 240, g, 1);
        v3 n = v3_make(mus_sin(angle), mus_cos(angle), 0), down = v3_make(mus_cos(angle), -mus_sin(angle), 0);
        mus_obstacle_def def = mus_obstacle_def_default();
        def.shape = MUS_SHAPE_BOX, def.friction = mu;
        v3_store(def.size, v3_make(6, 0.2, 1));
        v3_store(def.pose.position, v3_scale(-0.1, n));
        turn(def.pose.rotation, v3_make(0, 0, 1), -angle);
        mus_obstacle_id id;
        must(mus_obstacle_create(world, &def, &id));
        def.dynamic = true, def.mass = 1.5;
        v3_store(def.size, v3_make(0.2, 0.1, 0.3));
        v3_store(def.pose.position, v3_scale(0.05 + 4e-4, n));
        must(mus_obstacle_create(world, &def, &id));
        for (int k = 0; k < 60; k++) must(mus_world_step(world));
        mus_rigid_body_motion from = motion_of(world, id);
        for (int k = 0; k < 120; k++) {
            must(mus_world_step(world));
            audited(world, 0);
        }
        mus_rigid_body_motion m = motion_of(world, id);
        double wanted = g * (mus_sin(angle) - mu * mus_cos(angle));
        if (rough)
            near(v3_length(v3_sub(v3_load(m.center), v3_load(from.center))), 0, 1e-5, "stays");
        else
            near(v3_dot(down, v3_sub(v3_load(m.velocity), v3_load(from.velocity))) / 0.5, wanted, 0.01 * wanted,
                 "acceleration");
        mus_world_destroy(world);
    }
}

static mus_status spin(void *user, double t, mus_pose *pose) {
    turn(pose->rotation, v3_make(0, 1, 0), *(const double *)user * t);
    return MUS_STATUS_OK;
}

/* Scripted obstacles move bodies: a turntable by friction, without slip once the body has caught up; one that comes
 * from the side by normal impulses. */
static void test_prescribed_motion(void **state) {
    (void)state;
    double rate = 1, speed = 1.5;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    mus_obstacle_id table = add_box(world, v3_make(1, 0.1, 1), 0, v3_make(0, 0, 0), 0.8);
    must(mus_obstacle_set_motion(world, table, spin, &rate));
    mus_obstacle_id rider = add_box(world, v3_make(0.1, 0.1, 0.1), 1, v3_make(0.3, 0.1004, 0), 0.8);
    v3 from = v3_make(0, 0, 0);
    for (int k = 0; k < 480; k++) {
        if (k == 240) from = v3_load(motion_of(world, rider).center);
        must(mus_world_step(world));
        if (k % 4 == 0) audited(world, 0);
    }
    mus_rigid_body_motion m = motion_of(world, rider);
    v3 to = v3_load(m.center);
    near(sqrt(m.center[0] * m.center[0] + m.center[2] * m.center[2]), 0.3, 1e-3, "radius");
    near(m.angular_velocity[1], rate, 1e-3, "turns along");
    near(mus_acos((from.x * to.x + from.z * to.z) / (0.3 * 0.3)), rate * 1, 3e-3, "a radian in a second");
    mus_world_destroy(world);

    world = bodies_world(1.0 / 240, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, -0.101, 0), 0);
    mus_obstacle_id ram = add_box(world, v3_make(0.2, 0.2, 0.2), 0, v3_make(-1, 0, 0), 0);
    must(mus_obstacle_set_motion(world, ram, move_along, &speed));
    mus_obstacle_id first = add_box(world, v3_make(0.2, 0.2, 0.2), 1, v3_make(-0.5, 0, 0), 0);
    mus_obstacle_id second =
        add_shape(world, SPHERE, 0.1, 0.1, v3_make(-0.1, 0, 0), 0, v3_make(0, 0, 0), v3_make(0, 0, 0));
    for (int k = 0; k < 480; k++) {
        must(mus_world_step(world));
        audited(world, 0);
    }
    near(motion_of(world, first).velocity[0], speed, 1e-6, "speed after the impact");
    assert_true(motion_of(world, second).velocity[0] >= speed - 1e-6);
    assert_true(motion_of(world, second).center[0] > motion_of(world, first).center[0] + 0.2);
    mus_world_destroy(world);
}

static mus_status roll(void *user, double t, mus_pose *pose) {
    double half = 0.5 * *(const double *)user * t, q[4] = {0.70710678118654752, 0.70710678118654752, 0, 0};
    double c = mus_cos(half), s = mus_sin(half); /* about z, after the capsule was laid along z */
    pose->rotation[0] = c * q[0], pose->rotation[1] = c * q[1], pose->rotation[2] = s * q[1],
    pose->rotation[3] = s * q[0];
    return MUS_STATUS_OK;
}

/* A plank on two rollers, capsules that turn in place: friction at their surface brings it to its speed, r w. */
static void test_rollers(void **state) {
    (void)state;
    double rate = -4;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    for (int k = 0; k < 2; k++) {
        mus_obstacle_def def = mus_obstacle_def_default();
        def.shape = MUS_SHAPE_CAPSULE, def.radius = 0.1, def.length = 0.4, def.friction = 0.5;
        def.pose.position[0] = k ? 0.3 : -0.3;
        roll(&rate, 0, &def.pose);
        mus_obstacle_id id;
        must(mus_obstacle_create(world, &def, &id));
        must(mus_obstacle_set_motion(world, id, roll, &rate));
    }
    mus_obstacle_id plank = add_box(world, v3_make(2, 0.04, 0.2), 1, v3_make(0, 0.1205, 0), 0.5);
    double last = 0;
    for (int k = 0; k < 150; k++) {
        must(mus_world_step(world));
        audited(world, 0);
        double v = motion_of(world, plank).velocity[0];
        if (k == 10) near((v - last) * 240, 0.5 * g, 0.02 * g, "slips, mu g");
        last = v;
    }
    near(last, 0.4, 1e-3, "the surface's speed");
    mus_world_destroy(world);
}

/* A small box, fast and spinning, at a thin wall: it does not get through in one step of 1/60 s, 300 times its
 * thickness. A body pressed against a fixed obstacle by a scripted one: no safe step, and both are named; nothing
 * moves. */
static void test_unsafe(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 60, 0, 1);
    add_box(world, v3_make(0.01, 2, 2), 0, v3_make(0, 0, 0), 0.3);
    mus_obstacle_id id =
        add_shape(world, BOX, 0.05, 1, v3_make(-1, 0, 0), 0.5, v3_make(180, 0, 0), v3_make(100, 50, 20));
    for (int k = 0; k < 30; k++) {
        must(mus_world_step(world));
        audited(world, 0);
        assert_true(motion_of(world, id).center[0] < 0);
    }
    mus_world_destroy(world);

    pinched_in_the_end(bodies_world(1.0 / 240, 0, 1), "pinch");
}

/* ---- cloth too ---- */

/* A box on a box on cloth on the floor, all at once. Impulses of repulsion leave what they part less than a step's
 * fall.
 */
static void test_with_cloth(void **state) {
    (void)state;
    double rest = pipeline.response ? 0.5 * g / 240 : 5e-3;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
    add_cloth(world, grid_mesh(13, 13, 0.4, 0.4, "xz", v3_make(0, 0.002, 0)), mus_cloth_def_default());
    mus_obstacle_id low = add_box(world, v3_make(0.15, 0.1, 0.12), 1, v3_make(0.02, 0.06, 0.01), 0.5);
    mus_obstacle_id high = add_box(world, v3_make(0.08, 0.06, 0.08), 0.5, v3_make(0.02, 0.15, 0.01), 0.5);
    for (int k = 0; k < 360; k++) {
        must(mus_world_step(world));
        if (k % 4 == 0) audited(world, 0);
    }
    mus_rigid_body_motion m = motion_of(world, low);
    near(m.center[1], 0.05 + 1e-3, 6e-4, "on the cloth");
    near(v3_length(v3_load(m.velocity)), 0, rest, "rest");
    m = motion_of(world, high);
    near(m.center[1], 0.13 + 1.2e-3, 8e-4, "on the box");
    near(v3_length(v3_load(m.velocity)), 0, rest, "rest");
    mus_world_destroy(world);
}

/* Heavy bodies are thrown, spinning, at cloth that lies on an obstacle: where cloth is pinched between the two, and
 * cannot follow both, the fail-safe joins them into one zone. The step succeeds and nothing passes. */
static void test_pinched_cloth(void **state) {
    (void)state;
    for (int p = 0; p < SHAPES; p++) {
        mus_world *world = bodies_world(1.0 / 60, g, 1);
        add_box(world, v3_make(12, 0.1, 12), 0, v3_make(0, -0.05, 0), 0.7);
        add_cloth(world, grid_mesh(9, 9, 0.5, 0.5, "xz", v3_make(0, 0.02, 0)), mus_cloth_def_default());
        mus_obstacle_id id =
            add_shape(world, p, 0.08, 30, v3_make(0.02, 0.4, 0.03), 0.5 + p, v3_make(3, -6, -2), v3_make(14, -11, 17));
        for (int k = 0; k < 60; k++) {
            must(mus_world_step(world));
            audited(world, 0);
        }
        mus_rigid_body_motion m = motion_of(world, id);
        assert_true(m.center[1] > 0);
        mus_world_destroy(world);
    }
}

/* ---- state ---- */

static mus_world *jumble(int threads, mus_obstacle_id id[4]) {
    mus_world *world = bodies_world(1.0 / 120, g, threads);
    add_box(world, v3_make(1, 0.1, 1), 0, v3_make(0, -0.05, 0), 0.5);
    add_cloth(world, grid_mesh(9, 9, 0.4, 0.4, "xz", v3_make(0, 0.9, 0)), mus_cloth_def_default());
    for (int k = 0; k < 4; k++)
        id[k] = add_shape(world, k, 0.08, 0.5 + 0.2 * k, v3_make(0.03 * k, 0.15 + 0.19 * k, 0.02 * (k % 2)), 0.4 * k,
                          v3_make(0, 0, 0), v3_make(k, 0, 1));
    return world;
}

/* Any number of threads, a snapshot taken among contacts: the same bits. */
static void test_state(void **state) {
    (void)state;
    mus_obstacle_id id[4];
    mus_world *world = jumble(1, id), *other = jumble(3, id);
    same_trajectory(world, other, 60, 60);
    mus_world_destroy(world);
    mus_world_destroy(other);
}

static int64_t requests;
static void *counted(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user, (void)old_size;
    requests += new_size > 0;
    if (new_size) return realloc(block, new_size);
    free(block);
    return NULL;
}

/* Bodies that lie on each other and one that rolls over them take no memory, once there has been enough. */
static void test_no_memory(void **state) {
    (void)state;
    mus_set_allocator(counted, NULL);
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    add_box(world, v3_make(1, 0.1, 1), 0, v3_make(0, -0.05, 0), 0.5);
    for (int k = 0; k < 3; k++) add_box(world, v3_make(0.2, 0.2, 0.2), 1, v3_make(0, 0.1 + 0.2 * k, 0), 0.5);
    mus_obstacle_id ball =
        add_shape(world, SPHERE, 0.05, 0.2, v3_make(-0.45, 0.051, 0.3), 0, v3_make(0.3, 0, 0), v3_make(0, 0, -6));
    for (int k = 0; k < 120; k++) must(mus_world_step(world));
    int64_t before = requests;
    for (int k = 0; k < 120; k++) must(mus_world_step(world));
    assert_int_equal(requests, before);
    assert_true(motion_of(world, ball).velocity[0] > 0.2);
    mus_world_destroy(world);
    mus_set_allocator(NULL, NULL);
}

/* Contacts of bodies are listed: their forces are what a body weighs. */
static void test_contacts(void **state) {
    (void)state;
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    mus_obstacle_id base = add_box(world, v3_make(1, 0.1, 1), 0, v3_make(0, -0.05, 0), 0.5);
    mus_obstacle_id box = add_box(world, v3_make(0.2, 0.2, 0.2), 2, v3_make(0, 0.1, 0), 0.5);
    const mus_object_id upper = mus_object_from_obstacle(box), lower = mus_object_from_obstacle(base);
    for (int k = 0; k < 240; k++) must(mus_world_step(world));
    int64_t count;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    v3 sum = v3_make(0, 0, 0);
    for (int64_t k = 0; k < count; k++) {
        bool first = mus_object_is_same(contacts[k].object[0], upper);
        assert_true(mus_object_is_same(contacts[k].object[first ? 1 : 0], lower));
        assert_true(mus_object_is_same(contacts[k].object[first ? 0 : 1], upper));
        double up = first ? 1 : -1;
        sum = v3_axpy(up, v3_load(contacts[k].impulse), sum);
    }
    near(sum.y * 240, 2 * g, 1e-3 * 2 * g, "weight");
    mus_world_destroy(world);
}

/* ---- the auditor ---- */

/* Every pair of shapes, one of them dynamic, 1 mm into each other along x and 1 mm apart; faces by the tips that are
 * nearest. The auditor finds the first and not the second, and a step refuses it. */
static void test_audit(void **state) {
    (void)state;
    static const double half[SHAPES] = {0.1, 0.06, 0.08, 0.13, 0.13 / 1.7320508075688772};
    for (int p = 0; p < SHAPES; p++)
        for (int q = 0; q < SHAPES; q++)
            for (int in = 0; in < 2; in++) {
                mus_world *world = bodies_world(0.01, 0, 1);
                v3 zero = v3_make(0, 0, 0);
                double offset = p == STAR || q == STAR ? 0.13 / 1.7320508075688772 : 0;
                if (p == STAR && q == STAR) offset = 0;
                double apart = half[p] + half[q] + (in ? -1e-3 : 1e-3);
                /* a star's tips lie along (1, 1, 1): the other shape's middle is put on that level */
                add_shape(world, p, 0.1, 1, v3_make(0, p == STAR ? -offset : 0, p == STAR ? -offset : 0), 0, zero,
                          zero);
                add_shape(world, q, 0.1, 0, v3_make(apart, q == STAR ? -offset : 0, q == STAR ? -offset : 0), 0, zero,
                          zero);
                mus_audit_report report;
                must(mus_world_audit(world, 0, &report));
                if ((report.finding_count > 0) != in)
                    fail_msg("%s and %s: %lld findings", shape_names[p], shape_names[q],
                             (long long)report.finding_count);
                mus_audit_report_destroy(&report);
                must_be(in ? MUS_STATUS_OVERLAP : MUS_STATUS_OK, mus_world_step(world));
                mus_world_destroy(world);
            }
    /* one wholly inside another */
    for (int p = 0; p < SHAPES; p++) {
        mus_world *world = bodies_world(0.01, 0, 1);
        v3 zero = v3_make(0, 0, 0);
        add_shape(world, p, 0.01, 1, zero, 0, zero, zero);
        add_shape(world, BOX, 0.5, 0, zero, 0, zero, zero);
        must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNDER_BOTH(test_head_on),
        UNDER_BOTH(test_all_pairs_fly),
        UNDER_BOTH(test_all_pairs_fall),
        UNDER_BOTH(test_stack),
        UNDER_BOTH(test_heap),
        UNDER_BOTH(test_slides),
        UNDER_BOTH(test_prescribed_motion),
        UNDER_BOTH(test_rollers),
        UNDER_BOTH(test_unsafe),
        UNDER_BOTH(test_with_cloth),
        UNDER_BOTH(test_pinched_cloth),
        UNDER_BOTH(test_state),
        UNDER_BOTH(test_no_memory),
        UNDER_BOTH(test_contacts),
        UNDER_BOTH(test_audit),
        UNDER_OFFSET(test_all_pairs_fall),
        UNDER_OFFSET(test_heap),
        UNDER_OFFSET(test_with_cloth),
        UNDER_OFFSET(test_pinched_cloth),
        UNDER_OFFSET(test_no_memory),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
