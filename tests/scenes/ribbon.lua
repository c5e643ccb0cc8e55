-- A long ribbon falls on its end and piles up in loops: self-contact of many layers, and rest at the end.
local torture = require "kit.torture"
local muslin = require "muslin"

return function(size, threads)
  local world = torture.world(size, threads, { short = 2, full = 6 })
  local nv, length = size and 400 or 120, size and 4 or 1.2
  local ribbon = world:cloth {
    name = "ribbon",
    mesh = torture.sheet(size and 8 or 6, nv, function(u, v)
      return { 0.05 * (u - 0.5), 0.02 + length * v, 0.004 * muslin.sin(40 * v * length) + 0.1 * u * 0.02 }
    end),
    thickness = 1e-3, friction = 0.3,
  }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  world:on("done", function() muslin.expect(select(2, ribbon:bounds()).y, "height of the pile, m"):at_most(0.3) end)
  return torture.watch(world, { fastest = 12, stretch = 0.3, rest = 0.5, rest_stretch = 0.12 })
end
