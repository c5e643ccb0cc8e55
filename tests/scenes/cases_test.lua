-- cases_test.lua: small cases out of what the scenes of this folder once failed at.
local muslin = require "muslin"

scenario("cloth thicker than its edges does not push itself apart", function()
  local world = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 12, 12 }, size = { 0.11, 0.11 } }, thickness = 0.025 }
  local start = sheet.x:copy()
  for _ = 1, 60 do world:step() end
  expect(sheet.x):near(start, 1e-9)
end)

scenario("and keeps its thickness from another one", function()
  local world = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
  for k = 0, 1 do
    world:cloth {
      mesh = muslin.mesh.grid { nodes = { 8, 8 }, size = { 0.07, 0.07 }, center = { 0, 0.012 * k, 0 } }, thickness = 0.02,
    }
  end
  world:advance(0.5)
  expect(world.cloths[2]:centroid().y - world.cloths[1]:centroid().y):at_least(0.019)
  expect(world):stretched_at_most(0.05)
end)
