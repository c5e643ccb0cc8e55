-- pattern.lua: sewing patterns: flat panels with curved edges, and stitches between the edges.
--
-- Panels become triangle meshes whose border points are equal in arc length; a sewn pair of edges gets the point count of the
-- longer one. Reads the files `*_specification.json` of GarmentCode (Korosteleva and Sorkine-Hornung 2023) and of the Garment
-- Pattern Generator before it.
local muslin = require "muslin"
local support = require "muslin.support"

local pattern = {}
local Pattern = {}
Pattern.__index = Pattern

local source_name -- the path of the file that is read, for messages; nil

local function fail(text, ...)
  support.fail("pattern: " .. (source_name and source_name .. ": " or "") .. text:format(...))
end

local function show(value)
  return type(value) == "string" and "'" .. value .. "'" or tostring(value)
end

-- A number of a list in messages: files count from 0.
local function number_of(k)
  return math.type(k) == "integer" and ("%d"):format(source_name and k - 1 or k) or show(k)
end

local function is_number(value) return type(value) == "number" and value - value == 0 end

local function check_point(where, value)
  if type(value) ~= "table" or not is_number(value[1]) or not is_number(value[2]) or value[3] then
    fail("%s must be two finite numbers {x, y} (got %s)", where, show(value))
  end
  return { value[1], value[2] }
end

local MOST_PARTS = 20000 -- of an edge

-- ---- Curves ----------------------------------------------------------------------------------------------------------
-- A curve is a function of t in 0..1 that returns x, y.

local function line_curve(p, q)
  return function(t) return p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]) end
end

-- Bezier curve of degree 2 or 3: control points between p and q.
local function bezier_curve(p, q, controls)
  local a, b = controls[1], controls[2]
  if not b then
    return function(t)
      local s = 1 - t
      return s * s * p[1] + 2 * s * t * a[1] + t * t * q[1], s * s * p[2] + 2 * s * t * a[2] + t * t * q[2]
    end
  end
  return function(t)
    local s = 1 - t
    local w0, w1, w2, w3 = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    return w0 * p[1] + w1 * a[1] + w2 * b[1] + w3 * q[1], w0 * p[2] + w1 * a[2] + w2 * b[2] + w3 * q[2]
  end
end

-- Arc of a circle from p to q: the larger one or not, to the right of the way from p to q or to the left.
local function arc_curve(where, p, q, radius, large, right)
  local dx, dy = q[1] - p[1], q[2] - p[2]
  local chord = muslin.sqrt(dx * dx + dy * dy)
  if radius < 0.5 * chord * (1 - 1e-6) then
    fail("%s: a circle of radius %g does not reach between ends %g apart", where, radius, chord)
  end
  local height = muslin.sqrt(muslin.max(0, radius * radius - 0.25 * chord * chord))
  -- A short arc to the right has its center to the left.
  local side = (right ~= large) and 1 or -1
  local cx = 0.5 * (p[1] + q[1]) - side * height * dy / chord
  local cy = 0.5 * (p[2] + q[2]) + side * height * dx / chord
  local from, to = muslin.atan2(p[2] - cy, p[1] - cx), muslin.atan2(q[2] - cy, q[1] - cx)
  if right and to < from then to = to + 2 * math.pi end
  if not right and to > from then to = to - 2 * math.pi end
  return function(t)
    local angle = from + t * (to - from)
    return cx + radius * muslin.cos(angle), cy + radius * muslin.sin(angle)
  end
end

local SAMPLES = 256 -- of a curve, for its length: 1e-5 of it for a half circle

local function measure_curve(curve)
  local lengths, total = { [0] = 0 }, 0
  local x, y = curve(0)
  for k = 1, SAMPLES do
    local nx, ny = curve(k / SAMPLES)
    total = total + muslin.sqrt((nx - x) ^ 2 + (ny - y) ^ 2)
    lengths[k], x, y = total, nx, ny
  end
  return total, lengths
end

