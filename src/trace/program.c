/* program.c: compiles a graph to instructions: nodes that no output needs are omitted, and a register is reused after
 * its last reader. */
#include "base/simd.h"
#include "trace/kind.h"
#include "trace/program_kernel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_REGISTERS = 65535, GONE = -1 };

typedef struct compiler {
    const mus_graph *graph;
    mus_program *program;
    int32_t *last;  /* of each node: the last node that reads it; -1: none needs it; count: an output */
    int32_t *reads; /* of each node: number of its readers, outputs included; GONE: fused into its reader */
    uint16_t *at;   /* of each node: its register */
    uint16_t *idle; /* registers free for reuse */
    int32_t idle_count, next;
} compiler;

static bool holds_number(mus_op op) {
    return op == MUS_OP_CONSTANT || op == MUS_OP_PARAMETER;
}

static void count_reads(compiler *c) {
    const mus_graph *g = c->graph;
    int32_t count = (int32_t)g->items.count;
    memset(c->reads, 0, sizeof *c->reads * (size_t)count);
    for (int32_t k = 0; k < c->program->outputs; k++) c->reads[c->program->output_node[k]]++;
    for (int32_t k = count - 1; k >= 0; k--)
        for (int j = 0; c->reads[k] && j < 3; j++)
            if (g->items.data[k].arg[j] >= 0) c->reads[g->items.data[k].arg[j]]++;
}

/* Returns the instruction of node k, and its arguments as nodes; those of a product fused into it come first. */
static int take_in(compiler *c, int32_t k, mus_node arg[3]) {
    const mus_graph_item *item = &c->graph->items.data[k];
    memcpy(arg, item->arg, sizeof item->arg);
    for (int j = 1; j >= 0 && (item->op == MUS_OP_ADD || item->op == MUS_OP_SUB); j--) {
        const mus_graph_item *product = &c->graph->items.data[item->arg[j]];
        if (product->op != MUS_OP_MUL || (c->reads[item->arg[j]] != 1 && c->reads[item->arg[j]] != GONE)) continue;
        c->reads[item->arg[j]] = GONE;
        arg[0] = product->arg[0], arg[1] = product->arg[1], arg[2] = item->arg[1 - j];
        if (item->op == MUS_OP_ADD) return MUS_FUSED_MUL_ADD;
        return j == 0 ? MUS_FUSED_MUL_SUB : MUS_FUSED_SUB_MUL;
    }
    return item->op;
}

static void mark_needed(compiler *c) {
    int32_t count = (int32_t)c->graph->items.count;
    count_reads(c);
    for (int32_t k = 0; k < count; k++) c->last[k] = -1;
    for (int32_t k = 0; k < c->program->outputs; k++) c->last[c->program->output_node[k]] = count;
    for (int32_t k = count - 1; k >= 0; k--) {
        mus_node arg[3];
        if (c->last[k] < 0) continue;
        take_in(c, k, arg);
        for (int j = 0; j < 3; j++)
            if (arg[j] >= 0 && c->last[arg[j]] < k) c->last[arg[j]] = k;
    }
}

/* Constants, parameters and inputs keep their registers for a whole run: they come first. */
static void place_leaves(compiler *c) {
    mus_program *p = c->program;
    for (int32_t k = 0; k < c->graph->items.count; k++) {
        const mus_graph_item *item = &c->graph->items.data[k];
        if (c->last[k] < 0) continue;
        if (holds_number(item->op)) {
            int16_t parameter = item->op == MUS_OP_PARAMETER ? (int16_t)item->slot : (int16_t)-1;
            p->fills[p->fill_count++] = (mus_fill){(uint16_t)c->next, parameter, item->value};
            c->at[k] = (uint16_t)c->next++;
        } else if (item->op == MUS_OP_INPUT) {
            p->inputs |= (uint64_t)1 << item->slot;
            p->input[item->slot] = (uint16_t)c->next;
            p->input_count++;
            c->at[k] = (uint16_t)c->next++;
        }
    }
}

static void emit_code(compiler *c) {
    mus_program *p = c->program;
    const mus_graph *g = c->graph;
    for (int32_t k = 0; k < g->items.count; k++) {
        const mus_graph_item *item = &g->items.data[k];
        if (c->last[k] < 0 || mus_op_arguments(item->op) == 0) continue;
        mus_node arg[3];
        mus_instruction i = {.op = (uint8_t)take_in(c, k, arg), .seed = item->value};
        for (int j = 0; j < 3; j++) i.arg[j] = arg[j] >= 0 ? c->at[arg[j]] : c->at[arg[0]];
        for (int j = 0; j < 3; j++) { /* last read here; the result may reuse an argument's register */
            mus_node a = arg[j];
            if (a < 0 || c->last[a] != k || mus_op_arguments(g->items.data[a].op) == 0) continue;
            c->last[a] = -1;
            c->idle[c->idle_count++] = c->at[a];
        }
        i.out = c->idle_count ? c->idle[--c->idle_count] : (uint16_t)c->next++;
        c->at[k] = i.out;
        p->instructions[p->instruction_count++] = i;
    }
    for (int32_t k = 0; k < p->outputs; k++) p->output[k] = c->at[p->output_node[k]];
    p->register_count = c->next;
}

