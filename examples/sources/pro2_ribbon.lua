-- PRO-2: a long ribbon falls on a table and rumples, then unfolds (Provot 1997, figure 5).
--
--   muslin run examples/sources/pro2_ribbon.lua --out out/pro2 --format png [-- short] [nodes=201] [friction=0.1] [back=0.05]
--
-- Mesh: 11 x 201 nodes, squares of 10 mm: 2 m x 10 cm, 4,000 triangles. 720 steps of 1/120 s: 6 s.
-- Source: 1 h for 6 s, DEC Alpha 500/500. It does not state why its ribbon unfolds: here one end is pinned on the table, the
-- other half falls beyond the table's edge and straightens the rumpled half. back: distance from that edge, m.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 6, nodes = 201, friction = 0.1, back = 0.05 },
    { duration = 1.5, nodes = 61, back = 0.04 })
  local world = scene.world(o)
  local n, across = math.tointeger(o.nodes), 11
  local edge, height = 0.01, 2.2
  local length = edge * (n - 1)

  -- It is upright over the table's end, inclined outward; a wave determines where it folds.
  local lean, bow = 0.2, 0.004
  local mesh = muslin.mesh.grid { nodes = {across, n}, size = {0.1, length} }
  for j = 0, n - 1 do
    local s = edge * j
    for i = 0, across - 1 do
      mesh.x:set(1 + i + across * j, lean * s - o.back + bow * muslin.sin(40 * s), height + 0.003 + s * math.sqrt(1 - lean * lean),
        edge * i - 0.05)
    end
  end
  local ribbon = world:cloth { name = "ribbon", mesh = mesh, rest = "uv", friction = o.friction,
    material = scene.material(world, { preset = "cotton", bending = 9e-5 }) } -- starched: its own stiffness helps it unfold
  local held = {}
  for i = 1, across do held[i] = i end
  ribbon:pin { vertices = held }
  world:obstacle { name = "table", shape = "box", size = {0.6, 0.04, 0.4}, at = {-0.3, height - 0.02, 0}, friction = o.friction }

  local middle, most = {}, 0
  for j = 0, n - 1 do middle[j + 1] = across * j + 6 end
  world:on("frame", function()
    local folds = scene.folds(ribbon, middle, 3)
    world:log("folds", folds)
    most = math.max(most, folds)
  end)
  return scene.ends(world, function()
    local folds = scene.folds(ribbon, middle, 3)
    muslin.expect(most, "folds of the rumpled ribbon"):at_least(3)
    muslin.expect(folds, "folds left at the end"):at_most(1)
    return ("%d folds at most, %d at the end"):format(most, folds)
  end)
end
