-- Rigid bodies from Lua: fields, impulses, what is refused.
local muslin = require "muslin"
local once = require "once"

local function world_with(options)
  local world = muslin.world { dt = 1/120, air_density = 0 }
  options.motion, options.mass = "dynamic", options.mass or 2
  return world, world:obstacle(options)
end

local function refused(options, word)
  expect(function() muslin.world():obstacle(options) end):raises(word)
end

scenario("a body falls, and its motion can be read", function()
  local world, ball = world_with { shape = "sphere", radius = 0.1, at = {0, 3, 0}, velocity = {1, 0, 0},
    angular_velocity = {0, 5, 0} }
  expect(ball.dynamic):equals(true)
  expect(ball.mass):equals(2)
  expect(ball.thickness):near(2e-4, 1e-15)
  expect(ball.angular_momentum.y):near(0.4 * 2 * 0.01 * 5, 1e-15)
  for _ = 1, 60 do world:step() end
  expect(ball.center.y):near(3 - 9.81 * 0.25 / 2, 1e-12)
  expect(ball.position.x):near(0.5, 1e-12)
  expect(ball.velocity.x):near(1, 1e-15)
  ball.velocity = {0, 0, 0}
  ball:apply_impulse({0, 0, 4})
  expect(ball.velocity.z):near(2, 1e-15)
  ball:apply_impulse({0, 2, 0}, ball.center + muslin.vec3(0.1, 0, 0))
  expect(ball.angular_momentum.z):near(0.2, 1e-12)
  ball.angular_velocity = {0, 0, 1}
  expect(ball.angular_momentum.z):near(0.4 * 2 * 0.01, 1e-15)
end)

scenario("inertia and center of mass are given as moments or as rows", function()
  local ball = { shape = "sphere", radius = 0.1, angular_velocity = {0, 3, 0}, inertia = {0.01, 0.02, 0.03},
    center_of_mass = {0, -0.05, 0} }
  local world, one = world_with(ball)
  expect(one.center.y):near(-0.05, 1e-15)
  expect(one.angular_momentum.y):near(0.06, 1e-15)
  expect(world:energy().rotational):near(0.5 * 0.02 * 9, 1e-15)
  ball.inertia = {{0.02, 0.005, 0}, {0.005, 0.02, 0}, {0, 0, 0.03}}
  local _, two = world_with(ball)
  expect(two.angular_momentum.x):near(0.015, 1e-15)
  refused({ shape = "sphere", radius = 1, motion = "dynamic", mass = 1, inertia = {1, 1} }, "field 'inertia'")
  refused({ shape = "sphere", radius = 1, motion = "dynamic", mass = 1, inertia = {1, 1, 3} }, "sum of the other two")
  refused({ shape = "sphere", radius = 1, inertia = {1, 1, 1} }, "dynamic")
end)

