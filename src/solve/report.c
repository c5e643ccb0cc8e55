/* report.c: errors of a step that fails: features by name, no safe step, cancelled. */
#include "model/order.h"
#include "solve/solver.h"

#include <stdio.h>

void mus_solver_name_feature(const mus_solver *s, int32_t vertex, char *text, size_t size) {
    const mus_object *object = &s->assembly.objects[s->assembly.object_of[vertex]];
    if (object->cloth)
        snprintf(text, size, "vertex %d of cloth '%s'",
                 mus_cloth_given_vertex(object->cloth, vertex - object->first) + 1, object->cloth->name);
    else
        snprintf(text, size, "obstacle '%s'", object->obstacle->name);
}

mus_status mus_solver_no_safe_step(const mus_solver *s, int32_t p, int32_t q, const char *why) {
    char first[160], second[160];
    mus_solver_name_feature(s, p, first, sizeof first);
    mus_solver_name_feature(s, q, second, sizeof second);
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: %s and %s %s", first, second, why);
}

mus_status mus_solver_check_cancelled(const mus_step_input *input) {
    if (input->cancelled && input->cancelled(input->context)) return mus_fail(MUS_STATUS_CANCELLED, "step cancelled");
    return MUS_STATUS_OK;
}
