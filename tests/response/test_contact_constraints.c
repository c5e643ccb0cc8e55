/* test_contact_constraints.c: contact constraints by themselves: what they conserve, the gap they end at, Coulomb's
 * cone, their warm start. */
#include "../world/scene.h"

#include "response/warm_start.h"
#include "response/contact_constraints.h"

typedef struct pile {
    mus_cloth *cloths[3];
    mus_assembly a;
    mus_candidate_pair_list list;
} pile;

static mus_rng rng;

static mus_cloth *sheet(int nu, int nv, v3 at, double tilt, double density, double friction) {
    mus_mesh *mesh = grid_mesh(nu, nv, 0.1, 0.08, "xz", v3_make(0, 0, 0));
    double q[4];
    turn(q, v3_normalized(v3_make(1, 0.3, 2)), tilt);
    m3 r = m3_from_quaternion(q);
    double *x = mus_mesh_get_vertices(mesh);
    for (int32_t i = 0; i < nu * nv; i++) {
        v3 p = v3_add(at, m3_mul_v3(&r, v3_load(x + 3 * i)));
        p.y += mus_rng_between(&rng, -2e-4, 2e-4);
        v3_store(x + 3 * i, p);
    }
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.thickness = 2e-3, def.friction = friction, def.material.density = density;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "sheet", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static const double gravity = 9.81; /* m/s^2, of the world that the pile is in */

/* Three sheets of unlike mesh and mass, nearer than their thickness, every vertex on its own way. */
static pile pile_make(double friction, double speed, double dt) {
    pile p = {0};
    p.cloths[0] = sheet(8, 7, v3_make(5, 7, -3), 0, 0.2, friction);
    p.cloths[1] = sheet(7, 9, v3_make(5.004, 7.0016, -2.997), 0.004, 0.5, friction);
    p.cloths[2] = sheet(9, 6, v3_make(4.997, 7.0033, -3.002), -0.003, 0.1, friction);
    must(mus_assembly_create(p.cloths, 3, NULL, 0, &p.a));
    mus_assembly *a = &p.a;
    a->acceleration_scale = gravity;
    memset(a->collide, 1, 9);
    for (int k = 0; k < 3; k++)
        for (int32_t i = 0; i < a->objects[k].count; i++) {
            int32_t n = a->objects[k].first + i;
            a->x0[n] = v3_load(p.cloths[k]->x + 3 * i);
            a->x1[n] = v3_axpy(speed * dt, random_direction(&rng), a->x0[n]);
            a->inverse_mass[n] = p.cloths[k]->inverse_mass[i];
        }
    for (int k = 0; k < 3; k++) /* every pair of features of two sheets */
        for (int l = 0; l < 3; l++) {
            const mus_cloth *from = p.cloths[k], *to = p.cloths[l];
            int32_t f0 = a->objects[k].first, t0 = a->objects[l].first;
            if (k == l) continue;
            for (int32_t i = 0; i < from->vertex_count; i++)
                for (int32_t f = 0; f < to->face_count; f++) {
                    const int32_t *v = to->faces + 3 * f;
                    mus_candidate_pair c = {.vertex = {f0 + i, t0 + v[0], t0 + v[1], t0 + v[2]}};
                    assert_true(mus_array_push(&p.list, c));
                }
            for (int32_t i = 0; l > k && i < from->topology.edge_count; i++)
                for (int32_t j = 0; j < to->topology.edge_count; j++) {
                    const int32_t *u = from->topology.edges + 2 * i, *v = to->topology.edges + 2 * j;
                    mus_candidate_pair c = {.vertex = {f0 + u[0], f0 + u[1], t0 + v[0], t0 + v[1]}, .edge_edge = 1};
                    assert_true(mus_array_push(&p.list, c));
                }
        }
    return p;
}

static void pile_free(pile *p) {
    mus_assembly_free(&p->a);
    mus_array_free(&p->list);
    for (int k = 0; k < 3; k++) mus_cloth_free(p->cloths[k]);
}

/* Change of momentum, or of its moment about `about`, in the displacements; and the sum of sizes to compare it with. */
static double change(const pile *p, const v3 *before, bool angular, v3 about) {
    v3 sum = v3_make(0, 0, 0);
    double size = 0;
    for (int32_t i = 0; i < p->a.cloth_vertex_count; i++) {
        v3 by = v3_scale(1 / p->a.inverse_mass[i], v3_sub(p->a.x1[i], before[i]));
        if (angular) by = v3_cross(v3_sub(p->a.x0[i], about), by);
        sum = v3_add(sum, by);
        size += v3_length(by);
    }
    assert_true(size > 0);
    return v3_length(sum) / size;
}

static void test_momentum(void **state) {
    (void)state;
    rng = mus_rng_make(11, 0);
    const double dt = 1.0 / 120;
    for (int round = 0; round < 12; round++) {
        double friction = round % 3 == 2 ? 0.5 : 0;
        pile p = pile_make(friction, 2, dt);
        mus_contact_constraint_list constraints = {0};
        mus_contact_options options = {.dt = dt, .relax = 0.5};
        must(mus_contacts_build(&p.a, &p.list, &options, &constraints));
        assert_true(constraints.count > 100);
        size_t bytes = sizeof(v3) * (size_t)p.a.cloth_vertex_count;
        v3 *before = malloc(bytes);
        memcpy(before, p.a.x1, bytes);
        for (int sweep = 0; sweep < 8; sweep++) {
            mus_contacts_sweep(&p.a, &constraints, sweep % 3 == 0);
            assert_true(change(&p, before, false, v3_make(0, 0, 0)) < 1e-12);
            if (friction > 0) continue;
            /* about any point: the second of them far off */
            assert_true(change(&p, before, true, v3_make(5, 7, -3)) < 1e-11);
            assert_true(change(&p, before, true, v3_make(-2, 9, 4)) < 1e-12);
        }
        free(before);
        mus_array_free(&constraints);
        pile_free(&p);
    }
}

/* After enough sweeps every pair has the gap it was promised, and no impulse pulls or leaves the cone of friction. */
static void test_targets_and_cone(void **state) {
    (void)state;
    rng = mus_rng_make(12, 0);
    const double dt = 1.0 / 120;
    for (int round = 0; round < 4; round++) {
        double mu = 0.3 * round;
        pile p = pile_make(mu, 0.5, dt);
        mus_contact_constraint_list constraints = {0};
        mus_contact_options options = {.dt = dt, .relax = 0.5};
        must(mus_contacts_build(&p.a, &p.list, &options, &constraints));
        for (int sweep = 0; sweep < 400; sweep++) mus_contacts_sweep(&p.a, &constraints, sweep % 3 == 0);
        int64_t active_count = 0;
        for (int64_t k = 0; k < constraints.count; k++) {
            const mus_contact_constraint *constraint = &constraints.data[k];
            v3 now = v3_make(0, 0, 0);
            double sum = 0;
            for (int c = 0; c < 4; c++) {
                now = v3_axpy(constraint->weight[c], p.a.x1[constraint->vertex[c]], now);
                sum += constraint->weight[c];
            }
            assert_true(fabs(sum) < 1e-12); /* weights of both sides cancel */
            assert_true(v3_dot(constraint->normal, now) - constraint->target > -2e-5);
            assert_true(constraint->normal_impulse >= 0);
            assert_true(v3_length(constraint->friction_impulse) <= mu * constraint->normal_impulse * (1 + 1e-12));
            assert_true(fabs(v3_dot(constraint->friction_impulse, constraint->normal)) <=
                        1e-9 * v3_length(constraint->friction_impulse) + 1e-18);
            active_count += constraint->normal_impulse > 0;
        }
        assert_true(active_count > 50);
        mus_array_free(&constraints);
        pile_free(&p);
    }
}

/* Restitution leaves each bouncing contact e times its approach speed, however many share a vertex, and never adds
 * energy. */
static void test_restitution(void **state) {
    (void)state;
    rng = mus_rng_make(13, 0);
    const double dt = 1.0 / 120, e[] = {0.2, 0.7, 1};
    for (int round = 0; round < 3; round++) {
        pile p = pile_make(0, 0, dt);
        mus_assembly *a = &p.a;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) /* the lowest rises, the others stand */
            a->x1[i] = v3_add(a->x0[i], v3_make(0, i < a->objects[1].first ? 3 * dt : 0, 0));
        for (int k = 0; k < 3; k++) a->objects[k].restitution = e[round];
        mus_contact_constraint_list constraints = {0};
        mus_contact_options options = {.dt = dt, .relax = 0.5};
        must(mus_contacts_build(a, &p.list, &options, &constraints));
        size_t bytes = sizeof(v3) * (size_t)a->cloth_vertex_count;
        v3 *before = malloc(bytes);
        double energy = 0, after = 0;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            a->v1[i] = v3_scale(1 / dt, v3_sub(a->x1[i], a->x0[i]));
            energy += v3_length2(a->v1[i]) / a->inverse_mass[i];
        }
        memcpy(before, a->x1, bytes);
        for (int sweep = 0; sweep < 20; sweep++) mus_contacts_sweep(a, &constraints, true);
        for (int32_t i = 0; i < a->cloth_vertex_count; i++)
            a->v1[i] = v3_axpy(1 / dt, v3_sub(a->x1[i], before[i]), a->v1[i]);
        mus_contacts_apply_restitution(a, &constraints, dt);
        v3 momentum_change = v3_make(0, 0, 0);
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            after += v3_length2(a->v1[i]) / a->inverse_mass[i];
            v3 was = v3_scale(1 / dt, v3_sub(before[i], a->x0[i]));
            momentum_change = v3_axpy(1 / a->inverse_mass[i], v3_sub(a->v1[i], was), momentum_change);
        }
        print_message("e = %.1f: %.3f of the energy is left\n", e[round], after / energy);
        assert_true(after <= energy * 1.02);
        assert_true(v3_length(momentum_change) < 1e-12);
        free(before);
        mus_array_free(&constraints);
        pile_free(&p);
    }
}

