-- node_force_test.lua: traced forces on vertices: same numbers as the plain function; stiff ones are implicit by derivatives.
local muslin = require "muslin"

local function world_of(pipeline, dt)
  local world = muslin.world { dt = dt or 1 / 120, fps = 1 / (dt or 1 / 120), pipeline = pipeline, gravity = { 0, 0, 0 } }
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 9, 8 }, size = { 0.4, 0.35 },
    center = { 0.2, 0.1, 0 }, plane = "xy" } }
  return world, sheet
end

local function hashes(world, steps)
  local list = {}
  for k = 1, steps do
    world:step()
    list[k] = world:hash()
  end
  return table.concat(list, " ")
end

local k = muslin.param("k", 20)

local function law(n)
  local away = muslin.vec3(0, 0.5, 0) - n.position
  local gust = muslin.vec3(muslin.sin(9 * n.time), muslin.noise(3 * n.position), n.dt)
  return k * n.mass * away - 0.05 * n.area * n.velocity:length() * n.velocity + 0.3 * n.area * muslin.abs(n.normal.z) * gust
end

local explicit = { preset = "sequential", integrator = "semi_implicit_euler" }

scenario("a traced force is the plain one's", function()
  local function run(options, pipeline)
    local world = world_of(pipeline)
    world:force(muslin.node_force(options, law))
    return hashes(world, 20)
  end
  assert(run({}, explicit) == run({ trace = false }, explicit), "explicit steps see the force alone")
  assert(run({}, explicit) ~= hashes(world_of(explicit), 20))
  for _, pipeline in ipairs { explicit, "robust", "lively", "sequential", "offset" } do
    assert(run({ check = true }, pipeline) == run({}, pipeline), tostring(pipeline))
  end
end)

-- A pressure of 3 Pa over the sheet, however its mass is distributed: the momentum of one step is that of the whole area.
scenario.each { "area", "equal", "map", "written" } ("area is that of the faces around a vertex, not of its mass: {}", function(kind)
  for _, trace in ipairs { true, false } do
    local world = muslin.world { dt = 1 / 240, pipeline = explicit, gravity = { 0, 0, 0 }, air_density = 0 }
    local mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.5, 0.4 }, plane = "xy" }
    local densities = {}
    for i = 1, 36 do densities[i] = 0.1 + 0.01 * i end
    local sheet = world:cloth { mesh = mesh, mass = kind == "equal" and "equal" or nil,
      maps = kind == "map" and { density = densities } or nil }
    if kind == "written" then
      for i = 1, 36 do sheet.m[i] = 0.001 * i end
    end
    local sum, outer = 0, nil
    world:force(muslin.node_force({ trace = trace }, function(n)
      if not trace then sum, outer = sum + n.area, outer or n.area end
      return 3 * n.area * n.normal
    end))
    world:step()
    local momentum = 0
    for i = 1, 36 do momentum = momentum + sheet.m[i] * sheet.v[i].z end
    expect(momentum, "kg m/s"):near(3 * 0.2 / 240, 1e-4) -- cotton is damped
    if not trace then
      expect(sum, "m^2"):near(mesh:area(), 1e-12)
      expect(outer, "of a corner of two faces or one, m^2"):at_most(2 * 0.004 / 3 + 1e-9)
    end
  end
end)

scenario.each { "robust", "lively", "sequential", "offset" } ("a stiff force is stable at any dt: {}", function(pipeline)
  local world, sheet = world_of(pipeline, 1 / 60) -- sqrt(1e6) rad/s times dt is 17: no explicit step holds that
  local force = muslin.node_force(law)
  world:force(force)
  force:set("k", 1e6)
  local ok, message = pcall(world.run, world, 1)
  k:set(20)
  assert(ok, message)
  expect(sheet:centroid()):near({ 0, 0.5, 0 }, 5e-3)
  expect(world:energy().kinetic):at_most(1) -- without derivatives it is 1e9
end)

