/* render_shaders.c: the shading programs. They use the common subset of GLSL 3.30 core and GLSL ES 3.00; input
 * colors are linear, light is computed linearly and encoded as sRGB at the end of each program. */
#include "render/render.h"

#include <string.h>

#include <epoxy/gl.h>

#define STRING(...) #__VA_ARGS__ "\n"

/* The formatter handles C, not shaders. */
/* clang-format off */

/* sRGB's curve within 2/255, by a fit of roots over [0, 1]: a power costs a software renderer more than all
 * lighting. */
static const char *const COMMON = STRING(
    vec3 encode(vec3 c) {
        c = clamp(c, 0.0, 1.0);
        vec3 root = sqrt(c);
        return 1.4292 * root - 0.1342 * sqrt(root) - 0.2950 * c;
    });

/* Share of the key light that reaches a point, 0..1: up to 16 taps on a sunflower's spiral from the rim of a disc to
 * its middle, each with the card's own 2 x 2 comparison. The first six, around the rim, agree almost everywhere, and
 * then give the result. `wanted` 0: no shadow test. Points outside the map are lit; points beyond its far end are
 * tested at it. The loop has no passes or ends early in place of a branch, of which a software renderer executes
 * both sides. */
static const char *const SHADOW = STRING(
    uniform highp sampler2DShadow shadow_map;
    uniform mat4 shadow_matrix;
    uniform vec2 shadow_radius; /* in the map, whose side is 1 */
    uniform float scene_radius;
    uniform float softness; /* m */
    /* Offset from the surface for the test, so that a disc across it, tilted against the light, does not intersect
     * it. */
    float off_surface(float key) {
        return 0.004 * scene_radius + softness * sqrt(max(1.0 - key * key, 0.0));
    }
    float lit(vec3 point, float bias, float wanted) {
        vec3 s = (shadow_matrix * vec4(point, 1.0)).xyz * 0.5 + 0.5;
        float depth = min(s.z - bias, 0.9999);
        bool inside = wanted > 0.0 && min(s.x, s.y) > 0.0 && max(s.x, s.y) < 1.0;
        float taps = inside ? 16.0 : 0.0;
        float sum = 0.0;
        float count = 0.0;
        vec2 o = vec2(1.0, 0.0);
        while (count < taps) {
            sum += textureLod(shadow_map, vec3(s.xy + sqrt((15.5 - count) / 16.0) * shadow_radius * o, depth), 0.0);
            count += 1.0;
            if (count == 6.0 && (sum <= 0.0 || sum >= 6.0)) break;
            o = vec2(-0.7373688 * o.x - 0.6754903 * o.y, 0.6754903 * o.x - 0.7373688 * o.y); /* the golden angle */
        }
        return count > 0.0 ? sum / count : 1.0;
    });

static const char *const FULL_VERTEX = STRING(
    out vec2 at;
    void main() {
        at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
        gl_Position = vec4(at, 0.999999, 1.0);
    });

static const char *const BACKGROUND = STRING(
    in vec2 at;
    out vec4 color;
    uniform vec3 top;
    uniform vec3 bottom;
    void main() { color = vec4(mix(bottom, top, smoothstep(-1.0, 1.0, at.y)), 1.0); });

/* Share of the sky that surfaces around a pixel leave it, 0..1 (render_occlusion.c). */
static const char *const OPENNESS = STRING(
    uniform sampler2D openness_map;
    uniform vec2 pixel; /* in the map, whose side is 1 */
    float openness() { return texture(openness_map, gl_FragCoord.xy * pixel).r; });

/* A warm key light with shadow, a cool fill from the other side, sky above and bounce below; hollows receive less
 * light from the sky. Cloth lets some of the key light through and brightens where it is seen along its surface. `n`
 * points to the eye's side. `sky` gets what openness() shares out, `direct` the rest. The shadow test is at an offset from the sheet on its lit side, so that it does not
 * shade itself and light can shine through it. */
