/* gltf_scene.c: nodes, skins and primitives of a glTF file, and the positions of their vertices: morph targets, then
 * linear blend skinning (glTF 2.0, 3.7.2.2 and 3.7.3). */
#include "io/gltf.h"
#include "io/soup.h"

#include <math.h>

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* ---- Transforms: rows of the upper three of four -------------------------------------------------------------------
 */

static void multiply(const double a[12], const double b[12], double out[12]) {
    double c[12];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            c[4 * i + j] =
                a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j] + (j == 3 ? a[4 * i + 3] : 0);
    memcpy(out, c, sizeof c);
}

static void apply(const double m[12], const double p[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

static double determinant(const double m[12]) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

static void from_columns(const double columns[16], double rows[12]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) rows[4 * i + j] = columns[4 * j + i];
}

static void local_transform(const mus_gltf_node *n, double m[12]) {
    if (n->has_matrix) {
        memcpy(m, n->matrix, 12 * sizeof *m);
        return;
    }
    const double *q = n->rotation, *s = n->scale, *t = n->translation;
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], k = length2 > 0 ? 2 / length2 : 0;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double rotation[9] = {1 - k * (y * y + z * z), k * (x * y - w * z),     k * (x * z + w * y),
                          k * (x * y + w * z),     1 - k * (x * x + z * z), k * (y * z - w * x),
                          k * (x * z - w * y),     k * (y * z + w * x),     1 - k * (x * x + y * y)};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m[4 * i + j] = rotation[3 * i + j] * s[j];
        m[4 * i + 3] = t[i];
    }
}

static void update_world(mus_gltf_scene *s) {
    for (int64_t k = 0; k < s->order.count; k++) {
        mus_gltf_node *n = &s->nodes.data[s->order.data[k]];
        double local[12];
        local_transform(n, local);
        multiply(n->parent < 0 ? IDENTITY : s->nodes.data[n->parent].world, local, n->world);
    }
}

/* ---- Nodes --------------------------------------------------------------------------------------------------------
 */

static mus_status read_node(mus_gltf_scene *s, int32_t k) {
    const mus_gltf *g = s->document;
    mus_gltf_place place = mus_gltf_place_of("nodes[%d]", k);
    json_t *item = mus_gltf_item(g, "nodes", k);
    mus_gltf_node *n = &s->nodes.data[k];
    double columns[16];
    mus_status status = mus_gltf_index(g, place.text, item, "mesh", mus_gltf_count(g, "meshes"), -1, &n->mesh);
    if (status == MUS_STATUS_OK)
        status = mus_gltf_index(g, place.text, item, "skin", mus_gltf_count(g, "skins"), -1, &n->skin);
    if (status == MUS_STATUS_OK) status = mus_gltf_numbers(g, place.text, item, "matrix", 16, columns, &n->has_matrix);
    if (status == MUS_STATUS_OK) status = mus_gltf_numbers(g, place.text, item, "translation", 3, n->translation, NULL);
    if (status == MUS_STATUS_OK) status = mus_gltf_numbers(g, place.text, item, "rotation", 4, n->rotation, NULL);
    if (status == MUS_STATUS_OK) status = mus_gltf_numbers(g, place.text, item, "scale", 3, n->scale, NULL);
    if (status == MUS_STATUS_OK && n->has_matrix) from_columns(columns, n->matrix);
    json_t *children = NULL;
    if (status == MUS_STATUS_OK) status = mus_gltf_list(g, place.text, item, "children", &children);
    for (size_t c = 0; status == MUS_STATUS_OK && c < json_array_size(children); c++) {
        json_t *child = json_array_get(children, c);
        json_int_t number = json_is_integer(child) ? json_integer_value(child) : -1;
        if (number < 0 || number >= s->nodes.count)
            status = mus_gltf_fail(g, place.text, "field 'children': item %zu must be the number of a node", c);
        else if (s->nodes.data[number].parent >= 0)
            status = mus_gltf_fail(g, place.text, "field 'children': node %lld has another parent already",
                                   (long long)number);
        else
            s->nodes.data[number].parent = k;
    }
    return status;
}

