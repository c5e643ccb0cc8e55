/* fuzz_audit.c: extreme numbers in the auditor, the generators, transforms, queries, and in the definitions of objects
 * that are then stepped. The first byte chooses which, the rest are numbers (fuzz.h). */
#include "fuzz.h"

enum { MOST_VERTICES = 12, MOST_FACES = 16 };

typedef struct part_room {
    double vertices[3 * MOST_VERTICES];
    int32_t faces[3 * MOST_FACES];
} part_room;

static void read_part(fuzz_input *in, part_room *room, mus_part *part, const char *name) {
    *part = (mus_part){.name = name, .vertices = room->vertices, .faces = room->faces};
    part->vertex_count = 3 + fuzz_byte(in) % (MOST_VERTICES - 2);
    part->face_count = 1 + fuzz_byte(in) % MOST_FACES;
    for (int32_t k = 0; k < 3 * part->vertex_count; k++) room->vertices[k] = fuzz_number(in);
    bool wild = fuzz_byte(in) == 0; /* indices that are not there */
    for (int32_t k = 0; k < 3 * part->face_count; k++)
        room->faces[k] = wild ? (int8_t)fuzz_byte(in) : fuzz_byte(in) % part->vertex_count;
}

static bool in_range(const mus_part *part) {
    for (int32_t k = 0; k < 3 * part->vertex_count; k++)
        if (!(fabs(part->vertices[k]) <= MUS_LARGEST_LENGTH)) return false;
    return true;
}

static void check_mesh(mus_mesh *mesh, fuzz_input *in) {
    mus_mesh_report report;
    mus_mesh *fine = NULL;
    double matrix[12];
    if (fuzz_succeeded(mus_mesh_check(mesh, &report)))
        fuzz_require(report.edges == report.boundary_edges + report.hinges && report.components > 0);
    for (int k = 0; k < 12; k++) matrix[k] = fuzz_number(in);
    fuzz_succeeded(mus_mesh_transform(mesh, matrix));
    for (int32_t k = 0; k < 3 * mus_mesh_get_vertex_count(mesh); k++)
        fuzz_require(fabs(mus_mesh_get_vertices_const(mesh)[k]) <= MUS_LARGEST_LENGTH);
    fuzz_require(isfinite(mus_mesh_get_area(mesh)));
    if (mus_mesh_get_face_count(mesh) < 5000 && fuzz_succeeded(mus_mesh_subdivide(mesh, 1, &fine)))
        fuzz_require(mus_mesh_get_face_count(fine) == 4 * mus_mesh_get_face_count(mesh));
    mus_mesh_destroy(fine);
}

static void try_audit(fuzz_input *in) {
    part_room rooms[2];
    mus_part parts[2];
    mus_audit_report report;
    read_part(in, &rooms[0], &parts[0], "cloth:one");
    read_part(in, &rooms[1], &parts[1], fuzz_byte(in) & 1 ? "obstacle:two" : "cloth:two");
    if (fuzz_succeeded(mus_parts_audit(parts, 2, fabs(fuzz_number(in)), &report))) {
        fuzz_require(in_range(&parts[0]) && in_range(&parts[1]));
        fuzz_require(report.intersections >= 0 && report.inside >= 0 && report.max_depth >= 0);
    }
    mus_audit_report_destroy(&report);
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertices = parts[0].vertices, .faces = parts[0].faces,
                        .vertex_count = parts[0].vertex_count, .face_count = parts[0].face_count};
    mus_mesh *mesh = NULL;
    if (fuzz_succeeded(mus_mesh_create(&def, &mesh))) check_mesh(mesh, in);
    mus_mesh_destroy(mesh);
}

static int32_t count_of(fuzz_input *in) {
    static const int32_t counts[] = {-1, 0, 1, 2, 3, 4, 5, 8, 12, INT32_MAX, INT32_MIN, 60000};
    return counts[fuzz_byte(in) % (sizeof counts / sizeof *counts)];
}

static mus_status generate(fuzz_input *in, mus_mesh **mesh) {
    double a[3], center[3];
    for (int k = 0; k < 3; k++) a[k] = fuzz_number(in), center[k] = fuzz_number(in);
    int32_t n = count_of(in), m = count_of(in);
    bool large = n > 1000 && m > 1000; /* sound, but hundreds of megabytes */
    switch (fuzz_byte(in) % 6) {
    case 0: {
        mus_grid_def def = {
            mus_grid_def_default().cookie, {n, m}, {a[0], a[1]}, "xy", {center[0], center[1], center[2]}};
        return mus_mesh_create_grid(&def, mesh);
    }
    case 1:
        return mus_mesh_create_disc(a[0], n == 60000 ? 50 : n, NULL, center, mesh);
    case 2:
        return mus_mesh_create_sphere(a[0], n > 3 && n < 11 ? 3 : n, center, mesh);
    case 3:
        return mus_mesh_create_icosahedron(a[0], center, mesh);
    case 4:
        return mus_mesh_create_box(a, center, mesh);
    default:
        return mus_mesh_create_capsule(a[0], a[1], large ? 40 : n, large ? 40 : m, center, mesh);
    }
}

