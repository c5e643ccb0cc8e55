/* page.c: one HTML file with its style, script and pictures in it: head, sections, tables. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool app_page_load(app_page *page) {
    page->style = app_script_text("report/page.css");
    page->script = page->style ? app_script_text("report/player.js") : NULL;
    if (page->script) return true;
    app_page_free(page);
    return false;
}

/* The policy makes the browser itself refuse whatever is not in the page. */
bool app_page_start(app_page *page, const char *title, const char *source) {
    page->text = NULL;
    page->section = page->figures = page->player = false;
    if (!(page->out = open_memstream(&page->text, &page->size))) return false;
    FILE *out = page->out;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", out);
    app_markup_text(out, title, false);
    fprintf(out,
            " - muslin</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
            "'unsafe-inline'; script-src 'unsafe-inline'\">\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<header>\n"
            "<h1>",
            page->style);
    app_markup_text(out, title, false);
    fputs("</h1>\n", out);
    if (source) {
        fputs("<p class=\"source\">", out);
        app_markup_text(out, source, false);
        fputs("</p>\n", out);
    }
    fputs("</header>\n", out);
    return true;
}

void app_page_outcome(app_page *page, const char *kind, const char *text) {
    fprintf(page->out, "<p class=\"outcome %s\" role=\"status\">", kind);
    app_markup_text(page->out, text, false);
    fputs("</p>\n", page->out);
}

static void end_figures(app_page *page) {
    if (page->figures) fputs("</div>\n", page->out);
    page->figures = false;
}

void app_page_section(app_page *page, const char *title) {
    end_figures(page);
    if (page->section) fputs("</section>\n", page->out);
    page->section = true;
    fputs("<section>\n<h2>", page->out);
    app_markup_text(page->out, title, false);
    fputs("</h2>\n", page->out);
}

void app_page_heading(app_page *page, const char *title, const char *note) {
    end_figures(page);
    fputs("<h3>", page->out);
    app_markup_text(page->out, title, false);
    if (note) {
        fputs(" <small>", page->out);
        app_markup_text(page->out, note, false);
        fputs("</small>", page->out);
    }
    fputs("</h3>\n", page->out);
}

void app_page_paragraph(app_page *page, const char *text) {
    end_figures(page);
    fputs("<p>", page->out);
    app_markup_text(page->out, text, false);
    fputs("</p>\n", page->out);
}

void app_page_preformatted(app_page *page, const char *text) {
    end_figures(page);
    fputs("<pre>", page->out);
    app_markup_text(page->out, text, false);
    fputs("</pre>\n", page->out);
}

void app_page_details_start(app_page *page, const char *summary) {
    end_figures(page);
    fputs("<details>\n<summary>", page->out);
    app_markup_text(page->out, summary, false);
    fputs("</summary>\n", page->out);
}

