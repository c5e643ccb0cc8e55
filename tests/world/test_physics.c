/* test_physics.c: motion against closed forms, for every integrator. Tolerances are stated beside their reasons; h is
 * the step. */
#include "scene.h"

static const double g = 9.81, pi = 3.14159265358979323846;
static const char *const integrators[] = {"implicit_euler", "semi_implicit_euler", "verlet", "rk4",
                                          "explicit_euler", "position_based",      "coupled"};
/* Contacts after dynamics, but for the last: implicit Euler solved together with contacts, which test_coupled plays;
 * INTEGRATORS does not count it. */
enum { IMPLICIT, SEMI_IMPLICIT, VERLET, RK4, EXPLICIT, POSITION_BASED, COUPLED };
enum { INTEGRATORS = COUPLED };

static mus_world *make_world(const char *integrator, double dt, double gravity, double air) {
    mus_world_def def = mus_world_def_default();
    def.dt = dt, def.gravity[1] = -gravity, def.air_density = air, def.threads = 1;
    if (strcmp(integrator, "coupled") == 0)
        def.pipeline.response = "coupled";
    else
        def.pipeline.integrator = integrator, def.pipeline.response = "bridson";
    return world_of(def);
}

static double seconds(mus_world *world, double t) {
    int count = (int)floor(t / mus_world_get_step_size(world) + 0.5);
    steps(world, count);
    return count * mus_world_get_step_size(world);
}

/* A sheet turned out of all axes, at some distance from the origin. */
static mus_mesh *tilted(mus_mesh *mesh) {
    double matrix[12] = {0}, q[4];
    turn(q, v3_normalized(v3_make(1, 2, 3)), 0.7);
    m3 r = m3_from_quaternion(q);
    for (int k = 0; k < 3; k++) v3_store(matrix + 4 * k, r.r[k]);
    matrix[3] = 0.3, matrix[7] = 2, matrix[11] = -0.7;
    mus_mesh_transform(mesh, matrix);
    return mesh;
}

/* ---- free fall ---- */

/* Nothing acts inside a sheet that falls: every vertex moves by the same x = x_0 + t v_0 + g t^2/2, within rounding and
 * at every step; v is that of half a step (or substep) ago. */
static void falls_rigidly(int k, mus_mesh *mesh) {
    mus_world *world = make_world(integrators[k], 1.0 / 120, g, 0);
    mus_cloth_def def = mus_cloth_def_default();
    def.material.bend = 50; /* every kind of spring there is */
    v3_store(def.velocity, v3_make(0.5, 1, -0.25));
    mus_cloth_id id = add_cloth(world, mesh, def);
    int32_t n = mus_cloth_get_vertex_count(world, id);
    double *start = malloc(sizeof(double) * 3 * (size_t)n);
    memcpy(start, mus_cloth_get_positions(world, id), sizeof(double) * 3 * (size_t)n);
    double h = mus_world_get_step_size(world), y = start[1];
    for (int s = 1; s <= 12; s++) {
        seconds(world, h);
        near(vertex_of(world, id, 0).y, y + s * h - g * s * h * s * h / 2, 1e-12, "height after some steps");
    }
    must(mus_world_advance(world, 0.03)); /* in steps of another length */
    double t = 12 * h + 0.03 + seconds(world, 0.5);
    mus_stats stats;
    mus_world_get_stats(world, &stats);
    int parts = k == IMPLICIT || k == POSITION_BASED || k == COUPLED ? 1 : stats.iterations;
    if (k == IMPLICIT || k == COUPLED)
        assert_int_equal(stats.iterations, 0); /* the solver's first guess is the solution */
    double lag = k == RK4 ? 0 : h / parts / 2;
    for (int32_t i = 0; i < n; i++) {
        v3 v = velocity_of(world, id, i), x = vertex_of(world, id, i);
        near(v.x, 0.5, 1e-11, "velocity x");
        near(v.y, 1 - g * (t - lag), 1e-11, "velocity y");
        near(v.z, -0.25, 1e-11, "velocity z");
        near(x.x, start[3 * i] + 0.5 * t, 1e-11, "position x");
        near(x.y, start[3 * i + 1] + t - g * t * t / 2, 1e-11, "position y");
        near(x.z, start[3 * i + 2] - 0.25 * t, 1e-11, "position z");
    }
    free(start);
    mus_world_destroy(world);
}

