/* sheet.c: directions of warp and weft and the rest state of membranes and plates. A plate is a face with its
 * neighbors: the surface through six vertices instead of one hinge, so that bending does not depend on the direction of
 * edges. */
#include "model/sheet.h"
#include "muslin/math.h"

#include <string.h>

/* Unit warp and weft in the plane of a rest face. */
static void directions(const mus_cloth *cloth, const rest_shape *rest, int32_t face, const v3 p[3], v3 *warp,
                       v3 *weft) {
    v3 d1 = v3_sub(p[1], p[0]), d2 = v3_sub(p[2], p[0]), normal = v3_normalized(v3_cross(d1, d2));
    v3 along = v3_make(0, 0, 0);
    double side = 1;
    if (rest->uvs) {
        const int32_t *t = rest->uv_faces + 3 * face;
        const double *a = rest->uvs + 2 * t[0], *b = rest->uvs + 2 * t[1], *c = rest->uvs + 2 * t[2];
        double det = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if (det < 0) side = -1;
        along = v3_scale(side, v3_sub(v3_scale(c[1] - a[1], d1), v3_scale(b[1] - a[1], d2))); /* |det| dx/du */
    }
    if (!(v3_length2(along) > 0)) { /* no texture, or a degenerate one */
        side = 1;
        along = v3_axpy(-normal.x, normal, v3_make(1, 0, 0));
        if (v3_length2(along) < 1e-6) along = v3_axpy(-normal.z, normal, v3_make(0, 0, 1));
    }
    along = v3_normalized(along);
    v3 across = v3_scale(side, v3_cross(normal, along));
    double c = mus_cos(cloth->material.warp_angle), s = mus_sin(cloth->material.warp_angle);
    *warp = v3_axpy(s, across, v3_scale(c, along));
    *weft = v3_axpy(-s, along, v3_scale(c, across));
}

typedef struct flat { /* a rest face in its frame of warp and weft, corner 0 at the origin */
    double p[3][2];
} flat;

static flat flatten_faces(const mus_cloth *cloth, const rest_shape *rest, int32_t f) {
    v3 p[3], warp, weft;
    for (int k = 0; k < 3; k++) p[k] = rest_corner(rest, f, k);
    directions(cloth, rest, f, p, &warp, &weft);
    flat face = {0};
    double scale = rest_face_scale(rest, f);
    for (int k = 1; k < 3; k++) {
        face.p[k][0] = scale * v3_dot(v3_sub(p[k], p[0]), warp);
        face.p[k][1] = scale * v3_dot(v3_sub(p[k], p[0]), weft);
    }
    return face;
}

static void face_make(const flat *at, mus_membrane_face *face) {
    const double *p1 = at->p[1], *p2 = at->p[2];
    double det = p1[0] * p2[1] - p2[0] * p1[1];
    face->n[0][0] = p2[1] / det, face->n[0][1] = -p2[0] / det;
    face->n[1][0] = -p1[1] / det, face->n[1][1] = p1[0] / det;
    face->weight = 0.5 * fabs(det);
}

/* The direction (a, b) as a number from 0 to 4 along the square |a| + |b| = 1, independent of its length. */
static float round_square(double a, double b) {
    double of = a / (fabs(a) + fabs(b));
    return (float)(b >= 0 ? 1 - of : 3 + of);
}

static void from_square(double round, double of[2]) {
    of[0] = round < 2 ? 1 - round : round - 3;
    of[1] = round < 1 ? round : round < 3 ? 2 - round : round - 4;
}

void mus_cloth_find_warps(const mus_cloth *cloth, const rest_shape *rest, float *warps) {
    for (int32_t f = 0; f < cloth->face_count; f++) {
        flat at = flatten_faces(cloth, rest, f);
        mus_membrane_face face;
        face_make(&at, &face);
        warps[f] = round_square(face.n[0][0], face.n[1][0]);
    }
}

void mus_cloth_warp_of_face(const mus_cloth *cloth, int32_t f, double of[2]) {
    if (cloth->sheet)
        of[0] = cloth->sheet->faces[f].n[0][0], of[1] = cloth->sheet->faces[f].n[1][0];
    else
        from_square((double)cloth->warps[f], of);
}

void mus_cloth_compute_warps(const mus_cloth *cloth, const v3 *x, v3 *warp) {
    memset(warp, 0, sizeof *warp * (size_t)cloth->vertex_count);
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *corner = cloth->faces + 3 * f;
        double of[2];
        mus_cloth_warp_of_face(cloth, f, of);
        v3 first = v3_sub(x[corner[1]], x[corner[0]]), second = v3_sub(x[corner[2]], x[corner[0]]);
        v3 along = v3_axpy(of[0], first, v3_scale(of[1], second));
        v3 by_area = v3_scale(v3_length(v3_cross(first, second)), v3_normalized(along));
        for (int k = 0; k < 3; k++) warp[corner[k]] = v3_add(warp[corner[k]], by_area);
    }
}

