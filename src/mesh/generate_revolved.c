/* generate_revolved.c: surfaces of revolution as rings of vertices about an axis: cylinder, tube, cone, torus, and the
 * flat annulus. Each ring has as many vertices as its circumference takes at one edge length. */
#include "base/cookie.h"
#include "base/memory.h"
#include "base/vec.h"
#include "base/range.h"
#include "base/word.h"
#include "mesh/mesh.h"
#include "mesh/plane.h"
#include "muslin/math.h"

#include <string.h>

static const double pi = 3.14159265358979323846264338327950;

/* A circle about the axis at height y; a pole (count 1) where the radius is 0. */
typedef struct ring {
    double radius, y; /* m */
    int32_t count, first;
} ring;

typedef struct profile { /* outward faces: from the top down, seen in the half plane of radius and height */
    MUS_ARRAY(ring) rings;
    double edge_length; /* m */
    int32_t segments;   /* of the widest ring */
    double widest;      /* m, its radius */
    int64_t vertex_count, face_count;
    bool is_closed; /* the last ring is joined to the first */
} profile;

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static mus_status check_length(const char *what, const char *field, double value, double below, const char *other) {
    if (isfinite(value) && value > 0 && value < below) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "%s: field '%s' must be > 0 m and less than '%s', %s m (got %s)", what, field,
                    other, mus_word_of_number(below).text, mus_word_of_number(value).text);
}

/* The edge length and the segments of a circle of the widest radius. */
static mus_status begin_profile(const char *what, const mus_round_def *def, double widest, profile *p) {
    enum { MOST_SEGMENTS = 100000 };
    *p = (profile){.widest = widest, .segments = def->segments};
    if (def->edge_length != 0) {
        mus_status status = mus_mesh_check_positive(what, "edge_length", def->edge_length);
        if (status != MUS_STATUS_OK) return status;
        double count = 2 * pi * widest / def->edge_length;
        if (!(count < MOST_SEGMENTS + 0.5))
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: field 'edge_length' must give at most %d segments around (got %s m, around a circle "
                            "of %s m)",
                            what, MOST_SEGMENTS, mus_word_of_number(def->edge_length).text,
                            mus_word_of_number(2 * pi * widest).text);
        p->segments = (int32_t)fmax(3, floor(count + 0.5));
    } else if (def->segments < 3 || def->segments > MOST_SEGMENTS) {
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'segments' must be 3 to %d (got %d)", what, MOST_SEGMENTS,
                        def->segments);
    }
    p->edge_length = 2 * pi * widest / p->segments;
    return mus_mesh_check_center(what, def->center);
}

/* Sets the number of parts of about an edge length that a length has; fails if they are too many to count. */
static mus_status count_parts(const char *what, const profile *p, double length, int32_t *parts) {
    enum { MOST_PARTS = 1000000 };
    double count = floor(length / p->edge_length + 0.5);
    if (!(count <= MOST_PARTS))
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: edges of %s m along %s m would be more than %d; give a larger 'edge_length' or fewer "
                        "'segments'",
                        what, mus_word_of_number(p->edge_length).text, mus_word_of_number(length).text, MOST_PARTS);
    *parts = (int32_t)fmax(1, count);
    return MUS_STATUS_OK;
}

/* ---- Rings ------------------------------------------------------------------------------------------------------- */

static int64_t faces_between(int32_t a, int32_t b) {
    return (a > 1 ? a : 0) + (b > 1 ? b : 0);
}

static bool add_ring(profile *p, double radius, double y) {
    enum { least_count = 6 }; /* as around a vertex of equilateral triangles; with fewer, tips look notched */
    int32_t count = 1;
    if (radius >= p->widest)
        count = p->segments;
    else if (radius > 0)
        count = (int32_t)fmax(p->segments < least_count ? p->segments : least_count,
                              floor(p->segments * (radius / p->widest) + 0.5));
    if (p->rings.count > 0) p->face_count += faces_between(p->rings.data[p->rings.count - 1].count, count);
    ring made = {radius, y, count, (int32_t)p->vertex_count};
    p->vertex_count += count;
    /* fewer vertices than faces plus one ring: their number is checked before anything is allocated */
    return p->vertex_count < INT32_MAX && mus_array_push(&p->rings, made);
}

