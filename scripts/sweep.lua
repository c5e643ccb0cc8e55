-- sweep.lua: the cases of a plan: every combination of a grid, listed points and random samples of a scene's arguments.
--
-- `expand(plan)` returns a list of {case, scene, arguments, parameters, options}; `muslin sweep` writes each as a line of
-- cases.jsonl. The latin hypercube is that of McKay, Beckman and Conover 1979: each of n equal parts of a range once.

require "muslin" -- which brings muslin.support
local support = require "muslin.support"

local sweep = {}

local MOST_CASES = 1000000
local RUN = { "pipeline", "seed", "threads", "frames", "seconds" } -- parameters that are options of muslin run

local function fail(text, ...)
  support.fail("sweep: " .. text:format(...))
end

local function show(value)
  return type(value) == "string" and "'" .. value .. "'" or tostring(value)
end

local function check_number(where, value, low, exclusive)
  local ok = type(value) == "number" and value - value == 0 and (not low or value > low or not exclusive and value == low)
  if not ok then
    fail("%s must be a finite number%s (got %s)", where, low and (exclusive and " > " or " >= ") .. low or "", show(value))
  end
end

local function check_count(where, value, low)
  if math.type(value) ~= "integer" or value < low then
    fail("%s must be a whole number of at least %d (got %s)", where, low, show(value))
  end
end

-- What a command line and a line of JSON can carry.
local function check_value(where, value)
  local kind = type(value)
  if kind == "number" and value - value == 0 or kind == "boolean" then return value end
  if kind == "string" and utf8.len(value) and not value:find "[\n\r%z]" then return value end
  fail("%s must be a finite number, true, false or a string of UTF-8 on one line (got %s)", where, show(value))
end

-- The keys in the order of the alphabet; each is a word that may stand before an equals sign.
local function names_of(where, t)
  if type(t) ~= "table" then fail("%s must be a table (got %s)", where, show(t)) end
  local names = {}
  for name in pairs(t) do
    if type(name) ~= "string" or not name:find "^[%a_][%w_.-]*$" then
      fail("%s: a parameter's name is a word of letters, digits and _ . - (got %s)", where, show(name))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- ---- Grid, list and samples: each a list of points, a point being a table of values by name -------------------------

