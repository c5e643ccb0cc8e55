-- A strip of 30 x 100 nodes, hung upright 5 cm over the floor, drops and piles up in folds (Jung 2005, scene 1).
--
--   muslin view examples/03_pile.lua
--   muslin run  examples/03_pile.lua --out out/pile --format obj,png
--
-- Units: m, kg, s. The mesh is that of the scene S1 that other engines were measured on: a wave of 1 mm along the strip
-- decides where it folds. sources/jun1_pile.lua plays it at any size.
local muslin = require "muslin"
local sets = require "sources.kit.sets"

local world = muslin.world { dt = 1/120, fps = 60, duration = 3, air_density = 0 }
local strip = sets.strip(world)

local function highest() return select(2, strip:bounds()).y end

world:on("frame", function(_, t)
  if math.abs(t - 0.7) < 1e-6 then muslin.expect(highest()):at_most(0.25) end -- it falls, it does not stand like wax
end)

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- what follows holds once it has come to rest
  muslin.expect(strip):stretched_at_most(0.1)
  muslin.expect(strip:strain().median):at_most(0.02)
end)

return world
