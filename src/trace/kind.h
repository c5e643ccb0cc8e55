/* kind.h: functions on the kinds of programs, shared by the files of this folder. */
#ifndef MUS_TRACE_KIND_H
#define MUS_TRACE_KIND_H

#include "trace/program.h"

const char *mus_program_kind_name(mus_program_kind kind);
const char *mus_program_kind_returns(mus_program_kind kind);
/* Compiles a program with any outputs; it takes ownership of the graph on success. */
mus_status mus_program_compile(mus_program_kind kind, mus_graph *graph, const mus_node *outputs, int32_t count,
                               mus_program **program);

#endif