/* ---- what a step starts with ---- */

/* A pile over many steps, and the forces of its contacts. */
typedef struct lasting {
    pile p;
    double dt;
    mus_contact_constraint_list constraints;
    mus_warm_start_list warm_starts;
    mus_warm_start_table table;
} lasting;

static lasting lasting_make(double dt) {
    rng = mus_rng_make(14, 0);
    lasting l = {.p = pile_make(0.4, 1, dt), .dt = dt};
    for (int k = 0; k < 3; k++) l.p.a.objects[k].previous_dt = dt;
    return l;
}

static void lasting_free(lasting *l) {
    mus_array_free(&l->constraints);
    mus_array_free(&l->warm_starts);
    mus_array_free(&l->table);
    pile_free(&l->p);
}

/* Builds its contact constraints and applies the warm starts. */
static void start(lasting *l, double dt) {
    memcpy(l->p.a.x1, l->p.a.x0, sizeof(v3) * (size_t)l->p.a.vertex_count);
    mus_contact_options options = {.dt = dt, .relax = 0.5};
    must(mus_contacts_build(&l->p.a, &l->p.list, &options, &l->constraints));
    must(mus_warm_starts_apply(&l->p.a, &l->warm_starts, dt, &l->table, &l->constraints));
}

static void press(lasting *l, bool with_contact_loads) {
    for (int sweep = 0; sweep < 40; sweep++) mus_contacts_sweep(&l->p.a, &l->constraints, true);
    must(mus_warm_starts_store(&l->p.a, &l->constraints, l->dt,
                               with_contact_loads ? MUS_WARM_STARTS_WITH_LOADS : MUS_WARM_STARTS_ONLY,
                               &l->warm_starts));
}

