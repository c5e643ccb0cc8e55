-- 16_parachute.lua: a box comes down on a parachute: cloth, seams, and soft pins to the body that hangs on them.
--
--   muslin view examples/16_parachute.lua      (m, kg, s; y is up)
--
-- A soft pin to a rigid body works both ways: the lines carry the box, and the box draws them down.
local muslin = require "muslin"

local SIZE, TOP, MASS = 1.0, 2.8, 0.04 -- m: canopy and its height; kg: box
local world = muslin.world { dt = 1 / 240, fps = 60, duration = 1.6 }
world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
local box = world:obstacle { name = "box", shape = "box", size = {0.1, 0.08, 0.1}, at = {0, TOP - 0.8, 0}, motion = "dynamic",
  mass = MASS, color = "#b07a3c" }
local canopy = world:cloth { name = "canopy", material = "silk", color = "#c8553d",
  mesh = muslin.mesh.grid { nodes = {31, 31}, size = {SIZE, SIZE}, center = {0, TOP, 0} } }

-- a ribbon from each corner of the canopy to beside a corner of the box's top
local WIDTH, NODES = 0.012, 24 -- m; along a ribbon
local lines = {}
for _, corner in ipairs { {1, -1, -1}, {31, 1, -1}, {931, -1, 1}, {961, 1, 1} } do
  local vertex, x, z = table.unpack(corner)
  local from, to = canopy.x[vertex], box.position + muslin.vec3(0.054 * x, 0.044, 0.054 * z)
  local along = (to - from):normalized()
  local across = along:cross(muslin.vec3(0, 1, 0)):normalized()
  local length = (to - from):length() - 0.008
  local mesh = muslin.mesh.grid { nodes = {2, NODES}, size = {WIDTH, length} }
  for i = 1, #mesh.x do
    local row, column = (i - 1) // 2, (i - 1) % 2
    mesh.x[i] = from + (0.006 + row / (NODES - 1) * length) * along + (column - 0.5) * WIDTH * across
  end
  local line = world:cloth { name = "line " .. vertex, mesh = mesh, material = "cotton", color = "#ece4d0" }
  world:stitch { a = { line, { 1, 2 } }, b = { canopy, { vertex, vertex } }, closing_time = 0.05 }
  line:pull { vertices = { 2 * NODES - 1, 2 * NODES }, to = box, stiffness = 2000 }
  lines[#lines + 1] = line
end

world:camera { from = {1.6, 2.75, 2.0}, to = {0, 2.62, 0}, fov = math.rad(52), follow = box }

local fastest = 0
world:on("frame", function(w)
  muslin.expect(w):penetration_free()
  fastest = math.max(fastest, -box.velocity.y)
end)
world:on("done", function(w)
  -- falling freely from there it would land at 6.2 m/s
  muslin.expect(fastest, "highest speed of the box, m/s"):less_than(3.6)
  if w.time > 1.5 then muslin.expect(box.position.y, "height of the box, m"):less_than(0.05) end
  for _, line in ipairs(lines) do muslin.expect(line:strain().max, "stretch of " .. line.name):less_than(0.11) end
end)

return world
