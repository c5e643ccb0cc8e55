-- pace_test.lua: worlds that choose the length of their steps.
local muslin = require "muslin"

scenario("what falls takes the longest steps, in frames of one length", function()
  local world <close> = muslin.world { dt = 1 / 240, dt_min = 1 / 960, dt_max = 1 / 60, air_density = 0 }
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 } } }
  assert(world.dt_min == 1 / 960 and world.dt_max == 1 / 60 and world.steps_per_frame == 4)
  world:run(0.5)
  expect(world.time):near(0.5, 1e-12)
  expect(cloth:centroid().y):near(-0.5 * 9.81 * 0.25, 1e-9)
  assert(world.steps_per_frame == 1 and world.frame == 30)
  expect(world:stats().dt):near(1 / 60, 1e-12)
end)

scenario("off unless it is requested", function()
  local world <close> = muslin.world()
  assert(world.dt_min == 0 and world.dt_max == 0)
  world:cloth { mesh = muslin.mesh.grid { nodes = { 5, 5 } } }
  world:run(0.1)
  assert(world.steps_per_frame == 4 and world.step_index == 24)
end)

scenario("bounds are judged", function()
  expect(function() muslin.world { dt_min = 0.01 } end):raises "'dt_max'"
  expect(function() muslin.world { dt_min = 0.02, dt_max = 0.01 } end):raises "no greater"
end)
