-- rules.lua: what a rule costs that is called for each contact; bench_rules measures traced ones.
--   muslin run --trusted --quiet --threads 1 tests/bench/rules.lua
local muslin = require "muslin"
local clock = os.clock

local function scene(rule)
  local world = muslin.world { threads = 1 }
  world:cloth { mesh = muslin.mesh.grid { nodes = { 60, 60 }, size = { 0.6, 0.6 }, center = { 0, 1e-3, 0 } } }
  world:obstacle { shape = "plane", normal = { 0, 1, 0 } }
  if rule then world:respond { rule = rule } end
  for _ = 1, 6 do world:step() end
  return world
end

local function median(count, f)
  local list = {}
  for k = 1, count do
    local from = clock()
    f()
    list[k] = clock() - from
  end
  table.sort(list)
  return list[(count + 1) // 2]
end

local function law(c)
  local vn = c.normal:dot(c.velocity)
  return muslin.max(-vn, 0) * c.mass * c.normal
end

local function nothing() return { 0, 0, 0 } end

-- A plain rule: a step with it less one with the traced rule, over the contacts of a step; `body` is what the function
-- itself takes when it is called from Lua with a contact.
local calls, kept = 0, nil
local counted = scene(muslin.rule({ trace = false }, function(c)
  calls, kept = calls + 1, c
  return nothing()
end))
calls = 0
counted:step()
local contacts = calls
for name, f in pairs { ["that does nothing"] = nothing, ["with friction's law"] = law } do
  local plain, traced = scene(muslin.rule({ trace = false }, f)), scene(muslin.rule(f))
  local a, b = median(21, function() plain:step() end), median(21, function() traced:step() end)
  local from = clock()
  for _ = 1, 20000 do f(kept) end
  local body = (clock() - from) / 20000
  print(("a plain rule %s: %.2f us a contact, of which its body %.2f us (%d contacts; wanted: at most 1 us over its body)")
    :format(name, 1e6 * (a - b) / contacts, 1e6 * body, contacts))
end
