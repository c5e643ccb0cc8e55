-- property.lua: scenarios over random cases; one that fails is made smaller as long as it fails, and printed as Lua.
--
-- The idea is that of QuickCheck (Claessen and Hughes 2000), with shrinking by generators. A generator is {draw = function()
-- -> value, shrink = function(value) -> list of simpler values}; draws come from math.random, seeded by the property's
-- name, the seed and the number of the case, and decisions by counts alone, so a failure comes again on every machine.
local muslin = require "muslin"
local support = require "muslin.support"
local expectations = require "muslin.expectations"
local show = expectations.show

local property = {}

local CASES, TRIES = 25, 200
local Generator = {}

local function fail(...)
  support.fail("property" .. string.format(...))
end

local function generator(draw, shrink)
  return setmetatable({ draw = draw, shrink = shrink or function() return {} end }, Generator)
end

-- ---- Lua's own writing ----------------------------------------------------------------------------------------------

local function number_text(x)
  if math.type(x) == "integer" then return tostring(x) end
  if x ~= x then return "0/0" elseif x == math.huge then return "1/0" elseif x == -math.huge then return "-1/0" end
  for digits = 6, 17 do
    local text = ("%." .. digits .. "g"):format(x)
    if tonumber(text) == x then return text:find "[.e]" and text or text .. ".0" end
  end
end

