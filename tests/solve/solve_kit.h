/* solve_kit.h: a solver without a world: cloths and obstacles from arrays, placed as the world places them before a
 * step, and the elementary pairs between them by brute force. */
#ifndef MUS_TESTS_SOLVE_KIT_H
#define MUS_TESTS_SOLVE_KIT_H

#include "../base/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/potential/potential.h"
#include "solve/solver.h"

enum { KIT_OBJECTS = 32 };

typedef struct solve_kit {
    mus_cloth *cloths[KIT_OBJECTS];
    mus_obstacle *obstacles[KIT_OBJECTS];
    mus_seam *seams[KIT_OBJECTS];
    int32_t cloth_count, obstacle_count, seam_count;
    mus_solver solver;
    mus_assembly *a; /* the solver's */
    mus_stats stats;
    mus_step_input input;
    mus_candidate_pair_list pairs; /* of kit_all_pairs */
} solve_kit;

/* ---- objects, before kit_begin ---- */

typedef struct kit_surface {
    double thickness, friction, restitution;
    const double *thicknesses;
} kit_surface;

/* Adds a cloth. The mesh is destroyed. Returns its number. */
static inline int32_t kit_add_mesh(solve_kit *kit, mus_mesh *mesh, const mus_material *material, kit_surface surface) {
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.thickness = surface.thickness, def.thicknesses = surface.thicknesses;
    def.friction = surface.friction, def.restitution = surface.restitution;
    if (material) def.material = *material;
    char name[32];
    snprintf(name, sizeof name, "cloth%d", (int)kit->cloth_count + 1);
    mus_status status = mus_cloth_new(&def, name, &kit->cloths[kit->cloth_count]);
    mus_mesh_destroy(mesh);
    must(status);
    return kit->cloth_count++;
}

static inline mus_mesh *kit_mesh(const v3 *x, int32_t vertex_count, const int32_t *faces, int32_t face_count) {
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertices = (const double *)x, .faces = faces,
                        .vertex_count = vertex_count, .face_count = face_count};
    mus_mesh *mesh = NULL;
    must(mus_mesh_create(&def, &mesh));
    return mesh;
}

/* Adds a cloth of one face. */
static inline int32_t kit_add_face(solve_kit *kit, v3 p, v3 q, v3 r, kit_surface surface) {
    const v3 x[3] = {p, q, r};
    const int32_t face[3] = {0, 1, 2};
    return kit_add_mesh(kit, kit_mesh(x, 3, face, 1), NULL, surface);
}

/* Returns the number of the obstacle. */
static inline int32_t kit_add_obstacle(solve_kit *kit, mus_obstacle_def def) {
    char name[32];
    snprintf(name, sizeof name, "obstacle%d", (int)kit->obstacle_count + 1);
    must(mus_obstacle_new(&def, name, &kit->obstacles[kit->obstacle_count]));
    return kit->obstacle_count++;
}

/* Adds a plane through `point`. */
static inline int32_t kit_add_plane(solve_kit *kit, v3 normal, v3 point, double friction) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_PLANE, def.friction = friction;
    v3_store(def.normal, normal);
    v3_store(def.pose.position, point);
    return kit_add_obstacle(kit, def);
}

static inline int32_t kit_add_ball(solve_kit *kit, v3 center, double radius, double mass, v3 velocity) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_SPHERE, def.radius = radius, def.thickness = 1e-3;
    def.dynamic = mass > 0, def.mass = mass;
    v3_store(def.pose.position, center);
    v3_store(def.velocity, velocity);
    return kit_add_obstacle(kit, def);
}

static inline int32_t kit_add_box(solve_kit *kit, v3 center, v3 size, double mass) {
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = MUS_SHAPE_BOX, def.thickness = 1e-3;
    def.dynamic = mass > 0, def.mass = mass;
    v3_store(def.pose.position, center);
    v3_store(def.size, size);
    return kit_add_obstacle(kit, def);
}

/* ---- the solver ---- */

static inline mus_solver_def kit_impulse_def(void) {
    return (mus_solver_def){.family = &mus_family_impulse,
                            .integrator = &mus_integrator_implicit_euler,
                            .elementary = &mus_elementary_certified,
                            .broad = &mus_broad_box_tree,
                            .failsafe = &mus_failsafe_zones,
                            .repulsion = true,
                            .threads = 1};
}

static inline mus_solver_def kit_potential_def(const mus_minimizer *minimizer) {
    return (mus_solver_def){.family = &mus_family_potential,
                            .minimizer = minimizer,
                            .truncation = &mus_truncation_planar,
                            .broad = &mus_broad_box_tree,
                            .threads = 1};
}

