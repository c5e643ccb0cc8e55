/* membrane.c: triangles of constant strain. With the columns f_u, f_v of the deformation gradient F (3 x 2) the Green
 * strain is e = (F^T F - 1)/2; either an orthotropic St. Venant-Kirchhoff law, or the stable neo-Hookean one (Smith, de
 * Goes & Kim 2018, with the area ratio for the volume's) plus fibers along warp and weft; the two agree at small
 * strain. Damped by the rate of e: no force on rigid motion. */
#include "linear/psd.h"
#include "dynamics/dynamics.h"
#include "dynamics/energy.h"
#include "model/fabric.h"

#include <string.h>

/* Strain and its conjugates: along warp, along weft, angle between them. */
typedef struct plane {
    double u, v, w;
} plane;
typedef struct tangent { /* symmetric */
    double uu, uv, uw, vv, vw, ww;
} tangent;

/* Energy by area with derivatives by the columns of F. */
typedef struct density {
    double value;
    v3 pu, pv;
    m3 uu, uv, vv; /* uv: d pu / d fv */
} density;

static void add_outer(m3 *m, double s, v3 a, v3 b) {
    m->r[0] = v3_axpy(s * a.x, b, m->r[0]);
    m->r[1] = v3_axpy(s * a.y, b, m->r[1]);
    m->r[2] = v3_axpy(s * a.z, b, m->r[2]);
}
static void add_unit(m3 *m, double s) {
    m->r[0].x += s, m->r[1].y += s, m->r[2].z += s;
}
static void add_scaled(m3 *m, double s, const m3 *a) {
    for (int k = 0; k < 3; k++) m->r[k] = v3_axpy(s, a->r[k], m->r[k]);
}
static v3 transposed_mul(const m3 *m, v3 a) {
    return v3_axpy(a.x, m->r[0], v3_axpy(a.y, m->r[1], v3_scale(a.z, m->r[2])));
}

void mus_membrane_gradient(const mus_cloth *cloth, int32_t f, const v3 *x, v3 *fu, v3 *fv) {
    const mus_membrane_face *face = &cloth->sheet->faces[f];
    const int32_t *c = cloth->faces + 3 * f;
    v3 d1 = v3_sub(x[c[1]], x[c[0]]), d2 = v3_sub(x[c[2]], x[c[0]]);
    *fu = v3_axpy(face->n[1][0], d2, v3_scale(face->n[0][0], d1));
    *fv = v3_axpy(face->n[1][1], d2, v3_scale(face->n[0][1], d1));
}

static plane green_strain(v3 fu, v3 fv) {
    return (plane){0.5 * (v3_length2(fu) - 1), 0.5 * (v3_length2(fv) - 1), v3_dot(fu, fv)};
}

/* d p / d F where p_u = s.u fu + s.w fv and so on, for ds = t de. */
static void add_material(const tangent *t, v3 fu, v3 fv, density *d) {
    add_outer(&d->uu, t->uu, fu, fu), add_outer(&d->uu, t->uw, fu, fv);
    add_outer(&d->uu, t->uw, fv, fu), add_outer(&d->uu, t->ww, fv, fv);
    add_outer(&d->vv, t->vv, fv, fv), add_outer(&d->vv, t->vw, fv, fu);
    add_outer(&d->vv, t->vw, fu, fv), add_outer(&d->vv, t->ww, fu, fu);
    add_outer(&d->uv, t->uv, fu, fv), add_outer(&d->uv, t->uw, fu, fu);
    add_outer(&d->uv, t->vw, fv, fv), add_outer(&d->uv, t->ww, fv, fu);
}

/* The tensile part of a tension: eigenvalues below zero become zero. */
static plane tensile_part(plane s) {
    double mean = 0.5 * (s.u + s.v), half = 0.5 * (s.u - s.v), radius = sqrt(half * half + s.w * s.w);
    double high = mean + radius, low = mean - radius;
    if (low >= 0) return s;
    if (high <= 0) return (plane){0, 0, 0};
    double share = high / (2 * radius); /* high n n^T = high (s - low)/(high - low) */
    return (plane){share * (s.u - low), share * (s.v - low), share * s.w};
}

