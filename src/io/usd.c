/* usd.c: writing a frame, or an animation with time samples, as a layer of Universal Scene Description in text
 * (.usda): a mesh and a material for each part, the part's name stored as the attribute muslin:name, since names of
 * prims consist of letters, digits and underscores only. Cloths of a frame are deformable bodies. */
#include "base/box.h"
#include "base/memory.h"
#include "io/number.h"
#include "io/soup.h"
#include "muslin/math.h"

#include <stdio.h>
#include <string.h>

/* The kind of a prim, a number that makes it unique, and the name with characters that a prim allows. */
static void numbered_name(mus_writer *w, const char *kind, const char *name, int32_t number) {
    mus_writer_text(w, kind);
    mus_writer_bytes(w, "_", 1);
    mus_writer_integer(w, number);
    if (name && *name) mus_writer_bytes(w, "_", 1);
    for (const char *c = name; c && *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        mus_writer_bytes(w, plain ? c : "_", 1);
    }
}

static void prim_name(mus_writer *w, const char *name, int32_t number) {
    numbered_name(w, "part", name, number);
}

static void quoted(mus_writer *w, const char *text) {
    static const char digits[] = "0123456789abcdef";
    mus_writer_bytes(w, "\"", 1);
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        const char code[4] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        if (byte < 0x20)
            mus_writer_bytes(w, code, sizeof code);
        else if (*c == '"' || *c == '\\')
            mus_writer_bytes(w, "\\", 1), mus_writer_bytes(w, c, 1);
        else
            mus_writer_bytes(w, c, 1);
    }
    mus_writer_bytes(w, "\"", 1);
}

static void point(mus_writer *w, const double p[3]) {
    for (int k = 0; k < 3; k++) {
        mus_writer_text(w, k ? ", " : "(");
        mus_writer_number(w, p[k]);
    }
    mus_writer_bytes(w, ")", 1);
}

static void points(mus_writer *w, const double *vertices, int32_t count) {
    mus_writer_bytes(w, "[", 1);
    for (int64_t v = 0; v < count; v++) {
        if (v) mus_writer_text(w, ", ");
        point(w, vertices + 3 * v);
    }
    mus_writer_bytes(w, "]", 1);
}

static void corners_of_box(mus_writer *w, mus_box box) {
    const double corners[6] = {box.lo[0], box.lo[1], box.lo[2], box.hi[0], box.hi[1], box.hi[2]};
    points(w, corners, 2);
}

/* One for each corner, by index, since a vertex on a seam has several. */
static void coordinates(mus_writer *w, const mus_part *part) {
    mus_writer_text(w, "        texCoord2f[] primvars:st = [");
    for (int64_t v = 0; v < part->uv_count; v++) {
        mus_writer_text(w, v ? ", (" : "(");
        mus_writer_number(w, part->uvs[2 * v]);
        mus_writer_text(w, ", ");
        mus_writer_number(w, part->uvs[2 * v + 1]);
        mus_writer_bytes(w, ")", 1);
    }
    mus_writer_text(w, "] (\n            interpolation = \"faceVarying\"\n        )\n"
                       "        int[] primvars:st:indices = [");
    for (int64_t k = 0; k < 3 * (int64_t)part->face_count; k++) {
        if (k) mus_writer_text(w, ", ");
        mus_writer_integer(w, part->uv_faces[k]);
    }
    mus_writer_text(w, "]\n");
}

/* USD's colors are linear. */
static void linear_color(const float srgb[3], double linear[3]) {
    for (int k = 0; k < 3; k++) {
        double c = (double)srgb[k];
        linear[k] = c <= 0.04045 ? c / 12.92 : mus_pow((c + 0.055) / 1.055, 2.4);
    }
}

static void color(mus_writer *w, const mus_part *part, int32_t number) {
    double linear[3];
    linear_color(part->color, linear);
    mus_writer_text(w, "        color3f[] primvars:displayColor = [");
    point(w, linear);
    mus_writer_text(w, "] (\n            interpolation = \"constant\"\n        )\n"
                       "        rel material:binding = </frame/materials/");
    prim_name(w, part->name, number);
    mus_writer_text(w, ">\n");
}

static void shader_path(mus_writer *w, const mus_part *part, int32_t number, const char *rest) {
    mus_writer_text(w, "</frame/materials/");
    prim_name(w, part->name, number);
    mus_writer_text(w, rest);
}

