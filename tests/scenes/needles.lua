-- A sheet falls on a bed of needles whose points lie between its vertices.
local torture = require "kit.torture"
local muslin = require "muslin"

local function needle(x, z, height, width)
  local w = width / 2
  return muslin.mesh.new {
    vertices = { { x, height, z }, { x - w, 0.01, z - w }, { x + w, 0.01, z - w }, { x + w, 0.01, z + w }, { x - w, 0.01, z + w } },
    faces = { { 1, 3, 2 }, { 1, 4, 3 }, { 1, 5, 4 }, { 1, 2, 5 }, { 2, 3, 4 }, { 2, 4, 5 } },
  }
end

return function(size, threads)
  local world = torture.world(size, threads, { short = 1, full = 4 })
  local n, rows = size and 50 or 16, size and 9 or 5
  local sheet = world:cloth {
    name = "sheet", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.5, 0.5 }, center = { 0.003, 0.3, 0.005 } },
    thickness = 1e-3, friction = 0.3,
  }
  for j = 1, rows do
    for i = 1, rows do
      local x, z = 0.4 * ((i - 0.5) / rows - 0.5), 0.4 * ((j - 0.5) / rows - 0.5)
      world:obstacle { name = ("needle %d %d"):format(i, j), mesh = needle(x, z, 0.15, 0.006), friction = 0.3 }
    end
  end
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  world:on("done", function() muslin.expect(sheet:centroid().y, "height, m"):between(0.05, 0.2) end)
  return torture.watch(world, { fastest = 6, stretch = 0.3 })
end