/* Every contact with a normal impulse is warm-started with nine tenths of the stored force, in pairs that conserve
 * momentum; the stored force grows to the whole load within some steps, and not at once. What is stored is a force: its
 * impulse is larger in a longer step. */
static void test_warm_start(void **state) {
    (void)state;
    const double dt = 1.0 / 480;
    lasting l = lasting_make(dt);
    size_t bytes = sizeof(v3) * (size_t)l.p.a.cloth_vertex_count;
    v3 *before = malloc(bytes);
    double most = 0;
    for (int step = 0; step < 8; step++) {
        memcpy(before, l.p.a.x0, bytes);
        start(&l, dt);
        int64_t warm_start_impulse = 0;
        for (int64_t k = 0; k < l.constraints.count; k++)
            warm_start_impulse += l.constraints.data[k].warm_start_impulse > 0;
        assert_int_equal(warm_start_impulse, l.warm_starts.count);
        if (step) assert_true(change(&l.p, before, false, v3_make(0, 0, 0)) < 1e-11);
        press(&l, false);
        assert_true(l.warm_starts.count > 50);
        for (int64_t k = 0, h = 0; k < l.constraints.count; k++) {
            const mus_contact_constraint *constraint = &l.constraints.data[k];
            if (!(constraint->normal_impulse > 0)) continue;
            double kept = (double)l.warm_starts.data[h++].normal_force * dt * dt,
                   room = 2 * constraint->warm_start_impulse + constraint->mass * gravity * dt * dt;
            assert_true(fabs(kept - fmin(constraint->normal_impulse, room)) < 1e-6 * room);
            if (step == 7) most = fmax(most, kept / (constraint->mass * gravity * dt * dt));
        }
    }
    assert_true(most > 2); /* loads of more than the first step's come through */

    start(&l, dt);
    double whole = 0, half = 0;
    for (int64_t k = 0; k < l.constraints.count; k++) whole += l.constraints.data[k].warm_start_impulse;
    start(&l, dt / 2); /* leapfrog: from the middle of the last step to the middle of this */
    for (int64_t k = 0; k < l.constraints.count; k++) half += l.constraints.data[k].warm_start_impulse;
    assert_true(whole > 0 && fabs(half / whole - 0.375) < 1e-9);

    for (int64_t k = 0; k < l.warm_starts.count; k++) /* turned over, or moved to another corner: another contact */
        for (int c = 0; c < 3; c++)
            if (k % 2)
                l.warm_starts.data[k].normal[c] = -l.warm_starts.data[k].normal[c];
            else
                l.warm_starts.data[k].weight[c + 1] += 0.6F;
    start(&l, dt);
    for (int64_t k = 0; k < l.constraints.count; k++) assert_true(l.constraints.data[k].warm_start_impulse == 0);
    free(before);
    lasting_free(&l);
}