static void pair(mus_writer *w, double a, double b) {
    mus_writer_text(w, "(");
    mus_writer_number(w, a);
    mus_writer_text(w, ", ");
    mus_writer_number(w, b);
    mus_writer_text(w, ")\n");
}

/* The shaders by which a picture lies on `st`. */
static void picture(mus_writer *w, const mus_part *part, int32_t number) {
    const double *at = part->picture_place;
    mus_writer_text(w, "            def Shader \"picture\"\n            {\n"
                       "                uniform token info:id = \"UsdUVTexture\"\n"
                       "                asset inputs:file = @./");
    mus_writer_text(w, part->picture_file);
    mus_writer_text(w, "@\n                token inputs:sourceColorSpace = \"sRGB\"\n"
                       "                token inputs:wrapS = \"repeat\"\n"
                       "                token inputs:wrapT = \"repeat\"\n"
                       "                float2 inputs:st.connect = ");
    shader_path(w, part, number,
                "/place.outputs:result>\n                float3 outputs:rgb\n            }\n"
                "            def Shader \"place\"\n            {\n"
                "                uniform token info:id = \"UsdTransform2d\"\n"
                "                float2 inputs:in.connect = ");
    shader_path(w, part, number, "/coordinates.outputs:result>\n                float2 inputs:scale = ");
    pair(w, 1 / at[2], 1 / at[3]);
    mus_writer_text(w, "                float2 inputs:translation = ");
    pair(w, -at[0] / at[2], -at[1] / at[3]);
    mus_writer_text(w, "                float2 outputs:result\n            }\n"
                       "            def Shader \"coordinates\"\n            {\n"
                       "                uniform token info:id = \"UsdPrimvarReader_float2\"\n"
                       "                string inputs:varname = \"st\"\n"
                       "                float2 outputs:result\n            }\n");
}

static void material(mus_writer *w, const mus_part *part, int32_t number) {
    double linear[3];
    linear_color(part->color, linear);
    mus_writer_text(w, "        def Material \"");
    prim_name(w, part->name, number);
    mus_writer_text(w, "\"\n        {\n            token outputs:surface.connect = </frame/materials/");
    prim_name(w, part->name, number);
    mus_writer_text(w, "/surface.outputs:surface>\n            def Shader \"surface\"\n            {\n"
                       "                uniform token info:id = \"UsdPreviewSurface\"\n"
                       "                color3f inputs:diffuseColor");
    bool shown = part->picture_file && part->uvs;
    mus_writer_text(w, shown ? ".connect = " : " = ");
    if (shown)
        shader_path(w, part, number, "/picture.outputs:rgb>");
    else
        point(w, linear);
    mus_writer_text(w, "\n                float inputs:roughness = 0.9\n                token outputs:surface\n"
                       "            }\n");
    if (shown) picture(w, part, number);
    mus_writer_text(w, "        }\n");
}

/* ---- Deformable bodies: the names of the proposal for UsdPhysics --------------------------------------------------
 */

static void number_attribute(mus_writer *w, const char *declaration, double value) {
    mus_writer_text(w, "            ");
    mus_writer_text(w, declaration);
    mus_writer_text(w, " = ");
    mus_writer_number(w, value);
    mus_writer_bytes(w, "\n", 1);
}

static void tuples(mus_writer *w, const char *declaration, const int32_t *values, int64_t count, int size) {
    mus_writer_text(w, "        ");
    mus_writer_text(w, declaration);
    mus_writer_text(w, " = [");
    for (int64_t k = 0; k < count * size; k++) {
        if (size > 1 && k % size == 0) mus_writer_text(w, k ? ", (" : "(");
        if (k % size != 0 || (size == 1 && k > 0)) mus_writer_text(w, ", ");
        mus_writer_integer(w, values[k]);
        if (size > 1 && k % size == size - 1) mus_writer_bytes(w, ")", 1);
    }
    mus_writer_text(w, "]\n");
}