static tangent tangent_of(const mus_moduli *c) {
    return (tangent){.uu = c->warp, .uv = c->poisson, .vv = c->weft, .ww = c->shear};
}

static plane multiply_tangent(const tangent *t, plane e) {
    return (plane){t->uu * e.u + t->uv * e.v + t->uw * e.w, t->uv * e.u + t->vv * e.v + t->vw * e.w,
                   t->uw * e.u + t->vw * e.v + t->ww * e.w};
}

static density st_venant_kirchhoff(const mus_moduli *moduli, v3 fu, v3 fv, bool hessian, bool projected) {
    density d = {0};
    tangent t = tangent_of(moduli);
    plane e = green_strain(fu, fv), s = multiply_tangent(&t, e);
    d.value = 0.5 * (s.u * e.u + s.v * e.v + s.w * e.w);
    d.pu = v3_axpy(s.w, fv, v3_scale(s.u, fu));
    d.pv = v3_axpy(s.w, fu, v3_scale(s.v, fv));
    if (!hessian) return d;
    add_material(&t, fu, fv, &d);
    if (projected) s = tensile_part(s);
    add_unit(&d.uu, s.u), add_unit(&d.vv, s.v), add_unit(&d.uv, s.w);
    return d;
}

/* k/2 (|f| - 1)^2 */
static void add_fiber(double k, v3 f, double *value, v3 *p, m3 *h) {
    double length = v3_length(f);
    *value += 0.5 * k * (length - 1) * (length - 1);
    if (!(length > 0)) return;
    *p = v3_axpy(k * (1 - 1 / length), f, *p);
    add_unit(h, k * (1 - 1 / length));
    add_outer(h, k / (length * length * length), f, f);
}

static void project_hessian(density *d) {
    double a[36];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            a[6 * i + j] = v3_get(d->uu.r[i], j), a[6 * (i + 3) + j + 3] = v3_get(d->vv.r[i], j);
            a[6 * i + j + 3] = a[6 * (j + 3) + i] = v3_get(d->uv.r[i], j);
        }
    mus_project_psd(a, 6);
    for (int i = 0; i < 3; i++) {
        d->uu.r[i] = v3_load(a + 6 * i);
        d->uv.r[i] = v3_load(a + 6 * i + 3);
        d->vv.r[i] = v3_load(a + 6 * (i + 3) + 3);
    }
}

/* mu/2 (|F|^2 - 2) + lambda/2 (J - 1 - mu/lambda)^2 less its value at rest. At small strain its moduli are
 * lambda + mu along, lambda - mu across and mu in shear; fibers add the rest of warp and weft. */
static density neo_hookean(const mus_moduli *c, v3 fu, v3 fv, bool hessian, bool projected) {
    density d = {0};
    double mu = c->shear, lambda = c->poisson + mu;
    v3 cross = v3_cross(fu, fv);
    double area = v3_length(cross), excess = area - 1 - mu / lambda, p = lambda * excess;
    v3 n = area > 0 ? v3_scale(1 / area, cross) : v3_make(0, 0, 0);
    v3 gu = v3_cross(fv, n), gv = v3_cross(n, fu); /* of the area */
    d.value = 0.5 * mu * (v3_length2(fu) + v3_length2(fv) - 2) + 0.5 * (p * excess - mu * mu / lambda);
    d.pu = v3_axpy(p, gu, v3_scale(mu, fu));
    d.pv = v3_axpy(p, gv, v3_scale(mu, fv));
    add_fiber(c->warp - c->poisson - 2 * mu, fu, &d.value, &d.pu, &d.uu);
    add_fiber(c->weft - c->poisson - 2 * mu, fv, &d.value, &d.pv, &d.vv);
    if (!hessian) return d;
    add_unit(&d.uu, mu), add_unit(&d.vv, mu);
    add_outer(&d.uu, lambda, gu, gu), add_outer(&d.vv, lambda, gv, gv), add_outer(&d.uv, lambda, gu, gv);
    if (area > 0) {
        add_outer(&d.uu, p * v3_length2(fv) / area, n, n), add_outer(&d.vv, p * v3_length2(fu) / area, n, n);
        add_outer(&d.uv, -p * v3_dot(fu, fv) / area, n, n);
        /* n . (dfu x dfv) = dfu . (dfv x n) */
        d.uv.r[0] = v3_axpy(p, v3_make(0, n.z, -n.y), d.uv.r[0]);
        d.uv.r[1] = v3_axpy(p, v3_make(-n.z, 0, n.x), d.uv.r[1]);
        d.uv.r[2] = v3_axpy(p, v3_make(n.y, -n.x, 0), d.uv.r[2]);
    }
    if (projected) project_hessian(&d);
    return d;
}