/* Obstacles without a motion stay where they are. */
static inline mus_status kit_keep_in_place(void *context, mus_assembly *a, double t) {
    (void)context, (void)t;
    size_t count = (size_t)(a->vertex_count - a->cloth_vertex_count);
    memcpy(a->x1 + a->cloth_vertex_count, a->x0 + a->cloth_vertex_count, sizeof(v3) * count);
    return MUS_STATUS_OK;
}

/* Sets the start of a step from the objects; x1 and v1 are those of the start. */
static inline void kit_gather(solve_kit *kit) {
    mus_assembly *a = kit->a;
    for (int32_t k = 0; k < a->object_count; k++) {
        mus_object *o = &a->objects[k];
        if (o->cloth) {
            memcpy(a->x0 + o->first, o->cloth->x, sizeof(v3) * (size_t)o->count);
            memcpy(a->v0 + o->first, o->cloth->v, sizeof(v3) * (size_t)o->count);
            memcpy(a->v1 + o->first, o->cloth->v, sizeof(v3) * (size_t)o->count);
            memcpy(a->inverse_mass + o->first, o->cloth->inverse_mass, sizeof(double) * (size_t)o->count);
            o->previous_dt = o->cloth->previous_dt;
            continue;
        }
        o->pose0 = o->pose1 = o->obstacle->pose;
        if (mus_object_is_plane(o))
            mus_obstacle_plane(o->obstacle, &o->pose0, &o->normal0, &o->point0);
        else
            mus_obstacle_place(o->obstacle, 0, &o->pose0, (double *)(a->x0 + o->first));
        o->normal1 = o->normal0, o->point1 = o->point0;
        if (!o->rigid) continue;
        o->rigid->v0 = o->rigid->v1 = o->obstacle->rigid.v;
        o->rigid->momentum0 = o->rigid->momentum1 = o->obstacle->rigid.momentum;
        o->rigid->center0 = mus_rigid_center(o->rigid->of, &o->pose0);
        o->rigid->inverse_inertia = mus_rigid_inverse_inertia(o->rigid->of, o->pose0.rotation);
    }
    memcpy(a->x1, a->x0, sizeof(v3) * (size_t)a->vertex_count);
}

static inline void kit_begin(solve_kit *kit, mus_solver_def def) {
    mus_solver *s = &kit->solver;
    must(mus_solver_create(s, &def, kit->cloths, kit->cloth_count, kit->obstacles, kit->obstacle_count, kit->seams,
                           kit->seam_count));
    mus_assembly *a = kit->a = &s->assembly;
    a->acceleration_scale = 9.81; /* m/s^2 */
    size_t n = (size_t)a->object_count;
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < n; q++) {
            const mus_object *one = &a->objects[p], *other = &a->objects[q];
            bool movable = one->cloth || other->cloth || one->rigid || other->rigid;
            a->collide[p * n + q] = p == q ? one->cloth != NULL : movable;
            s->response_of[p * n + q] = -1;
        }
    mus_solver_rigid_contacts_enable(s);
    kit_gather(kit);
    s->stats = &kit->stats;
    kit->input = (mus_step_input){.environment = {.threads = 1}, .dt = 0.01, .place_kinematic = kit_keep_in_place};
}

static inline void kit_end(solve_kit *kit) {
    mus_array_free(&kit->pairs);
    mus_solver_free(&kit->solver);
    for (int32_t k = 0; k < kit->cloth_count; k++) mus_cloth_free(kit->cloths[k]);
    for (int32_t k = 0; k < kit->obstacle_count; k++) mus_obstacle_free(kit->obstacles[k]);
    for (int32_t k = 0; k < kit->seam_count; k++) mus_seam_free(kit->seams[k]);
    *kit = (solve_kit){0};
}

/* Teardown of a group of tests: kit_end has freed everything. */
static inline int kit_check_leaks(void **state) {
    (void)state;
    return mus_get_allocated_bytes() != 0;
}

/* kg; 0: the vertex is fixed. */
static inline void kit_set_mass(solve_kit *kit, int32_t vertex, double mass) {
    kit->a->inverse_mass[vertex] = mass > 0 ? 1 / mass : 0;
}
static inline void kit_set_all_masses(solve_kit *kit, double mass) {
    for (int32_t i = 0; i < kit->a->cloth_vertex_count; i++) kit_set_mass(kit, i, mass);
}

/* ---- pairs and contact constraints ---- */

