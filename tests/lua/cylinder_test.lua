-- Cylinder obstacles: exact, with flat ends and sharp rims. Nearest points and times: tests/narrow/test_cylinder.c.
local muslin = require "muslin"
local once = require "once"

local path = ".cylinder_test.muslin" -- in the folder that the tests run in

local function raises(pattern, f)
  expect(f):raises("cylinder_test%.lua:%d+: .*" .. pattern)
end

-- How far p lies outside a cylinder about the y axis of its pose, by the closed form.
local function outside(cylinder, p)
  local q = muslin.rotation.apply(muslin.rotation.inverse(cylinder.rotation), p - cylinder.position)
  local side, cap = math.sqrt(q.x * q.x + q.z * q.z) - cylinder.radius, math.abs(q.y) - cylinder.length / 2
  if side > 0 and cap > 0 then return math.sqrt(side * side + cap * cap) end
  return math.max(side, cap)
end

-- The least distance of a cloth's vertices and of its faces' inner points from the cylinder.
local function least_distance(cloth, cylinder)
  local least, x = math.huge, cloth.x
  for _, f in ipairs(cloth:faces()) do
    local a, b, c = x[f[1]], x[f[2]], x[f[3]]
    for i = 0, 4 do
      for j = 0, 4 - i do least = math.min(least, outside(cylinder, (a * i + b * j + c * (4 - i - j)) * 0.25)) end
    end
  end
  return least
end

local function clear(world, cloth, cylinder)
  local report = world:audit()
  expect(report.intersections):equals(0)
  expect(report.inside):equals(0)
  expect(least_distance(cloth, cylinder)):more_than(0)
end

for _, pipeline in ipairs { "robust", "offset" } do
  scenario("cloth falls on a standing and on a lying cylinder, " .. pipeline, function()
    for _, lying in ipairs { false, true } do
      local world <close> = muslin.world { pipeline = once(pipeline), dt = 1 / 120, fps = 60 }
      local cylinder = world:obstacle { shape = "cylinder", radius = 0.15, length = 0.3, at = { 0, 0.5, 0 },
        rotation = lying and { axis = { 1, 0, 0 }, angle = math.rad(90) } or nil, friction = 0.3 }
      local top = 0.65
      local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 17, 17 }, size = { 0.8, 0.8 }, center = { 0.02, top + 0.03, 0.01 } } }
      for step = 1, 90 do
        world:step()
        if step % 10 == 0 then clear(world, sheet, cylinder) end
      end
      clear(world, sheet, cylinder)
      local low = sheet:bounds()
      expect(sheet.x[145].y):near(top, 0.015) -- its middle lies on it, or in a fold
      expect(low.y):less_than(0.5) -- and hangs down around it
      expect(least_distance(sheet, cylinder)):at_most(2e-3)
    end
  end)

  scenario("a moving cylinder hits a curtain, " .. pipeline, function()
    local world <close> = muslin.world { pipeline = once(pipeline), dt = 1 / 240, fps = 60 }
    local tilt = muslin.rotation.euler(0.4, 0, 0.9)
    local cylinder = world:obstacle { shape = "cylinder", radius = 0.08, length = 0.3, at = { 0.03, 0.5, -0.4 }, rotation = tilt }
    cylinder:move(function(t)
      return { 0.03, 0.5, -0.4 + 1.5 * t }, muslin.rotation.multiply(muslin.rotation.axis({ 1, 1, 0 }, 3 * t), tilt)
    end)
    local curtain = world:cloth { mesh = muslin.mesh.strip { nodes = { 15, 15 }, size = { 1, 1 }, center = { 0, 0.5, 0 } } }
    curtain:pin { edge = "top" }
    for step = 1, 96 do
      world:step()
      if step % 8 == 0 then clear(world, curtain, cylinder) end
    end
    local _, high = curtain:bounds()
    expect(high.z):more_than(0.15) -- it was carried along
  end)
end

scenario("a spinning cylinder moves cloth that lies on it by friction as the capsule of its side does", function()
  local moved = {}
  for _, shape in ipairs { "cylinder", "capsule" } do
    local world <close> = muslin.world { dt = 1 / 240, fps = 60, air_density = 0 }
    local lying = muslin.rotation.axis({ 1, 0, 0 }, math.pi / 2)
    local roll = world:obstacle { shape = shape, radius = 0.1, length = 1, friction = 0.5, rotation = lying }
    roll:move(function(t) return { 0, 0, 0 }, muslin.rotation.multiply(muslin.rotation.axis({ 0, 0, 1 }, -2 * t), lying) end)
    local mesh = muslin.mesh.grid { nodes = { 17, 5 }, size = { 0.4, 0.1 }, center = { 0, 0.102, 0 } }
    local strip = world:cloth { mesh = mesh, friction = 0.5 }
    world:advance(0.25)
    moved[shape] = strip:centroid().x
  end
  expect(moved.capsule):more_than(0.015)
  expect(moved.cylinder):near(moved.capsule, 1e-3)
end)

