/* bench.c: the scenes of the examples 02-05 without Lua or pictures, timed by phase; one drape on meshes of 10 thousand
 * to a million triangles; stacks of sheets. `bench --help` lists options and cases. --json prints an object a line,
 * with the machine and the commit (from $COMMIT, which tests/bench/run sets). --bin writes every frame: "PEERFRM1",
 * vertex and face counts, faces, then a frame: time, the sphere's center, ms, positions (little endian). */
#include "muslin.h"
#include "muslin/math.h"

#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct bench_case {
    const char *name, *doc;
    int nu, nv, frames;
    double lu, lv, friction, dt;
    void (*place)(double u, double v, double x[3]);
    bool floor, box, corner_pins;
    double sphere_radius, sphere[3], speed; /* the sphere moves along z */
    double mass;                            /* kg: the sphere is a rigid body; 0: its motion is prescribed */
    bool only_named;                        /* takes long: not run unless named */
    int layers;                             /* sheets, 4 mm above each other; 0: one */
    bool shuffled;                          /* no grid to the runtime, vertices and faces in no order */
} bench_case;

static void place_strip(double u, double v, double x[3]) {
    x[0] = u, x[1] = v + 0.55, x[2] = 0.001 * mus_sin(2 * 3.14159265358979323846 * (v + 0.5) / 0.5);
}
static void place_over_sphere(double u, double v, double x[3]) {
    x[0] = u + 0.15, x[1] = 0.85, x[2] = v + 0.08;
}
static void place_centered(double u, double v, double x[3]) {
    x[0] = u, x[1] = 0.85, x[2] = v;
}
static void place_hanging(double u, double v, double x[3]) {
    x[0] = u, x[1] = v + 1, x[2] = 0;
}
static void place_table(double u, double v, double x[3]) {
    x[0] = u + 0.05, x[1] = 0.12, x[2] = v + 0.03;
}

static void place_drape(double u, double v, double x[3]) {
    x[0] = u, x[1] = 0.755, x[2] = v;
}

static void place_layer(double u, double v, double x[3]) {
    x[0] = u, x[1] = 0.105, x[2] = v;
}

/* The same square meter, 5 mm over a ball, on ever finer meshes: from the first touch on. */
/* Square sheets of 4900 vertices, dropped together on a block and the floor; fifty are of the size of the stack that
 * papers on cloth collision time (246 thousand vertices). */
#define LAYERS(name, doc, n)                                                                                           \
    {                                                                                                                  \
        name, doc, 70, 70, 60, 0.5, 0.5, 0.3, 1.0 / 120, place_layer, .floor = true, .box = true, .layers = n,         \
                                                                      .only_named = true                               \
    }

#define DRAPE(name, doc, n)                                                                                            \
    {                                                                                                                  \
        name, doc, n, n, 15, 1, 1, 0.1, 1.0 / 120, place_drape, .floor = true, .sphere_radius = 0.25,                  \
                                                                .sphere = {0, 0.5, 0}, .only_named = true              \
    }

