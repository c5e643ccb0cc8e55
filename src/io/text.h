/* text.h: iterates over the lines and words of a file in memory; words and lines are terminated by zero bytes in
 * place. */
#ifndef MUS_IO_TEXT_H
#define MUS_IO_TEXT_H

#include "io/file.h"

typedef struct mus_text {
    const char *path;
    char *at, *end; /* *end is zero */
    int64_t line;   /* of `at`, from 1 */
} mus_text;

mus_text mus_text_begin(mus_file *file);

/* The next line without its end (LF, CRLF or CR), or NULL at the file's end; `number` is its line's. With
 * `continuation` a backslash at the end of a line joins the next one to it, except after a #. */
char *mus_text_line(mus_text *text, bool continuation, int64_t *number);
/* The next word, across line ends, or NULL at the file's end; `number` is its line's. */
char *mus_text_word(mus_text *text, int64_t *number);
/* The next word of a line, or NULL; advances *at past it. */
char *mus_line_word(char **at);

/* A decimal integer that is the whole of `word`, within [least, most]. */
bool mus_word_integer(const char *word, int64_t least, int64_t most, int64_t *value);

/* Text of the file, printable in a message: at most 40 characters, without control characters. */
typedef struct mus_excerpt {
    char text[48];
} mus_excerpt;
mus_excerpt mus_excerpt_of(const char *text);

#endif