void app_page_details_end(app_page *page) {
    fputs("</details>\n", page->out);
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

/* A wide table scrolls within its box, which the keyboard can reach. */
static void open_table(app_page *page, const char *caption, const char *class) {
    end_figures(page);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", page->out);
    app_markup_text(page->out, caption, true);
    fprintf(page->out, "\">\n<table%s>\n<caption>", class);
    app_markup_text(page->out, caption, false);
    fputs("</caption>\n", page->out);
}

void app_page_table_start(app_page *page, const char *caption, const char *const *heads, const char *kinds, int count) {
    open_table(page, caption, "");
    fputs("<thead>\n<tr>", page->out);
    for (int k = 0; k < count; k++) {
        fprintf(page->out, "<th scope=\"col\"%s>", kinds[k] == 'n' ? " class=\"number\"" : "");
        app_markup_text(page->out, heads[k], false);
        fputs("</th>", page->out);
    }
    fputs("</tr>\n</thead>\n<tbody>\n", page->out);
}

void app_page_pairs_start(app_page *page, const char *caption) {
    open_table(page, caption, " class=\"pairs\"");
    fputs("<tbody>\n", page->out);
}

void app_page_row_start(app_page *page, const char *heading) {
    fputs("<tr><th scope=\"row\">", page->out);
    app_markup_text(page->out, heading, false);
    fputs("</th>", page->out);
}

void app_page_row_number(app_page *page, double heading) {
    fprintf(page->out, "<tr><th scope=\"row\" class=\"number\">%.10g</th>", heading);
}

void app_page_cell(app_page *page, const char *text) {
    fputs("<td>", page->out);
    app_markup_text(page->out, text ? text : "\xe2\x80\x93", false); /* a dash */
    fputs("</td>", page->out);
}

void app_page_verdict(app_page *page, const char *kind, const char *text) {
    fprintf(page->out, "<td class=\"%s\">", kind);
    app_markup_text(page->out, text, false);
    fputs("</td>", page->out);
}

void app_page_number(app_page *page, double value) {
    if (isfinite(value))
        fprintf(page->out, "<td class=\"number\">%.6g</td>", value);
    else
        fputs("<td class=\"number\">\xe2\x80\x93</td>", page->out);
}

void app_page_value(app_page *page, const json_t *value) {
    if (json_is_string(value)) {
        app_page_cell(page, json_string_value(value));
    } else if (json_is_integer(value)) {
        fprintf(page->out, "<td class=\"number\">%lld</td>", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        app_page_number(page, json_real_value(value));
    } else if (json_is_boolean(value)) {
        app_page_cell(page, json_is_true(value) ? "yes" : "no");
    } else if (json_is_array(value) && json_array_size(value) > 0) {
        fputs("<td>", page->out);
        for (size_t k = 0; k < json_array_size(value); k++) {
            const json_t *item = json_array_get(value, k);
            if (k > 0) fputs(", ", page->out);
            if (json_is_string(item))
                app_markup_text(page->out, json_string_value(item), false);
            else
                fprintf(page->out, "%.6g", json_number_value(item));
        }
        fputs("</td>", page->out);
    } else {
        app_page_cell(page, NULL);
    }
}

void app_page_row_end(app_page *page) {
    fputs("</tr>\n", page->out);
}

void app_page_table_end(app_page *page) {
    fputs("</tbody>\n</table>\n</div>\n", page->out);
}

void app_page_pair(app_page *page, const char *name, const char *text) {
    app_page_row_start(page, name);
    app_page_cell(page, text);
    app_page_row_end(page);
}

void app_page_build(app_page *page) {
    mus_build build = mus_get_build();
    app_page_pair(page, "muslin", build.version);
    app_page_pair(page, "compiler", build.compiler);
    app_page_pair(page, "processor", build.cpu);
    app_page_pair(page, "kernels for", build.simd);
}

/* ---- Pictures and files ------------------------------------------------------------------------------------------ */

void app_page_image(app_page *page, const char *kind, const void *bytes, size_t size, const char *alt) {
    fputs("<img alt=\"", page->out);
    app_markup_text(page->out, alt, true);
    fprintf(page->out, "\" src=\"data:image/%s;base64,", kind);
    app_markup_base64(page->out, bytes, size);
    fputs("\">", page->out);
}

void *app_page_read(const char *path, size_t most, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        mus_fail(MUS_STATUS_IO, "'%s': %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = malloc(most + 1);
    *size = bytes ? fread(bytes, 1, most + 1, file) : 0;
    bool whole = bytes && !ferror(file) && *size <= most;
    fclose(file);
    if (whole) return bytes;
    mus_fail(MUS_STATUS_IO, "'%s': %s", path,
             !bytes         ? "no memory to read it"
             : *size > most ? "it is too large for the report"
                            : "it cannot be read");
    free(bytes);
    return NULL;
}

mus_status app_page_write(app_page *page, const char *folder) {
    end_figures(page);
    if (page->section) fputs("</section>\n", page->out);
    mus_build build = mus_get_build();
    fprintf(page->out, "</main>\n<footer>muslin %s</footer>\n", build.version);
    if (page->player) fprintf(page->out, "<script>\n%s</script>\n", page->script);
    fputs("</body>\n</html>\n", page->out);
    bool whole = fclose(page->out) == 0;
    page->out = NULL;
    char *path = app_format("%s/report.html", folder);
    mus_status status = whole && path ? app_write_file(path, page->text, page->size)
                                      : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for report.html");
    free(path);
    free(page->text);
    page->text = NULL;
    return status;
}

void app_page_free(app_page *page) {
    if (page->out) fclose(page->out);
    free(page->text);
    free(page->style);
    free(page->script);
    *page = (app_page){0};
}
