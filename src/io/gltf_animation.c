/* gltf_animation.c: samples an animation of a glTF file at equal steps of time (glTF 2.0, 3.11 and appendix C). */
#include "base/range.h"
#include "base/word.h"
#include "io/gltf.h"
#include "io/gltf_motion.h"
#include "muslin/file.h"
#include "muslin/math.h"

#include <math.h>
#include <stdio.h>

typedef enum gltf_target { TRANSLATION, ROTATION, SCALE, WEIGHTS, TARGET_COUNT } gltf_target;
typedef enum gltf_curve { LINEAR, STEP, CUBIC, CURVE_COUNT } gltf_curve;

static const char *const TARGETS[] = {"translation", "rotation", "scale", "weights", NULL};
static const char *const CURVES[] = {"LINEAR", "STEP", "CUBICSPLINE", NULL};

/* Values of a node over time. */
typedef struct channel {
    double *at; /* the node's numbers, or its weights */
    gltf_target target;
    gltf_curve curve;
    int32_t width;                /* numbers of a value */
    mus_gltf_array times, values; /* values: for CUBIC tangent, value, tangent of each key */
} channel;

typedef struct animation {
    MUS_ARRAY(channel) channels;
    double end; /* s */
} animation;

static void animation_free(animation *a) {
    for (int64_t k = 0; k < a->channels.count; k++) {
        mus_free(a->channels.data[k].times.data);
        mus_free(a->channels.data[k].values.data);
    }
    mus_array_free(&a->channels);
}

/* ---- Reading -------------------------------------------------------------------------------------------------------
 */

/* The number of a name in a list; -1 where it is not there. */
static int find_word(const char *word, const char *const *words) {
    for (int k = 0; word && words[k]; k++)
        if (strcmp(word, words[k]) == 0) return k;
    return -1;
}

static mus_status read_sampler(mus_gltf_scene *s, const char *place, json_t *item, channel *c) {
    const mus_gltf *g = s->document;
    const char *curve = json_string_value(json_object_get(item, "interpolation"));
    int kind = curve ? find_word(curve, CURVES) : LINEAR;
    int32_t accessors = mus_gltf_count(g, "accessors"), input, output;
    if (kind < 0) return mus_gltf_fail(g, place, "the interpolation '%.20s' is unknown", curve);
    c->curve = (gltf_curve)kind;
    mus_status status = mus_gltf_index(g, place, item, "input", accessors, -2, &input);
    if (status == MUS_STATUS_OK) status = mus_gltf_index(g, place, item, "output", accessors, -2, &output);
    if (status == MUS_STATUS_OK) status = mus_gltf_read_accessor(g, place, input, "SCALAR", &c->times);
    const char *type = c->target == WEIGHTS ? "SCALAR" : c->target == ROTATION ? "VEC4" : "VEC3";
    if (status == MUS_STATUS_OK) status = mus_gltf_read_accessor(g, place, output, type, &c->values);
    if (status != MUS_STATUS_OK) return status;
    if (c->times.count < 1) return mus_gltf_fail(g, place, "has no keys");
    for (int32_t k = 0; k < c->times.count; k++)
        if (c->times.data[k] < 0 || (k > 0 && c->times.data[k] <= c->times.data[k - 1]))
            return mus_gltf_fail(g, place, "the times of its keys must be >= 0 and increase (key %d: %g after %g)", k,
                                 c->times.data[k], k > 0 ? c->times.data[k - 1] : 0.0);
    int64_t wanted = (int64_t)c->times.count * c->width * (c->curve == CUBIC ? 3 : 1);
    int64_t numbers = (int64_t)c->values.count * c->values.components;
    return numbers == wanted ? MUS_STATUS_OK
                             : mus_gltf_fail(g, place, "needs %lld numbers for %d keys, and has %lld",
                                             (long long)wanted, c->times.count, (long long)numbers);
}

