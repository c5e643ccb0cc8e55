/* usd_motion.c: the motion of meshes of a layer, from the time samples of their points and of the transforms around
 * them. */
#include "io/usd_motion.h"

#include "base/word.h"
#include "io/usd_stage.h"
#include "base/range.h"

#include <string.h>

typedef struct moving_mesh {
    int32_t prim;
    int64_t first, count; /* of its vertices among those of all */
} moving_mesh;

typedef struct motion {
    const char *path;
    mus_usda layer;
    MUS_ARRAY(moving_mesh) meshes;
    int64_t vertex_count;
    double first, last; /* time codes */
    bool moves;
    mus_usda_room room;
} motion;

/* By its prim's path, its prim's name, or its own name. */
static bool is_named(const mus_usda *layer, int32_t k, const char *name) {
    const mus_usda_prim *prim = &layer->prims.data[k];
    return *name == '/' ? mus_usda_prim_at(layer, -1, name) == k
                        : strcmp(prim->name, name) == 0 || strcmp(mus_usd_name_of(prim), name) == 0;
}

/* The points of USD are floats: so are those of a point cache, which then has the same bits. */
static void round_to_floats(const mus_usda_property *points) {
    for (int64_t k = 0; k < points->sampled.count; k++)
        points->sampled.data[k] = (double)(float)points->sampled.data[k];
}

static mus_status select_meshes(motion *m, const char *name) {
    m->first = INFINITY, m->last = -INFINITY;
    for (int32_t k = 0; k < (int32_t)m->layer.prims.count; k++) {
        const mus_usda_prim *prim = &m->layer.prims.data[k];
        const mus_usda_property *points = mus_usda_find(prim, "points");
        const mus_usda_property *faces = mus_usda_find(prim, "faceVertexCounts");
        if (strcmp(prim->type, "Mesh") != 0 || !mus_usd_is_present(&m->layer, k) || !points || !faces) continue;
        if (faces->value.numbers.count == 0 || (name && !is_named(&m->layer, k, name))) continue;
        moving_mesh mesh = {.prim = k, .first = m->vertex_count, .count = points->value.numbers.count / 3};
        if (!mus_array_push(&m->meshes, mesh)) return MUS_STATUS_NO_MEMORY;
        m->vertex_count += mesh.count;
        round_to_floats(mus_usda_find_sampled(prim, "points"));
        m->moves |= mus_usd_moves(&m->layer, k, &m->first, &m->last);
    }
    bool stated = !(m->layer.end_code <= m->layer.start_code); /* a still picture's range is no range */
    if (stated && !isnan(m->layer.start_code)) m->first = m->layer.start_code;
    if (stated && !isnan(m->layer.end_code)) m->last = m->layer.end_code;
    if (m->vertex_count == 0)
        return name ? mus_fail(MUS_STATUS_INVALID, "%s: has no mesh '%s'; give the name or the path of a prim", m->path,
                               name)
                    : mus_fail(MUS_STATUS_FORMAT, "%s: has no mesh with faces", m->path);
    if (!m->moves || !(m->last > m->first) || !isfinite(m->first) || !isfinite(m->last))
        return mus_fail(MUS_STATUS_FORMAT, "%s: %s%s%s time samples of points or transforms over a range of times",
                        m->path, name ? "mesh '" : "none of its meshes has", name ? name : "", name ? "' has no" : "");
    return MUS_STATUS_OK;
}

static mus_status pose(motion *m, const moving_mesh *mesh, double time, double *positions) {
    const mus_usda_prim *prim = &m->layer.prims.data[mesh->prim];
    const mus_usda_property *points = mus_usda_find_sampled(prim, "points");
    int64_t count = 0;
    double place[12];
    mus_status status = mus_usd_place_of(m->path, &m->layer, mesh->prim, time, place);
    const double *p = mus_usda_numbers_at(points, time, &m->room, &count);
    if (status != MUS_STATUS_OK) return status;
    if (count != 3 * mesh->count)
        return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: mesh '%s': the number of 'points' changes at time code %g",
                        m->path, (long long)points->line, prim->name, time);
    if (!p) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        const double *row = place + 4 * (k % 3), *q = p + k - k % 3;
        positions[k] = row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3];
        if (!isfinite(positions[k]))
            return mus_fail(MUS_STATUS_FORMAT, "%s: vertex %lld of mesh '%s' is not finite at time code %g", m->path,
                            (long long)(k / 3) + 1, prim->name, time);
    }
    return MUS_STATUS_OK;
}

static mus_status sample(motion *m, double fps, mus_point_cache *cache) {
    double seconds = (m->last - m->first) / m->layer.codes_per_second, steps = fmax(1, floor(seconds * fps + 0.5));
    if (!((steps + 1) * (double)m->vertex_count * 3 <= INT32_MAX))
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: %g frames of %lld vertices are too many; the motion has %g s, sampled %g times a second",
                        m->path, steps + 1, (long long)m->vertex_count, seconds, fps);
    int64_t frames = (int64_t)steps + 1;
    double *positions = mus_new((size_t)(frames * m->vertex_count) * 3 * sizeof *positions);
    if (!positions) return MUS_STATUS_NO_MEMORY;
    *cache = (mus_point_cache){.positions = positions,
                               .vertex_count = (int32_t)m->vertex_count,
                               .frame_count = (int32_t)frames,
                               .sample_rate = (m->last - m->first) * fps / m->layer.codes_per_second / steps};
    mus_status status = MUS_STATUS_OK;
    for (int64_t f = 0; f < frames; f++) {
        double time = f == frames - 1 ? m->last : m->first + (m->last - m->first) * (double)f / steps;
        for (int64_t k = 0; k < m->meshes.count && status == MUS_STATUS_OK; k++)
            status = pose(m, &m->meshes.data[k], time, positions + 3 * (m->vertex_count * f + m->meshes.data[k].first));
    }
    return status;
}

mus_status mus_usd_sample_file(const mus_file *file, const char *name, double fps, mus_point_cache *cache) {
    motion m = {.path = file->path};
    mus_status status = mus_usda_parse(file, &m.layer);
    if (status == MUS_STATUS_OK) status = select_meshes(&m, name);
    if (status == MUS_STATUS_OK) status = sample(&m, fps, cache);
    if (status != MUS_STATUS_OK) {
        mus_free(cache->positions);
        *cache = (mus_point_cache){.positions = NULL};
    }
    mus_array_free(&m.meshes);
    mus_array_free(&m.room.numbers);
    mus_usda_free(&m.layer);
    return status;
}