/* A lasting normal force becomes a contact load of the next step's dynamics: balanced pairs of forces, with which
 * contact constraints are warm-started where dynamics has already moved the cloth by them. The load grows more slowly
 * than the warm start. */
static void test_contact_loads(void **state) {
    (void)state;
    const double dt = 1.0 / 480;
    lasting l = lasting_make(dt);
    int32_t n = l.p.a.cloth_vertex_count;
    v3 *load = malloc(sizeof(v3) * (size_t)n), *moved = malloc(sizeof(v3) * (size_t)n);
    mus_dynamics of_cloth[3] = {0}, *dynamics[3];
    for (int k = 0; k < l.p.a.cloth_count; k++)
        of_cloth[k].contact_load = load + l.p.a.objects[k].first, dynamics[k] = &of_cloth[k];
    int64_t beyond = 0, less = 0;
    for (int step = 0; step < 6; step++) {
        mus_warm_starts_set_contact_loads(&l.p.a, step ? &l.warm_starts : NULL, dynamics);
        bool any = of_cloth[0].has_contact_load;
        assert_int_equal(any, step > 0);
        start(&l, dt);
        for (int32_t i = 0; i < n; i++)
            moved[i] = v3_sub(l.p.a.x1[i], l.p.a.x0[i]); /* by warm starts, beyond the contact load */
        v3 sum = v3_make(0, 0, 0), constraint_sum = sum;
        double size = 0;
        for (int32_t i = 0; i < n && any; i++) {
            if (!(l.p.a.inverse_mass[i] > 0)) continue;
            sum = v3_add(sum, load[i]), size += v3_length(load[i]);
        }
        for (int64_t k = 0; k < l.constraints.count; k++) {
            const mus_contact_constraint *constraint = &l.constraints.data[k];
            assert_true(fabs(constraint->normal_impulse - constraint->warm_start_impulse) <=
                        1e-12 * constraint->warm_start_impulse);
            assert_true(fabs(constraint->contact_load * dt * dt) <= constraint->warm_start_impulse * (1 + 1e-9));
            v3 whole = v3_axpy(constraint->normal_impulse, constraint->normal, constraint->friction_impulse);
            for (int c = 0; c < (constraint->plane ? 1 : 4); c++)
                if (constraint->vertex[c] < n && l.p.a.inverse_mass[constraint->vertex[c]] > 0)
                    constraint_sum = v3_axpy(constraint->weight[c], whole, constraint_sum);
        }
        /* The warm start is what load and motion have given, no more and no less. */
        v3 load_impulse = v3_scale(any ? dt * dt : 0, sum);
        for (int32_t i = 0; i < n; i++)
            if (l.p.a.inverse_mass[i] > 0) load_impulse = v3_axpy(1 / l.p.a.inverse_mass[i], moved[i], load_impulse);
        assert_true(v3_length(v3_sub(load_impulse, constraint_sum)) <=
                    1e-6 * (size * dt * dt + v3_length(constraint_sum)));
        if (any) assert_true(size > 0);
        press(&l, true);
        for (int64_t k = 0, h = 0; k < l.constraints.count; k++) {
            const mus_contact_constraint *constraint = &l.constraints.data[k];
            if (!(constraint->normal_impulse > 0)) continue;
            const mus_warm_start *warm_start = &l.warm_starts.data[h++];
            double contact_load = (double)warm_start->contact_load,
                   room = 1.15 * constraint->contact_load + constraint->mass * gravity;
            assert_true(fabs(contact_load - fmin((double)warm_start->normal_force, room)) <= 1e-6 * room);
            beyond += contact_load > 1.5 * constraint->mass * gravity,
                less += contact_load < 0.9 * (double)warm_start->normal_force;
        }
    }
    assert_true(beyond > 20 && less > 20); /* some have grown to more than one weight, some could not follow yet */
    free(load), free(moved);
    lasting_free(&l);
}

