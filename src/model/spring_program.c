/* spring_program.c: spring laws as programs: evaluation for many springs, and energies by quadrature (Abramowitz &
 * Stegun 1964, table 25.4). */
#include "model/spring_program.h"
#include "base/word.h"
#include "model/order.h"

#include <math.h>

const char *mus_spring_kind_get_name(mus_spring_kind kind) {
    static const char *const names[MUS_SPRING_KIND_COUNT] = {"structural", "shear", "bend"};
    return (int)kind >= 0 && kind < MUS_SPRING_KIND_COUNT ? names[kind] : "unknown";
}

/* ---- set of laws ---- */

static mus_status find_or_create(mus_cloth *cloth, mus_spring_programs **out) {
    mus_spring_programs *p = cloth->spring_programs;
    if (!p) {
        p = mus_new(sizeof *p);
        mus_spring_value *value = mus_new(sizeof *value * (size_t)cloth->spring_count);
        if (!p || !value) {
            mus_free(p);
            mus_free(value);
            return MUS_STATUS_NO_MEMORY;
        }
        p->value = value;
        cloth->spring_programs = p;
    }
    *out = p;
    return MUS_STATUS_OK;
}

static mus_status reserve_arrays(mus_spring_programs *p, const mus_program *program) {
    size_t numbers = (mus_program_memory_size(program) + MUS_TRACE_LINE) / sizeof(double);
    if (numbers <= p->numbers) return MUS_STATUS_OK;
    double *memory = mus_new(sizeof *memory * numbers); /* zero: unused SIMD lanes are computed, too */
    if (!memory) return MUS_STATUS_NO_MEMORY;
    mus_free(p->memory);
    p->memory = memory, p->numbers = numbers;
    return MUS_STATUS_OK;
}

mus_status mus_spring_programs_set(mus_cloth *cloth, mus_spring_kind kind, mus_program *program, char *place) {
    mus_spring_programs *p = NULL;
    mus_status status = MUS_STATUS_OK;
    if (program || cloth->spring_programs) status = find_or_create(cloth, &p);
    if (status == MUS_STATUS_OK && program) status = reserve_arrays(p, program);
    if (status != MUS_STATUS_OK || !p) {
        mus_free(place);
        return status;
    }
    if (program) mus_program_retain(program);
    mus_program_release(p->of[kind]);
    mus_free(p->place[kind]);
    p->of[kind] = program, p->place[kind] = place, p->missing[kind] = false;
    return MUS_STATUS_OK;
}

mus_status mus_spring_programs_miss(mus_cloth *cloth, mus_spring_kind kind) {
    mus_spring_programs *p;
    mus_status status = find_or_create(cloth, &p);
    if (status == MUS_STATUS_OK) p->missing[kind] = true;
    return status;
}

void mus_spring_programs_free(mus_spring_programs *p) {
    if (!p) return;
    for (int k = 0; k < MUS_SPRING_KIND_COUNT; k++) {
        mus_program_release(p->of[k]);
        mus_free(p->place[k]);
    }
    mus_free(p->value);
    mus_free(p->memory);
    mus_free(p);
}

/* ---- evaluation ---- */

enum { POINTS = 5, PARTS = 4 };

/* Points and weights on [0, 1]. */
static const double point[POINTS] = {0.04691007703066800, 0.23076534494715846, 0.5, 0.76923465505284155,
                                     0.95308992296933200};
static const double weight[POINTS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                      0.23931433524968324, 0.11846344252809454};

typedef enum wanted { AT, BEGIN, WITHIN, WORK, ENERGY, STEEPEST } wanted;

typedef struct question {
    const mus_cloth *cloth;
    wanted wanted;
    const v3 *start, *x, *v;
    double dt, sum;
} question;

typedef struct sample {
    int32_t spring;
    double length, rate, share; /* share: quadrature weight, m */
} sample;

static double length_of(const mus_spring *s, const v3 *x) {
    return v3_length(v3_sub(x[s->a], x[s->b]));
}

