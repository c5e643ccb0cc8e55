/* usd_stage.c: the meshes, cloths and seams of a layer. The names of the proposal for deformable bodies are those of
 * its revision with `surface` in the names of material properties; the namespace may be physics or omniphysics. */
#include "io/usd_stage.h"

#include "base/range.h"

#include <stdio.h>
#include <string.h>

struct mus_usd {
    mus_usda layer;
    MUS_ARRAY(mus_usd_mesh) meshes;
    MUS_ARRAY(mus_usd_seam) seams;
    MUS_ARRAY(int32_t) prims; /* of each mesh */
};

void mus_usd_destroy(mus_usd *usd) {
    if (!usd) return;
    for (int64_t k = 0; k < usd->meshes.count; k++) {
        mus_usd_mesh *m = &usd->meshes.data[k];
        mus_mesh_destroy((mus_mesh *)m->mesh);
        mus_free((double *)m->rest_points);
        mus_free((int32_t *)m->rest_faces);
        mus_free((int32_t *)m->folds);
        mus_free((double *)m->angles);
        mus_free((double *)m->masses);
        mus_free((char *)m->path);
        mus_free((mus_usd_constant *)m->constants);
    }
    for (int64_t k = 0; k < usd->seams.count; k++) mus_free((int32_t *)usd->seams.data[k].pairs);
    mus_array_free(&usd->meshes);
    mus_array_free(&usd->seams);
    mus_array_free(&usd->prims);
    mus_usda_free(&usd->layer);
    mus_free(usd);
}

const mus_usd_mesh *mus_usd_get_meshes(const mus_usd *usd, int32_t *count) {
    *count = (int32_t)usd->meshes.count;
    return usd->meshes.data;
}

double mus_usd_get_fps(const mus_usd *usd) {
    return usd->layer.codes_per_second;
}

const mus_usd_seam *mus_usd_get_seams(const mus_usd *usd, int32_t *count) {
    *count = (int32_t)usd->seams.count;
    return usd->seams.data;
}

/* ---- Prims ------------------------------------------------------------------------------------------------------- */

static const mus_usda_prim *prim_of(const mus_usda *layer, int32_t k) {
    return &layer->prims.data[k];
}

static bool is_cloth(const mus_usda_prim *prim) {
    return mus_usda_has_schema(prim, "PhysicsSurfaceDeformableSimAPI") ||
           mus_usda_has_schema(prim, "OmniPhysicsSurfaceDeformableSimAPI");
}

/* A property of the proposal, by its name after the namespace. */
static const mus_usda_property *physics(const mus_usda_prim *prim, const char *name) {
    static const char *const spaces[] = {"physics:", "omniphysics:"};
    for (size_t k = 0; k < 2; k++) {
        char whole[64];
        snprintf(whole, sizeof whole, "%s%s", spaces[k], name);
        const mus_usda_property *property = mus_usda_find(prim, whole);
        if (property) return property;
    }
    return NULL;
}

static double number_of(const mus_usda_prim *prim, const char *name) {
    const mus_usda_property *property = prim ? physics(prim, name) : NULL;
    return property && property->value.numbers.count == 1 ? property->value.numbers.data[0] : NAN;
}

/* Where 0 stands for a number that is not given: a density, and stiffnesses beside a modulus. */
static double positive_of(const mus_usda_prim *prim, const char *name) {
    double number = number_of(prim, name);
    return number <= 0 && number >= 0 ? NAN : number;
}

/* Collides by the schema of a prim or of one around it, unless the nearest switches it off. */
static bool collides(const mus_usda *layer, int32_t k) {
    for (; k >= 0; k = prim_of(layer, k)->parent) {
        if (!mus_usda_has_schema(prim_of(layer, k), "PhysicsCollisionAPI")) continue;
        double enabled = number_of(prim_of(layer, k), "collisionEnabled");
        return !(enabled <= 0);
    }
    return false;
}

/* The path of a prim: "/frame/part". */
static char *path_of(const mus_usda *layer, int32_t k) {
    size_t length = 0;
    for (int32_t p = k; p >= 0; p = prim_of(layer, p)->parent) length += strlen(prim_of(layer, p)->name) + 1;
    char *path = mus_new(length + 1);
    for (int32_t p = k; path && p >= 0; p = prim_of(layer, p)->parent) {
        size_t size = strlen(prim_of(layer, p)->name);
        length -= size;
        memcpy(path + length, prim_of(layer, p)->name, size);
        path[--length] = '/';
    }
    return path;
}