static const char *const LIGHT = STRING(
    uniform vec3 eye;
    uniform vec3 to_light;
    uniform vec3 to_fill;
    uniform vec3 key_color;
    uniform vec3 front_color;
    uniform vec3 back_color;
    uniform float cloth;
    uniform vec3 scale_colors[5];
    vec3 scale(float share) {
        float at = 4.0 * clamp(share, 0.0, 1.0);
        vec3 c = scale_colors[0];
        for (int k = 0; k < 4; k++) c = mix(c, scale_colors[k + 1], clamp(at - float(k), 0.0, 1.0));
        return c;
    }
    float shine_at(vec3 point, vec3 n) {
        float key = dot(n, to_light);
        return lit(point + n * (sign(key) * off_surface(key)), 0.0, key > 0.0 ? 1.0 : cloth);
    }
    void shade(vec3 point, vec3 n, float depth, vec3 albedo, float shine, out vec3 sky, out vec3 direct) {
        vec3 v = normalize(eye - point);
        float key = dot(n, to_light);
        float share = max(key, 0.0) + cloth * 0.20 * max(-key, 0.0);
        float fill = 0.5 + 0.5 * dot(n, to_fill);
        vec3 above = mix(vec3(0.15, 0.14, 0.13), vec3(0.30, 0.32, 0.36), 0.5 + 0.5 * n.y);
        float open = clamp(1.0 - 2.0 * max(depth, 0.0), 0.4, 1.0) + clamp(-0.6 * depth, 0.0, 0.12);
        sky = albedo * open * (above + vec3(0.20, 0.21, 0.23) * fill * fill);
        float grazing = 1.0 - max(dot(n, v), 0.0);
        float sheen = cloth * 0.09 * grazing * grazing * grazing * (0.35 + 0.65 * shine * max(key, 0.0)) * open;
        direct = albedo * key_color * vec3(1.0, 0.965, 0.91) * 0.84 * shine * share + vec3(sheen);
    });

static const char *const SURFACE_VERTEX = STRING(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 direction;
    layout(location = 2) in float cavity;
    layout(location = 3) in vec2 coordinates;
    layout(location = 4) in float share;
    uniform mat4 view_projection;
    out vec3 point;
    out vec3 normal;
    out float hollow;
    out vec2 uv;
    out float heat;
    void main() {
        point = position;
        uv = coordinates;
        heat = share;
        normal = direction;
        hollow = cavity;
        gl_Position = view_projection * vec4(position, 1.0);
    });

/* Patterns are integrated over the pixel, so that fine ones become their mean color instead of moire. The weave's
 * threads tilt the normal where they are wider than a pixel. */
static const char *const SURFACE = STRING(
    in vec3 point;
    in vec3 normal;
    in float hollow;
    in vec2 uv;
    in float heat;
    out vec4 color;
    uniform float texture_kind; /* mus_texture */
    uniform float texture_size;
    uniform vec3 front_pattern;
    uniform vec3 back_pattern;
    uniform sampler2D picture;
    uniform vec4 picture_place; /* lower left corner, size */
    uniform float picture_back;
    /* -1..1 by turns along each axis, its mean over a pixel of width w */
    vec2 turns(vec2 p, vec2 w) {
        vec2 low = abs(fract(0.5 * (p - 0.5 * w)) - 0.5);
        vec2 high = abs(fract(0.5 * (p + 0.5 * w)) - 0.5);
        return 2.0 * (low - high) / w;
    }
    void main() {
        float side = gl_FrontFacing ? 1.0 : -1.0;
        vec3 n = normalize(normal) * side;
        vec3 albedo = gl_FrontFacing ? front_color : back_color;
        float shadow = 1.0; /* between threads */
        if (texture_kind > 3.5) {
            vec4 print = texture(picture, (uv - picture_place.xy) / picture_place.zw);
            if (gl_FrontFacing || picture_back > 0.5) albedo = print.rgb;
        } else if (texture_kind > 0.5) {
            vec2 p = uv / texture_size;
            vec2 dx = dFdx(p);
            vec2 dy = dFdy(p);
            vec2 w = max(abs(dx) + abs(dy), vec2(1e-4));
            vec2 s = turns(p, w);
            float share = texture_kind > 2.5 ? 0.5 + 0.5 * s.x : 0.5 + 0.5 * s.x * s.y;
            if (w.x > 4.0 || w.y > 4.0) share = 0.5;
            if (texture_kind < 1.5) {
                /* Directions of the threads in space, from the derivatives of place and coordinates. */
                vec3 px = dFdx(point);
                vec3 py = dFdy(point);
                vec3 along_u = normalize(px * dy.y - py * dx.y + vec3(1e-9)) * sign(dx.x * dy.y - dx.y * dy.x);
                vec3 along_v = cross(n, along_u) * side;
                vec2 q = 2.0 * fract(p) - 1.0;
                float clear = clamp(1.5 - 3.0 * max(w.x, w.y), 0.0, 1.0);
                bool weft = share > 0.5;
                vec2 tilt = weft ? vec2(0.35 * q.x, 0.8 * q.y) : vec2(0.8 * q.x, 0.35 * q.y);
                n = normalize(n + clear * (tilt.x * along_u + tilt.y * along_v));
                float gap = weft ? q.y * q.y : q.x * q.x;
                shadow = 1.0 - 0.25 * clear * gap * gap;
            }
            albedo = mix(albedo, gl_FrontFacing ? front_pattern : back_pattern, share) * shadow;
        }
        if (heat > -0.5) albedo = scale(heat);
        vec3 sky;
        vec3 direct;
        shade(point, n, hollow * side, albedo, shine_at(point, n), sky, direct);
        color = vec4(encode(openness() * sky + direct), 1.0);
    });

