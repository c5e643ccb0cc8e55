/* kind.c: programs as users create and call them: inputs, outputs and derivatives of each kind. */

#include "trace/kind.h"
#include "base/word.h"

#include <math.h>

#define BIT(slot)    ((uint64_t)1 << (slot))
#define VECTOR(slot) (BIT(slot) | BIT((slot) + 1) | BIT((slot) + 2))

static const uint64_t of_contact = VECTOR(MUS_INPUT_NORMAL) | VECTOR(MUS_INPUT_VELOCITY) | BIT(MUS_INPUT_MASS) |
                                   BIT(MUS_INPUT_GAP) | BIT(MUS_INPUT_DISTANCE) | BIT(MUS_INPUT_START_GAP) |
                                   BIT(MUS_INPUT_FRICTION) | BIT(MUS_INPUT_RESTITUTION) | BIT(MUS_INPUT_DT) |
                                   BIT(MUS_INPUT_TOI) | BIT(MUS_INPUT_TIME) | BIT(MUS_INPUT_KIND) |
                                   VECTOR(MUS_INPUT_POSITION) | VECTOR(MUS_INPUT_POSITION2);
static const uint64_t of_potential = BIT(MUS_INPUT_GAP) | BIT(MUS_INPUT_DISTANCE) | BIT(MUS_INPUT_MASS) |
                                     BIT(MUS_INPUT_FRICTION) | BIT(MUS_INPUT_DT) | BIT(MUS_INPUT_TIME) |
                                     BIT(MUS_INPUT_KIND) | BIT(MUS_INPUT_START_GAP) | BIT(MUS_INPUT_SLIP);
static const uint64_t of_node = VECTOR(MUS_INPUT_NORMAL) | VECTOR(MUS_INPUT_VELOCITY) | BIT(MUS_INPUT_MASS) |
                                BIT(MUS_INPUT_DT) | BIT(MUS_INPUT_TIME) | VECTOR(MUS_INPUT_POSITION) |
                                BIT(MUS_INPUT_AREA);

static const uint64_t of_coefficient =
    VECTOR(MUS_INPUT_WARP) | VECTOR(MUS_INPUT_WARP2) | BIT(MUS_INPUT_LOAD); /* in addition to the inputs of a contact */
static const uint64_t of_spring = BIT(MUS_INPUT_LENGTH) | BIT(MUS_INPUT_REST) | BIT(MUS_INPUT_RATE);
static const uint64_t of_motion = BIT(MUS_INPUT_TIME), of_place = VECTOR(MUS_INPUT_POSITION) | BIT(MUS_INPUT_TIME);

typedef struct kind_info {
    const char *name, *returns;
    int32_t least, most; /* outputs */
} kind_info;

static const kind_info kinds[MUS_PROGRAM_KIND_COUNT] = {
    [MUS_PROGRAM_RULE] = {"rule of a contact", "impulse on side 1, N s; on side 2, if given", 3, 6},
    [MUS_PROGRAM_NODE_RULE] = {"rule of a contact's node", "new velocity, m/s", 3, 3},
    [MUS_PROGRAM_POTENTIAL] = {"potential of a contact", "energy, J", 1, 1},
    [MUS_PROGRAM_NODE_FORCE] = {"force on a node", "force, N", 3, 3},
    [MUS_PROGRAM_MOTION] = {"motion of an obstacle", "place, m; rotation w x y z, if given", 3, 7},
    [MUS_PROGRAM_WIND] = {"wind", "velocity of the air, m/s", 3, 3},
    [MUS_PROGRAM_COEFFICIENT] = {"coefficient of a contact", "coefficient", 1, 1},
    [MUS_PROGRAM_SPRING] = {"law of springs", "tension, N", 1, 1},
    [MUS_PROGRAM_TOLERANCE] = {"tolerance of a place", "distance, m", 1, 1},
};

const char *mus_program_kind_name(mus_program_kind kind) {
    return kinds[kind].name;
}
const char *mus_program_kind_returns(mus_program_kind kind) {
    return kinds[kind].returns;
}

static uint64_t allowed(mus_program_kind kind) {
    switch (kind) {
    case MUS_PROGRAM_POTENTIAL:
        return of_potential;
    case MUS_PROGRAM_NODE_FORCE:
        return of_node;
    case MUS_PROGRAM_MOTION:
        return of_motion;
    case MUS_PROGRAM_WIND:
    case MUS_PROGRAM_TOLERANCE:
        return of_place;
    case MUS_PROGRAM_COEFFICIENT:
        return of_contact | of_coefficient;
    case MUS_PROGRAM_SPRING:
        return of_spring;
    default:
        return of_contact;
    }
}

