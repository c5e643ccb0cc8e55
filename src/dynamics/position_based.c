/* position_based.c: position-based dynamics (Mueller et al. 2007), the internal dynamics of Kusupati & Singh's cloth
 * (BRI 2.1): positions are predicted without internal forces, then stretch and bend constraints are projected one
 * after the other, and velocities are the displacements over the step. The pulling constraint, by which the source
 * disturbs its cloth, moves a vertex toward a position. A prescribed vertex is that constraint at its full weight.
 *
 * Constraints are compliant as in Macklin, Mueller & Chentanez 2016 (XPBD): a projection stops where the element's own
 * force balances it, so that the material's constants in N/m and N m apply, and the limit of the sweeps is a step of
 * implicit Euler. Plain projection is the limit of stiff elements. Sweeps in a fixed order propagate a correction from
 * an element to its neighbors: where dt^2 k/m is large a fixed number of them leaves cloth softer than its constants.
 * Projections act along lines that have turned in the step, and would reduce the spin of a disc at 5 rad/s by a 25th in
 * 0.2 s: momenta are restored (momentum.h). */
#include "dynamics/position_based.h"
#include "dynamics/seam_group.h"
#include "model/hinge_shape.h"
#include "model/spring_program.h"

/* Of each element, over the iterations of a step. */
typedef struct element {
    double lambda; /* accumulated: its force times -dt^2 */
    double start;  /* length or bend when the step began */
} element;

typedef struct constraint {
    int count;
    int32_t vertex[4];
    v3 gradient[4];
    double tension, slope;  /* by the measure whose gradient it is, and its derivative by that */
    double viscous, change; /* friction by the rate of the measure, and the change of the measure in the step */
} constraint;

/* Moves the vertices until lambda = -dt^2 (tension + viscous change/dt), to first order. */
static void project(const mus_cloth *cloth, double dt, const constraint *c, v3 *x, double *lambda) {
    double w = 0;
    for (int k = 0; k < c->count; k++) w += cloth->inverse_mass[c->vertex[k]] * v3_length2(c->gradient[k]);
    double residual = *lambda + dt * dt * c->tension + dt * c->viscous * c->change;
    double delta = -residual / (1 + (dt * dt * c->slope + dt * c->viscous) * w);
    *lambda += delta;
    for (int k = 0; k < c->count; k++)
        x[c->vertex[k]] = v3_axpy(cloth->inverse_mass[c->vertex[k]] * delta, c->gradient[k], x[c->vertex[k]]);
}

static double length_of(const mus_spring *s, const v3 *x) {
    return v3_length(v3_sub(x[s->a], x[s->b]));
}

/* Sweeps alternate between forwards and backwards: `odd`. */
static int32_t sweep_index(int32_t k, int32_t count, bool odd) {
    return odd ? count - 1 - k : k;
}

static void project_springs(const mus_cloth *cloth, double dt, bool odd, element *elements, v3 *x) {
    for (int32_t t = 0; t < cloth->spring_count; t++) {
        int32_t k = sweep_index(t, cloth->spring_count, odd);
        const mus_spring *s = &cloth->springs[k];
        mus_spring_law own;
        const mus_spring_law *law = mus_spring_law_of(cloth, s, &own);
        v3 d = v3_sub(x[s->a], x[s->b]);
        double length = v3_length(d), slope;
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        double tension, friction;
        bool has_law = mus_spring_value_of(cloth, k) != NULL;
        if (has_law) {
            mus_spring_value now = mus_spring_program_one(cloth, k, length, elements[k].start, dt);
            tension = now.tension, slope = now.slope, friction = mus_spring_damping(cloth, s) * now.firm;
        } else {
            tension = mus_spring_tension(law, s->rest, length, &slope);
            friction = mus_spring_friction(cloth, s, law, slope);
        }
        constraint c = {.count = 2,
                        .vertex = {s->a, (int32_t)s->b},
                        .gradient = {u, v3_neg(u)},
                        .tension = tension,
                        .slope = slope,
                        .viscous = !has_law && law->arc && length >= s->rest ? 0 : friction,
                        .change = length - elements[k].start};
        project(cloth, dt, &c, x, &elements[k].lambda);
    }
}