scenario("a body without a volume, or a mass, is refused, and nothing is left of it", function()
  local world = muslin.world {}
  local function unmade(options, pattern)
    options.motion = "dynamic"
    expect(function() world:obstacle(options) end):raises(pattern)
    expect(#world.obstacles):equals(0)
  end
  local corners = { {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1} }
  local closed = { {1, 2, 3}, {2, 4, 3}, {1, 3, 4}, {1, 4, 2} }
  local flat = muslin.mesh.new { vertices = corners, faces = closed } -- closed, and all of it in one plane
  unmade({ mesh = flat, mass = 1 }, "needs a mesh with a volume %(got 0 m^3 in a size of 1.41 m%); give it thickness, or 'inertia'")
  unmade({ mesh = muslin.mesh.grid { nodes = {3, 3} }, mass = 1 }, "needs a closed mesh, and 8 edges of this one have one face only")
  unmade({ shape = "plane", mass = 1 }, "a plane is infinite and cannot be dynamic")
  unmade({ shape = "sphere", radius = 0, mass = 1 }, "field 'radius' must be > 0 m")
  unmade({ shape = "sphere", radius = 1, mass = 0 }, "field 'mass' must be > 0 kg")
  corners[4] = {0, 1, 0}
  world:obstacle { mesh = muslin.mesh.new { vertices = corners, faces = closed }, motion = "dynamic", mass = 1 }
end)

scenario("what stands has no such fields", function()
  local ball = muslin.world():obstacle { shape = "sphere", radius = 0.1 }
  expect(ball.dynamic):equals(false)
  expect(ball.mass == nil and ball.velocity == nil and ball.center == nil):equals(true)
  expect(function() ball.velocity = {0, 0, 0} end):raises("dynamic")
  expect(function() ball:apply_impulse {0, 1, 0} end):raises("dynamic")
end)

scenario("bodies meet: contacts name both, the audit sees one in another", function()
  local world = muslin.world { dt = 1/120, air_density = 0 }
  local base = world:obstacle { name = "base", shape = "box", size = {1, 0.1, 1} }
  local box = world:obstacle { name = "box", shape = "box", size = {0.2, 0.2, 0.2}, at = {0, 0.151, 0}, motion = "dynamic", mass = 1 }
  for _ = 1, 60 do world:step() end
  expect(box.velocity:length()):near(0, 1e-3)
  expect(box.center.y):near(0.15, 1e-3)
  local contacts, up = world:contacts(), 0
  for i = 1, #contacts do
    local c = contacts[i]
    local one, two = table.unpack(c.objects)
    assert((one == box and two == base) or (one == base and two == box))
    up = up + (one == box and 1 or -1) * c.impulse.y
  end
  expect(up * 120):near(9.81, 0.01)
  expect(world:audit().intersections):equals(0)
  world:obstacle { name = "inside", shape = "sphere", radius = 0.05, at = {0.05, 0.15, 0}, motion = "dynamic", mass = 1 }
  expect(world:audit().inside):equals(1)
  expect(function() world:step() end):raises("inside")
  world:ignore { "box", "inside" }
  world:step()
end)

scenario("what cannot be a body is refused by name", function()
  refused({ shape = "plane", motion = "dynamic", mass = 1 }, "plane")
  refused({ shape = "sphere", radius = 1, motion = "dynamic" }, "mass")
  refused({ shape = "sphere", radius = 1, motion = "dynamic", mass = -1 }, "mass")
  refused({ shape = "sphere", radius = 1, mass = 1 }, "dynamic")
  refused({ shape = "sphere", radius = 1, motion = "kinematic", mass = 1 }, "kinematic")
  refused({ shape = "sphere", radius = 1, motion = function() end, mass = 1 }, "obstacle:move")
  refused({ mesh = muslin.mesh.grid { nodes = {3, 3} }, motion = "dynamic", mass = 1 }, "closed")
  local _, ball = world_with { shape = "sphere", radius = 0.1 }
  expect(function() ball:move(function() return {0, 0, 0} end) end):raises("dynamic")
  local other = muslin.world { pipeline = { preset = "robust", failsafe = "inelastic_zones" } }
  expect(function() other:obstacle { shape = "sphere", radius = 1, motion = "dynamic", mass = 1 } end):raises("zones")
end)

-- A ball flies at a sheet that floats: the rule, or the pipeline's own, decides what both get.
local function flight(pipeline, rule)
  local world = muslin.world { dt = 1/240, air_density = 0, gravity = {0, 0, 0}, threads = 1, pipeline = once(pipeline) }
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.3, 0.3} } }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.05, at = {0.02, 0.08, 0.01}, motion = "dynamic",
    mass = 0.02, velocity = {0.3, -2, 0} }
  if rule then world:respond(muslin.response { between = {"sheet", "ball"}, rule = rule }) end
  local seen = 0
  world:on("contacts", function() seen = seen + #world:contacts() end)
  for _ = 1, 36 do
    world:step()
    local sum = 0.02 * ball.velocity
    for i = 1, #sheet.v do sum = sum + sheet.m[i] * sheet.v[i] end
    expect((sum - muslin.vec3(0.006, -0.04, 0)):length(), pipeline):at_most(1e-12)
  end
  expect(seen):at_least(1)
  return ball.velocity
end

scenario("rules, hooks and rigid bodies go together in classic pipelines", function()
  local stop = muslin.rule(function(c)
    return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal
  end)
  local nodes = muslin.rule({ per = "node" }, function(c)
    return c.velocity - c.normal:dot(c.velocity) * c.normal
  end)
  for _, pipeline in ipairs { "bridson", "bridson_source", "provot", "bigliani", "jung", "aabb" } do
    local own = flight(pipeline)
    for _, rule in ipairs { stop, nodes } do
      local v = flight(pipeline, rule)
      expect(v.y, pipeline):at_least(-1.8)
      expect(v.y, pipeline):at_most(1)
      assert(v ~= own, pipeline)
    end
    -- one that does nothing leaves the rest to the pipeline
    expect(flight(pipeline, muslin.rule(function(c) return 0 * c.normal end)).y, pipeline):at_most(1)
  end
end)

scenario.each { "offset", "newton", "vbd" } ("bodies fall on cloth: {}", function(pipeline)
  local world = muslin.world { dt = 1/120, air_density = 0, pipeline = once(pipeline) }
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.4, 0.4} } }
  sheet:pin { where = function(x, _, z) return math.max(math.abs(x), math.abs(z)) > 0.199 end }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.05, at = {0.01, 0.08, 0.02},
    motion = "dynamic", mass = 0.1 }
  local fastest = 0
  for _ = 1, 40 do
    world:step()
    expect(world):penetration_free()
    fastest = math.max(fastest, -ball.velocity.y)
  end
  expect(fastest > 0.5):equals(true)
  expect(-ball.velocity.y < 0.5 * fastest):equals(true)
  expect(ball.center.y > -0.1):equals(true)
end)