static inline mus_candidate_pair kit_pair(const solve_kit *kit, int32_t p, int32_t q, int32_t r, int32_t t,
                                          bool edge_edge) {
    mus_candidate_pair c = {.vertex = {p, q, r, t}, .edge_edge = edge_edge};
    v3 d;
    double weight[4];
    c.gap0 = (float)(mus_candidate_pair_nearest(&c, kit->a->x0, &d, weight) - mus_candidate_pair_radius(kit->a, &c));
    return c;
}

static inline void kit_add_pair(solve_kit *kit, int32_t p, int32_t q, int32_t r, int32_t t, bool edge_edge) {
    mus_candidate_pair c = kit_pair(kit, p, q, r, t, edge_edge);
    assert_true(mus_array_push(&kit->pairs, c));
}

static inline const int32_t *kit_faces(const mus_object *o, int32_t *count) {
    *count = o->cloth ? o->cloth->face_count : o->obstacle->face_count;
    return o->cloth ? o->cloth->faces : o->obstacle->faces;
}
static inline const mus_topology *kit_topology(const mus_object *o) {
    return o->cloth ? &o->cloth->topology : &o->obstacle->topology;
}

/* All elementary pairs of two different objects with faces. */
static inline void kit_all_pairs(solve_kit *kit, int32_t one, int32_t other) {
    for (int way = 0; way < 2; way++) {
        const mus_object *p = &kit->a->objects[way ? other : one], *q = &kit->a->objects[way ? one : other];
        int32_t face_count;
        const int32_t *faces = kit_faces(q, &face_count);
        for (int32_t i = 0; i < p->count; i++)
            for (int32_t f = 0; f < 3 * face_count; f += 3)
                kit_add_pair(kit, p->first + i, q->first + faces[f], q->first + faces[f + 1], q->first + faces[f + 2],
                             false);
    }
    const mus_object *p = &kit->a->objects[one], *q = &kit->a->objects[other];
    const mus_topology *t = kit_topology(p), *u = kit_topology(q);
    for (int32_t e = 0; e < t->edge_count; e++)
        for (int32_t f = 0; f < u->edge_count; f++)
            kit_add_pair(kit, p->first + t->edges[2 * e], p->first + t->edges[2 * e + 1], q->first + u->edges[2 * f],
                         q->first + u->edges[2 * f + 1], true);
}

/* Contact constraints of the kit's pairs and of planes, into the solver's list. */
static inline mus_contact_constraint_list *kit_build_contacts(solve_kit *kit, double dt, double relax) {
    mus_contact_options options = {.dt = dt, .relax = relax, .threads = 1};
    kit->solver.dt = dt;
    must(mus_contacts_build(kit->a, &kit->pairs, &options, &kit->solver.constraints));
    return &kit->solver.constraints;
}

/* ---- sums over cloth vertices that are free ---- */

/* kg m: of the displacement x1 - from. */
static inline v3 kit_momentum(const solve_kit *kit, const v3 *from) {
    v3 sum = v3_make(0, 0, 0);
    for (int32_t i = 0; i < kit->a->cloth_vertex_count; i++)
        if (kit->a->inverse_mass[i] > 0)
            sum = v3_axpy(1 / kit->a->inverse_mass[i], v3_sub(kit->a->x1[i], from[i]), sum);
    return sum;
}
/* kg m^2: its moment about `about`, with arms at x0. */
static inline v3 kit_angular_momentum(const solve_kit *kit, const v3 *from, v3 about) {
    v3 sum = v3_make(0, 0, 0);
    for (int32_t i = 0; i < kit->a->cloth_vertex_count; i++)
        if (kit->a->inverse_mass[i] > 0) {
            v3 by = v3_scale(1 / kit->a->inverse_mass[i], v3_sub(kit->a->x1[i], from[i]));
            sum = v3_add(sum, v3_cross(v3_sub(kit->a->x0[i], about), by));
        }
    return sum;
}

static inline void near_vector(v3 got, v3 wanted, double tolerance, const char *what) {
    near(v3_length(v3_sub(got, wanted)), 0, tolerance, what);
}

/* m: distance of a pair at a share of the motion x0 -> x1. */
static inline double kit_distance_at(const solve_kit *kit, const mus_candidate_pair *c, double share) {
    v3 x[4], d;
    double weight[4];
    mus_candidate_pair local = {.vertex = {0, 1, 2, 3}, .edge_edge = c->edge_edge};
    for (int k = 0; k < 4; k++) x[k] = v3_lerp(kit->a->x0[c->vertex[k]], kit->a->x1[c->vertex[k]], share);
    return mus_candidate_pair_nearest(&local, x, &d, weight);
}

#endif
