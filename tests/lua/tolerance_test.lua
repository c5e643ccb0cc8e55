-- tolerance_test.lua: the tolerance of the spherical test as a function of place and time: thickness of contacts, what it
-- shares with numbers and views, parameters, snapshots, and what is refused.
local muslin = require "muslin"
local once = require "once"

local path = ".tolerance_test.muslin" -- in the folder that the tests run in
scenario.together()

-- Two sheets fall on balls, 2 m apart, with the thickness of 4 mm between them and the balls.
local function make(tolerance)
  local world = muslin.world { dt = 1 / 120, threads = 1, pipeline = once "jung", tolerance = tolerance }
  for side = 1, 2 do
    local x = 2 * (side - 1)
    world:cloth { thickness = 8e-3, self_collision = false,
      mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.15, 0.15 }, center = { x, 0.065, 0 } } }
    world:obstacle { mesh = muslin.mesh.sphere { radius = 0.05 }, at = { x, 0, 0 } }
  end
  return world
end

local function play(world, steps, before)
  local hashes = {}
  for k = 1, steps or 40 do
    if before then before(world.time) end
    world:step()
    hashes[k] = world:hash()
  end
  return hashes
end

-- Calls f with every contact of a world.
local function each_contact(world, f)
  local count = 0
  world:on("contacts", function(w)
    for _, c in ipairs(w:contacts()) do
      f(c)
      count = count + 1
    end
  end)
  return function() return count end
end

scenario("a function that gives one number is that number, to the bit", function()
  local number, plain = play(make(1e-3)), play(make())
  expect(play(make(function() return 1e-3 end))):equals(number)
  expect(play(make(function(p) return 1e-3 + 0 * p.x end))):equals(number)
  assert(number[40] ~= plain[40])
  expect(play(make(function() return 1 end))):equals(plain) -- never more than the thickness
end)

scenario("a function of place: each contact has the least of its vertices", function()
  local mesh = muslin.mesh.sphere { radius = 0.05 }
  local function f(p) return muslin.clamp(2e-3 + 0.03 * (p.x - muslin.floor(p.x + 0.5) + p.z), 1e-3, 3e-3) end
  local world <close> = make(f)
  local thicknesses, far = {}, 0
  local count = each_contact(world, function(c)
    local least = 4e-3
    for side = 1, 2 do
      local object, at = c.objects[side], c.points[1].x > 1 and 2 or 0
      local cloth = object == world.cloths[1] or object == world.cloths[2]
      for _, i in ipairs(c.vertices[side]) do
        least = math.min(least, f(cloth and object.x[i] or mesh.x[i] + muslin.vec3(at, 0, 0)))
      end
    end
    expect(c.thickness):near(least, 1e-12)
    thicknesses[("%.4f"):format(1000 * least)] = true
    if c.points[1].x > 1 then far = far + 1 end
  end)
  play(world)
  local different = 0
  for _ in pairs(thicknesses) do different = different + 1 end
  assert(count() > 500 and far > 100 and different > 20, ("%d %d %d"):format(count(), far, different))
end)

scenario("the far sheet lies coarser", function()
  local world <close> = make(function(p) return muslin.select(muslin.lt(p.x, 1), 1e-3, 1) end)
  local calls = { {}, {} }
  each_contact(world, function(c)
    local a = calls[c.points[1].x > 1 and 2 or 1]
    a.least, a.most = math.min(a.least or 1, c.thickness), math.max(a.most or 0, c.thickness)
  end)
  play(world, 60)
  expect(calls[1].least):near(1e-3, 1e-15)
  expect(calls[1].most):near(1e-3, 1e-15)
  expect(calls[2].least):near(4e-3, 1e-15)
  expect(calls[2].most):near(4e-3, 1e-15)
  local gap = {}
  for side, cloth in ipairs(world.cloths) do
    gap[side] = math.huge
    for k = 1, #cloth.x do
      gap[side] = math.min(gap[side], (cloth.x[k] - muslin.vec3(2 * (side - 1), 0, 0)):length() - 0.05)
    end
  end
  assert(gap[1] < gap[2] - 1e-3, gap[1] .. " " .. gap[2])
end)