/* ---- Cloths ------------------------------------------------------------------------------------------------------ */

static mus_status wrong(const char *path, const mus_usda_prim *prim, const mus_usda_property *property,
                        const char *reason) {
    return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: mesh '%s': %s", path,
                    (long long)(property ? property->line : prim->line), prim->name, reason);
}

static bool take_integers(const mus_usda_property *property, int64_t most, int32_t **list) {
    int64_t n = property->value.numbers.count;
    *list = mus_new(sizeof **list * ((size_t)n + 1));
    for (int64_t k = 0; *list && k < n; k++)
        if (!mus_usd_index(property->value.numbers.data[k], most, &(*list)[k])) return false;
    return *list != NULL;
}

/* Rest points are in the frame of the prim; only lengths among them count. */
static mus_status read_rest(const char *path, const mus_usda_prim *prim, const double place[12], bool triangles,
                            bool turned, mus_usd_mesh *m) {
    const mus_usda_property *points = physics(prim, "restShapePoints"), *faces = physics(prim, "restTriVtxIndices");
    if (!points || !points->value.numbers.count) return MUS_STATUS_OK;
    int64_t count = points->value.numbers.count / 3;
    int32_t face_count = mus_mesh_get_face_count(m->mesh);
    if (points->value.numbers.count % 3 || count > INT32_MAX / 3)
        return wrong(path, prim, points, "'restShapePoints' needs three numbers for each point");
    double *moved = mus_new(sizeof *moved * 3 * (size_t)count);
    if (!moved) return MUS_STATUS_NO_MEMORY;
    m->rest_points = moved, m->rest_point_count = (int32_t)count;
    const mus_usda_property *angles = physics(prim, "restBendAnglesDefault");
    m->is_bent = angles && angles->value.texts.count && strcmp(angles->value.texts.data[0], "restShapeDefault") == 0;
    for (int64_t k = 0; k < 3 * count; k++) {
        const double *p = points->value.numbers.data + k - k % 3, *row = place + 4 * (k % 3);
        moved[k] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
        if (!mus_is_length(moved[k])) return wrong(path, prim, points, "a rest point is too far off");
    }
    int32_t *corners = NULL;
    if (faces && faces->value.numbers.count) {
        if (!triangles || faces->value.numbers.count != 3 * (int64_t)face_count)
            return wrong(path, prim, faces,
                         "'restTriVtxIndices' needs a triangle for each face, and faces that are "
                         "triangles");
        bool taken = take_integers(faces, count, &corners);
        m->rest_faces = corners;
        if (!corners) return MUS_STATUS_NO_MEMORY;
        if (!taken) return wrong(path, prim, faces, "'restTriVtxIndices' refers to a point that does not exist");
        for (int32_t f = 0; turned && f < face_count; f++) {
            int32_t first = corners[3 * f];
            corners[3 * f] = corners[3 * f + 2], corners[3 * f + 2] = first;
        }
        return MUS_STATUS_OK;
    }
    if (count != mus_mesh_get_vertex_count(m->mesh))
        return wrong(path, prim, points,
                     "'restShapePoints' without 'restTriVtxIndices' needs a point for each one "
                     "of the mesh");
    corners = mus_new(sizeof *corners * 3 * ((size_t)face_count + 1));
    m->rest_faces = corners;
    if (!corners) return MUS_STATUS_NO_MEMORY;
    memcpy(corners, mus_mesh_get_faces(m->mesh), sizeof *corners * 3 * (size_t)face_count);
    return MUS_STATUS_OK;
}

