-- 12_layers.lua: three cloths of different fabrics, one on the other, over a round table.
--
--   muslin view examples/12_layers.lua      (m, kg, s; y is up; about 45 s on one core of an AMD EPYC)
--
-- Each cloth falls on what lies under it, so the layers touch each other wherever they touch the table: the scene ends with
-- thousands of contacts between cloths. The sheets are turned so that the corners of one hang between those of the next.
local muslin = require "muslin"

local HEIGHT, RADIUS = 0.45, 0.26 -- m, of the table

local world = muslin.world { dt = 1/120, fps = 60, duration = 1.5 }
world:obstacle { name = "table", shape = "cylinder", radius = RADIUS, length = HEIGHT, at = {0, HEIGHT / 2, 0}, color = "#b8a58a" }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }

-- size (m) and nodes of a side, turn (rad) about the y axis, and what it is made of
local LAYERS = {
  { name = "tablecloth", size = 1.1, nodes = 56, turn = 0.2, material = "cotton", color = "#f2ead8", texture = "weave",
    texture_size = 0.01, texture_color = "#e3d6bb" },
  { name = "cover", size = 0.78, nodes = 44, turn = 0.2 + math.pi / 4, material = "silk", color = "#7a1f2b" },
  { name = "napkin", size = 0.46, nodes = 28, turn = 0.2, material = "cotton", color = "#e9c46a", texture = "checker",
    texture_size = 0.046, texture_color = "#f4f1e6" },
}
local cloths = {}
for k, layer in ipairs(LAYERS) do
  local mesh = muslin.mesh.grid { nodes = {layer.nodes, layer.nodes}, size = {layer.size, layer.size}, center = {0, HEIGHT + 0.015 * k, 0} }
  mesh:transform { rotation = {muslin.cos(layer.turn / 2), 0, muslin.sin(layer.turn / 2), 0} }
  cloths[k] = world:cloth { name = layer.name, mesh = mesh, material = layer.material, color = layer.color, texture = layer.texture,
    texture_size = layer.texture_size, texture_color = layer.texture_color }
end

world:camera { from = {0.75, 1.05, 1.35}, to = {0, 0.27, 0}, fov = math.rad(34) }

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the last frame
  for k, cloth in ipairs(cloths) do
    local low, high = cloth:bounds()
    muslin.expect(high.y, "the top of " .. cloth.name):between(HEIGHT, HEIGHT + 0.01 * k)
    muslin.expect(low.y, "the hem of " .. cloth.name):less_than(HEIGHT - 0.02)
  end
end)

return world
