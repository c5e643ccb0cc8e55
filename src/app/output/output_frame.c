/* output_frame.c: the objects of a world as the parts of a file. */
#include "host.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fields of a cloth. Their values are made here. */
enum { STRETCH, CONTACT_FORCE, CONTACT_DISTANCE, VELOCITY, FIELDS };

typedef struct cloth_of_part {
    mus_part_cloth cloth; /* of the following */
    mus_material material;
    mus_rest_shape rest;
    double *even; /* kg: masses of vertices if the density were the same everywhere */
} cloth_of_part;

static void free_cloth(mus_part *part) {
    cloth_of_part *own = (cloth_of_part *)part->cloth;
    if (own) mus_rest_shape_free(&own->rest), free(own->even);
    free(own);
    free((mus_part_seam *)part->seams);
    part->cloth = NULL, part->seams = NULL, part->seam_count = 0;
}

void app_parts_free(mus_part *parts, int32_t count) {
    for (int32_t k = 0; parts && k < count; k++) {
        mus_part_field *fields = (mus_part_field *)parts[k].fields;
        for (int f = 0; fields && f < FIELDS; f++) free((double *)fields[f].values);
        free(fields);
        free_cloth(&parts[k]);
        free((char *)parts[k].name);
    }
    free(parts);
}

/* Takes over `values`, of the cloth's vertices, and returns those of its part's. NULL: no memory. */
static double *spread(const mus_world *world, mus_cloth_id id, const mus_part *part, int components, double *values) {
    if (!values || part->vertices == mus_cloth_get_positions((mus_world *)world, id)) return values;
    double *of_part = malloc(((size_t)part->vertex_count * (size_t)components + 1) * sizeof *of_part);
    if (of_part && mus_cloth_spread_to_surface(world, id, components, values, of_part) != MUS_STATUS_OK) {
        free(of_part);
        of_part = NULL;
    }
    free(values);
    return of_part;
}

static double *measure_cloth(mus_world *world, mus_cloth_id id, const mus_part *part, app_heat heat) {
    size_t count = (size_t)mus_cloth_get_vertex_count(world, id);
    float *floats = malloc((count + 1) * sizeof *floats);
    double *values = malloc((count + 1) * sizeof *values);
    if (floats && values && app_heat_of_cloth(world, id, heat, floats)) {
        for (size_t k = 0; k < count; k++) values[k] = isfinite(floats[k]) ? (double)floats[k] : NAN;
    } else {
        free(values);
        values = NULL;
    }
    free(floats);
    return spread(world, id, part, 1, values);
}

static double *copy_velocities(mus_world *world, mus_cloth_id id, const mus_part *part) {
    size_t size = 3 * (size_t)mus_cloth_get_vertex_count(world, id) * sizeof(double);
    double *values = malloc(size + 1);
    if (values) memcpy(values, mus_cloth_get_velocities(world, id), size);
    return spread(world, id, part, 3, values);
}

mus_status app_parts_add_fields(mus_world *world, mus_part *parts) {
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        mus_part_field *fields = calloc(FIELDS, sizeof *fields);
        parts[k].fields = fields;
        if (!fields) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the fields of a frame");
        fields[STRETCH] = (mus_part_field){"stretch", 1, measure_cloth(world, id, &parts[k], APP_HEAT_STRETCH)};
        fields[CONTACT_FORCE] =
            (mus_part_field){"contact_force", 1, measure_cloth(world, id, &parts[k], APP_HEAT_FORCE)};
        fields[CONTACT_DISTANCE] =
            (mus_part_field){"contact_distance", 1, measure_cloth(world, id, &parts[k], APP_HEAT_DISTANCE)};
        fields[VELOCITY] = (mus_part_field){"velocity", 3, copy_velocities(world, id, &parts[k])};
        for (int f = 0; f < FIELDS; f++)
            if (!fields[f].values) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the fields of a frame");
        parts[k].field_count = FIELDS;
    }
    return MUS_STATUS_OK;
}

