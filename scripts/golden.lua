-- golden.lua: states that a test keeps beside it as text, to be compared by hash or by place.
--
-- A file: "muslin golden state 1", "hash H", "time T", then "cloth NAME COUNT" with a line "x y z" a vertex (m).
local muslin = require "muslin"
local support = require "muslin.support"

local golden = {}

local HEAD = "muslin golden state 1"

local function world_of(value)
  return muslin.type(value) == "world" and value or value.world
end

local function text_of(value, cloths)
  local world = world_of(value)
  local lines = { HEAD, "hash " .. world:hash(), ("time %.17g"):format(world.time) }
  for _, cloth in ipairs(cloths) do
    lines[#lines + 1] = ("cloth %s %d"):format(cloth.name, cloth.vertex_count)
    for i = 1, cloth.vertex_count do lines[#lines + 1] = ("%.17g %.17g %.17g"):format(cloth.x:get(i)) end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function parse(path, text)
  local state, left, number = { cloths = {} }, 0, 0
  local function malformed(line)
    support.fail(("expect: golden: %s:%d: malformed (%s); muslin test --update-golden writes it anew"):format(path, number, line))
  end
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    local x, y, z = line:match "^(%S+) (%S+) (%S+)$"
    local name, count = line:match "^cloth (.+) (%d+)$"
    if number == 1 then
      if line ~= HEAD then malformed(line) end
    elseif number == 2 then
      state.hash = line:match "^hash (%x+)$" or malformed(line)
    elseif number == 3 then
      state.time = tonumber(line:match "^time (%S+)$" or "") or malformed(line)
    elseif left > 0 then
      x, y, z = tonumber(x or ""), tonumber(y or ""), tonumber(z or "")
      if not (x and y and z) then malformed(line) end
      table.insert(state.cloths[#state.cloths], { x, y, z })
      left = left - 1
    elseif name then
      left = tonumber(count)
      state.cloths[#state.cloths + 1] = { name = name }
    else
      malformed(line)
    end
  end
  if left > 0 or number < 3 then malformed "it ends too soon" end
  return state
end

-- What differs most: a text, and its distance in m (infinite where it is no place).
local function difference(state, cloths)
  if #state.cloths ~= #cloths then return ("%d cloths, not %d"):format(#cloths, #state.cloths), math.huge end
  local worst, text = 0, nil
  for k, cloth in ipairs(cloths) do
    local places = state.cloths[k]
    if places.name ~= cloth.name or #places ~= cloth.vertex_count then
      return ("cloth %s of %d vertices, not %s of %d"):format(cloth.name, cloth.vertex_count, places.name, #places), math.huge
    end
    for i, place in ipairs(places) do
      local d = cloth.x[i]:distance(place)
      if not (d <= worst) then worst, text = d, ("vertex %d of %s is %.3g m away"):format(i, cloth.name, d) end
    end
  end
  return text, worst
end

--- What was wanted, and what was seen when it is something else; nil when it is as wanted. Writes the file where the host requests it.
function golden.compare(value, cloths, name, tolerance)
  local world = world_of(value)
  if support.golden_updating() then
    local path = support.golden_write(name, text_of(value, cloths))
    return "the state of " .. path, nil
  end
  local text, path = support.golden_read(name)
  if not text then
    return ("the state of %s"):format(path), "no such file; muslin test --update-golden writes it"
  end
  local state = parse(path, text)
  local where, worst = difference(state, cloths)
  local remedy = "; muslin test --update-golden takes this state for the right one"
  if tolerance then
    local wanted = ("the state of %s at %.9g s within %g m"):format(path, state.time, tolerance)
    if math.abs(world.time - state.time) > 1e-9 then return wanted, ("a state at %.9g s"):format(world.time) .. remedy end
    if worst <= tolerance then return wanted, nil end
    return wanted, where .. remedy
  end
  local hash = world:hash()
  local wanted = ("the state of %s, hash %s"):format(path, state.hash)
  if hash == state.hash then return wanted, nil end
  return wanted, ("hash %s: %s"):format(hash, where or "all vertices are in place, velocities or the time differ") .. remedy
end

return golden