/* Stiffening above a limit: for each principal Green strain e over that of the limit, l, stiffness (e - l)^3/(6 l).
 * Its tension begins without a kink, and is stiffness l/2 where the strain is twice the limit's. */
static void add_limit(const mus_material *m, v3 fu, v3 fv, density *d) {
    if (!(m->limit_stiffness > 0)) return;
    double l = m->strain_limit * (1 + 0.5 * m->strain_limit);
    plane e = green_strain(fu, fv);
    double mean = 0.5 * (e.u + e.v), half = 0.5 * (e.u - e.v), radius = sqrt(half * half + 0.25 * e.w * e.w);
    if (!(mean + radius > l)) return;
    double over[2] = {fmax(mean + radius - l, 0), fmax(mean - radius - l, 0)}, s[2], t[2];
    for (int k = 0; k < 2; k++) {
        d->value += m->limit_stiffness * over[k] * over[k] * over[k] / (6 * l);
        s[k] = m->limit_stiffness * over[k] * over[k] / (2 * l), t[k] = m->limit_stiffness * over[k] / l;
    }
    /* strain = sum e_k n_k n_k^T with n_0 n_0^T = (1 + direction)/2; by (u, v, w) the derivatives of e_k are rows */
    double c = radius > 0 ? half / radius : 1, q = radius > 0 ? 0.5 * e.w / radius : 0;
    double row[2][3] = {{0.5 * (1 + c), 0.5 * (1 - c), 0.5 * q}, {0.5 * (1 - c), 0.5 * (1 + c), -0.5 * q}};
    double cross[3] = {-q, q, c}; /* derivative of the turn of the directions, times the difference of strains */
    /* (s_0 - s_1)/(e_0 - e_1), never below zero since s grows with e */
    double turn = radius > 1e-9 * (1 + fabs(mean)) ? (s[0] - s[1]) / (2 * radius) : t[0];
    plane tension = {s[0] * row[0][0] + s[1] * row[1][0], s[0] * row[0][1] + s[1] * row[1][1],
                     s[0] * row[0][2] + s[1] * row[1][2]};
    double h[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h[i][j] = t[0] * row[0][i] * row[0][j] + t[1] * row[1][i] * row[1][j] + 0.5 * turn * cross[i] * cross[j];
    tangent tg = {.uu = h[0][0], .uv = h[0][1], .uw = h[0][2], .vv = h[1][1], .vw = h[1][2], .ww = h[2][2]};
    d->pu = v3_add(d->pu, v3_axpy(tension.w, fv, v3_scale(tension.u, fu)));
    d->pv = v3_add(d->pv, v3_axpy(tension.w, fu, v3_scale(tension.v, fv)));
    add_material(&tg, fu, fv, d);
    add_unit(&d->uu, tension.u), add_unit(&d->vv, tension.v), add_unit(&d->uv, tension.w);
}

/* The limit energy is only tensile: it needs no projection. */
static density evaluate_density(const mus_cloth *cloth, const mus_moduli *moduli, v3 fu, v3 fv, bool hessian,
                                bool projected) {
    density d = cloth->material.model == MUS_MODEL_NEO_HOOKEAN
                    ? neo_hookean(moduli, fu, fv, hessian, projected)
                    : st_venant_kirchhoff(moduli, fu, fv, hessian, projected);
    add_limit(&cloth->material, fu, fv, &d);
    return d;
}

/* Moduli of a measured fabric at this strain. Its shear coefficient applies to half the angle. */
static mus_moduli moduli_at(const mus_material *m, v3 fu, v3 fv) {
    if (m->model != MUS_MODEL_MEASURED)
        return (mus_moduli){m->stretch_warp, m->stretch_weft, m->stretch_poisson, m->stretch_shear};
    plane e = green_strain(fu, fv);
    double c[4];
    mus_fabric_stretch(mus_fabric_get(m->fabric), e.u, e.v, 0.5 * e.w, c);
    return (mus_moduli){c[0], c[2], c[1], 0.5 * c[3]};
}

mus_moduli mus_membrane_moduli(const mus_cloth *cloth, int32_t f, const v3 *x) {
    v3 fu, fv;
    mus_membrane_gradient(cloth, f, x, &fu, &fv);
    return moduli_at(&cloth->material, fu, fv);
}

/* Shape gradients of the three corners. */
static void shape(const mus_membrane_face *face, double n[3][2]) {
    for (int a = 0; a < 2; a++) {
        n[1][a] = face->n[0][a], n[2][a] = face->n[1][a];
        n[0][a] = -(n[1][a] + n[2][a]);
    }
}

/* s times the block of corners i and j. */
static m3 block(const density *d, const double ni[2], const double nj[2], double s) {
    m3 b = {0};
    add_scaled(&b, s * ni[0] * nj[0], &d->uu);
    add_scaled(&b, s * ni[1] * nj[1], &d->vv);
    add_scaled(&b, s * ni[0] * nj[1], &d->uv);
    for (int r = 0; r < 3; r++) /* the transpose of uv */
        b.r[r] = v3_axpy(s * ni[1] * nj[0],
                         v3_make(v3_get(d->uv.r[0], r), v3_get(d->uv.r[1], r), v3_get(d->uv.r[2], r)), b.r[r]);
    return b;
}

static double by_corners(const mus_membrane_face *face, const density *d, v3 gradient[3], m3 hessian[3][3]) {
    double n[3][2];
    shape(face, n);
    for (int i = 0; gradient && i < 3; i++)
        gradient[i] = v3_axpy(face->weight * n[i][1], d->pv, v3_scale(face->weight * n[i][0], d->pu));
    for (int i = 0; hessian && i < 3; i++)
        for (int j = 0; j < 3; j++) hessian[i][j] = block(d, n[i], n[j], face->weight);
    return face->weight * d->value;
}

double mus_membrane_energy(const mus_cloth *cloth, int32_t f, const mus_moduli *moduli, const v3 *x, v3 gradient[3],
                           m3 hessian[3][3], bool projected) {
    v3 fu, fv;
    mus_membrane_gradient(cloth, f, x, &fu, &fv);
    density d = evaluate_density(cloth, moduli, fu, fv, hessian != NULL, projected);
    return by_corners(&cloth->sheet->faces[f], &d, gradient, hessian);
}

double mus_membrane_work(const mus_cloth *cloth, int32_t f, const v3 *x) {
    mus_moduli moduli = mus_membrane_moduli(cloth, f, x);
    double energy = mus_membrane_energy(cloth, f, &moduli, x, NULL, NULL, false);
    if (cloth->material.model != MUS_MODEL_MEASURED) return energy;
    v3 fu, fv;
    mus_membrane_gradient(cloth, f, x, &fu, &fv);
    plane e = green_strain(fu, fv);
    tangent t = tangent_of(&moduli);
    plane s = multiply_tangent(&t, e);
    double work = mus_fabric_stretch_work(mus_fabric_get(cloth->material.fabric), e.u, e.v, 0.5 * e.w);
    return energy + cloth->sheet->faces[f].weight * (work - 0.5 * (s.u * e.u + s.v * e.v + s.w * e.w));
}

double mus_membrane_increment(const mus_cloth *cloth, int32_t f, const mus_moduli *moduli, const v3 *start, double dt,
                              const v3 *x, v3 gradient[3], m3 hessian[3][3]) {
    v3 fu, fv, su, sv;
    mus_membrane_gradient(cloth, f, x, &fu, &fv);
    mus_membrane_gradient(cloth, f, start, &su, &sv);
    density d = evaluate_density(cloth, moduli, fu, fv, hessian != NULL, true);
    double damping = mus_cloth_damping(cloth, cloth->faces + 3 * f, 3) / dt;
    if (damping > 0) {
        tangent t = tangent_of(moduli);
        t.uu *= damping, t.uv *= damping, t.vv *= damping, t.ww *= damping;
        plane e = green_strain(fu, fv), before = green_strain(su, sv);
        e.u -= before.u, e.v -= before.v, e.w -= before.w;
        plane s = multiply_tangent(&t, e);
        d.value += 0.5 * (s.u * e.u + s.v * e.v + s.w * e.w);
        d.pu = v3_add(d.pu, v3_axpy(s.w, fv, v3_scale(s.u, fu)));
        d.pv = v3_add(d.pv, v3_axpy(s.w, fu, v3_scale(s.v, fv)));
        if (hessian) {
            add_material(&t, fu, fv, &d);
            s = tensile_part(s);
            add_unit(&d.uu, s.u), add_unit(&d.vv, s.v), add_unit(&d.uv, s.w);
        }
    }
    return by_corners(&cloth->sheet->faces[f], &d, gradient, hessian);
}

/* Tension of the rate of strain, by the same columns. */
static void add_viscous(const mus_moduli *moduli, double damping, v3 fu, v3 fv, v3 ru, v3 rv, v3 *pu, v3 *pv) {
    tangent t = tangent_of(moduli);
    plane rate = {v3_dot(fu, ru), v3_dot(fv, rv), v3_dot(fu, rv) + v3_dot(fv, ru)}, s = multiply_tangent(&t, rate);
    *pu = v3_axpy(damping, v3_axpy(s.w, fv, v3_scale(s.u, fu)), *pu);
    *pv = v3_axpy(damping, v3_axpy(s.w, fu, v3_scale(s.v, fv)), *pv);
}

void mus_membrane_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force) {
    if (!cloth->sheet) return;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const mus_membrane_face *face = &cloth->sheet->faces[f];
        const int32_t *c = cloth->faces + 3 * f;
        v3 fu, fv, ru, rv;
        mus_membrane_gradient(cloth, f, x, &fu, &fv);
        mus_membrane_gradient(cloth, f, v, &ru, &rv);
        mus_moduli moduli = moduli_at(&cloth->material, fu, fv);
        density d = evaluate_density(cloth, &moduli, fu, fv, false, false);
        add_viscous(&moduli, mus_cloth_damping(cloth, c, 3), fu, fv, ru, rv, &d.pu, &d.pv);
        double n[3][2];
        shape(face, n);
        for (int i = 0; i < 3; i++) {
            v3 g = v3_axpy(face->weight * n[i][1], d.pv, v3_scale(face->weight * n[i][0], d.pu));
            force[c[i]] = v3_sub(force[c[i]], g);
        }
    }
}

