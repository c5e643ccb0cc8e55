/* scene.h: what the tests of worlds share beyond checks.h: short makers of sheets and obstacles. */
#ifndef MUS_TESTS_SCENE_H
#define MUS_TESTS_SCENE_H

#include "../base/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "muslin.h"

/* Of the presets, as initializers: the core knows pipelines by their stages. */
#define STAGES_ROBUST                                                                                                  \
    { "implicit_euler", "box_tree", "certified_ccd", "coupled", "zones", "sweep", NULL, 0 }
#define STAGES_LIVELY                                                                                                  \
    { "generalized_alpha", "box_tree", "certified_ccd", "coupled", "zones", "sweep", NULL, 0 }
#define STAGES_SEQUENTIAL                                                                                              \
    { "implicit_euler", "box_tree", "certified_ccd", "bridson", "zones", "sweep", NULL, 0 }
#define STAGES_BRIDSON                                                                                                 \
    { "implicit_euler", "box_tree", "certified_ccd", "bridson_tested", "zones", "sweep", NULL, 0 }
#define STAGES_BRIDSON_SOURCE                                                                                          \
    { "implicit_euler", "box_tree", "cubic_ccd", "bridson_source", "zones", "sweep", NULL, 0 }
/* of these three with other integrators or broad phases than the preset's: quicker, and with nothing lost */
#define STAGES_PROVOT                                                                                                  \
    { "implicit_euler", "box_tree", "cubic_ccd", "provot", "provot_zones", "sweep", NULL, 0 }
#define STAGES_BIGLIANI                                                                                                \
    { "implicit_euler", "hash_grid", "edge_plane", "bigliani", "none", "none", NULL, 0 }
#define STAGES_JUNG                                                                                                    \
    { "implicit_euler", "box_tree", "spherical", "jung", "none", "sweep", "choi_ko", 0 }
#define STAGES_AABB                                                                                                    \
    { "verlet", "octree", "segment_triangle", "aabb", "none", "sweep", "mass_spring", 0 }
#define STAGES_OFFSET                                                                                                  \
    { "incremental", "box_tree", "certified_ccd", "ogc", "truncation", "none", NULL, 0 }
#define STAGES_NEWTON                                                                                                  \
    { "newton", "box_tree", "certified_ccd", "ogc", "truncation", "none", NULL, 0 }
#define STAGES_VBD                                                                                                     \
    { "vbd", "box_tree", "certified_ccd", "ogc", "truncation", "none", NULL, 0 }

/* Cotton with six times its stiffness of bending, which hardly folds onto itself. */
static inline mus_cloth_def stiff_cloth(void) {
    mus_cloth_def def = mus_cloth_def_default();
    def.material.bending = 9e-5;
    return def;
}

/* Takes the mesh over. */
static inline mus_cloth_id add_cloth(mus_world *world, mus_mesh *mesh, mus_cloth_def def) {
    mus_cloth_id id;
    def.mesh = mesh;
    mus_status status = mus_cloth_create(world, &def, &id);
    mus_mesh_destroy(mesh);
    must(status);
    return id;
}

static inline mus_obstacle_id add_plane(mus_world *world, v3 normal, v3 point, double friction) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id id;
    def.shape = MUS_SHAPE_PLANE, def.friction = friction;
    v3_store(def.normal, normal);
    v3_store(def.pose.position, point);
    must(mus_obstacle_create(world, &def, &id));
    return id;
}

/* A scripted box named "plate" that descends, m and m/s; the numbers must stay as long as the world. */
typedef struct descent_of_plate {
    double from, speed;
} descent_of_plate;

static inline mus_status move_down(void *user, double t, mus_pose *pose) {
    const descent_of_plate *p = user;
    pose->position[1] = p->from - p->speed * t;
    return MUS_STATUS_OK;
}

static inline mus_obstacle_id add_press(mus_world *world, v3 size, const descent_of_plate *p) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id id;
    def.name = "plate", def.shape = MUS_SHAPE_BOX, def.pose.position[1] = p->from;
    v3_store(def.size, size);
    must(mus_obstacle_create(world, &def, &id));
    must(mus_obstacle_set_motion(world, id, move_down, (void *)(uintptr_t)p));
    return id;
}

