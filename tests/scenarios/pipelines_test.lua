-- pipelines_test.lua: the same scene under pipelines and stages that must agree, or keep apart.
local muslin = require "muslin"

local function over_ball(pipeline, threads)
  local world = muslin.world { dt = 1 / 120, pipeline = pipeline, threads = threads or 1 }
  local sheet = world:cloth {
    name = "sheet", mesh = muslin.mesh.grid { nodes = { 10, 10 }, size = { 0.4, 0.4 }, center = { 0.03, 0.13, 0.02 } },
  }
  world:cloth { name = "patch", mesh = muslin.mesh.grid { nodes = { 4, 4 }, size = { 0.1, 0.1 }, center = { 0, 0.15, 0 } } }
  world:obstacle { name = "ball", shape = "sphere", radius = 0.1 }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 }, at = { 0, -0.1, 0 } }
  return world, sheet
end

scenario.each { "robust", "sequential", "impulses", "bridson", "offset" } ("nothing meets under {}", function(pipeline)
  local world, sheet = over_ball(pipeline)
  for _ = 1, 16 do
    world:run_frame()
    expect(world):penetration_free():finite()
  end
  expect(sheet:centroid().y):between(-0.1, 0.13)
  expect(sheet):stretched_at_most(0.25)
end)

scenario.each { "hash_grid", "octree", "partition_tree", "quad_tree" } ("the broad phase {} gives the bits of brute force", function(broad)
  local usual, other = over_ball { preset = "robust", broad = "brute" }, over_ball { preset = "robust", broad = broad }
  for _ = 1, 20 do
    usual:step()
    other:step()
    expect(other:hash()):equals(usual:hash())
  end
end)

scenario.each { 2, 3 } ("{} threads change no bit", function(threads)
  local one, more = over_ball("robust", 1), over_ball("robust", threads)
  one:advance(0.2)
  more:advance(0.2)
  expect(more:hash()):equals(one:hash())
end)

scenario("a step that fails leaves the state as it was, to the bit", function()
  local world = over_ball "robust"
  world:advance(0.1)
  local hash, armed = world:hash(), true
  world:on("after_step", function() if armed then error "not this one" end end)
  expect(function() world:step() end):raises("not this one")
  expect(world:hash()):equals(hash)
  armed = false
  local twin = over_ball "robust"
  twin:advance(0.1)
  world:step()
  twin:step()
  expect(world:hash()):equals(twin:hash())
end)
