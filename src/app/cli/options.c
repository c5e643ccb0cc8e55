/* options.c: the command line: commands, their options, help, and errors. */
#include "host.h"
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static const double SCENE_MEMORY = 2000, TEST_MEMORY = 1000; /* MB, default limit of Lua's memory */

static const command commands[] = {
    {VIEW, "view", "SCENE.lua [-- ARG...]", "preview window; reloads the script when it is saved", app_view,
     "Needs a display. The window lists its keys (h). With --frames or --seconds it closes at the end,\n"
     "else the scene pauses there, or plays again with --loop or key l.\n"
     "When the script is saved, the scene restarts; a script that calls world:keep() continues from the current state\n"
     "instead. If the saved script has an error, the previous scene continues. The left and right arrow keys step\n"
     "backward and forward through the stored states (the last 900, at most 256 MB, 15 per second); the space bar\n"
     "continues from the state that is shown. The bar at the bottom shows the frames of the scene, and in blue the\n"
     "stored ones: click it or move along it. A click in the picture names the object, face and vertex there.\n"
     "Ctrl and the left button pull cloth or a rigid body to the pointer, by a force in the ordinary steps. States\n"
     "stored meanwhile contain its effect; frames played again from an earlier state are computed without it.\n"
     "With --repl, Lua is read from the terminal: `world` is the world in the window; :step simulates frames, :pause\n"
     "and :play stop and continue, :pick sets `it`, `face` and `at` to what is under the cursor or was clicked last.\n"
     "Errors are printed and the window stays open. Ctrl-C discards the line, a second Ctrl-C interrupts a frame that\n"
     "does not end; Ctrl-D and exit close the window.\n"},
    {RUN, "run", "SCENE.lua [-- ARG...]", "simulate without a window", app_run,
     "Simulates the scene to its end: the script's duration, or --frames, or --seconds. With --out every frame is\n"
     "written as DIR/frame_000000.obj and so on (0 is the initial state), with DIR/manifest.json, and DIR/log.csv for\n"
     "the values of world:log. Without --out nothing is written. The manifest, log, checkpoint and frames of an "
     "earlier\n"
     "run are replaced if they have the formats of this run; other files stay. A folder with the manifest.json of\n"
     "another program, or to which another run is writing, is refused.\n"
     "pc2 writes one point cache per cloth, DIR/cloth_NAME.pc2, with every frame of the run. png writes pictures; pov\n"
     "writes the same objects, camera and light as a scene for POV-Ray: povray +W1280 +H720 +A FILE.\n"
     "With --checkpoint-every the state is saved in DIR/checkpoint.muslin; --resume runs the script again and "
     "continues\n"
     "from that state, with the same result (muslin doc checkpoints describes what is saved).\n"
     "--report writes DIR/report.html at the end, however the run ended: outcome, a player of at most 49 pictures,\n"
     "plots of times, contacts, energies, strain and logged values, and what ran. It needs no other file.\n"},
    {TEST, "test", "PATH...", "run scenarios: TAP on standard output", app_test,
     "A PATH is a folder, in which all *_test.lua are run, or a script. A script without scenarios, such as a scene,\n"
     "is one test: it is simulated to its end. Every file runs in a process of its own; after a scenario that crashes\n"
     "or exceeds its limits, the file continues in a new process. Processes of --jobs without a file of their own run\n"
     "scenarios of other files, unless a file calls scenario.together(). The report does not depend on their number.\n"
     "The worlds of a failed scenario are saved under --out, as a state for muslin.load and as a picture.\n"
     "--report writes DIR/report.html: a table of the scenarios, and messages and pictures of those that failed.\n"},
    {AUDIT, "audit", "FILE|DIR...", "exact intersection check of meshes or of a run's frames", app_audit,
     "FILE is an .obj, .ply, .stl, .glb, .gltf or .usda; DIR contains the frames of a run. Meshes named obstacle:NAME "
     "are "
     "obstacles, "
     "which\n"
     "may overlap each other; all others are cloth. Exit code 1 if anything intersects.\n"},
    {COMPARE, "compare", "SCENE.lua [-- ARG...]", "one scene under several pipelines or rules, side by side",
     app_compare,
     "Simulates the scene once for each pipeline and each rule, one after the other, each in a Lua state of its own,\n"
     "audits every frame, and prints one row for each; muslin doc comparisons explains the figures. With --out the "
     "same\n"
     "table is in DIR/compare.csv and DIR/compare.json; --png adds DIR/compare.png, the last frames side by side, and\n"
     "--report DIR/compare.md and DIR/report.html, which has plots. Without --pipelines all presets are compared, "
     "except those that detect collisions in\n"
     "each stable substep (aabb, bigliani, jung, provot) and may take hours; with --rule only, the scene's own "
     "pipeline\n"
     "('scene') and each rule under it. The row of a pipeline that cannot simulate the scene states the reason.\n"
     "Exit code 0 if the comparison was made, whatever its result.\n"},
    {SWEEP, "sweep", "PLAN.lua [-- ARG...]", "the cases of a plan: a scene over grids, lists and samples of arguments",
     app_sweep,
     "PLAN returns a table of the arguments that vary (muslin doc sweeps). Writes DIR/cases.jsonl, one case per line,\n"
     "and runs each case into DIR/runs/K. Complete cases are skipped and interrupted ones continue from their\n"
     "checkpoint, so the command may be repeated at any time. Engines: local; parallel (GNU parallel); slurm (an "
     "array\n"
     "job); snakemake; none writes the cases only. --report writes DIR/report.html: a table of all runs, and their\n"
     "times and logged values over each argument. Exit code 0 if all cases are complete, 1 if a check of one failed, "
     "3\n"
     "if one could not be run.\n"},
    {COLLECT, "collect", "RUNS...", "one table of many runs: arguments, final figures, logged values", app_collect,
     "RUNS is the folder of a run, or a folder of runs, such as that of a sweep. With --out the table is also written\n"
     "to DIR/collect.csv and DIR/collect.jsonl.\n"},
    {PATTERN, "pattern", "PATTERN.json", "what a sewing pattern has: panels, edges, stitches; or its drawing",
     app_pattern,
     "PATTERN is a *_specification.json of GarmentCode. Prints a line for each panel, with the lengths of its edges, "
     "and\n"
     "the stitches that gather; numbers are those of the file. --svg prints a drawing instead, the panels flat and at\n"
     "true size, stitches numbered: muslin pattern shirt.json --svg > shirt.svg\n"},
    {DRESS, "dress", "PATTERN.json... BODY.obj [-- NAME=VALUE...]", "sew patterns around a body and drape them",
     app_dress,
     "PATTERN is a *_specification.json of GarmentCode, BODY an .obj, .ply, .stl or .glb in meters, y up. The panels "
     "are "
     "sewn\n"
     "without gravity, then the garment drapes until less than 1.5 % of its vertices move by more than 0.3 mm in a\n"
     "second; every frame is audited. Of several patterns each is sewn over the one before, the innermost first. "
     "Writes\n"
     "DIR/draped.obj and DIR/sewn.obj (the panels where they start), which have the same faces, a group for each "
     "panel,\n"
     "and the flat pattern in meters as texture coordinates (of several NAME_draped.obj and NAME_sewn.obj by the names "
     "of\n"
     "the files); DIR/picture.png, DIR/manifest.json, and every frame in the formats of --format.\n"
     "NAME is edge_length (0.02 m), material (jersey), body_scale (1), body_up (y), units (m of the pattern's unit; "
     "the\n"
     "file's), closing_time (1.5 s), placing (true: panels that miss a limb of this body are moved to it), elastic\n"
     "(PANEL:EDGE:SHRINKAGE[:WIDTH],...: bands of a width in m, 0.02, along edges by their numbers in muslin "
     "pattern),\n"
     "attach (labels of edges that stay where they are on the body, between commas; true: those of GarmentCode),\n"
     "attach_time (s until these are released; 0: never), seconds (30, the longest simulated time). muslin.dress is "
     "the\n"
     "same in a scene.\n"},
    {REPL, "repl", "[SCENE.lua] [-- ARG...]", "interactive Lua with history and completion", app_repl,
     "With a scene, `world` is its world, at time 0, and its objects are variables of their names. The value of an\n"
     "expression is printed; an incomplete line continues on the next. :step [N] simulates N frames, :pick NAME and\n"
     ":pick X Y Z select an object (`it`) or a vertex (`at`), :help lists all commands.\n"},
    {DOC, "doc", "[NAME...]", "reference of a Lua name, a stage, a preset, a material", app_doc,
     "Without a NAME, lists all entries; with --out DIR writes all of them, DIR/index.html and DIR/reference.md.\n"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const option_row rows[] = {
    {OPT_PIPELINES, COMPARE, "pipelines", "LIST", "comma list of presets, and 'scene' for the scene's own"},
    {OPT_RULE, COMPARE, "rule", "FILE.lua", "also with the response that FILE returns; may be repeated"},
    {OPT_FRAMES, VIEW | RUN | COMPARE, "frames", "N", "simulate frames 0 to N"},
    {OPT_SECONDS, VIEW | RUN | COMPARE, "seconds", "S", "simulate S seconds"},
    {OPT_FRAMES_ONLY, RUN, "frames-only", "A:B:C",
     "pictures (png, pov) only of frames A, A + C, ... to B; or of frame A"},
    {OPT_CASE, RUN, "case", "FILE:K",
     "case K of a sweep's cases.jsonl instead of SCENE; a complete case is kept; arguments after -- may name only "
     "files"},
    {OPT_ENGINE, SWEEP, "engine", "NAME", "local, parallel, slurm, snakemake or none (local)"},
    {'o', SCENES | TEST | SWEEP | COLLECT | DOC | DRESS, "out", "DIR",
     "folder for frames, pictures and what the script writes"},
    {OPT_FORMAT, RUN | DRESS, "format", "LIST",
     "comma list of obj, ply, stl, vtp, usda, glb, pc2, png, pov, mp4, webm, animation.glb, animation.usda, "
     "animation.abc, mdd, blender, or none (with --out; obj); see muslin doc formats"},
    {OPT_PLANES, RUN, "planes", NULL,
     "write planes, as squares of 10 m, in all formats: obj, usda, vtp and pc2 have them"},
    {OPT_UP, RUN, "up", "AXIS", "the axis that points up in ply and stl: y or z (y, as in the scene)"},
    {OPT_CHECKPOINT, RUN, "checkpoint-every", "N", "save the state every N frames, for --resume (with --out)"},
    {OPT_RESUME, RUN, "resume", NULL, "continue from the last checkpoint in --out, or from the start if there is none"},
    {OPT_PNG, COMPARE, "png", NULL, "write the last frames side by side (with --out)"},
    {OPT_REPORT, RUN | TEST | COMPARE | SWEEP | DRESS, "report", NULL,
     "write DIR/report.html: one page with pictures, plots and tables (with --out)"},
    {OPT_FAIL, COMPARE, "fail-on-intersections", NULL, "exit code 1 if any frame of any row intersects"},
    {OPT_SIZE, VIEW | RUN | COMPARE | DRESS, "size", "WxH", "pixels of a picture (1280x720)"},
    {OPT_SVG, PATTERN, "svg", NULL, "print a drawing of the pattern as SVG"},
    {OPT_SHOW, VIEW | RUN | DRESS, "show", "WHAT",
     "color cloth in pictures by stretch, speed, curvature, or force, pressure or distance of contacts, with a scale"},
    {OPT_LOOP, VIEW, "loop", NULL, "play the scene again when it has ended"},
    {OPT_REPL, VIEW, "repl", NULL, "read Lua from the terminal, for the world in the window"},
    {OPT_PIPELINE, VIEW | RUN | REPL | TEST | DRESS, "pipeline", "NAME", "pipeline preset, instead of the script's"},
    {OPT_THREADS, SCENES | TEST | DRESS, "threads", "N", "threads, instead of the script's; 0: all"},
    {OPT_SEED, SCENES | TEST, "seed", "N", "seed of random numbers, instead of the script's"},
    {OPT_NO_SLEEP, VIEW | RUN, "no-sleep", NULL, "solve every step, also of a world at rest (muslin doc world:wake)"},
    {OPT_AUDIT, RUN, "audit", NULL, "check every frame for intersections; exit code 1 if there are any"},
    {OPT_TOLERANCE, RUN | AUDIT | COMPARE, "tolerance", "M",
     "penetration depth of an obstacle that the audit tolerates, in meters (1e-4)"},
    {OPT_CSV, COLLECT, "csv", NULL, "the table as CSV"},
    {OPT_JSON, RUN | AUDIT | COMPARE | COLLECT | DRESS, "json", NULL, "results as JSON, one object per line"},
    {OPT_JUNIT, TEST, "junit", "FILE", "also write the results as JUnit XML"},
    {OPT_GOLDEN, TEST, "update-golden", NULL, "write the golden states of scenarios instead of comparing with them"},
    {OPT_FILTER, TEST, "filter", "PATTERN", "only scenarios whose \"file: name\" matches the Lua pattern"},
    {'j', TEST | SWEEP, "jobs", "N", "scenarios at a time; 0: one per processor (0)"},
    {'q', RUN | TEST | AUDIT | COMPARE | SWEEP | DRESS, "quiet", NULL, "no progress, no summary"},
    {OPT_TRUSTED, SCENES | TEST | SWEEP, "trusted", NULL, "give the script all of Lua's libraries"},
    {OPT_TIME_LIMIT, RUN | TEST | COMPARE | DRESS, "time-limit", "S", "stop after S seconds (exit code 124)"},
    {OPT_MEMORY_LIMIT, SCENES | TEST, "memory-limit", "MB", "largest memory of Lua, in megabytes (2000); 0: no limit"},
    {'h', ALL, "help", NULL, "print this help"},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const command *find_command(const char *name) {
    for (int k = 0; k < COMMAND_COUNT; k++)
        if (strcmp(commands[k].name, name) == 0) return &commands[k];
    return NULL;
}

app_command_fn app_command_find(const char *name) {
    const command *c = find_command(name);
    return c ? c->run : NULL;
}

/* ---- Values of options ------------------------------------------------------------------------------------------- */

static bool read_option(const option_row *row, const char *text, app_options *o) {
    int64_t integer = 0;
    if (text && !*text) return app_bad_value(row->name, "given a value", text);
    switch (row->id) {
    case OPT_FRAMES:
        return app_read_integer("frames", text, 0, 100000000, &o->frames);
    case OPT_SECONDS:
        return app_read_number("seconds", text, true, "s", &o->seconds);
    case OPT_TIME_LIMIT:
        return app_read_number("time-limit", text, false, "s", &o->time_limit);
    case OPT_MEMORY_LIMIT:
        return app_read_number("memory-limit", text, true, "MB", &o->memory_limit);
    case OPT_TOLERANCE:
        return app_read_number("tolerance", text, true, "m", &o->tolerance);
    case OPT_CHECKPOINT:
        return app_read_integer("checkpoint-every", text, 1, 100000000, &o->checkpoint_every);
    case OPT_RESUME:
        return o->resume = true;
    case OPT_THREADS:
        if (!app_read_integer("threads", text, 0, 1024, &integer)) return false;
        o->threads = (int)integer;
        return true;
    case 'j':
        if (!app_read_integer("jobs", text, 0, 1024, &integer)) return false;
        o->jobs = integer > 0 ? (int)integer : (int)sysconf(_SC_NPROCESSORS_ONLN);
        return true;
    case OPT_SEED:
        o->seed_given = true;
        return app_read_seed(text, &o->seed);
    case OPT_SIZE:
        return app_read_size(text, &o->width, &o->height);
    case OPT_SHOW:
        return app_read_heat(text, &o->show);
    case OPT_PLANES:
        o->planes = true;
        return true;
    case OPT_UP:
        return app_read_up(text, &o->z_up);
    case OPT_FORMAT:
        o->format = text;
        return app_output_formats_check(text);
    case 'o':
        o->out = text;
        return true;
    case OPT_PIPELINE:
        o->pipeline = text;
        return true;
    case OPT_JUNIT:
        o->junit = text;
        return true;
    case OPT_FILTER:
        o->filter = text;
        return true;
    case OPT_PIPELINES:
        o->pipelines = text;
        return true;
    case OPT_RULE:
        if (app_check_file("rule", "Lua file", text) >= 0) return false;
        o->rules[o->rule_count++] = text;
        return true;
    case OPT_PNG:
        return o->png = true;
    case OPT_REPORT:
        return o->report = true;
    case OPT_FAIL:
        return o->fail_on_intersections = true;
    case OPT_FRAMES_ONLY:
        return app_read_frames(text, &o->pictures);
    case OPT_CASE:
        o->case_at = text;
        return true;
    case OPT_ENGINE:
        o->engine = text;
        return app_engine_check(text);
    case OPT_CSV:
        return o->csv = true;
    case OPT_REPL:
        return o->repl = true;
    case OPT_SVG:
        return o->svg = true;
    case OPT_LOOP:
        return o->loops = true;
    case OPT_GOLDEN:
        return o->update_golden = true;
    case OPT_NO_SLEEP:
        return o->no_sleep = true;
    case OPT_AUDIT:
        return o->audit = true;
    case OPT_JSON:
        return o->json = true;
    case 'q':
        return o->quiet = true;
    case OPT_TRUSTED:
        return o->trusted = true;
    default:
        return true;
    }
}

/* ---- Mistakes ---------------------------------------------------------------------------------------------------- */

static void unknown_option(const char *text, const command *c) {
    const char *names[ROW_COUNT + 2];
    int count = 0;
    for (int k = 0; k < ROW_COUNT; k++)
        if (!c || rows[k].commands & c->bit) names[count++] = rows[k].name;
    if (!c) names[count++] = "version";
    names[count] = NULL;

    char word[64];
    snprintf(word, sizeof word, "%s", text);
    word[strcspn(word, "=")] = '\0';
    const char *bare = word + strspn(word, "-");
    const char *nearest = strlen(bare) > 1 ? mus_lua_nearest(bare, names) : NULL;
    const char *name = c ? c->name : "";
    if (nearest)
        app_error("unknown option '%s' (did you mean '--%s'?); see muslin %s%s--help", word, nearest, name,
                  c ? " " : "");
    else
        app_error("unknown option '%s'; see muslin %s%s--help", word, name, c ? " " : "");
}

static int unknown_command(const char *word) {
    const char *names[COMMAND_COUNT + 1] = {0};
    for (int k = 0; k < COMMAND_COUNT; k++) names[k] = commands[k].name;
    const char *nearest = mus_lua_nearest(word, names);
    if (nearest)
        app_error("unknown command '%s' (did you mean '%s'?); muslin --help lists the commands", word, nearest);
    else
        app_error("unknown command '%s'; muslin --help lists the commands", word);
    return APP_USAGE;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* ---- Parsing ----------------------------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 64 };

typedef struct parse {
    const option_row *given[MOST_OPTIONS]; /* rows seen, in order */
    const char *values[MOST_OPTIONS];
    int given_count;
    bool help, version;
} parse;

static const option_row *row_of(int id) {
    for (int k = 0; k < ROW_COUNT; k++)
        if (rows[k].id == id) return &rows[k];
    return NULL;
}

/* Refuses abbreviations of long options, which getopt accepts: an option of a later version could change their meaning.
 */
static bool is_abbreviated(const char *text, int id) {
    const option_row *row = row_of(id);
    const char *name = row ? row->name : id == 'V' ? "version" : NULL;
    if (!name || strncmp(text, "--", 2) != 0) return false;
    return strcspn(text + 2, "=") != strlen(name);
}

/* All commands' options are read in one pass, since they may precede the command; whether they belong to it is
 * checked afterwards. Returns -1 or an exit code. */
static int split(int argc, char **argv, app_options *o, parse *p) {
    struct option list[ROW_COUNT + 2];
    memset(list, 0, sizeof list);
    for (int k = 0; k < ROW_COUNT; k++)
        list[k] = (struct option){rows[k].name, rows[k].argument ? required_argument : no_argument, NULL, rows[k].id};
    list[ROW_COUNT] = (struct option){"version", no_argument, NULL, 'V'};

    opterr = 0;
    optind = 1;
    for (;;) {
        /* '-': operands are returned in order as 1, independent of POSIXLY_CORRECT, so that `--` always ends the
         * options */
        int at = optind, id = getopt_long(argc, argv, "-:ho:qj:V", list, NULL);
        if (id == -1) break;
        const char *text = argv[at < argc ? at : argc - 1];
        if (is_abbreviated(text, id)) id = '?', optopt = 0;
        if (id == 1) {
            o->paths[o->path_count++] = optarg;
        } else if (id == 'V') {
            p->version = true;
        } else if (id == 'h') {
            p->help = true;
        } else if (id == '?' && optopt != 0 && row_of(optopt) && strncmp(text, "--", 2) == 0) {
            app_error("option '--%s' takes no value (got '%s')", row_of(optopt)->name, text);
            return APP_USAGE;
        } else if (id == '?') {
            const command *c = o->path_count ? find_command(o->paths[0]) : NULL;
            if (optopt != 0 && optopt < 256 && strncmp(text, "--", 2) != 0) {
                char letter[3] = {'-', (char)optopt, 0};
                unknown_option(letter, c);
            } else {
                unknown_option(text, c);
            }
            return APP_USAGE;
        } else if (id == ':') {
            const option_row *row = row_of(optopt);
            app_error("option '--%s' needs a value: --%s %s", row->name, row->name, row->argument);
            return APP_USAGE;
        } else {
            if (p->given_count == MOST_OPTIONS) {
                app_error("too many options (more than %d)", p->given_count);
                return APP_USAGE;
            }
            p->given[p->given_count] = row_of(id);
            p->values[p->given_count++] = optarg;
        }
    }
    o->script_arg_count = argc - optind;
    for (int k = 0; k < o->script_arg_count; k++) o->script_args[k] = argv[optind + k];
    return -1;
}

/* Takes the command and its operands. */
static int choose_command(app_options *o, const command **chosen) {
    const char *first = o->paths[0];
    const command *c = find_command(first);
    if (c) {
        memmove(o->paths, o->paths + 1, (size_t)--o->path_count * sizeof *o->paths);
    } else if (ends_with(first, ".lua") || strchr(first, '/') || access(first, F_OK) == 0) {
        const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
        c = find_command((x11 && *x11) || (wayland && *wayland) ? "view" : "run");
    } else {
        return unknown_command(first);
    }
    o->command = c->name;
    *chosen = c;
    return -1;
}

static int check_operands(const command *c, app_options *o) {
    if (o->case_at && o->path_count > 0) {
        app_error("option '--case' names scene and arguments itself (got also '%s')", o->paths[0]);
        return APP_USAGE;
    }
    if (o->case_at) return -1;
    if (c->bit & (SCENES | SWEEP)) {
        const char *what = c->bit == SWEEP ? "PLAN" : "SCENE";
        if (o->path_count > 1) {
            app_error("%s takes one %s.lua (got also '%s'); a script's own arguments follow --", c->name, what,
                      o->paths[1]);
            return APP_USAGE;
        }
        if (o->path_count == 0 && c->bit != REPL) {
            app_error("%s needs a %s.lua; see muslin %s --help", c->name, what, c->name);
            return APP_USAGE;
        }
        if (o->path_count == 0) return -1;
        o->scene = o->paths[0];
        return app_check_file(c->bit == SWEEP ? "plan" : "scene", "Lua file", o->scene);
    }
    if (c->bit == DRESS) {
        if (o->path_count < 2) {
            app_error("dress takes a PATTERN.json and a BODY.obj (got %d file%s); see muslin dress --help",
                      o->path_count, o->path_count == 1 ? "" : "s");
            return APP_USAGE;
        }
        if (o->out) return -1;
        app_error("dress needs '--out DIR' to write the garment to");
        return APP_USAGE;
    }
    /* elsewhere `--` only ends the options */
    for (int k = 0; k < o->script_arg_count; k++) o->paths[o->path_count++] = o->script_args[k];
    o->script_arg_count = 0;
    if (c->bit == PATTERN && o->path_count > 1) {
        app_error("pattern takes one PATTERN.json (got also '%s')", o->paths[1]);
        return APP_USAGE;
    }
    if (o->path_count == 0 && c->bit != DOC) {
        app_error("%s needs a %s; see muslin %s --help", c->name, c->operands, c->name);
        return APP_USAGE;
    }
    return -1;
}

static int check_combinations(const command *c, const app_options *o) {
    if (o->frames >= 0 && o->seconds >= 0) {
        app_error("options '--frames' and '--seconds' exclude each other");
        return APP_USAGE;
    }
    if (o->loops && (o->frames >= 0 || o->seconds >= 0)) {
        app_error("options '--loop' and '--%s' exclude each other: the window closes after these %s",
                  o->frames >= 0 ? "frames" : "seconds", o->frames >= 0 ? "frames" : "seconds");
        return APP_USAGE;
    }
    if (c->bit == RUN && o->format && !o->out) {
        app_error("option '--format' needs '--out DIR' to write to");
        return APP_USAGE;
    }
    if (c->bit == RUN && (o->resume || o->checkpoint_every > 0) && !o->out) {
        app_error("option '--%s' needs '--out DIR', where checkpoints are kept",
                  o->resume ? "resume" : "checkpoint-every");
        return APP_USAGE;
    }
    if (o->report && !o->out) {
        app_error("option '--report' needs '--out DIR' to write DIR/report.html");
        return APP_USAGE;
    }
    if (o->report && o->engine && strcmp(o->engine, "none") == 0) {
        app_error("option '--report' shows what runs gave, and '--engine none' runs nothing: omit one of them");
        return APP_USAGE;
    }
    if (o->case_at && !o->out) {
        app_error("option '--case' needs '--out DIR', the folder of complete cases");
        return APP_USAGE;
    }
    if (c->bit == RUN && o->width > 0 &&
        !(o->format && (app_output_formats_pictures(o->format) || app_output_formats_single(o->format)))) {
        app_error("option '--size' applies to pictures and needs '--format png' (or pov, mp4, webm)");
        return APP_USAGE;
    }
    if (c->bit == RUN && o->show != APP_HEAT_NONE && !o->report &&
        !(o->format && app_output_formats_pictures(o->format))) {
        app_error("option '--show' applies to pictures and needs '--format png' (or mp4, webm) or '--report'");
        return APP_USAGE;
    }
    if (o->z_up && !(o->format && app_output_formats_turned(o->format))) {
        app_error("option '--up' applies to '--format ply' and 'stl'; other formats state their axes, or have y up");
        return APP_USAGE;
    }
    if (o->planes && !(o->format && app_output_formats_omit_planes(o->format))) {
        app_error("option '--planes' applies to formats that leave planes out (see muslin doc formats); obj, usda, "
                  "vtp and pc2 have them, and pictures show them");
        return APP_USAGE;
    }
    if (o->pictures.step > 0 && !(o->format && app_output_formats_single(o->format))) {
        app_error("option '--frames-only' chooses pictures; it needs '--format png' or 'pov', and no film, which needs "
                  "all frames");
        return APP_USAGE;
    }
    if (c->bit == COMPARE && o->png && !o->out) {
        app_error("option '--png' needs '--out DIR' to write to");
        return APP_USAGE;
    }
    if (c->bit == COMPARE && o->width > 0 && !o->png) {
        app_error("option '--size' applies to pictures and needs '--png'");
        return APP_USAGE;
    }
    if (c->bit == RUN && o->tolerance >= 0 && !o->audit) {
        app_error("option '--tolerance' applies to the audit and needs '--audit'");
        return APP_USAGE;
    }
    return -1;
}

int app_options_parse(int argc, char **argv, app_options *o) {
    parse p = {0};
    memset(o, 0, sizeof *o);
    o->frames = -1;
    o->seconds = -1;
    o->tolerance = -1;
    o->memory_limit = -1;
    o->threads = -1;
    o->jobs = -1;
    o->paths = calloc((size_t)argc + 1, sizeof *o->paths);
    o->script_args = calloc((size_t)argc + 1, sizeof *o->script_args);
    o->rules = calloc((size_t)argc + 1, sizeof *o->rules);
    if (!o->paths || !o->script_args || !o->rules) {
        app_error("no memory for the command line");
        return APP_ERROR;
    }
    int code = split(argc, argv, o, &p);
    if (code >= 0) return code;
    if (p.version) {
        options_print_version();
        return APP_OK;
    }
    if (o->path_count == 0) {
        if (!p.help && p.given_count == 0 && o->script_arg_count == 0) {
            options_print_help(stderr, commands, COMMAND_COUNT);
            return APP_USAGE;
        }
        if (!p.help) {
            app_error("no command given; muslin --help lists the commands");
            return APP_USAGE;
        }
        options_print_help(stdout, commands, COMMAND_COUNT);
        return APP_OK;
    }
    const command *c = NULL;
    if ((code = choose_command(o, &c)) >= 0) return code;
    if (p.help) {
        options_print_command_help(c, rows, ROW_COUNT);
        return APP_OK;
    }
    for (int k = 0; k < p.given_count; k++) {
        if (!(p.given[k]->commands & c->bit)) {
            char owners[64] = "";
            for (int n = 0; n < COMMAND_COUNT; n++)
                if (commands[n].bit & p.given[k]->commands)
                    snprintf(owners + strlen(owners), sizeof owners - strlen(owners), "%s%s", *owners ? ", " : "",
                             commands[n].name);
            app_error("option '--%s' is none of muslin %s but of: %s; see muslin %s --help", p.given[k]->name, c->name,
                      owners, c->name);
            return APP_USAGE;
        }
        if (!read_option(p.given[k], p.values[k], o)) return APP_USAGE;
    }
    if (o->jobs < 0) o->jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    o->world_memory = o->memory_limit > 0 ? o->memory_limit : 0;
    if (o->memory_limit < 0) o->memory_limit = c->bit == TEST ? TEST_MEMORY : SCENE_MEMORY;
    if ((code = check_combinations(c, o)) >= 0 || (code = check_operands(c, o)) >= 0) return code;
    return o->pipeline ? app_pipeline_check("pipeline", o->pipeline) : -1;
}

void app_options_free(app_options *options) {
    free(options->paths);
    free(options->script_args);
    free(options->rules);
    options->paths = options->script_args = NULL;
    options->rules = NULL;
}
