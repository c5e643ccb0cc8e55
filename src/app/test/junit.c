/* junit.c: test results as JUnit XML, the dialect that continuous integration services read. */
#include "test/suite.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static void write_case(FILE *out, const app_suite *suite, const app_case *c) {
    fputs("    <testcase classname=\"", out);
    app_markup_text(out, suite->path, true);
    fputs("\" name=\"", out);
    app_markup_text(out, c->name, true);
    fprintf(out, "\" time=\"%.6f\"", c->seconds);
    if (c->verdict == APP_PASSED) {
        fputs("/>\n", out);
        return;
    }
    const char *message = c->message ? c->message : "";
    char *line = strndup(message, strcspn(message, "\n"));
    fprintf(out, ">\n      <%s message=\"", c->verdict == APP_FAILED ? "failure" : "skipped");
    app_markup_text(out, line ? line : "", true);
    free(line);
    if (c->verdict == APP_FAILED) {
        fputs("\">", out);
        app_markup_text(out, message, false);
        fputs("</failure>\n", out);
    } else {
        fputs("\"/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static int count_verdict(const app_suite *suite, app_verdict verdict) {
    int n = 0;
    for (int k = 0; k < suite->case_count; k++) n += suite->cases[k].verdict == verdict;
    return n;
}

static void write_counts(FILE *out, int tests, int failed, int skipped, double seconds) {
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.6f\">\n", tests, failed, skipped,
            seconds);
}

mus_status app_junit_write(const char *path, const app_suite *suites, int count) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for '%s'", path);
    int tests = 0, failed = 0, skipped = 0;
    double seconds = 0;
    for (int k = 0; k < count; k++) {
        tests += suites[k].case_count;
        failed += count_verdict(&suites[k], APP_FAILED);
        skipped += count_verdict(&suites[k], APP_SKIPPED);
        seconds += suites[k].seconds;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"muslin\"", out);
    write_counts(out, tests, failed, skipped, seconds);
    for (int k = 0; k < count; k++) {
        const app_suite *s = &suites[k];
        fputs("  <testsuite name=\"", out);
        app_markup_text(out, s->path, true);
        fputc('"', out);
        write_counts(out, s->case_count, count_verdict(s, APP_FAILED), count_verdict(s, APP_SKIPPED), s->seconds);
        for (int c = 0; c < s->case_count; c++) write_case(out, s, &s->cases[c]);
        if (s->printed.size > 0) {
            fputs("    <system-out>", out);
            app_markup_text(out, s->printed.data, false);
            fputs("</system-out>\n", out);
        }
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
    mus_status status = fclose(out) == 0 ? app_write_file(path, text, size)
                                         : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for '%s'", path);
    free(text);
    return status;
}
