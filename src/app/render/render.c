/* render.c: one picture: shadow map, background, surfaces, ground, then the scripts' drawing; four samples per
 * pixel, then resolved into the framebuffer that was current. */
#include "render/renderer.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <epoxy/gl.h>

#define SAMPLES 4

const float APP_BACKGROUND_TOP[3] = {0.985f, 0.988f, 0.992f}, APP_BACKGROUND_BOTTOM[3] = {0.86f, 0.875f, 0.89f};

static void normalize(float a[3]) {
    float l = sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) a[k] /= l;
}

static void find_uniforms(unsigned program, app_uniforms *u) {
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
               {"openness_map", &u->openness_map},
               {"pixel", &u->pixel},
               {"depth_map", &u->depth_map},
               {"unproject", &u->unproject},
               {"range", &u->range},
               {"pixels", &u->pixels},
               {"furthest", &u->furthest},
               {"corner", &u->corner},
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
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, APP_SHADOW_SIZE, APP_SHADOW_SIZE, 0, GL_DEPTH_COMPONENT,
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
        mus_fail(MUS_STATUS_INVALID, "the driver refuses a shadow map of %d x %d", APP_SHADOW_SIZE, APP_SHADOW_SIZE);
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
    app_occlusion_free(&r->occlusion);
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

/* The buffers that are drawn into; `samples` 0: not multisampled. */
static bool resize(app_renderer *r, int width, int height, int samples) {
    if (r->buffer && r->width == width && r->height == height && r->samples == samples) return true;
    if (!r->buffer) {
        glGenFramebuffers(1, &r->buffer);
        glGenRenderbuffers(1, &r->color_buffer);
        glGenRenderbuffers(1, &r->depth_buffer);
    }
    int most = 0, available;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    available = samples < most ? samples : most;
    glBindRenderbuffer(GL_RENDERBUFFER, r->color_buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, available, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, r->depth_buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, available, GL_DEPTH_COMPONENT24, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, r->buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r->color_buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, r->depth_buffer);
    r->width = width, r->height = height, r->samples = samples;
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

void app_renderer_legend(app_renderer *r, float size, float bottom, int width, int height) {
    app_label_scale(r->text, r->heat, r->heat_range, size, bottom, width, height);
}

void app_renderer_draw_list(app_renderer *r, const app_render_list *list, const mus_lua_drawing *drawing,
                            const app_camera *camera, int width, int height) {
    if (width < 1 || height < 1) return;
    r->heat = list->heat, r->heat_range = list->heat_range;
    int target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    int divisor = r->style.draft == APP_DRAFT_HALF ? 2 : 1;
    app_frame f = {.list = list, .camera = camera};
    f.width = (width + divisor - 1) / divisor, f.height = (height + divisor - 1) / divisor;
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
    app_pass_shadow(r, &f);
    app_pass_occlusion(r, &f);
    bool whole = resize(r, f.width, f.height, r->style.draft == APP_DRAFT_NONE ? SAMPLES : 0);
    if (!whole) f.width = width, f.height = height;
    glBindFramebuffer(GL_FRAMEBUFFER, whole ? r->buffer : (unsigned)target);
    glViewport(0, 0, f.width, f.height);
    glClear(GL_DEPTH_BUFFER_BIT);
    app_pass_background(r);
    app_pass_surfaces(r, &f);
    app_pass_ground(r, &f);
    if (r->style.wireframe) app_pass_edges(r, &f);
    app_pass_flat(r, &f, drawing);
    if (whole) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, r->buffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (unsigned)target);
        glBlitFramebuffer(0, 0, f.width, f.height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                          divisor > 1 ? GL_LINEAR : GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, (unsigned)target);
    }
    glViewport(0, 0, width, height);
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
        const float *top = r->view.has_background ? r->view.top : APP_BACKGROUND_TOP;
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
