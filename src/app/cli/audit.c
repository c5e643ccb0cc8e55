/* audit.c: the independent intersection check of mesh files and of a run's frames. */
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FINDINGS_SHOWN = 20 }; /* of one file, in JSON; the counts are whole */

typedef struct audit {
    const app_options *options;
    double tolerance;
    app_progress progress;
    int64_t files, bad_files, intersections, inside, pairs;
    double max_depth;
    bool header;
} audit;

typedef struct frame_list {
    char **paths;
    int64_t *frames;
    int64_t count, capacity;
} frame_list;

static const char *kind_name(mus_audit_kind kind) {
    switch (kind) {
    case MUS_AUDIT_CROSSING:
        return "crossing";
    case MUS_AUDIT_VERTEX_PAIR:
        return "crossing beside a common vertex";
    case MUS_AUDIT_EDGE_PAIR:
        return "overlap beside a common edge";
    case MUS_AUDIT_INSIDE:
        return "inside";
    }
    return "?";
}

char *app_finding_text(const mus_audit_finding *f, const char *one, const char *two) {
    if (f->kind == MUS_AUDIT_INSIDE)
        return app_format("%s %d of '%s' is %.4g mm inside '%s'", f->face[1] == -2 ? "face" : "vertex", f->face[0] + 1,
                          one, 1e3 * f->depth, two);
    return app_format("face %d of '%s' and face %d of '%s': %s", f->face[0] + 1, one, f->face[1] + 1, two,
                      kind_name(f->kind));
}

static void print_json(const char *path, const mus_part *parts, int32_t count, const mus_audit_report *r) {
    json_t *o = json_object(), *findings = json_array();
    int64_t faces = 0;
    for (int32_t k = 0; k < count; k++) faces += parts[k].face_count;
    json_object_set_new(o, "file", json_string(path));
    json_object_set_new(o, "parts", json_integer(count));
    json_object_set_new(o, "faces", json_integer(faces));
    json_object_set_new(o, "pairs", json_integer(r->pairs_tested));
    json_object_set_new(o, "intersections", json_integer(r->intersections));
    json_object_set_new(o, "inside", json_integer(r->inside));
    json_object_set_new(o, "touches", json_integer(r->touches));
    json_object_set_new(o, "max_depth", json_real(r->max_depth));
    for (int64_t k = 0; k < r->finding_count && k < FINDINGS_SHOWN; k++) {
        const mus_audit_finding *f = &r->findings[k];
        json_t *one = json_object();
        json_object_set_new(one, "kind", json_string(kind_name(f->kind)));
        for (int side = 0; side < 2; side++) {
            json_t *what = json_object();
            json_object_set_new(what, "part", json_string(parts[f->part[side]].name));
            bool vertex = f->kind == MUS_AUDIT_INSIDE && f->face[1] == -1;
            if (f->face[side] >= 0)
                json_object_set_new(what, vertex ? "vertex" : "face", json_integer(f->face[side] + 1));
            json_object_set_new(one, side ? "b" : "a", what);
        }
        if (f->kind == MUS_AUDIT_INSIDE) json_object_set_new(one, "depth", json_real(f->depth));
        json_array_append_new(findings, one);
    }
    json_object_set_new(o, "findings", findings);
    json_dumpf(o, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    fflush(stdout);
    json_decref(o);
}

static void print_row(audit *a, const char *path, const mus_part *parts, int32_t count, const mus_audit_report *r) {
    int64_t faces = 0;
    for (int32_t k = 0; k < count; k++) faces += parts[k].face_count;
    app_progress_clear_any();
    if (!a->header)
        printf("%13s %7s %7s %10s %9s  file\n", "intersections", "inside", "touches", "depth [mm]", "faces");
    a->header = true;
    printf("%13lld %7lld %7lld %10.4f %9lld  %s\n", (long long)r->intersections, (long long)r->inside,
           (long long)r->touches, 1e3 * r->max_depth, (long long)faces, path);
    if (r->finding_count == 0) return;
    const mus_audit_finding *f = &r->findings[0];
    char *text = app_finding_text(f, parts[f->part[0]].name, parts[f->part[1]].name);
    printf("  first: %s\n", text ? text : kind_name(f->kind));
    free(text);
}

/* Audits one file; `always`: show a row even when it is clean. */
static bool audit_file(audit *a, const char *path, bool always) {
    mus_parts *loaded = NULL;
    mus_audit_report report = {0};
    if (mus_parts_load(path, &loaded) != MUS_STATUS_OK) {
        app_error("%s", mus_get_error_message());
        return false;
    }
    int32_t count = 0;
    const mus_part *parts = mus_parts_get_all(loaded, &count);
    bool ok = mus_parts_audit(parts, count, a->tolerance, &report) == MUS_STATUS_OK;
    if (!ok) {
        app_error("%s: %s", path, mus_get_error_message());
    } else {
        bool bad = report.intersections + report.inside > 0;
        a->files++;
        a->bad_files += bad;
        a->intersections += report.intersections;
        a->inside += report.inside;
        a->pairs += report.pairs_tested;
        a->max_depth = fmax(a->max_depth, report.max_depth);
        if (a->options->json)
            print_json(path, parts, count, &report);
        else if ((always || bad) && !a->options->quiet)
            print_row(a, path, parts, count, &report);
    }
    mus_audit_report_destroy(&report);
    mus_parts_destroy(loaded);
    return ok;
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

static bool add_frame(frame_list *list, const char *folder, const char *name, int64_t frame) {
    if (list->count == list->capacity) {
        int64_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **paths = realloc(list->paths, (size_t)capacity * sizeof *paths);
        if (paths) list->paths = paths;
        int64_t *frames = realloc(list->frames, (size_t)capacity * sizeof *frames);
        if (frames) list->frames = frames;
        if (!paths || !frames) return false;
        list->capacity = capacity;
    }
    char *path = app_format("%s/%s", folder, name);
    if (!path) return false;
    int64_t at = list->count++;
    for (; at > 0 && list->frames[at - 1] > frame; at--) { /* folders come nearly in order */
        list->paths[at] = list->paths[at - 1];
        list->frames[at] = list->frames[at - 1];
    }
    list->paths[at] = path;
    list->frames[at] = frame;
    return true;
}

static bool list_frames(const char *folder, const char *wanted, frame_list *list) {
    DIR *dir = opendir(folder);
    if (!dir) {
        app_error("'%s': %s", folder, strerror(errno));
        return false;
    }
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(dir));) {
        int64_t frame;
        const char *extension;
        if (app_frame_name(entry->d_name, &frame, &extension) && strcmp(extension, wanted) == 0)
            ok = add_frame(list, folder, entry->d_name, frame);
    }
    closedir(dir);
    if (!ok) app_error("no memory for the list of frames in '%s'", folder);
    return ok;
}

