/* view_pick.c: picks the nearest face hit by the ray through a point of the window, by Möller and Trumbore's test
 * (1997). */
#include "view/view.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct ray {
    double from[3], along[3]; /* not a unit vector */
    double t;                 /* of the nearest hit so far */
} ray;

/* Tests both sides; shortens the ray to the hit. `corner`: the one nearest to the hit. */
static bool ray_hits_face(ray *r, const double *x, const int32_t face[3], int *corner) {
    const double *a = x + 3 * (size_t)face[0], *b = x + 3 * (size_t)face[1], *c = x + 3 * (size_t)face[2];
    double ab[3], ac[3], to[3], p[3], q[3];
    for (int k = 0; k < 3; k++) ab[k] = b[k] - a[k], ac[k] = c[k] - a[k], to[k] = r->from[k] - a[k];
    cross(r->along, ac, p);
    double det = dot(ab, p);
    if (!(fabs(det) > DBL_MIN)) return false; /* parallel to the ray, without area, or not finite */
    double u = dot(to, p) / det;
    cross(to, ab, q);
    double v = dot(r->along, q) / det, t = dot(ac, q) / det;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < r->t)) return false;
    r->t = t;
    double nearest = DBL_MAX;
    for (int k = 0; k < 3; k++) {
        const double *y = x + 3 * (size_t)face[k];
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = r->from[i] + t * r->along[i] - y[i];
        if (dot(d, d) < nearest) nearest = dot(d, d), *corner = k;
    }
    return true;
}

static bool ray_hits_mesh(ray *r, const double *x, const int32_t *faces, int32_t count, view_pick *pick) {
    bool any = false;
    int corner = 0;
    for (int32_t f = 0; x && f < count; f++) {
        if (!ray_hits_face(r, x, faces + 3 * (size_t)f, &corner)) continue;
        any = true;
        pick->face = f;
        pick->vertex = faces[3 * (size_t)f + (size_t)corner];
    }
    return any;
}

/* A plane has no faces. */
static bool ray_hits_plane(ray *r, const mus_obstacle_def *def, const mus_pose *pose) {
    app_render_plane plane;
    app_plane_of(def, pose, &plane);
    double normal[3], to[3];
    for (int k = 0; k < 3; k++) normal[k] = (double)plane.normal[k], to[k] = (double)plane.point[k] - r->from[k];
    double slope = dot(normal, r->along), t = slope != 0 ? dot(normal, to) / slope : -1;
    if (!(t > 0 && t < r->t)) return false;
    r->t = t;
    return true;
}

static void name_it(view_pick *pick, bool cloth, const char *name) {
    pick->hit = true;
    pick->cloth = cloth;
    snprintf(pick->name, sizeof pick->name, "%s", name);
}

static void try_obstacle(ray *r, mus_world *world, mus_obstacle_id id, view_pick *pick) {
    mus_obstacle_def def;
    mus_pose pose;
    if (mus_obstacle_get_def(world, id, &def) != MUS_STATUS_OK) return;
    if (mus_obstacle_get_pose(world, id, &pose) != MUS_STATUS_OK) return;
    if (def.shape == MUS_SHAPE_PLANE) {
        if (!ray_hits_plane(r, &def, &pose)) return;
    } else {
        const mus_mesh *surface = mus_obstacle_get_surface_mesh(world, id);
        if (!surface || !ray_hits_mesh(r, mus_mesh_get_vertices_const(surface), mus_mesh_get_faces(surface),
                                       mus_mesh_get_face_count(surface), pick))
            return;
    }
    name_it(pick, false, mus_obstacle_get_name(world, id));
    pick->obstacle_id = id;
    /* The drawn faces of an exact shape have no numbers for scripts. */
    if (def.shape != MUS_SHAPE_MESH) pick->face = pick->vertex = -1;
}

void view_ray_at(const app_camera *camera, double x, double y, int width, int height, double from[3], double along[3]) {
    float eye[3], direction[3];
    app_camera_ray(camera, (float)(2 * x / width - 1), (float)(1 - 2 * y / height), (float)width / (float)height, eye,
                   direction);
    for (int k = 0; k < 3; k++) from[k] = (double)eye[k], along[k] = (double)direction[k];
}

view_pick view_pick_at(mus_world *world, const app_camera *camera, double x, double y, int width, int height) {
    view_pick pick = {.face = -1, .vertex = -1};
    ray r = {.t = DBL_MAX};
    if (!world || width <= 0 || height <= 0) return pick;
    view_ray_at(camera, x, y, width, height, r.from, r.along);
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        if (ray_hits_mesh(&r, mus_cloth_get_positions(world, id), mus_cloth_get_faces(world, id),
                          mus_cloth_get_face_count(world, id), &pick)) {
            name_it(&pick, true, mus_cloth_get_name(world, id));
            pick.cloth_id = id;
        }
    }
    for (int32_t k = 0; k < mus_world_get_obstacle_count(world); k++)
        try_obstacle(&r, world, mus_world_get_obstacle(world, k), &pick);
    for (int k = 0; k < 3; k++) pick.at[k] = r.from[k] + r.t * r.along[k];
    return pick;
}

void view_pick_text(const view_pick *pick, char *text, size_t size) {
    if (!pick->hit) {
        snprintf(text, size, "nothing is there");
        return;
    }
    int n = snprintf(text, size, "%s '%s'", pick->cloth ? "cloth" : "obstacle", pick->name);
    if (pick->face >= 0 && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", face %d, vertex %d", (int)pick->face + 1, (int)pick->vertex + 1);
    if (n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, " at (%.4g, %.4g, %.4g)", pick->at[0], pick->at[1], pick->at[2]);
}

void view_pick_push(lua_State *L, const view_pick *pick) {
    char text[256];
    if (!pick->hit) {
        lua_pushnil(L);
        return;
    }
    view_pick_text(pick, text, sizeof text);
    lua_createtable(L, 0, 4);
    lua_pushstring(L, pick->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, text);
    lua_setfield(L, -2, "text");
    if (pick->face < 0) return;
    lua_pushinteger(L, pick->face + 1);
    lua_setfield(L, -2, "face");
    lua_pushinteger(L, pick->vertex + 1);
    lua_setfield(L, -2, "vertex");
}
