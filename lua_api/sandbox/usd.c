/* usd.c: a stage of USD as tables, for scripts/usd.lua: support.read_usd. */
#include "binding.h"
#include "sandbox/sandbox.h"

#include <math.h>
#include <string.h>

static void set_number(lua_State *L, const char *name, double value) {
    if (isnan(value)) return;
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

/* Pushes a mesh of the faces of `like`. */
static void push_mesh(lua_State *L, const mus_mesh *like, const double *vertices, const double *uvs,
                      const int32_t *uv_faces, int32_t uv_count) {
    mus_mesh_def def = mus_mesh_def_default();
    def.vertices = vertices ? vertices : mus_mesh_get_vertices_const(like);
    def.faces = mus_mesh_get_faces(like);
    def.uvs = uvs, def.uv_faces = uv_faces, def.uv_count = uv_count;
    def.vertex_count = mus_mesh_get_vertex_count(like), def.face_count = mus_mesh_get_face_count(like);
    memcpy(def.grid_nodes, mus_mesh_get_grid_nodes(like), sizeof def.grid_nodes);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    mus_lua_check_status(L, mus_mesh_create(&def, mesh));
}

static bool is_flat(const double *points, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (points[3 * k + 2] < 0 || points[3 * k + 2] > 0) return false;
    return true;
}

static void subtract(const double *a, const double *b, double d[3]) {
    for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
}
static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Texture coordinates of a face at rest for edges d1 and d2 from corner 0: u along its warp, which is that of
 * increasing u of the mesh's own, or the x axis (z across it), as in world:cloth. */
static void flatten(const mus_mesh *mesh, int32_t f, const double d1[3], const double d2[3], double uv[3][2]) {
    double n[3] = {d1[1] * d2[2] - d1[2] * d2[1], d1[2] * d2[0] - d1[0] * d2[2], d1[0] * d2[1] - d1[1] * d2[0]};
    double size = sqrt(dot(n, n)), along[3] = {1, 0, 0}, side = 1, length = 0;
    for (int k = 0; k < 3 && size > 0; k++) n[k] /= size;
    if (mus_mesh_get_uvs(mesh)) {
        const int32_t *t = mus_mesh_get_uv_faces(mesh) + 3 * (size_t)f;
        const double *a = mus_mesh_get_uvs(mesh) + 2 * (size_t)t[0], *b = mus_mesh_get_uvs(mesh) + 2 * (size_t)t[1],
                     *c = mus_mesh_get_uvs(mesh) + 2 * (size_t)t[2];
        double det = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        side = det < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) along[k] = side * ((c[1] - a[1]) * d1[k] - (b[1] - a[1]) * d2[k]);
        length = sqrt(dot(along, along));
    }
    for (int axis = 0; axis < 3 && !(length > 0); axis += 2) {
        if (axis == 0 && 1 - n[0] * n[0] < 1e-6) continue; /* x is across the face */
        side = 1;
        for (int k = 0; k < 3; k++) along[k] = (k == axis) - n[axis] * n[k];
        length = sqrt(dot(along, along));
    }
    for (int k = 0; k < 3; k++) along[k] /= length;
    const double across[3] = {side * (n[1] * along[2] - n[2] * along[1]), side * (n[2] * along[0] - n[0] * along[2]),
                              side * (n[0] * along[1] - n[1] * along[0])};
    uv[0][0] = uv[0][1] = 0;
    uv[1][0] = dot(d1, along), uv[1][1] = dot(d1, across);
    uv[2][0] = dot(d2, along), uv[2][1] = dot(d2, across);
}

/* The faces at rest in the plane: as they are in the plane z = 0, the warp along x, else each by itself. */
static void push_flat_rest(lua_State *L, const mus_mesh *mesh, const double *points, const int32_t *faces,
                           int32_t point_count) {
    int32_t face_count = mus_mesh_get_face_count(mesh);
    bool flat = is_flat(points, point_count);
    size_t count = flat ? (size_t)point_count : 3 * (size_t)face_count;
    double *uvs = lua_newuserdatauv(L, 2 * (count + 1) * sizeof *uvs, 0);
    int32_t *uv_faces = lua_newuserdatauv(L, 3 * ((size_t)face_count + 1) * sizeof *uv_faces, 0);
    for (int32_t k = 0; flat && k < point_count; k++) uvs[2 * k] = points[3 * k], uvs[2 * k + 1] = points[3 * k + 1];
    for (int32_t f = 0; f < face_count; f++) {
        const int32_t *corner = faces + 3 * (size_t)f;
        double d1[3], d2[3];
        for (int k = 0; k < 3; k++) uv_faces[3 * f + k] = flat ? corner[k] : 3 * f + k;
        if (flat) continue;
        subtract(points + 3 * (size_t)corner[1], points + 3 * (size_t)corner[0], d1);
        subtract(points + 3 * (size_t)corner[2], points + 3 * (size_t)corner[0], d2);
        flatten(mesh, f, d1, d2, (double(*)[2])(uvs + 6 * (size_t)f));
    }
    push_mesh(L, mesh, NULL, uvs, uv_faces, (int32_t)count);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

/* Sets rest (a mesh whose angles are at rest too) or flat_rest (one whose texture vertices are lengths). */
static void set_rest(lua_State *L, const mus_usd_mesh *m) {
    const double *points = m->rest_points ? m->rest_points : mus_mesh_get_vertices_const(m->mesh);
    const int32_t *own = mus_mesh_get_faces(m->mesh), *faces = m->rest_faces ? m->rest_faces : own;
    int32_t vertex_count = mus_mesh_get_vertex_count(m->mesh);
    int32_t count = m->rest_points ? m->rest_point_count : vertex_count;
    bool same =
        count == vertex_count && memcmp(faces, own, sizeof *own * 3 * (size_t)mus_mesh_get_face_count(m->mesh)) == 0;
    const int32_t *grid = mus_mesh_get_grid_nodes(m->mesh); /* a mesh at rest keeps its springs, a texture does not */
    bool whole = same && (m->is_bent || (grid[0] > 0 && is_flat(points, count)));
    if (whole)
        push_mesh(L, m->mesh, points, mus_mesh_get_uvs(m->mesh), mus_mesh_get_uv_faces(m->mesh),
                  mus_mesh_get_uv_count(m->mesh));
    else
        push_flat_rest(L, m->mesh, points, faces, count);
    lua_setfield(L, -2, whole ? "rest" : "flat_rest");
}

/* The edge of two faces as vertices from 1, and the angle; vertices 0 where they have no edge. */
static void push_fold(lua_State *L, const mus_usd_mesh *m, int32_t k) {
    const int32_t *faces = mus_mesh_get_faces(m->mesh);
    const int32_t *a = faces + 3 * (size_t)m->folds[2 * k], *b = faces + 3 * (size_t)m->folds[2 * k + 1];
    int32_t common[3], count = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j] && count < 3) common[count++] = a[i];
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 2; i++) {
        lua_pushinteger(L, count == 2 ? common[i] + 1 : 0);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushnumber(L, m->angles[k]);
    lua_rawseti(L, -2, 3);
}

