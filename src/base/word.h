/* word.h: words in error messages. */
#ifndef MUS_BASE_WORD_H
#define MUS_BASE_WORD_H

/* What a message says behind a word that is none of a NULL-terminated list: " (did you mean 'x'?)", or what there is,
 * or nothing. */
typedef struct mus_word_hint {
    char text[512];
} mus_word_hint;
mus_word_hint mus_hint_of(const char *word, const char *const *words);

/* A number as messages tell it: "not a number", whose sign means nothing, "infinite", "-infinite", or its digits. */
typedef struct mus_number_word {
    char text[32];
} mus_number_word;
mus_number_word mus_word_of_number(double value);

#endif
