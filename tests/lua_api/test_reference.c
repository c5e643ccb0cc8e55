/* test_reference.c: every registered Lua name has an entry in scripts/reference.lua, and every entry a name. */
#include "api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char CHECK[] =
    "local muslin = require 'muslin'\n"
    "package.searchers[2] = function(name) "
    "return loadfile('scripts/' .. name:gsub('^muslin%.', ''):gsub('%.', '/') .. '.lua') end\n"
    "local there = { ['muslin.pipelines'] = true, ['muslin.pattern'] = true, ['muslin.usd'] = true,\n"
    "  ['muslin.dress'] = true }\n"
    "local function collect(prefix, mark, t)\n"
    "  for name, value in pairs(t) do\n"
    "    if type(name) == 'string' and not name:find '^__' then\n"
    "      there[prefix .. mark .. name] = true\n"
    "      if mark == '.' and type(value) == 'table' then collect(prefix .. '.' .. name, mark, value) end\n"
    "    end\n"
    "  end\n"
    "end\n"
    "collect('muslin', '.', muslin)\n"
    "local function methods(type, meta)\n"
    "  for i = 1, 9 do\n"
    "    local name, t = debug.getupvalue(meta.__index, i)\n"
    "    if _G.type(t) == 'table' and next(t) and _G.type(select(2, next(t))) == 'function' then\n"
    "      collect(type, ':', t)\n"
    "      return\n"
    "    end\n"
    "  end\n"
    "end\n"
    "local types = {}\n"
    "for key, meta in pairs(debug.getregistry()) do\n"
    "  if type(key) == 'string' and key:find '^muslin%.' and type(meta) == 'table' and meta.__index then\n"
    "    types[key:sub(8)] = meta\n"
    "    if type(meta.__index) == 'function' then methods(key:sub(8), meta)\n"
    "    else collect(key:sub(8), ':', meta.__index) end\n"
    "  end\n"
    "end\n"
    "methods('vec3', debug.getmetatable(muslin.vec3()))\n"
    "methods('array', debug.getmetatable(muslin.array(1)))\n"
    "assert(types.world and types.cloth and types.obstacle and types.mesh and there['world:step'] and\n"
    "  there['array:axpy'] and there['vec3:dot'] and there['canvas:line'], 'the collecting itself is broken')\n"
    "collect('muslin.pattern', '.', muslin.pattern)\n"
    "local triangle = { vertices = {{0, 0}, {1, 0}, {0, 1}},\n"
    "  edges = {{endpoints = {1, 2}}, {endpoints = {2, 3}}, {endpoints = {3, 1}}} }\n"
    "local pattern = muslin.pattern { panels = { p = triangle }, edge_length = 1 }\n"
    "collect('pattern', ':', getmetatable(pattern).__index)\n"
    "local world = muslin.world()\n"
    "local garment = muslin.dress(world, { pattern = pattern, name = 'g',\n"
    "  body = world:obstacle { shape = 'sphere', radius = 1, at = {0, 0, 9} } })\n"
    "collect('garment', ':', getmetatable(garment).__index)\n"
    "local name = os.tmpname()\n"
    "muslin.mesh.grid { nodes = {2, 2} }:save(name .. '.usda')\n"
    "local stage = muslin.usd.load(name .. '.usda')\n"
    "os.remove(name) os.remove(name .. '.usda')\n"
    "collect('muslin.usd', '.', muslin.usd)\n"
    "collect('stage', ':', getmetatable(stage).__index)\n"
    "local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = {2, 2} } }\n"
    "local ball = world:obstacle { shape = 'sphere', radius = 1, at = {0, 9, 0} }\n"
    "local seam = world:stitch { a = {cloth, {1}}, b = {cloth, {4}} }\n"
    "local objects = { world = world, cloth = cloth, obstacle = ball, mesh = muslin.mesh.grid { nodes = {2, 2} },\n"
    "  response = muslin.response { rule = 'bridson' }, contacts = world:contacts(),\n"
    "  seam = seam, garment = garment, stage = stage, pattern = setmetatable(pattern, { __index = function(_, key) "
    "error(key) end }) "
    "}\n"
    "local seen, wrong = {}, {}\n"
    "for i, entry in ipairs(require 'muslin.reference') do\n"
    "  local name = entry.name\n"
    "  assert(type(entry.doc) == 'string' and #entry.doc > 0, name)\n"
    "  if entry.kind == 'lua' then\n"
    "    assert(#entry.signature > 0 and not seen[name], name)\n"
    "    seen[name] = true\n"
    "    local object, field = name:match '^(%w+)%.([%w_]+)$'\n"
    "    if objects[object] then\n" /* a field: reading it must not raise */
    "      local ok, message = pcall(function() return objects[object][field] end)\n"
    "      if not ok then wrong[#wrong + 1] = message end\n"
    "    elseif object ~= 'contact' and not there[name] and not name:find '^expectation[.:]' then\n"
    "      wrong[#wrong + 1] = 'documented, but not there: ' .. name\n"
    "    end\n"
    "    if entry.example then\n"
    "      local ok, message = load(entry.example)\n"
    "      if not ok then ok, message = load('return ' .. entry.example) end\n"
    "      if not ok then wrong[#wrong + 1] = name .. ': ' .. message end\n"
    "    end\n"
    "  end\n"
    "end\n"
    "for name in pairs(there) do\n"
    "  if not seen[name] then wrong[#wrong + 1] = 'there, but not documented: ' .. name end\n"
    "end\n"
    "table.sort(wrong)\n"
    "assert(#wrong == 0, table.concat(wrong, '\\n'))\n";

