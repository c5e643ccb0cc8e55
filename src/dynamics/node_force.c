/* node_force.c: a program of the kind NODE_FORCE over the vertices of a cloth, block by block. Its derivatives are kept
 * for the implicit step (drag.c), where a vertex is held by dt D + dt^2 K (Baraff & Witkin 1998, eq. 6). */
#include "dynamics/node_force.h"
#include "base/psd.h"

enum { FORCE = 3, JACOBIAN = 9 };

int64_t mus_node_force_room(const mus_program *p) {
    return (int64_t)(mus_program_room(p) / sizeof(double));
}

static void gather(const mus_program *p, double *registers, const mus_cloth *cloth, int32_t first, int count) {
    static const int32_t vectors[3] = {MUS_INPUT_POSITION, MUS_INPUT_VELOCITY, MUS_INPUT_NORMAL};
    const double *const of[3] = {cloth->x, cloth->v, cloth->normals};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            if (!mus_program_uses(p, vectors[a] + k)) continue;
            double *to = mus_program_input(p, registers, vectors[a] + k);
            const double *from = of[a] + 3 * (size_t)first + k;
            for (int i = 0; i < count; i++) to[i] = from[3 * i];
        }
    if (mus_program_uses(p, MUS_INPUT_MASS))
        memcpy(mus_program_input(p, registers, MUS_INPUT_MASS), cloth->mass + first, sizeof(double) * (size_t)count);
    if (!mus_program_uses(p, MUS_INPUT_AREA)) return;
    double *area = mus_program_input(p, registers, MUS_INPUT_AREA);
    for (int i = 0; i < count; i++) area[i] = cloth->mass[first + i] / cloth->material.density;
}

static void fill(const mus_program *p, double *registers, int32_t slot, double value) {
    if (!mus_program_uses(p, slot)) return;
    double *to = mus_program_input(p, registers, slot);
    for (int i = 0; i < MUS_TRACE_BLOCK; i++) to[i] = value;
}

/* A Jacobian's block of nine outputs: does it vanish, and is it the same for all? */
typedef struct hold_kind {
    bool none, even;
} hold_kind;

static hold_kind kind_of(const mus_program *p, int first) {
    hold_kind kind = {true, true};
    for (int k = first; k < first + JACOBIAN; k++) {
        const mus_graph_item *item = &p->graph->items.data[p->output_node[k]];
        kind.none &= item->op == MUS_OP_CONSTANT && item->value == 0;
        kind.even &= item->op == MUS_OP_CONSTANT || item->op == MUS_OP_PARAMETER;
    }
    return kind;
}

/* -J of number i, made symmetric and positive: xx, xy, xz, yy, yz, zz. */
static void hold_of(const double *const *j, int i, double *out) {
    double m[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) m[3 * r + c] = -0.5 * (j[3 * r + c][i] + j[3 * c + r][i]);
    /* positive as it is by its leading minors, which most are; else without its negative eigenvalues */
    double minor = m[0] * m[4] - m[1] * m[1];
    double whole = m[8] * minor - m[5] * (m[0] * m[5] - m[1] * m[2]) + m[2] * (m[1] * m[5] - m[4] * m[2]);
    if (m[1] == 0 && m[2] == 0 && m[5] == 0)
        for (int k = 0; k < 9; k += 4) m[k] = m[k] > 0 ? m[k] : 0;
    else if (!(m[0] > 0 && minor > 0 && whole > 0))
        mus_project_psd(m, 3);
    out[0] = m[0], out[1] = m[1], out[2] = m[2], out[3] = m[4], out[4] = m[5], out[5] = m[8];
}

static void add_hold(const mus_program *p, const double *registers, hold_kind kind, int first, int count,
                     double *hold) {
    const double *j[JACOBIAN];
    double same[6];
    if (kind.none) return;
    for (int k = 0; k < JACOBIAN; k++) j[k] = mus_program_output(p, registers, first + k);
    for (int i = 0; i < count; i++) {
        if (i == 0 || !kind.even) hold_of(j, i, same);
        for (int k = 0; k < 6; k++) hold[12 * (size_t)i + (size_t)k] += same[k];
    }
}

bool mus_node_force_add(const mus_program *program, mus_cloth *cloth, double time, double dt, bool held, double *room,
                        int32_t *vertex) {
    const mus_program *p = held ? program : program->lean;
    hold_kind by_place = {true, true}, by_velocity = by_place;
    if (held) by_place = kind_of(p, FORCE), by_velocity = kind_of(p, FORCE + JACOBIAN);
    mus_program_begin(p, room);
    fill(p, room, MUS_INPUT_TIME, time);
    fill(p, room, MUS_INPUT_DT, dt);
    for (int32_t at = 0; at < cloth->vertex_count; at += MUS_TRACE_BLOCK) {
        int count = cloth->vertex_count - at < MUS_TRACE_BLOCK ? cloth->vertex_count - at : MUS_TRACE_BLOCK;
        gather(p, room, cloth, at, count);
        mus_program_block(p, room, count);
        double *f = cloth->f + 3 * (size_t)at, sum = 0;
        for (int k = 0; k < 3; k++) {
            const double *from = mus_program_output(p, room, k);
            for (int i = 0; i < count; i++) f[3 * i + k] += from[i], sum += 0 * from[i];
        }
        if (sum != 0) { /* NaN */
            for (int i = 0; i < count; i++)
                if (!v3_finite(v3_load(f + 3 * i))) {
                    *vertex = at + i;
                    return false;
                }
        }
        if (!held) continue;
        add_hold(p, room, by_place, FORCE, count, cloth->hold + 12 * (size_t)at);
        add_hold(p, room, by_velocity, FORCE + JACOBIAN, count, cloth->hold + 12 * (size_t)at + 6);
    }
    return true;
}
