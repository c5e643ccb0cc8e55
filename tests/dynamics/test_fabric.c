/* test_fabric.c: measured fabrics: their tables, the tension of strips and shear against the publication's law. */
#include "../world/scene.h"

#include "dynamics/dynamics.h"
#include "model/fabric.h"

/* Every fabric has a preset of its name, with its density, and nonsense has none. */
static void test_presets(void **state) {
    (void)state;
    assert_int_equal(mus_fabric_get_count(), 10);
    for (int32_t k = 0; k < mus_fabric_get_count(); k++) {
        const mus_fabric *f = mus_fabric_get(k);
        mus_material m;
        must(mus_material_find(f->name, &m));
        must(mus_material_check(&m));
        assert_true(m.model == MUS_MODEL_MEASURED && m.fabric == k && m.density == f->density);
    }
    mus_material m;
    must_be(MUS_STATUS_NOT_FOUND, mus_material_find("12oz-black-denim", &m));
    assert_non_null(strstr(mus_get_error_message(), "11oz-black-denim"));
}

/* The tables are those of the files, where they are. */
static void test_files(void **state) {
    (void)state;
    for (int32_t k = 0; k < mus_fabric_get_count(); k++) {
        const mus_fabric *f = mus_fabric_get(k);
        char path[256], text[4096];
        snprintf(path, sizeof path, "../shared/data/fabrics/%s.json", f->name);
        FILE *file = fopen(path, "r");
        if (!file) {
            print_message("# no %s: its table is not compared\n", path);
            skip();
        }
        size_t size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[size] = 0;
        double wanted[40];
        const double *got[40] = {&f->density};
        int count = 1;
        for (int r = 0; r < 24; r++) got[count++] = &f->stretch[r / 4][r % 4];
        for (int r = 0; r < 15; r++) got[count++] = &f->bending[r / 5][r % 5];
        int read = 0;
        for (char *at = text; *at && read < count;) {
            char *end = at;
            if ((*at >= '0' && *at <= '9') || *at == '-') wanted[read] = strtod(at, &end);
            if (end != at) read++;
            at = end != at ? end : at + 1;
        }
        assert_int_equal(read, count);
        for (int r = 0; r < count; r++) assert_true(fabs(*got[r] - wanted[r]) <= 1e-12 * fabs(wanted[r]));
    }
}

/* The law of the publication along an axis: coefficients between rest and a sixth of strain. */
static void coefficients(const mus_fabric *f, int direction, double stretch, double c[4]) {
    double t = fmin(6 * (stretch - 1), 1);
    for (int k = 0; k < 4; k++) c[k] = fmax(0, (1 - t) * f->stretch[0][k] + t * f->stretch[1 + direction][k]);
}

/* A strip along the warp or the weft, stretched by clamps that come in with its sides (else a knit without stiffness in
 * shear, pulled from the corners, would not be uniform in its middle): force per width, and the middle's strain. */