static void test_free_fall(void **state) {
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        falls_rigidly(k, tilted(grid_mesh(9, 7, 0.4, 0.3, "xy", v3_make(0, 0, 0))));
        mus_mesh *mesh;
        must(mus_mesh_create_sphere(0.2, 2, (double[3]){0, 0, 0}, &mesh)); /* bent at rest */
        falls_rigidly(k, tilted(mesh));
        must(mus_mesh_create_disc(0.2, 4, "xz", (double[3]){0, 0, 0}, &mesh));
        falls_rigidly(k, tilted(mesh));
    }
}

/* ---- spin ---- */

static v3 angular_momentum(mus_world *world, mus_cloth_id id) {
    v3 center = centroid_of(world, id), sum = v3_make(0, 0, 0);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        sum = v3_axpy(mus_cloth_get_masses(world, id)[i],
                      v3_cross(v3_sub(vertex_of(world, id, i), center), velocity_of(world, id, i)), sum);
    return sum;
}

/* Share of the angular momentum that a spinning stiff disc loses in 0.2 s. */
static double spin_loss(int k, double dt, double damping) {
    mus_world *world = make_world(integrators[k], dt, 0, 0);
    mus_cloth_def def = mus_cloth_def_default();
    def.material.stretch = def.material.shear = 300;
    def.material.damping = damping, def.material.bending_damping = damping;
    def.self_collision = false;
    mus_mesh *mesh;
    must(mus_mesh_create_disc(0.1, 3, "xz", (double[3]){0, 0, 0}, &mesh));
    mus_cloth_id id = add_cloth(world, tilted(mesh), def);
    double q[4];
    turn(q, v3_normalized(v3_make(1, 2, 3)), 0.7);
    m3 r = m3_from_quaternion(q);
    v3 spin = v3_scale(5, m3_mul_v3(&r, v3_make(0, 1, 0))), center = centroid_of(world, id);
    double *v = mus_cloth_get_velocities(world, id);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        v3_store(v + 3 * i, v3_cross(spin, v3_sub(vertex_of(world, id, i), center)));
    seconds(world,
            dt); /* from here on the velocity is that of a chord, whose angular momentum about its start is less */
    double before = v3_length(angular_momentum(world, id));
    seconds(world, 0.2);
    double loss = 1 - v3_length(angular_momentum(world, id)) / before;
    print_message("%s, dt 1/%.0f s, damping %g s: loss of spin %.3g\n", integrators[k], 1 / dt, damping, loss);
    mus_world_destroy(world);
    return loss;
}

/* No force within a cloth turns it as a whole: its angular momentum stays, damped or not, at any step. Only while
 * tension builds up from the spin may implicit Euler lose a millionth of that momentum, as energy is not to grow, and
 * the position-based integrator, which loses more, a few ten-thousandths. Explicit Euler evaluates forces at the
 * positions of a substep ago, and gains angular momentum. */
static void test_spin(void **state) {
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        double least = k == EXPLICIT ? 2e-4 : k == POSITION_BASED ? 5e-4 : k == IMPLICIT ? 1e-5 : 1e-12;
        near(spin_loss(k, 1.0 / 120, 2e-3), 0, least, "loss of spin");
        near(spin_loss(k, 1.0 / 480, 2e-3), 0, least, "loss of spin at a quarter of the step");
        near(spin_loss(k, 1.0 / 120, 2e-2), 0, least, "loss of spin, damped ten times");
    }
}

/* ---- air ---- */