static void try_generator(fuzz_input *in) {
    mus_mesh *mesh = NULL;
    if (fuzz_succeeded(generate(in, &mesh))) check_mesh(mesh, in);
    mus_mesh_destroy(mesh);
}

/* Queries take any number and have no status: they must end, and keep to their own rules. */
static void try_queries(fuzz_input *in) {
    double p[24], weights[3], toi = -1;
    for (int k = 0; k < 24; k++) p[k] = fuzz_number(in);
    bool known = true;
    for (int k = 0; k < 24; k++) known &= fabs(p[k]) <= MUS_LARGEST_LENGTH;
    double thickness = fuzz_number(in);
    for (int edges = 0; edges < 2; edges++) {
        bool hit = (edges ? mus_ccd_edge_edge : mus_ccd_vertex_face)(p, p + 12, thickness, &toi);
        fuzz_require(!hit || (toi >= 0 && toi <= 1));
        fuzz_require(hit || known);
    }
    double nearest = mus_distance_vertex_face(p, weights), between = mus_distance_edge_edge(p, weights);
    fuzz_require(!known || (nearest >= 0 && between >= 0));
    int one = mus_intersect_triangles(p, p + 9), other = mus_intersect_triangles(p + 9, p);
    fuzz_require(one >= 0 && one <= 2);
    fuzz_require(!known || one == other);
}

static void read_material(fuzz_input *in, mus_material *m) {
    m->model = (mus_material_model)(fuzz_byte(in) % (MUS_MODEL_COUNT + 1));
    double *fields[] = {&m->density,
                        &m->stretch,
                        &m->shear,
                        &m->bend,
                        &m->bending,
                        &m->buckling,
                        &m->compression,
                        &m->damping,
                        &m->bending_damping,
                        &m->viscous_damping,
                        &m->drag,
                        &m->strain_limit,
                        &m->stretch_warp,
                        &m->stretch_weft,
                        &m->stretch_poisson,
                        &m->stretch_shear,
                        &m->limit_stiffness,
                        &m->warp_angle,
                        &m->bending_warp,
                        &m->bending_weft,
                        &m->bending_bias,
                        &m->yield_curvature,
                        &m->bending_hardening,
                        &m->yield_strain,
                        &m->stretch_hardening,
                        &m->recovery_time};
    for (int n = fuzz_byte(in) % 4; n > 0; n--)
        *fields[fuzz_byte(in) % (sizeof fields / sizeof *fields)] = fuzz_number(in);
}

static void add_cloth(fuzz_input *in, mus_world *world) {
    mus_grid_def grid = {mus_grid_def_default().cookie, {3, 3}, {0.3, 0.3}, "xz", {0, 0.12, 0}};
    mus_mesh *mesh;
    mus_cloth_id id;
    mus_cloth_def def = mus_cloth_def_default();
    fuzz_require(mus_mesh_create_grid(&grid, &mesh) == MUS_STATUS_OK);
    for (int n = fuzz_byte(in) % 3; n > 0; n--) mus_mesh_get_vertices(mesh)[fuzz_byte(in) % 27] = fuzz_number(in);
    def.mesh = mesh;
    read_material(in, &def.material);
    double *fields[] = {&def.thickness, &def.friction, &def.restitution, &def.velocity[0], &def.velocity[1]};
    for (int n = fuzz_byte(in) % 3; n > 0; n--) *fields[fuzz_byte(in) % 5] = fuzz_number(in);
    if (fuzz_succeeded(mus_cloth_create(world, &def, &id))) {
        for (int n = fuzz_byte(in) % 3; n > 0; n--) {
            double *array =
                fuzz_byte(in) & 1 ? mus_cloth_get_positions(world, id) : mus_cloth_get_velocities(world, id);
            array[fuzz_byte(in) % 27] = fuzz_number(in);
            mus_cloth_mark_positions_changed(world, id);
        }
    }
    mus_mesh_destroy(mesh);
}

static mus_status hostile_motion(void *user, double t, mus_pose *pose) {
    const double *numbers = user;
    if (t == 0) return MUS_STATUS_OK;
    memcpy(pose->position, numbers, sizeof pose->position);
    memcpy(pose->rotation, numbers + 3, sizeof pose->rotation);
    return MUS_STATUS_OK;
}

