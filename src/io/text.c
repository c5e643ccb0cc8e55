/* text.c: lines and words in place, and their quotation in messages. */
#include "io/text.h"

#include <string.h>

mus_text mus_text_begin(mus_file *file) {
    return (mus_text){.path = file->path, .at = file->data, .end = file->data + file->size, .line = 1};
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

char *mus_text_line(mus_text *text, bool continuation, int64_t *number) {
    if (text->at >= text->end) return NULL;
    char *line = text->at, *at = line;
    *number = text->line;
    bool comment = false;
    for (;; at++) {
        while (at < text->end && *at != '\n' && *at != '\r') {
            comment = comment || *at == '#';
            at++;
        }
        char *end = at;
        if (at < text->end) {
            bool pair = *at == '\r' && at[1] == '\n'; /* *end of the file is zero */
            text->line++;
            if (continuation && !comment && end > line && end[-1] == '\\') {
                end[-1] = ' ';
                *at = ' ';
                if (pair) *++at = ' ';
                continue;
            }
            at += pair ? 2 : 1;
        }
        *end = 0;
        text->at = at;
        return line;
    }
}

char *mus_text_word(mus_text *text, int64_t *number) {
    char *at = text->at;
    while (at < text->end && is_blank(*at)) {
        if (*at == '\n' || (*at == '\r' && at[1] != '\n')) text->line++;
        at++;
    }
    *number = text->line;
    char *word = at;
    while (at < text->end && !is_blank(*at)) at++;
    if (at < text->end) {
        if (*at == '\n' || (*at == '\r' && at[1] != '\n')) text->line++;
        *at++ = 0;
    }
    text->at = at;
    return *word || word < at ? word : NULL;
}

char *mus_line_word(char **at) {
    char *word = *at;
    while (is_blank(*word)) word++;
    if (!*word) return NULL;
    char *end = word;
    while (*end && !is_blank(*end)) end++;
    if (*end) *end++ = 0;
    *at = end;
    return word;
}

bool mus_word_integer(const char *word, int64_t least, int64_t most, int64_t *value) {
    bool negative = *word == '-';
    if (*word == '-' || *word == '+') word++;
    int64_t size = 0;
    if (!*word) return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9') return false;
        if (size > INT64_MAX / 100) return false;
        size = 10 * size + (*word - '0');
    }
    *value = negative ? -size : size;
    return *value >= least && *value <= most;
}

mus_excerpt mus_excerpt_of(const char *text) {
    mus_excerpt excerpt;
    size_t n = 0;
    for (; text[n] && n < 40; n++) {
        unsigned char c = (unsigned char)text[n];
        excerpt.text[n] = c < ' ' || c > '~' ? '?' : (char)c;
    }
    memcpy(excerpt.text + n, text[n] ? "..." : "", text[n] ? 4 : 1);
    return excerpt;
}