/* Parents first; nodes that are their own ancestors are refused. */
static mus_status sort_nodes(mus_gltf_scene *s) {
    int64_t count = s->nodes.count;
    if (!mus_array_reserve(&s->order, count)) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < count; k++)
        if (s->nodes.data[k].parent < 0) s->order.data[s->order.count++] = k;
    for (int64_t at = 0; at < s->order.count; at++) {
        json_t *children = json_object_get(mus_gltf_item(s->document, "nodes", s->order.data[at]), "children");
        for (size_t c = 0; c < json_array_size(children); c++)
            s->order.data[s->order.count++] = (int32_t)json_integer_value(json_array_get(children, c));
    }
    return s->order.count == count ? MUS_STATUS_OK : mus_gltf_fail(s->document, "nodes", "a node is its own ancestor");
}

/* Nodes of the default scene, or all of a file without scenes. */
static mus_status find_scene(mus_gltf_scene *s) {
    const mus_gltf *g = s->document;
    int32_t scenes = mus_gltf_count(g, "scenes"), scene = 0;
    mus_status status = scenes > 0 ? mus_gltf_index(g, "document", g->root, "scene", scenes, 0, &scene) : MUS_STATUS_OK;
    if (status != MUS_STATUS_OK) return status;
    json_t *roots;
    status = mus_gltf_list(g, mus_gltf_place_of("scenes[%d]", scene).text, mus_gltf_item(g, "scenes", scene), "nodes",
                           &roots);
    if (status != MUS_STATUS_OK) return status;
    for (size_t k = 0; k < json_array_size(roots); k++) {
        json_t *item = json_array_get(roots, k);
        json_int_t root = json_is_integer(item) ? json_integer_value(item) : -1;
        if (root < 0 || root >= s->nodes.count)
            return mus_gltf_fail(g, mus_gltf_place_of("scenes[%d]", scene).text,
                                 "field 'nodes': item %zu must be the number of a node", k);
        s->nodes.data[root].in_scene = true;
    }
    for (int64_t k = 0; k < s->order.count; k++) {
        mus_gltf_node *n = &s->nodes.data[s->order.data[k]];
        n->in_scene = n->in_scene || scenes == 0 || (n->parent >= 0 && s->nodes.data[n->parent].in_scene);
    }
    return MUS_STATUS_OK;
}

static mus_status read_nodes(mus_gltf_scene *s) {
    int32_t count = mus_gltf_count(s->document, "nodes");
    if (!mus_array_reserve(&s->nodes, count)) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < count; k++)
        s->nodes.data[s->nodes.count++] =
            (mus_gltf_node){.parent = -1, .mesh = -1, .skin = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; status == MUS_STATUS_OK && k < count; k++) status = read_node(s, k);
    if (status == MUS_STATUS_OK) status = sort_nodes(s);
    return status == MUS_STATUS_OK ? find_scene(s) : status;
}

static mus_status read_skin(mus_gltf_scene *s, int32_t k) {
    const mus_gltf *g = s->document;
    mus_gltf_place place = mus_gltf_place_of("skins[%d]", k);
    json_t *item = mus_gltf_item(g, "skins", k), *joints;
    mus_status status = mus_gltf_list(g, place.text, item, "joints", &joints);
    if (status != MUS_STATUS_OK) return status;
    mus_gltf_skin *skin = &s->skins.data[k];
    size_t count = json_array_size(joints);
    if (count == 0 || count > INT16_MAX * 2) return mus_gltf_fail(g, place.text, "has %zu joints", count);
    skin->count = (int32_t)count;
    skin->joints = mus_new(count * sizeof *skin->joints);
    skin->inverse = mus_new(count * sizeof IDENTITY);
    skin->matrices = mus_new(count * sizeof IDENTITY);
    if (!skin->joints || !skin->inverse || !skin->matrices) return MUS_STATUS_NO_MEMORY;
    for (size_t j = 0; j < count; j++) {
        json_t *joint = json_array_get(joints, j);
        json_int_t node = json_is_integer(joint) ? json_integer_value(joint) : -1;
        if (node < 0 || node >= s->nodes.count)
            return mus_gltf_fail(g, place.text, "field 'joints': item %zu must be the number of a node", j);
        skin->joints[j] = (int32_t)node;
        memcpy(skin->inverse + 12 * j, IDENTITY, sizeof IDENTITY);
    }
    int32_t accessor;
    status = mus_gltf_index(g, place.text, item, "inverseBindMatrices", mus_gltf_count(g, "accessors"), -1, &accessor);
    if (status != MUS_STATUS_OK || accessor < 0) return status;
    mus_gltf_array matrices;
    status = mus_gltf_read_accessor(g, place.text, accessor, "MAT4", &matrices);
    if (status == MUS_STATUS_OK && matrices.count < skin->count)
        status =
            mus_gltf_fail(g, place.text, "has %d joints and %d inverse bind matrices", skin->count, matrices.count);
    for (size_t j = 0; status == MUS_STATUS_OK && j < count; j++)
        from_columns(matrices.data + 16 * j, skin->inverse + 12 * j);
    mus_free(matrices.data);
    return status;
}

