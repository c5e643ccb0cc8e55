/* render_context.c: an OpenGL 3.3 core context without a display, through EGL: on Mesa's surfaceless platform, else on
 * the default display with a small buffer of its own. */
#include "render/render.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#define REMEDY "pictures need OpenGL 3.3 through EGL; on Debian: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"

struct app_context {
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface; /* EGL_NO_SURFACE on the surfaceless platform */
};

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0)) return true;
    return false;
}

static bool make_current(app_context *c) {
    return eglMakeCurrent(c->display, c->surface, c->surface, c->context) == EGL_TRUE;
}

/* Takes over a display that may be EGL_NO_DISPLAY; on failure everything is closed again. */
static bool open_on(app_context *c, EGLDisplay display, bool surfaceless) {
    EGLint major, minor, count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) return false;
    c->display = display, c->context = EGL_NO_CONTEXT, c->surface = EGL_NO_SURFACE;
    const EGLint config_wanted[] = {EGL_SURFACE_TYPE, surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_BIT, EGL_NONE};
    const EGLint context_wanted[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    const EGLint surface_wanted[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLConfig config;
    if (eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, config_wanted, &config, 1, &count) && count > 0) {
        c->context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wanted);
        if (c->context != EGL_NO_CONTEXT && !surfaceless)
            c->surface = eglCreatePbufferSurface(display, config, surface_wanted);
        if (c->context != EGL_NO_CONTEXT && (surfaceless || c->surface != EGL_NO_SURFACE) && make_current(c))
            return true;
    }
    if (c->surface != EGL_NO_SURFACE) eglDestroySurface(display, c->surface);
    if (c->context != EGL_NO_CONTEXT) eglDestroyContext(display, c->context);
    eglTerminate(display);
    return false;
}

app_context *app_context_create(void) {
    /* epoxy ends the process when a library is missing, so this is tested here first. */
    void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        mus_fail(MUS_STATUS_NOT_FOUND, "no libEGL.so.1: %s", REMEDY);
        return NULL;
    }
    app_context *c = calloc(1, sizeof *c);
    if (!c) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for a GL context");
        dlclose(library);
        return NULL;
    }
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    bool opened = false;
    if (has_word(extensions, "EGL_EXT_platform_base") && has_word(extensions, "EGL_MESA_platform_surfaceless"))
        opened = open_on(c, eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL), true);
    if (!opened) opened = open_on(c, eglGetDisplay(EGL_DEFAULT_DISPLAY), false);
    dlclose(library); /* epoxy has its own reference now */
    if (!opened) {
        free(c);
        mus_fail(MUS_STATUS_NOT_FOUND, "no OpenGL 3.3 without a display: %s", REMEDY);
        return NULL;
    }
    return c;
}

bool app_context_activate(app_context *context) {
    return !context || make_current(context);
}

void app_context_destroy(app_context *c) {
    if (!c) return;
    eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (c->surface != EGL_NO_SURFACE) eglDestroySurface(c->display, c->surface);
    eglDestroyContext(c->display, c->context);
    eglTerminate(c->display);
    free(c);
}