static mus_status read_angles(const char *path, const mus_usda_prim *prim, bool triangles, bool turned,
                              mus_usd_mesh *m) {
    const mus_usda_property *pairs = physics(prim, "restAdjTriPairs"), *degrees = physics(prim, "restBendAngles");
    if (!pairs || !degrees || !degrees->value.numbers.count) return MUS_STATUS_OK;
    int64_t count = degrees->value.numbers.count;
    if (!triangles || pairs->value.numbers.count != 2 * count || count > INT32_MAX / 2)
        return wrong(path, prim, degrees,
                     "'restBendAngles' needs 'restAdjTriPairs', a pair of faces for each angle, "
                     "and faces that are triangles");
    int32_t *folds = NULL;
    bool taken = take_integers(pairs, mus_mesh_get_face_count(m->mesh), &folds);
    m->folds = folds;
    double *angles = mus_new(sizeof *angles * ((size_t)count + 1));
    m->angles = angles;
    if (!folds || !angles) return MUS_STATUS_NO_MEMORY;
    if (!taken) return wrong(path, prim, pairs, "'restAdjTriPairs' refers to a face that does not exist");
    for (int64_t k = 0; k < count; k++) {
        angles[k] = degrees->value.numbers.data[k] * (3.14159265358979323846 / 180) * (turned ? -1 : 1);
        if (!(fabs(angles[k]) <= 3.1415926535897936))
            return wrong(path, prim, degrees, "an angle of 'restBendAngles' is not within +-180 degrees");
    }
    m->fold_count = (int32_t)count;
    return MUS_STATUS_OK;
}

/* muslin:material:NAME, in the order of the file. */
static mus_status read_constants(const mus_usda_prim *material, mus_usd_mesh *m) {
    static const char own[] = "muslin:material:";
    mus_usd_constant *list = mus_new(sizeof *list * ((size_t)material->properties.count + 1));
    if (!list) return MUS_STATUS_NO_MEMORY;
    m->constants = list;
    for (int64_t k = 0; k < material->properties.count; k++) {
        const mus_usda_property *p = &material->properties.data[k];
        if (strncmp(p->name, own, sizeof own - 1) != 0 || p->value.numbers.count + p->value.texts.count != 1) continue;
        mus_usd_constant *c = &list[m->constant_count++];
        c->name = p->name + sizeof own - 1;
        c->text = p->value.texts.count ? p->value.texts.data[0] : NULL;
        c->number = p->value.numbers.count ? p->value.numbers.data[0] : 0;
    }
    return MUS_STATUS_OK;
}

/* The material that is bound for physics, or for all purposes, to a prim or to the nearest one around it. */
static const mus_usda_prim *material_of(const mus_usda *layer, int32_t k) {
    static const char *const bindings[] = {"material:binding:physics", "material:binding"};
    for (int b = 0; b < 2; b++)
        for (int32_t p = k; p >= 0; p = prim_of(layer, p)->parent) {
            const mus_usda_property *binding = mus_usda_find(prim_of(layer, p), bindings[b]);
            int32_t at =
                binding && binding->value.texts.count ? mus_usda_prim_at(layer, p, binding->value.texts.data[0]) : -1;
            if (at >= 0) return prim_of(layer, at);
        }
    return NULL;
}

static mus_status read_material(const mus_usda *layer, int32_t prim, mus_usd_mesh *m) {
    const mus_usda_prim *material = material_of(layer, prim);
    double meters = layer->meters_per_unit, kilograms = layer->kilograms_per_unit;
    m->thickness = meters * number_of(material, "surfaceThickness");
    m->density = kilograms / (meters * meters * meters) * positive_of(material, "density") * m->thickness;
    double modulus = kilograms / meters * positive_of(material, "youngsModulus");
    double (*stiffness_of)(const mus_usda_prim *, const char *) = isnan(modulus) ? number_of : positive_of;
    m->stretch_stiffness = kilograms * stiffness_of(material, "surfaceStretchStiffness");
    m->shear_stiffness = kilograms * stiffness_of(material, "surfaceShearStiffness");
    m->bend_stiffness = kilograms * meters * meters * stiffness_of(material, "surfaceBendStiffness");
    m->poissons_ratio = number_of(material, "poissonsRatio");
    double h = m->thickness;
    double nu = isnan(m->poissons_ratio) ? 0.3 : m->poissons_ratio, share = modulus * h / (1 - nu * nu);
    if (isnan(m->stretch_stiffness)) m->stretch_stiffness = share;
    if (isnan(m->shear_stiffness)) m->shear_stiffness = 0.5 * modulus * h / (1 + nu);
    if (isnan(m->bend_stiffness)) m->bend_stiffness = share * h * h / 12;
    m->restitution = number_of(material, "restitution");
    m->friction = number_of(material, "dynamicFriction");
    return material ? read_constants(material, m) : MUS_STATUS_OK;
}

