-- measure.lua: measures of the shape of cloth: folds and turns of a line of vertices, layers and covered area. Units: m.
local muslin = require "muslin"
local support = require "muslin.support"
local show = require("muslin.expectations").show

local measure = {}

local function fail(...)
  support.fail("measure." .. string.format(...))
end

-- The value of a field, a number > low, and < high where that is given.
local function number_of(what, options, name, default, low, high)
  local value = options[name]
  if value == nil then value = default end
  if type(value) ~= "number" or not (value > low and value < (high or math.huge)) then
    local range = high and ("between %.4g and %.4g"):format(low, high) or ("> %.4g"):format(low)
    fail("%s: field '%s' must be a number %s (got %s)", what, name, range, show(value))
  end
  return value
end

local function check_object(what, object)
  local kind = muslin.type(object)
  if kind ~= "cloth" and kind ~= "mesh" then fail("%s: the first argument is a cloth or a mesh (got %s)", what, show(object)) end
end

local function is_finite(v) return (v - v):length() == 0 end

-- Position of a vertex.
local function position(what, x, i)
  if not is_finite(x[i]) then fail("%s: the position of vertex %d must be finite (got %s)", what, i, show(x[i])) end
  return x[i]
end

-- The positions of a line of vertices.
local function points_of(what, object, line)
  check_object(what, object)
  local points = {}
  if type(line) ~= "table" or #line < 2 then
    fail("%s: the second argument is a list of at least two vertices (got %s)", what, show(line))
  end
  local x = object.x
  for k, i in ipairs(line) do
    if math.type(i) ~= "integer" or i < 1 or i > #x then
      fail("%s: item %d of the line must be a vertex from 1 to %d (got %s)", what, k, #x, show(i))
    end
    points[k] = position(what, x, i)
  end
  return points
end

-- ---- Folds ----------------------------------------------------------------------------------------------------------

-- The point at arc length s of a polyline whose vertices are at the lengths `at`; `k` is a segment at or before it.
local function point_at(points, at, s, k)
  while k < #at - 1 and at[k + 1] < s do k = k + 1 end
  local length = at[k + 1] - at[k]
  local t = length > 0 and (s - at[k]) / length or 0
  return points[k] + t * (points[k + 1] - points[k]), k
end

--- Folds of a line of vertices: the maxima of its curvature. At each vertex the direction over the `length` before it is
--- compared with that over the `length` after it; a fold is a run of vertices where they differ by more than `angle`,
--- which ends where they differ by less than half of it. Returns their number, and the position in the line of the
--- sharpest vertex of each.
function measure.folds(object, line, options)
  options = options or {}
  support.check_keys(options, "measure.folds", { "length", "angle" })
  local points, at, edges = points_of("folds", object, line), { 0 }, #line - 1
  for k = 2, #points do at[k] = at[k - 1] + (points[k] - points[k - 1]):length() end
  local total = at[#at]
  local length = number_of("folds", options, "length", total > 0 and 2 * total / edges or 1, 0)
  local angle = number_of("folds", options, "angle", 2 * math.pi / 3, 0, math.pi)
  local folds, best, before, after = {}, nil, 1, 1
  for k = 2, #points - 1 do
    local s = at[k]
    if s >= length * (1 - 1e-9) and s <= total - length * (1 - 1e-9) then
      local from, to
      from, before = point_at(points, at, muslin.max(0, s - length), before)
      to, after = point_at(points, at, muslin.min(total, s + length), muslin.max(after, k))
      local a, b = points[k] - from, to - points[k]
      local size = muslin.sqrt(a:dot(a) * b:dot(b))
      local turn = size > 0 and muslin.acos(muslin.clamp(a:dot(b) / size, -1, 1)) or math.pi
      if turn > angle then
        if not best then folds[#folds + 1] = k end
        if not best or turn > best then folds[#folds], best = k, turn end
      elseif turn < angle / 2 then
        best = nil
      end
    end
  end
  return #folds, folds
end

-- ---- Turns ----------------------------------------------------------------------------------------------------------

--- Turns of a line about an axis through `origin`: the sum of the angles between its consecutive vertices, seen along the
--- axis, in whole turns; positive where it turns counter-clockwise about the axis. A line from an axis to the hem of cloth
--- that is wound about the axis has as many turns as it is wound around.
function measure.turns(object, line, options)
  options = options or {}
  support.check_keys(options, "measure.turns", { "origin", "axis" })
  local points = points_of("turns", object, line)
  local function vector(name, x, y, z)
    local value = options[name]
    if value == nil then return muslin.vec3(x, y, z) end
    local ok, v = pcall(muslin.vec3, value)
    if not ok or not is_finite(v) then fail("turns: field '%s' must be three finite numbers (got %s)", name, show(value)) end
    return v
  end
  local origin, axis = vector("origin", 0, 0, 0), vector("axis", 0, 1, 0)
  if not (axis:length() > 0) then fail("turns: field 'axis' must not be zero (got %s)", show(axis)) end
  axis = axis:normalized()
  local sum, last = 0, nil
  for _, p in ipairs(points) do
    local d = p - origin
    d = d - d:dot(axis) * axis
    if d:length() > 0 then -- a vertex on the axis has no direction
      if last then sum = sum + muslin.atan2(axis:dot(last:cross(d)), last:dot(d)) end
      last = d
    end
  end
  return sum / (2 * math.pi)
end

-- ---- Layers ---------------------------------------------------------------------------------------------------------

-- Calls hit(column, row) for every line of the lattice that passes through the triangle a, b, c, in two coordinates.
local function each_line(ax, ay, bx, by, cx, cy, spacing, hit)
  local area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
  if area == 0 then return end
  if area < 0 then bx, by, cx, cy = cx, cy, bx, by end
  -- A point near an edge is of one of the triangles that share it, whatever is rounded: the side is computed from the same end,
  -- and a point on the edge belongs to the triangle on its left.
  local function inside(x0, y0, x1, y1, x, y)
    local down = y1 < y0 or y1 == y0 and x1 > x0
    if down then x0, y0, x1, y1 = x1, y1, x0, y0 end
    local side = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
    if down then return side <= 0 end
    return side > 0
  end
  local first_row = muslin.floor(muslin.min(ay, by, cy) / spacing)
  local last_row = muslin.floor(muslin.max(ay, by, cy) / spacing)
  local first, last = muslin.floor(muslin.min(ax, bx, cx) / spacing), muslin.floor(muslin.max(ax, bx, cx) / spacing)
  for row = first_row, last_row do
    local y = (row + 0.5) * spacing
    for column = first, last do
      local x = (column + 0.5) * spacing
      if inside(ax, ay, bx, by, x, y) and inside(bx, by, cx, cy, x, y) and inside(cx, cy, ax, ay, x, y) then
        hit(column, row)
      end
    end
  end
end

--- Layers of a cloth or mesh along an axis ("x", "y" or "z"): lines in that direction, `spacing` apart both ways, are
--- intersected with its faces. Returns {area = covered area, m^2, mean = layers per covered line, most = the largest
--- number, share = {share of the covered lines with one layer, with two, ...}}.
function measure.layers(object, options)
  options = options or {}
  support.check_keys(options, "measure.layers", { "axis", "spacing" })
  check_object("layers", object)
  local across = ({ x = { 2, 3 }, y = { 1, 3 }, z = { 1, 2 } })[options.axis or "y"]
  if not across then fail("layers: field 'axis' must be \"x\", \"y\" or \"z\" (got %s)", show(options.axis)) end
  local u, v = across[1], across[2]
  local positions, x = {}, object.x
  for i = 1, #x do
    local p = position("layers", x, i)
    positions[i] = { p.x, p.y, p.z }
  end
  local low, high = object:bounds()
  local extent = muslin.max((high - low):length(), 1e-9)
  local spacing = number_of("layers", options, "spacing", extent / 200, extent / 1e4)
  local counts = {}
  local function hit(column, row)
    local key = row * 0x100000 + column
    counts[key] = (counts[key] or 0) + 1
  end
  for _, face in ipairs(object:faces()) do
    local a, b, c = positions[face[1]], positions[face[2]], positions[face[3]]
    each_line(a[u], a[v], b[u], b[v], c[u], c[v], spacing, hit)
  end
  local lines, sum, share = 0, 0, {}
  for _, count in pairs(counts) do
    lines, sum = lines + 1, sum + count
    for n = #share + 1, count do share[n] = 0 end
    share[count] = share[count] + 1
  end
  for n = 1, #share do share[n] = share[n] / lines end
  return { area = lines * spacing * spacing, mean = lines > 0 and sum / lines or 0, most = #share, share = share }
end

return measure
