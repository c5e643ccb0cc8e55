-- attachment_test.lua: cloth:pull to a rigid body, which the cloth pulls back: the motion of two masses on a spring, momentum,
-- weight, torque, snapshots, threads, and what it refuses.
local muslin = require "muslin"

local path = ".attachment_test.muslin" -- in the folder that the tests run in
local presets = { "robust", "lively", "offset", "newton" }
scenario.together()

-- Cloth without forces of its own: each vertex is by itself.
local loose = { stretch = 0, shear = 0, bend = 0, bending = 0, strain_limit = 0, drag = 0, damping = 0 }

scenario.each(presets) ("a vertex and a body on a spring move as in a step of implicit Euler: {}", function(pipeline)
  local dt, mass, stiffness, damping = 1 / 240, 0.002, 0.4, 0.002
  local world = muslin.world { pipeline = pipeline, dt = dt, gravity = {0, 0, 0}, air_density = 0 }
  local cloth = world:cloth { name = "points", material = loose, self_collision = false,
    mesh = muslin.mesh.grid { nodes = {3, 3}, size = {0.2, 0.2}, center = {0, 1, 0} } }
  local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.02, at = {0, 0.8, 0}, motion = "dynamic", mass = mass }
  cloth:pull { vertices = {5}, to = ball, stiffness = stiffness, damping = damping }
  cloth.v[5] = {0, 0.5, 0}
  local m = cloth.m[5]
  local reduced = m * mass / (m + mass)
  local v, r = 0.5, 0
  local function center() -- of everything
    local whole, sum = mass, mass * ball.position.y
    for i = 1, #cloth.x do whole, sum = whole + cloth.m[i], sum + cloth.m[i] * cloth.x[i].y end
    return sum / whole, 0.5 * m / whole
  end
  local first, drift = center()
  local rest, most = cloth.x[5].y - 0.8, 0
  for step = 1, 60 do
    world:advance(dt)
    v = (reduced * v - dt * stiffness * r) / (reduced + dt * damping + dt * dt * stiffness)
    r = r + dt * v
    most = math.max(most, math.abs(r))
    local y, by = cloth.x[5].y, ball.position.y
    expect(y - by - rest, "stretch"):near(r, 2e-5)
    expect(center(), "center of mass"):near(first + drift * dt * step, 1e-8)
  end
  expect(most, "amplitude"):more_than(5e-3)
  expect(cloth.x[1].y, "another vertex"):near(1, 1e-4)
end)

-- A box at the lower edge of a sheet, both free.
local function tethered(options)
  options.gravity, options.air_density = {0, 0, 0}, 0
  local world = muslin.world(options)
  local sheet = world:cloth { name = "sheet", material = { drag = 0 },
    mesh = muslin.mesh.grid { nodes = {11, 11}, size = {0.3, 0.3}, plane = "xy", center = {0, 1, 0} } }
  local box = world:obstacle { name = "box", shape = "box", size = {0.1, 0.06, 0.08}, at = {0, 0.8, 0}, motion = "dynamic",
    mass = 0.1, velocity = {0.5, -0.3, 1}, angular_velocity = {0, 3, 2} }
  sheet:pull { where = function(x, y) return y < 0.851 and math.abs(x) < 0.031 end, to = box, stiffness = 1e3, damping = 0.01 }
  return world, sheet, box
end

-- Momentum, and angular momentum about the origin.
local function momenta(sheet, box)
  local p = 0.1 * box.velocity
  local l = box.angular_momentum + 0.1 * box.position:cross(box.velocity)
  for i = 1, #sheet.x do
    local impulse = sheet.m[i] * sheet.v[i]
    p, l = p + impulse, l + sheet.x[i]:cross(impulse)
  end
  return p, l
end

scenario.each(presets) ("what a pin gives to the cloth it takes from the body: {}", function(pipeline)
  local world, sheet, box = tethered { pipeline = pipeline, dt = 1 / 960 }
  local p, l = momenta(sheet, box)
  local energy = world:energy().total
  world:advance(0.1)
  local p1, l1 = momenta(sheet, box)
  expect((p1 - p):length(), "change of momentum"):less_than(1e-9)
  expect((sheet.m[6] * sheet.v[6]):length(), "momentum of a pulled vertex"):more_than(1e-6)
  expect((l1 - l):length(), "change of angular momentum"):less_than(1e-4)
  expect(world:energy().total, "energy"):less_than(energy * (1 + 1e-6))
end)

