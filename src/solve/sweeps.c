/* sweeps.c: the contact rows of a step solved together: projected Gauss–Seidel, with conjugate steps between sweeps
 * where a few do not do; on end positions, then once more on velocities. */
#include "base/parallel.h"
#include "solve/solver.h"

enum {
    BODY_LEAST = 4,
    EXTRA = 60,
    EXTRA_STRAINED = 120,
    FULL_EVERY = 4,
    SETTLE_LEAST = 2,
    SETTLE_MOST = 24,
    BODY_SWEEPS = 400
};

/* A course of sweeps over one vector of positions. The first ones go alone: conjugate steps cost half a sweep, and most
 * contacts, which start with what they bore, are done before they pay. */
typedef struct course {
    mus_row_list *rows;
    int sweeps, alone;
    double last; /* change of the last sweep */
    bool led;
} course;

static mus_rows_swept sweep(course *c, const mus_assembly *a, mus_solver *s) {
    bool leads = c->sweeps >= c->alone;
    mus_rows_swept swept =
        mus_row_order_sweep(a, c->rows, &s->order, c->sweeps++ % FULL_EVERY == 0, leads ? &c->last : NULL);
    if (leads) c->last = swept.change, c->led = true;
    return swept;
}

static void forget_leads(mus_row_list *rows) {
    for (int64_t k = 0; k < rows->count; k++) rows->data[k].lead = 0;
}

static mus_status start(mus_solver *s, mus_row_list *rows) {
    forget_leads(rows);
    return mus_row_order_make(&s->assembly, rows, s->def.threads, &s->order);
}

/* All that rows and threads move are vertices of theirs. */
static void watch(mus_solver *s) {
    mus_strain_limit_watch(&s->limit);
    for (int64_t k = 0; s->limit.count && k < s->rows.count; k++)
        for (int c = 0; c < 4; c++) mus_strain_limit_stir(&s->limit, s->rows.data[k].vertex[c]);
    for (int32_t k = 0; s->limit.count && k < s->bundle_count; k++) mus_ties_stir(&s->bundles[k], &s->limit);
}

/* Threads come to where their forces hold against what contacts have moved: what contacts and friction have put right
 * without them, no thread of the next step draws together again. Then edges at their limit; how long the longest was.
 */
static double draw(mus_solver *s, int turn) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < s->bundle_count; k++) {
        mus_bundle *b = &s->bundles[k];
        mus_ties_project(b, a->inverse_mass + b->first, s->dt, turn & 1, a->x1 + b->first);
    }
    return mus_strain_limit_pass(&s->limit, a->inverse_mass, a->x0, a->x1, NULL, NULL);
}

/* Contacts, threads and strain limit in turn; on while an edge is far over its limit, which happens where cloth is
 * caught on something pointed, or while more than one contact in a hundred is far from its target. Contacts come first,
 * or the limit would act on what they start with, and last. Then until bodies have their share: what stands on a few
 * points creeps by what is left out, and what is heavy beside cloth stretches it. */
mus_status mus_solver_sweep(mus_solver *s, int least) {
    mus_assembly *a = &s->assembly;
    course c = {.rows = &s->rows, .alone = least};
    int64_t missed = 0;
    bool solved = false;
    mus_status status = MUS_STATUS_OK;
    if (mus_coupling_wanted(s)) status = mus_coupling_solve(s, &solved);
    if (status == MUS_STATUS_OK && !solved) status = start(s, &s->rows);
    if (status != MUS_STATUS_OK || solved) return status;
    watch(s);
    for (int k = 0; k < least + EXTRA_STRAINED && s->limit.status == MUS_STATUS_OK; k++) {
        double longest = k ? draw(s, k) : INFINITY;
        if (k >= least && longest < 1.003 && (missed * 100 <= s->rows.count || k >= least + EXTRA)) break;
        missed = sweep(&c, a, s).missed;
    }
    mus_row_order_sweep(a, &s->rows, &s->order, true, NULL);
    mus_row_order_end(&s->rows, &s->order);
    for (int k = 0; k < BODY_SWEEPS && s->limit.status == MUS_STATUS_OK && mus_solver_bodies_change(s); k++) {
        draw(s, k);
        mus_rows_sweep(a, &s->rows, k % FULL_EVERY == FULL_EVERY - 1);
    }
    mus_strain_limit_unwatch(&s->limit);
    return s->limit.status;
}

