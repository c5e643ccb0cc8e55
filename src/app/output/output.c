/* output.c: writes frames to files, one writer for each format. Files are written under a temporary name and then
 * renamed, so they are complete or absent. */
#include "host.h"
#include "render/render.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct app_output {
    const char *folder;
    bool wanted[24]; /* by format */
    int width, height;
    app_heat show;
    bool z_up;              /* of formats that are turned */
    bool planes;            /* also in formats that leave them out */
    app_renderer *renderer; /* made for the first picture */
    app_camera camera;      /* fitted to the first picture; follows objects that would leave it */
    app_camera first_camera;
    bool framed;                    /* the camera is set */
    const mus_lua_drawing *drawing; /* of the present frame; owned by the world */
    const mus_lua_view *view;       /* the same */
    int64_t frames, flushed;        /* written; on the disk */
    app_caches *caches;             /* made for the first frame that needs them */
    app_camera_keys keys;           /* cameras of the frames, for Blender */
    app_frames pictures;            /* frames written as pictures */
    app_patterns patterns;          /* of textures, as pictures */
    app_picture_files copies;       /* pictures on cloth beside the frames */
    app_materials materials;        /* of OBJ files */
    int reserve;                    /* an unnamed file that reserves disk space; -1: none */
};

/* Input of a writer for one frame. */
typedef struct view_of_frame {
    app_output *output;
    lua_State *L;
    int world_index;
    mus_world *world;
    int64_t frame;
    const mus_part *parts;
    int32_t part_count;
    const char *path;
} view_of_frame;

static mus_status write_parts(const view_of_frame *f) {
    return mus_parts_save(f->parts, f->part_count, f->path);
}

static mus_status write_turned(const view_of_frame *f) {
    return f->output->z_up ? app_parts_save_z_up(f->parts, f->part_count, f->path) : write_parts(f);
}

static mus_status write_glb(const view_of_frame *f) {
    return app_glb_save(f->path, f->parts, f->part_count);
}

static int fire_draw(lua_State *L) {
    const mus_lua_drawing **drawing = lua_touserdata(L, 2);
    *drawing = mus_lua_world_draw(L, 1);
    return 0;
}

/* function(world, light pointer to result) */
static mus_status call_for_picture(lua_State *L, int world_index, lua_CFunction function, void *result) {
    world_index = lua_absindex(L, world_index);
    lua_pushcfunction(L, mus_lua_traceback);
    lua_pushcfunction(L, function);
    lua_pushvalue(L, world_index);
    lua_pushlightuserdata(L, result);
    if (lua_pcall(L, 2, 0, -4) == LUA_OK) {
        lua_pop(L, 1);
        return MUS_STATUS_OK;
    }
    const char *message = lua_tostring(L, -1);
    mus_fail(MUS_STATUS_HOOK, "%s", message ? message : "error in a draw hook");
    lua_pop(L, 2);
    return MUS_STATUS_HOOK;
}

mus_status app_fire_draw(lua_State *L, int world_index, const mus_lua_drawing **drawing) {
    return call_for_picture(L, world_index, fire_draw, drawing);
}

static int read_view(lua_State *L) {
    const mus_lua_view **view = lua_touserdata(L, 2);
    *view = mus_lua_world_view(L, 1);
    return 0;
}

mus_status app_read_view(lua_State *L, int world_index, const mus_lua_view **view) {
    *view = NULL;
    return call_for_picture(L, world_index, read_view, view);
}

static mus_status write_picture(const view_of_frame *f) {
    app_output *o = f->output;
    if (!o->renderer) {
        o->renderer = app_renderer_create(true);
        if (!o->renderer) return MUS_STATUS_IO;
        app_renderer_set_heat(o->renderer, o->show);
    }
    app_renderer_set_view(o->renderer, o->view);
    return app_renderer_png(o->renderer, f->world, o->drawing, &o->camera, o->width, o->height, f->path);
}

