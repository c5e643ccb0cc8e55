-- hanging_test.lua: pins, and cloth that hangs from them.
local muslin = require "muslin"

before(function()
  local world = muslin.world { dt = 1 / 120 }
  local function sheet(options)
    options = options or {}
    return world:cloth {
      name = options.name or "sheet", material = options.material,
      mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.4, 0.4 }, plane = options.plane or "xz", center = { 0, 1, 0 } },
    }
  end
  return world, sheet
end)

local MATERIALS = { "cotton", "silk", "11oz-black-denim" }
scenario.each(MATERIALS) ("{} that hangs by its corners comes to rest unstretched", function(material, world, sheet)
  local cloth = sheet { material = material }
  cloth:pin { corners = true }
  world:advance(2.5)
  expect(cloth):stretched_at_most(0.07):at_rest(0.2):finite()
  expect(cloth:centroid().y):between(0.8, 0.999)
  expect(world):penetration_free()
end)

scenario("pinned vertices stay where they are to the bit", function(world, sheet)
  local cloth = sheet { plane = "xy" }
  local pins = { 1, 8, 57 }
  local places = {}
  cloth:pin { vertices = pins }
  for k, i in ipairs(pins) do places[k] = cloth.x[i] end
  world:advance(0.5)
  for k, i in ipairs(pins) do expect(cloth.x[i]):equals(places[k]) end
  expect(cloth:pinned()):equals(pins)
end)

scenario("a sheet that hangs by two equal corners hangs evenly", function(world, sheet)
  local cloth = sheet { plane = "xy" }
  cloth:pin { where = function(_, y) return y > 1.19 end }
  world:advance(1)
  expect(cloth:centroid().x):near(0, 1e-6)
  expect(cloth:centroid().z):near(0, 1e-6)
end)

scenario("pins follow their path", function(world, sheet)
  local cloth = sheet()
  local x, y, z = cloth.x:get(1)
  cloth:pin { vertices = { 1 }, path = function(t) return { x, y + 0.3 * t, z } end }
  world:advance(0.5)
  expect(cloth.x[1]):near({ x, y + 0.15, z }, 1e-9)
  expect(cloth):stretched_at_most(0.12)
end)

scenario("a sheet that is unpinned falls freely from then on", function(world, sheet)
  world.gravity = { 0, -2, 0 }
  local cloth = sheet { plane = "xy" }
  cloth:pin { corners = true }
  world:advance(0.5)
  cloth:unpin()
  local height, time = cloth:centroid().y, world.time
  world:advance(0.25)
  expect(height - cloth:centroid().y):near((world.time - time) ^ 2, 0.01)
  expect(cloth:pinned()):equals {}
end)

scenario("cloth pinned to an obstacle goes with it", function(world, sheet)
  local bar = world:obstacle { name = "bar", shape = "capsule", radius = 0.02, length = 0.4, at = { 0, 1.5, 0 } }
  local cloth = sheet { plane = "xy" }
  cloth:pin { where = function(_, y) return y > 1.19 end, to = bar }
  local start = cloth.x[64]
  bar:move(function(t) return { 0.2 * t, 1.5, 0 } end)
  world:advance(0.5)
  expect(cloth.x[64]):near(start + { 0.1, 0, 0 }, 1e-9)
  expect(world):penetration_free()
end)

scenario("twice the weight hangs lower", function(world, sheet)
  local light = sheet { name = "light" }
  local mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.4, 0.4 }, center = { 2, 1, 0 } }
  local heavy = world:cloth { name = "heavy", mesh = mesh, material = { preset = "cotton", density = 0.6 } }
  light:pin { corners = true }
  heavy:pin { corners = true }
  world:advance(1.5)
  expect(heavy:centroid().y):less_than(light:centroid().y)
end)

scenario("a draped corner is where it was when this was written", function(world, sheet)
  local cloth = sheet()
  cloth:pin { vertices = { 1 } }
  world:advance(0.15)
  expect(world):golden("corner", { tolerance = 2e-4 })
end)
