/* test_spring_law.c: springs that follow a program: its derivatives against differences, the implicit matrix against
 * the forces, the incremental potential against its slope, the bound of explicit steps, and what is refused. */
#include "../trace/graphs.h"
#include "slope.h"

#include "model/spring_program.h"

static mus_rng rng;

/* a (l - r) + b (l - r)^3 + c rate l/r */
static const double a = 300, b = 2e5, c = 3;

static mus_program *law(void) {
    mus_graph *g;
    mus_program *p;
    must(mus_graph_create(&g));
    mus_node l = mus_graph_add_input(g, MUS_INPUT_LENGTH), r = mus_graph_add_input(g, MUS_INPUT_REST);
    mus_node e = two(g, MUS_OP_SUB, l, r), cube = two(g, MUS_OP_MUL, e, two(g, MUS_OP_MUL, e, e));
    mus_node out = two(g, MUS_OP_ADD, two(g, MUS_OP_MUL, mus_graph_add_constant(g, a), e),
                       two(g, MUS_OP_MUL, mus_graph_add_constant(g, b), cube));
    mus_node drag = two(g, MUS_OP_MUL, mus_graph_add_constant(g, c), mus_graph_add_input(g, MUS_INPUT_RATE));
    out = two(g, MUS_OP_ADD, out, two(g, MUS_OP_MUL, drag, two(g, MUS_OP_DIV, l, r)));
    must(mus_program_create(MUS_PROGRAM_SPRING, g, &out, 1, &p));
    return p;
}

static double plainly(double length, double rest, double rate) {
    double e = length - rest;
    return a * e + b * e * e * e + c * rate * length / rest;
}

static void test_derivatives(void **state) {
    (void)state;
    rng = mus_rng_make(3, 0);
    mus_program *p = law();
    assert_int_equal(mus_program_get_output_count(p), 3);
    for (int k = 0; k < 200; k++) {
        double in[3] = {mus_rng_between(&rng, 0.01, 0.2), mus_rng_between(&rng, 0.02, 0.1),
                        mus_rng_between(&rng, -1, 1)};
        double out[3], h = 1e-6;
        const double *inputs[MUS_INPUT_COUNT] = {0};
        double *outputs[3] = {&out[0], &out[1], &out[2]};
        inputs[MUS_INPUT_LENGTH] = &in[0], inputs[MUS_INPUT_REST] = &in[1], inputs[MUS_INPUT_RATE] = &in[2];
        must(mus_program_evaluate(p, inputs, 1, outputs));
        double size = a + 3 * b * 0.04;
        near(out[0], plainly(in[0], in[1], in[2]), 1e-12 * size, "tension");
        near(out[1], (plainly(in[0] + h, in[1], in[2]) - plainly(in[0] - h, in[1], in[2])) / (2 * h), 1e-6 * size,
             "by length");
        near(out[2], (plainly(in[0], in[1], in[2] + h) - plainly(in[0], in[1], in[2] - h)) / (2 * h), 1e-6 * size,
             "by rate");
    }
    mus_program_release(p);
}

/* Stretched to 1.2 of its rest lengths, with random noise. */
static mus_cloth *taut(mus_program *p, double noise) {
    mus_mesh *mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh;
    def.material.model = MUS_MODEL_MASS_SPRING, def.material.bend = 40, def.material.damping = 4e-3;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++)
        cloth->x[i] = 1.2 * cloth->x[i] + mus_rng_between(&rng, -noise, noise);
    for (int kind = 0; kind < 2; kind++) must(mus_spring_programs_set(cloth, (mus_spring_kind)kind, p, NULL));
    mus_mesh_destroy(mesh);
    return cloth;
}

