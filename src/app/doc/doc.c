/* doc.c: the reference in the terminal: Lua names, presets, stages, materials. */
#include "doc/doc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char TOPICS[] = "Topics", PRESETS[] = "Presets of pipelines", STAGES[] = "Stages",
                  MATERIALS[] = "Materials by name";

/* Index of a chapter by its title; -1 if there is none. */
static int find_chapter(const doc_reference *r, const char *title) {
    for (int k = 0; k < r->chapter_count; k++)
        if (strcmp(r->chapters[k].title, title) == 0) return k;
    return -1;
}

static void add_chapter(doc_reference *r, const char *title, const char *about) {
    doc_chapter *chapters = realloc(r->chapters, ((size_t)r->chapter_count + 1) * sizeof *chapters);
    if (!chapters) {
        r->failed = true;
        return;
    }
    r->chapters = chapters;
    doc_chapter *c = &chapters[r->chapter_count++];
    *c = (doc_chapter){strdup(title), strdup(about)};
    r->failed = r->failed || !c->title || !c->about;
}

/* `title`: of its chapter, which must exist. */
static void add_entry(doc_reference *r, const char *kind, const char *title, const char *name, const char *line,
                      char *text) {
    if (r->count == r->capacity) {
        int capacity = r->capacity ? 2 * r->capacity : 128;
        doc_entry *entries = realloc(r->entries, (size_t)capacity * sizeof *entries);
        if (!entries) {
            r->failed = true;
            free(text);
            return;
        }
        r->entries = entries;
        r->capacity = capacity;
    }
    doc_entry *e = &r->entries[r->count++];
    *e = (doc_entry){.name = strdup(name), .kind = kind, .line = strndup(line, strcspn(line, "\n")), .text = text};
    e->chapter = find_chapter(r, title);
    r->failed = r->failed || !e->name || !e->line || !e->text || e->chapter < 0;
}

static void add_stages(doc_reference *r) {
    for (int32_t k = 0; k < mus_stage_get_count(); k++) {
        const mus_stage_info *s = mus_stage_get(k);
        bool cited = s->citation && *s->citation;
        add_entry(r, mus_stage_kind_get_name(s->kind), STAGES, s->name, s->doc,
                  app_format("%s%s%s", s->doc, cited ? "\nSource: " : "", cited ? s->citation : ""));
    }
}

static char *join(char *text, const char *format, ...) {
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    char *whole = text ? app_format("%s%s", text, piece) : NULL;
    free(text);
    return whole;
}

/* A measured fabric's two tables. */
static void add_fabric(doc_reference *r, const mus_material *m) {
    const mus_fabric *f = mus_fabric_get(m->fabric);
    char *line = app_format("%g kg/m^2, measured: warp %g to %g N/m, weft %g to %g N/m", f->density, f->stretch[0][0],
                            f->stretch[1][0], f->stretch[0][2], f->stretch[5][2]);
    char *text =
        app_format("model            measured\n"
                   "density          %g kg/m^2\n"
                   "damping          %g s\n"
                   "bending_damping  %g s\n"
                   "viscous_damping  %g 1/s\n"
                   "drag             %g\n"
                   "stretching, N/m: c11 (warp), c12, c22 (weft), c33 (shear); tension = c times Green strain,\n"
                   "linear between them in the largest strain and its direction",
                   m->density, m->damping, m->bending_damping, m->viscous_damping, m->drag);
    for (int k = 0; k < 6; k++) {
        text =
            k == 0 ? join(text, "\n  at rest             ") : join(text, "\n  1/6 strain at %4.1f  ", 22.5 * (k - 1));
        for (int c = 0; c < 4; c++) text = join(text, " %10.4f", f->stretch[k][c]);
    }
    text = join(text, "\nbending, 1e-6 N m: hinges at curvatures 0, 10, 20, 30, 40 1/m; plates take a quarter");
    for (int k = 0; k < 3; k++) {
        text = join(text, "\n  crease at %2d        ", 45 * k);
        for (int c = 0; c < 5; c++) text = join(text, " %10.4f", 1e6 * f->bending[k][c]);
    }
    text =
        join(text, "\nSource: Wang, O'Brien & Ramamoorthi 2011, \"Data-driven elastic models for cloth: modeling and "
                   "measurement\", ACM Transactions on Graphics 30 (4)");
    if (text)
        add_entry(r, "material", MATERIALS, m->name, line ? line : "", text);
    else
        r->failed = true;
    free(line);
}

