/* word.c: edit distance (Levenshtein), two rows. */
#include "base/word.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static int edit_distance(const char *a, const char *b) {
    int row[LONGEST + 1];
    int m = (int)strnlen(a, LONGEST), n = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; i <= m; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const char *mus_nearest_word(const char *word, const char *const *words) {
    const char *nearest = words[0];
    int least = edit_distance(word, nearest);
    for (int k = 1; words[k]; k++) {
        int d = edit_distance(word, words[k]);
        if (d < least) least = d, nearest = words[k];
    }
    return nearest;
}

mus_number_word mus_word_of_number(double value) {
    mus_number_word word;
    if (isfinite(value))
        snprintf(word.text, sizeof word.text, "%g", value);
    else
        strcpy(word.text, isnan(value) ? "not a number" : value < 0 ? "-infinite" : "infinite");
    return word;
}
