-- placing.lua: moves panels of a pattern so that what they are to enclose lies between them.
--
-- A pattern places its panels for one body in one pose. On another, an arm may lie above its sleeve: the seam between the sleeve's
-- two panels would have to pass through the arm. Panels that face each other and are sewn to each other at two or more edges
-- enclose something. The largest group of them, the trunk, stays; others, for limbs, are moved and rotated within their plane to the
-- place of least cost, found by search, if it is clearly better than where they are.
local muslin = require "muslin"

-- ---- Panels that enclose something -----------------------------------------------------------------------------------

local PARALLEL, APART, SHARED = 0.866, 0.03, 0.5 -- |cosine| of normals, m between planes, part of the smaller panel's extent
local SAME_WAY = 0.966 -- |cosine| between the panels' own x axes

-- Center, normal and two axes of the plane of a panel where it is placed, its own x axis, and its area.
local function plane_of(panel)
  local x, flat, normal = panel.mesh.x, panel.flat, muslin.vec3(0, 0, 0)
  for _, face in ipairs(panel.mesh:faces()) do
    local a = x[face[1]]
    normal = normal + (x[face[2]] - a):cross(x[face[3]] - a)
  end
  local area = 0.5 * normal:length()
  normal = normal:normalized()
  local helper = muslin.abs(normal.y) < 0.9 and muslin.vec3(0, 1, 0) or muslin.vec3(1, 0, 0)
  local u, center, middle = helper:cross(normal):normalized(), x:mean(), flat:mean()
  local xy, yy, by_x, by_y = 0, 0, muslin.vec3(0, 0, 0), muslin.vec3(0, 0, 0) -- least squares of x by the flat pattern
  for i = 1, #x do
    local d, at = flat[i] - middle, x[i] - center
    xy, yy, by_x, by_y = xy + d.x * d.y, yy + d.y * d.y, by_x + d.x * at, by_y + d.y * at
  end
  local own = yy * by_x - xy * by_y
  return { center = center, normal = normal, u = u, v = normal:cross(u), own = own:normalized(), area = area }
end