/* muslin:gridNodes of a mesh whose vertices are those of a grid; {0, 0}: none. */
static void read_grid(const mus_usda_prim *prim, int64_t vertices, int32_t nodes[2]) {
    const mus_usda_property *grid = mus_usda_find(prim, "muslin:gridNodes");
    nodes[0] = nodes[1] = 0;
    if (!grid || grid->value.numbers.count != 2) return;
    double nu = grid->value.numbers.data[0], nv = grid->value.numbers.data[1];
    if (!(nu >= 2 && nv >= 2 && nu * nv <= (double)vertices && nu * nv >= (double)vertices)) return;
    nodes[0] = (int32_t)nu, nodes[1] = (int32_t)nv;
}

static mus_status make_mesh(const char *path, const mus_usda_prim *prim, mus_soup *soup, mus_mesh **mesh) {
    bool textured = soup->uv_faces.count > 0;
    mus_mesh_def def = mus_mesh_def_default();
    def.vertices = soup->vertices.data, def.faces = soup->faces.data;
    def.uvs = textured ? soup->uvs.data : NULL, def.uv_faces = textured ? soup->uv_faces.data : NULL;
    def.vertex_count = (int32_t)(soup->vertices.count / 3), def.face_count = (int32_t)(soup->faces.count / 3);
    def.uv_count = textured ? (int32_t)(soup->uvs.count / 2) : 0;
    read_grid(prim, def.vertex_count, def.grid_nodes);
    def.groups = soup->groups.count ? soup->groups.data : NULL, def.group_count = (int32_t)soup->groups.count;
    mus_status status = mus_mesh_create(&def, mesh);
    if (status == MUS_STATUS_OK || status == MUS_STATUS_NO_MEMORY) return status;
    return wrong(path, prim, NULL, mus_get_error_message());
}

/* Subsets of faces, where they are all faces in order; else none. */
static mus_status read_groups(const mus_usda *layer, int32_t k, mus_soup *soup) {
    int64_t next = 0, faces = soup->faces.count / 3;
    mus_status status = MUS_STATUS_OK;
    bool in_order = true;
    for (int32_t p = k + 1; in_order && p < (int32_t)layer->prims.count && prim_of(layer, p)->parent >= k; p++) {
        const mus_usda_prim *subset = prim_of(layer, p);
        if (subset->parent != k || strcmp(subset->type, "GeomSubset") != 0) continue;
        const mus_usda_property *indices = mus_usda_find(subset, "indices");
        const mus_usda_property *name = mus_usda_find(subset, "muslin:name");
        const mus_usda_property *of = mus_usda_find(subset, "elementType");
        if (of && of->value.texts.count && strcmp(of->value.texts.data[0], "face") != 0) continue;
        int64_t count = indices ? indices->value.numbers.count : 0;
        for (int64_t i = 0; in_order && i < count; i++) {
            double index = indices->value.numbers.data[i];
            in_order = index >= (double)next && index <= (double)next;
            next++;
        }
        const char *text = name && name->value.texts.count ? name->value.texts.data[0] : subset->name;
        mus_mesh_group group = {.name = mus_copy_string(text), .face_count = (int32_t)count};
        if (!group.name || !mus_array_push(&soup->groups, group)) {
            mus_free((char *)group.name);
            return MUS_STATUS_NO_MEMORY;
        }
    }
    if (in_order && next == faces) return status;
    for (int64_t i = 0; i < soup->groups.count; i++) mus_free((char *)soup->groups.data[i].name);
    soup->groups.count = 0;
    return status;
}

/* A mesh that has neither points nor faces (yet). */
static bool is_empty(const mus_usda_prim *prim) {
    const mus_usda_property *points = mus_usda_find(prim, "points"), *counts = mus_usda_find(prim, "faceVertexCounts");
    return (!points || !points->value.numbers.count) && (!counts || !counts->value.numbers.count);
}

