/* law.c: makes laws of the callbacks that users set. */
#include "trace/law.h"

static mus_law law_of(bool any, bool program, void *user) {
    if (!any) return (mus_law){.kind = MUS_LAW_NONE};
    if (program) return (mus_law){.kind = MUS_LAW_PROGRAM, .program = user};
    return (mus_law){.kind = MUS_LAW_CALLBACK, .user = user};
}

mus_law mus_law_of_rule(mus_rule_fn callback, void *user) {
    mus_law law = law_of(callback, callback == mus_program_evaluate_rule, user);
    if (law.kind == MUS_LAW_CALLBACK) law.callback.rule = callback;
    return law;
}

mus_law mus_law_of_coefficient(mus_contact_law_fn callback, void *user) {
    mus_law law = law_of(callback, callback == mus_program_evaluate_coefficient, user);
    if (law.kind == MUS_LAW_CALLBACK) law.callback.coefficient = callback;
    return law;
}

mus_law mus_law_of_motion(mus_motion_fn callback, void *user) {
    mus_law law = law_of(callback, callback == mus_program_evaluate_motion, user);
    if (law.kind == MUS_LAW_CALLBACK) law.callback.motion = callback;
    return law;
}

bool mus_law_is_energy(const mus_law *law) {
    return law->kind == MUS_LAW_PROGRAM && law->program && mus_program_get_kind(law->program) == MUS_PROGRAM_POTENTIAL;
}

void mus_law_retain(const mus_law *law) {
    if (law->kind == MUS_LAW_PROGRAM) mus_program_retain(law->program);
}

void mus_law_release(const mus_law *law) {
    if (law->kind == MUS_LAW_PROGRAM) mus_program_release(law->program);
}
