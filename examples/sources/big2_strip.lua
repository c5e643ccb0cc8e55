-- BIG-2: a vertical strip slides down between two guides onto a table; its lower end is fixed there and a little bent, so that
-- it buckles and folds, layer upon layer (Bigliani & Eischen, figure 11).
--
--   muslin run examples/sources/big2_strip.lua --out out/big2 --format png [-- short] [nodes=125] [guides=0.05] [bending=1e-6]
--
-- Mesh: 125 x 3 nodes, squares of 5 mm: 620 x 10 mm, 496 triangles. 240 steps of 1/120 s.
-- Source: 14 h, Pentium 200 MHz. It states neither the position of the guides nor the material: here they end `guides` above
-- the table, are 4 mm apart and guide the strip without friction. It is as heavy as cotton, but soft, with a bending stiffness of
-- 1e-6 N m: it bends under its own weight over 8 mm. Stiffer ones (6e-6, light as silk) turn on their side instead of folding.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 2, nodes = 125, friction = 0.6, guides = 0.05, bending = 1e-6, air = 1.2 },
    { duration = 1, nodes = 75 })
  local world = scene.world(o)
  local edge, thickness, n = 0.005, 5e-4, math.tointeger(o.nodes)
  local length = edge * (n - 1)

  -- The imperfection: over its lowest 5 cm the strip is bent by up to 3 mm, one of its edges more than the other.
  local mesh = muslin.mesh.grid { nodes = {3, n}, size = {2 * edge, length}, plane = "xy", center = {0, length / 2, 0} }
  for j = 0, n - 1 do
    for i = 1, 3 do
      local x, y = mesh.x:get(i + 3 * j)
      local s = muslin.clamp(y / 0.05, 0, 1)
      mesh.x:set(i + 3 * j, x, y + 0.001, (0.003 + 0.05 * x) * muslin.sin(math.pi * s) ^ 2)
    end
  end
  local strip = world:cloth { name = "strip", mesh = mesh, thickness = thickness, friction = o.friction,
    material = scene.material(world, { preset = "cotton", bending = o.bending }, true) }
  strip:pin { vertices = {1, 2, 3} }

  world:obstacle { name = "table", shape = "plane", normal = {0, 1, 0}, friction = o.friction }
  local height, depth = length, 0.004
  for side, name in ipairs {"front", "back"} do
    world:obstacle {
      name = name, shape = "box", size = {0.03, height, depth}, friction = 0,
      at = {0, o.guides + height / 2, (2 * side - 3) * (0.002 + depth / 2)},
    }
  end

  local middle = {}
  for j = 0, n - 1 do middle[j + 1] = 2 + 3 * j end
  return scene.ends(world, function()
    local layers = muslin.measure.layers(strip, { spacing = 0.0013 })
    local folds, top = muslin.measure.folds(strip, middle), select(2, strip:bounds()).y
    muslin.expect(folds, "folds"):at_least(n // 25)
    muslin.expect(top, "the strip has come down, m"):at_most(o.guides)
    muslin.expect(strip):stretched_at_most(0.1)
    muslin.expect(layers.most, "most layers"):at_least(o.is_short and 3 or 5)
    return ("%d folds, %.0f mm high, %.1f layers, %d at most"):format(folds, 1000 * top, layers.mean, layers.most)
  end)
end
