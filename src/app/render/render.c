/* render.c: one picture: shadow map, background, surfaces, ground, then the scripts' drawing; four samples per
 * pixel, then resolved into the framebuffer that was current. */
#include "render/render.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <epoxy/gl.h>

#define SHADOW_SIZE 1024
#define SAMPLES     4
#define SHADOW_SOFT 0.014f /* half the width of a shadow's edge, as a fraction of the scene's radius */

typedef struct uniforms {
    int view_projection, shadow_map, shadow_matrix, shadow_radius, eye, to_light, to_fill;
    int front_color, back_color, cloth, scene_radius, softness;
    int origin, axis_u, axis_v, extent, normal, shift, cell, fade, solid;
    int top, bottom, ink;
    int key_color, texture, texture_size, front_pattern, back_pattern, base_color, scale_colors;
    int picture, picture_place, picture_back;
} uniforms;

struct app_renderer {
    app_context *context; /* NULL: the window's */
    unsigned programs[APP_PROGRAM_COUNT];
    uniforms at[APP_PROGRAM_COUNT];
    unsigned surface_vao, surface_vbo, surface_ibo, flat_vao, flat_vbo, empty_vao;
    unsigned shadow_texture, shadow_buffer;
    unsigned buffer, color_buffer, depth_buffer; /* multisampled, width x height */
    int width, height;
    app_mesh mesh;
    app_flat flat;
    app_text *text;
    app_pictures *pictures;
    app_render_style style;
    mus_lua_view view; /* all zero: the default look */
    app_heat heat;     /* of the picture drawn last */
    float heat_range;
};

/* Data shared by the passes of one picture. */
typedef struct frame {
    const app_render_list *list;
    const app_camera *camera;
    app_bounds bounds;
    float center[3], radius;
    float view_projection[16], shadow_matrix[16];
    float shadow_radius[2]; /* half the width of a shadow's edge, in the map's sides */
    float eye[3], to_light[3], to_fill[3];
    int width, height;
} frame;

static const float BACKGROUND_TOP[3] = {0.985f, 0.988f, 0.992f}, BACKGROUND_BOTTOM[3] = {0.86f, 0.875f, 0.89f};

static void normalize(float a[3]) {
    float l = sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) a[k] /= l;
}

static float linear_of(float srgb) {
    return srgb > 0.04045f ? powf((srgb + 0.055f) / 1.055f, 2.4f) : srgb / 12.92f;
}

static void set_color(int at, const float srgb[3]) {
    float linear[3];
    for (int k = 0; k < 3; k++) linear[k] = linear_of(srgb[k]);
    glUniform3fv(at, 1, linear);
}

static void find_uniforms(unsigned program, uniforms *u) {
    const struct {
        const char *name;
        int *at;
    } all[] = {{"view_projection", &u->view_projection},
               {"shadow_map", &u->shadow_map},
               {"shadow_matrix", &u->shadow_matrix},
               {"shadow_radius", &u->shadow_radius},
               {"eye", &u->eye},
               {"to_light", &u->to_light},
               {"to_fill", &u->to_fill},
               {"front_color", &u->front_color},
               {"back_color", &u->back_color},
               {"cloth", &u->cloth},
               {"scene_radius", &u->scene_radius},
               {"softness", &u->softness},
               {"origin", &u->origin},
               {"axis_u", &u->axis_u},
               {"axis_v", &u->axis_v},
               {"extent", &u->extent},
               {"normal", &u->normal},
               {"shift", &u->shift},
               {"cell", &u->cell},
               {"fade", &u->fade},
               {"solid", &u->solid},
               {"top", &u->top},
               {"bottom", &u->bottom},
               {"ink", &u->ink},
               {"key_color", &u->key_color},
               {"texture_kind", &u->texture},
               {"texture_size", &u->texture_size},
               {"front_pattern", &u->front_pattern},
               {"back_pattern", &u->back_pattern},
               {"picture", &u->picture},
               {"picture_place", &u->picture_place},
               {"picture_back", &u->picture_back},
               {"base_color", &u->base_color},
               {"scale_colors", &u->scale_colors}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) *all[i].at = glGetUniformLocation(program, all[i].name);
}

static void attribute(unsigned index, int components, size_t stride, size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, (GLsizei)stride, (void *)offset);
}

