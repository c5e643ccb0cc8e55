/* bench.c: the scenes of the examples 02–05 without Lua or pictures, timed by phase. `bench [--threads N] [--dt S]
 * [--frames N] [--pipeline robust|offset|newton] [--audit] [--bin FILE] [--csv] [--verbose] CASE...`; without a case
 * all of them. --bin writes every frame: "PEERFRM1", vertex and face counts, faces, then a frame: time, the sphere's
 * centre, ms, positions (little endian). */
#include "muslin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_case {
    const char *name, *doc;
    int nu, nv, frames;
    double lu, lv, friction, dt;
    void (*place)(double u, double v, double x[3]);
    bool floor, box, corner_pins;
    double sphere_radius, sphere[3], speed; /* the sphere moves along z */
    int sphere_subdivisions;
} bench_case;

static void place_strip(double u, double v, double x[3]) {
    x[0] = u, x[1] = v + 0.55, x[2] = 0.001 * mus_sin(2 * 3.14159265358979323846 * (v + 0.5) / 0.5);
}
static void place_over_sphere(double u, double v, double x[3]) {
    x[0] = u + 0.15, x[1] = 0.85, x[2] = v + 0.08;
}
static void place_hanging(double u, double v, double x[3]) {
    x[0] = u, x[1] = v + 1, x[2] = 0;
}
static void place_table(double u, double v, double x[3]) {
    x[0] = u + 0.05, x[1] = 0.12, x[2] = v + 0.03;
}