/* By differences about rest, since the directions that rates go by change with places too. */
static void test_matrix(void **state) {
    (void)state;
    rng = mus_rng_make(5, 0);
    const double dt = 0.01, h = 1e-7;
    mus_program *p = law();
    mus_cloth *cloth = taut(p, 1e-3);
    int32_t n = cloth->vertex_count;
    mus_dynamics *d;
    must(mus_dynamics_create(cloth, &d));
    size_t bytes = sizeof(v3) * (size_t)n;
    v3 *v = calloc(1, bytes), *right = calloc(1, bytes), *way = malloc(bytes), *matrix_product = malloc(bytes);
    v3 *f = calloc(1, bytes), *up = calloc(1, bytes), *down = calloc(1, bytes), *still = calloc(1, bytes);
    v3 *x = (v3 *)cloth->x, *there = malloc(bytes);
    for (int32_t i = 0; i < n; i++) v[i] = random_direction(&rng);
    mus_block_matrix_clear(&d->matrix, 1);
    mus_spring_programs_at(cloth, x, v);
    mus_spring_linearize(cloth, d->spring_pair, x, v, dt, right, &d->matrix);
    mus_spring_forces(cloth, x, still, f);
    double largest = 0;
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, v3_length(f[i]));
    mus_block_matrix_multiply(&d->matrix, v, matrix_product, 1);
    for (int32_t i = 0; i < n; i++) /* dt f - H v: the damping force is in H alone; it stores floats */
        near(v3_length(v3_sub(v3_add(right[i], matrix_product[i]), v3_scale(dt, f[i]))), 0, 1e-6 * dt * largest,
             "right");
    mus_block_matrix_clear(&d->matrix, 1);
    mus_spring_programs_at(cloth, x, still);
    mus_spring_linearize(cloth, d->spring_pair, x, still, dt, right, &d->matrix);
    for (int probe = 0; probe < 10; probe++) {
        for (int32_t i = 0; i < n; i++) way[i] = random_direction(&rng);
        mus_block_matrix_multiply(&d->matrix, way, matrix_product, 1);
        memset(up, 0, bytes), memset(down, 0, bytes);
        for (int32_t i = 0; i < n; i++) there[i] = v3_axpy(h, way[i], x[i]);
        mus_spring_forces(cloth, there, still, up);
        for (int32_t i = 0; i < n; i++) there[i] = v3_axpy(-h, way[i], x[i]);
        mus_spring_forces(cloth, there, still, down);
        for (int32_t i = 0; i < n; i++)
            matrix_product[i] = v3_axpy(dt * dt / (2 * h), v3_sub(up[i], down[i]), matrix_product[i]);
        memset(up, 0, bytes), memset(down, 0, bytes);
        for (int32_t i = 0; i < n; i++) there[i] = v3_scale(h, way[i]);
        mus_spring_forces(cloth, x, there, up);
        for (int32_t i = 0; i < n; i++) there[i] = v3_scale(-h, way[i]);
        mus_spring_forces(cloth, x, there, down);
        for (int32_t i = 0; i < n; i++)
            matrix_product[i] = v3_axpy(dt / (2 * h), v3_sub(up[i], down[i]), matrix_product[i]);
        for (int32_t i = 0; i < n; i++) near(v3_length(matrix_product[i]), 0, 1e-5 * dt * largest, "matrix");
    }
    v3 *blocks[] = {v, right, way, matrix_product, f, up, down, still, there};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) free(blocks[k]);
    mus_dynamics_free(d);
    mus_cloth_free(cloth);
    mus_program_release(p);
}

/* Past its peak at 2 mm it softens, and its rate drives it on: the matrices hold against neither. */
static mus_program *softening(double drives) {
    mus_graph *g;
    mus_program *p;
    must(mus_graph_create(&g));
    mus_node e = two(g, MUS_OP_SUB, mus_graph_add_input(g, MUS_INPUT_LENGTH), mus_graph_add_input(g, MUS_INPUT_REST));
    mus_node share = two(g, MUS_OP_DIV, e, mus_graph_add_constant(g, 0.002));
    mus_node below = two(g, MUS_OP_ADD, mus_graph_add_constant(g, 1), two(g, MUS_OP_MUL, share, share));
    mus_node pull = two(g, MUS_OP_DIV, two(g, MUS_OP_MUL, mus_graph_add_constant(g, 500), e), below);
    mus_node drive = two(g, MUS_OP_MUL, mus_graph_add_constant(g, drives), mus_graph_add_input(g, MUS_INPUT_RATE));
    mus_node out = two(g, MUS_OP_ADD, pull, drive);
    must(mus_program_create(MUS_PROGRAM_SPRING, g, &out, 1, &p));
    return p;
}

