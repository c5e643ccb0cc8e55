-- hit.lua: a hanging sheet and a ball of a given speed, m/s.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(speed)
  return function(size, threads)
    local rate = math.max(120, 2 * speed) -- steps a second: the ball flies 0.4 m in one
    local world = torture.world(size, threads, { short = 0.3, full = 2, rate = rate })
    local n, radius = size and 40 or 20, 0.15
    local sheet = world:cloth {
      name = "sheet", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 1, 1 }, plane = "xy", center = { 0, 1, 0 } },
      thickness = 1e-3, friction = 0.1,
    }
    sheet:pin { vertices = { (n - 1) * n + 1, n * n } }
    -- It meets the sheet in the middle of the fifth step.
    local start = -radius - 4.5 / rate * speed
    local ball = world:obstacle { name = "ball", shape = "sphere", radius = radius, at = { 0, 1, start }, friction = 0.1 }
    ball:move(function(t) return { 0, 1, start + speed * t } end)

    -- While its middle is before the ball, the ball moves the sheet; a middle that is behind it without having been beside it
    -- was passed through.
    local middle = {}
    for i = 1, #sheet.x do
      local x, y = sheet.x:get(i)
      if math.abs(x) < 0.1 and math.abs(y - 1) < 0.1 then middle[#middle + 1] = i end
    end
    local is_in_front, furthest = true, -math.huge
    world:on("frame", function()
      local ahead, aside = 0, 0
      for _, i in ipairs(middle) do
        local d = sheet.x[i] - ball.position
        ahead = ahead + d.z / #middle
        aside = aside + math.sqrt(d.x * d.x + d.y * d.y) / #middle
      end
      if aside > radius then is_in_front = false end
      if is_in_front and ball.position.z > -radius then
        furthest = math.max(furthest, ball.position.z)
        muslin.expect(ahead, "the sheet's middle before the ball, m"):at_least(0.5 * radius)
      end
    end)
    world:on("done", function() muslin.expect(furthest, "how far the ball has is_in_front, m"):at_least(0) end)
    return torture.watch(world, { fastest = 20 * speed })
  end
end
