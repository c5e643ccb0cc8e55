/* word.h: the nearest of some words, and numbers as words, for error messages. */
#ifndef MUS_BASE_WORD_H
#define MUS_BASE_WORD_H

/* The word of a NULL-terminated, non-empty list with the least edit distance; the first of equals. */
const char *mus_nearest_word(const char *word, const char *const *words);

/* A number as messages tell it: "not a number", whose sign means nothing, "infinite", "-infinite", or its digits. */
typedef struct mus_number_word {
    char text[32];
} mus_number_word;
mus_number_word mus_word_of_number(double value);

#endif