static void test_softening(void **state) {
    (void)state;
    rng = mus_rng_make(6, 0);
    const double dt = 0.01;
    mus_program *p = softening(-4);
    for (int round = 0; round < 6; round++) {
        mus_cloth *cloth = taut(p, 2e-3 * (1 + round));
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        size_t bytes = sizeof(v3) * (size_t)n;
        v3 *x = (v3 *)cloth->x, *v = calloc(1, bytes), *right = calloc(1, bytes), *start = malloc(bytes),
           *way = malloc(bytes), *matrix_product = malloc(bytes);
        for (int32_t i = 0; i < n; i++) v[i] = random_direction(&rng), start[i] = v3_axpy(-dt, v[i], x[i]);
        mus_block_matrix_clear(&d->matrix, 1);
        if (round & 1) {
            mus_incremental_start from;
            must(mus_incremental_start_create(cloth, &from));
            mus_incremental_start_at(&from, d, cloth, start);
            mus_incremental_forces(d, cloth, &from, x, dt, 1, right, &d->matrix);
            mus_incremental_start_free(&from);
        } else {
            mus_spring_programs_at(cloth, x, v);
            mus_spring_linearize(cloth, d->spring_pair, x, v, dt, right, &d->matrix);
        }
        for (int probe = 0; probe < 40; probe++) {
            double sum = 0, size = 0;
            for (int32_t i = 0; i < n; i++) way[i] = random_direction(&rng);
            if (probe >= 20) /* a vertex alone */
                for (int32_t i = 0; i < n; i++)
                    if (i != cloth->springs[probe].a) way[i] = v3_make(0, 0, 0);
            mus_block_matrix_multiply(&d->matrix, way, matrix_product, 1);
            for (int32_t i = 0; i < n; i++)
                sum += v3_dot(way[i], matrix_product[i]), size += v3_length(matrix_product[i]);
            if (!(sum >= -1e-12 * size)) fail_msg("round %d probe %d: %g of %g", round, probe, sum, size);
        }
        v3 *blocks[] = {v, right, start, way, matrix_product};
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) free(blocks[k]);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
    mus_program_release(p);
}

/* Damping goes by the slope, and a slope that falls does not turn it into a drive. */
static void test_damping(void **state) {
    (void)state;
    rng = mus_rng_make(8, 0);
    mus_program *p = softening(0);
    mus_cloth *cloth = taut(p, 2e-3);
    int32_t n = cloth->vertex_count;
    cloth->spring_laws[MUS_SPRING_BEND].stiffness = 0; /* the law alone */
    v3 *x = (v3 *)cloth->x, *v = calloc((size_t)n, sizeof *v), *f = calloc((size_t)n, sizeof *f),
       *still = calloc((size_t)n, sizeof *still);
    mus_spring_forces(cloth, x, v, still);
    for (int round = 0; round < 20; round++) {
        double power = 0;
        for (int32_t i = 0; i < n; i++) v[i] = random_direction(&rng), f[i] = v3_make(0, 0, 0);
        mus_spring_forces(cloth, x, v, f);
        for (int32_t i = 0; i < n; i++) power += v3_dot(v[i], v3_sub(f[i], still[i]));
        assert_true(power <= 0);
    }
    free(v), free(f), free(still);
    mus_cloth_free(cloth);
    mus_program_release(p);
}

static void test_potential(void **state) {
    (void)state;
    rng = mus_rng_make(7, 0);
    const double dt = 0.01, h = 1e-6;
    mus_program *p = law();
    for (int round = 0; round < 3; round++) {
        mus_cloth *cloth = taut(p, 4e-3 * (1 + round));
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        v3 *start = malloc(sizeof(v3) * (size_t)n), *force = calloc((size_t)n, sizeof(v3));
        near_slope(cloth, d, &rng, dt, h, 1e-6, start, force);
        free(start), free(force);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
    mus_program_release(p);
}

/* Of all springs that follow the law, at no rate, as it is integrated. */
static void test_energy(void **state) {
    (void)state;
    rng = mus_rng_make(9, 0);
    mus_program *p = law();
    mus_cloth *cloth = taut(p, 5e-3);
    double sum = 0;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        double e = v3_length(v3_sub(v3_load(cloth->x + 3 * s->a), v3_load(cloth->x + 3 * (int32_t)s->b))) - s->rest;
        if (s->kind != MUS_SPRING_BEND) sum += 0.5 * a * e * e + 0.25 * b * e * e * e * e;
    }
    near(mus_spring_programs_energy(cloth, (v3 *)cloth->x), sum, 1e-13 * sum, "energy");
    mus_cloth_free(cloth);
    mus_program_release(p);
}