/* m dv/dt = m g - rho c A v^2 / 2: v = w tanh(g t / w) with w = sqrt(2 m g / (rho c A)). */
static void test_terminal_speed(void **state) {
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        mus_world *world = make_world(integrators[k], 1.0 / 240, g, 1.2);
        mus_cloth_def def = mus_cloth_def_default();
        def.material.drag = 1.5;
        mus_cloth_id id = add_cloth(world, grid_mesh(6, 6, 0.3, 0.3, "xz", v3_make(0, 0, 0)), def);
        double w = sqrt(2 * def.material.density * g / (1.2 * 1.5));
        double t = seconds(world, 0.15);
        double tanh_gt = 1 - 2 / (mus_exp(2 * g * t / w) + 1);
        near(-velocity_of(world, id, 14).y, w * tanh_gt, 0.02 * w, "speed at 0.15 s"); /* O(g h / w) */
        seconds(world, 3);
        for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++) {
            v3 v = velocity_of(world, id, i);
            near(v.y, -w, 1e-9 * w, "terminal speed"); /* a fixed point of either integrator */
            near(v.x, 0, 1e-9, "sideways speed");
        }
        mus_world_destroy(world);
    }
}

/* Carried by a wind along its normal the lag u falls by du/dt = -q u^2, q = rho c / (2 density): u = u0/(1 + q u0 t).
 */
static void test_wind(void **state) {
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        mus_world *world = make_world(integrators[k], 1.0 / 480, 0, 1.2);
        must(mus_world_set_wind(world, (double[3]){3, 0, 0}));
        mus_cloth_def def = mus_cloth_def_default();
        mus_cloth_id id = add_cloth(world, grid_mesh(5, 5, 0.2, 0.2, "yz", v3_make(0, 0, 0)), def);
        double q = 1.2 * def.material.drag / (2 * def.material.density), t = seconds(world, 0.5);
        near(velocity_of(world, id, 7).x, 3 - 3 / (1 + q * 3 * t), 0.01 * 3, "speed in the wind");
        mus_world_destroy(world);
    }
}

/* ---- oscillation: a triangle that hangs by two corners ---- */

typedef struct pendulum {
    mus_world *world;
    mus_cloth_id id;
} pendulum;

/* Corners at (-a, 0, 0) and (a, 0, 0) are pinned, the third hangs b below their middle, swung out of the plane by
 * angle. */
static pendulum hang(const char *integrator, double dt, double gravity, double a, double b, double angle,
                     const mus_material *material) {
    pendulum p = {.world = make_world(integrator, dt, gravity, 0)};
    double x[9] = {-a, 0, 0, a, 0, 0, 0, -b * mus_cos(angle), b * mus_sin(angle)};
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertices = x, .faces = (int32_t[]){0, 2, 1}, .vertex_count = 3,
                        .face_count = 1};
    mus_mesh *mesh;
    must(mus_mesh_create(&def, &mesh));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.material = *material;
    p.id = add_cloth(p.world, mesh, cloth);
    must(mus_cloth_pin(p.world, p.id, (int32_t[]){0, 1}, 2));
    return p;
}

/* Mean time between zeros of one coordinate about `middle`, twice, over some periods; and the amplitude's ratio. */
static double period(pendulum *p, int axis, double middle, int wanted) {
    double last = vertex_of(p->world, p->id, 2).y, first = -1, at = 0;
    int crossings = -1;
    last = v3_get(vertex_of(p->world, p->id, 2), axis) - middle;
    while (crossings < wanted) {
        steps(p->world, 1);
        double now = v3_get(vertex_of(p->world, p->id, 2), axis) - middle;
        if ((last < 0) != (now < 0)) {
            at = mus_world_get_time(p->world) - mus_world_get_step_size(p->world) * now / (now - last);
            if (first < 0) first = at;
            crossings++;
        }
        last = now;
        assert_true(mus_world_get_time(p->world) < 60);
    }
    return 2 * (at - first) / wanted;
}

/* Out of the plane it is a gravity pendulum of length b: T = 2 pi sqrt(b/g) (1 + angle^2/16). */
static void test_gravity_pendulum(void **state) {
    (void)state;
    mus_material stiff = mus_material_default();
    stiff.stretch = 200, stiff.compression = 1, stiff.damping = 1e-2, stiff.strain_limit = 0;
    for (int k = 0; k < INTEGRATORS; k++) {
        double b = 0.2, angle = 0.1;
        pendulum p = hang(integrators[k], 1.0 / 960, g, 0.15, b, angle, &stiff);
        double wanted = 2 * pi * sqrt(b / g);
        near(period(&p, 2, 0, 4), wanted, 4e-3 * wanted, "period of the pendulum");
        mus_world_destroy(p.world);
    }
}