void mus_membrane_linearize_range(const mus_cloth *cloth, const uint8_t *face_pair, const mus_element_range *range,
                                  const v3 *x, const v3 *v, double dt, v3 *right, mus_block_matrix *matrix) {
    if (!cloth->sheet) return;
    for (int32_t f = range->first; f < range->last; f++) {
        const mus_membrane_face *face = &cloth->sheet->faces[f];
        const int32_t *c = cloth->faces + 3 * f;
        bool owns[3];
        for (int i = 0; i < 3; i++) owns[i] = mus_element_range_owns(range, c[i]);
        if (!owns[0] && !owns[1] && !owns[2]) continue;
        v3 fu, fv, ru, rv;
        mus_membrane_gradient(cloth, f, x, &fu, &fv);
        mus_membrane_gradient(cloth, f, v, &ru, &rv);
        mus_moduli moduli = moduli_at(&cloth->material, fu, fv);
        density d = evaluate_density(cloth, &moduli, fu, fv, true, true);
        tangent viscous = tangent_of(&moduli);
        double share = mus_cloth_damping(cloth, c, 3) / dt; /* H = dt^2 (Hessian + damping/dt viscous tangent) */
        viscous.uu *= share, viscous.uv *= share, viscous.vv *= share, viscous.ww *= share;
        add_material(&viscous, fu, fv, &d);
        /* dt f - H v with f elastic: -H v includes the viscous part of f */
        v3 qu = v3_axpy(dt, v3_add(m3_mul_v3(&d.uu, ru), m3_mul_v3(&d.uv, rv)), d.pu);
        v3 qv = v3_axpy(dt, v3_add(transposed_mul(&d.uv, ru), m3_mul_v3(&d.vv, rv)), d.pv);
        double n[3][2];
        shape(face, n);
        for (int i = 0; i < 3; i++) {
            v3 g = v3_axpy(n[i][1], qv, v3_scale(n[i][0], qu));
            if (owns[i]) right[c[i]] = v3_axpy(-dt * face->weight, g, right[c[i]]);
            int j = (i + 1) % 3;
            if (!owns[c[i] < c[j] ? i : j]) continue;
            m3 pair = block(&d, n[i], n[j], dt * dt * face->weight);
            int32_t number = mus_block_matrix_pair(matrix, c[i], c[j], face_pair[3 * f + i]);
            mus_block_matrix_add_pair(matrix, number, c[i] < c[j], &pair);
        }
    }
}

