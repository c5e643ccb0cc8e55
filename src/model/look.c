/* look.c: colors, texture coordinates and groups of faces of objects. */
#include "model/look.h"
#include "base/range.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *mus_texture_get_name(mus_texture texture) {
    static const char *const names[MUS_TEXTURE_COUNT] = {"none", "weave", "checker", "stripes", "picture"};
    return (unsigned)texture < MUS_TEXTURE_COUNT ? names[texture] : NULL;
}

mus_look mus_look_default(void) {
    return (mus_look){.texture = MUS_TEXTURE_NONE};
}

static mus_status check_color(const char *object, const char *field, const float color[3]) {
    for (int k = 0; k < 3; k++)
        if (!(color[k] >= 0 && color[k] <= 1))
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: field '%s' must be red, green and blue from 0 to 1 (got %g, %g, %g)", object, field,
                            (double)color[0], (double)color[1], (double)color[2]);
    return MUS_STATUS_OK;
}

mus_status mus_look_check(const char *object, const mus_look *look) {
    mus_status status = look->has_color ? check_color(object, "color", look->color) : MUS_STATUS_OK;
    if (status == MUS_STATUS_OK && look->has_back_color) status = check_color(object, "back_color", look->back_color);
    if (status == MUS_STATUS_OK && look->has_texture_color)
        status = check_color(object, "texture_color", look->texture_color);
    if (status != MUS_STATUS_OK) return status;
    if (!mus_texture_get_name(look->texture))
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'texture' must be one of mus_texture (got %d)", object,
                        (int)look->texture);
    if ((look->texture == MUS_TEXTURE_PICTURE) != (look->picture != NULL))
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'picture' must be given with MUS_TEXTURE_PICTURE, and only then",
                        object);
    for (int k = 0; k < 2 && look->picture; k++)
        if (!isfinite(look->picture_origin[k]) || !isfinite(look->picture_size[k]) ||
            !(look->picture_size[k] > 0 || (look->picture_size[0] == 0 && look->picture_size[1] == 0)))
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: fields 'picture_origin' and 'picture_size' must be finite, sizes > 0 (got %g and %g)",
                            object, look->picture_origin[k], look->picture_size[k]);
    if (look->texture_size == 0) return MUS_STATUS_OK;
    char subject[64];
    snprintf(subject, sizeof subject, "%s: field 'texture_size'", object);
    return mus_check_range(subject, MUS_RANGE_SIZE, "m", look->texture_size);
}

/* ---- Texture coordinates ----------------------------------------------------------------------------------------- */

/* Onto the plane across the sum of the faces' normals, or across the longest of them where they cancel. */
static void projected_uvs(mus_cloth *cloth, const double *rest) {
    v3 sum = v3_make(0, 0, 0), longest = v3_make(0, 0, 0);
    double whole = 0;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *c = cloth->faces + 3 * (size_t)f;
        v3 a = v3_load(rest + 3 * (size_t)c[0]);
        v3 n = v3_cross(v3_sub(v3_load(rest + 3 * (size_t)c[1]), a), v3_sub(v3_load(rest + 3 * (size_t)c[2]), a));
        sum = v3_add(sum, n);
        whole += v3_length(n);
        if (v3_length(n) > v3_length(longest)) longest = n;
    }
    v3 normal = v3_normalized(v3_length(sum) > 0.1 * whole ? sum : longest);
    v3 help = fabs(normal.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 0, 1);
    v3 u = v3_normalized(v3_sub(help, v3_scale(v3_dot(help, normal), normal))), v = v3_cross(normal, u);
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        v3 p = v3_load(rest + 3 * (size_t)i);
        cloth->uvs[2 * (size_t)i] = v3_dot(p, u);
        cloth->uvs[2 * (size_t)i + 1] = v3_dot(p, v);
    }
}

mus_status mus_cloth_make_uvs(mus_cloth *cloth, const mus_mesh *mesh, const mus_mesh *rest) {
    const mus_mesh *shape = rest ? rest : mesh;
    const mus_mesh *given = mus_mesh_get_uvs(shape) ? shape : mus_mesh_get_uvs(mesh) ? mesh : NULL;
    const double *vertices = mus_mesh_get_vertices_const(shape);
    cloth->uv_count = given ? mus_mesh_get_uv_count(given) : cloth->vertex_count;
    size_t bytes = 2 * sizeof(double) * (size_t)cloth->uv_count,
           faces = 3 * sizeof(int32_t) * (size_t)cloth->face_count;
    cloth->uvs = mus_new(bytes);
    if (!cloth->uvs) return MUS_STATUS_NO_MEMORY;
    if (given) {
        const int32_t *uv_faces = mus_mesh_get_uv_faces(given);
        memcpy(cloth->uvs, mus_mesh_get_uvs(given), bytes);
        if (memcmp(uv_faces, cloth->faces, faces) == 0) return MUS_STATUS_OK;
        cloth->uv_faces = mus_new(faces);
        if (!cloth->uv_faces) return MUS_STATUS_NO_MEMORY;
        memcpy(cloth->uv_faces, uv_faces, faces);
    } else {
        projected_uvs(cloth, vertices);
    }
    return MUS_STATUS_OK;
}

mus_status mus_cloth_take_groups(mus_cloth *cloth, const mus_mesh *mesh) {
    const mus_mesh_group *groups = mus_mesh_get_groups(mesh, &cloth->group_count);
    if (groups) cloth->groups = mus_mesh_groups_copy(groups, cloth->group_count, 1);
    return groups && !cloth->groups ? MUS_STATUS_NO_MEMORY : MUS_STATUS_OK;
}