mus_status mus_solver_sweep_bodies(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_row_list *rows = &s->meetings.rows;
    course c = {.rows = rows, .alone = BODY_LEAST};
    if (!rows->count) return MUS_STATUS_OK;
    mus_status status = start(s, rows);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0, missed = 0; k < BODY_LEAST + EXTRA && (k < BODY_LEAST || missed * 100 > rows->count); k++)
        missed = sweep(&c, a, s).missed;
    mus_row_order_sweep(a, rows, &s->order, true, NULL);
    mus_row_order_end(rows, &s->order);
    for (int k = 0; k < BODY_SWEEPS && mus_solver_bodies_change(s); k++)
        mus_rows_sweep(a, rows, k % FULL_EVERY == FULL_EVERY - 1);
    return MUS_STATUS_OK;
}

typedef struct settling {
    const mus_assembly *a;
    double dt;
    v3 *x1; /* what moves at v1 from x0 */
} settling;

static v3 led_by_speed(const settling *s, int64_t i) {
    return v3_axpy(s->dt, s->a->v1[i], s->a->x0[i]);
}

static void move_at_speed(void *context, int64_t begin, int64_t end, int64_t block) {
    const settling *s = context;
    const mus_assembly *a = s->a;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        bool free = i < a->cloth_vertex_count && a->inverse_mass[i] > 0;
        s->x1[i] = free ? led_by_speed(s, i) : a->x1[i];
    }
}

static void take_speed(void *context, int64_t begin, int64_t end, int64_t block) {
    const settling *s = context;
    const mus_assembly *a = s->a;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        if (a->inverse_mass[i] <= 0) continue;
        v3 by = v3_sub(s->x1[i], led_by_speed(s, i));
        a->v1[i] = v3_axpy(1 / s->dt, by, a->v1[i]); /* the same bits where nothing has moved */
    }
}

/* A missing gap is restored by moving positions, and the speed of that motion would throw apart what rests: contacts
 * are solved again for velocities that keep the gaps as they were, with the pushes to start with. (Box2D's relaxing;
 * the pushes that are left are what the contacts bear.) Not where rigid bodies are: those would have to be solved
 * along. */
void mus_solver_settle(mus_solver *s, double dt) {
    mus_assembly moved = s->assembly;
    const mus_assembly *a = &s->assembly;
    moved.x1 = s->envelope;
    settling settled = {a, dt, moved.x1};
    if (!s->rows.count || a->rigid_count) return;
    mus_parallel_vertices(s->def.threads, a->vertex_count, move_at_speed, &settled);
    for (int64_t k = 0; k < s->rows.count; k++) {
        mus_row *row = &s->rows.data[k];
        row->target = fmin(row->gap0, row->thickness);
    }
    course c = {.rows = &s->rows, .alone = SETTLE_LEAST};
    mus_rows_swept swept = {0};
    forget_leads(&s->rows);
    mus_row_order_aim(&s->rows, &s->order); /* no row has come or gone since mus_solver_sweep */
    for (int k = 0; k < SETTLE_MOST && (k < SETTLE_LEAST || swept.moved * 100 > s->rows.count); k++)
        swept = sweep(&c, &moved, s);
    if (c.led) mus_row_order_sweep(&moved, &s->rows, &s->order, true, NULL);
    mus_row_order_end(&s->rows, &s->order);
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, take_speed, &settled);
}
