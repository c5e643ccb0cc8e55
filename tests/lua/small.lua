-- small.lua: what tests of hooks and scripts play in: a world of these options with a sheet of 16 vertices, 1 m up.
local muslin = require "muslin"

return function(options)
  local world = muslin.world(options)
  local mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.3, 0.3 }, center = { 0, 1, 0 } }
  return world, world:cloth { name = "sheet", mesh = mesh }
end
