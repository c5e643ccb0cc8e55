/* spring_program.h: springs whose tension is a traced function: evaluated for all springs of a cloth at once, a block
 * at a time, or one by one. */
#ifndef MUS_MODEL_SPRING_PROGRAM_H
#define MUS_MODEL_SPRING_PROGRAM_H

#include "model/cloth.h"
#include "trace/program.h"

/* Results of a spring's last evaluation. */
typedef struct mus_spring_value {
    double tension; /* N */
    double slope;   /* N/m: its derivative by length, */
    double damping; /* N s/m: and by rate; neither is negative */
    double firm;    /* N/m: the slope at rate 0 at the start of the step: damping is proportional to it */
} mus_spring_value;

struct mus_spring_programs {
    mus_program *of[MUS_SPRING_KIND_COUNT]; /* with a reference count each; NULL: the material's constants */
    char *place[MUS_SPRING_KIND_COUNT];     /* source location, for messages; may be NULL */
    bool missing[MUS_SPRING_KIND_COUNT];    /* a file could not store it */
    mus_spring_value *value;                /* one per spring */
    double *memory;                         /* registers: */
    size_t numbers;                         /* count of numbers */
    bool bad;                               /* a law returned a value that is not finite: the first time for */
    int32_t bad_spring;                     /* this spring, */
    double bad_length, bad_rate, wrong;     /* at these, with this value */
};

/* Takes ownership of `place` and references the program (NULL: removes it). The cloth must have springs of the kind. */
mus_status mus_spring_programs_set(mus_cloth *cloth, mus_spring_kind kind, mus_program *program, char *place);
/* Records that a saved world had a program that its file could not store. */
mus_status mus_spring_programs_miss(mus_cloth *cloth, mus_spring_kind kind);
void mus_spring_programs_free(mus_spring_programs *programs); /* NULL is allowed */

/* Value of a spring with a law of its own; else NULL. */
static inline mus_spring_value *mus_spring_value_of(const mus_cloth *cloth, int32_t spring) {
    mus_spring_programs *p = cloth->spring_programs;
    return p && p->of[cloth->springs[spring].kind] ? &p->value[spring] : NULL;
}
static inline bool mus_spring_programs_any(const mus_cloth *cloth) {
    return cloth->spring_programs != NULL;
}

/* Values at positions x and velocities v. */
void mus_spring_programs_at(const mus_cloth *cloth, const v3 *x, const v3 *v);
/* Starts a step at `start`: sets `firm`. */
void mus_spring_programs_begin(const mus_cloth *cloth, const v3 *start);
/* Values at x at the end of a step of dt, with the changes of lengths over it for rates: the tension is then a
 * function of the length alone, with its whole derivative in `slope`. */
void mus_spring_programs_within(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt);
/* The same for one spring, evaluated without blocks. */
mus_spring_value mus_spring_program_one(const mus_cloth *cloth, int32_t spring, double length, double before,
                                        double dt);
/* J: work of these tensions from `start` to x, by Gauss quadrature with five points. */
double mus_spring_programs_work(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt);
/* J: work of tensions at rate 0 from rest to x, by the same in four intervals. */
double mus_spring_programs_energy(const mus_cloth *cloth, const v3 *x);
/* Stores the largest slopes and damping coefficients at lengths within a tenth of those at x in the values. */
void mus_spring_programs_steepest(const mus_cloth *cloth, const v3 *x);

/* INVALID reports the first spring whose law has returned a value that is not finite since the last call. */
mus_status mus_spring_programs_check(const mus_cloth *cloth);

#endif
