/* spring_program.h: springs whose tension a traced function says: asked for all of a cloth at once, a block at a time,
 * or one by one. */
#ifndef MUS_MODEL_SPRING_PROGRAM_H
#define MUS_MODEL_SPRING_PROGRAM_H

#include "model/cloth.h"
#include "trace/program.h"

/* What a law said of a spring when it was asked last. */
typedef struct mus_spring_value {
    double tension; /* N */
    double slope;   /* N/m: its derivative by length, */
    double damping; /* N s/m: and by rate; neither ever below 0 */
    double firm;    /* N/m: the slope where the step began, at rest: what damping goes by within it */
} mus_spring_value;

struct mus_spring_programs {
    mus_program *of[MUS_SPRING_KINDS];  /* held; NULL: the material's constants */
    char *place[MUS_SPRING_KINDS];      /* where it was written, for messages; may be NULL */
    bool missing[MUS_SPRING_KINDS];     /* a file could not hold it */
    mus_spring_value *value;            /* one a spring */
    double *room;                       /* registers: */
    size_t numbers;                     /* so many */
    bool bad;                           /* a law said what is no number: the first time of */
    int32_t bad_spring;                 /* this spring, */
    double bad_length, bad_rate, wrong; /* where it had these, and said this */
};

/* Takes over `place`, holds the program (NULL: none any more). The cloth has springs of the kind. */
mus_status mus_spring_programs_set(mus_cloth *cloth, mus_spring_kind kind, mus_program *program, char *place);
/* There was one in the saved world. */
mus_status mus_spring_programs_miss(mus_cloth *cloth, mus_spring_kind kind);
void mus_spring_programs_free(mus_spring_programs *programs); /* NULL is allowed */

/* Of a spring with a law of its own; else NULL. */
static inline mus_spring_value *mus_spring_value_of(const mus_cloth *cloth, int32_t spring) {
    mus_spring_programs *p = cloth->spring_programs;
    return p && p->of[cloth->springs[spring].kind] ? &p->value[spring] : NULL;
}
static inline bool mus_spring_programs_any(const mus_cloth *cloth) {
    return cloth->spring_programs != NULL;
}

/* Values at places x and velocities v. */
void mus_spring_programs_at(const mus_cloth *cloth, const v3 *x, const v3 *v);
/* A step begins at `start`: firmness. */
void mus_spring_programs_begin(const mus_cloth *cloth, const v3 *start);
/* Values at x at the end of a step of dt, whose rates are the changes of lengths over it: the tension is then a
 * function of the length alone, with the whole of its derivative in `slope`. */
void mus_spring_programs_within(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt);
/* The same of one spring, by the operations one by one. */
mus_spring_value mus_spring_program_one(const mus_cloth *cloth, int32_t spring, double length, double before,
                                        double dt);
/* J: what these tensions do on the way from `start` to x, by Gauss' rule of five points. */
double mus_spring_programs_work(const mus_cloth *cloth, const v3 *start, const v3 *x, double dt);
/* J: what tensions at no rate do from rest to x, by the same in four parts. */
double mus_spring_programs_energy(const mus_cloth *cloth, const v3 *x);
/* The steepest slopes and drags at lengths within a tenth of those at x, into the values. */
void mus_spring_programs_steepest(const mus_cloth *cloth, const v3 *x);

/* INVALID names the first spring of which a law has said what is no number since this was asked last. */
mus_status mus_spring_programs_check(const mus_cloth *cloth);

#endif
