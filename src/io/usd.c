/* usd.c: writing a frame as a layer of Universal Scene Description in text (.usda): a mesh for each part, its name
 * stored as the attribute muslin:name, since names of prims consist of letters, digits and underscores only. */
#include "base/box.h"
#include "io/soup.h"
#include "muslin/math.h"

#include <string.h>

/* The name with characters that a prim allows, and a number that makes it unique. */
static void prim_name(mus_writer *w, const char *name, int32_t number) {
    mus_writer_text(w, "part_");
    mus_writer_integer(w, number);
    if (name && *name) mus_writer_bytes(w, "_", 1);
    for (const char *c = name; c && *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        mus_writer_bytes(w, plain ? c : "_", 1);
    }
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

static void extent(mus_writer *w, const mus_part *part) {
    mus_box box = part->vertex_count ? mus_box_of_points(part->vertices, part->vertex_count) : (mus_box){0};
    mus_writer_text(w, "        float3[] extent = [");
    point(w, box.lo);
    mus_writer_text(w, ", ");
    point(w, box.hi);
    mus_writer_text(w, "]\n");
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
static void color(mus_writer *w, const float srgb[3]) {
    double linear[3];
    for (int k = 0; k < 3; k++) {
        double c = (double)srgb[k];
        linear[k] = c <= 0.04045 ? c / 12.92 : mus_pow((c + 0.055) / 1.055, 2.4);
    }
    mus_writer_text(w, "        color3f[] primvars:displayColor = [");
    point(w, linear);
    mus_writer_text(w, "] (\n            interpolation = \"constant\"\n        )\n");
}

static void part_mesh(mus_writer *w, const mus_part *part, int32_t number) {
    mus_writer_text(w, "    def Mesh \"");
    prim_name(w, part->name, number);
    mus_writer_text(w, "\"\n    {\n        uniform bool doubleSided = 1\n"
                       "        uniform token subdivisionScheme = \"none\"\n");
    if (part->name) {
        mus_writer_text(w, "        custom string muslin:name = ");
        quoted(w, part->name);
        mus_writer_bytes(w, "\n", 1);
    }
    extent(w, part);
    mus_writer_text(w, "        int[] faceVertexCounts = [");
    for (int32_t f = 0; f < part->face_count; f++) mus_writer_text(w, f ? ", 3" : "3");
    mus_writer_text(w, "]\n        int[] faceVertexIndices = [");
    for (int64_t k = 0; k < 3 * (int64_t)part->face_count; k++) {
        if (k) mus_writer_text(w, ", ");
        mus_writer_integer(w, part->faces[k]);
    }
    mus_writer_text(w, "]\n        point3f[] points = [");
    for (int64_t v = 0; v < part->vertex_count; v++) {
        if (v) mus_writer_text(w, ", ");
        point(w, part->vertices + 3 * v);
    }
    mus_writer_text(w, "]\n");
    if (part->uvs) coordinates(w, part);
    if (part->has_color) color(w, part->color);
    mus_writer_text(w, "    }\n");
}

void mus_usd_write(mus_writer *w, const mus_part *parts, int32_t count) {
    mus_writer_text(w, "#usda 1.0\n(\n    defaultPrim = \"frame\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n"
                       "def Xform \"frame\"\n{\n");
    for (int32_t k = 0; k < count; k++) part_mesh(w, &parts[k], k + 1);
    mus_writer_text(w, "}\n");
}
