/* energy.c: the energies of a world in the middle of its last step, to which velocities belong. Elastic energy is the
 * mean of those at the ends of the step: what an impact turns by half a right angle in one step is bent there, but
 * compressed by an eighth half way along the straight path (energy of example 03 1.2 % above that of the start). */
#include "dynamics/incremental.h"
#include "model/order.h"
#include "model/spring_program.h"
#include "world/pin.h"
#include "world/world_state.h"

/* Elastic energy of cloth and seams on the straight paths of their vertices, J; `before`: share of the step before its
 * end. */
static mus_status elastic_energy(mus_world *world, double before, double *sum) {
    const mus_assembly *a = &world->solver.assembly;
    *sum = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_cloth *cloth = a->objects[k].cloth;
        const v3 *x = (const v3 *)cloth->x, *v = (const v3 *)cloth->v;
        v3 *at = a->x1 + a->objects[k].first;
        for (int32_t i = 0; i < cloth->vertex_count; i++) at[i] = v3_axpy(-before * cloth->previous_dt, v[i], x[i]);
        *sum += mus_incremental_elastic_energy(world->solver.dynamics[k], cloth, at);
        *sum += mus_spring_programs_energy(cloth, at);
        mus_status status = mus_spring_programs_check(cloth);
        if (status != MUS_STATUS_OK) return status;
    }
    for (int32_t k = 0; k < world->solver.seam_group_count; k++) {
        mus_seam_group *b = &world->solver.seam_groups[k];
        mus_seam_group_begin(b, world->time - before * a->objects[b->first_cloth].cloth->previous_dt, 0);
        *sum += mus_seams_energy(b, a->x1 + b->first);
    }
    return MUS_STATUS_OK;
}

/* Energy of soft pins to rigid bodies, as these are part of the world, J; `before` as above. Of others it is that of an
 * external force. */
static double attachment_energy(const mus_world *world, double before) {
    const mus_assembly *a = &world->solver.assembly;
    double sum = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = mus_cloth_given(a->objects[k].cloth);
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            const mus_pin *pin = &cloth->pins[i];
            if (!mus_pin_is_to_body(world, pin)) continue;
            const mus_obstacle *o = world->obstacles.data[pin->target].object;
            m3 inverse = mus_rigid_inverse_inertia(&o->rigid, o->pose.rotation);
            double back = -before * o->rigid.previous_dt;
            mus_pose pose;
            mus_pose_move(&o->pose, mus_rigid_center(&o->rigid, &o->pose), v3_scale(back, o->rigid.v),
                          v3_scale(back, m3_mul_v3(&inverse, o->rigid.momentum)), &pose);
            v3 x = v3_axpy(-before * cloth->previous_dt, v3_load(cloth->v + 3 * i), v3_load(cloth->x + 3 * i));
            sum += 0.5 * pin->stiffness * v3_length2(v3_sub(x, mus_pose_apply(&pose, v3_load(pin->place))));
        }
    }
    return sum;
}

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
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            v3 middle = v3_axpy(-0.5 * cloth->previous_dt, v[i], x[i]);
            energy->kinetic += 0.5 * cloth->mass[i] * v3_length2(v[i]);
            energy->gravitational -= cloth->mass[i] * v3_dot(gravity, middle);
        }
    }
    double start, end;
    if ((status = elastic_energy(world, 1, &start)) != MUS_STATUS_OK) return status;
    if ((status = elastic_energy(world, 0, &end)) != MUS_STATUS_OK) return status;
    energy->elastic = 0.5 * (start + end + attachment_energy(world, 1) + attachment_energy(world, 0));
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
