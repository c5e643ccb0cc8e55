/* output_frame.c: the objects of a world as the parts of a file. */
#include "host.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fields of a cloth. Their values are made here. */
enum { STRETCH, CONTACT_FORCE, CONTACT_DISTANCE, VELOCITY, FIELDS };

void app_parts_free(mus_part *parts, int32_t count) {
    for (int32_t k = 0; parts && k < count; k++) {
        mus_part_field *fields = (mus_part_field *)parts[k].fields;
        for (int f = 0; fields && f < FIELDS; f++) free((double *)fields[f].values);
        free(fields);
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

static void take_mesh(mus_part *part, const mus_mesh *mesh) {
    part->vertices = mus_mesh_get_vertices_const(mesh);
    part->faces = mus_mesh_get_faces(mesh);
    part->vertex_count = mus_mesh_get_vertex_count(mesh);
    part->face_count = mus_mesh_get_face_count(mesh);
    part->groups = mus_mesh_get_groups(mesh, &part->group_count);
}

/* The cloth's own mesh, or the one that follows it. */
static void take_cloth(mus_part *part, mus_world *world, mus_cloth_id id) {
    const mus_mesh *surface = mus_cloth_get_surface_mesh(world, id);
    if (surface) {
        take_mesh(part, surface);
        part->uvs = mus_mesh_get_uvs(surface);
        part->uv_faces = mus_mesh_get_uv_faces(surface);
        part->uv_count = mus_mesh_get_uv_count(surface);
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
            part->name = app_format("obstacle:%s", mus_obstacle_get_name(world, id));
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