--- A value as Lua that gives it again: numbers, strings, booleans, vectors, and tables of these.
function property.literal(value)
  local kind = muslin.type(value)
  if kind == "number" then return number_text(value) end
  if kind == "vec3" then return ("{%s, %s, %s}"):format(number_text(value.x), number_text(value.y), number_text(value.z)) end
  if kind ~= "table" then return kind == "string" and ("%q"):format(value):gsub("\\\n", "\\n") or tostring(value) end
  local items, names = {}, {}
  for k, item in ipairs(value) do items[k] = property.literal(item) end
  for name in pairs(value) do
    if math.type(name) ~= "integer" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do items[#items + 1] = name .. " = " .. property.literal(value[name]) end
  return #items > 0 and "{ " .. table.concat(items, ", ") .. " }" or "{}"
end

-- ---- Generators -----------------------------------------------------------------------------------------------------

local function check_range(what, low, high, whole)
  for _, x in ipairs { low, high } do
    if type(x) ~= "number" or x - x ~= 0 or whole and math.type(x) ~= "integer" then
      fail(".%s: give %s from low to high (got %s)", what, whole and "whole numbers" or "finite numbers", show(x))
    end
  end
  if low == nil or high == nil or low > high then fail(".%s: low must be at most high", what) end
end

-- The simplest of a range: zero, or the end that is nearest to it.
local function simplest(low, high)
  return low > 0 and low or high < 0 and high or math.type(low) == "integer" and 0 or 0.0
end

--- property.integer(low, high): whole numbers; simpler is nearer to zero.
function property.integer(low, high)
  check_range("integer", low, high, true)
  local aim = simplest(low, high)
  return generator(function() return math.random(low, high) end, function(x)
    local simpler = {}
    if x ~= aim then simpler[1] = aim end
    local step = (x - aim) // 2
    while x ~= aim and step ~= 0 and step ~= -1 do
      if x - step ~= aim then simpler[#simpler + 1] = x - step end
      step = step // 2
    end
    if x > aim + 1 then simpler[#simpler + 1] = x - 1 elseif x < aim - 1 then simpler[#simpler + 1] = x + 1 end
    return simpler
  end)
end

--- property.number(low, high): of nine digits; simpler is nearer to zero, or shorter.
function property.number(low, high)
  check_range("number", low, high)
  low, high = low + 0.0, high + 0.0
  local aim = simplest(low, high)
  local function clamped(text) return math.max(low, math.min(high, tonumber(text) + 0.0)) + 0.0 end -- no -0.0
  return generator(function() return clamped(("%.9g"):format(low + (high - low) * math.random())) end, function(x)
    local simpler = {}
    local function add(y)
      if y ~= x and (math.abs(y - aim) < math.abs(x - aim) or #number_text(y) < #number_text(x)) then simpler[#simpler + 1] = y end
    end
    if x == aim then return simpler end
    add(aim)
    add(clamped(("%.0f"):format(x)))
    add(clamped(("%.1g"):format(x)))
    add(clamped(("%.2g"):format(x)))
    if math.abs(x - aim) > 1e-3 * (high - low) then add(clamped(("%.2g"):format(aim + (x - aim) / 2))) end
    return simpler
  end)
end

--- property.choice {a, b, ...}: one of them; those before it are simpler.
function property.choice(values)
  if type(values) ~= "table" or #values == 0 then fail(".choice: give a list of values (got %s)", show(values)) end
  return generator(function() return values[math.random(#values)] end, function(x)
    local simpler = {}
    for _, value in ipairs(values) do
      if value == x then break end
      simpler[#simpler + 1] = value
    end
    return simpler
  end)
end

-- A table of generators by name or place is a generator of tables.
local function as_generator(g, where)
  if getmetatable(g) == Generator then return g end
  if type(g) ~= "table" then return generator(function() return g end) end -- a constant
  local fields, names = {}, {}
  for name, field in pairs(g) do fields[name], names[#names + 1] = as_generator(field, where), name end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return generator(function()
    local value = {}
    for _, name in ipairs(names) do value[name] = fields[name].draw() end
    return value
  end, function(value)
    local simpler = {}
    for _, name in ipairs(names) do
      for _, field in ipairs(fields[name].shrink(value[name])) do
        local copy = {}
        for other, its in pairs(value) do copy[other] = its end
        copy[name] = field
        simpler[#simpler + 1] = copy
      end
    end
    return simpler
  end)
end

--- property.list(generator, least, most): a list of so many; shorter is simpler.
function property.list(item, least, most)
  check_range("list", least, most, true)
  if least < 0 then fail ".list: a list has no fewer than 0 items" end
  item = as_generator(item, "list")
  return generator(function()
    local list = {}
    for k = 1, math.random(least, most) do list[k] = item.draw() end
    return list
  end, function(list)
    local simpler = {}
    local function without(first, last)
      local shorter = {}
      for k, value in ipairs(list) do
        if k < first or k > last then shorter[#shorter + 1] = value end
      end
      if #shorter >= least then simpler[#simpler + 1] = shorter end
    end
    if #list > 2 then
      without(1, #list // 2)
      without(#list // 2 + 1, #list)
    end
    for k = 1, #list do without(k, k) end
    for k, value in ipairs(list) do
      for _, other in ipairs(item.shrink(value)) do
        local copy = table.move(list, 1, #list, 1, {})
        copy[k] = other
        simpler[#simpler + 1] = copy
      end
    end
    return simpler
  end)
end

--- property.vector(low, high): {x, y, z}, each from low to high, or from low[k] to high[k].
function property.vector(low, high)
  local parts = {}
  for k = 1, 3 do
    parts[k] = property.number(type(low) == "table" and low[k] or low, type(high) == "table" and high[k] or high)
  end
  return as_generator(parts)
end

-- ---- Scenes ---------------------------------------------------------------------------------------------------------

--- property.scene {cloths, obstacles, nodes, speed, materials, thickness}: scenes of flat sheets, one above the other, over
--- obstacles and a floor, as plain tables; property.world makes the world.
---   cloths {1, 3} and obstacles {0, 2}: how many; nodes {3, 9} along an edge; speed 2 m/s, of any direction;
---   materials {"cotton"}; thickness {1e-3, 4e-3} m
function property.scene(options)
  options = options or {}
  support.check_keys(options, "property.scene", { "cloths", "obstacles", "nodes", "speed", "materials", "thickness" })
  local function range(name, low, high)
    local given = options[name] or { low, high }
    if type(given) ~= "table" or #given ~= 2 then fail(".scene: field '%s' must be {low, high} (got %s)", name, show(given)) end
    return given[1], given[2]
  end
  local speed = options.speed or 2.0
  return as_generator {
    cloths = property.list({
      nodes = { property.integer(range("nodes", 3, 9)), property.integer(range("nodes", 3, 9)) },
      size = { property.number(0.2, 0.6), property.number(0.2, 0.6) },
      shift = { property.number(-0.1, 0.1), property.number(-0.1, 0.1) },
      turn = property.number(0, 3),
      velocity = property.vector(-speed, speed),
      material = property.choice(options.materials or { "cotton" }),
      thickness = property.number(range("thickness", 1e-3, 4e-3)),
      friction = property.number(0, 1),
    }, range("cloths", 1, 3)),
    obstacles = property.list({
      shape = property.choice { "sphere", "box", "capsule" },
      radius = property.number(0.05, 0.15),
      at = property.vector({ -0.2, 0.15, -0.2 }, { 0.2, 0.3, 0.2 }),
      turn = property.number(0, 3),
      friction = property.number(0, 1),
    }, range("obstacles", 0, 2)),
  }
end

local function turned(angle)
  return { muslin.cos(angle / 2), 0, muslin.sin(angle / 2), 0 }
end

--- property.world(scene [, options of muslin.world]): the world of such a table. Sheets lie 3 cm apart from 0.6 m up.
function property.world(scene, options)
  local world = muslin.world(options or { dt = 1 / 120 })
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  for k, o in ipairs(scene.obstacles or {}) do
    world:obstacle {
      name = "obstacle" .. k, shape = o.shape, at = o.at, rotation = turned(o.turn or 0), friction = o.friction,
      radius = o.shape ~= "box" and o.radius or nil,
      length = o.shape == "capsule" and o.radius or nil,
      size = o.shape == "box" and { 2 * o.radius, o.radius, 1.5 * o.radius } or nil,
    }
  end
  for k, c in ipairs(scene.cloths) do
    local mesh = muslin.mesh.grid { nodes = c.nodes, size = c.size }
    local shift = c.shift or { 0, 0 }
    mesh:transform { rotation = turned(c.turn or 0), position = { shift[1], 0.57 + 0.03 * k, shift[2] } }
    world:cloth {
      name = "cloth" .. k, mesh = mesh, velocity = c.velocity, material = c.material, thickness = c.thickness,
      friction = c.friction,
    }
  end
  return world
end

-- ---- Running --------------------------------------------------------------------------------------------------------

-- The random numbers of a case: those of the same name, seed and number.
local function stream(name, seed, k)
  local h = seed
  for i = 1, #name do h = h * 131 + name:byte(i) end
  return h * 1000003 + k
end

local SKIPPED, CHECKED = "^[^\n]-skipped: ", "^[^\n]-check failed: "

local function run(kit, body, case)
  local ok, message = pcall(kit.play, body, 1, case)
  message = tostring(message)
  if not ok and message:match(SKIPPED) then error(message, 0) end
  return ok, message
end

-- The smallest that still fails in the same way, its message, and how many were tried. After a success it goes on at the
-- same place of the new list, so that what was tried in vain is not tried again at once.
local function shrink(kit, g, body, case, message, tries)
  local checked, tried, found = message:match(CHECKED) ~= nil, 0, true
  while found and tried < tries do
    local list, k = g.shrink(case), 1
    found = false
    while k <= #list and tried < tries do
      tried = tried + 1
      local ok, text = run(kit, body, list[k])
      if not ok and (text:match(CHECKED) ~= nil) == checked then
        case, message, found = list[k], text, true
        list = g.shrink(case)
      else
        k = k + 1
      end
    end
  end
  return case, message, tried
end

--- define(kit, name, generators, [options,] body): options are cases (25), seed, examples (cases that are always tried, first),
--- shrinks (200: tries), time_limit, memory_limit.
function property.define(kit, name, generators, options, body)
  if body == nil then options, body = {}, options end
  if type(name) ~= "string" or name == "" then fail(": the first argument is its name (got %s)", show(name)) end
  if type(generators) ~= "table" then fail(": the second argument is a table of generators (got %s)", show(generators)) end
  options, body = kit.read_definition("property",
    { "cases", "seed", "examples", "shrinks", "time_limit", "memory_limit" }, name, options, body)
  for _, field in ipairs { "cases", "shrinks" } do
    local value = options[field]
    if value ~= nil and (math.type(value) ~= "integer" or value < 0) then
      fail(": field '%s' must be a whole number >= 0 (got %s)", field, show(value))
    end
  end
  if options.examples ~= nil and type(options.examples) ~= "table" then
    fail(": field 'examples' must be a list of cases (got %s)", show(options.examples))
  end
  local g = as_generator(generators)
  kit.add("property", name, options, function()
    local cases, seed, where = options.cases or CASES, options.seed or kit.seed, nil
    local case, message, ok
    for k, example in ipairs(options.examples or {}) do
      ok, message = run(kit, body, example)
      if not ok then
        case, where = example, ("example %d of %d"):format(k, #options.examples)
        break
      end
    end
    for k = 1, case and 0 or cases do
      support.seed(stream(name, seed, k))
      local drawn = g.draw()
      ok, message = run(kit, body, drawn)
      if not ok then
        case, where = drawn, ("case %d of %d, seed %d"):format(k, cases, seed)
        break
      end
    end
    if not case then return end
    local smallest, text, tried = shrink(kit, g, body, case, message, options.shrinks or TRIES)
    run(kit, body, smallest) -- its worlds are those that are kept
    local first, rest = text:match "^([^\n]*)(.*)$"
    error(("%s\nproperty: %s; after %d tries the smallest that fails is, for the property's options:\n  examples = { %s }%s")
      :format(first, where, tried, property.literal(smallest), rest), 0)
  end)
end

return property
