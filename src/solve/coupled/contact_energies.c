/* contact_energies.c: contacts with a user's energy of distance and slip in the coupled problem. The energy acts below
 * the thickness; under it a gap is kept as of every contact, so that any energy leaves the pair apart. */
#include "solve/solver.h"

/* Gap that is kept, in thicknesses: above the least one of continuous detection (MUS_MIN_GAP_PER_THICKNESS), which
 * would stop the motion there. */
static const double least_distance = 0.15;

/* Gives a constraint its energy in place of the response, which no rule follows then. */
static mus_status add_energy(mus_solver *s, mus_contact_constraint *constraint) {
    mus_contact_energies *e = &s->coupled.energies;
    const mus_program *law = s->responses[constraint->response].rule.program;
    mus_ogc_term term = mus_ogc_term_of(&s->assembly, constraint, 0);
    mus_ogc_take_law(&term, law, constraint, s->dt, s->time);
    mus_status status = mus_ogc_batch_admit(&e->batch, law);
    if (status != MUS_STATUS_OK) return status;
    if (!mus_array_push(&e->terms, term) || !mus_array_push(&e->own, (mus_energy_free_impulse){0}))
        return MUS_STATUS_NO_MEMORY;
    constraint->energy = (int32_t)e->terms.count;
    constraint->target = fmin(constraint->target, least_distance * constraint->thickness);
    constraint->response = -1;
    return MUS_STATUS_OK;
}

mus_status mus_coupled_add_energies(mus_solver *s, int64_t first) {
    mus_contact_energies *e = &s->coupled.energies;
    if (first == 0) e->terms.count = e->own.count = e->batch.laws.count = 0;
    int64_t known = e->terms.count;
    for (int64_t k = first; k < s->constraints.count; k++) {
        mus_contact_constraint *constraint = &s->constraints.data[k];
        if (constraint->response < 0 || !mus_law_is_energy(&s->responses[constraint->response].rule)) continue;
        mus_status status = add_energy(s, constraint);
        if (status != MUS_STATUS_OK) return status;
    }
    if (e->terms.count == known) return MUS_STATUS_OK;
    mus_status status = mus_ogc_batch_reserve(&e->batch, e->terms.count);
    return status == MUS_STATUS_OK ? mus_ogc_batch_check(&e->batch, e->terms.data, known, e->terms.count, s->dt)
                                   : status;
}

static v3 tangential(v3 normal, v3 slip) {
    return v3_axpy(-v3_dot(normal, slip), normal, slip);
}

void mus_coupled_evaluate_energies(mus_solver *s, double share) {
    const mus_coupled *c = &s->coupled;
    const mus_contact_energies *e = &c->energies;
    if (!e->terms.count) return;
    for (int64_t k = 0; k < c->constraints.count; k++) {
        const mus_coupled_constraint *t = &c->constraints.data[k];
        if (!t->energy) continue;
        double missing = t->missing;
        v3 slip = t->slip;
        if (share != 0) missing -= share * v3_dot(t->normal, t->change), slip = v3_axpy(share, t->change, slip);
        e->batch.distance.data[t->energy - 1] = s->constraints.data[t->constraint].target - missing;
        e->batch.slip.data[t->energy - 1] = v3_length(tangential(t->normal, slip));
    }
    mus_ogc_batch_run(&e->batch, e->terms.data, 0, e->terms.count, MUS_OGC_LEAST);
}

void mus_coupled_add_energy_impulse(const mus_solver *s, mus_coupled_constraint *t, v3 slip) {
    const mus_contact_energies *e = &s->coupled.energies;
    const mus_ogc_value *v = &e->batch.value.data[t->energy - 1];
    double dt2 = s->dt * s->dt, length = e->batch.slip.data[t->energy - 1];
    e->own.data[t->energy - 1] = (mus_energy_free_impulse){t->normal_impulse, t->friction_impulse};
    t->normal_impulse += dt2 * v->normal_force;
    t->stiff += dt2 * v->curvature;
    if (!(v->slip_gradient > 0) && !(v->slip_stiffness > 0)) return;
    double across = dt2 * (length > 0 ? v->slip_gradient / length : v->slip_stiffness);
    slip = tangential(t->normal, slip);
    t->friction_impulse = v3_axpy(-across, slip, t->friction_impulse);
    if (length > 0) t->heading = v3_scale(1 / length, slip); /* sliding friction has nearly the same line */
    t->friction_stiffness += across, t->slip_stiffness += dt2 * v->slip_stiffness;
}

double mus_coupled_contact_energy(const mus_solver *s) {
    const mus_contact_energies *e = &s->coupled.energies;
    double sum = 0;
    for (int64_t k = 0; e->terms.count && k < s->constraints.count; k++) {
        const mus_contact_constraint *constraint = &s->constraints.data[k];
        if (!constraint->energy) continue;
        const mus_ogc_term *term = &e->terms.data[constraint->energy - 1];
        v3 end = mus_contact_end_vector(&s->assembly, constraint);
        double distance = v3_dot(constraint->normal, end) - constraint->offset;
        double slip = v3_length(tangential(constraint->normal, v3_sub(end, constraint->rest)));
        sum += 0.5 * mus_ogc_value_of(term, constraint->gap0, 0, MUS_OGC_LEAST).energy;
        sum += 0.5 * mus_ogc_value_of(term, distance, slip, MUS_OGC_LEAST).energy;
    }
    return sum;
}

void mus_contact_energies_free(mus_contact_energies *e) {
    mus_array_free(&e->terms), mus_array_free(&e->own);
    mus_ogc_batch_free(&e->batch);
}