/* Of a cloth: its rest shape, angles in degrees, and its material. */
static void deformable(mus_writer *w, const mus_part *part) {
    const mus_rest_shape *rest = part->cloth->rest;
    mus_writer_text(w, "        point3f[] physics:restShapePoints = ");
    points(w, rest->points, rest->point_count);
    mus_writer_bytes(w, "\n", 1);
    tuples(w, "int3[] physics:restTriVtxIndices", rest->faces, rest->face_count, 3);
    mus_writer_text(w, "        uniform token physics:restBendAnglesDefault = \"flatDefault\"\n");
    if (rest->fold_count > 0) {
        tuples(w, "int2[] physics:restAdjTriPairs", rest->folds, rest->fold_count, 2);
        mus_writer_text(w, "        float[] physics:restBendAngles = [");
        for (int32_t k = 0; k < rest->fold_count; k++) {
            if (k) mus_writer_text(w, ", ");
            mus_writer_number(w, rest->angles[k] * (180 / 3.14159265358979323846));
        }
        mus_writer_text(w, "]\n");
    }
    if (part->cloth->masses) {
        mus_writer_text(w, "        custom double[] muslin:masses = [");
        for (int32_t k = 0; k < part->vertex_count; k++) {
            if (k) mus_writer_text(w, ", ");
            mus_writer_number(w, part->cloth->masses[k]);
        }
        mus_writer_text(w, "]\n");
    }
    if (part->cloth->grid_nodes[0] > 0) {
        mus_writer_text(w, "        custom int2 muslin:gridNodes = (");
        mus_writer_integer(w, part->cloth->grid_nodes[0]);
        mus_writer_text(w, ", ");
        mus_writer_integer(w, part->cloth->grid_nodes[1]);
        mus_writer_text(w, ")\n");
    }
}

/* A cloth's material, or the surface of an obstacle. */
static void physics_binding(mus_writer *w, const mus_part *part, int32_t number) {
    mus_writer_text(w, "        rel material:binding:physics = </frame/materials/");
    numbered_name(w, part->cloth ? "cloth" : "surface", part->name, number);
    mus_writer_text(w, ">\n");
}

static double mean_stiffness(const mus_material *m) {
    switch (m->model) {
    case MUS_MODEL_STVK:
    case MUS_MODEL_NEO_HOOKEAN:
    case MUS_MODEL_SQUARE_NETWORK:
        return 0.5 * (m->stretch_warp + m->stretch_weft);
    case MUS_MODEL_MEASURED:
        return 0.5 * (mus_fabric_get(m->fabric)->stretch[0][0] + mus_fabric_get(m->fabric)->stretch[0][2]);
    default:
        return m->stretch;
    }
}

static double shear_stiffness(const mus_material *m) {
    switch (m->model) {
    case MUS_MODEL_STVK:
    case MUS_MODEL_NEO_HOOKEAN:
    case MUS_MODEL_SQUARE_NETWORK:
        return m->stretch_shear;
    case MUS_MODEL_MEASURED:
        return 0.5 * mus_fabric_get(m->fabric)->stretch[0][3];
    default:
        return m->shear;
    }
}

/* kg/m^2: of the rest shape as it is now, shrunk or stretched for good, with the mass of the cloth. */
static double density_at_rest(const mus_part_cloth *cloth) {
    const mus_rest_shape *rest = cloth->rest;
    double area = 0;
    for (int32_t f = 0; f < rest->face_count; f++) {
        const int32_t *c = rest->faces + 3 * (size_t)f;
        v3 p = v3_load(rest->points + 3 * (size_t)c[0]), q = v3_load(rest->points + 3 * (size_t)c[1]);
        area += 0.5 * v3_length(v3_cross(v3_sub(q, p), v3_sub(v3_load(rest->points + 3 * (size_t)c[2]), p)));
    }
    double density = cloth->mass / area, given = cloth->material->density;
    bool same = !(cloth->mass > 0 && area > 0) || fabs(density - given) <= 1e-9 * given;
    return same ? given : density;
}

static void friction_and_restitution(mus_writer *w, double friction, double restitution) {
    number_attribute(w, "float physics:staticFriction", friction);
    number_attribute(w, "float physics:dynamicFriction", friction);
    number_attribute(w, "float physics:restitution", restitution);
}

