/* plate.c: bending of an orthotropic plate: per face A/2 k.D k of its mean curvature k, which follows from the turns of
 * its edges' normals (sheet.h). The position of the edge's normal within a fold is a variable of its own, one per fold;
 * it takes the value of least energy, so that vertices on a surface of constant curvature have its energy regardless of
 * the direction of edges (Morley's element; Grinspun et al. 2006). The implicit matrix keeps these offsets constant
 * over the step and uses the stiffness of flat cloth. The quadratic model (after Bergou et al. 2006) uses vectors
 * linear in the positions in place of the angles, and no offsets: its Hessian is constant, on uneven meshes it is too
 * stiff. Damped by the rate of the angles: no force on rigid motion. */
#include "dynamics/dynamics.h"
#include "dynamics/energy.h"
#include "model/fabric.h"

#include <string.h>

/* q: energy = 1/2 sum of q[i][j] turn i turn j. The normal of a free edge takes the angle of least energy, which
 * leaves the edge without moment: the rigidity is reduced accordingly. */
static void stiffness_of(const mus_plate *p, const mus_rigidity *rigidity, double q[3][3]) {
    double d[3][3] = {{rigidity->warp, 0, 0}, {0, rigidity->weft, 0}, {0, 0, rigidity->twist}};
    for (int k = 0; k < 3; k++) {
        if (p->fold[k] >= 0) continue;
        double moment[3], sum = 0;
        for (int a = 0; a < 3; a++) {
            moment[a] = 0;
            for (int b = 0; b < 3; b++) moment[a] += d[a][b] * p->curvature[b][k];
            sum += moment[a] * p->curvature[a][k];
        }
        for (int a = 0; sum > 0 && a < 3; a++)
            for (int b = 0; b < 3; b++) d[a][b] -= moment[a] * moment[b] / sum;
    }
    for (int j = 0; j < 3; j++) {
        double moment[3];
        for (int a = 0; a < 3; a++)
            moment[a] = d[a][0] * p->curvature[0][j] + d[a][1] * p->curvature[1][j] + d[a][2] * p->curvature[2][j];
        for (int i = 0; i < 3; i++)
            q[i][j] = p->curvature[0][i] * moment[0] + p->curvature[1][i] * moment[1] + p->curvature[2][i] * moment[2];
    }
    for (int k = 0; k < 9; k++) q[k / 3][k % 3] *= p->weight;
    for (int k = 0; k < 3; k++)
        for (int j = 0; p->fold[k] < 0 && j < 3; j++) q[k][j] = q[j][k] = 0;
}

static mus_rigidity rigidity_at(const mus_material *m, double curvature) {
    return m->model == MUS_MODEL_MEASURED ? mus_fabric_bending(mus_fabric_get(m->fabric), curvature)
                                          : mus_material_rigidity(m);
}

/* A clamp: a face whose three vertices are pinned is rigid, and an edge of it has its normal, so that the face beyond
 * takes the whole angle. As elastic faces, clamped ones yielded with their edges' normals: the tip of a cantilever of
 * 30 by 4 cells hung 9.5 % too low, of 60 by 8 still 4.7 %. */
static mus_edge_shares shares_of(const mus_cloth *cloth, const mus_plate *p) {
    mus_edge_shares e;
    memcpy(e.share, p->share, sizeof e.share), memcpy(e.side, p->side, sizeof e.side);
    if (!cloth->pins) return e;
    bool pinned[3];
    for (int k = 0; k < 3; k++) pinned[k] = mus_vertex_is_pinned(cloth, p->vertex[k]);
    bool clamped = pinned[0] && pinned[1] && pinned[2];
    for (int k = 0; k < 3; k++) {
        if (p->fold[k] < 0 || !pinned[k] || !pinned[(k + 1) % 3]) continue;
        bool beyond = mus_vertex_is_pinned(cloth, p->vertex[3 + k]);
        if (clamped != beyond) e.share[k] = clamped ? 0 : 1, e.side[k] = 0;
    }
    return e;
}

