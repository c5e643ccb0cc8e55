/* traced.c: evaluates traced rules for many contacts at once, with the same bits as one after the other. A rule reads
 * the positions that rules before it have changed. Only contacts that share a movable vertex or a rigid body depend on
 * each other: the level of a contact is above those of earlier contacts that share one with it, and the contacts of a
 * level are evaluated together, level after level; window after window of the list. */
#include "solve/solver.h"

/* Number of contact constraints per window: few enough to stay in the cache while they are visited by level. */
enum { WINDOW = 2048 };

typedef struct mus_rule_batch {
    int32_t level[WINDOW];     /* of each contact constraint of a window; -1: it has no rule */
    int32_t order[WINDOW];     /* contact constraints by level */
    int32_t start[WINDOW + 1]; /* start of each level in `order` */
    MUS_ARRAY(double) registers;
    MUS_ARRAY(int64_t) room; /* offset of each response's registers */
} mus_rule_batch;

void mus_rule_batch_free(mus_rule_batch *b) {
    if (!b) return;
    mus_array_free(&b->registers);
    mus_array_free(&b->room);
    mus_free(b);
}

static int corner_count(const mus_contact_constraint *constraint) {
    return constraint->plane ? 1 : 4;
}

static const mus_program *program_of(const mus_solver *s, int32_t response) {
    return s->responses[response].rule.program;
}

static double *registers_of(const mus_rule_batch *b, int32_t response) {
    return mus_program_align(b->registers.data) + b->room.data[response];
}

/* Fills `place` with the states that a contact reads and changes: vertices; a rigid body counts as its first one. */
static int shared_states(const mus_assembly *a, const mus_contact_constraint *constraint, int32_t place[6]) {
    int count = 0;
    for (int k = 0; k < corner_count(constraint); k++)
        if (a->inverse_mass[constraint->vertex[k]] > 0) place[count++] = constraint->vertex[k];
    for (int side = 0; constraint->has_rigid_body && side < 2; side++)
        if (a->objects[constraint->object[side]].rigid) place[count++] = a->objects[constraint->object[side]].first;
    return count;
}

/* Fills `order` and `start` for the contact constraints [first, end). Levels start at `base`, above all that earlier
 * windows left in `last`. Returns the number of levels. */
static int32_t schedule_levels(mus_solver *s, const mus_contact_constraint_list *constraints, int64_t first,
                               int64_t end, int32_t base) {
    const mus_assembly *a = &s->assembly;
    mus_rule_batch *b = s->batch;
    int32_t levels = 0, *last = a->contact_scratch, count = (int32_t)(end - first), *start = b->start, *of = b->level;
    for (int32_t k = 0; k < count; k++) {
        const mus_contact_constraint *constraint = &constraints->data[first + k];
        of[k] = -1;
        if (constraint->response < 0) continue;
        int32_t place[6], level = base;
        int places = shared_states(a, constraint, place);
        for (int i = 0; i < places; i++) level = last[place[i]] > level ? last[place[i]] : level;
        for (int i = 0; i < places; i++) last[place[i]] = level + 1;
        of[k] = level - base;
        levels = of[k] + 1 > levels ? of[k] + 1 : levels;
    }
    memset(start, 0, sizeof *start * ((size_t)levels + 1));
    for (int32_t k = 0; k < count; k++)
        if (of[k] >= 0) start[of[k] + 1]++;
    for (int32_t l = 0; l < levels; l++) start[l + 1] += start[l];
    for (int32_t k = 0; k < count; k++)
        if (of[k] >= 0) b->order[start[of[k]]++] = (int32_t)(first + k);
    for (int32_t l = levels; l > 0; l--)
        start[l] = start[l - 1]; /* the loop above advanced each start to the next level's */
    start[0] = 0;
    return levels;
}

/* Initializes registers for each traced response, with its constants and parameters. Returns the number of responses,
 * -1 when memory ran out. */
