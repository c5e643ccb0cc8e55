/* render_shaders.c: the shading programs. The language is what GLSL 3.30 core and GLSL ES 3.00 share; light is
 * reckoned linear and encoded as sRGB at the end of each program. */
#include "render.h"

#include <string.h>

#include <epoxy/gl.h>

#define STRING(...) #__VA_ARGS__ "\n"

/* clang-format off: the formatter knows C, not this. */

static const char *const COMMON = STRING(
    vec3 decode(vec3 c) { return pow(c, vec3(2.2)); } vec3 encode(vec3 c) {
        return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
    });

/* Share of the key light that reaches a point, 0..1: 16 taps with the card's own 2 x 2 comparison in each, over a disc
 * of `shadow_radius` texels. Points outside the map are lit; points behind its far end are judged at that end. */
static const char *const SHADOW =
    STRING(uniform highp sampler2DShadow shadow_map; uniform mat4 shadow_matrix; uniform float shadow_texel;
           uniform float shadow_radius; float lit(vec3 point, float bias) {
               vec3 s = (shadow_matrix * vec4(point, 1.0)).xyz * 0.5 + 0.5;
               if (s.x <= 0.0 || s.x >= 1.0 || s.y <= 0.0 || s.y >= 1.0) return 1.0;
               float depth = min(s.z - bias, 0.9999);
               float sum = 0.0;
               float r = shadow_radius * shadow_texel;
               for (int i = 0; i < 16; i++) { /* a sunflower: even over the disc */
                   float a = 2.39996 * float(i);
                   vec2 o = sqrt((float(i) + 0.5) / 16.0) * vec2(cos(a), sin(a));
                   sum += texture(shadow_map, vec3(s.xy + r * o, depth));
               }
               return sum / 16.0;
           });

static const char *const FULL_VERTEX = STRING(out vec2 at; void main() {
    at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(at, 0.999999, 1.0);
});

static const char *const BACKGROUND =
    STRING(in vec2 at; out vec4 color; uniform vec3 top; uniform vec3 bottom; void main() {
        float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
        color = vec4(mix(bottom, top, smoothstep(-1.0, 1.0, at.y)) + noise / 255.0, 1.0);
    });

static const char *const SURFACE_VERTEX = STRING(
    layout(location = 0) in vec3 position; layout(location = 1) in vec3 direction; layout(location = 2) in float cavity;
    uniform mat4 view_projection; out vec3 point; out vec3 normal; out float hollow; void main() {
        point = position;
        normal = direction;
        hollow = cavity;
        gl_Position = view_projection * vec4(position, 1.0);
    });

static const char *const SURFACE = STRING(
    in vec3 point; in vec3 normal; in float hollow; out vec4 color; uniform vec3 eye; uniform vec3 to_light;
    uniform vec3 front_color; uniform vec3 back_color; uniform float cloth; uniform float offset; void main() {
        float side = gl_FrontFacing ? 1.0 : -1.0;
        vec3 n = normalize(normal) * side;
        vec3 v = normalize(eye - point);
        vec3 albedo = decode(gl_FrontFacing ? front_color : back_color);
        float key = dot(n, to_light);
        /* The sheet is judged from its lit side, so that it doesn't shade itself and light can shine through it. */
        vec3 shifted = point + n * (key >= 0.0 ? offset : -offset * cloth);
        float shine = 0.0;
        if (key > 0.0 || cloth > 0.0) shine = lit(shifted, 0.0);
        float diffuse = max(key, 0.0);
        float through = cloth * 0.22 * max(-key, 0.0);
        float fill = 0.5 + 0.5 * dot(n, normalize(vec3(-to_light.x, 0.35, -to_light.z)));
        vec3 sky = mix(vec3(0.20, 0.19, 0.18), vec3(0.36, 0.38, 0.42), 0.5 + 0.5 * n.y);
        float open = clamp(1.0 - 1.6 * max(hollow * side, 0.0), 0.45, 1.0) + clamp(-0.5 * hollow * side, 0.0, 0.12);
        vec3 light =
            open * (sky + vec3(0.10, 0.105, 0.12) * fill) + vec3(1.0, 0.97, 0.92) * 0.80 * shine * (diffuse + through);
        float grazing = 1.0 - max(dot(n, v), 0.0);
        float sheen = cloth * 0.10 * grazing * grazing * grazing * (0.4 + 0.6 * shine * diffuse) * open;
        vec3 h = normalize(to_light + v);
        float gloss = (cloth > 0.0 ? 0.015 : 0.03) * pow(max(dot(n, h), 0.0), 24.0) * shine * step(0.0, key);
        color = vec4(encode(albedo * light + vec3(sheen + gloss)), 1.0);
    });

static const char *const GROUND_VERTEX =
    STRING(uniform mat4 view_projection; uniform vec3 origin; uniform vec3 axis_u; uniform vec3 axis_v;
           uniform float extent; out vec3 point; out vec2 place; void main() {
               vec2 corner = vec2(gl_VertexID == 1 || gl_VertexID == 3 ? 1.0 : -1.0, gl_VertexID >= 2 ? 1.0 : -1.0);
               place = corner * extent;
               point = origin + axis_u * place.x + axis_v * place.y;
               gl_Position = view_projection * vec4(point, 1.0);
           });