bool mus_fold_angle(v3 x0, v3 x1, v3 x2, v3 x3, double low, double *angle, v3 gradient[4]) {
    v3 edge = v3_sub(x1, x0), n0 = v3_cross(edge, v3_sub(x2, x0)), n1 = v3_cross(v3_sub(x3, x0), edge);
    double length2 = v3_length2(edge), length = sqrt(length2), area0 = v3_length2(n0), area1 = v3_length2(n1);
    if (!(length > 0 && area0 > 0 && area1 > 0)) return false;
    *angle = mus_atan2(v3_dot(v3_cross(n1, n0), edge), length * v3_dot(n0, n1));
    double shrink = fmin(1, sqrt(fmin(area0, area1) / length2) / low);
    v3 g2 = v3_scale(shrink * length / area0, n0), g3 = v3_scale(shrink * length / area1, n1);
    double foot0 = v3_dot(v3_sub(x2, x0), edge) / length2, foot1 = v3_dot(v3_sub(x3, x0), edge) / length2;
    gradient[0] = v3_neg(v3_add(v3_scale(1 - foot0, g2), v3_scale(1 - foot1, g3)));
    gradient[1] = v3_neg(v3_add(v3_scale(foot0, g2), v3_scale(foot1, g3)));
    gradient[2] = g2;
    gradient[3] = g3;
    return true;
}

static void fold_make(const mus_cloth *cloth, const rest_shape *rest, int32_t h, mus_fold *fold) {
    const int32_t *v = cloth->topology.hinges + 4 * h;
    const int32_t *face = cloth->topology.edge_faces + 2 * cloth->topology.hinge_edges[h];
    memset(fold->lift, 0, sizeof fold->lift);
    double heights[2];
    for (int s = 0; s < 2; s++) { /* each side in its own plane: the edge may be a seam of a flat pattern */
        v3 origin = rest_corner(rest, face[s], corner_of(cloth->faces, face[s], v[0]));
        v3 edge = v3_sub(rest_corner(rest, face[s], corner_of(cloth->faces, face[s], v[1])), origin);
        v3 far = v3_sub(rest_corner(rest, face[s], corner_of(cloth->faces, face[s], v[2 + s])), origin);
        double foot = v3_dot(far, edge) / v3_length2(edge);
        heights[s] = rest_face_scale(rest, face[s]) * v3_length(v3_cross(edge, far)) / v3_length(edge);
        fold->lift[0] -= (1 - foot) / heights[s];
        fold->lift[1] -= foot / heights[s];
        fold->lift[2 + s] = 1 / heights[s];
    }
    fold->low = 0.1 * fmin(heights[0], heights[1]);
    if (!rest->vertices) return;
    v3 x[4], gradient[4];
    for (int k = 0; k < 4; k++) x[k] = v3_load(rest->vertices + 3 * v[k]);
    if (!mus_fold_angle(x[0], x[1], x[2], x[3], fold->low, &fold->rest, gradient)) fold->rest = 0;
    if (fabs(fold->rest) < 1e-9) fold->rest = 0; /* removes rounding */
}

/* Sets the vertices and folds that a face bends with; false if it has no neighbor. */
static bool plate_join(const mus_cloth *cloth, int32_t f, const int32_t *fold_of, const mus_sheet *sheet,
                       mus_plate *plate) {
    const int32_t *v = cloth->faces + 3 * f;
    bool any = false;
    *plate = (mus_plate){.face = f, .vertex = {v[0], v[1], v[2], -1, -1, -1}};
    for (int k = 0; k < 3; k++) {
        plate->fold[k] = fold_of[cloth->topology.face_edges[3 * f + k]];
        if (plate->fold[k] < 0) continue;
        any = true;
        const mus_fold *fold = &sheet->folds[plate->fold[k]];
        int second = fold->vertex[2] != v[(k + 2) % 3], same = fold->vertex[second] == v[k];
        plate->side[k] = second ? -1 : 1;
        plate->sign[k] = same ? 1 : -1;
        plate->vertex[3 + k] = fold->vertex[3 - second];
        plate->slot[k][second ? 3 : 2] = (uint8_t)((k + 2) % 3);
        plate->slot[k][second ? 2 : 3] = (uint8_t)(3 + k);
        for (int c = 0; c < 2; c++) plate->slot[k][c] = (uint8_t)(fold->vertex[c] == v[k] ? k : (k + 1) % 3);
    }
    return any;
}

/* The mean over a face of the derivative of its normal is, by the divergence theorem, a sum over its edges of their
 * normals' turns (Grinspun et al. 2006, "Computing discrete shape operators"). */