static mus_status write_pov(const view_of_frame *f) {
    app_output *o = f->output;
    app_render_list list;
    mus_status status = app_render_list_collect(&list, f->world);
    if (status != MUS_STATUS_OK) return status;
    const char **files = calloc((size_t)list.part_count + 1, sizeof *files);
    if (!files) status = mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the names of pictures");
    for (int32_t k = 0; k < list.part_count && status == MUS_STATUS_OK; k++) {
        app_render_part *part = &list.parts[k];
        if (part->uvs) status = app_patterns_apply(&o->patterns, &part->paint);
        if (status != MUS_STATUS_OK || !part->uvs || !part->paint.picture) continue;
        files[k] = app_picture_files_name(&o->copies, o->folder, part->paint.picture);
        if (!files[k]) status = MUS_STATUS_IO;
    }
    if (status == MUS_STATUS_OK) status = app_pov_save(&list, files, &o->camera, o->view, f->path);
    free(files);
    app_render_list_free(&list);
    return status;
}

static bool make_caches(app_output *o) {
    if (!o->caches) o->caches = app_caches_create();
    if (!o->caches) mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the point caches");
    return o->caches != NULL;
}

static mus_status write_caches(const view_of_frame *f) {
    app_output *o = f->output;
    return make_caches(o) ? app_caches_frame(o->caches, o->folder, f->parts, f->part_count, f->frame)
                          : MUS_STATUS_NO_MEMORY;
}

/* Called once for each frame, in every format. */
static void move_camera(app_output *o, mus_world *world) {
    if (o->view && o->view->has_camera) {
        o->camera = o->first_camera = app_camera_of_view(o->view);
        o->framed = false;
        return;
    }
    if (o->framed)
        app_camera_follow(&o->camera, &o->first_camera, world);
    else
        o->camera = o->first_camera = app_camera_fit(world, (float)o->width / (float)o->height);
    o->framed = true;
}

static mus_status make_film(app_output *o, mus_world *world, const char *format, double fps, int64_t last) {
    (void)world;
    return app_film_save(o->folder, format, fps, last + 1);
}

static mus_status make_index(app_output *o, mus_world *world, const char *format, double fps, int64_t last) {
    (void)world;
    (void)format;
    return app_pvd_save(o->folder, fps, last + 1);
}

static mus_status make_animation(app_output *o, mus_world *world, const char *format, double fps, int64_t last) {
    if (!o->caches) return MUS_STATUS_OK;
    app_animation_options options = {.fps = fps, .frames = last + 1, .keys = &o->keys, .planes = o->planes};
    mus_part *parts = NULL;
    mus_status status = MUS_STATUS_OK;
    if (world && strcmp(format, "animation.usda") == 0) { /* what cloths are made of, as they are at the end */
        status = app_parts_collect(world, &o->patterns, &parts, &options.part_count);
        if (status == MUS_STATUS_OK) status = app_parts_add_cloths(world, parts);
        options.parts = parts;
    }
    if (status == MUS_STATUS_OK) status = app_animation_save(o->caches, o->folder, format, &options);
    app_parts_free(parts, options.part_count);
    return status;
}

enum { PNG = 1, CACHES, VTP }; /* places in the table */