static double pulled(const mus_material *m, double stretch, double narrowing, double *strain) {
    enum { NU = 25, NV = 5 };
    mus_mesh *mesh = grid_mesh(NU, NV, 0.24, 0.04, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *m;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    mus_dynamics *d;
    must(mus_dynamics_create(cloth, &d));
    size_t n = (size_t)cloth->vertex_count;
    v3 *x = (v3 *)cloth->x, *v = (v3 *)cloth->v, *x1 = calloc(n, sizeof *x1), *v1 = calloc(n, sizeof *v1);
    for (size_t i = 0; i < n; i++) x[i].x *= stretch;
    for (int j = 0; j < NV; j++)
        for (int i = 0; i < NU; i += NU - 1) {
            cloth->inverse_mass[j * NU + i] = 0;
            x[j * NU + i].z *= narrowing;
        }
    cloth->pin_count = 2 * NV;
    mus_environment still = {.threads = 1};
    for (int step = 0; step < 150; step++) {
        memcpy(x1, x, n * sizeof *x);
        mus_integrator_implicit_euler.advance(d, cloth, &still, 0.05, 0.05, x, v, x1, v1);
        memcpy(x, x1, n * sizeof *x), memcpy(v, v1, n * sizeof *v);
    }
    memset(v, 0, n * sizeof *v), memset(x1, 0, n * sizeof *x1);
    mus_membrane_forces(cloth, x, v, x1);
    double force = 0, width = 0.04;
    for (int j = 0; j < NV; j++) force += x1[j * NU].x;
    int a = NU / 2 - 2 + NV / 2 * NU, b = a + 4;
    *strain = (x[b].x - x[a].x) / (4 * 0.01) - 1;
    free(x1), free(v1);
    mus_dynamics_free(d);
    mus_cloth_free(cloth);
    return force / width;
}

/* force = l1 s1, s1 = (c_1 - c12^2/c_2) e1, within 1 %. */
static void test_tension(void **state) {
    (void)state;
    for (int32_t k = 0; k < mus_fabric_get_count(); k++) {
        const mus_fabric *f = mus_fabric_get(k);
        for (int way = 0; way < 4; way++) {
            mus_material m;
            must(mus_material_find(f->name, &m));
            m.warp_angle = way & 1 ? 0.5 * 3.14159265358979323846 : 0;
            double stretch = way < 2 ? 1.05 : 1.2, green = 0.5 * (stretch * stretch - 1), strain, c[4];
            coefficients(f, way & 1 ? 4 : 0, stretch, c);
            double own = way & 1 ? c[2] : c[0], other = way & 1 ? c[0] : c[2];
            double across = -c[1] / other * green; /* no tension across */
            double wanted = stretch * (own - c[1] * c[1] / other) * green;
            double got = pulled(&m, stretch, sqrt(1 + 2 * across), &strain);
            if (!(fabs(got / wanted - 1) < 0.01 && fabs(strain / (stretch - 1) - 1) < 0.01))
                fail_msg("%s, %s, strain %g: %g N/m, the law gives %g", f->name, way & 1 ? "weft" : "warp", strain, got,
                         wanted);
        }
    }
}

/* Shear by an angle: the largest strain lies near 45 degrees, c33 is between the samples there. */
static void test_shear(void **state) {
    (void)state;
    for (int32_t k = 0; k < mus_fabric_get_count(); k++) {
        const mus_fabric *f = mus_fabric_get(k);
        for (double tilt = 0.02; tilt < 0.5; tilt *= 2) {
            double uv = 0.5 * tilt, c[4], at[4], low = 0.5 * tilt * tilt; /* x += tilt y */
            mus_fabric_stretch(f, 0, low, uv, c);
            double radius = sqrt(0.25 * low * low + uv * uv), high = 0.5 * low + radius;
            double angle = 0.5 * mus_atan2(uv, -0.5 * low) / (3.14159265358979323846 / 8); /* in samples: 2 and more */
            int s = (int)angle;
            double t = angle - s, strain = fmin(1, 6 * (sqrt(1 + 2 * high) - 1));
            for (int i = 0; i < 4; i++) {
                at[i] = (1 - t) * f->stretch[1 + s][i] + t * f->stretch[2 + s][i];
                at[i] = fmax(0, (1 - strain) * f->stretch[0][i] + strain * at[i]);
            }
            assert_true(s >= 2);
            for (int i = 0; i < 4; i++)
                if (i != 1 || at[1] < 0.98 * sqrt(at[0] * at[2])) assert_true(fabs(c[i] - at[i]) < 1e-9 * (1 + at[i]));
        }
    }
}

/* Coefficients do not jump, whatever the strain: where they could is between stretch one way and the other. */
static void test_continuous(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(71, 0);
    for (int round = 0; round < 3000; round++) {
        const mus_fabric *f = mus_fabric_get(round % mus_fabric_get_count());
        double e[3], a[4], b[4], step = 1e-7;
        for (int k = 0; k < 3; k++) e[k] = mus_rng_between(&rng, -0.2, 0.4);
        if (round % 3 == 0) e[1] = e[0], e[2] = 0;                    /* the same every way */
        if (round % 3 == 1) e[0] *= 1e-3, e[1] *= 1e-3, e[2] *= 1e-3; /* near rest */
        mus_fabric_stretch(f, e[0], e[1], e[2], a);
        for (int k = 0; k < 3; k++) e[k] += mus_rng_between(&rng, -step, step);
        mus_fabric_stretch(f, e[0], e[1], e[2], b);
        for (int k = 0; k < 4; k++)
            if (!(fabs(a[k] - b[k]) < 0.2)) fail_msg("%s: coefficient %d jumps from %g to %g", f->name, k, a[k], b[k]);
    }
}

static double rate_of_work(const mus_fabric *f, const double e[3], double share) {
    double c[4];
    mus_fabric_stretch(f, share * e[0], share * e[1], share * e[2], c);
    return share * (c[0] * e[0] * e[0] + 2 * c[1] * e[0] * e[1] + c[2] * e[1] * e[1] + 2 * c[3] * e[2] * e[2]);
}

/* The work of stretching in proportion, before and past the last sample: against a sum over 2000 parts; where no
 * coefficient is below zero, whose bound is a kink, its derivative by the share is stress times strain. */
static void test_work(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(72, 0);
    for (int round = 0; round < 500; round++) {
        const mus_fabric *f = mus_fabric_get(round % mus_fabric_get_count());
        double e[3], sum = 0, step = 1e-4, high = 1 + step, low = 1 - step, size = round % 2 ? 0.1 : 1;
        for (int k = 0; k < 3; k++) e[k] = size * mus_rng_between(&rng, -0.3, 1);
        for (int k = 0; k < 2000; k++) sum += rate_of_work(f, e, (k + 0.5) / 2000) / 2000;
        double work = mus_fabric_stretch_work(f, e[0], e[1], e[2]);
        if (!(fabs(work - sum) < 2e-3 * sum)) fail_msg("%s: work %g, sum %g", f->name, work, sum);
        bool is_bounded = false;
        for (int k = 0; k < 24; k++) is_bounded |= f->stretch[k / 4][k % 4] < 0;
        double slope = (mus_fabric_stretch_work(f, high * e[0], high * e[1], high * e[2]) -
                        mus_fabric_stretch_work(f, low * e[0], low * e[1], low * e[2])) /
                       (2 * step);
        double rate = rate_of_work(f, e, 1);
        if (!is_bounded && !(fabs(slope - rate) < 1e-5 * rate)) fail_msg("%s: slope %g for %g", f->name, slope, rate);
    }
    const mus_fabric *f = mus_fabric_get(0);
    double rest = 0.5 * f->stretch[0][0] * 0.04; /* pressed along the warp: the coefficients of rest */
    assert_true(fabs(mus_fabric_stretch_work(f, -0.2, 0, 0) - rest) < 1e-12 * rest);
}

/* Bending: a quarter of the table at its samples, between them linear. */
static void test_bending(void **state) {
    (void)state;
    for (int32_t k = 0; k < mus_fabric_get_count(); k++) {
        const mus_fabric *f = mus_fabric_get(k);
        for (int at = 0; at < 9; at++) {
            mus_rigidity d = mus_fabric_bending(f, 5 * at);
            double warp = 0.125 * (f->bending[2][at / 2] + f->bending[2][(at + 1) / 2]);
            double weft = 0.125 * (f->bending[0][at / 2] + f->bending[0][(at + 1) / 2]);
            double bias = 0.125 * (f->bending[1][at / 2] + f->bending[1][(at + 1) / 2]);
            assert_true(fabs(d.warp - warp) < 1e-15 && fabs(d.weft - weft) < 1e-15 && d.twist > 0);
            double slender = 4 / (1 / d.warp + 1 / d.weft + 1 / d.twist);
            double most = 0.95 * mus_largest_bias(warp, weft);
            assert_true(fabs(slender - fmin(bias, most)) < 1e-9 * bias);
        }
        mus_rigidity end = mus_fabric_bending(f, 40), beyond = mus_fabric_bending(f, -900);
        assert_true(end.warp == beyond.warp && end.twist == beyond.twist);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_presets),    cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_tension),    cmocka_unit_test(test_shear),
                                       cmocka_unit_test(test_continuous), cmocka_unit_test(test_work),
                                       cmocka_unit_test(test_bending)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
