-- dress.lua: the scene of `muslin dress`: garments sewn around a body, draped and written when they are at rest. Its words are the
-- number of patterns, their paths from the innermost one, the body, the folder, and NAME=VALUE.
local muslin = require "muslin"

local count = math.tointeger(tonumber(arg[1]))
local option = muslin.arguments({ edge_length = 0.02, material = "jersey", body_scale = 1, body_up = "y", units = 0,
  closing_time = 1.5, placing = true, elastic = "", attach = "", attach_time = 0, seconds = 30 }, { table.unpack(arg, count + 4) })
local body_path, folder = arg[count + 2], arg[count + 3]
for _, name in ipairs { "seconds", "body_scale" } do
  if not (option[name] > 0) then error(("%s must be > 0 (got %g)"):format(name, option[name]), 0) end
end
for _, name in ipairs { "units", "attach_time" } do -- 0: the file's own; never released
  if not (option[name] >= 0) then error(("%s must be >= 0 (got %g)"):format(name, option[name]), 0) end
end

-- Names by the files: shirt_specification.json is "shirt"; of equal ones the second is "shirt2".
local patterns, names, times = {}, {}, {}
for k = 1, count do
  local path = arg[k + 1]
  patterns[k] = muslin.pattern.load(path, { edge_length = option.edge_length, units = option.units > 0 and option.units or nil })
  local name = path:match "([^/]+)$":gsub("%.json$", ""):gsub("_specification$", "")
  times[name] = (times[name] or 0) + 1
  names[k] = times[name] == 1 and name or name .. times[name]
end
local body = muslin.mesh.load(body_path, { scale = option.body_scale, up = option.body_up })
local low, high = body:bounds()
if high.y - low.y > 5 then
  error(("the body of '%s' is %.3g m high: give its unit in meters, -- body_scale=0.01 for centimeters"):format(body_path,
    high.y - low.y), 0)
end

if not (high.y > low.y) then
  error(("the body of '%s' is flat: it has no height along y; say which way is up, -- body_up=z"):format(body_path), 0)
end

-- Elastic bands PANEL:EDGE:SHRINKAGE[:WIDTH], ...: lists by garments. Edges are numbered from 0, as in the file and by `muslin pattern`.
local function read_elastic()
  local bands = {}
  for word in option.elastic:gmatch "[^,]+" do
    local panel, edge, shrinkage, width = word:match "^(.+):(%d+):([%d.]+):([%d.]+)$"
    if not panel then panel, edge, shrinkage = word:match "^(.+):(%d+):([%d.]+)$" end
    if not panel then
      error(("elastic: give PANEL:EDGE:SHRINKAGE or PANEL:EDGE:SHRINKAGE:WIDTH, between commas (got '%s')"):format(word), 0)
    end
    local found = false
    for k, pattern in ipairs(patterns) do
      for _, one in ipairs(pattern.panels) do
        if one.name == panel then
          found, bands[k] = true, bands[k] or {}
          if not one.edges[edge + 1] then
            error(("elastic: panel '%s' has edges 0 to %d (got %s)"):format(panel, #one.edges - 1, edge), 0)
          end
          table.insert(bands[k], { panel, math.tointeger(edge) + 1, tonumber(shrinkage), tonumber(width) })
        end
      end
    end
    if not found then error(("elastic: no pattern has a panel '%s'"):format(panel), 0) end
  end
  return bands
end

-- Labels between commas, "true" for those of GarmentCode, by garments: of several, each takes those that it has.
local function read_attach()
  if option.attach == "" then return {} end
  local lists, found = {}, {}
  for k, pattern in ipairs(patterns) do
    lists[k] = option.attach == "true"
    for label in option.attach:gmatch "[^,]+" do
      for _, panel in ipairs(pattern.panels) do
        for _, edge in ipairs(panel.edges) do
          if edge.label == label and option.attach ~= "true" then
            lists[k] = lists[k] or {}
            if lists[k][#lists[k]] ~= label then table.insert(lists[k], label) end
            found[label] = true
          end
        end
      end
    end
  end
  for label in option.attach:gmatch "[^,]+" do
    if not found[label] and option.attach ~= "true" then error(("attach: no pattern has an edge with the label '%s'"):format(label), 0) end
  end
  return lists
end

local world = muslin.world { dt = 1 / 120, fps = 30, duration = option.seconds }
local middle, height = 0.5 * (low + high), high.y - low.y
world:camera { from = middle + 1.9 * height * muslin.vec3(0.4, 0.15, 0.9), to = middle }
body = world:obstacle { name = "body", mesh = body }
local garments, elastic, attach = {}, read_elastic(), read_attach()
for k, pattern in ipairs(patterns) do
  garments[k] = muslin.dress(world, { pattern = pattern, body = body, name = count > 1 and names[k] or nil, over = garments[k - 1],
    material = option.material, closing_time = option.closing_time, placing = option.placing, elastic = elastic[k],
    attach = attach[k], attach_time = option.attach_time > 0 and option.attach_time or nil })
  for _, row in ipairs(garments[k].placed) do
    print(("placed around a limb: '%s', moved by %.3g m and rotated by %.0f degrees"):format(table.concat(row.panels, "', '"),
      row.distance, math.deg(row.angle)))
  end
end

local function total(of)
  local sum, most = 0, 0
  for _, garment in ipairs(garments) do
    local value = of(garment)
    sum, most = sum + value, math.max(most, value)
  end
  return sum, most
end

world:on("frame", function(w)
  if w.frame % 30 == 0 then
    w:log("seam_gap", select(2, total(function(garment) return garment:gap() end)))
    w:log("moving_share", select(2, total(function(garment) return garment.moving end)))
  end
end, "progress")

world:on("done", function(w)
  local rest_time = 0
  for k, garment in ipairs(garments) do
    local prefix = count > 1 and names[k] .. "_" or ""
    garment:mesh("sewn"):save(folder .. "/" .. prefix .. "sewn.obj")
    garment:mesh():save(folder .. "/" .. prefix .. "draped.obj")
    rest_time = math.max(rest_time, garment.rest_time or math.huge)
    if garment.moved_out > 0 then
      print(("the panels of '%s' started %.2g m farther from the body"):format(names[k], garment.moved_out))
    end
    if garment.phase ~= "at rest" and w.frame > 0 then
      print(("%snot at rest after %.3g s (%s): %.1f %% of the vertices moved by more than 0.3 mm in the last second"):format(
        count > 1 and names[k] .. ": " or "", w.time, garment.phase, 100 * garment.moving))
    end
  end
  if rest_time < math.huge then
    print(("at rest after %.3g s: %d panels, widest seam %.1f mm, %d points joined by stitches"):format(rest_time,
      (total(function(garment) return #garment.pattern.panels end)), 1e3 * select(2, total(function(garment) return garment:gap() end)),
      (total(function(garment) return garment.apart end))))
  end
end, "result")

return world