static const struct {
    const char *name;
    mus_status (*write)(const view_of_frame *frame);
    bool needs_parts, needs_camera, needs_fields, needs_cloths;
    bool grows; /* one file for all frames */
    /* Makes one file when the run has ended, from what format `made_from` has written. */
    mus_status (*finish)(app_output *output, mus_world *world, const char *format, double fps, int64_t last);
    int made_from;
    bool keeps_camera;   /* of every frame, for `finish` */
    bool omits_planes;   /* unless wanted: programs show them as squares of some size */
    bool names_pictures; /* of cloth, which must be beside the file */
    bool names_materials;
} formats[] = {
    {"obj", write_parts, .needs_parts = true, .names_pictures = true, .names_materials = true},
    [PNG] = {"png", write_picture, .needs_camera = true},
    [CACHES] = {"pc2", write_caches, .needs_parts = true, .grows = true},
    [VTP] = {"vtp", write_parts, .needs_parts = true, .needs_fields = true, .finish = make_index, .made_from = VTP},
    {"ply", write_turned, .needs_parts = true, .omits_planes = true},
    {"stl", write_turned, .needs_parts = true, .omits_planes = true},
    {"usda", write_parts, .needs_parts = true, .needs_cloths = true, .names_pictures = true},
    {"glb", write_glb, .needs_parts = true, .omits_planes = true},
    {"pov", write_pov, .needs_camera = true},
    {"mp4", .finish = make_film, .made_from = PNG},
    {"webm", .finish = make_film, .made_from = PNG},
    {"animation.glb", .finish = make_animation, .made_from = CACHES, .omits_planes = true},
    {"animation.usda", .finish = make_animation, .made_from = CACHES, .omits_planes = true, .names_pictures = true},
    {"animation.abc", .finish = make_animation, .made_from = CACHES, .omits_planes = true},
    {"mdd", .finish = make_animation, .made_from = CACHES, .omits_planes = true},
    {"blender", .finish = make_animation, .made_from = CACHES, .omits_planes = true, .keeps_camera = true,
     .names_pictures = true},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };
_Static_assert(FORMAT_COUNT <= sizeof((app_output *)0)->wanted, "a place for each format");

/* Marks the formats of a comma list; copies the first unknown word to `unknown`. */
static bool read_formats(const char *list, bool wanted[], char unknown[32]) {
    memset(wanted, 0, FORMAT_COUNT * sizeof *wanted);
    if (strcmp(list, "none") == 0) return true; /* the manifest and the log alone */
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");
        int k = 0;
        while (k < FORMAT_COUNT && !(strlen(formats[k].name) == n && memcmp(formats[k].name, at, n) == 0)) k++;
        if (k == FORMAT_COUNT) {
            snprintf(unknown, 32, "%.*s", (int)(n < 31 ? n : 31), at);
            return false;
        }
        wanted[k] = true;
        if (formats[k].finish) wanted[formats[k].made_from] = true;
        at += n;
        if (!*at) return true;
    }
}

