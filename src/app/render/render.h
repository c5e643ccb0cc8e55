/* render.h: declarations shared by the renderer's files: the list of items in a picture, matrices, programs, text,
 * images. Matrices are float[16], column-major, for column vectors; angles in rad, lengths in m, colors as sRGB
 * 0..1. */
#ifndef MUS_APP_RENDER_H
#define MUS_APP_RENDER_H

#include "app.h"

/* ---- camera.c ---------------------------------------------------------------------------------------------------- */

typedef struct app_bounds {
    float low[3], high[3]; /* empty when low > high */
} app_bounds;

app_bounds app_bounds_empty(void);
void app_bounds_add(app_bounds *bounds, const float point[3]); /* ignores a point that is not finite */
bool app_bounds_is_empty(const app_bounds *bounds);
void app_bounds_sphere(const app_bounds *bounds, float center[3],
                       float *radius); /* of an empty box: 1 m at the origin */

app_camera app_camera_fit_bounds(const app_bounds *bounds, float aspect);
/* app_camera_follow of a box. */
void app_camera_follow_bounds(app_camera *camera, const app_camera *first, const app_bounds *bounds, double fps);
void app_camera_eye(const app_camera *camera, float eye[3]);
/* `near_far` holds the distances of the clipping planes, for a scene of this box. */
void app_camera_matrix(const app_camera *camera, const app_bounds *bounds, int width, int height, float matrix[16]);
void app_camera_orbit(app_camera *camera, float yaw, float pitch);
/* The ray through the point x, y of the picture, in -1..1, right and up; `along` is not a unit vector. */
void app_camera_ray(const app_camera *camera, float x, float y, float aspect, float from[3], float along[3]);
/* Moves the target with the picture: pixels of a window `height` pixels high. */
void app_camera_pan(app_camera *camera, float right, float up, int height);
void app_camera_zoom(app_camera *camera, float steps);

void app_matrix_multiply(const float a[16], const float b[16], float out[16]);
void app_matrix_apply(const float m[16], const float point[3], float out[4]);
void app_matrix_look(const float eye[3], const float target[3], float out[16]);
/* False, with `out` undefined, for a singular one. */
bool app_matrix_invert(const float m[16], float out[16]);
void app_matrix_ortho(float half_width, float half_height, float near_z, float far_z, float out[16]);

/* ---- render_list.c: what a picture shows ------------------------------------------------------------------------- */

typedef enum app_part_kind { APP_PART_CLOTH, APP_PART_OBSTACLE } app_part_kind;

/* Colors are sRGB; patterns are those of the texture's other squares, stripes or threads on each side. */
typedef struct app_paint {
    float front[3], back[3], front_pattern[3], back_pattern[3];
    mus_texture texture;
    float texture_size;         /* m */
    const mus_picture *picture; /* of MUS_TEXTURE_PICTURE; the world's */
    float picture_place[4];     /* its lower left corner and its size, in texture coordinates */
    bool picture_back;          /* on the back as well, not only on the front */
} app_paint;

typedef struct app_render_part {
    app_part_kind kind;
    app_paint paint;
    bool falls; /* nothing holds it: a cloth without pins, a rigid body */
    const double *vertices;
    const int32_t *faces;
    const double *uvs; /* of a cloth with a texture, else NULL */
    const int32_t *uv_faces;
    int32_t uv_count;
    float *heat;          /* one per vertex, owned by the list; NULL: none */
    const int32_t *edges; /* NULL: every side of every face */
    int32_t vertex_count, face_count, edge_count;
} app_render_part;

extern const float APP_GROUND_COLOR[3]; /* sRGB, of planes without a color */

typedef struct app_render_plane {
    float point[3], normal[3]; /* normal out of the solid, unit */
    float color[3];            /* sRGB */
} app_render_plane;

typedef enum app_mark_kind {
    APP_MARK_CONTACT, /* `to`: in the direction of the normal, longer for a larger impulse */
    APP_MARK_PIN,     /* `to` is `at` */
    APP_MARK_PULL,    /* `to`: where the vertex is pulled to */
    APP_MARK_STITCH,  /* `to`: what the vertex is sewn to */
    APP_MARK_NORMAL,  /* of a vertex; `to`: in its direction */
    APP_MARK_GRAB     /* the grabbed point; `to`: the pointer's place. In front of everything */
} app_mark_kind;

typedef struct app_render_mark {
    app_mark_kind kind;
    float at[3], to[3];
} app_render_mark;

/* Coarser pictures, for what moves on a slow driver. */
typedef enum app_draft {
    APP_DRAFT_NONE,
    APP_DRAFT_PLAIN, /* no ambient occlusion, one sample per pixel */
    APP_DRAFT_HALF,  /* also half the width and height */
    APP_DRAFT_COUNT
} app_draft;

