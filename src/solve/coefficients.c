/* coefficients.c: friction and restitution of pairs by functions of the contact: traced functions in blocks of contact
 * constraints, others one by one. The values apply to the whole step: friction is lagged. */
#include "solve/coefficients.h"
#include "base/range.h"
#include "base/word.h"
#include "model/sheet.h"
#include "response/rigid_contact.h"
#include "solve/potential/potential.h"

#include <string.h>

static const char *const names[MUS_COEFFICIENT_COUNT] = {"friction", "restitution"};

const char *mus_coefficient_get_name(mus_coefficient which) {
    return (int)which >= 0 && which < MUS_COEFFICIENT_COUNT ? names[which] : "unknown";
}

/* Returns the index in `all` of the coefficient for a pair of objects; -1: none. */
static int32_t find_coefficient(const mus_coefficients *c, const mus_assembly *a,
                                const mus_contact_constraint *constraint, int which) {
    if (!c->of) return -1;
    size_t n = (size_t)a->object_count;
    return c->of[((size_t)which * n + (size_t)constraint->object[0]) * n + (size_t)constraint->object[1]];
}

void mus_coefficients_ready(mus_coefficients *c, int32_t object_count) {
    int64_t entries = MUS_COEFFICIENT_COUNT * (int64_t)object_count * object_count;
    c->laws = c->reads_load = c->reads_warp = false;
    for (int64_t k = 0; c->of && k < entries; k++) {
        const mus_pair_coefficient *one = c->of[k] < 0 ? NULL : &c->all[c->of[k]];
        if (!one || !mus_law_is_function(&one->law)) continue;
        const mus_program *p = one->law.kind == MUS_LAW_PROGRAM ? one->law.program : NULL;
        c->laws = true;
        c->reads_load |= !p || mus_program_uses(p, MUS_INPUT_LOAD);
        for (int32_t slot = MUS_INPUT_WARP; slot < MUS_INPUT_LOAD; slot++)
            c->reads_warp |= !p || mus_program_uses(p, slot);
    }
}

void mus_coefficients_free(mus_coefficients *c) {
    mus_free(c->of);
    mus_free(c->warp);
    mus_array_free(&c->registers);
    *c = (mus_coefficients){0};
}

void mus_coefficients_begin(mus_coefficients *c) {
    c->listed = c->warps_computed = false;
}

/* The value by the materials of the sides, as in contact_constraints.c. */
static double of_materials(const mus_assembly *a, const mus_contact_constraint *constraint, int which) {
    const mus_object *p = &a->objects[constraint->object[0]], *q = &a->objects[constraint->object[1]];
    return which == MUS_COEFFICIENT_FRICTION ? mus_contact_friction(a, constraint)
                                             : fmax(p->restitution, q->restitution);
}

static double *field(mus_contact_constraint *constraint, int which) {
    return which == MUS_COEFFICIENT_FRICTION ? &constraint->friction : &constraint->restitution;
}

void mus_coefficients_choose(const mus_coefficients *c, const mus_assembly *a, mus_contact_constraint *constraint) {
    for (int which = 0; which < MUS_COEFFICIENT_COUNT; which++) {
        int32_t k = find_coefficient(c, a, constraint, which);
        if (k >= 0 && c->all[k].law.kind == MUS_LAW_CONSTANT) *field(constraint, which) = c->all[k].law.value;
    }
}

/* ---- Inputs of a function ---- */

/* Velocity of side 1 relative to side 2 at the start of the step: the current one, less what dynamics and contacts have
 * added to cloth and rigid bodies. Scripted obstacles and pins keep their velocity over the step. */
static v3 velocity_at_start(const mus_solver *s, const mus_contact_constraint *constraint, v3 velocity) {
    const mus_assembly *a = &s->assembly;
    const v3 *start = s->potential ? s->potential->start : a->x0;
    bool swap = mus_solver_swapped(s, constraint);
    v3 added =
        constraint->has_rigid_body ? v3_scale(1 / s->dt, mus_contact_rigid_motion(a, constraint)) : v3_make(0, 0, 0);
    for (int k = 0; k < (constraint->plane ? 1 : 4); k++) {
        int32_t i = constraint->vertex[k];
        bool cloth = i < a->cloth_vertex_count;
        if (cloth ? !(a->inverse_mass[i] > 0) : !a->objects[a->object_of[i]].rigid) continue;
        v3 now = v3_scale(1 / s->dt, v3_sub(a->x1[i], start[i]));
        added = v3_axpy(constraint->weight[k], cloth ? v3_sub(now, a->v0[i]) : now, added);
    }
    for (int k = 0; constraint->has_rigid_body && k < 2; k++) {
        const mus_rigid_step *r = a->objects[constraint->object[k]].rigid;
        if (!r) continue;
        v3 v = v3_add(r->v0, v3_cross(m3_mul_v3(&r->inverse_inertia, r->momentum0), constraint->arm[k]));
        added = v3_axpy(k == 0 ? -1 : 1, v, added);
    }
    return v3_axpy(swap ? 1 : -1, added, velocity);
}