/* The same at the vertices, for meshes whose triangles are a few pixels large and finer than a shadow's soft edge: a
 * software renderer pays for sixteen pixels of each triangle, however small. */
static const char *const FINE_VERTEX = STRING(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 direction;
    layout(location = 2) in float cavity;
    layout(location = 4) in float share;
    uniform mat4 view_projection;
    out vec3 front_sky;
    out vec3 front_direct;
    out vec3 back_sky;
    out vec3 back_direct;
    void main() {
        float shine = shine_at(position, direction);
        vec3 front = share < -0.5 ? front_color : scale(share);
        vec3 back = share < -0.5 ? back_color : scale(share);
        shade(position, direction, cavity, front, shine, front_sky, front_direct);
        shade(position, -direction, -cavity, back, shine, back_sky, back_direct);
        gl_Position = view_projection * vec4(position, 1.0);
    });

static const char *const FINE = STRING(
    in vec3 front_sky;
    in vec3 front_direct;
    in vec3 back_sky;
    in vec3 back_direct;
    out vec4 color;
    void main() {
        vec3 sky = gl_FrontFacing ? front_sky : back_sky;
        color = vec4(encode(openness() * sky + (gl_FrontFacing ? front_direct : back_direct)), 1.0);
    });

static const char *const GROUND_VERTEX = STRING(
    uniform mat4 view_projection;
    uniform vec3 origin;
    uniform vec3 axis_u;
    uniform vec3 axis_v;
    uniform float extent;
    out vec3 point;
    out vec2 place;
    void main() {
        vec2 corner = vec2(gl_VertexID == 1 || gl_VertexID == 3 ? 1.0 : -1.0, gl_VertexID >= 2 ? 1.0 : -1.0);
        place = corner * extent;
        point = origin + axis_u * place.x + axis_v * place.y;
        gl_Position = view_projection * vec4(point, 1.0);
    });

/* A plane as ground: grid lines one cell and ten cells apart, fading with distance from the center of the scene. */
static const char *const GROUND = STRING(
    in vec3 point;
    in vec2 place;
    out vec4 color;
    uniform vec3 eye;
    uniform vec3 to_light;
    uniform vec3 key_color;
    uniform vec3 normal;
    uniform vec2 shift;  /* from the middle of the quad to the grid's zero */
    uniform float cell;
    uniform vec3 base_color;
    uniform float fade;  /* m, where the ground has faded out */
    uniform float solid; /* 1: a plane, 0: a reference grid only */
    float grid(vec2 c, vec2 w, float width) {
        vec2 d = abs(fract(c - 0.5) - 0.5);
        vec2 line = clamp(width * 0.5 + 0.5 - d / w, 0.0, 1.0);
        line *= clamp(1.4 - 4.0 * max(w.x, w.y), 0.0, 1.0); /* lines a few pixels apart blur: fade out */
        return max(line.x, line.y);
    }
    void main() {
        float alpha = 1.0 - smoothstep(0.2, 1.0, length(place) / fade);
        vec2 g = (place + shift) / cell;
        vec2 w = max(fwidth(g), vec2(1e-6));
        float line = max(0.20 * grid(g, w, 0.9), 0.42 * grid(g * 0.1, w * 0.1, 1.3));
        bool above = dot(normal, eye - point) > 0.0;
        float key = max(dot(normal, to_light), 0.0);
        float shine = lit(point, 0.0015, above ? solid : 0.0);
        vec3 light = vec3(0.43, 0.445, 0.47) * (above ? openness() : 1.0) + key_color * vec3(1.0, 0.97, 0.93) * 0.66 * key * shine;
        vec3 base = base_color * light;
        vec3 ink = vec3(0.17, 0.19, 0.22);
        float cover = solid > 0.0 ? (above ? 1.0 : 0.25) : line;
        vec3 shade = solid > 0.0 ? mix(base, ink * light, line) : ink;
        color = vec4(encode(shade), alpha * cover);
    });

