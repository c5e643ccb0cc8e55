/* render_passes.c: the passes of a picture: shadow map, background, surfaces, ground, edges, then marks and what
 * scripts draw. */
#include "render/renderer.h"

#include <math.h>

#include <epoxy/gl.h>

static float linear_of(float srgb) {
    return srgb > 0.04045f ? powf((srgb + 0.055f) / 1.055f, 2.4f) : srgb / 12.92f;
}

static void set_color(int at, const float srgb[3]) {
    float linear[3];
    for (int k = 0; k < 3; k++) linear[k] = linear_of(srgb[k]);
    glUniform3fv(at, 1, linear);
}

static void draw_range(GLenum mode, int32_t first, int32_t count) {
    if (count > 0) glDrawElements(mode, count, GL_UNSIGNED_INT, (void *)((size_t)first * sizeof(uint32_t)));
}

/* The light's view contains all parts and nothing more: everything behind them along the light is in their shadow. */
static void aim_light(const app_renderer *r, app_frame *f) {
    float from[3], view[16], projection[16];
    for (int k = 0; k < 3; k++) from[k] = f->center[k] + 2 * f->radius * f->to_light[k];
    app_matrix_look(from, f->center, view);
    app_bounds seen = app_bounds_empty();
    for (int64_t i = 0; i < r->mesh.vertex_count; i++) {
        float p[4];
        app_matrix_apply(view, r->mesh.vertices[i].position, p);
        app_bounds_add(&seen, p);
    }
    if (app_bounds_is_empty(&seen)) app_bounds_add(&seen, (float[3]){0, 0, -2 * f->radius});
    /* Margin for the soft edge. The center of the view becomes the center of the map. */
    float soft = APP_SHADOW_SOFT * f->radius, half[2];
    for (int k = 0; k < 2; k++) {
        half[k] = 0.5f * (seen.high[k] - seen.low[k]) + 2 * soft;
        view[12 + k] -= 0.5f * (seen.high[k] + seen.low[k]);
        f->shadow_radius[k] = soft / (2 * half[k]);
    }
    app_matrix_ortho(half[0], half[1], 0.9f * f->radius, 3.1f * f->radius, projection);
    app_matrix_multiply(projection, view, f->shadow_matrix);
}

void app_pass_shadow(app_renderer *r, app_frame *f) {
    aim_light(r, f);
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow_buffer);
    glViewport(0, 0, APP_SHADOW_SIZE, APP_SHADOW_SIZE);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(2.0f, 4.0f);
    glUseProgram(r->programs[APP_PROGRAM_SHADOW]);
    glUniformMatrix4fv(r->at[APP_PROGRAM_SHADOW].shadow_matrix, 1, GL_FALSE, f->shadow_matrix);
    glBindVertexArray(r->surface_vao);
    draw_range(GL_TRIANGLES, 0, (int32_t)r->mesh.triangle_index_count);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void use_with_shadow(app_renderer *r, app_program program, const app_frame *f) {
    const app_uniforms *at = &r->at[program];
    glUseProgram(r->programs[program]);
    glUniformMatrix4fv(at->view_projection, 1, GL_FALSE, f->view_projection);
    glUniformMatrix4fv(at->shadow_matrix, 1, GL_FALSE, f->shadow_matrix);
    glUniform1i(at->shadow_map, 0);
    glUniform2fv(at->shadow_radius, 1, f->shadow_radius);
    glUniform1f(at->softness, APP_SHADOW_SOFT * f->radius);
    glUniform1f(at->scene_radius, f->radius);
    glUniform3fv(at->eye, 1, f->eye);
    glUniform3fv(at->to_light, 1, f->to_light);
    set_color(at->key_color, r->view.has_light ? r->view.light_color : (const float[3]){1, 1, 1});
    glUniform3fv(at->to_fill, 1, f->to_fill);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, r->shadow_texture);
    glUniform1i(at->openness_map, 2);
    glUniform2f(at->pixel, 1 / (float)f->width, 1 / (float)f->height);
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D, r->occlusion.smooth);
    glActiveTexture(GL_TEXTURE0);
}

void app_pass_background(app_renderer *r) {
    const app_uniforms *at = &r->at[APP_PROGRAM_BACKGROUND];
    glDisable(GL_DEPTH_TEST);
    glUseProgram(r->programs[APP_PROGRAM_BACKGROUND]);
    glUniform3fv(at->top, 1, r->view.has_background ? r->view.top : APP_BACKGROUND_TOP);
    glUniform3fv(at->bottom, 1, r->view.has_background ? r->view.bottom : APP_BACKGROUND_BOTTOM);
    glBindVertexArray(r->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_DEPTH_TEST);
}

/* Whether a part may be shaded at its vertices: its triangles are small in the picture and relative to shadows'
 * edges. */
