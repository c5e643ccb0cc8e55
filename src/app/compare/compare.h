/* compare.h: one scene under several pipelines and rules: measurements and their output. */
#ifndef MUS_APP_COMPARE_H
#define MUS_APP_COMPARE_H

#include "host.h"
#include "render/render.h"

/* ---- compare_measure.c ------------------------------------------------------------------------------------------- */

extern const double app_rest_speed; /* m/s: cloth is at rest if no vertex is faster */

/* Measurements of one run of the scene. Without a measurement numbers are NAN and counts 0. */
typedef struct app_figures {
    int64_t frames, steps; /* made */
    double time;           /* s of motion */
    double step_ms_median, step_ms_mean, step_ms_max;
    double candidates_mean, tests_mean, contacts_mean, passes_mean, iterations_mean; /* a step */
    int64_t candidates_max, tests_max, contacts_max, passes_max, iterations_max;
    int64_t substeps_max, zones_max;
    int64_t intersections_worst, intersections_worst_frame, intersections_last; /* of a frame, by the auditor */
    int64_t inside_worst, inside_last;
    double depth_max;      /* m, largest depth of cloth inside an obstacle in any frame */
    double momentum_drift; /* 1; NAN where the forces on the cloth are not known */
    int64_t momentum_steps;
    double kinetic_energy, kinetic_energy_max; /* J */
    double energy, energy_rise;                /* J: total at the last frame; largest increase from frame to frame */
    double stretch, stretch_max;               /* of an edge */
    double speed;                              /* m/s of the fastest vertex, at the end */
    double rest_time;                          /* s: at rest from this time on; NAN: not at rest */
    uint64_t hash;
} app_figures;

/* Measurements of one frame, for plots. */
typedef enum app_moment_field {
    APP_MOMENT_TIME,     /* s */
    APP_MOMENT_MS,       /* wall-clock time of its steps, without the audit */
    APP_MOMENT_CONTACTS, /* in its last step */
    APP_MOMENT_KINETIC,  /* J */
    APP_MOMENT_ENERGY,   /* J, total */
    APP_MOMENT_STRETCH,  /* of an edge, % */
    APP_MOMENT_FINDINGS, /* of the audit: intersections and features inside obstacles */
    APP_MOMENT_FIELDS
} app_moment_field;
typedef struct app_moments {
    double *values[APP_MOMENT_FIELDS]; /* one per frame */
    int64_t count, capacity;
} app_moments;
void app_moments_free(app_moments *moments);

typedef struct app_measure app_measure;
app_measure *app_measure_create(double inside_tolerance); /* NULL: no memory */
void app_measure_destroy(app_measure *measure);
void app_measure_step(void *measure, mus_world *world, bool after); /* a mus_lua_watch */
/* After every frame, 0 included: audits it. */
mus_status app_measure_frame(app_measure *measure, mus_world *world, int64_t frame);
app_figures app_measure_figures(app_measure *measure);
app_moments app_measure_moments(app_measure *measure); /* of all frames so far, which are the caller's from now on */

/* ---- compare_picture.c ------------------------------------------------------------------------------------------- */

/* A copy of the contents of a picture, which outlives its world. */
typedef struct app_still {
    app_render_list list;
    mus_lua_line *lines;
    mus_lua_point *points;
    mus_lua_text *texts;
    int32_t line_count, point_count, text_count;
    mus_lua_view view; /* without the title */
} app_still;

/* `drawing` and `view` may be NULL. */
mus_status app_still_take(app_still *still, mus_world *world, const mus_lua_drawing *drawing, const mus_lua_view *view);
void app_still_free(app_still *still);

/* ---- compare_report.c -------------------------------------------------------------------------------------------- */

/* One run of the scene: a row of the tables. */
typedef struct app_column {
    char *name;           /* of the preset, "scene", or the rule's file */
    const char *pipeline; /* NULL: the scene's own */
    const char *rule;     /* NULL: none */
    char stages[MUS_STAGE_KIND_COUNT][32];
    app_figures figures;
    app_moments moments;
    app_still still;
    unsigned char *picture; /* a JPEG of the still, for the page; owned; NULL: none */
    size_t picture_size;
    const char *outcome; /* "finished", "error", "check failed", "time limit", "interrupted" or "not run" */
    char *reason;        /* for other ends than "finished", with traceback; owned; NULL */
} app_column;

typedef struct app_comparison {
    const app_options *options;
    double inside_tolerance;
    app_column *columns;
    int count;
    bool picture;  /* compare.png exists */
    char *problem; /* why the page has no pictures; owned; NULL */
} app_comparison;

void app_comparison_print(const app_comparison *comparison);      /* the table, on standard output */
void app_comparison_print_json(const app_comparison *comparison); /* an object a line instead */
/* compare.csv, compare.json and, with --report, compare.md and report.html; each whole or not at all. */
mus_status app_comparison_write(const app_comparison *comparison);
/* Cells of the tables: the head of the k-th, and the figures of one run. */
enum { APP_CELLS = 14, APP_CELL = 24 };
void app_comparison_head(int k, char text[APP_CELL]);
void app_comparison_cells(const app_figures *figures, char text[APP_CELLS][APP_CELL]);
mus_status app_comparison_page(const app_comparison *comparison); /* compare_page.c: report.html */

/* compare_picture.c: compare.png, the stills side by side in rows of at most three, all with one camera that shows
 * the contents of each. */
mus_status app_comparison_picture(const app_comparison *comparison, const char *path);
mus_status app_comparison_stills(app_comparison *comparison); /* the same as a JPEG of each column */

#endif