/* Adds rings from (r0, y0), exclusive, to (r1, y1). */
static bool add_line(profile *p, double r0, double y0, double r1, double y1, int32_t parts) {
    for (int32_t k = 1; k < parts; k++) {
        double s = (double)k / parts;
        if (!add_ring(p, r0 + s * (r1 - r0), y0 + s * (y1 - y0))) return false;
    }
    return add_ring(p, r1, y1);
}

/* Adds the faces of the strip from ring a to ring b: of two chains around the circle, the one whose next edge comes
 * first advances. Equal rings have quads, whose diagonals alternate as in mesh.grid. */
static int32_t *join_rings(const ring *a, const ring *b, int32_t row, int32_t *face) {
    int64_t na = a->count, nb = b->count;
    for (int64_t i = 0, j = 0; i < (na > 1 ? na : 0) || j < (nb > 1 ? nb : 0);) {
        int32_t here = a->first + (int32_t)(i % na), next = a->first + (int32_t)((i + 1) % na);
        int32_t out = b->first + (int32_t)(j % nb), after = b->first + (int32_t)((j + 1) % nb);
        bool b_first = nb > 1 && j < nb && (na == 1 || i == na || (2 * j + 1) * na <= (2 * i + 1) * nb);
        if (na == nb && na > 1 && i == j && (i + row) % 2 != 0) b_first = false;
        if (b_first)
            *face++ = here, *face++ = out, *face++ = after, j++;
        else
            *face++ = here, *face++ = out, *face++ = next, i++;
    }
    return face;
}

/* The local axis k is the world's axis map[k]; handedness is kept. */
static mus_status axis_map(const char *what, const char *axis, int map[3]) {
    static const int maps[3][3] = {{2, 0, 1}, {0, 1, 2}, {1, 2, 0}}; /* local y becomes x, y, z */
    const char *name = axis ? axis : "y";
    if (strlen(name) != 1 || name[0] < 'x' || name[0] > 'z')
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'axis' must be 'x', 'y' or 'z' (got '%s')", what, name);
    memcpy(map, maps[name[0] - 'x'], 3 * sizeof *map);
    return MUS_STATUS_OK;
}

static void free_profile(profile *p) {
    mus_array_free(&p->rings);
}

/* The mesh of the rings, in the local frame of axis y: x = r cos, z = -r sin. Frees the profile. */
static mus_status revolve(const char *what, profile *p, bool complete, int32_t uv_count, mus_mesh **mesh) {
    const ring *rings = p->rings.data;
    int64_t count = p->rings.count;
    if (p->is_closed && complete) p->face_count += faces_between(rings[count - 1].count, rings[0].count);
    mus_status status = MUS_STATUS_OK;
    mus_mesh *made = NULL;
    if (p->vertex_count >= INT32_MAX || p->face_count > MUS_MESH_MAX_FACES)
        status = mus_fail(MUS_STATUS_INVALID,
                          "%s: at most %d faces; give a larger 'edge_length' or fewer 'segments' (edges are %s m now)",
                          what, MUS_MESH_MAX_FACES, mus_word_of_number(p->edge_length).text);
    else if (!complete || !(made = mus_mesh_new((int32_t)p->vertex_count, (int32_t)p->face_count, uv_count)))
        status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        double *x = made->vertices;
        for (int64_t k = 0; k < count; k++)
            for (int32_t i = 0; i < rings[k].count; i++, x += 3) {
                double turn = 2 * pi * i / rings[k].count;
                v3_store(x, v3_make(rings[k].radius * mus_cos(turn), rings[k].y, -rings[k].radius * mus_sin(turn)));
            }
        int32_t *face = made->faces;
        for (int64_t k = 0; k + 1 < count; k++) face = join_rings(&rings[k], &rings[k + 1], (int32_t)k, face);
        if (p->is_closed) join_rings(&rings[count - 1], &rings[0], (int32_t)count - 1, face);
        *mesh = made;
    }
    free_profile(p);
    return status;
}