static mus_status compute_warps(mus_solver *s) {
    mus_coefficients *c = &s->coefficients;
    const mus_assembly *a = &s->assembly;
    if (c->warps_computed || !c->reads_warp) return MUS_STATUS_OK;
    if (!c->warp && !(c->warp = mus_new(sizeof *c->warp * ((size_t)a->cloth_vertex_count + 1))))
        return MUS_STATUS_NO_MEMORY;
    const v3 *start = s->potential ? s->potential->start : a->x0;
    for (int32_t k = 0; k < a->cloth_count; k++)
        mus_cloth_compute_warps(a->objects[k].cloth, start + a->objects[k].first, c->warp + a->objects[k].first);
    c->warps_computed = true;
    return MUS_STATUS_OK;
}

static mus_status prepare_inputs(mus_solver *s) {
    mus_coefficients *c = &s->coefficients;
    mus_status status = compute_warps(s);
    if (status != MUS_STATUS_OK || c->listed || !c->reads_load || s->potential || s->current < 0) return status;
    status = mus_warm_starts_index(&s->warm_starts[s->current], &s->warm_start_table);
    c->listed = status == MUS_STATUS_OK;
    return status;
}

static double load_of(const mus_solver *s, const mus_contact_constraint *constraint) {
    if (!s->coefficients.reads_load) return 0;
    if (s->potential) return mus_potential_load(s, constraint);
    return s->coefficients.listed
               ? mus_warm_starts_normal_force(&s->warm_starts[s->current], &s->warm_start_table, constraint)
               : 0;
}

static void fill_contact_inputs(const mus_solver *s, const mus_contact_constraint *constraint, mus_contact *contact,
                                mus_contact_surface *surface) {
    const mus_coefficients *c = &s->coefficients;
    mus_solver_contact(s, constraint, contact);
    v3_store(contact->velocity, velocity_at_start(s, constraint, v3_load(contact->velocity)));
    memset(contact->impulse, 0, sizeof contact->impulse);
    double *const own[MUS_COEFFICIENT_COUNT] = {&contact->friction, &contact->restitution};
    for (int which = 0; which < MUS_COEFFICIENT_COUNT; which++) {
        int32_t k = find_coefficient(c, &s->assembly, constraint, which);
        bool constant = k >= 0 && c->all[k].law.kind == MUS_LAW_CONSTANT;
        *own[which] = constant ? c->all[k].law.value : of_materials(&s->assembly, constraint, which);
    }
    *surface = (mus_contact_surface){.load = load_of(s, constraint)};
    for (int side = 0; c->reads_warp && side < 2; side++) {
        v3 sum = v3_make(0, 0, 0), normal = v3_load(contact->normal);
        for (int k = 0; k < 4; k++)
            if (contact->vertices[k] >= 0 && contact->side[k] == side &&
                constraint->vertex[k] < s->assembly.cloth_vertex_count)
                sum = v3_axpy(fabs(contact->weights[k]), c->warp[constraint->vertex[k]], sum);
        v3_store(surface->warp[side], v3_normalized(v3_axpy(-v3_dot(normal, sum), normal, sum)));
    }
}

/* ---- Results of a function ---- */

static mus_status set_coefficient(const mus_pair_coefficient *one, const mus_contact *contact, double value,
                                  mus_contact_constraint *constraint) {
    bool friction = one->which == MUS_COEFFICIENT_FRICTION;
    if (value >= 0 && (friction ? mus_is_value(value) : value <= 1)) {
        *field(constraint, one->which) = value;
        return MUS_STATUS_OK;
    }
    return mus_fail(
        MUS_STATUS_INVALID,
        "%s%s%s: the function for '%s' and %s%s%s must give a number %s (got %s at the point %g %g %g m, "
        "t = %g s); bound it, with %s",
        one->place ? one->place : "", one->place ? ": " : "", names[one->which], one->a, one->b ? "'" : "",
        one->b ? one->b : "anything", one->b ? "'" : "", friction ? ">= 0 and finite" : "from 0 to 1",
        mus_word_of_number(value).text, contact->point[0][0], contact->point[0][1], contact->point[0][2], contact->time,
        friction ? "muslin.max(value, 0) and divisors off 0" : "muslin.clamp(value, 0, 1) and divisors off 0");
}

