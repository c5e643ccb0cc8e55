-- BRI-1: a square sheet dropped on its edge folds on the floor, over itself (figure 1 of the report that implements Bridson
-- et al. 2002).
--
--   muslin run examples/sources/bri1_folding.lua --out out/bri1 --format png [-- short] [nodes=40] [friction=0.3] [floor=0.6]
--     [bending=5e-6] [air=1.2]
--
-- Mesh: 40 x 40 nodes, 0.8 x 0.8 m. 360 steps of 1/120 s.
-- Source: neither mesh nor cost stated. A wave that is the same across the sheet's width folds it in straight pleats, as card; this one
-- is oblique, and stronger on one side, and the cloth is soft: it bends under its own weight over 14 mm (cotton: 20).
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...},
    { dt = 1 / 120, duration = 3, nodes = 40, friction = 0.3, floor = 0.6, bending = 5e-6, air = 1.2 },
    { duration = 1.2, nodes = 20 })
  local world = scene.world(o)
  local n, size = math.tointeger(o.nodes), 0.8
  local mesh = muslin.mesh.grid { nodes = {n, n}, size = {size, size} }
  -- Upright, inclined by a quarter of its height.
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local u, v = size * i / (n - 1) - size / 2, size * j / (n - 1)
      local wave = 0.03 * (1 + u / size) * muslin.sin(2 * math.pi * v / 0.4 + 6 * u)
      mesh.x:set(1 + i + j * n, u, 0.005 + 0.97 * v, 0.24 * v + wave)
    end
  end
  local sheet = world:cloth { name = "sheet", mesh = mesh, rest = "uv", friction = o.friction,
    mass = scene.mass(world), material = scene.material(world, { preset = "cotton", bending = o.bending }) }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = o.floor }

  local lines = scene.lines(n)
  return scene.ends(world, function()
    local folds, layers, height = scene.mean_folds(sheet, lines), muslin.measure.layers(sheet), select(2, sheet:bounds()).y
    muslin.expect(height, "height of the heap, m"):at_most(0.25)
    muslin.expect(folds, "folds per line of the mesh"):at_least(o.is_short and 0.5 or 1)
    muslin.expect(layers.mean, "layers"):at_least(1.5)
    muslin.expect(layers.most, "most layers"):at_least(5)
    muslin.expect(sheet):stretched_at_most(0.1)
    return ("%.2f folds per line, %.0f mm high, %.2f m^2 covered by %.1f layers, %d at most"):format(folds, 1000 * height,
      layers.area, layers.mean, layers.most)
  end)
end
