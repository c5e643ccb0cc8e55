/* render_mesh.c: the parts of a picture as one array of vertices and one of indices, with normals computed from the
 * positions: smooth on cloth, split at creases on obstacles. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adjacent faces of an obstacle share a normal if the angle between them is less than this: cos 40 degrees. */
#define CREASE_COSINE 0.766f

static mus_status no_memory(void) {
    return mus_fail(MUS_STATUS_NO_MEMORY, "preview: no memory for the picture's triangles");
}

static bool grow(void **data, int64_t *capacity, int64_t needed, size_t item) {
    if (needed <= *capacity) return true;
    int64_t next = needed + needed / 2;
    void *grown = realloc(*data, (size_t)next * item);
    if (!grown) return false;
    *data = grown, *capacity = next;
    return true;
}

static void *scratch_of(app_mesh *mesh, size_t size) {
    if (size > mesh->scratch_size) {
        void *grown = realloc(mesh->scratch, size);
        if (!grown) return NULL;
        mesh->scratch = grown, mesh->scratch_size = size;
    }
    return mesh->scratch;
}

static void normalize(float a[3]) {
    float l = sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    float s = l > 0 ? 1 / l : 0;
    for (int k = 0; k < 3; k++) a[k] *= s;
}

/* Twice the area times the unit normal. Not finite when a corner is not. */
static void face_normal(const double *vertices, const int32_t *face, float out[3]) {
    const double *a = vertices + 3 * (size_t)face[0], *b = vertices + 3 * (size_t)face[1],
                 *c = vertices + 3 * (size_t)face[2];
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    out[0] = (float)(u[1] * v[2] - u[2] * v[1]);
    out[1] = (float)(u[2] * v[0] - u[0] * v[2]);
    out[2] = (float)(u[0] * v[1] - u[1] * v[0]);
}