static const bench_case cases[] = {
    {"sphere", "example 02: sheet over a sphere and the floor", 40, 40, 240, 1, 1, 0.1, 1.0 / 120, place_over_sphere,
     .floor = true, .sphere_radius = 0.25, .sphere = {0, 0.5, 0}},
    {"pile", "example 03: strip piling up", 30, 100, 180, 0.3, 1, 0.3, 1.0 / 120, place_strip, .floor = true},
    {"hit5", "example 04: hanging sheet hit by a sphere at 5 m/s", 40, 40, 120, 1, 1, 0.1, 1.0 / 120, place_hanging,
     .corner_pins = true, .sphere_radius = 0.15, .sphere = {0, 1, -1}, .speed = 5},
    {"hit50", "example 04 at 50 m/s", 40, 40, 120, 1, 1, 0.1, 1.0 / 120, place_hanging, .corner_pins = true,
     .sphere_radius = 0.15, .sphere = {0, 1, -2}, .speed = 50},
    {"table", "example 05: tablecloth slides off a box", 25, 25, 120, 0.24, 0.24, 0, 1.0 / 120, place_table,
     .floor = true, .box = true},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void check(mus_status status) {
    if (status == MUS_STATUS_OK) return;
    fprintf(stderr, "bench: %s\n", mus_error_message());
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

static mus_world *build(const bench_case *c, const mus_pipeline *pipeline, int threads, double dt,
                        mus_cloth_id *sheet) {
    mus_world_def def = mus_world_def_default();
    def.dt = dt > 0 ? dt : c->dt;
    def.air_density = 0;
    def.threads = threads;
    def.pipeline = *pipeline;
    mus_world *world;
    check(mus_world_create(&def, &world));
    mus_grid_def grid = {.nodes = {c->nu, c->nv}, .size = {c->lu, c->lv}, .plane = "xz"};
    mus_mesh *mesh;
    check(mus_mesh_grid(&grid, &mesh));
    double *x = mus_mesh_vertices(mesh);
    for (int j = 0; j < c->nv; j++)
        for (int i = 0; i < c->nu; i++)
            c->place(c->lu * ((double)i / (c->nu - 1) - 0.5), c->lv * ((double)j / (c->nv - 1) - 0.5),
                     x + 3 * (i + j * c->nu));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "sheet";
    cloth.mesh = mesh;
    cloth.friction = c->friction;
    check(mus_cloth_create(world, &cloth, sheet));
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
        check(mus_obstacle_create(world, &ball, &id));
        if (c->speed > 0) check(mus_obstacle_set_motion(world, id, fly, (void *)(uintptr_t)c));
    }
    return world;
}

/* After the step, told on stderr when anything is found; its time counts, so not for timing. */
static void audit(mus_world *world) {
    mus_audit_report report;
    check(mus_world_audit(world, 1e-4, &report));
    if (report.finding_count)
        fprintf(stderr, "step %lld: %lld intersections, %lld inside, by %.3g m\n",
                (long long)mus_world_step_index(world), (long long)report.intersections, (long long)report.inside,
                report.max_depth);
    mus_audit_report_destroy(&report);
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void write_frame(FILE *file, mus_world *world, mus_cloth_id sheet, const bench_case *c, double ms) {
    double head[5] = {mus_world_time(world), c->sphere[0], c->sphere[1],
                      c->sphere[2] + c->speed * mus_world_time(world), ms};
    fwrite(head, sizeof(double), 5, file);
    fwrite(mus_cloth_positions(world, sheet), 3 * sizeof(double), (size_t)mus_cloth_vertex_count(world, sheet), file);
}

static void run(const bench_case *c, const mus_pipeline *pipeline, int threads, double dt, int frames, const char *bin,
                bool csv, bool verbose, bool audited) {

    mus_cloth_id sheet;
    mus_world *world = build(c, pipeline, threads, dt, &sheet);
    if (frames <= 0) frames = c->frames;
    double *ms = malloc(sizeof(double) * (size_t)frames);
    FILE *file = bin ? fopen(bin, "wb") : NULL;
    if (file) {
        int32_t counts[2] = {mus_cloth_vertex_count(world, sheet), mus_cloth_face_count(world, sheet)};
        fwrite("PEERFRM1", 1, 8, file);
        fwrite(counts, sizeof(int32_t), 2, file);
        fwrite(mus_cloth_faces(world, sheet), 3 * sizeof(int32_t), (size_t)counts[1], file);
        write_frame(file, world, sheet, c, 0);
    }
    mus_stats total = {0};
    double zones = 0, most = 0, worst_strain = 0;
    int64_t allocations = 0;
    for (int f = 0; f < frames; f++) {
        double start = now_ms(), sum_phases[MUS_PHASE_COUNT] = {0};
        if (f == frames - 10) allocations = (int64_t)mus_allocation_count();
        for (int k = 0; k < mus_world_steps_per_frame(world); k++) {
            check(mus_world_step(world));
            if (audited) audit(world);
            mus_stats s;
            mus_world_stats(world, &s);
            for (int p = 0; p < MUS_PHASE_COUNT; p++)
                total.phase_ms[p] += s.phase_ms[p], sum_phases[p] += s.phase_ms[p];
            total.candidates += s.candidates, total.contacts += s.contacts, total.ccd_tests += s.ccd_tests;
            total.ccd_hits += s.ccd_hits, total.iterations += s.iterations, total.ccd_passes += s.ccd_passes;
            total.substeps += s.substeps;
            zones += s.zones;
            if (s.zone_vertices > most) most = s.zone_vertices;
            if (s.max_strain > worst_strain) worst_strain = s.max_strain;
        }
        ms[f] = now_ms() - start;
        if (verbose && f % 10 == 9) {
            mus_stats s;
            mus_world_stats(world, &s);
            const double *x = mus_cloth_positions(world, sheet);
            double top = -1e9, mean = 0;
            for (int i = 0; i < mus_cloth_vertex_count(world, sheet); i++) {
                if (x[3 * i + 1] > top) top = x[3 * i + 1];
                mean += x[3 * i + 1];
            }
            fprintf(
                stderr,
                "frame %d: %.2f ms, top %.4f mean %.4f, ke %.4g, strain %.3f, contacts %lld, cand %lld, passes %d\n",
                f + 1, ms[f], top, mean / mus_cloth_vertex_count(world, sheet), s.kinetic_energy, s.max_strain,
                (long long)s.contacts, (long long)s.candidates, s.ccd_passes);
        }
        if (file) write_frame(file, world, sheet, c, ms[f]);
    }
    allocations = (int64_t)mus_allocation_count() - allocations;
    if (file) fclose(file);
    mus_strain strain;
    check(mus_cloth_strain(world, sheet, &strain));
    uint64_t hash = mus_world_hash(world);
    qsort(ms, (size_t)frames, sizeof *ms, by_value);
    double steps = (double)mus_world_step_index(world);
    if (csv) {
        printf("%s,%d,%d,%.4f,%.4f", c->name, threads, frames, ms[frames / 2], ms[frames - 1]);
        for (int p = 0; p < MUS_PHASE_COUNT; p++) printf(",%.4f", total.phase_ms[p] / frames);
        printf(",%016llx\n", (unsigned long long)hash);
    } else {
        printf("%-7s median %7.2f ms/frame, max %7.2f  |", c->name, ms[frames / 2], ms[frames - 1]);
        for (int p = 0; p < MUS_PHASE_COUNT; p++)
            printf(" %s %.2f", mus_phase_name((mus_phase)p), total.phase_ms[p] / frames);
        printf("\n        a step: candidates %.0f, contacts %.0f, ccd %.0f, hits %.1f, passes %.2f, solver %.1f, parts "
               "%.2f; zones %.0f (most "
               "%.0f vertices); strain max %.3f, end max %.4f median %.4f; allocations in the last 10 frames %lld; "
               "hash %016llx\n",
               (double)total.candidates / steps, (double)total.contacts / steps, (double)total.ccd_tests / steps,
               (double)total.ccd_hits / steps, total.ccd_passes / steps, total.iterations / steps,
               total.substeps / steps, zones, most, worst_strain, strain.max, strain.median, (long long)allocations,
               (unsigned long long)hash);
    }
    free(ms);
    mus_world_destroy(world);
}

static mus_pipeline pipeline_named(const char *name) {
    if (strcmp(name, "robust") == 0) return mus_pipeline_default();
    if (strcmp(name, "offset") == 0)
        return (mus_pipeline){"incremental", "box_tree", "certified_ccd", "ogc", "truncation", "none"};
    if (strcmp(name, "newton") == 0)
        return (mus_pipeline){"newton", "box_tree", "certified_ccd", "ogc", "truncation", "none"};
    fprintf(stderr, "bench: unknown pipeline '%s' (robust, offset, newton)\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    int threads = 1, frames = 0, chosen = 0;
    double dt = 0;
    const char *bin = NULL;
    bool csv = false, verbose = false, audited = false;
    mus_pipeline pipeline = mus_pipeline_default();
    for (int k = 1; k < argc; k++) {
        const char *a = argv[k];
        if (strcmp(a, "--csv") == 0) {
            csv = true;
        } else if (strcmp(a, "--audit") == 0) {
            audited = true;
        } else if (strcmp(a, "--verbose") == 0) {
            verbose = true;
        } else if (a[0] == '-' && k + 1 < argc) {
            const char *value = argv[++k];
            if (strcmp(a, "--threads") == 0)
                threads = atoi(value);
            else if (strcmp(a, "--frames") == 0)
                frames = atoi(value);
            else if (strcmp(a, "--dt") == 0)
                dt = strtod(value, NULL);
            else if (strcmp(a, "--bin") == 0)
                bin = value;
            else if (strcmp(a, "--pipeline") == 0)
                pipeline = pipeline_named(value);
            else
                return fprintf(stderr, "bench: unknown option '%s'\n", a), 2;
        } else {
            int c = 0;
            while (c < CASES && strcmp(cases[c].name, a) != 0) c++;
            if (c == CASES) {
                fprintf(stderr, "bench: unknown case '%s'; cases:\n", a);
                for (c = 0; c < CASES; c++) fprintf(stderr, "  %-7s %s\n", cases[c].name, cases[c].doc);
                return 2;
            }
            run(&cases[c], &pipeline, threads, dt, frames, bin, csv, verbose, audited);
            chosen++;
        }
    }
    for (int c = 0; c < CASES && !chosen; c++)
        run(&cases[c], &pipeline, threads, dt, frames, bin, csv, verbose, audited);
    return 0;
}
