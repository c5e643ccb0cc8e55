-- JUN-3: a sheet hung by two corners is hit in its middle by a sphere, "with infinite velocity" (Jung 2005, 4.3.3). The set is
-- that of example 04.
--
--   muslin run examples/sources/jun3_hit.lua --out out/jun3 --format png [-- short] [speed=50] [nodes=40]
--
-- Mesh: 40 x 40 particles, 1 x 1 m. 240 steps of 1/120 s, or smaller ones, in which the ball moves at
-- most half a meter, so that the check sees the contact: 2,040 at 500 m/s.
-- Source: a constant cost per step, with a cubic root finder 2 to 3 times that once the cloth has folded.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 2, speed = 50, nodes = 40 }, { duration = 0.6, nodes = 20 })
  o.dt = muslin.min(o.dt, 0.5 / o.speed)
  local world = scene.world(o)
  local sheet, displacement = sets.hit(world, o.speed, math.tointeger(o.nodes))
  local top = sheet.x[#sheet.x].y

  return scene.ends(world, function()
    local last, carried = displacement()
    muslin.expect(last, "last contact of the ball, m beyond the sheet"):at_least(-0.15)
    muslin.expect(carried, "displacement of the sheet's middle by the ball, m"):at_least(0.3)
    muslin.expect(select(2, sheet:bounds()).y, "it hangs from its corners, m"):at_least(top)
    return ("last contact at %.2f m, its middle displaced by %.2f m"):format(last, carried)
  end)
end
