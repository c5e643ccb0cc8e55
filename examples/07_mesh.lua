-- 07_mesh.lua: a silk sheet falls on a triangle mesh from a file.
-- muslin view --trusted examples/07_mesh.lua -- bunny.obj [y|z] [nodes]      (m, kg, s; y is up)
--
-- The mesh (OBJ, PLY, STL or glTF; "z" if its z is up) is scaled to a height of half a meter and placed on the floor. The
-- sheet, of `nodes` x `nodes` nodes (50), leaves its front free. Without a file the script makes a ball with waves. A mesh
-- with an edge of three faces is an error that names the face. --trusted: for files outside of the scene's folder.
local muslin = require "muslin"

local path, up, nodes = ...
nodes = tonumber(nodes or 50)

local function knobbly()
  local mesh = muslin.mesh.sphere { radius = 1, subdivisions = 4 }
  for i = 1, mesh.vertex_count do
    local p = mesh.x[i]
    mesh.x[i] = (1 + 0.12 * muslin.sin(5 * p.x) * muslin.sin(5 * p.y + 1) * muslin.sin(5 * p.z)) * p
  end
  return mesh
end

local body = path and muslin.mesh.load(path, { up = up or "y" }) or knobbly()
local low, high = body:bounds()
local s = 0.5 / (high.y - low.y)
body:transform {
  scale = s,
  position = {-s * (low.x + high.x) / 2, -s * low.y, -s * (low.z + high.z) / 2},
}
low, high = body:bounds()

local world = muslin.world { duration = 3 }
local width, depth = high.x - low.x, high.z - low.z
local side = 0.1 + muslin.max(width, depth) -- m
local sheet = world:cloth {
  name = "sheet",
  mesh = muslin.mesh.grid { nodes = {nodes, nodes}, size = {side, side}, center = {path and width / 4 or 0, high.y + 0.02, 0} },
  material = "silk",
  thickness = 0.001, -- m
  friction = 0.3,
  color = "#e8d8c8", -- below
  back_color = "#b03a48",
}
local obstacle = world:obstacle { name = "body", mesh = body, friction = 0.3, color = "#cfc6b8" }
local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.3 }

local away = 1.6 * side -- m
world:camera { from = {-0.75 * away, 0.2 + 0.55 * away, 1.35 * away}, to = {0, 0.24, 0}, fov = 0.5 }

world:on("frame", function(_, t)
  world:log("strain", sheet:strain().max)
  if t == 0 then
    local report = body:check()
    print(("%s: %d faces, %s"):format(path or "knobbly body", body.face_count, report.closed and "closed" or "open"))
  end
end)

world:on("done", function()
  expect(world):penetration_free()
  expect(sheet):above(floor):above(obstacle)
  expect(sheet):stretched_at_most(0.1)
  expect(sheet:centroid().y, "the sheet has come down"):less_than(high.y)
end)

return world