static void push_usd_mesh(lua_State *L, const mus_usd_mesh *m) {
    lua_createtable(L, 0, 16);
    lua_pushstring(L, m->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, m->path);
    lua_setfield(L, -2, "path");
    lua_pushboolean(L, m->is_cloth);
    lua_setfield(L, -2, "cloth");
    lua_pushboolean(L, m->is_collider);
    lua_setfield(L, -2, "collider");
    lua_pushboolean(L, m->moves);
    lua_setfield(L, -2, "moves");
    mus_mesh **mesh = mus_lua_new_mesh(L);
    mus_lua_check_status(L, mus_mesh_copy(m->mesh, mesh));
    lua_setfield(L, -2, "mesh");
    set_number(L, "thickness", m->thickness);
    set_number(L, "friction", m->friction);
    set_number(L, "restitution", m->restitution);
    set_number(L, "density", m->density);
    set_number(L, "stretch_stiffness", m->stretch_stiffness);
    set_number(L, "shear_stiffness", m->shear_stiffness);
    set_number(L, "bend_stiffness", m->bend_stiffness);
    set_number(L, "poissons_ratio", m->poissons_ratio);
    lua_createtable(L, 0, m->constant_count);
    for (int32_t k = 0; k < m->constant_count; k++) {
        const mus_usd_constant *c = &m->constants[k];
        if (c->text)
            lua_pushstring(L, c->text);
        else
            lua_pushnumber(L, c->number);
        lua_setfield(L, -2, c->name);
    }
    lua_setfield(L, -2, "constants");
    if (!m->is_cloth) return;
    if (m->masses) {
        int32_t count = mus_mesh_get_vertex_count(m->mesh);
        lua_createtable(L, count, 0);
        for (int32_t k = 0; k < count; k++) {
            lua_pushnumber(L, m->masses[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -2, "masses");
    }
    set_rest(L, m);
    lua_createtable(L, m->fold_count, 0);
    for (int32_t k = 0; k < m->fold_count; k++) {
        push_fold(L, m, k);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "folds");
}

static void push_seam(lua_State *L, const mus_usd_seam *seam) {
    static const char *const sides[] = {"a", "b"};
    lua_createtable(L, 0, 4);
    for (int side = 0; side < 2; side++) {
        lua_pushinteger(L, seam->mesh[side] + 1);
        lua_setfield(L, -2, sides[side]);
        lua_createtable(L, seam->pair_count, 0);
        for (int32_t k = 0; k < seam->pair_count; k++) {
            lua_pushinteger(L, seam->pairs[2 * k + side] + 1);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -2, side ? "vertices_b" : "vertices_a");
    }
    set_number(L, "stiffness", seam->stiffness);
}

static int push_stage(lua_State *L) {
    const mus_usd *usd = lua_touserdata(L, 1);
    int32_t mesh_count, seam_count;
    const mus_usd_mesh *meshes = mus_usd_get_meshes(usd, &mesh_count);
    const mus_usd_seam *seams = mus_usd_get_seams(usd, &seam_count);
    lua_createtable(L, mesh_count, 0);
    for (int32_t k = 0; k < mesh_count; k++) {
        push_usd_mesh(L, &meshes[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_createtable(L, seam_count, 0);
    for (int32_t k = 0; k < seam_count; k++) {
        push_seam(L, &seams[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushnumber(L, mus_usd_get_fps(usd));
    return 3;
}

/* read_usd(path, what, scale, up): lists of meshes and of seams, time codes per second. `what` names the caller in
 * messages. */
int mus_lua_read_usd(lua_State *L) {
    const char *what = luaL_checkstring(L, 2), *path = mus_lua_check_path(L, 1, what);
    mus_load_options options = mus_load_options_default();
    options.scale = luaL_optnumber(L, 3, 1);
    options.up = luaL_optstring(L, 4, NULL);
    mus_usd *usd = NULL;
    mus_lua_check_readable(L, what, path);
    mus_lua_check_status(L, mus_usd_load(path, &options, &usd));
    lua_pushcfunction(L, push_stage);
    lua_pushlightuserdata(L, usd);
    int status = lua_pcall(L, 1, 3, 0);
    mus_usd_destroy(usd);
    return status == LUA_OK ? 3 : lua_error(L);
}
