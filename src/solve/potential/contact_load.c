/* contact_load.c: the mass of rigid bodies that a contact carries, propagated between bodies, and its normal force. */
#include "solve/potential/potential.h"

#include <string.h>

/* Fills the indices into `loads` of the vertices and bodies of a contact: at most five. */
static int places_of(const mus_assembly *a, const mus_contact_constraint *constraint, int32_t place[6]) {
    int count = 0;
    for (int c = 0; c < (constraint->plane ? 1 : 4); c++)
        if (constraint->vertex[c] < a->cloth_vertex_count) place[count++] = constraint->vertex[c];
    for (int side = 0; side < 2; side++) {
        const mus_rigid_step *r = a->objects[constraint->object[side]].rigid;
        if (r) place[count++] = a->cloth_vertex_count + (int32_t)(r - a->rigids);
    }
    return count;
}

double mus_potential_load_on(const mus_solver *s, const mus_contact_constraint *constraint) {
    const double *loads = s->potential->loads;
    int32_t place[6];
    double load = 0;
    for (int k = loads ? places_of(&s->assembly, constraint, place) : 0; k-- > 0;) load = fmax(load, loads[place[k]]);
    return load;
}

void mus_potential_pass_loads_on(mus_solver *s) {
    /* Layers that a load is passed on through. 3 and 12: same bits on sphere, whose contacts are one layer. */
    enum { MAX_LAYERS = 6 };
    const mus_assembly *a = &s->assembly;
    double *loads = s->potential->loads;
    if (!loads) return;
    size_t n = (size_t)a->cloth_vertex_count + (size_t)a->rigid_count;
    double *next = loads + n;
    memset(loads, 0, sizeof *loads * n);
    for (int32_t k = 0; k < a->rigid_count; k++) loads[a->cloth_vertex_count + k] = a->rigids[k].of->mass;
    for (int layer = 0; layer < MAX_LAYERS; layer++) {
        memcpy(next, loads, sizeof *loads * n);
        for (int64_t k = 0; k < s->constraints.count; k++) {
            int32_t place[6];
            double load = mus_potential_load_on(s, &s->constraints.data[k]);
            for (int c = places_of(a, &s->constraints.data[k], place); c-- > 0;)
                next[place[c]] = fmax(next[place[c]], load);
        }
        if (memcmp(next, loads, sizeof *loads * n) == 0) break;
        memcpy(loads, next, sizeof *loads * n);
    }
}

double mus_potential_load(const mus_solver *s, const mus_contact_constraint *constraint) {
    mus_ogc_term term = mus_ogc_term_of(&s->assembly, constraint, mus_potential_load_on(s, constraint));
    if (constraint->response >= 0)
        mus_ogc_take_law(&term, s->responses[constraint->response].rule.program, constraint, s->dt, s->time);
    return fmax(0, mus_ogc_value_of(&term, fmax(constraint->gap0, 0), 0, MUS_OGC_LEAST).normal_force);
}