static bool finite3(const float a[3]) {
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

static bool finite_corners(const double *vertices, const int32_t *face) {
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            if (!isfinite((float)vertices[3 * (size_t)face[c] + (size_t)k])) return false;
    return true;
}

static void put_position(app_vertex *vertex, const double *p) {
    for (int k = 0; k < 3; k++) vertex->position[k] = (float)p[k];
}

/* Root mean square length of sides, from each face's first. */
static float side_length(const app_mesh *mesh, const app_draw *draw) {
    double sum = 0;
    for (int32_t i = 0; i < draw->index_count; i += 3) {
        const float *a = mesh->vertices[mesh->indices[draw->first_index + i]].position;
        const float *b = mesh->vertices[mesh->indices[draw->first_index + i + 1]].position;
        for (int k = 0; k < 3; k++) sum += (double)(b[k] - a[k]) * (b[k] - a[k]);
    }
    return draw->index_count > 0 ? (float)sqrt(3 * sum / draw->index_count) : 0;
}

/* Sums over the sides of every face, for both ends: sum[v] += value of the pair, count[v] += 1. */
static void over_sides(const app_render_part *part, app_vertex *vertices, bool smooth, float *sum, float *count) {
    size_t bytes = (size_t)part->vertex_count * sizeof *sum;
    memset(sum, 0, bytes);
    memset(count, 0, bytes);
    for (int32_t f = 0; f < part->face_count; f++) {
        const int32_t *face = part->faces + 3 * (size_t)f;
        if (!finite_corners(part->vertices, face)) continue;
        for (int c = 0; c < 3; c++) {
            int32_t i = face[c], j = face[(c + 1) % 3];
            const app_vertex *a = &vertices[i], *b = &vertices[j];
            float for_a = b->cavity, for_b = a->cavity;
            if (!smooth) {
                float length2 = 0;
                for_a = for_b = 0;
                for (int k = 0; k < 3; k++) {
                    float d = b->position[k] - a->position[k];
                    length2 += d * d, for_a += d * a->normal[k], for_b -= d * b->normal[k];
                }
                if (!(length2 > 0)) continue;
                float s = 1 / sqrtf(length2);
                for_a *= s, for_b *= s;
            }
            sum[i] += for_a, sum[j] += for_b;
            count[i]++, count[j]++;
        }
    }
}

/* Hollowness: over the sides at a vertex, the mean of (neighbor - vertex) . normal / length; then averaged with the
 * neighbors', since a second derivative shows every ripple of the mesh. `scratch` has two numbers per vertex. */
static void cavities(const app_render_part *part, app_vertex *vertices, float *scratch) {
    float *sum = scratch, *count = scratch + part->vertex_count;
    over_sides(part, vertices, false, sum, count);
    for (int32_t v = 0; v < part->vertex_count; v++) vertices[v].cavity = count[v] > 0 ? sum[v] / count[v] : 0;
    for (int round = 0; round < 2; round++) {
        over_sides(part, vertices, true, sum, count);
        for (int32_t v = 0; v < part->vertex_count; v++)
            if (count[v] > 0) vertices[v].cavity = 0.4f * vertices[v].cavity + 0.6f * sum[v] / count[v];
    }
}

/* Twice the area times the unit normal of a face; false: it is omitted. */
static bool normal_of_drawn(const app_render_part *part, int32_t f, float n[3]) {
    const int32_t *face = part->faces + 3 * (size_t)f;
    face_normal(part->vertices, face, n);
    return finite3(n) && finite_corners(part->vertices, face);
}

static bool has_seams(const app_render_part *part) {
    return memcmp(part->uv_faces, part->faces, 3 * (size_t)part->face_count * sizeof *part->faces) != 0;
}

static void put_uv(app_vertex *vertex, const double *uv) {
    for (int k = 0; k < 2; k++) vertex->uv[k] = (float)uv[k];
}

/* Texture coordinates of a part whose vertices were made from `base` on and whose triangles are the last ones. With
 * seams, every corner becomes a vertex of its own, a copy of the one it was. */
static mus_status add_uvs(app_mesh *mesh, const app_render_part *part, int64_t base) {
    if (!has_seams(part)) {
        for (int32_t v = 0; v < part->vertex_count; v++) put_uv(&mesh->vertices[base + v], part->uvs + 2 * (size_t)v);
        return MUS_STATUS_OK;
    }
    int64_t corners = 3 * (int64_t)part->face_count, next = base + part->vertex_count;
    if (!grow((void **)&mesh->vertices, &mesh->vertex_capacity, next + corners, sizeof *mesh->vertices))
        return no_memory();
    uint32_t *index = mesh->indices + mesh->index_count;
    for (int32_t f = part->face_count - 1; f >= 0; f--) { /* backward, as faces that were omitted have no triangle */
        float n[3];
        if (!normal_of_drawn(part, f, n)) continue;
        index -= 3;
        for (int c = 0; c < 3; c++) {
            mesh->vertices[next] = mesh->vertices[index[c]];
            put_uv(&mesh->vertices[next], part->uvs + 2 * (size_t)part->uv_faces[3 * (size_t)f + (size_t)c]);
            index[c] = (uint32_t)next++;
        }
    }
    mesh->vertex_count = next;
    return MUS_STATUS_OK;
}

/* One vertex for each of the part's, normals weighted by area. */
static mus_status build_smooth(app_mesh *mesh, const app_render_part *part, float range) {
    int64_t base = mesh->vertex_count;
    if (!grow((void **)&mesh->vertices, &mesh->vertex_capacity, base + part->vertex_count, sizeof *mesh->vertices) ||
        !grow((void **)&mesh->indices, &mesh->index_capacity, mesh->index_count + 3 * (int64_t)part->face_count,
              sizeof *mesh->indices))
        return no_memory();
    float *scratch = scratch_of(mesh, 2 * (size_t)part->vertex_count * sizeof *scratch + 1);
    if (!scratch) return no_memory();
    app_vertex *vertices = mesh->vertices + base;
    memset(vertices, 0, (size_t)part->vertex_count * sizeof *vertices);
    for (int32_t v = 0; v < part->vertex_count; v++) {
        put_position(&vertices[v], part->vertices + 3 * (size_t)v);
        vertices[v].heat = part->heat && range > 0 ? part->heat[v] / range : -1;
    }
    for (int32_t f = 0; f < part->face_count; f++) {
        const int32_t *face = part->faces + 3 * (size_t)f;
        float n[3];
        if (!normal_of_drawn(part, f, n)) continue;
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) vertices[face[c]].normal[k] += n[k];
            mesh->indices[mesh->index_count++] = (uint32_t)(base + face[c]);
        }
    }
    for (int32_t v = 0; v < part->vertex_count; v++) normalize(vertices[v].normal);
    cavities(part, vertices, scratch);
    mesh->vertex_count += part->vertex_count;
    return part->uvs ? add_uvs(mesh, part, base) : MUS_STATUS_OK;
}

/* Three vertices for each face; a corner's normal is the sum over the faces around the vertex within the crease angle
 * of this face. */