static void add_materials(doc_reference *r) {
    for (int32_t k = 0; k < mus_material_get_preset_count(); k++) {
        const mus_material *m = mus_material_get_preset(k);
        if (m->model == MUS_MODEL_MEASURED) {
            add_fabric(r, m);
            continue;
        }
        char *line = app_format("%g kg/m^2, stretch %g N/m, shear %g N/m", m->density, m->stretch, m->shear);
        char *text = app_format("density          %g kg/m^2\n"
                                "stretch          %g N/m\n"
                                "shear            %g N/m\n"
                                "bend             %g N/m\n"
                                "bending          %g N m\n"
                                "compression      %g of the stiffness in tension\n"
                                "damping          %g s\n"
                                "bending_damping  %g s\n"
                                "viscous_damping  %g 1/s\n"
                                "drag             %g\n"
                                "strain_limit     %g",
                                m->density, m->stretch, m->shear, m->bend, m->bending, m->compression, m->damping,
                                m->bending_damping, m->viscous_damping, m->drag, m->strain_limit);
        add_entry(r, "material", MATERIALS, m->name, line ? line : "", text);
        free(line);
    }
}

/* A string field of the table on top of the stack; lives as long as the table. */
static const char *field(lua_State *L, const char *name) {
    const char *text = lua_getfield(L, -1, name) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return text;
}

/* scripts/reference/chapters.lua returns {list = {{title =, about =}, ...}}: the chapters of Lua names. */
static int read_chapters(lua_State *L) {
    doc_reference *r = lua_touserdata(L, 1);
    app_push_module(L, "muslin.reference.chapters");
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_getfield(L, -1, "list");
    for (lua_Integer k = 1; lua_rawgeti(L, -1, k) == LUA_TTABLE; k++, lua_pop(L, 1)) {
        const char *title = field(L, "title"), *about = field(L, "about");
        if (!title || !about) return luaL_error(L, "chapters: chapter %d has no title or no sentence", (int)k);
        add_chapter(r, title, about);
    }
    add_chapter(r, TOPICS, "Pages on topics, without a name of their own.");
    add_chapter(r, PRESETS, "Whole pipelines by name: the field `pipeline` of a world, or --pipeline.");
    add_chapter(r, STAGES, "The stages of pipelines, by kind.");
    add_chapter(r, MATERIALS, "The field `material` of a cloth.");
    if (r->failed) return luaL_error(L, "no memory for the reference");
    return 0;
}

/* scripts/reference/pictures.lua returns {NAME = function(muslin) -> SVG}: for the pages only. */
static int read_pictures(lua_State *L) {
    doc_reference *r = lua_touserdata(L, 1);
    app_push_module(L, "muslin.reference.pictures");
    luaL_checktype(L, -1, LUA_TTABLE);
    for (int k = 0; k < r->count; k++) {
        doc_entry *e = &r->entries[k];
        if (strcmp(e->kind, "lua") != 0 && strcmp(e->kind, "topic") != 0) continue;
        if (lua_getfield(L, 2, e->name) == LUA_TFUNCTION) {
            app_push_module(L, "muslin");
            lua_call(L, 1, 1);
            e->picture = strdup(luaL_checkstring(L, -1));
            if (!e->picture) return luaL_error(L, "no memory for the reference");
        }
        lua_settop(L, 2);
    }
    return 0;
}