static void make_arrays(app_renderer *r) {
    glGenVertexArrays(1, &r->empty_vao);
    glGenVertexArrays(1, &r->surface_vao);
    glGenBuffers(1, &r->surface_vbo);
    glGenBuffers(1, &r->surface_ibo);
    glBindVertexArray(r->surface_vao);
    glBindBuffer(GL_ARRAY_BUFFER, r->surface_vbo);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, r->surface_ibo);
    attribute(0, 3, sizeof(app_vertex), offsetof(app_vertex, position));
    attribute(1, 3, sizeof(app_vertex), offsetof(app_vertex, normal));
    attribute(2, 1, sizeof(app_vertex), offsetof(app_vertex, cavity));
    attribute(3, 2, sizeof(app_vertex), offsetof(app_vertex, uv));
    attribute(4, 1, sizeof(app_vertex), offsetof(app_vertex, heat));
    glGenVertexArrays(1, &r->flat_vao);
    glGenBuffers(1, &r->flat_vbo);
    glBindVertexArray(r->flat_vao);
    glBindBuffer(GL_ARRAY_BUFFER, r->flat_vbo);
    attribute(0, 4, sizeof(app_flat_vertex), offsetof(app_flat_vertex, clip));
    attribute(1, 4, sizeof(app_flat_vertex), offsetof(app_flat_vertex, color));
    attribute(2, 3, sizeof(app_flat_vertex), offsetof(app_flat_vertex, across));
    glBindVertexArray(0);
}

static bool make_shadow(app_renderer *r) {
    glGenTextures(1, &r->shadow_texture);
    glBindTexture(GL_TEXTURE_2D, r->shadow_texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE, 0, GL_DEPTH_COMPONENT,
                 GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &r->shadow_buffer);
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow_buffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, r->shadow_texture, 0);
    GLenum none = GL_NONE;
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return complete;
}

app_renderer *app_renderer_create(bool own_context) {
    app_renderer *r = calloc(1, sizeof *r);
    if (!r) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the renderer");
        return NULL;
    }
    if (own_context && !(r->context = app_context_create())) {
        free(r);
        return NULL;
    }
    if (epoxy_gl_version() < (epoxy_is_desktop_gl() ? 33 : 30)) {
        mus_fail(MUS_STATUS_NOT_FOUND, "pictures need OpenGL 3.3 (the driver has %d.%d)", epoxy_gl_version() / 10,
                 epoxy_gl_version() % 10);
        app_renderer_destroy(r);
        return NULL;
    }
    for (int i = 0; i < APP_PROGRAM_COUNT; i++) {
        if (i == APP_PROGRAM_TEXT) continue; /* text.c has its own */
        if (!(r->programs[i] = app_shader_program((app_program)i))) {
            app_renderer_destroy(r);
            return NULL;
        }
        find_uniforms(r->programs[i], &r->at[i]);
    }
    make_arrays(r);
    if (!make_shadow(r)) {
        mus_fail(MUS_STATUS_INVALID, "the driver refuses a shadow map of %d x %d", SHADOW_SIZE, SHADOW_SIZE);
        app_renderer_destroy(r);
        return NULL;
    }
    if (!(r->text = app_text_create()) || !(r->pictures = app_pictures_create())) {
        app_renderer_destroy(r);
        return NULL;
    }
    return r;
}

void app_renderer_destroy(app_renderer *r) {
    if (!r) return;
    app_context_activate(r->context);
    app_text_destroy(r->text);
    app_pictures_destroy(r->pictures);
    for (int i = 0; i < APP_PROGRAM_COUNT; i++)
        if (r->programs[i]) glDeleteProgram(r->programs[i]);
    const unsigned arrays[] = {r->surface_vao, r->flat_vao, r->empty_vao};
    const unsigned buffers[] = {r->surface_vbo, r->surface_ibo, r->flat_vbo};
    const unsigned frames[] = {r->shadow_buffer, r->buffer}, images[] = {r->color_buffer, r->depth_buffer};
    glDeleteVertexArrays(3, arrays);
    glDeleteBuffers(3, buffers);
    glDeleteFramebuffers(2, frames);
    glDeleteRenderbuffers(2, images);
    glDeleteTextures(1, &r->shadow_texture);
    app_mesh_free(&r->mesh);
    app_flat_free(&r->flat);
    app_context_destroy(r->context);
    free(r);
}

void app_renderer_set_style(app_renderer *renderer, app_render_style style) {
    renderer->style = style;
}

