/* material.c: materials: presets, and tables of constants on top of one. */
#include "binding.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.material";

static const char *const keys[] = {"preset",
                                   "name",
                                   "model",
                                   "density",
                                   "stretch",
                                   "shear",
                                   "bend",
                                   "bending",
                                   "compression",
                                   "buckling",
                                   "damping",
                                   "bending_damping",
                                   "viscous_damping",
                                   "drag",
                                   "strain_limit",
                                   "stretch_warp",
                                   "stretch_weft",
                                   "stretch_poisson",
                                   "stretch_shear",
                                   "warp_angle",
                                   "limit_stiffness",
                                   "bending_warp",
                                   "bending_weft",
                                   "bending_bias",
                                   "bending_model",
                                   "yield_curvature",
                                   "bending_hardening",
                                   "yield_strain",
                                   "stretch_hardening",
                                   "recovery_time",
                                   NULL};

static bool of_springs(const mus_material *material) {
    return material->model == MUS_MODEL_SPRINGS || material->model == MUS_MODEL_MASS_SPRING ||
           material->model == MUS_MODEL_CHOI_KO;
}

static const char *bending_model(const mus_material *material) {
    return material->bending_quadratic ? "quadratic" : "hinge";
}

void mus_lua_push_material(lua_State *L, const mus_material *material) {
    mus_material *copy = lua_newuserdatauv(L, sizeof *copy, 0);
    *copy = *material;
    luaL_setmetatable(L, TYPE);
}

static void read_model(lua_State *L, int index, mus_material *material) {
    const char *name = mus_lua_opt_string(L, index, "material", "model", NULL);
    if (!name) return;
    for (int k = 0; k < MUS_MODEL_COUNT; k++)
        if (strcmp(name, mus_material_model_get_name((mus_material_model)k)) == 0) {
            material->model = (mus_material_model)k;
            return;
        }
    mus_lua_error(L,
                  "material: field 'model' must be 'springs', 'mass_spring', 'choi_ko', 'square_network', 'stvk', "
                  "'neo_hookean' or 'measured' (got '%s')",
                  name);
}

/* The model of bending. A negative rigidity means the common one in C and is an error in Lua. */
static void read_bending(lua_State *L, int index, mus_material *material) {
    static const char *const directions[] = {"bending_warp", "bending_weft", "bending_bias", "buckling"};
    for (int k = 0; k < 4; k++) {
        double value = mus_lua_opt_number(L, index, "material", directions[k], 0);
        if (value < 0)
            mus_lua_error(L, "material: field '%s' must be >= 0 %s (got %f)", directions[k], k < 3 ? "N m" : "N/m",
                          value);
    }
    const char *name = mus_lua_opt_string(L, index, "material", "bending_model", NULL);
    if (!name) return;
    if (of_springs(material) || material->model == MUS_MODEL_SQUARE_NETWORK)
        mus_lua_error(L,
                      "material: field 'bending_model' is of membranes, and the model is '%s'; choose another model or "
                      "leave it out",
                      mus_material_model_get_name(material->model));
    material->bending_quadratic = strcmp(name, "quadratic") == 0;
    if (!material->bending_quadratic && strcmp(name, "hinge") != 0)
        mus_lua_error(L, "material: field 'bending_model' must be 'hinge' or 'quadratic' (got '%s')", name);
}

void mus_lua_refuse_material_fields(lua_State *L, int index, const char *what, const char *const *known) {
    if (!lua_istable(L, index)) return;
    for (const char *const *key = keys; *key; key++) {
        const char *const *k = known;
        while (*k && strcmp(*k, *key) != 0) k++;
        if (*k) continue;
        if (mus_lua_field(L, index, *key) != LUA_TNIL)
            mus_lua_error(L, "%s: unknown field '%s': it is the material's, as in material = {%s = ...}", what, *key,
                          *key);
        lua_pop(L, 1);
    }
}

