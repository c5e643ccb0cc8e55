/* test_contact_energies.c: users' contact energies in the coupled family: the gap at which they carry a weight, and the
 * gap that is kept under them. */
#include "../trace/graphs.h"
#include "scene.h"

static const double g = 9.81, thickness = 8e-3, dt = 1.0 / 120;

/* stiffness / 2 gap^2, J. */
static mus_program *quadratic(double stiffness) {
    mus_graph *graph;
    mus_program *p;
    must(mus_graph_create(&graph));
    mus_node gap = mus_graph_add_input(graph, MUS_INPUT_GAP);
    mus_node energy =
        two(graph, MUS_OP_MUL, mus_graph_add_constant(graph, 0.5 * stiffness), two(graph, MUS_OP_MUL, gap, gap));
    must(mus_program_create(MUS_PROGRAM_POTENTIAL, graph, &energy, 1, &p));
    return p;
}

static mus_world *sheet_on_floor(double stiffness, mus_cloth_id *cloth) {
    mus_world_def world_def = mus_world_def_default();
    world_def.dt = dt, world_def.air_density = 0;
    world_def.pipeline = (mus_pipeline)STAGES_ROBUST;
    mus_world *world;
    must(mus_world_create(&world_def, &world));
    mus_cloth_def def = stiff_cloth();
    def.thickness = thickness;
    *cloth = add_cloth(world, grid_mesh(6, 6, 0.1, 0.1, "xz", v3_make(0, 0.5 * thickness, 0)), def);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0);
    mus_program *energy = quadratic(stiffness);
    mus_response_def response = mus_response_def_default();
    mus_response_id id;
    response.callback = mus_program_evaluate_rule, response.user = energy;
    must(mus_response_create(world, &response, &id));
    mus_program_release(energy);
    return world;
}

/* Of all vertices, m. */
static double mean_height(mus_world *world, mus_cloth_id cloth, double *least) {
    int32_t count = mus_cloth_get_vertex_count(world, cloth);
    const double *x = mus_cloth_get_positions(world, cloth);
    double sum = 0;
    *least = INFINITY;
    for (int32_t i = 0; i < count; i++) sum += x[3 * i + 1], *least = fmin(*least, x[3 * i + 1]);
    return sum / count;
}

static void energy_carries_the_weight_at_its_gap(void **state) {
    const double stiffness = 40;
    mus_cloth_id cloth;
    mus_world *world = sheet_on_floor(stiffness, &cloth);
    (void)state;
    for (int k = 0; k < 240; k++) must(mus_world_step(world));
    double least, sunk = 0.5 * thickness - mean_height(world, cloth, &least);
    assert_true(fabs(sunk / (mass_of(world, cloth) / mus_cloth_get_vertex_count(world, cloth) * g / stiffness) - 1) <
                1e-3);
    mus_energy energy;
    must(mus_world_get_energy(world, &energy));
    assert_true(energy.contact > 0);
    mus_world_destroy(world);
}

/* 0.15 of the thickness, and no impulse at single vertices is needed for it. */
static void gap_is_kept_under_an_energy_that_attracts(void **state) {
    mus_cloth_id cloth;
    mus_world *world = sheet_on_floor(-1, &cloth);
    (void)state;
    int64_t hits = 0;
    double least, contact_thickness = 0.5 * thickness;
    for (int k = 0; k < 240; k++) {
        must(mus_world_step(world));
        mus_stats stats;
        mus_world_get_stats(world, &stats);
        hits += stats.ccd_hits;
        mean_height(world, cloth, &least);
        assert_true(least > 0.1 * contact_thickness);
    }
    assert_int_equal(hits, 0);
    assert_true(fabs(least / (0.15 * contact_thickness) - 1) < 0.06); /* to the tolerance of gaps */
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_carries_the_weight_at_its_gap),
        cmocka_unit_test(gap_is_kept_under_an_energy_that_attracts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