static mus_status read_skins(mus_gltf_scene *s) {
    int32_t count = mus_gltf_count(s->document, "skins");
    if (!mus_array_reserve(&s->skins, count)) return MUS_STATUS_NO_MEMORY;
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; status == MUS_STATUS_OK && k < count; k++) {
        s->skins.data[s->skins.count++] = (mus_gltf_skin){.count = 0};
        status = read_skin(s, k);
    }
    return status;
}

/* ---- Primitives ---------------------------------------------------------------------------------------------------
 */

/* Field `key` of the attributes as an array of `count` items (-1: of any number); without one, data is NULL. */
static mus_status read_attribute(const mus_gltf *g, const char *place, json_t *attributes, const char *key,
                                 const char *type, int32_t count, mus_gltf_array *array) {
    int32_t accessor;
    *array = (mus_gltf_array){.data = NULL};
    mus_status status = mus_gltf_index(g, place, attributes, key, mus_gltf_count(g, "accessors"), -1, &accessor);
    if (status != MUS_STATUS_OK || accessor < 0) return status;
    mus_gltf_place where = mus_gltf_place_of("%s.%s", place, key);
    status = mus_gltf_read_accessor(g, where.text, accessor, type, array);
    if (status == MUS_STATUS_OK && count >= 0 && array->count != count) {
        status = mus_gltf_fail(g, where.text, "has %d items, and there are %d vertices", array->count, count);
        mus_free(array->data);
        array->data = NULL;
    }
    return status;
}

/* One set of four joints and weights for each vertex, beside those before. */
static mus_status add_influences(mus_gltf_primitive *p, const double *joints, const double *weights) {
    int32_t before = p->influences, n = before + 4;
    double *all[2] = {mus_new((size_t)p->count * (size_t)n * sizeof **all),
                      mus_new((size_t)p->count * (size_t)n * sizeof **all)};
    if (!all[0] || !all[1]) {
        mus_free(all[0]);
        mus_free(all[1]);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int64_t v = 0; v < p->count; v++) {
        for (int32_t k = 0; k < before; k++) {
            all[0][n * v + k] = p->joints[before * v + k];
            all[1][n * v + k] = p->weights[before * v + k];
        }
        for (int32_t k = 0; k < 4; k++) {
            all[0][n * v + before + k] = joints[4 * v + k];
            all[1][n * v + before + k] = weights[4 * v + k];
        }
    }
    mus_free(p->joints);
    mus_free(p->weights);
    p->joints = all[0], p->weights = all[1], p->influences = n;
    return MUS_STATUS_OK;
}

/* Weights with the sum 1; a vertex without any follows its first joint. Joints without weight become number 0. */
static mus_status check_influences(const mus_gltf *g, const char *place, const mus_gltf_primitive *p, int32_t joints) {
    int32_t n = p->influences;
    for (int64_t v = 0; v < p->count; v++) {
        double *joint = p->joints + n * v, *weight = p->weights + n * v, sum = 0;
        for (int32_t k = 0; k < n; k++) sum += weight[k];
        for (int32_t k = 0; k < n; k++) {
            if (weight[k] < 0) return mus_gltf_fail(g, place, "vertex %lld has a weight < 0", (long long)v);
            weight[k] = sum > 0 ? weight[k] / sum : k == 0;
            if (weight[k] == 0)
                joint[k] = 0;
            else if (!(joint[k] >= 0 && joint[k] < joints))
                return mus_gltf_fail(g, place, "vertex %lld has the joint %g, and its skin %d", (long long)v, joint[k],
                                     joints);
        }
    }
    return MUS_STATUS_OK;
}

