/* explain.c: a program as text: its inputs, its operations by kind, each of its lines, and its outputs. */
#include "trace/kind.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t size, used; /* used: by the whole text, whether it fits or not */
} writer;

static void put_text(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bool room = w->used < w->size;
    int length = vsnprintf(room ? w->text + w->used : NULL, room ? w->size - w->used : 0, format, args);
    va_end(args);
    if (length > 0) w->used += (size_t)length;
}

static const char *const input_names[MUS_INPUT_COUNT] = {
    "normal.x",  "normal.y",   "normal.z",   "velocity.x",  "velocity.y",  "velocity.z",  "mass",
    "gap",       "distance",   "friction",   "restitution", "dt",          "toi",         "time",
    "kind",      "position.x", "position.y", "position.z",  "position2.x", "position2.y", "position2.z",
    "start_gap", "area",       "slip",       "warp.x",      "warp.y",      "warp.z",      "warp2.x",
    "warp2.y",   "warp2.z",    "load",       "length",      "rest",        "rate"};

static void put_node(writer *w, const mus_graph *g, mus_node n) {
    const mus_graph_item *item = &g->items.data[n];
    if (item->op == MUS_OP_CONSTANT)
        put_text(w, "%.17g", item->value);
    else if (item->op == MUS_OP_INPUT)
        put_text(w, "%s", input_names[item->slot]);
    else if (item->op == MUS_OP_PARAMETER)
        put_text(w, "%s", g->parameters.data[item->slot]->name);
    else
        put_text(w, "v%d", n);
}

static void put_line(writer *w, const mus_graph *g, mus_node n) {
    static const char *const between[MUS_OP_COUNT] = {
        [MUS_OP_ADD] = "+", [MUS_OP_SUB] = "-", [MUS_OP_MUL] = "*", [MUS_OP_DIV] = "/",
        [MUS_OP_LT] = "<",  [MUS_OP_LE] = "<=", [MUS_OP_EQ] = "=="};
    const mus_graph_item *item = &g->items.data[n];
    put_text(w, "  v%d = ", n);
    if (between[item->op]) {
        put_node(w, g, item->arg[0]);
        put_text(w, " %s ", between[item->op]);
        put_node(w, g, item->arg[1]);
    } else {
        put_text(w, "%s(", mus_op_get_name(item->op));
        for (int k = 0; k < mus_op_arguments(item->op); k++) {
            if (k) put_text(w, ", ");
            put_node(w, g, item->arg[k]);
        }
        if (item->op == MUS_OP_LATTICE) put_text(w, "; seed %.17g", item->value);
        put_text(w, ")");
    }
    put_text(w, "\n");
}

static void put_result(writer *w, const mus_program *p, const char *name, int32_t first, int32_t count) {
    put_text(w, "%s:", name);
    for (int32_t k = first; k < first + count; k++) {
        put_text(w, k > first ? ", " : " ");
        put_node(w, p->graph, p->output_node[k]);
    }
    put_text(w, "\n");
}

/* needed: set to 1 for the nodes that the outputs need. */
static void mark_needed(const mus_program *p, mus_node n, uint8_t *needed) {
    for (mus_node k = 0; k <= n; k++) needed[k] = 0;
    for (int32_t k = 0; k < p->outputs; k++) needed[p->output_node[k]] = 1;
    for (mus_node k = n; k >= 0; k--)
        for (int j = 0; needed[k] && j < 3; j++)
            if (p->graph->items.data[k].arg[j] >= 0) needed[p->graph->items.data[k].arg[j]] = 1;
}

static void put_all(writer *w, const mus_program *p, const uint8_t *needed) {
    const mus_graph *g = p->graph;
    int32_t of_kind[MUS_OP_COUNT] = {0}, all = 0;
    for (mus_node k = 0; k < g->items.count; k++) {
        if (!needed[k] || mus_op_arguments(g->items.data[k].op) == 0) continue;
        of_kind[g->items.data[k].op]++;
        all++;
    }
    put_text(w, "%s: %d operations, %d registers\ncost:", mus_program_kind_name(p->kind), all, p->register_count);
    for (int op = 0; op < MUS_OP_COUNT; op++)
        if (of_kind[op]) put_text(w, " %d %s", of_kind[op], mus_op_get_name((mus_op)op));
    put_text(w, "\nreads:");
    for (int32_t k = 0; k < MUS_INPUT_COUNT; k++)
        if (mus_program_uses(p, k)) put_text(w, " %s", input_names[k]);
    put_text(w, "\n");
    for (int64_t k = 0; k < g->parameters.count; k++)
        put_text(w, "parameter: %s = %.17g\n", g->parameters.data[k]->name, g->parameters.data[k]->value);
    for (mus_node k = 0; k < g->items.count; k++)
        if (needed[k] && mus_op_arguments(g->items.data[k].op) > 0) put_line(w, g, k);
    const char *returns = mus_program_kind_returns(p->kind);
    switch (p->kind) {
    case MUS_PROGRAM_POTENTIAL:
        put_result(w, p, returns, 0, 1);
        put_result(w, p, "derivative: normal force -dE/dgap, N", 1, 1);
        put_result(w, p, "derivative: curvature d2E/dgap2, N/m (0 where negative)", 2, 1);
        if (p->outputs < 5) break;
        put_result(w, p, "derivative: by slip, N", 3, 1);
        put_result(w, p, "derivative: by slip twice, N/m (0 where negative)", 4, 1);
        break;
    case MUS_PROGRAM_NODE_FORCE:
        put_result(w, p, returns, 0, 3);
        put_result(w, p, "derivative: by position, N/m, row by row", 3, 9);
        put_result(w, p, "derivative: by velocity, N s/m", 12, 9);
        break;
    case MUS_PROGRAM_SPRING:
        put_result(w, p, returns, 0, 1);
        put_result(w, p, "derivative: by length, N/m", 1, 1);
        put_result(w, p, "derivative: by rate, N s/m", 2, 1);
        break;
    case MUS_PROGRAM_MOTION:
    case MUS_PROGRAM_WIND:
    case MUS_PROGRAM_COEFFICIENT:
    case MUS_PROGRAM_TOLERANCE:
        put_result(w, p, returns, 0, p->outputs);
        break;
    default:
        put_result(w, p, returns, 0, p->outputs);
        put_text(w, "derivative: impulses need none\n");
    }
}

size_t mus_program_explain(const mus_program *p, char *text, size_t size) {
    writer w = {text, size, 0};
    mus_node last = (mus_node)p->graph->items.count - 1;
    uint8_t *needed = mus_new((size_t)last + 2);
    if (size) text[0] = '\0';
    if (!needed) return 0;
    mark_needed(p, last, needed);
    put_all(&w, p, needed);
    mus_free(needed);
    return w.used;
}
