/* test_stitch.c: stitch forces are minus the gradient of their energy, their matrix is its second derivative where the
 * stitches are straight, and the linear form of a step is that of the forces; a seam group's matrix is that of its
 * members. */
#include "../world/scene.h"

#include "dynamics/seam_group.h"

enum { STITCHES = 4 };

typedef struct pair {
    mus_cloth *cloths[3];
    mus_dynamics *dynamics[3];
    mus_seam *seam;
    mus_seam_group group;
    v3 *x, *v, *start;
} pair;

static mus_rng rng;

/* Three cloths, the first and the last sewn: vertices to vertices and to points of edges. */
static pair make(double length) {
    pair p = {.seam = NULL};
    for (int k = 0; k < 3; k++) {
        mus_cloth_def def = mus_cloth_def_default();
        mus_mesh *mesh = grid_mesh(4 + k, 3, 0.2, 0.1, "xz", v3_make(0, 0.05 * k, 0));
        def.mesh = mesh;
        must(mus_cloth_new(&def, "cloth", &p.cloths[k]));
        must(mus_dynamics_create(p.cloths[k], &p.dynamics[k]));
        mus_mesh_destroy(mesh);
    }
    must(mus_seam_new(STITCHES, &p.seam));
    p.seam->cloth[0] = p.cloths[0], p.seam->cloth[1] = p.cloths[2];
    p.seam->stiffness = 300, p.seam->strength = INFINITY, p.seam->damping = 2e-3, p.seam->width = length,
    p.seam->closing_time = 1;
    const double along[STITCHES] = {0, 0.25, 0.8, 1};
    for (int k = 0; k < STITCHES; k++) {
        p.seam->stitches[k] = (mus_stitch){k, {k, k + 1}, along[k]};
        p.seam->start[k] = length;
    }
    must(mus_seam_group_create(p.dynamics, p.cloths, 0, 3, &p.seam, 1, &p.group));
    assert_int_equal(p.group.stitch_count, STITCHES);
    assert_int_equal(p.group.n, 12 + 15 + 18);
    assert_int_equal(p.group.members[2].joined, 0);
    assert_int_equal(p.group.members[1].joined, 1); /* between them, and its own */
    p.x = mus_new(sizeof(v3) * (size_t)p.group.n);
    p.v = mus_new(sizeof(v3) * (size_t)p.group.n);
    p.start = mus_new(sizeof(v3) * (size_t)p.group.n);
    for (int k = 0; k < 3; k++)
        memcpy(p.x + p.group.members[k].first, p.cloths[k]->x, sizeof(v3) * (size_t)p.cloths[k]->vertex_count);
    for (int32_t i = 0; i < p.group.n; i++) {
        v3 noise[3];
        for (int k = 0; k < 3; k++)
            noise[k] =
                v3_make(mus_rng_between(&rng, -1, 1), mus_rng_between(&rng, -1, 1), mus_rng_between(&rng, -1, 1));
        p.start[i] = v3_axpy(0.01, noise[0], p.x[i]);
        p.x[i] = v3_axpy(0.01, noise[1], p.x[i]);
        p.v[i] = noise[2];
    }
    return p;
}

static void unmake(pair *p) {
    mus_free(p->x), mus_free(p->v), mus_free(p->start);
    for (int k = 0; k < 3; k++) mus_dynamics_free(p->dynamics[k]);
    mus_seam_group_free(&p->group);
    for (int k = 0; k < 3; k++) mus_cloth_free(p->cloths[k]);
    mus_seam_free(p->seam);
}

static double *coordinate(v3 *x, int32_t k) {
    return &(&x[k / 3].x)[k % 3];
}

