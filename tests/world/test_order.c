/* test_order.c: cloth whose mesh is numbered badly is solved in another order, and nobody sees it: pins, paths, forces,
 * hooks, seams, contacts, errors and snapshots speak of the mesh's own vertices, and the motion is that of the same
 * mesh in a good order. */
#include "scene.h"

#include "../base/scarce.h"
#include "../trace/graphs.h"
#include "model/order.h"
#include "model/sheet.h"
#include "world/world_state.h"

enum { NODES = 34, COUNT = NODES * NODES, LEAST_NUMBER = 1000 };

/* ---- one sheet, numbered in two ways ---- */

/* Of vertex i of the sheet in a good order: its number in the other one. */
static int32_t other_number[COUNT];

static void shuffle(int32_t *list, int32_t count, uint64_t seed) {
    mus_rng rng = mus_rng_make(seed, 0);
    for (int32_t i = 0; i < count; i++) list[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = (int32_t)mus_rng_between(&rng, 0, i + 0.999), swap = list[i];
        list[i] = list[k], list[k] = swap;
    }
}

static int32_t number(bool shuffled, int32_t i) {
    return shuffled ? other_number[i] : i;
}

/* A sheet that is no grid to the runtime, a little wavy. */
static mus_mesh *sheet(bool shuffled, v3 at) {
    mus_mesh *grid = grid_mesh(NODES, NODES, 0.6, 0.6, "xz", at), *mesh;
    int32_t faces = mus_mesh_get_face_count(grid), *order = malloc(sizeof *order * (size_t)faces);
    int32_t(*face)[3] = malloc(sizeof *face * (size_t)faces);
    double(*x)[3] = malloc(sizeof *x * COUNT);
    shuffle(other_number, COUNT, 7), shuffle(order, faces, 8);
    for (int32_t i = 0; i < COUNT; i++) {
        memcpy(x[number(shuffled, i)], mus_mesh_get_vertices(grid) + 3 * i, sizeof *x);
        x[number(shuffled, i)][1] += 1e-3 * mus_sin(0.9 * (i % NODES)) * mus_sin(0.7 * (i / NODES));
    }
    for (int32_t f = 0; f < faces; f++)
        for (int k = 0; k < 3; k++)
            face[shuffled ? order[f] : f][k] = number(shuffled, mus_mesh_get_faces(grid)[3 * f + k]);
    must(mus_mesh_create(&(mus_mesh_def){mus_mesh_def_default().cookie, .vertices = x[0], .faces = face[0],
                                         .vertex_count = COUNT, .face_count = faces},
                         &mesh));
    mus_mesh_destroy(grid);
    free(order), free(face), free(x);
    return mesh;
}

