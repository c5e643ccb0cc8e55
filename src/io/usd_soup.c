/* usd_soup.c: all meshes of a layer as one. */
#include "io/usd_stage.h"

#include <string.h>

/* Its name with the kind of the object, as the parts of a frame have it. */
static mus_status add_object(const mus_usda_prim *prim, int64_t first_vertex, int64_t first_face, mus_soup *soup) {
    const mus_usda_property *own = mus_usda_find(prim, "muslin:name");
    mus_soup_object object = {
        .name = mus_copy_string(own && own->value.texts.count ? own->value.texts.data[0] : prim->name),
        .first_vertex = (int32_t)first_vertex,
        .first_face = (int32_t)first_face};
    mus_mesh_group group = {.name = mus_copy_string(mus_usd_name_of(prim)),
                            .face_count = (int32_t)(soup->faces.count / 3 - first_face)};
    bool kept = object.name && mus_array_push(&soup->objects, object);
    if (!kept) mus_free(object.name);
    if (kept && group.name && mus_array_push(&soup->groups, group)) return MUS_STATUS_OK;
    mus_free((char *)group.name);
    return MUS_STATUS_NO_MEMORY;
}

/* All meshes as one, with a group and an object for each. Texture coordinates only where all have them. */
mus_status mus_usd_read(mus_file *file, mus_soup *soup) {
    mus_usda layer;
    mus_status status = mus_usda_parse(file, &layer);
    for (int32_t k = 0; k < (int32_t)layer.prims.count && status == MUS_STATUS_OK; k++) {
        const mus_usda_prim *prim = &layer.prims.data[k];
        if (strcmp(prim->type, "Mesh") != 0 || !mus_usd_is_present(&layer, k)) continue;
        int64_t vertices = soup->vertices.count / 3, faces = soup->faces.count / 3;
        bool triangles;
        double place[12];
        status = mus_usd_place_of(file->path, &layer, k, NAN, place);
        if (status == MUS_STATUS_OK) status = mus_usd_read_mesh(file->path, prim, place, soup, &triangles);
        if (status == MUS_STATUS_OK && soup->faces.count / 3 > faces) status = add_object(prim, vertices, faces, soup);
    }
    if (soup->uv_faces.count != soup->faces.count) soup->uvs.count = soup->uv_faces.count = 0;
    mus_usda_free(&layer);
    return status;
}
