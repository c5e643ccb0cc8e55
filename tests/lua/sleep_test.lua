-- sleep_test.lua: when a world at rest falls asleep, what wakes it, and that it goes on as one that never slept.
local muslin = require "muslin"

local STEPS = 240 -- within which all scenes here come to rest

-- A sheet that lies on a floor. `settings`: of the world; `prepare`: more objects and hooks.
local function sheet_on_floor(settings, prepare)
  local world = muslin.world { dt = 1/120, sleep = settings.sleep ~= false, threads = 1,
    pipeline = settings.pipeline }
  local sheet = world:cloth { name = "sheet", material = "cotton", friction = settings.friction or 0.3,
    mesh = muslin.mesh.grid { nodes = {7, 7}, size = {0.2, 0.2}, center = {0, 0.002, 0} } }
  local floor = world:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0}, friction = settings.friction or 0.3 }
  if prepare then prepare(world, sheet, floor) end
  return world, sheet, floor
end

local function until_asleep(world)
  for step = 1, STEPS do
    world:step()
    if world.asleep then return step end
  end
  error("the world does not fall asleep")
end

local function positions(cloth)
  local all = {}
  for i = 1, #cloth.x do all[i] = table.concat({cloth.x:get(i)}, " ") end
  return table.concat(all, "\n")
end

