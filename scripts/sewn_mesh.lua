-- sewn_mesh.lua: the panels of a pattern as one mesh, in which sewn vertices are one.
local muslin = require "muslin"

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

return { find_clusters = find_clusters, number_vertices = number_vertices, join = join }