scenario("time, a parameter and setting it between steps are the same as numbers set there", function()
  local world <close> = make()
  local wanted = play(world, 40, function(t) world.tolerance = t < 0.1 and 1 or 1e-3 end)
  expect(play(make(function(_, t) return muslin.select(muslin.lt(t, 0.1), 1, 1e-3) end))):equals(wanted)
  local fine = muslin.param("fine", 1)
  local with = make(function() return fine end)
  expect(play(with, 40, function(t) if t >= 0.1 then fine:set(1e-3) end end)):equals(wanted)
  expect(with.tolerance:get("fine")):equals(1e-3)
  with.tolerance:set("fine", 2e-3)
  expect(fine:get()):equals(2e-3)
  local set = make()
  expect(play(set, 40, function(t)
    if t >= 0.1 then set.tolerance = function(p) return muslin.max(1e-3, p.y - 100) end end
  end)):equals(wanted)
  -- in a hook a number, a view and the function that is there already
  local hooked = make(function(_, t) return muslin.select(muslin.lt(t, 0.2), 1e-3, 2e-3) end)
  local f = hooked.tolerance
  hooked:on("before_step", function(w, t) w.tolerance = t < 0.1 and 1 or f end)
  expect(play(hooked, 20)):equals { table.unpack(wanted, 1, 20) }
end)

scenario("a tolerance by place goes on the same from a snapshot", function()
  local fine = muslin.param("fine", 1e-3)
  local function f(p) return muslin.max(fine, 3e-3 - muslin.abs(p.x)) end
  local world <close> = make(f)
  play(world, 20)
  world:save(path)
  local wanted = play(world, 20)
  world.tolerance = 2e-3
  fine:set(2e-3)
  play(world, 3)
  world:restore(path)
  expect(fine:get()):equals(1e-3)
  expect(play(world, 20)):equals(wanted)
  local other = make()
  expect(function() other:restore(path) end):raises("tolerance is a function of place in the snapshot")
  expect(other.tolerance):equals(0)
  expect(other.time):equals(0)
  other.tolerance = f
  other:restore(path)
  expect(play(other, 20)):equals(wanted)
  -- a file holds no functions
  local loaded = muslin.load(path)
  expect(function() loaded:step() end):raises("tolerance was a function of place in the saved world; set it again")
  loaded.tolerance = f
  expect(play(loaded, 20)):equals(wanted)
  -- one without is restored into a world with one
  local bare = make(1e-3)
  play(bare, 20)
  bare:save(path)
  local numbers = play(bare, 20)
  loaded:restore(path)
  expect(loaded.tolerance):equals(1e-3)
  expect(play(loaded, 20)):equals(numbers)
end)

scenario("a step in which it is not above 0 fails and reports where; nothing has changed", function()
  for _, case in ipairs {
    { function(_, t) return 0.05 - t end, "got %-?[%d.e-]+ at {" },
    { function(p, t) return 1e-3 + 0 * p.x / (muslin.max(0, 0.05 - t)) end, "got not a number at {" },
    { function(p, t) return muslin.select(muslin.lt(p.x + t, 2), 1e-3, 0) end, "got 0 at {" },
    { function(_, t) return 1e-3 + 1 / muslin.max(0, 0.05 - t) end, "got infinite at {" },
  } do
    local world = make(case[1])
    local failed = false
    for _ = 1, 20 do
      local before = world:hash()
      local ok, message = pcall(world.step, world)
      if not ok then
        failed = true
        assert(message:find("field 'tolerance' must give more than 0 m, and a finite number %(" .. case[2]), message)
        expect(world:hash()):equals(before)
        world.tolerance = 1e-3
      end
    end
    assert(failed)
  end
end)

scenario("what is no tolerance is refused", function()
  local function with(tolerance, pipeline)
    return function() muslin.world { pipeline = pipeline or "jung", tolerance = tolerance } end
  end
  expect(with("fine")):raises("'tolerance' must be a number, m, {eye =, pixel =, least =} or a function of place")
  expect(with(function() return 1e-3 end, "robust")):raises("'tolerance' is for pipelines with narrow 'spherical'")
  expect(with(function(p) return p end)):raises("tolerance: it must return a distance, one number in m %(got a vector%)")
  expect(with(function() end)):raises("tolerance: it must return a distance, one number in m %(got")
  expect(with(function(p) return p.x < 1 and 1e-3 or 2e-3 end)):raises("tolerance_test.lua:%d+: .*select")
  expect(with(function(p) return p.w end)):raises("'w'")
  expect(with(muslin.wind(function() return { 0, 0, 0 } end))):raises("must be a function of place %(got another traced one%)")
  local world <close> = make(function() return 1e-3 end)
  expect(function() world:force(world.tolerance) end):raises "must be a function, a muslin.node_force or a muslin.wind"
  expect(function() world:force(muslin.motion(function() return { 0, 0, 0 } end)) end):raises "got another traced one"
  expect(function() world:respond(muslin.response { rule = world.tolerance }) end):raises "cannot be a tolerance"
  expect(function() world.obstacles[1]:move(world.tolerance) end):raises "motion"
  world:on("before_step", function(w) w.tolerance = function() return 2e-3 end end)
  expect(function() world:step() end):raises("another function of place cannot be set within a step")
  local other <close> = make()
  other.tolerance = world.tolerance
  other:step()
end)