scenario("a sheet on a floor falls asleep after half a second at rest, and does not move", function()
  local world, sheet = sheet_on_floor {}
  local falls = until_asleep(world)
  expect(falls, "steps"):between(60, 120)
  local before, contacts, time, index = positions(sheet), #world:contacts(), world.time, world.step_index
  expect(contacts):at_least(40)
  for _ = 1, 30 do
    world:step()
    expect(world:stats().substeps):equals(0)
  end
  expect(world.asleep):equals(true)
  expect(positions(sheet)):equals(before)
  expect(sheet.v:norm()):equals(0)
  expect(world:energy().kinetic):equals(0)
  expect(#world:contacts()):equals(contacts)
  expect(world:stats().contacts, "contacts"):at_least(40)
  expect(world.time):near(time + 30 / 120, 1e-12)
  expect(world.step_index):equals(index + 30)
end)

scenario("without the option no world falls asleep", function()
  local world = muslin.world {}
  expect(world.sleep):equals(false)
  world = sheet_on_floor { sleep = false }
  world:advance(STEPS / 120)
  expect(world.asleep):equals(false)
  expect(world:stats().substeps):equals(1)
end)

scenario("every pipeline's worlds sleep", function()
  for _, pipeline in ipairs { "robust", "lively", "sequential", "offset", "bridson" } do
    local world = sheet_on_floor { pipeline = pipeline }
    expect(until_asleep(world), pipeline):at_most(STEPS)
  end
end)

-- Changes to a world at rest, each of which wakes it. A function that prepares the world may come first.
local function ball(world)
  return world:obstacle { name = "ball", shape = "sphere", radius = 0.05, mass = 0.5, motion = "dynamic",
    at = {0.3, 0.0505, 0}, friction = 0.3 }
end
local awake_by = {
  ["a position"] = { change = function(_, sheet)
    local x, y, z = sheet.x:get(1)
    sheet.x:set(1, x, y + 1e-4, z)
  end },
  ["a velocity"] = { change = function(_, sheet) sheet.v:set(1, 0, 1e-3, 0) end },
  ["a pin"] = { change = function(_, sheet) sheet:pin { vertices = {1} } end },
  ["a pin that goes"] = { prepare = function(_, sheet) sheet:pin { vertices = {1} } end, change = function(_, sheet) sheet:unpin() end },
  ["gravity"] = { change = function(world) world.gravity = {0, -9.8, 0} end },
  ["wind"] = { change = function(world) world.wind = {0, 0, 1} end },
  ["a coefficient"] = { change = function(world) world:between({"sheet", "floor"}, { friction = 0.1 }) end },
  ["a response"] = { change = function(world) world:respond { friction = 0.1 } end },
  ["an object"] = { change = function(world) world:obstacle { shape = "sphere", radius = 0.1, at = {3, 3, 3} } end },
  ["an object that goes"] = {
    prepare = function(world) world:obstacle { name = "ball", shape = "sphere", radius = 0.1, at = {3, 3, 3} } end,
    change = function(world) world:remove(world:find "ball") end },
  ["an impulse"] = { prepare = ball, change = function(world) world:find "ball":apply_impulse({0.01, 0, 0}) end },
  ["a body's velocity"] = { prepare = ball, change = function(world) world:find "ball".velocity = {0.1, 0, 0} end },
  ["a motion"] = { change = function(world, _, floor) floor:move(function() return {0, 0, 0} end) world:step() end },
  ["world:wake"] = { change = function(world) world:wake() end },
}
for name, case in pairs(awake_by) do
  scenario("what wakes a world: " .. name, function()
    local world, sheet, floor = sheet_on_floor({}, case.prepare)
    until_asleep(world)
    case.change(world, sheet, floor)
    world:step()
    expect(world.asleep, "asleep"):equals(false)
    expect(world:stats().substeps):at_least(1)
  end)
end

scenario("what sets a value to what it was does not wake a world, nor does what reads it", function()
  local world, sheet = sheet_on_floor {}
  until_asleep(world)
  world.gravity = {0, -9.81, 0}
  world.wind = {0, 0, 0}
  world:audit()
  world:energy()
  sheet:strain()
  world:step()
  expect(world.asleep):equals(true)
end)

-- Things that begin to act at a time after the world fell asleep. `prepare` gets that time.
local AT = 2
local begins = {
  ["a force"] = function(world)
    world:force(function(cloth, t) if t >= AT - 1e-9 then cloth.f:set(1, 0, 1e-3, 0) end end)
  end,
  ["a path of a pin"] = function(_, sheet)
    local x, y, z = sheet.x:get(1)
    sheet:pin { vertices = {1}, path = function(t) return {x, y + 0.01 * math.max(0, t - AT), z} end }
  end,
  ["a near obstacle"] = function(world)
    world:obstacle { shape = "sphere", radius = 0.03, at = {0.131, 0.02, 0}, friction = 0 }
      :move(function(t) return {0.131 + 0.1 * math.max(0, t - AT), 0.02, 0} end)
  end,
}
for name, prepare in pairs(begins) do
  scenario("a world wakes in the step in which it begins: " .. name, function()
    local world = sheet_on_floor({}, prepare)
    local slept = false
    while world.time < AT - 1e-9 do
      world:step()
      slept = slept or world.asleep
    end
    expect(slept, "slept before"):equals(true)
    expect(world.asleep, "asleep before"):equals(true)
    world:step()
    expect(world.asleep, "asleep"):equals(false)
  end)
end

scenario("a constant force lets a world sleep; an obstacle that moves far away does too", function()
  local fan
  local world = sheet_on_floor({}, function(w)
    w:force(function(cloth) cloth.f:set(1, 1e-4, 0, 0) end)
    fan = w:obstacle { name = "fan", shape = "box", size = {0.4, 0.1, 0.1}, at = {0, 2, 0} }
    fan:move(function(t) return {0, 2 + 0.1 * math.sin(t), 0} end)
  end)
  until_asleep(world)
  for _ = 1, 10 do world:step() end
  expect(world.asleep):equals(true)
  expect(fan.position.y):near(2 + 0.1 * math.sin(world.time), 1e-12)
end)

scenario("worlds with functions that may change at any time do not sleep", function()
  local function never(prepare, name)
    local world = sheet_on_floor({}, prepare)
    world:advance(STEPS / 120)
    expect(world.asleep, name):equals(false)
  end
  never(function(world) world:on("contacts", function() end) end, "hook contacts")
  never(function(world) world:on("candidate", function() end) end, "hook on predicted positions")
  never(function(world) world:respond { rule = function() return muslin.vec3() end } end, "rule")
  never(function(world) world:force(muslin.wind(function() return muslin.vec3() end)) end, "wind")
  never(function(world) world:between({"sheet", "floor"}, { friction = function() return 0.3 end }) end, "coefficient")
end)

scenario("an obstacle that arrives wakes the sheet before it touches it", function()
  local world = sheet_on_floor({}, function(world)
    world:obstacle { name = "hammer", shape = "sphere", radius = 0.05, at = {0, 1, 0} }
      :move(function(t) return {0, math.max(0.0508, 1 - 2 * math.max(0, t - 1.2)), 0.2 * math.max(0, t - 1.6)} end)
  end)
  local slept, woke = false, false
  while world.time < 2.8 do
    world:step()
    slept, woke = slept or world.asleep, slept and (woke or not world.asleep)
    expect(world:audit().intersections + world:audit().inside):equals(0)
  end
  expect(woke, "it woke"):equals(true)
end)

scenario("a woken sheet slides as one that never slept", function()
  local ends = {}
  for _, sleep in ipairs { true, false } do
    local world, sheet = sheet_on_floor { sleep = sleep }
    while world.time < 1.5 do world:step() end
    expect(world.asleep):equals(sleep)
    world.gravity = {9.81 * math.sin(0.5), -9.81 * math.cos(0.5), 0}
    while world.time < 1.8 do world:step() end
    ends[#ends + 1] = sheet.x:mean().x
  end
  expect(ends[1], "m"):at_least(0.05)
  expect(ends[1]):near(ends[2], 1e-4 * ends[2])
end)

scenario("a rigid body at rest sleeps with the cloth, and a spinning one does not", function()
  local spinning = sheet_on_floor({}, function(world)
    local b = world:obstacle { name = "top", shape = "sphere", radius = 0.05, mass = 0.5, motion = "dynamic",
      at = {0.3, 0.6, 0}, friction = 0 }
    b.angular_velocity = {0, 0.05, 0}
  end)
  spinning:advance(2)
  expect(spinning.asleep):equals(false)
  local resting = sheet_on_floor({}, ball)
  until_asleep(resting)
  expect(resting:find "ball".velocity:length()):equals(0)
end)

scenario("a snapshot has the time at rest, and that the world sleeps", function()
  local path = ".sleep_test.muslin" -- in the folder that the tests run in
  local falls = until_asleep(sheet_on_floor({}, ball))
  for _, at in ipairs { falls - 20, falls, falls + 10 } do
    local world, sheet = sheet_on_floor({}, ball)
    for _ = 1, at do world:step() end
    world:save(path)
    local loaded = muslin.load(path)
    for k = at + 1, falls + 20 do
      world:step()
      loaded:step()
      expect(loaded.asleep, "step " .. k):equals(k >= falls)
      expect(world.asleep):equals(k >= falls)
    end
    expect(loaded:hash()):equals(world:hash())
    expect(#loaded:contacts()):equals(#world:contacts())
    world:restore(path)
    for _ = at + 1, falls + 20 do world:step() end
    expect(loaded:hash()):equals(world:hash())
    expect(positions(sheet)):equals(positions(loaded.cloths[1]))
    for _, each in ipairs { world, loaded } do
      each.gravity = {1, -9.81, 0}
      for _ = 1, 10 do each:step() end
      expect(each.asleep):equals(false)
    end
    expect(loaded:hash()):equals(world:hash())
  end
end)

scenario("the state of a sleeping world in a world that does not sleep", function()
  local path = ".sleep_test_other.muslin"
  local world = sheet_on_floor {}
  until_asleep(world)
  world:save(path)
  local other = sheet_on_floor { sleep = false }
  other:restore(path)
  expect(other:hash()):equals(world:hash())
  expect(other.asleep):equals(false)
  other:step()
  expect(other:stats().substeps):equals(1)
end)

scenario("a step that fails leaves the world asleep, with its contacts", function()
  local fail = false
  local world = sheet_on_floor({}, function(w)
    w:on("after_step", function() if fail then error("stop") end end)
  end)
  until_asleep(world)
  world:step()
  local hash, contacts = world:hash(), #world:contacts()
  fail = true
  expect(function() world:step() end):raises("stop")
  expect(world:hash()):equals(hash)
  expect(world.asleep):equals(true)
  expect(#world:contacts()):equals(contacts)
  world:wake()
  expect(function() world:step() end):raises("stop")
  expect(world:hash()):equals(hash)
  fail = false
  world:step()
  expect(world.asleep):equals(false)
end)

scenario("a step that wakes the world and fails leaves it asleep, with its contacts", function()
  local disturb = false
  local world = sheet_on_floor({}, function(w)
    w:on("before_step", function() if disturb then w.gravity = {0, -9.8, 0} end end)
    w:on("after_step", function() if disturb then error("stop") end end)
  end)
  until_asleep(world)
  local hash, contacts = world:hash(), #world:contacts()
  disturb = true
  expect(function() world:step() end):raises("stop")
  disturb = false
  expect(world:hash()):equals(hash)
  for _ = 1, 10 do world:step() end
  expect(world.asleep):equals(true)
  expect(contacts):at_least(40)
  expect(#world:contacts()):equals(contacts)
end)

scenario("a step that fails and is made again changes nothing: motion is not forgotten", function()
  local function run(failing)
    local fail = false
    local world = muslin.world { dt = 1/120, sleep = true, gravity = {0, 0, 0}, air_density = 0 }
    local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {5, 5}, size = {0.2, 0.2}, center = {0, 1, 0} } }
    sheet.v:fill { 0, 4e-4, 0 } -- 0.4 mm/s
    world:on("after_step", function() if fail then error("stop") end end)
    for k = 1, 120 do
      if failing(k) then
        fail = true
        expect(function() world:step() end):raises("stop")
        fail = false
      end
      world:step()
    end
    expect(world.asleep):equals(false)
    return world:hash()
  end
  local hash = run(function() return false end)
  expect(run(function(k) return k == 31 end)):equals(hash)
  expect(run(function() return true end)):equals(hash)
end)

scenario("a sheet that a slow obstacle lifts is not asleep", function()
  local world = muslin.world { dt = 1/120, sleep = true }
  local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {7, 7}, size = {0.2, 0.2}, center = {0, 0.002, 0} } }
  world:obstacle { shape = "box", size = {0.3, 0.02, 0.3}, at = {0, -0.01, 0} }
    :move(function(t) return {0, -0.01 + 1.5e-4 * t, 0} end)
  for _ = 1, STEPS do
    world:step()
    expect(world.asleep):equals(false)
  end
  expect(sheet.x:mean().y, "height, m"):between(7e-4, 1.2e-3)
end)

scenario("contact energy and the total stay", function()
  local world = sheet_on_floor { pipeline = "offset" }
  local total, contact
  for _ = 1, STEPS do
    world:step()
    if world.asleep then break end
    total, contact = world:energy().total, world:energy().contact
  end
  expect(world.asleep):equals(true)
  expect(contact):more_than(0)
  expect(world:energy().contact):equals(contact)
  expect(world:energy().total):near(total, 1e-6 * total)
end)

scenario("a spring law that is gone lets a world sleep; a path that pulls does not", function()
  local world, sheet = sheet_on_floor {}
  sheet:spring_law(function(q) return 20 * (q.length - q.rest) end)
  world:advance(STEPS / 120)
  expect(world.asleep, "with a spring law"):equals(false)
  sheet:spring_law(false)
  until_asleep(world)
  local pulled = muslin.world { dt = 1/120, sleep = true, pipeline = { integrator = "position_based" } }
  local other = pulled:cloth { mesh = muslin.mesh.grid { nodes = {4, 4}, size = {0.1, 0.1}, center = {0, 0.002, 0} } }
  pulled:obstacle { shape = "plane", normal = {0, 1, 0} }
  local grip = {0.05, 0.002, 0.05}
  other:pull { vertices = {16}, stiffness = 50, path = function() return grip end }
  pulled:advance(2)
  grip = {0.05, 0.1, 0.05}
  pulled:advance(1)
  expect((select(2, other.x:get(16))), "height of what is pulled, m"):at_least(0.08)
end)

scenario("a failed step does not let the world fall asleep", function()
  local fail = 0
  local world = sheet_on_floor({}, function(w)
    w:on("after_step", function() if fail > 0 then fail = fail - 1 error("stop") end end)
  end)
  local falls = until_asleep(sheet_on_floor {})
  for _ = 1, falls - 1 do world:step() end
  fail = 1
  expect(function() world:step() end):raises("stop")
  expect(world.asleep):equals(false)
  world:step()
  expect(world.asleep):equals(true)
end)

scenario("masses that are written wake a world", function()
  local world, sheet = sheet_on_floor {}
  until_asleep(world)
  sheet.m[25] = 2 * sheet.m[25]
  expect(world.asleep):equals(false)
  world:step()
  expect(world:stats().substeps):at_least(1)
end)