/* A block of contact constraints for one program. */
typedef struct block {
    const mus_program *program;
    double *registers;
    int count;
    mus_contact_constraint *constraint[MUS_TRACE_BLOCK];
    mus_contact contact[MUS_TRACE_BLOCK];
} block;

static mus_status flush_block(const mus_pair_coefficient *one, block *b) {
    if (!b->count) return MUS_STATUS_OK;
    mus_program_block(b->program, b->registers, b->count);
    const double *out = mus_program_output(b->program, b->registers, 0);
    for (int k = 0; k < b->count; k++) {
        mus_status status = set_coefficient(one, &b->contact[k], out[k], b->constraint[k]);
        if (status != MUS_STATUS_OK) return status;
    }
    b->count = 0;
    return MUS_STATUS_OK;
}

static void add_to_block(const mus_solver *s, mus_contact_constraint *constraint, block *b) {
    mus_contact_surface surface;
    double inputs[MUS_INPUT_COUNT];
    fill_contact_inputs(s, constraint, &b->contact[b->count], &surface);
    mus_contact_inputs(&b->contact[b->count], inputs);
    mus_surface_inputs(&surface, inputs);
    for (uint64_t left = b->program->inputs; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        mus_program_input(b->program, b->registers, slot)[b->count] = inputs[slot];
    }
    b->constraint[b->count++] = constraint;
}

static mus_status begin_block(mus_solver *s, const mus_program *program, block *b) {
    mus_coefficients *c = &s->coefficients;
    int64_t had = c->registers.capacity,
            room = (int64_t)((mus_program_memory_size(program) + MUS_TRACE_LINE) / sizeof(double));
    if (!mus_array_reserve(&c->registers, room)) return MUS_STATUS_NO_MEMORY;
    if (c->registers.capacity > had) /* unused SIMD slots are computed too */
        memset(c->registers.data, 0, sizeof(double) * (size_t)c->registers.capacity);
    b->program = program, b->count = 0;
    b->registers = mus_program_align(c->registers.data);
    mus_program_begin(program, b->registers);
    return MUS_STATUS_OK;
}

/* A coefficient of a response takes precedence over the pair's. */
static bool law_applies(const mus_solver *s, const mus_contact_constraint *constraint, int32_t law) {
    mus_coefficient which = s->coefficients.all[law].which;
    if (find_coefficient(&s->coefficients, &s->assembly, constraint, which) != law) return false;
    int32_t response = s->response_of[constraint->object[0] * s->assembly.object_count + constraint->object[1]];
    if (response < 0) return true;
    const mus_solver_response *r = &s->responses[response];
    return (which == MUS_COEFFICIENT_FRICTION ? r->friction : r->restitution) < 0;
}

static mus_status evaluate_program(mus_solver *s, int32_t law, mus_contact_constraint *constraints, int64_t count) {
    const mus_pair_coefficient *one = &s->coefficients.all[law];
    block b;
    mus_status status = begin_block(s, one->law.program, &b);
    for (int64_t k = 0; k < count && status == MUS_STATUS_OK; k++) {
        if (!law_applies(s, &constraints[k], law)) continue;
        add_to_block(s, &constraints[k], &b);
        if (b.count == MUS_TRACE_BLOCK) status = flush_block(one, &b);
    }
    return status == MUS_STATUS_OK ? flush_block(one, &b) : status;
}

static mus_status evaluate_function(mus_solver *s, int32_t law, mus_contact_constraint *constraints, int64_t count) {
    const mus_pair_coefficient *one = &s->coefficients.all[law];
    for (int64_t k = 0; k < count; k++) {
        if (!law_applies(s, &constraints[k], law)) continue;
        mus_contact contact;
        mus_contact_surface surface;
        double value = NAN;
        fill_contact_inputs(s, &constraints[k], &contact, &surface);
        mus_status status = one->law.callback.coefficient(one->law.user, &contact, &surface, &value);
        if (status == MUS_STATUS_OK) status = set_coefficient(one, &contact, value, &constraints[k]);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

mus_status mus_coefficients_evaluate(mus_solver *s, mus_contact_constraint *constraints, int64_t count) {
    const mus_coefficients *c = &s->coefficients;
    if (!c->laws || !count) return MUS_STATUS_OK;
    mus_status status = prepare_inputs(s);
    for (int32_t k = 0; k < c->count && status == MUS_STATUS_OK; k++) {
        switch (c->all[k].law.kind) {
        case MUS_LAW_PROGRAM:
            status = evaluate_program(s, k, constraints, count);
            break;
        case MUS_LAW_CALLBACK:
            status = evaluate_function(s, k, constraints, count);
            break;
        case MUS_LAW_NONE:
        case MUS_LAW_CONSTANT:
        case MUS_LAW_MISSING: /* the world does not step */
            break;
        }
    }
    return status;
}
