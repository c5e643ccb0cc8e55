/* bench_rules.c: a traced rule against the same law in C, over the contacts of a sheet on a floor and of a pile; and a
 * traced force on 100 thousand vertices, with and without its derivatives. One thread; medians. */
#include "base/timer.h"
#include "dynamics/node_force.h"
#include "../trace/graphs.h"
#include "world/world_state.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 41 };

static void check(mus_status status) {
    if (status == MUS_STATUS_OK) return;
    fprintf(stderr, "bench_rules: %s\n", mus_get_error_message());
    exit(1);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *ms) {
    qsort(ms, ROUNDS, sizeof *ms, ascending);
    return ms[ROUNDS / 2];
}

/* ---- The law, in C and as a graph: inelastic along the normal, Coulomb's friction across it ---- */

static mus_status law(void *user, const mus_contact *c, double impulse[2][3]) {
    double mu = *(const double *)user;
    v3 n = v3_load(c->normal), v = v3_load(c->velocity);
    double vn = v3_dot(n, v), jn = fmax(-vn, 0) * c->mass;
    v3 vt = v3_axpy(-vn, n, v);
    double slip = v3_length(vt), jt = fmin(mu * jn, slip * c->mass);
    v3 j = v3_scale(jn, n);
    if (slip > 0) j = v3_axpy(-jt / slip, vt, j);
    v3_store(impulse[0], j);
    return MUS_STATUS_OK;
}

static mus_program *traced_law(double mu) {
    mus_graph *g;
    mus_program *p;
    mus_parameter *param;
    check(mus_graph_create(&g));
    check(mus_parameter_create("mu", mu, &param));
    mus_node n[3], v[3], vt[3], j[3], zero = mus_graph_add_constant(g, 0),
                                      mass = mus_graph_add_input(g, MUS_INPUT_MASS);
    for (int k = 0; k < 3; k++)
        n[k] = mus_graph_add_input(g, MUS_INPUT_NORMAL + k), v[k] = mus_graph_add_input(g, MUS_INPUT_VELOCITY + k);
    mus_node vn = dot(g, n, v);
    mus_node jn =
        two(g, MUS_OP_MUL, two(g, MUS_OP_MAX, mus_graph_add_operation(g, MUS_OP_NEG, vn, -1, -1), zero), mass);
    for (int k = 0; k < 3; k++) vt[k] = two(g, MUS_OP_SUB, v[k], two(g, MUS_OP_MUL, vn, n[k]));
    mus_node slip = mus_graph_add_operation(g, MUS_OP_SQRT, dot(g, vt, vt), -1, -1);
    mus_node jt =
        two(g, MUS_OP_MIN, two(g, MUS_OP_MUL, mus_graph_add_parameter(g, param), jn), two(g, MUS_OP_MUL, slip, mass));
    mus_node some = two(g, MUS_OP_LT, zero, slip);
    for (int k = 0; k < 3; k++) {
        mus_node unit = mus_graph_add_operation(g, MUS_OP_SELECT, some, two(g, MUS_OP_DIV, vt[k], slip), zero);
        j[k] = two(g, MUS_OP_SUB, two(g, MUS_OP_MUL, jn, n[k]), two(g, MUS_OP_MUL, jt, unit));
    }
    check(mus_program_create(MUS_PROGRAM_RULE, g, j, 3, &p));
    mus_parameter_release(param);
    return p;
}

/* ---- Scenes ---- */

static mus_world *scene(int sheets, int nodes, mus_rule_fn rule, void *user) {
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    def.threads = 1;
    check(mus_world_create(&def, &world));
    for (int k = 0; k < sheets; k++) {
        mus_mesh *mesh;
        double size = 0.01 * (nodes - 1);
        mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {nodes, nodes}, .size = {size, size},
                             .center = {0.003 * k, 0.001 + 0.0011 * k, 0.002 * k}};
        check(mus_mesh_create_grid(&grid, &mesh));
        mus_cloth_def cloth = mus_cloth_def_default();
        mus_cloth_id id;
        cloth.mesh = mesh;
        check(mus_cloth_create(world, &cloth, &id));
        mus_mesh_destroy(mesh);
    }
    mus_obstacle_def floor = mus_obstacle_def_default();
    mus_obstacle_id id;
    floor.shape = MUS_SHAPE_PLANE, floor.normal[1] = 1;
    check(mus_obstacle_create(world, &floor, &id));
    mus_response_def response = mus_response_def_default();
    mus_response_id rid;
    response.callback = rule, response.user = user;
    check(mus_response_create(world, &response, &rid));
    for (int k = 0; k < 6; k++) check(mus_world_step(world));
    return world;
}

