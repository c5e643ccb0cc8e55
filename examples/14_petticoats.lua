-- 14_petticoats.lua: three skirts that start tangled, each partly inside the others, and hang in the right order.
--
--   muslin view examples/14_petticoats.lua      (m, kg, s; y is up)
--
-- Cloth with a higher `layer` is moved to the outer side of cloth with a lower one before the first step;
-- world:start_report() has what was moved, by pair of objects.
local muslin = require "muslin"

local WAIST, HIP = 1.0, 0.11 -- m: height of the waistbands, radius of the body
local world = muslin.world { dt = 1/240, fps = 60, duration = 1.5 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
world:obstacle { name = "body", shape = "capsule", radius = HIP, length = 1.2, at = {0, 0.75, 0}, color = "#8a8f94" }

local skirts = {}
for k, made in ipairs { { 0.72, "#f2e8d5", "cotton" }, { 0.58, "#d9a441", "silk" }, { 0.44, "#7d2e3f", "cotton" } } do
  local length, color, material = made[1], made[2], made[3]
  local band, hem = HIP + 0.004 * k, HIP + 0.004 * k + 0.35 * length
  local mesh = muslin.mesh.cone { radius = hem, top_radius = band, length = length, caps = false, segments = 76,
    center = {0, WAIST - length / 2, 0} }
  -- folds of 3 cm, which are elsewhere on each skirt
  for i = 1, #mesh.x do
    local p = mesh.x[i]
    local radius, angle = math.sqrt(p.x ^ 2 + p.z ^ 2), muslin.atan2(p.z, p.x)
    local depth = muslin.smoothstep(0, 0.25, WAIST - p.y)
    local fold = 1 + 0.03 * depth * muslin.sin((6 + k) * angle + k) / radius
    mesh.x[i] = {p.x * fold, p.y, p.z * fold}
  end
  local skirt = world:cloth { name = "skirt" .. k, mesh = mesh, material = material, layer = k, color = color }
  skirt:pin { where = function(_, y) return y > WAIST - 1e-6 end }
  skirts[k] = skirt
end

world:camera { from = {0.9, 1.05, 1.5}, to = {0, 0.72, 0}, fov = math.rad(36) }

world:on("frame", function(w) muslin.expect(w):penetration_free() end)
world:on("done", function(w)
  local start = w:start_report()
  muslin.expect(start.crossings, "pairs of faces that crossed"):more_than(300)
  local count = skirts[1].vertex_count + skirts[2].vertex_count + skirts[3].vertex_count
  muslin.expect(start.misplaced, "vertices on the wrong side"):at_most(0.005 * count) -- ambiguous in tight folds
  muslin.expect(#start.pairs):at_least(3)
  -- every pair of skirts was moved apart
  local moved = {}
  for _, pair in ipairs(start.pairs) do moved[pair.a .. pair.b] = pair.moved end
  for k = 1, 2 do
    muslin.expect(moved["skirt" .. k .. "skirt" .. k + 1], "vertices of skirts " .. k .. " and " .. k + 1):more_than(50)
  end
end)

return world
