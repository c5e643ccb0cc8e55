-- Step 4: scenarios for tray, sheet and rule.
--   muslin test examples/tutorial/4_tray_test.lua
local muslin = require "muslin"
local sticky = require "sticky"

local ACCELERATION, G = 2, 9.81 -- m/s^2

-- A small copy of the scene for every scenario: a patch on a tray that accelerates from the start.
before(function()
  local world = muslin.world { dt = 1/240, air_density = 0 }
  local tray = world:obstacle { name = "tray", shape = "box", size = {2, 0.1, 0.4} }
  tray:move(function(t) return {ACCELERATION * t * t / 2, 0, 0} end)
  local function patch(friction)
    local mesh = muslin.mesh.grid { nodes = {6, 6}, size = {0.2, 0.2}, center = {0, 0.0506, 0} }
    return world:cloth { name = "patch", mesh = mesh, friction = friction }
  end
  return world, tray, patch
end)

-- The friction of the pair is the geometric mean of its sides; the tray has 0.3.
local function pair(friction) return muslin.sqrt(0.3 * friction) end

scenario.each { 0, 0.03, 0.08, 1 } ("at friction {} the patch stays behind as a block does", function(friction, world, tray, patch)
  local sheet, t = patch(friction), 0.4
  world:advance(t)
  local wanted = muslin.max(ACCELERATION - pair(friction) * G, 0) * t * t / 2
  expect(tray.position.x - sheet:centroid().x):near(wanted, 2e-3)
  expect(world):penetration_free()
end)

scenario("the sticky rule takes along what would slide", function(world, tray, patch)
  local sheet = patch(0.08)
  world:respond { rule = sticky }
  world:advance(0.4)
  expect(tray.position.x - sheet:centroid().x):at_most(5e-3)
end)

-- Four random scenes; --seed N for others.
property("the sticky rule causes no penetration", property.scene { cloths = {1, 2}, nodes = {3, 6} }, { cases = 4 },
  function(scene)
    local world = property.world(scene)
    world:respond { rule = sticky }
    world:advance(0.3)
    expect(world):penetration_free():finite()
  end)