/* The energy, -dE/dd and d2E/dd2 along the normal, where gap and distance grow together; and dE/ds and d2E/ds2, if it
 * depends on slip. */
static int32_t derive_energy(mus_graph *g, mus_node *all) {
    static const int32_t along[2] = {MUS_INPUT_GAP, MUS_INPUT_DISTANCE};
    mus_node slope[3] = {all[0], -1, -1};
    for (int order = 0; order < 2; order++) {
        mus_node by[2];
        for (int k = 0; k < 2; k++) by[k] = mus_graph_add_derivative(g, slope[order], along[k]);
        slope[order + 1] = mus_graph_add_operation(g, MUS_OP_ADD, by[0], by[1], -1);
    }
    all[1] = mus_graph_add_operation(g, MUS_OP_NEG, slope[1], -1, -1);
    all[2] = slope[2];
    all[3] = mus_graph_add_derivative(g, all[0], MUS_INPUT_SLIP);
    all[4] = mus_graph_add_derivative(g, all[3], MUS_INPUT_SLIP);
    return all[3] == mus_graph_add_constant(g, 0) ? 3 : 5;
}

static int32_t derive_force(mus_graph *g, mus_node *all) {
    int32_t count = 3;
    for (int by = 0; by < 2; by++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                all[count++] = mus_graph_add_derivative(g, all[i], (by ? MUS_INPUT_VELOCITY : MUS_INPUT_POSITION) + j);
    return count;
}

/* -(a + b)/2. */
static mus_node minus_mean(mus_graph *g, mus_node a, mus_node b) {
    if (a == b) return mus_graph_add_operation(g, MUS_OP_NEG, a, -1, -1);
    const mus_graph_item *of[2] = {&g->items.data[a], &g->items.data[b]};
    bool none[2], negative = of[0]->op == MUS_OP_NEG && of[1]->op == MUS_OP_NEG;
    for (int k = 0; k < 2; k++) none[k] = of[k]->op == MUS_OP_CONSTANT && of[k]->value == 0;
    if (negative) a = of[0]->arg[0], b = of[1]->arg[0];
    mus_node sum = none[0] ? b : none[1] ? a : mus_graph_add_operation(g, MUS_OP_ADD, a, b, -1);
    return mus_graph_add_operation(g, MUS_OP_MUL, sum, mus_graph_add_constant(g, negative ? 0.5 : -0.5), -1);
}

/* Compiles the programs that mus_node_force_add runs. `all`: the nodes from derive_force. */
static mus_status compile_force(mus_program *p, const mus_node *all) {
    mus_node with_jacobian[15] = {all[0], all[1], all[2]};
    mus_graph *g = p->graph;
    int32_t count = 3;
    for (int by = 0; by < 2; by++)
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3 && !g->failed; j++)
                with_jacobian[count++] = minus_mean(g, all[3 + 9 * by + 3 * i + j], all[3 + 9 * by + 3 * j + i]);
    mus_status status = mus_program_compile(p->kind, g, all, 3, &p->force_only);
    return status == MUS_STATUS_OK ? mus_program_compile(p->kind, g, with_jacobian, count, &p->with_jacobian) : status;
}

