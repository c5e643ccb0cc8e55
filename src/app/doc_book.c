/* doc_book.c: the whole reference as one page of HTML, which needs no network, and as Markdown. */
#include "doc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct chapter {
    const char *title, *kind, *prefix; /* prefix: of Lua names, up to their last mark; NULL: all of the kind */
} chapter;

static const chapter chapters[] = {{"The module", "lua", "muslin"},
                                   {"Meshes made and read", "lua", "muslin.mesh"},
                                   {"Materials by name", "lua", "muslin.material"},
                                   {"Continuous collision detection", "lua", "muslin.ccd"},
                                   {"Distances", "lua", "muslin.distance"},
                                   {"World", "lua", "world"},
                                   {"Cloth", "lua", "cloth"},
                                   {"Obstacle", "lua", "obstacle"},
                                   {"Mesh", "lua", "mesh"},
                                   {"Material", "lua", "material"},
                                   {"Response", "lua", "response"},
                                   {"Contact", "lua", "contact"},
                                   {"Contacts of a step", "lua", "contacts"},
                                   {"Array", "lua", "array"},
                                   {"Vector", "lua", "vec3"},
                                   {"Stream of random numbers", "lua", "stream"},
                                   {"Checks", "lua", "expectation"},
                                   {"Canvas", "lua", "canvas"},
                                   {"More names", "lua", NULL},
                                   {"Topics", "topic", NULL},
                                   {"Presets of pipelines", "preset", NULL},
                                   {"Stages", NULL, NULL},
                                   {"Materials", "material", NULL}};
enum { CHAPTERS = sizeof chapters / sizeof *chapters };

static bool has_prefix(const doc_entry *e, const char *prefix) {
    const char *last = e->name + strlen(e->name);
    while (last > e->name && !strchr(".:", *last)) last--;
    return (size_t)(last - e->name) == strlen(prefix) && strncmp(e->name, prefix, strlen(prefix)) == 0;
}

static bool is_of(const doc_entry *e, const chapter *c) {
    static const char *const kinds[] = {"lua", "topic", "preset", "material"};
    if (c->kind) return strcmp(e->kind, c->kind) == 0 && (!c->prefix || has_prefix(e, c->prefix));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(e->kind, kinds[k]) == 0) return false;
    return true;
}

/* The chapter that an entry stands in: the first that fits. */
static const chapter *chapter_of(const doc_entry *e) {
    const chapter *c = chapters;
    while (!is_of(e, c)) c++;
    return c;
}

/* ---- Text ---------------------------------------------------------------------------------------------------------
 */