/* ms to follow the rule at all contacts of the last step. */
static double time_rule(mus_world *world) {
    mus_solver *s = &world->solver;
    size_t bytes = sizeof(v3) * (size_t)s->assembly.vertex_count;
    v3 *start = malloc(bytes);
    double ms[ROUNDS];
    memcpy(start, s->assembly.x1, bytes);
    for (int k = 0; k < ROUNDS; k++) {
        memcpy(s->assembly.x1, start, bytes);
        double from = mus_timer_ms();
        check(mus_solver_apply_rules(s, &s->constraints, 0));
        ms[k] = mus_timer_ms() - from;
    }
    free(start);
    return median(ms);
}

static void compare(const char *name, int sheets, int nodes) {
    double mu = 0.3;
    mus_program *program = traced_law(mu);
    mus_world *in_c = scene(sheets, nodes, law, &mu),
              *traced = scene(sheets, nodes, mus_program_evaluate_rule, program);
    double c = time_rule(in_c), t = time_rule(traced);
    printf("%-8s %8lld contacts: in C %7.3f ms, %6.1f ns each; traced %7.3f ms, %6.1f ns each; ratio %.2f\n", name,
           (long long)in_c->solver.constraints.count, c, 1e6 * c / (double)in_c->solver.constraints.count, t,
           1e6 * t / (double)traced->solver.constraints.count, t / c);
    mus_world_destroy(in_c);
    mus_world_destroy(traced);
    mus_program_release(program);
}

/* ---- Forces ---- */

/* k m (p - x) - c area |v| v; `drag` alone, constant: -c m v. */
static mus_program *force_law(bool spring) {
    mus_graph *g;
    mus_program *p;
    check(mus_graph_create(&g));
    mus_node x[3], v[3], f[3], mass = mus_graph_add_input(g, MUS_INPUT_MASS);
    for (int k = 0; k < 3; k++)
        x[k] = mus_graph_add_input(g, MUS_INPUT_POSITION + k), v[k] = mus_graph_add_input(g, MUS_INPUT_VELOCITY + k);
    mus_node speed = mus_graph_add_operation(g, MUS_OP_SQRT, dot(g, v, v), -1, -1);
    mus_node stiff = two(g, MUS_OP_MUL, mus_graph_add_constant(g, 20), mass);
    mus_node drag =
        two(g, MUS_OP_MUL, two(g, MUS_OP_MUL, mus_graph_add_constant(g, 0.05), mus_graph_add_input(g, MUS_INPUT_AREA)),
            speed);
    for (int k = 0; k < 3; k++) {
        mus_node to = two(g, MUS_OP_SUB, mus_graph_add_constant(g, 0.1 * k), x[k]);
        f[k] = spring ? two(g, MUS_OP_SUB, two(g, MUS_OP_MUL, stiff, to), two(g, MUS_OP_MUL, drag, v[k]))
                      : two(g, MUS_OP_MUL, stiff, mus_graph_add_constant(g, k == 1));
    }
    check(mus_program_create(MUS_PROGRAM_NODE_FORCE, g, f, 3, &p));
    return p;
}

static void time_force(mus_cloth *cloth, const char *name, bool spring, bool with_jacobian) {
    mus_program *p = force_law(spring);
    double *memory = mus_new(sizeof *memory * (size_t)mus_node_force_register_count(p)), ms[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
        int32_t vertex;
        v3 wrong;
        memset(cloth->jacobian_form, MUS_JACOBIAN_NONE, sizeof cloth->jacobian_form); /* as a step begins */
        double from = mus_timer_ms();
        if (!mus_node_force_add(p, cloth, 0, 0.01, with_jacobian, memory, &vertex, &wrong)) exit(1);
        ms[k] = mus_timer_ms() - from;
    }
    double t = median(ms);
    printf("%-44s %d vertices: %.3f ms, %.1f ns each\n", name, cloth->vertex_count, t, 1e6 * t / cloth->vertex_count);
    mus_free(memory);
    mus_program_release(p);
}

int main(void) {
    printf(
        "# rules: a traced rule against the same law in C (wanted: at most 1.3), and traced forces (at most 1 ms for "
        "100 thousand)\n");
    compare("floor", 1, 120);
    compare("pile", 8, 40);
    mus_mesh *mesh;
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {317, 316}, .size = {3, 3}};
    check(mus_mesh_create_grid(&grid, &mesh));
    mus_cloth_def def = mus_cloth_def_default();
    mus_cloth *cloth;
    def.mesh = mesh;
    check(mus_cloth_new(&def, "sheet", &cloth));
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++) cloth->v[i] = 0.01 * (i % 7) - 0.02;
    cloth->force_jacobian = mus_new(sizeof(double) * mus_cloth_force_jacobian_size(cloth));
    time_force(cloth, "weight", false, true);
    time_force(cloth, "spring and drag", true, false);
    time_force(cloth, "spring and drag, and their derivatives", true, true);
    mus_cloth_free(cloth);
    mus_mesh_destroy(mesh);
    return 0;
}
