/* report.c: errors of a step that fails: features by name, no safe step, cancelled. */
#include "base/union_find.h"
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

mus_status mus_solver_no_safe_step(mus_solver *s, int32_t p, int32_t q, const char *why) {
    bool found[2] = {false, false};
    for (int k = 0; k < 4; k++) found[0] |= s->unsafe[k] == p, found[1] |= s->unsafe[k] == q;
    if (!found[0] || !found[1]) s->unsafe[0] = p, s->unsafe[1] = q, s->unsafe[2] = s->unsafe[3] = -1;
    char first[160], second[160];
    mus_solver_name_feature(s, p, first, sizeof first);
    mus_solver_name_feature(s, q, second, sizeof second);
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: %s and %s %s", first, second, why);
}

bool mus_solver_is_unsafe(mus_solver *s, int32_t vertex) {
    mus_zones *zones = &s->zones;
    int32_t root = zones->inside && zones->inside[vertex] ? mus_union_find_root(zones->parent, vertex) : -1;
    if (root >= 0 && root == zones->stuck) return true;
    for (int k = 0; k < 4; k++) {
        int32_t other = s->unsafe[k];
        if (other < 0 || other >= s->assembly.cloth_vertex_count) continue;
        if (other == vertex) return true;
        if (root >= 0 && zones->inside[other] && mus_union_find_root(zones->parent, other) == root) return true;
    }
    return false;
}

mus_status mus_solver_check_cancelled(const mus_step_input *input) {
    if (input->cancelled && input->cancelled(input->context)) return mus_fail(MUS_STATUS_CANCELLED, "step cancelled");
    return MUS_STATUS_OK;
}
