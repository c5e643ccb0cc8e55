/* node_force.c: runs a program of the kind NODE_FORCE over the vertices of a cloth, block by block. Its derivatives are
 * stored for the implicit step (drag.c), which adds dt D + dt^2 K to the matrix (Baraff & Witkin 1998, eq. 6). */
#include "dynamics/node_force.h"
#include "base/simd.h"
#include "dynamics/node_force_kernel.h"

enum { FORCE = 3, ENTRIES = 6 };

#define LEVELS(name) static name *const of_##name[MUS_SIMD_COUNT] = {name##_baseline, name##_avx2, name##_avx512}
LEVELS(mus_node_force_split);
LEVELS(mus_node_force_accumulate);
LEVELS(mus_node_force_positive);
LEVELS(mus_node_force_positive3);
#undef LEVELS

int64_t mus_node_force_register_count(const mus_program *p) {
    size_t most = mus_program_memory_size(p->with_jacobian), force_only = mus_program_memory_size(p->force_only);
    return (int64_t)(((most > force_only ? most : force_only) + MUS_TRACE_LINE) / sizeof(double));
}

/* ---- Inputs of a program ---- */

static void gather_vector(const mus_program *p, double *registers, int32_t slot, const double *from, int count) {
    double unread[MUS_TRACE_BLOCK], *row[3];
    bool any = false;
    for (int k = 0; k < 3; k++) {
        bool used = mus_program_uses(p, slot + k);
        row[k] = used ? mus_program_input(p, registers, slot + k) : unread;
        any |= used;
    }
    if (any) of_mus_node_force_split[mus_simd_level()](from, count, row);
}

static void gather_inputs(const mus_program *p, double *registers, const mus_cloth *cloth, int32_t first, int count) {
    static const int32_t vectors[3] = {MUS_INPUT_POSITION, MUS_INPUT_VELOCITY, MUS_INPUT_NORMAL};
    const double *const of[3] = {cloth->x, cloth->v, cloth->normals};
    for (int a = 0; a < 3; a++)
        if (of[a]) gather_vector(p, registers, vectors[a], of[a] + 3 * (size_t)first, count);
    static const int32_t numbers[2] = {MUS_INPUT_MASS, MUS_INPUT_AREA};
    const double *const number_of[2] = {cloth->mass, cloth->areas};
    for (int a = 0; a < 2; a++)
        if (number_of[a] && mus_program_uses(p, numbers[a]))
            memcpy(mus_program_input(p, registers, numbers[a]), number_of[a] + first, sizeof(double) * (size_t)count);
}

static void fill_input(const mus_program *p, double *registers, int32_t slot, double value) {
    if (!mus_program_uses(p, slot)) return;
    double *to = mus_program_input(p, registers, slot);
    for (int i = 0; i < MUS_TRACE_BLOCK; i++) to[i] = value;
}

/* ---- Force Jacobians ---- */

/* xx xy xz yy yz zz from output `first` on. */
static mus_jacobian_form form_of(const mus_program *p, int first) {
    const mus_node *node = p->output_node + first;
    bool none[ENTRIES];
    for (int k = 0; k < ENTRIES; k++) {
        const mus_graph_item *item = &p->graph->items.data[node[k]];
        none[k] = item->op == MUS_OP_CONSTANT && item->value == 0;
    }
    if (!none[1] || !none[2] || !none[4]) return MUS_JACOBIAN_FULL;
    if (none[0] && none[3] && none[5]) return MUS_JACOBIAN_NONE;
    return node[0] == node[3] && node[0] == node[5] ? MUS_JACOBIAN_UNIFORM : MUS_JACOBIAN_DIAGONAL;
}

/* If other forces have been added to the matrix, extends it by the columns that it lacks. */
static void widen_matrix(mus_cloth *cloth, int by, mus_jacobian_form form) {
    size_t n = (size_t)cloth->vertex_count;
    const double *first = mus_cloth_force_jacobian(cloth, by, 0);
    for (int k = 1; k < 3 && cloth->jacobian_form[by] == MUS_JACOBIAN_UNIFORM; k++)
        memcpy(mus_cloth_force_jacobian(cloth, by, k), first, sizeof *first * n);
    for (int k = 3; k < ENTRIES && form == MUS_JACOBIAN_FULL; k++)
        memset(mus_cloth_force_jacobian(cloth, by, k), 0, sizeof *first * n);
    cloth->jacobian_form[by] = (uint8_t)form;
}

typedef struct jacobian_output {
    mus_jacobian_form form; /* of the program's own matrix */
    bool add;               /* add to the other forces' matrices */
} jacobian_output;

static jacobian_output begin_jacobian(const mus_program *p, mus_cloth *cloth, int by) {
    jacobian_output h = {form_of(p, FORCE + ENTRIES * by), cloth->jacobian_form[by] != MUS_JACOBIAN_NONE};
    if (h.form == MUS_JACOBIAN_NONE) return h;
    if (!h.add)
        cloth->jacobian_form[by] = (uint8_t)h.form;
    else if (cloth->jacobian_form[by] < h.form)
        widen_matrix(cloth, by, h.form);
    return h;
}

