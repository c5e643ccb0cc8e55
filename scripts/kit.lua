-- kit.lua: scenarios, for *_test.lua files and for the check at a scene's end.
--
--   scenario("a sheet comes to rest on the floor", function()
--     local world = muslin.world { ... }
--     world:advance(3)
--     expect(world):penetration_free():at_rest(0.01)
--   end)
--
-- `scenario`, `property`, `before`, `expect` and `skip` are globals of every scene; in stock Lua they are muslin.scenario and
-- so on. A failed expectation raises "FILE:LINE: check failed: expected ..., got ...", skip(reason) raises
-- "FILE:LINE: skipped: ...".
--
-- For hosts: `list` holds {name, body, time_limit, memory_limit} in order of definition. A body seeds math.random and closes
-- the worlds that were made in it; when it fails they stay in `failed`, until `release` closes them. `seed` may be set
-- before bodies run. `run` plays them and prints TAP, where there is no host.

local muslin = require "muslin"
local support = require "muslin.support"
local expectations = require "muslin.expectations"
local show = expectations.show

local kit = { list = {}, befores = {}, failed = {}, seed = 1 }

local SKIP_MARK = "skipped: "

kit.expect = expectations.expect

--- skip(reason): ends the scenario, which counts neither as passed nor as failed.
function kit.skip(reason)
  support.fail(SKIP_MARK .. tostring(reason == nil and "no reason given" or reason))
end

-- ---- Bodies ---------------------------------------------------------------------------------------------------------

local function close_all(worlds)
  for i = #worlds, 1, -1 do pcall(worlds[i].close, worlds[i]) end
end

--- Closes the worlds of the scenario that failed last.
function kit.release()
  close_all(kit.failed)
  kit.failed = {}
end