mus_status mus_program_create(mus_program_kind kind, mus_graph *graph, const mus_node *outputs, int32_t count,
                              mus_program **out) {
    mus_node all[21];
    *out = NULL;
    if (kind < 0 || kind >= MUS_PROGRAM_KIND_COUNT)
        return mus_fail(MUS_STATUS_INVALID, "traced function: there is no kind %d", (int)kind);
    if (count != kinds[kind].least && count != kinds[kind].most)
        return mus_fail(MUS_STATUS_INVALID, "traced function: a %s returns %d numbers (got %d)", kinds[kind].name,
                        kinds[kind].least, count);
    for (int32_t k = 0; k < count; k++) {
        if (outputs[k] < 0 || outputs[k] >= graph->items.count)
            return graph->failed
                       ? MUS_STATUS_INVALID
                       : mus_fail(MUS_STATUS_INVALID, "traced function: output %d is no node of its graph", k + 1);
        all[k] = outputs[k];
    }
    if (kind == MUS_PROGRAM_POTENTIAL) count = derive_energy(graph, all);
    if (kind == MUS_PROGRAM_NODE_FORCE) count = derive_force(graph, all);
    if (kind == MUS_PROGRAM_SPRING) {
        all[1] = mus_graph_add_derivative(graph, all[0], MUS_INPUT_LENGTH);
        all[2] = mus_graph_add_derivative(graph, all[0], MUS_INPUT_RATE);
        count = 3;
    }
    mus_program *p;
    mus_status status = mus_program_compile(kind, graph, all, count, &p);
    if (status != MUS_STATUS_OK) return status;
    if (p->inputs & ~allowed(kind)) {
        p->graph = NULL; /* the caller keeps it */
        mus_program_release(p);
        return mus_fail(MUS_STATUS_INVALID, "traced function: it reads what a %s does not have", kinds[kind].name);
    }
    if (kind == MUS_PROGRAM_NODE_FORCE && (status = compile_force(p, all)) != MUS_STATUS_OK) {
        p->graph = NULL;
        mus_program_release(p);
        return status;
    }
    bool small = kind == MUS_PROGRAM_POTENTIAL || kind == MUS_PROGRAM_SPRING; /* also evaluated for single contacts */
    if (small && p->register_count > MUS_PROGRAM_SMALL) {
        p->graph = NULL;
        mus_program_release(p);
        return mus_fail(MUS_STATUS_INVALID,
                        "traced function: a %s with its derivatives may need at most %d numbers at once",
                        kinds[kind].name, MUS_PROGRAM_SMALL);
    }
    *out = p;
    return MUS_STATUS_OK;
}

mus_program_kind mus_program_get_kind(const mus_program *p) {
    return p->kind;
}

int32_t mus_program_get_output_count(const mus_program *p) {
    return p->outputs;
}

mus_parameter *mus_program_get_parameter(const mus_program *p, int32_t k) {
    return k >= 0 && k < p->graph->parameters.count ? p->graph->parameters.data[k] : NULL;
}

mus_parameter *mus_program_find_parameter(const mus_program *p, const char *name) {
    for (int64_t k = 0; k < p->graph->parameters.count; k++)
        if (strcmp(p->graph->parameters.data[k]->name, name) == 0) return p->graph->parameters.data[k];
    return NULL;
}

mus_status mus_program_evaluate(const mus_program *p, const double *const *inputs, int64_t count,
                                double *const *outputs) {
    for (int32_t slot = 0; slot < MUS_INPUT_COUNT; slot++)
        if (mus_program_uses(p, slot) && !inputs[slot])
            return mus_fail(MUS_STATUS_INVALID, "traced function: input %d has no numbers", slot);
    double *memory = mus_new(mus_program_memory_size(p) + MUS_TRACE_LINE), *registers = mus_program_align(memory);
    if (!memory) return MUS_STATUS_NO_MEMORY;
    mus_program_begin(p, registers);
    for (int64_t at = 0; at < count; at += MUS_TRACE_BLOCK) {
        int n = count - at < MUS_TRACE_BLOCK ? (int)(count - at) : MUS_TRACE_BLOCK;
        for (int32_t slot = 0; slot < MUS_INPUT_COUNT; slot++)
            if (mus_program_uses(p, slot))
                memcpy(mus_program_input(p, registers, slot), inputs[slot] + at, sizeof(double) * (size_t)n);
        mus_program_block(p, registers, n);
        for (int32_t k = 0; k < p->outputs; k++)
            memcpy(outputs[k] + at, mus_program_output(p, registers, k), sizeof(double) * (size_t)n);
    }
    mus_free(memory);
    return MUS_STATUS_OK;
}

void mus_contact_inputs(const mus_contact *c, double *inputs) {
    memset(inputs, 0, sizeof *inputs * MUS_INPUT_COUNT);
    for (int k = 0; k < 3; k++) {
        inputs[MUS_INPUT_NORMAL + k] = c->normal[k];
        inputs[MUS_INPUT_VELOCITY + k] = c->velocity[k];
        inputs[MUS_INPUT_POSITION + k] = c->point[0][k];
        inputs[MUS_INPUT_POSITION2 + k] = c->point[1][k];
    }
    inputs[MUS_INPUT_MASS] = c->mass;
    inputs[MUS_INPUT_GAP] = c->gap;
    inputs[MUS_INPUT_DISTANCE] = c->distance;
    inputs[MUS_INPUT_START_GAP] = c->start_gap;
    inputs[MUS_INPUT_FRICTION] = c->friction;
    inputs[MUS_INPUT_RESTITUTION] = c->restitution;
    inputs[MUS_INPUT_DT] = c->dt;
    inputs[MUS_INPUT_TOI] = c->toi;
    inputs[MUS_INPUT_TIME] = c->time;
    inputs[MUS_INPUT_KIND] = c->kind;
}