/* muslin:masses, in kg, per area those of the file whatever the scale of lengths. */
static mus_status read_masses(const char *path, const mus_usda_prim *prim, double unit, mus_usd_mesh *m) {
    const mus_usda_property *given = mus_usda_find(prim, "muslin:masses");
    if (!given) return MUS_STATUS_OK;
    int32_t count = mus_mesh_get_vertex_count(m->mesh);
    if (given->value.numbers.count != count)
        return wrong(path, prim, given, "'muslin:masses' needs a number for each point");
    double *masses = mus_new(sizeof *masses * ((size_t)count + 1));
    if (!masses) return MUS_STATUS_NO_MEMORY;
    m->masses = masses;
    for (int32_t k = 0; k < count; k++) {
        masses[k] = unit * given->value.numbers.data[k];
        if (!(masses[k] >= 1 / MUS_LARGEST_VALUE && masses[k] <= MUS_LARGEST_VALUE))
            return wrong(path, prim, given, "'muslin:masses' has a number that is no mass (1e-30 to 1e30 kg)");
    }
    return MUS_STATUS_OK;
}

static mus_status add_mesh(const char *path, const mus_load_options *options, mus_usd *usd, int32_t k) {
    const mus_usda_prim *prim = prim_of(&usd->layer, k);
    if (is_empty(prim)) return MUS_STATUS_OK;
    double place[12], first = 0, last = 0;
    bool triangles = true;
    mus_soup soup = {.vertices = {0}};
    mus_usd_mesh m = {.name = mus_usd_name_of(prim),
                      .is_cloth = is_cloth(prim),
                      .moves = mus_usd_moves(&usd->layer, k, &first, &last),
                      .is_collider = collides(&usd->layer, k)};
    mus_status status = mus_usd_place_of(path, &usd->layer, k, NAN, place);
    if (status == MUS_STATUS_OK) status = mus_usd_read_mesh(path, prim, place, &soup, &triangles);
    if (status == MUS_STATUS_OK && triangles) status = read_groups(&usd->layer, k, &soup);
    if (status == MUS_STATUS_OK)
        status = mus_load_options_apply(path, options, soup.vertices.data, soup.vertices.count / 3);
    if (status == MUS_STATUS_OK && soup.faces.count) status = make_mesh(path, prim, &soup, (mus_mesh **)&m.mesh);
    bool made = status == MUS_STATUS_OK && m.mesh;
    mus_soup_free(&soup);
    if (!made) return status;
    m.path = path_of(&usd->layer, k);
    for (int c = 0; options && c < 12; c++) place[c] *= options->scale; /* of lengths at rest */
    if (!m.path || !mus_array_push(&usd->meshes, m)) {
        mus_mesh_destroy((mus_mesh *)m.mesh);
        mus_free((char *)m.path);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_usd_mesh *kept = &usd->meshes.data[usd->meshes.count - 1];
    if (!mus_array_push(&usd->prims, k)) return MUS_STATUS_NO_MEMORY;
    if (kept->is_cloth) status = read_rest(path, prim, place, triangles, mus_usd_is_turned(prim, place), kept);
    if (status == MUS_STATUS_OK && kept->is_cloth)
        status = read_angles(path, prim, triangles, mus_usd_is_left_handed(prim), kept);
    double scale = options ? options->scale : 1, unit = usd->layer.kilograms_per_unit * scale * scale;
    if (status == MUS_STATUS_OK && kept->is_cloth) status = read_masses(path, prim, unit, kept);
    return status == MUS_STATUS_OK ? read_material(&usd->layer, k, kept) : status;
}

/* The mesh that a relation of prim `from` names; -1: none. */
static int32_t mesh_at(const mus_usd *usd, int32_t from, const mus_usda_property *relation) {
    bool named = relation && relation->value.texts.count;
    int32_t prim = named ? mus_usda_prim_at(&usd->layer, from, relation->value.texts.data[0]) : -1;
    for (int32_t k = 0; prim >= 0 && k < (int32_t)usd->prims.count; k++)
        if (usd->prims.data[k] == prim) return k;
    return -1;
}

static bool attaches_points(const mus_usda_prim *prim, const char *name) {
    const mus_usda_property *type = physics(prim, name);
    return !type || (type->value.texts.count && strcmp(type->value.texts.data[0], "point") == 0);
}

/* Attachments of points of two meshes; others, to bodies or into faces, are left out. */
static mus_status add_seam(const char *path, mus_usd *usd, int32_t at) {
    const mus_usda_prim *prim = prim_of(&usd->layer, at);
    const mus_usda_property *enabled = physics(prim, "attachmentEnabled");
    const mus_usda_property *first = physics(prim, "indices0"), *second = physics(prim, "indices1");
    if (!first) first = physics(prim, "vtxIndicesSrc0");
    if (!second) second = physics(prim, "vtxIndicesSrc1");
    mus_usd_seam seam = {.mesh = {mesh_at(usd, at, physics(prim, "src0")), mesh_at(usd, at, physics(prim, "src1"))},
                         .stiffness = usd->layer.kilograms_per_unit * number_of(prim, "stiffness")};
    bool is_off = enabled && enabled->value.numbers.count && !(enabled->value.numbers.data[0] > 0);
    if (is_off || !first || !second || seam.mesh[0] < 0 || seam.mesh[1] < 0 || !attaches_points(prim, "type0") ||
        !attaches_points(prim, "type1"))
        return MUS_STATUS_OK;
    int64_t count = first->value.numbers.count;
    if (count != second->value.numbers.count || count > INT32_MAX / 2)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: attachment '%s' needs as many points of one mesh as of the other",
                        path, (long long)prim->line, prim->name);
    int32_t *pairs = mus_new(sizeof *pairs * 2 * ((size_t)count + 1));
    if (!pairs) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count; k++)
        for (int side = 0; side < 2; side++) {
            double value = (side ? second : first)->value.numbers.data[k];
            const mus_mesh *mesh = usd->meshes.data[seam.mesh[side]].mesh;
            if (!mus_usd_index(value, mus_mesh_get_vertex_count(mesh), &pairs[2 * k + side])) {
                mus_free(pairs);
                return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: attachment '%s' refers to a point that does not exist",
                                path, (long long)prim->line, prim->name);
            }
        }
    seam.pairs = pairs, seam.pair_count = (int32_t)count;
    if (mus_array_push(&usd->seams, seam)) return MUS_STATUS_OK;
    mus_free(pairs);
    return MUS_STATUS_NO_MEMORY;
}