/* scripts/reference.lua returns {{name =, doc =, kind =, signature =, example =, chapter =, words =}, ...}; all but
 * name, doc and the chapter of a Lua name are optional. Of its kinds "lua" and "topic" are read; presets come from
 * the pipelines below. */
static int read_reference(lua_State *L) {
    doc_reference *r = lua_touserdata(L, 1);
    app_push_module(L, "muslin.reference");
    luaL_checktype(L, -1, LUA_TTABLE);
    for (lua_Integer k = 1; lua_rawgeti(L, -1, k) == LUA_TTABLE; k++) {
        const char *name = field(L, "name"), *signature = field(L, "signature");
        const char *doc = field(L, "doc"), *example = field(L, "example");
        const char *kind = field(L, "kind");
        if (!name || !doc) return luaL_error(L, "reference: entry %d has no name or no doc", (int)k);
        bool topic = kind && strcmp(kind, "topic") == 0;
        if (kind && !topic && strcmp(kind, "lua") != 0) {
            lua_pop(L, 1);
            continue;
        }
        const char *chapter = field(L, "chapter"), *words = field(L, "words");
        if (!topic && (!chapter || find_chapter(r, chapter) < 0))
            return luaL_error(L, "reference: %s is in no chapter", name);
        add_entry(r, topic ? "topic" : "lua", topic ? TOPICS : chapter, name, doc,
                  app_format("%s%s%s%s%s", signature ? signature : "", signature ? "\n\n" : "", doc,
                             example ? "\n\n" : "", example ? example : ""));
        doc_entry *e = &r->entries[r->count - 1];
        if (r->failed) return luaL_error(L, "no memory for the reference");
        e->signature = signature ? (int)strlen(signature) : 0;
        e->example = example ? (int)(strlen(e->text) - strlen(example)) : 0;
        e->words = words ? strdup(words) : NULL;
        r->failed = r->failed || (words && !e->words);
        lua_pop(L, 1);
    }
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const doc_entry *)a)->name, ((const doc_entry *)b)->name);
}

/* scripts/pipelines.lua returns {NAME = {doc =, integrator =, broad =, ...}, ...}. */
static int read_presets(lua_State *L) {
    doc_reference *r = lua_touserdata(L, 1);
    int first = r->count;
    app_push_module(L, "muslin.pipelines");
    luaL_checktype(L, -1, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        const char *doc = lua_istable(L, -1) ? field(L, "doc") : NULL;
        if (lua_type(L, -2) != LUA_TSTRING || !doc) return luaL_error(L, "pipelines: a preset has no name or no doc");
        char stages[512] = "";
        for (int k = 0; k < MUS_STAGE_KIND_COUNT; k++) {
            const char *kind = mus_stage_kind_get_name((mus_stage_kind)k), *stage = field(L, kind);
            size_t used = strlen(stages);
            snprintf(stages + used, sizeof stages - used, "\n%-12s %s", kind, stage ? stage : "(the default)");
        }
        add_entry(r, "preset", PRESETS, lua_tostring(L, -2), doc, app_format("%s\n%s", doc, stages));
    }
    if (r->count > first) qsort(r->entries + first, (size_t)(r->count - first), sizeof *r->entries, by_name);
    return 0;
}

static bool add_reference(doc_reference *r, bool pictures) {
    app_options options = {.command = "doc", .threads = -1};
    app_scene scene;
    bool ok = app_state_open(&scene, &options);
    if (ok) {
        static const lua_CFunction readers[] = {read_chapters, read_reference, read_presets, read_pictures};
        for (int k = 0; k < (pictures ? 4 : 3); k++) {
            lua_pushcfunction(scene.L, readers[k]);
            lua_pushlightuserdata(scene.L, r);
            if (lua_pcall(scene.L, 1, 0, 0) == LUA_OK) continue;
            app_error("%s", lua_tostring(scene.L, -1));
            lua_pop(scene.L, 1);
            ok = false;
        }
    } else {
        app_error("%s", scene.error);
    }
    app_scene_close(&scene);
    return ok;
}

