/* bodies.h: what tests of rigid bodies share: worlds under some pipelines, makers of shapes, a sheet that holds them,
 * momenta.
 */
#ifndef MUS_TESTS_BODIES_H
#define MUS_TESTS_BODIES_H

#include "scene.h"

static const double g = 9.81;

/* Of the worlds that bodies_world makes, by the setup of a test: zero is `robust`. */
static mus_pipeline pipeline;
static inline int under_robust(void **state) {
    (void)state;
    pipeline = (mus_pipeline){0};
    return 0;
}
static inline int under_sequential(void **state) {
    (void)state;
    pipeline = (mus_pipeline)STAGES_SEQUENTIAL;
    return 0;
}
static inline int under_bridson(void **state) {
    (void)state;
    pipeline = (mus_pipeline)STAGES_BRIDSON;
    return 0;
}
static inline int under_offset(void **state) {
    (void)state;
    pipeline = (mus_pipeline)STAGES_OFFSET;
    return 0;
}
#define UNDER_SEQUENTIAL(test)                                                                                         \
    { #test " under sequential", test, under_sequential, under_robust, NULL }
#define UNDER_OFFSET(test)                                                                                             \
    { #test " under offset", test, under_offset, under_robust, NULL }
#define UNDER_BOTH(test)                                                                                               \
    {#test, test, under_robust, NULL, NULL}, {                                                                         \
#test " under bridson", test, under_bridson, under_robust, NULL                                                \
    }

static inline mus_world *bodies_world(double dt, double gravity, int threads) {
    mus_world_def def = still_air(dt, gravity);
    def.threads = threads, def.pipeline = pipeline;
    return world_of(def);
}

static inline mus_obstacle_def ball_def(double radius, double mass, v3 at) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_SPHERE, def.radius = radius, def.dynamic = true, def.mass = mass;
    v3_store(def.pose.position, at);
    return def;
}

static inline mus_obstacle_def box_def(v3 size, double mass, v3 at) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_BOX, def.dynamic = true, def.mass = mass;
    v3_store(def.size, size);
    v3_store(def.pose.position, at);
    return def;
}

/* An octahedron, convex; and one with a pyramid on each face: a star, concave. `size`: m, from the middle to a tip. */
static inline mus_mesh *octahedron(double size, bool star) {
    static const double corner[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static const int32_t face[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                       {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    double vertices[14 * 3];
    int32_t faces[24 * 3], count = 0;
    for (int k = 0; k < 6; k++)
        for (int c = 0; c < 3; c++) vertices[3 * k + c] = (star ? 0.55 : 1) * size * corner[k][c];
    for (int f = 0; f < 8; f++) {
        for (int c = 0; c < 3; c++)
            vertices[3 * (6 + f) + c] =
                size * (corner[face[f][0]][c] + corner[face[f][1]][c] + corner[face[f][2]][c]) / sqrt(3);
        for (int k = 0; k < (star ? 3 : 1); k++) {
            int32_t third = star ? 6 + f : face[f][2];
            faces[3 * count] = face[f][k], faces[3 * count + 1] = face[f][(k + 1) % 3], faces[3 * count++ + 2] = third;
        }
    }
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertices = vertices, .faces = faces,
                        .vertex_count = star ? 14 : 6, .face_count = count};
    mus_mesh *mesh = NULL;
    must(mus_mesh_create(&def, &mesh));
    return mesh;
}

enum { SPHERE, CAPSULE, BOX, CONVEX, STAR, SHAPES };
static const char *const shape_names[SHAPES] = {"sphere", "capsule", "box", "convex mesh", "star"};

/* Each about 0.1 m across the middle. */
static inline mus_obstacle_id add_shape(mus_world *world, int shape, double size, double mass, v3 at, double angle,
                                        v3 v, v3 spin) {
    mus_obstacle_def def = mus_obstacle_def_default();
    static const mus_shape shapes[SHAPES] = {MUS_SHAPE_SPHERE, MUS_SHAPE_CAPSULE, MUS_SHAPE_BOX, MUS_SHAPE_MESH,
                                             MUS_SHAPE_MESH};
    def.shape = shapes[shape], def.radius = shape == CAPSULE ? 0.6 * size : size, def.length = size;
    v3_store(def.size, v3_make(1.6 * size, 1.2 * size, 2 * size));
    mus_mesh *mesh = shape >= CONVEX ? octahedron(1.3 * size, shape == STAR) : NULL;
    def.mesh = mesh;
    def.dynamic = mass > 0, def.mass = mass, def.friction = 0.4;
    if (mass == 0) def.thickness = 1e-4;
    v3_store(def.pose.position, at);
    turn(def.pose.rotation, v3_normalized(v3_make(1, 2, 3)), angle);
    if (mass > 0) v3_store(def.velocity, v), v3_store(def.angular_velocity, spin);
    mus_obstacle_id id;
    must(mus_obstacle_create(world, &def, &id));
    mus_mesh_destroy(mesh);
    return id;
}

static inline mus_obstacle_id add_box(mus_world *world, v3 size, double mass, v3 at, double friction) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_BOX, def.dynamic = mass > 0, def.mass = mass, def.friction = friction;
    v3_store(def.size, size);
    v3_store(def.pose.position, at);
    mus_obstacle_id id;
    must(mus_obstacle_create(world, &def, &id));
    return id;
}

/* A motion along x from -1 m; user: its speed, m/s. */
static inline mus_status move_along(void *user, double t, mus_pose *pose) {
    pose->position[0] = -1 + *(const double *)user * t;
    return MUS_STATUS_OK;
}

/* A scripted obstacle presses a rigid body against a fixed obstacle: no safe step, the message contains `word`, and
 * nothing moves. */
static inline void pinched_in_the_end(mus_world *world, const char *word) {
    double speed = 1;
    mus_obstacle_id ram = add_box(world, v3_make(0.2, 0.2, 0.2), 0, v3_make(-1, 0, 0), 0);
    must(mus_obstacle_set_motion(world, ram, move_along, &speed));
    add_box(world, v3_make(0.2, 0.2, 0.2), 1, v3_make(-0.5, 0, 0), 0);
    add_box(world, v3_make(0.2, 0.2, 0.2), 0, v3_make(-0.1, 0, 0), 0);
    mus_status status = MUS_STATUS_OK;
    uint64_t hash = 0;
    for (int k = 0; k < 240 && status == MUS_STATUS_OK; k++) {
        hash = mus_world_get_hash(world);
        status = mus_world_step(world);
        if (status == MUS_STATUS_OK) audited(world, 0);
    }
    assert_int_equal(status, MUS_STATUS_NO_SAFE_STEP);
    assert_non_null(strstr(mus_get_error_message(), word));
    assert_true(hash == mus_world_get_hash(world));
    mus_world_destroy(world);
}

typedef struct momenta {
    v3 linear, angular; /* about the origin */
    double energy;      /* J, kinetic */
} momenta;

/* Of bodies. */
static inline momenta total_of(const mus_world *world, const mus_obstacle_id *id, int count) {
    momenta sum = {{0, 0, 0}, {0, 0, 0}, 0};
    for (int k = 0; k < count; k++) {
        mus_rigid_body_motion m = motion_of(world, id[k]);
        v3 p = v3_scale(m.mass, v3_load(m.velocity));
        sum.linear = v3_add(sum.linear, p);
        sum.angular = v3_add(sum.angular, v3_add(v3_load(m.angular_momentum), v3_cross(v3_load(m.center), p)));
        sum.energy += 0.5 * v3_dot(p, v3_load(m.velocity)) +
                      0.5 * v3_dot(v3_load(m.angular_velocity), v3_load(m.angular_momentum));
    }
    return sum;
}

/* Of a cloth and a body. */
static inline momenta total(mus_world *world, mus_cloth_id cloth, mus_obstacle_id body) {
    momenta sum = total_of(world, &body, 1);
    const double *x = mus_cloth_get_positions(world, cloth), *v = mus_cloth_get_velocities(world, cloth);
    const double *mass = mus_cloth_get_masses(world, cloth);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, cloth); i++) {
        v3 q = v3_scale(mass[i], v3_load(v + 3 * i));
        sum.linear = v3_add(sum.linear, q);
        sum.angular = v3_add(sum.angular, v3_cross(v3_load(x + 3 * i), q));
        sum.energy += 0.5 * v3_dot(q, v3_load(v + 3 * i));
    }
    return sum;
}