/* Within the plane two springs pull: w^2 = 2 k (b/l)^2 / m. Symplectic Euler: sin(w' h/2) = w h/2; implicit Euler:
 * tan(w' h) = w h, and the amplitude falls by 1/sqrt(1 + w^2 h^2) a step; the position-based is the same, solved to the
 * end. Explicit Euler takes no spring without damping. */
static void test_spring_pendulum(void **state) {
    (void)state;
    mus_material spring = mus_material_default();
    spring.stretch = 2, spring.compression = 1, spring.damping = 0, spring.strain_limit = 0;
    double a = 0.15, b = 0.2, l2 = a * a + b * b, m = spring.density * a * b / 3;
    double w = sqrt(2 * spring.stretch * b * b / l2 / m);
    for (int k = 0; k < INTEGRATORS; k++) {
        double h = 0.05 / w;
        h = 1 / (60 * floor(1 / (60 * h) + 1));
        if (k == EXPLICIT) continue;
        pendulum p = hang(integrators[k], h, 0, a, b, 0, &spring);
        double start_speed = 0.01 * b * w;
        mus_cloth_get_velocities(p.world, p.id)[7] = -start_speed;
        bool implicit = k == IMPLICIT || k == POSITION_BASED;
        double wh = w * h, shift = implicit ? mus_atan2(wh, 1) / wh : 2 * mus_asin(wh / 2) / wh;
        if (k == RK4) shift = 1;
        double wanted = 2 * pi / (w * shift);
        near(period(&p, 1, -b, 4), wanted, 3e-3 * wanted, "period of the spring pendulum");
        /* energy: m v^2/2 + m w^2 y^2/2, by the factor above squared each step */
        double y = vertex_of(p.world, p.id, 2).y + b, v = velocity_of(p.world, p.id, 2).y;
        double energy = (v * v + w * w * y * y) / (start_speed * start_speed),
               count = (double)mus_world_get_step_index(p.world);
        if (implicit)
            near(mus_log(energy) / -mus_log(1 + wh * wh), count, 0.02 * count, "steps computed from the lost energy");
        else
            near(energy, 1, k == RK4 ? 1e-3 : 2 * wh, "energy");
        mus_world_destroy(p.world);
    }
}

/* ---- catenary ---- */

/* A strip of length 1 that hangs from two points d apart: sinh(u)/u = 1/d, sag = (cosh(u) - 1) d/(2 u). It starts as a
 * V, which hangs 13 % deeper. */
static void test_catenary(void **state) {
    (void)state;
    double d = 0.8, lo = 0.1, hi = 3;
    for (int k = 0; k < 80; k++) {
        double u = (lo + hi) / 2, sinh_u = (mus_exp(u) - mus_exp(-u)) / 2;
        if (sinh_u / u < 1 / d)
            lo = u;
        else
            hi = u;
    }
    double cosh_u = (mus_exp(lo) + mus_exp(-lo)) / 2, c = d / (2 * lo), sag = c * (cosh_u - 1);
    for (int k = 0; k < INTEGRATORS; k++) {
        if (k == VERLET || k == EXPLICIT) continue; /* the same as the second, for hanging cloth; the slowest */
        /* forty sweeps do not carry the strip's weight along it in a long step */
        mus_world *world = make_world(integrators[k], k == POSITION_BASED ? 1.0 / 480 : 1.0 / 60, g, 1.2);
        mus_mesh *rest = grid_mesh(41, 2, 1, 0.04, "xz", v3_make(0, 0, 0)), *mesh;
        must(mus_mesh_copy(rest, &mesh));
        double *x = mus_mesh_get_vertices(mesh), fall = sqrt(1 - d * d);
        for (int32_t i = 0; i < 82; i++) x[3 * i + 1] = fall * (fabs(x[3 * i]) - 0.5), x[3 * i] *= d;
        mus_cloth_def def = mus_cloth_def_default();
        def.rest = rest;
        def.material.bending = 0, def.material.drag = 60, def.material.strain_limit = 0;
        def.material.stretch = k == 0 ? 800 : 100; /* less for substeps: their number grows with its root */
        def.self_collision = false;
        mus_cloth_id id = add_cloth(world, mesh, def);
        mus_mesh_destroy(rest);
        must(mus_cloth_pin(world, id, (int32_t[]){0, 40, 41, 81}, 4));
        near(-vertex_of(world, id, 20).y, 0.3, 1e-9, "sag of the start");
        seconds(world, 4);
        near(-vertex_of(world, id, 20).y, sag, 0.02 * sag, "sag of the strip");
        for (int32_t i = 0; i < 41; i++) {
            v3 p = vertex_of(world, id, i);
            double y = c * ((mus_exp(p.x / c) + mus_exp(-p.x / c)) / 2 - cosh_u);
            near(p.y, y, 0.02 * sag, "height on the catenary");
        }
        mus_world_destroy(world);
    }
}

