-- contact_test.lua: what contacts do that no closed form covers.
local muslin = require "muslin"

-- Turning about its own axis, an exact shape moves no vertex: only its surface carries the cloth.
scenario("a turning capsule carries the sheet that lies on it", function()
  local world = muslin.world { dt = 1/120, air_density = 0 }
  local mesh = muslin.mesh.grid { nodes = {16, 12}, size = {0.4, 0.3}, center = {0, 0.555, 0} }
  local sheet = world:cloth { mesh = mesh, friction = 1 }
  local half = math.sqrt(0.5)
  local drum = world:obstacle {
    shape = "capsule", radius = 0.3, length = 1, at = {0, 0.25, 0}, rotation = {half, half, 0, 0}, friction = 1,
  }
  drum:move(function(t) -- about z, 1 rad/s
    local c, s = muslin.cos(-0.5 * t) * half, muslin.sin(-0.5 * t) * half
    return {0, 0.25, 0}, {c, c, s, s}
  end)
  for _ = 1, 30 do world:run_frame() end
  expect(sheet:centroid().x):between(0.07, 0.16) -- 0.15 m without slip
  expect(world):penetration_free()
end)

-- A spike holds a falling sheet at one node, whose edges carry all of it: the hardest case for the sweeps of the limit of 10 %.
scenario("the strain limit holds over a spike", function()
  local world = muslin.world { dt = 1/120, air_density = 0 }
  local mesh = muslin.mesh.grid { nodes = {25, 25}, size = {0.5, 0.5}, center = {0, 0.5, 0} }
  local sheet = world:cloth { mesh = mesh, friction = 0.3 }
  world:obstacle { shape = "capsule", radius = 0.02, length = 0.6, at = {0, 0.15, 0}, friction = 0.3 }
  local worst = 0
  world:on("after_step", function() worst = math.max(worst, sheet:strain().max) end)
  for _ = 1, 100 do world:run_frame() end
  expect(worst):at_most(0.2)
  expect(sheet):stretched_at_most(0.12)
  expect(world):penetration_free()
end)
