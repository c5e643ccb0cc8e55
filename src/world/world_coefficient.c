/* world_coefficient.c: friction and restitution of pairs of objects, in place of those by their materials. */
#include "base/range.h"
#include "base/word.h"
#include "solve/potential/potential.h"
#include "world/slots.h"
#include "world/snapshot.h"

#include <string.h>

void mus_pair_setting_free(mus_pair_setting *setting) {
    mus_law_release(&setting->one.law);
    mus_free(setting->a);
    mus_free(setting->b);
    mus_free(setting->place);
    *setting = (mus_pair_setting){0};
}

static bool same_name(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns whether both are of the same pair and coefficient. */
static bool is_same_setting(const mus_pair_setting *later, const mus_pair_setting *earlier) {
    if (later->one.which != earlier->one.which) return false;
    return (same_name(later->a, earlier->a) && same_name(later->b, earlier->b)) ||
           (same_name(later->a, earlier->b) && same_name(later->b, earlier->a));
}

mus_pair_coefficient mus_pair_setting_of(const mus_pair_setting *setting) {
    mus_pair_coefficient one = setting->one;
    one.a = setting->a, one.b = setting->b, one.place = setting->place;
    return one;
}

/* Returns whether the setting at k may be replaced in place: no later one is of the same coefficient. */
static bool is_last(const mus_world *world, int64_t k) {
    for (int64_t later = k + 1; later < world->coefficients.count; later++)
        if (world->coefficients.data[later].one.which == world->coefficients.data[k].one.which) return false;
    return true;
}

/* The last setting of a pair applies: an earlier one of the same pair is removed, and the new one appended. It takes
 * the place of the earlier one if that is a function missing in a loaded world, or if the order does not matter. The
 * solver, with its memory of the last step, is kept if a setting is replaced in place. */
static mus_status store_setting(mus_world *world, const mus_pair_setting *setting) {
    int64_t count = world->coefficients.count, k = 0;
    mus_pair_setting *all = world->coefficients.data;
    while (k < count && !is_same_setting(setting, &all[k])) k++;
    if (k == count) {
        world->assembled = false;
        return mus_array_push(&world->coefficients, *setting) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    }
    bool stays = all[k].one.law.kind == MUS_LAW_MISSING || is_last(world, k), turned = !same_name(setting->a, all[k].a);
    mus_pair_setting_free(&all[k]);
    if (!stays) {
        memmove(&all[k], &all[k + 1], sizeof *all * (size_t)(count - k - 1));
        k = count - 1;
        world->assembled = false;
    }
    all[k] = *setting;
    if (stays && turned) all[k].a = setting->b, all[k].b = setting->a; /* snapshots compare names in order */
    if (!world->assembled) return MUS_STATUS_OK;
    world->solver_coefficients.data[k] = mus_pair_setting_of(&all[k]);
    mus_coefficients_ready(&world->solver.coefficients, world->solver.assembly.object_count);
    return MUS_STATUS_OK;
}

/* `one` is checked; programs are retained from here on. */
static mus_status set_coefficient(mus_world *world, const char *const names[2], const char *place,
                                  mus_pair_coefficient one) {
    mus_pair_setting setting = {.a = mus_copy_string(names[0]), .one = one};
    bool all = setting.a;
    if (all && names[1]) all = (setting.b = mus_copy_string(names[1])) != NULL;
    if (all && place) all = (setting.place = mus_copy_string(place)) != NULL;
    mus_law_retain(&one.law);
    mus_status status = all ? store_setting(world, &setting) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK)
        mus_world_wake(world);
    else
        mus_pair_setting_free(&setting);
    return status;
}

/* Returns the names of the pair; b NULL: any object. */
static mus_status check(const mus_world *world, mus_object_id a, mus_object_id b, mus_coefficient which,
                        const char *names[2]) {
    bool any = b.kind == MUS_OBJECT_NONE;
    mus_status status = mus_world_check_unlocked(world, "world:between");
    names[1] = NULL;
    if (status == MUS_STATUS_OK)
        status = any ? mus_world_check_object(world, "between", a, &names[0])
                     : mus_world_check_pair(world, "between", a, b, names);
    if (status == MUS_STATUS_OK && world->coefficients.count >= INT16_MAX) /* pair tables store indices as int16_t */
        status = mus_fail(MUS_STATUS_INVALID, "between: a world has at most %d coefficients of pairs", INT16_MAX);
    if (status != MUS_STATUS_OK) return status;
    return (int)which >= 0 && which < MUS_COEFFICIENT_COUNT
               ? MUS_STATUS_OK
               : mus_fail(MUS_STATUS_INVALID, "between: there is no coefficient %d", (int)which);
}

mus_status mus_world_set_coefficient(mus_world *world, mus_object_id a, mus_object_id b, mus_coefficient which,
                                     double value) {
    const char *names[2];
    mus_status status = check(world, a, b, which, names);
    if (status != MUS_STATUS_OK) return status;
    bool friction = which == MUS_COEFFICIENT_FRICTION;
    if (!(value >= 0) || !(friction ? mus_is_value(value) : value <= 1))
        return mus_fail(MUS_STATUS_INVALID, "between: field '%s' must be %s (got %s)", mus_coefficient_get_name(which),
                        friction ? ">= 0" : "within 0..1", mus_word_of_number(value).text);
    return set_coefficient(world, names, NULL, (mus_pair_coefficient){.which = which, .law = mus_law_of_value(value)});
}

mus_status mus_world_set_contact_law(mus_world *world, mus_object_id a, mus_object_id b, mus_coefficient which,
                                     mus_contact_law_fn callback, void *user, const char *place) {
    mus_law law = mus_law_of_coefficient(callback, user);
    const char *names[2];
    mus_status status = check(world, a, b, which, names);
    if (status != MUS_STATUS_OK) return status;
    const char *name = mus_coefficient_get_name(which);
    if (law.kind == MUS_LAW_NONE) return mus_fail(MUS_STATUS_INVALID, "between: the function of '%s' is missing", name);
    if (law.kind == MUS_LAW_PROGRAM && (!law.program || mus_program_get_kind(law.program) != MUS_PROGRAM_COEFFICIENT))
        return mus_fail(MUS_STATUS_INVALID, "between: field '%s' must be a program of that kind", name);
    if (world->solver_def.response && world->solver_def.response->bare)
        return mus_fail(
            MUS_STATUS_INVALID,
            "between: field '%s' cannot be a function in a pipeline with response '%s', which knows neither "
            "friction nor restitution; choose another pipeline, such as 'robust'",
            name, world->solver_def.response->name);
    return set_coefficient(world, names, place, (mus_pair_coefficient){.which = which, .law = law});
}
