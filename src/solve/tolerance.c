/* tolerance.c: the tolerance of a step: a number, by the distance from an eye, or a function of place. */
#include "solve/tolerance.h"
#include "base/range.h"
#include "base/word.h"

#include <string.h>

static mus_status check_distances(const mus_tolerances *t, const mus_assembly *a) {
    for (int32_t i = 0; i < a->vertex_count; i++) {
        double value = t->each.data[i];
        if (value > 0 && mus_is_value(value)) continue;
        v3 x = a->x0[i];
        return mus_program_fail(t->def.place,
                                "world: field 'tolerance' must give more than 0 m, and a finite number (got %s at {%g, "
                                "%g, %g}); bound it, as with muslin.max(value, 1e-4)",
                                mus_word_of_number(value).text, x.x, x.y, x.z);
    }
    return MUS_STATUS_OK;
}

static void evaluate_program(const mus_program *p, const mus_assembly *a, double time, double *registers,
                             double *each) {
    mus_program_begin(p, registers);
    for (int i = 0; mus_program_uses(p, MUS_INPUT_TIME) && i < MUS_TRACE_BLOCK; i++)
        mus_program_input(p, registers, MUS_INPUT_TIME)[i] = time;
    for (int32_t at = 0; at < a->vertex_count; at += MUS_TRACE_BLOCK) {
        int count = a->vertex_count - at < MUS_TRACE_BLOCK ? a->vertex_count - at : MUS_TRACE_BLOCK;
        for (int i = 0; i < count; i++) {
            const double place[3] = {a->x0[at + i].x, a->x0[at + i].y, a->x0[at + i].z};
            for (int k = 0; k < 3; k++)
                if (mus_program_uses(p, MUS_INPUT_POSITION + k))
                    mus_program_input(p, registers, MUS_INPUT_POSITION + k)[i] = place[k];
        }
        mus_program_block(p, registers, count);
        memcpy(each + at, mus_program_output(p, registers, 0), sizeof(double) * (size_t)count);
    }
}

mus_status mus_tolerances_begin(mus_tolerances *t, const mus_tolerance *def, const mus_assembly *a, double time) {
    t->def = *def;
    if (!def->place) return MUS_STATUS_OK;
    int64_t had = t->registers.capacity;
    int64_t room = (int64_t)((mus_program_memory_size(def->place) + MUS_TRACE_LINE) / sizeof(double));
    if (!mus_array_reserve(&t->each, a->vertex_count) || !mus_array_reserve(&t->registers, room))
        return MUS_STATUS_NO_MEMORY;
    if (t->registers.capacity > had) /* unused SIMD slots are computed too */
        memset(t->registers.data, 0, sizeof(double) * (size_t)t->registers.capacity);
    evaluate_program(def->place, a, time, mus_program_align(t->registers.data), t->each.data);
    return check_distances(t, a);
}

void mus_tolerances_free(mus_tolerances *t) {
    mus_array_free(&t->each);
    mus_array_free(&t->registers);
}

double mus_tolerances_distance(const mus_tolerances *t, const mus_assembly *a, const mus_candidate_pair *c) {
    double thickness = mus_candidate_pair_thickness(a, c), tolerance = t->def.least;
    if (t->def.place) {
        const double *each = t->each.data;
        tolerance = fmin(fmin(each[c->vertex[0]], each[c->vertex[1]]), fmin(each[c->vertex[2]], each[c->vertex[3]]));
    } else if (t->def.pixel > 0) {
        v3 away = v3_sub(a->x1[c->vertex[0]], v3_load(t->def.eye));
        tolerance = fmax(tolerance, t->def.pixel * v3_length(away));
    }
    return tolerance > 0 ? fmin(tolerance, thickness) : thickness;
}