static const char *const SHADOW_VERTEX = STRING(
    layout(location = 0) in vec3 position;
    uniform mat4 shadow_matrix;
    void main() { gl_Position = shadow_matrix * vec4(position, 1.0); });

static const char *const NOTHING = STRING(void main() {});

/* Share of the sky that is open to each pixel, by the surfaces around it in the picture: scalable ambient obscurance
 * (McGuire, Mara & Luebke 2012, eq. 2), with 12 points on a spiral that differs from pixel to pixel in squares of 4 x 4.
 * g and b: distance from the eye in shares of `furthest`, 16 bits. */
static const char *const OCCLUSION = STRING(
    in vec2 at;
    out vec4 color;
    uniform highp sampler2D depth_map;
    uniform mat4 unproject;
    uniform vec3 eye;
    uniform float range;    /* m, how far away surfaces count */
    uniform float pixels;   /* of the range at a distance of 1 m */
    uniform float furthest; /* m */
    uniform vec2 pixel;     /* in the map, whose side is 1 */
    vec3 place(vec2 s) {
        vec4 p = unproject * vec4(2.0 * vec3(s, textureLod(depth_map, s, 0.0).r) - 1.0, 1.0);
        return p.xyz / p.w;
    }
    vec3 shorter(vec3 a, vec3 b) { return dot(a, a) < dot(b, b) ? a : b; }
    void main() {
        vec2 s = 0.5 * at + 0.5;
        color = vec4(1.0);
        if (textureLod(depth_map, s, 0.0).r >= 1.0) return;
        vec3 c = place(s);
        vec3 across = shorter(place(s + vec2(pixel.x, 0.0)) - c, c - place(s - vec2(pixel.x, 0.0)));
        vec3 up = shorter(place(s + vec2(0.0, pixel.y)) - c, c - place(s - vec2(0.0, pixel.y)));
        vec3 n = normalize(cross(across, up) + vec3(1e-20));
        float away = distance(eye, c);
        n *= sign(dot(n, eye - c));
        ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
        int number = cell.x * 4 + cell.y; /* of its square */
        float turn = 6.2831853 * float(number * 7 & 15) / 16.0;
        float disc = clamp(pixels / away, 2.0, 96.0);
        float sum = 0.0;
        for (float k = float(number * 11 & 15) / 16.0 + 0.03; k < 12.0; k += 1.0) {
            float angle = 3.6651914 * k + turn; /* seven turns in all */
            vec3 v = (place(s + k / 12.0 * disc * pixel * vec2(cos(angle), sin(angle))) - c) / range;
            float vv = dot(v, v);
            float f = max(1.0 - vv, 0.0);
            sum += f * f * f * max(dot(v, n) - 0.03, 0.0) / (0.01 + vv);
        }
        float key = clamp(away / furthest, 0.0, 1.0) * 255.0;
        color = vec4(exp(-5.0 / 12.0 * sum), floor(key) / 255.0, fract(key), 1.0);
    });

/* Mean over 4 x 4 pixels, of those about as far away: `corner` is the first one, from the pixel. */
static const char *const SMOOTH = STRING(
    out vec4 color;
    uniform sampler2D openness_map;
    uniform float furthest;
    uniform float range;
    uniform float corner;
    void main() {
        ivec2 last = textureSize(openness_map, 0) - 1;
        ivec2 here = ivec2(gl_FragCoord.xy);
        vec3 c = texelFetch(openness_map, here, 0).rgb;
        float away = c.g * 255.0 + c.b;
        float sum = 0.0;
        float weights = 0.0;
        for (int k = 0; k < 16; k++) {
            vec3 q = texelFetch(openness_map, clamp(here + ivec2(k & 3, k >> 2) + ivec2(int(corner)), ivec2(0), last), 0).rgb;
            float near = max(1.0 - abs(q.g * 255.0 + q.b - away) * furthest / (255.0 * 0.4 * range), 0.0);
            sum += near * q.r;
            weights += near;
        }
        color = vec4(weights > 0.0 ? sum / weights : c.r, c.g, c.b, 1.0);
    });

static const char *const FLAT_VERTEX = STRING(
    layout(location = 0) in vec4 clip;
    layout(location = 1) in vec4 tint;
    layout(location = 2) in vec3 shape;
    out vec4 paint;
    out vec3 form;
    void main() {
        paint = tint;
        form = shape;
        gl_Position = clip;
    });

