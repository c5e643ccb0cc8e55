/* doc_book.c: the whole reference as one page of HTML, which needs no network, and as Markdown. */
#include "doc/doc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Files included in the page: scripts/reference/page.css and search.js. */
typedef struct page_files {
    char *style, *search;
} page_files;

/* The part between signature and example. */
static void find_body(const doc_entry *e, const char **text, size_t *size) {
    const char *from = e->text + e->signature;
    while (*from == '\n') from++;
    const char *to = e->example ? e->text + e->example : e->text + strlen(e->text);
    while (to > from && to[-1] == '\n') to--;
    *text = from;
    *size = (size_t)(to - from);
}

static bool is_lua(const doc_entry *e) {
    return strcmp(e->kind, "lua") == 0;
}

/* ---- Links ------------------------------------------------------------------------------------------------------- */

/* Letters and digits, everything else as a dash; the kind is included, as stages and presets may share a name. */
void doc_write_anchor(FILE *out, const doc_entry *e) {
    fprintf(out, "%s-", e->kind);
    for (const char *s = e->name; *s; s++) fputc(isalnum((unsigned char)*s) ? *s : '-', out);
}

static void write_chapter_anchor(FILE *out, const doc_chapter *c) {
    fputs("chapter-", out);
    for (const char *s = c->title; *s; s++) fputc(isalnum((unsigned char)*s) ? tolower((unsigned char)*s) : '-', out);
}

static bool is_called(const doc_entry *e, const char *name, size_t size) {
    return strlen(e->name) == size && memcmp(e->name, name, size) == 0;
}

const doc_entry *doc_find_link(const doc_reference *r, const char *name, size_t size, bool quoted) {
    static const char module[] = "muslin.";
    const doc_entry *found = NULL;
    for (int k = 0; k < r->count; k++) {
        const doc_entry *e = &r->entries[k];
        bool plain = is_lua(e) || strcmp(e->kind, "topic") == 0;
        if (plain == quoted) continue;
        if (is_called(e, name, size)) {
            /* "none" is a stage of several kinds: a link to one would mislead. */
            if (found && strcmp(e->kind, found->kind) != 0 && strcmp(found->kind, "preset") != 0) return NULL;
            if (!found) found = e;
        }
        if (!found && !quoted && memchr(name, '.', size) && strncmp(e->name, module, strlen(module)) == 0 &&
            strlen(e->name) == strlen(module) + size && memcmp(e->name + strlen(module), name, size) == 0)
            found = e; /* "mesh.grid" is "muslin.mesh.grid" */
    }
    return found;
}

/* ---- HTML -------------------------------------------------------------------------------------------------------- */

static void write_html_entry(FILE *out, const doc_reference *r, const doc_entry *e) {
    const char *text;
    size_t size;
    find_body(e, &text, &size);
    fputs("<section id=\"", out);
    doc_write_anchor(out, e);
    if (e->words) {
        fputs("\" data-words=\"", out);
        doc_write_escaped(out, e->words, strlen(e->words));
    }
    fputs("\"><h3>", out);
    doc_write_escaped(out, e->name, strlen(e->name));
    if (!is_lua(e)) fprintf(out, " <small>%s</small>", e->kind);
    fputs("</h3>\n", out);
    if (e->signature) {
        fputs("<pre class=\"signature\">", out);
        doc_write_escaped(out, e->text, (size_t)e->signature);
        fputs("</pre>\n", out);
    }
    doc_write_text(out, r, e, text, size);
    if (e->picture) fprintf(out, "<figure>%s</figure>\n", e->picture);
    if (e->example) {
        fputs("<pre class=\"example\">", out);
        doc_write_code(out, r, e, e->text + e->example, strlen(e->text + e->example));
        fputs("</pre>\n", out);
    }
    fputs("</section>\n", out);
}

static void write_contents(FILE *out, const doc_reference *r) {
    for (int c = 0; c < r->chapter_count; c++) {
        fputs("<b><a href=\"#", out);
        write_chapter_anchor(out, &r->chapters[c]);
        fprintf(out, "\">%s</a></b>\n", r->chapters[c].title);
        for (int k = 0; k < r->count; k++) {
            const doc_entry *e = &r->entries[k];
            if (e->chapter != c) continue;
            fputs("<a href=\"#", out);
            doc_write_anchor(out, e);
            fputs("\">", out);
            doc_write_escaped(out, e->name, strlen(e->name));
            fputs("</a>\n", out);
        }
    }
}

