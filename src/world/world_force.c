/* world_force.c: traced forces and springs on the vertices of cloth and wind on its faces, in the callback of forces.
 */
#include "base/range.h"
#include "base/word.h"
#include "dynamics/node_force.h"
#include "dynamics/wind.h"
#include "solve/potential/potential.h"
#include "world/slots.h"

/* Returns the cloth if forces are collected and the program is of that kind; else NULL, with the error in `status`. */
static mus_cloth *begin_force(mus_world *world, mus_cloth_id id, const mus_program *program, mus_program_kind kind,
                              const char *what, mus_status *status) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    *status = MUS_STATUS_STALE;
    if (!cloth) return NULL;
    if (!program || mus_program_get_kind(program) != kind)
        *status = mus_fail(MUS_STATUS_INVALID, "cloth '%s': %s must be a program of that kind", cloth->name, what);
    else if (!world->forcing)
        *status = mus_fail(MUS_STATUS_LOCKED, "cloth '%s': %s can be added only while forces are collected",
                           cloth->name, what);
    else
        return cloth;
    return NULL;
}

static bool reserve_registers(mus_world *world, int64_t count) {
    int64_t had = world->force_registers.capacity;
    if (!mus_array_reserve(&world->force_registers, count + 1)) return false;
    if (world->force_registers.capacity > had) /* unused SIMD slots are computed too */
        memset(world->force_registers.data + had, 0, sizeof(double) * (size_t)(world->force_registers.capacity - had));
    return true;
}

mus_status mus_world_reserve_jacobian(const mus_world *world, mus_cloth *cloth, bool *with_jacobian) {
    const mus_solver_def *def = &world->solver_def;
    *with_jacobian = def->family == &mus_family_potential || def->integrator->implicit;
    if (!*with_jacobian || cloth->force_jacobian) return MUS_STATUS_OK;
    cloth->force_jacobian = mus_new(sizeof(double) * mus_cloth_force_jacobian_size(cloth));
    return cloth->force_jacobian ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

mus_status mus_cloth_add_node_force(mus_world *world, mus_cloth_id id, const mus_program *program) {
    mus_status status;
    mus_cloth *cloth = begin_force(world, id, program, MUS_PROGRAM_NODE_FORCE, "a force on its nodes", &status);
    if (!cloth) return status;
    bool with_jacobian;
    status = mus_world_reserve_jacobian(world, cloth, &with_jacobian);
    if (status != MUS_STATUS_OK) return status;
    bool normals = false;
    for (int k = 0; k < 3; k++) normals |= mus_program_uses(program, MUS_INPUT_NORMAL + k);
    if (normals && mus_cloth_compute_normals(cloth) != MUS_STATUS_OK) return MUS_STATUS_NO_MEMORY;
    bool areas = mus_program_uses(program, MUS_INPUT_AREA);
    if (areas && mus_cloth_compute_areas(cloth) != MUS_STATUS_OK) return MUS_STATUS_NO_MEMORY;
    if (!reserve_registers(world, mus_node_force_register_count(program))) return MUS_STATUS_NO_MEMORY;
    int32_t vertex;
    v3 wrong;
    if (mus_node_force_add(program, cloth, world->time, mus_world_get_step_size(world), with_jacobian,
                           world->force_registers.data, &vertex, &wrong))
        return MUS_STATUS_OK;
    return mus_program_fail(
        program,
        "node force: the force on vertex %d of cloth '%s' must be finite (got {%s, %s, %s} N, t = %g s); keep divisors "
        "and roots off 0",
        vertex + 1, cloth->name, mus_word_of_number(wrong.x).text, mus_word_of_number(wrong.y).text,
        mus_word_of_number(wrong.z).text, world->time);
}

mus_status mus_cloth_add_wind(mus_world *world, mus_cloth_id id, const mus_program *program) {
    mus_status status;
    mus_cloth *cloth = begin_force(world, id, program, MUS_PROGRAM_WIND, "wind", &status);
    if (!cloth) return status;
    if (!cloth->wind && !(cloth->wind = mus_new(sizeof *cloth->wind * (size_t)cloth->face_count)))
        return MUS_STATUS_NO_MEMORY;
    if (!reserve_registers(world, mus_wind_register_count(program))) return MUS_STATUS_NO_MEMORY;
    int32_t face;
    v3 wrong;
    if (mus_wind_add(program, cloth, world->time, world->force_registers.data, &face, &wrong)) return MUS_STATUS_OK;
    return mus_program_fail(program,
                            "wind: on face %d of cloth '%s' it must be finite (got {%s, %s, %s} m/s, t = %g s); keep "
                            "divisors and roots off "
                            "0",
                            face + 1, cloth->name, mus_word_of_number(wrong.x).text, mus_word_of_number(wrong.y).text,
                            mus_word_of_number(wrong.z).text, world->time);
}

static mus_status check_spring(const mus_cloth *cloth, int32_t vertex, v3 at, double stiffness, double damping) {
    const char *what = "a spring at a vertex";
    if (vertex < 0 || vertex >= cloth->vertex_count)
        return mus_fail(MUS_STATUS_INVALID, "cloth '%s': %s: the vertex must be 0..%d (got %d)", cloth->name, what,
                        cloth->vertex_count - 1, vertex);
    if (!mus_are_values(at))
        return mus_fail(MUS_STATUS_INVALID, "cloth '%s': %s: its place must be finite and within +-1e30 m", cloth->name,
                        what);
    if (!(stiffness >= 0 && stiffness <= 1e15) || !(damping >= 0 && damping <= 1e15))
        return mus_fail(MUS_STATUS_INVALID,
                        "cloth '%s': %s: stiffness and damping must be 0..1e15 N/m and N s/m (got %g, %g)", cloth->name,
                        what, stiffness, damping);
    return MUS_STATUS_OK;
}

mus_status mus_cloth_add_vertex_spring(mus_world *world, mus_cloth_id id, int32_t vertex, const double at[3],
                                       double stiffness, double damping) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    if (!world->forcing)
        return mus_fail(MUS_STATUS_LOCKED,
                        "cloth '%s': a spring at a vertex can be added only while forces are collected", cloth->name);
    mus_status status = check_spring(cloth, vertex, v3_load(at), stiffness, damping);
    if (status != MUS_STATUS_OK) return status;
    bool with_jacobian;
    status = mus_world_reserve_jacobian(world, cloth, &with_jacobian);
    if (status != MUS_STATUS_OK) return status;
    mus_vertex_spring spring = {v3_load(at), v3_make(0, 0, 0), stiffness, damping};
    mus_vertex_spring_add(cloth, vertex, &spring, mus_world_get_step_size(world), with_jacobian);
    return MUS_STATUS_OK;
}
