/* program.h: a graph as a list of instructions on registers, each of which is a block of numbers: one pass over an
 * instruction serves many contacts or nodes. */
#ifndef MUS_TRACE_PROGRAM_H
#define MUS_TRACE_PROGRAM_H

#include "trace/graph.h"

enum { MUS_TRACE_BLOCK = 64 }; /* numbers in a register */

/* Two operations in one instruction, each rounded: a product that is read only by a sum is fused into it. */
enum {
    MUS_FUSED_MUL_ADD = MUS_OP_COUNT, /* a b + c */
    MUS_FUSED_MUL_SUB,                /* a b - c */
    MUS_FUSED_SUB_MUL                 /* c - a b */
};

typedef struct mus_instruction {
    uint8_t op; /* mus_op, or a fused one */
    uint16_t out, arg[3];
    double seed; /* of MUS_OP_LATTICE */
} mus_instruction;

/* A register with one number for the whole run. */
typedef struct mus_fill {
    uint16_t at;
    int16_t parameter; /* -1: the constant */
    double value;
} mus_fill;

struct mus_program {
    mus_program_kind kind;
    int32_t ref_count;
    mus_graph *graph; /* the graph it was compiled from; owned */
    int32_t outputs, input_count, register_count;
    mus_node *output_node;           /* outputs */
    uint16_t *output;                /* outputs: registers */
    uint64_t inputs;                 /* bit k: slot k is used */
    uint16_t input[MUS_INPUT_COUNT]; /* register of a slot in use */
    int32_t instruction_count, fill_count;
    mus_instruction *instructions;
    mus_fill *fills;
    /* For a NODE_FORCE, on the same graph, else NULL: the force alone; and the force with six numbers each (xx xy xz yy
     * yz zz) of -df/dx and -df/dv, symmetrized. */
    mus_program *force_only, *with_jacobian;
    char *place; /* position of its function, for messages; NULL: not known */
};

/* Fails with INVALID; if the program's position is known, the message begins with it: "scene.lua:12: ". */
mus_status mus_program_fail(const mus_program *program, const char *format, ...);

/* Bytes of registers that a run needs. They should be aligned to a cache line, or SIMD accesses cross lines: a buffer
 * with MUS_TRACE_LINE more bytes can be aligned. */
enum { MUS_TRACE_LINE = 64 };
size_t mus_program_memory_size(const mus_program *program);
static inline double *mus_program_align(double *memory) {
    return (double *)(((uintptr_t)memory + (MUS_TRACE_LINE - 1)) & ~(uintptr_t)(MUS_TRACE_LINE - 1));
}
/* Writes constants and parameters to their registers, once before the blocks of a run: a changed parameter takes effect
 * in the next run. */
void mus_program_begin(const mus_program *program, double *registers);
/* Address of the numbers of an input of a block, and of those of an output after mus_program_block. */
static inline double *mus_program_input(const mus_program *program, double *registers, int32_t slot) {
    return registers + (size_t)program->input[slot] * MUS_TRACE_BLOCK;
}
static inline bool mus_program_uses(const mus_program *program, int32_t slot) {
    return program->inputs >> slot & 1;
}
static inline const double *mus_program_output(const mus_program *program, const double *registers, int32_t k) {
    return registers + (size_t)program->output[k] * MUS_TRACE_BLOCK;
}
/* Computes the first `count` numbers of each register (<= MUS_TRACE_BLOCK); the numbers beyond are overwritten. */
void mus_program_block(const mus_program *program, double *registers, int count);

/* Computes one number of each output, by scalar operations: inputs by slot, one number each. For programs of at most
 * MUS_PROGRAM_SMALL registers; bit-identical. */
enum { MUS_PROGRAM_SMALL = 1024 };
void mus_program_one(const mus_program *program, const double *inputs, double *outputs);

/* mus_program_evaluate_motion with messages that name the obstacle; NULL: not known. */
mus_status mus_program_move(const mus_program *program, const char *obstacle, double t, mus_pose *pose);

void mus_program_retain(mus_program *program);
/* Fills the numbers of a contact that programs read, by slot, MUS_INPUT_COUNT of them; and those that only a
 * coefficient reads. */
void mus_contact_inputs(const mus_contact *contact, double *inputs);
void mus_surface_inputs(const mus_contact_surface *surface, double *inputs);

#endif
