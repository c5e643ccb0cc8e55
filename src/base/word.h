/* word.h: the nearest of some words, for error messages. */
#ifndef MUS_BASE_WORD_H
#define MUS_BASE_WORD_H

/* The word of a NULL-terminated, non-empty list with the least edit distance; the first of equals. */
const char *mus_nearest_word(const char *word, const char *const *words);

#endif
