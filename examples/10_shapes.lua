-- A star of cloth falls on a rotating round table, and a sleeve, sewn from a flat panel, slides down over a post.
--
--   muslin view examples/10_shapes.lua
--   muslin run  examples/10_shapes.lua --out out/shapes --format obj,png
--
-- Units: m, kg, s. The table and the post are exact cylinders: flat ends, sharp rims.
local muslin = require "muslin"

local world = muslin.world { dt = 1/120, fps = 60, duration = 1.5 }
world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }

local table_top = world:obstacle { name = "table", shape = "cylinder", radius = 0.25, length = 0.04, at = { -0.4, 0.4, 0 } }
table_top:move(muslin.motion(function(t) return { -0.4, 0.4, 0 }, muslin.rotation.axis({ 0, 1, 0 }, 0.8 * t) end))
local points = {}
for k = 0, 9 do
  local angle, radius = k * math.pi / 5, k % 2 == 0 and 0.45 or 0.28
  points[k + 1] = { radius * math.cos(angle), radius * math.sin(angle) }
end
local star = world:cloth { name = "star", friction = 0.5,
  mesh = muslin.mesh.polygon { points = points, edge_length = 0.035, center = { -0.4, 0.45, 0 } } }

world:obstacle { name = "post", shape = "cylinder", radius = 0.06, length = 0.5, at = { 0.4, 0.3, 0 } }
local sleeve = world:cloth { name = "sleeve", rest = "uv",
  mesh = muslin.mesh.tube { radius = 0.09, length = 0.3, edge_length = 0.025, center = { 0.4, 0.5, 0 } } }

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end
  muslin.expect(star:centroid().y):between(0.3, 0.43) -- it hangs from the table
  local low = star:bounds()
  muslin.expect(low.y):less_than(0.36)
  local _, high = sleeve:bounds()
  muslin.expect(high.y):less_than(0.6) -- it slid down, around the post
  muslin.expect(sleeve:centroid().x):between(0.3, 0.5)
  muslin.expect(w):stretched_at_most(0.12)
end)

return world
