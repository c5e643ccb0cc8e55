/* generate_grid.c: flat sheets: the rectangular grid and the disc, with their rest shape as texture vertices. */
#include "base/cookie.h"
#include "base/word.h"
#include "mesh/mesh.h"

#include "base/memory.h"
#include "mesh/plane.h"
#include "muslin/math.h"

#include <math.h>
#include <string.h>

mus_status mus_plane_axes(const char *what, const char *plane, int axes[2]) {
    static const struct {
        const char *name;
        int axes[2];
    } planes[] = {{"xz", {0, 2}}, {"xy", {0, 1}}, {"yz", {1, 2}}};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
        if (!plane || strcmp(plane, planes[i].name) == 0) {
            memcpy(axes, planes[i].axes, sizeof planes[i].axes);
            return MUS_STATUS_OK;
        }
    return mus_fail(MUS_STATUS_INVALID, "%s: field 'plane' must be 'xy', 'xz' or 'yz' (got '%s')", what, plane);
}

static void place(double *vertex, const double center[3], const int axes[2], double u, double v) {
    memcpy(vertex, center, 3 * sizeof *vertex);
    vertex[axes[0]] = u + center[axes[0]];
    vertex[axes[1]] = v + center[axes[1]];
}

static mus_status check_grid(const mus_grid_def *def) {
    const int32_t *n = def->nodes;
    if (n[0] < 2 || n[1] < 2)
        return mus_fail(MUS_STATUS_INVALID, "mesh.grid: field 'nodes' must be at least 2 x 2 (got %d x %d)", n[0],
                        n[1]);
    /* The second bound follows from the first except for thin grids; both keep every count in int32_t. */
    if ((int64_t)(n[0] - 1) * (n[1] - 1) > MUS_MESH_MAX_FACES / 2 || (int64_t)n[0] * n[1] > INT32_MAX)
        return mus_fail(MUS_STATUS_INVALID, "mesh.grid: field 'nodes' must give at most %d faces (got %d x %d)",
                        MUS_MESH_MAX_FACES, n[0], n[1]);
    for (int k = 0; k < 2; k++)
        if (!isfinite(def->size[k]) || def->size[k] <= 0)
            return mus_fail(MUS_STATUS_INVALID,
                            "mesh.grid: field 'size' must be two finite lengths > 0 m (got %s x %s)",
                            mus_word_of_number(def->size[0]).text, mus_word_of_number(def->size[1]).text);
    mus_status status = mus_mesh_check_center("mesh.grid", def->center);
    for (int k = 0; k < 2 && status == MUS_STATUS_OK; k++)
        status = mus_mesh_check_positive("mesh.grid", "size", def->size[k]);
    return status;
}

mus_grid_def mus_grid_def_default(void) {
    return (mus_grid_def){.cookie = MUS_COOKIE_GRID_DEF};
}

mus_status mus_mesh_create_grid(const mus_grid_def *def, mus_mesh **mesh) {
    *mesh = NULL;
    int axes[2];
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_GRID_DEF, "mesh.grid", "mus_grid_def");
    if (status == MUS_STATUS_OK) status = check_grid(def);
    if (status == MUS_STATUS_OK) status = mus_plane_axes("mesh.grid", def->plane, axes);
    if (status != MUS_STATUS_OK) return status;
    int32_t nu = def->nodes[0], nv = def->nodes[1];
    mus_mesh *grid = mus_mesh_new(nu * nv, 2 * (nu - 1) * (nv - 1), nu * nv);
    if (!grid) return MUS_STATUS_NO_MEMORY;
    grid->grid_nodes[0] = nu;
    grid->grid_nodes[1] = nv;
    double *vertex = grid->vertices, *uv = grid->uvs;
    for (int32_t j = 0; j < nv; j++)
        for (int32_t i = 0; i < nu; i++, vertex += 3, uv += 2) {
            uv[0] = def->size[0] * ((double)i / (nu - 1) - 0.5);
            uv[1] = def->size[1] * ((double)j / (nv - 1) - 0.5);
            place(vertex, def->center, axes, uv[0], uv[1]);
        }
    int32_t *face = grid->faces;
    for (int32_t j = 0; j + 1 < nv; j++)
        for (int32_t i = 0; i + 1 < nu; i++, face += 6) {
            int32_t a = j * nu + i, b = a + 1, c = a + nu, d = c + 1;
            const int32_t rising[6] = {a, b, d, a, d, c}, falling[6] = {a, b, c, b, d, c};
            memcpy(face, (i + j) % 2 == 0 ? rising : falling, sizeof rising);
        }
    memcpy(grid->uv_faces, grid->faces, (size_t)grid->face_count * 3 * sizeof *grid->faces);
    return mus_mesh_hand_over("mesh.grid", grid, mesh);
}

/* Ring k (from 1) has 6k vertices at k/rings of the radius, so that its edges are as long as the distance of the rings,
 * within a factor of pi/3. Sector s of ring k has k edges: the triangles on them point inward, k-1 others point
 * outward. */
mus_status mus_mesh_create_disc(double radius, int32_t rings, const char *plane, const double center[3],
                                mus_mesh **mesh) {
    static const double tau = 6.283185307179586476925286766559;
    enum { MOST_RINGS = 10000 }; /* 6 rings^2 faces: within the limit */
    *mesh = NULL;
    int axes[2];
    mus_status status = mus_mesh_check_positive("mesh.disc", "radius", radius);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_center("mesh.disc", center);
    if (status == MUS_STATUS_OK) status = mus_plane_axes("mesh.disc", plane, axes);
    if (status == MUS_STATUS_OK && (rings < 1 || rings > MOST_RINGS))
        status = mus_fail(MUS_STATUS_INVALID, "mesh.disc: field 'rings' must be 1 to %d (got %d)", MOST_RINGS, rings);
    if (status != MUS_STATUS_OK) return status;
    int32_t count = 1 + 3 * rings * (rings + 1);
    mus_mesh *disc = mus_mesh_new(count, 6 * rings * rings, count);
    if (!disc) return MUS_STATUS_NO_MEMORY;
    double *vertex = disc->vertices, *uv = disc->uvs;
    place(vertex, center, axes, 0, 0); /* the texture vertex is zero already */
    for (int32_t k = 1; k <= rings; k++)
        for (int32_t i = 0; i < 6 * k; i++) {
            double angle = tau * i / (6 * k), r = radius * k / rings;
            vertex += 3;
            uv += 2;
            uv[0] = r * mus_cos(angle);
            uv[1] = r * mus_sin(angle);
            place(vertex, center, axes, uv[0], uv[1]);
        }
    int32_t *face = disc->faces;
    for (int32_t k = 1; k <= rings; k++) {
        int32_t inner = k == 1 ? 0 : 1 + 3 * (k - 1) * (k - 2), outer = 1 + 3 * k * (k - 1);
        int32_t inner_size = k == 1 ? 1 : 6 * (k - 1), outer_size = 6 * k;
        for (int32_t s = 0; s < 6; s++)
            for (int32_t i = 0; i < k; i++) {
                int32_t o = s * k + i, n = s * (k - 1) + i;
                int32_t here = inner + n % inner_size, next = inner + (n + 1) % inner_size;
                int32_t out = outer + o, after = outer + (o + 1) % outer_size;
                *face++ = here, *face++ = out, *face++ = after;
                if (i + 1 < k) *face++ = here, *face++ = after, *face++ = next;
            }
    }
    memcpy(disc->uv_faces, disc->faces, (size_t)disc->face_count * 3 * sizeof *disc->faces);
    return mus_mesh_hand_over("mesh.disc", disc, mesh);
}
