-- rest_test.lua: what a step costs when all lies still, without sleep: the forces of the step before are the solution.
local muslin = require "muslin"

-- Example 02. With the warm starts of resting contacts bounded, as those of pinched cloth are, each step took 29 iterations.
scenario("a sheet that came to rest takes few iterations a step", function()
  local world = muslin.world { dt = 1/120, air_density = 0 }
  world:cloth { mesh = muslin.mesh.grid { nodes = {40, 40}, size = {1, 1}, plane = "xz", center = {0.15, 0.85, 0.08} },
    material = "cotton", thickness = 1e-3, friction = 0.1 }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.25, at = {0, 0.5, 0}, friction = 0.1 }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = 0.1 }
  local function iterations(steps)
    local sum = 0
    for _ = 1, steps do
      world:step()
      sum = sum + world:stats().iterations
    end
    return sum / steps
  end
  expect(iterations(120), "in the fall"):more_than(10)
  world:advance(2.5)
  expect(iterations(60), "at rest"):at_most(8)
end)