static int32_t prepare(mus_solver *s) {
    mus_rule_batch *b = s->batch;
    int64_t used = 0, pairs = (int64_t)s->assembly.object_count * s->assembly.object_count;
    int32_t most = -1;
    for (int64_t k = 0; k < pairs; k++) most = s->response_of[k] > most ? s->response_of[k] : most;
    if (!mus_array_reserve(&b->room, (int64_t)most + 1)) return -1;
    for (int32_t r = 0; r <= most; r++) b->room.data[r] = -1;
    for (int64_t k = 0; k < pairs; k++) {
        int32_t r = s->response_of[k];
        if (r < 0 || b->room.data[r] >= 0 || s->responses[r].rule.kind != MUS_LAW_PROGRAM) continue;
        b->room.data[r] = used;
        used += (int64_t)(mus_program_memory_size(program_of(s, r)) / sizeof(double));
    }
    int64_t had = b->registers.capacity;
    if (!mus_array_reserve(&b->registers, used + (int64_t)(MUS_TRACE_LINE / sizeof(double)))) return -1;
    if (b->registers.capacity > had) /* unused SIMD slots are computed too */
        memset(b->registers.data + had, 0, sizeof(double) * (size_t)(b->registers.capacity - had));
    for (int32_t r = 0; r <= most; r++)
        if (b->room.data[r] >= 0) mus_program_begin(program_of(s, r), registers_of(b, r));
    return most + 1;
}

/* ---- Filling a block ---- */

typedef struct block {
    const mus_program *program;
    double *registers;
    int count;
    bool points, moves; /* the program reads points; velocity or distance */
} block;

static void set_input(const block *b, int32_t slot, double value) {
    if (mus_program_uses(b->program, slot)) mus_program_input(b->program, b->registers, slot)[b->count] = value;
}
static void set_vector_input(const block *b, int32_t slot, v3 value) {
    set_input(b, slot, value.x), set_input(b, slot + 1, value.y), set_input(b, slot + 2, value.z);
}
static bool reads_any(const mus_program *p, int32_t slot, int count) {
    return p->inputs >> slot & ((1u << count) - 1);
}

static block begin_block(const mus_solver *s, int32_t response) {
    const mus_program *p = program_of(s, response);
    block b = {.program = p, .registers = registers_of(s->batch, response)};
    b.points = reads_any(p, MUS_INPUT_POSITION, 6);
    b.moves = b.points || reads_any(p, MUS_INPUT_VELOCITY, 3) || reads_any(p, MUS_INPUT_GAP, 2);
    return b;
}

static void put_contact_inputs(const mus_solver *s, const block *b, const mus_contact_constraint *constraint,
                               const mus_contact_state *state, v3 normal, v3 velocity, double mass) {
    set_vector_input(b, MUS_INPUT_NORMAL, normal);
    set_vector_input(b, MUS_INPUT_VELOCITY, velocity);
    set_input(b, MUS_INPUT_MASS, mass);
    set_input(b, MUS_INPUT_GAP, state->distance - constraint->thickness);
    set_input(b, MUS_INPUT_DISTANCE, state->distance);
    set_input(b, MUS_INPUT_START_GAP, constraint->gap0 - constraint->thickness);
    set_input(b, MUS_INPUT_FRICTION, constraint->friction);
    set_input(b, MUS_INPUT_RESTITUTION, constraint->restitution);
    set_input(b, MUS_INPUT_DT, s->dt);
    set_input(b, MUS_INPUT_TOI, constraint->toi * s->dt);
    set_input(b, MUS_INPUT_TIME, s->time);
    set_input(b, MUS_INPUT_KIND,
              constraint->plane       ? MUS_PAIR_VERTEX_PLANE
              : constraint->edge_edge ? MUS_PAIR_EDGE_EDGE
                                      : MUS_PAIR_VERTEX_FACE);
    if (!b->points) return;
    set_vector_input(b, MUS_INPUT_POSITION, state->point[0]);
    set_vector_input(b, MUS_INPUT_POSITION2, state->point[1]);
}

static v3 output(const block *b, int32_t first, int k) {
    return v3_make(mus_program_output(b->program, b->registers, first)[k],
                   mus_program_output(b->program, b->registers, first + 1)[k],
                   mus_program_output(b->program, b->registers, first + 2)[k]);
}

/* ---- Running it ---- */

static mus_status run_contacts(mus_solver *s, block *b, mus_contact_constraint *const *constraints) {
    if (!b->count) return MUS_STATUS_OK;
    mus_program_block(b->program, b->registers, b->count);
    bool both = b->program->outputs == 6;
    for (int k = 0; k < b->count; k++) {
        v3 first = output(b, 0, k), second = both ? output(b, 3, k) : v3_neg(first);
        if (!v3_finite(first) || !v3_finite(second))
            return mus_solver_rule_not_finite(s, constraints[k], first, second);
        mus_solver_apply_rule_impulses(s, constraints[k], first, second);
    }
    b->count = 0;
    return MUS_STATUS_OK;
}