/* ---- momentum ---- */

static double momentum_scale(mus_world *world, mus_cloth_id id) {
    double sum = 0;
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        sum += mus_cloth_get_masses(world, id)[i] * v3_length(velocity_of(world, id, i));
    return sum;
}

/* A crumpled sheet, every vertex with a velocity of its own. */
static void test_internal_momentum(void **state) {
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        mus_world *world = make_world(integrators[k], 1.0 / 120, 0, 0);
        mus_cloth_def def = mus_cloth_def_default();
        def.material.bend = 20, def.self_collision = false;
        mus_cloth_id id = add_cloth(world, tilted(grid_mesh(12, 9, 0.4, 0.3, "xz", v3_make(0, 0, 0))), def);
        mus_rng rng = mus_rng_make(5, 0);
        double *x = mus_cloth_get_positions(world, id), *v = mus_cloth_get_velocities(world, id);
        for (int32_t i = 0; i < 3 * mus_cloth_get_vertex_count(world, id); i++)
            x[i] += mus_rng_between(&rng, -4e-3, 4e-3), v[i] = 1 + mus_rng_between(&rng, -2, 2);
        must(mus_cloth_mark_positions_changed(world, id));
        v3 before = momentum_of(world, id);
        double scale = momentum_scale(world, id);
        steps(world, 60);
        double off = v3_length(v3_sub(momentum_of(world, id), before)) / scale;
        print_message("%s: momentum off by %.2g after 60 steps of internal forces\n", integrators[k], off);
        assert_true(off < 1e-12);
        mus_world_destroy(world);
    }
}

/* Two sheets meet off center; contact, friction, hits and the strain limit act. */
static void test_collision_momentum(void **state) {
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        mus_world *world = make_world(integrators[k], 1.0 / 120, 0, 0);
        mus_cloth_def def = mus_cloth_def_default();
        v3_store(def.velocity, v3_make(0, -3, 0.5));
        mus_cloth_id a = add_cloth(world, grid_mesh(9, 9, 0.2, 0.2, "xz", v3_make(0.05, 0.1, 0.02)), def);
        v3_store(def.velocity, v3_make(0, 1, 0));
        def.material.density = 0.5;
        def.restitution = 0.3;
        mus_cloth_id b = add_cloth(world, tilted(grid_mesh(8, 8, 0.2, 0.2, "xz", v3_make(0, 0, 0))), def);
        double *x = mus_cloth_get_positions(world, b);
        for (int32_t i = 0; i < 64; i++) x[3 * i] -= 0.3, x[3 * i + 1] -= 2.05, x[3 * i + 2] += 0.7;
        must(mus_cloth_mark_positions_changed(world, b));
        v3 before = v3_add(momentum_of(world, a), momentum_of(world, b));
        double scale = momentum_scale(world, a) + momentum_scale(world, b), speed = velocity_of(world, a, 40).y;
        int64_t hits = 0, contacts = 0;
        for (int s = 0; s < 60; s++) {
            steps(world, 1);
            mus_stats stats;
            mus_world_get_stats(world, &stats);
            hits += stats.ccd_hits, contacts += stats.contacts;
        }
        double off = v3_length(v3_sub(v3_add(momentum_of(world, a), momentum_of(world, b)), before)) / scale;
        print_message("%s: momentum off by %.2g after a collision (%lld contacts, %lld hits)\n", integrators[k], off,
                      (long long)contacts, (long long)hits);
        assert_true(contacts > 100);
        assert_true(fabs(velocity_of(world, a, 40).y - speed) > 1); /* they did meet */
        assert_true(off < 1e-12);
        mus_world_destroy(world);
    }
}

