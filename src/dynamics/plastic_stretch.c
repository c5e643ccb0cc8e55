/* plastic_stretch.c: plastic stretching by return mapping on the logarithms of principal stretches, with the
 * multiplicative split F = F_e F_p (Simo 1992), linear isotropic hardening and a yield surface of tension only: cloth
 * that is compressed buckles. */
#include "dynamics/plastic_stretch.h"

#include "dynamics/energy.h"
#include "model/order.h"
#include "model/sheet.h"
#include "muslin/math.h"

/* The plastic changes of two logarithmic strains, the first the larger one: those beyond `range` plus `hardening` times
 * all plastic change end there. Returns whether any is. */
static bool map_back(const double strain[2], double range, double hardening, double change[2]) {
    double over[2] = {strain[0] - range, strain[1] - range};
    if (!(over[0] > 0)) return false;
    change[0] = over[0] / (1 + hardening), change[1] = 0;
    if (over[1] > hardening * change[0]) { /* both */
        double growth = hardening * (over[0] + over[1]) / (1 + 2 * hardening);
        change[0] = over[0] - growth, change[1] = over[1] - growth;
    }
    return true;
}

static double elastic_range(const mus_material *m, double plastic) {
    return mus_log(1 + m->yield_strain) + m->stretch_hardening * plastic;
}

/* `number`: of each vertex in x; NULL: its own. */
static void update_springs(mus_cloth *cloth, const v3 *x, const int32_t *number) {
    const mus_material *m = &cloth->material;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        mus_spring *s = &cloth->springs[k];
        double *plastic = &cloth->plastic_stretches[k].strain;
        int32_t a = s->a, b = (int32_t)s->b;
        if (number) a = number[a], b = number[b];
        double length = v3_length(v3_sub(x[b], x[a]));
        if (!(s->rest > 0 && length > s->rest * (1 + m->yield_strain))) continue;
        double over = mus_log(length / s->rest) - elastic_range(m, *plastic);
        if (!(over > 0)) continue;
        double change = over / (1 + m->stretch_hardening);
        s->rest *= mus_exp(change), *plastic += change;
    }
}

static double energy_of(const mus_cloth *cloth, int32_t f, const v3 *x) {
    mus_moduli moduli = mus_membrane_moduli(cloth, f, x);
    return mus_membrane_energy(cloth, f, &moduli, x, NULL, NULL, false);
}

/* The rest frame n of a face becomes n G, with G = sum of e^-change_k m_k m_k^T over the principal directions m_k of
 * its stretch. A face that is compressed across its tension may be without stress along it: it changes only where that
 * lowers its energy. */
static void update_face(mus_cloth *cloth, int32_t f, const v3 *x) {
    mus_membrane_face *face = &cloth->sheet->faces[f], before = *face;
    double *plastic = &cloth->plastic_stretches[f].strain;
    v3 fu, fv;
    mus_membrane_gradient(cloth, f, x, &fu, &fv);
    double uu = v3_length2(fu), vv = v3_length2(fv), uv = v3_dot(fu, fv);
    double mean = 0.5 * (uu + vv), half = 0.5 * (uu - vv), radius = sqrt(half * half + uv * uv);
    double longest = 1 + cloth->material.yield_strain, low = mean - radius;
    if (!(mean + radius > longest * longest && low > 0)) return;
    double strain[2] = {0.5 * mus_log(mean + radius), 0.5 * mus_log(low)}, change[2];
    if (!map_back(strain, elastic_range(&cloth->material, *plastic), cloth->material.stretch_hardening, change)) return;
    double scale[2] = {mus_exp(-change[0]), mus_exp(-change[1])};
    double middle = 0.5 * (scale[0] + scale[1]), turn = radius > 0 ? 0.5 * (scale[0] - scale[1]) / radius : 0;
    double g[2][2] = {{middle + turn * half, turn * uv}, {turn * uv, middle - turn * half}};
    double energy = energy_of(cloth, f, x);
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 2; a++) face->n[k][a] = before.n[k][0] * g[0][a] + before.n[k][1] * g[1][a];
    if (energy_of(cloth, f, x) < energy)
        *plastic += change[0] + change[1];
    else
        *face = before;
}

void mus_plastic_stretch_update(mus_cloth *given, double dt) {
    if (!given->plastic_stretches) return;
    mus_cloth *twin = mus_cloth_solved(given);
    const v3 *x = (const v3 *)given->x;
    mus_plastic_stretch_recover(given, dt);
    if (!given->sheet) {
        update_springs(given, x, NULL);
        if (twin == given) return;
        mus_plastic_stretch_recover(twin, dt);
        update_springs(twin, x, given->order->number);
        return;
    }
    for (int32_t f = 0; f < given->face_count; f++) update_face(given, f, x);
    for (int32_t f = 0; twin != given && f < given->face_count; f++) {
        twin->sheet->faces[f] = given->sheet->faces[given->order->face_number[f]];
        twin->plastic_stretches[f] = given->plastic_stretches[given->order->face_number[f]];
    }
}
