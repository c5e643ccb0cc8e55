/* test_random_scenes.c: random sheets (flat, waved, folded, rolled) thrown at each other and at random obstacles. After
 * every step the auditor must find nothing: no intersection, nothing deeper than 0.1 mm in an obstacle. A step may fail
 * only with NO_SAFE_STEP, only where something kinematic moves, and it then leaves the state as it was.
 *
 * MUSLIN_SCENES=FIRST:COUNT plays other scenes than the usual ones (`make soak`), MUSLIN_STEPS other numbers of steps,
 * MUSLIN_SAVE=DIR writes the two states around a failure as OBJ. */
#include "scene.h"

enum { USUAL_SCENES = 32, USUAL_STEPS = 36, MOST_MOVERS = 4 };

typedef struct mover {
    v3 start, speed, axis;
    double rate; /* rad/s about the axis */
    double rotation[4];
} mover;

/* Turns pinned vertices about an axis: a sheet is wrung. */
typedef struct wringer {
    v3 center, axis;
    double rate;
} wringer;

typedef struct scene {
    mus_rng rng;
    wringer wringers[8];
    int wringer_count;
    mus_world *world;
    mover movers[MOST_MOVERS];
    int mover_count;
    bool kinematic; /* something moves by prescription */
    char what[512];
} scene;