/* A column of points, with a contact constraint of each to the one below, has fallen for a step. Returns the largest
 * remaining violation after `sweeps`, as a fraction of that fall. */
static double column(int count, int sweeps, bool conjugate) {
    enum { MOST = 64 };
    v3 x0[MOST], x1[MOST];
    double inverse_mass[MOST];
    mus_contact_constraint items[MOST];
    const double fall = 7e-4;
    mus_object object = {0};
    mus_assembly a = {.cloth_count = 1,
                      .object_count = 1,
                      .objects = &object,
                      .vertex_count = count,
                      .cloth_vertex_count = count,
                      .x0 = x0,
                      .x1 = x1,
                      .inverse_mass = inverse_mass};
    for (int k = 0; k < count; k++) {
        x0[k] = v3_make(0, 1e-3 * (k + 1), 0), x1[k] = v3_make(0, x0[k].y - fall, 0), inverse_mass[k] = 1000;
        items[k] = (mus_contact_constraint){.vertex = {k, k - 1, k, k},
                                            .weight = {1, -1, 0, 0},
                                            .normal = {0, 1, 0},
                                            .target = 1e-3,
                                            .thickness = 1e-3,
                                            .mass = k ? 5e-4 : 1e-3,
                                            .response = -1,
                                            .plane = k == 0};
        if (k == 0) items[k].vertex[1] = 0;
    }
    mus_contact_constraint_list constraints = {.data = items, .count = count, .capacity = MOST};
    double last = 0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        mus_contact_sweep_result swept = mus_contacts_sweep(&a, &constraints, true);
        if (conjugate && sweep < sweeps - 1)
            mus_contacts_conjugate_step(&a, &constraints, last > 0 ? swept.change / last : 0);
        last = swept.change;
    }
    double worst = 0;
    for (int k = 0; k < count; k++) {
        double below = k ? x1[k - 1].y : 0;
        worst = fmax(worst, 1e-3 - (x1[k].y - below));
        assert_true(items[k].normal_impulse >= 0);
    }
    return worst / fall;
}

/* Sweeps alone carry the floor's support up by diffusion; conjugate steps between them by leaps. */
static void test_conjugate_steps(void **state) {
    (void)state;
    double alone = column(50, 120, false), with_conjugate = column(50, 120, true), end = column(50, 500, true);
    print_message(
        "50 in a column: %.3g of the fall is missing after 120 sweeps, %.3g with conjugate steps, %.3g after 500\n",
        alone, with_conjugate, end);
    assert_true(with_conjugate < 0.2 * alone);
    assert_true(end < 0.5 * with_conjugate);
}

/* ---- which feature has the contact ---- */

