/* graph.c: creates nodes: checks, constant folding, one node for equal expressions.
 *
 * Folding keeps the bits that evaluation would give: only operations that are exact for every number, NaN and signed
 * zeros included, are removed (x * 1, x / 1, x - 0, x + -0). */
#include "trace/graph.h"
#include "base/hash.h"
#include "base/word.h"

#include <math.h>

/* ---- Operations -------------------------------------------------------------------------------------------------- */

typedef struct op_info {
    const char *name;
    int arguments;
    bool commutes;
} op_info;

static const op_info ops[MUS_OP_COUNT] = {
    [MUS_OP_CONSTANT] = {"constant", 0, false},
    [MUS_OP_PARAMETER] = {"parameter", 0, false},
    [MUS_OP_INPUT] = {"input", 0, false},
    [MUS_OP_ADD] = {"add", 2, true},
    [MUS_OP_SUB] = {"sub", 2, false},
    [MUS_OP_MUL] = {"mul", 2, true},
    [MUS_OP_DIV] = {"div", 2, false},
    [MUS_OP_NEG] = {"neg", 1, false},
    [MUS_OP_MIN] = {"min", 2, false},
    [MUS_OP_MAX] = {"max", 2, false},
    [MUS_OP_ABS] = {"abs", 1, false},
    [MUS_OP_SQRT] = {"sqrt", 1, false},
    [MUS_OP_FLOOR] = {"floor", 1, false},
    [MUS_OP_LT] = {"lt", 2, false},
    [MUS_OP_LE] = {"le", 2, false},
    [MUS_OP_EQ] = {"eq", 2, true},
    [MUS_OP_SELECT] = {"select", 3, false},
    [MUS_OP_EXP] = {"exp", 1, false},
    [MUS_OP_LOG] = {"log", 1, false},
    [MUS_OP_SIN] = {"sin", 1, false},
    [MUS_OP_COS] = {"cos", 1, false},
    [MUS_OP_TAN] = {"tan", 1, false},
    [MUS_OP_ASIN] = {"asin", 1, false},
    [MUS_OP_ACOS] = {"acos", 1, false},
    [MUS_OP_ATAN2] = {"atan2", 2, false},
    [MUS_OP_POW] = {"pow", 2, false},
    [MUS_OP_LATTICE] = {"lattice", 3, false},
};

const char *mus_op_get_name(mus_op op) {
    return op >= 0 && op < MUS_OP_COUNT ? ops[op].name : "";
}

int mus_op_arguments(mus_op op) {
    return ops[op].arguments;
}

