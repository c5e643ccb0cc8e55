/* bodies.h: what tests of rigid bodies share: worlds under two pipelines, balls, boxes, a sheet that holds them,
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
static inline int under_bridson(void **state) {
    (void)state;
    pipeline = (mus_pipeline)STAGES_BRIDSON;
    return 0;
}
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

typedef struct momenta {
    v3 linear, angular; /* about the origin */
    double energy;      /* J, kinetic */
} momenta;

/* Of a cloth and a body. */
static inline momenta total(mus_world *world, mus_cloth_id cloth, mus_obstacle_id body) {
    mus_body_motion m = motion_of(world, body);
    v3 p = v3_scale(m.mass, v3_load(m.velocity));
    momenta sum = {p, v3_add(v3_load(m.angular_momentum), v3_cross(v3_load(m.centre), p)),
                   0.5 * v3_dot(p, v3_load(m.velocity)) +
                       0.5 * v3_dot(v3_load(m.angular_velocity), v3_load(m.angular_momentum))};
    const double *x = mus_cloth_positions(world, cloth), *v = mus_cloth_velocities(world, cloth);
    const double *mass = mus_cloth_masses(world, cloth);
    for (int32_t i = 0; i < mus_cloth_vertex_count(world, cloth); i++) {
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

/* What contacts on a body come to, N s: those that the world lists. `body`: as they name it. */
static inline v3 contacts_on(const mus_world *world, int32_t body) {
    int64_t count;
    const mus_contact *c = mus_world_contacts(world, &count);
    v3 sum = v3_make(0, 0, 0);
    for (int64_t k = 0; k < count; k++)
        for (int side = 0; side < 2; side++)
            if (c[k].object[side] == body) sum = v3_axpy(side ? -1 : 1, v3_load(c[k].impulse), sum);
    return sum;
}

#endif