-- The inner points of a curve that divide it into `count` parts of equal length.
local function divide_curve(edge, count)
  local points, k = {}, 0
  for i = 1, count - 1 do
    local wanted = edge.length * i / count
    while edge.lengths[k + 1] < wanted do k = k + 1 end
    local part = edge.lengths[k + 1] - edge.lengths[k]
    local x, y = edge.curve((k + (part > 0 and (wanted - edge.lengths[k]) / part or 0)) / SAMPLES)
    points[i] = { x, y }
  end
  return points
end

-- ---- Reading a description -------------------------------------------------------------------------------------------

local KINDS = { quadratic = 1, cubic = 2, circle = 3 }

local function make_curve(where, edge, p, q, relative, scale)
  local c = edge.curvature
  if c == nil then return line_curve(p, q) end
  if type(c) ~= "table" then fail("%s: its curvature must be a table (got %s)", where, show(c)) end
  local kind, params = c.type or "quadratic", c.params or { c }
  if not KINDS[kind] then fail("%s: its curvature must be quadratic, cubic or circle (got %s)", where, show(kind)) end
  if type(params) ~= "table" then fail("%s: the params of its curvature must be a list", where) end
  if kind == "circle" then
    if not is_number(params[1]) or params[1] <= 0 then
      fail("%s: the radius of its circle must be > 0 (got %s)", where, show(params[1]))
    end
    local function is_set(flag) return flag == true or flag == 1 end
    return arc_curve(where, p, q, params[1] * scale, is_set(params[2]), is_set(params[3]))
  end
  local controls = {}
  for k = 1, KINDS[kind] do
    local at = check_point(where .. ": control point " .. k, params[k])
    if relative then
      local dx, dy = q[1] - p[1], q[2] - p[2]
      controls[k] = { p[1] + at[1] * dx - at[2] * dy, p[2] + at[1] * dy + at[2] * dx }
    else
      controls[k] = { scale * at[1], scale * at[2] }
    end
  end
  return bezier_curve(p, q, controls)
end

