/* respond.c: rounds of detection and response: hook, users' rules, the pipeline's response, rigid bodies. */
#include "solve/classic/classic.h"

#include <string.h>

enum { STRAIN_SWEEPS_BETWEEN = 2, MAX_STRAIN_SWEEPS = 120 };

/* Contacts that need a response. */
typedef struct mus_classic_turn {
    mus_contact_constraint_list *constraints;
    int64_t first; /* first of these in the list */
    int round;
    bool hook;     /* this step's hook has not been called yet */
    bool settled;  /* rigid bodies stay where they are */
    bool detected; /* the elementary test found them; else they are near at the start of the step */
    mus_response_rule *rule;
} mus_classic_turn;

/* Updates the geometry of a contact for the current ends; false: the pair does not collide any more. */
static bool update_geometry(mus_solver *s, const mus_candidate_pair *c, mus_contact_constraint *constraint) {
    mus_elementary_hit hit;
    v3 axis = constraint->normal;
    if (!mus_classic_pair_collides(s, c, 1, &axis, &hit)) return false;
    if (!(v3_length2(hit.normal) > 0)) return true;
    mus_contact_constraint fresh;
    if (!mus_contact_from_geometry(&s->assembly, c, hit.weight, hit.normal, hit.toi, s->dt, &fresh)) return false;
    fresh.friction = constraint->friction, fresh.restitution = constraint->restitution;
    fresh.thickness = constraint->thickness, fresh.pair_index = constraint->pair_index;
    fresh.is_impact = constraint->is_impact;
    v3 applied_impulse = v3_axpy(constraint->normal_impulse, constraint->normal,
                                 constraint->friction_impulse); /* of earlier responses */
    if (constraint->normal_impulse > 0) fresh.normal_velocity = constraint->normal_velocity;
    fresh.normal_impulse = v3_dot(applied_impulse, fresh.normal),
    fresh.friction_impulse = v3_axpy(-fresh.normal_impulse, fresh.normal, applied_impulse);
    *constraint = fresh;
    return true;
}

static void respond_to_contact(mus_solver *s, const mus_classic_turn *t, mus_response_context *context,
                               mus_contact_constraint *constraint) {
    mus_candidate_pair c = {.edge_edge = constraint->edge_edge, .gap0 = (float)constraint->gap0};
    memcpy(c.vertex, constraint->vertex, sizeof c.vertex);
    bool detected = t->detected && !constraint->plane;
    /* responses to other contacts may have separated the pair, or changed its normal */
    if (detected && s->def.response->retests && !update_geometry(s, &c, constraint)) return;
    context->min_gap = detected ? mus_classic_min_gap(s, &c) : 0;
    mus_response_apply(context, constraint, t->rule);
}

static void go_over(mus_solver *s, const mus_classic_turn *t, mus_response_context *context) {
    bool once = s->def.response->first_hit_only;
    if (once)
        memset(context->responded = s->assembly.contact_scratch, 0,
               sizeof *context->responded * (size_t)s->assembly.vertex_count);
    for (int last = 0; last < (s->assembly.rigid_count ? 2 : 1); last++)
        for (int regular = 0; regular < (once ? 2 : 1); regular++)
            for (int64_t k = t->first; k < t->constraints->count; k++) {
                mus_contact_constraint *constraint = &t->constraints->data[k];
                if (constraint->response >= 0 || constraint->has_rigid_body != last) continue;
                if (once && (constraint->plane || constraint->is_exact) != regular) continue;
                respond_to_contact(s, t, context, constraint);
            }
}

static mus_response_context make_response_context(mus_solver *s, const mus_classic_turn *t) {
    mus_solver_find_support(s);
    return (mus_response_context){.assembly = &s->assembly,
                                  .dt = s->dt,
                                  .round = t->round,
                                  .again = t->rule == s->def.response->repel ? s->def.response->repel_again : 0,
                                  .settled = t->settled,
                                  .support = s->rigid_contacts.support,
                                  .moved = mus_solver_moved,
                                  .moved_context = s};
}

/* Calls the hook, applies users' rules, and the pipeline's response to the rest, with contacts of rigid bodies last:
 * cloth on a support is resolved before what lies on it. Rules apply in the first round; contacts in later rounds get
 * the pipeline's response. */