static void plate_make(const flat *at, const mus_sheet *sheet, mus_plate *plate) {
    plate->weight = sheet->faces[plate->face].weight; /* the area still */
    for (int k = 0; k < 3; k++) {
        const double *p = at->p[k], *r = at->p[(k + 1) % 3];
        double d[2] = {r[0] - p[0], r[1] - p[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
        double scale = 1 / (plate->weight * length);
        plate->curvature[0][k] = scale * d[1] * d[1];
        plate->curvature[1][k] = scale * d[0] * d[0];
        plate->curvature[2][k] = -2 * scale * d[0] * d[1];
        if (plate->fold[k] < 0) continue;
        const double *lift = sheet->folds[plate->fold[k]].lift; /* shares in proportion to the heights */
        plate->share[k] = lift[plate->side[k] > 0 ? 3 : 2] / (lift[2] + lift[3]);
    }
}

static mus_status bending_join(const mus_cloth *cloth, mus_sheet *sheet) {
    const mus_topology *t = &cloth->topology;
    sheet->plates = mus_new(sizeof *sheet->plates * (size_t)cloth->face_count);
    sheet->folds = mus_new(sizeof *sheet->folds * ((size_t)t->hinge_count + 1));
    int32_t *fold_of = mus_new(sizeof *fold_of * (size_t)t->edge_count);
    bool all = sheet->plates && sheet->folds && fold_of;
    if (all) {
        for (int32_t e = 0; e < t->edge_count; e++) fold_of[e] = -1;
        sheet->fold_count = t->hinge_count;
        for (int32_t h = 0; h < t->hinge_count; h++) {
            fold_of[t->hinge_edges[h]] = h;
            memcpy(sheet->folds[h].vertex, t->hinges + 4 * h, sizeof sheet->folds[h].vertex);
        }
        for (int32_t f = 0; f < cloth->face_count; f++)
            if (plate_join(cloth, f, fold_of, sheet, &sheet->plates[sheet->plate_count])) sheet->plate_count++;
    }
    mus_free(fold_of);
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

double mus_largest_bias(double warp, double weft) {
    return warp > 0 && weft > 0 ? 4 * warp * weft / (warp + weft) : 0;
}

mus_rigidity mus_rigidity_of(double warp, double weft, double bias) {
    bias = fmin(bias, 0.95 * mus_largest_bias(warp, weft));
    return (mus_rigidity){warp, weft, bias > 0 ? 1 / (4 / bias - 1 / warp - 1 / weft) : 0};
}

mus_rigidity mus_material_rigidity(const mus_material *m) {
    return mus_rigidity_of(m->bending_warp >= 0 ? m->bending_warp : m->bending,
                           m->bending_weft >= 0 ? m->bending_weft : m->bending,
                           m->bending_bias >= 0 ? m->bending_bias : m->bending);
}

mus_status mus_sheet_blank(const mus_cloth *cloth, mus_sheet **out) {
    *out = NULL;
    mus_sheet *sheet = mus_new(sizeof *sheet);
    if (!sheet) return MUS_STATUS_NO_MEMORY;
    sheet->faces = mus_new(sizeof *sheet->faces * (size_t)cloth->face_count);
    mus_status status = sheet->faces ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    mus_rigidity d = mus_material_rigidity(&cloth->material);
    bool bends = cloth->material.model == MUS_MODEL_MEASURED || d.warp > 0 || d.weft > 0 || d.twist > 0;
    if (status == MUS_STATUS_OK && bends) status = bending_join(cloth, sheet);
    if (status == MUS_STATUS_OK)
        *out = sheet;
    else
        mus_sheet_free(sheet);
    return status;
}

/* Energies are areas times energies per area. */
static void weigh(const mus_cloth *cloth, const rest_shape *rest, mus_sheet *sheet) {
    for (int32_t f = 0; f < cloth->face_count; f++)
        sheet->faces[f].weight *= rest_factor(rest->stiffness, cloth->faces + 3 * f, 3);
    for (int32_t k = 0; k < sheet->plate_count; k++)
        sheet->plates[k].weight *= rest_factor(rest->bending, cloth->faces + 3 * sheet->plates[k].face, 3);
}

mus_status mus_sheet_new(const mus_cloth *cloth, const rest_shape *rest, mus_sheet **out) {
    mus_status status = mus_sheet_blank(cloth, out);
    if (status != MUS_STATUS_OK) return status;
    mus_sheet *sheet = *out;
    for (int32_t h = 0; h < sheet->fold_count; h++) fold_make(cloth, rest, h, &sheet->folds[h]);
    int32_t plate = 0;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        flat at = flatten_faces(cloth, rest, f);
        face_make(&at, &sheet->faces[f]);
        if (plate < sheet->plate_count && sheet->plates[plate].face == f)
            plate_make(&at, sheet, &sheet->plates[plate++]);
    }
    weigh(cloth, rest, sheet);
    for (int32_t h = 0; cloth->material.bending_quadratic && h < sheet->fold_count; h++) {
        const mus_fold *fold = &sheet->folds[h];
        if (fold->rest == 0) continue;
        status = mus_fail(MUS_STATUS_INVALID,
                          "cloth '%s': the quadratic bending model needs a flat rest shape, and it is bent between "
                          "vertices %d and %d; leave bending_model at \"hinge\"",
                          cloth->name, fold->vertex[0] + 1, fold->vertex[1] + 1);
        mus_sheet_free(sheet);
        *out = NULL;
        break;
    }
    return status;
}

void mus_sheet_free(mus_sheet *sheet) {
    if (!sheet) return;
    mus_free(sheet->faces);
    mus_free(sheet->plates);
    mus_free(sheet->folds);
    mus_free(sheet);
}
