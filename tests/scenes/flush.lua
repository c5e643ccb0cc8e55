-- Sheets that start in exact touch, with no gap at all: two that lie in each other on a box, one on a ball, one on the floor
-- and one that stands on it.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads, pipeline)
  local world = torture.world(size, threads, { short = 0.5, full = 3, pipeline = pipeline })
  local n = size and 31 or 11
  local stiff = { bending = 9e-5 } -- softer ones still fold at the end, and new contacts have a quarter of their gap
  for k = 1, 2 do
    world:cloth {
      name = "layer" .. k, mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.2, 0.2 }, center = { -0.5, 0.1, 0 } },
      thickness = 1e-3, friction = 0.3, material = stiff,
    }
  end
  world:obstacle { name = "table", shape = "box", size = { 0.3, 0.1, 0.3 }, at = { -0.5, 0.05, 0 } }
  world:cloth {
    name = "scarf", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.2, 0.2 }, center = { 0, 0.125, 0.5 } },
    thickness = 1e-3, friction = 0.3, material = stiff,
  }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.0625, at = { 0, 0.0625, 0.5 } }
  world:cloth {
    name = "mat", mesh = muslin.mesh.grid { nodes = { n, n }, size = { 0.2, 0.2 }, center = { 0, 0, -0.5 } },
    thickness = 1e-3, friction = 0.3, material = stiff,
  }
  world:cloth {
    name = "curtain", mesh = muslin.mesh.strip { nodes = { n, n }, size = { 0.125, 0.125 }, center = { 0.003, 0.0625, -0.503 } },
    thickness = 1e-3, friction = 0.3, material = stiff,
  }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  -- Under a load that has just been applied, the default pipeline moves each supporting vertex by its own mass: it stands out
  -- by dt^2 times load by mass, the further the finer the scarf is, and what that stretches presses on the ball.
  local pressed = size and not pipeline and 0.1 or nil
  return torture.watch(world, { fastest = 4, stretch = 0.2, rest_stretch = 0.12, gap = pressed })
end