static mus_cloth *cloth_of(mus_mesh *mesh, mus_material_model model) {
    mus_cloth_def def = mus_cloth_def_default();
    mus_cloth *cloth;
    def.mesh = mesh, def.material.model = model, def.material.bending = 1e-5, def.material.bend = 5;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

/* ---- which cloths, and what of them ---- */

static void keeps_its_order(mus_mesh *mesh) {
    assert_true(mus_mesh_get_vertex_count(mesh) >= LEAST_NUMBER);
    mus_cloth *cloth = cloth_of(mesh, MUS_MODEL_SPRINGS);
    assert_null(cloth->order);
    mus_cloth_free(cloth);
}

static void test_good_orders_stay(void **state) {
    (void)state;
    mus_mesh *mesh, *fine;
    keeps_its_order(grid_mesh(40, 40, 1, 1, "xz", v3_make(0, 0, 0)));
    keeps_its_order(sheet(false, v3_make(0, 0, 0)));
    must(mus_mesh_create_disc(0.5, 20, "xz", (double[3]){0, 0, 0}, &mesh));
    keeps_its_order(mesh);
    must(mus_mesh_create_sphere(0.5, 4, (double[3]){0, 0, 0}, &mesh));
    keeps_its_order(mesh);
    must(mus_mesh_create_disc(0.5, 7, "xz", (double[3]){0, 0, 0}, &mesh));
    must(mus_mesh_subdivide(mesh, 2, &fine));
    mus_mesh_destroy(mesh);
    keeps_its_order(fine);
}

static v3 at_rest(const mus_cloth *given, int32_t solved) {
    return v3_load(given->x + 3 * mus_cloth_given_vertex(given, solved));
}

/* Elements lie where they did, near in number to what they touch. */
static void test_elements(void **state) {
    (void)state;
    static const mus_material_model models[] = {MUS_MODEL_SPRINGS, MUS_MODEL_MASS_SPRING, MUS_MODEL_STVK};
    for (size_t m = 0; m < 3; m++) {
        mus_cloth *given = cloth_of(sheet(true, v3_make(0, 0, 0)), models[m]), *c = mus_cloth_solved(given);
        assert_true(c != given && mus_cloth_given(c) == given);
        assert_int_equal(c->spring_count, given->spring_count);
        assert_int_equal(c->hinge_count, given->hinge_count);
        for (int32_t i = 0; i < COUNT; i++) {
            assert_int_equal(mus_cloth_solved_vertex(given, mus_cloth_given_vertex(given, i)), i);
            assert_true(c->mass[mus_cloth_solved_vertex(given, i)] == given->mass[i]);
        }
        double apart = 0;
        for (int32_t e = 0; e < c->topology.edge_count; e++) {
            int32_t a = c->topology.edges[2 * e], b = c->topology.edges[2 * e + 1];
            double length = v3_length(v3_sub(at_rest(given, a), at_rest(given, b)));
            assert_true(fabs(c->rest_lengths[e] - length) < 1e-15);
            apart += b - a;
        }
        assert_true(apart / c->topology.edge_count < NODES);
        for (int32_t k = 0; k < c->spring_count; k++) {
            v3 along = v3_sub(at_rest(given, c->springs[k].a), at_rest(given, (int32_t)c->springs[k].b));
            assert_true(fabs(c->springs[k].rest - v3_length(along)) < 1e-15);
        }
        for (int32_t f = 0; c->sheet && f < c->face_count; f++) {
            const int32_t *corner = c->faces + 3 * f;
            v3 a = at_rest(given, corner[0]), b = at_rest(given, corner[1]), d = at_rest(given, corner[2]);
            double area = 0.5 * v3_length(v3_cross(v3_sub(b, a), v3_sub(d, a)));
            assert_true(fabs(c->sheet->faces[f].weight - area) < 1e-15);
        }
        v3 *x = malloc(sizeof *x * COUNT), *warp = malloc(sizeof *warp * COUNT), *of = malloc(sizeof *of * COUNT);
        for (int32_t i = 0; i < COUNT; i++) x[i] = at_rest(given, i);
        mus_cloth_compute_warps(given, (const v3 *)given->x, warp);
        mus_cloth_compute_warps(c, x, of);
        for (int32_t i = 0; i < COUNT; i++)
            assert_true(v3_length(v3_sub(of[mus_cloth_solved_vertex(given, i)], warp[i])) < 1e-12);
        free(x), free(warp), free(of);
        mus_cloth_free(given);
    }
}

static void test_no_memory(void **state) {
    (void)state;
    scarce s = {0};
    mus_set_allocator(scarce_alloc, &s);
    for (int m = 0; m < 2; m++) {
        mus_cloth_def def = mus_cloth_def_default();
        mus_mesh *mesh = sheet(true, v3_make(0, 0, 0));
        mus_cloth *cloth = NULL;
        def.mesh = mesh, def.material.model = m ? MUS_MODEL_STVK : MUS_MODEL_SPRINGS;
        int64_t blocks = s.blocks;
        for (int64_t at = 1; !cloth; at++) {
            s.count = 0, s.fail_at = at;
            mus_status status = mus_cloth_new(&def, "cloth", &cloth);
            s.fail_at = 0;
            if (status == MUS_STATUS_OK) break;
            assert_int_equal(status, MUS_STATUS_NO_MEMORY);
            assert_true(!cloth && s.blocks == blocks);
        }
        assert_non_null(cloth->order);
        mus_cloth_free(cloth);
        mus_mesh_destroy(mesh);
        assert_int_equal(s.blocks, 0);
    }
    mus_set_allocator(NULL, NULL);
}

/* ---- the same motion ---- */

typedef struct scene {
    bool shuffled, programs;
    mus_program *force, *wind, *law;
    int32_t last_vertex; /* the vertex of the last call of the path */
    mus_cloth_id cloth;
} scene;

static mus_status raise(void *user, double t, int32_t vertex, double position[3]) {
    scene *s = user;
    assert_true(vertex > s->last_vertex || s->last_vertex == COUNT); /* in the order of the mesh, from its first on */
    s->last_vertex = vertex;
    position[1] += 0.3 * t, position[0] -= 0.1 * t;
    return MUS_STATUS_OK;
}

static mus_status add_forces(mus_world *world, double t, void *user) {
    scene *s = user;
    (void)t;
    s->last_vertex = COUNT;
    double *f = mus_cloth_get_forces(world, s->cloth);
    for (int32_t i = 0; i < COUNT; i++) f[3 * number(s->shuffled, i) + i % 3] += 1e-5 * (i % 17);
    if (!s->programs) return MUS_STATUS_OK;
    must(mus_cloth_add_node_force(world, s->cloth, s->force));
    return mus_cloth_add_wind(world, s->cloth, s->wind);
}

static mus_status set_velocities(mus_world *world, double t, void *user) {
    scene *s = user;
    int32_t i = number(s->shuffled, 400);
    if (t > 0.02) return MUS_STATUS_OK;
    v3_store(mus_cloth_get_velocities(world, s->cloth) + 3 * i, v3_make(0.1, 0.3, 0));
    return MUS_STATUS_OK;
}

static mus_status shift(mus_world *world, double t, void *user) {
    scene *s = user;
    if (t < 0.02) mus_cloth_get_positions(world, s->cloth)[3 * number(s->shuffled, 555) + 1] += 1e-5;
    return MUS_STATUS_OK;
}

/* A force by place and velocity, a wind by place, a law that stiffens. */
static mus_program *program(mus_program_kind kind) {
    mus_graph *g;
    mus_program *p;
    mus_node out[3];
    must(mus_graph_create(&g));
    for (int k = 0; k < 3; k++) {
        mus_node x = mus_graph_add_input(g, MUS_INPUT_POSITION + (k + 1) % 3), few = mus_graph_add_constant(g, 7);
        mus_node wave = mus_graph_add_operation(g, MUS_OP_SIN, two(g, MUS_OP_MUL, few, x), -1, -1);
        if (kind == MUS_PROGRAM_NODE_FORCE)
            wave = two(
                g, MUS_OP_MUL,
                two(g, MUS_OP_MUL, mus_graph_add_constant(g, -5e-3), mus_graph_add_input(g, MUS_INPUT_VELOCITY + k)),
                two(g, MUS_OP_ADD, wave, mus_graph_add_constant(g, 1)));
        out[k] = wave;
    }
    if (kind == MUS_PROGRAM_SPRING) {
        mus_node longer =
            two(g, MUS_OP_SUB, mus_graph_add_input(g, MUS_INPUT_LENGTH), mus_graph_add_input(g, MUS_INPUT_REST));
        out[0] = two(g, MUS_OP_MUL, mus_graph_add_constant(g, 300), longer);
    }
    must(mus_program_create(kind, g, out, kind == MUS_PROGRAM_SPRING ? 1 : 3, &p));
    return p;
}

static mus_world *moving(scene *s, const char *integrator, mus_material_model model, int threads) {
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 480, def.threads = threads, def.pipeline.integrator = integrator;
    must(mus_world_create(&def, &world));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.material.model = model, cloth.material.stretch = 60, cloth.material.bending = 1e-5, cloth.material.bend = 1;
    cloth.material.stretch_warp = 80, cloth.material.stretch_weft = 50, cloth.material.stretch_shear = 20;
    cloth.material.stretch_poisson = 10;
    cloth.self_collision = false;
    s->cloth = add_cloth(world, sheet(s->shuffled, v3_make(0, 0.5, 0)), cloth);
    int32_t pinned[] = {number(s->shuffled, 0), number(s->shuffled, 5)};
    int32_t driven[] = {number(s->shuffled, NODES - 1), number(s->shuffled, COUNT - 1)};
    must(mus_cloth_pin(world, s->cloth, pinned, 2));
    must(mus_cloth_pin_to_path(world, s->cloth, driven, 2, raise, s));
    mus_callbacks hooks = {mus_callbacks_default().cookie, .user = s, .forces = add_forces,
                           .before_step = set_velocities, .candidate = shift};
    mus_world_set_callbacks(world, &hooks);
    if (s->law) must(mus_cloth_set_spring_law(world, s->cloth, MUS_SPRING_STRUCTURAL, s->law, NULL));
    return world;
}

/* m: the farthest that a vertex is from its like. */
static double difference(mus_world *plain, mus_cloth_id one, mus_world *shuffled, mus_cloth_id other) {
    double worst = 0;
    for (int32_t i = 0; i < COUNT; i++)
        worst = fmax(worst, v3_length(v3_sub(vertex_of(plain, one, i), vertex_of(shuffled, other, other_number[i]))));
    return worst;
}

static void moves_alike(const char *integrator, mus_material_model model, bool programs, double tolerance) {
    scene s[2] = {{.shuffled = false}, {.shuffled = true}};
    mus_world *world[2];
    mus_energy energy[2];
    mus_strain strain[2];
    for (int k = 0; k < 2; k++) {
        s[k].programs = programs;
        if (programs) s[k].force = program(MUS_PROGRAM_NODE_FORCE), s[k].wind = program(MUS_PROGRAM_WIND);
        if (programs && model == MUS_MODEL_SPRINGS) s[k].law = program(MUS_PROGRAM_SPRING);
        world[k] = moving(&s[k], integrator, model, 1);
        for (int step = 0; step < 4; step++) must(mus_world_step(world[k]));
        must(mus_world_get_energy(world[k], &energy[k]));
        must(mus_cloth_get_strain(world[k], s[k].cloth, &strain[k]));
    }
    double worst = difference(world[0], s[0].cloth, world[1], s[1].cloth);
    if (!(worst < tolerance)) fail_msg("%s, model %d: %g m apart", integrator, (int)model, worst);
    assert_true(v3_length(v3_sub(vertex_of(world[0], s[0].cloth, 400), v3_make(0, 0.5, 0))) > 1e-3);
    assert_true(fabs(energy[0].total - energy[1].total) < 1e3 * tolerance * fabs(energy[0].total));
    assert_true(fabs(energy[0].elastic - energy[1].elastic) < 1e3 * tolerance * fabs(energy[0].total));
    assert_true(fabs(strain[0].max - strain[1].max) < 1e3 * tolerance);
    const int32_t *faces = mus_cloth_get_faces(world[1], s[1].cloth);
    mus_mesh *mesh = sheet(true, v3_make(0, 0.5, 0));
    assert_memory_equal(faces, mus_mesh_get_faces(mesh), sizeof *faces * 3 * (size_t)mus_mesh_get_face_count(mesh));
    mus_mesh_destroy(mesh);
    for (int k = 0; k < 2; k++) {
        assert_true(mus_cloth_is_pinned(world[k], s[k].cloth, number(k, 5)));
        assert_true(mus_cloth_get_inverse_masses(world[k], s[k].cloth)[number(k, 5)] == 0);
        mus_world_destroy(world[k]);
        mus_program_release(s[k].force), mus_program_release(s[k].wind), mus_program_release(s[k].law);
    }
}

static void test_motion(void **state) {
    (void)state;
    moves_alike("verlet", MUS_MODEL_SPRINGS, true, 1e-11);
    moves_alike("verlet", MUS_MODEL_MASS_SPRING, false, 1e-11);
    moves_alike("verlet", MUS_MODEL_STVK, true, 1e-8);
    moves_alike("implicit_euler", MUS_MODEL_SPRINGS, true, 2e-5);
    moves_alike("implicit_euler", MUS_MODEL_STVK, true, 2e-5);
}

static void test_fall(void **state) {
    (void)state;
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    def.air_density = 0;
    must(mus_world_create(&def, &world));
    mus_cloth_id id = add_cloth(world, sheet(true, v3_make(0, 2, 0)), mus_cloth_def_default());
    double before = centroid_of(world, id).y;
    for (int step = 0; step < 24; step++) must(mus_world_step(world));
    v3 p = v3_scale(1 / mass_of(world, id), momentum_of(world, id));
    double t = 24 * mus_world_get_step_size(world);
    assert_true(fabs(centroid_of(world, id).y - (before - 0.5 * 9.81 * t * t)) < 1e-9);
    assert_true(fabs(p.x) < 1e-12 && fabs(p.z) < 1e-12);
    mus_strain strain;
    must(mus_cloth_get_strain(world, id, &strain));
    assert_true(strain.max < 1e-6);
    mus_world_destroy(world);
}

/* Panels, each numbered in its own way. */
static void test_seams(void **state) {
    (void)state;
    mus_world *world[2];
    mus_cloth_id id[2][2];
    for (int k = 0; k < 2; k++) {
        mus_world_def def = mus_world_def_default();
        def.dt = 1.0 / 240, def.pipeline.integrator = "verlet";
        must(mus_world_create(&def, &world[k]));
        mus_cloth_def cloth = mus_cloth_def_default();
        cloth.material.stretch = 60, cloth.self_collision = false;
        id[k][0] = add_cloth(world[k], sheet(k, v3_make(-0.32, 1, 0)), cloth);
        id[k][1] = add_cloth(world[k], sheet(false, v3_make(0.32, 1, 0)), cloth);
        mus_stitch stitch[NODES];
        for (int32_t j = 0; j < NODES; j++) {
            int32_t right = number(k, NODES - 1 + j * NODES), left = j * NODES;
            stitch[j] = (mus_stitch){right, {left, left}, 0};
        }
        must(mus_world_ignore_pair(world[k], mus_object_from_cloth(id[k][0]), mus_object_from_cloth(id[k][1])));
        mus_seam_def seam = mus_seam_def_default();
        mus_seam_id sewn;
        seam.a = id[k][0], seam.b = id[k][1], seam.stitches = stitch, seam.count = NODES, seam.closing_time = 0.05;
        must(mus_seam_create(world[k], &seam, &sewn));
        for (int32_t j = 0; j < 2; j++) { /* and some onto edges of the other */
            int32_t to = number(k, NODES - 1 + (3 * j + 5) * NODES), next = number(k, NODES - 1 + (3 * j + 6) * NODES);
            stitch[j] = (mus_stitch){(3 * j + 5) * NODES, {to, next}, 0.5};
        }
        seam.a = id[k][1], seam.b = id[k][0], seam.count = 2;
        must(mus_seam_create(world[k], &seam, &sewn));
        for (int step = 0; step < 3; step++) must(mus_world_step(world[k]));
    }
    const mus_cloth *solved = mus_world_find_cloth(world[1], id[1][0]); /* partners are neighbors */
    for (int32_t j = 0; j < NODES; j++) {
        int32_t at = mus_cloth_solved_vertex(solved, other_number[NODES - 1 + j * NODES]);
        assert_true(mus_neighbors_distance(&world[1]->solver.assembly.neighbors, at, COUNT + j * NODES) < 0.1);
    }
    double worst = difference(world[0], id[0][0], world[1], id[1][0]);
    if (!(worst < 1e-7)) fail_msg("sewn: %g m apart", worst);
    for (int k = 0; k < 2; k++) mus_world_destroy(world[k]);
}

static mus_status draw(void *user, double t, int32_t vertex, double position[3]) {
    assert_int_equal(vertex, *(int32_t *)user);
    (void)t;
    position[1] += 1e-2;
    return MUS_STATUS_OK;
}

static void test_pulls(void **state) {
    (void)state;
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    memset(def.gravity, 0, sizeof def.gravity);
    def.pipeline.integrator = "position_based";
    must(mus_world_create(&def, &world));
    mus_cloth_id id = add_cloth(world, sheet(true, v3_make(0, 1, 0)), mus_cloth_def_default());
    int32_t drawn = other_number[700];
    mus_pull_def pull = {mus_pull_def_default().cookie, .stiffness = 30, .path = draw, .user = &drawn};
    must(mus_cloth_pull(world, id, &drawn, 1, &pull));
    v3 *before = malloc(sizeof *before * COUNT);
    memcpy(before, mus_cloth_get_positions(world, id), sizeof *before * COUNT);
    must(mus_world_step(world));
    double own = vertex_of(world, id, drawn).y - before[drawn].y;
    assert_true(own > 1e-4 && mus_cloth_get_pull_stiffness(world, id, drawn) > 0);
    for (int32_t i = 0; i < COUNT; i++)
        assert_true(i == drawn || v3_length(v3_sub(vertex_of(world, id, i), before[i])) < own);
    free(before);
    mus_world_destroy(world);
}

/* ---- contacts and their reports ---- */

static const v3 ball = {0.05, -0.1, 0.1};

static mus_world *resting(const char *const stages[2], int threads, mus_overlap overlap, double height) {
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 120, def.threads = threads, def.overlap = overlap;
    if (stages)
        def.pipeline.integrator = stages[0], def.pipeline.response = "ogc", def.pipeline.failsafe = stages[1],
        def.pipeline.strain = "none";
    must(mus_world_create(&def, &world));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "sheet", cloth.thickness = 4e-3, cloth.velocity[1] = -1;
    add_cloth(world, sheet(true, v3_make(0, height, 0)), cloth);
    mus_obstacle_def solid = mus_obstacle_def_default();
    mus_obstacle_id id;
    solid.name = "ball", solid.shape = MUS_SHAPE_SPHERE, solid.radius = 0.1;
    v3_store(solid.pose.position, ball);
    must(mus_obstacle_create(world, &solid, &id));
    add_plane(world, v3_make(0, 1, 0), v3_make(0, -0.025, 0), 0.3);
    return world;
}

/* The vertices of a contact are where it is. */
static void test_contacts(void **state) {
    (void)state;
    static const char *const newton[] = {"newton", "truncation"}, *const *const stages[] = {NULL, newton};
    for (int p = 0; p < 2; p++) {
        mus_world *world = resting(stages[p], 1, MUS_OVERLAP_REFUSE, 0.005);
        mus_cloth_id id = mus_world_get_cloth(world, 0);
        int64_t count = 0, seen = 0, planes = 0;
        for (int step = 0; step < (p ? 5 : 8); step++) {
            must(mus_world_step(world));
            const mus_contact *c = mus_world_get_contacts(world, &count);
            for (int64_t k = 0; k < count; k++, c++) {
                v3 at = v3_make(0, 0, 0);
                for (int i = 0; i < 4; i++)
                    if (c->vertices[i] >= 0 && c->side[i] == 0)
                        at = v3_axpy(fabs(c->weights[i]), vertex_of(world, id, c->vertices[i]), at);
                assert_true(v3_length(v3_sub(at, v3_load(c->point[0]))) < 0.03); /* a step's way, of a sheet of 0.6 m */
                seen++, planes += c->kind == MUS_PAIR_VERTEX_PLANE;
            }
        }
        assert_true(seen > 50 && planes > 5 && planes < seen);
        mus_world_destroy(world);
    }
}

static mus_status move_into(void *user, double t, int32_t vertex, double position[3]) {
    (void)user, (void)vertex;
    position[1] -= 40 * t;
    return MUS_STATUS_OK;
}
static mus_status hurt(mus_world *world, double t, void *user) {
    (void)t;
    mus_cloth_get_forces(world, mus_world_get_cloth(world, 0))[3 * *(int32_t *)user] = NAN;
    return MUS_STATUS_OK;
}
static mus_status ill(void *user, const mus_contact *c, double impulse[2][3]) {
    *(mus_contact *)user = *c;
    impulse[0][0] = NAN;
    return MUS_STATUS_OK;
}

static void names(mus_world *world, mus_status status, int32_t vertex) {
    char text[64];
    snprintf(text, sizeof text, "vertex %d of cloth 'sheet'", vertex + 1);
    must_be(status, mus_world_step(world));
    if (!strstr(mus_get_error_message(), text)) fail_msg("no %s: %s", text, mus_get_error_message());
    mus_world_destroy(world);
}

static void test_names(void **state) {
    (void)state;
    int32_t vertex = other_number[123];
    mus_world *world = resting(NULL, 1, MUS_OVERLAP_REFUSE, 0.02);
    must(mus_cloth_pin_to_path(world, mus_world_get_cloth(world, 0), &vertex, 1, move_into, NULL));
    names(world, MUS_STATUS_NO_SAFE_STEP, vertex);
    world = resting(NULL, 1, MUS_OVERLAP_REFUSE, 0.02);
    mus_world_set_callbacks(world, &(mus_callbacks){mus_callbacks_default().cookie, .user = &vertex, .forces = hurt});
    names(world, MUS_STATUS_INVALID, vertex);
    world = resting(NULL, 1, MUS_OVERLAP_REFUSE, 0.002);
    mus_response_def def = mus_response_def_default();
    mus_response_id id;
    mus_contact contact;
    def.callback = ill, def.user = &contact;
    must(mus_response_create(world, &def, &id));
    must_be(MUS_STATUS_INVALID, mus_world_step(world));
    bool named = false;
    for (int k = 0; k < 4; k++) {
        char text[64];
        snprintf(text, sizeof text, "vertex %d of cloth 'sheet'", contact.vertices[k] + 1);
        named |= contact.side[k] == 0 && strstr(mus_get_error_message(), text);
    }
    if (!named) fail_msg("another vertex: %s", mus_get_error_message());
    mus_world_destroy(world);
}

/* Of the ends of a spring that it names. */
static void test_names_springs(void **state) {
    (void)state;
    mus_world *world = resting(NULL, 1, MUS_OVERLAP_REFUSE, 0.02);
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    mus_graph *g;
    mus_program *p;
    must(mus_graph_create(&g));
    mus_node below = two(g, MUS_OP_SUB, mus_graph_add_input(g, MUS_INPUT_REST), mus_graph_add_constant(g, 10));
    mus_node tension = mus_graph_add_operation(g, MUS_OP_SQRT, below, -1, -1);
    must(mus_program_create(MUS_PROGRAM_SPRING, g, &tension, 1, &p));
    must(mus_cloth_set_spring_law(world, id, MUS_SPRING_STRUCTURAL, p, NULL));
    mus_program_release(p);
    must_be(MUS_STATUS_INVALID, mus_world_step(world));
    int a = 0, b = 0;
    const char *text = strstr(mus_get_error_message(), "between vertices");
    assert_true(text && sscanf(text, "between vertices %d and %d", &a, &b) == 2);
    assert_true(v3_length(v3_sub(vertex_of(world, id, a - 1), vertex_of(world, id, b - 1))) < 0.03);
    mus_world_destroy(world);
}

/* ---- snapshots, threads ---- */

static void test_snapshot(void **state) {
    (void)state;
    static const char *const newton[] = {"newton", "truncation"}, *const *const stages[] = {NULL, newton};
    for (int p = 0; p < 2; p++) {
        enum { BEFORE = 3, AFTER = 2 };
        uint64_t wanted = 0;
        mus_world *world = resting(stages[p], 1, MUS_OVERLAP_REFUSE, 0.02), *read;
        mus_snapshot *snapshot;
        const double *x = mus_cloth_get_positions(world, mus_world_get_cloth(world, 0));
        for (int step = 0; step < BEFORE; step++) must(mus_world_step(world));
        must(mus_snapshot_create(world, &snapshot));
        for (int step = 0; step < AFTER; step++) must(mus_world_step(world));
        wanted = mus_world_get_hash(world);
        must(mus_snapshot_restore(snapshot, world));
        must(mus_world_create_from_snapshot(snapshot, &read));
        assert_ptr_equal(x, mus_cloth_get_positions(world, mus_world_get_cloth(world, 0)));
        for (int step = 0; step < AFTER; step++) must(mus_world_step(world));
        for (int step = 0; step < AFTER; step++) must(mus_world_step(read));
        assert_true(mus_world_get_hash(world) == wanted);
        assert_true(mus_world_get_hash(read) == wanted);
        mus_world_destroy(read);
        mus_world_destroy(world);
        for (int threads = 2; threads < (p ? 3 : 4); threads++) {
            world = resting(stages[p], threads, MUS_OVERLAP_REFUSE, 0.02);
            for (int step = 0; step < BEFORE + AFTER; step++) must(mus_world_step(world));
            assert_true(mus_world_get_hash(world) == wanted);
            mus_world_destroy(world);
        }
        mus_snapshot_destroy(snapshot);
    }
}

/* ---- the start ---- */

/* Moved out where it is inside, and nowhere else; and touching features are separated. */
static void test_untangle(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mus_world *world = resting(NULL, 1, MUS_OVERLAP_UNTANGLE, k ? -0.02 : 0.0035);
        mus_cloth_id id = mus_world_get_cloth(world, 0);
        v3 *before = malloc(sizeof *before * COUNT);
        memcpy(before, mus_cloth_get_positions(world, id), sizeof *before * COUNT);
        must(mus_world_validate(world));
        mus_start_report report;
        mus_world_get_start_report(world, &report);
        assert_true(k == 0 || (report.inside > 0 && report.moved > 3));
        double most = 0;
        for (int32_t i = 0; i < COUNT; i++) {
            double way = v3_length(v3_sub(vertex_of(world, id, i), before[i]));
            most = fmax(most, way);
            if (v3_length(v3_sub(before[i], ball)) > 0.2) assert_true(way < 1e-6);
        }
        assert_true(fabs(most - report.largest) < 1e-12);
        free(before);
        mus_world_destroy(world);
    }
}