/* Turns of the edges' normals, from the side of the face's normal. */
static double turn_at(const mus_plate *p, const mus_edge_shares *e, int k, double turn, const double *offset) {
    return p->sign[k] * (e->share[k] * turn + e->side[k] * offset[p->fold[k]]);
}

static void turns_of(const mus_plate *p, const mus_edge_shares *e, const double *turn, const double *offset,
                     double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = p->fold[k] < 0 ? 0 : turn_at(p, e, k, turn[p->fold[k]], offset);
}

/* s: of a plate, by the corners of its face. */
static double damping_of(const mus_cloth *cloth, int32_t plate) {
    return mus_cloth_bending_damping(cloth, cloth->sheet->plates[plate].vertex, 3);
}

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- offsets ------------------------------------------------------------------------------------------------------
 */

mus_status mus_bend_create(const mus_cloth *cloth, mus_bend *bend) {
    *bend = (mus_bend){0};
    size_t folds = cloth->sheet ? (size_t)cloth->sheet->fold_count : 0;
    if (folds == 0) return MUS_STATUS_OK;
    size_t bytes = sizeof(double) * folds;
    bend->offset = mus_new(bytes), bend->turn = mus_new(bytes), bend->moment = mus_new(bytes);
    bend->residual = mus_new(bytes), bend->direction = mus_new(bytes), bend->start = mus_new(bytes);
    bend->product = mus_new(bytes), bend->diagonal = mus_new(bytes);
    bend->gradient = mus_new(sizeof(v3) * 4 * folds);
    bend->q = mus_new(sizeof *bend->q * (size_t)cloth->sheet->plate_count);
    bend->edges = mus_new(sizeof *bend->edges * (size_t)cloth->sheet->plate_count);
    bool all = bend->offset && bend->turn && bend->start && bend->moment && bend->residual && bend->direction &&
               bend->product && bend->diagonal && bend->gradient && bend->q && bend->edges;
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_bend_free(mus_bend *bend) {
    void *blocks[] = {bend->start, bend->offset,   bend->turn,      bend->gradient, bend->moment,  bend->q,
                      bend->edges, bend->residual, bend->direction, bend->product,  bend->diagonal};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *bend = (mus_bend){0};
}

/* Derivative of the energy by the offsets, at turns `turn` and offsets `offset`. */
static void pull_offsets(const mus_sheet *sheet, const mus_bend *bend, const double *turn, const double *offset,
                         double *pull) {
    memset(pull, 0, sizeof *pull * (size_t)sheet->fold_count);
    for (int32_t k = 0; k < sheet->plate_count; k++) {
        const mus_plate *p = &sheet->plates[k];
        const mus_edge_shares *e = &bend->edges[k];
        double turns[3];
        turns_of(p, e, turn, offset, turns);
        for (int i = 0; i < 3; i++)
            if (p->fold[i] >= 0) pull[p->fold[i]] += p->sign[i] * e->side[i] * dot3(bend->q[k][i], turns);
    }
}

/* Conjugate gradients on the offsets with the diagonal as preconditioner, from 0: the result depends on the state
 * alone. The system couples an edge with the other four of its faces; its condition does not grow with the mesh. */
static void solve_offsets(const mus_sheet *sheet, mus_bend *bend) {
    enum { ITERATIONS = 40 };
    size_t bytes = sizeof(double) * (size_t)sheet->fold_count;
    double *r = bend->residual, *p = bend->direction, *q = bend->product, *zero = bend->moment, rz = 0, first = 0;
    memset(bend->offset, 0, bytes), memset(zero, 0, bytes), memset(bend->diagonal, 0, bytes);
    for (int32_t k = 0; k < sheet->plate_count; k++)
        for (int i = 0; i < 3; i++)
            if (sheet->plates[k].fold[i] >= 0) bend->diagonal[sheet->plates[k].fold[i]] += bend->q[k][i][i];
    pull_offsets(sheet, bend, bend->turn, bend->offset, r);
    for (int32_t h = 0; h < sheet->fold_count; h++) {
        if (!(bend->diagonal[h] > 0)) bend->diagonal[h] = 1; /* no stiffness: no moment either */
        r[h] = -r[h];
        p[h] = r[h] / bend->diagonal[h];
        rz += r[h] * p[h];
    }
    first = rz;
    for (int iteration = 0; iteration < ITERATIONS && rz > 1e-12 * first && rz > 1e-300; iteration++) {
        pull_offsets(sheet, bend, zero, p, q);
        double pq = 0, next = 0;
        for (int32_t h = 0; h < sheet->fold_count; h++) pq += p[h] * q[h];
        if (!(pq > 0)) break;
        for (int32_t h = 0; h < sheet->fold_count; h++) {
            bend->offset[h] += rz / pq * p[h];
            r[h] -= rz / pq * q[h];
            next += r[h] * r[h] / bend->diagonal[h];
        }
        for (int32_t h = 0; h < sheet->fold_count; h++) p[h] = r[h] / bend->diagonal[h] + next / rz * p[h];
        rz = next;
    }
}

/* The larger principal curvature of a face, 1/m. */
static double curvature_at(const mus_plate *p, const mus_edge_shares *e, const mus_bend *bend) {
    double turns[3];
    turns_of(p, e, bend->turn, bend->offset, turns);
    double warp = dot3(p->curvature[0], turns), weft = dot3(p->curvature[1], turns);
    double twist = 0.5 * dot3(p->curvature[2], turns), half = 0.5 * (warp - weft);
    return fabs(0.5 * (warp + weft)) + sqrt(half * half + twist * twist);
}

static double turn_of(const mus_fold *f, const v3 *x, v3 gradient[4]) {
    double angle;
    if (mus_fold_angle(x[f->vertex[0]], x[f->vertex[1]], x[f->vertex[2]], x[f->vertex[3]], f->low, &angle, gradient))
        return angle - f->rest;
    memset(gradient, 0, sizeof(v3) * 4);
    return 0;
}

void mus_bend_begin(const mus_cloth *cloth, const v3 *x, mus_bend *bend) {
    v3 unused[4];
    for (int32_t h = 0; cloth->sheet && h < cloth->sheet->fold_count; h++)
        bend->start[h] = turn_of(&cloth->sheet->folds[h], x, unused);
}

void mus_bend_relax(const mus_cloth *cloth, const v3 *x, mus_bend *bend) {
    const mus_sheet *sheet = cloth->sheet;
    for (int32_t h = 0; h < sheet->fold_count; h++)
        bend->turn[h] = turn_of(&sheet->folds[h], x, bend->gradient + 4 * h);
    mus_rigidity flat = rigidity_at(&cloth->material, 0);
    for (int32_t k = 0; k < sheet->plate_count; k++) {
        stiffness_of(&sheet->plates[k], &flat, bend->q[k]);
        bend->edges[k] = shares_of(cloth, &sheet->plates[k]);
    }
    if (cloth->material.bending_quadratic)
        memset(bend->offset, 0, sizeof *bend->offset * (size_t)sheet->fold_count);
    else
        solve_offsets(sheet, bend);
    for (int32_t k = 0; cloth->material.model == MUS_MODEL_MEASURED && k < sheet->plate_count; k++) {
        mus_rigidity d = rigidity_at(&cloth->material, curvature_at(&sheet->plates[k], &bend->edges[k], bend));
        stiffness_of(&sheet->plates[k], &d, bend->q[k]);
    }
}

/* ---- quadratic model ----------------------------------------------------------------------------------------------
 */

/* Turn i of flat cloth: sum of coefficient[i][c] times the displacement of vertex c along the normal. */
static void lifts_of(const mus_sheet *sheet, const mus_plate *p, const mus_edge_shares *e, double coefficient[3][6]) {
    memset(coefficient, 0, sizeof(double) * 18);
    for (int k = 0; k < 3; k++) {
        if (p->fold[k] < 0) continue;
        for (int c = 0; c < 4; c++) coefficient[k][p->slot[k][c]] = e->share[k] * sheet->folds[p->fold[k]].lift[c];
    }
}

/* Its Hessian is h[c][e] times the unit matrix, N/m. */
static void quadratic_hessian(const mus_sheet *sheet, const mus_plate *p, const mus_edge_shares *edges, double q[3][3],
                              double h[6][6]) {
    double l[3][6];
    lifts_of(sheet, p, edges, l);
    for (int c = 0; c < 6; c++) {
        double half[3];
        for (int i = 0; i < 3; i++) half[i] = q[i][0] * l[0][c] + q[i][1] * l[1][c] + q[i][2] * l[2][c];
        for (int e = 0; e <= c; e++) h[c][e] = h[e][c] = l[0][e] * half[0] + l[1][e] * half[1] + l[2][e] * half[2];
    }
}

static v3 row_times(const mus_plate *p, double h[6][6], int c, const v3 *x) {
    v3 sum = v3_make(0, 0, 0); /* differences: the rows of h sum to zero */
    for (int e = 0; e < 6; e++)
        if (e != c && p->vertex[e] >= 0) sum = v3_axpy(h[c][e], v3_sub(x[p->vertex[e]], x[p->vertex[c]]), sum);
    return sum;
}

/* ---- second derivative of an angle --------------------------------------------------------------------------------
 */

/* Change of the gradient of mus_fold_angle, above `low`, for changes d of the four vertices. */
static void angle_second(const v3 x[4], const v3 d[4], v3 change[4]) {
    v3 edge = v3_sub(x[1], x[0]), de = v3_sub(d[1], d[0]);
    double length2 = v3_length2(edge), length = sqrt(length2), dlength2 = 2 * v3_dot(edge, de);
    double dlength = dlength2 / (2 * length);
    v3 g[2], dg[2];
    double foot[2], dfoot[2];
    for (int s = 0; s < 2; s++) {
        v3 side = v3_sub(x[2 + s], x[0]), dside = v3_sub(d[2 + s], d[0]);
        double sign = s == 0 ? 1 : -1;
        v3 n = v3_scale(sign, v3_cross(edge, side));
        v3 dn = v3_scale(sign, v3_add(v3_cross(de, side), v3_cross(edge, dside)));
        double n2 = v3_length2(n), dn2 = 2 * v3_dot(n, dn);
        g[s] = v3_scale(length / n2, n);
        dg[s] = v3_axpy(length / n2, dn, v3_scale((dlength - length * dn2 / n2) / n2, n));
        foot[s] = v3_dot(side, edge) / length2;
        dfoot[s] = (v3_dot(dside, edge) + v3_dot(side, de) - foot[s] * dlength2) / length2;
    }
    v3 far = v3_make(0, 0, 0), near = far;
    for (int s = 0; s < 2; s++) {
        v3 turn = v3_scale(dfoot[s], g[s]);
        near = v3_add(near, v3_sub(v3_scale(1 - foot[s], dg[s]), turn));
        far = v3_add(far, v3_add(v3_scale(foot[s], dg[s]), turn));
    }
    change[0] = v3_neg(near), change[1] = v3_neg(far), change[2] = dg[0], change[3] = dg[1];
}

static void add_column(m3 *m, int column, double s, v3 a) {
    double *row[3] = {&m->r[0].x, &m->r[1].x, &m->r[2].x};
    row[0][column] += s * a.x, row[1][column] += s * a.y, row[2][column] += s * a.z;
}

/* Adds moment times the second derivative of the fold of edge k. */
static void add_second(const mus_fold *fold, const uint8_t slot[4], const v3 *x, double moment, m3 hessian[6][6]) {
    v3 place[4];
    for (int e = 0; e < 4; e++) place[e] = x[fold->vertex[e]];
    for (int e = 0; e < 4; e++)
        for (int axis = 0; axis < 3; axis++) {
            v3 d[4] = {{0}}, change[4];
            d[e] = v3_make(axis == 0, axis == 1, axis == 2);
            angle_second(place, d, change);
            for (int r = 0; r < 4; r++) add_column(&hessian[slot[r]][slot[e]], axis, moment, change[r]);
        }
}

/* ---- energy -------------------------------------------------------------------------------------------------------
 */

static double quadratic_energy(const mus_sheet *sheet, const mus_plate *p, const mus_edge_shares *edges, double q[3][3],
                               const v3 *x, v3 gradient[6], m3 hessian[6][6]) {
    double h[6][6], twice = 0;
    quadratic_hessian(sheet, p, edges, q, h);
    for (int c = 0; c < 6; c++) {
        if (p->vertex[c] < 0) continue;
        v3 g = row_times(p, h, c, x);
        twice += v3_dot(g, v3_sub(x[p->vertex[c]], x[p->vertex[0]]));
        if (gradient) gradient[c] = g;
        for (int e = 0; hessian && e < 6; e++)
            for (int axis = 0; axis < 3; axis++)
                add_column(&hessian[c][e], axis, h[c][e], v3_make(axis == 0, axis == 1, axis == 2));
    }
    return 0.5 * twice;
}

/* `damping`: s over the step's length, of the changes of angles since its start; may be 0. */
static double plate_energy(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, double damping, const v3 *x,
                           v3 gradient[6], m3 hessian[6][6], bool projected) {
    const mus_sheet *sheet = cloth->sheet;
    const mus_plate *p = &sheet->plates[plate];
    const mus_edge_shares *e = &bend->edges[plate];
    double(*q)[3] = bend->q[plate], turn[3] = {0}, change[3] = {0}, energy = 0, elastic = 1;
    v3 g[3][6];
    memset(g, 0, sizeof g);
    if (gradient) memset(gradient, 0, sizeof(v3) * 6);
    if (hessian) memset(hessian, 0, sizeof(m3) * 36);
    if (cloth->material.bending_quadratic) {
        energy = quadratic_energy(sheet, p, e, q, x, gradient, hessian);
        if (!(damping > 0)) return energy;
        elastic = 0;
    }
    for (int k = 0; k < 3; k++) {
        if (p->fold[k] < 0) continue;
        const mus_fold *f = &sheet->folds[p->fold[k]];
        v3 of[4];
        double angle;
        if (!mus_fold_angle(x[f->vertex[0]], x[f->vertex[1]], x[f->vertex[2]], x[f->vertex[3]], f->low, &angle, of))
            continue;
        double now = angle - f->rest, side = e->side[k] * bend->offset[p->fold[k]];
        turn[k] = elastic * p->sign[k] * (e->share[k] * now + side);
        if (damping > 0) change[k] = damping * p->sign[k] * e->share[k] * (now - bend->start[p->fold[k]]);
        for (int c = 0; c < 4; c++) g[k][p->slot[k][c]] = v3_scale(p->sign[k] * e->share[k], of[c]);
    }
    for (int i = 0; i < 3; i++) {
        double elastic_moment = dot3(q[i], turn), slowed = dot3(q[i], change), moment = elastic_moment + slowed;
        energy += 0.5 * (elastic_moment * turn[i] + (damping > 0 ? slowed * change[i] / damping : 0));
        for (int c = 0; gradient && c < 6; c++) gradient[c] = v3_axpy(moment, g[i][c], gradient[c]);
        if (!hessian || p->fold[i] < 0) continue;
        if (!projected)
            add_second(&sheet->folds[p->fold[i]], p->slot[i], x, p->sign[i] * e->share[i] * moment, hessian);
        for (int j = 0; j < 3; j++) {
            double stiff = (elastic + damping) * q[i][j];
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++) {
                    add_column(&hessian[r][c], 0, stiff * g[j][c].x, g[i][r]);
                    add_column(&hessian[r][c], 1, stiff * g[j][c].y, g[i][r]);
                    add_column(&hessian[r][c], 2, stiff * g[j][c].z, g[i][r]);
                }
        }
    }
    return energy;
}