static inline mus_obstacle_id add_sphere(mus_world *world, double radius, v3 at, double friction) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id id;
    def.shape = MUS_SHAPE_SPHERE, def.radius = radius, def.friction = friction;
    v3_store(def.pose.position, at);
    must(mus_obstacle_create(world, &def, &id));
    return id;
}

static inline v3 vertex_of(mus_world *world, mus_cloth_id id, int32_t i) {
    return v3_load(mus_cloth_get_positions(world, id) + 3 * i);
}
static inline v3 velocity_of(mus_world *world, mus_cloth_id id, int32_t i) {
    return v3_load(mus_cloth_get_velocities(world, id) + 3 * i);
}

static inline double mass_of(const mus_world *world, mus_cloth_id id) {
    double sum = 0;
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++) sum += mus_cloth_get_masses(world, id)[i];
    return sum;
}
static inline v3 momentum_of(mus_world *world, mus_cloth_id id) {
    v3 sum = v3_make(0, 0, 0);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        sum = v3_axpy(mus_cloth_get_masses(world, id)[i], velocity_of(world, id, i), sum);
    return sum;
}
static inline v3 centroid_of(mus_world *world, mus_cloth_id id) {
    v3 sum = v3_make(0, 0, 0);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        sum = v3_axpy(mus_cloth_get_masses(world, id)[i], vertex_of(world, id, i), sum);
    return v3_scale(1 / mass_of(world, id), sum);
}

/* ---- playing ---- */

static inline mus_world *world_of(mus_world_def def) {
    mus_world *world = NULL;
    must(mus_world_create(&def, &world));
    return world;
}

/* Without air, on one thread. */
static inline mus_world_def still_air(double dt, double gravity) {
    mus_world_def def = mus_world_def_default();
    def.dt = dt, def.gravity[1] = -gravity, def.air_density = 0, def.threads = 1;
    return def;
}

static inline void steps(mus_world *world, int count) {
    for (int k = 0; k < count; k++) must(mus_world_step(world));
}

/* Nothing crosses, nothing is deeper in an obstacle than `depth` (m). */
static inline void audited(mus_world *world, double depth) {
    mus_audit_report report;
    must(mus_world_audit(world, depth, &report));
    if (report.finding_count)
        fail_msg("%lld intersections, %lld inside, %g m deep", (long long)report.intersections,
                 (long long)report.inside, report.max_depth);
    mus_audit_report_destroy(&report);
}

static inline mus_obstacle_id add_body(mus_world *world, mus_obstacle_def def) {
    mus_obstacle_id id;
    must(mus_obstacle_create(world, &def, &id));
    return id;
}

static inline mus_rigid_body_motion motion_of(const mus_world *world, mus_obstacle_id id) {
    mus_rigid_body_motion motion;
    must(mus_obstacle_get_rigid_body(world, id, &motion));
    return motion;
}

/* Two worlds made alike, but for the number of threads, stay the same bits; a snapshot of the first goes on as it does,
 * and takes it back. */
static inline void same_trajectory(mus_world *world, mus_world *other, int before, int after) {
    for (int k = 0; k < before; k++) {
        must(mus_world_step(world));
        must(mus_world_step(other));
        assert_true(mus_world_get_hash(world) == mus_world_get_hash(other));
    }
    mus_snapshot *snapshot = NULL;
    mus_world *loaded = NULL;
    must(mus_snapshot_create(world, &snapshot));
    must(mus_world_create_from_snapshot(snapshot, &loaded));
    uint64_t then = mus_world_get_hash(world);
    assert_true(then == mus_world_get_hash(loaded));
    for (int k = 0; k < after; k++) {
        must(mus_world_step(world));
        must(mus_world_step(loaded));
        assert_true(mus_world_get_hash(world) == mus_world_get_hash(loaded));
    }
    assert_true(then != mus_world_get_hash(world));
    must(mus_snapshot_restore(snapshot, world));
    assert_true(then == mus_world_get_hash(world));
    mus_snapshot_destroy(snapshot);
    mus_world_destroy(loaded);
}

#endif
