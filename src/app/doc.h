/* doc.h: the reference as doc.c gathers it: names, presets, stages, materials, topics. */
#ifndef MUS_APP_DOC_H
#define MUS_APP_DOC_H

#include "host.h"

/* One thing that has documentation. */
typedef struct doc_entry {
    char *name;
    const char *kind;       /* "lua", "topic", "preset", a stage's kind, "material" */
    char *line;             /* what it is, one line: of lists */
    char *text;             /* all there is to say */
    int signature, example; /* bytes of `text` that its signature has, and from which its example stands; 0: none */
} doc_entry;

typedef struct doc_reference {
    doc_entry *entries;
    int count, capacity;
    bool failed;
} doc_reference;

/* doc_book.c: FOLDER/index.html and FOLDER/reference.md; tells what went wrong and returns an exit code. */
int doc_write_book(const doc_reference *reference, const char *folder);

#endif