typedef struct app_render_style {
    bool wireframe, contacts, normals;
    bool pins;         /* and stitches */
    bool grabs;        /* the next */
    double grab[2][3]; /* the grabbed point, and the place that it is pulled to, m */
    float scale;       /* pixels of a window's point, by which lines and marks are wider; 0: 1 */
    app_heat heat;
    app_draft draft;
} app_render_style;

/* Borrows arrays of the world: valid until the world changes. */
typedef struct app_render_list {
    app_render_part *parts;
    app_render_plane *planes;
    app_render_mark *marks;
    int32_t part_count, plane_count;
    int64_t mark_count, mark_capacity;
    app_heat heat;
    float heat_range; /* the value at the end of the color scale: the largest, rounded up to 1, 2 or 5 times a power */
} app_render_list;

/* All present objects of the world. NO_MEMORY leaves an empty list. */
mus_status app_render_list_collect(app_render_list *list, mus_world *world);
void app_render_list_free(app_render_list *list);
/* Adds the marks of a style to a list collected from the world. */
mus_status app_render_list_mark(app_render_list *list, mus_world *world, const app_render_style *style);
/* By vertex; false: no memory. */
bool app_heat_of_cloth(mus_world *world, mus_cloth_id id, app_heat heat, float *values);
/* Adds the quantity to the cloths of a list collected from the world. */
mus_status app_render_list_heat(app_render_list *list, mus_world *world, app_heat heat);
/* Its name with the range, "stretch 5 %". */
void app_heat_legend(app_heat heat, float range, char text[48]);
/* sRGB, of a share of the range. */
void app_heat_color(float share, float color[3]);
/* The paint of the `number`-th cloth or obstacle of the world. */
app_paint app_paint_of(app_part_kind kind, int number, const mus_look *look);
/* The lower left corner and the size of a picture on `count` texture coordinates: the look's, or of the box around
 * them. */
void app_place_picture(const mus_look *look, const double *uvs, int32_t count, float place[4]);
/* The obstacle's plane where the pose puts it. */
void app_plane_of(const mus_obstacle_def *def, const mus_pose *pose, app_render_plane *plane);
/* Two unit vectors that span the plane; for the floor they are x and z, so that grid lines are at whole meters. */
void app_plane_axes(const float normal[3], float u[3], float v[3]);
app_bounds app_render_list_bounds(const app_render_list *list);            /* of the parts */
app_camera app_camera_fit_list(const app_render_list *list, float aspect); /* app_camera_fit of a list */

/* ---- render_mesh.c: parts as arrays for the card ----------------------------------------------------------------- */

typedef struct app_vertex {
    float position[3], normal[3];
    float cavity; /* mean curvature times edge length: > 0 where the surface is hollow seen from its front */
    float uv[2];
    float heat; /* share of the range, >= 0; -1: none */
} app_vertex;

typedef struct app_draw { /* a part's range of indices */
    app_part_kind kind;
    app_paint paint;
    int64_t first_vertex;
    int32_t first_index, index_count, first_edge_index, edge_index_count;
    float spacing; /* m, root mean square length of the triangles' sides */
} app_draw;

typedef struct app_mesh {
    app_vertex *vertices;
    uint32_t *indices; /* triangles of all parts, then (with edges) lines of all parts */
    app_draw *draws;
    int64_t vertex_count, vertex_capacity, index_count, index_capacity, triangle_index_count;
    int32_t draw_count, draw_capacity;
    void *scratch;
    size_t scratch_size;
} app_mesh;

/* Smooth normals on cloth, split where its texture coordinates are; on obstacles smooth within the crease angle. Faces
 * with a vertex that is not finite are omitted. */
mus_status app_mesh_build(app_mesh *mesh, const app_render_list *list, bool edges);
void app_mesh_free(app_mesh *mesh);

/* ---- render_context.c: GL without a display ---------------------------------------------------------------------- */

typedef struct app_context app_context;
app_context *app_context_create(void); /* current when it returns; NULL with the error record set */
bool app_context_activate(app_context *context);
void app_context_destroy(app_context *context);

/* ---- render_shaders.c -------------------------------------------------------------------------------------------- */

typedef enum app_program {
    APP_PROGRAM_BACKGROUND,
    APP_PROGRAM_SURFACE,
    APP_PROGRAM_FINE, /* SURFACE for small triangles */
    APP_PROGRAM_GROUND,
    APP_PROGRAM_SHADOW,
    APP_PROGRAM_GROUND_DEPTH,
    APP_PROGRAM_OCCLUSION,
    APP_PROGRAM_SMOOTH,
    APP_PROGRAM_FLAT, /* clip-space positions with colors */
    APP_PROGRAM_EDGE,
    APP_PROGRAM_TEXT,
    APP_PROGRAM_COUNT
} app_program;

/* 0 with the error record set. */
unsigned app_shader_program(app_program program);

/* ---- render_pictures.c: pictures on cloth as textures of the card -------------------------------------------------
 */

