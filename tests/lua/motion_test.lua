-- motion_test.lua: traced motions of obstacles are the plain ones; traced wind is the world's where it is everywhere
-- the same, blows where it should, and adds up; the same bits for any number of threads.
local muslin = require "muslin"

local rate = muslin.param("rate", 3)

local function path(t) -- comes down on the sheet, sways and turns
  local a = 0.5 * rate * t
  return { 0.05 * muslin.sin(rate * t), 0.3 - 0.2 * t, 0.02 * (1 - muslin.cos(2 * t)) },
    { muslin.cos(a), 0, muslin.sin(a), 0 }
end

local function pressed(motion, threads, pipeline)
  local world = muslin.world { dt = 1 / 240, threads = threads, pipeline = pipeline }
  world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 14, 14 }, size = { 0.4, 0.4 }, center = { 0, 0.14, 0 } } }
  local box = world:obstacle { name = "box", shape = "box", size = { 0.1, 0.1, 0.1 }, at = { 0, 0.3, 0 } }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  box:move(motion)
  return world, box
end

scenario("a traced motion is the plain one, bit for bit, for any number of threads", function()
  local function hash(motion, threads, pipeline)
    local world = pressed(motion, threads, pipeline)
    world:run(0.5)
    assert(world:audit().clean)
    return world:hash()
  end
  for _, pipeline in ipairs { "robust", "offset" } do
    local plain = hash(path, 1, pipeline)
    for _, threads in ipairs { 1, 2, 3, 8 } do assert(hash(muslin.motion(path), threads, pipeline) == plain, threads) end
  end
end)

scenario("a rotation that is a little off is made a unit quaternion", function()
  local long = 1 + 8e-4
  local function turned(t) return { 0, 0.3, 0 }, { long * muslin.cos(t), 0, long * muslin.sin(t), 0 } end
  local function rotation(motion)
    local world, box = pressed(motion, 1)
    for _ = 1, 30 do world:step() end
    return box.rotation, world:hash()
  end
  local traced, hash = rotation(muslin.motion(turned))
  local square = 0
  for k = 1, 4 do square = square + traced[k] ^ 2 end
  expect(square):near(1, 1e-15)
  expect(traced[1]):near(math.cos(30 / 240), 1e-12)
  local _, plain = rotation(turned)
  assert(plain == hash)
end)

scenario("place alone, and a parameter that changes on the way", function()
  local motion = muslin.motion(function(t) return { rate * t, 0.3, 0 } end)
  local world, box = pressed(motion, 1)
  rate:set(0)
  for _ = 1, 4 do world:step() end
  expect(box.position):near({ 0, 0.3, 0 }, 0)
  motion:set("rate", 0.6)
  for _ = 1, 4 do world:step() end
  expect(box.position):near({ 0.6 * world.time, 0.3, 0 }, 1e-15)
  rate:set(3)
end)

local function flag(wind, pipeline, threads)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, pipeline = pipeline, threads = threads,
    wind = type(wind) == "table" and wind or nil }
  local sheet = world:cloth { name = "flag", mesh = muslin.mesh.grid { nodes = { 12, 12 }, size = { 1, 1 }, plane = "xy" } }
  if type(wind) == "userdata" then world:force(wind) end
  return world, sheet
end

scenario("wind that is everywhere the same is the world's", function()
  for _, pipeline in ipairs { "robust", "offset", "lively", { preset = "sequential", integrator = "semi_implicit_euler" } } do
    local a, by_world = flag({ 0.5, 0, 3 }, pipeline)
    local b, traced = flag(muslin.wind(function() return muslin.vec3(0.5, 0, 3) end), pipeline)
    local c, both = flag({ 0.5, 0, 0 }, pipeline)
    c:force(muslin.wind(function() return { 0, 0, 1 } end))
    c:force(muslin.wind(function(_, t) return { 0 * t, 0, 2 } end))
    for _ = 1, 20 do a:step() b:step() c:step() end
    assert((by_world.x - traced.x):norm() == 0, tostring(pipeline))
    expect((by_world.x - both.x):norm()):at_most(1e-9)
    assert(by_world.v:mean().z > 0.01)
  end
end)

