-- arguments.lua: what the words behind `--` say about a scene's parameters: NAME=VALUE, with defaults that tell the types.
local support = require "muslin.support"

local function show(value)
  return type(value) == "string" and "'" .. value .. "'" or tostring(value)
end

local function names_of(defaults)
  local names = {}
  for name, default in pairs(defaults) do
    local kind = type(default)
    if type(name) ~= "string" or not name:find "^[%a_][%w_.-]*$" then
      support.fail(("arguments: a name is a word of letters, digits and _ . - (got %s)"):format(show(name)))
    elseif kind ~= "number" and kind ~= "string" and kind ~= "boolean" then
      support.fail(("arguments: the default of '%s' must be a number, a string or a boolean (got a %s)"):format(name, kind))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

local function value_of(name, word, default)
  if type(default) == "string" then return word end
  if type(default) == "boolean" then
    if word == "true" or word == "false" then return word == "true" end
    support.fail(("arguments: '%s' must be true or false (got '%s')"):format(name, word))
  end
  local number = tonumber(word)
  if number and number - number == 0 then return number end
  support.fail(("arguments: '%s' must be a finite number, as its default %s is (got '%s')"):format(name, show(default), word))
end

--- arguments(defaults [, words]): the defaults, with what the words NAME=VALUE (of the global `arg`) say in their place.
return function(defaults, words)
  if type(defaults) ~= "table" then
    support.fail("arguments: give a table of defaults: arguments {friction = 0.3} (got " .. show(defaults) .. ")")
  end
  words = words or rawget(_G, "arg") or {}
  local names, values, given = names_of(defaults), {}, {}
  for name, default in pairs(defaults) do values[name] = default end
  for _, word in ipairs(words) do
    local name, text = tostring(word):match "^([^=]+)=(.*)$"
    if not name then
      support.fail(("arguments: give NAME=VALUE, with the names %s (got '%s')"):format(table.concat(names, ", "), word))
    elseif defaults[name] == nil then
      local nearest = support.nearest(name, names)
      support.fail(("arguments: unknown argument '%s' (%s)"):format(name,
        nearest and "did you mean '" .. nearest .. "'?" or "known: " .. table.concat(names, ", ")))
    elseif given[name] then
      support.fail(("arguments: '%s' is given twice"):format(name))
    end
    given[name], values[name] = true, value_of(name, text, defaults[name])
  end
  return values
end
