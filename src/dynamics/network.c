/* network.c: Bigliani & Eischen's particle network: in-plane stretch, in-plane shear, out-of-plane bending. The source
 * names these strains and prints no law; these are the simplest with an energy that gives a sheet's moduli: a link
 * 1/2 k (l - r)^2; an element 1/2 G A s^2 with s the cosine of the angle between its mean yarn directions; two links of
 * a yarn 1/2 (D b/a) |t2 - t1|^2 with t their unit directions. Straight rows and columns of the network can twist
 * freely against each other. A bend at rest keeps its size, not its direction. Friction is by the rates of the same
 * measures, so that it exerts no force on rigid motion. */
#include "dynamics/network.h"

bool mus_cell_shear(const mus_cell *c, const v3 *x, double *sine, v3 gradient[4]) {
    v3 p = x[c->vertex[0]], q = x[c->vertex[1]], r = x[c->vertex[2]], s = x[c->vertex[3]];
    v3 along = v3_scale(0.5, v3_add(v3_sub(q, p), v3_sub(s, r))),
       across = v3_scale(0.5, v3_add(v3_sub(r, p), v3_sub(s, q)));
    double lu = v3_length(along), lv = v3_length(across);
    if (!(lu > 0 && lv > 0)) return false;
    v3 u = v3_scale(1 / lu, along), v = v3_scale(1 / lv, across);
    *sine = v3_dot(u, v);
    v3 gu = v3_scale(0.5 / lu, v3_axpy(-*sine, u, v)), gv = v3_scale(0.5 / lv, v3_axpy(-*sine, v, u));
    gradient[3] = v3_add(gu, gv);
    gradient[0] = v3_neg(gradient[3]);
    gradient[1] = v3_sub(gu, gv);
    gradient[2] = v3_neg(gradient[1]);
    return true;
}

typedef struct yarn_bend { /* two consecutive links */
    v3 t1, t2, g;          /* unit directions and their difference */
    double l1, l2, bend;
} yarn_bend;

static bool measure_joint(const mus_joint *j, const v3 *x, yarn_bend *h) {
    v3 first = v3_sub(x[j->vertex[1]], x[j->vertex[0]]), second = v3_sub(x[j->vertex[2]], x[j->vertex[1]]);
    h->l1 = v3_length(first), h->l2 = v3_length(second);
    if (!(h->l1 > 0 && h->l2 > 0)) return false;
    h->t1 = v3_scale(1 / h->l1, first), h->t2 = v3_scale(1 / h->l2, second);
    h->g = v3_sub(h->t2, h->t1);
    h->bend = v3_length(h->g);
    return true;
}

static v3 perpendicular_part(v3 t, v3 a) { /* without its part along t */
    return v3_axpy(-v3_dot(t, a), t, a);
}

/* Forces on the nodes from a force on the difference of directions. */
static void pull_back(const yarn_bend *h, v3 on_g, v3 nodes[3]) {
    nodes[0] = v3_scale(1 / h->l1, perpendicular_part(h->t1, on_g));
    nodes[2] = v3_scale(1 / h->l2, perpendicular_part(h->t2, on_g));
    nodes[1] = v3_neg(v3_add(nodes[0], nodes[2]));
}

bool mus_joint_bend(const mus_joint *j, const v3 *x, double *bend, v3 gradient[3]) {
    yarn_bend h;
    if (!measure_joint(j, x, &h)) return false;
    *bend = h.bend;
    pull_back(&h, v3_normalized(h.g), gradient);
    return true;
}

double mus_link_tension(const mus_cloth *cloth, const mus_link *link, double length, double *slope) {
    double strain = length - link->rest;
    *slope = strain < 0 ? link->stiffness * cloth->material.compression : link->stiffness;
    return *slope * strain;
}

/* Adds -tension times the gradient to the forces, unless `force` is NULL. */
static void add_force(v3 *force, const int32_t *vertex, const v3 *gradient, int count, double tension) {
    for (int i = 0; force && i < count; i++) force[vertex[i]] = v3_axpy(-tension, gradient[i], force[vertex[i]]);
}

