-- pattern_test.lua: sewing patterns: lengths and points of curved edges, pairs that are sewn, files, and what is refused.
local muslin = require "muslin"

local SQUARE = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }

-- Four straight edges.
local function loop()
  return { { endpoints = { 1, 2 } }, { endpoints = { 2, 3 } }, { endpoints = { 3, 4 } }, { endpoints = { 4, 1 } } }
end

-- A square of 1 m whose first edge has the given curvature.
local function square(curvature, edge_length)
  local edges = loop()
  edges[1].curvature = curvature
  return muslin.pattern { edge_length = edge_length or 0.1, panels = { p = { vertices = SQUARE, edges = edges } } }
end

local function points_of(panel, edge)
  local points = {}
  for k, v in ipairs(panel.edges[edge].vertices) do
    local p = panel.mesh.x[v]
    points[k] = muslin.vec3(p.x, p.y, p.z)
  end
  return points
end

local function expect_equal_parts(points, near)
  local first = (points[2] - points[1]):length()
  for k = 2, #points - 1 do expect((points[k + 1] - points[k]):length()):near(first, near) end
end

scenario("straight edges have equal parts of at most edge_length, and the border no other points", function()
  local panel = square(nil, 0.3).panels[1]
  expect(panel.name):equals("p")
  for edge = 1, 4 do
    expect(panel.edges[edge].length):near(1, 1e-12)
    expect(#panel.edges[edge].vertices):equals(5) -- ceil(1 / 0.3) parts
    expect_equal_parts(points_of(panel, edge), 1e-12)
  end
  local border = 0
  for i = 1, panel.mesh.vertex_count do
    local p = panel.mesh.x[i]
    if p.x < 1e-9 or p.x > 1 - 1e-9 or p.y < 1e-9 or p.y > 1 - 1e-9 then border = border + 1 end
  end
  expect(border):equals(16)
end)

scenario("an arc of a circle has the length and the points of a circle", function()
  -- Half a circle below the square: to the right of the way along its loop.
  local panel = square({ type = "circle", params = { 0.5, 0, 1 } }, 0.05).panels[1]
  expect(panel.edges[1].length):near(math.pi / 2, 1e-4)
  for _, p in ipairs(points_of(panel, 1)) do
    expect((p - muslin.vec3(0.5, 0, 0)):length()):near(0.5, 1e-9)
    expect(p.y):at_most(1e-9)
  end
  expect_equal_parts(points_of(panel, 1), 1e-4)
  -- A quarter of a circle into the square, and three quarters out of it.
  local radius = muslin.sqrt(0.5)
  local short = square({ type = "circle", params = { radius, false, false } }, 0.05).panels[1]
  expect(short.edges[1].length):near(radius * math.pi / 2, 1e-4)
  for _, p in ipairs(points_of(short, 1)) do
    expect((p - muslin.vec3(0.5, -0.5, 0)):length()):near(radius, 1e-9)
    expect(p.y):at_least(-1e-9)
  end
  local long = square({ type = "circle", params = { radius, true, true } }, 0.05).panels[1]
  expect(long.edges[1].length):near(radius * math.pi * 1.5, 1e-3)
  for _, p in ipairs(points_of(long, 1)) do expect((p - muslin.vec3(0.5, -0.5, 0)):length()):near(radius, 1e-9) end
end)

scenario("control points are relative to the edge, or places", function()
  -- The edge from {1, 1} to {0, 1}: along it is -x, to its left -y.
  local def = { edge_length = 0.05, panels = { p = { vertices = SQUARE, edges = loop() } } }
  def.panels.p.edges[3].curvature = { 0.5, 0.4 }
  local lowest = 1
  for _, p in ipairs(points_of(muslin.pattern(def).panels[1], 3)) do lowest = muslin.min(lowest, p.y) end
  expect(lowest):near(0.8, 1e-4) -- the middle of a parabola: half of the control point's height
  def.curvature = "absolute"
  def.panels.p.edges[3].curvature = { type = "cubic", params = { { 1, 0.6 }, { 0, 0.6 } } }
  lowest = 1
  for _, p in ipairs(points_of(muslin.pattern(def).panels[1], 3)) do lowest = muslin.min(lowest, p.y) end
  expect(lowest):near(0.7, 1e-4) -- three quarters of it
end)

scenario("panels are turned about the fixed axes x, y, z in this order, and then moved", function()
  local def = { edge_length = 0.5, units = 0.01, panels = { p = { vertices = { { 0, 0 }, { 100, 0 }, { 0, 100 } }, rotation = { 90, 90, 0 },
    translation = { 10, 20, 30 }, edges = { { endpoints = { 1, 2 } }, { endpoints = { 2, 3 } }, { endpoints = { 3, 1 } } } } } }
  local panel = muslin.pattern(def).panels[1]
  local function place(edge)
    local p = panel.mesh.x[panel.edges[edge].vertices[1]]
    return { p.x, p.y, p.z }
  end
  expect(place(1)):near({ 0.1, 0.2, 0.3 }, 1e-12)
  expect(place(2)):near({ 0.1, 0.2, -0.7 }, 1e-12) -- x: unchanged about x, to -z about y
  expect(place(3)):near({ 1.1, 0.2, 0.3 }, 1e-12) -- y: to z about x, to x about y
end)

scenario("a loop in clockwise order faces the other way", function()
  local function area(vertices)
    local mesh = muslin.pattern { edge_length = 0.5, panels = { p = { vertices = vertices, edges = loop() } } }.panels[1].mesh
    local sum = 0
    for _, face in ipairs(mesh:faces()) do
      local a, b, c = mesh.x[face[1]], mesh.x[face[2]], mesh.x[face[3]]
      sum = sum + 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))
    end
    return sum, mesh.uv_count == mesh.vertex_count
  end
  local ccw, has_uv = area(SQUARE)
  expect(ccw):near(1, 1e-12)
  assert(has_uv)
  local cw, too = area { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 } }
  expect(cw):near(-1, 1e-12)
  assert(too)