static mus_status read_channel(mus_gltf_scene *s, json_t *item, const char *place, json_t *samplers, animation *a) {
    const mus_gltf *g = s->document;
    json_t *target = json_object_get(item, "target");
    int path = find_word(json_string_value(json_object_get(target, "path")), TARGETS);
    int32_t node, sampler;
    mus_status status = mus_gltf_index(g, place, target, "node", (int32_t)s->nodes.count, -1, &node);
    if (status == MUS_STATUS_OK)
        status = mus_gltf_index(g, place, item, "sampler", (int32_t)json_array_size(samplers), -2, &sampler);
    if (status != MUS_STATUS_OK || node < 0 || path < 0) return status; /* of an extension */
    mus_gltf_node *n = &s->nodes.data[node];
    if (path == WEIGHTS && n->weight_count == 0) return MUS_STATUS_OK; /* of a mesh outside the scene */
    if (n->has_matrix && path != WEIGHTS)
        return mus_gltf_fail(g, place, "nodes[%d] has a matrix, and such nodes are not animated", node);
    double *const at[TARGET_COUNT] = {n->translation, n->rotation, n->scale,
                                      path == WEIGHTS ? s->weights.data + n->first_weight : NULL};
    for (int64_t k = 0; k < a->channels.count; k++)
        if (a->channels.data[k].at == at[path])
            return mus_gltf_fail(g, place, "is the second channel for the %s of nodes[%d]", TARGETS[path], node);
    channel c = {.at = at[path],
                 .target = (gltf_target)path,
                 .width = path == WEIGHTS    ? n->weight_count
                          : path == ROTATION ? 4
                                             : 3};
    status = read_sampler(s, place, json_array_get(samplers, (size_t)sampler), &c);
    if (status == MUS_STATUS_OK) a->end = fmax(a->end, c.times.data[c.times.count - 1]);
    if (status == MUS_STATUS_OK && !mus_array_push(&a->channels, c)) status = MUS_STATUS_NO_MEMORY;
    if (status != MUS_STATUS_OK) {
        mus_free(c.times.data);
        mus_free(c.values.data);
    }
    return status;
}

