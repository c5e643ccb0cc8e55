-- sets.lua: cloth and obstacles of the source scenes; the examples 02 to 05 make the same ones in their files. Each function adds them to a
-- world and returns the cloth (and what else the caller needs). Units: m; sizes are those of the scenes S1 to S4 that other
-- engines were measured on.
local muslin = require "muslin"
local scene = require "kit.scene"

local sets = {}

--- S2o: a level sheet, a little off the middle of a ball over the floor. nodes along an edge (40); friction: a number (0.1), or
--- the coefficients {cloth, ball, floor}.
function sets.ball(world, nodes, friction)
  nodes, friction = nodes or 40, friction or 0.1
  if type(friction) == "number" then friction = { cloth = friction, ball = friction, floor = friction } end
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {1, 1}, plane = "xz", center = {0.15, 0.85, 0.08} },
    material = scene.material(world, "cotton"),
    thickness = scene.thickness(world, 1 / (nodes - 1), 1e-3),
    friction = friction.cloth,
  }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.25, at = {0, 0.5, 0}, friction = friction.ball }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = friction.floor }
  return sheet
end

--- S1: a strip hung upright 5 cm over the floor; a wave of 1 mm along it determines where it folds. nodes across (30) and along
--- (100), friction (0.3) and the floor's (the same).
function sets.strip(world, nu, nv, friction, floor)
  nu, nv, friction = nu or 30, nv or 100, friction or 0.3
  local mesh = muslin.mesh.grid { nodes = {nu, nv}, size = {0.3, 1}, plane = "xy", center = {0, 0.55, 0} }
  for j = 0, nv - 1 do
    local v = j / (nv - 1) - 0.5
    for i = 1, nu do
      local x, y = mesh.x:get(i + j * nu)
      mesh.x:set(i + j * nu, x, y, 0.001 * muslin.sin(2 * math.pi * (v + 0.5) / 0.5))
    end
  end
  local strip = world:cloth { name = "strip", mesh = mesh, material = scene.material(world, "cotton"), friction = friction,
    thickness = scene.thickness(world, muslin.max(0.3 / (nu - 1), 1 / (nv - 1)), 1e-3) }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = floor or friction }
  return strip
end

--- S3 and S3f: a sheet hung by two corners and a ball that flies through its middle at `speed`, m/s; nodes along an edge
--- (40). With `hit`, the time of the hit in s, the sheet starts level instead, swings down, and is hit while it falls.
--- If the sheet's middle is behind the ball without having been beside it, the ball has passed through: the step
--- fails. Returns the sheet and a function that returns the distance beyond the place of the first contact to which the
--- ball was in contact, and the displacement of the sheet's middle along its path, m.
function sets.hit(world, speed, nodes, hit)
  nodes = nodes or 40
  local radius, along, start = 0.15, muslin.vec3(0, 0, 1), muslin.vec3(0, 1, speed > 20 and -2 or -1)
  if hit then -- at 0.4 s the middle of the falling sheet is here, and this its normal
    along = muslin.vec3(0, 0.8, 0.6)
    start = muslin.vec3(0, 1.1, 0.29) - (radius + speed * hit) * along
  end
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {1, 1}, plane = hit and "xz" or "xy",
      center = hit and {0, 1.5, 0.5} or {0, 1, 0} },
    material = scene.material(world, "cotton"),
    thickness = scene.thickness(world, 1 / (nodes - 1), 1e-3),
    friction = 0.1,
  }
  sheet:pin { vertices = hit and {1, nodes} or {(nodes - 1) * nodes + 1, nodes * nodes} }

  local ball = world:obstacle { name = "ball", shape = "sphere", radius = radius, at = start, friction = 0.1 }
  ball:move(function(t) return start + speed * t * along end)

  local middle, rest = {}, sheet:centroid()
  for i = 1, #sheet.x do
    local d = sheet.x[i] - rest
    if math.max(math.abs(d.x), math.abs(d.y), math.abs(d.z)) < 0.1 then middle[#middle + 1] = i end
  end
  local in_contact, furthest, carried, first = true, -math.huge, 0, not hit and 0 or nil
  world:on("after_step", function()
    local ahead, aside, place = 0, 0, 0
    for _, i in ipairs(middle) do
      local d = sheet.x[i] - ball.position
      place = place + sheet.x[i]:dot(along) / #middle
      ahead = ahead + d:dot(along) / #middle
      aside = aside + (d - d:dot(along) * along):length() / #middle
    end
    if not first and ahead < 1.5 * radius then first = place end -- about to be hit
    if not first then return end
    carried = math.max(carried, place - first)
    if aside > radius and furthest > -math.huge then in_contact = false end -- slipped off
    if in_contact then
      local at = ball.position:dot(along)
      if at > first - radius then furthest = math.max(furthest, at - first) end
      local surface = math.sqrt(math.max(0, radius * radius - aside * aside)) -- the ball's, that far from its path
      muslin.expect(ahead, "the sheet's middle before the ball, m"):at_least(0.5 * surface)
    end
  end)
  return sheet, function() return furthest, carried end
end

--- S4: a small tablecloth, level above a box, off-center; no friction. nodes along an edge (25), height of the
--- box (0.1). others: the cloth's material ("cotton"), and friction of cloth and floor (0).
function sets.tablecloth(world, nodes, height, others)
  local start = height and height + 0.02 or 0.12
  nodes, height, others = nodes or 25, height or 0.1, others or {}
  local cloth = world:cloth {
    name = "tablecloth",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {0.24, 0.24}, plane = "xz", center = {0.05, start, 0.03} },
    material = scene.material(world, others.material or "cotton", true),
    thickness = scene.thickness(world, 0.24 / (nodes - 1), 1e-3),
    friction = others.cloth or 0,
  }
  world:obstacle { name = "box", shape = "box", size = {0.12, height, 0.12}, at = {0, height / 2, 0}, friction = 0 }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = others.floor or 0 }
  return cloth
end

return sets
