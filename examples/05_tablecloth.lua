-- A small tablecloth, 25 x 25 nodes, slides off a box without friction and crumples on the floor (Bigliani & Eischen, scene 3).
-- Look at the edges of the box, over which the cloth bends, and at the crumpled heap.
--
--   muslin view examples/05_tablecloth.lua
--   muslin run  examples/05_tablecloth.lua --out out/tablecloth --format obj,png
--
-- Units: m, kg, s. The mesh is that of the scene S4 that other engines were measured on.
local muslin = require "muslin"

local world = muslin.world { dt = 1/120, fps = 60, duration = 2, air_density = 0 }
local cloth = world:cloth {
  name = "tablecloth",
  mesh = muslin.mesh.grid { nodes = {25, 25}, size = {0.24, 0.24}, plane = "xz", center = {0.05, 0.12, 0.03} },
  material = "cotton",
  thickness = 1e-3,
  friction = 0,
  color = "#3a5f8f",
  texture = "checker",
  texture_size = 0.02,
  texture_color = "#e8e4da",
}
world:obstacle { name = "box", shape = "box", size = {0.12, 0.1, 0.12}, at = {0, 0.05, 0}, friction = 0 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0 }

-- Without friction the cloth slides on over the floor: the camera moves back to keep both in the picture.
world:camera { path = {
  { t = 0.1, from = {0.3, 0.28, 0.42}, to = {0.03, 0.06, 0.02} },
  { t = 0.6, from = {0.48, 0.34, 0.61}, to = {0.14, 0.03, 0.1} },
  { t = 2, from = {1.1, 0.68, 1.28}, to = {0.36, 0.02, 0.28} },
} }

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the state at rest
  muslin.expect(cloth):stretched_at_most(0.1)
  muslin.expect(cloth:strain().median):at_most(0.02)
end)

return world
