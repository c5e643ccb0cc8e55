/* stitch.c: threads between vertices and points of edges (Provot 1997, the garments of its section 5): they pull with
 * stiffness (distance - length), and with friction by its rate, while they are taut; they never push. A thread pulls
 * with its strength at the most. The length falls
 * while a seam closes, and what it does then is work on the cloth. */
#include "dynamics/bundle.h"

void mus_bundle_begin(mus_bundle *b, double t, double dt) {
    b->time = t;
    for (int32_t k = 0; k < b->tie_count; k++) {
        mus_tie *tie = &b->ties[k];
        tie->length0 = mus_seam_length(tie->seam, tie->stitch, t);
        tie->length1 = mus_seam_length(tie->seam, tie->stitch, t + dt);
        tie->given = 0;
    }
}

static v3 between(const mus_tie *tie, const v3 *x) {
    v3 d = x[tie->vertex[0]];
    for (int k = 1; k < tie->count; k++) d = v3_axpy(tie->weight[k], x[tie->vertex[k]], d);
    return d;
}

/* Energy and tension of a thread that is `beyond` longer than its length: a spring up to its strength, and from there
 * on the strength. `slope`: the tension by what it is beyond; no less than its derivative, and with it a solver goes
 * down. */
static double thread_energy(const mus_seam *seam, double beyond) {
    double give = seam->strength / seam->stiffness; /* how far a spring it is */
    if (beyond <= 0) return 0;
    return beyond <= give ? 0.5 * seam->stiffness * beyond * beyond : seam->strength * (beyond - 0.5 * give);
}
static double thread_tension(const mus_seam *seam, double beyond, double *slope) {
    double tension = fmin(seam->stiffness * fmax(0, beyond), seam->strength);
    *slope = tension > 0 ? tension / beyond : 0;
    return tension;
}

double mus_tie_work(const mus_tie *tie, const v3 *x) {
    return tie->seam->cut ? 0 : thread_energy(tie->seam, v3_length(between(tie, x)) - tie->length1);
}

/* Adds a force times its weights. */
static void pull_ends(const mus_tie *tie, v3 force, v3 *to) {
    for (int k = 0; k < tie->count; k++) to[tie->vertex[k]] = v3_axpy(tie->weight[k], force, to[tie->vertex[k]]);
}

/* Adds s u u^T + t I times the products of weights. */
static void stiffen(mus_bundle *b, const mus_tie *tie, double s, v3 u, double t) {
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    mus_sym3 block = {0};
    mus_sym3_add(&block, s, u, t);
    for (int k = 0; k < (tie->count == 3 ? 3 : 1); k++)
        mus_block_matrix_add_even(&b->matrix, tie->pair[k], tie->weight[ends[k][0]] * tie->weight[ends[k][1]], &block);
}

void mus_ties_linearise(mus_bundle *b, const v3 *x, const v3 *v, double dt, v3 *right) {
    for (int32_t k = 0; k < b->tie_count; k++) {
        const mus_tie *tie = &b->ties[k];
        v3 d = between(tie, x), dv = between(tie, v);
        double length = v3_length(d);
        if (tie->seam->cut || !(length > 0)) continue;
        double ahead = fmax(length, v3_length(v3_axpy(dt, dv, d)));
        if (ahead <= tie->length1) continue; /* slack, and stays so */
        v3 u = v3_scale(1 / length, d);
        /* beyond its strength a spring that pulls so hard where it would be: the force must not last beyond the slack
         */
        double slope = fmin(tie->seam->stiffness, tie->seam->strength / (ahead - tie->length1));
        double friction = slope * tie->seam->damping, rate = v3_dot(u, dv);
        double tension = slope * (length - tie->length1) - friction * (tie->length1 - tie->length0) / dt;
        double along = dt * (dt * slope + friction), across = tension > 0 ? dt * dt * tension / length : 0;
        v3 pull = v3_add(v3_scale(dt * tension + (along - across) * rate, u), v3_scale(across, dv));
        pull_ends(tie, v3_neg(pull), right);
        stiffen(b, tie, along - across, u, across);
    }
}