static void add_obstacle(fuzz_input *in, mus_world *world, double numbers[7]) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id id;
    mus_mesh *box;
    const double size[3] = {0.1, 0.1, 0.1}, origin[3] = {0, 0, 0};
    fuzz_require(mus_mesh_create_box(size, origin, &box) == MUS_STATUS_OK);
    def.shape = (mus_shape)(fuzz_byte(in) % 5);
    def.mesh = box, def.radius = 0.1, def.length = 0.1;
    for (int k = 0; k < 3; k++) def.size[k] = 0.1;
    def.dynamic = fuzz_byte(in) % 4 == 0, def.mass = def.dynamic ? 0.5 : 0;
    double *fields[] = {&def.radius,    &def.length,           &def.size[1],
                        &def.normal[0], &def.pose.position[1], &def.pose.rotation[2],
                        &def.thickness, &def.friction,         &def.restitution,
                        &def.mass,      &def.velocity[1],      &def.angular_velocity[0]};
    for (int n = fuzz_byte(in) % 4; n > 0; n--) *fields[fuzz_byte(in) % 12] = fuzz_number(in);
    if (fuzz_succeeded(mus_obstacle_create(world, &def, &id))) {
        double positions[48];
        for (int k = 0; k < 48; k++) positions[k] = mus_mesh_get_vertices(box)[k % 24];
        for (int n = fuzz_byte(in) % 3; n > 0; n--) positions[fuzz_byte(in) % 48] = fuzz_number(in);
        mus_point_cache cache = {.positions = positions, .vertex_count = 8, .frame_count = 2};
        mus_animation animation = {.cookie = mus_animation_default().cookie,
                                   .cache = &cache,
                                   .interval = fabs(fuzz_number(in)),
                                   .start = fuzz_number(in),
                                   .lead_in = fabs(fuzz_number(in)),
                                   .interpolation = fuzz_byte(in) % 3,
                                   .loop = fuzz_byte(in) & 1};
        if (fuzz_byte(in) & 1) fuzz_succeeded(mus_obstacle_set_animation(world, id, &animation));
        for (int k = 0; k < 7; k++) numbers[k] = fuzz_number(in);
        if (fuzz_byte(in) & 1) fuzz_succeeded(mus_obstacle_set_motion(world, id, hostile_motion, numbers));
        if (fuzz_byte(in) & 1) fuzz_succeeded(mus_obstacle_apply_impulse(world, id, numbers, numbers + 3));
    }
    mus_mesh_destroy(box);
}

static void try_world(fuzz_input *in) {
    static const mus_pipeline pipelines[] = {
        {"implicit_euler", "box_tree", "certified_ccd", "bridson", "zones", "sweep", "material"},
        {"incremental", "box_tree", "certified_ccd", "ogc", "truncation", "none", "material"},
        {"newton", "hash_grid", "certified_ccd", "ogc", "truncation", "none", "material"},
        {"verlet", "octree", "segment_triangle", "aabb", "none", "sweep", "mass_spring"},
        {"rk4", "hash_grid_source", "edge_plane", "bigliani", "none", "none", "material"},
        {"implicit_euler", "quad_tree", "spherical", "jung", "none", "jung", "choi_ko"},
        {"semi_implicit_euler", "partition_tree_cones", "cubic_ccd", "provot", "provot_zones", "sweep", "material"}};
    mus_world_def def = mus_world_def_default();
    mus_world *world = NULL;
    double numbers[7];
    def.threads = 1;
    def.pipeline = pipelines[fuzz_byte(in) % (sizeof pipelines / sizeof *pipelines)];
    double *fields[] = {&def.dt,      &def.dt_min,      &def.dt_max,         &def.fps, &def.duration, &def.gravity[1],
                        &def.wind[0], &def.air_density, &def.tolerance.least};
    for (int n = fuzz_byte(in) % 3; n > 0; n--) *fields[fuzz_byte(in) % 9] = fuzz_number(in);
    if (!fuzz_succeeded(mus_world_create(&def, &world))) return;
    add_cloth(in, world);
    add_obstacle(in, world, numbers);
    fuzz_play(world, 3, 0.3);
    mus_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const tries[])(fuzz_input *) = {try_audit, try_generator, try_queries, try_world, try_world};
    if (size < 2) return 0;
    fuzz_input in = {data + 1, size - 1};
    tries[data[0] % (sizeof tries / sizeof *tries)](&in);
    fuzz_require(mus_get_allocated_bytes() == 0);
    return 0;
}
