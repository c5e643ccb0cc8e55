-- api.lua: calls functions of the module with hostile arguments, as the bytes of an input say; run by fuzz_reentry.c and
-- fuzz_values.c. Nothing is expected but that every call returns or raises, and that the world it leaves is whole.
-- reentry: metamethods, callbacks and finalizers change the world, or raise, in the midst of calls.
-- values: numbers, strings and tables at the ends of their ranges.
local mode, byte, registry = ...
local muslin = require "muslin"

local function pick(list)
  local n = #list
  if n <= 256 then return list[byte() % n + 1] end
  return list[(byte() * 256 + byte()) % n + 1]
end

-- The world that all calls are about -----------------------------------------------------------------------------------

local function fixture()
  local f = {}
  local world = muslin.world { dt = 1 / 60, threads = 1, pipeline = pick { "robust", "robust", "sequential", "offset", "bridson", "provot",
    "jung", "aabb", "bigliani", "vbd" } }
  f.world, f.grid = world, muslin.mesh.grid { nodes = { 3, 3 }, size = { 0.3, 0.3 }, center = { 0, 0.3, 0 } }
  f.cloth = world:cloth { name = "sheet", mesh = f.grid }
  f.other = world:cloth { name = "other", mesh = muslin.mesh.grid { nodes = { 3, 3 }, size = { 0.3, 0.3 }, center = { 0, 0.5, 0 } } }
  f.obstacle = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = { 0, 0.1, 0 } }
  f.body = world:obstacle { name = "body", shape = "box", size = { 0.1, 0.1, 0.1 }, at = { 0.5, 0.5, 0 }, motion = "dynamic", mass = 1 }
  f.box = muslin.mesh.box { size = { 0.1, 0.1, 0.1 } }
  f.faceted = world:obstacle { name = "faceted", mesh = f.box, at = { -0.5, 0.1, 0 } }
  f.floor = world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, at = { 0, -0.2, 0 } }
  f.seam = world:stitch { a = { f.cloth, { 1 } }, b = { f.other, { 1 } } }
  f.rule = muslin.rule(function(c) return muslin.param("gain", 1) * c.mass * c.normal end)
  f.response = muslin.response { rule = f.rule, between = { "sheet", "ball" } }
  world:respond(f.response)
  f.param = muslin.param("fuzzed", 0.5)
  f.material, f.vec3 = muslin.material("cotton"), muslin.vec3(1, 2, 3)
  f.array = muslin.array { { 1, 2, 3 }, { 4, 5, 6 } }
  f.contacts, f.stream = world:contacts(), muslin.random("fuzz")
  f.mesh = f.grid
  return f
end

-- What there is to call ------------------------------------------------------------------------------------------------

local targets = {} -- { name =, kind = "method" | "function" | "field" | "write", object =, f = }