-- The momentum correction of cloth that touches an obstacle counts what its soft pins give to a body.
scenario("a floor's impulse is what a sheet and the body that it pulls change their momentum by", function()
  local world = muslin.world { pipeline = "robust", dt = 1 / 240, air_density = 0 }
  local sheet = world:cloth { name = "sheet", material = { drag = 0 }, friction = 0.3,
    mesh = muslin.mesh.grid { nodes = {11, 11}, size = {0.3, 0.3}, center = {0, 0.002, 0} } }
  world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
  local box = world:obstacle { name = "box", shape = "box", size = {0.1, 0.06, 0.08}, at = {0, 0.2, 0}, motion = "dynamic",
    mass = 0.1, velocity = {0.2, 0, 0.1} }
  sheet:pull { where = function(x, _, z) return math.abs(x) < 0.04 and math.abs(z) < 0.04 end, to = box, stiffness = 20,
    damping = 0.01 }
  local whole, most = 0.1 + sheet.m:sum(), 0
  for _ = 1, 6 do world:step() end -- until the sheet lies
  for _ = 7, 48 do
    local before = momenta(sheet, box)
    world:step()
    local sum = muslin.vec3(0, 0, 0)
    for _, contact in ipairs(world:contacts()) do sum = sum + contact.impulse end
    local change = momenta(sheet, box) - before - whole * world.dt * muslin.vec3(world.gravity)
    expect((sum - change):length(), "difference, N s"):at_most(1e-11 * sum:length())
    most = math.max(most, sum.y)
  end
  expect(most, "of a step, N s, where the sheet alone weighs 0.0006 N s"):more_than(0.005)
end)

-- A sheet that is pinned at its top, and a box below it, fastened at a corner of its upper side.
local function hanging(options)
  options.pipeline, options.air_density = options.pipeline or "robust", 0
  local world = muslin.world(options)
  local sheet = world:cloth { name = "sheet", material = { viscous_damping = 5 },
    mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.2, 0.2}, plane = "xy", center = {0, 1, 0} } }
  sheet:pin { edge = "top" }
  local box = world:obstacle { name = "box", shape = "box", size = {0.1, 0.06, 0.06}, at = {0.05, 0.865, 0}, motion = "dynamic",
    mass = 0.05 }
  expect(sheet:pull { vertices = {5}, to = box, stiffness = 200, damping = 0.5 }):equals(1)
  return world, sheet, box
end

scenario.each(presets) ("a body hangs by its pin, which carries its weight, and turns until its center is below: {}", function(pipeline)
  local world, sheet, box = hanging { pipeline = pipeline }
  local from = sheet.x[5] - box.position -- the point in the body's frame, as the box is not turned
  local lowest, stretch, center, count = math.huge, 0, 0, 0
  for _ = 1, 240 do
    world:advance(1 / 60)
    lowest = math.min(lowest, box.position.y)
    if world.time > 2 then
      local point = box.position + muslin.rotation.apply(box.rotation, from)
      stretch, center, count = stretch + (sheet.x[5] - point).y, center + box.position.x - point.x, count + 1
    end
  end
  expect(stretch / count, "stretch of the spring"):near(0.05 * 9.81 / 200, 1e-4)
  expect(center / count, "center beside the point"):near(0, 0.01)
  expect(lowest, "lowest place"):less_than(0.85)
  expect(world):penetration_free()
end)