/* Number of samples per spring. */
static int samples_of(wanted w) {
    static const int count[] = {
        [AT] = 1, [BEGIN] = 1, [WITHIN] = 1, [WORK] = POINTS, [ENERGY] = PARTS * POINTS, [STEEPEST] = 3};
    return count[w];
}

static sample sample_of(const question *q, int32_t k, int part) {
    const mus_spring *s = &q->cloth->springs[k];
    double length = length_of(s, q->x), before, from;
    int interval;
    sample one = {.spring = k, .length = length};
    switch (q->wanted) {
    case AT:
        if (length > 0) one.rate = v3_dot(v3_sub(q->x[s->a], q->x[s->b]), v3_sub(q->v[s->a], q->v[s->b])) / length;
        break;
    case BEGIN:
        break;
    case WITHIN:
        one.rate = (length - length_of(s, q->start)) / q->dt;
        break;
    case WORK:
        before = length_of(s, q->start);
        one.share = (length - before) * weight[part];
        one.rate = (length - before) * point[part] / q->dt;
        one.length = before + (length - before) * point[part];
        break;
    case ENERGY:
        interval = part / POINTS;
        from = s->rest + (length - s->rest) * interval / PARTS;
        one.share = (length - s->rest) / PARTS * weight[part % POINTS];
        one.length = from + (length - s->rest) / PARTS * point[part % POINTS];
        break;
    case STEEPEST:
        one.length = length * (1 + 0.1 * (part - 1));
        break;
    }
    return one;
}

/* Checks a law's values. The first that is not finite is stored, if `heeded`, and the spring is slack. */
static mus_spring_value checked_value(const mus_cloth *cloth, const sample *one, bool heeded, double tension,
                                      double slope, double damping) {
    mus_spring_programs *p = cloth->spring_programs;
    if (isfinite(tension) && isfinite(slope) && isfinite(damping))
        return (mus_spring_value){.tension = tension, .slope = slope, .damping = damping};
    if (!p->bad && heeded) {
        p->bad = true;
        p->bad_spring = one->spring, p->bad_length = one->length, p->bad_rate = one->rate;
        p->wrong = !isfinite(tension) ? tension : !isfinite(slope) ? slope : damping;
    }
    return (mus_spring_value){.tension = 0};
}

static void take_value(question *q, const sample *one, mus_spring_value value) {
    mus_spring_value *to = &q->cloth->spring_programs->value[one->spring];
    switch (q->wanted) {
    case AT:
        to->tension = value.tension, to->slope = fmax(0, value.slope), to->damping = fmax(0, value.damping);
        break;
    case BEGIN:
        to->firm = fmax(0, value.slope);
        break;
    case WITHIN:
        to->tension = value.tension, to->slope = fmax(0, value.slope + value.damping / q->dt), to->damping = 0;
        break;
    case WORK:
    case ENERGY:
        q->sum += one->share * value.tension;
        break;
    case STEEPEST:
        to->slope = fmax(to->slope, value.slope), to->damping = fmax(to->damping, value.damping);
        break;
    }
}

static void put_input(const mus_program *p, double *registers, int32_t slot, int at, double value) {
    if (mus_program_uses(p, slot)) mus_program_input(p, registers, slot)[at] = value;
}

static void evaluate_batch(question *q, const mus_program *p, double *registers, const sample *in, int count) {
    mus_program_block(p, registers, count);
    const double *out[3];
    for (int j = 0; j < 3; j++) out[j] = mus_program_output(p, registers, j);
    bool heeded = q->wanted != STEEPEST; /* the lengths of its samples may never occur */
    for (int i = 0; i < count; i++)
        take_value(q, &in[i], checked_value(q->cloth, &in[i], heeded, out[0][i], out[1][i], out[2][i]));
}