bool app_output_formats_check(const char *format) {
    bool wanted[FORMAT_COUNT];
    char unknown[32], known[APP_FORMATS_SIZE] = "";
    if (read_formats(format, wanted, unknown)) {
        for (int k = 0; k < FORMAT_COUNT; k++)
            if (wanted[k] && formats[k].finish == make_film && !app_film_possible(formats[k].name)) return false;
        return true;
    }
    for (int k = 0; k < FORMAT_COUNT; k++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", k ? ", " : "", formats[k].name);
    app_error("option '--format': unknown format '%s' (there are: %s; or none alone)", unknown, known);
    return false;
}

bool app_output_formats_pictures(const char *format) {
    bool wanted[FORMAT_COUNT];
    char unknown[32];
    return read_formats(format, wanted, unknown) && wanted[PNG];
}

bool app_output_formats_single(const char *format) {
    bool wanted[FORMAT_COUNT], single = false, film = false;
    char unknown[32];
    if (!read_formats(format, wanted, unknown)) return false;
    for (int k = 0; k < FORMAT_COUNT; k++) {
        single = single || (wanted[k] && formats[k].needs_camera);
        film = film || (wanted[k] && formats[k].finish == make_film);
    }
    return single && !film;
}

static bool omits_planes(int format) {
    return formats[format].omits_planes;
}

static bool is_turned(int format) {
    return formats[format].write == write_turned;
}

static bool any_format(const char *list, bool (*has)(int format)) {
    bool wanted[FORMAT_COUNT], any = false;
    char unknown[32];
    if (!read_formats(list, wanted, unknown)) return false;
    for (int k = 0; k < FORMAT_COUNT; k++) any = any || (wanted[k] && has(k));
    return any;
}

bool app_output_formats_omit_planes(const char *format) {
    return any_format(format, omits_planes);
}

bool app_output_formats_turned(const char *format) {
    return any_format(format, is_turned);
}

void app_output_choose(app_output *output, const app_options *options) {
    output->pictures = options->pictures;
    output->show = options->show;
    output->z_up = options->z_up;
    output->planes = options->planes;
}

app_camera_keys *app_output_get_keys(app_output *output) {
    return &output->keys;
}

const char *app_output_get_up(const app_output *output) {
    for (int k = 0; k < FORMAT_COUNT; k++)
        if (output->wanted[k] && formats[k].write == write_turned) return output->z_up ? "z" : "y";
    return NULL;
}

/* Whether there is a file of this format for the frame. */
static bool writes_frame(const app_output *o, int format, int64_t frame) {
    const app_frames *p = &o->pictures;
    if (!o->wanted[format] || !formats[format].write) return false;
    if (!formats[format].needs_camera || p->step == 0) return true;
    return frame >= p->first && frame <= p->last && (frame - p->first) % p->step == 0;
}

app_output *app_output_open(const char *folder, const char *format, int width, int height, app_earlier *earlier) {
    app_output *output = calloc(1, sizeof *output);
    char unknown[32];
    if (!output) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the output");
        return NULL;
    }
    if (!read_formats(format ? format : "obj", output->wanted, unknown)) {
        mus_fail(MUS_STATUS_INVALID, "unknown format '%s'", unknown);
        free(output);
        return NULL;
    }
    if (!app_make_folder(folder)) {
        mus_fail(MUS_STATUS_IO, "output folder '%s': %s; give another with --out", folder, strerror(errno));
        free(output);
        return NULL;
    }
    if (!app_folder_lock(folder)) {
        free(output);
        return NULL;
    }
    if (earlier && (*earlier = app_folder_earlier(folder)) == APP_EARLIER_OTHER) {
        app_folder_unlock();
        free(output);
        return NULL;
    }
    output->folder = folder;
    output->reserve = -1;
    output->width = width > 0 ? width : 1280;
    output->height = height > 0 ? height : 720;
    char *probe = app_format("%s/.muslin-%ld", folder, (long)getpid());
    bool writable = probe && app_write_file(probe, "", 0) == MUS_STATUS_OK;
    if (writable) unlink(probe);
    free(probe);
    if (!writable) {
        mus_fail(MUS_STATUS_IO, "output folder '%s' is not writable; give another with --out", folder);
        app_folder_unlock();
        free(output);
        return NULL;
    }
    return output;
}

void app_output_remove_earlier(app_output *output, int64_t last, char kept[APP_FORMATS_SIZE]) {
    const char *names[FORMAT_COUNT], *wanted[FORMAT_COUNT];
    bool is_kept[FORMAT_COUNT] = {false};
    int count = 0;
    for (int k = 0; k < FORMAT_COUNT; k++) {
        names[k] = formats[k].name;
        if (output->wanted[k]) wanted[count++] = names[k];
    }
    app_folder_remove_earlier(output->folder, last, names, FORMAT_COUNT, wanted, count, is_kept);
    kept[0] = '\0';
    for (int k = 0; k < FORMAT_COUNT; k++) {
        size_t size = strlen(kept);
        if (is_kept[k]) snprintf(kept + size, APP_FORMATS_SIZE - size, "%s%s", size ? ", " : "", names[k]);
    }
}

/* Opens every frame from `first` to `last` in every format, and flushes it on request. */
static bool visit_frames(const app_output *output, int64_t first, int64_t last, bool flush) {
    for (int64_t frame = first; frame <= last; frame++)
        for (int k = 0; k < FORMAT_COUNT; k++) {
            char path[PATH_MAX];
            if (!writes_frame(output, k, frame) || formats[k].grows) continue;
            snprintf(path, sizeof path, "%s/frame_%06lld.%s", output->folder, (long long)frame, formats[k].name);
            int fd = open(path, O_RDONLY | O_CLOEXEC), reason = errno;
            bool ok = fd >= 0 && (!flush || fsync(fd) == 0 || (reason = errno) == EINVAL);
            if (fd >= 0) close(fd);
            if (!ok) {
                mus_fail(MUS_STATUS_IO, "'%s', written by the run, is needed: %s", path, strerror(reason));
                return false;
            }
        }
    return true;
}