/* What a taut thread's friction goes by; whether it is taut is asked at the start, so that a step has one energy. */
static double friction_of(const mus_tie *tie, double before, double dt) {
    double tension = tie->seam->stiffness * (before - tie->length0);
    return tension > 0 && tension < tie->seam->strength ? tie->seam->stiffness * tie->seam->damping / dt : 0;
}

double mus_ties_energy(const mus_bundle *b, const v3 *start, const v3 *x, double dt) {
    double sum = 0;
    for (int32_t k = 0; k < b->tie_count; k++) {
        const mus_tie *tie = &b->ties[k];
        if (tie->seam->cut) continue;
        double length = v3_length(between(tie, x)), before = v3_length(between(tie, start));
        double change = (length - before) - (tie->length1 - tie->length0);
        sum += thread_energy(tie->seam, length - tie->length1) + 0.5 * friction_of(tie, before, dt) * change * change;
    }
    return sum;
}

double mus_seams_energy(const mus_bundle *b, const v3 *x) {
    double sum = 0;
    for (int32_t k = 0; k < b->tie_count; k++) sum += mus_tie_work(&b->ties[k], x);
    return sum;
}

void mus_ties_forces(mus_bundle *b, const v3 *start, const v3 *x, double dt, v3 *force) {
    for (int32_t k = 0; k < b->tie_count; k++) {
        const mus_tie *tie = &b->ties[k];
        v3 d = between(tie, x);
        double length = v3_length(d), before = v3_length(between(tie, start));
        if (tie->seam->cut || !(length > 0)) continue;
        v3 u = v3_scale(1 / length, d);
        double slope, friction = friction_of(tie, before, dt);
        double tension = thread_tension(tie->seam, length - tie->length1, &slope) +
                         friction * ((length - before) - (tie->length1 - tie->length0));
        double along = dt * dt * (slope + friction), across = dt * dt * fmax(0, tension) / length;
        pull_ends(tie, v3_scale(-tension, u), force);
        stiffen(b, tie, along - across, u, across);
    }
}

/* One compliant projection of a thread; the total that it has given never pushes. */
static void project(mus_tie *tie, const double *inverse_mass, double dt, v3 *x) {
    v3 d = between(tie, x);
    double length = v3_length(d), w = 0;
    for (int k = 0; k < tie->count; k++) w += tie->weight[k] * tie->weight[k] * inverse_mass[tie->vertex[k]];
    if (tie->seam->cut || !(length > 0) || !(w > 0)) return;
    double compliance = 1 / (dt * dt * tie->seam->stiffness);
    double given = fmax(0, tie->given + (length - tie->length1 - compliance * tie->given) / (w + compliance));
    given = fmin(given, dt * dt * tie->seam->strength);
    v3 by = v3_scale((tie->given - given) / length, d);
    tie->given = given;
    for (int k = 0; k < tie->count; k++) {
        int32_t i = tie->vertex[k];
        x[i] = v3_axpy(tie->weight[k] * inverse_mass[i], by, x[i]);
    }
}

void mus_ties_take_up(mus_bundle *b, double dt, const v3 *x1) {
    for (int32_t k = 0; k < b->tie_count; k++) {
        mus_tie *tie = &b->ties[k];
        double slope;
        tie->given = dt * dt * thread_tension(tie->seam, v3_length(between(tie, x1)) - tie->length1, &slope);
    }
}

void mus_ties_project(mus_bundle *b, const double *inverse_mass, double dt, bool odd, v3 *x1) {
    for (int32_t k = 0; k < b->tie_count; k++) project(&b->ties[odd ? b->tie_count - 1 - k : k], inverse_mass, dt, x1);
}

void mus_ties_stir(const mus_bundle *b, mus_strain_limit *limit) {
    for (int32_t k = 0; k < b->tie_count; k++)
        for (int c = 0; c < b->ties[k].count; c++) mus_strain_limit_stir(limit, b->first + b->ties[k].vertex[c]);
}
