/* manifest_page.c: the scene of a run and what it ran on, from its manifest. */
#include "report/report.h"

/* Rows of a table of pairs for these members, where they are given. */
static void print_members(app_page *page, const json_t *object, const char *const names[][2], size_t count) {
    for (size_t k = 0; k < count; k++) {
        const json_t *value = json_object_get(object, names[k][0]);
        if (!value || json_is_null(value)) continue;
        app_page_row_start(page, names[k][1]);
        app_page_value(page, value);
        app_page_row_end(page);
    }
}

/* A table of a list of objects: of each a row with its members `keys`, the first one as its head; nothing for an empty
 * list. */
static void print_list(app_page *page, const json_t *list, const char *caption, const char *const heads[],
                       const char *kinds, const char *const keys[], int columns) {
    if (json_array_size(list) == 0) return;
    app_page_table_start(page, caption, heads, kinds, columns);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *o = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(o, keys[0]));
        app_page_row_start(page, name ? name : "?");
        for (int i = 1; i < columns; i++) app_page_value(page, json_object_get(o, keys[i]));
        app_page_row_end(page);
    }
    app_page_table_end(page);
}

static void print_start(app_page *page, const json_t *start) {
    static const char *const heads[] = {"object", "and", "pairs that crossed", "inside", "moved", "largest way [m]"};
    static const char *const keys[] = {"a", "b", "crossings", "inside", "moved", "largest"};
    print_list(page, json_object_get(start, "pairs"), "Separated before the first step", heads, "ttnnnn", keys, 6);
}

void app_page_scene(app_page *page, const json_t *manifest) {
    static const char *const members[][2] = {{"seed", "seed"},
                                             {"fps", "frames per second"},
                                             {"step_size", "step [s]"},
                                             {"steps_per_frame", "steps per frame"},
                                             {"gravity", "gravity [m/s\xc2\xb2]"},
                                             {"wind", "wind [m/s]"},
                                             {"air_density", "air density [kg/m\xc2\xb3]"},
                                             {"sleep", "may sleep"}};
    static const char *const cloth[] = {
        "name", "vertices", "faces", "material", "model", "density [kg/m\xc2\xb2]", "thickness [m]", "friction"};
    static const char *const obstacle[] = {"name", "shape", "position [m]", "thickness [m]", "friction"};
    static const char *const obstacle_keys[] = {"name", "shape", "position", "thickness", "friction"};
    json_t *cloths = json_object_get(manifest, "cloths"), *obstacles = json_object_get(manifest, "obstacles");
    if (!cloths) return; /* the script made no world */
    app_page_section(page, "Scene");
    if (json_array_size(cloths) > 0) {
        app_page_table_start(page, "Cloths", cloth, "tnnttnnn", 8);
        for (size_t k = 0; k < json_array_size(cloths); k++) {
            const json_t *o = json_array_get(cloths, k), *material = json_object_get(o, "material");
            const char *name = json_string_value(json_object_get(o, "name"));
            app_page_row_start(page, name ? name : "?");
            app_page_value(page, json_object_get(o, "vertices"));
            app_page_value(page, json_object_get(o, "faces"));
            app_page_value(page, json_object_get(material, "name"));
            app_page_value(page, json_object_get(material, "model"));
            app_page_value(page, json_object_get(material, "density"));
            app_page_value(page, json_object_get(o, "thickness"));
            app_page_value(page, json_object_get(o, "friction"));
            app_page_row_end(page);
        }
        app_page_table_end(page);
    }
    print_list(page, obstacles, "Obstacles, where they are at the start", obstacle, "tttnn", obstacle_keys, 5);
    print_start(page, json_object_get(manifest, "start"));
    app_page_pairs_start(page, "World");
    print_members(page, manifest, members, sizeof members / sizeof *members);
    const char *kind;
    json_t *stage;
    json_object_foreach(json_object_get(manifest, "pipeline"), kind, stage) {
        char name[64];
        snprintf(name, sizeof name, "pipeline: %s", kind);
        app_page_row_start(page, name);
        app_page_value(page, stage);
        app_page_row_end(page);
    }
    app_page_table_end(page);
}

static void print_hooks(app_page *page, const json_t *hooks) {
    static const char *const heads[] = {"hook", "event", "calls", "time [ms]"};
    static const char *const keys[] = {"name", "event", "calls", "total_ms"};
    print_list(page, hooks, "Hooks of the script", heads, "ttnn", keys, 4);
}

static void print_files(app_page *page, const json_t *files) {
    static const char *const heads[] = {"file", "hash"}, *const keys[] = {"path", "hash"};
    print_list(page, files, "The script and the files it required, with a hash of their bytes", heads, "tt", keys, 2);
}

void app_page_program(app_page *page, const json_t *manifest) {
    static const char *const members[][2] = {
        {"muslin", "muslin"},         {"compiler", "compiler"}, {"cpu", "processor"},
        {"simd", "kernels for"},      {"lua", "Lua"},           {"lua_hash", "string hash of Lua"},
        {"processors", "processors"}, {"threads", "threads"},   {"script", "script"},
        {"arguments", "arguments"},   {"formats", "formats"},   {"resumed", "resumed after frame"}};
    const char *name;
    json_t *value;
    app_page_section(page, "How it was run");
    app_page_pairs_start(page, "Program, machine and arguments");
    print_members(page, manifest, members, sizeof members / sizeof *members);
    json_object_foreach(json_object_get(manifest, "options"), name, value) {
        if (json_is_null(value) || json_is_false(value)) continue;
        char option[64];
        snprintf(option, sizeof option, "option --%s", name);
        for (char *c = option; *c; c++) *c = *c == '_' ? '-' : *c;
        app_page_row_start(page, option);
        app_page_value(page, value);
        app_page_row_end(page);
    }
    const json_t *frames = json_object_get(manifest, "frames");
    const json_t *last = json_array_get(frames, json_array_size(frames) - 1);
    if (last) {
        app_page_row_start(page, "state after the last frame (hash)");
        app_page_value(page, json_object_get(last, "hash"));
        app_page_row_end(page);
    }
    app_page_table_end(page);
    print_files(page, json_object_get(manifest, "files"));
    print_hooks(page, json_object_get(manifest, "hooks"));
}