/* The only animation, or the one of that name. */
static mus_status find_animation(const mus_gltf *g, const char *name, int32_t *number) {
    int32_t count = mus_gltf_count(g, "animations");
    char names[240] = "";
    for (int32_t k = 0; k < count; k++) {
        json_t *item = mus_gltf_item(g, "animations", k);
        const char *raw = json_string_value(json_object_get(item, "name"));
        mus_gltf_name own = mus_gltf_name_of(item); /* as messages print it */
        *number = k;
        if (name ? strcmp(own.text, name) == 0 || (raw && strcmp(raw, name) == 0) : count == 1) return MUS_STATUS_OK;
        size_t used = strlen(names);
        if (used + strlen(own.text) + 10 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s'%s'", k > 0 ? ", " : "", own.text);
        else if (used > 0 && strcmp(names + used - 3, "...") != 0)
            memcpy(names + used, ", ...", 6);
    }
    if (count == 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: has no animation, only a pose; load it as a mesh", g->file->path);
    if (name)
        return mus_fail(MUS_STATUS_INVALID, "%s: has no animation '%s'; its animations: %s", g->file->path, name,
                        names);
    return mus_fail(MUS_STATUS_INVALID, "%s: has %d animations; give the name of one, animation = NAME: %s",
                    g->file->path, count, names);
}

static mus_status read_animation(mus_gltf_scene *s, const char *name, animation *a) {
    const mus_gltf *g = s->document;
    int32_t number = 0;
    mus_status status = find_animation(g, name, &number);
    if (status != MUS_STATUS_OK) return status;
    json_t *item = mus_gltf_item(g, "animations", number), *channels, *samplers;
    mus_gltf_place all = mus_gltf_place_of("animations[%d]", number);
    status = mus_gltf_list(g, all.text, item, "channels", &channels);
    if (status == MUS_STATUS_OK) status = mus_gltf_list(g, all.text, item, "samplers", &samplers);
    for (size_t k = 0; status == MUS_STATUS_OK && k < json_array_size(channels); k++) {
        mus_gltf_place place = mus_gltf_place_of("animations[%d].channels[%zu]", number, k);
        status = read_channel(s, json_array_get(channels, k), place.text, samplers, a);
    }
    return status;
}

/* ---- Values --------------------------------------------------------------------------------------------------------
 */

static double dot4(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* From rotation a to b by the shorter way, with constant angular velocity. */
static void slerp(const double *a, const double *b, double t, double *out) {
    double dot = dot4(a, b), sign = dot < 0 ? -1 : 1, lengths = sqrt(dot4(a, a) * dot4(b, b));
    double u = 1 - t, v = t;
    dot *= sign / (lengths > 0 ? lengths : 1); /* integers are not quite of length 1 */
    if (dot < 0.9999) {
        double angle = mus_acos(dot), sine = mus_sin(angle);
        u = mus_sin((1 - t) * angle) / sine, v = mus_sin(t * angle) / sine;
    }
    for (int k = 0; k < 4; k++) out[k] = u * a[k] + sign * v * b[k];
}

static void cubic(const channel *c, int32_t key, double t, double span) {
    size_t n = (size_t)c->width;
    const double *a = c->values.data + 3 * n * (size_t)key, *b = a + 3 * n; /* in-tangent, value, out-tangent */
    double t2 = t * t, t3 = t2 * t;
    for (size_t k = 0; k < n; k++)
        c->at[k] = (2 * t3 - 3 * t2 + 1) * a[n + k] + span * (t3 - 2 * t2 + t) * a[2 * n + k] +
                   (3 * t2 - 2 * t3) * b[n + k] + span * (t3 - t2) * b[k];
}

static void set_value(const channel *c, double time) {
    const double *times = c->times.data;
    int32_t low = 0, high = c->times.count - 1;
    size_t n = (size_t)c->width, stride = c->curve == CUBIC ? 3 * n : n, middle = c->curve == CUBIC ? n : 0;
    while (high - low > 1) {
        int32_t half = low + (high - low) / 2;
        if (times[half] <= time)
            low = half;
        else
            high = half;
    }
    bool before = time <= times[low], after = time >= times[high];
    if (before || after || c->curve == STEP) { /* at a key */
        int32_t key = after ? high : low;
        memcpy(c->at, c->values.data + stride * (size_t)key + middle, n * sizeof *c->at);
        return;
    }
    double span = times[high] - times[low], t = (time - times[low]) / span;
    const double *a = c->values.data + n * (size_t)low, *b = a + n;
    if (c->curve == CUBIC)
        cubic(c, low, t, span);
    else if (c->target == ROTATION)
        slerp(a, b, t, c->at);
    else
        for (size_t k = 0; k < n; k++) c->at[k] = (1 - t) * a[k] + t * b[k];
}

/* ---- Sampling ------------------------------------------------------------------------------------------------------
 */

static mus_status sample(mus_gltf_scene *s, const animation *a, double fps, mus_point_cache *cache) {
    const char *path = s->document->file->path;
    int64_t vertices = s->source.count;
    double steps = fmax(a->end > 0 ? 1 : 0, floor(a->end * fps + 0.5));
    if (vertices == 0) return mus_fail(MUS_STATUS_FORMAT, "%s: has no triangles in its scene", path);
    if (!((steps + 1) * (double)vertices * 3 <= INT32_MAX))
        return mus_fail(
            MUS_STATUS_INVALID,
            "%s: %g frames of %lld vertices are too many; the animation has %g s, sampled %g times a second", path,
            steps + 1, (long long)vertices, a->end, fps);
    int64_t frames = (int64_t)steps + 1;
    double *positions = mus_new((size_t)(frames * vertices) * 3 * sizeof *positions);
    if (!positions) return MUS_STATUS_NO_MEMORY;
    *cache = (mus_point_cache){.positions = positions,
                               .vertex_count = (int32_t)vertices,
                               .frame_count = (int32_t)frames,
                               .sample_rate = steps > 0 ? a->end * fps / steps : 1};
    for (int64_t f = 0; f < frames; f++) {
        double time = f == frames - 1 ? a->end : a->end * (double)f / steps;
        for (int64_t k = 0; k < a->channels.count; k++) set_value(&a->channels.data[k], time);
        mus_gltf_scene_pose(s, positions + 3 * vertices * f);
    }
    for (int64_t k = 0; k < 3 * frames * vertices; k++)
        if (!isfinite(positions[k]))
            return mus_fail(MUS_STATUS_FORMAT, "%s: vertex %lld is not finite in frame %lld", path,
                            (long long)(k / 3 % vertices) + 1, (long long)(k / 3 / vertices) + 1);
    return MUS_STATUS_OK;
}

mus_status mus_gltf_sample_file(const mus_file *file, const char *name, double fps, mus_point_cache *cache) {
    mus_gltf document;
    mus_gltf_scene scene = {.document = NULL};
    animation a = {.end = 0};
    mus_status status = mus_gltf_open(file, &document);
    if (status == MUS_STATUS_OK) status = mus_gltf_scene_open(&document, &scene);
    if (status == MUS_STATUS_OK) status = read_animation(&scene, name, &a);
    if (status == MUS_STATUS_OK) status = sample(&scene, &a, fps, cache);
    if (status != MUS_STATUS_OK) mus_point_cache_destroy(cache);
    animation_free(&a);
    mus_gltf_scene_close(&scene);
    mus_gltf_close(&document);
    return status;
}
