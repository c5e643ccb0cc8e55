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

typedef struct mus_usda_property {
    char *name; /* with its namespaces: "primvars:st" */
    mus_usda_value value;
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
} mus_usda;

/* FORMAT with file, line and reason, also for what must be composed: sublayers, references, payloads, inherits,
 * specializes and variants. The caller frees `layer` also after a failure. */
mus_status mus_usda_parse(const mus_file *file, mus_usda *layer);
void mus_usda_free(mus_usda *layer);

/* The first of that name; NULL: there is none. */
const mus_usda_property *mus_usda_find(const mus_usda_prim *prim, const char *name);
bool mus_usda_has_schema(const mus_usda_prim *prim, const char *name);
/* The index of the prim at an absolute path such as "/frame/part_1"; -1: there is none. */
int32_t mus_usda_prim_at(const mus_usda *layer, const char *path);

#endif