typedef struct app_pictures app_pictures;
app_pictures *app_pictures_create(void); /* NULL: no memory; the error record is set */
void app_pictures_destroy(app_pictures *pictures);
/* Before a picture is drawn, and after: textures that were not bound in between are deleted. */
void app_pictures_begin(app_pictures *pictures);
void app_pictures_end(app_pictures *pictures);
/* Binds the texture of a picture to a unit (GL_TEXTURE1, ...; then 0 is current again), making it when it is new: sRGB,
 * repeated, its lower edge at v = 0. A plain gray one where memory runs out. */
void app_pictures_bind(app_pictures *pictures, const mus_picture *picture, unsigned unit);

/* ---- text.c: glyphs ---------------------------------------------------------------------------------------------- */

typedef struct app_text app_text;
app_text *app_text_create(void); /* needs a current context; NULL with the error record set */
void app_text_destroy(app_text *text);
/* Draws into the current framebuffer; `size` is the line's height in pixels. */
void app_text_draw(app_text *text, float x, float y, float size, const float color[4], const char *string, int width,
                   int height);
void app_text_measure(app_text *text, float size, const char *string, float *width, float *height);
void app_text_panel(app_text *text, float x, float y, float panel_width, float panel_height, const float color[4],
                    int width, int height);

/* ---- render_labels.c: text over a picture of width x height pixels ----------------------------------------------- */

/* At the top left, in a color that is seen on a background of the color `top`. */
void app_label_title(app_text *text, const mus_lua_view *view, const float top[3], int width, int height);
/* The color scale with its quantity, range and unit, at the lower right, `bottom` pixels above the lower edge; `size`
 * is the text's height. */
void app_label_scale(app_text *text, app_heat heat, float range, float size, float bottom, int width, int height);
void app_label_texts(app_text *text, const float view_projection[16], const mus_lua_drawing *drawing, int width,
                     int height);

/* ---- render_flat.c: lines and points of fixed width in pixels ---------------------------------------------------- */

typedef struct app_flat_vertex {
    float clip[4], color[4];
    float across; /* -1..1 from edge to edge of a line; a point's distance from its center is (across, along) */
    float along;
    float half; /* half the width in pixels */
} app_flat_vertex;

typedef struct app_flat {
    app_flat_vertex *vertices;
    int64_t count, capacity;
    bool failed;   /* memory ran out: some items are missing */
    bool in_front; /* the next items are in front of everything */
} app_flat;

void app_flat_line(app_flat *flat, const float matrix[16], const float from[3], const float to[3], float width,
                   const float color[4], int picture_width, int picture_height);
void app_flat_point(app_flat *flat, const float matrix[16], const float at[3], float size, const float color[4],
                    int picture_width, int picture_height);
void app_flat_free(app_flat *flat);

/* ---- render_image.c ---------------------------------------------------------------------------------------------- */

/* Writes height rows of width RGBA pixels, the lowest row first as GL reads them, as an opaque PNG. */
mus_status app_image_save(const char *path, const unsigned char *pixels, int width, int height);
/* The same picture as a JPEG in memory; `bytes` is the caller's to free, NULL on failure. */
mus_status app_image_jpeg(const unsigned char *pixels, int width, int height, unsigned char **bytes, size_t *size);
mus_status app_image_png(const unsigned char *pixels, int width, int height, unsigned char **bytes, size_t *size);

/* ---- output_pov.c ------------------------------------------------------------------------------------------------ */

/* Under a temporary name that is then renamed. `view` may be NULL. `picture_files`: by part of the list the file of its
 * picture, from the folder of `path`; NULL: it has none. */
mus_status app_pov_save(const app_render_list *list, const char *const *picture_files, const app_camera *camera,
                        const mus_lua_view *view, const char *path);

/* ---- render.c ---------------------------------------------------------------------------------------------------- */

void app_renderer_set_style(app_renderer *renderer, app_render_style style);
app_render_style app_renderer_get_style(const app_renderer *renderer);
void app_renderer_draw_list(app_renderer *renderer, const app_render_list *list, const mus_lua_drawing *drawing,
                            const app_camera *camera, int width, int height);
mus_status app_renderer_png_list(app_renderer *renderer, const app_render_list *list, const mus_lua_drawing *drawing,
                                 const app_camera *camera, int width, int height, const char *path);
/* The same picture as RGBA, the lowest row first; `out` is the caller's to free, NULL on failure. `what` names it in
 * messages. */
mus_status app_renderer_pixels(app_renderer *renderer, const app_render_list *list, const mus_lua_drawing *drawing,
                               const app_camera *camera, int width, int height, const char *what, unsigned char **out);
/* The color scale of the picture drawn last, at its lower right, `bottom` pixels above the lower edge; nothing
 * without one. `size` is the text's height. */
void app_renderer_legend(app_renderer *renderer, float size, float bottom, int width, int height);
app_text *app_renderer_get_text(app_renderer *renderer);

#endif