double mus_plate_energy(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, const v3 *x, v3 gradient[6],
                        m3 hessian[6][6], bool projected) {
    return plate_energy(cloth, plate, bend, 0, x, gradient, hessian, projected);
}

double mus_plate_increment(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, double dt, const v3 *x,
                           v3 gradient[6], m3 hessian[6][6]) {
    return plate_energy(cloth, plate, bend, damping_of(cloth, plate) / dt, x, gradient, hessian, true);
}

/* ---- forces -------------------------------------------------------------------------------------------------------
 */

static double rate_of(const mus_fold *f, const v3 *g, const v3 *v) {
    double rate = 0; /* differences: the gradients sum to zero, so a common velocity contributes no rounding error */
    for (int c = 1; c < 4; c++) rate += v3_dot(g[c], v3_sub(v[f->vertex[c]], v[f->vertex[0]]));
    return rate;
}

/* Moments of the folds for the present turns plus their rates times `ahead` and each plate's damping over `span`; if v
 * is NULL the changes since the step began are the rates; `still`: without the turns. */
static void fold_moments(const mus_cloth *cloth, const v3 *v, double ahead, double span, bool still, mus_bend *bend) {
    const mus_sheet *sheet = cloth->sheet;
    double *rate = bend->product;
    for (int32_t h = 0; h < sheet->fold_count; h++) {
        rate[h] = v ? rate_of(&sheet->folds[h], bend->gradient + 4 * h, v) : bend->turn[h] - bend->start[h];
        bend->moment[h] = 0;
    }
    for (int32_t k = 0; k < sheet->plate_count; k++) {
        const mus_plate *p = &sheet->plates[k];
        const mus_edge_shares *e = &bend->edges[k];
        double turns[3] = {0}, by = ahead + damping_of(cloth, k) / span;
        for (int i = 0; i < 3; i++) {
            if (p->fold[i] < 0) continue;
            double turn = by * rate[p->fold[i]];
            if (!still) turn += bend->turn[p->fold[i]];
            turns[i] = turn_at(p, e, i, turn, bend->offset);
        }
        for (int i = 0; i < 3; i++)
            if (p->fold[i] >= 0) bend->moment[p->fold[i]] += p->sign[i] * e->share[i] * dot3(bend->q[k][i], turns);
    }
}

