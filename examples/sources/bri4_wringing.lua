-- BRI-4: a sheet on a ball that spins about the vertical axis: without friction the ball slips below it, with friction it
-- rotates the sheet, whose hem lags behind (figure 4 of the report that implements Bridson et al. 2002: its test of friction).
--
--   muslin run examples/sources/bri4_wringing.lua --out out/bri4 --format png [-- short] [friction=0.5] [nodes=40] [speed=4]
--
-- Mesh: 40 x 40 nodes, 1 x 1 m, on an exact ball over the floor. 480 steps of 1/120 s; the ball turns from 1 s on, at
-- `speed` rad/s.
-- Source: neither mesh nor cost stated.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 4, nodes = 40, friction = 0.5, speed = 4, starts = 1 },
    { duration = 1.5, nodes = 20, starts = 0.5 })
  local world = scene.world(o)
  local n, radius, middle, size = math.tointeger(o.nodes), 0.22, 0.27, 1
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {n, n}, size = {size, size}, center = {0, middle + radius + 0.02, 0} },
    material = scene.material(world),
    friction = o.friction,
  }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = radius, at = {0, middle, 0}, friction = o.friction }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = o.friction }

  -- The angle of the ball: 0 until it starts, then it accelerates to its speed within half a second.
  local function turned(t)
    local s, soft = muslin.max(0, t - o.starts), 0.5
    return o.speed * (s < soft and s * s / (2 * soft) or s - soft / 2)
  end
  ball:move(function(t)
    local half = turned(t) / 2
    return {0, middle, 0}, {muslin.cos(half), 0, muslin.sin(half), 0}
  end)

  -- Rotation of the sheet's center on the ball and of its hem since the ball started, rad: the mean over their vertices,
  -- about their own center, while the center is on top: without friction the sheet slides off the ball in time.
  local groups = { cap = {}, hem = {} }
  for i = 1, #sheet.x do
    local x, _, z = sheet.x:get(i)
    local r = math.sqrt(x * x + z * z)
    if r > 0.02 and r < 0.5 * radius then
      groups.cap[#groups.cap + 1] = i
    elseif math.max(math.abs(x), math.abs(z)) > 0.4999 * size then
      groups.hem[#groups.hem + 1] = i
    end
  end
  local last, turn, wrung, on_top = {}, { cap = 0, hem = 0 }, 0, true
  world:on("frame", function(_, t)
    for name, group in pairs(groups) do
      local sum, cx, cz = 0, 0, 0
      for _, i in ipairs(group) do
        local x, _, z = sheet.x:get(i)
        cx, cz = cx + x / #group, cz + z / #group
      end
      on_top = on_top and (name ~= "cap" or muslin.sqrt(cx * cx + cz * cz) < 0.2 * radius)
      for _, i in ipairs(group) do
        local x, _, z = sheet.x:get(i)
        local angle = muslin.atan2(cz - z, x - cx)
        local step = last[i] and angle - last[i] or 0
        sum, last[i] = sum + step - 2 * math.pi * math.floor(step / (2 * math.pi) + 0.5), angle
      end
      if t > o.starts and on_top then turn[name] = turn[name] + sum / #group end
      world:log(name, turn[name])
    end
    wrung = muslin.max(wrung, turn.cap - turn.hem)
  end)

  return scene.ends(world, function()
    local ball_turn = turned(world.time)
    if o.friction == 0 then
      muslin.expect(muslin.abs(turn.cap), "turn of the cap without friction, rad"):at_most(0.02 * ball_turn)
    elseif o.friction >= 0.5 then
      muslin.expect(turn.cap, "turn of the cap, rad"):at_least(0.4 * ball_turn)
      muslin.expect(turn.hem, "turn of the hem, rad"):at_least(0.3 * ball_turn)
    end
    return ("the ball turned %.2f rad, the cap %.2f, the hem %.2f, %.2f behind at most"):format(ball_turn, turn.cap, turn.hem, wrung)
  end)
end
