/* program_kernel.h: the evaluator's loop over instructions, by instruction set. */
#ifndef MUS_TRACE_PROGRAM_KERNEL_H
#define MUS_TRACE_PROGRAM_KERNEL_H

#include "trace/program.h"

/* Runs the instructions on the first `count` numbers of each register, rounded up to whole SIMD groups. */
typedef void mus_program_run_block(const mus_instruction *instructions, int32_t instruction_count, double *registers,
                                   int count);
mus_program_run_block mus_program_run_block_baseline, mus_program_run_block_avx2, mus_program_run_block_avx512;

#endif
