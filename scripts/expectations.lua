-- expectations.lua: expect(value) and what may follow it. A failed one raises "FILE:LINE: check failed: expected ..., got ...";
-- of what belongs to a world the message ends with the time, the step and the frame.
local muslin = require "muslin"
local support = require "muslin.support"

local expectations = {}

local CHECK_MARK = "check failed: "
local type_of = muslin.type

-- ---- Values in messages ---------------------------------------------------------------------------------------------

local show

local function show_table(t, depth)
  if depth > 2 then return "{...}" end
  local items, rows = {}, #t
  for i = 1, math.min(rows, 8) do items[i] = show(t[i], depth + 1) end
  if rows > 8 then items[9] = "... " .. rows .. " items" end
  for key, value in pairs(t) do
    if math.type(key) ~= "integer" or key < 1 or key > rows then
      if #items >= 12 then
        items[#items + 1] = "..."
        break
      end
      items[#items + 1] = tostring(key) .. " = " .. show(value, depth + 1)
    end
  end
  return "{" .. table.concat(items, ", ") .. "}"
end

function show(value, depth)
  if math.type(value) == "float" then
    return value ~= value and "nan" or string.format("%.14g", value)
  elseif type(value) == "string" then
    return #value > 200 and "'" .. value:sub(1, 197) .. "...'" or "'" .. value .. "'"
  elseif type(value) == "table" and not getmetatable(value) then
    return show_table(value, depth or 1)
  end
  return tostring(value)
end

local function percent(x)
  return string.format("%.3g %%", 100 * x)
end

-- ---- Expectations ---------------------------------------------------------------------------------------------------

local methods = {}

local Expectation = {}

function Expectation.__index(self, name)
  if name == "never" then
    return setmetatable({ value = self.value, label = self.label, negated = not self.negated }, Expectation)
  end
  local method = methods[name]
  if method then return method end
  if name == "value" then return nil end -- expect(nil)
  local known = {}
  for other in pairs(methods) do known[#known + 1] = other end
  table.sort(known)
  local nearest = type(name) == "string" and support.nearest(name, known)
  support.fail(("expect: no expectation '%s' (%s)"):format(tostring(name),
    nearest and "did you mean '" .. nearest .. "'?" or "known: " .. table.concat(known, ", ")))
end

-- When it was, of what belongs to a world.
local function when(value)
  local kind = type_of(value)
  if kind ~= "world" and kind ~= "cloth" and kind ~= "obstacle" then return "" end
  local ok, text = pcall(function()
    local world = kind == "world" and value or value.world
    local frame = world.frame > 0 and (", frame %d"):format(world.frame) or ""
    return (" (t = %.6g s, step %d%s)"):format(world.time, world.step_index, frame)
  end)
  return ok and text or ""
end

-- Raises unless `ok`; `wanted` completes "expected ...".
local function judge(self, ok, wanted, seen)
  if self.negated then ok = not ok end
  if not ok then
    local label = self.label and self.label .. ": " or ""
    local never = self.negated and "never " or ""
    support.fail(("%s%sexpected %s%s, got %s%s"):format(CHECK_MARK, label, never, wanted, seen, when(self.value)))
  end
  return self
end

local function misuse(name, needed, value)
  support.fail(("expect: %s is for %s (got %s)"):format(name, needed, show(value)))
end

--- expect(value [, label]): what follows with a colon is checked now; the label names the value in messages.
function expectations.expect(...)
  if select("#", ...) == 0 then support.fail("expect: give a value: expect(value):near(1, 0.1)") end
  local value, label = ...
  return setmetatable({ value = value, label = label ~= nil and tostring(label) or false, negated = false },
    Expectation)
end

-- ---- Plain values ---------------------------------------------------------------------------------------------------

local function is_vector(v)
  return type_of(v) == "vec3" or type(v) == "table" and #v == 3 and type(v[1]) == "number"
end

-- Whether two values hold the same; tables and arrays item by item. 1 and 1.0 are the same number, NaN is no number.
local function same(a, b, seen)
  if rawequal(a, b) or a == b then return a == a end
  local kind = type_of(a)
  if kind ~= type_of(b) then return false end
  if kind == "array" then
    if #a ~= #b then return false end
    for i = 1, #a do
      if a[i] ~= b[i] then return false end
    end
    return true
  elseif kind ~= "table" then
    return false
  end
  seen = seen or {}
  if seen[a] == b then return true end -- a loop that has come round
  seen[a] = b
  for key, value in pairs(a) do
    if not same(value, b[key], seen) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

function methods:equals(other)
  return judge(self, same(self.value, other), show(other), show(self.value))
end

function methods:is_true()
  return judge(self, self.value == true, "true", show(self.value))
end

function methods:is_false()
  return judge(self, self.value == false, "false", show(self.value))
end

function methods:is_nil()
  return judge(self, self.value == nil, "nil", show(self.value))
end

--- The value's muslin.type: "number", "table", "vec3", "cloth"...
function methods:is_a(kind)
  return judge(self, type_of(self.value) == kind, "a " .. tostring(kind), "a " .. type_of(self.value))
end

-- The greatest difference and where it is, or nil, what was seen and what was wanted.
local function difference(a, b)
  if type(a) == "number" and type(b) == "number" then
    return a == b and 0 or math.abs(a - b) -- equal infinities differ by nothing
  elseif is_vector(a) and is_vector(b) then
    return muslin.vec3(a):distance(b)
  end
  local function is_list(v) return type_of(v) == "array" or type(v) == "table" end
  if not is_list(a) or not is_list(b) then return nil, show(a), show(b) end
  if #a ~= #b then return nil, ("%d items"):format(#a), ("%d items"):format(#b) end
  local worst, where = 0, nil
  for i = 1, #a do
    local d, seen, wanted = difference(a[i], b[i])
    if not d then return nil, seen, wanted end
    if not (d <= worst) then
      worst, where = d, i
      if d ~= d then break end
    end
  end
  return worst, where
end

--- Within `tolerance` (1e-9 of the greater of 1 and |x|): numbers by their difference, vectors by their distance, arrays
--- and lists item by item. NaN is near to nothing.
function methods:near(x, tolerance)
  tolerance = tolerance or 1e-9 * math.max(1, type(x) == "number" and x == x and math.abs(x) or 1)
  local worst, where, wanted = difference(self.value, x)
  if not worst then return judge(self, false, wanted, where) end
  local seen, at = show(self.value), ""
  if where then
    seen, at = show(self.value[where]), (" at %d"):format(where)
    x = x[where]
  end
  return judge(self, worst <= tolerance, ("%s within %s%s"):format(show(x), show(tolerance), at), seen)
end

local function compare(name, text, test)
  methods[name] = function(self, bound)
    if type(self.value) ~= "number" then misuse(name, "numbers", self.value) end
    if type(bound) ~= "number" then misuse(name, "a bound that is a number", bound) end
    return judge(self, test(self.value, bound), text .. " " .. show(bound), show(self.value))
  end
end
compare("at_most", "at most", function(a, b) return a <= b end)
compare("at_least", "at least", function(a, b) return a >= b end)
compare("less_than", "less than", function(a, b) return a < b end)
compare("more_than", "more than", function(a, b) return a > b end)

function methods:between(low, high)
  if type(self.value) ~= "number" then misuse("between", "numbers", self.value) end
  local wanted = ("between %s and %s"):format(show(low), show(high))
  return judge(self, self.value >= low and self.value <= high, wanted, show(self.value))
end

--- A text that a string contains as it stands, or an item of a list.
function methods:contains(what)
  if type(self.value) == "string" then
    return judge(self, self.value:find(what, 1, true) ~= nil, "a text with " .. show(what), show(self.value))
  end
  local found = false
  for _, item in ipairs(self.value) do found = found or same(item, what) end
  return judge(self, found, "a list with " .. show(what), show(self.value))
end

--- A Lua pattern.
function methods:matches(pattern)
  if type(self.value) ~= "string" then misuse("matches", "strings", self.value) end
  return judge(self, self.value:find(pattern) ~= nil, "a text like " .. show(pattern), show(self.value))
end

--- expect(f):raises([text]): f() raises an error whose message contains the text, or matches it as a Lua pattern.
function methods:raises(text)
  local ok, err = pcall(self.value)
  local message = tostring(err)
  if ok then return judge(self, false, "an error" .. (text and " with " .. show(text) or ""), "none") end
  if text == nil then return judge(self, true, "an error", show(message)) end
  local found = message:find(text, 1, true) ~= nil
  if not found then
    local valid, at = pcall(string.find, message, text)
    found = valid and at ~= nil
  end
  return judge(self, found, "an error with " .. show(text), show(message))
end

-- ---- Worlds and cloths ----------------------------------------------------------------------------------------------

-- The cloths that the expectation is about: all of a world's, or the one.
local function cloths_of(self, name)
  local kind = type_of(self.value)
  if kind == "world" then return self.value.cloths end
  if kind == "cloth" then return { self.value } end
  misuse(name, "worlds and cloths", self.value)
end

local function all_finite(v)
  if type(v) == "number" then return v - v == 0 end
  if is_vector(v) then return all_finite(v[1]) and all_finite(v[2]) and all_finite(v[3]) end
  -- A sum of finite numbers may overflow, the extremes cannot; NaN passes through both.
  return #v == 0 or all_finite(v:min()) and all_finite(v:max())
end

--- No NaN and no infinity: in a number, a vector, an array, or positions and velocities of a cloth or all of a world's.
function methods:finite()
  local kind = type_of(self.value)
  if kind ~= "world" and kind ~= "cloth" then
    if kind ~= "array" and kind ~= "number" and not is_vector(self.value) then
      misuse("finite", "numbers, vectors, arrays, cloths and worlds", self.value)
    end
    return judge(self, all_finite(self.value), "finite numbers", show(self.value))
  end
  local ok, seen = true, "nothing else"
  for _, cloth in ipairs(cloths_of(self, "finite")) do
    for _, field in ipairs { "v", "x" } do
      if not all_finite(cloth[field]) then
        local i = cloth[field]:argmax() -- NaN comes before all, then the infinite
        ok, seen = false, ("%s.%s[%d] = %s"):format(cloth.name, field, i, show(cloth[field][i]))
      end
    end
  end
  return judge(self, ok, "finite positions and velocities", seen)
end

local function show_finding(finding)
  if finding.kind == "inside" then
    return ("%s is %.3g m inside of %s"):format(finding.objects[1], finding.depth or 0, finding.objects[2])
  end
  local sides = {}
  for k = 1, 2 do
    local face = finding.faces[k]
    sides[k] = finding.objects[k] .. (face and " face " .. face or "")
  end
  return sides[1] .. " meets " .. sides[2]
end

--- The auditor finds no faces that cross and nothing deeper inside an obstacle than `tolerance` (1e-4 m).
function methods:penetration_free(tolerance)
  if type_of(self.value) ~= "world" then misuse("penetration_free", "worlds", self.value) end
  local report = self.value:audit(tolerance and { tolerance = tolerance } or nil)
  local seen = "none"
  if not report.clean then
    seen = ("%d crossings and %d places inside obstacles"):format(report.intersections, report.inside)
    if report.findings[1] then seen = seen .. ", the first: " .. show_finding(report.findings[1]) end
  end
  return judge(self, report.clean, "no penetration", seen)
end

--- No vertex moves faster than `tolerance` (0.01 m/s).
function methods:at_rest(tolerance)
  tolerance = tolerance or 0.01
  local fastest, seen = 0, "0 m/s"
  for _, cloth in ipairs(cloths_of(self, "at_rest")) do
    local i, speed = cloth.v:argmax()
    if not (speed <= fastest) then
      fastest, seen = speed, ("%.4g m/s at vertex %d of %s"):format(speed, i, cloth.name)
    end
  end
  return judge(self, fastest <= tolerance, ("speeds of at most %g m/s"):format(tolerance), seen)
end

--- No edge longer than (1 + strain) times its rest length: stretched_at_most(0.1) is 10 %.
function methods:stretched_at_most(strain)
  local most, seen = 0, "0 %"
  for _, cloth in ipairs(cloths_of(self, "stretched_at_most")) do
    local s = cloth:strain()
    if not (s.max <= most) then
      most, seen = s.max, ("%s at edge %d of %s"):format(percent(s.max), s.max_edge, cloth.name)
    end
  end
  return judge(self, most <= strain, "edges stretched by at most " .. percent(strain), seen)
end

--- above(floor [, tolerance]): no vertex more than `tolerance` (1e-4 m) below a plane (an obstacle of that shape) or a
--- height y in m; for other obstacles: nothing of the cloth deeper inside than that, by the auditor.
function methods:above(floor, tolerance)
  tolerance = tolerance or 1e-4
  local cloths = cloths_of(self, "above")
  local point, normal, name
  if type(floor) == "number" then
    point, normal, name = { 0, floor, 0 }, { 0, 1, 0 }, ("y = %g m"):format(floor)
  elseif type_of(floor) ~= "obstacle" then
    misuse("above", "a height or an obstacle", floor)
  elseif floor.shape == "plane" then
    point, normal, name = floor.position, floor.normal, floor.name
  else
    local ours, seen = {}, nil
    for _, cloth in ipairs(cloths) do ours[cloth.name] = true end
    for _, finding in ipairs(floor.world:audit { tolerance = tolerance }.findings) do
      local a, b = finding.objects[1], finding.objects[2]
      if ours[a] and b == floor.name or ours[b] and a == floor.name then seen = seen or show_finding(finding) end
    end
    return judge(self, not seen, "nothing inside of " .. floor.name, seen or "nothing")
  end
  local least, seen = math.huge, "no vertices"
  for _, cloth in ipairs(cloths) do
    local heights = cloth.x:copy():sub(point):dot(normal)
    local i, height = heights:argmin()
    if not (height >= least) then
      -- For a height the message has y, for a plane the distance from it.
      local place = type(floor) == "number" and ("y = %.4g m"):format(cloth.x[i].y)
        or ("%.4g m %s it"):format(math.abs(height), height < 0 and "below" or "above")
      least, seen = height, ("vertex %d of %s at %s"):format(i, cloth.name, place)
    end
  end
  return judge(self, least >= -tolerance, ("no vertex more than %g m below %s"):format(tolerance, name), seen)
end

-- ---- Golden states --------------------------------------------------------------------------------------------------

--- golden(name [, {tolerance}]): of a world or cloth: the state that golden/FILE.NAME.txt beside the test holds: bit for bit,
--- or every vertex within `tolerance` (m) of its place. `muslin test --update-golden` writes the file.
function methods:golden(name, options)
  local cloths = cloths_of(self, "golden")
  options = options or {}
  support.check_keys(options, "expect: golden", { "tolerance" })
  if type(name) ~= "string" or not name:find "^[%w_][%w_.-]*$" then
    support.fail("expect: golden is named by a word of letters, digits and _ . - (got " .. show(name) .. ")")
  end
  local tolerance = options.tolerance
  if tolerance ~= nil and not (type(tolerance) == "number" and tolerance >= 0) then
    support.fail("expect: golden: tolerance must be a number >= 0 m (got " .. show(tolerance) .. ")")
  end
  local wanted, seen = require("muslin.golden").compare(self.value, cloths, name, tolerance)
  return judge(self, seen == nil, wanted, seen)
end

expectations.show = show

return expectations