static mus_status compile(mus_program *p) {
    const mus_graph *g = p->graph;
    size_t count = (size_t)g->items.count;
    compiler c = {.graph = g, .program = p};
    c.last = mus_new(sizeof *c.last * count);
    c.reads = mus_new(sizeof *c.reads * count);
    c.at = mus_new(sizeof *c.at * count);
    c.idle = mus_new(sizeof *c.idle * count);
    p->instructions = mus_new(sizeof *p->instructions * count);
    p->fills = mus_new(sizeof *p->fills * count);
    bool all = c.last && c.reads && c.at && c.idle && p->instructions && p->fills;
    if (all) {
        mark_needed(&c);
        place_leaves(&c);
        emit_code(&c);
    }
    mus_free(c.last);
    mus_free(c.reads);
    mus_free(c.at);
    mus_free(c.idle);
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

_Static_assert((int)MUS_GRAPH_LARGEST <= (int)MOST_REGISTERS && MUS_INPUT_COUNT <= 64,
               "registers and inputs have their numbers");

mus_status mus_program_compile(mus_program_kind kind, mus_graph *graph, const mus_node *outputs, int32_t count,
                               mus_program **out) {
    *out = NULL;
    if (graph->failed) return MUS_STATUS_INVALID; /* the error record has the message */
    mus_program *p = mus_new(sizeof *p);
    if (!p) return MUS_STATUS_NO_MEMORY;
    p->kind = kind;
    p->ref_count = 1;
    p->outputs = count;
    p->graph = graph;
    p->output_node = mus_new(sizeof *p->output_node * (size_t)count);
    p->output = mus_new(sizeof *p->output * (size_t)count);
    mus_status status = p->output_node && p->output ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        memcpy(p->output_node, outputs, sizeof *outputs * (size_t)count);
        status = compile(p);
    }
    if (status != MUS_STATUS_OK) {
        p->graph = NULL; /* the caller keeps it */
        mus_program_release(p);
        return status;
    }
    *out = p;
    return MUS_STATUS_OK;
}

mus_status mus_program_set_place(mus_program *p, const char *place) {
    char *copy = place ? mus_copy_string(place) : NULL;
    if (place && !copy) return MUS_STATUS_NO_MEMORY;
    mus_free(p->place);
    p->place = copy;
    return MUS_STATUS_OK;
}

mus_status mus_program_fail(const mus_program *p, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mus_fail(MUS_STATUS_INVALID, "%s%s%s", p->place ? p->place : "", p->place ? ": " : "", text);
}

void mus_program_retain(mus_program *p) {
    p->ref_count++;
}

void mus_program_release(mus_program *p) {
    if (!p || --p->ref_count > 0) return;
    mus_program *parts[2] = {p->force_only, p->with_jacobian};
    for (int k = 0; k < 2; k++) {
        if (parts[k]) parts[k]->graph = NULL; /* it belongs to the main program */
        mus_program_release(parts[k]);
    }
    mus_graph_destroy(p->graph);
    void *blocks[] = {p->output_node, p->output, p->instructions, p->fills, p->place, p};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
}

size_t mus_program_memory_size(const mus_program *p) {
    return sizeof(double) * MUS_TRACE_BLOCK * (size_t)p->register_count;
}

void mus_program_begin(const mus_program *p, double *registers) {
    for (int32_t k = 0; k < p->fill_count; k++) {
        const mus_fill *fill = &p->fills[k];
        double value = fill->parameter < 0 ? fill->value : p->graph->parameters.data[fill->parameter]->value;
        double *at = registers + (size_t)fill->at * MUS_TRACE_BLOCK;
        for (int i = 0; i < MUS_TRACE_BLOCK; i++) at[i] = value;
    }
}

void mus_program_block(const mus_program *p, double *registers, int count) {
    static mus_program_run_block *const kernel[MUS_SIMD_COUNT] = {
        mus_program_run_block_baseline, mus_program_run_block_avx2, mus_program_run_block_avx512};
    kernel[mus_simd_level()](p->instructions, p->instruction_count, registers, count);
}

static double value_of(const mus_instruction *i, double a, double b, double c) {
    switch (i->op) {
    case MUS_FUSED_MUL_ADD:
        return a * b + c;
    case MUS_FUSED_MUL_SUB:
        return a * b - c;
    case MUS_FUSED_SUB_MUL:
        return c - a * b;
    default:
        return mus_op_evaluate((mus_op)i->op, a, b, c, i->seed);
    }
}

void mus_program_one(const mus_program *p, const double *inputs, double *outputs) {
    double r[MUS_PROGRAM_SMALL];
    for (int32_t k = 0; k < p->fill_count; k++) {
        const mus_fill *fill = &p->fills[k];
        r[fill->at] = fill->parameter < 0 ? fill->value : p->graph->parameters.data[fill->parameter]->value;
    }
    for (uint64_t left = p->inputs; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        r[p->input[slot]] = inputs[slot];
    }
    for (int32_t k = 0; k < p->instruction_count; k++) {
        const mus_instruction *i = &p->instructions[k];
        r[i->out] = value_of(i, r[i->arg[0]], r[i->arg[1]], r[i->arg[2]]);
    }
    for (int32_t k = 0; k < p->outputs; k++) outputs[k] = r[p->output[k]];
}