static double area_of(const mus_rest_shape *rest, int32_t face) {
    const double *at[3];
    double p[3], q[3];
    for (int k = 0; k < 3; k++) at[k] = rest->points + 3 * (size_t)rest->faces[3 * (size_t)face + k];
    for (int k = 0; k < 3; k++) p[k] = at[1][k] - at[0][k], q[k] = at[2][k] - at[0][k];
    double x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2], z = p[0] * q[1] - p[1] * q[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

/* Sets the masses of a cloth to be written, unless they are those of one density at rest. */
static mus_status add_masses(mus_world *world, mus_cloth_id id, cloth_of_part *own) {
    const double *masses = mus_cloth_get_masses(world, id);
    const int32_t *faces = mus_cloth_get_faces(world, id);
    int32_t count = mus_cloth_get_vertex_count(world, id);
    double *even = own->even = calloc((size_t)count + 1, sizeof *even), area = 0, off = 0, most = 0;
    if (!even || !masses || !faces) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the masses of a cloth");
    for (int32_t f = 0; f < own->rest.face_count; f++) {
        double of_face = area_of(&own->rest, f);
        area += of_face;
        for (int k = 0; k < 3; k++) even[faces[3 * f + k]] += of_face / 3;
    }
    for (int32_t i = 0; i < count; i++) own->cloth.mass += masses[i];
    for (int32_t i = 0; i < count; i++) {
        even[i] *= area > 0 ? own->cloth.mass / area : 0;
        off = fmax(off, fabs(masses[i] - even[i])), most = fmax(most, masses[i]);
    }
    if (off > 1e-6 * most) own->cloth.masses = masses;
    return MUS_STATUS_OK;
}

static mus_status add_cloth(mus_world *world, mus_cloth_id id, mus_part *part) {
    cloth_of_part *own = calloc(1, sizeof *own);
    if (!own) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for a cloth at rest");
    own->cloth = (mus_part_cloth){.material = &own->material, .rest = &own->rest};
    part->cloth = &own->cloth;
    mus_status status = mus_cloth_get_material(world, id, &own->material);
    if (status == MUS_STATUS_OK)
        status = mus_cloth_get_surface(world, id, &own->cloth.thickness, &own->cloth.friction, &own->cloth.restitution);
    const int32_t *nodes = mus_cloth_get_grid_nodes(world, id);
    for (int k = 0; k < 2 && nodes; k++) own->cloth.grid_nodes[k] = nodes[k];
    if (status == MUS_STATUS_OK) status = mus_cloth_get_rest_shape(world, id, &own->rest);
    return status == MUS_STATUS_OK ? add_masses(world, id, own) : status;
}

static int32_t part_of(const mus_world *world, mus_cloth_id id) {
    int32_t k = 0;
    while (k < mus_world_get_cloth_count(world) && mus_world_get_cloth(world, k).index != id.index) k++;
    return k;
}

static mus_status add_seam(const mus_world *world, mus_seam_id id, mus_part *parts) {
    mus_seam_state state;
    mus_status status = mus_seam_get_state(world, id, &state);
    if (status != MUS_STATUS_OK) return status;
    mus_part *part = &parts[part_of(world, state.a)];
    int32_t other = part_of(world, state.b);
    if (!part->cloth || !parts[other].cloth) return MUS_STATUS_OK;
    mus_part_seam *seams = realloc((mus_part_seam *)part->seams, ((size_t)part->seam_count + 1) * sizeof *seams);
    if (!seams) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the seams of a frame");
    mus_part_seam *seam = &seams[part->seam_count++];
    part->seams = seams;
    *seam = (mus_part_seam){.other = other, .stiffness = state.stiffness};
    seam->count = mus_seam_get_stitches(world, id, &seam->stitches);
    return MUS_STATUS_OK;
}

mus_status app_parts_add_cloths(mus_world *world, mus_part *parts) {
    int32_t cloths = mus_world_get_cloth_count(world);
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < cloths && status == MUS_STATUS_OK; k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        if (parts[k].vertices == mus_cloth_get_positions(world, id)) status = add_cloth(world, id, &parts[k]);
    }
    for (int32_t k = 0; k < mus_world_get_seam_count(world) && status == MUS_STATUS_OK; k++)
        status = add_seam(world, mus_world_get_seam(world, k), parts);
    for (int32_t k = 0; k < mus_world_get_obstacle_count(world) && status == MUS_STATUS_OK; k++) {
        mus_part *part = &parts[cloths + k];
        mus_obstacle_def def;
        status = mus_obstacle_get_def(world, mus_world_get_obstacle(world, k), &def);
        part->is_obstacle = part->has_surface = true;
        part->friction = def.friction, part->restitution = def.restitution;
    }
    return status;
}

static void take_mesh(mus_part *part, const mus_mesh *mesh) {
    part->vertices = mus_mesh_get_vertices_const(mesh);
    part->faces = mus_mesh_get_faces(mesh);
    part->vertex_count = mus_mesh_get_vertex_count(mesh);
    part->face_count = mus_mesh_get_face_count(mesh);
    part->groups = mus_mesh_get_groups(mesh, &part->group_count);
    part->uvs = mus_mesh_get_uvs(mesh);
    part->uv_faces = mus_mesh_get_uv_faces(mesh);
    part->uv_count = mus_mesh_get_uv_count(mesh);
}

