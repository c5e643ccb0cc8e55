-- A small tablecloth, 25 x 25 nodes, slides off a box without friction and crumples on the floor (Bigliani & Eischen, scene 3).
--
--   muslin view examples/05_tablecloth.lua
--   muslin run  examples/05_tablecloth.lua --out out/tablecloth --format obj,png
--
-- Units: m, kg, s. The mesh is that of the scene S4 that other engines were measured on.
local muslin = require "muslin"
local sets = require "sources.kit.sets"

local world = muslin.world { dt = 1/120, fps = 60, duration = 2, air_density = 0 }
local cloth = sets.tablecloth(world) -- 24 x 24 cm, above a box of 12 x 10 x 12 cm, and the floor

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- what follows holds once it has come to rest
  muslin.expect(cloth):stretched_at_most(0.1)
  muslin.expect(cloth:strain().median):at_most(0.02)
end)

return world