static mus_status follow_contacts(mus_solver *s, mus_contact_constraint_list *constraints, const int32_t *order,
                                  int32_t count, int32_t response) {
    mus_contact_constraint *in[MUS_TRACE_BLOCK];
    block b = begin_block(s, response);
    mus_contact_state state = {.distance = 0};
    for (int32_t k = 0; k < count; k++) {
        mus_contact_constraint *constraint = &constraints->data[order[k]];
        if (constraint->response != response) continue;
        if (b.moves) mus_solver_contact_state(s, constraint, b.points, &state);
        v3 normal = v3_scale(mus_solver_swapped(s, constraint) ? -1 : 1, constraint->normal);
        put_contact_inputs(s, &b, constraint, &state, normal, state.velocity, constraint->mass);
        in[b.count++] = constraint;
        if (b.count < MUS_TRACE_BLOCK) continue;
        mus_status status = run_contacts(s, &b, in);
        if (status != MUS_STATUS_OK) return status;
    }
    return run_contacts(s, &b, in);
}

/* A corner of a contact in a block of nodes. */
typedef struct node {
    mus_contact_constraint *constraint;
    int corner;
    v3 velocity;
} node;

static mus_status run_nodes(mus_solver *s, block *b, const node *in) {
    if (!b->count) return MUS_STATUS_OK;
    mus_program_block(b->program, b->registers, b->count);
    for (int k = 0; k < b->count;) {
        mus_contact_constraint *constraint = in[k].constraint;
        v3 side_impulse[2] = {{0, 0, 0}, {0, 0, 0}};
        for (; k < b->count && in[k].constraint == constraint; k++) {
            v3 after = output(b, 0, k);
            if (!v3_finite(after)) return mus_solver_rule_not_finite(s, constraint, after, after);
            mus_solver_node_set(s, constraint, in[k].corner, in[k].velocity, after, side_impulse);
        }
        mus_solver_node_book(s, constraint, side_impulse);
    }
    b->count = 0;
    return MUS_STATUS_OK;
}

static mus_status follow_nodes(mus_solver *s, mus_contact_constraint_list *constraints, const int32_t *order,
                               int32_t count, int32_t response) {
    node in[MUS_TRACE_BLOCK];
    block b = begin_block(s, response);
    mus_contact_state state = {.distance = 0};
    for (int32_t k = 0; k < count; k++) {
        mus_contact_constraint *constraint = &constraints->data[order[k]];
        if (constraint->response != response) continue;
        mus_solver_contact_state(s, constraint, b.points, &state);
        v3 normal, frame = mus_solver_node_frame(s, constraint, &normal);
        for (int c = 0; c < corner_count(constraint); c++) {
            node *n = &in[b.count];
            if (!mus_solver_node_velocity(s, constraint, c, frame, &n->velocity)) continue;
            n->constraint = constraint, n->corner = c;
            put_contact_inputs(s, &b, constraint, &state, normal, n->velocity,
                               1 / s->assembly.inverse_mass[constraint->vertex[c]]);
            b.count++;
        }
        if (b.count + 4 <= MUS_TRACE_BLOCK) continue; /* nodes of a contact stay in one block */
        mus_status status = run_nodes(s, &b, in);
        if (status != MUS_STATUS_OK) return status;
    }
    return run_nodes(s, &b, in);
}

static mus_status run_levels(mus_solver *s, mus_contact_constraint_list *constraints, int32_t levels,
                             int32_t responses) {
    const mus_rule_batch *b = s->batch;
    for (int32_t l = 0; l < levels; l++) {
        const int32_t *order = b->order + b->start[l];
        int32_t count = b->start[l + 1] - b->start[l];
        for (int32_t r = 0; r < responses; r++) {
            if (b->room.data[r] < 0) continue;
            mus_status status = s->responses[r].per_node ? follow_nodes(s, constraints, order, count, r)
                                                         : follow_contacts(s, constraints, order, count, r);
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_solver_run_programs(mus_solver *s, mus_contact_constraint_list *constraints, int64_t first) {
    if (!s->batch && !(s->batch = mus_new(sizeof *s->batch))) return MUS_STATUS_NO_MEMORY;
    int32_t responses = prepare(s), base = 0;
    if (responses < 0) return MUS_STATUS_NO_MEMORY;
    memset(s->assembly.contact_scratch, 0, sizeof *s->assembly.contact_scratch * (size_t)s->assembly.vertex_count);
    for (int64_t at = first; at < constraints->count; at += WINDOW) {
        int64_t end = at + WINDOW < constraints->count ? at + WINDOW : constraints->count;
        int32_t levels = schedule_levels(s, constraints, at, end, base);
        mus_status status = run_levels(s, constraints, levels, responses);
        if (status != MUS_STATUS_OK) return status;
        base += levels;
    }
    return MUS_STATUS_OK;
}