static bool is_attachment(const mus_usda_prim *prim) {
    return strcmp(prim->type, "PhysicsAttachment") == 0 || strcmp(prim->type, "PhysicsVtxVtxAttachment") == 0 ||
           strcmp(prim->type, "OmniPhysicsVtxVtxAttachment") == 0;
}

static mus_status read_stage(const mus_file *file, const mus_load_options *options, mus_usd *usd) {
    mus_status status = mus_usda_parse(file, &usd->layer);
    int32_t count = (int32_t)usd->layer.prims.count;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t k = 0; k < count && status == MUS_STATUS_OK; k++) {
            const mus_usda_prim *prim = prim_of(&usd->layer, k);
            bool wanted = pass == 0 ? strcmp(prim->type, "Mesh") == 0 : is_attachment(prim);
            if (!wanted || !mus_usd_is_present(&usd->layer, k)) continue;
            status = pass == 0 ? add_mesh(file->path, options, usd, k) : add_seam(file->path, usd, k);
        }
    bool found = usd->meshes.count > 0;
    for (int32_t k = 0; k < count && status == MUS_STATUS_OK && !found; k++) /* the reason, if one is empty */
        if (strcmp(prim_of(&usd->layer, k)->type, "Mesh") == 0 && mus_usd_is_present(&usd->layer, k))
            status = wrong(file->path, prim_of(&usd->layer, k), NULL, "needs 'points', three numbers for each");
    if (status == MUS_STATUS_OK && !found)
        status = mus_fail(MUS_STATUS_FORMAT, "%s: has no mesh with faces", file->path);
    return status;
}

mus_status mus_usd_load(const char *path, const mus_load_options *options, mus_usd **out) {
    *out = NULL;
    mus_file file;
    mus_status status = mus_load_options_apply(path, options, NULL, 0);
    if (status == MUS_STATUS_OK) status = mus_file_read(path, &file);
    if (status != MUS_STATUS_OK) return status;
    mus_usd *usd = mus_new(sizeof *usd);
    mus_c_locale locale = mus_c_locale_enter();
    status = usd ? read_stage(&file, options, usd) : MUS_STATUS_NO_MEMORY;
    mus_c_locale_leave(locale);
    mus_file_free(&file);
    if (status == MUS_STATUS_OK)
        *out = usd;
    else
        mus_usd_destroy(usd);
    return status;
}
