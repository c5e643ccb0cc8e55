/* rest_shape.c: a cloth has lengths, directions and angles at rest, no places. They are found again: in the plane if
 * the cloth at rest is flat with one direction of the warp, in the texture coordinates if these have its shape
 * (garments), else face by face. */
#include "model/rest_shape.h"

#include "model/crease.h"
#include "model/plastic_stretch.h"
#include "model/sheet.h"
#include "model/unfold.h"
#include "muslin/math.h"

#include <string.h>

static const double error = 1e-6;       /* of places, as a share of an edge's length */
static const double least_angle = 1e-9; /* rad */

void mus_rest_shape_free(mus_rest_shape *shape) {
    mus_free(shape->points);
    mus_free(shape->faces);
    mus_free(shape->folds);
    mus_free(shape->angles);
    *shape = (mus_rest_shape){0};
}

static bool reserve_points(mus_rest_shape *shape, int32_t count) {
    mus_free(shape->points);
    shape->points = mus_new(sizeof(double) * 3 * ((size_t)count + 1));
    shape->point_count = count;
    return shape->points != NULL;
}

/* A face at rest in its own frame: corner 0 at the origin, the warp of a material without warp_angle along x, and the
 * corners clockwise where the texture coordinates are. */
typedef struct flat_face {
    double p[3][2];
} flat_face;

static flat_face membrane_face(const mus_cloth *cloth, int32_t f) {
    double(*n)[2] = cloth->sheet->faces[f].n;
    double det = n[0][0] * n[1][1] - n[0][1] * n[1][0];
    double c = mus_cos(cloth->material.warp_angle), s = mus_sin(cloth->material.warp_angle);
    double by_warp[2][2] = {{n[1][1] / det, -n[1][0] / det}, {-n[0][1] / det, n[0][0] / det}}; /* corners 1 and 2 */
    flat_face face = {{{0}}};
    for (int k = 0; k < 2; k++) {
        face.p[k + 1][0] = c * by_warp[k][0] - s * by_warp[k][1];
        face.p[k + 1][1] = s * by_warp[k][0] + c * by_warp[k][1];
    }
    return face;
}

static flat_face network_face(const mus_cloth *cloth, int32_t f, double a, double b, double c) {
    double x = (a * a + c * c - b * b) / (2 * a), y = sqrt(fmax(c * c - x * x, 0)), of[2];
    mus_cloth_warp_of_face(cloth, f, of);
    double warp[2] = {of[0] * a + of[1] * x, of[1] * y}, size = sqrt(warp[0] * warp[0] + warp[1] * warp[1]);
    double cosine = size > 0 ? warp[0] / size : 1, sine = size > 0 ? warp[1] / size : 0;
    flat_face face = {{{0, 0}, {cosine * a, -sine * a}, {cosine * x + sine * y, cosine * y - sine * x}}};
    return face;
}

/* Whether a face has the shape and the direction of `wanted` at three points. */
static bool lies_as(const flat_face *wanted, const double *const at[3]) {
    const double *p = wanted->p[1], *q = wanted->p[2];
    double bound = error * sqrt(fmin(p[0] * p[0] + p[1] * p[1], q[0] * q[0] + q[1] * q[1]));
    for (int k = 1; k < 3; k++)
        for (int c = 0; c < 2; c++)
            if (!(fabs(at[k][c] - at[0][c] - wanted->p[k][c]) <= bound)) return false;
    return true;
}

/* One point per vertex in the plane: turned, and mirrored where face 0 is, into the frame of face 0. */
static mus_status take_plane(const mus_cloth *cloth, const double *lengths, const flat_face *faces,
                             mus_rest_shape *shape, bool *fits) {
    double(*at)[2] = mus_new(sizeof *at * ((size_t)cloth->vertex_count + 1));
    if (!at || !reserve_points(shape, cloth->vertex_count)) {
        mus_free(at);
        return MUS_STATUS_NO_MEMORY;
    }
    mus_status status = mus_cloth_unfold_vertices(cloth, lengths, at, fits);
    const int32_t *first = cloth->faces;
    const double *p = faces[0].p[1], *q = faces[0].p[2];
    double d[2] = {at[first[1]][0] - at[first[0]][0], at[first[1]][1] - at[first[0]][1]};
    double size2 = d[0] * d[0] + d[1] * d[1], mirror = p[0] * q[1] - p[1] * q[0] < 0 ? -1 : 1;
    double c = (p[0] * d[0] + mirror * p[1] * d[1]) / size2, s = (p[1] * d[0] - mirror * p[0] * d[1]) / size2;
    for (int32_t i = 0; status == MUS_STATUS_OK && i < cloth->vertex_count; i++) {
        double x = at[i][0], y = mirror * at[i][1];
        shape->points[3 * i] = c * x - s * y, shape->points[3 * i + 1] = s * x + c * y;
    }
    mus_free(at);
    if (status != MUS_STATUS_OK) return status;
    memcpy(shape->faces, cloth->faces, sizeof *shape->faces * 3 * (size_t)cloth->face_count);
    for (int32_t f = 0; *fits && f < cloth->face_count; f++) {
        const int32_t *v = cloth->faces + 3 * (size_t)f;
        *fits = lies_as(&faces[f],
                        (const double *const[]){shape->points + 3 * (size_t)v[0], shape->points + 3 * (size_t)v[1],
                                                shape->points + 3 * (size_t)v[2]});
    }
    return MUS_STATUS_OK;
}