static inline mus_cloth_id hammock(mus_world *world, int n, bool all) {
    mus_cloth_def def = mus_cloth_def_default();
    def.material.strain_limit = 0.1;
    mus_cloth_id sheet = add_cloth(world, grid_mesh(n, n, 0.8, 0.8, "xz", v3_make(0, 0, 0)), def);
    int32_t edge[400];
    int count = 0;
    for (int i = 0; i < n; i++) edge[count++] = i, edge[count++] = n * (n - 1) + i;
    for (int i = 1; all && i < n - 1; i++) edge[count++] = n * i, edge[count++] = n * i + n - 1;
    must(mus_cloth_pin(world, sheet, edge, count));
    return sheet;
}

/* The sum of the impulses of contacts on a body, N s: those that the world lists. */
static inline v3 contacts_on(const mus_world *world, mus_obstacle_id body) {
    int64_t count;
    const mus_contact *c = mus_world_get_contacts(world, &count);
    v3 sum = v3_make(0, 0, 0);
    for (int64_t k = 0; k < count; k++)
        for (int side = 0; side < 2; side++)
            if (mus_object_is_same(c[k].object[side], mus_object_from_obstacle(body)))
                sum = v3_axpy(side ? -1 : 1, v3_load(c[k].impulse), sum);
    return sum;
}

/* A ball that falls 18 cm on a sheet of 0.1 kg, pinned all around (pinned at two sides alone it would roll off over a
 * free edge), comes to rest in it, and at no time stretches an edge beyond the limit but by what the solve leaves. */
static inline void settles(double mass, double seconds, double deepest, double rest) {
    mus_world *world = bodies_world(1.0 / 240, g, 1);
    mus_cloth_id sheet = hammock(world, 17, true);
    mus_obstacle_id body = add_body(world, ball_def(0.12, mass, v3_make(0.01, 0.3, 0.02)));
    int count = (int)(seconds * 240);
    double low = 1, last = 0, worst = 0;
    for (int k = 0; k < count; k++) {
        must(mus_world_step(world));
        mus_rigid_body_motion m = motion_of(world, body);
        low = fmin(low, m.center[1]);
        if (k >= count - 60) last = fmax(last, v3_length(v3_load(m.velocity)));
        mus_strain strain;
        must(mus_cloth_get_strain(world, sheet, &strain));
        worst = fmax(worst, strain.max);
        if (k % 5 == 0) audited(world, 0);
    }
    mus_rigid_body_motion m = motion_of(world, body);
    printf("# ball of %g kg: lowest %.4g m, at %.4g m, fastest of the last quarter second %.3g m/s, strain %.3g\n",
           mass, low, m.center[1], last, worst);
    assert_true(last < rest);
    assert_true(low > deepest);
    assert_true(worst < 0.105);
    mus_world_destroy(world);
}

#endif