static void run_in_stock_lua(const char *text) {
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    luaL_requiref(L, "muslin", luaopen_muslin, 0);
    lua_settop(L, 0);
    if (luaL_dostring(L, text) != LUA_OK) fail_msg("%s", lua_tostring(L, -1));
    lua_close(L);
}

static void test_reference(void **state) {
    (void)state;
    run_in_stock_lua(CHECK);
}

/* Methods and metamethods, called as plain functions on what is none of their objects, raise or return. */
static const char SELVES[] =
    "local muslin = require 'muslin'\n"
    "local odd = { false, 1, 'a', {}, print, io.stdout, muslin.vec3(1, 2, 3), muslin.array(2), muslin.world(),\n"
    "  muslin.mesh.grid { nodes = {2, 2} }, muslin.material 'cotton', muslin.param('p', 1) }\n"
    "local called = 0\n"
    "local function try(t)\n"
    "  for name, f in pairs(t) do\n"
    "    if type(f) == 'function' and name ~= '__gc' then\n"
    "      for _, self in ipairs(odd) do\n"
    "        for _, other in ipairs(odd) do pcall(f, self or nil, other) called = called + 1 end\n"
    "      end\n"
    "    end\n"
    "  end\n"
    "end\n"
    "local metas = { debug.getmetatable(muslin.vec3()), debug.getmetatable(muslin.array(1)) }\n"
    "for key, meta in pairs(debug.getregistry()) do\n"
    "  if type(key) == 'string' and key:find '^muslin%.' and type(meta) == 'table' then metas[#metas + 1] = meta end\n"
    "end\n"
    "for _, meta in ipairs(metas) do\n"
    "  try(meta)\n"
    "  if type(meta.__index) == 'table' then try(meta.__index) end\n"
    "  for i = 1, 9 do\n"
    "    local name, t = debug.getupvalue(type(meta.__index) == 'function' and meta.__index or print, i)\n"
    "    if type(t) == 'table' then try(t) end\n"
    "  end\n"
    "end\n"
    "assert(#metas > 12 and called > 10000, called)\n";

static void test_odd_selves(void **state) {
    (void)state;
    run_in_stock_lua(SELVES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference), cmocka_unit_test(test_odd_selves)};
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
