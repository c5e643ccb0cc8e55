/* doc_text.c: the texts of the reference as HTML. They are written for a terminal: paragraphs broken by hand, names
 * and descriptions in columns, and tables. A browser wraps paragraphs, so only tables keep their lines. */
#include "doc/doc.h"

#include <ctype.h>
#include <string.h>

/* A line of a paragraph broken by hand is at least this long including the next word, which did not fit;
 * measured on scripts/reference.lua and topics.lua, whose lines are broken between 100 and 140 characters. */
enum { BROKEN_LINE_SIZE = 100 };
/* Names of definitions are shorter than this. */
enum { MOST_TERM_SIZE = 30 };

typedef struct text_line {
    const char *text;
    int size, indent;
    int column; /* of a definition: start of the description; 0: none */
    bool table; /* more columns than two */
} text_line;

typedef struct layout {
    FILE *out;
    const doc_reference *reference;
    const doc_entry *self;
} layout;

void doc_write_escaped(FILE *out, const char *text, size_t size) {
    for (size_t k = 0; k < size; k++) {
        switch (text[k]) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(text[k], out);
        }
    }
}

/* ---- Links ------------------------------------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_part(char c) {
    return is_letter(c) || isdigit((unsigned char)c);
}

/* "world:stats" of "world:stats().unresolved". */
static size_t measure_name(const char *s, const char *end) {
    const char *from = s;
    for (;;) {
        while (s < end && is_part(*s)) s++;
        if (s + 1 < end && (*s == '.' || *s == ':') && is_letter(s[1]))
            s++;
        else
            return (size_t)(s - from);
    }
}

static void write_link(const layout *l, const doc_entry *target, const char *text, size_t size) {
    if (!target || target == l->self) {
        doc_write_escaped(l->out, text, size);
        return;
    }
    fputs("<a href=\"#", l->out);
    doc_write_anchor(l->out, target);
    fputs("\">", l->out);
    doc_write_escaped(l->out, text, size);
    fputs("</a>", l->out);
}

static void write_linked(const layout *l, const char *text, size_t size) {
    const char *end = text + size;
    for (const char *s = text; s < end;) {
        if (*s == '"') { /* "robust": quotes stay outside of the link */
            const char *close = memchr(s + 1, '"', (size_t)(end - s - 1));
            const doc_entry *target = close ? doc_find_link(l->reference, s + 1, (size_t)(close - s - 1), true) : NULL;
            fputs("&quot;", l->out);
            s++;
            if (!target) continue;
            write_link(l, target, s, (size_t)(close - s));
            s = close;
        } else if (is_letter(*s) && (s == text || !is_part(s[-1]))) {
            size_t n = measure_name(s, end);
            /* Topics are ordinary words, and are linked only where the text refers to them. */
            bool referred = (s - text >= 4 && (memcmp(s - 4, "see ", 4) == 0 || memcmp(s - 4, "doc ", 4) == 0)) ||
                            memchr(s, '.', n) || memchr(s, ':', n);
            write_link(l, referred ? doc_find_link(l->reference, s, n, false) : NULL, s, n);
            s += n;
        } else {
            doc_write_escaped(l->out, s++, 1);
        }
    }
}