static void project_hinges(const mus_cloth *cloth, double dt, bool odd, element *elements, v3 *x) {
    for (int32_t t = 0; t < cloth->hinge_count; t++) {
        int32_t k = sweep_index(t, cloth->hinge_count, odd);
        const mus_hinge *h = &cloth->hinges[k];
        constraint c = {.count = 4};
        double bend, turn;
        if (!mus_hinge_gradient(h, x, &bend, &turn, c.gradient)) continue;
        double steep = 1 + 0.25 * bend * bend; /* d bend / d angle */
        for (int i = 0; i < 4; i++) c.vertex[i] = h->vertex[i];
        c.tension = h->moment * (bend - h->rest);
        c.slope = h->moment * steep;
        c.viscous = h->moment * mus_cloth_bending_damping(cloth, h->vertex, 4);
        c.change = (bend - elements[k].start) / steep;
        project(cloth, dt, &c, x, &elements[k].lambda);
    }
}

/* Network links; links, elements and joints each use a section of `elements`. */
static void project_links(const mus_cloth *cloth, double dt, bool odd, element *elements, v3 *x) {
    for (int32_t t = 0; t < cloth->network->link_count; t++) {
        int32_t k = sweep_index(t, cloth->network->link_count, odd);
        const mus_link *l = &cloth->network->links[k];
        v3 d = v3_sub(x[l->a], x[l->b]);
        double length = v3_length(d);
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        constraint c = {.count = 2, .vertex = {l->a, l->b}, .gradient = {u, v3_neg(u)}};
        c.tension = mus_link_tension(cloth, l, length, &c.slope);
        c.viscous = c.slope * cloth->material.damping;
        c.change = length - elements[k].start;
        project(cloth, dt, &c, x, &elements[k].lambda);
    }
}

static void project_cells(const mus_cloth *cloth, double dt, bool odd, element *elements, v3 *x) {
    for (int32_t t = 0; t < cloth->network->cell_count; t++) {
        int32_t k = sweep_index(t, cloth->network->cell_count, odd);
        const mus_cell *cell = &cloth->network->cells[k];
        constraint c = {.count = 4};
        double sine;
        if (!mus_cell_shear(cell, x, &sine, c.gradient)) continue;
        for (int i = 0; i < 4; i++) c.vertex[i] = cell->vertex[i];
        c.tension = cell->stiffness * (sine - cell->rest);
        c.slope = cell->stiffness;
        c.viscous = cell->stiffness * cloth->material.damping;
        c.change = sine - elements[k].start;
        project(cloth, dt, &c, x, &elements[k].lambda);
    }
}

static void project_joints(const mus_cloth *cloth, double dt, bool odd, element *elements, v3 *x) {
    for (int32_t t = 0; t < cloth->network->joint_count; t++) {
        int32_t k = sweep_index(t, cloth->network->joint_count, odd);
        const mus_joint *joint = &cloth->network->joints[k];
        constraint c = {.count = 3};
        double bend;
        if (!mus_joint_bend(joint, x, &bend, c.gradient)) continue;
        for (int i = 0; i < 3; i++) c.vertex[i] = joint->vertex[i];
        c.tension = joint->stiffness * (bend - joint->rest);
        c.slope = joint->stiffness;
        c.viscous = joint->stiffness * cloth->material.bending_damping;
        c.change = bend - elements[k].start;
        project(cloth, dt, &c, x, &elements[k].lambda);
    }
}

