/* usda.h: layers of Universal Scene Description in text (.usda) as a tree of prims: what the file itself has, without
 * the composition of layers. */
#ifndef MUS_IO_USDA_H
#define MUS_IO_USDA_H

#include "base/memory.h"
#include "io/file.h"

/* A value: numbers of (nested) tuples and lists one after the other (true is 1), or texts: of strings, tokens, paths
 * and assets. Of time samples the first. */
typedef struct mus_usda_value {
    MUS_ARRAY(double) numbers;
    MUS_ARRAY(char *) texts;
} mus_usda_value;

/* One of the samples of a property over time: numbers of `sampled`. */
typedef struct mus_usda_sample {
    double time; /* time code, greater than that of the sample before */
    int64_t begin, count;
} mus_usda_sample;

typedef struct mus_usda_property {
    char *name; /* with its namespaces: "primvars:st" */
    mus_usda_value value;
    MUS_ARRAY(mus_usda_sample) samples; /* of numbers; none: it is constant */
    MUS_ARRAY(double) sampled;
    char *interpolation; /* of its metadata; NULL: none */
    int64_t line;
} mus_usda_property;

typedef struct mus_usda_prim {
    char *type, *name;          /* type "" without one */
    int32_t parent;             /* index of a prim that comes before it; -1: none */
    MUS_ARRAY(char *) schemas;  /* applied ones */
    bool inactive, is_abstract; /* `active = false`; a class or an over */
    MUS_ARRAY(mus_usda_property) properties;
    int64_t line;
} mus_usda_prim;

typedef struct mus_usda {
    MUS_ARRAY(mus_usda_prim) prims; /* in the order of the file */
    double meters_per_unit;         /* 0.01 by default */
    double kilograms_per_unit;      /* 1 by default */
    bool z_up;                      /* y by default */
    double codes_per_second;        /* timeCodesPerSecond; 24 by default */
    double start_code, end_code;    /* startTimeCode and endTimeCode; NaN: not given */
} mus_usda;

/* FORMAT with file, line and reason, also for what must be composed: sublayers, references, payloads, inherits,
 * specializes and variants. The caller frees `layer` also after a failure. */
mus_status mus_usda_parse(const mus_file *file, mus_usda *layer);
void mus_usda_free(mus_usda *layer);

/* The property of that name, the one without samples if there are both; NULL: there is none. */
const mus_usda_property *mus_usda_find(const mus_usda_prim *prim, const char *name);
bool mus_usda_has_schema(const mus_usda_prim *prim, const char *name);
/* The property with samples if there is one, else the first. */
const mus_usda_property *mus_usda_find_sampled(const mus_usda_prim *prim, const char *name);
/* The samples around a time code, `share` 0..1 of the way from one to the next; 0 unless they have as many numbers.
 * NaN: `value`. */
typedef struct mus_usda_span {
    const double *before, *after;
    int64_t count; /* of the numbers */
    double share;
} mus_usda_span;
mus_usda_span mus_usda_span_at(const mus_usda_property *property, double time);
/* Its numbers at a time code, linear between samples with as many numbers, else those of the earlier one; NaN: `value`.
 * They stay in the property, or are computed in *room, which grows. NULL: no memory. */
typedef struct mus_usda_room {
    MUS_ARRAY(double) numbers;
} mus_usda_room;
const double *mus_usda_numbers_at(const mus_usda_property *property, double time, mus_usda_room *room, int64_t *count);
/* The index of the prim at a path such as "/frame/part_1", or "../part_1" from the prim `from`; -1: there is none. */
int32_t mus_usda_prim_at(const mus_usda *layer, int32_t from, const char *path);

#endif
