/* render_heat.c: quantities that the color of cloth shows, and their scale. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `least`: the smallest range of the scale, so that cloth at rest is not magnified to noise. */
static const struct {
    const char *name, *label, *unit;
    float factor, least;
} quantities[APP_HEAT_COUNT] = {
    [APP_HEAT_NONE] = {.name = "none"},
    [APP_HEAT_STRETCH] = {"stretch", "stretch", "%", 100, 0.01f},
    [APP_HEAT_SPEED] = {"speed", "speed", "m/s", 1, 0.001f},
    [APP_HEAT_FORCE] = {"force", "contact force", "N", 1, 0.001f},
    [APP_HEAT_PRESSURE] = {"pressure", "pressure", "Pa", 1, 0.1f},
    [APP_HEAT_CURVATURE] = {"curvature", "curvature", "1/m", 1, 1},
    [APP_HEAT_DISTANCE] = {"distance", "distance", "mm", 1000, 1e-5f},
};

const char *app_heat_name(app_heat heat) {
    return (unsigned)heat < APP_HEAT_COUNT ? quantities[heat].name : NULL;
}

void app_heat_legend(app_heat heat, float range, char text[48]) {
    snprintf(text, 48, "%s %.6g %s", quantities[heat].label, (double)(quantities[heat].factor * range),
             quantities[heat].unit);
}

/* From dark blue through green to yellow: of growing lightness, and distinct without red and green. */
void app_heat_color(float share, float color[3]) {
    static const float stops[5][3] = {{0.20f, 0.16f, 0.42f},
                                      {0.17f, 0.38f, 0.58f},
                                      {0.15f, 0.58f, 0.55f},
                                      {0.52f, 0.76f, 0.35f},
                                      {0.97f, 0.89f, 0.24f}};
    float at = 4 * fminf(fmaxf(share, 0), 1);
    int low = at < 4 ? (int)at : 3;
    for (int k = 0; k < 3; k++) color[k] = stops[low][k] + (at - (float)low) * (stops[low + 1][k] - stops[low][k]);
}

static void stretches(const mus_world *world, mus_cloth_id id, float *heat) {
    const int32_t *edges = mus_cloth_get_edges(world, id);
    const double *rest = mus_cloth_get_rest_lengths(world, id);
    const double *x = mus_cloth_get_positions((mus_world *)world, id);
    for (int32_t e = 0; edges && rest && x && e < mus_cloth_get_edge_count(world, id); e++) {
        const double *a = x + 3 * (size_t)edges[2 * e], *b = x + 3 * (size_t)edges[2 * e + 1];
        double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        float strain = (float)(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / rest[e] - 1);
        for (int k = 0; k < 2; k++) heat[edges[2 * e + k]] = fmaxf(heat[edges[2 * e + k]], strain);
    }
}

