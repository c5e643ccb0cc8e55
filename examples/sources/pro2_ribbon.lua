-- PRO-2: a long ribbon falls on a table and rumples, then unfolds (Provot 1997, figure 5).
--
--   muslin run examples/sources/pro2_ribbon.lua --out out/pro2 --format png [-- short] [nodes=201] [friction=0.02] [back=0.35] [slope=0.2]
--     [bending=9e-5] [air=1.2]
--
-- Mesh: 11 x 201 nodes, squares of 10 mm: 2 m x 10 cm, 4,000 triangles. 720 steps of 1/120 s: 6 s.
-- Source: 1 h for 6 s, DEC Alpha 500/500. It does not state why its ribbon unfolds: here one end is pinned on the table, `back` (m)
-- from its edge; the ribbon stands on it, inclined outward, so that most of it rumples on the table and its end falls beyond
-- the edge, which pulls the rest after it. It is starched: its own stiffness helps it unfold; and smooth: with a friction
-- of 0.1 it jams under some pipelines, where it has fallen across itself.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...},
    { dt = 1 / 120, duration = 6, nodes = 201, friction = 0.02, back = 0.35, slope = 0.2, air = 1.2, bending = 9e-5 },
    { duration = 1.5, nodes = 81, back = 0.15 })
  local world = scene.world(o)
  local n, across = math.tointeger(o.nodes), 11
  local edge, height = 0.01, 2.2
  local length = edge * (n - 1)

  -- It is upright over the table's end, inclined outward; a wave determines where it folds.
  local slope, bow = o.slope, 0.004
  local mesh = muslin.mesh.grid { nodes = {across, n}, size = {0.1, length} }
  for j = 0, n - 1 do
    local s = edge * j
    for i = 0, across - 1 do
      mesh.x:set(1 + i + across * j, slope * s - o.back + bow * muslin.sin(40 * s), height + 0.003 + s * math.sqrt(1 - slope * slope),
        edge * i - 0.05)
    end
  end
  local ribbon = world:cloth { name = "ribbon", mesh = mesh, rest = "uv", friction = o.friction,
    material = scene.material(world, { preset = "cotton", bending = o.bending }) }
  local held = {}
  for i = 1, across do held[i] = i end
  ribbon:pin { vertices = held }
  world:obstacle { name = "table", shape = "box", size = {0.6, 0.04, 0.4}, at = {-0.3, height - 0.02, 0}, friction = o.friction }

  local middle, most, rumpled_on_table, unfolded = {}, 0, 0, 0
  for j = 0, n - 1 do middle[j + 1] = across * j + 6 end
  local function count() return muslin.measure.folds(ribbon, middle, { length = 0.03 }) end
  world:on("frame", function()
    local folds, lying = count(), 0
    for _, i in ipairs(middle) do
      local x, y = ribbon.x:get(i)
      if x < 0 and y > height - 0.01 and y < height + 0.2 then lying = lying + 1 / #middle end
    end
    world:log("folds", folds)
    world:log("lying", lying) -- share of the ribbon that is on the table
    -- Taut, it lies on the table from its pin to the edge, and hangs from there.
    unfolded = muslin.max(unfolded, (o.back + height - ribbon.x[middle[n]].y) / length)
    if folds >= most then most, rumpled_on_table = folds, muslin.max(lying, folds > most and 0 or rumpled_on_table) end
  end)
  return scene.ends(world, function()
    local folds = count()
    muslin.expect(most, "folds of the rumpled ribbon"):at_least(o.is_short and 3 or 6)
    muslin.expect(rumpled_on_table, "share of the ribbon on the table while it is rumpled"):at_least(0.5)
    muslin.expect(folds, "folds left at the end"):at_most(1)
    muslin.expect(unfolded, "how far it has unfolded, as a share of its length"):at_least(o.is_short and 0.6 or 0.9)
    return ("%d folds at most with %.0f %% of it on the table, %d at the end, %.0f %% unfolded"):format(most, 100 * rumpled_on_table,
      folds, 100 * unfolded)
  end)
end
