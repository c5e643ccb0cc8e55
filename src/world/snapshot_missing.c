/* snapshot_missing.c: functions that a file cannot store: a loaded world does not step until they are set. */
#include "model/spring_program.h"
#include "world/slots.h"
#include "world/snapshot.h"

static mus_status missing_rule(const mus_world_response *response) {
    return mus_fail(MUS_STATUS_INVALID,
                    "response '%s': its rule was a function in the saved world; hand it in again (field 'rules' of "
                    "muslin.load, mus_response_set_callback in C)",
                    response->name);
}

static mus_status missing_coefficient(const mus_pair_setting *setting) {
    const char *name = mus_coefficient_get_name(setting->one.which);
    return mus_fail(MUS_STATUS_INVALID,
                    "%s of '%s' and %s%s%s: it was a function in the saved world; hand it in again with "
                    "world:between({...}, {%s = f}) (mus_world_set_contact_law in C)",
                    name, setting->a, setting->b ? "'" : "", setting->b ? setting->b : "anything",
                    setting->b ? "'" : "", name);
}

static mus_status missing_path(const mus_cloth *cloth) {
    for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
        const mus_pin *soft = mus_cloth_soft_pin(cloth, i), *pin = soft ? soft : &cloth->pins[i];
        if (pin->kind == MUS_PIN_PATH && pin->target == MUS_MISSING_PATH)
            return mus_fail(
                MUS_STATUS_INVALID,
                "cloth '%s': vertex %d followed a path in the saved world; pin it to the path again, to its "
                "place, or unpin it",
                cloth->name, i + 1);
    }
    return MUS_STATUS_OK;
}

static mus_status missing_springs(const mus_cloth *cloth) {
    const mus_spring_programs *p = cloth->spring_programs;
    for (int k = 0; p && k < MUS_SPRING_KIND_COUNT; k++)
        if (p->missing[k]) {
            const char *kind = mus_spring_kind_get_name((mus_spring_kind)k);
            return mus_fail(MUS_STATUS_INVALID,
                            "cloth '%s': its %s springs followed a function in the saved world; hand it in again with "
                            "cloth:spring_law {%s = f} (false: the material's constants; mus_cloth_set_spring_law in "
                            "C)",
                            cloth->name, kind, kind);
        }
    return MUS_STATUS_OK;
}

mus_status mus_world_check_complete(mus_world *world) {
    if (!world->incomplete) return MUS_STATUS_OK;
    if (world->callbacks_missing)
        return mus_fail(
            MUS_STATUS_INVALID,
            "world: the saved world had callbacks; set them again with mus_world_set_callbacks (NULL: none)");
    if (world->tolerance_missing)
        return mus_fail(
            MUS_STATUS_INVALID,
            "world: the tolerance was a function of place in the saved world; set it again (world.tolerance "
            "in Lua, mus_world_set_tolerance in C)");
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < world->obstacle_order.count && status == MUS_STATUS_OK; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        if (o->motion.kind == MUS_LAW_MISSING) status = mus_obstacle_motion_missing(o);
    }
    for (int64_t k = 0; k < world->cloth_order.count && status == MUS_STATUS_OK; k++) {
        status = missing_path(world->cloths.data[world->cloth_order.data[k]].object);
        if (status == MUS_STATUS_OK) status = missing_springs(world->cloths.data[world->cloth_order.data[k]].object);
    }
    for (int64_t k = 0; k < world->response_order.count && status == MUS_STATUS_OK; k++) {
        const mus_world_response *r = world->responses.data[world->response_order.data[k]].object;
        if (r->response.rule.kind == MUS_LAW_MISSING) status = missing_rule(r);
    }
    for (int64_t k = 0; k < world->coefficients.count && status == MUS_STATUS_OK; k++)
        if (world->coefficients.data[k].one.law.kind == MUS_LAW_MISSING)
            status = missing_coefficient(&world->coefficients.data[k]);
    if (status == MUS_STATUS_OK) world->incomplete = false;
    return status;
}