static const bench_case cases[] = {
    {"sphere", "example 02: sheet over a sphere and the floor", 40, 40, 240, 1, 1, 0.1, 1.0 / 120, place_over_sphere,
     .floor = true, .sphere_radius = 0.25, .sphere = {0, 0.5, 0}},
    {"pile", "example 03: strip piling up", 30, 100, 180, 0.3, 1, 0.3, 1.0 / 120, place_strip, .floor = true},
    {"hit5", "example 04: hanging sheet hit by a sphere at 5 m/s", 40, 40, 120, 1, 1, 0.1, 1.0 / 120, place_hanging,
     .corner_pins = true, .sphere_radius = 0.15, .sphere = {0, 1, -1}, .speed = 5},
    {"hit50", "example 04 at 50 m/s", 40, 40, 120, 1, 1, 0.1, 1.0 / 120, place_hanging, .corner_pins = true,
     .sphere_radius = 0.15, .sphere = {0, 1, -2}, .speed = 50},
    {"curtain", "hanging sheet of 2,916 vertices hit by a sphere at 3 m/s", 54, 54, 60, 1, 1, 0.1, 1.0 / 120,
     place_hanging, .corner_pins = true, .sphere_radius = 0.1, .sphere = {0, 1, -0.3}, .speed = 3, .only_named = true},
    {"thrown0.3", "the same by a rigid body of 0.3 kg", 54, 54, 60, 1, 1, 0.1, 1.0 / 120, place_hanging,
     .corner_pins = true, .sphere_radius = 0.1, .sphere = {0, 1, -0.3}, .speed = 3, .mass = 0.3, .only_named = true},
    {"thrown20", "the same by a rigid body of 20 kg", 54, 54, 60, 1, 1, 0.1, 1.0 / 120, place_hanging,
     .corner_pins = true, .sphere_radius = 0.1, .sphere = {0, 1, -0.3}, .speed = 3, .mass = 20, .only_named = true},
    {"table", "example 05: tablecloth slides off a box", 25, 25, 120, 0.24, 0.24, 0, 1.0 / 120, place_table,
     .floor = true, .box = true},
    {"centered", "sheet over the middle of a sphere (the peers' S2)", 40, 40, 240, 1, 1, 0.1, 1.0 / 120, place_centered,
     .floor = true, .sphere_radius = 0.25, .sphere = {0, 0.5, 0}, .only_named = true},
    {"centered200", "the same with 79 202 triangles (S5a)", 200, 200, 60, 1, 1, 0.1, 1.0 / 120, place_centered,
     .floor = true, .sphere_radius = 0.25, .sphere = {0, 0.5, 0}, .only_named = true},
    {"centered400", "the same with 318 402 (S5b)", 400, 400, 60, 1, 1, 0.1, 1.0 / 120, place_centered, .floor = true,
     .sphere_radius = 0.25, .sphere = {0, 0.5, 0}, .only_named = true},
    DRAPE("drape10k", "sheet of 10 082 triangles laid on a ball", 72),
    DRAPE("drape30k", "the same with 29 768", 123),
    {"drape30k_shuffled", "the same, numbered at random", 123, 123, 15, 1, 1, 0.1, 1.0 / 120, place_drape,
     .floor = true, .sphere_radius = 0.25, .sphere = {0, 0.5, 0}, .only_named = true, .shuffled = true},
    DRAPE("drape100k", "the same with 100 352", 225),
    DRAPE("drape300k", "the same with 299 538", 388),
    LAYERS("layers10", "ten sheets, one above the other, dropped on a block", 10),
    LAYERS("layers50", "fifty", 50),
    DRAPE("drape1m", "the same with 999 698", 708),
};
enum { CASES = sizeof cases / sizeof cases[0] };

static int sheets(const bench_case *c) {
    return c->layers ? c->layers : 1;
}
static int vertices(const bench_case *c) {
    return sheets(c) * c->nu * c->nv;
}
static int triangles(const bench_case *c) {
    return sheets(c) * 2 * (c->nu - 1) * (c->nv - 1);
}

static void check(mus_status status) {
    if (status == MUS_STATUS_OK) return;
    fprintf(stderr, "bench: %s\n", mus_get_error_message());
    exit(3);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static mus_status fly(void *user, double t, mus_pose *pose) {
    const bench_case *c = user;
    pose->position[2] = c->sphere[2] + c->speed * t;
    return MUS_STATUS_OK;
}

typedef struct bench_options {
    mus_pipeline pipeline;
    const char *pipeline_name, *bin;
    int threads, frames;
    int spread, start; /* runs of a case, each from a start of its own; which one it is */
    double dt;
    bool csv, json, verbose, audited, energy;
} bench_options;

static void shuffle(int32_t *list, int32_t count) {
    uint64_t state = 1;
    for (int32_t i = 0; i < count; i++) list[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int32_t k = (int32_t)((state >> 33) % (uint64_t)(i + 1)), swap = list[i];
        list[i] = list[k], list[k] = swap;
    }
}

/* The same surface, and the other mesh is gone. */
static mus_mesh *shuffled(mus_mesh *mesh) {
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertex_count = mus_mesh_get_vertex_count(mesh),
                        .face_count = mus_mesh_get_face_count(mesh)};
    size_t n = (size_t)def.vertex_count, m = (size_t)def.face_count;
    double *x = malloc(sizeof *x * 3 * n);
    int32_t *faces = malloc(sizeof *faces * 3 * m), *number = malloc(sizeof *number * n),
            *order = malloc(sizeof *order * m);
    if (!x || !faces || !number || !order) exit(1);
    shuffle(number, def.vertex_count), shuffle(order, def.face_count);
    for (size_t i = 0; i < n; i++) memcpy(x + 3 * number[i], mus_mesh_get_vertices(mesh) + 3 * i, sizeof *x * 3);
    for (size_t f = 0; f < m; f++)
        for (int k = 0; k < 3; k++) faces[3 * order[f] + k] = number[mus_mesh_get_faces(mesh)[3 * f + (size_t)k]];
    def.vertices = x, def.faces = faces;
    mus_mesh_destroy(mesh);
    check(mus_mesh_create(&def, &mesh));
    free(x), free(faces), free(number), free(order);
    return mesh;
}

