-- A sheet hangs by two corners; a ball flies through its middle: it pushes the sheet and the sheet slips off, but nothing passes
-- through (Jung 2005, scene 3). The ball's speed is the script's argument, 5 m/s if none is given.
--
--   muslin view examples/04_sphere_hit.lua
--   muslin run  examples/04_sphere_hit.lua --out out/hit50 -- 50
--
-- Units: m, kg, s. The mesh is that of the scenes S3 (5 m/s) and S3f (50 m/s) that other engines were measured on.
local muslin = require "muslin"
local sets = require "sources.kit.sets"

return function(speed)
  speed = tonumber(speed or 5)
  local world = muslin.world { dt = 1/120, fps = 60, duration = 2, air_density = 0 }
  local sheet = sets.hit(world, speed) -- checks in every step that the ball pushes and does not pass through

  local worst = 0
  world:on("after_step", function() worst = math.max(worst, sheet:strain().max) end)

  world:on("done", function(w)
    muslin.expect(w):penetration_free()
    w:log("worst strain", worst)
    if speed <= 5 then muslin.expect(worst):at_most(0.3) end
  end)

  return world
end