scenario("wind blows where it is, and goes when it is taken off", function()
  local world, sheet = flag(nil, "robust", 1)
  local token = world:force(muslin.wind(function(x, t)
    return muslin.vec3(0, 0, 5 * muslin.step(0, x.x) * muslin.step(0.05, t))
  end))
  for _ = 1, 6 do world:step() end
  assert(sheet.v:norm() == 0, "it has not begun")
  for _ = 1, 3 do world:step() end
  local left, right = 0, 0
  for i = 1, #sheet.x do
    if sheet.x[i].x < -0.1 then left = math.max(left, sheet.v[i]:length()) end
    if sheet.x[i].x > 0.1 then right = math.max(right, sheet.v[i].z) end
  end
  assert(right > 1e-3 and left < 0.05 * right, ("%g %g"):format(left, right))
  world:off(token)
  local before = sheet.v:mean().z
  for _ = 1, 6 do world:step() end
  assert(sheet.v:mean().z < before, "the still air holds it")
end)

scenario("gusts give the same bits for any number of threads", function()
  local function hash(threads)
    local world = flag(muslin.wind(function(x, t)
      return muslin.vec3(muslin.noise(4 * x), 0, 3 + muslin.sin(9 * t + 3 * x.y))
    end), "robust", threads)
    for _ = 1, 30 do world:step() end
    return world:hash()
  end
  local one = hash(1)
  for _, threads in ipairs { 2, 3, 8 } do assert(hash(threads) == one, threads) end
end)

scenario("mistakes are named, and undo the step", function()
  expect(function() muslin.motion(function(t) return t end) end)
    :raises "motion: it must return the place, {x, y, z} in m %(got one number%)"
  expect(function() muslin.motion(function(t) return { t, 0, 0 }, { t, 0 } end) end)
    :raises "motion: the second result must be a quaternion"
  expect(function() muslin.motion(function(t) return t < 1 and { 0, 0, 0 } end) end):raises "motion: '<' on a traced number"
  expect(function() muslin.wind(function(x) return x.x end) end)
    :raises "wind: it must return the velocity of the air, {x, y, z} in m/s %(got one number%)"
  expect(function() muslin.wind(3) end):raises "wind: the wind must be a function"
  local motion, wind = muslin.motion(path), muslin.wind(function(x) return x / (x.x - x.x) end)
  local world, box = pressed(path, 1)
  expect(function() world:respond { rule = motion } end):raises "cannot be a muslin.motion; give it to obstacle:move"
  expect(function() world:respond { rule = wind } end):raises "cannot be a muslin.wind; give it to world:force"
  expect(function() box:move(wind) end):raises "obstacle:move%(f%): f must be a function or a muslin.motion"
  expect(function() wind(world:find "sheet", 0) end):raises "wind: give it to world:force"
  local hash = world:hash()
  local token = world:force(wind)
  expect(function() world:step() end):raises "^tests/lua/motion_test.lua:%d+: wind: on face 1 of cloth 'sheet' it must be finite"
  assert(world:hash() == hash)
  world:off(token)
  local far = muslin.motion(function(t) return { 0, 0.3, 0 }, { 1 + t, 0, 0, 0 } end)
  box:move(far)
  expect(function() world:step() end):raises "must be a unit quaternion {w, x, y, z} %(its length is 1.00417%)"
  assert(world:hash() == hash)
  assert(far:explain():find "motion of an obstacle" and wind:explain():find "velocity of the air")
end)

scenario("what cannot be traced is refused with a way out that there is", function()
  local function refusal_of(make, f)
    local ok, why = pcall(make, f)
    assert(not ok)
    return why
  end
  local branch = function(t) if t > 1 then return muslin.vec3(0, 0, 0) end return muslin.vec3(1, 0, 0) end
  local motion = refusal_of(muslin.motion, branch)
  assert(motion:find("muslin.select", 1, true) and motion:find("obstacle:move the function itself", 1, true), motion)
  local wind = refusal_of(muslin.wind, function(_, t) return branch(t) end)
  local energy = refusal_of(muslin.potential, function(c) if c.gap < 0 then return c.gap end return 0 end)
  for _, why in ipairs { wind, energy } do
    assert(why:find("muslin.select", 1, true) and not why:find("trace = false", 1, true), why)
  end
end)
