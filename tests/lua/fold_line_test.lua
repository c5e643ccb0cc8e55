-- fold_line_test.lua: lines within polygons that edges run along, and fold lines of panels.
local muslin = require "muslin"

local function edges_of(mesh)
  local edges = {}
  for _, f in ipairs(mesh:faces()) do
    for k = 1, 3 do
      local a, b = f[k], f[k % 3 + 1]
      edges[a * 1e6 + b], edges[b * 1e6 + a] = true, true
    end
  end
  return edges
end

local function area_of(mesh)
  local sum, x = 0, mesh.x
  for _, f in ipairs(mesh:faces()) do
    local a, b, c = x[f[1]], x[f[2]], x[f[3]]
    sum = sum + 0.5 * (b - a):cross(c - a).z
  end
  return sum
end

local function least_angle(mesh)
  local least, x = math.pi, mesh.x
  for _, f in ipairs(mesh:faces()) do
    for k = 1, 3 do
      local p, q, r = x[f[k]], x[f[k % 3 + 1]], x[f[(k + 1) % 3 + 1]]
      local u, v = (q - p):normalized(), (r - p):normalized()
      least = muslin.min(least, muslin.acos(muslin.max(-1, muslin.min(1, u:dot(v)))))
    end
  end
  return least
end

local function in_space(line)
  local out = {}
  for i, p in ipairs(line) do out[i] = { p[1], p[2], 0 } end
  return out
end

