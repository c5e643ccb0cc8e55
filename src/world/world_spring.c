/* world_spring.c: spring laws as programs. */
#include "model/spring_program.h"
#include "world/slots.h"

static bool has_springs(const mus_cloth *cloth, mus_spring_kind kind) {
    int32_t k = 0;
    while (k < cloth->spring_count && (int)cloth->springs[k].kind != (int)kind) k++;
    return k < cloth->spring_count;
}

mus_status mus_cloth_set_spring_law(mus_world *world, mus_cloth_id id, mus_spring_kind kind, mus_program *program,
                                    const char *place) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "cloth:spring_law");
    if (status != MUS_STATUS_OK) return status;
    if ((int)kind < 0 || kind >= MUS_SPRING_KIND_COUNT)
        return mus_fail(MUS_STATUS_INVALID, "spring law: there are no springs of the kind %d", (int)kind);
    if (program && mus_program_get_kind(program) != MUS_PROGRAM_SPRING)
        return mus_fail(MUS_STATUS_INVALID, "spring law: the program must be a law of springs");
    const char *model = mus_material_model_get_name(cloth->material.model), *name = mus_spring_kind_get_name(kind);
    if (cloth->sheet || cloth->network)
        return mus_fail(MUS_STATUS_INVALID,
                        "spring law: cloth '%s' has no springs: its material is of the model '%s'; choose the model "
                        "'mass_spring', 'springs' or 'choi_ko'",
                        cloth->name, model);
    if (program && !has_springs(cloth, kind))
        return mus_fail(MUS_STATUS_INVALID,
                        "spring law: cloth '%s' (model '%s') has no %s springs; they exist on %s, where field '%s' "
                        "of the material is > 0",
                        cloth->name, model, name, kind == MUS_SPRING_SHEAR ? "grids" : "any mesh",
                        kind == MUS_SPRING_STRUCTURAL ? "stretch" : name);
    mus_world_wake(world);
    char *copy = program && place ? mus_copy_string(place) : NULL;
    if (program && place && !copy) return MUS_STATUS_NO_MEMORY;
    return mus_spring_programs_set(cloth, kind, program, copy);
}
