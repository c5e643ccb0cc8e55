-- 08_hooks.lua: hooks, a response rule, and a moving obstacle.
-- muslin view examples/08_hooks.lua      (m, kg, s; y is up; in the window, key g reverses gravity)
--
-- A sheet lies across a rotating drum. The response rule is inelastic along the normal, with a friction limit of four
-- times that of Coulomb friction, so that the drum carries the sheet with it.
local muslin = require "muslin"

local RADIUS, LENGTH, SPEED = 0.2, 0.6, 1.5 -- m, m, rad/s

local world = muslin.world { duration = 2.5 }
local sheet = world:cloth {
  name = "sheet",
  mesh = muslin.mesh.grid { nodes = {36, 24}, size = {0.9, 0.5}, center = {0, 0.85, 0} },
}
local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }

-- A capsule whose axis y is rotated to z; it rotates about that axis from t = 1 s on.
local drum = world:obstacle {
  name = "drum",
  mesh = muslin.mesh.capsule { radius = RADIUS, length = LENGTH, segments = 32, rings = 6 },
  at = {0, 0.6, 0},
  rotation = {math.sqrt(0.5), math.sqrt(0.5), 0, 0},
  friction = 0.4,
}
drum:move(function(t)
  local half = -0.5 * SPEED * muslin.max(0, t - 1)
  local c, s = muslin.cos(half) * math.sqrt(0.5), muslin.sin(half) * math.sqrt(0.5)
  return {0, 0.6, 0}, {c, c, s, s} -- (about z) after (y to z)
end)

world:camera { from = {1.05, 1.24, 1.7}, to = {0.1, 0.42, 0.14} }

-- ---- The rule -------------------------------------------------------------------------------------------------------

local rule_calls = 0
local sticky = muslin.rule({trace = false}, function(c) -- called for each contact, so that it can count them
  rule_calls = rule_calls + 1
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local jn = muslin.max(-vn, 0) * c.mass
  return jn * c.normal - muslin.min(4 * c.friction * jn, vt:length() * c.mass) * vt:normalized()
end)
world:respond { name = "sticky", rule = sticky, between = {sheet, drum} }

-- ---- Hooks ----------------------------------------------------------------------------------------------------------

local most, deepest = 0, 0
world:on("contacts", function()
  local contacts = world:contacts()
  most = muslin.max(most, #contacts)
  if #contacts > 0 then deepest = muslin.max(deepest, contacts:array("depth"):max()) end
end)

-- The effects of these hooks are undone if the step fails.
world:on("after_step", function(_, t)
  world:log("rule calls", rule_calls)
  rule_calls = 0
  if t < 1 then world:log("x before", sheet:centroid().x) end
end)

world:on("key", function(name)
  if name ~= "g" then return false end
  world.gravity = -world.gravity
  return true
end)

world:on("draw", function(canvas)
  for _, c in ipairs(world:contacts()) do
    canvas:point(c.points[1], { color = {1, 0.3, 0.2}, size = 3 })
  end
  canvas:text({10, 200, 0}, ("contacts %d"):format(#world:contacts()), { screen = true })
end)

world:on("done", function()
  local before = world:logged "x before"
  expect(world):penetration_free()
  expect(sheet):above(floor)
  expect(sheet):stretched_at_most(0.1)
  expect(most, "contacts"):more_than(20)
  expect(world:logged("rule calls"):sum(), "calls of the rule"):more_than(1000)
  expect(math.abs(sheet:centroid().x - before[#before]), "the drum carries the sheet"):more_than(0.1)
  print(("at most %d contacts, %.2g mm deep before the response"):format(most, 1000 * deepest))
end)

return world