void doc_write_code(FILE *out, const doc_reference *reference, const doc_entry *self, const char *text, size_t size) {
    layout l = {out, reference, self};
    write_linked(&l, text, size);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static text_line read_line(const char *text, const char *end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    text_line line = {.text = text, .size = (int)((stop ? stop : end) - text)};
    while (line.indent < line.size && text[line.indent] == ' ') line.indent++;
    int spaces = 0;
    for (int k = line.indent; k < line.size; k++) {
        if (text[k] == ' ') {
            spaces++;
            continue;
        }
        if (spaces >= 2 && line.column == 0)
            line.column = k <= MOST_TERM_SIZE && line.indent == 0 ? k : -1;
        else if (spaces >= 3)
            line.table = true;
        spaces = 0;
    }
    if (line.column < 0) line.column = 0, line.table = true;
    return line;
}

static const char *next_line(const text_line *line, const char *end) {
    const char *next = line->text + line->size + 1;
    return next < end ? next : end;
}

/* Whether `next` continues the paragraph of `line`, as its first word did not fit there. */
static bool continues_paragraph(const text_line *line, const text_line *next) {
    int word = 0;
    while (next->indent + word < next->size && next->text[next->indent + word] != ' ') word++;
    return line->size + 1 + word > BROKEN_LINE_SIZE;
}

static bool is_bullet(const text_line *line) {
    return line->indent == 0 && line->size > 2 && memcmp(line->text, "- ", 2) == 0;
}

static bool is_prose(const text_line *line) {
    return line->size > 0 && line->indent == 0 && line->column == 0 && !line->table && !is_bullet(line);
}

/* ---- Blocks: each writes from `text` and returns where the next one begins
 * -------------------------------------------
 */

static const char *write_paragraph(const layout *l, const char *text, const char *end) {
    fputs("<p>", l->out);
    text_line line = read_line(text, end);
    for (;;) {
        write_linked(l, line.text, (size_t)line.size);
        text = next_line(&line, end);
        text_line next = text < end ? read_line(text, end) : (text_line){0};
        if (text >= end || !is_prose(&next)) break;
        fputs(continues_paragraph(&line, &next) ? "\n" : "<br>\n", l->out);
        line = next;
    }
    fputs("</p>\n", l->out);
    return text;
}

static const char *write_bullets(const layout *l, const char *text, const char *end) {
    fputs("<ul>\n", l->out);
    text_line line = read_line(text, end);
    while (text < end && is_bullet(&line)) {
        fputs("<li>", l->out);
        write_linked(l, line.text + 2, (size_t)line.size - 2);
        for (text = next_line(&line, end); text < end; text = next_line(&line, end)) {
            line = read_line(text, end);
            if (line.size == 0 || line.indent != 2) break;
            fputc('\n', l->out);
            write_linked(l, line.text + 2, (size_t)line.size - 2);
        }
        fputs("</li>\n", l->out);
    }
    fputs("</ul>\n", l->out);
    return text;
}

/* The end of a definition and its continuation lines; NULL: they are not aligned with it, so it is a table. */
static const char *skip_definition(const char *text, const char *end) {
    text_line first = read_line(text, end);
    if (first.column == 0 || first.table) return NULL;
    for (text = next_line(&first, end); text < end;) {
        text_line line = read_line(text, end);
        if (line.size == 0 || line.indent == 0) break;
        if (line.indent != first.column) return NULL;
        text = next_line(&line, end);
    }
    return text;
}

static const char *write_definitions(const layout *l, const char *text, const char *end) {
    fputs("<dl>\n", l->out);
    for (const char *stop; text < end && (stop = skip_definition(text, end)); text = stop) {
        text_line line = read_line(text, end);
        int term = line.column;
        while (term > 0 && line.text[term - 1] == ' ') term--;
        fputs("<dt>", l->out);
        doc_write_escaped(l->out, line.text, (size_t)term);
        fputs("</dt><dd>", l->out);
        const char *what = line.text + line.column;
        size_t size = (size_t)(line.size - line.column);
        const doc_entry *stage = doc_find_link(l->reference, what, size, true);
        if (stage)
            write_link(l, stage, what, size);
        else
            write_linked(l, what, size);
        for (text = next_line(&line, end); text < stop; text = next_line(&line, end)) {
            line = read_line(text, end);
            fputc('\n', l->out);
            write_linked(l, line.text + line.indent, (size_t)(line.size - line.indent));
        }
        fputs("</dd>\n", l->out);
    }
    fputs("</dl>\n", l->out);
    return text;
}

static const char *write_table(const layout *l, const char *text, const char *end) {
    fputs("<pre>", l->out);
    for (bool first = true; text < end; first = false) {
        text_line line = read_line(text, end);
        if (line.size == 0 || (!first && is_prose(&line)) || is_bullet(&line)) break;
        if (!first && line.indent == 0 && skip_definition(text, end)) break;
        if (!first) fputc('\n', l->out);
        write_linked(l, line.text, (size_t)line.size);
        text = next_line(&line, end);
    }
    fputs("</pre>\n", l->out);
    return text;
}

void doc_write_text(FILE *out, const doc_reference *reference, const doc_entry *self, const char *text, size_t size) {
    layout l = {out, reference, self};
    for (const char *end = text + size; text < end;) {
        text_line line = read_line(text, end);
        if (line.size == 0)
            text = next_line(&line, end);
        else if (is_bullet(&line))
            text = write_bullets(&l, text, end);
        else if (is_prose(&line))
            text = write_paragraph(&l, text, end);
        else if (skip_definition(text, end))
            text = write_definitions(&l, text, end);
        else
            text = write_table(&l, text, end);
    }
}
