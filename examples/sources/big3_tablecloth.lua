-- BIG-3: a tablecloth falls off-center on a box; without friction it slides off and crumples on the ground
-- (Bigliani & Eischen, figure 12). The set is that of example 05.
--
--   muslin run examples/sources/big3_tablecloth.lua --out out/big3 --format png [-- short] [nodes=25]
--
-- Mesh: 25 x 25 nodes, squares of 10 mm. 240 steps of 1/120 s.
-- Source: 9 h, Pentium 200 MHz; the box's size is not stated.
local muslin = require "muslin"
local scene = require "kit.scene"
local sets = require "kit.sets"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 2, nodes = 25, height = 0.3 }, { duration = 1.5 })
  local world = scene.world(o)
  local cloth = sets.tablecloth(world, math.tointeger(o.nodes), o.height)

  return scene.ends(world, function()
    local _, high = cloth:bounds()
    muslin.expect(high.y, "it has left the box's top, m"):at_most(0.5 * o.height)
    muslin.expect(cloth):stretched_at_most(0.1)
    muslin.expect(cloth:strain().median, "median of the strain"):at_most(0.02)
    return ("%.0f mm high"):format(1000 * high.y)
  end)
end
