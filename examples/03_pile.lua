-- A strip of 30 x 100 nodes, hung upright 5 cm over the floor, drops and piles up in folds (Jung 2005, scene 1).
-- Look at the layers: some ten lie on each other in the end, 1 mm apart.
--
--   muslin view examples/03_pile.lua
--   muslin run  examples/03_pile.lua --out out/pile --format obj,png
--
-- Units: m, kg, s. The mesh is that of the scene S1 that other engines were measured on: a wave of 1 mm along the strip
-- determines where it folds. sources/jun1_pile.lua simulates it at any size.
local muslin = require "muslin"

local world = muslin.world { dt = 1/120, fps = 60, duration = 3, air_density = 0 }

local nodes = {30, 100} -- across, along
local mesh = muslin.mesh.grid { nodes = nodes, size = {0.3, 1}, plane = "xy", center = {0, 0.55, 0} }
for i = 1, #mesh.x do
  local along = (i - 1) // nodes[1] / (nodes[2] - 1) - 0.5
  local x, y = mesh.x:get(i)
  mesh.x:set(i, x, y, 0.001 * muslin.sin(2 * math.pi * (along + 0.5) / 0.5)) -- two waves of 1 mm determine where it folds
end
local strip = world:cloth { name = "strip", mesh = mesh, material = "cotton", thickness = 1e-3, friction = 0.3, color = "#c4703c",
  back_color = "#e3c19a" }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.3 }

-- The camera goes down with the strip, and closer to the pile.
world:camera { path = {
  { t = 0.05, from = {1.5, 1.2, 1.9}, to = {0, 0.5, 0} },
  { t = 0.25, from = {0.95, 0.75, 1.2}, to = {0, 0.25, 0} },
  { t = 0.5, from = {0.55, 0.44, 0.72}, to = {0, 0.07, 0} },
  { t = 1, from = {0.42, 0.34, 0.55}, to = {0, 0.05, 0} },
} }

local function highest() return select(2, strip:bounds()).y end

world:on("frame", function(_, t)
  if math.abs(t - 0.7) < 1e-6 then muslin.expect(highest()):at_most(0.25) end -- the strip falls instead of standing upright
end)

world:on("done", function(w, t)
  muslin.expect(w):penetration_free()
  if t < w.duration - 1e-6 then return end -- the checks below are for the state at rest
  muslin.expect(strip):stretched_at_most(0.1)
  muslin.expect(strip:strain().median):at_most(0.02)
end)

return world
