-- Step 1: a sheet falls over a ball.  muslin view examples/tutorial/1_hello.lua      (m, kg, s; y is up)
local muslin = require "muslin"

local world = muslin.world { duration = 1.5 }
world:cloth { mesh = muslin.mesh.grid { nodes = {24, 24}, size = {0.8, 0.8}, center = {0, 0.72, 0} } }
world:obstacle { shape = "sphere", radius = 0.2, at = {0, 0.5, 0} }
world:obstacle { shape = "plane", normal = {0, 1, 0} }

world:on("done", function() expect(world):penetration_free() end)
return world