/* Changes `material` by the table at `index`. */
static void read_table(lua_State *L, int index, mus_material *material) {
    mus_lua_check_keys(L, index, "material", keys);
    const char *preset = mus_lua_opt_string(L, index, "material", "preset", NULL);
    if (preset) mus_lua_check_status(L, mus_material_find(preset, material));
    const char *name = mus_lua_opt_string(L, index, "material", "name", NULL);
    if (name) {
        size_t length = strlen(name);
        if (length >= sizeof material->name)
            mus_lua_error(L, "material: field 'name' must be shorter than %d characters (got '%s')",
                          (int)sizeof material->name, name);
        memset(material->name, 0, sizeof material->name);
        memcpy(material->name, name, length);
    }
    read_model(L, index, material);
    for (int k = 0; k < mus_material_get_constant_count(); k++) {
        double *value = mus_material_constant_at(material, k);
        if (!mus_material_uses_constant(material, k) &&
            mus_lua_field(L, index, mus_material_get_constant_name(k)) != LUA_TNIL)
            mus_lua_error(L,
                          "material: field '%s' is of %s, and the model is '%s'; choose another model or leave it out",
                          mus_material_get_constant_name(k), mus_material_get_constant_users(k),
                          mus_material_model_get_name(material->model));
        *value = mus_lua_opt_number(L, index, "material", mus_material_get_constant_name(k), *value);
    }
    read_bending(L, index, material);
    mus_lua_check_status(L, mus_material_check(material));
}

void mus_lua_check_material(lua_State *L, int index, mus_material *material) {
    const mus_material *object = luaL_testudata(L, index, TYPE);
    mus_material value = mus_material_default();
    if (object) {
        value = *object;
    } else if (lua_type(L, index) == LUA_TSTRING) {
        mus_lua_check_status(L, mus_material_find(lua_tostring(L, index), &value));
    } else if (lua_istable(L, index)) {
        read_table(L, lua_absindex(L, index), &value);
    } else {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "material: it must be a preset's name, a muslin.material or a table of constants (got %s)",
                      seen);
    }
    *material = value;
}

/* material(name or table): upvalue-free __call of the module's table. */
static int material_call(lua_State *L) {
    mus_material material;
    mus_lua_check_material(L, 2, &material);
    mus_lua_push_material(L, &material);
    return 1;
}

static const mus_material *check_self(lua_State *L, const char *method) {
    const mus_material *material = luaL_testudata(L, 1, TYPE);
    if (!material) mus_lua_error(L, "material: call it as material:%s(...), with a colon", method);
    return material;
}

static int material_with(lua_State *L) {
    mus_material material = *check_self(L, "with");
    read_table(L, 2, &material);
    mus_lua_push_material(L, &material);
    return 1;
}

static int material_totable(lua_State *L) {
    mus_material material = *check_self(L, "totable");
    lua_createtable(L, 0, mus_material_get_constant_count() + 3);
    lua_pushstring(L, material.name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, mus_material_model_get_name(material.model));
    lua_setfield(L, -2, "model");
    if (!of_springs(&material) && material.model != MUS_MODEL_SQUARE_NETWORK) {
        lua_pushstring(L, bending_model(&material));
        lua_setfield(L, -2, "bending_model");
    }
    for (int k = 0; k < mus_material_get_constant_count(); k++) {
        if (!mus_material_uses_constant(&material, k)) continue;
        lua_pushnumber(L, mus_material_get_constant(&material, k));
        lua_setfield(L, -2, mus_material_get_constant_name(k));
    }
    return 1;
}

static int material_index(lua_State *L) {
    const mus_material *object = luaL_testudata(L, 1, TYPE);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (object && strcmp(name, "name") == 0) {
        lua_pushstring(L, object->name);
        return 1;
    }
    if (object && strcmp(name, "model") == 0) {
        lua_pushstring(L, mus_material_model_get_name(object->model));
        return 1;
    }
    if (object && strcmp(name, "bending_model") == 0) {
        lua_pushstring(L, bending_model(object));
        return 1;
    }
    for (int k = 0; object && k < mus_material_get_constant_count(); k++) {
        if (strcmp(name, mus_material_get_constant_name(k)) != 0) continue;
        lua_pushnumber(L, mus_material_get_constant(object, k));
        return 1;
    }
    return mus_lua_index_method(L, "material", keys + 1);
}

static int material_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "material: field %s cannot be set; make another with material:with {...}", seen);
}

static int material_tostring(lua_State *L) {
    lua_pushfstring(L, "material '%s'", check_self(L, "tostring")->name);
    return 1;
}

/* material.presets(): names. */
static int material_presets(lua_State *L) {
    int32_t count = mus_material_get_preset_count();
    lua_createtable(L, count, 0);
    for (int32_t k = 0; k < count; k++) {
        lua_pushstring(L, mus_material_get_preset(k)->name);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

void mus_lua_open_material(lua_State *L) {
    static const luaL_Reg meta[] = {{"__newindex", material_newindex}, {"__tostring", material_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"with", material_with}, {"totable", material_totable}, {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, methods, material_index, NULL);
    static const luaL_Reg functions[] = {{"presets", material_presets}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, material_call);
    lua_setfield(L, -2, "__call");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}
