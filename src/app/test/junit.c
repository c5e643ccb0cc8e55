/* junit.c: test results as JUnit XML, the dialect that continuous integration services read. */
#include "test/suite.h"

#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at `text`, 0 if it is not allowed in XML. */
static int sequence(const unsigned char *text) {
    if (*text < 0x80) return *text >= 0x20 || *text == '\t' || *text == '\n' || *text == '\r';
    int n = *text >= 0xf0 && *text < 0xf5   ? 4
            : *text >= 0xe0 && *text < 0xf0 ? 3
            : *text >= 0xc2 && *text < 0xe0 ? 2
                                            : 0;
    if (n == 0) return 0;
    uint32_t code = *text & (0xffu >> (n + 1));
    for (int k = 1; k < n; k++) {
        if ((text[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (text[k] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[n] && code <= 0x10ffff && !surrogate && code != 0xfffe && code != 0xffff ? n : 0;
}

static void escape(FILE *out, const char *text, bool attribute) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int n = sequence(c);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out); /* replacement character */
            c++;
            continue;
        }
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else if (attribute && (*c == '\n' || *c == '\t' || *c == '\r'))
            fprintf(out, "&#%d;", *c);
        else
            fwrite(c, 1, (size_t)n, out);
        c += n;
    }
}

static void write_case(FILE *out, const app_suite *suite, const app_case *c) {
    fputs("    <testcase classname=\"", out);
    escape(out, suite->path, true);
    fputs("\" name=\"", out);
    escape(out, c->name, true);
    fprintf(out, "\" time=\"%.6f\"", c->seconds);
    if (c->verdict == APP_PASSED) {
        fputs("/>\n", out);
        return;
    }
    const char *message = c->message ? c->message : "";
    char *line = strndup(message, strcspn(message, "\n"));
    fprintf(out, ">\n      <%s message=\"", c->verdict == APP_FAILED ? "failure" : "skipped");
    escape(out, line ? line : "", true);
    free(line);
    if (c->verdict == APP_FAILED) {
        fputs("\">", out);
        escape(out, message, false);
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
        escape(out, s->path, true);
        fputc('"', out);
        write_counts(out, s->case_count, count_verdict(s, APP_FAILED), count_verdict(s, APP_SKIPPED), s->seconds);
        for (int c = 0; c < s->case_count; c++) write_case(out, s, &s->cases[c]);
        if (s->printed.size > 0) {
            fputs("    <system-out>", out);
            escape(out, s->printed.data, false);
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
