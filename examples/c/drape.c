/* drape.c: a sheet falls over a ball on the floor, simulated through muslin.h without Lua.
 *
 *   cc drape.c $(pkg-config --cflags --libs muslin) -lm -o drape
 *   ./drape [SECONDS [FRAMES.obj]]
 *
 * Prints a line each quarter of a second (m, s) and a summary; writes the last state as a mesh if a path is given. Exit
 * code 0: nothing passed through anything; 1: the auditor found something; 2: the command line; 3: the library reported
 * a failure. */
#include <muslin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything that must be given back, so that one place can. */
typedef struct scene {
    mus_mesh *mesh;
    mus_world *world;
    mus_cloth_id sheet;
    mus_obstacle_id ball, floor;
} scene;

static mus_status scene_create(scene *s) {
    mus_grid_def grid = mus_grid_def_default();
    grid.nodes[0] = grid.nodes[1] = 30;
    grid.size[0] = grid.size[1] = 1;
    grid.center[0] = 0.03, grid.center[1] = 0.85, grid.center[2] = 0.02;
    mus_status status = mus_mesh_create_grid(&grid, &s->mesh);
    if (status) return status;

    mus_world_def world = mus_world_def_default();
    world.threads = 1;
    status = mus_world_create(&world, &s->world);
    if (status) return status;

    mus_cloth_def sheet = mus_cloth_def_default();
    sheet.name = "sheet";
    sheet.mesh = s->mesh; /* copied */
    sheet.thickness = 2e-3;
    status = mus_cloth_create(s->world, &sheet, &s->sheet);
    if (status) return status;

    mus_obstacle_def ball = mus_obstacle_def_default();
    ball.name = "ball";
    ball.shape = MUS_SHAPE_SPHERE;
    ball.radius = 0.25;
    ball.pose.position[1] = 0.5;
    status = mus_obstacle_create(s->world, &ball, &s->ball);
    if (status) return status;

    mus_obstacle_def floor = mus_obstacle_def_default();
    floor.name = "floor";
    floor.shape = MUS_SHAPE_PLANE;
    floor.normal[1] = 1;
    return mus_obstacle_create(s->world, &floor, &s->floor);
}

static void scene_destroy(scene *s) {
    mus_world_destroy(s->world);
    mus_mesh_destroy(s->mesh);
}

/* Lowest and highest vertex. */
static void height(scene *s, double *low, double *high) {
    const double *x = mus_cloth_get_positions(s->world, s->sheet);
    *low = INFINITY, *high = -INFINITY;
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(s->world, s->sheet); i++) {
        *low = fmin(*low, x[3 * i + 1]);
        *high = fmax(*high, x[3 * i + 1]);
    }
}

static mus_status play(scene *s, double seconds) {
    int32_t per_frame = mus_world_get_steps_per_frame(s->world);
    double fps = mus_world_get_def(s->world)->fps;
    int64_t frames = (int64_t)floor(seconds * fps + 0.5);
    for (int64_t frame = 1; frame <= frames; frame++) {
        for (int32_t k = 0; k < per_frame; k++) {
            mus_status status = mus_world_step(s->world);
            if (status) return status; /* the state is the one before the step */
        }
        if (frame % 15 != 0) continue;
        double low, high;
        height(s, &low, &high);
        mus_stats stats;
        mus_world_get_stats(s->world, &stats);
        printf("%5.2f s  %.3f .. %.3f m  %5lld contacts\n", mus_world_get_time(s->world), low, high,
               (long long)stats.contacts);
    }
    return MUS_STATUS_OK;
}

static mus_status save(scene *s, const char *path) {
    const mus_mesh *ball = mus_obstacle_get_surface_mesh(s->world, s->ball);
    if (!ball) return MUS_STATUS_STALE;
    const mus_part parts[] = {
        {.name = "cloth:sheet",
         .vertices = mus_cloth_get_positions(s->world, s->sheet),
         .faces = mus_cloth_get_faces(s->world, s->sheet),
         .vertex_count = mus_cloth_get_vertex_count(s->world, s->sheet),
         .face_count = mus_cloth_get_face_count(s->world, s->sheet)},
        {.name = "obstacle:ball",
         .vertices = mus_mesh_get_vertices_const(ball),
         .faces = mus_mesh_get_faces(ball),
         .vertex_count = mus_mesh_get_vertex_count(ball),
         .face_count = mus_mesh_get_face_count(ball)},
    };
    return mus_parts_save(parts, 2, path);
}

int main(int argc, char **argv) {
    double seconds = 1;
    if (argc > 1) {
        char *end;
        seconds = strtod(argv[1], &end);
        if (*end || !(seconds > 0 && seconds < 1e6) || argc > 3) {
            fprintf(stderr, "usage: %s [SECONDS [FILE.obj]]\n", argv[0]);
            return 2;
        }
    }
    mus_build build = mus_get_build();
    printf("muslin %s (%s, %s)\n", build.version, build.compiler, build.cpu);

    scene s = {0};
    mus_audit_report report = {0};
    mus_strain strain = {0};
    mus_status status = scene_create(&s);
    if (!status) status = play(&s, seconds);
    if (!status) status = mus_cloth_get_strain(s.world, s.sheet, &strain);
    if (!status) status = mus_world_audit(s.world, 1e-4, &report);
    if (!status && argc > 2) status = save(&s, argv[2]);
    if (status) {
        fprintf(stderr, "%s: %s\n", mus_status_get_name(status), mus_get_error_message());
    } else {
        printf("strain at most %.2f %%, median %.3f %%\n", 100 * strain.max, 100 * strain.median);
        printf("%lld intersections, %lld features inside an obstacle, hash %016llx\n", (long long)report.intersections,
               (long long)report.inside, (unsigned long long)mus_world_get_hash(s.world));
    }
    bool clean = report.intersections == 0 && report.inside == 0;
    mus_audit_report_destroy(&report);
    scene_destroy(&s);
    if (mus_get_allocated_bytes() != 0) fprintf(stderr, "%zu bytes were not given back\n", mus_get_allocated_bytes());
    return status ? 3 : clean ? 0 : 1;
}
