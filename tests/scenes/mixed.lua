-- Triangles of very different sizes: two sheets whose edges grow from 1 mm to a tenth of a meter, one of two large triangles,
-- and a fine one, in a heap.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads)
  local world = torture.world(size, threads, { short = 1.2, full = 3 })
  local n = size and 32 or 14
  local growth = size and 4 or 5.3 -- edges from 1 mm on in either size
  local function graded(s) return (muslin.exp(growth * s) - 1) / (muslin.exp(growth) - 1) end
  for k = 0, 1 do
    world:cloth {
      name = "graded" .. k + 1,
      mesh = torture.sheet(n, n, function(u, v)
        local a, b = graded(u) - 0.5, graded(v) - 0.5
        return k == 0 and { 0.4 * a, 0.1, 0.4 * b } or { -0.4 * b, 0.13 + 0.02 * u, 0.4 * a }
      end),
      thickness = 1e-3, friction = 0.3,
    }
  end
  world:cloth {
    name = "two triangles", mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 0.3, 0.3 }, center = { 0.02, 0.18, 0.05 } },
    thickness = 1e-3, friction = 0.3,
  }
  world:cloth {
    name = "fine",
    mesh = muslin.mesh.grid { nodes = { 2 * n, 2 * n }, size = { 0.1, 0.1 }, center = { -0.03, 0.2, 0.01 } },
    thickness = 1e-3, friction = 0.3,
  }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.04, at = { 0, 0.04, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  -- By the last bits (friction varied by 1e-5 in eight runs): 1.6 to 4 m/s, and stretch of the edges of 1 mm 12 to 17 %.
  return torture.watch(world, { fastest = 6, stretch = 0.25 })
end
