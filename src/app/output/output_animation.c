/* output_animation.c: one file for the whole motion of a run, made at its end from its point caches, and the list of
 * frames that ParaView opens as a motion. */
#include "host.h"
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

bool app_camera_keys_push(app_camera_keys *list, const app_camera_key *key) {
    if (list->count == list->capacity) {
        int64_t capacity = 2 * list->capacity + 16;
        app_camera_key *grown = realloc(list->keys, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        list->keys = grown, list->capacity = capacity;
    }
    list->keys[list->count++] = *key;
    return true;
}

mus_status app_camera_keys_add(app_camera_keys *list, const struct app_camera *camera, int64_t frame) {
    app_camera_key key = {.frame = frame, .fov = camera->fov};
    app_camera_eye(camera, key.eye);
    memcpy(key.target, camera->target, sizeof key.target);
    bool ok = true;
    if (list->count > 0) {
        app_camera_key last = list->keys[list->count - 1];
        if (memcmp(last.eye, key.eye, sizeof key.eye) == 0 && memcmp(last.target, key.target, sizeof key.target) == 0 &&
            last.fov == key.fov)
            return MUS_STATUS_OK;
        bool stood = last.frame < frame - 1; /* until the frame before */
        last.frame = frame - 1;
        ok = !stood || app_camera_keys_push(list, &last);
    }
    return ok && app_camera_keys_push(list, &key)
               ? MUS_STATUS_OK
               : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the cameras of the frames");
}

void app_camera_keys_free(app_camera_keys *list) {
    free(list->keys);
    *list = (app_camera_keys){0};
}

/* The caches that have frames, as an animation; `numbers` receives the cache of each part. */
typedef struct selection {
    app_caches *caches;
    mus_part *parts;
    mus_part_frames *frames;
    const char **paths;
    int32_t *numbers, count;
} selection;

static bool select_caches(selection *s, app_caches *caches, bool planes) {
    size_t count = (size_t)app_caches_count(caches);
    *s = (selection){caches,
                     calloc(count + 1, sizeof *s->parts),
                     calloc(count + 1, sizeof *s->frames),
                     calloc(count + 1, sizeof *s->paths),
                     calloc(count + 1, sizeof *s->numbers),
                     0};
    if (!s->parts || !s->frames || !s->paths || !s->numbers) return false;
    for (int32_t k = 0; k < (int32_t)count; k++) {
        mus_part_frames frames = app_caches_get(caches, k, &s->parts[s->count]);
        if (frames.frame_count < 1 || (s->parts[s->count].is_plane && !planes)) continue;
        s->numbers[s->count] = k;
        s->paths[s->count] = app_caches_path(caches, k);
        s->frames[s->count++] = frames;
    }
    return true;
}

static int32_t find_part(const mus_part *parts, int32_t count, const char *name) {
    int32_t k = 0;
    while (k < count && strcmp(parts[k].name, name) != 0) k++;
    return k < count ? k : -1;
}

/* What the cloths of `from` are made of, their seams, and the surfaces of obstacles, by the names of the parts. */
static mus_status take_physics(selection *s, const mus_part *from, int32_t count) {
    for (int32_t k = 0; k < s->count; k++) {
        mus_part *part = &s->parts[k];
        int32_t like = find_part(from, count, part->name);
        if (like < 0 || from[like].vertex_count != part->vertex_count || from[like].face_count != part->face_count)
            continue; /* removed, or replaced by another of its name */
        part->cloth = from[like].cloth;
        part->has_surface = from[like].has_surface;
        part->friction = from[like].friction, part->restitution = from[like].restitution;
        mus_part_seam *seams = calloc((size_t)from[like].seam_count + 1, sizeof *seams);
        if (!seams) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the seams of the animation");
        part->seams = seams;
        for (int32_t i = 0; i < from[like].seam_count; i++) {
            int32_t other = find_part(s->parts, s->count, from[from[like].seams[i].other].name);
            if (other < 0) continue;
            seams[part->seam_count] = from[like].seams[i];
            seams[part->seam_count++].other = other;
        }
    }
    return MUS_STATUS_OK;
}

static void selection_free(selection *s) {
    for (int32_t k = 0; s->parts && k < s->count; k++) free((mus_part_seam *)s->parts[k].seams); /* made here */
    free(s->parts);
    free(s->frames);
    free(s->paths);
    free(s->numbers);
}

static mus_status read_selected(void *user, int32_t part, int64_t frame, float *positions) {
    const selection *s = user;
    return app_caches_read(s->caches, s->numbers[part], frame, positions);
}

mus_status app_animation_save(app_caches *caches, const char *folder, const char *format,
                              const app_animation_options *options) {
    selection s;
    bool blender = strcmp(format, "blender") == 0, mdd = strcmp(format, "mdd") == 0;
    bool one_file = !blender && !mdd; /* named like the format */
    char *path = one_file ? app_format("%s/%s", folder, format) : NULL;
    mus_status status = MUS_STATUS_OK;
    if (!select_caches(&s, caches, options->planes) || (one_file && !path))
        status = mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the animation");
    if (status == MUS_STATUS_OK && options->parts) status = take_physics(&s, options->parts, options->part_count);
    mus_parts_animation a = mus_parts_animation_default();
    a.fps = options->fps;
    a.frame_count = options->frames;
    a.parts = s.parts, a.frames = s.frames, a.part_count = s.count;
    a.read = read_selected, a.user = &s;
    if (status == MUS_STATUS_OK) {
        app_guard_lock(); /* the watchdog waits: this ends by itself */
        if (blender)
            status = app_blender_save(folder, &a, s.paths, options->keys);
        else if (mdd)
            status = app_mdd_save(folder, &a, s.paths);
        else if (strcmp(format, "animation.glb") == 0)
            status = app_glb_save_animation(path, folder, &a);
        else
            status = mus_parts_save_animation(&a, path);
        app_guard_unlock();
    }
    free(path);
    selection_free(&s);
    return status;
}

mus_status app_pvd_save(const char *folder, double fps, int64_t frames) {
    char *path = app_format("%s/frames.pvd", folder), *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
              "<Collection>\n",
              stream);
        for (int64_t k = 0; k < frames; k++)
            fprintf(stream, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"frame_%06lld.vtp\"/>\n", (double)k / fps,
                    (long long)k);
        fputs("</Collection>\n</VTKFile>\n", stream);
    }
    bool ok = stream && fclose(stream) == 0 && path && text;
    mus_status status =
        ok ? app_write_file(path, text, size) : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the list of frames");
    free(path);
    free(text);
    return status;
}