local function read_edges(panel, relative, scale)
  local corners, edges = panel.corners, {}
  for k, edge in ipairs(panel.source.edges) do
    local where = ("panel '%s', edge %s"):format(panel.name, number_of(k))
    local ends = type(edge) == "table" and edge.endpoints
    if type(ends) ~= "table" then fail("%s: it needs endpoints {i, j}", where) end
    local i, j = ends[1], ends[2]
    if not corners[i] or not corners[j] then
      fail("%s: its endpoints must be vertices %s to %s (got %s and %s)", where, number_of(1), number_of(#corners), number_of(i),
        number_of(j))
    end
    local p, q = corners[i], corners[j]
    if p[1] == q[1] and p[2] == q[2] then fail("%s: its ends are at one place: remove the edge", where) end
    local curve = make_curve(where, edge, p, q, relative, scale)
    local length, lengths = measure_curve(curve)
    edges[k] = { from = i, to = j, curve = curve, length = length, lengths = lengths, label = edge.label, panel = panel.name }
  end
  if #edges < 3 then fail("panel '%s' needs at least 3 edges (got %d)", panel.name, #edges) end
  for k, edge in ipairs(edges) do
    local following = edges[k % #edges + 1]
    if edge.to ~= following.from then
      fail("panel '%s': edge %s ends at vertex %s, and edge %s starts at vertex %s: edges must be a loop in order", panel.name,
        number_of(k), number_of(edge.to), number_of(k % #edges + 1), number_of(following.from))
    end
  end
  return edges
end

-- Fold lines: rows {points, angle} of a panel.
local function read_folds(panel, scale)
  local folds, source = {}, panel.source.folds or {}
  if type(source) ~= "table" then fail("panel '%s': folds must be a list of {points, angle} (got %s)", panel.name, show(source)) end
  for k, fold in ipairs(source) do
    local where = ("panel '%s', fold %s"):format(panel.name, number_of(k))
    if type(fold) ~= "table" or type(fold.points) ~= "table" or #fold.points < 2 then
      fail("%s: it needs points {{x, y}, {x, y}, ...}", where)
    end
    if fold.angle ~= nil and (not is_number(fold.angle) or math.abs(fold.angle) > math.pi) then
      fail("%s: its angle must be within -pi..pi rad (got %s)", where, show(fold.angle))
    end
    local points = {}
    for i, p in ipairs(fold.points) do
      local at = check_point(("%s, point %s"):format(where, number_of(i)), p)
      points[i] = { scale * at[1], scale * at[2] }
    end
    folds[k] = { points = points, angle = fold.angle or 0 }
  end
  return folds
end

-- About the fixed axes x, then y, then z.
local function rotate(degrees, p)
  local x, y, z = p[1], p[2], p[3]
  local function turn(angle, a, b)
    local c, s = muslin.cos(math.rad(angle)), muslin.sin(math.rad(angle))
    return c * a - s * b, s * a + c * b
  end
  y, z = turn(degrees[1], y, z)
  z, x = turn(degrees[2], z, x)
  x, y = turn(degrees[3], x, y)
  return { x, y, z }
end

local function read_panel(name, source, relative, scale)
  if type(source) ~= "table" or type(source.vertices) ~= "table" or type(source.edges) ~= "table" then
    fail("panel '%s' needs vertices and edges", name)
  end
  local panel = { name = name, source = source, corners = {}, label = source.label }
  for k, p in ipairs(source.vertices) do
    local at = check_point(("panel '%s', vertex %s"):format(name, number_of(k)), p)
    panel.corners[k] = { scale * at[1], scale * at[2] }
  end
  local t, r = source.translation or { 0, 0, 0 }, source.rotation or { 0, 0, 0 }
  for k = 1, 3 do
    if not is_number(t[k]) or not is_number(r[k]) then fail("panel '%s': translation and rotation must be three numbers each", name) end
  end
  panel.translation = { scale * t[1], scale * t[2], scale * t[3] }
  panel.rotation = { r[1], r[2], r[3] }
  panel.edges = read_edges(panel, relative, scale)
  panel.folds = read_folds(panel, scale)
  return panel
end

local function side_of(panels, at, side)
  local where = "stitch " .. number_of(at)
  if type(side) ~= "table" then fail("%s: each side must be {panel =, edge =}", where) end
  local name, number = side.panel or side[1], side.edge or side[2]
  local panel = panels[name]
  if not panel then
    local names = {}
    for known in pairs(panels) do names[#names + 1] = known end
    table.sort(names)
    local nearest = type(name) == "string" and support.nearest(name, names)
    fail("%s names panel %s, which there is not (%s)", where, show(name),
      nearest and "did you mean '" .. nearest .. "'?" or "there are: " .. table.concat(names, ", "))
  end
  local edge = panel.edges[number]
  if not edge then
    fail("%s: panel '%s' has edges %s to %s (got %s)", where, name, number_of(1), number_of(#panel.edges), number_of(number))
  end
  if edge.stitch then
    fail("%s: edge %s of panel '%s' is in stitch %s already", where, number_of(number), name, number_of(edge.stitch))
  end
  edge.stitch = at
  return { panel = panel, edge = edge }
end

-- ---- Meshes ----------------------------------------------------------------------------------------------------------

-- A loop in clockwise order faces away from the viewer: the other side of its triangles is the outside.
local function is_clockwise(points)
  local area, before = 0, points[#points]
  for _, p in ipairs(points) do
    area, before = area + before[1] * p[2] - p[1] * before[2], p
  end
  return area < 0
end

local function turn_over(mesh)
  local vertices, faces, uv, x = {}, mesh:faces(), {}, mesh.x
  for i = 1, mesh.vertex_count do
    vertices[i], uv[i] = { x[i].x, x[i].y, x[i].z }, { x[i].x, x[i].y }
  end
  for _, face in ipairs(faces) do face[2], face[3] = face[3], face[2] end
  return muslin.mesh.new { vertices = vertices, faces = faces, uv = uv }
end

-- Moves the ends of fold lines to the nearest point of the outline where it is within 0.75 edges.
local function snap_folds(panel, points, edge_length)
  local lines = {}
  for k, fold in ipairs(panel.folds) do
    for _, i in ipairs { 1, #fold.points } do
      local p, best, nearest = fold.points[i], math.huge, nil
      for _, q in ipairs(points) do
        local distance = muslin.sqrt((q[1] - p[1]) ^ 2 + (q[2] - p[2]) ^ 2)
        if distance < best then best, nearest = distance, q end
      end
      if best <= 0.75 * edge_length then fold.points[i] = nearest end
    end
    if #fold.points == 2 and fold.points[1] == fold.points[2] then
      fail("panel '%s', fold %s is shorter than an edge: both of its ends are nearest to one point of the outline", panel.name,
        number_of(k))
    end
    lines[k] = fold.points
  end
  return lines
end

-- The vertices along each fold line, of the flat mesh, segment by segment: a line may come back to a point.
local function find_folds(panel)
  for _, fold in ipairs(panel.folds) do
    fold.vertices = {}
    for i = 1, #fold.points - 1 do
      local p, q = fold.points[i], fold.points[i + 1]
      for j, vertex in ipairs(panel.mesh:polyline({ { p[1], p[2], 0 }, { q[1], q[2], 0 } }, 1e-12)) do
        if i == 1 or j > 1 then fold.vertices[#fold.vertices + 1] = vertex end
      end
    end
  end
end

-- The message of muslin.mesh.polygon in words of the panel: its sides are parts of edges.
local function explain(panel, message)
  message = tostring(message):gsub("^.-polygon: ", "")
  message = message:gsub("side (%d+) of the outline", function(side)
    local number = math.tointeger(side)
    for k, edge in ipairs(panel.edges) do
      if number < edge.first + edge.count then return "edge " .. number_of(k) end
    end
  end)
  return (message:gsub("field 'lines': ", ""):gsub("line (%d+)", function(n) return "fold " .. number_of(math.tointeger(n)) end))
end

local function mesh_panel(panel, edge_length)
  local points = {}
  for _, edge in ipairs(panel.edges) do
    edge.first = #points + 1
    points[#points + 1] = panel.corners[edge.from]
    for _, p in ipairs(divide_curve(edge, edge.count)) do points[#points + 1] = p end
  end
  local total = #points
  for _, edge in ipairs(panel.edges) do
    edge.vertices = {}
    for i = 0, edge.count do edge.vertices[i + 1] = (edge.first - 1 + i) % total + 1 end
  end
  local lines = snap_folds(panel, points, edge_length)
  local ok, mesh = pcall(muslin.mesh.polygon, { points = points, lines = lines, edge_length = edge_length, plane = "xy" })
  if not ok then fail("panel '%s': %s", panel.name, explain(panel, mesh)) end
  if is_clockwise(points) then mesh = turn_over(mesh) end
  panel.mesh, panel.flat = mesh, mesh.x:copy()
  find_folds(panel)
  local x = mesh.x
  for i = 1, mesh.vertex_count do
    local p = x[i]
    local q = rotate(panel.rotation, { p.x, p.y, 0 })
    x[i] = { q[1] + panel.translation[1], q[2] + panel.translation[2], q[3] + panel.translation[3] }
  end
end

local OPTIONS = { "panels", "stitches", "edge_length", "units", "curvature", "order" }

--- muslin.pattern {panels, stitches, edge_length, units}: vertex and edge numbers from 1.
local function new_pattern(def)
  support.check_keys(def, "pattern", OPTIONS)
  local length = def.edge_length or 0.01
  if not is_number(length) or length <= 0 then fail("edge_length must be > 0 m (got %s)", show(length)) end
  local scale = def.units or 1
  if not is_number(scale) or scale <= 0 then fail("units must be > 0 m (got %s)", show(scale)) end
  local curvature = def.curvature or "relative"
  if curvature ~= "relative" and curvature ~= "absolute" then
    fail("%s must be relative or absolute (got %s)", source_name and "properties.curvature_coords" or "curvature", show(curvature))
  end
  if type(def.panels) ~= "table" or next(def.panels) == nil then fail "it needs panels {name = {vertices, edges}, ...}" end
  local self = setmetatable({ edge_length = length, panels = {}, stitches = {} }, Pattern)
  local by_name, names, listed = {}, {}, {}
  for _, name in ipairs(def.order or {}) do
    if not def.panels[name] then fail("the order of panels names %s, which there is not", show(name)) end
    if listed[name] then fail("the order of panels names %s twice", show(name)) end
    names[#names + 1], listed[name] = name, true
  end
  local others = {}
  for name in pairs(def.panels) do
    if type(name) ~= "string" or name == "" then fail("a panel's name must be a word (got %s)", show(name)) end
    if not listed[name] then others[#others + 1] = name end
  end
  table.sort(others)
  for _, name in ipairs(others) do names[#names + 1] = name end
  for k, name in ipairs(names) do
    local panel = read_panel(name, def.panels[name], curvature == "relative", scale)
    self.panels[k], by_name[name] = panel, panel
  end
  for k, stitch in ipairs(def.stitches or {}) do
    if type(stitch) == "table" and (stitch[4] ~= nil or stitch[3] ~= nil and stitch[3] ~= "right_wrong") then
      fail("stitch %s has two sides, and after them nothing or 'right_wrong' (got %s)", number_of(k), show(stitch[4] or stitch[3]))
    end
    local a, b = side_of(by_name, k, stitch[1] or stitch.from), side_of(by_name, k, stitch[2] or stitch.to)
    self.stitches[k] = { a = a, b = b, same_way = stitch[3] == "right_wrong" or stitch.same_way == true, pairs = {},
      number = source_name and k - 1 or k }
  end
  for _, panel in ipairs(self.panels) do
    for k, edge in ipairs(panel.edges) do
      if not (edge.length <= MOST_PARTS * length) then
        fail("panel '%s': edge %s is %g m long, more than %d times edge_length (%g m); check its vertices, its curvature and the units",
          panel.name, number_of(k), edge.length, MOST_PARTS, length)
      end
      edge.count = muslin.max(1, math.ceil(edge.length / length - 1e-9))
    end
  end
  for _, s in ipairs(self.stitches) do
    local count = muslin.max(s.a.edge.count, s.b.edge.count)
    s.a.edge.count, s.b.edge.count = count, count
  end
  for _, panel in ipairs(self.panels) do
    for _, edge in ipairs(panel.edges) do edge.count = math.tointeger(edge.count) end
    mesh_panel(panel, length)
  end
  for _, s in ipairs(self.stitches) do
    local a, b = s.a.edge.vertices, s.b.edge.vertices
    for i = 1, #a do s.pairs[i] = { a[i], b[s.same_way and i or #b + 1 - i] } end
  end
  return self
end

-- ---- Into a world ----------------------------------------------------------------------------------------------------

local function copy(list)
  local out = {}
  for key, value in pairs(list or {}) do out[key] = value end
  return out
end

--- pattern:sew(world, cloths, {stitches, stitch}): seams between the panels' cloths, for all stitches or those of a list.
function Pattern:sew(world, cloths, options)
  options = options or {}
  support.check_keys(options, "pattern:sew", { "stitches", "stitch" })
  local seams = {}
  for _, s in ipairs(options.stitches or self.stitches) do
    local list = { {}, {} }
    local one, two = cloths[s.a.panel.name], cloths[s.b.panel.name]
    for _, pair in ipairs(s.pairs) do
      if s.a.panel ~= s.b.panel or pair[1] ~= pair[2] then -- the tip of a dart is one vertex
        list[1][#list[1] + 1], list[2][#list[2] + 1] = pair[1], pair[2]
      end
    end
    local def = copy(options.stitch)
    def.a, def.b = { one, list[1] }, { two, list[2] }
    seams[#seams + 1] = world:stitch(def)
  end
  return seams
end

--- pattern:add(world, {name, cloth = options, stitch = options, stitches}): one cloth for each panel, and the seams.
function Pattern:add(world, options)
  options = options or {}
  support.check_keys(options, "pattern:add", { "name", "cloth", "stitch", "stitches" })
  local prefix, cloths = options.name and options.name .. "." or "", {}
  for _, panel in ipairs(self.panels) do
    local def = copy(options.cloth)
    def.name, def.mesh = prefix .. panel.name, panel.mesh
    cloths[panel.name] = world:cloth(def)
    for _, fold in ipairs(panel.folds) do
      if fold.angle ~= 0 then cloths[panel.name]:crease(fold.vertices, fold.angle) end
    end
  end
  return { cloths = cloths, seams = self:sew(world, cloths, { stitches = options.stitches, stitch = options.stitch }) }
end

--- pattern:place(body): moves panels that miss the limbs that they are for. Rows {panels = names, distance = m, angle = rad}.
function Pattern:place(body)
  if muslin.type(body) == "obstacle" then body = body:mesh() end
  if muslin.type(body) ~= "mesh" then fail("place(body): a mesh or an obstacle (got %s)", show(body)) end
  local rows = {}
  for k, group in ipairs(require "muslin.placing" (self, body)) do
    local names = {}
    for j, panel in ipairs(group.panels) do names[j] = panel.name end
    rows[k] = { panels = names, distance = group.distance, angle = group.angle }
  end
  return rows
end

--- pattern:svg(): the panels flat and side by side, at true size.
function Pattern:svg()
  return require "muslin.pattern_svg" (self)
end

-- ---- Files -----------------------------------------------------------------------------------------------------------

-- Numbers of the file start at 0.
local function from_zero(source)
  local panels, stitches = {}, {}
  for name, panel in pairs(source.panels) do
    local made = copy(panel)
    made.edges = panel.edges and {}
    for k, edge in ipairs(panel.edges or {}) do
      made.edges[k] = copy(edge)
      local ends = edge.endpoints
      if type(ends) == "table" and math.type(ends[1]) == "integer" and math.type(ends[2]) == "integer" then
        made.edges[k].endpoints = { ends[1] + 1, ends[2] + 1 }
      end
    end
    panels[name] = made
  end
  for k, stitch in ipairs(source.stitches or {}) do
    local made = copy(stitch)
    for i = 1, 2 do
      local side = stitch[i] or (i == 1 and stitch.from or stitch.to)
      if type(side) == "table" then
        made[i] = { panel = side.panel, edge = math.type(side.edge) == "integer" and side.edge + 1 or side.edge }
      end
    end
    stitches[k] = made
  end
  return panels, stitches
end

local function read_file(path, options)
  local root, reason = support.read_json(path, "pattern.load(path)")
  if root == nil then fail("%s", reason) end
  local source = type(root) == "table" and root.pattern
  if type(source) ~= "table" or type(source.panels) ~= "table" then
    fail "it has no pattern.panels: is it a *_specification.json?"
  end
  local properties = root.properties or {}
  local units = options.units
  if not units then
    local per_meter = properties.units_in_meter
    if not is_number(per_meter) or per_meter <= 0 then
      fail("properties.units_in_meter must be > 0 (got %s); or give the unit in meters: load(path, {units = 0.01})", show(per_meter))
    end
    units = 1 / per_meter
  end
  local panels, stitches = from_zero(source)
  return new_pattern { panels = panels, stitches = stitches, edge_length = options.edge_length, units = units,
    curvature = properties.curvature_coords, order = source.panel_order }
end

--- muslin.pattern.load(path [, {edge_length, units}])
function pattern.load(path, options)
  options = options or {}
  if type(path) ~= "string" then fail("load(path): a path (got %s)", show(path)) end
  support.check_keys(options, "pattern.load", { "edge_length", "units" })
  source_name = path
  local ok, made = pcall(read_file, path, options)
  source_name = nil
  if not ok then error(made, 0) end
  return made
end

return setmetatable(pattern, { __call = function(_, def) return new_pattern(def) end })
