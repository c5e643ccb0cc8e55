-- Step 2: names, parameters, a motion, a hook, a log, a check.
--
--   muslin view examples/tutorial/2_scene.lua
--   muslin run  examples/tutorial/2_scene.lua --out out/tray -- friction=0.05 material=silk
--
-- A sheet lies across a tray, which accelerates by 2 m/s^2 from t = 0.5 s on. Friction alone carries the sheet along:
-- completely from a coefficient of about 2/9.81 = 0.2 on.
local muslin = require "muslin"

local options = muslin.arguments { friction = 0.1, material = "cotton", nodes = 16 }

local world = muslin.world { dt = 1/240, duration = 1.1, air_density = 0 }
local sheet = world:cloth {
  name = "sheet",
  mesh = muslin.mesh.grid { nodes = {options.nodes, options.nodes}, size = {0.4, 0.4}, center = {0, 0.506, 0} },
  material = options.material,
  friction = options.friction,
}
local tray = world:obstacle {
  name = "tray", shape = "box", size = {1.6, 0.01, 0.3}, at = {0, 0.5, 0}, friction = options.friction,
}
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }

-- f(0) must be the position at the start.
tray:move(function(t)
  local s = muslin.max(t - 0.5, 0)
  return {s * s, 0.5, 0}
end)

-- Logged values are in log.csv and in the manifest; the last one is in the table of a sweep.
world:on("frame", function()
  world:log("left behind", tray.position.x - sheet:centroid().x)
end)

world:on("done", function()
  expect(world):penetration_free():finite()
  expect(sheet):stretched_at_most(0.1)
end)
return world
