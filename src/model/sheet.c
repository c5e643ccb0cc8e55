/* sheet.c: directions of warp and weft and the rest state of membranes. */
#include "model/sheet.h"

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
    if (!(v3_length2(along) > 0)) { /* no texture, or one that is drawn out to a line */
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

static void face_make(const mus_cloth *cloth, const rest_shape *rest, int32_t f, mus_membrane_face *face) {
    v3 p[3], warp, weft;
    for (int k = 0; k < 3; k++) p[k] = rest_corner(rest, f, k);
    directions(cloth, rest, f, p, &warp, &weft);
    v3 d1 = v3_sub(p[1], p[0]), d2 = v3_sub(p[2], p[0]);
    double x1 = v3_dot(d1, warp), y1 = v3_dot(d1, weft), x2 = v3_dot(d2, warp), y2 = v3_dot(d2, weft);
    double det = x1 * y2 - x2 * y1;
    face->n[0][0] = y2 / det, face->n[0][1] = -x2 / det;
    face->n[1][0] = -y1 / det, face->n[1][1] = x1 / det;
    face->area = 0.5 * fabs(det);
}

mus_status mus_sheet_blank(int32_t face_count, mus_sheet **out) {
    mus_sheet *sheet = mus_new(sizeof *sheet);
    *out = NULL;
    if (!sheet) return MUS_STATUS_NO_MEMORY;
    sheet->faces = mus_new(sizeof *sheet->faces * (size_t)face_count);
    if (!sheet->faces) {
        mus_sheet_free(sheet);
        return MUS_STATUS_NO_MEMORY;
    }
    *out = sheet;
    return MUS_STATUS_OK;
}

mus_status mus_sheet_new(const mus_cloth *cloth, const rest_shape *rest, mus_sheet **out) {
    mus_status status = mus_sheet_blank(cloth->face_count, out);
    for (int32_t f = 0; status == MUS_STATUS_OK && f < cloth->face_count; f++)
        face_make(cloth, rest, f, &(*out)->faces[f]);
    return status;
}

void mus_sheet_free(mus_sheet *sheet) {
    if (!sheet) return;
    mus_free(sheet->faces);
    mus_free(sheet);
}