local function extent(panel, axis)
  local along = muslin.array(#panel.mesh.x, 3):fill(axis):dot(panel.mesh.x)
  return along:min(), along:max()
end

local function distance_between(a, b) return muslin.abs((b.center - a.center):dot(a.normal)) end

-- Whether two panels lie over each other in parallel planes.
local function face_each_other(p, q)
  local a, b = p.plane, q.plane
  if muslin.abs(a.normal:dot(b.normal)) < PARALLEL or distance_between(a, b) < APART then return false end
  for _, axis in ipairs { a.u, a.v } do
    local low, high = extent(p.panel, axis)
    local low2, high2 = extent(q.panel, axis)
    if muslin.min(high, high2) - muslin.max(low, low2) < SHARED * muslin.min(high - low, high2 - low2) then return false end
  end
  return true
end

-- Whether two panels lie beside each other in one plane, neither rotated within it.
local function lie_side_by_side(p, q)
  local a, b = p.plane, q.plane
  return muslin.abs(a.normal:dot(b.normal)) >= PARALLEL and distance_between(a, b) < APART and muslin.abs(a.own:dot(b.own)) >= SAME_WAY
end

-- Groups {panels, has, pairs, plane, area} that enclose something; the trunk comes first.
local function find_groups(pattern)
  local nodes, of = {}, {}
  for k, panel in ipairs(pattern.panels) do
    nodes[k] = { panel = panel, plane = plane_of(panel), parent = k, number = k, seams = {} }
    of[panel] = nodes[k]
  end
  for _, s in ipairs(pattern.stitches) do
    local p, q = of[s.a.panel], of[s.b.panel]
    p.seams[q] = (p.seams[q] or 0) + 1
    if p ~= q then q.seams[p] = p.seams[q] end
  end
  local function root(k)
    while nodes[k].parent ~= k do k = nodes[k].parent end
    return k
  end
  local function join(p, q)
    local a, b = root(p.number), root(q.number)
    nodes[muslin.max(a, b)].parent = muslin.min(a, b)
  end
  local pairs_found = {}
  for k, p in ipairs(nodes) do
    for j = k + 1, #nodes do
      local q = nodes[j]
      if (p.seams[q] or 0) >= 2 and face_each_other(p, q) then
        pairs_found[#pairs_found + 1] = { p, q }
        p.encloses, q.encloses = true, true
        join(p, q)
      end
    end
  end
  for k, p in ipairs(nodes) do
    for j = k + 1, #nodes do
      local q = nodes[j]
      if p.seams[q] and p.encloses and q.encloses and lie_side_by_side(p, q) then join(p, q) end
    end
  end
  local groups, by_root, trunk = {}, {}, 1
  for k, p in ipairs(nodes) do
    local r = root(k)
    if p.encloses and not by_root[r] then
      by_root[r] = { panels = {}, has = {}, pairs = {}, plane = p.plane, area = 0 }
      groups[#groups + 1] = by_root[r]
    end
    local group = by_root[r]
    if p.encloses then
      group.panels[#group.panels + 1], group.has[p.panel], group.area = p.panel, true, group.area + p.plane.area
    end
  end
  for _, pair in ipairs(pairs_found) do
    local group = by_root[root(pair[1].number)]
    group.pairs[#group.pairs + 1] = pair
  end
  for k, group in ipairs(groups) do
    if group.area > groups[trunk].area then trunk = k end
  end
  if groups[1] then table.insert(groups, 1, table.remove(groups, trunk)) end
  return groups
end

-- ---- Lines between panels --------------------------------------------------------------------------------------------

local SEAM_LINES, INNER_LINES = 12, 60 -- at most, of a stitch and of two panels

local function line_array(list)
  local out = muslin.array(muslin.max(1, #list), 3)
  for k, p in ipairs(list) do out[k] = p end
  return out
end

-- Lines from ends that move with the group to ends that do (`inner`, the seams; `across`, through panels) or stay (`outer`).
local function find_lines(pattern, group)
  local inner, across, outer = { {}, {} }, { {}, {} }, { {}, {} }
  local function add(lines, p, q) lines[1][#lines[1] + 1], lines[2][#lines[2] + 1] = p, q end
  for _, s in ipairs(pattern.stitches) do
    local p, q = s.a.panel, s.b.panel
    local step = muslin.max(1, math.ceil(#s.pairs / SEAM_LINES))
    for k = 1, #s.pairs, step do
      local a, b = p.mesh.x[s.pairs[k][1]], q.mesh.x[s.pairs[k][2]]
      if group.has[p] and group.has[q] then
        if p ~= q then add(inner, a, b) end
      elseif group.has[p] then add(outer, a, b)
      elseif group.has[q] then add(outer, b, a) end
    end
  end
  for _, pair in ipairs(group.pairs) do
    local mesh, normal = pair[1].panel.mesh, pair[1].plane.normal
    local to = (pair[2].panel.mesh.x:mean() - mesh.x:mean()):dot(normal) * normal
    for i = 1, mesh.vertex_count, muslin.max(1, math.ceil(mesh.vertex_count / INNER_LINES)) do add(across, mesh.x[i], mesh.x[i] + to) end
  end
  return inner, across, outer
end

-- ---- Search ----------------------------------------------------------------------------------------------------------

-- How many places are tested at once. Costs: parts of lines that cross the body or miss it, distances in sizes of the group, rad.
local BATCH = 512
local COST = { inner = 4, outer = 2, miss = 1.5, center = 1, distance = 0.5, rotation = 0.2 }

local function rotation_about(axis, angle)
  local c, s = muslin.cos(angle), muslin.sin(angle)
  local x, y, z, d = axis.x, axis.y, axis.z, 1 - c
  return { c + d * x * x, d * x * y - s * z, d * x * z + s * y, d * x * y + s * z, c + d * y * y, d * y * z - s * x,
    d * x * z - s * y, d * y * z + s * x, c + d * z * z }
end

-- The rigid motion of a group as 12 numbers: rotation by `angle` about the normal through the center, then a translation.
local function motion_of(group, place)
  local r, plane = rotation_about(group.plane.normal, place.angle), group.plane
  local c = group.center
  local to = c + place.u * plane.u + place.v * plane.v
  local b = to - muslin.vec3(r[1] * c.x + r[2] * c.y + r[3] * c.z, r[4] * c.x + r[5] * c.y + r[6] * c.z,
    r[7] * c.x + r[8] * c.y + r[9] * c.z)
  return { r[1], r[2], r[3], b.x, r[4], r[5], r[6], b.y, r[7], r[8], r[9], b.z }
end

local function make_search(pattern, group, body)
  local inner, across, outer = find_lines(pattern, group)
  local counts = { #inner[1], #across[1], #outer[1] }
  local moving, ends, fixed = {}, {}, {}
  for _, lines in ipairs { inner, across } do
    for k, p in ipairs(lines[1]) do
      moving[#moving + 1], ends[#ends + 1] = p, lines[2][k]
    end
  end
  for k, p in ipairs(outer[1]) do
    moving[#moving + 1], fixed[k] = p, outer[2][k]
  end
  local search = { group = group, body = body, counts = counts, total = #moving, from = line_array(moving), to = line_array(ends),
    fixed = line_array(fixed) }
  local middle = muslin.vec3(0, 0, 0)
  for _, p in ipairs(across[1]) do middle = middle + (1 / counts[2]) * p end
  local size2 = 0
  for _, p in ipairs(across[1]) do size2 = size2 + (p - middle):length2() / counts[2] end
  search.middle, search.size = middle, muslin.sqrt(size2)
  return search
end

-- The cost of each place of a list, at most BATCH of them.
local function measure(search, places)
  local n, counts = search.total, search.counts
  local from, to = muslin.array(n * #places, 3), muslin.array(n * #places, 3)
  local both = counts[1] + counts[2]
  for k, place in ipairs(places) do
    local motion, base = motion_of(search.group, place), (k - 1) * n
    from:slice(base + 1, base + n):fill(search.from):transform(motion)
    if both > 0 then to:slice(base + 1, base + both):fill(search.to):transform(motion) end
    if n > both then to:slice(base + both + 1, base + n):fill(search.fixed) end
  end
  local fractions = search.body:raycast(from, to)
  for k, place in ipairs(places) do
    local base, crossed, crossed_outer, hit, far = (k - 1) * n, 0, 0, 0, 0
    local center = muslin.vec3(0, 0, 0)
    for i = 1, counts[1] do
      if fractions[base + i] <= 1 then crossed = crossed + 1 end
    end
    for i = counts[1] + 1, both do
      if fractions[base + i] <= 1 then hit, center = hit + 1, center + search.from[i] end
    end
    for i = both + 1, n do
      if fractions[base + i] <= 1 then crossed_outer = crossed_outer + 1 end
      far = far + (from[base + i] - to[base + i]):length()
    end
    place.inner = COST.inner * crossed / counts[1] + COST.miss * (1 - hit / counts[2])
    local cost = place.inner + COST.center * (hit > 0 and ((1 / hit) * center - search.middle):length() / search.size or 1)
    if counts[3] > 0 then
      cost = cost + COST.outer * crossed_outer / counts[3] + COST.distance * far / counts[3] / search.size
    end
    place.cost = cost + COST.rotation * muslin.abs(place.angle)
  end
end

local ANGLES, ANGLE, STEPS, STEP = 4, math.rad(15), 8, 0.05 -- of the first round: +-60 degrees, +-0.4 m; later ones go little further
local BETTER = 0.4 -- less cost of lines that cross the body or miss it

local function best_place(search)
  local candidates, batch = {}, {}
  local function flush()
    if batch[1] then measure(search, batch) end
    for _, place in ipairs(batch) do candidates[#candidates + 1] = place end
    batch = {}
  end
  for a = -ANGLES, ANGLES do
    for i = -STEPS, STEPS do
      for j = -STEPS, STEPS do
        batch[#batch + 1] = { angle = a * ANGLE, u = i * STEP, v = j * STEP }
        if #batch == BATCH then flush() end
      end
    end
  end
  flush()
  table.sort(candidates, function(p, q)
    if p.cost ~= q.cost then return p.cost < q.cost end
    return muslin.abs(p.u) + muslin.abs(p.v) + muslin.abs(p.angle) < muslin.abs(q.u) + muslin.abs(q.v) + muslin.abs(q.angle)
  end)
  local best = candidates[1]
  local angle, step = ANGLE / 2, STEP / 2
  while step > 0.002 do
    local near = {}
    for _, d in ipairs { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } } do
      near[#near + 1] = { angle = best.angle + d[1] * angle, u = best.u + d[2] * step, v = best.v + d[3] * step }
    end
    measure(search, near)
    local better = best
    for _, place in ipairs(near) do
      if place.cost < better.cost then better = place end
    end
    if better == best then angle, step = angle / 2, step / 2 end
    best = better
  end
  return best
end

-- ---- Away from the body ----------------------------------------------------------------------------------------------

-- Whether an edge of the panel meets the body.
local function meets_body(panel, body)
  local x, from, to, seen = panel.mesh.x, {}, {}, {}
  for _, face in ipairs(panel.mesh:faces()) do
    for k = 1, 3 do
      local i, j = face[k], face[k % 3 + 1]
      local key = muslin.min(i, j) * 0x100000000 + muslin.max(i, j)
      if not seen[key] then
        seen[key] = true
        from[#from + 1], to[#to + 1] = x[i], x[j]
      end
    end
  end
  return body:raycast(line_array(from), line_array(to)):min() <= 1
end

local AWAY = 0.01 -- m, a step

-- Moves a panel along the normal of its group, away from the other panels, until it does not meet the body; no further than 0.3 m.
local function move_away(group, panel, body)
  local normal, x = group.plane.normal, panel.mesh.x
  local step = ((x:mean() - group.center):dot(normal) >= 0 and AWAY or -AWAY) * normal
  for _ = 1, 30 do
    if not meets_body(panel, body) then return end
    x:add(step)
  end
end

-- The group's best place, if it is clearly better than where it is.
local function find_better(pattern, group, body)
  group.center = muslin.vec3(0, 0, 0)
  for _, panel in ipairs(group.panels) do group.center = group.center + (1 / #group.panels) * panel.mesh.x:mean() end
  local search, now = make_search(pattern, group, body), { angle = 0, u = 0, v = 0 }
  if search.counts[1] == 0 then return nil end
  measure(search, { now })
  local best = best_place(search)
  if now.inner - best.inner >= BETTER then return best end
end

--- place(pattern, body): moves panels of the pattern to where they enclose the limbs of the body, a mesh, that they are for. Returns
--- rows {panels, distance, angle}: a list of panels, m, rad.
local function place(pattern, body)
  local moved = {}
  for k, group in ipairs(find_groups(pattern)) do
    local best = k > 1 and find_better(pattern, group, body)
    if best then
      local motion = motion_of(group, best)
      for _, panel in ipairs(group.panels) do
        panel.mesh.x:transform(motion)
        move_away(group, panel, body)
      end
      moved[#moved + 1] = { panels = group.panels, distance = muslin.sqrt(best.u ^ 2 + best.v ^ 2), angle = best.angle }
    end
  end
  return moved
end

return place
