/* plot.c: line plots as SVG, which scale with the page and take their colors from its style. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units of the drawing: a plot is about as wide as a phone, so that its text stays legible there. */
static const double WIDTH = 480, HEIGHT = 250, TOP = 10, BOTTOM = 44, RIGHT = 14, CHARACTER = 7;
enum { MOST_TICKS = 12, LABEL = 24, COLUMNS = 400, MOST_MARKS = 2000, STYLES = 9 };

typedef struct axis {
    double low, high; /* of the data, widened to ticks on the vertical axis */
    double from, to;  /* the same in the drawing */
    double ticks[MOST_TICKS];
    int count;
    bool log;
} axis;

static double place_on(const axis *a, double value) {
    double low = a->log ? log10(a->low) : a->low, high = a->log ? log10(a->high) : a->high;
    return a->from + (a->to - a->from) * ((a->log ? log10(value) : value) - low) / (high - low);
}

/* 1, 2 or 5 times a power of ten, so that `span` has at most `most` such steps. */
static double nice_step(double span, int most) {
    double power = pow(10, floor(log10(span / most)));
    static const double factors[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; k++)
        if (span / (factors[k] * power) <= most) return factors[k] * power;
    return 10 * power;
}

/* `widen`: the axis ends at ticks. */
static void set_ticks(axis *a, int most, bool widen) {
    a->count = 0;
    if (!(a->high > a->low)) { /* one value */
        double half = a->low != 0 ? 0.5 * fabs(a->low) : 1;
        if (a->log)
            a->low /= 2, a->high *= 2;
        else
            a->low -= half, a->high += half;
    }
    if (a->log) {
        for (double power = pow(10, floor(log10(a->low))); power <= a->high; power *= 10)
            for (int digit = 1; digit <= 5 && a->count < MOST_TICKS; digit += digit == 1 ? 1 : 3)
                if (digit * power >= a->low * (1 - 1e-9) && digit * power <= a->high * (1 + 1e-9))
                    a->ticks[a->count++] = digit * power;
        return;
    }
    double step = nice_step(a->high - a->low, most);
    if (widen) a->low = step * floor(a->low / step + 1e-9), a->high = step * ceil(a->high / step - 1e-9);
    for (double k = ceil(a->low / step - 1e-9); k * step <= a->high + 1e-9 * step && a->count < MOST_TICKS; k++)
        a->ticks[a->count++] = k * step;
}

