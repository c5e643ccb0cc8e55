-- A sheet of 40 x 40 nodes falls off-center on a ball, slides off and comes to rest on the floor (Jung 2005, scene 2).
-- Look at the folds that run down from the ball, and at the layers of the sheet on the floor: none penetrates another.
--
--   muslin view examples/02_sphere.lua
--   muslin run  examples/02_sphere.lua --out out/sphere --format obj,png
--
-- Units: m, kg, s. The mesh is that of the scene S2o that other engines were measured on;
-- sources/jun2_sphere.lua simulates it at any size.
local muslin = require "muslin"

local world = muslin.world { dt = 1/120, fps = 60, duration = 4, air_density = 0 }
local sheet = world:cloth {
  name = "sheet",
  mesh = muslin.mesh.grid { nodes = {40, 40}, size = {1, 1}, plane = "xz", center = {0.15, 0.85, 0.08} },
  material = "cotton",
  thickness = 1e-3,
  friction = 0.1,
}
world:obstacle { name = "ball", shape = "sphere", radius = 0.25, at = {0, 0.5, 0}, friction = 0.1 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.1 }

world:camera { from = {1.24, 1.26, 1.98}, to = {0.1, 0.28, 0.12} }

-- Free fall until the first contact.
world:on("frame", function(_, t)
  if t < 0.1 then muslin.expect(0.85 - sheet:centroid().y):near(9.81 * t^2 / 2, 1e-9) end
end)

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the state at rest
  muslin.expect(w):at_rest(0.05)
  muslin.expect(sheet):stretched_at_most(0.1)
  muslin.expect(sheet:strain().median):at_most(0.02)
  muslin.expect(select(2, sheet:bounds()).y):at_most(0.25) -- the sheet has left the ball
end)

return world