app_render_style app_renderer_get_style(const app_renderer *renderer) {
    return renderer->style;
}

void app_renderer_set_view(app_renderer *renderer, const mus_lua_view *view) {
    memset(&renderer->view, 0, sizeof renderer->view);
    if (view) renderer->view = *view;
}

void app_renderer_set_heat(app_renderer *renderer, app_heat heat) {
    renderer->style.heat = heat;
}

app_text *app_renderer_get_text(app_renderer *renderer) {
    return renderer->text;
}

/* The multisampled buffers, in the picture's size. */
static bool resize(app_renderer *r, int width, int height) {
    if (r->buffer && r->width == width && r->height == height) return true;
    if (!r->buffer) {
        glGenFramebuffers(1, &r->buffer);
        glGenRenderbuffers(1, &r->color_buffer);
        glGenRenderbuffers(1, &r->depth_buffer);
    }
    int samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &samples);
    samples = samples < SAMPLES ? samples : SAMPLES;
    glBindRenderbuffer(GL_RENDERBUFFER, r->color_buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, r->depth_buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, r->buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r->color_buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, r->depth_buffer);
    r->width = width, r->height = height;
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void upload(app_renderer *r) {
    const app_mesh *mesh = &r->mesh;
    glBindVertexArray(r->surface_vao);
    glBindBuffer(GL_ARRAY_BUFFER, r->surface_vbo);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->vertex_count * (int64_t)sizeof *mesh->vertices), mesh->vertices,
                 GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(mesh->index_count * (int64_t)sizeof *mesh->indices),
                 mesh->indices, GL_STREAM_DRAW);
}

static void draw_range(GLenum mode, int32_t first, int32_t count) {
    if (count > 0) glDrawElements(mode, count, GL_UNSIGNED_INT, (void *)((size_t)first * sizeof(uint32_t)));
}

/* The light's view contains all parts and nothing more: everything behind them along the light is in their shadow. */
static void aim_light(const app_renderer *r, frame *f) {
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
    float soft = SHADOW_SOFT * f->radius, half[2];
    for (int k = 0; k < 2; k++) {
        half[k] = 0.5f * (seen.high[k] - seen.low[k]) + 2 * soft;
        view[12 + k] -= 0.5f * (seen.high[k] + seen.low[k]);
        f->shadow_radius[k] = soft / (2 * half[k]);
    }
    app_matrix_ortho(half[0], half[1], 0.9f * f->radius, 3.1f * f->radius, projection);
    app_matrix_multiply(projection, view, f->shadow_matrix);
}

static void draw_shadow(app_renderer *r, frame *f) {
    aim_light(r, f);
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow_buffer);
    glViewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
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

static void use_with_shadow(app_renderer *r, app_program program, const frame *f) {
    const uniforms *at = &r->at[program];
    glUseProgram(r->programs[program]);
    glUniformMatrix4fv(at->view_projection, 1, GL_FALSE, f->view_projection);
    glUniformMatrix4fv(at->shadow_matrix, 1, GL_FALSE, f->shadow_matrix);
    glUniform1i(at->shadow_map, 0);
    glUniform2fv(at->shadow_radius, 1, f->shadow_radius);
    glUniform1f(at->softness, SHADOW_SOFT * f->radius);
    glUniform1f(at->scene_radius, f->radius);
    glUniform3fv(at->eye, 1, f->eye);
    glUniform3fv(at->to_light, 1, f->to_light);
    set_color(at->key_color, r->view.has_light ? r->view.light_color : (const float[3]){1, 1, 1});
    glUniform3fv(at->to_fill, 1, f->to_fill);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, r->shadow_texture);
}

static void draw_background(app_renderer *r) {
    const uniforms *at = &r->at[APP_PROGRAM_BACKGROUND];
    glDisable(GL_DEPTH_TEST);
    glUseProgram(r->programs[APP_PROGRAM_BACKGROUND]);
    glUniform3fv(at->top, 1, r->view.has_background ? r->view.top : BACKGROUND_TOP);
    glUniform3fv(at->bottom, 1, r->view.has_background ? r->view.bottom : BACKGROUND_BOTTOM);
    glBindVertexArray(r->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_DEPTH_TEST);
}

/* Whether a part may be shaded at its vertices: its triangles are small in the picture and relative to shadows'
 * edges. */
