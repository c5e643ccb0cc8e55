/* kind.h: what the files of this room know of the kinds of programs. */
#ifndef MUS_TRACE_KIND_H
#define MUS_TRACE_KIND_H

#include "trace/program.h"

const char *mus_program_kind_name(mus_program_kind kind);
const char *mus_program_kind_returns(mus_program_kind kind);
/* Any outputs; the graph is taken over when it succeeds. */
mus_status mus_program_compile(mus_program_kind kind, mus_graph *graph, const mus_node *outputs, int32_t count,
                               mus_program **program);

#endif
