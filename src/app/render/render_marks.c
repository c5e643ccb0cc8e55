/* render_marks.c: contacts, pins, stitches and normals as marks over the picture. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>

static mus_status add(app_render_list *list, app_mark_kind kind, const double at[3], const double to[3]) {
    if (list->mark_count == list->mark_capacity) {
        int64_t capacity = 2 * list->mark_capacity + 256;
        app_render_mark *grown = realloc(list->marks, (size_t)capacity * sizeof *grown);
        if (!grown) return mus_fail(MUS_STATUS_NO_MEMORY, "preview: no memory for %lld marks", (long long)capacity);
        list->marks = grown, list->mark_capacity = capacity;
    }
    app_render_mark *mark = &list->marks[list->mark_count++];
    mark->kind = kind;
    for (int k = 0; k < 3; k++) mark->at[k] = (float)at[k], mark->to[k] = (float)to[k];
    return MUS_STATUS_OK;
}

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* On the first side, since the second point of an exact solid is its center. The longest mark is of the largest
 * impulse; those without one, where contacts are found but not resolved, show the direction. */
static mus_status mark_contacts(app_render_list *list, const mus_world *world, double size) {
    int64_t count = 0;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    mus_status status = MUS_STATUS_OK;
    double most = 0;
    for (int64_t i = 0; contacts && i < count; i++) most = fmax(most, length_of(contacts[i].impulse));
    for (int64_t i = 0; contacts && i < count && status == MUS_STATUS_OK; i++) {
        const mus_contact *c = &contacts[i];
        double length = size * (1 + (most > 0 ? 3 * length_of(c->impulse) / most : 0)), to[3];
        for (int k = 0; k < 3; k++) to[k] = c->point[0][k] + length * c->normal[k];
        status = add(list, APP_MARK_CONTACT, c->point[0], to);
    }
    return status;
}

static mus_status mark_pins(app_render_list *list, mus_world *world, mus_cloth_id id) {
    const double *x = mus_cloth_get_positions(world, id);
    mus_status status = MUS_STATUS_OK;
    for (int32_t v = 0; v < mus_cloth_get_vertex_count(world, id) && status == MUS_STATUS_OK; v++) {
        const double *at = x + 3 * (size_t)v;
        double to[3] = {at[0], at[1], at[2]};
        if (mus_cloth_is_pinned(world, id, v))
            status = add(list, APP_MARK_PIN, at, at);
        else if (mus_cloth_get_pull_stiffness(world, id, v) > 0) {
            mus_cloth_get_pull_place(world, id, v, to);
            status = add(list, APP_MARK_PULL, at, to);
        }
    }
    return status;
}

static mus_status mark_stitches(app_render_list *list, mus_world *world, mus_seam_id id) {
    mus_seam_state state;
    const mus_stitch *stitches = NULL;
    int32_t count = mus_seam_get_stitches(world, id, &stitches);
    mus_status status = mus_seam_get_state(world, id, &state);
    if (status != MUS_STATUS_OK) return status;
    const double *a = mus_cloth_get_positions(world, state.a), *b = mus_cloth_get_positions(world, state.b);
    for (int32_t i = 0; i < count && status == MUS_STATUS_OK; i++) {
        const mus_stitch *s = &stitches[i];
        const double *first = b + 3 * (size_t)s->onto[0], *second = b + 3 * (size_t)s->onto[1];
        double to[3];
        for (int k = 0; k < 3; k++) to[k] = (1 - s->along) * first[k] + s->along * second[k];
        status = add(list, APP_MARK_STITCH, a + 3 * (size_t)s->vertex, to);
    }
    return status;
}

/* Of the triangles as they are drawn, so also of a mesh that follows a cloth: sums weighted by area. */
static mus_status mark_normals(app_render_list *list, const app_render_part *part, double size) {
    double *sums = calloc(3 * (size_t)part->vertex_count + 1, sizeof *sums);
    if (!sums) return mus_fail(MUS_STATUS_NO_MEMORY, "preview: no memory for normals");
    for (int32_t f = 0; f < part->face_count; f++) {
        const int32_t *face = part->faces + 3 * (size_t)f;
        const double *a = part->vertices + 3 * (size_t)face[0], *b = part->vertices + 3 * (size_t)face[1],
                     *c = part->vertices + 3 * (size_t)face[2];
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            double n = (b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]);
            for (int i = 0; i < 3; i++) sums[3 * (size_t)face[i] + (size_t)k] += n;
        }
    }
    mus_status status = MUS_STATUS_OK;
    for (int32_t v = 0; v < part->vertex_count && status == MUS_STATUS_OK; v++) {
        const double *at = part->vertices + 3 * (size_t)v, *n = sums + 3 * (size_t)v;
        double length = length_of(n), to[3];
        if (!(length > 0)) continue;
        for (int k = 0; k < 3; k++) to[k] = at[k] + size * n[k] / length;
        status = add(list, APP_MARK_NORMAL, at, to);
    }
    free(sums);
    return status;
}

mus_status app_render_list_mark(app_render_list *list, mus_world *world, const app_render_style *style) {
    if (!world || !(style->contacts || style->pins || style->normals || style->grabs)) return MUS_STATUS_OK;
    app_bounds bounds = app_render_list_bounds(list);
    float center[3], radius;
    app_bounds_sphere(&bounds, center, &radius);
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; style->normals && k < list->part_count && status == MUS_STATUS_OK; k++)
        if (list->parts[k].vertices && list->parts[k].faces)
            status = mark_normals(list, &list->parts[k], 0.015 * (double)radius);
    for (int32_t k = 0; style->pins && k < mus_world_get_seam_count(world) && status == MUS_STATUS_OK; k++)
        status = mark_stitches(list, world, mus_world_get_seam(world, k));
    for (int32_t k = 0; style->pins && k < mus_world_get_cloth_count(world) && status == MUS_STATUS_OK; k++)
        status = mark_pins(list, world, mus_world_get_cloth(world, k));
    if (style->contacts && status == MUS_STATUS_OK) status = mark_contacts(list, world, 0.01 * (double)radius);
    if (style->grabs && status == MUS_STATUS_OK) status = add(list, APP_MARK_GRAB, style->grab[0], style->grab[1]);
    return status;
}