local function grid_points(grid)
  local points = { {} }
  for _, name in ipairs(names_of("grid", grid)) do
    local values, where = grid[name], ("grid.%s"):format(name)
    if type(values) ~= "table" or #values == 0 then
      fail("%s must be a list of values, {1, 2, 3} for example (got %s)", where, show(values))
    end
    local finer = {}
    if #points * #values > MOST_CASES then fail("the grid has more than %d points", MOST_CASES) end
    for _, point in ipairs(points) do
      for k, value in ipairs(values) do
        local longer = { [name] = check_value(where .. "[" .. k .. "]", value) }
        for other, its in pairs(point) do longer[other] = its end
        finer[#finer + 1] = longer
      end
    end
    points = finer
  end
  return points
end

local function list_points(list)
  if type(list) ~= "table" or #list == 0 then fail("list must hold tables of values by name (got %s)", show(list)) end
  local points = {}
  for k, point in ipairs(list) do
    points[k] = {}
    for _, name in ipairs(names_of(("list[%d]"):format(k), point)) do
      points[k][name] = check_value(("list[%d].%s"):format(k, name), point[name])
    end
  end
  return points
end

-- Nine digits: what tables and file names show is then the value itself.
local function rounded(x)
  return tonumber(("%.9g"):format(x))
end

-- A function of u in [0, 1) from a plan's entry for one random parameter.
local function distribution(name, d)
  local where = ("random.over.%s"):format(name)
  if type(d) ~= "table" then fail("%s must be {low, high} or {choose = {...}} (got %s)", where, show(d)) end
  if d.choose ~= nil then
    support.check_keys(d, "sweep: " .. where, { "choose" })
    if type(d.choose) ~= "table" or #d.choose == 0 then fail("%s.choose must be a list of values", where) end
    for k, value in ipairs(d.choose) do check_value(("%s.choose[%d]"):format(where, k), value) end
    return function(u) return d.choose[1 + math.floor(u * #d.choose)] end
  end
  local low, high = d[1], d[2]
  check_number(where .. "[1]", low)
  check_number(where .. "[2]", high, low)
  local options = {}
  for key, value in pairs(d) do
    if key ~= 1 and key ~= 2 then options[key] = value end
  end
  support.check_keys(options, "sweep: " .. where, { "scale", "step", "choose" })
  if d.scale ~= nil and d.scale ~= "log" and d.scale ~= "linear" then
    fail("%s.scale must be 'linear' or 'log' (got %s)", where, show(d.scale))
  end
  if d.step ~= nil then
    check_number(where .. ".step", d.step, 0, true)
    if d.scale == "log" then fail("%s: a step and the scale 'log' exclude each other", where) end
    local count = math.floor((high - low) / d.step + 1e-9) + 1
    return function(u) return low + d.step * math.floor(u * count) end
  elseif d.scale == "log" then
    check_number(where .. "[1] on the scale 'log'", low, 0, true)
    return function(u) return rounded(low * (high / low) ^ u) end
  end
  return function(u) return rounded(low + (high - low) * u) end
end

local function random_points(random)
  support.check_keys(random, "sweep: random", { "samples", "seed", "method", "over" })
  local samples, seed, method = random.samples, random.seed or 1, random.method or "uniform"
  if samples == nil then fail "random.samples is missing: how many points to draw" end
  check_count("random.samples", samples, 1)
  check_count("random.seed", seed, 0)
  if samples > MOST_CASES then fail("random.samples: more than %d", MOST_CASES) end
  if method ~= "uniform" and method ~= "latin" then
    fail("random.method must be 'uniform' or 'latin' (got %s)", show(method))
  end
  local points, names = {}, names_of("random.over", random.over)
  if #names == 0 then fail "random.over names no parameter" end
  for k = 1, samples do points[k] = {} end
  for _, name in ipairs(names) do
    local value_at, order, stream = distribution(name, random.over[name]), {}, seed
    for k = 1, #name do stream = stream * 131 + name:byte(k) end
    support.seed(stream) -- a stream of its own: a parameter keeps its numbers when others come or go
    for k = 1, samples do order[k] = k end
    if method == "latin" then
      for k = samples, 2, -1 do
        local other = math.random(k)
        order[k], order[other] = order[other], order[k]
      end
    end
    for k = 1, samples do
      local u = math.random()
      points[k][name] = value_at(method == "latin" and (order[k] - 1 + u) / samples or u)
    end
  end
  return points
end

-- ---- Cases ----------------------------------------------------------------------------------------------------------

local function check_options(plan)
  local options = { threads = 1, checkpoint_every = 50 }
  if plan.frames and plan.seconds then fail "frames and seconds exclude each other" end
  if plan.frames ~= nil then check_count("frames", plan.frames, 0) end
  if plan.seconds ~= nil then check_number("seconds", plan.seconds, 0) end
  if plan.threads ~= nil then check_count("threads", plan.threads, 0) end
  if plan.checkpoint_every ~= nil then check_count("checkpoint_every", plan.checkpoint_every, 0) end
  if plan.time_limit ~= nil then check_number("time_limit", plan.time_limit, 0, true) end
  if plan.audit ~= nil and type(plan.audit) ~= "boolean" then fail("audit must be true or false (got %s)", show(plan.audit)) end
  if plan.format ~= nil and type(plan.format) ~= "string" then fail("format must be a string (got %s)", show(plan.format)) end
  for _, name in ipairs { "frames", "seconds", "threads", "checkpoint_every", "time_limit", "audit", "format" } do
    if plan[name] ~= nil then options[name] = plan[name] end
  end
  return options
end

-- Parameters that are options of the run rather than arguments of the scene.
local function as_option(name, value)
  if name == "pipeline" and type(value) ~= "string" then fail("parameter 'pipeline' must be a string (got %s)", show(value)) end
  if name == "seconds" then check_number("parameter 'seconds'", value, 0) end
  if name == "seed" or name == "threads" or name == "frames" then
    if math.tointeger(value) then value = math.tointeger(value) end
    check_count(("parameter '%s'"):format(name), value, 0)
  end
  return value
end

--- The cases of a plan, in order: the grid's first name changes slowest, then the list, the samples fastest. Every point
--- of grid and list meets the same samples. Raises what is wrong, with the field's name.
function sweep.expand(plan)
  support.check_keys(plan, "sweep", { "scene", "arguments", "fixed", "grid", "list", "random", "frames", "seconds",
    "threads", "format", "audit", "time_limit", "checkpoint_every" })
  if type(plan.scene) ~= "string" or plan.scene == "" then
    fail("field 'scene' must be the path of a scene, from the plan's folder (got %s)", show(plan.scene))
  end
  local words = {}
  if plan.arguments ~= nil and type(plan.arguments) ~= "table" then
    fail("arguments must be a list of words (got %s)", show(plan.arguments))
  end
  for k, word in ipairs(plan.arguments or {}) do
    words[k] = tostring(check_value(("arguments[%d]"):format(k), word))
  end
  local parts = { plan.fixed ~= nil and list_points { plan.fixed } or { {} } }
  parts[2] = plan.grid ~= nil and grid_points(plan.grid) or { {} }
  parts[3] = plan.list ~= nil and list_points(plan.list) or { {} }
  parts[4] = plan.random ~= nil and random_points(plan.random) or { {} }
  local owner, places = {}, { "fixed", "grid", "list", "random" }
  for k, points in ipairs(parts) do
    for _, point in ipairs(points) do
      for name in pairs(point) do
        if owner[name] and owner[name] ~= places[k] then
          fail("parameter '%s' is in %s and in %s", name, owner[name], places[k])
        end
        owner[name] = places[k]
      end
    end
  end
  if (owner.frames or owner.seconds) and (plan.frames or plan.seconds) or owner.frames and owner.seconds then
    fail "frames and seconds are given twice"
  end
  if #parts[2] * #parts[3] * #parts[4] > MOST_CASES then fail("there are more than %d cases", MOST_CASES) end

  local common, cases = check_options(plan), {}
  for _, on_grid in ipairs(parts[2]) do
    for _, listed in ipairs(parts[3]) do
      for _, sample in ipairs(parts[4]) do
        local parameters, options = {}, {}
        for _, point in ipairs { parts[1][1], on_grid, listed, sample } do
          for name, value in pairs(point) do parameters[name] = value end
        end
        for name, value in pairs(common) do options[name] = value end
        for _, name in ipairs(RUN) do
          if parameters[name] ~= nil then options[name] = as_option(name, parameters[name]) end
        end
        cases[#cases + 1] =
          { case = #cases + 1, scene = plan.scene, arguments = words, parameters = parameters, options = options }
      end
    end
  end
  return cases
end

return sweep
