/* word.h: words in error messages. */
#ifndef MUS_BASE_WORD_H
#define MUS_BASE_WORD_H

#include <stdbool.h>

/* The end of a message about a word that is not in a NULL-terminated list: " (did you mean 'x'?)", or the words that
 * exist, or nothing. */
typedef struct mus_word_hint {
    char text[512];
} mus_word_hint;
mus_word_hint mus_hint_of(const char *word, const char *const *words);

/* A number as it appears in messages: "not a number" (without its meaningless sign), "infinite", "-infinite", or its
 * digits. */
typedef struct mus_number_word {
    char text[32];
} mus_number_word;
mus_number_word mus_word_of_number(double value);

/* Whether a name is read back unchanged from a line of a text file: not empty, no blanks at its ends, no control
 * characters, no backslash at its end, which would join two lines. NULL: false. */
bool mus_word_is_line(const char *name);

#endif