end)

-- Two panels of 0.2 x 0.3 m in front of each other; one side is gathered: 0.3 m to 0.36 m.
local function two_panels(same_way)
  local function sheet(height, z, back)
    local corners = { { 0, 0 }, { 0.2, 0 }, { 0.2, height }, { 0, height } }
    if back then corners[2], corners[4] = corners[4], corners[2] end
    return { vertices = corners, translation = { 0, 1, z }, edges = loop() }
  end
  -- Edge 2 of the front is the side x = 0.2, and edge 3 of the back.
  return muslin.pattern { edge_length = 0.03, panels = { front = sheet(0.3, 0.02), back = sheet(0.36, -0.02, true) },
    stitches = { { { "front", 2 }, { panel = "back", edge = 3 }, same_way = same_way } } }
end

scenario.each { false, true } ("sewn edges have the points of the longer one, end to start (same way: {})", function(same_way)
  local world = muslin.world { dt = 1 / 120, fps = 60, gravity = { 0, 0, 0 }, threads = 1 }
  local garment = two_panels(same_way):add(world, { name = "vest", cloth = { material = "cotton" }, stitch = { closing_time = 0.3 } })
  expect(garment.cloths.front.name):equals("vest.front")
  local a, b = garment.cloths.front, garment.cloths.back
  local pattern = two_panels(same_way)
  local one, two
  for _, panel in ipairs(pattern.panels) do
    if panel.name == "front" then one = panel.edges[2].vertices else two = panel.edges[3].vertices end
  end
  expect(#one):equals(13) -- 0.36 / 0.03 parts
  expect(#two):equals(13)
  world:advance(0.75)
  expect(world):penetration_free()
  for k = 1, 13 do
    local p, q = a.x[one[k]], b.x[two[same_way and k or 14 - k]]
    expect((p - q):length(), "stitch " .. k):at_most(0.004)
  end
end)

scenario("the tip of a dart is not sewn to itself", function()
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, threads = 1 }
  local pattern = muslin.pattern { edge_length = 0.05, panels = { p = { vertices = { { 0, 0 }, { 0.4, 0 }, { 0.4, 0.4 }, { 0.23, 0.4 },
    { 0.2, 0.2 }, { 0.17, 0.4 }, { 0, 0.4 } }, edges = { { endpoints = { 1, 2 } }, { endpoints = { 2, 3 } }, { endpoints = { 3, 4 } },
    { endpoints = { 4, 5 } }, { endpoints = { 5, 6 } }, { endpoints = { 6, 7 } }, { endpoints = { 7, 1 } } } } },
    stitches = { { { "p", 4 }, { "p", 5 } } } }
  local garment = pattern:add(world, { stitch = { closing_time = 0.3 } })
  world:advance(0.75)
  expect(world):penetration_free()
  local x = garment.cloths.p.x
  local p, q = x[pattern.panels[1].edges[4].vertices[1]], x[pattern.panels[1].edges[5].vertices[#pattern.panels[1].edges[5].vertices]]
  expect((p - q):length()):at_most(0.004)
end)

-- ---- Refused ---------------------------------------------------------------------------------------------------------

local function refused(words, change)
  local def = { edge_length = 0.2, panels = { front = { vertices = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }, edges = loop() } } }
  change(def, def.panels.front)
  expect(function() muslin.pattern(def) end):raises(words)
end

scenario("what is wrong is named with panel, edge and remedy", function()
  refused("it needs panels", function(def) def.panels = {} end)
  refused("unknown field 'panel' %(did you mean 'panels'%?%)", function(def) def.panel = {} end)
  refused("edge_length must be > 0 m %(got 0%)", function(def) def.edge_length = 0 end)
  refused("panel 'front' needs vertices and edges", function(_, p) p.edges = nil end)
  refused("panel 'front', vertex 2 must be two finite numbers", function(_, p) p.vertices[2] = { 1 } end)
  refused("panel 'front', edge 2: it needs endpoints", function(_, p) p.edges[2] = {} end)
  refused("panel 'front', edge 2: its endpoints must be vertices 1 to 4 %(got 2 and 7%)", function(_, p)
    p.edges[2].endpoints = { 2, 7 }
  end)
  refused("panel 'front', edge 1: its ends are at one place", function(_, p) p.vertices[2] = { 0, 0 } end)
  refused("panel 'front': edge 2 ends at vertex 4, and edge 3 starts at vertex 3", function(_, p) p.edges[2].endpoints = { 2, 4 } end)
  refused("panel 'front' needs at least 3 edges %(got 2%)", function(_, p)
    p.edges = { { endpoints = { 1, 2 } }, { endpoints = { 2, 1 } } }
  end)
  refused("panel 'front': .*cross", function(_, p) p.vertices = { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 } } end)
  refused("edge 1: a circle of radius 0.3 does not reach between ends 1 apart", function(_, p)
    p.edges[1].curvature = { type = "circle", params = { 0.3, 0, 0 } }
  end)
  refused("curvature must be quadratic, cubic or circle %(got 'spline'%)", function(_, p) p.edges[1].curvature = { type = "spline" } end)
  refused("edge 1: control point 2 must be two finite numbers", function(_, p)
    p.edges[1].curvature = { type = "cubic", params = { { 0, 0 } } }
  end)
  refused("panel 'front': edge 1 is 3.6e%+29 m long, more than 20000 times edge_length %(0.2 m%); check its vertices", function(_, p)
    p.edges[1].curvature = { 0.5, 3.6e29 }
  end)
  refused("panel 'front': edge 1 is 1e%+12 m long", function(_, p) p.vertices[2] = { 1e12, 0 } end)
  refused("stitch 1 names panel 'frnt', which there is not %(did you mean 'front'%?%)", function(def)
    def.stitches = { { { "frnt", 1 }, { "front", 2 } } }
  end)
  refused("stitch 1: panel 'front' has edges 1 to 4 %(got 5%)", function(def) def.stitches = { { { "front", 1 }, { "front", 5 } } } end)
  refused("stitch 2: edge 1 of panel 'front' is in stitch 1 already", function(def)
    def.stitches = { { { "front", 1 }, { "front", 2 } }, { { "front", 1 }, { "front", 3 } } }
  end)
  refused("stitch 1 has two sides, and after them nothing or 'right_wrong' %(got table: #2%)", function(def)
    def.stitches = { { { "front", 1 }, { "front", 2 }, { "front", 3 } } }
  end)
  refused("stitch 1 has two sides, .*%(got 'wrong'%)", function(def) def.stitches = { { { "front", 1 }, { "front", 2 }, "wrong" } } end)
  refused("curvature must be relative or absolute %(got 'relativ'%)", function(def) def.curvature = "relativ" end)
  expect(function() muslin.pattern.load("none.json") end):raises "none%.json"
  expect(function() muslin.pattern.load(3) end):raises "a path %(got 3%)"
end)