static mus_status respond_to_contacts(mus_solver *s, const mus_step_input *input, const mus_classic_turn *t) {
    mus_contact_constraint_list *constraints = t->constraints;
    for (int64_t k = t->first; k < constraints->count; k++) {
        mus_solver_choose_response(s, &constraints->data[k]);
        if (t->round > 0) constraints->data[k].response = -1;
    }
    mus_status status = mus_coefficients_evaluate(s, constraints->data + t->first, constraints->count - t->first);
    if (status != MUS_STATUS_OK) return status;
    if (input->contacts && (t->hook || constraints->count > t->first)) status = input->contacts(input->context);
    if (status != MUS_STATUS_OK) return status;
    v3 *before = mus_classic_save_positions(s);
    if ((status = mus_solver_apply_rules(s, constraints, t->first)) != MUS_STATUS_OK) return status;
    mus_classic_update_velocities(s, before);
    mus_response_context context = make_response_context(s, t);
    bool alternates = t->rule == s->def.response->repel && mus_classic_alternates_strain(s),
         is_within_limit = !alternates;
    for (int sweep = 0; sweep <= context.again || (!is_within_limit && sweep < MAX_STRAIN_SWEEPS); sweep++) {
        if (sweep > 0 && alternates && (status = mus_classic_sweep_strain(s, sweep, &is_within_limit)) != MUS_STATUS_OK)
            return status;
        go_over(s, t, &context);
    }
    return MUS_STATUS_OK;
}

/* Limits strain between rounds; if stages alternate, repeats the response to the contacts so far after each sweep. */
static mus_status limit_strain_between_rounds(mus_solver *s, mus_candidate_pair_list *list) {
    const mus_classic_response *response = s->def.response;
    bool is_within_limit = false;
    if (!mus_classic_alternates_strain(s)) return mus_classic_limit_strain(s, STRAIN_SWEEPS_BETWEEN, &is_within_limit);
    mus_classic_turn near = {.constraints = &s->constraints, .rule = response->repel};
    mus_classic_turn detected = {.constraints = &s->hits, .detected = true, .rule = response->resolve_hit};
    mus_response_context to_near = make_response_context(s, &near), to_detected = make_response_context(s, &detected);
    for (int k = 0; k < MAX_STRAIN_SWEEPS; k++) {
        mus_status status = mus_classic_sweep_strain(s, k, &is_within_limit);
        if (status != MUS_STATUS_OK) return status;
        if (is_within_limit) break;
        go_over(s, &near, &to_near);
        go_over(s, &detected, &to_detected);
    }
    return mus_solver_update_rigid_bodies(s, list);
}

/* Response to the contacts near at the start of the step, among the pairs near at the end of the last step, or those of
 * a first detection. */
mus_status mus_classic_repel(mus_solver *s, const mus_step_input *input) {
    mus_response_rule *rule = s->def.response->repel;
    if (!rule && s->def.elementary->at_start) rule = s->def.response->resolve_hit;
    if (!rule) return MUS_STATUS_OK;
    const mus_candidate_pair_list *near = s->current < 0 ? &s->candidates : &s->lists[s->current];
    mus_status status = s->current < 0 ? mus_solver_detect(s, &s->candidates) : MUS_STATUS_OK;
    mus_contact_options options = {.dt = s->dt, .relax = 1, .threads = s->def.threads};
    if (status == MUS_STATUS_OK) status = mus_contacts_build(&s->assembly, near, &options, &s->constraints);
    if (status != MUS_STATUS_OK) return status;
    int64_t kept = 0;
    for (int64_t k = 0; k < s->constraints.count; k++)
        if (s->constraints.data[k].gap0 < s->constraints.data[k].thickness || s->constraints.data[k].has_rigid_body)
            s->constraints.data[kept++] = s->constraints.data[k];
    s->constraints.count = kept;
    return respond_to_contacts(s, input,
                               &(mus_classic_turn){.constraints = &s->constraints, .hook = true, .rule = rule});
}

/* Rounds from `first` on. Rigid bodies are placed after each of the first rounds; later they are fixed, and only cloth
 * moves. */
mus_status mus_classic_rounds(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, int first,
                              bool *is_collision_free) {
    const mus_classic_response *response = s->def.response;
    for (int round = first; round < response->rounds; round++) {
        mus_status status = MUS_STATUS_OK;
        if (round > 0 && round < response->strain_rounds) status = limit_strain_between_rounds(s, list);
        if (status != MUS_STATUS_OK) return status;
        mus_classic_turn now = {.constraints = &s->hits,
                                .first = s->hits.count,
                                .round = round,
                                .settled = round >= MUS_CLASSIC_PLACEMENT_ROUNDS,
                                .hook = round == 0 && !response->repel,
                                .detected = true,
                                .rule = response->resolve_hit};
        mus_classic_search l = {.constraints = &s->hits, .share = 1};
        status = mus_classic_search_pairs(s, list, &l);
        s->stats->ccd_passes = round + 1 > s->stats->ccd_passes ? round + 1 : s->stats->ccd_passes;
        if (status == MUS_STATUS_OK) status = respond_to_contacts(s, input, &now);
        if (status == MUS_STATUS_OK && !now.settled) status = mus_solver_update_rigid_bodies(s, list);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
        if (l.found == 0) {
            *is_collision_free = true;
            return MUS_STATUS_OK;
        }
    }
    return MUS_STATUS_OK;
}
