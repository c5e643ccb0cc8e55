/* generate_solids.c: closed solids with faces counterclockwise seen from outside: box, icosahedron, sphere, capsule. */
#include "base/word.h"
#include "mesh/mesh.h"

#include "base/memory.h"
#include "base/vec.h"
#include "muslin/math.h"

#include <string.h>

mus_status mus_mesh_create_box(const double size[3], const double center[3], mus_mesh **mesh) {
    /* Vertex x + 2y + 4z is the corner with that sign on each axis. */
    static const int32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    *mesh = NULL;
    for (int k = 0; k < 3; k++)
        if (!isfinite(size[k]) || size[k] <= 0)
            return mus_fail(
                MUS_STATUS_INVALID, "mesh.box: field 'size' must be three finite lengths > 0 m (got %s x %s x %s)",
                mus_word_of_number(size[0]).text, mus_word_of_number(size[1]).text, mus_word_of_number(size[2]).text);
    mus_status status = mus_mesh_check_center("mesh.box", center);
    for (int k = 0; k < 3 && status == MUS_STATUS_OK; k++)
        status = mus_mesh_check_positive("mesh.box", "size", size[k]);
    if (status != MUS_STATUS_OK) return status;
    mus_mesh *box = mus_mesh_new(8, 12, 0);
    if (!box) return MUS_STATUS_NO_MEMORY;
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) box->vertices[3 * v + k] = center[k] + (v >> k & 1 ? 0.5 : -0.5) * size[k];
    memcpy(box->faces, faces, sizeof faces);
    return mus_mesh_hand_over("mesh.box", box, mesh);
}

/* The icosahedron on the unit sphere: three golden rectangles, one in each coordinate plane. */
static mus_status unit_icosahedron(mus_mesh **mesh) {
    static const int32_t faces[20][3] = {{0, 1, 4},   {0, 6, 1},  {0, 4, 8},   {0, 9, 6},  {0, 8, 9},
                                         {1, 10, 4},  {1, 6, 11}, {1, 11, 10}, {2, 5, 3},  {2, 3, 7},
                                         {2, 8, 5},   {2, 7, 9},  {2, 9, 8},   {3, 5, 10}, {3, 11, 7},
                                         {3, 10, 11}, {4, 5, 8},  {4, 10, 5},  {6, 9, 7},  {6, 7, 11}};
    mus_mesh *made = mus_mesh_new(12, 20, 0);
    if (!made) return MUS_STATUS_NO_MEMORY;
    double golden = (1 + sqrt(5)) / 2, length = sqrt(1 + golden * golden);
    for (int v = 0; v < 12; v++) {
        int plane = v / 4; /* short side on axis `plane`, long side on the next axis */
        double *p = made->vertices + 3 * v;
        p[plane] = (v & 1 ? -1 : 1) / length;
        p[(plane + 1) % 3] = (v & 2 ? -1 : 1) * golden / length;
    }
    memcpy(made->faces, faces, sizeof faces);
    *mesh = made;
    return MUS_STATUS_OK;
}

static void scale_and_move(mus_mesh *mesh, double scale, const double center[3]) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double *p = mesh->vertices + 3 * (size_t)v;
        v3_store(p, v3_axpy(scale, v3_load(p), v3_load(center)));
    }
}

mus_status mus_mesh_create_icosahedron(double radius, const double center[3], mus_mesh **mesh) {
    *mesh = NULL;
    mus_status status = mus_mesh_check_positive("mesh.icosahedron", "radius", radius);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_center("mesh.icosahedron", center);
    if (status == MUS_STATUS_OK) status = unit_icosahedron(mesh);
    if (status != MUS_STATUS_OK) return status;
    scale_and_move(*mesh, radius, center);
    return mus_mesh_hand_over("mesh.icosahedron", *mesh, mesh);
}

