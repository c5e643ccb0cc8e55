/* doc_search.c: finds the entries of the reference that mention a word: `muslin doc WORD` when no entry has that name.
 */
#include "doc/doc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 8, WORD_SIZE = 48, MOST_SHOWN = 15 };

/* Scores of a word by the place of the match; a name scores higher than any text. */
enum { SCORE_NAME = 60, SCORE_NAME_PART = 40, SCORE_WORDS = 50, SCORE_LINE = 20, SCORE_TEXT = 2, MOST_TEXT_HITS = 5 };

typedef struct found_entry {
    const doc_entry *entry;
    int score, order;
    const char *place; /* first match in its text; NULL: in its summary line */
} found_entry;

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The first place at which a word of `text` begins with `word` (in lower case); NULL: none. */
static const char *find_word(const char *text, const char *word) {
    size_t size = strlen(word);
    for (const char *s = text; *s; s++) {
        if (s > text && is_letter(s[-1])) continue;
        if (strncasecmp(s, word, size) == 0) return s;
    }
    return NULL;
}

/* Removes common endings, so that "throwing" and "thrown" match "throw". */
static void cut_ending(char *word) {
    static const char *const endings[] = {"ing", "ed", "es", "s"};
    size_t size = strlen(word);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t n = strlen(endings[k]);
        if (size >= n + 4 && strcmp(word + size - n, endings[k]) == 0) {
            word[size - n] = 0;
            return;
        }
    }
}

static int split_words(const char *text, char words[MOST_WORDS][WORD_SIZE]) {
    int count = 0;
    while (*text && count < MOST_WORDS) {
        text += strspn(text, " \t");
        size_t size = strcspn(text, " \t"), kept = size < WORD_SIZE - 1 ? size : WORD_SIZE - 1;
        if (size == 0) break;
        for (size_t k = 0; k < kept; k++) words[count][k] = (char)tolower((unsigned char)text[k]);
        words[count][kept] = 0;
        cut_ending(words[count++]);
        text += size;
    }
    return count;
}

/* Score of one word; 0: not found in the entry. */
static int score_word(const doc_entry *e, const char *word, const char **place) {
    int score = 0;
    const char *at = find_word(e->name, word);
    if (at)
        score += is_letter(at[strlen(word)]) ? SCORE_NAME_PART : SCORE_NAME;
    else if (strcasestr(e->name, word))
        score += SCORE_NAME_PART;
    if (e->words && find_word(e->words, word)) score += SCORE_WORDS;
    if (find_word(e->line, word)) score += SCORE_LINE;
    const char *first = find_word(e->text, word);
    int hits = 0;
    for (const char *s = first; s && hits < MOST_TEXT_HITS; s = find_word(s + 1, word)) hits++;
    if (!*place && first && !find_word(e->line, word) && score < SCORE_NAME_PART) *place = first;
    return score + SCORE_TEXT * hits;
}

static int by_score(const void *a, const void *b) {
    const found_entry *x = a, *y = b;
    return x->score != y->score ? y->score - x->score : x->order - y->order;
}

/* The line of the text that contains the match. */
static void print_place(const doc_entry *e, const char *place) {
    const char *from = place, *to = place + strcspn(place, "\n");
    while (from > e->text && from[-1] != '\n') from--;
    while (*from == ' ') from++;
    /* A match far from the beginning is shown from the start of its sentence or the word before it. */
    enum { ROOM = 84, BEFORE = 30 };
    bool cut = false;
    if (place - from > ROOM - BEFORE) {
        from = place - BEFORE;
        while (from > e->text && from[-1] != ' ') from--;
        cut = true;
    }
    if (to - from > ROOM)
        for (to = from + ROOM; to > place + 1 && *to != ' '; to--) {
        }
    printf("%s%.*s%s\n", cut ? "... " : "", (int)(to - from), from, *to && *to != '\n' ? " ..." : "");
}

int doc_search(const doc_reference *r, const char *wanted) {
    char words[MOST_WORDS][WORD_SIZE];
    int word_count = split_words(wanted, words), count = 0;
    found_entry *found = calloc((size_t)r->count + 1, sizeof *found);
    if (!found) return -1;
    for (int k = 0; k < r->count && word_count > 0; k++) {
        found_entry f = {.entry = &r->entries[k], .order = k};
        bool all = true;
        for (int w = 0; w < word_count && all; w++) {
            int score = score_word(f.entry, words[w], &f.place);
            f.score += score;
            all = score > 0;
        }
        if (all) found[count++] = f;
    }
    qsort(found, (size_t)count, sizeof *found, by_score);
    if (count > 0)
        printf("nothing is called '%s'; %d %s it:\n", wanted, count, count == 1 ? "entry mentions" : "entries mention");
    for (int k = 0; k < count && k < MOST_SHOWN; k++) {
        char label[96];
        bool plain = strcmp(found[k].entry->kind, "lua") == 0;
        snprintf(label, sizeof label, "%s%s%s%s", found[k].entry->name, plain ? "" : " (",
                 plain ? "" : found[k].entry->kind, plain ? "" : ")");
        printf("  %-34s ", label);
        if (found[k].place)
            print_place(found[k].entry, found[k].place);
        else
            doc_print_short(found[k].entry->line);
    }
    if (count > MOST_SHOWN)
        printf("  and %d more; add words to narrow the search: muslin doc '%s ...'\n", count - MOST_SHOWN, wanted);
    free(found);
    return count;
}