static double between(scene *s, double a, double b) {
    return mus_rng_between(&s->rng, a, b);
}
static int below(scene *s, int n) {
    return (int)mus_rng_below(&s->rng, (uint64_t)n);
}
static bool chance(scene *s, double share) {
    return mus_rng_double(&s->rng) < share;
}
static void note(scene *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(scene *s, const char *format, ...) {
    size_t used = strlen(s->what);
    va_list list;
    va_start(list, format);
    vsnprintf(s->what + used, sizeof s->what - used, format, list);
    va_end(list);
}

static void multiply(const double p[4], const double q[4], double r[4]) {
    r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    r[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    r[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    r[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

static mus_status move(void *user, double t, mus_pose *pose) {
    const mover *m = user;
    double q[4];
    turn(q, m->axis, m->rate * t);
    v3_store(pose->position, v3_axpy(t, m->speed, m->start));
    multiply(q, m->rotation, pose->rotation);
    return MUS_STATUS_OK;
}

static mus_status wring(void *user, double t, int32_t vertex, double position[3]) {
    const wringer *w = user;
    double q[4];
    (void)vertex;
    turn(q, w->axis, w->rate * t);
    m3 r = m3_from_quaternion(q);
    v3_store(position, v3_add(w->center, m3_mul_v3(&r, v3_sub(v3_load(position), w->center))));
    return MUS_STATUS_OK;
}

/* ---- sheets ---- */

static v3 flat(double u, double v, double p) {
    (void)p;
    return v3_make(u, 0, v);
}
static v3 waved(double u, double v, double p) {
    return v3_make(u, 0.3 * p * mus_sin(u / p) * mus_cos(0.7 * v / p), v);
}
/* A spiral whose turns are p apart. */
static v3 rolled(double u, double v, double p) {
    double r0 = 2 * p, k = p / (2 * 3.14159265358979323846);
    double angle = (sqrt(r0 * r0 + 2 * k * u) - r0) / k, r = r0 + k * angle;
    return v3_make(r * mus_cos(angle), r * mus_sin(angle), v);
}
/* Zigzag: panels of six p, leaning by p. */
static v3 folded(double u, double v, double p) {
    double panel = 6 * p, n = floor(u / panel), at = u / panel - n;
    bool back = ((int64_t)n & 1) != 0;
    return v3_make(panel * (back ? 1 - at : at), p * (n + at), v);
}

static mus_mesh *random_sheet(scene *s, double *spacing) {
    static v3 (*const shapes[])(double, double, double) = {flat, flat, waved, rolled, folded};
    static const char *const names[] = {"flat", "flat", "waved", "rolled", "folded"};
    int nu = 3 + below(s, 12), nv = 3 + below(s, 12), shape = below(s, 5);
    double edge = between(s, 0.01, 0.05), lu = edge * (nu - 1), lv = edge * (nv - 1);
    double p = edge * between(s, 0.35, 1.5);
    mus_mesh *mesh = grid_mesh(nu, nv, lu, lv, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_get_vertices(mesh);
    double skew = chance(s, 0.3) ? between(s, -0.2, 0.2) : 0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nu; i++)
            v3_store(x + 3 * (i + j * nu), shapes[shape](edge * i + skew * edge * j, edge * j, p));
    *spacing = shape < 3 ? edge : p;
    note(s, " %s %dx%d/%.0fmm", names[shape], nu, nv, 1e3 * edge);
    return mesh;
}

static void throw_about(scene *s, mus_mesh *mesh) {
    double q[4];
    turn(q, random_direction(&s->rng), between(s, -3.2, 3.2));
    if (chance(s, 0.3)) turn(q, v3_make(0, 1, 0), below(s, 4) * 1.5707963267948966); /* aligned with the axes */
    m3 r = m3_from_quaternion(q);
    v3 at = v3_make(between(s, -0.25, 0.25), between(s, 0.1, 0.6), between(s, -0.25, 0.25));
    double *x = mus_mesh_get_vertices(mesh);
    for (int32_t i = 0; i < mus_mesh_get_vertex_count(mesh); i++)
        v3_store(x + 3 * i, v3_add(at, m3_mul_v3(&r, v3_load(x + 3 * i))));
}

static void add_random_cloth(scene *s) {
    double spacing;
    mus_mesh *mesh = random_sheet(s, &spacing);
    mus_cloth_def def = mus_cloth_def_default();
    def.material = *mus_material_get_preset((int32_t)mus_rng_below(&s->rng, (uint64_t)mus_material_get_preset_count()));
    if (chance(s, 0.15)) def.material.strain_limit = 0;
    if (chance(s, 0.15)) def.material.bend = 0.2 * def.material.stretch;
    def.thickness = spacing * between(s, 0.01, 0.3);
    if (chance(s, 0.1)) def.thickness = spacing * 1.5; /* thicker than its own mesh is fine */
    def.friction = chance(s, 0.2) ? 0 : between(s, 0, 1);
    def.restitution = chance(s, 0.2) ? between(s, 0, 1) : 0;
    def.mesh = mesh;
    v3_store(def.velocity, v3_scale(chance(s, 0.3) ? between(s, 5, 20) : between(s, 0, 3), random_direction(&s->rng)));
    mus_cloth_id id;
    double *x = mus_mesh_get_vertices(mesh);
    size_t bytes = sizeof(double) * 3 * (size_t)mus_mesh_get_vertex_count(mesh);
    double *at_home = malloc(bytes);
    memcpy(at_home, x, bytes);
    bool placed = false;
    for (int attempt = 0; attempt < 20 && !placed; attempt++) {
        memcpy(x, at_home, bytes);
        throw_about(s, mesh);
        must(mus_cloth_create(s->world, &def, &id));
        mus_status status = mus_world_validate(s->world);
        if (status == MUS_STATUS_OK) {
            placed = true;
            break;
        }
        assert_int_equal(status, MUS_STATUS_OVERLAP);
        must(mus_cloth_destroy(s->world, id));
    }
    int32_t n = mus_mesh_get_vertex_count(mesh), nu = mus_mesh_get_grid_nodes(mesh)[0];
    if (placed && chance(s, 0.2)) { /* layers on top, some far nearer than their thickness */
        v3 up = v3_normalized(v3_load(mus_cloth_get_normals(s->world, id)));
        double gap = def.thickness * between(s, 0.05, 1.5);
        for (int layers = 1 + below(s, 3); layers > 0; layers--) {
            for (int32_t i = 0; i < n; i++) v3_store(x + 3 * i, v3_axpy(gap, up, v3_load(x + 3 * i)));
            mus_cloth_id layer;
            must(mus_cloth_create(s->world, &def, &layer));
            if (mus_world_validate(s->world) != MUS_STATUS_OK) {
                must(mus_cloth_destroy(s->world, layer));
                break;
            }
            note(s, " +layer");
        }
    }
    mus_mesh_destroy(mesh);
    free(at_home);
    if (!placed) {
        note(s, " (no room)");
        return;
    }
    if (chance(s, 0.3)) { /* spin */
        v3 omega = v3_scale(between(s, 0, 30), random_direction(&s->rng)), c = centroid_of(s->world, id);
        double *v = mus_cloth_get_velocities(s->world, id);
        for (int32_t i = 0; i < n; i++)
            v3_store(v + 3 * i, v3_add(v3_load(v + 3 * i), v3_cross(omega, v3_sub(vertex_of(s->world, id, i), c))));
    }
    if (chance(s, 0.1)) { /* every vertex its own way */
        double *v = mus_cloth_get_velocities(s->world, id);
        for (int32_t i = 0; i < 3 * n; i++) v[i] += between(s, -3, 3);
    }
    if (chance(s, 0.12) && s->wringer_count + 2 <= 8) { /* both ends turned against each other */
        int32_t ends[2][16], nv = n / nu;
        for (int32_t j = 0; j < nv; j++) ends[0][j] = j * nu, ends[1][j] = j * nu + nu - 1;
        v3 a = vertex_of(s->world, id, ends[0][nv / 2]), b = vertex_of(s->world, id, ends[1][nv / 2]);
        double rate = between(s, -12, 12);
        for (int e = 0; e < 2; e++) {
            wringer *w = &s->wringers[s->wringer_count++];
            *w = (wringer){e ? b : a, v3_normalized(v3_sub(b, a)), e ? -rate : rate};
            must(mus_cloth_pin_to_path(s->world, id, ends[e], nv, wring, w));
        }
        s->kinematic = true;
        note(s, " wrung");
    } else if (chance(s, 0.25)) {
        int32_t corners[4] = {0, nu - 1, n - nu, n - 1};
        must(mus_cloth_pin(s->world, id, corners, 1 + below(s, 4)));
        note(s, " pinned");
    }
}

/* ---- obstacles ---- */

static void add_random_obstacle(scene *s) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_mesh *mesh = NULL;
    def.friction = chance(s, 0.2) ? 0 : between(s, 0, 1);
    def.thickness = chance(s, 0.3) ? between(s, 0, 2e-3) : 0;
    def.restitution = chance(s, 0.2) ? between(s, 0, 1) : 0;
    v3_store(def.pose.position, v3_make(between(s, -0.3, 0.3), between(s, 0, 0.4), between(s, -0.3, 0.3)));
    if (chance(s, 0.6)) turn(def.pose.rotation, random_direction(&s->rng), between(s, -3, 3));
    const double here[3] = {0, 0, 0};
    int kind = below(s, 8);
    switch (kind) {
    case 0:
        def.shape = MUS_SHAPE_PLANE;
        def.pose = mus_pose_identity();
        v3_store(def.normal,
                 chance(s, 0.5) ? v3_make(0, 1, 0) : v3_make(between(s, -0.5, 0.5), 1, between(s, -0.5, 0.5)));
        break;
    case 1:
        def.shape = MUS_SHAPE_SPHERE, def.radius = between(s, 0.01, 0.2);
        break;
    case 2:
        def.shape = MUS_SHAPE_CAPSULE, def.radius = between(s, 0.01, 0.1), def.length = between(s, 0.01, 0.4);
        break;
    case 3:
    case 4:
        def.shape = MUS_SHAPE_BOX;
        for (int k = 0; k < 3; k++) def.size[k] = between(s, 0.02, 0.3);
        break;
    case 5:
        must(mus_mesh_create_sphere(between(s, 0.03, 0.2), below(s, 3), here, &mesh));
        break;
    case 6:
        must(mus_mesh_create_icosahedron(between(s, 0.02, 0.2), here, &mesh));
        break;
    default: /* open */
        mesh = grid_mesh(2 + below(s, 4), 2 + below(s, 4), between(s, 0.1, 0.4), between(s, 0.1, 0.4), "xz",
                         v3_make(0, 0, 0));
    }
    def.mesh = mesh;
    mus_obstacle_id id;
    must(mus_obstacle_create(s->world, &def, &id));
    mus_mesh_destroy(mesh);
    static const char *const names[] = {"plane", "sphere", "capsule", "box", "box", "ball mesh", "icosahedron", "open"};
    note(s, " %s", names[kind]);
    if (kind == 0 || s->mover_count == MOST_MOVERS || !chance(s, 0.3)) return;
    mover *m = &s->movers[s->mover_count++];
    *m = (mover){.start = v3_load(def.pose.position), .axis = random_direction(&s->rng)};
    memcpy(m->rotation, def.pose.rotation, sizeof m->rotation);
    m->speed = v3_scale(between(s, 0, chance(s, 0.2) ? 10 : 2), random_direction(&s->rng));
    if (chance(s, 0.5)) m->rate = between(s, -6, 6);
    must(mus_obstacle_set_motion(s->world, id, move, m));
    s->kinematic = true;
    note(s, " moving");
}

/* ---- playing ---- */

static bool potential, classic; /* the scenes under the other families of pipelines, where these promise as much */
static const char *coupled;     /* integrator of the coupled one; NULL: another family */

static void make(scene *s, uint64_t seed) {
    *s = (scene){.rng = mus_rng_make(seed, 7)};
    mus_world_def def = mus_world_def_default();
    static const double steps[] = {1.0 / 60, 1.0 / 120, 1.0 / 240};
    def.dt = steps[below(s, 3)];
    def.threads = 1 + below(s, 3);
    if (chance(s, 0.3)) def.air_density = 0;
    if (chance(s, 0.1)) def.gravity[1] = 0;
    static const char *const explicit[] = {"semi_implicit_euler", "verlet", "rk4"};
    def.pipeline.integrator = "implicit_euler", def.pipeline.response = "bridson";
    if (chance(s, 0.15)) { /* stiff cloth takes substeps of microseconds: a short step has enough of them */
        def.pipeline.integrator = explicit[seed % 3];
        def.dt = 1.0 / 480;
    }
    if (chance(s, 0.1)) def.pipeline.response = "impulses";
    if (chance(s, 0.1)) def.pipeline.broad = "brute";
    if (potential) {
        def.pipeline.integrator = seed % 3 ? "incremental" : "vbd", def.pipeline.response = "ogc";
        def.pipeline.failsafe = seed % 4 ? "truncation" : "isotropic", def.pipeline.strain = "none";
    }
    if (classic) {
        def.pipeline.response = "bridson_tested";
        if (seed % 3 == 0) def.pipeline.failsafe = "provot_zones";
        if (seed % 3 == 1) def.pipeline.failsafe = "inelastic_zones";
    }
    if (coupled) def.pipeline.integrator = coupled, def.pipeline.response = "coupled";
    must(mus_world_create(&def, &s->world));
    note(s, "1/%.0f s, %s, %s:", 1 / def.dt, def.pipeline.integrator, def.pipeline.response);
    int obstacles = below(s, 4), cloths = 1 + below(s, 3);
    for (int k = 0; k < obstacles; k++) add_random_obstacle(s);
    for (int k = 0; k < cloths; k++) add_random_cloth(s);
}

static void save(const scene *s, uint64_t seed, int64_t step) {
    const char *folder = getenv("MUSLIN_SAVE");
    if (!folder) return;
    char path[256];
    snprintf(path, sizeof path, "%s/scene%llu_%04lld.obj", folder, (unsigned long long)seed, (long long)step);
    mus_part parts[16];
    char names[16][64];
    int count = 0;
    for (int32_t k = 0; k < mus_world_get_cloth_count(s->world); k++, count++) {
        mus_cloth_id id = mus_world_get_cloth(s->world, k);
        snprintf(names[count], sizeof names[count], "cloth:%s", mus_cloth_get_name(s->world, id));
        parts[count] = (mus_part){.name = names[count],
                                  .vertices = mus_cloth_get_positions(s->world, id),
                                  .faces = mus_cloth_get_faces(s->world, id),
                                  .vertex_count = mus_cloth_get_vertex_count(s->world, id),
                                  .face_count = mus_cloth_get_face_count(s->world, id)};
    }
    for (int32_t k = 0; k < mus_world_get_obstacle_count(s->world); k++, count++) {
        mus_obstacle_id id = mus_world_get_obstacle(s->world, k);
        const mus_mesh *mesh = mus_obstacle_get_surface_mesh(s->world, id);
        snprintf(names[count], sizeof names[count], "obstacle:%s", mus_obstacle_get_name(s->world, id));
        parts[count] = (mus_part){.name = names[count],
                                  .vertices = mus_mesh_get_vertices_const(mesh),
                                  .faces = mus_mesh_get_faces(mesh),
                                  .vertex_count = mus_mesh_get_vertex_count(mesh),
                                  .face_count = mus_mesh_get_face_count(mesh)};
    }
    must(mus_parts_save(parts, count, path));
}

typedef struct tally {
    int64_t steps, unsafe, bad, hits, zones, contacts;
} tally;

static void play(uint64_t seed, int steps, tally *t) {
    scene s;
    make(&s, seed);
    for (int k = 0; k < steps; k++) {
        uint64_t before = mus_world_get_hash(s.world);
        save(&s, seed, k);
        mus_status status = mus_world_step(s.world);
        t->steps++;
        if (status == MUS_STATUS_NO_SAFE_STEP) {
            assert_int_equal(mus_world_get_hash(s.world), before);
            t->unsafe++;
            if (!s.kinematic) {
                print_message("scene %llu, step %d: %s\n    %s\n", (unsigned long long)seed, k, mus_get_error_message(),
                              s.what);
                t->bad++;
            }
            break;
        }
        if (status != MUS_STATUS_OK) {
            print_message("scene %llu, step %d: %s: %s\n    %s\n", (unsigned long long)seed, k,
                          mus_status_get_name(status), mus_get_error_message(), s.what);
            t->bad++;
            break;
        }
        mus_stats stats;
        mus_world_get_stats(s.world, &stats);
        t->hits += stats.ccd_hits, t->zones += stats.zones, t->contacts += stats.contacts;
        mus_audit_report report;
        must(mus_world_audit(s.world, 1e-4, &report));
        if (report.finding_count) {
            const mus_audit_finding *f = &report.findings[0];
            print_message(
                "scene %llu, step %d: %lld intersections, %lld inside (%.3g m); first: kind %d, '%s' and '%s', "
                "faces %d %d\n    %s\n",
                (unsigned long long)seed, k, (long long)report.intersections, (long long)report.inside,
                report.max_depth, (int)f->kind, mus_object_get_name(s.world, f->object[0]),
                mus_object_get_name(s.world, f->object[1]), f->face[0], f->face[1], s.what);
            save(&s, seed, k + 1);
            t->bad++;
        }
        bool found = report.finding_count > 0;
        mus_audit_report_destroy(&report);
        if (found) break;
    }
    mus_world_destroy(s.world);
}

static tally play_range(int count, int steps) {
    const char *range = getenv("MUSLIN_SCENES"), *length = getenv("MUSLIN_STEPS");
    unsigned long long first = 1;
    if (length) steps = atoi(length);
    if (range) assert_int_equal(sscanf(range, "%llu:%d", &first, &count), 2);
    tally t = {0};
    for (int k = 0; k < count; k++) play(first + (uint64_t)k, steps, &t);
    print_message("%d scenes, %lld steps, %lld contacts, %lld hits, %lld zones; %lld steps without a safe end\n", count,
                  (long long)t.steps, (long long)t.contacts, (long long)t.hits, (long long)t.zones,
                  (long long)t.unsafe);
    assert_int_equal(t.bad, 0);
    assert_true(count < 20 || t.unsafe * 10 <= count); /* pinches are rare */
    assert_int_equal(mus_get_allocated_bytes(), 0);
    return t;
}

static void test_scenes(void **state) {
    (void)state;
    tally t = play_range(USUAL_SCENES, USUAL_STEPS);
    if (!getenv("MUSLIN_SCENES")) assert_true(t.hits > 200 && t.contacts > 10000); /* else nothing to fail at */
}

static void test_potential(void **state) {
    (void)state;
    potential = true;
    tally t = play_range(24, 30);
    if (!getenv("MUSLIN_SCENES")) assert_true(t.contacts > 2000);
}

static void test_coupled(void **state) {
    (void)state;
    static const char *const integrators[] = {"implicit_euler", "generalized_alpha"};
    for (int k = 0; k < 2; k++) {
        coupled = integrators[k];
        tally t = play_range(16, 24);
        if (!getenv("MUSLIN_SCENES")) assert_true(t.contacts > 2000);
    }
    coupled = NULL;
}

static void test_classic(void **state) {
    (void)state;
    potential = false, classic = true;
    tally t = play_range(40, 40);
    if (!getenv("MUSLIN_SCENES")) assert_true(t.hits > 200 && t.contacts > 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_coupled),
                                       cmocka_unit_test(test_potential), cmocka_unit_test(test_classic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
