/* word.c: words in messages: suggestions for unknown words, and numbers as words. */
#include "base/word.h"
#include "muslin/host.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 48 };

/* Edit distance with swaps of neighbors (optimal string alignment), ignoring case; -1 for words longer than names. */
static int edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_WORD || m > LONGEST_WORD) return -1;
    int row[3][LONGEST_WORD + 1];
    int *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= m; j++) last[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int ai = tolower((unsigned char)a[i - 1]), bj = tolower((unsigned char)b[j - 1]);
            int best = last[j - 1] + (ai != bj);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && ai == tolower((unsigned char)b[j - 2]) && bj == tolower((unsigned char)a[i - 2]) &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        int *oldest = before;
        before = last, last = now, now = oldest;
    }
    return last[m];
}

const char *mus_find_nearest_word(const char *word, const char *const *words) {
    const char *nearest = NULL;
    int best = 0;
    size_t length = strlen(word);
    for (; *words; words++) {
        int distance = edit_distance(word, *words);
        if (distance < 0) continue;
        /* A prefix ("thick") or a word with a superfluous ending ("dts") is near whatever its length; a word none of
         * whose letters remain is not. */
        size_t other = strlen(*words), shorter = length < other ? length : other;
        bool begun = shorter >= 3 && strncmp(word, *words, shorter) == 0;
        int longer = (int)(length > other ? length : other), allowed = longer / 3;
        if (!begun && (distance > (allowed > 1 ? allowed : 1) || distance == longer)) continue;
        if (begun && distance > 2) distance = 2;
        if (!nearest || distance < best) nearest = *words, best = distance;
    }
    return nearest;
}

mus_word_hint mus_hint_of(const char *word, const char *const *words) {
    mus_word_hint hint = {""};
    const char *nearest = mus_find_nearest_word(word, words);
    if (nearest) {
        snprintf(hint.text, sizeof hint.text, " (did you mean '%s'?)", nearest);
    } else if (*words) {
        const size_t room = sizeof hint.text - sizeof ", ...)";
        size_t used = (size_t)snprintf(hint.text, sizeof hint.text, " (there are:");
        bool all = true;
        for (const char *const *w = words; *w && all; w++) {
            all = used + strlen(*w) + 2 < room;
            used += (size_t)sprintf(hint.text + used, "%s %s", w == words ? "" : ",", all ? *w : "...");
        }
        memcpy(hint.text + used, ")", 2);
    }
    return hint;
}

mus_number_word mus_word_of_number(double value) {
    mus_number_word word;
    if (isfinite(value))
        snprintf(word.text, sizeof word.text, "%g", value);
    else
        snprintf(word.text, sizeof word.text, "%s",
                 isnan(value) ? "not a number"
                 : value < 0  ? "-infinite"
                              : "infinite");
    return word;
}

bool mus_word_is_line(const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || name[0] == ' ' || name[length - 1] == ' ' || name[length - 1] == '\\') return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127) return false;
    return true;
}
