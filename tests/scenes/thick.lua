-- Cloth thicker than its edges are long falls over a ball and folds on the floor.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads)
  local world = torture.world(size, threads, { short = 1.5, full = 4 })
  local n = size and 50 or 24
  world:cloth {
    name = "felt", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.3, 0.3 }, center = { 0.05, 0.32, 0.03 } },
    thickness = 1.6 * 0.3 / (n - 1), friction = 0.3,
  }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.06, at = { 0, 0.2, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  return torture.watch(world, { fastest = 8, stretch = 0.4, rest_stretch = 0.12 })
end
