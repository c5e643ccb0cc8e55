-- slope_test.lua: Coulomb's law on a slope: a sheet sticks below the friction angle, and slides above it with the
-- acceleration g (sin a - mu cos a).
local muslin = require "muslin"
local plot = require("kit.curves").plot("slope", "friction", "acceleration, m/s^2", "linear")

local G, ANGLE, SECONDS = 9.81, math.rad(20), 0.5
local LIMIT = muslin.sin(ANGLE) / muslin.cos(ANGLE)

local function way_of(friction, pipeline)
  local world = muslin.world { dt = 1/240, air_density = 0, pipeline = pipeline, threads = 1 }
  local normal = muslin.vec3(muslin.sin(ANGLE), muslin.cos(ANGLE), 0)
  local mesh = muslin.mesh.grid { nodes = {6, 6}, size = {0.2, 0.2} }
  mesh:transform { rotation = {muslin.cos(ANGLE / 2), 0, 0, -muslin.sin(ANGLE / 2)}, position = 0.6e-3 * normal }
  local sheet = world:cloth { mesh = mesh, friction = friction }
  world:obstacle { name = "slope", shape = "plane", normal = normal, friction = friction }
  local start = sheet:centroid()
  world:advance(SECONDS)
  local way = sheet:centroid() - start
  return (way - way:dot(normal) * normal):length()
end

local cases = {}
for _, share in ipairs { 0, 0.3, 0.6, 0.9, 1.01, 1.2 } do
  for _, pipeline in ipairs { "robust", "sequential" } do cases[#cases + 1] = { share = share, pipeline = pipeline } end
end

scenario.each(cases) ("a sheet on a slope obeys Coulomb's law at {share} of the limit under {pipeline}", function(case)
  local friction = case.share * LIMIT
  local wanted = G * math.max(0, muslin.sin(ANGLE) - friction * muslin.cos(ANGLE))
  local got = 2 * way_of(friction, case.pipeline) / SECONDS ^ 2
  plot.add("theory", friction, wanted)
  plot.add(case.pipeline, friction, got)
  if case.share > 1 then
    expect(got, "way of a sheet that sticks, as an acceleration, m/s^2"):at_most(8e-3) -- 1 mm
  else
    expect(got / wanted, "acceleration, of a body's"):between(0.98, 1.02)
  end
end)