static mus_status read_influences(mus_gltf_scene *s, const char *place, json_t *attributes, mus_gltf_primitive *p) {
    const mus_gltf *g = s->document;
    int32_t skin = s->nodes.data[p->node].skin;
    if (skin < 0) return MUS_STATUS_OK;
    mus_status status = MUS_STATUS_OK;
    for (int set = 0; status == MUS_STATUS_OK; set++) {
        mus_gltf_place keys[2] = {mus_gltf_place_of("JOINTS_%d", set), mus_gltf_place_of("WEIGHTS_%d", set)};
        mus_gltf_array joints, weights = {.data = NULL};
        status = read_attribute(g, place, attributes, keys[0].text, "VEC4", p->count, &joints);
        if (status == MUS_STATUS_OK && joints.data)
            status = read_attribute(g, place, attributes, keys[1].text, "VEC4", p->count, &weights);
        bool last = !joints.data || !weights.data;
        if (status == MUS_STATUS_OK && !last) status = add_influences(p, joints.data, weights.data);
        mus_free(joints.data);
        mus_free(weights.data);
        if (last) break;
    }
    if (status == MUS_STATUS_OK && p->influences == 0)
        return mus_gltf_fail(g, place, "has no JOINTS_0 and WEIGHTS_0, but nodes[%d] has a skin", p->node);
    return status == MUS_STATUS_OK ? check_influences(g, place, p, s->skins.data[skin].count) : status;
}

static mus_status read_targets(mus_gltf_scene *s, const char *place, json_t *item, mus_gltf_primitive *p) {
    const mus_gltf *g = s->document;
    json_t *targets;
    mus_status status = mus_gltf_list(g, place, item, "targets", &targets);
    size_t count = json_array_size(targets);
    if (status != MUS_STATUS_OK || count == 0) return status;
    if (count > INT32_MAX / 2) return mus_gltf_fail(g, place, "has too many morph targets");
    p->deltas = mus_new(count * sizeof *p->deltas);
    if (!p->deltas) return MUS_STATUS_NO_MEMORY;
    p->targets = (int32_t)count;
    for (size_t t = 0; status == MUS_STATUS_OK && t < count; t++) {
        mus_gltf_array delta;
        mus_gltf_place where = mus_gltf_place_of("%s.targets[%zu]", place, t);
        if (!json_is_object(json_array_get(targets, t))) return mus_gltf_fail(g, where.text, "must be an object");
        status = read_attribute(g, where.text, json_array_get(targets, t), "POSITION", "VEC3", p->count, &delta);
        p->deltas[t] = delta.data;
    }
    return status;
}

enum { TRIANGLES = 4, STRIP, FAN };

/* Triangles of the primitive, by the file's vertices. */
static mus_status read_faces(mus_gltf_scene *s, const char *place, json_t *item, int32_t mode, mus_gltf_primitive *p) {
    const mus_gltf *g = s->document;
    mus_gltf_array indices;
    mus_status status = read_attribute(g, place, item, "indices", "SCALAR", -1, &indices);
    if (status != MUS_STATUS_OK) return status;
    int64_t corners = indices.data ? indices.count : p->count;
    int64_t faces = mode == TRIANGLES ? corners / 3 : corners > 2 ? corners - 2 : 0;
    for (int64_t k = 0; status == MUS_STATUS_OK && indices.data && k < corners; k++)
        if (!(indices.data[k] >= 0 && indices.data[k] < p->count))
            status = mus_gltf_fail(g, place, "index %lld must be below the number of vertices, %d (got %g)",
                                   (long long)k, p->count, indices.data[k]);
    if (status == MUS_STATUS_OK && !mus_array_reserve(&s->faces, s->faces.count + 3 * faces))
        status = MUS_STATUS_NO_MEMORY;
    p->first_face = (int32_t)(s->faces.count / 3);
    for (int64_t f = 0; status == MUS_STATUS_OK && f < faces; f++) {
        int64_t corner[3] = {f, f + 1 + f % 2, f + 2 - f % 2}; /* of a strip */
        if (mode == TRIANGLES) corner[0] = 3 * f, corner[1] = 3 * f + 1, corner[2] = 3 * f + 2;
        if (mode == FAN) corner[0] = f + 1, corner[1] = f + 2, corner[2] = 0;
        for (int k = 0; k < 3; k++)
            s->faces.data[s->faces.count++] =
                p->first + (indices.data ? (int32_t)indices.data[corner[k]] : (int32_t)corner[k]);
    }
    p->face_count = (int32_t)(s->faces.count / 3) - p->first_face;
    mus_free(indices.data);
    return status;
}

