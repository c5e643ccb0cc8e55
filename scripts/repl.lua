-- repl.lua: the commands of the prompt (`muslin repl`, `muslin view --repl`) that begin with a colon, for the world of the scene, `world`.
local muslin = require "muslin"
local expectations = require "muslin.expectations"

local repl = {}

local commands = {}

local function need_world(world)
  if not world then error("there is no world: start with muslin repl SCENE.lua, or assign one to the variable world", 0) end
  return world
end

-- "sheet: cloth, 900 vertices, 1682 faces, pinned 2, center (0, 0.85, 0)"
local function describe(object)
  if muslin.type(object) == "cloth" then
    local center = object:centroid()
    return ("%s: cloth, %d vertices, %d faces, %d pinned, center (%.4g, %.4g, %.4g) m, greatest strain %.3g"):format(object.name,
      object.vertex_count, object.face_count, #object:pinned(), center.x, center.y, center.z, object:strain().max)
  end
  local at = object.position
  return ("%s: obstacle, %s%s at (%.4g, %.4g, %.4g) m"):format(object.name, object.dynamic and "dynamic " or "",
    object.shape, at.x, at.y, at.z)
end

local function find(world, name)
  local object = world:find(name)
  if object then return object end
  local names = {}
  for _, list in ipairs { world.cloths, world.obstacles } do
    for _, other in ipairs(list) do names[#names + 1] = other.name end
  end
  error(("no object '%s' (there are: %s)"):format(name, table.concat(names, ", ")), 0)
end

-- The script's local variables are gone: its objects become variables by their names, where these are words of no other use.
function repl.name_objects(world)
  for _, list in ipairs { world.cloths, world.obstacles } do
    for _, object in ipairs(list) do
      local name = object.name
      if rawget(_G, name) == nil and load("local " .. name) and name:find "^[%a_][%w_]*$" then rawset(_G, name, object) end
    end
  end
end

-- "frame 3, 0.05 s, 12 contacts, 1.25 ms a step, state 0123456789abcdef"
function repl.where(world)
  local stats = need_world(world):stats()
  return ("frame %d, %.6g s, %d contacts, %.2f ms a step, state %s"):format(world.frame, world.time, stats.contacts,
    stats.step_ms, world:hash())
end

function commands.step(world, words, window)
  local frames = tonumber(words[1] or 1)
  if not frames or frames < 1 or frames % 1 ~= 0 then
    error((":step N: N must be a whole number of frames >= 1 (got '%s')"):format(words[1]), 0)
  end
  need_world(world)
  if window then
    window.step = frames -- the window makes them, so that one can go back through them
    return nil
  end
  for _ = 1, frames do world:run_frame() end
  return repl.where(world)
end

local function need_window(window, command)
  if not window then error((":%s is for muslin view SCENE.lua --repl; here :step makes frames"):format(command), 0) end
  return window
end

function commands.pause(_, _, window) need_window(window, "pause").play = false end

function commands.play(_, _, window) need_window(window, "play").play = true end

-- What is under the cursor: its object is `it` from then on, its face `face` and the nearest vertex `at`.
local function pick_in_window(world, window)
  local picked = window.picked
  if not picked then error("nothing is under the cursor, and nothing was clicked", 0) end
  rawset(_G, "it", find(world, picked.name))
  rawset(_G, "face", picked.face)
  rawset(_G, "at", picked.vertex)
  return picked.text
end

-- An object by its name, or the vertex that is nearest to a place. It is `it` from then on, and a vertex `at`.
function commands.pick(world, words, window)
  need_world(world)
  if #words == 0 and window then return pick_in_window(world, window) end
  local place = #words == 3 and { tonumber(words[1]), tonumber(words[2]), tonumber(words[3]) } or {}
  if #place < 3 then
    if #words ~= 1 then error(":pick NAME, or :pick X Y Z for the vertex nearest to a place in m", 0) end
    local object = find(world, words[1])
    rawset(_G, "it", object)
    return describe(object)
  end
  local best, cloth, at
  for _, each in ipairs(world.cloths) do
    local i = (each.x - place):lengths():argmin()
    local distance = each.x[i]:distance(place)
    if not best or distance < best then best, cloth, at = distance, each, i end
  end
  if not cloth then error("the world has no cloth", 0) end
  rawset(_G, "it", cloth)
  rawset(_G, "at", at)
  local x, v = cloth.x[at], cloth.v[at]
  return ("%s, vertex %d, %.4g m away: x (%.4g, %.4g, %.4g) m, v (%.4g, %.4g, %.4g) m/s%s"):format(cloth.name, at, best,
    x.x, x.y, x.z, v.x, v.y, v.z, cloth:pinned(at) and ", pinned" or "")
end

function commands.objects(world)
  need_world(world)
  local lines = {}
  for _, list in ipairs { world.cloths, world.obstacles } do
    for _, object in ipairs(list) do lines[#lines + 1] = describe(object) end
  end
  return table.concat(lines, "\n")
end

-- What is in a table, for an expression that is one: on one line, or an item on each.
function repl.show(t)
  local most, width = 100, 100
  local items, length, rows = {}, 0, #t
  for key, value in pairs(t) do
    if #items == most then
      items[#items + 1] = "..."
      break
    end
    local of_list = math.type(key) == "integer" and key >= 1 and key <= rows
    items[#items + 1] = (of_list and "" or tostring(key) .. " = ") .. expectations.show(value)
    length = length + #items[#items] + 2
  end
  if length <= width then return "{" .. table.concat(items, ", ") .. "}" end
  return "{\n  " .. table.concat(items, ",\n  ") .. "\n}"
end

function commands.help()
  return [[
:doc [NAME]   the reference of a Lua name, a stage, a preset, a material; without one all names
:step [N]     N (1) frames further
:pick NAME    the object becomes `it`
:pick X Y Z   the vertex nearest to the place, m: its cloth becomes `it`, its number `at`
:pick         in a window: what is under the cursor, or was clicked last; its face becomes `face`
:pause :play  in a window
:objects      all cloths and obstacles
:help         this text]]
end

repl.commands = { ":doc", ":help", ":objects", ":pause", ":pick", ":play", ":step" }

-- What the line, which begins with a colon, has to say; nil: nothing. `window` is nil, or what the window knows
-- ({picked =}); what is to be done by it is left there: `step`, a number of frames, and `play`, whether it plays.
function repl.run(world, line, window)
  local words = {}
  for word in line:gmatch "%S+" do words[#words + 1] = word end
  local name = table.remove(words, 1):sub(2)
  local command = rawget(commands, name)
  if not command then
    error(("no command ':%s' (known: %s)"):format(name, table.concat(repl.commands, ", ")), 0)
  end
  return command(world, words, window)
end

-- What a line that begins with a colon may go on with: commands, or names of objects.
function repl.complete(world, line)
  local command, start = line:match "^(:%a*)%s+(%S*)$"
  local found, from = {}, repl.commands
  if command == ":pick" and world then
    from = {}
    for _, list in ipairs { world.cloths, world.obstacles } do
      for _, object in ipairs(list) do from[#from + 1] = object.name end
    end
  elseif command then
    return {}, start
  else
    start = line
  end
  for _, word in ipairs(from) do
    if word:sub(1, #start) == start then found[#found + 1] = word end
  end
  return found, start
end

return repl
