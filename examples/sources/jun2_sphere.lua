-- JUN-2: a level sheet falls on a sphere, then on the floor, where it comes to rest in folds (Jung 2005, 4.3.2): mesh lines change
-- direction there. Smaller or shorter versions may end flat, at this low friction. The objects are those of example 02.
--
--   muslin run examples/sources/jun2_sphere.lua --out out/jun2 --format png [-- short] [nodes=40] [steps=810] [friction=0.1]
--
-- Mesh: 40 x 40 particles, 1 x 1 m. 810 steps of 1/120 s.
-- Source: under 0.05 s per step, with a cubic root finder over 0.15 s, Pentium 4 2.4 GHz.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, steps = 810, nodes = 40, friction = 0.1 }, { steps = 240, nodes = 20 })
  o.duration = o.steps * o.dt
  local world = scene.world(o)
  local sheet = sets.ball(world, math.tointeger(o.nodes), o.friction)

  world:on("frame", function(_, t) -- free fall until the first contact
    if t < 0.1 then muslin.expect(0.85 - sheet:centroid().y):near(9.81 * t ^ 2 / 2, 1e-9) end
  end)
  return scene.ends(world, function()
    local _, high = sheet:bounds()
    muslin.expect(high.y, "it has left the ball, m"):at_most(0.4)
    muslin.expect(sheet):stretched_at_most(0.1)
    muslin.expect(sheet:strain().median, "median of the strain"):at_most(0.02)
    local folded = scene.folded_lines(sheet, math.tointeger(o.nodes))
    if not o.is_short then
      muslin.expect(world):at_rest(0.05)
      muslin.expect(folded, "lines of the mesh that turn back"):at_least(5)
    end
    return ("%.0f mm high, %d of %d lines turn back"):format(1000 * high.y, folded, 2 * o.nodes)
  end)
end