static uint64_t mix_hash(uint64_t z) { /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Beyond 2^62, and for NaN, the lattice is constant. */
static uint64_t lattice_index(double x) {
    return fabs(x) < 0x1p62 ? (uint64_t)(int64_t)x : 0;
}

double mus_lattice(double x, double y, double z, double seed) {
    uint64_t h = mix_hash(lattice_index(seed) + 0x9e3779b97f4a7c15u);
    h = mix_hash(h ^ lattice_index(x));
    h = mix_hash(h + lattice_index(y));
    h = mix_hash(h ^ lattice_index(z));
    return (double)(h >> 11) * 0x1p-52 - 1;
}

double mus_op_evaluate(mus_op op, double a, double b, double c, double value) {
    switch (op) {
    case MUS_OP_ADD:
        return a + b;
    case MUS_OP_SUB:
        return a - b;
    case MUS_OP_MUL:
        return a * b;
    case MUS_OP_DIV:
        return a / b;
    case MUS_OP_NEG:
        return -a;
    case MUS_OP_MIN:
        return b < a || isnan(b) ? b : a;
    case MUS_OP_MAX:
        return b > a || isnan(b) ? b : a;
    case MUS_OP_ABS:
        return fabs(a);
    case MUS_OP_SQRT:
        return sqrt(a);
    case MUS_OP_FLOOR:
        return floor(a);
    case MUS_OP_LT:
        return a < b;
    case MUS_OP_LE:
        return a <= b;
    case MUS_OP_EQ:
        return a == b;
    case MUS_OP_SELECT:
        return a != 0 ? b : c;
    case MUS_OP_EXP:
        return mus_exp(a);
    case MUS_OP_LOG:
        return mus_log(a);
    case MUS_OP_SIN:
        return mus_sin(a);
    case MUS_OP_COS:
        return mus_cos(a);
    case MUS_OP_TAN:
        return mus_tan(a);
    case MUS_OP_ASIN:
        return mus_asin(a);
    case MUS_OP_ACOS:
        return mus_acos(a);
    case MUS_OP_ATAN2:
        return mus_atan2(a, b);
    case MUS_OP_POW:
        return mus_pow(a, b);
    case MUS_OP_LATTICE:
        return mus_lattice(a, b, c, value);
    case MUS_OP_CONSTANT:
    case MUS_OP_PARAMETER:
    case MUS_OP_INPUT:
    case MUS_OP_COUNT:
        break;
    }
    return value;
}

/* ---- Parameters -------------------------------------------------------------------------------------------------- */

mus_status mus_parameter_create(const char *name, double value, mus_parameter **out) {
    *out = NULL;
    if (!name || !*name) return mus_fail(MUS_STATUS_INVALID, "param: it must have a name");
    if (!isfinite(value))
        return mus_fail(MUS_STATUS_INVALID, "param '%s': its value must be finite (got %s)", name,
                        mus_word_of_number(value).text);
    mus_parameter *p = mus_new(sizeof *p);
    if (!p) return MUS_STATUS_NO_MEMORY;
    p->name = mus_copy_string(name);
    if (!p->name) {
        mus_free(p);
        return MUS_STATUS_NO_MEMORY;
    }
    p->value = value;
    p->ref_count = 1;
    *out = p;
    return MUS_STATUS_OK;
}

void mus_parameter_retain(mus_parameter *p) {
    p->ref_count++;
}

void mus_parameter_release(mus_parameter *p) {
    if (!p || --p->ref_count > 0) return;
    mus_free(p->name);
    mus_free(p);
}

const char *mus_parameter_get_name(const mus_parameter *p) {
    return p->name;
}

double mus_parameter_get_value(const mus_parameter *p) {
    return p->value;
}

mus_status mus_parameter_set_value(mus_parameter *p, double value) {
    if (!isfinite(value))
        return mus_fail(MUS_STATUS_INVALID, "param '%s': its value must be finite (got %s)", p->name,
                        mus_word_of_number(value).text);
    p->value = value;
    return MUS_STATUS_OK;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

mus_status mus_graph_create(mus_graph **out) {
    *out = mus_new(sizeof **out);
    return *out ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_graph_destroy(mus_graph *g) {
    if (!g) return;
    for (int64_t k = 0; k < g->parameters.count; k++) mus_parameter_release(g->parameters.data[k]);
    mus_array_free(&g->items);
    mus_array_free(&g->parameters);
    mus_array_free(&g->table);
    mus_array_free(&g->derived);
    mus_free(g);
}

int32_t mus_graph_get_node_count(const mus_graph *g) {
    return (int32_t)g->items.count;
}

static uint64_t hash_of(const mus_graph_item *item) {
    uint64_t bits;
    memcpy(&bits, &item->value, sizeof bits);
    int64_t words[6] = {item->op, item->arg[0], item->arg[1], item->arg[2], item->slot, (int64_t)bits};
    return mus_hash_chain(0, words, sizeof words);
}

static bool is_same_item(const mus_graph_item *a, const mus_graph_item *b) {
    return a->op == b->op && a->slot == b->slot && memcmp(a->arg, b->arg, sizeof a->arg) == 0 &&
           memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

/* The slot of an equal node, or the free one where it belongs. */
static int64_t find(const mus_graph *g, const mus_graph_item *item) {
    uint64_t mask = (uint64_t)g->table.count - 1, at = hash_of(item) & mask;
    for (;; at = (at + 1) & mask) {
        mus_node node = g->table.data[at];
        if (node < 0 || is_same_item(&g->items.data[node], item)) return (int64_t)at;
    }
}

static bool widen_table(mus_graph *g) {
    int64_t size = g->table.count ? 2 * g->table.count : 64;
    if (!mus_array_reserve(&g->table, size)) return false;
    memset(g->table.data, -1, sizeof *g->table.data * (size_t)size);
    g->table.count = size;
    for (int64_t k = 0; k < g->items.count; k++) g->table.data[find(g, &g->items.data[k])] = (mus_node)k;
    return true;
}

static mus_node failed(mus_graph *g) {
    g->failed = true;
    return -1;
}

static bool is_polynomial(const mus_graph *g, const mus_graph_item *item) {
    bool is = item->op == MUS_OP_ADD || item->op == MUS_OP_SUB || item->op == MUS_OP_MUL || item->op == MUS_OP_NEG;
    for (int k = 0; is && k < ops[item->op].arguments; k++) is = g->items.data[item->arg[k]].polynomial;
    return is || ops[item->op].arguments == 0;
}

static mus_node intern(mus_graph *g, const mus_graph_item *item) {
    if (2 * (g->items.count + 1) > g->table.count && !widen_table(g)) return failed(g);
    int64_t at = find(g, item);
    if (g->table.data[at] >= 0) return g->table.data[at];
    if (g->items.count >= MUS_GRAPH_LARGEST) {
        mus_fail(MUS_STATUS_INVALID,
                 "traced function: it has more than %d operations; a loop in it is written out when it is traced",
                 MUS_GRAPH_LARGEST);
        return failed(g);
    }
    if (!mus_array_push(&g->items, *item)) return failed(g);
    g->items.data[g->items.count - 1].polynomial = is_polynomial(g, item);
    return g->table.data[at] = (mus_node)(g->items.count - 1);
}

mus_node mus_graph_add_constant(mus_graph *g, double value) {
    mus_graph_item item = {.op = MUS_OP_CONSTANT, .arg = {-1, -1, -1}, .value = value, .slot = -1};
    return intern(g, &item);
}

mus_node mus_graph_add_input(mus_graph *g, int32_t slot) {
    if (slot < 0 || slot >= MUS_INPUT_COUNT) {
        mus_fail(MUS_STATUS_INVALID, "traced function: there is no input %d", slot);
        return failed(g);
    }
    mus_graph_item item = {.op = MUS_OP_INPUT, .arg = {-1, -1, -1}, .slot = slot};
    return intern(g, &item);
}

mus_node mus_graph_add_parameter(mus_graph *g, mus_parameter *p) {
    int64_t slot = 0;
    while (slot < g->parameters.count && g->parameters.data[slot] != p) slot++;
    if (slot == g->parameters.count) {
        for (int64_t k = 0; k < slot; k++)
            if (strcmp(g->parameters.data[k]->name, p->name) == 0) {
                mus_fail(MUS_STATUS_INVALID, "param '%s': another one of this name is in the same function", p->name);
                return failed(g);
            }
        if (!mus_array_push(&g->parameters, p)) return failed(g);
        mus_parameter_retain(p);
    }
    mus_graph_item item = {.op = MUS_OP_PARAMETER, .arg = {-1, -1, -1}, .slot = (int32_t)slot};
    return intern(g, &item);
}

static bool is_number(const mus_graph *g, mus_node n, double value) {
    const mus_graph_item *item = &g->items.data[n];
    return item->op == MUS_OP_CONSTANT && item->value == value && signbit(item->value) == signbit(value);
}

/* Returns the node that equals an operation without performing it, or -1. */
static mus_node shortcut(const mus_graph *g, const mus_graph_item *i) {
    mus_node a = i->arg[0], b = i->arg[1];
    switch (i->op) {
    case MUS_OP_ADD:
        return is_number(g, a, -0.0) ? b : is_number(g, b, -0.0) ? a : -1;
    case MUS_OP_SUB:
        return is_number(g, b, 0.0) ? a : -1;
    case MUS_OP_MUL:
        return is_number(g, a, 1) ? b : is_number(g, b, 1) ? a : -1;
    case MUS_OP_DIV:
        return is_number(g, b, 1) ? a : -1;
    case MUS_OP_NEG:
        return g->items.data[a].op == MUS_OP_NEG ? g->items.data[a].arg[0] : -1;
    case MUS_OP_MIN:
    case MUS_OP_MAX:
        return a == b ? a : -1;
    case MUS_OP_ABS:
        return g->items.data[a].op == MUS_OP_ABS ? a : -1;
    case MUS_OP_SELECT:
        if (g->items.data[a].op == MUS_OP_CONSTANT) return g->items.data[a].value != 0 ? b : i->arg[2];
        return b == i->arg[2] ? b : -1;
    default:
        return -1;
    }
}

static mus_node make(mus_graph *g, mus_graph_item item) {
    int count = ops[item.op].arguments;
    bool constant = count > 0;
    double value[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (k >= count) {
            item.arg[k] = -1;
            continue;
        }
        if (item.arg[k] < 0) return failed(g); /* failures propagate */
        if (item.arg[k] >= g->items.count) {
            mus_fail(MUS_STATUS_INVALID, "traced function: argument %d of '%s' is no node of this graph", k + 1,
                     ops[item.op].name);
            return failed(g);
        }
        const mus_graph_item *of = &g->items.data[item.arg[k]];
        constant = constant && of->op == MUS_OP_CONSTANT;
        value[k] = of->value;
    }
    if (constant) return mus_graph_add_constant(g, mus_op_evaluate(item.op, value[0], value[1], value[2], item.value));
    mus_node known = shortcut(g, &item);
    if (known >= 0) return known;
    if (ops[item.op].commutes && item.arg[0] > item.arg[1]) {
        mus_node swap = item.arg[0];
        item.arg[0] = item.arg[1], item.arg[1] = swap;
    }
    return intern(g, &item);
}

mus_node mus_graph_add_operation(mus_graph *g, mus_op op, mus_node a, mus_node b, mus_node c) {
    if (op <= MUS_OP_INPUT || op >= MUS_OP_COUNT || op == MUS_OP_LATTICE) {
        mus_fail(MUS_STATUS_INVALID, "traced function: operation %d is not one that takes arguments", (int)op);
        return failed(g);
    }
    return make(g, (mus_graph_item){.op = op, .arg = {a, b, c}, .slot = -1});
}

mus_node mus_graph_add_lattice(mus_graph *g, mus_node x, mus_node y, mus_node z, double seed) {
    return make(g, (mus_graph_item){.op = MUS_OP_LATTICE, .arg = {x, y, z}, .value = seed, .slot = -1});
}