static void place_solid(mus_mesh *mesh, const int map[3], const double center[3]) {
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        double *x = mesh->vertices + 3 * (size_t)i, local[3] = {x[0], x[1], x[2]};
        for (int k = 0; k < 3; k++) x[map[k]] = center[map[k]] + local[k];
    }
}

/* ---- Generators -------------------------------------------------------------------------------------------------- */

/* Side from (top, length/2) to (bottom, -length/2), with flat ends or without. */
static mus_status conical(const char *what, const mus_round_def *def, double top, double bottom, bool capped,
                          int32_t *rows, mus_mesh **mesh) {
    profile p = {0};
    int map[3] = {0, 1, 2};
    double half = 0.5 * def->length;
    mus_status status = mus_mesh_check_positive(what, "radius", def->radius);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_positive(what, "length", def->length);
    if (status == MUS_STATUS_OK) status = axis_map(what, def->axis, map);
    if (status == MUS_STATUS_OK) status = begin_profile(what, def, fmax(top, bottom), &p);
    if (status != MUS_STATUS_OK) return status;
    int32_t side = 1, above = 1, below = 1;
    status = count_parts(what, &p, sqrt((top - bottom) * (top - bottom) + 4 * half * half), &side);
    if (status == MUS_STATUS_OK && top > 0) status = count_parts(what, &p, top, &above);
    if (status == MUS_STATUS_OK) status = count_parts(what, &p, bottom, &below);
    if (status != MUS_STATUS_OK) return status;
    bool flat_top = capped && top > 0;
    bool complete = add_ring(&p, flat_top ? 0 : top, half);
    if (flat_top) complete = complete && add_line(&p, 0, half, top, half, above);
    complete = complete && add_line(&p, top, half, bottom, -half, side);
    if (capped) complete = complete && add_line(&p, bottom, -half, 0, -half, below);
    if (rows) *rows = side;
    int32_t uv_count = rows ? (int32_t)fmin(INT32_MAX, ((double)p.segments + 1) * ((double)side + 1)) : 0;
    status = revolve(what, &p, complete, uv_count, mesh);
    if (status != MUS_STATUS_OK) return status;
    place_solid(*mesh, map, def->center);
    return mus_mesh_hand_over(what, *mesh, mesh);
}

mus_round_def mus_round_def_default(void) {
    return (mus_round_def){.cookie = MUS_COOKIE_ROUND_DEF};
}

mus_status mus_mesh_create_cylinder(const mus_round_def *def, mus_mesh **mesh) {
    *mesh = NULL;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_ROUND_DEF, "mesh.cylinder", "mus_round_def");
    if (status != MUS_STATUS_OK) return status;
    return conical("mesh.cylinder", def, def->radius, def->radius, true, NULL, mesh);
}

/* Texture vertices are the tube unrolled, as seen from outside: its sides are flat, so edges keep their lengths. The
 * first vertex of each ring has one on either side of the cut. */