bool app_output_flush(app_output *output, int64_t last) {
    if (!visit_frames(output, output->flushed, last, true)) return false;
    if (output->caches && !app_caches_flush(output->caches)) return false;
    output->flushed = last + 1;
    return true;
}

/* With the pictures and materials beside the frames where a format names them; `parts` is the caller's, also on
 * failure. */
static mus_status collect_parts(app_output *o, mus_world *world, mus_part **parts, int32_t *count) {
    mus_status status = app_parts_collect(world, &o->patterns, parts, count);
    bool pictures = false, materials = false;
    for (int k = 0; k < FORMAT_COUNT; k++) {
        pictures = pictures || (o->wanted[k] && formats[k].names_pictures);
        materials = materials || (o->wanted[k] && formats[k].names_materials);
    }
    if (status == MUS_STATUS_OK && pictures) status = app_picture_files_write(&o->copies, o->folder, *parts, *count);
    if (status == MUS_STATUS_OK && materials) status = app_materials_write(&o->materials, o->folder, *parts, *count);
    return status;
}

bool app_output_check_frames(app_output *output, mus_world *world, int64_t last) {
    bool caches = false;
    for (int k = 0; k < FORMAT_COUNT; k++) caches = caches || (output->wanted[k] && formats[k].grows);
    mus_part *parts = NULL;
    int32_t count = 0;
    bool ok = !caches || (make_caches(output) && collect_parts(output, world, &parts, &count) == MUS_STATUS_OK &&
                          app_caches_resume(output->caches, output->folder, parts, count, last) == MUS_STATUS_OK);
    app_parts_free(parts, count);
    return ok && visit_frames(output, 0, last, false);
}

static void camera_numbers(const app_camera *c, float numbers[7]) {
    const float list[7] = {c->target[0], c->target[1], c->target[2], c->yaw, c->pitch, c->distance, c->fov};
    memcpy(numbers, list, sizeof list);
}

bool app_output_get_camera(const app_output *output, float numbers[APP_CAMERA_NUMBERS]) {
    camera_numbers(&output->camera, numbers);
    camera_numbers(&output->first_camera, numbers + 7);
    return output->framed;
}

void app_output_set_camera(app_output *output, const float numbers[APP_CAMERA_NUMBERS]) {
    app_camera *cameras[] = {&output->camera, &output->first_camera};
    const float aspect = (float)output->width / (float)output->height;
    for (int k = 0; k < 2; k++, numbers += 7)
        *cameras[k] =
            (app_camera){{numbers[0], numbers[1], numbers[2]}, numbers[3], numbers[4], numbers[5], numbers[6], aspect};
    output->framed = true;
}

void app_output_reserve(app_output *output, int64_t last_frame) {
    static const int64_t fixed = 8 << 10, each = 256, most = 8 << 20;
    int64_t size = last_frame > most / each ? most : fixed + each * (last_frame + 1);
    char *path = app_format("%s/.muslin-%ld", output->folder, (long)getpid());
    if (path) output->reserve = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output->reserve >= 0) {
        unlink(path);
        if (posix_fallocate(output->reserve, 0, size) != 0) app_output_release(output);
    }
    free(path);
}

void app_output_release(app_output *output) {
    if (output->reserve >= 0) close(output->reserve);
    output->reserve = -1;
}

mus_status app_output_finish(app_output *output, mus_world *world, double fps, int64_t last) {
    mus_status status = MUS_STATUS_OK;
    for (int k = 0; k < FORMAT_COUNT && status == MUS_STATUS_OK; k++)
        if (output->wanted[k] && formats[k].finish && last >= 0)
            status = formats[k].finish(output, world, formats[k].name, fps, last);
    return status;
}

void app_output_close(app_output *output) {
    if (!output) return;
    app_output_release(output);
    if (output->renderer) app_renderer_destroy(output->renderer);
    app_caches_destroy(output->caches);
    app_camera_keys_free(&output->keys);
    app_picture_files_free(&output->copies);
    app_materials_free(&output->materials);
    app_patterns_free(&output->patterns);
    app_folder_unlock();
    free(output);
}

