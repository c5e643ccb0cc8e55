/* render_occlusion.c: ambient occlusion: from the depths of a picture of half the size, how much of the sky the
 * surfaces around each pixel leave open (OCCLUSION of render_shaders.c), smoothed. Shading takes it from `smooth`. */
#include "render/renderer.h"

#include <math.h>
#include <string.h>

#include <epoxy/gl.h>

/* How far away surfaces count, as a fraction of the scene's radius: folds and what lies on something count, the other
 * end of a room does not. */
static const float range_share = 0.25f;

static void make(unsigned *texture, unsigned *buffer, GLenum inner, GLenum format, GLenum type, GLenum attachment,
                 int width, int height) {
    GLint filter = attachment == GL_COLOR_ATTACHMENT0 ? GL_LINEAR : GL_NEAREST;
    if (!*buffer) {
        glGenTextures(1, texture);
        glGenFramebuffers(1, buffer);
    }
    glBindTexture(GL_TEXTURE_2D, *texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inner, width, height, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindFramebuffer(GL_FRAMEBUFFER, *buffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, *texture, 0);
    GLenum draws = attachment == GL_COLOR_ATTACHMENT0 ? GL_COLOR_ATTACHMENT0 : GL_NONE;
    glDrawBuffers(1, &draws);
    glReadBuffer(draws);
}

static bool is_whole(unsigned buffer) {
    glBindFramebuffer(GL_FRAMEBUFFER, buffer);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static bool resize(app_occlusion *o, int width, int height) {
    if (!o->depth_buffer || o->width != width || o->height != height) {
        make(&o->depth, &o->depth_buffer, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
             GL_DEPTH_ATTACHMENT, width, height);
        make(&o->half, &o->half_buffer, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, GL_COLOR_ATTACHMENT0, width, height);
        make(&o->smooth, &o->smooth_buffer, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, GL_COLOR_ATTACHMENT0, width, height);
        o->width = width, o->height = height;
    }
    return is_whole(o->depth_buffer) && is_whole(o->half_buffer) && is_whole(o->smooth_buffer);
}

void app_occlusion_free(app_occlusion *o) {
    if (!o->depth_buffer) return;
    glDeleteFramebuffers(3, (const unsigned[]){o->depth_buffer, o->half_buffer, o->smooth_buffer});
    glDeleteTextures(3, (const unsigned[]){o->depth, o->half, o->smooth});
    memset(o, 0, sizeof *o);
}

/* A pass over a whole buffer, from a texture. `corner`: of the smoothing. */
static void cover(app_renderer *r, app_program program, const app_frame *f, unsigned from, unsigned to, float corner) {
    const app_uniforms *at = &r->at[program];
    float matrix[16], range = range_share * f->radius;
    if (!app_matrix_invert(f->view_projection, matrix)) return; /* a degenerate camera: nothing is seen */
    glBindFramebuffer(GL_FRAMEBUFFER, to);
    glUseProgram(r->programs[program]);
    glUniform1f(at->corner, corner);
    glUniformMatrix4fv(at->unproject, 1, GL_FALSE, matrix);
    glUniform3fv(at->eye, 1, f->eye);
    glUniform2f(at->pixel, 1 / (float)r->occlusion.width, 1 / (float)r->occlusion.height);
    glUniform1f(at->range, range);
    glUniform1f(at->pixels, range * (float)r->occlusion.height / (2 * tanf(f->camera->fov / 2)));
    glUniform1f(at->furthest, 2 * f->camera->distance + 8 * f->radius);
    glUniform1i(at->depth_map, 0);
    glUniform1i(at->openness_map, 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, from);
    glBindVertexArray(r->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void app_pass_occlusion(app_renderer *r, const app_frame *f) {
    app_occlusion *o = &r->occlusion;
    bool draft = r->style.draft != APP_DRAFT_NONE;
    if (!resize(o, draft ? 1 : (f->width + 1) / 2, draft ? 1 : (f->height + 1) / 2)) {
        const unsigned char open[4] = {255, 255, 255, 255};
        glBindTexture(GL_TEXTURE_2D, o->smooth);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, open);
        o->width = o->height = 0; /* not what a later picture can use */
        return;
    }
    glViewport(0, 0, o->width, o->height);
    glBindFramebuffer(GL_FRAMEBUFFER, o->smooth_buffer);
    glClearColor(1, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (draft) return; /* all is open */
    glBindFramebuffer(GL_FRAMEBUFFER, o->depth_buffer);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glClear(GL_DEPTH_BUFFER_BIT);
    app_pass_depth(r, f);
    glDisable(GL_DEPTH_TEST);
    cover(r, APP_PROGRAM_OCCLUSION, f, o->depth, o->smooth_buffer, 0);
    cover(r, APP_PROGRAM_SMOOTH, f, o->smooth, o->half_buffer, -2);
    cover(r, APP_PROGRAM_SMOOTH, f, o->half, o->smooth_buffer, -1);
    glEnable(GL_DEPTH_TEST);
}
