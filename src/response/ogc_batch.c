/* ogc_batch.c: evaluates users' laws for all contacts that have them: law by law, a block of contacts at a time. */
#include "response/ogc_batch.h"
#include "base/word.h"

void mus_ogc_batch_free(mus_ogc_batch *b) {
    mus_array_free(&b->distance);
    mus_array_free(&b->slip);
    mus_array_free(&b->value);
    mus_array_free(&b->laws);
    mus_array_free(&b->room);
}

mus_status mus_ogc_batch_admit(mus_ogc_batch *b, const mus_program *law) {
    for (int64_t k = 0; k < b->laws.count; k++)
        if (b->laws.data[k] == law) return MUS_STATUS_OK;
    int64_t had = b->room.capacity, room = (int64_t)((mus_program_memory_size(law) + MUS_TRACE_LINE) / sizeof(double));
    if (!mus_array_push(&b->laws, law) || !mus_array_reserve(&b->room, room)) return MUS_STATUS_NO_MEMORY;
    if (b->room.capacity > had) /* unused SIMD lanes are computed, too */
        memset(b->room.data, 0, sizeof(double) * (size_t)b->room.capacity);
    return MUS_STATUS_OK;
}

mus_status mus_ogc_batch_reserve(mus_ogc_batch *b, int64_t count) {
    bool all = mus_array_reserve(&b->distance, count) && mus_array_reserve(&b->slip, count) &&
               mus_array_reserve(&b->value, count);
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_ogc_batch_place(const mus_ogc_batch *b, const mus_ogc_term *terms, int64_t count, const v3 *x) {
    for (int64_t k = 0; k < count; k++) {
        if (!terms[k].law) continue;
        v3 slip;
        b->distance.data[k] = mus_ogc_distance(&terms[k], x, &slip);
        b->slip.data[k] = v3_length(slip);
    }
}

/* Contacts to be evaluated by a law. */
typedef struct block {
    const mus_program *law;
    double *registers;
    int count;
    int64_t term[MUS_TRACE_BLOCK];
} block;

static void finish(const mus_ogc_batch *b, const mus_ogc_term *terms, double least, block *in) {
    if (!in->count) return;
    mus_program_block(in->law, in->registers, in->count);
    const double *out[5];
    bool slips = in->law->outputs == 5;
    for (int j = 0; j < (slips ? 5 : 3); j++) out[j] = mus_program_output(in->law, in->registers, j);
    for (int i = 0; i < in->count; i++) {
        int64_t k = in->term[i];
        mus_ogc_value v = {out[0][i], out[1][i], out[2][i], slips ? out[3][i] : 0, slips ? out[4][i] : 0};
        b->value.data[k] = mus_ogc_extend(&terms[k], v, b->distance.data[k], least);
    }
    in->count = 0;
}

static void add_term(const mus_ogc_batch *b, const mus_ogc_term *t, int64_t k, double least, block *in) {
    double inputs[MUS_INPUT_COUNT];
    mus_ogc_inputs(t, fmax(b->distance.data[k], least * t->radius), b->slip.data[k], inputs);
    for (uint64_t left = in->law->inputs; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        mus_program_input(in->law, in->registers, slot)[in->count] = inputs[slot];
    }
    in->term[in->count++] = k;
}

void mus_ogc_batch_run(const mus_ogc_batch *b, const mus_ogc_term *terms, int64_t first, int64_t end, double least) {
    for (int64_t l = 0; l < b->laws.count; l++) {
        block in = {.law = b->laws.data[l], .registers = mus_program_align(b->room.data)};
        mus_program_begin(in.law, in.registers);
        for (int64_t k = first; k < end; k++) {
            if (terms[k].law != in.law) continue;
            if (b->distance.data[k] >= terms[k].radius) {
                b->value.data[k] = (mus_ogc_value){0};
                continue;
            }
            add_term(b, &terms[k], k, least, &in);
            if (in.count == MUS_TRACE_BLOCK) finish(b, terms, least, &in);
        }
        finish(b, terms, least, &in);
    }
}

/* ---- Checks of a law ------------------------------------------------------------------------------------------- */

enum { PULL = 10 }; /* thicknesses in a step */

static mus_status check(const mus_ogc_term *t, double distance, double slip, const mus_ogc_value *v, double dt) {
    double gap = distance - t->radius;
    if (!isfinite(v->energy) || !isfinite(v->normal_force) || !isfinite(v->curvature))
        return mus_program_fail(
            t->law,
            "potential: its energy, normal force and curvature must be finite (got %s J, %s N, %s N/m at a gap of "
            "%g m, thickness %g m); it is evaluated from 0.05 of the thickness on",
            mus_word_of_number(v->energy).text, mus_word_of_number(v->normal_force).text,
            mus_word_of_number(v->curvature).text, gap, t->radius);
    if (!isfinite(v->slip_gradient) || !isfinite(v->slip_stiffness))
        return mus_program_fail(
            t->law,
            "potential: its derivatives by slip must be finite (got %s N, %s N/m at a slip of %g m, a gap "
            "of %g m)",
            mus_word_of_number(v->slip_gradient).text, mus_word_of_number(v->slip_stiffness).text, slip, gap);
    /* Some pull is adhesion. No solver converges with more: the energy it gains grows with every nearer step. */
    double most = PULL * t->radius * t->of_mass / (dt * dt);
    if (distance <= MUS_OGC_LEAST * t->radius && -v->normal_force > most)
        return mus_program_fail(
            t->law,
            "potential: it pulls the sides together with %g N at a gap of %g m, which would take them "
            "through more than %d times their thickness of %g m in a step of %g s; the normal force is -dE/dgap: "
            "change its sign, or make the attraction weaker than %g N",
            -v->normal_force, gap, PULL, t->radius, dt, most);
    return MUS_STATUS_OK;
}

/* Checks derivatives by slip as the law returns them, before negative ones are clamped. */
static mus_status check_slip(const mus_ogc_term *t, double distance) {
    double inputs[MUS_INPUT_COUNT] = {0}, still[5], sliding[5];
    if (t->law->outputs < 5) return MUS_STATUS_OK;
    mus_ogc_inputs(t, distance, 0, inputs);
    mus_program_one(t->law, inputs, still);
    mus_ogc_inputs(t, distance, t->radius, inputs);
    mus_program_one(t->law, inputs, sliding);
    if (!(fabs(still[3]) <= 1e-9 * (fabs(sliding[3]) + fabs(still[4]) * t->radius)))
        return mus_program_fail(t->law,
                                "potential: its slope by slip must be 0 where slip is 0 (got %g N at a gap of %g m): a "
                                "friction force without slip has no direction; start quadratically, as slip ^ 2",
                                still[3], distance - t->radius);
    if (sliding[3] < 0)
        return mus_program_fail(
            t->law,
            "potential: it must not fall as slip grows (dE/dslip is %g N at a slip of %g m, a gap of %g m): "
            "friction would accelerate the slip; change its sign",
            sliding[3], t->radius, distance - t->radius);
    return MUS_STATUS_OK;
}

mus_status mus_ogc_batch_check(mus_ogc_batch *b, mus_ogc_term *terms, int64_t first, int64_t end, double dt) {
    for (int sample = 0; sample < 3; sample++) { /* the smallest distance; half the radius; the start of the step */
        for (int64_t k = first; k < end; k++) {
            double r = terms[k].radius, start = fmax(terms[k].of_start + r, 0);
            b->distance.data[k] = sample == 0 ? MUS_OGC_LEAST * r : sample == 1 ? 0.5 * r : start;
            b->slip.data[k] = 0;
        }
        mus_ogc_batch_run(b, terms, first, end, MUS_OGC_LEAST);
        for (int64_t k = first; k < end; k++) {
            if (!terms[k].law) continue;
            mus_status status = check(&terms[k], b->distance.data[k], 0, &b->value.data[k], dt);
            if (status == MUS_STATUS_OK && sample == 1) status = check_slip(&terms[k], b->distance.data[k]);
            if (status != MUS_STATUS_OK) return status;
            if (sample == 2) terms[k].friction_limit = terms[k].of_friction * fmax(0, b->value.data[k].normal_force);
        }
    }
    return MUS_STATUS_OK;
}