static mus_status add_vertices(mus_gltf_scene *s, const char *place, json_t *attributes, mus_gltf_primitive *p) {
    const mus_gltf *g = s->document;
    mus_gltf_array positions, uvs = {.data = NULL};
    mus_status status = read_attribute(g, place, attributes, "POSITION", "VEC3", -1, &positions);
    if (status == MUS_STATUS_OK && !positions.data) status = mus_gltf_fail(g, place, "has no POSITION");
    if (status == MUS_STATUS_OK)
        status = read_attribute(g, place, attributes, "TEXCOORD_0", "VEC2", positions.count, &uvs);
    int64_t first = s->owner.count, count = first + positions.count;
    if (status == MUS_STATUS_OK && count > INT32_MAX / 16) status = mus_gltf_fail(g, place, "too many vertices");
    if (status == MUS_STATUS_OK && (!mus_array_reserve(&s->positions, 3 * count) ||
                                    !mus_array_reserve(&s->owner, count) || !mus_array_reserve(&s->uvs, 2 * count)))
        status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        p->first = (int32_t)first, p->count = positions.count;
        for (int64_t k = 0; k < 3 * (int64_t)p->count; k++) s->positions.data[s->positions.count++] = positions.data[k];
        for (int32_t k = 0; k < p->count; k++) s->owner.data[s->owner.count++] = (int32_t)s->primitives.count;
        for (int32_t k = 0; uvs.data && s->uvs.count == 2 * (first + k) && k < p->count; k++) {
            s->uvs.data[s->uvs.count++] = uvs.data[2 * k];
            s->uvs.data[s->uvs.count++] = 1 - uvs.data[2 * k + 1]; /* glTF's second coordinate points down */
        }
    }
    mus_free(positions.data);
    mus_free(uvs.data);
    return status;
}

static void primitive_free(mus_gltf_primitive *p) {
    for (int32_t t = 0; t < p->targets; t++) mus_free(p->deltas[t]);
    mus_free(p->deltas);
    mus_free(p->joints);
    mus_free(p->weights);
}

static mus_status read_primitive(mus_gltf_scene *s, int32_t node, int32_t number, json_t *item) {
    const mus_gltf *g = s->document;
    mus_gltf_place place = mus_gltf_place_of("meshes[%d].primitives[%d]", s->nodes.data[node].mesh, number);
    json_t *attributes = json_object_get(item, "attributes");
    int32_t mode;
    mus_gltf_primitive p = {.node = node};
    mus_status status = mus_gltf_index(g, place.text, item, "mode", FAN + 1, TRIANGLES, &mode);
    if (status == MUS_STATUS_OK && mode < TRIANGLES) return MUS_STATUS_OK; /* points and lines */
    if (status == MUS_STATUS_OK)
        status = mus_gltf_index(g, place.text, item, "material", mus_gltf_count(g, "materials"), -1, &p.material);
    if (status == MUS_STATUS_OK) status = add_vertices(s, place.text, attributes, &p);
    if (status == MUS_STATUS_OK) status = read_influences(s, place.text, attributes, &p);
    if (status == MUS_STATUS_OK) status = read_targets(s, place.text, item, &p);
    if (status == MUS_STATUS_OK) status = read_faces(s, place.text, item, mode, &p);
    if (status == MUS_STATUS_OK && !mus_array_push(&s->primitives, p)) status = MUS_STATUS_NO_MEMORY;
    if (status != MUS_STATUS_OK) primitive_free(&p);
    return status;
}

/* Weights of the morph targets at rest: the node's, else its mesh's, else 0. */
static mus_status read_weights(mus_gltf_scene *s, int32_t node, int32_t targets) {
    mus_gltf_node *n = &s->nodes.data[node];
    json_t *own = mus_gltf_item(s->document, "nodes", node), *mesh = mus_gltf_item(s->document, "meshes", n->mesh);
    n->first_weight = (int32_t)s->weights.count, n->weight_count = targets;
    if (!mus_array_reserve(&s->weights, s->weights.count + targets)) return MUS_STATUS_NO_MEMORY;
    double *weights = s->weights.data + s->weights.count;
    memset(weights, 0, (size_t)targets * sizeof *weights);
    s->weights.count += targets;
    bool there;
    mus_gltf_place place = mus_gltf_place_of("nodes[%d]", node);
    mus_status status = mus_gltf_numbers(s->document, place.text, own, "weights", targets, weights, &there);
    place = mus_gltf_place_of("meshes[%d]", n->mesh);
    return status == MUS_STATUS_OK && !there
               ? mus_gltf_numbers(s->document, place.text, mesh, "weights", targets, weights, NULL)
               : status;
}

