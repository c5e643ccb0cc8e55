-- bounce_test.lua: speed after over speed before the impact of a level sheet on a floor, against the pair's restitution.
local muslin = require "muslin"
local plot = require("kit.curves").plot("bounce", "restitution", "speed after over before", "linear")

local cases = {}
for _, restitution in ipairs { 0.2, 0.5, 0.8 } do
  for _, pipeline in ipairs { "robust", "sequential" } do cases[#cases + 1] = { e = restitution, pipeline = pipeline } end
end

scenario.each(cases) ("a sheet rebounds by a restitution of {e} under {pipeline}", function(case)
  local world = muslin.world { dt = 1/240, pipeline = case.pipeline, gravity = {0, 0, 0}, air_density = 0, threads = 1 }
  local sheet = world:cloth { name = "sheet", velocity = {0, -1, 0},
    mesh = muslin.mesh.grid { nodes = {8, 8}, size = {0.3, 0.3}, center = {0, 0.05, 0} } }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
  world:between({"sheet", "floor"}, { restitution = case.e })
  world:advance(0.2)
  local speed = sheet.v:mean().y
  plot.add("theory", case.e, case.e)
  plot.add(case.pipeline, case.e, speed)
  expect(speed / case.e, "speed after the impact, of the restitution's"):between(0.98, 1.02)
end)