/* ---- contact with obstacles ---- */

typedef enum slope { PLANE, BOX, FACES, SLOPES } slope;

/* A small sheet laid on a slope; returns how far down it is after a second, and its speed. */
static double slide(const char *integrator, slope kind, double angle, double friction, double *speed) {
    mus_world *world = make_world(integrator, 1.0 / 120, g, 0);
    v3 normal = v3_make(mus_sin(angle), mus_cos(angle), 0), down = v3_make(mus_cos(angle), -mus_sin(angle), 0);
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_mesh *mesh = NULL;
    mus_obstacle_id obstacle;
    def.friction = friction;
    turn(def.pose.rotation, v3_make(0, 0, 1), -angle);
    if (kind == PLANE) {
        def.shape = MUS_SHAPE_PLANE;
    } else if (kind == BOX) {
        def.shape = MUS_SHAPE_BOX;
        def.size[0] = 16, def.size[1] = 1, def.size[2] = 2;
        v3_store(def.pose.position, v3_scale(-0.5, normal));
    } else {
        mesh = grid_mesh(40, 6, 16, 2, "xz", v3_make(0.01, 0, 0.02));
        def.mesh = mesh;
    }
    must(mus_obstacle_create(world, &def, &obstacle));
    mus_mesh_destroy(mesh);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.friction = friction;
    mesh = grid_mesh(5, 5, 0.1, 0.1, "xz", v3_make(0, cloth.thickness / 2, 0));
    double matrix[12] = {down.x, normal.x, 0, 0, down.y, normal.y, 0, 0, 0, 0, 1, 0};
    mus_mesh_transform(mesh, matrix);
    mus_cloth_id id = add_cloth(world, mesh, cloth);
    v3 start = centroid_of(world, id);
    double mass = mass_of(world, id);
    seconds(world, 1);
    *speed = v3_dot(down, v3_scale(1 / mass, momentum_of(world, id)));
    double gap = v3_dot(normal, centroid_of(world, id));
    /* without friction it slides at 3 m/s in the end, and may hop by 2 mm where faces meet */
    near(gap, cloth.thickness / 2, kind == FACES ? 2e-3 : 0.2 * cloth.thickness, "gap over the slope");
    double travel = v3_dot(down, v3_sub(centroid_of(world, id), start));
    mus_world_destroy(world);
    return travel;
}

/* Coulomb: it stays where mu > tan(angle), and slides with g (sin - mu cos) where mu < tan(angle). */
static void test_incline(void **state) {
    (void)state;
    const double degree = pi / 180;
    for (int k = 0; k < INTEGRATORS; k++)
        for (slope kind = PLANE; kind < (k > SEMI_IMPLICIT ? BOX : SLOPES); kind++) {
            double speed, angle = 20 * degree; /* tan = 0.364 */
            double stuck = slide(integrators[k], kind, angle, 1.01 * mus_tan(angle), &speed);
            near(stuck, 0, 1e-4, "travel of a sheet that should stick");
            /* with substeps, velocities are ahead of positions by half a step of gravity */
            near(speed, 0, k == IMPLICIT || k == POSITION_BASED ? 1e-9 : g / 120, "speed of a sheet that should stick");
            const double frictions[] = {0, 0.15, 0.31};
            for (int f = k == 0 ? 0 : 1; f < 3; f += k == 0 ? 1 : 2) {
                double a = g * (mus_sin(angle) - frictions[f] * mus_cos(angle));
                double travel = slide(integrators[k], kind, angle, frictions[f], &speed);
                /* speed is that of half a step, or substep, ago */
                near(speed, a, 0.005 * a, "speed after a second of sliding");
                near(travel, a / 2, 1e-3 * a / 2, "travel after a second of sliding");
            }
        }
}

