/* world_response.c: collision-response objects and the contacts that they apply to. */
#include "base/cookie.h"
#include "base/word.h"
#include "solve/potential/potential.h"
#include "world/slots.h"

#include <string.h>

mus_response_def mus_response_def_default(void) {
    return (mus_response_def){.cookie = MUS_COOKIE_RESPONSE_DEF, .friction = -1, .restitution = -1};
}

void mus_world_response_free(mus_world_response *r) {
    if (!r) return;
    mus_law_release(&r->response.rule);
    mus_free(r->name);
    mus_free(r->between[0]);
    mus_free(r->between[1]);
    mus_free(r);
}

static bool is_per_node(const mus_law *rule, bool per_node) {
    return rule->kind == MUS_LAW_PROGRAM ? mus_program_get_kind(rule->program) == MUS_PROGRAM_NODE_RULE : per_node;
}

static mus_status check_rule(const mus_world *world, const mus_law *rule, bool per_node) {
    bool program = rule->kind == MUS_LAW_PROGRAM;
    if (mus_law_is_function(rule) && world->solver_def.family == &mus_family_potential &&
        (!program || !rule->program || mus_program_get_kind(rule->program) != MUS_PROGRAM_POTENTIAL))
        return mus_fail(
            MUS_STATUS_INVALID,
            "response: field 'rule' gives impulses, which pipelines with response '%s' do not support; "
            "choose an impulse pipeline such as 'robust', give a muslin.potential, or leave the rule out and "
            "set friction",
            world->def.pipeline.response);
    if (!program) return MUS_STATUS_OK;
    if (!rule->program) return mus_fail(MUS_STATUS_INVALID, "response: field 'user' must be the program");
    mus_program_kind kind = mus_program_get_kind(rule->program);
    const mus_family *family = world->solver_def.family;
    if (kind == MUS_PROGRAM_POTENTIAL && family != &mus_family_potential && !family->couples_contacts)
        return mus_fail(MUS_STATUS_INVALID,
                        "response: field 'rule' is a potential, which impulse and classic pipelines do not support; "
                        "choose 'robust', 'lively' or a potential pipeline such as 'offset', or a muslin.rule");
    if (kind == MUS_PROGRAM_NODE_FORCE)
        return mus_fail(MUS_STATUS_INVALID,
                        "response: field 'rule' cannot be a force on nodes; give it to world:force");
    if (per_node && kind != MUS_PROGRAM_NODE_RULE)
        return mus_fail(MUS_STATUS_INVALID, "response: field 'per_node' does not fit a program of contacts");
    return MUS_STATUS_OK;
}

/* Returns the names of `between`; NULL: any object. */
static mus_status check_between(const mus_world *world, const mus_response_def *def, const char *names[2]) {
    const mus_object_id *pair = def->between;
    names[0] = names[1] = NULL;
    if (pair[0].kind == MUS_OBJECT_NONE && pair[1].kind != MUS_OBJECT_NONE)
        return mus_fail(MUS_STATUS_INVALID, "response: field 'between' must give its first object before its second");
    mus_status status = MUS_STATUS_OK;
    for (int k = 0; k < 2 && pair[k].kind != MUS_OBJECT_NONE && status == MUS_STATUS_OK; k++)
        status = mus_world_check_object(world, "response: field 'between'", pair[k], &names[k]);
    return status;
}

static mus_status check_def(const mus_world *world, const mus_response_def *def, const char *names[2]) {
    mus_status made = mus_check_cookie(def->cookie, MUS_COOKIE_RESPONSE_DEF, "response", "mus_response_def");
    if (made != MUS_STATUS_OK) return made;
    if (def->rule && def->callback)
        return mus_fail(MUS_STATUS_INVALID,
                        "response: field 'rule' must be the name of a rule or a function, not both");
    if (isnan(def->friction) || def->friction > 1e6)
        return mus_fail(MUS_STATUS_INVALID, "response: field 'friction' must be >= 0 (got %s)",
                        mus_word_of_number(def->friction).text);
    if (isnan(def->restitution) || def->restitution > 1)
        return mus_fail(MUS_STATUS_INVALID, "response: field 'restitution' must be within 0..1 (got %s)",
                        mus_word_of_number(def->restitution).text);
    mus_status known = check_between(world, def, names);
    if (known != MUS_STATUS_OK) return known;
    mus_pipeline pipeline = world->def.pipeline;
    mus_solver_def resolved;
    mus_law rule = mus_law_of_rule(def->callback, def->user);
    mus_status fits = check_rule(world, &rule, def->per_node);
    if (fits != MUS_STATUS_OK) return fits;
    if (def->rule && strcmp(def->rule, pipeline.response) != 0) {
        pipeline.response = def->rule;
        mus_status status = mus_stages_resolve(&pipeline, &resolved);
        if (status != MUS_STATUS_OK) return status;
        return mus_fail(MUS_STATUS_INVALID,
                        "response: rule '%s' cannot be mixed with the pipeline's '%s' in one world; choose it as the "
                        "pipeline's response, or leave the rule out for the pipeline's own",
                        def->rule, world->def.pipeline.response);
    }
    if (def->failsafe && strcmp(def->failsafe, pipeline.failsafe) != 0)
        return mus_fail(MUS_STATUS_INVALID, "response: field 'failsafe' must be the pipeline's, '%s' (got '%s')",
                        pipeline.failsafe, def->failsafe);
    return MUS_STATUS_OK;
}

