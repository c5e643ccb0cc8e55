-- bodies.lua: meshes of solid bodies, m.
local muslin = require "muslin"

local bodies = {}

--- A ball of radius 1 with waves on it; 20 * 4^n triangles.
function bodies.knobbly(n)
  local mesh = muslin.mesh.sphere { radius = 1, subdivisions = n }
  for i = 1, mesh.vertex_count do
    local p = mesh.x[i]
    mesh.x[i] = (1 + 0.12 * muslin.sin(5 * p.x) * muslin.sin(5 * p.y + 1) * muslin.sin(5 * p.z)) * p
  end
  return mesh
end

--- A ball of radius 0.5 with a spike, 1 from the middle, at each corner of an icosahedron; 20 * 4^n triangles.
function bodies.star(n)
  local corners = muslin.mesh.icosahedron { radius = 1 }
  local mesh = muslin.mesh.sphere { radius = 1, subdivisions = n }
  for i = 1, mesh.vertex_count do
    local p, nearest = mesh.x[i], -1
    for k = 1, corners.vertex_count do nearest = muslin.max(nearest, p:dot(corners.x[k])) end
    local away = muslin.acos(muslin.min(nearest, 1)) -- rad from the spike's axis; 0.65 at most
    mesh.x[i] = (0.5 + 0.5 * muslin.max(0, 1 - away / 0.35)) * p
  end
  return mesh
end

--- The mesh scaled to `height`, about the y axis and on y = 0.
function bodies.standing(mesh, height)
  local low, high = mesh:bounds()
  local s = height / (high.y - low.y)
  return mesh:transform { scale = s, position = {-s * (low.x + high.x) / 2, -s * low.y, -s * (low.z + high.z) / 2} }
end

return bodies
