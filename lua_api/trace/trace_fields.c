/* trace_fields.c: fields of the argument of a traced function, a contact or a node. */
#include "trace/trace.h"

#include <string.h>

typedef struct trace_field {
    const char *name;
    int32_t slot;
    int size;
} trace_field;

static const trace_field contact_fields[] = {{"normal", MUS_INPUT_NORMAL, 3},
                                             {"velocity", MUS_INPUT_VELOCITY, 3},
                                             {"gap", MUS_INPUT_GAP, 1},
                                             {"distance", MUS_INPUT_DISTANCE, 1},
                                             {"start_gap", MUS_INPUT_START_GAP, 1},
                                             {"mass", MUS_INPUT_MASS, 1},
                                             {"friction", MUS_INPUT_FRICTION, 1},
                                             {"restitution", MUS_INPUT_RESTITUTION, 1},
                                             {"dt", MUS_INPUT_DT, 1},
                                             {"toi", MUS_INPUT_TOI, 1},
                                             {"time", MUS_INPUT_TIME, 1},
                                             {"kind", MUS_INPUT_KIND, 1},
                                             {NULL, 0, 0}};
static const trace_field potential_fields[] = {{"gap", MUS_INPUT_GAP, 1},
                                               {"start_gap", MUS_INPUT_START_GAP, 1},
                                               {"slip", MUS_INPUT_SLIP, 1},
                                               {"distance", MUS_INPUT_DISTANCE, 1},
                                               {"friction", MUS_INPUT_FRICTION, 1},
                                               {"mass", MUS_INPUT_MASS, 1},
                                               {"dt", MUS_INPUT_DT, 1},
                                               {"time", MUS_INPUT_TIME, 1},
                                               {"kind", MUS_INPUT_KIND, 1},
                                               {NULL, 0, 0}};
static const trace_field node_fields[] = {{"position", MUS_INPUT_POSITION, 3},
                                          {"velocity", MUS_INPUT_VELOCITY, 3},
                                          {"normal", MUS_INPUT_NORMAL, 3},
                                          {"area", MUS_INPUT_AREA, 1},
                                          {"mass", MUS_INPUT_MASS, 1},
                                          {"time", MUS_INPUT_TIME, 1},
                                          {"dt", MUS_INPUT_DT, 1},
                                          {NULL, 0, 0}};

int mus_lua_push_input(lua_State *L, mus_lua_trace *trace, int32_t slot, int size) {
    mus_node out[3];
    for (int k = 0; k < size; k++) out[k] = mus_graph_add_input(trace->graph, slot + k);
    mus_lua_push_expression(L, size, out);
    return 1;
}

/* depth and thickness are computed from the others, as in contacts.c. */
static int push_made(lua_State *L, mus_lua_trace *trace, bool depth) {
    mus_node gap = mus_graph_add_input(trace->graph, MUS_INPUT_GAP), zero = mus_lua_number(L, 0), out;
    if (depth)
        out = mus_lua_apply(L, MUS_OP_SELECT, mus_lua_apply(L, MUS_OP_LT, gap, zero, -1),
                            mus_lua_apply(L, MUS_OP_NEG, gap, -1, -1), zero);
    else
        out = mus_lua_apply(L, MUS_OP_SUB, mus_graph_add_input(trace->graph, MUS_INPUT_DISTANCE), gap, -1);
    mus_lua_push_expression(L, 1, &out);
    return 1;
}

static const trace_field spring_fields[] = {
    {"length", MUS_INPUT_LENGTH, 1}, {"rest", MUS_INPUT_REST, 1}, {"rate", MUS_INPUT_RATE, 1}, {NULL, 0, 0}};

/* {of side 1, of side 2} */
static int push_sides(lua_State *L, mus_lua_trace *trace, int32_t first, int32_t second) {
    lua_createtable(L, 2, 0);
    for (int side = 0; side < 2; side++) {
        mus_lua_push_input(L, trace, side ? second : first, 3);
        lua_rawseti(L, -2, side + 1);
    }
    return 1;
}

/* length/rest - 1. */
static int push_strain(lua_State *L, mus_lua_trace *trace) {
    mus_node ratio = mus_lua_apply(L, MUS_OP_DIV, mus_graph_add_input(trace->graph, MUS_INPUT_LENGTH),
                                   mus_graph_add_input(trace->graph, MUS_INPUT_REST), -1);
    mus_node out = mus_lua_apply(L, MUS_OP_SUB, ratio, mus_lua_number(L, 1), -1);
    mus_lua_push_expression(L, 1, &out);
    return 1;
}

static const trace_field *fields_of(mus_program_kind kind) {
    switch (kind) {
    case MUS_PROGRAM_NODE_FORCE:
        return node_fields;
    case MUS_PROGRAM_POTENTIAL:
        return potential_fields;
    case MUS_PROGRAM_SPRING:
        return spring_fields;
    default:
        return contact_fields;
    }
}

int mus_lua_trace_index(lua_State *L) {
    mus_lua_trace *trace = luaL_checkudata(L, 1, MUS_LUA_TRACE);
    if (trace != mus_lua_tracing(L))
        return mus_lua_error(L, "%s: its argument has no values outside the function", trace->what);
    bool node = trace->kind == MUS_PROGRAM_NODE_FORCE, coefficient = trace->kind == MUS_PROGRAM_COEFFICIENT;
    const char *names[24], *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    int count = 0;
    for (const trace_field *f = fields_of(trace->kind); f->name; f++) {
        if (strcmp(f->name, name) == 0) return mus_lua_push_input(L, trace, f->slot, f->size);
        names[count++] = f->name;
    }
    if (trace->kind == MUS_PROGRAM_SPRING) {
        if (strcmp(name, "strain") == 0) return push_strain(L, trace);
        names[count++] = "strain", names[count] = NULL;
        return mus_lua_index_method(L, "spring", names);
    }
    if (!node) {
        if (strcmp(name, "depth") == 0 || strcmp(name, "thickness") == 0) return push_made(L, trace, name[0] == 'd');
        names[count++] = "depth", names[count++] = "thickness";
    }
    if (trace->kind == MUS_PROGRAM_RULE || trace->kind == MUS_PROGRAM_NODE_RULE || coefficient) {
        if (strcmp(name, "points") == 0) return push_sides(L, trace, MUS_INPUT_POSITION, MUS_INPUT_POSITION2);
        if (coefficient && strcmp(name, "load") == 0) return mus_lua_push_input(L, trace, MUS_INPUT_LOAD, 1);
        if (coefficient && strcmp(name, "warps") == 0) return push_sides(L, trace, MUS_INPUT_WARP, MUS_INPUT_WARP2);
        names[count++] = "points";
        if (coefficient) names[count++] = "load", names[count++] = "warps";
        static const char *const untraced[] = {"vertices", "weights", "objects", "impulse"};
        for (int k = 0; k < 4; k++)
            if (strcmp(name, untraced[k]) == 0)
                return mus_lua_error(L,
                                     "%s: field '%s' of a contact cannot be traced; use `between` for pairs of "
                                     "objects, or call the function for each contact with {trace = false}",
                                     trace->what, name);
    }
    names[count] = NULL;
    return mus_lua_index_method(L, node ? "node" : "contact", names);
}