int app_output_format_count(const app_output *output) {
    int count = 0;
    for (int k = 0; k < FORMAT_COUNT; k++) count += output->wanted[k];
    return count;
}

const char *app_output_format_name(const app_output *output, int index) {
    for (int k = 0; k < FORMAT_COUNT; k++)
        if (output->wanted[k] && index-- == 0) return formats[k].name;
    return NULL;
}

int64_t app_output_frames(const app_output *output) {
    return output->frames;
}

mus_status app_output_draw(app_output *output, lua_State *L, int world_index, int64_t frame) {
    output->drawing = NULL;
    return writes_frame(output, PNG, frame) ? app_fire_draw(L, world_index, &output->drawing) : MUS_STATUS_OK;
}

const mus_lua_drawing *app_output_get_drawing(const app_output *output) {
    return output->drawing;
}

static mus_status write_without_planes(const view_of_frame *frame, mus_status (*write)(const view_of_frame *frame)) {
    view_of_frame view = *frame;
    mus_part *parts = app_parts_without_planes(frame->parts, &view.part_count);
    if (!parts) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for %d parts", frame->part_count);
    view.parts = parts;
    mus_status status = write(&view);
    free(parts);
    return status;
}

mus_status app_output_frame(app_output *output, lua_State *L, int world_index, mus_world *world, int64_t frame) {
    char path[PATH_MAX];
    view_of_frame view = {output, L, world_index, world, frame, NULL, 0, path};
    mus_part *parts = NULL;
    mus_status status = MUS_STATUS_OK;
    bool camera = false, keep = false;
    output->view = NULL;
    for (int k = 0; k < FORMAT_COUNT; k++) {
        camera = camera || (output->wanted[k] && (formats[k].needs_camera || formats[k].keeps_camera));
        keep = keep || (output->wanted[k] && formats[k].keeps_camera);
    }
    if (camera) status = app_read_view(L, world_index, &output->view);
    if (camera && status == MUS_STATUS_OK) move_camera(output, world);
    if (keep && status == MUS_STATUS_OK) status = app_camera_keys_add(&output->keys, &output->camera, frame);
    for (int k = 0; k < FORMAT_COUNT && status == MUS_STATUS_OK; k++) {
        if (!writes_frame(output, k, frame)) continue;
        if (formats[k].needs_parts && !parts) {
            status = collect_parts(output, world, &parts, &view.part_count);
            view.parts = parts;
            if (status != MUS_STATUS_OK) break;
        }
        if (formats[k].needs_fields) status = app_parts_add_fields(world, parts);
        if (formats[k].needs_cloths) status = app_parts_add_cloths(world, parts);
        if (status != MUS_STATUS_OK) break;
        if ((size_t)snprintf(path, sizeof path, "%s/frame_%06lld.%s", output->folder, (long long)frame,
                             formats[k].name) >= sizeof path)
            status = mus_fail(MUS_STATUS_IO, "output folder '%s': the path is too long", output->folder);
        else
            status = formats[k].omits_planes && !output->planes ? write_without_planes(&view, formats[k].write)
                                                                : formats[k].write(&view);
    }
    app_parts_free(parts, view.part_count);
    if (status == MUS_STATUS_OK) output->frames++;
    return status;
}

mus_status app_output_picture(app_output *output, lua_State *L, int world_index, mus_world *world, const char *name) {
    char path[PATH_MAX];
    view_of_frame view = {output, L, world_index, world, 0, NULL, 0, path};
    if ((size_t)snprintf(path, sizeof path, "%s/%s", output->folder, name) >= sizeof path)
        return mus_fail(MUS_STATUS_IO, "output folder '%s': the path is too long", output->folder);
    mus_status status = app_fire_draw(L, world_index, &output->drawing);
    if (status == MUS_STATUS_OK) status = app_read_view(L, world_index, &output->view);
    if (status != MUS_STATUS_OK) return status;
    output->framed = false; /* the subject at its end, not the way to it */
    move_camera(output, world);
    return write_picture(&view);
}