static bool is_fine(const app_draw *draw, const frame *f) {
    float away = 0, d;
    for (int k = 0; k < 3; k++) d = f->center[k] - f->eye[k], away += d * d;
    away = fmaxf(sqrtf(away) - f->radius, 0.25f * f->camera->distance);
    float pixels = draw->spacing * (float)f->height / (2 * away * tanf(f->camera->fov / 2));
    return draw->spacing < SHADOW_SOFT * f->radius && pixels < 8;
}

static void set_scale(int at) {
    float colors[5][3];
    for (int k = 0; k < 5; k++) {
        app_heat_color((float)k / 4, colors[k]);
        for (int c = 0; c < 3; c++) colors[k][c] = linear_of(colors[k][c]);
    }
    glUniform3fv(at, 5, colors[0]);
}

static void draw_surfaces(app_renderer *r, const frame *f) {
    /* Edges lie in their faces, which are drawn with a depth offset so that no edge is half hidden. */
    if (r->style.wireframe) glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.0f, 1.0f);
    app_pictures_begin(r->pictures);
    for (int pass = 0; pass < 2; pass++) {
        app_program program = pass == 0 ? APP_PROGRAM_SURFACE : APP_PROGRAM_FINE;
        const uniforms *at = &r->at[program];
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

static void draw_plane(app_renderer *r, const frame *f, const app_render_plane *plane, bool solid) {
    const uniforms *at = &r->at[APP_PROGRAM_GROUND];
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
static void draw_ground(app_renderer *r, const frame *f) {
    use_with_shadow(r, APP_PROGRAM_GROUND, f);
    glBindVertexArray(r->empty_vao);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glDepthMask(GL_FALSE);
    for (int32_t i = 0; i < f->list->plane_count; i++) draw_plane(r, f, &f->list->planes[i], true);
    if (f->list->plane_count == 0) draw_plane(r, f, &(app_render_plane){.normal = {0, 1, 0}}, false);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

static void draw_edges(app_renderer *r, const frame *f) {
    const uniforms *at = &r->at[APP_PROGRAM_EDGE];
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

static void draw_flat(app_renderer *r, const frame *f, const mus_lua_drawing *drawing) {
    app_flat *flat = &r->flat;
    flat->count = 0;
    static const struct {
        float color[4], line, point, end; /* widths in pixels; 0: none */
    } looks[] = {
        [APP_MARK_CONTACT] = {{0.80f, 0.10f, 0.12f, 0.9f}, 1.2f, 4, 0},
        [APP_MARK_PIN] = {{0.10f, 0.18f, 0.62f, 0.95f}, 0, 9, 0},
        [APP_MARK_PULL] = {{0.10f, 0.18f, 0.62f, 0.95f}, 1.6f, 6, 4},
        [APP_MARK_STITCH] = {{0.05f, 0.45f, 0.20f, 0.95f}, 1.6f, 4, 4},
        [APP_MARK_NORMAL] = {{0.08f, 0.36f, 0.66f, 0.8f}, 1, 0, 0},
    };
    for (int64_t i = 0; i < f->list->mark_count; i++) {
        const app_render_mark *m = &f->list->marks[i];
        const float *color = looks[m->kind].color, *matrix = f->view_projection;
        if (looks[m->kind].line > 0)
            app_flat_line(flat, matrix, m->at, m->to, looks[m->kind].line, color, f->width, f->height);
        if (looks[m->kind].point > 0)
            app_flat_point(flat, matrix, m->at, looks[m->kind].point, color, f->width, f->height);
        if (looks[m->kind].end > 0) app_flat_point(flat, matrix, m->to, looks[m->kind].end, color, f->width, f->height);
    }
    for (int32_t i = 0; drawing && i < drawing->line_count; i++) {
        const mus_lua_line *line = &drawing->lines[i];
        app_flat_line(flat, f->view_projection, line->from, line->to, line->width, line->color, f->width, f->height);
    }
    for (int32_t i = 0; drawing && i < drawing->point_count; i++) {
        const mus_lua_point *point = &drawing->points[i];
        app_flat_point(flat, f->view_projection, point->at, point->size, point->color, f->width, f->height);
    }
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

void app_renderer_legend(app_renderer *r, float size, float bottom, int width, int height) {
    app_label_scale(r->text, r->heat, r->heat_range, size, bottom, width, height);
}

void app_renderer_draw_list(app_renderer *r, const app_render_list *list, const mus_lua_drawing *drawing,
                            const app_camera *camera, int width, int height) {
    if (width < 1 || height < 1) return;
    r->heat = list->heat, r->heat_range = list->heat_range;
    int target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    frame f = {.list = list, .camera = camera, .width = width, .height = height};
    f.to_light[0] = -0.36f, f.to_light[1] = 0.80f, f.to_light[2] = 0.50f;
    if (r->view.has_light) memcpy(f.to_light, r->view.to_light, sizeof f.to_light);
    f.to_fill[0] = 0.80f, f.to_fill[1] = 0.25f, f.to_fill[2] = 0.45f;
    normalize(f.to_light);
    normalize(f.to_fill);
    f.bounds = app_render_list_bounds(list);
    app_bounds_sphere(&f.bounds, f.center, &f.radius);
    app_camera_eye(camera, f.eye);
    app_camera_matrix(camera, &f.bounds, width, height, f.view_projection);

    if (app_mesh_build(&r->mesh, list, r->style.wireframe) != MUS_STATUS_OK) r->mesh.draw_count = 0; /* ground only */
    if (r->mesh.draw_count == 0) r->mesh.triangle_index_count = 0;
    upload(r);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    draw_shadow(r, &f);
    bool whole = resize(r, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, whole ? r->buffer : (unsigned)target);
    glViewport(0, 0, width, height);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_background(r);
    draw_surfaces(r, &f);
    draw_ground(r, &f);
    if (r->style.wireframe) draw_edges(r, &f);
    draw_flat(r, &f, drawing);
    if (whole) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, r->buffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (unsigned)target);
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, (unsigned)target);
    }
    glBindVertexArray(0);
    app_label_texts(r->text, f.view_projection, drawing, width, height);
}

void app_renderer_draw(app_renderer *renderer, mus_world *world, const mus_lua_drawing *drawing,
                       const app_camera *camera, int width, int height) {
    app_render_list list;
    if (app_render_list_collect(&list, world) != MUS_STATUS_OK)
        memset(&list, 0, sizeof list);                        /* out of memory: the empty background */
    app_render_list_heat(&list, world, renderer->style.heat); /* out of memory: cloth in its own color */
    app_render_list_mark(&list, world, &renderer->style);     /* out of memory: fewer marks */
    app_renderer_draw_list(renderer, &list, drawing, camera, width, height);
    app_render_list_free(&list);
}

void app_renderer_text(app_renderer *renderer, float x, float y, float size, const float color[4], const char *text,
                       int width, int height) {
    glViewport(0, 0, width, height);
    app_text_draw(renderer->text, x, y, size, color, text, width, height);
}

mus_status app_renderer_pixels(app_renderer *r, const app_render_list *list, const mus_lua_drawing *drawing,
                               const app_camera *camera, int width, int height, const char *what, unsigned char **out) {
    *out = NULL;
    if (!app_context_activate(r->context)) return mus_fail(MUS_STATUS_INVALID, "%s: the GL context was lost", what);
    int most = 0, before = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    if (width < 1 || height < 1 || width > most || height > most)
        return mus_fail(MUS_STATUS_INVALID, "%s: a picture must have 1..%d pixels a side (got %d x %d)", what, most,
                        width, height);
    unsigned char *pixels = malloc(4 * (size_t)width * (size_t)height);
    if (!pixels) return mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for a picture of %d x %d", what, width, height);
    unsigned buffer = 0, image = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glGenFramebuffers(1, &buffer);
    glGenRenderbuffers(1, &image);
    glBindRenderbuffer(GL_RENDERBUFFER, image);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, image);
    mus_status status = MUS_STATUS_OK;
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        status = mus_fail(MUS_STATUS_INVALID, "%s: the driver refuses a picture of %d x %d", what, width, height);
        free(pixels);
    } else {
        app_renderer_draw_list(r, list, drawing, camera, width, height);
        const float *top = r->view.has_background ? r->view.top : BACKGROUND_TOP;
        app_label_title(r->text, &r->view, top, width, height);
        app_renderer_legend(r, fmaxf(0.032f * (float)height, 12), 0, width, height);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        *out = pixels;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, (unsigned)before);
    glDeleteFramebuffers(1, &buffer);
    glDeleteRenderbuffers(1, &image);
    return status;
}