void mus_surface_inputs(const mus_contact_surface *surface, double *inputs) {
    memcpy(&inputs[MUS_INPUT_WARP], surface->warp[0], sizeof surface->warp[0]);
    memcpy(&inputs[MUS_INPUT_WARP2], surface->warp[1], sizeof surface->warp[1]);
    inputs[MUS_INPUT_LOAD] = surface->load;
}

/* One contact: one number for each output. */
static mus_status evaluate_one(const mus_program *p, const double *number, double *result) {
    const double *inputs[MUS_INPUT_COUNT];
    double *outputs[6];
    for (int k = 0; k < MUS_INPUT_COUNT; k++) inputs[k] = &number[k];
    for (int k = 0; k < p->outputs; k++) outputs[k] = &result[k];
    return mus_program_evaluate(p, inputs, 1, outputs);
}

mus_status mus_program_evaluate_coefficient(void *user, const mus_contact *contact, const mus_contact_surface *surface,
                                            double *value) {
    const mus_program *p = user;
    if (p->kind != MUS_PROGRAM_COEFFICIENT)
        return mus_fail(MUS_STATUS_INVALID, "coefficient: it must be a coefficient of a contact (got a %s)",
                        kinds[p->kind].name);
    double number[MUS_INPUT_COUNT];
    mus_contact_inputs(contact, number);
    mus_surface_inputs(surface, number);
    return evaluate_one(p, number, value);
}

mus_status mus_program_evaluate_rule(void *user, const mus_contact *contact, double impulse[2][3]) {
    const mus_program *p = user;
    if (p->kind != MUS_PROGRAM_RULE && p->kind != MUS_PROGRAM_NODE_RULE)
        return mus_fail(MUS_STATUS_INVALID, "response: field 'rule' must be a rule (got a %s)", kinds[p->kind].name);
    double number[MUS_INPUT_COUNT], result[6] = {0, 0, 0, NAN, NAN, NAN};
    mus_contact_inputs(contact, number);
    mus_status status = evaluate_one(p, number, result);
    for (int k = 3; k < p->outputs && status == MUS_STATUS_OK; k++)
        if (!isfinite(result[k])) /* otherwise NaN would stand for a second side that was not returned */
            status = mus_program_fail(
                p, "response rule: the impulse on side 2 must be finite (got %s at %d); keep divisors and roots off 0",
                mus_word_of_number(result[k]).text, k - 2);
    memcpy(impulse, result, sizeof result);
    return status;
}

mus_status mus_program_evaluate_motion(void *user, double t, mus_pose *pose) {
    return mus_program_move(user, NULL, t, pose);
}

mus_status mus_program_move(const mus_program *p, const char *obstacle, double t, mus_pose *pose) {
    const char *open = obstacle ? " '" : "", *name = obstacle ? obstacle : "", *close = obstacle ? "'" : "";
    if (p->kind != MUS_PROGRAM_MOTION)
        return mus_fail(MUS_STATUS_INVALID, "obstacle: the motion must be a motion (got a %s)", kinds[p->kind].name);
    const double *inputs[MUS_INPUT_COUNT] = {NULL};
    double result[7], *outputs[7], square = 0;
    inputs[MUS_INPUT_TIME] = &t;
    for (int k = 0; k < 7; k++) outputs[k] = &result[k];
    mus_status status = mus_program_evaluate(p, inputs, 1, outputs);
    if (status != MUS_STATUS_OK) return status;
    for (int k = 0; k < 3; k++)
        if (!isfinite(result[k]))
            return mus_program_fail(p,
                                    "obstacle%s%s%s: the motion's place at t = %g s must be finite, m (got {%s, %s, "
                                    "%s}); keep divisors and roots off 0",
                                    open, name, close, t, mus_word_of_number(result[0]).text,
                                    mus_word_of_number(result[1]).text, mus_word_of_number(result[2]).text);
    memcpy(pose->position, result, sizeof pose->position);
    if (p->outputs == 3) return MUS_STATUS_OK;
    for (int k = 3; k < 7; k++) square += result[k] * result[k];
    double length = sqrt(square);
    if (!(fabs(length - 1) < 1e-3))
        return mus_program_fail(p,
                                "obstacle%s%s%s: the rotation of the motion at t = %g s must be a unit quaternion {w, "
                                "x, y, z} (its length is %s)",
                                open, name, close, t, mus_word_of_number(length).text);
    for (int k = 0; k < 4; k++) pose->rotation[k] = result[3 + k] / length;
    return MUS_STATUS_OK;
}