/* The isotropic material of the proposal that is nearest, and muslin's own constants. */
static void cloth_material(mus_writer *w, const mus_part *part, int32_t number) {
    const mus_material *m = part->cloth->material;
    mus_writer_text(w, "        def Material \"");
    numbered_name(w, "cloth", part->name, number);
    mus_writer_text(w, "\" (\n            prepend apiSchemas = [\"PhysicsMaterialAPI\", "
                       "\"PhysicsSurfaceDeformableMaterialAPI\"]\n        )\n        {\n");
    double density = density_at_rest(part->cloth);
    number_attribute(w, "float physics:density", density / part->cloth->thickness);
    friction_and_restitution(w, part->cloth->friction, part->cloth->restitution);
    number_attribute(w, "float physics:surfaceThickness", part->cloth->thickness);
    number_attribute(w, "float physics:surfaceStretchStiffness", mean_stiffness(m));
    number_attribute(w, "float physics:surfaceShearStiffness", shear_stiffness(m));
    if (m->model != MUS_MODEL_MEASURED) number_attribute(w, "float physics:surfaceBendStiffness", m->bending);
    mus_writer_text(w, "            custom string muslin:material:model = \"");
    mus_writer_text(w, mus_material_model_get_name(m->model));
    mus_writer_text(w, "\"\n            custom string muslin:material:name = ");
    quoted(w, m->name);
    mus_writer_bytes(w, "\n", 1);
    if (m->model == MUS_MODEL_MEASURED) {
        mus_writer_text(w, "            custom string muslin:material:preset = ");
        quoted(w, mus_fabric_get(m->fabric)->name);
        mus_writer_bytes(w, "\n", 1);
    }
    if (m->bending_quadratic)
        mus_writer_text(w, "            custom string muslin:material:bending_model = \"quadratic\"\n");
    for (int k = 0; k < mus_material_get_constant_count(); k++) {
        if (!mus_material_uses_constant(m, k)) continue;
        mus_writer_text(w, "            custom double muslin:material:");
        mus_writer_text(w, mus_material_get_constant_name(k));
        mus_writer_text(w, " = ");
        bool is_density = strcmp(mus_material_get_constant_name(k), "density") == 0;
        mus_writer_number(w, is_density ? density : mus_material_get_constant(m, k));
        mus_writer_bytes(w, "\n", 1);
    }
    mus_writer_text(w, "        }\n");
}

static void surface_material(mus_writer *w, const mus_part *part, int32_t number) {
    mus_writer_text(w, "        def Material \"");
    numbered_name(w, "surface", part->name, number);
    mus_writer_text(w, "\" (\n            prepend apiSchemas = [\"PhysicsMaterialAPI\"]\n        )\n        {\n");
    friction_and_restitution(w, part->friction, part->restitution);
    mus_writer_text(w, "        }\n");
}

static void indices_of_seam(mus_writer *w, const char *declaration, const mus_part_seam *seam, bool other) {
    mus_writer_text(w, "        ");
    mus_writer_text(w, declaration);
    mus_writer_text(w, " = [");
    for (int32_t k = 0, written = 0; k < seam->count; k++) {
        const mus_stitch *s = &seam->stitches[k];
        if (s->onto[0] != s->onto[1]) continue;
        if (written++) mus_writer_text(w, ", ");
        mus_writer_integer(w, other ? s->onto[0] : s->vertex);
    }
    mus_writer_text(w, "]\n");
}

static void seams(mus_writer *w, const mus_part *parts, int32_t count) {
    int32_t number = 0;
    for (int32_t p = 0; p < count; p++)
        for (int32_t k = 0; k < parts[p].seam_count; k++) {
            const mus_part_seam *seam = &parts[p].seams[k];
            mus_writer_text(w, "    def PhysicsAttachment \"");
            numbered_name(w, "seam", NULL, ++number);
            mus_writer_text(w, "\"\n    {\n        rel physics:src0 = </frame/");
            prim_name(w, parts[p].name, p + 1);
            mus_writer_text(w, ">\n        rel physics:src1 = </frame/");
            prim_name(w, parts[seam->other].name, seam->other + 1);
            mus_writer_text(w, ">\n        uniform token physics:type0 = \"point\"\n"
                               "        uniform token physics:type1 = \"point\"\n");
            indices_of_seam(w, "int[] physics:indices0", seam, false);
            indices_of_seam(w, "int[] physics:indices1", seam, true);
            mus_writer_text(w, "        float physics:stiffness = ");
            mus_writer_number(w, seam->stiffness);
            mus_writer_text(w, "\n        bool physics:attachmentEnabled = 1\n    }\n");
        }
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

static void schemas(mus_writer *w, const mus_part *part) {
    const struct {
        bool has;
        const char *names;
    } each[] = {{part->has_color || part->cloth || part->has_surface, "\"MaterialBindingAPI\""},
                {part->cloth != NULL, "\"PhysicsDeformableBodyAPI\", \"PhysicsSurfaceDeformableSimAPI\""},
                {part->cloth || part->is_obstacle, "\"PhysicsCollisionAPI\""}};
    int written = 0;
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        if (!each[k].has) continue;
        mus_writer_text(w, written++ ? ", " : " (\n        prepend apiSchemas = [");
        mus_writer_text(w, each[k].names);
    }
    if (written) mus_writer_text(w, "]\n    )");
}

