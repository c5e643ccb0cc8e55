-- BRI-4: a sheet lies over a ball and on the floor; the ball spins about the vertical axis and rotates the sheet by friction, while
-- the floor delays its hem. The sheet is wrung: it is wound around the ball in oblique folds. Without friction the ball slips
-- below it (figure 4 of the report that implements Bridson et al. 2002: its test of friction).
--
--   muslin run examples/sources/bri4_wringing.lua --out out/bri4 --format png [-- short] [friction=2] [size=1.8] [nodes=40] [speed=4]
--
-- Mesh: 40 x 40 nodes, 1.8 x 1.8 m, on an exact ball over the floor. 600 steps of 1/120 s; the ball turns from 1 s on, at
-- `speed` rad/s. friction: coefficient of the sheet with ball and floor; of the sheet with itself it is 1.
-- Source: neither mesh nor cost stated, nor coefficients. 2 is that of rubber. The hem of a smaller sheet follows at once (size=1
-- friction=0.5). Whether the sheet sticks to the ball or to the floor depends on the method: under `offset` the ball slips, under `bridson`
-- it does so most of the time.
local muslin = require "muslin"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 120, duration = 5, nodes = 40, friction = 2, speed = 4, starts = 1, size = 1.8, air = 1.2 },
    { duration = 2, nodes = 20, starts = 0.5 })
  local world = scene.world(o)
  local n, radius, middle, size = math.tointeger(o.nodes), 0.22, 0.35, o.size
  local rough = o.friction * o.friction -- a pair has the geometric mean of both sides, and the sheet has 1
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {n, n}, size = {size, size}, center = {0, middle + radius + 0.02, 0} },
    mass = scene.mass(world), material = scene.material(world),
    friction = 1,
  }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = radius, at = {0, middle, 0}, friction = rough }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = rough }

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

  -- Turns of the sheet about the axis of the ball, from its middle to its hem.
  local spokes, c = { {}, {}, {}, {} }, n // 2
  for k = 2, n - 1 - c do
    for side, step in ipairs { 1, -1, n, -n } do spokes[side][k - 1] = 1 + c + c * n + k * step end
  end
  local function wound()
    local sum = 0
    for _, spoke in ipairs(spokes) do sum = sum + muslin.measure.turns(sheet, spoke) / #spokes end
    return sum
  end
  local before = wound()

  return scene.ends(world, function()
    local ball_turn, layers, turns = turned(world.time), muslin.measure.layers(sheet), before - wound()
    if o.friction == 0 then
      muslin.expect(muslin.abs(turn.cap), "turn of the cap without friction, rad"):at_most(0.02 * ball_turn)
    elseif o.size <= 1 and o.friction >= 0.5 then -- the hem hangs free, and follows
      muslin.expect(turn.cap, "turn of the cap, rad"):at_least(0.4 * ball_turn)
      muslin.expect(turn.hem, "turn of the hem, rad"):at_least(0.3 * ball_turn)
    elseif o.size >= 1.8 and o.friction >= 2 then
      muslin.expect(turn.cap, "turn of the cap, rad"):at_least(0.8 * ball_turn)
      muslin.expect(wrung, "largest turn of the hem behind the cap, rad"):at_least(o.is_short and 0.3 or 0.6)
      muslin.expect(turns, "turns of the sheet about the axis"):at_least(o.is_short and 0.05 or 0.1)
      if not o.is_short then
        muslin.expect(layers.area, "covered area, m^2"):at_most(1)
        muslin.expect(layers.mean, "layers"):at_least(2)
      end
    end
    return ("the ball turned %.2f rad, the cap %.2f, the hem %.2f, %.2f behind at most; %.2f turns, %.2f m^2 covered by %.1f layers")
      :format(ball_turn, turn.cap, turn.hem, wrung, turns, layers.area, layers.mean)
  end)
end