static mus_status read_mesh(mus_gltf_scene *s, int32_t node) {
    int32_t mesh = s->nodes.data[node].mesh;
    json_t *list;
    int64_t first = s->primitives.count;
    mus_status status = mus_gltf_list(s->document, mus_gltf_place_of("meshes[%d]", mesh).text,
                                      mus_gltf_item(s->document, "meshes", mesh), "primitives", &list);
    for (size_t k = 0; status == MUS_STATUS_OK && k < json_array_size(list); k++)
        status = read_primitive(s, node, (int32_t)k, json_array_get(list, k));
    if (status != MUS_STATUS_OK || s->primitives.count == first) return status;
    int32_t targets = s->primitives.data[first].targets;
    for (int64_t k = first; k < s->primitives.count; k++)
        if (s->primitives.data[k].targets != targets)
            return mus_gltf_fail(s->document, mus_gltf_place_of("meshes[%d]", mesh).text,
                                 "its primitives have different numbers of morph targets");
    return targets > 0 ? read_weights(s, node, targets) : MUS_STATUS_OK;
}

/* ---- Vertices of the mesh ------------------------------------------------------------------------------------------
 */

/* Whether two vertices of the file at one position stay together in every pose. */
static bool moves_with(const void *user, int32_t a, int32_t b) {
    const mus_gltf_scene *s = user;
    const mus_gltf_primitive *p = &s->primitives.data[s->owner.data[a]], *q = &s->primitives.data[s->owner.data[b]];
    if (p->node != q->node || p->influences != q->influences || p->targets != q->targets) return false;
    size_t n = (size_t)p->influences, i = (size_t)(a - p->first), j = (size_t)(b - q->first);
    for (size_t k = 0; k < n; k++)
        if (p->joints[n * i + k] != q->joints[n * j + k] || p->weights[n * i + k] != q->weights[n * j + k])
            return false;
    for (int32_t t = 0; t < p->targets; t++)
        for (size_t k = 0; k < 3; k++) {
            const double *d = p->deltas[t], *e = q->deltas[t];
            if ((d ? d[3 * i + k] : 0) != (e ? e[3 * j + k] : 0)) return false;
        }
    return true;
}

/* Equal for vertices that move alike. */
static uint64_t hash_motion(const void *user, int32_t vertex) {
    const mus_gltf_scene *s = user;
    const mus_gltf_primitive *p = &s->primitives.data[s->owner.data[vertex]];
    size_t n = (size_t)p->influences, i = (size_t)(vertex - p->first);
    uint64_t hash = mus_hash_number(0, p->node);
    for (size_t k = 0; k < n; k++)
        hash = mus_hash_number(mus_hash_number(hash, p->joints[n * i + k]), p->weights[n * i + k]);
    for (int32_t t = 0; t < p->targets; t++)
        for (size_t k = 0; k < 3; k++) hash = mus_hash_number(hash, p->deltas[t] ? p->deltas[t][3 * i + k] : 0);
    return hash;
}

static mus_status merge_vertices(mus_gltf_scene *s) {
    int64_t count = s->owner.count;
    if (!mus_array_reserve(&s->number, count) || !mus_array_reserve(&s->source, count)) return MUS_STATUS_NO_MEMORY;
    const mus_vertex_identity identity = {moves_with, hash_motion, s};
    int32_t vertices = mus_merge_positions(s->positions.data, count, &identity, s->number.data);
    if (vertices < 0) return MUS_STATUS_NO_MEMORY;
    s->number.count = count;
    for (int32_t k = 0; k < count; k++)
        if (s->number.data[k] == s->source.count) s->source.data[s->source.count++] = k;
    int64_t kept = 0;
    for (int64_t i = 0; i < s->primitives.count; i++) {
        mus_gltf_primitive *p = &s->primitives.data[i];
        int64_t first = p->first_face, end = first + p->face_count;
        p->first_face = (int32_t)(kept / 3);
        for (int64_t f = first; f < end; f++) {
            const int32_t *face = s->faces.data + 3 * f, *n = s->number.data;
            int32_t corner[3] = {face[0], face[1], face[2]};
            if (n[corner[0]] == n[corner[1]] || n[corner[1]] == n[corner[2]] || n[corner[2]] == n[corner[0]]) continue;
            for (int k = 0; k < 3; k++) s->faces.data[kept++] = corner[k];
        }
        p->face_count = (int32_t)(kept / 3) - p->first_face;
    }
    s->faces.count = kept;
    return MUS_STATUS_OK;
}

