-- BRI-2: a sheet wraps two spheres (figure 2 of the report that implements Bridson et al. 2002).
--
--   muslin run examples/sources/bri2_spheres.lua --out out/bri2 --format png [-- short] [nodes=50] [friction=0.3] [mass=0]
--
-- Mesh: 50 x 50 nodes, 1.2 x 1.2 m; the spheres are exact. 360 steps of 1/120 s. With a mass, kg, the spheres are rigid
-- bodies: they lie on the floor, and the falling cloth moves them.
-- Source: neither mesh nor cost stated.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 3, nodes = 50, friction = 0.3, mass = 0 }, { duration = 1, nodes = 24 })
  local world = scene.world(o)
  local n, radius, apart, loose = math.tointeger(o.nodes), 0.16, 0.22, o.mass > 0
  local up = loose and radius + 1e-3 or 0.4
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {n, n}, size = {1.2, 1.2}, center = {0, up + 0.22, 0} },
    mass = scene.mass(world), material = scene.material(world),
    friction = o.friction,
  }
  local balls = {}
  for k, name in ipairs {"left", "right"} do
    balls[k] = world:obstacle {
      name = name, shape = "sphere", radius = radius, at = {(2 * k - 3) * apart, up, 0}, friction = o.friction,
      motion = loose and "dynamic" or nil, mass = loose and o.mass or nil,
    }
  end
  local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = o.friction }

  return scene.ends(world, function()
    muslin.expect(sheet):above(floor)
    -- Wrapped: near to each ball there is cloth at its top and below its middle on its outer side.
    for k, ball in ipairs(balls) do
      local top, below = math.huge, math.huge
      for i = 1, #sheet.x do
        local d = sheet.x[i] - ball.position
        local gap = d:length() - radius
        if d.y > 0.9 * radius then top = math.min(top, gap) end
        if d.y < 0 and d.x * (2 * k - 3) > 0.5 * radius then below = math.min(below, gap) end
      end
      muslin.expect(top, "gap over the top of the " .. ball.name .. " ball, m"):at_most(0.01)
      muslin.expect(below, "gap beside the " .. ball.name .. " ball, below its middle, m"):at_most(0.05)
    end
    if loose then
      for _, ball in ipairs(balls) do muslin.expect(ball.position.y, "height of a ball that lies on the floor, m"):near(radius, 2e-3) end
      muslin.expect(balls[2].position.x - balls[1].position.x, "distance of the balls, m"):at_least(2 * radius)
    end
    -- It hangs down between the two.
    local lowest = math.huge
    for i = 1, #sheet.x do
      local x, y, z = sheet.x:get(i)
      if math.abs(x) < 0.03 and math.abs(z) < 0.1 then lowest = math.min(lowest, y) end
    end
    muslin.expect(lowest, "height of the cloth between the balls, m"):at_most(up + 0.9 * radius)
    return ("between the balls it hangs %.0f mm under their tops"):format(1000 * (up + radius - lowest))
  end)
end
