/* separate_rigid_contacts.c: rigid bodies in families whose response handles cloth contacts one by one. Contacts
 * between bodies and other obstacles are solved separately, as constraints, after the impulses of the response on
 * bodies; then bodies are placed. */
#include "solve/solver.h"

#include <string.h>

static bool has_rigid_impulses(const mus_solver *s) {
    bool any = false;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_rigid_step *r = &s->assembly.rigids[k];
        any |= v3_max_abs(r->linear) > 0 || v3_max_abs(r->angular) > 0;
    }
    return any;
}

mus_status mus_solver_solve_initial_rigid_contacts(mus_solver *s) {
    mus_contact_constraint_list *constraints = &s->rigid_contacts.constraints;
    if (!s->assembly.rigid_count) return MUS_STATUS_OK;
    mus_status status = mus_solver_add_rigid_constraints(s, s->dt);
    for (int64_t k = 0; k < constraints->count; k++) mus_solver_choose_response(s, &constraints->data[k]);
    if (status == MUS_STATUS_OK) status = mus_coefficients_evaluate(s, constraints->data, constraints->count);
    if (status == MUS_STATUS_OK && s->current >= 0)
        status =
            mus_warm_starts_apply(&s->assembly, &s->warm_starts[s->current], s->dt, &s->warm_start_table, constraints);
    return status == MUS_STATUS_OK ? mus_solver_sweep_rigid_contacts(s) : status;
}

mus_status mus_solver_update_rigid_bodies(mus_solver *s, mus_candidate_pair_list *list) {
    const mus_assembly *a = &s->assembly;
    bool moved;
    if (!a->rigid_count || (list && !has_rigid_impulses(s))) return MUS_STATUS_OK;
    mus_status status = mus_solver_sweep_rigid_contacts(s);
    if (status == MUS_STATUS_OK) status = mus_solver_place_rigid_bodies(s, s->dt, false, &moved);
    return status == MUS_STATUS_OK && list ? mus_solver_detect(s, list) : status;
}

static void set_support(mus_solver *s, int32_t i, v3 by) {
    if (s->assembly.inverse_mass[i] > 0 && !(v3_length2(s->rigid_contacts.support[i]) > 0))
        s->rigid_contacts.support[i] = by;
}

static void set_plane_support(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            if (!mus_assembly_collides(a, a->object_of[i], k)) continue;
            double gap = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0));
            double thickness = mus_assembly_contact_thickness(a, i) + plane->contact_thickness;
            if (gap > thickness || mus_assembly_is_exempt_below(a, i, k)) continue;
            set_support(s, i, plane->normal0);
        }
    }
}

/* Returns whether all vertices with a considerable weight of one side are supported. */
static bool side_is_supported(const mus_solver *s, const mus_contact_constraint *constraint, int side, v3 up) {
    static const double counts = 0.1, along = 0.5;
    const mus_assembly *a = &s->assembly;
    const mus_object *object = &a->objects[constraint->object[side]];
    if (object->obstacle) return !object->rigid;
    for (int k = 0; k < 4; k++)
        if (mus_contact_side(constraint, k) == side && fabs(constraint->weight[k]) > counts &&
            !(v3_dot(s->rigid_contacts.support[constraint->vertex[k]], up) > along))
            return false;
    return true;
}

static bool propagate_support(mus_solver *s, const mus_contact_constraint *constraint) {
    const mus_assembly *a = &s->assembly;
    bool any = false;
    for (int side = 0; side < 2 && !constraint->plane; side++) {
        v3 up = side == 0 ? v3_neg(constraint->normal) : constraint->normal; /* from this side to the other */
        if (!a->objects[constraint->object[!side]].cloth || !side_is_supported(s, constraint, side, up)) continue;
        for (int k = 0; k < 4; k++) {
            int32_t i = constraint->vertex[k];
            if (mus_contact_side(constraint, k) == side || constraint->weight[k] == 0 ||
                v3_length2(s->rigid_contacts.support[i]) > 0)
                continue;
            set_support(s, i, up);
            any |= v3_length2(s->rigid_contacts.support[i]) > 0;
        }
    }
    return any;
}

void mus_solver_find_support(mus_solver *s) {
    enum { LAYERS = 8 };
    const mus_assembly *a = &s->assembly;
    const mus_contact_constraint_list *lists[2] = {&s->constraints, &s->hits};
    if (!s->rigid_contacts.support) return;
    memset(s->rigid_contacts.support, 0, sizeof(v3) * (size_t)a->cloth_vertex_count);
    set_plane_support(s);
    bool any = true;
    for (int layer = 0; any && layer < LAYERS; layer++) {
        any = false;
        for (int l = 0; l < 2; l++)
            for (int64_t k = 0; k < lists[l]->count; k++) any |= propagate_support(s, &lists[l]->data[k]);
    }
}

bool mus_solver_presses(mus_solver *s, int32_t i, int32_t plane) {
    const mus_assembly *a = &s->assembly;
    int32_t carrier = a->rigid_count ? mus_zones_carrier(&s->zones, i) : -1;
    if (carrier < 0 || !a->objects[a->object_of[carrier]].rigid) return false;
    s->pinched[0] = a->object_of[carrier], s->pinched[1] = plane;
    return true;
}