static void pull_folds(const mus_sheet *sheet, const mus_bend *bend, double s, v3 *force) {
    for (int32_t h = 0; h < sheet->fold_count; h++)
        for (int c = 0; c < 4; c++) {
            v3 *f = &force[sheet->folds[h].vertex[c]];
            *f = v3_axpy(-s * bend->moment[h], bend->gradient[4 * h + c], *f);
        }
}

static void add_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, double span, mus_bend *bend, v3 *force) {
    const mus_sheet *sheet = cloth->sheet;
    if (!sheet || sheet->plate_count == 0) return;
    bool quadratic = cloth->material.bending_quadratic;
    mus_bend_relax(cloth, x, bend);
    fold_moments(cloth, v, 0, span, quadratic, bend);
    pull_folds(sheet, bend, 1, force);
    for (int32_t k = 0; quadratic && k < sheet->plate_count; k++) {
        const mus_plate *p = &sheet->plates[k];
        double h[6][6];
        quadratic_hessian(sheet, p, &bend->edges[k], bend->q[k], h);
        for (int c = 0; c < 6; c++)
            if (p->vertex[c] >= 0) force[p->vertex[c]] = v3_sub(force[p->vertex[c]], row_times(p, h, c, x));
    }
}

void mus_plate_forces(const mus_cloth *cloth, const v3 *x, const v3 *v, mus_bend *bend, v3 *force) {
    add_forces(cloth, x, v, 1, bend, force);
}