static mus_status build_creased(app_mesh *mesh, const app_render_part *part) {
    int64_t base = mesh->vertex_count, corners = 3 * (int64_t)part->face_count;
    if (!grow((void **)&mesh->vertices, &mesh->vertex_capacity, base + corners, sizeof *mesh->vertices) ||
        !grow((void **)&mesh->indices, &mesh->index_capacity, mesh->index_count + corners, sizeof *mesh->indices))
        return no_memory();
    size_t faces = (size_t)part->face_count, count = (size_t)part->vertex_count;
    /* scratch: normals and areas of faces (4 floats), then first[count + 1] and around[3 faces] of the faces at a
     * vertex */
    float *normals = scratch_of(mesh, faces * 4 * sizeof(float) + (count + 2 + 3 * faces) * sizeof(int32_t));
    if (!normals) return no_memory();
    int32_t *first = (int32_t *)(normals + 4 * faces), *around = first + count + 2;
    memset(first, 0, (count + 2) * sizeof *first);
    for (size_t f = 0; f < faces; f++) {
        float *n = normals + 4 * f;
        face_normal(part->vertices, part->faces + 3 * f, n);
        n[3] = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!isfinite(n[3]) || !finite_corners(part->vertices, part->faces + 3 * f))
            n[3] = -1; /* omitted */
        else
            normalize(n);
        for (int c = 0; c < 3; c++) first[part->faces[3 * f + (size_t)c] + 2]++;
    }
    for (size_t v = 0; v < count; v++) first[v + 2] += first[v + 1]; /* first[v + 1] is where v's list grows */
    for (size_t f = 0; f < faces; f++)
        for (int c = 0; c < 3; c++) around[first[part->faces[3 * f + (size_t)c] + 1]++] = (int32_t)f;
    app_vertex *out = mesh->vertices + base;
    for (size_t f = 0; f < faces; f++) {
        const float *own = normals + 4 * f;
        if (own[3] < 0) continue;
        for (int c = 0; c < 3; c++) {
            int32_t v = part->faces[3 * f + (size_t)c];
            app_vertex *vertex = out++;
            memset(vertex, 0, sizeof *vertex);
            vertex->heat = -1;
            put_position(vertex, part->vertices + 3 * (size_t)v);
            if (part->uvs) put_uv(vertex, part->uvs + 2 * (size_t)part->uv_faces[3 * f + (size_t)c]);
            for (int32_t i = first[v]; i < first[v + 1]; i++) {
                const float *n = normals + 4 * (size_t)around[i];
                if (n[3] < 0 || n[0] * own[0] + n[1] * own[1] + n[2] * own[2] < CREASE_COSINE) continue;
                for (int k = 0; k < 3; k++) vertex->normal[k] += n[3] * n[k];
            }
            normalize(vertex->normal);
            mesh->indices[mesh->index_count++] = (uint32_t)mesh->vertex_count++;
        }
    }
    return MUS_STATUS_OK;
}

static mus_status build_edges(app_mesh *mesh, const app_render_part *part, app_draw *draw) {
    int64_t most = part->edges ? 2 * (int64_t)part->edge_count : 2 * (int64_t)draw->index_count;
    if (!grow((void **)&mesh->indices, &mesh->index_capacity, mesh->index_count + most, sizeof *mesh->indices))
        return no_memory();
    draw->first_edge_index = (int32_t)mesh->index_count;
    if (part->edges) {
        for (int64_t i = 0; i < 2 * (int64_t)part->edge_count; i++)
            mesh->indices[mesh->index_count++] = (uint32_t)(draw->first_vertex + part->edges[i]);
    } else {
        for (int32_t i = 0; i < draw->index_count; i++) {
            int32_t next = i % 3 == 2 ? i - 2 : i + 1;
            mesh->indices[mesh->index_count++] = mesh->indices[draw->first_index + i];
            mesh->indices[mesh->index_count++] = mesh->indices[draw->first_index + next];
        }
    }
    draw->edge_index_count = (int32_t)(mesh->index_count - draw->first_edge_index);
    return MUS_STATUS_OK;
}

mus_status app_mesh_build(app_mesh *mesh, const app_render_list *list, bool edges) {
    mesh->vertex_count = mesh->index_count = mesh->triangle_index_count = 0;
    mesh->draw_count = 0;
    if (list->part_count > mesh->draw_capacity) {
        app_draw *grown = realloc(mesh->draws, (size_t)list->part_count * sizeof *grown);
        if (!grown) return no_memory();
        mesh->draws = grown, mesh->draw_capacity = list->part_count;
    }
    for (int32_t i = 0; i < list->part_count; i++) {
        const app_render_part *part = &list->parts[i];
        app_draw *draw = &mesh->draws[i];
        *draw = (app_draw){.kind = part->kind,
                           .paint = part->paint,
                           .first_vertex = mesh->vertex_count,
                           .first_index = (int32_t)mesh->index_count};
        mus_status status = MUS_STATUS_OK;
        if (part->vertices && part->faces)
            status =
                part->kind == APP_PART_CLOTH ? build_smooth(mesh, part, list->heat_range) : build_creased(mesh, part);
        if (status != MUS_STATUS_OK) return status;
        draw->index_count = (int32_t)(mesh->index_count - draw->first_index);
        draw->spacing = side_length(mesh, draw);
    }
    mesh->draw_count = list->part_count;
    mesh->triangle_index_count = mesh->index_count;
    for (int64_t i = 0; edges && i < list->part_count; i++) {
        mus_status status = build_edges(mesh, &list->parts[i], &mesh->draws[i]);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

void app_mesh_free(app_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    free(mesh->draws);
    free(mesh->scratch);
    memset(mesh, 0, sizeof *mesh);
}
