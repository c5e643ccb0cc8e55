/* no_safe_step.c: what the error of a step without a safe motion states besides the features: where, how far animated
 * meshes move within a frame, and the setting that would release pinched cloth. */
#include "solve/solver.h"
#include "world/pinch.h"

#include <stdio.h>

/* The first cloth vertex that could not be resolved, else the first vertex of the pair; -1: none is known. */
static int32_t find_unsafe(mus_solver *s) {
    for (int32_t v = 0; s->unsafe[0] >= 0 && v < s->assembly.cloth_vertex_count; v++)
        if (mus_solver_is_unsafe(s, v)) return v;
    return s->unsafe[0];
}

static bool is_of_pair(const mus_solver *s, int32_t object) {
    for (int k = 0; k < 4; k++)
        if (s->unsafe[k] >= 0 && s->assembly.object_of[s->unsafe[k]] == object) return true;
    return false;
}

static void describe_motion(const mus_world *world, const mus_object *mesh, char *text, size_t size) {
    const mus_obstacle *obstacle = mesh->obstacle;
    int32_t vertex;
    double move = mus_keyframes_longest_move(&obstacle->keyframes, obstacle->local, world->backup.time, &vertex);
    if (move > 0)
        snprintf(text, size, "; vertex %d of obstacle '%s' moves %.3g m within a frame (%.3g s) of its animation",
                 vertex + 1, obstacle->name, move, obstacle->keyframes.interval);
}

mus_status mus_world_explain_no_safe_step(const mus_world *world, mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    int32_t vertex = find_unsafe(s);
    if (vertex < 0) return MUS_STATUS_NO_SAFE_STEP;
    v3 x = a->x0[vertex];
    const mus_object *object = &a->objects[a->object_of[vertex]];
    char motion[400] = "", remedy[400] = "";
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_obstacle *obstacle = a->objects[k].obstacle;
        if (!obstacle->keyframes.positions || !is_of_pair(s, k)) continue;
        describe_motion(world, &a->objects[k], motion, sizeof motion);
        if (object->cloth && !mus_pinch_may_release(world, object->cloth->name, obstacle->name))
            snprintf(remedy, sizeof remedy,
                     "; if the mesh pinches the cloth: world:between({\"%s\", \"%s\"}, {pinch = \"release\"})",
                     obstacle->name, object->cloth->name);
        break;
    }
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "%s; near (%.4g, %.4g, %.4g) m%s%s", mus_get_error_message(), x.x, x.y,
                    x.z, motion, remedy);
}