scenario("every pipeline takes it", function()
  for _, pipeline in ipairs { "robust", "offset", "vbd", "newton", "provot", "bridson", "bridson_source", "bigliani", "jung", "aabb" } do
    local world <close> = muslin.world { pipeline = once(pipeline), dt = 1 / 240, fps = 60 }
    local cylinder = world:obstacle { shape = "cylinder", radius = 0.15, length = 0.2, at = { 0, 0, 0 } }
    local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 11, 11 }, size = { 0.6, 0.6 }, center = { 0, 0.12, 0 } } }
    world:advance(0.25)
    expect(sheet):finite()
    expect(sheet.x[61].y):between(0.099, 0.115)
    if not world:stats().unresolved or world:stats().unresolved == 0 then clear(world, sheet, cylinder) end
  end
end)

scenario("rigid bodies fall on it and rest", function()
  for _, pipeline in ipairs { "robust", "offset" } do
    local world <close> = muslin.world { pipeline = once(pipeline), dt = 1 / 240, fps = 60 }
    world:obstacle { shape = "cylinder", radius = 0.3, length = 0.4 }
    local function rigid(options)
      options.motion, options.mass, options.thickness = "dynamic", 1, 1e-3
      return world:obstacle(options)
    end
    local ball = rigid { shape = "sphere", radius = 0.05, at = { -0.15, 0.27, 0 } }
    local box = rigid { shape = "box", size = { 0.1, 0.1, 0.1 }, at = { 0.15, 0.27, 0.05 } }
    local pill = rigid { shape = "capsule", radius = 0.03, length = 0.1, at = { 0, 0.26, -0.15 },
      rotation = { axis = { 0, 0, 1 }, angle = 1.5 } }
    for _ = 1, 12 do
      world:advance(0.05)
      local report = world:audit()
      expect(report.inside):equals(0)
      expect(report.intersections):equals(0)
    end
    expect(ball.position.y):near(0.251, 2e-3)
    expect(box.position.y):near(0.251, 2e-3)
    expect(pill.position.y):near(0.231, 2e-3)
  end
end)

scenario("its fields, its surface, its place in snapshots, and what it cannot do", function()
  local world <close> = muslin.world()
  local cylinder = world:obstacle { name = "roll", shape = "cylinder", radius = 0.2, length = 0.6 }
  expect(cylinder.shape):equals "cylinder"
  expect(cylinder.radius):equals(0.2)
  expect(cylinder.length):equals(0.6)
  local surface = cylinder:mesh()
  expect(surface:check().closed):is_true()
  local low, high = surface:bounds()
  expect(high.y):near(0.3, 1e-15)
  expect(low.x):near(-0.2, 1e-15)
  raises("no shape 'cylindre' %(did you mean 'cylinder'%?%)", function() world:obstacle { shape = "cylindre" } end)
  raises("field 'length' is missing, shape 'cylinder' needs it", function() world:obstacle { shape = "cylinder", radius = 1 } end)
  raises("field 'length' must be > 0 m", function() world:obstacle { shape = "cylinder", radius = 1, length = -1 } end)
  raises("shape 'cylinder' cannot be dynamic", function()
    world:obstacle { shape = "cylinder", radius = 1, length = 1, motion = "dynamic", mass = 1 }
  end)
  world:cloth { mesh = muslin.mesh.grid { nodes = { 9, 9 }, center = { 0, 0.31, 0 } } }
  world:advance(0.1)
  world:save(path)
  local copy <close> = muslin.load(path)
  world:advance(0.1)
  copy:advance(0.1)
  expect(copy:hash()):equals(world:hash())
end)

scenario("an overlap at the start is found, exact to the rim, and untangled", function()
  local function start(center, overlap)
    local world = muslin.world { overlap = overlap }
    local cylinder = world:obstacle { shape = "cylinder", radius = 0.2, length = 0.4 }
    local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.2, 0.2 }, center = center } }
    return world, sheet, cylinder
  end
  raises("vertex 1 of cloth 'cloth2' is 0.0001 m inside obstacle 'obstacle1' %(81 such%)", function() start({ 0, 0.1999, 0 }):step() end)
  raises("inside obstacle", function() start({ 0.2, 0.1, 0.2 }):step() end) -- a corner in the side
  start({ 0.25, 0.1, 0.25 }):step() -- within the box around it, beside the cylinder
  start({ 0.1, 0.2, 0.1 }, "untangle"):step() -- in touch with the end
  local world <close>, sheet, cylinder = start({ 0.05, 0.19, 0 }, "untangle")
  world:step()
  expect(least_distance(sheet, cylinder)):more_than(0)
end)

scenario("public names say center", function()
  local world <close> = muslin.world()
  local ball = world:obstacle { shape = "sphere", radius = 1, motion = "dynamic", mass = 1, at = { 0, 2, 0 } }
  expect(ball.center.y):equals(2)
  raises("no field 'centers' %(did you mean 'center'%?%)", function() return ball.centers end)
  for _, word in ipairs { "center", "centre" } do
    raises("unknown field '" .. word .. "' %(did you mean 'at'%?%)", function()
      world:obstacle { shape = "sphere", radius = 1, [word] = { 0, 1, 0 } }
    end)
  end
  raises("unknown field 'at' %(did you mean 'center'%?%)", function() muslin.mesh.tube { radius = 1, length = 1, at = { 0, 1, 0 } } end)
end)