/* The sheet alone in a world, and where its vertices are, for the caller to free. */
static mus_world *flat(mus_overlap overlap, mus_cloth_id *id, v3 **before) {
    mus_world *world;
    mus_world_def def = mus_world_def_default();
    def.overlap = overlap;
    must(mus_world_create(&def, &world));
    *id = add_cloth(world, sheet(true, v3_make(0, 0, 0)), mus_cloth_def_default());
    *before = malloc(sizeof **before * COUNT);
    memcpy(*before, mus_cloth_get_positions(world, *id), sizeof **before * COUNT);
    return world;
}

/* A small sheet, 0.1 m of it, with one corner on a vertex of the other: no gap at all. */
static void test_touch(void **state) {
    (void)state;
    mus_cloth_id id;
    v3 *before;
    mus_world *world = flat(MUS_OVERLAP_REFUSE, &id, &before);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "small";
    v3 corner = vertex_of(world, id, other_number[400]);
    mus_mesh *small = grid_mesh(3, 3, 0.1, 0.1, "yz", v3_make(corner.x, corner.y + 0.05, corner.z + 0.05));
    mus_cloth_id on = add_cloth(world, small, cloth);
    for (int32_t i = 1; i < 9; i++) mus_cloth_get_positions(world, on)[3 * i + 1] += 0.05;
    v3_store(mus_cloth_get_positions(world, on), corner);
    must(mus_world_validate(world));
    mus_start_report report;
    mus_world_get_start_report(world, &report);
    assert_true(report.moved > 0);
    for (int32_t i = 0; i < COUNT; i++)
        if (v3_length(v3_sub(before[i], corner)) > 0.1)
            assert_true(v3_length(v3_sub(vertex_of(world, id, i), before[i])) == 0);
    free(before);
    mus_world_destroy(world);
}

