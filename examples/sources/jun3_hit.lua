-- JUN-3: a level sheet, pinned at two corners, falls; while it swings down, a sphere hits it in its middle, "with infinite velocity"
-- (Jung 2005, 4.3.3). The set is that of example 04, whose sheet hangs.
--
--   muslin run examples/sources/jun3_hit.lua --out out/jun3 --format png [-- short] [speed=50] [nodes=40] [hit=0.4]
--
-- Mesh: 40 x 40 particles, 1 x 1 m. 240 steps of 1/120 s, or smaller ones, in which the ball moves at
-- most half a meter, so that the check sees the contact: 2,040 at 500 m/s.
-- hit: time of the first contact, s; 0: the sheet hangs from the start. The source's sheet falls when it is hit "at the middle
-- of the simulation"; at 0.4 s its middle has fallen by 0.4 m.
-- Source: a constant cost per step, with a cubic root finder 2 to 3 times that once the cloth has folded.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 2, speed = 50, nodes = 40, hit = 0.4, air = 1.2 },
    { duration = 0.6, nodes = 20 })
  o.dt = muslin.min(o.dt, 0.5 / o.speed)
  local world = scene.world(o)
  local sheet, displacement = sets.hit(world, o.speed, math.tointeger(o.nodes), o.hit > 0 and o.hit or nil)
  local top = select(2, sheet:bounds()).y

  return scene.ends(world, function()
    local last, carried = displacement()
    muslin.expect(last, "last contact of the ball, m beyond the sheet"):at_least(-0.15)
    muslin.expect(carried, "displacement of the sheet's middle by the ball, m"):at_least(0.3)
    muslin.expect(select(2, sheet:bounds()).y, "it hangs from its corners, m"):at_least(top)
    return ("last contact at %.2f m, its middle displaced by %.2f m"):format(last, carried)
  end)
end
