-- JUN-1: a strip dropped upright piles up on the floor (Jung 2005, 4.3.1). The set is that of example 03.
--
--   muslin run examples/sources/jun1_pile.lua --out out/jun1 --format png [-- short] [steps=1230] [friction=0.3]
--
-- Mesh: 30 x 100 particles, 30 cm x 1 m. 1,230 steps of 1/120 s.
-- Source: under 1 s per step, about 0.5 s per frame, Pentium 4 2.4 GHz; sizes and the time step are not stated.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, steps = 1230, across = 30, along = 100, friction = 0.3, floor = 0.6, air = 1.2 },
    { steps = 120, across = 12, along = 40 })
  o.duration = o.steps * o.dt
  local world = scene.world(o)
  local across, along = math.tointeger(o.across), math.tointeger(o.along)
  local strip = sets.strip(world, across, along, o.friction, o.floor)

  local middle = {}
  for j = 0, along - 1 do middle[j + 1] = across * j + across // 2 end
  local most = 0
  world:on("frame", function(_, t) -- the strip falls instead of standing upright
    local folds = muslin.measure.folds(strip, middle)
    most = math.max(most, folds)
    world:log("folds", folds)
    if math.abs(t - 0.7) < 1e-6 then muslin.expect(select(2, strip:bounds()).y, "height at 0.7 s, m"):at_most(0.25) end
  end)
  return scene.ends(world, function()
    local height = select(2, strip:bounds()).y
    muslin.expect(most, "folds at one time"):at_least(3)
    muslin.expect(height, "height of the pile, m"):at_most(0.2)
    muslin.expect(strip:strain().median, "median of the strain"):at_most(0.02)
    return ("%d folds at most, %d at the end, %.0f mm high"):format(most, muslin.measure.folds(strip, middle), 1000 * height)
  end)
end
