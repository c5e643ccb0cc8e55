/* renderer.h: state of the renderer, shared by render.c and the passes of a picture. */
#ifndef MUS_APP_RENDERER_H
#define MUS_APP_RENDERER_H

#include "render/render.h"

#define APP_SHADOW_SIZE 1024
#define APP_SHADOW_SOFT 0.014f /* half the width of a shadow's edge, as a fraction of the scene's radius */

typedef struct app_uniforms {
    int view_projection, shadow_map, shadow_matrix, shadow_radius, eye, to_light, to_fill;
    int front_color, back_color, cloth, scene_radius, softness;
    int origin, axis_u, axis_v, extent, normal, shift, cell, fade, solid;
    int top, bottom, ink;
    int key_color, texture, texture_size, front_pattern, back_pattern, base_color, scale_colors;
    int picture, picture_place, picture_back;
    int openness_map, pixel, depth_map, unproject, range, pixels, furthest, corner;
} app_uniforms;

/* Of half the picture's width and height; see render_occlusion.c. */
typedef struct app_occlusion {
    unsigned depth, half, smooth; /* textures; `smooth` has the result, `half` what is smoothed once */
    unsigned depth_buffer, half_buffer, smooth_buffer; /* what draws into them; 0: not made yet */
    int width, height;
} app_occlusion;

struct app_renderer {
    app_context *context; /* NULL: the window's */
    unsigned programs[APP_PROGRAM_COUNT];
    app_uniforms at[APP_PROGRAM_COUNT];
    unsigned surface_vao, surface_vbo, surface_ibo, flat_vao, flat_vbo, empty_vao;
    unsigned shadow_texture, shadow_buffer;
    unsigned buffer, color_buffer, depth_buffer; /* of `samples` per pixel, width x height */
    int width, height, samples;
    app_occlusion occlusion;
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
typedef struct app_frame {
    const app_render_list *list;
    const app_camera *camera;
    app_bounds bounds;
    float center[3], radius;
    float view_projection[16], shadow_matrix[16];
    float shadow_radius[2]; /* half the width of a shadow's edge, in the map's sides */
    float eye[3], to_light[3], to_fill[3];
    int width, height;
} app_frame;

extern const float APP_BACKGROUND_TOP[3], APP_BACKGROUND_BOTTOM[3]; /* sRGB */

/* ---- render_passes.c: what is drawn into the current framebuffer ------------------------------------------------- */

void app_pass_shadow(app_renderer *r, app_frame *f); /* into the shadow map; aims the light first */
/* render_occlusion.c. Ambient occlusion of surfaces and planes; everything is open if the driver refuses it. */
void app_pass_occlusion(app_renderer *r, const app_frame *f);
void app_occlusion_free(app_occlusion *o);
/* Into the current depth buffer. */
void app_pass_depth(app_renderer *r, const app_frame *f);
void app_pass_background(app_renderer *r);
void app_pass_surfaces(app_renderer *r, const app_frame *f);
void app_pass_ground(app_renderer *r, const app_frame *f);
void app_pass_edges(app_renderer *r, const app_frame *f);
/* Marks of the list, and what scripts draw. */
void app_pass_flat(app_renderer *r, const app_frame *f, const mus_lua_drawing *drawing);

#endif