static void speeds(mus_world *world, mus_cloth_id id, float *heat) {
    const double *v = mus_cloth_get_velocities(world, id);
    for (int32_t i = 0; v && i < mus_cloth_get_vertex_count(world, id); i++, v += 3)
        heat[i] = (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The k-th vertex of the contact's features; -1: it is not of this cloth. */
static int32_t contact_vertex(const mus_contact *c, int k, mus_cloth_id id) {
    const mus_object_id *of = &c->object[c->side[k]];
    bool same = of->kind == MUS_OBJECT_CLOTH && of->index == id.index && of->generation == id.generation;
    return same ? c->vertices[k] : -1;
}

static void forces(const mus_world *world, mus_cloth_id id, float *heat) {
    int64_t count = 0;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    for (int64_t i = 0; contacts && i < count; i++) {
        const mus_contact *c = &contacts[i];
        const double *j = c->impulse;
        double force = c->dt > 0 ? sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / c->dt : 0;
        for (int k = 0; k < 4; k++) {
            int32_t v = contact_vertex(c, k, id);
            if (v >= 0) heat[v] += (float)(fabs(c->weights[k]) * force);
        }
    }
}

static void distances(const mus_world *world, mus_cloth_id id, float *heat) {
    int64_t count = 0;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    for (int32_t v = 0; v < mus_cloth_get_vertex_count(world, id); v++) heat[v] = INFINITY;
    for (int64_t i = 0; contacts && i < count; i++)
        for (int k = 0; k < 4; k++) {
            int32_t v = contact_vertex(&contacts[i], k, id);
            if (v >= 0 && contacts[i].weights[k] != 0) heat[v] = fminf(heat[v], (float)contacts[i].distance);
        }
}

/* Normals of length twice the area. */
static float (*face_normals(const mus_world *world, mus_cloth_id id))[3] {
    int32_t count = mus_cloth_get_face_count(world, id);
    const int32_t *faces = mus_cloth_get_faces(world, id);
    const double *x = mus_cloth_get_positions((mus_world *)world, id);
    float(*normals)[3] = malloc(((size_t)count + 1) * sizeof *normals);
    for (int32_t f = 0; normals && f < count; f++) {
        const double *a = x + 3 * (size_t)faces[3 * f], *b = x + 3 * (size_t)faces[3 * f + 1],
                     *c = x + 3 * (size_t)faces[3 * f + 2];
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            normals[f][k] = (float)((b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]));
        }
    }
    return normals;
}