/* x = goal in all three directions at once: stiffness k, with a vector for lambda. */
static void project_pulls(const mus_cloth *cloth, double dt, bool odd, v3 *x) {
    for (int64_t t = 0; t < cloth->pulls.count; t++) {
        mus_pull *pull = &cloth->pulls.data[odd ? cloth->pulls.count - 1 - t : t];
        double w = cloth->inverse_mass[pull->vertex], stiffness = dt * dt * pull->stiffness;
        v3 residual = v3_axpy(stiffness, v3_sub(x[pull->vertex], pull->goal), pull->given);
        v3 delta = v3_scale(-1 / (1 + stiffness * w), residual);
        pull->given = v3_add(pull->given, delta);
        x[pull->vertex] = v3_axpy(w, delta, x[pull->vertex]);
    }
}

static void project_network(const mus_cloth *cloth, double dt, bool odd, element *elements, v3 *x) {
    const mus_network *w = cloth->network;
    if (!w) return;
    project_links(cloth, dt, odd, elements, x);
    project_cells(cloth, dt, odd, elements + w->link_count, x);
    project_joints(cloth, dt, odd, elements + w->link_count + w->cell_count, x);
}

static void begin_network(const mus_network *w, const v3 *x, element *elements) {
    v3 gradient[4];
    double start;
    for (int32_t k = 0; k < w->link_count; k++)
        *elements++ = (element){0, v3_length(v3_sub(x[w->links[k].a], x[w->links[k].b]))};
    for (int32_t k = 0; k < w->cell_count; k++)
        *elements++ = (element){0, mus_cell_shear(&w->cells[k], x, &start, gradient) ? start : w->cells[k].rest};
    for (int32_t k = 0; k < w->joint_count; k++)
        *elements++ = (element){0, mus_joint_bend(&w->joints[k], x, &start, gradient) ? start : w->joints[k].rest};
}

static size_t element_count(const mus_cloth *cloth) {
    const mus_network *w = cloth->network;
    size_t network = w ? (size_t)w->link_count + (size_t)w->cell_count + (size_t)w->joint_count : 0;
    return (size_t)cloth->spring_count + (size_t)cloth->hinge_count + network;
}

static void begin_elements(const mus_cloth *cloth, const v3 *x, element *elements) {
    for (int32_t k = 0; k < cloth->spring_count; k++) *elements++ = (element){0, length_of(&cloth->springs[k], x)};
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const int32_t *v = cloth->hinges[k].vertex;
        mus_hinge_shape shape;
        bool known = mus_hinge_measure(x[v[0]], x[v[1]], x[v[2]], x[v[3]], &shape);
        *elements++ = (element){0, known ? shape.bend : cloth->hinges[k].rest};
    }
    if (cloth->network) begin_network(cloth->network, x, elements);
}

/* Predicts positions without internal forces. */
static void predict_positions(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                              double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    int32_t n = cloth->vertex_count;
    double half_steps = mus_leapfrog_half_steps(previous_dt, dt);
    for (int32_t i = 0; i < n; i++) d->force[i] = v3_make(0, 0, 0);
    mus_drag_forces(cloth, environment, x0, v0, dt, d->force, NULL);
    for (int32_t i = 0; i < n; i++) {
        double w = cloth->inverse_mass[i];
        if (!(w > 0)) continue;
        v3 given = v3_axpy(cloth->mass[i], environment->gravity, v3_load(cloth->f + 3 * i));
        d->force[i] = v3_axpy(half_steps, given, v3_scale(dt, d->force[i])); /* from here on an impulse, N s */
        v1[i] = v3_axpy(w, d->force[i], v0[i]);
        x1[i] = v3_axpy(dt, v1[i], x0[i]);
        d->matrix.diagonal[i] = (mus_sym3){cloth->mass[i], 0, 0, cloth->mass[i], 0, cloth->mass[i]};
    }
    begin_elements(cloth, x0, d->kept);
}

/* Pulls first, so that the other constraints use the moved vertices; on the way back last. */
static void run_sweep(const mus_dynamics *d, const mus_cloth *cloth, double dt, bool odd, v3 *x1) {
    element *elements = d->kept;
    if (!odd) project_pulls(cloth, dt, odd, x1);
    project_springs(cloth, dt, odd, elements, x1);
    project_hinges(cloth, dt, odd, elements + cloth->spring_count, x1);
    project_network(cloth, dt, odd, elements + cloth->spring_count + cloth->hinge_count, x1);
    if (odd) project_pulls(cloth, dt, odd, x1);
}

