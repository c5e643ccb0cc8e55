-- annotations.lua: compares lua_api/muslin.d.lua with the reference (which another test compares with what is
-- registered) and with the kit, both ways. To be run with --trusted from the repository's root; tests/cli/annotations.sh
-- does.
local muslin = require "muslin"

local annotated, class = {}, nil
local number = 0
for line in io.lines("lua_api/muslin.d.lua") do
  number = number + 1
  local function add(name)
    if annotated[name] then print(("muslin.d.lua:%d: %s stands there twice"):format(number, name)) end
    annotated[name] = true
  end
  class = line:match "^%-%-%-@class muslin%.(%u%w*)" or line:match "^%-%-%-@class" and "" or class
  local field = line:match "^%-%-%-@field ([%w_]+)%f[^%w_?] "
  if field and class and not class:find "Options$" and class ~= "" then add(class:lower() .. "." .. field) end
  local owner, method = line:match "^function (%u%w*):([%w_]+)%("
  if owner then add(owner:lower() .. ":" .. method) end
  local name = line:match "^function (muslin%.[%w_.]+)%(" or line:match "^(muslin%.[%w_.]+) ="
  if name then add(name) end
end

local known = {}
for _, entry in ipairs(require "muslin.reference") do
  if entry.kind == "lua" then known[entry.name] = true end
end
local checks, described = { ["expectation.never"] = true }, {}
local _, message = pcall(function() return muslin.expect(1).no_such_expectation end)
for name in message:match("known: (.*)%)"):gmatch "[%w_]+" do checks["expectation:" .. name] = true end
for name in pairs(known) do described[name] = name:find "^expectation[.:]" and true or nil end

-- Tables of results and components of a vector are described for editors only.
for name in pairs(annotated) do
  local prefix = name:match "^(%w+)[.:]"
  local ours = ({ meshreport = 1, finding = 1, auditreport = 1, choice = 1, pipeline = 1 })[prefix]
  if ours or name:find "^vec3%.[xyz]$" then annotated[name] = nil end
end

local wrong = 0
local function compare(these, those, text)
  for name in pairs(these) do
    if not those[name] then
      wrong = wrong + 1
      print(name .. " " .. text)
    end
  end
end
compare(known, annotated, "is not annotated")
compare(annotated, known, "is annotated, but not in the reference")
compare(checks, described, "is a check, but not in the reference")
compare(described, checks, "is in the reference, but no check")
local count = 0
for _ in pairs(known) do count = count + 1 end
print(("%d names, %d differences"):format(count, wrong))
if wrong > 0 or count < 200 then error("muslin.d.lua is not up to date") end
