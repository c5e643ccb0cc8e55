-- dress.lua: dresses a body: sews the panels of a pattern around it, drapes the garment and waits until it is at rest.
--
-- Without gravity the seams close; then the panels become one cloth, whose rest shape is the flat pattern. A garment over another
-- one is sewn around it then. Gravity acts once all are sewn. A garment is at rest when few vertices move: under 1.5 % by more than
-- 0.3 mm in a second, by default.
local muslin = require "muslin"
local support = require "muslin.support"
local sewn = require "muslin.sewn_mesh"

local Garment = {}
Garment.__index = Garment

local function fail(text, ...) support.fail("dress: " .. text:format(...)) end

local function show(value) return type(value) == "string" and "'" .. value .. "'" or tostring(value) end

local OPTIONS = { "pattern", "body", "name", "edge_length", "material", "thickness", "friction", "closing_time",
  "elastic", "attach", "attach_time", "over", "placing", "gravity", "rest_share", "rest_motion", "stop" }

local WIDTH, APART = 3e-4, 1e-3 -- m, of stitches; of those where contacts keep sewn vertices apart, which are slack below

local function positive(options, name, default)
  local value = options[name]
  if value == nil then return default end
  if type(value) ~= "number" or not (value > 0) or value == math.huge then fail("%s must be > 0 (got %s)", name, show(value)) end
  return value
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

-- ---- Edges attached to the body ----------------------------------------------------------------------------------------

-- The labels of edges by which patterns of GarmentCode tell where a garment stays on the body.
local LABELS = { "lower_interface", "strapless_top", "left_collar", "right_collar" }