static mus_status take_uvs(const mus_cloth *cloth, const flat_face *faces, mus_rest_shape *shape, bool *fits) {
    const int32_t *corners = cloth->uv_faces ? cloth->uv_faces : cloth->faces;
    *fits = cloth->uvs != NULL;
    for (int32_t f = 0; *fits && f < cloth->face_count; f++) {
        const int32_t *v = corners + 3 * (size_t)f;
        *fits = lies_as(&faces[f], (const double *const[]){cloth->uvs + 2 * (size_t)v[0], cloth->uvs + 2 * (size_t)v[1],
                                                           cloth->uvs + 2 * (size_t)v[2]});
    }
    if (!*fits) return MUS_STATUS_OK;
    if (!reserve_points(shape, cloth->uv_count)) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < cloth->uv_count; i++)
        shape->points[3 * i] = cloth->uvs[2 * i], shape->points[3 * i + 1] = cloth->uvs[2 * i + 1];
    memcpy(shape->faces, corners, sizeof *shape->faces * 3 * (size_t)cloth->face_count);
    return MUS_STATUS_OK;
}

/* Three points per face. */
static mus_status take_faces(const mus_cloth *cloth, const flat_face *faces, mus_rest_shape *shape) {
    if (cloth->face_count > INT32_MAX / 3 || !reserve_points(shape, 3 * cloth->face_count)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < 3 * (int64_t)cloth->face_count; k++) {
        memcpy(shape->points + 3 * k, faces[k / 3].p[k % 3], sizeof faces->p[0]);
        shape->faces[k] = (int32_t)k;
    }
    return MUS_STATUS_OK;
}

/* 1 where face f goes from a to b, else -1. */
static int direction(const int32_t *face, int32_t a, int32_t b) {
    for (int k = 0; k < 3; k++)
        if (face[k] == a) return face[(k + 1) % 3] == b ? 1 : -1;
    return -1;
}

/* Pairs of faces that are bent against each other at rest. Folds are in the order of the topology's hinges, of which
 * some may lack. */
static mus_status take_folds(const mus_cloth *cloth, const mus_topology *t, mus_rest_shape *shape) {
    int32_t most = mus_cloth_fold_count(cloth);
    shape->folds = mus_new(sizeof *shape->folds * 2 * ((size_t)most + 1));
    shape->angles = mus_new(sizeof *shape->angles * ((size_t)most + 1));
    if (!shape->folds || !shape->angles) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0, h = 0; k < most && h < t->hinge_count; h++) {
        const int32_t *v = mus_cloth_fold_vertices(cloth, k), *hinge = t->hinges + 4 * (size_t)h;
        if (v[0] != hinge[0] || v[1] != hinge[1]) continue;
        const int32_t *two = t->edge_faces + 2 * (size_t)t->hinge_edges[h];
        double angle = direction(cloth->faces + 3 * (size_t)two[0], v[0], v[1]) * mus_fold_rest_angle(cloth, k++);
        if (!(fabs(angle) > least_angle)) continue;
        memcpy(shape->folds + 2 * (size_t)shape->fold_count, two, sizeof *two * 2);
        shape->angles[shape->fold_count++] = angle;
    }
    return MUS_STATUS_OK;
}

mus_status mus_cloth_make_rest_shape(const mus_cloth *cloth, mus_rest_shape *shape) {
    *shape = (mus_rest_shape){.face_count = cloth->face_count};
    mus_topology t;
    mus_status status = mus_topology_build(cloth->faces, cloth->face_count, cloth->vertex_count, &t);
    if (status != MUS_STATUS_OK) return status;
    double *lengths = mus_new(sizeof *lengths * ((size_t)t.edge_count + 1));
    shape->faces = mus_new(sizeof *shape->faces * 3 * ((size_t)cloth->face_count + 1));
    flat_face *faces = mus_new(sizeof *faces * ((size_t)cloth->face_count + 1));
    if (!lengths || !faces || !shape->faces) status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = mus_plastic_stretch_lengths(cloth, lengths);
    for (int32_t f = 0; status == MUS_STATUS_OK && f < cloth->face_count; f++) {
        const int32_t *e = t.face_edges + 3 * (size_t)f;
        faces[f] = cloth->sheet ? membrane_face(cloth, f)
                                : network_face(cloth, f, lengths[e[0]], lengths[e[1]], lengths[e[2]]);
    }
    bool fits = false;
    if (status == MUS_STATUS_OK) status = take_plane(cloth, lengths, faces, shape, &fits);
    if (status == MUS_STATUS_OK && !fits) status = take_uvs(cloth, faces, shape, &fits);
    if (status == MUS_STATUS_OK && !fits) status = take_faces(cloth, faces, shape);
    if (status == MUS_STATUS_OK) status = take_folds(cloth, &t, shape);
    mus_free(lengths);
    mus_free(faces);
    mus_topology_free(&t);
    return status;
}
