/* render_heat.c: quantities that the color of cloth shows, and their scale. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *app_heat_name(app_heat heat) {
    static const char *const names[APP_HEAT_COUNT] = {"none", "stretch", "speed", "force"};
    return (unsigned)heat < APP_HEAT_COUNT ? names[heat] : NULL;
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

static void forces(const mus_world *world, mus_cloth_id id, float *heat) {
    int64_t count = 0;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    for (int64_t i = 0; contacts && i < count; i++) {
        const mus_contact *c = &contacts[i];
        const double *j = c->impulse;
        double force = c->dt > 0 ? sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / c->dt : 0;
        for (int k = 0; k < 4; k++) {
            const mus_object_id *of = &c->object[c->side[k]];
            if (c->vertices[k] < 0 || of->kind != MUS_OBJECT_CLOTH) continue;
            if (of->index != id.index || of->generation != id.generation) continue;
            heat[c->vertices[k]] += (float)(fabs(c->weights[k]) * force);
        }
    }
}

/* 1, 2 or 5 times a power of ten. */
static float round_up(float x) {
    if (!(x > 1e-12f)) return 1e-12f;
    float power = powf(10, floorf(log10f(x)));
    float digits = x / power;
    return power * (digits <= 1.0001f ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

void app_heat_of_cloth(mus_world *world, mus_cloth_id id, app_heat heat, float *values) {
    memset(values, 0, (size_t)mus_cloth_get_vertex_count(world, id) * sizeof *values);
    if (heat == APP_HEAT_STRETCH) stretches(world, id, values);
    if (heat == APP_HEAT_SPEED) speeds(world, id, values);
    if (heat == APP_HEAT_FORCE) forces(world, id, values);
}

mus_status app_render_list_heat(app_render_list *list, mus_world *world, app_heat heat) {
    float most = 0;
    list->heat = heat;
    if (!world || heat == APP_HEAT_NONE) return MUS_STATUS_OK;
    for (int32_t k = 0, cloth = 0; k < list->part_count; k++) {
        app_render_part *part = &list->parts[k];
        if (part->kind != APP_PART_CLOTH) continue;
        mus_cloth_id id = mus_world_get_cloth(world, cloth++);
        part->heat = malloc(((size_t)part->vertex_count + 1) * sizeof *part->heat);
        if (!part->heat)
            return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the colors of %d vertices", part->vertex_count);
        app_heat_of_cloth(world, id, heat, part->heat);
        for (int32_t v = 0; v < part->vertex_count; v++)
            if (isfinite(part->heat[v])) most = fmaxf(most, part->heat[v]);
    }
    /* A cloth at rest is not magnified to noise: 1 % of strain, 1 mm/s, 1 mN. */
    list->heat_range = round_up(fmaxf(most, heat == APP_HEAT_STRETCH ? 0.01f : 0.001f));
    return MUS_STATUS_OK;
}
