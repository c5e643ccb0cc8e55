-- elastica_test.lua: where a strip without weight ends that is clamped at one end and pulled down at the other, against
-- Bisshopp & Drucker 1945, for a membrane with plates.
local elastica = require "kit.elastica"
local strip = require "kit.strip"
local plot = require("kit.curves").plot("elastica", "load P L^2 / D", "sag over length", "linear")

-- The solver of the reference itself: sag and shortening at load 2 in the paper's table are 0.493 and 0.161.
scenario("the reference has the published sag", function()
  local x, y = elastica.loaded(2)
  expect(y):near(0.493, 1e-3)
  expect(1 - x):near(0.161, 1e-3)
end)

local cases = {}
for _, load in ipairs { 1, 2, 5, 10 } do
  for _, pipeline in ipairs { "robust", "sequential" } do cases[#cases + 1] = { load = load, pipeline = pipeline } end
end

scenario.each(cases) ("under load {load} a strip's end is that of the elastica under {pipeline}", function(case)
  local bending = 1e-3 -- stiff, so that it settles within a second
  local x, y = elastica.loaded(case.load)
  local got_x, got_y = strip.end_at_rest { pipeline = case.pipeline, gravity = 0, bending = bending,
    force = case.load * bending * strip.WIDTH / strip.LENGTH ^ 2 }
  plot.add("theory", case.load, y)
  plot.add(case.pipeline, case.load, got_y)
  expect(got_y / y, "sag, of the elastica's"):between(0.97, 1.03)
  expect(got_x / x, "extent, of the elastica's"):between(0.97, 1.03)
end)