static void change_of(int32_t n, double dt, const v3 *x0, const v3 *v0, const v3 *x1, v3 *change) {
    for (int32_t i = 0; i < n; i++) change[i] = v3_sub(v3_scale(1 / dt, v3_sub(x1[i], x0[i])), v0[i]);
}

static void finish(int32_t n, const double *inverse_mass, const v3 *change, double dt, const v3 *x0, const v3 *v0,
                   v3 *x1, v3 *v1) {
    for (int32_t i = 0; i < n; i++) {
        v1[i] = v3_add(v0[i], change[i]);
        if (inverse_mass[i] > 0) x1[i] = v3_axpy(dt, v1[i], x0[i]);
    }
}

mus_integrator_result mus_position_based_advance(mus_dynamics *d, const mus_cloth *cloth,
                                                 const mus_environment *environment, double previous_dt, double dt,
                                                 int iterations, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    predict_positions(d, cloth, environment, previous_dt, dt, x0, v0, x1, v1);
    mus_momentum momentum = {0};
    mus_momentum_part all = {cloth, 0};
    if (cloth->pin_count == 0) momentum = mus_momentum_begin(&all, 1, x0, v0, d->force, environment->threads);
    for (int k = 0; k < iterations; k++) run_sweep(d, cloth, dt, k & 1, x1);
    change_of(cloth->vertex_count, dt, x0, v0, x1, d->change);
    if (cloth->pin_count == 0)
        mus_momentum_end(&momentum, &all, 1, x0, v0, d->matrix.diagonal, d->change, environment->threads);
    finish(cloth->vertex_count, cloth->inverse_mass, d->change, dt, x0, v0, x1, v1);
    return (mus_integrator_result){iterations, 0, dt};
}

/* Stitch constraints are projected with the others. */
static mus_integrator_result advance_group(mus_seam_group *b, const mus_environment *environment, double dt,
                                           const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    for (int32_t k = 0; k < b->member_count; k++) {
        const mus_seam_group_member *m = &b->members[k];
        predict_positions(m->dynamics, m->cloth, environment, m->previous_dt, dt, x0 + m->first, v0 + m->first,
                          x1 + m->first, v1 + m->first);
    }
    mus_seam_group_begin_momentum(b, x0, v0, environment->threads);
    for (int k = 0; k < MUS_POSITION_BASED_ITERATIONS; k++) {
        for (int32_t j = 0; j < b->member_count; j++)
            run_sweep(b->members[j].dynamics, b->members[j].cloth, dt, k & 1, x1 + b->members[j].first);
        mus_stitches_project(b, b->inverse_mass, dt, k & 1, x1);
    }
    change_of(b->n, dt, x0, v0, x1, b->change);
    mus_seam_group_end_momentum(b, x0, v0, environment->threads);
    finish(b->n, b->inverse_mass, b->change, dt, x0, v0, x1, v1);
    return (mus_integrator_result){MUS_POSITION_BASED_ITERATIONS, 0, dt};
}

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    return mus_position_based_advance(d, cloth, environment, previous_dt, dt, MUS_POSITION_BASED_ITERATIONS, x0, v0, x1,
                                      v1);
}

static mus_status prepare(mus_dynamics *d, const mus_cloth *cloth) {
    if (cloth->sheet)
        return mus_fail(MUS_STATUS_INVALID,
                        "cloth '%s': the integrator 'position_based' projects springs, hinges and square elements, and "
                        "its material is of "
                        "the model '%s'; choose the model 'springs', or another integrator",
                        cloth->name, mus_material_model_get_name(cloth->material.model));
    d->kept = mus_new(sizeof(element) * (element_count(cloth) + 1));
    return d->kept ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

const mus_integrator mus_integrator_position_based = {
    .name = "position_based", .prepare = prepare, .advance = advance, .advance_group = advance_group};
