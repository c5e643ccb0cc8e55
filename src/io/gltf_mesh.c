/* gltf_mesh.c: the scene of a glTF file as one mesh: an object for each node, groups by material. */
#include "base/word.h"
#include "io/gltf.h"
#include "io/soup.h"

#include <math.h>
#include <stdio.h>

/* "knob" for the name of a node or, of a mesh with several primitives, of the material; "PREFIX NUMBER" without one. */
static mus_gltf_name name_or(mus_gltf_name name, const char *prefix, int32_t number) {
    if (!mus_word_is_line(name.text)) snprintf(name.text, sizeof name.text, "%s %d", prefix, number);
    return name;
}

static mus_gltf_name node_name(const mus_gltf_scene *s, int32_t node) {
    mus_gltf_name name = mus_gltf_name_of(mus_gltf_item(s->document, "nodes", node));
    if (!name.text[0]) name = mus_gltf_name_of(mus_gltf_item(s->document, "meshes", s->nodes.data[node].mesh));
    return name_or(name, "node", node);
}

static bool shares_node(const mus_gltf_scene *s, int64_t k) {
    const mus_gltf_primitive *p = s->primitives.data;
    return (k > 0 && p[k - 1].node == p[k].node) || (k + 1 < s->primitives.count && p[k + 1].node == p[k].node);
}

/* Primitives of one node in a row with one name are one group. */
static mus_status add_group(const mus_gltf_scene *s, int64_t k, mus_soup *soup) {
    const mus_gltf_primitive *p = &s->primitives.data[k];
    mus_gltf_name name = node_name(s, p->node);
    if (shares_node(s, k) && p->material >= 0)
        name = name_or(mus_gltf_name_of(mus_gltf_item(s->document, "materials", p->material)), "material", p->material);
    int64_t count = soup->groups.count;
    if (count > 0 && strcmp(soup->groups.data[count - 1].name, name.text) == 0) {
        soup->groups.data[count - 1].face_count += p->face_count;
        return MUS_STATUS_OK;
    }
    mus_mesh_group group = {mus_copy_string(name.text), p->face_count};
    if (group.name && mus_array_push(&soup->groups, group)) return MUS_STATUS_OK;
    mus_free((char *)group.name);
    return MUS_STATUS_NO_MEMORY;
}

static mus_status add_object(const mus_gltf_scene *s, const mus_gltf_primitive *p, mus_soup *soup) {
    mus_soup_object object = {mus_copy_string(node_name(s, p->node).text),
                              p->count > 0 ? s->number.data[p->first] : (int32_t)s->source.count, p->first_face};
    if (object.name && mus_array_push(&soup->objects, object)) return MUS_STATUS_OK;
    mus_free(object.name);
    return MUS_STATUS_NO_MEMORY;
}

static mus_status add_faces(const mus_gltf_scene *s, mus_soup *soup) {
    const char *path = s->document->file->path;
    mus_status status = MUS_STATUS_OK;
    bool textured = s->uvs.count > 0;
    for (int64_t f = 0; status == MUS_STATUS_OK && f < s->faces.count; f += 3) {
        const int32_t *face = s->faces.data + f, *n = s->number.data;
        int32_t corners[3] = {n[face[0]], n[face[1]], n[face[2]]};
        status = mus_soup_polygon(soup, path, corners, textured ? face : NULL, 3);
    }
    for (int64_t v = 0; status == MUS_STATUS_OK && v < s->uvs.count; v += 2)
        status = mus_soup_uv(soup, path, s->uvs.data + v);
    return status;
}

static mus_status add_scene(mus_gltf_scene *s, mus_soup *soup) {
    int64_t numbers = 3 * s->source.count;
    if (!mus_array_reserve(&soup->vertices, numbers)) return MUS_STATUS_NO_MEMORY;
    soup->vertices.count = numbers;
    mus_gltf_scene_pose(s, soup->vertices.data);
    for (int64_t k = 0; k < numbers; k++)
        if (!isfinite(soup->vertices.data[k]))
            return mus_fail(MUS_STATUS_FORMAT, "%s: vertex %lld is not finite in the pose of the nodes",
                            s->document->file->path, (long long)(k / 3) + 1);
    mus_status status = add_faces(s, soup);
    for (int64_t k = 0; status == MUS_STATUS_OK && k < s->primitives.count; k++) {
        if (k == 0 || s->primitives.data[k - 1].node != s->primitives.data[k].node)
            status = add_object(s, &s->primitives.data[k], soup);
        if (status == MUS_STATUS_OK) status = add_group(s, k, soup);
    }
    return status;
}

mus_status mus_gltf_read(mus_file *file, mus_soup *soup) {
    mus_gltf document;
    mus_gltf_scene scene = {.document = NULL};
    mus_status status = mus_gltf_open(file, &document);
    if (status == MUS_STATUS_OK) status = mus_gltf_scene_open(&document, &scene);
    if (status == MUS_STATUS_OK) status = add_scene(&scene, soup);
    mus_gltf_scene_close(&scene);
    mus_gltf_close(&document);
    return status;
}
