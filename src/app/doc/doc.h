/* doc.h: the reference as collected by doc.c: names, presets, stages, materials, topics. */
#ifndef MUS_APP_DOC_H
#define MUS_APP_DOC_H

#include "host.h"

/* One documented item. Strings are owned except `kind`. */
typedef struct doc_entry {
    char *name;
    const char *kind;       /* "lua", "topic", "preset", a stage's kind, "material" */
    char *line;             /* one-line summary, for lists */
    char *text;             /* the whole text: signature, description, example */
    int signature, example; /* length of the signature in `text` and start of its example, bytes; 0: none */
    int chapter;            /* index into the chapters */
    char *words;            /* additional search words, separated by spaces; NULL: none */
    char *picture;          /* SVG; NULL: none */
} doc_entry;

typedef struct doc_chapter {
    char *title, *about; /* owned; about: one sentence */
} doc_chapter;

typedef struct doc_reference {
    doc_entry *entries;
    int count, capacity;
    doc_chapter *chapters;
    int chapter_count;
    bool failed; /* memory ran out */
} doc_reference;

/* As much of a line as fits beside a name: its first sentence, or whole words. */
void doc_print_short(const char *line);

/* doc_search.c: prints the entries whose names or texts have all words of `wanted`, best first, a line each, and
 * returns their number; -1 without memory. */
int doc_search(const doc_reference *reference, const char *wanted);

/* doc_book.c: FOLDER/index.html and FOLDER/reference.md; reports errors and returns an exit code. */
int doc_write_book(const doc_reference *reference, const char *folder);

/* The entry that a text of the book names: "world:step", "muslin.rule", and in quotes stages, presets and materials.
 * NULL: none. `quoted`: the text was in quotes. */
const doc_entry *doc_find_link(const doc_reference *reference, const char *name, size_t size, bool quoted);
void doc_write_anchor(FILE *out, const doc_entry *entry); /* the id of its section */

/* doc_text.c: lays a text out as HTML. Lines broken by hand are joined to paragraphs, columns of names become
 * definition lists, tables are kept; names of other entries become links. */
void doc_write_text(FILE *out, const doc_reference *reference, const doc_entry *self, const char *text, size_t size);
/* The same for Lua code: line by line, with links. */
void doc_write_code(FILE *out, const doc_reference *reference, const doc_entry *self, const char *text, size_t size);
void doc_write_escaped(FILE *out, const char *text, size_t size);

#endif
