-- annotate.lua: the sentences of muslin.d.lua from the reference, so that an editor shows on hovering what `muslin doc NAME`
-- begins with. Types and signatures in muslin.d.lua are written by hand; the lines `---text` above a function, and what
-- follows ` # ` of a field, are rewritten.
--
--   make annotations                                                  rewrites lua_api/muslin.d.lua
--   muslin run --trusted lua_api/annotate.lua -- FROM [TO]            writes TO; without it, compares, and raises where it differs

local reference = {}
for _, entry in ipairs(require "muslin.reference") do
  if entry.kind == "lua" then reference[entry.name] = entry end
end

-- The first sentence of a text whose lines are broken by hand. Fields in columns below it do not belong to it.
local function first_sentence(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    if line == "" or (#lines > 0 and line:find "^%S[^\n]-%s%s+%S") then break end
    lines[#lines + 1] = line
  end
  local joined = table.concat(lines, " ")
  -- "eq. 4" and "e.g. this" are no ends: a sentence goes on with a capital letter, a number or a quote.
  local from = 1
  while true do
    local stop = joined:find("[.:] [%u%d\"'({]", from)
    if not stop then return joined end
    local before = joined:sub(1, stop)
    if joined:sub(stop, stop) == "." and not before:find "%f[%w]eq%.$" and not before:find "%f[%w]al%.$" then return before end
    from = stop + 1
  end
end

local function sentence_of(name)
  local entry = reference[name]
  return entry and first_sentence(entry.doc)
end

-- "Vec3" of `function Vec3:dot` is the class muslin.Vec3, "vec3:dot" in the reference.
local function reference_name(line)
  local owner, method = line:match "^function (%u%w*):([%w_]+)%("
  if owner then return owner:lower() .. ":" .. method end
  return line:match "^function (muslin%.[%w_.]+)%("
end

--- muslin.d.lua with the sentences of the reference.
local function annotate(text)
  local out, class = {}, nil
  for line in text:gmatch "(.-)\n" do
    class = line:match "^%-%-%-@class muslin%.(%u%w*)" or (not line:find "^%-%-%-@class" and class) or nil
    local name = reference_name(line)
    local field = class and line:match "^%-%-%-@field ([%w_]+)"
    if name and sentence_of(name) then
      local first = #out + 1
      while first > 1 and out[first - 1]:find "^%-%-%-" do first = first - 1 end
      local kept = {}
      for k = first, #out do
        if out[k]:find "^%-%-%-@" then kept[#kept + 1] = out[k] end
        out[k] = nil
      end
      out[#out + 1] = "---" .. sentence_of(name)
      table.move(kept, 1, #kept, #out + 1, out)
    elseif field and sentence_of(class:lower() .. "." .. field) then
      line = line:gsub(" # .*$", "")
      -- What has a word of its own behind the type keeps it.
      if line:find "^%-%-%-@field [%w_]+ %S+$" then line = line .. " # " .. sentence_of(class:lower() .. "." .. field) end
    end
    out[#out + 1] = line
  end
  return table.concat(out, "\n") .. "\n"
end

local from, to = arg[1], arg[2]
local file = assert(io.open(from))
local text = file:read "a"
file:close()
local wanted = annotate(text)
if to then
  file = assert(io.open(to, "w"))
  assert(file:write(wanted))
  assert(file:close())
elseif wanted ~= text then
  local line = 1
  for k = 1, #text do
    if text:byte(k) ~= wanted:byte(k) then break end
    if text:byte(k) == 10 then line = line + 1 end
  end
  error(("%s:%d: differs from the reference: make annotations brings it up to date"):format(from, line))
end
