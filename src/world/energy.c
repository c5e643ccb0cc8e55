/* energy.c: the energies of a world in the middle of its last step, to which velocities belong. */
#include "dynamics/incremental.h"
#include "model/order.h"
#include "model/spring_program.h"
#include "world/world_state.h"

mus_status mus_world_get_energy(mus_world *world, mus_energy *energy) {
    *energy = (mus_energy){0};
    mus_status status = mus_world_check_unlocked(world, "world:energy");
    if (status == MUS_STATUS_OK) status = mus_world_assemble(world);
    if (status != MUS_STATUS_OK) return status;
    const mus_assembly *a = &world->solver.assembly;
    v3 gravity = v3_load(world->def.gravity);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = a->objects[k].cloth;
        if ((status = mus_cloth_send(mus_cloth_given(cloth))) != MUS_STATUS_OK) return status;
        const v3 *x = (const v3 *)cloth->x, *v = (const v3 *)cloth->v;
        v3 *middle = a->x1 + a->objects[k].first;
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            middle[i] = v3_axpy(-0.5 * cloth->previous_dt, v[i], x[i]);
            energy->kinetic += 0.5 * cloth->mass[i] * v3_length2(v[i]);
            energy->gravitational -= cloth->mass[i] * v3_dot(gravity, middle[i]);
        }
        /* without a change of positions there is no damping energy */
        mus_incremental_begin(world->solver.dynamics[k], cloth, middle);
        energy->elastic += mus_incremental_energy(world->solver.dynamics[k], cloth, middle, middle, 1);
        energy->elastic +=
            mus_spring_programs_energy(cloth, middle); /* mus_incremental_energy includes only its change */
        if ((status = mus_spring_programs_check(cloth)) != MUS_STATUS_OK) return status;
    }
    for (int32_t k = 0; k < world->solver.seam_group_count; k++) {
        mus_seam_group *b = &world->solver.seam_groups[k];
        mus_seam_group_begin(b, world->time - 0.5 * a->objects[b->first_cloth].cloth->previous_dt, 0);
        energy->elastic += mus_seams_energy(b, a->x1 + b->first);
    }
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_obstacle *o = a->objects[k].obstacle;
        const mus_rigid *r = &o->rigid;
        if (!mus_obstacle_is_dynamic(o)) continue;
        m3 inverse = mus_rigid_inverse_inertia(r, o->pose.rotation);
        v3 middle = v3_axpy(-0.5 * r->previous_dt, r->v, mus_rigid_center(r, &o->pose));
        energy->rotational += 0.5 * v3_dot(r->momentum, m3_mul_v3(&inverse, r->momentum));
        energy->kinetic += 0.5 * r->mass * v3_length2(r->v);
        energy->gravitational -= r->mass * v3_dot(gravity, middle);
    }
    energy->kinetic += energy->rotational;
    energy->contact = world->stats.contact_energy;
    energy->total = energy->kinetic + energy->elastic + energy->gravitational + energy->contact;
    return MUS_STATUS_OK;
}
