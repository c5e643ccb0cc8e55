-- scripts.lua: what Lua costs beside the simulation: hooks that do nothing, whole arrays, functions that wait.
-- Its argument is what bench_arrays prints.
local muslin = require "muslin"
local clock = require("muslin.support").clock
local c_loop = tonumber(arg and arg[1])

local function row(name, value, unit, limit)
  print(("%-52s %9.3f %s%s"):format(name, value, unit, limit and ("   (at most %g)"):format(limit) or ""))
end

-- The least of many rounds, each of f, in s.
local function least(rounds, f)
  local best = math.huge
  for _ = 1, rounds do
    local start = clock()
    f()
    best = math.min(best, clock() - start)
  end
  return best
end

print "scripts"
local a, b = muslin.array(100000, 3), muslin.array(100000, 3)
b:fill { 1, 2, 3 }
local axpy = 1e6 * least(200, function() a:axpy(1e-9, b) end)
row("array:axpy on 100 k x 3", axpy, "us")
if c_loop then row("  beside a C loop", axpy / c_loop, "x", 1.5) end

-- A world without objects: what remains of a step is what the binding does.
local function step_time(add)
  local world <close> = muslin.world { dt = 1 / 1000, fps = 50 }
  if add then add(world) end
  world:advance(0.1)
  return 1e6 * least(20, function() world:advance(0.5) end) / 500
end

local bare = step_time()
row("a step of an empty world", bare, "us")
for _, event in ipairs { "before_step", "candidate", "contacts", "after_step" } do
  row("a hook that does nothing: " .. event, step_time(function(world) world:on(event, function() end) end) - bare, "us a step", 1)
end
row("a function of world:script that waits", step_time(function(world)
  world:script(function(w) w:wait(1e9) end)
end) - bare, "us a step", 1)
row("one that goes on at every step", step_time(function(world)
  world:script(function(w) while true do w:wait() end end)
end) - bare, "us a step")
