-- second_order_test.lua: the integrator generalized_alpha: its order, what it keeps between steps, and what it does not.
local muslin = require "muslin"

-- A sheet that hangs by its upper edge, and swings.
local function swinging(settings)
  settings.air_density = 0
  local world = muslin.world(settings)
  local mesh = muslin.mesh.grid { nodes = {2, 9}, size = {0.05, 0.4}, plane = "xy", center = {0, -0.2, 0} }
  for i = 1, mesh.vertex_count do
    local x, y = mesh.x:get(i)
    mesh.x:set(i, x, y * math.cos(0.3), y * math.sin(0.3))
  end
  local sheet = world:cloth { name = "sheet", mesh = mesh, self_collision = false, material = { preset = "cotton", bending = 0,
    damping = 0, bending_damping = 0, drag = 0, stretch = 20 } }
  sheet:pin { edge = "top" }
  return world, sheet
end

-- m: where its lower end is after half a second.
local function swung_by(pipeline, rate)
  local world, sheet = swinging { dt = 1 / rate, pipeline = pipeline }
  world:advance(0.5)
  return sheet.x[1].z
end

scenario("with small time steps it swings as under robust; with large ones it is ten times nearer to that", function()
  local exact = swung_by("lively", 1600)
  local euler, euler_half = exact - swung_by("robust", 100), exact - swung_by("robust", 200)
  expect(euler, "what implicit Euler damps, m"):at_least(0.01)
  expect(euler / euler_half, "errors of implicit Euler"):between(1.7, 2.4)
  for _, rate in ipairs { 100, 200 } do
    expect(math.abs(exact - swung_by("lively", rate)), ("error with 1/%d s"):format(rate)):at_most(0.1 * euler * 100 / rate)
  end
end)

scenario("a snapshot has the forces that the next step remembers", function()
  local path = ".second_order_test.muslin" -- in the folder that the tests run in
  local world = swinging { dt = 1/120, pipeline = "lively" }
  world:advance(0.2)
  world:save(path)
  local loaded = muslin.load(path)
  for _, each in ipairs { world, loaded } do each:advance(0.1) end
  expect(loaded:hash()):equals(world:hash())
  world:restore(path)
  world:advance(0.1)
  expect(loaded:hash()):equals(world:hash())
end)

-- A strip, stretched by 2 %, with pinned ends.
local function taut()
  local world = muslin.world { dt = 1/120, pipeline = "lively", gravity = {0, 0, 0}, air_density = 0 }
  local mesh = muslin.mesh.grid { nodes = {9, 3}, size = {0.4, 0.1} }
  local strip = world:cloth { name = "strip", mesh = mesh, material = "cotton" }
  for i = 1, #strip.x do
    local x, y, z = strip.x:get(i)
    strip.x:set(i, 1.02 * x, y, z)
  end
  strip:pin { where = function(x) return math.abs(x) > 0.2 end }
  return world, strip, mesh
end

scenario("where positions are written, forces of the step before have no effect", function()
  local world, strip, mesh = taut()
  world:advance(0.1)
  expect(strip:strain().max):at_least(0.015)
  strip:unpin()
  for i = 1, #strip.x do
    strip.x:set(i, mesh.x:get(i))
    strip.v:set(i, 0, 0, 0)
  end
  world:step()
  expect(strip.v:norm(), "speed of a strip that was put into its rest shape"):at_most(1e-9)
end)

scenario("a strip that is unpinned springs back, and keeps its momentum", function()
  local world, strip = taut()
  world:advance(0.1)
  strip:unpin()
  local function momentum()
    local sum = muslin.vec3()
    for i = 1, #strip.v do sum = sum + strip.m[i] * strip.v[i] end
    return sum
  end
  local before = momentum()
  for _ = 1, 60 do
    world:step()
    expect((momentum() - before):length() / strip.m:sum(), "change of the center's speed, m/s"):at_most(1e-12)
  end
  expect(strip:strain().max):at_most(0.011)
end)

scenario("it is refused where contacts are handled after dynamics", function()
  local ok, message = pcall(muslin.world, { pipeline = { preset = "sequential", integrator = "generalized_alpha" } })
  expect(ok):equals(false)
  expect(message:find("choose response 'coupled', or integrator 'implicit_euler'", 1, true) ~= nil):equals(true)
  expect(muslin.world { pipeline = { preset = "robust", integrator = "generalized_alpha" } }.pipeline.response):equals("coupled")
end)

scenario("what a hook moves arrives there, as under robust", function()
  for _, pipeline in ipairs { "robust", "lively" } do
    local world = muslin.world { dt = 1/120, pipeline = pipeline, gravity = {0, 0, 0}, air_density = 0 }
    local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {5, 5}, size = {0.1, 0.1} } }
    world:on("candidate", function()
      for i = 1, #sheet.x do
        local x, y, z = sheet.x:get(i)
        sheet.x:set(i, x, y + (world.step_index == 5 and 2e-3 or 0), z)
      end
    end)
    for _ = 1, 6 do world:step() end
    expect(sheet.x:mean().y, pipeline):near(2e-3, 1e-6)
  end
end)
