-- 06_wind.lua: a flag on a pole, in a steady wind with gusts.
-- muslin view examples/06_wind.lua      (m, kg, s; y is up)
--
-- The steady wind acts through the material's air drag, by the air's velocity relative to each triangle. The gusts are a
-- force that the script computes on whole arrays: the pressure of the moving air along each vertex' normal.
local muslin = require "muslin"

local WIDTH, HEIGHT = 1.2, 0.8 -- m
local NODES = {37, 25}
local WIND = muslin.vec3(5, 0, 0.6) -- m/s
local GUST, PERIOD = 3, 1.7 -- m/s, s

local world = muslin.world { duration = 4, wind = WIND, air_density = 1.2 }

local flag = world:cloth {
  name = "flag",
  mesh = muslin.mesh.grid { nodes = NODES, size = {WIDTH, HEIGHT}, plane = "xy", center = {WIDTH / 2, 1.6, 0} },
  material = { preset = "silk", drag = 1.2 },
  color = "#c9a227",
  texture = "stripes",
  texture_size = 0.2,
  texture_color = "#7a1f2b",
}
flag:pin { where = function(x) return x < 1e-6 end } -- the hoist

world:obstacle { name = "pole", shape = "capsule", radius = 0.015, length = 2.2, at = {-0.03, 1.1, 0} }
world:obstacle { name = "ground", shape = "plane", normal = {0, 1, 0} }
world:camera { from = {0.9, 1.75, 3.1}, to = {0.55, 1.25, 0}, fov = math.rad(44) }

-- Half the air's density times the speed squared is a pressure; a vertex has an equal share of the flag.
local share = WIDTH * HEIGHT / flag.vertex_count -- m^2
world:force(function(cloth, t)
  local speed = GUST * muslin.max(0, muslin.sin(2 * math.pi * t / PERIOD))
  local across = cloth.normal:dot {0.3, 0, 1}
  cloth.f:add(cloth.normal * across:scale(0.5 * 1.2 * speed * speed * share))
end)

-- Logs the horizontal extent of the flag, m.
world:on("frame", function()
  world:log("fly", flag:centroid().x)
end)

world:on("draw", function(canvas)
  local foot, blue = muslin.vec3(0.2, 0.7, 0), {0.1, 0.35, 0.7}
  canvas:line(foot, foot + 0.1 * WIND, { color = blue, width = 3 })
  canvas:text(foot - muslin.vec3(0, 0.06, 0), ("wind %.1f m/s"):format(WIND:length()), { color = blue })
end)

world:on("done", function()
  expect(world):penetration_free():finite()
  expect(flag):stretched_at_most(0.12)
  expect(flag:centroid().x, "the flag flies out"):more_than(0.3 * WIDTH)
  local highest, lowest = 1.6 + HEIGHT / 2, 0.3
  local low, high = flag:bounds()
  expect(low.y):more_than(lowest)
  expect(high.y):at_most(highest + 0.3)
end)

return world