static void test_gradient(void **state) {
    (void)state;
    double dt = 0.01;
    for (int slack = 0; slack < 3; slack++) {
        pair p = make(slack == 1 ? 0.5 : 0.02);
        mus_seam_group *b = &p.group;
        if (slack == 2) p.seam->strength = 15; /* between the stitches' tensions */
        size_t n = (size_t)b->n;
        mus_seam_group_begin(b, 0, dt);
        v3 *force = mus_new(sizeof(v3) * n), *twice = mus_new(sizeof(v3) * n), *probe = mus_new(sizeof(v3) * n),
           *product = mus_new(sizeof(v3) * n);
        mus_block_matrix_clear(&b->matrix, 1);
        mus_stitches_forces(b, p.start, p.x, dt, force);
        double h = 1e-6, most = 0;
        for (int32_t k = 0; k < 3 * b->n; k++) {
            double *c = coordinate(p.x, k), at = *c;
            *c = at + h;
            double up = mus_stitches_energy(b, p.start, p.x, dt);
            *c = at - h;
            double down = mus_stitches_energy(b, p.start, p.x, dt);
            *c = at;
            near(*coordinate(force, k), -(up - down) / (2 * h), 1e-5, "force");
            most = fmax(most, fabs(*coordinate(force, k)));
        }
        if (slack == 1)
            assert_true(most == 0);
        else
            assert_true(most > 1);
        /* the matrix: dt^2 times minus the change of the forces */
        for (int32_t i = 0; i < b->n; i++)
            probe[i] =
                v3_make(mus_rng_between(&rng, -1, 1), mus_rng_between(&rng, -1, 1), mus_rng_between(&rng, -1, 1));
        mus_block_matrix_multiply(&b->matrix, probe, product, 1);
        for (int32_t i = 0; i < b->n; i++) p.x[i] = v3_axpy(h, probe[i], p.x[i]);
        mus_stitches_forces(b, p.start, p.x, dt, twice);
        double bend = 0;
        for (int32_t i = 0; i < b->n; i++) {
            v3 change = v3_scale(-dt * dt / h, v3_sub(twice[i], force[i]));
            if (slack < 2) /* where the strength limits the tension the product is larger */
                near(v3_length(v3_sub(product[i], change)), 0,
                     2e-6 * (slack == 1 ? 1 : 1 + v3_length(change)) + 1e-4 * v3_length(change), "product");
            bend += v3_dot(probe[i], product[i]);
        }
        assert_true(slack == 1 ? bend == 0 : bend > 0);
        mus_free(force), mus_free(twice), mus_free(probe), mus_free(product);
        unmake(&p);
    }
}

/* dt f(x, v) - H v against what the forces are a little later. */
static void test_linear_form(void **state) {
    (void)state;
    pair p = make(0.02);
    mus_seam_group *b = &p.group;
    size_t n = (size_t)b->n;
    double dt = 1e-5; /* where x + dt v is near enough for the linear form to be the change */
    p.seam->damping = 0;
    v3 *right = mus_new(sizeof(v3) * n), *now = mus_new(sizeof(v3) * n), *later = mus_new(sizeof(v3) * n);
    mus_seam_group_begin(b, 0, dt);
    mus_block_matrix_clear(&b->matrix, 1);
    mus_stitches_linearize(b, p.x, p.v, dt, right);
    mus_stitches_forces(b, p.x, p.x, dt, now);
    for (int32_t i = 0; i < b->n; i++) p.start[i] = v3_axpy(dt, p.v[i], p.x[i]);
    mus_stitches_forces(b, p.start, p.start, dt, later);
    double change = 0, off = 0;
    for (int32_t i = 0; i < b->n; i++) {
        change = fmax(change, v3_length(v3_sub(later[i], now[i])));
        off = fmax(off, v3_length(v3_sub(v3_scale(1 / dt, right[i]), later[i])));
    }
    assert_true(change > 1e-4);
    assert_true(off < 1e-2 * change);
    mus_free(right), mus_free(now), mus_free(later);
    unmake(&p);
}

/* Impulse on the first stitch's first vertex toward the other end, N s, by the linear form of a step; `matrix`: the
 * largest product of the matrix with x. */
static double drawn(pair *p, double dt, double *matrix) {
    mus_seam_group *b = &p->group;
    const mus_stitch_constraint *stitch = &b->stitches[0];
    v3 *right = mus_new(sizeof(v3) * (size_t)b->n), *product = mus_new(sizeof(v3) * (size_t)b->n);
    mus_seam_group_begin(b, 0, dt);
    mus_block_matrix_clear(&b->matrix, 1);
    mus_stitches_linearize(b, p->x, p->v, dt, right);
    mus_block_matrix_multiply(&b->matrix, p->x, product, 1);
    *matrix = 0;
    for (int32_t i = 0; i < b->n; i++) *matrix = fmax(*matrix, v3_length(product[i]));
    v3 d = p->x[stitch->vertex[0]];
    for (int c = 1; c < stitch->count; c++) d = v3_axpy(stitch->weight[c], p->x[stitch->vertex[c]], d);
    double pull = -v3_dot(v3_normalized(d), right[stitch->vertex[0]]);
    mus_free(right), mus_free(product);
    return pull;
}

/* A stitch that is slack, and is so at the end of the step, has neither force nor stiffness. One that the motion makes
 * taut within the step pulls by its excess length at the end; one that becomes slack within it acts as a spring to the
 * end, since a linear form has no other. */