/* Everything of a part's mesh but its points and the final brace. */
static void mesh_start(mus_writer *w, const mus_part *part, int32_t number) {
    mus_writer_text(w, "    def Mesh \"");
    prim_name(w, part->name, number);
    mus_writer_text(w, "\"");
    schemas(w, part);
    mus_writer_text(w, "\n    {\n        uniform bool doubleSided = 1\n"
                       "        uniform token subdivisionScheme = \"none\"\n");
    if (part->name) {
        mus_writer_text(w, "        custom string muslin:name = ");
        quoted(w, part->name);
        mus_writer_bytes(w, "\n", 1);
    }
    mus_writer_text(w, "        int[] faceVertexCounts = [");
    for (int32_t f = 0; f < part->face_count; f++) mus_writer_text(w, f ? ", 3" : "3");
    mus_writer_text(w, "]\n        int[] faceVertexIndices = [");
    for (int64_t k = 0; k < 3 * (int64_t)part->face_count; k++) {
        if (k) mus_writer_text(w, ", ");
        mus_writer_integer(w, part->faces[k]);
    }
    mus_writer_text(w, "]\n");
    if (part->uvs) coordinates(w, part);
    if (part->has_color) color(w, part, number);
    if (part->cloth) deformable(w, part);
    if (part->cloth || part->has_surface) physics_binding(w, part, number);
}

/* The groups of a part's faces as a partition, and the end of its mesh. */
static void mesh_end(mus_writer *w, const mus_part *part) {
    if (part->groups) mus_writer_text(w, "        uniform token subsetFamily:groups:familyType = \"partition\"\n");
    int64_t next = 0;
    for (int32_t k = 0; k < part->group_count; k++) {
        mus_writer_text(w, "        def GeomSubset \"");
        numbered_name(w, "group", part->groups[k].name, k + 1);
        mus_writer_text(w, "\"\n        {\n            uniform token elementType = \"face\"\n"
                           "            uniform token familyName = \"groups\"\n"
                           "            custom string muslin:name = ");
        quoted(w, part->groups[k].name);
        mus_writer_text(w, "\n            int[] indices = [");
        for (int32_t f = 0; f < part->groups[k].face_count; f++) {
            if (f) mus_writer_text(w, ", ");
            mus_writer_integer(w, next++);
        }
        mus_writer_text(w, "]\n        }\n");
    }
    mus_writer_text(w, "    }\n");
}

static void materials(mus_writer *w, const mus_part *parts, int32_t count) {
    mus_writer_text(w, "    def Scope \"materials\"\n    {\n");
    for (int32_t k = 0; k < count; k++) {
        if (parts[k].has_color) material(w, &parts[k], k + 1);
        if (parts[k].cloth) cloth_material(w, &parts[k], k + 1);
        if (!parts[k].cloth && parts[k].has_surface) surface_material(w, &parts[k], k + 1);
    }
    mus_writer_text(w, "    }\n");
}

static void layer_start(mus_writer *w) {
    mus_writer_text(w, "#usda 1.0\n(\n    defaultPrim = \"frame\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n");
}

void mus_usd_write(mus_writer *w, const mus_part *parts, int32_t count) {
    layer_start(w);
    mus_writer_text(w, ")\n\ndef Xform \"frame\"\n{\n");
    for (int32_t k = 0; k < count; k++) {
        const mus_part *part = &parts[k];
        mus_box box = part->vertex_count ? mus_box_of_points(part->vertices, part->vertex_count) : (mus_box){0};
        mesh_start(w, part, k + 1);
        mus_writer_text(w, "        float3[] extent = ");
        corners_of_box(w, box);
        mus_writer_text(w, "\n        point3f[] points = ");
        points(w, part->vertices, part->vertex_count);
        mus_writer_bytes(w, "\n", 1);
        mesh_end(w, part);
    }
    seams(w, parts, count);
    materials(w, parts, count);
    mus_writer_text(w, "}\n");
}

/* ---- Animations -------------------------------------------------------------------------------------------------- */

/* Nine digits identify a float. */
static void write_float(mus_writer *w, float value) {
    char text[MUS_NUMBER_ROOM];
    int size = snprintf(text, sizeof text, "%.9g", (double)value);
    mus_writer_bytes(w, text, (size_t)size);
}