mus_status mus_mesh_create_sphere(double radius, int32_t subdivisions, const double center[3], mus_mesh **mesh) {
    enum { MOST = 10 }; /* 20 * 4^10 faces are 21 million */
    *mesh = NULL;
    mus_status status = mus_mesh_check_positive("mesh.sphere", "radius", radius);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_center("mesh.sphere", center);
    if (status == MUS_STATUS_OK && (subdivisions < 0 || subdivisions > MOST))
        status = mus_fail(MUS_STATUS_INVALID,
                          "mesh.sphere: field 'subdivisions' must be 0 to %d, for 20 * 4^n faces (got %d)", MOST,
                          subdivisions);
    mus_mesh *sphere = NULL;
    if (status == MUS_STATUS_OK) status = unit_icosahedron(&sphere);
    for (int32_t round = 0; status == MUS_STATUS_OK && round < subdivisions; round++) {
        mus_mesh *fine = NULL;
        status = mus_mesh_subdivide(sphere, 1, &fine);
        for (int32_t v = sphere->vertex_count; fine && v < fine->vertex_count; v++) {
            double *p = fine->vertices + 3 * (size_t)v;
            v3_store(p, v3_normalized(v3_load(p)));
        }
        mus_mesh_destroy(sphere);
        sphere = fine;
    }
    if (status != MUS_STATUS_OK) return status;
    scale_and_move(sphere, radius, center);
    return mus_mesh_hand_over("mesh.sphere", sphere, mesh);
}

/* Top pole, `rings` rows down to the upper equator, `rings` rows from the lower equator down, bottom pole. */
static void capsule_vertices(mus_mesh *mesh, double radius, double length, int32_t segments, int32_t rings,
                             const double center[3]) {
    static const double pi = 3.14159265358979323846264338327950;
    double *p = mesh->vertices;
    v3 c = v3_load(center);
    v3_store(p, v3_add(c, v3_make(0, 0.5 * length + radius, 0)));
    for (int32_t row = 0; row < 2 * rings; row++) {
        bool top = row < rings;
        /* Counted from the pole, so that both caps, and the equators themselves, have the same numbers. */
        int32_t k = top ? row + 1 : 2 * rings - row;
        double angle = 0.5 * pi * k / rings;
        double r = k == rings ? radius : radius * mus_sin(angle);
        double y = 0.5 * length + (k == rings ? 0 : radius * mus_cos(angle));
        for (int32_t s = 0; s < segments; s++) {
            double turn = 2 * pi * s / segments;
            p += 3;
            v3_store(p, v3_add(c, v3_make(r * mus_cos(turn), top ? y : -y, -r * mus_sin(turn))));
        }
    }
    v3_store(p + 3, v3_sub(c, v3_make(0, 0.5 * length + radius, 0)));
}

static void capsule_faces(mus_mesh *mesh, int32_t segments, int32_t rings) {
    int32_t *face = mesh->faces;
    int32_t last = mesh->vertex_count - 1;
    for (int32_t s = 0; s < segments; s++) {
        int32_t after = (s + 1) % segments;
        *face++ = 0, *face++ = 1 + s, *face++ = 1 + after;
        for (int32_t row = 0; row + 1 < 2 * rings; row++) {
            int32_t a = 1 + row * segments + s, b = 1 + row * segments + after;
            int32_t c = a + segments, d = b + segments;
            *face++ = a, *face++ = c, *face++ = d;
            *face++ = a, *face++ = d, *face++ = b;
        }
        *face++ = last, *face++ = last - segments + after, *face++ = last - segments + s;
    }
}

mus_status mus_mesh_create_capsule(double radius, double length, int32_t segments, int32_t rings,
                                   const double center[3], mus_mesh **mesh) {
    enum { MOST = 10000 }; /* 4 segments rings faces: within the limit */
    *mesh = NULL;
    mus_status status = mus_mesh_check_positive("mesh.capsule", "radius", radius);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_positive("mesh.capsule", "length", length);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_center("mesh.capsule", center);
    if (status == MUS_STATUS_OK && (segments < 3 || segments > MOST))
        status =
            mus_fail(MUS_STATUS_INVALID, "mesh.capsule: field 'segments' must be 3 to %d (got %d)", MOST, segments);
    if (status == MUS_STATUS_OK && (rings < 1 || rings > MOST))
        status = mus_fail(MUS_STATUS_INVALID, "mesh.capsule: field 'rings' must be 1 to %d (got %d)", MOST, rings);
    if (status != MUS_STATUS_OK) return status;
    mus_mesh *capsule = mus_mesh_new(2 + 2 * rings * segments, 4 * rings * segments, 0);
    if (!capsule) return MUS_STATUS_NO_MEMORY;
    capsule_vertices(capsule, radius, length, segments, rings, center);
    capsule_faces(capsule, segments, rings);
    return mus_mesh_hand_over("mesh.capsule", capsule, mesh);
}