/* Bounds of matrix rows, |n_i| |n_j| A |Hessian by F|: its material part is at most the moduli times the larger
 * stretch squared, its geometric part the tension. */
void mus_membrane_bound(const mus_cloth *cloth, const v3 *x, v3 *sum) {
    if (!cloth->sheet) return;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        const mus_membrane_face *face = &cloth->sheet->faces[f];
        const int32_t *c = cloth->faces + 3 * f;
        v3 fu, fv;
        mus_membrane_gradient(cloth, f, x, &fu, &fv);
        mus_moduli m = moduli_at(&cloth->material, fu, fv);
        double modulus = fmax(m.warp, m.weft) + fabs(m.poisson) + 2 * m.shear;
        const mus_material *material = &cloth->material;
        if (material->limit_stiffness > 0) { /* its largest stiffness, with a margin for growth within the step */
            double l = material->strain_limit * (1 + 0.5 * material->strain_limit);
            double most = fmax(l, 0.5 * (v3_length2(fu) + v3_length2(fv) - 1));
            modulus += material->limit_stiffness * most / l;
        }
        double stretch2 = fmax(1, v3_length2(fu) + v3_length2(fv) - 1);
        double stiffness = modulus * (stretch2 + 0.5 * (stretch2 - 1)), n[3][2], length[3], total = 0;
        shape(face, n);
        for (int i = 0; i < 3; i++) total += length[i] = sqrt(n[i][0] * n[i][0] + n[i][1] * n[i][1]);
        for (int i = 0; i < 3; i++) {
            double row = face->weight * length[i] * total * stiffness;
            sum[c[i]].x += row;
            sum[c[i]].y += row * mus_cloth_damping(cloth, c, 3);
        }
    }
}