static mus_world *build(const bench_case *c, const bench_options *o, mus_cloth_id *sheet) {
    mus_world_def def = mus_world_def_default();
    def.dt = o->dt > 0 ? o->dt : c->dt;
    def.air_density = 0;
    def.threads = o->threads;
    def.pipeline = o->pipeline;
    mus_world *world;
    check(mus_world_create(&def, &world));
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {c->nu, c->nv}, .size = {c->lu, c->lv}, .plane = "xz"};
    mus_mesh *mesh;
    check(mus_mesh_create_grid(&grid, &mesh));
    double *x = mus_mesh_get_vertices(mesh);
    for (int j = 0; j < c->nv; j++)
        for (int i = 0; i < c->nu; i++)
            c->place(c->lu * ((double)i / (c->nu - 1) - 0.5), c->lv * ((double)j / (c->nv - 1) - 0.5),
                     x + 3 * (i + j * c->nu));
    if (c->shuffled) mesh = shuffled(mesh), x = mus_mesh_get_vertices(mesh);
    for (int k = 0; o->start > 0 && k < 3 * c->nu * c->nv; k++) x[k] += 1e-7 * mus_sin(o->start * (k + 1.0));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "sheet";
    cloth.mesh = mesh;
    cloth.friction = c->friction;
    check(mus_cloth_create(world, &cloth, sheet));
    for (int k = 1; k < c->layers; k++) { /* no two above each other to within a millimeter */
        char name[32];
        snprintf(name, sizeof name, "sheet%d", k + 1);
        for (int i = 0; i < c->nu * c->nv; i++)
            x[3 * i] += 0.004 * mus_sin(k), x[3 * i + 1] += 0.004, x[3 * i + 2] += 0.004 * mus_cos(2 * k);
        mus_cloth_id layer;
        cloth.name = name;
        check(mus_cloth_create(world, &cloth, &layer));
    }
    mus_mesh_destroy(mesh);
    if (c->corner_pins) check(mus_cloth_pin(world, *sheet, (int32_t[]){(c->nv - 1) * c->nu, c->nv * c->nu - 1}, 2));
    mus_obstacle_id id;
    if (c->floor) {
        mus_obstacle_def plane = mus_obstacle_def_default();
        plane.name = "floor", plane.shape = MUS_SHAPE_PLANE, plane.friction = c->friction;
        check(mus_obstacle_create(world, &plane, &id));
    }
    if (c->box) {
        mus_obstacle_def box = mus_obstacle_def_default();
        box.name = "box", box.shape = MUS_SHAPE_BOX, box.friction = c->friction;
        box.size[0] = box.size[2] = 0.12, box.size[1] = 0.1, box.pose.position[1] = 0.05;
        check(mus_obstacle_create(world, &box, &id));
    }
    if (c->sphere_radius > 0) {
        mus_obstacle_def ball = mus_obstacle_def_default();
        ball.name = "ball", ball.shape = MUS_SHAPE_SPHERE, ball.friction = c->friction, ball.radius = c->sphere_radius;
        memcpy(ball.pose.position, c->sphere, sizeof ball.pose.position);
        if (c->mass > 0) ball.dynamic = true, ball.mass = c->mass, ball.velocity[2] = c->speed;
        check(mus_obstacle_create(world, &ball, &id));
        if (c->speed > 0 && !(c->mass > 0)) check(mus_obstacle_set_motion(world, id, fly, (void *)(uintptr_t)c));
    }
    return world;
}

