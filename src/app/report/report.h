/* report.h: the page of --report: text, tables, plots and pictures as one HTML file that needs nothing else. */
#ifndef MUS_APP_REPORT_H
#define MUS_APP_REPORT_H

#include "host.h"

#include <jansson.h>

/* ---- markup.c ---------------------------------------------------------------------------------------------------- */

/* Text of HTML or XML; bytes that neither allows become the replacement character. `attribute`: within quotes. */
void app_markup_text(FILE *out, const char *text, bool attribute);
void app_markup_base64(FILE *out, const void *bytes, size_t size);

/* ---- page.c ------------------------------------------------------------------------------------------------------ */

/* A page that is written from top to bottom. Functions that take a text write it
 * with entities for the characters that are special in HTML. */
typedef struct app_page {
    FILE *out;             /* for what has no function here */
    char *text;            /* what was written to `out` */
    size_t size;           /* of `text` */
    char *style, *script;  /* contents of scripts/report/page.css and player.js */
    bool section, figures; /* open */
    bool player;           /* the page has one and needs the script */
} app_page;

bool app_page_load(app_page *page); /* style and script; false: sets the error record. `page` starts zeroed */
/* The head and the heading; `source` (may be NULL) is the line below it. False: no memory. */
bool app_page_start(app_page *page, const char *title, const char *source);
/* The line that states how it ended: `kind` is good, bad or cut. */
void app_page_outcome(app_page *page, const char *kind, const char *text);
void app_page_section(app_page *page, const char *title);                   /* ends the one before */
void app_page_heading(app_page *page, const char *title, const char *note); /* within a section; note: NULL: none */
void app_page_paragraph(app_page *page, const char *text);
void app_page_preformatted(app_page *page, const char *text);
void app_page_details_start(app_page *page, const char *summary);
void app_page_details_end(app_page *page);
/* Tables. The first cell of a row is its heading. `kinds`: a letter for each column, n for numbers and t for texts. */
void app_page_table_start(app_page *page, const char *caption, const char *const *heads, const char *kinds, int count);
void app_page_row_start(app_page *page, const char *heading);
void app_page_row_number(app_page *page, double heading);
void app_page_verdict(app_page *page, const char *kind, const char *text); /* a cell; kind: as of the outcome */
void app_page_cell(app_page *page, const char *text);                      /* NULL: unknown */
void app_page_number(app_page *page, double value);                        /* NAN: unknown */
void app_page_value(app_page *page, const json_t *value);                  /* of any kind, without its type */
void app_page_row_end(app_page *page);
void app_page_table_end(app_page *page);
/* A table of two columns, name and value, of row_start, cell and row_end. */
void app_page_pairs_start(app_page *page, const char *caption);
void app_page_pair(app_page *page, const char *name, const char *text);
void app_page_build(app_page *page); /* rows of a pairs table: version, compiler, processor */
/* <img> with its bytes; `kind` is png or jpeg. */
void app_page_image(app_page *page, const char *kind, const void *bytes, size_t size, const char *alt);
/* Ends the page and writes FOLDER/report.html; the page can be loaded and started again. */
mus_status app_page_write(app_page *page, const char *folder);
void app_page_free(app_page *page);
/* The bytes of a file of at most `most` bytes, owned by the caller; NULL: it is larger or cannot be read. */
void *app_page_read(const char *path, size_t most, size_t *size);

/* ---- plot.c ------------------------------------------------------------------------------------------------------ */

typedef struct app_series {
    const char *name;    /* in the legend */
    const double *x, *y; /* points with a value that is not finite are omitted, and interrupt the line */
    int64_t count;
} app_series;

typedef struct app_plot {
    const char *title, *caption; /* caption: NULL: none */
    const char *x_label, *y_label;
    const app_series *series;
    int count;
    double level;            /* a dashed line at this value; NAN: none */
    const char *level_label; /* "mean" */
    bool zero;               /* the vertical axis includes 0 */
    bool log_x;              /* all x are > 0 */
    bool marks;              /* a mark at each point, and no lines */
} app_plot;

/* A figure with an SVG, legend and caption; without finite values a sentence instead. */
void app_page_plot(app_page *page, const app_plot *plot);

/* ---- stills.c: a bounded number of pictures of a run ---------------------------------------------------------------
 */

enum { APP_STILLS_MOST = 48, APP_STILL_WIDTH = 480, APP_STILL_HEIGHT = 270 };

typedef struct app_stills app_stills;
app_stills *app_stills_create(app_heat show); /* NULL: no memory */
void app_stills_destroy(app_stills *stills);
/* Follows the frame with the camera, and makes a picture of it if the frame is due or `last`. `drawing`: of the draw
 * hooks; NULL: they are called. Nothing is added before app_stills_keep. */
void app_stills_take(app_stills *stills, lua_State *L, int world_index, mus_world *world, int64_t frame,
                     const mus_lua_drawing *drawing, bool last);
void app_stills_keep(app_stills *stills);               /* adds the picture made last, if any */
const char *app_stills_title(const app_stills *stills); /* the scene's, as last seen; NULL: none */
void app_stills_print(const app_stills *stills, app_page *page, int64_t last_frame);

/* ---- manifest_page.c: sections from the manifest of a run ----------------------------------------------------------
 */

void app_page_scene(app_page *page, const json_t *manifest);   /* objects and pipeline */
void app_page_program(app_page *page, const json_t *manifest); /* versions, machine, options, files, hooks */

/* ---- run_report.c -------------------------------------------------------------------------------------------------
 */

typedef struct app_run_report app_run_report;
app_run_report *app_run_report_create(const app_options *options); /* NULL: sets the error record */
void app_run_report_destroy(app_run_report *report);
void app_run_report_watch(app_run_report *report, lua_State *L, int world_index); /* times its steps from now on */
/* Measures the present frame and makes its picture; may call draw hooks. `drawing`: as app_stills_take. */
void app_run_report_measure(app_run_report *report, const app_scene *scene, const mus_lua_drawing *drawing);
bool app_run_report_keep(app_run_report *report); /* adds what was measured; false: no memory */
/* Adds a picture of the state in which the run ends; call without the lock of app_guard_lock, as it may call Lua. */
void app_run_report_last(app_run_report *report, const app_scene *scene);
/* FOLDER/report.html from what was kept and the manifest of the run. */
mus_status app_run_report_write(app_run_report *report, const app_manifest *manifest, const app_tally *tally);

#endif
