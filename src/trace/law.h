/* law.h: what a user sets in place of a built-in value or rule: a constant, a traced program or a callback. The kind is
 * decided once, by mus_law_of_*; whatever treats the kinds differently switches on it. */
#ifndef MUS_TRACE_LAW_H
#define MUS_TRACE_LAW_H

#include "trace/program.h"
#include "muslin/obstacle.h"

typedef enum mus_law_kind {
    MUS_LAW_NONE,     /* the built-in rule applies */
    MUS_LAW_CONSTANT, /* `value` */
    MUS_LAW_PROGRAM,  /* `program`: runs in blocks, without calls into the user's code */
    MUS_LAW_CALLBACK, /* `callback` with `user` */
    MUS_LAW_MISSING   /* a function of a saved world, to be set again before the world steps */
} mus_law_kind;

typedef struct mus_law {
    mus_law_kind kind;
    union {
        double value;
        mus_program *program;
        struct {
            union { /* by what the law is of */
                mus_rule_fn rule;
                mus_contact_law_fn coefficient;
                mus_motion_fn motion;
            } callback;
            void *user;
        };
    };
} mus_law;

/* The law that a pair of callback and user of muslin.h stands for; NULL: none. The program may be NULL, if the user's
 * is: callers refuse that. */
mus_law mus_law_of_rule(mus_rule_fn callback, void *user);
mus_law mus_law_of_coefficient(mus_contact_law_fn callback, void *user);
mus_law mus_law_of_motion(mus_motion_fn callback, void *user);
static inline mus_law mus_law_of_value(double value) {
    return (mus_law){.kind = MUS_LAW_CONSTANT, .value = value};
}
static inline mus_law mus_law_missing(void) {
    return (mus_law){.kind = MUS_LAW_MISSING};
}

/* Set as a function, though it may be missing. */
static inline bool mus_law_is_function(const mus_law *law) {
    return law->kind >= MUS_LAW_PROGRAM;
}

/* A user's contact energy: a program of muslin.potential. */
bool mus_law_is_energy(const mus_law *law);

/* Counts a reference to a law's program, and releases it. */
void mus_law_retain(const mus_law *law);
void mus_law_release(const mus_law *law);

#endif
