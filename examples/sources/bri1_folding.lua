-- BRI-1: a square sheet dropped on its edge folds on the floor, over itself (figure 1 of the report that implements Bridson
-- et al. 2002).
--
--   muslin run examples/sources/bri1_folding.lua --out out/bri1 --format png [-- short] [nodes=40] [friction=0.3]
--
-- Mesh: 40 x 40 nodes, 0.8 x 0.8 m. 360 steps of 1/120 s.
-- Source: neither mesh nor cost stated.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 3, nodes = 40, friction = 0.3 }, { duration = 1.2, nodes = 20 })
  local world = scene.world(o)
  local n, size = math.tointeger(o.nodes), 0.8
  local mesh = muslin.mesh.grid { nodes = {n, n}, size = {size, size} }
  -- Upright, inclined by a quarter of its height and curved along it, so that it falls in folds.
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local u, v = size * i / (n - 1) - size / 2, size * j / (n - 1)
      mesh.x:set(1 + i + j * n, u, 0.005 + 0.97 * v, 0.24 * v + 0.02 * muslin.sin(2 * math.pi * v / 0.4 + 0.6 * u))
    end
  end
  local sheet = world:cloth { name = "sheet", mesh = mesh, rest = "uv", friction = o.friction,
    material = scene.material(world) }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = o.friction }

  local middle = {}
  for j = 0, n - 1 do middle[j + 1] = 1 + n // 2 + j * n end
  return scene.ends(world, function()
    local folds, height = scene.folds(sheet, middle, 2), select(2, sheet:bounds()).y
    muslin.expect(folds, "folds"):at_least(2)
    muslin.expect(height, "height of the heap, m"):at_most(0.25)
    muslin.expect(sheet):stretched_at_most(0.1)
    return ("%d folds, %.0f mm high"):format(folds, 1000 * height)
  end)
end
