-- cases_test.lua: small cases out of what the scenes of this folder once failed at.
local muslin = require "muslin"

scenario("cloth thicker than its edges does not expand", function()
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

scenario("what is too near is moved apart, not thrown apart", function()
  local world = muslin.world { air_density = 0 }
  local low = world:cloth {
    mesh = muslin.mesh.grid { nodes = { 12, 12 }, size = { 0.2, 0.2 }, center = { 0, 0.2e-3, 0 } }, thickness = 1e-3,
  }
  local high = world:cloth {
    mesh = muslin.mesh.grid { nodes = { 11, 11 }, size = { 0.15, 0.15 }, center = { 0, 0.6e-3, 0 } }, thickness = 1e-3,
  }
  world:obstacle { shape = "plane", normal = { 0, 1, 0 } }
  local fastest = 0
  for _ = 1, 60 do
    world:step()
    fastest = math.max(fastest, low.v:lengths():max(), high.v:lengths():max())
  end
  expect(fastest, "fastest vertex, m/s"):at_most(0.02)
  expect(low:centroid().y, "height of the lower"):between(0.49e-3, 0.51e-3)
  expect(high:centroid().y - low:centroid().y):between(0.97e-3, 1.03e-3)
end)