-- The force is that at the start of the whole step, its change over the substeps that a fast obstacle causes by its
-- derivatives. Without that change, and over half of the longer step before, the sheet went on to 0.161 m.
scenario.each { "robust", "lively", "sequential", "offset" } ("in substeps a stiff force pulls to where it is zero: {}", function(pipeline)
  local world, sheet = world_of(pipeline, 1 / 60)
  world:force(muslin.node_force(function(n) return 1e6 * n.mass * muslin.vec3(0, 0, 0.01 - n.position.z) end))
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.02, at = { -0.3, -0.11, 0 } }
  ball:move(function(t) return { -0.3 + 30 * math.max(0, t - 1 / 60), -0.11, 0 } end) -- past the sheet's edge
  world:step()
  for _ = 1, 2 do
    world:step()
    expect(world:stats().substeps):more_than(10)
    expect(sheet:centroid()):near({ 0.2, 0.1, 0.01 }, 2e-5)
  end
end)

scenario("a stiff force without derivatives is not stable", function()
  local world, sheet = world_of("sequential", 1 / 60)
  k:set(1e6)
  world:force(muslin.node_force({ trace = false }, law))
  pcall(world.run, world, 0.5)
  assert(sheet:centroid().y > 1 or sheet:centroid().y < 0, "without derivatives it flies off")
  k:set(20)
end)

scenario("a force away has no derivative that would", function()
  for _, pipeline in ipairs { "robust", "sequential", "offset" } do
    local world, sheet = world_of(pipeline, 1 / 60)
    world:force(muslin.node_force(function(n) return 4 * n.mass * n.position end)) -- x'' = 4 x
    local from = sheet:centroid()
    world:run(0.5)
    expect(sheet:centroid()):near(from * 0.5 * (math.exp(1) + math.exp(-1)), 0.03)
  end
end)

scenario("it comes and goes as other forces, and beside them", function()
  local world, sheet = world_of "robust"
  local token = world:force(muslin.node_force(function(n) return n.mass * muslin.vec3(0, 1, 0) end))
  world:force(function(cloth) cloth.f:add(cloth.m[1] * 0) end)
  for _ = 1, 12 do world:step() end
  expect(sheet.v:mean().y):near(0.1, 5e-3)
  world:off(token)
  local before = sheet.v:mean().y
  for _ = 1, 12 do world:step() end
  expect(sheet.v:mean().y):near(before, 5e-3)
end)

scenario("mistakes are named, and undo the step", function()
  local function refused(pattern, f, options)
    expect(function() muslin.node_force(options or {}, f) end):raises(pattern)
  end
  refused("node_force: it must return the force, {x, y, z} in N %(got one number%)", function(n) return n.mass end)
  refused("node_force: '<' on a traced number", function(n) return n.mass < 1 end)
  refused("node: no field 'gap'", function(n) return n.gap end)
  refused("node: no field 'postion' %(did you mean 'position'%?%)", function(n) return n.postion end)
  refused("node_force: unknown field 'per'", function(n) return n.position end, { per = "node" })
  refused("node_force: the node_force must be a function", 3)
  local function fails(pattern, force)
    local world = world_of "robust"
    world:force(force)
    local hash = world:hash()
    expect(function() world:step() end):raises(pattern)
    assert(world:hash() == hash)
  end
  local function infinite(n) return n.position / (n.mass - n.mass) end
  for _, options in ipairs { {}, { trace = false }, { check = true } } do
    fails("^tests/lua/node_force_test.lua:%d+: node force: the force on vertex 1 of cloth 'sheet' must be finite %(got ",
      muslin.node_force(options, infinite))
  end
  fails("^tests/lua/node_force_test.lua:%d+: node_force: it must return the force, {x, y, z} in N %(got 7%)",
    muslin.node_force({ trace = false }, function() return 7 end))
  local calls = 0
  fails("^tests/lua/node_force_test.lua:%d+: node_force: traced it gives .* for component 1 of vertex 2 of cloth 'sheet'",
    muslin.node_force({ check = true }, function(n)
      calls = calls + 1
      return muslin.vec3(calls > 2 and 1 or 0, 0, 0) * n.mass
    end))
  local force = muslin.node_force(function(n) return n.position end)
  local world, sheet = world_of "robust"
  expect(function() force(sheet, 0) end):raises "give it to world:force"
  expect(function() world:respond { rule = force } end):raises "cannot be a muslin.node_force"
  local text = force:explain()
  assert(text:find "force on a node" and text:find "derivative: by position")
end)