static const char *const FLAT = STRING(
    in vec4 paint;
    in vec3 form;
    out vec4 color;
    void main() {
        float distance = length(form.xy) * form.z; /* pixels */
        float cover = clamp(form.z + 0.5 - distance, 0.0, 1.0);
        if (cover <= 0.0) discard;
        color = vec4(paint.rgb, paint.a * cover);
    });

static const char *const EDGE_VERTEX = STRING(
    layout(location = 0) in vec3 position;
    uniform mat4 view_projection;
    void main() {
        gl_Position = view_projection * vec4(position, 1.0);
        gl_Position.z -= 3e-5 * gl_Position.w;
    });

static const char *const EDGE = STRING(
    out vec4 color;
    uniform vec4 ink;
    void main() { color = ink; });

static const char *const TEXT_VERTEX = STRING(
    layout(location = 0) in vec2 position;
    layout(location = 1) in vec2 glyph;
    uniform vec2 scale;
    out vec2 at;
    void main() {
        at = glyph;
        gl_Position = vec4(position.x * scale.x - 1.0, 1.0 - position.y * scale.y, 0.0, 1.0);
    });

static const char *const TEXT = STRING(
    in vec2 at;
    out vec4 color;
    uniform sampler2D glyphs;
    uniform vec4 ink;
    void main() { color = vec4(ink.rgb, ink.a * texture(glyphs, at).r); });

/* clang-format on */

typedef struct source {
    const char *name, *vertex, *fragment;
    bool shadow; /* shadow test, for either shader */
    bool light;  /* surface shading */
} source;

static unsigned compile(unsigned kind, const source *s, const char *body) {
    bool desktop = epoxy_is_desktop_gl(), fragment = kind == GL_FRAGMENT_SHADER;
    const char *parts[6] = {desktop ? "#version 330 core\n" : "#version 300 es\nprecision highp float;\n",
                            COMMON,
                            s->shadow ? SHADOW : "",
                            s->shadow && fragment ? OPENNESS : "",
                            s->light ? LIGHT : "",
                            body};
    unsigned shader = glCreateShader(kind);
    glShaderSource(shader, 6, parts, NULL);
    glCompileShader(shader);
    int done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    char log[512] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    mus_fail(MUS_STATUS_INVALID, "the driver refuses the %s %s shader: %s", s->name, fragment ? "fragment" : "vertex",
             log);
    glDeleteShader(shader);
    return 0;
}

unsigned app_shader_program(app_program which) {
    const source sources[APP_PROGRAM_COUNT] = {
        [APP_PROGRAM_BACKGROUND] = {"background", FULL_VERTEX, BACKGROUND, false, false},
        [APP_PROGRAM_SURFACE] = {"surface", SURFACE_VERTEX, SURFACE, true, true},
        [APP_PROGRAM_FINE] = {"fine surface", FINE_VERTEX, FINE, true, true},
        [APP_PROGRAM_GROUND] = {"ground", GROUND_VERTEX, GROUND, true, false},
        [APP_PROGRAM_SHADOW] = {"shadow", SHADOW_VERTEX, NOTHING, false, false},
        [APP_PROGRAM_GROUND_DEPTH] = {"ground depth", GROUND_VERTEX, NOTHING, false, false},
        [APP_PROGRAM_OCCLUSION] = {"occlusion", FULL_VERTEX, OCCLUSION, false, false},
        [APP_PROGRAM_SMOOTH] = {"smoothing", FULL_VERTEX, SMOOTH, false, false},
        [APP_PROGRAM_FLAT] = {"flat", FLAT_VERTEX, FLAT, false, false},
        [APP_PROGRAM_EDGE] = {"edge", EDGE_VERTEX, EDGE, false, false},
        [APP_PROGRAM_TEXT] = {"text", TEXT_VERTEX, TEXT, false, false},
    };
    const source *s = &sources[which];
    unsigned vertex = compile(GL_VERTEX_SHADER, s, s->vertex);
    unsigned fragment = vertex ? compile(GL_FRAGMENT_SHADER, s, s->fragment) : 0;
    unsigned program = 0;
    if (fragment) {
        int done = 0;
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &done);
        if (!done) {
            char log[512] = "";
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            mus_fail(MUS_STATUS_INVALID, "the driver refuses the %s program: %s", s->name, log);
            glDeleteProgram(program);
            program = 0;
        }
    }
    if (vertex) glDeleteShader(vertex);
    if (fragment) glDeleteShader(fragment);
    return program;
}
