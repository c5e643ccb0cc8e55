-- cantilever_test.lua: height over width of a strip that hangs from a clamp, against the gravito-bending number
-- w L^3 / D (Romero et al. 2021), for a membrane with plates. docs/accuracy.md has the figures.
local elastica = require "kit.elastica"
local strip = require "kit.strip"
local plot = require("kit.curves").plot("cantilever", "gravito-bending number", "height over width", "log")

local G = 9.81

local cases = {}
for _, gamma in ipairs { 0.1, 1, 10, 100, 1000 } do
  for _, pipeline in ipairs { "robust", "sequential" } do
    cases[#cases + 1] = { gamma = gamma, pipeline = pipeline, mesh = "even" }
  end
end
for _, pipeline in ipairs { "robust", "sequential" } do cases[#cases + 1] = { gamma = 30, pipeline = pipeline, mesh = "uneven" } end

scenario.each(cases) ("a cantilever of {gamma} on an {mesh} mesh has the elastica's aspect ratio under {pipeline}", function(case)
  local x, y = elastica.hanging(case.gamma)
  local got_x, got_y = strip.end_at_rest { pipeline = case.pipeline, uneven = case.mesh == "uneven", gravity = G,
    bending = strip.DENSITY * G * strip.LENGTH ^ 3 / case.gamma }
  plot.add("theory", case.gamma, y / x)
  plot.add(case.pipeline .. (case.mesh == "uneven" and ", uneven mesh" or ""), case.gamma, got_y / got_x)
  expect(got_y / got_x / (y / x), "height over width, of the elastica's"):between(0.97, 1.03)
end)