-- The state as one list of numbers.
local function state(sheet, box)
  local list = {}
  local function add(p) list[#list + 1], list[#list + 2], list[#list + 3] = p.x, p.y, p.z end
  for i = 1, #sheet.x do add(sheet.x[i]) add(sheet.v[i]) end
  add(box.position) add(box.velocity) add(box.angular_momentum)
  return list
end

scenario.each(presets) ("a snapshot goes on the same, with two threads as with one: {}", function(pipeline)
  local world, sheet, box = hanging { pipeline = pipeline, threads = 1 }
  world:advance(0.2)
  world:save(path)
  world:advance(0.1)
  local expected = state(sheet, box)
  world:restore(path)
  world:advance(0.1)
  expect(state(sheet, box)):equals(expected)
  local other, same, body = hanging { pipeline = pipeline, threads = 2 }
  other:restore(path)
  other:advance(0.1)
  expect(state(same, body)):equals(expected)
end)

scenario("a pin to a body can be removed, and its body only without pins", function()
  local world, sheet, box = hanging {}
  world:advance(0.1)
  expect(sheet:pulled()):equals {5}
  expect(sheet:pulled(5)):equals(200)
  expect(function() world:remove(box) end):raises "pinned"
  sheet:unpin { vertices = {5} }
  local speed = box.velocity.y
  world:advance(0.1)
  expect(box.velocity.y - speed, "fall"):near(-0.981, 1e-6)
  sheet:pull { vertices = {4, 5, 6}, to = box, stiffness = 200 } -- at its present distance
  world:advance(0.1)
  expect(box.velocity.y, "caught"):more_than(speed - 0.981)
  sheet:unpin { vertices = {4, 5, 6} }
  world:remove(box)
  world:advance(0.1)
end)

scenario("the energy of pins to bodies is part of the world's", function()
  local world, sheet, box = tethered { pipeline = "lively", dt = 1 / 2000 }
  local start, least, most = world:energy().total, math.huge, 0
  for _ = 1, 100 do
    world:advance(1 / 2000)
    local energy = world:energy()
    least, most = math.min(least, energy.total), math.max(most, energy.elastic)
  end
  expect(most / start, "largest elastic energy"):more_than(0.005)
  expect(least / start, "least total energy"):more_than(0.95)
  expect(sheet:strain().max):less_than(0.1)
  expect(box.velocity.z):less_than(1)
end)

scenario("a heavy body thrown about by a sheet passes through nothing, and its energy does not rise", function()
  local world = muslin.world {}
  local mesh = muslin.mesh.grid { nodes = {15, 15}, size = {0.3, 0.3}, plane = "xy", center = {0, 1, 0} }
  local sheet = world:cloth { name = "sheet", mesh = mesh }
  local tail = world:cloth { name = "tail", mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.15, 0.15}, plane = "xy",
    center = {0, 0.67, 0} } }
  sheet:pin { edge = "top" }
  world:obstacle { shape = "plane", normal = {0, 1, 0}, at = {0, 0.5, 0} }
  local box = world:obstacle { name = "box", shape = "box", size = {0.08, 0.08, 0.08}, at = {0, 0.8, 0}, motion = "dynamic",
    mass = 1, velocity = {0.3, 0, 4}, angular_velocity = {0, 5, 0} }
  sheet:pull { where = function(x, y) return y < 0.851 and math.abs(x) < 0.04 end, to = box, stiffness = 1e5 }
  tail:pull { where = function(x, y) return y > 0.744 and math.abs(x) < 0.04 end, to = box, stiffness = 1e5 }
  local start = world:energy().total
  for _ = 1, 60 do
    world:advance(1 / 60)
    expect(world):penetration_free()
    expect(world:energy().total, "energy"):less_than(start)
  end
  expect(sheet:strain().max):less_than(0.12)
  expect((sheet.x[8] - tail.x[77]):length(), "ends at the box"):less_than(0.2)
end)

for _, pipeline in ipairs { "robust", "lively" } do
  scenario("stiff springs far off the center of a light body add no energy, " .. pipeline, function()
    for _, case in ipairs { {0.05, 1e5, 0.001}, {0.2, 1e3, 0.001}, {0.2, 1e5, 0.01}, {0.5, 1e3, 0.01}, {0.5, 1e5, 0.1} } do
      local arm, stiffness, mass = table.unpack(case)
      local world <close> = muslin.world { pipeline = pipeline, dt = 1 / 120, air_density = 0, threads = 1 }
      local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {9, 9}, size = {0.3, 0.3}, plane = "xy", center = {0, 1, 0} } }
      sheet:pin { edge = "top" }
      local box = world:obstacle { name = "box", shape = "box", size = {0.05, 0.05, 0.05}, at = {0.15 + arm, 0.85, 0},
        motion = "dynamic", mass = mass }
      sheet:pull { corners = "bottom_right", to = box, stiffness = stiffness }
      local start, lowest = world:energy().total, math.huge
      for _ = 1, 60 do
        world:step()
        lowest = math.min(lowest, box.center.y)
        expect(world:energy().total - start, ("J gained: arm %g m, %g N/m, %g kg"):format(arm, stiffness, mass)):at_most(0)
      end
      -- it swings down, and does not hang in the air
      expect(lowest, "lowest height of the body, m"):less_than(0.85 - 0.5 * arm)
    end
  end)
end

scenario("errors say what is wrong", function()
  for _, pipeline in ipairs { "sequential", "impulses", "vbd", "bridson", "provot" } do
    local world = muslin.world { pipeline = pipeline }
    local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {3, 3}, center = {0, 1, 0} } }
    local ball = world:obstacle { name = "ball", shape = "sphere", radius = 0.1, motion = "dynamic", mass = 1 }
    expect(function() sheet:pull { vertices = {1}, to = ball, stiffness = 1 } end)
      :raises "pull: obstacle 'ball' is dynamic, and pipelines with integrator '[%w_]+' and response '[%w_]+' do not solve"
  end
  local _, sheet, box = hanging {}
  expect(function() sheet:pin { vertices = {4}, to = box } end)
    :raises "obstacle 'box' is dynamic: only soft pins pull it back; give a stiffness %(cloth:pull, mus_cloth_pull%)"
end)