/* The stiffness at a tenth more length is what a vertex is bounded by. */
static void test_bound(void **state) {
    (void)state;
    rng = mus_rng_make(11, 0);
    mus_program *p = law();
    mus_cloth *cloth = taut(p, 0);
    v3 *sum = calloc((size_t)cloth->vertex_count, sizeof *sum);
    mus_spring_bound(cloth, (v3 *)cloth->x, sum);
    double stiff = 0, drag = 0;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        if (s->a != 0 && s->b != 0) continue;
        double length = 1.2 * s->rest, e = 1.1 * length - s->rest, slope = a + 3 * b * e * e, of = c * 1.32;
        if (s->kind == MUS_SPRING_BEND) slope = 40, of = 0;
        stiff += 2 * slope, drag += 2 * (4e-3 * slope + of);
    }
    near(sum[0].x, stiff, 1e-9 * stiff, "stiffness");
    near(sum[0].y, drag, 1e-9 * drag, "damping");
    free(sum);
    mus_cloth_free(cloth);
    mus_program_release(p);
}

static void refused(mus_status status, mus_status wanted, const char *why) {
    assert_int_equal(status, wanted);
    if (!strstr(mus_get_error_message(), why)) fail_msg("%s", mus_get_error_message());
}

static mus_cloth_id add(mus_world *world, mus_material_model model, bool grid, const char *name) {
    mus_mesh *mesh;
    mus_cloth_def def = mus_cloth_def_default();
    if (grid)
        mesh = grid_mesh(4, 4, 0.1, 0.1, "xz", v3_make(0, 0, 0));
    else
        must(mus_mesh_create_disc(0.1, 2, "xz", (double[3]){1, 0, 0}, &mesh));
    def.mesh = mesh, def.material.model = model, def.name = name;
    mus_cloth_id id;
    must(mus_cloth_create(world, &def, &id));
    mus_mesh_destroy(mesh);
    return id;
}

static void test_errors(void **state) {
    (void)state;
    const mus_status invalid = MUS_STATUS_INVALID;
    size_t before = mus_get_allocated_bytes();
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    must(mus_world_create(&def, &world));
    mus_program *p = law(), *wind;
    mus_graph *g;
    must(mus_graph_create(&g));
    mus_node zero = mus_graph_add_constant(g, 0), none[3] = {zero, zero, zero};
    must(mus_program_create(MUS_PROGRAM_WIND, g, none, 3, &wind));
    mus_cloth_id grid = add(world, MUS_MODEL_SPRINGS, true, "grid"),
                 disc = add(world, MUS_MODEL_SPRINGS, false, "disc");
    mus_cloth_id sheet = add(world, MUS_MODEL_STVK, true, "membrane");
    refused(mus_cloth_set_spring_law(world, grid, MUS_SPRING_KIND_COUNT, p, NULL), invalid, "no springs of the kind 3");
    refused(mus_cloth_set_spring_law(world, grid, MUS_SPRING_STRUCTURAL, wind, NULL), invalid, "must be a law");
    refused(mus_cloth_set_spring_law(world, grid, MUS_SPRING_BEND, p, NULL), invalid, "has no bend springs");
    refused(mus_cloth_set_spring_law(world, disc, MUS_SPRING_SHEAR, p, NULL), invalid,
            "cloth 'disc' (model 'springs') has no shear springs; they exist on grids");
    refused(mus_cloth_set_spring_law(world, sheet, MUS_SPRING_STRUCTURAL, p, NULL), invalid,
            "cloth 'membrane' has no springs: its material is of the model 'stvk'");
    must(mus_cloth_set_spring_law(world, disc, MUS_SPRING_SHEAR, NULL, NULL)); /* none is none */
    must(mus_cloth_set_spring_law(world, grid, MUS_SPRING_STRUCTURAL, p, "here"));
    must(mus_cloth_set_spring_law(world, grid, MUS_SPRING_STRUCTURAL, p, "there"));
    must(mus_cloth_set_spring_law(world, grid, MUS_SPRING_SHEAR, p, NULL));
    must(mus_cloth_set_spring_law(world, grid, MUS_SPRING_SHEAR, NULL, NULL));
    mus_program_release(p); /* the world holds it */
    mus_program_release(wind);
    must(mus_world_step(world));
    must(mus_cloth_destroy(world, grid));
    refused(mus_cloth_set_spring_law(world, grid, MUS_SPRING_STRUCTURAL, NULL, NULL), MUS_STATUS_STALE, "removed");
    mus_world_destroy(world);
    assert_int_equal(mus_get_allocated_bytes(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_matrix),
                                       cmocka_unit_test(test_softening),   cmocka_unit_test(test_damping),
                                       cmocka_unit_test(test_potential),   cmocka_unit_test(test_energy),
                                       cmocka_unit_test(test_bound),       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests_name("spring laws", tests, NULL, NULL);
}