static void float_points(mus_writer *w, const float *positions, int32_t count) {
    mus_writer_bytes(w, "[", 1);
    for (int64_t k = 0; k < 3 * (int64_t)count; k++) {
        mus_writer_text(w, k == 0 ? "(" : k % 3 == 0 ? "), (" : ", ");
        write_float(w, positions[k]);
    }
    mus_writer_text(w, count ? ")]" : "]");
}

static void float_extent(mus_writer *w, const float *positions, int32_t count) {
    float box[6] = {0};
    for (int64_t k = 0; k < 3 * (int64_t)count; k++) {
        float x = positions[k], *lo = &box[k % 3], *hi = &box[3 + k % 3];
        if (k < 3 || x < *lo) *lo = x;
        if (k < 3 || x > *hi) *hi = x;
    }
    float_points(w, box, 2);
}

typedef void (*write_points)(mus_writer *w, const float *positions, int32_t count);

/* An attribute of a part's points: one value, or a sample for each frame. */
static mus_status sampled(mus_writer *w, const mus_parts_animation *a, int32_t k, const char *name, write_points write,
                          float *positions) {
    const mus_part_frames *f = &a->frames[k];
    int32_t count = a->parts[k].vertex_count;
    mus_status status = MUS_STATUS_OK;
    mus_writer_text(w, "        ");
    mus_writer_text(w, name);
    mus_writer_text(w, f->moves ? ".timeSamples = {\n" : " = ");
    for (int64_t i = 0; i < (f->moves ? f->frame_count : 1) && status == MUS_STATUS_OK; i++) {
        status = a->read(a->user, k, f->first_frame + i, positions);
        if (status != MUS_STATUS_OK) return status;
        if (f->moves) {
            mus_writer_text(w, "            ");
            mus_writer_integer(w, f->first_frame + i);
            mus_writer_text(w, ": ");
        }
        write(w, positions, count);
        mus_writer_text(w, f->moves ? ",\n" : "\n");
    }
    if (f->moves) mus_writer_text(w, "        }\n");
    return MUS_STATUS_OK;
}

/* For a part that does not exist in all frames. */
static void visibility(mus_writer *w, const mus_parts_animation *a, const mus_part_frames *f) {
    int64_t end = f->first_frame + f->frame_count;
    if (f->first_frame == 0 && end >= a->frame_count) return;
    mus_writer_text(w, "        token visibility.timeSamples = {\n");
    if (f->first_frame > 0) mus_writer_text(w, "            0: \"invisible\",\n");
    mus_writer_text(w, "            ");
    mus_writer_integer(w, f->first_frame);
    mus_writer_text(w, ": \"inherited\",\n");
    if (end < a->frame_count) {
        mus_writer_text(w, "            ");
        mus_writer_integer(w, end);
        mus_writer_text(w, ": \"invisible\",\n");
    }
    mus_writer_text(w, "        }\n");
}

mus_status mus_usd_write_animation(mus_writer *w, const mus_parts_animation *a) {
    int32_t most = 0;
    for (int32_t k = 0; k < a->part_count; k++)
        if (a->parts[k].vertex_count > most) most = a->parts[k].vertex_count;
    float *positions = mus_new(((size_t)most + 1) * 3 * sizeof *positions);
    if (!positions) return MUS_STATUS_NO_MEMORY;
    layer_start(w);
    mus_writer_text(w, "    startTimeCode = 0\n    endTimeCode = ");
    mus_writer_integer(w, a->frame_count - 1);
    mus_writer_text(w, "\n    timeCodesPerSecond = ");
    mus_writer_number(w, a->fps);
    mus_writer_text(w, "\n    framesPerSecond = ");
    mus_writer_number(w, a->fps);
    mus_writer_text(w, "\n)\n\ndef Xform \"frame\"\n{\n");
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < a->part_count && status == MUS_STATUS_OK; k++) {
        mesh_start(w, &a->parts[k], k + 1);
        status = sampled(w, a, k, "float3[] extent", float_extent, positions);
        if (status == MUS_STATUS_OK) status = sampled(w, a, k, "point3f[] points", float_points, positions);
        visibility(w, a, &a->frames[k]);
        mesh_end(w, &a->parts[k]);
    }
    seams(w, a->parts, a->part_count);
    materials(w, a->parts, a->part_count);
    mus_writer_text(w, "}\n");
    mus_free(positions);
    return status;
}
