-- timeline_test.lua: functions of world:script: when they run on, what a failed step and a snapshot mean for them, and the
-- time of hooks.
local muslin = require "muslin"
local small = require "small"

-- A sheet pinned at its corners that a script releases, blows at and stops; `seen` gets what happened.
local function story(seen, options)
  local world, cloth = small(options or { dt = 1 / 100, fps = 50 })
  cloth:pin { corners = true }
  local function note(text, t) seen[#seen + 1] = ("%s %.2f"):format(text, t) end
  world:script(function(w)
    assert(w == world)
    note("begin", w.time)
    note("let go", w:wait(0.1))
    cloth:unpin()
    note("low", w:wait_until(function(at) return at == world and cloth:centroid().y < 0.98 end))
    w.wind = { 0, 0, 2 + math.random() }
    for k = 1, 2 do note("gust " .. k, w:wait(0.05)) end
    cloth.v:fill(0)
    w:log("stopped", w.time)
  end, "story")
  return world, cloth
end

scenario("a script waits for times and for conditions, beside another", function()
  local seen = {}
  local world <close>, cloth = story(seen)
  world:script(function(w)
    for _ = 1, 3 do
      seen[#seen + 1] = ("beat %.2f"):format(w.time)
      w:wait(0.08)
    end
  end)
  world:advance(0.5)
  expect(table.concat(seen, ", ")):equals("begin 0.00, beat 0.00, beat 0.08, let go 0.10, low 0.15, beat 0.16, " ..
    "gust 1 0.20, gust 2 0.25")
  assert(cloth:centroid().y < 0.98 and #world:logged "stopped" == 1)
end)

scenario("wait() alone is to the next step; what holds already is not waited for; off() ends a script", function()
  local world <close> = small { dt = 1 / 100, fps = 50 }
  local times, after = {}, 0
  world:script(function(w)
    times[1] = w:wait_until(function() return true end)
    times[2] = w:wait()
    times[3] = w:wait(0)
    w:wait(1e9)
  end)
  local token = world:script(function(w)
    while true do
      w:wait()
      after = after + 1
    end
  end)
  world:advance(0.1)
  expect(times):near({ 0, 0.01, 0.02 }, 1e-9)
  expect(after):equals(9)
  world:off(token)
  world:advance(0.1)
  expect(after):equals(9)
end)

scenario("waits pass through pcall and functions, with their values", function()
  local world <close> = small { dt = 1 / 100, fps = 50 }
  local got
  world:script(function(w)
    local function deep() return "deep", w:wait(0.03) end
    got = { pcall(deep) }
  end)
  world:advance(0.1)
  assert(got[1] == true and got[2] == "deep" and math.abs(got[3] - 0.03) < 1e-9)
end)

scenario("waits elsewhere are refused by name", function()
  local world <close> = small()
  local other <close> = small()
  expect(function() world:wait(1) end):raises "world: wait() waits within a function of world:script, and here is none"
  expect(function() world:wait_until(print) end):raises "world: wait_until() waits within a function of world:script"
  local function refused(f, message)
    local token = world:script(f)
    expect(function() world:step() end):raises(message)
    world:off(token)
  end
  refused(function(w) w:wait(-1) end, "world: wait(seconds): seconds must be a number >= 0 (got -1)")
  refused(function(w) w:wait "1" end, "world: wait(seconds): seconds must be a number >= 0 (got '1')")
  refused(function(w) w:wait_until(3) end, "world: wait_until(f): f must be a function (got 3)")
  refused(function() other:wait(1) end, "here is none")
  refused(function(w) coroutine.wrap(function() w:wait(1) end)() end, "coroutine of one's own within world:script")
  refused(function(w)
    table.sort({ 1, 2 }, function() w:wait(1) end)
  end, "inside a function that a library calls")
  refused(function(w) w:step() end, "cannot be called inside one of the world's own hooks")
  expect(function() world:script(4) end):raises "world: script(f): f must be a function (got 4)"
  expect(function() world:script(print, 4) end):raises "world: script: the name must be a string (got 4)"
  world:step()
end)

scenario("an error in a script undoes the step and names the line; the script is over", function()
  local world <close>, cloth = small()
  local function deep() error "the cat sat on it" end
  world:script(function(w)
    w:wait(0.02)
    cloth.x[1] = { 0, 7, 0 }
    w:log("in the step", 1)
    deep()
  end)
  world:advance(0.015)
  local hash, time
  local ok, message
  repeat
    hash, time = world:hash(), world.time
    ok, message = pcall(world.step, world)
  until not ok
  assert(message:find "timeline_test%.lua:%d+: the cat sat on it" and message:find "in upvalue 'deep'", message)
  expect(select(2, message:gsub("stack traceback:", ""))):equals(1)
  expect(time):between(0.02, 0.02 + world.dt)
  expect(world:hash()):equals(hash)
  expect(#world:logged "in the step"):equals(0)
  world:step()
end)

scenario("a script that ran on in a step which failed does not go on as if nothing had been", function()
  local world <close> = story({})
  world:advance(0.05)
  local fails = true
  world:on("after_step", function() if fails and world.time > 0.1 then error "no" end end)
  expect(function() world:advance(0.2) end):raises "no"
  fails = false
  expect(function() world:step() end):raises "ran on in a step that failed, and cannot go back"
end)

-- Snapshots: in the folder that the tests run in.
local function file() return ".timeline_test.muslin" end
scenario.together()

scenario("a world with scripts goes back, and on as it did", function()
  local whole = {}
  local reference <close> = story(whole)
  reference:advance(0.6)
  local hash, wanted = reference:hash(), table.concat(whole, ", ")
  for _, at in ipairs { 0, 0.05, 0.15, 0.25, 0.5 } do
    local seen = {}
    local world <close> = story(seen)
    math.randomseed(1)
    if at > 0 then world:advance(at) end
    world:save(file())
    local done = #seen
    world:advance(0.6 - at)
    local first = world:hash()
    world:restore(file())
    expect(world.time):near(at, 1e-9)
    local again = #seen
    world:advance(0.6 - at)
    expect(world:hash()):equals(first)
    -- In a world that is made anew it is played again up to there, and then goes on.
    local fresh_seen = {}
    local fresh <close> = story(fresh_seen)
    fresh:restore(file())
    expect(#fresh_seen):equals(done)
    fresh:advance(0.6 - at)
    expect(fresh:hash()):equals(first)
    expect(table.concat(fresh_seen, ", ")):equals(wanted)
    expect(again >= done):is_true()
  end
  assert(#hash == 16)
end)

scenario("what cannot be played again is reported, and nothing has changed", function()
  local calm = true
  local function made()
    local world, cloth = small { dt = 1 / 100, fps = 50 }
    world:script(function(w)
      w:wait(0.05)
      if calm then w:wait(0.05) end
      cloth.x[1] = cloth.x[1] + { 0, 0.001, 0 }
    end)
    return world
  end
  local world <close> = made()
  world:advance(0.08)
  world:save(file())
  expect(function() muslin.load(file()) end):raises "was under way in the saved world, and a file holds no functions"
  muslin.load(file(), { hooks = false }):close()
  calm = false
  local other <close> = made()
  other:advance(0.02)
  local hash = other:hash()
  expect(function() other:restore(file()) end):raises "took another way when it was played again"
  expect(other:hash()):equals(hash)
  calm = true
  other:restore(file())
  expect(other:hash()):equals(world:hash())
  local bare <close> = small { dt = 1 / 100, fps = 50 }
  expect(function() bare:restore(file()) end):raises "had 1 function(s) of world:script, and this one has 0"
end)

scenario("a script that adds hooks on its way cannot go back over them", function()
  local world <close> = small { dt = 1 / 100, fps = 50 }
  world:script(function(w)
    w:wait(0.05)
    w:on("frame", function() end)
    w:wait(0.05)
  end)
  world:advance(0.02)
  world:save(file())
  world:advance(0.1)
  world:restore(file())
  world:advance(0.07)
  world:save(file())
  world:advance(0.1)
  local hash = world:hash()
  expect(function() world:restore(file()) end):raises "adds hooks or motions on its way"
  expect(world:hash()):equals(hash)
end)

scenario("a loaded world wants the scripts that had not begun", function()
  local world <close> = story({})
  world:save(file())
  local loaded <close> = muslin.load(file())
  expect(function() loaded:step() end):raises "1 more function(s) of world:script"
  local ran = false
  loaded:script(function() ran = true end)
  loaded:step()
  assert(ran)
end)

scenario("hooks are timed by event and name", function()
  local world <close>, cloth = small { dt = 1 / 100, fps = 50 }
  world:on("after_step", function() for _ = 1, 20000 do end end, "busy")
  world:on("frame", function() end)
  world:force(function(c) c.f:add { 0, 0, 0 } end, "still air")
  world:script(function(w) w:wait(0.015) end, "story")
  world:run(0.04)
  local hooks = world:stats().hooks
  local names = {}
  for k, hook in ipairs(hooks) do names[k] = ("%s %s %d"):format(hook.event, hook.name:gsub(".*/", ""), hook.calls) end
  names = table.concat(names, ", "):gsub("lua:%d+", "lua:N")
  expect(names):equals("after_step busy 4, frame timeline_test.lua:N 3, force still air 4, script story 4")
  local busy = hooks[1]
  assert(busy.step_ms > 0 and busy.total_ms > busy.step_ms and busy.total_ms > hooks[2].total_ms)
  expect(function() world:on("frame", print, {}) end):raises "the name must be a string"
  assert(cloth.alive)
end)

scenario("a hook that does nothing takes less than a microsecond", function()
  local world <close> = muslin.world { dt = 1 / 1000, fps = 50 }
  local function nothing() end
  world:on("after_step", nothing)
  local clock = require("muslin.support").clock
  local least, call, before = math.huge, math.huge, 0
  for _ = 1, 20 do -- the least of several: the machine may be busy
    world:advance(0.1)
    local hook = world:stats().hooks[1]
    least, before = math.min(least, (hook.total_ms - before) / 100), hook.total_ms
    local start = clock()
    for _ = 1, 100 do pcall(nothing) end
    call = math.min(call, 10 * (clock() - start)) -- ms, of one
  end
  expect(least):less_than(math.max(1e-3, 20 * call)) -- under a tool that slows everything down, beside a call
end)
