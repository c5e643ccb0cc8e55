-- Sheets that start all but in touch: a carpet on the floor with no gap at all, four sheets 1 um apart on a box.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads)
  local world = torture.world(size, threads, { short = 1, full = 3 })
  local n = size and 31 or 11
  for k = 0, 3 do
    world:cloth {
      name = "sheet" .. k + 1,
      mesh = muslin.mesh.grid { nodes = { n + k, n }, size = { 0.3, 0.3 }, center = { 0.02 * k, 0.1 + 1e-6 * (k + 1), 0.01 * k } },
      thickness = 1e-3, friction = 0.3,
    }
  end
  world:cloth {
    name = "carpet", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.2, 0.2 }, center = { 0.5, 0, 0 } },
    thickness = 1e-3, friction = 0.3,
  }
  world:obstacle { name = "box", shape = "box", size = { 0.2, 0.1, 0.2 }, at = { 0, 0.05, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  return torture.watch(world, { fastest = 4, stretch = 0.2, rest_stretch = 0.12 })
end