static void write_html(FILE *out, const doc_reference *r, const page_files *files) {
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>muslin %s: reference</title>\n"
            "<meta name=\"viewport\" content=\"width=device-width\"><style>\n%s</style></head><body>\n<nav>muslin %s\n"
            "<input id=\"search\" type=\"search\" placeholder=\"search (/)\" aria-label=\"search\">\n"
            "<ol id=\"found\" hidden></ol>\n<div id=\"contents\">\n",
            MUS_VERSION, files->style, MUS_VERSION);
    write_contents(out, r);
    fputs("</div></nav>\n<main><h1>Reference</h1>\n<p>Units are SI, y is up, indices count from 1. Options are one "
          "table; an "
          "unknown key is an error that names the nearest one.</p>\n",
          out);
    for (int c = 0; c < r->chapter_count; c++) {
        fputs("<h2 id=\"", out);
        write_chapter_anchor(out, &r->chapters[c]);
        fprintf(out, "\">%s</h2>\n", r->chapters[c].title);
        doc_write_text(out, r, NULL, r->chapters[c].about, strlen(r->chapters[c].about));
        for (int k = 0; k < r->count; k++)
            if (r->entries[k].chapter == c) write_html_entry(out, r, &r->entries[k]);
    }
    fprintf(out, "</main>\n<script>\n%s</script>\n</body></html>\n", files->search);
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

static void write_fenced(FILE *out, const char *language, const char *text, size_t size) {
    fprintf(out, "\n```%s\n%.*s\n```\n", language, (int)size, text);
}

static void write_markdown(FILE *out, const doc_reference *r, const page_files *files) {
    (void)files;
    fprintf(out,
            "# Reference of muslin %s\n\nUnits are SI, y is up, indices count from 1. Options are one table; an "
            "unknown key is an error that names the nearest one.\n",
            MUS_VERSION);
    for (int c = 0; c < r->chapter_count; c++) {
        fprintf(out, "\n## %s\n\n%s\n", r->chapters[c].title, r->chapters[c].about);
        for (int k = 0; k < r->count; k++) {
            const doc_entry *e = &r->entries[k];
            const char *text;
            size_t size;
            if (e->chapter != c) continue;
            find_body(e, &text, &size);
            fprintf(out, "\n### `%s`", e->name);
            if (!is_lua(e)) fprintf(out, " (%s)", e->kind);
            fputc('\n', out);
            if (e->signature) write_fenced(out, "lua", e->text, (size_t)e->signature);
            if (memchr(text, '\n', size))
                write_fenced(out, "text", text, size); /* laid out in columns */
            else
                fprintf(out, "\n%.*s\n", (int)size, text);
            if (e->example) write_fenced(out, "lua", e->text + e->example, strlen(e->text + e->example));
        }
    }
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static bool write_page(const doc_reference *r, const page_files *files, const char *folder, const char *name,
                       void (*page)(FILE *, const doc_reference *, const page_files *)) {
    char *text = NULL, *path = app_format("%s/%s", folder, name);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool ok = out && path;
    if (out) {
        page(out, r, files);
        ok = fclose(out) == 0 && ok;
    }
    if (!ok) app_error("no memory for the reference");
    if (ok && app_write_file(path, text, size) != MUS_STATUS_OK) {
        app_error("%s", mus_get_error_message());
        ok = false;
    }
    if (ok) printf("%s\n", path);
    free(text);
    free(path);
    return ok;
}

int doc_write_book(const doc_reference *reference, const char *folder) {
    if (!app_make_folder(folder)) {
        app_error("%s: cannot be made: %s", folder, strerror(errno));
        return APP_ERROR;
    }
    page_files files = {app_script_text("reference/page.css"), NULL};
    if (files.style) files.search = app_script_text("reference/search.js");
    if (!files.search) app_error("%s", mus_get_error_message());
    bool ok = files.style && files.search && write_page(reference, &files, folder, "index.html", write_html);
    ok = ok && write_page(reference, &files, folder, "reference.md", write_markdown);
    free(files.style);
    free(files.search);
    return ok ? APP_OK : APP_ERROR;
}
