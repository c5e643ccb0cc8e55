-- each_test.lua: parameter tables, `before`, options of scenarios, and what becomes of the worlds of a failure.
local muslin = require "muslin"
local kit = require "muslin.kit"

-- What f defines, without leaving it in this file's list.
local function defined(f)
  local list, befores = kit.list, kit.befores
  kit.list, kit.befores = {}, {}
  local ok, message = pcall(f)
  local made, made_befores = kit.list, kit.befores
  kit.list, kit.befores = list, befores
  if not ok then error(message, 0) end
  return made, made_befores
end

local function names(list)
  local text = {}
  for k, case in ipairs(list) do text[k] = case.name end
  return text
end

local function play(list, k, befores)
  local before = kit.befores
  kit.befores = befores or {}
  local ok, message = pcall(list[k].body)
  kit.befores = before
  if not ok then error(message, 0) end
end

scenario("each makes a scenario of every case", function()
  local seen = {}
  local list = defined(function()
    scenario.each { { n = 3, r = 0.5 }, { n = 4, r = 2 } } ("{n} nodes of {r} m", function(p) seen[#seen + 1] = p.n end)
    scenario.each { "cotton", "silk" } ("of {}", function(p) seen[#seen + 1] = p end)
    scenario.each { { n = 1 } } ("without a place", function() end)
    scenario.each({ 7 }, "at once", function() end)
  end)
  expect(names(list)):equals {
    "3 nodes of 0.5 m", "4 nodes of 2 m", "of cotton", "of silk", "without a place: {n = 1}", "at once: 7",
  }
  for k = 1, 4 do play(list, k) end
  expect(seen):equals { 3, 4, "cotton", "silk" }
end)

scenario("lists by name give every combination", function()
  local list = defined(function() scenario.each { n = { 1, 2 }, m = { "a", "b" } } ("{m}{n}", function() end) end)
  expect(names(list)):equals { "a1", "a2", "b1", "b2" }
end)

scenario("before is called before every scenario, which gets what it returns", function()
  local calls, got = 0, nil
  local list, befores = defined(function()
    before(function()
      calls = calls + 1
      return calls, nil, "x"
    end)
    before(function() return muslin.world {} end)
    scenario("one", function(...) got = table.pack(...) end)
    scenario.each { 5 } ("two {}", function(...) got = table.pack(...) end)
  end)
  play(list, 1, befores)
  expect(got.n):equals(4)
  expect({ got[1], got[3] }):equals { 1, "x" }
  expect(function() return got[4].time end, "the world that before made"):raises("closed")
  play(list, 2, befores)
  expect(got.n):equals(5)
  expect({ got[1], got[2] }):equals { 5, 2 }
end)

scenario("options of a scenario", function()
  local drawn = {}
  local list = defined(function()
    scenario("limits", { time_limit = 2.5, memory_limit = 100 }, function() end)
    for k, seed in ipairs { 1, 2, 2 } do
      scenario("seed " .. k, { seed = seed }, function() drawn[k] = math.random() end)
    end
  end)
  expect({ list[1].time_limit, list[1].memory_limit }):equals { 2.5, 100 }
  for k = 2, 4 do play(list, k) end
  expect(drawn[1]).never:equals(drawn[2])
  expect(drawn[2]):equals(drawn[3])
end)

scenario("mistakes are reported", function()
  local function refused(text, ...)
    local arguments = table.pack(...)
    expect(function()
      defined(function() arguments[1](table.unpack(arguments, 2, arguments.n)) end)
    end):raises(text)
  end
  local function nothing() end
  refused("scenario: unknown field 'time_limt' (did you mean 'time_limit'?)", scenario, "x", { time_limt = 1 }, nothing)
  refused("scenario: field 'time_limit' must be a number > 0 (got -1)", scenario, "x", { time_limit = -1 }, nothing)
  refused("scenario: field 'seed' must be a whole number >= 0 (got 0.5)", scenario, "x", { seed = 0.5 }, nothing)
  refused("scenario: the last argument is a function (got 3)", scenario, "x", {}, 3)
  refused("scenario.each: the argument is a table of cases (got 3)", scenario.each, 3)
  refused("scenario.each: there are no cases", scenario.each, {})
  refused("got 3 at 'n'", scenario.each, { n = 3 })
  refused("'{m}' in the name is none of the case's: {n = 1}", scenario.each { { n = 1 } }, "{m}", nothing)
  refused("scenario.each: the first argument is its name (got nil)", scenario.each { 1 })
  refused("before: the argument is a function (got nil)", before)
  expect(function()
    defined(function() scenario.each { 1, 1 } ("twice", nothing) end)
  end):raises("there are two of the name 'twice: 1'")
end)

scenario("a failure keeps its worlds until they are released", function()
  local made
  local list = defined(function()
    scenario("fails", function()
      made = muslin.world {}
      muslin.world {}
      expect(1):equals(2)
    end)
    scenario("is skipped", function()
      made = muslin.world {}
      skip "no reason"
    end)
  end)
  expect(list[1].body):raises("check failed")
  expect(#kit.failed):equals(2)
  expect(made.closed):is_false()
  kit.release()
  expect(made.closed):is_true()
  expect(#kit.failed):equals(0)
  expect(list[2].body):raises("skipped")
  expect(made.closed):is_true()
  expect(#kit.failed):equals(0)
end)

scenario("what belongs to a world reports the time", function()
  local world = muslin.world { dt = 1 / 60, fps = 60 }
  local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
  expect(function() expect(world):at_rest(-1) end):raises("got 0 m/s (t = 0 s, step 0)")
  world:run_frame()
  world:run_frame()
  expect(function() expect(sheet):at_rest() end):raises(" (t = 0.0333333 s, step 2, frame 2)")
end)

scenario("a golden state that is not there is reported", function()
  local world = muslin.world {}
  world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } } }
  expect(function() expect(world):golden("none") end)
    :raises("golden/each_test.none.txt, got no such file; muslin test --update-golden writes it")
  expect(function() expect(world):golden("../x") end):raises("golden is named by a word")
  expect(function() expect(world):golden("x", { tolerence = 1 }) end):raises("did you mean 'tolerance'?")
  expect(function() expect(1):golden("x") end):raises("golden is for worlds and cloths")
  expect(function() require("muslin.support").golden_write("x", "text") end):raises("muslin test --update-golden alone")
end)