static void add_jacobian(const mus_program *p, const double *registers, const jacobian_output *h, mus_cloth *cloth,
                         int by, int32_t at, int count) {
    static const int diagonal[3] = {0, 3, 5};
    const double *row[ENTRIES];
    double *column[ENTRIES];
    int level = mus_simd_level();
    for (int k = 0; k < ENTRIES; k++) {
        row[k] = mus_program_output(p, registers, FORCE + ENTRIES * by + k);
        column[k] = mus_cloth_force_jacobian(cloth, by, k) + at;
    }
    if (h->form == MUS_JACOBIAN_FULL) {
        of_mus_node_force_positive3[level](row, count, h->add, column);
        return;
    }
    int columns = h->form == MUS_JACOBIAN_NONE ? 0 : cloth->jacobian_form[by] == MUS_JACOBIAN_UNIFORM ? 1 : 3;
    for (int k = 0; k < columns; k++) of_mus_node_force_positive[level](row[diagonal[k]], count, h->add, column[k]);
}

/* ---- Over the cloth ---- */

static int32_t first_bad(const mus_program *p, const double *registers, int count) {
    int i = 0;
    while (i + 1 < count && isfinite(mus_program_output(p, registers, 0)[i]) &&
           isfinite(mus_program_output(p, registers, 1)[i]) && isfinite(mus_program_output(p, registers, 2)[i]))
        i++;
    return i;
}

bool mus_node_force_add(const mus_program *program, mus_cloth *cloth, double time, double dt, bool with_jacobian,
                        double *memory, int32_t *vertex, v3 *wrong) {
    const mus_program *p = with_jacobian ? program->with_jacobian : program->force_only;
    mus_node_force_accumulate *accumulate = of_mus_node_force_accumulate[mus_simd_level()];
    jacobian_output jacobian[2];
    for (int by = 0; with_jacobian && by < 2; by++) jacobian[by] = begin_jacobian(p, cloth, by);
    memory = mus_program_align(memory);
    mus_program_begin(p, memory);
    fill_input(p, memory, MUS_INPUT_TIME, time);
    fill_input(p, memory, MUS_INPUT_DT, dt);
    const double *force[3];
    for (int k = 0; k < 3; k++) force[k] = mus_program_output(p, memory, k);
    for (int32_t at = 0; at < cloth->vertex_count; at += MUS_TRACE_BLOCK) {
        int count = cloth->vertex_count - at < MUS_TRACE_BLOCK ? cloth->vertex_count - at : MUS_TRACE_BLOCK;
        gather_inputs(p, memory, cloth, at, count);
        mus_program_block(p, memory, count);
        if (!accumulate(force, count, cloth->f + 3 * (size_t)at)) {
            int32_t k = first_bad(p, memory, count);
            *vertex = at + k;
            *wrong = v3_make(force[0][k], force[1][k], force[2][k]);
            return false;
        }
        for (int by = 0; with_jacobian && by < 2; by++) add_jacobian(p, memory, &jacobian[by], cloth, by, at, count);
    }
    return true;
}

/* ---- At one vertex ---- */

static void add_vertex_jacobian(mus_cloth *cloth, int by, int32_t vertex, double value) {
    uint8_t *form = &cloth->jacobian_form[by];
    if (*form == MUS_JACOBIAN_NONE) {
        memset(mus_cloth_force_jacobian(cloth, by, 0), 0, sizeof(double) * (size_t)cloth->vertex_count);
        *form = MUS_JACOBIAN_UNIFORM;
    }
    int columns = *form == MUS_JACOBIAN_UNIFORM ? 1 : 3;
    for (int k = 0; k < columns; k++) mus_cloth_force_jacobian(cloth, by, k)[vertex] += value;
}

void mus_vertex_spring_add(mus_cloth *cloth, int32_t vertex, const mus_vertex_spring *spring, double dt,
                           bool with_jacobian) {
    double stiffness = spring->stiffness, damping = spring->damping, rate = 1 / dt, mass = cloth->mass[vertex];
    if (!with_jacobian)
        stiffness = fmin(stiffness, 0.25 * mass * rate * rate), damping = fmin(damping, 0.25 * mass * rate);
    double *f = cloth->f + 3 * (size_t)vertex;
    v3 stretch = v3_sub(spring->at, v3_load(cloth->x + 3 * (size_t)vertex));
    v3 v = v3_sub(v3_load(cloth->v + 3 * (size_t)vertex), spring->velocity);
    v3_store(f, v3_axpy(stiffness, stretch, v3_axpy(-damping, v, v3_load(f))));
    if (!with_jacobian) return;
    add_vertex_jacobian(cloth, 0, vertex, stiffness);
    add_vertex_jacobian(cloth, 1, vertex, damping);
}