static void html(FILE *out, const char *text, size_t size) {
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

/* For links: letters and digits, everything else as a dash; stages and presets may share a name, so the kind is in it.
 */
static void anchor(FILE *out, const doc_entry *e) {
    fprintf(out, "%s-", e->kind);
    for (const char *s = e->name; *s; s++) fputc(isalnum((unsigned char)*s) ? *s : '-', out);
}

static void chapter_anchor(FILE *out, const chapter *c) {
    fputs("chapter-", out);
    for (const char *s = c->title; *s; s++) fputc(isalnum((unsigned char)*s) ? tolower((unsigned char)*s) : '-', out);
}

/* What stands between signature and example. */
static void body(const doc_entry *e, const char **text, size_t *size) {
    const char *from = e->text + e->signature;
    while (*from == '\n') from++;
    const char *to = e->example ? e->text + e->example : e->text + strlen(e->text);
    while (to > from && to[-1] == '\n') to--;
    *text = from;
    *size = (size_t)(to - from);
}

/* ---- HTML ----------------------------------------------------------------------------------------------------------
 */

static const char STYLE[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:0;color:#21262d;background:#fff;display:grid;"
    "grid-template-columns:17rem minmax(0,54rem)}"
    "nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;box-sizing:border-box;background:#f6f7f9;"
    "font-size:13px}nav a{display:block;color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}"
    "nav b{display:block;margin-top:.8rem}main{padding:1rem 2rem}section{margin:0 0 1.4rem}"
    "h2{margin-top:2.5rem;border-bottom:1px solid #d5d9df}h3{margin:0;font:600 15px/1.4 ui-monospace,monospace}"
    "pre{font:13px/1.45 ui-monospace,monospace;margin:.3rem 0;white-space:pre-wrap}"
    "pre.example{background:#f6f7f9;padding:.5rem .7rem}small{color:#687080;font-weight:400}"
    "@media(max-width:50rem){body{display:block}nav{position:static;height:auto}}"
    "@media(prefers-color-scheme:dark){body{background:#16181c;color:#d7dbe0}nav,pre.example{background:#1f2227}}";

static void write_html_entry(FILE *out, const doc_entry *e) {
    const char *text;
    size_t size;
    body(e, &text, &size);
    fputs("<section id=\"", out);
    anchor(out, e);
    fputs("\"><h3>", out);
    html(out, e->name, strlen(e->name));
    if (strcmp(e->kind, "lua") != 0) fprintf(out, " <small>%s</small>", e->kind);
    fputs("</h3>\n", out);
    if (e->signature) {
        fputs("<pre><b>", out);
        html(out, e->text, (size_t)e->signature);
        fputs("</b></pre>\n", out);
    }
    fputs("<pre>", out);
    html(out, text, size);
    fputs("</pre>\n", out);
    if (e->example) {
        fputs("<pre class=\"example\">", out);
        html(out, e->text + e->example, strlen(e->text + e->example));
        fputs("</pre>\n", out);
    }
    fputs("</section>\n", out);
}

static void write_html(FILE *out, const doc_reference *r) {
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>muslin %s: reference</title>\n"
            "<meta name=\"viewport\" content=\"width=device-width\"><style>%s</style></head><body>\n<nav>muslin %s\n",
            MUS_VERSION, STYLE, MUS_VERSION);
    for (int c = 0; c < CHAPTERS; c++) {
        bool any = false;
        for (int k = 0; k < r->count; k++) {
            const doc_entry *e = &r->entries[k];
            if (chapter_of(e) != &chapters[c]) continue;
            if (!any) {
                fputs("<b><a href=\"#", out);
                chapter_anchor(out, &chapters[c]);
                fprintf(out, "\">%s</a></b>\n", chapters[c].title);
            }
            any = true;
            fputs("<a href=\"#", out);
            anchor(out, e);
            fputs("\">", out);
            html(out, e->name, strlen(e->name));
            fputs("</a>\n", out);
        }
    }
    fputs("</nav>\n<main><h1>Reference</h1>\n<p>Units are SI, y is up, indices count from 1. Options are one table; an "
          "unknown key is an error that names the nearest one.</p>\n",
          out);
    for (int c = 0; c < CHAPTERS; c++) {
        bool any = false;
        for (int k = 0; k < r->count; k++) {
            if (chapter_of(&r->entries[k]) != &chapters[c]) continue;
            if (!any) {
                fputs("<h2 id=\"", out);
                chapter_anchor(out, &chapters[c]);
                fprintf(out, "\">%s</h2>\n", chapters[c].title);
            }
            any = true;
            write_html_entry(out, &r->entries[k]);
        }
    }
    fputs("</main></body></html>\n", out);
}

/* ---- Markdown ------------------------------------------------------------------------------------------------------
 */

static void fenced(FILE *out, const char *language, const char *text, size_t size) {
    fprintf(out, "\n```%s\n%.*s\n```\n", language, (int)size, text);
}

static void write_markdown(FILE *out, const doc_reference *r) {
    fprintf(out,
            "# Reference of muslin %s\n\nUnits are SI, y is up, indices count from 1. Options are one table; an "
            "unknown key "
            "is an error that names the nearest one.\n",
            MUS_VERSION);
    for (int c = 0; c < CHAPTERS; c++) {
        bool any = false;
        for (int k = 0; k < r->count; k++) {
            const doc_entry *e = &r->entries[k];
            const char *text;
            size_t size;
            if (chapter_of(e) != &chapters[c]) continue;
            if (!any) fprintf(out, "\n## %s\n", chapters[c].title);
            any = true;
            body(e, &text, &size);
            fprintf(out, "\n### `%s`", e->name);
            if (!chapters[c].kind) fprintf(out, " (%s)", e->kind);
            fputc('\n', out);
            if (e->signature) fenced(out, "lua", e->text, (size_t)e->signature);
            if (memchr(text, '\n', size))
                fenced(out, "text", text, size); /* laid out in columns */
            else
                fprintf(out, "\n%.*s\n", (int)size, text);
            if (e->example) fenced(out, "lua", e->text + e->example, strlen(e->text + e->example));
        }
    }
}

/* ---- Files ---------------------------------------------------------------------------------------------------------
 */

static bool write_page(const doc_reference *r, const char *folder, const char *name,
                       void (*page)(FILE *, const doc_reference *)) {
    char *text = NULL, *path = app_format("%s/%s", folder, name);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool ok = out && path;
    if (out) {
        page(out, r);
        ok = fclose(out) == 0 && ok;
    }
    if (!ok) app_error("no memory for the reference");
    if (ok && app_write_file(path, text, size) != MUS_STATUS_OK) {
        app_error("%s", mus_error_message());
        ok = false;
    }
    if (ok) printf("%s\n", path);
    free(text);
    free(path);
    return ok;
}

/* With the folders above it, as `mkdir -p`. */
static bool make_folder(const char *folder) {
    char *path = strdup(folder);
    if (!path) return false;
    bool ok = true;
    for (char *s = path + 1; ok; s++) {
        char here = *s;
        if (here && here != '/') continue;
        *s = 0;
        ok = mkdir(path, 0777) == 0 || errno == EEXIST;
        *s = here;
        if (!here) break;
    }
    free(path);
    return ok;
}

int doc_write_book(const doc_reference *reference, const char *folder) {
    if (!make_folder(folder)) {
        app_error("%s: cannot be made: %s", folder, strerror(errno));
        return APP_ERROR;
    }
    bool ok = write_page(reference, folder, "index.html", write_html);
    ok = write_page(reference, folder, "reference.md", write_markdown) && ok;
    return ok ? APP_OK : APP_ERROR;
}