/* The mirror image of a mesh has its faces the other way around. */
static void turn_mirrored(mus_gltf_scene *s) {
    update_world(s);
    for (int64_t i = 0; i < s->primitives.count; i++) {
        const mus_gltf_primitive *p = &s->primitives.data[i];
        if (p->influences > 0 || determinant(s->nodes.data[p->node].world) >= 0) continue;
        for (int32_t f = p->first_face; f < p->first_face + p->face_count; f++) {
            int32_t *face = s->faces.data + 3 * (size_t)f, second = face[1];
            face[1] = face[2], face[2] = second;
        }
    }
}

mus_status mus_gltf_scene_open(const mus_gltf *g, mus_gltf_scene *s) {
    *s = (mus_gltf_scene){.document = g};
    mus_status status = read_nodes(s);
    if (status == MUS_STATUS_OK) status = read_skins(s);
    for (int32_t k = 0; status == MUS_STATUS_OK && k < s->nodes.count; k++)
        if (s->nodes.data[k].in_scene && s->nodes.data[k].mesh >= 0) status = read_mesh(s, k);
    if (status == MUS_STATUS_OK) status = merge_vertices(s);
    if (status != MUS_STATUS_OK) return status;
    if (s->uvs.count != 2 * s->owner.count) s->uvs.count = 0;
    turn_mirrored(s);
    return MUS_STATUS_OK;
}

void mus_gltf_scene_close(mus_gltf_scene *s) {
    for (int64_t k = 0; k < s->skins.count; k++) {
        mus_free(s->skins.data[k].joints);
        mus_free(s->skins.data[k].inverse);
        mus_free(s->skins.data[k].matrices);
    }
    for (int64_t k = 0; k < s->primitives.count; k++) primitive_free(&s->primitives.data[k]);
    mus_array_free(&s->nodes);
    mus_array_free(&s->order);
    mus_array_free(&s->weights);
    mus_array_free(&s->skins);
    mus_array_free(&s->primitives);
    mus_array_free(&s->positions);
    mus_array_free(&s->uvs);
    mus_array_free(&s->owner);
    mus_array_free(&s->number);
    mus_array_free(&s->source);
    mus_array_free(&s->faces);
}

/* ---- Poses --------------------------------------------------------------------------------------------------------
 */

/* The weighted sum of the matrices of a vertex's joints. */
static void blend(const mus_gltf_skin *skin, const mus_gltf_primitive *p, size_t vertex, double m[12]) {
    const double *joints = p->joints + (size_t)p->influences * vertex;
    const double *weights = p->weights + (size_t)p->influences * vertex;
    memset(m, 0, 12 * sizeof *m);
    for (int32_t k = 0; k < p->influences; k++) {
        const double *matrix = skin->matrices + 12 * (size_t)joints[k];
        if (weights[k] != 0)
            for (int c = 0; c < 12; c++) m[c] += weights[k] * matrix[c];
    }
}

void mus_gltf_scene_pose(mus_gltf_scene *s, double *positions) {
    update_world(s);
    for (int64_t k = 0; k < s->skins.count; k++) {
        mus_gltf_skin *skin = &s->skins.data[k];
        for (int32_t j = 0; j < skin->count; j++)
            multiply(s->nodes.data[skin->joints[j]].world, skin->inverse + 12 * (size_t)j,
                     skin->matrices + 12 * (size_t)j);
    }
    for (int64_t v = 0; v < s->source.count; v++) {
        int32_t from = s->source.data[v];
        const mus_gltf_primitive *p = &s->primitives.data[s->owner.data[from]];
        const mus_gltf_node *node = &s->nodes.data[p->node];
        size_t i = (size_t)(from - p->first);
        double x[3], m[12];
        memcpy(x, s->positions.data + 3 * (size_t)from, sizeof x);
        for (int32_t t = 0; t < p->targets; t++) {
            double weight = s->weights.data[node->first_weight + t];
            const double *delta = p->deltas[t];
            if (weight != 0 && delta)
                for (size_t k = 0; k < 3; k++) x[k] += weight * delta[3 * i + k];
        }
        if (p->influences > 0) blend(&s->skins.data[node->skin], p, i, m);
        apply(p->influences > 0 ? m : node->world, x, positions + 3 * v);
    }
}