mus_status mus_response_create(mus_world *world, const mus_response_def *def, mus_response_id *id) {
    *id = (mus_response_id){0, 0};
    mus_status status = mus_world_check_unlocked(world, "world:respond");
    if (status == MUS_STATUS_OK && world->response_order.count >= INT16_MAX) /* pair tables store indices as int16_t */
        status =
            mus_fail(MUS_STATUS_INVALID, "world:respond: a world has at most %d responses; remove some", INT16_MAX);
    const char *names[2];
    if (status == MUS_STATUS_OK) status = check_def(world, def, names);
    if (status != MUS_STATUS_OK) return status;
    mus_world_response *r = mus_new(sizeof *r);
    if (!r) return MUS_STATUS_NO_MEMORY;
    const char *name = def->name ? def->name : def->callback ? "rule" : world->def.pipeline.response;
    mus_law rule = mus_law_of_rule(def->callback, def->user);
    r->response = (mus_solver_response){.rule = rule,
                                        .per_node = is_per_node(&rule, def->per_node),
                                        .friction = def->friction,
                                        .restitution = def->restitution};
    mus_law_retain(&rule);
    r->name = mus_copy_string(name);
    bool all = r->name;
    for (int k = 0; k < 2 && all; k++)
        if (names[k]) all = (r->between[k] = mus_copy_string(names[k])) != NULL;
    if (!all || !mus_slots_add(&world->responses, &world->response_order, r, &id->index, &id->generation)) {
        mus_world_response_free(r);
        return MUS_STATUS_NO_MEMORY;
    }
    world->assembled = false;
    mus_world_wake(world);
    return MUS_STATUS_OK;
}

mus_status mus_response_destroy(mus_world *world, mus_response_id id) {
    mus_world_response *r = mus_slots_find(&world->responses, id.index, id.generation, "response");
    if (!r) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "world:remove");
    if (status != MUS_STATUS_OK) return status;
    mus_slots_remove(&world->responses, &world->response_order, id.index);
    mus_world_response_free(r);
    world->assembled = false;
    mus_world_wake(world);
    return MUS_STATUS_OK;
}

bool mus_response_is_valid(const mus_world *world, mus_response_id id) {
    return mus_slots_has(&world->responses, id.index, id.generation);
}

int32_t mus_world_get_response_count(const mus_world *world) {
    return (int32_t)world->response_order.count;
}

mus_response_id mus_world_get_response(const mus_world *world, int32_t k) {
    if (k < 0 || k >= world->response_order.count) return (mus_response_id){0, 0};
    int32_t slot = world->response_order.data[k];
    return (mus_response_id){(uint32_t)slot, world->responses.data[slot].generation};
}

bool mus_response_has_callback(const mus_world *world, mus_response_id id) {
    const mus_world_response *r = mus_slots_find(&world->responses, id.index, id.generation, "response");
    return r && mus_law_is_function(&r->response.rule);
}

static mus_status set_callback(mus_world *world, mus_response_id id, mus_rule_fn callback, void *user, bool per_node) {
    mus_world_response *r = mus_slots_find(&world->responses, id.index, id.generation, "response");
    if (!r) return MUS_STATUS_STALE;
    mus_status status = mus_world_check_unlocked(world, "response");
    if (status != MUS_STATUS_OK) return status;
    mus_law rule = mus_law_of_rule(callback, user);
    if (!mus_law_is_function(&rule) || !mus_law_is_function(&r->response.rule))
        return mus_fail(MUS_STATUS_INVALID, "response '%s': a function takes the place of a function only", r->name);
    if ((status = check_rule(world, &rule, per_node)) != MUS_STATUS_OK) return status;
    mus_world_wake(world);
    mus_law before = r->response.rule;
    r->response.rule = rule;
    r->response.per_node = is_per_node(&rule, per_node);
    mus_law_retain(&rule);
    mus_law_release(&before);
    for (int64_t k = 0; world->assembled && k < world->response_order.count; k++)
        if (world->response_order.data[k] == (int32_t)id.index) world->solver_responses.data[k] = r->response;
    return MUS_STATUS_OK;
}

mus_status mus_response_set_callback(mus_world *world, mus_response_id id, mus_rule_fn callback, void *user) {
    return set_callback(world, id, callback, user, false);
}

mus_status mus_response_set_node_callback(mus_world *world, mus_response_id id, mus_rule_fn callback, void *user) {
    return set_callback(world, id, callback, user, true);
}

/* Built from the solver's contact constraints on demand: most steps need no list. */
const mus_contact *mus_world_get_contacts(const mus_world *constant, int64_t *count) {
    mus_world *world = (mus_world *)(uintptr_t)constant; /* the list is a cache: its content does not change */
    *count = 0;
    if (!world->assembled) return NULL;
    const mus_solver *s = &world->solver;
    if (!world->contacts_fresh) {
        world->contacts.count = 0;
        const mus_contact_constraint_list *lists[] = {&s->constraints, &s->rigid_contacts.constraints, &s->hits};
        for (int l = 0; l < 3; l++) {
            if (!mus_array_reserve(&world->contacts, world->contacts.count + lists[l]->count + 1)) return NULL;
            for (int64_t k = 0; k < lists[l]->count; k++)
                mus_solver_contact(s, &lists[l]->data[k], &world->contacts.data[world->contacts.count++]);
        }
        world->contacts_fresh = !world->locked;
    }
    *count = world->contacts.count;
    return world->contacts.data;
}
