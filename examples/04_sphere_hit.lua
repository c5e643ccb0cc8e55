-- A sheet hangs by two corners; a ball hits its middle: it displaces the sheet, which slips off without penetration
-- (Jung 2005, scene 3). The ball's speed is the script's argument, 5 m/s if none is given.
-- Look at the sheet around the ball: it is stretched between the pins, and stays in front of the ball until it slips off.
--
--   muslin view examples/04_sphere_hit.lua
--   muslin run  examples/04_sphere_hit.lua --out out/hit50 -- 50
--
-- Units: m, kg, s. The mesh is that of the scenes S3 (5 m/s) and S3f (50 m/s) that other engines were measured on.
local muslin = require "muslin"

return function(speed)
  speed = tonumber(speed or 5)
  local world = muslin.world { dt = 1/120, fps = 60, duration = 2, air_density = 0 }
  local nodes, radius, start = 40, 0.15, speed > 20 and -2 or -1
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {1, 1}, plane = "xy", center = {0, 1, 0} },
    material = "cotton",
    thickness = 1e-3,
    friction = 0.1,
    color = "#3f7d8c",
    back_color = "#dce3dc",
  }
  sheet:pin { corners = {"top_left", "top_right"} }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = radius, at = {0, 1, start}, friction = 0.1 }
  ball:move(function(t) return {0, 1, start + speed * t} end)

  -- The camera moves away when the ball throws the sheet up.
  world:camera { path = {
    { t = 0.3, from = {2.3, 1.6, 2.2}, to = {0, 1.1, 0.2} },
    { t = 0.55, from = {2.9, 1.9, 2.8}, to = {0, 1.5, 0.2} },
  } }

  local middle = nodes // 2 * nodes + nodes // 2
  local worst, slipped = 0, false
  world:on("after_step", function()
    worst = math.max(worst, sheet:strain().max)
    local d = sheet.x[middle] - ball.position
    slipped = slipped or math.sqrt(d.x * d.x + d.y * d.y) > radius
    if not slipped then muslin.expect(d.z, "the sheet's middle before the ball, m"):at_least(0.5 * radius) end
  end)

  world:on("done", function(w)
    muslin.expect(w):penetration_free()
    w:log("worst strain", worst)
    if speed <= 5 then muslin.expect(worst):at_most(0.3) end
  end)

  return world
end