/* A plane as ground: grid lines one cell and ten cells apart, fading with distance from the middle of the scene. */
static const char *const GROUND = STRING(
    in vec3 point; in vec2 place; out vec4 color; uniform vec3 eye; uniform vec3 to_light; uniform vec3 normal;
    uniform vec2 shift;                     /* from the middle of the quad to the grid's zero */
    uniform float cell; uniform float fade; /* m, where the ground is gone */
    uniform float solid;                    /* 1: a plane, 0: a reference grid only */
    float grid(vec2 c, float width) {
        vec2 w = fwidth(c);
        vec2 d = abs(fract(c - 0.5) - 0.5);
        vec2 line = clamp(width * 0.5 + 0.5 - d / max(w, vec2(1e-6)), 0.0, 1.0);
        /* Finer than the pixels it dissolves into its mean. */
        vec2 dense = clamp(2.0 * w - 0.35, 0.0, 1.0);
        line = mix(line, min(width * w, vec2(1.0)), dense) * (1.0 - 0.8 * dense);
        return max(line.x, line.y);
    } void main() {
        float away = length(place) / fade;
        float alpha = 1.0 - smoothstep(0.25, 1.0, away);
        if (alpha <= 0.0) discard;
        vec2 g = (place + shift) / cell;
        float line = max(0.22 * grid(g, 1.0), 0.38 * grid(g / 10.0, 1.4));
        bool above = dot(normal, eye - point) > 0.0;
        float key = max(dot(normal, to_light), 0.0);
        float shine = solid > 0.0 && above ? lit(point, 0.0015) : 1.0;
        vec3 light = vec3(0.47, 0.485, 0.51) + vec3(1.0, 0.97, 0.92) * 0.62 * key * shine;
        vec3 base = decode(vec3(0.895, 0.9, 0.905)) * light;
        vec3 ink = decode(vec3(0.35, 0.38, 0.42)) * light;
        float cover = solid > 0.0 ? (above ? 1.0 : 0.25) : line * 0.8;
        vec3 shade = solid > 0.0 ? mix(base, ink, line) : ink;
        color = vec4(encode(shade), alpha * cover);
    });

static const char *const SHADOW_VERTEX = STRING(layout(location = 0) in vec3 position; uniform mat4 shadow_matrix;
                                                void main() { gl_Position = shadow_matrix * vec4(position, 1.0); });

static const char *const NOTHING = STRING(void main(){});

static const char *const FLAT_VERTEX =
    STRING(layout(location = 0) in vec4 clip; layout(location = 1) in vec4 tint; layout(location = 2) in vec3 shape;
           out vec4 paint; out vec3 form; void main() {
               paint = tint;
               form = shape;
               gl_Position = clip;
           });

static const char *const FLAT = STRING(in vec4 paint; in vec3 form; out vec4 color; void main() {
    float distance = length(form.xy) * form.z; /* pixels */
    float cover = clamp(form.z + 0.5 - distance, 0.0, 1.0);
    if (cover <= 0.0) discard;
    color = vec4(paint.rgb, paint.a * cover);
});

static const char *const EDGE_VERTEX =
    STRING(layout(location = 0) in vec3 position; uniform mat4 view_projection; void main() {
        gl_Position = view_projection * vec4(position, 1.0);
        gl_Position.z -= 2e-4 * gl_Position.w;
    });

static const char *const EDGE = STRING(out vec4 color; uniform vec4 ink; void main() { color = ink; });

static const char *const TEXT_VERTEX =
    STRING(layout(location = 0) in vec2 position; layout(location = 1) in vec2 glyph; uniform vec2 scale; out vec2 at;
           void main() {
               at = glyph;
               gl_Position = vec4(position.x * scale.x - 1.0, 1.0 - position.y * scale.y, 0.0, 1.0);
           });

static const char *const TEXT = STRING(in vec2 at; out vec4 color; uniform sampler2D glyphs; uniform vec4 ink;
                                       void main() { color = vec4(ink.rgb, ink.a * texture(glyphs, at).r); });

/* clang-format on */

typedef struct source {
    const char *name, *vertex, *fragment;
    bool shadow;
} source;

static unsigned compile(unsigned kind, const source *s, const char *body) {
    bool desktop = epoxy_is_desktop_gl(), fragment = kind == GL_FRAGMENT_SHADER;
    const char *parts[4] = {desktop ? "#version 330 core\n" : "#version 300 es\nprecision highp float;\n", COMMON,
                            s->shadow && fragment ? SHADOW : "", body};
    unsigned shader = glCreateShader(kind);
    glShaderSource(shader, 4, parts, NULL);
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
        [APP_PROGRAM_BACKGROUND] = {"background", FULL_VERTEX, BACKGROUND, false},
        [APP_PROGRAM_SURFACE] = {"surface", SURFACE_VERTEX, SURFACE, true},
        [APP_PROGRAM_GROUND] = {"ground", GROUND_VERTEX, GROUND, true},
        [APP_PROGRAM_SHADOW] = {"shadow", SHADOW_VERTEX, NOTHING, false},
        [APP_PROGRAM_FLAT] = {"flat", FLAT_VERTEX, FLAT, false},
        [APP_PROGRAM_EDGE] = {"edge", EDGE_VERTEX, EDGE, false},
        [APP_PROGRAM_TEXT] = {"text", TEXT_VERTEX, TEXT, false},
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