static bool is_fine(const app_draw *draw, const app_frame *f) {
    float away = 0, d;
    for (int k = 0; k < 3; k++) d = f->center[k] - f->eye[k], away += d * d;
    away = fmaxf(sqrtf(away) - f->radius, 0.25f * f->camera->distance);
    float pixels = draw->spacing * (float)f->height / (2 * away * tanf(f->camera->fov / 2));
    return draw->spacing < APP_SHADOW_SOFT * f->radius && pixels < 8;
}

static void set_scale(int at) {
    float colors[5][3];
    for (int k = 0; k < 5; k++) {
        app_heat_color((float)k / 4, colors[k]);
        for (int c = 0; c < 3; c++) colors[k][c] = linear_of(colors[k][c]);
    }
    glUniform3fv(at, 5, colors[0]);
}

void app_pass_surfaces(app_renderer *r, const app_frame *f) {
    /* Edges lie in their faces, which are drawn with a depth offset so that no edge is half hidden. */
    if (r->style.wireframe) glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.0f, 1.0f);
    app_pictures_begin(r->pictures);
    for (int pass = 0; pass < 2; pass++) {
        app_program program = pass == 0 ? APP_PROGRAM_SURFACE : APP_PROGRAM_FINE;
        const app_uniforms *at = &r->at[program];
        use_with_shadow(r, program, f);
        glBindVertexArray(r->surface_vao);
        set_scale(at->scale_colors);
        glUniform1i(at->picture, 1);
        for (int32_t i = 0; i < r->mesh.draw_count; i++) {
            const app_draw *draw = &r->mesh.draws[i];
            bool textured = draw->paint.texture != MUS_TEXTURE_NONE;
            if ((is_fine(draw, f) && !textured) != (program == APP_PROGRAM_FINE)) continue;
            set_color(at->front_color, draw->paint.front);
            set_color(at->back_color, draw->paint.back);
            set_color(at->front_pattern, draw->paint.front_pattern);
            set_color(at->back_pattern, draw->paint.back_pattern);
            glUniform1f(at->texture, (float)draw->paint.texture);
            glUniform1f(at->texture_size, draw->paint.texture_size);
            if (draw->paint.texture == MUS_TEXTURE_PICTURE) {
                app_pictures_bind(r->pictures, draw->paint.picture, GL_TEXTURE1);
                glUniform4fv(at->picture_place, 1, draw->paint.picture_place);
                glUniform1f(at->picture_back, draw->paint.picture_back ? 1 : 0);
            }
            glUniform1f(at->cloth, draw->kind == APP_PART_CLOTH ? 1 : 0);
            draw_range(GL_TRIANGLES, draw->first_index, draw->index_count);
        }
    }
    app_pictures_end(r->pictures);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void draw_plane(app_renderer *r, app_program program, const app_frame *f, const app_render_plane *plane,
                       bool solid) {
    const app_uniforms *at = &r->at[program];
    float u[3], v[3], origin[3], height = 0, shift[2] = {0, 0};
    app_plane_axes(plane->normal, u, v);
    for (int k = 0; k < 3; k++) height += (f->center[k] - plane->point[k]) * plane->normal[k];
    for (int k = 0; k < 3; k++) origin[k] = f->center[k] - height * plane->normal[k];
    /* Depends on the camera only: a growing scene must not move the ground's edge, nor change its cells. */
    float fade = fmaxf(4.5f * f->camera->distance, 2 * f->radius);
    float cell = powf(10, floorf(log10f(0.2f * f->camera->distance)));
    /* The grid's zero is the projection of the world's origin, modulo ten cells to keep numbers small. */
    for (int k = 0; k < 3; k++) shift[0] += origin[k] * u[k], shift[1] += origin[k] * v[k];
    for (int k = 0; k < 2; k++) shift[k] = fmodf(shift[k], 10 * cell);
    glUniform3fv(at->origin, 1, origin);
    glUniform3fv(at->axis_u, 1, u);
    glUniform3fv(at->axis_v, 1, v);
    glUniform3fv(at->normal, 1, plane->normal);
    glUniform2fv(at->shift, 1, shift);
    glUniform1f(at->extent, fade);
    glUniform1f(at->fade, fade);
    glUniform1f(at->cell, cell);
    glUniform1f(at->solid, solid ? 1 : 0);
    set_color(at->base_color, plane->color);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* Planes are drawn after the surfaces, so that most of their pixels are not shaded. Without planes, a grid of lines
 * at height 0 shows the scale. */
void app_pass_ground(app_renderer *r, const app_frame *f) {
    use_with_shadow(r, APP_PROGRAM_GROUND, f);
    glBindVertexArray(r->empty_vao);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glDepthMask(GL_FALSE);
    for (int32_t i = 0; i < f->list->plane_count; i++) draw_plane(r, APP_PROGRAM_GROUND, f, &f->list->planes[i], true);
    if (f->list->plane_count == 0)
        draw_plane(r, APP_PROGRAM_GROUND, f, &(app_render_plane){.normal = {0, 1, 0}}, false);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void app_pass_depth(app_renderer *r, const app_frame *f) {
    glUseProgram(r->programs[APP_PROGRAM_SHADOW]);
    glUniformMatrix4fv(r->at[APP_PROGRAM_SHADOW].shadow_matrix, 1, GL_FALSE, f->view_projection);
    glBindVertexArray(r->surface_vao);
    draw_range(GL_TRIANGLES, 0, (int32_t)r->mesh.triangle_index_count);
    glUseProgram(r->programs[APP_PROGRAM_GROUND_DEPTH]);
    glUniformMatrix4fv(r->at[APP_PROGRAM_GROUND_DEPTH].view_projection, 1, GL_FALSE, f->view_projection);
    glBindVertexArray(r->empty_vao);
    for (int32_t i = 0; i < f->list->plane_count; i++)
        draw_plane(r, APP_PROGRAM_GROUND_DEPTH, f, &f->list->planes[i], true);
}

void app_pass_edges(app_renderer *r, const app_frame *f) {
    const app_uniforms *at = &r->at[APP_PROGRAM_EDGE];
    glUseProgram(r->programs[APP_PROGRAM_EDGE]);
    glUniformMatrix4fv(at->view_projection, 1, GL_FALSE, f->view_projection);
    glUniform4f(at->ink, 0.12f, 0.13f, 0.16f, 0.45f);
    glBindVertexArray(r->surface_vao);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glDepthMask(GL_FALSE);
    for (int32_t i = 0; i < r->mesh.draw_count; i++)
        draw_range(GL_LINES, r->mesh.draws[i].first_edge_index, r->mesh.draws[i].edge_index_count);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

static void add_mark(app_flat *flat, const app_frame *f, const app_render_mark *mark, float scale) {
    static const struct {
        float color[4], line, point, end; /* widths in pixels; 0: none */
    } looks[] = {
        [APP_MARK_CONTACT] = {{0.80f, 0.10f, 0.12f, 0.9f}, 1.2f, 4, 0},
        [APP_MARK_PIN] = {{0.10f, 0.18f, 0.62f, 0.95f}, 0, 9, 0},
        [APP_MARK_PULL] = {{0.10f, 0.18f, 0.62f, 0.95f}, 1.6f, 6, 4},
        [APP_MARK_STITCH] = {{0.05f, 0.45f, 0.20f, 0.95f}, 1.6f, 4, 4},
        [APP_MARK_NORMAL] = {{0.08f, 0.36f, 0.66f, 0.8f}, 1, 0, 0},
        [APP_MARK_GRAB] = {{0.36f, 0.14f, 0.86f, 1}, 2, 10, 6},
    };
    const float *color = looks[mark->kind].color, *matrix = f->view_projection;
    float line = scale * looks[mark->kind].line, point = scale * looks[mark->kind].point;
    float end = scale * looks[mark->kind].end;
    flat->in_front = mark->kind == APP_MARK_GRAB;
    if (line > 0) app_flat_line(flat, matrix, mark->at, mark->to, line, color, f->width, f->height);
    if (point > 0) app_flat_point(flat, matrix, mark->at, point, color, f->width, f->height);
    if (end > 0) app_flat_point(flat, matrix, mark->to, end, color, f->width, f->height);
    flat->in_front = false;
}

void app_pass_flat(app_renderer *r, const app_frame *f, const mus_lua_drawing *drawing) {
    app_flat *flat = &r->flat;
    float scale = (r->style.scale > 0 ? r->style.scale : 1) / (r->style.draft == APP_DRAFT_HALF ? 2 : 1);
    flat->count = 0;
    for (int32_t i = 0; drawing && i < drawing->line_count; i++) {
        const mus_lua_line *line = &drawing->lines[i];
        app_flat_line(flat, f->view_projection, line->from, line->to, scale * line->width, line->color, f->width,
                      f->height);
    }
    for (int32_t i = 0; drawing && i < drawing->point_count; i++) {
        const mus_lua_point *point = &drawing->points[i];
        app_flat_point(flat, f->view_projection, point->at, scale * point->size, point->color, f->width, f->height);
    }
    for (int64_t i = 0; i < f->list->mark_count; i++) add_mark(flat, f, &f->list->marks[i], scale);
    if (flat->count == 0) return;
    glUseProgram(r->programs[APP_PROGRAM_FLAT]);
    glBindVertexArray(r->flat_vao);
    glBindBuffer(GL_ARRAY_BUFFER, r->flat_vbo);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(flat->count * (int64_t)sizeof *flat->vertices), flat->vertices,
                 GL_STREAM_DRAW);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_FALSE);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)flat->count);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
}