double mus_network_increment(const mus_cloth *cloth, const v3 *start, double dt, const v3 *x, v3 *force) {
    const mus_network *w = cloth->network;
    double sum = 0, damping = cloth->material.damping / dt, bending = cloth->material.bending_damping / dt;
    v3 g[4], unused[4];
    for (int32_t k = 0; w && k < w->link_count; k++) {
        const mus_link *l = &w->links[k];
        const int32_t ends[2] = {l->a, l->b};
        v3 d = v3_sub(x[l->a], x[l->b]);
        double length = v3_length(d), slope, change = length - v3_length(v3_sub(start[l->a], start[l->b]));
        double tension = mus_link_tension(cloth, l, length, &slope), friction = damping * l->stiffness * change;
        sum += 0.5 * (tension * (length - l->rest) + friction * change);
        g[0] = v3_normalized(d), g[1] = v3_neg(g[0]);
        add_force(force, ends, g, 2, tension + friction);
    }
    for (int32_t k = 0; w && k < w->cell_count; k++) {
        const mus_cell *c = &w->cells[k];
        double sine, before;
        if (!mus_cell_shear(c, x, &sine, g)) continue;
        double off = sine - c->rest, change = mus_cell_shear(c, start, &before, unused) ? sine - before : 0;
        sum += 0.5 * c->stiffness * (off * off + damping * change * change);
        add_force(force, c->vertex, g, 4, c->stiffness * (off + damping * change));
    }
    for (int32_t k = 0; w && k < w->joint_count; k++) {
        const mus_joint *j = &w->joints[k];
        double bend, before;
        if (!mus_joint_bend(j, x, &bend, g)) continue;
        double off = bend - j->rest, change = mus_joint_bend(j, start, &before, unused) ? bend - before : 0;
        sum += 0.5 * j->stiffness * (off * off + bending * change * change);
        add_force(force, j->vertex, g, 3, j->stiffness * (off + bending * change));
    }
    return sum;
}

double mus_network_energy(const mus_cloth *cloth, const v3 *x) {
    return mus_network_increment(cloth, x, 1, x, NULL);
}

void mus_network_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force) {
    const mus_network *w = cloth->network;
    double damping = cloth->material.damping, bending = cloth->material.bending_damping;
    for (int32_t k = 0; w && k < w->link_count; k++) {
        const mus_link *l = &w->links[k];
        v3 d = v3_sub(x[l->a], x[l->b]);
        double length = v3_length(d), slope;
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        double pull =
            mus_link_tension(cloth, l, length, &slope) + slope * damping * v3_dot(u, v3_sub(v[l->a], v[l->b]));
        force[l->a] = v3_axpy(-pull, u, force[l->a]);
        force[l->b] = v3_axpy(pull, u, force[l->b]);
    }
    for (int32_t k = 0; w && k < w->cell_count; k++) {
        const mus_cell *c = &w->cells[k];
        v3 g[4];
        double sine, rate = 0;
        if (!mus_cell_shear(c, x, &sine, g)) continue;
        for (int i = 1; i < 4; i++) rate += v3_dot(g[i], v3_sub(v[c->vertex[i]], v[c->vertex[0]]));
        double moment = c->stiffness * (sine - c->rest + damping * rate);
        for (int i = 0; i < 4; i++) force[c->vertex[i]] = v3_axpy(-moment, g[i], force[c->vertex[i]]);
    }
    for (int32_t k = 0; w && k < w->joint_count; k++) {
        const mus_joint *j = &w->joints[k];
        v3 g[3];
        double bend;
        if (!mus_joint_bend(j, x, &bend, g)) continue;
        double rate = v3_dot(g[0], v3_sub(v[j->vertex[0]], v[j->vertex[1]])) +
                      v3_dot(g[2], v3_sub(v[j->vertex[2]], v[j->vertex[1]]));
        double moment = j->stiffness * (bend - j->rest + bending * rate);
        for (int i = 0; i < 3; i++) force[j->vertex[i]] = v3_axpy(-moment, g[i], force[j->vertex[i]]);
    }
}