-- Whether each edge stays where it is on the body: by its label, in a list of labels, or `true` for those of GarmentCode.
local function read_attach(pattern, attach)
  if not attach then return nil end
  local wanted, known = attach == true and LABELS or attach, {}
  if type(wanted) ~= "table" or not wanted[1] then fail("attach must be true or a list of labels of edges (got %s)", show(attach)) end
  for _, panel in ipairs(pattern.panels) do
    for _, edge in ipairs(panel.edges) do
      if edge.label then known[edge.label] = true end
    end
  end
  local labels, any = {}, false
  for _, label in ipairs(wanted) do
    if type(label) ~= "string" then fail("attach: a label must be a string (got %s)", show(label)) end
    labels[label], any = true, any or known[label]
    if attach ~= true and not known[label] then
      local names = {}
      for name in pairs(known) do names[#names + 1] = show(name) end
      table.sort(names)
      fail("attach: the pattern has no edge with the label '%s' (%s)", label,
        names[1] and "its labels: " .. table.concat(names, ", ") or "none of its edges has a label")
    end
  end
  return any and labels or nil
end

local SAG = 1e-3 -- m, by which the weight of the garment stretches the springs of its attached edges

-- Pulls the vertices of edges with these labels to where they are on the body, softly.
local function attach_edges(self)
  local chosen, vertices = {}, {}
  for _, panel in ipairs(self.pattern.panels) do
    for _, edge in ipairs(panel.edges) do
      for _, i in ipairs(self.attach[edge.label] and edge.vertices or {}) do
        local k = self.map[panel.name][i]
        if not chosen[k] then vertices[#vertices + 1], chosen[k] = k, true end
      end
    end
  end
  local mass = self.cloth.m:sum()
  local stiffness = mass * 9.81 / (SAG * #vertices)
  local damping = 2 * math.sqrt(stiffness * mass / self.cloth.vertex_count)
  self.cloth:pull { vertices = vertices, to = self.body, stiffness = stiffness, damping = damping }
  self.attached = vertices
end

-- ---- Garments --------------------------------------------------------------------------------------------------------

--- The mesh of the whole garment: "sewn", with the panels where they start; or as it is now. Both have the same faces.
function Garment:mesh(state)
  if state ~= nil and state ~= "sewn" then fail("garment:mesh(state): state must be \"sewn\" or nothing (got %s)", show(state)) end
  local map, count = self.map, self.count
  if not map then map, count = sewn.number_vertices(self.pattern, sewn.find_clusters(self.pattern), {}) end
  local function places(panel) return panel.mesh.x end
  if state == nil and not self.cloth and self.phase ~= "waiting" then places = function(panel) return self.panels[panel.name].x end end
  local mesh = sewn.join(self.pattern, map, count, places)
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

-- Whether the cloth intersects itself, the body or another garment, and which of its vertices do.
local function find_tangled(self, world, cloth)
  local vertices, any, corners, own = {}, false, nil, {}
  for _, panel in pairs(self.panels) do own[panel.name] = true end -- they are where the cloth is
  for _, finding in ipairs(world:audit().findings) do
    local one, two = finding.objects[1], finding.objects[2]
    if (one == self.name or two == self.name) and not own[one] and not own[two] then
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
  local clusters, apart = sewn.find_clusters(self.pattern), {}
  local function places(panel) return self.panels[panel.name].x end
  for _ = 1, 30 do
    local map, count, cluster_of = sewn.number_vertices(self.pattern, clusters, apart)
    local cloth = world:cloth { name = self.name, mesh = sewn.join(self.pattern, map, count, places), rest = "uv",
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

-- The garments of each world, in order of their making.
local garments = setmetatable({}, { __mode = "k" })

local function all_are(world, ...)
  local phases = {}
  for _, phase in ipairs { ... } do phases[phase] = true end
  for _, garment in ipairs(garments[world]) do
    if not phases[garment.phase] then return false end
  end
  return true
end

local function start_draping(world)
  for _, garment in ipairs(garments[world]) do
    if garment.phase == "sewn" then
      world.gravity = garment.gravity
      garment.phase, garment.checked, garment.before = "draping", world.time, garment.cloth.x:copy()
      garment.release_time = world.time + garment.attach_time
      if garment.attach then attach_edges(garment) end
    end
  end
end

-- The direction out of the body of a panel: its front faces that way.
local function normal_of(panel)
  local x, face = panel.mesh.x, panel.mesh:faces()[1]
  return (x[face[2]] - x[face[1]]):cross(x[face[3]] - x[face[1]]):normalized()
end

local function panels_intersect(self, world)
  local names = {}
  for _, panel in pairs(self.panels) do names[panel.name] = true end
  for _, finding in ipairs(world:audit().findings) do
    if names[finding.objects[1]] or names[finding.objects[2]] then return true end
  end
  return false
end

local FARTHEST, STEP = 0.3, 0.02 -- m, that panels are moved away from the body to clear the garments below

-- Adds the panels and the seams that close first. Over other garments, panels are moved away from the body until they are clear.
local function add_panels(self, world)
  local moved = 0
  while true do
    local made = self.pattern:add(world, { name = self.prefix, stitches = {},
      cloth = { material = self.material, thickness = self.thickness, friction = 0 } })
    self.panels = made.cloths
    if not self.over or not panels_intersect(self, world) then break end
    for _, panel in pairs(self.panels) do world:remove(panel) end
    moved = moved + STEP
    if moved > FARTHEST then
      fail("the panels of '%s' intersect '%s', also %.2g m farther from the body", self.name, self.over.name, FARTHEST)
    end
    for _, panel in ipairs(self.pattern.panels) do panel.mesh:transform { position = STEP * normal_of(panel) } end
  end
  for _, panel in pairs(self.panels) do
    local below = self.over
    while below do
      world:between({ below.name, panel.name }, { friction = 0 })
      below = below.over
    end
  end
  self.moved_out = moved
  self.seams = self.pattern:sew(world, self.panels, { stitches = self.stitches, stitch = self.stitch })
  self.phase, self.give_up = "sewing", world.time + 3 * self.closing_time + 2
end

local function on_frame(self, world)
  local t = world.time
  if self.phase == "waiting" then
    if self.over.cloth then add_panels(self, world) end
  elseif self.phase == "sewing" then
    if closed(self) and self.later[1] then
      sew_later(self, world)
    elseif closed(self) and become_one(self, world) then
      self.phase = "sewn"
      if all_are(world, "sewn", "draping", "at rest") then start_draping(world) end
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
      if self.stop and all_are(world, "at rest") then world:stop() end
    end
  end
  if self.attached and t >= self.release_time then
    self.cloth:unpin { vertices = self.attached }
    self.attached = nil
  end
end

local function get_body(world, body)
  if type(body) == "string" then body = muslin.mesh.load(body) end
  local kind = muslin.type(body)
  if kind == "mesh" then return world:obstacle { name = "body", mesh = body } end
  if kind ~= "obstacle" then fail("body must be a path, a mesh or an obstacle (got %s)", show(body)) end
  return body
end

local function default_name(world)
  local count = #(garments[world] or {})
  return count == 0 and "garment" or ("garment%d"):format(count + 1)
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
  local over = options.over
  if over ~= nil and getmetatable(over) ~= Garment then fail("over must be a garment of muslin.dress (got %s)", show(over)) end
  -- Until the seams are closed, drag outweighs inertia, and nothing rubs: panels come to each other straight, and slide into place.
  local self = setmetatable({
    pattern = pattern, name = options.name or default_name(world), phase = "sewing", checked = 0, apart = 0, moving = 1,
    material = muslin.material(options.material or "jersey"):with { viscous_damping = 20 },
    thickness = options.thickness, friction = options.friction, elastic = read_elastic(pattern, options.elastic),
    attach = read_attach(pattern, options.attach), attach_time = positive(options, "attach_time", math.huge),
    prefix = options.name, over = options.over, panels = {}, seams = {}, moved_out = 0,
    gravity = options.gravity or (over and over.gravity) or world.gravity, closing_time = closing_time,
    widest_gap = 0.002, rest_share = positive(options, "rest_share", 0.015), rest_motion = positive(options, "rest_motion", 3e-4),
    stop = options.stop ~= false,
  }, Garment)
  if world:find(self.name) then fail("name: there is already a %s in the world", show(self.name)) end
  local constants = self.material:totable()
  self.stiffness = 40 * (constants.stretch or constants.stretch_warp or 500) -- of stitches, N/m
  self.body = get_body(world, options.body)
  self.placed = options.placing ~= false and pattern:place(self.body) or {}
  self.stitches, self.later = split_stitches(pattern, self.placed)
  self.stitch = { closing_time = closing_time, width = WIDTH, stiffness = self.stiffness }
  garments[world] = garments[world] or {}
  table.insert(garments[world], self)
  if over then self.phase = "waiting" else add_panels(self, world) end
  world.gravity = { 0, 0, 0 }
  world:on("frame", function(w) on_frame(self, w) end, over and "dress " .. self.name or "dress")
  return self
end

return dress