static void evaluate_query(question *q) {
    const mus_cloth *cloth = q->cloth;
    mus_spring_programs *all = cloth->spring_programs;
    for (int kind = 0; all && kind < MUS_SPRING_KIND_COUNT; kind++) {
        const mus_program *p = all->of[kind];
        if (!p) continue;
        double *registers = mus_program_align(all->memory);
        sample in[MUS_TRACE_BLOCK];
        int count = 0;
        mus_program_begin(p, registers);
        for (int32_t k = 0; k < cloth->spring_count; k++) {
            if ((int)cloth->springs[k].kind != kind) continue;
            if (q->wanted == STEEPEST) all->value[k].slope = all->value[k].damping = 0;
            for (int part = 0; part < samples_of(q->wanted); part++) {
                in[count] = sample_of(q, k, part);
                put_input(p, registers, MUS_INPUT_LENGTH, count, in[count].length);
                put_input(p, registers, MUS_INPUT_REST, count, cloth->springs[k].rest);
                put_input(p, registers, MUS_INPUT_RATE, count, in[count].rate);
                if (++count < MUS_TRACE_BLOCK) continue;
                evaluate_batch(q, p, registers, in, count);
                count = 0;
            }
        }
        if (count) evaluate_batch(q, p, registers, in, count);
    }
}

void mus_spring_programs_at(const mus_cloth *cloth, const v3 *x, const v3 *v) {
    evaluate_query(&(question){.cloth = cloth, .wanted = AT, .x = x, .v = v});
}

void mus_spring_programs_begin(const mus_cloth *cloth, const v3 *start) {
    evaluate_query(&(question){.cloth = cloth, .wanted = BEGIN, .x = start});
}

void mus_spring_programs_within(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt) {
    evaluate_query(&(question){.cloth = cloth, .wanted = WITHIN, .start = start, .x = x, .dt = dt});
}

mus_spring_value mus_spring_program_one(const mus_cloth *cloth, int32_t k, double length, double before, double dt) {
    const mus_spring *s = &cloth->springs[k];
    sample one = {.spring = k, .length = length, .rate = (length - before) / dt};
    double inputs[MUS_INPUT_COUNT] = {0}, out[3];
    inputs[MUS_INPUT_LENGTH] = length, inputs[MUS_INPUT_REST] = s->rest, inputs[MUS_INPUT_RATE] = one.rate;
    mus_program_one(cloth->spring_programs->of[s->kind], inputs, out);
    mus_spring_value v = checked_value(cloth, &one, true, out[0], out[1], out[2]);
    v.firm = fmax(0, v.slope), v.slope = fmax(0, v.slope + v.damping / dt), v.damping = 0;
    return v;
}

double mus_spring_programs_work(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt) {
    question q = {.cloth = cloth, .wanted = WORK, .start = start, .x = x, .dt = dt};
    evaluate_query(&q);
    return q.sum;
}

double mus_spring_programs_energy(const mus_cloth *cloth, const v3 *x) {
    question q = {.cloth = cloth, .wanted = ENERGY, .x = x};
    evaluate_query(&q);
    return q.sum;
}

void mus_spring_programs_steepest(const mus_cloth *cloth, const v3 *x) {
    evaluate_query(&(question){.cloth = cloth, .wanted = STEEPEST, .x = x});
}

mus_status mus_spring_programs_check(const mus_cloth *cloth) {
    mus_spring_programs *p = cloth->spring_programs;
    if (!p || !p->bad) return MUS_STATUS_OK;
    const mus_spring *s = &cloth->springs[p->bad_spring];
    const char *place = p->place[s->kind];
    p->bad = false;
    return mus_fail(
        MUS_STATUS_INVALID,
        "%s%sspring law: the function must give a finite tension with finite derivatives (got %s for the %s "
        "spring between vertices %d and %d of cloth '%s', length %g m, at rest %g m, rate %g m/s); keep "
        "divisors and roots off 0",
        place ? place : "", place ? ": " : "", mus_word_of_number(p->wrong).text,
        mus_spring_kind_get_name((mus_spring_kind)s->kind), mus_cloth_given_vertex(cloth, s->a) + 1,
        mus_cloth_given_vertex(cloth, (int32_t)s->b) + 1, cloth->name, p->bad_length, s->rest, p->bad_rate);
}