static void test_slack(void **state) {
    (void)state;
    enum { STAYS, TAUTENS, SLACKENS };
    const double dt = 0.01;
    for (int kind = STAYS; kind <= SLACKENS; kind++) {
        pair p = make(0.1);
        mus_seam_group *b = &p.group;
        const mus_stitch_constraint *stitch = &b->stitches[0];
        double length = kind == SLACKENS ? 0.104 : 0.096, rate = kind == STAYS ? 0.3 : kind == TAUTENS ? 0.7 : -0.7;
        p.seam->damping = 0;
        for (int32_t i = 0; i < b->n; i++) p.x[i] = p.v[i] = v3_make(0, 0, 0); /* the other stitches end in one point */
        p.x[stitch->vertex[0]] = v3_make(length, 0, 0), p.v[stitch->vertex[0]] = v3_make(rate, 0, 0);
        double matrix, pull = drawn(&p, dt, &matrix), beyond = length + dt * rate - 0.1;
        assert_true(kind == STAYS ? beyond < -5e-4 : kind == TAUTENS ? beyond > 2e-3 : beyond < -2e-3);
        if (kind == STAYS) {
            near(pull, 0, 0, "pull of a slack stitch");
            near(matrix, 0, 0, "its stiffness");
        } else {
            near(pull, dt * p.seam->stiffness * beyond, 1e-12, "pull at the end of the step");
            assert_true(matrix > 0);
        }
        unmake(&p);
    }
}

/* A member's rows: what it adds to the common matrix is what it adds to one of its own. */
static void test_members(void **state) {
    (void)state;
    pair p = make(0.02);
    mus_seam_group *b = &p.group;
    mus_block_matrix_clear(&b->matrix, 1);
    for (int k = 0; k < 3; k++) {
        mus_seam_group_member *m = &b->members[k];
        mus_spring_linearize(m->cloth, m->dynamics->spring_pair, p.x + m->first, p.v + m->first, 0.01, b->force,
                             &m->dynamics->matrix);
        mus_hinge_linearize(m->cloth, m->dynamics->hinge_pair, p.x + m->first, p.v + m->first, 0.01, b->force,
                            &m->dynamics->matrix);
    }
    v3 *all = mus_new(sizeof(v3) * (size_t)b->n), *alone = mus_new(sizeof(v3) * (size_t)b->n);
    mus_block_matrix_multiply(&b->matrix, p.start, all, 1);
    for (int k = 0; k < 3; k++) {
        mus_seam_group_member *m = &b->members[k];
        mus_dynamics *own;
        must(mus_dynamics_create(m->cloth, &own));
        mus_block_matrix_clear(&own->matrix, 1);
        mus_spring_linearize(m->cloth, own->spring_pair, p.x + m->first, p.v + m->first, 0.01, own->force,
                             &own->matrix);
        mus_hinge_linearize(m->cloth, own->hinge_pair, p.x + m->first, p.v + m->first, 0.01, own->force, &own->matrix);
        mus_block_matrix_multiply(&own->matrix, p.start + m->first, alone, 1);
        for (int32_t i = 0; i < m->cloth->vertex_count; i++) {
            assert_true(v3_length(alone[i]) > 0);
            near(v3_length(v3_sub(all[m->first + i], alone[i])), 0, 1e-12, "rows");
        }
        mus_dynamics_free(own);
    }
    mus_free(all), mus_free(alone);
    unmake(&p);
}

static void test_length(void **state) {
    (void)state;
    mus_stitch stitch = {0, {0, 0}, 0};
    double start = 0.5;
    mus_seam seam = {.width = 0.1, .begin = 2, .closing_time = 4, .stitches = &stitch, .start = &start, .count = 1};
    near(mus_seam_length(&seam, 0, 2), 0.5, 1e-15, "length");
    near(mus_seam_length(&seam, 0, 3), 0.4, 1e-15, "length");
    near(mus_seam_length(&seam, 0, 6), 0.1, 0, "length");
    near(mus_seam_length(&seam, 0, 100), 0.1, 0, "length");
    seam.closing_time = 0, seam.speed = 0.2;
    near(mus_seam_length(&seam, 0, 3), 0.3, 1e-15, "length");
    near(mus_seam_length(&seam, 0, 9), 0.1, 0, "length");
    start = 0.05; /* nearer than the width: slack from the start */
    near(mus_seam_length(&seam, 0, 2), 0.1, 0, "length");
}

int main(void) {
    rng = mus_rng_make(5, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient), cmocka_unit_test(test_linear_form),
                                       cmocka_unit_test(test_slack), cmocka_unit_test(test_members),
                                       cmocka_unit_test(test_length)};
    return cmocka_run_group_tests_name("stitch", tests, NULL, NULL);
}