static void free_frames(frame_list *list) {
    for (int64_t k = 0; k < list->count; k++) free(list->paths[k]);
    free(list->paths);
    free(list->frames);
    memset(list, 0, sizeof *list);
}

/* Whether a comma list has the word. */
static bool names_format(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && memcmp(at, word, length) == 0) return true;
    return false;
}

/* The formats of the folder's last run, a comma list for the caller to free; NULL: it has no manifest, or a short one.
 * Frames of other formats are of an earlier run. */
static char *formats_of(const char *folder) {
    char *path = app_format("%s/manifest.json", folder), *formats = NULL;
    json_t *manifest = path ? json_load_file(path, 0, NULL) : NULL;
    json_t *options = json_object_get(manifest, "options"), *format = json_object_get(options, "format");
    if (json_is_string(format)) formats = strdup(json_string_value(format));
    if (json_is_null(format)) formats = strdup("obj"); /* by default */
    json_decref(manifest);
    free(path);
    return formats;
}

static bool audit_folder(audit *a, const char *folder) {
    static const char *const extensions[] = {"obj", "usda", "ply", "stl"}; /* the first two have the parts' names */
    frame_list list = {0};
    char *formats = formats_of(folder);
    size_t k = 0;
    bool ok = true;
    for (; k < sizeof extensions / sizeof *extensions && ok && list.count == 0; k++)
        if (!formats || names_format(formats, extensions[k])) ok = list_frames(folder, extensions[k], &list);
    if (ok && list.count == 0) {
        app_error("'%s' contains no frames (frame_000000.obj and so on)%s%s; name mesh files one by one", folder,
                  formats ? " of its last run, whose format is " : "", formats ? formats : "");
        ok = false;
    }
    free(formats);
    if (ok && k > 2)
        app_error("warning: the frames in '%s' are .%s, which store no names: obstacles are checked as cloth, and "
                  "planes are not checked where run was without --planes",
                  folder, extensions[k - 1]);
    for (int64_t n = 0; ok && n < list.count; n++) {
        app_progress_update(&a->progress, n, list.count, "frames");
        ok = audit_file(a, list.paths[n], false);
    }
    free_frames(&list);
    return ok;
}

/* Nothing is being written: an interrupt may end the process at once, wherever it is. */
static void exit_on_signal(int signal) {
    (void)signal;
    _exit(APP_INTERRUPTED);
}

int app_audit(const app_options *options) {
    audit a = {.options = options, .tolerance = options->tolerance >= 0 ? options->tolerance : 1e-4};
    int code = APP_OK;
    signal(SIGINT, exit_on_signal);
    signal(SIGTERM, exit_on_signal);
    app_progress_start(&a.progress, "audit", options->quiet);
    for (int k = 0; k < options->path_count && code == APP_OK; k++) {
        const char *path = options->paths[k];
        struct stat s;
        if (stat(path, &s) != 0) {
            app_error("'%s': %s", path, errno == ENOENT ? "not found" : strerror(errno));
            code = APP_USAGE;
        } else if (!(S_ISDIR(s.st_mode) ? audit_folder(&a, path) : audit_file(&a, path, true))) {
            code = APP_ERROR;
        }
    }
    app_progress_end(&a.progress);
    if (options->json) {
        printf("{\"summary\": true, \"files\": %lld, \"bad_files\": %lld, \"intersections\": %lld, \"inside\": %lld, "
               "\"max_depth\": %.17g}\n",
               (long long)a.files, (long long)a.bad_files, (long long)a.intersections, (long long)a.inside,
               a.max_depth);
    } else if (!options->quiet && code == APP_OK) {
        printf("%lld files, %lld pairs of faces tested: %lld intersections, %lld features inside obstacles, in %lld "
               "files\n",
               (long long)a.files, (long long)a.pairs, (long long)a.intersections, (long long)a.inside,
               (long long)a.bad_files);
    }
    if (code == APP_OK && a.bad_files > 0) code = APP_CHECK_FAILED;
    return code;
}
