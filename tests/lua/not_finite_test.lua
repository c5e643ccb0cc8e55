-- not_finite_test.lua: a user's function that returns what is not finite is reported with its own line, the value and the
-- remedy, and the step that failed leaves the state unchanged.
local muslin = require "muslin"
local once = require "once"

scenario.together()

-- "tests/lua/not_finite_test.lua:12: " of the line after the call.
local function next_line()
  local _, message = pcall(error, "", 3)
  local file, line = message:match "^(.*):(%d+):"
  return ("%s:%d: "):format(file, line + 1)
end

-- A sheet falls on a ball and a floor.
local function falling(pipeline, tolerance)
  local world = muslin.world { dt = 1 / 240, pipeline = pipeline or "robust", tolerance = tolerance }
  local sheet = world:cloth { name = "sheet", velocity = { 0, -1, 0 },
    mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.3, 0.3 }, center = { 0, 0.105, 0 } } }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1 }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, at = { 0, -0.1, 0 } }
  return world, sheet, ball
end

-- Steps until one fails; the message after its place, which is `place`.
local function failing(world, place)
  for _ = 1, 60 do
    local before, time = world:hash(), world.time
    local ok, message = pcall(world.step, world)
    if not ok then
      expect(world:hash()):equals(before)
      expect(world.time):equals(time)
      assert(message:sub(1, #place) == place, message)
      assert(not message:find "nan" and not message:find "inf%f[%W]", message)
      return message:sub(#place + 1):match "^[^\n]*"
    end
  end
  error "no step has failed"
end

local function reports(message, ...)
  for _, part in ipairs { ... } do assert(message:find(part, 1, true), message) end
end

local nothing = "not a number"

scenario.each {
  { name = "traced", options = {} }, { name = "plain", options = { trace = false } }, { name = "checked", options = { check = true } },
} ("a response rule, {name}", function(p)
  for side = 1, 2 do
    for _, pipeline in ipairs { "robust", "provot" } do
      local place = next_line()
      local function f(c)
        local none = c.time - c.time
        if side == 1 then return { none / none, 0, 0 } end
        return 0 * c.normal, { 0, 1 / (none + 0), 0 }
      end
      local world <close> = falling(pipeline)
      world:respond { rule = muslin.rule(p.options, f) }
      reports(failing(world, place), ("rule: the impulse on side %d must be finite"):format(side),
        side == 1 and nothing or "infinite", "keep divisors and roots off 0", " of cloth 'sheet'", "obstacle 'ball'", ", t = ")
    end
  end
  if p.name == "checked" then return end
  local place = next_line()
  local function each(c)
    local none = c.time - c.time
    return { 0, none / none, 0 }
  end
  local world <close> = falling()
  world:respond { rule = muslin.rule({ per = "node", trace = p.name == "traced" }, each) }
  reports(failing(world, place), "rule: ", "node's new velocity must be finite", nothing, " of cloth 'sheet'", "obstacle 'ball'")
end)

scenario("a second side that is no number at all is no side left out", function()
  local place = next_line()
  local function f(c)
    local none = c.time - c.time
    return 0 * c.normal, (none / none) * c.normal
  end
  local world <close> = falling()
  world:respond { rule = f }
  reports(failing(world, place), "the impulse on side 2 must be finite (got {not a number, not a number, not a number} N s")
end)

scenario("a motion", function()
  local place = next_line()
  local function at(t) return { 0, t < 0.01 and 0 or 1 / 0, 0 } end
  local turn_place = next_line()
  local function turn(t) return { 0, 0, 0 }, { t < 0.01 and 1 or 0 / 0, 0, 0, 0 } end
  local traced_place = next_line()
  local traced = muslin.motion(function(t) return { 0, 0 * muslin.sqrt(0.01 - t), 0 } end)
  local traced_turn_place = next_line()
  local traced_turn = muslin.motion(function(t)
    return { 0, 0, 0 }, { muslin.select(muslin.lt(t, 0.01), 1, muslin.sqrt(0.01 - t)), 0, 0, 0 }
  end)
  for _, case in ipairs {
    { at, place, "obstacle 'ball': the motion at t = ", "must return finite numbers (got infinite at 2)" },
    { turn, turn_place, "obstacle 'ball': the second result of the motion at t = ", "of finite numbers (got not a number at 1)" },
    { traced, traced_place, "obstacle 'ball': the motion's place at t = ", "must be finite, m (got {0, not a number, 0})" },
    { traced_turn, traced_turn_place, "obstacle 'ball': the rotation of the motion at t = ", "(its length is not a number)" },
  } do
    local world <close>, _, ball = falling()
    ball:move(case[1])
    reports(failing(world, case[2]), case[3], case[4])
  end
end)

scenario("the path of a pin", function()
  local place = next_line()
  local function f(t) return { -0.15, t < 0.01 and 0.105 or 0 / 0, -0.15 } end
  local world <close>, sheet = falling()
  sheet:pin { vertices = { 1 }, path = f }
  reports(failing(world, place), "cloth 'sheet': the path of vertex 1 at t = ", "(got not a number at 2)")
end)

scenario("a tolerance", function()
  local place = next_line()
  local function none(p) return muslin.sqrt(p.x * 0 - 1) end
  local infinite_place = next_line()
  local function infinite(p) return 1 / (p.x * p.x * 0) end
  for _, case in ipairs { { none, place, nothing }, { infinite, infinite_place, "infinite" } } do
    local world <close> = falling(once "jung", case[1])
    reports(failing(world, case[2]), "world: field 'tolerance' must give more than 0 m, and a finite number (got " .. case[3],
      "bound it, as with muslin.max(value, 1e-4)")
  end
end)

scenario("a contact energy", function()
  local place = next_line()
  local function f(c) return muslin.sqrt(c.gap * 0 - 1) end
  local world <close> = falling "offset"
  world:respond { rule = muslin.potential(f) }
  reports(failing(world, place), "potential: its energy, normal force and curvature must be finite (got not a number J")
end)

scenario("forces on nodes and wind", function()
  local place = next_line()
  local node = muslin.node_force(function(n) return { muslin.sqrt(n.mass * 0 - 1), 0, 0 } end)
  local air_place = next_line()
  local air = muslin.wind(function(p) return { muslin.sqrt(p.x * 0 - 1), 0, 0 } end)
  local plain_place = next_line()
  local plain = muslin.node_force({ trace = false }, function(n) return { n.mass, n.time - 1 / 0, 0 } end)
  for _, case in ipairs {
    { node, place, "node force: the force on vertex 1 of cloth 'sheet' must be finite (got {not a number, 0, 0} N, t = 0 s)" },
    { air, air_place, "wind: on face 1 of cloth 'sheet' it must be finite (got {not a number, 0, 0} m/s, t = 0 s)" },
    { plain, plain_place, "the force on vertex 1 of cloth 'sheet' must be finite (got -infinite at 2, t = 0.0 s)" },
  } do
    local world <close> = falling()
    world:force(case[1])
    reports(failing(world, case[2]), case[3], "keep divisors and roots off 0")
  end
end)

scenario("friction and restitution", function()
  local place = next_line()
  local function f(c) return 0 * muslin.sqrt(c.time - 1) end
  for _, options in ipairs { {}, { trace = false }, { check = true } } do
    local world <close> = falling()
    world:between({ "sheet", "ball" }, { friction = muslin.coefficient(options, f) })
    reports(failing(world, place), "friction: the function for 'sheet' and 'ball' must give a number >= 0 and finite (got " .. nothing)
    local bouncing <close> = falling()
    bouncing:between({ "sheet" }, { restitution = muslin.coefficient(options, f) })
    reports(failing(bouncing, place), "restitution: the function for 'sheet' and anything must give a number from 0 to 1 (got " .. nothing)
  end
end)

scenario("a law of springs", function()
  local place = next_line()
  local function f(s) return muslin.sqrt(s.strain * 0 - 1) end
  local world <close>, sheet = falling()
  sheet:spring_law(f)
  reports(failing(world, place), "spring law: the function must give a finite tension with finite derivatives (got " .. nothing,
    "of cloth 'sheet'")
end)

scenario("numbers of options", function()
  local world <close> = falling()
  local place = next_line()
  local _, message = pcall(function() world:obstacle { shape = "box", size = { 1, 1, 1 }, at = { 0 / 0, 5, 0 } } end)
  reports(message, place .. "obstacle: field 'at' must be finite (got not a number at 1)")
  local _, turned = pcall(function() world:obstacle { shape = "box", size = { 1, 1, 1 }, rotation = { 1, 0, -1 / 0, 0 } } end)
  reports(turned, "field 'rotation' must be a quaternion {w, x, y, z} of finite numbers (got -infinite at 3)")
end)
