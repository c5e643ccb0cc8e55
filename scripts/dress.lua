-- dress.lua: dresses a body: sews the panels of a pattern around it, drapes the garment and waits until it is at rest.
--
-- Without gravity the seams close; then the panels become one cloth, whose rest shape is the flat pattern, and gravity acts.
-- The garment is at rest when few vertices move: under 1.5 % by more than 0.3 mm in a second, by default.
local muslin = require "muslin"
local support = require "muslin.support"

local Garment = {}
Garment.__index = Garment

local function fail(text, ...) support.fail("dress: " .. text:format(...)) end

local function show(value) return type(value) == "string" and "'" .. value .. "'" or tostring(value) end

local OPTIONS = { "pattern", "body", "name", "edge_length", "material", "thickness", "friction", "closing_time",
  "elastic", "placing", "gravity", "rest_share", "rest_motion", "stop" }

local WIDTH, APART = 3e-4, 1e-3 -- m, of stitches; of those where contacts keep sewn vertices apart, which are slack below

local function positive(options, name, default)
  local value = options[name]
  if value == nil then return default end
  if type(value) ~= "number" or not (value > 0) or value == math.huge then fail("%s must be > 0 (got %s)", name, show(value)) end
  return value
end

-- ---- One cloth from panels -------------------------------------------------------------------------------------------

-- The clusters of sewn vertices: of each vertex of each panel the number of the first vertex of its cluster, counted through all
-- panels: {[panel name] = {[vertex] = number}}.
local function find_clusters(pattern)
  local first, total = {}, 0
  for _, panel in ipairs(pattern.panels) do
    first[panel.name], total = total, total + panel.mesh.vertex_count
  end
  local parent = {}
  for i = 1, total do parent[i] = i end
  local function find(i)
    while parent[i] ~= i do
      parent[i] = parent[parent[i]]
      i = parent[i]
    end
    return i
  end
  for _, s in ipairs(pattern.stitches) do
    for _, pair in ipairs(s.pairs) do
      local p, q = find(first[s.a.panel.name] + pair[1]), find(first[s.b.panel.name] + pair[2])
      if p < q then parent[q] = p else parent[p] = q end
    end
  end
  local clusters = {}
  for _, panel in ipairs(pattern.panels) do
    local of = {}
    for i = 1, panel.mesh.vertex_count do of[i] = find(first[panel.name] + i) end
    clusters[panel.name] = of
  end
  return clusters
end

-- Numbers the vertices of one cloth: sewn ones alike, except those of the clusters in `apart`.
-- {[panel name] = {[vertex] = number}}, count, {[number] = cluster}.
local function number_vertices(pattern, clusters, apart)
  local number, map, cluster_of, count = {}, {}, {}, 0
  for _, panel in ipairs(pattern.panels) do
    local of = {}
    for i = 1, panel.mesh.vertex_count do
      local cluster = clusters[panel.name][i]
      if apart[cluster] or not number[cluster] then
        count = count + 1
        number[cluster], cluster_of[count] = count, cluster
      end
      of[i] = number[cluster]
    end
    map[panel.name] = of
  end
  return map, count, cluster_of
end

