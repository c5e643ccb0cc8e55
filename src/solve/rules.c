/* rules.c: contacts in the form that users read, and users' rules. */
#include "solve/solver.h"

/* One contact; programs run here only beside callbacks, else in blocks. */
static mus_status call_rule(const mus_law *rule, const mus_contact *contact, double impulse[2][3]) {
    return rule->kind == MUS_LAW_PROGRAM ? mus_program_evaluate_rule(rule->program, contact, impulse)
                                         : rule->callback.rule(rule->user, contact, impulse);
}

static mus_status apply_to_nodes(mus_solver *s, mus_contact_constraint *constraint, const mus_contact *contact) {
    const mus_solver_response *r = &s->responses[constraint->response];
    v3 normal, frame = mus_solver_node_frame(s, constraint, &normal), side_impulse[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < mus_contact_corner_count(constraint); k++) {
        v3 velocity;
        if (!mus_solver_node_velocity(s, constraint, k, frame, &velocity)) continue;
        mus_contact node = *contact;
        double result[2][3] = {{0, 0, 0}, {NAN, NAN, NAN}};
        v3_store(node.normal, normal);
        v3_store(node.velocity, velocity);
        node.mass = 1 / s->assembly.inverse_mass[constraint->vertex[k]];
        mus_status status = call_rule(&r->rule, &node, result);
        if (status != MUS_STATUS_OK) return status;
        v3 after = v3_load(result[0]);
        if (!v3_finite(after)) return mus_solver_rule_not_finite(s, constraint, after, after);
        mus_solver_node_set(s, constraint, k, velocity, after, side_impulse);
    }
    mus_solver_node_book(s, constraint, side_impulse);
    return MUS_STATUS_OK;
}

static mus_status apply(mus_solver *s, mus_contact_constraint *constraint) {
    const mus_solver_response *r = &s->responses[constraint->response];
    mus_contact contact;
    mus_solver_contact(s, constraint, &contact);
    if (r->per_node) return apply_to_nodes(s, constraint, &contact);
    double impulse[2][3] = {{0, 0, 0}, {NAN, NAN, NAN}};
    mus_status status = call_rule(&r->rule, &contact, impulse);
    if (status != MUS_STATUS_OK) return status;
    v3 first = v3_load(impulse[0]), second = v3_load(impulse[1]);
    if (isnan(second.x) && isnan(second.y) && isnan(second.z)) second = v3_neg(first);
    if (!v3_finite(first) || !v3_finite(second)) return mus_solver_rule_not_finite(s, constraint, first, second);
    mus_solver_apply_rule_impulses(s, constraint, first, second);
    return MUS_STATUS_OK;
}

bool mus_solver_has_rules(const mus_solver *s, bool *programs) {
    bool any = false;
    int64_t pairs = (int64_t)s->assembly.object_count * s->assembly.object_count;
    *programs = true;
    for (int64_t k = 0; k < pairs; k++) {
        int32_t response = s->response_of[k];
        if (response < 0 || !mus_law_is_function(&s->responses[response].rule)) continue;
        if (mus_law_is_energy(&s->responses[response].rule)) continue;
        any = true;
        *programs &= s->responses[response].rule.kind == MUS_LAW_PROGRAM;
    }
    return any;
}

bool mus_solver_has_energies(const mus_solver *s) {
    int64_t pairs = (int64_t)s->assembly.object_count * s->assembly.object_count;
    for (int64_t k = 0; k < pairs; k++)
        if (s->response_of[k] >= 0 && mus_law_is_energy(&s->responses[s->response_of[k]].rule)) return true;
    return false;
}

mus_status mus_solver_apply_rules(mus_solver *s, mus_contact_constraint_list *constraints, int64_t first) {
    bool programs, any = mus_solver_has_rules(s, &programs);
    if (any && programs) return mus_solver_run_programs(s, constraints, first);
    for (int64_t k = first; any && k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        if (constraint->response < 0) continue;
        mus_status status = apply(s, constraint);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

void mus_solver_choose_response(const mus_solver *s, mus_contact_constraint *constraint) {
    mus_coefficients_choose(&s->coefficients, &s->assembly, constraint);
    constraint->response = s->response_of[constraint->object[0] * s->assembly.object_count + constraint->object[1]];
    if (constraint->response < 0) return;
    const mus_solver_response *r = &s->responses[constraint->response];
    if (r->friction >= 0) constraint->friction = r->friction;
    if (r->restitution >= 0) constraint->restitution = r->restitution;
    /* a rule applies to contacts of cloth only */
    bool cloth = constraint->object[0] < s->assembly.cloth_count || constraint->object[1] < s->assembly.cloth_count;
    if (!mus_law_is_function(&r->rule) || !cloth) constraint->response = -1;
}