void mus_plate_increment_forces(const mus_cloth *cloth, double dt, const v3 *x, mus_bend *bend, v3 *force) {
    add_forces(cloth, x, NULL, dt, bend, force);
}

/* Ratio of the angles' gradients, squared, to those of flat cloth, as squeezing increases them; at least 1. */
static double steepening(const mus_sheet *sheet, const mus_plate *p, const mus_bend *bend) {
    double most = 1;
    for (int k = 0; k < 3; k++) {
        if (p->fold[k] < 0) continue;
        double now = 0, flat = 0;
        for (int c = 0; c < 4; c++) {
            double lift = sheet->folds[p->fold[k]].lift[c];
            now += v3_length2(bend->gradient[4 * p->fold[k] + c]), flat += lift * lift;
        }
        if (now > most * flat) most = now / flat;
    }
    return most;
}

void mus_plate_linearize(const mus_cloth *cloth, const uint8_t *plate_pair, const v3 *x, const v3 *v, double dt,
                         mus_bend *bend, v3 *right, mus_block_matrix *matrix) {
    const mus_sheet *sheet = cloth->sheet;
    if (!sheet || sheet->plate_count == 0) return;
    bool quadratic = cloth->material.bending_quadratic;
    const v3 any = {0};
    mus_bend_relax(cloth, x, bend);
    fold_moments(cloth, v, quadratic ? 0 : dt, 1, quadratic, bend);
    pull_folds(sheet, bend, dt, right);
    for (int32_t k = 0; k < sheet->plate_count; k++) {
        const mus_plate *p = &sheet->plates[k];
        double h[6][6];
        quadratic_hessian(sheet, p, &bend->edges[k], bend->q[k], h);
        for (int c = 0; quadratic && c < 6; c++) {
            if (p->vertex[c] < 0) continue;
            v3 pull = v3_axpy(dt, row_times(p, h, c, v), row_times(p, h, c, x));
            right[p->vertex[c]] = v3_axpy(-dt, pull, right[p->vertex[c]]);
        }
        double s = (quadratic ? 1 : steepening(sheet, p, bend)) * (dt * dt + dt * damping_of(cloth, k));
        const uint8_t *place = plate_pair + 15 * k;
        for (int c = 0; c < 6; c++)
            for (int e = c + 1; e < 6; e++, place++) {
                if (p->vertex[c] < 0 || p->vertex[e] < 0) continue;
                int32_t pair = mus_block_matrix_pair(matrix, p->vertex[c], p->vertex[e], *place);
                mus_sym3_add(&matrix->general[pair].even, 0, any, s * h[c][e]);
            }
    }
}

/* Bounds of the rows of the stiffness of flat cloth. */
void mus_plate_bound(const mus_cloth *cloth, v3 *sum) {
    if (!cloth->sheet || cloth->sheet->plate_count == 0) return;
    mus_rigidity d = rigidity_at(&cloth->material, 0);
    for (int at = 10; cloth->material.model == MUS_MODEL_MEASURED && at <= 40; at += 10) {
        mus_rigidity bent = rigidity_at(&cloth->material, at);
        d = (mus_rigidity){fmax(d.warp, bent.warp), fmax(d.weft, bent.weft), fmax(d.twist, bent.twist)};
    }
    for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
        const mus_plate *p = &cloth->sheet->plates[k];
        double q[3][3], h[6][6];
        mus_edge_shares edges = shares_of(cloth, p);
        stiffness_of(p, &d, q);
        quadratic_hessian(cloth->sheet, p, &edges, q, h);
        for (int c = 0; c < 6; c++) {
            if (p->vertex[c] < 0) continue;
            double row = 0;
            for (int e = 0; e < 6; e++) row += fabs(h[c][e]);
            sum[p->vertex[c]].x += row;
            sum[p->vertex[c]].y += row * damping_of(cloth, k);
        }
    }
}