-- The vertices along a line: from its first to its last point, and an edge from each to the next.
local function expect_line(mesh, line, edges)
  local vertices, x = mesh:polyline(in_space(line), 1e-12), mesh.x
  local first, last = x[vertices[1]], x[vertices[#vertices]]
  expect(first.x):equals(line[1][1])
  expect(first.y):equals(line[1][2])
  expect(last.x):equals(line[#line][1])
  expect(last.y):equals(line[#line][2])
  for k = 1, #vertices - 1 do
    if not edges[vertices[k] * 1e6 + vertices[k + 1]] then error(("no edge from vertex %d to %d"):format(vertices[k], vertices[k + 1])) end
  end
  return vertices
end

local RECTANGLE = { { 0, 0 }, { 0.3, 0 }, { 0.6, 0 }, { 0.6, 0.4 }, { 0.3, 0.4 }, { 0, 0.4 } }

local function sheet(lines, options)
  local def = { points = RECTANGLE, edge_length = 0.02, plane = "xy", lines = lines }
  for key, value in pairs(options or {}) do def[key] = value end
  return muslin.mesh.polygon(def)
end

scenario("edges run along lines across a sheet, within it, and where lines meet", function()
  local lines = { { { 0.3, 0 }, { 0.3, 0.4 } }, { { 0.1, 0.1 }, { 0.2, 0.3 } }, { { 0.4, 0.05 }, { 0.5, 0.2 }, { 0.45, 0.3 } },
    { { 0.45, 0.3 }, { 0.6, 0.4 } } }
  local mesh = sheet(lines)
  mesh:check()
  local edges = edges_of(mesh)
  expect(#expect_line(mesh, lines[1], edges)):equals(21) -- 0.4 m in edges of 2 cm
  for k = 2, #lines do expect_line(mesh, lines[k], edges) end
  expect(area_of(mesh)):near(0.24, 1e-12)
  expect(least_angle(mesh), "least angle, rad"):more_than(math.rad(25))
end)

scenario("without lines a sheet is what it was", function()
  local plain, same = sheet(), sheet {}
  expect(same.x:totable()):equals(plain.x:totable())
  expect(same:faces()):equals(plain:faces())
end)

-- Outlines around the origin, and lines of random points between radii and directions that do not cross.
local function uniform(low, high) return low + (high - low) * math.random() end

local function random_sheet()
  local count, points = math.random(5, 12), {}
  for i = 1, count do
    local angle, radius = 2 * math.pi * i / count, uniform(0.3, 0.5)
    points[i] = { radius * muslin.cos(angle), radius * muslin.sin(angle) }
  end
  local lines = {}
  for i = 1, count do -- from a corner of the outline inward, along its radius, with a bend
    local p = points[i]
    local share = uniform(0.35, 0.9)
    lines[#lines + 1] = { p, { share * p[1], share * p[2] } }
    if uniform(0, 1) < 0.5 then
      local angle = 2 * math.pi * (i + uniform(-0.2, 0.2)) / count
      local radius = share * 0.3 * uniform(0.6, 0.9)
      table.insert(lines[#lines], { radius * muslin.cos(angle), radius * muslin.sin(angle) })
    end
  end
  local mesh = muslin.mesh.polygon { points = points, edge_length = uniform(0.02, 0.06), plane = "xy", lines = lines }
  mesh:check()
  local edges = edges_of(mesh)
  for _, line in ipairs(lines) do expect_line(mesh, line, edges) end
  local wanted = 0
  for i = 1, count do
    local p, q = points[i], points[i % count + 1]
    wanted = wanted + 0.5 * (p[1] * q[2] - p[2] * q[1])
  end
  expect(area_of(mesh)):near(wanted, 1e-12)
end

scenario("random lines in random outlines", function()
  for _ = 1, 60 do random_sheet() end
end)

scenario("lines nearer to each other than an edge are divided further", function()
  local lines = { { { 0.3, 0 }, { 0.3, 0.4 } }, { { 0.304, 0.1 }, { 0.304, 0.3 } } }
  local mesh = sheet(lines)
  mesh:check()
  local edges = edges_of(mesh)
  for _, line in ipairs(lines) do expect_line(mesh, line, edges) end
end)

scenario("lines that meet at small angles", function()
  for _, g in ipairs { 1e-2, 1e-3, 1e-4, 1e-5 } do
    local lines = { { { 0.1, 0.2 }, { 0.4, 0.2 } }, { { 0.1 - g, 0.2 + g / 10 }, { 0.4, 0.2 + g } },
      { { 0.1 - g, 0.2 + g / 10 }, { 0.4, 0.2 } } }
    local mesh = sheet(lines)
    mesh:check()
    expect(area_of(mesh)):near(0.24, 1e-12)
  end
end)

scenario("lines that nearly touch are refused, not meshed without area", function()
  for _, lines in ipairs {
    { { { 0.1, 0.1 }, { 0.1 + 1e-15, 0.1 }, { 0.3, 0.2 } } },
    { { { 0.1, 0.1 }, { 0.5, 0.1 } }, { { 0.1, 0.1 }, { 0.5, 0.1 + 2e-14 } } },
    { { { 0.1, 0.1 }, { 0.5, 0.1 } }, { { 0.1, 0.1 + 2e-17 }, { 0.5, 0.1 + 2e-17 } } },
  } do
    expect(function() sheet(lines) end):raises("nearly touch")
  end
end)

scenario("lines that cannot be are refused with their numbers", function()
  for pattern, lines in pairs {
    ["segment 1 of line 1 crosses or touches side 1 of the outline; a line may meet an outline only at a point of it"] =
      { { { 0.1, 0 }, { 0.1, 0.2 } } },
    ["segment 2 of line 1 crosses or touches side 3"] = { { { 0.1, 0.1 }, { 0.2, 0.2 }, { 0.7, 0.2 } } },
    ["segment 1 of line 1 lies outside"] = { { { 0.7, 0.1 }, { 0.8, 0.1 } } },
    ["segment 1 of line 1 crosses segment 1 of line 2; lines may meet only at points of both"] =
      { { { 0.1, 0.1 }, { 0.3, 0.3 } }, { { 0.1, 0.3 }, { 0.3, 0.1 } } },
    ["segment 1 of line 1 crosses segment 3 of line 1"] = { { { 0.1, 0.1 }, { 0.3, 0.3 }, { 0.3, 0.1 }, { 0.1, 0.3 } } },
    ["segment 1 of line 1 crosses segment 2 of line 1"] = { { { 0.1, 0.1 }, { 0.3, 0.3 }, { 0.2, 0.2 } } },
    ["points 1 and 2 of line 1 are the same place"] = { { { 0.1, 0.1 }, { 0.1, 0.1 } } },
    ["line 2 must have at least 2 points %(got 1%)"] = { { { 0.1, 0.1 }, { 0.2, 0.2 } }, { { 0.3, 0.3 } } },
    ["point 2 of line 1 must be two numbers.*not a number"] = { { { 0.1, 0.1 }, { 0 / 0, 0.2 } } },
    ["field 'lines' must be a list of lines"] = 3,
    ["segment 1 of line 1 crosses or touches side 2"] = { { { 0.3, 0 }, { 0.6, 0 } } },
  } do
    expect(function() sheet(lines) end, pattern):raises(pattern)
  end
  local hole = { { 0.2, 0.1 }, { 0.4, 0.1 }, { 0.4, 0.3 }, { 0.2, 0.3 } }
  expect(function() sheet({ { { 0.25, 0.2 }, { 0.35, 0.2 } } }, { holes = { hole } }) end):raises("segment 1 of line 1 lies outside")
  expect(function() sheet({ { { 0.1, 0.2 }, { 0.25, 0.2 } } }, { holes = { hole } }) end):raises("side %d of a hole")
  expect_line(sheet({ { { 0, 0.4 }, { 0.2, 0.3 } } }, { holes = { hole } }), { { 0, 0.4 }, { 0.2, 0.3 } },
    edges_of(sheet({ { { 0, 0.4 }, { 0.2, 0.3 } } }, { holes = { hole } })))
end)

scenario("a polyline finds vertices in its order, each once", function()
  local grid = muslin.mesh.grid { nodes = { 4, 4 }, size = { 3, 3 }, plane = "xy" }
  local low = grid.x[1]
  local function place(i, j) return { low.x + i, low.y + j, 0 } end
  expect(grid:polyline { place(3, 0), place(0, 0), place(0, 2) }):equals { 4, 3, 2, 1, 5, 9 }
  expect(grid:polyline { place(0.5, 0.5), place(0.5, 1.5) }):equals {}
  expect(#grid:polyline({ place(0.5, 0), place(0.5, 3) }, 0.5)):equals(8)
  expect(function() grid:polyline { place(0, 0) } end):raises("needs at least 2 points %(got 1%)")
  expect(function() grid:polyline({ place(0, 0), place(1, 1) }, -1) end):raises("tolerance must be >= 0 m")
  expect(function() grid:polyline(3) end):raises("a list of points")
end)

-- ---- Panels ----------------------------------------------------------------------------------------------------------

local function panel(folds, clockwise)
  local vertices, edges = { { 0, 0 }, { 60, 0 }, { 60, 40 }, { 0, 40 } }, {}
  if clockwise then vertices = { vertices[1], vertices[4], vertices[3], vertices[2] } end
  for k = 1, 4 do edges[k] = { endpoints = { k, k % 4 + 1 } } end
  return muslin.pattern { units = 0.01, edge_length = 0.02, panels = { p = { vertices = vertices, edges = edges, folds = folds } } }
end

scenario("pleats fold to the angles of a panel's fold lines", function()
  for _, clockwise in ipairs { false, true } do
    local folds = {}
    for k = 1, 4 do folds[k] = { points = { { 12 * k, 0 }, { 12 * k, 40 } }, angle = k % 2 == 1 and 1.5 or -1.5 } end
    local pattern = panel(folds, clockwise)
    local world <close> = muslin.world { gravity = { 0, 0, 0 }, air_density = 0 }
    local material = { preset = "cotton", model = "stvk", bending = 2e-4, viscous_damping = 5 }
    local cloth = pattern:add(world, { cloth = { material = material } }).cloths.p
    for _, fold in ipairs(pattern.panels[1].folds) do
      expect(#fold.vertices):equals(21)
      for k = 1, 20 do
        local _, rest = cloth:angle(fold.vertices[k], fold.vertices[k + 1])
        expect(rest):near(fold.angle, 1e-12)
      end
    end
    world:advance(1)
    for _, fold in ipairs(pattern.panels[1].folds) do
      local angle = cloth:angle(fold.vertices[10], fold.vertices[11])
      expect(angle / fold.angle, "of the angle of the fold"):between(0.8, 1.05)
    end
    local low, high = cloth:bounds()
    expect(high.x - low.x, "m, of 0.6 flat"):between(0.4, 0.56)
    expect(world):penetration_free()
  end
end)

scenario("ends of fold lines move to the outline's points, others stay", function()
  local folds = panel { { points = { { 13.1, 0 }, { 12.9, 39.5 } } }, { points = { { 20, 10 }, { 30, 12 }, { 30, 30 } }, angle = 1 } }
    .panels[1].folds
  local function expect_point(p, x, y)
    expect(p[1]):near(x, 1e-12)
    expect(p[2]):near(y, 1e-12)
  end
  expect_point(folds[1].points[1], 0.14, 0)
  expect_point(folds[1].points[2], 0.12, 0.4)
  expect(folds[1].angle):equals(0)
  expect_point(folds[2].points[1], 0.2, 0.1)
  expect_point(folds[2].points[3], 0.3, 0.3)
  expect(#folds[2].vertices):equals(1 + 5 + 9) -- 10.2 and 18 cm
  local _, drawn = panel({ { points = { { 10, 10 }, { 20, 20 } } } }):svg():gsub('class="fold"', "")
  expect(drawn, "folds in the drawing"):equals(1)
end)

scenario("a fold line may be closed, and may come back to a point", function()
  for count, points in pairs {
    [40] = { { 20, 10 }, { 40, 10 }, { 40, 30 }, { 20, 30 }, { 20, 10 } },
    [54] = { { 10, 10 }, { 30, 20 }, { 50, 30 }, { 50, 10 }, { 30, 20 }, { 10, 30 } },
  } do
    local pattern = panel { { points = points, angle = 0.5 } }
    local world <close> = muslin.world { gravity = { 0, 0, 0 } }
    local cloth = pattern:add(world, { cloth = { material = { preset = "cotton", model = "stvk" } } }).cloths.p
    local creased = 0
    for edge in pairs(edges_of(pattern.panels[1].mesh)) do
      local a, b = edge // 1000000, edge % 1000000
      if a < b then
        local ok, _, rest = pcall(cloth.angle, cloth, math.tointeger(a), math.tointeger(b))
        if ok and rest ~= 0 then creased = creased + 1 end
      end
    end
    expect(creased, "creased edges"):equals(count)
  end
end)

scenario("fold lines that are wrong are named", function()
  for pattern, folds in pairs {
    ["panel 'p', fold 2: it needs points"] = { { points = { { 10, 10 }, { 20, 20 } } }, { angle = 1 } },
    ["panel 'p', fold 1, point 2 must be two finite numbers {x, y} %(got 3%)"] = { { points = { { 10, 10 }, 3 } } },
    ["panel 'p', fold 1: its angle must be within %-pi..pi rad %(got 90%)"] = { { points = { { 10, 10 }, { 20, 20 } }, angle = 90 } },
    ["panel 'p': segment 1 of fold 1 lies outside"] = { { points = { { 70, 10 }, { 80, 20 } } } },
    ["panel 'p': segment 1 of fold 1 crosses or touches edge 3;"] = { { points = { { 10, 10 }, { 20, 60 } } } },
    ["panel 'p': folds must be a list"] = 3,
    ["panel 'p', fold 1 is shorter than an edge: both of its ends are nearest to one point of the outline"] =
      { { points = { { 13.1, 0.1 }, { 13.2, 0.2 } } } },
  } do
    expect(function() panel(folds) end, pattern):raises(pattern)
  end
end)

scenario("a garment keeps the folds of its panels when they become one cloth", function()
  local function half(z, turned)
    local vertices = { { -20, -15 }, { 20, -15 }, { 20, 15 }, { -20, 15 } }
    if turned then vertices = { vertices[1], vertices[4], vertices[3], vertices[2] } end
    local edges = {}
    for k = 1, 4 do edges[k] = { endpoints = { k, k % 4 + 1 } } end
    return { vertices = vertices, edges = edges, translation = { 0, 0, z }, folds = { { points = { { 0, -15 }, { 0, 15 } }, angle = 1 } } }
  end
  local pattern = muslin.pattern { units = 0.01, edge_length = 0.05, panels = { front = half(12), back = half(-12, true) },
    stitches = { { { "front", 2 }, { "back", 3 } }, { { "front", 4 }, { "back", 1 } } } }
  local world <close> = muslin.world { threads = 1 }
  local body = muslin.mesh.cylinder { radius = 0.1, length = 0.5, edge_length = 0.04 }
  local garment = muslin.dress(world, { pattern = pattern, body = body, closing_time = 0.3, gravity = { 0, 0, 0 }, stop = false })
  for _ = 1, 300 do
    if garment.cloth then break end
    world:run_frame()
  end
  local cloth = assert(garment.cloth, "the seams have closed")
  local found = 0
  for a = 1, cloth.vertex_count do
    for b = a + 1, cloth.vertex_count do
      local ok, _, rest = pcall(cloth.angle, cloth, a, b)
      if ok and math.abs(rest - 1) < 1e-9 then found = found + 1 end
    end
  end
  expect(found, "edges of folds"):equals(12) -- 0.3 m in edges of 5 cm, of both panels
end)