/* Falls flat from rest over a height H, leaves the floor with e times the speed, rises e^2 H. One step of h is
 * uncertain at the bounce: 2 g h / v of the height. */
static double rebound(int k, double restitution, double H, bool mesh) {
    mus_world *world = make_world(integrators[k], 1.0 / 480, g, 0);
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id floor;
    def.restitution = restitution;
    def.shape = mesh ? MUS_SHAPE_BOX : MUS_SHAPE_PLANE;
    if (mesh) def.size[0] = def.size[2] = 1, def.size[1] = 0.2, def.pose.position[1] = -0.1;
    must(mus_obstacle_create(world, &def, &floor));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.material.stretch = cloth.material.shear = 2000;
    double low = cloth.thickness / 2;
    mus_cloth_id id = add_cloth(world, grid_mesh(4, 4, 0.1, 0.1, "xz", v3_make(0.01, low + H, 0.02)), cloth);
    double top = 0, t = sqrt(2 * H / g);
    seconds(world, t + 0.02);
    while (mus_world_get_time(world) < 3 * t + 0.02) {
        steps(world, 1);
        top = fmax(top, centroid_of(world, id).y - low);
    }
    mus_world_destroy(world);
    return top;
}

static void test_rebound(void **state) {
    (void)state;
    const double H = 0.2, e[] = {0, 0.3, 0.6, 0.9, 1};
    for (int k = 0; k < INTEGRATORS; k++)
        for (int c = k > 0; c < 5; c += k == 0 ? 1 : k == SEMI_IMPLICIT ? 2 : 3)
            for (int mesh = 0; mesh < (k > SEMI_IMPLICIT ? 1 : 2); mesh++)
                near(rebound(k, e[c], H, mesh), e[c] * e[c] * H, 0.02 * H, "height of the rebound");
}

/* ---- the coupled family ---- */

static void test_coupled(void **state) {
    (void)state;
    const double H = 0.2, e[] = {0, 0.3, 0.6, 0.9, 1};
    falls_rigidly(COUPLED, tilted(grid_mesh(9, 7, 0.4, 0.3, "xy", v3_make(0, 0, 0))));
    near(spin_loss(COUPLED, 1.0 / 120, 2e-3), 0, 1e-12, "loss of spin");
    near(spin_loss(COUPLED, 1.0 / 480, 2e-3), 0, 1e-12, "loss of spin at a quarter of the step");
    for (int mesh = 0; mesh < 2; mesh++)
        for (int c = 0; c < 5; c++)
            near(rebound(COUPLED, e[c], H, mesh), e[c] * e[c] * H, 0.02 * H, "height of the rebound");
    for (slope kind = PLANE; kind <= BOX; kind++) {
        double speed, angle = 20 * pi / 180, a = g * (mus_sin(angle) - 0.15 * mus_cos(angle));
        near(slide(integrators[COUPLED], kind, angle, 1.01 * mus_tan(angle), &speed), 0, 1e-5,
             "travel where it sticks");
        near(speed, 0, 1e-8, "speed where it sticks"); /* the solver stops at 0.02 m/s^2 */
        near(slide(integrators[COUPLED], kind, angle, 0.15, &speed), a / 2, 0.01 * a / 2, "travel where it slides");
        near(speed, a, 0.01 * a, "speed where it slides");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_terminal_speed),
        cmocka_unit_test(test_wind),
        cmocka_unit_test(test_gravity_pendulum),
        cmocka_unit_test(test_spring_pendulum),
        cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_internal_momentum),
        cmocka_unit_test(test_collision_momentum),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_rebound),
        cmocka_unit_test(test_coupled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