/* A strip that goes through it at its border is moved out, and what is pinned stays. */
static void test_crossing(void **state) {
    (void)state;
    mus_cloth_id id;
    v3 *before;
    mus_world *world = flat(MUS_OVERLAP_UNTANGLE, &id, &before);
    add_cloth(world, grid_mesh(6, 12, 0.1, 0.2, "yz", v3_make(0.285, 0.035, 0.004)), mus_cloth_def_default());
    for (int32_t i = 0; i < COUNT; i++)
        if (before[i].x > 0.25 && fabs(before[i].z) < 0.15) must(mus_cloth_pin(world, id, &i, 1));
    must(mus_world_validate(world));
    mus_start_report report;
    mus_world_get_start_report(world, &report);
    assert_true(report.crossings > 0 && report.moved > 0);
    for (int32_t i = 0; i < COUNT; i++)
        if (mus_cloth_is_pinned(world, id, i))
            assert_memory_equal(&before[i], mus_cloth_get_positions(world, id) + 3 * i, sizeof *before);
    free(before);
    mus_world_destroy(world);
}

/* What lies inside at the start is exempt, and the rest collides. */
static void test_overlap_exemption(void **state) {
    (void)state;
    mus_world *world = resting(NULL, 1, MUS_OVERLAP_ALLOW, -0.02);
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    int32_t inside = 0;
    for (int32_t i = 0; i < COUNT; i++) inside += v3_length(v3_sub(vertex_of(world, id, i), ball)) < 0.1;
    assert_true(inside > 3);
    for (int step = 0; step < 3; step++) must(mus_world_step(world));
    mus_stats stats;
    mus_world_get_stats(world, &stats);
    assert_int_equal(stats.allowed, 1);
    int64_t count;
    const mus_contact *c = mus_world_get_contacts(world, &count);
    for (int64_t k = 0; k < count; k++, c++) {
        v3 off = v3_sub(v3_load(c->point[0]), ball);
        assert_true(c->kind == MUS_PAIR_VERTEX_PLANE || off.x * off.x + off.z * off.z > 0.03 * 0.03);
    }
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_orders_stay),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_fall),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_pulls),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_springs),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_untangle),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_touch),
        cmocka_unit_test(test_overlap_exemption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