static mus_cloth *cloth_of(const double *x, int32_t vertices, const int32_t *faces, int32_t count) {
    mus_mesh_def mesh_def = {mus_mesh_def_default().cookie, .vertices = x, .faces = faces, .vertex_count = vertices,
                             .face_count = count};
    mus_mesh *mesh;
    must(mus_mesh_create(&mesh_def, &mesh));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.thickness = 2e-3;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

/* Two faces that meet at the edge 0 1, along z, and fall off by `slope` on either side; a triangle's tip at `tip`.
 * Returns the number of contact constraints of the tip with the faces; `normal` gets that of the last one. */
static int64_t count_tip_contacts(double slope, v3 tip, v3 *normal) {
    const double roof[12] = {0, 0, -0.1, 0, 0, 0.1, -0.1, -0.1 * slope, 0, 0.1, -0.1 * slope, 0};
    const int32_t two[6] = {0, 1, 2, 1, 0, 3}, one[3] = {0, 1, 2};
    const double needle[9] = {tip.x, tip.y, tip.z, tip.x - 0.01, tip.y + 0.1, tip.z, tip.x + 0.01, tip.y + 0.1, tip.z};
    mus_cloth *cloths[2] = {cloth_of(roof, 4, two, 2), cloth_of(needle, 3, one, 1)};
    mus_assembly a;
    must(mus_assembly_create(cloths, 2, NULL, 0, &a));
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < cloths[k]->vertex_count; i++) {
            int32_t n = a.objects[k].first + i;
            a.x0[n] = a.x1[n] = v3_load(cloths[k]->x + 3 * i);
            a.inverse_mass[n] = cloths[k]->inverse_mass[i];
        }
    mus_candidate_pair_list list = {0};
    for (int f = 0; f < 2; f++) {
        mus_candidate_pair face = {.vertex = {4, two[3 * f], two[3 * f + 1], two[3 * f + 2]}};
        assert_true(mus_array_push(&list, face));
    }
    for (int end = 5; end < 7; end++) {
        mus_candidate_pair ridge = {.vertex = {4, end, 0, 1}, .edge_edge = 1};
        assert_true(mus_array_push(&list, ridge));
    }
    mus_contact_options options = {.dt = 0.01, .relax = 0.5};
    mus_contact_constraint_list constraints = {0};
    must(mus_contacts_build(&a, &list, &options, &constraints));
    int64_t count = constraints.count;
    if (count) *normal = constraints.data[count - 1].normal;
    mus_array_free(&constraints);
    mus_array_free(&list);
    mus_assembly_free(&a);
    for (int k = 0; k < 2; k++) mus_cloth_free(cloths[k]);
    return count;
}

/* A tip over a ridge, nearest to the edge itself and off both normals, has one contact constraint; over an edge between
 * level faces too, and beside that edge one with the face under it alone. */
static void test_tip_counted_once(void **state) {
    (void)state;
    v3 normal;
    assert_int_equal(count_tip_contacts(3, v3_make(0, 1e-3, 0.01), &normal), 1);
    assert_true(normal.y > 1 - 1e-12);
    assert_int_equal(count_tip_contacts(3, v3_make(2e-4, 1e-3, 0.01), &normal), 1);
    assert_true(normal.y < 1 && normal.x > 0.1);
    assert_int_equal(count_tip_contacts(0, v3_make(0, 1e-3, 0.01), &normal), 1);
    assert_int_equal(count_tip_contacts(0, v3_make(2e-4, 1e-3, 0.01), &normal), 1);
    assert_true(normal.y > 1 - 1e-12);
    assert_int_equal(count_tip_contacts(3, v3_make(0, 3e-3, 0.01), &normal), 0); /* out of range */
}

/* More pairs than one part of the work: filtered and made into contact constraints in their order, on any number of
 * threads. */