-- `f` stands in registry or module tables; the object it is called on is looked up in each fixture.
local function collect_functions(prefix, t, depth)
  for name, value in pairs(t) do
    if type(name) == "string" and type(value) == "function" then
      targets[#targets + 1] = { name = prefix .. "." .. name, kind = "function", f = value }
    elseif type(name) == "string" and type(value) == "table" and depth < 2 then
      collect_functions(prefix .. "." .. name, value, depth + 1)
    end
  end
end

local function collect_methods(object, t)
  for name, value in pairs(t) do
    if type(name) == "string" and type(value) == "function" then
      targets[#targets + 1] = { name = object .. ":" .. name, kind = "method", object = object, f = value }
    end
  end
end

local function methods_of(meta)
  if type(meta.__index) == "table" then return meta.__index end
  for i = 1, 9 do
    local name, t = debug.getupvalue(meta.__index, i)
    if not name then return {} end
    if type(t) == "table" and next(t) and type(select(2, next(t))) == "function" then return t end
  end
  return {}
end

local function collect()
  -- What waits for input, ends the process or runs other scenes is for the command line.
  local left = { expect = true, scenario = true, property = true, before = true, skip = true, arguments = true }
  for name, value in pairs(muslin) do
    if not left[name] then
      if type(value) == "function" then
        targets[#targets + 1] = { name = "muslin." .. name, kind = "function", f = value }
      elseif type(value) == "table" then
        collect_functions("muslin." .. name, value, 0)
        local meta = getmetatable(value)
        if type(meta) == "table" and meta.__call then
          targets[#targets + 1] = { name = "muslin." .. name, kind = "function", f = function(...) return value(...) end }
        end
      end
    end
  end
  for key, meta in pairs(registry) do
    if type(key) == "string" and key:find "^muslin%." and type(meta) == "table" and meta.__index then
      collect_methods(key:sub(8), methods_of(meta))
      for event, f in pairs(meta) do
        if type(f) == "function" and event ~= "__gc" then
          targets[#targets + 1] = { name = key:sub(8) .. ":" .. event, kind = "method", object = key:sub(8), f = f }
        end
      end
    end
  end
  for _, object in ipairs { "vec3", "array" } do
    local meta = debug.getmetatable(object == "vec3" and muslin.vec3() or muslin.array(1))
    collect_methods(object, methods_of(meta))
    for event, f in pairs(meta) do
      if type(f) == "function" and event ~= "__gc" then
        targets[#targets + 1] = { name = object .. ":" .. event, kind = "method", object = object, f = f }
      end
    end
  end
  table.sort(targets, function(a, b) return a.name < b.name end)
end

-- The names of the options of a function, which its error about an unknown one lists.
local keys_of = {}
local function options_of(target, f, object)
  local known = keys_of[target.name]
  if known then return known end
  known = {}
  local places = object and { { object }, { object, "sheet" }, { object, { "sheet", "ball" } } } or { {} }
  for _, arguments in ipairs(places) do
    local n = #arguments
    arguments[n + 1] = { ["#"] = 1 }
    local _, message = pcall(f, table.unpack(arguments, 1, n + 1))
    local list = type(message) == "string" and message:match "%(known: (.-)%)"
    if list then
      for key in list:gmatch "[%w_]+" do known[#known + 1] = key end
      known.place = n + 1
      break
    end
  end
  keys_of[target.name] = known
  return known
end

-- Sound values ---------------------------------------------------------------------------------------------------------

local function plausible_function(f)
  local results = { function() return 0.1 end, function() return { 0, 0.1, 0 } end, function() return true end,
    function() return f.vec3 end, function() end, function(_, y) return (tonumber(y) or 0) > 0 end }
  return pick(results)
end

-- What an option of that name takes.
local values = {
  mesh = function(f) return f.grid end,
  rest = function(f) return f.grid end,
  material = function() return "cotton" end,
  name = function() return pick { "a", "sheet", "ball" } end,
  shape = function() return pick { "sphere", "box", "capsule", "cylinder", "plane" } end,
  radius = function() return 0.1 end,
  inner_radius = function() return 0.05 end,
  length = function() return 0.2 end,
  height = function() return 0.2 end,
  size = function() return pick { { 0.1, 0.1, 0.1 }, { 0.2, 0.2 }, 0.1 } end,
  nodes = function() return pick { { 3, 3 }, { 2, 5 }, 4 } end,
  segments = function() return 8 end,
  rings = function() return 3 end,
  subdivisions = function() return pick { 1, { 1, 1, 1 } } end,
  edge_length = function() return 0.1 end,
  normal = function() return { 0, 1, 0 } end,
  at = function() return { 0, 2, 0 } end,
  center = function() return { 0, 1, 0 } end,
  position = function() return { 0, 1, 0 } end,
  rotation = function() return pick { { 1, 0, 0, 0 }, { axis = { 0, 1, 0 }, angle = 1 } } end,
  motion = function() return "dynamic" end,
  mass = function() return 1 end,
  vertices = function() return pick { { 1, 2 }, { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, 1 } end,
  faces = function() return { { 1, 2, 3 } } end,
  points = function() return { { 0, 0 }, { 1, 0 }, { 0, 1 } } end,
  uv = function() return { { 0, 0 }, { 1, 0 }, { 0, 1 } } end,
  corners = function() return true end,
  edge = function() return "top" end,
  where = plausible_function,
  path = function(f) return function() return f.cloth.x[1] end end,
  to = function(f) return f.obstacle end,
  stiffness = function() return 10 end,
  rule = function(f) return pick { f.rule, "provot", plausible_function(f) } end,
  rules = function(f) return { f.rule } end,
  between = function() return { "sheet", "ball" } end,
  friction = function(f) return pick { 0.1, 0.1, plausible_function(f) } end,
  overlap = function() return pick { "refuse", "untangle", "allow" } end,
  pipeline = function() return pick { "robust", "sequential", "offset", { preset = "provot", narrow = "certified_ccd" } } end,
  frames = function(f) return { f.box, f.box } end,
  a = function(f) return { f.cloth, { 2 } } end,
  b = function(f) return { f.other, { 2 } } end,
  cloth = function(f) return f.cloth end,
  stitches = function() return { { 1, 2, 3, 0.5 } } end,
  threads = function() return 1 end,
  duration = function() return 0.1 end,
  color = function() return { 1, 0, 0 } end,
  cache = function() return "cache.pc2" end,
}

local function plausible_option(f, key)
  if values[key] then return values[key](f) end
  return pick { 0.1, 1, true, "robust", { 0, 0, 0 } }
end

local function plausible(f)
  return pick { 1, 2, 0.1, "sheet", "ball", f.cloth, f.obstacle, f.body, f.mesh, f.array, f.vec3, f.rule, f.response, f.param,
    f.seam, f.world, { 1, 2 }, { 0, 0.1, 0 }, { "sheet", "ball" }, { { 0, 0, 0 }, { 1, 1, 1 } }, true, "after_step", "frame",
    f.material, f.contacts, { f.cloth, { 1 } }, plausible_function(f), "out.obj", "state.muslin" }
end

-- Hostile values: reentry ----------------------------------------------------------------------------------------------

local depth = 0
local random_call

local function actions(f)
  return {
    function() f.world:close() end,
    function() f.world:remove(pick { f.cloth, f.obstacle, f.body, f.seam, f.response, f.faceted }) end,
    function() f.world:cloth { mesh = f.grid } end,
    function() f.world:obstacle { shape = "sphere", radius = 0.1, at = { 0, 3, 0 } } end,
    function() f.world:step() end,
    function() f.world:run_frame() end,
    function() f.cloth:pin { corners = true } end,
    function() f.cloth:unpin() end,
    function() f.obstacle:move(nil) end,
    function() f.world:restore("state.muslin") end,
    function() collectgarbage() end,
    function() error("raised by the script", 0) end,
    function() error({}) end,
    function() f.cloth.x[1] = { 0, 0.3, 0 } end,
    function() random_call(f) end,
    function() coroutine.wrap(function() f.world:close() end)() end,
    function() f.world:on("after_step", function() f.world:close() end) end,
    function() local _ <close> = setmetatable({}, { __close = function() f.world:close() end }) error "closing" end,
  }
end

-- Does an action at the n-th call, and gives what was to be given.
local function planted(f, inner)
  local action, after = pick(actions(f)), byte() % 4
  return function(...)
    after = after - 1
    if after < 0 and depth < 3 then
      depth = depth + 1
      local ok, message = pcall(action)
      depth = depth - 1
      if not ok and byte() % 2 == 0 then error(message, 0) end
    end
    if inner then return inner(...) end
    return pick { 0, 0.1, true }
  end
end

local events = { "__index", "__len", "__pairs", "__call", "__tostring", "__eq", "__lt", "__le", "__concat", "__unm", "__add", "__mul",
  "__close", "__newindex", "__idiv", "__name" }

local function planted_table(f, inner)
  local meta, copy = {}, {}
  for _, event in ipairs(events) do
    if byte() % 3 > 0 then meta[event] = planted(f, event == "__index" and inner and function(_, k) return inner[k] end or nil) end
  end
  if byte() % 4 == 0 then meta.__name = "qq" .. byte() end
  if byte() % 2 == 0 then for k, v in pairs(inner or {}) do copy[k] = v end end
  return setmetatable(copy, meta)
end

local function hostile_call(f, value)
  if type(value) == "table" and byte() % 2 == 0 then return planted_table(f, value) end
  if type(value) == "table" then -- one of its items
    local keys, copy = {}, {}
    for k, v in pairs(value) do keys[#keys + 1], copy[k] = k, v end
    if #keys > 0 then
      table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
      local k = pick(keys)
      copy[k] = byte() % 2 == 0 and planted_table(f, type(copy[k]) == "table" and copy[k] or nil) or planted(f)
    end
    return copy
  end
  if type(value) == "function" then return planted(f, value) end
  return byte() % 2 == 0 and planted_table(f) or planted(f)
end

local function arm_finalizers(f)
  for _ = 1, byte() % 4 do setmetatable({}, { __gc = planted(f) }) end
  if byte() % 2 == 0 then
    collectgarbage("incremental", 1, 1000, 1) -- a cycle every few allocations: at each read, sooner or later
  else
    collectgarbage("generational", 1, 1)
  end
end

-- Hostile values: ends of ranges ---------------------------------------------------------------------------------------

local long, many = ("x"):rep(70000), {}
for k = 1, 5000 do many[k] = k end
local nested = {}
for _ = 1, 300 do nested = { nested } end

local function extremes(f)
  return { 0 / 0, 1 / 0, -1 / 0, 0.0, -0.0, 5e-324, -2.2e-308, 1e-300, 1e-160, 1e-31, 1e-16, 2 ^ 31, -2 ^ 31, 2 ^ 31 - 1,
    2147483647, 2147483648, -2147483649, 4294967296, 2 ^ 53, 2 ^ 63, -2 ^ 63, math.maxinteger, math.mininteger, 1e9, 1e12, 1e15, 1e18, 1e30,
    1.1e30, 1e105, 1e154, -1e300, 1.7e308, -1, 0, 0.5, -0.5, 1.5, 65536, 100000, "", "\0", "a\0b", "\xff\xfe", "%s%n", long, "1", "nan",
    {}, many, nested,
    { 0 / 0, 0 / 0, 0 / 0 }, { 1e300, 1e300, 1e300 }, { 1e30, 1e30, 1e30 }, { 1, 2 }, { "a" }, { {} }, { [1.5] = 1 }, { [-1] = 1 },
    { x = 0 / 0, y = 1, z = 2 }, true, false, print, coroutine.create(print), io.stdout, f.vec3, muslin.vec3(1 / 0, 0, 0), f.array,
    muslin.array(0), muslin.array { 0 / 0, 1 }, f.world, f.cloth, f.mesh, f.material, f.param, f.contacts, f.seam, f.response, f.rule }
end

local function hostile_value(f, value)
  if type(value) == "table" and byte() % 2 == 0 then
    local keys, copy = {}, {}
    for k, v in pairs(value) do keys[#keys + 1], copy[k] = k, v end
    if #keys > 0 then
      table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
      copy[pick(keys)] = pick(extremes(f))
    end
    return copy
  end
  if type(value) == "function" and byte() % 2 == 0 then
    local given = pick(extremes(f))
    return byte() % 2 == 0 and function() return given end or function() return { given, 0, 0 } end
  end
  return pick(extremes(f))
end

-- Calls ----------------------------------------------------------------------------------------------------------------

local hostile = mode == "values" and hostile_value or hostile_call

local function object_of(f, kind)
  if kind == "cloth" then return pick { f.cloth, f.other } end
  if kind == "obstacle" then return pick { f.obstacle, f.body, f.faceted, f.floor } end
  if kind == "mesh" then return pick { f.mesh, f.box } end
  if kind == "array" then return pick { f.array, f.cloth.x, f.cloth.m, f.mesh.x } end
  return f[kind]
end

function random_call(f)
  local target = pick(targets)
  local object = target.object and object_of(f, target.object)
  local arguments, n = {}, 0
  if target.object then arguments[1], n = object, 1 end
  local known = options_of(target, target.f, object)
  for _ = 1, byte() % 4 do n = n + 1 arguments[n] = plausible(f) end
  if #known > 0 then
    local options = {}
    for _ = 1, 1 + byte() % 8 do
      local key = pick(known)
      options[key] = plausible_option(f, key)
    end
    if byte() % 4 > 0 then
      local key = pick(known)
      options[key] = hostile(f, options[key] or plausible_option(f, key))
    elseif mode == "reentry" then
      options = planted_table(f, options)
    end
    arguments[known.place] = options
    if n < known.place then n = known.place end
  end
  local at = byte() % 6 + 1
  if at <= n and (at > 1 or byte() % 8 == 0) and at ~= known.place then arguments[at] = hostile(f, arguments[at]) end
  if mode == "reentry" then arm_finalizers(f) end
  local ok, result = pcall(target.f, table.unpack(arguments, 1, n))
  if ok and target.name:find "^muslin%.mesh%." and type(result) == "userdata" and pcall(result.check, result) then
    pcall(f.world.cloth, f.world, { mesh = result })
    pcall(f.world.obstacle, f.world, { mesh = result })
  end
end

local fields = { "x", "v", "f", "m", "normal", "inverse_mass", "name", "world", "material", "thickness", "position", "rotation", "velocity",
  "angular_velocity", "time", "frame", "gravity", "wind", "tolerance", "pipeline", "cloths", "obstacles", "seams", "count", "gap", "a", "b",
  "impulse", "point1", "friction", "mass", "center", "y", 1, 2, "w" }

-- A field is read, or written with a hostile value.
local function random_access(f)
  local object, field = pick { f.world, f.cloth, f.obstacle, f.body, f.seam, f.response, f.mesh, f.material, f.contacts, f.array,
    f.cloth.x, f.cloth.v, f.param }, pick(fields)
  if mode == "reentry" then arm_finalizers(f) end
  if byte() % 2 == 0 then
    pcall(function() return object[field] end)
  else
    local value = hostile(f, pick { 1, { 0, 0.1, 0 }, plausible_function(f) })
    pcall(function() object[field] = value end)
  end
end

collect()
assert(#targets > 150, "the collecting itself is broken")
local f = fixture()
pcall(f.world.save, f.world, "state.muslin")
for _ = 1, 6 do
  if byte() % 5 > 0 then random_call(f) else pcall(random_access, f) end
  if byte() % 3 == 0 and not f.world.closed then pcall(f.world.step, f.world) end
end
collectgarbage("incremental", 200, 100)
if not f.world.closed then -- whatever was done, the world goes on or reports an error
  for _ = 1, 2 do
    local ok, message = pcall(f.world.step, f.world)
    assert(ok or (type(message) == "string" and #message > 0) or mode == "reentry", "a failure without a word")
  end
  pcall(f.world.audit, f.world)
  local hash = f.world:hash()
  assert(#hash == 16)
  pcall(f.world.close, f.world)
end
