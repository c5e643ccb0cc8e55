-- sets.lua: cloth and obstacles of the source scenes; the examples 02 to 05 make the same ones in their files. Each function adds them to a
-- world and returns the cloth (and what else the caller needs). Units: m; sizes are those of the scenes S1 to S4 that other
-- engines were measured on.
local muslin = require "muslin"
local scene = require "kit.scene"

local sets = {}

--- S2o: a level sheet, a little off the middle of a ball over the floor. nodes along an edge (40), friction (0.1).
function sets.ball(world, nodes, friction)
  nodes, friction = nodes or 40, friction or 0.1
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {1, 1}, plane = "xz", center = {0.15, 0.85, 0.08} },
    material = scene.material(world, "cotton"),
    thickness = scene.thickness(world, 1 / (nodes - 1), 1e-3),
    friction = friction,
  }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.25, at = {0, 0.5, 0}, friction = friction }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = friction }
  return sheet
end

--- S1: a strip hung upright 5 cm over the floor; a wave of 1 mm along it determines where it folds. nodes across (30) and along
--- (100), friction (0.3).
function sets.strip(world, nu, nv, friction)
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
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = friction }
  return strip
end

--- S3 and S3f: a sheet hung by two corners and a ball that flies through its middle at `speed`, m/s; nodes along an edge
--- (40). If the sheet's middle is behind the ball without having been beside it, the ball has passed through: the step
--- fails. Returns the sheet and a function that returns the distance beyond the sheet's plane to which the ball was in
--- contact, and the displacement of the sheet's middle along its path, m.
function sets.hit(world, speed, nodes)
  nodes = nodes or 40
  local radius, start = 0.15, speed > 20 and -2 or -1
  local sheet = world:cloth {
    name = "sheet",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {1, 1}, plane = "xy", center = {0, 1, 0} },
    material = scene.material(world, "cotton"),
    thickness = scene.thickness(world, 1 / (nodes - 1), 1e-3),
    friction = 0.1,
  }
  sheet:pin { vertices = {(nodes - 1) * nodes + 1, nodes * nodes} }

  local ball = world:obstacle { name = "ball", shape = "sphere", radius = radius, at = {0, 1, start}, friction = 0.1 }
  ball:move(function(t) return {0, 1, start + speed * t} end)

  local middle = {}
  for i = 1, #sheet.x do
    local x, y = sheet.x:get(i)
    if math.abs(x) < 0.1 and math.abs(y - 1) < 0.1 then middle[#middle + 1] = i end
  end
  local in_contact, furthest, carried = true, -math.huge, 0
  world:on("after_step", function()
    local ahead, aside, place = 0, 0, 0
    for _, i in ipairs(middle) do
      local d = sheet.x[i] - ball.position
      place = place + sheet.x[i].z / #middle
      ahead = ahead + d.z / #middle
      aside = aside + math.sqrt(d.x * d.x + d.y * d.y) / #middle
    end
    carried = math.max(carried, place)
    if aside > radius and furthest > -math.huge then in_contact = false end -- slipped off
    if in_contact then
      if ball.position.z > -radius then furthest = math.max(furthest, ball.position.z) end
      muslin.expect(ahead, "the sheet's middle before the ball, m"):at_least(0.5 * radius)
    end
  end)
  return sheet, function() return furthest, carried end
end

--- S4: a small tablecloth, level above a box, off-center; no friction. nodes along an edge (25), height of the
--- box (0.1).
function sets.tablecloth(world, nodes, height)
  local start = height and height + 0.02 or 0.12
  nodes, height = nodes or 25, height or 0.1
  local cloth = world:cloth {
    name = "tablecloth",
    mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {0.24, 0.24}, plane = "xz", center = {0.05, start, 0.03} },
    material = scene.material(world, "cotton"),
    thickness = scene.thickness(world, 0.24 / (nodes - 1), 1e-3),
    friction = 0,
  }
  world:obstacle { name = "box", shape = "box", size = {0.12, height, 0.12}, at = {0, height / 2, 0}, friction = 0 }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0 }
  return cloth
end

return sets
