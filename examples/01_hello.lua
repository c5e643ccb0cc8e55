-- 01_hello.lua: a sheet of cotton falls over a ball.
-- muslin view examples/01_hello.lua      (m, kg, s; y is up)
local muslin = require "muslin"

local world = muslin.world { duration = 2 }
local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {30, 30}, size = {1, 1}, center = {0, 0.85, 0} } }
world:obstacle { shape = "sphere", radius = 0.25, at = {0, 0.5, 0} }
world:obstacle { shape = "plane", normal = {0, 1, 0} }

world:on("done", function()
  expect(world):penetration_free()
  expect(sheet):stretched_at_most(0.1)
end)
return world