/* The cloth's own mesh, or the one that follows it. */
static void take_cloth(mus_part *part, mus_world *world, mus_cloth_id id) {
    const mus_mesh *surface = mus_cloth_get_surface_mesh(world, id);
    if (surface) {
        take_mesh(part, surface);
        return;
    }
    part->vertices = mus_cloth_get_positions(world, id);
    part->faces = mus_cloth_get_faces(world, id);
    part->vertex_count = mus_cloth_get_vertex_count(world, id);
    part->face_count = mus_cloth_get_face_count(world, id);
    part->uvs = mus_cloth_get_uvs(world, id);
    part->uv_faces = mus_cloth_get_uv_faces(world, id);
    part->uv_count = mus_cloth_get_uv_count(world, id);
    part->groups = mus_cloth_get_groups(world, id, &part->group_count);
}

mus_status app_parts_collect(mus_world *world, app_patterns *patterns, mus_part **parts, int32_t *count) {
    int32_t cloths = mus_world_get_cloth_count(world), obstacles = mus_world_get_obstacle_count(world);
    int32_t n = cloths + obstacles;
    mus_part *list = calloc((size_t)n + 1, sizeof *list);
    if (!list) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for %d parts", n);
    for (int32_t k = 0; k < n; k++) {
        mus_part *part = &list[k];
        mus_look look = mus_look_default();
        if (k < cloths) {
            mus_cloth_id id = mus_world_get_cloth(world, k);
            part->name = app_format("cloth:%s", mus_cloth_get_name(world, id));
            take_cloth(part, world, id);
            mus_cloth_get_look(world, id, &look);
        } else {
            mus_obstacle_id id = mus_world_get_obstacle(world, k - cloths);
            const mus_mesh *mesh = mus_obstacle_get_surface_mesh(world, id);
            if (!mesh) {
                app_parts_free(list, n);
                return MUS_STATUS_NO_MEMORY;
            }
            mus_obstacle_def def;
            part->name = app_format("obstacle:%s", mus_obstacle_get_name(world, id));
            part->is_plane = mus_obstacle_get_def(world, id, &def) == MUS_STATUS_OK && def.shape == MUS_SHAPE_PLANE;
            take_mesh(part, mesh);
            mus_obstacle_get_look(world, id, &look);
        }
        bool cloth = k < cloths;
        app_paint paint = app_paint_of(cloth ? APP_PART_CLOTH : APP_PART_OBSTACLE, cloth ? k : k - cloths, &look);
        memcpy(part->color, paint.front, sizeof part->color);
        part->has_color = true;
        if (part->uvs && look.picture) app_place_picture(&look, part->uvs, part->uv_count, paint.picture_place);
        mus_status status =
            part->name ? MUS_STATUS_OK : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the names of %d parts", n);
        if (status == MUS_STATUS_OK && part->uvs) status = app_patterns_apply(patterns, &paint);
        if (status != MUS_STATUS_OK) {
            app_parts_free(list, n);
            return status;
        }
        part->picture = part->uvs ? paint.picture : NULL;
        for (int c = 0; c < 4 && part->picture; c++) part->picture_place[c] = (double)paint.picture_place[c];
    }
    *parts = list;
    *count = n;
    return MUS_STATUS_OK;
}

mus_part *app_parts_without_planes(const mus_part *parts, int32_t *count) {
    mus_part *shown = malloc(((size_t)*count + 1) * sizeof *shown);
    int32_t all = *count;
    *count = 0;
    for (int32_t k = 0; shown && k < all; k++)
        if (!parts[k].is_plane) shown[(*count)++] = parts[k];
    return shown;
}

mus_status app_parts_save_z_up(const mus_part *parts, int32_t count, const char *path) {
    size_t vertices = 0;
    for (int32_t k = 0; k < count; k++) vertices += (size_t)parts[k].vertex_count;
    mus_part *turned = malloc(((size_t)count + 1) * sizeof *turned);
    double *x = malloc((3 * vertices + 1) * sizeof *x);
    mus_status status = MUS_STATUS_OK;
    if (!turned || !x) status = mus_fail(MUS_STATUS_NO_MEMORY, "no memory for %d parts", count);
    double *to = x;
    for (int32_t k = 0; k < count && status == MUS_STATUS_OK; k++) {
        const double *from = parts[k].vertices;
        turned[k] = parts[k];
        turned[k].vertices = to;
        for (int32_t i = 0; i < parts[k].vertex_count; i++, from += 3, to += 3)
            to[0] = from[0], to[1] = -from[2], to[2] = from[1];
    }
    if (status == MUS_STATUS_OK) status = mus_parts_save(turned, count, path);
    free(turned);
    free(x);
    return status;
}