static void print_entry(const doc_entry *e, bool first) {
    if (!first) putchar('\n');
    printf("%s (%s)\n", e->name, e->kind);
    for (const char *text = e->text; *text;) {
        size_t n = strcspn(text, "\n");
        printf(n ? "  %.*s\n" : "%.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

void doc_print_short(const char *line) {
    enum { ROOM = 84 };
    const char *sentence = strstr(line, ". ");
    int n = (int)(sentence ? (size_t)(sentence - line) : strlen(line));
    bool cut = n > ROOM;
    if (cut)
        for (n = ROOM; n > 0 && line[n] != ' '; n--) {
        }
    printf("%.*s%s\n", n, line, cut ? " ..." : "");
}

static void print_list(const doc_reference *r) {
    const char *kind = "";
    for (int k = 0; k < r->count; k++) {
        const doc_entry *e = &r->entries[k];
        if (strcmp(kind, e->kind) != 0) printf("%s%s:\n", *kind ? "\n" : "", e->kind);
        kind = e->kind;
        printf("  %-34s ", e->name);
        doc_print_short(e->line);
    }
}

/* "muslin.mesh.grid", "mesh.grid" and "grid" all name the same, as do "world:step" and "step". */
static bool names(const doc_entry *e, const char *wanted) {
    const char *name = e->name;
    for (;;) {
        if (strcmp(name, wanted) == 0) return true;
        const char *mark = strpbrk(name, ".:");
        if (!mark) return false;
        name = mark + 1;
    }
}

static bool print_named(const doc_reference *r, const char *wanted) {
    bool found = false;
    for (int k = 0; k < r->count; k++) {
        if (!names(&r->entries[k], wanted)) continue;
        print_entry(&r->entries[k], !found);
        found = true;
    }
    if (found) return true;
    int matches = doc_search(r, wanted);
    if (matches != 0) {
        if (matches < 0) app_error("no memory for the search");
        return matches > 0;
    }
    const char **list = calloc(2 * (size_t)r->count + 1, sizeof *list);
    size_t n = 0;
    for (int k = 0; list && k < r->count; k++) {
        const char *name = r->entries[k].name, *last = name + strlen(name);
        while (last > name && !strchr(".:", last[-1])) last--;
        list[n++] = name;
        if (last != name) list[n++] = last;
    }
    const char *nearest = list ? mus_lua_nearest(wanted, list) : NULL;
    if (nearest)
        app_error("nothing is called '%s' (did you mean '%s'?), and no text has the word; muslin doc lists all names",
                  wanted, nearest);
    else
        app_error("nothing is called '%s', and no text has the word; muslin doc lists all names", wanted);
    free(list);
    return false;
}

int app_doc(const app_options *options) {
    doc_reference r = {0};
    int code = add_reference(&r, options->out != NULL) ? APP_OK : APP_ERROR;
    if (code == APP_OK) {
        add_stages(&r);
        add_materials(&r);
    }
    if (code == APP_OK && r.failed) {
        app_error("no memory for the reference");
        code = APP_ERROR;
    }
    if (options->out && code == APP_OK)
        code = doc_write_book(&r, options->out);
    else if (options->path_count == 0 && code == APP_OK)
        print_list(&r);
    bool found = true;
    for (int k = 0; k < options->path_count && found && code == APP_OK; k++) {
        if (k > 0) putchar('\n');
        found = print_named(&r, options->paths[k]);
    }
    if (!found && code == APP_OK) code = APP_USAGE;
    for (int k = 0; k < r.count; k++) {
        free(r.entries[k].name);
        free(r.entries[k].line);
        free(r.entries[k].text);
        free(r.entries[k].words);
        free(r.entries[k].picture);
    }
    for (int k = 0; k < r.chapter_count; k++) {
        free(r.chapters[k].title);
        free(r.chapters[k].about);
    }
    free(r.chapters);
    free(r.entries);
    return code;
}