static void test_threads(void **state) {
    (void)state;
    rng = mus_rng_make(19, 0);
    pile p = pile_make(0.3, 0.5, 0.01);
    const mus_assembly *a = &p.a;
    assert_true(p.list.count > 20000);
    mus_contact_constraint_list alone = {0};
    mus_candidate_pair_list near_alone = {0};
    for (int threads = 1; threads < 4; threads++) {
        mus_contact_constraint_list constraints = {0};
        mus_candidate_pair_list near = {0};
        must(mus_contacts_from_pairs(a, &p.list, &(mus_contact_options){.dt = 0.01, .relax = 0.5, .threads = threads},
                                     &constraints));
        must(mus_candidate_pairs_keep_near(a, &p.list, threads, &near));
        assert_true(constraints.count > 100 && near.count > 100);
        int64_t at = 0, found = 0;
        for (int64_t k = 0; k < p.list.count; k++) { /* the list, pair by pair */
            const mus_candidate_pair *c = &p.list.data[k];
            double weight[4], range = mus_candidate_pair_range(a, c, mus_candidate_pair_thickness(a, c));
            v3 d;
            if (mus_candidate_pair_nearest(c, a->x1, &d, weight) > (1 + 1e-6) * range) continue;
            assert_true(found < near.count && memcmp(&near.data[found++], c, sizeof *c) == 0);
        }
        assert_int_equal(found, near.count);
        for (int64_t k = 0; k < constraints.count; k++) {
            const mus_contact_constraint *constraint = &constraints.data[k];
            assert_true(constraint->pair_index >= at && constraint->mass > 0);
            at = constraint->pair_index + 1;
            assert_memory_equal(constraint->vertex, p.list.data[constraint->pair_index].vertex,
                                sizeof constraint->vertex);
            if (threads == 1) continue;
            const mus_contact_constraint *same = &alone.data[k];
            assert_true(constraint->pair_index == same->pair_index && constraint->gap0 == same->gap0 &&
                        constraint->target == same->target);
            assert_memory_equal(&constraint->normal, &same->normal, sizeof(v3));
            assert_memory_equal(&constraint->rest, &same->rest, sizeof(v3));
        }
        if (threads > 1) assert_int_equal(constraints.count, alone.count);
        if (threads == 1) {
            alone = constraints, near_alone = near;
            continue;
        }
        mus_array_free(&constraints);
        mus_array_free(&near);
    }
    mus_array_free(&alone);
    mus_array_free(&near_alone);
    pile_free(&p);
}

/* All pairs of features of a cloth that share no vertex. */
static mus_pair_list all_pairs(const mus_cloth *cloth) {
    mus_pair_list pairs = {0};
    const mus_topology *t = &cloth->topology;
    for (int32_t i = 0; i < cloth->vertex_count; i++)
        for (int32_t f = 0; f < cloth->face_count; f++) {
            const int32_t *v = cloth->faces + 3 * f;
            mus_pair pair = {.vertex = {i, v[0], v[1], v[2]}};
            if (i != v[0] && i != v[1] && i != v[2]) assert_true(mus_array_push(&pairs, pair));
        }
    for (int32_t i = 0; i < t->edge_count; i++)
        for (int32_t k = 0; k < i; k++) {
            const int32_t *u = t->edges + 2 * i, *v = t->edges + 2 * k;
            mus_pair pair = {.vertex = {u[0], u[1], v[0], v[1]}, .edge_edge = 1};
            if (u[0] != v[0] && u[0] != v[1] && u[1] != v[0] && u[1] != v[1]) assert_true(mus_array_push(&pairs, pair));
        }
    return pairs;
}

/* Compresses a cloth thicker than its mesh is wide, along x; how many pairs the filter keeps, and how many become
 * contact constraints. All pairs nearer than their thickness must. */
static void squeezed(double share, int64_t *kept, int64_t *constraint_count) {
    enum { N = 6 };
    mus_mesh *mesh = grid_mesh(N, N, 0.01, 0.01, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.thickness = 0.01;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "sheet", &cloth));
    mus_mesh_destroy(mesh);
    mus_assembly a;
    must(mus_assembly_create(&cloth, 1, NULL, 0, &a));
    a.collide[0] = 1;
    for (int32_t i = 0; i < a.vertex_count; i++) {
        v3 x = v3_load(cloth->x + 3 * i);
        a.x0[i] = a.x1[i] = v3_make(share * x.x, x.y, x.z);
        a.inverse_mass[i] = cloth->inverse_mass[i];
    }
    mus_pair_list pairs = all_pairs(cloth);
    mus_motion_bounds bounds = {.end = a.x1, .motion_bound = 1e-5};
    mus_candidate_pair_list list = {0}, near = {0};
    must(mus_candidate_pairs_filter(&a, pairs.data, pairs.count, &bounds, 1, &list));
    *kept = list.count;
    must(mus_candidate_pairs_keep_near(&a, &list, 1, &near));
    mus_contact_constraint_list constraints = {0};
    must(mus_contacts_from_pairs(&a, &near, &(mus_contact_options){.dt = 0.01, .relax = 0.5}, &constraints));
    *constraint_count = constraints.count;
    for (int64_t k = 0, at = 0; k < pairs.count; k++) {
        mus_candidate_pair c = {.edge_edge = pairs.data[k].edge_edge};
        memcpy(c.vertex, pairs.data[k].vertex, sizeof c.vertex);
        double weight[4];
        v3 d;
        if (mus_candidate_pair_nearest(&c, a.x0, &d, weight) > 0.999 * mus_candidate_pair_thickness(&a, &c)) continue;
        while (at < near.count &&
               (near.data[at].edge_edge != c.edge_edge || memcmp(near.data[at].vertex, c.vertex, sizeof c.vertex) != 0))
            at++;
        assert_true(at < near.count);
    }
    mus_array_free(&constraints);
    mus_array_free(&list);
    mus_array_free(&near);
    mus_array_free(&pairs);
    mus_assembly_free(&a);
    mus_cloth_free(cloth);
}

