/* bridson.c: Bridson, Fedkiw & Anderson 2002, sections 7.2-7.4, in the reading of BRI 2.2-2.4, with the signs derived:
 * n from side B to side A, vN = n.(vA - vB), S = sum w^2/m over both sides, d = thickness less the gap at the start.
 *
 *   vN < 0:            dv = -vN                                      inelastic; of what meets, -(1 + restitution) vN
 *   d > 0:             dv += min(dt k d S, 0.1 d/dt - vN)            where positive; vN after the first part
 *   friction:          |vT| shrinks by friction * dv, not past zero
 *
 * and J = dv/S along n on side A, by its weights, -J on side B: momentum is kept. k is the stretch stiffness of the
 * material (N/m; of two cloths the softer's). A rigid body is in S with 1/m + ((I^-1 (r x n)) x r).n, and may slip more
 * easily than it is pushed: friction takes no more than its share across n stops.
 *
 * The source goes over the repulsions once: of a sheet that lies on another one, half of what it falls in a step is
 * left after that, and only 0.1 d a step comes back. The tested form goes over them sixteen times, with a sixteenth of
 * k each. */
#include "response/classic.h"

static double stiffness(const mus_assembly *a, const mus_row *row) {
    double k = INFINITY;
    for (int side = 0; side < 2; side++) {
        const mus_cloth *cloth = a->bodies[row->body[side]].cloth;
        if (cloth) k = fmin(k, cloth->material.stretch);
    }
    return k;
}

/* Displacements over the step in place of velocities: changes, vN, vT are times dt here. */
static void impulse(const mus_answer *answer, mus_row *row, double restitution) {
    double dt = answer->dt, speed = v3_dot(row->normal, mus_answer_slip(answer, row)), change = 0;
    if (speed < 0) change = -(1 + restitution) * speed;
    double missing = row->thickness - row->gap0, left = 0.1 * missing - (speed + change);
    double spring = dt * dt * stiffness(answer->assembly, row) * missing / row->mass / (1 + answer->again);
    if (missing > 0 && left > 0) change += fmin(spring, left);
    mus_answer_part(answer, row, change);
}

/* A rigid body that comes from beyond the thickness is stopped there: else what rests would hop by a step's fall where
 * repulsion ends. */
static void repel(const mus_answer *answer, mus_row *row) {
    if (row->gap0 < row->thickness)
        impulse(answer, row, 0);
    else if (row->levered)
        mus_answer_part(answer, row, row->thickness - row->gap0 - v3_dot(row->normal, mus_answer_slip(answer, row)));
}

static void meet(const mus_answer *answer, mus_row *row) {
    impulse(answer, row, row->restitution);
}

/* A pair that is held to a gap and does not get there by its velocities is put there. The more rounds it takes, the
 * further, so that a stack spreads. Velocities are read from displacements here: these are velocities too, and what
 * they have too much of is taken off in the end. */
static void meet_held(const mus_answer *answer, mus_row *row) {
    impulse(answer, row, 0);
    v3 now = v3_add(mus_answer_slip(answer, row), row->rest);
    double end = v3_dot(row->normal, now) - row->offset, least = 0.05 * row->thickness;
    double wanted = fmin(0.25 * row->thickness, fmax(least, fmax(2 * answer->held, 0.9 * row->gap0)));
    if (answer->round > 3) wanted += fmin(0.02 * answer->round, 1) * 2 * answer->held;
    double by = fmax(wanted - end, answer->round > 0 ? 0.3 * answer->held : 0);
    if (by > 0) mus_answer_push(answer, row, v3_scale(by * row->mass, row->normal));
}

const mus_classic_response mus_response_bridson_source = {
    .name = "bridson_source", .rounds = 5, .strain_last = true, .strain_rounds = 0, .repel = repel, .meet = meet};
const mus_classic_response mus_response_bridson_tested = {.name = "bridson_tested",
                                                          .rounds = 30,
                                                          .strain_last = false,
                                                          .strain_rounds = 6,
                                                          .asks_again = true,
                                                          .recovers = true,
                                                          .repel = repel,
                                                          .repel_again = 15,
                                                          .meet = meet_held};
