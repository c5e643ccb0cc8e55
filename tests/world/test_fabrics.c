/* test_fabrics.c: membranes and plates as cloth: the heavy elastica, drape of a disc on a pedestal. */
#include "scene.h"

static const double g = 9.81, pi = 3.14159265358979323846;

static mus_world *make_world(double dt, double gravity) {
    mus_world_def def = mus_world_def_default();
    def.dt = dt, def.gravity[1] = -gravity, def.air_density = 0, def.threads = 1;
    mus_world *world = NULL;
    must(mus_world_create(&def, &world));
    return world;
}

/* Until it hangs still: no more than `still` J left in motion for a quarter of a second. */
static void settle(mus_world *world, double still) {
    for (int quiet = 0; quiet < 60; quiet++) {
        must(mus_world_step(world));
        mus_stats stats;
        mus_world_stats(world, &stats);
        if (stats.kinetic_energy > still) quiet = 0;
        assert_true(mus_world_time(world) < 60);
    }
}

/* ---- heavy elastica ---- */

/* Slope (down, rad) of the free end of a strip that leaves its clamp level: theta'' = -(w/D) (L - s) cos(theta),
 * theta(0) = 0, theta'(L) = 0; the curvature at the clamp is found by bisection, the equation solved by Runge-Kutta. */
static double elastica(double w_by_d, double length) {
    double lo = 0, hi = w_by_d * length * length, end = 0;
    for (int round = 0; round < 60; round++) {
        double theta = 0, kappa = 0.5 * (lo + hi), h = length / 400;
        double guess = kappa;
        for (int k = 0; k < 400; k++) {
            double s = k * h, t[4], q[4];
            for (int stage = 0; stage < 4; stage++) {
                double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
                double dt = stage ? share * h * t[stage - 1] : 0, dk = stage ? share * h * q[stage - 1] : 0;
                t[stage] = kappa + dk;
                q[stage] = -w_by_d * (length - s - share * h) * mus_cos(theta + dt);
            }
            theta += h / 6 * (t[0] + 2 * t[1] + 2 * t[2] + t[3]);
            kappa += h / 6 * (q[0] + 2 * q[1] + 2 * q[2] + q[3]);
        }
        end = theta;
        if (kappa > 0)
            hi = guess;
        else
            lo = guess;
    }
    return end;
}

/* The slope of the end of a strip of a given material, 2/7 as wide as it is long; `shaken`: its vertices moved within
 * its plane. */
static double tip_slope(const mus_material *material, double length, int cells, bool shaken) {
    mus_world *world = make_world(1.0 / 240, g);
    int nv = 5;
    double h = length / cells; /* two cells in the clamp */
    int nu = cells + 3;
    mus_mesh *mesh = grid_mesh(nu, nv, length + 2 * h, (nv - 1) * h, "xz", v3_make(0.5 * length - h, 0, 0));
    mus_rng rng = mus_rng_make(61, 0);
    for (int j = 1; shaken && j < nv - 1; j++)
        for (int i = 3; i < nu - 1; i++) {
            double *x = mus_mesh_vertices(mesh) + 3 * (i + j * nu);
            x[0] += mus_rng_between(&rng, -0.25, 0.25) * h, x[2] += mus_rng_between(&rng, -0.25, 0.25) * h;
        }
    mus_mesh_def bare = {.vertices = mus_mesh_vertices(mesh), .faces = mus_mesh_faces(mesh)};
    bare.vertex_count = mus_mesh_vertex_count(mesh), bare.face_count = mus_mesh_face_count(mesh);
    mus_mesh *plain;
    must(mus_mesh_create(&bare, &plain));
    mus_mesh_destroy(mesh);
    mus_cloth_def def = mus_cloth_def_default();
    def.material = *material, def.self_collision = false;
    mus_cloth_id id = add_cloth(world, plain, def);
    for (int32_t j = 0; j < nv; j++) {
        int32_t held[3] = {j * nu, j * nu + 1, j * nu + 2};
        must(mus_cloth_pin(world, id, held, 3));
    }
    settle(world, 1e-10);
    int32_t tip = nu - 1 + (nv / 2) * nu;
    v3 d = v3_sub(vertex_of(world, id, tip), vertex_of(world, id, tip - 1));
    double slope = mus_atan2(-d.y, d.x);
    mus_world_destroy(world);
    return slope;
}

/* The tip of a slender strip cut along the warp, across it and at 45 degrees, by either model of bending, on an even
 * mesh and on an uneven one, within 2 %. */
static void test_elastica(void **state) {
    (void)state;
    const double length = 0.1, directions[3] = {0, pi / 2, pi / 4};
    enum { CELLS = 14 };
    for (int k = 0; k < 8; k++) {
        mus_material m = mus_material_default();
        m.model = MUS_MODEL_STVK, m.strain_limit = 0, m.drag = 0;
        m.bending_warp = 2e-4, m.bending_weft = 6e-5, m.bending_bias = 1e-4;
        m.bending_damping = 0.02, m.bending_quadratic = k >= 6;
        if (k % 3 == 2) m.bending_weft = 2e-4, m.bending_bias = 1.6e-4; /* else it twists as it bends */
        m.warp_angle = directions[k % 3];
        double rigidity = k % 3 == 0 ? m.bending_warp : k % 3 == 1 ? m.bending_weft : m.bending_bias;
        double wanted = elastica(m.density * g / rigidity, length + 0.5 * length / CELLS),
               got = tip_slope(&m, length, CELLS, k >= 3 && k < 6);
        if (!(fabs(got / wanted - 1) < 0.02)) fail_msg("strip %d: slope %g, the equation says %g", k, got, wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elastica)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