-- Calls body(case, what the file's `before` functions return) with random numbers of `seed`, and closes the worlds it makes,
-- by whatever way it ends; but for those of a failure.
function kit.play(body, seed, case)
  kit.release()
  local make, worlds = muslin.world, {}
  local guard <close> = setmetatable({}, { -- luacheck: ignore guard
    __close = function(_, problem)
      muslin.world = make
      if problem ~= nil and not tostring(problem):match("^[^\n]-" .. SKIP_MARK) then
        kit.failed = worlds
      else
        close_all(worlds)
      end
    end,
  })
  muslin.world = function(...)
    local world = make(...)
    worlds[#worlds + 1] = world
    return world
  end
  support.seed(seed)
  local arguments = { case }
  local count = case == nil and 0 or 1
  for _, before in ipairs(kit.befores) do
    local made = table.pack(before())
    table.move(made, 1, made.n, count + 1, arguments)
    count = count + made.n
  end
  body(table.unpack(arguments, 1, count))
end

-- ---- Definitions ----------------------------------------------------------------------------------------------------

local function check_options(what, options, keys)
  support.check_keys(options, what, keys)
  for _, name in ipairs { "time_limit", "memory_limit" } do
    local value = options[name]
    if value ~= nil and not (type(value) == "number" and value > 0 and value < math.huge) then
      support.fail(("%s: field '%s' must be a number > 0 (got %s)"):format(what, name, show(value)))
    end
  end
  local seed = options.seed
  if seed ~= nil and (math.type(seed) ~= "integer" or seed < 0) then
    support.fail(("%s: field 'seed' must be a whole number >= 0 (got %s)"):format(what, show(seed)))
  end
  return options
end

-- What a definition was given: name[, options], body. `what` is for messages.
function kit.read_definition(what, keys, name, options, body)
  local place = body == nil and "second" or "last"
  if body == nil then options, body = {}, options end
  if type(name) ~= "string" or name == "" then
    support.fail(what .. ": the first argument is its name (got " .. show(name) .. ")")
  end
  if type(body) ~= "function" then
    support.fail(("%s: the %s argument is a function (got %s)"):format(what, place, show(body)))
  end
  return check_options(what, options, keys), body
end

function kit.add(what, name, options, body)
  for _, other in ipairs(kit.list) do
    if other.name == name then support.fail(what .. ": there are two of the name '" .. name .. "'") end
  end
  kit.list[#kit.list + 1] =
    { name = name, body = body, time_limit = options.time_limit, memory_limit = options.memory_limit }
end

local SCENARIO_KEYS = { "time_limit", "memory_limit", "seed" }

--- scenario(name, [{time_limit, memory_limit, seed},] function(...) ... end): to be run by `muslin test`, each by itself, in
--- order.
function kit.scenario(name, options, body)
  options, body = kit.read_definition("scenario", SCENARIO_KEYS, name, options, body)
  kit.add("scenario", name, options, function() kit.play(body, options.seed or kit.seed) end)
end

--- before(function() ... return ... end): called before every scenario of the file, which gets what it returns.
function kit.before(f)
  if type(f) ~= "function" then support.fail("before: the argument is a function (got " .. show(f) .. ")") end
  kit.befores[#kit.befores + 1] = f
end

-- Every combination of lists by name, the first name of the alphabet slowest.
local function combinations(lists)
  local names, points = {}, { {} }
  for name, values in pairs(lists) do
    if type(name) ~= "string" or type(values) ~= "table" or #values == 0 then
      support.fail(("scenario.each: give a list of cases, or lists of values by name (got %s at %s)"):format(show(values),
        show(name)))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local longer = {}
    for _, point in ipairs(points) do
      for _, value in ipairs(lists[name]) do
        local copy = { [name] = value }
        for other, its in pairs(point) do copy[other] = its end
        longer[#longer + 1] = copy
      end
    end
    points = longer
  end
  return #names > 0 and points or {}
end

local function plain(value)
  return type(value) == "string" and value or show(value)
end

-- "{n} nodes" with the case's n; {} is a case that is no table. A name without such places gets the case behind it.
local function name_of(name, case)
  local fields = type(case) == "table" and not getmetatable(case)
  local text, count = name:gsub("{([%w_]*)}", function(key)
    if key == "" then return plain(case) end
    if fields and case[key] ~= nil then return plain(case[key]) end
    support.fail(("scenario.each: '{%s}' in the name is none of the case's: %s"):format(key, show(case)))
  end)
  return count > 0 and text or ("%s: %s"):format(name, plain(case))
end

--- scenario.each {case, ...} (name, [options,] function(case, ...) ... end): a scenario for every case. {n = {1, 2}, m = {3, 4}}:
--- for every combination.
function kit.each(cases, ...)
  if type(cases) ~= "table" then support.fail("scenario.each: the argument is a table of cases (got " .. show(cases) .. ")") end
  local list = #cases > 0 and cases or combinations(cases)
  if #list == 0 then support.fail "scenario.each: there are no cases" end
  local function define(name, options, body)
    options, body = kit.read_definition("scenario.each", SCENARIO_KEYS, name, options, body)
    for _, case in ipairs(list) do
      kit.add("scenario.each", name_of(name, case), options, function() kit.play(body, options.seed or kit.seed, case) end)
    end
  end
  if select("#", ...) > 0 then return define(...) end
  return define
end

--- scenario.together(): the scenarios of this file are run one after the other, in one process, whatever --jobs is.
function kit.together()
  kit.one_process = true
end

-- ---- Others of the kit's names --------------------------------------------------------------------------------------

for _, name in ipairs { "number", "integer", "choice", "list", "vector", "scene", "world" } do
  kit["property_" .. name] = function(...) return require("muslin.property")[name](...) end
end

for _, name in ipairs { "folds", "turns", "layers" } do
  kit["measure_" .. name] = function(...) return require("muslin.measure")[name](...) end
end

--- property(name, generators, [options,] function(case, ...) ... end): a scenario over random cases; see property.lua.
function kit.property(...)
  return require("muslin.property").define(kit, ...)
end

--- arguments(defaults): a scene's parameters from `-- NAME=VALUE`.
function kit.arguments(...)
  return require "muslin.arguments" (...)
end

-- ---- Without a host -------------------------------------------------------------------------------------------------

--- run {filter = pattern, report = function(result) ... end}: plays the scenarios defined so far and returns how many
--- passed, failed and were skipped. result: name, ok, skipped (the reason or nil), message (with traceback), seconds.
--- Without `report` it prints TAP.
function kit.run(options)
  options = options or {}
  local passed, failed, skipped, number = 0, 0, 0, 0
  local function tap(result)
    number = number + 1
    print(("%s %d - %s%s"):format(result.ok and "ok" or "not ok", number, result.name,
      result.skipped and " # SKIP " .. result.skipped or ""))
    if not result.ok then print("# " .. result.message:gsub("\n", "\n# ")) end
  end
  local report = options.report or tap
  for _, case in ipairs(kit.list) do
    if not options.filter or case.name:find(options.filter) then
      local start = support.clock()
      local ok, message = xpcall(case.body, support.traceback)
      local result = { name = case.name, ok = ok, seconds = support.clock() - start }
      if not ok then
        local reason = message:match("^[^\n]-" .. SKIP_MARK .. "([^\n]*)")
        result.ok, result.skipped = reason ~= nil, reason
        result.message = message
      end
      passed = passed + (ok and 1 or 0)
      failed = failed + (result.ok and 0 or 1)
      skipped = skipped + (result.skipped and 1 or 0)
      report(result)
      kit.release()
    end
  end
  if not options.report then print("1.." .. number) end
  return passed, failed, skipped
end

return kit
