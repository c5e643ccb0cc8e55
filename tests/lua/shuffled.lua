-- shuffled.lua: shuffled(mesh): the same surface, numbered so that neighbors are far apart in memory. From 1000 vertices on the
-- solver works on a reordered copy of such a mesh. The number of vertices must be no multiple of 7.
local muslin = require "muslin"

return function(mesh)
  local count, vertices, faces = mesh.vertex_count, {}, mesh:faces()
  assert(count % 7 ~= 0, "7 i modulo the count takes each value once")
  local function number(i) return 7 * i % count + 1 end
  for i = 1, count do vertices[number(i)] = mesh.x[i] end
  for _, face in ipairs(faces) do
    for k = 1, 3 do face[k] = number(face[k]) end
  end
  return muslin.mesh.new { vertices = vertices, faces = faces }
end
