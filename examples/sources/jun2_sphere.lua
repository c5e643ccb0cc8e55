-- JUN-2: a level sheet falls on a sphere, slides off, and ends on the floor in a busy pattern of folds (Jung 2005, 4.3.2).
-- The objects are those of example 02.
--
--   muslin run examples/sources/jun2_sphere.lua --out out/jun2 --format png [-- short] [nodes=40] [steps=810] [ball=0.02]
--     [friction=0.3] [floor=0.6] [air=1.2]
--
-- Mesh: 40 x 40 particles, 1 x 1 m. 810 steps of 1/120 s.
-- The source states neither friction nor air. The ball is polished, so that the sheet slides off within a second, and the
-- floor is not, so that the heap stays: over a slippery floor, without air, it opens and ends flat.
-- Source: under 0.05 s per step, with a cubic root finder over 0.15 s, Pentium 4 2.4 GHz.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, steps = 810, nodes = 40, ball = 0.02, friction = 0.3, floor = 0.6, air = 1.2 },
    { steps = 240, nodes = 20 })
  o.duration = o.steps * o.dt
  local world = scene.world(o)
  local nodes = math.tointeger(o.nodes)
  local sheet = sets.ball(world, nodes, { cloth = o.friction, ball = o.ball, floor = o.floor })
  local drag = 0.5 * o.air * sheet.material.drag / sheet.material.density -- 1/m
  local damping = sheet.material.viscous_damping -- 1/s, of explicit presets

  -- It falls level until the first contact: z'' = g - damping z' - drag z'^2, here as a series in t.
  world:on("frame", function(_, t)
    local fall, slowed = 9.81 * t ^ 2, damping * t
    local fallen = fall / 2 * (1 - slowed / 3 + slowed ^ 2 / 12) - drag * fall ^ 2 / 12 * (1 - 0.8 * slowed)
    if t < 0.1 then muslin.expect(0.85 - sheet:centroid().y):near(fallen, 0.005 * fallen + 1e-9) end
  end)
  local lines = scene.lines(nodes)
  return scene.ends(world, function()
    local _, high = sheet:bounds()
    local folds, layers = scene.mean_folds(sheet, lines), muslin.measure.layers(sheet)
    muslin.expect(high.y, "it has left the ball, m"):at_most(0.4)
    muslin.expect(sheet):stretched_at_most(0.1)
    muslin.expect(sheet:strain().median, "median of the strain"):at_most(0.02)
    muslin.expect(folds, "folds per line of the mesh"):at_least(o.is_short and 0.4 or 0.8)
    muslin.expect(layers.area, "covered area, m^2"):at_most(0.45)
    muslin.expect(layers.most, "most layers"):at_least(5)
    if not o.is_short then muslin.expect(world):at_rest(0.05) end
    return ("%.0f mm high, %.2f folds per line, %.2f m^2 covered by %.1f layers, %d at most"):format(1000 * high.y, folds,
      layers.area, layers.mean, layers.most)
  end)
end