/* Small next to the step: 0, not 1e-17. */
static void tick_text(const axis *a, int k, char text[LABEL]) {
    double value = a->ticks[k], step = a->count > 1 ? a->ticks[1] - a->ticks[0] : 0;
    snprintf(text, LABEL, "%.6g", !a->log && fabs(value) < 1e-6 * step ? 0 : value);
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static bool is_shown(const app_series *s, int64_t k) {
    return isfinite(s->x[k]) && isfinite(s->y[k]);
}

static bool find_ranges(const app_plot *p, axis *x, axis *y) {
    x->low = y->low = INFINITY;
    x->high = y->high = -INFINITY;
    for (int n = 0; n < p->count; n++)
        for (int64_t k = 0; k < p->series[n].count; k++) {
            const app_series *s = &p->series[n];
            if (isfinite(s->x[k])) x->low = fmin(x->low, s->x[k]), x->high = fmax(x->high, s->x[k]);
            if (!is_shown(s, k)) continue;
            y->low = fmin(y->low, s->y[k]), y->high = fmax(y->high, s->y[k]);
        }
    if (!(y->low <= y->high)) return false;
    if (isfinite(p->level)) y->low = fmin(y->low, p->level), y->high = fmax(y->high, p->level);
    if (p->zero) y->low = fmin(y->low, 0), y->high = fmax(y->high, 0);
    if (p->zero && y->high == y->low) y->high = 1;
    return true;
}

typedef struct pen {
    FILE *out;
    bool down;
} pen;

static void move_pen(pen *p, const axis *x, const axis *y, double at, double value) {
    fprintf(p->out, "%c%.1f %.1f", p->down ? 'L' : 'M', place_on(x, at), place_on(y, value));
    p->down = true;
}

/* Long series as the least and the greatest value of each column of the drawing, in their order. */
static void draw_path(FILE *out, const app_series *s, const axis *x, const axis *y) {
    pen p = {out, false};
    bool whole = s->count <= 2 * COLUMNS;
    for (int64_t k = 0; k < s->count;) {
        if (!is_shown(s, k)) {
            p.down = false;
            k++;
            continue;
        }
        int64_t least = k, greatest = k,
                column = (int64_t)(COLUMNS * (place_on(x, s->x[k]) - x->from) / (x->to - x->from));
        for (k++; !whole && k < s->count && is_shown(s, k) &&
                  (int64_t)(COLUMNS * (place_on(x, s->x[k]) - x->from) / (x->to - x->from)) == column;
             k++) {
            if (s->y[k] < s->y[least]) least = k;
            if (s->y[k] > s->y[greatest]) greatest = k;
        }
        int64_t first = least < greatest ? least : greatest, second = least < greatest ? greatest : least;
        move_pen(&p, x, y, s->x[first], s->y[first]);
        if (second != first) move_pen(&p, x, y, s->x[second], s->y[second]);
    }
}

static bool is_alone(const app_series *s, int64_t k) {
    return (k == 0 || !is_shown(s, k - 1)) && (k + 1 == s->count || !is_shown(s, k + 1));
}

/* Circles, squares and diamonds, so that color is not all that distinguishes series. */
static void draw_mark(FILE *out, int n, double x, double y) {
    fprintf(out, "<path class=\"mark s%d\" d=\"", n % STYLES);
    if (n % 3 == 0)
        fprintf(out, "M%.1f %.1fa2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0z", x - 2.8, y);
    else if (n % 3 == 1)
        fprintf(out, "M%.1f %.1fh5v5h-5z", x - 2.5, y - 2.5);
    else
        fprintf(out, "M%.1f %.1fl3.5 -3.5l3.5 3.5l-3.5 3.5z", x - 3.5, y);
    fputs("\"/>\n", out);
}

/* Marks where wanted, and for single points, which a line does not show. */
static void draw_series(FILE *out, const app_plot *p, int n, const axis *x, const axis *y) {
    const app_series *s = &p->series[n];
    if (!p->marks) {
        fprintf(out, "<path class=\"line s%d\" d=\"", n % STYLES);
        draw_path(out, s, x, y);
        fputs("\"/>\n", out);
    }
    for (int64_t k = 0, drawn = 0; k < s->count && drawn < MOST_MARKS; k++)
        if (is_shown(s, k) && (p->marks || is_alone(s, k)))
            drawn++, draw_mark(out, n, place_on(x, s->x[k]), place_on(y, s->y[k]));
}

/* ---- The drawing ------------------------------------------------------------------------------------------------- */

static void put_label(FILE *out, double x, double y, const char *attributes, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    app_markup_text(out, text, false);
    fputs("</text>\n", out);
}

static void draw_axes(FILE *out, const app_plot *p, const axis *x, const axis *y) {
    char text[LABEL];
    for (int k = 0; k < y->count; k++) {
        double at = place_on(y, y->ticks[k]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", x->from, at, x->to);
        tick_text(y, k, text);
        put_label(out, x->from - 6, at + 4, " text-anchor=\"end\"", text);
    }
    for (int k = 0; k < x->count; k++) {
        double at = place_on(x, x->ticks[k]);
        fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", at, y->from);
        tick_text(x, k, text);
        put_label(out, at, y->from + 18, " text-anchor=\"middle\"", text);
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x->from, y->to, y->from, x->to);
    put_label(out, 0.5 * (x->from + x->to), HEIGHT - 6, " text-anchor=\"middle\"", p->x_label);
    char attributes[80];
    double middle = 0.5 * (y->from + y->to);
    snprintf(attributes, sizeof attributes, " text-anchor=\"middle\" transform=\"rotate(-90 13 %.1f)\"", middle);
    put_label(out, 13, middle, attributes, p->y_label);
}

static void draw_level(FILE *out, const app_plot *p, const axis *x, const axis *y) {
    if (!isfinite(p->level)) return;
    double at = place_on(y, p->level);
    char text[80];
    snprintf(text, sizeof text, "%s %.4g", p->level_label, p->level);
    fprintf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n", x->from, at, x->to);
    put_label(out, x->to - 2, at < y->to + 18 ? at + 14 : at - 5, " class=\"level\" text-anchor=\"end\"", text);
}

static void put_legend(FILE *out, const app_plot *p) {
    if (p->count < 2) return;
    fputs("<ul class=\"legend\">\n", out);
    for (int n = 0; n < p->count; n++) {
        fputs("<li><svg viewBox=\"0 0 26 10\" aria-hidden=\"true\">", out);
        if (p->marks)
            draw_mark(out, n, 13, 5);
        else
            fprintf(out, "<path class=\"line s%d\" d=\"M1 5H25\"/>", n % STYLES);
        fputs("</svg>", out);
        app_markup_text(out, p->series[n].name, false);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* What the drawing shows, for readers that do not see it. */
static void describe_plot(FILE *out, const app_plot *p) {
    app_markup_text(out, p->title, false);
    fputs(": ", out);
    for (int n = 0; n < p->count; n++) {
        const app_series *s = &p->series[n];
        double least = INFINITY, greatest = -INFINITY;
        for (int64_t k = 0; k < s->count; k++)
            if (is_shown(s, k)) least = fmin(least, s->y[k]), greatest = fmax(greatest, s->y[k]);
        if (n > 0) fputs("; ", out);
        app_markup_text(out, s->name, false);
        if (least <= greatest)
            fprintf(out, " from %.4g to %.4g", least, greatest);
        else
            fputs(" without values", out);
    }
}

void app_page_plot(app_page *page, const app_plot *p) {
    FILE *out = page->out;
    if (!page->figures) fputs("<div class=\"figures\">\n", out);
    page->figures = true;
    fputs("<figure>\n<h3>", out);
    app_markup_text(out, p->title, false);
    fputs("</h3>\n", out);
    axis x = {.log = p->log_x}, y = {0};
    if (find_ranges(p, &x, &y)) {
        set_ticks(&y, 5, true);
        int widest = 0;
        char text[LABEL];
        for (int k = 0; k < y.count; k++) {
            tick_text(&y, k, text);
            widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
        }
        x.from = 32 + CHARACTER * widest, x.to = WIDTH - RIGHT;
        y.from = HEIGHT - BOTTOM, y.to = TOP;
        set_ticks(&x, 6, false);
        fprintf(out, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
        describe_plot(out, p);
        fputs("\">\n", out);
        draw_axes(out, p, &x, &y);
        draw_level(out, p, &x, &y);
        for (int n = 0; n < p->count; n++) draw_series(out, p, n, &x, &y);
        fputs("</svg>\n", out);
        put_legend(out, p);
    } else {
        fputs("<p>There are no values.</p>\n", out);
    }
    if (p->caption) {
        fputs("<figcaption>", out);
        app_markup_text(out, p->caption, false);
        fputs("</figcaption>\n", out);
    }
    fputs("</figure>\n", out);
}