mus_status mus_mesh_create_tube(const mus_round_def *def, mus_mesh **mesh) {
    *mesh = NULL;
    int32_t rows = 1;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_ROUND_DEF, "mesh.tube", "mus_round_def");
    if (status == MUS_STATUS_OK) status = conical("mesh.tube", def, def->radius, def->radius, false, &rows, mesh);
    if (status != MUS_STATUS_OK) return status;
    mus_mesh *tube = *mesh;
    int32_t segments = tube->vertex_count / (rows + 1);
    double width = 2 * def->radius * mus_sin(pi / segments);
    double *uv = tube->uvs;
    for (int32_t row = 0; row <= rows; row++)
        for (int32_t i = 0; i <= segments; i++, uv += 2) {
            uv[0] = width * (i - 0.5 * segments);
            uv[1] = def->length * (0.5 - (double)row / rows);
        }
    for (int32_t f = 0; f < tube->face_count; f++) {
        const int32_t *face = tube->faces + 3 * (size_t)f;
        bool last = false; /* the face lies beside the cut: its vertices of number 0 are those at the far end */
        for (int k = 0; k < 3; k++) last |= face[k] % segments == segments - 1;
        for (int k = 0; k < 3; k++) {
            int32_t i = face[k] % segments;
            tube->uv_faces[3 * (size_t)f + k] = face[k] / segments * (segments + 1) + (last && i == 0 ? segments : i);
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_mesh_create_cone(const mus_round_def *def, bool capped, mus_mesh **mesh) {
    *mesh = NULL;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_ROUND_DEF, "mesh.cone", "mus_round_def");
    if (status != MUS_STATUS_OK) return status;
    double top = def->other_radius;
    if (!isfinite(top) || top < 0)
        return mus_fail(MUS_STATUS_INVALID, "mesh.cone: field 'top_radius' must be a finite length >= 0 m (got %s)",
                        mus_word_of_number(top).text);
    status = mus_check_range("mesh.cone: field 'top_radius'", MUS_RANGE_LENGTH, "m", top);
    if (status != MUS_STATUS_OK) return status;
    return conical("mesh.cone", def, top, def->radius, capped, NULL, mesh);
}

mus_status mus_mesh_create_torus(const mus_round_def *def, mus_mesh **mesh) {
    static const char what[] = "mesh.torus";
    *mesh = NULL;
    profile p = {0};
    int map[3] = {0, 1, 2};
    double wide = def->radius, narrow = def->other_radius;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_ROUND_DEF, what, "mus_round_def");
    if (status == MUS_STATUS_OK) status = mus_mesh_check_positive(what, "radius", wide);
    if (status == MUS_STATUS_OK) status = check_length(what, "tube_radius", narrow, wide, "radius");
    if (status == MUS_STATUS_OK) status = axis_map(what, def->axis, map);
    if (status == MUS_STATUS_OK) status = begin_profile(what, def, wide + narrow, &p);
    if (status != MUS_STATUS_OK) return status;
    int32_t around = 3;
    status = count_parts(what, &p, 2 * pi * narrow, &around);
    if (status != MUS_STATUS_OK) return status;
    around = around < 3 ? 3 : around;
    p.is_closed = true;
    bool complete = true;
    /* From the outermost circle down: faces look outward. */
    for (int32_t k = 0; k < around && complete; k++) {
        double angle = -2 * pi * k / around;
        complete = add_ring(&p, wide + narrow * mus_cos(angle), narrow * mus_sin(angle));
    }
    status = revolve(what, &p, complete, 0, mesh);
    if (status != MUS_STATUS_OK) return status;
    place_solid(*mesh, map, def->center);
    return mus_mesh_hand_over(what, *mesh, mesh);
}

mus_status mus_mesh_create_annulus(const mus_round_def *def, mus_mesh **mesh) {
    static const char what[] = "mesh.annulus";
    *mesh = NULL;
    profile p = {0};
    int axes[2] = {0, 2};
    double outer = def->radius, inner = def->other_radius;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_ROUND_DEF, what, "mus_round_def");
    if (status == MUS_STATUS_OK) status = mus_mesh_check_positive(what, "radius", outer);
    if (status == MUS_STATUS_OK) status = check_length(what, "inner_radius", inner, outer, "radius");
    if (status == MUS_STATUS_OK) status = mus_plane_axes(what, def->axis, axes);
    if (status == MUS_STATUS_OK) status = begin_profile(what, def, outer, &p);
    if (status != MUS_STATUS_OK) return status;
    int32_t parts = 1;
    status = count_parts(what, &p, outer - inner, &parts);
    if (status != MUS_STATUS_OK) return status;
    bool complete = add_ring(&p, inner, 0) && add_line(&p, inner, 0, outer, 0, parts);
    int64_t count = p.vertex_count;
    status = revolve(what, &p, complete, (int32_t)count, mesh);
    if (status != MUS_STATUS_OK) return status;
    mus_mesh *sheet = *mesh;
    for (int32_t i = 0; i < sheet->vertex_count; i++) {
        double *x = sheet->vertices + 3 * (size_t)i, *uv = sheet->uvs + 2 * (size_t)i;
        uv[0] = x[0], uv[1] = -x[2];
        memcpy(x, def->center, 3 * sizeof *x);
        x[axes[0]] += uv[0];
        x[axes[1]] += uv[1];
    }
    memcpy(sheet->uv_faces, sheet->faces, (size_t)sheet->face_count * 3 * sizeof *sheet->faces);
    return MUS_STATUS_OK;
}
