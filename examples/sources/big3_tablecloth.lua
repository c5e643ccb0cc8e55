-- BIG-3: a tablecloth falls off-center on a box; without friction it slides off and crumples on the ground, in several folds
-- and overlapping layers (Bigliani & Eischen, figure 12). The set is that of example 05, over a higher box.
--
--   muslin run examples/sources/big3_tablecloth.lua --out out/big3 --format png [-- short] [nodes=25] [height=0.2]
--     [friction=0.3] [floor=0.6] [bending=1e-6] [air=1.2]
--
-- Mesh: 25 x 25 nodes, squares of 10 mm. 240 steps of 1/120 s.
-- Source: 9 h, Pentium 200 MHz; neither the box's size nor the material is stated, and friction is excluded on the box. Cotton bends
-- under its own weight over 20 mm, (bending / (density g))^(1/3), too much for a cloth of this size to crumple. This is a soft one,
-- which does so over 8 mm; cloth and floor have friction, so that folds stay. Without it the cloth slides until it lies flat.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...},
    { dt = 1 / 120, duration = 2, nodes = 25, height = 0.2, friction = 0.3, floor = 0.6, bending = 1e-6, air = 1.2 }, { duration = 1.5 })
  local world = scene.world(o)
  local nodes = math.tointeger(o.nodes)
  local cloth = sets.tablecloth(world, nodes, o.height,
    { material = { preset = "cotton", bending = o.bending }, cloth = o.friction, floor = o.floor })

  local lines = scene.lines(nodes)
  return scene.ends(world, function()
    local _, high = cloth:bounds()
    local folds, layers = scene.mean_folds(cloth, lines), muslin.measure.layers(cloth)
    muslin.expect(high.y, "it has left the box's top, m"):less_than(o.height) -- heaps of up to 0.113 m stand beside the box
    muslin.expect(cloth.x:mean().y, "its mean height on the ground, m"):at_most(0.25 * o.height)
    muslin.expect(cloth):stretched_at_most(0.1)
    muslin.expect(cloth:strain().median, "median of the strain"):at_most(0.02)
    muslin.expect(folds, "folds per line of the mesh"):at_least(0.4)
    muslin.expect(layers.most, "most layers"):at_least(4)
    muslin.expect(layers.area, "covered area, m^2"):at_most(0.032)
    return ("%.0f mm high, %.2f folds per line, %.4f m^2 covered by %.1f layers, %d at most"):format(1000 * high.y, folds, layers.area,
      layers.mean, layers.most)
  end)
end
