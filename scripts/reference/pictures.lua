-- pictures.lua: pictures of the reference's page: { [name] = function(muslin) -> SVG }. Meshes are drawn from the generators
-- themselves, so that a picture cannot differ from what they make.

-- From the right, above: the directions of the picture's right, up and toward the eye in the world.
local RIGHT, UP, EYE = { 0.83, 0, -0.56 }, { -0.23, 0.91, -0.34 }, { 0.51, 0.41, 0.75 }

local function along(p, axis) return p[1] * axis[1] + p[2] * axis[2] + p[3] * axis[3] end

local function svg(width, height, text)
  return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" fill="none" stroke="currentColor" '
    .. 'font-family="ui-monospace, monospace" font-size="11">\n%s\n</svg>'):format(width, height, width, height, text)
end

-- The edges of a mesh, those behind it faint; the numbers of its vertices on request.
local function draw_mesh(mesh, numbers)
  local flat, count = {}, mesh.vertex_count
  local low, high = { math.huge, math.huge }, { -math.huge, -math.huge }
  for i = 1, count do
    local p = mesh.x[i]
    flat[i] = { along(p, RIGHT), -along(p, UP) }
    for k = 1, 2 do low[k], high[k] = math.min(low[k], flat[i][k]), math.max(high[k], flat[i][k]) end
  end
  local MARGIN, SIZE = 14, 190
  local scale = SIZE / math.max(high[1] - low[1], high[2] - low[2])
  for i = 1, count do
    for k = 1, 2 do flat[i][k] = MARGIN + scale * (flat[i][k] - low[k]) end
  end
  -- An edge is in front when one of its faces looks toward the eye, or when the mesh is open there.
  local front, sides = {}, {}
  for _, face in ipairs(mesh:faces()) do
    local a, b, c = mesh.x[face[1]], mesh.x[face[2]], mesh.x[face[3]]
    local seen = along((b - a):cross(c - a), EYE) > 0
    for k = 1, 3 do
      local i, j = face[k], face[k % 3 + 1]
      local key = math.min(i, j) * (count + 1) + math.max(i, j)
      front[key] = front[key] or seen
      sides[key] = (sides[key] or 0) + 1
    end
  end
  local lines = { {}, {} }
  for key, seen in pairs(front) do
    local p, q = flat[key // (count + 1)], flat[key % (count + 1)]
    local list = (seen or sides[key] == 1) and lines[1] or lines[2]
    list[#list + 1] = ("M%.1f %.1fL%.1f %.1f"):format(p[1], p[2], q[1], q[2])
  end
  table.sort(lines[1])
  table.sort(lines[2])
  local text = {
    ('<path stroke-opacity="0.15" d="%s"/>'):format(table.concat(lines[2])),
    ('<path d="%s"/>'):format(table.concat(lines[1])),
  }
  for i = 1, numbers and count or 0 do
    text[#text + 1] = ('<text x="%.1f" y="%.1f" fill="currentColor" stroke="none">%d</text>'):format(flat[i][1] + 3, flat[i][2] - 3, i)
  end
  local width, height = 2 * MARGIN + scale * (high[1] - low[1]), 2 * MARGIN + scale * (high[2] - low[2])
  return svg(math.ceil(width) + 12, math.ceil(height), table.concat(text, "\n"))
end

-- Boxes in a row, with arrows between them.
local function draw_order(rows)
  local WIDTH, HEIGHT, GAP = 96, 24, 18
  local text, most = {}, 0
  for r, row in ipairs(rows) do
    local y = 8 + (r - 1) * (HEIGHT + 22)
    for k, word in ipairs(row) do
      local x = 8 + (k - 1) * (WIDTH + GAP)
      most = math.max(most, x + WIDTH)
      local hook = word:sub(1, 1) == "*"
      text[#text + 1] = ('<rect x="%d" y="%d" width="%d" height="%d" rx="4"%s/>'):format(x, y, WIDTH, HEIGHT,
        hook and ' stroke-width="2"' or ' stroke-opacity="0.35"')
      text[#text + 1] = ('<text x="%d" y="%d" text-anchor="middle" fill="currentColor" stroke="none">%s</text>'):format(
        x + WIDTH // 2, y + 16, word:gsub("^%*", ""))
      if k > 1 then text[#text + 1] = ('<path d="M%d %dh%d m-5 -4l5 4l-5 4"/>'):format(x - GAP + 2, y + HEIGHT // 2, GAP - 5) end
    end
  end
  return svg(most + 8, 16 + #rows * (HEIGHT + 22) - 22, table.concat(text, "\n"))
end

return {
  ["muslin.mesh.grid"] = function(muslin) return draw_mesh(muslin.mesh.grid { nodes = {5, 4}, size = {1, 0.75} }, true) end,
  ["muslin.mesh.strip"] = function(muslin) return draw_mesh(muslin.mesh.strip { nodes = {4, 10}, size = {0.3, 0.9} }) end,
  ["muslin.mesh.disc"] = function(muslin) return draw_mesh(muslin.mesh.disc { radius = 0.5, rings = 6 }) end,
  ["muslin.mesh.sphere"] = function(muslin) return draw_mesh(muslin.mesh.sphere { radius = 0.5, subdivisions = 2 }) end,
  ["muslin.mesh.icosahedron"] = function(muslin) return draw_mesh(muslin.mesh.icosahedron { radius = 0.5 }) end,
  ["muslin.mesh.box"] = function(muslin) return draw_mesh(muslin.mesh.box { size = {1, 0.6, 0.8} }) end,
  ["muslin.mesh.capsule"] = function(muslin)
    return draw_mesh(muslin.mesh.capsule { radius = 0.2, length = 0.5, segments = 16, rings = 4 })
  end,
  ["muslin.mesh.cylinder"] = function(muslin) return draw_mesh(muslin.mesh.cylinder { radius = 0.25, length = 0.6, segments = 24 }) end,
  ["muslin.mesh.tube"] = function(muslin) return draw_mesh(muslin.mesh.tube { radius = 0.2, length = 0.6, segments = 24 }) end,
  ["muslin.mesh.cone"] = function(muslin)
    return draw_mesh(muslin.mesh.cone { radius = 0.4, top_radius = 0.15, length = 0.6, segments = 24, caps = false })
  end,
  ["muslin.mesh.torus"] = function(muslin) return draw_mesh(muslin.mesh.torus { radius = 0.4, tube_radius = 0.1, segments = 40 }) end,
  ["muslin.mesh.annulus"] = function(muslin) return draw_mesh(muslin.mesh.annulus { radius = 0.5, inner_radius = 0.2, segments = 40 }) end,
  ["muslin.mesh.polygon"] = function(muslin)
    return draw_mesh(muslin.mesh.polygon { points = {{0, 0}, {0.6, 0}, {0.6, 0.2}, {0.3, 0.5}, {0, 0.3}}, edge_length = 0.06 })
  end,
  ["world:on"] = function() -- thick: hooks, in the order in which a step and a frame call them
    return draw_order { { "obstacles move", "*before_step", "dynamics", "*candidate", "detection", "*contacts", "response", "*after_step" },
      { "steps of a frame", "*frame", "...", "*done" } }
  end,
}
