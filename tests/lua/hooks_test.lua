-- hooks_test.lua: when hooks run, what they may do, and that a step which fails is as if it had not been.
local muslin = require "muslin"
local small = require "small"

scenario("the order and the times of hooks", function()
  local world <close> = small { dt = 1 / 100, fps = 50 }
  local seen = {}
  for _, event in ipairs { "before_step", "candidate", "contacts", "after_step", "frame", "done" } do
    world:on(event, function(w, t)
      assert(w == world and math.type(t) == "float")
      seen[#seen + 1] = ("%s %.3f"):format(event, t)
    end)
  end
  world:force(function(cloth, t)
    assert(cloth == world.cloths[1])
    seen[#seen + 1] = ("force %.3f"):format(t)
  end)
  world:start()
  world:start()
  world:run_frame()
  world:finish()
  world:finish()
  local step = function(a, b)
    return ("before_step %s force %s candidate %s contacts %s after_step %s"):format(a, a, b, a, b)
  end
  local wanted = "frame 0.000 " .. step("0.000", "0.010") .. " " .. step("0.010", "0.020") .. " frame 0.020 done 0.020"
  assert(table.concat(seen, " ") == wanted, table.concat(seen, " "))
end)

scenario("tokens end hooks, also from within one", function()
  local world <close> = small()
  local count = { 0, 0, 0 }
  local second
  local first = world:on("after_step", function()
    count[1] = count[1] + 1
    if count[1] == 1 then world:off(second) end
  end)
  second = world:on("after_step", function() count[2] = count[2] + 1 end)
  local third
  third = world:on("after_step", function()
    count[3] = count[3] + 1
    world:off(third)
  end)
  world:step()
  world:step()
  assert(count[1] == 2 and count[2] == 0 and count[3] == 1)
  expect(function() world:off(second) end):raises "still in use"
  assert(first ~= second)
end)

scenario("an error in any hook undoes the step and is raised as it was", function()
  for _, event in ipairs { "before_step", "force", "candidate", "contacts", "after_step" } do
    local world <close>, cloth = small()
    for _ = 1, 3 do world:step() end
    local hash, time, index = world:hash(), world.time, world.step_index
    local thing = setmetatable({}, { __tostring = function() return "a thing" end })
    local function fail()
      world:log("in the step", 1)
      if event ~= "force" and event ~= "contacts" then cloth.x[1] = { 0, 7, 0 } end
      world.gravity = { 0, 1, 0 }
      error(thing)
    end
    local token = event == "force" and world:force(fail) or event ~= "force" and world:on(event, fail)
    world:log("before", 1)
    local ok, err = pcall(world.step, world)
    assert(not ok and rawequal(err, thing), event)
    assert(world:hash() == hash and world.time == time and world.step_index == index, event)
    assert(world.gravity.y == -9.81, event)
    assert(#world:logged "in the step" == 0 and #world:logged "before" == 1, event)
    world:off(token)
    world:step()
    assert(world.step_index == index + 1)
  end
end)

scenario("an error in a hook has the scene's line and a traceback", function()
  local world <close> = small()
  world:on("after_step", function()
    local function deep() error "the cat sat on it" end
    deep()
  end)
  local _, message = pcall(world.step, world)
  assert(message:find "hooks_test%.lua:%d+: the cat sat on it", message)
  assert(message:find "stack traceback:" and message:find "in upvalue 'deep'" or message:find "in local 'deep'", message)
  local _, times = message:gsub("stack traceback:", "")
  assert(times == 1, "one traceback only")
end)

scenario("steps do not nest and a world does not close in its own hooks", function()
  local world <close>, cloth = small()
  for _, event in ipairs { "before_step", "candidate", "after_step", "frame" } do
    local token = world:on(event, function() world:step() end)
    local run = event == "frame" and world.run_frame or world.step
    expect(function() run(world) end):raises "world: step%(%) cannot be called inside one of the world's own hooks"
    world:off(token)
    token = world:on(event, function() world:close() end)
    expect(function() run(world) end):raises "world: close%(%) cannot be called inside one of the world's own hooks"
    world:off(token)
  end
  world:step()
  assert(not world.closed and cloth.alive)
end)

scenario("another world may be stepped inside a hook", function()
  local a <close> = small()
  local b <close> = small()
  a:on("after_step", function() b:step() end)
  a:step()
  a:step()
  assert(a:hash() == b:hash() and b.step_index == 2)
end)

scenario("callbacks run on the coroutine that steps", function()
  local world <close> = small()
  local inside
  world:on("after_step", function() inside = coroutine.running() end)
  local other = coroutine.create(function()
    world:step()
    world:on("after_step", function() coroutine.yield() end)
    world:step()
  end)
  local ok, message = coroutine.resume(other)
  assert(inside == other)
  assert(not ok and message:find "attempt to yield across a C%-call boundary", message)
  assert(world.step_index == 1)
end)

scenario("what may be written when", function()
  local world <close>, cloth = small()
  local seen = {}
  local function try(event, view, value)
    local token
    local function f()
      seen[event .. " " .. view] = pcall(function() cloth[view][1] = value end)
    end
    token = event == "force" and world:force(f) or event ~= "force" and world:on(event, f)
    world:step()
    world:off(token)
  end
  for _, event in ipairs { "before_step", "force", "candidate", "contacts", "after_step" } do
    for _, view in ipairs { "x", "v", "f" } do
      local here = view == "x" and cloth.x[1] or { 0, 0, 0 }
      try(event, view, here)
    end
    for _, view in ipairs { "m", "normal", "inverse_mass" } do try(event, view, view == "normal" and { 0, 1, 0 } or 1) end
  end
  local writable = {
    ["before_step x"] = true, ["before_step v"] = true, ["candidate x"] = true, ["candidate v"] = true,
    ["after_step x"] = true, ["after_step v"] = true, ["force f"] = true,
  }
  for key, value in pairs(seen) do assert(value == (writable[key] or false), key .. " " .. tostring(value)) end
  expect(function() cloth.f[1] = { 0, 0, 0 } end):raises "cloth.f: forces last for one step"
  expect(function() cloth.inverse_mass[1] = 1 end):raises "cloth.inverse_mass: it can be read, not written"
end)

scenario("a force acts", function()
  local world <close>, cloth = small { gravity = { 0, 0, 0 }, air_density = 0, dt = 1 / 240 }
  local total = cloth.m:sum()
  world:force(function(c) c.f:add { 1, 0, 0 } end)
  for _ = 1, 24 do world:step() end
  -- 1 N on each of 16 vertices; velocities are those of half a step ago
  local v = 16 / total * (world.time - world.step_size / 2)
  local mean = 0
  for i = 1, #cloth.x do mean = mean + cloth.m[i] * cloth.v[i].x / total end
  expect(mean):near(v, 1e-6 * v) -- to the tolerance of the solver
  local way = 16 / total * world.time ^ 2 / 2
  expect(cloth:centroid().x):near(way, 1e-6 * way)
end)

scenario("written positions count and are validated", function()
  local world <close>, cloth = small { gravity = { 0, 0, 0 } }
  cloth.x:add { 0, 1, 0 }
  world:step()
  expect(cloth.x[1].y):near(2, 1e-9)
  world:on("after_step", function() cloth.x[1] = cloth.x[16] - muslin.vec3(0.04, 0.0, 0.035) end)
  world:step()
  expect(function() world:step() end):raises "sheet"
end)

scenario("events between steps", function()
  local world <close> = small()
  local keys = {}
  world:on("key", function(name, w)
    assert(w == world)
    keys[#keys + 1] = name
    return name == "k"
  end)
  local frames = {}
  world:on("frame", function(w, t)
    frames[#frames + 1] = w.frame
    expect(t):near(w.frame / 60, 1e-12)
  end)
  world:run(0.05)
  assert(table.concat(frames, " ") == "0 1 2 3", table.concat(frames, " "))
end)

scenario("the log knows frames and times", function()
  local world <close> = small { dt = 1 / 120, fps = 60 }
  world:on("after_step", function(w, t) w:log("height", t) end)
  world:on("frame", function(w) w:log("frame", w.frame) end)
  world:run(2 / 60)
  local heights, times = world:logged "height"
  assert(#heights == 4)
  for i = 1, 4 do
    expect(heights[i]):near(i / 120, 1e-12)
    expect(times[i]):near(i / 120, 1e-12)
  end
  local frames = world:logged "frame"
  assert(#frames == 3 and frames[1] == 0 and frames[3] == 2)
  expect(function() world:log("a", "b") end):raises "world: log%('a', value%): value must be a number"
end)