-- The mesh of the whole garment, with a group for each panel and the flat pattern, in m, as texture coordinates. `places` returns
-- the positions of a panel.
local function join(pattern, map, count, places)
  local sum, times = muslin.array(count, 3), {}
  local faces, uv, uv_faces, groups = {}, {}, {}, {}
  for _, panel in ipairs(pattern.panels) do
    local of, x, flat, before, base = map[panel.name], places(panel), panel.flat, #faces, #uv
    for i = 1, panel.mesh.vertex_count do
      local k = of[i]
      sum[k], times[k] = sum[k] + x[i], (times[k] or 0) + 1
      uv[base + i] = { flat[i].x, flat[i].y }
    end
    for _, face in ipairs(panel.mesh:faces()) do
      local a, b, c = of[face[1]], of[face[2]], of[face[3]]
      if a ~= b and b ~= c and c ~= a then -- else the stitches close it
        faces[#faces + 1] = { a, b, c }
        uv_faces[#faces] = { base + face[1], base + face[2], base + face[3] }
      end
    end
    groups[#groups + 1] = { panel.name, #faces - before }
  end
  for k = 1, count do sum[k] = sum[k] / times[k] end
  return muslin.mesh.new { vertices = sum, faces = faces, uv = uv, uv_faces = uv_faces, groups = groups }
end

-- ---- Elastic edges -------------------------------------------------------------------------------------------------

-- Rows {panel, edge, shrinkage, width} with the panel and the edge themselves.
local function read_elastic(pattern, rows)
  if rows == nil then return {} end
  if type(rows) ~= "table" then fail("elastic must be a list of {panel, edge, shrinkage, width} (got %s)", show(rows)) end
  local by_name, bands = {}, {}
  for _, panel in ipairs(pattern.panels) do by_name[panel.name] = panel end
  for k, row in ipairs(rows) do
    local where = ("elastic, row %d"):format(k)
    if type(row) ~= "table" then fail("%s must be {panel, edge, shrinkage, width} (got %s)", where, show(row)) end
    local name, number = row.panel or row[1], row.edge or row[2]
    local share, width = row.shrinkage or row[3], row.width or row[4] or 0.02
    local panel = by_name[name]
    if not panel then fail("%s: the pattern has no panel %s", where, show(name)) end
    local edge = panel.edges[number]
    if not edge then fail("%s: panel '%s' has edges 1 to %d (got %s)", where, name, #panel.edges, show(number)) end
    if type(share) ~= "number" or not (share >= 0 and share <= 0.9) then
      fail("%s: shrinkage must be within 0..0.9 (got %s)", where, show(share))
    end
    if type(width) ~= "number" or not (width > 0) or width == math.huge then
      fail("%s: width must be > 0 m (got %s)", where, show(width))
    end
    bands[k] = { panel = panel, edge = edge, shrinkage = share, width = width }
  end
  return bands
end

local function distance_to_segment(p, a, b)
  local along, from = b - a, p - a
  local length2 = along:dot(along)
  local t = length2 > 0 and muslin.max(0, muslin.min(1, from:dot(along) / length2)) or 0
  return (from - along * t):length()
end

-- By how much each vertex of the garment shrinks: those within the width of a band by its share. nil without bands.
local function shrinkage_of(bands, map, count)
  if not bands[1] then return nil end
  local list = {}
  for k = 1, count do list[k] = 0 end
  for _, band in ipairs(bands) do
    local flat, line, of = band.panel.flat, band.edge.vertices, map[band.panel.name]
    for i = 1, band.panel.mesh.vertex_count do
      local least = math.huge
      for k = 1, #line - 1 do least = muslin.min(least, distance_to_segment(flat[i], flat[line[k]], flat[line[k + 1]])) end
      if least <= band.width then list[of[i]] = muslin.max(list[of[i]], band.shrinkage) end
    end
  end
  return list
end

-- ---- Garments --------------------------------------------------------------------------------------------------------

--- The mesh of the whole garment: "sewn", with the panels where they start; or as it is now. Both have the same faces.
function Garment:mesh(state)
  if state ~= nil and state ~= "sewn" then fail("garment:mesh(state): state must be \"sewn\" or nothing (got %s)", show(state)) end
  local map, count = self.map, self.count
  if not map then map, count = number_vertices(self.pattern, find_clusters(self.pattern), {}) end
  local function places(panel) return panel.mesh.x end
  if state == nil and not self.cloth then places = function(panel) return self.panels[panel.name].x end end
  local mesh = join(self.pattern, map, count, places)
  if state == nil and self.cloth then
    for i = 1, mesh.vertex_count do mesh.x[i] = self.cloth.x[i] end
  end
  return mesh
end

-- The widest stitch, m, and the seam that has it.
local function widest_seam(self)
  local widest, at = 0, 0
  for k, seam in ipairs(self.seams) do
    if seam.gap > widest then widest, at = seam.gap, k end
  end
  return widest, at
end

--- The widest distance of two vertices that are sewn and are not one, m.
function Garment:gap()
  return (widest_seam(self))
end

-- A seam by its panels.
local function name_seam(self, k)
  local s = self.stitches[k]
  return ("stitch %d, of '%s' and '%s'"):format(s.number, s.a.panel.name, s.b.panel.name)
end

-- The faces and vertices of the cloth that intersect it or the body.
local function find_tangled(self, world, cloth)
  local vertices, any, corners = {}, false, nil
  for _, finding in ipairs(world:audit().findings) do
    local one, two = finding.objects[1], finding.objects[2]
    if (one == self.name or one == self.body.name) and (two == self.name or two == self.body.name) then
      any, corners = true, corners or cloth:faces()
      for side = 1, 2 do
        local number = finding.objects[side] == self.name and finding.faces[side] or 0
        if finding.kind == "inside" and number > 0 then vertices[number] = true end
        for _, i in ipairs(corners[number] or {}) do vertices[i] = true end
      end
    end
  end
  return any, vertices
end

-- Stitches between the vertices of the clusters that are apart.
local function stitch_apart(self, world, cloth, apart, clusters)
  local a, b, done = {}, {}, {}
  for _, s in ipairs(self.pattern.stitches) do
    for _, pair in ipairs(s.pairs) do
      local p, q = self.map[s.a.panel.name][pair[1]], self.map[s.b.panel.name][pair[2]]
      local key = muslin.min(p, q) .. " " .. muslin.max(p, q)
      if p ~= q and apart[clusters[s.a.panel.name][pair[1]]] and not done[key] then
        a[#a + 1], b[#b + 1], done[key] = p, q, true
      end
    end
  end
  if a[1] then
    self.seams = { world:stitch { a = { cloth, a }, b = { cloth, b }, closing_time = 0.2, width = APART, stiffness = self.stiffness } }
  end
  self.apart = #a
end

-- The fold lines of the panels, of the cloth that they have become.
local function crease(self, cloth, map)
  for _, panel in ipairs(self.pattern.panels) do
    for _, fold in ipairs(panel.folds) do
      local line = {}
      for k, i in ipairs(fold.vertices) do line[k] = map[panel.name][i] end
      if fold.angle ~= 0 then cloth:crease(line, fold.angle) end
    end
  end
end

-- Replaces the panels by one cloth. Vertices that are sewn become one, at their mean place, unless something would intersect
-- there: those stay apart and keep their stitches. False, with the panels unchanged, if nothing helps.
local function become_one(self, world)
  local clusters, apart = find_clusters(self.pattern), {}
  local function places(panel) return self.panels[panel.name].x end
  for _ = 1, 30 do
    local map, count, cluster_of = number_vertices(self.pattern, clusters, apart)
    local cloth = world:cloth { name = self.name, mesh = join(self.pattern, map, count, places), rest = "uv",
      material = self.material:with { viscous_damping = 4 }, thickness = self.thickness, friction = self.friction,
      maps = { shrinkage = shrinkage_of(self.elastic, map, count) } }
    local any, vertices = find_tangled(self, world, cloth)
    if not any then
      for _, panel in ipairs(self.pattern.panels) do world:remove(self.panels[panel.name]) end -- their seams go with them
      self.cloth, self.panels, self.seams, self.before, self.map, self.count = cloth, {}, {}, cloth.x:copy(), map, count
      crease(self, cloth, map)
      stitch_apart(self, world, cloth, apart, clusters)
      return true
    end
    world:remove(cloth)
    for i in pairs(vertices) do apart[cluster_of[i]] = true end
  end
  return false
end

-- Those between panels that were placed around a limb, which close first, as the others would move them away from it; and the
-- others. All, and none, where no panel was placed.
local function split_stitches(pattern, placed)
  if not placed[1] then return pattern.stitches, {} end
  local group, first, later = {}, {}, {}
  for k, row in ipairs(placed) do
    for _, name in ipairs(row.panels) do group[name] = k end
  end
  for _, s in ipairs(pattern.stitches) do
    local a, b = group[s.a.panel.name], group[s.b.panel.name]
    local list = a and a == b and first or later
    list[#list + 1] = s
  end
  return first, later
end

-- Sews the other stitches.
local function sew_later(self, world)
  local made = self.pattern:sew(world, self.panels, { stitches = self.later, stitch = self.stitch })
  for k, s in ipairs(self.later) do self.seams[#self.seams + 1], self.stitches[#self.stitches + 1] = made[k], s end
  self.later = {}
  self.give_up = self.give_up + self.closing_time
end

local function closed(self)
  for _, seam in ipairs(self.seams) do
    if seam.closing then return false end
  end
  return widest_seam(self) <= self.widest_gap
end

local function share_that_moved(self)
  local lengths, moved = self.before:sub(self.cloth.x):lengths(), 0
  for i = 1, self.cloth.vertex_count do
    if lengths[i] > self.rest_motion then moved = moved + 1 end
  end
  self.before = self.cloth.x:copy()
  return moved / self.cloth.vertex_count
end

local function on_frame(self, world)
  local t = world.time
  if self.phase == "sewing" then
    if closed(self) and self.later[1] then
      sew_later(self, world)
    elseif closed(self) and become_one(self, world) then
      world.gravity = self.gravity
      self.phase, self.checked = "draping", t
    elseif t > self.give_up then
      local gap, k = widest_seam(self)
      if gap <= self.widest_gap then fail("at %.3g s the panels cannot become one cloth that does not intersect itself", t) end
      fail("at %.3g s the seams are still open by up to %.1f mm (%s): is the garment too small there, or is the body between "
        .. "its panels? Try a longer closing_time, or another translation of these panels", t, 1e3 * gap, name_seam(self, k))
    end
  elseif self.phase == "draping" and t >= self.checked + 1 - 1e-9 then
    self.checked, self.moving = t, share_that_moved(self)
    if self.moving < self.rest_share then
      self.phase, self.rest_time = "at rest", t
      if self.stop then world:stop() end
    end
  end
end

local function get_body(world, body)
  if type(body) == "string" then body = muslin.mesh.load(body) end
  local kind = muslin.type(body)
  if kind == "mesh" then return world:obstacle { name = "body", mesh = body } end
  if kind ~= "obstacle" then fail("body must be a path, a mesh or an obstacle (got %s)", show(body)) end
  return body
end

--- muslin.dress(world, {pattern, body, ...}) -> garment
local function dress(world, options)
  support.check_keys(options, "dress", OPTIONS)
  local pattern = options.pattern
  if type(pattern) == "string" then pattern = muslin.pattern.load(pattern, { edge_length = options.edge_length }) end
  if type(pattern) ~= "table" or not pattern.panels then fail("pattern must be a path or a muslin.pattern (got %s)", show(pattern)) end
  local closing_time = positive(options, "closing_time", 1.5)
  if options.placing ~= nil and type(options.placing) ~= "boolean" then
    fail("placing must be true or false (got %s)", show(options.placing))
  end
  -- Until the seams are closed, drag outweighs inertia, and nothing rubs: panels come to each other straight, and slide into place.
  local self = setmetatable({
    pattern = pattern, name = options.name or "garment", phase = "sewing", checked = 0, apart = 0, moving = 1,
    material = muslin.material(options.material or "jersey"):with { viscous_damping = 20 },
    thickness = options.thickness, friction = options.friction, elastic = read_elastic(pattern, options.elastic),
    gravity = options.gravity or world.gravity, closing_time = closing_time, give_up = world.time + 3 * closing_time + 2,
    widest_gap = 0.002, rest_share = positive(options, "rest_share", 0.015), rest_motion = positive(options, "rest_motion", 3e-4),
    stop = options.stop ~= false,
  }, Garment)
  local constants = self.material:totable()
  self.stiffness = 40 * (constants.stretch or constants.stretch_warp or 500) -- of stitches, N/m
  self.body = get_body(world, options.body)
  self.placed = options.placing ~= false and pattern:place(self.body) or {}
  self.stitches, self.later = split_stitches(pattern, self.placed)
  self.stitch = { closing_time = closing_time, width = WIDTH, stiffness = self.stiffness }
  local made = pattern:add(world, { name = options.name, stitches = self.stitches, stitch = self.stitch,
    cloth = { material = self.material, thickness = self.thickness, friction = 0 } })
  self.panels, self.seams = made.cloths, made.seams
  world.gravity = { 0, 0, 0 }
  world:on("frame", function(w) on_frame(self, w) end, "dress")
  return self
end

return dress
