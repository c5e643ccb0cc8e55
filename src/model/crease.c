/* crease.c: plastic bending by return mapping on the angles at rest (Simo & Hughes 1998, 1.4: one dimension, linear
 * isotropic hardening; for creases of cloth as in Narain, Pfaff & O'Brien 2013). */
#include "model/crease.h"

#include "model/hinge_shape.h"
#include "model/order.h"
#include "model/sheet.h"
#include "muslin/math.h"

static const double recovered = 1e-3; /* rad: from here on a crease has recovered */

int32_t mus_cloth_fold_count(const mus_cloth *cloth) {
    return cloth->sheet ? cloth->sheet->fold_count : cloth->hinge_count;
}

const int32_t *mus_cloth_fold_vertices(const mus_cloth *cloth, int32_t fold) {
    return cloth->sheet ? cloth->sheet->folds[fold].vertex : cloth->hinges[fold].vertex;
}

int32_t mus_cloth_find_fold(const mus_cloth *cloth, int32_t a, int32_t b) {
    for (int32_t k = 0; k < mus_cloth_fold_count(cloth); k++) {
        const int32_t *v = mus_cloth_fold_vertices(cloth, k);
        if ((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a)) return k;
    }
    return -1;
}

int mus_fold_side(const mus_cloth *cloth, int32_t fold) {
    const int32_t *v = mus_cloth_fold_vertices(cloth, fold);
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const int32_t *corner = cloth->faces + 3 * (size_t)f;
        for (int k = 0; k < 3; k++)
            if (corner[k] == v[0] && corner[(k + 1) % 3] == v[1]) return corner[(k + 2) % 3] == v[2] ? 1 : -1;
    }
    return 1;
}

/* m: the width of cloth that bends at the fold, the mean height of its faces. */
static double width_of(const mus_cloth *cloth, int32_t fold) {
    if (!cloth->sheet) return (double)cloth->hinges[fold].low / 0.3; /* cloth.c */
    const double *lift = cloth->sheet->folds[fold].lift;
    return 0.5 * (1 / lift[2] + 1 / lift[3]);
}

/* Hinges have 2 tan(angle/2), with the opposite sign. */
double mus_fold_rest_angle(const mus_cloth *cloth, int32_t fold) {
    return cloth->sheet ? cloth->sheet->folds[fold].rest : -2 * mus_atan2(cloth->hinges[fold].rest, 2);
}

/* rad: an angle at rest within those that hinges can have. */
static double limited(const mus_cloth *cloth, double angle) {
    double largest = 2 * mus_atan2(MUS_LARGEST_BEND, 2);
    return cloth->sheet ? angle : fmin(fmax(angle, -largest), largest);
}

static void set_rest(mus_cloth *cloth, int32_t fold, double angle) {
    if (cloth->sheet)
        cloth->sheet->folds[fold].rest = angle;
    else
        cloth->hinges[fold].rest =
            fmin(fmax(-2 * mus_tan(0.5 * limited(cloth, angle)), -MUS_LARGEST_BEND), MUS_LARGEST_BEND);
}

bool mus_fold_angle_at(const mus_cloth *cloth, int32_t fold, const double *positions, double *angle) {
    const int32_t *v = mus_cloth_fold_vertices(cloth, fold);
    bool is_twin = mus_cloth_given(cloth) != cloth;
    v3 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = v3_load(positions + 3 * (size_t)(is_twin ? mus_cloth_given_vertex(cloth, v[k]) : v[k]));
    v3 unused[4];
    return mus_fold_angle(x[0], x[1], x[2], x[3], 1, angle, unused);
}

void mus_fold_set_rest_angle(mus_cloth *cloth, int32_t fold, double angle) {
    set_rest(cloth, fold, angle);
    if (cloth->creases) cloth->creases[fold] = (mus_crease){.flat = mus_fold_rest_angle(cloth, fold)};
}

mus_status mus_creases_create(mus_cloth *cloth) {
    if (!(cloth->material.yield_curvature > 0)) return MUS_STATUS_OK;
    cloth->creases = mus_new(sizeof *cloth->creases * ((size_t)mus_cloth_fold_count(cloth) + 1));
    if (!cloth->creases) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < mus_cloth_fold_count(cloth); k++) cloth->creases[k].flat = mus_fold_rest_angle(cloth, k);
    return MUS_STATUS_OK;
}

void mus_creases_update(mus_cloth *cloth, double dt) {
    if (!cloth->creases) return;
    const mus_material *m = &cloth->material;
    double remaining = m->recovery_time > 0 ? mus_exp(-dt / m->recovery_time) : 1;
    const double *x = mus_cloth_given(cloth)->x;
    for (int32_t k = 0; k < mus_cloth_fold_count(cloth); k++) {
        mus_crease *crease = &cloth->creases[k];
        double before = mus_fold_rest_angle(cloth, k), width = width_of(cloth, k), angle;
        double rest = remaining < 1 ? crease->flat + remaining * (before - crease->flat) : before;
        if (mus_fold_angle_at(cloth, k, x, &angle)) {
            double curvature = (angle - rest) / width;
            double over = fabs(curvature) - m->yield_curvature - m->bending_hardening * crease->hardened;
            if (over > 0) {
                double turn = width * over / (1 + m->bending_hardening), from = rest;
                rest = limited(cloth, curvature > 0 ? from + turn : from - turn);
                crease->hardened += fabs(rest - from) / width; /* hinges may be at their limit */
            }
        }
        if (rest < before || rest > before) set_rest(cloth, k, rest);
    }
}

bool mus_creases_recover(const mus_cloth *cloth) {
    if (!cloth->creases || !(cloth->material.recovery_time > 0)) return false;
    for (int32_t k = 0; k < mus_cloth_fold_count(cloth); k++)
        if (fabs(mus_fold_rest_angle(cloth, k) - cloth->creases[k].flat) > recovered) return true;
    return false;
}
