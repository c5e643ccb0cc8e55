-- A sheet hangs by two corners; a ball flies through its middle: it pushes the sheet and the sheet slips off, but nothing passes
-- through (Jung 2005, scene 3). The ball's speed is the script's argument, 5 m/s if none is given.
--
--   muslin view examples/04_sphere_hit.lua
--   muslin run  examples/04_sphere_hit.lua --out out/hit50 -- 50
--
-- Units: m, kg, s. The mesh is that of the scenes S3 (5 m/s) and S3f (50 m/s) that other engines were measured on.
local muslin = require "muslin"

return function(speed)
  speed = tonumber(speed or 5)
  local start = speed > 20 and -2 or -1
  local world = muslin.world { dt = 1/120, fps = 60, duration = 2, air_density = 0 }

  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {40, 40}, size = {1, 1}, plane = "xy", center = {0, 1, 0} },
    material = "cotton",
    thickness = 1e-3,
    friction = 0.1,
  }
  sheet:pin { vertices = {39 * 40 + 1, 40 * 40} }

  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.15, at = {0, 1, start}, friction = 0.1 }
  ball:move(function(t) return {0, 1, start + speed * t} end)

  -- From the impact on: a node of the middle patch may be behind the ball only once it is beside it.
  local middle = {}
  for i = 1, #sheet.x do
    local x, y = sheet.x:get(i)
    if math.abs(x) < 0.1 and math.abs(y - 1) < 0.1 then middle[#middle + 1] = i end
  end
  local pushed = true
  world:on("frame", function()
    local behind, aside = 0, 0
    for _, i in ipairs(middle) do
      local d = sheet.x[i] - ball.position
      behind = behind + d.z / #middle / 0.15
      aside = aside + math.sqrt(d.x * d.x + d.y * d.y) / #middle / 0.15
    end
    if aside > 1 then pushed = false end -- slipped off
    if pushed then muslin.expect(behind):at_least(0.5) end
  end)

  local worst = 0
  world:on("after_step", function() worst = math.max(worst, sheet:strain().max) end)

  world:on("done", function(w)
    muslin.expect(w):penetration_free()
    w:log("worst strain", worst)
    if speed <= 5 then muslin.expect(worst):at_most(0.3) end
  end)

  return world
end
