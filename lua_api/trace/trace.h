/* trace.h: traced functions: numbers and vectors that stand for those of any contact or node, parameters, and rules. */
#ifndef MUS_LUA_TRACE_H
#define MUS_LUA_TRACE_H

#include "binding.h"

/* ---- trace.c: expressions ---------------------------------------------------------------------------------------- */

/* One call of a function with expressions; the userdata is what the function gets as its argument. */
typedef struct mus_lua_trace {
    mus_graph *graph; /* NULL: over */
    mus_program_kind kind;
    const char *what; /* "rule", for messages */
} mus_lua_trace;

/* A number or a vector of a trace; user value 1: the trace. */
typedef struct mus_lua_expression {
    mus_lua_trace *trace;
    int size; /* 1 or 3 */
    mus_node node[3];
} mus_lua_expression;

mus_lua_expression *mus_lua_test_expression(lua_State *L, int index);
/* The trace under way, or NULL; `index` of a value that is an expression decides else. */
mus_lua_trace *mus_lua_tracing(lua_State *L);
/* A number, a parameter or an expression of one number at `index` as a node; raises naming `what`. */
mus_node mus_lua_check_node(lua_State *L, int index, const char *what);
/* A vec3, {x, y, z} or an expression at `index`; numbers in the table may be expressions. */
bool mus_lua_test_nodes(lua_State *L, int index, mus_node out[3]);
/* Pushes; a negative node raises what went wrong. */
void mus_lua_push_expression(lua_State *L, int size, const mus_node *nodes);
mus_node mus_lua_apply(lua_State *L, mus_op op, mus_node a, mus_node b, mus_node c); /* raises */
mus_node mus_lua_number(lua_State *L, double value);
/* What a traced number cannot do, and the way out. */
int mus_lua_refuse_branch(lua_State *L, const char *what, const char *instead);
/* A method of a vec3 whose other argument is an expression: done there, the result on top. */
bool mus_lua_traced_method(lua_State *L, const char *method);

/* trace_fields.c: an input of the graph, of 1 or 3 numbers, as an expression on top; and what `contact.gap` and its
 * like mean while a function is traced. */
#define MUS_LUA_TRACE "muslin.trace"
int mus_lua_push_input(lua_State *L, mus_lua_trace *trace, int32_t slot, int size);
int mus_lua_trace_index(lua_State *L);

/* Calls the function at `function` with expressions and pushes nothing; the program is the caller's. `what` names it
 * in messages. */
mus_program *mus_lua_trace_function(lua_State *L, int function, mus_program_kind kind, const char *what);

/* vec3(...) of traced numbers: the result on top. Parameters become their numbers where nothing is traced. */
bool mus_lua_traced_vec3(lua_State *L);
void mus_lua_open_trace(lua_State *L);      /* registers metatables, leaves nothing */
void mus_lua_open_trace_math(lua_State *L); /* the functions of the module table on top, for both kinds of numbers */

/* ---- param.c ----------------------------------------------------------------------------------------------------- */

mus_parameter *mus_lua_test_param(lua_State *L, int index); /* NULL: it is none */
void mus_lua_open_param(lua_State *L);                      /* leaves the function `param` */
/* A parameter at `index` becomes its present value, where no trace is under way. */
void mus_lua_settle_param(lua_State *L, int index);
/* For snapshots: pushes the values of those that the functions of the world reach, as a string; reads such a string
 * into what take is given, pushed (false: it is malformed); take sets them, and never raises. */
void mus_lua_push_params(lua_State *L, int world);
bool mus_lua_read_params(lua_State *L, int world, const uint8_t **at, size_t *left);
void mus_lua_take_params(lua_State *L, int table);

/* ---- rule.c ------------------------------------------------------------------------------------------------------ */

/* User value 1: the function. */
typedef struct mus_lua_rule {
    mus_program *program; /* NULL: not traced */
    mus_program_kind kind;
    bool check; /* traced and plain, compared */
} mus_lua_rule;

mus_lua_rule *mus_lua_test_rule(lua_State *L, int index);
/* What the core calls for the muslin.rule at `index` of an absolute index, and its `user`. */
mus_rule_fn mus_lua_rule_callback(lua_State *L, int world, int rule, void **user);
/* A function at `index` becomes a muslin.rule; raises for what is neither. */
void mus_lua_make_rule(lua_State *L, int index, const char *what, bool trace);
/* The same as a muslin.coefficient for a field, "friction" or "restitution". The world is locked while the function is
 * traced, here and below. */
void mus_lua_make_coefficient(lua_State *L, mus_lua_worldbox *box, int index, const char *field, const char *what,
                              bool trace);
/* The same as a muslin.spring_law. */
void mus_lua_make_spring_law(lua_State *L, mus_lua_worldbox *box, int index, const char *what);
/* The same as the tolerance of a place; box NULL: of a world that is yet to be made. */
void mus_lua_make_tolerance(lua_State *L, mus_lua_worldbox *box, int index, const char *what);
/* node_force.c: (force or wind, cloth, t) from within world:force. */
int mus_lua_call_node_force(lua_State *L);
void mus_lua_open_rule(lua_State *L); /* leaves `rule`, `potential` and their like in the module table on top */

#endif
