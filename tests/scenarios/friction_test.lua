-- friction_test.lua: Coulomb's friction on slopes and belts, against closed forms.
local muslin = require "muslin"

local G = 9.81

-- A sheet that lies on a slope of so many radians about z, descending toward x.
local function on_slope(angle, friction, pipeline)
  local world = muslin.world { dt = 1 / 240, air_density = 0, pipeline = pipeline }
  local normal = muslin.vec3(muslin.sin(angle), muslin.cos(angle), 0)
  local mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.2, 0.2 } }
  mesh:transform { rotation = { muslin.cos(angle / 2), 0, 0, -muslin.sin(angle / 2) }, position = 0.6e-3 * normal }
  local sheet = world:cloth { mesh = mesh, friction = friction }
  world:obstacle { name = "slope", shape = "plane", normal = normal, friction = friction }
  return world, sheet
end

local slopes = {}
for _, pipeline in ipairs { "robust", "sequential", "offset", "newton", "vbd" } do
  for _, case in ipairs { { 10, 0.1 }, { 20, 0.2 }, { 30, 0 }, { 30, 0.4 } } do
    slopes[#slopes + 1] = { pipeline = pipeline, degrees = case[1], friction = case[2] }
  end
end
scenario.each(slopes) ("it slides down {degrees} degrees at friction {friction} as a block does under {pipeline}", function(p)
  local angle = math.rad(p.degrees)
  local world, sheet = on_slope(angle, p.friction, p.pipeline)
  local start = sheet:centroid()
  world:advance(0.4)
  local wanted = G * (muslin.sin(angle) - p.friction * muslin.cos(angle)) * 0.08
  expect(sheet:centroid():distance(start)):near(wanted, 0.01 * wanted)
end)

scenario.each { pipeline = { "robust", "sequential", "bridson", "offset", "newton", "vbd" } }
("it stays by a hundredth under {pipeline}", function(p)
  local world, sheet = on_slope(math.rad(20), 1.01 * math.tan(math.rad(20)), p.pipeline)
  local start = sheet:centroid()
  world:advance(0.4)
  expect(sheet:centroid():distance(start)):at_most(1e-3) -- of that 0.1 mm are the fall on the slope
end)

scenario("a belt carries what lies on it, up to its own speed", function()
  local world = muslin.world { dt = 1 / 240, air_density = 0 }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.2, 0.2 }, center = { 0, 0.051, 0 } }, friction = 0.5 }
  local belt = world:obstacle { name = "belt", shape = "box", size = { 4, 0.1, 1 }, friction = 0.5 }
  belt:move(function(t) return { 0.3 * t, 0, 0 } end)
  world:advance(0.4) -- mu g t is far above 0.3 m/s by then
  expect(sheet.v:mean().x):near(0.3, 0.03)
end)