/* After the step, reported on stderr when anything is found; its time counts, so not for timing. */
static void audit(mus_world *world) {
    mus_audit_report report;
    check(mus_world_audit(world, 1e-4, &report));
    if (report.finding_count)
        fprintf(stderr, "step %lld: %lld intersections, %lld inside, by %.3g m\n",
                (long long)mus_world_get_step_index(world), (long long)report.intersections, (long long)report.inside,
                report.max_depth);
    mus_audit_report_destroy(&report);
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void write_frame(FILE *file, mus_world *world, mus_cloth_id sheet, const bench_case *c, double ms) {
    double head[5] = {mus_world_get_time(world), c->sphere[0], c->sphere[1],
                      c->sphere[2] + c->speed * mus_world_get_time(world), ms};
    fwrite(head, sizeof(double), 5, file);
    fwrite(mus_cloth_get_positions(world, sheet), 3 * sizeof(double), (size_t)mus_cloth_get_vertex_count(world, sheet),
           file);
}

static json_t *machine(void) {
    char line[256], model[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %255[^\n]", model) == 1) break;
    if (file) fclose(file);
    return json_pack("{s:s, s:s, s:s?, s:s}", "processor", model, "vectors", mus_get_build().simd, "commit",
                     getenv("COMMIT"), "version", mus_get_build().version);
}

/* What a case came to: sums over its steps, and what is left at its end. */
typedef struct bench_result {
    mus_stats total;
    double steps, median_ms, max_ms, zones, most_zone, worst_strain;
    mus_strain strain;
    int64_t allocations, bytes, peak_rss; /* of the last ten frames; of the library at the end; of the process */
    uint64_t hash;
} bench_result;

static void print_json(const bench_case *c, const bench_options *o, int frames, const bench_result *r) {
    json_t *phases = json_object();
    for (int p = 0; p < MUS_PHASE_COUNT; p++)
        json_object_set_new(phases, mus_phase_get_name((mus_phase)p), json_real(r->total.phase_ms[p] / frames));
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
    json_t *row = json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:s, s:o}", "case",
        c->name, "pipeline", o->pipeline_name, "threads", o->threads, "vertices", vertices(c), "triangles",
        triangles(c), "frames", frames, "steps", r->steps, "median_ms", r->median_ms, "max_ms", r->max_ms, "phase_ms",
        phases, "iterations", r->total.iterations / r->steps, "candidates", (double)r->total.candidates / r->steps,
        "contacts", (double)r->total.contacts / r->steps, "hits", (double)r->total.ccd_hits / r->steps, "max_strain",
        r->worst_strain, "allocations_at_end", (json_int_t)r->allocations, "bytes", (json_int_t)r->bytes,
        "peak_rss_bytes", (json_int_t)r->peak_rss, "hash", hash, "machine", machine());
    json_dumpf(row, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    printf("\n");
    json_decref(row);
}

static void print_csv(const bench_case *c, const bench_options *o, int frames, const bench_result *r) {
    static bool headed;
    if (!headed) {
        printf("case,pipeline,threads,triangles,frames,median_ms,max_ms");
        for (int p = 0; p < MUS_PHASE_COUNT; p++) printf(",%s", mus_phase_get_name((mus_phase)p));
        printf(",bytes,hash\n");
    }
    headed = true;
    printf("%s,%s,%d,%d,%d,%.4f,%.4f", c->name, o->pipeline_name, o->threads, triangles(c), frames, r->median_ms,
           r->max_ms);
    for (int p = 0; p < MUS_PHASE_COUNT; p++) printf(",%.4f", r->total.phase_ms[p] / frames);
    printf(",%lld,%016llx\n", (long long)r->bytes, (unsigned long long)r->hash);
}

static void print_table(const bench_case *c, int frames, const bench_result *r) {
    printf("%-9s median %7.2f ms/frame, max %7.2f  |", c->name, r->median_ms, r->max_ms);
    for (int p = 0; p < MUS_PHASE_COUNT; p++)
        printf(" %s %.2f", mus_phase_get_name((mus_phase)p), r->total.phase_ms[p] / frames);
    printf(
        "\n          a step: candidate pairs %.0f, contacts %.0f, ccd %.0f, hits %.1f, passes %.2f, solver %.1f, parts "
        "%.2f; zones %.0f (most %.0f vertices); strain max %.3f, end max %.4f median %.4f; %.0f bytes a vertex, %lld "
        "allocations in the last 10 frames; hash %016llx\n",
        (double)r->total.candidates / r->steps, (double)r->total.contacts / r->steps,
        (double)r->total.ccd_tests / r->steps, (double)r->total.ccd_hits / r->steps, r->total.ccd_passes / r->steps,
        r->total.iterations / r->steps, r->total.substeps / r->steps, r->zones, r->most_zone, r->worst_strain,
        r->strain.max, r->strain.median, (double)r->bytes / vertices(c), (long long)r->allocations,
        (unsigned long long)r->hash);
}

/* Total energy at the ends of frames, J. */
typedef struct bench_energy {
    double start, most, least, rise; /* rise: the most that it is over the least before */
    int most_at, rise_at;            /* frames */
} bench_energy;

static double total_energy(mus_world *world) {
    mus_energy now;
    check(mus_world_get_energy(world, &now));
    return now.total;
}

static void follow_energy(bench_energy *e, mus_world *world, int frame) {
    double now = total_energy(world);
    if (frame == 1 || now > e->most) e->most = now, e->most_at = frame;
    e->least = fmin(e->least, now);
    if (now - e->least > e->rise) e->rise = now - e->least, e->rise_at = frame;
}

static void print_energy(FILE *file, const bench_case *c, const bench_energy *e) {
    fprintf(file,
            "%-9s energy at the start %.5g J; most after it %.5f of that, in frame %d; largest rise over what there "
            "was before %.3g of it, in frame %d; least %.5g J\n",
            c->name, e->start, e->most / e->start, e->most_at, e->rise / e->start, e->rise_at, e->least);
}

/* Plays the case; the median of its frames, ms. */
static double run(const bench_case *c, const bench_options *o) {
    mus_cloth_id sheet;
    mus_world *world = build(c, o, &sheet);
    int frames = o->frames > 0 ? o->frames : c->frames;
    double *ms = malloc(sizeof(double) * (size_t)frames);
    FILE *file = o->bin ? fopen(o->bin, "wb") : NULL;
    if (file) {
        int32_t counts[2] = {mus_cloth_get_vertex_count(world, sheet), mus_cloth_get_face_count(world, sheet)};
        fwrite("PEERFRM1", 1, 8, file);
        fwrite(counts, sizeof(int32_t), 2, file);
        fwrite(mus_cloth_get_faces(world, sheet), 3 * sizeof(int32_t), (size_t)counts[1], file);
        write_frame(file, world, sheet, c, 0);
    }
    bench_result r = {0};
    mus_stats *total = &r.total;
    bench_energy energy = {0};
    if (o->energy) energy.start = energy.least = total_energy(world);
    for (int f = 0; f < frames; f++) {
        double start = now_ms();
        if (f == frames - 10) r.allocations = (int64_t)mus_get_allocation_count();
        for (int k = 0; k < mus_world_get_steps_per_frame(world); k++) {
            check(mus_world_step(world));
            if (o->audited) audit(world);
            mus_stats s;
            mus_world_get_stats(world, &s);
            for (int p = 0; p < MUS_PHASE_COUNT; p++) total->phase_ms[p] += s.phase_ms[p];
            total->candidates += s.candidates, total->contacts += s.contacts, total->ccd_tests += s.ccd_tests;
            total->ccd_hits += s.ccd_hits, total->iterations += s.iterations, total->ccd_passes += s.ccd_passes;
            total->substeps += s.substeps;
            r.zones += s.zones;
            if (s.zone_vertices > r.most_zone) r.most_zone = s.zone_vertices;
            if (s.max_strain > r.worst_strain) r.worst_strain = s.max_strain;
        }
        ms[f] = now_ms() - start;
        if (o->energy) follow_energy(&energy, world, f + 1);
        if (o->verbose && f % 10 == 9) {
            mus_stats s;
            mus_world_get_stats(world, &s);
            const double *x = mus_cloth_get_positions(world, sheet);
            double top = -1e9, mean = 0;
            for (int i = 0; i < mus_cloth_get_vertex_count(world, sheet); i++) {
                if (x[3 * i + 1] > top) top = x[3 * i + 1];
                mean += x[3 * i + 1];
            }
            fprintf(
                stderr,
                "frame %d: %.2f ms, top %.4f mean %.4f, ke %.4g, strain %.3f, contacts %lld, cand %lld, passes %d\n",
                f + 1, ms[f], top, mean / mus_cloth_get_vertex_count(world, sheet), s.kinetic_energy, s.max_strain,
                (long long)s.contacts, (long long)s.candidates, s.ccd_passes);
        }
        if (file) write_frame(file, world, sheet, c, ms[f]);
    }
    r.allocations = (int64_t)mus_get_allocation_count() - r.allocations;
    if (file) fclose(file);
    check(mus_cloth_get_strain(world, sheet, &r.strain));
    r.hash = mus_world_get_hash(world);
    r.bytes = (int64_t)mus_get_allocated_bytes();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    r.peak_rss = (int64_t)usage.ru_maxrss * 1024;
    qsort(ms, (size_t)frames, sizeof *ms, by_value);
    r.median_ms = ms[frames / 2], r.max_ms = ms[frames - 1];
    r.steps = (double)mus_world_get_step_index(world);
    if (o->json)
        print_json(c, o, frames, &r);
    else if (o->csv)
        print_csv(c, o, frames, &r);
    else
        print_table(c, frames, &r);
    if (o->energy) print_energy(o->json || o->csv ? stderr : stdout, c, &energy);
    fflush(stdout);
    free(ms);
    mus_world_destroy(world);
    return r.median_ms;
}

/* The time of a pile depends on its chaotic outcome, which differs between starts that are equal to within any
 * measurement: one run is not representative. */
static void run_spread(const bench_case *c, bench_options o) {
    double *medians = malloc(sizeof(double) * (size_t)o.spread);
    for (o.start = 0; o.start < o.spread; o.start++) medians[o.start] = run(c, &o);
    qsort(medians, (size_t)o.spread, sizeof *medians, by_value);
    if (o.spread > 1)
        fprintf(stderr,
                "%s, %d starts that differ by 0.1 um: medians from %.2f to %.2f ms a frame, half of them below %.2f\n",
                c->name, o.spread, medians[0], medians[o.spread - 1], medians[o.spread / 2]);
    free(medians);
}

static mus_pipeline pipeline_named(const char *name) {
    mus_pipeline pipeline = mus_pipeline_default();
    if (strcmp(name, "robust") == 0) return pipeline;
    pipeline.integrator = "generalized_alpha";
    if (strcmp(name, "lively") == 0) return pipeline;
    pipeline = mus_pipeline_default();
    pipeline.response = "bridson";
    if (strcmp(name, "sequential") == 0) return pipeline;
    static const struct {
        const char *name, *integrator;
    } potentials[] = {{"offset", "incremental"}, {"vbd", "vbd"}, {"newton", "newton"}};
    for (int k = 0; k < 3; k++)
        if (strcmp(name, potentials[k].name) == 0)
            return (mus_pipeline){.integrator = potentials[k].integrator,
                                  .broad = "box_tree",
                                  .narrow = "certified_ccd",
                                  .response = "ogc",
                                  .failsafe = "truncation",
                                  .strain = "none"};
    fprintf(stderr, "bench: unknown pipeline '%s' (robust, lively, sequential, offset, vbd, newton)\n", name);
    exit(2);
}

static void list_cases(FILE *file) {
    for (int c = 0; c < CASES; c++) fprintf(file, "  %-17s %s\n", cases[c].name, cases[c].doc);
    fprintf(file, "  %-17s all the drapes\n", "scale");
}

/* From the first case of that name on; NULL: no more. */
static const bench_case *case_named(const char *name, const bench_case *from) {
    for (const bench_case *c = from; c < cases + CASES; c++)
        if (strcmp(c->name, name) == 0 || (strcmp(name, "scale") == 0 && c->place == place_drape && !c->shuffled))
            return c;
    return NULL;
}

static void usage(void) {
    printf("usage: bench [OPTION...] [CASE...]\n"
           "  --threads N        1\n"
           "  --frames N         those of the case\n"
           "  --dt S             the case's\n"
           "  --pipeline NAME    robust, lively, sequential, offset, vbd or newton\n"
           "  --spread N         each case N times, from starts that differ by 0.1 um\n"
           "  --energy           total energies at the ends of frames\n"
           "  --audit            every frame, exactly\n"
           "  --bin FILE         every frame into a file\n"
           "  --csv, --json, --verbose\n"
           "cases, without one the examples:\n");
    list_cases(stdout);
}

static double number(const char *option, const char *text, double least, bool whole) {
    char *end;
    double value = strtod(text, &end);
    if (*end == 0 && end > text && value >= least && value <= 1e6 && (!whole || value == floor(value))) return value;
    fprintf(stderr, "bench: --%s must be %s from %g on (got '%s')\n", option, whole ? "a whole number" : "a number",
            least, text);
    exit(2);
}

static bench_options options_of(int argc, char **argv) {
    enum { THREADS = 256, FRAMES, DT, PIPELINE, SPREAD, ENERGY, AUDIT, BIN, CSV, JSON, VERBOSE, HELP };
    static const struct option known[] = {{"threads", required_argument, NULL, THREADS},
                                          {"frames", required_argument, NULL, FRAMES},
                                          {"dt", required_argument, NULL, DT},
                                          {"pipeline", required_argument, NULL, PIPELINE},
                                          {"spread", required_argument, NULL, SPREAD},
                                          {"energy", no_argument, NULL, ENERGY},
                                          {"audit", no_argument, NULL, AUDIT},
                                          {"bin", required_argument, NULL, BIN},
                                          {"csv", no_argument, NULL, CSV},
                                          {"json", no_argument, NULL, JSON},
                                          {"verbose", no_argument, NULL, VERBOSE},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    bench_options o = {.pipeline = mus_pipeline_default(), .pipeline_name = "robust", .threads = 1, .spread = 1};
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case THREADS:
            o.threads = (int)number("threads", optarg, 1, true);
            break;
        case FRAMES:
            o.frames = (int)number("frames", optarg, 1, true);
            break;
        case DT:
            o.dt = number("dt", optarg, 1e-6, false);
            break;
        case PIPELINE:
            o.pipeline = pipeline_named(optarg), o.pipeline_name = optarg;
            break;
        case SPREAD:
            o.spread = (int)number("spread", optarg, 1, true);
            break;
        case ENERGY:
            o.energy = true;
            break;
        case AUDIT:
            o.audited = true;
            break;
        case BIN:
            o.bin = optarg;
            break;
        case CSV:
            o.csv = true;
            break;
        case JSON:
            o.json = true;
            break;
        case VERBOSE:
            o.verbose = true;
            break;
        case HELP:
            usage(), exit(0);
        default:
            exit(2); /* getopt has printed the reason */
        }
    }
    return o;
}

int main(int argc, char **argv) {
    bench_options o = options_of(argc, argv);
    for (int k = optind; k < argc; k++) {
        if (case_named(argv[k], cases)) continue;
        fprintf(stderr, "bench: unknown case '%s'; cases:\n", argv[k]);
        list_cases(stderr);
        return 2;
    }
    for (int k = optind; k < argc; k++)
        for (const bench_case *c = cases; (c = case_named(argv[k], c)); c++) run_spread(c, o);
    for (int c = 0; c < CASES && optind == argc; c++)
        if (!cases[c].only_named) run_spread(&cases[c], o);
    return 0;
}
