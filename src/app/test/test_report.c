/* test_report.c: the results of tests as one HTML page, with the pictures of scenarios that failed. */
#include "test/suite.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of all pictures of a page, and of one. */
static const size_t MOST_BYTES = (size_t)4 << 20, MOST_BYTES_EACH = (size_t)2 << 20;

static int count_verdict(const app_suite *suites, int count, app_verdict verdict) {
    int n = 0;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < suites[k].case_count; c++) n += suites[k].cases[c].verdict == verdict;
    return n;
}

static void print_outcome(app_page *page, const app_suite *suites, int count, bool stopped) {
    int failed = count_verdict(suites, count, APP_FAILED);
    char text[200];
    snprintf(text, sizeof text, "%s%d passed, %d failed, %d skipped, in %d file%s.",
             stopped ? "Interrupted before the last file: " : "", count_verdict(suites, count, APP_PASSED), failed,
             count_verdict(suites, count, APP_SKIPPED), count, count == 1 ? "" : "s");
    app_page_outcome(page, failed > 0 ? "bad" : stopped ? "cut" : "good", text);
}

static void print_scenarios(app_page *page, const app_suite *suites, int count) {
    static const char *const heads[] = {"scenario", "outcome", "time [s]", "message"};
    static const struct {
        const char *kind, *word;
    } verdicts[] = {
        [APP_PASSED] = {"good", "passed"}, [APP_FAILED] = {"bad", "failed"}, [APP_SKIPPED] = {"cut", "skipped"}};
    app_page_section(page, "Scenarios");
    for (int k = 0; k < count; k++) {
        app_page_table_start(page, suites[k].path, heads, "ttnt", 4);
        for (int c = 0; c < suites[k].case_count; c++) {
            const app_case *one = &suites[k].cases[c];
            const char *message = one->message ? one->message : "";
            char *line = strndup(message, strcspn(message, "\n"));
            app_page_row_start(page, one->name);
            app_page_verdict(page, verdicts[one->verdict].kind, verdicts[one->verdict].word);
            app_page_number(page, one->seconds);
            app_page_cell(page, line ? line : "");
            app_page_row_end(page);
            free(line);
        }
        app_page_table_end(page);
    }
}

/* The picture, or the reason why it is not on the page. */
static void print_picture(app_page *page, const char *path, const char *name, size_t *left) {
    size_t size = 0, most = *left < MOST_BYTES_EACH ? *left : MOST_BYTES_EACH;
    void *bytes = app_page_read(path, most, &size);
    char *alt = app_format("World of the failed scenario: %s", name);
    fputs("<figure>", page->out);
    if (bytes && alt) {
        app_page_image(page, "png", bytes, size, alt);
        *left -= size;
    }
    fputs("<figcaption>", page->out);
    app_markup_text(page->out, bytes ? path : mus_get_error_message(), false);
    fputs("</figcaption></figure>\n", page->out);
    free(bytes);
    free(alt);
}

static void print_failures(app_page *page, const app_suite *suites, int count) {
    size_t left = MOST_BYTES;
    if (count_verdict(suites, count, APP_FAILED) == 0) return;
    app_page_section(page, "Failures");
    for (int k = 0; k < count; k++)
        for (int c = 0; c < suites[k].case_count; c++) {
            const app_case *one = &suites[k].cases[c];
            if (one->verdict != APP_FAILED) continue;
            app_page_heading(page, one->name, suites[k].path);
            app_page_preformatted(page, one->message ? one->message : "failed");
            if (json_array_size(one->pictures) == 0) continue;
            fputs("<div class=\"pictures\">\n", page->out);
            for (size_t n = 0; n < json_array_size(one->pictures); n++)
                print_picture(page, json_string_value(json_array_get(one->pictures, n)), one->name, &left);
            fputs("</div>\n", page->out);
        }
}

static void print_output(app_page *page, const app_suite *suites, int count) {
    bool any = false;
    for (int k = 0; k < count; k++) {
        if (suites[k].printed.size == 0) continue;
        if (!any) app_page_section(page, "What the scripts printed");
        any = true;
        app_page_details_start(page, suites[k].path);
        app_page_preformatted(page, suites[k].printed.data);
        app_page_details_end(page);
    }
}

static void print_program(app_page *page) {
    app_page_section(page, "How they were run");
    app_page_pairs_start(page, "Program and machine");
    app_page_build(page);
    app_page_table_end(page);
}

mus_status app_test_report(const char *folder, const app_suite *suites, int count, bool stopped) {
    app_page page = {0};
    if (!app_page_load(&page)) return MUS_STATUS_IO;
    if (!app_page_start(&page, "Tests", NULL)) {
        app_page_free(&page);
        return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the report");
    }
    print_outcome(&page, suites, count, stopped);
    print_failures(&page, suites, count);
    print_scenarios(&page, suites, count);
    print_output(&page, suites, count);
    print_program(&page);
    mus_status status = app_page_write(&page, folder);
    app_page_free(&page);
    return status;
}