/* What is fine for its thickness is not in contact with itself at rest, nor near to it; squeezed it is. */
static void test_fine_mesh(void **state) {
    (void)state;
    int64_t kept, constraint_count;
    squeezed(1, &kept, &constraint_count);
    assert_int_equal(kept, 0);
    squeezed(0.9, &kept, &constraint_count);
    assert_int_equal(constraint_count, 0);
    squeezed(0.5, &kept, &constraint_count);
    print_message("squeezed: %lld pairs, %lld rows\n", (long long)kept, (long long)constraint_count);
    assert_true(constraint_count > 20);
}

/* A contact whose first impulse was 2 and is 3 now, kg m, is stored with 3 if it got nearer to its gap, else with 2;
 * one that started with 1.2 is stored with the 1.8 that it gained, for 2.4, which is twice the first. Where 3 is little
 * for the weight, it is stored anyhow. */
static void test_stuck_contacts(void **state) {
    (void)state;
    const double dt = 1.0 / 120;
    for (int moves = 0; moves < 2; moves++) {
        lasting l = lasting_make(dt);
        mus_assembly *a = &l.p.a;
        start(&l, dt);
        mus_contact_constraint *first = l.constraints.data;
        while (!(first->gap0 < 0.9 * first->target)) first++;
        l.constraints.data[0] = *first, first = l.constraints.data, l.constraints.count = 1;
        double way = moves ? 0.5 * (first->target - first->gap0) : 0;
        for (int c = 0; c < 4; c++) {
            int32_t i = first->vertex[c];
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += first->weight[k] * first->weight[k];
            a->x1[i] = v3_axpy(way * first->weight[c] / sum, first->normal, a->x0[i]);
        }
        const double starts[] = {2, 1.2, 1.2}, expected[2][3] = {{2, 1.8, 3}, {3, 2.4, 3}};
        for (int k = 0; k < 3; k++) {
            first->normal_impulse = 3, first->warm_start_impulse = starts[k];
            a->acceleration_scale = k < 2 ? 1e-9 : 1e9;
            must(mus_warm_starts_store(a, &l.constraints, dt, MUS_WARM_STARTS_OF_ALL, &l.warm_starts));
            assert_int_equal(l.warm_starts.count, 1);
            double impulse = (double)l.warm_starts.data[0].normal_force * dt * dt;
            if (fabs(impulse - expected[moves][k]) > 1e-5) fail_msg("%g kg m for %g", impulse, expected[moves][k]);
        }
        lasting_free(&l);
    }
}

/* A vertex that would have to move by more than a hundred times the motion of the contact is as good as pinned. */
static void test_leverage(void **state) {
    (void)state;
    rng = mus_rng_make(15, 0);
    pile p = pile_make(0, 0, 1.0 / 120);
    int32_t other = p.a.objects[1].first;
    mus_contact_constraint c = {.vertex = {0, 1, other, other + 1}, .edge_edge = true, .object = {0, 1}};
    for (int k = 0; k < 4; k++) p.a.inverse_mass[c.vertex[k]] = 0;
    p.a.inverse_mass[1] = 1000;
    const double shares[] = {0.5, 0.02, 0.005, 1e-9};
    for (int k = 0; k < 4; k++) {
        double w = shares[k], weight[] = {1 - w, w, -0.3, -0.7};
        memcpy(c.weight, weight, sizeof weight);
        mus_contact_set_masses(&p.a, &c);
        double expected = w > 0.01 ? 1 / (1000 * w * w) : 0;
        assert_true(fabs(c.mass - expected) <= 1e-12 * expected);
    }
    pile_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),         cmocka_unit_test(test_targets_and_cone),
        cmocka_unit_test(test_restitution),      cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_contact_loads),    cmocka_unit_test(test_conjugate_steps),
        cmocka_unit_test(test_tip_counted_once), cmocka_unit_test(test_fine_mesh),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_stuck_contacts),
        cmocka_unit_test(test_leverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