static float length_of(const float v[3]) {
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool pressures(mus_world *world, mus_cloth_id id, float *heat) {
    const int32_t *faces = mus_cloth_get_faces(world, id);
    float(*normals)[3] = face_normals(world, id);
    float *areas = calloc((size_t)mus_cloth_get_vertex_count(world, id) + 1, sizeof *areas);
    bool ok = normals && areas;
    if (ok) forces(world, id, heat);
    for (int32_t f = 0; ok && f < mus_cloth_get_face_count(world, id); f++)
        for (int k = 0; k < 3; k++) areas[faces[3 * f + k]] += length_of(normals[f]) / 6;
    for (int32_t v = 0; ok && v < mus_cloth_get_vertex_count(world, id); v++)
        heat[v] = areas[v] > 0 ? heat[v] / areas[v] : 0;
    free(normals);
    free(areas);
    return ok;
}

/* An edge as one face has it. */
typedef struct half_edge {
    int32_t low, high, face;
} half_edge;

static int compare_half_edges(const void *one, const void *two) {
    const half_edge *a = one, *b = two;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

/* The angle of two faces over the mean of their heights (Grinspun et al. 2003): of a cylinder, one over its radius. */
static float edge_curvature(const float a[3], const float b[3], float edge) {
    float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], product = length_of(a) * length_of(b);
    float heights = (length_of(a) + length_of(b)) / edge;
    return product > 0 ? 2 * acosf(fminf(fmaxf(dot / product, -1), 1)) / heights : 0;
}

static bool curvatures(mus_world *world, mus_cloth_id id, float *heat) {
    size_t count = 3 * (size_t)mus_cloth_get_face_count(world, id);
    const int32_t *faces = mus_cloth_get_faces(world, id);
    const double *x = mus_cloth_get_positions(world, id);
    float(*normals)[3] = face_normals(world, id);
    half_edge *list = malloc((count + 1) * sizeof *list);
    bool ok = normals && list;
    for (size_t k = 0; ok && k < count; k++) {
        int32_t v = faces[k], w = faces[k % 3 == 2 ? k - 2 : k + 1];
        list[k] = (half_edge){v < w ? v : w, v < w ? w : v, (int32_t)(k / 3)};
    }
    if (ok) qsort(list, count, sizeof *list, compare_half_edges);
    for (size_t k = 1; ok && k < count; k++) {
        if (compare_half_edges(&list[k - 1], &list[k]) != 0) continue;
        int32_t ends[2] = {list[k].low, list[k].high};
        const double *a = x + 3 * (size_t)ends[0], *b = x + 3 * (size_t)ends[1];
        const float edge[3] = {(float)(b[0] - a[0]), (float)(b[1] - a[1]), (float)(b[2] - a[2])};
        float value = edge_curvature(normals[list[k - 1].face], normals[list[k].face], length_of(edge));
        for (int i = 0; i < 2; i++) heat[ends[i]] = fmaxf(heat[ends[i]], value);
    }
    free(normals);
    free(list);
    return ok;
}

/* 1, 2 or 5 times a power of ten. */
static float round_up(float x) {
    if (!(x > 1e-12f)) return 1e-12f;
    float power = powf(10, floorf(log10f(x)));
    float digits = x / power;
    return power * (digits <= 1.0001f ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

bool app_heat_of_cloth(mus_world *world, mus_cloth_id id, app_heat heat, float *values) {
    memset(values, 0, (size_t)mus_cloth_get_vertex_count(world, id) * sizeof *values);
    if (heat == APP_HEAT_STRETCH) stretches(world, id, values);
    if (heat == APP_HEAT_SPEED) speeds(world, id, values);
    if (heat == APP_HEAT_FORCE) forces(world, id, values);
    if (heat == APP_HEAT_DISTANCE) distances(world, id, values);
    if (heat == APP_HEAT_PRESSURE) return pressures(world, id, values);
    return heat != APP_HEAT_CURVATURE || curvatures(world, id, values);
}

static float largest(const float *values, int32_t count) {
    float most = 0;
    for (int32_t v = 0; v < count; v++)
        if (isfinite(values[v])) most = fmaxf(most, values[v]);
    return most;
}

/* Values at the vertices of the mesh that follows the cloth; `values`: at the cloth's, where infinity is shown as the
 * largest. False: no memory. */
static bool spread(const mus_world *world, mus_cloth_id id, const float *values, float *of_surface, int32_t count) {
    int32_t vertices = mus_cloth_get_vertex_count(world, id);
    double *from = malloc(((size_t)vertices + (size_t)count + 1) * sizeof *from), *to = from ? from + vertices : NULL;
    double most = (double)largest(values, vertices);
    for (int32_t v = 0; from && v < vertices; v++) from[v] = isfinite(values[v]) ? (double)values[v] : most;
    bool ok = from && mus_cloth_spread_to_surface(world, id, 1, from, to) == MUS_STATUS_OK;
    for (int32_t v = 0; ok && v < count; v++) of_surface[v] = (float)to[v];
    free(from);
    return ok;
}

mus_status app_render_list_heat(app_render_list *list, mus_world *world, app_heat heat) {
    float most = 0;
    list->heat = heat;
    if (!world || heat == APP_HEAT_NONE) return MUS_STATUS_OK;
    for (int32_t k = 0, cloth = 0; k < list->part_count; k++) {
        app_render_part *part = &list->parts[k];
        if (part->kind != APP_PART_CLOTH) continue;
        mus_cloth_id id = mus_world_get_cloth(world, cloth++);
        bool follows = part->vertices != mus_cloth_get_positions(world, id);
        size_t own = (size_t)mus_cloth_get_vertex_count(world, id);
        float *values = follows ? malloc((own + 1) * sizeof *values) : NULL;
        part->heat = malloc(((size_t)part->vertex_count + 1) * sizeof *part->heat);
        bool ok =
            part->heat && (values || !follows) && app_heat_of_cloth(world, id, heat, follows ? values : part->heat);
        if (ok && follows) ok = spread(world, id, values, part->heat, part->vertex_count);
        free(values);
        if (!ok) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the colors of %d vertices", part->vertex_count);
        most = fmaxf(most, largest(part->heat, part->vertex_count));
    }
    list->heat_range = round_up(fmaxf(most, quantities[heat].least));
    for (int32_t k = 0; k < list->part_count; k++) /* without a contact: the end of the scale */
        for (int32_t v = 0; list->parts[k].heat && v < list->parts[k].vertex_count; v++)
            if (list->parts[k].heat[v] == INFINITY) list->parts[k].heat[v] = list->heat_range;
    return MUS_STATUS_OK;
}