static void linearize_links(const mus_cloth *cloth, const uint8_t *pairs, const v3 *x, const v3 *v, double dt,
                            v3 *right, mus_block_matrix *matrix) {
    for (int32_t k = 0; k < cloth->network->link_count; k++) {
        const mus_link *l = &cloth->network->links[k];
        v3 d = v3_sub(x[l->a], x[l->b]), dv = v3_sub(v[l->a], v[l->b]);
        double length = v3_length(d), slope;
        if (!(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        double tension = mus_link_tension(cloth, l, length, &slope);
        double along = dt * slope * (dt + cloth->material.damping);
        double across = tension > 0 ? dt * dt * tension / length : 0;
        v3 pull = v3_add(v3_scale(dt * tension + (along - across) * v3_dot(u, dv), u), v3_scale(across, dv));
        right[l->a] = v3_sub(right[l->a], pull);
        right[l->b] = v3_add(right[l->b], pull);
        int32_t pair = mus_block_matrix_pair(matrix, l->a, l->b, pairs[k]);
        mus_pair_block_add(&matrix->pair[pair], along - across, u, across);
    }
}

/* The products of the gradient only: positive semidefinite. */
static void linearize_cells(const mus_cloth *cloth, const uint8_t *pairs, const v3 *x, const v3 *v, double dt,
                            v3 *right, mus_block_matrix *matrix) {
    static const int pair_of[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    double damping = cloth->material.damping;
    for (int32_t k = 0; k < cloth->network->cell_count; k++) {
        const mus_cell *c = &cloth->network->cells[k];
        v3 g[4];
        double sine, rate = 0;
        if (!mus_cell_shear(c, x, &sine, g)) continue;
        for (int i = 1; i < 4; i++) rate += v3_dot(g[i], v3_sub(v[c->vertex[i]], v[c->vertex[0]]));
        double impulse = dt * c->stiffness * (sine - c->rest + (dt + damping) * rate);
        for (int i = 0; i < 4; i++) right[c->vertex[i]] = v3_axpy(-impulse, g[i], right[c->vertex[i]]);
        double stiffness = dt * c->stiffness * (dt + damping);
        for (int p = 0; p < 6; p++) {
            int i = pair_of[p][0], j = pair_of[p][1];
            m3 block = {{v3_scale(stiffness * g[i].x, g[j]), v3_scale(stiffness * g[i].y, g[j]),
                         v3_scale(stiffness * g[i].z, g[j])}};
            int32_t pair = mus_block_matrix_pair(matrix, c->vertex[i], c->vertex[j], pairs[6 * k + p]);
            mus_block_matrix_add_pair(matrix, pair, c->vertex[i] < c->vertex[j], &block);
        }
    }
}

/* As stiff in all directions as across the yarn: with P the projection across, J = c P for the weights c of the
 * nodes where it is straight, and J^T J is at most c c^T. */
static void linearize_joints(const mus_cloth *cloth, const uint8_t *pairs, const v3 *x, const v3 *v, double dt,
                             v3 *right, mus_block_matrix *matrix) {
    static const int pair_of[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    double damping = cloth->material.bending_damping;
    for (int32_t k = 0; k < cloth->network->joint_count; k++) {
        const mus_joint *j = &cloth->network->joints[k];
        yarn_bend h;
        if (!measure_joint(j, x, &h)) continue;
        v3 d1 = v3_sub(v[j->vertex[1]], v[j->vertex[0]]), d2 = v3_sub(v[j->vertex[2]], v[j->vertex[1]]);
        v3 rate =
            v3_sub(v3_scale(1 / h.l2, perpendicular_part(h.t2, d2)), v3_scale(1 / h.l1, perpendicular_part(h.t1, d1)));
        v3 unit = v3_normalized(h.g), on_g = v3_axpy(dt, rate, h.g), nodes[3];
        if (j->rest > 0) on_g = v3_scale(h.bend - j->rest + dt * v3_dot(unit, rate), unit);
        on_g = v3_axpy(damping * v3_dot(unit, rate), unit, on_g);
        pull_back(&h, v3_scale(dt * j->stiffness, on_g), nodes);
        for (int i = 0; i < 3; i++) right[j->vertex[i]] = v3_sub(right[j->vertex[i]], nodes[i]);
        double share[3] = {1 / h.l1, -(1 / h.l1 + 1 / h.l2), 1 / h.l2}, stiffness = dt * j->stiffness * (dt + damping);
        for (int p = 0; p < 3; p++) {
            int a = pair_of[p][0], b = pair_of[p][1];
            int32_t pair = mus_block_matrix_pair(matrix, j->vertex[a], j->vertex[b], pairs[3 * k + p]);
            matrix->pair[pair].t -= (float)(stiffness * share[a] * share[b]);
        }
    }
}

void mus_network_linearize(const mus_cloth *cloth, const uint8_t *pairs, const v3 *x, const v3 *v, double dt, v3 *right,
                           mus_block_matrix *matrix) {
    const mus_network *w = cloth->network;
    if (!w) return;
    linearize_links(cloth, pairs, x, v, dt, right, matrix);
    linearize_cells(cloth, pairs + w->link_count, x, v, dt, right, matrix);
    linearize_joints(cloth, pairs + w->link_count + 6 * (size_t)w->cell_count, x, v, dt, right, matrix);
}

static void add_stiffness(v3 *sum, const int32_t *vertex, const double *size, int count, double stiffness,
                          double damping) {
    double all = 0;
    for (int i = 0; i < count; i++) all += size[i];
    for (int i = 0; i < count; i++) {
        double row = stiffness * size[i] * all;
        sum[vertex[i]].x += row;
        sum[vertex[i]].y += row * damping;
    }
}

void mus_network_bound(const mus_cloth *cloth, const v3 *x, v3 *sum) {
    const mus_network *w = cloth->network;
    double damping = cloth->material.damping, bending = cloth->material.bending_damping, sine;
    for (int32_t k = 0; w && k < w->link_count; k++) {
        const int32_t ends[2] = {w->links[k].a, w->links[k].b};
        const double one[2] = {1, 1};
        add_stiffness(sum, ends, one, 2, w->links[k].stiffness, damping);
    }
    for (int32_t k = 0; w && k < w->cell_count; k++) {
        v3 g[4];
        double size[4];
        if (!mus_cell_shear(&w->cells[k], x, &sine, g)) continue;
        for (int i = 0; i < 4; i++) size[i] = v3_length(g[i]);
        add_stiffness(sum, w->cells[k].vertex, size, 4, w->cells[k].stiffness, damping);
    }
    for (int32_t k = 0; w && k < w->joint_count; k++) {
        yarn_bend h;
        if (!measure_joint(&w->joints[k], x, &h)) continue;
        const double size[3] = {1 / h.l1, 1 / h.l1 + 1 / h.l2, 1 / h.l2};
        add_stiffness(sum, w->joints[k].vertex, size, 3, w->joints[k].stiffness, bending);
    }
}
